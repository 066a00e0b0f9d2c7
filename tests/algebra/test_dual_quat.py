# SPDX-License-Identifier: MIT
"""The algebra of dual quaternions: products, conjugates, inverses, lengths, comparisons."""

import numpy as np
import pytest

from dual_quat_samples import DTYPES, TOLERANCE, units
from lissom import dual_quat
from reference import dual_quat as twin

IDENTITY = [0.0, 0, 0, 1, 0, 0, 0, 0]


def test_identity_moves_nothing():
    assert dual_quat.identity().tolist() == IDENTITY
    assert dual_quat.identity().dtype == np.float32
    assert dual_quat.identity(3).shape == (3, 8)
    assert dual_quat.identity((2, 3), np.float64).dtype == np.float64
    assert dual_quat.identity(scalar_first=True).tolist() == [1, 0, 0, 0, 0, 0, 0, 0]
    p = np.array([1.5, -2, 3])
    np.testing.assert_array_equal(dual_quat.transform_point(dual_quat.identity(dtype=float), p), p)
    with pytest.raises(TypeError, match=r"identity: dtype must be float32 or float64, got int64"):
        dual_quat.identity(dtype=np.int64)


def test_the_dual_unit_squares_to_zero_and_units_follow_hamilton():
    # Clifford 1873: eps^2 = 0, i j = k, and eps commutes with all.
    i, j, k, one, *_ = np.eye(8)
    eps_i, eps = np.eye(8)[4], np.eye(8)[7]
    np.testing.assert_array_equal(dual_quat.multiply(eps, eps), np.zeros(8))
    np.testing.assert_array_equal(dual_quat.multiply(i, j), k)
    np.testing.assert_array_equal(dual_quat.multiply(j, i), -k)
    np.testing.assert_array_equal(dual_quat.multiply(eps, i), eps_i)
    np.testing.assert_array_equal(dual_quat.multiply(i, eps), eps_i)
    np.testing.assert_array_equal(dual_quat.multiply(eps_i, i), -eps)
    np.testing.assert_array_equal(dual_quat.multiply(one, k), k)


@pytest.mark.parametrize("dtype", DTYPES)
def test_functions_match_the_twin(dtype):
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 50, 8)).astype(dtype)
    s = rng.normal(size=50).astype(dtype)
    wide = a.astype(np.float64)
    for got, expected in [
        (dual_quat.add(a, b), wide + b),
        (dual_quat.scale(a, s), wide * s[:, None]),
        (dual_quat.multiply(a, b), twin.multiply(a, b)),
        (dual_quat.conjugate(a), twin.conjugate(a)),
        (dual_quat.dual_conjugate(a), wide * np.repeat([1, -1], 4)),
        (dual_quat.combined_conjugate(a), twin.conjugate(wide * np.repeat([1, -1], 4))),
        (dual_quat.normalize(a), twin.normalize(a)),
        (dual_quat.dot(a, b), np.sum(wide[:, :4] * b[:, :4], -1)),
    ]:
        assert got.dtype == dtype
        np.testing.assert_allclose(got, expected, atol=4 * TOLERANCE[dtype], rtol=4 * TOLERANCE[dtype])
    size = np.abs(twin.inverse(a)).max(-1, keepdims=True)
    np.testing.assert_allclose(dual_quat.inverse(a) / size, twin.inverse(a) / size, atol=4 * TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
def test_products_move_by_the_second_then_the_first(dtype):
    rng = np.random.default_rng(3)
    a, b = units(rng, 2, 100, dtype=dtype)
    p = rng.normal(size=(100, 3)).astype(dtype)
    got = dual_quat.transform_point(dual_quat.multiply(a, b), p)
    expected = dual_quat.transform_point(a, dual_quat.transform_point(b, p))
    np.testing.assert_allclose(got, expected, atol=4 * TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
def test_points_and_vectors_move_as_by_the_matrix(dtype):
    rng = np.random.default_rng(4)
    q = units(rng, 100, dtype=dtype)
    p = rng.normal(size=(100, 3)).astype(dtype)
    for sign in (1, -1):
        got = dual_quat.transform_point(sign * q, p)
        assert got.dtype == dtype
        np.testing.assert_allclose(got, twin.transform_point(q, p), atol=2 * TOLERANCE[dtype])
        linear = twin.to_matrix(q)[:, :3, :3]
        turned = np.einsum("nij,nj->ni", linear, p)
        np.testing.assert_allclose(dual_quat.transform_vector(sign * q, p), turned, atol=2 * TOLERANCE[dtype])


def test_the_sandwich_with_the_combined_conjugate_moves_points():
    # p as 1 + eps (x i + y j + z k) (Kavan et al. 2008, section 3).
    rng = np.random.default_rng(5)
    q, p = units(rng, 20), rng.normal(size=(20, 3))
    point = np.concatenate([np.tile([0.0, 0, 0, 1], (20, 1)), p, np.zeros((20, 1))], -1)
    moved = dual_quat.multiply(dual_quat.multiply(q, point), dual_quat.combined_conjugate(q))
    np.testing.assert_allclose(moved[:, :4], point[:, :4], atol=1e-14)
    np.testing.assert_allclose(moved[:, 4:7], dual_quat.transform_point(q, p), atol=1e-14)


@pytest.mark.parametrize("dtype", DTYPES)
def test_inverses_undo_from_both_sides(dtype):
    rng = np.random.default_rng(6)
    q = units(rng, 50, dtype=dtype)
    np.testing.assert_allclose(dual_quat.inverse(q), dual_quat.conjugate(q), atol=TOLERANCE[dtype])
    general = dual_quat.scale(q, dtype(3)) + rng.normal(size=(50, 8)).astype(dtype) * dtype(0.3)
    for product in (
        dual_quat.multiply(general, dual_quat.inverse(general)),
        dual_quat.multiply(dual_quat.inverse(general), general),
    ):
        np.testing.assert_allclose(product, np.tile(IDENTITY, (50, 1)), atol=2 * TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
def test_normalized_is_unit_in_both_senses_and_moves_alike(dtype):
    rng = np.random.default_rng(7)
    q = rng.normal(size=(100, 8)).astype(dtype)
    unit = dual_quat.normalize(q)
    wide = unit.astype(np.float64)
    np.testing.assert_allclose(np.linalg.norm(wide[:, :4], axis=-1), 1, atol=TOLERANCE[dtype])
    size = np.linalg.norm(wide[:, 4:], axis=-1)
    assert np.all(np.abs(np.sum(wide[:, :4] * wide[:, 4:], -1)) <= TOLERANCE[dtype] * (1 + size))
    # What it removes lies along the real half and moves nothing.
    length = np.linalg.norm(q[:, :4].astype(np.float64), axis=-1, keepdims=True)
    off = wide[:, 4:] - q[:, 4:] / length
    along = np.sum(off * wide[:, :4], -1, keepdims=True) * wide[:, :4]
    np.testing.assert_allclose(off, along, atol=8 * TOLERANCE[dtype])
    np.testing.assert_allclose(dual_quat.normalize(unit), unit, atol=TOLERANCE[dtype])


@pytest.mark.parametrize(
    ("dtype", "factors"),
    [
        (np.float32, [1e-38, 1e-25, 4e-16, 1e18, 1e25, 1e37]),
        (np.float64, [1e-307, 1e-200, 1e-130, 1e130, 1e200, 1e307]),
    ],
)
def test_the_tiniest_and_the_largest_normalize_and_invert(dtype, factors):
    q = units(np.random.default_rng(8), 20)
    for factor in factors:
        scaled = (factor * q).astype(dtype)
        np.testing.assert_allclose(dual_quat.normalize(scaled), q, atol=TOLERANCE[dtype])
        inverse = dual_quat.inverse(scaled).astype(np.float64) * factor
        np.testing.assert_allclose(inverse, twin.conjugate(q), atol=2 * TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
def test_no_real_part_is_refused_or_made_the_identity(dtype):
    q = units(np.random.default_rng(9), 2, 3, dtype=dtype)
    q[1, 2, :4] = 0
    with pytest.raises(
        ValueError,
        match=r"dual_quat\.normalize: q must have a real part that is not zero, got zero at index \(1, 2\); "
        r'pass zero="identity" to take it for no motion$',
    ):
        dual_quat.normalize(q)
    with pytest.raises(ValueError, match=r"dual_quat\.inverse: q must have a real part .* at index \(1, 2\)"):
        dual_quat.inverse(q)
    out = np.full_like(q, 5)
    for call in (dual_quat.normalize, dual_quat.inverse):
        with pytest.raises(ValueError, match="real part"):
            call(q, out=out)
        with pytest.raises(ValueError, match=r"real part .* at index 1\b"):
            call(q[1, 1:])
    assert (out == 5).all()
    kept = dual_quat.normalize(q, zero="identity")
    assert kept[1, 2].tolist() == IDENTITY
    np.testing.assert_array_equal(kept[0], dual_quat.normalize(q[0]))
    with pytest.raises(ValueError, match=r'normalize: zero must be "error" or "identity", got \'nan\''):
        dual_quat.normalize(q, zero="nan")
    # A real part whose square is nothing is still one.
    tiny = np.zeros(8, dtype)
    tiny[0] = np.finfo(dtype).smallest_subnormal
    assert dual_quat.normalize(tiny).tolist() == [1, 0, 0, 0, 0, 0, 0, 0]


def test_dot_is_of_the_real_parts():
    rng = np.random.default_rng(10)
    a, b = units(rng, 2, 30)
    np.testing.assert_allclose(dual_quat.dot(a, b), np.sum(a[:, :4] * b[:, :4], -1), atol=1e-15)
    np.testing.assert_array_equal(dual_quat.dot(a, -b), -dual_quat.dot(a, b))


def test_equal_compares_every_number():
    a = units(np.random.default_rng(11))
    assert dual_quat.equal(a, a)
    assert not dual_quat.equal(a, -a)
    for i in range(8):
        near, far = a.copy(), a.copy()
        near[i] += 0.9e-6
        far[i] += 5e-6
        assert dual_quat.equal(a, near), i
        assert not dual_quat.equal(a, far), i
        assert dual_quat.equal(a, far, tolerance=1e-5), i
    distant = twin.from_rotation_translation([0, 0, 0, 1], [2e4, 0, 0])
    moved = distant + np.eye(8)[4] * 0.9e-2
    assert dual_quat.equal(distant, moved)
    assert dual_quat.equal(moved, distant)
    assert not dual_quat.equal(distant, distant + np.eye(8)[4] * 1.1e-2)
    assert not dual_quat.equal(distant, distant + np.eye(8)[0] * 1e-4)


@pytest.mark.parametrize("call", [dual_quat.equal, dual_quat.same_transform])
def test_the_longer_one_is_the_unit_of_tolerance(call):
    a, b = (twin.from_rotation_translation([0, 0, 0, 1], [x, 0, 0]) for x in (4.0, 8.0))
    for one, other in ((a, b), (b, a)):
        assert call(one, other, tolerance=0.51)
        assert not call(one, other, tolerance=0.49)


def test_a_zero_quaternion_is_never_the_same_transform():
    for other in ([0, 0, 0, 1.0, 0, 0, 0, 0], np.zeros(8)):
        assert not dual_quat.same_transform(np.zeros(8), other)
        assert not dual_quat.same_transform(other, np.zeros(8))


def test_same_transform_is_blind_to_the_sign_and_to_nothing_else():
    rng = np.random.default_rng(12)
    a = units(rng, 40)
    assert dual_quat.same_transform(a, -a).all()
    assert dual_quat.same_transform(a, a, tolerance=1e-14).all()
    axis = rng.normal(size=(40, 3))
    for angle, expected in ((0.9e-5, True), (1.1e-5, False), (1.0, False), (np.pi, False)):
        turn = np.zeros((40, 8))
        turn[:, :4] = twin.quat.from_axis_angle(axis, np.full(40, angle))
        turned = twin.multiply(turn, twin.from_rotation_translation(a[:, :4], np.zeros((40, 3))))
        unmoved = twin.from_rotation_translation(a[:, :4], np.zeros((40, 3)))
        assert (dual_quat.same_transform(unmoved, turned) == expected).all()
        assert (dual_quat.same_transform(turned, -unmoved) == expected).all()
    for size, step, expected in (
        (0.1, 0.9e-5, True),
        (0.1, 1.1e-5, False),
        (1e3, 0.9e-2, True),
        (1e3, 1.1e-2, False),
    ):
        one = twin.from_rotation_translation([0, 0, 0.6, 0.8], [size, 0, 0])
        other = twin.from_rotation_translation([0, 0, -0.6, -0.8], [size, step, 0])
        assert dual_quat.same_transform(one, other) == expected


def test_a_mere_scaling_is_not_equal():
    # A peer compared w with itself and took (0, 0, 0, 1) for (0, 0, 0, 0.2).
    assert not dual_quat.equal(IDENTITY, [0, 0, 0, 0.2, 0, 0, 0, 0])


def test_a_million_products_drift_slowly_and_normalize_mends_it():
    power = units(np.random.default_rng(13), offset=1e-3)
    for _ in range(20):  # 2^20 factors, by squaring
        power = dual_quat.multiply(power, power)
    assert 0 < abs(np.linalg.norm(power[:4]) - 1) < 1e-8
    q = dual_quat.normalize(power)
    assert abs(np.linalg.norm(q[:4]) - 1) < 1e-15
    assert abs(q[:4] @ q[4:]) < 1e-12 * np.linalg.norm(q[4:])
