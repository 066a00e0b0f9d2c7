# SPDX-License-Identifier: MIT
"""Words and scales on finished pictures, drawn with Pillow's own font."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._extras import require
from lissom.gpu.vertices import linear_to_srgb
from lissom.gpu.viridis import viridis

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Sheet"]

INK = (52, 58, 68)
FAINT_INK = (104, 112, 124)


class Sheet:
    """A picture to write on.

    Parameters
    ----------
    pixels : ndarray of uint8, shape (height, width, 3)
        Copied.
    unit : float, optional
        See below; made for the picture's height when omitted.

    Attributes
    ----------
    width, height : int
        Pixels.
    unit : float
        Size of a letter and the right distance from an edge, pixels.
    """

    def __init__(self, pixels: NDArray[np.uint8], *, unit: float | None = None) -> None:
        images = require("PIL.Image", "gl", "drawing text")
        draws = require("PIL.ImageDraw", "gl", "drawing text")
        fonts = require("PIL.ImageFont", "gl", "drawing text")
        self.height, self.width = pixels.shape[:2]
        self.unit = max(11.0, self.height / 27) if unit is None else unit
        self._image: Any = images.fromarray(pixels)
        self._draw: Any = draws.Draw(self._image)
        self._title: Any = fonts.load_default(0.95 * self.unit)
        self._small: Any = fonts.load_default(0.75 * self.unit)

    def text(self, at: tuple[float, float], words: str, *, faint: bool = False, right: bool = False) -> None:
        """Write words below and to the right of a place, or to its left."""
        font, ink = (self._small, FAINT_INK) if faint else (self._title, INK)
        self._draw.text(at, words, fill=ink, font=font, anchor="ra" if right else "la")

    def color_bar(self, box: tuple[float, float, float, float], ends: tuple[str, str]) -> None:
        """Draw the heat map's colours in a box (left, top, width, height), its two ends written below."""
        left, top, width, height = box
        columns = max(2, round(width))
        colors = np.rint(255 * linear_to_srgb(viridis(np.linspace(0, 1, columns)))).astype(int)
        for i, color in enumerate(colors):
            self._draw.line((left + i, top, left + i, top + height), fill=tuple(color.tolist()))
        below = top + 1.5 * height
        self.text((left, below), ends[0], faint=True)
        self.text((left + columns, below), ends[1], faint=True, right=True)

    def rule(self, x: float) -> None:
        """Draw a thin line from top to bottom."""
        self._draw.line((x, 0, x, self.height), fill=(206, 211, 218))

    def pixels(self) -> NDArray[np.uint8]:
        """Return the picture, ``(height, width, 3)``."""
        return np.array(self._image, np.uint8)
