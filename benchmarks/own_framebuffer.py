# SPDX-License-Identifier: MIT
"""What does a frame in a framebuffer of one's own cost, beside a picture of a stage?

1 280 x 720 pixels, 4 samples, the built-in humanoid in a new pose each frame, with the ground. Into a
framebuffer of a context that the user made; into the stage's own, without reading back; and read back as a
picture. A frame ends when the driver has finished. `Stage.draw` also puts back the state of a user's
context: what that takes alone is the last row. Asserted: the framebuffer holds the picture's pixels.

    python benchmarks/own_framebuffer.py [--pixels 1280 720] [--samples 4]
"""

from __future__ import annotations

import sys
from itertools import cycle

import numpy as np

import lissom
from _bench import Bench, require
from _measure import PART, Run
from lissom.gpu import SkinnedModel, Stage
from lissom.gpu._gl_state import GlState

POSES = 8
CLOSE = 2  # of 255: another context may round colours otherwise


def main(bench: Bench) -> None:
    require("moderngl")
    import moderngl

    hero = lissom.samples.humanoid()
    width, height = size = tuple(bench.options.pixels)
    samples = bench.options.samples
    backend = {"backend": "egl"} if sys.platform.startswith("linux") else {}
    users = moderngl.create_context(standalone=True, require=330, **backend)
    target = users.framebuffer(
        users.renderbuffer(size, samples=samples), users.depth_renderbuffer(size, samples=samples)
    )
    plain = users.simple_framebuffer(size)
    walk = hero.clips["walk"]
    poses = cycle(list(walk.sample(np.linspace(walk.start, walk.end, POSES, endpoint=False))))
    with (
        Stage(width, height, samples, context=users) as own,
        Stage(width, height, samples) as stage,
        SkinnedModel(hero, stage=own) as theirs,
        SkinnedModel(hero, stage=stage) as ours,
    ):
        bench.note(f"{stage.context.renderer}, {width} x {height}, {samples} samples")
        camera = stage.camera(ours)
        with stage.context as gl:
            inner = gl.framebuffer(
                gl.renderbuffer(size, samples=samples), gl.depth_renderbuffer(size, samples=samples)
            )

        def into_own() -> None:
            theirs.set_pose(next(poses))
            own.draw(theirs, framebuffer=target, camera=camera, ground=True, clear=True)
            with users:
                users.finish()

        def into_stage() -> None:
            ours.set_pose(next(poses))
            stage.draw(ours, framebuffer=inner, camera=camera, ground=True, clear=True)
            with stage.context as gl:
                gl.finish()

        def read_back() -> np.ndarray:
            ours.set_pose(next(poses))
            return stage.render(ours, camera=camera).array

        pose = walk.sample(0.3)
        theirs.set_pose(pose)
        ours.set_pose(pose)
        own.draw(theirs, framebuffer=target, camera=camera, ground=True, clear=True)
        with users:
            users.copy_framebuffer(plain, target)
            drawn = np.frombuffer(plain.read(), np.uint8).reshape(height, width, 3)[::-1]
        wanted = stage.render(ours, camera=camera).array.astype(int)
        assert np.abs(drawn - wanted).max() <= CLOSE

        state = GlState(users)

        def keep_state() -> None:
            state.set_aside()()

        users.__enter__()
        try:
            runs = {
                "lissom, a framebuffer of one's own": Run(into_own),
                "lissom, a stage, not read back": Run(into_stage),
                "lissom, a stage, read back": Run(read_back),
                "the user's state, kept and put back": Run(keep_state, kind=PART),
            }
            bench.table("frames", runs, 1, "frame", budget=8)
        finally:
            users.__exit__(None, None, None)


if __name__ == "__main__":
    bench = Bench(__file__, __doc__)
    bench.argument("--pixels", type=int, nargs=2, default=(1280, 720))
    bench.argument("--samples", type=int, default=4)
    bench.run(main)
