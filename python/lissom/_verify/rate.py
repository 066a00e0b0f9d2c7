# SPDX-License-Identifier: MIT
"""The frames per second that a bake needs for an error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lissom._bake.bake import bake
from lissom._export.measure import measured
from lissom._export.source import CharacterSource, Source
from lissom._export.vertex_animation import Playback, whole_frames
from lissom._export.vertex_clip import VertexClip
from lissom._verify.found_clip import FoundClip
from lissom._verify.lengths import moments
from lissom.clip._error import ClipError
from lissom.clip._frames import interval_count
from lissom.errors import BakeError

__all__ = ["needed_rate"]

RATES = (
    1, 2, 5, 10, 12, 15, 20, 24, 25, 30, 48, 50, 60, 72, 90, 96, 100, 120, 144, 180, 240, 360, 480, 720, 960,
)  # fmt: skip
"""Frames per second that are tried: those of films, capture and screens, and of keys."""

MOMENTS = 1600
"""Moments at which a rate is tried."""

FINEST = 1e-7
"""Errors below this fraction of the size are below what floats of any bake hold."""


def needed_rate(found: FoundClip, source: Source, error: ClipError, max_error: float) -> float:
    """Return the smallest usual rate at which a bake of this form is within an error; infinite without any.

    Joints are mixed in a bake of lissom's, else vertices. Rates on the keys of a clip need fewer frames, so
    that an error does not fall steadily: the smallest that is enough is taken.
    """
    snaps = found.played.playback == "snap"
    if max_error < FINEST or (not snaps and _is_too_coarse(error, max_error)):
        return float("inf")
    enough = [found.frames.rate] if error.max_relative <= max_error else []
    if (
        found.bake is not None
        and found.played.playback == "interpolate"
        and isinstance(source, CharacterSource)
    ):
        return min([*enough, _rate_of_bake(found, source, max_error)])
    allowed = max_error * source.size - 0.5 * np.sqrt(3.0) * found.step
    if snaps:  # a frame is shown until the next: up to there it is off by what more frames mend
        allowed -= max(0.0, error.max - _error_at(found, source, found.frames.rate))
    for rate in (*RATES, found.frames.rate):
        if _error_at(found, source, float(rate)) <= allowed:
            return min([float(rate), *enough])
    return min([float("inf"), *enough])


def _is_too_coarse(error: ClipError, max_error: float) -> bool:
    """Whether the error is that of whole frames already, by numbers that no rate mends."""
    at_frames = error.at_frames.max
    return error.max_relative > max_error and at_frames > 0.9 * error.max


def _rate_of_bake(found: FoundClip, source: CharacterSource, max_error: float) -> float:
    of = found.bake
    assert of is not None
    try:
        again = bake(
            source.character,
            found.name,
            max_error=max_error,
            dtype=str(of.texels.dtype),
            layout=of.layout,
            method=of.method,
        )
    except BakeError:
        return float("inf")
    return float(again.clips[found.name].rate) if again.texels.dtype == of.texels.dtype else float("inf")


def _error_at(found: FoundClip, source: Source, rate: float) -> float:
    """Return the largest distance of a bake without rounding, at a rate; model units."""
    begin, end = source.span(found.name)
    if end <= begin:
        return 0.0
    intervals = interval_count(end - begin, rate)
    frames = VertexClip(0, intervals + 1, intervals / (end - begin), found.frames.loop, begin)
    times, groups = moments(source, found.name, frames, found.played.playback)
    some = np.unique(np.linspace(0, len(times) - 1, min(len(times), MOMENTS)).round().astype(int))
    ideal = _Ideal(source, {found.name: frames}, found.played.playback, found.mesh.vertex_count, found.lag)
    return measured(ideal, source, found.name, moments=(times[some], groups[some])).error.max


@dataclass(frozen=True)
class _Ideal:
    """What an engine would draw of frames that are the source's, not rounded."""

    source: Source
    clips: Mapping[str, VertexClip]
    playback: Playback
    vertex_count: int
    lead: float  # of the pose of a frame before the frame, in frames

    def vertices(self, clip: str, seconds: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
        frames = self.clips[clip]
        coordinates = np.clip((seconds - frames.start) * frames.rate, 0.0, frames.frame_count - 1)
        if self.playback == "snap":
            shown = whole_frames(coordinates) + self.lead
            return self.source.vertices(
                clip, frames.start + np.minimum(shown, frames.frame_count - 1) / frames.rate
            )
        before = np.floor(coordinates)
        first = self.source.vertices(clip, frames.start + before / frames.rate)
        after = np.minimum(before + 1, frames.frame_count - 1)
        share = (coordinates - before).astype(np.float32)[:, None, None]
        second = self.source.vertices(clip, frames.start + after / frames.rate)
        return np.asarray(first + share * (second - first), np.float32)
