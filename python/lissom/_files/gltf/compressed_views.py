# SPDX-License-Identifier: MIT
"""Buffer views that are compressed (EXT_meshopt_compression and its successor KHR_meshopt_compression).

Each is decoded into bytes of its own when it is first used. What extensions declare is checked before, for
all views at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lissom import _core
from lissom._base.names import either
from lissom._files.gltf.buffers import Buffers, Bytes
from lissom._files.gltf.log import Log, check_index, refuse
from lissom._files.gltf.schema import BufferViewExtensions, Document, MeshoptView
from lissom._files.gltf.tables import Columns

_MODES = ("ATTRIBUTES", "TRIANGLES", "INDICES")
_FILTERS = ("NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR")

TOO_MUCH_COMPRESSED = "its compressed data is too large"
"""Why a budget does not allow what a file decompresses to."""

_EXT = "EXT_meshopt_compression"
_KHR = "KHR_meshopt_compression"
# The header of attributes that the older extension knows; the other modes have the same in both.
_FIRST_VERSION = 0xA0


class CompressedViews:
    """Finds and decodes compressed buffer views.

    Attributes
    ----------
    is_compressed : ndarray of bool, shape (buffer view,)
    lengths : ndarray of int64, shape (buffer view,)
        Bytes of each compressed view once it is decoded; 0 for others.
    """

    def __init__(self, document: Document, views: Columns, buffers: Buffers, log: Log) -> None:
        self._buffers = buffers
        self._log = log
        self._views = views
        self._lengths_of_buffers = [buffer.byteLength for buffer in document.buffers]
        self._found = {
            number: found
            for number, extensions in views.odd["extensions"].items()
            if (found := _extension(extensions, number, log)) is not None
        }
        self._decoded: dict[int, Bytes] = {}
        self.is_compressed: NDArray[np.bool_] = np.zeros(len(views), bool)
        self.lengths: NDArray[np.int64] = np.zeros(len(views), np.int64)
        for number, (name, told) in self._found.items():
            self._check(number, name, told)
            buffers.budget.add_compressed(told.byteLength)
            self.is_compressed[number] = True
            self.lengths[number] = told.count * told.byteStride

    @property
    def names(self) -> set[str]:
        """The extensions that compress views of this file."""
        return {name for name, _ in self._found.values()}

    @property
    def bytes_left(self) -> int:
        """The bytes of all views that are not decoded yet."""
        return int(self.lengths.sum()) - sum(len(data) for data in self._decoded.values())

    def get(self, number: int) -> Bytes:
        """Return the bytes that a compressed view holds, decoded once."""
        if number not in self._decoded:
            self._decoded[number] = self._decode(number)
        return self._decoded[number]

    def _check(self, number: int, name: str, told: MeshoptView) -> None:
        """Check all that is said of a view, without a look at its bytes."""
        pointer = f"/bufferViews/{number}/extensions/{name}"
        for place, value, known in (("mode", told.mode, _MODES), ("filter", told.filter, _FILTERS)):
            if value not in known:
                refuse(
                    "VALUE_NOT_IN_LIST",
                    f"{pointer}/{place}",
                    f"must be {either(known)}, got '{value[:40]}'",
                )
        check_index(told.buffer, len(self._lengths_of_buffers), "buffers", f"{pointer}/buffer")
        end, length = told.byteOffset + told.byteLength, self._lengths_of_buffers[told.buffer]
        if end > length:
            refuse(
                "BUFFER_VIEW_TOO_LONG",
                f"{pointer}/byteLength",
                f"the compressed data must end within its buffer of {length} bytes, got an end at byte {end}",
            )
        # Their product must fit an int64; what else a stride must be is for the stream's mode to say.
        for place, number_told, most in (("count", told.count, 2**48), ("byteStride", told.byteStride, 256)):
            if number_told > most:
                refuse(
                    "VALUE_NOT_IN_RANGE",
                    f"{pointer}/{place}",
                    f"must be at most {most}, got {number_told}",
                )
        decoded = told.count * told.byteStride
        length, stride = self._views["byteLength"][number], self._views["byteStride"][number]
        if length != decoded:
            self._log.mend(
                "MESHOPT_LENGTH_MISMATCH",
                f"/bufferViews/{number}/byteLength",
                f"must be count times byteStride of {name}, {decoded} bytes, got {length}; the"
                f" {decoded} were read",
            )
        if name == _EXT and stride not in (0, told.byteStride):
            self._log.mend(
                "MESHOPT_STRIDE_MISMATCH",
                f"/bufferViews/{number}/byteStride",
                f"must be that of {name}, {told.byteStride} bytes, got {stride}, by which"
                " what was decoded is read",
            )

    def _decode(self, number: int) -> Bytes:
        name, told = self._found[number]
        pointer = f"/bufferViews/{number}/extensions/{name}"
        stream = self._buffers.get(told.buffer)[told.byteOffset : told.byteOffset + told.byteLength]
        layout = (told.mode, told.filter, told.count, told.byteStride)
        fault = _core.meshopt_fault(stream, *layout)
        if fault:
            refuse("MESHOPT_STREAM_INVALID", pointer, fault)
        is_old = told.filter != "COLOR" and (told.mode != "ATTRIBUTES" or stream[0] == _FIRST_VERSION)
        if name == _EXT and not is_old:
            self._log.mend(
                "MESHOPT_NEWER_STREAM",
                pointer,
                f"the stream is of the kind that {_KHR} brought; it was read all the same",
            )
        self._buffers.budget.spend(int(self.lengths[number]), pointer, TOO_MUCH_COMPRESSED)
        decoded = np.empty(int(self.lengths[number]), np.uint8)
        fault = _core.meshopt_decode(stream, *layout, decoded)
        if fault:
            refuse("MESHOPT_STREAM_INVALID", pointer, fault)
        decoded.flags.writeable = False
        return decoded


def _extension(extensions: BufferViewExtensions, number: int, log: Log) -> tuple[str, MeshoptView] | None:
    """Return the extension that compresses a view, and what it says; the newer one where there are both."""
    old, new = extensions.EXT_meshopt_compression, extensions.KHR_meshopt_compression
    if old is not None and new is not None:
        log.mend(
            "MESHOPT_TWICE",
            f"/bufferViews/{number}/extensions",
            f"must have one of {_EXT} and {_KHR}, got both; the latter was read",
        )
    if new is not None:
        return _KHR, new
    return None if old is None else (_EXT, old)
