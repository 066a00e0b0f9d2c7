# SPDX-License-Identifier: MIT
"""Pose textures in float64, after the conventions stated in the files: written apart from the package."""

import numpy as np

from reference import dual_quat, quat, skinning


def interval_count(duration, rate):
    return 0 if duration == 0 else max(1, int(np.ceil(duration * rate - 1e-3)))


def row_floats(texels, frame, following, fraction):
    """Texels (S, T, 4) between two frames, by the layout dual_quat: real and dual part signed together."""
    return mixed(np.asarray(texels[frame], np.float64), np.asarray(texels[following], np.float64), fraction)


def mixed(a, b, share):
    """The lerp of two rows of texels, the second signed to the first."""
    signed = np.where((a[:, 0] * b[:, 0]).sum(axis=1) < 0, -1.0, 1.0)[:, None, None]
    b = np.concatenate([signed * b[:, :2], b[:, 2:]], axis=1)
    return (1 - share) * a + share * b


def rows(texels, frame, following, fraction):
    """One moment's dual quaternions (S, 8), not normalised, and scales (S, 3, 4) or None."""
    a, b = np.asarray(texels[frame], np.float64), np.asarray(texels[following], np.float64)
    real_a, real_b = a[:, 0], b[:, 0]
    sign = np.where((real_a * real_b).sum(axis=1) < 0, -1.0, 1.0)[:, None, None]
    mixed = (1 - fraction) * a + fraction * b
    dual_quats = ((1 - fraction) * a[:, :2] + fraction * sign * b[:, :2]).reshape(-1, 8)
    if texels.shape[2] == 2:
        return dual_quats, None
    if texels.shape[2] == 5:
        return dual_quats, mixed[:, 2:]
    scales = np.zeros((len(a), 3, 4))
    scales[:, :, :3] = mixed[:, 2, 3][:, None, None] * np.eye(3)
    scales[:, :, 3] = mixed[:, 2, :3]
    return dual_quats, scales


def matrices(dual_quats, scales):
    """Skin matrices (S, 4, 4) of rows that need not be unit."""
    real, dual = dual_quats[:, :4], dual_quats[:, 4:]
    length = np.linalg.norm(real, axis=1, keepdims=True)
    real, dual = real / length, dual / length
    dual = dual - (real * dual).sum(axis=1, keepdims=True) * real
    result = dual_quat.to_matrix(np.concatenate([real, dual], axis=1))
    if scales is None:
        return result
    bottom = np.broadcast_to([[[0.0, 0.0, 0.0, 1.0]]], (len(scales), 1, 4))
    return result @ np.concatenate([scales, bottom], axis=1)


def model_matrices(parents, pose):
    """One pose (J, 10) down the hierarchy."""
    result = np.empty((len(parents), 4, 4))
    for joint, parent in enumerate(parents):
        local = np.eye(4)
        local[:3, :3] = quat.to_matrix(pose[joint, 3:7]) * pose[joint, 7:]
        local[:3, 3] = pose[joint, :3]
        result[joint] = local if parent < 0 else result[parent] @ local
    return result


def key_poses_at(times, poses, time):
    """A pose between key poses: lerp of translation and scale, slerp of rotation."""
    k = int(np.clip(np.searchsorted(times, time, side="right") - 1, 0, len(times) - 2))
    t = np.clip((time - times[k]) / (times[k + 1] - times[k]), 0.0, 1.0)
    pose = (1 - t) * poses[k] + t * poses[k + 1]
    pose[:, 3:7] = quat.slerp(poses[k, :, 3:7], poses[k + 1, :, 3:7], np.full(len(pose), t))
    return pose


def skinned(mesh, dual_quats, scales, method):
    """Vertices (V, 3) of one moment."""
    nothing = np.zeros_like(mesh.positions)
    if method == "linear":
        return skinning.linear(
            mesh.positions, nothing, mesh.indices, mesh.weights, matrices(dual_quats, scales)
        )[0]
    return skinning.dual_quat(mesh.positions, nothing, mesh.indices, mesh.weights, dual_quats, scales)[0]


def heaviest_rows(indices, weights):
    """Palette row of each vertex's heaviest influence: weights of one row added up, the lowest of equals."""
    result = []
    for rows, shares in zip(np.asarray(indices), np.asarray(weights, np.float64), strict=True):
        totals = {int(row): shares[rows == row].sum() for row in rows}
        result.append(min(totals, key=lambda row: (-totals[row], row)))
    return np.array(result)


def joint_errors(distances, rows, row_count):
    """Largest distance and rms (S,) of each palette row's vertices; NaN for a row that has none."""
    largest, rms = np.full((2, row_count), np.nan)
    for row in np.unique(rows):
        mine = distances[:, rows == row]
        largest[row], rms[row] = mine.max(), np.sqrt((mine**2).mean())
    return largest, rms
