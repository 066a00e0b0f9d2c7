# SPDX-License-Identifier: MIT
"""What a playground shows at one moment, and the moments before it: undo, redo, residuals over time."""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.ik._chain import Chain
from lissom.ik._result import IkResult

MOST_UNDONE = 200  # states that undo goes back
MOST_RESIDUALS = 1000  # solves whose residuals are kept


class State(NamedTuple):
    """The arguments of a solve, and its result.

    Attributes
    ----------
    chains : tuple of Chain
        E chains.
    solver : str
    base : ndarray, shape (J, 10)
        Input pose.
    targets, poles : ndarray, shape (E, 3)
        Model space; a pole of NaN is none.
    orientations : ndarray, shape (E, 4)
        Unit quaternions, model space; a row of NaN is none.
    start : ndarray, shape (J, 10), or None
        The pose that the solver continued from; None for `base`.
    result : IkResult
    seconds : float
        Time that the solve took.
    """

    chains: tuple[Chain, ...]
    solver: str
    base: NDArray[Any]
    targets: NDArray[Any]
    poles: NDArray[Any]
    orientations: NDArray[Any]
    start: NDArray[Any] | None
    result: IkResult
    seconds: float


class History:
    """States to return to, the last `MOST_UNDONE` of them."""

    def __init__(self) -> None:
        self._before: deque[State] = deque(maxlen=MOST_UNDONE)
        self._after: list[State] = []
        self._gesture: object = None

    def keep(self, state: State, gesture: object = None) -> None:
        """Keep a state that another follows; of one gesture, such as a drag, only the first."""
        if gesture is None or gesture != self._gesture:
            self._before.append(state)
        self._gesture = gesture
        self._after.clear()

    def undone(self, now: State) -> State | None:
        """Return the state before, and keep `now` for `redone`; None if there is none."""
        return self._exchanged(now, self._before, self._after)

    def redone(self, now: State) -> State | None:
        """Return the state that was undone last; None if there is none."""
        return self._exchanged(now, self._after, self._before)

    @property
    def directions(self) -> tuple[bool, bool]:
        """Whether there is something to undo, and something to redo."""
        return bool(self._before), bool(self._after)

    def _exchanged(
        self, now: State, taken: deque[State] | list[State], given: deque[State] | list[State]
    ) -> State | None:
        if not taken:
            return None
        self._gesture = None
        given.append(now)
        return taken.pop()


class Residuals:
    """Residuals of the last solves, with their times."""

    def __init__(self) -> None:
        self._rows: deque[tuple[float, ...]] = deque(maxlen=MOST_RESIDUALS)

    def add(self, seconds: float, result: IkResult) -> None:
        """Add those of a result."""
        self._rows.append((seconds, *np.atleast_1d(result.residual).tolist()))

    def array(self, most: int = MOST_RESIDUALS) -> NDArray[np.float64]:
        """Return seconds and residuals of the last solves, at most so many, shape (N, 1 + E)."""
        rows = list(self._rows)[-most:] if most > 1 else [self._rows[-1]]
        return np.array(rows, np.float64)
