# SPDX-License-Identifier: MIT
"""Rotations and places of the joints of one pose, with mirrors told apart from rotations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom import quat
from lissom._rig.skeleton import Skeleton

__all__ = ["Floats", "Posed", "mirrored", "posed"]

Floats = NDArray[np.float64]


class Posed(NamedTuple):
    """A pose in model space.

    Attributes
    ----------
    rotations : ndarray of float64, shape (J, 4)
        From joint to model space, unit; the signs of scales are moved to their right.
    positions : ndarray of float64, shape (J, 3)
    mirrors : ndarray of float64, shape (J, 3)
        Signs of the scales above each joint.
    """

    rotations: Floats
    positions: Floats
    mirrors: Floats


def mirrored(mirror: Floats, rotation: Floats) -> Floats:
    """Return G q G of a mirror G, three signs: the rotation that is q seen in the mirror."""
    x, y, z = mirror
    return np.asarray(rotation * np.array([y * z, z * x, x * y, 1.0]))


def posed(skeleton: Skeleton, pose: Floats) -> Posed:
    """Return the rotations and places of a pose (J, 10)."""
    rotations = quat.normalize(pose[:, 3:7])
    mirrors = np.ones((len(skeleton), 3))
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent < 0:
            continue
        mirrors[joint] = mirrors[parent] * np.copysign(1.0, pose[parent, 7:])
        rotations[joint] = quat.multiply(rotations[parent], mirrored(mirrors[joint], rotations[joint]))
    return Posed(rotations, skeleton.positions(pose), mirrors)
