# SPDX-License-Identifier: MIT
"""A mesh as engines draw it: a surface for each look, and the influences of vertices, the heaviest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom._rig.mesh import Mesh
from lissom._rig.part import Part, checked_parts

__all__ = ["Influences", "Surface", "influences_of", "surfaces_of"]

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles of one look.

    Attributes
    ----------
    look : Part
        The first part that looks so.
    vertices : ndarray of int64, shape (N,)
        Vertices of the mesh, in its order.
    triangles : ndarray of int64, shape (F, 3)
        Corners, as numbers of `vertices`.
    """

    look: Part
    vertices: NDArray[np.int64]
    triangles: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Influences:
    """Influences of all vertices, (V, 4) or (V, 8), the heaviest first, and the most that one has."""

    rows: Floats
    weights: Floats
    most: int


def surfaces_of(mesh: Mesh) -> list[Surface]:
    """Return the surfaces. Vertices of no triangle are the first one's: all are somewhere."""
    parts = mesh.parts or checked_parts(None, mesh.vertex_count, mesh.triangle_count)
    groups: dict[tuple[Any, ...], tuple[Part, list[NDArray[Any]]]] = {}
    for part in parts:
        if part.triangles.stop > part.triangles.start:
            _, runs = groups.setdefault(_look(part), (part, []))
            runs.append(mesh.triangles[part.triangles])
    if not groups:
        groups = {(): (parts[0], [mesh.triangles[:0]])}
    joined = [(part, np.concatenate(runs)) for part, runs in groups.values()]
    unused = np.ones(mesh.vertex_count, bool)
    for _, triangles in joined:
        unused[triangles] = False
    found: list[Surface] = []
    for part, triangles in joined:
        used = np.zeros(mesh.vertex_count, bool)
        used[triangles] = True
        vertices = np.flatnonzero(used if found else used | unused)
        numbers = np.zeros(mesh.vertex_count, np.int64)
        numbers[vertices] = np.arange(len(vertices))
        found.append(Surface(part, vertices, numbers[triangles]))
    return found


def _look(part: Part) -> tuple[Any, ...]:
    return (
        part.base_color,
        None if part.texture is None else part.texture.data,
        part.unlit,
        part.emissive,
        None if part.emissive_texture is None else part.emissive_texture.data,
        part.alpha_mode,
        part.alpha_cutoff,
        part.double_sided,
    )


def influences_of(mesh: Mesh) -> Influences:
    """Return influences sorted by weight, among equal ones by row; row 0 where there is none."""
    stored: NDArray[Any] = mesh.weights
    weights = stored / (np.iinfo(stored.dtype).max if stored.dtype.kind == "u" else np.float64(1))
    rows = np.where(weights > 0, mesh.indices.astype(np.int64), 0)
    order = np.lexsort((rows, -weights), axis=-1)
    rows, weights = (np.take_along_axis(one, order, axis=1) for one in (rows, weights))
    most = max(1, int((weights > 0).sum(axis=1).max(initial=1)))
    width = 4 * -(-most // 4)
    padded = np.zeros((2, mesh.vertex_count, width), np.float32)
    padded[0, :, : min(most, width)] = rows[:, :most]
    padded[1, :, : min(most, width)] = weights[:, :most]
    return Influences(padded[0], padded[1], most)
