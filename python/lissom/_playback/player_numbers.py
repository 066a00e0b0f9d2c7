# SPDX-License-Identifier: MIT
"""Numbers that users give for many players: one for all, or one for each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import as_numbers
from lissom._base.easing import EASINGS
from lissom._base.numbers import check_number, whole_number

__all__ = ["BACKWARDS", "EASES", "MOST_SECONDS", "MOST_SPEED", "number_of_each", "player_count"]

MOST_PLAYERS = 2**31 - 1
MOST_SECONDS = 1e9
MOST_SPEED = 1e6
EASES = tuple(EASINGS)  # by their numbers in a state
BACKWARDS = "; Clip.reversed plays backwards"


def player_count(value: object, what: str, there: int = 0) -> int:
    """Return a number of players beside those that are there."""
    count = whole_number(value, what)
    if there + count > MOST_PLAYERS:
        raise ValueError(f"{what} must be at most {MOST_PLAYERS - there}, got {count}")
    return count


def number_of_each(
    value: ArrayLike | None, what: str, count: int, least: float, largest: float, advice: str = ""
) -> NDArray[np.float64] | None:
    """Return a number for each of `count` players."""
    if value is None:
        return None
    if isinstance(value, (int, float)) or np.ndim(value) == 0:
        number: Any = value.item() if isinstance(value, np.ndarray) else value
        return np.full(count, check_number(number, what, least=least, largest=largest, advice=advice))
    numbers = as_numbers(value, what).astype(np.float64)
    if numbers.shape != (count,):
        raise ValueError(
            f"{what} must be one number, or one for each of {count} players, got {numbers.shape}"
        )
    wrong = ~((numbers >= least) & (numbers <= largest))
    if wrong.any():
        raise ValueError(f"{what} must lie in [{least:g}, {largest:g}], got {numbers[wrong][0]:g}{advice}")
    return numbers
