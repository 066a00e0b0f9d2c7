# SPDX-License-Identifier: MIT
"""Animated PNG, written picture by picture (W3C, PNG specification, third edition, sections 11.3.6)."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from lissom._base.extras import require
from lissom._formats.films.changes import changed_box
from lissom._formats.films.timing import spans, without_repeats

__all__ = ["write_apng"]

SIGNATURE = b"\x89PNG\r\n\x1a\n"
LONGEST = 65535  # milliseconds that a frame's delay tells as a fraction of 1000


def write_apng(
    file: BinaryIO, pictures: Iterable[NDArray[np.uint8]], count: int, rate: float, *, loop: bool
) -> None:
    """Write pictures of one size, RGB or RGBA, as an animated PNG: of each what changed.

    Parameters
    ----------
    file : binary file
        That can seek: how many frames differ is known at the end.
    pictures : iterable of ndarray of uint8, shape (height, width, 3 or 4)
        Taken one by one.
    count : int
        How many they are.
    rate : float
        Pictures per second.
    loop : bool
        Whether it starts again at its end.
    """
    plugin = require("PIL.PngImagePlugin", "gl", "saving an animation")
    images = require("PIL.Image", "gl", "saving an animation")
    before: NDArray[np.uint8] | None = None
    frames = sequence = where = 0
    for picture, time in without_repeats(pictures, spans(count, rate, 1), LONGEST):
        left, top, right, bottom = changed_box(before, picture)
        part = np.ascontiguousarray(picture[top:bottom, left:right])
        # Filters by Pillow, which chooses them by line.
        chunks = [(kind, data) for kind, data, *_ in plugin.getchunks(images.fromarray(part))]
        if before is None:
            file.write(SIGNATURE)
            _write(file, b"IHDR", next(data for kind, data in chunks if kind == b"IHDR"))
            where = file.tell()
            _write(file, b"acTL", bytes(8))  # written at the end
        height, width = part.shape[:2]
        control = struct.pack(">IIIIIHHBB", sequence, width, height, left, top, time, 1000, 0, 0)
        _write(file, b"fcTL", control)
        sequence += 1
        for data in (data for kind, data in chunks if kind == b"IDAT"):
            if before is None:
                _write(file, b"IDAT", data)
            else:
                _write(file, b"fdAT", struct.pack(">I", sequence) + data)
                sequence += 1
        before = picture
        frames += 1
    _write(file, b"IEND", b"")
    file.seek(where)
    _write(file, b"acTL", struct.pack(">II", frames, 0 if loop else 1))
    file.seek(0, 2)


def _write(file: BinaryIO, kind: bytes, data: bytes) -> None:
    file.write(struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)))
