# SPDX-License-Identifier: MIT
"""Limits of joints in plain float64 NumPy: how far a rotation lies outside, and the closest one within.

A limit bounds d of ``q = rest * d``: the turn away from rest, in the joint's own axes. It is taken apart as
``d = swing * twist``, the twist about the limit's axis, so that the swing alone says where that axis goes.

Sources: van den Bergen, "Rotational Joint Limits in Quaternion Space", Game Engine Gems 3 (2016), for the
parts and what is singular; Eberly, "Distance from a Point to an Ellipse" (2013), for the
root that is bisected.
"""

from dataclasses import dataclass

import numpy as np

from reference import quat

STEPS = 70  # of bisection: past the last bit of float64
HALF_TURN = 1e-12  # what is left of a quaternion where a swing of half a turn leaves no twist


@dataclass(frozen=True)
class Ball:
    """A round cone about `axis` (3,), and where `twist` is (low, high), bounds of the turn about it."""

    axis: tuple
    half_angle: float
    twist: tuple | None = None


@dataclass(frozen=True)
class Hinge:
    """Turns about `axis` (3,) by `low` to `high`, and no others."""

    axis: tuple
    low: float
    high: float


@dataclass(frozen=True)
class Ellipse:
    """An elliptic cone about `axis`: swings about `first` by up to half_angles[0], about axis x first by [1].

    `first` is perpendicular to `axis`. The swing's rotation vector lies in the plane across `axis`, and
    there within the ellipse of these half axes; half a turn is the most of a swing.
    """

    axis: tuple
    first: tuple
    half_angles: tuple
    twist: tuple | None = None


def unit(v):
    return np.asarray(v, np.float64) / np.linalg.norm(v)


def swing_and_twist(d, axis):
    """The parts of ``d = swing * twist``, both with w >= 0; no twist where the swing is half a turn."""
    d, axis = quat.normalize(d), unit(axis)
    d = np.where(d[..., 3:] < 0, -d, d)
    twist = np.concatenate([np.sum(d[..., :3] * axis, -1, keepdims=True) * axis, d[..., 3:]], -1)
    size = np.linalg.norm(twist, axis=-1, keepdims=True)
    twist = np.where(size < HALF_TURN, [0, 0, 0, 1], twist / np.where(size < HALF_TURN, 1, size))
    return quat.multiply(d, quat.conjugate(twist)), twist


def twist_angle(twist, axis):
    """In [-pi, pi]."""
    return 2 * np.arctan2(np.sum(twist[..., :3] * unit(axis), -1), twist[..., 3])


def rotation_vector(q):
    """Axis times angle, the angle in [0, pi]."""
    q = np.where(q[..., 3:] < 0, -q, q)
    sine = np.linalg.norm(q[..., :3], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(sine, q[..., 3:])
    return q[..., :3] * np.where(sine < 1e-150, 2, angle / np.where(sine < 1e-150, 1, sine))


def from_rotation_vector(v):
    """``[v sin(a / 2) / a, cos(a / 2)]`` for a = \\|v\\|."""
    v = np.asarray(v, np.float64)
    angle = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.concatenate([v * np.sinc(angle / 2 / np.pi) / 2, np.cos(angle / 2)], -1)


def axes(limit):
    """The axis of the twist and two across it, the way they are named."""
    axis = unit(limit.axis)
    first = unit(limit.first) if isinstance(limit, Ellipse) else unit(np.eye(3)[np.argmin(np.abs(axis))])
    first = unit(first - (first @ axis) * axis)
    return axis, first, np.cross(axis, first)


def half_axes(limit):
    return np.minimum(np.asarray(limit.half_angles, np.float64), np.pi)


def twist_room(angle, bounds):
    """How far an angle lies inside bounds, round the circle: negative outside."""
    if bounds is None:
        return np.full(np.shape(angle), np.inf)
    low, high = bounds
    away = np.abs(np.remainder(angle - (low + high) / 2 + np.pi, 2 * np.pi) - np.pi)
    room = (high - low) / 2 - away
    return np.where((high - low) / 2 >= np.pi, np.inf, room)


def closest_twist(angle, bounds):
    """The angle, or the nearer of two bounds round the circle."""
    if bounds is None:
        return angle
    low, high = bounds
    to_low, to_high = (np.abs(np.remainder(angle - x + np.pi, 2 * np.pi) - np.pi) for x in bounds)
    return np.where(twist_room(angle, bounds) >= 0, angle, np.where(to_low <= to_high, low, high))


def closest_on_ellipse(p, half):
    """The point nearest to p (..., 2) on the rim of an ellipse of half axes (2,) along x and y.

    By symmetry p in the first quadrant, h1 >= h2 by exchange. The nearest point is
    x = h^2 p / (t + h^2), on the rim where sum (h p / (t + h^2))^2 = 1; that falls with t > -h2^2.
    """
    p, half = np.asarray(p, np.float64), np.asarray(half, np.float64)
    if half[0] < half[1]:
        return closest_on_ellipse(p[..., ::-1], half[::-1])[..., ::-1]
    sign = np.where(p < 0, -1.0, 1.0)
    p = np.abs(p)
    if half[1] == 0:  # flat: a line from -h1 to h1
        return sign * np.stack([np.minimum(p[..., 0], half[0]), np.zeros(p.shape[:-1])], -1)
    low = half[1] * p[..., 1] - half[1] ** 2  # the second term alone is 1 here: the sum is no less
    high = np.linalg.norm(half * p, axis=-1) - half[1] ** 2  # and here no more
    (a, b), (u, v) = half**2, np.moveaxis(half * p, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(STEPS):
            t = (low + high) / 2
            is_past = (u / (t + a)) ** 2 + (v / (t + b)) ** 2 > 1
            low, high = np.where(is_past, t, low), np.where(is_past, high, t)
        x = half**2 * p / (((low + high) / 2)[..., None] + half**2)
    # On the long axis within the evolute t stays at -h2^2: the foot is where the rim lies above that x.
    on_axis = p[..., 1] <= 1e-14 * half[1]
    spread = half[0] ** 2 - half[1] ** 2
    # A circle is without one, and all its rim is as near to the middle.
    inside = on_axis & (half[0] * p[..., 0] < spread if spread > 0 else p[..., 0] == 0)
    foot = half[0] ** 2 * p[..., 0] / spread if spread > 0 else p[..., 0]
    over = half[1] * np.sqrt(np.clip(1 - (foot / half[0]) ** 2, 0, 1))
    return sign * np.where(inside[..., None], np.stack([foot, over], -1), x)


def parts(limit, d):
    """Room for the swing and room for the twist, in radians: how far d is inside, negative outside.

    A hinge has no room to swing: there it is minus the angle off the axis. Infinite where nothing bounds.
    """
    axis, first, second = axes(limit)
    swing, twist = swing_and_twist(d, axis)
    vector = rotation_vector(swing)
    angle = np.linalg.norm(vector, axis=-1)
    turn = twist_angle(twist, axis)
    if isinstance(limit, Hinge):
        return -angle, twist_room(turn, (limit.low, limit.high))
    if isinstance(limit, Ball):
        cone = np.inf if limit.half_angle >= np.pi else limit.half_angle
        return cone - angle, twist_room(turn, limit.twist)
    plane = np.stack([vector @ first, vector @ second], -1)
    half = half_axes(limit)
    rim = closest_on_ellipse(plane, half)
    distance = np.linalg.norm(plane - rim, axis=-1)
    if np.all(half > 0):
        inside = np.sum((plane / half) ** 2, -1) <= 1
        return np.where(inside, distance, -distance), twist_room(turn, limit.twist)
    return -distance, twist_room(turn, limit.twist)


def excess(limit, d):
    """How far d (..., 4) lies outside of the limit, in radians; 0 within."""
    return np.maximum(0, -np.minimum(*parts(limit, d)))


def room(limit, d):
    """How far d can go before a bound is met, in radians; a hinge's own swing does not count."""
    swing, twist = parts(limit, d)
    return twist if isinstance(limit, Hinge) else np.minimum(swing, twist)


def clamp(limit, d):
    """The closest allowed turn: the closest swing times the closest twist."""
    axis, first, second = axes(limit)
    swing, twist = swing_and_twist(d, axis)
    vector, turn = rotation_vector(swing), twist_angle(twist, axis)
    bounds = (limit.low, limit.high) if isinstance(limit, Hinge) else limit.twist
    if isinstance(limit, Hinge):
        vector = np.zeros_like(vector)
    elif isinstance(limit, Ball):
        angle = np.linalg.norm(vector, axis=-1, keepdims=True)
        vector = vector * np.minimum(1, limit.half_angle / np.where(angle > 0, angle, 1))
    else:
        plane = np.stack([vector @ first, vector @ second], -1)
        outside = parts(limit, d)[0] < 0
        plane = np.where(outside[..., None], closest_on_ellipse(plane, half_axes(limit)), plane)
        vector = plane[..., :1] * first + plane[..., 1:] * second
    new_twist = from_rotation_vector(closest_twist(turn, bounds)[..., None] * axis)
    return quat.multiply(from_rotation_vector(vector), new_twist)


def random_within(limit, rng, count, fill=1.0):
    """Turns (count, 4) that the limit allows, from all over it; `fill` below 1 keeps off its bounds."""
    axis, first, second = axes(limit)
    bounds = (limit.low, limit.high) if isinstance(limit, Hinge) else (limit.twist or (-np.pi, np.pi))
    middle, half = (bounds[0] + bounds[1]) / 2, (bounds[1] - bounds[0]) / 2
    twist = from_rotation_vector((middle + fill * half * rng.uniform(-1, 1, count))[:, None] * axis)
    if isinstance(limit, Hinge):
        return twist
    radius, way = np.sqrt(rng.uniform(0, 1, count)) * fill, rng.uniform(0, 2 * np.pi, count)
    a, b = (min(limit.half_angle, np.pi),) * 2 if isinstance(limit, Ball) else half_axes(limit)
    plane = radius[:, None] * np.stack([a * np.cos(way), b * np.sin(way)], -1)
    return quat.multiply(from_rotation_vector(plane[:, :1] * first + plane[:, 1:] * second), twist)


def nearest_axis(points, steps=200):
    """The axis through 0 whose largest distance from points (N, 3) is least, by Lawson's algorithm."""
    weights, least, best = np.full(len(points), 1 / len(points)), np.inf, None
    for _ in range(steps):
        axis = np.linalg.eigh((points.T * weights) @ points).eigenvectors[:, -1]
        off = np.linalg.norm(np.cross(points, axis), axis=1)
        if off.max() < 0.999 * least:
            best, least = axis, off.max()
        if off.max() < 1e-9:
            break
        weights = weights * (off + 1e-3 * off.max())
        weights /= weights.sum()
    return best


def enclosing_ellipse(points, steps=200):
    """M of the smallest ellipse p^T M^-1 p = 2 about 0 around points (N, 2), by Titterington's algorithm."""
    weights = np.full(len(points), 1 / len(points))
    moment = (points.T * weights) @ points
    for _ in range(steps):
        lack = np.einsum("ni,ij,nj->n", points, np.linalg.inv(moment), points) / 2
        if lack.max() < 1 + 1e-6:
            break
        weights = weights * lack
        moment = (points.T * weights) @ points
    return moment
