# SPDX-License-Identifier: MIT
"""Frames: the regular grid of bakes and uniform clips, and the moments at which clips are measured."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lissom.clip._error import SUBFRAMES
from lissom.clip._tracks import STEP, all_key_times, unpacked

if TYPE_CHECKING:
    from lissom.clip import Clip

__all__ = [
    "HIGHEST_RATE",
    "Moments",
    "checked_interval_count",
    "coarsest_rate",
    "default_rate",
    "frame_times",
    "frames_around",
    "interval_count",
    "jump_times",
    "multiple_on_keys",
]

DEFAULT_RATE = 60.0
"""Smallest frames per second of a grid, unless another rate is requested."""

DENSE_RATE = 30.0  # frames per second: a search for few frames begins there, or above, where keys are denser
IRREGULAR_RATE = 10.0  # frames per second: a search for few frames begins there, where keys are irregular

HIGHEST_RATE = 960.0
"""Frames per second up to which a rate for `max_error` is searched, unless the requested rate is higher."""

MOST_FRAMES = 1 << 24
"""Frames of a clip: below, float32, in a shader too, distinguishes neighbouring frames."""

NEAR = 0.02
"""Keys within this of a measured moment, as a fraction of the interval, are not measured again."""

GRID_SLACK = 1e-3
"""Distance from a frame, as a fraction of the interval, within which a time counts as at the frame.

Above what float32 rounds times by, 2.3e-4 of an interval at 60 s and 60 frames per second; below `NEAR`,
within which keys count as measured."""

RATE_SLACK = 1e-4
"""Amount by which a ratio of rates may miss a whole number: key rates come from rounded times."""

AT_FRAMES, BETWEEN, JUMPING = range(3)  # groups of moments


def interval_count(duration: float, rate: float) -> int:
    """Return the intervals of a clip at a requested rate: ``max(1, ceil(duration * rate - 1e-3))``.

    0 without duration. The slack keeps frames on keys whose times were rounded to float32.
    """
    most = sys.float_info.max  # a product beyond it is infinite, which is no number of intervals
    return max(1, int(np.ceil(min(duration * rate, most) - GRID_SLACK))) if duration > 0 else 0


def checked_interval_count(function: str, clip: Clip, rate: float) -> int:
    """Return the intervals of a clip at a rate; refuse `MOST_FRAMES` or more in the name of `function`."""
    intervals = interval_count(clip.duration, rate)
    if intervals >= MOST_FRAMES:
        raise ValueError(
            f"{function}: rate must make fewer than {MOST_FRAMES} frames of clip {clip.name!r}, got "
            f"{rate:.6g} frames per second for {clip.duration:.6g} s"
        )
    return intervals


def frames_around(
    coordinates: npt.NDArray[np.float64], firsts: npt.ArrayLike, lasts: npt.ArrayLike
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """Return the two neighbouring frames around each coordinate, and the fraction from first to second.

    `firsts` and `lasts` are the ends of the clips that the coordinates are in: no pair leaves its clip. At
    the end of a clip the fraction is 1; a clip of one frame has that frame twice, and the fraction 0.
    """
    frames = np.clip(np.floor(coordinates), firsts, np.maximum(np.asarray(lasts) - 1, firsts)).astype(
        np.int32
    )
    nexts = np.minimum(frames + 1, lasts).astype(np.int32)
    return frames, nexts, np.minimum(coordinates - frames, 1.0).astype(np.float32)


def default_rate(clip: Clip) -> float:
    """Return the smallest multiple of a clip's key rate that is at least 60, or 60 for irregular keys."""
    if not clip.key_rate:
        return DEFAULT_RATE
    return clip.key_rate * max(1, math.ceil(DEFAULT_RATE / clip.key_rate - RATE_SLACK))


def coarsest_rate(clip: Clip) -> float:
    """Return the rate at which a search for few frames begins: the key rate, or 10 for irregular keys.

    Of dense keys the smallest whole fraction of their rate that is at least 30, so that frames lie on keys.
    """
    if not clip.key_rate:
        return IRREGULAR_RATE
    return clip.key_rate / max(1, math.floor(clip.key_rate / DENSE_RATE + RATE_SLACK))


def multiple_on_keys(clip: Clip, rate: float, most: int) -> int | None:
    """Return the smallest multiple of a rate, up to `most`, with frames on all keys; None without one."""
    keys = all_key_times(clip)
    for multiple in range(2, most + 1):
        intervals = interval_count(clip.duration, multiple * rate)
        coordinates = (keys - clip.start) * (intervals / clip.duration)
        if np.abs(coordinates - np.rint(coordinates)).max(initial=0.0) <= NEAR:
            return multiple
    return None


def frame_times(clip: Clip, intervals: int) -> npt.NDArray[np.float64]:
    """Return the times of a clip's frames: the first at its start, the last exactly at its end."""
    return _times(clip, np.arange(intervals + 1, dtype=np.float64), intervals)


@dataclass(frozen=True)
class Moments:
    """The moments at which a clip is measured: frames, fixed fractions between, and keys elsewhere."""

    coordinates: npt.NDArray[np.float64]  # (N) in intervals from the start
    times: npt.NDArray[np.float64]  # (N) seconds
    groups: npt.NDArray[np.int32]  # (N)

    @classmethod
    def of_frames(cls, clip: Clip, intervals: int) -> Moments:
        """Choose the moments for frames on a regular grid."""
        frames = np.arange(intervals + 1, dtype=np.float64)
        between = (frames[:-1, None] + np.array(SUBFRAMES)).reshape(-1)
        keys = _off_grid(all_key_times(clip), clip, intervals)
        coordinates = np.concatenate([frames, between, keys])
        groups = np.full(len(coordinates), BETWEEN, dtype=np.int32)
        groups[: len(frames)] = AT_FRAMES
        order = np.argsort(coordinates, kind="stable")
        coordinates, groups = coordinates[order], groups[order]
        jumps = _jump_intervals(clip, intervals)
        if jumps.size:
            groups[np.isin(np.floor(coordinates), jumps) & (groups == BETWEEN)] = JUMPING
        return cls(coordinates, _times(clip, coordinates, intervals), groups)

    @classmethod
    def between_frames(cls, clip: Clip, coordinates: npt.NDArray[np.float64], intervals: int) -> Moments:
        """Choose moments by coordinates between frames, none of them where the source jumps."""
        groups = np.full(len(coordinates), BETWEEN, dtype=np.int32)
        return cls(coordinates, _times(clip, coordinates, intervals), groups)

    def and_then(self, others: Moments) -> Moments:
        """Return these moments, and others after them."""
        return Moments(
            np.concatenate([self.coordinates, others.coordinates]),
            np.concatenate([self.times, others.times]),
            np.concatenate([self.groups, others.groups]),
        )

    def near(self, times: Sequence[float], seconds: float) -> Moments:
        """Return the moments within some seconds of any of the times."""
        gaps = np.abs(self.times[:, None] - np.asarray(times)).min(axis=1, initial=np.inf)
        return self._subset(gaps <= seconds)

    def frames(self, most: int) -> Moments:
        """Return at most `most` moments at frames, spread evenly, among them the first and the last."""
        at = np.flatnonzero(self.groups == AT_FRAMES)
        return self._subset(
            at[np.unique(np.linspace(0, len(at) - 1, min(most, len(at))).round().astype(int))]
        )

    def _subset(self, which: npt.NDArray[Any]) -> Moments:
        return Moments(self.coordinates[which], self.times[which], self.groups[which])

    @classmethod
    def of_keys(cls, clip: Clip) -> Moments:
        """Choose the moments for keys at their own times: each key, and fixed fractions between."""
        keys = all_key_times(clip)
        count = max(len(keys) - 1, 0)
        coordinates = np.sort(np.concatenate([[0.0], *(np.arange(count) + s for s in (*SUBFRAMES, 1.0))]))
        if not len(keys):
            return cls(coordinates, np.zeros(1), np.zeros(1, np.int32))
        groups = np.where(coordinates % 1 == 0, AT_FRAMES, BETWEEN).astype(np.int32)
        return cls(coordinates, np.interp(coordinates, np.arange(len(keys)), keys), groups)


def _times(clip: Clip, coordinates: npt.NDArray[np.float64], intervals: int) -> npt.NDArray[np.float64]:
    times = clip.start + coordinates * (clip.duration / max(intervals, 1))
    return np.where(coordinates >= intervals, clip.end if intervals else clip.start, times)


def _off_grid(times: npt.NDArray[np.float64], clip: Clip, intervals: int) -> npt.NDArray[np.float64]:
    """Return the coordinates of times inside the clip that are not `NEAR` another measured moment."""
    if not intervals:
        return np.empty(0)
    coordinates = (times - clip.start) * (intervals / clip.duration)
    coordinates = coordinates[(coordinates > 0) & (coordinates < intervals)]
    grid = np.array([0.0, *SUBFRAMES, 1.0])
    gaps = np.abs((coordinates % 1.0)[:, None] - grid).min(axis=1, initial=np.inf)
    return np.asarray(coordinates[gaps > NEAR])


def jump_times(clip: Clip) -> npt.NDArray[np.float64]:
    """Return all times at which a STEP track changes its value."""
    times = [np.empty(0)]
    for track in unpacked(clip.keys, clip._table[clip._table["interpolation"] == STEP]):
        changes = np.any(track.values[1:] != track.values[:-1], axis=1)
        times.append(track.times[1:][changes])
    return np.concatenate(times, dtype=np.float64)


def _jump_intervals(clip: Clip, intervals: int) -> npt.NDArray[np.float64]:
    """Return the intervals in which a STEP track changes its value, at their end included."""
    times = jump_times(clip)
    if not times.size or not intervals:
        return np.empty(0)
    coordinates = (times - clip.start) * (intervals / clip.duration)
    # A key on a frame belongs to the interval before it, which interpolates to the new value. Rounding of
    # times decides whether the frame already has that value, so a key within the slack counts on both sides.
    return np.unique(np.ceil(np.concatenate([coordinates - GRID_SLACK, coordinates + GRID_SLACK])) - 1.0)
