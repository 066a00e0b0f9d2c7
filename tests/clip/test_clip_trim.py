# SPDX-License-Identifier: MIT
"""Stretches of clips: the same poses at the same times."""

import numpy as np
import pytest

import lissom
from clip_laws import (
    KINDS,
    TOLERANCE,
    any_clip,
    assert_same_poses,
    count_timelines,
    inner_times,
    uniform_clip,
    uniform_poses,
)
from lissom import Clip
from lissom.clip._tracks import unpacked


@pytest.mark.parametrize(("dtype", "shared"), KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_a_stretch_has_the_same_poses(seed: int, dtype: type, shared: bool) -> None:
    clip = any_clip(seed, dtype, shared)
    cuts = clip.start + clip.duration * np.sort(np.random.default_rng(seed).uniform(size=2))
    part = clip.trimmed(*cuts)
    assert (part.start, part.end) == tuple(cuts.astype(dtype).astype(float))
    assert part.keys.dtype == dtype
    times = inner_times(clip, start=part.start, end=part.end)
    assert_same_poses(part.sample(times), clip.sample(times), TOLERANCE[dtype])
    ends = np.array([part.start, part.end])
    assert_same_poses(part.sample(ends, loop=False), clip.sample(ends, loop=False), TOLERANCE[dtype])
    if shared:
        assert count_timelines(part) == 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_cuts_at_keys_keep_them_to_the_bit(dtype: type) -> None:
    clip = any_clip(1, dtype, True)
    begin, count = clip.tracks[0]["times"], clip.tracks[0]["key_count"]
    times = clip.keys[begin : begin + count]
    part = clip.trimmed(times[1], times[-2])
    old, new = unpacked(clip.keys, clip.tracks), unpacked(part.keys, part.tracks)
    for track, kept in zip(old, new, strict=True):
        np.testing.assert_array_equal(kept.times, track.times[1:-1])
        np.testing.assert_array_equal(kept.values, track.values[1:-1])


def test_tracks_that_begin_late_or_end_early_stay() -> None:
    rest = np.tile(np.float32([0, 0, 0, 0, 0, 0, 1, 1, 1, 1]), (2, 1))
    skeleton = lissom.Skeleton(["a", "b"], [-1, 0], rest)
    keys = np.array([0, 1, 2, 3, *np.arange(12), 1, 2, *np.arange(20, 26)], np.float64)
    tracks = np.array([(0, 0, 1, 4, 0, 4), (1, 0, 1, 2, 16, 18)], lissom.clip.TRACK_DTYPE)
    clip = Clip("late", skeleton, keys, tracks)
    for start, end in ((0.25, 0.75), (0.25, 1.5), (1.25, 2.75), (2.25, 2.75)):
        part = clip.trimmed(start, end)
        assert (part.start, part.end) == (start, end)
        times = np.linspace(start, end, 33)
        np.testing.assert_allclose(part.sample(times, loop=False), clip.sample(times, loop=False), atol=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_uniform_clips_stay_uniform_on_frames_only(dtype: type) -> None:
    clip = uniform_clip(2, dtype)
    on_frames = clip.trimmed(0.25, 0.75)
    assert on_frames.uniform
    off_frames = clip.trimmed(0.3, 0.8)
    assert not off_frames.uniform
    times = np.linspace(0.25, 0.75, 50)
    assert_same_poses(on_frames.sample(times, loop=False), clip.sample(times, loop=False), TOLERANCE[dtype])
    times = np.linspace(off_frames.start, off_frames.end, 50)
    assert_same_poses(off_frames.sample(times, loop=False), uniform_poses(clip, times), TOLERANCE[dtype])


def test_markers_inside_are_kept() -> None:
    clip = any_clip(3, np.float64, True)
    middle = clip.start + clip.duration / 2
    marked = clip._edited(markers=[(clip.start, "begin"), (middle, "half"), (clip.end, "end")], additive=True)
    part = marked.trimmed(middle, clip.end)
    assert part.markers == ((middle, "half"), (clip.end, "end"))
    assert part.additive


def test_what_loops_is_seen_anew() -> None:
    clip = any_clip(3, np.float64, True)
    clip.loop = True
    assert clip.trimmed().loop is True
    assert clip.trimmed(end=clip.end - 0.1).loop is False
    clip.loop = "ping_pong"
    assert clip.trimmed(end=clip.end - 0.1).loop == "ping_pong"


def test_what_is_refused() -> None:
    clip = any_clip(4, np.float32, False)
    with pytest.raises(ValueError, match=r"Clip.trimmed: end must be after start, got"):
        clip.trimmed(clip.end, clip.start)
    with pytest.raises(ValueError, match=r"Clip.trimmed: start must lie inside the clip, from .* got -90"):
        clip.trimmed(-90, clip.end)
    with pytest.raises(ValueError, match=r"Clip.trimmed: end must be finite, got nan"):
        clip.trimmed(clip.start, np.nan)
    with pytest.raises(TypeError, match=r"Clip.trimmed: start must be a number, got str"):
        clip.trimmed("0", 1)
    still = Clip.from_poses(clip.skeleton, [1.0], clip.skeleton.rest[None])
    with pytest.raises(
        ValueError,
        match=r"Clip.trimmed: the clip must have a duration, got 'clip' with all its keys at 1.0 s",
    ):
        still.trimmed(1, 1)
    none = Clip("none", clip.skeleton, np.zeros(0, np.float32), np.zeros(0, lissom.clip.TRACK_DTYPE))
    with pytest.raises(
        ValueError, match=r"Clip.trimmed: the clip must have a duration, got 'none' with no tracks"
    ):
        none.trimmed(0, 1)


@pytest.mark.parametrize(
    "name", ["characters/kaykit/Med_General.glb", "features/khronos/interpolation_test.gltf"]
)
def test_real_clips(asset, name: str) -> None:
    for clip in lissom.load(asset(name)).clips.values():
        part = clip.trimmed(clip.start + 0.3 * clip.duration, clip.start + 0.77 * clip.duration)
        times = inner_times(clip, start=part.start, end=part.end)
        size = max(1.0, float(np.abs(clip.keys).max()))
        assert_same_poses(part.sample(times), clip.sample(times, loop=False), 4e-6 * size)
