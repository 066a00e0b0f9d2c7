# SPDX-License-Identifier: MIT
"""The binary chunk under construction: buffer views, one after another, each at a multiple of 4 bytes."""

from __future__ import annotations

from collections.abc import Iterable

from lissom._files.gltf_writer.document import BufferView


class BufferViews:
    """Collects the bytes of the buffer, and its views.

    Attributes
    ----------
    table : list of BufferView
    chunks : list of bytes
        Contents of the buffer, in order.
    size : int
        Number of bytes so far.
    """

    def __init__(self) -> None:
        self.table: list[BufferView] = []
        self.chunks: list[bytes | memoryview] = []
        self.size = 0

    def add(self, chunks: Iterable[bytes | memoryview], *, stride: int = 0, target: int = 0) -> int:
        """Add a view of these chunks, at least one byte in all; return its index."""
        begin = self.size
        for chunk in chunks:
            self.chunks.append(chunk)
            self.size += len(chunk)
        self.table.append(BufferView(0, self.size - begin, begin, stride, target))
        padding = -self.size % 4
        if padding:
            self.chunks.append(bytes(padding))
            self.size += padding
        return len(self.table) - 1
