# SPDX-License-Identifier: MIT
"""Uniform clips: frames of one regular grid, between which rotations nlerp."""

import copy
import pickle

import numpy as np
import pytest

import lissom
from lissom import Clip, Skeleton
from lissom.clip import CUBICSPLINE, LINEAR, ROTATION, SCALE, STEP, TRACK_DTYPE, TRANSLATION, Loop
from lissom.clip._tracks import Track, packed
from random_rigs import random_poses, random_skeleton
from reference import sampling

# float32: frames of unit size rounded to float32, lerped and scaled: a few roundings each. float64: the last
# bit of a wrapped time, 2e-16 s, at 30 frames a second between numbers that lie 3 apart.
TOLERANCE = {np.float32: 6e-7, np.float64: 4e-14}


def uniform_clip(
    rng: np.random.Generator,
    skeleton: Skeleton,
    frames: int,
    dtype: type = np.float32,
    *,
    missing: float = 0.2,
    start: float = 0.3,
    rate: float = 30.0,
    angle: float = 0.3,
) -> Clip:
    """Random tracks; rotations wander and flip their sign at will, and are not unit."""
    times = (start + np.arange(frames) / rate).astype(dtype)
    tracks = []
    for joint in range(len(skeleton)):
        for path, width in ((TRANSLATION, 3), (ROTATION, 4), (SCALE, 3)):
            if rng.random() < missing:
                continue
            values = rng.normal(size=(frames, width))
            if path == ROTATION:
                values = np.cumsum(angle * values, axis=0) + rng.normal(size=4)
                values *= np.sign(rng.normal(size=(frames, 1))) / np.linalg.norm(
                    values, axis=1, keepdims=True
                )
                values *= rng.uniform(0.9, 1.1, size=(frames, 1))
            tracks.append(Track(joint, path, LINEAR, times, values))
    keys, table = packed(tracks, np.dtype(dtype))
    return Clip("uniform", skeleton, keys, table, loop=False, uniform=True)


def times_about(rng: np.random.Generator, clip: Clip, count: int) -> np.ndarray:
    """Inside and outside of the clip, and where traps lie."""
    around = rng.uniform(clip.start - 2 * clip.duration - 0.5, clip.end + 2 * clip.duration + 0.5, count)
    inside = rng.uniform(clip.start, clip.end, count)
    edges = [clip.start, clip.end, np.nextafter(clip.start, -9), np.nextafter(clip.end, 9), 1e6, -1e6]
    return np.concatenate([around, inside, edges])


def assert_poses_close(got: np.ndarray, want: np.ndarray, tolerance: float) -> None:
    """Rotations may differ by their sign."""
    sign = np.where(np.sum(got[..., 3:7] * want[..., 3:7], axis=-1, keepdims=True) < 0, -1, 1)
    np.testing.assert_allclose(sign * got[..., 3:7], want[..., 3:7], rtol=0, atol=tolerance)
    np.testing.assert_allclose(got[..., :3], want[..., :3], rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(got[..., 7:], want[..., 7:], rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("loop", [False, True, "ping_pong"])
@pytest.mark.parametrize("joints", [1, 2, 7, 15, 16, 17, 41, 64])
@pytest.mark.parametrize("frames", [1, 2, 3, 33])
def test_sampling_equals_the_twin(dtype: type, loop: Loop, joints: int, frames: int) -> None:
    rng = np.random.default_rng([joints, frames, len(str(loop))])
    skeleton = random_skeleton(rng, joints, scaled=True)
    clip = uniform_clip(rng, skeleton, frames, dtype)
    times = times_about(rng, clip, 12)
    got = clip.sample(times, loop=loop)
    assert got.dtype == dtype
    rest = skeleton.rest.astype(dtype)
    want = np.stack([sampling.uniform_at(rest, clip.keys, clip.tracks, t, loop) for t in times])
    assert_poses_close(got, want, TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rotations_come_out_unit(dtype: type) -> None:
    # Far apart, where the length of what is lerped is least: 0.7.
    rng = np.random.default_rng(1)
    clip = uniform_clip(rng, random_skeleton(rng, 41), 50, dtype, missing=0, angle=3)
    poses = clip.sample(rng.uniform(clip.start, clip.end, 500)).astype(np.float64)
    length = np.linalg.norm(poses[..., 3:7], axis=-1)
    assert np.abs(length - 1).max() < (3e-7 if dtype is np.float32 else 1e-15)


def test_frames_and_constants_come_out_to_the_bit() -> None:
    # At frames whose times are exact (1/32 s) nothing is interpolated; what has no track is never touched.
    rng = np.random.default_rng(2)
    skeleton = random_skeleton(rng, 20, scaled=True)
    poses = random_poses(rng, 17, 20).astype(np.float32)
    times = np.arange(17, dtype=np.float32) / 32
    whole = Clip.from_poses(skeleton, times, poses)
    clip = Clip("uniform", skeleton, whole.keys, whole.tracks, uniform=True)
    got = clip.sample(times.astype(np.float64), loop=False)
    np.testing.assert_array_equal(got[..., :3], poses[..., :3])
    np.testing.assert_array_equal(got[..., 7:], poses[..., 7:])
    still = clip.tracks[clip.tracks["joint"] % 2 == 0]
    clip = Clip("half", skeleton, clip.keys, still, uniform=True)
    got = clip.sample(rng.uniform(-1, 2, 200))
    np.testing.assert_array_equal(got[:, 1::2], np.broadcast_to(skeleton.rest[1::2], got[:, 1::2].shape))


def test_rotations_nlerp_as_far_as_the_docs_say() -> None:
    for degrees in (1, 4, 30, 90):
        angle = np.radians(degrees)
        turned = [0, 0, np.sin(angle / 2), np.cos(angle / 2)]
        keys = np.array([0, 1, 0, 0, 0, 1, *turned])
        tracks = np.array([(0, ROTATION, LINEAR, 2, 0, 2)], TRACK_DTYPE)
        skeleton = Skeleton(["a"], [-1], [[0, 0, 0, 0, 0, 0, 1, 1, 1, 1]])
        times = np.linspace(0, 1, 201)
        got = Clip("nlerp", skeleton, keys, tracks, uniform=True).sample(times, loop=False)
        error = np.abs(2 * np.arctan2(got[:, 0, 5], got[:, 0, 6]) - times * angle).max()
        assert 0.9 * angle**3 / 250 < error < angle**3 / 240
        keyed = Clip("slerp", skeleton, keys, tracks).sample(times, loop=False)
        np.testing.assert_allclose(2 * np.arctan2(keyed[:, 0, 5], keyed[:, 0, 6]), times * angle, atol=1e-14)


def test_the_seam_of_a_loop_is_not_crossed() -> None:
    # The last frame is the pose at the end, whatever the first one is, and the end wraps to the start.
    keys = np.float64([0, 1, 2, 3, 10, 0, 0, 20, 0, 0, 40, 0, 0, 70, 0, 0])
    tracks = np.array([(0, TRANSLATION, LINEAR, 4, 0, 4)], TRACK_DTYPE)
    skeleton = Skeleton(["a"], [-1], [[0, 0, 0, 0, 0, 0, 1, 1, 1, 1]])
    clip = Clip("seam", skeleton, keys, tracks, loop=True, uniform=True)
    assert clip.sample([2.5, 2.75, 3, 3.5, -0.5, 6])[:, 0, 0].tolist() == [55, 62.5, 10, 15, 55, 10]
    assert clip.sample([3.0, 4], loop=False)[:, 0, 0].tolist() == [70, 70]
    assert clip.sample([3, 3.5, 4, 5.5], loop="ping_pong")[:, 0, 0].tolist() == [70, 55, 40, 15]


def test_batch_order_threads_and_places_change_no_bit() -> None:
    rng = np.random.default_rng(3)
    clip = uniform_clip(rng, random_skeleton(rng, 41), 40)
    times = times_about(rng, clip, 700)
    together = clip.sample(times, loop=True)
    np.testing.assert_array_equal(np.stack([clip.sample(t, loop=True) for t in times]), together)
    shuffle = rng.permutation(len(times))
    np.testing.assert_array_equal(clip.sample(times[shuffle], loop=True), together[shuffle])
    many = np.tile(times, 30)
    threads = lissom.thread_count()
    try:
        for count in (1, 4):
            lissom.set_thread_count(count)
            got = clip.sample(many, loop=True).reshape(30, *together.shape)
            np.testing.assert_array_equal(got, np.broadcast_to(together, got.shape))
    finally:
        lissom.set_thread_count(threads)


@pytest.mark.parametrize("joints", [1, 3, 16, 41])
def test_nothing_is_written_beside_out(joints: int) -> None:
    rng = np.random.default_rng(4)
    clip = uniform_clip(rng, random_skeleton(rng, joints), 9)
    buffer = np.full(5 * joints * 10 + 64, np.float32(7))
    out = buffer[32:-32].reshape(5, joints, 10)
    assert clip.sample([0, 0.1, 0.2, 0.3, 9], out=out) is out
    assert (buffer[:32] == 7).all()
    assert (buffer[-32:] == 7).all()
    np.testing.assert_array_equal(out, clip.sample([0, 0.1, 0.2, 0.3, 9]))


def test_a_clip_without_tracks_or_joints() -> None:
    skeleton = random_skeleton(np.random.default_rng(5), 3)
    empty = Clip("empty", skeleton, np.zeros(0, np.float32), np.zeros(0, TRACK_DTYPE), uniform=True)
    np.testing.assert_array_equal(empty.sample([-1.0, 0, 5]), np.stack([skeleton.rest] * 3))
    assert empty.sample(np.zeros((2, 0))).shape == (2, 0, 3, 10)
    nobody = Skeleton([], [], np.zeros((0, 10)))
    none = Clip("none", nobody, np.zeros(0, np.float32), np.zeros(0, TRACK_DTYPE), uniform=True)
    assert none.sample([0.0, 1]).shape == (2, 0, 10)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_additive_uniform_clip_has_no_difference_where_it_has_no_track(dtype: type) -> None:
    rng = np.random.default_rng(6)
    clip = uniform_clip(rng, random_skeleton(rng, 4), 3, dtype, missing=0)
    first = clip.tracks[clip.tracks["joint"] == 0]
    additive = Clip("additive", clip.skeleton, clip.keys, first, additive=True, uniform=True)
    assert additive.sample(0.32)[1:].tolist() == [[0, 0, 0, 0, 0, 0, 1, 0, 0, 0]] * 3


def test_uniform_clips_are_copied_pickled_and_shown() -> None:
    rng = np.random.default_rng(7)
    clip = uniform_clip(rng, random_skeleton(rng, 12), 9)
    want = clip.sample([0.31, 0.4])
    assert clip.uniform
    assert repr(clip).endswith(", uniform>")
    for other in (copy.copy(clip), copy.deepcopy(clip), pickle.loads(pickle.dumps(clip))):
        assert other.uniform
        np.testing.assert_array_equal(other.sample([0.31, 0.4]), want)
    assert clip.key_rate == 30


@pytest.mark.parametrize("start", [0.0, 0.3, 1000.3, -777.7])
@pytest.mark.parametrize("rate", [24.0, 29.97, 60.0, 120.0])
def test_grids_stored_in_float32_are_regular(start: float, rate: float) -> None:
    rng = np.random.default_rng(8)
    clip = uniform_clip(rng, random_skeleton(rng, 2), 2000, start=start, rate=rate)
    assert np.isfinite(clip.sample(clip.start)).all()


def clip_of(
    times: list[float], interpolation: int = LINEAR, more: object = (), dtype: type = np.float32
) -> Clip:
    """Two translation tracks: of `times`, and of `more`."""
    parts = [np.array(times, dtype), np.arange(9 * len(times), dtype=dtype), np.array(more, dtype)]
    keys = np.concatenate([*parts, np.ones(9 * len(parts[2]), dtype)])
    tracks = [(0, TRANSLATION, interpolation, len(times), 0, len(times))]
    if len(parts[2]):
        begin = 10 * len(times)
        tracks.append((1, TRANSLATION, LINEAR, len(parts[2]), begin, begin + len(parts[2])))
    rest = np.tile(np.float32([0, 0, 0, 0, 0, 0, 1, 1, 1, 1]), (2, 1))
    return Clip(
        "clip", Skeleton(["a", "b"], [-1, 0], rest), keys, np.array(tracks, TRACK_DTYPE), uniform=True
    )


@pytest.mark.parametrize("interpolation", [STEP, CUBICSPLINE])
def test_other_interpolations_are_refused(interpolation: int) -> None:
    message = r"Clip: track 0 \(joint 0, translation\): all tracks of a uniform clip must be LINEAR"
    with pytest.raises(ValueError, match=message):
        clip_of([0, 1, 2], interpolation)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_irregular_times_are_refused(dtype: type) -> None:
    message = (
        r"track 0 \(joint 0, translation\): the keys of a uniform clip must lie on one regular grid, but key"
    )
    with pytest.raises(ValueError, match=message):
        clip_of([0, 1, 2.001, 3], dtype=dtype)
    with pytest.raises(ValueError, match="regular grid, but key 1 is at nan s instead of 1 s"):
        clip_of([0, np.nan, 2, 3], dtype=dtype)


def test_tracks_of_other_times_are_refused() -> None:
    with pytest.raises(ValueError, match=r"track 1 .* must have one key count, 3 as the first, got 2"):
        clip_of([0, 1, 2], more=[0, 2])
    with pytest.raises(ValueError, match=r"track 0 .* regular grid, but key 1 is at 1 s instead of 1\.5"):
        clip_of([0, 1, 2], more=[0, 1, 3])
    with pytest.raises(ValueError, match=r"track 1 .* regular grid, but key 1"):
        clip_of([0, 1, 2], more=[0, 1.5, 2])
    assert clip_of([0, 1, 2], more=[0, 1, 2]).uniform


def test_keys_are_checked_when_first_sampled() -> None:
    clip = clip_of([0, 1, 2])
    keys = clip.keys.copy()
    keys[5] = np.nan
    broken = Clip("broken", clip.skeleton, keys, clip.tracks, uniform=True)
    with pytest.raises(
        ValueError, match=r"Clip: track 0 \(joint 0, translation\): the values of key 0 must be fin"
    ):
        broken.sample(0.5)
    keys = np.float32([0, 1, 0, 0, 0, 1, 0, 0, 0, 0])
    tracks = np.array([(0, ROTATION, LINEAR, 2, 0, 2)], TRACK_DTYPE)
    zero = Clip("zero", clip.skeleton, keys, tracks, uniform=True)
    with pytest.raises(ValueError, match="the rotation of key 1 must be a unit quaternion"):
        zero.sample(0.5)


@pytest.mark.parametrize("time", [np.nan, np.inf])
def test_times_are_finite(time: float) -> None:
    out = np.full((2, 2, 10), np.float32(7))
    with pytest.raises(ValueError, match=r"Clip.sample: times must be finite, got -?(nan|inf) at element 1"):
        clip_of([0, 1, 2]).sample([0, time], out=out)
    assert (out == 7).all()
