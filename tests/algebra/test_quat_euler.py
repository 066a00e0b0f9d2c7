# SPDX-License-Identifier: MIT
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from lissom import quat
from reference import quat as twin

DTYPES = [np.float32, np.float64]
SEQUENCES = [
    a + b + c for letters in ("xyz", "XYZ") for a in letters for b in letters for c in letters if a != b != c
]
# A few roundings of numbers near one, and of angles near pi.
TOLERANCE = {np.float32: 5e-7, np.float64: 1e-15}
ANGLE_TOLERANCE = {np.float32: 2e-6, np.float64: 4e-15}

every_sequence = pytest.mark.parametrize("sequence", SEQUENCES)


def is_proper(sequence):
    return sequence[0] == sequence[2]


def units(seed, *shape, dtype=np.float64):
    q = np.random.default_rng(seed).normal(size=(*shape, 4))
    return (q / np.linalg.norm(q, axis=-1, keepdims=True)).astype(dtype)


def assert_same_rotation(got, expected, tolerance):
    sign = np.where(np.sum(got * expected, -1, keepdims=True) < 0, -1, 1)
    np.testing.assert_allclose(sign * got, expected, atol=tolerance, rtol=0)


def locked(sequence, count, dtype):
    """Angles whose second stands at one end of its range or at the other, and that end's sign."""
    angles = np.random.default_rng(1).uniform(-3, 3, (count, 3))
    upper = np.arange(count) % 2 == 0
    low, high = (0, np.pi) if is_proper(sequence) else (-np.pi / 2, np.pi / 2)
    angles[:, 1] = np.where(upper, high, low)
    return angles.astype(dtype)


def test_there_are_twenty_four_sequences():
    assert len(set(SEQUENCES)) == 24


def test_known_rotations():
    half = np.sqrt(0.5)
    np.testing.assert_allclose(quat.from_euler("x", np.pi / 2), [half, 0, 0, half], atol=1e-16)
    np.testing.assert_allclose(quat.from_euler("Z", [90], degrees=True), [0, 0, half, half], atol=1e-16)
    # A quarter turn about x, then one about the world's z: a third of a turn about (1, 1, 1). About the axis
    # that turned along it is z x, which is about (1, -1, 1).
    np.testing.assert_allclose(quat.from_euler("xz", [90, 90], degrees=True), [0.5] * 4, atol=1e-15)
    np.testing.assert_allclose(
        quat.from_euler("XZ", [90, 90], degrees=True), [0.5, -0.5, 0.5, 0.5], atol=1e-15
    )


@every_sequence
@pytest.mark.parametrize("dtype", DTYPES)
def test_from_euler_matches_the_twin(sequence, dtype):
    angles = np.random.default_rng(2).uniform(-7, 7, (100, 3)).astype(dtype)
    got = quat.from_euler(sequence, angles)
    assert got.dtype == dtype
    np.testing.assert_allclose(got, twin.from_euler(sequence, angles), atol=TOLERANCE[dtype], rtol=0)


@every_sequence
def test_scipy_agrees(sequence):
    q = units(3, 200)
    np.testing.assert_allclose(
        quat.to_euler(q, sequence), Rotation.from_quat(q).as_euler(sequence), atol=4e-15, rtol=0
    )
    np.testing.assert_allclose(
        quat.to_euler(q, sequence, degrees=True),
        Rotation.from_quat(q).as_euler(sequence, degrees=True),
        atol=4e-13,
        rtol=0,
    )
    angles = np.random.default_rng(3).uniform(-400, 400, (200, 3))
    expected = Rotation.from_euler(sequence, angles, degrees=True).as_quat()
    assert_same_rotation(quat.from_euler(sequence, angles, degrees=True), expected, 2e-15)


@every_sequence
@pytest.mark.parametrize("dtype", DTYPES)
def test_there_and_back(sequence, dtype):
    q = units(4, 300, dtype=dtype)
    angles = quat.to_euler(q, sequence)
    assert angles.dtype == dtype
    pi = dtype(np.pi)
    assert (np.abs(angles[:, [0, 2]]) <= pi).all()
    low, high = (0, pi) if is_proper(sequence) else (-pi / 2, pi / 2)
    assert (angles[:, 1] >= low).all()
    assert (angles[:, 1] <= high).all()
    assert_same_rotation(quat.from_euler(sequence, angles), q, TOLERANCE[dtype])
    # And the other way, where the second angle has only one value.
    angles = np.random.default_rng(5).uniform(-1, 1, (300, 3)).astype(dtype)
    angles[:, 1] = 1.5 + 1.3 * angles[:, 1] if is_proper(sequence) else 1.4 * angles[:, 1]
    back = quat.to_euler(quat.from_euler(sequence, angles), sequence)
    np.testing.assert_allclose(back, angles, atol=8 * ANGLE_TOLERANCE[dtype], rtol=0)


@every_sequence
def test_the_same_whatever_the_sign_and_the_length(sequence):
    q = np.concatenate([units(6, 50), np.eye(4), [[1, 0, -1, 0]]])
    angles = quat.to_euler(q, sequence)
    for scale in [-1, 2.0**-600, -(2.0**600)]:
        np.testing.assert_array_equal(quat.to_euler(scale * q, sequence), angles)


@every_sequence
@pytest.mark.parametrize("dtype", DTYPES)
def test_in_gimbal_lock_the_third_is_zero_and_the_rotation_kept(sequence, dtype):
    given = locked(sequence, 400, dtype)
    q = quat.from_euler(sequence, given)
    angles = quat.to_euler(q, sequence)
    np.testing.assert_array_equal(angles[:, 2], 0)
    np.testing.assert_allclose(angles[:, 1], given[:, 1], atol=40 * np.finfo(dtype).eps)
    assert_same_rotation(quat.from_euler(sequence, angles), q, 4 * TOLERANCE[dtype])


@every_sequence
def test_near_gimbal_lock_the_rotation_is_kept(sequence):
    given = locked(sequence, 400, np.float64)
    for off in [1e-15, 3e-15, 1e-14, 1e-12, 1e-9, 1e-7, 1e-3]:
        given[:, 1] += np.where(np.abs(given[:, 1]) > 1, -off * np.sign(given[:, 1]), off)
        q = quat.from_euler(sequence, given)
        assert_same_rotation(quat.from_euler(sequence, quat.to_euler(q, sequence)), q, 4e-15)
    # Beyond the threshold it is no lock: the third angle comes back as well as it is known.
    given = locked(sequence, 400, np.float64)
    given[:, 1] += np.where(np.abs(given[:, 1]) > 1, -1e-5 * np.sign(given[:, 1]), 1e-5)
    back = quat.to_euler(quat.from_euler(sequence, given), sequence)
    np.testing.assert_allclose(back, given, atol=1e-9, rtol=0)


@every_sequence
def test_small_angles_keep_all_their_digits(sequence):
    if is_proper(sequence):
        return  # they stand in gimbal lock at no turn
    for i in range(3):
        for angle in [1e-300, 1e-12, 1e-5]:
            angles = np.zeros(3)
            angles[i] = angle
            back = quat.to_euler(quat.from_euler(sequence, angles), sequence)
            np.testing.assert_allclose(back, angles, rtol=2e-15, atol=0)


def test_extrinsic_is_intrinsic_in_reverse():
    angles = np.random.default_rng(7).uniform(-3, 3, (50, 3))
    for sequence in SEQUENCES[:12]:
        np.testing.assert_array_equal(
            quat.from_euler(sequence, angles), quat.from_euler(sequence[::-1].upper(), angles[:, ::-1])
        )


def test_fewer_letters_are_three_with_zeros():
    rng = np.random.default_rng(8)
    for letters in ("xyz", "XYZ"):
        for a in letters:
            angle = rng.uniform(-3, 3, 7)
            q = quat.from_euler(a, angle)
            axis = np.eye(3)["xyz".index(a.lower())]
            np.testing.assert_array_equal(q, quat.from_axis_angle(axis, angle))
            np.testing.assert_array_equal(quat.from_euler(a, angle[:, None]), q)
            np.testing.assert_array_equal(quat.from_euler(a, angle[0]), q[0])
            for b in letters.replace(a, ""):
                angles = rng.uniform(-3, 3, (7, 2))
                np.testing.assert_allclose(
                    quat.from_euler(a + b, angles), twin.from_euler(a + b, angles), atol=1e-15
                )
    assert quat.from_euler("x", np.float32(1)).dtype == np.float32
    assert quat.from_euler("zy", np.ones((2, 2), np.float32)).dtype == np.float32


def test_nan_propagates():
    assert np.isnan(quat.from_euler("xyz", [0, np.nan, 0])).all()
    assert np.isnan(quat.from_euler("x", np.inf)).any()
    assert np.isnan(quat.to_euler([0, np.nan, 0, 1], "xyz")).any()


LETTERS = (
    r"of the letters x, y, z \(fixed axes\) or X, Y, Z \(axes that turn along\), "
    "no two alike side by side, got "
)


@pytest.mark.parametrize("bad", ["", "a", "xx", "xyy", "xyzx", "xYz", "x y", "ẋ"])
def test_refuses_other_sequences(bad):
    with pytest.raises(ValueError, match=rf"^quat.from_euler: sequence must be 1 to 3 {LETTERS}'{bad}'$"):
        quat.from_euler(bad, [0, 0, 0])
    with pytest.raises(ValueError, match=rf"^quat.to_euler: sequence must be 3 {LETTERS}'{bad}'$"):
        quat.to_euler([0, 0, 0, 1], bad)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: quat.to_euler([0, 0, 0, 1], "xy"),
            ValueError,
            f"quat.to_euler: sequence must be 3 {LETTERS}'xy'",
        ),
        (
            lambda: quat.to_euler([0, 0, 0, 1], 3),
            TypeError,
            "quat.to_euler: sequence must be a str such as 'xyz', got int",
        ),
        (
            lambda: quat.from_euler([0, 0, 0], "xyz"),
            TypeError,
            "quat.from_euler: sequence must be a str such as 'xyz', got list",
        ),
        (
            lambda: quat.from_euler("xyz", [0, 0]),
            ValueError,
            r"quat.from_euler: angles must have shape \(..., 3\), got \(2,\)",
        ),
        (
            lambda: quat.from_euler("xy", [0, 0, 0]),
            ValueError,
            r"quat.from_euler: angles must have shape \(..., 2\) for 2 letters, got \(3,\)",
        ),
        (
            lambda: quat.from_euler("xy", 1.0),
            ValueError,
            r"quat.from_euler: angles must have shape \(..., 2\) for 2 letters, got \(\)",
        ),
        (
            lambda: quat.from_euler("xy", "ab"),
            TypeError,
            "quat.from_euler: angles must be an array of real numbers",
        ),
        (
            lambda: quat.to_euler([[0, 0, 0, 1], [0, 0, 0, 0]], "xyz"),
            ValueError,
            "quat.to_euler: q must not be zero, got zero at index 1",
        ),
        (
            lambda: quat.to_euler([0, 0, 1], "xyz"),
            ValueError,
            r"quat.to_euler: q must have shape \(..., 4\), got \(3,\)",
        ),
        (
            lambda: quat.to_euler([0, 0, 0, 1], "xyz", out=np.zeros(4)),
            ValueError,
            r"quat.to_euler: out must have shape \(3,\), got \(4,\)",
        ),
    ],
)
def test_refuses(call, error, message):
    with pytest.raises(error, match=message):
        call()
