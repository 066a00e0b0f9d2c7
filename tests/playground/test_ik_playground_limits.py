# SPDX-License-Identifier: MIT
"""Limits that are edited: set, added, removed, dragged by their bounds, written as numbers, undone."""

import numpy as np
import pytest

import lissom
from lissom import ik, quat, samples
from lissom._playground import editing, moves
from lissom._playground.limit_edits import KINDS, bounds_of

HERO = samples.humanoid()
LIMITS = {
    "UpperLeg.L": ik.SwingTwist((1.9, 0.8), twist=(-0.6, 0.6), across=(1, 0, 0)),
    "LowerLeg.L": ik.Hinge.from_rest(0.0, 2.6, zero="straight"),
}
HIP, KNEE = (HERO.skeleton.index(name) for name in LIMITS)
TARGET = [0.1, 0.5, 0.3]
ROUNDED = 1e-4  # radians: to which bounds that are dragged are rounded


def leg(limits=LIMITS):
    return ik.Chain(HERO.skeleton, "UpperLeg.L", "Foot.L", limits=limits)


def playground(limits=LIMITS, **options):
    made = ik.Playground(HERO, leg(limits), **options)
    made._edits_limits = True
    return made


def grip(made, name):
    return np.array(next(handle.position for handle in made._handles() if handle.id == name))


def move(made, name, position, gesture="drag"):
    moves.move(made, {name: np.asarray(position).tolist()}, gesture, 0.0)


def test_a_limit_that_is_set_holds_and_one_that_is_removed_does_not():
    made = playground()
    made.solve(TARGET)
    tight = ik.Hinge.from_rest(0.0, 0.3)
    done = made.set_limit("LowerLeg.L", tight)
    expected = ik.fabrik(leg({**LIMITS, "LowerLeg.L": tight}), HERO.skeleton.rest, np.float32(TARGET))
    assert not done.reached
    assert done.residual == pytest.approx(float(expected.residual), rel=0.05)
    assert made.limits == {"UpperLeg.L": LIMITS["UpperLeg.L"], "LowerLeg.L": tight}
    assert bool(made.set_limit(KNEE, None).reached)
    assert set(made.limits) == {"UpperLeg.L"}
    made.undo()
    assert made.limits["LowerLeg.L"] is tight
    assert made.result is done


def test_a_limit_is_set_in_all_chains_that_share_the_joint():
    arms = [ik.Chain(HERO.skeleton, "Spine", f"Hand.{side}") for side in "LR"]
    made = ik.Playground(HERO, arms, solver="ccd")
    cone = ik.BallSocket(0.2)
    made.set_limit("Spine", cone)
    assert all(chain.limits[0] == cone for chain in made.chains)


@pytest.mark.parametrize(
    ("joint", "limit", "error", "message"),
    [
        (
            "Hand.R",
            ik.BallSocket(1.0),
            ValueError,
            r"set_limit: joint must rotate in one of the chains, got 'Hand.R'",
        ),
        ("no", None, ValueError, "ik.Playground.set_limit: joint"),
        (
            "LowerLeg.L",
            1.0,
            TypeError,
            "set_limit: limit must be BallSocket, Hinge, SwingTwist or None, got float",
        ),
    ],
)
def test_what_is_no_limit_or_no_joint_is_refused(joint, limit, error, message):
    made = playground()
    before = made._state
    with pytest.raises(error, match=message):
        made.set_limit(joint, limit)
    assert made._state is before


@pytest.mark.parametrize("name", ["low", "high"])
def test_the_ends_of_an_arc_are_where_the_joint_is_at_that_bound(name):
    made = playground()
    hinge = made.chains[0].limits[1]
    bound = bounds_of(hinge)[name]
    pose = HERO.skeleton.rest.astype(np.float64)
    pose[KNEE, 3:7] = quat.multiply(pose[KNEE, 3:7], quat.from_axis_angle(np.array(hinge.axis), bound))
    pose[HIP] = made.pose[HIP]
    positions = HERO.skeleton.positions(pose)
    bone = positions[HERO.skeleton.index("Foot.L")] - positions[KNEE]
    arm = grip(made, f"limit:{KNEE}:{name}") - positions[KNEE]
    axis = HERO.skeleton.model_matrices(pose)[KNEE, :3, :3] @ np.array(hinge.axis)
    across = bone - (bone @ axis) * axis
    cosine = arm @ across / np.linalg.norm(arm) / np.linalg.norm(across)
    assert cosine == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(
    ("joint", "name"),
    [
        (KNEE, "low"),
        (KNEE, "high"),
        (HIP, "first"),
        (HIP, "second"),
        (HIP, "twist_low"),
        (HIP, "twist_high"),
    ],
)
def test_a_bound_that_is_dragged_to_where_another_value_has_it_takes_that_value(joint, name):
    """For a target at rest, so that the needle, which carries the dial of the twist, stays where it is."""
    made, other = playground(), playground()
    change = -0.2 if name != "twist_low" else 0.2
    resolved = made.chains[0]._by_joint[joint]
    editing.bound_limit(other, joint, {name: bounds_of(resolved)[name] + change}, None)
    expected = bounds_of(other.chains[0]._by_joint[joint])
    move(made, f"limit:{joint}:{name}", grip(other, f"limit:{joint}:{name}"))
    found = bounds_of(made.chains[0]._by_joint[joint])
    for each, angle in expected.items():
        assert found[each] == pytest.approx(angle, abs=2 * ROUNDED), each
    assert found[name] != bounds_of(resolved)[name]


def test_a_bound_that_is_dragged_to_where_it_is_stays_in_a_pose_that_is_swung():
    made = playground()
    made.solve([-0.2, 0.6, 0.4])
    before = [bounds_of(limit) for limit in made.chains[0].limits]
    for name in [each.id for each in made._handles() if each.id.startswith("limit")]:
        move(made, name, grip(made, name))
    for old, limit in zip(before, made.chains[0].limits, strict=True):
        assert bounds_of(limit) == pytest.approx(old, abs=2 * ROUNDED)


def test_a_round_cone_is_as_wide_as_where_its_rim_is_dragged_in_any_direction():
    made = playground({"UpperLeg.L": ik.BallSocket(0.8)})
    wide = playground({"UpperLeg.L": ik.BallSocket(1.1)})
    rim = wide._overlay(wide._model_matrices()).lines[:60:7, 0, :3].astype(np.float64)
    for point in rim:
        move(made, f"limit:{HIP}:half_angle", point)
        assert made.limits["UpperLeg.L"].half_angle == pytest.approx(1.1, abs=1e-3)


def test_an_end_of_a_range_stops_at_the_other_and_keeps_the_words_of_the_limit():
    made = playground()
    editing.bound_limit(made, KNEE, {"low": 5.0}, None)
    knee = made.limits["LowerLeg.L"]
    assert knee.low == pytest.approx(knee.high, abs=ROUNDED)
    assert (knee.high, knee.zero, knee.axis) == (2.6, "straight", None)
    editing.bound_limit(made, HIP, {"twist_low": None}, None)
    assert made.limits["UpperLeg.L"].twist is None
    assert f"limit:{HIP}:twist_low" not in [handle.id for handle in made._handles()]
    with pytest.raises(ValueError, match="swing, first of the limit must be a number of degrees, got none"):
        editing.bound_limit(made, HIP, {"first": None}, None)


@pytest.mark.parametrize("kind", KINDS)
def test_a_limit_of_each_kind_can_be_chosen_and_read_back_as_code(kind):
    made = playground({})
    made.solve(TARGET)
    editing.choose_limit(made, KNEE, kind)
    assert type(made.limits["LowerLeg.L"]).__name__ == kind
    assert {handle.id.split(":")[1] for handle in made._handles() if handle.id.startswith("limit")} == {
        str(KNEE)
    }
    names = {}
    exec(made.code(), names)
    np.testing.assert_array_equal(names["pose"], made.pose)
    assert names["chain"].limits == made.chains[0].limits
    editing.choose_limit(made, KNEE, "")
    assert made.limits == {}


def test_choosing_another_kind_keeps_what_both_have():
    made = playground({"UpperLeg.L": ik.BallSocket(0.7, twist=(-0.1, 0.2))})
    editing.choose_limit(made, HIP, "SwingTwist")
    assert made.limits["UpperLeg.L"] == ik.SwingTwist((0.7, 0.7), twist=(-0.1, 0.2))
    editing.choose_limit(made, HIP, "BallSocket")
    assert made.limits["UpperLeg.L"] == ik.BallSocket(0.7, twist=(-0.1, 0.2))


def test_a_drag_of_a_bound_is_one_step_of_undo():
    made = playground()
    before = made._state
    for angle in (1.0, 1.1, 1.2):
        editing.bound_limit(made, KNEE, {"high": angle}, "one drag")
    assert made.limits["LowerLeg.L"].high < 2.6
    made.undo()
    assert made._state is before
    made.redo()
    assert bounds_of(made.chains[0].limits[1])["high"] == pytest.approx(1.2, abs=ROUNDED)


def test_the_effectors_limit_is_listed_and_drawn_where_it_turns():
    from lissom._playground.limit_edits import limit_rows

    made = playground({"Foot.L": ik.BallSocket(0.4)})
    assert [row.name for row in limit_rows(made.chains, made._oriented())] == ["UpperLeg.L", "LowerLeg.L"]
    assert made._gizmos() == []
    moves.orient(made, 0, True)
    assert limit_rows(made.chains, made._oriented())[-1][1:3] == ("Foot.L", "BallSocket")
    assert [gizmo.joint for gizmo in made._gizmos()] == [HERO.skeleton.index("Foot.L")]


@pytest.mark.parametrize("scale", [1.0, 0.01, 100.0])
def test_grips_are_small_and_at_their_joints_in_armatures_of_any_scale(scale):
    rest = np.tile(np.float32([0, 0.5 / scale, 0.02 / scale, 0, 0, 0, 1, 1, 1, 1]), (4, 1))
    rest[0] = [0, 0, 0, 0, 0, 0, 1, scale, scale, scale]
    rest[3, 2] *= -1
    skeleton = lissom.Skeleton(["root", "upper", "lower", "end"], [-1, 0, 1, 2], rest)
    limits = {"upper": ik.BallSocket(0.7, twist=(-0.3, 0.4)), "lower": ik.Hinge.from_rest(-0.1, 1.0)}
    chain = ik.Chain(skeleton, "upper", "end", limits=limits)
    made = ik.Playground(lissom.Character("arm", skeleton, None, None), chain)
    made._edits_limits = True
    positions = skeleton.positions(made.pose)
    for each in made._handles():
        if each.id.startswith("limit"):
            joint = int(each.id.split(":")[1])
            assert 0.005 < each.radius < 0.05
            assert 0.1 < np.linalg.norm(np.array(each.position) - positions[joint]) < 0.5


@pytest.mark.parametrize(
    ("limit", "name", "angle", "twist"),
    [
        (ik.BallSocket(0.7), "twist_low", -0.2, (-0.2, 0.5)),
        (ik.BallSocket(0.7), "twist_high", 0.2, (-0.5, 0.2)),
        (ik.SwingTwist((0.7, 0.5)), "twist_low", 1.0, (1.0, 1.0)),
        (ik.SwingTwist((0.7, 0.5)), "twist_high", -1.0, (-1.0, -1.0)),
        (ik.BallSocket(0.7), "twist_low", -6.2, (-6.2, 0.0832)),
        (ik.BallSocket(0.7), "twist_high", 6.2, (-0.0832, 6.2)),
    ],
)
def test_a_twist_that_is_free_is_bounded_from_either_end(limit, name, angle, twist):
    made = playground({"UpperLeg.L": limit})
    editing.bound_limit(made, HIP, {name: angle}, None)
    assert made.limits["UpperLeg.L"].twist == pytest.approx(twist, abs=2 * ROUNDED)
    editing.bound_limit(made, HIP, {name: None}, None)
    assert made.limits["UpperLeg.L"] == limit


def test_edits_that_change_nothing_are_no_step_to_undo():
    made = playground()
    before = made._state
    editing.bound_limit(made, KNEE, {"high": bounds_of(made.chains[0]._by_joint[KNEE])["high"]}, None)
    editing.choose_limit(made, KNEE, "Hinge")
    editing.choose_limit(made, HIP, "SwingTwist")
    made.set_limit("LowerLeg.L", LIMITS["LowerLeg.L"])
    assert made._state is before
    made.set_limit("LowerLeg.L", None)
    made.set_limit("LowerLeg.L", None)
    assert made.undo() is before.result
    assert made._history.directions == (False, True)
