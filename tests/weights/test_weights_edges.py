# SPDX-License-Identifier: MIT
"""Edges of reduce, transfer, heat, bones and constraints at which one line decides."""

import numpy as np
import pytest

import lissom
from lissom.weights import bones, bounded_biharmonic, heat, inverse_distance, reduce, transfer
from lissom.weights._constraints import find_constraints
from lissom.weights._inputs import as_handles
from tet_bars import bar, border
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


def test_slots_without_weight_name_row_0_and_repeated_rows_add_up() -> None:
    source = np.array([[3, 1], [2, 9], [2, 9]]), np.array([[0.5, 0.5], [1, 0], [1, 0]])
    indices, weights = transfer(FLAT, source, FLAT[0])
    np.testing.assert_array_equal(weights, [[0.5, 0.5], [1, 0], [1, 0]])
    np.testing.assert_array_equal(indices, [[1, 3], [2, 0], [2, 0]])
    twice = np.array([[1, 1, 0]]), np.array([[0.3, 0.4, 0.3]])
    np.testing.assert_allclose(reduce(twice, 2).weights, [[0.7, 0.3]], atol=1e-7)


def test_the_whole_circle_may_be_off_by_rounding() -> None:
    transfer(FLAT, np.eye(3), FLAT[0], target_normals=FLAT[0] + 1, max_angle=np.nextafter(np.pi, 4))


def chain(*places):
    rest = lissom.trs.identity(len(places))
    rest[:, :3] = np.diff(places, axis=0, prepend=np.zeros((1, 3)))
    names = [f"joint{index}" for index in range(len(places))]
    return lissom.Skeleton(names, range(-1, len(places) - 1), rest)


def test_bones_reach_past_several_joints_that_are_left_out() -> None:
    line = chain([0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0])
    made = bones(line, exclude=["joint1", "joint2"], leaf=0)
    np.testing.assert_array_equal(made.handles[0], [[0, 0, 0], [3, 0, 0]])
    without_first = bones(line, exclude="joint0")
    assert without_first.skin.joints.tolist() == [1, 2, 3]
    np.testing.assert_allclose(np.linalg.inv(without_first.skin.joint_from_bind)[:, 0, 3], [1, 2, 3])


@pytest.mark.parametrize("size", [1e-9, 1e9])
def test_what_is_one_place_goes_by_the_size_of_the_skeleton(size) -> None:
    places = size * np.array([[0, 0, 0], [1, 0, 0], [1 + 1e-7, 0, 0], [2, 0, 0]])
    made = bones(chain(*places), leaf=0)
    assert made.joints.tolist() == [0, 2, 3]
    assert made.boneless == ("joint1",)


def test_a_pose_that_is_flat_along_one_axis_is_refused() -> None:
    skeleton = chain([0, 0, 0], [1, 0, 0])
    pose = skeleton.rest.copy()
    pose[1, 9] = 0
    with pytest.raises(ValueError, match=r"^weights\.bones: pose must be finite and without scales of zero"):
        bones(skeleton, pose=pose)


def test_constraints_hold_what_is_within_reach() -> None:
    near = 1e-3
    corners = as_handles([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "f")
    beside = [[0.25, 0.25, near / 2], [0.5 + near / 3, 0.5 + near / 3, 0], [0.25, 0.25, 2 * near]]
    nodes = np.array([*corners.heads, *beside], np.float64)
    fixed, rows, missing = find_constraints(nodes, corners, np.array([[0, 1, 2]]), near)
    assert fixed.tolist() == [0, 1, 2, 3, 4]
    np.testing.assert_allclose(rows[3:], [[0.5, 0.25, 0.25], [0, 0.5, 0.5]], atol=1e-12)
    assert not missing
    _, _, missing = find_constraints(
        nodes, as_handles([nodes[0], nodes[0]], "f"), np.empty((0, 3), int), near
    )
    assert sorted(missing) == [0, 1]
    off = as_handles([[0, 0, 0.25], [[0, 0, 0.5], [0, 0, 0.75]]], "f")
    fixed, _, missing = find_constraints(nodes, off, np.empty((0, 3), int), near)
    assert not len(fixed)
    assert missing == {0: pytest.approx(0.25), 1: pytest.approx(0.5)}


def test_a_smaller_tolerance_takes_more_iterations() -> None:
    nodes, tets = bar(1, 1, 12)
    surface, ends = (nodes, border(tets)), nodes[[0, 51]]
    coarse, fine = (
        bounded_biharmonic(surface, ends, tetrahedra=(nodes, tets), tolerance=tolerance, report=True)[1]
        for tolerance in (1e-1, 1e-6)
    )
    assert coarse.iterations < fine.iterations
    assert fine.residuals["error_estimate"] < 1e-6


def test_vertices_of_a_reached_part_are_reached_whatever_the_first_node_is() -> None:
    nodes, tets = bar(1, 1, 2)
    count = len(nodes)
    both = np.concatenate([nodes + np.array([9, 0, 0]), nodes]), np.concatenate([tets, tets + count])
    with pytest.warns(RuntimeWarning, match=f"{count} nodes in 1 parts of the volume hold no handle"):
        _, report = bounded_biharmonic((nodes, border(tets)), nodes[[0, -1]], tetrahedra=both, report=True)
    assert not len(report.unreached_vertices)
    assert report.components_without_handle == 1
