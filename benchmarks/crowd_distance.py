# SPDX-License-Identifier: MIT
"""What do levels of detail, impostors and shadows cost and gain, 640 x 480?

Levels: time of making, sizes, and the distance of the skinned level from the skinned source. Impostors:
10 000 of them. Shadows: what they add to one character and to 2 000. Then whole crowds with all of it: 1 000
instances beside the crowd that lessons draw (see crowd.py), full mesh, without shadows, by turns; and 10 000,
with and without shadows.

    python benchmarks/crowd_distance.py [--assets ../shared/assets] [--rounds 5]

Milliseconds are those of an idle machine with two cores only where nothing else runs; what is asserted of
them says so. Ratios hold anyway.
"""

from __future__ import annotations

import argparse
import os
import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np

import lissom
from _measure import by_turns
from lissom.gpu import Camera, Crowd, Impostors, SkinnedModel, Stage, levels_of_detail, scattered
from lissom.gpu._context import shared_context
from lissom.gpu.teaching_crowd import UniformCrowd

ASSETS = Path(__file__).resolve().parents[2] / "shared" / "assets"
CHARACTERS = ("raylib/robot.glb", "kaykit/Knight.glb", "khronos/cesium_man.gltf")
SIZE = (640, 480)
LIMITS = (90, 36, 24)  # pixels: below them the first level, the second, impostors
MEAN = {0.25: 0.006, 0.06: 0.015}  # distance of a level from its source, of the height
AT_1000 = 20.0  # times the instances per second of the lesson's crowd
AT_10000 = 0.05  # seconds a frame, on an idle machine
IMPOSTORS = 0.02  # seconds, 10 000 of them, placing and drawing


def told(what: str, bar: float, value: float, good: bool) -> None:
    print(f"{what}, {bar:g}: {'yes' if good else 'NO'} ({value:.3g})")


def levels(character: lissom.Character) -> None:
    made = by_turns({"": lambda: levels_of_detail(character)}, 5)[""]
    poses = [
        clip.sample(clip.start + share * clip.duration)
        for clip in list(character.clips.values())[:4]
        for share in (0.1, 0.5, 0.8)
    ]
    palette = character.skin.palette(character.skeleton.model_matrices(np.array(poses)))
    source = lissom.deform(character.mesh, palette, "linear")
    height = float(np.ptp(character.mesh.positions, axis=0)[1])
    print(
        f"{character.name}: {character.mesh.vertex_count} vertices, "
        f"{character.mesh.triangle_count} triangles; both levels in {made * 1e3:.0f} ms"
    )
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
            print(
                f"  {share:4.0%}, crease {crease:3}: {level.vertex_count:5} vertices, "
                f"{level.triangle_count:5} triangles, mean distance {mean:.2%}, largest {most:.1%}"
            )
            assert mean < MEAN[share], "the level is too far from its source"


def impostors_alone(bake: lissom.PoseTexture, impostors: Impostors, rounds: int) -> None:
    instances = scattered(bake, 10_000, seed=7)
    with Stage(*SIZE, samples=0) as stage, ExitStack() as stack:
        far = Crowd(bake, 10_000, stage=stage, instances=instances, impostors=(impostors, 1e9))
        near = Crowd(bake, 10_000, stage=stage, instances=instances, impostors=(impostors, 1e-9))
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

        seconds = by_turns({"": draw}, 3 * rounds)[""]
    print(f"\n10 000 impostors ({impostors}): {seconds * 1e3:.1f} ms")
    told("seconds at most", IMPOSTORS, seconds, seconds <= IMPOSTORS)


def shadows(character: lissom.Character, bake: lissom.PoseTexture, finer: list, rounds: int) -> None:
    print("\nwhat shadows add, ms")
    with Stage(*SIZE, samples=0) as stage, ExitStack() as stack:
        one = stack.enter_context(SkinnedModel(character, stage=stage))
        many = stack.enter_context(Crowd(bake, 2000, stage=stage, seed=3, levels=finer))
        whole = stack.enter_context(Crowd(bake, 2000, stage=stage, seed=3))
        for name, thing in (("1, full mesh", one), ("2 000, full mesh", whole), ("2 000, with levels", many)):
            camera = stage.camera(thing)
            taken = by_turns(
                {
                    "with": lambda t=thing, c=camera: stage.render(t, camera=c),
                    "without": lambda t=thing, c=camera: stage.render(t, camera=c, ground=False),
                },
                rounds,
            )
            added = taken["with"] - taken["without"]
            print(f"  {name:<22}{taken['without'] * 1e3:9.1f} + {added * 1e3:.1f} (and the ground)")


def crowds(
    character: lissom.Character,
    bake: lissom.PoseTexture,
    finer: list,
    impostors: Impostors,
    rounds: int,
) -> None:
    lesson_bake = lissom.bake(character, rate=30, layout="trs", dtype="float32", method="linear")
    instances = scattered(lesson_bake, 1000, seed=7)
    with Stage(*SIZE, samples=0) as stage, ExitStack() as stack:
        lesson = stack.enter_context(UniformCrowd(lesson_bake, instances, stage=stage, as_published=True))
        far = (impostors, LIMITS[2])
        ours = stack.enter_context(
            Crowd(bake, 1000, stage=stage, instances=instances, levels=finer, impostors=far)
        )
        whole = stack.enter_context(Crowd(bake, 1000, stage=stage, instances=instances))
        camera = stage.camera(lesson)
        pictures = [
            stage.render(t, camera=camera, ground=False).array.astype(int) for t in (lesson, ours, whole)
        ]
        covered = [np.abs(p - pictures[0][0, 0]).max(axis=2) > 12 for p in pictures]
        for mask in covered[1:]:
            assert (mask ^ covered[0]).mean() < 0.02, "the crowd covers other pixels than the lesson's"
        taken = by_turns(
            {
                name: lambda t=thing: stage.render(t, camera=camera, ground=False)
                for name, thing in (("lesson", lesson), ("full mesh", whole), ("levels, impostors", ours))
            },
            rounds,
        )
        drawn = ", ".join(f"{b.instance_count} of {m.vertex_count} vertices" for b, m, *_ in ours._drawn)
        print(
            f"\n1 000 instances, without shadows: {drawn or 'no mesh'}, {len(ours._placed or ())} impostors"
        )
        for name, seconds in taken.items():
            ratio = taken["lesson"] / seconds
            print(f"  {name:<20}{seconds * 1e3:9.1f} ms{1000 / seconds:10.0f} instances/s{ratio:7.1f}x")
        ratio = taken["lesson"] / taken["levels, impostors"]
        told("times the lesson's, at least", AT_1000, ratio, ratio >= AT_1000)

    with Stage(*SIZE, samples=0) as stage, ExitStack() as stack:
        crowd = stack.enter_context(
            Crowd(bake, 10_000, stage=stage, seed=7, levels=finer, impostors=(impostors, LIMITS[2]))
        )
        cameras = {"from outside": stage.camera(crowd)}
        front = float(crowd.instances["position"][:, 2].max())
        size = crowd.size
        cameras["at its edge"] = Camera((0, size / 2, front), 5 * size, azimuth=0, elevation=12)
        print("\n10 000 instances, ms a frame")
        for name, camera in cameras.items():
            taken = by_turns(
                {
                    "without": lambda c=camera: stage.render(crowd, camera=c, ground=False),
                    "with": lambda c=camera: stage.render(crowd, camera=c),
                },
                3 * rounds,
            )
            counts = [b.instance_count for b, *_ in crowd._drawn]
            print(
                f"  {name:<14}{taken['without'] * 1e3:8.1f}, with shadows {taken['with'] * 1e3:.1f} "
                f"(meshes {counts}, impostors {len(crowd._placed or ())})"
            )
            if name == "from outside":
                told("seconds at most", AT_10000, taken["without"], taken["without"] <= AT_10000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--assets", type=Path, default=ASSETS)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(f"{shared_context().renderer}, {os.cpu_count()} cores, {SIZE[0]} x {SIZE[1]}\n")
    files = [options.assets / "characters" / name for name in CHARACTERS]
    found = [lissom.load(path) for path in files if path.exists()] or [lissom.samples.humanoid()]
    for character in found:
        levels(character)
    character = found[0]
    bake = lissom.bake(character, rate=30)
    near, far = levels_of_detail(character, crease=180)
    start = time.perf_counter()
    with Impostors(bake, mesh=near) as impostors:
        print(f"\nthe atlas of {len(bake.clips)} clips: {time.perf_counter() - start:.1f} s")
        impostors_alone(bake, impostors, options.rounds)
        finer = [(near, LIMITS[0]), (far, LIMITS[1])]
        shadows(character, bake, finer, options.rounds)
        crowds(character, bake, finer, impostors, options.rounds)


if __name__ == "__main__":
    main()
