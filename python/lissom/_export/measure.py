# SPDX-License-Identifier: MIT
"""The error of what an engine draws: its vertices against those of the source, at frames and between."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from lissom._export.played import Played
from lissom._export.source import Source
from lissom.clip._error import ClipError, ErrorStats, WorstVertex
from lissom.clip._frames import AT_FRAMES
from lissom.clip._vertex_error import CHUNK_VERTICES, DistanceSums, clip_error, farther

__all__ = ["measured", "together"]


def measured(played: Played, source: Source, clip: str, joints: tuple[str, ...] = ()) -> ClipError:
    """Measure one clip. `joints` names the joint of each vertex's heaviest influence, if there are any."""
    frames = played.clips[clip]
    times, groups = source.moments(clip, frames)
    sums = DistanceSums(len(times), np.arange(played.vertex_count, dtype=np.uint32))
    step = max(1, CHUNK_VERTICES // max(played.vertex_count, 1))
    for begin in range(0, len(times), step):
        part = slice(begin, min(begin + step, len(times)))
        expected = np.ascontiguousarray(source.vertices(clip, times[part]))
        actual = np.ascontiguousarray(played.vertices(clip, times[part]))
        sums.add(part, expected, actual, np.ascontiguousarray(groups[part]))
    error = clip_error(groups, sums, played.vertex_count, source.size)
    moment, vertex = sums.worst_moment, sums.worst_vertex
    worst = WorstVertex(
        vertex,
        joints[vertex] if joints else "",
        float(times[moment]),
        float((times[moment] - frames.start) * frames.rate),
        error.max,
        bool(groups[moment] == AT_FRAMES),
    )
    return farther(replace(error, worst=worst), source.slack(clip), source.size)


def together(errors: Iterable[ClipError]) -> ClipError:
    """Return the error over several clips: the largest of their largest and of their 99th percentiles.

    The root of the mean square is taken over the moments of all.
    """
    all_errors = list(errors)
    worst = max(all_errors, key=lambda error: error.max)

    def stats(parts: list[ErrorStats | None]) -> ErrorStats | None:
        found = [part for part in parts if part is not None]
        if not found:
            return None
        count = sum(part.moment_count for part in found)
        squares = sum(part.rms**2 * part.moment_count for part in found)
        largest, p99 = max(part.max for part in found), max(part.p99 for part in found)
        return ErrorStats(largest, p99, float(np.sqrt(squares / count)), count)

    at_frames = stats([error.at_frames for error in all_errors])
    between = stats([error.between for error in all_errors])
    steady = stats([at_frames, between])
    assert at_frames is not None
    assert steady is not None
    jumps = stats([error.jumps for error in all_errors])
    return ClipError(
        worst.max, steady.p99, steady.rms, worst.max_relative, at_frames, between, jumps, worst.worst
    )
