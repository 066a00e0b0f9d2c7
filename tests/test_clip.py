# SPDX-License-Identifier: MIT
import copy
import gc
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import lissom
from lissom import Clip, Skeleton
from lissom.clip import CUBICSPLINE, LINEAR, ROTATION, SCALE, STEP, TRACK_DTYPE, TRANSLATION, Loop
from random_rigs import random_clip, random_poses, random_quats, random_skeleton
from reference import sampling

# float32: eight roundings of numbers of size 1 (Hermite's products add up to size 4). float64: the core
# and the twin differ by the order of their operations.
TOLERANCE = {np.float32: 1e-6, np.float64: 1e-14}

Key = list[float]


def skeleton_of(count: int = 1) -> Skeleton:
    rest = np.tile(np.float32([0, 1, 0, 0, 0, 0, 1, 1, 1, 1]), (count, 1))
    return Skeleton([f"joint {i}" for i in range(count)], range(-1, count - 1), rest)


def one_track(
    path: int,
    interpolation: int,
    times: list[float],
    values: object,
    *,
    dtype: type = np.float64,
    loop: bool = False,
) -> Clip:
    """A clip with one track, on the only joint."""
    keys = np.concatenate([np.array(times, dtype), np.array(values, dtype).ravel()])
    tracks = np.array([(0, path, interpolation, len(times), 0, len(times))], TRACK_DTYPE)
    return Clip("one track", skeleton_of(), keys, tracks, loop=loop)


def about_z(angle: float) -> Key:
    return [0, 0, np.sin(angle / 2), np.cos(angle / 2)]


def z_angle(poses: np.ndarray) -> np.ndarray:
    """Angle about z of the first joint, in (-pi, pi]."""
    return 2 * np.arctan2(*np.moveaxis(poses[..., 0, 5:7], -1, 0))


def assert_poses_close(got: np.ndarray, want: np.ndarray, tolerance: float) -> None:
    """Rotations may differ by their sign; cubic values are compared by their own size."""
    sign = np.where(np.sum(got[..., 3:7] * want[..., 3:7], axis=-1, keepdims=True) < 0, -1, 1)
    np.testing.assert_allclose(sign * got[..., 3:7], want[..., 3:7], rtol=0, atol=tolerance)
    np.testing.assert_allclose(got[..., :3], want[..., :3], rtol=0, atol=4 * tolerance)
    np.testing.assert_allclose(got[..., 7:], want[..., 7:], rtol=0, atol=4 * tolerance)


# Interpolation


def test_a_step_takes_the_key_at_exactly_its_time() -> None:
    clip = one_track(TRANSLATION, STEP, [0.0, 0.1, 0.2], [[1, 0, 0], [2, 0, 0], [3, 0, 0]], dtype=np.float32)
    second = float(clip.keys[1])
    got = clip.sample([0.0, np.nextafter(second, 0), second, np.nextafter(second, 1), 0.15, clip.end])
    assert got[:, 0, 0].tolist() == [1, 1, 2, 2, 2, 3]


def test_a_line_is_exact_at_its_keys_and_straight_between() -> None:
    clip = one_track(
        TRANSLATION, LINEAR, [1, 2, 4], [[0.1, 5, 0], [0.3, 5, 1], [0.7, 5, -1]], dtype=np.float32
    )
    np.testing.assert_array_equal(clip.sample([1, 2, 4])[:, 0, :3], clip.keys[3:].reshape(3, 3))
    np.testing.assert_allclose(clip.sample([1.25, 3])[:, 0, :3], [[0.15, 5, 0.25], [0.5, 5, 0]], atol=1e-7)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_slerp_turns_at_constant_speed(dtype: type) -> None:
    times = np.linspace(0, 1, 101)
    for angle in (1e-6, 1e-3, 0.1, 1, 2, 3, 3.14):
        clip = one_track(ROTATION, LINEAR, [0, 1], [about_z(0), about_z(angle)], dtype=dtype)
        want = times * float(z_angle(clip.sample(1.0)))
        np.testing.assert_allclose(z_angle(clip.sample(times)), want, rtol=1e-6, atol=TOLERANCE[dtype])


def test_rotations_take_the_short_way() -> None:
    q = about_z(1)
    for other in (about_z(2), [-x for x in about_z(2)]):
        clip = one_track(ROTATION, LINEAR, [0, 1], [q, other])
        np.testing.assert_allclose(z_angle(clip.sample([0.25, 0.5])), [1.25, 1.5], atol=1e-14)
    same = one_track(ROTATION, LINEAR, [0, 1], [q, [-x for x in q]])
    np.testing.assert_allclose(
        z_angle(same.sample([0.0, 0.5, 1.0]) * np.sign(same.sample(0.5)[0, 6])), 1, atol=1e-14
    )


def test_keys_that_are_not_unit_turn_alike() -> None:
    clip = one_track(
        ROTATION, LINEAR, [0, 1], [about_z(0.5), np.multiply(1.01, about_z(1.5))], dtype=np.float32
    )
    got = clip.sample([0.0, 0.5, 1.0])
    np.testing.assert_allclose(z_angle(got), [0.5, 1, 1.5], atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(got[:, 0, 3:7], axis=1), 1, atol=2e-7)


def test_a_spline_reproduces_a_cubic() -> None:
    # p(t) = t^3 - 2 t: with its derivatives as tangents, per second, over intervals that are not one second.
    times = np.array([0.5, 2.5, 3.0])

    def point(t: np.ndarray) -> np.ndarray:
        return np.stack([t**3 - 2 * t, t, 0 * t], axis=-1)

    slopes = np.stack([3 * times**2 - 2, np.ones(3), np.zeros(3)], axis=-1)
    clip = one_track(
        TRANSLATION, CUBICSPLINE, times.tolist(), np.stack([slopes, point(times), slopes], axis=1)
    )
    seconds = np.linspace(0.5, 3, 57)
    np.testing.assert_allclose(clip.sample(seconds)[:, 0, :3], point(seconds), atol=1e-13)


def test_a_spline_of_rotations_is_normalised_afterwards() -> None:
    zero = [0.0, 0, 0, 0]
    values = [[zero, about_z(0), zero], [zero, about_z(2), zero]]
    clip = one_track(ROTATION, CUBICSPLINE, [0, 2], values)
    got = clip.sample([0.0, 0.5, 1.0, 2.0])
    np.testing.assert_allclose(np.linalg.norm(got[:, 0, 3:7], axis=1), 1, atol=1e-15)
    weight = 3 / 16 - 2 / 64
    middle = (1 - weight) * np.array(about_z(0)) + weight * np.array(about_z(2))
    np.testing.assert_allclose(got[1, 0, 3:7], middle / np.linalg.norm(middle), atol=1e-15)
    np.testing.assert_allclose(z_angle(got)[[0, 2, 3]], [0, 1, 2], atol=1e-14)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_spline_through_zero_keeps_the_key_before(dtype: type) -> None:
    zero = [0.0, 0, 0, 0]
    values = [[zero, [1, 0, 0, 0], zero], [zero, [-1, 0, 0, 0], zero]]
    clip = one_track(ROTATION, CUBICSPLINE, [0, 1], values, dtype=dtype)
    np.testing.assert_array_equal(clip.sample(0.5)[0, 3:7], [1, 0, 0, 0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("loop", [False, True, "ping_pong"])
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("count", [1, 3, 24, 41])
def test_sampling_equals_the_twin(dtype: type, loop: Loop, shared: bool, count: int) -> None:
    rng = np.random.default_rng([count, len(str(loop)), shared])
    skeleton = random_skeleton(rng, count, scaled=True)
    for _ in range(4):
        clip = random_clip(rng, skeleton, dtype, loop, shared)
        inside = rng.uniform(clip.start - 0.5, clip.end + 0.5, size=60)
        at_keys = clip.keys[clip.tracks["times"]][:20].astype(np.float64)
        times = np.concatenate([inside, at_keys, [clip.start, clip.end]])
        got = clip.sample(times)
        assert got.dtype == dtype
        want = np.stack([sampling.clip_at(skeleton.rest, clip.keys, clip.tracks, t, loop) for t in times])
        assert_poses_close(got, want, TOLERANCE[dtype])


# Ranges


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


def test_threads_change_nothing() -> None:
    rng = np.random.default_rng(6)
    clip = random_clip(rng, random_skeleton(rng, 60))
    times = rng.uniform(clip.start, clip.end, size=5000)
    threads = lissom.thread_count()
    try:
        lissom.set_thread_count(1)
        alone = clip.sample(times)
        lissom.set_thread_count(4)
        np.testing.assert_array_equal(clip.sample(times), alone)
    finally:
        lissom.set_thread_count(threads)


# The loop guess and the key rate


def turning_clip(angles: np.ndarray) -> Clip:
    poses = np.tile(skeleton_of(2).rest, (len(angles), 1, 1))
    poses[:, 1, 5], poses[:, 1, 6] = np.sin(angles / 2), np.cos(angles / 2)
    return Clip.from_poses(skeleton_of(2), np.arange(len(angles)) / 30, poses)


def test_a_closed_seam_is_guessed_to_loop() -> None:
    assert turning_clip(np.float64([0, 0.5, 1, 0.5, 0])).loop
    assert turning_clip(np.float64([0, 2, 4, 2 * np.pi])).loop  # q and -q are one rotation
    assert turning_clip(np.float64([0, 0.5, 0.019])).loop
    assert not turning_clip(np.float64([0, 0.5, 0.021])).loop


@pytest.mark.parametrize(("column", "below", "above"), [(0, 0.0015, 0.0025), (8, 0.009, 0.011)])
def test_the_seam_counts_translation_and_scale(column: int, below: float, above: float) -> None:
    # The skeleton of two joints one unit apart has size 1.
    for offset, want in ((below, True), (above, False)):
        poses = np.tile(skeleton_of(2).rest, (3, 1, 1))
        poses[1, 1, column] += 0.5
        poses[2, 1, column] += offset
        assert Clip.from_poses(skeleton_of(2), [0, 1, 2], poses).loop is want


def test_loop_can_be_set_and_guessed_again() -> None:
    clip = turning_clip(np.float64([0, 0.5, 0]))
    clip.loop = False
    assert not clip.loop
    clip.loop = None  # type: ignore[assignment]
    assert clip.loop
    assert not Clip("told", clip.skeleton, clip.keys, clip.tracks, loop=False).loop


def rate_clip(*times: np.ndarray, dtype: type = np.float32) -> Clip:
    """A clip with one track for each set of key times."""
    parts, tracks, offset = [], [], 0
    for joint, seconds in enumerate(times):
        count = len(seconds)
        tracks.append((joint, TRANSLATION, LINEAR, count, offset, offset + count))
        parts += [np.asarray(seconds, dtype), np.zeros(3 * count, dtype)]
        offset += 4 * count
    return Clip("rate", skeleton_of(len(times)), np.concatenate(parts), np.array(tracks, TRACK_DTYPE))


@pytest.mark.parametrize("rate", [10, 24, 25, 30, 60, 120])
def test_whole_rates_come_out_whole(rate: int) -> None:
    for start in (0, 1 / rate, 3.21):
        for frames in (2, 3, 40, 5000):
            assert rate_clip(start + np.arange(frames) / rate).key_rate == rate


def test_broken_rates_come_out_close() -> None:
    for rate in (24000 / 1001, 30000 / 1001, 12.5):
        assert rate_clip(np.arange(500) / rate).key_rate == pytest.approx(rate, rel=1e-5)
    assert rate_clip(np.round(np.arange(100) / 30, 3)).key_rate == pytest.approx(30, rel=1e-3)
    assert rate_clip(np.arange(5) / 29.97, dtype=np.float64).key_rate == pytest.approx(29.97, rel=1e-9)


def test_tracks_may_leave_out_keys_of_the_grid() -> None:
    frames = [np.arange(0, 60, 2), np.arange(0, 60, 3), np.array([0, 59])]
    assert rate_clip(*(f / 30 for f in frames)).key_rate == 30
    assert rate_clip(np.array([0, 2, 5, 7]) / 30).key_rate == 30
    assert rate_clip(np.array([0, 20, 40]) / 30).key_rate == pytest.approx(1.5, rel=1e-6)
    assert rate_clip(np.array([0, 1.0]), np.array([0.5])).key_rate == 2


def test_irregular_keys_have_no_rate() -> None:
    assert rate_clip(np.array([0, 0.1, 0.27, 0.3141])).key_rate is None
    assert rate_clip(np.cumsum(np.random.default_rng(7).uniform(0.01, 0.1, 50))).key_rate is None
    assert rate_clip(np.array([0.5])).key_rate is None


# Making clips


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_clip_from_poses_passes_through_them(dtype: type) -> None:
    rng = np.random.default_rng(8)
    skeleton = random_skeleton(rng, 9)
    poses = random_poses(rng, 7, 9).astype(dtype)
    clip = Clip.from_poses(skeleton, np.arange(7) / 8, poses, name="made", loop=False)
    assert clip.name == "made"
    assert clip.keys.dtype == dtype
    assert (clip.start, clip.end) == (0, 0.75)
    assert_poses_close(clip.sample(np.arange(7) / 8), poses, TOLERANCE[dtype])


def test_a_clip_from_poses_has_tracks_for_what_moves() -> None:
    skeleton = skeleton_of(3)
    poses = np.tile(skeleton.rest, (4, 1, 1))
    poses[2, 1, 8] = 2
    clip = Clip.from_poses(skeleton, [0, 1, 2, 3], poses)
    assert [(t["joint"], t["path"], t["interpolation"]) for t in clip.tracks] == [(1, SCALE, LINEAR)]
    still = Clip.from_poses(skeleton, [0, 1, 2, 3], np.tile(skeleton.rest, (4, 1, 1)))
    assert still.duration == 3
    np.testing.assert_array_equal(still.sample(1.5), skeleton.rest)


def test_a_clip_from_poses_checks_them() -> None:
    skeleton = skeleton_of(2)
    poses = np.tile(skeleton.rest, (3, 1, 1))
    with pytest.raises(
        ValueError, match=r"poses must have shape \(2, 2, 10\) for 2 times and 2 joints, got \(3, 2, 10\)"
    ):
        Clip.from_poses(skeleton, [0, 1], poses)
    with pytest.raises(ValueError, match=r"times must have shape \(F,\)"):
        Clip.from_poses(skeleton, [], poses[:0])
    poses[:, 1, 0] = [0, 1, 2]
    with pytest.raises(ValueError, match=r"times must be finite and increase .* float32, got 1.0 at 2"):
        Clip.from_poses(skeleton, [0, 1, 1], poses)
    poses[1, 1, 0] = np.nan
    with pytest.raises(ValueError, match="values of key 1 must be finite, got nan"):
        Clip.from_poses(skeleton, [0, 1, 2], poses)


def test_keys_are_used_in_place_and_kept_alive() -> None:
    keys = np.float32([0, 1, 0, 0, 0, 4, 5, 6])
    clip = Clip("shared", skeleton_of(), keys, np.array([(0, 0, 1, 2, 0, 2)], TRACK_DTYPE), loop=False)
    assert np.shares_memory(clip.keys, keys)
    clip.sample(0.0)
    del keys
    gc.collect()
    np.testing.assert_array_equal(clip.sample(1.0)[0, :3], [4, 5, 6])
    with pytest.raises(ValueError, match="read-only"):
        clip.keys[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        clip.tracks["joint"] = 1


def test_copies_and_pickles_sample_alike() -> None:
    rng = np.random.default_rng(9)
    skeleton = random_skeleton(rng, 12)
    clip = random_clip(rng, skeleton, shared=True)
    padded = Clip(
        "padded", skeleton, np.concatenate([clip.keys, np.zeros(100_000, np.float32)]), clip.tracks, loop=True
    )
    times = np.linspace(clip.start, clip.end, 31)
    packed = pickle.dumps(padded)
    assert len(packed) < 40_000, "a pickle must not carry what other clips keep in the same array"
    for other in (copy.copy(padded), copy.deepcopy(padded), pickle.loads(packed)):
        assert (other.name, other.loop) == ("padded", True)
        np.testing.assert_array_equal(other.sample(times), padded.sample(times))
    assert copy.deepcopy(padded).skeleton is skeleton
    assert pickle.loads(pickle.dumps(skeleton_clip := copy.copy(clip)))._loop is skeleton_clip._loop


def test_repr_is_one_line() -> None:
    clip = one_track(ROTATION, LINEAR, [0.5, 2], [about_z(0), about_z(1)])
    assert repr(clip) == "<Clip 'one track': 1.500 s from 0.500 s, 1 track for 1 joint, does not loop>"


def test_repr_says_whether_it_loops_before_and_after_that_is_asked() -> None:
    for turns, words in ((2 * np.pi, "loops"), (1.0, "does not loop")):
        clip = one_track(ROTATION, LINEAR, [0, 1, 2], [about_z(0), about_z(turns / 2), about_z(turns)])
        clip.loop = None  # to be guessed
        shown = repr(clip)
        assert shown.endswith(f", {words}>")
        assert clip.loop == (words == "loops")
        assert repr(clip) == shown


def test_out_is_written_and_returned() -> None:
    clip = one_track(ROTATION, LINEAR, [0, 1], [about_z(0), about_z(1)], dtype=np.float32)
    out = np.empty((2, 3, 1, 10), np.float32)
    times = np.linspace(0, 1, 6).reshape(2, 3)
    assert clip.sample(times, out=out) is out
    np.testing.assert_array_equal(out, clip.sample(times))


def test_a_wrong_out_says_what_to_pass() -> None:
    clip = one_track(ROTATION, LINEAR, [0, 1], [about_z(0), about_z(1)], dtype=np.float32)
    with pytest.raises(TypeError, match=r"Clip\.sample: out must be float32, got float64"):
        clip.sample([0.0], out=np.empty((1, 1, 10)))
    with pytest.raises(ValueError, match=r"out must have shape \(..., 1, 10\), got \(1, 2, 10\)"):
        clip.sample([0.0], out=np.empty((1, 2, 10), np.float32))
    with pytest.raises(ValueError, match=r"out must have shape .*leading axes differ from those of times"):
        clip.sample([0.0], out=np.empty((2, 1, 10), np.float32))
    with pytest.raises(TypeError, match="out must be a NumPy array, got list"):
        clip.sample([0.0], out=[])  # type: ignore[arg-type]
    frozen = np.empty((1, 1, 10), np.float32)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="out is read-only"):
        clip.sample([0.0], out=frozen)


# What is refused

GOOD = {"joint": 1, "path": ROTATION, "interpolation": LINEAR, "key_count": 2, "times": 0, "values": 2}
KEYS = np.float32([0, 1, 0, 0, 0, 1, 0, 0, 1, 0])


def clip_with(keys: np.ndarray = KEYS, **changes: int) -> Clip:
    track = {**GOOD, **changes}
    return Clip("wrong", skeleton_of(2), keys, np.array([tuple(track.values())], TRACK_DTYPE))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"joint": 2}, r"track 0: joint must lie in \[0, 2\), got 2"),
        ({"joint": -1}, r"track 0: joint must lie in \[0, 2\), got -1"),
        ({"path": 3}, "path must be 0 .*, got 3"),
        ({"path": -1}, "path must be 0 .*, got -1"),
        ({"interpolation": 3}, "interpolation must be 0 .*, got 3"),
        ({"interpolation": -1}, "interpolation must be 0 .*, got -1"),
        ({"key_count": 0}, "key_count must be at least 1, got 0"),
        ({"key_count": -5}, "key_count must be at least 1, got -5"),
        ({"times": -1}, "its 2 times at offset -1 must lie inside keys, which has 10 elements"),
        ({"times": 9}, "its 2 times at offset 9 must lie inside keys"),
        ({"times": 2**63 - 1}, "its 2 times at offset 9223372036854775807 must lie inside keys"),
        ({"values": -1}, "its 8 value elements at offset -1 must lie inside keys"),
        ({"values": 3}, "its 8 value elements at offset 3 must lie inside keys"),
        ({"values": 2**63 - 4}, "value elements at offset 9223372036854775804 must lie inside keys"),
        ({"interpolation": CUBICSPLINE}, "its 24 value elements at offset 2 must lie inside keys"),
        ({"key_count": 2**31 - 1}, "its 2147483647 times at offset 0 must lie inside keys"),
    ],
)
def test_a_track_points_inside(changes: dict[str, int], sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^Clip: track 0.*{sentence.removeprefix('track 0')}"):
        clip_with(**changes)


def test_a_good_track_is_not_refused() -> None:
    np.testing.assert_array_equal(clip_with().sample(1.0, loop=False)[1, 3:7], [0, 0, 1, 0])


def test_a_joint_has_one_track_of_a_path() -> None:
    tracks = np.array([tuple(GOOD.values())] * 2, TRACK_DTYPE)
    with pytest.raises(
        ValueError, match=r"track 1 \(joint 1, rotation\): an earlier track has the same joint and path"
    ):
        Clip("twice", skeleton_of(2), KEYS, tracks)


@pytest.mark.parametrize(
    ("element", "value", "sentence"),
    [
        (1, 0.0, r"track 0 \(joint 1, rotation\): key times must increase strictly, but key 1 at 0"),
        (1, -1.0, "key times must increase strictly, but key 1 at -1"),
        (3, np.nan, "the values of key 0 must be finite, got nan"),
        (8, np.inf, "the values of key 1 must be finite, got inf"),
        (8, 0.0, "the rotation of key 1 must be a unit quaternion, got one of length 0"),
    ],
)
def test_keys_are_checked_when_first_sampled(element: int, value: float, sentence: str) -> None:
    keys = KEYS.copy()
    keys[element] = value
    clip = clip_with(keys)  # cheap: a file of many clips is opened without reading every key
    with pytest.raises(ValueError, match=sentence):
        clip.sample(0.0)


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


def test_errors_tell_times_apart() -> None:
    near = float(np.nextafter(np.float32(1), np.float32(0)))
    with pytest.raises(ValueError, match=r"key 1 at 0\.99999994 s follows one at 1 s"):
        one_track(TRANSLATION, LINEAR, [1.0, near], [[0, 0, 0]] * 2, dtype=np.float32).sample(0)


def test_a_key_rate_needs_sound_times() -> None:
    keys = np.float32([0, np.nan, 1, *[0] * 8, 1])
    tracks = np.array([(0, TRANSLATION, LINEAR, 3, 0, 3)], TRACK_DTYPE)
    skeleton = Skeleton(["a"], [-1], [[0, 0, 0, 0, 0, 0, 1, 1, 1, 1]])
    with pytest.raises(ValueError, match="the time of key 1 must be finite"):
        _ = Clip("broken", skeleton, keys, tracks).key_rate


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_the_ends_of_a_track_are_finite(value: float) -> None:
    keys = KEYS.copy()
    keys[1] = value
    with pytest.raises(ValueError, match="its first and last key times must be finite"):
        clip_with(keys)


def test_wrong_types_are_refused() -> None:
    skeleton, tracks = skeleton_of(2), np.zeros(0, TRACK_DTYPE)
    with pytest.raises(TypeError, match="keys must be float32 or float64, got int64"):
        Clip("a", skeleton, np.zeros(3, np.int64), tracks)
    with pytest.raises(TypeError, match="keys must be a NumPy array, got list"):
        Clip("a", skeleton, [0.0], tracks)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"keys must have shape \(element,\), got \(2, 2\)"):
        Clip("a", skeleton, np.zeros((2, 2)), tracks)
    with pytest.raises(TypeError, match="tracks must be an array of TRACK_DTYPE, got float64"):
        Clip("a", skeleton, KEYS, np.zeros(3))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="tracks must be an array of TRACK_DTYPE, got list"):
        Clip("a", skeleton, KEYS, [])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="skeleton must be a Skeleton, got NoneType"):
        Clip("a", None, KEYS, tracks)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="name must be a string, got int"):
        Clip(3, skeleton, KEYS, tracks)  # type: ignore[arg-type]


def test_rotations_come_out_unit() -> None:
    rng = np.random.default_rng(10)
    skeleton = random_skeleton(rng, 40)
    clip = random_clip(rng, skeleton)
    poses = clip.sample(rng.uniform(clip.start, clip.end, 500))
    np.testing.assert_allclose(np.linalg.norm(poses[..., 3:7].astype(float), axis=-1), 1, atol=5e-7)


def test_flipping_the_sign_of_a_key_changes_nothing_but_a_sign() -> None:
    rng = np.random.default_rng(11)
    quats = random_quats(rng, 9)
    flipped = quats * np.where(rng.random(9) < 0.5, -1, 1)[:, None]
    times = np.linspace(0, 8, 65)
    a = one_track(ROTATION, LINEAR, list(range(9)), quats).sample(times)
    b = one_track(ROTATION, LINEAR, list(range(9)), flipped).sample(times)
    assert_poses_close(a, b, 1e-14)


SAMPLE_ALL = """
import sys
import numpy as np
import lissom
from random_rigs import random_clip, random_skeleton
rng = np.random.default_rng(12)
skeleton = random_skeleton(rng, 37, scaled=True)
clip = random_clip(rng, skeleton, shared=True)
times = rng.uniform(clip.start, clip.end, 45)
poses = clip.sample(times)
for each in (clip, random_clip(rng, skeleton)):  # how many times are sampled together changes no bit
    np.testing.assert_array_equal(np.stack([each.sample(t) for t in times]), each.sample(times))
np.savez(sys.argv[1], poses=poses, model=skeleton.model_matrices(poses))
"""


def test_instruction_sets_agree(tmp_path: Path) -> None:
    # Fused multiply-add exists in some of them only, so they agree as float32 does, not to the bit.
    results = []
    for isa in lissom._core.runnable_isas():
        file = tmp_path / f"{isa}.npz"
        environment = {**os.environ, "LISSOM_ISA": isa, "PYTHONPATH": str(Path(__file__).parent)}
        subprocess.run([sys.executable, "-c", SAMPLE_ALL, str(file)], env=environment, check=True)
        with np.load(file) as arrays:
            results.append((arrays["poses"], arrays["model"]))
    for poses, model in results[1:]:
        assert_poses_close(poses, results[0][0], TOLERANCE[np.float32])
        np.testing.assert_allclose(model, results[0][1], rtol=0, atol=2e-6 * np.abs(model).max())
