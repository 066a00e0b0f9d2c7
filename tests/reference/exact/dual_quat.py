# SPDX-License-Identifier: MIT
"""Dual quaternions: real x, y, z, w, then dual x, y, z, w. Powers go by the screw (Daniilidis 1999)."""

from reference.exact import quat
from reference.exact.numbers import cross, dot, minus, mp, norm, plus, times

IDENTITY = [*quat.IDENTITY, *[mp.mpf(0)] * 4]


def multiply(a, b):
    real = quat.multiply(a[:4], b[:4])
    return [*real, *plus(quat.multiply(a[:4], b[4:]), quat.multiply(a[4:], b[:4]))]


def conjugate(q):
    """Both parts' quaternion conjugate: the inverse of a unit."""
    return [*quat.conjugate(q[:4]), *quat.conjugate(q[4:])]


def dual_conjugate(q):
    return [*q[:4], *quat.negated(q[4:])]


def combined_conjugate(q):
    return conjugate(dual_conjugate(q))


def negated(q):
    return [-component for component in q]


def inverse(q):
    """real^-1 - eps real^-1 dual real^-1, for eps^2 = 0."""
    real = quat.inverse(q[:4])
    return [*real, *quat.negated(quat.multiply(quat.multiply(real, q[4:]), real))]


def normalize(q):
    """q / sqrt(q q*), and sqrt(q q*) = |real| + eps <real, dual> / |real| (Kavan et al. 2008)."""
    length = norm(q[:4])
    part = dot(q[:4], q[4:]) / length**3
    return [*times(1 / length, q[:4]), *minus(times(1 / length, q[4:]), times(part, q[:4]))]


def from_quat_translation(rotation, translation):
    """real = r, dual = 1/2 (t, 0) r."""
    half = times(mp.mpf(1) / 2, translation)
    return [*rotation, *quat.multiply([*half, mp.mpf(0)], rotation)]


def translation(q):
    """2 dual real^-1."""
    return times(2, quat.multiply(q[4:], quat.inverse(q[:4])))[:3]


def transform_point(q, p):
    return plus(quat.rotate(q[:4], p), translation(q))


def transform_vector(q, v):
    return quat.rotate(q[:4], v)


def to_matrix(q):
    rows = quat.to_matrix(q[:4])
    return [
        *([*row, t] for row, t in zip(rows, translation(q), strict=True)),
        list(quat.IDENTITY),
    ]


def from_matrix(m):
    return from_quat_translation(quat.from_matrix(m), [row[3] for row in m[:3]])


def to_screw(q):
    """Axis, moment (point x axis), angle, and the length moved along the axis.

    Of q as it is: the angle is in [0, 2 pi], above pi where real w < 0. Without rotation the axis lies along
    the translation, and without that along x; then the moment is 0.
    """
    q = normalize(q)
    half_angle = mp.atan2(norm(q[:3]), q[3])
    t = translation(q)
    if not any(q[:3]):
        pitch = norm(t)
        axis = times(1 / pitch, t) if pitch else [mp.mpf(1), mp.mpf(0), mp.mpf(0)]
        # real = -1 turns by 2 pi about whatever axis; this one moves along it.
        return axis, [mp.mpf(0)] * 3, 2 * half_angle, pitch
    axis = times(1 / norm(q[:3]), q[:3])
    pitch = dot(t, axis)
    # The axis passes through c = (t - pitch axis + cot(angle/2) axis x t) / 2; its moment is c x axis.
    across = minus(t, times(pitch, axis))
    moment = times(mp.mpf(1) / 2, plus(cross(t, axis), times(mp.cot(half_angle), across)))
    return axis, moment, 2 * half_angle, pitch


def short_screw(q):
    """The screw of the transform, whatever the sign of q: angle in [0, pi]."""
    return to_screw(negated(q) if q[3] < 0 else q)


def from_screw(axis, moment, angle, pitch):
    """cos(z/2) + (axis + eps moment) sin(z/2) of the dual angle z = angle + eps pitch (McCarthy 1990)."""
    sine, cosine = mp.sin(angle / 2), mp.cos(angle / 2)
    dual = plus(times(sine, moment), times(pitch / 2 * cosine, axis))
    return [*times(sine, axis), cosine, *dual, -pitch / 2 * sine]


def log(q):
    """Half of (axis + eps moment) (angle + eps pitch)."""
    axis, moment, angle, pitch = to_screw(q)
    half = mp.mpf(1) / 2
    dual = times(half, plus(times(angle, moment), times(pitch, axis)))
    return [*times(angle * half, axis), mp.mpf(0), *dual, mp.mpf(0)]


def exp(q):
    """Of a pure dual quaternion, both w 0: the screw with that log."""
    half_angle = norm(q[:3])
    if not half_angle:
        return [*quat.IDENTITY, *q[4:7], mp.mpf(0)]
    axis = times(1 / half_angle, q[:3])
    half_along = dot(q[4:7], axis)
    moment = times(1 / half_angle, minus(q[4:7], times(half_along, axis)))
    return from_screw(axis, moment, 2 * half_angle, 2 * half_along)


def power(q, t):
    axis, moment, angle, pitch = to_screw(q)
    return from_screw(axis, moment, t * angle, t * pitch)


def sclerp(a, b, t, short=True):
    """a (a^-1 b)^t: from a to b along one screw at constant speed; short: the nearer of b and -b."""
    a, b = normalize(a), normalize(b)
    if short and dot(a[:4], b[:4]) < 0:
        b = negated(b)
    return multiply(a, power(multiply(conjugate(a), b), t))


def dlb(q, weights, pivot=None):
    """The normalised sum of w s q, s = -1 for what lies opposite to the pivot (Kavan et al. 2008).

    The pivot is the item of the largest weight, of several the first.
    """
    items = [normalize(item) for item in q]
    if pivot is None:
        pivot = max(range(len(items)), key=lambda i: weights[i])
    total = [mp.mpf(0)] * 8
    for item, weight in zip(items, weights, strict=True):
        sign = -1 if dot(item[:4], items[pivot][:4]) < 0 else 1
        total = plus(total, times(sign * weight, item))
    return normalize(total)
