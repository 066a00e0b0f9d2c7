# SPDX-License-Identifier: MIT
"""Peaks of a distance between the moments at which it was measured: curves whose peaks are known."""

import numpy as np
import pytest

from lissom._bake.peaks import ROUNDS, expected_peaks

SUBFRAMES = np.array([0, 0.25, 0.5, 0.75, 1])
HELD = 2.5e-3  # part of the peak that may remain: half of what bakes promise


def found_peak(curve, interval=3):
    """The largest value seen after all rounds, of a curve over s from 0 to 1 in one of several intervals."""
    coordinates = np.unique(np.arange(6)[:, None] + SUBFRAMES)

    def measured(places):
        return np.where(np.abs(places - interval - 0.5) <= 0.5, curve(places - interval), 0.1)

    distances = measured(coordinates)
    added = 0
    for _ in range(ROUNDS):
        places = expected_peaks(coordinates, distances, distances.max())
        coordinates = np.append(coordinates, places)
        order = np.argsort(coordinates)
        coordinates, distances = coordinates[order], np.append(distances, measured(places))[order]
        added += len(places)
    return distances.max(), added


@pytest.mark.parametrize(
    "curve",
    [
        lambda s: 2 * s * s * (1 - s),
        lambda s: s * (1 - s) * (1 - 0.7 * s),
        lambda s: 20 * np.abs(s * (1 - s) * (s - 0.5)),  # two peaks, at 1/2 +- sqrt(1/12)
        lambda s: 20 * np.abs(s * (1 - s) * (s - 0.48)),
        lambda s: 0.5 - 0.4 * s + 1.4 * s * (1 - s),  # rounding at frames, and what the rate costs
        lambda s: np.sin(np.pi * s) + 0.3 * np.sin(3 * np.pi * s + 1),
    ],
)
def test_peaks_are_found(curve):
    s = np.linspace(0, 1, 100_001)
    peak = curve(s).max()
    assert curve(SUBFRAMES).max() < (1 - 2 * HELD) * peak  # missed by quarters
    found, added = found_peak(curve)
    assert (1 - HELD) * peak <= found <= peak * (1 + 1e-9)
    assert added <= 12


def test_an_even_curve_costs_nothing():
    assert found_peak(lambda s: s * (1 - s))[1] == 0
    assert found_peak(lambda s: 0.5 - 0.1 * s)[1] == 0


def test_no_peak_is_looked_for_across_a_frame_or_where_the_source_jumps():
    """At a frame the curve has a corner, and three moments around it say nothing."""
    coordinates = np.array([0, 0.9, 1.1, 2])
    assert not len(expected_peaks(coordinates, np.array([0, 1, 1.1, 0]), 1.1))
    quarters = np.arange(9) / 4
    distances = np.array([0, -np.inf, -np.inf, -np.inf, 0.5, 0.4, 0.3, 0.2, 0.1])
    assert not len(expected_peaks(quarters, distances, 0.5))
    assert not len(expected_peaks(np.zeros(1), np.ones(1), 1.0))


def test_few_are_looked_at_and_the_highest_first():
    """Of a hundred intervals with the same curve, each a little higher than the last, the last few."""
    quarters = np.arange(401) / 4
    s = quarters % 1
    distances = s * s * (1 - s) * (1 + np.floor(quarters) * 1e-3)
    places = expected_peaks(quarters, distances, distances.max())
    assert 1 <= len(places) <= 12
    assert places.min() > 90
