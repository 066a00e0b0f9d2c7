# SPDX-License-Identifier: MIT
"""Segments of LINEAR tracks: the error of each, and the fewest of them within a bound.

A segment goes from a kept key to the next kept one. Its error at the keys between does not depend on the
bound, so it is computed once, and each bound costs one shortest path (src/core/animation/key_segments.h).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lissom import _core

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


class Segments:
    """The segments of several tracks.

    Parameters
    ----------
    times : sequence of ndarray, each (K,)
        Seconds, at least two in each track.
    values : sequence of ndarray, each (K, 1), (K, 3) or (K, 4)
        Rotations with 4 columns, of any length but zero.
    levers : sequence of ndarray, each (K,)
        Distance in model space that an error of 1 (length, or twice the sine of half the angle) causes, at
        each key.
    limit : float
        Errors above this count as infinite.
    """

    def __init__(
        self, times: Sequence[Floats], values: Sequence[Floats], levers: Sequence[Floats], limit: float
    ) -> None:
        counts = np.array([len(each) for each in times], np.int64)
        self.begins = np.cumsum(counts) - counts
        self.key_count = int(counts.sum())
        rows = np.zeros((self.key_count, 4))
        for begin, points in zip(self.begins.tolist(), values, strict=True):
            part = rows[begin : begin + len(points), : points.shape[1]]
            part[:] = points
            if points.shape[1] == 4:
                part /= np.sqrt(np.einsum("ij,ij->i", part, part))[:, None]
        rotates = np.array([points.shape[1] == 4 for points in values], np.uint8)
        seconds, at_keys = (np.concatenate([np.zeros(0), *each]) for each in (times, levers))
        self.core = _core.KeySegments(counts, rotates, seconds, rows, at_keys, limit)

    def kept(self, bounds: Floats) -> list[Indices]:
        """Return the keys (ascending, first and last among them) of the fewest segments within each bound.

        Among equally few, those with the smallest sum of errors.
        """
        kept = np.zeros(self.key_count, np.uint8)
        self.core.keep(np.ascontiguousarray(bounds, np.float64), kept)
        ends = [*self.begins.tolist(), self.key_count]
        return [np.flatnonzero(kept[begin:end]) for begin, end in itertools.pairwise(ends)]
