# SPDX-License-Identifier: MIT
"""What hangs together on a triangle mesh: seams welded, edges, pieces, and where the surface is open."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from lissom.metrics import _input

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lissom.metrics._input import Floats, Ints

__all__ = ["WELD", "Surface"]

#: Vertices nearer than this fraction of the box's diagonal are one: ten times the rounding of float32.
WELD = 1e-6


@dataclass(frozen=True, eq=False)
class Surface:
    """The connections of a triangle mesh, found from its bind positions.

    Files cut a mesh where normals, texture coordinates or parts differ, and repeat vertices there. Vertices
    in one place are one here, so that such a seam is no hole. A piece is closed where every edge is passed as
    often one way as the other: then, and only then, the volume it encloses does not depend on the origin.

    Attributes
    ----------
    weld : ndarray of int64, shape (V,)
        For each vertex the first one that stands in the same place.
    triangles : ndarray of int64, shape (F, 3)
        Those of the mesh, by such first vertices.
    edges : ndarray of int64, shape (E, 2)
        Pairs of welded vertices that triangles connect, each once.
    open_edges : ndarray of int64, shape (O, 2)
        Edges that are passed more often one way than the other: a border, or neighbours of unlike winding.
    pieces : ndarray of int64, shape (F,)
        To which connected piece each triangle belongs, counted from 0 by their first triangles.
    closed : ndarray of bool, shape (C,)
        Which pieces are closed.

    Examples
    --------
    >>> bar = lissom.samples.twisted_bar()
    >>> surface = lissom.metrics.Surface.of(bar.mesh.positions, bar.mesh.triangles)
    >>> surface.piece_count, surface.is_closed
    (1, True)
    >>> len(np.unique(surface.weld)) < bar.mesh.vertex_count  # its edges hold a vertex for each side
    True
    """

    weld: Ints
    triangles: Ints
    edges: Ints
    open_edges: Ints
    pieces: Ints
    closed: NDArray[np.bool_]

    @classmethod
    def of(cls, positions: ArrayLike, triangles: ArrayLike) -> Surface:
        """Find the connections.

        Parameters
        ----------
        positions : array_like, shape (V, 3)
            Bind positions, any length unit.
        triangles : array_like of int, shape (F, 3)

        Returns
        -------
        Surface

        Raises
        ------
        TypeError
            If an array holds no numbers, or triangles no integers.
        ValueError
            If a shape does not fit, there is no triangle, a number is not finite or an index out of range.

        Examples
        --------
        >>> surface = lissom.metrics.Surface.of([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> surface.is_closed, surface.open_edges.tolist()
        (False, [[0, 1], [0, 2], [1, 2]])
        """
        points = _input.vertices(positions, "Surface.of: positions", one=True)
        return surface_of(points, _input.triangles(triangles, "Surface.of: triangles", len(points)))

    @property
    def piece_count(self) -> int:
        """Number of connected pieces, C."""
        return len(self.closed)

    @property
    def is_closed(self) -> bool:
        """Whether all of them are closed."""
        return bool(self.closed.all())

    def __repr__(self) -> str:
        return (
            f"Surface({len(self.triangles)} triangles, {len(self.edges)} edges, {self.piece_count} pieces, "
            f"{int(self.closed.sum())} of them closed, {len(self.open_edges)} open edges)"
        )


def surface_of(points: Floats, triangles: Ints) -> Surface:
    """As `Surface.of`, of checked arrays."""
    weld = welded(points)
    welded_triangles = weld[triangles]
    directed = welded_triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    directed = directed[directed[:, 0] != directed[:, 1]]  # of triangles without area
    ordered = np.sort(directed, axis=1)
    edges, which = np.unique(ordered, axis=0, return_inverse=True)
    forwards = np.where(directed[:, 0] < directed[:, 1], 1, -1)
    balance = np.zeros(len(edges), np.int64)
    np.add.at(balance, which.ravel(), forwards)
    open_edges = edges[balance != 0]

    label = connected(len(points), edges[:, 0], edges[:, 1])[welded_triangles[:, 0]]
    _, first, pieces = np.unique(label, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    pieces = rank[pieces.ravel()]
    closed = np.ones(len(first), np.bool_)
    touched = np.zeros(len(points), np.bool_)
    touched[open_edges] = True
    closed[pieces[touched[welded_triangles].any(axis=1)]] = False
    return Surface(weld, welded_triangles, edges, open_edges, pieces, closed)


def welded(points: Floats) -> Ints:
    """Give for each point (V, 3) the first of those that stand in its place."""
    reach = WELD * float(np.linalg.norm(np.ptp(points, axis=0)))
    if reach == 0:  # all in one place
        return np.zeros(len(points), np.int64)
    # Points nearer than half a cell share the cell of one of eight grids, each moved by half a cell or not.
    scaled = (points - points.min(axis=0)) / (2 * reach)
    result = np.arange(len(points))
    for shift in product((0.0, 0.5), repeat=3):
        cells = np.floor(scaled + shift).astype(np.int64)
        _, first, which = np.unique(cells, axis=0, return_index=True, return_inverse=True)
        result = connected(len(points), np.arange(len(points)), first[which.ravel()], result)
    return result


def connected(count: int, a: Ints, b: Ints, labels: Ints | None = None) -> Ints:
    """Give for each of `count` things the lowest that it is connected with, by pairs (a[i], b[i])."""
    labels = np.arange(count) if labels is None else labels.copy()
    while True:
        at_a, at_b = labels[a], labels[b]
        apart = at_a != at_b
        if not apart.any():
            return labels
        low, high = np.minimum(at_a, at_b)[apart], np.maximum(at_a, at_b)[apart]
        np.minimum.at(labels, high, low)
        while (labels[labels] != labels).any():
            labels = labels[labels]
