# SPDX-License-Identifier: MIT
"""Lines, arrows, fans and words over a picture, at places of the world or of the picture."""

from collections.abc import Sequence

import numpy as np
from charts import FINE, INK, PAPER
from numpy.typing import ArrayLike, NDArray
from PIL import Image, ImageDraw, ImageFont

from lissom.gpu import Camera

RED, GREEN, BLUE = (196, 58, 44), (70, 140, 60), (44, 104, 176)  # the axes x, y, z
YELLOW = (222, 164, 32)
Color = tuple[int, int, int]
Place = Sequence[float] | NDArray[np.float64]


class Overlay:
    """A picture to draw on; large inside, so that edges are smooth.

    Parameters
    ----------
    pixels : ndarray of uint8, shape (height, width, 3)
        Copied.
    camera : Camera, optional
        The one that the picture was drawn with: places of three numbers are world positions then.
    """

    def __init__(self, pixels: NDArray[np.uint8], camera: Camera | None = None) -> None:
        self.height, self.width = pixels.shape[:2]
        large = (FINE * self.width, FINE * self.height)
        self._image = Image.fromarray(pixels).resize(large, Image.Resampling.BICUBIC)
        self._camera = camera

    @classmethod
    def blank(cls, width: int, height: int) -> "Overlay":
        """Begin with an empty sheet."""
        return cls(np.full((height, width, 3), PAPER, np.uint8))

    def at(self, place: Place) -> tuple[float, float]:
        """Pixels from the left and from the top of a place."""
        if len(place) == 2 or self._camera is None:
            return float(place[0]), float(place[1])
        clip = self._camera.clip_from_world(self.width / self.height, 0.1, 1e3) @ [*place, 1.0]
        x, y = clip[:2] / clip[3]
        return (x + 1) / 2 * self.width, (1 - y) / 2 * self.height

    def line(self, places: Sequence[Place], color: Color = INK, width: float = 2.0) -> None:
        """Draw through places, with round ends."""
        points = [self._fine(place) for place in places]
        draw = ImageDraw.Draw(self._image)
        draw.line(points, color, round(FINE * width), joint="curve")
        for x, y in (points[0], points[-1]):
            r = FINE * width / 2
            draw.ellipse((x - r, y - r, x + r, y + r), color)

    def dashes(
        self, places: Sequence[Place], color: Color = INK, width: float = 1.5, step: float = 9
    ) -> None:
        """Draw through places, half of the way."""
        points = np.array([self.at(place) for place in places])
        lengths = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
        for start in np.arange(0, lengths[-1], step):
            along = np.linspace(start, min(start + step / 2, lengths[-1]), 4)
            xy = [np.interp(along, lengths, points[:, i]) for i in range(2)]
            self.line(list(np.stack(xy, axis=-1)), color, width)

    def arrow(self, tail: Place, head: Place, color: Color = INK, width: float = 2.0) -> None:
        """Draw from a place to another."""
        a, b = np.array(self.at(tail)), np.array(self.at(head))
        length = max(float(np.linalg.norm(b - a)), 1e-6)
        along = (b - a) / length
        across = np.array([-along[1], along[0]])
        size = min(4.2 * width, 0.8 * length)
        self.line([a, b - 0.8 * size * along], color, width)
        base = b - size * along
        corners = [b, base + 0.45 * size * across, base - 0.45 * size * across]
        ImageDraw.Draw(self._image).polygon([(FINE * x, FINE * y) for x, y in corners], color)

    def axes(self, world_from_local: NDArray[np.float64], length: float, width: float = 2.2) -> None:
        """Draw the axes x, y, z of a space: red, green, blue."""
        origin = world_from_local[:3, 3]
        for i, color in enumerate((RED, GREEN, BLUE)):
            axis = world_from_local[:3, i] / np.linalg.norm(world_from_local[:3, i])
            self.arrow(origin, origin + length * axis, color, width)
        self.dot(origin, 1.2 * width)

    def dot(self, place: Place, radius: float = 4.0, color: Color = INK, ring: Color | None = None) -> None:
        """Draw a disc; `ring` is the colour around it."""
        draw = ImageDraw.Draw(self._image)
        x, y = self._fine(place)
        for r, fill in ((radius + 1.5, ring), (radius, color)):
            if fill is not None:
                draw.ellipse((x - FINE * r, y - FINE * r, x + FINE * r, y + FINE * r), fill)

    def area(self, places: Sequence[Place], color: Color, opacity: float = 0.35) -> None:
        """Fill what places enclose, seen through."""
        veil = Image.new("L", self._image.size)
        ImageDraw.Draw(veil).polygon([self._fine(place) for place in places], round(255 * opacity))
        self._image.paste(color, (0, 0), veil)

    def box(self, corner: Place, size: Place, color: Color, border: Color | None = None) -> None:
        """Fill a rectangle from its upper left corner."""
        (x, y), (w, h) = corner, size
        ImageDraw.Draw(self._image).rectangle(
            (FINE * x, FINE * y, FINE * (x + w), FINE * (y + h)), color, border, FINE if border else 0
        )

    def text(
        self,
        place: Place,
        words: str,
        *,
        size: float = 15,
        color: Color = INK,
        anchor: str = "lm",
        halo: bool = True,
        move: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        """Write at a place, moved by pixels, by Pillow's anchors; a halo keeps it apart from the picture."""
        x, y = self.at(place)
        font = ImageFont.load_default(FINE * size)
        stroke = round(FINE * 1.6) if halo else 0
        ImageDraw.Draw(self._image).text(
            (FINE * (x + move[0]), FINE * (y + move[1])),
            words,
            color,
            font,
            anchor,
            stroke_width=stroke,
            stroke_fill=PAPER,
        )

    def pixels(self) -> NDArray[np.uint8]:
        """Return the picture in its own size."""
        return np.asarray(self._image.resize((self.width, self.height), Image.Resampling.LANCZOS))

    def _fine(self, place: Place) -> tuple[float, float]:
        x, y = self.at(place)
        return FINE * x, FINE * y


def fan(origin: ArrayLike, directions: NDArray[np.float64], length: float) -> list[NDArray[np.float64]]:
    """World places of a fan or cone: its tip, and the ends of unit directions."""
    tip = np.asarray(origin, np.float64)
    return [tip, *(tip + length * directions)]
