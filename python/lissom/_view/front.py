# SPDX-License-Identifier: MIT
"""Where a character looks, and from where it is drawn unless told otherwise."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._view.camera import AZIMUTH

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._rig.skeleton import Skeleton

__all__ = ["azimuth_before"]

UPRIGHT = 1e-3  # share of a front that must be horizontal for it to have a side


def azimuth_before(skeleton: Skeleton | None, world_from_model: NDArray[Any] | None = None) -> float:
    """Return the azimuth of the default camera, degrees from -180 to 180: from the front, a little aside.

    The front is where the file says that the character looks: -z for VRM 0. A skeleton whose file says
    nothing is drawn as if it looked to +z, however it is placed.
    """
    stated = None if skeleton is None else skeleton._stated_look_at
    if stated is None:
        return AZIMUTH
    front = np.array(stated.front, np.float64)
    if world_from_model is not None:
        front = np.asarray(world_from_model, np.float64)[:3, :3] @ front
    x, _, z = (front / (np.linalg.norm(front) or 1.0)).tolist()
    if math.hypot(x, z) < UPRIGHT:
        return AZIMUTH
    return math.remainder(AZIMUTH + math.degrees(math.atan2(x, z)), 360)
