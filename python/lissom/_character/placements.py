# SPDX-License-Identifier: MIT
"""Where several characters stand: what users pass, or side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import quat, trs
from lissom._base.arrays import finite_floats, refuse_masked
from lissom._base.names import counted
from lissom._base.numbers import refuse_larger
from lissom._rig.transform_argument import transforms_of
from lissom._view.camera import AZIMUTH
from lissom._view.front import azimuth_before

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lissom._rig.skeleton import Skeleton

__all__ = ["checked_placements", "side_by_side"]


FIELDS = ("position", "rotation", "scale")  # of `lissom.gpu.INSTANCE_DTYPE`
GAP = 0.1  # of the mean width, between neighbours
SAME_SCALE = 1e-5  # by which the scales along three axes may differ: rounding


def checked_placements(placements: ArrayLike, count: int, function: str) -> NDArray[np.float64]:
    """Return where each of `count` characters stands, trs (N, 10), rigid with a uniform scale above 0.

    Parameters
    ----------
    placements : array_like
        Positions (N, 3); trs (N, 10), dual quaternions (N, 8), or matrices (N, 4, 4); or instances of a
        crowd, (N,), of which position, rotation and scale count.

    Raises
    ------
    TypeError
        If they are no numbers, nor instances.
    ValueError
        If there is another number of them, they have another shape, or scale unevenly or by zero or less.
    """
    what = f"{function}: placements"
    refuse_masked(placements, what)
    names = getattr(getattr(placements, "dtype", None), "names", None)
    if names is not None and set(FIELDS) <= set(names):
        placed = _of_instances(np.asarray(placements), count, what)
    else:
        numbers = finite_floats(placements, what)
        if numbers.shape[:1] != (count,):
            raise ValueError(
                f"{what} must be one for each of {counted(count, 'character')}, got shape {numbers.shape}"
            )
        if numbers.shape == (count, 3):
            refuse_larger(numbers, what)
            placed = trs.from_parts(numbers)
        else:
            placed = transforms_of(numbers, what, (count,))
    scales = placed[:, 7:]
    largest = scales.max(axis=1, keepdims=True)
    if not ((scales > 0).all() and (np.abs(scales - largest) <= SAME_SCALE * largest).all()):
        wrong = scales[((scales <= 0) | (np.abs(scales - largest) > SAME_SCALE * largest)).any(axis=1)][0]
        raise ValueError(
            f"{what} must scale by one number above 0, alike along all axes, got {wrong.tolist()}"
        )
    return placed


def _of_instances(instances: NDArray[Any], count: int, what: str) -> NDArray[np.float64]:
    if instances.shape != (count,):
        raise ValueError(
            f"{what} must be one for each of {counted(count, 'character')}, got shape {instances.shape}"
        )
    position, turn, scale = (finite_floats(instances[name], f"{what}: {name}") for name in FIELDS)
    if not turn.any(axis=1).all():
        raise ValueError(f"{what}: rotation must be a quaternion of length above 0, got {[0.0] * 4}")
    return trs.from_parts(position, quat.normalize(turn), scale[:, None] * np.ones(3))


def side_by_side(
    skeletons: Sequence[Skeleton], boxes: NDArray[np.float64], factors: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return placements of characters in a row along x, the first to the left as they face the viewer.

    Each faces +z, stands on the height 0 with what is lowest of it, its origin at z 0, and leaves a gap to
    its neighbour.

    Parameters
    ----------
    skeletons : sequence of Skeleton
        What says where a character's front is.
    boxes : ndarray, shape (N, 2, 3)
        Lower and upper corners in model space, of all that the characters do.
    factors : ndarray, shape (N,)
        By how much each is scaled.

    Returns
    -------
    ndarray of float64, shape (N, 10)
        trs, with those scales.
    """
    turns = np.radians([AZIMUTH - azimuth_before(skeleton) for skeleton in skeletons])
    rotations = np.asarray(quat.from_axis_angle((0, 1, 0), turns), np.float64)
    corners = np.array(np.meshgrid([0, 1], [0, 1], [0, 1], indexing="ij")).reshape(3, 8)
    points = boxes[:, corners, np.arange(3)[:, None]].swapaxes(1, 2)  # (N, 8, 3)
    points = factors[:, None, None] * np.asarray(quat.rotate(rotations[:, None], points))
    low, high = points.min(axis=1), points.max(axis=1)
    widths = high[:, 0] - low[:, 0]
    gap = GAP * float(widths.mean())
    starts = np.concatenate([[0.0], np.cumsum(widths[:-1] + gap)])
    starts -= (widths.sum() + gap * (len(widths) - 1)) / 2
    places = np.stack([starts - low[:, 0], -low[:, 1], np.zeros(len(widths))], axis=1)
    return np.asarray(trs.from_parts(places, rotations, factors[:, None] * np.ones(3)), np.float64)
