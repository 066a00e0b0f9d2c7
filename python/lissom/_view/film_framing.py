# SPDX-License-Identifier: MIT
"""The camera of a film: it sees all that moves, from every side that it shows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from lissom._view.camera import Camera

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["film_camera", "framed_moments"]

MOMENTS = 48
"""Most moments of a film that are looked at to frame it; the margin of a picture holds what lies between."""

LAYERS = 24  # heights at which a turntable is as wide as what turns on it
RING = 32  # points around it
SLOPES = np.linspace(0, 1, 9)  # openings of lenses, as shares of the widest, whose edges touch the points


def framed_moments(count: int) -> NDArray[np.int64]:
    """Return indices of pictures to look at, evenly spaced, the first and the last among them."""
    chosen: NDArray[np.int64] = np.unique(np.rint(np.linspace(0, count - 1, MOMENTS)).astype(np.int64))
    return chosen


def film_camera(
    moments: Iterable[NDArray[np.float64]],
    aspect: float,
    azimuth: float,
    elevation: float,
    *,
    is_turned: bool,
    margin: float = 0.14,
) -> Camera:
    """Return the nearest camera that sees the points of all moments; from all sides if it is turned.

    Parameters
    ----------
    moments : iterable of ndarray, shape (N, 3)
        World points, taken one after the other: of each the outermost are kept.
    aspect : float
        Width of a picture over its height.
    azimuth, elevation : float
        Degrees.
    is_turned : bool
        Whether the camera goes around its target.
    margin : float
        As in `Camera.framing`.
    """
    if is_turned:
        kept = _rings(list(moments))
    else:
        axes = Camera((0.0, 0.0, 0.0), 1.0, azimuth, elevation).axes
        kept = np.concatenate([_outermost(points, axes, aspect) for points in moments])
    return Camera.framing(kept, aspect, azimuth=azimuth, elevation=elevation, margin=margin)


def _outermost(points: NDArray[np.float64], axes: NDArray[np.float64], aspect: float) -> NDArray[np.float64]:
    """Return the points that an edge of the picture can touch first, in any distance of the eye."""
    x, y, z = axes @ points.T
    widest = np.tan(np.radians(Camera.field_of_view) / 2)
    found = {int(np.argmin(z)), int(np.argmax(z))}
    for slope in SLOPES:
        for v, reach in ((x, widest * aspect), (y, widest)):
            found |= {int(np.argmax(v + slope * reach * z)), int(np.argmax(slope * reach * z - v))}
    return points[sorted(found)]


def _rings(moments: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return rings about the upright through the middle of all points, around all of them."""
    low = np.min([points.min(axis=0) for points in moments], axis=0)
    high = np.max([points.max(axis=0) for points in moments], axis=0)
    middle = (low + high) / 2
    edges = np.linspace(low[1], high[1], LAYERS + 1)
    reach = np.zeros(LAYERS)
    for points in moments:
        layer = np.clip(np.searchsorted(edges, points[:, 1], side="right") - 1, 0, LAYERS - 1)
        np.maximum.at(reach, layer, np.hypot(points[:, 0] - middle[0], points[:, 2] - middle[2]))
    angles = np.linspace(0, 2 * np.pi, RING, endpoint=False)
    around = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    flat = reach[:, None, None] * around
    rings = [
        np.stack(
            [
                middle[0] + flat[..., 0],
                np.broadcast_to(height[:, None], flat.shape[:2]),
                middle[2] + flat[..., 1],
            ],
            axis=-1,
        )
        for height in (edges[:-1], edges[1:])
    ]
    return np.concatenate(rings).reshape(-1, 3)
