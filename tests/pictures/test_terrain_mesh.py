# SPDX-License-Identifier: MIT
"""What is made of a ground mesh before it is drawn: faces, walls, edges."""

import numpy as np
import pytest

from lissom._view.terrain_mesh import checked_surface, terrain_mesh
from lissom.ground import HeightField

QUAD = np.array([[0, 2, 1], [0, 3, 2]])


def quads(*corners):
    """Quads (N, 4, 3), each with four vertices of its own."""
    positions = np.array(corners, np.float64).reshape(-1, 3)
    return positions, np.concatenate([QUAD + 4 * i for i in range(len(corners))])


def level(x0, x1, y, z0=0.0, z1=1.0):
    return [[x0, y, z0], [x1, y, z0], [x1, y, z1], [x0, y, z1]]


STEP = quads(level(0, 1, 0.0), [[1, 0, 0], [1, 0.5, 0], [1, 0.5, 1], [1, 0, 1]], level(1, 2, 0.5))


def edges_of(mesh):
    """Edges as sets of their two ends."""
    return {frozenset(tuple(np.round(end, 6).tolist()) for end in edge[:, :3]) for edge in mesh.edges}


def test_a_step_has_its_two_edges_and_those_over_its_walls():
    mesh = terrain_mesh(*STEP, floor=0.0)
    expected = [
        ((1, 0, 0), (1, 0, 1)),  # foot and head of the riser
        ((1, 0.5, 0), (1, 0.5, 1)),
        ((1, 0.5, 0), (2, 0.5, 0)),  # around the upper tread
        ((2, 0.5, 0), (2, 0.5, 1)),
        ((2, 0.5, 1), (1, 0.5, 1)),
        ((1, 0, 0), (1, 0.5, 0)),  # sides of the riser
        ((1, 0, 1), (1, 0.5, 1)),
    ]
    assert edges_of(mesh) == {frozenset(map(tuple, np.array(e, float).tolist())) for e in expected}
    np.testing.assert_array_equal(mesh.edges[..., 3], 1)
    np.testing.assert_array_equal(mesh.low, [0, 0, 0])
    np.testing.assert_array_equal(mesh.high, [2, 0.5, 1])


def test_walls_go_from_raised_borders_to_the_floor_and_nowhere_else():
    mesh = terrain_mesh(*STEP, floor=0.0)
    walls = mesh.corners[6:]  # after the six triangles of the three quads
    upright = np.abs(walls[..., 4]) < 1e-12
    assert upright.all()
    assert walls[..., 1].min() == 0
    assert walls[..., 1].max() == 0.5
    # Around the upper tread lie three walls, each 0.5 high and 1 long; those beside the riser have no width.
    a, b, c = walls[:, 0, :3], walls[:, 1, :3], walls[:, 2, :3]
    assert np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2 == pytest.approx(1.5)
    assert len(terrain_mesh(*quads(level(0, 1, 0.0)), floor=0.0).corners) == 2
    assert len(terrain_mesh(*quads(level(0, 1, 0.0)), floor=-1.0).corners) == 2 + 8


def test_gentle_bends_are_smooth_and_creases_are_not():
    x = np.arange(3)
    for rise, is_smooth in ((0.1, True), (1.0, False)):  # bends by 11 and by 90 degrees
        roof = HeightField(np.tile(rise * np.abs(x - 1.0), (2, 1)))
        mesh = terrain_mesh(*roof.triangles(), floor=-1.0)
        ridge = mesh.corners[:8][mesh.corners[:8, :, 0] == 1]
        slope = rise / np.hypot(1, rise)  # of the normals of the faces; two of three share a corner
        assert (np.abs(ridge[:, 3]) < 0.4 * slope).all() == is_smooth
        assert (frozenset({(1.0, 0.0, 0.0), (1.0, 0.0, 1.0)}) in edges_of(mesh)) != is_smooth
    np.testing.assert_allclose(np.linalg.norm(mesh.corners[..., 3:], axis=-1), 1)


def test_either_winding_and_slivers_make_the_same_mesh():
    positions, triangles = STEP
    turned = terrain_mesh(positions, triangles[:, ::-1], floor=0.0)
    mesh = terrain_mesh(positions, triangles, floor=0.0)
    assert edges_of(turned) == edges_of(mesh)
    np.testing.assert_allclose(turned.corners[:2, :, 3:], mesh.corners[:2, :, 3:], atol=1e-12)
    with_sliver = terrain_mesh(positions, np.concatenate([triangles, [[0, 1, 1]]]), floor=0.0)
    np.testing.assert_array_equal(with_sliver.corners, mesh.corners)


def test_what_is_no_ground_is_refused_in_a_sentence():
    positions, triangles = STEP
    for wrong, error, sentence in (
        ("uneven", TypeError, "f: ground must be True, False, a ground of lissom.ground, or .*, got str"),
        (positions, TypeError, "got ndarray"),
        ((positions, triangles + 0.5), TypeError, "f: ground: triangles must be integers, got float64"),
        ((positions, triangles[:, :2]), ValueError, r"must hold positions \(V, 3\) and .* and \(6, 2\)"),
        ((positions, triangles[:0]), ValueError, "f: ground must have at least one triangle, got none"),
        ((positions * np.nan, triangles), ValueError, "f: ground: positions must be finite, got nan"),
        ((positions, triangles + 1), ValueError, r"triangles must be indices in \[0, 12\), got 12"),
        ((positions, triangles - 1), ValueError, r"triangles must be indices in \[0, 12\), got -1"),
    ):
        with pytest.raises(error, match=sentence):
            checked_surface("f", wrong)


def test_the_order_of_the_vertices_and_those_that_no_triangle_uses_do_not_matter():
    positions, triangles = STEP
    order = np.random.default_rng(1).permutation(len(positions))
    shuffled = np.concatenate([positions[order], [[1e9, 0, 0]]])
    for mesh, other in zip(
        terrain_mesh(positions, triangles, floor=-1.0),
        terrain_mesh(shuffled, np.argsort(order)[triangles], floor=-1.0),
        strict=True,
    ):
        np.testing.assert_array_equal(mesh, other)
