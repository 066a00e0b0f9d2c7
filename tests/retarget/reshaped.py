# SPDX-License-Identifier: MIT
"""Skeletons made from others: with other joint axes, names, rest poses and sizes, by SciPy's rotations.

Nothing here is lissom's: what a pose of the original is on them follows from how they were made.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

import lissom


@dataclass
class Reshaped:
    """A skeleton whose joint j has the axes `axes[j]` in the frame of the original's joint j."""

    skeleton: lissom.Skeleton
    axes: Rotation
    size: float

    def names(self, original: lissom.Skeleton, joints: dict[str, str]) -> dict[str, tuple[str, str]]:
        """Pairs of joints by role."""
        return {role: (joint, self.skeleton.names[original.index(joint)]) for role, joint in joints.items()}


def model(skeleton, poses):
    """Return rotations and positions in model space of poses (..., J, 10), from model matrices."""
    matrices = skeleton.model_matrices(np.asarray(poses, np.float64))
    linear = matrices[..., :3, :3] / np.linalg.norm(matrices[..., :3, :3], axis=-2, keepdims=True)
    rotations = Rotation.from_matrix(linear.reshape(-1, 3, 3))
    return rotations, matrices[..., :3, 3]


def reshaped(original, seed=0, turned=None, size=1.0, random_axes=True):
    """Return a skeleton with random axes and names; `turned` rotates what is below joints."""
    rest = original.rest.astype(np.float64)
    rotations, positions = model(original, rest)
    count = len(original)
    axes = Rotation.random(count, random_state=seed) if random_axes else Rotation.identity(count)
    turns = Rotation.identity(count).as_matrix()
    for name, rotation in (turned or {}).items():
        below = original.mask(name) > 0
        turns[below] = rotation.as_matrix() @ turns[below]
    new = (Rotation.from_matrix(turns) * rotations * axes).as_matrix()
    places = np.zeros((count, 3))
    local = np.tile([0, 0, 0, 0, 0, 0, 1, 1, 1, 1.0], (count, 1))
    for joint, parent in enumerate(original.parents):
        if parent < 0:
            places[joint] = size * positions[joint]
            local[joint, :3], linear = places[joint], new[joint]
        else:
            offset = size * turns[parent] @ (positions[joint] - positions[parent])
            places[joint] = places[parent] + offset
            local[joint, :3], linear = new[parent].T @ offset, new[parent].T @ new[joint]
        local[joint, 3:7] = Rotation.from_matrix(linear).as_quat()
    names = [f"bone {index:03}" for index in range(count)]
    return Reshaped(lissom.Skeleton(names, original.parents, local), axes, size)


def errors(original, other, poses, result, joints, carried):
    """Return the largest errors: of rotations of `joints`, degrees, of places of `carried`, share of size."""
    rotations, positions = model(original, poses)
    their, places = model(other.skeleton, result)
    frames = int(np.prod(np.shape(poses)[:-2]))
    wanted = rotations * Rotation.concatenate([other.axes] * frames)
    angles = np.degrees((wanted.inv() * their).magnitude()).reshape(frames, -1)[:, joints]
    apart = np.linalg.norm(places - other.size * positions, axis=-1).reshape(frames, -1)[:, carried]
    return angles.max(), apart.max() / (other.size * original.size)
