# SPDX-License-Identifier: MIT
"""How near the array functions come to sixty digits over random input."""

import numpy as np
import pytest

import lissom
from golden import generate
from reference.exact import quat as exact_quat
from reference.exact.numbers import Terms, exact, rounded

FUNCTIONS = {function.file_name.removesuffix(".json"): function for function, _ in generate.everything()}
DTYPES = [np.float64, np.float32]
COUNT = 200
EPS = {dtype: float(np.finfo(dtype).eps) for dtype in DTYPES}

# Products: 4 ulp per term, which is of the sum of the terms' absolute values. The rest: relative to the
# largest number of the same part (quaternion, translation, angle), of the result or of what went in.
PRODUCT = {dtype: 4 * EPS[dtype] for dtype in DTYPES}
REGULAR = {np.float64: 1e-14, np.float32: 4e-7}
# Up to 1e-2 short of a full turn: there log has no answer, and errors of the input show some hundredfold.
NEAR_SINGULAR = {np.float64: 1e-12, np.float32: 1e-4}


def directions(rng):
    v = rng.normal(size=(COUNT, 3))
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def angles(rng):
    """From 1e-12 to pi: small ones by order of magnitude, large ones evenly, and the last of a half turn."""
    small = 10 ** rng.uniform(-12, 0, COUNT)
    near_pi = np.pi - 10 ** rng.uniform(-12, 0, COUNT)
    return np.choose(rng.integers(3, size=COUNT), [small, rng.uniform(0, np.pi, COUNT), near_pi])


def turns(rng):
    half = angles(rng)[:, None] / 2
    return np.concatenate([directions(rng) * np.sin(half), np.cos(half)], -1)


def units(rng):
    return turns(rng) * rng.choice([-1, 1], (COUNT, 1))


def vectors(rng):
    return rng.normal(size=(COUNT, 3)) * 10 ** rng.uniform(-3, 3, (COUNT, 1))


def numbers(count):
    return lambda rng: rng.normal(size=(COUNT, count)) * 2 ** rng.uniform(-10, 10, (COUNT, 1))


def hamilton(a, b):
    u, s, v, t = a[:, :3], a[:, 3:], b[:, :3], b[:, 3:]
    return np.concatenate([s * v + t * u + np.cross(u, v), s * t - np.sum(u * v, -1, keepdims=True)], -1)


def rigid(q, t):
    return np.concatenate([q, hamilton(np.concatenate([t / 2, 0 * t[:, :1]], -1), q)], -1)


def rigids(rng):
    return rigid(units(rng), vectors(rng))


def screws(rng):
    """Real w >= 0: log and power have no singular place there."""
    return rigid(turns(rng), vectors(rng))


def trs(rng):
    return np.concatenate([vectors(rng), units(rng), rng.uniform(0.1, 3, (COUNT, 3))], -1)


def matrices(rng):
    return np.array([rounded(exact_quat.to_matrix(exact(q))) for q in units(rng).tolist()])


def pairs(samples, other):
    """Of `samples`, each with another made from it, and a time."""

    def of(rng):
        a = samples(rng)
        return {"a": a, "b": other(a, rng), "t": rng.uniform(0, 1, COUNT)}

    return of


def apart(rng):
    """Turns by up to 2.5 rad: at pi, rounding alone decides which way is the short one."""
    half = np.minimum(angles(rng), 2.5)[:, None] / 2
    q = np.concatenate([directions(rng) * np.sin(half), np.cos(half)], -1)
    return q * rng.choice([-1, 1], (COUNT, 1))


def turned(a, rng):
    return hamilton(a, apart(rng))


def moved(a, rng):
    return rigid(hamilton(a[:, :4], apart(rng)), vectors(rng))


def inputs(**samplers):
    return lambda rng: {name: sampler(rng) for name, sampler in samplers.items()}


def exponents(rng):
    return np.append(directions(rng) * angles(rng)[:, None], rng.normal(size=(COUNT, 1)), -1)


def dual_exponents(rng):
    both = np.append(directions(rng) * angles(rng)[:, None] / 2, vectors(rng), -1)
    return np.insert(both, [3, 6], 0, axis=-1)


def almost_full_turns(rng):
    half = np.pi - 10 ** rng.uniform(-2, 0, (COUNT, 1)) / 2
    return np.concatenate([directions(rng) * np.sin(half), np.cos(half)], -1)


def almost_full_screws(rng):
    return rigid(almost_full_turns(rng), vectors(rng))


def cluster(rng):
    """Three rotations about one, so that one eigenvalue is far above the others."""
    center = units(rng)
    return np.stack([hamilton(center, apart(rng)) for _ in range(3)], 1)


def motions(rng):
    return np.stack([rigids(rng) for _ in range(4)], 1)


def weights(count):
    return lambda rng: rng.uniform(0.1, 1, (COUNT, count))


SWEEPS = {
    "quat_multiply": inputs(a=numbers(4), b=numbers(4)),
    "quat_inverse": inputs(q=numbers(4)),
    "quat_normalize": inputs(q=numbers(4)),
    "quat_rotate": inputs(q=units, v=vectors),
    "quat_to_matrix": inputs(q=units),
    "quat_from_matrix": inputs(matrix=matrices),
    "quat_from_rotation_vector": inputs(v=lambda rng: 2 * directions(rng) * angles(rng)[:, None]),
    "quat_to_rotation_vector": inputs(q=units),
    "quat_from_axis_angle": inputs(axis=vectors, angle=lambda rng: 2 * angles(rng)),
    "quat_to_axis_angle": inputs(q=units),
    "quat_log": inputs(q=units),
    "quat_exp": inputs(q=exponents),
    "quat_power": inputs(q=turns, t=lambda rng: rng.uniform(-1, 1, COUNT)),
    "quat_slerp": pairs(units, turned),
    "quat_nlerp": pairs(units, turned),
    "quat_swing_twist": inputs(q=apart, axis=directions),
    "quat_angle_between": inputs(a=units, b=units),
    "quat_mean": inputs(q=cluster, weights=weights(3)),
    "dual_quat_multiply": inputs(a=numbers(8), b=numbers(8)),
    "dual_quat_inverse": inputs(q=numbers(8)),
    "dual_quat_normalize": inputs(q=numbers(8)),
    "dual_quat_from_quat_translation": inputs(rotation=units, translation=vectors),
    "dual_quat_to_quat_translation": inputs(q=rigids),
    "dual_quat_to_matrix": inputs(q=rigids),
    "dual_quat_transform_point": inputs(q=rigids, p=vectors),
    "dual_quat_transform_vector": inputs(q=rigids, v=vectors),
    "dual_quat_log": inputs(q=screws),
    "dual_quat_exp": inputs(q=dual_exponents),
    "dual_quat_power": inputs(q=screws, t=lambda rng: rng.uniform(-1, 1, COUNT)),
    "dual_quat_sclerp": pairs(rigids, moved),
    "dual_quat_dlb": inputs(q=motions, weights=weights(4)),
    "trs_to_matrix": inputs(trs=trs),
    "trs_transform_point": inputs(trs=trs, p=vectors),
    "trs_transform_vector": inputs(trs=trs, v=vectors),
}  # fmt: skip


NEAR = {
    "quat_log": inputs(q=almost_full_turns),
    "quat_power": inputs(q=almost_full_turns, t=lambda rng: rng.uniform(-1, 1, COUNT)),
    "quat_slerp": pairs(units, lambda a, rng: hamilton(a, almost_full_turns(rng))),
    "dual_quat_log": inputs(q=almost_full_screws),
    "dual_quat_power": inputs(q=almost_full_screws, t=lambda rng: rng.uniform(-1, 1, COUNT)),
    "dual_quat_sclerp": pairs(
        rigids, lambda a, rng: rigid(hamilton(a[:, :4], almost_full_turns(rng)), vectors(rng))
    ),
}

# w >= 0, of which nothing is left where w is 0 up to rounding. Their signs are tested with the functions.
SIGN_FREE = {"quat_from_matrix", "quat_mean"}


def parts(count):
    """Which numbers share a scale: halves of dual quaternions, three parts of a trs."""
    return {8: [slice(0, 4), slice(4, 8)], 10: [slice(0, 3), slice(3, 7), slice(7, 10)]}.get(
        count, [slice(0, count)]
    )


def flat(value):
    return [number for item in value for number in flat(item)] if isinstance(value, list) else [value]


def row_scales(function, given, want):
    """The unit of error for each number of each output, for one row."""
    if function.terms is not None:
        terms = function.terms(**{name: Terms.of(value) for name, value in given.items()})
        return {name: flat(Terms.sizes(value)) for name, value in terms.items()}
    # Lengths that go in may be larger than the length that comes out; rotations are one.
    lengths = [abs(number) for value in given.values() for number in _dual_parts(value)]
    scales = {}
    for name, value in want.items():
        result = [abs(float(number)) for number in flat(value)]
        for part in function.groups.get(name, parts(len(result))):
            largest = max(result[part])
            if part.start == 4 and lengths:
                largest = max(largest, float(max(lengths)))
            if function.name == "quat.log" and part.start == 3:
                largest = max(largest, 1.0)  # ln |q|, of which a unit quaternion's rounding is all
            result[part] = [largest] * len(result[part])
        scales[name] = result
    return scales


def _dual_parts(value):
    if isinstance(value, list) and value and isinstance(value[0], list):
        return [number for item in value for number in _dual_parts(item)]
    return value[4:8] if isinstance(value, list) and len(value) == 8 else []


def worst_error(name, given, dtype, **options):
    """Of all rows, in units of their scales."""
    function = FUNCTIONS[name]
    given = {key: value.astype(dtype) for key, value in given.items()}
    room, short = function.name.split(".")
    along = {"axis": 1} if name == "quat_mean" else {}  # a mean per row
    got = getattr(getattr(lissom, room), short)(**given, **options, **along)
    got = dict(zip(function.outputs, got if len(function.outputs) > 1 else [got], strict=True))
    assert all(value.dtype == dtype for value in got.values())
    worst = 0.0
    for row in range(COUNT):
        one = {key: exact(value[row].tolist()) for key, value in given.items()}
        want = function.reference(**one, **options)
        scales = row_scales(function, one, want)
        for key, value in want.items():
            numbers, target = flat(np.asarray(got[key][row]).tolist()), flat(value)
            if name in SIGN_FREE and sum(x * y for x, y in zip(numbers, target, strict=True)) < 0:
                numbers = [-number for number in numbers]
            for number, right, scale in zip(numbers, target, scales[key], strict=True):
                off = abs(float(number - right))
                worst = max(worst, off / scale if scale else (np.inf if off else 0.0))
    return worst


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", SWEEPS)
def test_random_input(name, dtype, record_property):
    worst = worst_error(name, SWEEPS[name](np.random.default_rng(len(name))), dtype)
    record_property("worst", worst)
    assert worst <= (PRODUCT if FUNCTIONS[name].terms is not None else REGULAR)[dtype]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", NEAR)
def test_random_input_near_a_full_turn(name, dtype, record_property):
    options = {"short": False} if "lerp" in name else {}
    worst = worst_error(name, NEAR[name](np.random.default_rng(len(name))), dtype, **options)
    record_property("worst", worst)
    assert worst <= NEAR_SINGULAR[dtype]
