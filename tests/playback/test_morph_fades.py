# SPDX-License-Identifier: MIT
"""Weights of morph targets in cross-fades and blend spaces, and the whole state of a clip."""

import copy

import numpy as np
import pytest

import lissom
from lissom import BlendSpace1D, BlendSpace2D, Clip, CrossFade, Skeleton

SKELETON = Skeleton(["hips", "head"], [-1, 0], np.tile(np.float32([0, 1, 0, 0, 0, 0, 1, 1, 1, 1]), (2, 1)))
NAMES = ["face/smile", "face/blink"]
DEFAULTS = [0.0, 0.25]


def face(name: str, smile: list[float], blink: list[float] | None = None, **options) -> Clip:
    """A clip of two seconds, its keys at even times; a blink that is left out has its default."""
    times = np.linspace(0, 2, len(smile))
    morphs = np.stack([smile, blink or [DEFAULTS[1]] * len(smile)], axis=1)
    names = options.pop("names", NAMES)
    poses = np.tile(SKELETON.rest, (len(times), 1, 1))
    clip = Clip.from_poses(SKELETON, times, poses, name=name, morphs=morphs, morph_names=names)
    return clip._edited(**{"morph_defaults": DEFAULTS, "loop": False} | options)


def body(name: str = "body") -> Clip:
    """A clip that knows of no morph targets."""
    poses = np.tile(SKELETON.rest, (2, 1, 1))
    poses[1, 0, 0] = 2
    return Clip.from_poses(SKELETON, [0, 2], poses, name=name, loop=False)


RISING, FLAT, FALLING = (
    face("rising", [0, 2]),
    face("flat", [1, 1], [0.5, 0.5]),
    face("falling", [4, 0], [1, 0]),
)


def test_a_clip_shows_its_weights() -> None:
    fade = CrossFade(SKELETON)
    fade.play(RISING, at=0.5)
    assert fade.morph_names == tuple(NAMES)
    assert fade.morphs.tolist() == [0.5, 0.25]
    assert fade.morphs.dtype == np.float32
    for dt in (0.25, 0.5):
        fade.update(dt)
    np.testing.assert_array_equal(fade.morphs, RISING.morphs(1.25))
    assert CrossFade(SKELETON, dtype=np.float64).dtype == np.float64
    with pytest.raises(ValueError, match=r"CrossFade\.morphs: nothing plays yet; call play first"):
        _ = CrossFade(SKELETON).morphs


def test_weights_fade_in_a_straight_line() -> None:
    fade = CrossFade(SKELETON, dtype=np.float64)
    fade.play(RISING)
    fade.fade_to(FALLING, 1.0, "linear")
    assert fade.morphs.tolist() == [0, 0.25]
    for step in range(1, 5):
        fade.update(0.25)
        t = 0.25 * step
        below, target = RISING.morphs(t).astype(float), FALLING.morphs(t).astype(float)
        np.testing.assert_allclose(fade.morphs, (1 - t) * below + t * target, atol=1e-12)
    assert not fade.is_fading
    np.testing.assert_array_equal(fade.morphs, FALLING.morphs(1.0))


def test_a_fade_over_a_fade_starts_from_what_shows() -> None:
    fade = CrossFade(SKELETON, dtype=np.float64)
    fade.play(RISING)
    fade.fade_to(FALLING, 1.0, "linear")
    fade.update(0.5)
    before = fade.morphs
    fade.fade_to(FLAT, 1.0, "linear")
    np.testing.assert_array_equal(fade.morphs, before)
    fade.update(0.25)
    inner = 0.25 * RISING.morphs(0.75).astype(float) + 0.75 * FALLING.morphs(0.75)
    np.testing.assert_allclose(fade.morphs, 0.75 * inner + 0.25 * FLAT.morphs(0.25), atol=1e-7)


@pytest.mark.parametrize("method", ["inertialize", "spring"])
def test_an_inertialized_face_keeps_its_speed_and_arrives(method: str) -> None:
    fade = CrossFade(SKELETON, dtype=np.float64)
    fade.play(RISING)
    for _ in range(50):
        fade.update(0.01)
    before = fade.morphs
    fade.fade_to(face("down", [-3, -3]), 0.5, method=method)
    np.testing.assert_allclose(fade.morphs, before, atol=1e-12)
    if method == "spring":  # it goes on in its direction first
        moment = copy.copy(fade)
        moment.update(1e-4)
        assert (moment.morphs - before)[0] == pytest.approx(1e-4, rel=0.1)
    seen = [before]
    for _ in range(60):
        fade.update(0.01)
        seen.append(fade.morphs)
    smiles = np.array(seen)[:, 0]
    assert np.abs(np.diff(smiles)).max() < 0.25  # no pop: from 0.5 to -3 in half a second
    assert smiles[-1] == -3
    assert fade.morphs[1] == 0.25
    assert not fade.is_fading


def test_a_clip_without_morph_targets_shows_their_defaults() -> None:
    fade = CrossFade(SKELETON, dtype=np.float64)
    fade.play(body())
    fade.update(0.1)
    assert fade.morphs.shape == (0,)
    fade.fade_to(FLAT, 1.0, "linear")
    np.testing.assert_array_equal(fade.morphs, DEFAULTS)
    fade.update(0.5)
    np.testing.assert_allclose(fade.morphs, [0.5, 0.375])
    fade.update(0.5)
    fade.fade_to(body("other"), 1.0, "linear")
    fade.update(0.25)
    np.testing.assert_allclose(fade.morphs, 0.75 * np.array([1, 0.5]) + 0.25 * np.array(DEFAULTS))
    fade.fade_to(body("third"), 0.5, method="inertialize")
    fade.update(1.0)
    np.testing.assert_array_equal(fade.morphs, DEFAULTS)


def test_other_morph_targets_are_refused_and_nothing_changes() -> None:
    fade = CrossFade(SKELETON)
    fade.play(FLAT)
    other = face("other", [0, 1], names=["face/frown", "face/blink"])
    for call in (lambda: fade.play(other), lambda: fade.fade_to(other, 1.0)):
        with pytest.raises(
            ValueError, match=r"CrossFade\.(play|fade_to): morph targets must be the same"
        ) as got:
            call()
        assert "'face/frown', which one of them lacks" in str(got.value)
    assert [playing.clip.name for playing in fade.playing] == ["flat"]
    bound = other.bind(SKELETON, morphs=NAMES)
    fade.fade_to(bound, 0.0)
    assert fade.morphs.tolist() == bound.morphs(0.0).tolist()
    with pytest.raises(ValueError, match=r"BlendSpace1D: morph targets must be the same, or none"):
        BlendSpace1D([FLAT, other], [0, 1])


def test_a_copy_plays_on_alike() -> None:
    fade = CrossFade(SKELETON)
    fade.play(RISING)
    fade.fade_to(FALLING, 1.0, method="spring")
    fade.update(0.2)
    other = copy.copy(fade)
    for _ in range(5):
        np.testing.assert_array_equal(fade.update(0.1), other.update(0.1))
        np.testing.assert_array_equal(fade.morphs, other.morphs)


def test_differences_begin_at_none() -> None:
    fade = CrossFade(SKELETON)
    added = lissom.make_additive(FALLING)
    fade.play(lissom.make_additive(body()))
    fade.fade_to(added, 1.0, "linear")
    assert fade.morphs.tolist() == [0, 0]
    fade.update(1.0)
    assert fade.morphs.tolist() == added.morphs(1.0).tolist() == [-2, -0.5]


# Blend spaces.


def test_a_blend_space_has_the_mean_of_its_weights() -> None:
    space = BlendSpace1D([RISING, FALLING], [0, 1], value=0.25)
    assert space.morph_names == tuple(NAMES)
    times = np.linspace(0, 2, 9).reshape(3, 3)
    want = 0.75 * RISING.morphs(times) + 0.25 * FALLING.morphs(times)
    np.testing.assert_allclose(space.morphs(times), want, atol=1e-6)
    out = np.empty((3, 3, 2), np.float32)
    assert space.morphs(times, out=out) is out
    np.testing.assert_allclose(out, want, atol=1e-6)
    with pytest.raises(TypeError, match=r"BlendSpace1D\.morphs: out must be"):
        space.morphs(times, out=np.empty((3, 3, 2)))
    plane = BlendSpace2D([RISING, FALLING, body()], [[0, 0], [1, 0], [0, 1]], point=[0.25, 0.5])
    third = 0.25 * RISING.morphs(1.0) + 0.25 * FALLING.morphs(1.0) + 0.5 * np.float32(DEFAULTS)
    np.testing.assert_allclose(plane.morphs(1.0), third, atol=1e-6)
    assert BlendSpace1D([body(), body("b")], [0, 1]).morphs([0.0, 1.0]).shape == (2, 0)


def test_a_fade_plays_the_weights_of_a_blend_space() -> None:
    space = BlendSpace1D([RISING, FALLING], [0, 1], value=0.5)
    fade = CrossFade(SKELETON)
    fade.play(FLAT)
    fade.fade_to(space, 1.0, "linear")
    fade.update(0.5)
    np.testing.assert_allclose(fade.morphs, 0.5 * FLAT.morphs(0.5) + 0.5 * space.morphs(0.5), atol=1e-6)
    space.value = 0.75
    fade.fade_to(FLAT, 0.5, method="inertialize")
    shown = fade.morphs
    fade.update(0.01)
    np.testing.assert_allclose(fade.morphs, shown, atol=0.1)


# The whole state.


def test_a_sampled_state_is_two_arrays() -> None:
    times = np.linspace(0, 3, 7)
    for source in (RISING, BlendSpace1D([RISING, FALLING], [0, 1], value=0.5)):
        for loop in (None, True, False, "ping_pong"):
            poses, morphs = lissom.sample(source, times, loop)
            np.testing.assert_array_equal(poses, source.sample(times, loop))
            np.testing.assert_array_equal(morphs, source.morphs(times, loop))
    with pytest.raises(TypeError, match=r"sample: clip must be a Clip or a blend space, got CrossFade"):
        lissom.sample(CrossFade(SKELETON), 0)
