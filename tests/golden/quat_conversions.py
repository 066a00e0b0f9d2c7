# SPDX-License-Identifier: MIT
"""Quaternions to and from all that stands for a rotation; from directions; swing and twist."""

from golden.case import Case, Function, result_of
from golden.inputs import (
    HALF_TURNS,
    IDENTITY,
    ONES,
    PI,
    ROTATIONS,
    X,
    Y,
    Z,
    direction,
    dyadic,
    near,
    negated,
    rotation,
    turn,
)  # fmt: skip
from golden.quat_algebra import PI_FLOAT, UNIT, rotated_terms
from reference.exact import quat
from reference.exact.numbers import exact, mp, rounded, times, transposed, unit

AXES = [[int(i == j) for j in range(3)] for i in range(3)]


def _from_rotation_vector():
    function = Function(
        "quat.from_rotation_vector",
        "The exponential map: turns about v by |v| radians.",
        {"v": "rotation vector, radians"},
        {"result": UNIT},
        result_of(quat.from_rotation_vector),
    )
    values = {
        "zero": [0.0] * 3, "x": X, "generic": dyadic(101, 3),
        "length 1e-4": [2.0**-14, -(2.0**-15), 2.0**-16],
        "length 1e-8": [2.0**-27, 2.0**-28, -(2.0**-27)], "length 1e-14": [2.0**-47, 2.0**-48, -(2.0**-47)],
        "half turn about y": [0.0, PI_FLOAT, 0.0], "full turn about z": [0.0, 0.0, 2 * PI_FLOAT],
        "several turns": [6.0, -8.0, 24.0],
    }  # fmt: skip
    return function, [Case(name, {"v": v}) for name, v in values.items()]


def _to_rotation_vector():
    function = Function(
        "quat.to_rotation_vector",
        "Axis times angle, the angle in [0, pi] whatever the sign of q. At pi the axis may be negated.",
        {"q": UNIT},
        {"result": "rotation vector, radians"},
        result_of(quat.to_rotation_vector),
    )
    return function, _of_rotations(lambda q: {"q": q}, "result")


def _to_axis_angle():
    function = Function(
        "quat.to_axis_angle",
        "Unit axis, and the angle in [0, pi] whatever the sign of q. No rotation has axis x; at pi the axis "
        "may be negated.",
        {"q": UNIT},
        {"axis": "unit vector", "angle": "radians"},
        lambda q: dict(zip(("axis", "angle"), quat.to_axis_angle(q), strict=True)),
    )
    return function, _of_rotations(lambda q: {"q": q}, "axis")


def _from_axis_angle():
    function = Function(
        "quat.from_axis_angle",
        "Turns about the axis, right-handed.",
        {"axis": "vector of any length but 0", "angle": "radians"},
        {"result": UNIT},
        result_of(quat.from_axis_angle),
    )
    skew = [2.0, -1.0, 0.5]
    values = {
        "angle 0": (skew, 0.0), "x by 1": (X, 1.0), "y by -1": (Y, -1.0), "z by 3": (Z, 3.0),
        "generic": (skew, 1.25),
        "half turn": (skew, PI_FLOAT), "full turn": (skew, 2 * PI_FLOAT), "beyond a turn": (skew, 20.0),
        "angle 1e-4": (skew, 2.0**-13), "angle 1e-14": (skew, 2.0**-46),
        "tiny axis": (times(2.0**-40, skew), 1.25),
        "huge axis": (times(2.0**40, skew), 1.25),
    }  # fmt: skip
    return function, [Case(name, {"axis": axis, "angle": angle}) for name, (axis, angle) in values.items()]


def _to_matrix():
    function = Function(
        "quat.to_matrix",
        "Columns are where the axes go.",
        {"q": UNIT},
        {"result": "rotation matrix, (3, 3)"},
        result_of(quat.to_matrix),
        terms=lambda q: {"result": transposed([rotated_terms(q, axis)["result"] for axis in AXES])},
    )
    return function, _of_rotations(lambda q: {"q": q})


def _from_matrix():
    function = Function(
        "quat.from_matrix",
        "The rotation nearest to the matrix; w >= 0. Where w is 0, it may be negated.",
        {"matrix": "rotation matrix, (3, 3)"},
        {"result": UNIT},
        result_of(lambda matrix: quat.from_matrix(matrix)),
    )
    return function, _of_rotations(
        lambda q: {"matrix": rounded(quat.to_matrix(exact(q)))}, "result", without=("other sign", "as -1")
    )


def _of_rotations(inputs, sign_free="", without=()):
    return [
        Case(name, inputs(q), sign_free=(sign_free,) if sign_free and name in HALF_TURNS else ())
        for name, q in ROTATIONS.items()
        if not any(word in name for word in without)
    ]


EXTRINSIC = ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz")
SEQUENCES = (*EXTRINSIC, *(sequence.upper() for sequence in EXTRINSIC))


def _from_euler():
    function = Function(
        "quat.from_euler",
        "SciPy's letters: lower case turns about fixed axes, upper case about the axes carried along.",
        {"sequence": "1 to 3 letters", "angles": "one for each letter", "degrees": "or else radians"},
        {"result": UNIT},
        result_of(_euler_quat),
    )
    cases = []
    for index, sequence in enumerate(SEQUENCES):
        cases.append(_angles(sequence, sequence, dyadic(110 + index, 3, 3)))
    for sequence in ("x", "y", "Z"):
        cases.append(_angles(f"one letter {sequence}", sequence, [0.75]))
    for sequence in ("xy", "zx", "XZ", "YX"):
        cases.append(_angles(f"two letters {sequence}", sequence, [0.75, -1.25]))
    cases.append(_angles("zeros", "zyx", [0.0] * 3))
    cases.append(_angles("tiny", "XYZ", [2.0**-40, -(2.0**-41), 2.0**-42]))
    cases.append(_angles("degrees", "zyx", [30.0, -45.0, 60.0], True))
    cases.append(_angles("degrees, gimbal lock", "XYZ", [20.0, 90.0, 0.0], True))
    cases.append(_angles("half turns", "xyz", [PI_FLOAT, 0.0, PI_FLOAT]))
    return function, cases


def _angles(name, sequence, angles, degrees=False):
    inputs = {"sequence": sequence, "angles": angles, "degrees": degrees}
    return Case(name, inputs, sign_free=("result",))


def _euler_quat(sequence, angles, degrees):
    return quat.from_euler(sequence, times(mp.pi / 180, angles) if degrees else angles)


def _to_euler():
    function = Function(
        "quat.to_euler",
        "The middle angle in [-pi/2, pi/2] for three different axes, in [0, pi] for two; the outer ones in "
        "[-pi, pi]. In gimbal lock the third angle given is 0.",
        {"q": UNIT, "sequence": "three letters", "degrees": "or else radians"},
        {"result": "three angles"},
        result_of(_euler_angles),
        groups={"result": [slice(i, i + 1) for i in range(3)]},
    )
    cases = []
    for index, sequence in enumerate(SEQUENCES):
        cases.append(_sequence(sequence, rotation(150 + index), sequence))
    for sequence in ("xyz", "XYZ", "zxz", "ZYZ", "yzx", "YXZ"):
        tait_bryan = len(set(sequence.lower())) == 3
        middle = PI / 2 if tait_bryan else mp.mpf(0)
        for name in ("1e-2", "1e-4"):
            q = quat.from_euler(
                sequence, [mp.mpf("0.5"), middle + (-1 if tait_bryan else 1) * mp.mpf(name), mp.mpf("-0.25")]
            )
            cases.append(_sequence(f"{sequence}, {name} from gimbal lock", rounded(q), sequence, True))
    for sequence in ("zyx", "YZX", "XZY", "yxz"):
        # A third of a turn about a diagonal carries axis to axis: the middle angle is pi/2 or -pi/2 to the
        # bit.
        for sign in (1, -1):
            q = [0.5 * sign, 0.5, 0.5 * sign, 0.5]
            cases.append(_sequence(f"{sequence}, third of a turn, {q}", q, sequence))
            q = [0.5 * sign, 0.5 * sign, 0.5, -0.5]
            cases.append(_sequence(f"{sequence}, third of a turn, {q}", q, sequence))
    for sequence, axis in (("zyz", Z), ("XYX", X)):
        cases.append(_sequence(f"{sequence}, gimbal lock, identity", IDENTITY, sequence))
        cases.append(_sequence(f"{sequence}, gimbal lock, turn about {sequence[0]}", turn(axis, 1), sequence))
    cases.append(_sequence("xyz, identity", IDENTITY, "xyz"))
    cases.append(_sequence("zyx, degrees", rotation(180), "zyx", degrees=True))
    return function, cases


def _sequence(name, q, sequence, near_singular=False, degrees=False):
    locked = {"locked": True} if quat.is_locked(exact(q), sequence) else {}
    name = name.replace("third of a turn", "gimbal lock, third of a turn") if locked else name
    inputs = {"q": q, "sequence": sequence, "degrees": degrees}
    return Case(name, inputs, near_singular=near_singular, fixed=locked)


def _euler_angles(q, sequence, degrees, locked=False):
    angles = quat.to_euler(unit(q), sequence, locked)
    return times(180 / mp.pi, angles) if degrees else angles


def _from_to():
    function = Function(
        "quat.from_to",
        "The shortest rotation that takes direction a to direction b; w >= 0. Opposite directions have many.",
        {"a": "vector of any length but 0", "b": "vector of any length but 0"},
        {"result": UNIT},
        result_of(quat.from_to),
    )
    a = [0.5, -1.5, 1.0]
    across = direction(190)

    def turned(angle):
        return rounded(
            quat.rotate(quat.from_axis_angle(quat.cross(exact(a), exact(across)), mp.mpf(angle)), exact(a))
        )

    pairs = {
        "x to y": (X, Y), "y to x": (Y, X), "z to x": (Z, X), "x to x": (X, X),
        "generic": (a, dyadic(191, 3)),
        "parallel": (a, times(2.0, a)), "any length": (times(2.0**30, a), times(2.0**-30, dyadic(191, 3))),
        "at a right angle": (ONES, [1.0, -1.0, 0.0]),
        "1e-4 apart": (a, turned("1e-4")), "1e-8 apart": (a, turned("1e-8")),
        "1e-12 apart": (a, turned("1e-12")),
        "1e-2 short of opposite": (a, turned(PI - mp.mpf("1e-2"))),
    }  # fmt: skip
    cases = [Case(name, {"a": a, "b": b}) for name, (a, b) in pairs.items()]
    cases.append(
        Case("1e-4 short of opposite", {"a": a, "b": turned(PI - mp.mpf("1e-4"))}, near_singular=True)
    )
    return function, cases


def _look_rotation():
    function = Function(
        "quat.look_rotation",
        "Turns +z to forward and +y as near to up as can be; w >= 0.",
        {"forward": "vector of any length but 0", "up": "vector of any length, not along forward"},
        {"result": UNIT},
        result_of(quat.look_rotation),
    )
    values = {
        "identity": (Z, Y), "along x": (X, Y), "back": ([0.0, 0.0, -1.0], Y),
        "down, up is z": ([0.0, -1.0, 0.0], Z),
        "generic": ([1.0, 0.5, -2.0], Y), "up at a right angle": ([1.0, 0.0, -2.0], [0.0, 4.0, 0.0]),
        "up leans": ([1.0, 0.5, 2.0], [0.25, 1.0, -0.5]),
    }  # fmt: skip
    cases = [
        Case(name, {"forward": f, "up": u}, sign_free=("result",) if name == "back" else ())
        for name, (f, u) in values.items()
    ]
    return function, cases


def _swing_twist():
    function = Function(
        "quat.swing_twist",
        "q = swing * twist, twist about the axis with w >= 0, swing about an axis perpendicular to it. A "
        "swing by pi has the identity for its twist. Where twist's w is 0, both may be negated.",
        {"q": UNIT, "axis": "unit vector"},
        {"swing": UNIT, "twist": UNIT},
        lambda q, axis: dict(zip(("swing", "twist"), quat.swing_twist(q, axis), strict=True)),
    )
    q = rotation(200)
    axis = direction(201)
    twisting = quat.from_axis_angle(exact(axis), mp.mpf("0.75"))
    across = unit(quat.cross(exact(axis), exact(direction(202))))

    def swung(angle):
        return rounded(quat.multiply(quat.from_axis_angle(across, mp.mpf(angle)), twisting))

    values = {
        "identity": (IDENTITY, X), "identity as -1": (negated(IDENTITY), X), "generic": (q, axis),
        "generic, other sign": (negated(q), axis), "about z": (q, Z), "axis negated": (q, negated(axis)),
        "twist alone": (turn(axis, "0.75"), axis), "twist alone, w < 0": (turn(axis, "4"), axis),
        "swing alone": (turn(rounded(across), "1.25"), axis), "swing by 1e-8": (swung("1e-8"), axis),
        "twist by 1e-8": (near(turn(Y, 1), Y, "1e-8"), Y), "swing by pi about x": ([*X, 0.0], Y),
        "swing by pi about y": ([*Y, 0.0], Z), "third of a turn about the diagonal": ([0.5] * 4, X),
        "swing 1e-2 short of pi": (swung(PI - mp.mpf("1e-2")), axis),
    }  # fmt: skip
    cases = [Case(name, {"q": q, "axis": axis}) for name, (q, axis) in values.items()]
    cases.append(Case("twist by pi", {"q": [0.0, 0.0, 1.0, 0.0], "axis": Z}, sign_free=("swing", "twist")))
    cases.append(
        Case("swing 1e-4 short of pi", {"q": swung(PI - mp.mpf("1e-4")), "axis": axis}, near_singular=True)
    )
    return function, cases


def functions():
    return [
        _from_rotation_vector(), _to_rotation_vector(), _from_axis_angle(), _to_axis_angle(), _from_matrix(),
        _to_matrix(), _from_euler(), _to_euler(), _from_to(), _look_rotation(), _swing_twist(),
    ]  # fmt: skip
