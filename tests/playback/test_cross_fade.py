# SPDX-License-Identifier: MIT
"""Cross-fades: what plays and how it goes over (no pop: see test_cross_fade_bound)."""

import copy
import math
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lissom
from fade_clips import ROUNDING, ROUNDING_FLOAT32, assert_same, between, bones_to_fade, cycles, exact
from lissom import Clip, CrossFade, Marker, Skeleton
from lissom.clip._root_motion import RootMotion


@pytest.fixture(scope="module")
def skeleton() -> Skeleton:
    return bones_to_fade()


@pytest.fixture(scope="module")
def clips(skeleton: Skeleton) -> list[Clip]:
    return cycles(skeleton)


def test_a_single_clip_is_its_samples(skeleton: Skeleton, clips: list[Clip]) -> None:
    fade = exact(skeleton)
    fade.play(clips[0], at=0.3)
    np.testing.assert_array_equal(fade.pose, clips[0].sample(0.3))
    for _ in range(100):
        pose = fade.update(1 / 30)
    (playing,) = fade.playing
    assert playing.time == pytest.approx(0.3 + 100 / 30)
    assert (playing.clip, playing.weight, playing.speed) == (clips[0], 1.0, 1.0)
    assert repr(playing) == f"Playing({clips[0].name!r}, 3.633 s, weight 1, speed 1)"
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


def test_float32_poses_are_the_float64_ones_to_rounding(skeleton: Skeleton, clips: list[Clip]) -> None:
    fades = [CrossFade(skeleton), exact(skeleton)]
    for fade in fades:
        fade.play(clips[0])
        fade.fade_to(clips[1], 0.5)
    single, double = (fade.update(0.2) for fade in fades)
    assert (single.dtype, double.dtype) == (np.float32, np.float64)
    assert_same(single.astype(np.float64), double, ROUNDING_FLOAT32)


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


def test_the_how_to_runs(capsys: pytest.CaptureFixture[str]) -> None:
    text = (Path(__file__).parents[2] / "docs" / "howto" / "play-clips.md").read_text()
    exec("\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)), {})
    said = capsys.readouterr().out
    assert said.count("left foot") == 2
    assert "run' 100%" in said
