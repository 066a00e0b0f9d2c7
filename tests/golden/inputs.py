# SPDX-License-Identifier: MIT
"""What goes into the cases: numbers of few bits where any will do, the nearest float64 for what is unit."""

from random import Random

from reference.exact import dual_quat, quat
from reference.exact.numbers import exact, mp, rounded, unit

PI = mp.pi
Numbers = list[float]


def dyadic(seed: int, count: int, bound: float = 2) -> Numbers:
    """Multiples of 1/64, exact in float32 too; Random.random is the same on every Python."""
    random = Random(seed)
    return [round((2 * random.random() - 1) * bound * 64) / 64 for _ in range(count)]


def fractions(seed: int, count: int) -> Numbers:
    """Positive multiples of 1/64 below 1."""
    random = Random(seed)
    return [(1 + int(random.random() * 63)) / 64 for _ in range(count)]


def direction(seed: int) -> Numbers:
    return rounded(unit(exact(dyadic(seed, 3))))


def rotation(seed: int) -> Numbers:
    return rounded(unit(exact(dyadic(seed, 4))))


def turn(axis: Numbers, angle) -> Numbers:
    return rounded(quat.from_axis_angle(exact(axis), mp.mpf(angle)))


def near(q: Numbers, axis: Numbers, angle) -> Numbers:
    """q after a small turn."""
    return rounded(quat.multiply(quat.from_axis_angle(exact(axis), mp.mpf(angle)), unit(exact(q))))


def negated(q: Numbers) -> Numbers:
    return [-x + 0.0 for x in q]


def rigid(q: Numbers, translation: Numbers) -> Numbers:
    return rounded(dual_quat.from_quat_translation(unit(exact(q)), exact(translation)))


def screw(axis: Numbers, point: Numbers, angle, along: float) -> Numbers:
    """About the line through a point: turn by the angle, move along by the length."""
    line = unit(exact(axis))
    c = exact(point)
    moment = [
        c[1] * line[2] - c[2] * line[1],
        c[2] * line[0] - c[0] * line[2],
        c[0] * line[1] - c[1] * line[0],
    ]
    return rounded(dual_quat.from_screw(line, moment, mp.mpf(angle), mp.mpf(along)))


X, Y, Z = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]
ONES = [1.0, 1.0, 1.0]
SKEW = [2.0, -1.0, 0.5]
IDENTITY = [0.0, 0.0, 0.0, 1.0]

# Rotations that every function of one rotation is tried with.
ROTATIONS: dict[str, Numbers] = {
    "identity": IDENTITY,
    "identity as -1": negated(IDENTITY),
    "half turn about x": [*X, 0.0],
    "half turn about y": [*Y, 0.0],
    "half turn about z": [*Z, 0.0],
    "half turn about a skew axis": [*rounded(unit(exact(SKEW))), 0.0],
    "quarter turn about x": turn(X, PI / 2),
    "quarter turn about y": turn(Y, PI / 2),
    "quarter turn about z, backwards": turn(Z, -PI / 2),
    "third of a turn about the diagonal": [0.5, 0.5, 0.5, 0.5],
    "two thirds of a turn about the diagonal": [0.5, 0.5, 0.5, -0.5],
    "generic": rotation(1),
    "generic, other sign": negated(rotation(1)),
    "generic, w < 0": negated([*rotation(2)[:3], abs(rotation(2)[3])]),
    "angle 1e-4": turn(SKEW, "1e-4"),
    "angle 1e-8": turn(SKEW, "1e-8"),
    "angle 1e-14": turn(SKEW, "1e-14"),
    "1e-4 short of a half turn": turn(SKEW, PI - mp.mpf("1e-4")),
    "1e-9 short of a half turn": turn(SKEW, PI - mp.mpf("1e-9")),
    "1e-9 past a half turn": turn(SKEW, PI + mp.mpf("1e-9")),
    "1e-3 short of a full turn": turn(SKEW, 2 * PI - mp.mpf("1e-3")),
}

HALF_TURNS = [name for name, q in ROTATIONS.items() if q[3] == 0]
# Where log has no limit: at -1.
NEAR_MINUS_ONE = ("identity as -1", "1e-3 short of a full turn")
