# SPDX-License-Identifier: MIT
"""GLB, the binary container of glTF 2.0, section 4: a header of 12 bytes, the JSON, the binary chunk."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from lissom._files.gltf.codes import GLB_BIN, GLB_JSON, GLB_MAGIC

_LARGEST = (1 << 32) - 1


def glb_chunks(text: bytes, binary: Sequence[bytes | memoryview]) -> list[bytes | memoryview]:
    """Return the file in pieces; a binary chunk, a multiple of 4 bytes, is added unless it is empty."""
    text += b" " * (-len(text) % 4)
    size = sum(map(len, binary))
    length = 12 + 8 + len(text) + (8 + size if size else 0)
    if length > _LARGEST:
        raise ValueError(f"save_glb: a GLB must have less than 4 GiB, got {length} bytes; save fewer clips")
    pieces: list[bytes | memoryview] = [
        struct.pack("<4sIIII", GLB_MAGIC, 2, length, len(text), GLB_JSON),
        text,
    ]
    if size:
        pieces += [struct.pack("<II", size, GLB_BIN), *binary]
    return pieces
