# SPDX-License-Identifier: MIT
"""What a cross-fade refuses, each by its sentence."""

import math
from typing import Any

import numpy as np
import pytest

from fade_clips import bones_to_fade, cycles
from lissom import Clip, CrossFade, Skeleton
from random_rigs import random_poses, random_skeleton


@pytest.fixture(scope="module")
def skeleton() -> Skeleton:
    return bones_to_fade()


@pytest.fixture(scope="module")
def clips(skeleton: Skeleton) -> list[Clip]:
    return cycles(skeleton)


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
        ({"ease": lambda x: x * (5 - 4 * x)}, r"what ease gives at \S+ must lie in \[0, 1\], got 1.0"),
        ({"ease": lambda x: math.nan}, r"what ease gives at 0 must lie in \[0, 1\], got nan"),
        ({"method": "cut"}, "method must be one of 'blend', 'inertialize', 'spring', got 'cut'"),
        ({"at": math.inf}, "at must be finite, got inf"),
        ({"at": 0.0, "sync": True}, "at must be None with sync, which begins at the present phase, got 0.0"),
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
    with pytest.raises(ValueError, match="with sync, clip must loop and have a duration, got 'still'"):
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
