# SPDX-License-Identifier: MIT
"""Frames of a regular grid: how many there are, which two lie around a time, and where a clip is measured."""

import numpy as np
import pytest

import lissom
from lissom import trs
from lissom.clip import STEP
from lissom.clip._frames import AT_FRAMES, JUMPING, Moments, frames_around, interval_count

FLOAT32_TIMES = (
    60.0  # seconds: where float32 rounds times by at most 2.3e-4 of an interval at 60 frames a second
)


def stepping(key: float, duration: float = 1.0) -> lissom.Clip:
    """A clip of one joint that jumps at one key; its keys are float64."""
    skeleton = lissom.Skeleton(["joint"], [-1], trs.identity(1))
    poses = np.repeat(trs.identity(1)[None], 3, axis=0).astype(np.float64)
    poses[1:, 0, 0] = 1
    clip = lissom.Clip.from_poses(skeleton, np.float64([0, key, duration]), poses)
    tracks = clip.tracks.copy()
    tracks["interpolation"] = STEP
    return lissom.Clip("step", skeleton, clip.keys, tracks)


def jumping(clip: lissom.Clip, intervals: int) -> set[int]:
    """The intervals inside which the clip is measured as jumping."""
    moments = Moments.of_frames(clip, intervals)
    return set(np.floor(moments.coordinates[moments.groups == JUMPING]).astype(int).tolist())


@pytest.mark.parametrize("rate", [24.0, 30.0, 60.0])
def test_rounding_of_times_adds_no_interval(rate):
    for intervals in range(1, int(FLOAT32_TIMES * rate), 7):
        for start in (0.0, 1 / 3, FLOAT32_TIMES - intervals / rate):
            duration = float(np.float32(start + intervals / rate)) - float(np.float32(start))
            assert interval_count(duration, rate) == intervals


def test_what_exceeds_the_rounding_of_times_adds_an_interval():
    for intervals in (1, 30, 3600):
        assert interval_count((intervals + 0.002) / 60, 60) == intervals + 1


@pytest.mark.parametrize("rounding", [0.0, 2.3e-4, -2.3e-4])
def test_a_jump_at_a_frame_counts_on_both_sides_whatever_its_rounding(rounding):
    """2.3e-4 of an interval is what float32 rounds times near 60 s by, at 60 frames per second."""
    assert jumping(stepping((4 + rounding) / 10), 10) == {3, 4}


@pytest.mark.parametrize(("key", "interval"), [(4.002, 4), (3.998, 3), (4.5, 4)])
def test_a_jump_between_frames_counts_in_its_interval_alone(key, interval):
    assert jumping(stepping(key / 10), 10) == {interval}


def test_frames_are_never_measured_as_jumping():
    moments = Moments.of_frames(stepping(0.4), 10)
    whole = moments.coordinates % 1 == 0
    assert (moments.groups[whole] == AT_FRAMES).all()


def test_the_frames_around_a_coordinate_and_how_far_between():
    frames, nexts, fractions = frames_around(np.array([0.0, 2.25, 3.0, 4.75, 5.0]), 0, 5)
    assert frames.tolist() == [0, 2, 3, 4, 4]
    assert nexts.tolist() == [1, 3, 4, 5, 5]
    assert fractions.tolist() == [0.0, 0.25, 0.0, 0.75, 1.0]
    assert (frames.dtype, nexts.dtype, fractions.dtype) == (np.int32, np.int32, np.float32)


def test_the_frames_around_a_coordinate_are_of_its_clip():
    """Two clips, of the frames 0 to 3 and of frame 4 alone."""
    frames, nexts, fractions = frames_around(np.array([3.0, 4.0]), np.array([0, 4]), np.array([3, 4]))
    assert frames.tolist() == [2, 4]
    assert nexts.tolist() == [3, 4]
    assert fractions.tolist() == [1.0, 0.0]
