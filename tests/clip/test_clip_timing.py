# SPDX-License-Identifier: MIT
"""Clips at other speeds, at other times and backwards."""

import numpy as np
import pytest

import lissom
from clip_laws import (
    KINDS,
    any_clip,
    assert_same_poses,
    count_timelines,
    inner_times,
    uniform_clip,
    uniform_poses,
)
from clip_laws import TOLERANCE as BY_TYPE
from lissom import Clip, Skeleton
from lissom.clip import CUBICSPLINE, STEP, TRACK_DTYPE
from lissom.clip._tracks import unpacked
from random_rigs import random_clip, random_skeleton

TOLERANCE = 1e-9  # float64 clips: the times move by a rounding, the keys do not


@pytest.mark.parametrize("factor", [0.5, 1.0, 3.0])
def test_at_speed_plays_the_same_poses_at_other_times(factor: float) -> None:
    rng = np.random.default_rng(3)
    clip = random_clip(rng, random_skeleton(rng, 8), np.float64, False, False)
    quick = clip.at_speed(factor)
    assert quick.start == clip.start
    assert quick.duration == pytest.approx(clip.duration / factor)
    phases = rng.uniform(size=50)  # between keys: what a STEP track shows at a key hangs on the rounding
    got = quick.sample(quick.start + phases * quick.duration)
    np.testing.assert_allclose(got, clip.sample(clip.start + phases * clip.duration), atol=TOLERANCE)


def test_at_speed_takes_markers_along() -> None:
    rng = np.random.default_rng(4)
    clip = random_clip(rng, random_skeleton(rng, 2), np.float64, False, True)
    marked = clip._edited(markers=[(clip.start + 0.5, "left"), (clip.start, "begin")])
    assert marked.at_speed(2).markers == ((clip.start, "begin"), (clip.start + 0.25, "left"))


@pytest.mark.parametrize("factor", [0.0, -1.0, np.nan, np.inf])
def test_a_speed_is_above_zero(factor: float) -> None:
    rng = np.random.default_rng(5)
    clip = random_clip(rng, random_skeleton(rng, 2), np.float32, False, True)
    with pytest.raises(ValueError, match=r"Clip.at_speed: factor must be above zero and finite, got"):
        clip.at_speed(factor)


def test_keys_that_coincide_are_refused_in_the_name_of_the_method() -> None:
    clip = any_clip(1, np.float32, True).shifted(1)
    with pytest.raises(ValueError, match=r"Clip.at_speed: keys must be further apart than float32"):
        clip.at_speed(1e9)
    with pytest.raises(ValueError, match=r"Clip.retimed: keys must be further apart than float32"):
        clip.retimed(duration=1e-9)


def marked(clip: Clip) -> Clip:
    middle = clip.start + clip.duration / 4
    return clip._edited(markers=[(clip.start, "begin"), (middle, "quarter")], additive=True, loop=True)


@pytest.mark.parametrize(("dtype", "shared"), KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_retimed_poses_agree_at_warped_times(seed: int, dtype: type, shared: bool) -> None:
    clip = any_clip(seed, dtype, shared)
    rng = np.random.default_rng(seed)
    inner = np.sort(rng.uniform(clip.start, clip.end, 4))
    knots = np.concatenate([[clip.start], inner, [clip.end + 0.5]])
    wanted = np.cumsum(rng.uniform(0.2, 1.5, len(knots)))
    warped = clip.retimed(knots, wanted)
    # At a knot in a float32 clip the speed changes a rounding earlier or later.
    times = inner_times(clip)
    got = warped.sample(np.interp(times, knots, wanted), loop=False)
    assert_same_poses(got, clip.sample(times, loop=False), 2 * BY_TYPE[dtype])
    if shared:
        assert count_timelines(warped) == 1


def test_retimed_keeps_a_spline_smooth_where_the_speed_is() -> None:
    clip = any_clip(3, np.float64, True)
    warped = clip.retimed([clip.start, clip.end], [1, 3])
    factor = clip.duration / 2
    fast = clip.at_speed(factor)
    for track, other in zip(
        unpacked(warped.keys, warped.tracks), unpacked(fast.keys, fast.tracks), strict=True
    ):
        np.testing.assert_allclose(track.values, other.values, atol=1e-12)


def test_retimed_by_duration_and_its_markers() -> None:
    clip = marked(any_clip(2, np.float64, False))
    longer = clip.retimed(duration=10)
    assert longer.duration == pytest.approx(10, abs=1e-12)
    assert longer.markers[1].time == pytest.approx(clip.start + 2.5)
    warped = clip.retimed([clip.start, clip.markers[1].time, clip.end], [0, 3, 4])
    assert [marker.time for marker in warped.markers] == pytest.approx([0, 3])
    assert (longer.loop, longer.additive, warped.loop, warped.additive) == (True, True, True, True)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_uniform_clips_stay_uniform_at_one_speed_only(dtype: type) -> None:
    clip = uniform_clip(2, dtype)
    assert clip.retimed(duration=3).uniform
    assert clip.retimed([0, 0.3, 1], [0, 0.6, 2]).uniform
    assert clip.reversed().uniform
    assert clip.shifted(2).uniform
    warped = clip.retimed([0, 0.3, 1], [0, 0.6, 1])
    assert not warped.uniform
    times = np.linspace(0, 1, 80)
    got = warped.sample(np.interp(times, [0, 0.3, 1], [0, 0.6, 1]), loop=False)
    assert_same_poses(got, uniform_poses(clip, times), 2 * BY_TYPE[dtype])


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((), {"duration": 0}, "duration must be above zero and finite, got 0"),
        ((), {"duration": np.nan}, "duration must be above zero and finite, got nan"),
        (([-9, 9], [0, 1, 2]), {}, "times_from and times_to must be equally many, got 2 and 3"),
        (([-9, 9], [1, 1]), {}, "times_to must be finite and increase strictly"),
        (([0, np.nan], [0, 1]), {}, "times_from must be finite and increase strictly"),
        (([0.2, 0.3], [0, 1]), {}, "times_from must cover the clip, from"),
        (([0], [0]), {}, r"times_from must have shape \(N,\), N at least 2"),
    ],
)
def test_what_retimed_refuses(arguments: tuple, options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=f"Clip.retimed: ({message})"):
        any_clip(5, np.float32, True).retimed(*arguments, **options)


def test_retimed_takes_a_duration_or_times() -> None:
    clip = any_clip(5, np.float32, True)
    for arguments, options in (((), {}), (([0, 1],), {}), (([0, 1], [0, 1]), {"duration": 1})):
        with pytest.raises(TypeError, match=r"Clip.retimed: pass either duration, or both"):
            clip.retimed(*arguments, **options)


@pytest.mark.parametrize(("dtype", "shared"), KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_reversed_shows_the_mirrored_times(seed: int, dtype: type, shared: bool) -> None:
    clip = any_clip(seed, dtype, shared)
    back = clip.reversed()
    assert (back.start, back.end) == (clip.start, clip.end)
    times = inner_times(clip)
    got = back.sample(clip.start + clip.end - times, loop=False)
    assert_same_poses(got, clip.sample(times, loop=False), BY_TYPE[dtype])
    ends = np.array([clip.start, clip.end])
    assert_same_poses(
        back.sample(ends[::-1], loop=False),
        clip.sample(ends, loop=False),
        1e-6 if dtype is np.float32 else 1e-12,
    )
    twice = back.reversed()
    times = np.concatenate([times, ends])
    assert_same_poses(twice.sample(times, loop=False), clip.sample(times, loop=False), BY_TYPE[dtype])


def stepping(times: list[float], values: list[float]) -> Clip:
    rest = np.float32([[0, 0, 0, 0, 0, 0, 1, 1, 1, 1]])
    keys = np.array([*times, *np.repeat(values, 3)], np.float32)
    tracks = np.array([(0, 0, STEP, len(times), 0, len(times))], TRACK_DTYPE)
    return Clip("steps", Skeleton(["only"], [-1], rest), keys, tracks)


def test_reversed_steps_show_what_was_shown_just_before() -> None:
    back = stepping([0, 1, 2], [10, 20, 30]).reversed()
    # Forwards: 10 on [0, 1), 20 on [1, 2), 30 at 2.
    shown = back.sample([0, 0.001, 0.5, 1, 1.5, 2], loop=False)[:, 0, 0]
    np.testing.assert_array_equal(shown, [30, 20, 20, 10, 10, 10])


def test_reversed_steps_that_do_not_change_at_the_end_need_no_key_more() -> None:
    clip = stepping([0, 1, 2], [10, 20, 20])
    back = clip.reversed()
    assert back.tracks["key_count"].tolist() == [3]
    np.testing.assert_array_equal(back.sample([0, 0.5, 1, 2], loop=False)[:, 0, 0], [20, 20, 10, 10])


def test_reversed_takes_markers_and_options_along() -> None:
    clip = marked(any_clip(4, np.float64, False))
    back = clip.reversed()
    assert [marker.name for marker in back.markers] == ["quarter", "begin"]
    assert [marker.time for marker in back.markers] == pytest.approx([clip.end - clip.duration / 4, clip.end])
    assert (back.loop, back.additive, back.name) == (True, True, clip.name)


@pytest.mark.parametrize(("dtype", "shared"), KINDS)
def test_shifted_poses_come_later(dtype: type, shared: bool) -> None:
    clip = marked(any_clip(6, dtype, shared))
    late = clip.shifted(2.5)
    assert late.start == pytest.approx(clip.start + 2.5, abs=1e-6)
    times = inner_times(clip)
    assert_same_poses(late.sample(times + 2.5, False), clip.sample(times, False), 4 * BY_TYPE[dtype])
    assert late.markers == tuple((time + 2.5, name) for time, name in clip.markers)
    assert count_timelines(late) == count_timelines(clip)
    assert clip.shifted(-clip.start).start == 0


def test_what_shifted_refuses() -> None:
    clip = any_clip(5, np.float32, True)
    with pytest.raises(ValueError, match=r"Clip.shifted: seconds must be finite, got inf"):
        clip.shifted(np.inf)
    with pytest.raises(TypeError, match=r"Clip.shifted: seconds must be a number, got list"):
        clip.shifted([1])
    with pytest.raises(ValueError, match=r"Clip.shifted: keys must be .* got keys at .*; stay nearer"):
        clip.shifted(1e8)


def test_a_clip_under_another_name() -> None:
    clip = marked(any_clip(6, np.float32, True))
    other = clip.renamed("other")
    assert (clip.name, other.name, other.markers) == ("random", "other", clip.markers)
    assert other.keys.base is clip.keys.base or np.shares_memory(other.keys, clip.keys)
    with pytest.raises(TypeError, match=r"name must be a string, got int"):
        clip.renamed(3)


@pytest.mark.parametrize(
    "name", ["characters/kaykit/Med_General.glb", "features/khronos/interpolation_test.gltf"]
)
def test_real_clips_at_other_times(asset, name: str) -> None:
    for clip in lissom.load(asset(name)).clips.values():
        times = inner_times(clip)
        want = clip.sample(times, loop=False)
        tolerance = 4e-6 * max(1.0, float(np.abs(clip.keys).max()))
        assert_same_poses(clip.reversed().sample(clip.start + clip.end - times, False), want, tolerance)
        knots = clip.start + clip.duration * np.array([0, 0.31, 0.7, 1])
        knots[-1] = clip.end
        wanted = np.array([0, 1, 1.5, 3])
        warped = clip.retimed(knots, wanted)
        assert_same_poses(warped.sample(np.interp(times, knots, wanted), False), want, tolerance)


def test_splines_are_in_what_is_tested() -> None:
    kinds = np.concatenate([any_clip(seed, np.float64, False).tracks["interpolation"] for seed in range(4)])
    assert (np.bincount(kinds) > 5).all()
    assert len(np.bincount(kinds)) == CUBICSPLINE + 1


def test_root_motion_goes_along() -> None:
    walk = lissom.samples.humanoid().clips["walk"]
    motion, length = walk.root_motion, walk.duration
    assert motion is not None
    slow = walk.at_speed(0.7).shifted(0.1)
    times = np.linspace(0, length, 7)
    np.testing.assert_allclose(slow.root_motion.between(0.1, 0.1 + times / 0.7), motion.at(times), atol=1e-6)
    back = walk.reversed()
    np.testing.assert_allclose(back.root_motion.between(length, length - times), motion.at(times), atol=1e-6)
    warped = walk.retimed([0, 0.4, length], [0, 1, 1.3])
    np.testing.assert_allclose(warped.root_motion.at(1), motion.at(0.4), atol=1e-6)
    # However often it is edited, its ends are the clip's, so that the clip can be edited again.
    for clip in (slow, back, warped, slow.retimed(duration=0.9).trimmed(0.2)):
        assert (clip.root_motion.start, clip.root_motion.end) == (clip.start, clip.end)
    part = slow.trimmed(0.3, 0.5)
    step = motion.between(0.2 * 0.7, 0.4 * 0.7)
    np.testing.assert_allclose(part.root_motion.between(0.3, 0.5), step, atol=1e-6)


def test_root_motion_of_another_span_is_fitted_to_the_clip() -> None:
    clip = any_clip(2, np.float32, True)
    moves = lissom.trs.identity(2, np.float64)
    moves[1, 0] = 3
    for times in (
        [clip.start + 0.1, clip.end - 0.1],
        [clip.start - 1, clip.end + 1],
        [clip.start, clip.end - 0.1],
    ):
        motion = lissom.RootMotion.from_moves(times, moves)
        part = clip._edited(root_motion=motion).trimmed(clip.start + 0.05, clip.end - 0.05)
        assert (part.root_motion.start, part.root_motion.end) == (part.start, part.end)
        got = part.root_motion.between(part.start, part.end, False)
        np.testing.assert_allclose(got, motion.between(part.start, part.end, False), atol=1e-6)


def test_a_clip_without_tracks_stays_one() -> None:
    skeleton = Skeleton(
        ["a", "hand.L", "hand.R"], [-1, 0, 0], np.float32([[0, 0, 0, 0, 0, 0, 1, 1, 1, 1]] * 3)
    )
    none = Clip("none", skeleton, np.zeros(0, np.float32), np.zeros(0, TRACK_DTYPE))
    edited = [
        none.at_speed(2),
        none.shifted(1),
        none.reversed(),
        none.mirrored(),
        none.with_markers({"at": 0}),
    ]
    for clip in edited:
        assert len(clip.tracks) == 0
        np.testing.assert_array_equal(clip.sample(0.5), skeleton.rest)
    for refused in (none.there_and_back, none.closed_loop, lambda: none.retimed(duration=1)):
        with pytest.raises(
            ValueError, match=r"the clip must have a duration, got 'none' with no tracks; it needs keys"
        ):
            refused()
