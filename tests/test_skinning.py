# SPDX-License-Identifier: MIT
"""Skinning against its float64 twin, by its laws, and its refusals."""

from types import SimpleNamespace

import numpy as np
import pytest

import lissom
from reference import skinning as twin

# Largest difference to the float64 twin as a share of the size of what is moved. float32 has 6e-8 per
# operation; a blend of K rows and the move are about twenty of them.
POSITION_TOLERANCE = 2e-6
NORMAL_TOLERANCE = 1e-5
# The same in float64, where the mesh itself is float32 in both.
DOUBLE_TOLERANCE = 1e-13


def random_units(rng, *shape):
    values = rng.normal(size=shape)
    return values / np.linalg.norm(values, axis=-1, keepdims=True)


def random_mesh(rng, vertex_count=1003, row_count=40, influence_count=4, index_type=np.uint16):
    """A cloud of vertices about one metre across; some influences have no weight, some rows come twice."""
    weights = rng.random((vertex_count, influence_count)) ** 3
    weights[:, 1:][rng.random((vertex_count, influence_count - 1)) < 0.3] = 0
    weights /= weights.sum(axis=1, keepdims=True)
    return lissom.Mesh(
        rng.uniform(-0.5, 0.5, (vertex_count, 3)),
        rng.integers(0, vertex_count, (vertex_count // 3, 3)),
        rng.integers(0, row_count, (vertex_count, influence_count)).astype(index_type),
        weights,
        normals=random_units(rng, vertex_count, 3),
    )


def rotation_matrices(quats):
    x, y, z, w = np.moveaxis(np.asarray(quats, np.float64), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def rigid_palette(rng, *shape, dtype=np.float32):
    """Random rigid transforms as matrices (..., 4, 4) and as dual quaternions (..., 8)."""
    rotations = random_units(rng, *shape, 4)
    translations = rng.uniform(-0.5, 0.5, (*shape, 3))
    matrices = np.zeros((*shape, 4, 4))
    matrices[..., :3, :3] = rotation_matrices(rotations)
    matrices[..., :3, 3] = translations
    matrices[..., 3, 3] = 1
    return matrices.astype(dtype), dual_quats(rotations, translations).astype(dtype)


def dual_quats(rotations, translations):
    """Real part r, dual part t r / 2."""
    vector, scalar = rotations[..., :3], rotations[..., 3:]
    dual_vector = scalar * translations + np.cross(translations, vector)
    dual_scalar = -(translations * vector).sum(-1, keepdims=True)
    return np.concatenate([rotations, 0.5 * dual_vector, 0.5 * dual_scalar], axis=-1)


def random_scales(rng, *shape, dtype=np.float32):
    """Scales and shears about points near the mesh, one mirror among them."""
    linear = np.eye(3) + 0.25 * rng.uniform(-1, 1, (*shape, 3, 3))
    linear[..., 0, 0, 0] *= -1
    offsets = rng.uniform(-0.3, 0.3, (*shape, 3, 1))
    return np.concatenate([linear, offsets], axis=-1).astype(dtype)


def arrays(mesh):
    return mesh.positions, mesh.normals, mesh.indices, mesh.weights


def assert_moved(got, expected, where=slice(None), double=False):
    positions, normals = (
        np.abs(a[where] - b[where]).max(initial=0) for a, b in zip(got, expected, strict=True)
    )
    size = max(1.0, np.linalg.norm(np.ptp(expected[0], axis=0))) if len(expected[0]) else 1.0
    assert positions <= (DOUBLE_TOLERANCE if double else POSITION_TOLERANCE) * size
    assert normals <= (DOUBLE_TOLERANCE if double else NORMAL_TOLERANCE)


@pytest.mark.parametrize("influence_count", [1, 2, 3, 4, 5, 8, 10])
@pytest.mark.parametrize("index_type", [np.uint16, np.uint32])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_linear_equals_its_twin(influence_count, index_type, dtype) -> None:
    rng = np.random.default_rng(influence_count)
    mesh = random_mesh(rng, influence_count=influence_count, index_type=index_type)
    matrices, _ = rigid_palette(rng, 40, dtype=dtype)
    matrices[:, :3, :3] *= rng.uniform(0.5, 2, (40, 1, 3))
    moved = lissom.skin_linear(mesh, matrices, normals=True)
    assert moved.positions.dtype == dtype
    assert_moved(moved, twin.linear(*arrays(mesh), matrices), double=dtype is np.float64)


@pytest.mark.parametrize("influence_count", [1, 2, 3, 4, 5, 8, 10])
@pytest.mark.parametrize("index_type", [np.uint16, np.uint32])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scaled", [False, True])
def test_dual_quat_equals_its_twin(influence_count, index_type, dtype, scaled) -> None:
    rng = np.random.default_rng(influence_count)
    mesh = random_mesh(rng, influence_count=influence_count, index_type=index_type)
    _, palette = rigid_palette(rng, 40, dtype=dtype)
    scales = random_scales(rng, 40, dtype=dtype) if scaled else None
    moved = lissom.skin_dual_quat(mesh, palette, scales, normals=True)
    assert moved.positions.dtype == dtype
    expected = twin.dual_quat(*arrays(mesh), palette, scales)
    stable = ~twin.unstable(mesh.indices, mesh.weights, palette)
    assert stable.mean() > 0.99
    assert_moved(moved, expected, stable, double=dtype is np.float64)


def test_batches_are_one_palette_after_another() -> None:
    rng = np.random.default_rng(0)
    mesh = random_mesh(rng, vertex_count=333)
    matrices, palette = rigid_palette(rng, 3, 2, 40)
    scales = random_scales(rng, 3, 2, 40)
    linear = lissom.skin_linear(mesh, matrices, normals=True)
    dual = lissom.skin_dual_quat(mesh, palette, scales, normals=True)
    assert linear.positions.shape == dual.normals.shape == (3, 2, 333, 3)
    for i in np.ndindex(3, 2):
        for all_of, one in (
            (linear, lissom.skin_linear(mesh, matrices[i], normals=True)),
            (dual, lissom.skin_dual_quat(mesh, palette[i], scales[i], normals=True)),
        ):
            np.testing.assert_array_equal(all_of.positions[i], one.positions)
            np.testing.assert_array_equal(all_of.normals[i], one.normals)


def test_deform_chooses_by_name() -> None:
    rng = np.random.default_rng(0)
    mesh = random_mesh(rng)
    matrices, dual = rigid_palette(rng, 40)
    palette = SimpleNamespace(matrices=matrices, dual_quats=dual, scales=random_scales(rng, 40))
    np.testing.assert_array_equal(lissom.deform(mesh, palette), lissom.skin_linear(mesh, matrices))
    np.testing.assert_array_equal(
        lissom.deform(mesh, palette, "dual_quat", normals=True).normals,
        lissom.skin_dual_quat(mesh, dual, palette.scales, normals=True).normals,
    )
    with pytest.raises(ValueError, match=r"deform: method must be one of 'linear', 'dual_quat', got 'cor'"):
        lissom.deform(mesh, palette, "cor")
