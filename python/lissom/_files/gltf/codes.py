# SPDX-License-Identifier: MIT
"""The enumerations of glTF 2.0: numbers and signatures that stand for types in its JSON and in GLB."""

from __future__ import annotations

# Component types of accessors.
BYTE, UBYTE, SHORT, USHORT, UINT, FLOAT = 5120, 5121, 5122, 5123, 5125, 5126
DTYPES = {BYTE: "<i1", UBYTE: "<u1", SHORT: "<i2", USHORT: "<u2", UINT: "<u4", FLOAT: "<f4"}
COMPONENT_NAMES = {
    BYTE: "byte", UBYTE: "ubyte", SHORT: "short", USHORT: "ushort", UINT: "uint", FLOAT: "float",
}  # fmt: skip

COMPONENTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
"""Number of components of each accessor type."""

# Targets of buffer views: vertices and indices.
ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER = 34962, 34963

# Modes of primitives.
POINTS, TRIANGLES, TRIANGLE_STRIP, TRIANGLE_FAN = 0, 4, 5, 6

GLB_MAGIC = b"glTF"
# Types of GLB chunks: "JSON" and "BIN\0", little endian.
GLB_JSON, GLB_BIN = 0x4E4F534A, 0x004E4942

# By where the bytes are, which begin with the file or, of AVIF, with the type of its first box.
_IMAGE_SIGNATURES = (
    (0, b"\x89PNG", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"RIFF", "image/webp"),
    (4, b"ftypavif", "image/avif"),
    (4, b"ftypavis", "image/avif"),
    (0, b"\xabKTX 20\xbb\r\n\x1a\n", "image/ktx2"),
)


def image_type(data: bytes) -> str:
    """Return the media type of an encoded image by its first bytes; empty for an unknown one."""
    found = (kind for place, signature, kind in _IMAGE_SIGNATURES if data.startswith(signature, place))
    return next(found, "")
