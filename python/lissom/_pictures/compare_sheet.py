# SPDX-License-Identifier: MIT
"""How a comparison is laid out: equal panels, each with its title and its numbers beneath."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._pictures.compare_text import FLOOR, distance_lines, heat_ticks, method_lines
from lissom._view.labels import RULE, Sheet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from lissom.gpu import Camera

    Pixels = NDArray[np.uint8]

__all__ = ["Panels", "with_inset", "with_ring"]

PANEL = (480, 540)  # pixels, where nothing else is asked for
LEAST_HEIGHT = 240  # of a panel, for numbers that can be read
LEAST_WORDS = 90  # of a panel, for more words than its title, and a scale
PAPER = (246, 247, 249)  # under the numbers
LINES = 6  # beneath a panel
FRAME = 2  # pixels around a close-up in a corner
RING = 0.026  # radius of the ring about a vertex, of the shorter side of a view
LEAST_RING = 5.0  # pixels
INK, HALO = (255, 255, 255), (31, 39, 48)  # of the ring, and around it
HOTTEST = (253, 231, 37)  # the last colour of viridis
HEAD, SCALE = 3.0, 2.2  # heights of the words above a view, and of the scale within one: in letters


@dataclass(frozen=True)
class Panels:
    """Where the panels of a picture stand.

    Attributes
    ----------
    columns, rows : int
        Of panels.
    panel_width, panel_height : int
        Of one panel, pixels.
    captioned : bool
        Whether there is room for numbers.
    headed : bool
        Whether the words above a view have a strip of their own, or stand in what the view leaves empty.
    spare_width, spare_height : int
        Of the picture, pixels that no equal panels take: at its right, and at its foot.
    """

    columns: int
    rows: int
    panel_width: int
    panel_height: int
    captioned: bool
    headed: bool = False
    spare_width: int = 0
    spare_height: int = 0

    @classmethod
    def of(cls, count: int, width: int | None, height: int | None, *, headed: bool = False) -> Panels:
        """Lay out `count` equal panels in a picture of a size."""
        rows = 1 if count <= 3 else 2
        columns = -(-count // rows)
        panel_width = PANEL[0] if width is None else max(1, width // columns)
        panel_height = PANEL[1] if height is None else max(1, height // rows)
        headed = headed and panel_height >= LEAST_WORDS
        captioned = panel_height >= LEAST_HEIGHT
        spare = 0 if width is None else width % columns, 0 if height is None else height % rows
        return cls(columns, rows, panel_width, panel_height, captioned, headed, *spare)

    @property
    def unit(self) -> float:
        """Size of a letter, pixels."""
        return max(11.0, self.panel_height / 27)

    @property
    def view_width(self) -> int:
        """Pixels across of what is drawn of a panel."""
        return self.panel_width

    @property
    def view_height(self) -> int:
        """Pixels down of what is drawn of a panel, between its head and its numbers."""
        return self.panel_height - self._head_height - self._caption_height

    @property
    def inset_side(self) -> int:
        """Pixels of the square close-up in a corner of a view."""
        return round(min(0.42 * self.view_height, 0.36 * self.view_width))

    @property
    def head(self) -> float:
        """Pixels at the top of a view in which words stand."""
        return 0.0 if self.headed else HEAD * self.unit

    @property
    def margin(self) -> tuple[float, float, float]:
        """Share of a view to leave empty at the sides, above and below: for the words, and a scale."""
        if self.panel_height < LEAST_WORDS:
            return 0.1, 0.12, 0.12
        above = 0.4 if self.headed else HEAD + 0.4
        below = 0.5 if self.captioned else SCALE + 0.5
        return 0.1, above * self.unit / self.view_height, below * self.unit / self.view_height

    @property
    def _head_height(self) -> int:
        return round(HEAD * self.unit) if self.headed else 0

    @property
    def _table_top(self) -> int:
        return self.panel_height - self._caption_height

    @property
    def _caption_height(self) -> int:
        return round((1.1 * LINES + 1.1) * self.unit) if self.captioned else 0

    def picture(
        self,
        views: Sequence[Pixels],
        numbers: dict[str, Any],
        titles: Mapping[str, str],
        place: str,
        agreed: str,
    ) -> Pixels:
        """Put the views together, the last of which is the heat map, and write on them.

        Parameters
        ----------
        titles : mapping of str
            Of each method.
        place, agreed : str
            Which pose it is; how far two methods are apart.
        """
        canvas = np.empty((self.rows * self.panel_height, self.columns * self.panel_width, 3), np.uint8)
        canvas[:] = PAPER
        places = []
        for i, view in enumerate(views):
            top, left = i // self.columns * self.panel_height, i % self.columns * self.panel_width
            first = top + self._head_height
            canvas[first : first + self.view_height, left : left + self.view_width] = view
            places.append((left, top))
        # The last column and row go on to the edge.
        canvas = np.pad(canvas, ((0, self.spare_height), (0, self.spare_width), (0, 0)), mode="edge")
        sheet = Sheet(canvas, unit=self.unit)
        for i, method in enumerate(numbers["methods"]):
            self._write_head(sheet, places[i], titles[method], "" if i else place)
            if self.captioned:
                self._table(sheet, places[i], method_lines(numbers, method))
        one, other = (titles[method] for method in numbers["between"])
        alone = len(numbers["methods"]) == 2
        title = "distance between them" if alone else f"{one} to {other}"
        self._write_head(sheet, places[-1], title, agreed)
        self._write_heat(sheet, places[-1], numbers)
        for i in range(1, self.columns):
            sheet.rule(i * self.panel_width)
        return sheet.pixels()

    def _write_head(self, sheet: Sheet, place: tuple[int, int], title: str, words: str) -> None:
        """Write a title, and smaller words below it."""
        left, top, room = place[0] + self.unit, place[1] + 0.6 * self.unit, self.panel_width - 2 * self.unit
        sheet.text((left, top), title, max_width=room)
        if self.panel_height >= LEAST_WORDS:
            sheet.text((left, top + 1.25 * self.unit), words, faint=True, max_width=room)

    def _write_heat(self, sheet: Sheet, place: tuple[int, int], numbers: dict[str, Any]) -> None:
        """Write the scale of the heat map, and its numbers."""
        if self.panel_height < LEAST_WORDS:
            return
        top = place[1] + (self._table_top + 0.7 * self.unit if self.captioned else self.panel_height)
        if not self.captioned:
            top -= SCALE * self.unit
        box = (place[0] + self.unit, top, self.panel_width - 2 * self.unit, 0.5 * self.unit)
        sheet.color_bar(box, heat_ticks(max(numbers["max_relative"], FLOOR)))
        if self.captioned:
            self._table(sheet, place, [None, None, *distance_lines(numbers)])

    def _table(self, sheet: Sheet, place: tuple[int, int], lines: Sequence[tuple[str, str] | None]) -> None:
        """Write a name to the left and a value to the right in each line."""
        left, right = place[0] + self.unit, place[0] + self.panel_width - self.unit
        for i, line in enumerate(lines):
            if line is None:
                continue
            y = place[1] + self._table_top + (0.6 + 1.1 * i) * self.unit
            taken = sheet.text((right, y), line[1], faint=True, anchor="right")
            sheet.text((left, y), line[0], faint=True, max_width=right - left - taken - 0.5 * self.unit)


def with_inset(view: Pixels, inset: Pixels, place: tuple[int, int]) -> Pixels:
    """Return a view with a smaller one in it, framed, whose corner stands at a place: left, top."""
    (left, top), (height, width, _) = place, inset.shape
    result = view.copy()
    result[top - FRAME : top + height + FRAME, left - FRAME : left + width + FRAME] = RULE
    result[top : top + height, left : left + width] = inset
    return result


def with_ring(view: Pixels, camera: Camera, point: NDArray[np.float64], *, is_hidden: bool = False) -> Pixels:
    """Return a view with a ring about a world point, filled with the hottest colour if hidden."""
    height, width, _ = view.shape
    clip = camera.clip_from_world(width / height, 1.0, 2.0) @ np.append(point, 1.0)
    if clip[3] <= 0:
        return view
    x, y = (clip[:2] / clip[3] * [1, -1] + 1) / 2 * [width, height] - 0.5
    radius = max(LEAST_RING, RING * min(width, height))
    rows, columns = np.ogrid[:height, :width]
    apart = np.hypot(columns - x, rows - y)
    away = np.abs(apart - radius)
    result = view.astype(np.float64)
    discs = [(HOTTEST, radius - apart)] if is_hidden else []
    for color, inside in (*discs, (HALO, 2.2 - away), (INK, 1.0 - away)):
        share = np.clip(inside + 0.5, 0, 1)[..., None]
        result += share * (np.array(color) - result)
    return np.rint(result).astype(np.uint8)
