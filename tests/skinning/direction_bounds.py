# SPDX-License-Identifier: MIT
"""How far the normals and tangents of two float32 computations may differ, vertex by vertex.

A direction is a sum made unit: its error is that of the sum divided by the sum's length, and one that all
but vanishes says nothing. The sums are followed in float64 from one division to the next, roundings counted.
"""

import numpy as np

from reference import skinning

UNIT_ROUNDOFF = 2.0**-24  # of float32
# Roundings that a component passes through: products with a 3x3; made unit (squares summed, 1 / sqrt to 2e-7,
# which is as much as three, a product); the lerp of two directions, and the part of a tangent perpendicular
# to the normal, each made unit. The blend of K influences comes before: K + 1.
MOVED, UNIT, LERP, PERPENDICULAR = 3, 6, 3, 5
ROUNDINGS = MOVED + UNIT + LERP + UNIT + PERPENDICULAR + UNIT


def direction_bounds(mesh, palette, method, blend, *, upright):
    """Bounds (V, 1) on differences of normals and of tangents; `upright` where normals go by cofactors.

    The palette has `matrices` (S, 4, 4), `dual_quats` (S, 8) and `scales` (S, 3, 4) or None, of one motion.
    """
    normals, normal_lengths = _moved(mesh, palette, method, blend, mesh.normals, normal=True, upright=upright)
    tangents, lengths = _moved(mesh, palette, method, blend, mesh.tangents[:, :3])
    along = (tangents * normals).sum(axis=1, keepdims=True)
    lengths = np.minimum(lengths, normal_lengths) * _length(tangents - along * normals)
    error = 2 * (mesh.indices.shape[1] + 1 + ROUNDINGS) * UNIT_ROUNDOFF  # of both computations
    with np.errstate(divide="ignore"):
        return error / normal_lengths, error / lengths


def _length(vectors):
    return np.linalg.norm(vectors, axis=1, keepdims=True)


def _moved(mesh, palette, method, blend, vectors, *, normal=False, upright=False):
    """Unit directions (V, 3), and the product (V, 1) of the lengths that they were divided by."""
    vectors = np.asarray(vectors, np.float64)
    if method in {"linear", "quat_trans"}:
        return _straight(mesh, palette.matrices[:, :3, :3], vectors, upright=upright)
    turned, turned_lengths = _turned(mesh, palette, vectors, normal=normal)
    if method != "blended":
        return turned, turned_lengths
    straight, straight_lengths = _straight(mesh, palette.matrices[:, :3, :3], vectors, upright=upright)
    mixed = (1 - blend[:, None]) * straight + blend[:, None] * turned
    return skinning.unit(mixed), np.minimum(straight_lengths, turned_lengths) * _length(mixed)


def _straight(mesh, rows, vectors, *, upright):
    """Moved by the blend of rows (S, 3, 3), or by its cofactor; lengths relative to those of the terms."""
    rows = np.asarray(rows, np.float64)[mesh.indices]
    weights = np.asarray(mesh.weights, np.float64)
    blends = np.einsum("vk,vkij->vij", weights, rows)
    sizes = np.einsum("vk,vk->v", weights, np.linalg.norm(rows, ord=2, axis=(2, 3)))
    if upright:
        blends = np.cross(np.roll(blends, -1, axis=1), np.roll(blends, -2, axis=1))
        sizes = sizes**2
    moved = np.einsum("vij,vj->vi", blends, vectors) / sizes[:, None]
    return skinning.unit(moved), _length(moved)


def _turned(mesh, palette, vectors, *, normal):
    """Scaled, then turned by the sum of the signed rotations."""
    lengths = 1.0
    if palette.scales is not None:
        vectors, lengths = _straight(mesh, palette.scales[:, :, :3], vectors, upright=normal)
    rotations = np.asarray(palette.dual_quats, np.float64)[:, :4][mesh.indices]
    signed = skinning.signed_weights(mesh.indices, mesh.weights, palette.dual_quats)
    sums = np.einsum("vk,vki->vi", signed, rotations)
    return skinning.rotated(skinning.unit(sums), vectors), lengths * _length(sums)
