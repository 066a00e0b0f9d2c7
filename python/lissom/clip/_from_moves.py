# SPDX-License-Identifier: MIT
"""Root motion made from transforms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from lissom import trs
from lissom._base.arrays import as_numbers
from lissom._rig.skeleton import Skeleton
from lissom.clip._from_poses import check_increasing
from lissom.clip._tracks import LINEAR, ROTATION, TRANSLATION, Track, packed

if TYPE_CHECKING:
    from lissom.clip._loop import Loop
    from lissom.clip._root_motion import RootMotion


def from_moves(
    cls: type[RootMotion], times: ArrayLike, moves: ArrayLike, *, loop: Loop | None = None
) -> RootMotion:
    """Make root motion from the transforms of the character at some times.

    Parameters
    ----------
    times : array_like of float, shape (F,)
        Seconds, strictly increasing.
    moves : array_like, shape (F, 10)
        Rigid trs from the character's frame to model space. Between them translations lerp and rotations
        slerp.
    loop : bool or "ping_pong", optional
        The loop mode. A clip that gets this root motion replaces it by its own.

    Returns
    -------
    RootMotion

    Raises
    ------
    ValueError
        If shapes do not match, times do not increase, a value is not finite or a scale is not 1.

    Examples
    --------
    >>> moves = lissom.trs.from_parts(translation=[[0, 0, 0], [0, 0, 1.5]])
    >>> stroll = lissom.RootMotion.from_moves([0, 1], moves, loop=True)
    >>> stroll.at(10.5)[:3]
    array([ 0.  ,  0.  , 15.75])
    """
    from lissom.clip import Clip

    seconds = as_numbers(times, "RootMotion.from_moves: times").astype(np.float64)
    rows = as_numbers(moves, "RootMotion.from_moves: moves").astype(np.float64)
    if seconds.ndim != 1 or seconds.size == 0 or rows.shape != (len(seconds), 10):
        raise ValueError(
            "RootMotion.from_moves: times must have shape (F,) and moves (F, 10), got "
            f"{seconds.shape} and {rows.shape}"
        )
    check_increasing(seconds, "RootMotion.from_moves: times")
    if not np.isfinite(rows).all():
        wrong = rows[~np.isfinite(rows)].flat[0]
        raise ValueError(f"RootMotion.from_moves: moves must be finite, got {wrong}")
    if not np.allclose(rows[:, 7:], 1, rtol=0, atol=1e-6):
        raise ValueError("RootMotion.from_moves: moves must be rigid, got a scale that is not 1")
    tracks = [
        Track(0, TRANSLATION, LINEAR, seconds, rows[:, :3]),
        Track(0, ROTATION, LINEAR, seconds, rows[:, 3:7]),
    ]
    track = Clip("root motion", root_skeleton(), *packed(tracks, rows.dtype), loop=loop)
    try:
        track._ready()
    except ValueError as error:
        raise ValueError(f"RootMotion.from_moves: moves must be rigid ({error})") from None
    return cls(track)


def root_skeleton() -> Skeleton:
    """Return the skeleton of the track of a root motion: the character as one joint with an identity rest."""
    return Skeleton(["character"], [-1], trs.identity(1))
