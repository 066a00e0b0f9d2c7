# SPDX-License-Identifier: MIT
"""Stances of feet, and what is held still in them.

Hips of another width put the target's feet farther apart than the source's, in the heading of the hips. A
foot that stands while the hips turn must not turn with them: its offset is that of the middle of its stance,
and changes while it is in the air.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lissom import quat
from lissom._retarget.posed import Floats
from lissom.ik._feet.stances import Spans

if TYPE_CHECKING:
    from lissom._retarget.setup import Setup
    from lissom.ik._feet.contacts import Contacts

__all__ = ["both_stand", "held_offsets", "held_still", "spans"]


def held_offsets(setup: Setup, headings: Floats, contacts: Contacts) -> Floats:
    """Return sideways offsets (F, E, 3) in the world for headings (F, 4) there."""
    offsets = np.stack([quat.rotate(headings, row) for row in setup.sideways], axis=1)
    frames = len(contacts.curves)
    for name, column in setup.leg_columns.items():
        raw = offsets[:, column]
        offsets[:, column] += held_still(raw[:frames], np.zeros(3), contacts, name, len(raw))
    return offsets


def held_still(path: Floats, drift: Floats, contacts: Contacts, name: str, count: int) -> Floats:
    """Return what is added to the path of a foot, (count, 3), so that it is at one place in each stance.

    That place is the mean of the stance; between stances the correction follows straight lines. `path` has
    the frames of the contacts, and moves by `drift` from lap to lap of a loop, whose end is its begin.
    """
    frames, loops = len(path), contacts.period is not None
    correction, known = np.zeros((frames, 3)), np.zeros(frames, bool)
    for first, last in spans(contacts, name):
        rows = np.arange(first, last + 1)
        own = path[rows % frames] + (rows // frames)[:, None] * drift
        correction[rows % frames] = own.mean(axis=0) - own
        known[rows % frames] = True
    if not known.any():
        return np.zeros((count, 3))
    at = np.arange(frames)
    rows_of_axes = [
        np.interp(at, at[known], correction[known, axis], period=frames if loops else None)
        for axis in range(3)
    ]
    between = np.stack(rows_of_axes, axis=1)
    return np.concatenate([between, between[: count - frames]])


def spans(contacts: Contacts, name: str) -> list[tuple[int, int]]:
    """Return first and last frame of each stance of a foot; beyond the number of frames across the seam."""
    stands = stands_of(contacts, [name])[:, 0]
    times = np.arange(len(stands), dtype=np.float64)
    return list(Spans.of(stands, times, None if contacts.period is None else float(len(stands))).spans)


def stands_of(contacts: Contacts, names: Iterable[str]) -> NDArray[np.bool_]:
    """Return whether feet stand, (F, L)."""
    return np.asarray(contacts.curves[:, [contacts.names.index(name) for name in names]] >= 1)


def both_stand(contacts: Contacts, names: Iterable[str], frames: int) -> NDArray[np.bool_]:
    """Return whether feet stand at both ends of each step, (F - 1, L)."""
    stands = stands_of(contacts, names)
    if len(stands) < frames:  # the end of a loop is its begin
        stands = np.concatenate([stands, stands[:1]])
    return np.asarray(stands[1:] & stands[:-1])
