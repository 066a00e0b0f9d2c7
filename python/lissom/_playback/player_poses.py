# SPDX-License-Identifier: MIT
"""The poses that many players showed in the last step, for those whose next one is not due."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import refuse_masked
from lissom._playback.player_ids import PlayerIds
from lissom._playback.player_state import NO_CLIP

__all__ = ["POSED_DTYPE", "PlayerPoses", "due_rows"]

#: What a pose shows; src/core/players/player_state.h has the same.
POSED_DTYPE = np.dtype([("time", "<f8"), ("parameter", "<f8", (2,)), ("clip", "<i4"), ("reserved", "<i4")])

Mask = NDArray[np.bool_]


class PlayerPoses:
    """The arrays of the last step, and which of their rows is whose. Copies and pickles know of none.

    Attributes
    ----------
    posed : ndarray of `POSED_DTYPE`, shape (N,)
        What each pose shows, where that is known.
    is_posed : ndarray of bool, shape (N,)
        Whose pose the last step wrote.
    """

    def __init__(self, count: int) -> None:
        self._poses: NDArray[Any] | None = None
        self._morphs: NDArray[Any] | None = None
        self._rows: NDArray[np.int64] | None = None  # in the arrays, -1 where there is none; None: their own
        self.posed = self._unknown(count)
        self._knows = False  # of any row
        self.is_posed = np.zeros(count, bool)

    @staticmethod
    def _unknown(count: int) -> NDArray[np.void]:
        posed = np.zeros(count, POSED_DTYPE)
        posed["clip"] = NO_CLIP
        return posed

    def __len__(self) -> int:
        return len(self.posed)

    def due(self, wanted: Mask | None, morph_count: int) -> Mask | None:
        """Return whose poses a step is to write, (N,): those of `wanted`, and who has none yet."""
        if wanted is None or self._poses is None or self._morphs is None:
            return None if wanted is None else np.ones(len(self), bool)
        if self._morphs.shape[1] != morph_count:
            return np.ones(len(self), bool)
        return wanted if self._rows is None else wanted | (self._rows < 0)

    def kept(self, due: Mask, out: NDArray[Any]) -> tuple[NDArray[np.intp], Any, Any]:
        """Return the rows that are not due, their poses (None where `out` has them) and their weights."""
        self._knows = True
        rows = np.flatnonzero(~due)
        if not len(rows):
            return rows, None, None
        assert self._poses is not None
        assert self._morphs is not None
        sources = rows if self._rows is None else self._rows[rows]
        is_in_place = out is self._poses and self._rows is None
        return rows, None if is_in_place else self._poses[sources], self._morphs[sources]

    def take(self, poses: NDArray[Any], morphs: NDArray[Any], due: Mask | None) -> None:
        """Take the arrays of a step, of which those rows were written that were due, or all."""
        self._poses, self._morphs, self._rows = poses, morphs, None
        if due is None and self._knows:
            self.forget(slice(None))
        self._knows = due is not None
        self.is_posed = np.ones(len(self), bool) if due is None else due

    def forget(self, rows: Any) -> None:
        """Know no more what the poses of rows show."""
        self.posed["clip"][rows] = NO_CLIP

    def add(self, count: int) -> None:
        """Add rows that have no pose yet."""
        rows = np.arange(len(self)) if self._rows is None else self._rows
        self._rows = np.append(rows, np.full(count, -1))
        self.posed = np.append(self.posed, self._unknown(count))
        self.is_posed = np.append(self.is_posed, np.zeros(count, bool))

    def remove(self, moved: NDArray[np.intp], gaps: NDArray[np.intp], left: int) -> None:
        """Let rows move into the gaps, and keep the first ones that are left."""
        rows = np.arange(len(self)) if self._rows is None else self._rows
        arrays = [rows.copy(), self.posed.copy(), self.is_posed.copy()]
        for array in arrays:
            array[gaps] = array[moved]
        self._rows, self.posed, self.is_posed = (array[:left] for array in arrays)


def due_rows(due: ArrayLike, ids: PlayerIds, function: str) -> Mask:
    """Return whose poses are due, (N,), from a mask of that shape or from ids."""
    refuse_masked(due, f"{function}: due")
    given = np.asarray(list(due) if isinstance(due, (set, frozenset)) else due)
    if given.dtype == bool:
        if given.shape != (len(ids),):
            raise ValueError(
                f"{function}: due must hold ids, or be a mask of shape ({len(ids)},), got {given.shape}"
            )
        return given.copy()
    mask = np.zeros(len(ids), bool)
    mask[ids.rows(given, function, "due")] = True
    return mask
