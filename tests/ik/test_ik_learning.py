# SPDX-License-Identifier: MIT
"""Limits learned from motion hold it, are no wider than they must be, and say what they leave outside."""

import copy
import pickle

import numpy as np
import pytest

import lissom
from lissom import Clip, _core, ik
from lissom.ik import BallSocket, Chain, Hinge, SwingTwist, excess, learn_limits
from random_chains import as_lissom
from random_rigs import random_quats
from reference import ik as twin
from reference import ik_limits, quat
from test_ik_limits import LIMITS, is_half_turn, one_joint, turns_of_all_kinds

HERO = lissom.samples.humanoid()
RIG = HERO.skeleton
WALK = HERO.clips["walk"]
HELD = 1e-6  # radians: what a learned limit may leave outside

each_limit = pytest.mark.parametrize("limit", LIMITS.values(), ids=LIMITS)


def rig_and_poses(turns, along=(0.0, 1.0, 0.0)):
    """A joint that is turned like this away from rest, above one bone."""
    rest = np.tile([0.0, 0, 0, 0, 0, 0, 1, 1, 1, 1], (3, 1))
    rest[1, 3:7] = quat.from_axis_angle([1, -2, 1], 0.6)
    rest[2, :3] = along
    skeleton = lissom.Skeleton(["above", "joint", "tip"], [-1, 0, 1], rest)
    poses = np.tile(skeleton.rest.astype(np.float64), (len(turns), 1, 1))
    poses[:, 1, 3:7] = quat.multiply(quat.normalize(skeleton.rest[1, 3:7]), turns)
    return skeleton, poses


def as_twin(limit, along=(0.0, 1.0, 0.0)):
    if isinstance(limit, BallSocket):
        return ik_limits.Ball(along, limit.half_angle, limit.twist)
    if isinstance(limit, Hinge):
        return ik_limits.Hinge(limit.axis, limit.low, limit.high)
    return ik_limits.Ellipse(limit.axis, limit.across, limit.half_angles, limit.twist)


@each_limit
def test_excess_is_that_of_the_twin(limit):
    turns = turns_of_all_kinds(limit, np.random.default_rng(0))
    turns = turns[~is_half_turn(limit, turns)]
    chain = one_joint(limit)
    skeleton, rest = chain.skeleton, quat.normalize(chain.skeleton.rest[1, 3:7])
    poses = np.tile(skeleton.rest.astype(np.float64), (len(turns), 1, 1))
    poses[:, 1, 3:7] = quat.multiply(rest, turns)
    got = excess(as_lissom({1: limit})[1], skeleton, "joint", poses)
    np.testing.assert_allclose(got, ik_limits.excess(limit, turns), atol=2e-6)
    assert got.shape == (len(turns),)


def test_excess_takes_any_leading_axes_and_passes_nan_on():
    limit = BallSocket(0.2, (-0.1, 0.1))
    poses = WALK.sample(np.linspace(0, 1, 6)).reshape(2, 3, -1, 10).copy()
    want = excess(limit, RIG, "UpperArm.L", poses)
    assert want.shape == (2, 3)
    poses[1, 1, RIG.index("UpperArm.L"), 4] = np.nan
    got = excess(limit, RIG, "UpperArm.L", poses)
    assert np.isnan(got[1, 1])
    np.testing.assert_array_equal(np.delete(got.ravel(), 4), np.delete(want.ravel(), 4))


@pytest.mark.parametrize("half_angle", [0.05, 1.0, 2.5])
def test_a_ball_and_socket_is_as_wide_as_what_was_seen(half_angle):
    true = ik_limits.Ball((0.0, 1, 0), half_angle, (-0.4, 0.9))
    turns = ik_limits.random_within(true, np.random.default_rng(1), 3000)
    found = BallSocket.from_poses(*_at(turns))
    assert ik_limits.excess(as_twin(found), turns).max() <= HELD
    swing, twist = ik_limits.swing_and_twist(turns, (0, 1, 0))
    assert found.half_angle == pytest.approx(
        np.linalg.norm(ik_limits.rotation_vector(swing), axis=1).max(), abs=HELD
    )
    angles = ik_limits.twist_angle(twist, (0, 1, 0))
    assert found.twist == pytest.approx((angles.min(), angles.max()), abs=HELD)


def _at(turns, **options):
    skeleton, poses = rig_and_poses(turns, **options)
    return skeleton, "joint", poses


@pytest.mark.parametrize("bounds", [(-0.3, 2.2), (-2.2, 0.3), (0.5, 0.9), (-2.9, 2.9), (2.6, 3.7)])
def test_a_hinge_finds_its_axis_and_its_range(bounds):
    axis = ik_limits.unit((1, -0.4, 0.2))
    angles = np.random.default_rng(2).uniform(*bounds, 500)
    turns = quat.from_axis_angle(np.broadcast_to(axis, (500, 3)), angles)
    found = Hinge.from_poses(*_at(turns))
    assert ik_limits.excess(as_twin(found), turns).max() <= HELD
    sign = np.sign(found.axis @ axis)
    np.testing.assert_allclose(sign * np.array(found.axis), axis, atol=1e-6)
    assert found.high - found.low == pytest.approx(angles.max() - angles.min(), abs=1e-5)
    if max(np.abs(bounds)) < 2.5:
        assert sign == (1 if angles.max() > -angles.min() else -1), "positive is where it turns farther"
    known = Hinge.from_poses(*_at(turns), axis=3 * axis)
    assert ik_limits.excess(as_twin(known), turns).max() <= HELD


def test_a_hinge_lies_where_the_largest_turn_off_it_is_least():
    """Least squares alone would be drawn to where most poses are."""
    rng = np.random.default_rng(3)
    off = np.concatenate([np.full(950, 0.0), np.full(50, 0.2)])
    way = np.stack([np.cos(off), np.sin(off), np.zeros(1000)], -1)
    turns = quat.from_axis_angle(way, rng.uniform(0.5, 1.0, 1000))
    found = Hinge.from_poses(*_at(turns))
    worst = ik_limits.excess(as_twin(found), turns).max()
    grid = [
        ik_limits.excess(ik_limits.Hinge((np.cos(a), np.sin(a), 0), found.low, found.high), turns).max()
        for a in np.linspace(0, 0.2, 81)
    ]
    assert worst < 1.05 * min(grid)


@pytest.mark.parametrize("half_angles", [(1.2, 0.4), (0.3, 0.3), (2.0, 0.05)])
def test_an_elliptic_cone_is_the_smallest_in_area(half_angles):
    first = ik_limits.unit((1, 0, 0.7))
    true = ik_limits.Ellipse((0.0, 1, 0), tuple(first), half_angles, (-0.2, 0.6))
    turns = ik_limits.random_within(true, np.random.default_rng(4), 4000)
    found = SwingTwist.from_poses(*_at(turns))
    assert ik_limits.excess(as_twin(found), turns).max() <= HELD
    assert found.half_angles[0] * found.half_angles[1] <= np.prod(half_angles) * 1.005
    np.testing.assert_allclose(sorted(found.half_angles), sorted(half_angles), rtol=0.03)
    assert found.twist == pytest.approx((-0.2, 0.6), abs=2e-3)


def test_swings_in_one_line_give_a_flat_cone():
    turns = quat.from_axis_angle(np.tile([1.0, 0, 0], (9, 1)), np.linspace(-0.3, 0.5, 9))
    found = SwingTwist.from_poses(*_at(turns))
    assert ik_limits.excess(as_twin(found), turns).max() <= HELD
    assert found.half_angles[0] == pytest.approx(0.5, abs=1e-6)
    assert found.half_angles[1] < 1e-6


def test_one_pose_is_enough():
    turn = quat.from_axis_angle([[1.0, 2, 0]], [0.4])
    for kind in (BallSocket, Hinge, SwingTwist):
        found = kind.from_poses(*_at(turn))
        assert ik_limits.excess(as_twin(found), turn).max() <= HELD


@pytest.mark.parametrize("kind", [BallSocket, Hinge, SwingTwist])
def test_a_margin_is_added_at_every_bound(kind):
    turns = ik_limits.random_within(
        ik_limits.Ball((0.0, 1, 0), 0.5, (-0.3, 0.6)), np.random.default_rng(5), 300
    )
    tight, wide = (kind.from_poses(*_at(turns), margin=margin) for margin in (0.0, 0.25))
    if kind is Hinge:
        assert (tight.low - wide.low, wide.high - tight.high) == pytest.approx((0.25, 0.25))
        return
    for a, b in zip(tight.twist, wide.twist, strict=True):
        assert abs(b - a) == pytest.approx(0.25)
    halves = [np.atleast_1d(x.half_angle if kind is BallSocket else x.half_angles) for x in (tight, wide)]
    np.testing.assert_allclose(halves[1] - halves[0], 0.25)


def test_the_sample_s_clips_are_held():
    limits = learn_limits(RIG, HERO.clips)
    assert {"LowerLeg.L", "UpperArm.R", "Spine"} <= set(limits)
    assert isinstance(limits["LowerLeg.L"], Hinge), "a knee"
    assert isinstance(limits["UpperArm.R"], SwingTwist)
    assert limits["LowerLeg.L"].axis[0] == pytest.approx(1, abs=0.01), "knees bend about x, back"
    for clip in HERO.clips.values():
        if clip.additive:
            continue
        poses = clip.sample(np.linspace(clip.start, clip.end, 400), loop=False).astype(np.float64)
        for name, limit in limits.items():
            joint = RIG.index(name)
            turns = twin.turned(quat.normalize(RIG.rest[joint, 3:7]), quat.normalize(poses[:, joint, 3:7]))
            over = ik_limits.excess(as_twin(limit), turns).max()
            # Between the moments that were looked at a spline may go a little farther.
            assert over <= limits.outside[name] + 1e-4, name


def points_of(joint, clips=HERO.clips):
    """Vector parts of a joint's turns in clips."""
    poses = np.concatenate([clip.sample(np.linspace(0, clip.duration, 150)) for clip in clips.values()])
    index = RIG.index(joint)
    turns = twin.turned(quat.normalize(RIG.rest[index, 3:7]), quat.normalize(poses[:, index, 3:7]))
    return np.ascontiguousarray(turns[:, :3])


@pytest.mark.parametrize("joint", ["LowerLeg.L", "LowerLeg.R", "Head", "Spine"])
def test_axes_and_ellipses_are_those_of_the_twin(joint):
    points = points_of(joint)
    axis, expected = np.array(_core.nearest_axis(points)), ik_limits.nearest_axis(points)
    np.testing.assert_allclose(axis * np.sign(axis @ expected), expected, atol=1e-8)
    assert np.linalg.norm(axis) == pytest.approx(1, abs=1e-14)
    plane = np.concatenate([points[:, :2], 1e-7 * np.eye(2)])
    (xx, xy), (_, yy) = ik_limits.enclosing_ellipse(plane)
    np.testing.assert_allclose(_core.enclosing_ellipse(plane), (xx, xy, yy), rtol=1e-9, atol=1e-16)


def points_about_two_axes(seed):
    """No hinge: the best axis changes from step to step, and what a step tries depends on rounding."""
    rng = np.random.default_rng(seed)
    first, second = (
        scale * np.eye(3)[i] * rng.uniform(-1, 1, (400, 1)) for i, scale in ((0, 0.2), (2, 0.19))
    )
    return np.concatenate([first, second]) + 0.02 * rng.normal(size=(800, 3))


@pytest.mark.parametrize("points", [points_of("UpperArm.R"), points_of("Foot.L"), points_about_two_axes(8)])
def test_no_axis_is_farther_than_the_twin_s_where_joints_turn_about_several(points):
    def off(axis):
        return np.linalg.norm(np.cross(points, axis), axis=1).max()

    assert off(_core.nearest_axis(points)) <= 1.01 * off(ik_limits.nearest_axis(points))


def test_no_axis_or_ellipse_of_points_that_are_none():
    for points in (np.zeros((0, 3)), np.zeros((3, 3)), np.full((2, 3), np.nan)):
        with pytest.raises(ValueError, match="nearest_axis: points must"):
            _core.nearest_axis(points)
    for points in (np.zeros((0, 2)), np.full((2, 2), np.inf)):
        with pytest.raises(ValueError, match="enclosing_ellipse: points must"):
            _core.enclosing_ellipse(points)


def test_what_a_hinge_leaves_outside_is_said():
    axis = np.stack([np.ones(200), 0.03 * np.sin(np.arange(200)), np.zeros(200)], -1)
    turns = quat.from_axis_angle(axis, np.linspace(0, 1.5, 200))
    skeleton, poses = rig_and_poses(turns)
    clip = Clip.from_poses(skeleton, np.arange(200) / 30, poses)
    limits = learn_limits(skeleton, clip)
    assert list(limits) == ["joint"]
    assert isinstance(limits["joint"], Hinge)
    over = ik_limits.excess(as_twin(limits["joint"]), turns).max()
    assert limits.outside["joint"] == pytest.approx(over, rel=0.02)
    assert over > 0.01
    assert f"up to {np.degrees(over):.2g} degrees outside, at 'joint'" in repr(limits)
    fussy = learn_limits(skeleton, clip, hinge_within=0.5 * over)
    assert isinstance(fussy["joint"], SwingTwist)
    assert fussy.outside["joint"] <= HELD
    assert "which hold all poses" in repr(fussy)


def test_joints_that_never_turn_are_left_out_or_locked_where_named():
    skeleton, poses = rig_and_poses(np.tile(quat.from_axis_angle([0, 0, 1], 0.4), (5, 1)))
    clip = Clip.from_poses(skeleton, np.arange(5), poses)
    assert learn_limits(skeleton, clip) == {}
    locked = learn_limits(skeleton, clip, ["joint", "above"])
    for name, joint in (("joint", 1), ("above", 0)):
        turns = twin.turned(quat.normalize(skeleton.rest[joint, 3:7]), poses[:, joint, 3:7])
        assert ik_limits.excess(as_twin(locked[name]), turns).max() <= HELD
        other = quat.multiply(turns, random_quats(np.random.default_rng(6), 5))
        assert ik_limits.excess(as_twin(locked[name]), other).min() > 0.01


def test_roles_and_limbs_name_joints():
    names = ["UpperArm.L", "LowerArm.L", "Hand.L", "LowerLeg.R", "Head"]
    by_roles = learn_limits(RIG, WALK, ["leftArm", "rightLowerLeg", RIG.index("Head")])
    assert list(by_roles) == names
    assert by_roles == learn_limits(RIG, WALK, names)
    assert list(learn_limits(RIG, WALK, "legs")) == [
        f"{bone}.{side}" for side in "LR" for bone in ("UpperLeg", "LowerLeg", "Foot")
    ]
    hinted = lissom.roles(RIG, {"head": "Neck", "neck": None})
    assert list(learn_limits(RIG, WALK, "head", roles=hinted)) == ["Neck"]
    with pytest.raises(
        ValueError,
        match=r"^ik\.learn_limits: 'rightLeg' needs a joint that plays rightLowerLeg, and there is none",
    ):
        learn_limits(RIG, WALK, "rightLeg", roles={"rightLowerLeg": None})
    with pytest.raises(ValueError, match=r"ik\.learn_limits: roles"):
        learn_limits(RIG, WALK, "head", roles=lissom.roles(one_joint(LIMITS["a knee"]).skeleton))


def test_learned_limits_hold_a_chain_to_what_was_seen():
    joints = RIG.chain("UpperLeg.L", "Foot.L")[:-1]
    limits = learn_limits(RIG, WALK, joints, margin=0.02)
    chain = Chain(RIG, "UpperLeg.L", "Foot.L", limits=limits)
    poses = WALK.sample(np.linspace(WALK.start, WALK.end, 50), loop=False).astype(np.float64)
    wild = poses.copy()
    wild[:, joints, 3:7] = random_quats(np.random.default_rng(7), 50, len(joints))
    feet = twin.positions(RIG.parents, poses)[:, RIG.index("Foot.L")]
    done = ik.ccd(chain, wild, feet, tolerance=1e-2, max_iterations=200)
    for joint in joints.tolist():
        limit = limits[RIG.names[joint]]
        assert excess(limit, RIG, joint, done.pose).max() <= 1e-5


def test_copies_are_the_same():
    limits = learn_limits(RIG, WALK)
    for other in (copy.copy(limits), copy.deepcopy(limits), pickle.loads(pickle.dumps(limits))):
        assert type(other) is type(limits)
        assert other == limits
        assert other.outside == limits.outside
        assert repr(other) == repr(limits)


def test_the_child_says_where_the_bone_leads():
    to_neck = BallSocket.from_poses(RIG, "UpperChest", WALK.sample([0.1, 0.6]), child="Neck")
    to_arm = BallSocket.from_poses(RIG, "UpperChest", WALK.sample([0.1, 0.6]), child="Clavicle.L")
    assert to_neck != to_arm


def test_limits_are_read_at_a_glance():
    assert repr(BallSocket(1 / 3, (-1, 2 / 3))) == "BallSocket(half_angle=0.3333, twist=(-1, 0.6667))"
    assert repr(Hinge((0, 0, 2), -1e-7, 2.0)) == "Hinge(axis=(0.0, 0.0, 1.0), low=0, high=2)"
    straight = "Hinge(axis=(1.0, 0.0, 0.0), low=0, high=2.6, zero='straight')"
    assert repr(Hinge((1, 0, 0), 0.0, 2.6, zero="straight")) == straight
    assert repr(SwingTwist((1, 0.25), axis=(0, 1, 0))) == "SwingTwist(half_angles=(1, 0.25), axis=(0, 1, 0))"


def test_bad_input_is_refused_in_a_sentence():
    pose = WALK.at(0.2)
    nan = np.where(np.arange(10) == 4, np.nan, pose)
    for call, words in [
        (lambda: BallSocket.from_poses(RIG, "Hnd.L", pose), "no joint is named 'Hnd.L'"),
        (
            lambda: BallSocket.from_poses(RIG, "Hand.L", pose, child="Head"),
            "child must descend from 'Hand.L', got 'Head'",
        ),
        (
            lambda: BallSocket.from_poses(RIG, "Hand.L", pose[:3]),
            "BallSocket.from_poses: poses must have the 34 joints",
        ),
        (
            lambda: Hinge.from_poses(RIG, "Hand.L", np.zeros((0, 34, 10))),
            "Hinge.from_poses: poses must hold at least one",
        ),
        (
            lambda: Hinge.from_poses(RIG, "Hand.L", nan),
            "Hinge.from_poses: poses must hold finite rotations of 'Hand.L'",
        ),
        (
            lambda: Hinge.from_poses(RIG, "Hand.L", RIG.rest),
            "poses must rotate joint 'Hand.L' to determine an axis, .* pass axis=",
        ),
        (
            lambda: Hinge.from_poses(RIG, "Hand.L", pose, axis=[0, 0, 0]),
            "Hinge.from_poses: axis must not be zero",
        ),
        (
            lambda: Hinge.from_poses(RIG, "Hand.L", pose, margin=-1),
            "Hinge.from_poses: margin must be .* at least 0, got -1",
        ),
        (
            lambda: SwingTwist.from_poses(RIG, "Hand.L", 0 * pose),
            "must hold a rotation of 'Hand.L', got zero",
        ),
        (lambda: learn_limits(RIG, []), "ik.learn_limits: clips must hold at least one clip, got none"),
        (
            lambda: learn_limits(RIG, lissom.make_additive(WALK)),
            "clip 'walk' must hold poses, got an additive clip",
        ),
        (lambda: learn_limits(RIG, WALK, ["Hnd.L"]), "no joint is named 'Hnd.L'"),
        (lambda: learn_limits(RIG, WALK, rate=0), "ik.learn_limits: rate must be above zero"),
        (lambda: learn_limits(one_joint(LIMITS["a knee"]).skeleton, WALK), "must be of the same skeleton"),
        (lambda: excess(BallSocket(1), RIG, "Hand.L", pose[:3]), "ik.excess: poses must have the 34 joints"),
    ]:
        with pytest.raises(ValueError, match=words):
            call()
    for call, words in [
        (lambda: learn_limits(HERO, WALK), "ik.learn_limits: skeleton must be a Skeleton, got Character"),
        (lambda: learn_limits(RIG, 3), "ik.learn_limits: clips must be Clips, got int"),
        (lambda: learn_limits(RIG, [pose]), "ik.learn_limits: clips must be Clips, got ndarray"),
        (
            lambda: BallSocket.from_poses(RIG, "Hand.L", WALK),
            "BallSocket.from_poses: poses must be .* got Clip",
        ),
        (
            lambda: excess((0, 1), RIG, "Hand.L", pose),
            "ik.excess: limit must be BallSocket, Hinge or SwingTwist",
        ),
    ]:
        with pytest.raises(TypeError, match=words):
            call()
