# SPDX-License-Identifier: MIT
"""Bombs of pictures."""

import io
import math
import struct
import zlib
from pathlib import Path
from typing import Any

from PIL import Image

from bombs.bomb import WIDE, bomb, written


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(
    width: int, height: int, lines: bytes, depth: int = 1, color: int = 0, interlaced: int = 0, *more: bytes
) -> bytes:
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
    side = 16_000 + 1000 * size  # declared, more than 1 GiB; there are ten lines
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
    return written(folder, "bomb.png", png(8, 8, zeros(16), 1, 0, 0, chunk(b"zTXt", data)))


@bomb("picture")
def texts_in_four_bytes_a_character(folder: Path, size: int) -> Path:
    """Each of the most characters that Pillow takes at once, and all of them of what it takes in all."""
    text = zlib.compress((WIDE + "a" * 1_000_000).encode(), 9)
    texts = (chunk(b"iTXt", b"k%d\0\1\0\0\0" % number + text) for number in range(60 * size))
    return written(folder, "bomb.png", png(8, 8, zeros(16), 1, 0, 0, *texts))


@bomb("picture", is_slow=True)
def empty_chunks(folder: Path, size: int) -> Path:
    return written(folder, "bomb.png", png(8, 8, zeros(16), 1, 0, 0, chunk(b"prIv", b"") * (400_000 * size)))


def encoded(kind: str, side: int = 8, **options: Any) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (side, side), "teal").save(file, kind, **options)
    return file.getvalue()


def with_segments(segments: bytes) -> bytes:
    data = encoded("JPEG")
    return data[:2] + segments + data[2:]


@bomb("picture")
def empty_segments_of_applications(folder: Path, size: int) -> Path:
    return written(folder, "bomb.jpg", with_segments(b"\xff\xe5\0\2" * (1_000_000 * size)))


@bomb("picture", is_slow=True)
def pieces_of_exif(folder: Path, size: int) -> Path:
    piece = b"\xff\xe1\xff\xffExif\0\0" + bytes(0xFFFF - 8)
    return written(folder, "bomb.jpg", with_segments(piece * (50 * size)))


@bomb("picture", is_slow=True)
def pieces_of_a_profile(folder: Path, size: int) -> Path:
    piece = b"\xff\xe2\xff\xffICC_PROFILE\0\1\1" + bytes(0xFFFF - 16)
    return written(folder, "bomb.jpg", with_segments(piece * (200 * size)))


@bomb("picture", is_slow=True)
def components_of_a_jpeg(folder: Path, size: int) -> Path:
    """A frame that says it has three, and holds thousands."""
    frame = b"\xff\xc0\xff\xfe\x08\0\x08\0\x08\3" + b"\1\x11\0" * 21842
    return written(folder, "bomb.jpg", with_segments(frame * (50 * size)))


@bomb("picture", is_slow=True)
def a_progressive_picture(folder: Path, size: int) -> Path:
    side = 1500 if size == 1 else 5000
    return written(folder, "bomb.jpg", encoded("JPEG", side, progressive=True, subsampling=0))


@bomb("picture", is_slow=True)
def a_lossless_picture(folder: Path, size: int) -> Path:
    """Declares 9 MB, or 100, in a few hundred bytes."""
    return written(folder, "bomb.webp", encoded("WEBP", 1500 if size == 1 else 5000, lossless=True))


def with_size(data: bytes, side: int) -> bytes:
    """An AVIF that declares another size."""
    place = data.index(b"ispe") + 8
    return data[:place] + struct.pack(">II", side, side) + data[place + 8 :]


@bomb("picture")
def an_avif_beyond_what_may_be_decoded(folder: Path, size: int) -> Path:
    return written(folder, "bomb.avif", with_size(encoded("AVIF"), 16_000 + 1000 * size))


@bomb("picture")
def an_avif_that_declares_more_than_it_holds(folder: Path, size: int) -> Path:
    return written(folder, "bomb.avif", with_size(encoded("AVIF"), 2000 * size if size == 1 else 12_000))


@bomb("picture", is_slow=True)
def an_avif_of_nothing_but_teal(folder: Path, size: int) -> Path:
    """Declares 9 MB, or 100, in a few hundred bytes."""
    return written(folder, "bomb.avif", encoded("AVIF", 1500 if size == 1 else 5000, speed=10))


@bomb("picture", is_slow=True)
def exif_and_a_profile_of_an_avif(folder: Path, size: int) -> Path:
    exif = b"Exif\0\0II*\0\x08\0\0\0" + bytes(8_000_000 * size)
    return written(folder, "bomb.avif", encoded("AVIF", exif=exif, icc_profile=bytes(8_000_000 * size)))


@bomb("picture")
def empty_chunks_of_a_webp(folder: Path, size: int) -> Path:
    data = encoded("WEBP", lossless=True, exif=b"Exif\0\0" + bytes(80))
    data += b"none\0\0\0\0" * (2_000_000 * size)
    return written(folder, "bomb.webp", data[:4] + struct.pack("<I", len(data) - 8) + data[8:])


@bomb("picture", is_slow=True)
def exif_and_a_profile_of_a_webp(folder: Path, size: int) -> Path:
    extras = {"exif": bytes(8_000_000 * size), "icc_profile": bytes(8_000_000 * size)}
    return written(folder, "bomb.webp", encoded("WEBP", **extras))
