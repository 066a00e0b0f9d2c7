# SPDX-License-Identifier: MIT
"""How a comparison is laid out: equal panels, each with its title and its numbers beneath."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._compare_words import TITLES, distance_lines, method_lines, percent
from lissom.gpu.labels import Sheet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]

__all__ = ["Panels"]

PANEL = (480, 540)  # pixels, where nothing else is asked for
LEAST_HEIGHT = 240  # of a panel, for numbers that can be read
PAPER = (246, 247, 249)  # under the numbers
LINES = 6  # beneath a panel


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
    """

    columns: int
    rows: int
    panel_width: int
    panel_height: int
    captioned: bool

    @classmethod
    def of(cls, count: int, width: int | None, height: int | None) -> Panels:
        """Lay out `count` panels in a picture of a size, rounded down to equal panels."""
        rows = 1 if count <= 3 else 2
        columns = -(-count // rows)
        panel_width = PANEL[0] if width is None else max(1, width // columns)
        panel_height = PANEL[1] if height is None else max(1, height // rows)
        return cls(columns, rows, panel_width, panel_height, panel_height >= LEAST_HEIGHT)

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
        """Pixels down of what is drawn of a panel, above its numbers."""
        return self.panel_height - self._caption_height

    @property
    def margin(self) -> tuple[float, float]:
        """Share of a view to leave empty beside and above the character: for the title, and a scale."""
        return (0.1, 0.24) if self.captioned else (0.1, 0.27)

    @property
    def _caption_height(self) -> int:
        return round((1.1 * LINES + 1.1) * self.unit) if self.captioned else 0

    def picture(self, views: Sequence[Pixels], numbers: dict[str, Any]) -> Pixels:
        """Put the views together, the last of which is the heat map, and write on them."""
        canvas = np.empty((self.rows * self.panel_height, self.columns * self.panel_width, 3), np.uint8)
        canvas[:] = PAPER
        places = []
        for i, view in enumerate(views):
            top, left = i // self.columns * self.panel_height, i % self.columns * self.panel_width
            canvas[top : top + self.view_height, left : left + self.view_width] = view
            places.append((left, top))
        sheet = Sheet(canvas, unit=self.unit)
        for method, place in zip(numbers["methods"], places, strict=False):
            self._write_method(sheet, place, method, numbers)
        self._write_heat(sheet, places[-1], numbers)
        for i in range(1, self.columns):
            sheet.rule(i * self.panel_width)
        return sheet.pixels()

    def _write_method(
        self, sheet: Sheet, place: tuple[int, int], method: str, numbers: dict[str, Any]
    ) -> None:
        left, top = place[0] + self.unit, place[1] + 0.8 * self.unit
        sheet.text((left, top), TITLES[method])
        if self.captioned:
            self._table(sheet, place, method_lines(numbers, method))

    def _write_heat(self, sheet: Sheet, place: tuple[int, int], numbers: dict[str, Any]) -> None:
        left, top = place[0] + self.unit, place[1] + 0.8 * self.unit
        first, second = (TITLES[method] for method in numbers["between"])
        alone = len(numbers["methods"]) == 2
        sheet.text((left, top), "distance between them" if alone else f"{first} to {second}")
        ends = ("0", f"{percent(numbers['max_relative'])} of size")
        if self.captioned:
            bar = place[1] + self.view_height + 0.7 * self.unit
            sheet.color_bar((left, bar, self.panel_width - 2 * self.unit, 0.5 * self.unit), ends)
            self._table(sheet, place, ["", "", *distance_lines(numbers)])
        else:
            words = f"max {numbers['max_relative']:.2%}   rms {numbers['rms_relative']:.2%} of size"
            sheet.text((left, top + 1.4 * self.unit), words, faint=True)
            bar = place[1] + self.panel_height - 2.6 * self.unit
            sheet.color_bar((left, bar, self.panel_width - 2 * self.unit, 0.5 * self.unit), ends)

    def _table(self, sheet: Sheet, place: tuple[int, int], lines: Sequence[Any]) -> None:
        for i, line in enumerate(lines):
            if line:
                y = place[1] + self.view_height + (0.6 + 1.1 * i) * self.unit
                sheet.text((place[0] + self.unit, y), line[0], faint=True)
                sheet.text((place[0] + self.panel_width - self.unit, y), line[1], faint=True, right=True)
