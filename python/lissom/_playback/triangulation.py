# SPDX-License-Identifier: MIT
"""Triangles between points of the plane, and what weights the corners have at a point.

For the few points of a blend space; SciPy's Delaunay is for many.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["Triangulation"]

# Points are put on a grid of 2^GRID lines over their extent, where whole numbers decide exactly what lies
# left of what. So points of a row that is meant straight are on one line in spite of their rounding.
_GRID = 24
# A triangle at the rim flatter than this part of the extent is left out: its weights would leap.
_FLAT = 1e-6

Corner = tuple[int, int]


class Triangulation:
    """Delaunay triangles between points (N, 2), N at least 3, not all on one line.

    The triangles avoid sharp corners, as far as the points let them; of four points on a circle either
    diagonal will do. Built by sweeping over the points from left to right, and turning diagonals until every
    circle around a triangle is empty (Lawson 1977).
    """

    def __init__(self, points: NDArray[np.float64]) -> None:
        self._points = points
        low = points.min(axis=0)
        extent = float((points.max(axis=0) - low).max())
        grid = np.rint((points - low) * (2**_GRID / extent)).astype(np.int64)
        corners = [(int(x), int(y)) for x, y in grid]
        triangles = np.array(_turn_diagonals(corners, _sweep(corners)), np.intp).reshape(-1, 3)
        self.triangles = self._without_flat_rim(triangles, _FLAT * extent)  # (T, 3), counter-clockwise
        self._rim = np.array(_rim(self.triangles), np.intp)  # (E, 2)
        # weights = matrix @ (x, y, 1): the inverse of (corners; 1 1 1)
        ones = np.ones((len(self.triangles), 3, 1))
        self._from_point = np.linalg.inv(
            np.concatenate([points[self.triangles], ones], axis=2).transpose(0, 2, 1)
        )

    def weights(self, point: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the weight of each point, (N,): at least 0, sum 1, at most three of them above 0.

        Within the triangles they are linear and their mean is `point`; elsewhere they are those of the
        nearest point of the rim.
        """
        result = np.zeros(len(self._points))
        inside = self._from_point @ np.append(point, 1.0)  # (T, 3)
        best = int(inside.min(axis=1).argmax())
        if inside[best].min() >= 0:
            result[self.triangles[best]] = inside[best]
            result /= result.sum()
            return result
        a, b = self._points[self._rim[:, 0]], self._points[self._rim[:, 1]]
        along = b - a
        part = np.clip(np.sum((point - a) * along, axis=1) / np.sum(along**2, axis=1), 0, 1)
        nearest = a + part[:, None] * along
        edge = int(np.sum((point - nearest) ** 2, axis=1).argmin())
        result[self._rim[edge]] = 1 - part[edge], part[edge]
        return result

    def _without_flat_rim(self, triangles: NDArray[np.intp], least: float) -> NDArray[np.intp]:
        while True:
            rim = set(map(tuple, _rim(triangles)))
            keep = [
                not (_height(self._points[t]) < least and any((t[i], t[i - 2]) in rim for i in range(3)))
                for t in triangles
            ]
            if all(keep) or not any(keep):
                return triangles
            triangles = triangles[keep]


def _height(corners: NDArray[np.float64]) -> float:
    """Give the least height of a triangle."""
    (ax, ay), (bx, by) = corners[1] - corners[0], corners[2] - corners[0]
    longest = max(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1))
    return float(abs(ax * by - ay * bx) / longest)


def _rim(triangles: NDArray[np.intp]) -> list[tuple[int, int]]:
    """Give the edges of one triangle only, in its direction."""
    edges = [(int(t[i]), int(t[(i + 1) % 3])) for t in triangles for i in range(3)]
    there = set(edges)
    return [(a, b) for a, b in edges if (b, a) not in there]


def _side(a: Corner, b: Corner, c: Corner) -> int:
    """Twice the area of a triangle, above 0 where it is counter-clockwise."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _in_circle(a: Corner, b: Corner, c: Corner, d: Corner) -> bool:
    """Whether d lies inside the circle around a counter-clockwise triangle."""
    (ax, ay), (bx, by), (cx, cy) = ((p[0] - d[0], p[1] - d[1]) for p in (a, b, c))
    aa, bb, cc = ax * ax + ay * ay, bx * bx + by * by, cx * cx + cy * cy
    return ax * (by * cc - cy * bb) - ay * (bx * cc - cx * bb) + aa * (bx * cy - by * cx) > 0


def _sweep(corners: list[Corner]) -> list[tuple[int, int, int]]:
    """Join each point to all edges of the hull so far that it sees, from left to right."""
    order = sorted(range(len(corners)), key=corners.__getitem__)
    triangles: list[tuple[int, int, int]] = []
    line = order[:2]  # the points before the first that is not on one line with them
    hull: list[int] = []  # counter-clockwise
    for new in order[2:]:
        p = corners[new]
        if not hull:
            side = _side(corners[line[0]], corners[line[1]], p)
            if side == 0:
                line.append(new)
                continue
            if side < 0:  # the line runs the other way round
                line.reverse()
            triangles += [(a, b, new) for a, b in pairwise(line)]
            hull = [*line, new]
            continue
        size = len(hull)
        seen = [_side(corners[hull[i]], corners[hull[(i + 1) % size]], p) < 0 for i in range(size)]
        first = next(i for i in range(size) if seen[i] and not seen[i - 1])
        count = 0
        while seen[(first + count) % size]:
            a, b = hull[(first + count) % size], hull[(first + count + 1) % size]
            triangles.append((b, a, new))
            count += 1
        kept = [hull[(first + count + i) % size] for i in range(size - count + 1)]
        hull = [*kept, new]
    return triangles


def _turn_diagonals(
    corners: list[Corner], triangles: list[tuple[int, int, int]]
) -> list[tuple[int, int, int]]:
    """Turn diagonals of two triangles while the circle around one holds the far corner of the other."""
    across = {}  # edge: the corner that its triangle has across
    for a, b, c in triangles:
        across.update({(a, b): c, (b, c): a, (c, a): b})
    waiting = list(across)
    while waiting:
        a, b = waiting.pop()
        if (a, b) not in across or (b, a) not in across:
            continue
        c, d = across[a, b], across[b, a]
        if not _in_circle(corners[a], corners[b], corners[c], corners[d]):
            continue
        del across[a, b], across[b, a]
        across.update({(d, c): a, (c, a): d, (a, d): c, (c, d): b, (d, b): c, (b, c): d})
        waiting += [(c, a), (a, d), (d, b), (b, c)]
    return sorted({_rotated(a, b, c) for (a, b), c in across.items()})


def _rotated(a: int, b: int, c: int) -> tuple[int, int, int]:
    """Give a triangle with its lowest corner first."""
    return min((a, b, c), (b, c, a), (c, a, b))
