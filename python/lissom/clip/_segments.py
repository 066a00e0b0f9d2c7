# SPDX-License-Identifier: MIT
"""Segments of LINEAR tracks: the error of each, and the fewest of them within a bound.

A segment goes from a kept key to the next kept one. Its error at the keys between does not depend on the
bound, so it is computed once, and each bound costs one shortest path.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

LONGEST = 128
"""Keys that a segment spans at most: finding the segments costs the square of it, for each key."""

CHUNK = 1 << 15
"""Keys inside segments that are computed at a time."""

GIVE_UP = 3  # consecutive spans above the limit, after which longer ones are not tried: they hardly fit

COARSE = 1e-5  # errors above this survive the rounding of a cosine, which hides angles below 1e-8

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


class Segments:
    """The segments of several tracks of one kind, padded to the longest.

    Parameters
    ----------
    times : sequence of ndarray, each (K,)
        Seconds, at least two in each track.
    values : sequence of ndarray, each (K, 3) or (K, 4)
        Unit quaternions with 4 columns.
    levers : sequence of ndarray, each (K,)
        Distance in model space that an error of 1 (length, or twice the sine of half the angle) causes, at
        each key.
    limit : float
        Errors above this count as infinite.
    """

    def __init__(
        self, times: Sequence[Floats], values: Sequence[Floats], levers: Sequence[Floats], limit: float
    ) -> None:
        self.counts = np.array([len(t) for t in times])
        longest = int(self.counts.max())
        # Padding: later times, the last value, and no lever; no shortest path leads there.
        padded_times = np.stack(
            [np.concatenate([t, t[-1] + np.arange(1.0, 1 + longest - len(t))]) for t in times]
        )
        padded_values = np.stack([np.pad(v, ((0, longest - len(v)), (0, 0)), "edge") for v in values])
        padded_levers = np.stack([np.pad(lever, (0, longest - len(lever))) for lever in levers])
        self.errors = _errors(padded_times, padded_values, padded_levers, limit)

    def kept(self, bounds: Floats) -> list[Indices]:
        """Return the keys (ascending, first and last among them) of the fewest segments within each bound.

        Among equally few, those with the smallest sum of errors.
        """
        tracks, longest, spans = self.errors.shape
        cost = np.full((tracks, longest), np.inf)
        cost[:, 0] = 0
        predecessors = np.zeros((tracks, longest), np.intp)
        # A segment costs 1 plus, for its error, less than 1 / K: all errors together cost less than a
        # segment.
        scale = 0.5 / (longest * np.maximum(bounds, np.finfo(np.float64).tiny))
        for key in range(1, longest):
            most = min(key, spans - 1)
            errors = self.errors[:, key, 1 : most + 1]
            with np.errstate(invalid="ignore"):
                costs = np.where(
                    errors <= bounds[:, None],
                    cost[:, key - 1 :: -1][:, :most] + 1 + errors * scale[:, None],
                    np.inf,
                )
            best = np.argmin(costs, axis=1)
            cost[:, key] = np.take_along_axis(costs, best[:, None], axis=1)[:, 0]
            predecessors[:, key] = key - 1 - best
        return [_shortest_path(predecessors[track], count - 1) for track, count in enumerate(self.counts)]


def _shortest_path(predecessors: Indices, last: int) -> Indices:
    keys = [last]
    while keys[-1] > 0:
        keys.append(int(predecessors[keys[-1]]))
    return np.array(keys[::-1])


def _errors(times: Floats, values: Floats, levers: Floats, limit: float) -> Floats:
    """Return the error of the segment of each span (S) that ends at each key (K), (T, K, S).

    Infinite where it is above `limit`.
    """
    tracks, count = times.shape
    result = np.full((tracks, count, min(count, LONGEST + 1)), np.inf)
    result[:, 1:, 1] = 0
    source = values
    square_errors: Callable[..., Floats] = _lerp_errors
    if values.shape[-1] == 4:
        # From the dot products of all keys of a track it costs less, but the last few digits are lost.
        source, square_errors = (
            (values @ values.transpose(0, 2, 1), _slerp_errors)
            if limit > COARSE
            else (values, _small_slerp_errors)
        )
    squares = levers**2
    # A segment is a track and the key it begins at; spans grow until the error is too large.
    track, first = (ids.ravel() for ids in np.indices((tracks, count - 1)))
    failures = np.zeros(len(track), np.intp)
    for span in range(2, result.shape[2]):
        going = (first + span < count) & (failures < GIVE_UP)
        track, first, failures = track[going], first[going], failures[going]
        step = max(1, CHUNK // span)
        for begin in range(0, len(track), step):
            part = slice(begin, begin + step)
            t, a = track[part, None], first[part, None]
            inner, last = a + np.arange(1, span), a + span
            share = (times[t, inner] - times[t, a]) / (times[t, last] - times[t, a])
            errors = square_errors(source, t, a, inner, last, share) * squares[t, inner]
            worst = np.sqrt(errors.max(axis=1))
            fits = worst <= limit
            result[track[part], last[:, 0], span] = np.where(fits, worst, np.inf)
            failures[part] = np.where(fits, 0, failures[part] + 1)
        if not len(track):
            break
    return result


def _lerp_errors(
    values: Floats, t: Indices, a: Indices, inner: Indices, last: Indices, share: Floats
) -> Floats:
    """Return the squared distances between the lerp and the keys."""
    begin = values[t, a]
    lerp = begin + share[..., None] * (values[t, last] - begin)
    return np.asarray(((lerp - values[t, inner]) ** 2).sum(axis=-1))


def _slerp_errors(
    products: Floats, t: Indices, a: Indices, inner: Indices, last: Indices, share: Floats
) -> Floats:
    """Return the squares of 2 sin(angle / 2) between the slerp and the keys, from dot products of the keys.

    The slerp is w_a a + w_b b with the weights of Shoemake 1985; its dot product with a key is then w_a and
    w_b times those of a and b with the key, and the cosine of half the angle.
    """
    whole = products[t, a, last]
    from_first, from_last = _slerp_weights(np.arccos(np.minimum(np.abs(whole), 1)), share)
    from_last = np.where(whole < 0, -from_last, from_last)  # along the shorter arc
    cosine = from_first * products[t, a, inner] + from_last * products[t, inner, last]
    return np.asarray(np.maximum(4 * (1 - cosine**2), 0))


def _small_slerp_errors(
    values: Floats, t: Indices, a: Indices, inner: Indices, last: Indices, share: Floats
) -> Floats:
    """Return the squares of `_slerp_errors` from the quaternions, exact for angles however small."""
    begin, end, keys = values[t, a], values[t, last], values[t, inner]
    end = np.where((begin * end).sum(axis=-1, keepdims=True) < 0, -end, end)
    arc = 2 * np.arctan2(np.linalg.norm(end - begin, axis=-1), np.linalg.norm(end + begin, axis=-1))
    from_first, from_last = _slerp_weights(arc, share)
    slerp = from_first[..., None] * begin + from_last[..., None] * end
    chord = np.minimum(((slerp - keys) ** 2).sum(axis=-1), ((slerp + keys) ** 2).sum(axis=-1))  # squared
    return np.asarray(4 * chord * (1 - chord / 4))


def _slerp_weights(arc: Floats, share: Floats) -> tuple[Floats, Floats]:
    sine = np.sin(arc)
    near = sine < 1e-9
    with np.errstate(invalid="ignore", divide="ignore"):
        from_first = np.where(near, 1 - share, np.sin((1 - share) * arc) / sine)
        from_last = np.where(near, share, np.sin(share * arc) / sine)
    return from_first, from_last
