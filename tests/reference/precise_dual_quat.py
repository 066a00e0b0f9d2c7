# SPDX-License-Identifier: MIT
"""Dual quaternions in 50 digits: lists of eight mpmath numbers, real x, y, z, w, then dual.

Logarithms and powers go by the screw (Daniilidis 1999): angle, axis, moment and pitch, without any series.
Input is made exactly unit first, as rounded numbers are not.
"""

import mpmath

mp = mpmath.mp.clone()  # a precision of our own
mp.dps = 50
mpf, pi, sqrt, sin, cos, atan2 = mp.mpf, +mp.pi, mp.sqrt, mp.sin, mp.cos, mp.atan2


def exact(q):
    return [mpf(float(x)) for x in q]


def quat_multiply(a, b):
    x, y, z, w = a
    p, q, r, s = b
    return [
        w * p + x * s + y * r - z * q,
        w * q - x * r + y * s + z * p,
        w * r + x * q - y * p + z * s,
        w * s - x * p - y * q - z * r,
    ]


def multiply(a, b):
    dual = [x + y for x, y in zip(quat_multiply(a[:4], b[4:]), quat_multiply(a[4:], b[:4]), strict=True)]
    return quat_multiply(a[:4], b[:4]) + dual


def conjugate(q):
    return [-q[0], -q[1], -q[2], q[3], -q[4], -q[5], -q[6], q[7]]


def dot(a, b):
    return sum((x * y for x, y in zip(a, b, strict=True)), mpf(0))


def unit(q):
    n, m = dot(q[:4], q[:4]), dot(q[:4], q[4:])
    return [x / sqrt(n) for x in q[:4]] + [
        d / sqrt(n) - x * m / sqrt(n) ** 3 for x, d in zip(q[:4], q[4:], strict=True)
    ]


def log(q):
    """(half angle) axis, and (half angle) moment + (half pitch) axis."""
    v, w, dv, dw = q[:3], q[3], q[4:7], q[7]
    s = sqrt(dot(v, v))
    if s == 0:
        if w > 0:
            return [mpf(0)] * 4 + [*dv, mpf(0)]
        shift = sqrt(dot(dv, dv))
        axis = [-x / shift for x in dv] if shift else [mpf(1), mpf(0), mpf(0)]
        return [pi * x for x in axis] + [mpf(0)] + [-x for x in dv] + [mpf(0)]
    h = atan2(s, w)
    axis = [x / s for x in v]
    half_pitch = -dw / s
    moment = [(d - half_pitch * w * x) / s for d, x in zip(dv, axis, strict=True)]
    dual = [h * m + half_pitch * x for m, x in zip(moment, axis, strict=True)]
    return [h * x for x in axis] + [mpf(0)] + dual + [mpf(0)]


def exp(p):
    a, b = p[:3], p[4:7]
    h = sqrt(dot(a, a))
    if h == 0:
        return [mpf(0), mpf(0), mpf(0), mpf(1), *b, mpf(0)]
    axis = [x / h for x in a]
    half_pitch = dot(axis, b)
    moment = [(x - half_pitch * y) / h for x, y in zip(b, axis, strict=True)]
    real = [sin(h) * x for x in axis] + [cos(h)]
    dual = [sin(h) * m + half_pitch * cos(h) * x for m, x in zip(moment, axis, strict=True)]
    return [*real, *dual, -half_pitch * sin(h)]


def power(q, t):
    return exp([t * x for x in log(q)])


def sclerp(a, b, t, short=True):
    if short and dot(a[:4], b[:4]) < 0:
        b = [-x for x in b]
    return multiply(a, power(multiply(conjugate(a), b), t))
