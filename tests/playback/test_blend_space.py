# SPDX-License-Identifier: MIT
"""Blend spaces: weights over a parameter, and clips in step."""

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest

import lissom
from lissom import BlendSpace1D, BlendSpace2D, Clip, CrossFade, Marker, Skeleton
from lissom._playback.triangulation import Triangulation
from random_rigs import random_poses, random_skeleton

ROUNDING = 1e-12  # of weights and float64 poses


@pytest.fixture(scope="module")
def skeleton() -> Skeleton:
    return random_skeleton(np.random.default_rng(0), 4)


def cycles(skeleton: Skeleton, count: int, dtype: Any = np.float64) -> list[Clip]:
    """Cycles of 1, 1.5, 2 s and so on, each with its own start."""
    rng = np.random.default_rng(count)
    result = []
    for i in range(count):
        times = 0.1 * i + np.linspace(0, 1 + 0.5 * i, 5)
        poses = random_poses(rng, 1, len(skeleton)) + 0.2 * rng.normal(size=(5, len(skeleton), 10))
        poses[..., 3:7] = lissom.quat.normalize(poses[..., 3:7])
        poses[-1] = poses[0]
        result.append(Clip.from_poses(skeleton, times, poses.astype(dtype), name=f"clip {i}", loop=True))
    return result


LAYOUTS = {
    "triangle": [[0, 0], [1, 0], [0, 1]],
    "grid": [[x, y] for x in (-1, 0, 1) for y in (-0.1, 0, 0.1)],
    "directions": [[0, 0]] + [[math.cos(a), math.sin(a)] for a in np.arange(8) * math.pi / 4],
    "two rings": [[r * math.cos(a), r * math.sin(a)] for r in (1.4, 3) for a in np.arange(6) * math.pi / 3],
    "row with rounding": [[0.1 * i, 0.3 * i + 1e-17 * (-1) ** i] for i in range(5)] + [[1.0, 0.0]],
    "random": np.random.default_rng(3).normal(size=(12, 2)).tolist(),
    "far": (1e6 + np.random.default_rng(4).normal(size=(7, 2))).tolist(),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_triangles_are_delaunay_and_fill_the_hull(layout: str) -> None:
    points = np.array(LAYOUTS[layout], np.float64)
    corners = points[Triangulation(points).triangles]
    extent = np.ptp(points, axis=0).max()
    u, v = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    areas = 0.5 * (u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0])
    assert (areas > 0).all()  # counter-clockwise
    assert areas.sum() == pytest.approx(hull_area(points), rel=1e-9)
    # The centre of each circle: nearer to its corners than to any other point.
    matrix = 2 * np.stack([u, v], axis=1)
    right = np.stack([np.sum(u * u, axis=1), np.sum(v * v, axis=1)], axis=1)
    offset = np.linalg.solve(matrix, right[..., None])[..., 0]
    radii = np.linalg.norm(offset, axis=1)
    apart = np.linalg.norm(corners[:, :1] + offset[:, None] - points, axis=-1)
    assert (apart >= radii[:, None] - 1e-6 * np.maximum(radii[:, None], extent)).all()


def hull_area(points: np.ndarray) -> float:
    """By Andrew's chain."""

    def half(row: list[tuple[float, float]]) -> list[tuple[float, float]]:
        chain: list[tuple[float, float]] = []
        for p in row:
            while len(chain) > 1:
                a, b = chain[-2], chain[-1]
                if (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0:
                    break
                chain.pop()
            chain.append(p)
        return chain[:-1]

    row = sorted(map(tuple, (points - points.mean(axis=0)).tolist()))
    x, y = np.array(half(row) + half(row[::-1])).T
    return float(0.5 * abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_weights_are_exact_at_points_and_reproduce_the_parameter(layout: str) -> None:
    points = np.array(LAYOUTS[layout], np.float64)
    triangulation = Triangulation(points)
    extent = np.ptp(points, axis=0).max()
    for i, point in enumerate(points):
        expected = np.eye(len(points))[i]
        np.testing.assert_allclose(triangulation.weights(point), expected, atol=1e-9)
    rng = np.random.default_rng(5)
    for mix in rng.dirichlet(np.ones(len(points)), 300):
        inside = mix @ points
        weights = triangulation.weights(inside)
        np.testing.assert_allclose(weights @ points, inside, atol=1e-9 * extent, rtol=1e-14)
        assert (weights > 0).sum() <= 3


@pytest.mark.parametrize("layout", LAYOUTS)
def test_weights_are_continuous_over_the_plane(layout: str) -> None:
    points = np.array(LAYOUTS[layout], np.float64)
    triangulation = Triangulation(points)
    corners = points[triangulation.triangles]
    extent = np.ptp(points, axis=0).max()
    # The steepest weight falls from 1 to 0 over the least height of a triangle.
    u, v = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=-1).max(axis=1)
    steepest = (longest / np.abs(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0])).max()
    rng = np.random.default_rng(6)
    centre = points.mean(axis=0)
    for _ in range(6):
        ends = centre + extent * rng.uniform(-1.5, 1.5, size=(2, 2))
        way = ends[0] + np.linspace(0, 1, 1000)[:, None] * (ends[1] - ends[0])
        weights = np.array([triangulation.weights(p) for p in way])
        assert (weights >= 0).all()
        np.testing.assert_allclose(weights.sum(axis=1), 1, atol=ROUNDING)
        step = np.linalg.norm(way[1] - way[0])
        assert np.abs(np.diff(weights, axis=0)).max() <= 1.001 * steepest * step + 1e-8


def test_the_nearest_point_of_the_rim_counts_outside() -> None:
    triangulation = Triangulation(np.array(LAYOUTS["triangle"], np.float64))
    for point, weights in [
        ([-1, -1], [1, 0, 0]),
        ([5, 0], [0, 1, 0]),
        ([0.25, -3], [0.75, 0.25, 0]),
        ([1, 1], [0, 0.5, 0.5]),
    ]:
        np.testing.assert_allclose(triangulation.weights(np.array(point)), weights, atol=ROUNDING)


def test_a_line_weighs_the_neighbours(skeleton: Skeleton) -> None:
    clips = cycles(skeleton, 3)
    space = BlendSpace1D(clips, [3.0, 0.0, 1.0])
    assert space.value == 0
    for value, weights in [
        (-5, [0, 1, 0]),
        (0.25, [0, 0.75, 0.25]),
        (1, [0, 0, 1]),
        (2, [0.5, 0, 0.5]),
        (3, [1, 0, 0]),
        (9, [1, 0, 0]),
    ]:
        space.value = value
        np.testing.assert_allclose(space.weights, weights, atol=ROUNDING)
    way = np.linspace(-1, 4, 5001)
    rows = []
    for value in way:
        space.value = value
        rows.append(space.weights)
    assert np.abs(np.diff(rows, axis=0)).max() <= 1.001 * (way[1] - way[0])


def test_clips_play_in_step_at_the_mean_duration(skeleton: Skeleton) -> None:
    clips = cycles(skeleton, 3)
    space = BlendSpace2D(clips, LAYOUTS["triangle"], point=[0.25, 0.25])
    assert space.duration == pytest.approx(0.5 * 1 + 0.25 * 1.5 + 0.25 * 2)
    phases = np.array([0.0, 0.3, 0.9])
    parts = [clip.at(phases) for clip in clips]
    expected = lissom.blend_layers(parts, [0.5, 0.25, 0.25])
    np.testing.assert_allclose(space.at(phases), expected, atol=ROUNDING)
    np.testing.assert_allclose(space.sample(phases * space.duration), expected, atol=ROUNDING)
    np.testing.assert_allclose(space.sample((phases + 3) * space.duration), expected, atol=1e-9)
    out = np.empty((4, 10))
    assert space.sample(0.3 * space.duration, out=out) is out
    np.testing.assert_allclose(out, expected[1], atol=ROUNDING)
    space.point = [1, 0]
    np.testing.assert_array_equal(space.sample(0.3, out=out), clips[1].sample(0.3 + clips[1].start))
    for space.point in ([1, 0], [0.2, 0.3]):  # of one clip, and of three
        with pytest.raises(TypeError, match=r"sample: out must be an array of float64, got float32"):
            space.sample(0.3, out=np.empty((4, 10), np.float32))
        with pytest.raises(ValueError, match=r"sample: out must have shape \(4, 10\), got \(2, 4, 10\)"):
            space.sample(0.3, out=np.empty((2, 4, 10)))


def test_a_cross_fade_plays_it_and_keeps_its_phase(skeleton: Skeleton) -> None:
    clips = cycles(skeleton, 2)  # 1 s and 1.5 s
    space = BlendSpace1D(clips, [0, 1])
    fade = CrossFade(skeleton, dtype=np.float64)
    fade.play(space)
    fade.update(0.5)
    before = fade.pose
    space.value = 1.0
    assert fade.playing[0].clip is space
    np.testing.assert_allclose(fade.update(0), clips[1].at(0.5), atol=ROUNDING)
    assert np.abs(fade.pose - before).max() > 0.01
    space.value = 0.5
    np.testing.assert_allclose(fade.update(0.25), space.at(0.5 + 0.25 / 1.25), atol=ROUNDING)
    assert fade.playing[0].time == pytest.approx(0.7 * 1.25)
    other = cycles(skeleton, 3)[2]  # 2 s
    fade.fade_to(other, 1.0, "linear", sync=True)
    fade.update(0.5)
    phase = 0.7 + 0.5 / (0.5 * 1.25 + 0.5 * 2)
    times = [p.time - p.clip.start for p in fade.playing]
    assert times == pytest.approx([phase * 1.25, phase * 2])


def test_markers_of_the_clips_fire_by_phase_and_weight(skeleton: Skeleton) -> None:
    a, b = cycles(skeleton, 2)
    a = a.with_markers({"left": a.start + 0.5})
    b = b.with_markers({"right": b.start + 0.75})
    space = BlendSpace1D([a, b], [0, 1], value=0.25)
    fade = CrossFade(skeleton)
    fade.play(space)
    fade.update(0.49 * space.duration)
    assert fade.events == ()
    fade.update(0.02 * space.duration)
    expected = [(a, Marker(a.start + 0.5, "left"), 0.75), (b, Marker(b.start + 0.75, "right"), 0.25)]
    assert [(e.clip, e.marker.name, e.weight) for e in fade.events] == [
        (c, m.name, w) for c, m, w in expected
    ]
    assert [e.marker.time for e in fade.events] == pytest.approx([m.time for _, m, _ in expected])
    space.value = 0
    fade.update(space.duration)
    assert [e.marker.name for e in fade.events] == ["left"]  # the other is not heard at no weight


def test_root_motion_of_the_sample_follows_the_speed() -> None:
    clips = lissom.samples.humanoid().clips
    walk, run = clips["walk"], clips["run"]
    assert walk.root_motion is not None
    assert run.root_motion is not None
    speeds = [walk.root_motion.speed, run.root_motion.speed]
    space = BlendSpace1D([walk, run], speeds, value=speeds[0])
    fade = CrossFade(walk.skeleton)
    fade.play(space)
    for value in speeds:
        space.value = value
        fade.update(0.1)
        assert fade.root_motion is not None
        assert np.linalg.norm(fade.root_motion[:3]) == pytest.approx(0.1 * value, rel=1e-6)


def test_spaces_copy_pickle_and_say_what_they_are(skeleton: Skeleton) -> None:
    clips = cycles(skeleton, 3)
    line = BlendSpace1D(clips, [0, 1, 2], value=0.25)
    plane = BlendSpace2D(clips, LAYOUTS["triangle"], point=[0.5, 0.25])
    assert repr(line) == "<BlendSpace1D of 3 clips at 0.25: 'clip 0' 75%, 'clip 1' 25%>"
    assert repr(plane) == "<BlendSpace2D of 3 clips at (0.5, 0.25): 'clip 1' 50%, 'clip 0' 25%, 'clip 2' 25%>"
    for space in (line, plane):
        for other in (copy.copy(space), copy.deepcopy(space), pickle.loads(pickle.dumps(space))):
            np.testing.assert_array_equal(other.at(0.3), space.at(0.3))
    other = copy.copy(line)
    other.value = 2
    assert line.value == 0.25
    np.testing.assert_allclose(line.weights, [0.75, 0.25, 0], atol=ROUNDING)
    with pytest.raises(ValueError, match="read-only"):
        plane.point[0] = 1
    single = BlendSpace1D(clips[:1], [0])
    np.testing.assert_array_equal(single.at(0.3), clips[0].at(0.3))
    assert repr(single) == "<BlendSpace1D of 1 clip at 0: 'clip 0' 100%>"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0, 1], r"values must have shape \(3,\), one for each clip, got \(2,\)"),
        ([0, 1, math.nan], r"values must be finite and within 1e\+70, got nan"),
        ([0, 1, -1e300], r"values must be finite and within 1e\+70, got -1e\+300"),
        ([0, 1, 1], "values must differ, got 1 for both 'clip 1' and 'clip 2'"),
    ],
)
def test_values_are_checked(skeleton: Skeleton, values: Any, message: str) -> None:
    with pytest.raises(ValueError, match="BlendSpace1D: " + message):
        BlendSpace1D(cycles(skeleton, 3), values)


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([[0, 1]], r"points must have shape \(3, 2\), one for each clip, got \(1, 2\)"),
        ([[0, 1], [1, math.inf], [1, 1]], "points must be finite"),
        ([[0, 1], [1, 1e200], [1, 1]], r"points must be finite and within 1e\+70, got 1e\+200"),
        ([[0, 1], [1, 0], [0, 1]], r"points must differ, got \[0.0, 1.0\] for both 'clip 0' and 'clip 2'"),
        ([[0, 1], [1, 2], [2, 3]], "points must not all lie on one line, got 3 that do; use BlendSpace1D"),
    ],
)
def test_points_are_checked(skeleton: Skeleton, points: Any, message: str) -> None:
    with pytest.raises(ValueError, match="BlendSpace2D: " + message):
        BlendSpace2D(cycles(skeleton, 3), points)


def test_a_parameter_by_another_name_is_no_silent_nothing(skeleton: Skeleton) -> None:
    line = BlendSpace1D(cycles(skeleton, 2), [0, 1])
    plane = BlendSpace2D(cycles(skeleton, 3), [[0, 0], [1, 0], [0, 1]])
    for space, name in ((line, "point"), (line, "speed"), (plane, "value")):
        with pytest.raises(AttributeError, match=name):
            setattr(space, name, 0.5)


def test_clips_and_parameters_are_checked(skeleton: Skeleton) -> None:
    a, b, c = cycles(skeleton, 3)
    with pytest.raises(ValueError, match="BlendSpace1D: clips must not be empty"):
        BlendSpace1D([], [])
    with pytest.raises(TypeError, match="BlendSpace1D: clips must be Clips, got str"):
        BlendSpace1D([a, "walk"], [0, 1])  # type: ignore[list-item]
    once = copy.copy(b)
    once.loop = False
    with pytest.raises(
        ValueError, match="clips must agree in loop, got True of 'clip 0' and False of 'clip 1'"
    ):
        BlendSpace1D([a, once], [0, 1])
    still = Clip.from_poses(skeleton, [0.0], skeleton.rest[None], name="still", loop=True)
    with pytest.raises(
        ValueError, match="clips must have a duration, to play at one phase, got 'still' with none"
    ):
        BlendSpace1D([a, still], [0, 1])
    other = random_skeleton(np.random.default_rng(1), 3)
    theirs = Clip.from_poses(other, [0.0, 1.0], random_poses(np.random.default_rng(2), 2, 3), name="theirs")
    with pytest.raises(ValueError, match="'theirs' must be of the same skeleton, but it has 3 joints"):
        BlendSpace1D([a, theirs], [0, 1])
    line, plane = BlendSpace1D([a, b], [0, 1]), BlendSpace2D([a, b, c], LAYOUTS["triangle"])
    with pytest.raises(ValueError, match="BlendSpace1D: value must be finite, got nan"):
        line.value = math.nan
    with pytest.raises(ValueError, match=r"BlendSpace2D: point must have shape \(2,\), got \(3,\)"):
        plane.point = [0, 0, 0]  # type: ignore[assignment]
    with pytest.raises(ValueError, match=r"BlendSpace2D: point must be finite and within 1e\+70, got nan"):
        plane.point = [math.nan, 0]  # type: ignore[assignment]
    with pytest.raises(ValueError, match=r"BlendSpace1D.at: phase must lie in \[0, 1\]"):
        line.at(1.5)
