# SPDX-License-Identifier: MIT
"""Quaternions x, y, z, w."""

from reference.exact.numbers import cross, dot, mp, norm, plus, times, transposed, unit

IDENTITY = [mp.mpf(0), mp.mpf(0), mp.mpf(0), mp.mpf(1)]

# Hamilton's rules i j = k, j k = i, k i = j, i i = -1: unit r times unit c is sign times unit index.
_RULES = {
    (0, 0): (-1, 3), (0, 1): (1, 2), (0, 2): (-1, 1), (0, 3): (1, 0),
    (1, 0): (-1, 2), (1, 1): (-1, 3), (1, 2): (1, 0), (1, 3): (1, 1),
    (2, 0): (1, 1), (2, 1): (-1, 0), (2, 2): (-1, 3), (2, 3): (1, 2),
    (3, 0): (1, 0), (3, 1): (1, 1), (3, 2): (1, 2), (3, 3): (1, 3),
}  # fmt: skip


def multiply(a, b):
    """The distributive law and Hamilton's rules, nothing else."""
    result = [mp.mpf(0)] * 4
    for (row, column), (sign, index) in _RULES.items():
        term = a[row] * b[column]
        result[index] = result[index] + (term if sign > 0 else -term)
    return result


def conjugate(q):
    return [-q[0], -q[1], -q[2], q[3]]


def negated(q):
    return [-component for component in q]


def inverse(q):
    return times(1 / dot(q, q), conjugate(q))


def rotate(q, v):
    """q v q^-1; also of quaternions that are not quite unit."""
    return multiply(multiply(q, [*v, mp.mpf(0)]), inverse(q))[:3]


def to_matrix(q):
    """Columns are where the axes go."""
    return transposed([rotate(q, axis) for axis in _axes()])


def from_matrix(m):
    """The eigenvector of the largest eigenvalue of Bar-Itzhack's matrix (2000): also of matrices that are
    rotations only up to rounding, of which it is the best fit. w >= 0.
    """
    trace = m[0][0] + m[1][1] + m[2][2]
    k = mp.zeros(4)
    for i in range(3):
        for j in range(3):
            k[i, j] = m[i][j] + m[j][i] - (trace if i == j else 0)
        p, q = (i + 1) % 3, (i + 2) % 3
        k[i, 3] = k[3, i] = m[q][p] - m[p][q]
    k[3, 3] = trace
    return _upper(_largest_eigenvector(k))


def from_axis_angle(axis, angle):
    return [*times(mp.sin(angle / 2), unit(axis)), mp.cos(angle / 2)]


def to_axis_angle(q):
    """Angle in [0, pi]; no rotation has axis x."""
    q = _upper(q)
    length = norm(q[:3])
    if not length:
        return [mp.mpf(1), mp.mpf(0), mp.mpf(0)], mp.mpf(0)
    return times(1 / length, q[:3]), 2 * mp.atan2(length, q[3])


def from_rotation_vector(v):
    return from_axis_angle(v, norm(v)) if any(v) else list(IDENTITY)


def to_rotation_vector(q):
    axis, angle = to_axis_angle(q)
    return times(angle, axis)


def from_to(a, b):
    """About a x b by the angle between them; undefined where they are opposite."""
    normal = cross(a, b)
    return from_axis_angle(normal, mp.atan2(norm(normal), dot(a, b))) if any(normal) else list(IDENTITY)


def look_rotation(forward, up):
    """The rotation with columns x, y, z: z along forward, x perpendicular to up."""
    z = unit(forward)
    x = unit(cross(up, z))
    return from_matrix(transposed([x, cross(z, x), z]))


def log(q):
    """(axis * angle, ln |q|) with q = |q| (axis sin(angle), cos(angle)), angle in [0, pi]; of -1: axis x."""
    length = norm(q[:3])
    angle = mp.atan2(length, q[3])
    axis = times(1 / length, q[:3]) if length else [mp.mpf(1), mp.mpf(0), mp.mpf(0)]
    return [*times(angle, axis), mp.log(norm(q))]


def exp(q):
    """Its power series summed in closed form: e^w (axis sin(angle), cos(angle))."""
    angle = norm(q[:3])
    axis = times(1 / angle, q[:3]) if angle else [mp.mpf(0)] * 3
    return times(mp.exp(q[3]), [*times(mp.sin(angle), axis), mp.cos(angle)])


def power(q, t):
    return exp(times(t, log(q)))


def slerp(a, b, t, short=True):
    """a (a^-1 b)^t, the geodesic (Shoemake 1985); short: the nearer of b and -b."""
    a, b = unit(a), unit(b)
    if short and dot(a, b) < 0:
        b = negated(b)
    return multiply(a, power(multiply(conjugate(a), b), t))


def nlerp(a, b, t, short=True):
    a, b = unit(a), unit(b)
    if short and dot(a, b) < 0:
        b = negated(b)
    return unit(plus(times(1 - t, a), times(t, b)))


def angle_between(a, b):
    """The angle of a^-1 b, in [0, pi]."""
    return to_axis_angle(multiply(conjugate(unit(a)), unit(b)))[1]


def swing_twist(q, axis):
    """q = swing * twist, twist about axis, swing about an axis perpendicular to it; twist.w >= 0."""
    q, axis = unit(q), unit(axis)
    twist = [*times(dot(q[:3], axis), axis), q[3]]
    twist = _upper(unit(twist)) if any(twist) else list(IDENTITY)
    return multiply(q, conjugate(twist)), twist


def mean(quats, weights):
    """The eigenvector of the largest eigenvalue of sum w q q^T (Markley et al. 2007); w >= 0."""
    m = mp.zeros(4)
    for q, weight in zip(quats, weights, strict=True):
        q = unit(q)
        for i in range(4):
            for j in range(4):
                m[i, j] += weight * q[i] * q[j]
    return _upper(_largest_eigenvector(m))


def elementary(axis, angle):
    return from_axis_angle(_axes()["xyz".index(axis)], angle)


def from_euler(sequence, angles):
    """Lower case: about fixed axes, so that later turns stand on the left. Upper case: about carried axes."""
    result = list(IDENTITY)
    for letter, angle in zip(sequence.lower(), angles, strict=True):
        turn = elementary(letter, angle)
        result = multiply(turn, result) if sequence.islower() else multiply(result, turn)
    return result


def to_euler(q, sequence, locked=False):
    """From the entries of R = A(a) B(b) C(c), by the addition theorems (Shuster 1993).

    The middle angle is in [-pi/2, pi/2] for three different axes, in [0, pi] for two. Where it is at an end
    of its range, the first and the third turn about one line and the third angle given is 0. `locked` says
    that this is so, however q is rounded.
    """
    (i, j, k), proper, sign = _sequence(sequence)
    r = to_matrix(q)
    if proper:
        off = mp.hypot(r[i][j], r[i][k])
        first, third = mp.atan2(r[j][i], -sign * r[k][i]), mp.atan2(r[i][j], sign * r[i][k])
        middle = mp.atan2(off, r[i][i])
    else:
        off = mp.hypot(r[i][i], r[i][j])
        first, third = mp.atan2(-sign * r[j][k], r[k][k]), mp.atan2(-sign * r[i][j], r[i][i])
        middle = mp.atan2(sign * r[i][k], off)
    if locked or off < _LOCKED:
        # Without one of the outer turns, R shows the other in the plane perpendicular to its axis.
        if sequence.isupper():  # R = A B: column j is where A takes axis j
            first, third = mp.atan2(sign * r[k][j], r[j][j]), mp.mpf(0)
        else:  # R = B C, the given order reversed: row j is where the inverse of C takes axis j
            outer, other = (i, k) if proper else (k, i)
            first, third = mp.mpf(0), mp.atan2(-_parity(outer, j, other) * r[j][other], r[j][j])
    return [first, middle, third] if sequence.isupper() else [third, middle, first]


def is_locked(q, sequence):
    (i, j, k), proper, _ = _sequence(sequence)
    r = to_matrix(q)
    return mp.hypot(r[i][j], r[i][k] if proper else r[i][i]) < _LOCKED


_LOCKED = mp.mpf(10) ** -40


def _sequence(sequence):
    """The axes of R = A B C, whether C turns about A's (then the third is the one left), and their parity."""
    letters = sequence.lower() if sequence.isupper() else sequence[::-1]
    i, j, k = ("xyz".index(letter) for letter in letters)
    proper = i == k
    k = 3 - i - j
    return (i, j, k), proper, _parity(i, j, k)


def _parity(i, j, k):
    return 1 if (i, j, k) in ((0, 1, 2), (1, 2, 0), (2, 0, 1)) else -1


def _axes():
    return [[mp.mpf(i == j) for j in range(3)] for i in range(3)]


def _upper(q):
    return negated(q) if q[3] < 0 else list(q)


def _largest_eigenvector(symmetric):
    values, vectors = mp.eigsy(symmetric)
    best = max(range(len(values)), key=lambda i: values[i])
    return unit([vectors[i, best] for i in range(4)])
