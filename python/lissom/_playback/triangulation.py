# SPDX-License-Identifier: MIT
"""Delaunay triangulation of points in the plane, and barycentric weights in it.

For the few points of a blend space; for many use SciPy's Delaunay.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["Triangulation"]

# Points are rounded to a grid of 2^_GRID lines over their extent, where integer predicates are exact. So
# points that are meant to be collinear are, in spite of their rounding.
_GRID = 24
# A triangle at the boundary whose height is below this part of the extent is left out: its weights would
# jump.
_FLAT = 1e-6

Corner = tuple[int, int]


class Triangulation:
    """The Delaunay triangulation of points (N, 2), N at least 3, not all on one line.

    Of four points on a circle either diagonal will do. Built by a sweep over the points from left to right,
    and by flipping edges until every circumcircle is empty (Lawson 1977).
    """

    def __init__(self, points: NDArray[np.float64]) -> None:
        self._points = points
        low = points.min(axis=0)
        extent = float((points.max(axis=0) - low).max())
        grid = np.rint((points - low) * (2**_GRID / extent)).astype(np.int64)
        corners = [(int(x), int(y)) for x, y in grid]
        triangles = np.array(_flip_edges(corners, _sweep(corners)), np.intp).reshape(-1, 3)
        self.triangles = self._without_slivers(triangles, _FLAT * extent)  # (T, 3), counter-clockwise
        self._boundary = np.array(_boundary(self.triangles), np.intp)  # (E, 2)
        # weights = matrix @ (x, y, 1): the inverse of (corners; 1 1 1)
        ones = np.ones((len(self.triangles), 3, 1))
        self._from_point = np.linalg.inv(
            np.concatenate([points[self.triangles], ones], axis=2).transpose(0, 2, 1)
        )

    def weights(self, point: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weight of each point, (N,): at least 0, sum 1, at most three of them above 0.

        Inside the triangles they are barycentric coordinates; outside they are those of the nearest point of
        the boundary.
        """
        result = np.zeros(len(self._points))
        # Sums are written out, in the order of src/core/players/player_space.cpp: with the same bits.
        x, y, one = np.moveaxis(self._from_point, 2, 0)
        inside = (x * point[0] + y * point[1]) + one  # (T, 3)
        best = int(inside.min(axis=1).argmax())
        if inside[best].min() >= 0:
            a, b, c = inside[best]
            result[self.triangles[best]] = inside[best] / ((a + b) + c)
            return result
        a, b = self._points[self._boundary[:, 0]], self._points[self._boundary[:, 1]]
        edges = b - a
        along, squares = (point - a) * edges, edges * edges
        share = np.clip((along[:, 0] + along[:, 1]) / (squares[:, 0] + squares[:, 1]), 0, 1)
        away = point - (a + share[:, None] * edges)
        edge = int((away[:, 0] * away[:, 0] + away[:, 1] * away[:, 1]).argmin())
        result[self._boundary[edge]] = 1 - share[edge], share[edge]
        return result

    def for_core(self) -> tuple[list[int], list[float], list[int]]:
        """Return the triangles, what turns (x, y, 1) into their weights, and the boundary, as flat lists."""
        return (
            self.triangles.ravel().tolist(),
            self._from_point.ravel().tolist(),
            self._boundary.ravel().tolist(),
        )

    def _without_slivers(self, triangles: NDArray[np.intp], least: float) -> NDArray[np.intp]:
        """Remove triangles at the boundary with a height below `least`, until none is left."""
        while True:
            boundary = set(map(tuple, _boundary(triangles)))
            keep = [
                not (_height(self._points[t]) < least and any((t[i], t[i - 2]) in boundary for i in range(3)))
                for t in triangles
            ]
            if all(keep) or not any(keep):
                return triangles
            triangles = triangles[keep]


def _height(corners: NDArray[np.float64]) -> float:
    """Return the least height of a triangle."""
    (ax, ay), (bx, by) = corners[1] - corners[0], corners[2] - corners[0]
    longest = max(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1))
    return float(abs(ax * by - ay * bx) / longest)


def _boundary(triangles: NDArray[np.intp]) -> list[tuple[int, int]]:
    """Return the edges of a single triangle, in its direction."""
    edges = [(int(t[i]), int(t[(i + 1) % 3])) for t in triangles for i in range(3)]
    known = set(edges)
    return [(a, b) for a, b in edges if (b, a) not in known]


def _orientation(a: Corner, b: Corner, c: Corner) -> int:
    """Return twice the signed area of a triangle, above 0 where it is counter-clockwise."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _in_circle(a: Corner, b: Corner, c: Corner, d: Corner) -> bool:
    """Return whether d is inside the circumcircle of a counter-clockwise triangle."""
    (ax, ay), (bx, by), (cx, cy) = ((p[0] - d[0], p[1] - d[1]) for p in (a, b, c))
    aa, bb, cc = ax * ax + ay * ay, bx * bx + by * by, cx * cx + cy * cy
    return ax * (by * cc - cy * bb) - ay * (bx * cc - cx * bb) + aa * (bx * cy - by * cx) > 0


def _sweep(corners: list[Corner]) -> list[tuple[int, int, int]]:
    """Triangulate from left to right: join each point to all edges of the hull that are visible from it."""
    order = sorted(range(len(corners)), key=corners.__getitem__)
    triangles: list[tuple[int, int, int]] = []
    line = order[:2]  # the collinear points before the first that is not on their line
    hull: list[int] = []  # counter-clockwise
    for new in order[2:]:
        p = corners[new]
        if not hull:
            side = _orientation(corners[line[0]], corners[line[1]], p)
            if side == 0:
                line.append(new)
                continue
            if side < 0:  # keep triangles counter-clockwise
                line.reverse()
            triangles += [(a, b, new) for a, b in pairwise(line)]
            hull = [*line, new]
            continue
        size = len(hull)
        visible = [_orientation(corners[hull[i]], corners[hull[(i + 1) % size]], p) < 0 for i in range(size)]
        first = next(i for i in range(size) if visible[i] and not visible[i - 1])
        count = 0
        while visible[(first + count) % size]:
            a, b = hull[(first + count) % size], hull[(first + count + 1) % size]
            triangles.append((b, a, new))
            count += 1
        kept = [hull[(first + count + i) % size] for i in range(size - count + 1)]
        hull = [*kept, new]
    return triangles


def _flip_edges(corners: list[Corner], triangles: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Flip the edge of two triangles while the circumcircle of one contains the far corner of the other."""
    opposite = {}  # edge: the opposite corner of its triangle
    for a, b, c in triangles:
        opposite.update({(a, b): c, (b, c): a, (c, a): b})
    stack = list(opposite)
    while stack:
        a, b = stack.pop()
        if (a, b) not in opposite or (b, a) not in opposite:
            continue
        c, d = opposite[a, b], opposite[b, a]
        if not _in_circle(corners[a], corners[b], corners[c], corners[d]):
            continue
        del opposite[a, b], opposite[b, a]
        opposite.update({(d, c): a, (c, a): d, (a, d): c, (c, d): b, (d, b): c, (b, c): d})
        stack += [(c, a), (a, d), (d, b), (b, c)]
    return sorted({_lowest_first(a, b, c) for (a, b), c in opposite.items()})


def _lowest_first(a: int, b: int, c: int) -> tuple[int, int, int]:
    """Return a triangle with its lowest corner first."""
    return min((a, b, c), (b, c, a), (c, a, b))
