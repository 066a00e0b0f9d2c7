# SPDX-License-Identifier: MIT
"""Frames of a regular grid: how many there are, which two lie around a time, and where a clip is measured."""

import numpy as np
import pytest

import lissom
from lissom import trs
from lissom.clip import LINEAR, STEP
from lissom.clip._frames import (
    AT_FRAMES,
    JUMPING,
    Moments,
    coarsest_rate,
    default_rate,
    frames_around,
    interval_count,
)
from lissom.clip._tracks import all_key_times, all_tracks, key_times

FLOAT32_TIMES = (
    60.0  # seconds: where float32 rounds times by at most 2.3e-4 of an interval at 60 frames a second
)


def stepping(key: float, duration: float = 1.0) -> lissom.Clip:
    """A clip of one joint that jumps at one key; its keys are float64."""
    return keyed(np.float64([0, key, duration]))


def keyed(times: np.ndarray, interpolation: int = STEP) -> lissom.Clip:
    """A clip of one joint that moves between the first two keys, and rests from then on."""
    skeleton = lissom.Skeleton(["joint"], [-1], trs.identity(1))
    poses = np.repeat(trs.identity(1)[None], len(times), axis=0).astype(np.float64)
    poses[1:, 0, 0] = 1
    clip = lissom.Clip.from_poses(skeleton, times, poses)
    tracks = clip.tracks.copy()
    tracks["interpolation"] = interpolation
    return lissom.Clip("step", skeleton, clip.keys, tracks)


def keyed_at(rate: float) -> lissom.Clip:
    clip = keyed(np.arange(41) / rate, LINEAR)
    assert clip.key_rate == pytest.approx(rate, rel=1e-9)
    return clip


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


# A ratio of rates may miss a whole number by 1e-4.


@pytest.mark.parametrize("whole", [1, 2, 3, 7])
@pytest.mark.parametrize(
    ("off", "more"), [(0, 0), (-2e-4, 0), (-5e-5, 0), (5e-5, 0), (9e-5, 0), (1.1e-4, 1), (2e-4, 1)]
)
def test_the_default_rate_is_the_multiple_of_the_key_rate_from_60_on(whole, off, more):
    """60 is `whole + off` times the key rate."""
    rate = 60 / (whole + off)
    assert default_rate(keyed_at(rate)) == pytest.approx(rate * (whole + more), rel=1e-9)


@pytest.mark.parametrize("whole", [2, 3, 4, 8])
@pytest.mark.parametrize(
    ("off", "fewer"), [(0, 0), (2e-4, 0), (5e-5, 0), (-5e-5, 0), (-9e-5, 0), (-1.1e-4, 1), (-2e-4, 1)]
)
def test_the_coarsest_rate_of_dense_keys_is_the_fraction_of_theirs_from_30_on(whole, off, fewer):
    """The key rate is `whole + off` times 30."""
    rate = 30 * (whole + off)
    assert coarsest_rate(keyed_at(rate)) == pytest.approx(rate / (whole - fewer), rel=1e-9)


@pytest.mark.parametrize("rate", [7.3, 29.97, 30 * (1 - 2e-4), 45])
def test_the_coarsest_rate_of_other_keys_is_theirs(rate):
    assert coarsest_rate(keyed_at(rate)) == pytest.approx(rate, rel=1e-9)


@pytest.mark.parametrize(("off", "multiple"), [(-2e-4, 2), (-5e-5, 2), (9e-5, 2), (1.1e-4, 3), (2e-4, 3)])
def test_the_rate_of_a_clip_with_jumps_is_at_least_the_default(off, multiple):
    """Its error without the jumps is 0, at the rate of its keys as well. 60 is `2 + off` times that."""
    rate = 60 / (2 + off)
    report = keyed(np.arange(41) / rate).resampled(max_error=1e-3).report
    assert report.rate == pytest.approx(multiple * rate, rel=1e-9)


def test_rounding_adds_no_multiple_to_the_rate_of_a_clip_with_jumps():
    """3 times 25.6 is rounded up: divided by 25.6 it is above 3."""
    times = np.arange(5) * (10 / 256)
    assert 25.6 * 3 / 25.6 > 3
    assert keyed(times).key_rate == 25.6
    assert keyed(times).resampled(max_error=1e-3).report.rate == pytest.approx(76.8, rel=1e-9)


def test_key_times_of_all_tracks_are_those_of_their_views() -> None:
    hero = lissom.samples.humanoid()
    for clip in [*hero.clips.values(), hero.clips["walk"].optimized(1e-3), hero.clips["walk"].reversed()]:
        np.testing.assert_array_equal(all_key_times(clip), key_times(all_tracks(clip)))
