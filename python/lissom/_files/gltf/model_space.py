# SPDX-License-Identifier: MIT
"""Transforming a part of a mesh to model space: positions, normals, tangents and winding of triangles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lissom._files.gltf.materials import PartMaterial
from lissom._files.gltf.primitives import Geometry

Float: TypeAlias = NDArray[np.float64]

# Vectors that are transformed at a time: their columns in float64 stay in the cache.
_BLOCK = 1 << 13


def into_model_space(
    geometry: Geometry, material: PartMaterial, model_from_source: Float, is_moved: bool = False
) -> Geometry:
    """Transform a part; a mirror flips the winding of its triangles, so that they keep facing outwards."""
    uvs = geometry.uvs
    if uvs is not None and material.uv_transform is not None:
        with np.errstate(over="ignore", invalid="ignore"):  # refused where all are merged
            uvs = (uvs @ material.uv_transform[:, :2].T + material.uv_transform[:, 2]).astype(np.float32)
    if is_moved:
        return replace(geometry, uvs=uvs, joints=None, weights=None, has_stored_weights=True)
    linear, offset = model_from_source[:3, :3], model_from_source[:3, 3]
    mirror = -1.0 if np.linalg.det(linear) < 0 else 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        positions = _moved(geometry.positions, linear, offset)
        normals = geometry.normals
        if normals is not None:
            normals = _directions(normals, mirror * cofactor(linear))
        tangents = geometry.tangents
        if tangents is not None:
            signs = (mirror * tangents[:, 3:]).astype(np.float32)
            tangents = np.concatenate([_directions(tangents[:, :3], linear), signs], axis=1)
    triangles = geometry.triangles[:, ::-1] if mirror < 0 else geometry.triangles
    return Geometry(
        positions, normals, tangents, uvs, None, None, triangles, True, geometry.blend, geometry.colors
    )


def cofactor(matrix: Float) -> Float:
    """Return det(M) M^-T of a (3, 3) matrix, which transforms normals and exists for singular ones too."""
    a, b, c = matrix.T
    return np.stack([np.cross(b, c), np.cross(c, a), np.cross(a, b)], axis=1)


def _moved(vectors: NDArray[np.float32], linear: Float, offset: Float) -> NDArray[np.float32]:
    moved = np.empty(vectors.shape, np.float32)
    for rows, columns in _transformed(vectors, linear):
        for column, number in enumerate(offset):
            moved[rows, column] = columns[column] + number
    return moved


def _directions(vectors: NDArray[np.float32], linear: Float) -> NDArray[np.float32]:
    """Return transformed vectors at unit length; those of length zero stay zero."""
    units = np.zeros(vectors.shape, np.float32)
    for rows, columns in _transformed(vectors, linear):
        # Divided by the largest component first, so that squares neither over- nor underflow.
        largest = np.abs(columns).max(axis=0)
        has_length = (largest > 0) & (largest < np.inf)
        scaled = np.divide(columns, largest, out=np.zeros_like(columns), where=has_length)
        x, y, z = scaled
        lengths = np.sqrt(x * x + y * y + z * z)
        units[rows] = np.divide(scaled, lengths, out=scaled, where=lengths > 0).T
    return units


def _transformed(vectors: NDArray[np.float32], linear: Float) -> Iterator[tuple[slice, Float]]:
    """Yield blocks of rows, and their vectors times a (3, 3) matrix, in float64: (3, row).

    Column by column: BLAS takes ten times as long for rows of three, and rounds as the machine would have it.
    """
    for start in range(0, len(vectors), _BLOCK):
        rows = slice(start, start + _BLOCK)
        x, y, z = vectors[rows].T.astype(np.float64)
        yield rows, np.stack([a * x + b * y + c * z + 0.0 for a, b, c in linear])  # no zero is negative
