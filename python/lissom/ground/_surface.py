# SPDX-License-Identifier: MIT
"""The base class of the grounds of this package."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.ground._rays import Floats, rays, shaped


class Surface(ABC):
    """A ground of this package: what it returns needs no check."""

    __slots__ = ()

    def __call__(self, origins: ArrayLike, directions: ArrayLike, /) -> tuple[Floats, Floats]:
        """Cast rays.

        Parameters
        ----------
        origins : array_like, shape (..., 3)
            Start of each ray, in the space of the ground.
        directions : array_like, shape (..., 3)
            Direction of each ray, of any length except zero. The leading axes of both broadcast.

        Returns
        -------
        distances : ndarray of float64, shape (...)
            Distance to the first hit, at least 0, in the units of the origins whatever the length of the
            direction; inf where nothing is hit.
        normals : ndarray of float64, shape (..., 3)
            Unit, facing the start of the ray; zero where nothing is hit.

        Raises
        ------
        TypeError
            If rays are not real numbers.
        ValueError
            If shapes do not fit, a number is not finite, or a direction is zero.
        """
        return self._checked(type(self).__name__, origins, directions)

    @abstractmethod
    def triangles(self) -> tuple[Floats, NDArray[np.uint32]]:
        """Return positions (V, 3) and triangles (F, 3), for drawing."""

    def _checked(self, what: str, origins: ArrayLike, directions: ArrayLike) -> tuple[Floats, Floats]:
        """Check rays, and cast them; `what` names the function in errors."""
        flat_origins, unit_directions, shape = rays(what, origins, directions)
        return shaped(*self._cast(flat_origins, unit_directions), shape)

    @abstractmethod
    def _cast(self, origins: Floats, directions: Floats) -> tuple[Floats, Floats]:
        """Cast rays from finite origins (N, 3) in unit directions (N, 3)."""


def hits_towards(
    directions: Floats, distances: Floats, normals: Floats, hit: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Flip normals to face the rays; return inf and a zero normal for rays that did not hit."""
    is_back = np.einsum("ij,ij->i", normals, directions) > 0
    normals = np.where(is_back[:, None], -normals, normals)
    # Adding zero makes 0.0 of -0.0, which reads better.
    return np.where(hit, distances, np.inf) + 0.0, np.where(hit[:, None], normals, 0.0) + 0.0
