# SPDX-License-Identifier: MIT
"""The differences of morph targets: read as sparse rows, moved with their part, merged into `Morphs`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lissom._base.distinct import distinct
from lissom._files.gltf.accessors import Accessors
from lissom._files.gltf.codes import BYTE, FLOAT, SHORT, UBYTE, USHORT
from lissom._files.gltf.largest import refuse_larger
from lissom._files.gltf.log import Log, refuse
from lissom._files.gltf.morph_targets import MorphTargets
from lissom._files.gltf.primitives import Geometry
from lissom._files.gltf.schema import Document, Primitive
from lissom._rig.morphs import Morphs
from lissom._rig.moved import moved_differences

Float: TypeAlias = NDArray[np.float64]
Rows: TypeAlias = dict[str, NDArray[np.float32]]

MORPHED = {"POSITION": "positions", "NORMAL": "normals", "TANGENT": "tangents"}
"""Attributes that morph targets change, and their names in `Geometry` and `Morphs`."""

# Component types by attribute, glTF 2.0 section 3.7.2.2 and KHR_mesh_quantization, all VEC3: plain ones, and
# normalized ones. The extension allows signed ones; unsigned ones say what they mean, too.
_PLAIN = {"POSITION": {FLOAT, BYTE, UBYTE, SHORT, USHORT}, "NORMAL": {FLOAT}, "TANGENT": {FLOAT}}
_NORMALIZED = {"POSITION": {BYTE, UBYTE, SHORT, USHORT}, "NORMAL": {BYTE, SHORT}, "TANGENT": {BYTE, SHORT}}

# A vertex and a difference of one attribute. Attributes are merged one after another, so that one alone is
# there twice, in the parts and merged.
_BYTES_PER_INDEX = 4
_BYTES_PER_VECTOR = 12
# What one target takes while it is read and moved, in int64 and float64.
_BYTES_PER_STEP = 96


@dataclass(slots=True)
class MorphedPart:
    """A primitive of a node, with what its morph targets are read with.

    Attributes
    ----------
    node : int
    primitive : Primitive
    pointer : str
        To the primitive.
    geometry : Geometry
        Of the primitive, in the space of its mesh.
    linear : ndarray of float64, shape (3, 3), or None
        What moved the part into model space; None where it stands there already.
    first_vertex : int
        Its first vertex in the merged mesh.
    """

    node: int
    primitive: Primitive
    pointer: str
    geometry: Geometry
    linear: Float | None = None
    first_vertex: int = 0


class MorphRows:
    """Reads the targets of all parts and merges them."""

    def __init__(self, document: Document, accessors: Accessors, log: Log) -> None:
        self._accessors = accessors
        self._log = log
        self._largest = 0
        self._missing = accessors.is_missing if len(accessors) else np.zeros(0, np.bool_)
        name = "KHR_mesh_quantization"
        self._quantized = name in document.extensionsUsed or name in document.extensionsRequired

    def merge(self, targets: MorphTargets, parts: list[MorphedPart]) -> Morphs | None:
        """Return the morph targets of the merged mesh; `parts` are in the order of their vertices.

        Chunk after chunk into one run of bytes, which nobody can write any more: the mesh keeps it as it is.
        """
        if not targets.names:
            return None
        pieces = sorted(
            (int(number), place, target)
            for place, part in enumerate(parts)
            for target, number in enumerate(targets.numbers[part.node][: len(part.primitive.targets)])
        )
        counts = np.zeros(len(targets.names) + 1, np.int64)
        vertices: list[NDArray[np.uint32]] = []
        chunks: list[Rows] = []
        for number, place, target in pieces:
            part = parts[place]
            rows, values = self._read(part, target)
            if not len(rows):
                continue
            counts[number + 1] += len(rows)
            vertices.append(np.asarray(rows + part.first_vertex, np.uint32))
            chunks.append(_moved(values, rows, part))
        lengths = [len(rows) for rows in vertices]
        places = np.frombuffer(b"".join(rows.data for rows in vertices), np.uint32)
        vertices.clear()
        merged = {name: _joined(name, lengths, chunks) for name in MORPHED.values()}
        positions = merged.pop("positions")
        if positions is None:
            positions = np.zeros((len(places), 3), np.float32)
        for array in (positions, *merged.values()):
            if array is not None:
                refuse_larger(array, "/meshes")
        return Morphs(
            targets.names, np.cumsum(counts), places, positions, **merged, defaults=targets.defaults
        )

    def _read(self, part: MorphedPart, target: int) -> tuple[NDArray[np.int64], Rows]:
        """Return the vertices of a primitive that a target moves, and by what."""
        geometry, pointer = part.geometry, f"{part.pointer}/targets/{target}"
        read: dict[str, tuple[NDArray[np.int64], NDArray[np.float32]]] = {}
        for semantic, index in part.primitive.targets[target].items():
            place = f"{pointer}/{semantic}"
            name = MORPHED.get(semantic)
            if name is None:
                self._log.note("MORPH_ATTRIBUTE_LEFT_OUT", place, f"morphed {semantic:.40} are not loaded")
                continue
            self.check(index, semantic, len(geometry.positions), place)
            if getattr(geometry, name) is None:
                self._log.mend(
                    "MESH_PRIMITIVE_MORPH_TARGET_NO_BASE_ACCESSOR",
                    place,
                    f"the primitive must have {semantic}, too; left out",
                )
            elif self._missing[index]:
                self._log.note("BUFFER_WITHOUT_DATA", place, "the target's buffer has no data; left out")
            else:
                self._reserve(index, place)
                read[name] = self._accessors.changed(index)
        if not read:
            return np.zeros(0, np.int64), {}
        each = [rows for rows, _ in read.values()]
        same = all(np.array_equal(each[0], rows) for rows in each[1:])
        union = each[0] if same else distinct(np.concatenate(each))
        per_row = _BYTES_PER_INDEX + _BYTES_PER_VECTOR * (len(read) + 1)
        self._accessors.budget.spend(per_row * len(union), pointer)
        if same:
            return union, {name: values for name, (_, values) in read.items()}
        filled: Rows = {}
        for name, (rows, values) in read.items():
            filled[name] = np.zeros((len(union), 3), np.float32)
            filled[name][np.searchsorted(union, rows)] = values
        return union, filled

    def _reserve(self, index: int, pointer: str) -> None:
        """Charge what reading an accessor takes on top for a while: once, for the largest."""
        count = self._accessors.stored_count(index)
        self._accessors.budget.spend(_BYTES_PER_STEP * max(0, count - self._largest), pointer)
        self._largest = max(self._largest, count)

    def check(self, index: int, semantic: str, count: int, pointer: str) -> None:
        """Check number and format of the differences of one attribute, which must be one that is read."""
        table = self._accessors
        table.check_index(index, pointer)
        if table.count[index] != count:
            refuse(
                "MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT",
                pointer,
                f"{semantic} must have {count} elements, as the primitive has, got {table.count[index]}",
            )
        allowed: set[int] = {FLOAT} if not table.normalized[index] else set()
        if self._quantized:
            allowed = (_NORMALIZED if table.normalized[index] else _PLAIN)[semantic]
        described = table.describe(index)
        if not described.startswith("VEC3 ") or table.component_type[index] not in allowed:
            refuse(
                "MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT",
                pointer,
                f"{semantic} must have another format than {described}",
            )


def _joined(name: str, lengths: list[int], chunks: list[Rows]) -> NDArray[np.float32] | None:
    """Take one attribute out of all chunks; zeros where a chunk lacks it; None where all do, or are zero."""
    taken = [chunk.pop(name, None) for chunk in chunks]
    if not any(rows is not None and rows.any() for rows in taken):
        return None
    zeros = np.zeros((max(lengths), 3), np.float32)
    parts = (
        np.ascontiguousarray(zeros[:length] if rows is None else rows).data
        for rows, length in zip(taken, lengths, strict=True)
    )
    joined: NDArray[Any] = np.frombuffer(b"".join(parts), np.float32)
    return joined.reshape(-1, 3)


def _moved(values: Rows, rows: NDArray[np.int64], part: MorphedPart) -> Rows:
    """Return differences in model space."""
    if part.linear is None:
        return values
    moved: Rows = {}
    for name, deltas in values.items():
        base = None if name == "positions" else getattr(part.geometry, name)[rows, :3]
        moved[name] = moved_differences(name, deltas, base, part.linear)
    return moved
