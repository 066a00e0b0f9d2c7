# SPDX-License-Identifier: MIT
"""Accessors: what lies where in the buffer views, and between which bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom._files.gltf.codes import ARRAY_BUFFER, DTYPES
from lissom._files.gltf_writer.buffers import BufferViews
from lissom._files.gltf_writer.document import Accessor

_COMPONENT_TYPES = {dtype[1:]: code for code, dtype in DTYPES.items()}


def decimals(values: NDArray[np.float32]) -> list[float]:
    """Give the shortest decimals that read back as these very float32 numbers."""
    return [float(str(value)) for value in np.asarray(values, np.float32).ravel()]


class Accessors:
    """The table of accessors; equal ones are written once."""

    def __init__(self, views: BufferViews) -> None:
        self.table: list[Accessor] = []
        self.views = views

    def add(self, rows: NDArray[Any], kind: str, view: int, offset: int, *, bounded: bool = False) -> int:
        """Add an accessor of rows (N, components), N at least 1, which lie in a view; give its index."""
        code = _COMPONENT_TYPES[rows.dtype.str[1:]]
        accessor = Accessor(code, len(rows), kind, view, offset)
        if bounded:
            accessor.min, accessor.max = decimals(rows.min(axis=0)), decimals(rows.max(axis=0))
        self.table.append(accessor)
        return len(self.table) - 1

    def vertices(self, values: NDArray[Any]) -> VertexRows:
        """Place an array of the whole mesh, shape (V, components), of which parts are given by rows."""
        array = np.ascontiguousarray(values)
        view = self.views.add([array.tobytes()], stride=array.strides[0], target=ARRAY_BUFFER)
        return VertexRows(self, view, array)


class VertexRows:
    """One attribute of all vertices; accessors of it are runs of rows."""

    def __init__(self, accessors: Accessors, view: int, array: NDArray[Any]) -> None:
        self._accessors = accessors
        self._view = view
        self._array = array
        self._known: dict[tuple[int, int], int] = {}

    def accessor(self, rows: slice, *, bounded: bool = False) -> int:
        """Give the accessor of some rows."""
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
    """Arrays in one buffer view, one behind the other. Equal ones lie there once, and have one accessor.

    Parameters
    ----------
    accessors : Accessors
    target : int
        What the view is for; 0 for all but vertices and indices.
    """

    def __init__(self, accessors: Accessors, target: int = 0) -> None:
        self._accessors = accessors
        self._target = target
        self._chunks: list[bytes] = []
        self._size = 0
        self._places: dict[tuple[str, bool, bytes], int] = {}
        self._members: list[int] = []

    def add(self, values: NDArray[Any], kind: str, *, bounded: bool = False) -> int:
        """Add an array of one component type, shape (N, ...), N at least 1; give its accessor."""
        data = values.tobytes()
        place = self._places.get((kind, bounded, data))
        if place is None:
            rows = values.reshape(len(values), -1)
            place = self._accessors.add(rows, kind, -1, self._size, bounded=bounded)
            self._places[kind, bounded, data] = place
            self._members.append(place)
            self._chunks.append(data)
            self._size += len(data)
        return place

    def close(self) -> None:
        """Write the view."""
        if not self._chunks:
            return
        view = self._accessors.views.add(self._chunks, target=self._target)
        for place in self._members:
            self._accessors.table[place].bufferView = view
