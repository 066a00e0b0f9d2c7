# SPDX-License-Identifier: MIT
"""Where the distance of a bake from its source may be larger than at the moments measured."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["ROUNDS", "expected_peaks"]

ROUNDS = 4
"""Times that moments are added: each parabola leaves a small part of the gap to the peak."""

MOST = 6
"""Moments added at a time. Most clips need none: between frames their error is as even as a parabola."""

GAIN = 5e-4
"""Growth of the largest distance, as a fraction of it, below which no moment is added."""

TWOFOLD = 0.03
"""Fraction that the peak of s (1 - s) (s - 1/2), s from 0 to 1 in an interval, is above its value at 3/4."""

APART = 1e-3
"""Intervals between a new moment and its neighbours at least: nearer ones say nothing new in float32."""


def expected_peaks(
    coordinates: npt.NDArray[np.float64], distances: npt.NDArray[Any], largest: float
) -> npt.NDArray[np.float64]:
    """Return the coordinates at which distances above the largest measured are expected, sorted.

    Within an interval between two frames the distance is smooth, up to corners at keys, which are measured.
    Its peak is looked for by the parabola through three neighbours (successive parabolic interpolation,
    Brent, Algorithms for Minimization without Derivatives, 1973, chapter 5).

    Parameters
    ----------
    coordinates : ndarray, shape (N,)
        Moments measured, in intervals from the clip's start, sorted.
    distances : ndarray, shape (N,)
        The largest distance of any vertex at each; -inf where it does not count.
    largest : float
        Largest distance known.
    """
    if len(coordinates) < 3:
        return np.empty(0)
    a, b, c = coordinates[:-2], coordinates[1:-1], coordinates[2:]
    fa, fb, fc = (np.asarray(distances, np.float64)[i : len(coordinates) - 2 + i] for i in range(3))
    with np.errstate(invalid="ignore", divide="ignore"):
        left, right = (fb - fa) / (b - a), (fc - fb) / (c - b)
        curvature = (right - left) / (c - a)
        # Newton's form: f(x) = fa + left (x - a) + curvature (x - a) (x - b)
        peak = 0.5 * (a + b) - 0.5 * left / curvature
        peak = np.clip(peak, a, c)
        value = fa + left * (peak - a) + curvature * (peak - a) * (peak - b)
        within = np.floor(a) == np.ceil(c) - 1  # one interval
        hopeful = within & (curvature < 0) & (value > (1 + GAIN) * largest)
        apart = np.minimum(np.minimum(np.abs(peak - a), np.abs(peak - b)), np.abs(peak - c)) > APART
        # Where blends miss a turn of two signs there are two peaks in an interval, which no parabola has: one
        # may seem to be where it was measured, at 1/4 or 3/4.
        twofold = within & (np.abs(b - np.floor(b) - 0.5) > 0.125) & (c - a > 0.3)
        twofold &= (fb > fa) & (fb > fc) & (fb > (1 - TWOFOLD) * largest) & (np.abs(peak - b) < (c - a) / 16)
    chosen = np.flatnonzero((hopeful & apart) | twofold)
    chosen = chosen[np.argsort(-value[chosen], kind="stable")[:MOST]]
    sides = chosen[twofold[chosen]]
    aside = (c - a)[sides] / 8
    return np.unique(np.concatenate([peak[chosen[~twofold[chosen]]], b[sides] - aside, b[sides] + aside]))
