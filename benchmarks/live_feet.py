# SPDX-License-Identifier: MIT
"""What do the feet of a thousand live characters cost, beside a placement for each, and beside plain legs?

The sample humanoid, 34 joints, two legs, soles of 228 points measured from its mesh. Everybody walks at a
place of its own on a height field. `ik.PlayersFeet` places all feet, `FootPlacement.update` those of a few.
A step of `Players` is timed alone, and with both legs of all solved by `ik.two_bone`. The Python calls are
included.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import lissom
from _bench import Bench
from _measure import Run
from lissom import ik, trs

DT = 1 / 60
LOOPED = 5  # placements in the loop
TOLERANCE = 1e-6  # of float32 poses
FAR = 1e6  # seconds of a fade: it stays where it is, however many steps are timed


def hills(roughness: float) -> lissom.ground.HeightField:
    """Return hills of 40 cm and a wave length of some 20 m, with bumps on a grid of 50 cm."""
    x = 0.5 * np.arange(200)
    bumps = np.random.default_rng(3).uniform(-roughness, roughness, (200, 200))
    heights = 0.4 * np.sin(x / 3)[:, None] * np.cos(x / 4) + bumps
    return lissom.ground.HeightField(heights, spacing=0.5, origin=(-50, 0, -50))


def places_of(count: int) -> NDArray[np.float64]:
    rng = np.random.default_rng(1)
    places = trs.identity(count, np.float64)
    places[:, [0, 2]] = rng.uniform(-40, 40, (count, 2))
    places[:, 3:7] = lissom.quat.from_axis_angle([0.0, 1.0, 0.0], rng.uniform(0, 6, count))
    return places


def feet(bench: Bench, count: int, roughness: float) -> None:
    hero = lissom.samples.humanoid()
    ground, places = hills(roughness), places_of(count)
    players = lissom.Players(hero.skeleton, count)
    players.play(players.ids, hero.clips["walk"], at=np.random.default_rng(2).uniform(0, 1, count))
    placement = ik.FootPlacement(hero, ik.Leg.find(hero), ground)
    together = ik.PlayersFeet(placement)
    alone = [ik.FootPlacement(hero, placement.legs, ground) for _ in range(LOOPED)]
    for _ in range(4):
        poses = players.step(DT)
        done = together.update(poses, DT, world_from_model=places, ids=players.ids)
        for row, one in enumerate(alone):
            want = one.update(poses[row], DT, world_from_model=places[row])
            np.testing.assert_allclose(done.poses[row], want.poses, rtol=0, atol=TOLERANCE)

    def looped() -> None:
        for row, one in enumerate(alone):
            one.update(poses[row], DT, world_from_model=places[row])

    title = f"feet of {count} players, bumps of {100 * roughness:.0f} cm"
    runs: dict[str, Any] = {
        "lissom.ik.PlayersFeet": lambda: together.update(poses, DT, None, places, ids=players.ids),
        "a loop of FootPlacement.update": Run(looped, items=LOOPED, kind="rival"),
    }
    table = bench.table(title, runs, count, "player")
    table.judge("lissom.ik.PlayersFeet", 6.0, 1e6, "us")


def legs(bench: Bench, count: int) -> None:
    hero = lissom.samples.humanoid()
    times = np.random.default_rng(1).uniform(0, 1, count)
    players = lissom.Players(hero.skeleton, count)
    players.play(players.ids, hero.clips["walk"], at=times)
    players.step(DT)
    players.fade_to(players.ids, hero.clips["run"], FAR, "linear")
    players.state["layers"]["elapsed"][:, 1] = 0.5 * FAR
    chains = [ik.Chain(hero.skeleton, f"UpperLeg.{side}", f"Foot.{side}") for side in "LR"]
    poses = np.empty((count, len(hero.skeleton), 10), np.float32)
    solved = np.empty_like(poses)
    players.step(DT, poses)
    ankles = [hero.skeleton.index(f"Foot.{side}") for side in "LR"]
    targets = np.ascontiguousarray(hero.skeleton.positions(poses)[:, ankles])
    targets[..., 1] += 0.03
    assert ik.two_bone(chains, poses, targets, out=solved).reached.mean() > 0.9

    def both() -> None:
        players.step(DT, poses)
        ik.two_bone(chains, poses, targets, out=solved)

    runs = {"step": lambda: players.step(DT, poses), "step and two legs by two_bone": both}
    # Poses are written by the step, read by the solver, and written again with legs that reach. Those of
    # 10 000 players, 27 MB, leave the second cache: the step alone then takes most of what the bar allows.
    table = bench.table(f"legs of {count} players mid-fade", runs, count, "player", moved=3 * poses[0].nbytes)
    table.judge("step and two legs by two_bone", 0.8, 1e6, "us")


def main(bench: Bench) -> None:
    bench.one_thread()
    for roughness in (0.03, 0.15):
        feet(bench, 1_000, roughness)
    for count in (1_000, 10_000):
        legs(bench, count)


if __name__ == "__main__":
    Bench(__file__, __doc__).run(main)
