# SPDX-License-Identifier: MIT
"""Ctrl-C, and what else handlers of signals raise, ends a long call of the core in its midst."""

import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lissom
from lissom import ik

SECONDS = 0.002  # until the signal; undisturbed, the calls take 20 ms and more
ENDS_WITHIN = 0.2  # seconds of the processor on each thread, from the signal on
HERO = lissom.samples.humanoid()
SKELETON = HERO.skeleton


Call = Callable[[], Any]


class SignalError(Exception):
    """What the handler raises."""


def rests(count: int) -> Any:
    return np.tile(SKELETON.rest, (count, 1, 1))


# Each makes its inputs and returns the call that is interrupted.


def sample(out: Any) -> Call:
    times = np.linspace(0, 10, len(out))
    return lambda: HERO.clips["walk"].sample(times, out=out)


def model_matrices(out: Any) -> Call:
    poses = rests(len(out))
    return lambda: SKELETON.model_matrices(poses, out)


def deform(out: Any) -> Call:
    palette = HERO.skin.palette(SKELETON.model_matrices(rests(len(out)))).matrices
    return lambda: lissom.skin_linear(HERO.mesh, palette, out=out)


def blend(out: Any) -> Call:
    weights = np.full(len(out), 0.5, np.float32)
    return lambda: lissom.blend(SKELETON.rest, SKELETON.rest, weights, out=out)


def solve(out: Any) -> Call:
    arm = ik.Chain(SKELETON, "UpperArm.L", "Hand.L")
    targets = np.tile(np.float32([0.3, 1.2, 0.3]), (len(out), 1))
    return lambda: ik.fabrik(arm, SKELETON.rest, targets, out=out)


JOBS: list[tuple[Callable[[Any], Call], tuple[int, ...]]] = [
    (sample, (100_000, len(SKELETON), 10)),
    (model_matrices, (60_000, len(SKELETON), 4, 4)),
    (deform, (1_000, HERO.mesh.vertex_count, 3)),
    (blend, (200_000, len(SKELETON), 10)),
    (solve, (100_000, len(SKELETON), 10)),
]


@pytest.fixture
def raising_handler() -> Iterator[None]:
    if not hasattr(signal, "setitimer"):
        pytest.skip("this system has no timers that send signals")

    def handle(*_: object) -> None:
        raise SignalError

    before = signal.signal(signal.SIGALRM, handle)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("raising_handler")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("job", "shape"), JOBS, ids=[job.__name__ for job, _ in JOBS])
def test_a_signal_ends_a_long_call(job: Callable[[Any], Call], shape: tuple[int, ...], threads: int) -> None:
    out = np.full(shape, np.nan, np.float32)
    call = job(out)
    ended = False
    lissom.set_thread_count(threads)
    try:
        start = time.process_time()
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        call()
    except SignalError:
        ended = True
        taken = time.process_time() - start - SECONDS
    finally:
        lissom.set_thread_count(0)
    assert ended
    assert taken < ENDS_WITHIN * threads
    assert np.isnan(out[-1]).all()  # else it had run to its end before
    few = out[: shape[0] // 10]
    job(few)()  # the next call is as any other
    assert np.isfinite(few).all()
