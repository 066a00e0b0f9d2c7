# SPDX-License-Identifier: MIT
"""What does one call cost: one pose of 64 joints, one chain, one small mesh, the Python call included?

One thread, float32. Beside each call stands the same function where it checks and converts its arguments, as
it does for lists and float64: without its plain function of the core. Both give the same bits. An empty call
tells what is left at least. The bars are those of a quiet machine at 4.1 GHz."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import numpy as np

import lissom
from _bench import Bench
from _measure import PART, Run
from _rigs import make_poses
from lissom import _core, ik
from lissom.clip import LINEAR, ROTATION, Clip
from lissom.clip._tracks import Track, packed

JOINTS, VERTICES = 64, 100
KEYS = 31

BARS = {  # microseconds
    "matrices, out=": 0.55,
    "matrices": 0.75,
    "blend": 0.5,
    "layers, two": 0.9,
    "sample, keyed together": 0.8,
    "sample, each on its own": 1.6,
    "palette": 0.8,
    "vertices, 100": 1.5,
}

NAMES = [name for name in dir(_core) if name.startswith("plain_")]


def checked(call: Callable[[], Any]) -> Callable[[int], float]:
    """A block of calls that go the checked way."""

    def block(count: int) -> float:
        with patch.multiple(_core, **dict.fromkeys(NAMES, lambda *_: None)):
            return count * Run(call).in_block(count, time.perf_counter)

    return block


def make_skeleton(rng: np.random.Generator) -> lissom.Skeleton:
    rest = np.zeros((JOINTS, 10))
    rest[:, 6:] = 1
    parents = [-1, *(int(rng.integers(max(0, i - 4), i)) for i in range(1, JOINTS))]
    return lissom.Skeleton([f"joint {i}" for i in range(JOINTS)], parents, rest)


def make_clip(rng: np.random.Generator, skeleton: lissom.Skeleton, together: bool) -> Clip:
    """A clip of rotations, whose joints have keys at the same times or each at its own."""
    grid = np.linspace(0, 1, KEYS, dtype=np.float32)
    tracks = []
    for joint in range(JOINTS):
        own = np.sort(np.concatenate([[0, 1], rng.random(KEYS - 2)])).astype(np.float32)
        turns = lissom.quat.random(KEYS, seed=rng)
        tracks.append(Track(joint, ROTATION, LINEAR, grid if together else own, turns))
    return Clip("moves", skeleton, *packed(tracks, np.dtype(np.float32)), loop=False)


def parts(result: Any) -> list[Any]:
    if isinstance(result, ik.IkResult):
        return [result.pose, result.residual, result.iterations, result.reached, result.limited]
    return list(result) if isinstance(result, tuple) else [result]


def main(bench: Bench) -> None:
    lissom.set_thread_count(1)
    rng = np.random.default_rng(1)
    skeleton = make_skeleton(rng)
    a, b = make_poses(rng, JOINTS), make_poses(rng, JOINTS)
    a[:, 7:] = 1
    model, pose = skeleton.model_matrices(a), np.empty_like(a)
    together, own = make_clip(rng, skeleton, True), make_clip(rng, skeleton, False)
    skin = lissom.Skin(range(JOINTS), np.tile(np.eye(4, dtype=np.float32), (JOINTS, 1, 1)))
    weights = rng.random((VERTICES, 4)).astype(np.float32)
    weights /= weights.sum(axis=1, keepdims=True)
    rows = rng.integers(0, JOINTS, (VERTICES, 4))
    mesh = lissom.Mesh(rng.random((VERTICES, 3)), [[0, 1, 2]], rows, weights)
    character = lissom.Character("few vertices", skeleton, mesh, skin)
    palette = skin.palette(model)
    vertices = np.empty((VERTICES, 3), np.float32)
    difference = lissom.make_additive(b, skeleton.rest)
    out = np.empty_like(model)
    hero = lissom.samples.humanoid()
    bake = lissom.bake(hero, "walk", rate=30)
    calls = {
        "matrices, out=": lambda: skeleton.model_matrices(a, out=out),
        "matrices": lambda: skeleton.model_matrices(a),
        "positions": lambda: skeleton.positions(a),
        "blend": lambda: lissom.blend(a, b, 0.3),
        "blend, out=": lambda: lissom.blend(a, b, 0.3, out=pose),
        "layers, two": lambda: lissom.blend_layers([a, b], [0.3, 0.7]),
        "additive layer": lambda: lissom.add_layer(a, difference, 0.5),
        "sample, keyed together": lambda: together.sample(0.432),
        "sample, each on its own": lambda: own.sample(0.432),
        "palette": lambda: skin.palette(model).matrices,
        "palette, dual quaternions": lambda: skin.palette(model).dual_quats,
        "vertices, 100": lambda: lissom.deform(mesh, palette),
        "vertices, 100, out=": lambda: lissom.deform(mesh, palette, out=vertices),
        "vertices, 100, of a pose": lambda: character.deform(a),
        "palette of a bake": lambda: bake.sample("walk", 0.432).dual_quats,
    }
    leg = ik.Chain(hero.skeleton, "UpperLeg.L", "Foot.L")
    arm = ik.Chain(hero.skeleton, "UpperArm.L", "Hand.L")
    gaze = ik.Chain(hero.skeleton, "Spine", "Head")
    rest = np.array(hero.skeleton.rest)
    foot, hand, seen = np.float32([[0.1, 0.4, 0.2], [0.3, 1.2, 0.3], [1, 1.5, 2]])
    solves = {
        "two bones": (ik.two_bone, leg, foot),
        "FABRIK": (ik.fabrik, arm, hand),
        "CCD": (ik.ccd, arm, hand),
        "damped least squares": (ik.damped_least_squares, arm, hand),
        "aim": (ik.aim, gaze, seen),
    }
    for name, call in calls.items():
        table = compare(bench, name, call)
        if name in BARS:
            table.judge("lissom", BARS[name], scale=1e6, unit="us")
    for name, (solve, chain, target) in solves.items():
        compare(bench, name, lambda solve=solve, chain=chain, target=target: solve(chain, rest, target))


def compare(bench: Bench, name: str, call: Callable[[], Any]) -> Any:
    """Time a call, the checked way to the same bits, and a call of the core that does nothing."""
    plain = parts(call())
    with patch.multiple(_core, **dict.fromkeys(NAMES, lambda *_: None)):
        same = parts(call())
    assert all(np.array_equal(one, other) for one, other in zip(plain, same, strict=True))
    nothing = _core.plain_positions
    runs = {
        "lissom": Run(call),
        "the checked way": Run(block=checked(call)),
        "an empty call of the core": Run(lambda: nothing(None, None), kind=PART),
    }
    return bench.table(name, runs)


if __name__ == "__main__":
    Bench(__file__, __doc__).run(main)
