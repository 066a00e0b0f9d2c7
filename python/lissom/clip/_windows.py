# SPDX-License-Identifier: MIT
"""Windows of a long clip: parts that are worked on one after another, in the memory of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lissom.clip._error import SUBFRAMES
from lissom.clip._tracks import Track, all_tracks, key_times

if TYPE_CHECKING:
    from lissom.clip import Clip

MOST_KEY_TIMES = 4096
"""Key times in a window: half a minute of motion capture, whose arrays are some 50 MB for 32 joints."""


@dataclass(frozen=True)
class Window:
    """A part of a clip from one of its key times to another.

    Attributes
    ----------
    keys : ndarray, shape (N,)
        All key times in it, its ends among them.
    parts : sequence of slice, one for each track
        The keys of the track that its poses in the window depend on: from the last key at or before the
        start to the first at or after the end.
    inner : sequence of slice, one for each track
        Of these, as indices into the part, the keys in the window. Where one of the ends has no key of its
        own, the neighbours on both sides stay, so that windows do not depend on each other.
    """

    clip: Clip
    tracks: Sequence[Track]
    keys: NDArray[np.float64]
    parts: Sequence[slice]
    inner: Sequence[slice]
    is_whole: bool

    @cached_property
    def times(self) -> NDArray[np.float64]:
        """The key times and fixed fractions between, (M,)."""
        return with_fractions(self.keys)

    def part(self) -> Clip:
        """Return the clip of the parts of the tracks; the clip itself where the window is all of it."""
        if self.is_whole:
            return self.clip
        timelines: dict[tuple[int, int], NDArray[np.floating]] = {}  # tracks that share times share parts
        tracks = []
        for track, part in zip(self.tracks, self.parts, strict=True):
            times = timelines.setdefault((id(track.times), part.start), track.times[part])
            tracks.append(replace(track, times=times, values=track.values[part]))
        return self.clip._edited(tracks, loop=False, markers=[], root_motion=None)


def with_fractions(keys: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the moments at which keys at their own times are measured: the keys, and fractions between."""
    steps = np.array([0.0, *SUBFRAMES])
    between = keys[:-1, None] + np.diff(keys)[:, None] * steps
    return np.append(between.reshape(-1), keys[-1:])


def windows_of(clip: Clip) -> list[Window]:
    """Return the windows of a clip, one after another; neighbours share a key time."""
    tracks = all_tracks(clip)
    keys = key_times(tracks)
    count = max(1, -(-(len(keys) - 1) // MOST_KEY_TIMES))
    ends = np.linspace(0, len(keys) - 1, count + 1).round().astype(int) if len(keys) else np.zeros(2, int)
    windows = []
    for first, last in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        inside = keys[first : last + 1]
        parts, inner = [], []
        for track in tracks:
            part, within = slice(0, len(track.times)), slice(0, len(track.times))
            if count > 1:
                part, within = _part(track.times, inside[0], inside[-1])
            parts.append(part)
            inner.append(within)
        windows.append(Window(clip, tracks, inside, parts, inner, count == 1))
    return windows


def _part(times: NDArray[np.floating], start: float, end: float) -> tuple[slice, slice]:
    """Return the keys that a track needs from start to end, and which of them lie there."""
    low = max(int(np.searchsorted(times, start, "right")) - 1, 0)
    high = min(int(np.searchsorted(times, end, "left")) + 1, len(times))
    inside = slice(int(times[low] < start), high - low - int(times[high - 1] > end))
    return slice(low, high), inside
