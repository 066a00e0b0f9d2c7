# SPDX-License-Identifier: MIT
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from lissom import quat
from reference import quat as twin

# A few roundings of numbers near one.
TOLERANCE = {np.float32: 4e-7, np.float64: 1e-15}
DTYPES = [np.float32, np.float64]
CONVERSIONS = [
    (quat.from_rotation_vector, quat.to_rotation_vector),
    (lambda pair, **kw: quat.from_axis_angle(*pair, **kw), quat.to_axis_angle),
    (quat.from_matrix, quat.to_matrix),
]


def units(seed, *shape, dtype=np.float64):
    q = np.random.default_rng(seed).normal(size=(*shape, 4))
    return (q / np.linalg.norm(q, axis=-1, keepdims=True)).astype(dtype)


def positive(q):
    return np.where(q[..., 3:] < 0, -q, q)


def test_known_rotations():
    # A third of a turn about (1, 1, 1) moves x to y to z to x.
    third = np.array([0.5, 0.5, 0.5, 0.5])
    cycle = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0.0]])
    vector = np.full(3, 2 * np.pi / 3 / np.sqrt(3))
    np.testing.assert_array_equal(quat.to_matrix(third), cycle)
    np.testing.assert_array_equal(quat.from_matrix(cycle), third)
    np.testing.assert_allclose(quat.from_rotation_vector(vector), third, atol=1e-15)
    np.testing.assert_allclose(quat.to_rotation_vector(third), vector, atol=1e-15)
    axis, angle = quat.to_axis_angle(third)
    np.testing.assert_allclose(axis, np.full(3, 1 / np.sqrt(3)), atol=1e-15)
    np.testing.assert_allclose(angle, 2 * np.pi / 3, atol=1e-15)
    np.testing.assert_allclose(quat.from_axis_angle([7, 7, 7], 2 * np.pi / 3), third, atol=1e-15)


@pytest.mark.parametrize("dtype", DTYPES)
def test_conversions_match_the_twins(dtype):
    rng = np.random.default_rng(1)
    q = units(1, 500, dtype=dtype)
    v = rng.normal(size=(500, 3)).astype(dtype)
    angle = rng.uniform(-7, 7, 500).astype(dtype)
    exact_axis, exact_angle = twin.to_axis_angle(q)
    axis, got_angle = quat.to_axis_angle(q)
    for got, expected in [
        (quat.from_rotation_vector(v), twin.from_axis_angle(v, np.linalg.norm(v.astype(float), axis=-1))),
        (quat.from_axis_angle(v, angle), twin.from_axis_angle(v, angle)),
        (quat.to_rotation_vector(q), exact_axis * exact_angle[:, None]),
        (axis, exact_axis),
        (got_angle, exact_angle),
        (quat.to_matrix(q), twin.to_matrix(q)),
        (quat.from_matrix(twin.to_matrix(q).astype(dtype)), positive(q)),
    ]:
        assert got.dtype == dtype
        np.testing.assert_allclose(got, expected, atol=2 * TOLERANCE[dtype], rtol=0)


def test_scipy_agrees():
    q = units(2, 1000)
    rotation = Rotation.from_quat(q)
    np.testing.assert_allclose(quat.to_rotation_vector(q), rotation.as_rotvec(), atol=2e-15)
    np.testing.assert_allclose(quat.to_matrix(q), rotation.as_matrix(), atol=1e-15)
    np.testing.assert_allclose(
        quat.from_matrix(rotation.as_matrix()), rotation.as_quat(canonical=True), atol=1e-15
    )
    vectors = np.random.default_rng(2).uniform(-9, 9, (1000, 3))
    np.testing.assert_allclose(
        quat.from_rotation_vector(vectors), Rotation.from_rotvec(vectors).as_quat(), atol=2e-15
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_there_and_back(dtype):
    q = units(3, 4, 50, dtype=dtype)
    tolerance = 2 * TOLERANCE[dtype]
    for there, back in CONVERSIONS:
        np.testing.assert_allclose(positive(there(back(q))), positive(q), atol=tolerance)
        np.testing.assert_allclose(positive(there(back(-q))), positive(q), atol=tolerance)


@pytest.mark.parametrize("dtype", DTYPES)
def test_both_signs_and_any_length_give_the_same(dtype):
    # Half turns too, where the sign of w says nothing.
    q = np.concatenate([units(4, 50), np.pad(np.eye(3), [(0, 0), (0, 1)]), [[0, -1, 1, 0], [-1, 2, 0, 0]]])
    q = q.astype(dtype)
    vector, (axis, angle) = quat.to_rotation_vector(q), quat.to_axis_angle(q)
    # Powers of two, far beyond where squares overflow and vanish.
    for scale in [-1, 2.0**-110, -(2.0**120)]:
        np.testing.assert_array_equal(quat.to_rotation_vector(dtype(scale) * q), vector)
        np.testing.assert_array_equal(quat.to_axis_angle(dtype(scale) * q)[0], axis)
        np.testing.assert_array_equal(quat.to_axis_angle(dtype(scale) * q)[1], angle)
    assert (angle >= 0).all()
    assert (angle <= dtype(np.pi)).all()
    np.testing.assert_array_equal(axis[50:53], np.eye(3))
    np.testing.assert_array_equal(angle[50:], dtype(np.pi))
    assert axis[53][1] > 0
    assert axis[54][0] > 0


@pytest.mark.parametrize("dtype", DTYPES)
def test_small_angles_keep_all_their_digits(dtype):
    smallest = np.finfo(dtype).tiny
    angles = np.geomspace(smallest * 8, 1e-3, 60).astype(dtype)
    axis = np.array([2, -3, 6], dtype) / dtype(7)
    relative = 4 * np.finfo(dtype).eps
    v = angles[:, None] * axis
    np.testing.assert_allclose(
        quat.to_rotation_vector(quat.from_rotation_vector(v)), v, rtol=relative, atol=0
    )
    got_axis, got_angle = quat.to_axis_angle(quat.from_axis_angle(axis, angles))
    np.testing.assert_allclose(got_angle, angles, rtol=relative, atol=0)
    np.testing.assert_allclose(got_axis, np.broadcast_to(axis, got_axis.shape), rtol=relative, atol=0)


def test_angles_near_pi_keep_their_distance_to_it():
    # tan(angle / 2) = |x, y, z| / w: the distance to pi is 2 w, to the last place of pi.
    for w in [1e-3, 1e-9, 1e-15, 0.0]:
        q = np.array([0.6, 0, 0.8, w])
        expected = np.pi - 2 * np.arctan(w)
        np.testing.assert_allclose(quat.to_axis_angle(q)[1], expected, rtol=4e-16)
        np.testing.assert_allclose(np.linalg.norm(quat.to_rotation_vector(q)), expected, rtol=6e-16)


def test_the_identity_has_axis_x_and_angle_zero():
    for w in [1.0, -1.0, 3.0]:
        axis, angle = quat.to_axis_angle([0, 0, 0, w])
        np.testing.assert_array_equal(axis, [1, 0, 0])
        assert angle == 0
        np.testing.assert_array_equal(quat.to_rotation_vector([0, 0, 0, w]), 0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_axes_of_any_length_are_directions(dtype):
    info = np.finfo(dtype)
    for length in [info.smallest_subnormal, info.tiny, 1e-25, 49, 1e25, info.max]:
        q = quat.from_axis_angle(np.array([0, length, 0], dtype), dtype(np.pi / 2))
        expected = quat.from_axis_angle(np.array([0, 1, 0], dtype), dtype(np.pi / 2))
        np.testing.assert_array_equal(q, expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("angle", [0, 1e-9, 1e-4, 1, np.pi / 2, 3, np.pi - 1e-9, np.pi])
def test_matrices_come_back_at_every_angle(dtype, angle):
    rng = np.random.default_rng(5)
    q = quat.from_axis_angle(rng.normal(size=(50, 3)).astype(dtype), dtype(angle))
    back = quat.from_matrix(quat.to_matrix(q))
    assert back.dtype == dtype
    assert (back[..., 3] >= 0).all()
    np.testing.assert_allclose(np.abs(np.sum(back * q, -1)), 1, atol=2 * TOLERANCE[dtype])


def test_half_turns_about_the_axes_come_back():
    for axis in np.eye(3):
        np.testing.assert_array_equal(quat.from_matrix(2 * np.outer(axis, axis) - np.eye(3)), [*axis, 0])


def test_matrices_may_be_off_by_a_thousandth():
    near = np.eye(3) * (1 + 0.49e-3)
    np.testing.assert_allclose(quat.from_matrix(near), [0, 0, 0, 1], atol=1e-15)
    with pytest.raises(ValueError, match="a rotation"):
        quat.from_matrix(np.eye(3) * (1 + 0.51e-3))


@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
def test_infinite_matrices_are_no_rotations(infinity):
    for index in np.ndindex(3, 3):
        matrix = np.eye(3)
        matrix[index] = infinity
        with pytest.raises(ValueError, match=r"must be a rotation .* (off by inf|a mirror)"):
            quat.from_matrix(matrix)


# ---- What arrays come in and go out. ----


def test_nan_propagates():
    nan = np.nan
    assert np.isnan(quat.from_rotation_vector([0, nan, 0])).all()
    assert np.isnan(quat.to_rotation_vector([0, nan, 0, 0])).all()
    assert np.isnan(quat.to_rotation_vector([0, 0, 1, nan])).all()
    assert np.isnan(quat.to_axis_angle([0, nan, 0, 0])[0]).any()
    assert np.isnan(quat.to_axis_angle([0, nan, 0, 0])[1])
    assert np.isnan(quat.to_axis_angle([1, 0, 0, nan])[1])
    assert np.isnan(quat.from_axis_angle([0, nan, 0], 1)).any()
    assert np.isnan(quat.from_axis_angle([0, 1, 0], nan)).any()
    assert np.isnan(quat.from_axis_angle([0, np.inf, 0], 1)).any()
    assert np.isnan(quat.from_matrix(np.full((3, 3), nan))).all()
    for place in np.ndindex(3, 3):
        matrix = 5 * np.eye(3)
        matrix[place] = nan
        assert np.isnan(quat.from_matrix(matrix)).any()
    assert np.isnan(quat.to_matrix([0, 0, nan, 1])).any()


ZERO_AT_1_2 = np.ones((3, 4, 4))
ZERO_AT_1_2[1, 2] = 0
MIRROR_AT_2 = np.array([np.eye(3), np.eye(3), -np.eye(3)])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: quat.from_rotation_vector([0, 0, 0, 1]),
            r"quat.from_rotation_vector: v must have shape \(..., 3\), got \(4,\)",
        ),
        (
            lambda: quat.to_rotation_vector([0, 0, 1]),
            r"quat.to_rotation_vector: q must have shape \(..., 4\), got \(3,\)",
        ),
        (
            lambda: quat.to_rotation_vector(1.0),
            r"quat.to_rotation_vector: q must have shape \(..., 4\), got \(\)",
        ),
        (
            lambda: quat.to_rotation_vector(ZERO_AT_1_2),
            r"quat.to_rotation_vector: q must not be zero, got zero at index \(1, 2\)",
        ),
        (lambda: quat.to_axis_angle(np.zeros(4)), r"quat.to_axis_angle: q must not be zero, got zero$"),
        (
            lambda: quat.to_axis_angle(ZERO_AT_1_2, scalar_first=True),
            r"quat.to_axis_angle: q must not be zero, got zero at index \(1, 2\)",
        ),
        (lambda: quat.to_axis_angle([1, 0]), r"quat.to_axis_angle: q must have shape \(..., 4\), got \(2,\)"),
        (
            lambda: quat.from_axis_angle([[1, 0, 0], [0, 0, 0]], 1),
            r"quat.from_axis_angle: axis must not be zero, got zero at index 1",
        ),
        (
            lambda: quat.from_axis_angle([1, 0], 1),
            r"quat.from_axis_angle: axis must have shape \(..., 3\), got \(2,\)",
        ),
        (
            lambda: quat.from_axis_angle(np.ones((2, 3)), np.ones(3)),
            r"quat.from_axis_angle: leading axes must broadcast, got axis \(2,\), angle \(3,\); "
            r"angle\[:, None\] would pair",
        ),
        (
            lambda: quat.from_matrix(np.eye(4)),
            r"quat.from_matrix: matrix must have shape \(..., 3, 3\), got \(4, 4\); "
            r"pass matrix\[..., :3, :3\]",
        ),
        (
            lambda: quat.from_matrix(np.eye(3)[0]),
            r"quat.from_matrix: matrix must have shape \(..., 3, 3\), got \(3,\)",
        ),
        (
            lambda: quat.from_matrix(2 * np.eye(3)),
            r"quat.from_matrix: matrix must be a rotation within 0.001, got one with matrix\^T matrix off by "
            "3; trs.from_matrix takes others apart$",
        ),
        (
            lambda: quat.from_matrix(MIRROR_AT_2),
            "within 0.001, got a mirror at index 2; trs.from",
        ),
        (lambda: quat.to_matrix(np.ones(5)), r"quat.to_matrix: q must have shape \(..., 4\), got \(5,\)"),
        (
            lambda: quat.to_matrix([0, 0, 0, 1], out=np.zeros((2, 3, 3))),
            r"quat.to_matrix: out must have shape \(3, 3\), got \(2, 3, 3\)",
        ),
        (
            lambda: quat.to_axis_angle([0, 0, 0, 1], out=(np.zeros(3), np.zeros(1))),
            r"quat.to_axis_angle: out\[1\] must have shape \(\), got \(1,\)",
        ),
    ],
)
def test_refuses_values(call, message):
    with pytest.raises(ValueError, match=message):
        call()
