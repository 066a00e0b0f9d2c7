# SPDX-License-Identifier: MIT
"""The twins of inverse kinematics are right: by brute force, by finite differences, by hand."""

import numpy as np
import pytest

from random_rigs import random_quats
from reference import ik, ik_jacobian, quat
from reference.ik_limits import (
    Ball,
    Ellipse,
    Hinge,
    clamp,
    closest_on_ellipse,
    excess,
    from_rotation_vector,
    parts,
    random_within,
    rotation_vector,
    swing_and_twist,
    twist_angle,
)

LIMITS = [
    Ball((1, 2, -1), 0.7),
    Ball((0, 1, 0), 2.5, (-0.3, 1.2)),
    Hinge((0, 0, 1), -0.2, 2.4),
    Hinge((1, -1, 3), 0.5, 0.5),
    Ellipse((0, 1, 0), (1, 0, 0), (1.2, 0.4), (-0.5, 0.5)),
    Ellipse((1, 1, 0), (0, 0, 1), (0.3, 0.9)),
    Ellipse((0, 0, 1), (0, 1, 0), (0.8, 0.0), (0.1, 0.2)),
]


def random_chain(rng, count):
    bones = rng.normal(size=(count, 3))
    return bones / np.linalg.norm(bones, axis=1, keepdims=True) * rng.uniform(0.5, 1.5, (count, 1))


def test_swing_and_twist_multiply_to_the_turn_and_the_twist_leaves_the_axis():
    rng = np.random.default_rng(0)
    d, axis = random_quats(rng, 500), np.array([0.6, 0, 0.8])
    swing, twist = swing_and_twist(d, axis)
    assert quat.angle_between(quat.multiply(swing, twist), d).max() < 1e-14
    np.testing.assert_allclose(quat.rotate(twist, axis), np.broadcast_to(axis, (500, 3)), atol=1e-14)
    np.testing.assert_allclose(quat.rotate(swing, axis), quat.rotate(d, axis), atol=1e-14)
    assert np.abs(rotation_vector(swing) @ axis).max() < 1e-13, "the swing turns about axes across"


def test_a_swing_of_half_a_turn_has_no_twist():
    swing, twist = swing_and_twist(np.array([1.0, 0, 0, 0]), (0, 1, 0))
    np.testing.assert_array_equal(twist, [0, 0, 0, 1])
    np.testing.assert_array_equal(swing, [1, 0, 0, 0])


@pytest.mark.parametrize("size", [1e-9, 1e-4, 1.0, 3.1])
def test_rotation_vectors_go_there_and_back(size):
    v = np.array([0.36, 0.48, -0.8]) * size
    np.testing.assert_allclose(rotation_vector(from_rotation_vector(v)), v, rtol=1e-12)


@pytest.mark.parametrize("half", [(1.0, 1.0), (1.0, 0.3), (0.2, 0.9), (0.5, 0.0), (0.0, 0.4), (0.0, 0.0)])
def test_the_closest_point_of_an_ellipse_is_no_farther_than_any_of_many(half):
    rng = np.random.default_rng(1)
    p = np.concatenate([rng.uniform(-1.5, 1.5, (300, 2)), [[0, 0], [0.1, 0], [0, 0.1], [-0.4, 0], [0, -1.2]]])
    way = np.linspace(0, 2 * np.pi, 4001)
    rim = np.stack([half[0] * np.cos(way), half[1] * np.sin(way)], -1)
    nearest = np.linalg.norm(p[:, None] - rim, axis=-1).min(axis=1)
    got = closest_on_ellipse(p, half)
    # A chord of 4000 is off by a square of its angle: 1e-6; the twin must be no worse than the best of them.
    assert (np.linalg.norm(p - got, axis=-1) - nearest).max() < 1e-12
    assert (nearest - np.linalg.norm(p - got, axis=-1)).max() < 1e-3
    if min(half) > 0:
        np.testing.assert_allclose(np.sum((got / half) ** 2, -1), 1, atol=1e-9)


@pytest.mark.parametrize("limit", LIMITS, ids=repr)
def test_what_is_drawn_from_a_limit_lies_within_and_stays(limit):
    d = random_within(limit, np.random.default_rng(2), 400)
    assert excess(limit, d).max() < 1e-7  # of float64 near angles of pi, by arc tangents
    assert quat.angle_between(clamp(limit, d), d).max() < 1e-7


@pytest.mark.parametrize("limit", LIMITS, ids=repr)
def test_what_is_clamped_lies_within_as_near_as_any_of_many(limit):
    rng = np.random.default_rng(3)
    d = random_quats(rng, 60)
    near = clamp(limit, d)
    assert excess(limit, near).max() < 1e-7
    many = random_within(limit, rng, 4000)
    assert excess(limit, many).max() < 1e-7

    def far(these):  # swing in the plane of the exponential map, and twist round the circle
        swing, twist = swing_and_twist(these, limit.axis)
        return rotation_vector(swing), twist_angle(twist, limit.axis)

    swing, turn = far(d)
    for one, other in ((far(near), far(many)),):
        # A round cone bounds an angle: the nearest is measured along great circles, which the plane keeps.
        mine = np.linalg.norm(swing - one[0], axis=-1)
        theirs = np.linalg.norm(swing[:, None] - other[0], axis=-1).min(axis=1)
        assert (mine - theirs).max() < 1e-6
        mine, theirs = (
            np.abs(np.remainder(turn[..., None] - x + np.pi, 2 * np.pi) - np.pi).min(axis=-1)
            for x in (one[1][:, None], other[1][None])
        )
        assert (mine - theirs).max() < 1e-6


def test_known_excess():
    turn = from_rotation_vector([0, 0, 1.0])
    assert parts(Hinge((0, 0, 2), 0.0, 0.75), turn)[1] == pytest.approx(-0.25)
    assert excess(Hinge((0, 1, 0), -1, 1), turn) == pytest.approx(1.0), "off the axis by all of it"
    assert excess(Ball((0, 1, 0), 0.9), turn) == pytest.approx(0.1)
    assert excess(Ball((0, 0, 1), 0.1), turn) == 0, "a twist is no swing"
    assert excess(Ball((0, 0, 1), 0.1, (-0.5, 0.5)), turn) == pytest.approx(0.5)
    assert excess(Ellipse((0, 1, 0), (1, 0, 0), (0.2, 0.6)), -turn) == pytest.approx(0.4)
    assert excess(Ellipse((0, 1, 0), (1, 0, 0), (0.6, 1.0 + 1e-9)), turn) == 0
    assert excess(Hinge((0, 0, 1), 3.0, 3.5), from_rotation_vector([0, 0, -3.0])) == 0, "round the circle"


def test_the_jacobian_is_what_finite_differences_say():
    rng = np.random.default_rng(4)
    for count in (1, 3, 9):
        bones, rotations = random_chain(rng, count), random_quats(rng, count)
        got, step = ik_jacobian.jacobian(bones, rotations), 1e-6
        for column in range(3 * count):
            moved = []
            for sign in (step, -step):
                turn = np.zeros(3 * count)
                turn[column] = sign
                moved.append(ik.chain_positions(bones, ik_jacobian.apply(rotations, turn))[0][-1])
            wanted = (moved[0] - moved[1]) / (2 * step)
            np.testing.assert_allclose(got[:, column], wanted, atol=1e-8)


def test_two_bones_meet_the_target_bend_to_the_pole_and_keep_the_side():
    rng = np.random.default_rng(5)
    for _ in range(200):
        bones, rotations = random_chain(rng, 2), random_quats(rng, 2)
        least, most = ik.reach(np.linalg.norm(bones, axis=1))
        target = ik.ik_limits.unit(rng.normal(size=3)) * rng.uniform(least + 1e-3, most - 1e-3)
        free = ik.two_bone(bones, rotations, target)
        points, _ = ik.chain_positions(bones, free)
        np.testing.assert_allclose(points[2], target, atol=1e-7)
        pole = rng.normal(size=3)
        points, _ = ik.chain_positions(bones, ik.two_bone(bones, rotations, target, pole))
        np.testing.assert_allclose(points[2], target, atol=1e-7)
        line = ik.ik_limits.unit(target)
        middle, side = points[1] - (points[1] @ line) * line, pole - (pole @ line) * line
        assert middle @ side > (1 - 1e-9) * np.linalg.norm(middle) * np.linalg.norm(side)


def test_two_bones_straighten_to_what_they_cannot_reach():
    bones = np.array([[0, 1.0, 0], [0, 1.0, 0]])
    rotations = np.array([[0, 0, 0, 1.0], quat.from_axis_angle([0, 0, 1], 0.5)])
    points, _ = ik.chain_positions(bones, ik.two_bone(bones, rotations, np.array([3.0, 0, 0])))
    np.testing.assert_allclose(points, [[0, 0, 0], [1, 0, 0], [2, 0, 0]], atol=1e-12)


def solved(solver, bones, rotations, target, limit=None):
    if solver == "fabrik":
        points, _ = ik.fabrik(ik.chain_positions(bones, rotations)[0], target, 1e-6, 200)
        return ik.follow(bones, rotations, points)
    if solver == "ccd":
        return ik.ccd(bones, rotations, target, 1e-6, 400, limit)[0]
    options = {"limit": limit, "selective": solver == "sdls"}
    return ik_jacobian.damped_least_squares(bones, rotations, target, 1e-6, 400, **options)[0]


@pytest.mark.parametrize("solver", ["fabrik", "ccd", "dls", "sdls"])
def test_the_solvers_of_the_papers_reach(solver):
    rng = np.random.default_rng(6)
    reached = 0
    for _ in range(20):
        bones, rotations = random_chain(rng, 4), random_quats(rng, 4)
        length = np.linalg.norm(bones, axis=1).sum()
        target = ik.ik_limits.unit(rng.normal(size=3)) * length * rng.uniform(0.3, 0.8)
        answer = solved(solver, bones, rotations, target)
        np.testing.assert_allclose(np.linalg.norm(answer, axis=1), 1, atol=1e-12)
        reached += np.linalg.norm(ik.chain_positions(bones, answer)[0][-1] - target) < 1e-3 * length
    assert reached == 20


def test_fabrik_of_the_paper_straightens_to_what_it_cannot_reach():
    points, _ = ik.fabrik([[0, 0, 0], [1, 0, 0], [1, 1, 0]], np.array([0, 0, 5.0]), 1e-6, 10)
    np.testing.assert_allclose(points, [[0, 0, 0], [0, 0, 1], [0, 0, 2]], atol=1e-12)
