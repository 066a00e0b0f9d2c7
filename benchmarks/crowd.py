# SPDX-License-Identifier: MIT
"""How many instances a second does a crowd draw, beside the crowd that lessons draw?

The lesson's (`lissom.gpu.teaching_crowd`, shaders/teaching/crowd.vert, as published): model-space transforms
of joints in a float32 texture, 24 fetches and four products of matrices at every vertex, 80 actors a call,
all in uniform arrays. Ours: palettes mixed once per instance by a fragment pass. Both draw the same
instances, mesh, weights and light into the same target, in turn, whole frames: upload, drawing, reading the
picture. The first row of ours fetches as often as the lesson's, and the first three draw all faces as it
does; the others leave out faces from behind where a piece of the mesh is closed.

    python benchmarks/crowd.py [--file ../shared/assets/characters/raylib/robot.glb] [--rounds 5]
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import numpy as np

import lissom
from _measure import by_turns
from lissom.gpu import Crowd, Stage, scattered
from lissom.gpu._context import shared_context
from lissom.gpu.teaching_crowd import UniformCrowd

DEFAULT = Path(__file__).resolve().parents[2] / "shared" / "assets" / "characters" / "raylib" / "robot.glb"
SIZE = (640, 480)
ALIKE = 0.004  # share of pixels that may differ by more than 8 levels: texels and normals are rounded
BARS = {80: 1.5, 1000: 1.5}  # instances per second, ours to the lesson's, the full mesh and all faces
JUDGED = "palettes, all faces, dual_quat"
LESSON = "the lesson's"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file", type=Path, default=DEFAULT)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--counts", type=int, nargs="*", default=[80, 1000])
    options = parser.parse_args()
    character = lissom.load(options.file) if options.file.exists() else lissom.samples.humanoid()
    renderer = shared_context().renderer
    mesh = character.mesh
    print(f"{renderer}, {os.cpu_count()} cores ({platform.machine()}), {SIZE[0]} x {SIZE[1]}")
    print(
        f"{character.name}: {mesh.vertex_count} vertices, {len(mesh.triangles)} triangles, "
        f"{len(character.skin)} joints, {len(character.clips)} clips"
    )
    lesson_bake = lissom.bake(character, rate=30, layout="trs", dtype="float32", method="linear")
    bakes = {
        "linear": lissom.bake(character, rate=30, method="linear"),
        "dual_quat": lissom.bake(character, rate=30, method="dual_quat"),
        "matrix": lissom.bake(character, rate=30, layout="matrix", dtype="float32", method="linear"),
    }
    for count in options.counts:
        compare(count, lesson_bake, bakes, options.rounds)


def compare(
    count: int, lesson_bake: lissom.PoseTexture, bakes: dict[str, lissom.PoseTexture], rounds: int
) -> None:
    instances = scattered(lesson_bake, count, seed=7)
    with Stage(*SIZE, samples=0) as stage, ExitStack() as stack:
        lesson = stack.enter_context(UniformCrowd(lesson_bake, instances, stage=stage, as_published=True))
        camera = stage.camera(lesson)
        crowds = {
            "24 fetches, all faces, linear": crowd_of(
                bakes["matrix"], instances, stage, "linear", direct=True, two_sided=True
            ),
            "palettes, all faces, linear": crowd_of(
                bakes["linear"], instances, stage, "linear", two_sided=True
            ),
            JUDGED: crowd_of(bakes["dual_quat"], instances, stage, "dual_quat", two_sided=True),
            "palettes, linear": crowd_of(bakes["linear"], instances, stage, "linear"),
            "palettes, dual_quat": crowd_of(bakes["dual_quat"], instances, stage, "dual_quat"),
            "palettes, dual_quat, 2 influences": crowd_of(
                bakes["dual_quat"], instances, stage, "dual_quat", influences=2
            ),
        }
        for crowd in crowds.values():
            stack.enter_context(crowd)

        def frame(thing: object) -> np.ndarray:
            return stage.render(thing, camera=camera, ground=False).array

        reference = frame(lesson).astype(int)
        for name in ("24 fetches, all faces, linear", "palettes, all faces, linear", "palettes, linear"):
            differ = (np.abs(frame(crowds[name]).astype(int) - reference).max(axis=2) > 8).mean()
            assert differ < ALIKE, f"{name}: {differ:.2%} of the pixels differ from the lesson's picture"
        runs: dict[str, Callable[[], object]] = {LESSON: lambda: frame(lesson)}
        runs |= {name: (lambda c=crowd: frame(c)) for name, crowd in crowds.items()}
        taken = by_turns(runs, rounds)
        print(f"\n{count} instances, {lesson._mesh.used_influence_count} influences per vertex")
        print(f"{'':<34}{'ms':>9}{'ns/vertex':>11}{'instances/s':>13}{'ratio':>8}")
        vertices = count * lesson_bake.mesh.vertex_count
        for name, seconds in taken.items():
            print(
                f"{name:<34}{seconds * 1e3:9.1f}{seconds / vertices * 1e9:11.1f}{count / seconds:13.0f}"
                f"{taken[LESSON] / seconds:7.2f}x"
            )
        if count in BARS:
            best = taken[LESSON] / taken[JUDGED]
            verdict = "yes" if best >= BARS[count] else "NO"
            print(f"at least {BARS[count]}x, {JUDGED}: {verdict} ({best:.2f}x)")


def crowd_of(
    bake: lissom.PoseTexture, instances: np.ndarray, stage: Stage, method: str, **options: object
) -> Crowd:
    return Crowd(bake, len(instances), stage=stage, instances=instances, method=method, **options)


if __name__ == "__main__":
    main()
