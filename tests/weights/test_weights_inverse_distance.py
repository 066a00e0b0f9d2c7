# SPDX-License-Identifier: MIT
"""weights.inverse_distance: the baseline."""

import numpy as np
import pytest

import lissom.weights._inverse_distance as module
from lissom.weights import inverse_distance
from reference.heat import nearest_place
from weight_meshes import TWO_BONES, capsule, rotation


def by_hand(positions, bones, power):
    weights = np.empty((len(positions), len(bones)))
    for row, point in enumerate(positions):
        distances = [np.linalg.norm(nearest_place(point, head, tail) - point) for head, tail in bones]
        weights[row] = np.array(distances) ** -power
    return weights / weights.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("power", [0.5, 2.0, 4.0, 9.0])
def test_equals_the_formula(power) -> None:
    positions, triangles = capsule()
    bones = np.random.default_rng(1).normal(size=(5, 2, 3))
    bones[2, 1] = bones[2, 0]
    got = inverse_distance((positions, triangles), bones, power=power)
    np.testing.assert_allclose(got, by_hand(positions, bones, power), rtol=1e-12)


def test_upon_a_handle_it_is_all_there_is() -> None:
    points = np.array([[0.0, 0, 0], [1, 0, 0], [3, 0, 0]])
    weights = inverse_distance((points, []), [[1.0, 0, 0], TWO_BONES[1], [0.0, 0, 0], [0.0, 0, 0]])
    np.testing.assert_array_equal(weights, [[0, 0, 0.5, 0.5], [1, 0, 0, 0], [0, 1, 0, 0]])


def test_rows_sum_to_one_at_any_power_and_scale() -> None:
    positions, triangles = capsule()
    for scale in (1e-60, 1.0, 1e60):
        weights = inverse_distance((scale * positions, triangles), scale * TWO_BONES, power=60)
        np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-15)
        assert weights.min() >= 0


def test_rigid_motion_and_scale_change_nothing() -> None:
    positions, triangles = capsule()
    turn = rotation(2)
    moved = inverse_distance((7 * positions @ turn.T + 5, triangles), 7 * TWO_BONES @ turn.T + 5)
    np.testing.assert_allclose(moved, inverse_distance((positions, triangles), TWO_BONES), atol=1e-11)


def test_chunks_do_not_show(monkeypatch) -> None:
    mesh = capsule()
    whole = inverse_distance(mesh, TWO_BONES)
    monkeypatch.setattr(module, "_CHUNK", 10)
    np.testing.assert_array_equal(inverse_distance(mesh, TWO_BONES), whole)


def test_report_counts_influences() -> None:
    mesh = capsule()
    weights, report = inverse_distance(mesh, TWO_BONES, report=True)
    assert (report.method, report.vertex_count, report.handle_count) == ("inverse_distance", 74, 2)
    twos = int(((weights > 0.01).sum(axis=1) == 2).sum())
    assert report.influence_shares == {1: twos / 74, 2: 0, 4: 0, 8: 0}
    assert (report.lowest, report.highest) == (weights.min(), weights.max())


@pytest.mark.parametrize("power", [0, -1, np.nan, np.inf])
def test_refuses_other_powers(power) -> None:
    with pytest.raises(ValueError, match=r"weights\.inverse_distance: power must be above zero and finite"):
        inverse_distance(capsule(), TWO_BONES, power=power)


def test_refuses_bad_input() -> None:
    with pytest.raises(
        ValueError, match=r"weights\.inverse_distance: handles must hold at least one point or bone, got none"
    ):
        inverse_distance(capsule(), [])
    with pytest.raises(
        ValueError, match=r"weights\.inverse_distance: surface positions must hold at least one vertex"
    ):
        inverse_distance((np.zeros((0, 3)), []), TWO_BONES)
    with pytest.raises(TypeError, match=r"weights\.inverse_distance: power must be a number, got str"):
        inverse_distance(capsule(), TWO_BONES, power="2")
