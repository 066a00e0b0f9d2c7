# SPDX-License-Identifier: MIT
"""What is drawn of a ground mesh: its faces, walls below its borders, and lines at its sharp edges."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import as_numbers, quads_advice
from lissom._rig.weld import WELD, weld_bound
from lissom.ground._surface import Surface

__all__ = ["GroundLike", "TerrainMesh", "checked_surface", "terrain_mesh"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
# A plane (True) or no ground (False); a ground with triangles; positions and triangles.
GroundLike: TypeAlias = "bool | Surface | tuple[ArrayLike, ArrayLike]"

CREASE = np.radians(25.0)  # a line is drawn, and normals differ, where faces meet at a larger angle
SHARP = np.radians(70.0)  # from this angle on, lines are drawn with full strength


class TerrainMesh(NamedTuple):
    """Ground to draw, in world space.

    Attributes
    ----------
    corners : ndarray, shape (F, 3, 6)
        Position and unit normal of each corner of each face, walls included.
    edges : ndarray, shape (E, 2, 4)
        Position of both ends of each sharp edge, and how strong its line is, 0 to 1.
    low, high : ndarray, shape (3,)
        Corners of the box around the ground.
    """

    corners: Floats
    edges: Floats
    low: Floats
    high: Floats


def checked_surface(caller: str, ground: Any) -> tuple[Floats, Ints]:
    """Return the positions (V, 3) and triangles (F, 3) of a ground of `lissom.ground`, or of two arrays.

    Raises
    ------
    TypeError
        If `ground` is neither, or its triangles are not integers.
    ValueError
        If a shape does not fit, there is no triangle, a position is not finite or an index out of range.
    """
    surface = ground.triangles() if isinstance(ground, Surface) else ground
    if not isinstance(surface, (tuple, list)) or len(surface) != 2:
        raise TypeError(
            f"{caller}: ground must be True, False, a ground of lissom.ground, or (positions, triangles), "
            f"got {type(ground).__name__}"
        )
    points = as_numbers(surface[0], f"{caller}: ground: positions").astype(np.float64)
    faces = as_numbers(surface[1], f"{caller}: ground: triangles")
    if points.ndim != 2 or points.shape[1] != 3 or faces.ndim != 2 or faces.shape[1] != 3:
        raise ValueError(
            f"{caller}: ground must hold positions (V, 3) and triangles (F, 3), got {points.shape} "
            f"and {faces.shape}{quads_advice(faces.shape)}"
        )
    if faces.dtype.kind not in "iu":
        raise TypeError(f"{caller}: ground: triangles must be integers, got {faces.dtype}")
    if not len(faces):
        raise ValueError(f"{caller}: ground must have at least one triangle, got none")
    if not np.isfinite(points).all():
        broken = points[~np.isfinite(points)][0]
        raise ValueError(f"{caller}: ground: positions must be finite, got {broken}")
    if faces.min() < 0 or faces.max() >= len(points):
        wrong = faces.min() if faces.min() < 0 else faces.max()
        raise ValueError(f"{caller}: ground: triangles must be indices in [0, {len(points)}), got {wrong}")
    return points, faces.astype(np.int64)


def terrain_mesh(positions: Floats, triangles: Ints, floor: float) -> TerrainMesh:
    """Build the faces, walls and lines of a surface.

    Parameters
    ----------
    positions : ndarray, shape (V, 3)
        World space.
    triangles : ndarray, shape (F, 3)
        Of either winding; both sides are drawn.
    floor : float
        World y of the lower end of the walls below the surface's borders.
    """
    used, number = np.unique(triangles, return_inverse=True)
    points = positions[used]
    low, high = points.min(axis=0), points.max(axis=0)
    first, welded = weld_bound(points)
    places, faces = points[first], welded[number].reshape(-1, 3)
    normals, areas = _face_normals(places[faces])
    faces, normals, areas = faces[areas > 0], normals[areas > 0], areas[areas > 0]
    corners = np.concatenate([places[faces], _corner_normals(faces, normals, areas)], axis=2)

    # Each edge once per face, the lower vertex index first.
    sides = np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    owners = np.repeat(np.arange(len(faces)), 3)
    order = np.lexsort(sides.T)
    sides, owners = sides[order], owners[order]
    starts = np.flatnonzero(np.any(np.diff(sides, axis=0, prepend=-1) != 0, axis=1))
    counts = np.diff(starts, append=len(sides))
    ends = places[sides[starts]]

    cosines = np.einsum(
        "ij,ij->i", normals[owners[starts]], normals[owners[starts + np.minimum(counts, 2) - 1]]
    )
    angles = np.arccos(np.clip(np.abs(cosines), -1, 1))  # whatever the winding
    border = counts == 1
    angles[counts > 2] = SHARP
    raised = border & (ends[..., 1].max(axis=1) > floor + WELD * float(np.linalg.norm(high - low)))
    angles[raised] = SHARP  # it meets an upright wall
    creased = angles > CREASE
    sharpness = np.clip(angles[creased] / SHARP, 0, 1)
    edges = np.concatenate([ends[creased], np.tile(sharpness[:, None, None], (1, 2, 1))], axis=2)
    return TerrainMesh(np.concatenate([corners, _walls(ends[raised], floor)]), edges, low, high)


def _face_normals(corners: Floats) -> tuple[Floats, Floats]:
    """Return unit normals (F, 3), of the side that faces up, and twice the areas (F,); 0 if degenerate."""
    crosses = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(crosses, axis=1)
    normals = np.divide(crosses, areas[:, None], out=np.zeros_like(crosses), where=areas[:, None] > 0)
    return np.where(normals[:, 1:2] < 0, -normals, normals), areas


def _corner_normals(faces: Ints, normals: Floats, areas: Floats) -> Floats:
    """Return corner normals (F, 3, 3): area-weighted means over faces that meet at less than `CREASE`."""
    vertices = faces.reshape(-1)
    order = np.argsort(vertices, kind="stable")
    starts = np.searchsorted(vertices[order], np.arange(vertices.max() + 2))
    degrees = np.diff(starts)[vertices]
    # Pairs of a corner and a face around its vertex.
    corners = np.repeat(np.arange(len(vertices)), degrees)
    rank = np.arange(len(corners)) - np.repeat(np.cumsum(degrees) - degrees, degrees)
    others = order[np.repeat(starts[vertices], degrees) + rank] // 3
    meets = np.einsum("ij,ij->i", normals[corners // 3], normals[others]) >= np.cos(CREASE)
    weights = np.where(meets, areas[others], 0.0)
    sums = np.stack(
        [np.bincount(corners, weights * normals[others, axis], len(vertices)) for axis in range(3)], axis=1
    )
    return np.asarray((sums / np.linalg.norm(sums, axis=1, keepdims=True)).reshape(-1, 3, 3))


def _walls(ends: Floats, floor: float) -> Floats:
    """Return upright faces (2E, 3, 6), position and normal, from edges (E, 2, 3) down to the floor."""
    below = ends.copy()
    below[..., 1] = floor
    edges = ends[:, 1] - ends[:, 0]
    sideways = np.stack([edges[:, 2], np.zeros(len(edges)), -edges[:, 0]], axis=1)
    length = np.linalg.norm(sideways, axis=1, keepdims=True)
    normals = np.divide(sideways, length, out=np.tile([1.0, 0.0, 0.0], (len(edges), 1)), where=length > 0)
    upper = np.stack([ends[:, 0], ends[:, 1], below[:, 1]], axis=1)
    lower = np.stack([ends[:, 0], below[:, 1], below[:, 0]], axis=1)
    positions = np.concatenate([upper, lower])
    return np.concatenate([positions, np.tile(normals[:, None], (2, 3, 1))], axis=2)
