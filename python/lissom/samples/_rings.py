# SPDX-License-Identifier: MIT
"""Small closed surfaces made of rings of points."""

from __future__ import annotations

import numpy as np

from lissom.samples._shell import Color, Floats, Ints, Shell


def closed_tube(name: str, color: Color, ring: Floats) -> Shell:
    """Skin rings (N, S, 3), counter-clockwise seen against their order, and close both ends."""
    count, sides = ring.shape[:2]
    positions = np.concatenate([ring.reshape(-1, 3), ring[[0, -1]].mean(axis=1)])
    i, k = np.meshgrid(np.arange(count - 1), np.arange(sides), indexing="ij")
    a = (i * sides + k).ravel()
    b = (i * sides + (k + 1) % sides).ravel()
    side = np.concatenate(
        [np.stack([a, b, b + sides], axis=-1), np.stack([a, b + sides, a + sides], axis=-1)]
    )
    j = np.arange(sides)
    after = (j + 1) % sides
    start = np.stack([np.full(sides, count * sides), after, j], axis=-1)
    last = (count - 1) * sides
    end = np.stack([np.full(sides, count * sides + 1), last + j, last + after], axis=-1)
    triangles = np.concatenate([side, start, end])
    corner = positions[triangles]
    volume = np.einsum("ij,ij->", corner[:, 0], np.cross(corner[:, 1], corner[:, 2]))
    if volume < 0.0:
        triangles = triangles[:, ::-1]
    return Shell(name, color, positions, _area_normals(positions, triangles), triangles)


def _area_normals(positions: Floats, triangles: Ints) -> Floats:
    corner = positions[triangles]
    area = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    normals = np.zeros_like(positions)
    for k in range(3):
        np.add.at(normals, triangles[:, k], area)
    length = np.linalg.norm(normals, axis=-1, keepdims=True)
    return np.asarray(normals / np.maximum(length, 1e-12))
