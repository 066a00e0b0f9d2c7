# SPDX-License-Identifier: MIT
"""The numbers of a comparison in words, for pictures and for the terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

__all__ = [
    "FLOOR", "NO_DIFFERENCE", "agreement", "distance_lines", "heat_ticks", "method_lines", "percent",
    "summary", "titles", "where",
]  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lissom._character.blend_argument import Blend
    from lissom._pictures.compare_pose import Moment

#: Fractions of the size. What is less than the first is the rounding of two results, each within 2e-6; what
#: is less than the second nobody sees: a fifth of a millimetre of a person. The heat map's scale ends there
#: or above it.
ROUNDING, FLOOR = 4e-6, 1e-4

NAMES = {
    "linear": "linear blend",
    "dual_quat": "dual quaternion",
    "quat_trans": "quaternion + translation",
    "cor": "centres of rotation",
}
NO_DIFFERENCE = "rest pose: the methods agree"


def titles(methods: Sequence[str], blend: Blend | None) -> dict[str, str]:
    """Return the title of each method; of "blended" with its blend, as it was passed."""
    return NAMES | ({} if "blended" not in methods else {"blended": f"blended, {_blend_word(blend)}"})


def _blend_word(blend: Blend | None) -> str:
    if isinstance(blend, str):
        return blend
    low, high = np.min(np.asarray(blend)), np.max(np.asarray(blend))
    return f"{low:.3g}" if low == high else "painted"


def method_lines(numbers: dict[str, Any], method: str) -> list[tuple[str, str]]:
    """Return a label and a value for each line about a method."""
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
    """Return a label and a value for each line about the distance between two methods, except the largest."""
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


def agreement(apart: float, moment: Moment) -> str:
    """Describe the largest distance between two methods, a fraction of the size, in a few words."""
    if apart < ROUNDING:
        return NO_DIFFERENCE if moment.is_rest else "equal within rounding"
    if apart < FLOOR:
        return f"equal within {percent(FLOOR)} of size"
    most = f"{percent(apart)} of size"
    if not moment.is_searched:
        return f"up to {most}"
    where_most = "most in this clip" if moment.is_of_one_clip else "where they differ most"
    if moment.near is not None:  # short, for names are long
        where_most = f"most{' in this clip' if moment.is_of_one_clip else ''} near {moment.near}"
    return f"{where_most}: {most}"


def summary(place: str, agreed: str) -> str:
    """Return the caption: the pose, and the largest distance between two methods."""
    return agreed if agreed == NO_DIFFERENCE else f"{place}: {agreed}"


def heat_ticks(top: float) -> list[str]:
    """Return the tick labels of a colour bar from 0 to a fraction of the size."""
    return ["0", percent(top / 2), f"{percent(top)} of size"]


def percent(share: float) -> str:
    """Return a fraction in percent, with two digits that count, or all before the point.

    Below `ROUNDING` 0 %; below `FLOOR`, which is invisible, an upper bound.
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
