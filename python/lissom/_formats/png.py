# SPDX-License-Identifier: MIT
"""Writes PNG files: 8-bit grey, RGB, RGBA or palette, unfiltered, by zlib alone (W3C PNG specification)."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

__all__ = ["png_bytes"]

_COLOR_TYPES = {1: 0, 3: 2, 4: 6}  # channels: PNG colour type


def png_bytes(pixels: NDArray[np.uint8], level: int = 6, palette: NDArray[np.uint8] | None = None) -> bytes:
    """Return a picture as the bytes of a PNG file.

    Parameters
    ----------
    pixels : ndarray of uint8, shape (height, width), (height, width, 3) or (height, width, 4)
        First row on top, sRGB.
    level : int
        Effort of zlib, 0 to 9.
    palette : ndarray of uint8, shape (N, 3), optional
        At most 256 colours, sRGB; grey pixels are then their places in it.

    Returns
    -------
    bytes
        The file.

    Raises
    ------
    TypeError
        If the pixels are not uint8.
    ValueError
        On another shape, or an empty one; on pixels that are in no palette.
    """
    array = np.asarray(pixels)
    if array.dtype != np.uint8:
        raise TypeError(f"png_bytes: pixels: expected uint8, got {array.dtype}")
    if array.ndim == 2:
        array = array[:, :, None]
    if array.ndim != 3 or array.shape[2] not in _COLOR_TYPES or array.size == 0:
        raise ValueError(
            f"png_bytes: pixels: expected shape (height, width[, 3 or 4]), got {np.shape(pixels)}"
        )
    height, width, channels = array.shape
    color_type = _COLOR_TYPES[channels]
    colors: tuple[tuple[bytes, bytes], ...] = ()
    if palette is not None:
        if channels > 1 or palette.shape[1:] != (3,) or not array.max() < len(palette) <= 256:
            raise ValueError(
                f"png_bytes: palette: expected shape (N, 3) of at most 256 colours that grey pixels name, "
                f"got {palette.shape} for pixels {array.shape} up to {array.max()}"
            )
        color_type, colors = 3, ((b"PLTE", palette.tobytes()),)
    lines = np.zeros((height, 1 + width * channels), np.uint8)  # each line starts with its filter type, 0
    lines[:, 1:] = array.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, color_type, 0, 0, 0)
    data = zlib.compress(lines.tobytes(), level)
    chunks = ((b"IHDR", header), *colors, (b"IDAT", data), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
