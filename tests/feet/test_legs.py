# SPDX-License-Identifier: MIT
"""Legs: made by hand, guessed from characters, and measured."""

import copy
import json
import pickle

import numpy as np
import pytest

import lissom
from conftest import asset
from lissom import samples, trs
from lissom.ik import FootPlacement, Leg, find_contacts, lock_feet

LEFT = Leg("UpperLeg.L", "LowerLeg.L", "Foot.L", "Toes.L")

# What the rigs' own names say of their legs.
KNOWN = {
    "kaykit/Knight.glb": [
        Leg(f"upperleg.{s}", f"lowerleg.{s}", f"foot.{s}", f"toes.{s}") for s in ("l", "r")
    ],
    "khronos/cesium_man.gltf": [
        Leg("node_7", "node_8", "node_9", "node_10"),
        Leg("node_3", "node_4", "node_5", "node_6"),
    ],
    "khronos/Fox.glb": [
        Leg("b_RightUpperArm_06", "b_RightForeArm_07", "b_RightHand_08"),
        Leg("b_LeftUpperArm_09", "b_LeftForeArm_010", "b_LeftHand_011"),
        Leg("b_LeftLeg01_015", ("b_LeftLeg02_016", "b_LeftFoot01_017"), "b_LeftFoot02_018"),
        Leg("b_RightLeg01_019", ("b_RightLeg02_020", "b_RightFoot01_021"), "b_RightFoot02_022"),
    ],
    "quaternius/single_knight_pack/KnightCharacter.glb": [
        Leg(f"UpperLeg.{s}", f"LowerLeg.{s}", f"LowerLeg.{s}_end", foot=f"Foot.{s}") for s in ("L", "R")
    ],
}
COUNTS = {
    "quaternius/easy_enemies_pack/Spider.glb": 8,
    "quaternius/animals_pack/Wolf.glb": 4,
    "quaternius/animals_pack/Horse.glb": 4,
    "quaternius/dinosaurs_pack/Trex.glb": 2,
    "quaternius/mech_pack/George.glb": 2,
    "godot/player.glb": 2,
    "quaternius/modular_women/Casual.glb": 2,
}
LEGLESS = [
    *("quaternius/fish_pack/Whale.glb", "quaternius/fish_pack/Dolphin.glb"),
    *("quaternius/tank_pack/Tank2.glb", "webxr/left.glb"),
]


@pytest.fixture(params=["adult", "child", "giant"])
def hero(request):
    return samples.humanoid(request.param)


def test_finds_the_legs_of_the_samples(hero):
    for character in (hero, hero.skeleton):
        assert Leg.find(character) == (LEFT, Leg("UpperLeg.R", "LowerLeg.R", "Foot.R", "Toes.R"))


@pytest.mark.parametrize("file", KNOWN)
def test_finds_the_legs_of_real_characters(file):
    character = lissom.load(asset(f"characters/{file}"))
    assert list(Leg.find(character)) == KNOWN[file]


@pytest.mark.parametrize("file", COUNTS)
def test_finds_as_many_legs_as_there_are(file):
    character = lissom.load(asset(f"characters/{file}"))
    legs = Leg.find(character)
    assert len(legs) == COUNTS[file]
    for leg in legs:  # they stand where the mesh is lowest
        assert abs(leg.measure(character).floor) < 0.01 * character.size


@pytest.mark.parametrize("file", LEGLESS)
def test_refuses_what_has_no_legs(file):
    character = lissom.load(asset(f"characters/{file}"))
    with pytest.raises(ValueError, match=r"^Leg.find: character must have a leg, .* got '.*' without one"):
        Leg.find(character)


@pytest.mark.parametrize("drop", [0.5, 0.55, 0.59, 0.61, 0.65])
def test_a_last_segment_that_drops_by_less_than_three_fifths_of_its_length_is_a_foot(drop):
    """The others are 0.4 long and vertical; the last one is as long, and so not short."""
    last = 0.4 * np.array([0, -drop, np.sqrt(1 - drop**2)])
    local = trs.identity(6).astype(np.float64)
    local[0, 1] = 0.8 + 0.4 * drop
    local[1:, :3] = [[0, 1, 0], [0.2, 0, 0], [0, -0.4, 0], [0, -0.4, 0], last]
    names = ["pelvis", "head", "thigh", "shin", "hock", "paw"]
    skeleton = lissom.Skeleton(names, [-1, 0, 0, 2, 3, 4], local)
    (leg,) = Leg.find(skeleton)
    assert (leg.ankle, leg.toe) == (("hock", "paw") if drop < 0.6 else ("paw", None))


def test_a_sole_is_measured_from_the_mesh(hero):
    vertices = hero.deform(hero.skeleton.rest.astype(np.float64))
    places = hero.skeleton.positions(hero.skeleton.rest.astype(np.float64))
    sole = LEFT.measure(hero)
    shoe = next(part.vertices for part in hero.mesh.parts if part.name == "Soles")
    floor = vertices[shoe, 1].min()
    assert abs(sole.floor - floor) < 1e-9
    ankle, toe = (places[hero.skeleton.index(name), 1] for name in ("Foot.L", "Toes.L"))
    assert abs(sole.ankle_height - (ankle - floor)) < 1e-9
    assert abs(sole.toe_height - (toe - floor)) < 1e-9
    model = hero.skeleton.model_matrices(hero.skeleton.rest.astype(np.float64))
    for joint, points in (("Foot.L", sole.points), ("Toes.L", sole.toe_points)):
        frame = model[hero.skeleton.index(joint)]
        world = points @ frame[:3, :3].T + frame[:3, 3]
        nearest = np.linalg.norm(world[:, None] - vertices, axis=-1).min(axis=1)
        np.testing.assert_allclose(nearest, 0, atol=1e-9)


def test_the_points_of_a_sole_hold_whatever_is_lowest_however_the_foot_tilts(hero):
    sole = LEFT.measure(hero)
    skeleton = hero.skeleton
    rng = np.random.default_rng(5)
    carried = np.array([skeleton.is_in_hierarchy(j, "Foot.L") for j in range(len(skeleton))])
    on_foot = (hero.mesh.weights * carried[hero.skin.joints[hero.mesh.indices]]).sum(axis=1) > 0.5
    for _ in range(40):
        tilt = lissom.quat.from_rotation_vector(rng.uniform(-0.8, 0.8, 3) * [1, 0, 1])
        pose = skeleton.rotate(skeleton.rest.astype(np.float64), "Foot.L", tilt)
        frame = skeleton.model_matrices(pose)[skeleton.index("Foot.L")]
        lowest = (sole.points @ frame[:3, :3].T + frame[:3, 3])[:, 1].min()
        # Vertices nearer to each other than 0.2 % of the size count as one.
        assert abs(lowest - hero.deform(pose)[on_foot, 1].min()) < 2e-3 * hero.size


def test_without_a_mesh_the_lowest_joint_is_the_ground(hero):
    sole = LEFT.measure(hero.skeleton)
    places = hero.skeleton.positions(hero.skeleton.rest.astype(np.float64))
    toe = places[hero.skeleton.index("Toes.L"), 1]
    assert sole.toe_height == pytest.approx(0, abs=1e-12)
    assert sole.floor == pytest.approx(toe)
    assert len(sole.points) == 2


def test_a_stance_may_be_given(hero):
    pose = hero.skeleton.rest.astype(np.float64)
    pose[0, 1] += 0.25
    assert LEFT.measure(hero, pose).floor == pytest.approx(LEFT.measure(hero).floor + 0.25)
    assert LEFT.measure(hero, pose).ankle_height == pytest.approx(LEFT.measure(hero).ankle_height)


def test_a_sole_may_be_given(hero):
    points = [[0, -0.1, 0.1], [0, -0.1, -0.05]]
    leg = Leg("UpperLeg.L", "LowerLeg.L", "Foot.L", sole=points)
    np.testing.assert_allclose(leg.measure(hero).points, points, atol=1e-12)
    assert leg.measure(hero).ankle_height == pytest.approx(0.1)


def test_legs_copy_pickle_and_compare():
    legs = [LEFT, Leg(1, (2, 3), 4, foot=7), Leg("a", "b", "c", sole=[[0, 0, 0]], name="one")]
    for leg in legs:
        assert copy.deepcopy(leg) == leg
        assert pickle.loads(pickle.dumps(leg)) == leg
        assert hash(leg) == hash(copy.copy(leg))
        assert "\n" not in repr(leg)
    assert repr(legs[1]) == "Leg(1, (2, 3), 4, foot=7)"
    assert len({LEFT, *legs}) == 3
    assert legs[2] != LEFT


BAD = [
    (lambda h: Leg("UpperLeg.L", (), "Foot.L"), ValueError, "Leg: knee must name at least one joint"),
    (
        lambda h: Leg("UpperLeg.L", 2.5, "Foot.L"),
        TypeError,
        "^Leg: knee must be a joint's name or index, got float",
    ),
    (
        lambda h: Leg("UpperLeg.L", None, "Foot.L"),
        TypeError,
        "^Leg: knee must be a joint's name or index, got No",
    ),
    (
        lambda h: Leg("UpperLeg.L", "LowerLeg.L", None),
        TypeError,
        "Leg: ankle must be a joint's name or index",
    ),
    (lambda h: Leg("a", "b", "a"), ValueError, "Leg: joints must differ, got 'a' twice"),
    (lambda h: Leg("a", "b", "c", sole=[1, 2, 3]), ValueError, r"Leg: sole must have shape \(K, 3\)"),
    (lambda h: Leg("a", "b", "c", sole=[[1, np.nan, 3]]), ValueError, "Leg: sole must be finite, got "),
    (
        lambda h: Leg("UpperLeg.L", "LowrLeg.L", "Foot.L").measure(h),
        ValueError,
        "Leg.measure: knee of Leg.*: no joint is named 'LowrLeg.L'; did you mean 'LowerLeg.L'",
    ),
    (
        lambda h: Leg("UpperLeg.L", "LowerLeg.R", "Foot.L").measure(h),
        ValueError,
        "must be in line, got knee 'LowerLeg.R', which does not descend from 'UpperLeg.L'; name them from",
    ),
    (
        lambda h: Leg("LowerLeg.L", "UpperLeg.L", "Foot.L").measure(h),
        ValueError,
        "must be in line, got knee 'UpperLeg.L', which does not descend from 'LowerLeg.L'",
    ),
    (
        lambda h: Leg("UpperLeg.L", "LowerLeg.L", "Foot.L", "Toes.R").measure(h),
        ValueError,
        "toe of Leg.* must descend from the joint that carries the foot, 'Foot.L', got 'Toes.R'",
    ),
    (
        lambda h: Leg("UpperLeg.L", "LowerLeg.L", "Foot.L", foot="Toes.L").measure(h),
        ValueError,
        "foot of Leg.* must be beside the leg, got 'Toes.L'",
    ),
    (lambda h: Leg.find("hero.glb"), TypeError, "Leg.find: character must be a Character or a Skeleton, got"),
    (lambda h: LEFT.measure(h, h.skeleton.rest[:3]), ValueError, r"Leg.measure: stance must have shape \(34"),
    (lambda h: LEFT.measure(h, np.nan * h.skeleton.rest), ValueError, "Leg.measure: stance must be finite"),
]


@pytest.mark.parametrize("case", BAD, ids=[message for *_, message in BAD])
def test_says_what_is_wrong(case):
    call, kind, message = case
    with pytest.raises(kind, match=message):
        call(samples.humanoid())


# By roles


RESTS = 1e-5  # of the size: rest poses hold float32, and a leg that is nearly straight magnifies that
SEEN = [
    *("characters/raylib/robot.glb", "characters/kaykit/Knight.glb", "characters/khronos/CesiumMan.glb"),
    *("wild/morph/quaternius/RobotExpressive.glb", "wild/retarget/quaternius/Mike.glb"),
    *("wild/retarget/sketchfab/lumberjack.glb", "wild/retarget/gdquest/mannequiny-0.3.0.glb"),
    *("wild/retarget/bvh/tpose.bvh", "wild/retarget/bvh/walk1.bvh", "wild/retarget/bvh/10_03.bvh"),
    *(
        "wild/morph/vrm-addon/modifier_shapekey_vrm0.vrm",
        "wild/vrm/sphere.vrm",
        "wild/vrm/Godette_vrm_v4.vrm",
    ),
    *("wild/retarget/quaternius/Husky.glb", "characters/quaternius/animals_pack/Horse.glb"),
]
LIMBS = {
    "": ("{}_upper_leg", "{}_lower_leg", "{}_foot"),
    "front": ("{}_front_upper", "{}_front_lower", "{}_front_foot"),
    "hind": ("{}_hind_upper", "{}_hind_lower", "{}_hind_foot"),
}


@pytest.mark.parametrize("file", SEEN)
def test_legs_are_those_that_people_see(file):
    """Rigs whose rest pose does not stand, whose feet are beside the legs, or whose mesh is no body."""
    record = json.loads(asset("wild/wild.json").read_text("utf-8"))
    entries = {f"wild/{one['file']}": one for one in record["files"]}
    entries |= {one["file"]: one for one in record["existing"]}
    seen = entries[file]["roles"]
    found = {leg.hip: leg for leg in Leg.find(lissom.load(asset(file)))}
    expected = [
        [seen[role.format(side)] for role in limb]
        for limb in LIMBS.values()
        for side in ("left", "right")
        if limb[0].format(side) in seen
    ]
    assert len(found) == len(expected)
    for hip, knee, foot in expected:
        leg = found[hip]
        assert knee == leg.knees[0]
        assert foot in (leg.ankle, leg.foot)


@pytest.mark.parametrize(
    ("file", "above"),
    [("characters/raylib/greenman.glb", "leg_L"), ("wild/retarget/sketchbook/boxman.glb", "leg_lower.L")],
)
def test_names_the_role_that_no_joint_plays(file, above):
    message = (
        rf"a humanoid that lacks leftFoot \(no joint below '{above}' is one .*\) and rightFoot \(no joint"
    )
    with pytest.raises(ValueError, match=message):
        Leg.find(lissom.load(asset(file)))


def test_twist_joints_between_are_no_knees():
    """As of people, with a twist joint in the thigh, and a foot beside the leg that ends with the shin."""
    names = ["Hips", "Spine", "Head"]
    parents, places = [-1, 0, 1], [[0, 1.0, 0], [0, 0.2, 0], [0, 0.4, 0]]
    for side, x in (("L", 0.1), ("R", -0.1)):
        first = len(names)
        names += [f"{name}.{side}" for name in ("UpperArm", "LowerArm", "Hand")]
        parents += [1, first, first + 1]
        places += [[x, 0.1, 0], [2 * x, 0, 0], [2 * x, 0, 0]]
        first = len(names)
        names += [f"{name}.{side}" for name in ("UpperLeg", "Helper", "LowerLeg", "Foot")]
        parents += [0, first, first + 1, -1]
        places += [[x, 0, 0], [0, -0.2, 0.01], [0, -0.25, 0.02], [x, 0.1, 0]]
    local = trs.identity(len(names), dtype=np.float64)
    local[:, :3] = places
    skeleton = lissom.Skeleton(names, parents, local)
    left, right = Leg.find(skeleton)
    assert left == Leg("UpperLeg.L", "LowerLeg.L", None, foot="Foot.L")
    assert right == Leg("UpperLeg.R", "LowerLeg.R", None, foot="Foot.R")


def test_a_leg_without_an_ankle_places_its_foot_as_one_with_it_does(hero):
    """The same motion, its feet hung on the root: knees and feet get where those of the whole leg get."""
    skeleton = hero.skeleton
    feet = [skeleton.index(name) for name in ("Foot.L", "Foot.R")]
    times = np.arange(12) / 12
    poses = hero.clips["walk"].sample(times).astype(np.float64)
    parents = np.array(skeleton.parents)
    parents[feet] = -1
    apart, rest = (hung_on_nothing(skeleton, some, feet) for some in (poses, skeleton.rest[None]))
    beside = lissom.Skeleton(skeleton.names, parents, rest[0])
    slope = lissom.ground.Plane(normal=(0.1, 1, -0.2))
    whole = [Leg(f"UpperLeg.{s}", f"LowerLeg.{s}", f"Foot.{s}", f"Toes.{s}") for s in "LR"]
    ended = [Leg(f"UpperLeg.{s}", f"LowerLeg.{s}", None, f"Toes.{s}", foot=f"Foot.{s}") for s in "LR"]
    expected = FootPlacement(skeleton, whole, slope).apply((times, poses))
    placed = FootPlacement(beside, ended, slope).apply((times, apart))
    np.testing.assert_allclose(
        beside.positions(placed.poses), skeleton.positions(expected.poses), atol=RESTS * hero.size
    )
    assert placed.poses.shape == apart.shape
    clip = lissom.Clip.from_poses(beside, times, apart, name="walk")
    contacts = find_contacts(clip, ended)
    assert lock_feet(clip, ended, contacts=contacts).skeleton is clip.skeleton


def hung_on_nothing(skeleton, poses, joints):
    """Poses of a skeleton some of whose joints have become roots."""
    result = np.array(poses, np.float64)
    model = skeleton.model_matrices(result)
    for joint in joints:
        result[:, joint, :3] = model[:, joint, :3, 3]
        result[:, joint, 3:7] = lissom.quat.from_matrix(model[:, joint, :3, :3])
    return result
