# SPDX-License-Identifier: MIT
"""SciPy and pytransform3d wherever they define the same function of rigid motions.

`test_algebra_oracles.py` lists the conventions, and where they differ."""

import numpy as np
import pytest

from algebra_oracles import COUNT, close, first, last, one_by_one, rigids, same, units, vectors
from lissom import dual_quat, quat, trs

scipy_linalg = pytest.importorskip("scipy.linalg", reason="SciPy is the oracle; the group `test` installs it")
transform = pytest.importorskip("scipy.spatial.transform")
Rotation = transform.Rotation


@pytest.fixture(scope="module")
def rigid_transform():
    if not hasattr(transform, "RigidTransform"):
        pytest.skip("this SciPy has no RigidTransform (it came with 1.16)")
    return transform.RigidTransform


@pytest.fixture(scope="module")
def pt():
    return pytest.importorskip("pytransform3d.transformations", reason="the group `test` installs it")


# ---- Rigid motions. ----


def test_dual_quaternions_of_scipy(rigid_transform):
    a, b = rigids(1), rigids(2)
    ta, tb = rigid_transform.from_dual_quat(a), rigid_transform.from_dual_quat(b)
    v = vectors(3)
    same(dual_quat.multiply(a, b), (ta * tb).as_dual_quat())
    same(dual_quat.inverse(a), ta.inv().as_dual_quat())
    same(dual_quat.conjugate(a), ta.inv().as_dual_quat())
    close(dual_quat.transform_point(a, v), ta.apply(v))
    close(dual_quat.transform_vector(a, v), ta.rotation.apply(v))
    close(dual_quat.translation(a), ta.translation)
    close(dual_quat.to_matrix(a), ta.as_matrix())
    same(dual_quat.from_matrix(ta.as_matrix()), a)
    expected = rigid_transform.from_components(vectors(101), Rotation.from_quat(units(1)))
    same(dual_quat.from_quat_translation(units(1), vectors(101)), expected.as_dual_quat())
    same(last(ta.as_dual_quat(scalar_first=True)), a)
    same(
        dual_quat.multiply(first(a), first(b), scalar_first=True),
        (ta * tb).as_dual_quat(scalar_first=True),
    )


def test_normalize_as_scipy_does(rigid_transform):
    q = 3 * rigids(1) + np.array([0, 0, 0, 0, 1, 2, 3, 4])
    same(dual_quat.normalize(q), rigid_transform.from_dual_quat(q).as_dual_quat())


def test_dual_log_exp_and_power_of_scipy(rigid_transform):
    q = rigids(1)
    upper = np.where(q[:, 3:4] < 0, -q, q)
    away = np.abs(q[:, 3]) > 1e-9  # at a half turn the axis may point either way
    log = dual_quat.log(upper)
    twice = np.concatenate([2 * log[:, :3], 2 * log[:, 4:7]], -1)
    expected = rigid_transform.from_dual_quat(q).as_exp_coords()
    close(twice[away], expected[away], 1e-11)  # SciPy's loses digits at small angles
    coordinates = np.random.default_rng(4).uniform(-1.5, 1.5, (COUNT, 6))
    zero = np.zeros((COUNT, 1))
    pure = np.concatenate([coordinates[:, :3], zero, coordinates[:, 3:], zero], -1) / 2
    same(dual_quat.exp(pure), rigid_transform.from_exp_coords(coordinates).as_dual_quat())
    for t in (-1.5, 0, 0.3, 1, 2):
        # As it defines its power; the operator itself loses half of the digits.
        steps = t * rigid_transform.from_dual_quat(q).as_exp_coords()
        expected = rigid_transform.from_exp_coords(steps).as_dual_quat()
        same(dual_quat.power(upper, t)[away], expected[away], 1e-11)
        same(dual_quat.power(upper, t), (rigid_transform.from_dual_quat(q) ** t).as_dual_quat(), 1e-6)


def test_sclerp_of_scipy(rigid_transform):
    a, b = rigids(1), rigids(2)
    ta, tb = rigid_transform.from_dual_quat(a), rigid_transform.from_dual_quat(b)
    steps = (ta.inv() * tb).as_exp_coords()
    for t in (0, 0.2, 0.5, 1):
        expected = ta * rigid_transform.from_exp_coords(t * steps)
        same(dual_quat.sclerp(a, b, t), expected.as_dual_quat(), 1e-11)


def test_dual_exp_is_the_exponential_of_matrices():
    """Twice the logarithm is a twist: its matrix is [[cross(w), v], [0, 0]]."""
    for pure in np.random.default_rng(5).uniform(-1, 1, (20, 8)) * [1, 1, 1, 0, 1, 1, 1, 0]:
        twist = np.zeros((4, 4))
        twist[:3, :3] = np.cross(np.eye(3), 2 * pure[:3])
        twist[:3, 3] = 2 * pure[4:7]
        close(dual_quat.to_matrix(dual_quat.exp(pure)), scipy_linalg.expm(twist), 1e-14)


def test_dual_quaternions_of_pytransform3d(pt):
    a, b, v = rigids(1), rigids(2), vectors(3)
    close(dual_quat.multiply(a, b), last(one_by_one(pt.concatenate_dual_quaternions, first(a), first(b))))
    close(dual_quat.conjugate(a), last(one_by_one(pt.dq_q_conj, first(a))))
    close(dual_quat.combined_conjugate(a), last(one_by_one(pt.dq_conj, first(a))))
    close(dual_quat.transform_point(a, v), one_by_one(pt.dq_prod_vector, first(a), v))
    close(dual_quat.to_matrix(a), one_by_one(pt.transform_from_dual_quaternion, first(a)))
    matrices = dual_quat.to_matrix(a[8:])  # as above, its quaternions of matrices lose half the digits
    same(dual_quat.from_matrix(matrices), last(one_by_one(pt.dual_quaternion_from_transform, matrices)), 1e-7)
    pq = np.concatenate([vectors(101), first(units(1))], -1)
    close(a, last(one_by_one(pt.dual_quaternion_from_pq, pq)))
    rotation, translation = dual_quat.to_quat_translation(a)
    theirs = one_by_one(pt.pq_from_dual_quaternion, first(a))
    same(rotation, last(theirs[:, 3:]))
    close(translation, theirs[:, :3])


def test_normalize_as_pytransform3d_does(pt):
    q = 3 * rigids(1) + np.array([0, 0, 0, 0, 1, 2, 3, 4])
    close(dual_quat.normalize(q), last(one_by_one(pt.norm_dual_quaternion, first(q))))


def test_screws_of_pytransform3d(pt):
    q = rigids(1)
    upper = np.where(q[:, 3:4] < 0, -q, q)
    screw = dual_quat.to_screw(q)
    for i in range(COUNT):
        if screw.angle[i] < 1e-4 or np.pi - screw.angle[i] < 1e-9:
            continue  # their tangent of half the angle has no digits left, or the axis may point either way
        point, axis, pitch, angle = pt.screw_parameters_from_dual_quaternion(first(upper[i]))
        close(screw.axis[i], axis, 1e-9)
        close(screw.angle[i], angle, 1e-12)
        close(np.cross(screw.axis[i], screw.moment[i]), point, 1e-8)
        close(screw.pitch[i], pitch * angle, 1e-9)
        ours = dual_quat.from_screw(axis, np.cross(point, axis), angle, pitch * angle)
        same(ours, last(pt.dual_quaternion_from_screw_parameters(point, axis, pitch, angle)))
    still = dual_quat.from_quat_translation([0, 0, 0, 1.0], [0, 3.0, 4])
    point, axis, pitch, angle = pt.screw_parameters_from_dual_quaternion(first(still))
    assert np.isinf(pitch)
    ours = dual_quat.to_screw(still)
    close(ours.axis, axis)
    assert (ours.pitch, ours.angle) == (angle, 0)


def test_powers_and_sclerp_of_pytransform3d(pt):
    a, b = rigids(1)[8:], rigids(2)[8:]
    for t in (0.0, 0.2, 0.7, 1.0):
        upper = np.where(a[:, 3:4] < 0, -a, a)
        times = [t] * len(a)
        same(dual_quat.power(upper, t), last(one_by_one(pt.dual_quaternion_power, first(a), times)), 1e-10)
        theirs = last(one_by_one(pt.dual_quaternion_sclerp, first(a), first(b), times))
        same(dual_quat.sclerp(a, b, t), theirs, 1e-10)


def test_log_and_exp_of_pytransform3d(pt):
    q = rigids(1)[8:]
    upper = np.where(q[:, 3:4] < 0, -q, q)
    log = dual_quat.log(upper)
    twice = np.concatenate([2 * log[:, :3], 2 * log[:, 4:7]], -1)
    matrices = dual_quat.to_matrix(q)
    close(twice, one_by_one(pt.exponential_coordinates_from_transform, matrices), 1e-9)
    expected = one_by_one(pt.transform_from_exponential_coordinates, twice)
    close(dual_quat.to_matrix(dual_quat.exp(log)), expected, 1e-12)


# ---- Stretch and scale: SciPy's polar decomposition. ----


def test_polar_decomposition():
    rng = np.random.default_rng(6)
    matrix = np.zeros((40, 4, 4))
    matrix[:, :3, :3], matrix[:, :3, 3], matrix[:, 3, 3] = rng.normal(size=(40, 3, 3)), vectors(7, 40), 1
    q, stretch = dual_quat.from_matrix(matrix, return_stretch=True)
    for i in range(40):
        u, p = scipy_linalg.polar(matrix[i, :3, :3])
        close(dual_quat.to_matrix(q[i])[:3, :3] @ stretch[i], matrix[i, :3, :3], 1e-13)
        close(stretch[i], stretch[i].T, 1e-13)
        if np.linalg.det(u) > 0:  # of a mirror, SciPy's rotation is one
            close(quat.to_matrix(q[i, :4]), u, 1e-12)
            close(stretch[i], p, 1e-12)
    close(dual_quat.translation(q), matrix[:, :3, 3])
    assert (np.linalg.det(matrix[:, :3, :3]) < 0).any()


def test_trs_products_are_those_of_matrices():
    """Neither oracle has scale: the matrices are it, and rigid ones SciPy's."""
    rng = np.random.default_rng(8)
    size = np.repeat(rng.uniform(0.5, 2, (COUNT, 1)), 3, -1)
    a = trs.from_parts(vectors(1), units(1), size)
    b = trs.from_parts(vectors(2), units(2), rng.uniform(0.5, 2, (COUNT, 3)))
    ma, mb = trs.to_matrix(a), trs.to_matrix(b)
    expected = np.zeros((COUNT, 4, 4))
    expected[:, :3, :3] = Rotation.from_quat(units(2)).as_matrix() * b[:, None, 7:]
    expected[:, :3, 3], expected[:, 3, 3] = vectors(2), 1
    close(mb, expected)
    close(trs.to_matrix(trs.compose(a, b)), ma @ mb)
    close(trs.to_matrix(trs.inverse(a)), np.linalg.inv(ma), 1e-13)
