# SPDX-License-Identifier: MIT
"""Spans of time in which a condition holds, on a line or around a loop."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lissom._base.easing import smoothstep
from lissom.ik._axes import Floats


@dataclass(frozen=True, eq=False)
class Spans:
    """Spans of frames from `first` to `last`, both included, in order.

    In a loop the last one may continue across the seam: its `last` is then beyond the number of frames.
    """

    spans: tuple[tuple[int, int], ...]
    times: Floats
    period: float | None

    @classmethod
    def of(cls, holds: NDArray[np.bool_], times: Floats, period: float | None) -> Spans:
        """Return the spans in which a condition holds."""
        edges = np.flatnonzero(np.diff(np.concatenate([[False], holds, [False]]).astype(np.int8)))
        spans = [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]
        count = len(times)
        whole = len(spans) == 1 and spans[0] == (0, count - 1)
        if period and len(spans) > 1 and spans[0][0] == 0 and spans[-1][1] == count - 1:
            spans = [*spans[1:-1], (spans[-1][0], spans[0][1] + count)]
        if period and whole:
            spans = [(0, count)]  # all around
        return cls(tuple(spans), times, period)

    def time(self, frame: int) -> float:
        """Return the seconds of a frame, also of one beyond the seam."""
        laps, within = divmod(frame, len(self.times))
        return float(self.times[within]) + laps * (self.period or 0.0)

    def seconds(self) -> list[tuple[float, float]]:
        """Return begin and end of each span, seconds."""
        return [(self.time(first), self.time(last)) for first, last in self.spans]

    def without_gaps(self, shortest: float) -> Spans:
        """Return spans with gaps of less than `shortest` seconds closed."""
        spans = list(self.spans)
        joined: list[tuple[int, int]] = []
        for first, last in spans:
            if joined and self.time(first) - self.time(joined[-1][1]) < shortest:
                joined[-1] = (joined[-1][0], last)
            else:
                joined.append((first, last))
        count = len(self.times)
        if self.period and joined:
            first, last = joined[0][0] + count, joined[-1][1]
            if first > last and self.time(first) - self.time(last) < shortest:
                joined[-1] = (joined[-1][0], joined[0][1] + count)
                joined = joined[1:] if len(joined) > 1 else [(0, count)]
        return Spans(tuple(joined), self.times, self.period)

    def lasting(self, shortest: float) -> Spans:
        """Return the spans of at least `shortest` seconds, and those that an end of the times may cut."""
        last_frame = len(self.times) - 1
        kept = [
            (first, last)
            for first, last in self.spans
            if self.time(last) - self.time(first) >= shortest
            or (not self.period and (first == 0 or last == last_frame))
        ]
        return Spans(tuple(kept), self.times, self.period)

    def ramps(self, ramp: float) -> Floats:
        """Return a curve that is 1 in the spans, with smooth ramps of `ramp` seconds beside them, (F,)."""
        curve = np.zeros(len(self.times))
        ends = self.seconds()
        if not ends:
            return curve
        if self.period and self.spans[0] == (0, len(self.times)):
            return np.ones_like(curve)
        before = [a for a, _ in ends]
        after = [b for _, b in ends]
        for index, (first, last) in enumerate(ends):
            if self.period:
                gap_before = first - (after[index - 1] - (self.period if index == 0 else 0.0))
                following = before[(index + 1) % len(ends)]
                gap_after = following + (self.period if index == len(ends) - 1 else 0.0) - last
            else:
                gap_before = first - after[index - 1] if index else np.inf
                gap_after = before[index + 1] - last if index + 1 < len(ends) else np.inf
            for lap in (-1, 0, 1) if self.period else (0,):
                times = self.times - lap * (self.period or 0.0)
                beside = np.where(
                    times < first,
                    _falling(first - times, min(ramp, gap_before / 2)),
                    _falling(times - last, min(ramp, gap_after / 2)),
                )
                curve = np.maximum(curve, np.where((times >= first) & (times <= last), 1.0, beside))
        return curve


def _falling(distance: Floats, ramp: float) -> Floats:
    """Return 1 at distance 0, 0 from `ramp` on, smooth at both ends."""
    if not ramp > 0:
        return np.zeros_like(distance)
    return smoothstep(1 - np.clip(distance, 0.0, ramp) / ramp, 0.0, 1.0)
