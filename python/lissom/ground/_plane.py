# SPDX-License-Identifier: MIT
"""A ground without an end."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.numbers import check_number
from lissom.ground._rays import Floats, unit, vector
from lissom.ground._surface import Surface, faced

__all__ = ["Plane"]


class Plane(Surface):
    """A plane through a point.

    It has two sides: a ray from below hits it, too. A ray within the plane hits nothing.

    Parameters
    ----------
    point : array_like, shape (3,)
        Any point of it, in model or world space.
    normal : array_like, shape (3,)
        Which way is up, of any length but zero; kept at unit length.

    Raises
    ------
    TypeError
        If an argument is no real numbers.
    ValueError
        If a shape is not (3,), a number is not finite, or the normal is zero.

    Examples
    --------
    >>> slope = lissom.ground.Plane(normal=(0, 1, 1))
    >>> distances, normals = slope([[0, 2, 1]], [[0, -1, 0]])
    >>> distances
    array([3.])
    >>> normals.round(4)
    array([[0.    , 0.7071, 0.7071]])
    """

    __slots__ = ("_normal", "_point")

    def __init__(self, point: ArrayLike = (0.0, 0.0, 0.0), normal: ArrayLike = (0.0, 1.0, 0.0)) -> None:
        self._point = vector("Plane: point", point)
        way = vector("Plane: normal", normal)
        if not way.any():
            raise ValueError("Plane: normal must not be zero, got zero")
        self._normal: Floats = unit("Plane: normal", way[None])[0] + 0.0
        self._normal.flags.writeable = False

    @property
    def point(self) -> Floats:
        """A point of it, shape (3,), read-only."""
        return self._point

    @property
    def normal(self) -> Floats:
        """Unit normal, shape (3,), read-only."""
        return self._normal

    def triangles(self, half_width: float = 10.0) -> tuple[Floats, NDArray[np.uint32]]:
        """Give a square around the point, to draw.

        Parameters
        ----------
        half_width : float
            From the point to the middle of a side, above zero.

        Returns
        -------
        positions : ndarray of float64, shape (4, 3)
        triangles : ndarray of uint32, shape (2, 3)
            Counter-clockwise seen from where the normal points.

        Examples
        --------
        >>> positions, triangles = lissom.ground.Plane().triangles(half_width=2)
        >>> positions.min(axis=0), positions.max(axis=0)
        (array([-2.,  0., -2.]), array([2., 0., 2.]))
        """
        half = check_number(half_width, "Plane.triangles: half_width", above_zero=True)
        normal = self._normal
        # The sides run along x and z where the plane is level: z is taken off the normal, unless that is z.
        ahead = np.array([0.0, 0.0, 1.0]) if abs(normal[2]) < 0.9 else np.array([0.0, 1.0, 0.0])
        ahead -= (ahead @ normal) * normal
        ahead /= np.sqrt(ahead @ ahead)
        right = np.cross(normal, ahead)
        corners = np.array([[-1, -1], [-1, 1], [1, 1], [1, -1]]) * half
        positions = self._point + corners @ np.stack([right, ahead])
        return positions + 0.0, np.array([[0, 1, 2], [0, 2, 3]], np.uint32)

    def _cast(self, origins: Floats, directions: Floats) -> tuple[Floats, Floats]:
        towards = directions @ self._normal
        height = (self._point - origins) @ self._normal
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # rays within: inf or NaN
            distances = height / towards
        hit = (towards != 0) & (distances >= 0) & np.isfinite(distances)
        normals = np.broadcast_to(self._normal, origins.shape)
        return faced(distances, normals, directions, hit)

    def __repr__(self) -> str:
        return f"Plane(point={_listed(self._point)}, normal={_listed(self._normal)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _plane, (self._point, self._normal)


def _listed(values: Floats) -> str:
    return f"({', '.join(f'{value:.6g}' for value in values.tolist())})"


def _plane(point: Floats, normal: Floats) -> Plane:
    """Make a plane anew, to the last bit: the normal is unit already."""
    plane = Plane(point)
    plane._normal = normal.copy()
    plane._normal.flags.writeable = False
    return plane
