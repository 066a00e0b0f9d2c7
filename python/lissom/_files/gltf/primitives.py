# SPDX-License-Identifier: MIT
"""Primitives: their attributes as arrays in mesh space, their indices as triangles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lissom._files.gltf import draco
from lissom._files.gltf.accessors import Accessors, Values
from lissom._files.gltf.codes import (
    BYTE,
    FLOAT,
    POINTS,
    SHORT,
    TRIANGLE_FAN,
    TRIANGLE_STRIP,
    TRIANGLES,
    UBYTE,
    USHORT,
)
from lissom._files.gltf.extras import BLEND
from lissom._files.gltf.largest import refuse_larger
from lissom._files.gltf.log import Log, refuse
from lissom._files.gltf.schema import Document, DracoPrimitive, Primitive
from lissom._files.gltf.vertex_colors import clean_colors

Floats: TypeAlias = NDArray[np.float32]
Triangles: TypeAlias = NDArray[np.uint32]

# Four joints as int64, twice while sets are joined, and four weights as float32.
_BYTES_PER_SET = 96

_BYTES_PER_COLOR = 16

# A corner as uint32; of a strip or fan the triangle that it ends, too, twice where there are degenerate ones.
_BYTES_PER_CORNER = 4
_BYTES_PER_UNFOLDED = 28

_OTHER_MODES = {POINTS: "points", 1: "lines", 2: "a line loop", 3: "a line strip"}

# Formats by attribute, glTF 2.0 section 3.7.2.1: types, component types, and those that must be normalized.
_FORMATS = {
    "POSITION": (("VEC3",), {FLOAT}, set()),
    "NORMAL": (("VEC3",), {FLOAT}, set()),
    "TANGENT": (("VEC4",), {FLOAT}, set()),
    "TEXCOORD": (("VEC2",), {FLOAT}, {UBYTE, USHORT}),
    "COLOR": (("VEC3", "VEC4"), {FLOAT}, {UBYTE, USHORT}),
    "JOINTS": (("VEC4",), {UBYTE, USHORT}, set()),
    "WEIGHTS": (("VEC4",), {FLOAT}, {UBYTE, USHORT}),
}
_INVALID_FORMAT = "MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT"
# The formats that KHR_mesh_quantization adds.
_QUANTIZED = {
    "POSITION": ({BYTE, UBYTE, SHORT, USHORT}, {BYTE, UBYTE, SHORT, USHORT}),
    "NORMAL": (set(), {BYTE, SHORT}),
    "TANGENT": (set(), {BYTE, SHORT}),
    "TEXCOORD": ({BYTE, UBYTE, SHORT, USHORT}, {BYTE, UBYTE, SHORT, USHORT}),
}


@dataclass(slots=True)
class Geometry:
    """A primitive's arrays, in the space of its mesh.

    Attributes
    ----------
    positions, normals, tangents : ndarray of float32, shapes (vertex, 3), (vertex, 3), (vertex, 4)
    uvs : ndarray of float32, shape (vertex, 2)
        Texture coordinates of the set that the material uses.
    joints, weights : ndarray, shape (vertex, influence)
        Indices into the joints of a skin, in the type of the file, and weights; None where the primitive has
        none.
    triangles : ndarray of uint32, shape (triangle, 3)
    has_stored_weights : bool
        False where weights are all zero because their accessor has no data, which is not a fault.
    blend : ndarray of float32, shape (vertex,)
        `Character.blend` as lissom saved it; None where the primitive has none.
    colors : ndarray of float32, shape (vertex, 4)
        COLOR_0, linear light and alpha in [0, 1]; None where the primitive has none.
    """

    positions: Floats
    normals: Floats | None
    tangents: Floats | None
    uvs: Floats | None
    joints: NDArray[Any] | None
    weights: Floats | None
    triangles: Triangles
    has_stored_weights: bool
    blend: Floats | None = None
    colors: Floats | None = None


class PrimitiveReader:
    """Decodes primitives."""

    def __init__(self, document: Document, accessors: Accessors, log: Log) -> None:
        self._accessors = accessors
        self._log = log
        name = "KHR_mesh_quantization"
        self._quantized = name in document.extensionsUsed or name in document.extensionsRequired

    def read(
        self, primitive: Primitive, pointer: str, uv_set: int, with_points: bool = False
    ) -> Geometry | None:
        """Decode a primitive; None, and a record, where it has no triangles or no positions.

        Points are decoded `with_points`, as vertices without triangles.
        """
        is_points = with_points and primitive.mode == POINTS
        if primitive.mode not in (TRIANGLES, TRIANGLE_STRIP, TRIANGLE_FAN) and not is_points:
            what = _OTHER_MODES.get(primitive.mode)
            if what is None:
                self._log.mend(
                    "VALUE_NOT_IN_LIST",
                    f"{pointer}/mode",
                    f"mode must be from 0 to 6, got {primitive.mode}; the primitive was left out",
                )
            else:
                self._log.note(
                    "MODE_LEFT_OUT", f"{pointer}/mode", f"the primitive is {what}, not triangles; left out"
                )
            return None
        attributes = primitive.attributes
        if "POSITION" not in attributes:
            self._log.note("MESH_PRIMITIVE_NO_POSITION", pointer, "the primitive has no positions; left out")
            return None
        told = self._compressed(primitive, pointer)
        place = f"{pointer}/extensions/{draco.EXTENSION}"
        stream = None if told is None else draco.stream_of(told, self._accessors, place)
        count = self._vertex_count(primitive, pointer)
        self._spend(primitive, count, pointer)
        if told is None or stream is None:
            points = np.zeros((0, 3), np.uint32) if is_points else None
            return self._geometry(primitive, points, count, pointer, uv_set)
        decoded = draco.decode(stream, told, primitive, self._accessors, place)
        self._accessors.supply(decoded.values)
        try:
            return self._geometry(primitive, decoded.corners.reshape(-1, 3), count, pointer, uv_set)
        finally:
            self._accessors.withdraw(decoded.values)

    def _geometry(
        self, primitive: Primitive, triangles: Triangles | None, count: int, pointer: str, uv_set: int
    ) -> Geometry:
        """Return the arrays of a primitive; its own triangles where none are given."""
        attributes = primitive.attributes
        positions = self._floats(attributes["POSITION"], "POSITION", pointer)
        refuse_larger(positions, f"{pointer}/attributes/POSITION")
        normals = self._optional(attributes, "NORMAL", pointer)
        tangents = self._optional(attributes, "TANGENT", pointer)
        uvs = self._optional(attributes, f"TEXCOORD_{uv_set}", pointer)
        joints, weights = self._influences(attributes, pointer)
        if triangles is None:
            triangles = self._triangles(primitive, count, pointer)
        stored = [index for name, index in attributes.items() if name.startswith("WEIGHTS_")]
        has_stored = all(self._accessors.has_data[index] for index in stored)
        blend = self._blend(attributes, count, pointer)
        colors = self._colors(attributes, pointer)
        return Geometry(
            positions, normals, tangents, uvs, joints, weights, triangles, has_stored, blend, colors
        )

    def _spend(self, primitive: Primitive, count: int, pointer: str) -> None:
        """Charge the decoded arrays, while nothing but their sizes is known."""
        sets = sum(name.startswith("JOINTS_") for name in primitive.attributes)
        corners = count
        if primitive.indices >= 0:
            self._accessors.check_index(primitive.indices, f"{pointer}/indices")
            corners = int(self._accessors.count[primitive.indices])
        per_corner = _BYTES_PER_CORNER
        if primitive.mode in (TRIANGLE_STRIP, TRIANGLE_FAN):
            per_corner = _BYTES_PER_UNFOLDED
        for index in primitive.attributes.values():
            if self._accessors.is_compressed[index]:  # many numbers come of few bytes
                self._accessors.spend(index, pointer)
        colors = _BYTES_PER_COLOR * count if "COLOR_0" in primitive.attributes else 0
        self._accessors.budget.spend(_BYTES_PER_SET * sets * count + colors + per_corner * corners, pointer)

    def check(self, primitive: Primitive, pointer: str, readable: NDArray[np.bool_]) -> None:
        """Check formats and counts of all attributes, and the indices where their data can be read."""
        if "POSITION" in primitive.attributes:
            count = self._vertex_count(primitive, pointer)
        else:
            count = min(
                (int(self._accessors.count[index]) for index in primitive.attributes.values()), default=0
            )
        for name, index in primitive.attributes.items():
            if name.split("_")[0] in _FORMATS:
                self._check_format(index, name, pointer)
        _check_pairs(primitive.attributes, pointer)
        if primitive.indices >= 0:
            self._check_index_format(primitive.indices, f"{pointer}/indices")
            if readable[primitive.indices]:
                self._indices(primitive.indices, count, f"{pointer}/indices")

    def _compressed(self, primitive: Primitive, pointer: str) -> DracoPrimitive | None:
        """Return where the data of a primitive is compressed; None where it is there uncompressed as well."""
        position = primitive.attributes["POSITION"]
        self._accessors.check_index(position, f"{pointer}/attributes/POSITION")
        extensions = primitive.extensions
        if extensions is None or self._accessors.has_view[position]:
            return None
        return extensions.KHR_draco_mesh_compression

    def _vertex_count(self, primitive: Primitive, pointer: str) -> int:
        table = self._accessors
        count = int(table.count[primitive.attributes["POSITION"]])
        for name, index in primitive.attributes.items():
            table.check_index(index, f"{pointer}/attributes/{name}")
            if name.startswith("_"):
                continue
            if table.count[index] != count:
                refuse(
                    "MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT",
                    f"{pointer}/attributes/{name}",
                    f"{name} must have {count} elements, as POSITION has, got {table.count[index]}",
                )
        return count

    def _check_format(self, index: int, name: str, pointer: str) -> None:
        if not self._has_format(index, name):
            refuse(_INVALID_FORMAT, f"{pointer}/attributes/{name}", self._format_fault(index, name))

    def _format_fault(self, index: int, name: str) -> str:
        return f"{name} must have another format than {self._accessors.describe(index)}"

    def _has_format(self, index: int, name: str) -> bool:
        """Whether the accessor of an attribute has one of its formats."""
        semantic = name.split("_")[0]
        kinds, plain, normal = _FORMATS[semantic]
        if self._quantized and semantic in _QUANTIZED:
            plain, normal = plain | _QUANTIZED[semantic][0], normal | _QUANTIZED[semantic][1]
        table = self._accessors
        allowed = normal if table.normalized[index] else plain
        return table.kind(index) in kinds and int(table.component_type[index]) in allowed

    def _floats(self, index: int, name: str, pointer: str) -> Floats:
        self._check_format(index, name, pointer)
        return self._accessors.finite_floats(index)

    def _optional(self, attributes: dict[str, int], name: str, pointer: str) -> Floats | None:
        index = attributes.get(name)
        return None if index is None else self._floats(index, name, pointer)

    def _colors(self, attributes: dict[str, int], pointer: str) -> Floats | None:
        """Return COLOR_0; None, and a record, where its format is wrong: a mesh can do without colours."""
        index = attributes.get("COLOR_0")
        if index is None:
            return None
        place = f"{pointer}/attributes/COLOR_0"
        if not self._has_format(index, "COLOR_0"):
            self._log.mend(
                _INVALID_FORMAT, place, f"{self._format_fault(index, 'COLOR_0')}; the colours were left out"
            )
            return None
        return clean_colors(self._accessors.floats(index), place, self._log)

    def _blend(self, attributes: dict[str, int], count: int, pointer: str) -> Floats | None:
        """Return `Character.blend`; None, and a note, where it is not as lissom writes it."""
        index = attributes.get(BLEND)
        if index is None:
            return None
        if self._accessors.describe(index) == "SCALAR of float" and self._accessors.count[index] == count:
            values: Floats = self._accessors.floats(index)[:, 0]
            if ((values >= 0) & (values <= 1)).all():
                return values
        self._log.note(
            "ATTRIBUTE_IGNORED",
            f"{pointer}/attributes/{BLEND}",
            "must be a number from 0 to 1 for each vertex, as lissom writes it, so it is not used",
        )
        return None

    def _influences(
        self, attributes: dict[str, int], pointer: str
    ) -> tuple[NDArray[Any] | None, Floats | None]:
        """Return all JOINTS_n, and all WEIGHTS_n, concatenated."""
        count = _check_pairs(attributes, pointer)
        if count == 0:
            return None, None
        joints: list[Values] = []
        weights: list[Floats] = []
        for number in range(count):
            for name in (f"JOINTS_{number}", f"WEIGHTS_{number}"):
                if name not in attributes:
                    refuse(
                        "MESH_PRIMITIVE_INDEXED_SEMANTIC_CONTINUITY",
                        f"{pointer}/attributes",
                        f"sets must be numbered from 0 without a gap, but {name} is missing",
                    )
                self._check_format(attributes[name], name, pointer)
            joints.append(self._accessors.read(attributes[f"JOINTS_{number}"]))
            weights.append(self._accessors.floats(attributes[f"WEIGHTS_{number}"]))
        if count == 1:
            return joints[0], weights[0]
        return np.concatenate(joints, axis=1), np.concatenate(weights, axis=1)

    def _triangles(self, primitive: Primitive, vertex_count: int, pointer: str) -> Triangles:
        if primitive.indices >= 0:
            corners = self._indices(primitive.indices, vertex_count, f"{pointer}/indices")
        else:
            corners = np.arange(vertex_count, dtype=np.uint32)
        usable = len(corners) - len(corners) % 3 if primitive.mode == TRIANGLES else len(corners)
        if usable < len(corners) or usable < 3:
            self._log.note(
                "MESH_PRIMITIVE_INCOMPATIBLE_MODE",
                pointer,
                f"{len(corners)} vertices do not make whole triangles in mode {primitive.mode}; the"
                " incomplete one was left out",
            )
        if primitive.mode == TRIANGLES:
            return corners[:usable].reshape(-1, 3)
        return _unfold(corners, primitive.mode)

    def _check_index_format(self, index: int, pointer: str) -> None:
        self._accessors.check_index(index, pointer)
        described = self._accessors.describe(index)
        if described not in ("SCALAR of ubyte", "SCALAR of ushort", "SCALAR of uint"):
            refuse(
                "MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT",
                pointer,
                f"indices must be SCALAR of ubyte, ushort or uint, got {described}",
            )

    def _indices(self, index: int, vertex_count: int, pointer: str) -> Triangles:
        self._check_index_format(index, pointer)
        stored = self._accessors.read(index)[:, 0]
        largest = int(stored.max(initial=0))
        if largest == np.iinfo(stored.dtype).max:
            message = f"index {int(stored.argmax())} must not be the restart value, {largest}"
            if largest >= vertex_count:
                refuse("ACCESSOR_INDEX_PRIMITIVE_RESTART", pointer, message)
            self._log.mend("ACCESSOR_INDEX_PRIMITIVE_RESTART", pointer, f"{message}; it was read as a vertex")
        if largest >= vertex_count:
            bad = int((stored >= vertex_count).argmax())
            refuse(
                "ACCESSOR_INDEX_OOB",
                pointer,
                f"index {bad} must be below {vertex_count}, the number of vertices, got {stored[bad]}",
            )
        return stored.astype(np.uint32)


def _check_pairs(attributes: dict[str, int], pointer: str) -> int:
    """Return the number of sets of JOINTS; refuse another number of sets of WEIGHTS."""
    joints, weights = (
        sum(name.startswith(f"{semantic}_") for name in attributes) for semantic in ("JOINTS", "WEIGHTS")
    )
    if joints != weights:
        refuse(
            "MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH",
            f"{pointer}/attributes",
            f"there must be as many sets of JOINTS as of WEIGHTS, got {joints} and {weights}",
        )
    return joints


def _unfold(corners: Triangles, mode: int) -> Triangles:
    """Return the triangles of a strip or fan, with equal winding and without degenerate ones."""
    n = max(len(corners) - 2, 0)
    triangles = np.empty((n, 3), np.uint32)
    a, b, c = triangles.T
    a[:], b[:], c[:] = corners[:1] if mode == TRIANGLE_FAN else corners[:n], corners[1 : n + 1], corners[2:]
    if mode == TRIANGLE_STRIP:
        a[1::2], b[1::2] = corners[2 : n + 1 : 2], corners[1:n:2]  # every second one is wound backwards
    is_degenerate = (a == b) | (b == c) | (a == c)
    return triangles[~is_degenerate] if is_degenerate.any() else triangles
