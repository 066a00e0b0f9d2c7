# SPDX-License-Identifier: MIT
"""Merging all meshes of the scene into one mesh and one palette, both in model space."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import TypeAlias

import numpy as np
from msgspec import UNSET
from numpy.typing import NDArray

from lissom import _core
from lissom._base.names import counted
from lissom._base.numbers import LARGEST
from lissom._files.gltf import weights
from lissom._files.gltf.accessors import Accessors
from lissom._files.gltf.buffers import Buffers
from lissom._files.gltf.hierarchy import Hierarchy, unique_names
from lissom._files.gltf.largest import refuse_larger
from lissom._files.gltf.log import Log, check_index, refuse
from lissom._files.gltf.materials import Materials, PartMaterial
from lissom._files.gltf.merged_arrays import (
    joined,
    merged,
    merged_blend,
    merged_colors,
    merged_influences,
    merged_normals,
    merged_tangents,
    merged_uvs,
)
from lissom._files.gltf.model_space import into_model_space
from lissom._files.gltf.morph_rows import MorphedPart, MorphRows
from lissom._files.gltf.morph_targets import MorphTargets
from lissom._files.gltf.palette_rows import distinct_rows
from lissom._files.gltf.primitives import Geometry, PrimitiveReader
from lissom._files.gltf.schema import Document, Primitive
from lissom._files.gltf.skins import BoundSkin, is_singular, read_skin
from lissom._rig.mesh import Mesh
from lissom._rig.part import Part, View
from lissom._rig.skin import Skin

Float: TypeAlias = NDArray[np.float64]

# Memory that Python and NumPy take for one part, whatever its size.
_BYTES_PER_PART = 4096


@dataclass(slots=True)
class _Piece:
    """One primitive of one node, in model space; joints are palette rows."""

    name: str
    geometry: Geometry
    material: PartMaterial
    model_from_source: Float
    rigid: bool
    stored: MorphedPart


class Merger:
    """Collects primitives and palette rows, then makes the mesh and the skin.

    `blend` is the `Character.blend` of the mesh that `merge` returned, or None.
    """

    def __init__(
        self,
        document: Document,
        accessors: Accessors,
        buffers: Buffers,
        hierarchy: Hierarchy,
        targets: MorphTargets,
        log: Log,
    ) -> None:
        self._document = document
        self._accessors = accessors
        self._buffers = buffers
        self._hierarchy = hierarchy
        self._targets = targets
        self._log = log
        self._primitives = PrimitiveReader(document, accessors, log)
        self._materials = Materials(document, accessors, buffers, log)
        self._pieces: list[_Piece] = []
        self._views: dict[int, View] = {}
        self.blend: NDArray[np.float32] | None = None
        self._row_count = 0
        self._joints: list[NDArray[np.int64]] = []
        self._matrices: list[Float] = []
        self._skins: dict[int, tuple[BoundSkin, int]] = {}
        self._meshes_of_skins: dict[int, set[int]] | None = None
        self._decoded: dict[tuple[int, int], tuple[Geometry, PartMaterial] | None] = {}
        self._colored = 0

    def merge(self, views: dict[int, View]) -> tuple[Mesh | None, Skin | None]:
        """Read the meshes of the scene; where there are none, only the skins."""
        self._views = views
        for joint, node in enumerate(self._hierarchy.nodes.tolist()):
            if self._document.nodes[node].mesh >= 0:
                self._add_node(joint, node)
        for node in self._hierarchy.marks.parts:
            self._add_part(node)
        self._note_left_out()
        for number in sorted(set(range(len(self._document.meshes))) - {mesh for mesh, _ in self._decoded}):
            self._log.note(
                "MESH_LEFT_OUT", f"/meshes/{number}", "no node of the scene carries the mesh; left out"
            )
        marks = self._hierarchy.marks
        made = {number for number in range(len(self._document.skins)) if marks.is_made(number)}
        if not self._pieces:
            for number, skin in enumerate(self._document.skins):
                if number not in made and (self._hierarchy.joint_of_node[skin.joints] >= 0).all():
                    self._skin(number)
        unused = set(range(len(self._document.skins))) - set(self._skins) - made
        for number in sorted(unused):
            self._log.note(
                "SKIN_LEFT_OUT", f"/skins/{number}", "no mesh of the scene uses the skin; left out"
            )
        palette, new_row = self._make_skin()
        return self._make_mesh(new_row), palette

    def _add_node(self, joint: int, node: int) -> None:
        document = self._document
        mesh, skin = document.nodes[node].mesh, document.nodes[node].skin
        check_index(mesh, len(document.meshes), "meshes", f"/nodes/{node}/mesh")
        if skin >= 0:
            check_index(skin, len(document.skins), "skins", f"/nodes/{node}/skin")
        primitives = document.meshes[mesh].primitives
        rigid_row = -1
        for number, primitive in enumerate(primitives):
            decoded = self._decode(mesh, number, primitive)
            if decoded is None:
                continue
            geometry, material = decoded
            self._spend(geometry, f"/nodes/{node}")
            name = self._name(joint, mesh, number, f"/nodes/{node}")
            stored = MorphedPart(node, primitive, f"/meshes/{mesh}/primitives/{number}", geometry)
            if skin >= 0 and geometry.joints is not None:
                bound, row = self._skin(skin)
                self._add_skinned(name, stored, material, bound, row)
                continue
            if skin >= 0:
                self._log.mend(
                    "NODE_SKIN_WITH_NON_SKINNED_MESH",
                    f"/nodes/{node}",
                    "the mesh of a node with a skin must have joints, got none; it was loaded as rigid",
                )
            if rigid_row < 0:
                rigid_row, model_from_source = self._add_rigid_row(joint, node)
            self._add_rigid(name, stored, material, model_from_source, rigid_row)

    def _add_part(self, node: int) -> None:
        """Add a part that lissom saved, with its name and attributes."""
        document, mark = self._document, self._hierarchy.marks.nodes[node]
        mesh, skin = document.nodes[node].mesh, document.nodes[node].skin
        source = np.eye(4)
        if mark.model_from_source is not UNSET:
            source = np.array(mark.model_from_source).reshape(4, 4).T.copy()
        for number, primitive in enumerate(document.meshes[mesh].primitives):
            decoded = self._decode(mesh, number, primitive, with_points=True)
            if decoded is None:
                continue
            geometry, material = decoded
            self._spend(geometry, f"/nodes/{node}")
            bound, row = self._skin(skin)
            stored = MorphedPart(node, primitive, f"/meshes/{mesh}/primitives/{number}", geometry)
            self._add_skinned(document.nodes[node].name, stored, material, bound, row)
            piece = self._pieces[-1]
            piece.model_from_source, piece.rigid = piece.model_from_source @ source, mark.rigid
            self._views[node] = mark.view

    def _decode(
        self, mesh: int, number: int, primitive: Primitive, with_points: bool = False
    ) -> tuple[Geometry, PartMaterial] | None:
        key = (mesh, number)
        if key not in self._decoded:
            pointer = f"/meshes/{mesh}/primitives/{number}"
            if self._is_missing(primitive):
                self._decoded[key] = None
                self._log.note("BUFFER_WITHOUT_DATA", pointer, "the primitive's buffer has no data; left out")
                return None
            material = self._materials.material(primitive.material, f"{pointer}/material")
            geometry = self._primitives.read(primitive, pointer, material.uv_set, with_points)
            self._decoded[key] = None if geometry is None else (geometry, material)
            self._colored += any(
                name.startswith("COLOR_") for name in primitive.attributes if name != "COLOR_0"
            )
        return self._decoded[key]

    def _is_missing(self, primitive: Primitive) -> bool:
        indices = [index for index in (primitive.indices, *primitive.attributes.values()) if index >= 0]
        return self._accessors.are_missing(indices)

    def _name(self, joint: int, mesh: int, number: int, pointer: str) -> str:
        """Return the name of a part: the node's, with the material's name where it has several primitives."""
        name = self._hierarchy.names[joint]
        primitives = self._document.meshes[mesh].primitives
        if len(primitives) == 1:
            return name
        material = self._materials.name(primitives[number].material)
        self._buffers.budget.spend_text(name, pointer)
        self._buffers.budget.spend_text(material, pointer)
        return f"{name}/{material or number}"

    def _spend(self, geometry: Geometry, pointer: str) -> None:
        """Count the memory of a part; a small file can use the same mesh a million times."""
        slots = 1 if geometry.joints is None else geometry.joints.shape[1]
        per_vertex = 100 + 24 * slots  # model space in float64 and float32, and the merged copy
        arrays = per_vertex * len(geometry.positions) + 24 * len(geometry.triangles)
        self._buffers.budget.spend(_BYTES_PER_PART + arrays, pointer)

    def _skin(self, number: int) -> tuple[BoundSkin, int]:
        """Return a skin, and its first row in the palette."""
        if number not in self._skins:
            joint_count = len(self._document.skins[number].joints)
            bound = read_skin(
                number,
                self._document,
                self._accessors,
                self._hierarchy,
                self._log,
                partial(_weighted_rows, self._skinned_geometries(number), joint_count),
            )
            self._skins[number] = (bound, self._row_count)
            self._add_rows(bound.joints, bound.joint_from_bind)
        return self._skins[number]

    def _skinned_geometries(self, number: int) -> list[Geometry]:
        """Return the geometries that a skin moves; none where it does not say where they stand."""
        if self._hierarchy.marks.is_in_model_space(number):
            return []
        if self._meshes_of_skins is None:
            self._meshes_of_skins = defaultdict(set)
            for node in (self._document.nodes[node] for node in self._hierarchy.nodes.tolist()):
                if 0 <= node.mesh < len(self._document.meshes):  # others are refused where they are added
                    self._meshes_of_skins[node.skin].add(node.mesh)
        found = [
            self._decode(mesh, index, primitive)
            for mesh in sorted(self._meshes_of_skins[number])
            for index, primitive in enumerate(self._document.meshes[mesh].primitives)
        ]
        return [decoded[0] for decoded in found if decoded is not None]

    def _add_rigid_row(self, joint: int, node: int) -> tuple[int, Float]:
        """Add a palette row for rigid parts of a node; return it and the node's transform at rest."""
        model_from_node = self._hierarchy.model_from_joint[joint]
        if is_singular(model_from_node):
            self._log.note(
                "NODE_SINGULAR",
                f"/nodes/{node}",
                "the node has no size at rest; its mesh stays in the space of the node",
            )
            model_from_node = np.eye(4)
        row = self._row_count
        self._add_rows(np.array([joint]), np.linalg.inv(model_from_node)[None])
        return row, model_from_node

    def _add_rows(self, joints: NDArray[np.int64], matrices: Float) -> None:
        self._joints.append(joints)
        self._matrices.append(matrices)
        self._row_count += len(joints)

    def _add_skinned(
        self,
        name: str,
        stored: MorphedPart,
        material: PartMaterial,
        bound: BoundSkin,
        row: int,
    ) -> None:
        geometry = stored.geometry
        assert geometry.joints is not None
        assert geometry.weights is not None
        report = self._log.mend if geometry.has_stored_weights else self._log.note
        pointer = f"{stored.pointer}/attributes"
        joints, values = weights.clean(geometry.joints, geometry.weights, len(bound.joints), pointer, report)
        moved = into_model_space(geometry, material, bound.model_from_source, bound.is_moved)
        moved.joints, moved.weights = joints.astype(np.int64) + row if row else joints, values
        stored.linear = None if bound.is_moved else bound.model_from_source[:3, :3]
        self._pieces.append(_Piece(name, moved, material, bound.model_from_source, False, stored))

    def _add_rigid(
        self,
        name: str,
        stored: MorphedPart,
        material: PartMaterial,
        model_from_source: Float,
        row: int,
    ) -> None:
        geometry = stored.geometry
        moved = into_model_space(geometry, material, model_from_source)
        moved.joints = np.full((len(geometry.positions), 1), row, np.int64)
        moved.weights = np.ones((len(geometry.positions), 1), np.float32)
        stored.linear = model_from_source[:3, :3]
        self._pieces.append(_Piece(name, moved, material, model_from_source, True, stored))

    def _note_left_out(self) -> None:
        if self._colored:
            self._log.note(
                "VERTEX_COLORS_LEFT_OUT",
                "/meshes",
                f"of the vertex colours of {counted(self._colored, 'primitive')} only COLOR_0 is loaded",
            )

    def _make_mesh(self, new_row: NDArray[np.int64]) -> Mesh | None:
        """Merge the pieces; `new_row` maps the collected palette rows to those of the skin."""
        if not self._pieces:
            return None
        geometries = [piece.geometry for piece in self._pieces]
        ends = accumulate(len(geometry.positions) for geometry in geometries)
        triangle_ends = accumulate(len(geometry.triangles) for geometry in geometries)
        numbers = list(range(len(self._pieces)))
        names = unique_names(
            [piece.name for piece in self._pieces], "part", numbers, "", None, self._buffers.budget
        )
        parts = []
        for piece, name, end, last in zip(self._pieces, names, ends, triangle_ends, strict=True):
            vertices = slice(end - len(piece.geometry.positions), end)
            triangles = slice(last - len(piece.geometry.triangles), last)
            piece.stored.first_vertex = vertices.start
            if vertices.start:
                piece.geometry.triangles = piece.geometry.triangles + np.uint32(vertices.start)
            parts.append(
                Part(
                    name,
                    vertices,
                    triangles,
                    rigid=piece.rigid,
                    base_color=piece.material.base_color,
                    texture=piece.material.texture,
                    model_from_source=piece.model_from_source,
                    view=self._views.get(piece.stored.node, "auto"),
                    unlit=piece.material.unlit,
                    emissive=piece.material.emissive,
                    emissive_texture=piece.material.emissive_texture,
                    alpha_mode=piece.material.alpha_mode,
                    alpha_cutoff=piece.material.alpha_cutoff,
                    double_sided=piece.material.double_sided,
                )
            )
        self.blend = merged_blend(geometries)
        indices, values = merged_influences(geometries, new_row)
        positions = merged([geometry.positions for geometry in geometries])
        refuse_larger(positions, "/meshes")
        return Mesh(
            positions,
            merged([geometry.triangles for geometry in geometries]),
            indices,
            values,
            normals=merged_normals(geometries, self._log),
            tangents=merged_tangents(geometries, self._log),
            uvs=merged_uvs(geometries),
            colors=merged_colors(geometries, self._buffers.budget),
            parts=parts,
            morphs=MorphRows(self._document, self._accessors, self._log).merge(
                self._targets, [piece.stored for piece in self._pieces if piece.stored.primitive.targets]
            ),
        )

    def _make_skin(self) -> tuple[Skin | None, NDArray[np.int64]]:
        """Make the skin of all rows collected, equal ones once; return it and the new row of each."""
        if not self._row_count:
            return None, np.zeros(0, np.int64)
        joints, all_matrices = joined(self._joints), joined(self._matrices)
        kept, new_row = distinct_rows(joints, all_matrices)
        if len(kept) < len(joints):
            joints, all_matrices = joints[kept], all_matrices[kept]
        with np.errstate(over="ignore"):
            matrices = all_matrices.astype(np.float32)
        if not _core.plain_within(matrices, LARGEST) and not np.isfinite(matrices).all():
            row = int(np.flatnonzero(~np.isfinite(matrices).all(axis=(1, 2)))[0])
            refuse(
                "VALUE_NOT_IN_RANGE",
                "/skins",
                f"bind matrices must fit single precision, got a larger one for palette row {row}",
            )
        return Skin(joints, matrices), new_row


def _weighted_rows(geometries: list[Geometry], count: int) -> NDArray[np.bool_]:
    """Return which of the `count` joints of a skin move vertices of some geometry, (row,)."""
    is_weighted = np.zeros(count, np.bool_)
    for geometry in geometries:
        if geometry.joints is not None and geometry.weights is not None:
            used = geometry.joints[geometry.weights > 0]
            is_weighted[used[used < count]] = True
    return is_weighted
