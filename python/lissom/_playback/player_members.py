# SPDX-License-Identifier: MIT
"""Who is among many players: they come and go, and have rows by their ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._playback.player_numbers import player_count

if TYPE_CHECKING:
    from lissom._playback.players import Players

__all__ = ["add", "remove", "rows"]


def rows(self: Players, ids: ArrayLike) -> NDArray[np.int64]:
    """Return the rows of players in `state` and in the poses.

    Parameters
    ----------
    ids : array_like of int, shape (n,)

    Returns
    -------
    ndarray of int64, shape (n,)
        Valid until players leave.

    Raises
    ------
    TypeError
        If `ids` holds no whole numbers.
    ValueError
        If one is of no player here, or comes twice.

    Examples
    --------
    >>> crowd = lissom.Players(lissom.samples.humanoid().skeleton, 4)
    >>> crowd.remove([1])
    >>> crowd.ids
    array([0, 3, 2])
    >>> crowd.rows([2, 3])
    array([2, 1])
    """
    return self._ids.rows(ids, "Players.rows")


def add(self: Players, count: int = 1) -> NDArray[np.int64]:
    """Add players, which play nothing yet, behind all others.

    Parameters
    ----------
    count : int

    Returns
    -------
    ndarray of int64, shape (count,)
        Their ids, which no player had before.

    Raises
    ------
    TypeError
        If `count` is no whole number.
    ValueError
        If it is negative, or there would be too many.

    Examples
    --------
    >>> crowd = lissom.Players(lissom.samples.humanoid().skeleton)
    >>> crowd.add(3)
    array([0, 1, 2])
    >>> len(crowd)
    3
    """
    number = player_count(count, "Players.add: count", len(self))
    with self._call("Players.add"):
        ids = self._ids.add(number)
        for stage in self._stages():
            stage.add(ids)
        for layer in self._layers.values():
            layer._add(number)
        self._kept.add(number)
        self._forget()
        return ids.copy()


def remove(self: Players, ids: ArrayLike) -> None:
    """Take players out. The last rows move into the gaps; the ids of all others stay.

    Parameters
    ----------
    ids : array_like of int, shape (n,)

    Raises
    ------
    TypeError
        If `ids` holds no whole numbers.
    ValueError
        If one is of no player here, or comes twice.

    Examples
    --------
    >>> crowd = lissom.Players(lissom.samples.humanoid().skeleton, 4)
    >>> crowd.remove([0, 2])
    >>> crowd.ids
    array([3, 1])
    >>> crowd.add(1)  # never an id that was given before
    array([4294967296])
    """
    with self._call("Players.remove"):
        moved, gaps = self._ids.remove(self._ids.rows(ids, "Players.remove"))
        for stage in self._stages():
            stage.remove(moved, gaps, len(self))
        for layer in self._layers.values():
            layer._remove(moved, gaps)
        self._kept.remove(moved, gaps, len(self))
        self._forget()
