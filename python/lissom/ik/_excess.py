# SPDX-License-Identifier: MIT
"""How far poses lie outside of limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import quat
from lissom._base.pose_batch import as_poses
from lissom._rig.skeleton import Joint, Skeleton
from lissom.ik._limb import Limb
from lissom.ik._limits import BallSocket, Hinge, Limit, SwingTwist

if TYPE_CHECKING:
    from collections.abc import Sequence

Floats = NDArray[np.float64]

_STEPS = 60  # of Newton at most: flat ellipses and points off their ends


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
        The joint that the bone leads to, where the limit's axis is that of the bone; the child with most
        joints below it if omitted.

    Returns
    -------
    ndarray of float64, shape (...)
        Radians, 0 within: the larger of how far swing and twist lie outside. What a hinge's joint turns off
        its axis counts as swing. Not-a-number passes through.

    Raises
    ------
    TypeError, ValueError
        If there is no such joint, a shape is wrong, or the limit does not tell its axis for this joint.

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
    return excess_of(limit, limb, turns_of("ik.excess", limb, poses))


def limb_at(function: str, skeleton: Skeleton, joint: Joint, child: Joint | None) -> Limb:
    """Give a joint between its parent and the child that its bone leads to."""
    if not isinstance(skeleton, Skeleton):
        raise TypeError(f"{function}: skeleton must be a Skeleton, got {type(skeleton).__name__}")
    index = skeleton.index(joint)
    below = main_child(skeleton, index) if child is None else skeleton.index(child)
    if child is not None and not (below != index and skeleton.is_in_hierarchy(below, index)):
        names = skeleton.names
        raise ValueError(f"{function}: child must hang below {names[index]!r}, got {names[below]!r}")
    return Limb(skeleton, index, int(skeleton.parents[index]), below)


def main_child(skeleton: Skeleton, joint: int) -> int:
    """Give the child with most joints below it, the first of several; -1 where there is none."""
    below = np.ones(len(skeleton), np.int64)
    for index in range(len(skeleton) - 1, 0, -1):
        if skeleton.parents[index] >= 0:
            below[skeleton.parents[index]] += below[index]
    children = np.flatnonzero(skeleton.parents == joint)
    return int(children[np.argmax(below[children])]) if len(children) else -1


def turns_of(function: str, limb: Limb, poses: ArrayLike) -> Floats:
    """Give what limits bound, d of ``q = rest * d``, shape (..., 4), unit."""
    array = as_poses(poses, f"{function}: poses")
    count = len(limb.skeleton)
    if array.shape[-2] != count:
        raise ValueError(
            f"{function}: poses must have the {count} joints of the skeleton, got {array.shape[-2]}"
        )
    rotations = array[..., limb.joint, 3:7].astype(np.float64)
    if np.isfinite(rotations).all() and not rotations.any(axis=-1).all():
        raise ValueError(f"{function}: poses must hold a rotation of {limb.name!r}, got zero")
    return np.asarray(quat.normalize(quat.multiply(quat.conjugate(limb.rotation), rotations)))


def swing_and_twist(turns: Floats, axis: Floats) -> tuple[Floats, Floats]:
    """Give the swing as a rotation vector, shape (..., 3), and the angle of the twist, in [-pi, pi]."""
    swing, twist = quat.swing_twist(turns, axis)
    return quat.to_rotation_vector(swing), 2 * np.arctan2(twist[..., :3] @ axis, twist[..., 3])


def excess_of(limit: Limit, limb: Limb, turns: Floats) -> Floats:
    """Give how far `turns` of a joint, shape (..., 4), lie outside of its limit, radians."""
    resolved = limit._resolve(limb)
    if isinstance(resolved, Hinge):
        assert resolved.axis is not None
        swing, twist = swing_and_twist(turns, np.array(resolved.axis))
        off = np.linalg.norm(swing, axis=-1)
        return np.asarray(np.maximum(off, beyond(twist, (resolved.low, resolved.high))))
    if isinstance(resolved, BallSocket):
        swing, twist = swing_and_twist(turns, limb.direction("ik.excess"))
        over = np.linalg.norm(swing, axis=-1) - min(resolved.half_angle, np.pi)
    else:
        axis, across = np.array(resolved.axis), np.array(resolved.across)
        swing, twist = swing_and_twist(turns, axis)
        over = _outside(swing @ across, swing @ np.cross(axis, across), resolved.half_angles)
    return np.asarray(np.maximum(np.maximum(over, 0), beyond(twist, resolved.twist)))


def beyond(angle: Floats, bounds: tuple[float, float] | None) -> Floats | float:
    """Give how far an angle lies outside of bounds, round the circle."""
    if bounds is None:
        return 0.0
    low, high = bounds
    away = np.abs(np.remainder(angle - (low + high) / 2 + np.pi, 2 * np.pi) - np.pi)
    return np.asarray(np.maximum(away - (high - low) / 2, 0))


def _outside(x: Floats, y: Floats, half_angles: Sequence[float]) -> Floats:
    """Give the distance of points to an ellipse with these half axes, 0 within.

    With a >= b the nearest point is (a u, b v), u = a x / (s + a^2 - b^2) and v = b y / s, of one s > 0
    (D. Eberly, "Distance from a Point to an Ellipse", 2013), which Newton's steps on 1 / |(u, v)| rise to.
    """
    a, b = (min(angle, np.pi) for angle in half_angles)
    if a < b:
        a, b, x, y = b, a, y, x
    x, y = np.abs(x), np.abs(y)
    if b < 1e-9:  # a line
        return np.asarray(np.hypot(np.maximum(x - a, 0), y))
    difference = (a - b) * (a + b)
    with np.errstate(divide="ignore", invalid="ignore"):
        s = np.maximum(b * y, a * x - difference)
        for _ in range(_STEPS):
            u, v = a * x / (s + difference), b * y / s
            square = u * u + v * v
            step = (np.sqrt(square) - 1) * square / (u * u / (s + difference) + v * v / s)
            s = s + np.where(step > 0, step, 0)
        u, v = a * x / (s + difference), b * y / s
        distance = np.hypot(x - a * u, y - b * v)
        inside = (x / a) ** 2 + (y / b) ** 2 <= 1
    return np.where(inside, 0.0, distance)
