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
    """

    words: str
    rows: tuple[tuple[int, int, int], ...]

    def vectors(self, vectors: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return points or vectors (..., 3) of lissom's axes in the engine's: exact, axes are permuted."""
        columns = [abs(np.array(row)).argmax() for row in self.rows]
        signs = np.array([sum(row) for row in self.rows], vectors.dtype)
        return np.ascontiguousarray(vectors[..., columns] * signs)

    def vectors_from(self, vectors: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return points or vectors of the engine in lissom's axes."""
        return Axes(self.words, tuple(map(tuple, np.array(self.rows).T.tolist()))).vectors(vectors)


GLTF = Axes("right-handed, y up, metres", ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
"""Axes of glTF, three.js and Godot."""

BLENDER = Axes("right-handed, z up, metres", ((1, 0, 0), (0, 0, -1), (0, 1, 0)))

UNITY = Axes("left-handed, y up, metres", ((-1, 0, 0), (0, 1, 0), (0, 0, 1)))
"""Axes of Unity: what looks along z in lissom does so there, and its right is at positive x."""

UNREAL = Axes("left-handed, z up, centimetres", ((1, 0, 0), (0, 0, 1), (0, 1, 0)))
"""Axes of Unreal, without its unit: what looks along z in lissom looks along y there, as mannequins do."""
