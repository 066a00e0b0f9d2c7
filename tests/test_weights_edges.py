# SPDX-License-Identifier: MIT
"""Edges of reduce, transfer and heat at which one line decides."""

import numpy as np
import pytest

from lissom.weights import heat, inverse_distance, reduce, transfer
from weight_meshes import TWO_BONES, blob, capsule

FLAT = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 2]])


def test_an_influence_at_the_threshold_stays() -> None:
    np.testing.assert_array_equal(reduce([[0.75, 0.25]], threshold=0.25).weights[:, :2], [[0.75, 0.25]])
    assert reduce([[0.75, 0.25]], threshold=0.2501).weights[0, 0] == 1


def test_rounded_rows_sum_to_one_as_near_as_one_rounding_allows() -> None:
    rows = np.random.default_rng(0).dirichlet(np.ones(8), 2000)
    sums = reduce(rows, None, threshold=0).weights.sum(axis=1, dtype=np.float64)
    assert np.abs(sums - 1).max() <= 2.0**-25  # rounding each by itself: 1.3 times that


def test_weld_joins_what_is_near_and_no_more() -> None:
    positions, triangles = capsule()
    weights = inverse_distance((positions, triangles), [*TWO_BONES, [1, 0.5, 0], [3, 0.5, 0.2]], power=2)
    corners = triangles.ravel()
    apart = positions[corners] + np.random.default_rng(0).uniform(-1e-4, 1e-4, (len(corners), 3))
    split = apart, np.arange(len(corners)).reshape(-1, 3)

    def largest_seam(weld):
        indices, values, _ = reduce(weights[corners], 2, surface=split, weld=weld)
        dense = np.zeros((len(corners), 4))
        np.put_along_axis(dense, indices.astype(np.int64), values.astype(np.float64), axis=1)
        return max(np.ptp(dense[corners == vertex], axis=0).max() for vertex in range(len(positions)))

    assert largest_seam(1e-3) == 0
    assert largest_seam(1e-6) > 0.1


def test_sweeps_are_counted_where_there_is_a_surface() -> None:
    surface = capsule()
    weights = inverse_distance(surface, [*TWO_BONES, [1, 0.5, 0]], power=2)
    assert reduce(weights, 2, surface=surface).dropped.sweeps > 1
    assert reduce(weights, 2).dropped.sweeps == 0
    with pytest.raises(TypeError, match=r"^weights\.reduce: k must be an integer or None, got bool"):
        reduce(weights, True)


def test_a_triangle_at_the_largest_angle_faces_that_way() -> None:
    for angle, normal in ((np.pi / 2, [1, 0, 0]), (np.pi, [0, 0, -1]), (0, [0, 0, 1])):
        _, report = transfer(
            FLAT, np.eye(3), [[0.2, 0.2, 1]], target_normals=[normal], max_angle=angle, report=True
        )
        assert not len(report.unmatched)
    _, report = transfer(FLAT, np.eye(3), [[0.2, 0.2, 1]], target_normals=[[0, 0, -1]], report=True)
    assert report.unmatched.tolist() == [0]


def test_what_is_too_far_but_faces_its_way_is_beyond_and_not_unmatched() -> None:
    options = {"target_normals": [[0, 0, 1]], "max_distance": 1, "beyond": "nearest"}
    _, report = transfer(FLAT, np.eye(3), [[0.2, 0.2, 2]], report=True, **options)
    assert (report.beyond.tolist(), report.unmatched.tolist()) == ([0], [])


def test_the_error_names_the_farthest_vertex() -> None:
    with pytest.raises(ValueError, match=r"got 2 vertices that do not, the farthest \(1\) at 5;"):
        transfer(FLAT, np.eye(3), [[0, 0, 2], [0, 0, 5], [0, 0, 0.5]], max_distance=1)


def test_heat_reports_its_own_range() -> None:
    weights, report = heat(blob(), [[0, 0, 0.02], [0, 0, -0.02]], report=True)
    assert weights.min() > 0.2
    assert report.lowest == pytest.approx(weights.min(), abs=1e-12)
    assert report.highest == pytest.approx(weights.max(), abs=1e-12)
    assert report.row_sums == pytest.approx((1, 1), abs=1e-12)
