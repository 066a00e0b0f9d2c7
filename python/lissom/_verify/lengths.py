# SPDX-License-Identifier: MIT
"""Which rates are judged, at which moments, and what an engine shows behind the end of a short clip."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lissom._export.played import Played
from lissom._export.source import Source
from lissom._export.vertex_animation import Playback
from lissom._export.vertex_clip import VertexClip
from lissom._verify.request import JUDGE
from lissom.clip._error import SUBFRAMES
from lissom.clip._frames import AT_FRAMES, BETWEEN

__all__ = ["ForWholeSource", "check_length", "moments"]

NEAR = 0.02
"""Parts of an interval by which ends may differ."""

LAST_MOMENT = 0.999
"""Part of an interval after which the next frame is shown."""

LEAST_RATE, MOST_RATE = 1e-9, 1e9
"""Frames per second that are judged. Numbers of others overflow, and are no engine's."""

MOST_SECONDS = 1e9
"""Clips begin and end within so many seconds of 0."""

MOST_LACKING = 4096
"""Moments at most that are judged behind the end of a clip: a rate in a file makes no more work."""


def check_length(where: object, clip: str, frames: VertexClip) -> None:
    """Refuse a clip with a rate or a start that no engine plays; `where` is its file or folder."""
    if not LEAST_RATE <= frames.rate <= MOST_RATE or not abs(frames.start) <= MOST_SECONDS:
        raise ValueError(
            f"{JUDGE}: {where}: clip {clip!r} must have a rate from {LEAST_RATE:g} to {MOST_RATE:g} frames a"
            f" second, and a start within {MOST_SECONDS:g} s of 0, got {frames.rate:.6g} a second from"
            f" {frames.start:.6g} s on; export it again, or say another"
        )


@dataclass(frozen=True)
class ForWholeSource:
    """A played clip at all times of the source: beyond its end it begins anew, or stays where it is."""

    of: Played

    @property
    def clips(self) -> Mapping[str, VertexClip]:
        return self.of.clips

    @property
    def playback(self) -> Playback:
        return self.of.playback

    @property
    def vertex_count(self) -> int:
        return self.of.vertex_count

    def vertices(self, clip: str, seconds: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
        found = self.of.clips[clip]
        local, duration = seconds - found.start, found.duration
        beyond = local > duration + NEAR / found.rate
        again = np.mod(local, duration) if found.loop and duration > 0 else duration
        inside = np.clip(np.where(beyond, again, local), 0.0, duration)
        return self.of.vertices(clip, found.start + inside)


def moments(
    source: Source, clip: str, frames: VertexClip, playback: Playback
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]:
    """Return times to judge a clip at, and their groups: frames, between, and what it lacks at the end.

    Where whole frames are shown, also the last moment of each: there it is off the most.
    """
    begin, end = source.span(clip)
    last = frames.frame_count - 1
    if abs(frames.start + frames.duration - end) * frames.rate <= NEAR:
        times, groups = source.moments(clip, frames)
    else:
        at, between = np.arange(last + 1.0), (np.arange(last)[:, None] + np.array(SUBFRAMES)).reshape(-1)
        missing = max((end - frames.start) * frames.rate - last, 0.0)
        count = int(min(np.ceil(4.0 * missing), MOST_LACKING + 1.0))
        lacking = last + np.arange(1, count) * max(0.25, missing / (MOST_LACKING + 1))
        times = frames.start + np.concatenate([at, between, lacking]) / frames.rate
        groups = np.full(len(times), BETWEEN, np.int32)
        groups[: last + 1] = AT_FRAMES
    if playback == "snap":
        ends = frames.start + (np.arange(last) + LAST_MOMENT) / frames.rate
        times = np.concatenate([times, ends])
        groups = np.concatenate([groups, np.full(last, BETWEEN, np.int32)])
    return np.clip(times, begin, end), groups
