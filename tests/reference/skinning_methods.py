# SPDX-License-Identifier: MIT
"""The other ways to skin in plain float64 NumPy, made of those in `reference.skinning`.

Sources: optimised centres of rotation after Le and Hodgins, "Real-time Skeletal Skinning with Optimized
Centers of Rotation", ACM TOG 35(4) 37, 2016, algorithm 1, with the signs and the scale phase of dual
quaternion skinning. Quaternions are x, y, z, w; a palette of quaternion and translation is x, y, z, w, tx,
ty, tz, 0 per row.
"""

import numpy as np

from reference import quat, skinning


def rigid_matrices(quat_trans):
    """Matrices (S, 4, 4) of rotations and translations (S, 8); a quaternion's length does not matter."""
    quat_trans = np.asarray(quat_trans, np.float64)
    real = quat_trans[:, :4]
    result = np.tile(np.eye(4), (len(quat_trans), 1, 1))
    result[:, :3, :3] = quat.to_matrix(real / np.linalg.norm(real, axis=-1, keepdims=True))
    result[:, :3, 3] = quat_trans[:, 4:7]
    return result


def quat_trans(positions, normals, indices, weights, palette, scales=None):
    """Positions and normals (V, 3) moved linearly by the matrices of `palette` (S, 8), after `scales`."""
    matrices = rigid_matrices(palette)
    if scales is not None:
        last = np.tile([[[0.0, 0.0, 0.0, 1.0]]], (len(matrices), 1, 1))
        matrices = matrices @ np.concatenate([np.asarray(scales, np.float64), last], axis=1)
    return skinning.linear(positions, normals, indices, weights, matrices)


def cor(positions, normals, indices, weights, dual_quats, scales=None, *, centers):
    """Positions and normals (V, 3) turned about `centers` (V, 3), which the blend of matrices moves.

    v' = rotate(q, v - c) + c': q is the normalised sum of the rotations, signed against the pivot's, c' is
    where linear skinning moves the centre c. Scales (S, 3, 4) act first, on v and c alike.
    """
    centers = np.asarray(centers, np.float64)
    positions, normals = skinning.scaled(positions, normals, indices, weights, scales)
    centers, _ = skinning.scaled(centers, np.zeros_like(centers), indices, weights, scales)
    real = np.asarray(dual_quats, np.float64)[:, :4]
    q = np.einsum("vk,vki->vi", skinning.signed_weights(indices, weights, dual_quats), real[indices])
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    carried, _ = skinning.linear(centers, normals, indices, weights, to_matrices(dual_quats))
    return skinning.rotated(q, positions - centers) + carried, skinning.unit(skinning.rotated(q, normals))


def to_matrices(dual_quats):
    """Matrices (S, 4, 4) of dual quaternions (S, 8), of any length: t = 2 dual conjugate(real)."""
    dual_quats = np.asarray(dual_quats, np.float64)
    unit = dual_quats / np.linalg.norm(dual_quats[:, :4], axis=-1, keepdims=True)
    translations = 2 * quat.multiply(unit[:, 4:], quat.conjugate(unit[:, :4]))
    return rigid_matrices(np.concatenate([unit[:, :4], translations], axis=1))


def blended(positions, normals, indices, weights, matrices, dual_quats, scales=None, *, blend):
    """Positions and normals (V, 3) between linear and dual quaternion skinning: `blend` (V,) from 0 to 1."""
    bind = positions, normals, indices, weights
    straight, turned = skinning.linear(*bind, matrices)
    rigid, rigid_turned = skinning.dual_quat(*bind, dual_quats, scales)
    share = np.asarray(blend, np.float64)[:, None]
    mixed = (1 - share) * straight + share * rigid
    return mixed, skinning.unit((1 - share) * turned + share * rigid_turned)
