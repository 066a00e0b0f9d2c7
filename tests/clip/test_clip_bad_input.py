# SPDX-License-Identifier: MIT
"""Tracks and keys that are refused, each by its sentence."""

import numpy as np
import pytest

from lissom import Clip, Skeleton
from lissom.clip import CUBICSPLINE, LINEAR, ROTATION, TRACK_DTYPE, TRANSLATION
from short_clips import one_track, skeleton_of

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
        ({"path": 4}, "path must be 0 .*, got 4"),
        ({"path": 3}, r"joint, of a weight the number of its morph target, must lie in \[0, 0\), got 1"),
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
    rotation = clip_with().sample(1.0, loop=False)[1, 3:7]
    # Made unit by an estimate of 1 / sqrt, good to 2e-7 (core/simd/lanes.h).
    np.testing.assert_allclose(rotation, [0, 0, 1, 0], rtol=0, atol=2e-7)


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
