# SPDX-License-Identifier: MIT
"""Transforming a part of a mesh to model space: positions, normals, tangents and winding of triangles."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lissom import _core
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
    positions, normals, tangents = geometry.positions, geometry.normals, geometry.tangents
    positions = _moved(positions, linear, np.ascontiguousarray(offset))
    if normals is not None:
        normals = _moved(normals, mirror * cofactor(linear), None)
    if tangents is not None:
        signs = (mirror * tangents[:, 3:]).astype(np.float32)
        tangents = np.concatenate([_moved(tangents[:, :3], linear, None), signs], axis=1)
    triangles = geometry.triangles[:, ::-1] if mirror < 0 else geometry.triangles
    return Geometry(
        positions, normals, tangents, uvs, None, None, triangles, True, geometry.blend, geometry.colors
    )


def cofactor(matrix: Float) -> Float:
    """Return det(M) M^-T of a (3, 3) matrix, which transforms normals and exists for singular ones too."""
    (a, d, g), (b, e, h), (c, f, i) = matrix.tolist()
    return np.array(  # its columns are the cross products of those of the matrix, two by two
        [
            [e * i - f * h, h * c - i * b, b * f - c * e],
            [f * g - d * i, i * a - g * c, c * d - a * f],
            [d * h - e * g, g * b - h * a, a * e - b * d],
        ]
    )


def _moved(vectors: NDArray[np.float32], linear: Float, offset: Float | None) -> NDArray[np.float32]:
    """Return transformed points, or directions at unit length where there is no offset; zero ones stay."""
    moved = np.empty(vectors.shape, np.float32)
    _core.transform_vectors(np.ascontiguousarray(vectors), np.ascontiguousarray(linear), offset, moved)
    return moved
