# SPDX-License-Identifier: MIT
"""Between which points a sole continues, and how far it is below the line between them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lissom.ik._axes import Floats
from lissom.ik._feet.boxes import points_in_boxes
from lissom.ik._feet.rig import Rig
from lissom.ik._feet.vectors import horizontal_axes

__all__ = ["CELL", "NEAR", "mesh_edges", "neighbours", "sags_of"]

NEAR = 2e-3  # of the size: vertices nearer to each other than this count as one
CELL = 0.012  # of the size: side of the squares of which soles keep the lowest vertex
SPAN = 2.6  # cells: points nearer to each other than this have sole between them
SLACK = 0.01  # of a reach: boxes are larger by this than what is looked for in them, for rounding


def mesh_edges(rig: Rig, vertices: Floats, kept: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the edges of the mesh between kept vertices, or others that coincide with them."""
    assert rig.character is not None
    assert rig.character.mesh is not None
    points, reach = vertices[kept], NEAR * rig.size
    inside = (vertices >= points.min(axis=0) - reach) & (vertices <= points.max(axis=0) + reach)
    rows = np.flatnonzero(inside.all(axis=1))
    kept_of = np.full(len(vertices), -1)
    kept_of[rows] = _nearest(vertices[rows], points, reach)
    corners = kept_of[rig.character.mesh.triangles.astype(np.intp)]
    pairs = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    pairs = pairs[(pairs >= 0).all(axis=1) & (pairs[:, 0] != pairs[:, 1])]
    return _unique_pairs(np.sort(pairs, axis=1), len(kept))


def _nearest(points: Floats, others: Floats, reach: float) -> NDArray[np.intp]:
    """Return for each point the nearest of the others, the first of equals; -1 where none is in reach."""
    margins = np.full((len(points), 1), (1 + SLACK) * reach)
    at, other = points_in_boxes(others, points - margins, points + margins)
    distances = np.linalg.norm(points[at] - others[other], axis=-1)
    near = distances <= reach
    at, other, distances = at[near], other[near], distances[near]
    order = np.lexsort((other, distances, at))
    found = np.full(len(points), -1)
    found[at[order[::-1]]] = other[order[::-1]]  # the first is written last
    return found


def neighbours(points: Floats, edges: NDArray[np.intp] | None, axis: Floats, size: float) -> NDArray[np.intp]:
    """Return pairs of points between which the sole continues.

    Points that an edge of the mesh connects and, where the mesh is finer than the points, points near each
    other. Without a mesh all pairs.
    """
    side, ahead = horizontal_axes(axis)
    plan = np.stack([points @ side, points @ ahead], axis=1)
    distances = np.linalg.norm(plan[:, None] - plan, axis=-1)
    has_edges = edges is not None
    near = distances < SPAN * CELL * size if has_edges else np.ones_like(distances, bool)
    pairs = np.argwhere(np.triu(near, 1))
    if edges is not None:
        pairs = _unique_pairs(np.concatenate([pairs, edges]), len(plan))
    return pairs.astype(np.intp).reshape(-1, 2)


def _unique_pairs(pairs: NDArray[np.intp], count: int) -> NDArray[np.intp]:
    """Return the different pairs of numbers below `count`, sorted."""
    numbers = np.unique(pairs[:, 0] * count + pairs[:, 1])
    return np.stack([numbers // max(count, 1), numbers % max(count, 1)], axis=1)


def sags_of(points: Floats, rings: NDArray[np.intp], around: Floats, axis: Floats, size: float) -> Floats:
    """Return the largest distance below the line of each pair of points `around` it, (E,)."""
    side, ahead = horizontal_axes(axis)
    x, z, height = points @ side, points @ ahead, points @ axis
    if not len(rings):
        return np.zeros(0)
    tops = height[rings].max(axis=1)
    around_heights = around @ axis
    low = around_heights < tops.max()  # what is higher is below no line
    around, around_heights = around[low], around_heights[low]
    plan = np.stack([around @ side, around @ ahead], axis=1)
    half_width = 0.5 * CELL * size
    ends = np.stack([x, z], axis=1)[rings]
    margin = (1 + SLACK) * half_width
    pair, point = points_in_boxes(plan, ends.min(axis=1) - margin, ends.max(axis=1) + margin)
    under = around_heights[point] < tops[pair]
    pair, point = pair[under], point[under]
    first, second = rings.T
    dx, dz, rise = x[second] - x[first], z[second] - z[first], height[second] - height[first]
    length = np.sqrt(np.maximum(dx * dx + dz * dz, 1e-30))
    to_x, to_z = plan[point, 0] - x[first][pair], plan[point, 1] - z[first][pair]
    beside = np.abs(to_x * dz[pair] - to_z * dx[pair]) < (half_width * length)[pair]
    pair, point, to_x, to_z = pair[beside], point[beside], to_x[beside], to_z[beside]
    share = (to_x * dx[pair] + to_z * dz[pair]) / (length * length)[pair]
    near = (share > 0) & (share < 1)
    below = height[first][pair] + share * rise[pair] - around_heights[point]
    sags = np.zeros(len(rings))
    np.maximum.at(sags, pair[near], below[near])
    return sags
