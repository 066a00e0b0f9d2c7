# SPDX-License-Identifier: MIT
"""Segments of a track and the fewest of them, in float64 from the definition: every pair of keys, every path.

A segment between two keys is in error by the most that sampling it alone (`reference.sampling`) misses a key
between them, as a distance, or for rotations as 2 sin(angle / 2), times the lever of that key. The fewest
segments within a bound are a shortest path from the first key to the last.
"""

import itertools

import numpy as np

from reference import sampling


def segment_error(times, values, levers, first, last):
    """The error of the segment between two keys; values (K, W) are rotations where W is 4."""
    rotates = values.shape[1] == 4
    ends = [first, last]
    worst = 0.0
    for key in range(first + 1, last):
        at = sampling.track_at(times[ends], values[ends], 1, int(rotates), times[key])
        if rotates:
            key_value = sampling.unit(values[key])
            chord = min(np.linalg.norm(at - key_value), np.linalg.norm(at + key_value))
            apart = 2 * chord * np.sqrt(max(1 - chord**2 / 4, 0.0))
        else:
            apart = np.linalg.norm(at - values[key])
        worst = max(worst, apart * levers[key])
    return worst


def segment_errors(times, values, levers):
    """The errors of all segments by (first, last)."""
    return {
        pair: segment_error(times, values, levers, *pair)
        for pair in itertools.combinations(range(len(times)), 2)
    }


def fewest(errors, count, bound):
    """The number of keys of the fewest segments within a bound, and the smallest sum of their errors."""
    best = [(0, 0.0)] + [(count, np.inf)] * (count - 1)
    for last in range(1, count):
        for first in range(last):
            if errors[first, last] <= bound:
                segments, total = best[first]
                best[last] = min(best[last], (segments + 1, total + errors[first, last]))
    return best[-1][0] + 1, best[-1][1]
