# SPDX-License-Identifier: MIT
"""Which joint plays which part of the body, against maps that people made, and names as tools write them."""

import json
import time

import numpy as np
import pytest

import lissom
from conftest import ASSETS, asset, asset_files, asset_id, each_asset
from lissom import samples
from tool_figures import LINE, PARENTS, PLACES

LIMBS = {
    "shoulder": "Shoulder",
    "upper_arm": "UpperArm",
    "lower_arm": "LowerArm",
    "hand": "Hand",
    "upper_leg": "UpperLeg",
    "lower_leg": "LowerLeg",
    "foot": "Foot",
    "toes": "Toes",
    "front_shoulder": "ForeShoulder",
    "front_upper": "ForeUpperLeg",
    "front_lower": "ForeLowerLeg",
    "front_foot": "ForeFoot",
    "front_toes": "ForeToes",
    "hind_hip": "HindHip",
    "hind_upper": "HindUpperLeg",
    "hind_lower": "HindLowerLeg",
    "hind_metatarsus": "HindMetatarsus",
    "hind_foot": "HindFoot",
    "hind_toes": "HindToes",
}
# Its deforming spine is beside what carries head and arms; no hierarchy tells that it is the spine.
APART = {"lumberjack.glb": {"spine", "chest"}}


def maps_by_hand():
    """Files and the maps that people made of them: the joint of each role, or several that will do."""
    path = ASSETS / "wild" / "wild.json"
    if not path.exists():
        return []
    root = json.loads(path.read_text("utf-8"))
    named = [(f"wild/{each['file']}", each) for each in root["files"] if each.get("roles")]
    named += [(each["file"], each) for each in root["existing"] if each.get("roles")]
    return [pytest.param(file, each, id=file) for file, each in named]


def expected_roles(entry, names):
    """By our role: the joints that are right, empty where the rig has none."""
    accepted = entry.get("also_accept") or {}
    for role, joints in entry["roles"].items():
        side, _, limb = role.partition("_")
        right = joints if isinstance(joints, list) else [joints]
        right = [joint for joint in (*right, *accepted.get(role, ())) if joint in names or joint is None]
        yield (side + LIMBS[limb] if limb in LIMBS else role), right


def played(found, role):
    """The joint of a role; of the chest, which carries neck and shoulders, the upper one."""
    if role == "chest":
        return next((found.joints[r] for r in ("upperChest", "chest", "spine") if r in found), None)
    return found.joints.get(role)


@pytest.mark.parametrize(("file", "entry"), each_asset(maps_by_hand(), "wild") or [])
def test_roles_are_those_that_people_see(file, entry):
    character = lissom.load(asset(file))
    found = lissom.roles(character)
    check_by_place(file, character, found)
    assert (found.kind == "quadruped") == ("left_front_upper" in entry["roles"]) or not found.kind
    for role, right in expected_roles(entry, character.skeleton.names):
        joint = played(found, role)
        if role in APART.get(file.split("/")[-1], ()) or (role == "spine" and right in ([], [None])):
            continue
        assert joint in right or (joint is None and not right), (role, joint, right)


MIXAMO = (
    "Hips Spine Spine1 Spine2 Neck Head LeftShoulder LeftArm LeftForeArm LeftHand LeftUpLeg LeftLeg LeftFoot"
    " LeftToeBase LeftHandIndex1 LeftHandIndex2 LeftHandIndex3 LeftHandThumb1 LeftHandThumb2 LeftHandThumb3"
)
CONVENTIONS = {  # as their tools write them: trunk, left arm, left leg, index finger, thumb
    "Mixamo": " ".join(f"mixamorig:{name}" for name in MIXAMO.split()),
    "Ready Player Me": MIXAMO,
    "Unreal": "pelvis spine_01 spine_02 spine_03 neck_01 head clavicle_l upperarm_l lowerarm_l hand_l thigh_l"
    " calf_l foot_l ball_l index_01_l index_02_l index_03_l thumb_01_l thumb_02_l thumb_03_l",
    "Rigify": "DEF-hips DEF-spine.001 DEF-spine.002 DEF-spine.003 DEF-neck DEF-head DEF-shoulder.L"
    " DEF-upper_arm.L DEF-forearm.L DEF-hand.L DEF-thigh.L DEF-shin.L DEF-foot.L DEF-toe.L DEF-f_index.01.L"
    " DEF-f_index.02.L DEF-f_index.03.L DEF-thumb.01.L DEF-thumb.02.L DEF-thumb.03.L",
    "VRoid": "J_Bip_C_Hips J_Bip_C_Spine J_Bip_C_Chest J_Bip_C_UpperChest J_Bip_C_Neck J_Bip_C_Head"
    " J_Bip_L_Shoulder J_Bip_L_UpperArm J_Bip_L_LowerArm J_Bip_L_Hand J_Bip_L_UpperLeg J_Bip_L_LowerLeg"
    " J_Bip_L_Foot J_Bip_L_ToeBase J_Bip_L_Index1 J_Bip_L_Index2 J_Bip_L_Index3 J_Bip_L_Thumb1"
    " J_Bip_L_Thumb2 J_Bip_L_Thumb3",
    "Biped": "Bip01/Bip01 Spine/Bip01 Spine1/Bip01 Spine2/Bip01 Neck/Bip01 Head/Bip01 L Clavicle"
    "/Bip01 L UpperArm/Bip01 L Forearm/Bip01 L Hand/Bip01 L Thigh/Bip01 L Calf/Bip01 L Foot/Bip01 L Toe0",
    "CMU": "root lowerback upperback thorax neck head lclavicle lhumerus lradius lhand lfemur ltibia lfoot"
    " ltoes",
    "LAFAN": "Hips Spine Spine1 Spine2 Neck Head LeftShoulder LeftArm LeftForeArm LeftHand LeftUpLeg LeftLeg"
    " LeftFoot LeftToe",
    "Bandai": "Hips Spine Spine1 Chest Neck Head Shoulder_L UpperArm_L LowerArm_L Hand_L UpperLeg_L"
    " LowerLeg_L Foot_L Toes_L",
    "SMPL": "pelvis spine1 spine2 spine3 neck head left_collar left_shoulder left_elbow left_wrist left_hip"
    " left_knee left_ankle left_foot left_index1 left_index2 left_index3 left_thumb1 left_thumb2 left_thumb3",
    "Character Creator": "CC_Base_Hip CC_Base_Waist CC_Base_Spine01 CC_Base_Spine02 CC_Base_NeckTwist01"
    " CC_Base_Head CC_Base_L_Clavicle CC_Base_L_Upperarm CC_Base_L_Forearm CC_Base_L_Hand CC_Base_L_Thigh"
    " CC_Base_L_Calf CC_Base_L_Foot CC_Base_L_ToeBase",
}


def mirrored(name):
    """The same joint of the right side, as that convention writes it."""
    for left, right in (("Left", "Right"), ("left", "right"), ("_L_", "_R_"), (" L ", " R ")):
        if left in name:
            return name.replace(left, right)
    for left, right in ((".L", ".R"), ("_L", "_R"), ("_l", "_r")):
        if name.endswith(left):
            return name.removesuffix(left) + right
    return "r" + name.removeprefix("l")


def figure(names):
    """A figure in a T-pose with names of a convention; what is asked for, by role."""
    wanted, parents, rest = [], [], []
    for role, name in zip(LINE, names, strict=False):
        for side in ("left", "right") if role.startswith("left") else ("",):
            own = role.replace("left", side) if side else role
            above = PARENTS.get(role)
            if above is not None and side and above.startswith("left"):
                above = above.replace("left", side)
            place = np.array(PLACES.get(role, (0.04, 0, 0)), np.float64)
            place[0] *= -1 if side == "right" else 1
            parents.append(-1 if above is None else [each for each, _ in wanted].index(above))
            wanted.append((own, mirrored(name) if side == "right" else name))
            rest.append([*place, 0, 0, 0, 1, 1, 1, 1])
    return lissom.Skeleton([name for _, name in wanted], parents, rest), dict(wanted)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_names_of_tools_are_read(convention):
    text = CONVENTIONS[convention]
    skeleton, wanted = figure(text.split("/") if "/" in text else text.split())
    found = lissom.roles(skeleton)
    assert found.joints == wanted
    assert (found.kind, found.missing, found.ambiguous) == ("humanoid", {}, {})


def nameless(body):
    """The same body with names that say nothing."""
    skeleton = body if isinstance(body, lissom.Skeleton) else body.skeleton
    names = [f"joint_{i}" for i in range(len(skeleton))]
    renamed = lissom.Skeleton(names, skeleton.parents, skeleton.rest)
    return renamed if body is skeleton else lissom.Character("", renamed, body.mesh, body.skin)


# Of rigs whose joints have no names: limbs that are found, and roles of the trunk where shape is misleading.
BY_PLACE = """
    Barbarian Knight Med_CombatMelee Med_MovementAdvanced Med_Simulation manny_med_mod CesiumMan cesium_man
    Adventurer Worker Suit Casual2 Casual Medieval Woman Character_HumanoidRig cryptovoxels sphere
    VRMC_vrm_expressions_isBinary_Overridden Godette_vrm_v4 10_03 11_01 wave_hello walk1 zombieWalk1 tpose
    AV_8Walk_Meredith_HVHA_Rep1
"""
MISLEADING = {
    "Character": {"hips", "spine", "chest"},  # legs hang on a joint beside the spine
    "pose_rotation_scale_shape_key_skinned": {"hips", "spine"},  # hips on the ground
    "Godette_vrm_v4": {"head"},  # hair branches off it
    "AV_8Walk_Meredith_HVHA_Rep1": {"head", "neck"},  # the head has an end, no neck
    # All fingers branch off a joint beyond the wrist.
    "White_M_1_Casual": {"leftHand", "rightHand"},
    "Black_F_3_Busi": {"leftHand", "rightHand"},
    "tpose": {"leftToes", "rightToes"},  # of several toes one
}


def check_by_place(file, character, named):
    """Without names no role is on the wrong side, each is that by name and marked; limbs are found whole."""
    name = file.split("/")[-1].rsplit(".", 1)[0]
    if named.kind != "humanoid":
        return
    for body in (character, character.skeleton):
        found = lissom.roles(nameless(body))
        for role, joint in found.joints.items():
            place = found.skeleton.index(joint)
            by_name = {named.index(other): other for other in named.joints}.get(place, "")
            assert {role[:4], by_name[:4]} != {"left", "righ"}, (role, by_name)
            assert role in found.ambiguous
            if role in named and role not in MISLEADING.get(name, ()):
                assert place == named.index(role), (role, joint)
    limbs = {role for role in found.joints if role.startswith(("left", "right"))}
    if name in BY_PLACE.split():
        assert len(limbs) >= 12


def test_joints_without_names_are_found_by_place_and_said_to_be():
    skeleton, wanted = figure(MIXAMO.split()[:14])
    names = [f"node_{i}" for i in range(len(skeleton))]
    found = lissom.roles(lissom.Skeleton(names, skeleton.parents, skeleton.rest))
    expected = {role: names[skeleton.index(joint)] for role, joint in wanted.items()}
    assert found.joints == expected
    assert found.ambiguous["leftUpperArm"] == "found by place alone: its name says nothing"


def test_no_side_is_guessed_where_nothing_says_which_is_left():
    skeleton, wanted = figure(MIXAMO.split()[:14])
    plain = nameless(skeleton)
    rest = plain.rest.copy()
    for bone in ("LeftLeg", "LeftFoot"):  # straight legs
        for name in (bone, bone.replace("Left", "Right")):
            rest[skeleton.index(name), 2] = 0
    toes = [skeleton.index(name) for name in ("LeftToeBase", "RightToeBase")]
    rest[toes, 2] = 0
    found = lissom.roles(lissom.Skeleton(plain.names, plain.parents, rest))
    assert not [role for role in found.joints if role.startswith(("left", "right"))]
    assert found["hips"] == plain.names[skeleton.index("Hips")]
    hands = [plain.names[skeleton.index(f"{side}Hand")] for side in ("Left", "Right")]
    said = {
        f"it is {a!r} or {b!r}, and nothing says which side is left: pass hints"
        for a, b in (hands, hands[::-1])
    }
    assert found.missing["leftHand"] in said
    # Knees and elbows that bend as a body's do say it; knees alone, as a bird's may bend backwards, do not.
    for elbow, sides in ((-0.03, 1), (0.0, 0), (0.03, 0)):
        bent = rest.copy()
        for side in ("Left", "Right"):
            bent[skeleton.index(f"{side}Leg"), 2], bent[skeleton.index(f"{side}Foot"), 2] = 0.03, -0.03
            bent[skeleton.index(f"{side}ForeArm"), 2] = elbow
            bent[skeleton.index(f"{side}Hand"), 2] = -elbow
        found = lissom.roles(lissom.Skeleton(plain.names, plain.parents, bent))
        assert ("leftHand" in found) == bool(sides)
        if sides:
            assert found["leftHand"] == plain.names[skeleton.index(wanted["leftHand"])]


def test_a_sole_says_where_a_body_looks():
    """A foot without toes, whose vertices are ahead of the ankle; where toes point back, neither counts."""
    skeleton, wanted = figure(MIXAMO.split()[:14])
    kept = [i for i, name in enumerate(skeleton.names) if "Toe" not in name]
    parents = [kept.index(p) if (p := skeleton.parents[i]) >= 0 else -1 for i in kept]
    for toes, seen in ((kept, True), (range(len(skeleton)), False)):
        joints = list(toes)
        rest = skeleton.rest[joints].copy()
        for joint, old in enumerate(joints):
            if "Toe" in skeleton.names[old]:
                rest[joint, 2] *= -1
        above = parents if seen else skeleton.parents
        bare = lissom.Skeleton([f"n{i}" for i in range(len(joints))], above, rest)
        places = bare.positions(bare.rest).astype(np.float64)
        feet = ["Foot" in skeleton.names[i] or "Toe" in skeleton.names[i] for i in joints]
        corners = np.array([[-0.02, -0.05, -0.05], [0.02, -0.05, -0.05], [0, -0.05, 0.6]])
        positions = np.concatenate([place + corners * foot for place, foot in zip(places, feet, strict=True)])
        indices = np.repeat(np.arange(len(joints)), 3)[:, None]
        bind = np.tile(np.eye(4), (len(joints), 1, 1))
        bind[:, :3, 3] = -places
        mesh = lissom.Mesh(
            positions, np.arange(len(positions)).reshape(-1, 3), indices, np.ones_like(indices, float)
        )
        found = lissom.roles(lissom.Character("", bare, mesh, lissom.Skin(range(len(joints)), bind)))
        assert ("leftFoot" in found) == seen
        if seen:
            assert found["leftFoot"] == f"n{kept.index(skeleton.index(wanted['leftFoot']))}"


def test_sides_are_those_of_the_body_where_names_say_the_viewer_s():
    skeleton, wanted = figure(MIXAMO.split()[:14])
    rest = skeleton.rest.copy()
    rest[skeleton.index("LeftToeBase"), 2] = rest[skeleton.index("RightToeBase"), 2] = -0.15
    found = lissom.roles(lissom.Skeleton(skeleton.names, skeleton.parents, rest))
    other = {"left": "right", "righ": "left"}
    sides = {role: other.get(role[:4], "") for role in wanted}
    assert found.joints == {
        side + role.removeprefix("left").removeprefix("right") if side else role: wanted[role]
        for role, side in sides.items()
    }
    assert found.ambiguous["leftHand"] == "right by name, but on the left of where the feet point"
    assert "hips" not in found.ambiguous


def test_soles_of_a_mesh_show_the_sides_where_feet_have_no_toes():
    """Godot's robot: it looks, and its feet point, to +z; joints named l- are at -x."""
    player = lissom.load(asset("characters/godot/player.glb"))
    found = lissom.roles(player)
    assert found["leftFoot"] == "r-foot"
    assert player.skeleton.positions(player.skeleton.rest)[found.index("leftFoot"), 0] > 0
    walk = player.clips["walk"]
    legs = lissom.ik.Leg.find(player)
    ground = lissom.ik.find_contacts(walk, legs, character=player).ground_velocity
    assert ground[2] < 0  # it walks to +z
    retarget = lissom.Retarget(lissom.samples.humanoid(), player)
    assert retarget.report.turn < 0.01  # both face +z


def test_what_is_missing_is_said_with_its_reason():
    found = lissom.roles(lissom.load(asset("wild/retarget/sketchbook/boxman.glb")))
    assert set(found.missing) == {"leftHand", "rightHand", "leftFoot", "rightFoot"}
    assert found.missing["leftHand"] == "no joint below 'arm_lower.L' is one by its name or place"
    with pytest.raises(KeyError, match=r"no joint plays the role 'leftHand': no joint below 'arm_lower\.L'"):
        found["leftHand"]
    assert "leftHand" not in found
    assert "missing leftHand, leftFoot" in repr(found)


BIPED_HAND = {  # by hand: a digit for the finger, then one for the phalanx but the first
    "Bip01 L Finger0": "leftThumbMetacarpal",
    "Bip01 L Finger01": "leftThumbProximal",
    "Bip01 L Finger02": "leftThumbDistal",
    "Bip01 L Finger1": "leftIndexProximal",
    "Bip01 L Finger11": "leftIndexIntermediate",
    "Bip01 L Finger12": "leftIndexDistal",
    "Bip01 L Finger2": "leftMiddleProximal",
    "Bip01 L Finger21": "leftMiddleIntermediate",
    "Bip01 L Finger22": "leftMiddleDistal",
    "Bip01 L Finger3": "leftRingProximal",
    "Bip01 L Finger31": "leftRingIntermediate",
    "Bip01 L Finger32": "leftRingDistal",
    "Bip01 L Finger4": "leftLittleProximal",
    "Bip01 L Finger41": "leftLittleIntermediate",
    "Bip01 L Finger42": "leftLittleDistal",
}


def test_fingers_that_biped_numbers_are_read():
    skeleton, wanted = figure(CONVENTIONS["Biped"].split("/"))
    hand = skeleton.index("Bip01 L Hand")
    names, parents, rest = [*skeleton.names], [*skeleton.parents.tolist()], [*skeleton.rest]
    for name in (*BIPED_HAND, "Bip01 L Finger4Nub", "Bip01 L Finger5"):
        is_first = name[-2:-1] == "r"
        parents.append(hand if is_first else len(names) - 1)
        names.append(name)
        rest.append(np.array([0.03, 0, 0, 0, 0, 0, 1, 1, 1, 1]))
    found = lissom.roles(lissom.Skeleton(names, parents, rest))
    assert found.joints == wanted | {role: name for name, role in BIPED_HAND.items()}


def test_a_mitten_is_the_middle_finger_where_there_is_none():
    """What bends a middle finger bends it: a hand that is carried over closes."""
    hero = lissom.roles(samples.humanoid())
    assert (hero["leftMiddleProximal"], hero["rightMiddleIntermediate"]) == ("Fingers1.L", "Fingers2.R")
    skeleton = samples.humanoid().skeleton
    named = {"Fingers1.L": "Middle_Fingers.L", "Fingers1.R": "IndexFingers.R"}
    other = lissom.roles(
        lissom.Skeleton([named.get(name, name) for name in skeleton.names], skeleton.parents, skeleton.rest)
    )
    assert other["leftMiddleProximal"] == "Middle_Fingers.L"
    assert other["rightMiddleProximal"] == "Fingers2.R"


def test_who_stands_on_hind_legs_has_arms():
    found = lissom.roles(lissom.load(asset("characters/quaternius/dinosaurs_pack/Trex.glb")))
    assert found.kind == "humanoid"
    for side, letter in (("left", "L"), ("right", "R")):
        arm = [found[side + bone] for bone in ("Shoulder", "UpperArm", "LowerArm", "Hand")]
        assert arm == [f"Front{bone}.{letter}" for bone in ("Leg", "UpLeg", "LowLeg", "Foot")]
        legs = [found[side + bone] for bone in ("UpperLeg", "LowerLeg", "Foot")]
        assert legs == [f"Back{bone}.{letter}" for bone in ("UpLeg", "LowLeg", "Foot")]
        assert found.ambiguous[side + "Hand"] == "named as a fore leg, which does not stand here"
        assert side + "Foot" not in found.ambiguous


def test_a_skeleton_of_no_joints_has_no_body():
    found = lissom.roles(lissom.Skeleton([], [], np.zeros((0, 10))))
    assert (found.kind, found.joints, found.missing, found.ambiguous) == ("", {}, {}, {})


@pytest.mark.parametrize("name", ["leg_{}.L", "front_leg_{}.L", "Head_{}", "neck_{}", "joint_{}"])
def test_thousands_of_joints_of_one_name_take_little_time(name):
    count = 4000
    rest = np.tile([0, 0.1, 0, 0, 0, 0, 1, 1, 1, 1], (count, 1))
    names = [name.format(i) for i in range(count)]
    comb = [-1, 0, 0, 0, *((i - 1 if i % 3 else i - 3) for i in range(4, count))]  # branches all along it
    for parents in (np.arange(-1, count - 1), np.minimum(np.arange(-1, count - 1), 0), comb):
        skeleton = lissom.Skeleton(names, parents, rest)
        start = time.process_time()
        lissom.roles(skeleton)
        assert time.process_time() - start < 20  # 1 s, and 80 s where it grows with the square


def test_an_insect_is_no_human():
    found = lissom.roles(lissom.load(asset("characters/gdquest/bee_bot.glb")))
    assert (found.kind, found.joints) == ("", {})


@pytest.mark.parametrize("path", each_asset(asset_files("characters"), "characters"), ids=asset_id)
def test_no_role_is_on_the_wrong_side(path):
    """A joint that names a side plays no role of the other, and each joint plays one."""
    character = lissom.load(path)
    found = lissom.roles(character)
    assert len(set(found.joints.values())) == len(found.joints)
    for role, joint in found.joints.items():
        if role.startswith("left"):
            assert not joint.endswith((".R", ".r", "_R"))
            assert "Right" not in joint
        if role.startswith("right"):
            assert not joint.endswith((".L", ".l", "_L"))
            assert "Left" not in joint
    check_by_place(asset_id(path), character, found)


@pytest.mark.parametrize("file", ["Godette_vrm_v4.vrm", "VRMC_vrm_expressions_isBinary_Overridden.vrm"])
def test_the_map_of_a_vrm_file_wins(file):
    path = asset(f"wild/vrm/{file}")
    data = path.read_bytes()
    root = json.loads(data[20 : 20 + int.from_bytes(data[12:16], "little")])
    extension = root["extensions"].get("VRMC_vrm") or root["extensions"]["VRM"]
    bones = extension["humanoid"]["humanBones"]
    nodes = (
        {role: bone["node"] for role, bone in bones.items()}
        if isinstance(bones, dict)
        else {bone["bone"]: bone["node"] for bone in bones if "Thumb" not in bone["bone"]}
    )
    character = lissom.load(path)
    found = lissom.roles(character)
    source = character.skeleton.source_nodes
    for role, node in nodes.items():
        if role in found:
            assert source[found.index(role)] == node
    assert {role for role in nodes if not role.endswith(("Eye", "jaw"))} <= set(found.joints)
    if isinstance(bones, list):  # version 0 calls the first bone of a thumb proximal
        (thumb,) = (bone["node"] for bone in bones if bone["bone"] == "leftThumbProximal")
        assert source[found.index("leftThumbMetacarpal")] == thumb
    assert lissom.roles(character.prepared()).joints == found.joints


def test_hints_win(tmp_path):
    hero = samples.humanoid()
    plain = lissom.roles(hero)
    found = lissom.roles(hero, {"chest": None, "upperChest": "Chest"})
    assert found.joints == {
        role: "Chest" if role == "upperChest" else joint
        for role, joint in plain.joints.items()
        if role != "chest"
    }
    path = tmp_path / "hero.toml"
    path.write_text('chest = ""\nupperChest = "Chest"\n')
    assert lissom.roles(hero, path).joints == found.joints


HINTS = [
    ({"belly": "Spine"}, "roles: hints: no role is named 'belly'; there are 75, such as 'hips'"),
    ({"hips": "Pelvs"}, "roles: hints: no joint is named 'Pelvs'; did you mean 'Pelvis'?"),
    (
        {"spine": "Chest", "chest": "Chest"},
        "roles: hints: a joint must play one role, got 'Chest' for 'spine' and 'chest'",
    ),
    (
        {"leftUpperArm": "LowerArm.L", "leftLowerArm": "UpperArm.L"},
        "roles: hints: leftLowerArm must be below leftUpperArm, got 'UpperArm.L', which is above",
    ),
    (
        {"hips": "UpperLeg.L", "leftUpperLeg": "Pelvis", "spine": None},
        "roles: hints: leftUpperLeg must be below hips, got 'Pelvis', which is above 'UpperLeg.L'",
    ),
    (
        {"leftHand": "Fingers1.L", "leftMiddleProximal": "Hand.L"},
        "roles: hints: leftMiddleProximal must be below leftHand, got 'Hand.L', which is above 'Fingers1.L'",
    ),
    (
        {"leftHindUpperLeg": "UpperLeg.L", "leftUpperArm": "UpperArm.L"},
        "roles: hints must be roles of one body, got 'leftHindUpperLeg' of an animal and 'leftUpperArm' of a",
    ),
]


@pytest.mark.parametrize(("hints", "sentence"), HINTS)
def test_wrong_hints_are_refused(hints, sentence):
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the sentence is compared below
        lissom.roles(samples.humanoid(), hints)
    assert str(caught.value).startswith(sentence)


def test_other_misuse_is_refused(tmp_path):
    path = tmp_path / "hero.toml"
    path.write_text("chest = 3\n")
    with pytest.raises(
        ValueError, match=r"^roles: .*hero\.toml must be a TOML file of lines role = \"joint\": "
    ):
        lissom.roles(samples.humanoid(), path)
    path.write_text("chest = " + "7" * 5000)  # beyond what Python reads as a number
    with pytest.raises(ValueError, match=r"^roles: .*hero\.toml must be a TOML file of lines"):
        lissom.roles(samples.humanoid(), path)
    path.write_text("#" * 70_000)
    with pytest.raises(OSError, match=r"a file must have at most 65536 bytes, got 70000"):
        lissom.roles(samples.humanoid(), path)
    with pytest.raises(TypeError, match=r"^roles: character must be a Character or a Skeleton, got str$"):
        lissom.roles("hero.glb")
