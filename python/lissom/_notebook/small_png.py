# SPDX-License-Identifier: MIT
"""Pictures in few bytes: fewer colours, and at last fewer pixels, until they fit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lissom._formats.picture import Picture
from lissom._formats.png import png_bytes

__all__ = ["small_png", "smaller"]

COLORS = (256, 128, 64, 32)  # tried one after the other
BITS = 6  # of each channel, by which colours are told apart
MOST_CELLS = 4096  # of such colours; with fewer bits where a picture has more

Floats = NDArray[np.float64]


def small_png(picture: Picture, most: int) -> bytes:
    """Give a PNG of at most so many bytes, in as many colours as fit.

    At half the size where none do: noise needs that, a character does not.
    """
    while True:
        for colors in COLORS:
            file = png_bytes(*_indexed(picture.array, colors))
            if len(file) <= most:
                return file
        picture = smaller(picture, 2)


def smaller(picture: Picture, factor: int) -> Picture:
    """Make a picture so many times smaller each way, by the mean of what falls on a pixel."""
    pixels = picture.array
    down, right = (min(factor, side) for side in pixels.shape[:2])
    height, width = len(pixels) // down, pixels.shape[1] // right
    blocks = pixels[: height * down, : width * right].reshape(height, down, width, right, 3)
    return Picture(np.rint(blocks.mean(axis=(1, 3), dtype=np.float32)).astype(np.uint8))


def _indexed(pixels: NDArray[np.uint8], most: int) -> tuple[NDArray[np.uint8], int, NDArray[np.uint8]]:
    """Give what `png_bytes` takes: which colour each pixel has, zlib's effort, and the colours.

    Colours that agree in their first bits become their mean. Some of these are kept, and others become the
    nearest of them.
    """
    bits, flat = BITS, pixels.reshape(-1, 3)
    while True:
        cells = (flat >> np.uint8(8 - bits)).astype(np.intp) @ np.array([1 << 2 * bits, 1 << bits, 1])
        found, cell, counts = np.unique(cells, return_inverse=True, return_counts=True)
        if len(found) <= MOST_CELLS:
            break
        bits -= 1
    colors = _means(flat, cell, counts)
    if len(found) > most:
        kept = _spread(colors, counts, most)
        # |a - b|^2 without |a|^2, which is the same for each b.
        cell = np.argmin((kept**2).sum(axis=1) - 2 * colors @ kept.T, axis=1)[cell]
        counts = np.bincount(cell, minlength=most)
        colors = _means(flat, cell, np.maximum(counts, 1))
    return cell.reshape(pixels.shape[:2]).astype(np.uint8), 9, np.rint(colors).astype(np.uint8)


def _spread(colors: Floats, counts: NDArray[np.intp], most: int) -> Floats:
    """Pick colours one by one: next comes the farthest from those before it.

    Weighed by the root of how many pixels have it: a red scarf is small, and the ground has many shades.
    """
    weight, kept = np.sqrt(counts), np.empty((most, 3))
    distance = np.ones(len(colors))
    for i in range(most):
        kept[i] = colors[np.argmax(weight * distance)]
        away = colors - kept[i]
        distance = np.minimum(np.einsum("ij,ij->i", away, away), distance if i else np.inf)
    return kept


def _means(flat: NDArray[np.uint8], cell: NDArray[np.intp], counts: NDArray[np.intp]) -> Floats:
    sums = [np.bincount(cell, flat[:, i], minlength=len(counts)) for i in range(3)]
    return np.stack(sums, axis=1) / counts[:, None]
