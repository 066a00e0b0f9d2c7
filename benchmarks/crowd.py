# SPDX-License-Identifier: MIT
"""How many instances a second does a crowd draw, beside the crowd that lessons draw?

The lesson's (`lissom.gpu.teaching_crowd`, shaders/teaching/crowd.vert, as published): model-space transforms
of joints in a float32 texture, 24 fetches and four products of matrices at every vertex, 80 actors a call,
all in uniform arrays. Ours: palettes mixed once per instance by a fragment pass. Both draw the same
instances, mesh, weights and light into the same target, in turn, whole frames: upload, drawing, reading the
picture. Faces from behind of closed pieces of the mesh, which nobody sees, are left out by both, or drawn by
both. The first row of ours with all faces fetches as often as the lesson's.

    python benchmarks/crowd.py [--file ../shared/assets/characters/raylib/robot.glb]
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import numpy as np

import lissom
from _bench import Bench
from _lesson import ALL_FACES, CULLED, lesson
from _measure import Run
from lissom.gpu import Crowd, Stage, scattered
from lissom.gpu._context import shared_context

DEFAULT = Path(__file__).resolve().parents[2] / "shared" / "assets" / "characters" / "raylib" / "robot.glb"
SIZE = (640, 480)
ALIKE = 0.004  # share of pixels that may differ by more than 8 levels: texels and normals are rounded
BARS = {80: 2.0, 1000: 2.5}  # times the lesson's, by instances; the full mesh, the same faces
JUDGED = "lissom, dual_quat"


def main(bench: Bench) -> None:
    file = bench.options.file
    character = lissom.load(file) if file.exists() else lissom.samples.humanoid()
    mesh = character.mesh
    bench.note(f"{shared_context().renderer}, {SIZE[0]} x {SIZE[1]}")
    bench.note(
        f"{character.name}: {mesh.vertex_count} vertices, {len(mesh.triangles)} triangles, "
        f"{len(character.skin)} joints, {len(character.clips)} clips"
    )
    lesson_bake = lissom.bake(character, rate=30, layout="trs", dtype="float32", method="linear")
    bakes = {
        "linear": lissom.bake(character, rate=30, method="linear"),
        "dual_quat": lissom.bake(character, rate=30, method="dual_quat"),
        "matrix": lissom.bake(character, rate=30, layout="matrix", dtype="float32", method="linear"),
    }
    for count in [8] if bench.quick else bench.options.counts:
        compare(bench, count, lesson_bake, bakes)


def compare(
    bench: Bench, count: int, lesson_bake: lissom.PoseTexture, bakes: dict[str, lissom.PoseTexture]
) -> None:
    instances = scattered(lesson_bake, count, seed=7)
    with Stage(*SIZE, samples=0) as stage, ExitStack() as stack:
        lessons = {
            CULLED: stack.enter_context(lesson(lesson_bake, instances, stage=stage, culled=True)),
            ALL_FACES: stack.enter_context(lesson(lesson_bake, instances, stage=stage)),
        }
        camera = stage.camera(lessons[CULLED])
        crowds = {
            JUDGED: crowd_of(bakes["dual_quat"], instances, stage, "dual_quat"),
            "lissom, linear": crowd_of(bakes["linear"], instances, stage, "linear"),
            "lissom, dual_quat, 2 influences": crowd_of(
                bakes["dual_quat"], instances, stage, "dual_quat", influences=2
            ),
            "lissom, linear, 24 fetches, all faces": crowd_of(
                bakes["matrix"], instances, stage, "linear", direct=True, two_sided=True
            ),
            "lissom, linear, all faces": crowd_of(
                bakes["linear"], instances, stage, "linear", two_sided=True
            ),
            "lissom, dual_quat, all faces": crowd_of(
                bakes["dual_quat"], instances, stage, "dual_quat", two_sided=True
            ),
        }
        for crowd in crowds.values():
            stack.enter_context(crowd)

        def frame(thing: object) -> np.ndarray:
            return stage.render(thing, camera=camera, ground=False).array

        def frames(thing: object) -> Callable[[], object]:
            return lambda: frame(thing)

        reference = frame(lessons[ALL_FACES]).astype(int)
        linear = {name: crowd for name, crowd in crowds.items() if "linear" in name}
        for name, thing in ({CULLED: lessons[CULLED]} | linear).items():
            differ = (np.abs(frame(thing).astype(int) - reference).max(axis=2) > 8).mean()
            assert differ < ALIKE, f"{name}: {differ:.2%} of the pixels differ from the lesson's picture"
        runs = {
            name: Run(frames(crowd), beside=ALL_FACES if "all faces" in name else CULLED)
            for name, crowd in crowds.items()
        }
        runs[CULLED] = Run(frames(lessons[CULLED]), beside=JUDGED)
        runs[ALL_FACES] = Run(frames(lessons[ALL_FACES]), beside="lissom, dual_quat, all faces")
        table = bench.table(f"{count} instances", runs, count, "instance", budget=5)
        if count in BARS:
            table.judge_ratio(CULLED, JUDGED, BARS[count])


def crowd_of(
    bake: lissom.PoseTexture, instances: np.ndarray, stage: Stage, method: str, **options: object
) -> Crowd:
    return Crowd(bake, len(instances), stage=stage, instances=instances, method=method, levels=(), **options)


if __name__ == "__main__":
    bench = Bench(__file__, __doc__)
    bench.argument("--file", type=Path, default=DEFAULT)
    bench.argument("--counts", type=int, nargs="*", default=[80, 1000])
    bench.run(main)
