# SPDX-License-Identifier: MIT
"""Clips on other skeletons: which joints match, what is reported, whose lengths."""

import copy
import pickle

import numpy as np
import pytest

import lissom
from bvh_files import GOOD
from lissom import Clip, Skeleton

IDENTITY = [0, 0, 0, 1, 1, 1, 1]


def skeleton(names: list[str], parents: list[int], heights: list[float], scale: float = 1.0) -> Skeleton:
    rest = np.array([[0, height * scale, 0, *IDENTITY] for height in heights])
    return Skeleton(names, parents, rest)


def two_legged(prefix: str = "", scale: float = 1.0) -> Skeleton:
    names = [prefix + name for name in ("hips", "leg", "foot", "head")]
    return skeleton(names, [-1, 0, 1, 0], [2.0, -1.0, -1.0, 1.0], scale)


def moving(rig: Skeleton, name: str = "walk") -> Clip:
    """Hips that travel, a leg that swings and stretches, a head that keeps still."""
    rng = np.random.default_rng(1)
    poses = np.tile(rig.rest.astype(np.float64), (5, 1, 1))
    poses[:, 0, 2] = [0, 1, 2, 3, 4]
    poses[:, 1, 1] *= 1 + 0.1 * np.arange(5)
    poses[:, :3, 3:7] = lissom.quat.from_euler("xyz", rng.normal(size=(5, 3, 3)))
    return Clip.from_poses(rig, np.arange(5) / 4, poses, name=name)


def test_tracks_go_to_the_joint_of_the_same_name() -> None:
    clip = moving(two_legged())
    target = skeleton(["tail", "hips", "head", "leg", "foot"], [-1, -1, 1, 1, 3], [0.5, 2.0, 1.0, -1.0, -1.0])
    bound = clip.bind(target)
    got, want = bound.sample([0.1, 0.6]), clip.sample([0.1, 0.6])
    for name in ("hips", "leg", "foot", "head"):
        np.testing.assert_array_equal(got[:, target.index(name)], want[:, clip.skeleton.index(name)])
    np.testing.assert_array_equal(got[:, 0], target.rest[[0, 0]])
    assert bound.binding == lissom.Binding(
        (("hips", "hips"), ("leg", "leg"), ("foot", "foot")), (), ("tail", "head"), rest_differs_at="hips"
    )
    assert (bound.name, bound.skeleton, bound.key_rate, clip.binding) == ("walk", target, 4.0, None)


def test_what_has_no_partner_is_dropped_and_reported() -> None:
    clip = moving(two_legged())
    target = skeleton(["hips", "Leg"], [-1, 0], [2.0, -1.0])
    binding = clip.bind(target).binding
    assert binding.matched == (("hips", "hips"),)  # "leg" is not "Leg": nothing is guessed
    assert binding.unmatched == ("leg", "foot")
    assert binding.unmoved == ("Leg",)
    assert "'leg' may be 'Leg': say so with names=" in str(binding)
    assert str(binding).startswith("1 joints matched\n2 of the clip without partner, dropped: leg, foot\n")


@pytest.mark.parametrize(
    "names",
    [
        {f"B:{name}": name for name in ("hips", "leg", "foot", "head")},
        lambda name: name.removeprefix("B:"),
        {"B:hips": "hips", "B:leg": "leg", "B:foot": "foot"},
    ],
    ids=["mapping", "function", "part"],
)
def test_names_are_mapped(names: object) -> None:
    clip = moving(two_legged("B:"))
    bound = clip.bind(two_legged(), names)
    np.testing.assert_array_equal(bound.sample([0.2, 0.9]), clip.sample([0.2, 0.9]))
    assert bound.binding.unmatched == ()


def test_a_name_without_partner_is_left_out() -> None:
    clip = moving(two_legged())
    for names in ({"leg": None}, lambda name: None if name == "leg" else name):
        binding = clip.bind(two_legged(), names).binding
        assert (binding.unmatched, binding.unmoved) == (("leg",), ("leg", "head"))


def test_lengths_of_the_skeleton() -> None:
    tall, small = two_legged(), two_legged(scale=0.25)
    clip = moving(tall)
    bound = clip.bind(small, lengths="skeleton")
    assert bound.binding.length_factor == pytest.approx(0.25)
    got, want = bound.sample([0.1, 0.7]), clip.sample([0.1, 0.7])
    np.testing.assert_allclose(got[:, 0, :3], 0.25 * want[:, 0, :3], rtol=1e-15, atol=0)
    np.testing.assert_array_equal(got[:, 1:, :3], np.broadcast_to(small.rest[1:, :3], (2, 3, 3)))
    np.testing.assert_array_equal(got[..., 3:], want[..., 3:])
    # The default keeps the clip's bones.
    np.testing.assert_array_equal(clip.bind(small).sample(0.7)[1], clip.sample(0.7)[1])
    assert clip.bind(tall, lengths="skeleton").binding.length_factor == 1


def test_lengths_count_in_the_units_of_what_is_above() -> None:
    """A skeleton in centimetres below a root scaled by 0.01 is as tall as one in metres."""
    metres = two_legged()
    rest = np.array([[0, 0, 0, *IDENTITY], *metres.rest.astype(np.float64)])
    rest[0, 7:] = 0.01
    rest[1:, :3] *= 100
    centimetres = Skeleton(["armature", *metres.names], [-1, 0, 1, 2, 1], rest)
    bound = moving(metres).bind(centimetres, lengths="skeleton")
    assert bound.binding.length_factor == pytest.approx(100, rel=1e-6)
    at = centimetres.positions(bound.sample(0.5))[1]
    np.testing.assert_allclose(at, metres.positions(moving(metres).sample(0.5))[0], rtol=0, atol=1e-5)


def test_a_lowest_joint_is_scaled_by_size() -> None:
    def ground(scale: float) -> Skeleton:
        return skeleton(["root", "hips"], [-1, 0], [0.0, 2.0], scale)

    assert moving_root(ground(1.0)).bind(ground(3.0), lengths="skeleton").binding.length_factor == 3


def moving_root(rig: Skeleton) -> Clip:
    poses = np.tile(rig.rest.astype(np.float64), (2, 1, 1))
    poses[1, 0, 0] = 1
    return Clip.from_poses(rig, [0.0, 1.0], poses)


def test_what_else_a_clip_holds_goes_along() -> None:
    walk = copy.copy(lissom.samples.humanoid().clips["walk"])  # the sample is shared
    walk.loop = "ping_pong"
    rest = walk.skeleton.rest.copy()
    rest[:, :3] *= 2
    taller = Skeleton(walk.skeleton.names, walk.skeleton.parents, rest)
    marked = walk.with_markers([(walk.start, "step")]).resampled(30)
    bound = marked.bind(taller, lengths="skeleton")
    assert (bound.markers, bound.loop, bound.uniform) == (marked.markers, "ping_pong", True)
    assert walk.root_motion.distance > 1
    assert bound.root_motion.distance == pytest.approx(2 * walk.root_motion.distance, rel=1e-6)
    assert marked.bind(taller).root_motion.distance == pytest.approx(walk.root_motion.distance)


def test_restoring_root_motion_works_on_the_other_names() -> None:
    clip = moving(two_legged("B:")).extract_root_motion("B:hips")
    bound = clip.bind(two_legged(), lambda name: name.removeprefix("B:"))
    assert bound.root_motion.joints == tuple(name.removeprefix("B:") for name in clip.root_motion.joints)
    got = bound.restore_root_motion().sample([0.3, 0.9])
    np.testing.assert_allclose(got, clip.restore_root_motion().sample([0.3, 0.9]), rtol=0, atol=1e-12)


def test_the_report_survives_copies_and_pickling_but_not_edits() -> None:
    bound = moving(two_legged()).bind(two_legged())
    for again in (copy.copy(bound), pickle.loads(pickle.dumps(bound))):
        assert again.binding == bound.binding
    assert bound.trimmed(0.1, 0.5).binding is None


def test_rest_poses_that_are_turned_are_reported() -> None:
    rest = two_legged().rest.copy()
    rest[1, 3:7] = lissom.quat.from_euler("x", 0.5)
    turned = Skeleton(two_legged().names, two_legged().parents, rest)
    binding = moving(two_legged()).bind(turned).binding
    assert binding.rest_difference == pytest.approx(0.5, abs=1e-6)
    assert "rest rotations differ by up to 28.6 degrees, at 'leg'" in str(binding)


def test_refusals() -> None:
    clip = moving(two_legged())
    with pytest.raises(TypeError, match=r"Clip\.bind: skeleton must be a Skeleton, got Character"):
        clip.bind(lissom.samples.humanoid())
    with pytest.raises(ValueError, match='lengths must be "clip" or "skeleton", got \'both\''):
        clip.bind(two_legged(), lengths="both")
    with pytest.raises(ValueError, match="no joint of the clip is named 'hip'; did you mean 'hips'"):
        clip.bind(two_legged(), {"hip": "hips"})
    with pytest.raises(ValueError, match="no joint of the skeleton is named 'Legg'; did you mean 'leg'"):
        clip.bind(two_legged(), {"leg": "Legg"})
    with pytest.raises(ValueError, match="'hips' and 'leg' must have different partners, both got 'leg'"):
        clip.bind(two_legged(), {"hips": "leg"})
    with pytest.raises(
        ValueError, match=r"no joint that clip 'walk' moves .*pass names=, such as \{'hips': 'b:h"
    ):
        clip.bind(two_legged("b:"))
    point = skeleton(["hips"], [-1], [0.0])
    with pytest.raises(
        ValueError, match='"skeleton", skeletons must have a size, got one whose joints coincide at rest'
    ):
        clip.bind(point, lengths="skeleton")
    with pytest.raises(ValueError, match="pass names=, a mapping of the clip's to the skeleton's"):
        clip.bind(skeleton(["x", "y"], [-1, 0], [0.0, 1.0]))


@pytest.mark.parametrize("file", ["Med_CombatMelee", "Med_General", "Med_MovementBasic", "Med_Special"])
def test_clip_only_files_play_on_their_mannequin(asset, file: str) -> None:
    mannequin = lissom.load(asset("characters/kaykit/manny_med_mod.gltf"))
    clips = lissom.load(asset(f"characters/kaykit/{file}.glb")).clips
    skin_joints = {mannequin.skeleton.names[joint] for joint in mannequin.skin.joints}
    assert len(skin_joints) == 21
    for clip in clips.values():
        bound = clip.bind(mannequin.skeleton)
        # The 21 joints of the skin and the node they hang below; slots of the hands are the clips' alone.
        assert {new for _, new in bound.binding.matched} == skin_joints | {"Rig_Medium"}
        assert bound.binding.unmatched == ("handslot.l", "handslot.r")
        assert all(name.startswith("Mannequin_Medium_") for name in bound.binding.unmoved)
        assert bound.binding.rest_difference < 1e-3
        poses, own = bound.at([0.0, 0.3, 0.8]), clip.at([0.0, 0.3, 0.8])
        there = mannequin.skeleton.positions(poses)
        here = clip.skeleton.positions(own)
        for name in skin_joints:
            np.testing.assert_allclose(
                there[:, mannequin.skeleton.index(name)],
                here[:, clip.skeleton.index(name)],
                rtol=0,
                atol=1e-5,
            )
        vertices = mannequin.deform(poses)
        height = np.ptp(vertices[..., 1], axis=1)
        assert (height < 1.5 * mannequin.size).all()


def test_motion_capture_plays_on_another_performer(asset) -> None:
    performer = lissom.load_bvh(asset("bvh/01_01.bvh")).skeleton
    clip = lissom.load_bvh(asset("bvh/jumping_jacks.bvh")).clips["jumping_jacks"]
    sides = {
        f"{side}{old}": f"{side}{new}"
        for side in ("Left", "Right")
        for old, new in (("Hip", "UpLeg"), ("Knee", "Leg"), ("Ankle", "Foot"), ("Toe", "ToeBase"))
    }
    with pytest.warns(UserWarning, match="at 'RThumb'"):  # one rests with arms out, one with arms down
        plain = clip.bind(performer).binding
    assert len(plain.matched) == 11
    assert set(sides) <= set(plain.unmatched)
    with pytest.warns(UserWarning, match="bones point elsewhere by up to 97 degrees"):
        bound = clip.bind(performer, {old: new for old, new in sides.items() if new in performer.names})
    assert len(bound.binding.matched) == 19
    poses = bound.at([0.2, 0.5])
    # Rotations are the clip's, bones the performer's.
    np.testing.assert_array_equal(poses[0, 1:, :3], performer.rest[1:, :3])


def test_bones_that_point_elsewhere_are_said_with_a_warning() -> None:
    rest = np.tile(np.array([0.0, 1, 0, *IDENTITY]), (3, 1))
    arm = Skeleton(["upper", "lower", "hand"], [-1, 0, 1], rest)
    turned = rest.copy()  # other axes at the lower arm, the same places
    turned[1, 3:7] = [0, 0, np.sin(np.radians(20)), np.cos(np.radians(20))]
    turned[2, :2] = np.sin(np.radians(40)), np.cos(np.radians(40))
    other = Skeleton(arm.names, arm.parents, turned)
    np.testing.assert_allclose(other.positions(other.rest), arm.positions(arm.rest), atol=1e-6)
    poses = np.stack([rest, rest])
    poses[1, :, 3:7] = [np.sin(0.1), 0, 0, np.cos(0.1)]
    clip = Clip.from_poses(arm, [0, 1], poses, name="nod")
    same = clip.bind(arm).binding  # a warning would be an error
    assert (same.bone_difference, same.bone_differs_at) == (0.0, "")
    with pytest.warns(
        UserWarning, match=r"Clip\.bind: 'nod': bones point elsewhere by up to 40 degrees"
    ) as warned:
        binding = clip.bind(other).binding
    assert "lissom.Retarget(source, target).clip(clip)" in str(warned[0].message)
    assert np.degrees(binding.bone_difference) == pytest.approx(40, abs=1e-4)
    assert binding.bone_differs_at == "hand"
    assert "Retarget carries motion over" in str(binding)


def test_a_clip_of_a_text_with_two_joints() -> None:
    clip = lissom.load_bvh(GOOD.encode()).clips["character"]
    other = Skeleton(["Leg", "Hips"], [-1, -1], np.array([[0, 0, 0, *IDENTITY]] * 2))
    got, want = clip.bind(other).sample(0.1)[::-1], clip.sample(0.1)[:2]
    np.testing.assert_array_equal(got[:, 3:], want[:, 3:])
    np.testing.assert_array_equal(got[0, :3], want[0, :3])
