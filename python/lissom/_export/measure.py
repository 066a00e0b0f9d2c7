# SPDX-License-Identifier: MIT
"""The error of what an engine draws: its vertices against those of the source, at frames and between."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lissom._export.played import Played
from lissom._export.source import Source
from lissom.clip._error import ClipError, ErrorStats, WorstVertex
from lissom.clip._frames import AT_FRAMES
from lissom.clip._vertex_error import CHUNK_VERTICES, DistanceSums, both, clip_error

__all__ = ["Measured", "measured", "together"]


@dataclass(frozen=True)
class Measured:
    """The error of a clip, and where in time it is.

    Attributes
    ----------
    error : ClipError
    times : ndarray of float64, shape (N,)
        Moments, seconds.
    largest : ndarray of float32, shape (N,)
        Largest distance at each of them, model units.
    """

    error: ClipError
    times: NDArray[np.float64]
    largest: NDArray[np.float32]


def measured(
    played: Played,
    source: Source,
    clip: str,
    joints: Sequence[str] = (),
    moments: tuple[NDArray[np.float64], NDArray[np.int32]] | None = None,
) -> Measured:
    """Measure one clip. `joints` names the joint of each vertex's heaviest influence, if there are any.

    `moments` are times and their groups; those of the source for the engine's frames when omitted.
    """
    frames = played.clips[clip]
    times, groups = source.moments(clip, frames) if moments is None else moments
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
    whole, own = replace(error, worst=worst), source.own_error(clip)
    if own is not None:
        whole = both(whole, own, source.size)
    return Measured(whole, times, sums.moment_max)


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
