# SPDX-License-Identifier: MIT
"""The left shoe: its upper as an implicit shape, its sole as a loft along the foot with a clean rim.

Coordinates are those of the shoe: metres of the adult, origin on the ground a little before the ankle.
"""

from __future__ import annotations

import numpy as np

from lissom.samples._fields import Field, capsule, intersection, union
from lissom.samples._proportions import Proportions
from lissom.samples._rings import closed_tube
from lissom.samples._shell import Color, Floats, Shell

_SOLE_HEIGHT = 0.026
_WELT = 0.0065  # how far the sole stands out under the upper
_HEEL, _TOE = -0.0872, 0.1942  # ends of the sole along z
_AHEAD = 0.022  # of the ankle

SOLE_BACK, SOLE_FRONT = _HEEL + _AHEAD, _TOE + _AHEAD  # along z from the ankle joint


def shoe_origin(build: Proportions, ankle: Floats) -> Floats:
    """Model-space origin (3,) of the shoe under an ankle joint (3,)."""
    return np.array([ankle[0] + 0.003 * build.foot, 0.0, ankle[2] + _AHEAD * build.foot])


def upper_field() -> Field:
    """Shape the shoe without its sole."""

    def field(points: Floats) -> Floats:
        instep = capsule(points, (0.0, 0.095, -0.028), (0.003, 0.052, 0.070), 0.041, 0.036)
        shape = union(_last(points), instep, 0.03)
        shape = union(shape, capsule(points, (0.0, 0.05, -0.030), (0.0, 0.125, -0.026), 0.040, 0.040), 0.02)
        shape = intersection(shape, points[..., 1] - 0.112, 0.012)
        return intersection(shape, 0.010 - points[..., 1], 0.006)

    return field


def sole(name: str, color: Color) -> Shell:
    """Make the sole, from heel to toe."""
    # Stations crowd at both ends, where the outline bends back.
    stations = _HEEL + (_TOE - _HEEL) * (0.5 - 0.5 * np.cos(np.pi * (np.arange(17) + 0.8) / 17.6))
    left, right = _half_width(stations, 1.0), _half_width(stations, -1.0)
    rim = 0.005
    # Across the foot and up, from the middle of the underside round to the middle of the top.
    top = _SOLE_HEIGHT
    half = [(0.6, 0.0), (1.0, 0.0), (1.0, rim), (1.0, top - rim), (1.0, top)]
    section = [(0.0, 0.0), *half, (0.0, top), *((-across, height) for across, height in reversed(half))]
    rings = np.empty((len(stations), len(section), 3))
    for k, (across, height) in enumerate(section):
        inset = rim if height in (0.0, top) and abs(across) == 1.0 else 0.0
        width = np.where(across > 0.0, left, right)
        rings[:, k] = np.stack(
            [across * np.maximum(width - inset, 0.2 * width), np.full_like(stations, height), stations],
            axis=-1,
        )
    # A smaller ring before each end rounds it.
    tips = rings[[0, -1]]
    middle = tips.mean(axis=1, keepdims=True)
    tips = middle + (tips - middle) * np.array([0.7, 1.0 - 2.0 * rim / top, 1.0])
    tips[..., 2] += np.array([[-0.002], [0.002]])
    return closed_tube(name, color, np.concatenate([tips[:1], rings, tips[1:]]))


def _last(points: Floats) -> Floats:
    """Return the form the shoe is made over."""
    flat = points * np.array([1.0, 1.15, 1.0])
    heel = capsule(flat, (0.000, 0.040, -0.044), (0.005, 0.034, 0.090), 0.037, 0.046)
    return union(heel, capsule(flat, (0.005, 0.034, 0.090), (0.000, 0.030, 0.150), 0.046, 0.038), 0.02)


def _half_width(stations: Floats, side: float) -> Floats:
    """Distance (N,) from the middle line to the outline of the sole, found by halving an interval."""
    inside, outside = np.zeros_like(stations), np.full_like(stations, 0.08)
    for _ in range(24):
        middle = 0.5 * (inside + outside)
        probe = np.stack([side * middle, np.full_like(stations, 0.030), stations], axis=-1)
        within = _last(probe) < _WELT
        inside, outside = np.where(within, middle, inside), np.where(within, outside, middle)
    return np.maximum(inside, 0.004)
