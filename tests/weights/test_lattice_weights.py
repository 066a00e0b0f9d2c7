# SPDX-License-Identifier: MIT
"""Bounded biharmonic weights of surfaces alone: what the lattice promises, and what it refuses."""

from itertools import pairwise

import numpy as np
import pytest

from conftest import ASSETS, each_asset
from lattice_surfaces import box, fork, joined, sphere, tube
from lissom.weights import _cell_size, bounded_biharmonic
from lissom.weights._lattice_handles import corner_shares
from reference import lattice as twin

# What rows may miss 1 by: float64, a few hundred handles.
SUM = 1e-9
# Place and scale change rounding alone.
INVARIANT = 1e-5
# What is aimed at where two solutions are compared, well below what is asked of them.
FINE = 1e-4
# Of a surface and its mirror image.
MIRROR = 1e-3


def rotated(points, degrees, axis=(1.0, 2.0, 3.0)):
    """Turn points about an axis through the origin (Rodrigues)."""
    axis = np.array(axis) / np.linalg.norm(axis)
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    points = np.asarray(points, float)
    return points * c + np.cross(axis, points) * s + (points @ axis)[..., None] * axis * (1 - c)


def bar():
    """Make a round bar along x with a bone at each end."""
    return tube(0.15, 1.0, 16, 12), [[[0.05, 0, 0], [0.35, 0, 0]], [[0.65, 0, 0], [0.95, 0, 0]]]


def fork_bones(gap):
    return [
        [[0.1, 0.4, 0.1], [0.1, 1.2, 0.1]],
        [[0.3 + gap, 0.4, 0.1], [0.3 + gap, 1.2, 0.1]],
        [0.2 + gap / 2, 0.1, 0.1],
    ]


def with_loose(surface, points):
    """Add vertices that no triangle uses, to read weights anywhere."""
    return np.concatenate([surface[0], points]), surface[1]


def test_interpolation_is_the_twins():
    rng = np.random.default_rng(0)
    within, values = rng.random((20, 3)), rng.random((20, 8))
    got = (corner_shares(within) * values).sum(axis=1)
    np.testing.assert_allclose(
        got, [twin.trilinear(v, w) for v, w in zip(values, within, strict=True)], atol=1e-15
    )


# --- laws


@pytest.mark.parametrize(
    "surface",
    [
        pytest.param(sphere(3), id="closed"),
        pytest.param((sphere(3)[0], sphere(3)[1][40:]), id="open"),
        pytest.param(joined(sphere(3), sphere(2, 0.4, (0.9, 0, 0))), id="self-intersecting"),
        pytest.param(
            (sphere(3)[0], np.concatenate([sphere(3)[1], [[0, 1, 2], [0, 1, 3]]])), id="non-manifold"
        ),
        pytest.param((sphere(3)[0], sphere(3)[1][:, ::-1]), id="inside-out"),
        pytest.param((sphere(3)[0], np.concatenate([sphere(3)[1], sphere(3)[1][:, ::-1]])), id="two-sided"),
    ],
)
def test_rows_sum_to_one_and_handles_are_alone(surface):
    handles = [[0.5, 0, 0], [-0.5, 0.1, 0], [[0, -0.6, 0.05], [0.1, -0.3, 0.3]]]
    on_bone = [(1 - t) * np.array(handles[2][0]) + t * np.array(handles[2][1]) for t in (0, 0.3, 0.77, 1)]
    probed = with_loose(surface, [handles[0], handles[1], *on_bone])
    weights, report = bounded_biharmonic(probed, handles, cells=10, report=True)
    assert np.abs(weights.sum(axis=1) - 1).max() < SUM
    assert weights.min() >= 0
    assert weights.max() <= 1
    np.testing.assert_allclose(weights[-6:], np.eye(3)[[0, 1, 2, 2, 2, 2]], atol=1e-12)
    assert report.cell == pytest.approx(np.ptp(surface[0], axis=0).max() / 10, rel=0.01)
    assert not report.outside_handles
    assert report.components_without_handle == 0
    assert (weights[: len(surface[0])].max(axis=0) > 0.5).all()


def test_place_and_scale_change_nothing():
    (positions, triangles), bones = bar()
    one = bounded_biharmonic((positions, triangles), bones, cells=20)
    for scale, place in ((100.0, [1e3, -20, 5]), (1e-3, [0, 0, 0])):
        moved = [np.array(bone) * scale + place for bone in bones]
        other = bounded_biharmonic((positions * scale + place, triangles), moved, cells=20)
        np.testing.assert_allclose(other, one, atol=INVARIANT)


@pytest.mark.parametrize(("cells", "axis"), [(9, 0), (10, 1), (9, 2)])
def test_mirrored_input_has_mirrored_weights(cells, axis):
    positions, triangles = joined(sphere(2), sphere(1, 0.3, (0.2, 0.9, 0.4)))
    handles = np.array([[0.4, 0.1, 0.2], [-0.5, 0.3, 0.1], [0.2, 0.9, 0.4]])
    flip = np.ones(3)
    flip[axis] = -1
    one = bounded_biharmonic((positions, triangles), handles, cells=cells, tolerance=FINE)
    other = bounded_biharmonic((positions * flip, triangles), handles * flip, cells=cells, tolerance=FINE)
    np.testing.assert_allclose(other, one, atol=MIRROR)


@pytest.mark.parametrize("cells", [9, 10])
def test_symmetric_input_has_symmetric_weights(cells):
    positions, triangles = sphere(3)
    weights = bounded_biharmonic(
        (positions, triangles), [[0.5, 0, 0], [-0.5, 0, 0]], cells=cells, tolerance=FINE
    )
    mirrored = np.lexsort((positions * [-1, 1, 1]).round(9).T)
    np.testing.assert_allclose(
        weights[np.lexsort(positions.round(9).T)], weights[mirrored][:, ::-1], atol=MIRROR
    )
    # And about the two planes that hold the handles.
    for flip in ([1, -1, 1], [1, 1, -1]):
        mirrored = np.lexsort((positions * flip).round(9).T)
        np.testing.assert_allclose(weights[np.lexsort(positions.round(9).T)], weights[mirrored], atol=MIRROR)


def test_rotation_error_falls_with_refinement():
    (positions, triangles), bones = bar()
    errors = []
    for cells in (8, 16, 32):
        straight = bounded_biharmonic((positions, triangles), bones, cells=cells)
        cell = 1 / cells
        turned = bounded_biharmonic(
            (rotated(positions, 30), triangles), [rotated(bone, 30) for bone in bones], cell_size=cell
        )
        errors.append(np.abs(turned - straight).mean())
    assert errors[2] < 0.6 * errors[1] < 0.6 * 0.8 * errors[0]
    assert errors[2] < 0.01


def test_refinement_converges():
    (positions, triangles), bones = bar()
    coarse, middle, fine = (bounded_biharmonic((positions, triangles), bones, cells=n) for n in (9, 18, 36))
    assert np.abs(fine - middle).mean() < 0.6 * np.abs(middle - coarse).mean()


# --- gaps and parts


@pytest.mark.parametrize("gap", [0.05, 0.001])
def test_fingers_closer_than_a_cell_keep_to_their_bones(gap):
    positions, triangles = fork(gap)
    weights, report = bounded_biharmonic((positions, triangles), fork_bones(gap), cells=8, report=True)
    assert report.cell > gap
    is_top, is_left = positions[:, 1] > 1.2, positions[:, 0] < 0.2 + gap / 2
    assert weights[is_top & is_left, 0].min() > 0.95
    assert weights[is_top & ~is_left, 1].min() > 0.95


def test_a_part_beside_another_takes_its_weights():
    button = box((0.21, 0.6, 0.05), (0.25, 0.7, 0.15))  # in front of the left bar, 0.01 away
    surface = joined(box((0, 0, 0), (0.2, 1, 0.2)), button, box((0.5, 0, 0), (0.7, 1, 0.2)))
    bones = [[[0.1, 0.05, 0.1], [0.1, 0.35, 0.1]], [[0.1, 0.5, 0.1], [0.1, 0.95, 0.1]], [0.6, 0.5, 0.1]]
    weights, report = bounded_biharmonic(surface, bones, cell_size=0.05, report=True)
    assert any("joined" in note for note in report.notes)
    assert weights[8:16, 1].min() > 0.9
    np.testing.assert_allclose(weights[16:, 2], 1, atol=1e-3)


def test_a_part_far_from_all_handles_takes_the_nearest_weights():
    surface = joined(box((0, 0, 0), (0.2, 1, 0.2)), box((0.5, 0.9, 0), (0.7, 1, 0.2)))
    weights, report = bounded_biharmonic(
        surface, [[0.1, 0.1, 0.1], [0.1, 0.9, 0.1]], cell_size=0.05, report=True
    )
    assert report.components_without_handle == 1
    assert report.unreached_vertices.tolist() == list(range(8, 16))
    assert any("nearest" in note for note in report.notes)
    assert weights[8:, 1].min() > 0.95
    below = joined(box((0, 0, 0), (0.2, 1, 0.2)), box((0.5, 0, 0), (0.7, 0.1, 0.2)))
    weights = bounded_biharmonic(below, [[0.1, 0.1, 0.1], [0.1, 0.9, 0.1]], cell_size=0.05)
    assert weights[8:, 0].min() > 0.95


def test_weights_far_from_all_handles_are_solved_for():
    # A pole on the end of a beam, far from all bones: up there the iteration creeps; active sets take over.
    surface = joined(box((0, 0, 0), (1, 0.2, 0.2)), box((0.98, 0.05, 0.19), (1.2, 0.15, 3)))
    ends = np.linspace(0.1, 0.9, 6)
    bones = [[[x, 0.1, 0.1], [y, 0.1, 0.1]] for x, y in pairwise(ends)]
    weights, report = bounded_biharmonic(surface, bones, cells=30, report=True)
    assert report.converged
    assert report.row_sums[0] > 0.9
    exact = bounded_biharmonic(surface, bones, cells=30, polish=True)
    np.testing.assert_allclose(weights, exact, atol=1e-3)


def test_triangles_that_bound_nothing_are_noted():
    positions, triangles = sphere(2)
    line = [[0, 1, 1], [2, 2, 2]]
    surface = positions, np.concatenate([triangles, line, triangles[:3]])
    _, report = bounded_biharmonic(surface, [[0, 0, 0]], cells=6, report=True)
    assert report.notes == (
        "2 triangles without area bound nothing",
        "3 triangles over the same corners as others bound nothing",
    )


def test_overlapping_parts_share_weights():
    surface = joined(sphere(3), sphere(2, 0.2, (1, 0, 0)))
    weights, report = bounded_biharmonic(surface, [[0.5, 0, 0], [-0.5, 0, 0]], cells=12, report=True)
    assert report.components_without_handle == 0
    assert weights[len(sphere(3)[0]) :, 0].min() > 0.95


# --- handles


def test_bones_that_meet_share_their_joint():
    surface = with_loose(tube(0.15, 1.0, 16, 12), [[0.5, 0, 0], [0.3, 0, 0], [0.7, 0, 0]])
    bones = [[[0.1, 0, 0], [0.5, 0, 0]], [[0.5, 0, 0], [0.9, 0, 0]]]
    weights = bounded_biharmonic(surface, bones, cells=21, tolerance=FINE)
    np.testing.assert_allclose(weights[-3:], [[0.5, 0.5], [1, 0], [0, 1]], atol=MIRROR)


def test_a_bone_shorter_than_a_cell_still_moves_something():
    bones = [[[0.05, 0, 0], [0.5, 0, 0]], [[0.5, 0, 0], [0.505, 0, 0]], [[0.505, 0, 0], [0.95, 0, 0]]]
    weights, report = bounded_biharmonic(tube(0.15, 1.0, 30, 12), bones, cells=12, report=True)
    assert weights[:, 1].max() > 0.2
    assert report.handle_count == 3


def test_bones_without_a_node_of_their_own_share_one():
    bone, other = [[0.1, 0, 0], [0.4, 0, 0]], [[0.6, 0, 0], [0.9, 0, 0]]
    surface = with_loose(tube(0.15, 1.0, 16, 12), [[0.11, 0, 0], [0.75, 0, 0]])
    weights, report = bounded_biharmonic(surface, [bone, other, bone], cells=12, report=True)
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=SUM)
    np.testing.assert_allclose(weights[-1], [0, 1, 0], atol=1e-12)
    assert weights.max(axis=0).min() > 0.4  # none of the three moves nothing
    assert "bones with no node nearest to them, which got one each: 0, 2" in report.notes
    tiny = [[[0.5, 0, 0], [0.501, 0, 0]]] * 20
    probed = with_loose(surface, [[0.5005, 0, 0]])
    weights, report = bounded_biharmonic(probed, [*tiny, other], cells=12, report=True)
    assert weights[-1, :20].min() > 0
    assert report.notes[-1].startswith("bones that share all their nodes with others: ")
    with pytest.raises(
        ValueError, match="handle 1 is a bone whose nodes are all held by points, in a lattice"
    ):
        bounded_biharmonic(surface, [[0.51, 0.01, 0.01], [[0.51, 0.01, 0.01], [0.511, 0.01, 0.01]]], cells=12)


def test_a_vertex_may_be_a_handle():
    positions, triangles = sphere(3)
    weights, report = bounded_biharmonic((positions, triangles), positions[:6], cells=10, report=True)
    np.testing.assert_allclose(weights[:6], np.eye(6), atol=1e-12)
    assert not report.outside_handles


def test_handles_just_outside_hold_what_is_next_to_them():
    handles = [[0, 0.95, 0], [0, -1.05, 0], [[0.5, 0, 0], [1.6, 0, 0]]]
    weights, report = bounded_biharmonic(sphere(3), handles, cells=10, report=True)
    assert report.outside_handles == (1, 2)
    assert report.moved_handles[1] == pytest.approx(0.05, abs=0.01)
    assert weights[3].argmax() == 1
    assert weights[0].argmax() == 2


def test_handles_far_outside_are_refused_or_moved():
    handles = [[0, 0.5, 0], [0, -2.0, 0]]
    message = r"handles must be inside the volume or within a cell of 0\.2\d*, got 1 outside: 1 by 1\b"
    with pytest.raises(ValueError, match="weights.bounded_biharmonic: " + message):
        bounded_biharmonic(sphere(3), handles, cells=10)
    weights, report = bounded_biharmonic(sphere(3), handles, cells=10, outside="move", report=True)
    assert report.moved_handles == {1: pytest.approx(1.0)}
    assert weights[3, 1] > 0.99


def test_close_points_make_the_lattice_finer(monkeypatch):
    monkeypatch.setattr(_cell_size, "NODE_BUDGET", 1000)
    near = [[0.12, 0, 0], [-0.18, 0, 0]]
    _, report = bounded_biharmonic(sphere(2), near, report=True)
    assert report.cell < 0.3 / 2
    with pytest.raises(
        ValueError, match=r"handles 0 and 1 hold the same node of a lattice with cells of 0\.2"
    ):
        bounded_biharmonic(sphere(2), [[0.02, 0, 0], [-0.06, 0, 0]], cells=10)


def test_cage_weights_are_linear_on_its_faces():
    cage, faces = box((-1.5, -1.5, -1.5), (1.5, 1.5, 1.5))
    # Vertices on two faces of the cage, away from its edges, where weights are known.
    u = np.array([[0.3, 0.2], [0.5, 0.25], [0.7, 0.1]])
    on_faces = [(1 - a - b) * cage[f[0]] + a * cage[f[1]] + b * cage[f[2]] for f in faces[:2] for a, b in u]
    known = np.zeros((6, 8))
    for row, (f, (a, b)) in enumerate((f, ab) for f in faces[:2] for ab in u):
        known[row, f] = [1 - a - b, a, b]
    weights = bounded_biharmonic(
        with_loose(sphere(2), on_faces), list(cage), cage_faces=faces, cells=16, tolerance=FINE
    )
    np.testing.assert_allclose(weights[-6:], known, atol=0.02)
    assert np.abs(weights.sum(axis=1) - 1).max() < SUM
    # A turn about a diagonal of the cube, or through its middle, leaves the cage as it is.
    centre = bounded_biharmonic(with_loose(sphere(2), [[0, 0, 0]]), list(cage), cage_faces=faces, cells=16)[
        -1
    ]
    np.testing.assert_allclose(centre, centre[::-1], atol=2 * MIRROR)
    np.testing.assert_allclose(centre[1:7], centre[1], atol=4 * MIRROR)


# --- size


def test_the_size_is_chosen_from_the_surface(monkeypatch):
    monkeypatch.setattr(_cell_size, "NODE_BUDGET", 2000)
    for surface in (sphere(2), tube(0.02, 1.0, 60, 8), box((0, 0, 0), (1, 1, 0.01))):
        middle = surface[0].mean(axis=0)
        _, report = bounded_biharmonic(surface, np.array([[0.3, 0, 0], [-0.3, 0, 0]]) + middle, report=True)
        assert 1000 < report.node_count < 4000


def test_memory_is_refused_before_it_is_taken():
    with pytest.raises(
        MemoryError, match=r"memory_limit must hold the lattice, got 4 GiB for \d+ x \d+ x \d+ cubes of"
    ):
        bounded_biharmonic(sphere(1), [[0, 0, 0]], cells=100_000)
    with pytest.raises(
        MemoryError, match=r"cubes with about \d+ nodes of .* which take about .* GiB; pass a larger"
    ):
        bounded_biharmonic(sphere(1), [[0, 0, 0]], cells=40, memory_limit=2.0**26)


@pytest.mark.parametrize(
    ("error", "message", "options"),
    [
        (ValueError, "cells and cell_size say the same; pass one of them", {"cells": 3, "cell_size": 0.1}),
        (ValueError, r"cells must be in \[1, 1000000\], got 0", {"cells": 0}),
        (TypeError, "cells must be an integer, got float", {"cells": 3.0}),
        (TypeError, "cells must be an integer, got bool", {"cells": True}),
        (ValueError, "cell_size must be above zero and finite, got -1", {"cell_size": -1}),
        (ValueError, "cell_size must be above zero and finite, got nan", {"cell_size": float("nan")}),
        (ValueError, "memory_limit must be above zero and finite, got 0", {"memory_limit": 0}),
        (TypeError, "memory_limit must be a number, got str", {"memory_limit": "4G"}),
        (ValueError, 'outside must be "raise" or "move", got .drop.', {"outside": "drop"}),
    ],
)
def test_refuses_options(error, message, options):
    with pytest.raises(error, match="weights.bounded_biharmonic: " + message):
        bounded_biharmonic(sphere(1), [[0, 0, 0]], **options)


@pytest.mark.parametrize(
    ("surface", "message"),
    [
        ((np.zeros((0, 3)), np.zeros((0, 3), int)), "surface positions must hold at least one vertex"),
        ((np.eye(3), np.zeros((0, 3), int)), "surface triangles must hold at least one triangle, got none"),
        ((np.array([[0, 0, 0], [np.nan, 0, 0], [0, 1, 0]]), [[0, 1, 2]]), "surface positions must be finite"),
        ((np.eye(3), [[0, 1, 1]]), "triangles must have an area, got 1 without"),
        ((np.ones((3, 3)), [[0, 1, 2]]), "positions must not all be one point"),
    ],
)
def test_refuses_surfaces(surface, message):
    with pytest.raises(ValueError, match="weights.bounded_biharmonic: " + message):
        bounded_biharmonic(surface, [[0, 0, 0]])


def test_progress_tells_of_the_lattice_and_stops_it():
    stages = []
    bounded_biharmonic(sphere(2), [[0, 0, 0]], cells=8, progress=lambda stage, part: stages.append(stage))
    assert list(dict.fromkeys(stages))[:3] == ["counting", "lattice", "assembling"]

    def stop(stage, fraction):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bounded_biharmonic(sphere(2), [[0, 0, 0]], progress=stop)


# --- real surfaces


def read_obj(path):
    positions, triangles = [], []
    for line in path.read_text().splitlines():
        kind, *words = line.split() or [""]
        if kind == "v":
            positions.append([float(word) for word in words[:3]])
        elif kind == "f":
            corners = [int(word.split("/")[0]) - 1 for word in words]
            triangles += [[corners[0], *corners[i : i + 2]] for i in range(1, len(corners) - 1)]
    return np.array(positions), np.array(triangles)


@pytest.mark.parametrize(
    "path", each_asset(sorted((ASSETS / "meshes").glob("*.obj")), "meshes"), ids=lambda path: path.stem
)
def test_real_meshes(path):
    positions, triangles = read_obj(path)
    # The vertices farthest from each other, one after the other, as handles.
    handles = [int(np.argmax(positions @ [1, 0.3, 0.1]))]
    for _ in range(4):
        away = np.linalg.norm(positions[:, None] - positions[handles][None], axis=2).min(axis=1)
        handles.append(int(away.argmax()))
    weights, report = bounded_biharmonic((positions, triangles), positions[handles], cells=24, report=True)
    assert report.converged
    assert np.abs(weights.sum(axis=1) - 1).max() < SUM
    assert weights.min() >= 0
    np.testing.assert_allclose(weights[handles], np.eye(5), atol=1e-12)
    assert report.components_without_handle == 0
