# SPDX-License-Identifier: MIT
"""Cross-fades: what plays, how it goes over, and what is refused (no pop: see test_cross_fade_bound)."""

import copy
import math
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lissom
from fade_recorder import distances
from lissom import Clip, CrossFade, Marker, Skeleton
from lissom.root_motion import RootMotion
from random_rigs import random_poses, random_skeleton

ROUNDING = 1e-12  # float64
ROUNDING_FLOAT32 = 1e-6


@pytest.fixture(scope="module")
def skeleton() -> Skeleton:
    return random_skeleton(np.random.default_rng(0), 6)


@pytest.fixture(scope="module")
def clips(skeleton: Skeleton) -> list[Clip]:
    """Gentle cycles of 1, 2 and 0.5 s, joints never half a turn apart."""
    rng = np.random.default_rng(1)
    return [cycle(rng, skeleton, duration) for duration in (1.0, 2.0, 0.5)]


def cycle(rng: np.random.Generator, skeleton: Skeleton, duration: float) -> Clip:
    frames = 13
    times = np.linspace(0, duration, frames)
    phase = 2 * np.pi * np.linspace(0, 1, frames)
    poses = np.tile(skeleton.rest.astype(np.float64), (frames, 1, 1))
    swing = 0.3 * rng.normal(size=(len(skeleton), 3)) * np.sin(phase)[:, None, None]
    turned = lissom.quat.multiply(poses[..., 3:7], lissom.quat.from_rotation_vector(swing))
    poses[..., 3:7] = lissom.quat.normalize(turned)
    poses[..., :3] += 0.1 * np.cos(phase)[:, None, None] * rng.normal(size=(len(skeleton), 3))
    return Clip.from_poses(skeleton, times, poses, name=f"cycle of {duration:g} s", loop=True)


def exact(skeleton: Skeleton) -> CrossFade:
    return CrossFade(skeleton, dtype=np.float64)


def between(a: np.ndarray, b: np.ndarray, weight: float) -> np.ndarray:
    """S of the docstring."""
    pose = a + weight * (b - a)
    pose[:, 3:7] = lissom.quat.slerp(a[:, 3:7], b[:, 3:7], weight)
    return pose


def assert_same(a: np.ndarray, b: np.ndarray, tolerance: float = ROUNDING) -> None:
    assert distances(a, b).max() <= tolerance


def test_a_single_clip_is_its_samples(skeleton: Skeleton, clips: list[Clip]) -> None:
    fade = exact(skeleton)
    fade.play(clips[0], at=0.3)
    np.testing.assert_array_equal(fade.pose, clips[0].sample(0.3))
    for _ in range(100):
        pose = fade.update(1 / 30)
    (playing,) = fade.playing
    assert playing.time == pytest.approx(0.3 + 100 / 30)
    assert (playing.clip, playing.weight, playing.speed) == (clips[0], 1.0, 1.0)
    np.testing.assert_array_equal(pose, clips[0].sample(playing.time))
    np.testing.assert_array_equal(pose, fade.pose)


@pytest.mark.parametrize("loop", [True, False, "ping_pong"])
def test_each_clip_goes_on_as_its_own_loop_says(skeleton: Skeleton, clips: list[Clip], loop: Any) -> None:
    clip = copy.copy(clips[0])
    clip.loop = loop
    fade = exact(skeleton)
    fade.play(clip)
    fade.fade_to(clips[1], 10.0, "linear")
    pose = fade.update(2.7)
    assert_same(pose, between(clip.sample(2.7, loop=loop), clips[1].sample(2.7), 0.27))
    assert fade.playing[0].ended is (loop is False)


def test_float32_poses_are_the_float64_ones_rounded(skeleton: Skeleton, clips: list[Clip]) -> None:
    fades = [CrossFade(skeleton), exact(skeleton)]
    for fade in fades:
        fade.play(clips[0])
        fade.fade_to(clips[1], 0.5)
    single, double = (fade.update(0.2) for fade in fades)
    assert (single.dtype, double.dtype) == (np.float32, np.float64)
    np.testing.assert_array_equal(single, double.astype(np.float32))


@pytest.mark.parametrize(
    ("ease", "weight"),
    [
        ("linear", 0.25),
        ("smooth", 3 * 0.25**2 - 2 * 0.25**3),
        ("smoother", 6 * 0.25**5 - 15 * 0.25**4 + 10 * 0.25**3),
        (math.sqrt, 0.5),
    ],
)
def test_weights_grow_as_ease_says(skeleton: Skeleton, clips: list[Clip], ease: Any, weight: float) -> None:
    fade = exact(skeleton)
    fade.play(clips[0])
    fade.fade_to(clips[1], 2.0, ease)
    pose = fade.update(0.5)
    assert [p.weight for p in fade.playing] == pytest.approx([1 - weight, weight])
    assert_same(pose, between(clips[0].sample(0.5), clips[1].sample(0.5), weight))


def test_a_fade_over_drops_what_is_below_it(skeleton: Skeleton, clips: list[Clip]) -> None:
    fade = exact(skeleton)
    fade.play(clips[0])
    fade.fade_to(clips[1], 0.5)
    fade.update(0.4)
    assert fade.is_fading
    pose = fade.update(0.2)
    assert not fade.is_fading
    assert [p.clip for p in fade.playing] == [clips[1]]
    np.testing.assert_array_equal(pose, clips[1].sample(0.4 + 0.2))


def test_an_interrupted_fade_goes_on_below_the_next(skeleton: Skeleton, clips: list[Clip]) -> None:
    a, b, c = clips
    fade = exact(skeleton)
    fade.play(a)
    fade.fade_to(b, 1.0, "linear")
    shown = fade.update(0.25)
    fade.fade_to(c, 2.0, "linear")
    np.testing.assert_array_equal(fade.update(0), shown)
    pose = fade.update(0.5)
    below = between(a.sample(0.75), b.sample(0.75), 0.75)
    assert_same(pose, between(below, c.sample(0.5), 0.25))
    assert [p.weight for p in fade.playing] == pytest.approx([0.25 * 0.75, 0.75 * 0.75, 0.25])
    fade.update(0.3)  # the fade to b is over, the one to c is not
    assert [p.clip for p in fade.playing] == [b, c]


def test_a_clip_in_flight_keeps_its_play_head(skeleton: Skeleton, clips: list[Clip]) -> None:
    a, b, _ = clips
    fade = exact(skeleton)
    fade.play(a)
    fade.fade_to(b, 1.0, "linear")
    fade.update(0.3)
    fade.fade_to(a, 1.0, "linear")
    pose = fade.update(0.1)
    assert [(p.clip, p.time) for p in fade.playing] == [(a, pytest.approx(0.4)), (b, pytest.approx(0.4))]
    assert sum(p.weight for p in fade.playing) == pytest.approx(1)
    assert_same(pose, between(between(a.sample(0.4), b.sample(0.4), 0.4), a.sample(0.4), 0.1))


def test_fading_to_the_target_changes_nothing(skeleton: Skeleton, clips: list[Clip]) -> None:
    fades = [exact(skeleton), exact(skeleton)]
    for fade in fades:
        fade.play(clips[0])
        fade.fade_to(clips[1], 1.0)
        fade.update(0.3)
    fades[0].fade_to(clips[1], 0.01, "linear", "inertialize")
    for _ in range(10):
        np.testing.assert_array_equal(fades[0].update(0.05), fades[1].update(0.05))
    fades[0].fade_to(clips[1], 1.0, speed=2.0)  # it may be made faster, though
    fades[0].update(0.1)
    assert fades[0].playing[-1].time == pytest.approx(0.8 + 0.2)


def test_at_starts_a_clip_anew(skeleton: Skeleton, clips: list[Clip]) -> None:
    fade = exact(skeleton)
    fade.play(clips[0])
    fade.update(0.4)
    fade.fade_to(clips[0], 1.0, "linear", at=0.1)
    pose = fade.update(0.2)
    assert_same(pose, between(clips[0].sample(0.6), clips[0].sample(0.1 + 0.2), 0.2))
    assert len(fade.playing) == 2


def test_no_duration_is_a_cut_that_keeps_play_heads(skeleton: Skeleton, clips: list[Clip]) -> None:
    a, b, _ = clips
    fade = exact(skeleton)
    fade.play(a)
    fade.fade_to(b, 1.0)
    fade.update(0.3)
    fade.fade_to(a, 0)
    assert not fade.is_fading
    np.testing.assert_array_equal(fade.pose, a.sample(0.3))


def test_speed_is_seconds_of_the_clip_for_each_second(skeleton: Skeleton, clips: list[Clip]) -> None:
    fade = exact(skeleton)
    fade.play(clips[0], speed=0.5)
    fade.fade_to(clips[1], 1.0, "linear", speed=0)
    pose = fade.update(0.6)
    assert_same(pose, between(clips[0].sample(0.3), clips[1].sample(0), 0.6))


def test_sync_keeps_one_phase_at_the_blended_duration(skeleton: Skeleton, clips: list[Clip]) -> None:
    a, b, _ = clips  # 1 s and 2 s
    fade = exact(skeleton)
    fade.play(a, at=0.4)
    fade.update(0.2)
    fade.fade_to(b, 1.0, "linear", sync=True)
    assert fade.playing[1].time == pytest.approx(0.6 * 2)
    phase = 0.6
    for step in range(1, 10):
        pose = fade.update(0.1)
        weight = step / 10
        phase += 0.1 / ((1 - weight) * 1 + weight * 2)
        assert [p.time for p in fade.playing] == pytest.approx([phase * 1, phase * 2])
        assert_same(pose, between(a.sample(phase), b.sample(2 * phase), weight))
    fade.update(0.2)
    phase += 0.2 / 2
    fade.update(0.3)
    assert fade.playing[0].time == pytest.approx(2 * (phase + 0.3 / 2))  # alone again, at its own pace


def test_sync_without_a_phase_begins_at_the_start(skeleton: Skeleton, clips: list[Clip]) -> None:
    once = copy.copy(clips[0])
    once.loop = False
    fade = exact(skeleton)
    fade.play(once)
    fade.update(0.3)
    fade.fade_to(clips[1], 1.0, sync=True)
    fade.update(0.1)
    assert [p.time for p in fade.playing] == pytest.approx([0.4, 0.1])


def test_events_are_the_markers_passed(skeleton: Skeleton, clips: list[Clip]) -> None:
    a = clips[0].with_markers({"left": 0.0, "right": 0.5})
    b = clips[1].with_markers({"tick": 0.25})
    fade = exact(skeleton)
    fade.play(a)
    assert fade.events == ()
    fade.update(0.4)
    assert fade.events == ((a, Marker(0.0, "left"), 1.0),)
    fade.fade_to(b, 1.0, "linear")
    fade.update(0.25)
    assert [(e.clip, e.marker.name, e.weight) for e in fade.events] == [(a, "right", 0.75), (b, "tick", 0.25)]
    fade.update(0)
    assert fade.events == ()
    fade.update(0.5)
    assert [(e.marker.name, e.weight) for e in fade.events] == [("left", 0.25)]
    counted = 0
    fade.play(a)
    for _ in range(1000):
        fade.update(0.0137)
        counted += len(fade.events)
    assert counted == 28  # 13.7 s: left at 0, 1, ... 13, right at 0.5, ... 13.5


def test_events_of_a_step_beyond_measure_are_its_last_turns(skeleton: Skeleton, clips: list[Clip]) -> None:
    a = clips[0].with_markers({"left": 0.0, "right": 0.5})
    fade = exact(skeleton)
    fade.play(a)
    fade.update(1e7 + 0.25)
    assert len(fade.events) == 200
    assert fade.events[-1].marker == Marker(1e7, "left")
    fade.fade_to(clips[1].with_markers({"tick": 0.25}), 1.0)
    fade.update(1e15)
    assert np.isfinite(fade.pose).all()
    assert len(fade.events) <= 300


@pytest.mark.parametrize("loop", [True, False, "ping_pong"])
def test_the_marker_of_a_single_pose_is_passed_once(skeleton: Skeleton, loop: Any) -> None:
    still = Clip.from_poses(skeleton, [0.5], skeleton.rest[None], loop=loop).with_markers({"hold": 0.5})
    fade = exact(skeleton)
    fade.play(still, at=0.0)
    passed = [[e.marker.name for e in fade.events] for _ in range(3) if fade.update(0.3) is not None]
    assert passed == [[], ["hold"], []]


def test_what_has_the_means_of_a_clip_plays_as_one(skeleton: Skeleton, clips: list[Clip]) -> None:
    class Hold:
        name, start, duration, loop = "hold", 0.0, 0.0, False

        def __init__(self) -> None:
            self.skeleton = skeleton

        def sample(self, times: Any, loop: Any = None, out: Any = None) -> np.ndarray:
            return np.tile(skeleton.rest, (*np.shape(times), 1, 1))

    fade = exact(skeleton)
    fade.play(clips[0].with_markers({"left": 0.3}))
    fade.fade_to(Hold(), 1.0, "linear")
    pose = fade.update(0.5)
    assert_same(pose, between(clips[0].sample(0.5), skeleton.rest.astype(np.float64), 0.5))
    assert (fade.root_motion, len(fade.events)) == (None, 1)
    fade.fade_to(clips[1], 0.2, method="spring")
    fade.fade_to(Hold(), 0.2, method="spring")
    fade.update(0.3)
    np.testing.assert_array_equal(fade.pose, skeleton.rest)


def test_a_step_of_no_time_moves_nothing(skeleton: Skeleton, clips: list[Clip]) -> None:
    """A game that is paused multiplies by the root motion all the same."""
    slide = lissom.trs.from_parts(translation=[[0, 0, 0], [0, 0, 2.0]])
    moving = clips[0].with_root_motion(RootMotion.from_moves([0, 1], slide)).with_markers({"left": 0.0})
    fade = exact(skeleton)
    fade.play(moving)
    for _ in range(2):
        fade.update(0)
        assert fade.root_motion is not None
        np.testing.assert_array_equal(fade.root_motion, lissom.trs.identity(dtype=np.float64))
        assert fade.events == ()
    fade.update(0.5)
    assert fade.root_motion is not None
    assert fade.root_motion[2] == pytest.approx(1.0)
    assert [e.marker.name for e in fade.events] == ["left"]  # still at its start


def test_fades_that_are_over_leave_nothing(skeleton: Skeleton, clips: list[Clip]) -> None:
    fade = exact(skeleton)
    fade.play(clips[0])
    for k in range(100):
        fade.fade_to(clips[0], 1.0, at=0.01 * k)  # the same clip, each time anew
    assert len(fade.playing) == 101
    fade.update(0.5)
    assert sum(p.weight for p in fade.playing) == pytest.approx(1)
    fade.update(0.5)
    assert len(fade.playing) == len(fade._layers) == len(fade._heads) == 1
    np.testing.assert_array_equal(fade.pose, clips[0].sample(0.99 + 1.0))


def test_root_motion_is_blended_by_weight(skeleton: Skeleton, clips: list[Clip]) -> None:
    def moving(clip: Clip, speed: float, yaw: float) -> Clip:
        moves = np.ones((2, 10))
        moves[:, :7] = [0, 0, 0, 0, 0, 0, 1]
        moves[1, 2] = speed * clip.duration
        moves[1, 3:7] = lissom.quat.from_rotation_vector([0, yaw, 0])
        return clip._edited(root_motion=RootMotion.from_moves([clip.start, clip.end], moves, loop=True))

    a, b = moving(clips[0], 1.0, 0.0), moving(clips[1], 3.0, 0.0)
    fade = exact(skeleton)
    fade.play(a)
    assert fade.root_motion is None  # nothing has moved yet
    fade.fade_to(b, 1.0, "linear")
    fade.update(0.5)
    np.testing.assert_allclose(fade.root_motion, [0, 0, 1.0, 0, 0, 0, 1, 1, 1, 1], atol=ROUNDING)
    fade.fade_to(clips[2], 1.0, "linear")  # stands still
    fade.update(0.25)
    assert fade.root_motion is not None
    speed = 0.75 * (0.25 * 1 + 0.75 * 3)
    np.testing.assert_allclose(fade.root_motion[:3], [0, 0, 0.25 * speed], atol=ROUNDING)
    fade.play(clips[2])
    fade.update(0.1)
    assert fade.root_motion is None
    turning = moving(clips[0], 1.0, 0.5)
    fade.play(turning)
    fade.update(2.5)  # across the seam
    assert turning.root_motion is not None
    np.testing.assert_allclose(fade.root_motion, turning.root_motion.between(0, 2.5), atol=ROUNDING)


@pytest.mark.parametrize("method", ["inertialize", "spring"])
def test_inertialize_starts_as_shown_and_keeps_the_velocity(
    skeleton: Skeleton, clips: list[Clip], method: Any
) -> None:
    a, b, _ = clips
    fade = exact(skeleton)
    fade.play(a)
    dt = 1e-3
    fade.update(0.37)
    before = fade.update(dt)
    shown = fade.update(dt)
    fade.fade_to(b, 0.4, method=method)
    assert [p.clip for p in fade.playing] == [b]
    assert fade.is_fading
    assert_same(fade.update(0), shown)
    first = fade.update(dt)
    step = distances(shown, first)
    assert (step <= 3 * distances(before, shown) + 1e-4).all()
    for _ in range(398):
        last = fade.update(dt)
    assert fade.is_fading
    for _ in range(2):
        last = fade.update(dt)
    assert not fade.is_fading
    np.testing.assert_array_equal(last, b.sample(fade.playing[0].time))


@pytest.mark.parametrize("method", ["inertialize", "spring"])
def test_inertialize_counts_both_velocities(skeleton: Skeleton, method: Any) -> None:
    def moving(start: float, speed: float, seconds: float) -> Clip:
        """All joints shift along x by metres and turn about their own z by radians, at `speed`."""
        poses = np.tile(skeleton.rest.astype(np.float64), (2, 1, 1))
        for pose, way in zip(poses, (start, start + speed * seconds), strict=True):
            pose[:, 0] = way
            pose[:, 3:7] = lissom.quat.from_rotation_vector([0, 0, way])
        return Clip.from_poses(skeleton, [0, seconds], poses, loop=False)

    fade = exact(skeleton)
    fade.play(moving(0, 1.0, 1))
    dt = 1e-3
    for _ in range(500):
        fade.update(dt)
    fade.fade_to(moving(2, 0.3, 1), 0.4, method=method)
    pose = fade.update(dt)  # comes at 1 per second, towards what goes away at 0.3
    slack = (
        10 if method == "inertialize" else 500
    ) * dt**2  # a spring accelerates at once, by 9.2 / 0.4 s squared
    np.testing.assert_allclose(pose[:, 0], 0.501, atol=slack)
    turned = lissom.quat.from_rotation_vector([0, 0, 0.501])
    np.testing.assert_allclose(pose[:, 3:7], np.tile(turned, (6, 1)), atol=slack)


def test_a_spring_keeps_what_the_quintic_drops(skeleton: Skeleton) -> None:
    """A velocity away from the target carries the joint on for a while."""
    poses = np.tile(skeleton.rest.astype(np.float64), (2, 1, 1))
    poses[:, :, 0] = [[0], [1]]
    leaving = Clip.from_poses(skeleton, [0.0, 1.0], poses, name="leaving", loop=False)
    still = Clip.from_poses(skeleton, [0.0], poses[:1], name="still")
    places = {}
    for method in ("inertialize", "spring"):
        fade = exact(skeleton)
        fade.play(leaving)
        for _ in range(50):
            fade.update(0.01)
        fade.fade_to(still, 1.0, method=method)  # type: ignore[arg-type]
        places[method] = [fade.update(0.01)[0, 0] for _ in range(100)]
    assert max(places["inertialize"]) <= 0.5
    assert places["spring"][0] == pytest.approx(0.51, abs=3e-3)
    assert max(places["spring"]) > 0.508
    assert places["spring"][-1] == places["inertialize"][-1] == 0


@pytest.mark.parametrize("method", ["inertialize", "spring"])
def test_a_parameter_that_was_set_is_no_velocity(skeleton: Skeleton, clips: list[Clip], method: Any) -> None:
    """A blend space in flight whose value leaps before the fade back to it."""
    steps = []
    for leap in (False, True):
        gait = lissom.BlendSpace1D(clips[:2], [0.0, 1.0])
        fade = exact(skeleton)
        fade.play(gait)
        for _ in range(20):
            fade.update(0.01)
        fade.fade_to(clips[2], 0.5)
        for _ in range(20):
            shown = fade.update(0.01)
        if leap:
            gait.value = 0.5
        fade.fade_to(gait, 0.3, method=method)
        if leap:
            gait.value = 0.0
        steps.append(distances(shown, fade.update(0.001)))
    # The velocities at both values are alike; the leap in 0.01 s would be twenty times as fast.
    assert steps[1].max() <= 3 * steps[0].max()


def test_a_copy_plays_on_independently_to_the_same_bits(skeleton: Skeleton, clips: list[Clip]) -> None:
    fade = exact(skeleton)
    fade.play(clips[0])
    fade.update(0.11)
    fade.fade_to(clips[1], 0.6, sync=True)
    fade.update(0.13)
    fade.fade_to(clips[2], 0.3, method="inertialize")
    fade.update(0.05)
    fade.fade_to(clips[0], 0.4)
    fade.update(0.05)
    others = [copy.copy(fade), copy.deepcopy(fade), pickle.loads(pickle.dumps(fade))]
    assert [p.clip for p in others[0].playing] == [p.clip for p in fade.playing]
    for other in others:
        assert repr(other) == repr(fade)
    expected = [fade.update(0.03) for _ in range(20)]
    for other in others:
        for pose in expected:
            np.testing.assert_array_equal(other.update(0.03), pose)


def test_a_copy_keeps_the_clips_themselves(skeleton: Skeleton, clips: list[Clip]) -> None:
    fade = exact(skeleton)
    fade.play(clips[0])
    other = copy.copy(fade)
    assert other.playing[0].clip is clips[0]
    other.fade_to(clips[0], 1.0)
    assert not other.is_fading


def test_repr_says_what_plays(skeleton: Skeleton, clips: list[Clip]) -> None:
    fade = exact(skeleton)
    assert repr(fade) == "<CrossFade of 6 joints: nothing plays>"
    fade.play(clips[0])
    fade.fade_to(clips[1], 1.0, "linear")
    fade.update(0.25)
    expected = "<CrossFade of 6 joints: 'cycle of 1 s' at 0.250 s (75%), 'cycle of 2 s' at 0.250 s (25%)>"
    assert repr(fade) == expected


def test_out_is_filled_and_returned(skeleton: Skeleton, clips: list[Clip]) -> None:
    fade = CrossFade(skeleton)
    fade.play(clips[0])
    out = np.empty((6, 10), np.float32)
    assert fade.update(0.1, out) is out
    np.testing.assert_array_equal(out, fade.pose)
    with pytest.raises(TypeError, match=r"CrossFade\.update: out must be an array of float32, got float64"):
        fade.update(0.1, np.empty((6, 10)))
    with pytest.raises(ValueError, match=r"CrossFade\.update: out must have shape \(6, 10\), got \(5, 10\)"):
        fade.update(0.1, np.empty((5, 10), np.float32))


@pytest.mark.parametrize("function", ["update", "fade_to", "pose"])
def test_nothing_plays_before_play(skeleton: Skeleton, clips: list[Clip], function: str) -> None:
    fade = CrossFade(skeleton)
    assert (fade.playing, fade.events, fade.is_fading, fade.root_motion) == ((), (), False, None)
    calls = {
        "pose": lambda: fade.pose,
        "update": lambda: fade.update(0.1),
        "fade_to": lambda: fade.fade_to(clips[0], 1.0),
    }
    with pytest.raises(ValueError, match=rf"CrossFade\.{function}: nothing plays yet; call play first"):
        calls[function]()


@pytest.mark.parametrize("dt", [-0.1, math.nan, math.inf])
def test_time_goes_forwards(skeleton: Skeleton, clips: list[Clip], dt: float) -> None:
    fade = CrossFade(skeleton)
    fade.play(clips[0])
    with pytest.raises(ValueError, match=r"CrossFade\.update: dt must be finite and at least 0, got"):
        fade.update(dt)
    with pytest.raises(TypeError, match=r"CrossFade\.update: dt must be a number, got str"):
        fade.update("0.1")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"duration": -1}, "duration must be finite and at least 0, got -1"),
        ({"duration": math.nan}, "duration must be finite and at least 0, got nan"),
        ({"ease": "cubic"}, "ease must be one of 'linear', 'smooth', 'smoother' or a function, got 'cubic'"),
        ({"ease": lambda x: x + 1}, "ease must lead from 0 at 0 to 1 at 1, got 1.0 at 0"),
        ({"ease": lambda x: x * 0.5}, "ease must lead from 0 at 0 to 1 at 1, got 0.5 at 1"),
        ({"ease": lambda x: x * (5 - 4 * x)}, r"ease must stay in \[0, 1\], got 1.0"),
        ({"ease": lambda x: math.nan}, "what ease gives at 0 must be finite, got nan"),
        ({"method": "cut"}, "method must be one of 'blend', 'inertialize', 'spring', got 'cut'"),
        ({"at": math.inf}, "at must be finite, got inf"),
        ({"at": 0.0, "sync": True}, "sync begins at the phase of what shows, so at must be None, got 0.0"),
        ({"speed": -1}, "speed must be finite and at least 0, got -1; Clip.reversed plays backwards"),
    ],
)
def test_options_are_checked(
    skeleton: Skeleton, clips: list[Clip], options: dict[str, Any], message: str
) -> None:
    fade = CrossFade(skeleton)
    fade.play(clips[0])
    with pytest.raises(ValueError, match=r"CrossFade\.fade_to: " + message):
        fade.fade_to(clips[1], **({"duration": 1.0} | options))
    assert len(fade.playing) == 1


def test_sync_needs_a_cycle(skeleton: Skeleton, clips: list[Clip]) -> None:
    fade = CrossFade(skeleton)
    fade.play(clips[0])
    still = Clip.from_poses(skeleton, [0.0], skeleton.rest[None], name="still", loop=True)
    with pytest.raises(ValueError, match="sync needs a clip that loops and lasts, got 'still'"):
        fade.fade_to(still, 1.0, sync=True)
    fade.fade_to(still, 0.5)  # a pose that is held is a clip, too
    np.testing.assert_array_equal(fade.update(0.6), skeleton.rest)


def test_differences_and_poses_do_not_mix(skeleton: Skeleton, clips: list[Clip]) -> None:
    lean = clips[1]._edited(name="lean", additive=True)
    fade = CrossFade(skeleton)
    fade.play(clips[0])
    with pytest.raises(ValueError, match=r"both be additive or neither, got 'lean', which is, and 'cycle of"):
        fade.fade_to(lean, 1.0)
    fade.play(lean)
    with pytest.raises(ValueError, match=r"both be additive or neither, got 'lean', which is, and 'cycle of"):
        fade.fade_to(clips[0], 1.0)


def test_clips_of_other_skeletons_are_refused(skeleton: Skeleton, clips: list[Clip]) -> None:
    rng = np.random.default_rng(3)
    names = [*skeleton.names[:3], "tail", *skeleton.names[4:]]
    fade = CrossFade(skeleton)
    fade.play(clips[0])
    cases = [
        (Skeleton(names, skeleton.parents, skeleton.rest), "joint 3 is 'tail' there and 'joint 3' here"),
        (random_skeleton(rng, 4), "it has 4 joints and this one 6"),
    ]
    for other, what in cases:
        clip = Clip.from_poses(other, [0.0, 1.0], random_poses(rng, 2, len(other)), name="theirs")
        for call in (lambda clip=clip: fade.play(clip), lambda clip=clip: fade.fade_to(clip, 1.0)):
            with pytest.raises(ValueError, match=f"'theirs' must be of the same skeleton, but {what}"):
                call()
    same = Skeleton(skeleton.names, skeleton.parents, skeleton.rest)
    fade.play(Clip.from_poses(same, [0.0, 1.0], random_poses(rng, 2, 6)))


def test_wrong_types_are_refused(skeleton: Skeleton) -> None:
    with pytest.raises(TypeError, match="CrossFade: skeleton must be a Skeleton, got str"):
        CrossFade("hero")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="CrossFade: dtype must be float32 or float64, got int32"):
        CrossFade(skeleton, dtype=np.int32)
    with pytest.raises(TypeError, match=r"CrossFade\.play: clip must be a Clip or a blend space, got str"):
        CrossFade(skeleton).play("walk")  # type: ignore[arg-type]
    fade = CrossFade(skeleton)
    fade.play(Clip.from_poses(skeleton, [0.0], skeleton.rest[None]))
    clip = fade.playing[0].clip
    with pytest.raises(TypeError, match=r"fade_to: ease must be a name or a function, got int"):
        fade.fade_to(clip, 1.0, 3)  # type: ignore[arg-type]
    for options in ({"duration": "1"}, {"duration": 1.0, "at": "0"}, {"duration": 1.0, "speed": [1]}):
        *_, (name, value) = options.items()
        said = rf"CrossFade\.fade_to: {name} must be a number, got {type(value).__name__}"
        with pytest.raises(TypeError, match=said):
            fade.fade_to(clip, **options)  # type: ignore[arg-type]


def test_the_how_to_runs(capsys: pytest.CaptureFixture[str]) -> None:
    text = (Path(__file__).parents[1] / "docs" / "howto" / "play-clips.md").read_text()
    exec("\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)), {})
    said = capsys.readouterr().out
    assert said.count("left foot") == 2
    assert "run' 100%" in said
