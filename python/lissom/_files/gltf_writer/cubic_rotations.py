# SPDX-License-Identifier: MIT
"""Splines of rotations whose keys are not unit, as a cut leaves them, with keys that are.

glTF asks for unit keys. What shows is the direction H / |H| of the spline, so all keys of a segment could be
scaled by one factor, but that would reach the next segment, and so on to both ends. Instead the segments
beside such a key follow the direction itself, by as many keys as that takes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.clip._tracks import Track

TOLERANCE = 2e-7
"""Radians between the rotations before and after, in float64. What is promised, 1e-6, holds with rounding."""

MOST_PIECES = 256
"""Of one segment. What takes more passes so near to zero that the rotation leaps."""

PROBES = np.array([0.1, 0.25, 0.5, 0.75, 0.9])  # of a piece: where it is compared
NO_LENGTH = 1e-30
SHORTEST = 1e-6  # lengths of a spline whose direction is still known in float32

Floats = NDArray[np.float64]


def with_unit_keys(track: Track, off: NDArray[np.bool_]) -> Track | None:
    """Give a cubic track of the same rotations with unit keys in place of those that are `off`, (K,).

    Returns
    -------
    Track or None
        Within 1e-6 radians. None where the spline cannot be followed: it passes through zero.
    """
    times, values = track.times.astype(np.float64), track.values.astype(np.float64)
    lengths = np.linalg.norm(values[:, 1], axis=1)
    if lengths[off].min() < SHORTEST:
        return None
    wanted = np.where(off, 1.0, lengths)
    keys = values.copy()
    keys[:, 1] *= (wanted / lengths)[:, None]
    new_times, new_keys = [times[:1]], [keys[:1]]
    for first in range(len(times) - 1):
        last = first + 1
        if off[first] or off[last]:
            segment = _Segment(values[first, 1:], values[last, :2], times[last] - times[first])
            knots = segment.knots(wanted[first], wanted[last])
            if knots is None:
                return None
            points, slopes = knots
            new_keys[-1][-1, 2], keys[last, 0] = slopes[0], slopes[-1]
            inner = np.linspace(times[first], times[last], len(points))[1:-1]
            new_times.append(inner)
            new_keys.append(np.stack([slopes[1:-1], points[1:-1], slopes[1:-1]], axis=1))
        new_times.append(times[last : last + 1])
        new_keys.append(keys[last : last + 1])
    return replace(
        track, times=np.concatenate(new_times), values=np.concatenate(new_keys).astype(track.values.dtype)
    )


class _Segment:
    """The spline between two keys: of the first (value, out-tangent), of the last (in-tangent, value)."""

    def __init__(self, begin: Floats, end: Floats, seconds: float) -> None:
        self._corners = np.stack([begin[0], begin[1], end[1], end[0]])
        self._seconds = seconds

    def knots(self, first: float, last: float) -> tuple[Floats, Floats] | None:
        """Give points and slopes (N, 4), whose lengths go evenly from `first` to `last`."""
        pieces = 1
        while pieces <= MOST_PIECES:
            shares = np.linspace(0, 1, pieces + 1)
            unit, slope = self._direction(shares)
            if np.linalg.norm(unit, axis=1).min() < 0.5:
                return None  # zero at a knot
            length = (first + shares * (last - first))[:, None]
            points, slopes = length * unit, length * slope + unit * (last - first) / self._seconds
            if self._error(points, slopes) <= TOLERANCE:
                return points, slopes
            pieces *= 2
        return None

    def _error(self, points: Floats, slopes: Floats) -> float:
        pieces = len(points) - 1
        corners = np.stack([points[:-1], slopes[:-1], points[1:], slopes[1:]])
        got, _ = _hermite(corners[:, :, None], PROBES[:, None], self._seconds / pieces)
        shares = (np.arange(pieces)[:, None] + PROBES) / pieces
        wanted, _ = self._direction(shares.ravel())
        apart = np.linalg.norm(_unit(got.reshape(-1, 4))[0] - wanted, axis=1).max()
        return float(4 * np.arcsin(min(apart / 2, 1)))

    def _direction(self, shares: Floats) -> tuple[Floats, Floats]:
        """Give unit quaternions at shares of the segment (N,), and how they change in a second."""
        point, slope = _hermite(self._corners[:, None], shares[:, None], self._seconds)
        unit, length = _unit(point)
        return unit, (slope - unit * np.sum(unit * slope, axis=1, keepdims=True)) / length


def _unit(rows: Floats) -> tuple[Floats, Floats]:
    """Give rows of length 1, next to 0 where there is no direction, and the lengths (N, 1)."""
    lengths = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), NO_LENGTH)
    return rows / lengths, lengths


def _hermite(corners: NDArray[Any], s: Floats, seconds: float) -> tuple[Floats, Floats]:
    """Give the point and the slope per second, at s in [0, 1], of first point, slope, last point, slope."""
    begin, out, end, into = corners
    point = (
        (2 * s**3 - 3 * s**2 + 1) * begin
        + (s**3 - 2 * s**2 + s) * seconds * out
        + (3 * s**2 - 2 * s**3) * end
        + (s**3 - s**2) * seconds * into
    )
    slope = (
        (6 * s**2 - 6 * s) * (begin - end) / seconds
        + (3 * s**2 - 4 * s + 1) * out
        + (3 * s**2 - 2 * s) * into
    )
    return point, slope
