# SPDX-License-Identifier: MIT
"""The head of a Draco stream: how many faces and vertices it says it holds, read without decoding it.

The decoder allocates what a stream says: readers ask here first. Source: Google, Draco bitstream
specification 2.2, https://google.github.io/draco/spec/: header, metadata, connectivity.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["DracoExtent"]

_MESH = 1
_SEQUENTIAL, _EDGEBREAKER = 0, 1
_HAS_METADATA = 0x8000
_VERSION = (2, 2)
_CUT = "the Draco stream must have a whole head, got its end at byte {0}; it is cut off"


class DracoExtent(NamedTuple):
    """What a stream of triangles says it holds.

    Attributes
    ----------
    faces : int
    vertices : int
        Different places of the surface; where attributes have seams, there are more points than these.
    has_seams : bool
        False where there are as many points as vertices.
    """

    faces: int
    vertices: int
    has_seams: bool

    @classmethod
    def of(cls, stream: NDArray[np.uint8]) -> DracoExtent:
        """Read the head of a stream; ValueError, one sentence, where it is none."""
        head = _Head(stream.tobytes() if len(stream) < _LONGEST else stream[:_LONGEST].tobytes())
        if head.take(5) != b"DRACO":
            raise ValueError("a Draco stream must begin with DRACO; the data is none")
        major, minor, kind, method, flags = struct.unpack("<BBBBH", head.take(6))
        if (major, minor) != _VERSION:
            raise ValueError(f"the Draco stream must be of version 2.2, got {major}.{minor}")
        if kind != _MESH or method not in (_SEQUENTIAL, _EDGEBREAKER):
            raise ValueError(f"the Draco stream must hold triangles, got kind {kind}, method {method}")
        if flags & _HAS_METADATA:
            head.skip_metadata()
        if method == _SEQUENTIAL:
            faces, points = head.varint(), head.varint()
            return cls(faces, points, False)
        head.take(1)  # how the surface was walked
        vertices, faces = head.varint(), head.varint()
        return cls(faces, vertices, True)


# Metadata come before what is read here; longer ones are read as cut off, which no tool writes.
_LONGEST = 1 << 20


class _Head:
    """Bytes that are taken one after another."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, count: int) -> bytes:
        taken = self._data[self._at : self._at + count]
        if len(taken) < count:
            raise ValueError(_CUT.format(len(self._data)))
        self._at += count
        return taken

    def varint(self) -> int:
        """Seven bits a byte, the lowest first; at most 32."""
        value = 0
        for shift in range(0, 35, 7):
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise ValueError(
            "the Draco stream must have numbers of at most five bytes in its head; it is damaged"
        )

    def skip_metadata(self) -> None:
        """Those of attributes, each after the attribute's number, then those of the mesh."""
        for _ in range(self.varint()):
            self.varint()
            self._skip_entries()
        self._skip_entries()

    def _skip_entries(self) -> None:
        """Names and values of one element, and of those within it."""
        left, named = 1, False
        while left:
            if named:
                self.take(self.take(1)[0])
            for _ in range(self.varint()):
                self.take(self.take(1)[0])
                self.take(self.varint())
            left, named = left - 1 + self.varint(), True  # the order does not matter: all are of one form
