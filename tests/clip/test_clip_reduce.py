# SPDX-License-Identifier: MIT
"""Key reduction: fewer keys, within the error asked for, and the error is the stated one."""

import pickle

import numpy as np
import pytest

import bake_rigs
import lissom
from lissom.bake_report import SUBFRAMES
from lissom.clip import CUBICSPLINE, LINEAR, STEP
from lissom.clip._tracks import Track, packed, unpacked
from random_rigs import random_clip, random_skeleton
from reference import sampling, shell

ROUNDING = {np.float32: 2e-6, np.float64: 1e-13}  # of numbers near 1: what max_error=0 may change


@pytest.fixture
def bones():
    return bake_rigs.skeleton()


def clip_of(skeleton, tracks, dtype=np.float64, **options):
    return lissom.Clip("made", skeleton, *packed([Track(*t) for t in tracks], np.dtype(dtype)), **options)


def wandering(rng, count, width, step=0.12):
    """Rotations (width 4) or vectors that wander from key to key."""
    start = np.zeros(width)
    start[-1] = 2
    values = start + np.cumsum(rng.normal(size=(count, width)) * step, axis=0)
    return values / np.linalg.norm(values, axis=1, keepdims=True) if width == 4 else values


def lively_clip(rng, skeleton, count=24, dtype=np.float64):
    """Every joint turns smoothly with some noise; some move and grow."""
    times = np.linspace(0.5, 1.5, count)
    smooth = np.sin(2 * np.pi * (times - 0.5))[:, None]
    tracks = []
    for joint in range(len(skeleton)):
        turn = np.concatenate([smooth * rng.normal(size=3) * 0.3, np.ones((count, 1))], axis=1)
        turn += rng.normal(size=turn.shape) * 0.003
        tracks.append((joint, 1, LINEAR, times, turn / np.linalg.norm(turn, axis=1, keepdims=True)))
        if joint % 3 == 0:
            tracks.append((joint, 0, LINEAR, times, rng.normal(size=3) + 0.1 * smooth))
        if joint % 4 == 1:
            tracks.append((joint, 2, LINEAR, times, 1 + 0.1 * smooth * rng.uniform(size=3)))
    return clip_of(skeleton, tracks, dtype)


def key_moments(clip):
    keys = np.unique(
        np.concatenate([track.times for track in unpacked(clip.keys, clip.tracks)]).astype(float)
    )
    between = [keys[:-1] + share * np.diff(keys) for share in SUBFRAMES]
    return np.sort(np.concatenate([keys, *between]))


def twin_errors(before, after, times):
    """The errors (N, J) at joint shells, all in float64."""
    skeleton = before.skeleton
    shells = shell.points(skeleton.parents, skeleton.rest, skeleton.size)
    poses = [
        [sampling.clip_at(skeleton.rest, clip.keys, clip.tracks, time, False) for time in times]
        for clip in (before, after)
    ]
    return np.array([shell.errors(skeleton.parents, shells, a, b) for a, b in zip(*poses, strict=True)])


# --- the bound ---


@pytest.mark.parametrize("bound", [1e-2, 1e-3, 1e-4])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_error_stays_within_the_bound_and_is_the_twins(bound, dtype):
    rng = np.random.default_rng(11)
    skeleton = random_skeleton(rng, 9, scaled=True)
    clip = lively_clip(rng, skeleton, dtype=dtype)
    result = clip.optimized(bound)
    report = result.report
    errors = twin_errors(clip, result, key_moments(clip))
    noise = 1e-9 if dtype is np.float64 else 3e-6  # of sampling, relative to some units of length
    assert report.keys_after < report.keys_before
    assert report.max_relative <= bound
    assert report.max == pytest.approx(errors.max(), abs=noise)
    assert report.rms == pytest.approx(np.sqrt(np.mean(errors**2)), abs=noise)
    assert report.p99 == pytest.approx(np.sort(errors, axis=None)[-(errors.size // 100) - 1], abs=noise)
    time, joint = np.unravel_index(errors.argmax(), errors.shape)
    if dtype is np.float64:
        assert (report.worst, report.worst_time) == (
            skeleton.names[joint],
            pytest.approx(key_moments(clip)[time]),
        )


def test_the_bound_is_used():
    rng = np.random.default_rng(12)
    skeleton = random_skeleton(rng, 9)
    report = lively_clip(rng, skeleton).optimized(2e-3).report
    assert report.max_relative > 1e-3


@pytest.mark.parametrize("seed", range(6))
def test_more_error_takes_no_more_keys(seed):
    """Of bounds that are apart: between near ones the search may end a key or two worse."""
    rng = np.random.default_rng(seed)
    skeleton = random_skeleton(rng, 7)
    clip = lively_clip(rng, skeleton)
    counts = [
        clip.optimized(bound).report.keys_after for bound in (0, 1e-5, 1e-4, 5e-4, 1e-3, 2e-3, 1e-2, 0.1, 3)
    ]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] <= len(clip.tracks) * 24
    assert counts[-1] < len(clip.tracks)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", range(4))
def test_nothing_allowed_changes_nothing(seed, dtype):
    rng = np.random.default_rng(seed)
    skeleton = random_skeleton(rng, 6)
    clip = random_clip(rng, skeleton, dtype, False, seed % 2 == 0)
    result = clip.optimized(0)
    times = np.linspace(clip.start - 0.1, clip.end + 0.1, 300)
    before, after = clip.sample(times, loop=False), result.sample(times, loop=False)
    np.testing.assert_allclose(after, before, rtol=0, atol=ROUNDING[dtype])
    assert result.keys.dtype == dtype


@pytest.mark.parametrize("bound", [0, 1e-3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_keys_on_the_way_of_others_go(bones, bound, dtype):
    times = np.linspace(2, 3, 21)
    angle = np.linspace(0, 1, 21)
    turn = np.stack([np.sin(angle / 2), 0 * angle, 0 * angle, np.cos(angle / 2)], axis=1)
    turn[5:9] *= -1  # the same rotations
    path = np.float64([0, 0.4, 0]) + np.minimum(angle, 0.5)[:, None] * [1, 0, 2]
    clip = clip_of(bones, [(0, 1, LINEAR, times, turn), (1, 0, LINEAR, times, path)], dtype)
    result = clip.optimized(bound)
    counts = result.tracks["key_count"].tolist()
    # Of float64 quaternions the last bits may differ by more than what nothing allowed allows.
    assert counts == [2, 3] or (dtype is np.float64 and not bound and counts[0] < 21 and counts[1] == 3)
    between = np.linspace(2, 3, 77)
    got, want = result.sample(between, loop=False), clip.sample(between, loop=False)
    got[..., 3:7] *= np.where(np.sum(got[..., 3:7] * want[..., 3:7], axis=-1, keepdims=True) < 0, -1, 1)
    np.testing.assert_allclose(got, want, rtol=0, atol=ROUNDING[dtype])


def test_what_carries_much_keeps_more(bones):
    """The same trembling at the root and at the tip of a chain."""
    rng = np.random.default_rng(4)
    times = np.linspace(0, 1, 40)
    trembling = wandering(rng, 40, 4, 0.004)
    tip = len(bones) - 1
    clip = clip_of(bones, [(0, 1, LINEAR, times, trembling), (tip, 1, LINEAR, times, trembling)])
    root, end = clip.optimized(1e-3).tracks["key_count"]
    assert root > 2 * end


def test_a_small_scale_above_makes_room(bones):
    rng = np.random.default_rng(5)
    times = np.linspace(0, 1, 30)
    trembling = wandering(rng, 30, 3, 0.01)
    small = np.full((2, 3), 0.01)
    ends = np.float64([0, 1])
    plain = clip_of(bones, [(3, 0, LINEAR, times, trembling)])
    shrunk = clip_of(bones, [(2, 2, LINEAR, ends, small), (3, 0, LINEAR, times, trembling)])
    assert plain.optimized(1e-3).report.keys_after > 20
    assert shrunk.optimized(1e-3).report.keys_after < 10


def test_chains_do_not_pay_for_each_other():
    """Keys of one chain are as few beside a chain that trembles as beside one that is still."""
    rng = np.random.default_rng(14)
    rest = np.tile(np.float32([0, 0.5, 0, 0, 0, 0, 1, 1, 1, 1]), (8, 1))
    skeleton = lissom.Skeleton(list("abcdefgh"), [-1, 0, 1, 2, -1, 4, 5, 6], rest)
    times = np.linspace(0, 1, 30)
    calm = [(7, 1, LINEAR, times, wandering(rng, 30, 4, 0.02))]
    wild = [(joint, 1, LINEAR, times, wandering(rng, 30, 4, 0.004)) for joint in range(4)]
    alone = clip_of(skeleton, calm).optimized(2e-3).tracks["key_count"][0]
    together = clip_of(skeleton, calm + wild).optimized(2e-3).tracks["key_count"][0]
    assert 2 < alone < 30
    assert together == alone


# --- kinds of tracks ---


def test_step_tracks_lose_repeated_keys_alone(bones):
    rng = np.random.default_rng(6)
    times = np.linspace(0, 1, 9)
    values = rng.normal(size=(9, 3)) * 1e-6 + [0, 0.4, 0]
    values[3:6] = values[2]
    rest = np.tile(bones.rest[2, :3].astype(float), (9, 1))
    clip = clip_of(bones, [(1, 0, STEP, times, values), (2, 0, STEP, times, rest)])
    result = clip.optimized(0.1)
    (track,) = unpacked(result.keys, result.tracks)
    assert track.joint == 1
    np.testing.assert_array_equal(track.times, times[[0, 1, 2, 6, 7, 8]])
    np.testing.assert_array_equal(result.sample(times, loop=False), clip.sample(times, loop=False))


def test_cubic_tracks_keep_all_keys_or_one(bones):
    rng = np.random.default_rng(7)
    times = np.linspace(0, 1, 7)
    moving = np.stack([rng.normal(size=(7, 3)), rng.normal(size=(7, 3)), rng.normal(size=(7, 3))], axis=1)
    still = np.zeros((7, 3, 3))
    still[:, 1] = 1
    wavy = still.copy()
    wavy[:, ::2] = 1  # the same value at every key, and waves between
    tracks = [(1, 0, CUBICSPLINE, times, moving), (2, 0, CUBICSPLINE, times, still)]
    clip = clip_of(bones, [*tracks, (3, 0, CUBICSPLINE, times, wavy)])
    result = clip.optimized(1e-3)
    assert result.tracks["key_count"].tolist() == [7, 1, 7]
    assert set(result.tracks["interpolation"]) == {CUBICSPLINE}
    assert result.report.max_relative <= 1e-9


def test_a_cubic_track_that_carries_the_ends_is_flat(bones):
    keys = np.zeros((5, 3, 3))
    keys[:, ::2] = 1e-4
    keys[:, 1] = 1
    clip = clip_of(bones, [(1, 0, CUBICSPLINE, np.linspace(0, 1, 5), keys)])
    result = clip.optimized()
    assert result.tracks["key_count"].tolist() == [2]
    np.testing.assert_array_equal(result.sample([0.0, 0.3, 0.9])[:, 1, :3], 1)


def test_what_is_at_rest_goes(bones):
    clip = lissom.Clip.from_poses(bones, [0.0, 0.5, 1.0], np.repeat(bones.rest[None], 3, axis=0))
    poses = np.repeat(bones.rest[None], 3, axis=0)
    poses[1, 3, :3] += 1
    moved = lissom.Clip.from_poses(bones, [0.0, 0.5, 1.0], poses)
    assert moved.optimized().tracks["joint"].tolist() == [3]
    # Nothing moves, but the clip still lasts.
    still = clip.optimized()
    assert (still.start, still.end, still.report.keys_after) == (0.0, 1.0, 2)
    assert still.report.max == 0


def test_ends_stay_where_tracks_differ(bones):
    rng = np.random.default_rng(9)
    early, late = np.float64([0.25, 0.5]), np.float64([0.5, 0.75])
    values = np.repeat(rng.normal(size=(1, 3)), 2, axis=0)
    clip = clip_of(bones, [(1, 0, LINEAR, early, values), (2, 0, LINEAR, late, values)])
    result = clip.optimized()
    assert (result.start, result.end) == (0.25, 0.75)
    assert result.report.keys_after == 3  # one for each track, and one for the end


def test_a_uniform_clip_becomes_a_plain_one(bones):
    clip = bake_rigs.waving_clip(bones).resampled(60)
    result = clip.optimized(1e-3)
    assert not result.uniform
    assert result.report.keys_kept < 0.5
    assert result.report.max_relative <= 1e-3


def test_tracks_that_keep_the_same_keys_share_them(bones):
    clip = bake_rigs.waving_clip(bones)
    times = clip.optimized(0.5).tracks["times"]
    assert len(set(times.tolist())) < max(len(times), 2)


# --- judged by vertices ---


@pytest.mark.parametrize("method", ["linear", "dual_quat"])
def test_vertices_stay_within_the_bound(bones, method):
    clip = bake_rigs.waving_clip(bones, key_count=61)
    hero = bake_rigs.character(clip, method=method)
    result = clip.optimized(1e-3, character=hero)
    times = key_moments(clip)
    apart = hero.deform(clip.sample(times, loop=False)) - hero.deform(result.sample(times, loop=False))
    distances = np.linalg.norm(apart, axis=-1)
    report = result.report
    assert report.judged == "vertices"
    assert report.keys_after < report.keys_before
    assert report.max == pytest.approx(distances.max(), abs=3e-6)
    assert 0.5e-3 < report.max_relative <= 1e-3
    assert distances[:, report.worst].max() == pytest.approx(report.max, abs=3e-6)


# --- what goes along ---


def test_what_is_not_keys_stays(bones):
    clip = bake_rigs.waving_clip(bones)._edited(markers=[(0.25, "step")], loop="ping_pong")
    result = clip.optimized()
    assert (result.markers, result.loop, result.name) == (clip.markers, "ping_pong", clip.name)
    assert (result.start, result.end) == (clip.start, clip.end)
    assert pickle.loads(pickle.dumps(result)).report == result.report
    assert result.at_speed(2).report is None
    assert result.report.rate is None


def test_a_loop_stays_one_and_its_seam_stays_shut(bones):
    clip = bake_rigs.waving_clip(bones)
    ends = clip.optimized(1e-2).sample([clip.start, clip.end], loop=False)
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-6)
    open_clip = bake_rigs.waving_clip(bones)
    open_clip.loop = False
    assert open_clip.optimized(3).loop is False
    times = np.linspace(0, 1, 5)
    there = (1, 0, LINEAR, times, times[:, None] * [0.1, 0, 0] + [0, 0.4, 0])
    still = (2, 0, LINEAR, times[[0, -1]], np.tile([0, 0.4, 0], (2, 1)))
    one_way = clip_of(bones, [there, still])
    assert one_way.optimized(3).loop is False


def test_an_additive_clip_is_judged_upon_the_rest_pose(bones):
    times = np.linspace(0, 1, 20)
    rng = np.random.default_rng(2)
    turns = wandering(rng, 20, 4, 0.01)
    turns[:, 3] = 1
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    tracks = [(1, 1, LINEAR, times, turns), (2, 0, LINEAR, times, np.zeros((20, 3)))]
    result = clip_of(bones, tracks, additive=True).optimized(1e-3)
    plain = clip_of(bones, tracks[:1]).optimized(1e-3)
    assert result.additive
    assert result.tracks["joint"].tolist() == [1]  # the other does not move
    assert result.report.keys_after == plain.report.keys_after


def test_a_clip_without_tracks_stays_one(bones):
    result = clip_of(bones, []).optimized()
    assert len(result.tracks) == 0
    assert result.report.keys_kept == 1


def test_one_pose_stays_one(bones):
    rest = bones.rest.copy()
    rest[1, 0] = 0.5
    result = lissom.Clip.from_poses(bones, [3.0], rest[None]).optimized()
    np.testing.assert_array_equal(result.sample(3.0), rest)
    assert (result.start, result.duration) == (3.0, 0.0)


# --- errors ---


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (
            {"max_error": -1e-3},
            ValueError,
            r"Clip.optimized: max_error must be finite and at least 0, got -0.001",
        ),
        ({"max_error": np.inf}, ValueError, r"max_error must be finite and at least 0, got inf"),
        ({"max_error": "1"}, TypeError, r"max_error must be a number, got str"),
        ({"character": 1}, TypeError, r"Clip.optimized: character must be a Character, got int"),
    ],
)
def test_bad_arguments(bones, arguments, error, words):
    with pytest.raises(error, match=words):
        bake_rigs.waving_clip(bones).optimized(**arguments)


# --- real clips ---


@pytest.mark.parametrize("name", ["kaykit/Knight.glb", "khronos/Fox.glb", "quaternius/animals_pack/Stag.glb"])
def test_real_clips_hold_the_bound(asset, name):
    character = lissom.load(asset(f"characters/{name}"))
    clips = list(character.clips.values())
    rng = np.random.default_rng(1)
    for clip in clips[:: max(1, len(clips) // 2)][:2]:
        result = clip.optimized(1e-3)
        times = rng.choice(key_moments(clip), 12, replace=False)
        errors = twin_errors(clip, result, np.sort([*times, result.report.worst_time]))
        size = clip.skeleton.size
        assert result.report.keys_kept < 0.95
        assert errors.max() <= 1.001e-3 * size
        assert errors.max() == pytest.approx(result.report.max, abs=1e-5 * size)


def test_what_grows_out_of_nothing_keeps_its_turn(bones):
    """At no key is there an error without the turn: its joint is scaled to nothing, or at rest."""
    times = np.float64([0, 0.5, 1])
    turn = np.tile(bones.rest[2, 3:7].astype(float), (3, 1))
    turn[0] = [np.sin(0.4), 0, 0, np.cos(0.4)]
    scale = np.float64([[0] * 3, [1] * 3, [1] * 3])
    trembling = wandering(np.random.default_rng(3), 3, 4, 1e-5)
    tracks = [(2, 2, LINEAR, times, scale), (2, 1, LINEAR, times, turn)]
    result = clip_of(bones, [(0, 1, LINEAR, times, trembling), *tracks]).optimized(1e-3)
    counts = {(track.joint, track.path): len(track.times) for track in unpacked(result.keys, result.tracks)}
    assert (counts[2, 2], counts[2, 1]) == (3, 3)
    assert counts.get((0, 1), 0) < 3  # of which a search that fails would keep all
