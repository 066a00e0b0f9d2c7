# SPDX-License-Identifier: MIT
"""A mesh as Godot's ArrayMesh has it: a surface for each look, influences as custom numbers of vertices.

Godot's own weights of influences have 16 bits, and its importer sorts vertices anew; custom numbers of
float32 in a resource stay as they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom._export.surfaces import Influences, Surface
from lissom._formats.godot_resource import Numbers
from lissom._rig.mesh import Mesh

__all__ = ["encoded", "read_surface"]

Floats = NDArray[np.float32]

TRIANGLES = 3  # Mesh.PRIMITIVE_TRIANGLES
POSITION, NORMAL, COLOR, UV, CUSTOM, INDEX = 1, 2, 8, 16, 64, 4096  # Mesh.ARRAY_FORMAT_*
VERSION_2 = 1 << 35  # ARRAY_FLAG_FORMAT_VERSION_2: positions first, then normals
CUSTOM_BASE, CUSTOM_BITS, RGBA_FLOAT = 13, 3, 7
MOST_OF_WORDS = 1 << 16
"""Vertices that indices of 16 bits count."""


def encoded(mesh: Mesh, positions: Floats, influences: Influences, surface: Surface) -> dict[str, Any]:
    """Return the dictionary of a surface, of which the material is added by the caller."""
    own = surface.vertices
    normals = mesh.computed_normals() if mesh.normals is None else mesh.normals
    count = len(own)
    flags = POSITION | NORMAL | INDEX | VERSION_2
    columns: list[NDArray[Any]] = []
    if mesh.colors is not None:
        flags |= COLOR
        colors = np.rint(255.0 * np.clip(mesh.colors[own], 0.0, 1.0)).astype(np.uint8)
        columns.append(colors)
    if mesh.uvs is not None:
        flags |= UV
        columns.append(_bytes(mesh.uvs[own]))
    for number in range(influences.rows.shape[1] // 4):
        four = slice(4 * number, 4 * number + 4)
        for place, values in ((2 * number, influences.rows), (2 * number + 1, influences.weights)):
            flags |= CUSTOM << place | RGBA_FLOAT << (CUSTOM_BASE + CUSTOM_BITS * place)
            columns.append(_bytes(values[own, four]))
    low, high = (
        (positions[own].min(axis=0), positions[own].max(axis=0)) if count else (np.zeros(3), np.zeros(3))
    )
    clockwise = surface.triangles[:, [0, 2, 1]]  # seen from outside, as Godot has them
    return {
        "format": flags,
        "primitive": TRIANGLES,
        "vertex_data": positions[own].astype("<f4").tobytes() + _octahedral(normals[own]).tobytes(),
        "vertex_count": count,
        "attribute_data": np.concatenate(columns, axis=1).tobytes(),
        "aabb": Numbers("AABB", (*low.tolist(), *(high - low).tolist())),
        "uv_scale": Numbers("Vector4", (0.0, 0.0, 0.0, 0.0)),
        "index_data": clockwise.astype("<u2" if count <= MOST_OF_WORDS else "<u4").tobytes(),
        "index_count": clockwise.size,
        "name": surface.look.name,
    }


def read_surface(told: dict[str, Any]) -> tuple[Floats, Floats, Floats, NDArray[np.int64]]:
    """Return positions (N, 3), rows and weights (N, 4) or (N, 8), and triangles (F, 3) of a surface.

    KeyError, TypeError or ValueError where it is none of `encoded`.
    """
    count = told["vertex_count"]
    positions = np.frombuffer(told["vertex_data"], "<f4", 3 * count).reshape(count, 3)
    flags = told["format"]
    start = (4 if flags & COLOR else 0) + (8 if flags & UV else 0)
    customs = 4 if flags & CUSTOM << 2 else 2
    plain = np.frombuffer(told["attribute_data"], np.uint8).reshape(count, start + 16 * customs)
    numbers = np.ascontiguousarray(plain[:, start:]).view("<f4").reshape(count, customs, 4)
    rows, weights = (numbers[:, first::2].reshape(count, -1) for first in (0, 1))
    indices = np.frombuffer(told["index_data"], "<u2" if count <= MOST_OF_WORDS else "<u4")
    triangles = indices.astype(np.int64).reshape(-1, 3)[:, [0, 2, 1]]
    return positions, rows, weights, triangles


def _bytes(values: NDArray[Any]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(values, "<f4").view(np.uint8).reshape(len(values), -1)


def _octahedral(normals: NDArray[Any]) -> NDArray[np.uint16]:
    """Return unit vectors as two numbers of 16 bits (Vector3.octahedron_encode)."""
    n = normals.astype(np.float64)
    n = n / np.maximum(np.abs(n).sum(axis=1, keepdims=True), 1e-30)
    x, y, z = n.T
    folded = (1.0 - np.abs(n[:, 1::-1])) * np.where(n[:, :2] >= 0, 1.0, -1.0)
    flat = np.where((z >= 0)[:, None], np.stack([x, y], axis=1), folded)
    return np.asarray(np.clip((0.5 + 0.5 * flat) * 65535.0, 0.0, 65535.0), "<u2")
