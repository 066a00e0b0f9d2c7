# SPDX-License-Identifier: MIT
"""Transforming a part of a mesh to model space: positions, normals, tangents and winding of triangles."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lissom._files.gltf.materials import PartMaterial
from lissom._files.gltf.primitives import Geometry
from lissom._rig.moved import cofactor, handedness, moved_directions, moved_points

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
    linear = model_from_source[:3, :3]
    mirror = handedness(linear)
    positions, normals, tangents = geometry.positions, geometry.normals, geometry.tangents
    positions = moved_points(positions, model_from_source)
    if normals is not None:
        normals = moved_directions(normals, mirror * cofactor(linear))
    if tangents is not None:
        signs = (mirror * tangents[:, 3:]).astype(np.float32)
        tangents = np.concatenate([moved_directions(tangents[:, :3], linear), signs], axis=1)
    triangles = geometry.triangles[:, ::-1] if mirror < 0 else geometry.triangles
    return Geometry(
        positions, normals, tangents, uvs, None, None, triangles, True, geometry.blend, geometry.colors
    )
