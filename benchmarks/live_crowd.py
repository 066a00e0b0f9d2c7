# SPDX-License-Identifier: MIT
"""What does a frame of live characters cost, beside one of as many that play a bake?

Built-in humanoids, half way between two clips. Of the live ones a frame is: `Players.step`, poses into
palettes, their upload, drawing, reading the picture. The same frame of a baked crowd of the same places is:
`Crowd.update`, drawing, reading. Both draw levels of detail by default. Steps and palettes are also timed
alone.

    python benchmarks/live_crowd.py [--counts 1000 10000] [--pixels 960 540]
"""

from __future__ import annotations

from contextlib import ExitStack

import numpy as np

import lissom
from _bench import Bench
from lissom.gpu import Crowd, LiveCrowd, Stage, scattered
from lissom.gpu._context import shared_context

FAR = 1e6  # seconds of a fade: it stays where it is, however many steps are timed
DT = 1 / 60


def main(bench: Bench) -> None:
    hero = lissom.samples.humanoid()
    bake = lissom.bake(hero, ["walk", "run"], rate=30)
    bench.note(f"{shared_context().renderer}, {bench.options.pixels}")
    for count in [20] if bench.quick else bench.options.counts:
        compare(bench, hero, bake, count)


def compare(bench: Bench, hero: lissom.Character, bake: lissom.PoseTexture, count: int) -> None:
    instances = scattered(bake, count, seed=7)
    times = np.random.default_rng(7).uniform(0, 1, count)
    players = lissom.Players(hero.skeleton, count)
    players.play(players.ids, hero.clips["walk"], at=times)
    players.step(DT)
    players.fade_to(players.ids, hero.clips["run"], FAR)
    poses = players.step(DT)
    instances["clip"], instances["time"] = 0, times
    instances["next_clip"], instances["next_time"] = 1, times
    instances["fade"], instances["fade_duration"] = 0.5, FAR
    width, height = bench.options.pixels
    with Stage(width, height, samples=0) as stage, ExitStack() as stack:
        baked = stack.enter_context(Crowd(bake, count, stage=stage, instances=instances))
        live = stack.enter_context(LiveCrowd(hero, count, stage=stage, instances=instances))
        camera = stage.camera(baked)

        def live_frame() -> np.ndarray:
            live.pose(players.step(DT, out=poses))
            return stage.render(live, camera=camera).array

        def baked_frame() -> np.ndarray:
            baked.update(DT)
            return stage.render(baked, camera=camera).array

        frames = {"lissom, live": live_frame, "lissom, baked": baked_frame}
        bench.table(f"{count} characters", frames, 1, "frame", budget=5)
        alone = {
            "step": lambda: players.step(DT, out=poses),
            "palettes and boxes": lambda: live.pose(poses),
        }
        bench.table(f"{count} characters, before drawing", alone, count, "character")


if __name__ == "__main__":
    bench = Bench(__file__, __doc__)
    bench.argument("--counts", type=int, nargs="+", default=[1000, 10_000])
    bench.argument("--pixels", type=int, nargs=2, default=(960, 540))
    bench.run(main)
