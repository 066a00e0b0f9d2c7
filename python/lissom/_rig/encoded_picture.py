# SPDX-License-Identifier: MIT
"""Encoded pictures without what their pixels do not need: texts, EXIF, profiles.

Pillow keeps these of each picture that it opens, decompressed and several times over, and warns of faults in
them. Of WebP and AVIF it keeps them as they are, but reads AVIF's EXIF, and refuses pictures for it. What is
not as its format has it is left to Pillow to refuse.
"""

from __future__ import annotations

import io
import re

__all__ = ["PLUGINS", "format_of", "may_have_alpha", "pixels_alone"]

PLUGINS = {
    "PNG": "PngImagePlugin",
    "JPEG": "JpegImagePlugin",
    "WebP": "WebPImagePlugin",
    "AVIF": "AvifImagePlugin",
}
"""Pillow's readers of the formats that glTF's textures have. Some of its others start programs."""

# Markers of JPEG, ITU-T T.81, table B.1: those without a segment; those whose segments are dropped, which are
# applications' and comments; those of applications that decoders need, with what their segments begin with;
# those of which a picture has one, which says its size.
_ALONE = {*range(0x01, 0xC0), 0xC8, *range(0xD0, 0xDA), *range(0xF0, 0xFE)}
_DROPPED = {*range(0xE1, 0xEE), 0xEF, 0xFE}
_NEEDED = {0xE0: b"JFIF\0", 0xEE: b"Adobe"}
_FRAMES = {*range(0xC0, 0xD0), 0xDE} - {0xC4, 0xC8, 0xCC}
_SCAN = 0xDA

# An entry of AVIF's list of items, ISO/IEC 14496-12, 8.11.6: version, flags, a number, protection, type.
_EXIF_ITEM = re.compile(rb"(infe(?:\x02.{7}|\x03.{9}))Exif", re.DOTALL)


def format_of(data: bytes) -> str:
    """Return the format by its first bytes, a key of `PLUGINS`; empty for others."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "PNG"
    if data.startswith(b"\xff\xd8\xff"):
        return "JPEG"
    if data[4:8] == b"ftyp" and data[8:12] in (b"avif", b"avis"):
        return "AVIF"
    return "WebP" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else ""


def may_have_alpha(data: bytes) -> bool:
    """Return whether a picture's kind has alpha, by its header, without decoding it; of AVIF True.

    PNG: colour types 4 and 6, or a chunk tRNS. WebP: by the bit for alpha of a lossless or an extended file.
    """
    kind = format_of(data)
    if kind == "PNG":
        return data[25:26] in (b"\x04", b"\x06") or b"tRNS" in data[: max(data.find(b"IDAT"), 0)]
    if kind == "WebP":
        chunk = data[12:16]
        if chunk == b"VP8L":
            return bool(data[24:25]) and bool(data[24] & 0x10)
        return chunk == b"VP8X" and bool(data[20:21]) and bool(data[20] & 0x10)
    return kind == "AVIF"


def pixels_alone(data: bytes) -> io.BytesIO:
    """Return a file of what a picture's pixels need.

    Raises
    ------
    ValueError
        If a JPEG declares its size more than once.
    """
    kind = format_of(data)
    if kind == "AVIF":
        return io.BytesIO(_EXIF_ITEM.sub(rb"\1none", data))  # as long as before: offsets stay
    write = {"PNG": _write_png, "JPEG": _write_jpeg}.get(kind)
    if write is None:
        return io.BytesIO(data)
    file = io.BytesIO()
    write(data, file)
    file.seek(0)
    return file


def _write_png(data: bytes, file: io.BytesIO) -> None:
    """Write the chunks that are not ancillary, whose names begin with a small letter, and transparency."""
    view, place = memoryview(data), 8
    file.write(view[:place])
    while place < len(data):
        kind = data[place + 4 : place + 8]
        end = place + 12 + int.from_bytes(data[place : place + 4], "big")
        if kind == b"tRNS" or not kind[:1].islower():
            file.write(view[place:end])
        place = end


def _write_jpeg(data: bytes, file: io.BytesIO) -> None:
    """Write the segments before the first scan that decoders need, an application's once; then all."""
    view, place, seen = memoryview(data), 2, set[int]()
    file.write(view[:place])
    while 0 <= (place := data.find(b"\xff", place)) < len(data) - 1:
        marker = data[place + 1]
        if marker == _SCAN:
            file.write(view[place:])
            return
        if marker in (0x00, 0xFF):  # no marker, or what fills the place before one
            place += 1
            continue
        begin = place
        place += 2
        if marker not in _ALONE:
            place += max(int.from_bytes(data[place : place + 2], "big"), 2)
        if marker in _DROPPED:
            continue
        if marker in _NEEDED:
            if marker in seen or not data.startswith(_NEEDED[marker], begin + 4):
                continue
            seen.add(marker)
        if marker in _FRAMES:
            if seen & _FRAMES:
                raise ValueError("it declares its size more than once")
            seen.add(marker)
        file.write(view[begin:place])
