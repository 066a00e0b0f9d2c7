# SPDX-License-Identifier: MIT
"""Sideways offsets of feet, held still while the foot stands.

Hips of another width put the target's feet farther apart than the source's, in the heading of the hips. A
foot that stands while the hips turn must not turn with them: its offset is that of the middle of its stance,
and changes while it is in the air.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom import quat
from lissom._retarget.posed import Floats
from lissom.ik._feet.stances import Spans

if TYPE_CHECKING:
    from lissom.ik._feet.contacts import Contacts

__all__ = ["between_stances", "held_offsets", "spans"]


def held_offsets(
    sideways: Floats, headings: NDArray[Any], contacts: Contacts | None, names: list[str], count: int
) -> Floats:
    """Return offsets (F, E, 3) in the world for headings (F, 4) there; `sideways` (E, 3), zero for arms."""
    offsets = np.stack([quat.rotate(headings.astype(np.float64), row) for row in sideways], axis=1)
    if contacts is None:
        return offsets
    stands = contacts.curves >= 1
    frames = len(stands)
    for limb, name in enumerate(names):
        if name not in contacts.names:
            continue
        own = stands[:, contacts.names.index(name)]
        raw = offsets[:frames, limb]
        correction, known = np.zeros_like(raw), np.zeros(frames, bool)
        for first, last in spans(own, contacts.period is not None):
            span = np.arange(first, last + 1) % frames
            correction[span] = raw[span].mean(axis=0) - raw[span]
            known[span] = True
        offsets[:, limb] += between_stances(correction, known, contacts.period is not None, count)
    return offsets


def between_stances(correction: Floats, known: NDArray[np.bool_], loops: bool, count: int) -> Floats:
    """Return corrections (count, 3), those of frames in between on straight lines from stance to stance."""
    frames = len(correction)
    if not known.any():
        return np.zeros((count, 3))
    at = np.arange(frames)
    rows = [
        np.interp(at, at[known], correction[known, axis], period=frames if loops else None)
        for axis in range(3)
    ]
    between = np.stack(rows, axis=1)
    return np.concatenate([between, between[: count - frames]])  # the end of a loop is its begin


def spans(stands: NDArray[np.bool_], loops: bool) -> list[tuple[int, int]]:
    """Return first and last frame of each stance; beyond the number of frames across the seam of a loop."""
    times = np.arange(len(stands), dtype=np.float64)
    return list(Spans.of(stands, times, float(len(stands)) if loops else None).spans)
