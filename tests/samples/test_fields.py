# SPDX-License-Identifier: MIT
"""The implicit shapes that samples are made of, against the formulas written out for one point."""

import math

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline

from lissom.samples._fields import (
    Loft,
    capsule,
    curve_slopes,
    ellipsoid,
    intersection,
    mirrored,
    row_dots,
    union,
    where,
)
from lissom.samples._weights import smoothed

POINTS = np.random.default_rng(5).uniform(-1, 1, (200, 3))
ROUNDING = 1e-12


def test_ellipsoids_have_the_distance_of_first_order():
    center, radii = (0.1, -0.2, 0.3), (0.5, 0.25, 1.0)
    points = np.concatenate([POINTS, [center]])
    for point, found in zip(points, ellipsoid(points, center, radii), strict=True):
        scaled = [(point[k] - center[k]) / radii[k] for k in range(3)]
        norm = math.hypot(*scaled)
        slope = math.hypot(*(scaled[k] / radii[k] for k in range(3)))
        expected = norm * (norm - 1) / slope if slope else -0.25
        assert found == pytest.approx(expected, abs=ROUNDING)


def test_capsules_are_as_far_as_the_nearest_ball():
    head, tail, radii = np.array([0.0, 0.5, 0.1]), np.array([0.3, -0.4, 0.0]), (0.2, 0.1)
    for point, found in zip(POINTS, capsule(POINTS, head, tail, *radii), strict=True):
        axis = tail - head
        along = min(max(float((point - head) @ axis / (axis @ axis)), 0.0), 1.0)
        expected = math.dist(point, head + along * axis) - (radii[0] + (radii[1] - radii[0]) * along)
        assert found == pytest.approx(expected, abs=ROUNDING)


@pytest.mark.parametrize("radius", [0.3, np.linspace(0.1, 0.5, 200)])
def test_unions_are_rounded_within_their_radius_and_leave_both_shapes_as_they_are(radius):
    first, second = POINTS[:, 0].copy(), POINTS[:, 1].copy()
    found = union(first, second, radius)
    overlap = np.maximum(radius - np.abs(POINTS[:, 0] - POINTS[:, 1]), 0) / radius
    expected = np.minimum(POINTS[:, 0], POINTS[:, 1]) - 0.25 * radius * overlap**2
    np.testing.assert_allclose(found, expected, atol=ROUNDING)
    assert np.array_equal(np.stack([first, second], axis=1), POINTS[:, :2])


def test_intersections_are_unions_of_what_lies_outside():
    first, second = POINTS[:, 0].copy(), POINTS[:, 1].copy()
    np.testing.assert_array_equal(intersection(first, second, 0.3), -union(-first, -second, 0.3))


def test_what_is_not_near_is_infinitely_far_and_leaves_a_union_as_it_is():
    first, second = POINTS[:, 0].copy(), POINTS[:, 1].copy()
    culled = where(second < first + 0.3, lambda near: second[near])
    assert np.isinf(culled).any()
    assert np.isfinite(culled).any()
    assert np.array_equal(union(first, culled, 0.3), union(first, second, 0.3))
    assert np.isinf(where(np.zeros(3, bool), lambda near: second[near])).all()


def test_curves_have_the_slopes_of_fritsch_and_butland():
    knots = np.array([[0.0, 1.0, 0.0], [0.5, 2.0, -1.0], [0.7, 2.5, 1.0], [1.5, 2.5, 3.0]])
    found = curve_slopes(knots)
    assert not found[[0, -1]].any()
    for column, values in enumerate(knots[:, 1:].T):
        step, chord = np.diff(knots[:, 0]), np.diff(values) / np.diff(knots[:, 0])
        for knot in (1, 2):
            before, after = step[knot - 1], step[knot]
            first, second = 2 * after + before, after + 2 * before
            means = chord[knot - 1] * chord[knot] > 0
            expected = (first + second) / (first / chord[knot - 1] + second / chord[knot]) if means else 0.0
            assert found[knot, column] == pytest.approx(expected, abs=ROUNDING)


def test_lofts_are_ellipses_along_hermite_curves():
    knots = np.array([[-0.5, 0.3, 0.2, 0.1, 0.0], [0.1, 0.4, 0.5, 0.0, -0.2], [0.6, 0.5, 0.3, -0.1, 0.1]])
    axes = np.array([[0.0, 1.0, 0.0], [0.6, 0.0, -0.8], [0.8, 0.0, 0.6]])
    origin = np.array([0.1, -0.2, 0.05])
    center = origin + 9 * axes[0] - 0.1 * axes[1] + 0.1 * axes[2]  # far beyond the last knot
    points = np.concatenate([POINTS, [center]])
    found = Loft(origin, axes, knots)(points)
    along, first, second = axes @ (points - origin).T
    curves = CubicHermiteSpline(knots[:, 0], knots[:, 1:], curve_slopes(knots))
    wide, deep, *middle = curves(np.clip(along, -0.5, 0.6)).T
    across, through = (first - middle[0]) / wide, (second - middle[1]) / deep
    norm, slope = np.hypot(across, through), np.hypot(across / wide, through / deep)
    np.testing.assert_allclose(found[:-1], (norm * (norm - 1) / slope)[:-1], atol=ROUNDING)
    assert found[-1] == pytest.approx(-0.3, abs=ROUNDING)


def test_reflections_and_dot_products():
    before = POINTS.copy()
    assert np.array_equal(mirrored(POINTS), POINTS * [-1, 1, 1])
    assert np.array_equal(POINTS, before)
    np.testing.assert_allclose(
        row_dots(POINTS, POINTS[::-1]), (POINTS * POINTS[::-1]).sum(axis=1), atol=ROUNDING
    )


def test_smoothed_weights_are_halfway_to_the_mean_of_different_neighbours():
    triangles = np.array([[0, 1, 2], [2, 1, 3]])
    neighbours = [[1, 2], [0, 2, 3], [0, 1, 3], [1, 2]]
    weights = np.array([[1.0, 0, 0], [0.5, 0, 0.5], [0, 0, 1.0], [0.25, 0, 0.75]])
    expected = np.array(
        [0.5 * own + 0.5 * weights[near].mean(axis=0) for own, near in zip(weights, neighbours, strict=True)]
    )
    np.testing.assert_allclose(smoothed(weights, triangles, 1), expected, atol=ROUNDING)
