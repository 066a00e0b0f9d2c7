# SPDX-License-Identifier: MIT
"""The arrays of one mesh from those of its parts, with defaults for attributes that parts lack."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom import _core
from lissom._base.names import counted
from lissom._files.gltf.log import Log, refuse
from lissom._files.gltf.primitives import Geometry
from lissom._formats.budget import Budget
from lissom._rig.mesh import Mesh

# Four numbers of float32, as merged and as the mesh keeps them.
_BYTES_PER_COLOR = 32


def joined(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    """Concatenate arrays; a single one is the result."""
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def merged(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    """Concatenate arrays of one type; nobody can write the result, which the mesh keeps without a copy.

    A single one that owns its memory is the result: nobody must write to it elsewhere.
    """
    first = arrays[0]
    if len(arrays) == 1:
        sealed: NDArray[Any] | None = _core.sealed(first)
        if sealed is not None:
            return sealed
    joined = b"".join([np.ascontiguousarray(array, first.dtype).data for array in arrays])
    return np.frombuffer(joined, first.dtype).reshape(-1, *first.shape[1:])


def merged_normals(geometries: list[Geometry], log: Log) -> NDArray[np.float32] | None:
    """Return normals, computed for parts without; None where no part has any."""
    missing = [geometry for geometry in geometries if geometry.normals is None]
    if len(missing) == len(geometries):
        return None  # the mesh computes them on first use
    if missing:
        log.note(
            "NORMALS_COMPUTED", "/meshes", f"the normals of {counted(len(missing), 'part')} were computed"
        )
    starts = np.cumsum([0, *(len(geometry.positions) for geometry in geometries)])
    normals = []
    for geometry, start in zip(geometries, starts, strict=False):
        if geometry.normals is None:
            own = geometry.triangles - np.uint32(start)
            normals.append(Mesh(geometry.positions, own).computed_normals())
        else:
            normals.append(geometry.normals)
    return merged(normals)


def merged_tangents(geometries: list[Geometry], log: Log) -> NDArray[np.float32] | None:
    """Return tangents; None unless all parts have them."""
    tangents = [geometry.tangents for geometry in geometries if geometry.tangents is not None]
    if len(tangents) == len(geometries):
        return merged(tangents)
    if tangents:
        log.note(
            "TANGENTS_LEFT_OUT",
            "/meshes",
            f"only {len(tangents)} of {len(geometries)} parts have tangents, which the merged mesh must have"
            " everywhere; left out",
        )
    return None


def merged_influences(
    geometries: list[Geometry], new_row: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[np.float32]]:
    """Return the influences of all parts, with as many columns as the vertex with most of them uses."""
    used = 1
    for geometry in geometries:
        assert geometry.weights is not None
        used = max(used, _core.used_columns(np.ascontiguousarray(geometry.weights)))
    kind = np.uint16 if len(new_row) <= 1 << 16 else np.uint32
    row = new_row.astype(kind)
    stay = not len(new_row) or new_row[-1] == len(new_row) - 1  # they rise with each that is new
    rows, values = [], []
    for geometry in geometries:
        assert geometry.joints is not None
        assert geometry.weights is not None
        columns = min(used, geometry.joints.shape[1])
        joints, weights = geometry.joints, geometry.weights
        if columns < joints.shape[1]:
            joints, weights = joints[:, :columns], weights[:, :columns]
        palette_rows = joints.astype(kind, copy=False) if stay else row[joints]
        if columns < used:  # columns without weight need a valid row, too
            missing = used - columns
            palette_rows = np.concatenate([palette_rows, palette_rows[:, :1].repeat(missing, axis=1)], axis=1)
            weights = np.pad(weights, ((0, 0), (0, missing)))
        rows.append(palette_rows)
        values.append(weights)
    indices = merged(rows)
    if kind is np.uint32 and not (indices.size and indices.max() >= 1 << 16):
        indices = merged([indices.astype(np.uint16)])
    return indices, merged(values)


def merged_uvs(geometries: list[Geometry]) -> NDArray[np.float32] | None:
    """Return texture coordinates; zeros for parts without."""
    if all(geometry.uvs is None for geometry in geometries):
        return None
    uvs = merged(
        [
            np.zeros((len(geometry.positions), 2), np.float32) if geometry.uvs is None else geometry.uvs
            for geometry in geometries
        ]
    )
    if not _core.are_finite(uvs):
        refuse(
            "VALUE_NOT_IN_RANGE",
            "/materials",
            "texture coordinates must fit single precision, got larger ones by KHR_texture_transform",
        )
    return uvs


def merged_colors(geometries: list[Geometry], budget: Budget) -> NDArray[np.float32] | None:
    """Return vertex colours; white for parts without, None where no part has any."""
    if all(geometry.colors is None for geometry in geometries):
        return None
    count = sum(len(geometry.positions) for geometry in geometries)
    budget.spend(_BYTES_PER_COLOR * count, "/meshes")
    colors = np.ones((count, 4), np.float32)
    start = 0
    for geometry in geometries:
        rows = slice(start, start + len(geometry.positions))
        if geometry.colors is not None:
            colors[rows] = geometry.colors
        start = rows.stop
    return merged([colors])


def merged_blend(geometries: list[Geometry]) -> NDArray[np.float32] | None:
    """Return `Character.blend`; zeros, which means linear skinning, for parts without."""
    if all(geometry.blend is None for geometry in geometries):
        return None
    return merged(
        [
            np.zeros(len(geometry.positions), np.float32) if geometry.blend is None else geometry.blend
            for geometry in geometries
        ]
    )
