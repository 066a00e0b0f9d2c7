# SPDX-License-Identifier: MIT
"""Skinning in plain float64 NumPy, from the papers: the twin that the kernels are compared with.

Sources: linear blending as glTF 2.0 "Skins" states it; dual quaternions after Kavan, Collins, Zara,
O'Sullivan, "Geometric Skinning with Approximate Dual Quaternion Blending", ACM TOG 27(4) 105, 2008, algorithm
1, with the scale phase of its section 4.2. Quaternions are x, y, z, w.
"""

import numpy as np

# Where a cofactor leaves less than this of a normal (per |S|^2) nothing but rounding is left: see
# skin_dual_quat.
VANISHING = 1e-6


def unit(vectors):
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)


def _double(*arrays):
    return [np.asarray(array, np.float64) for array in arrays]


def linear(positions, normals, indices, weights, matrices):
    """Positions and normals (V, 3) moved by one palette (S, 4, 4)."""
    positions, normals, weights, matrices = _double(positions, normals, weights, matrices)
    blends = np.einsum("vk,vkij->vij", weights, matrices[indices])
    moved = np.einsum("vij,vj->vi", blends[:, :3, :3], positions) + blends[:, :3, 3]
    return moved, unit(np.einsum("vij,vj->vi", blends[:, :3, :3], normals))


def pivots(indices, weights):
    """Column (V,) of an influence of the row with the largest weight; ties: the lowest palette row.

    A row's weight is that of all influences which name it.
    """
    same = indices[:, :, None] == indices[:, None, :]
    # Summed in float32, as the kernels do: what is a tie there is one here.
    totals = np.zeros(indices.shape, np.float32)
    for k in range(indices.shape[1]):
        totals += np.where(same[:, :, k], np.asarray(weights, np.float32)[:, k, None], 0)
    order = np.lexsort((indices, -totals.astype(np.float64)), axis=-1)
    return order[:, 0]


def sign_dots(indices, weights, dual_quats):
    """Dot products (V, K) between each influence's rotation and its vertex's pivot; |dot| is at most 1."""
    real = np.asarray(dual_quats, np.float64)[:, :4]
    real = real / np.linalg.norm(real, axis=-1, keepdims=True)
    chosen = np.take_along_axis(indices.astype(np.int64), pivots(indices, weights)[:, None], 1)
    return np.einsum("vki,vki->vk", real[indices], np.broadcast_to(real[chosen], (*indices.shape, 4)))


def unstable(indices, weights, dual_quats, limit=1e-4):
    """Vertices (V,) with an influence of some weight whose sign rounding may turn: |dot| < limit."""
    return ((np.abs(sign_dots(indices, weights, dual_quats)) < limit) & (weights > 0)).any(axis=1)


def _multiply(a, b):
    vector = a[:, 3:] * b[:, :3] + b[:, 3:] * a[:, :3] + np.cross(a[:, :3], b[:, :3])
    return np.concatenate([vector, a[:, 3:] * b[:, 3:] - (a[:, :3] * b[:, :3]).sum(1, keepdims=True)], axis=1)


def _conjugate(q):
    return q * np.array([-1.0, -1.0, -1.0, 1.0])


def _pure(vectors):
    return np.concatenate([vectors, np.zeros((len(vectors), 1))], axis=1)


def scaled(positions, normals, indices, weights, scales):
    """Positions and normals (V, 3) moved by the blend of scales (S, 3, 4), if there are any."""
    positions, normals, weights = _double(positions, normals, weights)
    if scales is None:
        return positions, normals
    blend = np.einsum("vk,vkij->vij", weights, np.asarray(scales, np.float64)[indices])
    linear_part = blend[:, :, :3]
    positions = np.einsum("vij,vj->vi", linear_part, positions) + blend[:, :, 3]
    # The cofactor matrix by its definition: signed minors.
    cofactors = np.empty_like(linear_part)
    for i in range(3):
        for j in range(3):
            rows, columns = [r for r in range(3) if r != i], [c for c in range(3) if c != j]
            cofactors[:, i, j] = (-1) ** (i + j) * np.linalg.det(linear_part[:, rows][:, :, columns])
    moved = np.einsum("vij,vj->vi", cofactors, normals)
    limits = VANISHING * (linear_part**2).sum((1, 2)) * np.linalg.norm(normals, axis=1)
    return positions, np.where((np.linalg.norm(moved, axis=1) > limits)[:, None], moved, normals)


def signed_weights(indices, weights, dual_quats):
    """Weights (V, K), negative where a quaternion lies on the other side of its vertex's pivot."""
    weights = np.asarray(weights, np.float64)
    return np.where(sign_dots(indices, weights, dual_quats) < 0, -weights, weights)


def rotated(unit_quats, vectors):
    """Vectors (V, 3) turned by quaternions (V, 4): q v conjugate(q)."""
    return _multiply(_multiply(unit_quats, _pure(vectors)), _conjugate(unit_quats))[:, :3]


def dual_quat(positions, normals, indices, weights, dual_quats, scales=None):
    """Positions and normals (V, 3) moved by one palette (S, 8), and scales (S, 3, 4) or None."""
    positions, normals = scaled(positions, normals, indices, weights, scales)
    (dual_quats,) = _double(dual_quats)
    signed = signed_weights(indices, weights, dual_quats)
    b = np.einsum("vk,vki->vi", signed, dual_quats[indices])
    b = b / np.linalg.norm(b[:, :4], axis=1, keepdims=True)
    real, dual = b[:, :4], b[:, 4:]
    # By quaternion products rather than the expanded form: another road to the same place.
    translation = 2 * _multiply(dual, _conjugate(real))[:, :3]
    return rotated(real, positions) + translation, unit(rotated(real, normals))
