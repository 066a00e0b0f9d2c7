# SPDX-License-Identifier: MIT
"""Limbs by the name of their end, judged by a table that was made by hand."""

import numpy as np
import pytest

import lissom
from conftest import asset
from limbs_by_hand import limbs_by_hand
from lissom import ik, samples

HERO = samples.humanoid()
BY_HAND = limbs_by_hand()


def bending(chain: ik.Chain) -> tuple[str, ...]:
    """Names of the joints that bend, without the prefix of exporters."""
    joints = chain.joints.tolist()
    return tuple(
        name.split(":")[-1]
        for joint, name in zip(joints, chain.names, strict=True)
        if joint not in chain.fixed
    )


@pytest.mark.parametrize("path", BY_HAND)
def test_names_of_ends_mean_the_limbs_that_people_mean(path):
    character = lissom.load(asset(path))
    for end, joints in BY_HAND[path].items():
        if joints is None:
            with pytest.raises(
                ValueError, match=r"^ik\.limb: .*(must be below|there is none: no joint below)"
            ):
                ik.limb(character, end)
            continue
        assert bending(ik.limb(character, end)) == joints
        own = next(name for name in character.skeleton.names if name.split(":")[-1] == joints[-1])
        assert bending(ik.limb(character, own)) == joints


def test_the_table_has_enough_rigs():
    arms = [path for path, limbs in BY_HAND.items() if limbs["hand.r"] and limbs["hand.l"]]
    legs = [path for path, limbs in BY_HAND.items() if limbs["foot.r"] and limbs["foot.l"]]
    assert len(arms) >= 40
    assert len(set(arms) & set(legs)) >= 30


def test_a_wrist_and_twist_joints_keep_still():
    knight = lissom.load(asset("characters/kaykit/Knight.glb"))
    hand = ik.limb(knight, "hand.r")
    assert hand.names == ("upperarm.r", "lowerarm.r", "wrist.r", "hand.r")
    assert [knight.skeleton.names[joint] for joint in hand.fixed] == ["wrist.r"]
    held = ik.limb(knight, "handslot.r")  # what hangs below the hand begins at the shoulder, too
    assert bending(held) == ("upperarm.r", "lowerarm.r", "handslot.r")
    target = [-0.4, 1.2, 0.5]
    for chain in (hand, held):
        done = ik.two_bone(chain, knight.skeleton.rest, target)
        place = knight.skeleton.positions(done.pose)[chain.joints[-1]]
        np.testing.assert_allclose(np.linalg.norm(place - target), done.residual, atol=1e-5)


@pytest.mark.parametrize(
    ("end", "joints"),
    [
        ("Hand.R", ("UpperArm.R", "LowerArm.R", "Hand.R")),
        ("HAND.R", ("UpperArm.R", "LowerArm.R", "Hand.R")),
        ("rightHand", ("UpperArm.R", "LowerArm.R", "Hand.R")),
        ("right wrist", ("UpperArm.R", "LowerArm.R", "Hand.R")),
        ("arm_R", ("UpperArm.R", "LowerArm.R", "Hand.R")),
        ("l_leg", ("UpperLeg.L", "LowerLeg.L", "Foot.L")),
        ("leftLeg", ("UpperLeg.L", "LowerLeg.L", "Foot.L")),
        ("Toes.L", ("LowerLeg.L", "Foot.L", "Toes.L")),
        ("head", ("UpperChest", "Neck", "Head")),
        ("Index2.L", ("Hand.L", "Index1.L", "Index2.L")),
    ],
)
def test_how_ends_are_named(end, joints):
    assert bending(ik.limb(HERO, end)) == joints
    assert ik.limb(HERO.skeleton, end).names == ik.limb(HERO, end).names


def test_limits_hints_and_bend_axis_are_passed_on():
    knee = {"LowerLeg.L": ik.Hinge.from_rest(0.0, 2.6, zero="straight")}
    leg = ik.limb(HERO, "foot.l", knee, bend_axis=(1, 0, 0))
    assert [limit is not None for limit in leg.limits] == [False, True, False]
    hints = {"leftHand": None}
    with pytest.raises(ValueError, match=r"^ik\.limb: 'arm\.l' needs a joint|^ik\.limb: .*leftHand"):
        ik.limb(HERO, "leftArm", roles=hints)


WRONG = [
    ("hand", r"'hand' must say its side, as 'hand\.l' and 'hand\.r' do"),
    ("arms", r"end must mean one limb, got 'arms', which means 2"),
    ("Pelvis", r"the limb to 'Pelvis' must have two bones, got 0 above it; pass an ik\.Chain"),
    ("UpperLeg.L", r"'UpperLeg\.L' must end a limb of two bones, got 'UpperLeg\.L' amid one; name its end, "),
    ("LowerLeg.L", r"'LowerLeg\.L' must end a limb of two bones, got 'LowerLeg\.L' amid one; name its end, "),
    ("Hnad.L", r"no joint is named 'Hnad\.L'; did you mean"),
]


@pytest.mark.parametrize(("end", "message"), WRONG, ids=[end for end, _ in WRONG])
def test_names_that_mean_no_limb_are_explained(end, message):
    with pytest.raises(ValueError, match=rf"^ik\.limb: ({message})"):
        ik.limb(HERO, end)


def test_four_legs_are_told_apart():
    fox = lissom.load(asset("characters/khronos/Fox.glb"))
    arm = ("b_RightUpperArm_06", "b_RightForeArm_07", "b_RightHand_08")
    assert bending(ik.limb(fox, "b_RightHand_08")) == arm
    assert bending(ik.limb(fox, "front foot.r")) == arm
    with pytest.raises(
        ValueError, match=r"^ik\.limb: 'foot\.r' must say which of four legs it is, .* 'right"
    ):
        ik.limb(fox, "foot.r")


def test_roles_have_no_case_and_are_no_joints():
    fox = lissom.load(asset("characters/khronos/Fox.glb"))
    for end in ("head", "Head", "HEAD", "LEFTHINDLEG", "leftForeleg"):
        exact = {"LEFTHINDLEG": "leftHindLeg", "leftForeleg": "leftForeLeg"}.get(end, "head")
        assert ik.limb(fox, end).names == ik.limb(fox, exact).names
    assert ik.limb(fox, "HEAD").names[-1] == "b_Head_05"
    count = len(fox.skeleton.names)
    with pytest.raises(
        ValueError, match=rf"^ik\.limb: no joint is named 'thumb'; there are {count}, such as "
    ):
        ik.limb(fox, "thumb")


@pytest.mark.parametrize(
    ("path", "end", "instead"),
    [
        ("gdquest/gdbot.glb", "left foot", ("foot.L", "upperleg.L", "lowerleg.L")),
        ("quaternius/mech_pack/George.glb", "left foot", ("Foot.L", "UpperLeg.L", "FootBack.L")),
        ("raylib/robot.glb", "hand.r", ("Hand.R", "UpperArm.R", "Palm2.R")),
    ],
)
def test_what_is_passed_instead_of_a_control_works(path, end, instead):
    skeleton = lissom.load(asset(f"characters/{path}")).skeleton
    control, first, last = instead
    with pytest.raises(ValueError, match=r"the rig has it beside") as refused:
        ik.limb(skeleton, end)
    said = str(refused.value)
    assert f"change the pose of {control!r} itself, or pass " in said
    assert f"ik.Chain(character.skeleton, {first!r}, {last!r})" in said
    assert ik.Chain(skeleton, first, last).names[0] == first


def test_a_control_beside_its_limb_is_told():
    knight = lissom.load(asset("characters/quaternius/single_knight_pack/KnightCharacter.glb"))
    with pytest.raises(
        ValueError,
        match=r"^ik\.limb: 'Foot\.L' must be below 'LowerLeg\.L' to end 'UpperLeg\.L' > 'LowerLeg\.L', and "
        r"the rig has it beside, as controls and parts are; 'LowerLeg\.L_end' ends the limb itself, and ",
    ):
        ik.limb(knight, "Foot.L")
    assert bending(ik.limb(knight, "LowerLeg.L_end")) == ("UpperLeg.L", "LowerLeg.L", "LowerLeg.L_end")


def test_joints_in_one_place_and_of_one_name_are_refused():
    hero = HERO.skeleton
    rest = hero.rest.copy()
    rest[hero.index("Hand.L"), :3] = 0
    flat = lissom.Skeleton(hero.names, hero.parents, rest)
    with pytest.raises(
        ValueError, match=r"must have bones with lengths, got 'Hand\.L' where 'LowerArm\.L' is"
    ):
        ik.limb(flat, "Hand.L")
    names = [
        f"a:{name}" if name == "Hand.L" else "b:Hand.L" if name == "Head" else name for name in hero.names
    ]
    with pytest.raises(
        ValueError, match=r"'hand\.l' must be the name of one joint, got '[ab]:Hand\.L' and '"
    ):
        ik.limb(lissom.Skeleton(names, hero.parents, hero.rest), "hand.l")
    with pytest.raises(TypeError, match="end must be the name of a joint, got int"):
        ik.limb(HERO, 3)
    with pytest.raises(TypeError, match="character must be a Character or a Skeleton, got str"):
        ik.limb("hero", "hand.l")
