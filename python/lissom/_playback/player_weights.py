# SPDX-License-Identifier: MIT
"""How much of a layer many players show: weights, which grow and shrink to others."""

from __future__ import annotations

import copy

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.easing import EASINGS
from lissom._playback.player_numbers import EASES, MOST_SECONDS, number_of_each

__all__ = ["PlayerWeights"]

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
_LARGEST = {"weight": 1, "begin": 1, "goal": 1, "elapsed": 1e15, "duration": 1e15}


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

    def check(self, where: str) -> None:
        """Refuse rows that were edited to what cannot be, in the name of `where`."""
        fades = self.rows
        for name, largest in _LARGEST.items():
            wrong = ~((fades[name] >= 0) & (fades[name] <= largest))
            if wrong.any():
                row = int(np.flatnonzero(wrong)[0])
                raise ValueError(
                    f"{where}, row {row}: {name} must lie in [0, {largest:g}], got {fades[name][row]:g}"
                )
        unknown = (fades["ease"] < 0) | (fades["ease"] >= len(EASES))
        if unknown.any():
            row = int(np.flatnonzero(unknown)[0])
            raise ValueError(f"{where}, row {row}: ease must be 0, 1 or 2, got {fades['ease'][row]}")

    def advance(self, dt: float) -> None:
        """Step the fades of the weights."""
        fades = self.rows
        moving = np.flatnonzero((fades["elapsed"] < fades["duration"]) | (fades["weight"] != fades["goal"]))
        if moving.size:
            elapsed = fades["elapsed"][moving] + dt
            over = elapsed >= fades["duration"][moving]
            share = np.where(over, 1.0, elapsed / np.where(over, 1.0, fades["duration"][moving]))
            for number, name in enumerate(EASES):
                own = fades["ease"][moving] == number
                share[own] = EASINGS[name](share[own])
            begin, goal = fades["begin"][moving], fades["goal"][moving]
            fades["weight"][moving] = np.where(over, goal, begin + share * (goal - begin))
            fades["elapsed"][moving] = elapsed
        self.stepped = fades["weight"].copy()

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
