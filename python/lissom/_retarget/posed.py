# SPDX-License-Identifier: MIT
"""Rotations and places of joints in model space, with mirrors told apart from rotations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom import quat
from lissom._rig.skeleton import Skeleton

__all__ = ["IDENTITY", "Floats", "Posed", "mirrored", "posed"]

Floats = NDArray[np.float64]
IDENTITY = np.array([0.0, 0.0, 0.0, 1.0])


class Posed(NamedTuple):
    """Poses in model space.

    Attributes
    ----------
    rotations : ndarray of float64, shape (..., J, 4)
        From joint to model space, unit; the signs of scales are moved to their right.
    positions : ndarray of float64, shape (..., J, 3)
    mirrors : ndarray of float64, shape (..., J, 3)
        Signs of the scales above each joint.
    """

    rotations: Floats
    positions: Floats
    mirrors: Floats


def mirrored(mirror: Floats, rotation: Floats) -> Floats:
    """Return G q G (..., 4) of mirrors G, three signs each: the rotations that are q seen in the mirror."""
    x, y, z = np.moveaxis(mirror, -1, 0)
    return np.asarray(rotation * np.stack([y * z, z * x, x * y, np.ones_like(x)], axis=-1))


def posed(skeleton: Skeleton, poses: Floats) -> Posed:
    """Return the rotations and places of poses (..., J, 10)."""
    rotations = np.asarray(quat.normalize(poses[..., 3:7]))
    mirrors = np.ones((*poses.shape[:-1], 3))
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent < 0:
            continue
        mirrors[..., joint, :] = mirrors[..., parent, :] * np.copysign(1.0, poses[..., parent, 7:])
        own = mirrored(mirrors[..., joint, :], rotations[..., joint, :])
        rotations[..., joint, :] = quat.multiply(rotations[..., parent, :], own)
    return Posed(rotations, np.asarray(skeleton.positions(poses)), mirrors)
