# SPDX-License-Identifier: MIT
"""The axes and units of engines, as seen from lissom's: right-handed, y up, metres."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["BLENDER", "GLTF", "UNITY", "UNREAL", "Axes"]


@dataclass(frozen=True)
class Axes:
    """Coordinates of an engine.

    Attributes
    ----------
    words : str
        How people say it.
    rows : tuple of tuples
        Axes x, y, z of the engine in lissom's coordinates: a signed permutation.
    per_metre : float
        The engine's units in one metre.
    """

    words: str
    rows: tuple[tuple[int, int, int], ...]
    per_metre: float = 1.0

    @property
    def is_mirror(self) -> bool:
        """Whether handedness changes, so that triangles wind the other way."""
        return bool(np.linalg.det(np.array(self.rows)) < 0)

    def points(self, points: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return points of lissom's axes, (..., 3), in the engine's axes and units."""
        return self.directions(points) * points.dtype.type(self.per_metre)

    def directions(self, vectors: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return vectors of lissom's axes, (..., 3), in the engine's axes: exact, a signed permutation."""
        columns = [abs(np.array(row)).argmax() for row in self.rows]
        signs = np.array([sum(row) for row in self.rows], vectors.dtype)
        return np.ascontiguousarray(vectors[..., columns] * signs)

    def points_from(self, points: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return points of the engine in lissom's axes and metres."""
        return self.directions_from(points) / points.dtype.type(self.per_metre)

    def directions_from(self, vectors: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return vectors of the engine in lissom's axes."""
        return Axes(self.words, tuple(map(tuple, np.array(self.rows).T.tolist()))).directions(vectors)

    def triangles(self, triangles: NDArray[np.integer]) -> NDArray[np.integer]:
        """Return triangles (N, 3) that show their front in the engine, too."""
        return np.ascontiguousarray(triangles[:, [0, 2, 1]]) if self.is_mirror else triangles


GLTF = Axes("right-handed, y up, metres", ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
"""Axes of glTF, three.js and Godot."""

BLENDER = Axes("right-handed, z up, metres", ((1, 0, 0), (0, 0, -1), (0, 1, 0)))

UNITY = Axes("left-handed, y up, metres", ((-1, 0, 0), (0, 1, 0), (0, 0, 1)))

UNREAL = Axes("left-handed, z up, centimetres", ((1, 0, 0), (0, 0, 1), (0, 1, 0)), 100.0)
