# SPDX-License-Identifier: MIT
"""The numbers of a comparison in words, for pictures and for the terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

__all__ = ["FLOOR", "TITLES", "agreement", "distance_lines", "heat_ticks", "method_lines", "percent", "where"]

if TYPE_CHECKING:
    from lissom._compare_moment import Moment

#: Fractions of the size. What is less than the first is the rounding of two results, each within 2e-6; what
#: is less than the second nobody sees: a fifth of a millimetre of a person. The heat map's scale ends there
#: or above it.
ROUNDING, FLOOR = 4e-6, 1e-4

TITLES = {
    "linear": "linear blend",
    "dual_quat": "dual quaternion",
    "quat_trans": "quaternion + translation",
    "cor": "centres of rotation",
    "blended": "linear with dual quaternion",
}


def method_lines(numbers: dict[str, Any], method: str) -> list[tuple[str, str]]:
    """Return what is said of a method: a name and a value for each line."""
    own, bend = numbers["by_method"][method], numbers["bend"]
    some = numbers["closed_pieces"] < numbers["pieces"]
    volume = (
        f"volume of {numbers['closed_pieces']} closed of {numbers['pieces']} pieces" if some else "volume"
    )
    edges, angle = own["edge_length_change"], own["corner_angle_change"]
    lines = [
        (volume, "open surface" if own["volume_change"] is None else signed(own["volume_change"])),
        ("edge length, worst change", "none" if edges is None else signed(edges)),
        ("corner angle, worst change", "none" if angle is None else f"{math.degrees(angle):.0f}°"),
        ("smallest determinant", f"{own['smallest_determinant']:.2f}"),
    ]
    if own["smallest_area"] is not None:
        lines.append(("smallest area of a triangle", percent(own["smallest_area"])))
    if bend is not None:
        where = f"bulge at {bend['joint']}, bent {math.degrees(bend['angle']):.0f}°"
        lines.append((where, signed(own["bulge"])))
    return lines


def distance_lines(numbers: dict[str, Any]) -> list[tuple[str, str]]:
    """Return what is said of the distance between two methods, the largest apart."""
    names = {"p99": "99th percentile", "rms": "rms", "mean": "mean"}
    lines = [
        (f"{words} of the distance", percent(numbers[f"{key}_relative"])) for key, words in names.items()
    ]
    return [*lines, ("size, model units", f"{numbers['size']:.3g}")]


def where(name: str, moment: Moment) -> str:
    """Return which pose of a character is shown."""
    if moment.clip is None or moment.time is None:
        return f"{name}, rest pose" if moment.is_rest else name
    return f"{name}: {moment.clip} at {moment.time:.2f} s"


def agreement(numbers: dict[str, Any], moment: Moment) -> str:
    """Return what is said of how far two methods are apart, in a few words."""
    apart = numbers["max_relative"]
    if apart < ROUNDING:
        return "rest pose: the methods agree" if moment.is_rest else "equal within rounding"
    if apart < FLOOR:
        return f"equal within {percent(FLOOR)} of size"
    most = f"{percent(apart)} of size"
    return f"where they differ most: {most}" if moment.is_searched else f"up to {most}"


def heat_ticks(top: float) -> list[str]:
    """Return what stands beneath the colours of distances from 0 to a fraction of the size."""
    return ["0", percent(top / 2), f"{percent(top)} of size"]


def percent(share: float) -> str:
    """Return a fraction in percent, with two digits that count, or all before the point.

    Rounding is nothing; what nobody sees is no more than that.
    """
    if abs(share) < ROUNDING:
        return "0 %"
    value = 100 * share
    if abs(share) < FLOOR / 2:
        return f"< {100 * FLOOR / 2:.2g} %"
    if abs(value) < 0.95:
        return f"{value:.2g} %"
    return f"{value:.1f} %" if abs(value) < 99.5 else f"{value:.0f} %"


def signed(share: float) -> str:
    """Return a change in percent with its sign; what rounds to nothing has none."""
    if abs(share) < FLOOR / 2:
        return "0 %"
    return ("+" if share > 0 else "-") + percent(abs(share))
