# SPDX-License-Identifier: MIT
"""The keys that remain of each track, and clips of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom.clip._tracks import COLUMNS, CUBICSPLINE, STEP, WEIGHT, Track

if TYPE_CHECKING:
    from lissom.clip import Clip

Indices = NDArray[np.intp]
Ranks = NDArray[np.int8]

KEYS, ONE_KEY, REMOVED = range(3)
"""Ranks of tracks, the higher the less remains: several keys, the first alone, or none."""


@dataclass(frozen=True)
class Kept:
    """What remains of the tracks of a window."""

    ranks: Ranks
    keys: Sequence[Indices]  # of tracks of rank `KEYS`, into the keys that the window has of the track

    def count(self) -> int:
        """Return the number of keys."""
        of_tracks = [len(keys) for keys, rank in zip(self.keys, self.ranks, strict=True) if rank == KEYS]
        return sum(of_tracks) + int((self.ranks == ONE_KEY).sum())


def clip_of(clip: Clip, tracks: Sequence[Track], kept: Sequence[Indices], uniform: bool = False) -> Clip:
    """Return a clip of those keys; tracks that keep the same share their times."""
    timelines: dict[tuple[int, bytes], NDArray[Any]] = {}
    remaining: list[Track] = []
    for track, keys in zip(tracks, kept, strict=True):
        if len(keys):
            times = timelines.setdefault((id(track.times), keys.tobytes()), track.times[keys])
            values = track.values[keys]
            if track.interpolation == CUBICSPLINE and len(keys) < len(track.times):
                values[:, ::2] = 0
            remaining.append(replace(track, times=times, values=values))
    return clip._edited(remaining, loop=clip.loop, uniform=uniform)


def keys_of_whole(clip: Clip, tracks: Sequence[Track], kept: Kept) -> list[Indices]:
    """Return the keys that remain of the tracks of a whole clip."""
    first, none = np.zeros(1, np.intp), np.zeros(0, np.intp)
    result = [
        none if rank == REMOVED else first if rank == ONE_KEY else keys
        for rank, keys in zip(kept.ranks, kept.keys, strict=True)
    ]
    for i, track in enumerate(tracks):
        if track.interpolation == STEP:
            changes = (track.values[1:] != track.values[:-1]).any(axis=1)
            result[i] = np.flatnonzero(np.concatenate([[True], changes]))
            if len(result[i]) == 1 and (track.values[0] == _rest_value(clip, track)).all():
                result[i] = none
    return _spanning(clip, tracks, result)


def _rest_value(clip: Clip, track: Track) -> NDArray[Any]:
    """Return what a track's joint or morph target does without it, (W,), in the type of the keys."""
    if track.path == WEIGHT:
        return clip._rest_weights()[track.joint, None]
    return clip._rest()[track.joint, COLUMNS[track.path]]


def _spanning(clip: Clip, tracks: Sequence[Track], kept: list[Indices]) -> list[Indices]:
    """Ensure that some key remains at the start and some at the end, so that the clip keeps its times."""
    for index, time in ((0, clip.start), (-1, clip.end)):
        candidates = [i for i, track in enumerate(tracks) if track.times[index] == time]
        if any(len(kept[i]) and tracks[i].times[kept[i][index]] == time for i in candidates):
            continue
        # Prefer a track that stays anyway, else the one with the fewest keys.
        chosen = min(candidates, key=lambda i: (not len(kept[i]), len(tracks[i].times)), default=None)
        if chosen is not None:
            key = 0 if index == 0 else len(tracks[chosen].times) - 1
            kept[chosen] = np.union1d(kept[chosen], [key])
    return kept
