# SPDX-License-Identifier: MIT
"""Charts of the documentation, drawn with Pillow: curves over a logarithmic scale, values over a picture."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from lissom._view.color import linear_to_srgb
from lissom._view.viridis import viridis

INK, FAINT, GRID = (52, 58, 68), (104, 112, 124), (214, 219, 226)
PAPER = (246, 247, 249)
COLORS = ((178, 68, 38), (38, 92, 140), (92, 130, 60))  # brick, blue, moss
SOFT = ImageFilter.GaussianBlur(0.7)
FINE = 3  # drawn so much larger, and made small again: smooth edges


def heat_over(
    pixels: NDArray[np.uint8], values: NDArray[np.float64], opacity: float = 0.6
) -> NDArray[np.uint8]:
    """Lay the colours of values over a picture: 0 the first, 1 the last, which fades out towards 1.3."""
    colors = 255 * linear_to_srgb(viridis(values))
    share = opacity * np.clip((1.3 - values) / 0.3, 0, 1)[..., None]
    return np.rint(share * colors + (1 - share) * pixels).astype(np.uint8)


def outlined(pixels: NDArray[np.uint8], inside: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Draw a line around where something holds."""
    padded = np.pad(inside, 1, mode="edge")
    all_around = inside.copy()
    for i in range(3):
        for j in range(3):
            all_around &= padded[i : i + inside.shape[0], j : j + inside.shape[1]]
    line = np.asarray(Image.fromarray(255 * (inside & ~all_around).astype(np.uint8)).filter(SOFT)) / 255
    return np.rint(pixels + (np.array(INK) - pixels) * np.minimum(1.6 * line, 1)[..., None]).astype(np.uint8)


class Curves:
    """A chart of curves over steps, with a logarithmic scale upwards.

    Parameters
    ----------
    title, across, upwards : str
        Words above, below and beside the scale.
    steps : int
        The last step.
    decades : tuple of int
        Lowest and highest power of ten.
    """

    def __init__(
        self,
        size: tuple[int, int],
        title: str,
        across: str,
        upwards: str,
        steps: int,
        decades: tuple[int, int],
    ) -> None:
        self._size, self._steps, self._decades = size, steps, decades
        self._image = Image.new("RGB", (FINE * size[0], FINE * size[1]), PAPER)
        self._draw = ImageDraw.Draw(self._image)
        self._small = ImageFont.load_default(13 * FINE)
        width, height = size
        self._box = (62, 58, width - 16, height - 44)
        self._text((self._box[0], 12), title, INK, ImageFont.load_default(16 * FINE))
        self._text((self._box[0], 34), upwards, FAINT)
        self._text((self._box[2], height - 22), across, FAINT, anchor="ra")
        for power in range(decades[0], decades[1] + 1):
            y = self._at(0, 10.0**power)[1]
            self._line([(self._box[0], y), (self._box[2], y)], GRID, 1.0)
            name = {0: "1", -1: "0.1", -2: "0.01", -3: "0.001"}.get(power, f"1e{power}")
            self._text((self._box[0] - 8, y), name, FAINT, anchor="rm")
        for step in range(0, steps + 1, 10):
            x = self._at(step, 1.0)[0]
            self._line([(x, self._box[3]), (x, self._box[3] + 4)], FAINT, 1.0)
            self._text((x, self._box[3] + 8), str(step), FAINT, anchor="ma")

    def add(self, curves: Mapping[str, Sequence[NDArray[np.float64]]]) -> None:
        """Draw curves by name: the first of a name strong, the second fine; names stand above right."""
        for i, (name, lines) in enumerate(curves.items()):
            color = COLORS[i % len(COLORS)]
            for line, width in zip(lines, (2.4, 1.0), strict=False):
                low = 10.0 ** self._decades[0]
                self._line([self._at(step, max(value, low)) for step, value in enumerate(line)], color, width)
            y = 16 + 17 * i
            self._line([(self._box[2] - 24, y), (self._box[2], y)], color, 2.4)
            self._text((self._box[2] - 32, y), name, INK, anchor="rm")

    def pixels(self) -> NDArray[np.uint8]:
        """Return the chart."""
        return np.asarray(self._image.resize(self._size, Image.Resampling.LANCZOS))

    def _at(self, step: float, value: float) -> tuple[float, float]:
        left, top, right, bottom = self._box
        low, high = self._decades
        share = (np.log10(value) - low) / (high - low)
        return left + (right - left) * step / self._steps, bottom - (bottom - top) * float(share)

    def _line(self, points: Sequence[tuple[float, float]], color: tuple[int, int, int], width: float) -> None:
        fine = [(FINE * x, FINE * y) for x, y in points]
        self._draw.line(fine, color, round(FINE * width), joint="curve")

    def _text(
        self,
        at: tuple[float, float],
        words: str,
        color: tuple[int, int, int],
        font: ImageFont.FreeTypeFont | ImageFont.ImageFont | None = None,
        anchor: str = "la",
    ) -> None:
        self._draw.text((FINE * at[0], FINE * at[1]), words, color, font or self._small, anchor=anchor)
