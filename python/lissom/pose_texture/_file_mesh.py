# SPDX-License-Identifier: MIT
"""The mesh in a bake's file: its arrays, with tables of its parts and textures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lissom._rig.part import CUTOFF
from lissom.pose_texture._file_tables import LevelTables, PartTable, TextureTable, take

if TYPE_CHECKING:
    from lissom._rig.mesh import Mesh
    from lissom._rig.morphs import Morphs

__all__ = ["leave_out_levels", "mesh_arrays", "stored_mesh"]

VERTEX_ARRAYS = ("positions", "indices", "weights", "normals", "tangents", "uvs", "colors")
MORPH_ARRAYS = ("offsets", "vertices", "positions", "normals", "tangents", "defaults")
"""Arrays of `Morphs`, as ``morphs.offsets`` and so on."""


def mesh_arrays(
    mesh: Mesh, arrays: dict[str, npt.NDArray[Any]]
) -> tuple[list[PartTable], list[TextureTable]]:
    """Put the mesh's arrays among the others; return the tables of its parts and textures."""
    for name in ("positions", "triangles", "indices", "weights", "normals", "tangents", "uvs", "colors"):
        array = getattr(mesh, name)
        if array is not None:
            arrays[f"mesh.{name}"] = array
    for name in MORPH_ARRAYS if mesh.morphs else ():
        array = getattr(mesh.morphs, name)
        if array is not None:
            arrays[f"morphs.{name}"] = array
    pictures: list[Any] = []
    parts = []
    for part in mesh.parts:
        emissive_texture = part.emissive_texture if any(part.emissive) else None
        # Parts share textures: one array for each.
        for picture in (part.texture, emissive_texture):
            if picture is not None and not any(picture is one for one in pictures):
                pictures.append(picture)
        index, emissive_index = (
            next((i for i, one in enumerate(pictures) if one is picture), -1)
            for picture in (part.texture, emissive_texture)
        )
        spans = ((part.vertices.start, part.vertices.stop), (part.triangles.start, part.triangles.stop))
        red, green, blue, alpha = map(float, part.base_color)
        parts.append(
            PartTable(
                part.name,
                *spans,
                part.rigid,
                (red, green, blue, alpha),
                index,
                part.unlit,
                part.emissive if any(part.emissive) else None,
                emissive_index,
                # msgspec leaves out a default that is the same object: equal ones of a pickle are not.
                "opaque" if part.alpha_mode == "opaque" else part.alpha_mode,
                CUTOFF if part.alpha_cutoff == CUTOFF else part.alpha_cutoff,
                part.double_sided,
            )
        )
    if parts:
        arrays["mesh.model_from_source"] = np.array([part.model_from_source for part in mesh.parts])
    for i, picture in enumerate(pictures):
        arrays[f"texture.{i}"] = np.frombuffer(picture.data, np.uint8)
    return parts, [TextureTable(picture.name, picture.mime) for picture in pictures]


def leave_out_levels(arrays: dict[str, npt.NDArray[Any]], tables: LevelTables) -> None:
    """Leave the mesh without the levels of detail behind it; ValueError where it has fewer rows."""
    counts = {f"mesh.{name}": tables.vertices for name in VERTEX_ARRAYS} | {
        "mesh.triangles": tables.triangles
    }
    for name, count in counts.items():
        if name in arrays:
            rows = len(arrays[name]) if arrays[name].ndim else 0
            if not 0 <= count <= rows:
                raise ValueError(f"{name} must have the {count} rows before its levels of detail, got {rows}")
            arrays[name] = arrays[name][:count]


def stored_mesh(
    arrays: dict[str, npt.NDArray[Any]],
    parts: list[PartTable],
    textures: list[TextureTable],
    morph_names: list[str],
) -> Mesh:
    """Take the mesh out of the arrays; ValueError where they do not fit together."""
    from lissom._rig.mesh import Mesh
    from lissom._rig.part import Part, Texture

    pictures = [
        Texture(take(arrays, f"texture.{i}").tobytes(), table.mime, table.name)
        for i, table in enumerate(textures)
    ]
    transforms = take(arrays, "mesh.model_from_source") if parts else np.empty((0, 4, 4))
    if transforms.shape != (len(parts), 4, 4):
        raise ValueError(
            f"mesh.model_from_source must have shape ({len(parts)}, 4, 4), got {transforms.shape}"
        )
    positions, triangles = take(arrays, "mesh.positions"), take(arrays, "mesh.triangles")
    made = []
    for table, transform in zip(parts, transforms, strict=True):
        for number in (table.texture, table.emissive_texture):
            if not -1 <= number < len(pictures):
                raise ValueError(
                    f"part {table.name!r} must refer to one of {len(pictures)} textures, got {number}"
                )
        made.append(
            Part(
                table.name,
                slice(*table.vertices),
                slice(*table.triangles),
                table.rigid,
                table.base_color,
                None if table.texture < 0 else pictures[table.texture],
                np.array(transform, dtype=np.float64),
                unlit=table.unlit,
                emissive=table.emissive or (0.0, 0.0, 0.0),
                emissive_texture=None if table.emissive_texture < 0 else pictures[table.emissive_texture],
                alpha_mode=table.alpha_mode,
                alpha_cutoff=table.alpha_cutoff,
                double_sided=table.double_sided,
            )
        )
    return Mesh(
        positions,
        triangles,
        take(arrays, "mesh.indices"),
        take(arrays, "mesh.weights"),
        normals=arrays.pop("mesh.normals", None),
        tangents=arrays.pop("mesh.tangents", None),
        uvs=arrays.pop("mesh.uvs", None),
        colors=arrays.pop("mesh.colors", None),
        parts=made,
        morphs=_morphs(arrays, morph_names) if morph_names else None,
    )


def _morphs(arrays: dict[str, npt.NDArray[Any]], names: list[str]) -> Morphs:
    """Return the morph targets of the mesh."""
    from lissom._rig.morphs import Morphs

    given: dict[str, Any] = {name: arrays.pop(f"morphs.{name}", None) for name in MORPH_ARRAYS}
    for name in ("offsets", "vertices", "positions", "defaults"):
        if given[name] is None:
            raise ValueError(f"the array 'morphs.{name}' is missing")
    return Morphs(names, **given)
