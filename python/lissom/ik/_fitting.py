# SPDX-License-Identifier: MIT
"""Axes, ranges and cones fitted to relative rotations of a joint: the smallest that hold all of them."""

from __future__ import annotations

import numpy as np

from lissom._base.vectors import perpendicular_axes
from lissom.ik._angles import Range
from lissom.ik._axes import Floats, Vector, three_numbers
from lissom.ik._joint_rotations import swing_and_twist

# Rotations by less than this are rounding of float32 keys and of the rest pose; radians.
STILL = 1e-4
_ITERATIONS = 200


def hinge_about(axis: Floats, relative: Floats, margin: float) -> tuple[Vector, float, float]:
    """Return axis, low and high of the hinge that holds the twists of `relative`, shape (N, 4)."""
    return three_numbers(axis), *enclosing_range(swing_and_twist(relative, axis)[1], margin)


def cone_about(axis: Floats, relative: Floats, margin: float) -> tuple[Range, Range, Vector, Vector]:
    """Return half angles, twist, axis and across of the smallest `SwingTwist`."""
    swing, twist = swing_and_twist(relative, axis)
    first, second = perpendicular_axes(axis)
    half, (x, y) = _enclosing_ellipse(np.stack([swing @ first, swing @ second], axis=-1))
    across = x * first + y * second
    one, other = (min(float(angle) + margin, np.pi) for angle in half)
    return (one, other), enclosing_range(twist, margin), three_numbers(axis), three_numbers(across)


def nearest_axis(relative: Floats) -> Floats | None:
    """Return the axis that rotations (N, 4) deviate from least, positive at the largest; None where still.

    The largest angle off the axis is minimized by iteratively reweighted least squares, weights growing where
    it is large (C. Lawson, 1961). The best axis of all iterations counts.
    """
    canonical = np.where(relative[:, 3:] < 0, -relative, relative)
    parts = canonical[:, :3]
    if 2 * np.arcsin(min(np.linalg.norm(parts, axis=1).max(), 1.0)) < STILL:
        return None
    weights = np.full(len(parts), 1.0 / len(parts))
    best, least = None, np.inf
    for _ in range(_ITERATIONS):
        axis = np.linalg.eigh((parts.T * weights) @ parts).eigenvectors[:, -1]
        # Of q = (v, w): the sine of half the swing is the part of v perpendicular to the axis.
        off = np.linalg.norm(parts - (parts @ axis)[:, None] * axis, axis=1)
        if off.max() < 0.999 * least:
            best, least = axis, off.max()
        if off.max() < 1e-9:
            break
        weights = weights * (off + 1e-3 * off.max())
        weights /= weights.sum()
    assert best is not None
    twist = swing_and_twist(relative, best)[1]
    return np.asarray(best if twist.max() >= -twist.min() else -best)


def enclosing_range(angles: Floats, margin: float) -> Range:
    """Return the smallest range of the circle that holds angles, its middle within [-pi, pi]."""
    ordered = np.sort(np.unique(angles))
    gaps = np.diff(np.append(ordered, ordered[0] + 2 * np.pi))
    widest = int(np.argmax(gaps))
    low = float(ordered[(widest + 1) % len(ordered)])
    high = low + 2 * np.pi - float(gaps[widest])
    whole_turns = 2 * np.pi * round((low + high) / (4 * np.pi))
    return low - whole_turns - margin, high - whole_turns + margin


def _enclosing_ellipse(points: Floats) -> tuple[tuple[float, float], Floats]:
    """Return half axes, and the direction of the first, of the smallest ellipse about 0 around points (N, 2).

    Weights are multiplied by each point's value p^T M^-1 p / 2 until M = sum w p p^T is the matrix of the
    ellipse p^T M^-1 p = 2 (D. Titterington's algorithm for D-optimal designs, 1976). A last scaling holds all
    points exactly.
    """
    flat = 1e-7  # radians: half width of an ellipse whose points are in a line
    held = np.concatenate([points, flat * np.eye(2)])
    weights = np.full(len(held), 1.0 / len(held))
    for _ in range(_ITERATIONS):
        moment = (held.T * weights) @ held
        lack = np.sum((held @ np.linalg.inv(moment)) * held, axis=1) / 2
        if lack.max() < 1 + 1e-6:
            break
        weights = weights * lack
    moment = (held.T * weights) @ held
    values, axes = np.linalg.eigh(moment)
    square = np.max(np.sum((held @ axes) ** 2 / values, axis=1))
    short, long = np.sqrt(values * square)
    return (float(long), float(short)), np.asarray(axes[:, 1])
