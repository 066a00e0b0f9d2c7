# SPDX-License-Identifier: MIT
"""Which points are in which boxes, without a comparison of every point with every box."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lissom.ik._axes import Floats

__all__ = ["points_in_boxes"]


def points_in_boxes(points: Floats, low: Floats, high: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the pairs of box and point for which the point is inside, sorted by box.

    Parameters
    ----------
    points : ndarray, shape (N, D)
    low, high : ndarray, shape (B, D)
        Corners of the boxes, which belong to them.

    Returns
    -------
    boxes, points : ndarray of int, shape (P,)
    """
    if not len(points) or not len(low):
        return np.zeros(0, np.intp), np.zeros(0, np.intp)
    long_axis = int(np.argmax(points.max(axis=0) - points.min(axis=0)))  # which tells most points apart
    order = np.argsort(points[:, long_axis], kind="stable")
    along = points[order, long_axis]
    first = np.searchsorted(along, low[:, long_axis], side="left")
    counts = np.searchsorted(along, high[:, long_axis], side="right") - first
    counts = np.maximum(counts, 0)
    boxes = np.repeat(np.arange(len(low)), counts)
    starts = np.cumsum(counts) - counts
    found = order[np.arange(len(boxes)) + np.repeat(first - starts, counts)]
    for axis in range(points.shape[1]):
        if axis == long_axis:
            continue
        values = points[found, axis]
        inside = (values >= low[boxes, axis]) & (values <= high[boxes, axis])
        boxes, found = boxes[inside], found[inside]
    return boxes, found
