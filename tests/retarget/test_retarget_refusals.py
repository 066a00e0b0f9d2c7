# SPDX-License-Identifier: MIT
"""What a retarget refuses, by its sentence."""

import numpy as np
import pytest

import lissom
from lissom import samples

HERO = samples.humanoid()
HINGE = lissom.ik.Hinge.from_rest(0.0, 2.0)
WALK = HERO.clips["walk"]
LOWER = dict(lissom.roles(HERO).joints.items())


def skeleton(rest=None, names=None):
    return lissom.Skeleton(
        names or HERO.skeleton.names, HERO.skeleton.parents, HERO.skeleton.rest if rest is None else rest
    )


def collapsed():
    rest = HERO.skeleton.rest.copy()
    rest[:, :3] = 0
    return skeleton(rest)


def short_shin():
    rest = HERO.skeleton.rest.copy()
    rest[HERO.skeleton.index("Foot.L"), :3] = 0
    return skeleton(rest)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (HERO, lissom.Skeleton(["a", "b"], [-1, 0], np.tile([0, 1, 0, 0, 0, 0, 1, 1, 1, 1], (2, 1)))),
            r"Retarget: no hips were found in the target \(.*\); name its joints by roles",
        ),
        ((HERO, samples.twisted_bar()), "Retarget: no hips were found in the target"),
        (
            (collapsed(), HERO, LOWER),
            "Retarget: source must have a reference pose with its joints apart, got one with all at one",
        ),
        (
            (short_shin(), HERO),
            "Retarget: source must have limbs with a length, got 'LowerLeg.L' and 'Foot.L' at one position",
        ),
        (
            (HERO, HERO, {"hip": ("Pelvis", "Pelvis")}),
            "Retarget: roles: no role is named 'hip'; did you mean 'hips'",
        ),
        (
            (HERO, HERO, {"hips": "Pelvis", "spine": ("Spine", "Pelvis")}),
            "Retarget: target: hints: a joint must play one role, got 'Pelvis' for 'hips' and 'spine'",
        ),
        (
            (HERO, HERO, {"hips": ("Pelvis",)}),
            r"Retarget: roles: hips must be a pair of joints \(source, target\), got",
        ),
        ((HERO, HERO, {"spine": "Spine"}), "Retarget: roles must name the hips, got spine"),
        (
            (HERO, HERO, LOWER | {"leftUpperLeg": "LowerLeg.L", "leftLowerLeg": "UpperLeg.L"}),
            "Retarget: source: hints: leftLowerLeg must be below leftUpperLeg, got 'UpperLeg.L', "
            "which is above 'LowerLeg.L'",
        ),
        (
            (
                HERO,
                HERO,
                {
                    "hips": "Pelvis",
                    "spine": "Spine",
                    "leftUpperArm": "UpperArm.L",
                    "rightUpperArm": "UpperArm.R",
                },
            ),
            r"Retarget: feet must have legs in the source, got none \(leftFoot: no joint plays .*\); "
            "name their joints by roles, or ask for no feet",
        ),
        (
            (HERO, HERO, {"hips": "Pelvis"}),
            "Retarget: source must have more joints with roles than one, got hips; name limbs, too",
        ),
        ((HERO, HERO, ({"leftFoot": "Bogus"}, None)), "Retarget: source: hints: no joint is named 'Bogus'"),
    ],
)
def test_bodies_and_roles_that_do_not_fit(arguments, message):
    with pytest.raises(ValueError, match=message):
        lissom.Retarget(*arguments)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((HERO, "hero.glb"), {}, "Retarget: target must be a Character or a Skeleton, got str"),
        ((HERO, HERO, 3), {}, "Retarget: roles must be a mapping of roles to pairs of joints, or a pair"),
        (
            (HERO, HERO, (None, {"leftHand": 5})),
            {},
            "Retarget: target: hints: leftHand must be the name of a joint or None, got 5",
        ),
        ((HERO, HERO, ({5: "Head"}, None)), {}, "Retarget: source: hints: roles must be names, got 5"),
        (
            (HERO, HERO, ([], None)),
            {},
            "Retarget: source: hints must be a mapping of roles to joints or the path of a TOML file, got",
        ),
        ((HERO, HERO), {"feet": 1}, "Retarget: feet must be True or False, got int"),
        (
            (HERO, HERO),
            {"limits": [HINGE]},
            "Retarget: limits must be a mapping of joints of the target to limits, got list; pass "
            r'{"leftLowerLeg": ik.Hinge\(...\)}',
        ),
        (
            (HERO, HERO),
            {"limits": {"leftLowerLeg": 2.0}},
            "Retarget: limits of 'LowerLeg.L' must be BallSocket, Hinge or SwingTwist, got float",
        ),
    ],
)
def test_types(arguments, options, message):
    with pytest.raises(TypeError, match=message):
        lissom.Retarget(*arguments, **options)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (
            {"Spine": HINGE},
            "Retarget: limits must be of joints that goals bend, 'UpperLeg.L', .*, got 'Spine'",
        ),
        ({"Head": HINGE}, "Retarget: limits must be of joints that goals bend, .*, got 'Head'"),
        ({"Knee": HINGE}, "Retarget: limits: no joint is named 'Knee'"),
        (
            {"leftLowrLeg": HINGE},
            r"Retarget: limits: no joint is named 'leftLowrLeg'; did you mean 'leftLowerLeg'",
        ),
        (
            {"leftLowerLeg": HINGE, "LowerLeg.L": HINGE},
            "Retarget: limits must name each joint once, got 'LowerLeg.L' twice",
        ),
    ],
)
def test_limits_of_other_joints(limits, message):
    with pytest.raises(ValueError, match=message):
        lissom.Retarget(HERO, HERO, limits=limits)


def test_limits_without_goals():
    with pytest.raises(ValueError, match=r"must be of joints that goals bend, none, got 'LowerLeg\.L'"):
        lissom.Retarget(HERO, HERO, feet=False, limits={"leftLowerLeg": HINGE})


def test_reference_poses():
    with pytest.raises(ValueError, match='Retarget: source_pose must be "rest", "bind" or a pose, got \'T\''):
        lissom.Retarget(HERO, HERO, source_pose="T")
    with pytest.raises(ValueError, match='target_pose must not be "bind" for what has no skinned mesh'):
        lissom.Retarget(HERO, HERO.skeleton, target_pose="bind")
    with pytest.raises(ValueError, match=r"target_pose must have shape \(34, 10\), got \(3, 10\)"):
        lissom.Retarget(HERO, HERO, target_pose=HERO.skeleton.rest[:3])
    pose = HERO.skeleton.rest.copy()
    pose[HERO.skeleton.index("Chest"), 3:7] *= 2
    with pytest.raises(ValueError, match="source_pose must hold unit rotations, got length 2 at 'Chest'"):
        lissom.Retarget(HERO, HERO, source_pose=pose)


def test_poses_and_clips_that_do_not_fit():
    retarget = lissom.Retarget(HERO, samples.humanoid("child"))
    with pytest.raises(ValueError, match=r"Retarget\.poses: poses must have the source's 34 joints, got 2"):
        retarget.poses(HERO.skeleton.rest[:2])
    poses = WALK.sample([0.1, 0.2, 0.3])
    poses[1, 4, 2] = np.nan
    with pytest.raises(
        ValueError, match=r"poses must be finite, their rotations unit .*, got joint 4 of pose 1"
    ):
        retarget.poses(poses)
    with pytest.raises(TypeError, match=r"Retarget\.clip: clip must be a Clip, got str"):
        retarget.clip("walk")
    with pytest.raises(ValueError, match=r"Retarget\.clip: 'bend' must be of the same skeleton"):
        retarget.clip(samples.twisted_bar().clips["bend"])
    with pytest.raises(ValueError, match=r"Retarget\.clip: clip must not be additive, got 'walk'"):
        retarget.clip(lissom.make_additive(WALK, HERO.skeleton.rest))
    with pytest.raises(ValueError, match=r"Retarget\.clip: rate must be above zero"):
        retarget.clip(WALK, rate=0)


def test_a_horse_is_no_human():
    quadruped = lissom.Roles(
        HERO.skeleton,
        "quadruped",
        {"hips": "Pelvis", "leftHindUpperLeg": "UpperLeg.L", "rightHindUpperLeg": "UpperLeg.R"},
        {},
        {},
    )
    with pytest.raises(
        ValueError, match="source and target must be bodies of one kind, got a humanoid and a quadruped"
    ):
        lissom.Retarget(HERO, HERO, (None, quadruped))
