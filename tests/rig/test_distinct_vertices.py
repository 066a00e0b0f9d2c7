# SPDX-License-Identifier: MIT
"""Vertices that move as one are found, and no others."""

import numpy as np

import lissom
import morph_faces
from lissom._rig.distinct_vertices import distinct_vertices, points_of


def mesh_of(positions, indices, weights, **options):
    return lissom.Mesh(positions, np.empty((0, 3), int), indices, weights, parts=(), **options)


def test_copies_are_counted_and_the_first_is_kept():
    rng = np.random.default_rng(3)
    places = rng.normal(size=(40, 3)).astype(np.float32)
    rows = rng.permuted(np.tile(np.arange(9), (40, 1)), axis=1)[:, :3]
    weights = rng.dirichlet(np.ones(3), size=40)
    kinds = rng.integers(40, size=500)
    mesh = mesh_of(places[kinds], rows[kinds], weights[kinds])
    first, copies = distinct_vertices(mesh)
    expected = {int(kind): int(np.flatnonzero(kinds == kind)[0]) for kind in np.unique(kinds)}
    assert first.tolist() == sorted(expected.values())
    assert copies.tolist() == [int((kinds == kinds[vertex]).sum()) for vertex in first]
    points = points_of(mesh, first)
    np.testing.assert_array_equal(points.positions, mesh.positions[first])
    np.testing.assert_array_equal(points.weights, mesh.weights[first])


def test_a_last_bit_a_row_or_a_weight_tells_vertices_apart():
    places = np.ones((5, 3), np.float32)
    places[1, 2] = np.nextafter(np.float32(1), np.float32(2))
    rows = np.array([[0, 1], [0, 1], [0, 2], [0, 1], [0, 1]])
    weights = np.array([[0.5, 0.5], [0.5, 0.5], [0.5, 0.5], [0.25, 0.75], [0.5, 0.5]])
    first, copies = distinct_vertices(mesh_of(places, rows, weights))
    assert (first.tolist(), copies.tolist()) == ([0, 1, 2, 3], [2, 1, 1, 1])


def test_rows_without_weight_do_not_count():
    mesh = mesh_of(np.ones((2, 3)), [[3, 5], [3, 7]], [[1, 0], [1, 0]])
    assert [part.tolist() for part in distinct_vertices(mesh)] == [[0], [2]]


def test_morph_targets_tell_all_vertices_apart():
    face = morph_faces.mesh()
    count = face.vertex_count
    first, copies = distinct_vertices(mesh_of(np.ones((count, 3)), None, None, morphs=face.morphs))
    assert first.tolist() == list(range(count))
    assert (copies == 1).all()
