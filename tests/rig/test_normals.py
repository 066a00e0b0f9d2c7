# SPDX-License-Identifier: MIT
"""Normals of vertices from the triangles as they lie: against plain NumPy, laws, refusals."""

import numpy as np
import pytest

import lissom

# Computed in float64 and rounded once; in float64 the order of a few products differs.
TOLERANCES = {np.float32: 1e-7, np.float64: 1e-13}


def random_mesh(rng, vertex_count=200, triangle_count=350):
    triangles = rng.integers(0, vertex_count - 10, (triangle_count, 3))  # the last ten are in none
    return lissom.Mesh(rng.uniform(-1, 1, (vertex_count, 3)), triangles)


def twin(positions, triangles):
    """Corner by corner, as the definition has it."""
    positions = positions.astype(np.float64)
    sums = np.zeros_like(positions)
    for corners in triangles.astype(np.int64):
        a, b, c = positions[corners]
        for vertex in corners:
            sums[vertex] += np.cross(b - a, c - a) / 2
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.divide(sums, lengths, out=np.zeros_like(sums), where=lengths > 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_normals_equal_their_twin(dtype) -> None:
    rng = np.random.default_rng(0)
    mesh = random_mesh(rng)
    posed = rng.uniform(-1, 1, (2, 3, mesh.vertex_count, 3)).astype(dtype)
    normals = mesh.normals_of(posed)
    assert normals.dtype == dtype
    for at in np.ndindex(2, 3):
        expected = twin(posed[at], mesh.triangles)
        np.testing.assert_allclose(normals[at], expected, rtol=0, atol=TOLERANCES[dtype])
    np.testing.assert_array_equal(normals[..., -10:, :], 0)


def test_normals_of_the_bind_pose_are_the_computed_ones() -> None:
    mesh = random_mesh(np.random.default_rng(1))
    np.testing.assert_array_equal(mesh.normals_of(mesh.positions), mesh.computed_normals())


def test_turning_the_surface_turns_its_normals() -> None:
    rng = np.random.default_rng(2)
    mesh = random_mesh(rng)
    turn = lissom.quat.to_matrix(lissom.quat.from_rotation_vector(rng.normal(size=3)))
    posed = rng.uniform(-1, 1, (mesh.vertex_count, 3))
    moved = mesh.normals_of(3e4 * posed @ turn.T + [1, 2, 3])
    np.testing.assert_allclose(moved, mesh.normals_of(posed) @ turn.T, atol=1e-8)


def test_triangles_without_area_give_zeros() -> None:
    mesh = lissom.Mesh(np.zeros((6, 3)), [[0, 1, 2], [3, 3, 4]])
    line = np.float32([[0, 0, 0], [1, 1, 1], [2, 2, 2], [0, 0, 0], [1, 0, 0], [0, 1, 0]])
    np.testing.assert_array_equal(mesh.normals_of(line), 0)


def test_faces_of_opposite_sides_cancel() -> None:
    mesh = lissom.Mesh(np.zeros((3, 3)), [[0, 1, 2], [0, 2, 1]])
    np.testing.assert_array_equal(mesh.normals_of(np.eye(3)), 0)


def test_tiny_faces_far_away_are_right() -> None:
    mesh = lissom.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    posed = mesh.positions / 1024 + np.float32(1024)
    np.testing.assert_allclose(mesh.normals_of(posed), [[0, 0, 1]] * 3, atol=1e-7)


def test_normals_do_not_depend_on_threads_nor_on_the_batch() -> None:
    rng = np.random.default_rng(3)
    mesh = random_mesh(rng, 5000, 9000)
    posed = rng.uniform(-1, 1, (7, 5000, 3)).astype(np.float32)
    results = []
    for count in (1, 2, 5):
        lissom.set_thread_count(count)
        results.append(mesh.normals_of(posed))
        np.testing.assert_array_equal(mesh.normals_of(posed[2]), results[0][2])
    lissom.set_thread_count(0)
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


def test_normals_write_where_they_are_told() -> None:
    rng = np.random.default_rng(4)
    mesh = random_mesh(rng)
    posed = rng.uniform(-1, 1, (2, mesh.vertex_count, 3)).astype(np.float32)
    out = np.full((4, mesh.vertex_count, 3), 7, np.float32)
    assert mesh.normals_of(posed, out=out[1:3]).base is out
    np.testing.assert_array_equal(out[1:3], mesh.normals_of(posed))
    np.testing.assert_array_equal(out[[0, 3]], 7)


@pytest.mark.parametrize("shape", [(0, 200, 3), (3, 0, 200, 3)])
def test_no_pose_has_no_normals(shape) -> None:
    mesh = random_mesh(np.random.default_rng(5))
    assert mesh.normals_of(np.zeros(shape)).shape == shape
    assert lissom.Mesh([], []).normals_of(np.zeros((2, 0, 3))).shape == (2, 0, 3)


def test_wrong_positions_are_refused() -> None:
    mesh = lissom.Mesh(np.zeros((4, 3)), [[0, 1, 2]])
    posed = np.zeros((2, 4, 3), np.float32)
    with pytest.raises(
        ValueError, match=r"Mesh\.normals_of: positions must have shape \(\.\.\., 4, 3\), got \(2, 3, 3\)"
    ):
        mesh.normals_of(posed[:, :3])
    with pytest.raises(TypeError, match=r"Mesh\.normals_of: positions must be an array of real numbers"):
        mesh.normals_of("here")
    with pytest.raises(TypeError, match=r"Mesh\.normals_of: out"):
        mesh.normals_of(posed, out=np.zeros((2, 4, 3)))
    with pytest.raises(ValueError, match=r"Mesh\.normals_of: out"):
        mesh.normals_of(posed, out=posed)
    posed[1, 3, 2] = np.nan
    out = np.full((2, 4, 3), 7, np.float32)
    with pytest.raises(
        ValueError, match=r"Mesh\.normals_of: positions must be finite, got -?nan in vertex 3 of pose 1"
    ):
        mesh.normals_of(posed, out=out)
    np.testing.assert_array_equal(out, 7)
