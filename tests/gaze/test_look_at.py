# SPDX-License-Identifier: MIT
"""Eyes and heads that look at a point."""

import copy
import pickle

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline

import lissom
from conftest import asset
from glb_contents import rewritten
from lissom import GazeRange, LookAt
from vrm_avatars import ROLES, VRM0_SAID, VRM1_SAID, avatar

AHEAD = np.array([0.0, 0, 3])
DIRECTION = 1e-6  # of unit vectors that float64 poses of float32 rests give


@pytest.fixture(scope="module")
def body():
    return lissom.load(avatar().glb())


def lines_of_sight(body, poses, front=(0.0, 0.0, 1.0)):
    """Positions and directions of both eyes, (..., 2, 3) each."""
    skeleton = body.skeleton
    eyes = [skeleton.index("leftEye"), skeleton.index("rightEye")]
    at_rest = skeleton.model_matrices(skeleton.rest.astype(np.float64))[eyes, :3, :3]
    now = skeleton.model_matrices(poses)[..., eyes, :, :]
    return now[..., :3, 3], now[..., :3, :3] @ np.linalg.inv(at_rest) @ np.array(front)


def test_ranges_are_those_of_the_file(body):
    gaze = LookAt(body)
    said = VRM1_SAID["lookAt"]
    names = {
        "inner": "HorizontalInner",
        "outer": "HorizontalOuter",
        "down": "VerticalDown",
        "up": "VerticalUp",
    }
    for name, range_map in names.items():
        expected = said[f"rangeMap{range_map}"]
        got = gaze.ranges[name]
        assert np.degrees([got.input, got.output]).round(9).tolist() == list(expected.values())
    assert gaze.offset == tuple(said["offsetFromHeadBone"])
    assert (gaze.kind, gaze.head, gaze.eyes) == ("bone", "head", ("leftEye", "rightEye"))
    assert not [each for each in body.repairs if each.code == "LOOK_AT_LEFT_OUT"]


def test_offsets_of_vrm_0_are_those_of_unity():
    gaze = LookAt(lissom.load(avatar(0).glb()))
    assert gaze.offset == (0.01, 0.07, -0.08)
    assert gaze.front == (0, 0, -1)


def test_curves_of_vrm_0_count():
    body = lissom.load(asset("wild/vrm/Godette_vrm_v4.vrm"))
    outer = LookAt(body).ranges["outer"]
    rows = np.array([0, 0.05000305, 0, 0, 0.656278551, 0.393769681, 1.224509, 1.224509, 1, 1.050003, 1, 1])
    rows = rows.reshape(-1, 4)
    np.testing.assert_array_equal(outer.curve, rows)
    share = np.linspace(0, 1, 101)
    expected = CubicHermiteSpline(rows[:, 0], rows[:, 1], rows[:, 3])(
        share
    )  # where slopes agree on both sides
    got = outer.map(share * np.pi / 2) / outer.output
    np.testing.assert_allclose(got[share < rows[1, 0]], expected[share < rows[1, 0]], atol=1e-12)
    np.testing.assert_allclose(
        got, CubicHermiteSpline(rows[:, 0], rows[:, 1], [0, 1.224509, 1])(share), atol=1e-12
    )


def test_a_curve_may_leave_a_key_otherwise_than_it_arrives():
    bent = GazeRange(1.0, 2.0, [[0, 0, 0, 3], [0.5, 1, 0.5, -1], [1, 0.2, 2, 0]])
    for first, last, (y0, y1), (m0, m1) in ((0, 0.5, (0, 1), (3, 0.5)), (0.5, 1, (1, 0.2), (-1, 2))):
        x = np.linspace(first, last, 20)[:-1]
        np.testing.assert_allclose(
            bent.map(x), 2 * CubicHermiteSpline([first, last], [y0, y1], [m0, m1])(x), atol=1e-12
        )
    assert GazeRange(1.0, 2.0, [[0.5, 0.25, 0, 0]]).map([0.0, 1.0]).tolist() == [0.5, 0.5]


def test_eyes_that_look_ahead_are_at_rest(body):
    gaze = LookAt(body)
    rest = body.skeleton.rest.astype(np.float64)
    head = body.skeleton.model_matrices(rest)[body.skeleton.index("head")]
    eye = head[:3, :3] @ gaze.offset + head[:3, 3]
    assert np.abs(gaze.angles(rest, eye + AHEAD)).max() < DIRECTION
    assert lissom.quat.angle_between(gaze.poses(rest, eye + AHEAD)[:, 3:7], rest[:, 3:7]).max() < DIRECTION


def test_moving_the_root_turns_nothing(body):
    gaze = LookAt(body)
    pose = body.skeleton.rest.astype(np.float64)
    moved = pose.copy()
    root = body.skeleton.index("root")
    turn = lissom.quat.from_axis_angle([0.3, 1, 0.2], 1.0)
    moved[root, :3], moved[root, 3:7] = [0.3, 2, -1], turn
    target = np.array([0.5, 1.2, 2.0])
    there = lissom.quat.rotate(turn, target) + moved[root, :3]
    np.testing.assert_allclose(gaze.angles(moved, there), gaze.angles(pose, target), atol=1e-7)
    eyes = [body.skeleton.index(eye) for eye in gaze.eyes]
    np.testing.assert_allclose(gaze.poses(moved, there)[eyes], gaze.poses(pose, target)[eyes], atol=1e-7)


def test_exact_eyes_meet_targets_within_their_ranges(body):
    gaze = LookAt(body)
    rest = body.skeleton.rest.astype(np.float64)
    targets = np.array([1.2, 1.5, 10]) + np.random.default_rng(0).uniform(-0.8, 0.8, (20, 3))
    posed = gaze.poses(rest, targets, exact=True)
    places, sight = lines_of_sight(body, posed)
    to_target = targets[:, None] - places
    to_target /= np.linalg.norm(to_target, axis=-1, keepdims=True)
    assert np.abs(sight - to_target).max() < 1e-4  # ik.aim's tolerance
    others = [joint for joint in range(len(body.skeleton)) if body.skeleton.names[joint] not in gaze.eyes]
    np.testing.assert_array_equal(posed[:, others], np.tile(rest[others], (20, 1, 1)))


def test_exact_eyes_stop_at_their_limits(body):
    gaze = LookAt(body)
    rest = body.skeleton.rest.astype(np.float64)
    _, sight = lines_of_sight(body, gaze.poses(rest, [[5, 1.57, 1.0], [0, 9, 2], [0, -9, 2]], exact=True))
    angle = np.degrees(np.arccos(np.clip(sight @ np.array([0, 0, 1.0]), -1, 1)))
    np.testing.assert_allclose(angle, [[13, 13], [11, 11], [11, 11]], atol=0.05)


def test_a_head_turns_to_the_target_as_far_as_limits_allow(body):
    narrow = lissom.ik.SwingTwist((0.2, 0.2), (-0.2, 0.2), axis=(0, 1, 0))
    gaze = LookAt(body, limits={"neck": narrow, "head": narrow})
    rest = body.skeleton.rest.astype(np.float64)
    usual = LookAt(body)
    near, far = [0.6, 1.6, 1.5], [2.0, 1.5, -0.3]
    assert np.abs(usual.angles(usual.poses(rest, near, head=1.0), near)).max() < 1e-4
    left_over = usual.angles(usual.poses(rest, far, head=1.0), far)
    assert 5 < np.degrees(left_over[0]) < 40  # of 98 degrees
    assert np.degrees(gaze.angles(gaze.poses(rest, far, head=1.0), far)[0]) > np.degrees(left_over[0])
    half = usual.angles(usual.poses(rest, near, head=0.5), near)
    whole = usual.angles(rest, near)
    assert 0.4 < half[0] / whole[0] < 0.6


def test_batches_broadcast_and_types_are_kept(body):
    gaze = LookAt(body)
    poses = np.tile(body.skeleton.rest, (5, 1, 1))
    targets = np.random.default_rng(1).normal(size=(3, 1, 3)) + AHEAD
    all_of_them = gaze.poses(poses, targets)
    assert all_of_them.shape == (3, 5, len(body.skeleton), 10)
    assert all_of_them.dtype == np.float32
    assert gaze.poses(poses.astype(np.float64), targets).dtype == np.float64
    np.testing.assert_array_equal(all_of_them[2, 4], gaze.poses(poses[4], targets[2, 0]))
    assert gaze.angles(poses, targets).shape == (3, 5, 2)
    out = np.empty((len(body.skeleton), 3, 5, 10), np.float32).transpose(1, 2, 0, 3)
    assert gaze.poses(poses, targets, out=out) is out
    np.testing.assert_array_equal(out, all_of_them)
    assert gaze.poses(poses[:0], targets[0, 0]).shape == (0, len(body.skeleton), 10)


def test_expressions_have_one_weight_for_each_side():
    said = {"lookAt": VRM1_SAID["lookAt"] | {"type": "expression", "rangeMapHorizontalOuter": {
        "inputMaxValue": 40, "outputScale": 2.0}}}  # fmt: skip
    body = lissom.load(avatar(said=said).glb())
    gaze = LookAt(body)
    weights = gaze.expressions(body.skeleton.rest, [[3, 1.57, 1], [-0.1, 9, 1], [0, -3, 5]])
    assert list(weights) == ["lookLeft", "lookRight", "lookUp", "lookDown"]
    assert weights["lookLeft"][0] == 1  # of 2: no weight is above 1
    assert (weights["lookLeft"] * weights["lookRight"] == 0).all()
    assert (weights["lookUp"] * weights["lookDown"] == 0).all()
    assert weights["lookUp"][1] == 1
    with pytest.raises(
        ValueError, match=r"^LookAt.poses: head must be above 0 here, got 0.0; expressions move"
    ):
        gaze.poses(body.skeleton.rest, [0, 1, 2])
    with pytest.raises(ValueError, match=r"^LookAt.expressions: joints move the eyes"):
        LookAt(body, kind="bone").expressions(body.skeleton.rest, [0, 1, 2])


def test_a_zero_input_counts_as_a_small_one():
    said = {"lookAt": VRM1_SAID["lookAt"] | {"rangeMapVerticalUp": {"inputMaxValue": 0, "outputScale": 5}}}
    up = LookAt(lissom.load(avatar(said=said).glb())).ranges["up"]
    assert up.map(0) == 0
    assert np.degrees(up.map(0.01)) == pytest.approx(5)


def test_any_rig_may_look():
    hero = lissom.samples.humanoid()
    gaze = LookAt(hero)
    target = [1.0, 1.5, 1.5]
    assert np.abs(gaze.angles(gaze.poses(hero.skeleton.rest, target, head=1.0), target)).max() < 1e-3
    with pytest.raises(
        ValueError, match=r"head must be above 0 here, got 0.0; this body has no joints of eyes"
    ):
        gaze.poses(hero.skeleton.rest, target)


def test_eyes_may_be_named(body):
    named = LookAt(
        lissom.Skeleton(body.skeleton.names, body.skeleton.parents, body.skeleton.rest),
        head="head", eyes=("leftEye", "rightEye"), front=(0, 0, 2),
    )  # fmt: skip
    middle = body.skeleton.positions(body.skeleton.rest)[[ROLES.index("leftEye"), ROLES.index("rightEye")]]
    middle = body.skeleton.positions(body.skeleton.rest)[
        [body.skeleton.index("leftEye"), body.skeleton.index("rightEye")]
    ].mean(axis=0)
    assert np.abs(named.angles(body.skeleton.rest, middle + AHEAD)).max() < 1e-6
    assert named.front == (0, 0, 1)
    assert np.degrees(named.ranges["up"].output).round(9) == 10


def test_copies_are_the_same(body):
    gaze = LookAt(body, limits={"neck": lissom.ik.SwingTwist((0.3, 0.3))}, ranges={"up": GazeRange(1, 0.5)})
    target = [1.0, 2.0, 1.5]
    expected = gaze.poses(body.skeleton.rest, target, head=0.8)
    for other in (copy.copy(gaze), copy.deepcopy(gaze), pickle.loads(pickle.dumps(gaze))):
        np.testing.assert_array_equal(other.poses(body.skeleton.rest, target, head=0.8), expected)
        assert repr(other) == repr(gaze)
    assert LookAt(pickle.loads(pickle.dumps(body.skeleton))).offset == LookAt(body).offset


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"kind": "eyes"}, ValueError, "LookAt: kind must be 'bone' or 'expression', got 'eyes'"),
        ({"head": "hed"}, ValueError, "LookAt: head: no joint is named 'hed'; did you mean 'head'?"),
        ({"eyes": "leftEye"}, TypeError, "LookAt: eyes must be a pair of joints, left and right, got str"),
        ({"eyes": ["leftEye"]}, ValueError, "LookAt: eyes must be a pair of joints, left and right, got 1"),
        ({"eyes": ["leftEye", "hips"]}, ValueError, "LookAt: eyes must be below the head 'head', got 'hips'"),
        ({"offset": [0, np.nan, 0]}, ValueError, "LookAt: offset must be finite, got nan"),
        ({"front": [0, 0, 0]}, ValueError, "LookAt: front must not be zero"),
        ({"ranges": {"upp": GazeRange()}}, ValueError, "LookAt: ranges: no range is named 'upp'"),
        ({"ranges": {"up": 10}}, TypeError, "LookAt: ranges must be a mapping of GazeRange, got int"),
        ({"ranges": 10}, TypeError, "LookAt: ranges must be a mapping of GazeRange, got int"),
        ({"limits": {"hips": lissom.ik.BallSocket(1)}}, ValueError, "LookAt: limits must name joints of"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused(body, arguments, kind, message):
    with pytest.raises(kind) as caught:
        LookAt(body, **arguments)
    assert str(caught.value).startswith(message)


def test_bodies_without_a_head_are_refused():
    bar = lissom.samples.twisted_bar()
    with pytest.raises(
        ValueError, match=r"^LookAt: head must be named, as no joint is one by its name or place$"
    ):
        LookAt(bar)
    with pytest.raises(TypeError, match=r"^LookAt: body must be a Character or a Skeleton, got int$"):
        LookAt(3)


@pytest.mark.parametrize("method", ["angles", "poses"])
def test_wrong_poses_and_targets_are_refused(body, method):
    call = getattr(LookAt(body), method)
    rest = body.skeleton.rest
    for poses, targets, kind, message in (
        (rest[:4], [0, 1, 2], ValueError, "poses must have shape"),
        (np.where(rest == 1, np.nan, rest), [0, 1, 2], ValueError, "poses must be finite"),
        (rest, [0, 1], ValueError, r"targets must have shape \(..., 3\), got \(2,\)"),
        (rest, [0, np.inf, 2], ValueError, "targets must be finite, got inf"),
        (rest, ["a"], TypeError, "targets must be an array of real numbers"),
        (np.stack([rest] * 2), np.zeros((3, 3)), ValueError, "leading axes must broadcast"),
    ):
        with pytest.raises(kind, match=rf"^LookAt.{method}: {message}"):
            call(poses, targets)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.0,), "GazeRange: input must be above zero"),
        ((1.0, np.nan), "GazeRange: output must be"),
        ((1.0, 1.0, [0, 1]), r"GazeRange: curve must have shape \(N, 4\)"),
        ((1.0, 1.0, [[0, 0, 0, 0], [0, 1, 0, 0]]), "GazeRange: curve must have shares of input that rise"),
        ((1.0, 1.0, [[0, np.nan, 0, 0]]), "GazeRange: curve must be finite"),
    ],
)
def test_wrong_ranges_are_refused(arguments, message):
    with pytest.raises(ValueError, match=rf"^{message}"):
        GazeRange(*arguments)


def with_look_at(version, **said):
    name, member, all_said = (
        ("VRMC_vrm", "lookAt", VRM1_SAID) if version else ("VRM", "firstPerson", VRM0_SAID)
    )

    def change(root):
        root["extensions"][name][member] = all_said[member] | said

    return lissom.load(rewritten(avatar(version).glb(), change))


@pytest.mark.parametrize(
    ("version", "said", "message"),
    [
        (1, {"offsetFromHeadBone": [0, 1]}, "where the character looks cannot be read: "),
        (1, {"offsetFromHeadBone": "up"}, "where the character looks cannot be read: "),
        (1, {"rangeMapVerticalUp": {"inputMaxValue": "wide"}}, "where the character looks cannot be read: "),
        (1, {"offsetFromHeadBone": [1e30, 0, 0]}, "the place of the eyes must be finite"),
        (0, {"firstPersonBoneOffset": {"x": [1]}}, "where the character looks cannot be read: "),
        (0, {"lookAtVerticalUp": []}, "where the character looks cannot be read: "),
    ],
)
def test_what_cannot_be_used_is_left_out(version, said, message):
    body = with_look_at(version, **said)
    (repair,) = [each for each in body.repairs if each.code == "LOOK_AT_LEFT_OUT"]
    assert repair.message.startswith(message)
    assert body.skeleton._stated_look_at is None


@pytest.mark.parametrize(
    ("version", "said", "message"),
    [
        (1, {"rangeMapVerticalUp": {"outputScale": 1e30}}, "output must be from -1e+09 to 1e+09"),
        (1, {"type": "nose"}, "the type must be bone or expression, got 'nose'"),
        (0, {"lookAtVerticalUp": {"curve": [1, 2, 3]}}, "a curve must have four numbers"),
        (0, {"lookAtVerticalUp": {"curve": [0] * 4004}}, "a curve must have four numbers"),
        (0, {"lookAtVerticalUp": {"curve": [0] * 8}}, "curve must have shares of input that rise"),
    ],
)
def test_a_wrong_range_is_the_usual_one(version, said, message):
    body = with_look_at(version, **said)
    (repair,) = [each for each in body.repairs if each.code == "LOOK_AT_LEFT_OUT"]
    assert repair.message.startswith(message)
    assert np.degrees(LookAt(body).ranges["up"].input) > 39


def test_a_look_without_a_head_is_left_out():
    def headless(root):
        del root["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"]["head"]

    body = lissom.load(rewritten(avatar().glb(), headless))
    assert [each.message for each in body.repairs if each.code == "LOOK_AT_LEFT_OUT"] == [
        "the character has no head that looks"
    ]
