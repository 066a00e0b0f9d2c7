# SPDX-License-Identifier: MIT
"""Limits of joints against the float64 twin: what is clamped, and what is said to be at a limit."""

import numpy as np
import pytest

import lissom
from ik_solvers import each_dtype
from lissom.ik import BallSocket, Chain, Hinge, SwingTwist, ccd
from random_chains import as_lissom
from random_rigs import random_quats
from reference import ik as twin
from reference import ik_limits, quat
from reference.ik_limits import Ball, Ellipse, clamp, excess, random_within, room

ALONG = (0.0, 1.0, 0.0)  # where the bone of the one joint points
REST = quat.from_axis_angle([1, 2, 3], 0.8)
# The steps of the core towards the rim of an ellipse end 1e-7 off; angles come from arc tangents.
CLOSE = {np.float32: 5e-6, np.float64: 2e-7}

CONES = {
    "a round cone": Ball(ALONG, 0.9),
    "a thin cone": Ball(ALONG, 0.01),
    "no cone at all": Ball(ALONG, 0.0),
    "a cone of more than a quarter": Ball(ALONG, 2.2),
    "a cone with twist": Ball(ALONG, 0.7, (-0.2, 1.1)),
    "any swing, some twist": Ball(ALONG, np.pi, (0.3, 0.6)),
    "twist on one side": Ball(ALONG, 1.0, (0.5, 2.9)),
    "twist across half a turn": Ball(ALONG, 1.0, (2.5, 3.6)),
    "no twist at all": Ball(ALONG, 1.2, (0.0, 0.0)),
}
HINGES = {
    "a knee": ik_limits.Hinge((1, 0, 0), 0.0, 2.6),
    "a hinge along the bone": ik_limits.Hinge(ALONG, -0.4, 0.9),
    "a hinge askew": ik_limits.Hinge((1, -2, 0.5), -1.0, 0.2),
    "a lock": ik_limits.Hinge((0, 0, 1), 0.0, 0.0),
    "a lock that is bent": ik_limits.Hinge((0, 0, 1), 0.7, 0.7),
    "a hinge across half a turn": ik_limits.Hinge((0, 0, 1), 2.0, 4.0),
    "a hinge without bounds": ik_limits.Hinge((0, 0, 1), -4.0, 4.0),
}
ELLIPSES = {
    "an elliptic cone": Ellipse(ALONG, (1, 0, 0), (1.4, 0.5)),
    "one that is higher than wide": Ellipse(ALONG, (0, 0, 1), (0.3, 1.1), (-0.5, 0.4)),
    "one askew": Ellipse((0.3, 1, -0.2), ik_limits.unit(np.cross((0.3, 1, -0.2), (1, 0, 0.4))), (0.8, 0.6)),
    "a flat one": Ellipse(ALONG, (1, 0, 0), (1.0, 0.02), (-0.3, 0.3)),
    "one that is a line": Ellipse(ALONG, (1, 0, 0), (1.0, 0.0), (-0.3, 0.3)),
    "one beyond half a turn": Ellipse(ALONG, (1, 0, 0), (3.5, 0.4)),
    "a round one": Ellipse(ALONG, (1, 0, 0), (0.8, 0.8)),
}
LIMITS = CONES | HINGES | ELLIPSES

each_limit = pytest.mark.parametrize("limit", LIMITS.values(), ids=LIMITS)


def one_joint(limit):
    """A chain of one joint that turns, with a limit, below one that is turned too."""
    rest = np.tile([0.0, 0, 0, 0, 0, 0, 1, 1, 1, 1], (3, 1))
    rest[0, 3:7] = quat.from_axis_angle([3, -1, 1], 1.3)
    rest[1, :7] = [0.3, 0.5, -0.2, *REST]
    rest[2, :3] = np.multiply(ALONG, 0.8)
    skeleton = lissom.Skeleton(["above", "joint", "tip"], [-1, 0, 1], rest)
    return Chain(skeleton, "joint", "tip", limits=as_lissom({1: limit}))


def clamped(chain, turns, dtype=np.float64):
    """The poses that no iteration leaves: rest turned by `turns`, brought within the limit."""
    poses = np.tile(chain.skeleton.rest.astype(np.float64), (len(turns), 1, 1))
    poses[:, 1, 3:7] = quat.normalize(quat.multiply(rest_of(chain), turns))
    done = ccd(chain, poses.astype(dtype), np.zeros(3, dtype), max_iterations=0)
    return done, twin.turned(rest_of(chain), quat.normalize(done.pose[:, 1, 3:7]))


def rest_of(chain):
    return quat.normalize(chain.skeleton.rest[1, 3:7])


def is_half_turn(limit, turns):
    """Near a swing of half a turn: the least change turns its way round, and the twist is rounding."""
    return np.linalg.norm(parts(limit, turns)[0], axis=-1) > np.pi - 0.05


def turns_of_all_kinds(limit, rng):
    """At random, within, near the bounds, about the axis, across it, at rest, half a turn."""
    axis, first, _ = ik_limits.axes(limit)
    inside = random_within(limit, rng, 80)
    near = quat.multiply(inside, quat.normalize(random_quats(rng, 80) * 1e-3 + [0, 0, 0, 1]))
    angles = np.linspace(-np.pi, np.pi, 25)
    special = [quat.from_axis_angle(np.broadcast_to(v, (25, 3)), angles) for v in (axis, first)]
    return np.concatenate([random_quats(rng, 200), inside, near, *special, [[0, 0, 0, 1], [0, 0, 0, -1]]])


@each_limit
@each_dtype
def test_what_is_outside_comes_within(limit, dtype):
    turns = turns_of_all_kinds(limit, np.random.default_rng(0))
    _, after = clamped(one_joint(limit), turns, dtype)
    assert np.isfinite(after).all()
    assert excess(limit, after[~is_half_turn(limit, after)]).max() <= 1e-5


@each_limit
@each_dtype
def test_what_is_within_stays(limit, dtype):
    turns = random_within(limit, np.random.default_rng(1), 300)
    _, after = clamped(one_joint(limit), turns, dtype)
    assert quat.angle_between(after, turns).max() < CLOSE[dtype]


def parts(limit, turns):
    """Swing as a vector and twist as an angle."""
    swing, twist = ik_limits.swing_and_twist(turns, limit.axis)
    return ik_limits.rotation_vector(swing), ik_limits.twist_angle(twist, limit.axis)


def away(a, b):
    """Between angles, round the circle."""
    return np.abs(np.remainder(np.subtract(a, b) + np.pi, 2 * np.pi) - np.pi)


@each_limit
@each_dtype
def test_it_comes_to_the_closest(limit, dtype):
    """No swing and no twist within the limit is nearer: as near as the twin's, to what rounding leaves."""
    turns = turns_of_all_kinds(limit, np.random.default_rng(2))
    turns = turns[~is_half_turn(limit, turns)]
    _, after = clamped(one_joint(limit), turns, dtype)
    swing, twist = parts(limit, turns)
    wanted_swing, wanted_twist = parts(limit, clamp(limit, turns))
    got_swing, got_twist = parts(limit, after)
    noise = 1e-5 if dtype == np.float32 else 2e-6  # the way of the bone comes through a rest pose of float32
    mine = np.linalg.norm(got_swing - swing, axis=-1)
    best = np.linalg.norm(wanted_swing - swing, axis=-1)
    assert (mine - best).max() < noise
    # Where the swing is moved far, the twist of what comes out hangs on it by rounding.
    assert (away(got_twist, twist) - away(wanted_twist, twist)).max() < 10 * noise


@each_limit
@each_dtype
def test_limited_says_whether_a_bound_is_met(limit, dtype):
    turns = turns_of_all_kinds(limit, np.random.default_rng(3))
    done, after = clamped(one_joint(limit), turns, dtype)
    left = np.where(is_half_turn(limit, after), 1e-4, room(limit, after))  # there either is right
    assert done.limited[left < 0.8e-4, 1].all()
    assert not done.limited[left > 1.2e-4, 1].any()
    assert not done.limited[:, [0, 2]].any()


@each_limit
def test_the_chain_tells_the_limits_as_they_hold(limit):
    chain = one_joint(limit)
    held = chain.limits[0]
    assert chain.limits[1] is None
    if isinstance(held, BallSocket):
        return
    np.testing.assert_allclose(held.axis, ik_limits.unit(limit.axis), atol=1e-12)
    if isinstance(held, SwingTwist):
        np.testing.assert_allclose(held.across, ik_limits.unit(limit.first), atol=1e-12)


def test_limits_are_about_the_rest_pose_not_the_joint_above():
    """Turning what is above or below changes no clamping."""
    rng = np.random.default_rng(4)
    limit = CONES["a cone with twist"]
    chain, turns = one_joint(limit), random_quats(rng, 50)
    _, first = clamped(chain, turns)
    poses = np.tile(chain.skeleton.rest.astype(np.float64), (50, 1, 1))
    poses[:, 1, 3:7] = quat.normalize(quat.multiply(rest_of(chain), turns))
    poses[:, 0, 3:7], poses[:, 2, 3:7] = random_quats(rng, 2, 50)
    done = ccd(chain, poses, [0.0, 0, 0], max_iterations=0)
    after = twin.turned(rest_of(chain), done.pose[:, 1, 3:7])
    np.testing.assert_allclose(quat.angle_between(after, first), 0, atol=1e-7)


def test_the_cone_of_a_ball_and_socket_opens_along_the_bone():
    for along in ([0, 0, -1.0], [2.0, 1, 1]):
        rest = np.tile([0.0, 0, 0, 0, 0, 0, 1, 1, 1, 1], (2, 1))
        rest[0, 3:7], rest[1, :3] = REST, along
        chain = Chain(lissom.Skeleton(["a", "b"], [-1, 0], rest), "a", "b", limits={"a": BallSocket(0.5)})
        poses = np.tile(chain.skeleton.rest.astype(np.float64), (60, 1, 1))
        poses[:, 0, 3:7] = random_quats(np.random.default_rng(5), 60)
        done = ccd(chain, poses, [0.0, 0, 0], max_iterations=0)
        bones = twin.positions([-1, 0], done.pose)[:, 1]
        still = ik_limits.unit(quat.rotate(REST, along))
        angle = np.arccos(np.clip(bones @ still / np.linalg.norm(bones, axis=1), -1, 1))
        assert angle.max() < 0.5 + 1e-6
        assert np.median(angle) > 0.499, "those at random are mostly brought to the rim"


def test_an_effector_keeps_its_limit_where_an_orientation_is_asked_for():
    rng = np.random.default_rng(6)
    limit = ik_limits.Hinge((0, 0, 1), -0.2, 0.5)
    rest = np.tile([0.0, 1, 0, 0, 0, 0, 1, 1, 1, 1], (4, 1))
    skeleton = lissom.Skeleton(list("abcd"), [-1, 0, 1, 2], rest)
    chain = Chain(skeleton, "a", "d", limits={"d": Hinge(limit.axis, limit.low, limit.high)})
    poses = np.tile(rest, (40, 1, 1))
    poses[..., 3:7] = random_quats(rng, 40, 4)
    wanted = random_quats(rng, 40)
    done = ccd(chain, poses, [1.0, 1.5, 0.5], wanted)
    assert excess(limit, done.pose[:, 3, 3:7]).max() < 1e-5
    assert done.limited[:, 3].any()
    unasked = ccd(chain, poses, [1.0, 1.5, 0.5])
    assert unasked.pose[:, 3].tobytes() == poses[:, 3].tobytes()
    assert not unasked.limited[:, 3].any()


def test_fixed_joints_keep_their_rotation_and_their_bones_go_along():
    rng = np.random.default_rng(7)
    rest = np.tile([0.0, 1, 0, 0, 0, 0, 1, 1, 1, 1], (6, 1))
    skeleton = lissom.Skeleton(list("abcdef"), [-1, 0, 1, 2, 3, 4], rest)
    chain = Chain(skeleton, "a", "f", fixed=["b", "d"])
    poses = np.tile(rest, (40, 1, 1))
    poses[..., 3:7] = random_quats(rng, 40, 6)
    targets = 2 * ik_limits.unit(rng.normal(size=3)) + [0, 1, 0]
    done = ccd(chain, poses, targets, tolerance=1e-3, max_iterations=200)
    for joint in (1, 3, 5):
        assert done.pose[:, joint].tobytes() == poses[:, joint].tobytes()
    tips = twin.positions(skeleton.parents, done.pose)[:, 5]
    np.testing.assert_allclose(done.residual, np.linalg.norm(tips - targets, axis=1), atol=1e-12)
    assert done.reached.mean() > 0.8


@pytest.mark.parametrize("zero", ["rest", "straight"])
def test_a_hinge_from_rest_bends_the_way_the_limb_is_bent(zero):
    hero = lissom.samples.humanoid()
    for side, thigh, knee, foot in (
        ("L", "UpperLeg.L", "LowerLeg.L", "Foot.L"),
        ("R", "UpperArm.R", "LowerArm.R", "Hand.R"),
    ):
        try:
            chain = Chain(hero.skeleton, thigh, foot, limits={knee: Hinge.from_rest(0.0, 2.5, zero=zero)})
        except ValueError as error:
            pytest.fail(f"{side}: {error}")
        hinge = chain.limits[1]
        rest = hero.skeleton.rest.astype(np.float64)
        joint = hero.skeleton.index(knee)

        def bend(angle, joint=joint, hinge=hinge, rest=rest, chain=chain):
            """How far the limb is from straight when the hinge stands at an angle, radians."""
            pose = rest.copy()
            pose[joint, 3:7] = quat.multiply(pose[joint, 3:7], quat.from_axis_angle(hinge.axis, angle))
            a, b, c = twin.positions(hero.skeleton.parents, pose)[chain.joints]
            return np.arccos(np.clip(ik_limits.unit(b - a) @ ik_limits.unit(c - b), -1, 1))

        assert bend(0.3) > bend(0.0) > 1e-3, "positive bends further"
        if zero == "straight":
            assert bend(hinge.low) == pytest.approx(0, abs=1e-3)
            assert bend(hinge.high) == pytest.approx(2.5, abs=1e-3)
        else:
            assert (hinge.low, hinge.high) == (0.0, 2.5)
