# SPDX-License-Identifier: MIT
"""Where the vertices of a surface lie within tetrahedra."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.weights._inputs import Floats, Indices

__all__ = ["Embedding", "embed"]

_OUTSIDE = 1e-6
"""How far outside a tetrahedron a vertex may lie and still be in it, in barycentric coordinates: float32."""

_CANDIDATES = 2_000_000
"""Pairs of a vertex and a tetrahedron that are tested at once: some 200 MB."""


class Embedding(NamedTuple):
    """Each vertex as a mean of nodes: ``weights_of_nodes[corners]`` by ``barycentric``.

    Attributes
    ----------
    corners : ndarray of int64, shape (V, 4), of a lattice (V, 8)
    barycentric : ndarray of float64, shape as `corners`
        Not negative, rows sum to 1.
    outside : ndarray of int64
        Vertices that are at no node and in no tetrahedron; their rows are zero.
    """

    corners: Indices
    barycentric: Floats
    outside: Indices

    def interpolate(self, values: Floats) -> Floats:
        """Carry values (N, H) of nodes to the vertices (V, H)."""
        result = np.zeros((len(self.corners), values.shape[1]))
        for corner in range(self.corners.shape[1]):
            result += self.barycentric[:, corner, None] * values[self.corners[:, corner]]
        return result


def embed(positions: Floats, nodes: Floats, tets: NDArray[np.int32], within: float) -> Embedding:
    """Find for each vertex the node within a distance of it, else the tetrahedron around it."""
    corners = np.zeros((len(positions), 4), np.int64)
    barycentric = np.zeros((len(positions), 4))
    rest = _match_nodes(positions, nodes, within, corners, barycentric)
    if len(rest):
        rest = _match_tets(positions, nodes, tets, rest, corners, barycentric)
    return Embedding(corners, barycentric, rest)


def _match_nodes(
    positions: Floats, nodes: Floats, within: float, corners: Indices, barycentric: Floats
) -> Indices:
    """Sort nodes along one axis and look at those within the distance of each vertex."""
    axis = int(np.ptp(nodes, axis=0).argmax())
    order = np.argsort(nodes[:, axis], kind="stable")
    line = nodes[order, axis]
    first = np.searchsorted(line, positions[:, axis] - within, side="left")
    last = np.searchsorted(line, positions[:, axis] + within, side="right")
    nearest = np.full(len(positions), within)
    found = np.zeros(len(positions), bool)
    for step in range(int((last - first).max(initial=0))):
        rows = np.flatnonzero(first + step < last)
        node = order[first[rows] + step]
        away = np.linalg.norm(nodes[node] - positions[rows], axis=1)
        better = away <= nearest[rows]
        rows, node = rows[better], node[better]
        nearest[rows] = away[better]
        corners[rows] = node[:, None]
        found[rows] = True
    barycentric[found, 0] = 1
    return np.flatnonzero(~found)


def _match_tets(
    positions: Floats,
    nodes: Floats,
    tets: NDArray[np.int32],
    rest: Indices,
    corners: Indices,
    barycentric: Floats,
) -> Indices:
    """Test each vertex against the tetrahedra whose boxes hold it, found through a grid over the vertices."""
    points = positions[rest]
    low, high = points.min(axis=0), points.max(axis=0)
    side = max(float((high - low).max()) / max(1.0, len(rest) ** (1 / 3)), np.finfo(float).tiny)
    shape = np.floor((high - low) / side).astype(np.int64) + 1
    cell_of = np.minimum(np.floor((points - low) / side).astype(np.int64), shape - 1)
    flat = np.ravel_multi_index(tuple(cell_of.T), tuple(shape))
    order = np.argsort(flat, kind="stable")
    starts = np.searchsorted(flat[order], np.arange(int(np.prod(shape)) + 1))

    boxes = nodes[tets]
    slack = _OUTSIDE * np.ptp(boxes, axis=1).max(axis=1, initial=0)[:, None]
    lower = np.floor((boxes.min(axis=1) - slack - low) / side).astype(np.int64)
    upper = np.floor((boxes.max(axis=1) + slack - low) / side).astype(np.int64)
    touching = ((upper >= 0) & (lower < shape)).all(axis=1)
    best = np.full(len(rest), -_OUTSIDE)
    ids = np.flatnonzero(touching)
    lower, upper = np.maximum(lower[ids], 0), np.minimum(upper[ids], shape - 1)
    pairs_tet, pairs_point, waiting = [], [], 0
    for index, tet in enumerate(ids.tolist()):
        (x0, y0, z0), (x1, y1, z1) = lower[index], upper[index]
        for x in range(x0, x1 + 1):
            for y in range(y0, y1 + 1):
                row = (x * shape[1] + y) * shape[2]
                held = order[starts[row + z0] : starts[row + z1 + 1]]
                if len(held):
                    pairs_tet.append(np.full(len(held), tet))
                    pairs_point.append(held)
                    waiting += len(held)
        if pairs_tet and (waiting > _CANDIDATES or index + 1 == len(ids)):
            _take_best(
                points, nodes, tets, np.concatenate(pairs_tet), np.concatenate(pairs_point),
                best, rest, corners, barycentric,
            )  # fmt: skip
            pairs_tet, pairs_point, waiting = [], [], 0
    if pairs_tet:
        _take_best(
            points, nodes, tets, np.concatenate(pairs_tet), np.concatenate(pairs_point),
            best, rest, corners, barycentric,
        )  # fmt: skip
    found = barycentric[rest].sum(axis=1) > 0
    return np.asarray(rest[~found])


def _take_best(
    points: Floats,
    nodes: Floats,
    tets: NDArray[np.int32],
    tet: Indices,
    point: Indices,
    best: Floats,
    rest: Indices,
    corners: Indices,
    barycentric: Floats,
) -> None:
    """Assign each vertex the tetrahedron that contains it deepest."""
    a, b, c, d = (nodes[tets[tet, corner]] for corner in range(4))
    p = points[point]
    volume = _volumes(a, b, c, d)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.stack(
            [_volumes(p, b, c, d), _volumes(a, p, c, d), _volumes(a, b, p, d), _volumes(a, b, c, p)], axis=1
        )
        parts /= volume[:, None]
    least = np.where(np.isfinite(parts).all(axis=1), parts.min(axis=1), -np.inf)
    order = np.lexsort((tet, -least, point))
    first = np.unique(point[order], return_index=True)[1]
    chosen = order[first]
    chosen = chosen[least[chosen] >= best[point[chosen]]]
    rows = rest[point[chosen]]
    best[point[chosen]] = least[chosen]
    parts = np.clip(parts[chosen], 0, None)
    corners[rows] = tets[tet[chosen]]
    barycentric[rows] = parts / parts.sum(axis=1, keepdims=True)


def _volumes(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", b - a, np.cross(c - a, d - a)))
