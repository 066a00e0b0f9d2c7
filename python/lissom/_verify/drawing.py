# SPDX-License-Identifier: MIT
"""The picture of a judgement: errors over time, and by joint."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lissom._base.numbers import whole_number
from lissom._formats.picture import Picture
from lissom._view.color import linear_to_srgb
from lissom._view.labels import RULE, Sheet
from lissom._view.viridis import viridis

if TYPE_CHECKING:
    from lissom._verify.report import VerifyReport

__all__ = ["draw"]

PAPER = (250, 251, 252)
CURVE, LIMIT = (178, 68, 38), (52, 58, 68)
LETTER, TITLE = 16.0, 24.0  # font sizes, pixels
LEAST_WIDTH, EDGE = 480, 24
NAME_WIDTH = 150
CURVE_HEIGHT, ROW, MOST_CLIPS, MOST_JOINTS = 52, 15, 24, 48


def draw(report: VerifyReport, width: int) -> Picture:
    """Draw a report; see `VerifyReport.picture`."""
    whole_number(width, "VerifyReport.picture: width", least=LEAST_WIDTH)
    clips = sorted(report.curves, key=lambda name: -report.clips[name].max)[:MOST_CLIPS]
    cells = report._map
    order = np.argsort(-cells.distances.max(axis=1, initial=0.0), kind="stable")[:MOST_JOINTS]
    words = _words(report)
    top = 60 + 22 * len(words)
    map_top = top + (CURVE_HEIGHT + 8) * len(clips) + 40
    height = map_top + ROW * len(order) + 62
    pixels = np.empty((height, width, 3), np.uint8)
    pixels[:] = PAPER
    size = report._size
    highest = max(report.error.max, (report.max_error or 0.0) * size, 1e-12)
    left, right = EDGE + NAME_WIDTH, width - EDGE
    for i, name in enumerate(clips):
        _paint_curve(pixels, report.curves[name], (left, top + i * (CURVE_HEIGHT + 8)), right - left, highest)
        if report.max_error is not None:
            y = top + i * (CURVE_HEIGHT + 8) + round(CURVE_HEIGHT * (1 - report.max_error * size / highest))
            pixels[y, left:right:2] = LIMIT
    _paint_map(pixels, cells.times, cells.distances[order], (left, map_top), right - left)
    title = Sheet(pixels, unit=TITLE)
    title.text((EDGE, 18), _title(report), max_width=width - 2 * EDGE)
    sheet = Sheet(title.pixels(), unit=LETTER)
    for i, line in enumerate(words):
        sheet.text((EDGE, 54 + 22 * i), line, faint=True, max_width=width - 2 * EDGE)
    for i, name in enumerate(clips):
        y = top + i * (CURVE_HEIGHT + 8)
        sheet.text((EDGE, y + 4), name, faint=True, max_width=NAME_WIDTH - 10)
        sheet.text((EDGE, y + 22), f"{report.clips[name].max / size:.3%}", faint=True, max_width=NAME_WIDTH)
    caption = f"{cells.clip} by joint, {cells.times[0]:.3g} to {cells.times[-1]:.3g} s"
    sheet.text((EDGE, map_top - 26), caption, faint=True, max_width=width - 2 * EDGE)
    for i, joint in enumerate(order):
        sheet.text(
            (EDGE, map_top + i * ROW), cells.joints[joint] or "all", faint=True, max_width=NAME_WIDTH - 10
        )
    ticks = [f"{share * cells.distances.max(initial=0.0) / size:.3%}" for share in (0.0, 0.5, 1.0)]
    sheet.color_bar((left, map_top + ROW * len(order) + 14, min(320, right - left), 10), ticks)
    return Picture(sheet.pixels())


def _title(report: VerifyReport) -> str:
    allowed = "" if report.max_error is None else f", {100 * report.max_error:.3g}% allowed"
    return f"{report.path.name}: off by up to {report.error.max_relative:.2%} of the size{allowed}"


def _words(report: VerifyReport) -> list[str]:
    plays = "frames mixed" if report.playback == "interpolate" else "whole frames"
    lines = [f"form {report.form}, {plays}; largest distance of a vertex over time"]
    return lines + report._told_faults()[:6]


def _paint_curve(
    pixels: NDArray[np.uint8],
    curve: tuple[NDArray[np.float64], NDArray[np.float32]],
    at: tuple[int, int],
    width: int,
    highest: float,
) -> None:
    """Fill the area below a curve: of each column the largest of its moments."""
    left, top = at
    pixels[top + CURVE_HEIGHT, left : left + width] = RULE
    times, distances = curve
    begin, end = times[0], times[-1]
    places = np.zeros(len(times)) if end <= begin else (times - begin) / (end - begin)
    columns = np.minimum((places * width).astype(int), width - 1)
    heights = np.interp(np.arange(width) / max(width - 1, 1), places, distances)
    np.maximum.at(heights, columns, distances)
    tall = np.rint(CURVE_HEIGHT * np.clip(heights / highest, 0.0, 1.0)).astype(int)
    rows = np.arange(CURVE_HEIGHT)[:, None] >= CURVE_HEIGHT - tall
    pixels[top : top + CURVE_HEIGHT, left : left + width][rows] = CURVE


def _paint_map(
    pixels: NDArray[np.uint8],
    times: NDArray[np.float64],
    distances: NDArray[np.float32],
    at: tuple[int, int],
    width: int,
) -> None:
    """Fill a row for each joint: each column has the distance at the moment that is nearest."""
    left, top = at
    highest = max(float(distances.max(initial=0.0)), 1e-30)
    columns = np.abs(np.linspace(times[0], times[-1], width)[:, None] - times).argmin(axis=1)
    colors = np.rint(255 * linear_to_srgb(viridis(distances[:, columns] / highest))).astype(np.uint8)
    for i, line in enumerate(colors):
        pixels[top + i * ROW : top + (i + 1) * ROW - 1, left : left + width] = line
