# SPDX-License-Identifier: MIT
"""SciPy and pytransform3d wherever they define the same function as quat, dual_quat and trs.

place of the scalar: ours and SciPy's last (there too ``scalar_first=``), pytransform3d's first.
order of a product: ``multiply(a, b)`` is SciPy's ``a * b`` and pytransform3d's ``concatenate_...(a, b)``: b
    acts first; its ``concat(b, a)`` of matrices has them the other way round.
sign: ours is kept (a product is the product), and SciPy's ``as_quat`` is, unless ``canonical``.
logarithm: SciPy's and pytransform3d's exponential coordinates (rotation, translation) are twice ours.
pitch of a screw: ours is the length moved by the whole motion; pytransform3d's is that per radian, and of a
    pure translation infinite, with the length moved in the place of the angle.
place of a screw: ours is the moment, pytransform3d's the point nearest to the origin, ``cross(axis, moment)``
    with our moment.
conjugates: ``conjugate`` is pytransform3d's ``dq_q_conj``, ``combined_conjugate`` its ``dq_conj``.
slerp: pytransform3d goes as given unless told otherwise, SciPy's ``Slerp`` the short way.
sclerp, powers: SciPy goes the short way, and so does pytransform3d, whose axes and angles end at pi.
gimbal lock: SciPy and ours put the third angle at zero, pytransform3d does not: it is compared as rotations.
mean of rigid motions: SciPy takes translations and rotations apart, ``dlb`` does not: not compared.
general quaternions: both know rotations only; log, exp and power of others are held against SciPy's functions
    of the 4x4 matrices by which quaternions multiply.

Neither knows nlerp, look_rotation, add, scale, dual_conjugate, dlb, equality by value, or trs.
"""

import numpy as np
import pytest

from algebra_oracles import COUNT, close, first, last, one_by_one, same, units, vectors
from lissom import quat

scipy_linalg = pytest.importorskip("scipy.linalg", reason="SciPy is the oracle; the group `test` installs it")
transform = pytest.importorskip("scipy.spatial.transform")
Rotation, Slerp = transform.Rotation, transform.Slerp


@pytest.fixture(scope="module")
def pr():
    return pytest.importorskip("pytransform3d.rotations", reason="the group `test` installs pytransform3d")


# ---- Rotations. ----


def test_products_and_inverses(pr):
    a, b = units(1), units(2)
    close(quat.multiply(a, b), (Rotation.from_quat(a) * Rotation.from_quat(b)).as_quat())
    close(quat.multiply(a, b), last(one_by_one(pr.concatenate_quaternions, first(a), first(b))))
    close(quat.conjugate(a), last(one_by_one(pr.q_conj, first(a))))
    same(quat.inverse(a), Rotation.from_quat(a).inv().as_quat())
    same(quat.normalize(3 * a), Rotation.from_quat(3 * a).as_quat())


def test_rotating_vectors(pr):
    q, v = units(1), vectors(3)
    close(quat.rotate(q, v), Rotation.from_quat(q).apply(v))
    close(quat.rotate(q, v), one_by_one(pr.q_prod_vector, first(q), v))


def test_matrices(pr):
    q = units(1)
    m = Rotation.from_quat(q).as_matrix()
    close(quat.to_matrix(q), m)
    close(quat.to_matrix(q), one_by_one(pr.matrix_from_quaternion, first(q)))
    same(quat.from_matrix(m), Rotation.from_matrix(m).as_quat())
    # pytransform3d goes by the trace and loses half the digits of the vector near the identity and pi.
    same(quat.from_matrix(m), last(one_by_one(pr.quaternion_from_matrix, m)), 1e-7)


def test_rotation_vectors_and_axis_angles(pr):
    q = units(1)
    v = Rotation.from_quat(q).as_rotvec()
    half_turn = np.abs(q[:, 3]) < 1e-12  # where v and -v are one rotation
    got = quat.to_rotation_vector(q)
    close(np.where(half_turn[:, None], np.abs(got), got), np.where(half_turn[:, None], np.abs(v), v))
    same(quat.from_rotation_vector(v), Rotation.from_rotvec(v).as_quat())
    same(quat.from_rotation_vector(v), last(one_by_one(pr.quaternion_from_compact_axis_angle, v)))
    axis, angle = quat.to_axis_angle(q)
    close(angle, Rotation.from_quat(q).magnitude())
    theirs = one_by_one(pr.axis_angle_from_quaternion, first(q))
    theirs[half_turn, :3] *= np.sign(np.sum(theirs[half_turn, :3] * axis[half_turn], -1))[:, None]
    close(angle, theirs[:, 3])
    moves = angle > 1e-6  # below, their axis is that of the identity
    close(axis[moves], theirs[moves, :3], 1e-9)
    same(quat.from_axis_angle(axis, angle), last(one_by_one(pr.quaternion_from_axis_angle, theirs)), 1e-9)


LETTERS = [
    "".join(s) for s in ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz")
]


@pytest.mark.parametrize("letters", LETTERS)
def test_euler_angles(pr, letters):
    q, angles = units(1), np.random.default_rng(4).uniform(-4, 4, (COUNT, 3))
    for sequence in (letters, letters.upper()):
        for degrees in (False, True):
            same(
                quat.from_euler(sequence, angles, degrees=degrees),
                Rotation.from_euler(sequence, angles, degrees=degrees).as_quat(),
            )
            expected = Rotation.from_quat(q).as_euler(sequence, degrees=degrees, suppress_warnings=True)
            got = quat.to_euler(q, sequence, degrees=degrees)
            middle = expected[:, 1] * (np.pi / 180 if degrees else 1)
            locked = np.abs(np.sin(middle) if letters[0] == letters[2] else np.cos(middle)) < 1e-3
            apart = np.abs(got - expected)[~locked]
            turn = 360 if degrees else 2 * np.pi
            close(np.minimum(apart, turn - apart), np.zeros_like(apart), 1e-11 * turn)  # -pi and pi are one
            same(Rotation.from_euler(sequence, got, degrees=degrees).as_quat(), q, 1e-12)
        for i in range(len(letters)):
            axes = ["xyz".index(letter) for letter in letters]
            theirs = pr.quaternion_from_euler(angles[i], *axes, sequence == letters)
            same(quat.from_euler(sequence, angles[i]), last(theirs))
            theirs = pr.quaternion_from_euler(
                pr.euler_from_quaternion(first(q[20 + i]), *axes, sequence == letters),
                *axes,
                sequence == letters,
            )
            same(quat.from_euler(sequence, quat.to_euler(q[20 + i], sequence)), last(theirs), 1e-12)


@pytest.mark.parametrize("sequence", ["x", "Y", "zx", "XY"])
def test_euler_angles_of_fewer_letters(sequence):
    angles = np.random.default_rng(5).uniform(-4, 4, (COUNT, len(sequence)))
    same(quat.from_euler(sequence, angles), Rotation.from_euler(sequence, angles).as_quat())
    if len(sequence) == 1:
        same(quat.from_euler(sequence, angles[:, 0]), Rotation.from_euler(sequence, angles).as_quat())


LOCKS = [(s, end) for s in ("xyz", "XYZ", "yzx") for end in (np.pi / 2, -np.pi / 2)]
LOCKS += [(s, end) for s in ("zxz", "ZXZ", "YXY") for end in (0, np.pi)]


@pytest.mark.parametrize(("sequence", "middle"), LOCKS)
def test_gimbal_lock_is_solved_as_scipy_does(sequence, middle):
    """The third angle is zero, the first takes all of the turn."""
    q = Rotation.from_euler(sequence, [0.7, middle, 0.4]).as_quat()
    got = quat.to_euler(q, sequence)
    assert got[2] == 0
    same(Rotation.from_euler(sequence, got).as_quat(), q, 1e-7)
    close(got, Rotation.from_quat(q).as_euler(sequence, suppress_warnings=True), 1e-7)


def test_shortest_arcs(pr):
    a, b = vectors(6), vectors(7)
    theirs = one_by_one(pr.axis_angle_from_two_directions, a, b)
    same(quat.from_to(a, b), last(one_by_one(pr.quaternion_from_axis_angle, theirs)))
    # SciPy's takes b to a.
    expected = [Rotation.align_vectors(b[i], a[i])[0].as_quat() for i in range(COUNT)]
    same(quat.from_to(a, b), expected)


def test_angles_between(pr):
    a, b = units(1), units(2)
    close(quat.angle_between(a, b), (Rotation.from_quat(a).inv() * Rotation.from_quat(b)).magnitude())
    close(quat.angle_between(a, b), one_by_one(pr.quaternion_dist, first(a), first(b)))
    expected = Rotation.from_quat(a).approx_equal(Rotation.from_quat(b), atol=1.0)
    np.testing.assert_array_equal(quat.same_rotation(a, b, tolerance=1.0), expected)
    assert 0 < expected.sum() < COUNT


def test_slerp(pr):
    a, b = units(1), units(2)[::-1]
    times = np.linspace(0, 1, 7)
    for i in range(COUNT):
        got = quat.slerp(a[i], b[i], times)
        same(got, Slerp([0, 1], Rotation.from_quat([a[i], b[i]]))(times).as_quat())
        for short in (True, False):
            theirs = [pr.quaternion_slerp(first(a[i]), first(b[i]), t, shortest_path=short) for t in times]
            # Their angle is an arc cosine, right to the root of eps where the ends are near.
            close(quat.slerp(a[i], b[i], times, short=short), last(theirs), 1e-8)


def test_powers():
    q = units(1)
    for t in (-2.5, -1, 0, 0.25, 1, 3):
        expected = (Rotation.from_quat(q) ** t).as_quat()
        # SciPy's power goes by the rotation vector, the short way: so does ours where w is not negative.
        upper = np.where(q[:, 3:] < 0, -q, q)
        same(quat.power(upper, t)[q[:, 3] != 0], expected[q[:, 3] != 0])


def as_matrix(q):
    """The matrix of p -> q p."""
    return np.stack([quat.multiply(q, e) for e in np.eye(4)], -1)


def test_log_exp_and_power_of_general_quaternions_are_those_of_their_matrices():
    for q in (units(1) * np.geomspace(0.1, 10, COUNT)[:, None])[10:16]:
        close(as_matrix(quat.exp(q)), scipy_linalg.expm(as_matrix(q)), 1e-13)
        close(as_matrix(quat.log(q)), scipy_linalg.logm(as_matrix(q)).real, 1e-12)
        expected = scipy_linalg.fractional_matrix_power(as_matrix(q), 0.3).real
        close(as_matrix(quat.power(q, 0.3)), expected, 1e-12)


def test_swing_twist(pr):
    q, axis = units(1), vectors(8)
    pairs = [pr.swing_twist_decomposition(first(q[i]), axis[i]) for i in range(COUNT)]
    swing, twist = quat.swing_twist(q, axis)
    same(swing, last([pair[0] for pair in pairs]))
    same(twist, last([pair[1] for pair in pairs]))
    # A swing of 180 degrees: both say that the twist is the identity.
    half_turn = np.array([0.6, 0.8, 0, 0])
    theirs = pr.swing_twist_decomposition(first(half_turn), np.array([0, 0, 1.0]))
    swing, twist = quat.swing_twist(half_turn, [0.0, 0, 1])
    same(swing, last(theirs[0]))
    same(twist, last(theirs[1]))


def test_align(pr):
    batch = pytest.importorskip("pytransform3d.batch_rotations")
    rng = np.random.default_rng(9)
    steps = quat.from_rotation_vector(rng.normal(size=(COUNT, 3)) * 0.4)
    walk = [units(10)[20]]
    for step in steps:
        walk.append(quat.multiply(walk[-1], step) * rng.choice([-1, 1]))
    walk = np.array(walk)
    walk[0] *= np.sign(walk[0, 0])  # theirs starts with x positive
    close(quat.align(walk), last(batch.smooth_quaternion_trajectory(first(walk))))
    closest = [pr.pick_closest_quaternion(first(walk[i + 1]), first(walk[i])) for i in range(COUNT)]
    close([quat.align(walk[i : i + 2])[1] for i in range(COUNT)], last(closest))


def test_mean():
    q, rng = units(11), np.random.default_rng(12)
    weights = rng.uniform(0, 1, COUNT)
    same(quat.mean(q), Rotation.from_quat(q).mean().as_quat(), 1e-13)
    same(quat.mean(q, weights), Rotation.from_quat(q).mean(weights).as_quat(), 1e-13)
    columns = q.reshape(12, 5, 4)
    expected = [Rotation.from_quat(columns[:, i]).mean().as_quat() for i in range(5)]
    same(quat.mean(columns), expected, 1e-12)


def test_random_rotations_spread_as_scipys_do():
    """Uniform over rotations: the angle has density (1 - cos) / pi, whatever the axis."""
    q = quat.random(20_000, seed=1, dtype=np.float64)
    angle = np.sort(quat.to_axis_angle(q)[1])
    law = (angle - np.sin(angle)) / np.pi
    assert np.abs(law - np.linspace(0, 1, len(angle))).max() < 0.015  # Kolmogorov-Smirnov, 1 in 5 000
    theirs = np.sort(Rotation.random(20_000, rng=1).magnitude())
    assert np.abs(theirs - angle).max() < 0.15
