# SPDX-License-Identifier: MIT
"""The boxes of a crowd's instances: placed in the world, culled, and their heights on the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom import quat
from lissom._crowd.instances import NO_CLIP

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["Boxes", "ClipBounds", "Visible", "placed_boxes", "unit_rotations", "visible", "world_from_model"]


class Boxes(NamedTuple):
    """Oriented boxes in the world.

    Attributes
    ----------
    centers : ndarray of float64, shape (n, 3)
        World space.
    axes : ndarray of float64, shape (n, 3, 3)
        Rows: half axes, from the centre to the middles of three faces.
    """

    centers: NDArray[np.float64]
    axes: NDArray[np.float64]

    def corners(self) -> NDArray[np.float64]:
        """Return the corners, ``(n, 8, 3)``."""
        corners: NDArray[np.float64] = self.centers[:, None] + _SIGNS @ self.axes
        return corners


_SIGNS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float64)


class ClipBounds:
    """The bounds of a bake's clips, to be placed with instances.

    Parameters
    ----------
    bake : PoseTexture
        What the instances play.
    """

    def __init__(self, bake: PoseTexture) -> None:
        bounds = np.array([clip.bounds for clip in bake.clips.values()], np.float64)
        self._low, self._high = bounds[:, 0], bounds[:, 1]

    def placed(self, instances: NDArray[Any], beyond: ArrayLike = 0.0) -> Boxes:
        """Return the boxes of instances: around the clip's bounds and, in a fade, the next clip's as well.

        A fade mixes palettes: a joint may leave both bounds halfway, and culling may then miss it at the
        picture's edge. `beyond`, one for all or ``(n,)``, is how far vertices may lie outside the bounds,
        model units.
        """
        clip = instances["clip"]
        low, high = self._low[clip], self._high[clip]
        fading = np.flatnonzero(instances["next_clip"] != NO_CLIP)
        if len(fading):
            following = instances["next_clip"][fading]
            low[fading] = np.minimum(low[fading], self._low[following])
            high[fading] = np.maximum(high[fading], self._high[following])
        beyond = np.asarray(beyond, np.float64)[..., None]
        return placed_boxes(low - beyond, high + beyond, instances)


def placed_boxes(low: NDArray[np.floating], high: NDArray[np.floating], instances: NDArray[Any]) -> Boxes:
    """Return boxes of the model, from corners `low` to `high`, ``(n, 3)``, placed with instances."""
    scale = instances["scale"].astype(np.float64)[:, None]
    columns = np.swapaxes(quat.to_matrix(unit_rotations(instances)), -1, -2)  # row k: rotated axis k
    centers = instances["position"] + scale * np.einsum("nk,nkc->nc", (low + high) / 2, columns)
    return Boxes(centers, (scale * (high - low) / 2)[:, :, None] * columns)


class Visible(NamedTuple):
    """Instances that are in the picture, or whose shadow is.

    Attributes
    ----------
    which : ndarray of int, shape (n,)
        Their indices, nearest first: what is drawn early hides what is behind it.
    pixels : ndarray of float32, shape (n,)
        Heights of their boxes on the picture; infinite where a box reaches behind the eye.
    pixels_per_unit : ndarray of float32, shape (n,)
        How far at most what moves by one world unit moves on the picture, at the depth of the box's nearest
        corner; infinite as above.
    in_picture : ndarray of bool, shape (n,)
        False where only the shadow is.
    """

    which: NDArray[np.intp]
    pixels: NDArray[np.float32]
    pixels_per_unit: NDArray[np.float32]
    in_picture: NDArray[np.bool_]

    def only(self, kept: NDArray[np.bool_]) -> Visible:
        """Return those for which `kept` is True."""
        return Visible(self.which[kept], self.pixels[kept], self.pixels_per_unit[kept], self.in_picture[kept])


def visible(boxes: Boxes, view: Mapping[str, Any]) -> Visible:
    """Cull boxes that are outside the picture, and whose shadows are.

    Parameters
    ----------
    boxes : Boxes
        World space.
    view : mapping
        ``clip_from_world`` (4, 4), the camera's, and ``viewport``, the picture's (width, height). Without the
        first, all boxes are returned, in their own order, with infinite heights. With ``shadow_floor``, the
        world y of the lowest ground, shadows that the light from ``to_key`` casts down to it count as well.
    """
    if "clip_from_world" not in view:
        count = len(boxes.centers)
        infinite = np.full(count, np.inf, np.float32)
        return Visible(np.arange(count), infinite, infinite, np.ones(count, np.bool_))
    # x, y and w of clip space. The frustum's four sides are where w + x, w - x, w + y and w - y are zero; a
    # box is outside one where its innermost corner is.
    matrix = np.asarray(view["clip_from_world"], np.float64)[[0, 1, 3]]
    x, y, w = matrix[:, :3] @ boxes.centers.T + matrix[:, 3:]
    # Half axes in clip space, (x y w, axis, n): NumPy is fastest with the long axis last.
    half_axes = (matrix[:, :3] @ boxes.axes.reshape(-1, 3).T).reshape(3, -1, 3).transpose(0, 2, 1).copy()
    floor = view.get("shadow_floor")
    shadow = None if floor is None else matrix[:, :3] @ _shadows(boxes, view["to_key"], floor)
    inside = np.ones(len(w), np.bool_)
    casting = inside.copy()
    for k, center in ((0, x), (1, y)):
        for sign in (1.0, -1.0):
            innermost = w + sign * center + np.abs(half_axes[2] + sign * half_axes[k]).sum(axis=0)
            inside &= innermost >= 0
            if shadow is not None:  # the box, or the end of its shadow
                casting &= innermost + np.maximum(shadow[2] + sign * shadow[k], 0) >= 0
    which = np.flatnonzero(inside if shadow is None else casting)
    which = which[np.argsort(w[which], kind="stable")]
    half_axes = half_axes[:, :, which]
    width, height = map(float, view["viewport"])
    pixels = _pixel_heights(y[which], w[which], half_axes[1:], height)
    nearest = w[which] - np.abs(half_axes[2]).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):  # a box around the eye: infinite, too
        slopes = np.stack([x[which], y[which]]) / w[which]
    per_unit = _pixels_per_unit(matrix[:, :3], nearest, slopes, np.array([width, height]) / 2)
    return Visible(which, pixels, per_unit, inside[which])


def _shadows(boxes: Boxes, to_key: Any, floor: float) -> NDArray[np.float64]:
    """Return the displacement, (3, n), from each box to the shadow of its highest corner on the floor."""
    top = boxes.centers[:, 1] + np.abs(boxes.axes[:, :, 1]).sum(axis=1)
    light = np.asarray(to_key, np.float64)
    return np.asarray((-light / light[1])[:, None] * np.maximum(top - floor, 0))


def _pixel_heights(
    y: NDArray[np.float64], w: NDArray[np.float64], half_axes: NDArray[np.float64], height: float
) -> NDArray[np.float32]:
    """Return heights of boxes, pixels, from their centres and half axes (y w, axis, n) in clip space."""
    low, high = np.full(len(y), np.inf), np.full(len(y), -np.inf)
    behind = np.zeros(len(y), np.bool_)
    for signs in _SIGNS:
        offset_y, offset_w = np.tensordot(signs, half_axes, axes=(0, 1))
        corner_y, corner_w = y + offset_y, w + offset_w
        behind |= corner_w <= 0
        projected = corner_y / np.where(corner_w > 0, corner_w, 1.0)
        np.minimum(low, projected, out=low)
        np.maximum(high, projected, out=high)
    return np.where(behind, np.inf, height / 2 * (high - low)).astype(np.float32)


def _pixels_per_unit(
    matrix: NDArray[np.float64],
    w: NDArray[np.float64],
    slopes: NDArray[np.float64],
    half: NDArray[np.float64],
) -> NDArray[np.float32]:
    """Return the largest singular value of pixels by world positions, at clip space w ``(n,)``.

    `slopes` are x / w and y / w, ``(2, n)``, and `half` the pixels of one unit of each. Far from the
    picture's middle a perspective stretches: by 1.3 in the corners of one of 16 : 9 and 45 degrees.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        rows = half[:, None, None] * (matrix[:2, None] - slopes[:, :, None] * matrix[2]) / w[:, None]
        (a, b), c = np.einsum("kni,kni->kn", rows, rows), np.einsum("ni,ni->n", *rows)
        largest = np.sqrt((a + b) / 2 + np.hypot((a - b) / 2, c))
    return np.where(w > 0, largest, np.inf).astype(np.float32)


def world_from_model(instances: NDArray[Any]) -> NDArray[np.float64]:
    """Return the transforms of instances as matrices, ``(n, 4, 4)``."""
    result = np.tile(np.eye(4), (len(instances), 1, 1))
    scale = instances["scale"].astype(np.float64)[:, None, None]
    result[:, :3, :3] = scale * quat.to_matrix(unit_rotations(instances))
    result[:, :3, 3] = instances["position"]
    return result


def unit_rotations(instances: NDArray[Any]) -> NDArray[np.float64]:
    """Return the rotations of instances as unit quaternions, ``(n, 4)``."""
    return np.asarray(quat.normalize(instances["rotation"].astype(np.float64)))
