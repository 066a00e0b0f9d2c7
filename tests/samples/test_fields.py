# SPDX-License-Identifier: MIT
"""The implicit shapes that samples are made of, against the formulas written out for one point."""

import math

import numpy as np
import pytest

from lissom.samples._fields import capsule, curve, ellipsoid, mirrored, row_dots, union
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


def test_curves_go_through_their_knots_with_the_slopes_of_fritsch_and_butland():
    knots = np.array([[0.0, 1.0, 0.0], [0.5, 2.0, -1.0], [0.7, 2.5, 1.0], [1.5, 2.5, 3.0]])
    assert np.array_equal(curve(knots, knots[:, 0]), knots[:, 1:].T)
    assert np.array_equal(curve(knots, np.array([-9.0, 9.0])), knots[[0, -1], 1:].T)
    at = np.linspace(0.5, 0.7, 21)
    for column, values in enumerate(knots[:, 1:].T):
        step, chord = np.diff(knots[:, 0]), np.diff(values) / np.diff(knots[:, 0])

        def slope_at(knot, step=step, chord=chord):
            before, after = step[knot - 1], step[knot]
            if chord[knot - 1] * chord[knot] <= 0:
                return 0.0
            first, second = 2 * after + before, after + 2 * before
            return (first + second) / (first / chord[knot - 1] + second / chord[knot])

        u = (at - 0.5) / 0.2
        expected = (
            (2 * u**3 - 3 * u**2 + 1) * values[1]
            + (u**3 - 2 * u**2 + u) * 0.2 * slope_at(1)
            + (3 * u**2 - 2 * u**3) * values[2]
            + (u**3 - u**2) * 0.2 * slope_at(2)
        )
        np.testing.assert_allclose(curve(knots, at)[column], expected, atol=ROUNDING)


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
