# SPDX-License-Identifier: MIT
"""The boxes of a crowd's instances: where they lie, which of them a camera sees, and how high."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom import quat
from lissom._crowd.instances import NO_CLIP

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from lissom.pose_texture._pose_texture import PoseTexture

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
    """Instances that touch the picture, or whose shadow does.

    Attributes
    ----------
    which : ndarray of int, shape (n,)
        Their indices; nearest first, because near ones hide far ones.
    pixels : ndarray of float32, shape (n,)
        Heights of their boxes on the picture; infinite where a box reaches behind the eye.
    in_picture : ndarray of bool, shape (n,)
        False where the shadow alone touches it.
    """

    which: NDArray[np.intp]
    pixels: NDArray[np.float32]
    in_picture: NDArray[np.bool_]

    def only(self, kept: NDArray[np.bool_]) -> Seen:
        """Return those for which `kept` is True."""
        return Seen(self.which[kept], self.pixels[kept], self.in_picture[kept])


def seen(boxes: Boxes, view: Mapping[str, Any], heights: bool = True) -> Seen:
    """Return which boxes touch the picture, or cast a shadow that does.

    Parameters
    ----------
    boxes : Boxes
        World space.
    view : mapping
        ``clip_from_world`` (4, 4), the camera's, and ``viewport``, the picture's (width, height). Without the
        first, all instances come, in their own order, as if they filled the picture. With ``shadow_floor``,
        the height of the lowest ground, shadows that the light from ``to_key`` casts down to it count.
    heights : bool
        Whether they are wanted; infinite otherwise.
    """
    if "clip_from_world" not in view:
        count = len(boxes.centers)
        return Seen(np.arange(count), np.full(count, np.inf, np.float32), np.ones(count, np.bool_))
    # Of clip space x, y and w are needed. The four sides are where w + x, w - x, w + y and w - y are zero; a
    # box lies outside of one where even its nearest corner does.
    matrix = np.asarray(view["clip_from_world"], np.float64)[[0, 1, 3]]
    x, y, w = matrix[:, :3] @ boxes.centers.T + matrix[:, 3:]
    # Lines of n numbers each, which NumPy goes through fastest: (x y w, axis, n).
    reach = (matrix[:, :3] @ boxes.axes.reshape(-1, 3).T).reshape(3, -1, 3).transpose(0, 2, 1).copy()
    floor = view.get("shadow_floor")
    shadow = None if floor is None else matrix[:, :3] @ _shadows(boxes, view["to_key"], floor)
    inside = np.ones(len(w), np.bool_)
    casting = inside.copy()
    for k, along in ((0, x), (1, y)):
        for sign in (1.0, -1.0):
            nearest = w + sign * along + np.abs(reach[2] + sign * reach[k]).sum(axis=0)
            inside &= nearest >= 0
            if shadow is not None:  # the box, or where its shadow ends
                casting &= nearest + np.maximum(shadow[2] + sign * shadow[k], 0) >= 0
    which = np.flatnonzero(inside if shadow is None else casting)
    which = which[np.argsort(w[which], kind="stable")]
    pixels = np.full(len(which), np.inf, np.float32)
    if heights:
        pixels = _pixel_heights(y[which], w[which], reach[1:][:, :, which], float(view["viewport"][1]))
    return Seen(which, pixels, inside[which])


def _shadows(boxes: Boxes, to_key: Any, floor: float) -> NDArray[np.float64]:
    """Return how far the shadow of each box goes from it, (3, n): to where its highest corner's ends."""
    top = boxes.centers[:, 1] + np.abs(boxes.axes[:, :, 1]).sum(axis=1)
    light = np.asarray(to_key, np.float64)
    return np.asarray((-light / light[1])[:, None] * np.maximum(top - floor, 0))


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
