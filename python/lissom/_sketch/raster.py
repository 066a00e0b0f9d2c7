# SPDX-License-Identifier: MIT
"""Rasterization: the pixels that triangles cover, and the nearest triangle at each pixel."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Fragments",
    "bands_of",
    "enlarged",
    "fragments",
    "interpolated",
    "nearest",
    "parts_of",
    "planes_of",
]

Floats = NDArray[np.float64]
MOST_AT_ONCE = 1 << 21  # fragments: about 100 MB of arrays
MOST_GROWTH = 3.0  # pixels: largest displacement of a corner by `enlarged`
_LAST = np.uint64(0xFFFFFFFF)


class Fragments(NamedTuple):
    """Pairs of a triangle and a pixel whose centre is inside it."""

    triangle: NDArray[np.intp]
    x: NDArray[np.intp]
    y: NDArray[np.intp]


def fragments(corners: Floats, width: int, height: int) -> Fragments:
    """Return the pixels that triangles cover in a picture.

    Parameters
    ----------
    corners : ndarray of float64, shape (2, 3, T)
        x and y of each corner in pixels from the picture's upper left corner, finite, of either orientation.
    width, height : int
        Size of the picture; pixels outside are omitted.

    Returns
    -------
    Fragments
        Sorted by triangle. Of two triangles that share an edge, exactly one covers a pixel centre on it.
    """
    (left, right), (top, bottom) = _extremes(corners[0]), _extremes(corners[1])
    # A row belongs to a triangle when its centre is in [top, bottom), so that no edge is covered twice.
    first, last = _first_center(top, height), _first_center(bottom, height)
    drawn = np.flatnonzero((last > first) & (right > 0.5) & (left < width))
    x, y = _sorted_downwards(corners[:, :, drawn])
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
    """Return the covered pixels, and the nearest triangle at each.

    Parameters
    ----------
    corners : ndarray of float64, shape (2, 3, T)
        As for `fragments`.
    nearness : ndarray of float64, shape (3, T)
        One over the depth of each corner, positive; it is affine over the picture.

    Returns
    -------
    pixel, triangle : ndarray of int, shape (P,)
        For each covered pixel, in order; ``pixel`` is ``y * width + x``.
    """
    planes = planes_of(corners, nearness)
    # The bits of positive float32 are ordered like the numbers. Among equals the first wins, as on GPUs.
    best = np.zeros(width * height, np.uint64)
    for part in parts_of(corners, width, height):
        covered = fragments(corners[:, :, part], width, height)
        triangle = covered.triangle + part.start
        near = interpolated(planes, covered._replace(triangle=triangle))
        bits = near.astype(np.float32).view(np.uint32).astype(np.uint64) << np.uint64(32)
        np.maximum.at(best, covered.y * width + covered.x, bits | (_LAST - triangle.astype(np.uint64)))
    pixel = np.flatnonzero(best)
    return pixel, (_LAST - (best[pixel] & _LAST)).astype(np.intp)


def parts_of(corners: Floats, width: int, height: int) -> list[slice]:
    """Split the triangles into runs of about `MOST_AT_ONCE` fragments, by their bounding boxes."""
    area = np.ones(corners.shape[2])
    for values, limit in zip(corners, (width, height), strict=True):
        low, high = _extremes(values)
        area *= np.minimum(high, limit) - np.maximum(low, 0) + 1
    total = np.cumsum(np.maximum(area, 0))
    cuts = np.searchsorted(total, np.arange(MOST_AT_ONCE, total[-1:].sum(), MOST_AT_ONCE))
    edges: list[int] = np.unique([0, *cuts, len(area)]).tolist()
    return [slice(a, b) for a, b in pairwise(edges)]


def bands_of(corners: Floats, width: int, height: int) -> list[slice]:
    """Split the picture into bands of rows with about `MOST_AT_ONCE` fragments each, by bounding boxes."""
    (left, right), (top, bottom) = _extremes(corners[0]), _extremes(corners[1])
    across = np.maximum(np.minimum(right, width) - np.maximum(left, 0) + 1, 0)
    first = np.clip(np.floor(top), 0, height).astype(np.intp)
    last = np.clip(np.ceil(bottom), 0, height).astype(np.intp)
    changes = np.bincount(first, across, height + 1) - np.bincount(last, across, height + 1)
    total = np.cumsum(np.cumsum(changes)[:height])
    cuts = np.searchsorted(total, np.arange(MOST_AT_ONCE, total[-1:].sum(), MOST_AT_ONCE))
    edges: list[int] = np.unique([0, *cuts, height]).tolist()
    return [slice(a, b) for a, b in pairwise(edges)]


def planes_of(corners: Floats, values: Floats) -> tuple[Floats, ...]:
    """Return the planes of values at corners, ``(3, T)``: slopes in x and y, value at 0, and extremes."""
    (ax, ay), (bx, by) = (corners[:, i] - corners[:, 0] for i in (1, 2))
    a, b = values[1] - values[0], values[2] - values[0]
    area = ax * by - ay * bx
    area[np.abs(area) < 1e-12] = np.inf  # no slope: such a triangle covers hardly a pixel
    dx, dy = (a * by - b * ay) / area, (b * ax - a * bx) / area
    return dx, dy, values[0] - dx * corners[0, 0] - dy * corners[1, 0], *_extremes(values)


def interpolated(planes: tuple[Floats, ...], covered: Fragments) -> Floats:
    """Return the values of planes from `planes_of` at fragments."""
    dx, dy, at_origin, least, most = (values[covered.triangle] for values in planes)
    values = dx * (covered.x + 0.5) + dy * (covered.y + 0.5) + at_origin
    return np.minimum(np.maximum(values, least), most)  # slivers have steep planes


def enlarged(corners: Floats, every: int) -> Floats:
    """Enlarge triangles, ``(2, 3, T)``, each of which represents `every`, so that they cover as much.

    They grow about their centroid, in area by four times `every` since they overlap and leave gaps, but by at
    most `MOST_GROWTH` pixels.
    """
    if every == 1:
        return corners
    centroid = corners.mean(axis=1, keepdims=True)
    from_centroid = corners - centroid
    length = np.hypot(*from_centroid)
    growth = np.minimum(np.sqrt(4.0 * every), 1 + MOST_GROWTH / np.maximum(length, 1e-9))
    return np.asarray(centroid + from_centroid * growth)


def _extremes(values: Floats) -> tuple[Floats, Floats]:
    """Return the least and the largest of three values, four times as fast as `min` over an axis of three."""
    a, b, c = values
    return np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)


def _sorted_downwards(corners: Floats) -> tuple[list[Floats], list[Floats]]:
    """Return x and y of the corners, sorted by y, three arrays each."""
    x, y = list(corners[0]), list(corners[1])
    for i, j in ((0, 1), (1, 2), (0, 1)):
        swap = y[j] < y[i]
        for v in (x, y):
            v[i], v[j] = np.where(swap, v[j], v[i]), np.where(swap, v[i], v[j])
    return x, y


def _crossing(
    x: list[Floats], y: list[Floats], i: int, j: int, triangle: NDArray[np.intp], center: NDArray[Any]
) -> Floats:
    """Return x where the edge from corner i down to corner j crosses rows."""
    rise = y[j] - y[i]
    slope = np.divide(x[j] - x[i], rise, out=np.zeros_like(rise), where=rise > 0)
    return np.asarray(slope[triangle] * (center - y[i][triangle]) + x[i][triangle])


def _first_center(edge: Floats, limit: int) -> NDArray[np.intp]:
    """Return the first pixel of the picture whose centre is at an edge or beyond it."""
    return np.ceil(np.minimum(np.maximum(edge, 0.0), limit) - 0.5).astype(np.intp)


def _runs(first: NDArray[np.intp], count: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the elements of runs of consecutive integers: the index of the run, and the integer."""
    count = np.maximum(count, 0)
    owner = np.repeat(np.arange(len(count)), count)
    begins = np.cumsum(count) - count
    return owner, np.arange(len(owner)) - np.repeat(begins - first, count)
