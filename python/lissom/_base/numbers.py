# SPDX-License-Identifier: MIT
"""Single numbers that users pass, such as seconds: refused by one sentence where they are not."""

from __future__ import annotations

import math
import operator
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

LARGEST = 1e9
"""The largest number of what moves: places, lengths and scales. Poses and palettes multiply numbers: a
scale, those of the joints above, a length. Products of four fit float32, which ends at 3.4e38; beyond, finite
numbers would give infinite ones. Nor is there a use for larger ones: at 1e9 metres, places in float32 are
64 m apart."""


def check_number(
    value: object,
    what: str,
    *,
    least: float | None = None,
    above_zero: bool = False,
    largest: float | None = None,
    advice: str = "",
) -> float:
    """Return a number as a float; refuse what is not a finite number, or not in the range.

    The range is from `least`, or above zero, to `largest`; where that alone is given, from its negative.
    `what` names function and argument in errors, `advice` ends them.
    """
    number = _as_float(value, what)
    if largest is None or not math.isfinite(number):
        largest, end = math.inf, "finite"
    else:
        end = f"at most {largest:g}"
    if above_zero:
        fits, wanted = number > 0, f"above zero and {end}"
    elif least is not None:
        fits, wanted = number >= least, f"{end} and at least {least:g}"
    else:
        fits, wanted = (
            number >= -largest,
            "finite" if end == "finite" else f"from {-largest:g} to {largest:g}",
        )
    if not (fits and math.isfinite(number) and number <= largest):
        raise ValueError(f"{what} must be {wanted}, got {value}{advice}")
    return number


def check_fraction(value: object, what: str) -> float:
    """Return a number from 0 to 1 as a float; refuse any other, and NaN.

    `what` names function and argument in errors.
    """
    number = _as_float(value, what)
    if not 0 <= number <= 1:
        raise ValueError(f"{what} must lie in [0, 1], got {value}")
    return number


def check_fractions(values: NDArray[Any], what: str, *, of: str = "", advice: str = "") -> None:
    """Refuse an array that holds numbers outside [0, 1], or NaN.

    `what` names function and argument in errors; `of` says what each number belongs to, such as "vertex", to
    tell where; `advice` ends them.
    """
    outside = ~((values >= 0) & (values <= 1))
    if outside.any():
        first = int(np.argmax(outside))
        where = f" at {of} {first}" if of else ""
        raise ValueError(f"{what} must lie in [0, 1], got {values.flat[first]}{where}{advice}")


def _as_float(value: object, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{what} must be a number, got {type(value).__name__}")
    try:
        return float(value)
    except OverflowError:  # a whole number beyond all floats
        return math.inf if value > 0 else -math.inf


def whole_number(value: object, what: str, *, least: int = 0) -> int:
    """Return a whole number as an int; refuse any other, and one below `least`.

    `what` names function and argument in errors. A bool is no number here.
    """
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise TypeError(f"{what} must be a whole number, got {type(value).__name__}")
    whole = operator.index(value)
    if whole < least:
        raise ValueError(f"{what} must be at least {least}, got {whole}")
    return whole


def check_flag(value: object, what: str) -> bool:
    """Return a bool; refuse anything else, such as 1 or "no".

    `what` names function and argument in errors.
    """
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{what} must be True or False, got {type(value).__name__}")
    return bool(value)


def refuse_larger(values: NDArray[Any], what: str) -> None:
    """Refuse finite numbers that are larger than `LARGEST` or below its negative."""
    if values.size and max(-float(values.min()), float(values.max())) > LARGEST:
        flat = values.reshape(-1)
        raise ValueError(
            f"{what} must hold numbers from -{LARGEST:g} to {LARGEST:g}, got {flat[np.abs(flat).argmax()]:g}"
        )
