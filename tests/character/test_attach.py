# SPDX-License-Identifier: MIT
"""Props that follow joints."""

import pickle

import numpy as np
import pytest

import lissom
from conftest import asset
from morphed_characters import faced
from props import FAR, blade, expected, linear, matrix, whip
from random_rigs import random_clip, random_poses, random_skeleton
from vrm_avatars import avatar
from vrm_files import VRM1, vrm_text

OFFSET = np.array([0.1, -0.2, 0.3, *(np.array([1, 2, 3, 4]) / np.sqrt(30)), 0.5, 0.5, 0.5])
RIGS = {  # whose joints have axes that are not the model's, and scales
    "characters/kaykit/Knight.glb": "handslot.r",
    "characters/quaternius/animals_pack/Wolf.glb": "Head",  # joints scaled by 100
    "characters/quaternius/cyberpunk_pack/Enemy_2Legs.glb": None,  # scales of clips pass through 0
    "characters/quaternius/modular_men/Worker.glb": "rightHand",
    "characters/godot/player.glb": "head",  # scaled by 0.3
    "characters/khronos/CesiumMan.glb": "rightHand",
    "characters/quaternius/mech_pack/George.glb": "rightHand",
    "wild/retarget/packt/Woman.gltf": "rightHand",
}


@pytest.fixture(scope="module")
def hero():
    return lissom.samples.humanoid()


def rigged(rng, scale=1.0):
    """A random scaled skeleton with a mesh, and clips of all kinds of tracks."""
    skeleton = random_skeleton(rng, 8, scaled=True)
    rest = skeleton.rest.copy()
    rest[skeleton.parents < 0, 7:] *= scale
    skeleton = lissom.Skeleton(skeleton.names, skeleton.parents, rest)
    points = rng.normal(size=(30, 3))
    mesh = lissom.Mesh(points, np.arange(30).reshape(-1, 3), rng.integers(0, 8, (30, 1)), np.ones((30, 1)))
    skin = lissom.Skin(np.arange(8), np.broadcast_to(np.eye(4), (8, 4, 4)))
    return lissom.Character("rig", skeleton, mesh, skin, [random_clip(rng, skeleton)])


@pytest.mark.parametrize("scale", [1.0, 0.01])
@pytest.mark.parametrize("seed", range(4))
def test_a_mesh_stands_where_joint_and_offset_put_it(seed, scale):
    rng = np.random.default_rng(seed)
    rig, prop = rigged(rng, scale), blade()
    joint = rig.skeleton.names[int(rng.integers(8))]
    offset = random_poses(rng)
    armed = lissom.attach(rig, joint, prop, offset)
    count, pose = rig.mesh.vertex_count, random_poses(rng, len(armed.skeleton))
    pose[8:] = armed.skeleton.rest[8:]
    vertices = armed.deform(pose)
    want = expected(rig, pose, joint, matrix(offset), prop.positions.astype(float))
    assert np.abs(vertices[count:] - want).max() < FAR * np.abs(want).max()
    np.testing.assert_array_equal(vertices[:count], rig.deform(pose[:8]))
    want = expected(rig, rig.skeleton.rest, joint, matrix(offset), prop.positions.astype(float))
    assert np.abs(armed.mesh.positions[count:] - want).max() < FAR * np.abs(want).max()  # where it rests
    assert armed.skeleton.names[8:] == ("prop",)
    assert armed.skeleton.parents[8] == rig.skeleton.index(joint)


@pytest.mark.parametrize("file", RIGS)
def test_props_follow_joints_of_foreign_rigs(file):
    rig, prop = lissom.load(asset(file)), whip()
    joint = RIGS[file] or rig.skeleton.names[-1]
    size = 0.2 * rig.size
    offset = lissom.trs.from_parts([0, 0.1 * size, 0], OFFSET[3:7], [size] * 3)
    armed = lissom.attach(rig, joint, prop, offset, space="joint_unscaled")
    joint = armed.skeleton.names[armed.skeleton.parents[armed.skeleton.index("whip")]]
    models = rig.skeleton.model_matrices(rig.skeleton.rest.astype(float))
    scale = np.diag([*(1 / np.linalg.norm(models[rig.skeleton.index(joint)][:3, :3], axis=0)), 1])
    count = rig.mesh.vertex_count
    moments = [armed.skeleton.rest, *(clip.at(0.3) for clip in list(armed.clips.values())[:3])]
    for pose in moments:
        pose = np.array(pose, np.float64)
        own = linear(prop, pose[len(rig.skeleton) + 1 :])
        morphed = prop.deform(pose[len(rig.skeleton) + 1 :], "linear") - linear(
            prop, pose[len(rig.skeleton) + 1 :]
        )  # what defaults of morph targets add
        want = expected(rig, pose, joint, scale @ matrix(offset), own + morphed)
        got = armed.deform(pose, "linear")
        assert np.abs(got[count:] - want).max() < FAR * armed.size
        np.testing.assert_array_equal(got[:count], rig.deform(pose[: len(rig.skeleton)], "linear"))


def test_offsets_as_trs_dual_quaternion_and_matrix_are_the_same(hero):
    rigid = np.array([*OFFSET[:7], 1, 1, 1])
    forms = (rigid, lissom.dual_quat.from_trs(rigid), lissom.trs.to_matrix(rigid))
    pose = hero.clips["walk"].sample(0.2)
    one, *others = (lissom.attach(hero, "Hand.R", blade(), form) for form in forms)
    full = np.concatenate([pose, one.skeleton.rest[len(pose) :]])
    for other in others:
        np.testing.assert_allclose(other.deform(full), one.deform(full), atol=1e-6)


def test_in_model_space_a_prop_stays_where_it_was_modelled(hero):
    worn = lissom.attach(hero, "Head", blade(), space="model")
    count = hero.mesh.vertex_count
    np.testing.assert_allclose(worn.deform(worn.skeleton.rest)[count:], blade().positions, atol=1e-6)
    place = lissom.trs.from_parts([1, 2, 3], OFFSET[3:7], [2, 2, 2])
    worn = lissom.attach(hero, "Hand.R", blade(), place, space="model")
    moved = blade().positions @ matrix(place)[:3, :3].T + place[:3]
    np.testing.assert_allclose(worn.deform(worn.skeleton.rest)[count:], moved, atol=1e-5)


def test_joints_are_meant_by_name_index_or_role(hero):
    index = hero.skeleton.index("Hand.R")
    for joint in ("Hand.R", "hand.r", "HAND.R", index, np.int32(index), "rightHand"):
        armed = lissom.attach(hero, joint, blade())
        assert armed.skeleton.parents[-1] == index
    with pytest.raises(ValueError, match="attach: joint: no joint is named 'Spin'; did you mean 'Spine'"):
        lissom.attach(hero, "Spin", blade())
    with pytest.raises(ValueError, match="attach: joint: no joint is named 'arm'; did you mean 'UpperArm"):
        lissom.attach(hero, "arm", blade())  # several joints
    side = r"attach: joint: 'hand' must say its side, as 'hand\.l' and 'hand\.r' do$"
    with pytest.raises(ValueError, match=side):
        lissom.attach(hero, "hand", blade())
    wolf = lissom.load(asset("characters/quaternius/animals_pack/Wolf.glb"))
    which = r"'foot\.l' must say which of four legs it is, .*; name 'leftForeFoot' or 'leftHindFoot'$"
    with pytest.raises(ValueError, match=f"attach: joint: {which}"):
        lissom.attach(wolf, "foot.l", blade())
    green = lissom.load(asset("characters/raylib/greenman.glb"))  # whose arms are of one joint, so of no role
    armed = lissom.attach(green, "hand.r", blade())
    assert armed.skeleton.names[armed.skeleton.parents[-1]] == "hand_R"
    knight = lissom.load(asset("characters/kaykit/Knight.glb"))
    armed = lissom.attach(knight, "hand.r", blade())
    assert knight.skeleton.names[armed.skeleton.parents[-1]] in ("hand.r", lissom.roles(knight)["rightHand"])


def test_what_a_prop_brings_has_its_name_before_it(hero):
    armed = lissom.attach(faced(hero), "Hand.R", whip())
    own = len(hero.skeleton)
    assert armed.skeleton.names == (*hero.skeleton.names, "whip", "whip/link 0", "whip/link 1", "whip/link 2")
    assert armed.skeleton.parents[own:].tolist() == [hero.skeleton.index("Hand.R"), own, own + 1, own + 2]
    assert [part.name for part in armed.mesh.parts[-2:]] == ["whip/lash", "whip/knot"]
    assert [part.unlit for part in armed.mesh.parts[-2:]] == [False, True]
    assert armed.mesh.parts[-2].base_color == (1, 0, 0, 1)
    assert list(armed.clips) == [*hero.clips, "whip/crack"]
    assert armed.mesh.morphs.names[-2:] == ("whip/lash/curl", "whip/lash/smile")
    assert armed.expressions.names == ("whip/happy",)
    twice = lissom.attach(armed, "Hand.L", whip())
    assert "whip_2/link 0" in twice.skeleton.names
    assert "whip_2/crack" in twice.clips
    named = lissom.attach(hero, "Hand.R", whip(), name="rope")
    assert named.skeleton.names[own] == "rope"
    unarmed = twice.without("whip", "whip_2")
    assert unarmed.mesh.vertex_count == hero.mesh.vertex_count


def test_clips_move_what_they_moved(hero):
    face, prop = faced(hero), whip()
    armed = lissom.attach(face, "Hand.R", prop)
    own = len(hero.skeleton)
    times = np.linspace(0, 1, 7)
    for name, clip in hero.clips.items():
        longer = armed.clips[name]
        assert (longer.loop, longer.start, longer.end) == (clip.loop, clip.start, clip.end)
        poses = longer.sample(times)
        np.testing.assert_array_equal(poses[:, :own], clip.sample(times))
        np.testing.assert_array_equal(poses[:, own:], np.broadcast_to(armed.skeleton.rest[own:], (7, 4, 10)))
        assert longer.uniform == clip.uniform
        assert (longer.root_motion is None) == (clip.root_motion is None)
    crack, whole = prop.clips["crack"], armed.clips["whip/crack"]
    times = np.linspace(crack.start, crack.end, 9)
    poses = whole.sample(times)
    np.testing.assert_array_equal(poses[:, own + 1 :], crack.sample(times))
    np.testing.assert_array_equal(poses[:, :own], np.broadcast_to(hero.skeleton.rest, (9, own, 10)))
    assert whole.morph_names == armed.mesh.morphs.names
    np.testing.assert_array_equal(whole.morphs(times)[:, -2:], crack.morphs(times))
    assert (whole.morphs(times)[:, :-2] == face.mesh.morphs.defaults).all()


def test_clips_with_weights_of_the_character_reach_its_targets_alone(hero):
    face = faced(hero)
    names = ("face/smile", "blink", "elsewhere/none of it")
    poses = np.tile(hero.skeleton.rest, (2, 1, 1))
    weights = np.array([[0, 0, 0], [1, 2, 3.0]])
    clip = lissom.Clip.from_poses(
        hero.skeleton, [0, 1], poses, morphs=weights, morph_names=names, name="grin"
    )
    face = lissom.Character("face", face.skeleton, face.mesh, face.skin, [clip])
    grin = lissom.attach(face, "Hand.R", whip()).clips["grin"]
    got = dict(zip(grin.morph_names, grin.morphs(1.0), strict=True))
    assert (got["face/smile"], got["face/blink"], got["elsewhere/none of it"]) == (1, 2, 3)
    assert (got["whip/lash/smile"], got["whip/lash/curl"], got["hair/smile"]) == (0, 0.25, 0)


def test_morph_targets_move_the_prop_as_before(hero):
    prop = whip()
    armed = lissom.attach(faced(hero), "Hand.R", prop, OFFSET)
    count = hero.mesh.vertex_count
    pose = np.concatenate([hero.clips["wave"].sample(0.4), armed.skeleton.rest[len(hero.skeleton) :]])
    for curl, smile in ((1, 0), (-0.5, 2)):
        own = prop.deform(prop.skeleton.rest.astype(float), morphs=[curl, smile])
        weights = armed.mesh.morphs.weights({"whip/lash/curl": curl, "whip/lash/smile": smile})
        want = expected(hero, pose, "Hand.R", matrix(OFFSET), own)
        assert np.abs(armed.deform(pose, morphs=weights)[count:] - want).max() < FAR * armed.size
    # Normals: those of the prop, turned alike; its expression moves its own targets.
    own = prop.deform(prop.skeleton.rest, normals=True).normals
    place = lissom.attach(hero, "Hand.R", prop, OFFSET).deform(pose, normals=True).normals[count:]
    turn = hero.skeleton.model_matrices(pose[: len(hero.skeleton)])[hero.skeleton.index("Hand.R")][:3, :3]
    np.testing.assert_allclose(place, own @ (turn @ matrix(OFFSET)[:3, :3] / 0.5).T, atol=1e-4)
    moved = armed.expressions.weights({"whip/happy": 1.0})
    assert np.flatnonzero(moved != armed.mesh.morphs.defaults).tolist() == [6, 7]


def test_mirrors_turn_triangles_over(hero):
    mirrored = lissom.attach(hero, "Hand.R", blade(), lissom.trs.from_parts(scale=[-1, 1, 1]))
    faces = mirrored.mesh.triangles[-4:] - hero.mesh.vertex_count
    np.testing.assert_array_equal(faces, blade().triangles[:, ::-1])
    want = mirrored.mesh.computed_normals()[-4:]
    assert (np.sum(mirrored.mesh.normals[-4:] * want, axis=1) > 0.99).all()


@pytest.mark.parametrize("method", lissom.skinning.METHODS)
def test_every_method_moves_a_rigid_prop_alike(hero, method):
    painted = lissom.samples.humanoid().without()
    painted.method = method
    painted.blend = 0.5
    armed = lissom.attach(painted, "Hand.R", blade(), OFFSET)
    assert armed.method == method
    assert armed.blend.shape == (armed.mesh.vertex_count,)
    assert not armed.blend[-4:].any()
    pose = armed.clips["run"].sample(0.3)
    want = expected(hero, pose, "Hand.R", matrix(OFFSET), blade().positions.astype(float))
    assert np.abs(armed.deform(pose)[-4:] - want).max() < 2 * FAR * armed.size
    own = hero.deform(pose[: len(hero.skeleton)], method, blend=0.5 if method == "blended" else None)
    np.testing.assert_allclose(armed.deform(pose)[:-4], own, atol=1e-6)


@pytest.mark.parametrize("original_order", [False, True])
def test_prepared_characters_are_prepared_again(hero, original_order):
    armed = lissom.attach(hero.prepared(original_order), "Hand.R", whip().prepared(), OFFSET)
    plain = lissom.attach(hero, "Hand.R", whip(), OFFSET)
    assert armed.prepared_mesh.original_order == original_order
    pose = plain.clips["walk"].sample(0.1)
    low, high = (v.min(axis=0) for v in (armed.deform(pose), plain.deform(pose)))
    np.testing.assert_allclose(low, high, atol=1e-6)
    assert armed.mesh.vertex_count == plain.mesh.vertex_count
    again = lissom.attach(hero, "Hand.R", blade().prepare(), OFFSET)
    assert again.mesh.vertex_count == hero.mesh.vertex_count + 4


def test_bones_carry_props_and_props_may_be_bones(hero):
    bones = lissom.Character("bones", hero.skeleton, None, None, hero.clips)
    armed = lissom.attach(bones, "Hand.R", whip(), OFFSET)
    pose = armed.clips["walk"].sample(0.1)
    whole = lissom.attach(hero, "Hand.R", whip(), OFFSET)
    np.testing.assert_array_equal(armed.deform(pose), whole.deform(pose)[hero.mesh.vertex_count :])
    socket = lissom.Character("socket", whip().skeleton, None, None)
    longer = lissom.attach(hero, "Hand.R", socket, OFFSET)
    assert len(longer.skeleton) == len(hero.skeleton) + 4
    assert len(longer.skin) == len(hero.skin)
    bare = lissom.attach(bones, "Hand.R", socket)
    assert bare.mesh is None
    assert bare.skin is None


def test_a_prop_on_a_joint_without_size_is_moved_alike(hero):
    rest = hero.skeleton.rest.copy()
    hand = hero.skeleton.index("Hand.R")
    rest[hand, 7:] = 0
    hidden = lissom.Skeleton(hero.skeleton.names, hero.skeleton.parents, rest)
    hero = lissom.Character("hidden", hidden, hero.mesh, hero.skin)
    armed = lissom.attach(hero, "Hand.R", blade(), OFFSET)
    pose = np.concatenate([hero.skeleton.rest, armed.skeleton.rest[-1:]]).astype(np.float64)
    for scale in (0, 1, 2):
        pose[hand, 7:] = scale
        want = expected(hero, pose, "Hand.R", matrix(OFFSET), blade().positions.astype(float))
        assert np.abs(armed.deform(pose, "linear")[-4:] - want).max() < FAR * hero.size
    with pytest.raises(ValueError, match="attach: joint must have a size at rest where space is 'model'"):
        lissom.attach(hero, "Hand.R", blade(), space="model")


def test_nothing_changes_the_character_and_all_of_it_pickles(hero):
    before = len(hero.skeleton), hero.mesh.vertex_count, list(hero.clips)
    armed = lissom.attach(faced(hero), "Hand.R", whip(), OFFSET)
    assert before == (len(hero.skeleton), hero.mesh.vertex_count, list(hero.clips))
    again = pickle.loads(pickle.dumps(armed))
    np.testing.assert_array_equal(
        again.clips["whip/crack"].sample(0.3), armed.clips["whip/crack"].sample(0.3)
    )
    assert again.clips["walk"].morph_names == armed.mesh.morphs.names
    assert armed.repairs == hero.repairs


def test_avatars_keep_what_their_files_say():
    mount = lissom.load(avatar(0).glb())
    rider = lissom.load(vrm_text({"VRMC_springBone": VRM1}).encode())
    both = lissom.attach(mount, "head", rider, lissom.trs.from_parts(scale=[2, 2, 2]), name="rider")
    assert lissom.roles(both).joints == lissom.roles(mount).joints
    assert both.skeleton._stated_look_at == mount.skeleton._stated_look_at
    wanted, found = lissom.Springs(rider), lissom.Springs(both)  # every joint and collider of theirs is there
    assert len(found.chains) == len(wanted.chains) == 5
    # Simulated, theirs move as before: all lengths are twice as long.
    times, swing = np.arange(30) / 60, lissom.quat.from_axis_angle((0, 0, 1), np.linspace(0, 1, 30))
    poses = np.tile(rider.skeleton.rest.astype(np.float64), (30, 1, 1))
    poses[:, 1, 3:7] = swing
    rest = np.tile(both.skeleton.rest.astype(np.float64), (30, 1, 1))
    rest[:, -len(rider.skeleton) :] = poses
    own = lissom.Clip.from_poses(rider.skeleton, times, poses)
    theirs = lissom.Clip.from_poses(both.skeleton, times, rest)
    turned = wanted.simulate(own).sample(times)[..., 3:7]
    again = found.simulate(theirs).sample(times)[:, -len(rider.skeleton) :, 3:7]
    np.testing.assert_allclose(lissom.quat.angle_between(again, turned), 0, atol=2e-3)


def test_roles_are_found_as_without_the_prop(hero):
    assert lissom.roles(lissom.attach(hero, "Hand.R", whip())).joints == lissom.roles(hero).joints


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (("hero.glb", "Hand.R", blade()), {}, TypeError, "attach: character must be a Character, got str"),
        (
            (None, "Hand.R", "sword.glb"),
            {},
            TypeError,
            "attach: other must be a Character or a Mesh, got str",
        ),
        ((None, "Hand.R", blade(), OFFSET[:9]), {}, ValueError, r"attach: offset must have shape \(10,\)"),
        ((None, "Hand.R", blade(), np.nan * OFFSET), {}, ValueError, "attach: offset must be finite"),
        ((None, "Hand.R", blade(), 1e10 * OFFSET), {}, ValueError, "attach: offset must"),
        (
            (None, "Hand.R", blade(), 2 * OFFSET),
            {},
            ValueError,
            "attach: offset must have a rotation of unit",
        ),
        (
            (None, "Hand.R", blade(), np.ones(8)),
            {},
            ValueError,
            "attach: offset must have a rotation of unit",
        ),
        ((None, "Hand.R", blade(), np.ones((4, 4))), {}, ValueError, "attach: offset must have 0, 0, 0, 1"),
        (
            (None, "Hand.R", blade(), np.eye(4) + np.eye(4, k=1) * [0, 1, 0, 0]),
            {},
            ValueError,
            "right angles",
        ),
        (
            (None, 34, blade()),
            {},
            ValueError,
            "attach: joint: a joint's index must be at least 0 and below 34",
        ),
        ((None, 1.5, blade()), {}, TypeError, "attach: joint: a joint must be given by name or index"),
        (
            (None, "Hand.R", blade()),
            {"space": "world"},
            ValueError,
            "attach: space must be one of joint, joi",
        ),
        ((None, "Hand.R", blade()), {"name": 3}, TypeError, "attach: name must be a str, got int"),
        ((None, "Hand.R", whip().mesh), {}, ValueError, "attach: other must be a mesh of one palette row"),
    ],
)
def test_bad_input(hero, arguments, options, error, message):
    character, *others = arguments
    with pytest.raises(error, match=message):
        lissom.attach(hero if character is None else character, *others, **options)
