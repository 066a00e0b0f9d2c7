# SPDX-License-Identifier: MIT
"""The rule by which a time becomes a frame coordinate of a pose texture, in double precision."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lissom._base.arrays import finite_floats
from lissom.clip._frames import frames_around
from lissom.pose_texture._report import BakedClip

__all__ = ["Places", "TimeRule"]


class Places(NamedTuple):
    """Two neighbouring frames of one clip each, and the fraction of the interval from the first."""

    frames: npt.NDArray[np.int32]
    nexts: npt.NDArray[np.int32]
    fractions: npt.NDArray[np.float32]
    clips: npt.NDArray[np.int32]


class TimeRule:
    """The table of clips as arrays. ValueError where clips do not fill the texture one after another."""

    def __init__(self, clips: Mapping[str, BakedClip], frame_count: int) -> None:
        _check_clips(clips, frame_count)
        table = list(clips.values())
        self.frame_count = frame_count
        self.firsts = np.array([clip.first_frame for clip in table], dtype=np.int64)
        self.lasts = self.firsts + np.array([clip.frame_count - 1 for clip in table], dtype=np.int64)
        self.starts = np.array([clip.start for clip in table], dtype=np.float64)
        self.durations = np.array([clip.duration for clip in table], dtype=np.float64)
        self.rates = np.array([clip.rate for clip in table], dtype=np.float64)
        self.loops = np.array([clip.loop for clip in table], dtype=bool)
        # The same as numbers of Python, for one time.
        columns = (self.firsts, self.lasts, self.starts, self.durations, self.rates, self.loops)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        self.by_name = {
            name: (index, *row) for index, (name, row) in enumerate(zip(clips, rows, strict=True))
        }

    def coordinate(
        self, function: str, index: npt.NDArray[np.intp], times: npt.ArrayLike, loop: bool | None
    ) -> npt.NDArray[np.float64]:
        """Compute frame indices with a fraction from times of clips; ValueError where one is not finite.

        `function` is named in errors.
        """
        seconds = finite_floats(times, f"{function}: times")
        local = seconds - self.starts[index]
        duration = self.durations[index]
        wraps = (self.loops[index] if loop is None else np.asarray(loop)) & (duration > 0.0)
        safe = np.where(duration > 0.0, duration, 1.0)
        # A time wrapped from just below zero rounds up to the duration itself, which is zero again.
        wrapped = np.mod(local, safe)
        wrapped = np.where(wrapped >= safe, 0.0, wrapped)
        local = np.where(wraps, wrapped, np.clip(local, 0.0, duration))
        intervals = self.lasts[index] - self.firsts[index]
        result = self.firsts[index] + np.minimum(local * self.rates[index], intervals)
        return np.asarray(result, dtype=np.float64)

    def plain_place(
        self, clip: object, time: object, loop: object, interpolate: object
    ) -> tuple[int, int, int, float] | None:
        """Return clip, frames and fraction at one finite time, as `coordinate` and `places` find them.

        In numbers of Python. None for anything else.
        """
        row = self.by_name.get(clip) if type(clip) is str else None
        if row is None or type(time) is not float or not math.isfinite(time):
            return None
        if not (loop is None or isinstance(loop, bool)) or not isinstance(interpolate, bool):
            return None
        index, first, last, start, duration, rate, loops = row
        local = time - start
        if (loops if loop is None else loop) and duration > 0.0:
            local %= duration
            if local >= duration:
                local = 0.0
        else:
            local = min(max(local, 0.0), duration)
        coordinate = first + min(local * rate, last - first)
        if not 0.0 <= coordinate <= self.frame_count - 1:
            return None
        frame = min(max(math.floor(coordinate), first), max(last - 1, first))
        after, fraction = min(frame + 1, last), min(coordinate - frame, 1.0)
        if interpolate:
            return index, frame, after, fraction
        nearest = after if np.float32(fraction) >= 0.5 else frame
        return index, nearest, nearest, 0.0

    def places(self, function: str, coordinates: npt.NDArray[np.float64], interpolate: bool) -> Places:
        """Find the frames around coordinates (N), never of two clips; without `interpolate` the nearer one.

        ValueError, in the name of `function`, where a coordinate is not finite or outside the texture.
        """
        inside = (coordinates >= 0.0) & (coordinates <= self.frame_count - 1)
        if not inside.all():
            raise ValueError(
                f"{function}: coordinates must be finite and in [0, {self.frame_count - 1}], "
                f"got {coordinates[~inside][0]}"
            )
        whole = np.floor(coordinates).astype(np.int64)
        clips = np.searchsorted(self.firsts, whole, side="right") - 1
        frames, nexts, fractions = frames_around(coordinates, self.firsts[clips], self.lasts[clips])
        if not interpolate:
            frames = nexts = np.where(fractions >= 0.5, nexts, frames)
            fractions = np.zeros_like(fractions)
        return Places(frames, nexts, fractions, clips.astype(np.int32))


def _check_clips(clips: Mapping[str, BakedClip], frame_count: int) -> None:
    """Check that the clips follow one another and fill the texture."""
    if not clips:
        raise ValueError("PoseTexture: clips must hold at least one clip, got none")
    first = 0
    for name, clip in clips.items():
        if clip.first_frame != first or clip.frame_count < 1:
            raise ValueError(
                f"PoseTexture: clip {name!r} must start at frame {first} and have frames, "
                f"got first_frame {clip.first_frame} and frame_count {clip.frame_count}"
            )
        first += clip.frame_count
        numbers = (clip.rate, clip.start, clip.duration)
        rate = (clip.frame_count - 1) / clip.duration if clip.duration > 0 else 0.0
        if not np.isfinite(numbers).all() or clip.duration < 0:
            raise ValueError(
                f"PoseTexture: clip {name!r} must have finite numbers and a duration of at least 0, "
                f"got {numbers}"
            )
        if abs(clip.rate - rate) > 1e-9 * rate or (clip.frame_count > 1) != (clip.duration > 0):
            raise ValueError(
                f"PoseTexture: clip {name!r} must have the rate {rate} of its {clip.frame_count} frames "
                f"in {clip.duration} s, got {clip.rate}"
            )
    if first != frame_count:
        raise ValueError(f"PoseTexture: clips must fill all {frame_count} frames, got {first}")
