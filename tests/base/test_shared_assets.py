# SPDX-License-Identifier: MIT
"""Characters, clips and bakes never change: threads that share them get the bits that one thread gets."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import numpy as np

import lissom
from lissom import ik

THREADS, ROUNDS = 8, 3


def test_threads_share_assets() -> None:
    hero = (
        lissom.samples.humanoid().without()
    )  # fresh: what is prepared at the first use is prepared by all at once
    walk = hero.clips["walk"]
    bake = lissom.bake(hero, ["walk"], rate=30.0)
    arm = ik.Chain(hero.skeleton, "UpperArm.L", "Hand.L")
    ground = lissom.ground.TriangleMesh(hero.mesh.positions, hero.mesh.triangles)
    together = Barrier(THREADS)

    def results(thread: int) -> list[Any]:
        times = np.linspace(0, 2, 40) + 0.01 * thread
        poses = walk.sample(times)
        origins = np.column_stack(
            [np.linspace(-0.3, 0.3, 200), np.full(200, 3.0), np.full(200, 0.01 * thread)]
        )
        return [
            poses,
            hero.skeleton.model_matrices(poses),
            *(hero.deform(poses[:6], method) for method in ("linear", "dual_quat", "quat_trans")),
            hero.mesh.prepare().order,
            bake.sample("walk", times).matrices,
            lissom.blend(poses, hero.skeleton.rest, 0.3),
            ik.fabrik(arm, poses, [0.3, 1.1, 0.2]).pose,
            *ground(origins, np.tile([0.0, -1.0, 0.0], (200, 1))),
        ]

    def repeated(thread: int) -> list[list[Any]]:
        together.wait()
        return [results(thread) for _ in range(ROUNDS)]

    with ThreadPoolExecutor(THREADS) as pool:
        threaded = list(pool.map(repeated, range(THREADS)))
    for thread, rounds in enumerate(threaded):
        for expected, *got in zip(results(thread), *rounds, strict=True):
            for each in got:
                np.testing.assert_array_equal(each, expected)
