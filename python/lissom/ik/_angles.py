# SPDX-License-Identifier: MIT
"""Angles of limits: checked, and as text. All in radians."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from lissom._base.numbers import check_number

Range: TypeAlias = tuple[float, float]

_LARGEST = 4 * math.pi  # no joint rotates farther: degrees were passed for radians


def half_angle(what: str, value: object) -> float:
    """Return the half angle of a cone, at least 0. `what` names class and argument, as below."""
    return _radians(what, check_number(value, what, least=0))


def angle_range(what: str, value: object) -> Range:
    """Return the lowest and the highest angle of a range."""
    pair = two_of(f"{what} must be two numbers, the lowest and the highest", value)
    low, high = (_radians(what, check_number(number, what)) for number in pair)
    if low > high:
        raise ValueError(f"{what} must have the lowest first, got {low} and {high}")
    return low, high


def optional_range(what: str, value: object) -> Range | None:
    """Return a range, or None for none."""
    return None if value is None else angle_range(what, value)


def two_of(requirement: str, value: object) -> Sequence[object]:
    """Return the two items of a pair or array; refuse others by `requirement`, the start of a message."""
    pair = value.tolist() if isinstance(value, np.ndarray) else value
    if isinstance(pair, (str, bytes)) or not isinstance(pair, Sequence) or len(pair) != 2:
        raise ValueError(f"{requirement}, got {value!r}")
    return pair


def as_text(numbers: Sequence[float]) -> str:
    """Return numbers for a repr: "(1.9, 0.8)"."""
    return "(" + ", ".join(map(number_text, numbers)) + ")"


def number_text(number: float) -> str:
    """Return a number for a repr: at most four digits, never -0."""
    return f"{round(number, 4) + 0.0:.4g}"


def _radians(what: str, angle: float) -> float:
    if abs(angle) > _LARGEST:
        raise ValueError(f"{what} must be in radians, got {angle:g}; np.radians(...) converts degrees")
    return angle
