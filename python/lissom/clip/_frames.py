# SPDX-License-Identifier: MIT
"""Frames: the regular grid of bakes and uniform clips, and the moments at which clips are judged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lissom.clip._error import SUBFRAMES
from lissom.clip._tracks import STEP, key_times, unpacked

if TYPE_CHECKING:
    from lissom.clip import Clip

__all__ = [
    "HIGHEST_RATE",
    "Moments",
    "coarsest_rate",
    "default_rate",
    "frame_times",
    "interval_count",
    "jump_times",
    "multiple_on_keys",
]

DEFAULT_RATE = 60.0
"""Frames per second that a grid has at least, unless asked otherwise."""

DENSE_RATE = 30.0
IRREGULAR_RATE = 10.0

HIGHEST_RATE = 960.0
"""Frames per second beyond which `max_error` is not pursued, unless the wanted rate is above it already."""

NEAR = 0.02
"""Keys within this of a measured moment, as a fraction of the interval, are not measured again."""

AT_FRAMES, BETWEEN, JUMPING = range(3)  # groups of moments


def interval_count(duration: float, rate: float) -> int:
    """Intervals of a clip at a wanted rate: ``max(1, ceil(duration * rate - 1e-3))``, 0 without duration.

    The slack keeps frames on keys whose times were rounded to float32.
    """
    return max(1, int(np.ceil(duration * rate - 1e-3))) if duration > 0 else 0


def default_rate(clip: Clip) -> float:
    """Give the smallest multiple of a clip's key rate that is at least 60, or 60 for irregular keys."""
    if not clip.key_rate:
        return DEFAULT_RATE
    return clip.key_rate * max(1, math.ceil(DEFAULT_RATE / clip.key_rate - 1e-4))


def coarsest_rate(clip: Clip) -> float:
    """Give the rate at which a search for few frames begins: that of the keys, or 10 for irregular ones.

    Of dense keys the smallest part that is at least 30, so that frames still lie on keys.
    """
    if not clip.key_rate:
        return IRREGULAR_RATE
    return clip.key_rate / max(1, math.floor(clip.key_rate / DENSE_RATE + 1e-4))


def multiple_on_keys(clip: Clip, rate: float, most: int) -> int | None:
    """Find the smallest multiple of a rate whose frames lie on all keys, or None up to `most`."""
    keys = key_times(unpacked(clip.keys, clip.tracks))
    for multiple in range(2, most + 1):
        intervals = interval_count(clip.duration, multiple * rate)
        coordinates = (keys - clip.start) * (intervals / clip.duration)
        if np.abs(coordinates - np.rint(coordinates)).max(initial=0.0) <= NEAR:
            return multiple
    return None


def frame_times(clip: Clip, intervals: int) -> npt.NDArray[np.float64]:
    """Moments of a clip's frames: the first at its start, the last exactly at its end."""
    return _times(clip, np.arange(intervals + 1, dtype=np.float64), intervals)


@dataclass(frozen=True)
class Moments:
    """When one clip is measured: every frame, fixed fractions between, and keys that lie elsewhere."""

    coordinates: npt.NDArray[np.float64]  # (N) in intervals from the start
    times: npt.NDArray[np.float64]  # (N) seconds
    groups: npt.NDArray[np.int32]  # (N)

    @classmethod
    def of_frames(cls, clip: Clip, intervals: int) -> Moments:
        """Choose the moments for frames on a regular grid."""
        frames = np.arange(intervals + 1, dtype=np.float64)
        between = (frames[:-1, None] + np.array(SUBFRAMES)).reshape(-1)
        keys = _off_grid(key_times(unpacked(clip.keys, clip.tracks)), clip, intervals)
        coordinates = np.concatenate([frames, between, keys])
        groups = np.full(len(coordinates), BETWEEN, dtype=np.int32)
        groups[: len(frames)] = AT_FRAMES
        order = np.argsort(coordinates, kind="stable")
        coordinates, groups = coordinates[order], groups[order]
        jumping = np.isin(np.floor(coordinates), _jump_intervals(clip, intervals))
        groups[jumping & (groups == BETWEEN)] = JUMPING
        return cls(coordinates, _times(clip, coordinates, intervals), groups)

    def near(self, times: Sequence[float], reach: float) -> Moments:
        """Give the moments within some seconds of any of the times."""
        away = np.abs(self.times[:, None] - np.asarray(times)).min(axis=1, initial=np.inf)
        return self._of(away <= reach)

    def frames(self, most: int) -> Moments:
        """Give at most so many moments at frames, spread evenly, the first and the last of them."""
        at = np.flatnonzero(self.groups == AT_FRAMES)
        return self._of(at[np.unique(np.linspace(0, len(at) - 1, min(most, len(at))).round().astype(int))])

    def _of(self, which: npt.NDArray[Any]) -> Moments:
        return Moments(self.coordinates[which], self.times[which], self.groups[which])

    @classmethod
    def of_keys(cls, clip: Clip) -> Moments:
        """Choose the moments for keys at their own times: each key, and fixed fractions between."""
        keys = key_times(unpacked(clip.keys, clip.tracks))
        count = max(len(keys) - 1, 0)
        places = np.sort(np.concatenate([[0.0], *(np.arange(count) + s for s in (*SUBFRAMES, 1.0))]))
        if not len(keys):
            return cls(places, np.zeros(1), np.zeros(1, np.int32))
        groups = np.where(places % 1 == 0, AT_FRAMES, BETWEEN).astype(np.int32)
        return cls(places, np.interp(places, np.arange(len(keys)), keys), groups)


def _times(clip: Clip, coordinates: npt.NDArray[np.float64], intervals: int) -> npt.NDArray[np.float64]:
    times = clip.start + coordinates * (clip.duration / max(intervals, 1))
    return np.where(coordinates >= intervals, clip.end if intervals else clip.start, times)


def _off_grid(times: npt.NDArray[np.float64], clip: Clip, intervals: int) -> npt.NDArray[np.float64]:
    """Give the coordinates of times inside the clip that are away from all other measured moments."""
    if not intervals:
        return np.empty(0)
    coordinates = (times - clip.start) * (intervals / clip.duration)
    coordinates = coordinates[(coordinates > 0) & (coordinates < intervals)]
    grid = np.array([0.0, *SUBFRAMES, 1.0])
    away = np.abs((coordinates % 1.0)[:, None] - grid).min(axis=1, initial=np.inf) > NEAR
    return np.asarray(coordinates[away])


def jump_times(clip: Clip) -> npt.NDArray[np.float64]:
    """All times at which a STEP track changes its value."""
    times = [np.empty(0)]
    for track in unpacked(clip.keys, clip.tracks):
        if track.interpolation == STEP:
            changes = np.any(track.values[1:] != track.values[:-1], axis=1)
            times.append(track.times[1:][changes])
    return np.concatenate(times, dtype=np.float64)


def _jump_intervals(clip: Clip, intervals: int) -> npt.NDArray[np.float64]:
    """Find the intervals in which a STEP track changes its value, at their end included."""
    times = jump_times(clip)
    if not times.size or not intervals:
        return np.empty(0)
    places = (times - clip.start) * (intervals / clip.duration)
    # A key on a frame belongs to the interval before it, which moves towards the new value. The rounding of
    # times decides whether the frame already has that value, so near ones count on both sides.
    slack = 1e-3
    return np.unique(np.concatenate([np.ceil(places - slack) - 1.0, np.ceil(places + slack) - 1.0]))
