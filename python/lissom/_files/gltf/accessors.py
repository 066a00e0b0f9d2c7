# SPDX-License-Identifier: MIT
"""Accessors: typed views of the buffers, whose sizes are all checked before any byte is read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lissom import _core
from lissom._files.gltf.buffers import Buffers, Bytes
from lissom._files.gltf.codes import COMPONENT_NAMES, COMPONENTS, DTYPES
from lissom._files.gltf.compressed_views import TOO_MUCH_COMPRESSED, CompressedViews
from lissom._files.gltf.log import Log, check_index, refuse
from lissom._files.gltf.schema import Document, Sparse
from lissom._files.gltf.tables import TYPE_INDICES, UNKNOWN, Tables

Values: TypeAlias = NDArray[Any]

_TYPES = tuple(COMPONENTS)
# (columns, rows) of the matrix types, whose columns start at multiples of 4 bytes.
_MATRICES = {TYPE_INDICES[f"MAT{size}"]: (size, size) for size in (2, 3, 4)}
# What may be wrong with where an accessor lies, as the core calls it: code, and sentence.
_FAULTS = {
    "stride": (
        "ACCESSOR_SMALL_BYTESTRIDE",
        "the stride of the buffer view must be at least the size of an element, {} bytes, got {}",
    ),
    "end": (
        "ACCESSOR_TOO_LONG",
        "the accessor must fit into the {} bytes of its buffer view, got {}",
    ),
    "alignment": (
        "ACCESSOR_TOTAL_OFFSET_ALIGNMENT",
        "the data must start at a multiple of {} bytes, the size of a component, got byte {} of the buffer",
    ),
}
# An accessor without bufferView is all zeros and may declare any count; decoding it must stay bounded.
_ZEROS_ALWAYS_ALLOWED = 1 << 20


class Accessors:
    """The accessor table: one array per property, for checks over all accessors at once.

    Attributes
    ----------
    count, components, component_type, stride, start, buffer : ndarray of int64, shape (accessor,)
        Number of elements, components per element, component type, bytes from element to element, byte offset
        in the buffer, index of the buffer (-1 without bufferView). A compressed buffer view is a buffer of
        its own: their indices come after those of the file's buffers.
    type : ndarray of int64, shape (accessor,)
        Accessor type, by `TYPE_INDICES`; `UNKNOWN` for others.
    budget : Budget
        What the load may take.
    normalized, is_sparse, is_plain, is_compressed : ndarray of bool, shape (accessor,)
        is_plain: float32, not sparse, tightly packed in a buffer, at a multiple of 4 bytes.
    has_data : ndarray of bool, shape (accessor,)
        Whether elements are stored, or were supplied, rather than all zero.
    compression : set of str
        Extensions that compress buffer views of the file.
    """

    def __init__(self, document: Document, tables: Tables, buffers: Buffers, log: Log) -> None:
        self._document = document
        self._buffers = buffers
        self.budget = buffers.budget
        self._log = log
        views, table = tables.views, tables.accessors
        self._view_buffer, self._view_length = views["buffer"], views["byteLength"]
        self._view_offset, self._view_stride = views["byteOffset"], views["byteStride"]
        self._compressed = CompressedViews(document, views, buffers, log)
        self.compression = self._compressed.names
        self._check_views()
        self._place_compressed()

        self.component_type, self.count, self.type = table["componentType"], table["count"], table["type"]
        self.view, self.byte_offset = table["bufferView"], table["byteOffset"]
        self.normalized = table["normalized"] > 0
        self._sparse: dict[int, Sparse] = table.odd["sparse"]
        self._odd_types: dict[int, str] = table.odd["type"]
        self.is_sparse = np.zeros(len(self.count), bool)
        self.is_sparse[list(self._sparse)] = True
        self._lay_out()
        self._supplied: dict[int, Values] = {}
        self.has_data = self.has_view | self.is_sparse
        for index, sparse in self._sparse.items():
            self._check_sparse(index, sparse)

    def __len__(self) -> int:
        return len(self.count)

    def _check_views(self) -> None:
        lengths = np.array([buffer.byteLength for buffer in self._document.buffers], np.int64)
        if _core.plain_views_fit(self._view_buffer, self._view_offset, self._view_length, lengths):
            return
        bad = _first(self._view_buffer >= len(lengths))
        if bad >= 0:
            check_index(self._view_buffer[bad], len(lengths), "buffers", f"/bufferViews/{bad}/buffer")
        end = self._view_offset + self._view_length
        # What stands in for compressed data is not read.
        bad = _first((end > lengths[self._view_buffer]) & ~self._compressed.is_compressed)
        if bad >= 0:
            refuse(
                "BUFFER_VIEW_TOO_LONG",
                f"/bufferViews/{bad}/byteLength",
                f"the buffer view must end within its buffer of {lengths[self._view_buffer[bad]]} bytes, "
                f"got an end at byte {end[bad]}",
            )

    def _place_compressed(self) -> None:
        """Make each compressed view a buffer of its own, which is decoded on first use."""
        if not self.compression:
            return
        views = np.flatnonzero(self._compressed.is_compressed)
        self._view_buffer[views] = len(self._document.buffers) + views
        self._view_length[views] = self._compressed.lengths[views]
        self._view_offset[views] = 0

    def _bytes(self, buffer: int) -> Bytes:
        """Return the bytes of a buffer of the file, or of a compressed view."""
        own = len(self._document.buffers)
        return self._buffers.get(buffer) if buffer < own else self._compressed.get(buffer - own)

    def _lay_out(self) -> None:
        columns, fault = _core.accessor_layout(
            self._view_buffer,
            self._view_length,
            self._view_offset,
            self._view_stride,
            self.component_type,
            self.count,
            self.type,
            self.view,
            self.byte_offset,
            self.is_sparse,
            len(self._document.buffers),
        )
        (
            self.component_size,
            self.components,
            self.element_size,
            self.stride,
            self.start,
            self.buffer,
            self.has_view,
            self.has_stride,
            self.is_compressed,
            self.is_plain,
        ) = columns
        kind, row, expected, got = fault
        if kind == "view":
            self._check_view(got, f"/accessors/{row}/bufferView")
        elif kind:
            code, sentence = _FAULTS[kind]
            refuse(code, f"/accessors/{row}", sentence.format(expected, got))

    def _check_sparse(self, index: int, sparse: Sparse) -> None:
        pointer = f"/accessors/{index}/sparse"
        if sparse.count > self.count[index]:
            refuse(
                "ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE",
                f"{pointer}/count",
                f"at most {self.count[index]} elements, as the accessor has, must be sparse, got"
                f" {sparse.count}",
            )
        kind = DTYPES.get(sparse.indices.componentType, "")
        if not kind.startswith("<u"):
            refuse(
                "VALUE_NOT_IN_LIST",
                f"{pointer}/indices/componentType",
                f"sparse indices must be unsigned bytes, shorts or ints, got {sparse.indices.componentType}",
            )
        width = np.dtype(kind).itemsize
        parts = (
            ("indices", sparse.indices, width, width),
            ("values", sparse.values, int(self.element_size[index]), 1),
        )
        for name, part, size, alignment in parts:
            view = part.bufferView
            place = f"{pointer}/{name}"
            self._check_view(view, f"{place}/bufferView")
            if part.byteOffset + size * sparse.count > self._view_length[view]:
                refuse(
                    "ACCESSOR_TOO_LONG",
                    place,
                    f"{sparse.count} sparse {name} must fit into the {self._view_length[view]} bytes of their"
                    f" buffer view, got {part.byteOffset + size * sparse.count}",
                )
            if (self._view_offset[view] + part.byteOffset) % alignment:
                refuse(
                    "ACCESSOR_TOTAL_OFFSET_ALIGNMENT",
                    place,
                    f"the sparse {name} must start at a multiple of {size} bytes",
                )

    @property
    def is_missing(self) -> NDArray[np.bool_]:
        """Whether the buffer of each accessor has no data, which an application would have to provide."""
        missing = self._missing_buffers()
        return np.isin(self.buffer, missing) if missing else np.zeros(self.buffer.shape, np.bool_)

    def are_missing(self, indices: Iterable[int]) -> bool:
        """Whether the buffer of one of some accessors has no data; those that are not there have some."""
        missing = self._missing_buffers()
        return bool(missing) and any(int(self.buffer[one]) in missing for one in indices if one < len(self))

    def _missing_buffers(self) -> list[int]:
        return [n for n in range(len(self._document.buffers)) if self._buffers.is_missing(n)]

    def check_index(self, index: int, pointer: str) -> None:
        """Refuse the index of an accessor that the file does not have."""
        check_index(index, len(self.count), "accessors", pointer)

    def _check_view(self, view: int, pointer: str) -> None:
        check_index(view, len(self._view_buffer), "buffer views", pointer)

    def read(self, index: int) -> Values:
        """Return elements as stored: shape (count, components), read-only, copied only where sparse."""
        dtype = self._check_type(index)
        values: Values
        if index in self._supplied:
            values = self._supplied[index].view()
        elif self.has_view[index]:
            values = self._view(index, dtype)
        else:
            values = self._zeros(index, dtype, f"/accessors/{index}")
        if self.is_sparse[index]:
            values = self._with_sparse(index, values)
        values.flags.writeable = False
        return values

    def _check_type(self, index: int) -> np.dtype[Any]:
        """Return the type of the components; refuse an accessor of unknown type."""
        dtype = DTYPES.get(int(self.component_type[index]))
        pointer = f"/accessors/{index}"
        if dtype is None:
            refuse(
                "VALUE_NOT_IN_LIST",
                f"{pointer}/componentType",
                f"componentType must be one of glTF's, got {self.component_type[index]}",
            )
        if self.components[index] == 0:
            kind = self._odd_types[index]
            refuse("VALUE_NOT_IN_LIST", f"{pointer}/type", f"type must be one of glTF's, got '{kind[:40]}'")
        return np.dtype(dtype)

    def floats(self, index: int) -> NDArray[np.float32]:
        """Return elements as float32, with normalised integers in [0, 1] or [-1, 1] (glTF 2.0, 3.11)."""
        return self.scaled(index, self.read(index))

    def scaled(self, index: int, values: Values) -> NDArray[np.float32]:
        """Return values, as an accessor stores them, as float32."""
        if values.dtype == np.float32:
            return values
        scaled: NDArray[np.float32] = values.astype(np.float32)
        if self.normalized[index] and values.dtype != np.uint32:
            scaled /= np.float32(np.iinfo(values.dtype).max)
            if values.dtype.kind == "i":
                np.maximum(scaled, np.float32(-1), out=scaled)
        return scaled

    def finite_floats(self, index: int) -> NDArray[np.float32]:
        """Return elements as float32; refuse NaN and infinity."""
        values = self.floats(index)
        self.refuse_not_finite(index, values)
        return values

    def refuse_not_finite(
        self, index: int, values: NDArray[np.float32], places: NDArray[np.int64] | None = None
    ) -> None:
        """Refuse NaN and infinity; the values are those of all elements, or of `places`."""
        if values.flags.c_contiguous and values.flags.aligned:
            is_finite = _core.are_finite(values)
        else:  # zeros that no data stands for, which are not to be filled in for this
            with np.errstate(invalid="ignore"):
                total = np.add.reduce(values, axis=None, dtype=np.float64)
            is_finite = bool(np.isfinite(total))  # float32 cannot overflow a float64 sum
        if not is_finite:
            bad = int(np.flatnonzero(~np.isfinite(values))[0])
            row = bad // values.shape[1]
            refuse(
                "ACCESSOR_INVALID_FLOAT",
                f"/accessors/{index}",
                f"component {bad % values.shape[1]} of element {row if places is None else places[row]} must"
                f" be finite, got {values.reshape(-1)[bad]}",
            )

    def changed(self, index: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return which elements of a VEC3 are not zero, and those as float32; refuse NaN and infinity.

        A sparse accessor without other data is not filled up with zeros first, nor is one without any data.
        What is returned, and as much again, is the caller's to charge; here it is what is looked through.
        """
        if not self.has_view[index] and not self.is_sparse[index]:
            return np.zeros(0, np.int64), np.zeros((0, 3), np.float32)
        pointer = f"/accessors/{index}"
        places: NDArray[np.int64] | None = None
        if self.has_view[index]:
            stored = self.read(index)
        else:
            self._check_type(index)
            places, stored = self.sparse(index)
        self.budget.spend(len(stored), pointer)
        x, y, z = stored.T  # column by column, which NumPy does much faster than any() over rows
        kept = np.flatnonzero((x != 0) | (y != 0) | (z != 0))  # NaN is not zero
        values = self.scaled(index, stored[kept])
        kept = kept if places is None else places[kept]
        self.refuse_not_finite(index, values, kept)
        return kept, values

    def stored_count(self, index: int) -> int:
        """Return how many elements of an accessor have data: of a sparse one without other data, its own."""
        if self.has_view[index]:
            return int(self.count[index])
        return self._sparse[index].count if index in self._sparse else 0

    def buffer_values(self, buffer: int, dtype: DTypeLike = np.float32) -> NDArray[Any]:
        """Return a whole buffer as a read-only view of numbers of one type."""
        data, size = self._bytes(buffer), np.dtype(dtype).itemsize
        return data[: len(data) // size * size].view(dtype)

    def floats_at_hand(self, buffer: int) -> NDArray[np.float32] | None:
        """Return what `buffer_values` does of a buffer of the file that was read already; None of others."""
        if self._buffers.is_read(buffer):
            return self.buffer_values(buffer)
        return None

    def spend(self, index: int, pointer: str, times: int = 1) -> None:
        """Charge the bytes of an accessor as float32, `times` over."""
        count = int(self.count[index]) * int(self.components[index])
        why = (TOO_MUCH_COMPRESSED,) if self.is_compressed[index] else ()
        self.budget.spend(4 * times * count, pointer, *why)

    def supply(self, values: dict[int, Values]) -> None:
        """Take elements of accessors, of the accessors' types, that were decoded from elsewhere."""
        self._supplied |= values
        self.has_data[list(values)] = True

    def withdraw(self, indices: Iterable[int]) -> None:
        """Forget elements that were supplied."""
        for index in indices:
            del self._supplied[index]
            self.has_data[index] = self.has_view[index] or self.is_sparse[index]

    @property
    def compressed_bytes(self) -> int:
        """The bytes of all compressed views that are not decoded yet."""
        return self._compressed.bytes_left

    def view_array(self, view: int, pointer: str) -> Bytes:
        """Return the bytes of a buffer view, read-only."""
        self._check_view(view, pointer)
        start = int(self._view_offset[view])
        data = self._bytes(int(self._view_buffer[view]))
        return data[start : start + int(self._view_length[view])]

    def view_bytes(self, view: int, pointer: str) -> bytes:
        """Return a copy of the bytes of a buffer view."""
        self._check_view(view, pointer)
        self.budget.spend(int(self._view_length[view]), pointer)
        return self.view_array(view, pointer).tobytes()

    def describe(self, index: int) -> str:
        """Return type and component type as text, such as "VEC3 of float"."""
        code = int(self.component_type[index])
        component = COMPONENT_NAMES.get(code, str(code))
        normal = "normalized " if self.normalized[index] else ""
        return f"{self._type_of(index)[:20]} of {normal}{component}"

    def kind(self, index: int) -> str:
        """Return the type as text, such as "VEC3"."""
        return self._type_of(index)[:20].split(" ")[0]

    def _type_of(self, index: int) -> str:
        code = self.type[index]
        return self._odd_types[index] if code == UNKNOWN else _TYPES[code]

    def _view(self, index: int, dtype: np.dtype[Any]) -> Values:
        data = self._bytes(int(self.buffer[index]))
        count, start, stride = int(self.count[index]), int(self.start[index]), int(self.stride[index])
        matrix = _MATRICES.get(int(self.type[index]))
        if matrix is not None and dtype.itemsize < 4:
            columns, rows = matrix
            column_stride = -(-rows * dtype.itemsize // 4) * 4
            shape: tuple[int, ...] = (count, columns, rows)
            strides: tuple[int, ...] = (stride, column_stride, dtype.itemsize)
            padded: Values = np.ndarray(shape, dtype, data.data, start, strides)
            return padded.reshape(count, columns * rows)
        shape = (count, int(self.components[index]))
        return np.ndarray(shape, dtype, data.data, start, (stride, dtype.itemsize))

    def _zeros(self, index: int, dtype: np.dtype[Any], pointer: str) -> Values:
        count, components = int(self.count[index]), int(self.components[index])
        if count * components * dtype.itemsize > 4 * self.budget.total + _ZEROS_ALWAYS_ALLOWED:
            refuse(
                "LIMIT_EXCEEDED",
                f"{pointer}/count",
                f"an accessor without data must not be much larger than the file of {self.budget.total}"
                f" bytes, got {count} elements",
            )
        return np.broadcast_to(np.zeros((1, components), dtype), (count, components)).view()

    def _with_sparse(self, index: int, values: Values) -> Values:
        places, replaced = self.sparse(index)
        self.budget.spend(values.nbytes, f"/accessors/{index}/sparse/indices")
        result = values.copy()
        result[places] = replaced
        return result

    def sparse(self, index: int) -> tuple[NDArray[np.int64], Values]:
        """Return which elements a sparse accessor replaces, and by what, as stored."""
        sparse = self._sparse[index]
        self.budget.spend(8 * sparse.count, f"/accessors/{index}/sparse/indices")
        indices = self._packed(
            sparse.indices.bufferView,
            sparse.indices.byteOffset,
            sparse.count,
            1,
            np.dtype(DTYPES[sparse.indices.componentType]),
        )[:, 0].astype(np.int64)
        pointer = f"/accessors/{index}/sparse/indices"
        bad = _first(indices >= self.count[index])
        if bad >= 0:
            refuse(
                "ACCESSOR_SPARSE_INDEX_OOB",
                pointer,
                f"sparse index {bad} must be below {self.count[index]}, the number of elements, got"
                f" {indices[bad]}",
            )
        bad = _first(indices[1:] <= indices[:-1])
        if bad >= 0:
            refuse(
                "ACCESSOR_SPARSE_INDICES_NON_INCREASING",
                pointer,
                f"sparse index {bad + 1} must be above {indices[bad]}, the one before, got"
                f" {indices[bad + 1]}",
            )
        dtype, components = self._check_type(index), int(self.components[index])
        values = self._packed(
            sparse.values.bufferView, sparse.values.byteOffset, sparse.count, components, dtype
        )
        return indices, values

    def _packed(self, view: int, offset: int, count: int, components: int, dtype: np.dtype[Any]) -> Values:
        data = self._bytes(int(self._view_buffer[view]))
        start = int(self._view_offset[view]) + offset
        return np.ndarray((count, components), dtype, data.data, start)


def _first(mask: NDArray[np.bool_]) -> int:
    """Return the index of the first True; -1 where there is none."""
    index = int(mask.argmax()) if mask.size else 0
    return index if mask.size and mask[index] else -1
