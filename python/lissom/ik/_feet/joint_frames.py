# SPDX-License-Identifier: MIT
"""Rotations of joints' frames in model space, and vectors and rotations moved between frames."""

from __future__ import annotations

import numpy as np

from lissom import quat
from lissom._rig.skeleton import Skeleton
from lissom.ik._axes import Floats


def orientation_of(skeleton: Skeleton, poses: Floats, joint: int) -> tuple[Floats, Floats]:
    """Return the orientation of a joint, (F, 4), and the signs of the scales down to it, (F, 3).

    As the solvers define it: the product of the local rotations from the root down, with each mirror G moved
    to its right, R' = G R G. The amounts of scales do not matter, even where they differ along axes. -1 is
    model space.
    """
    ancestors = []
    while joint >= 0:
        ancestors.append(joint)
        joint = int(skeleton.parents[joint])
    rotation = np.tile([0.0, 0.0, 0.0, 1.0], (len(poses), 1))
    signs = np.ones((len(poses), 3))
    for each in reversed(ancestors):
        rotation = quat.multiply(rotation, mirrored(signs, poses[:, each, 3:7]))
        signs = signs * np.copysign(1.0, poses[:, each, 7:])
    return quat.normalize(rotation), signs


def mirrored(signs: Floats, rotations: Floats) -> Floats:
    """Return rotations as they look in a mirror, G R G; its own inverse."""
    x, y, z = signs[..., 0], signs[..., 1], signs[..., 2]
    return rotations * np.stack([y * z, z * x, x * y, np.ones_like(x)], axis=-1)


def vectors_in_joint(model_from_joint: Floats, joint: int, vectors_model: Floats) -> Floats:
    """Return vectors of model space (F, 3) in the frame of a joint; -1 is model space."""
    if joint < 0:
        return vectors_model
    linear = model_from_joint[:, joint, :3, :3]
    return np.asarray(np.linalg.solve(linear, vectors_model[..., None])[..., 0])


def matrix_rotation(model_from_joint: Floats, joint: int) -> Floats:
    """Return the rotation of a joint's model matrix, (F, 4), without scale; -1 is model space."""
    if joint < 0:
        return np.broadcast_to([0.0, 0.0, 0.0, 1.0], (len(model_from_joint), 4))
    linear = model_from_joint[:, joint, :3, :3]
    length = np.sqrt(linear[:, 0] ** 2 + linear[:, 1] ** 2 + linear[:, 2] ** 2)
    rotation = linear / length[:, None]
    # The opposite of a mirror is a rotation, and conjugates rotations below it as the mirror does.
    sign = np.where(_determinant(rotation) < 0, -1.0, 1.0)
    return quat.from_matrix(rotation * sign[:, None, None])


def rotated_in_model(parent_rotation: Floats, rotation_model: Floats, local: Floats) -> Floats:
    """Return local rotations (F, 4) below a parent, rotated by rotations of model space."""
    rotation_parent = quat.multiply(
        quat.conjugate(parent_rotation), quat.multiply(rotation_model, parent_rotation)
    )
    return quat.normalize(quat.multiply(rotation_parent, local))


def _determinant(matrix: Floats) -> Floats:
    a, b, c = matrix[:, 0], matrix[:, 1], matrix[:, 2]
    return np.asarray(
        a[:, 0] * (b[:, 1] * c[:, 2] - b[:, 2] * c[:, 1])
        - a[:, 1] * (b[:, 0] * c[:, 2] - b[:, 2] * c[:, 0])
        + a[:, 2] * (b[:, 0] * c[:, 1] - b[:, 1] * c[:, 0])
    )
