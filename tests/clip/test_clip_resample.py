# SPDX-License-Identifier: MIT
"""Clips on a regular grid: frames, rates, and that the stated error is true."""

import copy
import pickle

import numpy as np
import pytest

import bake_rigs
import lissom
from lissom.clip import CUBICSPLINE, LINEAR, STEP
from lissom.clip._tracks import Track, packed
from random_rigs import random_quats, random_skeleton
from reference import sampling, shell

SAME = 1e-6  # float32 poses: a few roundings of numbers near 1
FLOAT64 = 1e-9
FLOAT32_NOISE = 3e-6  # of sampling in float32, relative to a size of some metres


@pytest.fixture
def bones():
    return bake_rigs.skeleton()


def clip_of(skeleton, tracks, dtype=np.float64, **options):
    return lissom.Clip("made", skeleton, *packed([Track(*t) for t in tracks], np.dtype(dtype)), **options)


def frame_at(clip, time):
    """The pose of a uniform clip: the frames around a time, mixed and made unit, in float64."""
    times = clip.keys[: int(clip.tracks["key_count"][0])].astype(np.float64)
    n = len(times) - 1
    place = np.clip((time - clip.start) / clip.duration * n, 0, n)
    frame = min(int(place), n - 1)
    pose = np.array(clip.skeleton.rest, np.float64)
    for track in clip.tracks:
        width = 4 if track["path"] == 1 else 3
        values = clip.keys[track["values"] : track["values"] + (n + 1) * width].reshape(n + 1, width)
        a, b = values[frame].astype(np.float64), values[frame + 1].astype(np.float64)
        if width == 4 and a @ b < 0:
            b = -b
        mixed = a + (place - frame) * (b - a)
        pose[track["joint"], sampling.COLUMNS[track["path"]]] = sampling.unit(mixed) if width == 4 else mixed
    return pose


def moments(clip, intervals):
    return clip.start + np.arange(4 * intervals + 1) / (4 * intervals) * clip.duration


# --- frames ---


@pytest.mark.parametrize("interpolation", [STEP, LINEAR, CUBICSPLINE])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_keys_on_the_grid_are_hit(interpolation, dtype):
    rng = np.random.default_rng(interpolation)
    skeleton = random_skeleton(rng, 3)
    times = (0.7 + np.arange(13) / 24).astype(dtype)
    quats = random_quats(rng, 13)
    steps = rng.normal(size=(13, 3))
    if interpolation == CUBICSPLINE:
        quats = np.stack([rng.normal(size=(13, 4)), quats, rng.normal(size=(13, 4))], axis=1)
        steps = np.stack([rng.normal(size=(13, 3)), steps, rng.normal(size=(13, 3))], axis=1)
    tracks = [(0, 1, interpolation, times, quats), (2, 0, interpolation, times, steps)]
    clip = clip_of(skeleton, tracks, dtype)
    result = clip.resampled(48)
    assert result.uniform
    assert result.keys.dtype == dtype
    assert set(result.tracks["interpolation"]) == {LINEAR}
    want, got = clip.sample(times, loop=False), result.sample(times, loop=False)
    got[..., 3:7] *= np.where(np.sum(got[..., 3:7] * want[..., 3:7], axis=-1, keepdims=True) < 0, -1, 1)
    # float32 times lie a rounding off the grid, and a cubic key may move fast.
    np.testing.assert_allclose(got, want, rtol=0, atol=2e-5 if dtype is np.float32 else FLOAT64)


@pytest.mark.parametrize(
    ("duration", "rate", "frames"), [(1.0, 30, 31), (1.01, 30, 32), (1e-3, 30, 2), (np.float32(0.7), 30, 22)]
)
def test_frames_hold_the_wanted_rate(bones, duration, rate, frames):
    clip = bake_rigs.waving_clip(bones, start=2.0, duration=float(duration), key_count=9)
    result = clip.resampled(rate)
    assert set(result.tracks["key_count"]) == {frames}
    assert (result.start, result.end) == (clip.start, clip.end)
    assert result.report.rate == pytest.approx((frames - 1) / clip.duration)


@pytest.mark.parametrize(("key_rate", "expected"), [(30, 60), (24, 72), (60, 60), (100, 100)])
def test_default_rate_is_a_multiple_of_the_keys(bones, key_rate, expected):
    clip = bake_rigs.waving_clip(bones, duration=30 / key_rate, key_count=31)
    assert clip.resampled().report.rate == pytest.approx(expected, rel=1e-4)


def test_frames_share_their_times_and_align_their_signs(bones):
    times = np.linspace(0, 2, 31)
    turns = wandering_turns(np.random.default_rng(1), 31)
    turns[::2] *= -1
    clip = clip_of(bones, [(3, 1, LINEAR, times, turns), (2, 0, LINEAR, times, turns[:, :3])])
    result = clip.resampled(90)
    assert len(set(result.tracks["times"])) == 1
    turn = result.tracks[result.tracks["path"] == 1][0]
    values = result.keys[turn["values"] : turn["values"] + 4 * turn["key_count"]].reshape(-1, 4)
    assert (np.sum(values[1:] * values[:-1], axis=1) > 0).all()


def test_a_clip_without_duration_has_one_frame(bones):
    rest = bones.rest.copy()
    rest[1, 0] = 0.5
    result = lissom.Clip.from_poses(bones, [3.0], rest[None]).resampled()
    assert result.report.rate == 0
    assert result.report.keys_after == 1
    np.testing.assert_allclose(result.sample(3.0), rest, atol=SAME)


def test_a_clip_without_tracks_stays_one(bones):
    result = clip_of(bones, []).resampled(max_error=1e-3)
    assert len(result.tracks) == 0
    assert result.report.max == 0
    assert result.report.keys_kept == 1


# --- the stated error ---


@pytest.mark.parametrize("rate", [24, 57])
def test_the_stated_error_is_the_twins(rate):
    rng = np.random.default_rng(8)
    skeleton = random_skeleton(rng, 6, scaled=True)
    times = np.linspace(0, 1, 11)
    turns = [(j, 1, LINEAR, times, wandering_turns(rng, 11)) for j in range(6)]
    clip = clip_of(skeleton, [*turns, (1, 0, LINEAR, times, rng.normal(size=(11, 3)) * 0.1)])
    result = clip.resampled(rate)
    shells = shell.points(skeleton.parents, skeleton.rest, skeleton.size)
    times = np.union1d(moments(clip, rate), np.linspace(0, 1, 11))
    errors = np.array(
        [
            shell.errors(
                skeleton.parents,
                shells,
                sampling.clip_at(skeleton.rest, clip.keys, clip.tracks, time, False),
                frame_at(result, time),
            )
            for time in times
        ]
    )
    report = result.report
    assert report.max > 1e-4 * skeleton.size, "nothing to measure"
    assert report.judged == "joint shell"
    assert report.max == pytest.approx(errors.max(), rel=1e-7)
    assert report.max_relative == pytest.approx(errors.max() / skeleton.size, rel=1e-7)
    time, joint = np.unravel_index(errors.argmax(), errors.shape)
    assert report.worst == skeleton.names[joint]
    assert report.worst_time == pytest.approx(times[time])
    # Keys within 2 % of an interval of a measured moment are not measured again.
    assert report.rms == pytest.approx(np.sqrt(np.mean(errors**2)), rel=0.05)
    assert report.rms < report.p99 < report.max


def wandering_turns(rng, count):
    """Rotations that wander by about a third of a radian from one to the next."""
    quats = np.float64([0, 0, 0, 2]) + np.cumsum(rng.normal(size=(count, 4)) * 0.12, axis=0)
    return quats / np.linalg.norm(quats, axis=1, keepdims=True)


def test_vertices_are_judged_by_the_characters_method(bones):
    clip = bake_rigs.spinning_clip(bones)
    hero = bake_rigs.character(clip)
    hero.method = "dual_quat"
    result = clip.resampled(25, character=hero)
    report = result.report
    times = np.union1d(moments(clip, result.tracks["key_count"][0] - 1), clip.keys[:61])
    apart = hero.deform(clip.sample(times, loop=False)) - hero.deform(result.sample(times, loop=False))
    distances = np.linalg.norm(apart, axis=-1)
    assert report.judged == "vertices"
    assert report.size == hero.size
    assert report.max == pytest.approx(distances.max(), abs=FLOAT32_NOISE)
    at = hero.deform(clip.sample(report.worst_time)) - hero.deform(result.sample(report.worst_time))
    assert np.linalg.norm(at[report.worst]) == pytest.approx(report.max, abs=FLOAT32_NOISE)


def test_a_character_without_a_mesh_is_judged_at_its_joints(bones):
    clip = bake_rigs.waving_clip(bones)
    bare = lissom.Character("bare", bones, None, None, [clip])
    assert clip.resampled(character=bare).report == clip.resampled().report


def test_the_unit_of_the_file_does_not_matter():
    """A root scale of 0.01 over lengths 100 times as long is the same motion."""
    rng = np.random.default_rng(2)
    skeleton = random_skeleton(rng, 5)
    times = np.linspace(0, 1, 8)
    tracks = [(j, 1, LINEAR, times, wandering_turns(rng, 8)) for j in range(5)]
    parents, rest = [-1, *np.where(skeleton.parents < 0, 0, skeleton.parents + 1)], skeleton.rest
    small = np.float32([[0, 0, 0, 0, 0, 0, 1, 0.01, 0.01, 0.01]])
    long = np.concatenate([small, rest * np.float32([100] * 3 + [1] * 7)])
    grown = lissom.Skeleton(["root", *skeleton.names], parents, long)
    size = np.linalg.norm(np.ptp(skeleton.positions(rest.astype(float)), axis=0))
    before = clip_of(skeleton, tracks).resampled(20).report
    after = clip_of(grown, [(j + 1, *rest) for j, *rest in tracks]).resampled(20).report
    assert after.worst == before.worst
    # The new root stands at the origin and may widen the box, and with it the smallest shells.
    if grown.size == pytest.approx(size, rel=1e-6):
        assert after.max == pytest.approx(before.max, rel=1e-5)


def test_a_rest_scale_of_zero_hides_no_rotation(bones):
    rest = bones.rest.copy()
    rest[2, 7:] = 0
    hidden = lissom.Skeleton(bones.names, bones.parents, rest)
    times = np.linspace(0, 1, 5)
    rng = np.random.default_rng(3)
    tracks = [(2, 2, LINEAR, times, np.ones((5, 3))), (2, 1, LINEAR, times, wandering_turns(rng, 5))]
    shown = clip_of(bones, tracks[1:]).resampled(7).report
    assert clip_of(hidden, tracks).resampled(7).report.max == pytest.approx(shown.max, rel=0.5)


def test_an_additive_clip_is_judged_upon_the_rest_pose(bones):
    rng = np.random.default_rng(5)
    times = np.linspace(0, 1, 6)
    tracks = [(j, 1, LINEAR, times, wandering_turns(rng, 6)) for j in range(5)]  # the rest does not turn here
    plain = clip_of(bones, tracks).resampled(7)
    added = clip_of(bones, tracks, additive=True).resampled(7)
    assert added.additive
    assert added.report.max == pytest.approx(plain.report.max, rel=1e-6)


# --- the rate that max_error needs ---


@pytest.mark.parametrize("bound", [3e-2, 3e-3, 3e-4])
def test_max_error_takes_the_lowest_rate_that_holds(bones, bound):
    clip = bake_rigs.waving_clip(bones, key_count=9)
    result = clip.resampled(max_error=bound)
    report = result.report
    assert report.max_relative <= bound
    ratio = report.rate / clip.key_rate
    fewer = ratio - 1 if ratio > 1.5 else 1 / (round(1 / ratio) + 1)
    assert clip.resampled(clip.key_rate * fewer).report.max_relative > bound


def test_a_rate_beside_max_error_is_the_least_and_the_unit(bones):
    clip = bake_rigs.waving_clip(bones, key_count=9)
    assert clip.resampled(40, max_error=0.5).report.rate == pytest.approx(40)
    assert clip.resampled(7, max_error=3e-3).report.rate % 7 == pytest.approx(0, abs=1e-4)


def test_irregular_keys_take_multiples_of_five(bones):
    rng = np.random.default_rng(0)
    times = np.linspace(0, 2, 31) + rng.uniform(-0.02, 0.02, 31)
    clip = lissom.Clip.from_poses(bones, times, bake_rigs.waving_poses(bones))
    assert clip.key_rate is None
    report = clip.resampled(max_error=2e-3).report
    assert report.max_relative <= 2e-3
    assert report.keys_after // len(clip.tracks) == np.ceil(clip.duration * 5 * round(report.rate / 5)) + 1


def test_jumps_are_told_apart(bones):
    times = np.linspace(0, 1, 11)
    high = np.tile([0.0, 0.4, 0.0], (11, 1))
    high[6:, 0] = 1
    clip = clip_of(
        bones, [(2, 0, STEP, times, high), (1, 1, LINEAR, times, np.tile([0, 0, 0, 1.0], (11, 1)))]
    )
    report = clip.resampled(max_error=1e-3).report
    assert report.max_relative <= 1e-3
    assert report.jumps == pytest.approx(0.75, abs=1e-3)  # a quarter of the way over at the first moment
    assert clip.resampled(10).sample(0.6)[2, 0] == pytest.approx(1)


def test_what_no_rate_reaches_is_an_error_with_the_best_report(bones):
    times = np.float64([0, 0.5, 0.5001, 1])
    places = np.float64([[0, 0.4, 0], [0, 0.4, 0], [1, 0.4, 0], [1, 0.4, 0]])
    clip = clip_of(bones, [(1, 0, LINEAR, times, places)])
    with pytest.raises(lissom.ResampleError, match=r"max_error=0.001 was not reached by 'made'") as caught:
        clip.resampled(max_error=1e-3)
    report = caught.value.report
    assert report.max_relative > 1e-3
    assert report.worst in bones.names[1:]
    assert pickle.loads(pickle.dumps(caught.value)).report == report


# --- what goes along ---


def test_markers_and_loop_go_along(bones):
    clip = bake_rigs.waving_clip(bones)._edited(markers=[(0.25, "step")], loop="ping_pong")
    result = clip.resampled(30)
    assert (result.markers, result.loop, result.name) == (clip.markers, "ping_pong", clip.name)


def test_copies_keep_the_report_and_edits_drop_it(bones):
    clip = bake_rigs.waving_clip(bones)
    assert clip.report is None
    result = clip.resampled(30)
    assert copy.copy(result).report == result.report
    assert copy.deepcopy(result).report == result.report
    assert pickle.loads(pickle.dumps(result)).report == result.report
    assert pickle.loads(pickle.dumps(result)).uniform
    assert result.at_speed(2).report is None


def test_the_report_speaks(bones):
    text = str(bake_rigs.waving_clip(bones).resampled(40).report)
    assert "error at joint shell: max 0." in text
    assert "became" in text
    assert "40 frames per second" in text


# --- errors ---


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"rate": 0}, ValueError, r"Clip.resampled: rate must be above zero and finite, got 0"),
        ({"rate": np.nan}, ValueError, r"rate must be above zero and finite, got nan"),
        ({"rate": "60"}, TypeError, r"rate must be a number, got str"),
        ({"max_error": -1e-3}, ValueError, r"max_error must be above zero and finite, got -0.001"),
        ({"max_error": True}, TypeError, r"max_error must be a number, got bool"),
        ({"character": "hero"}, TypeError, r"character must be a Character, got str"),
    ],
)
def test_bad_arguments(bones, arguments, error, words):
    with pytest.raises(error, match=words):
        bake_rigs.waving_clip(bones).resampled(**arguments)


def test_a_character_of_other_joints_is_refused(bones):
    with pytest.raises(
        ValueError, match=r"'humanoid_adult' must be of the same skeleton, but joint 0 is 'Pelvis' there"
    ):
        bake_rigs.waving_clip(bones).resampled(character=lissom.samples.humanoid())


def test_times_too_far_from_zero_are_refused(bones):
    clip = bake_rigs.waving_clip(bones, start=2.0**22, duration=8.0, key_count=5)
    with pytest.raises(ValueError, match=r"must leave frames that float32 distinguishes"):
        clip.resampled(60)
