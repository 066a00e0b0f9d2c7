# SPDX-License-Identifier: MIT
"""Quaternions: product, inverse, length, turning vectors, log, exp, power, interpolation, means."""

from golden.case import Case, Function, result_of
from golden.inputs import (
    IDENTITY,
    NEAR_MINUS_ONE,
    PI,
    ROTATIONS,
    SKEW,
    X,
    Y,
    Z,
    direction,
    dyadic,
    fractions,
    near,
    negated,
    rotation,
    turn,
)  # fmt: skip
from reference.exact import quat
from reference.exact.numbers import dot, mp, times, unit

ANY, UNIT = "quaternion of any length", "unit quaternion"
VECTOR_AND_W = {"result": [slice(0, 3), slice(3, 4)]}
PI_FLOAT = float(PI)
UNITS = {"i": [*X, 0.0], "j": [*Y, 0.0], "k": [*Z, 0.0]}


def rotated_terms(q, v):
    """Of q v q*, for unit q."""
    return {"result": quat.multiply(quat.multiply(q, [*v, 0]), quat.conjugate(q))[:3]}


def _multiply():
    function = Function(
        "quat.multiply",
        "Hamilton's product a b: turns by b, then by a.",
        {"a": ANY, "b": ANY},
        {"result": ANY},
        result_of(quat.multiply),
        terms=result_of(quat.multiply),
    )
    pairs = {
        "identity on the left": (IDENTITY, dyadic(11, 4)), "identity on the right": (dyadic(12, 4), IDENTITY),
        "generic": (dyadic(13, 4), dyadic(14, 4)),
        "generic, a negated": (negated(dyadic(13, 4)), dyadic(14, 4)),
        "generic units": (rotation(15), rotation(16)),
        "antipodal units": (rotation(15), negated(rotation(15))),
        "unit and its conjugate": (rotation(17), [*negated(rotation(17)[:3]), rotation(17)[3]]),
        "a huge, b tiny": ([2.0**40 * x for x in dyadic(18, 4)], [2.0**-40 * x for x in dyadic(19, 4)]),
        "zero": ([0.0] * 4, dyadic(13, 4)),
        "two quarter turns": (turn(X, PI / 2), turn(Y, PI / 2)),
        "two tiny turns": (turn(X, "1e-12"), turn(SKEW, "1e-10")),
    }  # fmt: skip
    rules = ("i j = k", "j k = i", "k i = j", "j i = -k", "i i = -1", "j j = -1", "k k = -1")
    cases = [Case(rule, {"a": UNITS[rule[0]], "b": UNITS[rule[2]]}) for rule in rules]
    return function, cases + [Case(name, {"a": a, "b": b}) for name, (a, b) in pairs.items()]


LENGTHS = {
    "generic": dyadic(21, 4), "generic, w < 0": [*dyadic(22, 3), -1.25], "unit": rotation(23),
    "pure": [0.5, -1.5, 2.0, 0.0], "real": [0.0, 0.0, 0.0, -3.0], "axis": [0.0, -2.0, 0.0, 0.0],
    "length 1e-12": [2.0**-40 * x for x in dyadic(24, 4)],
    "length 1e12": [2.0**40 * x for x in dyadic(25, 4)],
    "one component far below the rest": [2.0**-60, 1.0, -1.0, 0.5],
}  # fmt: skip


def _inverse():
    function = Function(
        "quat.inverse",
        "q* / |q|^2.",
        {"q": f"{ANY} but 0"},
        {"result": ANY},
        result_of(quat.inverse),
        terms=lambda q: {"result": times(1 / dot(q, q).value, quat.conjugate(q))},
    )
    return function, [Case(name, {"q": q}) for name, q in LENGTHS.items()]


def _normalize():
    function = Function(
        "quat.normalize",
        "q / |q|.",
        {"q": f"{ANY} but 0"},
        {"result": UNIT},
        lambda q: {"result": unit(q)},
        terms=lambda q: {"result": times(1 / mp.sqrt(dot(q, q).value), q)},
    )
    return function, [Case(name, {"q": q}) for name, q in LENGTHS.items()]


def _conjugate():
    function = Function(
        "quat.conjugate", "q*.", {"q": ANY}, {"result": ANY}, result_of(quat.conjugate), is_exact=True
    )  # fmt: skip
    return function, [Case(name, {"q": q}) for name, q in list(LENGTHS.items())[:4]]


def _rotate():
    function = Function(
        "quat.rotate",
        "q v q*.",
        {"q": UNIT, "v": "vector"},
        {"result": "vector"},
        result_of(quat.rotate),
        terms=rotated_terms,
    )
    cases = [Case(name, {"q": q, "v": dyadic(30, 3)}) for name, q in ROTATIONS.items()]
    vectors = {
        "zero vector": [0.0] * 3, "x": X, "y": Y, "z": Z, "huge vector": [2.0**40, -(2.0**38), 2.0**39],
        "tiny vector": [2.0**-40, -(2.0**-38), 2.0**-39],
    }  # fmt: skip
    cases += [Case(name, {"q": rotation(31), "v": v}) for name, v in vectors.items()]
    cases.append(Case("vector along the axis", {"q": turn(SKEW, 1), "v": SKEW}))
    return function, cases


def _log():
    function = Function(
        "quat.log",
        "(axis * angle, ln |q|) where q = |q| (axis sin(angle), cos(angle)), angle in [0, pi]; the axis of "
        "-1 is x.",
        {"q": f"{ANY} but 0"},
        {"result": "half the rotation vector of a unit quaternion, then ln |q|"},
        result_of(quat.log),
        groups=VECTOR_AND_W,
    )
    cases = [Case(name, {"q": q}, near_singular=name in NEAR_MINUS_ONE) for name, q in ROTATIONS.items()]
    names = ("generic", "pure", "length 1e-12", "length 1e12", "one component far below the rest")
    cases += [Case(f"any length: {name}", {"q": LENGTHS[name]}) for name in names]
    return function, cases


def _exp():
    function = Function(
        "quat.exp",
        "e^w (axis sin(angle), cos(angle)) where the vector part is axis * angle.",
        {"q": ANY},
        {"result": ANY},
        result_of(quat.exp),
    )
    values = {
        "zero": [0.0] * 4, "real": [0.0, 0.0, 0.0, -1.5], "generic": dyadic(41, 4),
        "pure": [*dyadic(42, 3), 0.0],
        "pure, along x": [0.75, 0.0, 0.0, 0.0], "length 1e-4": [2.0**-14, -(2.0**-15), 2.0**-16, 0.0],
        "length 1e-8": [2.0**-27, 2.0**-28, -(2.0**-27), 0.0],
        "length 1e-14": [2.0**-47, 2.0**-48, -(2.0**-47), 0.0],
        "length pi": [PI_FLOAT, 0.0, 0.0, 0.0], "length pi / 2": [0.0, PI_FLOAT / 2, 0.0, 0.0],
        "several turns": [3.0, -4.0, 12.0, 0.0],
    }  # fmt: skip
    return function, [Case(name, {"q": q}) for name, q in values.items()]


def _power():
    function = Function(
        "quat.power",
        "exp(t log q) of q as it is: no shorter way is taken for w < 0.",
        {"q": f"{ANY} but 0", "t": "number"},
        {"result": ANY},
        result_of(quat.power),
    )
    cases = [
        Case(f"{name}, t = 0.375", {"q": q, "t": 0.375}, near_singular=name in NEAR_MINUS_ONE)
        for name, q in ROTATIONS.items()
    ]
    exponents = {"0": 0.0, "1": 1.0, "-1": -1.0, "2": 2.0, "0.5": 0.5, "-2.75": -2.75, "1e-6": 2.0**-20}
    cases += [Case(f"generic, t = {name}", {"q": rotation(51), "t": t}) for name, t in exponents.items()]
    cases.append(Case("any length", {"q": LENGTHS["generic"], "t": 0.5}))
    return function, cases


def _pairs():
    a = rotation(61)
    pairs = {"generic": (a, near(a, SKEW, 1)), "obtuse": (a, negated(near(a, SKEW, 2))), "equal": (a, a)}
    pairs["antipodal"] = (a, negated(a))
    for name in ("1e-4", "1e-8", "1e-12", "1e-14"):
        pairs[f"{name} rad apart"] = (a, near(a, SKEW, name))
    pairs["1e-6 rad apart, other sign"] = (a, negated(near(a, SKEW, "1e-6")))
    pairs["quarter turn apart about x"] = (IDENTITY, turn(X, PI / 2))
    pairs["1e-3 short of a half turn apart"] = (a, near(a, SKEW, PI - mp.mpf("1e-3")))
    pairs["1e-3 past a half turn apart"] = (a, near(a, SKEW, PI + mp.mpf("1e-3")))
    return pairs


def _interpolation(name, about, definition):
    function = Function(
        name,
        about,
        {"a": UNIT, "b": UNIT, "t": "number", "short": "whether b is negated where a . b < 0"},
        {"result": UNIT},
        result_of(definition),
    )
    cases = []
    for pair, (a, b) in _pairs().items():
        cases.append(Case(f"{pair}, short", {"a": a, "b": b, "t": 0.375, "short": True}))
        if dot(a, b) < 0 and pair != "antipodal" and "1e-6" not in pair:
            cases.append(Case(f"{pair}, as given", {"a": a, "b": b, "t": 0.375, "short": False}))
    a, b = _pairs()["generic"]
    for name, t in {"0": 0.0, "1": 1.0, "0.5": 0.5, "-0.5": -0.5, "1.5": 1.5}.items():
        cases.append(Case(f"generic, t = {name}", {"a": a, "b": b, "t": t, "short": True}))
    long = near(a, SKEW, 2 * PI - mp.mpf("1e-2"))
    cases.append(
        Case(
            "1e-2 short of a full turn apart, as given",
            {"a": a, "b": long, "t": 0.25, "short": False},
            near_singular=True,
        )
    )
    return function, cases


def _angle_between():
    function = Function(
        "quat.angle_between",
        "The angle of a^-1 b in [0, pi], whatever the signs of a and b.",
        {"a": UNIT, "b": UNIT},
        {"result": "radians"},
        result_of(quat.angle_between),
    )
    pairs = _pairs()
    pairs["half turn apart"] = (IDENTITY, [*X, 0.0])
    return function, [Case(name, {"a": a, "b": b}) for name, (a, b) in pairs.items()]


def _mean():
    function = Function(
        "quat.mean",
        "The unit eigenvector of the largest eigenvalue of sum w q q^T (Markley et al. 2007), w >= 0.",
        {"q": "unit quaternions, (n, 4)", "weights": "(n)"},
        {"result": UNIT},
        result_of(lambda q, weights: quat.mean(q, weights)),
    )
    center = rotation(71)
    cluster = [near(center, direction(72 + i), 0.25 * (i + 1)) for i in range(4)]
    signs = [q if i % 2 else negated(q) for i, q in enumerate(cluster)]
    weights = fractions(77, 4)
    tiny = [near(center, direction(72 + i), mp.mpf("1e-6") * (i + 1)) for i in range(3)]
    sets = {
        "one": ([center], [0.5]),
        "equal weights": (cluster, [1.0] * 4),
        "weighted": (cluster, weights),
        "weighted, mixed signs": (signs, weights),
        "one-hot": (cluster, [0.0, 0.0, 1.0, 0.0]),
        "two, the middle": ([IDENTITY, turn(Z, PI / 2)], [1.0, 1.0]),
        "antipodal pair": ([center, negated(center)], [0.25, 0.75]),
        "1e-6 rad apart": (tiny, [1.0, 2.0, 3.0]),
        "wide apart": ([rotation(78), rotation(79), rotation(80)], [1.0, 0.5, 0.25]),
    }
    return function, [Case(n, {"q": q, "weights": w}, sign_free=("result",)) for n, (q, w) in sets.items()]


def functions():
    return [
        _multiply(), _inverse(), _normalize(), _conjugate(), _rotate(), _log(), _exp(), _power(),
        _interpolation("quat.slerp", "a (a^-1 b)^t (Shoemake 1985).", quat.slerp),
        _interpolation("quat.nlerp", "(1 - t) a + t b, normalised.", quat.nlerp),
        _angle_between(), _mean(),
    ]  # fmt: skip
