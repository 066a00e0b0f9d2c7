# SPDX-License-Identifier: MIT
"""The light of a picture: the direction of the key light, and how soft the shadows are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from lissom._view.camera import Camera

__all__ = ["CONTACT_DEVIATION", "KEY_DEVIATION", "key_direction"]

# Standard deviations of the Gaussians that blur the two shadows, as fractions of half a character's size.
CONTACT_DEVIATION = 0.05
KEY_DEVIATION = 0.016


def key_direction(camera: Camera) -> NDArray[np.float64]:
    """Return the unit direction towards the key light: from above, and from the left of the camera."""
    right, _, back = camera.axes
    to_key = -0.55 * right + 0.7 * np.array([back[0], 0.0, back[2]]) + np.array([0.0, 1.0, 0.0])
    return np.asarray(to_key / np.linalg.norm(to_key))
