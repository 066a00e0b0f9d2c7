# SPDX-License-Identifier: MIT
"""Which pixels triangles cover, and which triangle is nearest in each."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Fragments", "enlarged", "fragments", "interpolated", "nearest", "planes_of"]

Floats = NDArray[np.float64]
MOST_AT_ONCE = 1 << 21  # fragments: some 100 MB of arrays
MOST_GROWTH = 3.0  # pixels: by how much a corner may move
_LAST = np.uint64(0xFFFFFFFF)


class Fragments(NamedTuple):
    """Pairs of a triangle and a pixel whose centre it covers."""

    triangle: NDArray[np.intp]
    x: NDArray[np.intp]
    y: NDArray[np.intp]


def fragments(corners: Floats, width: int, height: int) -> Fragments:
    """Give every pixel of triangles in a picture.

    Parameters
    ----------
    corners : ndarray of float64, shape (2, 3, T)
        x and y of each corner in pixels from the corner of the first one, finite. Seen from either side.
    width, height : int
        Of the picture. What lies outside is left out.

    Returns
    -------
    Fragments
        Triangle by triangle. Of two triangles that share an edge exactly one covers a pixel upon it.
    """
    (left, right), (top, bottom) = _ends(corners[0]), _ends(corners[1])
    # A row belongs to a triangle when its centre lies in [top, bottom): so edges are shared by nobody.
    first, last = _first_center(top, height), _first_center(bottom, height)
    drawn = np.flatnonzero((last > first) & (right > 0.5) & (left < width))
    x, y = _from_the_top(corners[:, :, drawn])
    triangle, row = _runs(first[drawn], last[drawn] - first[drawn])
    center = row + 0.5
    at_long = _crossing(x, y, 0, 2, triangle, center)
    at_short = np.where(
        center < y[1][triangle],
        _crossing(x, y, 0, 1, triangle, center),
        _crossing(x, y, 1, 2, triangle, center),
    )
    start = _first_center(np.minimum(at_long, at_short), width)
    end = _first_center(np.maximum(at_long, at_short), width)
    span, column = _runs(start, end - start)
    return Fragments(drawn[triangle[span]], column, row[span])


def nearest(
    corners: Floats, nearness: Floats, width: int, height: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Find the nearest triangle of each pixel.

    Parameters
    ----------
    corners : ndarray of float64, shape (2, 3, T)
        As `fragments` takes them.
    nearness : ndarray of float64, shape (3, T)
        One over the distance of each corner along the view, positive: what is affine in a picture.

    Returns
    -------
    pixel, triangle : ndarray of int, shape (P,)
        Of the pixels that something covers, row by row; ``pixel`` is ``y * width + x``.
    """
    planes = planes_of(corners, nearness)
    # The bits of positive float32 are ordered as the numbers are. Of equals the first wins, as on the GPU.
    best = np.zeros(width * height, np.uint64)
    for part in _parts(corners, width, height):
        found = fragments(corners[:, :, part], width, height)
        triangle = found.triangle + part.start
        near = interpolated(planes, found._replace(triangle=triangle))
        bits = near.astype(np.float32).view(np.uint32).astype(np.uint64) << np.uint64(32)
        np.maximum.at(best, found.y * width + found.x, bits | (_LAST - triangle.astype(np.uint64)))
    pixel = np.flatnonzero(best)
    return pixel, (_LAST - (best[pixel] & _LAST)).astype(np.intp)


def _parts(corners: Floats, width: int, height: int) -> list[slice]:
    """Cut the triangles into runs that have not too many fragments together."""
    area = np.ones(corners.shape[2])
    for values, limit in zip(corners, (width, height), strict=True):
        low, high = _ends(values)
        area *= np.minimum(high, limit) - np.maximum(low, 0) + 1
    total = np.cumsum(np.maximum(area, 0))
    cuts = np.searchsorted(total, np.arange(MOST_AT_ONCE, total[-1:].sum(), MOST_AT_ONCE))
    edges: list[int] = np.unique([0, *cuts, len(area)]).tolist()
    return [slice(a, b) for a, b in pairwise(edges)]


def planes_of(corners: Floats, values: Floats) -> tuple[Floats, ...]:
    """Give values at corners, ``(3, T)``, as planes over the picture: by x, by y, at 0; and their ends."""
    (ax, ay), (bx, by) = (corners[:, i] - corners[:, 0] for i in (1, 2))
    a, b = values[1] - values[0], values[2] - values[0]
    area = ax * by - ay * bx
    area[np.abs(area) < 1e-12] = np.inf  # covers next to nothing: flat does
    dx, dy = (a * by - b * ay) / area, (b * ax - a * bx) / area
    return dx, dy, values[0] - dx * corners[0, 0] - dy * corners[1, 0], *_ends(values)


def interpolated(planes: tuple[Floats, ...], found: Fragments) -> Floats:
    """Give what `planes_of` made planes of, at fragments."""
    dx, dy, at_origin, least, most = (values[found.triangle] for values in planes)
    values = dx * (found.x + 0.5) + dy * (found.y + 0.5) + at_origin
    return np.minimum(np.maximum(values, least), most)  # slivers have steep planes


def enlarged(corners: Floats, every: int) -> Floats:
    """Let triangles, ``(2, 3, T)``, of which each stands for `every` many, cover what these covered.

    They grow about their middle, four times as much in area, for they overlap and leave gaps; what is large
    already grows by some pixels alone.
    """
    if every == 1:
        return corners
    middle = corners.mean(axis=1, keepdims=True)
    away = corners - middle
    length = np.hypot(*away)
    growth = np.minimum(np.sqrt(4.0 * every), 1 + MOST_GROWTH / np.maximum(length, 1e-9))
    return np.asarray(middle + away * growth)


def _ends(values: Floats) -> tuple[Floats, Floats]:
    """Give the lowest and the highest of three; `min` along an axis of three takes four times as long."""
    a, b, c = values
    return np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)


def _from_the_top(corners: Floats) -> tuple[list[Floats], list[Floats]]:
    """Sort the corners of triangles downwards: their x and y, each three arrays."""
    x, y = list(corners[0]), list(corners[1])
    for i, j in ((0, 1), (1, 2), (0, 1)):
        swap = y[j] < y[i]
        for v in (x, y):
            v[i], v[j] = np.where(swap, v[j], v[i]), np.where(swap, v[i], v[j])
    return x, y


def _crossing(
    x: list[Floats], y: list[Floats], i: int, j: int, triangle: NDArray[np.intp], center: NDArray[Any]
) -> Floats:
    """Give where the edge from corner i down to corner j crosses rows."""
    rise = y[j] - y[i]
    slope = np.divide(x[j] - x[i], rise, out=np.zeros_like(rise), where=rise > 0)
    return np.asarray(slope[triangle] * (center - y[i][triangle]) + x[i][triangle])


def _first_center(edge: Floats, limit: int) -> NDArray[np.intp]:
    """Give the first pixel whose centre is at an edge or beyond it, within the picture."""
    return np.ceil(np.minimum(np.maximum(edge, 0.0), limit) - 0.5).astype(np.intp)


def _runs(first: NDArray[np.intp], count: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Count each run out from its first number on: which run, and the number."""
    count = np.maximum(count, 0)
    owner = np.repeat(np.arange(len(count)), count)
    begins = np.cumsum(count) - count
    return owner, np.arange(len(owner)) - np.repeat(begins - first, count)
