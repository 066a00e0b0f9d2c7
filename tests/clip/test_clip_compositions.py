# SPDX-License-Identifier: MIT
"""Edits upon edits: what one leaves behind, the next has to cope with."""

import pickle

import numpy as np
import pytest

import lissom
from clip_edits import EDITS, MORPH_NAMES, motion_of, symmetric_skeleton
from clip_laws import assert_same_poses, inner_times, is_wild
from lissom import Clip, Skeleton
from lissom.clip import CUBICSPLINE, LINEAR, ROTATION, SCALE, STEP, TRANSLATION, WEIGHT
from lissom.clip._tracks import Track, packed
from random_rigs import random_clip, random_poses, track_values

# Three edits, each of which rounds keys to the type: times of up to 20 s, where values change by tens a
# second. Rest poses are float32, so differences from them are, too.
TOLERANCE = {np.float32: 3e-4, np.float64: 5e-6}


def some_clip(rng: np.random.Generator, dtype: type, kind: str) -> Clip:
    """A clip whose motion does not hang on rounding."""
    skeleton = symmetric_skeleton(rng)
    if kind == "uniform":
        times = np.arange(9) / 8.0 + float(rng.integers(-3, 3))  # exact in float32
        poses = random_poses(rng, len(times), len(skeleton)).astype(dtype)
        weights = rng.normal(size=(len(times), len(MORPH_NAMES)))
        options = {"morphs": weights, "morph_names": MORPH_NAMES}
        return Clip.from_poses(skeleton, times, poses, **options)._edited(uniform=True)
    while True:
        clip = random_clip(rng, skeleton, dtype, False, kind == "one timeline", MORPH_NAMES)
        if clip.duration > 0.5 and not is_wild(clip):
            return clip


@pytest.mark.parametrize("kind", ["own times", "one timeline", "uniform"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_three_edits_do_what_each_does(dtype: type, kind: str) -> None:
    for seed in range(25):
        rng = np.random.default_rng(seed)
        clip = some_clip(rng, dtype, kind)
        motion = motion_of(clip)
        names = rng.choice(list(EDITS), 3)
        for name in names:
            clip, motion = EDITS[name](rng, clip, motion)
        assert clip.keys.dtype == dtype
        assert (clip.start, clip.end) == pytest.approx((motion.start, motion.end), abs=1e-5), (seed, names)
        times = inner_times(clip)
        try:
            assert_same_poses(clip.sample(times, loop=False), motion.poses_at(times), TOLERANCE[dtype])
            weights = clip.morphs(times, loop=False)
            np.testing.assert_allclose(weights, motion.weights_at(times), rtol=0, atol=TOLERANCE[dtype])
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {', '.join(names)}: {error}") from None


RNG = np.random.default_rng(8)
NAMES = ["root", "spine", "hand.L", "hand.R", "foot.L", "foot.R"]
REST = random_poses(RNG, 6)
REST[:, 7:] = 1
RIG = Skeleton(NAMES, [-1, 0, 1, 1, 0, 0], REST)
T = np.arange(5) / 4.0


def made(
    *tracks: tuple[int, int, int, list[float] | np.ndarray], dtype: type = np.float32, **options
) -> Clip:
    """A clip of (joint, path, interpolation, times), random values."""
    entries = []
    for joint, path, interpolation, times in tracks:
        values = track_values(RNG, path, interpolation, len(times))
        entries.append(Track(joint, path, interpolation, np.asarray(times, float), values))
    skeleton = options.pop("skeleton", RIG)
    return Clip("odd", skeleton, *packed(entries, np.dtype(dtype)), **options)


def frames(count: int, **options) -> Clip:
    return Clip.from_poses(RIG, T[:count], random_poses(RNG, count, 6))._edited(uniform=True, **options)


FACE = {"morph_names": ["face/smile", "face/wink_L", "face/wink_R"], "morph_defaults": [0.1, 0.2, 0.3]}

ODD = {
    "no tracks": made(),
    "no tracks, additive": made(additive=True),
    "no tracks, uniform": made(uniform=True),
    "one key": made((1, ROTATION, LINEAR, [0.5])),
    "one cubic key": made((1, ROTATION, CUBICSPLINE, [0.5])),
    "one key each": made((2, TRANSLATION, STEP, [-0.5]), (1, ROTATION, LINEAR, [0.5])),
    "before zero": made((0, TRANSLATION, LINEAR, T - 3), (3, ROTATION, LINEAR, T - 3)),
    "STEP only": made((0, TRANSLATION, STEP, T), (3, ROTATION, STEP, T + 0.1)),
    "cubic only": made((0, TRANSLATION, CUBICSPLINE, T), (3, SCALE, CUBICSPLINE, T + 0.1)),
    "float64": made((0, TRANSLATION, LINEAR, T), (3, ROTATION, LINEAR, T), dtype=np.float64),
    "additive": made((0, TRANSLATION, LINEAR, T), (3, ROTATION, STEP, T), additive=True),
    "uniform": frames(5),
    "one frame": frames(1),
    "uniform, additive": frames(5, additive=True),
    "ping-pong": frames(5, loop="ping_pong", markers=[(0.2, "left foot"), (0.7, "right foot")]),
    "two roots": made((0, ROTATION, LINEAR, T), skeleton=Skeleton(["a.L", "a.R"], [-1, -1], REST[:2])),
    "no size": made((0, ROTATION, LINEAR, T), skeleton=Skeleton(["one"], [-1], REST[:1])),
    "a microsecond": made((0, TRANSLATION, LINEAR, T * 1e-6), (3, ROTATION, LINEAR, T * 1e-6)),
    "a day later": made((0, TRANSLATION, LINEAR, T + 86400), (3, ROTATION, LINEAR, T + 86400)),
    "weights only": made((0, WEIGHT, LINEAR, T), (1, WEIGHT, STEP, T + 0.1), **FACE),
    "cubic weights": made((2, WEIGHT, CUBICSPLINE, T), (3, ROTATION, LINEAR, T - 0.3), **FACE),
    "weights that begin late": made((0, ROTATION, LINEAR, T), (1, WEIGHT, LINEAR, T + 0.5), **FACE),
    "one weight": made((0, WEIGHT, LINEAR, [0.5]), **FACE),
    "morph targets without tracks": made((0, ROTATION, LINEAR, T), **FACE),
    "additive weights": made((0, WEIGHT, LINEAR, T), (0, ROTATION, LINEAR, T), additive=True, **FACE),
    "uniform weights": made((0, WEIGHT, LINEAR, T), (1, WEIGHT, LINEAR, T), **FACE)._edited(uniform=True),
    "with root motion": made((0, TRANSLATION, LINEAR, T), (0, ROTATION, LINEAR, T)).extract_root_motion(0),
}

ANY_EDIT = {
    "at_speed": lambda c: c.at_speed(2.5),
    "retimed": lambda c: c.retimed(
        [c.start, c.start + 0.4 * c.duration, c.end], c.start + np.array([0, 1, 1.5])
    ),
    "reversed": lambda c: c.reversed(),
    "shifted": lambda c: c.shifted(0.35),
    "trimmed": lambda c: c.trimmed(c.start + 0.2 * c.duration, c.end - 0.3 * c.duration),
    "mirrored": lambda c: c.mirrored({}),
    "mirrored, reference": lambda c: c.mirrored({}, reference=c.skeleton.rest),
    "concatenated": lambda c: c.concatenated(c),
    "concatenated, blend": lambda c: c.concatenated(c, blend=0.2 * c.duration),
    "there_and_back": lambda c: c.there_and_back(),
    "closed_loop": lambda c: c.closed_loop(),
    "closed_loop, over": lambda c: c.closed_loop(over=0.4 * c.duration),
    "bind": lambda c: c.bind(c.skeleton),
    "bind, lengths": lambda c: c.bind(c.skeleton, lengths="skeleton"),
    "bind, morphs": lambda c: c.bind(c.skeleton, morphs=[f"other/{n[5:]}" for n in c.morph_names]),
    "resampled": lambda c: c.resampled(30),
    "resampled, max_error": lambda c: c.resampled(max_error=0.02),
    "optimized": lambda c: c.optimized(0.02),
    "optimized, 0": lambda c: c.optimized(0),
    "with_markers": lambda c: c.with_markers({"left": c.start, "end": c.end}),
    "renamed": lambda c: c.renamed("again"),
    "make_additive": lissom.make_additive,
    "extract_root_motion": lambda c: c.extract_root_motion(0),
    "restore_root_motion": lambda c: c.restore_root_motion(),
}


@pytest.mark.parametrize("name", ODD)
def test_whatever_is_edited_is_a_clip_or_refused_in_a_sentence(name: str) -> None:
    """All edits, and after each of them some others."""
    rng = np.random.default_rng(list(ODD).index(name))
    refusals = []
    for first in ANY_EDIT:
        clip = ODD[name]
        done = [name]
        for edit in (first, *rng.choice(list(ANY_EDIT), 2)):
            done.append(str(edit))
            before = clip.keys.copy()
            try:
                edited = ANY_EDIT[edit](clip)
            except ValueError as error:
                refusals.append(str(error))
                continue  # with the clip as it was
            np.testing.assert_array_equal(clip.keys, before)
            assert_is_sound(edited, done)
            if edit == "resampled, max_error" or edit == "optimized":
                assert max(edited.report.max_relative, edited.report.max_weight) <= 0.02, done
            clip = edited
    assert [words for words in refusals if not words.startswith(("Clip.", "make_additive: "))] == []


def assert_is_sound(clip: Clip, done: list[str]) -> None:
    times = np.linspace(clip.start - 0.3, clip.end + 0.3, 40)
    for loop in (False, True, "ping_pong"):
        poses = clip.sample(times, loop=loop)
        assert poses.dtype == clip.keys.dtype, done
        assert np.isfinite(poses).all(), done
        np.testing.assert_allclose(np.linalg.norm(poses[..., 3:7], axis=-1), 1, atol=1e-5, err_msg=str(done))
        weights = clip.morphs(times, loop=loop)
        assert weights.dtype == clip.keys.dtype, done
        assert weights.shape == (40, len(clip.morph_names)), done
        assert np.isfinite(weights).all(), done
    assert repr(clip)
    assert clip.loop in (False, True, "ping_pong")
    slack = 1e-5 * max(1, abs(clip.end))
    for marker in clip.markers:
        assert clip.start - slack <= marker.time <= clip.end + slack, done
    motion = clip.root_motion
    if motion is not None:
        assert np.isfinite(motion.at(times)).all(), done
        span = (motion.track.start, motion.track.end)
        assert span == pytest.approx((clip.start, clip.end), abs=slack), done
    again = pickle.loads(pickle.dumps(clip))
    np.testing.assert_array_equal(again.sample(times), clip.sample(times))
    np.testing.assert_array_equal(again.morphs(times), clip.morphs(times))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_jump_stays_a_jump(dtype: type) -> None:
    """Its two keys are neighbouring numbers of the type: rounding must not make them coincide."""
    clip = made((0, TRANSLATION, LINEAR, T + 0.1), (1, ROTATION, CUBICSPLINE, T), dtype=dtype)
    jumping = clip.concatenated(clip)
    seam = jumping.start + clip.duration
    for by in np.linspace(-9, 40, 50):
        sides = jumping.shifted(by).sample(seam + by + np.array([-1e-4, 1e-4]), loop=False)
        assert_same_poses(sides, clip.sample([clip.end - 1e-4, clip.start + 1e-4]), 1e-3)
    for edit in ("reversed", "at_speed", "retimed", "concatenated", "trimmed"):
        twice = ANY_EDIT[edit](ANY_EDIT[edit](jumping))
        assert_is_sound(twice, [edit])


def test_a_time_is_that_of_the_nearest_key() -> None:
    """A reversed STEP track may have two keys in one moment at its start: a cut at the first is no other."""
    clip = made((0, TRANSLATION, STEP, T + 0.6)).reversed()
    assert np.diff(clip.keys[:2])[0] < 1e-6
    slow = clip.retimed([clip.start, clip.end], [0, 2])
    np.testing.assert_allclose(slow.sample(1.3), clip.sample(clip.start + 0.65), atol=1e-6)


def test_bound_clips_last_as_long() -> None:
    clip = made((2, TRANSLATION, LINEAR, [-1, 4]), (1, ROTATION, LINEAR, T), (0, TRANSLATION, LINEAR, T))
    clip = clip.with_markers({"late": 3.5})
    for bound in (clip.bind(RIG, lengths="skeleton"), clip.bind(RIG, {"hand.L": None})):
        assert (bound.start, bound.end) == (-1, 4)
        assert [marker.name for marker in bound.markers_between(0, 4)] == ["late"]
        times = np.linspace(-1, 4, 37)
        assert_same_poses(bound.sample(times)[:, 1:2], clip.sample(times)[:, 1:2], 1e-6)


def test_what_has_no_keys_is_at_zero_with_its_markers() -> None:
    clip = made(markers=[(0, "here")]).shifted(2)
    assert clip.markers == ((0, "here"),)


def test_keys_of_a_uniform_clip_hold_the_bound_though_they_slerp() -> None:
    """Frames half a turn apart: between them slerp is up to 8 degrees from nlerp."""
    clip = frames(5)
    for bound in (0, 0.001, 0.02):
        report = clip.optimized(bound).report
        assert report.max_relative <= max(bound, 1e-5)
    fine = clip.resampled(240)
    assert fine.optimized(0.02).report.keys_after < fine.report.keys_after / 2


def test_bad_keys_are_called_so_before_anything_is_edited() -> None:
    keys, table = packed([Track(0, TRANSLATION, LINEAR, np.zeros(5), np.zeros((5, 3)))], np.dtype(np.float32))
    clip = Clip("still", RIG, keys, table)
    for edit in ("at_speed", "retimed", "reversed", "shifted", "trimmed", "mirrored", "bind", "closed_loop"):
        with pytest.raises(ValueError, match=r"Clip: track 0 .*key times must increase strictly"):
            ANY_EDIT[edit](clip)
