# SPDX-License-Identifier: MIT
"""Levels of detail in the file of a bake: their meshes behind the whole one, and how far each is off."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._export.bind_figure import default_positions
from lissom._lod.default_levels import default_levels
from lissom._rig.mesh import Mesh
from lissom.pose_texture import PoseTexture
from lissom.pose_texture._file import write
from lissom.pose_texture._file_tables import LevelTable, LevelTables

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._lod.default_levels import Level
    from lissom._rig.part import Part

__all__ = ["save_with_levels"]

ATTRIBUTES = ("normals", "uvs", "colors")
LOOKS = (
    "name",
    "base_color",
    "texture",
    "unlit",
    "emissive",
    "emissive_texture",
    "alpha_mode",
    "alpha_cutoff",
    "double_sided",
)


def save_with_levels(path: Path, bake: PoseTexture) -> tuple[Level, ...]:
    """Write a bake with the default levels of its mesh, where it has any; return them.

    `lissom.load_bake` reads the bake without them. Their vertices are those of morph targets at their default
    weights.
    """
    whole = bake.mesh
    assert whole is not None
    levels = default_levels(_without_morphs(whole), "export")
    if not levels:
        bake.save(path)
        return ()
    tables = []
    triangle = whole.triangle_count
    for mesh, distance in levels:
        tables.append(LevelTable(distance, _ranges(whole, mesh, triangle)))
        triangle += mesh.triangle_count
    told = LevelTables(whole.vertex_count, whole.triangle_count, tables)
    write(path, _with_mesh(bake, _joined(whole, [level.mesh for level in levels])), told)
    return levels


def _without_morphs(mesh: Mesh) -> Mesh:
    if mesh.morphs is None:
        return mesh
    return Mesh(
        default_positions(mesh),
        mesh.triangles,
        mesh.indices,
        mesh.weights,
        **{name: getattr(mesh, name) for name in ATTRIBUTES},
        parts=mesh.parts,
    )


def _ranges(whole: Mesh, level: Mesh, first: int) -> list[tuple[int, int]]:
    """Return the triangles of each part of the whole mesh; those of a level keep their order."""
    kept = list(level.parts)
    ranges = []
    for part in whole.parts:
        if kept and _look_alike(kept[0], part):
            triangles = kept.pop(0).triangles
            ranges.append((first + triangles.start, first + triangles.stop))
        else:
            ranges.append((0, 0))
    assert not kept
    return ranges


def _look_alike(part: Part, other: Part) -> bool:
    return all(getattr(part, name) == getattr(other, name) for name in LOOKS)


def _joined(whole: Mesh, levels: Sequence[Mesh]) -> Mesh:
    """Return the whole mesh with those of the levels behind it, in none of its parts."""
    meshes = [whole, *levels]
    firsts = np.cumsum([0, *(mesh.vertex_count for mesh in meshes)])
    width = max(mesh.influence_count for mesh in meshes)
    fields: dict[str, Any] = {
        name: _rows(meshes, name) for name in ATTRIBUTES if getattr(whole, name) is not None
    }
    if whole.tangents is not None:  # levels have none
        unused = np.tile(np.array([1, 0, 0, 1], np.float32), (firsts[-1] - whole.vertex_count, 1))
        fields["tangents"] = np.concatenate([whole.tangents, unused])
    return Mesh(
        _rows(meshes, "positions"),
        np.concatenate([mesh.triangles + firsts[i] for i, mesh in enumerate(meshes)]),
        _rows(meshes, "indices", width),
        _rows(meshes, "weights", width),
        **fields,
        parts=whole.parts,
        morphs=whole.morphs,
    )


def _rows(meshes: Sequence[Mesh], name: str, width: int = 0) -> NDArray[Any]:
    arrays = [getattr(mesh, name) for mesh in meshes]
    return np.concatenate([np.pad(a, ((0, 0), (0, max(width - a.shape[1], 0)))) for a in arrays])


def _with_mesh(bake: PoseTexture, mesh: Mesh) -> PoseTexture:
    return PoseTexture(
        bake.texels,
        bake.clips,
        bake.joints,
        bake.report,
        mesh=mesh,
        source_hash=bake.source_hash,
        ranges=bake.ranges,
        skin=bake.skin,
        rig=bake.rig,
        parents=bake.parents,
        weights=bake.weights,
        morph_names=bake.morph_names,
    )
