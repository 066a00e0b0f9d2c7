# SPDX-License-Identifier: MIT
"""Which row belongs to which player: ids stay valid when others leave, and are never given again."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import refuse_masked
from lissom._base.names import counted

__all__ = ["PlayerIds", "whole_ids"]

_SLOT_BITS = 32
_SLOT_MASK = (1 << _SLOT_BITS) - 1


class PlayerIds:
    """A slot map: an id is the number of a slot, and how often that was given before times 2**32."""

    def __init__(self) -> None:
        self.of_rows = np.zeros(0, np.int64)
        self._slots = np.zeros(0, np.int64)  # the id that each slot has, or will have next
        self._rows = np.zeros(0, np.int64)  # -1: free
        self._free: list[int] = []

    def __len__(self) -> int:
        return len(self.of_rows)

    def add(self, count: int) -> NDArray[np.int64]:
        """Return ids of new rows, behind all others."""
        reused = [self._free.pop() for _ in range(min(count, len(self._free)))]
        new = np.arange(len(self._slots), len(self._slots) + count - len(reused), dtype=np.int64)
        slots = np.concatenate([np.array(reused, np.int64), new])
        self._slots = np.concatenate([self._slots, new])
        self._rows = np.concatenate([self._rows, np.full(len(new), -1)])
        self._rows[slots] = np.arange(len(self), len(self) + count)
        ids: NDArray[np.int64] = self._slots[slots]
        self.of_rows = np.concatenate([self.of_rows, ids])
        return ids

    def remove(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Take rows out; return the rows of those behind that moved into the gaps, before and after."""
        left = len(self) - len(rows)
        slots = self.of_rows[rows] & _SLOT_MASK
        self._rows[slots] = -1
        self._slots[slots] += 1 << _SLOT_BITS
        self._free += slots.tolist()[::-1]
        is_gone = np.zeros(len(self), bool)
        is_gone[rows] = True
        gaps = np.flatnonzero(is_gone[:left])
        moved = left + np.flatnonzero(~is_gone[left:])
        self.of_rows[gaps] = self.of_rows[moved]
        self.of_rows = self.of_rows[:left].copy()
        self._rows[self.of_rows[gaps] & _SLOT_MASK] = gaps
        return moved, gaps

    def rows(self, ids: ArrayLike, function: str, name: str = "ids") -> NDArray[np.int64]:
        """Return the row of each id; refuse what is no id of a player here, and one that comes twice.

        `name` is that of the argument.
        """
        wanted = whole_numbers(ids, function, name)
        if wanted.size == 0:
            return np.zeros(0, np.int64)
        if wanted.shape == self.of_rows.shape and (wanted == self.of_rows).all():  # those of all, as they are
            return np.arange(len(self), dtype=np.int64)
        if wanted.dtype.kind == "u" and int(wanted.max()) > np.iinfo(np.int64).max:
            _refuse(f"{function}: {name}", int(wanted.max()), len(self))
        wanted = wanted.astype(np.int64)
        slots = wanted & _SLOT_MASK
        known = (wanted >= 0) & (slots < len(self._slots))
        slots = np.where(known, slots, 0)
        known &= np.append(self._slots, -1)[slots] == wanted
        rows: NDArray[np.int64] = np.append(self._rows, -1)[slots]
        known &= rows >= 0
        if not known.all():
            _refuse(f"{function}: {name}", int(wanted[~known][0]), len(self))
        is_wanted = np.zeros(len(self), bool)
        is_wanted[rows] = True
        if np.count_nonzero(is_wanted) < len(rows):
            _refuse_twice(wanted, f"{function}: {name}")
        return rows


def whole_numbers(ids: ArrayLike, function: str, name: str = "ids") -> NDArray[np.integer[Any]]:
    """Return ids (n,) as an array; refuse what is not whole numbers."""
    refuse_masked(ids, f"{function}: {name}")
    wanted = np.atleast_1d(np.asarray(list(ids) if isinstance(ids, (set, frozenset)) else ids))
    if wanted.size and (wanted.dtype.kind not in "iu" or wanted.ndim != 1):
        advice = "; pass players.ids[mask]" if wanted.dtype.kind == "b" else ""
        raise TypeError(
            f"{function}: {name} must be whole numbers, one or a list of them, got {wanted.dtype} of shape "
            f"{wanted.shape}{advice}"
        )
    return wanted


def whole_ids(ids: ArrayLike, function: str) -> NDArray[np.int64]:
    """Return ids (n,) of players elsewhere, each once."""
    wanted = whole_numbers(ids, function)
    if wanted.size == 0:
        return np.zeros(0, np.int64)
    most = np.iinfo(np.int64).max
    if int(wanted.min()) < 0 or int(wanted.max()) > most:
        wrong = wanted.min() if int(wanted.min()) < 0 else wanted.max()
        raise ValueError(f"{function}: ids must lie in [0, {most}], got {wrong}")
    _refuse_twice(wanted, f"{function}: ids")
    return wanted.astype(np.int64)


def _refuse_twice(ids: NDArray[Any], what: str) -> None:
    if len(np.unique(ids)) < len(ids):
        values, counts = np.unique(ids, return_counts=True)
        raise ValueError(f"{what} must be different, got {values[counts > 1][0]} twice")


def _refuse(what: str, wrong: int, count: int) -> None:
    raise ValueError(
        f"{what} must be among Players.ids, those of {counted(count, 'player')} that are left, got {wrong}"
    )
