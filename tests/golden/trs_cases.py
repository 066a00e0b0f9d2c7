# SPDX-License-Identifier: MIT
"""Translation, rotation and scale: matrices and back, composition where it stays of that kind, points."""

from golden.case import Case, Function, result_of
from golden.dual_quat_algebra import HUGE, NONE, TINY, affine_matrices
from golden.inputs import IDENTITY, PI, SKEW, X, Y, Z, dyadic, near, negated, rotation, turn
from golden.quat_algebra import rotated_terms
from reference.exact import quat
from reference.exact import trs as exact_trs
from reference.exact.numbers import Terms, mp, plus, transposed

TRS = "translation 3, unit quaternion 4, scale 3"
AXES = [[int(i == j) for j in range(3)] for i in range(3)]
ONE = [1.0, 1.0, 1.0]
SCALE = [2.0, 0.5, 1.25]

SAMPLES = {
    "identity": [*NONE, *IDENTITY, *ONE],
    "translation": [1.5, -2.0, 0.25, *IDENTITY, *ONE],
    "rotation": [*NONE, *rotation(401), *ONE],
    "scale": [*NONE, *IDENTITY, *SCALE],
    "rigid": [*dyadic(402, 3), *rotation(403), *ONE],
    "uniform scale": [*dyadic(404, 3), *rotation(405), 0.25, 0.25, 0.25],
    "generic": [*dyadic(406, 3), *rotation(407), *SCALE],
    "generic, other sign": [*dyadic(406, 3), *negated(rotation(407)), *SCALE],
    "mirror": [*dyadic(408, 3), *rotation(409), -1.0, 1.0, 1.0],
    "half turn": [*dyadic(410, 3), *Y, 0.0, *SCALE],
    "quarter turn": [*dyadic(411, 3), *turn(Z, PI / 2), *SCALE],
    "third of a turn": [*dyadic(412, 3), 0.5, 0.5, 0.5, 0.5, *SCALE],
    "zero scale along y": [*dyadic(413, 3), *rotation(414), 1.0, 0.0, 2.0],
    "huge translation": [*HUGE, *rotation(415), *SCALE],
    "tiny translation": [*TINY, *rotation(416), *SCALE],
    "tiny turn": [*dyadic(417, 3), *turn(SKEW, "1e-14"), *SCALE],
}  # fmt: skip


def _matrix_terms(trs):
    rows = transposed([rotated_terms(trs[3:7], axis)["result"] for axis in AXES])
    scaled = [[r * s for r, s in zip(row, trs[7:], strict=True)] for row in rows]
    return [*([*row, t] for row, t in zip(scaled, trs[:3], strict=True)), [0, 0, 0, 1]]


def _point_terms(trs, p):
    return plus(trs[:3], rotated_terms(trs[3:7], [s * x for s, x in zip(trs[7:], p, strict=True)])["result"])


def _to_matrix():
    function = Function(
        "trs.to_matrix", "T R S.", {"trs": TRS}, {"result": "affine matrix, (4, 4)"},
        result_of(lambda trs: exact_trs.to_matrix(trs)), terms=result_of(_matrix_terms),
    )  # fmt: skip
    return function, [Case(name, {"trs": value}) for name, value in SAMPLES.items()]


def _transforms():
    point = Function(
        "trs.transform_point", "t + r (s * p).", {"trs": TRS, "p": "point"}, {"result": "point"},
        result_of(lambda trs, p: exact_trs.transform_point(trs, p)), terms=result_of(_point_terms),
    )  # fmt: skip
    vector = Function(
        "trs.transform_vector", "r (s * v).", {"trs": TRS, "v": "vector"}, {"result": "vector"},
        result_of(lambda trs, v: exact_trs.transform_vector(trs, v)),
        terms=result_of(lambda trs, v: _point_terms([0, 0, 0, *trs[3:]], v)),
    )  # fmt: skip
    names = ("identity", "generic", "mirror", "huge translation", "zero scale along y")
    return [
        (point, [Case(name, {"trs": value, "p": dyadic(420, 3)}) for name, value in SAMPLES.items()]),
        (vector, [Case(name, {"trs": SAMPLES[name], "v": dyadic(421, 3)}) for name in names]),
    ]


def _turned_terms(rotation, scale):
    rows = transposed([rotated_terms(rotation, axis)["result"] for axis in AXES])
    return [
        rows[0][j] * rows[0][j] * scale[0]
        + rows[1][j] * rows[1][j] * scale[1]
        + rows[2][j] * rows[2][j] * scale[2]
        for j in range(3)
    ]


def _compose_terms(a, b):
    d = _turned_terms(b[3:7], a[7:])
    scale = [x * y for x, y in zip(d, b[7:], strict=True)]
    return [*_point_terms(a, b[:3]), *quat.multiply(a[3:7], b[3:7]), *scale]


def _compose():
    function = Function(
        "trs.compose",
        "The trs of the product of the matrices: moves by b, then by a. Here b's rotation carries the axes "
        "of a's scale to axes, or a's scale is uniform; a mirrors only where it does so along all three.",
        {"a": TRS, "b": TRS},
        {"result": TRS},
        result_of(exact_trs.compose),
        terms=result_of(_compose_terms),
    )
    s, carries = SAMPLES, {"half turn", "quarter turn", "third of a turn"}
    pairs = {
        f"{name} on the right": (s["generic"], s[name])
        for name in ("identity", "translation", "scale", *sorted(carries))
    }
    pairs |= {
        f"{name} on the left": (s[name], s["generic"])
        for name in ("identity", "translation", "rotation", "rigid", "uniform scale")
    }
    pairs["mirror on the right"] = (s["uniform scale"], s["mirror"])
    pairs["negative uniform scale on the left"] = (
        [*dyadic(430, 3), *rotation(431), -2.0, -2.0, -2.0],
        s["generic"],
    )
    pairs["huge and tiny translation"] = ([*HUGE, *rotation(432), *ONE], s["tiny translation"])
    pairs["generic, other sign, on the right"] = (s["rigid"], s["generic, other sign"])
    return function, [Case(name, {"a": a, "b": b}) for name, (a, b) in pairs.items()]


def _inverse_terms(trs):
    back = quat.conjugate(trs[3:7])
    inverted = [Terms.of(1 / x.value) for x in trs[7:]]
    moved = rotated_terms(back, trs[:3])["result"]
    return [*(x * s for x, s in zip(moved, inverted, strict=True)), *back, *_turned_terms(back, inverted)]


def _inverse():
    function = Function(
        "trs.inverse",
        "The trs of the inverse matrix; the rotation carries axes to axes, or the scale is uniform.",
        {"trs": TRS},
        {"result": TRS},
        result_of(lambda trs: exact_trs.inverse(trs)),
        terms=result_of(_inverse_terms),
    )
    names = (
        "identity",
        "translation",
        "rotation",
        "scale",
        "rigid",
        "uniform scale",
        "half turn",
        "quarter turn",
        "third of a turn",
    )
    cases = [Case(name, {"trs": SAMPLES[name]}) for name in names]
    cases.append(Case("mirror along y", {"trs": [*dyadic(440, 3), *IDENTITY, 1.0, -2.0, 1.0]}))
    cases.append(Case("huge translation", {"trs": [*HUGE, *rotation(441), 0.5, 0.5, 0.5]}))
    return function, cases


def _from_matrix():
    function = Function(
        "trs.from_matrix",
        "The rotation nearest to the unit axes, w >= 0; a mirror is a negative scale along x; scale "
        "diag(R^T M). shear: the largest entry of M - T R S as a share of the largest scale.",
        {"matrix": "affine matrix, (4, 4)", "return_shear": "true"},
        {"result": TRS, "shear": "number"},
        lambda matrix, return_shear: dict(
            zip(("result", "shear"), exact_trs.from_matrix(matrix), strict=True)
        ),
        least={"shear": 1.0},
    )
    cases = []
    for name, matrix in affine_matrices().items():
        cases.append(Case(name, {"matrix": matrix, "return_shear": True}))
    return function, cases


def _lerp():
    function = Function(
        "trs.lerp",
        "Translation and scale linearly, the rotation by slerp.",
        {
            "a": TRS,
            "b": TRS,
            "t": "number",
            "short": "whether b's rotation is negated where the product is < 0",
        },
        {"result": TRS},
        result_of(exact_trs.lerp),
    )
    a, b = SAMPLES["generic"], [*dyadic(450, 3), *near(SAMPLES["generic"][3:7], SKEW, 2), 1.0, 2.0, 0.25]
    other = [*b[:3], *negated(b[3:7]), *b[7:]]
    pairs = {
        "generic": (a, b, 0.375, True), "other sign, short": (a, other, 0.375, True),
        "other sign, as given": (a, other, 0.375, False),
        "t = 0": (a, b, 0.0, True), "t = 1": (a, b, 1.0, True), "equal": (a, a, 0.375, True),
        "1e-8 rad apart": (a, [*a[:3], *near(a[3:7], X, mp.mpf("1e-8")), *a[7:]], 0.375, True),
    }  # fmt: skip
    cases = []
    for name, (a, b, t, short) in pairs.items():
        cases.append(Case(name, {"a": a, "b": b, "t": t, "short": short}))
    return function, cases


def functions():
    return [_to_matrix(), _from_matrix(), _compose(), _inverse(), *_transforms(), _lerp()]
