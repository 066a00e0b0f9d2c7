# SPDX-License-Identifier: MIT
"""The playground without a front end: what it solves, remembers, says and refuses."""

import re
import subprocess
import sys

import numpy as np
import pytest

import lissom
from conftest import asset
from lissom import ik, quat, samples
from lissom._playground.marks import POLE, TARGETS
from lissom._playground.solvers import SOLVERS, poles_for, solvers_for

KNEE = {"LowerLeg.L": ik.Hinge.from_rest(0.0, 2.6, zero="straight")}
HERO = samples.humanoid()
REST = HERO.skeleton.rest


def leg(limits=KNEE):
    return ik.Chain(HERO.skeleton, "UpperLeg.L", "Foot.L", limits=limits)


def reach(pose, effector="Foot.L"):
    return HERO.skeleton.positions(pose)[HERO.skeleton.index(effector)]


def test_it_begins_where_the_effectors_are():
    playground = ik.Playground(HERO, leg())
    np.testing.assert_array_equal(playground.targets, reach(REST))
    assert playground.solver == "fabrik"
    assert bool(playground.result.reached)
    np.testing.assert_allclose(playground.pose, REST, atol=1e-6)
    assert repr(playground) == f"<Playground: 'humanoid_adult', 'Foot.L' by fabrik, {playground.result!r}>"


@pytest.mark.parametrize("name", SOLVERS)
def test_it_gives_what_the_solver_gives(name):
    playground = ik.Playground(HERO, leg(), solver=name)
    target = [0.1, 0.5, 0.3]
    done = playground.solve(target)
    assert done is playground.result
    assert playground.pose is done.pose
    np.testing.assert_allclose(playground.targets, target, atol=1e-7)
    assert done.residual <= 1e-4 * leg().length
    assert np.linalg.norm(reach(done.pose) - target) == pytest.approx(float(done.residual), abs=1e-6)


@pytest.mark.parametrize("name", ["ccd", "fabrik", "damped_least_squares"])
def test_iterative_solvers_go_on_from_the_pose_before(name):
    playground = ik.Playground(HERO, leg(), solver=name)
    before = playground.solve([0.1, 0.5, 0.3]).pose
    warm = playground.solve([0.1, 0.52, 0.3])
    expected = SOLVERS[name](leg(), REST, np.float32([0.1, 0.52, 0.3]), start=before)
    np.testing.assert_array_equal(warm.pose, expected.pose)
    cold = SOLVERS[name](leg(), REST, np.float32([0.1, 0.52, 0.3]))
    assert not np.array_equal(warm.pose, cold.pose)


def test_two_bone_answers_alike_whatever_the_way_there():
    playground = ik.Playground(HERO, leg(), solver="two_bone")
    first = playground.solve([0.1, 0.5, 0.3]).pose
    for target in ([0.5, 0.6, 0.0], [-0.3, 0.5, -0.2], [0.1, 0.5, 0.3]):
        playground.solve(target)
    np.testing.assert_array_equal(playground.pose, first)


def test_poles_leave_a_limb_bent_as_it_is_and_then_turn_it():
    idle = HERO.clips["idle"].at(0.0)
    free = leg(None)
    playground = ik.Playground(HERO, free, pose=idle, solver="two_bone")
    np.testing.assert_allclose(playground.pose, idle, atol=2e-5)
    np.testing.assert_allclose(playground.poles, poles_for([free], idle)[0], atol=1e-6)
    playground.solve(poles=[3.0, 0.5, 0.0])
    knee = reach(playground.pose, "LowerLeg.L") - reach(idle, "LowerLeg.L")
    assert knee[0] > 0.02, "the knee went to the pole's side"
    playground.solve(poles=[np.nan] * 3)
    expected = ik.two_bone(free, idle, playground.targets)
    np.testing.assert_array_equal(playground.pose, expected.pose)


def test_the_pole_of_a_straight_limb_is_where_it_would_bend_to():
    straight = REST.copy()
    knee = leg().limits[1]
    joint = HERO.skeleton.index("LowerLeg.L")
    straight[joint, 3:7] = quat.multiply(
        straight[joint, 3:7], quat.from_axis_angle(np.float32(knee.axis), np.float32(knee.low))
    )
    (pole,) = poles_for([leg()], straight)
    assert pole[2] > reach(straight, "LowerLeg.L")[2] + 0.5, "knees point to the front, +z"


def test_setting_the_solver_begins_anew_and_reset_goes_back_to_the_beginning():
    playground = ik.Playground(HERO, leg(), targets=[0.1, 0.4, 0.2])
    for target in ([0.5, 0.6, 0.0], [0.1, 0.5, 0.3]):
        playground.solve(target)
    playground.solver = "ccd"
    expected = ik.ccd(leg(), REST, np.float32([0.1, 0.5, 0.3]))
    np.testing.assert_array_equal(playground.pose, expected.pose)
    playground.reset()
    np.testing.assert_allclose(playground.targets, [0.1, 0.4, 0.2], atol=1e-7)
    np.testing.assert_array_equal(playground.pose, ik.ccd(leg(), REST, np.float32([0.1, 0.4, 0.2])).pose)


def test_several_chains_are_solved_together_and_named_by_their_effectors():
    both = [ik.Chain(HERO.skeleton, "Spine", f"Hand.{side}") for side in "LR"]
    playground = ik.Playground(HERO, both, solver="ccd")
    assert playground.solvers == ("ccd", "fabrik", "damped_least_squares")
    done = playground.solve({"Hand.R": [-0.25, 1.1, 0.45]})
    assert done.residual.shape == (2,)
    np.testing.assert_allclose(playground.targets[0], reach(REST, "Hand.L"), atol=1e-7)
    np.testing.assert_allclose(playground.targets[1], [-0.25, 1.1, 0.45], atol=1e-7)
    playground.targets = np.array([[0.25, 1.1, 0.45], [-0.25, 1.1, 0.45]])
    assert [line.split(":")[0] for line in playground.readout.splitlines()][:3] == ["Hand.L", "Hand.R", "ccd"]


def test_a_name_stands_for_the_limb_that_ends_there():
    playground = ik.Playground(HERO, ["Foot.L", "Foot.R"], solver="two_bone")
    assert [chain.names for chain in playground.chains] == [
        ("UpperLeg.L", "LowerLeg.L", "Foot.L"),
        ("UpperLeg.R", "LowerLeg.R", "Foot.R"),
    ]
    with pytest.raises(
        ValueError, match="the limb to 'Spine' must have two bones, got 1 above it; pass an ik"
    ):
        ik.Playground(HERO, "Spine")
    with pytest.raises(
        ValueError, match=r"chains must have a bone, got one of 'Hand\.L' alone, which no target"
    ):
        ik.Playground(HERO, ik.Chain(HERO.skeleton, "Hand.L", "Hand.L"))


LIMBS = {
    "leftArm": [("UpperArm.L", "LowerArm.L", "Hand.L")],
    "rightLeg": [("UpperLeg.R", "LowerLeg.R", "Foot.R")],
    "arms": [("UpperArm.L", "LowerArm.L", "Hand.L"), ("UpperArm.R", "LowerArm.R", "Hand.R")],
    "leftLowerArm": [("Clavicle.L", "UpperArm.L", "LowerArm.L")],
    "leftFoot": [("UpperLeg.L", "LowerLeg.L", "Foot.L")],
    "hand.l": [("UpperArm.L", "LowerArm.L", "Hand.L")],
    "head": [("UpperChest", "Neck", "Head")],
}


@pytest.mark.parametrize("name", LIMBS)
def test_limbs_go_by_roles(name):
    assert [chain.names for chain in ik.Playground(HERO, name).chains] == LIMBS[name]


def test_targets_are_named_as_chains_are():
    playground = ik.Playground(HERO, ["leftArm", "legs", "Hand.R"])
    foot, hands = [-0.1, 0.2, 0.1], [[0.3, 1.2, 0.3], [-0.3, 1.2, 0.3]]
    done = playground.solve({"leftArm": hands[0], "rightFoot": foot, "Hand.R": hands[1]})
    assert done.reached.tolist() == [True, True, True, True]
    np.testing.assert_allclose(playground.targets[[0, 2, 3]], [hands[0], foot, hands[1]], atol=1e-7)
    with pytest.raises(ValueError, match="targets: no effector is named 'legs'"):
        playground.solve({"legs": [0, 0, 0]})


def test_twist_joints_in_a_limb_keep_still_and_hints_say_where_it_is():
    hero = HERO.skeleton
    names = ["twist" if name == "LowerArm.L" else name for name in hero.names]
    names[hero.index("Hand.L")], hand = "wrist", hero.index("Hand.L")
    names[hero.index("Index1.L")] = "Hand.L"  # below it
    skeleton = lissom.Skeleton(names, hero.parents, hero.rest)
    character = lissom.Character("hero", skeleton, None, None)
    hints = {"leftLowerArm": "wrist", "leftHand": "Hand.L"}
    for roles in (hints, lissom.roles(character, hints)):
        (chain,) = ik.Playground(character, "leftArm", roles=roles).chains
        assert chain.names == ("UpperArm.L", "twist", "wrist", "Hand.L")
        assert chain.fixed == (hand - 1,)
    with pytest.raises(
        ValueError,
        match=r"^ik\.Playground: 'arms' needs a joint that plays leftHand, and there is none: no joint below "
        r"'LowerArm\.L' is one by its name or place; pass joints, or hints as roles=$",
    ):
        ik.Playground(HERO, "arms", roles={"leftHand": None})
    with pytest.raises(ValueError, match=r"^ik\.Playground: roles must be of the same skeleton"):
        ik.Playground(HERO, "arms", roles=lissom.roles(samples.two_bone_tube()))


def test_animals_have_limbs_of_four_legs():
    wolf = lissom.load(asset("characters/quaternius/animals_pack/Wolf.glb"))
    hints = {"leftHindFoot": "BackLowerLeg.L_end", "rightHindFoot": "BackLowerLeg.R_end"}
    chains = ik.Playground(wolf, "hindLegs", roles=hints).chains
    for side, chain in zip("LR", chains, strict=True):
        assert chain.names == (*(f"Back{bone}.{side}" for bone in BACK), f"BackLowerLeg.{side}_end")
    with pytest.raises(ValueError, match=r"^ik\.Playground: 'leftHindLeg' must be below 'BackLowerLeg\.L'"):
        ik.Playground(wolf, "leftHindLeg")


BACK = ("Leg", "UpperLeg", "LowerLeg")


def test_which_solvers_take_chains():
    arm = ik.Chain(HERO.skeleton, "Spine", "Hand.L")
    assert solvers_for([leg()])[0] == "two_bone"
    assert "two_bone" not in solvers_for([arm])
    assert "two_bone" not in solvers_for([leg(), ik.Chain(HERO.skeleton, "Pelvis", "LowerLeg.L")])
    fixed = ik.Chain(HERO.skeleton, "Clavicle.L", "Hand.L", fixed=["UpperArm.L"])
    assert "two_bone" in solvers_for([fixed])


def test_float64_stays_float64():
    playground = ik.Playground(HERO, leg(), pose=REST.astype(np.float64))
    done = playground.solve([0.1, 0.5, 0.3])
    assert done.pose.dtype == playground.targets.dtype == np.float64


def test_it_keeps_a_pose_of_its_own():
    pose = REST.copy()
    playground = ik.Playground(HERO, leg(), pose=pose, solver="two_bone")
    pose[:] = np.nan
    assert np.isfinite(playground.solve([0.1, 0.5, 0.3]).pose).all()
    playground.targets[:] = 7.0
    assert playground.targets[0] == np.float32(0.1)


def test_the_readout_says_how_far_how_long_and_what_stands_in_the_way():
    playground = ik.Playground(HERO, leg(), solver="two_bone")
    playground.solve([0.1, 0.5, 0.3])
    first, second = playground.readout.splitlines()
    assert first.startswith("Foot.L: reached, residual ")
    assert first.endswith("% of the chain's length)")
    assert second.startswith("two_bone: 1 iteration, ")
    assert second.endswith(" ms")
    done = playground.solve([0.1, 0.9, 0.9])
    line = playground.readout.splitlines()[0]
    share = 100 * done.residual / leg().length
    assert line == f"Foot.L: not reached, residual {done.residual:.3g} ({share:.2g} % of the chain's length)"
    playground.solve([0.1, 0.9, 1.9])
    assert re.search(r" \(1\d\d % of the chain's length\)$", playground.readout.splitlines()[0])
    playground.solve([0.1, 0.9, 0.9])
    hinge = leg().limits[1]
    low, high = np.degrees([hinge.low, hinge.high])
    expected = f"LowerLeg.L: at its limit: rotated {low:.1f}° of {low:.1f}° to {high:.1f}°"
    assert playground.readout.splitlines()[2] == expected


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        (ik.BallSocket(0.3), "swung 17.2° of 17.2°"),
        (
            ik.SwingTwist((0.3, 0.2), across=(1, 0, 0)),
            r"swung -?\d+\.\d° and -?\d+\.\d° in the ellipse of 17.2° and 11.5°",
        ),
    ],
    ids=["ball", "ellipse"],
)
def test_the_readout_names_the_bound_that_a_cone_is_at(limit, said):
    playground = ik.Playground(HERO, leg(KNEE | {"UpperLeg.L": limit}), solver="ccd")
    playground.solve([0.3, 0.8, 0.6])
    assert re.search(f"^UpperLeg.L: at its limit: {said}$", playground.readout, re.MULTILINE), (
        playground.readout
    )


def test_the_readout_names_the_twist_that_is_at_its_bound():
    from lissom._playground.readout import readout

    chain = leg(KNEE | {"UpperLeg.L": ik.BallSocket(1.5, twist=(-0.2, 0.4))})
    bone = REST[HERO.skeleton.index("LowerLeg.L"), :3].astype(np.float64)
    pose = HERO.skeleton.rotate(REST, "UpperLeg.L", quat.from_axis_angle(bone, 0.4).astype(np.float32))
    limited = np.zeros(len(REST), bool)
    limited[HERO.skeleton.index("UpperLeg.L")] = True
    result = ik.IkResult(pose, np.float32(0), np.int32(3), np.bool_(True), limited)
    rows = readout([chain], "ccd", result, 0.001, [False])
    assert rows[1].text == "3 iterations, 1.00 ms"
    assert rows[-1] == ("UpperLeg.L", "at its limit: twisted 22.9° of -11.5° to 22.9°", True)
    turned = HERO.skeleton.rotate(REST, "UpperLeg.L", quat.from_axis_angle(bone, 0.5).astype(np.float32))
    result = ik.IkResult(turned, np.float32(0), np.int32(3), np.bool_(True), limited)
    assert readout([chain], "ccd", result, 0.001, [False])[-1].text.endswith("22.9°; 5.7° outside")


def test_handles_are_targets_and_with_two_bone_poles():
    playground = ik.Playground(HERO, ["Foot.L", "Foot.R"])
    handles = playground._handles()
    assert [handle.id for handle in handles] == ["target:0", "target:1"]
    np.testing.assert_allclose([handle.position for handle in handles], playground.targets)
    assert [handle.color for handle in handles] == list(TARGETS[:2])
    playground.solver = "two_bone"
    playground.solve(poles={"Foot.R": [np.nan] * 3})
    assert [handle.id for handle in playground._handles()] == ["target:0", "target:1", "pole:0"]
    assert playground._handles()[2].color == POLE


def test_marks_join_joints_effector_and_target():
    playground = ik.Playground(HERO, leg({}), solver="two_bone")
    playground.solve([0.1, 0.5, 0.9])
    lines = playground._overlay(playground._model_matrices()).lines[:, :, :3]
    places = HERO.skeleton.positions(playground.pose)[leg().joints]
    expected = [places[:2], places[1:], [places[2], playground.targets], [places[1], playground.poles]]
    np.testing.assert_allclose(lines, np.array(expected), atol=1e-6)


def test_gizmos_of_all_chains_are_drawn_and_show_what_is_at_a_limit():
    from lissom._playground.gizmo import AT_LIMIT, FREE

    playground = ik.Playground(HERO, leg(), solver="two_bone")
    for target, color in (([0.1, 0.5, 0.3], FREE), ([0.1, 0.9, 0.9], AT_LIMIT)):
        playground.solve(target)
        triangles = playground._overlay(playground._model_matrices()).triangles
        assert len(triangles)
        np.testing.assert_allclose(triangles[0, 0, 3:6], color, atol=1e-7)


REFUSED = {
    "a path": (
        lambda: ik.Playground("hero.glb", "Foot.L"),
        TypeError,
        "^ik.Playground: character.* a Character, got",
    ),
    "no chains": (
        lambda: ik.Playground(HERO, []),
        TypeError,
        r"chains must be an ik.Chain, the name of an effector or a list of them, got \[\]",
    ),
    "a number": (
        lambda: ik.Playground(HERO, [3]),
        TypeError,
        "chains must be .* got a list with int in it",
    ),
    "no joint": (lambda: ik.Playground(HERO, "Foot.X"), ValueError, "'Foot.X'"),
    "twice": (
        lambda: ik.Playground(HERO, [leg(), "Foot.L"]),
        ValueError,
        "chains must have different effectors, got 'Foot.L' twice",
    ),
    "another skeleton": (
        lambda: ik.Playground(samples.two_bone_tube(), leg()),
        ValueError,
        "ik.Playground: chains must be of the skeleton of '.*', got one of another",
    ),
    "a solver": (
        lambda: ik.Playground(HERO, leg(), solver="fabric"),
        ValueError,
        "ik.Playground: no solver is named 'fabric'; did you mean 'fabrik'",
    ),
    "two_bone of more": (
        lambda: ik.Playground(HERO, ik.Chain(HERO.skeleton, "Spine", "Hand.L"), solver="two_bone"),
        ValueError,
        "solver must be one of ccd, fabrik, damped_least_squares for these chains, got 'two_bone'",
    ),
    "a pose": (
        lambda: ik.Playground(HERO, leg(), pose=REST[None]),
        ValueError,
        r"pose must have shape \(34, 10\), one pose, got \(1, 34, 10\)",
    ),
    "a target": (
        lambda: ik.Playground(HERO, leg(), targets=[1, 2]),
        ValueError,
        r"targets must have shape \(3,\), got \(2,\)",
    ),
    "two targets": (
        lambda: ik.Playground(HERO, ["Foot.L", "Foot.R"], targets=[1, 2, 3]),
        ValueError,
        r"targets must have shape \(2, 3\), got \(3,\)",
    ),
    "a pose that is not finite": (
        lambda: ik.Playground(HERO, leg(), pose=np.full_like(HERO.skeleton.rest, np.nan)),
        ValueError,
        "ik.Playground: pose must be finite, got NaN or infinity at joint 0, 'Pelvis'",
    ),
    "a camera": (
        lambda: ik.Playground(HERO, leg(), camera={"azimuth": 90.0}),
        TypeError,
        r"ik.Playground: camera must be a lissom.gpu.Camera, got \{'azimuth': 90.0\}",
    ),
    "not finite": (
        lambda: ik.Playground(HERO, leg(), targets=[0, np.nan, 0]),
        ValueError,
        r"targets must be finite, got \[0.0, nan, 0.0\] for 'Foot.L'",
    ),
    "half a pole": (
        lambda: ik.Playground(HERO, leg(), poles=[0, np.nan, 0]),
        ValueError,
        "poles must be finite, got .* for 'Foot.L'",
    ),
    "an effector": (
        lambda: ik.Playground(HERO, leg(), targets={"Foot.R": [0, 0, 0]}),
        ValueError,
        "targets: no effector is named 'Foot.R'",
    ),
    "a named shape": (
        lambda: ik.Playground(HERO, leg(), targets={"Foot.L": [0, 0]}),
        ValueError,
        r"targets of 'Foot.L' must have shape \(3,\), got \(2,\)",
    ),
    "a tolerance": (
        lambda: ik.Playground(HERO, leg(), tolerance=0),
        ValueError,
        "tolerance must be above zero",
    ),
    "iterations": (
        lambda: ik.Playground(HERO, leg(), max_iterations=1.5),
        TypeError,
        "max_iterations must be a whole",
    ),
    "a method": (
        lambda: ik.Playground(HERO, leg(), method="cor"),
        ValueError,
        "method must be 'linear' or 'dual_quat', got 'cor'",
    ),
    "a height": (
        lambda: ik.Playground(HERO, leg(), height=5),
        ValueError,
        "height must be at least 120, got 5",
    ),
}


@pytest.mark.parametrize(("call", "error", "message"), REFUSED.values(), ids=REFUSED)
def test_what_it_refuses(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_refused_target_changes_nothing():
    playground = ik.Playground(HERO, leg())
    before = playground.solve([0.1, 0.5, 0.3])
    with pytest.raises(ValueError, match=r"ik.Playground.solve: targets must be finite"):
        playground.solve([np.inf, 0, 0])
    assert playground.result is before
    assert playground.targets[0] == np.float32(0.1)


def test_importing_ik_needs_no_widgets():
    heavy = "{'anywidget', 'traitlets', 'lissom.player', 'lissom.gpu', 'lissom._character.character'}"
    code = f"import lissom.ik, sys; assert not {heavy} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_chain_without_length_has_no_share_of_it():
    rest = np.tile([0.0, 0, 0, 0, 0, 0, 1, 1, 1, 1], (2, 1))
    dots = lissom.Skeleton(["a", "b"], [-1, 0], rest=rest)
    made = ik.Playground(lissom.Character("dots", dots, None, None), ik.Chain(dots, "a", "b"), solver="ccd")
    made.solve([0.0, 0.1, 0.0])
    assert made.readout.splitlines()[0] == "b: not reached, residual 0.1"
