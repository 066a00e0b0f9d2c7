# SPDX-License-Identifier: MIT
"""Laws of retargeting: the same body in other axes, names, rests and sizes moves as the source does."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import lissom
from conftest import asset, asset_files, asset_id, each_asset
from lissom import quat, samples
from reshaped import errors, model, reshaped

ANGLE = 0.05  # degrees
PLACE = 1e-4  # of the size: positions are float32
RIGS = {
    "Knight.glb",
    "Barbarian.glb",
    "mannequiny-0.3.0.glb",
    "Woman.gltf",
    "Animated Base Character.glb",
    "Animated Woman.glb",
    "RobotExpressive.glb",
    "CesiumMan.glb",
    "Character.glb",
    "Med_General.glb",
    "Michelle.glb",
    "Soldier.glb",
    "Xbot.glb",
}


def humanoids():
    """Characters with legs and arms, a dozen tools' rigs among them."""
    found = [path for path in asset_files("characters", "wild") if path.name in RIGS]
    return each_asset(found, "characters")


def turning_poses(skeleton, joints, seed, frames=6):
    """Poses in which joints turn from rest by up to 60 degrees, and the first of them moves."""
    generator = np.random.default_rng(seed)
    poses = np.repeat(skeleton.rest[None].astype(np.float64), frames, axis=0)
    for joint in joints:
        turns = Rotation.from_rotvec(generator.uniform(-0.6, 0.6, (frames, 3)))
        poses[:, joint, 3:7] = (Rotation.from_quat(poses[:, joint, 3:7]) * turns).as_quat()
    above = skeleton.parents[joints[0]]
    unit = 1.0 if above < 0 else np.linalg.norm(skeleton.model_matrices(skeleton.rest)[above, :3, 0])
    poses[:, joints[0], :3] += 0.3 * skeleton.size / unit * generator.uniform(-1, 1, (frames, 3))
    return poses


def arms_down(skeleton, roles, degrees):
    """Turn the arms down about the forward axis, as an A-pose has them."""
    places = skeleton.positions(skeleton.rest)
    left = places[skeleton.index(roles["leftUpperArm"])] - places[skeleton.index(roles["rightUpperArm"])]
    up = places[skeleton.index(roles["head"])] - places[skeleton.index(roles["leftUpperLeg"])]
    axes = [np.eye(3)[np.argmax(np.abs(v))] * np.sign(v[np.argmax(np.abs(v))]) for v in (left, up)]
    forward = np.cross(*axes)
    return {
        roles[f"{side}UpperArm"]: Rotation.from_rotvec(np.radians(sign * degrees) * forward)
        for side, sign in (("left", -1), ("right", 1))
    }


def law_of(character, seed=3):
    """Return the errors of all reshaped copies of a character, by what was changed."""
    skeleton = character.skeleton
    roles = lissom.roles(character)
    joints = [skeleton.index(name) for name in roles.joints.values()]
    # Feet of exported controls hang beside their legs, which move without them in these poses.
    hips = roles.joints["hips"]
    carried = [joint for joint in joints if skeleton.is_in_hierarchy(joint, hips)]
    poses = turning_poses(skeleton, joints, seed)
    found = {}
    for what, options in (
        ("axes", {}),
        ("A", {"turned": arms_down(skeleton, roles, 45.0)}),
        ("size", {"size": 2.5}),
    ):
        other = reshaped(skeleton, seed, **options)
        names = other.names(skeleton, roles.joints)
        result = lissom.Retarget(skeleton, other.skeleton, names, feet=False).poses(poses)
        found[what] = errors(skeleton, other, poses, result, joints, carried)
    return found


@pytest.mark.parametrize("variant", ["adult", "child"])
def test_the_sample_reshaped_moves_alike(variant):
    character = samples.humanoid() if variant == "adult" else samples.humanoid(variant)
    for what, (angle, place) in law_of(character).items():
        assert angle < ANGLE, what
        assert place < PLACE, what


@pytest.mark.parametrize("path", humanoids(), ids=asset_id)
def test_real_rigs_reshaped_move_alike(path):
    for what, (angle, place) in law_of(lissom.load(path)).items():
        assert angle < ANGLE, what
        assert place < PLACE, what


def test_there_and_back():
    hero = samples.humanoid()
    child = samples.humanoid("child")
    skeleton = reshaped(child.skeleton, 5, arms_down(child.skeleton, lissom.roles(child), 30.0)).skeleton
    names = dict(zip(child.skeleton.names, skeleton.names, strict=True))
    roles = {
        role: (joint, names[lissom.roles(child)[role]]) for role, joint in lissom.roles(hero).joints.items()
    }
    back = {role: (b, a) for role, (a, b) in roles.items()}
    poses = hero.clips["walk"].sample(np.linspace(0, 1, 20)).astype(np.float64)
    there = lissom.Retarget(hero, skeleton, roles, feet=False).poses(poses)
    again = lissom.Retarget(skeleton, hero, back, feet=False).poses(there)
    joints = [hero.skeleton.index(joint) for joint, _ in roles.values()]
    first, second = (model(hero.skeleton, each)[0] for each in (poses, again))
    angles = np.degrees((first.inv() * second).magnitude()).reshape(20, -1)[:, joints]
    assert angles.max() < ANGLE


def test_there_and_back_over_a_foreign_rig():
    """Joints that follow one other each come back; spines of other counts have lost what they shared."""
    woman = lissom.load(asset("wild/retarget/packt/Woman.gltf"))
    other = lissom.load(asset("wild/retarget/gdquest/mannequiny-0.3.0.glb"))
    poses = woman.clips["Running"].at(np.linspace(0, 1, 9)).astype(np.float64)
    there = lissom.Retarget(woman, other, feet=False)
    again = lissom.Retarget(other, woman, feet=False).poses(there.poses(poses))
    roles = lissom.roles(woman)
    joints = [roles.index(role) for role in there.report.roles if role not in ("spine", "chest")]
    assert len(joints) > 25
    first, second = (model(woman.skeleton, each)[0] for each in (poses, again))
    angles = np.degrees((first.inv() * second).magnitude()).reshape(9, -1)[:, joints]
    assert angles.max() < ANGLE


def test_a_body_that_faces_backwards_walks_forwards():
    hero = samples.humanoid()
    rest = hero.skeleton.rest.astype(np.float64)
    turn = Rotation.from_euler("y", 180, degrees=True)
    rest[0, :3] = turn.apply(rest[0, :3])
    rest[0, 3:7] = (turn * Rotation.from_quat(rest[0, 3:7])).as_quat()
    other = lissom.Skeleton(hero.skeleton.names, hero.skeleton.parents, rest)
    poses = hero.clips["walk"].sample(np.linspace(0, 1, 8)).astype(np.float64)
    result = lissom.Retarget(hero.skeleton, other).poses(poses)
    expected = hero.skeleton.positions(poses) @ turn.as_matrix().T
    joints = [hero.skeleton.index(name) for name in lissom.roles(hero).joints.values()]
    assert np.abs(other.positions(result) - expected)[:, joints].max() < PLACE * hero.size


@pytest.mark.parametrize("up", ["z", "x"])
def test_a_source_whose_up_is_another_axis(up):
    hero = samples.humanoid()
    turn = (
        Rotation.from_euler("x", 90, degrees=True)
        if up == "z"
        else Rotation.from_euler("z", -90, degrees=True)
    )

    def turned(poses):
        poses = np.array(poses, np.float64)
        poses[..., 0, :3] = poses[..., 0, :3] @ turn.as_matrix().T
        roots = Rotation.from_quat(poses[..., 0, 3:7].reshape(-1, 4))
        poses[..., 0, 3:7] = (turn * roots).as_quat().reshape((*poses.shape[:-2], 4))
        return poses

    other = lissom.Skeleton(hero.skeleton.names, hero.skeleton.parents, turned(hero.skeleton.rest))
    poses = hero.clips["walk"].sample(np.linspace(0, 1, 8)).astype(np.float64)
    result = lissom.Retarget(other, hero.skeleton, feet=False).poses(turned(poses))
    expected = hero.skeleton.positions(poses)
    joints = [hero.skeleton.index(name) for name in lissom.roles(hero).joints.values()]
    assert np.abs(hero.skeleton.positions(result) - expected)[:, joints].max() < PLACE * hero.size


def test_mirrored_scales_above_the_body():
    hero = samples.humanoid()
    names = ["mirror", *hero.skeleton.names]
    parents = np.concatenate([[-1], hero.skeleton.parents + 1])
    rest = np.concatenate([[[0, 0, 0, 0, 0, 0, 1, -1, 1, 1]], hero.skeleton.rest]).astype(np.float64)
    mirrored = lissom.Skeleton(names, parents, rest)
    # Left and right of the mirrored body are exchanged.
    swapped = {}
    for role, joint in lissom.roles(hero).joints.items():
        other = role.replace("left", "*").replace("right", "left").replace("*", "right")
        swapped[role] = (joint, lissom.roles(hero)[other])
    poses = hero.clips["walk"].sample(np.linspace(0, 1, 8)).astype(np.float64)
    result = lissom.Retarget(hero.skeleton, mirrored, swapped, feet=False).poses(poses)
    ours, theirs = hero.skeleton.positions(poses), mirrored.positions(result)[:, 1:]
    for role, (joint, partner) in swapped.items():
        a, b = hero.skeleton.index(joint), hero.skeleton.index(partner)
        assert np.abs(ours[:, a] - theirs[:, b]).max() < 1e-3 * hero.size, role


def test_batches_and_precisions():
    hero, child = samples.humanoid(), samples.humanoid("child")
    retarget = lissom.Retarget(hero, child)
    poses = hero.clips["walk"].sample(np.linspace(0, 1.1, 66).reshape(2, 3, 11))
    whole = retarget.poses(poses)
    assert whole.shape == (2, 3, 11, 34, 10)
    assert whole.dtype == np.float32
    np.testing.assert_array_equal(retarget.poses(poses[1, 2]), whole[1, 2])
    one = retarget.poses(poses[1, 2, 5])
    np.testing.assert_allclose(one, whole[1, 2, 5], atol=2e-6)
    precise = retarget.poses(poses.astype(np.float64))
    assert precise.dtype == np.float64
    np.testing.assert_allclose(child.skeleton.positions(precise), child.skeleton.positions(whole), atol=5e-5)
    assert retarget.poses(poses[:0]).shape == (0, 3, 11, 34, 10)


def test_poses_are_written_where_told():
    hero, child = samples.humanoid(), samples.humanoid("child")
    retarget = lissom.Retarget(hero, child)
    poses = hero.clips["walk"].sample([0.1, 0.2, 0.3])
    expected = retarget.poses(poses)
    spread = np.zeros((6, 34, 10), np.float32)[::2]
    assert retarget.poses(poses, out=spread) is spread
    np.testing.assert_array_equal(spread, expected)
    given = poses.copy()
    np.testing.assert_array_equal(retarget.poses(given, out=given), expected)
    broken = poses.copy()
    broken[2, 4, 0] = np.nan
    with pytest.raises(ValueError, match="finite"):
        retarget.poses(broken, out=spread)
    np.testing.assert_array_equal(spread, expected)
    with pytest.raises(ValueError, match=r"out must have shape \(3, 34, 10\), got \(6, 34, 10\)"):
        retarget.poses(poses, out=np.zeros((6, 34, 10), np.float32))
    with pytest.raises(TypeError, match="out must be an array of float32, got float64"):
        retarget.poses(poses, out=np.zeros((3, 34, 10)))


def test_joints_without_a_role_stay_at_rest_and_are_named():
    hero = samples.humanoid()
    found = lissom.roles(hero, {"leftHand": None, "head": None})
    kept = {role: (joint, joint) for role, joint in found.joints.items()}
    retarget = lissom.Retarget(hero, hero, kept, feet=False)
    named = set(retarget.report.at_rest)
    assert {"Hand.L", "Head"} <= named
    poses = retarget.poses(hero.clips["walk"].sample([0.2, 0.4]))
    for name in named:
        joint = hero.skeleton.index(name)
        np.testing.assert_array_equal(poses[:, joint], np.tile(hero.skeleton.rest[joint], (2, 1)))


def test_quaternions_of_the_result_are_unit():
    hero, child = samples.humanoid(), samples.humanoid("child")
    result = lissom.Retarget(hero, child).poses(hero.clips["walk"].sample(np.linspace(0, 1, 30)))
    assert np.abs(np.linalg.norm(result[..., 3:7], axis=-1) - 1).max() < 1e-6
    assert np.isfinite(result).all()
    assert quat.angle_between(result[0, 0, 3:7], result[1, 0, 3:7]) < 0.2


def walk(character, frames=40):
    clip = character.clips["walk"]
    return clip.sample(np.linspace(0, 1, frames)).astype(np.float64)


def test_feet_that_rest_turned_stand_where_the_source_s_do():
    """Toes that point outwards at rest are turned to point where the source's do; so are their soles."""
    hero = samples.humanoid()
    turned = {
        f"Foot.{side}": Rotation.from_euler("y", sign * 25, degrees=True)
        for side, sign in (("L", 1), ("R", -1))
    }
    other = reshaped(hero.skeleton, 7, turned)
    roles = lissom.roles(hero)
    names = other.names(hero.skeleton, roles.joints)
    poses = walk(hero)
    result = lissom.Retarget(hero.skeleton, other.skeleton, names).poses(poses)
    joints = [hero.skeleton.index(name) for name in roles.joints.values()]
    angle, place = errors(hero.skeleton, other, poses, result, joints, joints)
    assert angle < ANGLE
    assert place < PLACE


def limb_bends(skeleton, roles, poses, limb):
    """By frame and side: which way the middle joint is from the line between the ends, in bone lengths."""
    places = skeleton.positions(np.asarray(poses, np.float64))
    bends = []
    for side in ("left", "right"):
        upper, middle, end = (places[:, skeleton.index(roles[side + bone])] for bone in limb)
        line = (end - upper) / np.linalg.norm(end - upper, axis=1, keepdims=True)
        bend = (middle - upper) - np.sum((middle - upper) * line, axis=1, keepdims=True) * line
        bends.append(bend / np.linalg.norm(middle - upper, axis=1, keepdims=True))
    return np.array(bends)


@pytest.mark.parametrize("degrees", [0.0, 3.0])
def test_limbs_that_rest_straight_bend_as_the_source_s(degrees):
    """A rest pose that is straight, or bent by a little, says nothing about knees and elbows."""
    hero = samples.humanoid()
    roles = lissom.roles(hero).joints
    places = hero.skeleton.positions(hero.skeleton.rest).astype(np.float64)
    turned = {}
    for side in ("left", "right"):
        for limb in (("UpperLeg", "LowerLeg", "Foot"), ("UpperArm", "LowerArm", "Hand")):
            upper, lower, end = (places[hero.skeleton.index(roles[side + bone])] for bone in limb)
            straight, _ = Rotation.align_vectors([lower - upper], [end - lower])
            # Knees and elbows beyond straight.
            axis = -np.cross(lower - upper, [0, 0, -1.0 if limb[0] == "UpperLeg" else 1.0])
            beyond = np.radians(degrees) * axis / np.linalg.norm(axis)
            turned[roles[side + limb[1]]] = Rotation.from_rotvec(beyond) * straight
    other = reshaped(hero.skeleton, 4, turned)
    names = other.names(hero.skeleton, roles)
    own = {role: name for role, (_, name) in names.items()}
    clip = hero.clips["run"]
    poses = clip.sample(np.linspace(0, clip.duration, 40)).astype(np.float64)
    result = lissom.Retarget(hero.skeleton, other.skeleton, names).poses(poses)
    for limb in (("UpperLeg", "LowerLeg", "Foot"), ("UpperArm", "LowerArm", "Hand")):
        wanted = limb_bends(hero.skeleton, roles, poses, limb)
        found = limb_bends(other.skeleton, own, result, limb)
        clear = np.linalg.norm(wanted, axis=-1) > 0.1
        assert clear.any()
        lengths = np.linalg.norm(wanted, axis=-1) * np.linalg.norm(found, axis=-1)
        cosines = np.sum(wanted * found, axis=-1)[clear] / lengths[clear]
        assert cosines.min() > 0.9


def test_uneven_scales_above_a_limb_give_it_no_goal():
    """Also where another root comes before the body in the skeleton."""
    hero = samples.humanoid()
    rest = np.concatenate([hero.skeleton.rest[:1], hero.skeleton.rest[:1], hero.skeleton.rest])
    rest[:2] = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1]
    rest[1, 8] = 2
    parents = [-1, -1, *np.where(hero.skeleton.parents < 0, 1, hero.skeleton.parents + 2)]
    uneven = lissom.Skeleton(["other", "wrapper", *hero.skeleton.names], parents, rest)
    roles = {role: (joint, joint) for role, joint in lissom.roles(hero).joints.items()}
    report = lissom.Retarget(hero.skeleton, uneven, roles).report
    assert set(report.without_goals) == {"leftFoot", "rightFoot", "leftHand", "rightHand"}
    assert all("scaled" in reason for reason in report.without_goals.values())


def test_animals_whose_up_is_another_axis():
    fox = lissom.load(asset("characters/khronos/Fox.glb"))
    turn = Rotation.from_euler("x", 90, degrees=True)
    rest = fox.skeleton.rest.astype(np.float64)
    for root in np.flatnonzero(fox.skeleton.parents < 0):
        rest[root, :3] = turn.apply(rest[root, :3])
        rest[root, 3:7] = (turn * Rotation.from_quat(rest[root, 3:7])).as_quat()
    lying = lissom.Skeleton(fox.skeleton.names, fox.skeleton.parents, rest)
    found = lissom.roles(fox)
    roles = {role: (joint, joint) for role, joint in found.joints.items()}
    joints = [fox.skeleton.index(joint) for joint in found.joints.values()]
    poses = turning_poses(fox.skeleton, joints[:6], 2)
    result = lissom.Retarget(fox.skeleton, lying, roles, feet=False).poses(poses)
    wanted = fox.skeleton.positions(poses) @ turn.as_matrix().T
    apart = np.linalg.norm(lying.positions(result) - wanted, axis=-1)[:, joints]
    assert apart.max() < PLACE * fox.skeleton.size


def test_a_body_with_a_level_trunk_stands_on_its_legs():
    """A dinosaur's neck and head are before its hips, not above them."""
    hero = samples.humanoid()
    rest = hero.skeleton.rest.astype(np.float64)
    spine = hero.skeleton.index("Spine")
    forward = Rotation.from_euler("x", 80, degrees=True)
    rest[spine, 3:7] = (forward * Rotation.from_quat(rest[spine, 3:7])).as_quat()
    level = lissom.Skeleton(hero.skeleton.names, hero.skeleton.parents, rest)
    roles = {role: (joint, joint) for role, joint in lissom.roles(hero).joints.items()}
    result = lissom.Retarget(hero.skeleton, level, roles, feet=False).poses(walk(hero))
    places, expected = level.positions(result), hero.skeleton.positions(walk(hero))
    legs = [level.index(roles[side + bone][0]) for side in ("left", "right") for bone in ("UpperLeg", "Foot")]
    assert np.abs(places - expected)[:, legs].max() < 1e-3 * hero.size


def test_hands_that_rest_rolled_are_turned_back_by_their_knuckles():
    hero = samples.humanoid()
    turned = {
        f"Hand.{side}": Rotation.from_euler("x", sign * 35, degrees=True)
        for side, sign in (("L", 1), ("R", -1))
    }
    other = reshaped(hero.skeleton, 9, turned)
    roles = lissom.roles(hero)
    names = other.names(hero.skeleton, roles.joints)
    poses = walk(hero)
    result = lissom.Retarget(hero.skeleton, other.skeleton, names).poses(poses)
    joints = [hero.skeleton.index(name) for name in roles.joints.values()]
    angle, place = errors(hero.skeleton, other, poses, result, joints, joints)
    assert angle < ANGLE
    assert place < PLACE


def test_travel_is_carried_over_alike_in_poses_and_as_root_motion():
    """Of a walk in an eight, which turns all the way round."""
    source = lissom.load(asset("wild/retarget/bvh/AV_8Walk_Meredith_HVHA_Rep1.bvh"))
    hero = samples.humanoid()
    clip = next(iter(source.clips.values()))
    retarget = lissom.Retarget(source, hero)
    travelling = retarget.clip(clip)
    extracted = retarget.clip(clip.extract_root_motion()).restore_root_motion()
    times = np.linspace(travelling.start, travelling.end, 60)
    places, others = (hero.skeleton.positions(each.sample(times)) for each in (travelling, extracted))
    # Stances are found of either, and their ends differ by a frame.
    assert np.linalg.norm(places - others, axis=-1).max() < 6e-3 * hero.size
