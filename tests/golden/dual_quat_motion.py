# SPDX-License-Identifier: MIT
"""Dual quaternions: screws, log, exp, power, interpolation, blending; points and vectors moved."""

from golden.case import Case, Function, result_of
from golden.dual_quat_algebra import (
    HUGE,
    MOTIONS,
    NONE,
    RIGID,
    TINY,
    of_motions,
    translation_terms,
)
from golden.inputs import (
    IDENTITY,
    PI,
    SKEW,
    X,
    Y,
    Z,
    direction,
    dyadic,
    fractions,
    near,
    negated,
    rigid,
    screw,
    turn,
)  # fmt: skip
from golden.quat_algebra import PI_FLOAT, rotated_terms
from reference.exact import dual_quat
from reference.exact.numbers import cross, dot, exact, mp, plus, rounded

EACH_VECTOR_AND_W = {"result": [slice(0, 3), slice(3, 4), slice(4, 7), slice(7, 8)]}
PAST = {"1e-2 short of a full turn, moved": rigid(turn(SKEW, 2 * PI - mp.mpf("1e-2")), dyadic(308, 3))}


def _to_screw():
    def reference(q):
        return dict(zip(("axis", "moment", "angle", "pitch"), dual_quat.short_screw(q), strict=True))

    function = Function(
        "dual_quat.to_screw",
        "Axis l, moment m = c x l of a point c on it, angle in [0, pi] whatever the sign of q, and pitch: "
        "the length moved along l in all (Daniilidis 1999). No rotation: l along the translation, m 0; nor "
        "translation: l = x. At pi l, m and pitch may be negated together.",
        {"q": RIGID},
        {"axis": "unit vector", "moment": "vector", "angle": "radians", "pitch": "length"},
        reference,
    )
    # The moment of a tiny turn is as large as the translation over the angle. Below the precision's eps it
    # may well be taken for a translation.
    small = {"angle 1e-6, moved": rigid(turn(SKEW, "1e-6"), [1.0, -0.5, 2.0])}
    cases = of_motions(("axis", "moment", "pitch"), extra=small, near_singular=("angle 1e",))
    return function, [case for case in cases if case.name not in ("angle 1e-8, moved", "angle 1e-14, moved")]


def _from_screw():
    function = Function(
        "dual_quat.from_screw",
        "cos(z/2) + (axis + eps moment) sin(z/2) of the dual angle z = angle + eps pitch.",
        {"axis": "unit vector", "moment": "vector", "angle": "radians", "pitch": "length"},
        {"result": RIGID},
        result_of(dual_quat.from_screw),
    )
    axis = direction(361)
    moment = rounded(cross(exact([0.5, -1.0, 2.0]), exact(axis)))
    values = {
        "nothing": (X, NONE, 0.0, 0.0), "translation": (axis, NONE, 0.0, 1.5),
        "generic": (axis, moment, 1.25, 0.75),
        "no pitch": (axis, moment, 1.25, 0.0), "half turn": (axis, moment, PI_FLOAT, 0.75),
        "axis z through (1, 0, 0)": (Z, [0.0, -1.0, 0.0], 1.0, 2.0),
        "angle 1e-12": (axis, moment, 2.0**-40, 0.75),
        "huge pitch": (axis, moment, 1.25, 2.0**40), "beyond a turn": (axis, moment, 7.5, -1.0),
    }  # fmt: skip
    cases = []
    for name, (axis, moment, angle, pitch) in values.items():
        cases.append(Case(name, {"axis": axis, "moment": moment, "angle": angle, "pitch": pitch}))
    return function, cases


def _log():
    function = Function(
        "dual_quat.log",
        "Half of (axis + eps moment) (angle + eps pitch), of q as it is: with w < 0 the angle is above pi.",
        {"q": RIGID},
        {"result": "pure dual quaternion: both w are 0"},
        result_of(dual_quat.log),
        groups=EACH_VECTOR_AND_W,
    )
    # Near -1 the screw's axis through the whole turn is where the translation says: log has no limit there.
    return function, of_motions(
        extra=PAST, without=("as -1", "translation, other sign"), near_singular=("full turn",)
    )


def _exp():
    function = Function(
        "dual_quat.exp",
        "The inverse of log.",
        {"q": "pure dual quaternion: both w are 0"},
        {"result": RIGID},
        result_of(dual_quat.exp),
    )
    values = {
        "zero": [0.0] * 8, "translation": [*[0.0] * 4, 0.75, -1.0, 0.125, 0.0],
        "rotation": [*dyadic(371, 3), *[0.0] * 5],
        "generic": [*dyadic(372, 3), 0.0, *dyadic(373, 3), 0.0],
        "along x": [0.5, 0.0, 0.0, 0.0, 0.25, 0.0, 0.0, 0.0],
        "no pitch": [0.5, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
        "angle 1e-4": [2.0**-14, -(2.0**-15), 2.0**-16, 0.0, *dyadic(374, 3), 0.0],
        "angle 1e-8": [2.0**-27, -(2.0**-28), 2.0**-29, 0.0, *dyadic(374, 3), 0.0],
        "angle 1e-14": [2.0**-47, -(2.0**-48), 2.0**-49, 0.0, *dyadic(374, 3), 0.0],
        "half turn": [0.0, PI_FLOAT / 2, 0.0, 0.0, *dyadic(375, 3), 0.0],
        "full turn": [0.0, 0.0, PI_FLOAT, 0.0, *dyadic(376, 3), 0.0],
        "huge dual part": [*dyadic(377, 3), 0.0, *HUGE, 0.0],
        "tiny dual part": [*dyadic(377, 3), 0.0, *TINY, 0.0],
    }  # fmt: skip
    return function, [Case(name, {"q": q}) for name, q in values.items()]


def _power():
    function = Function(
        "dual_quat.power",
        "exp(t log q) of q as it is: the screw by t of its angle and t of its pitch.",
        {"q": RIGID, "t": "number"},
        {"result": RIGID},
        result_of(dual_quat.power),
    )
    without = ("-1", "translation, other sign")
    cases = [
        Case(f"{case.name}, t = 0.375", {**case.inputs, "t": 0.375}, near_singular=case.near_singular)
        for case in of_motions(extra=PAST, without=without, near_singular=("full turn",))
    ]
    for t in (0.0, 1.0, -1.0, 0.5, 2.0, -2.75):
        cases.append(Case(f"generic, t = {t}", {"q": MOTIONS["pure screw"], "t": t}))
    return function, cases


def _pairs():
    a = MOTIONS["generic"]
    r, t = a[:4], dyadic(303, 3)

    def moved(angle, by=(0.5, -0.25, 1.0)):
        return rigid(near(r, SKEW, angle), [x + y for x, y in zip(t, by, strict=True)])

    pairs = {"generic": (a, moved(1)), "obtuse": (a, negated(moved(2)))}
    pairs |= {"equal": (a, a), "antipodal": (a, negated(a))}
    for name in ("1e-4", "1e-8", "1e-12", "1e-14"):
        by = [2.0 ** round(mp.log(mp.mpf(name), 2)) * x for x in (0.5, -0.25, 1.0)]
        pairs[f"{name} rad and lengths apart"] = (a, moved(name, by))
        pairs[f"{name} rad apart, moved"] = (a, moved(name))
    pairs["1e-6 rad apart, other sign"] = (a, negated(moved("1e-6")))
    pairs["translation alone"] = (a, rigid(r, [5.0, 6.0, -7.0]))
    pairs["two translations"] = (MOTIONS["translation"], rigid(IDENTITY, [0.5, 0.25, -3.0]))
    pairs["rotation alone"] = (rigid(r, NONE), rigid(near(r, SKEW, 1), NONE))
    pairs["huge translations"] = (rigid(r, HUGE), rigid(near(r, SKEW, 1), [-x for x in HUGE]))
    pairs["tiny translations"] = (rigid(r, TINY), rigid(near(r, SKEW, 1), [-x for x in TINY]))
    pairs["1e-3 short of a half turn apart"] = (a, moved(PI - mp.mpf("1e-3")))
    pairs["1e-3 past a half turn apart"] = (a, moved(PI + mp.mpf("1e-3")))
    pairs["identity to quarter turn about z"] = (MOTIONS["identity"], MOTIONS["quarter turn about z, moved"])
    return pairs


def _sclerp():
    function = Function(
        "dual_quat.sclerp",
        "a (a^-1 b)^t: along one screw at constant speed (Kavan et al. 2008).",
        {
            "a": RIGID,
            "b": RIGID,
            "t": "number",
            "short": "whether b is negated where the real parts' product is < 0",
        },
        {"result": RIGID},
        result_of(dual_quat.sclerp),
    )
    cases = []
    for pair, (a, b) in _pairs().items():
        cases.append(Case(f"{pair}, short", {"a": a, "b": b, "t": 0.375, "short": True}))
        if dot(a[:4], b[:4]) < 0 and pair != "antipodal" and "1e-6" not in pair:
            cases.append(Case(f"{pair}, as given", {"a": a, "b": b, "t": 0.375, "short": False}))
    a, b = _pairs()["generic"]
    for t in (0.0, 1.0, 0.5, -0.5, 1.5):
        cases.append(Case(f"generic, t = {t}", {"a": a, "b": b, "t": t, "short": True}))
    b = rigid(near(a[:4], SKEW, 2 * PI - mp.mpf("1e-2")), dyadic(381, 3))
    inputs = {"a": a, "b": b, "t": 0.25, "short": False}
    cases.append(Case("1e-2 short of a full turn apart, as given", inputs, near_singular=True))
    return function, cases


def _dlb():
    function = Function(
        "dual_quat.dlb",
        "The normalised sum of s w q; s = -1 for an item whose real part lies opposite to that of the item "
        "of largest weight, of several the first (Kavan et al. 2008).",
        {"q": "unit dual quaternions, (n, 8)", "weights": "(n), >= 0, not all 0"},
        {"result": RIGID},
        result_of(lambda q, weights, pivot=None: dual_quat.dlb(q, weights, pivot)),
    )
    a, b = MOTIONS["generic"], _pairs()["generic"][1]
    c, d = MOTIONS["pure screw"], rigid(near(a[:4], Y, "0.5"), dyadic(391, 3))
    far = rigid(near(a[:4], SKEW, "2.5"), dyadic(392, 3))
    weights = fractions(393, 4)
    heaviest = weights.index(max(weights))
    pivot_negated = [negated(x) if i == heaviest else x for i, x in enumerate((a, b, c, d))]
    nearly = screw(X, [0.0, 1.0, 0.0], PI - mp.mpf("0.01"), 1)
    close = [rigid(near(a[:4], direction(394 + i), mp.mpf("1e-8") * i), dyadic(303, 3)) for i in range(3)]
    sets = {
        "one": ([a], [0.75]),
        "two": ([a, b], [0.25, 0.75]),
        "four": ([a, b, c, d], weights),
        "four, one negated": ([a, negated(b), c, d], weights),
        "four, pivot negated": (pivot_negated, weights),
        "weights that do not sum to 1": ([a, b], [3.0, 5.0]),
        "one-hot": ([a, b, c], [0.0, 1.0, 0.0]),
        "one-hot, negated": ([a, negated(b), c], [0.0, 1.0, 0.0]),
        "antipodal pair": ([a, negated(a)], [0.25, 0.75]),
        "antipodal pair, tie": ([a, negated(a)], [0.5, 0.5]),
        "antipodal pair, tie, swapped": ([negated(a), a], [0.5, 0.5]),
        "tie, far apart": ([a, far], [0.5, 0.5]),
        "tie, far apart, second negated": ([a, negated(far)], [0.5, 0.5]),
        "tie of the last two": ([a, b, negated(d)], [0.25, 0.375, 0.375]),
        "tie of four": ([b, negated(a), d, negated(c)], [0.25] * 4),
        "translations": ([rigid(IDENTITY, [4.0 * i, 1.0, -i * 1.0]) for i in range(3)], [0.25, 0.25, 0.5]),
        "huge translations": ([rigid(a[:4], HUGE), rigid(b[:4], [-x for x in HUGE])], [0.375, 0.625]),
        "1e-8 rad apart": (close, [0.5, 0.25, 0.25]),
        "identity and nearly a half turn": ([MOTIONS["identity"], nearly], [0.75, 0.25]),
    }  # fmt: skip
    cases = []
    for name, (q, w) in sets.items():
        cases.append(Case(name, {"q": q, "weights": w}, fixed={"pivot": w.index(max(w))}))
    return function, cases


def _transforms():
    point = Function(
        "dual_quat.transform_point",
        "rotate(real, p) + translation.",
        {"q": RIGID, "p": "point"},
        {"result": "point"},
        result_of(dual_quat.transform_point),
        terms=lambda q, p: {"result": plus(rotated_terms(q[:4], p)["result"], translation_terms(q))},
    )
    vector = Function(
        "dual_quat.transform_vector",
        "rotate(real, v): translation does not move vectors.",
        {"q": RIGID, "v": "vector"},
        {"result": "vector"},
        result_of(dual_quat.transform_vector),
        terms=lambda q, v: rotated_terms(q[:4], v),
    )
    points = [Case(name, {"q": q, "p": dyadic(395, 3)}) for name, q in MOTIONS.items()]
    points.append(Case("origin", {"q": MOTIONS["generic"], "p": NONE}))
    points.append(
        Case("a point on the axis of a turn", {"q": MOTIONS["turn about a line"], "p": [0.5, 1.0, -1.0]})
    )
    names = (
        "identity",
        "translation",
        "generic",
        "generic, other sign",
        "half turn about x, moved",
        "generic, moved by 1e12",
    )
    vectors = [Case(name, {"q": MOTIONS[name], "v": dyadic(396, 3)}) for name in names]
    return [(point, points), (vector, vectors)]


def functions():
    return [
        _from_screw(), _to_screw(), _log(), _exp(), _power(), _sclerp(), _dlb(), *_transforms()
    ]  # fmt: skip
