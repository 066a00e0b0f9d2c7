# SPDX-License-Identifier: MIT
"""Meshes: one for each part, on rows of the arrays that hold the vertices of all parts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom._files.gltf.codes import ELEMENT_ARRAY_BUFFER, POINTS, TRIANGLES
from lissom._files.gltf.extras import BLEND
from lissom._files.gltf_writer.accessors import Accessors, Pool, VertexRows
from lissom._files.gltf_writer.document import Mesh as MeshObject
from lissom._files.gltf_writer.document import Primitive
from lissom._files.gltf_writer.influences import MAX_ROWS, influence_sets
from lissom._files.gltf_writer.materials import Materials
from lissom._files.gltf_writer.morphs import MorphWriter
from lissom._rig.mesh import Mesh
from lissom._rig.part import Part

# How far from 1 the length of a normal may be to be written unchanged; glTF-Validator's own limit is 0.00674.
_UNIT_TOLERANCE = 1e-3


class Meshes:
    """Writes the parts of a mesh.

    Attributes
    ----------
    table : list of Mesh
        One for each part that has vertices.
    parts : list of Part
        Those parts.
    """

    def __init__(
        self,
        mesh: Mesh,
        blend: NDArray[np.float32] | None,
        materials: Materials,
        accessors: Accessors,
    ) -> None:
        _check(mesh)
        self._mesh = mesh
        self._attributes = _attributes(mesh, accessors)
        if blend is not None:
            self._attributes[BLEND] = accessors.vertices(blend.astype("<f4", copy=False)[:, None])
        self._weighted = [
            (accessors.vertices(joints), accessors.vertices(weights), weights.any(axis=1))
            for joints, weights in zip(*influence_sets(mesh), strict=True)
        ]
        self._indices = {size: Pool(accessors, ELEMENT_ARRAY_BUFFER) for size in (1, 2, 4)}
        self.parts = [part for part in mesh.parts if part.vertices.stop > part.vertices.start]
        self._morphs = MorphWriter(mesh, accessors) if mesh.morphs else None
        self.table = [self._object(part, materials) for part in self.parts]
        if self._morphs is not None:
            self._morphs.close()
        for pool in self._indices.values():
            pool.close()

    def targets(self, part: Part) -> NDArray[np.int64]:
        """Return which of the character's morph targets the mesh of a part has, in its order."""
        return np.zeros(0, np.int64) if self._morphs is None else self._morphs.numbers(part)

    def _object(self, part: Part, materials: Materials) -> MeshObject:
        made = MeshObject(part.name, [self._primitive(part, materials.material(part))])
        if self._morphs is not None and len(self._morphs.numbers(part)):
            made.primitives[0].targets = self._morphs.targets(part)
            made.weights = self._morphs.weights(part)
            made.extras = {"targetNames": self._morphs.names(part)}
        return made

    def _primitive(self, part: Part, material: int) -> Primitive:
        triangles = self._mesh.triangles[part.triangles]
        attributes = {
            name: rows.accessor(part.vertices, bounded=name == "POSITION")
            for name, rows in self._attributes.items()
            if name != "TANGENT" or len(triangles)  # points have no tangents
        }
        for number, (joints, weights, used) in enumerate(self._weighted):
            if number == 0 or used[part.vertices].any():
                attributes[f"JOINTS_{number}"] = joints.accessor(part.vertices)
                attributes[f"WEIGHTS_{number}"] = weights.accessor(part.vertices)
        if not len(triangles):  # an accessor must not be empty
            return Primitive(attributes, material, mode=POINTS)
        count = part.vertices.stop - part.vertices.start
        # The largest number of a type is the primitive restart value, not an index.
        dtype = np.dtype("u1" if count < 1 << 8 else "<u2" if count < 1 << 16 else "<u4")
        corners = (triangles - np.uint32(part.vertices.start)).astype(dtype).ravel()
        return Primitive(
            attributes, material, self._indices[dtype.itemsize].add(corners, "SCALAR"), TRIANGLES
        )


def _check(mesh: Mesh) -> None:
    """Refuse a mesh that cannot be written as parts."""
    if mesh.row_count > MAX_ROWS:
        raise ValueError(
            f"save_glb: a mesh must use at most {MAX_ROWS} palette rows, as glTF does, got "
            f"{mesh.row_count}; leave out parts"
        )
    for kind, count in (("vertices", mesh.vertex_count), ("triangles", mesh.triangle_count)):
        covered = np.zeros(count, bool)
        for part in mesh.parts:
            covered[getattr(part, kind)] = True
        if not covered.all():
            raise ValueError(
                f"save_glb: all {kind} of the mesh must be in parts, got index {np.flatnonzero(~covered)[0]} "
                "in none; make a mesh with parts that cover all of it"
            )
    for part in mesh.parts:
        corners = mesh.triangles[part.triangles]
        if corners.size and not part.vertices.start <= corners.min() <= corners.max() < part.vertices.stop:
            raise ValueError(
                f"save_glb: triangles of a part must use its own vertices, got {corners.min()} to "
                f"{corners.max()} in part {part.name!r}, which has {part.vertices.start} to "
                f"{part.vertices.stop - 1}"
            )


def _attributes(mesh: Mesh, accessors: Accessors) -> dict[str, VertexRows]:
    if not mesh.vertex_count:
        return {}
    arrays: dict[str, NDArray[Any]] = {"POSITION": mesh.positions.astype("<f4", copy=False)}
    normals = mesh.normals
    morphed = mesh.morphs is not None and mesh.morphs.normals is not None
    if normals is None and (mesh.tangents is not None or morphed):  # glTF allows neither without normals
        normals = mesh.computed_normals()
    if normals is not None:
        arrays["NORMAL"] = _unit(normals, (0, 0, 1))
    if mesh.tangents is not None:
        directions = _unit(mesh.tangents[:, :3], (1, 0, 0))
        signs = np.where(mesh.tangents[:, 3:] < 0, -1, 1).astype("<f4")
        arrays["TANGENT"] = np.concatenate([directions, signs], axis=1)
    if mesh.uvs is not None:
        arrays["TEXCOORD_0"] = mesh.uvs.astype("<f4", copy=False)
    elif any(part.texture or part.emissive_texture for part in mesh.parts):  # textures need coordinates
        arrays["TEXCOORD_0"] = np.zeros((mesh.vertex_count, 2), "<f4")
    if mesh.colors is not None:
        arrays["COLOR_0"] = mesh.colors.astype("<f4", copy=False)
    return {name: accessors.vertices(values) for name, values in arrays.items()}


def _unit(vectors: NDArray[np.float32], fallback: tuple[int, int, int]) -> NDArray[np.float32]:
    """Return unit vectors, unchanged where they are; glTF has no zero vectors, which get the fallback."""
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    off = np.abs(lengths - 1) > _UNIT_TOLERANCE
    if not off.any():
        return vectors.astype("<f4", copy=False)
    units = vectors.astype("<f4")
    units[off] = vectors[off] / np.where(lengths > 0, lengths, 1)[off, None]
    units[lengths == 0] = fallback
    return units
