# SPDX-License-Identifier: MIT
"""Animated WebP, by Pillow, which takes one picture after the other."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from lissom._base.extras import require
from lissom._formats.films.timing import spans

__all__ = ["write_webp"]

LOOK = {"quality": 85, "method": 4}


def write_webp(
    file: BinaryIO, pictures: Iterable[NDArray[np.uint8]], count: int, rate: float, *, loop: bool
) -> None:
    """Write pictures of one size, RGB or RGBA, as an animated WebP.

    Parameters
    ----------
    file : binary file
    pictures : iterable of ndarray of uint8, shape (height, width, 3 or 4)
        Taken one by one.
    count : int
        How many they are.
    rate : float
        Pictures per second.
    loop : bool
        Whether it starts again at its end.
    """
    images = require("PIL.Image", "gl", "saving an animation")
    arrays = iter(pictures)
    first = next(arrays)
    if count == 1:
        images.fromarray(first).save(file, "WEBP", **LOOK)
        return
    # Pillow makes a list of what is appended, so that is one thing, of which it asks frame by frame.
    images.fromarray(first).save(
        file,
        "WEBP",
        save_all=True,
        append_images=[_Frames(images, chain([first], arrays), count)],
        duration=[0, *spans(count, rate, 1)],
        loop=0 if loop else 1,
        **LOOK,
    )


class _Frames:
    """What looks to Pillow like an image of several frames; it asks for each once, in their order."""

    def __init__(self, images: Any, pictures: Iterable[NDArray[np.uint8]], count: int) -> None:
        self.n_frames = count
        self._images = images
        self._pictures = iter(pictures)
        self._shown: Any = None

    def seek(self, frame: int) -> None:
        """Take the next picture."""
        self._shown = self._images.fromarray(np.ascontiguousarray(next(self._pictures)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._shown, name)
