# SPDX-License-Identifier: MIT
"""Transforming a part of a mesh to model space: positions, normals, tangents and winding of triangles."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lissom._files.gltf.materials import PartMaterial
from lissom._files.gltf.primitives import Geometry

Float: TypeAlias = NDArray[np.float64]


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
        positions = (geometry.positions @ linear.T + offset).astype(np.float32)
        normals = geometry.normals
        if normals is not None:
            normals = _unit(normals @ (mirror * cofactor(linear)).T)
        tangents = geometry.tangents
        if tangents is not None:
            signs = (mirror * tangents[:, 3:]).astype(np.float32)
            tangents = np.concatenate([_unit(tangents[:, :3] @ linear.T), signs], axis=1)
    triangles = geometry.triangles[:, ::-1] if mirror < 0 else geometry.triangles
    return Geometry(
        positions, normals, tangents, uvs, None, None, triangles, True, geometry.blend, geometry.colors
    )


def cofactor(matrix: Float) -> Float:
    """Return det(M) M^-T of a (3, 3) matrix, which transforms normals and exists for singular ones too."""
    a, b, c = matrix.T
    return np.stack([np.cross(b, c), np.cross(c, a), np.cross(a, b)], axis=1)


def _unit(vectors: Float) -> NDArray[np.float32]:
    """Return rows of unit length; rows of length zero stay zero."""
    # Divided by the largest component first, so that squares neither over- nor underflow.
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0)
    scaled = np.divide(vectors, largest, out=np.zeros_like(vectors), where=(largest > 0) & (largest < np.inf))
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    units: Float = np.divide(scaled, lengths, out=np.zeros_like(scaled), where=lengths > 0)
    return units.astype(np.float32)
