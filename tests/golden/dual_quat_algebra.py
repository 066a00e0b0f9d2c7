# SPDX-License-Identifier: MIT
"""Dual quaternions: product, conjugates, inverse, length; rotations and translations, matrices."""

from golden.case import Case, Function, result_of
from golden.inputs import (
    IDENTITY,
    PI,
    ROTATIONS,
    SKEW,
    X,
    Y,
    Z,
    dyadic,
    negated,
    rigid,
    rotation,
    screw,
    turn,
)  # fmt: skip
from golden.quat_algebra import UNIT, rotated_terms
from reference.exact import dual_quat, quat, trs
from reference.exact.numbers import dot, exact, minus, mp, product, rounded, times, transposed

ANY, RIGID = "dual quaternion of any length", "unit dual quaternion"
NONE = [0.0] * 3
HUGE, TINY = [2.0**40, -(2.0**38), 2.0**39], [2.0**-40, -(2.0**-38), 2.0**-39]

MOTIONS = {
    "identity": [*IDENTITY, *[0.0] * 4],
    "identity as -1": negated([*IDENTITY, *[0.0] * 4]),
    "translation": rigid(IDENTITY, [1.5, -2.0, 0.25]),
    "translation, other sign": negated(rigid(IDENTITY, [1.5, -2.0, 0.25])),
    "tiny translation": rigid(IDENTITY, TINY),
    "huge translation": rigid(IDENTITY, HUGE),
    "rotation": rigid(rotation(301), NONE),
    "generic": rigid(rotation(302), dyadic(303, 3)),
    "generic, other sign": negated(rigid(rotation(302), dyadic(303, 3))),
    "half turn about x, moved": rigid([*X, 0.0], [0.5, 1.0, -2.0]),
    "half turn about a skew axis, moved": rigid(ROTATIONS["half turn about a skew axis"], dyadic(304, 3)),
    "quarter turn about z, moved": rigid(turn(Z, PI / 2), [1.0, 2.0, 3.0]),
    "third of a turn, moved": rigid([0.5] * 4, [-1.0, 0.5, 2.0]),
    "pure screw": screw(SKEW, [0.5, 1.0, -1.0], "1.25", 0.75),
    "turn about a line": screw(SKEW, [0.5, 1.0, -1.0], "1.25", 0),
    "angle 1e-4, moved": rigid(turn(SKEW, "1e-4"), [1.0, -0.5, 2.0]),
    "angle 1e-8, moved": rigid(turn(SKEW, "1e-8"), [1.0, -0.5, 2.0]),
    "angle 1e-14, moved": rigid(turn(SKEW, "1e-14"), [1.0, -0.5, 2.0]),
    "angle 1e-8, moved by 1e-12": rigid(turn(SKEW, "1e-8"), TINY),
    "generic, moved by 1e12": rigid(rotation(305), HUGE),
    "generic, moved by 1e-12": rigid(rotation(306), TINY),
    "1e-9 short of a half turn, moved": rigid(ROTATIONS["1e-9 short of a half turn"], dyadic(307, 3)),
    "1e-9 past a half turn, moved": rigid(ROTATIONS["1e-9 past a half turn"], dyadic(307, 3)),
}  # fmt: skip


def translation_terms(q):
    return times(2, quat.multiply(q[4:], quat.conjugate(q[:4])))[:3]


def _multiply():
    function = Function(
        "dual_quat.multiply",
        "a b: moves by b, then by a.",
        {"a": ANY, "b": ANY},
        {"result": ANY},
        result_of(dual_quat.multiply),
        terms=result_of(dual_quat.multiply),
    )
    generic = MOTIONS["generic"]
    pairs = {
        "generic": (dyadic(311, 8), dyadic(312, 8)),
        "generic, a negated": (negated(dyadic(311, 8)), dyadic(312, 8)),
        "identity on the left": (MOTIONS["identity"], dyadic(313, 8)),
        "identity on the right": (dyadic(314, 8), MOTIONS["identity"]),
        "rigid": (generic, MOTIONS["pure screw"]), "antipodal": (generic, negated(generic)),
        "with its inverse": (generic, rounded(dual_quat.conjugate(exact(generic)))),
        "two translations": (MOTIONS["translation"], rigid(IDENTITY, [0.5, 0.25, -3.0])),
        "rotation, then translation": (MOTIONS["translation"], MOTIONS["rotation"]),
        "translation, then rotation": (MOTIONS["rotation"], MOTIONS["translation"]),
        "huge and tiny translation": (MOTIONS["generic, moved by 1e12"], MOTIONS["generic, moved by 1e-12"]),
        "huge there and back": (MOTIONS["huge translation"], rigid(rotation(315), [-x for x in HUGE])),
        "eps eps = 0": ([0.0] * 4 + [1.0, 2.0, 3.0, 4.0], [0.0] * 4 + [4.0, 3.0, 2.0, 1.0]),
        "zero": ([0.0] * 8, dyadic(316, 8)),
    }  # fmt: skip
    return function, [Case(name, {"a": a, "b": b}) for name, (a, b) in pairs.items()]


def _conjugates():
    kinds = {
        "conjugate": "Of both parts: the inverse of a unit dual quaternion.",
        "dual_conjugate": "real - eps dual.",
        "combined_conjugate": "Both: conj(real) - eps conj(dual).",
    }
    for name, about in kinds.items():
        function = Function(
            f"dual_quat.{name}", about, {"q": ANY}, {"result": ANY}, result_of(getattr(dual_quat, name)),
            is_exact=True
        )  # fmt: skip
        values = {"generic": dyadic(321, 8), "rigid": MOTIONS["generic"]}
        yield function, [Case(case, {"q": q}) for case, q in values.items()]


LENGTHS = {
    "generic": dyadic(331, 8), "generic, w < 0": [*dyadic(332, 3), -1.0, *dyadic(333, 4)],
    "rigid": MOTIONS["generic"],
    "rigid, thrice as long": times(3.0, MOTIONS["generic"]), "translation": MOTIONS["translation"],
    "dual part along real": [0.5, -1.0, 1.5, 2.0, 1.0, -2.0, 3.0, 4.0],
    "real scalar": [0.0, 0.0, 0.0, -2.0, *dyadic(334, 4)],
    "huge dual part": [*dyadic(335, 4), *times(2.0**40, dyadic(336, 4))],
    "length 1e-12": times(2.0**-40, dyadic(337, 8)),
    "no dual part": [*dyadic(338, 4), *[0.0] * 4],
}  # fmt: skip


def _inverse_terms(q):
    real = times(1 / dot(q[:4], q[:4]).value, quat.conjugate(q[:4]))
    return {"result": [*real, *quat.negated(quat.multiply(quat.multiply(real, q[4:]), real))]}


def _inverse():
    function = Function(
        "dual_quat.inverse",
        "real^-1 - eps real^-1 dual real^-1.",
        {"q": f"{ANY}, real part not 0"},
        {"result": ANY},
        result_of(dual_quat.inverse),
        terms=_inverse_terms,
    )
    return function, [Case(name, {"q": q}) for name, q in LENGTHS.items()]


def _normalize_terms(q):
    length = mp.sqrt(dot(q[:4], q[:4]).value)
    along = (1 / length**3) * dot(q[:4], q[4:])
    return {"result": [*times(1 / length, q[:4]), *minus(times(1 / length, q[4:]), times(along, q[:4]))]}


def _normalize():
    function = Function(
        "dual_quat.normalize",
        "q / sqrt(q q*): |real| = 1 and <real, dual> = 0.",
        {"q": f"{ANY}, real part not 0"},
        {"result": RIGID},
        result_of(dual_quat.normalize),
        terms=_normalize_terms,
    )
    return function, [Case(name, {"q": q}) for name, q in LENGTHS.items()]


def _from_quat_translation():
    function = Function(
        "dual_quat.from_quat_translation",
        "real = rotation, dual = 1/2 (translation, 0) rotation.",
        {"rotation": UNIT, "translation": "vector"},
        {"result": RIGID},
        result_of(dual_quat.from_quat_translation),
        terms=result_of(lambda rotation, translation: dual_quat.from_quat_translation(rotation, translation)),
    )
    values = {
        "identity": (IDENTITY, NONE), "translation": (IDENTITY, [1.5, -2.0, 0.25]),
        "rotation": (rotation(341), NONE),
        "generic": (rotation(342), dyadic(343, 3)),
        "generic, other sign": (negated(rotation(342)), dyadic(343, 3)),
        "half turn": ([*Y, 0.0], dyadic(344, 3)), "tiny angle": (turn(SKEW, "1e-14"), dyadic(345, 3)),
        "huge translation": (rotation(346), HUGE), "tiny translation": (rotation(347), TINY),
    }  # fmt: skip
    return function, [Case(name, {"rotation": r, "translation": t}) for name, (r, t) in values.items()]


def of_motions(sign_free=(), extra=None, without=(), near_singular=()):
    return [
        Case(
            name,
            {"q": q},
            sign_free=sign_free if "half turn about" in name else (),
            near_singular=any(word in name for word in near_singular),
        )
        for name, q in {**MOTIONS, **(extra or {})}.items()
        if not any(word in name for word in without)
    ]


def _to_quat_translation():
    function = Function(
        "dual_quat.to_quat_translation",
        "rotation = real, translation = 2 dual real*.",
        {"q": RIGID},
        {"rotation": UNIT, "translation": "vector"},
        lambda q: {"rotation": dual_quat.normalize(q)[:4], "translation": dual_quat.translation(q)},
        terms=lambda q: {"rotation": q[:4], "translation": translation_terms(q)},
    )
    return function, of_motions()


def _to_matrix():
    def terms(q):
        rows = transposed(
            [rotated_terms(q[:4], axis)["result"] for axis in ([1, 0, 0], [0, 1, 0], [0, 0, 1])]
        )
        return {"result": [*([*r, t] for r, t in zip(rows, translation_terms(q), strict=True)), [0, 0, 0, 1]]}

    function = Function(
        "dual_quat.to_matrix",
        "Columns are where the axes go, then where the origin goes.",
        {"q": RIGID},
        {"result": "rigid matrix, (4, 4)"},
        result_of(dual_quat.to_matrix),
        terms=terms,
    )
    return function, of_motions(without=("identity as",))


def _from_matrix():
    function = Function(
        "dual_quat.from_matrix",
        "Of the rotation nearest to the matrix, and its translation; real w >= 0. Where w is 0, it may be "
        "negated.",
        {"matrix": "rigid matrix, (4, 4)"},
        {"result": RIGID},
        result_of(lambda matrix: dual_quat.from_matrix(matrix)),
    )
    cases = [
        Case(case.name, {"matrix": rounded(dual_quat.to_matrix(exact(case.inputs["q"])))}, case.sign_free)
        for case in of_motions(("result",), without=("identity as", "other sign"))
    ]
    return function, cases


def _from_matrix_stretch():
    def reference(matrix, return_stretch):
        r, stretch = trs.polar([row[:3] for row in matrix[:3]])
        rows = [*([*row, m[3]] for row, m in zip(r, matrix, strict=False)), matrix[3]]
        return {"result": dual_quat.from_matrix(rows), "stretch": stretch}

    function = Function(
        "dual_quat.from_matrix",
        "Polar decomposition M = R S of the linear part: S symmetric, det R = +1, positive definite for det "
        "M > 0 and negative definite for a mirror (Shoemake and Duff 1992); real w >= 0.",
        {"matrix": "affine matrix, (4, 4)", "return_stretch": "true"},
        {"result": "unit dual quaternion of R and the translation", "stretch": "S, (3, 3)"},
        reference,
        variant="stretch",
    )
    cases = [Case(name, {"matrix": m, "return_stretch": True}) for name, m in affine_matrices().items()]
    return function, cases


def affine_matrices():
    def matrix(q, stretch, translation):
        linear = product(quat.to_matrix(exact(q)), exact(stretch))
        rows = [[*row, t] for row, t in zip(rounded(linear), translation, strict=True)]
        return [*rows, [0.0, 0.0, 0.0, 1.0]]

    def diagonal(x, y, z):
        return [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]]

    t = [1.0, -2.0, 0.5]
    shear = [[1.0, 0.25, 0.0], [0.0, 1.5, -0.5], [0.125, 0.0, 0.75]]
    return {
        "identity": matrix(IDENTITY, diagonal(1.0, 1.0, 1.0), NONE),
        "scale": matrix(IDENTITY, diagonal(2.0, 0.5, 1.25), t),
        "rotation and scale": matrix(rotation(351), diagonal(2.0, 0.5, 1.25), t),
        "uniform scale": matrix(rotation(352), diagonal(0.01, 0.01, 0.01), t),
        "mirror": matrix(rotation(353), diagonal(-1.0, 1.0, 1.0), t),
        "mirror in all": matrix(rotation(354), diagonal(-2.0, -2.0, -2.0), t),
        "mirror and scale": matrix(rotation(355), diagonal(1.5, -0.75, 1.0), t),
        "shear": matrix(IDENTITY, shear, t),
        "rotation and shear": matrix(rotation(356), shear, t),
        "shear by 1e-8": matrix(rotation(357), [[1.0, 2.0**-27, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], t),
    }


def functions():
    return [
        _multiply(), *_conjugates(), _inverse(), _normalize(),
        _from_quat_translation(), _to_quat_translation(),
        _from_matrix(), _from_matrix_stretch(), _to_matrix(),
    ]  # fmt: skip
