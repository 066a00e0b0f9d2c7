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
# Points whose weights are below this part of the largest no longer count; they are left out now and then.
_NEGLIGIBLE = 1e-15
_PRUNED_EVERY = 8
# Squares of distances from an axis below this part of the squares of the vectors cancel to a few digits.
_CANCELS = 1e-8


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
    products = _products(parts)
    scale = float(products[:, :3].max())
    best, least = None, np.inf
    for iteration in range(_ITERATIONS):
        axis = np.linalg.eigh(_symmetric(weights @ products)).eigenvectors[:, -1]
        # Of q = (v, w): the sine of half the swing is the part of v perpendicular to the axis.
        off = _off_axis(parts, products, scale, axis)
        largest = off.max()
        if largest < 0.999 * least:
            best, least = axis, largest
        if largest < 1e-9:
            break
        weights = weights * (off + 1e-3 * largest)
        weights /= weights.sum()
        if iteration % _PRUNED_EVERY == 0:
            kept = weights > _NEGLIGIBLE * weights.max()
            if 4 * np.count_nonzero(kept) < 3 * len(kept):
                parts, products, weights = parts[kept], products[kept], weights[kept]
    assert best is not None
    twist = swing_and_twist(relative, best)[1]
    return np.asarray(best if twist.max() >= -twist.min() else -best)


def _products(vectors: Floats) -> Floats:
    """Return the products of the components of vectors (N, 3): xx, yy, zz, xy, xz, yz."""
    x, y, z = vectors.T
    return np.stack([x * x, y * y, z * z, x * y, x * z, y * z], axis=-1)


def _symmetric(products: Floats) -> Floats:
    """Return the matrix of six sums of products."""
    xx, yy, zz, xy, xz, yz = products.tolist()
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _off_axis(vectors: Floats, products: Floats, scale: float, axis: Floats) -> Floats:
    """Return the distances of vectors (N, 3) from a line through the origin; `scale` is of their squares."""
    x, y, z = axis.tolist()
    squares = products @ np.array([1 - x * x, 1 - y * y, 1 - z * z, -2 * x * y, -2 * x * z, -2 * y * z])
    if squares.max() > _CANCELS * scale:
        return np.asarray(np.sqrt(np.maximum(squares, 0)))
    return np.asarray(np.linalg.norm(vectors - (vectors @ axis)[:, None] * axis, axis=1))


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
    products = np.stack([held[:, 0] ** 2, held[:, 0] * held[:, 1], held[:, 1] ** 2], axis=-1)
    for _ in range(_ITERATIONS):
        xx, xy, yy = weights @ products
        lack = products @ np.array([yy, -2 * xy, xx]) / (2 * (xx * yy - xy * xy))
        if lack.max() < 1 + 1e-6:
            break
        weights = weights * lack
    moment = (held.T * weights) @ held
    values, axes = np.linalg.eigh(moment)
    square = np.max(np.sum((held @ axes) ** 2 / values, axis=1))
    short, long = np.sqrt(values * square)
    return (float(long), float(short)), np.asarray(axes[:, 1])
