# SPDX-License-Identifier: MIT
"""Props that another character held: `attach` with a grip, against the product of both frames in float64."""

import numpy as np
import pytest

import lissom
from conftest import asset
from props import FAR, blade, linear, whip
from reference.model_pose import model_matrices

OFFSET = lissom.trs.from_parts([0.01, 0.02, -0.03], scale=[0.5, 0.5, 0.5])
SPACES = ("joint", "joint_unscaled", "model")


@pytest.fixture(scope="module")
def knight():
    return lissom.load(asset("characters/kaykit/Knight.glb"))


@pytest.fixture(scope="module")
def hero():
    return lissom.samples.humanoid()


def frame(character, joint, space):
    index = character.skeleton.index(joint)
    model = model_matrices(character.skeleton.parents, character.skeleton.rest)[index].copy()
    if space == "joint_unscaled":
        model[:3, :3] /= np.linalg.norm(model[:3, :3], axis=0)
    if space == "model":
        model[:3, :3] = np.eye(3)
    return model


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("scale", [1.0, 100.0])
def test_a_sword_lies_in_the_hand_of_another_as_it_lay(knight, hero, space, scale):
    if scale != 1:  # of joints, as many files have it
        rest = knight.skeleton.rest.copy()
        rest[knight.skeleton.index("handslot.r"), 7:] *= scale
        rest[knight.skeleton.index("2H_Sword"), :3] /= scale
        rest[knight.skeleton.index("2H_Sword"), 7:] /= scale
        skeleton = lissom.Skeleton(knight.skeleton.names, knight.skeleton.parents, rest)
        knight = lissom.Character("knight", skeleton, knight.mesh, knight.skin)
    sword = knight.only("2H_Sword")
    armed = lissom.attach(hero, "hand.r", sword, OFFSET, space=space, grip="handslot.r", name="sword")
    assert armed.skeleton.names == (*hero.skeleton.names, "sword")
    assert list(armed.clips) == list(hero.clips)
    own = linear(sword, sword.skeleton.rest.astype(np.float64))
    place = (
        frame(hero, "Hand.R", space)
        @ lissom.trs.to_matrix(OFFSET)
        @ np.linalg.inv(frame(knight, "handslot.r", space))
    )
    want = own @ place[:3, :3].T + place[:3, 3]
    count = hero.mesh.vertex_count
    # Vertices go through the small numbers of a scaled frame.
    np.testing.assert_allclose(armed.mesh.positions[count:], want, atol=20 * FAR * hero.size)
    pose = np.concatenate([hero.clips["wave"].sample(0.4), armed.skeleton.rest[-1:]]).astype(np.float64)
    moves = model_matrices(armed.skeleton.parents, pose) @ np.linalg.inv(
        model_matrices(armed.skeleton.parents, armed.skeleton.rest)
    )
    hand = moves[hero.skeleton.index("Hand.R")]
    np.testing.assert_allclose(
        armed.deform(pose, "linear")[count:], want @ hand[:3, :3].T + hand[:3, 3], atol=20 * FAR * hero.size
    )


def test_the_hand_is_meant_by_what_people_call_it(knight, hero):
    sword = knight.only("2H_Sword")
    names = ["handslot.r", knight.skeleton.index("handslot.r")]
    first, second = (lissom.attach(hero, "hand.r", sword, grip=name) for name in names)
    np.testing.assert_array_equal(first.mesh.positions, second.mesh.positions)
    role = lissom.attach(hero, "hand.r", sword, grip="rightHand")
    named = lissom.attach(hero, "hand.r", sword, grip=lissom.roles(knight)["rightHand"])
    np.testing.assert_array_equal(role.mesh.positions, named.mesh.positions)
    with pytest.raises(ValueError, match="attach: grip: no joint is named 'handslot'; did you mean"):
        lissom.attach(hero, "hand.r", sword, grip="handslot")


def test_a_sword_taken_back_stands_where_it_stood(knight):
    sword = knight.only("2H_Sword")
    again = lissom.attach(knight.without("2H_Sword"), "handslot.r", sword, grip="handslot.r", name="sword")
    count = sword.mesh.vertex_count
    assert [part.name for part in again.mesh.parts][-1] == "sword/2H_Sword"
    for name in ("Idle", "Running_A"):
        pose = again.clips[name].sample(0.3)
        want = sword.deform(pose[:-1], "linear")
        np.testing.assert_allclose(again.deform(pose, "linear")[-count:], want, atol=FAR * knight.size)


def test_grips_that_hold_nothing_are_refused(knight, hero):
    with pytest.raises(TypeError, match="attach: other must be a Character where grip names its joint"):
        lissom.attach(hero, "hand.r", blade(), grip="handslot.r")
    with pytest.raises(ValueError, match="attach: other must have a mesh where grip is given"):
        lissom.attach(hero, "hand.r", lissom.Character("bare", hero.skeleton, None, None), grip="Hand.R")
    with pytest.raises(ValueError, match=r"one palette row .*; pass the Character, .* as grip= the joint"):
        lissom.attach(hero, "hand.r", knight.only("2H_Sword").mesh)
    bent = whip()
    rest = bent.skeleton.rest.copy()
    rest[1, 3:7] = lissom.quat.from_axis_angle([1, 0, 0], 1.0)
    skeleton = lissom.Skeleton(bent.skeleton.names, bent.skeleton.parents, rest)
    bent = lissom.Character("bent", skeleton, bent.mesh, bent.skin)
    with pytest.raises(ValueError, match="attach: other must rest as it was modelled where grip is given"):
        lissom.attach(hero, "hand.r", bent, grip="link 0")
    rest[0, 7:] = 0
    flat = lissom.Skeleton(bent.skeleton.names, bent.skeleton.parents, rest)
    with pytest.raises(ValueError, match="attach: grip must have a size at rest, got 'link 0'"):
        lissom.attach(hero, "hand.r", lissom.Character("flat", flat, bent.mesh, bent.skin), grip="link 0")


def test_show_says_how_two_are_shown(hero):
    with pytest.raises(TypeError, match=r"got Character; lissom\.show\(a, b\) shows several"):
        hero.show(hero)
