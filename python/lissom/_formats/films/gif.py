# SPDX-License-Identifier: MIT
"""Animated GIF: one palette for all pictures, which wait in a temporary file until it is known (GIF 89a)."""

from __future__ import annotations

import struct
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from lissom._base.extras import require
from lissom._formats.films.changes import changed_box
from lissom._formats.films.timing import spans, without_repeats

__all__ = ["write_gif"]

PALETTE_PIXELS = 1 << 20  # looked at for the colours, which all pictures share
COLORS = 255
CLEAR = 255  # the index of what is not drawn
LONGEST = 65535  # hundredths of a second
KEEP, CLEAR_AFTER = 1, 2  # what becomes of a frame when the next one comes
HALF = 128  # alpha from which a pixel is drawn


def write_gif(
    file: BinaryIO, pictures: Iterable[NDArray[np.uint8]], count: int, rate: float, *, loop: bool
) -> None:
    """Write pictures of one size, RGB or RGBA, as an animated GIF: of each what changed.

    Parameters
    ----------
    file : binary file
    pictures : iterable of ndarray of uint8, shape (height, width, 3 or 4)
        Taken one by one; a pixel with less than half of alpha is not drawn.
    count : int
        How many they are.
    rate : float
        Pictures per second, at most 50.
    loop : bool
        Whether it starts again at its end.
    """
    images = require("PIL.Image", "gl", "saving an animation")
    plugin = require("PIL.GifImagePlugin", "gl", "saving an animation")
    with tempfile.TemporaryFile() as spool:
        shape, lengths, seen = _keep(spool, pictures, count)
        palette = _palette(images, seen)
        height, width = shape[:2]
        file.write(b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF7, CLEAR, 0))
        file.write(bytes(palette.getpalette()))
        if loop and count > 1:
            file.write(b"!\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")
        spool.seek(0)
        before: NDArray[np.uint8] | None = None
        indexed = (_indexed(images, picture, palette) for picture in _kept(spool, lengths, shape))
        for frame, time in without_repeats(indexed, spans(count, rate, 10), LONGEST):
            file.writelines(_frame(images, plugin, frame, before, time, is_clear=shape[2] == 4))
            before = frame
        file.write(b";")


def _keep(
    spool: BinaryIO, pictures: Iterable[NDArray[np.uint8]], count: int
) -> tuple[tuple[int, ...], list[int], NDArray[np.uint8]]:
    """Write the pictures, compressed; return their shape, the lengths, and pixels of all of them, (N, 3)."""
    shape: tuple[int, ...] = ()
    lengths: list[int] = []
    seen: list[NDArray[np.uint8]] = []
    for i, picture in enumerate(pictures):
        shape = picture.shape
        data = zlib.compress(picture.tobytes(), 1)
        spool.write(data)
        lengths.append(len(data))
        # Every so many rows and columns, from another row in each picture: every picture has its say.
        step = int(np.ceil(np.sqrt(count * shape[0] * shape[1] / PALETTE_PIXELS)))
        some = picture[i % step :: step, ::step].reshape(-1, shape[2])
        if shape[2] == 4:
            some = some[some[:, 3] >= HALF, :3]
        seen.append(some.copy())
    return shape, lengths, np.concatenate(seen)


def _kept(spool: BinaryIO, lengths: list[int], shape: tuple[int, ...]) -> Iterator[NDArray[np.uint8]]:
    for length in lengths:
        yield np.frombuffer(zlib.decompress(spool.read(length)), np.uint8).reshape(shape)


def _palette(images: Any, seen: NDArray[np.uint8]) -> Any:
    """Find the 255 colours that all pictures share; those that are not needed repeat the first."""
    pixels = seen if len(seen) else np.zeros((1, 3), np.uint8)
    found = images.fromarray(pixels[None]).quantize(COLORS, method=images.Quantize.MEDIANCUT)
    colors = (found.getpalette() or [0, 0, 0])[: 3 * COLORS]
    found.putpalette(colors + colors[:3] * (COLORS + 1 - len(colors) // 3))
    return found


def _indexed(images: Any, picture: NDArray[np.uint8], palette: Any) -> NDArray[np.uint8]:
    """Return the indices of a picture's colours."""
    colors = images.fromarray(np.ascontiguousarray(picture[..., :3]))
    indices = np.array(colors.quantize(palette=palette, dither=images.Dither.NONE))
    indices[indices == CLEAR] = 0  # the same colour
    if picture.shape[2] == 4:
        indices[picture[..., 3] < HALF] = CLEAR
    return indices


def _frame(
    images: Any,
    plugin: Any,
    frame: NDArray[np.uint8],
    before: NDArray[np.uint8] | None,
    time: int,
    *,
    is_clear: bool,
) -> list[bytes]:
    """Return the blocks of a frame: what differs from the one before, or all of it on what was cleared."""
    if is_clear:
        left, top, right, bottom = changed_box(np.full_like(frame, CLEAR), frame)
        part = frame[top:bottom, left:right]
    else:
        left, top, right, bottom = changed_box(before, frame)
        part = frame[top:bottom, left:right]
        if before is not None:
            part = np.where(part == before[top:bottom, left:right], np.uint8(CLEAR), part)
    blocks: list[bytes] = plugin.getdata(
        images.fromarray(np.ascontiguousarray(part)),
        (left, top),
        duration=10 * time,
        transparency=CLEAR,
        disposal=CLEAR_AFTER if is_clear else KEEP,
    )
    return list(blocks)
