# SPDX-License-Identifier: MIT
"""Palettes in float64 by NumPy's singular value decomposition.

M = R A per row: A = [S | c - S c], det R = +1, as `lissom.Palette` states it. Full rank and rank 2 leave no
choice of R; below that the choice is searched for, not derived.
"""

import numpy as np

from reference import dual_quat, quat

RIGID = 1e-4  # a stretch that near to the identity in every entry counts as none
RANK_TOLERANCE = 1e-5  # a singular value below this share of the largest has vanished


def matrices(joints, joint_from_bind, model):
    joint_from_bind = np.asarray(joint_from_bind, np.float64)
    return np.asarray(model, np.float64)[..., joints, :, :] @ joint_from_bind


def pivots(joint_from_bind):
    """The joints' origins in bind space."""
    result = np.zeros((len(joint_from_bind), 3))
    for s, matrix in enumerate(np.asarray(joint_from_bind, np.float64)):
        sigma = np.linalg.svd(matrix[:3, :3], compute_uv=False)
        if sigma[2] > RANK_TOLERANCE * sigma[0]:
            result[s] = np.linalg.inv(matrix)[:3, 3]
    return result


def rotation(m, own):
    """R of one 3x3 matrix; `own` is the rotation it is to be near where m has lost axes."""
    u, sigma, vt = np.linalg.svd(m)
    rank = int(np.sum(sigma > RANK_TOLERANCE * sigma[0])) if sigma[0] > 0 else 0
    if rank == 3:
        r = u @ vt
        return -r if np.linalg.det(r) < 0 else r
    if rank == 0:
        return own
    flip = np.diag([1, 1, np.linalg.det(u) * np.linalg.det(vt)])
    if rank == 2:
        return u @ flip @ vt
    # Rank 1: try all turns about the axis that is left, finely about the best.
    low, high = 0.0, 2 * np.pi
    for _ in range(12):
        angles = np.linspace(low, high, 201)
        w = np.zeros((201, 3, 3))
        w[:, 0, 0] = 1
        w[:, 1, 1] = w[:, 2, 2] = np.cos(angles)
        w[:, 2, 1] = np.sin(angles)
        w[:, 1, 2] = -w[:, 2, 1]
        candidates = u @ flip @ w @ vt if np.linalg.det(u) > 0 else u @ w @ flip @ vt
        best = np.argmax(np.einsum("nij,ij->n", candidates, own))
        step = angles[1] - angles[0]
        low, high = angles[best] - step, angles[best] + step
    return candidates[best]


def axes_rotation(m, near):
    """Rotation of a joint whose axes are the columns of m, scaled by whatever."""
    sizes = np.linalg.norm(m, axis=0)
    unit = np.where(sizes > RANK_TOLERANCE * sizes.max(), m / np.where(sizes > 0, sizes, 1), 0)
    return rotation(unit, near)


def decompose(joints, joint_from_bind, model):
    """R as dual quaternions (..., S, 8) and A (..., S, 3, 4), always."""
    joint_from_bind = np.asarray(joint_from_bind, np.float64)
    model = np.asarray(model, np.float64)
    c = pivots(joint_from_bind)
    m = matrices(joints, joint_from_bind, model)
    rotations = np.empty((*m.shape[:-2], 3, 3))
    for index in np.ndindex(m.shape[:-2]):
        s = index[-1]
        bind = axes_rotation(joint_from_bind[s, :3, :3], np.eye(3))
        joint = model[(*index[:-1], joints[s])][:3, :3]
        own = axes_rotation(joint, bind.T) @ bind
        rotations[index] = rotation(m[index][:3, :3], own)
    linear = m[..., :3, :3]
    stretch = np.swapaxes(rotations, -1, -2) @ linear
    moved = np.einsum("...ij,...j->...i", linear, c) + m[..., :3, 3]
    shift = moved - np.einsum("...ij,...j->...i", rotations, c)
    scales = np.empty((*m.shape[:-2], 3, 4))
    scales[..., :3] = stretch
    scales[..., 3] = c - np.einsum("...ij,...j->...i", stretch, c)
    rigid = (np.abs(stretch - np.eye(3)) < RIGID).all(axis=(-2, -1))
    scales[rigid] = np.eye(3, 4)  # row by row: what is that near to rigid counts as it
    return dual_quat.from_rotation_translation(quat.from_matrix(rotations), shift), scales
