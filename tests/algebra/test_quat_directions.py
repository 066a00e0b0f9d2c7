# SPDX-License-Identifier: MIT
import numpy as np
import pytest

from lissom import quat
from reference import quat as twin

DTYPES = [np.float32, np.float64]
TOLERANCE = {np.float32: 6e-7, np.float64: 1e-15}  # a few roundings of numbers near one
FUNCTIONS = [quat.from_to, quat.look_rotation]


def vectors(seed, *shape, dtype=np.float64):
    return np.random.default_rng(seed).normal(size=(*shape, 3)).astype(dtype)


def unit(v):
    v = np.asarray(v, np.float64)
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def units(seed, *shape, dtype=np.float64):
    return unit(np.random.default_rng(seed).normal(size=(*shape, 4))).astype(dtype)


def assert_same_rotation(got, expected, tolerance):
    sign = np.where(np.sum(got * expected, -1, keepdims=True) < 0, -1, 1)
    np.testing.assert_allclose(sign * got, expected, atol=tolerance, rtol=0)


def at_right_angles(v):
    return unit(np.cross(v, np.roll(v, 1, -1) + np.array([0.3, -0.2, 0.1])))


# ---- from_to ----


def test_from_to_known_values():
    half = np.sqrt(0.5)
    np.testing.assert_allclose(quat.from_to([2, 0, 0], [0, 3, 0]), [0, 0, half, half], atol=1e-16)
    np.testing.assert_array_equal(quat.from_to([0.3, 0.4, 0.5], [0.6, 0.8, 1.0]), [0, 0, 0, 1])


@pytest.mark.parametrize("dtype", DTYPES)
def test_from_to_is_the_shortest_arc(dtype):
    a, b = vectors(1, 2, 500, dtype=dtype)
    q = quat.from_to(a, b)
    assert q.dtype == dtype
    np.testing.assert_allclose(twin.rotate(q, unit(a)), unit(b), atol=2 * TOLERANCE[dtype])
    # About an axis perpendicular to both.
    np.testing.assert_allclose(np.sum(q[:, :3] * unit(a), -1), 0, atol=TOLERANCE[dtype])
    np.testing.assert_allclose(np.sum(q[:, :3] * unit(b), -1), 0, atol=TOLERANCE[dtype])
    assert (q[:, 3] >= 0).all()
    # The arc cosine of the twin, and float32 inputs, limit this.
    np.testing.assert_allclose(
        q, twin.from_to(a.astype(float), b.astype(float)), atol=2e-6 if dtype == np.float32 else 1e-12
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "off", [0, 1e-300, 1e-17, 1e-16, 3e-16, 1e-15, 1e-12, 1e-9, 1e-8, 1e-7, 1e-6, 1e-4, 1e-2]
)
def test_from_to_is_right_however_near_to_opposite(dtype, off):
    a = unit(vectors(2, 300))
    b = off * at_right_angles(a) - a
    a, b = (3 * a).astype(dtype), (0.7 * b).astype(dtype)
    q = quat.from_to(a, b).astype(np.float64)
    np.testing.assert_allclose(np.linalg.norm(q, axis=-1), 1, atol=TOLERANCE[dtype])
    limit = 1e-12 if dtype == np.float64 else 4e-6
    np.testing.assert_allclose(twin.rotate(q, unit(a)), unit(b), atol=min(limit, 8 * TOLERANCE[dtype]))
    np.testing.assert_allclose(np.sum(q[:, :3] * unit(a), -1), 0, atol=2 * TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
def test_from_to_turns_opposite_directions_about_the_documented_axis(dtype):
    for a, axis in [
        ([1, 0, 0], [0, 0, 1]),  # farthest from y and z; of those y: x cross y
        ([0, 1, 0], [0, 0, -1]),
        ([0, 0, 1], [0, 1, 0]),
        ([3, 0, 4], [-0.8, 0, 0.6]),
        ([0.1, 5, 5], [0, np.sqrt(0.5), -np.sqrt(0.5)]),
    ]:
        a = np.array(a, dtype)
        for b in [-a, -3 * a, a * dtype(-1e-20)]:
            np.testing.assert_allclose(quat.from_to(a, b), [*axis, 0], atol=TOLERANCE[dtype])


def test_from_to_keeps_the_smallest_angles():
    a = np.array([0, 0, 1.0])
    for angle in [1e-200, 1e-12, 1e-7, 1e-3]:
        q = quat.from_to(a, [0, np.tan(angle), 1])
        np.testing.assert_allclose(q, [-np.sin(angle / 2), 0, 0, np.cos(angle / 2)], rtol=1e-12, atol=0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_lengths_do_not_matter(dtype):
    a, b = vectors(3, 2, 20, dtype=dtype)
    for function in FUNCTIONS:
        expected = function(a, b)
        for scale in [2.0**-120, 2.0**-60, 2.0**60, 2.0**120]:
            np.testing.assert_array_equal(function(dtype(scale) * a, dtype(scale) * b), expected)


# ---- look_rotation ----


def test_look_rotation_known_values():
    half = np.sqrt(0.5)
    np.testing.assert_array_equal(quat.look_rotation([0, 0, 2]), [0, 0, 0, 1])
    np.testing.assert_allclose(quat.look_rotation([1, 0, 0]), [0, half, 0, half], atol=1e-16)
    np.testing.assert_allclose(np.abs(quat.look_rotation([0, 0, -1])), [0, 1, 0, 0], atol=1e-16)
    np.testing.assert_allclose(quat.look_rotation([0, 0, 1], [-1, 0, 0]), [0, 0, half, half], atol=1e-16)


@pytest.mark.parametrize("dtype", DTYPES)
def test_look_rotation_turns_z_forward_and_y_up(dtype):
    forward, up = vectors(4, 2, 500, dtype=dtype)
    q = quat.look_rotation(forward, up)
    assert q.dtype == dtype
    assert (q[:, 3] >= 0).all()
    assert_same_rotation(
        q, twin.look_rotation(forward.astype(float), up.astype(float)), 100 * TOLERANCE[dtype]
    )
    np.testing.assert_allclose(twin.rotate(q, [0, 0, 1.0]), unit(forward), atol=2 * TOLERANCE[dtype])
    assert (np.sum(twin.rotate(q, [0, 1.0, 0]) * up, -1) > 0).all()
    np.testing.assert_allclose(
        np.sum(twin.rotate(q, [1.0, 0, 0]) * unit(up), -1), 0, atol=2 * TOLERANCE[dtype]
    )


@pytest.mark.parametrize("off", [1e-14, 1e-12, 1e-8, 1e-4])
def test_look_rotation_with_up_nearly_forward(off):
    forward = unit(vectors(5, 200))
    side = at_right_angles(forward)
    q = quat.look_rotation(forward, forward + off * side)
    np.testing.assert_allclose(np.linalg.norm(q, axis=-1), 1, atol=1e-15)
    np.testing.assert_allclose(twin.rotate(q, [0, 0, 1.0]), forward, atol=4e-15)
    # As near as the roundings of `up` let it be known.
    np.testing.assert_allclose(twin.rotate(q, [0, 1.0, 0]), side, atol=1e-15 + 1e-15 / off)


@pytest.mark.parametrize("dtype", DTYPES)
def test_look_rotation_with_up_parallel_is_the_shortest_from_z(dtype):
    forward = vectors(6, 200, dtype=dtype)
    for up in [forward, -forward, dtype(7) * forward]:
        np.testing.assert_array_equal(
            quat.look_rotation(forward, up), quat.from_to(np.array([0, 0, 1], dtype), forward)
        )
    np.testing.assert_allclose(
        quat.look_rotation([[0, 1, 0], [0, -1, 0]]), quat.from_to([0, 0, 1], [[0, 1, 0], [0, -1, 0]]), atol=0
    )
    back = np.array([0, 0, -1], dtype)
    np.testing.assert_array_equal(quat.look_rotation(back, back), [0, 1, 0, 0])


def test_up_is_y_in_the_precision_of_forward():
    forward = vectors(7, 9)
    for given in [forward, forward.astype(np.float32)]:
        q = quat.look_rotation(given)
        assert q.dtype == given.dtype
        np.testing.assert_array_equal(q, quat.look_rotation(given, np.array([0, 1, 0], given.dtype)))
    assert quat.look_rotation([1, 2, 3]).dtype == np.float64


# ---- swing_twist ----


def test_swing_twist_known_values():
    swing, twist = quat.swing_twist(quat.from_axis_angle([0, 1, 0], 1.0), [0, 5, 0])
    np.testing.assert_allclose(swing, [0, 0, 0, 1], atol=1e-16)
    np.testing.assert_allclose(twist, quat.from_axis_angle([0, 1, 0], 1.0), atol=1e-16)
    swing, twist = quat.swing_twist(quat.from_axis_angle([1, 0, 0], 1.0), [0, 5, 0])
    np.testing.assert_allclose(swing, quat.from_axis_angle([1, 0, 0], 1.0), atol=1e-16)
    np.testing.assert_array_equal(twist, [0, 0, 0, 1])


@pytest.mark.parametrize("dtype", DTYPES)
def test_swing_twist_matches_the_twin(dtype):
    q, axis = units(8, 500, dtype=dtype), vectors(8, 500, dtype=dtype)
    for sign in (1, -1):
        got = quat.swing_twist(sign * q, axis)
        expected = twin.swing_twist(sign * q.astype(float), axis.astype(float))
        for part, wanted in zip(got, expected, strict=True):
            assert part.dtype == dtype
            # The twist is known as well as its part of q is large.
            known = np.hypot(np.sum(q[:, :3] * unit(axis), -1), q[:, 3])[:, None]
            assert (np.abs(part - wanted) * known).max() < 2 * TOLERANCE[dtype]


@pytest.mark.parametrize("dtype", DTYPES)
def test_swing_times_twist_is_q(dtype):
    q, axis = units(9, 500, dtype=dtype), vectors(9, 500, dtype=dtype)
    for given in (q, -q, dtype(3) * q):
        swing, twist = quat.swing_twist(given, axis)
        np.testing.assert_allclose(twin.multiply(swing, twist), given, atol=6 * TOLERANCE[dtype])
        np.testing.assert_allclose(np.linalg.norm(twist, axis=-1), 1, atol=TOLERANCE[dtype])
        assert (twist[:, 3] >= 0).all()
        np.testing.assert_allclose(np.cross(twist[:, :3], unit(axis)), 0, atol=TOLERANCE[dtype])
        np.testing.assert_allclose(np.sum(swing[:, :3] * unit(axis), -1), 0, atol=6 * TOLERANCE[dtype])


def test_the_twist_does_not_depend_on_the_sign():
    q = np.concatenate([units(10, 100), np.eye(4), -np.eye(4), [[1, 2, 3, 0]]])
    for axis in np.eye(3):
        swing, twist = quat.swing_twist(q, axis)
        other_swing, other_twist = quat.swing_twist(-q, axis)
        np.testing.assert_array_equal(other_twist, twist)
        np.testing.assert_array_equal(other_swing, -swing)


def test_swings_of_half_a_turn_leave_no_twist():
    axis = unit(vectors(11, 50))
    swing = np.pad(at_right_angles(axis), [(0, 0), (0, 1)])
    for q in (swing, -swing, swing + np.array([0, 0, 0, 1e-17])):
        got, twist = quat.swing_twist(q, axis)
        np.testing.assert_array_equal(twist, np.broadcast_to([0, 0, 0, 1.0], twist.shape))
        np.testing.assert_array_equal(got, q)


def test_the_twist_is_right_next_to_half_a_turn():
    # q = swing twist with a swing of pi - 1e-6 and a twist of 1 radian.
    swing = quat.from_axis_angle([1, 0, 0], np.pi - 1e-6)
    twist = quat.from_axis_angle([0, 1, 0], 1.0)
    got = quat.swing_twist(twin.multiply(swing, twist), [0, 1, 0])
    np.testing.assert_allclose(got[0], swing, atol=1e-9)
    np.testing.assert_allclose(got[1], twist, atol=1e-9)


# ---- What arrays come in and go out. ----


def test_nan_propagates():
    bad = [np.nan, 0, 1]
    for function in FUNCTIONS:
        assert np.isnan(function(bad, [1, 0, 0])).any()
        assert np.isnan(function([1, 0, 0], bad)).any()
        assert np.isnan(function([1, 0, 0], [0, np.inf, 0])).any()
    for part in quat.swing_twist([0, 0, np.nan, 1], [0, 0, 1]):
        assert np.isnan(part).any()
    for part in quat.swing_twist([0, 0, 0.6, 0.8], [0, 0, np.nan]):
        assert np.isnan(part).any()


ROWS = np.ones((2, 3))
ZERO_AT_1 = np.array([[1.0, 0, 0], [0, 0, 0]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: quat.from_to(ZERO_AT_1, ROWS), "^quat.from_to: a must not be zero, got zero at index 1$"),
        (lambda: quat.from_to(ROWS, ZERO_AT_1), "^quat.from_to: b must not be zero, got zero at index 1$"),
        (lambda: quat.from_to([1, 0], ROWS), r"quat.from_to: a must have shape \(..., 3\), got \(2,\)"),
        (
            lambda: quat.look_rotation(ZERO_AT_1),
            "^quat.look_rotation: forward must not be zero, got zero at index 1$",
        ),
        (
            lambda: quat.look_rotation([1, 0, 0], np.zeros(3)),
            "^quat.look_rotation: up must not be zero, got zero$",
        ),
        (
            lambda: quat.look_rotation(np.ones(4)),
            r"quat.look_rotation: forward must have shape \(..., 3\), got \(4,\)",
        ),
        (
            lambda: quat.swing_twist(np.ones(4), ZERO_AT_1),
            "^quat.swing_twist: axis must not be zero, got zero at index 1$",
        ),
        (
            lambda: quat.swing_twist(np.zeros(4), ROWS),
            "^quat.swing_twist: q must not be zero, got zero at index 0$",
        ),
        (
            lambda: quat.swing_twist(np.ones(3), ROWS),
            r"quat.swing_twist: q must have shape \(..., 4\), got \(3,\)",
        ),
        (
            lambda: quat.swing_twist(np.ones((3, 4)), ROWS),
            r"leading axes must broadcast, got q \(3,\), axis \(2,\)",
        ),
    ],
)
def test_refuses(call, message):
    with pytest.raises(ValueError, match=message):
        call()
