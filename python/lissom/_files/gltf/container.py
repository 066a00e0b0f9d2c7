# SPDX-License-Identifier: MIT
"""GLB, the binary container of glTF 2.0, section 4: a header of 12 bytes, then chunks."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from lissom._files.gltf.codes import GLB_BIN, GLB_JSON, GLB_MAGIC
from lissom._files.gltf.log import Log, refuse
from lissom._files.gltf.source import Source
from lissom._formats.other_formats import GLTF_1_ROUTE


@dataclass(frozen=True, slots=True)
class Container:
    """The JSON text, and the binary chunk (None where there is none)."""

    text: bytes | memoryview
    binary: memoryview | None
    is_binary: bool


def is_glb(source: Source) -> bool:
    """Whether the bytes are a GLB: by their first bytes, or by the name of the file."""
    head = source.data[:4]
    is_named_glb = source.path is not None and source.path.suffix.lower() == ".glb"
    return is_named_glb or (bool(head) and GLB_MAGIC.startswith(head))


def split(source: Source, log: Log) -> Container:
    """Split a GLB into its chunks; a .gltf is all text."""
    if not is_glb(source):
        return Container(source.data, None, False)
    data = source.data
    size = len(data)
    if size < 12:
        refuse(
            "GLB_UNEXPECTED_END_OF_HEADER",
            "",
            f"a GLB must have a header of 12 bytes, got {_short(data)}",
        )
    magic, version, length = struct.unpack_from("<4sII", data)
    if magic != GLB_MAGIC:
        refuse(
            "GLB_INVALID_MAGIC", "", f"a GLB must start with the bytes b'glTF', got {magic!r}; it is no GLB"
        )
    if version != 2:
        refuse(
            "GLB_INVALID_VERSION",
            "",
            f"the version of the GLB container must be 2, got {version}; "
            + (GLTF_1_ROUTE if version == 1 else "export the file as glTF 2.0"),
        )
    if length <= 12:
        refuse(
            "GLB_LENGTH_TOO_SMALL",
            "",
            f"the length in the GLB header must be above 12 bytes, got {length}; there is no chunk",
        )
    if length < size:
        log.note("GLB_EXTRA_DATA", "", f"{size - length} bytes after the end of the GLB are not read")
    view = memoryview(data)[:length]
    text: memoryview | None = None
    binary: memoryview | None = None
    position, number = 12, 0
    while position < length and (position < size or number == 0):
        if position + 8 > size:
            refuse(
                "GLB_UNEXPECTED_END_OF_CHUNK_HEADER",
                "",
                f"the header of chunk {number} must end within the file, got the end of the file at byte"
                f" {size}; it is cut off",
            )
        chunk_length, kind = struct.unpack_from("<II", data, position)
        begin, end = position + 8, position + 8 + chunk_length
        if chunk_length % 4:
            refuse(
                "GLB_CHUNK_LENGTH_UNALIGNED",
                "",
                f"the length of chunk {number} must be a multiple of 4 bytes, got {chunk_length}",
            )
        if end > length:
            refuse(
                "GLB_CHUNK_TOO_BIG",
                "",
                f"chunk {number} must end within the length in the GLB header, {length} bytes, got {end}",
            )
        if number == 0 and kind != GLB_JSON:
            refuse("GLB_UNEXPECTED_FIRST_CHUNK", "", f"the first chunk must be JSON, got type 0x{kind:08x}")
        if kind == GLB_JSON and text is not None:
            refuse("GLB_DUPLICATE_CHUNK", "", f"there must be one JSON chunk, got a second as chunk {number}")
        if kind == GLB_JSON and chunk_length == 0:
            refuse("GLB_EMPTY_CHUNK", "", "the JSON chunk must not be empty")
        if kind == GLB_BIN and binary is not None:
            refuse("GLB_DUPLICATE_CHUNK", "", f"there must be one BIN chunk, got a second as chunk {number}")
        if kind == GLB_BIN and number != 1:
            refuse("GLB_UNEXPECTED_BIN_CHUNK", "", f"the BIN chunk must be chunk 1, got chunk {number}")
        if end > size:
            refuse(
                "GLB_UNEXPECTED_END_OF_CHUNK_DATA",
                "",
                f"chunk {number} must end within the file of {size} bytes, got {end}; it is cut off",
            )
        if kind == GLB_JSON:
            text = view[begin:end]
        elif kind == GLB_BIN:
            binary = view[begin:end]
        position, number = end, number + 1
    if length > size:
        refuse(
            "GLB_LENGTH_MISMATCH",
            "",
            f"the file must have the length in the GLB header, {length} bytes, got {size}; it is cut off",
        )
    assert text is not None  # there is a first chunk, and it is JSON
    return Container(text, binary, True)


def _short(data: bytes) -> str:
    """Say what a file is that is too short for a GLB."""
    if not data:
        return "a file that is empty"
    if GLB_MAGIC.startswith(data[:4]):
        return f"a file of {len(data)}; it is cut off"
    return f"a file of {len(data)} that is no GLB: its first bytes are {data[:4]!r}, not {GLB_MAGIC!r}"
