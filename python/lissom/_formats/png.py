# SPDX-License-Identifier: MIT
"""Encode PNG files: grey, RGB or RGBA of 8 or 16 bits, or a palette, by zlib alone (W3C's specification)."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

__all__ = ["png_bytes"]

_COLOR_TYPES = {1: 0, 3: 2, 4: 6}  # channels: PNG colour type


def png_bytes(
    pixels: NDArray[np.uint8] | NDArray[np.uint16],
    level: int = 6,
    palette: NDArray[np.uint8] | None = None,
    what: str = "png_bytes: pixels",
) -> bytes:
    """Return a picture as the bytes of a PNG file.

    Parameters
    ----------
    pixels : ndarray of uint8 or uint16, shape (height, width), (height, width, 3) or (height, width, 4)
        First row on top, sRGB; or numbers that are no colours.
    level : int
        Compression level of zlib, 0 to 9.
    palette : ndarray of uint8, shape (N, 3), optional
        At most 256 colours, sRGB; grey pixels are then indices into it.
    what : str
        Name of function and argument in errors.

    Returns
    -------
    bytes
        The file.

    Raises
    ------
    TypeError
        If the pixels are neither uint8 nor uint16.
    ValueError
        If the shape is another or empty, or pixels are outside the palette.
    """
    array = np.asarray(pixels)
    if array.dtype not in (np.uint8, np.uint16):
        raise TypeError(f"{what} must be of uint8 or uint16, got {array.dtype}")
    if array.ndim == 2:
        array = array[:, :, None]
    if array.ndim != 3 or array.shape[2] not in _COLOR_TYPES or array.size == 0:
        raise ValueError(
            f"{what} must have shape (height, width[, 3 or 4]), none of them 0, got {np.shape(pixels)}"
        )
    height, width, channels = array.shape
    color_type = _COLOR_TYPES[channels]
    colors: tuple[tuple[bytes, bytes], ...] = ()
    if palette is not None:
        if (
            channels > 1
            or array.itemsize > 1
            or palette.shape[1:] != (3,)
            or not array.max() < len(palette) <= 256
        ):
            raise ValueError(
                f"png_bytes: palette must have shape (N, 3), with at most 256 colours, one for each value of "
                f"grey pixels, got {palette.shape} for pixels {array.shape} up to {array.max()}"
            )
        color_type, colors = 3, ((b"PLTE", palette.tobytes()),)
    depth = array.itemsize
    lines = np.zeros((height, 1 + width * channels * depth), np.uint8)  # each line starts with its filter
    rows = array.reshape(height, -1).astype(array.dtype.newbyteorder(">"), copy=False).view(np.uint8)
    lines[:, 1:] = rows
    if depth == 2:  # numbers that change little from line to line: the differences, filter 2, are shorter
        lines[1:, 0] = 2
        np.subtract(rows[1:], rows[:-1], out=lines[1:, 1:])
    header = struct.pack(">IIBBBBB", width, height, 8 * depth, color_type, 0, 0, 0)
    data = zlib.compress(lines.tobytes(), level)
    chunks = ((b"IHDR", header), *colors, (b"IDAT", data), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
