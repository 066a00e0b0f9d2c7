# SPDX-License-Identifier: MIT
"""Times outside and inside a clip: its ends, loops, searches for keys, batches."""

import numpy as np
import pytest

from lissom import Clip, Skeleton
from lissom.clip import CUBICSPLINE, LINEAR, SCALE, STEP, TRACK_DTYPE, TRANSLATION
from random_rigs import random_clip, random_skeleton
from short_clips import one_track, skeleton_of


def test_a_track_holds_its_ends() -> None:
    for interpolation in (STEP, LINEAR):
        clip = one_track(TRANSLATION, interpolation, [1, 2], [[1, 0, 0], [2, 0, 0]])
        assert clip.sample([-1e9, 0.9, 1, 2, 2.1, 1e9])[:, 0, 0].tolist() == [1, 1, 1, 2, 2, 2]


def test_the_last_key_is_its_own_pose() -> None:
    # A known trap: at the last key the search yields no interval; a sampler that gives up returns zeros.
    clip = one_track(TRANSLATION, LINEAR, [0, 1], [[1, 1, 1], [2, 2, 2]], loop=False)
    np.testing.assert_array_equal(clip.sample([1.0, np.nextafter(1, 0)])[:, 0, :3], [[2, 2, 2], [2, 2, 2]])


@pytest.mark.parametrize("interpolation", [STEP, LINEAR, CUBICSPLINE])
def test_one_key_is_a_constant(interpolation: int) -> None:
    value = [7.0, 8, 9]
    key = [[[9.0, 9, 9], value, [5, 5, 5]]] if interpolation == CUBICSPLINE else [value]
    clip = one_track(TRANSLATION, interpolation, [0.5], key)
    np.testing.assert_array_equal(clip.sample([0, 0.5, 3])[:, 0, :3], [value] * 3)
    assert (clip.start, clip.end, clip.duration) == (0.5, 0.5, 0)
    assert not Clip("guess", clip.skeleton, clip.keys, clip.tracks).loop
    np.testing.assert_array_equal(clip.sample([-3.0, 0.5, 7], loop=True)[:, 0, :3], [value] * 3)


def test_a_clip_without_tracks_is_the_rest_pose() -> None:
    skeleton = skeleton_of(3)
    clip = Clip("empty", skeleton, np.zeros(0, np.float32), np.zeros(0, TRACK_DTYPE))
    assert (clip.start, clip.end, clip.duration, clip.key_rate, clip.loop) == (0, 0, 0, None, False)
    np.testing.assert_array_equal(clip.sample([-1.0, 0, 5]), np.stack([skeleton.rest] * 3))
    np.testing.assert_array_equal(clip.at(1), skeleton.rest)
    assert clip.sample(np.zeros((2, 0))).shape == (2, 0, 3, 10)


def test_constant_tracks_cost_nothing_and_say_the_same() -> None:
    # Tracks whose keys are all equal are folded away: their value still replaces the rest pose.
    keys = np.float32([0, 1, 5, 6, 7, 5, 6, 7])
    clip = Clip("constant", skeleton_of(2), keys, np.array([(1, SCALE, LINEAR, 2, 0, 2)], TRACK_DTYPE))
    assert clip.sample(0.5)[1].tolist() == [0, 1, 0, 0, 0, 0, 1, 5, 6, 7]
    # Equal values with tangents are not constant: the spline leaves them between keys.
    zero, up = [0.0, 0, 0], [0.0, 8, 0]
    hump = one_track(TRANSLATION, CUBICSPLINE, [0, 1], [[zero, zero, up], [zero, zero, zero]])
    assert hump.sample(0.5)[0, 1] == 1
    dip = one_track(TRANSLATION, CUBICSPLINE, [0, 1], [[zero, zero, zero], [up, zero, zero]])
    assert dip.sample(0.5)[0, 1] == -1


# Time


def test_a_loop_is_half_open() -> None:
    clip = one_track(TRANSLATION, LINEAR, [1, 2, 3], [[0, 0, 0], [1, 0, 0], [5, 0, 0]], loop=True)
    got = clip.sample([1, 3, 5, -1, 2.5, 4.5, 0.5, np.nextafter(3, 0)])[:, 0, 0]
    np.testing.assert_allclose(got, [0, 0, 0, 0, 3, 3, 3, 5], atol=1e-14)
    assert clip.sample(3.0, loop=False)[0, 0] == 5
    np.testing.assert_array_equal(clip.at(1), clip.at(0))


def test_tracks_of_a_loop_wrap_together() -> None:
    # A known trap: wrapping each track by its own range lets tracks of different length drift apart.
    keys = np.float64([0, 4, 0, 0, 0, 4, 0, 0, 0, 1, 1, 0, 0, 2, 0, 0])
    tracks = np.array([(0, TRANSLATION, LINEAR, 2, 0, 2), (0, SCALE, LINEAR, 2, 8, 10)], TRACK_DTYPE)
    clip = Clip("two lengths", skeleton_of(), keys, tracks, loop=True)
    got = clip.sample(np.arange(0, 12, 0.5))[:, 0]
    np.testing.assert_allclose(got[:, 0], np.arange(0, 12, 0.5) % 4)
    np.testing.assert_allclose(got[:, 7], 1 + np.minimum(np.arange(0, 12, 0.5) % 4, 1))


def test_times_inside_the_clip_are_not_touched_by_wrapping() -> None:
    # start + (time - start) is not always time: a step's key must still be met at exactly its time.
    times = 0.1 + np.arange(50) * 0.07
    clip = one_track(TRANSLATION, STEP, times.tolist(), [[i, 0, 0] for i in range(50)], loop=True)
    np.testing.assert_array_equal(clip.sample(times[:-1])[:, 0, 0], np.arange(49))


def test_wrapping_is_exact_far_away() -> None:
    clip = one_track(TRANSLATION, LINEAR, [0, 1], [[0, 0, 0], [1, 0, 0]], loop=True)
    far = 1e6 + np.arange(8) / 8
    np.testing.assert_allclose(clip.sample(far)[:, 0, 0], np.arange(8) / 8, atol=1e-14)
    np.testing.assert_allclose(clip.sample(-far)[:, 0, 0], (-far) % 1, atol=1e-14)


def test_order_and_batch_of_times_change_nothing() -> None:
    rng = np.random.default_rng(3)
    clip = random_clip(rng, random_skeleton(rng, 30))
    times = np.sort(rng.uniform(clip.start - 0.1, clip.end + 0.1, size=(6, 50)), axis=None)
    ordered = clip.sample(times)
    shuffle = rng.permutation(times.size)
    np.testing.assert_array_equal(clip.sample(times[shuffle]), ordered[shuffle])
    np.testing.assert_array_equal(clip.sample(times[::-1]), ordered[::-1])
    np.testing.assert_array_equal(clip.sample(times.reshape(6, 50)), ordered.reshape(6, 50, 30, 10))
    np.testing.assert_array_equal(np.stack([clip.sample(t) for t in times]), ordered)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("key_count", [2, 3, 33, 96, 97, 700])
def test_every_way_to_search_finds_the_same_keys(dtype: type, key_count: int) -> None:
    # Few keys are counted, many searched, ordered times walked along, single times searched too. STEP tracks
    # show which key was found, of two tracks with times of their own.
    rng = np.random.default_rng(key_count)
    times = np.cumsum(rng.uniform(1e-3, 1, (2, key_count)), axis=1).astype(dtype)
    values = np.zeros((key_count, 3), dtype)
    values[:, 0] = np.arange(key_count)
    keys = np.concatenate([times.ravel(), values.ravel()])
    tracks = [(0, TRANSLATION, STEP, key_count, 0, 2 * key_count)]
    tracks.append((0, SCALE, STEP, key_count, key_count, 2 * key_count))
    clip = Clip("steps", skeleton_of(), keys, np.array(tracks, TRACK_DTYPE), loop=False)
    exact = times.astype(np.float64).ravel()
    seconds = np.concatenate(
        [exact, np.nextafter(exact, -1), np.nextafter(exact, 1e9), rng.uniform(-1, exact.max() + 1, 333)]
    )
    seconds = np.sort(np.concatenate([seconds, [-1e308, 1e308, 0, -0.0]]))
    want = [(row[:, None] <= seconds).sum(axis=0) - 1 for row in times.astype(np.float64)]
    want = np.maximum(np.stack(want, axis=1), 0)
    ordered = clip.sample(seconds)
    np.testing.assert_array_equal(ordered[:, 0, [0, 7]], want)
    shuffle = rng.permutation(len(seconds))
    np.testing.assert_array_equal(clip.sample(seconds[shuffle]), ordered[shuffle])
    np.testing.assert_array_equal(clip.sample(seconds[::-1]), ordered[::-1])
    # Ordered blocks go on from the key of the block before, unless time went back.
    chunks = np.concatenate([np.sort(part) for part in np.split(shuffle[: len(shuffle) // 16 * 16], 16)])
    for order in (chunks, np.repeat(shuffle[:40], 16), np.concatenate([chunks[::-1], chunks])):
        np.testing.assert_array_equal(clip.sample(seconds[order]), ordered[order])
    for block in (1, 3, 7, 8, 17, 65):
        parts = [clip.sample(seconds[i : i + block]) for i in range(0, 4 * block, block)]
        np.testing.assert_array_equal(np.concatenate(parts), ordered[: 4 * block])
        np.testing.assert_array_equal(clip.sample(seconds[:block][::-1]), ordered[:block][::-1])


@pytest.mark.parametrize("count", [1, 40, 130])
def test_blocks_of_times_change_no_bit(count: int) -> None:
    # How many times are looked up together hangs on the number of timelines.
    rng = np.random.default_rng(count)
    clip = random_clip(rng, random_skeleton(rng, count))
    seconds = rng.uniform(clip.start - 0.1, clip.end + 0.1, 150)
    together = clip.sample(seconds)
    np.testing.assert_array_equal(np.stack([clip.sample(t) for t in seconds]), together)
    order = np.argsort(seconds)
    np.testing.assert_array_equal(clip.sample(seconds[order]), together[order])


@pytest.mark.parametrize("rate", [24.0, 30.0, 29.97])
def test_every_key_is_found_in_long_tracks(rate: float) -> None:
    # A known trap: a table by i / (N - 1) looked up by t * N picks wrong keys near boundaries.
    times = np.float32(3.3) + np.arange(2000, dtype=np.float32) / np.float32(rate)
    uneven = np.cumsum(np.random.default_rng(4).uniform(1e-3, 1, 2000)).astype(np.float32)
    for grid in (times, uneven):
        values = np.stack([np.arange(2000), np.zeros(2000), np.zeros(2000)], axis=1)
        clip = one_track(TRANSLATION, STEP, grid.tolist(), values, dtype=np.float32)
        keys = clip.keys[:2000].astype(np.float64)
        shuffle = np.random.default_rng(5).permutation(2000)
        np.testing.assert_array_equal(clip.sample(keys[shuffle])[:, 0, 0], shuffle)
        before = np.nextafter(keys, 0)[shuffle]
        np.testing.assert_array_equal(clip.sample(before)[:, 0, 0], np.maximum(shuffle - 1, 0))


@pytest.mark.parametrize("time", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("loop", [False, True])
def test_times_are_finite(time: float, loop: bool) -> None:
    clip = one_track(TRANSLATION, LINEAR, [0, 1], [[0, 0, 0], [1, 0, 0]])
    out = np.full((3, 1, 10), 7.0)
    with pytest.raises(ValueError, match=r"Clip.sample: times must be finite, got -?(nan|inf) at element 1"):
        clip.sample([0, time, 1], loop=loop, out=out)
    assert (out == 7).all()


def test_ping_pong_goes_there_and_back() -> None:
    clip = one_track(TRANSLATION, LINEAR, [2, 4], [[2, 0, 0], [4, 0, 0]], loop="ping_pong")
    assert clip.loop == "ping_pong"
    times = [2, 3, 4, 4.5, 6, 6.5, 8, 9, 10, 1.5, 0, -1, -2]
    got = clip.sample(times)[:, 0, 0].tolist()
    assert got == [2, 3, 4, 3.5, 2, 2.5, 4, 3, 2, 2.5, 4, 3, 2]
    assert clip.at([0, 0.25, 1])[:, 0, 0].tolist() == [2, 2.5, 4]


@pytest.mark.parametrize("loop", ["pingpong", 2, "", "loop"])
def test_loop_is_one_of_three(loop: object) -> None:
    clip = one_track(TRANSLATION, LINEAR, [0, 1], [[0, 0, 0], [1, 0, 0]])
    message = 'loop must be True, False or "ping_pong", got '
    with pytest.raises(ValueError, match=message):
        clip.sample(0.5, loop=loop)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=message):
        clip.loop = loop  # type: ignore[assignment]


def test_at_is_the_phase() -> None:
    clip = one_track(TRANSLATION, LINEAR, [2, 6], [[0, 0, 0], [1, 0, 0]])
    np.testing.assert_allclose(clip.at([0, 0.25, 1])[:, 0, 0], [0, 0.25, 1])
    for phase in (-0.1, 1.1, np.nan):
        with pytest.raises(ValueError, match=r"phase must lie in \[0, 1\]"):
            clip.at(phase)


def test_the_widest_times_of_double_are_sampled() -> None:
    # Their differences overflow, so the guess of the key is not a number.
    widest = np.finfo(np.float64).max
    keys = np.array([-widest, 0, 1, widest, *np.repeat([1.0, 2, 3, 4], 3)])
    tracks = np.array([(0, TRANSLATION, LINEAR, 4, 0, 4)], TRACK_DTYPE)
    skeleton = Skeleton(["a"], [-1], [[0, 0, 0, 0, 0, 0, 1, 1, 1, 1]])
    sampled = Clip("wide", skeleton, keys, tracks).sample([-1.0, 0.5, 2.0, 1e308], loop=False)
    np.testing.assert_allclose(sampled[:, 0, 0], [2, 2.5, 3, 3 + 1e308 / widest], rtol=1e-15)
    # Between two that are infinitely far apart the fraction is not a number either, but poses are.
    keys, tracks = np.array([-widest, widest, *np.repeat([1.0, 2], 3)]), tracks.copy()
    tracks["key_count"], tracks["values"] = 2, 2
    sampled = Clip("wide", skeleton, keys, tracks).sample([-widest, 1e308, widest], loop=False)
    np.testing.assert_array_equal(sampled[[0, 2], 0, 0], [1, 2])
    assert 1 <= sampled[1, 0, 0] <= 2
