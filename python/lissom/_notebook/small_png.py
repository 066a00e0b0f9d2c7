# SPDX-License-Identifier: MIT
"""PNG files of limited size: with fewer colours, and finally fewer pixels, until they fit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lissom._formats.picture import Picture
from lissom._formats.png import png_bytes

__all__ = ["small_png", "smaller"]

COLORS = (256, 128, 64, 32)  # numbers of colours, tried in order
BITS = 6  # most significant bits of each channel, by which colours are distinguished
MOST_CELLS = 4096  # distinguished colours; fewer bits are used where a picture has more

Floats = NDArray[np.float64]


def small_png(picture: Picture, max_bytes: int) -> bytes:
    """Return a PNG of at most `max_bytes` with as many colours as fit.

    The picture is halved where none of `COLORS` fits: noise needs that, a character does not.
    """
    while True:
        for colors in COLORS:
            file = png_bytes(*_indexed(picture.array, colors))
            if len(file) <= max_bytes:
                return file
        picture = smaller(picture, 2)


def smaller(picture: Picture, factor: int) -> Picture:
    """Return a picture reduced by a factor in width and height, by the mean of each block of pixels."""
    pixels = picture.array
    down, right = (min(factor, side) for side in pixels.shape[:2])
    height, width = len(pixels) // down, pixels.shape[1] // right
    blocks = pixels[: height * down, : width * right].reshape(height, down, width, right, 3)
    return Picture(np.rint(blocks.mean(axis=(1, 3), dtype=np.float32)).astype(np.uint8))


def _indexed(pixels: NDArray[np.uint8], most: int) -> tuple[NDArray[np.uint8], int, NDArray[np.uint8]]:
    """Return the arguments of `png_bytes`: the index of each pixel's colour, zlib's effort, and the colours.

    Colours that agree in their first bits are replaced by their mean. At most `most` of these means are kept;
    the others are replaced by the nearest of them.
    """
    bits, flat = BITS, pixels.reshape(-1, 3)
    while True:
        cells = (flat >> np.uint8(8 - bits)).astype(np.intp) @ np.array([1 << 2 * bits, 1 << bits, 1])
        used, cell, counts = np.unique(cells, return_inverse=True, return_counts=True)
        if len(used) <= MOST_CELLS:
            break
        bits -= 1
    colors = _means(flat, cell, counts)
    if len(used) > most:
        kept = _spread(colors, counts, most)
        # |a - b|^2 without the term |a|^2, which is the same for each b.
        cell = np.argmin((kept**2).sum(axis=1) - 2 * colors @ kept.T, axis=1)[cell]
        counts = np.bincount(cell, minlength=most)
        colors = _means(flat, cell, np.maximum(counts, 1))
    return cell.reshape(pixels.shape[:2]).astype(np.uint8), 9, np.rint(colors).astype(np.uint8)


def _spread(colors: Floats, counts: NDArray[np.intp], most: int) -> Floats:
    """Choose colours by farthest point sampling.

    Distances are weighted by the square root of the number of pixels: a red scarf is small, and the ground
    has many shades.
    """
    weight, kept = np.sqrt(counts), np.empty((most, 3))
    distance = np.ones(len(colors))
    for i in range(most):
        kept[i] = colors[np.argmax(weight * distance)]
        difference = colors - kept[i]
        distance = np.minimum(np.einsum("ij,ij->i", difference, difference), distance if i else np.inf)
    return kept


def _means(flat: NDArray[np.uint8], cell: NDArray[np.intp], counts: NDArray[np.intp]) -> Floats:
    sums = [np.bincount(cell, flat[:, i], minlength=len(counts)) for i in range(3)]
    return np.stack(sums, axis=1) / counts[:, None]
