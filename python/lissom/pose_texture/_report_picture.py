# SPDX-License-Identifier: MIT
"""The picture of a bake's report: a row for each clip, with bars of its errors and a heat map by joint."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom._base.numbers import whole_number
from lissom._formats.picture import Picture
from lissom._view.color import linear_to_srgb
from lissom._view.labels import INK, RULE, Sheet
from lissom._view.viridis import viridis

if TYPE_CHECKING:
    from lissom.pose_texture._report import BakeReport

__all__ = ["draw"]

PAPER = (250, 251, 252)
BARS = (
    (178, 68, 38),
    (222, 139, 106),
    (244, 208, 188),
)  # rms, p99, max
LETTER, TITLE = 16.0, 26.0  # font sizes of text and of the title, pixels
DECADES = 3  # span of colours and bars, below the largest error
MOST_CLIPS, MOST_JOINTS = 150, 120  # more of either could not be distinguished
LEAST_WIDTH = 900
EDGE, GAP = 28, 18  # pixels around the picture, and between its columns
BAR_WIDTH, RATE_WIDTH, PERCENT_WIDTH = 250, 66, 74
CELL = (14, 26)  # smallest and largest width of a joint's column, pixels
ROW = (17, 26)  # height of a clip's row: for many clips, and for few, pixels
LONGEST = 230  # width of a name, pixels
HEAD, COLORS_WIDTH = 108, 310
CAPTION = "largest error of each joint's vertices; white: where the clip is worst"


def draw(report: BakeReport, width: int | None) -> Picture:
    """Draw a report; see `BakeReport.picture`."""
    if width is not None:
        whole_number(width, "BakeReport.picture: width", least=LEAST_WIDTH)
    return _Drawing(report, width).picture()


@dataclass(frozen=True)
class _Scale:
    """A logarithmic scale of percent of the size: 0 at `low` and below, 1 at `high`."""

    low: float
    high: float

    @classmethod
    def below(cls, largest: float) -> _Scale:
        if not (largest > 0 and math.isfinite(largest)):
            return cls(10.0**-DECADES, 1.0)
        decade = 10.0 ** math.floor(math.log10(largest))
        high = next(decade * step for step in (1, 2, 5, 10) if decade * step >= largest * (1 - 1e-9))
        return cls(high * 10.0**-DECADES, high)

    def __call__(self, percent: NDArray[Any] | float) -> NDArray[np.float64]:
        safe = np.clip(np.nan_to_num(np.asarray(percent, np.float64)), self.low, self.high)
        return np.asarray(np.log(safe / self.low) / math.log(self.high / self.low))

    @property
    def ticks(self) -> list[str]:
        return [_plainly(self.high * 10.0 ** (i - DECADES)) for i in range(DECADES + 1)]


class _Drawing:
    """Lays out columns, then paints boxes, then writes text."""

    def __init__(self, report: BakeReport, width: int | None) -> None:
        self.report = report
        size = report.size if report.size > 0 else 1.0
        self.errors = (
            100.0
            / size
            * np.array(
                [(clip.error.rms, clip.error.p99, clip.error.max) for clip in report.clips.values()]
            ).reshape(-1, 3)
        )
        self.clips = _largest(self.errors[:, 2], MOST_CLIPS)
        self.scale = _Scale.below(float(self.errors[:, 2].max(initial=0.0)))
        self.joint_errors = np.zeros((len(self.clips), 0))
        self.filled = np.zeros(0, dtype=np.intp)  # joints with vertices
        if report.joint_max is not None:
            table = 100.0 / size * report.joint_max[self.clips].astype(np.float64)
            self.filled = np.flatnonzero(np.isfinite(table).all(axis=0))
            self.joint_errors = table[:, self.filled]
        self._lay_out(width)

    def _lay_out(self, width: int | None) -> None:
        ruler = Sheet(np.zeros((1, 1, 3), np.uint8), unit=LETTER)
        self.names = [list(self.report.clips)[i] for i in self.clips]
        self.name_width = math.ceil(min(LONGEST, max(ruler.extent(n, faint=True) for n in self.names))) + 2
        self.rate_left = EDGE + self.name_width + GAP
        self.bar_left = self.rate_left + RATE_WIDTH + GAP
        self.percent_left = self.bar_left + BAR_WIDTH + 6
        self.heat_left = self.percent_left + PERCENT_WIDTH + GAP
        least, most = CELL
        count = min(len(self.filled), MOST_JOINTS)
        if width is None:
            cell = 20 if count <= 40 else 15 if count <= 80 else least
            width = max(LEAST_WIDTH, self.heat_left + EDGE + count * cell)
        heat_width = width - EDGE - self.heat_left
        shown = _largest(self.joint_errors.max(axis=0, initial=0.0), min(count, max(1, heat_width // least)))
        self.joint_errors = self.joint_errors[:, shown]
        self.joint_names = [self.report.joints[i] for i in self.filled[shown]]
        longest = max((ruler.extent(name, faint=True) for name in self.joint_names), default=0.0)
        self.joint_height = math.ceil(min(LONGEST, longest)) + 8
        self.cell = min(most, heat_width // max(1, len(shown)))
        self.row = ROW[1] if len(self.names) <= 12 else 21 if len(self.names) <= 40 else ROW[0]
        self.top = HEAD + max(self.joint_height, 40)
        self.bottom = self.top + self.row * len(self.names)
        self.caption_left = self.heat_left + min(COLORS_WIDTH, self.cell * len(shown)) + GAP
        self.captioned = self.caption_left + ruler.extent(CAPTION, faint=True) < width - EDGE
        self.width, self.height = width, self.bottom + 62 + 20 * len(self._notes())

    def picture(self) -> Picture:
        pixels = np.empty((self.height, self.width, 3), np.uint8)
        pixels[:] = PAPER
        self._paint_bars(pixels)
        self._paint_heat(pixels)
        self._paint_joint_names(pixels)
        title = Sheet(pixels, unit=TITLE)
        title.text((EDGE, 20), self._title(), max_width=self.width - 2 * EDGE)
        sheet = Sheet(title.pixels(), unit=LETTER)
        for i, line in enumerate(self._subtitle()):
            sheet.text((EDGE, 58 + 20 * i), line, faint=True, max_width=self.width - 2 * EDGE)
        self._write_rows(sheet)
        self._write_scales(sheet)
        for i, note in enumerate(self._notes()):
            at = (EDGE, self.bottom + 54 + 20 * i)
            sheet.text(at, note, faint=True, max_width=self.width - 2 * EDGE)
        return Picture(sheet.pixels())

    def _paint_bars(self, pixels: NDArray[np.uint8]) -> None:
        for decade in range(DECADES + 1):
            x = self.bar_left + round(BAR_WIDTH * decade / DECADES)
            pixels[self.top - 4 : self.bottom + 4, x] = RULE
        thick = max(5, round(0.5 * self.row))
        for i, clip in enumerate(self.clips):
            y = self.top + i * self.row + (self.row - thick) // 2
            ends = self.bar_left + np.rint(BAR_WIDTH * self.scale(self.errors[clip])).astype(int)
            for end, color in reversed(list(zip(ends, BARS, strict=True))):
                pixels[y : y + thick, self.bar_left : max(end, self.bar_left + 1)] = color
        allowed = self.report.max_error
        if allowed is not None and self.scale.low < 100 * allowed <= self.scale.high:
            x = self.bar_left + round(BAR_WIDTH * float(self.scale(100 * allowed)))
            pixels[self.top - 8 : self.bottom + 8, x : x + 2] = INK

    def _paint_heat(self, pixels: NDArray[np.uint8]) -> None:
        if not len(self.joint_names):
            return
        colors = np.rint(255 * linear_to_srgb(viridis(self.scale(self.joint_errors)))).astype(np.uint8)
        gap = 1 if self.row > ROW[0] else 0
        for i, line in enumerate(colors):
            y = self.top + i * self.row
            for j, color in enumerate(line):
                x = self.heat_left + j * self.cell
                pixels[y : y + self.row - gap, x : x + self.cell - 1] = color
            worst = int(np.argmax(self.joint_errors[i]))
            if self.joint_errors[i, worst] < self.scale.low:
                continue
            x = self.heat_left + worst * self.cell + (self.cell - 1) // 2
            y += (self.row - gap) // 2
            pixels[y - 3 : y + 3, x - 3 : x + 3] = INK
            pixels[y - 2 : y + 2, x - 2 : x + 2] = (255, 255, 255)

    def _paint_joint_names(self, pixels: NDArray[np.uint8]) -> None:
        """Draw names horizontally, and rotate the picture of them."""
        if not len(self.joint_names):
            return
        strip = np.empty((self.cell * len(self.joint_names), self.joint_height, 3), np.uint8)
        strip[:] = PAPER
        horizontal = Sheet(strip, unit=LETTER)
        for j, name in enumerate(self.joint_names):
            horizontal.text(
                (4, self.cell * j + (self.cell - 15) / 2 - 1), name, faint=True, max_width=LONGEST
            )
        vertical = np.rot90(horizontal.pixels())
        left = self.heat_left
        pixels[self.top - self.joint_height : self.top, left : left + vertical.shape[1]] = vertical

    def _write_rows(self, sheet: Sheet) -> None:
        baseline = (self.row - 15) / 2 - 1
        rates = [list(self.report.clips.values())[i].rate for i in self.clips]
        for i, (clip, name, rate) in enumerate(zip(self.clips, self.names, rates, strict=True)):
            y = self.top + i * self.row + baseline
            sheet.text((EDGE, y), name, faint=True, max_width=self.name_width)
            right = self.rate_left + RATE_WIDTH
            sheet.text((right, y), f"{rate:.4g}" if rate else "still", faint=True, anchor="right")
            percent = f"{_plainly(self.errors[clip, 2])} %" if self.errors[clip, 2] >= 1e-4 else "< 0.0001 %"
            sheet.text((self.percent_left, y), percent, faint=True)

    def _write_scales(self, sheet: Sheet) -> None:
        above = self.top - 24
        right = self.rate_left + RATE_WIDTH
        sheet.text((right, above - 18), f"{self.report.dtype} at", faint=True, anchor="right")
        sheet.text((right, above), "frames/s", faint=True, anchor="right")
        x = float(self.bar_left)
        for (red, green, blue), words in zip(BARS, ("rms", "p99", "max"), strict=True):
            sheet.box((x, above + 2, 11, 11), (red, green, blue))
            x += 17 + sheet.text((x + 17, above), words, faint=True) + 14
        last = len(self.scale.ticks) - 1
        for i, words in enumerate(self.scale.ticks):
            unit = " %" if i == last else ""
            at = (self.bar_left + BAR_WIDTH * i / last, self.bottom + 8)
            sheet.text(at, words + unit, faint=True, anchor="middle")
        if len(self.joint_names):
            box = (self.heat_left, self.bottom + 12, self.caption_left - GAP - self.heat_left, 10)
            sheet.color_bar(box, [*self.scale.ticks[:-1], f"{self.scale.ticks[-1]} %"])
            if self.captioned:
                sheet.text((self.caption_left, self.bottom + 9), CAPTION, faint=True)

    def _title(self) -> str:
        count = len(self.report.clips)
        largest = f"{_plainly(self.errors[:, 2].max(initial=0.0))} %"
        return f"{count} {'clip' if count == 1 else 'clips'} baked within {largest} of the character's size"

    def _subtitle(self) -> list[str]:
        report = self.report
        lines = [
            f"layout {report.layout}, {report.dtype}; {report.vertex_count} points ({report.measured}) by "
            f"{report._morphed}{report.method} skinning, at frames and between them; size {report.size:.4g}"
        ]
        name, clip = max(report.clips.items(), key=lambda item: item[1].error.max)
        if clip.error.worst is not None:
            worst = clip.error.worst
            where = "at a frame" if worst.at_frame else "between frames"
            lines.append(
                f"worst: vertex {worst.vertex} at {worst.joint}, {name}, {worst.time:.3f} s, frame "
                f"{worst.frame:.2f} ({where})"
            )
        return lines

    def _notes(self) -> list[str]:
        """Return notes on what the picture does not show."""
        notes = ["Texels were edited: errors are those before."] if self.report.edited else []
        if len(self.report.clips) > len(self.clips):
            notes.append(f"The {len(self.clips)} clips with the largest errors, of {len(self.report.clips)}.")
        if self.joint_names and not self.captioned:
            notes.append(f"Colours: {CAPTION}.")
        if len(self.filled) > len(self.joint_names):
            notes.append(
                f"The {len(self.joint_names)} joints with the largest errors, of {len(self.filled)}."
            )
        if self.report.max_error is not None:
            notes.append(f"Black line: max_error, {_plainly(100 * self.report.max_error)} %.")
        return notes


def _largest(values: NDArray[np.float64], most: int) -> NDArray[np.intp]:
    """Return the indices of the largest values, in ascending order."""
    if len(values) <= most:
        return np.arange(len(values))
    return np.sort(np.argsort(-values, kind="stable")[:most])


def _plainly(value: float) -> str:
    return np.format_float_positional(value, precision=2, fractional=False, trim="-")
