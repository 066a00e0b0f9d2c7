# SPDX-License-Identifier: MIT
"""The buffers of a file, each as one read-only array of bytes, found when first asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lissom._files.gltf import uris
from lissom._files.gltf.container import Container
from lissom._files.gltf.log import Log, refuse
from lissom._files.gltf.schema import Document
from lissom._files.gltf.source import Source

Bytes: TypeAlias = NDArray[np.uint8]
# What decoding may take, as a multiple of what was read, and what any file may take. Both stay below the
# promise that a load grows memory by 8 x the files + 64 MiB: JSON and arrays in passing take their share.
_SPEND_PER_BYTE = 4
_SPEND_ALWAYS_ALLOWED = 32 << 20
_DATA_TYPES = {"", "application/octet-stream", "application/gltf-buffer"}


class Buffers:
    """Finds the bytes of buffers.

    Attributes
    ----------
    total : int
        Bytes of the file and of all companions read so far: what memory limits are measured by.
    """

    def __init__(self, source: Source, container: Container, document: Document, log: Log) -> None:
        self.total = len(source.data)
        self._folder = source.folder
        self._container = container
        self._buffers = document.buffers
        self._log = log
        self._found: dict[int, Bytes] = {}
        self._companions: dict[Path, bytes] = {}
        self._spent = 0

    def spend(self, count: int, pointer: str) -> None:
        """Count bytes that decoding is about to take; refuse a file that asks for far more than it holds."""
        self._spent += count
        if self._spent > _SPEND_PER_BYTE * self.total + _SPEND_ALWAYS_ALLOWED:
            refuse(
                "LIMIT_EXCEEDED",
                pointer,
                f"decoded, the file takes more than {self._spent >> 20} MiB, it has {self.total} bytes"
                " itself; a file that uses the same data so many times is not loaded",
            )

    def check(self) -> None:
        """Look at every buffer that is inside the file; strictly, at those beside it too."""
        for index, buffer in enumerate(self._buffers):
            inside = uris.is_data(buffer.uri) if buffer.uri is not None else self._is_chunk(index)
            beside = buffer.uri is not None and not uris.is_absolute(buffer.uri)
            if inside or (self._log.strict and beside):
                self.get(index)

    def get(self, index: int) -> Bytes:
        """Bytes of one buffer, at least as many as it declares."""
        found = self._found.get(index)
        if found is None:
            found = self._found[index] = self._find(index)
        return found

    def is_missing(self, index: int) -> bool:
        """Whether the file leaves it to others to bring the data: valid, and not readable."""
        return self._buffers[index].uri is None and not self._is_chunk(index)

    def image(self, uri: str, pointer: str) -> tuple[bytes, str]:
        """Read an image outside the buffers: its encoded bytes, and the media type where the URI says it."""
        if uris.is_data(uri):
            return uris.decode_data(uri, pointer)
        return self._companion(uri, pointer), ""

    def _companion(self, uri: str, pointer: str) -> bytes:
        """Read a file beside the glTF, once however often and under however many spellings it is named."""
        path = uris.locate(self._folder, uri, pointer)
        if path not in self._companions:
            data = self._companions[path] = uris.read_regular(path, pointer)
            self.total += len(data)
        return self._companions[path]

    def _is_chunk(self, index: int) -> bool:
        return index == 0 and self._container.is_binary and self._buffers[0].uri is None

    def _find(self, index: int) -> Bytes:
        buffer = self._buffers[index]
        pointer = f"/buffers/{index}"
        data: bytes | memoryview
        if buffer.uri is not None and uris.is_data(buffer.uri):
            data, kind = uris.decode_data(buffer.uri, f"{pointer}/uri")
            if kind not in _DATA_TYPES:
                self._log.mend(
                    "BUFFER_DATA_URI_MIME_TYPE_INVALID",
                    f"{pointer}/uri",
                    f"the data URI of a buffer says '{kind[:40]}'; it was read as application/octet-stream",
                )
        elif buffer.uri is not None:
            data = self._companion(buffer.uri, f"{pointer}/uri")
        elif self._is_chunk(index) and self._container.binary is not None:
            data = self._container.binary
            if len(data) - buffer.byteLength > 3:
                self._log.note(
                    "BUFFER_GLB_CHUNK_TOO_BIG",
                    pointer,
                    f"the BIN chunk has {len(data)} bytes, the buffer {buffer.byteLength}; the rest is"
                    f" not read",
                )
        else:
            refuse(
                "BUFFER_MISSING_GLB_DATA",
                pointer,
                "the buffer has no uri, and the file no BIN chunk that holds it",
            )
        if len(data) < buffer.byteLength:
            refuse(
                "BUFFER_BYTE_LENGTH_MISMATCH",
                pointer,
                f"the buffer declares {buffer.byteLength} bytes, {len(data)} are there; the data is cut off",
            )
        array = np.frombuffer(data, np.uint8)
        if array.ctypes.data % 4:  # views of float32 are taken of it
            array = array.copy()
            array.flags.writeable = False
        return array
