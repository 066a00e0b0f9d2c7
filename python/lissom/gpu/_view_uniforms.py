# SPDX-License-Identifier: MIT
"""What all programs of a picture share: uniforms of the camera and the light."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._view.camera import EMPTY_BOX, Camera
from lissom._view.light import key_direction
from lissom._view.viridis import VIRIDIS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom.gpu._drawable import Drawable

__all__ = ["framed_points", "view_uniforms"]


def view_uniforms(
    camera: Camera,
    viewport: tuple[int, int, int, int],
    points: NDArray[np.float64],
    low: float,
    contact_height: float,
    box: tuple[NDArray[np.float64], ...],
) -> dict[str, Any]:
    """Return the uniforms that all programs of a picture share; depths include a box of ground."""
    back = camera.axes[2]
    corners = np.array(np.meshgrid(*np.transpose(box))).reshape(3, -1).T if box else points[:0]
    depth = (camera.eye - np.concatenate([points, corners])) @ back
    radius = float(np.linalg.norm(np.ptp(points, axis=0))) / 2 or 1.0
    near = max(0.5 * float(depth.min()), 2e-3 * camera.distance)
    far = max(float(depth.max()), camera.distance) + 12 * radius
    x, y, width, height = viewport
    return {
        "clip_from_world": camera.clip_from_world(width / height, near, far),
        "eye": camera.eye,
        "viewport": (width, height),
        "viewport_low": (x, y),
        "to_key": key_direction(camera),
        "ground_height": low,
        "ground_reach": contact_height,
        "heat_map_count": len(VIRIDIS),
    }


def framed_points(things: tuple[Drawable, ...]) -> NDArray[np.float64]:
    """Return the world points to frame, those of an empty box if there are none."""
    groups = [points for points in (thing.points() for thing in things) if len(points)]
    return np.concatenate(groups) if groups else np.array(EMPTY_BOX)
