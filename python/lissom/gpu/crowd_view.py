# SPDX-License-Identifier: MIT
"""The boxes of a crowd's instances: where they lie, which of them a camera sees, and how high."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom import quat
from lissom.gpu.instances import NO_CLIP

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from lissom.pose_texture import PoseTexture

__all__ = ["Boxes", "ClipBounds", "Seen", "seen", "unit_rotations"]


class Boxes(NamedTuple):
    """Oriented boxes in the world.

    Attributes
    ----------
    centers : ndarray of float64, shape (n, 3)
        World space.
    axes : ndarray of float64, shape (n, 3, 3)
        Rows: from the centre to the middles of three faces.
    """

    centers: NDArray[np.float64]
    axes: NDArray[np.float64]

    def corners(self) -> NDArray[np.float64]:
        """Return the corners, ``(n, 8, 3)``."""
        placed: NDArray[np.float64] = self.centers[:, None] + _SIGNS @ self.axes
        return placed


_SIGNS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float64)


class ClipBounds:
    """The bounds of a bake's clips, ready to be placed.

    Parameters
    ----------
    bake : PoseTexture
        Whose clips have bounds.
    """

    def __init__(self, bake: PoseTexture) -> None:
        bounds = np.array([clip.bounds for clip in bake.clips.values()], np.float64)
        self._low, self._high = bounds[:, 0], bounds[:, 1]

    def placed(self, instances: NDArray[Any]) -> Boxes:
        """Return the boxes of instances: that of the clip, while it fades around the next clip's as well.

        Palettes of two clips are mixed; what lies far from both boxes then is a joint that takes a long way
        round, and culling may miss it at the picture's edge.
        """
        clip = instances["clip"]
        low, high = self._low[clip], self._high[clip]
        fading = np.flatnonzero(instances["next_clip"] != NO_CLIP)
        if len(fading):
            following = instances["next_clip"][fading]
            low[fading] = np.minimum(low[fading], self._low[following])
            high[fading] = np.maximum(high[fading], self._high[following])
        scale = instances["scale"].astype(np.float64)[:, None]
        columns = np.swapaxes(
            quat.to_matrix(unit_rotations(instances)), -1, -2
        )  # row k: what becomes of axis k
        centers = instances["position"] + scale * np.einsum("nk,nkc->nc", (low + high) / 2, columns)
        return Boxes(centers, (scale * (high - low) / 2)[:, :, None] * columns)


class Seen(NamedTuple):
    """Instances that touch the picture.

    Attributes
    ----------
    which : ndarray of int, shape (n,)
        Their indices; nearest first, because near ones hide far ones.
    pixels : ndarray of float32, shape (n,)
        Heights of their boxes on the picture; infinite where a box reaches behind the eye.
    """

    which: NDArray[np.intp]
    pixels: NDArray[np.float32]


def seen(boxes: Boxes, view: Mapping[str, Any], heights: bool = True) -> Seen:
    """Return which boxes touch the picture.

    Parameters
    ----------
    boxes : Boxes
        World space.
    view : mapping
        ``clip_from_world`` (4, 4), the camera's, and ``viewport``, the picture's (width, height). Without the
        first, all instances come, in their own order, as if they filled the picture.
    heights : bool
        Whether they are wanted; infinite otherwise.
    """
    if "clip_from_world" not in view:
        return Seen(np.arange(len(boxes.centers)), np.full(len(boxes.centers), np.inf, np.float32))
    # Of clip space x, y and w are needed. The four sides are where w + x, w - x, w + y and w - y are zero; a
    # box lies outside of one where even its nearest corner does.
    matrix = np.asarray(view["clip_from_world"], np.float64)[[0, 1, 3]]
    x, y, w = matrix[:, :3] @ boxes.centers.T + matrix[:, 3:]
    # Lines of n numbers each, which NumPy goes through fastest: (x y w, axis, n).
    reach = (matrix[:, :3] @ boxes.axes.reshape(-1, 3).T).reshape(3, -1, 3).transpose(0, 2, 1).copy()
    inside = np.ones(len(w), np.bool_)
    for k, along in ((0, x), (1, y)):
        for sign in (1.0, -1.0):
            inside &= w + sign * along + np.abs(reach[2] + sign * reach[k]).sum(axis=0) >= 0
    which = np.flatnonzero(inside)
    which = which[np.argsort(w[which], kind="stable")]
    if not heights:
        return Seen(which, np.full(len(which), np.inf, np.float32))
    pixels = _pixel_heights(y[which], w[which], reach[1:][:, :, which], float(view["viewport"][1]))
    return Seen(which, pixels)


def _pixel_heights(
    y: NDArray[np.float64], w: NDArray[np.float64], reach: NDArray[np.float64], height: float
) -> NDArray[np.float32]:
    """Return how high boxes are on the picture, from y, w of their centres and half axes (y w, axis, n)."""
    low, high = np.full(len(y), np.inf), np.full(len(y), -np.inf)
    behind = np.zeros(len(y), np.bool_)
    for signs in _SIGNS:
        along_y, along_w = np.tensordot(signs, reach, axes=(0, 1))
        corner_y, corner_w = y + along_y, w + along_w
        behind |= corner_w <= 0
        on_picture = corner_y / np.where(corner_w > 0, corner_w, 1.0)
        np.minimum(low, on_picture, out=low)
        np.maximum(high, on_picture, out=high)
    return np.where(behind, np.inf, height / 2 * (high - low)).astype(np.float32)


def unit_rotations(instances: NDArray[Any]) -> NDArray[np.float64]:
    """Return the rotations of instances as unit quaternions, ``(n, 4)``."""
    return np.asarray(quat.normalize(instances["rotation"].astype(np.float64)))
