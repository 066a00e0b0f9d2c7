# SPDX-License-Identifier: MIT
"""What the grounds of this package have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.ground._rays import Floats, rays, shaped


class Surface(ABC):
    """A ground of this package: its answers need no check."""

    __slots__ = ()

    def __call__(self, origins: ArrayLike, directions: ArrayLike, /) -> tuple[Floats, Floats]:
        """Cast rays.

        Parameters
        ----------
        origins : array_like, shape (..., 3)
            Where the rays start, in the space of the ground.
        directions : array_like, shape (..., 3)
            Where they go, of any length but zero. The leading axes of both broadcast.

        Returns
        -------
        distances : ndarray of float64, shape (...)
            To the first thing hit, at least 0, in the units of the origins, whatever the length of the
            direction; inf where there is nothing.
        normals : ndarray of float64, shape (..., 3)
            Unit, on the side that the ray comes from; zero where there is nothing.

        Raises
        ------
        TypeError
            If rays are no real numbers.
        ValueError
            If shapes do not fit, a number is not finite, or a direction is zero.
        """
        return self._checked(type(self).__name__, origins, directions)

    @abstractmethod
    def triangles(self) -> tuple[Floats, NDArray[np.uint32]]:
        """Give positions (V, 3) and triangles (F, 3) to draw."""

    def _checked(self, what: str, origins: ArrayLike, directions: ArrayLike) -> tuple[Floats, Floats]:
        flat, ways, shape = rays(what, origins, directions)
        return shaped(*self._cast(flat, ways), shape)

    @abstractmethod
    def _cast(self, origins: Floats, directions: Floats) -> tuple[Floats, Floats]:
        """Cast finite origins (N, 3) along unit directions (N, 3)."""


def faced(
    distances: Floats, normals: Floats, directions: Floats, hit: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Turn normals against the rays, and take away what was not hit."""
    away = np.einsum("ij,ij->i", normals, directions) > 0
    normals = np.where(away[:, None], -normals, normals)
    # Adding zero makes -0.0 a plain 0.0, which reads better.
    return np.where(hit, distances, np.inf) + 0.0, np.where(hit[:, None], normals, 0.0) + 0.0
