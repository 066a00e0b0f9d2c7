# SPDX-License-Identifier: MIT
"""The buffers of a file, each as one read-only array of bytes, read on first use."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lissom._files.gltf import uris
from lissom._files.gltf.container import Container
from lissom._files.gltf.log import Log, refuse
from lissom._files.gltf.schema import Buffer, Document
from lissom._files.gltf.source import Source
from lissom._formats.budget import Budget

Bytes: TypeAlias = NDArray[np.uint8]
_DATA_TYPES = {"", "application/octet-stream", "application/gltf-buffer"}


class Buffers:
    """Finds the bytes of buffers.

    Attributes
    ----------
    budget : Budget
        What the load may take; grows with each companion.
    """

    def __init__(
        self, source: Source, container: Container, document: Document, log: Log, budget: Budget
    ) -> None:
        self.budget = budget
        self._folder = source.folder
        self._container = container
        self._buffers = document.buffers
        self._log = log
        self._read: dict[int, Bytes] = {}
        self._companions: dict[Path, bytes] = {}

    def check(self) -> None:
        """Read every buffer inside the file; in a strict load also those beside it.

        Those that stand in for compressed data are not read: what uses them is decoded instead.
        """
        for index, buffer in enumerate(self._buffers):
            if _is_fallback(buffer):
                continue
            inside = uris.is_data(buffer.uri) if buffer.uri is not None else self._is_chunk(index)
            beside = buffer.uri is not None and not uris.is_absolute(buffer.uri)
            if inside or (self._log.strict and beside):
                self.get(index)

    def get(self, index: int) -> Bytes:
        """Return the bytes of one buffer, at least as many as it declares."""
        if index not in self._read:
            self._read[index] = self._find(index)
        return self._read[index]

    def is_read(self, index: int) -> bool:
        """Whether the bytes of a buffer are at hand."""
        return index in self._read

    def is_missing(self, index: int) -> bool:
        """Whether the file leaves the data to the application, which is valid but cannot be read."""
        return self._buffers[index].uri is None and not self._is_chunk(index)

    def image(self, uri: str, pointer: str) -> tuple[bytes, str]:
        """Return the encoded bytes of an image outside the buffers, and the media type if the URI has it."""
        if uris.is_data(uri):
            return uris.decode_data(uri, pointer, self.budget)
        return self._companion(uri, pointer), ""

    def _companion(self, uri: str, pointer: str) -> bytes:
        """Return the bytes of a file beside the glTF, read once under whatever spellings of its name."""
        path = uris.locate(self._folder, uri, pointer)
        if path not in self._companions:
            data = self._companions[path] = uris.read(path, pointer)
            self.budget.add(len(data))
        return self._companions[path]

    def _is_chunk(self, index: int) -> bool:
        return index == 0 and self._container.is_binary and self._buffers[0].uri is None

    def _find(self, index: int) -> Bytes:
        buffer = self._buffers[index]
        pointer = f"/buffers/{index}"
        data: bytes | memoryview
        if buffer.uri is not None and uris.is_data(buffer.uri):
            data, kind = uris.decode_data(buffer.uri, f"{pointer}/uri", self.budget)
            if kind not in _DATA_TYPES:
                self._log.mend(
                    "BUFFER_DATA_URI_MIME_TYPE_INVALID",
                    f"{pointer}/uri",
                    f"the data URI of a buffer must be application/octet-stream or application/gltf-buffer,"
                    f" got '{kind[:40]}'; it was read all the same",
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
                "the buffer must have a uri or be in the BIN chunk, got neither",
            )
        if len(data) < buffer.byteLength:
            refuse(
                "BUFFER_BYTE_LENGTH_MISMATCH",
                pointer,
                f"the buffer must hold the declared {buffer.byteLength} bytes, got {len(data)}; the data is"
                " cut off",
            )
        array = np.frombuffer(data, np.uint8)
        if array.__array_interface__["data"][0] % 4:  # it is viewed as float32
            self.budget.spend(len(array), pointer)
            array = array.copy()
            array.flags.writeable = False
        return array


def _is_fallback(buffer: Buffer) -> bool:
    """Whether a buffer is for those alone who do not decode what is compressed."""
    extensions = buffer.extensions
    if extensions is None:
        return False
    kinds = (extensions.EXT_meshopt_compression, extensions.KHR_meshopt_compression)
    return any(kind is not None and kind.fallback for kind in kinds)
