# SPDX-License-Identifier: MIT
"""Clips themselves: loops and key rates that are guessed, clips made of poses, copies, out."""

import copy
import gc
import pickle

import numpy as np
import pytest

from lissom import Clip
from lissom.clip import LINEAR, ROTATION, SCALE, TRACK_DTYPE, TRANSLATION
from random_rigs import random_clip, random_poses, random_skeleton
from short_clips import TOLERANCE, about_z, assert_poses_close, one_track, skeleton_of

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


@pytest.mark.parametrize("off", [-0.021, -0.019, 0.019, 0.021])
def test_keys_are_regular_within_a_fiftieth_of_an_interval(off: float) -> None:
    rate = rate_clip(np.array([0, 1, 2, 3 + off, 4, 5, 6]) / 10, dtype=np.float64).key_rate
    assert rate == (10 if abs(off) < 0.02 else None)


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
