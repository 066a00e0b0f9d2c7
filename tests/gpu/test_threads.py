# SPDX-License-Identifier: MIT
"""Drawing from several threads: one context, which is current in one thread at a time."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

import lissom
from lissom.gpu import SkinnedModel, Stage

pytestmark = pytest.mark.gl
THREADS, PICTURES = 4, 5


def test_several_threads_draw_what_one_draws() -> None:
    hero = lissom.samples.humanoid()
    together = Barrier(THREADS)

    def picture(i):
        return lissom.render(hero, clip="walk", time=0.05 * i, azimuth=18.0 * i, width=96, height=72).array

    def pictures(thread):
        together.wait()
        return [picture(thread * PICTURES + i) for i in range(PICTURES)]

    serial = [picture(i) for i in range(THREADS * PICTURES)]
    with ThreadPoolExecutor(THREADS) as pool:
        drawn = [each for several in pool.map(pictures, range(THREADS)) for each in several]
    np.testing.assert_array_equal(drawn, serial)


def test_a_stage_of_one_thread_draws_in_another() -> None:
    tube = lissom.samples.two_bone_tube()
    poses = tube.clips["bend"].sample([0.0, 0.5])
    with Stage(64, 48) as stage, SkinnedModel(tube, stage=stage) as model:

        def picture(pose):
            model.set_pose(pose)
            return stage.render(model).array

        serial = [picture(pose) for pose in poses]
        with ThreadPoolExecutor(1) as pool:
            np.testing.assert_array_equal(list(pool.map(picture, poses)), serial)


FIRST_IN_A_THREAD = """
import threading
import numpy as np, lissom

tube = lissom.samples.two_bone_tube()
pictures = []
def draw():
    pictures.append(lissom.render(tube, width=64, height=48).array)
thread = threading.Thread(target=draw)
thread.start()
thread.join()
draw()
assert np.array_equal(*pictures)
"""


def test_the_thread_that_drew_first_may_end() -> None:
    run = subprocess.run([sys.executable, "-c", FIRST_IN_A_THREAD], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
