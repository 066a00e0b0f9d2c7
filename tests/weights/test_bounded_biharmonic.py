# SPDX-License-Identifier: MIT
"""Bounded biharmonic weights on tetrahedra that are given."""

import json
import os
import pickle
import signal
import threading
import time
import warnings
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import lissom
from lissom.weights import WeightReport, bounded_biharmonic
from lissom.weights._constraints import find_constraints
from lissom.weights._inputs import as_cage_faces, as_handles
from lissom.weights._solve import ARRAYS, _warnings, solve
from reference import bounded_biharmonic as reference
from tet_bars import bar, border

EXACT = 1e-6  # of polished weights against the dense solution: rounding of condition numbers near 1e8
SUM = 1e-6  # of rows
INVARIANT = 1e-5  # under motions and scale
IGL = 2e-3  # igl.bbw stops early
TOLERANCE = 1e-3  # the default of the solver

POINTS = [(1.0, 1.0, 0.0), (1.0, 1.0, 4.0), (1.0, 1.0, 8.0)]
BONES = [[(1, 1, 0), (1, 1, 3)], [(1, 1, 3), (1, 1, 6)], [(1, 1, 6), (1, 1, 8)]]


def on_bar(handles, shape=(2, 2, 8), **options):
    nodes, tets = bar(*shape)
    return bounded_biharmonic((nodes, border(tets)), handles, tetrahedra=(nodes, tets), **options)


def random_volume(rng, count):
    """Delaunay tetrahedra of random points, without the slivers that no mesher leaves."""
    from scipy.spatial import Delaunay

    nodes = rng.uniform(size=(count, 3))
    tets = Delaunay(nodes).simplices.astype(np.int32)
    corners = nodes[tets]
    volumes = np.abs(np.linalg.det(corners[:, 1:] - corners[:, :1]))
    tets = tets[volumes > 1e-3]
    used, tets = np.unique(tets, return_inverse=True)
    return nodes[used], tets.reshape(-1, 4).astype(np.int32)


# ---- right ----


@pytest.mark.parametrize("seed", range(4))
def test_random_volumes_equal_the_dense_solution(seed: int) -> None:
    rng = np.random.default_rng(seed)
    nodes, tets = random_volume(rng, 90)
    fixed = rng.choice(len(nodes), 7, replace=False).astype(np.int32)
    rows = rng.dirichlet(np.ones(4), 7)
    rows[:4] = np.eye(4)
    weights, facts = solve(nodes, tets, fixed, rows, polish=True)
    expected, before = reference.solve(nodes, tets, fixed, rows)
    assert facts["polished"]
    assert (before == 0).any()  # some bounds do hold something back
    assert_allclose(weights, expected, atol=EXACT)
    sums = np.delete(before.sum(axis=1), fixed)
    assert_allclose(facts["row_sums"], (min(1, sums.min()), max(1, sums.max())), atol=EXACT)


@pytest.mark.parametrize("handles", [POINTS, BONES], ids=["points", "bones"])
def test_bars_equal_the_dense_solution(handles) -> None:
    nodes, tets = bar(2, 2, 8)
    fixed, rows, missing = find_constraints(
        nodes, as_handles(handles, ""), as_cage_faces(None, None, ""), 1e-5
    )
    assert not missing
    expected, _ = reference.solve(nodes, tets, fixed, rows)
    assert_allclose(on_bar(handles, polish=True), expected, atol=EXACT)
    assert_allclose(on_bar(handles), expected, atol=TOLERANCE)


@pytest.mark.parametrize("tolerance", [1e-2, 1e-3, 1e-5])
def test_the_error_is_within_the_tolerance(tolerance: float) -> None:
    exact = on_bar(BONES, (4, 4, 24), polish=True)
    assert_allclose(on_bar(BONES, (4, 4, 24), tolerance=tolerance), exact, atol=tolerance)


def test_weights_equal_libigl() -> None:
    igl = pytest.importorskip("igl", reason="libigl is not installed: uv pip install libigl")
    nodes, tets = bar(4, 4, 16)
    bones = [[(2, 2, 4.0 * k), (2, 2, 4.0 * k + 3)] for k in range(4)]
    ours, report = bounded_biharmonic(
        (nodes, border(tets)), bones, tetrahedra=(nodes, tets), polish=True, report=True
    )
    fixed, rows, _ = find_constraints(nodes, as_handles(bones, ""), as_cage_faces(None, None, ""), 1e-5)
    theirs = igl.bbw(nodes, tets.astype(np.int64), fixed.astype(np.int64), np.asfortranarray(rows))
    theirs = theirs[1] if isinstance(theirs, tuple) else theirs
    sums = theirs.sum(axis=1)  # igl leaves them as they come
    assert report.row_sums[1] == pytest.approx(max(sums.max(), 1), abs=IGL)
    assert_allclose(ours, theirs / sums[:, None], atol=IGL)


# ---- laws ----


@pytest.mark.parametrize("handles", [POINTS, BONES], ids=["points", "bones"])
def test_rows_sum_to_one_within_bounds_and_handles_hold(handles) -> None:
    nodes, _ = bar(2, 2, 8)
    weights = on_bar(handles)
    assert_allclose(weights.sum(axis=1), 1, atol=SUM)
    assert weights.min() >= 0
    assert weights.max() <= 1
    row = {tuple(node): weight for node, weight in zip(nodes, weights, strict=True)}
    if handles is POINTS:
        assert_array_equal([row[p] for p in POINTS], np.eye(3))
    else:
        assert_array_equal([row[1, 1, 1], row[1, 1, 4], row[1, 1, 8]], np.eye(3))
        assert_array_equal(row[1, 1, 3], [0.5, 0.5, 0])  # where two bones meet


@pytest.mark.parametrize(("scale", "offset"), [(1e-3, 0), (1e4, 0), (1, 1e3), (1e-150, 0), (1e150, 0)])
def test_place_and_scale_do_not_matter(scale: float, offset: float) -> None:
    nodes, tets = bar(3, 3, 9)
    fixed, rows = np.array([0, 30, 100], np.int32), np.eye(3)
    expected, _ = solve(nodes, tets, fixed, rows)
    moved, _ = solve(nodes * scale + offset, tets, fixed, rows)
    assert_allclose(moved, expected, atol=INVARIANT)


def test_a_rigid_turn_does_not_matter() -> None:
    nodes, tets = bar(3, 3, 9)
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
    fixed, rows = np.array([0, 30, 100], np.int32), np.eye(3)
    # The unit box turns, too, so iterations differ; the solution does not.
    expected, _ = solve(nodes, tets, fixed, rows, polish=True)
    assert_allclose(solve(nodes @ turn.T, tets, fixed, rows, polish=True)[0], expected, atol=INVARIANT)


def test_symmetric_input_gives_symmetric_weights() -> None:
    nodes, tets = bar(8, 3, 3, mirrored=True)
    handles = [(0.0, 1, 1), (8.0, 1, 1), (4.0, 2, 1)]
    weights = bounded_biharmonic((nodes, border(tets)), handles, tetrahedra=(nodes, tets))
    index = {tuple(node): i for i, node in enumerate(nodes)}
    twin = [index[8 - x, y, z] for x, y, z in nodes]
    assert_allclose(weights[twin], weights[:, [1, 0, 2]], atol=TOLERANCE)


def test_weights_are_linear_on_cage_faces() -> None:
    nodes, tets = bar(4, 4, 4)
    corners = [(0.0, 0, 0), (4.0, 0, 0), (0.0, 4, 0), (4.0, 4, 0), (2.0, 2, 4)]
    weights = bounded_biharmonic(
        (nodes, border(tets)), corners, cage_faces=[[0, 1, 2], [1, 3, 2]], tetrahedra=(nodes, tets)
    )
    low = nodes[:, 2] == 0
    x, y = nodes[low, 0] / 4, nodes[low, 1] / 4
    first = x + y <= 1
    expected = np.where(
        first[:, None],
        np.stack([1 - x - y, x, y, 0 * x, 0 * x], axis=1),
        np.stack([0 * x, 1 - y, 1 - x, x + y - 1, 0 * x], axis=1),
    )
    assert_allclose(weights[low], expected, atol=1e-12)


def test_vertices_inside_tetrahedra_are_interpolated() -> None:
    nodes, tets = bar(2, 2, 8)
    rng = np.random.default_rng(5)
    chosen, parts = tets[rng.integers(len(tets), size=40)], rng.dirichlet(np.ones(4), 40)
    points = np.einsum("ij,ijk->ik", parts, nodes[chosen])
    surface = np.concatenate([points, nodes]), [[0, 1, 2]]
    weights = bounded_biharmonic(surface, POINTS, tetrahedra=(nodes, tets))
    assert_allclose(weights[:40], np.einsum("ij,ijk->ik", parts, weights[40:][chosen]), atol=1e-9)


def test_orientation_of_tetrahedra_does_not_matter() -> None:
    nodes, tets = bar(2, 2, 8)
    turned = tets.copy()
    turned[::2] = turned[::2, [1, 0, 2, 3]]
    surface = nodes, border(tets)
    expected = bounded_biharmonic(surface, POINTS, tetrahedra=(nodes, tets))
    assert_allclose(bounded_biharmonic(surface, POINTS, tetrahedra=(nodes, turned)), expected, atol=1e-9)


def test_bits_do_not_depend_on_threads() -> None:
    nodes, tets = bar(3, 3, 20)
    fixed = np.arange(0, 20 * 16, 16, dtype=np.int32)
    before = lissom.thread_count()
    try:
        lissom.set_thread_count(1)
        one, _ = solve(nodes, tets, fixed, np.eye(20))
        lissom.set_thread_count(3)
        three, _ = solve(nodes, tets, fixed, np.eye(20))
    finally:
        lissom.set_thread_count(before)
    assert_array_equal(one, three)


# ---- edges ----


def test_one_handle_moves_everything() -> None:
    assert_array_equal(on_bar([(1.0, 1, 4)]), np.ones((81, 1)))


def test_everything_fixed_needs_no_solver() -> None:
    nodes, tets = bar(1, 1, 1)
    weights, facts = solve(nodes, tets, np.arange(8, dtype=np.int32), np.eye(8))
    assert_array_equal(weights, np.eye(8))
    assert facts["iterations"] == 0
    assert facts["converged"]


def test_a_part_without_handle_takes_the_nearest_and_says_so() -> None:
    nodes, tets = bar(1, 1, 4)
    far = nodes + np.array([0, 0, 6.0])
    both = np.concatenate([nodes, far]), np.concatenate([tets, tets + len(nodes)])
    surface = both[0], border(both[1])
    handles = [nodes[0], nodes[-1]]  # of the lower bar; the second is nearer to the upper one
    with pytest.warns(
        RuntimeWarning, match=r"20 nodes in 1 parts of the volume hold no handle; each such part got"
    ):
        weights, report = bounded_biharmonic(surface, handles, tetrahedra=both, report=True)
    assert_array_equal(weights[len(nodes) :], np.tile([0, 1], (20, 1)))
    assert_array_equal(report.unreached_vertices, np.arange(20, 40))
    assert report.components_without_handle == 1
    assert_allclose(weights[:20], on_bar(handles, (1, 1, 4)), atol=TOLERANCE)


def test_flat_tetrahedra_are_left_out_and_named() -> None:
    nodes, tets = bar(2, 2, 8)
    flat = np.concatenate([tets, [[0, 1, 2, 2], [0, 1, 3, 4]]]).astype(np.int32)
    surface = nodes, border(tets)
    with pytest.warns(RuntimeWarning, match=r"2 tetrahedra have no volume and were left out"):
        weights, report = bounded_biharmonic(surface, POINTS, tetrahedra=(nodes, flat), report=True)
    assert_array_equal(weights, on_bar(POINTS))
    assert any("2 tetrahedra without volume" in note for note in report.notes)


def test_active_sets_take_over_where_the_iteration_creeps(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = on_bar(BONES, polish=True)
    monkeypatch.setattr("lissom.weights._solve.ITERATION_LIMIT", 3)
    weights, report = on_bar(BONES, report=True)
    assert report.converged
    assert report.iterations == 3
    assert_allclose(weights, exact, atol=EXACT)


def test_what_did_not_converge_says_so() -> None:
    facts = {
        "converged": False,
        "iterations": 3,
        "error_estimate": 0.02,
        "flat_count": 0,
        "unreached_count": 0,
    }
    assert _warnings(facts, 1e-3) == [
        "did not converge: after 3 iterations weights may be off by 0.02, more than the tolerance 0.001, and "
        "active sets did not settle; look for very flat tetrahedra"
    ]


def test_float32_and_lists_are_taken() -> None:
    nodes, tets = bar(2, 2, 8)
    surface = nodes.astype(np.float32), border(tets).tolist()
    weights = bounded_biharmonic(
        surface, np.array(POINTS, np.float32), tetrahedra=(nodes.tolist(), tets.tolist())
    )
    assert_array_equal(weights, on_bar(POINTS))


# ---- the report ----


def test_the_report_is_readable_and_plain() -> None:
    weights, report = on_bar(BONES, report=True)
    assert isinstance(report, WeightReport)
    assert (report.vertex_count, report.handle_count) == weights.shape
    assert (report.node_count, report.tetrahedron_count, report.cell) == (81, 192, None)
    assert report.converged
    assert report.residuals["error_estimate"] < TOLERANCE
    assert report.row_sums[0] <= 1 <= report.row_sums[1]
    counts = (weights > 0.01).sum(axis=1)
    assert report.influence_shares == {k: np.mean(counts > k) for k in (1, 2, 4, 8)}
    assert report.seconds["factorising"] > 0
    assert json.loads(json.dumps(report.to_dict()))["node_count"] == 81
    assert "81 nodes, 192 tetrahedra" in str(report)
    assert str(pickle.loads(pickle.dumps(report))) == str(report)


# ---- progress and stopping ----


def test_progress_names_stages_from_the_calling_thread() -> None:
    seen = []
    on_bar(BONES, polish=True, progress=lambda stage, part: seen.append((stage, part, threading.get_ident())))
    stages = list(dict.fromkeys(stage for stage, _, _ in seen))
    assert stages[0] == "assembling"
    assert set(stages) >= {"assembling", "ordering", "factorising", "iterating", "polishing"}
    assert all(0 <= part <= 1 for _, part, _ in seen)
    assert {thread for _, _, thread in seen} == {threading.get_ident()}


@pytest.mark.parametrize("stage", ["assembling", "ordering", "factorising", "iterating", "polishing"])
def test_what_progress_raises_stops(stage: str) -> None:
    def stop(name: str, _part: float) -> None:
        if name == stage:
            raise KeyError(stage)

    with pytest.raises(KeyError, match=stage):
        on_bar(BONES, polish=True, progress=stop)


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Ctrl-C as in a terminal: where shells start what is in the background, Python ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers of signals here")
@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_answers() -> None:
    nodes, tets = bar(12, 12, 24)
    fixed = np.arange(0, 60 * 60, 60, dtype=np.int32)
    started = []

    def note(stage: str, _part: float) -> None:
        if stage == "solving" and not started:
            started.append(time.process_time())

    solve(nodes, tets, fixed, np.eye(60), tolerance=1e-9, progress=note)
    whole = time.process_time() - started.pop()

    def begin(stage: str, _part: float) -> None:
        if stage == "solving" and not started:
            started.append(time.process_time())
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        solve(nodes, tets, fixed, np.eye(60), tolerance=1e-9, progress=begin)
    assert started
    # Processor time, which a machine with other work does not stretch: a slice of work, and not all of it.
    assert time.process_time() - started[0] < whole / 3


# ---- bad input ----

NODES, TETS = bar(1, 1, 1)
GOOD = {"surface": (NODES, [[0, 1, 3]]), "handles": [NODES[0], NODES[7]], "tetrahedra": (NODES, TETS)}


def with_nan():
    nodes = NODES.copy()
    nodes[2, 1] = np.nan
    return nodes


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        (
            {"surface": NODES},
            TypeError,
            r"surface must be a pair \(positions, triangles\) or a Mesh, got ndarray",
        ),
        (
            {"surface": (NODES[:, :2], [[0, 1, 3]])},
            ValueError,
            r"positions must have shape \(V, 3\), got \(8, 2\)",
        ),
        ({"surface": (np.empty((0, 3)), [])}, ValueError, "must hold at least one vertex, got none"),
        (
            {"surface": (with_nan(), [])},
            ValueError,
            "surface positions must be finite, got nan in vertex 2; remove or repair it",
        ),
        (
            {"surface": (NODES, [[0, 1, 8]])},
            ValueError,
            r"triangles must be in \[0, 8\).*got \[0, 1, 8\] in triangle 0",
        ),
        ({"surface": (NODES, [[0, -1, 2]])}, ValueError, r"triangles must be in \[0, 8\)"),
        ({"surface": (NODES, [[0, 1.5, 2]])}, TypeError, "triangles must be an array of integers"),
        ({"surface": (NODES + 5, [])}, ValueError, "inside tetrahedra, got 8 outside, the first is vertex 0"),
        ({"handles": []}, ValueError, "handles must hold at least one point or bone, got none"),
        ({"handles": 3}, TypeError, "handles must be a sequence"),
        (
            {"handles": [[0, 0]]},
            ValueError,
            r"handle 0 must be a point \(3,\) or a bone \(2, 3\), got shape \(2,\)",
        ),
        ({"handles": [[0, 0, np.inf]]}, ValueError, "handle 0 must be finite"),
        (
            {"handles": [[0, 0, 0], [0, 0, 0.5]]},
            ValueError,
            "handle 1 is a point without a node.*nearest is 0.5 away",
        ),
        ({"handles": [[[0.5, 0.5, 0], [0.5, 0.5, 1]]]}, ValueError, "handle 0 is a bone without a node"),
        ({"handles": [NODES[0], NODES[0]]}, ValueError, "handle . must have a node of tetrahedra of its own"),
        (
            {"handles": [NODES[0], [NODES[0], NODES[0]]]},
            ValueError,
            "handle . must have a node of tetrahedra of its",
        ),
        ({"tetrahedra": NODES}, TypeError, "tetrahedra must be the pair"),
        ({"tetrahedra": (with_nan(), TETS)}, ValueError, "nodes of tetrahedra must be finite"),
        (
            {"tetrahedra": (NODES, TETS + 1)},
            ValueError,
            r"tetrahedra must be in \[0, 8\), the number of nodes",
        ),
        ({"tetrahedra": (NODES, -TETS)}, ValueError, r"tetrahedra must be in \[0, 8\)"),
        ({"tetrahedra": (NODES, [])}, ValueError, "must hold at least one tetrahedron, got none"),
        ({"tetrahedra": (NODES, TETS[:, :3])}, ValueError, r"tetrahedra must have shape \(T, 4\)"),
        ({"tetrahedra": (NODES, [[0, 1, 2, 3]])}, ValueError, "tets must have a volume, got only flat ones"),
        ({"tolerance": 0}, ValueError, "tolerance must be above zero"),
        ({"cells": 5}, ValueError, "cells and cell_size are of a lattice; leave them or tetrahedra out"),
        (
            {"cell_size": 0.5},
            ValueError,
            "cells and cell_size are of a lattice; leave them or tetrahedra out",
        ),
        ({"outside": "move"}, ValueError, 'outside="move" is of a lattice: each handle must have nodes'),
        (
            {"handles": [NODES[0], NODES[1], [NODES[0], NODES[1]]]},
            ValueError,
            "handle 2 holds no node: points hold all nodes of this bone; sample it finer",
        ),
        ({"tolerance": 1.0}, ValueError, "tolerance must be below 1"),
        ({"tolerance": "x"}, TypeError, "tolerance must be a number"),
        ({"progress": 1}, TypeError, "progress must be callable or None, got int"),
        ({"cage_faces": [[0, 1, 2]]}, ValueError, r"cage_faces must be in \[0, 2\), the number of handles"),
        (
            {"handles": [NODES[0], NODES[7], [NODES[1], NODES[3]]], "cage_faces": [[0, 1, 2]]},
            ValueError,
            "cage_faces must join point handles, got bone 2 in face 0",
        ),
        ({"cage_faces": [[0, 1, 1]]}, ValueError, r"cage_faces must have an area, got \[0, 1, 1\] in face 0"),
    ],
)
def test_bad_input_is_refused(changes, error, words) -> None:
    arguments = {**GOOD, **changes}
    surface, handles = arguments.pop("surface"), arguments.pop("handles")
    with pytest.raises(error, match=f"^weights.bounded_biharmonic: .*{words}"):
        bounded_biharmonic(surface, handles, **arguments)


@pytest.mark.parametrize(
    ("fixed", "rows", "words"),
    [
        ([], np.empty((0, 2)), "fixed_nodes must name at least one node"),
        ([0], np.empty((1, 0)), "fixed_rows must hold one row of weights for each fixed node"),
        ([8], [[1.0]], r"fixed_nodes must be in \[0, 8\).*got 8 in row 0"),
        ([-1], [[1.0]], r"fixed_nodes must be in \[0, 8\).*got -1 in row 0"),
        ([1, 1], [[1.0], [1.0]], "fixed_nodes must name each node once, got 1 twice"),
        ([1], [[0.5, 0.4]], "fixed_rows must sum to 1 within 1e-6, got 0.9 in row 0"),
        ([1], [[1.5, -0.5]], "fixed_rows must be at least 0, got -0.5 in row 0"),
        ([1], [[np.nan, 1.0]], "fixed_rows must be at least 0, got nan in row 0"),
    ],
)
def test_bad_constraints_are_refused(fixed, rows, words) -> None:
    with pytest.raises(ValueError, match=f"^weights.bounded_biharmonic: {words}"):
        solve(NODES, TETS, np.array(fixed, np.int32), np.array(rows, float))


def test_memory_is_named_before_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    needed = (
        r"81 nodes and 3 handles need about .* GiB, more than the .* pass a coarser volume, fewer handles"
    )
    with pytest.raises(MemoryError, match=needed):
        on_bar(BONES, memory_limit=1000)
    with pytest.raises(
        MemoryError, match=r"the factor of 72 unknowns would take \d+ MiB, more than the 0 MiB"
    ):
        on_bar(BONES, memory_limit=8.0 * ARRAYS * 81 * 3)
    monkeypatch.setattr("lissom.weights._solve.memory_limit", lambda: 1000.0)  # a machine without memory
    with pytest.raises(MemoryError, match=needed):
        on_bar(BONES)


def test_nothing_is_said_of_what_is_right() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        on_bar(BONES)
