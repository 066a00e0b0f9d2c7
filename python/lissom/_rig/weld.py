# SPDX-License-Identifier: MIT
"""Points at the same position, as one: files repeat vertices where normals, textures or parts differ."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

__all__ = ["WELD", "connected", "weld_bound", "welded"]

#: Vertices nearer than this fraction of the box's diagonal are welded: ten times the rounding of float32.
WELD = 1e-6


def welded(points: NDArray[np.float64]) -> Ints:
    """Weld points: return for each of them the first one at the same position.

    Points nearer than `WELD` of the bounding box's diagonal are at the same position; so are chains of such
    points, and some points up to 2 sqrt(3) times as far apart.

    Parameters
    ----------
    points : ndarray of float64, shape (V, 3)

    Returns
    -------
    ndarray of int64, shape (V,)
    """
    tolerance = WELD * float(np.linalg.norm(np.ptp(points, axis=0)))
    if tolerance == 0:  # all at one position
        return np.zeros(len(points), np.int64)
    # Points nearer than half a cell share a cell of one of eight grids, which are offset by half a cell.
    scaled = (points - points.min(axis=0)) / (2 * tolerance)
    result = np.arange(len(points))
    for shift in product((0.0, 0.5), repeat=3):
        # At most 1 / (2 WELD) + 1 cells to a side: 20 bits for each axis.
        x, y, z = np.floor(scaled + shift).astype(np.int64).T
        _, first, which = np.unique(x << 40 | y << 20 | z, return_index=True, return_inverse=True)
        result = connected(len(points), np.arange(len(points)), first[which], result)
    return result


def weld_bound(points: NDArray[Any], *influences: NDArray[Any]) -> tuple[Ints, Ints]:
    """Weld points that are in one place, as `welded` does, and have equal influences.

    Parameters
    ----------
    points : ndarray, shape (V, 3)
        At least one.
    *influences : ndarray, shape (V, K)
        Compared by value.

    Returns
    -------
    first : ndarray of int64, shape (W,)
        The first point of each welded one; these are sorted by place, whatever the order of the file.
    number : ndarray of int64, shape (V,)
        The welded one of each point.
    """
    distance = np.float64(WELD * (np.linalg.norm(np.ptp(points, axis=0)) or 1.0))
    places = np.rint(points[welded(points.astype(np.float64))] / distance)
    keys = np.concatenate([places, *influences], axis=1)
    _, first, number = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return first.astype(np.int64), number.astype(np.int64).ravel()


def connected(count: int, a: Ints, b: Ints, labels: Ints | None = None) -> Ints:
    """Find connected components: return for each node the lowest node that it is connected with.

    Parameters
    ----------
    count : int
        Number of nodes.
    a, b : ndarray of int64, shape (E,)
        The two nodes of each edge.
    labels : ndarray of int64, shape (count,), optional
        Components found before, by their lowest nodes; each node by itself when omitted.

    Returns
    -------
    ndarray of int64, shape (count,)
    """
    labels = np.arange(count) if labels is None else labels.copy()
    while True:
        at_a, at_b = labels[a], labels[b]
        differ = at_a != at_b
        if not differ.any():
            return labels
        low, high = np.minimum(at_a, at_b)[differ], np.maximum(at_a, at_b)[differ]
        np.minimum.at(labels, high, low)
        while (labels[labels] != labels).any():
            labels = labels[labels]
