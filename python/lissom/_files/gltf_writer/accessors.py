# SPDX-License-Identifier: MIT
"""Accessors: which arrays are where in the buffer views, and their bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom._files.gltf.codes import ARRAY_BUFFER, DTYPES
from lissom._files.gltf_writer.buffers import BufferViews
from lissom._files.gltf_writer.document import Accessor

_COMPONENT_TYPES = {dtype[1:]: code for code, dtype in DTYPES.items()}


def decimals(values: NDArray[np.float32]) -> list[float]:
    """Return the shortest decimals that are read as exactly these float32 numbers."""
    return [float(str(value)) for value in np.asarray(values, np.float32).ravel()]


class Accessors:
    """The table of accessors."""

    def __init__(self, views: BufferViews) -> None:
        self.table: list[Accessor] = []
        self.views = views

    def add(self, rows: NDArray[Any], kind: str, view: int, offset: int, *, bounded: bool = False) -> int:
        """Add an accessor of rows (N, components), N at least 1, at an offset of a view; return its index."""
        code = _COMPONENT_TYPES[rows.dtype.str[1:]]
        accessor = Accessor(code, len(rows), kind, view, offset)
        if bounded:
            accessor.min, accessor.max = decimals(rows.min(axis=0)), decimals(rows.max(axis=0))
        self.table.append(accessor)
        return len(self.table) - 1

    def vertices(self, values: NDArray[Any]) -> VertexRows:
        """Store an attribute of the whole mesh, shape (V, components), in a view of its own."""
        array = np.ascontiguousarray(values)
        view = self.views.add([array.tobytes()], stride=array.strides[0], target=ARRAY_BUFFER)
        return VertexRows(self, view, array)


class VertexRows:
    """One attribute of all vertices; its accessors are ranges of rows, one for each part."""

    def __init__(self, accessors: Accessors, view: int, array: NDArray[Any]) -> None:
        self._accessors = accessors
        self._view = view
        self._array = array
        self._known: dict[tuple[int, int], int] = {}

    def accessor(self, rows: slice, *, bounded: bool = False) -> int:
        """Return the accessor of a range of rows."""
        key = (rows.start, rows.stop)
        if key not in self._known:
            width = self._array.shape[1]
            kind = "SCALAR" if width == 1 else f"VEC{width}"
            offset = rows.start * self._array.strides[0]
            self._known[key] = self._accessors.add(
                self._array[rows], kind, self._view, offset, bounded=bounded
            )
        return self._known[key]


class Pool:
    """Arrays in one buffer view, one after another. Equal ones are stored once, and share an accessor.

    Parameters
    ----------
    accessors : Accessors
    target : int
        Target of the view; 0 for all except vertices and indices.
    """

    def __init__(self, accessors: Accessors, target: int = 0) -> None:
        self._accessors = accessors
        self._target = target
        self._chunks: list[bytes] = []
        self._size = 0
        self._indices: dict[tuple[str, bool, bytes], int] = {}

    def add(self, values: NDArray[Any], kind: str, *, bounded: bool = False) -> int:
        """Add an array of one component type, shape (N, ...), N at least 1; return its accessor."""
        data = values.tobytes()
        index = self._indices.get((kind, bounded, data))
        if index is None:
            rows = values.reshape(len(values), -1)
            index = self._accessors.add(rows, kind, -1, self._size, bounded=bounded)
            self._indices[kind, bounded, data] = index
            self._chunks.append(data)
            self._size += len(data)
        return index

    def close(self) -> None:
        """Write the view."""
        if not self._chunks:
            return
        view = self._accessors.views.add(self._chunks, target=self._target)
        for index in self._indices.values():
            self._accessors.table[index].bufferView = view
