# SPDX-License-Identifier: MIT
"""Rows of every layout and palettes made of them, in float64, after the conventions stated in the files."""

import numpy as np

from reference import bake, quat


def polar_rotation(matrix):
    """The rotation of a polar decomposition; the sign of a mirror goes into the scale."""
    u, _, v = np.linalg.svd(matrix)
    rotation = u @ v
    return rotation if np.linalg.det(rotation) > 0 else -rotation


def model_rotations(parents, pose):
    """Products of the local rotations down the hierarchy, (J, 4)."""
    result = np.empty((len(parents), 4))
    for joint, parent in enumerate(parents):
        local = pose[joint, 3:7]
        result[joint] = local if parent < 0 else quat.multiply(result[parent], local)
    return result


def encoded(layout, parents, pose, joints, joint_from_bind, moving=0):
    """What the texels of one frame hold, (R, T, 4), signs as they come."""
    model = bake.model_matrices(parents, pose)
    skin = model[joints] @ joint_from_bind
    if layout == "matrix":
        return skin[:, :3]
    if layout == "quat_trans":
        texels = np.zeros((len(skin), 2, 4))
        texels[:, 0] = [quat.from_matrix(m[:3, :3]) for m in skin]
        texels[:, 1, :3] = skin[:, :3, 3]
        return texels
    if layout == "trs":
        texels = np.zeros((len(model), 3, 4))
        texels[:, 0, :3] = model[:, :3, 3]
        texels[:, 1] = model_rotations(parents, pose)
        for joint, turned in enumerate(texels[:, 1]):
            texels[joint, 2, :3] = np.diag(quat.to_matrix(turned).T @ model[joint, :3, :3])
        return texels
    texels = np.zeros((len(model) + 1, 1, 4))
    texels[:-1, 0] = pose[:, 3:7]
    texels[-1, 0, :3] = pose[moving, :3]
    return texels


QUAT = {"matrix": None, "quat_trans": 0, "trs": 1, "rotations": 0}


def mixed(layout, a, b, share):
    """The lerp of two frames or clips (R, T, 4), the second's rotations signed to the first's."""
    b = np.array(b, np.float64)
    texel = QUAT[layout]
    if texel is not None:
        rows = len(b) - 1 if layout == "rotations" else len(b)
        flip = (a[:rows, texel] * b[:rows, texel]).sum(axis=1) < 0
        b[:rows, texel][flip] *= -1
    return (1 - share) * np.asarray(a, np.float64) + share * b


def model_of(layout, texels, parents, local, moving):
    """`model_from_joint` (J, 4, 4) and its rotations (J, 4) of rows read."""
    if layout == "trs":
        pose = np.concatenate([texels[:, 0, :3], texels[:, 1], texels[:, 2, :3]], axis=1)
        pose[:, 3:7] /= np.linalg.norm(pose[:, 3:7], axis=1, keepdims=True)
        return bake.model_matrices(np.full(len(pose), -1), pose), pose[:, 3:7]
    pose = np.array(local, np.float64)
    pose[:, 3:7] = texels[:-1, 0] / np.linalg.norm(texels[:-1, 0], axis=1, keepdims=True)
    pose[moving, :3] = texels[-1, 0, :3]
    return bake.model_matrices(parents, pose), model_rotations(parents, pose)


def palette(layout, texels, joints, joint_from_bind, parents=None, local=None, moving=0):
    """Matrices (S, 4, 4) and dual quaternions (S, 8) of rows read (R, T, 4); those may be None."""
    if layout == "matrix":
        bottom = np.broadcast_to([[[0.0, 0.0, 0.0, 1.0]]], (len(texels), 1, 4))
        return np.concatenate([texels, bottom], axis=1), None
    if layout == "quat_trans":
        matrices = np.tile(np.eye(4), (len(texels), 1, 1))
        matrices[:, :3, :3] = [quat.to_matrix(q / np.linalg.norm(q)) for q in texels[:, 0]]
        matrices[:, :3, 3] = texels[:, 1, :3]
        return matrices, dual_quats(texels[:, 0], texels[:, 1, :3])
    model, rotations = model_of(layout, texels, parents, local, moving)
    matrices = model[joints] @ joint_from_bind
    bind = [quat.from_matrix(polar_rotation(b[:3, :3])) for b in joint_from_bind]
    real = np.array([quat.multiply(rotations[j], b) for j, b in zip(joints, bind, strict=True)])
    return matrices, dual_quats(real, matrices[:, :3, 3])


def dual_quats(real, translation):
    """dual = 0.5 t real, whatever the length of real."""
    pure = np.concatenate([translation, np.zeros((len(translation), 1))], axis=1)
    dual = 0.5 * np.array([quat.multiply(t, q) for t, q in zip(pure, real, strict=True)])
    return np.concatenate([real, dual], axis=1)


def same_transform(a, b):
    """The largest difference of two dual quaternions, either sign."""
    return min(np.abs(a - b).max(), np.abs(a + b).max())
