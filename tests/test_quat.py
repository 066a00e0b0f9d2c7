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
    np.testing.assert_allclose(quat.rotate(q, [1, 0, 0]), [0, 1, 0], atol=1e-6)


@pytest.mark.parametrize("dtype", DTYPES)
def test_functions_match_the_twin_and_keep_the_dtype(dtype):
    rng = np.random.default_rng(1)
    a, b = units(rng, 5, 1, dtype=dtype), units(rng, 6, dtype=dtype)
    v = rng.normal(size=(6, 3)).astype(dtype)
    t = rng.uniform(size=(5, 1)).astype(dtype)
    for got, expected in [
        (quat.multiply(a, b), twin.multiply(a, b)),
        (quat.conjugate(a), twin.conjugate(a)),
        (quat.normalize(3 * a), a),
        (quat.rotate(a, v), twin.rotate(a, v)),
        (quat.slerp(a, b, t), twin.slerp(a, b, t)),
    ]:
        assert got.dtype == dtype
        np.testing.assert_allclose(got, expected, atol=5 * TOLERANCE[dtype], rtol=0)


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
    assert np.isnan(quat.rotate([0, 0, 0, 1], [0, np.nan, 0])).any()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: quat.multiply([0, 0, 1], [0, 0, 0, 1]), r"multiply: a must have shape \(..., 4\), got \(3,"),
        (lambda: quat.rotate([0, 0, 0, 1], [1, 0, 0, 0]), r"rotate: v must have shape \(..., 3\), got \(4,"),
        (lambda: quat.normalize(1.0), r"quat.normalize: q must have shape \(..., 4\), got \(\)"),
    ],
)  # fmt: skip
def test_refuses(call, message):
    with pytest.raises(ValueError, match=message):
        call()
