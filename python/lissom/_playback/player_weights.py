# SPDX-License-Identifier: MIT
"""How much of a layer many players show: weights, which grow and shrink to others."""

from __future__ import annotations

import copy

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._playback.player_numbers import EASES, MOST_SECONDS, number_of_each

__all__ = ["PlayerWeights"]

# src/core/players/top_layer.h has the same.
_WEIGHT = np.dtype(
    [
        ("weight", "<f8"),
        ("begin", "<f8"),
        ("goal", "<f8"),
        ("elapsed", "<f8"),
        ("duration", "<f8"),
        ("ease", "<i4"),
    ]
)


class PlayerWeights:
    """The weight of each player in a layer, and its fade to another."""

    def __init__(self, count: int) -> None:
        self.rows = np.zeros(count, _WEIGHT)  # users see and edit it
        self.stepped = np.zeros(count)  # the weights as the last step had them, for its events

    def weigh(
        self, rows: NDArray[np.int64], weight: ArrayLike, duration: ArrayLike, ease: str, where: str
    ) -> None:
        """Let the weights of rows fade to others."""
        goal = number_of_each(weight, f"{where}: weight", len(rows), 0, 1)
        seconds = number_of_each(duration, f"{where}: duration", len(rows), 0, MOST_SECONDS)
        if goal is None or seconds is None:
            raise TypeError(f"{where}: weight and duration must be numbers, got None")
        if ease not in EASES:
            known = ", ".join(map(repr, EASES))
            raise ValueError(f"{where}: ease must be one of {known}, got {ease!r}")
        fades = self.rows
        fades["begin"][rows], fades["goal"][rows] = fades["weight"][rows], goal
        fades["elapsed"][rows], fades["duration"][rows] = 0.0, seconds
        fades["ease"][rows] = EASES.index(ease)
        at_once = seconds == 0
        fades["weight"][rows[at_once]] = goal[at_once]

    def for_core(self) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
        """Return the rows (N, bytes), and where to write their weights (N,), as the core takes them."""
        return self.rows.view(np.uint8).reshape(len(self.rows), _WEIGHT.itemsize), self.stepped

    def add(self, count: int) -> None:
        """Add rows that show nothing of the layer."""
        self.rows = np.append(self.rows, np.zeros(count, _WEIGHT))
        self.stepped = np.append(self.stepped, np.zeros(count))

    def remove(self, moved: NDArray[np.intp], gaps: NDArray[np.intp], left: int) -> None:
        """Let rows move into the gaps, and keep the first ones that are left."""
        for array in (self.rows, self.stepped):
            array[gaps] = array[moved]
        self.rows, self.stepped = self.rows[:left].copy(), self.stepped[:left].copy()

    def __copy__(self) -> PlayerWeights:
        return copy.deepcopy(self)
