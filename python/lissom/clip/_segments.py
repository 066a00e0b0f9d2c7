# SPDX-License-Identifier: MIT
"""Which keys a LINEAR track can do without: what each segment misses, and the fewest segments in a bound.

A segment goes from a kept key to the next kept one. What it misses at the keys between does not depend on the
bound, so it is computed once, and bounds are tried at the cost of a shortest path.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

LONGEST = 128
"""Keys that a segment spans at most: finding the segments costs the square of it, for each key."""

CHUNK = 1 << 15
"""Keys inside segments that are computed at a time."""

GIVE_UP = 3  # spans in a row that miss too much: longer ones hardly fit

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
        What an error of 1 (length, or twice the sine of half the angle) moves in the model, at each key.
    limit : float
        Errors above this are not told apart.
    """

    def __init__(
        self, times: Sequence[Floats], values: Sequence[Floats], levers: Sequence[Floats], limit: float
    ) -> None:
        self.counts = np.array([len(t) for t in times])
        longest = int(self.counts.max())
        # Padding: later times, the last value, and no lever; no path leads there.
        padded_times = np.stack(
            [np.concatenate([t, t[-1] + np.arange(1.0, 1 + longest - len(t))]) for t in times]
        )
        padded_values = np.stack([np.pad(v, ((0, longest - len(v)), (0, 0)), "edge") for v in values])
        padded_levers = np.stack([np.pad(lever, (0, longest - len(lever))) for lever in levers])
        self.misses = _misses(padded_times, padded_values, padded_levers, limit)

    def kept(self, bounds: Floats) -> list[Indices]:
        """Give the keys (ascending, first and last among them) of the fewest segments within each bound.

        Among equally few, those that miss least in sum.
        """
        tracks, longest, spans = self.misses.shape
        cost = np.full((tracks, longest), np.inf)
        cost[:, 0] = 0
        came = np.zeros((tracks, longest), np.intp)
        # A segment costs 1 and, so that it never counts as another one, less than 1 / K for what it misses.
        scale = 0.5 / (longest * np.maximum(bounds, np.finfo(np.float64).tiny))
        for key in range(1, longest):
            most = min(key, spans - 1)
            misses = self.misses[:, key, 1 : most + 1]
            with np.errstate(invalid="ignore"):
                ways = np.where(
                    misses <= bounds[:, None],
                    cost[:, key - 1 :: -1][:, :most] + 1 + misses * scale[:, None],
                    np.inf,
                )
            best = np.argmin(ways, axis=1)
            cost[:, key] = np.take_along_axis(ways, best[:, None], axis=1)[:, 0]
            came[:, key] = key - 1 - best
        return [_path(came[track], count - 1) for track, count in enumerate(self.counts)]


def _path(came: Indices, last: int) -> Indices:
    path = [last]
    while path[-1] > 0:
        path.append(int(came[path[-1]]))
    return np.array(path[::-1])


def _misses(times: Floats, values: Floats, levers: Floats, limit: float) -> Floats:
    """Give what the segment of each span (S) that ends at each key (K) misses, (T, K, S).

    Infinite where that is more than `limit`.
    """
    tracks, count = times.shape
    result = np.full((tracks, count, min(count, LONGEST + 1)), np.inf)
    result[:, 1:, 1] = 0
    source = values
    miss: Callable[..., Floats] = _moved
    if values.shape[-1] == 4:
        # The dot products of all keys of a track tell as much and cost less, but not the last few digits.
        coarse = limit > COARSE
        source, miss = (values @ values.transpose(0, 2, 1), _turned) if coarse else (values, _turned_little)
    squares = levers**2
    # A segment by its track and the key it begins at; it grows until it is too long.
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
            off = miss(source, t, a, inner, last, share) * squares[t, inner]
            worst = np.sqrt(off.max(axis=1))
            fits = worst <= limit
            result[track[part], last[:, 0], span] = np.where(fits, worst, np.inf)
            failures[part] = np.where(fits, 0, failures[part] + 1)
        if not len(track):
            break
    return result


def _moved(values: Floats, t: Indices, a: Indices, inner: Indices, last: Indices, share: Floats) -> Floats:
    """Squares of the distances between the straight way and the keys."""
    begin = values[t, a]
    way = begin + share[..., None] * (values[t, last] - begin)
    return np.asarray(((way - values[t, inner]) ** 2).sum(axis=-1))


def _turned(products: Floats, t: Indices, a: Indices, inner: Indices, last: Indices, share: Floats) -> Floats:
    """Squares of 2 sin(angle / 2) between the slerp and the keys.

    The slerp is w_a a + w_b b with the weights of Shoemake 1985; its dot product with a key is then w_a and
    w_b times those of a and b with the key, and the cosine of half the angle.
    """
    whole = products[t, a, last]
    from_first, from_last = _slerp_weights(np.arccos(np.minimum(np.abs(whole), 1)), share)
    from_last = np.where(whole < 0, -from_last, from_last)  # the short way
    cosine = from_first * products[t, a, inner] + from_last * products[t, inner, last]
    return np.asarray(np.maximum(4 * (1 - cosine**2), 0))


def _turned_little(
    values: Floats, t: Indices, a: Indices, inner: Indices, last: Indices, share: Floats
) -> Floats:
    """Do as `_turned` for angles however small, from the quaternions."""
    begin, end, keys = values[t, a], values[t, last], values[t, inner]
    end = np.where((begin * end).sum(axis=-1, keepdims=True) < 0, -end, end)
    arc = 2 * np.arctan2(np.linalg.norm(end - begin, axis=-1), np.linalg.norm(end + begin, axis=-1))
    from_first, from_last = _slerp_weights(arc, share)
    way = from_first[..., None] * begin + from_last[..., None] * end
    chord = np.minimum(((way - keys) ** 2).sum(axis=-1), ((way + keys) ** 2).sum(axis=-1))
    return np.asarray(4 * chord * (1 - chord / 4))


def _slerp_weights(arc: Floats, share: Floats) -> tuple[Floats, Floats]:
    sine = np.sin(arc)
    near = sine < 1e-9
    with np.errstate(invalid="ignore", divide="ignore"):
        from_first = np.where(near, 1 - share, np.sin((1 - share) * arc) / sine)
        from_last = np.where(near, share, np.sin(share * arc) / sine)
    return from_first, from_last
