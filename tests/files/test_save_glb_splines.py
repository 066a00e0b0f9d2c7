# SPDX-License-Identifier: MIT
"""Saving splines of rotations whose keys are not unit: they are written with more keys, which are."""

import numpy as np
import pytest

import lissom
from lissom.clip import CUBICSPLINE, ROTATION
from lissom.clip._tracks import unpacked
from saved_characters import clip_of, skeleton


def curved(rng: np.random.Generator, bones: lissom.Skeleton, dtype: type) -> lissom.Clip:
    """Splines of rotations with unit keys and lively tangents."""
    tracks = []
    for joint in range(len(bones)):
        times = np.cumsum(rng.uniform(0.1, 0.5, 6))
        points = lissom.quat.align(lissom.quat.normalize(rng.normal((0, 0, 0, 2), 1, size=(6, 4))))
        values = np.stack([rng.normal(size=(6, 4)), points, rng.normal(size=(6, 4))], axis=1)
        tracks.append((joint, ROTATION, CUBICSPLINE, times, values))
    return clip_of("c", bones, *tracks, dtype=dtype)


def turned(a: np.ndarray, b: np.ndarray) -> float:
    """The largest angle between rotations of poses, exact for small ones."""
    a, b = (pose[..., 3:7].astype(np.float64) for pose in (a, b))
    chord = np.minimum(np.linalg.norm(a - b, axis=-1), np.linalg.norm(a + b, axis=-1))
    return float(4 * np.arcsin(chord / 2).max())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", range(5))
def test_splines_that_were_cut_are_written_with_unit_keys(seed: int, dtype: type) -> None:
    rng = np.random.default_rng(seed)
    bones = skeleton("a", "b", "c")
    whole = curved(rng, bones, dtype)
    cut = whole.trimmed(0.53, 1.13)
    tracks = unpacked(cut.keys, cut.tracks)
    assert any(abs(np.linalg.norm(t.points, axis=1) - 1).max() > 0.01 for t in tracks)
    data = lissom.save_glb(lissom.Character("x", bones, None, None, [cut]))
    again = lissom.load(data, strict=True).clips["c"]
    for track in unpacked(again.keys, again.tracks):
        np.testing.assert_allclose(np.linalg.norm(track.points, axis=1), 1, rtol=0, atol=0.0077)
        assert track.interpolation == CUBICSPLINE
        assert len(track.times) < 100
    times = np.linspace(cut.start, cut.end, 5001)
    poses = [clip.sample(times, loop=False) for clip in (whole, cut, again)]
    # Radians, as save_glb says; the times of float64 clips are rounded, too.
    assert turned(poses[1], poses[2]) <= (1e-6 if dtype is np.float32 else 2e-6)
    assert turned(poses[0], poses[2]) <= 2e-6  # the cut itself is rounded


def test_only_segments_beside_long_keys_get_keys() -> None:
    rng = np.random.default_rng(7)
    bones = skeleton("a")
    clip = curved(rng, bones, np.float32)
    (track,) = unpacked(clip.keys, clip.tracks)
    values = track.values.copy()
    values[2] *= 1.5
    longer = clip_of("c", bones, (0, ROTATION, CUBICSPLINE, track.times, values))
    data = lissom.save_glb(lissom.Character("x", bones, None, None, [longer]))
    (written,) = unpacked(*(getattr(lissom.load(data).clips["c"], name) for name in ("keys", "tracks")))
    old, new = (
        dict(zip(t.times.tolist(), v, strict=True)) for t, v in ((track, values), (written, written.values))
    )
    assert set(old) < set(new)
    times = track.times.tolist()
    assert all(times[1] <= time <= times[3] for time in set(new) - set(old))
    for k in (0, 4, 5):
        np.testing.assert_array_equal(old[times[k]], new[times[k]])
    np.testing.assert_array_equal(old[times[1]][:2], new[times[1]][:2])
    np.testing.assert_array_equal(old[times[3]][1:], new[times[3]][1:])
    samples = np.linspace(longer.start, longer.end, 5001)
    assert turned(longer.sample(samples), lissom.load(data).clips["c"].sample(samples)) <= 1e-6
