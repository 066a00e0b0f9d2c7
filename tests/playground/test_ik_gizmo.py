# SPDX-License-Identifier: MIT
"""Gizmos of limits: their rims are where the kernel says the limits end, wherever the joint's parent is."""

import numpy as np
import pytest

import lissom
from lissom import ik, quat
from lissom._playground.gizmo import AT_LIMIT, FREE, NEEDLE, RIM, SHARE, gizmos_of
from lissom._playground.overlay import joined

CLOSE = 2e-6  # of the model's units: overlays are float32


def bent_skeleton(scales=((1, 1, 1),) * 4):
    """Four joints of bones in all directions, below a parent that is turned."""
    rest = np.zeros((4, 10))
    rest[:, 6] = 1
    rest[:, 7:] = scales
    rest[:, :3] = [(0.2, 0.1, -0.3), (0.1, 0.4, 0.2), (0.05, 0.5, -0.1), (-0.1, 0.4, 0.15)]
    rest[:, 3:7] = quat.normalize(
        np.array([(0.3, 0.2, -0.1, 0.9), (-0.2, 0.4, 0.1, 0.8), (0.1, 0.1, 0.5, 0.9), (0, 0, 0, 1)])
    )
    return lissom.Skeleton(["base", "root", "middle", "end"], [-1, 0, 1, 2], rest)


SCALES = {
    "plain": ((1, 1, 1),) * 4,
    "scaled": ((2, 2, 2), (0.5, 0.5, 0.5), (1, 1, 1), (3, 3, 3)),
    "mirrored": ((-1, 1, 1), (1, 1, 1), (1, 1, 1), (1, 1, 1)),
}

LIMITS = {
    "ball": ik.BallSocket(0.9),
    "wide ball": ik.BallSocket(2.4, twist=(-0.4, 1.1)),
    "ellipse": ik.SwingTwist((1.3, 0.4), twist=(-0.8, 0.3)),
    "hinge": ik.Hinge((0.2, -0.5, 0.7), -0.4, 1.9),
}


def posed(skeleton, joint, turn):
    """The rest pose, one joint turned from it, and all of it moved as its parent is."""
    pose = skeleton.rest.astype(np.float64)
    pose[0, 3:7] = quat.normalize(quat.multiply(pose[0, 3:7], [0.3, -0.5, 0.2, 0.8]))
    pose[joint, 3:7] = quat.multiply(pose[joint, 3:7], turn)
    return pose


def gizmo_at(skeleton, limit, pose, is_limited=False):
    """The gizmo of the joint "root", as drawn, and where joint and child are."""
    chain = ik.Chain(skeleton, "root", "end", {"root": limit})
    (gizmo,) = gizmos_of(chain)
    model = skeleton.model_matrices(pose)
    return chain, gizmo.draw(pose, model, is_limited), model[1, :3, 3], model[2, :3, 3]


def rim_turns(chain, count):
    """The turns of the joint that lead to the rim of its cone, by the definition of the limits."""
    limit = chain.limits[0]
    if isinstance(limit, ik.BallSocket):
        bone = chain.skeleton.rest[2, :3].astype(np.float64)
        axis = bone / np.linalg.norm(bone)
        across = np.linalg.svd(axis[None])[2][1]
        both = (limit.half_angle,) * 2
    else:
        axis, across, both = np.array(limit.axis), np.array(limit.across), limit.half_angles
    angle = np.linspace(0, 2 * np.pi, count)[:, None]
    swing = both[0] * np.cos(angle) * across + both[1] * np.sin(angle) * np.cross(axis, across)
    return quat.from_rotation_vector(swing)


@pytest.mark.parametrize("scales", SCALES.values(), ids=SCALES)
@pytest.mark.parametrize("limit", [LIMITS["ball"], LIMITS["wide ball"], LIMITS["ellipse"]], ids=repr)
def test_a_rim_is_where_the_child_stands_at_the_limit(scales, limit):
    skeleton = bent_skeleton(scales)
    rest = posed(skeleton, 1, [0, 0, 0, 1])
    chain, overlay, joint, _ = gizmo_at(skeleton, limit, rest)
    rim = overlay.lines[:RIM, 0, :3]
    for turn in rim_turns(chain, 13):
        child = skeleton.model_matrices(posed(skeleton, 1, turn))[2, :3, 3]
        expected = joint + SHARE * (child - joint)
        nearest = np.linalg.norm(rim - expected, axis=1).min()
        # Points of the rim lie in steps; the expected one is on one of them, or between two.
        step = np.linalg.norm(np.diff(rim, axis=0), axis=1).max()
        assert nearest <= step / 2 + CLOSE


@pytest.mark.parametrize("scales", SCALES.values(), ids=SCALES)
def test_each_point_of_a_round_rim_is_at_the_limit_by_the_kernel(scales):
    skeleton = bent_skeleton(scales)
    rest = posed(skeleton, 1, [0, 0, 0, 1])
    _, overlay, joint, child = gizmo_at(skeleton, LIMITS["ball"], rest)
    for corner in overlay.lines[:RIM:7, 0, :3] - joint:
        target = joint + corner / SHARE  # as far as the child can be
        for share, outside in ((0.98, False), (1.02, True)):
            # Towards and beyond the rim, in the plane of the bone at rest and the rim.
            there = joint + (child - joint) + share * (target - child)
            direction = (there - joint) / np.linalg.norm(there - joint)
            model = skeleton.model_matrices(rest)
            in_parent = np.linalg.solve(model[0, :3, :3], direction)
            turned = quat.rotate(quat.conjugate(skeleton.rest[1, 3:7].astype(np.float64)), in_parent)
            bone = skeleton.rest[2, :3].astype(np.float64) * skeleton.rest[1, 7:]
            pose = posed(skeleton, 1, quat.from_to(bone, turned))
            over = ik.excess(LIMITS["ball"], skeleton, "root", pose, child="middle")
            assert (over > 1e-3) == outside


def test_the_arc_of_a_hinge_runs_from_its_lowest_to_its_highest_angle():
    skeleton, limit = bent_skeleton(), LIMITS["hinge"]
    rest = posed(skeleton, 1, [0, 0, 0, 1])
    chain, overlay, joint, child = gizmo_at(skeleton, limit, rest)
    axis = quat.rotate(quat.normalize(quat.multiply(rest[0, 3:7], rest[1, 3:7])), chain.limits[0].axis)
    surface = overlay.triangles[:, :, :3] - joint
    first, last = surface[0, 1], surface[-1, 2]
    flat = child - joint - ((child - joint) @ axis) * axis
    for end, angle in ((first, limit.low), (last, limit.high)):
        expected = quat.rotate(quat.from_axis_angle(axis, angle), flat)
        expected *= SHARE * np.linalg.norm(child - joint) / np.linalg.norm(expected)
        np.testing.assert_allclose(end, expected, atol=CLOSE)
    np.testing.assert_allclose(surface @ axis, 0, atol=CLOSE)
    radii = np.linalg.norm(surface[:, 1:], axis=-1)
    np.testing.assert_allclose(radii, SHARE * np.linalg.norm(child - joint), atol=CLOSE)


@pytest.mark.parametrize("angle", [-0.4, 0.0, 0.7, 1.9])
def test_the_needle_of_a_hinge_is_at_the_joints_angle(angle):
    skeleton, limit = bent_skeleton(), LIMITS["hinge"]
    pose = posed(skeleton, 1, quat.from_axis_angle(limit.axis, angle))
    _, overlay, joint, child = gizmo_at(skeleton, limit, pose)
    axis = quat.rotate(quat.normalize(quat.multiply(pose[0, 3:7], pose[1, 3:7])), limit.axis)
    needle = overlay.lines[-1, :, :3] - joint
    np.testing.assert_allclose(needle[0], 0, atol=CLOSE)
    flat = child - joint - ((child - joint) @ axis) * axis
    np.testing.assert_allclose(
        needle[1] / np.linalg.norm(needle[1]), flat / np.linalg.norm(flat), atol=10 * CLOSE
    )
    np.testing.assert_allclose(overlay.lines[-1, :, 3:6], np.tile(NEEDLE, (2, 1)), atol=1e-7)


@pytest.mark.parametrize("limit", [LIMITS["ball"], LIMITS["wide ball"]], ids=repr)
def test_the_needle_of_a_cone_is_along_the_bone(limit):
    skeleton = bent_skeleton(SCALES["scaled"])
    pose = posed(skeleton, 1, quat.from_rotation_vector([0.3, -0.4, 0.5]))
    _, overlay, joint, child = gizmo_at(skeleton, limit, pose)
    np.testing.assert_allclose(overlay.lines[-1, 1, :3], joint + SHARE * (child - joint), atol=CLOSE)


@pytest.mark.parametrize("twist", [-0.8, 0.0, 0.3])
def test_the_hand_of_the_dial_shows_the_twist_between_its_bounds(twist):
    skeleton = bent_skeleton()
    limit = ik.SwingTwist((1.3, 0.4), twist=(-0.8, 0.3), axis=(0, 1, 0), across=(1, 0, 0))
    swing = quat.from_rotation_vector([0.5, 0.0, 0.2])
    turn = quat.multiply(swing, quat.from_axis_angle([0.0, 1, 0], twist))
    pose = posed(skeleton, 1, turn)
    _, overlay, _, _ = gizmo_at(skeleton, limit, pose)
    tip, hand = overlay.lines[-2, :, :3]
    lowest, highest = overlay.lines[-4, :, :3], overlay.lines[-3, :, :3]
    for line in (lowest, highest):
        np.testing.assert_allclose(line[0], tip, atol=CLOSE)

    def angle(a, b):
        a, b = (v / np.linalg.norm(v) for v in (a - tip, b - tip))
        return np.arccos(np.clip(a @ b, -1, 1))

    assert angle(hand, lowest[1]) == pytest.approx(twist + 0.8, abs=2e-3)
    assert angle(hand, highest[1]) == pytest.approx(0.3 - twist, abs=2e-3)


@pytest.mark.parametrize("limit", LIMITS.values(), ids=LIMITS)
def test_a_gizmo_moves_as_the_parent_does(limit):
    skeleton = bent_skeleton()
    pose = posed(skeleton, 1, quat.from_rotation_vector([0.2, 0.1, -0.3]))
    _, before, _, _ = gizmo_at(skeleton, limit, pose)
    moved = pose.copy()
    turn, shift = quat.normalize(np.array([0.1, 0.7, -0.3, 0.6])), np.array([1.0, -2, 0.5])
    moved[0, :3] = quat.rotate(turn, pose[0, :3]) + shift
    moved[0, 3:7] = quat.multiply(turn, pose[0, 3:7])
    _, after, _, _ = gizmo_at(skeleton, limit, moved)
    for one, other in zip(before, after, strict=True):
        expected = quat.rotate(turn, one[..., :3].astype(np.float64)) + shift
        np.testing.assert_allclose(other[..., :3], expected, atol=3 * CLOSE)


@pytest.mark.parametrize("limit", LIMITS.values(), ids=LIMITS)
def test_its_colour_says_whether_the_joint_is_at_the_limit(limit):
    skeleton = bent_skeleton()
    pose = posed(skeleton, 1, [0, 0, 0, 1])
    for is_limited, color in ((False, FREE), (True, AT_LIMIT)):
        _, overlay, _, _ = gizmo_at(skeleton, limit, pose, is_limited)
        assert overlay.lines.dtype == overlay.triangles.dtype == np.float32
        np.testing.assert_allclose(overlay.triangles[..., 3:6].reshape(-1, 3).max(axis=0), color, atol=1e-7)
        np.testing.assert_allclose(overlay.lines[0, 0, 3:6], color, atol=1e-7)
        assert (overlay.triangles[..., 6] < 0.5).all(), "what lies behind shows through"


def test_a_ball_that_allows_everything_has_no_rim():
    skeleton = bent_skeleton()
    _, overlay, _, _ = gizmo_at(skeleton, ik.BallSocket(4.0), posed(skeleton, 1, [0, 0, 0, 1]))
    assert len(overlay.triangles) == 0
    assert len(overlay.lines) == 1, "the needle alone"


def test_only_joints_that_turn_have_gizmos():
    skeleton = bent_skeleton()
    limits = {"root": LIMITS["ball"], "end": ik.BallSocket(0.3)}
    assert [gizmo.joint for gizmo in gizmos_of(ik.Chain(skeleton, "root", "end", limits))] == [1]
    fixed = ik.Chain(skeleton, "base", "end", {"base": LIMITS["ball"]}, fixed=["root"])
    (gizmo,) = gizmos_of(fixed)
    pose = skeleton.rest.astype(np.float64)
    model = skeleton.model_matrices(pose)
    tip = gizmo.draw(pose, model, False).lines[-1, 1, :3]
    expected = model[0, :3, 3] + SHARE * (model[2, :3, 3] - model[0, :3, 3])
    np.testing.assert_allclose(tip, expected, atol=CLOSE, err_msg="to the next joint that turns")


def test_joined_overlays_keep_all():
    skeleton = bent_skeleton()
    pose = posed(skeleton, 1, [0, 0, 0, 1])
    parts = [gizmo_at(skeleton, limit, pose)[1] for limit in LIMITS.values()]
    whole = joined(parts)
    assert len(whole.lines) == sum(len(part.lines) for part in parts)
    assert len(whole.triangles) == sum(len(part.triangles) for part in parts)
    assert joined([]).lines.shape == (0, 2, 7)
