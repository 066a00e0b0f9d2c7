# SPDX-License-Identifier: MIT
"""Masks of parts of the body: which joints they hold, written by hand."""

import pickle

import numpy as np
import pytest

import lissom
from conftest import asset
from lissom import samples


def held(skeleton, part, **options):
    mask = skeleton.mask(part, **options)
    return {name: float(weight) for name, weight in zip(skeleton.names, mask.round(4), strict=True) if weight}


def of_sides(*names):
    return {f"{name}.{side}" for name in names for side in "LR"}


FINGERS = ("Thumb1", "Thumb2", "Index1", "Index2", "Fingers1", "Fingers2")
ARM = ("Clavicle", "UpperArm", "LowerArm", "Hand", *FINGERS)
LEG = ("UpperLeg", "LowerLeg", "Foot", "Toes")
HERO = {
    "arms": of_sides(*ARM),
    "leftArm": {f"{name}.L" for name in ARM},
    "legs": of_sides(*LEG),
    "rightLeg": {f"{name}.R" for name in LEG},
    "hands": of_sides("Hand", *FINGERS),
    "feet": of_sides("Foot", "Toes"),
    "lowerBody": {"Pelvis", *of_sides(*LEG)},
    "upperBody": {"Spine", "Chest", "UpperChest", "Neck", "Head", *of_sides(*ARM)},
    "head": {"Head"},
    "rightLowerLeg": {"LowerLeg.R", "Foot.R", "Toes.R"},
}


@pytest.mark.parametrize("part", HERO)
def test_masks_hold_the_joints_of_a_part(part):
    skeleton = samples.humanoid().skeleton
    assert set(held(skeleton, part)) == HERO[part]


def test_parts_and_joints_go_together_and_the_edge_is_soft():
    skeleton = samples.humanoid().skeleton
    assert set(held(skeleton, ["lowerBody", "Spine"])) == HERO["lowerBody"] | HERO["upperBody"]
    assert set(held(skeleton, ["head", "leftArm"])) == HERO["head"] | HERO["leftArm"]
    soft = held(skeleton, "legs", value=0.9, falloff=2)
    assert [soft[f"{name}.L"] for name in LEG] == pytest.approx([0.3, 0.6, 0.9, 0.9])


def test_a_joint_of_that_name_wins():
    hero = samples.humanoid().skeleton
    names = ["arms" if name == "Foot.L" else name for name in hero.names]
    skeleton = lissom.Skeleton(names, hero.parents, hero.rest)
    assert set(held(skeleton, "arms")) == {"arms", "Toes.L"}


def test_feet_beside_their_legs_belong_to_them():
    """Of a rig exported with its controls, whose feet hang on the root."""
    skeleton = lissom.load(asset("wild/retarget/quaternius/Animated Woman.glb")).skeleton
    assert not skeleton.is_in_hierarchy("Foot.L", "UpperLeg.L")
    leg = held(skeleton, "leftLeg", falloff=3)
    ends = {"LowerLeg.L_end": 0.75, "Foot.L_end": 1.0}
    assert leg == {"UpperLeg.L": 0.25, "LowerLeg.L": 0.5, "Foot.L": 0.75, **ends}
    assert set(leg) <= set(held(skeleton, "lowerBody"))
    assert not set(held(skeleton, "lowerBody")) & set(held(skeleton, "upperBody"))


def test_animals_have_fore_and_hind_legs():
    skeleton = lissom.load(asset("characters/quaternius/animals_pack/Wolf.glb")).skeleton
    fore = held(skeleton, "leftForeLeg")
    line = ["FrontShoulder.L", "FrontUpperLeg.L", "FrontLowerLeg.L", "FrontLowerLeg.L_end"]
    assert set(fore) == {*line, "IKFrontLeg.L", "FF.L", "FF.L_end"}
    legs = set(held(skeleton, "legs"))
    assert legs == set(held(skeleton, "foreLegs")) | set(held(skeleton, "hindLegs"))
    assert set(held(skeleton, "tail")) == {"Tail8_end", *(f"Tail{i}" for i in range(1, 9))}
    with pytest.raises(
        ValueError, match=r"no joint is named 'arms'.*\(parts of the body are legs, leftLeg, "
    ):
        skeleton.mask("arms")


def test_hints_and_the_map_of_a_vrm_file_count_for_masks():
    hero = samples.humanoid()
    hints = {"leftHand": "LowerArm.L", "leftLowerArm": None}
    hand = {"LowerArm.L", "Hand.L", *(f"{name}.L" for name in FINGERS)}
    for given in (hints, lissom.roles(hero, hints)):
        assert set(held(hero.skeleton, "leftHand", roles=given)) == hand
    with pytest.raises(ValueError, match=r"^Skeleton\.mask: roles must be of the same skeleton"):
        without_arms().mask("legs", roles=lissom.roles(hero))

    character = lissom.load(asset("wild/vrm/Godette_vrm_v4.vrm"))
    found = lissom.roles(character)
    for again in (character.skeleton, pickle.loads(pickle.dumps(character)).skeleton):
        assert lissom.roles(again).joints == found.joints
    plain = lissom.Skeleton(character.skeleton.names, character.skeleton.parents, character.skeleton.rest)
    finger = "leftIndexProximal"
    assert found[finger] != lissom.roles(plain).joints.get(finger)  # its names alone do not say it
    assert found[finger] in held(character.skeleton, finger)


def without_arms():
    hero = samples.humanoid().skeleton
    kept = [i for i, name in enumerate(hero.names) if name not in HERO["leftArm"]]
    parents = [kept.index(hero.parents[i]) if hero.parents[i] >= 0 else -1 for i in kept]
    return lissom.Skeleton([hero.names[i] for i in kept], parents, hero.rest[kept])


REFUSED = [
    (
        lambda: samples.humanoid().skeleton,
        "arm",
        "Skeleton.mask: no joint is named 'arm'; did you mean 'arms', 'leftArm' or 'rightArm'? (parts of the "
        "body are arms, leftArm, rightArm, legs, leftLeg, rightLeg, hands, feet, upperBody, lowerBody)",
    ),
    (
        without_arms,
        "arms",
        "Skeleton.mask: 'arms' needs a joint that plays leftUpperArm, and there is none: no joint on the "
        "left is one by its name or place; pass joints",
    ),
    (
        lambda: lissom.Skeleton([f"x{i}" for i in range(4)], np.arange(-1, 3), np.eye(10)[[9] * 4] + REST),
        "arms",
        "Skeleton.mask: no joint is named 'arms'; there are 4, such as 'x0', 'x1', 'x2' (nor is it a part of "
        "a body: none is found here)",
    ),
]
REST = np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 0])


@pytest.mark.parametrize(("skeleton", "part", "sentence"), REFUSED)
def test_parts_that_are_not_there_are_refused(skeleton, part, sentence):
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the sentence is compared below
        skeleton().mask(part)
    assert str(caught.value) == sentence
