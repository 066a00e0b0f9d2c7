# SPDX-License-Identifier: MIT
"""What do levels of detail, impostors and shadows cost and gain, 640 x 480?

Levels: time of making, sizes, and the distance of the skinned level from the skinned source. Impostors:
10 000 of them. Shadows: what they add to one character and to 2 000. Then whole crowds with all of it: 1 000
instances beside the crowd that lessons draw (see crowd.py), full mesh, the same faces, without shadows, by
turns; and 10 000, with and without shadows.

    python benchmarks/crowd_distance.py [--assets ../shared/assets]

Bars of milliseconds are for an idle machine with two cores. Ratios hold anyway.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np

import lissom
from _bench import Bench
from _lesson import CULLED, lesson
from lissom.gpu import Camera, Crowd, Impostors, SkinnedModel, Stage, levels_of_detail, scattered
from lissom.gpu._context import shared_context

ASSETS = Path(__file__).resolve().parents[2] / "shared" / "assets"
CHARACTERS = ("raylib/robot.glb", "kaykit/Knight.glb", "khronos/cesium_man.gltf")
SIZE = (640, 480)
LIMITS = (90, 36, 24)  # pixels: below them the first level, the second, impostors
MEAN = {0.25: 0.006, 0.06: 0.015}  # distance of a level from its source, of the height
AT_1000 = 20.0  # times the instances per second of the lesson's crowd
AT_10000 = 0.05  # seconds a frame, on an idle machine
IMPOSTORS = 0.02  # seconds, 10 000 of them, placing and drawing


def levels(bench: Bench, character: lissom.Character) -> None:
    mesh = character.mesh
    title = f"{character.name}, {mesh.vertex_count} vertices, {mesh.triangle_count} triangles"
    bench.table(title, {"lissom, both levels": lambda: levels_of_detail(character)}, 1, "mesh")
    poses = [
        clip.sample(clip.start + share * clip.duration)
        for clip in list(character.clips.values())[:4]
        for share in (0.1, 0.5, 0.8)
    ]
    palette = character.skin.palette(character.skeleton.model_matrices(np.array(poses)))
    source = lissom.deform(character.mesh, palette, "linear")
    height = float(np.ptp(character.mesh.positions, axis=0)[1])
    for share in MEAN:
        for crease in (75, 180):
            (level,) = levels_of_detail(character, [share], crease=crease)
            moved = lissom.deform(level, palette, "linear")
            ones = np.ones((level.vertex_count, 1))
            away = np.array(
                [
                    lissom.weights.transfer((of, level.triangles), ones, points, report=True)[1].distances
                    for of, points in zip(moved, source, strict=True)
                ]
            )
            mean, most = away.mean() / height, away.max() / height
            bench.note(
                f"{share:4.0%}, crease {crease:3}: {level.vertex_count:5} vertices, "
                f"{level.triangle_count:5} triangles, mean distance {mean:.2%}, largest {most:.1%}",
                title,
            )
            assert mean < MEAN[share], "the level is too far from its source"


def impostors_alone(bench: Bench, bake: lissom.PoseTexture, impostors: Impostors) -> None:
    instances = scattered(bake, 10_000, seed=7)
    with Stage(*SIZE, samples=0) as stage, ExitStack() as stack:
        far = Crowd(bake, 10_000, stage=stage, instances=instances, levels=(), impostors=(impostors, 1e9))
        near = Crowd(bake, 10_000, stage=stage, instances=instances, levels=(), impostors=(impostors, 1e-9))
        stack.enter_context(far)
        stack.enter_context(near)
        camera = stage.camera(far)
        low = far.ground()
        points = far.points()
        view = stage._view(camera, points, low, 1.0)
        order = np.argsort(np.linalg.norm(instances["position"] - view["eye"], axis=1))

        def draw() -> None:
            with stage.context as gl:
                placed = impostors._uploaded(instances[order], view)
                stage._target.use()
                gl.enable_only(gl.DEPTH_TEST)
                stage._target.clear(depth=1.0)
                placed.draw("surface.frag", view)
                gl.finish()
                placed.release()

        table = bench.table("10 000 impostors", {"lissom": draw}, 1, "frame", budget=5)
    bench.note(str(impostors), table.title)
    table.judge("lissom", IMPOSTORS, 1, "s")


def shadows(bench: Bench, character: lissom.Character, bake: lissom.PoseTexture, finer: list) -> None:
    with Stage(*SIZE, samples=0) as stage, ExitStack() as stack:
        one = stack.enter_context(SkinnedModel(character, stage=stage))
        many = stack.enter_context(Crowd(bake, 2000, stage=stage, seed=3, levels=finer))
        whole = stack.enter_context(Crowd(bake, 2000, stage=stage, seed=3, levels=()))
        for name, thing in (("1, full mesh", one), ("2 000, full mesh", whole), ("2 000, with levels", many)):
            camera = stage.camera(thing)
            table = bench.table(
                f"shadows and the ground: {name}",
                {
                    "lissom, without": lambda t=thing, c=camera: stage.render(t, camera=c, ground=False),
                    "lissom, with": lambda t=thing, c=camera: stage.render(t, camera=c),
                },
                1,
                "frame",
                budget=5,
            )
            added = table.seconds("lissom, with") - table.seconds("lissom, without")
            bench.number("what they add", 1e3 * added, "ms", table.title)


def crowds(
    bench: Bench,
    character: lissom.Character,
    bake: lissom.PoseTexture,
    finer: list,
    impostors: Impostors,
) -> None:
    lesson_bake = lissom.bake(character, rate=30, layout="trs", dtype="float32", method="linear")
    instances = scattered(lesson_bake, 1000, seed=7)
    with Stage(*SIZE, samples=0) as stage, ExitStack() as stack:
        taught = stack.enter_context(lesson(lesson_bake, instances, stage=stage, culled=True))
        far = (impostors, LIMITS[2])
        ours = stack.enter_context(
            Crowd(bake, 1000, stage=stage, instances=instances, levels=finer, impostors=far)
        )
        whole = stack.enter_context(Crowd(bake, 1000, stage=stage, instances=instances, levels=()))
        camera = stage.camera(taught)
        pictures = [
            stage.render(t, camera=camera, ground=False).array.astype(int) for t in (taught, ours, whole)
        ]
        covered = [np.abs(p - pictures[0][0, 0]).max(axis=2) > 12 for p in pictures]
        for mask in covered[1:]:
            assert (mask ^ covered[0]).mean() < 0.02, "the crowd covers other pixels than the lesson's"
        things = {"lissom, levels, impostors": ours, "lissom, full mesh": whole, CULLED: taught}
        table = bench.table(
            "1 000 instances, without shadows",
            {
                name: lambda t=thing: stage.render(t, camera=camera, ground=False)
                for name, thing in things.items()
            },
            1000,
            "instance",
            budget=5,
        )
        drawn = ", ".join(f"{b.instance_count} of {m.vertex_count} vertices" for b, m, *_ in ours._drawn)
        bench.note(f"drawn: {drawn or 'no mesh'}, {len(ours._placed or ())} impostors", table.title)
        table.judge_ratio(CULLED, "lissom, levels, impostors", AT_1000)

    with Stage(*SIZE, samples=0) as stage, ExitStack() as stack:
        crowd = stack.enter_context(
            Crowd(bake, 10_000, stage=stage, seed=7, levels=finer, impostors=(impostors, LIMITS[2]))
        )
        cameras = {"from outside": stage.camera(crowd)}
        front = float(crowd.instances["position"][:, 2].max())
        size = crowd.size
        cameras["at its edge"] = Camera((0, size / 2, front), 5 * size, azimuth=0, elevation=12)
        for name, camera in cameras.items():
            table = bench.table(
                f"10 000 instances, {name}",
                {
                    "lissom, without shadows": lambda c=camera: stage.render(crowd, camera=c, ground=False),
                    "lissom, with shadows": lambda c=camera: stage.render(crowd, camera=c),
                },
                1,
                "frame",
                budget=5,
            )
            counts = [b.instance_count for b, *_ in crowd._drawn]
            bench.note(f"meshes {counts}, impostors {len(crowd._placed or ())}", table.title)
            if name == "from outside":
                table.judge("lissom, without shadows", AT_10000, 1, "s")


def main(bench: Bench) -> None:
    bench.note(f"{shared_context().renderer}, {SIZE[0]} x {SIZE[1]}")
    files = [bench.options.assets / "characters" / name for name in CHARACTERS]
    found = [lissom.load(path) for path in files if path.exists()] or [lissom.samples.humanoid()]
    for character in found:
        levels(bench, character)
    character = found[0]
    bake = lissom.bake(character, rate=30)
    near, far = levels_of_detail(character, crease=180)
    start = time.perf_counter()
    with Impostors(bake, mesh=near) as impostors:
        bench.number(f"seconds of the atlas of {len(bake.clips)} clips", time.perf_counter() - start, "s")
        impostors_alone(bench, bake, impostors)
        finer = [(near, LIMITS[0]), (far, LIMITS[1])]
        shadows(bench, character, bake, finer)
        crowds(bench, character, bake, finer, impostors)


if __name__ == "__main__":
    bench = Bench(__file__, __doc__)
    bench.argument("--assets", type=Path, default=ASSETS)
    bench.run(main)
