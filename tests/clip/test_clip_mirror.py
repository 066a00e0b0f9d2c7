# SPDX-License-Identifier: MIT
"""Clips for the other side: what each joint does, reflected and done by its partner."""

import warnings

import numpy as np
import pytest

import lissom
from clip_laws import assert_same_poses, inner_times
from lissom import Clip, Skeleton, quat, trs
from lissom.clip import CUBICSPLINE, ROTATION, SCALE, TRANSLATION
from lissom.clip._left_right import partners_by_name
from lissom.clip._tracks import Track, packed
from random_rigs import random_clip, random_poses, random_quats

# Keys are mapped in float64 and stored in the clip's type; rest poses are symmetric as float32 has them.
TOLERANCE = {np.float32: 8e-5, np.float64: 4e-6}  # of the size
AXES = {"x": [-1, 1, 1], "y": [1, -1, 1], "z": [1, 1, -1]}


def symmetric_skeleton(seed: int, axis: str = "x", aligned: bool = False, scaled: bool = False) -> Skeleton:
    """A trunk with arms and legs, positions symmetric across an axis.

    The frames of the joints are random, those of left and right not alike; or, where `aligned`, those of the
    right are the left's reflected, one axis turned round to stay right-handed.
    """
    rng = np.random.default_rng(seed)
    reflection = np.array(AXES[axis], float)
    names, parents, places, turns, scales = [], [], [], [], []
    trunk = reflection < 0
    for i in range(3):
        names.append(f"spine {i}")
        parents.append(i - 1)
        places.append(np.where(trunk, 0, rng.normal(size=3)))
        # Of the trunk, too: a frame that is its own mirror image has one axis across the plane.
        turns.append(np.eye(3) if aligned else quat.to_matrix(random_quats(rng)))
        scales.append(rng.uniform(0.5, 2) if scaled else 1.0)
    for limb, base in (("arm", 2), ("leg", 0)):
        left = base
        right = base
        for i in range(3):
            place = rng.normal(size=3)
            turn = quat.to_matrix(random_quats(rng))
            scale = rng.uniform(0.5, 2) if scaled else 1.0
            # Odd in all: right-handed after the reflection. The first swaps two axes, too.
            flip = np.eye(3)[[1, 0, 2]] if rng.random() < 0.5 else np.diag([1.0, 1, -1])
            other = reflection[:, None] * turn @ flip if aligned else quat.to_matrix(random_quats(rng))
            for side, parent, at, frame in (
                ("L", left, place, turn),
                ("R", right, place * reflection, other),
            ):
                names.append(f"{limb}{i}.{side}")
                parents.append(parent)
                places.append(at)
                turns.append(frame)
                scales.append(scale)
            left, right = len(names) - 2, len(names) - 1
    model = np.tile(np.eye(4), (len(names), 1, 1))
    model[:, :3, :3] = np.array(turns) * np.array(scales)[:, None, None]
    model[:, :3, 3] = places
    rest = [
        trs.from_matrix(model[j] if p < 0 else np.linalg.inv(model[p]) @ model[j])
        for j, p in enumerate(parents)
    ]
    return Skeleton(names, parents, np.array(rest))


def reflected_model(skeleton: Skeleton, partners: np.ndarray, axis: str, poses: np.ndarray) -> np.ndarray:
    """The definition: S (M_j R_j^-1) S R_p(j), as 4x4 matrices of the partners."""
    glass = np.diag([*AXES[axis], 1.0])
    rest = skeleton.model_matrices(skeleton.rest.astype(np.float64))
    model = skeleton.model_matrices(poses.astype(np.float64))
    result = np.empty_like(model)
    result[..., partners, :, :] = glass @ model @ np.linalg.inv(rest) @ glass @ rest[partners]
    return result


def without_scale(clip: Clip) -> Clip:
    return Clip(clip.name, clip.skeleton, clip.keys, clip.tracks[clip.tracks["path"] != 2], loop=clip.loop)


@pytest.mark.parametrize("axis", ["x", "y", "z"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scaled", [False, True])
def test_the_motion_in_model_space_is_reflected(axis: str, dtype: type, scaled: bool) -> None:
    for seed in range(3):
        skeleton = symmetric_skeleton(seed, axis, scaled=scaled)
        clip = without_scale(random_clip(np.random.default_rng(seed), skeleton, dtype, shared=seed == 1))
        mirrored = clip.mirrored(axis=axis)
        partners = partners_by_name(skeleton.names)
        times = inner_times(clip)  # at keys and between them: all interpolations commute with the map
        poses, others = clip.sample(times), mirrored.sample(times)
        size = np.abs(skeleton.positions(poses)).max()
        want = skeleton.positions(poses.astype(np.float64)) * AXES[axis]
        got = skeleton.positions(others.astype(np.float64))[:, partners]
        np.testing.assert_allclose(got, want, rtol=0, atol=TOLERANCE[dtype] * size)
        model = skeleton.model_matrices(others.astype(np.float64))
        want_model = reflected_model(skeleton, partners, axis, poses)
        # The rest pose is stored in float32.
        np.testing.assert_allclose(model, want_model, rtol=0, atol=2e-5 * size)


def test_scales_along_axes_go_along() -> None:
    skeleton = symmetric_skeleton(5, aligned=True)
    rng = np.random.default_rng(5)
    poses = random_poses(rng, 4, len(skeleton))
    clip = Clip.from_poses(skeleton, np.arange(4.0), poses)
    got = skeleton.model_matrices(clip.mirrored().sample(np.arange(4.0), loop=False))
    want = reflected_model(skeleton, partners_by_name(skeleton.names), "x", poses)
    np.testing.assert_allclose(got, want, rtol=0, atol=2e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_twice_is_once_nothing(dtype: type) -> None:
    skeleton = symmetric_skeleton(2, aligned=True)
    clip = random_clip(np.random.default_rng(2), skeleton, dtype)
    twice = clip.mirrored().mirrored()
    times = inner_times(clip)
    # The rest pose is stored in float32, in which a rotation is unit within 1e-7.
    assert_same_poses(twice.sample(times), clip.sample(times), 1e-5)


def test_the_rest_pose_is_its_own_mirror_image() -> None:
    rng = np.random.default_rng(8)
    skeleton = Skeleton(["a", "hand.L", "hand.R"], [-1, 0, 0], random_poses(rng, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is not symmetric, and need not be
        clip = Clip.from_poses(skeleton, [0, 1], np.stack([skeleton.rest, random_poses(rng, 3)])).mirrored()
    assert_same_poses(clip.sample(0.0), skeleton.rest, 1e-6)


def test_splines_at_rest_stay_at_rest() -> None:
    rng = np.random.default_rng(8)
    skeleton = Skeleton(["a", "hand.L", "hand.R"], [-1, 0, 0], random_poses(rng, 3))
    columns = {TRANSLATION: slice(0, 3), ROTATION: slice(3, 7), SCALE: slice(7, 10)}
    still = [
        Track(1, path, CUBICSPLINE, np.array([0.0, 1.0]), np.stack([[0 * rest, rest, 0 * rest]] * 2))
        for path, part in columns.items()
        for rest in [skeleton.rest[1, part].astype(np.float64)]
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clip = Clip("still", skeleton, *packed(still, np.dtype(np.float64))).mirrored()
    assert clip.tracks["joint"].tolist() == [2, 2, 2]
    assert_same_poses(clip.sample(0.5), skeleton.rest, 1e-6)


def test_differences_mirror_so_that_they_fit_the_mirrored_pose() -> None:
    skeleton = symmetric_skeleton(3, aligned=True)
    rng = np.random.default_rng(3)
    base, delta = random_poses(rng, 2, len(skeleton))
    delta[:, 7:] -= 1

    def added(pose: np.ndarray, difference: np.ndarray) -> np.ndarray:
        result = pose + difference
        result[:, 3:7] = quat.multiply(pose[:, 3:7], difference[:, 3:7])
        return result

    def mirror(pose: np.ndarray, additive: bool) -> np.ndarray:
        clip = Clip.from_poses(skeleton, [0.0], pose[None])._edited(additive=additive)
        return clip.mirrored().sample(0.0)

    got = added(mirror(base, False), mirror(delta, True))
    assert_same_poses(got, mirror(added(base, delta), False), 1e-6)


def test_uniform_looping_and_marked_clips() -> None:
    skeleton = symmetric_skeleton(4)
    poses = random_poses(np.random.default_rng(4), 5, len(skeleton)).astype(np.float32)
    poses[..., 7:] = 1
    markers = [(0.0, "left foot"), (1.0, "Clap"), (2.0, "right foot"), (3.0, "left hand")]
    clip = Clip.from_poses(skeleton, np.arange(5.0), poses, loop="ping_pong")
    clip = clip._edited(uniform=True, markers=markers)
    mirrored = clip.mirrored()
    assert mirrored.uniform
    assert mirrored.loop == "ping_pong"
    assert [name for _, name in mirrored.markers] == ["right foot", "Clap", "left foot", "left hand"]
    held = clip.mirrored(reference=skeleton.rest)
    assert held.uniform
    assert_same_poses(held.sample(0.3), mirrored.sample(0.3), 1e-6)


def test_root_motion_is_reflected() -> None:
    walk = lissom.samples.humanoid().clips["walk"]
    moves = trs.from_parts(np.float64([[0, 0, 0], [1, 0, 2]]), quat.from_axis_angle([0, 1.0, 0], [0.0, 0.5]))
    turning = walk._edited(root_motion=lissom.RootMotion.from_moves([0, walk.duration], moves))
    cycle = turning.mirrored().root_motion.cycle
    glass = np.diag([-1.0, 1, 1, 1])
    want = glass @ trs.to_matrix(turning.root_motion.cycle) @ glass
    np.testing.assert_allclose(trs.to_matrix(cycle), want, atol=1e-6)


# Half a cycle on, and on the other side, the sample gaits are the same. Where half a cycle is a whole number
# of keys, poses are equal; elsewhere they lie between other keys, which in a fast knee is 13 mm of 1.75 m.
@pytest.mark.parametrize(
    ("build", "name", "tolerance"),
    [("child", "run", 1e-6), ("child", "walk", 0.006), ("adult", "walk", 0.006), ("giant", "run", 0.006)],
)
def test_sample_gaits_are_their_own_mirror_image_half_a_cycle_later(
    build: str, name: str, tolerance: float
) -> None:
    hero = lissom.samples.humanoid(build)
    clip = hero.clips[name]
    times = np.linspace(clip.start, clip.end, 40)
    later = hero.skeleton.positions(clip.sample(times + clip.duration / 2))
    got = hero.skeleton.positions(clip.mirrored().sample(times))
    apart = np.linalg.norm(got - later, axis=-1) / hero.size
    assert apart.max() < tolerance
    assert np.median(apart) < tolerance / 10


REAL = [
    "characters/kaykit/Knight.glb",
    "characters/quaternius/animals_pack/Cow.glb",
    "characters/khronos/Fox.glb",
    "characters/gdquest/gdbot.glb",
    "characters/raylib/greenman.glb",
    "characters/godot/player.glb",
]


@pytest.mark.parametrize("name", REAL)
def test_real_rigs(asset, name: str) -> None:
    character = lissom.load(asset(name))
    skeleton = character.skeleton
    partners = partners_by_name(skeleton.names)
    rest = skeleton.positions(skeleton.rest.astype(np.float64))
    # What hangs alone off one side, such as a sword, has no partner to be compared with.
    paired = partners != np.arange(len(skeleton))
    central = np.abs(rest[:, 0]) < 1e-3 * skeleton.size
    alone = ~(paired | central)
    lopsided = np.linalg.norm(rest * [-1, 1, 1] - rest[partners], axis=1)[~alone].max()
    assert lopsided < 1e-3 * skeleton.size
    clips = [clip for clip in character.clips.values() if clip.duration > 0]
    for clip in clips[:: max(1, len(clips) // 4)]:
        times = inner_times(clip, 20)
        poses = clip.sample(times).astype(np.float64)
        if np.ptp(poses[..., 7:]) > 1e-3:  # a scale that is not even may become shear
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            mirrored = clip.mirrored()
        got = skeleton.positions(mirrored.sample(times).astype(np.float64))[:, partners]
        want = skeleton.positions(poses) * [-1, 1, 1]
        apart = np.linalg.norm(got - want, axis=-1)[:, ~alone]
        # Of the rest pose's own lack of symmetry each joint of a chain adds its part.
        assert apart.max() <= 1e-4 * skeleton.size + 12 * lopsided, (clip.name, apart.max(), lopsided)


@pytest.mark.parametrize(
    ("name", "apart", "limbs"),
    [
        ("Character.glb", 19, ("UpperArm", "LowerArm", "UpperLeg")),
        ("Enemy_2Legs.glb", 11, ("Leg1", "Leg2", "Leg3", "Foot")),
    ],
)
def test_a_rest_pose_that_is_not_symmetric_warns_and_takes_another(asset, name, apart, limbs) -> None:
    character = lissom.load(asset(f"characters/quaternius/cyberpunk_pack/{name}"))
    skeleton, skin = character.skeleton, character.skin
    clip = character.clips[next(name for name in character.clips if "Run" in name or "Walk" in name)]
    with pytest.warns(UserWarning, match=rf"not symmetric across x: half the pairs lie {apart}% of"):
        clip.mirrored()
    # The bind pose: what joint_from_bind undoes; joints without a skin stay at rest.
    model = skeleton.model_matrices(skeleton.rest.astype(np.float64))
    model[skin.joints] = np.linalg.inv(skin.joint_from_bind.astype(np.float64))
    bind = np.stack(
        [
            trs.from_matrix(m if p < 0 else np.linalg.inv(model[p]) @ m)
            for m, p in zip(model, skeleton.parents, strict=True)
        ]
    )
    partners = partners_by_name(skeleton.names)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mirrored = clip.mirrored(reference=bind)
    times = np.linspace(clip.start, clip.end, 9)
    want = skeleton.positions(clip.sample(times)) * [-1, 1, 1]
    got = skeleton.positions(mirrored.sample(times))[:, partners]
    joints = [skeleton.index(f"{limb}.{side}") for limb in limbs for side in "LR"]
    assert np.linalg.norm(got - want, axis=-1)[:, joints].max() < 0.01 * skeleton.size


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("hand.L", "hand.R"),
        ("hand_l", "hand_r"),
        ("hand-l", "hand-r"),
        ("L_hand", "R_hand"),
        ("l-hand001", "r-hand001"),
        ("Left", "Right"),
        ("LeftHand", "RightHand"),
        ("LEFT_HAND", "RIGHT_HAND"),
        ("left_hand", "right_hand"),
        ("leftHand", "rightHand"),
        ("hand_left", "hand_right"),
        ("leg-left", "leg-right"),
        ("mixamorig:LeftUpLeg", "mixamorig:RightUpLeg"),
        ("mixamorig:LeftToe_End", "mixamorig:RightToe_End"),
        ("Bip01 L Thigh", "Bip01 R Thigh"),
        ("J_Bip_L_UpperArm", "J_Bip_R_UpperArm"),
        ("FrontLowerLeg.L_end", "FrontLowerLeg.R_end"),
        ("foot_IK.L.001", "foot_IK.R.001"),
        ("lShldr", "rShldr"),
        ("LHipJoint", "RHipJoint"),
        ("UpperLegL", "UpperLegR"),
        ("lhand", "rhand"),
        ("b_LeftForeArm_010", "b_RightForeArm_07"),
        ("Left_arm.L", "Right_arm.R"),
    ],
)
def test_sides_by_name(left: str, right: str) -> None:
    others = [
        "Lower",
        "Rower",
        "roll",
        "Bright",
        "bleft",
        "Torso",
        "control",
        "Leg",
        "Reg",
        "tail_l",
        "Pelvis",
    ]
    names = [left, *others, right]
    partners = partners_by_name(names)
    assert names[partners[0]] == right
    assert names[partners[-1]] == left
    assert [name for name, other in zip(names, partners, strict=True) if names[other] != name] == [
        left,
        right,
    ]


def test_words_are_not_sides() -> None:
    names = ["Lower", "Rower", "lib", "rib", "all", "arr", "Bl", "br", "Fool", "Foor", "hilt", "hirt"]
    np.testing.assert_array_equal(partners_by_name(names), np.arange(len(names)))


def test_pairs_by_map_hold_both_ways() -> None:
    skeleton = symmetric_skeleton(1)
    clip = without_scale(random_clip(np.random.default_rng(1), skeleton))
    names = skeleton.names
    pairs = {name: f"{name[:-1]}R" for name in names if name.endswith(".L")}
    np.testing.assert_array_equal(clip.mirrored(pairs).keys, clip.mirrored().keys)
    back = {right: left for left, right in pairs.items()}
    np.testing.assert_array_equal(clip.mirrored(pairs | back).keys, clip.mirrored().keys)
    by_index = {skeleton.index(left): skeleton.index(right) for left, right in pairs.items()}
    np.testing.assert_array_equal(clip.mirrored(by_index).tracks, clip.mirrored().tracks)


def test_what_is_refused() -> None:
    skeleton = symmetric_skeleton(1)
    clip = random_clip(np.random.default_rng(1), skeleton)
    with pytest.raises(ValueError, match=r"no joint is named 'arm0.X'; did you mean 'arm"):
        clip.mirrored({"arm0.X": "arm0.R"})
    with pytest.raises(ValueError, match=r"'arm0.L' must have one partner, got 'arm0.R' and 'leg0.R'"):
        clip.mirrored({"arm0.L": "arm0.R", "leg0.R": "arm0.L"})
    with pytest.raises(TypeError, match=r"Clip.mirrored: pairs must map joints to joints, got list"):
        clip.mirrored([("arm0.L", "arm0.R")])
    with pytest.raises(ValueError, match=r'Clip.mirrored: axis must be "x", "y" or "z", got \'w\''):
        clip.mirrored(axis="w")
    with pytest.raises(ValueError, match=r"reference must have shape \(15, 10\) for 15 joints"):
        clip.mirrored(reference=np.zeros((3, 10)))
    with pytest.raises(ValueError, match=r"reference must be finite, its rotations not zero"):
        clip.mirrored(reference=np.zeros((15, 10)))
    bar = lissom.samples.twisted_bar().clips["twist"]
    with pytest.raises(ValueError, match=r"Clip.mirrored: no joint has a left and a right by its name, as"):
        bar.mirrored()
    assert len(bar.mirrored({}).tracks) == len(bar.tracks)


@pytest.mark.parametrize("name", ["01_01.bvh", "dab.bvh", "jumping_jacks.bvh"])
def test_motion_capture(asset, name: str) -> None:
    character = lissom.load(asset(f"bvh/{name}"))
    skeleton = character.skeleton
    (clip,) = character.clips.values()
    partners = partners_by_name(skeleton.names)
    rest = skeleton.positions(skeleton.rest.astype(np.float64))
    aside = np.abs(rest[:, 0]) > 0.03 * skeleton.size
    assert aside.sum() >= 16
    assert (partners != np.arange(len(skeleton)))[aside].all()
    lopsided = np.linalg.norm(rest * [-1, 1, 1] - rest[partners], axis=1).max()
    times = np.linspace(clip.start, clip.end, 15)
    poses, others = clip.sample(times).astype(np.float64), clip.mirrored().sample(times).astype(np.float64)
    apart = skeleton.positions(others)[:, partners] - skeleton.positions(poses) * [-1, 1, 1]
    # Lengths of bones that differ from left to right stay the partner's: a little more at each joint.
    reach = np.abs(skeleton.positions(poses)).max()
    assert np.linalg.norm(apart, axis=-1).max() <= 1e-4 * reach + 6 * lopsided
