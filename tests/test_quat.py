# SPDX-License-Identifier: MIT
import numpy as np
import pytest

from lissom import _core, quat
from reference import quat as twin

TOLERANCE = {np.float32: 1e-6, np.float64: 1e-14}  # a few roundings of numbers near one
DTYPES = [np.float32, np.float64]


def units(rng, *shape, dtype=np.float64):
    q = rng.normal(size=(*shape, 4))
    return (q / np.linalg.norm(q, axis=-1, keepdims=True)).astype(dtype)


def assert_same_rotation(got, expected, tolerance):
    sign = np.where(np.sum(got * expected, -1, keepdims=True) < 0, -1, 1)
    np.testing.assert_allclose(sign * got, expected, atol=tolerance, rtol=0)


def test_product_follows_hamiltons_rules():
    i, j, k = np.eye(4)[:3]
    np.testing.assert_array_equal(quat.multiply(i, j), k)
    np.testing.assert_array_equal(quat.multiply(j, k), i)
    np.testing.assert_array_equal(quat.multiply(k, i), j)
    np.testing.assert_array_equal(quat.multiply(i, i), [0, 0, 0, -1])


def test_quarter_turn_about_z_takes_x_to_y():
    q = quat.from_axis_angle([0, 0, 2], np.pi / 2)
    assert q.dtype == np.float32
    np.testing.assert_allclose(quat.rotate(q, [1, 0, 0]), [0, 1, 0], atol=1e-6)


@pytest.mark.parametrize("dtype", DTYPES)
def test_functions_match_the_twin_and_keep_the_dtype(dtype):
    rng = np.random.default_rng(1)
    a, b = units(rng, 5, 1, dtype=dtype), units(rng, 6, dtype=dtype)
    v = rng.normal(size=(6, 3)).astype(dtype)
    angle = rng.uniform(-7, 7, (5, 1)).astype(dtype)
    t = rng.uniform(size=(5, 1)).astype(dtype)
    for got, expected in [
        (quat.multiply(a, b), twin.multiply(a, b)),
        (quat.conjugate(a), twin.conjugate(a)),
        (quat.normalize(3 * a), a),
        (quat.rotate(a, v), twin.rotate(a, v)),
        (quat.to_matrix(a), twin.to_matrix(a)),
        (
            quat.from_axis_angle(v, angle),
            twin.from_axis_angle(np.broadcast_to(v, (5, 6, 3)), angle + np.zeros(6)),
        ),
        (quat.from_rotation_vector(v), twin.from_axis_angle(v, np.linalg.norm(v, axis=-1))),
        (quat.slerp(a, b, t), twin.slerp(a, b, t)),
    ]:
        assert got.dtype == dtype
        np.testing.assert_allclose(got, expected, atol=5 * TOLERANCE[dtype], rtol=0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("angle", [0, 1e-9, 1e-4, 1, np.pi / 2, 3, np.pi - 1e-9, np.pi])
def test_matrices_come_back_at_every_angle(dtype, angle):
    rng = np.random.default_rng(2)
    q = quat.from_axis_angle(rng.normal(size=(50, 3)).astype(dtype), dtype(angle))
    back = quat.from_matrix(quat.to_matrix(q))
    assert back.dtype == dtype
    assert (back[..., 3] >= 0).all()
    assert_same_rotation(back, q, TOLERANCE[dtype])


def test_half_turns_about_the_axes_come_back():
    for axis in np.eye(3):
        np.testing.assert_allclose(quat.from_matrix(2 * np.outer(axis, axis) - np.eye(3)), [*axis, 0], atol=0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_from_to_is_the_shortest_arc(dtype):
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 100, 3)).astype(dtype)
    q = quat.from_to(a, b)
    assert q.dtype == dtype
    ua, ub = (v / np.linalg.norm(v, axis=-1, keepdims=True) for v in (a, b))
    np.testing.assert_allclose(quat.rotate(q, ua), ub, atol=2 * TOLERANCE[dtype])
    cosine = np.sum(ua * ub, -1)
    np.testing.assert_allclose(2 * q[..., 3] ** 2 - 1, cosine, atol=4 * TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("off", [0, 1e-12, 1e-8, 1e-6, 1e-4, 1e-3])
def test_from_to_turns_opposite_directions(dtype, off):
    rng = np.random.default_rng(4)
    a = rng.normal(size=(50, 3))
    a /= np.linalg.norm(a, axis=-1, keepdims=True)
    b = (-a + off * rng.normal(size=(50, 3))).astype(dtype)
    q = quat.from_to(a.astype(dtype), b)
    np.testing.assert_allclose(np.linalg.norm(q, axis=-1), 1, atol=TOLERANCE[dtype])
    b /= np.linalg.norm(b, axis=-1, keepdims=True)
    # Near the switch to the half turn, the direction of a x b is known to the square root of an ulp.
    np.testing.assert_allclose(quat.rotate(q, a.astype(dtype)), b, atol=4 * np.sqrt(np.finfo(dtype).eps))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("angle", [0, 1e-12, 1e-6, 1e-3, 1, 3])
def test_slerp_keeps_speed_and_takes_the_short_way(dtype, angle):
    rng = np.random.default_rng(5)
    a = units(rng, 20)
    axis = rng.normal(size=(20, 3))
    b = quat.multiply(a, quat.from_axis_angle(axis, angle * np.ones(20)))
    t = np.linspace(0, 1, 7)
    expected = quat.multiply(a, quat.from_axis_angle(axis, t[:, None] * angle))
    a, b, t = a.astype(dtype), b.astype(dtype), t.astype(dtype)
    for end in (b, -b):
        got = quat.slerp(a, end, t[:, None])
        assert got.dtype == dtype
        np.testing.assert_allclose(got, expected, atol=8 * TOLERANCE[dtype])


def test_rotation_vector_keeps_the_smallest_angles():
    v = np.array([[0, 0, 0], [1e-200, 0, 0], [0, 1e-9, 0]])
    np.testing.assert_array_equal(
        quat.from_rotation_vector(v), [[0, 0, 0, 1], [0.5e-200, 0, 0, 1], [0, 0.5e-9, 0, 1]]
    )


def test_scalar_first_moves_w_to_the_front():
    q = np.array([0.5, -0.5, 0.5, 0.5])
    first = np.array([0.5, 0.5, -0.5, 0.5])
    m = quat.to_matrix(q)
    np.testing.assert_array_equal(quat.to_matrix(first, scalar_first=True), m)
    np.testing.assert_array_equal(quat.from_matrix(m, scalar_first=True), first)
    axis, angle = q[:3], 2 * np.pi / 3
    np.testing.assert_allclose(quat.from_axis_angle(axis, angle, scalar_first=True), first, atol=1e-15)
    v = angle * axis / np.linalg.norm(axis)
    np.testing.assert_allclose(quat.from_rotation_vector(v, scalar_first=True), first, atol=1e-15)
    np.testing.assert_array_equal(quat.from_to([1, 0, 0], [1, 0, 0], scalar_first=True), [1, 0, 0, 0])


def test_precisions_mix_as_in_numpy():
    single, double = np.array([0, 0, 0.1, 1], np.float32), np.array([0, 0, 0, 1.0])
    assert quat.multiply(single, single).dtype == np.float32
    assert quat.multiply(single, double).dtype == np.float64
    assert quat.multiply([0, 0, 0.1, 1], [0, 0, 0, 1])[2] == 0.1


def test_numbers_beside_arrays_follow_numpys_promotion():
    a, b = np.array([[0, 0, 0, 1], [0, 0, 1, 0]], np.float32)
    for t in (0.5, 1, np.float32(0.5), np.float16(0.5), np.int8(1), True):
        assert _core.quat_slerp(a, b, t).dtype == np.float32
        np.testing.assert_array_equal(
            _core.quat_slerp(a, b, t), _core.quat_slerp(a, b, np.array(t, np.float32))
        )
    assert _core.quat_slerp(a, b, np.float64(0.5)).dtype == np.float64
    exact = _core.quat_slerp(a.astype(float), b.astype(float), np.float32(0.1))
    np.testing.assert_array_equal(
        exact, _core.quat_slerp(a.astype(float), b.astype(float), float(np.float32(0.1)))
    )


def test_what_has_no_direction_becomes_nan():
    assert np.isnan(quat.normalize(np.zeros(4))).all()
    assert np.isnan(quat.from_axis_angle(np.zeros(3), 1.0)[:3]).all()
    assert np.isnan(quat.rotate([0, 0, 0, 1], [0, np.nan, 0])).any()
    assert np.isnan(quat.from_matrix(np.full((3, 3), np.nan))).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: quat.multiply([0, 0, 1], [0, 0, 0, 1]), r"multiply: a must have shape \(..., 4\), got \(3,"),
        (lambda: quat.rotate([0, 0, 0, 1], [1, 0, 0, 0]), r"rotate: v must have shape \(..., 3\), got \(4,"),
        (lambda: quat.normalize(1.0), r"quat.normalize: q must have shape \(..., 4\), got \(\)"),
        (lambda: quat.from_matrix(np.eye(4)), r"matrix must have shape \(..., 3, 3\), got \(4, 4\); pass"),
        (lambda: quat.from_matrix(2 * np.eye(3)), "quat.from_matrix: matrix must hold rotations, got"),
        (lambda: quat.from_matrix(-np.eye(3)), "got one that scales, shears or mirrors"),
    ],
)  # fmt: skip
def test_refuses(call, message):
    with pytest.raises(ValueError, match=message):
        call()
