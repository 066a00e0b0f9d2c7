# SPDX-License-Identifier: MIT
"""Axes, ranges and cones fitted to relative rotations of a joint: the smallest that hold all of them."""

from __future__ import annotations

import numpy as np

from lissom import _core
from lissom._base.vectors import perpendicular_axes
from lissom.ik._angles import Range
from lissom.ik._axes import Floats, Vector, three_numbers

# Rotations by less than this are rounding of float32 keys and of the rest pose; radians.
STILL = 1e-4


def hinge_about(axis: Floats, twist: Floats, margin: float) -> tuple[Vector, float, float]:
    """Return axis, low and high of the hinge that holds angles about its axis, shape (N,)."""
    return three_numbers(axis), *enclosing_range(twist, margin)


def cone_about(
    axis: Floats, swing: Floats, twist: Floats, margin: float
) -> tuple[Range, Range, Vector, Vector]:
    """Return half angles, twist, axis and across of the smallest `SwingTwist`.

    `swing` (N, 3) and `twist` (N,) are those of `swing_and_twist` about the axis.
    """
    first, second = perpendicular_axes(axis)
    half, (x, y) = _enclosing_ellipse(np.stack([swing @ first, swing @ second], axis=-1))
    across = x * first + y * second
    one, other = (min(float(angle) + margin, np.pi) for angle in half)
    return (one, other), enclosing_range(twist, margin), three_numbers(axis), three_numbers(across)


def nearest_axis(relative: Floats) -> Floats | None:
    """Return the axis that rotations (N, 4) deviate from least, in either direction; None where still."""
    # Of q = (v, w): the sine of half the swing is the part of v perpendicular to the axis.
    parts = np.ascontiguousarray(relative[:, :3], np.float64)
    if 2 * np.arcsin(min(float(np.sqrt(np.einsum("ij,ij->i", parts, parts).max())), 1.0)) < STILL:
        return None
    return np.array(_core.nearest_axis(parts))


def positive_at_largest(axis: Floats, twist: Floats) -> tuple[Floats, Floats]:
    """Return an axis and angles about it, (N,), both turned round where the largest angle is negative."""
    return (axis, twist) if twist.max() >= -twist.min() else (-axis, -twist)


def enclosing_range(angles: Floats, margin: float) -> Range:
    """Return the smallest range of the circle that holds angles, its middle within [-pi, pi]."""
    least, most = angles.min(), angles.max()
    # What is left of the circle is the widest gap where the angles take less than half of it.
    ordered = np.array([least, most]) if most - least < np.pi else np.sort(angles, axis=None)
    gaps = np.diff(np.append(ordered, ordered[0] + 2 * np.pi))
    widest = int(np.argmax(gaps))
    low = float(ordered[(widest + 1) % len(ordered)])
    high = low + 2 * np.pi - float(gaps[widest])
    whole_turns = 2 * np.pi * round((low + high) / (4 * np.pi))
    return low - whole_turns - margin, high - whole_turns + margin


def _enclosing_ellipse(points: Floats) -> tuple[tuple[float, float], Floats]:
    """Return half axes, and the direction of the first, of the smallest ellipse about 0 around points (N, 2).

    A last scaling holds all points exactly.
    """
    flat = 1e-7  # radians: half width of an ellipse whose points are in a line
    held = np.concatenate([points, flat * np.eye(2)])
    xx, xy, yy = _core.enclosing_ellipse(held)
    values, axes = np.linalg.eigh(np.array([[xx, xy], [xy, yy]]))
    square = ((held @ axes) ** 2 @ (1 / values)).max()
    short, long = np.sqrt(values * square)
    return (float(long), float(short)), np.asarray(axes[:, 1])
