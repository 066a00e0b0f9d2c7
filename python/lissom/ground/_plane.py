# SPDX-License-Identifier: MIT
"""An infinite plane as ground."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.numbers import check_number
from lissom.ground._rays import Floats, unit, vector
from lissom.ground._surface import Surface, hits_towards

__all__ = ["Plane"]


class Plane(Surface):
    """An infinite plane through a point.

    It has two sides: a ray from below hits it, too. A ray within the plane hits nothing.

    Parameters
    ----------
    point : array_like, shape (3,)
        Any point of the plane, in model or world space.
    normal : array_like, shape (3,)
        Upward direction, of any length except zero; stored at unit length.

    Raises
    ------
    TypeError
        If an argument does not hold real numbers.
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
        direction = vector("Plane: normal", normal)
        if not direction.any():
            raise ValueError("Plane: normal must not be zero, got zero")
        self._normal: Floats = unit("Plane: normal", direction[None])[0] + 0.0
        self._normal.flags.writeable = False

    @property
    def point(self) -> Floats:
        """A point of the plane, shape (3,), read-only."""
        return self._point

    @property
    def normal(self) -> Floats:
        """Unit normal, shape (3,), read-only."""
        return self._normal

    def triangles(self, half_width: float = 10.0) -> tuple[Floats, NDArray[np.uint32]]:
        """Return a square around the point, for drawing.

        Parameters
        ----------
        half_width : float
            Distance from the point to the middle of a side, above zero.

        Returns
        -------
        positions : ndarray of float64, shape (4, 3)
        triangles : ndarray of uint32, shape (2, 3)
            Counter-clockwise seen from the side that the normal points to.

        Examples
        --------
        >>> positions, triangles = lissom.ground.Plane().triangles(half_width=2)
        >>> positions.min(axis=0), positions.max(axis=0)
        (array([-2.,  0., -2.]), array([2., 0., 2.]))
        """
        half = check_number(half_width, "Plane.triangles: half_width", above_zero=True)
        normal = self._normal
        # z projected onto the plane, so that the sides of a horizontal one are parallel to x and z; y where
        # the normal is close to z.
        forward = np.array([0.0, 0.0, 1.0]) if abs(normal[2]) < 0.9 else np.array([0.0, 1.0, 0.0])
        forward -= (forward @ normal) * normal
        forward /= np.sqrt(forward @ forward)
        right = np.cross(normal, forward)
        corners = np.array([[-1, -1], [-1, 1], [1, 1], [1, -1]]) * half
        positions = self._point + corners @ np.stack([right, forward])
        return positions + 0.0, np.array([[0, 1, 2], [0, 2, 3]], np.uint32)

    def _cast(self, origins: Floats, directions: Floats) -> tuple[Floats, Floats]:
        cosines = directions @ self._normal
        heights = (self._point - origins) @ self._normal
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # within the plane: inf or NaN
            distances = heights / cosines
        hit = (cosines != 0) & (distances >= 0) & np.isfinite(distances)
        normals = np.broadcast_to(self._normal, origins.shape)
        return hits_towards(directions, distances, normals, hit)

    def __repr__(self) -> str:
        return f"Plane(point={_text(self._point)}, normal={_text(self._normal)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self._point, self._normal)


def _text(values: Floats) -> str:
    return f"({', '.join(f'{value:.6g}' for value in values.tolist())})"


def _unpickled(point: Floats, normal: Floats) -> Plane:
    """Return the pickled plane to the bit: normalising the normal again could change it."""
    plane = Plane(point)
    plane._normal = normal.copy()
    plane._normal.flags.writeable = False
    return plane
