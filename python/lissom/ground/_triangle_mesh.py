# SPDX-License-Identifier: MIT
"""A ground of triangles, and what its rays hit."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import _core
from lissom._base.arrays import as_floats, as_numbers, quads_advice, read_only, refuse_masked
from lissom.ground._rays import Floats, broadcast, shaped
from lissom.ground._surface import Surface

__all__ = ["Hits", "TriangleMesh"]


class Hits(NamedTuple):
    """The hits of rays on a mesh.

    Attributes
    ----------
    distances : ndarray of float64, shape (...)
        Distance from the origin of each ray, at least 0; inf where nothing is hit.
    normals : ndarray of float64, shape (..., 3)
        Unit normals of the triangles, facing the start of the ray; zero where nothing is hit.
    triangles : ndarray of int64, shape (...)
        Index of the triangle hit; -1 where nothing is hit.
    weights : ndarray of float64, shape (..., 3)
        Barycentric weights of its three corners, not negative, with the sum 1: ``weights @ corners`` is the
        point hit. Zero where nothing is hit.

    Examples
    --------
    >>> stair = lissom.samples.stair()
    >>> hits = stair.cast([[0.0, 2.0, 3.0], [5.0, 2.0, 3.0]], [0.0, -1.0, 0.0])
    >>> hits.distances.round(3)  # on the landing, 0.45 m up, and beside the stair
    array([1.55,  inf])
    >>> hits.normals[0], int(hits.triangles[1])
    (array([0., 1., 0.]), -1)
    """

    distances: Floats
    normals: Floats
    triangles: NDArray[np.int64]
    weights: Floats


class TriangleMesh(Surface):
    """Triangles of any mesh: open, folded, with flipped or doubled faces.

    The constructor builds a bounding volume hierarchy, so that a cast takes a time that grows with the
    logarithm of the number of triangles. Rays are cast in float64, on as many threads as
    `lissom.thread_count` allows; any thread may cast them. No ray slips through between triangles that share
    an edge or a vertex [1]_. Both sides of a triangle are hit. Triangles whose area is zero within rounding
    are not; `degenerate_count` counts them.

    Parameters
    ----------
    positions : array_like, shape (V, 3)
        In model or world space. Arrays of float64 stay float64, anything else becomes float32.
    triangles : array_like of int, shape (F, 3)
        Vertex indices, counter-clockwise seen from the front.

    Raises
    ------
    TypeError
        If positions are not real numbers, or indices not integers.
    ValueError
        If a shape is wrong, a position is not finite or larger than 1e75, or an index is out of range.

    Notes
    -----
    Of triangles at the same distance, the one with the lowest index is hit. A ray within the plane of a
    triangle does not hit that triangle. Whether a ray that starts on a triangle hits it, at a distance of 0,
    depends on rounding: start a little off the surface. A ray that starts farther away than 1e15 times the
    size of the mesh hits nothing. The normal is that of the flat triangle, not of smooth shading.

    References
    ----------
    .. [1] Woop, Benthin and Wald, Watertight Ray/Triangle Intersection, JCGT 2(1), 2013.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> mesh = lissom.ground.TriangleMesh(hero.mesh.positions, hero.mesh.triangles)
    >>> distances, normals = mesh([[0, 10, 0], [5, 10, 0]], (0, -1, 0))
    >>> bool(8 < distances[0] < 9), float(distances[1])
    (True, inf)
    """

    __slots__ = ("_bvh", "_positions", "_triangles")

    def __init__(self, positions: ArrayLike, triangles: ArrayLike) -> None:
        points = as_floats(positions, "TriangleMesh: positions")
        if points.size == 0 and points.ndim == 1:
            points = points.reshape(0, 3)  # [] stands for no rows
        if points.ndim != 2 or points.shape[1] != 3:
            raise ValueError(f"TriangleMesh: positions must have shape (V, 3), got {points.shape}")
        corners = _indices(triangles, len(points))
        # Copies: the mesh that is drawn must stay the one in the hierarchy, whatever the caller writes later.
        self._positions = read_only(points.copy())
        self._triangles = read_only(corners)
        self._bvh = _core.TriangleBvh(points, corners)

    @property
    def positions(self) -> NDArray[Any]:
        """Positions of the vertices, shape (V, 3), float32 or float64, read-only."""
        return self._positions

    @property
    def triangle_count(self) -> int:
        """Number of triangles, F."""
        return int(self._bvh.triangle_count)

    @property
    def degenerate_count(self) -> int:
        """Number of triangles whose area is zero within rounding; they are never hit."""
        return int(self._bvh.degenerate_count)

    def triangles(self) -> tuple[NDArray[Any], NDArray[np.uint32]]:
        """Return the positions and triangles of the mesh, for drawing.

        Returns
        -------
        positions : ndarray of float32 or float64, shape (V, 3)
        triangles : ndarray of uint32, shape (F, 3)
            Both read-only.

        Examples
        --------
        >>> positions, triangles = lissom.samples.slope().triangles()
        >>> positions[triangles].shape[1:]  # the three corners of each triangle
        (3, 3)
        """
        return self._positions, self._triangles

    def cast(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        *,
        max_distance: float = np.inf,
        sides: Literal["both", "front"] = "both",
    ) -> Hits:
        """Cast rays, and return which triangles they hit, and where.

        Parameters
        ----------
        origins : array_like, shape (..., 3)
            Start of each ray, in the space of the mesh.
        directions : array_like, shape (..., 3)
            Direction of each ray, of any length except zero. The leading axes of both broadcast.
        max_distance : float
            Nothing farther away than this is hit, in units of the positions; at least 0.
        sides : {"both", "front"}
            "front" ignores triangles whose corners go clockwise, seen from the origin.

        Returns
        -------
        Hits

        Raises
        ------
        TypeError
            If rays are not real numbers.
        ValueError
            If shapes do not fit, a number is not finite, a direction is zero, `max_distance` is below zero,
            or `sides` is unknown.

        Examples
        --------
        >>> mesh = lissom.ground.TriangleMesh([[0, 0, 0], [0, 0, 4], [4, 0, 0]], [[0, 1, 2]])
        >>> hits = mesh.cast([1, 5, 2], (0, -1, 0))
        >>> float(hits.distances), int(hits.triangles), hits.weights
        (5.0, 0, array([0.25, 0.5 , 0.25]))
        >>> float(mesh.cast([1, -5, 2], (0, 1, 0), sides="front").distances)
        inf
        """
        if sides not in ("both", "front"):
            raise ValueError(f"TriangleMesh.cast: sides must be 'both' or 'front', got {sides!r}")
        farthest = as_numbers(max_distance, "TriangleMesh.cast: max_distance")
        if farthest.ndim != 0:
            raise ValueError(
                f"TriangleMesh.cast: max_distance must be one number, got shape {farthest.shape}"
            )
        what = "TriangleMesh.cast"
        flat_origins, flat_directions, shape = _rays(what, origins, directions)
        count = len(flat_origins)
        hits = Hits(np.empty(count), np.empty((count, 3)), np.empty(count, np.int64), np.empty((count, 3)))
        self._bvh.cast(what, flat_origins, flat_directions, float(farthest), sides == "front", *hits)
        distances, normals = shaped(hits.distances, hits.normals, shape)
        return Hits(distances, normals, hits.triangles.reshape(shape), hits.weights.reshape(*shape, 3))

    def _checked(self, what: str, origins: ArrayLike, directions: ArrayLike) -> tuple[Floats, Floats]:
        flat_origins, flat_directions, shape = _rays(what, origins, directions)
        return shaped(*self._cast(flat_origins, flat_directions, what), shape)

    def _cast(self, origins: Floats, directions: Floats, what: str = "TriangleMesh") -> tuple[Floats, Floats]:
        distances, normals = np.empty(len(origins)), np.empty((len(origins), 3))
        self._bvh.cast(what, origins, directions, np.inf, False, distances, normals)
        return distances, normals

    def __repr__(self) -> str:
        degenerate = f", {self.degenerate_count} without area" if self.degenerate_count else ""
        return (
            f"TriangleMesh({len(self._positions)} vertices, {self.triangle_count} triangles{degenerate}, "
            f"{self._positions.dtype})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return TriangleMesh, (self._positions, self._triangles)


def _rays(what: str, origins: ArrayLike, directions: ArrayLike) -> tuple[Floats, Floats, tuple[int, ...]]:
    """Return origins (N, 3) and directions (N, 3) as the core takes them; it checks their values."""
    origins, directions = broadcast(what, origins, directions)
    flat_origins, flat_directions = (
        np.require(array.reshape(-1, 3), np.float64, ["C", "A"]) for array in (origins, directions)
    )
    return flat_origins, flat_directions, origins.shape[:-1]


def _indices(values: ArrayLike, vertex_count: int) -> NDArray[np.uint32]:
    refuse_masked(values, "TriangleMesh: triangles")
    array = np.asarray(values)
    if array.size == 0 and array.ndim == 1:
        array = array.astype(np.uint32).reshape(0, 3)
    if array.dtype.kind not in "iu":
        raise TypeError(f"TriangleMesh: triangles must be an array of integers, got {array.dtype}")
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(
            f"TriangleMesh: triangles must have shape (F, 3), got {array.shape}{quads_advice(array.shape)}"
        )
    if array.size and (array.min() < 0 or array.max() >= vertex_count):
        row = int(np.argwhere((array < 0) | (array >= vertex_count))[0, 0])
        raise ValueError(
            f"TriangleMesh: triangles must be in [0, {vertex_count}), the number of vertices, "
            f"got {array[row].tolist()} in row {row}"
        )
    return np.array(array, np.uint32, order="C")
