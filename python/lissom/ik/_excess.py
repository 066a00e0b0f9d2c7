# SPDX-License-Identifier: MIT
"""How far poses lie outside of limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.vectors import lengths
from lissom.ik._axes import Floats
from lissom.ik._joint_rotations import relative_rotations, swing_and_twist
from lissom.ik._limb import Limb, limb_at
from lissom.ik._limits import BallSocket, Hinge, Limit, SwingTwist

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lissom._rig.skeleton import Skeleton
    from lissom._rig.skeleton_arrays import Joint

_NEWTON_STEPS = 60  # at most: flat ellipses, and points beyond their ends, need most


def excess(
    limit: Limit, skeleton: Skeleton, joint: Joint, poses: ArrayLike, *, child: Joint | None = None
) -> NDArray[Any]:
    """Measure how far a joint lies outside of its limit.

    Parameters
    ----------
    limit : BallSocket, Hinge or SwingTwist
    skeleton : Skeleton
    joint : str or int
        The joint that the limit is for.
    poses : array_like of float, shape (..., J, 10)
        Local trs.
    child : str or int, optional
        The joint at the other end of the bone, where the limit's axis is that of the bone; the child with
        most descendants if omitted.

    Returns
    -------
    ndarray of float64, shape (...)
        Radians, 0 within: the larger of how far swing and twist lie outside. Rotation of a hinge off its axis
        counts as swing. NaN passes through.

    Raises
    ------
    TypeError, ValueError
        If there is no such joint, a shape is wrong, or the limit determines no axis for this joint.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> knee = lissom.ik.Hinge.from_rest(0.0, 0.5, zero="straight")
    >>> walk = hero.clips["walk"].sample(np.linspace(0, 1, 60))
    >>> over = lissom.ik.excess(knee, hero.skeleton, "LowerLeg.L", walk)
    >>> print(f"{np.degrees(over.max()):.0f} degrees past it")
    32 degrees past it
    """
    if not isinstance(limit, (BallSocket, Hinge, SwingTwist)):
        raise TypeError(
            f"ik.excess: limit must be BallSocket, Hinge or SwingTwist, got {type(limit).__name__}"
        )
    limb = limb_at("ik.excess", skeleton, joint, child)
    return excess_of("ik.excess", limit, limb, relative_rotations("ik.excess", limb, poses))


def excess_of(function: str, limit: Limit, limb: Limb, relative: Floats) -> Floats:
    """Return how far relative rotations of a joint, shape (..., 4), lie outside of its limit, radians."""
    resolved = limit._resolve(limb, function)
    if isinstance(resolved, BallSocket):
        swing, twist = swing_and_twist(relative, limb.direction(function))
        over = lengths(swing) - min(resolved.half_angle, np.pi)
        return np.asarray(np.maximum(np.maximum(over, 0), _outside_range(twist, resolved.twist)))
    assert resolved.axis is not None
    return excess_about(resolved, *swing_and_twist(relative, np.array(resolved.axis)))


def excess_about(limit: Hinge | SwingTwist, swing: Floats, twist: Floats) -> Floats:
    """Return the excess of rotations by their swing (..., 3) and twist (...) about the limit's own axis."""
    if isinstance(limit, Hinge):
        off = lengths(swing)
        return np.asarray(np.maximum(off, _outside_range(twist, (limit.low, limit.high))))
    axis, across = np.array(limit.axis), np.array(limit.across)
    over = _outside_ellipse(swing @ across, swing @ np.cross(axis, across), limit.half_angles)
    return np.asarray(np.maximum(np.maximum(over, 0), _outside_range(twist, limit.twist)))


def _outside_range(angle: Floats, bounds: tuple[float, float] | None) -> Floats | float:
    """Return how far angles lie outside of a range of the circle; 0 without one."""
    if bounds is None:
        return 0.0
    low, high = bounds
    from_middle = np.abs(np.remainder(angle - (low + high) / 2 + np.pi, 2 * np.pi) - np.pi)
    return np.asarray(np.maximum(from_middle - (high - low) / 2, 0))


def _outside_ellipse(x: Floats, y: Floats, half_angles: Sequence[float]) -> Floats:
    """Return the distance of points to an ellipse with these half axes, 0 within.

    With a >= b the nearest point is (a u, b v), u = a x / (s + a^2 - b^2) and v = b y / s, for one s > 0
    (D. Eberly, "Distance from a Point to an Ellipse", 2013). Newton's method on 1 / |(u, v)| approaches it
    from below.
    """
    a, b = (min(angle, np.pi) for angle in half_angles)
    if a < b:
        a, b, x, y = b, a, y, x
    x, y = np.abs(np.asarray(x)), np.abs(np.asarray(y))
    if b < 1e-9:  # a line
        return np.asarray(np.hypot(np.maximum(x - a, 0), y))
    inside = (x / a) ** 2 + (y / b) ** 2 <= 1
    result = np.zeros(inside.shape)
    if inside.all():
        return result
    x, y = x[~inside], y[~inside]  # NaN, too
    difference = (a - b) * (a + b)
    with np.errstate(divide="ignore", invalid="ignore"):
        s = np.maximum(b * y, a * x - difference)
        for _ in range(_NEWTON_STEPS):
            u, v = a * x / (s + difference), b * y / s
            square = u * u + v * v
            step = (np.sqrt(square) - 1) * square / (u * u / (s + difference) + v * v / s)
            s = s + np.where(step > 0, step, 0)
        u, v = a * x / (s + difference), b * y / s
        result[~inside] = np.hypot(x - a * u, y - b * v)
    return result
