# SPDX-License-Identifier: MIT
"""Single numbers that users pass, such as seconds: refused by one sentence where they are not."""

from __future__ import annotations

import math
import operator
from typing import SupportsIndex

import numpy as np


def check_number(
    value: object, what: str, *, least: float | None = None, above_zero: bool = False, advice: str = ""
) -> float:
    """Return a number as a float; refuse what is not a finite number, below `least` or not above zero.

    `what` names function and argument in errors, `advice` ends them.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{what} must be a number, got {type(value).__name__}")
    try:
        number = float(value)
    except OverflowError:  # a whole number above all floats
        number = math.inf
    if above_zero:
        fits, wanted = value > 0, "above zero and finite"
    elif least is not None:
        fits, wanted = value >= least, f"finite and at least {least:g}"
    else:
        fits, wanted = True, "finite"
    if not (fits and math.isfinite(number)):
        raise ValueError(f"{what} must be {wanted}, got {value}{advice}")
    return number


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
