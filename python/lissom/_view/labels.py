# SPDX-License-Identifier: MIT
"""Text and colour bars on finished pictures, drawn with Pillow's own font."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.extras import require
from lissom._base.numbers import check_number
from lissom._base.set_module import set_module
from lissom._formats.picture import Picture
from lissom._view.color import linear_to_srgb
from lissom._view.viridis import viridis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Sheet", "with_color_bar"]

INK = (52, 58, 68)
FAINT_INK = (104, 112, 124)
RULE = (206, 211, 218)
PAPER = (246, 247, 249)  # of a plate below text
PLATE_ALPHA = 200  # of 255

# Text is drawn this many times larger and averaged down: fonts place letters on whole pixels, which at a size
# of ten pixels spaces them unevenly.
SUPERSAMPLING = 4

BAR_HEIGHT = 3.6  # of a colour bar with its title, in units of `Sheet.unit`
TITLE_HEIGHT = 1.1  # of which the title takes
MIN_SIZE = (160, 120)  # pixels: in a smaller picture nobody can read a colour bar


@set_module("lissom.gpu")
def with_color_bar(picture: Picture, maximum: float, words: str = "") -> Picture:
    """Return a picture with the colour bar of its heat map in the lower left corner.

    Parameters
    ----------
    picture : Picture
        Drawn with `SkinnedModel.set_heat`. Returned unchanged if smaller than 160 by 120: nobody could read
        the numbers.
    maximum : float
        Value of the last colour, as passed to `set_heat`; at least 0.
    words : str
        What is shown, and in which unit, such as ``"weight of Spine"``; written above the bar.

    Returns
    -------
    Picture
        Of the same size.

    Raises
    ------
    TypeError
        If `picture` is not a Picture, or `maximum` not a number.
    ValueError
        If `maximum` is negative or not finite.

    Examples
    --------
    >>> plain = lissom.Picture(np.full((180, 320, 3), 200, np.uint8))
    >>> labelled = lissom.gpu.with_color_bar(plain, 0.25, "metres")
    >>> labelled.shape, bool((labelled.array[:90] == 200).all())  # the upper half is as it was
    ((180, 320, 3), True)
    """
    if not isinstance(picture, Picture):
        raise TypeError(f"with_color_bar: picture must be a Picture, got {type(picture).__name__}")
    top = check_number(maximum, "with_color_bar: maximum", least=0)
    if picture.width < MIN_SIZE[0] or picture.height < MIN_SIZE[1]:
        return picture
    sheet = Sheet(picture.array[..., :3])
    unit, height = sheet.unit, (BAR_HEIGHT if words else BAR_HEIGHT - TITLE_HEIGHT) * sheet.unit
    width = min(max(0.3 * sheet.width, 16 * unit), sheet.width - 2 * unit)
    left, first = unit, sheet.height - unit - height
    sheet.plate((left, first, width, height))
    if words:
        sheet.text((left + 0.6 * unit, first + 0.3 * unit), words, faint=True, max_width=width - 1.2 * unit)
        first += TITLE_HEIGHT * unit
    box = (left + 0.6 * unit, first + 0.5 * unit, width - 1.2 * unit, 0.5 * unit)
    sheet.color_bar(box, [f"{value:.3g}" for value in (0.0, top / 2, top)])
    pixels = sheet.pixels()
    if picture.shape[2] == 4:  # seen where the bar is
        alpha = np.where((pixels != picture.array[..., :3]).any(axis=2), np.uint8(255), picture.array[..., 3])
        pixels = np.dstack([pixels, alpha])
    return Picture(pixels)


class Sheet:
    """A picture to write and draw on.

    Parameters
    ----------
    pixels : ndarray of uint8, shape (height, width, 3)
        Copied.
    unit : float, optional
        See below; chosen by the picture's height when omitted.

    Attributes
    ----------
    width, height : int
        Pixels.
    unit : float
        Size of a letter, and distance to keep from an edge, pixels.
    """

    def __init__(self, pixels: NDArray[np.uint8], *, unit: float | None = None) -> None:
        self._images: Any = require("PIL.Image", "gl", "drawing text")
        self._draws: Any = require("PIL.ImageDraw", "gl", "drawing text")
        fonts = require("PIL.ImageFont", "gl", "drawing text")
        self.height, self.width = pixels.shape[:2]
        self.unit = max(11.0, self.height / 27) if unit is None else unit
        self._image: Any = self._images.fromarray(pixels)
        self._draw: Any = self._draws.Draw(self._image)
        self._title: Any = fonts.load_default(SUPERSAMPLING * 0.95 * self.unit)
        self._small: Any = fonts.load_default(SUPERSAMPLING * 0.75 * self.unit)

    def text(
        self,
        at: tuple[float, float],
        words: str,
        *,
        faint: bool = False,
        anchor: str = "left",
        max_width: float = math.inf,
    ) -> float:
        """Write text below a point: to its right, to its left or centred on it.

        Parameters
        ----------
        at : tuple of float
            Pixels from the left and from the top.
        anchor : {"left", "middle", "right"}
            Which part of the text stands at the point.
        max_width : float
            Pixels; longer text is cut and ends in an ellipsis.

        Returns
        -------
        float
            Width of what was written, pixels.
        """
        words = self._fitted(words, max_width, faint)
        width = self.extent(words, faint=faint)
        if not words:
            return 0.0
        font, ink = (self._small, FAINT_INK) if faint else (self._title, INK)
        left = at[0] - {"left": 0.0, "middle": 0.5, "right": 1.0}[anchor] * width
        x, y = math.floor(left) - 1, math.floor(at[1])  # a letter may begin left of its origin
        right, bottom = font.getbbox(words)[2:]
        columns, rows = math.ceil(right / SUPERSAMPLING) + 3, math.ceil(bottom / SUPERSAMPLING) + 2
        mask = self._images.new("L", (SUPERSAMPLING * columns, SUPERSAMPLING * rows))
        self._draws.Draw(mask).text(
            (SUPERSAMPLING * (left - x), SUPERSAMPLING * (at[1] - y)), words, fill=255, font=font
        )
        self._image.paste(ink, (x, y), mask.reduce(SUPERSAMPLING))
        return width

    def extent(self, words: str, *, faint: bool = False) -> float:
        """Return the width of text, pixels."""
        return float((self._small if faint else self._title).getlength(words)) / SUPERSAMPLING

    def color_bar(self, box: tuple[float, float, float, float], ticks: Sequence[str]) -> None:
        """Draw the heat map's colours in a box (left, top, width, height), with evenly spaced ticks below."""
        left, top, width, height = (round(side) for side in box)
        width, height = max(2, width), max(2, height)
        row = np.rint(255 * linear_to_srgb(viridis(np.linspace(0, 1, width)))).astype(np.uint8)
        self._image.paste(self._images.fromarray(np.repeat(row[None], height, axis=0)), (left, top))
        below = top + height + 0.3 * self.unit
        last = len(ticks) - 1
        for i, words in enumerate(ticks):
            x = left + round((width - 1) * i / last)
            self._draw.line((x, top + height, x, top + height + 0.2 * self.unit), fill=FAINT_INK)
            anchor = "left" if i == 0 else "right" if i == last else "middle"
            self.text((x if i < last else x + 1, below), words, faint=True, anchor=anchor)

    def plate(self, box: tuple[float, float, float, float]) -> None:
        """Draw a translucent plate in a box (left, top, width, height), for text to be readable on it."""
        left, top, width, height = (round(side) for side in box)
        mask = self._images.new("L", (SUPERSAMPLING * width, SUPERSAMPLING * height))
        corners = (0, 0, SUPERSAMPLING * width - 1, SUPERSAMPLING * height - 1)
        self._draws.Draw(mask).rounded_rectangle(
            corners, radius=0.4 * SUPERSAMPLING * self.unit, fill=PLATE_ALPHA
        )
        self._image.paste(PAPER, (left, top), mask.reduce(SUPERSAMPLING))

    def box(self, box: tuple[float, float, float, float], color: tuple[int, int, int]) -> None:
        """Fill a box (left, top, width, height)."""
        left, top, width, height = (round(side) for side in box)
        self._draw.rectangle((left, top, left + width - 1, top + height - 1), fill=color)

    def rule(self, x: float) -> None:
        """Draw a thin line from top to bottom."""
        self._draw.line((x, 0, x, self.height), fill=RULE)

    def pixels(self) -> NDArray[np.uint8]:
        """Return the picture, ``(height, width, 3)``."""
        return np.array(self._image, np.uint8)

    def _fitted(self, words: str, max_width: float, faint: bool) -> str:
        if self.extent(words, faint=faint) <= max_width:
            return words
        while words and self.extent(f"{words}…", faint=faint) > max_width:
            words = words[:-1]
        return f"{words.rstrip()}…" if words else ""
