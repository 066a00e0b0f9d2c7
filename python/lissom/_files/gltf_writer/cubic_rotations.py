# SPDX-License-Identifier: MIT
"""Rotation splines whose keys are not unit, as a cut leaves them, approximated by splines with unit keys.

glTF requires unit keys. Only the direction H / |H| of a spline is visible, so all keys of a segment could be
scaled by one factor, but that would change the next segment, and so on to both ends. Instead the segments
beside such a key are fitted to the direction itself, with as many keys as that takes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom._base.hermite import hermite
from lissom.clip._tracks import Track

TOLERANCE = 2e-7
"""Largest angle between the rotations before and after, radians, in float64. With the rounding to float32 it
is below the documented 1e-6."""

MOST_PIECES = 256
"""Most pieces of one segment. A segment that needs more passes so close to zero that the rotation jumps."""

PROBES = np.array([0.1, 0.25, 0.5, 0.75, 0.9])  # where a piece is compared, as fractions of it
NO_LENGTH = 1e-30
SHORTEST = 1e-6  # least length of a spline whose direction is still accurate in float32

Floats = NDArray[np.float64]


def with_unit_keys(track: Track, off: NDArray[np.bool_]) -> Track | None:
    """Return a cubic track of the same rotations with unit keys instead of those that are `off`, (K,).

    Returns
    -------
    Track or None
        Rotations agree within 1e-6 radians. None where the spline cannot be fitted: it passes through zero,
        or too close to it.
    """
    times, values = track.times.astype(np.float64), track.values.astype(np.float64)
    lengths = np.linalg.norm(values[:, 1], axis=1)
    if lengths[off].min() < SHORTEST:
        return None
    new_lengths = np.where(off, 1.0, lengths)
    keys = values.copy()
    keys[:, 1] *= (new_lengths / lengths)[:, None]
    new_times, new_keys = [times[:1]], [keys[:1]]
    for first in range(len(times) - 1):
        last = first + 1
        if off[first] or off[last]:
            segment = _Segment(values[first, 1:], values[last, :2], times[last] - times[first])
            knots = segment.knots(new_lengths[first], new_lengths[last])
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
    """The spline between two keys.

    `begin` is (value, out-tangent) of the first key, `end` (in-tangent, value) of the last.
    """

    def __init__(self, begin: Floats, end: Floats, seconds: float) -> None:
        self._corners = np.stack([begin[0], begin[1], end[1], end[0]])
        self._seconds = seconds

    def knots(self, first: float, last: float) -> tuple[Floats, Floats] | None:
        """Return points and slopes (N, 4), with lengths that change linearly from `first` to `last`."""
        pieces = 1
        while pieces <= MOST_PIECES:
            s = np.linspace(0, 1, pieces + 1)
            unit, slope = self._direction(s)
            if np.linalg.norm(unit, axis=1).min() < 0.5:
                return None  # zero at a knot
            length = (first + s * (last - first))[:, None]
            points, slopes = length * unit, length * slope + unit * (last - first) / self._seconds
            if self._error(points, slopes) <= TOLERANCE:
                return points, slopes
            pieces *= 2
        return None

    def _error(self, points: Floats, slopes: Floats) -> float:
        """Return the largest angle to the segment of a spline with these knots, radians."""
        pieces = len(points) - 1
        corners = np.stack([points[:-1], slopes[:-1], points[1:], slopes[1:]])
        fitted, _ = _spline(corners[:, :, None], PROBES[:, None], self._seconds / pieces)
        s = (np.arange(pieces)[:, None] + PROBES) / pieces
        exact, _ = self._direction(s.ravel())
        chord = np.linalg.norm(_unit(fitted.reshape(-1, 4))[0] - exact, axis=1).max()
        return float(4 * np.arcsin(min(chord / 2, 1)))

    def _direction(self, s: Floats) -> tuple[Floats, Floats]:
        """Return unit quaternions (N, 4) at s in [0, 1], shape (N,), and their derivatives per second."""
        point, slope = _spline(self._corners[:, None], s[:, None], self._seconds)
        unit, length = _unit(point)
        return unit, (slope - unit * np.sum(unit * slope, axis=1, keepdims=True)) / length


def _unit(rows: Floats) -> tuple[Floats, Floats]:
    """Return rows of length 1, almost 0 for rows of length 0, and the lengths (N, 1)."""
    lengths = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), NO_LENGTH)
    return rows / lengths, lengths


def _spline(corners: NDArray[Any], s: Floats, seconds: float) -> tuple[Floats, Floats]:
    """Return point and slope per second of a Hermite spline at s in [0, 1].

    `corners` are the first point and its slope per second, then the last point and its slope.
    """
    begin, begin_slope, end, end_slope = corners
    point, slope = hermite(s, begin, seconds * begin_slope, end, seconds * end_slope)
    return point, slope / seconds
