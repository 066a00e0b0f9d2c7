# SPDX-License-Identifier: MIT
"""Key reduction of long clips: in windows, by the same rules, in memory that does not grow with the clip."""

import tracemalloc

import numpy as np
import pytest

import bake_rigs
import lissom
from lissom.clip import CUBICSPLINE, LINEAR, STEP, _windows
from lissom.clip._tracks import Track, all_tracks, packed
from random_rigs import random_skeleton
from test_clip_reduce import clip_of, key_moments, lively_clip, twin_errors, wandering

BOUND = 1e-3


@pytest.fixture
def short_windows(monkeypatch):
    monkeypatch.setattr(_windows, "MOST_KEY_TIMES", 40)


def rising(clip):
    """Whether every track's key times increase."""
    return all((np.diff(track.times) > 0).all() for track in all_tracks(clip))


def test_windows_keep_the_bound_and_few_keys(monkeypatch):
    rng = np.random.default_rng(21)
    skeleton = random_skeleton(rng, 7)
    clip = lively_clip(rng, skeleton, 150)
    whole = clip.optimized(BOUND)
    monkeypatch.setattr(_windows, "MOST_KEY_TIMES", 40)
    result = clip.optimized(BOUND)
    assert len(_windows.windows_of(clip)) == 4
    assert rising(result)
    assert (result.start, result.end) == (clip.start, clip.end)
    errors = twin_errors(clip, result, key_moments(clip)[::7])
    assert errors.max() <= BOUND * skeleton.size
    assert errors.max() <= result.report.max * (1 + 1e-6)
    # Each of three ends costs a track a key at most.
    assert result.report.keys_after <= whole.report.keys_after + 3 * len(clip.tracks)


def test_tracks_with_times_of_their_own(short_windows):
    """Sparse, late and early ones: no window has a key of theirs at its ends, or any."""
    rng = np.random.default_rng(22)
    bones = bake_rigs.skeleton()
    dense = np.linspace(0, 4, 130)
    tracks = [
        (0, 1, LINEAR, dense, wandering(rng, 130, 4, 0.01)),
        (1, 1, LINEAR, np.sort(rng.uniform(0.5, 3.7, 70)), wandering(rng, 70, 4, 0.02)),
        (2, 0, LINEAR, np.float64([0.3, 3.9]), rng.normal(size=(2, 3)) * 0.2),
        (2, 1, CUBICSPLINE, np.float64([1, 2, 3]), np.stack([wandering(rng, 3, 4, 0.1)] * 3, axis=1)),
        (3, 0, STEP, np.float64([0.5, 0.7, 3]), np.repeat(rng.normal(size=(3, 1)) * 0.1, 3, axis=1)),
        (3, 1, LINEAR, np.linspace(0, 0.4, 30), wandering(rng, 30, 4, 0.01)),
        (1, 0, LINEAR, np.linspace(3.5, 4, 30), wandering(rng, 30, 3, 0.01)),
    ]
    clip = clip_of(bones, tracks)
    result = clip.optimized(BOUND)
    assert len(_windows.windows_of(clip)) > 5
    assert rising(result)
    assert result.report.keys_after < result.report.keys_before
    assert twin_errors(clip, result, key_moments(clip)[::5]).max() <= BOUND * bones.size
    # Of the step track nothing repeats; the spline keeps all of its keys.
    kept = {(t.joint, t.path): len(t.times) for t in all_tracks(result)}
    assert (kept[3, 0], kept[2, 1]) == (3, 3)


def test_a_track_goes_where_it_is_still_in_all_windows(short_windows):
    bones = bake_rigs.skeleton()
    times = np.linspace(0, 4, 161)
    turn = wandering(np.random.default_rng(23), 161, 4, 0.01)
    rest, held, early = (np.tile(bones.rest[joint, :3].astype(float), (161, 1)) for joint in (1, 2, 3))
    held[:, 0] += 0.1
    early[:31] += np.linspace(0.2, 0, 31)[:, None]
    tracks = [(0, 1, LINEAR, times, turn)]
    tracks += [(joint, 0, LINEAR, times, path) for joint, path in enumerate((rest, held, early), 1)]
    result = clip_of(bones, tracks).optimized(BOUND)
    counts = {(t.joint, t.path): len(t.times) for t in all_tracks(result)}
    assert (1, 0) not in counts
    assert counts[2, 0] == 1
    assert 2 <= counts[3, 0] < 30


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nothing_allowed_changes_nothing(short_windows, dtype):
    rng = np.random.default_rng(24)
    clip = lively_clip(rng, random_skeleton(rng, 5), 150, dtype)
    result = clip.optimized(0)
    times = np.linspace(clip.start, clip.end, 211)
    after, before = result.sample(times, loop=False), clip.sample(times, loop=False)
    np.testing.assert_allclose(after, before, rtol=0, atol=2e-6 if dtype is np.float32 else 1e-13)


def test_uniform_additive_and_vertices(short_windows):
    bones = bake_rigs.skeleton()
    clip = bake_rigs.waving_clip(bones).resampled(120)
    plain = clip.optimized(BOUND)
    assert not plain.uniform
    assert plain.report.keys_kept < 0.5
    assert plain.report.max_relative <= BOUND
    hero = bake_rigs.character(clip)
    assert clip.optimized(BOUND, character=hero).report.max_relative <= BOUND
    times = np.linspace(0, 1, 150)
    turns = wandering(np.random.default_rng(2), 150, 4, 0.003)
    turns = np.concatenate([turns[:, :3], np.ones((150, 1))], axis=1)
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    added = clip_of(bones, [(1, 1, LINEAR, times, turns)], additive=True).optimized(BOUND)
    assert added.additive
    assert added.report.max_relative <= BOUND


def test_once_more_leaves_out_little_more(short_windows):
    rng = np.random.default_rng(25)
    once = lively_clip(rng, random_skeleton(rng, 5), 120).optimized(BOUND)
    twice = once.optimized(BOUND / 1000)
    assert twice.report.keys_kept > 0.97


def long_clip(skeleton, count):
    """Every joint turns, all at the same times, in float32."""
    times = (np.arange(count) / 120).astype(np.float32)
    tracks = []
    for joint in range(len(skeleton)):
        angle = np.sin(times * (1 + 0.3 * joint)) * 0.4 + np.sin(times * 31) * 0.002
        turn = np.stack([np.sin(angle), 0 * angle, 0 * angle, np.cos(angle)], axis=1).astype(np.float32)
        tracks.append(Track(joint, 1, LINEAR, times, turn))
    return lissom.Clip("long", skeleton, *packed(tracks, np.dtype(np.float32)))


def test_memory_follows_the_keys():
    """Of a clip four times as long, NumPy's peak grows by a few times its keys."""
    skeleton = bake_rigs.skeleton()
    peaks, sizes = [], []
    for count in (8000, 32000):
        clip = long_clip(skeleton, count)
        tracemalloc.start()
        clip.optimized(BOUND)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        sizes.append(clip.keys.nbytes)
    assert peaks[1] - peaks[0] < 4 * (sizes[1] - sizes[0])
