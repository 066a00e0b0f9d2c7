# SPDX-License-Identifier: MIT
"""The connectivity of a triangle mesh: welded seams, edges, connected pieces, and open edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lissom._rig.weld import connected, welded
from lissom.metrics import _input

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lissom.metrics._input import Floats, Ints

__all__ = ["Surface", "area_normals", "surface_of"]


@dataclass(frozen=True, eq=False)
class Surface:
    """The connectivity of a triangle mesh, found from its bind positions.

    Files cut a mesh where normals, texture coordinates or parts differ, and repeat vertices there. Vertices
    at the same position are welded here, so that such a seam is not a hole. A piece is closed where triangles
    traverse each edge equally often in both directions: only then is the volume that it encloses independent
    of the origin.

    Attributes
    ----------
    weld : ndarray of int64, shape (V,)
        For each vertex the first vertex at the same position.
    triangles : ndarray of int64, shape (F, 3)
        Triangles of the mesh by welded vertices.
    edges : ndarray of int64, shape (E, 2)
        Pairs of welded vertices that triangles connect, each once.
    open_edges : ndarray of int64, shape (O, 2)
        Edges traversed more often in one direction than in the other: a border, or neighbours of opposite
        winding.
    pieces : ndarray of int64, shape (F,)
        Connected piece of each triangle, numbered from 0 by their first triangles.
    closed : ndarray of bool, shape (C,)
        Whether each piece is closed.

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
        """Find the connectivity of a mesh.

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
        """Whether all pieces are closed."""
        return bool(self.closed.all())

    def __repr__(self) -> str:
        return (
            f"Surface({len(self.triangles)} triangles, {len(self.edges)} edges, {self.piece_count} pieces, "
            f"{int(self.closed.sum())} of them closed, {len(self.open_edges)} open edges)"
        )


def surface_of(points: Floats, triangles: Ints, weld: Ints | None = None) -> Surface:
    """Return the connectivity of checked arrays; `weld` replaces welding by position alone."""
    weld = welded(points) if weld is None else weld
    welded_triangles = weld[triangles]
    directed = welded_triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    directed = directed[directed[:, 0] != directed[:, 1]]  # of triangles without area
    ordered = np.sort(directed, axis=1)
    # One number for each edge: sorting those is five times as fast as sorting pairs.
    keys, which = np.unique(ordered[:, 0] * len(points) + ordered[:, 1], return_inverse=True)
    edges = np.stack(np.divmod(keys, len(points)), axis=1)
    forwards = np.where(directed[:, 0] < directed[:, 1], 1, -1)
    balance = np.zeros(len(edges), np.int64)
    np.add.at(balance, which, forwards)
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


def area_normals(points: Floats, triangles: Ints) -> Floats:
    """Return the normals (..., F, 3) of triangles, each with twice the area as its length."""
    a, b, c = (points[..., triangles[:, i], :] for i in range(3))
    normals: Floats = np.cross(b - a, c - a)
    return normals
