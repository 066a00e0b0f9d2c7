# SPDX-License-Identifier: MIT
"""VRM animations on avatars: as three-vrm plays them."""

import warnings

import numpy as np
import pytest

import lissom
from conftest import ASSETS, asset
from glb_contents import contents, rewritten
from vrm_avatars import ROLES, VRM0_SAID, VRM1_SAID, avatar, motion
from vrm_node import NEEDS_NODE, three_vrm

TIMES = np.arange(0, 58, 3) / 60
ANGLE = 2e-5  # radians: keys are float32, between which both interpolate
WILD = ("Godette_vrm_v4", "cryptovoxels", "VRMC_vrm_expressions_isBinary_Overridden")


def looking_by_expressions(version):
    said = (
        {"lookAt": VRM1_SAID["lookAt"] | {"type": "expression"}}
        if version
        else {"firstPerson": VRM0_SAID["firstPerson"] | {"lookAtTypeName": "BlendShape"}}
    )
    return avatar(version, said=said).glb()


AVATARS = {
    "vrm1": lambda: avatar(1).glb(),
    "vrm0": lambda: avatar(0).glb(),
    "a small one": lambda: avatar(1, size=0.4).glb(),
    "eyes of expressions": lambda: looking_by_expressions(1),
}


def equal_ranges(root):
    """Ranges down and up alike: three-vrm takes each for the other."""
    for said in root["extensions"].values():
        if "lookAt" in said:
            said["lookAt"]["rangeMapVerticalUp"] = said["lookAt"]["rangeMapVerticalDown"]
        elif "firstPerson" in said:
            said["firstPerson"]["lookAtVerticalUp"] = said["firstPerson"]["lookAtVerticalDown"]


def without_meshes(root):
    for key in ("materials", "textures", "images", "samplers"):
        root.pop(key, None)
    for mesh in root["meshes"]:
        for primitive in mesh["primitives"]:
            primitive.pop("material", None)
    equal_ranges(root)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("vrma")
    data = {name: rewritten(make(), equal_ranges) for name, make in AVATARS.items()}
    data |= {
        name: rewritten((ASSETS / "wild" / "vrm" / f"{name}.vrm").read_bytes(), without_meshes)
        for name in WILD
        if (ASSETS / "wild" / "vrm" / f"{name}.vrm").is_file()
    }
    moves = folder / "moves.vrma"
    moves.write_bytes(motion().glb())
    tasks, bodies = [], {}
    for number, (name, glb) in enumerate(data.items()):
        path = folder / f"{number}.vrm"
        path.write_bytes(glb)
        played = moves if name in AVATARS else ASSETS / "wild" / "vrm" / "test.vrma"
        tasks.append({"file": str(path), "play": {"file": str(played), "times": TIMES.tolist()}})
        bodies[name] = (lissom.load(glb), played, contents(glb))
    answers = three_vrm(tasks)
    return {name: (*body, answer) for (name, body), answer in zip(bodies.items(), answers, strict=True)}


def posed(body, answers):
    """Poses (F, J, 10) that three-vrm makes, of the joints, with hips at rest, and the places of the hips."""
    rotations = np.array([each["rotations"] for each in answers]).reshape(len(answers), -1, 4)
    poses = np.tile(body.skeleton.rest.astype(np.float64), (len(answers), 1, 1))
    poses[..., 3:7] = rotations[:, body.skeleton.source_nodes]
    return poses, np.array([each["hips"] for each in answers])


@pytest.mark.tree
@NEEDS_NODE[1]
@NEEDS_NODE[2]
@pytest.mark.parametrize("name", AVATARS)
def test_motion_is_that_of_three_vrm(runs, name):
    body, played, _, answers = runs[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if name == "vrm0" else "error", UserWarning)  # it has "Wink"
        clip = lissom.load_vrma(played, body)
    assert clip.skeleton is body.skeleton
    poses = clip.sample(TIMES, loop=False)
    expected, hips = posed(body, answers)
    moved = [role for role in ROLES if "Eye" not in role or name != "eyes of expressions"]
    joints = [body.skeleton.index(role) for role in moved]
    angle = lissom.quat.angle_between(poses[:, joints, 3:7].astype(np.float64), expected[:, joints, 3:7])
    assert angle.max() < ANGLE
    assert (
        lissom.quat.angle_between(expected[1:, joints, 3:7], expected[:1, joints, 3:7]).max(axis=0).min()
        > 0.05
    )
    places = body.skeleton.positions(poses)[:, body.skeleton.index("hips")]
    np.testing.assert_allclose(places, hips, atol=1e-5)
    values = {key: [each["weights"][key] for each in answers] for key in body.expressions.names}
    expected_weights = body.expressions.weights(values)
    got = clip.morphs(TIMES, loop=False)
    np.testing.assert_allclose(got, expected_weights, atol=2e-5)
    assert np.ptp(got, axis=0).max() > 0.5
    assert clip.morph_names == body.mesh.morphs.names


@pytest.mark.tree
@NEEDS_NODE[1]
@NEEDS_NODE[2]
@pytest.mark.parametrize("name", WILD)
def test_the_wild_animation_is_that_of_three_vrm(runs, name):
    if name not in runs:
        asset(f"wild/vrm/{name}.vrm")  # skips
    body, played, _, answers = runs[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of expressions that they do not have
        clip = lissom.load_vrma(played, body)
    expected, _ = posed(body, answers)
    at = [body.skeleton.index(joint) for joint in lissom.roles(body).joints.values()]
    got = clip.sample(TIMES, loop=False)[:, at, 3:7].astype(np.float64)
    assert lissom.quat.angle_between(got, expected[:, at, 3:7]).max() < ANGLE
    rest = body.skeleton.rest[at, 3:7].astype(np.float64)
    assert lissom.quat.angle_between(rest, expected[:, at, 3:7]).max() > 1


def test_roles_that_are_missing_are_named():
    lost = ("leftHand", "rightFoot")
    bones = {role: bone for role, bone in VRM1_SAID["humanoid"]["humanBones"].items() if role not in lost}
    body = lissom.load(avatar(said={"humanoid": {"humanBones": bones}}).glb())
    with pytest.raises(
        ValueError, match=r"^load_vrma: avatar must have the bones that the animation"
    ) as caught:
        lissom.load_vrma(motion().glb(), body)
    assert str(caught.value).endswith("got no joint for leftHand, rightFoot; name them by roles=")
    # Those that the animation does not move need not be there.
    lissom.load_vrma(motion(moved=[role for role in ROLES if role not in lost]).glb(), body)


def test_what_the_avatar_lacks_is_said():
    bare = avatar()
    del bare.json["extensions"]["VRMC_vrm"]["expressions"]["custom"]["wink"]
    body = lissom.load(bare.glb())
    with pytest.warns(UserWarning, match=r"^load_vrma: the avatar has no expressions wink; left out$"):
        clip = lissom.load_vrma(motion().glb(), body)
    assert len(clip.weight_tracks)


def test_other_rigs_play_it():
    hero = lissom.samples.humanoid()
    with pytest.warns(UserWarning, match=r"^load_vrma: the avatar has no expressions happy, wink; left out$"):
        clip = lissom.load_vrma(motion().glb(), hero)
    assert clip.skeleton is hero.skeleton
    assert not len(clip.weight_tracks)
    assert lissom.quat.angle_between(clip.sample(0.5)[:, 3:7], hero.skeleton.rest[:, 3:7]).max() > 0.2


def test_feet_may_stay_on_the_ground():
    hero = lissom.load(avatar(size=0.7).glb())
    free, held = (lissom.load_vrma(motion().glb(), hero, feet=feet) for feet in (False, True))
    assert np.abs(free.sample(0.5) - held.sample(0.5)).max() > 1e-4


def test_clips_are_chosen_by_name():
    body = lissom.load(avatar().glb())
    assert lissom.load_vrma(motion().glb(), body, clip="wave").name == "wave"
    with pytest.raises(ValueError, match=r"no clip is named 'walk'"):
        lissom.load_vrma(motion().glb(), body, clip="walk")


def test_other_files_are_refused():
    body = lissom.load(avatar().glb())
    with pytest.raises(ValueError, match=r"^load_vrma: source must be a VRM animation, with the extension"):
        lissom.load_vrma(avatar().glb(), body)
    with pytest.raises(TypeError, match=r"^load_vrma: avatar must be a Character, got Skeleton$"):
        lissom.load_vrma(motion().glb(), body.skeleton)
    with pytest.raises(ValueError, match=r"^load_vrma: source must have an animation, got none"):
        lissom.load_vrma(rewritten(motion().glb(), lambda root: root.pop("animations")), body)

    def no_hips(root):
        del root["extensions"]["VRMC_vrm_animation"]["humanoid"]["humanBones"]["hips"]

    with pytest.raises(
        ValueError, match=r"^load_vrma: source must have all bones that VRM requires, got none for hips"
    ):
        lissom.load_vrma(rewritten(motion().glb(), no_hips), body)


@pytest.mark.parametrize(
    ("member", "value", "message"),
    [
        ("expressions", [], "expressions cannot be read: "),
        ("expressions", {"preset": {"happy": {"node": "x"}}}, "expressions cannot be read: "),
        ("expressions", {"preset": {"happy": {"node": 999}}}, "'happy' must refer to one of "),
        ("expressions", {"custom": {"odd": {}}}, "'odd' must refer to one of "),
        ("lookAt", {"node": -5}, "the gaze must refer to one of "),
    ],
)
def test_what_cannot_be_used_is_left_out(member, value, message):
    def change(root):
        root["extensions"]["VRMC_vrm_animation"][member] = value

    loaded = lissom.load(rewritten(motion().glb(), change))
    (repair,) = [each for each in loaded.repairs if each.code == "VRM_ANIMATION_LEFT_OUT"]
    assert repair.message.startswith(message)
    lissom.load_vrma(rewritten(motion().glb(), change), lissom.load(avatar().glb()))


def without_bones(root):
    """The face of a VRM animation alone."""
    del root["extensions"]["VRMC_vrm_animation"]["humanoid"]
    (animation,) = root["animations"]
    face = range(len(root["nodes"]) - 3, len(root["nodes"]))
    animation["channels"] = [each for each in animation["channels"] if each["target"]["node"] in face]


@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.filterwarnings("ignore:load_vrma. the avatar has no expressions wink")
def test_a_file_without_bones_moves_the_face_alone(version):
    body = lissom.load(avatar(version).glb())
    clip = lissom.load_vrma(rewritten(motion().glb(), without_bones), body)
    assert (clip.name, clip.duration) == ("wave", 1.0)
    eyes = {body.skeleton.index(role) for role in ("leftEye", "rightEye")}
    assert set(clip.tracks["joint"].tolist()) == eyes
    weights = {"happy": [0, 1, 0.6, 0.2, 0, 0], "wink": [0, 0, 0.3, 1, 0.4, 0]}
    known = {name: values for name, values in weights.items() if name in body.expressions}
    keys = np.linspace(0, 1, 6)
    np.testing.assert_allclose(clip.morphs(keys), body.expressions.weights(known), atol=1e-6)
    whole = lissom.load_vrma(motion().glb(), body)
    times = np.linspace(0, 1, 31)
    np.testing.assert_array_equal(clip.morphs(times), whole.morphs(times))
    moved, all_moved = clip.sample(times), whole.sample(times)
    rest = np.tile(body.skeleton.rest, (31, 1, 1))
    for eye in eyes:
        np.testing.assert_array_equal(moved[:, eye, 3:7], all_moved[:, eye, 3:7])
        rest[:, eye] = moved[:, eye]
    np.testing.assert_array_equal(moved, rest)


def test_a_face_alone_needs_no_bones_of_the_avatar():
    tube = lissom.samples.two_bone_tube()
    morphs = lissom.Morphs.from_dense(["shape"], np.ones((1, tube.mesh.vertex_count, 3)))
    mesh = tube.mesh
    made = lissom.Mesh(mesh.positions, mesh.triangles, mesh.indices, mesh.weights, morphs=morphs)
    body = lissom.Character("tube", tube.skeleton, made, tube.skin)
    body.expressions = lissom.Expressions(morphs, [lissom.Expression("happy", {"shape": 0.5})])
    data = rewritten(motion().glb(), without_bones)
    with pytest.warns(UserWarning, match=r"^load_vrma: the avatar has no expressions wink; left out$"):
        clip = lissom.load_vrma(data, body, rate=30)
    np.testing.assert_allclose(clip.morphs([0.2, 0.4])[:, 0], [0.5, 0.3], atol=1e-6)
    assert len(clip.weight_tracks) == 1
    assert clip.weight_tracks["key_count"].tolist() == [31]
    with pytest.raises(ValueError, match=r"^load_vrma: rate must be above zero"):
        lissom.load_vrma(data, body, rate=0)


def test_a_file_that_moves_bones_needs_a_map_of_them():
    def no_map(root):
        del root["extensions"]["VRMC_vrm_animation"]["humanoid"]

    with pytest.raises(ValueError, match=r"^load_vrma: source must have all bones that VRM requires"):
        lissom.load_vrma(rewritten(motion().glb(), no_map), lissom.load(avatar().glb()))
