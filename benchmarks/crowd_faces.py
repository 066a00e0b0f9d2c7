# SPDX-License-Identifier: MIT
"""How much longer does a frame of a crowd take where its characters have faces?

The built-in humanoid with 52 morph targets on its head, each of which moves a place of it, normals too.
Every instance has 8 active targets of its own, others in every frame. Beside it the same crowd without, in
turn, whole frames: weights, upload, drawing, reading the picture. With levels of detail, as one would draw
it, and with the whole mesh everywhere.

    python benchmarks/crowd_faces.py [--count 1000] [--pixels 960 540]
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial

import numpy as np

import lissom
from _bench import Bench
from lissom.gpu import Crowd, Stage, levels_of_detail, scattered
from lissom.gpu._context import shared_context

TARGETS, ACTIVE = 52, 8
BAR = 1.25  # a frame with faces, over one without
EXACT = 2e-6  # of the size


def main(bench: Bench) -> None:
    options = bench.options
    count = 20 if bench.quick else options.count
    plain = lissom.samples.humanoid()
    hero = with_face(plain)
    morphs = hero.mesh.morphs
    bench.note(f"{shared_context().renderer}, {options.pixels}")
    bench.note(
        f"{hero.mesh.vertex_count} vertices, {len(np.unique(morphs.vertices))} of them moved by {TARGETS} "
        f"targets in {len(morphs.vertices)} rows; {ACTIVE} active; {count} instances"
    )
    bake = {"with faces": lissom.bake(hero, "walk", rate=30), "without": lissom.bake(plain, "walk", rate=30)}
    instances = scattered(bake["without"], count, seed=7)
    weights = weights_of(count, np.random.default_rng(0))
    check(hero, bake["with faces"], weights[0, 0])
    for name, levels in (("levels of detail", True), ("the whole mesh", False)):
        with Stage(*options.pixels, samples=0) as stage, ExitStack() as stack:
            crowds = {
                which: stack.enter_context(
                    Crowd(own, count, stage=stage, instances=instances, levels=levels_of(own, levels))
                )
                for which, own in bake.items()
            }
            camera = stage.camera(crowds["without"])
            run = Frames(stage, camera, crowds, weights)
            table = bench.table(
                f"{count} instances, {name}",
                {f"lissom, {which}": partial(run.frame, which) for which in crowds},
                1,
                "frame",
                budget=5,
            )
            ratio = table.ratio("lissom, with faces", "lissom, without")
            bench.judge("with faces, over without", ratio, BAR, "x", table=table.title)


def levels_of(bake: lissom.PoseTexture, wanted: bool) -> list[tuple[lissom.Mesh, float]]:
    """Return two levels of detail and the heights that they are drawn below, pixels."""
    return list(zip(levels_of_detail(bake), (150.0, 60.0), strict=True)) if wanted else []


class Frames:
    """Draws one frame after the other, with new weights in each."""

    def __init__(self, stage: Stage, camera: object, crowds: dict[str, Crowd], weights: np.ndarray) -> None:
        self.stage, self.camera, self.crowds, self.weights = stage, camera, crowds, weights
        self.count = 0

    def frame(self, which: str) -> np.ndarray:
        crowd = self.crowds[which]
        if which == "with faces":
            self.count += 1
            crowd.morphs(None, self.weights[self.count % len(self.weights)])
        crowd.update(1 / 60)
        return self.stage.render(crowd, camera=self.camera).array


def with_face(character: lissom.Character) -> lissom.Character:
    """Return the character with targets that each move up to 1 000 vertices, a fifth of its head."""
    mesh = character.mesh
    rng = np.random.default_rng(1)
    head = np.flatnonzero(mesh.positions[:, 1] > 1.5)  # metres
    each = min(1000, len(head) // 5)
    places = mesh.positions[head]
    middles = places[rng.integers(len(head), size=TARGETS)]
    vertices = np.concatenate(
        [np.sort(head[np.linalg.norm(places - middle, axis=1).argsort()[:each]]) for middle in middles]
    )
    arrays = {
        name: getattr(mesh, name) for name in ("indices", "weights", "normals", "uvs", "colors", "parts")
    }
    morphs = lissom.Morphs(
        [f"face/{i}" for i in range(TARGETS)],
        np.arange(TARGETS + 1) * each,
        vertices,
        rng.normal(scale=0.003, size=(len(vertices), 3)),
        rng.normal(scale=0.1, size=(len(vertices), 3)),
    )
    mesh = lissom.Mesh(mesh.positions, mesh.triangles, **arrays, morphs=morphs)
    return lissom.Character("face", character.skeleton, mesh, character.skin, character.clips)


def weights_of(count: int, rng: np.random.Generator) -> np.ndarray:
    """Return weights of 8 active targets, (frames, count, TARGETS)."""
    weights = np.zeros((4, count, TARGETS), np.float32)
    active = rng.permuted(np.tile(np.arange(TARGETS), (*weights.shape[:2], 1)), axis=2)[..., :ACTIVE]
    np.put_along_axis(weights, active, rng.uniform(0.2, 1, active.shape).astype(np.float32), axis=2)
    return weights


def check(hero: lissom.Character, bake: lissom.PoseTexture, weights: np.ndarray) -> None:
    """Assert that the crowd draws what the core computes."""
    with Crowd(bake, 1, instances=lissom.gpu.plain_instances(1)) as crowd:
        crowd.morphs(0, weights)
        expected = lissom.deform(hero.mesh, bake.palette("walk", 0.0), bake.method, morphs=weights)
        away = np.linalg.norm(crowd.deformed()[0] - expected, axis=1).max()
    assert away < EXACT * hero.size, f"{away / hero.size:.1e} of the size from the core"


if __name__ == "__main__":
    bench = Bench(__file__, __doc__)
    bench.argument("--count", type=int, default=1000)
    bench.argument("--pixels", type=int, nargs=2, default=[960, 540])
    bench.run(main)
