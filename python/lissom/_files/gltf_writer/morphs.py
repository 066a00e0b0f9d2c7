# SPDX-License-Identifier: MIT
"""Morph targets: differences of one part, as sparse accessors where those are smaller."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from msgspec import UNSET
from numpy.typing import NDArray

from lissom._files.gltf.codes import ARRAY_BUFFER, DTYPES
from lissom._files.gltf_writer.accessors import Accessors, decimals
from lissom._files.gltf_writer.buffers import BufferViews
from lissom._files.gltf_writer.document import Accessor, Sparse, SparseIndices, SparseValues
from lissom._rig.mesh import Mesh
from lissom._rig.morphs import Morphs
from lissom._rig.part import Part

Rows: TypeAlias = NDArray[np.float32]

_FLOAT = next(code for code, name in DTYPES.items() if name == "<f4")
_INDEX_TYPES = {np.dtype(name).itemsize: code for code, name in DTYPES.items() if name.startswith("<u")}
_BYTES_PER_VECTOR = 12


class MorphWriter:
    """Writes the morph targets of a mesh, part by part.

    Every target of a part has all attributes that any has: readers take one that is not there for something
    else than zeros (three.js for the mesh's own).
    """

    def __init__(self, mesh: Mesh, accessors: Accessors) -> None:
        morphs = mesh.morphs
        assert morphs is not None
        self._morphs: Morphs = morphs
        self._accessors = accessors
        self._attributes: dict[str, Rows] = {"POSITION": morphs.positions}
        if morphs.normals is not None:
            self._attributes["NORMAL"] = morphs.normals
        if morphs.tangents is not None and mesh.tangents is not None:
            self._attributes["TANGENT"] = morphs.tangents
        self._zeros: dict[tuple[int, bool], int] = {}
        self._indices, self._values = _View(), _View()
        self._dense = _View(stride=_BYTES_PER_VECTOR, target=ARRAY_BUFFER)
        self._numbers = self._numbers_of(mesh.parts)

    def _numbers_of(self, parts: tuple[Part, ...]) -> dict[int, NDArray[np.int64]]:
        """Return which targets each part has: those that move it, and the first those that move none."""
        morphs = self._morphs
        target = np.repeat(np.arange(len(morphs)), np.diff(morphs.offsets))
        written = [part for part in parts if part.vertices.stop > part.vertices.start]
        numbers: dict[int, NDArray[np.int64]] = {}
        for part in written:
            inside = (morphs.vertices >= part.vertices.start) & (morphs.vertices < part.vertices.stop)
            numbers[part.vertices.start] = np.unique(target[inside])
        if written:
            idle = np.setdiff1d(np.arange(len(morphs)), np.concatenate([*numbers.values()]))
            first = next((place for place, each in numbers.items() if len(each)), written[0].vertices.start)
            numbers[first] = np.union1d(numbers[first], idle)
        return numbers

    def numbers(self, part: Part) -> NDArray[np.int64]:
        """Return the numbers, among the mesh's, of the targets that a part has in the file, in its order."""
        return self._numbers[part.vertices.start]

    def targets(self, part: Part) -> list[dict[str, int]]:
        """Write the targets of a part; return their accessors by attribute."""
        is_points = part.triangles.stop == part.triangles.start  # which have no tangents
        names = [name for name in self._attributes if name != "TANGENT" or not is_points]
        return [
            {name: self._target(int(number), name, part) for name in names} for number in self.numbers(part)
        ]

    def names(self, part: Part) -> list[str]:
        """Return the names that other tools show: without the node's, where they differ so."""
        full = [self._morphs.names[number] for number in self.numbers(part)]
        short = [name.rpartition("/")[2] or name for name in full]
        return short if len(set(short)) == len(short) else full

    def weights(self, part: Part) -> list[float]:
        """Return the default weights of a part's targets; none where all are 0."""
        weights = self._morphs.defaults[self.numbers(part)]
        return decimals(weights) if weights.any() else []

    def _target(self, number: int, name: str, part: Part) -> int:
        """Write one attribute of one target; return its accessor."""
        begin, end = part.vertices.start, part.vertices.stop
        rows = self._morphs.rows(number)
        first, last = np.searchsorted(self._morphs.vertices[rows], [begin, end]) + rows.start
        values = self._attributes[name][first:last].astype("<f4", copy=False)
        moves = values.any(axis=1)
        values, vertices = values[moves], self._morphs.vertices[first:last][moves] - np.uint32(begin)
        count, bounded = end - begin, name == "POSITION"
        if not len(values):
            return self._zero(count, bounded)
        size = 1 if count <= 1 << 8 else 2 if count <= 1 << 16 else 4
        accessor = Accessor(_FLOAT, count, "VEC3", UNSET)
        if len(values) * (size + _BYTES_PER_VECTOR) < count * _BYTES_PER_VECTOR:
            indices, stored = SparseIndices(_INDEX_TYPES[size]), SparseValues()
            self._indices.add(vertices.astype(f"<u{size}"), indices)
            self._values.add(values, stored)
            accessor.sparse = Sparse(len(values), indices, stored)
        else:
            dense = np.zeros((count, 3), "<f4")
            dense[vertices] = values
            self._dense.add(dense, accessor)
        if bounded:
            low, high = values.min(axis=0), values.max(axis=0)
            if len(values) < count:  # the others are zero
                low, high = np.minimum(low, 0), np.maximum(high, 0)
            accessor.min, accessor.max = decimals(low), decimals(high)
        self._accessors.table.append(accessor)
        return len(self._accessors.table) - 1

    def close(self) -> None:
        """Write the views."""
        for view in (self._indices, self._values, self._dense):
            view.close(self._accessors.views)

    def _zero(self, count: int, bounded: bool) -> int:
        """Return an accessor of zeros, which takes no bytes."""
        if (count, bounded) not in self._zeros:
            accessor = Accessor(_FLOAT, count, "VEC3", UNSET)
            if bounded:
                accessor.min = accessor.max = [0.0, 0.0, 0.0]
            self._accessors.table.append(accessor)
            self._zeros[count, bounded] = len(self._accessors.table) - 1
        return self._zeros[count, bounded]


class _View:
    """Arrays one after another in a buffer view, each at a multiple of 4 bytes."""

    def __init__(self, stride: int = 0, target: int = 0) -> None:
        self._stride, self._target = stride, target
        self._chunks: list[bytes] = []
        self._size = 0
        self._users: list[Accessor | SparseIndices | SparseValues] = []

    def add(self, values: NDArray[Any], user: Accessor | SparseIndices | SparseValues) -> None:
        """Store an array; `user` is told where it is, and of which view once that is written."""
        data = values.tobytes()
        user.byteOffset = self._size
        self._users.append(user)
        self._chunks.append(data + bytes(-len(data) % 4))
        self._size += len(self._chunks[-1])

    def close(self, views: BufferViews) -> None:
        """Write the view."""
        if not self._users:
            return
        number = views.add(self._chunks, stride=self._stride, target=self._target)
        for user in self._users:
            user.bufferView = number
