# SPDX-License-Identifier: MIT
"""Bombs of pictures."""

import math
import struct
import zlib
from pathlib import Path

from bombs.bomb import bomb, written


def png(
    width: int, height: int, lines: bytes, depth: int = 1, color: int = 0, interlaced: int = 0, *more: bytes
) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlaced)
    parts = [chunk(b"IHDR", head), *more, chunk(b"IDAT", lines), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def zeros(count: int) -> bytes:
    """Zeros, compressed a thousandfold, without all of them in memory."""
    deflate = zlib.compressobj(9)
    pieces = [deflate.compress(bytes(min(1 << 20, count - begin))) for begin in range(0, count, 1 << 20)]
    return b"".join([*pieces, deflate.flush()])


@bomb("picture")
def a_picture_beyond_what_may_be_decoded(folder: Path, size: int) -> Path:
    side = 13_000 + 1000 * size  # declared; there are ten lines
    return written(folder, "bomb.png", png(side, side, zeros(side // 8 * 10)))


@bomb("picture")
def a_picture_of_nothing_but_white(folder: Path, size: int) -> Path:
    """Within the bound: 4 bytes for each pixel that it declares."""
    side = 2000 * size if size == 1 else 12_000
    return written(folder, "bomb.png", png(side, side, zeros((side // 8 + 1) * side)))


@bomb("picture")
def an_interlaced_picture(folder: Path, size: int) -> Path:
    side = 2000 if size == 1 else 8000
    # Of Adam7: every how many columns and rows a pass has a pixel. A line has a byte for its filter, too.
    passes = ((8, 8), (8, 8), (4, 8), (4, 4), (2, 4), (2, 2), (1, 2))
    lines = sum(math.ceil(side / rows) * (3 * math.ceil(side / columns) + 1) for columns, rows in passes)
    return written(folder, "bomb.png", png(side, side, zeros(lines), 8, 2, 1))


@bomb("picture")
def a_comment_of_zeros(folder: Path, size: int) -> Path:
    data = b"Comment\0\0" + zeros(150_000_000 * size)
    text = struct.pack(">I", len(data)) + b"zTXt" + data + struct.pack(">I", zlib.crc32(b"zTXt" + data))
    return written(folder, "bomb.png", png(8, 8, zeros(16), 1, 0, 0, text))
