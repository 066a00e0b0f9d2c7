# SPDX-License-Identifier: MIT
"""Clips on other bodies: feet, hands, ground, markers, loops, root motion; measured apart from the report."""

import json

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import lissom
from conftest import ASSETS, asset
from lissom import samples

SLIDE = 1.0  # % of leg length a second that feet may slide more than the source's
DEPTH = 0.5  # % of the size that soles may be in the ground
REACH = 5.0  # % of arm length
PAIRS = [
    ("bvh/dab.bvh", "dab", "characters/kaykit/Knight.glb"),
    ("bvh/zombie.bvh", "zombie", "characters/kaykit/Knight.glb"),
    ("bvh/jumping_jacks.bvh", "jumping_jacks", "wild/retarget/quaternius/Animated Woman.glb"),
    ("bvh/01_01.bvh", "01_01", "wild/retarget/packt/Woman.gltf"),
    ("wild/retarget/packt/Woman.gltf", "Walking", "characters/kaykit/Knight.glb"),
    (
        "wild/retarget/quaternius/Animated Base Character.glb",
        "Rig|Walk_Loop",
        "wild/retarget/packt/Woman.gltf",
    ),
    ("wild/retarget/packt/Woman.gltf", "Running", "sample"),
]


def character(name):
    return samples.humanoid() if name == "sample" else lissom.load(asset(name))


def clip_of(who, name):
    """Return a clip by the last part of its name."""
    return next(clip for clip in who.clips.values() if clip.name.split("|")[-1] == name)


def keys(clip):
    """Return the times of the keys of a clip that is sampled at regular times."""
    return np.linspace(clip.start, clip.end, round(clip.duration * clip.key_rate) + 1)


def legs_of(who):
    """Return legs by role, as foot placement takes them."""
    roles = lissom.roles(who)
    names = who.skeleton.names
    legs = []
    for side in ("left", "right"):
        foot = roles[side + "Foot"]
        ankle = foot
        if not who.skeleton.is_in_hierarchy(foot, roles[side + "LowerLeg"]):
            below = [
                n
                for n in names
                if n != roles[side + "LowerLeg"] and who.skeleton.is_in_hierarchy(n, roles[side + "LowerLeg"])
            ]
            ankle = below[-1]
        legs.append(
            lissom.ik.Leg(
                roles[side + "UpperLeg"],
                roles[side + "LowerLeg"],
                ankle,
                roles.joints.get(side + "Toes"),
                foot=None if ankle == foot else foot,
                name=side,
            )
        )
    return legs


def leg_length(who):
    roles, places = lissom.roles(who), who.skeleton.positions(who.skeleton.rest.astype(np.float64))
    bones = [places[roles.index(f"left{bone}")] for bone in ("UpperLeg", "LowerLeg", "Foot")]
    return np.linalg.norm(np.diff(bones, axis=0), axis=1).sum()


def slide(who, clip, stands, times, ground):
    """Return how fast the lowest vertices of feet move over the ground in stances, % of a leg a second."""
    poses = clip.sample(times, loop=False)
    vertices = who.deform(poses).astype(np.float64)
    feet = [who.skeleton.mask(leg.foot or leg.ankle) > 0 for leg in legs_of(who)]
    joints = np.asarray(who.skin.joints)[who.mesh.indices]
    total, count = 0.0, 0
    for column, foot in enumerate(feet):
        own = (who.mesh.weights * foot[joints]).sum(axis=1) > 0.5
        points = vertices[:, own]
        for frame in np.flatnonzero(stands[1:, column] & stands[:-1, column]):
            low = (points[frame, :, 1] + points[frame + 1, :, 1]) / 2
            held = low <= low.min() + 0.002 * who.size
            moved = (points[frame + 1, held] - points[frame, held]).mean(axis=0) - ground * (
                times[1] - times[0]
            )
            total += np.hypot(moved[0], moved[2])
            count += 1
    return 100 * total / count / (times[1] - times[0]) / leg_length(who) if count else 0.0


@pytest.mark.parametrize(("source", "clip", "target"), PAIRS)
def test_real_clips_on_real_characters(source, clip, target):
    first, second = character(source), character(target)
    retarget = lissom.Retarget(first, second)
    retarget.clip(first.clips[clip])
    found = retarget.report.clips[clip]
    assert found.bone_mean < 0.5
    assert found.slide <= found.source_slide + SLIDE
    assert found.penetration <= DEPTH
    assert found.reach_error <= REACH
    assert found.orientation_max < 1


def test_the_lowest_vertices_slide_no_more_than_the_source_s():
    hero, knight = samples.humanoid(), character("characters/kaykit/Knight.glb")
    retarget = lissom.Retarget(hero, knight)
    walk = retarget.clip(hero.clips["walk"])
    contacts = lissom.ik.find_contacts(hero.clips["walk"], legs_of(hero), character=hero)
    stands = contacts.curves >= 1
    times = contacts.times
    pure = lissom.Retarget(hero, knight, feet=False).clip(hero.clips["walk"])
    slides = [
        slide(who, clip, stands, times, -clip.root_motion.speed * np.array([0, 0, 1]))
        for who, clip in ((knight, walk), (hero, hero.clips["walk"]), (knight, pure))
    ]
    assert slides[0] < slides[1] + SLIDE
    assert slides[2] > 10 * slides[1]  # as feet slide that have no goals


def test_root_motion_markers_and_loop_come_along():
    hero, child = samples.humanoid(), samples.humanoid("child")
    walk = hero.clips["walk"].with_markers([(0.3, "left"), (0.8, "right")])
    retarget = lissom.Retarget(hero, child)
    carried = retarget.clip(walk)
    assert [(m.time, m.name) for m in carried.markers] == [(m.time, m.name) for m in walk.markers]
    assert carried.loop is True
    assert (carried.start, carried.end) == pytest.approx((walk.start, walk.end))
    ratio = leg_length(child) / leg_length(hero)
    assert carried.root_motion.distance == pytest.approx(ratio * walk.root_motion.distance, rel=1e-4)
    seam = child.skeleton.positions(carried.sample([carried.start, carried.end], loop=False))
    assert np.abs(seam[1] - seam[0]).max() < 1e-3 * child.size


def test_root_motion_is_in_the_directions_of_a_target_that_faces_elsewhere():
    hero = samples.humanoid()
    rest = hero.skeleton.rest.astype(np.float64)
    turn = Rotation.from_euler("y", 90, degrees=True)
    rest[0, :3] = turn.apply(rest[0, :3])
    rest[0, 3:7] = (turn * Rotation.from_quat(rest[0, 3:7])).as_quat()
    other = lissom.Skeleton(hero.skeleton.names, hero.skeleton.parents, rest)
    walk = hero.clips["walk"]
    carried = lissom.Retarget(hero.skeleton, other).clip(walk)
    ours, theirs = walk.root_motion.at([0.5])[0, :3], carried.root_motion.at([0.5])[0, :3]
    np.testing.assert_allclose(theirs, turn.apply(ours), atol=1e-5)


def test_hands_reach_as_far_with_other_proportions():
    hero, child = samples.humanoid(), samples.humanoid("child")
    retarget = lissom.Retarget(hero, child)
    for name in hero.clips:
        retarget.clip(hero.clips[name])
    assert max(clip.reach_error for clip in retarget.report.clips.values()) < REACH
    pure = lissom.Retarget(hero, child, hands=False)
    pure.clip(hero.clips["walk"])
    assert pure.report.clips["walk"].beyond.keys() == {"leftFoot", "rightFoot"}


def test_the_pelvis_is_lowered_where_a_leg_does_not_reach():
    hero = samples.humanoid()
    rest = hero.skeleton.rest.copy()
    for side in ("L", "R"):  # hips twice as wide: straight legs that stand apart end higher
        rest[hero.skeleton.index(f"UpperLeg.{side}"), 0] *= 2.0
    wide = lissom.Skeleton(hero.skeleton.names, hero.skeleton.parents, rest)
    roll = lissom.quat.from_axis_angle([0, 0, 1], 0.35)
    pose = hero.skeleton.rotate(hero.skeleton.rest.astype(np.float64), "Pelvis", roll, space="model")
    result, pure = (lissom.Retarget(hero.skeleton, wide, feet=feet).poses(pose) for feet in (True, False))
    source, ours, without = (
        body.positions(each) for body, each in ((hero.skeleton, pose), (wide, result), (wide, pure))
    )
    pelvis = hero.skeleton.index("Pelvis")
    feet = [hero.skeleton.index(f"Foot.{side}") for side in ("L", "R")]
    assert ours[pelvis, 1] < source[pelvis, 1] - 0.01 * hero.size
    np.testing.assert_allclose(ours[feet, 1], source[feet, 1], atol=1e-4 * hero.size)
    assert np.abs(without[feet, 1] - source[feet, 1]).min() > 0.01 * hero.size


def same_motion():
    """Clips that exist on two rigs: files and names."""
    table = ASSETS / "wild" / "wild.json"
    if not table.exists():
        return []
    pairs = json.loads(table.read_text())["same_motion"]
    return [
        (pair["a"], pair["b"], [clip["clip"] for clip in pair["clips"] if clip["grade"] == "same"])
        for pair in pairs
        if "compressed" not in pair["a"] + pair["b"] and "kaykit" in pair["a"]
    ]


@pytest.mark.parametrize(("first", "second", "clips"), same_motion())
def test_motion_that_its_authors_made_for_both(first, second, clips):
    one, two = lissom.load(asset(first)), lissom.load(asset(second))
    retarget = lissom.Retarget(one, two, feet=False)
    joints = [two.skeleton.index(name) for name in lissom.roles(two).joints.values()]
    hips = lissom.roles(two).index("hips")
    size = np.ptp(two.skeleton.positions(two.skeleton.rest), axis=0).max()
    for name in clips:
        ours_clip, theirs_clip = clip_of(one, name), clip_of(two, name)
        phases = np.linspace(0, 0.999, 12)
        ours = two.skeleton.positions(retarget.poses(ours_clip.at(phases)))
        theirs = two.skeleton.positions(theirs_clip.at(phases))
        # The second rig's clips leave out the translation of the hips.
        ours, theirs = (each - each[:, hips, None] for each in (ours, theirs))
        assert np.linalg.norm(ours - theirs, axis=-1)[:, joints].mean() < 0.03 * size, name


def test_a_report_prints_and_is_json():
    hero, child = samples.humanoid(), samples.humanoid("child")
    retarget = lissom.Retarget(hero, child)
    retarget.clip(hero.clips["walk"])
    lines = str(retarget.report).splitlines()
    assert lines[0].startswith("34 roles, lengths times 0.58")
    assert any(line.startswith("walk: bones ") for line in lines)
    read = json.loads(retarget.report.to_json())
    assert read["clips"]["walk"]["worst_bone"] in read["roles"]
    assert read["scale"] == retarget.report.scale
    assert "RetargetReport" in retarget.report._repr_html_()


@pytest.mark.parametrize(
    "animal", ["quaternius/animals_pack/Horse", "quaternius/animals_pack/Wolf", "khronos/Fox"]
)
def test_animals_on_four_legs(animal):
    dog = lissom.load(asset("wild/retarget/quaternius/Husky.glb"))
    other = lissom.load(asset(f"characters/{animal}.glb"))
    retarget = lissom.Retarget(dog, other)
    walk = retarget.clip(clip_of(dog, "Walk"))
    assert retarget.report.clips[walk.name].bone_mean < 0.5


def test_legs_that_end_with_the_knee_reach_the_feet_beside_them():
    hero, robot = samples.humanoid(), lissom.load(asset("wild/retarget/quaternius/Mike.glb"))
    retarget = lissom.Retarget(hero, robot)
    walk = retarget.clip(hero.clips["walk"])
    assert walk.skeleton is robot.skeleton
    found = retarget.report.clips["walk"]
    assert found.slide < found.source_slide + SLIDE
    assert set(found.beyond) == {"leftFoot", "rightFoot", "leftHand", "rightHand"}
    knees, feet = (
        [robot.skeleton.index(f"{name}.{side}") for side in ("L", "R")] for name in ("LowerLeg", "Foot")
    )
    shins = [
        np.linalg.norm(places[..., knees, :] - places[..., feet, :], axis=-1)
        for places in map(
            robot.skeleton.positions, (walk.sample(keys(walk), loop=False), robot.skeleton.rest)
        )
    ]
    np.testing.assert_allclose(shins[0] / shins[1], 1, atol=1e-3)


def test_motion_of_a_body_whose_legs_end_with_the_knee():
    robot, hero = lissom.load(asset("wild/retarget/quaternius/Mike.glb")), samples.humanoid()
    poses = clip_of(robot, "Walk").sample([0.1, 0.6])
    result = lissom.Retarget(robot, hero).poses(poses)
    assert result.shape == (2, len(hero.skeleton), 10)
    ratio = leg_length(hero) / leg_length(robot)
    ours, theirs = (
        who.skeleton.positions(each)[:, [who.skeleton.index("Foot.L"), who.skeleton.index("Foot.R")]]
        for who, each in ((hero, result), (robot, poses))
    )
    stride = (ours[:, 0] - ours[:, 1])[:, 2]
    assert stride == pytest.approx(ratio * (theirs[:, 0] - theirs[:, 1])[:, 2], abs=0.15 * leg_length(hero))


def test_goals_are_solved_within_limits():
    hero, child = samples.humanoid(), samples.humanoid("child")
    stiff = lissom.ik.Hinge.from_rest(0.0, 0.4)
    limits = {"leftLowerLeg": stiff, "LowerLeg.R": stiff}
    retarget = lissom.Retarget(hero, child, limits=limits)
    walk, run = (retarget.clip(hero.clips[name]) for name in ("walk", "run"))
    for clip in (walk, run):
        poses = clip.sample(keys(clip), loop=False)
        for name in ("LowerLeg.L", "LowerLeg.R"):
            assert lissom.ik.excess(stiff, child.skeleton, name, poses).max() < 1e-3
    free = lissom.Retarget(hero, child)
    free.clip(hero.clips["run"])
    kept = retarget.report.clips["run"].beyond["leftFoot"] - free.report.clips["run"].beyond["leftFoot"]
    assert kept > 5


def test_limits_learned_of_whole_limbs_will_do():
    """Those of hands and feet among them, whose rotations are the source's."""
    hero, child = samples.humanoid(), samples.humanoid("child")
    learned = lissom.ik.learn_limits(child.skeleton, child.clips.values(), ["leftLeg", "rightArm"])
    assert {"Foot.L", "Hand.R"} & set(learned)
    lissom.Retarget(hero, child, limits=learned)


def test_hips_are_where_legs_of_other_proportions_stand():
    """Rotations alone put the soles of a toy with short legs on its ground."""
    hero, knight = samples.humanoid(), lissom.load(asset("characters/kaykit/Knight.glb"))
    pose = lissom.Retarget(hero, knight, feet=False).poses(hero.skeleton.rest)
    ground = knight.deform(knight.skeleton.rest)[:, 1].min()
    assert abs(knight.deform(pose)[:, 1].min() - ground) < 0.005 * knight.size


def test_a_recording_above_its_ground_is_put_onto_it():
    hero, child = samples.humanoid(), samples.humanoid("child")
    walk = hero.clips["walk"]
    poses = walk.sample(keys(walk), loop=False)
    poses[:, 0, 1] += 0.03  # metres: soles that the recording knows too thick
    raised = lissom.Clip.from_poses(hero.skeleton, keys(walk), poses, name="raised", loop=True)
    retarget = lissom.Retarget(hero, child)
    lowest = [
        child.deform(retarget.clip(clip).sample(keys(clip), loop=False))[..., 1].min()
        for clip in (walk, raised)
    ]
    assert lowest[1] == pytest.approx(lowest[0], abs=0.002 * child.size)


def test_feet_of_other_places_than_their_shins_are_followed_and_not_left_out():
    robot = lissom.load(asset("characters/gdquest/gdbot.glb"))
    retarget = lissom.Retarget(robot, samples.humanoid())
    retarget.clip(robot.clips["walk"])
    pure = lissom.Retarget(robot, samples.humanoid(), feet=False)
    pure.clip(robot.clips["walk"])
    assert retarget.report.clips["walk"].left_out < 0.1 < pure.report.clips["walk"].left_out


def with_joint(who, name, like, weights_of=()):
    """The character with another root joint where `like` is, which takes over the vertices of joints."""
    skeleton, skin, mesh = who.skeleton, who.skin, who.mesh
    matrix = skeleton.model_matrices(skeleton.rest.astype(np.float64))[skeleton.index(like)]
    row = [*matrix[:3, 3], *Rotation.from_matrix(matrix[:3, :3]).as_quat(), 1, 1, 1]
    other = lissom.Skeleton(
        [*skeleton.names, name], [*skeleton.parents, -1], np.concatenate([skeleton.rest, [row]])
    )
    bind = skin.joint_from_bind[np.flatnonzero(skin.joints == skeleton.index(like))[:1]]
    joints = np.append(skin.joints, len(skeleton))
    indices = mesh.indices.astype(np.int64)
    for joint in weights_of:
        indices[skin.joints[indices] == skeleton.index(joint)] = len(skin)
    return lissom.Character(
        "other",
        other,
        mesh.with_weights(indices, mesh.weights),
        lissom.Skin(joints, np.concatenate([skin.joint_from_bind, bind])),
    )


def test_deforming_joints_beside_the_body_move_with_it():
    """Exporters part the joints that deform from those that move: the mesh must not stay behind."""
    hero = samples.humanoid()
    other = with_joint(hero, "DEF-chest", "Chest", ["Chest"])
    poses = hero.clips["run"].sample([0.1, 0.3, 0.5])
    retarget = lissom.Retarget(hero, other)
    assert "DEF-chest" not in retarget.report.at_rest
    moved = other.deform(retarget.poses(poses))
    np.testing.assert_allclose(moved, hero.deform(poses), atol=2e-4 * hero.size)


def test_a_hinted_joint_of_the_spine_beside_its_line_moves_with_the_body():
    hero = samples.humanoid()
    other = with_joint(hero, "DEF-chest", "Chest", ["Chest"])
    retarget = lissom.Retarget(hero, other, ({}, {"spine": "DEF-chest"}))
    poses = retarget.poses(hero.clips["run"].sample([0.1, 0.3]))
    places, expected = (who.skeleton.positions(each) for who, each in ((other, poses), (hero, poses[:, :-1])))
    beside = places[:, -1] - expected[:, hero.skeleton.index("Chest")]
    assert np.linalg.norm(beside, axis=-1).max() < 0.1 * hero.size


def test_bind_matrices_that_exporters_fill_in_are_no_pose():
    """Joints without vertices that are all bound at the origin stand where they rest."""
    hero = samples.humanoid()
    trunk = ["Spine", "Chest", "UpperChest"]
    other = hero
    for joint in trunk:
        other = with_joint(other, f"DEF-{joint}", joint, [joint])
    rows = [np.flatnonzero(other.skin.joints == other.skeleton.index(joint))[0] for joint in trunk]
    binds = other.skin.joint_from_bind.copy()
    binds[rows] = np.eye(4)
    filled = lissom.Character("filled", other.skeleton, other.mesh, lissom.Skin(other.skin.joints, binds))
    poses = hero.clips["walk"].sample([0.1, 0.3, 0.5])
    plain, odd = (lissom.Retarget(hero, who, target_pose="bind").poses(poses) for who in (other, filled))
    places, expected = filled.skeleton.positions(odd), other.skeleton.positions(plain)
    assert np.abs(places - expected).max() < 1e-3 * hero.size


def test_a_recording_below_its_ground_is_lifted():
    """Also by more than a step: no motion is in the ground."""
    hero, child = samples.humanoid(), samples.humanoid("child")
    clip = hero.clips["idle"]
    times = np.linspace(0, clip.duration, 40)
    poses = clip.sample(times)
    poses[:, 0, 1] -= 0.5
    sunk = lissom.Clip.from_poses(hero.skeleton, times, poses, name="sunk")
    retarget = lissom.Retarget(hero, child)
    carried = retarget.clip(sunk)
    lowest = child.deform(carried.sample(times))[..., 1].min(axis=1)
    assert np.abs(lowest).max() < 0.01 * child.size


def test_clips_of_one_name_are_measured_anew():
    hero, child = samples.humanoid(), samples.humanoid("child")
    retarget = lissom.Retarget(hero, child)
    retarget.clip(hero.clips["walk"])
    first = retarget.report.clips["walk"]
    assert retarget.report.clips["walk"] is first
    run = hero.clips["run"]
    retarget.clip(lissom.Clip.from_poses(hero.skeleton, [0, 0.3], run.sample([0, 0.3]), name="walk"))
    assert retarget.report.clips["walk"].bones != first.bones


def test_feet_on_a_treadmill_do_not_slide():
    """The ground goes back below a walk on the spot, in the lengths and directions of each body."""
    hero, child = samples.humanoid(), samples.humanoid("child")
    walk = hero.clips["walk"]
    on_the_spot = lissom.Clip.from_poses(
        hero.skeleton, keys(walk), walk.sample(keys(walk), loop=False), name="spot", loop=True
    )
    retarget = lissom.Retarget(hero, child)
    retarget.clip(on_the_spot)
    found = retarget.report.clips["spot"]
    assert found.source_slide < 5
    assert found.slide < 5
    assert found.stance_share > 50
