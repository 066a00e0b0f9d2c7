# SPDX-License-Identifier: MIT
"""Segments of tracks: their errors are the twin's, and the keys that stay are the ends of the fewest."""

import itertools
import signal
import time

import numpy as np
import pytest

import lissom
from lissom.clip._segments import Segments
from reference import key_reduction

EVERY_LENGTH = 32  # intervals up to which the band has segments of every length
ROUNDED_UP = 3e-7  # relative: errors are stored as float32, none smaller than it is


def wandering(rng, count, width, step=0.12):
    """Rotations (width 4) or vectors that wander from key to key."""
    start = np.zeros(width)
    start[-1] = 2
    values = start + np.cumsum(rng.normal(size=(count, width)) * step, axis=0)
    return values / np.linalg.norm(values, axis=1, keepdims=True) if width == 4 else values


def a_track(rng, count, width, step=0.12):
    times = np.cumsum(rng.uniform(0.5, 1, count))
    return times, wandering(rng, count, width, step), rng.uniform(0.5, 1.5, count)


def kept(track, bound, limit=np.inf):
    return Segments(*([each] for each in track), limit).kept(np.array([bound]))[0]


def worst_of(track, keys):
    return max(key_reduction.segment_error(*track, *pair) for pair in itertools.pairwise(keys.tolist()))


@pytest.mark.parametrize("width", [1, 3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_kept_keys_are_the_ends_of_the_fewest_segments(width, seed):
    rng = np.random.default_rng(seed)
    tracks = [a_track(rng, count, width) for count in (30, 2, 5, 19)]
    segments = Segments(*zip(*tracks, strict=True), np.inf)
    errors = [key_reduction.segment_errors(*track) for track in tracks]
    for bound in (0.0, 0.01, 0.05, 0.1, 0.2, 0.4, 10.0):
        for track, known, got in zip(tracks, errors, segments.kept(np.full(4, bound)), strict=True):
            count = len(track[0])
            number, total = key_reduction.fewest(known, count, bound)
            assert (got[0], got[-1], len(got)) == (0, count - 1, number)
            of_segments = [known[pair] for pair in itertools.pairwise(got.tolist())]
            assert max(of_segments) <= bound
            assert sum(of_segments) == pytest.approx(total, rel=1e-6)


@pytest.mark.parametrize("step", [0.4, 1e-2, 1e-6])
def test_errors_of_rotations_are_the_twins(step):
    """Of small angles too, and where the ends are more than half a turn apart."""
    rng = np.random.default_rng(6)
    for _ in range(40):
        track = a_track(rng, 3, 4, step)
        error = key_reduction.segment_error(*track, 0, 2)
        assert len(kept(track, error * (1 - ROUNDED_UP))) == 3
        assert len(kept(track, error * (1 + ROUNDED_UP))) == 2


def test_rotations_go_the_shorter_way():
    angle = np.linspace(0, 5, 9)[:, None]
    turns = np.concatenate([np.sin(angle / 2) * [0.6, 0, 0.8], np.cos(angle / 2)], axis=1)
    track = np.arange(9.0), turns, np.ones(9)
    # All 5 radians at once would go round the other side; 2.5 and 2.5 are each below half a turn.
    assert len(kept(track, 1e-6)) == 3
    turned = turns * np.where(np.arange(9) % 3 == 1, -3.0, 0.5)[:, None]  # the same rotations
    assert len(kept((track[0], turned, track[2]), 1e-6)) == 3


def test_no_error_is_rounded_below_the_bound():
    rng = np.random.default_rng(7)
    for width in (3, 4):
        for _ in range(200):
            track = a_track(rng, 3, width)
            error = key_reduction.segment_error(*track, 0, 2)
            assert len(kept(track, error * (1 - 1e-12))) == 3


def test_long_segments_within_the_band():
    """A line needs no key between its ends, but segments are no longer than the band."""
    times = np.arange(1000.0)
    line = times[:, None] * [0.1, 0, 0.2]
    keys = kept((times, line, np.ones(1000)), 1e-9)
    assert np.diff(keys).max() <= 128
    assert len(keys) <= 10  # 999 / 128 segments, and one to make up for the rest
    turn = np.stack([np.sin(times / 2000), 0 * times, 0 * times, np.cos(times / 2000)], axis=1)
    assert len(kept((times, turn, np.ones(1000)), 1e-9)) <= 10


def test_the_band_costs_few_keys():
    """Against every pair of keys: a track that keeps few keys keeps hardly more for the lengths left out."""
    rng = np.random.default_rng(8)
    count = 80
    times = np.arange(count, dtype=float)
    smooth = np.stack([np.sin(times / 20), np.cos(times / 28), 0 * times], axis=1)
    track = times, smooth + rng.normal(size=(count, 3)) * 1e-5, np.ones(count)
    errors = key_reduction.segment_errors(*track)
    for bound in (1e-3, 1e-2, 5e-2):
        number, _ = key_reduction.fewest(errors, count, bound)
        got = kept(track, bound)
        assert number <= len(got) <= number + 1
        assert worst_of(track, got) <= bound


def test_a_limit_cuts_off_what_no_bound_reaches():
    track = a_track(np.random.default_rng(9), 60, 4)
    for bound in (0.05, 0.1):
        np.testing.assert_array_equal(kept(track, bound, limit=0.4), kept(track, bound))


def test_what_has_no_lever_costs_nothing():
    times, values, levers = a_track(np.random.default_rng(10), 20, 3)
    levers[1:-1] = 0
    assert kept((times, values, levers), 0.0).tolist() == [0, 19]


@pytest.mark.parametrize("threads", [1, 2])
def test_neither_threads_nor_order_matter(threads):
    rng = np.random.default_rng(11)
    tracks = [a_track(rng, count, width) for count, width in ((90, 4), (40, 3), (333, 4), (17, 1))]
    bounds = np.array([0.1, 0.05, 0.02, 0.3])
    before = lissom.thread_count()
    try:
        lissom.set_thread_count(threads)
        there = Segments(*zip(*tracks, strict=True), 1.0).kept(bounds)
        back = Segments(*zip(*tracks[::-1], strict=True), 1.0).kept(bounds[::-1])
    finally:
        lissom.set_thread_count(before)
    for track, bound, a, b in zip(tracks, bounds, there, back[::-1], strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(a, kept(track, bound, limit=1.0))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers of signals here")
def test_ctrl_c_answers():
    """In the midst of one call: a line of a million keys, of which all segments are within the limit."""
    count = 1_000_000
    times = np.arange(float(count))
    track = times, times[:, None] * [0.1, 0, 0.2], np.ones(count)

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        started = time.process_time()
        kept(track, 1e-9)
        whole = time.process_time() - started
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        started = time.process_time()
        with pytest.raises(KeyboardInterrupt):
            kept(track, 1e-9)
        # Processor time, which other work on the machine does not stretch: 0.1 s and a slice of work, 20 ms.
        assert time.process_time() - started < whole / 2
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
