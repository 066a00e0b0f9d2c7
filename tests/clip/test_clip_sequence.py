# SPDX-License-Identifier: MIT
"""Clips one after another, and there and back."""

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
from lissom import Clip, RootMotion, Skeleton, trs
from lissom.clip import CUBICSPLINE
from random_rigs import random_clip, random_poses


def others_of(clip: Clip, seed: int, dtype: type, shared: bool) -> list[Clip]:
    """More clips of the same skeleton, with tracks of other kinds for other joints."""
    rng = np.random.default_rng(seed + 100)
    result: list[Clip] = []
    while len(result) < 2:
        other = random_clip(rng, clip.skeleton, dtype, False, shared)
        if other.duration > 0.3:
            result.append(other)
    return result


def check_parts(whole: Clip, parts: list[Clip], tolerance: float) -> None:
    """Each part is shown in its time, at its start exactly."""
    begin = whole.start
    for part in parts:
        times = inner_times(part)
        assert_same_poses(
            whole.sample(begin + times - part.start, False), part.sample(times, False), tolerance
        )
        assert_same_poses(whole.sample(begin, False), part.sample(part.start, False), tolerance)
        begin = float(whole.keys.dtype.type(begin + part.duration))
    assert whole.end == begin
    assert_same_poses(whole.sample(whole.end, False), parts[-1].sample(parts[-1].end, False), tolerance)


@pytest.mark.parametrize(("dtype", "shared"), KINDS)
@pytest.mark.parametrize("seed", range(5))
def test_parts_keep_their_poses(seed: int, dtype: type, shared: bool) -> None:
    clip = any_clip(seed, dtype, shared)
    parts = [clip, *others_of(clip, seed, dtype, shared)]
    # LINEAR rotations beside splines become splines, within 1e-7.
    check_parts(clip.concatenated(*parts[1:]), parts, max(2 * TOLERANCE[dtype], 2e-7))


def test_differences_where_nothing_is_moved() -> None:
    skeleton = Skeleton(["a", "b"], [-1, 0], random_poses(np.random.default_rng(0), 2))
    rng = np.random.default_rng(1)
    first, second = (
        Clip.from_poses(skeleton, [0.0, 1.0], random_poses(rng, 2, 2))._edited(additive=True) for _ in "ab"
    )
    # One joint each.
    first = Clip("f", skeleton, first.keys, first.tracks[first.tracks["joint"] == 0], additive=True)
    second = Clip("s", skeleton, second.keys, second.tracks[second.tracks["joint"] == 1], additive=True)
    both = first.concatenated(second)
    assert both.additive
    check_parts(both, [first, second], 1e-12)


def test_meeting_poses_are_one_key_and_jumps_are_two() -> None:
    skeleton = Skeleton(["a"], [-1], np.float32([[0, 0, 0, 0, 0, 0, 1, 1, 1, 1]]))
    poses = np.tile(skeleton.rest, (3, 1, 1)).astype(np.float64)
    poses[:, 0, 0] = [0, 1, 3]
    go = Clip.from_poses(skeleton, [0, 1], poses[:2])
    on = Clip.from_poses(skeleton, [5, 6], poses[1:])
    meeting = go.concatenated(on, name="on")
    assert meeting.name == "on"
    np.testing.assert_array_equal(meeting.keys[:3], [0, 1, 2])
    jumping = go.concatenated(go)
    assert jumping.tracks["key_count"].tolist() == [4]
    np.testing.assert_array_equal(jumping.sample([0.5, 1, 1.5], False)[:, 0, 0], [0.5, 0, 0.5])
    assert jumping.sample(1 - np.spacing(1.0), False)[0, 0] == pytest.approx(1)


def test_meeting_splines_keep_both_tangents_and_turn_signs() -> None:
    clip = any_clip(3, np.float64, True)
    cut = clip.start + 0.4 * clip.duration
    first, second = clip.trimmed(end=cut), clip.trimmed(cut)
    negative = second.keys.copy()
    for track in second.tracks[second.tracks["path"] == 1]:
        size = 4 * int(track["key_count"]) * (3 if track["interpolation"] == CUBICSPLINE else 1)
        negative[track["values"] : track["values"] + size] *= -1
    second = Clip("negative", clip.skeleton, negative, second.tracks)
    both = first.concatenated(second)
    times = inner_times(clip)
    assert_same_poses(both.sample(times), clip.sample(times), 1e-9)
    assert count_timelines(both) == 1  # no jump anywhere
    assert np.unique(both.tracks["key_count"]) == np.unique(clip.tracks["key_count"]) + 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", range(3))
def test_a_fade_goes_from_one_to_the_other(seed: int, dtype: type) -> None:
    clip = any_clip(seed, dtype, False)
    parts = [clip, *others_of(clip, seed, dtype, False)]
    shortest = min(part.duration for part in parts)
    blend = 0.4 * shortest
    whole = clip.concatenated(*parts[1:], blend=blend)
    assert whole.duration == pytest.approx(sum(part.duration for part in parts) - 2 * blend, abs=1e-5)
    begin, tolerance = clip.start, max(4 * TOLERANCE[dtype], 2e-7)
    for i, part in enumerate(parts):
        alone = (part.start + (blend if i else 0), part.end - (blend if i < 2 else 0))
        times = inner_times(part, start=alone[0] + 1e-4, end=alone[1] - 1e-4)
        assert_same_poses(
            whole.sample(begin + times - part.start, False), part.sample(times, False), tolerance
        )
        begin += part.duration - blend
    # In the middle of the fade, where both weigh the same.
    middle = clip.end - blend / 2
    a, b = clip.sample(middle, False), parts[1].sample(parts[1].start + blend / 2, False)
    got = whole.sample(middle, False)
    np.testing.assert_allclose(got[:, :3], (a[:, :3] + b[:, :3]) / 2, atol=0.02)
    halves = np.abs(np.sum(got[:, 3:7] * a[:, 3:7], -1)) - np.abs(np.sum(got[:, 3:7] * b[:, 3:7], -1))
    assert np.abs(halves).max() < 0.05


def test_nothing_jumps_in_a_fade() -> None:
    hero = lissom.samples.humanoid()
    walk, run = hero.clips["walk"], hero.clips["run"]
    both = walk.concatenated(run, blend=0.25)
    times = np.linspace(both.start, both.end, 4000)
    steps = np.linalg.norm(np.diff(hero.skeleton.positions(both.sample(times)), axis=0), axis=-1)
    fine = np.linspace(0, 1, 4000)
    fastest = max(
        np.linalg.norm(np.diff(hero.skeleton.positions(c.at(fine)), axis=0), axis=-1).max()
        * 4000
        / c.duration
        for c in (walk, run)
    )
    # The fade adds the way between the poses (0.6 m at most) times the steepest weight, 1.5 a fade.
    assert steps.max() * 4000 / both.duration < fastest + 0.6 * 1.5 / 0.25


def test_root_motion_goes_on() -> None:
    clips = lissom.samples.humanoid().clips
    walk, run = clips["walk"], clips["run"]
    moves = trs.from_parts(
        np.float64([[0, 0, 0], [0, 0, 1]]), lissom.quat.from_axis_angle([0, 1.0, 0], [0, 1.0])
    )
    turning = walk._edited(root_motion=RootMotion.from_moves([0, walk.duration], moves))
    both = turning.concatenated(run, walk)
    motion = both.root_motion
    assert (motion.start, motion.end) == (both.start, both.end)
    want = trs.compose(turning.root_motion.cycle, trs.compose(run.root_motion.cycle, walk.root_motion.cycle))
    np.testing.assert_allclose(motion.cycle, want, atol=1e-6)
    step = motion.between(walk.duration + 0.1, walk.duration + 0.3)
    np.testing.assert_allclose(step, run.root_motion.between(0.1, 0.3), atol=1e-6)
    faded = turning.concatenated(run, blend=0.2)
    step = faded.root_motion.between(walk.duration + 0.05, walk.duration + 0.25)
    np.testing.assert_allclose(step, run.root_motion.between(0.25, 0.45), atol=1e-6)
    standing = walk.concatenated(clips["idle"])
    np.testing.assert_allclose(standing.root_motion.cycle, walk.root_motion.cycle, atol=1e-6)
    waiting = clips["idle"].concatenated(walk)
    np.testing.assert_allclose(waiting.root_motion.at(clips["idle"].duration)[:3], 0, atol=1e-6)
    np.testing.assert_allclose(waiting.root_motion.cycle, walk.root_motion.cycle, atol=1e-6)
    both.trimmed(0.2, 1.5)  # ends that agree can be edited again
    assert clips["idle"].concatenated(clips["wave"]).root_motion is None


def test_markers_come_along() -> None:
    clips = lissom.samples.humanoid().clips
    walk = clips["walk"].with_markers({"left": 0, "right": 0.5})
    both = walk.concatenated(walk.shifted(3), blend=0.1)
    assert [name for _, name in both.markers] == ["left", "right", "left", "right"]
    want = [0, 0.5, walk.duration - 0.1, walk.duration + 0.4]
    assert [time for time, _ in both.markers] == pytest.approx(want, abs=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_uniform_clips_that_meet_stay_uniform(dtype: type) -> None:
    clip = uniform_clip(1, dtype)
    both = clip.trimmed(0.0, 0.5).concatenated(clip.trimmed(0.5, 1.0))
    assert both.uniform
    times = np.linspace(0, 1, 60)
    assert_same_poses(both.sample(times, False), clip.sample(times, False), TOLERANCE[dtype])
    apart = clip.concatenated(clip)
    assert not apart.uniform
    assert_same_poses(
        apart.sample(times[1:-1] + 1, False), uniform_poses(clip, times[1:-1]), 2 * TOLERANCE[dtype]
    )


def test_clips_that_stand_still_last() -> None:
    skeleton = Skeleton(["a"], [-1], np.float32([[0, 0, 0, 0, 0, 0, 1, 1, 1, 1]]))
    still = Clip.from_poses(skeleton, [0.0, 1.0], np.stack([skeleton.rest] * 2))
    both = still.concatenated(still)
    assert (both.start, both.end) == (0, 2)


@pytest.mark.parametrize(("dtype", "shared"), KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_there_and_back_is_ping_pong_written_out(seed: int, dtype: type, shared: bool) -> None:
    clip = any_clip(seed, dtype, shared)
    both = clip.there_and_back()
    assert both.loop is True
    assert both.duration == pytest.approx(2 * clip.duration, rel=1e-6)
    times = inner_times(clip)
    for moments in (times, 2 * clip.end - times, times + 2 * clip.duration):
        moments = moments[(np.abs(moments - clip.end) > 1e-5) & (np.abs(moments - both.end) > 1e-5)]
        want = clip.sample(moments, "ping_pong")
        assert_same_poses(both.sample(moments), want, 2 * TOLERANCE[dtype])
    assert_same_poses(both.sample(clip.end), clip.sample(clip.end, False), TOLERANCE[dtype])


def test_there_and_back_keeps_grids_markers_and_root_motion() -> None:
    both = uniform_clip(1, np.float32).there_and_back()
    assert both.uniform
    walk = lissom.samples.humanoid().clips["walk"].with_markers({"start": 0, "step": 0.5})
    twice = walk._edited(markers=[*walk.markers, (walk.end, "end")]).there_and_back()
    assert twice.key_rate == walk.key_rate
    assert [name for _, name in twice.markers] == ["start", "step", "end", "step"]
    np.testing.assert_allclose(twice.root_motion.cycle, trs.identity(dtype=np.float64), atol=1e-6)
    np.testing.assert_allclose(twice.root_motion.at(walk.end), walk.root_motion.cycle, atol=1e-6)


@pytest.mark.parametrize(
    "name", ["characters/kaykit/Med_General.glb", "features/khronos/interpolation_test.gltf"]
)
def test_real_clips(asset, name: str) -> None:
    clips = [clip for clip in lissom.load(asset(name)).clips.values() if clip.duration > 0][:5]
    size = max(1.0, max(float(np.abs(clip.keys).max()) for clip in clips))
    check_parts(clips[0].concatenated(*clips[1:]), clips, 1e-5 * size)
    assert clips[0].concatenated(*clips[1:], blend=0.01).duration > 0


def test_what_is_refused() -> None:
    clip = any_clip(4, np.float32, False)
    with pytest.raises(TypeError, match=r"Clip.concatenated: others must be clips, got str"):
        clip.concatenated("walk")
    with pytest.raises(TypeError, match=r"got list; pass them one by one, or a list with \* before it"):
        clip.concatenated([clip, clip])  # type: ignore[arg-type]
    other = lissom.samples.humanoid().clips["walk"]
    message = r"'walk' must be of the same skeleton, but joint 0 is 'Root' there and 'joint 0' here"
    with pytest.raises(ValueError, match=message.replace("Root", other.skeleton.names[0])):
        clip.concatenated(other)
    shorter = Skeleton(clip.skeleton.names[:-1], clip.skeleton.parents[:-1], clip.skeleton.rest[:-1])
    with pytest.raises(ValueError, match=r"it has 10 joints and this one 9"):
        Clip.from_poses(shorter, [0, 1], np.stack([shorter.rest] * 2)).concatenated(clip)
    with pytest.raises(
        ValueError, match=r"all clips must be additive or none, got 'random', which is, and 'r"
    ):
        clip.concatenated(clip._edited(additive=True))
    with pytest.raises(ValueError, match=r"Clip.concatenated: blend must be finite and at least 0, got -1"):
        clip.concatenated(clip, blend=-1)
    with pytest.raises(ValueError, match=r"Clip.concatenated: blend must be finite and at least 0, got nan"):
        clip.concatenated(clip, blend=np.nan)
    with pytest.raises(
        ValueError, match=r"Clip.concatenated: blend must leave part of 'random', which lasts .* got 50 s"
    ):
        clip.concatenated(clip, blend=50)
    still = Clip.from_poses(clip.skeleton, [1.0], clip.skeleton.rest[None])
    with pytest.raises(
        ValueError,
        match=r"Clip.concatenated: the clip must have a duration, got 'clip' with all its keys at 1.0 s",
    ):
        clip.concatenated(still)
    with pytest.raises(ValueError, match=r"Clip.there_and_back: the clip must have a duration, got 'clip'"):
        still.there_and_back()
