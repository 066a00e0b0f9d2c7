# SPDX-License-Identifier: MIT
"""Which way joints are turned in model space, as the solvers mean it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lissom import quat
from lissom._rig.skeleton import Skeleton

Floats = NDArray[np.float64]


def frame_of(skeleton: Skeleton, poses: Floats, joint: int) -> tuple[Floats, Floats]:
    """Give the rotation of a joint's frame, (F, 4), and the signs of the scales down to it, (F, 3).

    The rotation is the product of the local ones from the root down, with each mirror G moved to its right,
    R' = G R G: what the solvers take for the orientation of an effector. Sizes do not matter, so scales that
    differ along axes do no harm. -1 is model space.
    """
    path = []
    while joint >= 0:
        path.append(joint)
        joint = int(skeleton.parents[joint])
    rotation = np.tile([0.0, 0.0, 0.0, 1.0], (len(poses), 1))
    signs = np.ones((len(poses), 3))
    for each in reversed(path):
        rotation = quat.multiply(rotation, mirrored(signs, poses[:, each, 3:7]))
        signs = signs * np.copysign(1.0, poses[:, each, 7:])
    return quat.normalize(rotation), signs


def mirrored(signs: Floats, rotations: Floats) -> Floats:
    """Give rotations as they look in a mirror, G R G; undoes itself."""
    x, y, z = signs[..., 0], signs[..., 1], signs[..., 2]
    return rotations * np.stack([y * z, z * x, x * y, np.ones_like(x)], axis=-1)
