# SPDX-License-Identifier: MIT
"""The error of one pose against another at a shell around each joint, one joint at a time, in float64.

Source: Frechette, "Measuring Animation Compression Accuracy" (2016): points at a distance from the joint
stand for what would be bound to it. Here four: the joint and one along each of its axes, as far away (in
model space at rest) as its farthest child is at rest, at least 3 % of the size. A
rest scale of zero counts as 1.
"""

import numpy as np

from reference.model_pose import model_matrices


def points(parents, rest, size):
    """The shell points (J, 4, 3) in each joint's own space."""
    pose = np.array(rest, np.float64)
    pose[:, 7:][np.abs(pose[:, 7:]) < 1e-6] = 1
    model = model_matrices(parents, pose)
    result = []
    for joint, matrix in enumerate(model):
        children = [k for k, parent in enumerate(parents) if parent == joint]
        radius = max([0.03 * size, *(np.linalg.norm(model[k][:3, 3] - matrix[:3, 3]) for k in children)])
        axes = [radius / np.linalg.norm(matrix[:3, k]) * np.eye(3)[k] for k in range(3)]
        result.append([np.zeros(3), *axes])
    return np.array(result)


def errors(parents, shells, before, after):
    """The error (J,) of each joint between two poses (J, 10)."""
    result = []
    for shell, a, b in zip(
        shells, model_matrices(parents, before), model_matrices(parents, after), strict=True
    ):
        moved = [(a - b) @ np.append(point, 1) for point in shell]
        result.append(max(np.linalg.norm(m[:3]) for m in moved))
    return np.array(result)
