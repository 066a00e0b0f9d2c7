# SPDX-License-Identifier: MIT
"""Bounded biharmonic weights of thousands of nodes, by multigrid: as near to the exact ones as they say."""

import threading

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import lissom
from lissom.weights import bounded_biharmonic
from lissom.weights._constraints import find_constraints
from lissom.weights._inputs import as_cage_faces, as_handles
from lissom.weights._solve import solve
from tet_bars import bar, border
from weight_layouts import cage, far_points, humanoid_lattice
from weight_meshes import capsule

TOLERANCE = 1e-3  # the default of the solver
ROUNDING = 1e-12  # of sums


def on_bar(shape, bones):
    nodes, tets = bar(*shape)
    handles = as_handles(bones, "")
    fixed, rows, missing = find_constraints(nodes, handles, as_cage_faces(None, handles, ""), 1e-5)
    assert not missing
    return nodes, tets, fixed, rows


def at_nodes(shape, *chosen):
    nodes, tets = bar(*shape)
    return nodes, tets, np.array(chosen, np.int32), np.eye(len(chosen))


def shaken(problem):
    """The same with cubes out of shape."""
    nodes, tets, fixed, rows = problem
    return nodes + np.random.default_rng(7).uniform(-0.1, 0.1, nodes.shape), tets, fixed, rows


ALONG = [[(3, 3, 12 * k), (3, 3, 12 * k + 12)] for k in range(3)]
PROBLEMS = {
    "bones along a bar": lambda: on_bar((6, 6, 36), ALONG),
    "bones and a point": lambda: on_bar((6, 6, 36), [*ALONG[:2], (0, 0, 36)]),
    "points on the border": lambda: at_nodes((6, 6, 30), 0, 700, 1400),
    "a plate": lambda: at_nodes((30, 30, 1), 30, 500, 961, 1600),
    "a rod": lambda: at_nodes((2, 2, 120), 4, 500, 1084),
    "out of shape": lambda: shaken(at_nodes((6, 6, 30), 0, 700, 1400)),
    "one handle near an end": lambda: at_nodes((6, 6, 30), 10, 15),
    "nine handles": lambda: at_nodes((6, 6, 30), *range(0, 1450, 170)),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_weights_are_as_exact_as_they_say(name: str) -> None:
    problem = PROBLEMS[name]()
    weights, facts = solve(*problem)
    assert facts["by_multigrid"]
    assert facts["converged"]
    exact, polished = solve(*problem, polish=True)
    assert polished["polished"]
    error = np.abs(weights - exact).max()
    assert error <= facts["error_estimate"] < TOLERANCE
    assert_allclose(facts["row_sums"], polished["row_sums"], atol=problem[3].shape[1] * TOLERANCE)


@pytest.mark.parametrize("tolerance", [1e-2, 1e-5])
def test_the_error_is_within_the_tolerance(tolerance: float) -> None:
    problem = PROBLEMS["bones along a bar"]()
    weights, facts = solve(*problem, tolerance=tolerance)
    assert facts["by_multigrid"]
    assert_allclose(weights, solve(*problem, polish=True)[0], atol=tolerance)


@pytest.mark.parametrize("layout", ["points", "cage"])
def test_weights_of_a_lattice_are_as_exact_as_they_say(layout: str) -> None:
    surface = capsule()
    handles, faces = (far_points(surface[0], 5), None) if layout == "points" else cage(surface[0], 0.05)
    options = {"cage_faces": faces, "cells": 40, "outside": "move", "report": True}
    weights, report = bounded_biharmonic(surface, handles, **options)
    exact, _ = bounded_biharmonic(surface, handles, polish=True, **options)
    assert report.node_count > 2000
    assert report.converged
    assert np.abs(weights - exact).max() <= report.residuals["error_estimate"] < TOLERANCE
    assert_allclose(weights.sum(axis=1), 1, atol=ROUNDING)


def test_far_limbs_are_not_held_at_zero() -> None:
    # From points at hands and feet, sets of active bounds in the limbs shrink last: their weights are moved
    # by forces that are smaller by orders of magnitude.
    problem = humanoid_lattice(5, cells=40)
    weights, facts = solve(*problem)
    assert facts["by_multigrid"]
    exact, polished = solve(*problem, polish=True)
    assert polished["polished"]
    assert_allclose(weights, exact, atol=TOLERANCE)


def test_tetrahedra_of_all_shapes_are_left_to_the_factor() -> None:
    from scipy.spatial import Delaunay

    nodes = np.random.default_rng(1).uniform(size=(1100, 3))
    tets = Delaunay(nodes).simplices.astype(np.int32)
    corners = nodes[tets]
    tets = tets[np.abs(np.linalg.det(corners[:, 1:] - corners[:, :1])) > 1e-5]
    fixed, rows = np.array([0, 500, 900], np.int32), np.eye(3)
    weights, facts = solve(nodes, tets, fixed, rows)
    assert not facts["by_multigrid"]
    assert facts["converged"]
    assert_allclose(weights, solve(nodes, tets, fixed, rows, polish=True)[0], atol=TOLERANCE)


def test_place_and_scale_do_not_matter() -> None:
    nodes, tets, fixed, rows = PROBLEMS["bones along a bar"]()
    expected, _ = solve(nodes, tets, fixed, rows)
    assert_allclose(solve(nodes * 1e-150, tets, fixed, rows)[0], expected, atol=TOLERANCE)
    assert_allclose(solve(nodes * 1e3 + 1e4, tets, fixed, rows)[0], expected, atol=TOLERANCE)


def test_bits_do_not_depend_on_threads() -> None:
    problem = at_nodes((6, 6, 30), *range(0, 1450, 80))
    before = lissom.thread_count()
    found = []
    try:
        for count in (1, 3):
            lissom.set_thread_count(count)
            weights, facts = solve(*problem)
            assert facts["by_multigrid"]
            found.append(weights)
    finally:
        lissom.set_thread_count(before)
    assert_array_equal(*found)


def test_a_part_without_handle_takes_the_nearest() -> None:
    nodes, tets, fixed, rows = PROBLEMS["points on the border"]()
    both = (
        np.concatenate([nodes, nodes + np.array([20.0, 0, 0])]),
        np.concatenate([tets, tets + len(nodes)]).astype(np.int32),
    )
    with pytest.warns(RuntimeWarning, match="1 parts of the volume hold no handle"):
        weights, facts = solve(*both, fixed, rows)
    assert facts["by_multigrid"]
    assert_array_equal(weights[len(nodes) :], np.tile(rows[0], (len(nodes), 1)))
    assert_allclose(weights[: len(nodes)], solve(nodes, tets, fixed, rows)[0], atol=TOLERANCE)


def test_progress_names_stages_from_the_calling_thread() -> None:
    nodes, tets, *_ = PROBLEMS["points on the border"]()
    seen = []
    bounded_biharmonic(
        (nodes, border(tets)),
        nodes[[0, 700, 1400]],
        tetrahedra=(nodes, tets),
        progress=lambda stage, part: seen.append((stage, part, threading.get_ident())),
    )
    assert list(dict.fromkeys(stage for stage, _, _ in seen)) == [
        "assembling",
        "coarsening",
        "solving",
        "done",
    ]
    parts = [part for stage, part, _ in seen if stage == "solving"]
    assert parts == sorted(parts)
    assert 0 <= parts[0] <= parts[-1] <= 1
    assert {thread for _, _, thread in seen} == {threading.get_ident()}


@pytest.mark.parametrize("stage", ["coarsening", "solving"])
def test_what_progress_raises_stops(stage: str) -> None:
    def stop(name: str, _part: float) -> None:
        if name == stage:
            raise KeyError(stage)

    with pytest.raises(KeyError, match=stage):
        solve(*PROBLEMS["points on the border"](), progress=stop)


def test_without_memory_for_it_the_factor_is_tried_and_refused() -> None:
    problem = PROBLEMS["points on the border"]()
    with pytest.raises(
        MemoryError, match=r"the factor of 1516 unknowns would take \d+ MiB, more than the 1 MiB"
    ):
        solve(*problem, memory=1.5 * 2**20)


def test_polishing_is_refused_where_the_factor_exceeds_the_memory() -> None:
    problem = at_nodes((12, 12, 30), 0, 2500, 5000)
    memory = 22.0 * 2**20  # multigrid needs less, the factor more
    assert solve(*problem, memory=memory)[1]["by_multigrid"]
    with pytest.raises(
        MemoryError, match=r"the factor of 5236 unknowns would take \d+ MiB, more than the 22 MiB"
    ):
        solve(*problem, memory=memory, polish=True)
