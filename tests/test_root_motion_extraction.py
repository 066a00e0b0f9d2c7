# SPDX-License-Identifier: MIT
"""Root motion taken out of clips and put back: root and clip in place together are the clip."""

import copy
import pickle

import numpy as np
import pytest

import lissom
from lissom import Clip, RootMotion, Skeleton, quat, samples, trs
from lissom.clip import CUBICSPLINE, ROTATION, STEP, TRANSLATION
from lissom.clip._tracks import Track, packed, unpacked
from random_rigs import random_quats

KEYS = {np.float32: 1e-6, np.float64: 1e-12}  # of the skeleton's size, at keys: rounding of what is stored
BETWEEN = 1.05e-4  # of its size, between keys: max_error, here at other times than those it was kept at


def key_times(clip, joints=None):
    tracks = [t for t in unpacked(clip.keys, clip.tracks) if joints is None or t.joint in joints]
    return np.unique(np.concatenate([t.times for t in tracks])).astype(np.float64)


def places(skeleton, poses):
    """Joints and points half a unit along their axes, in model space: (N, J, 4, 3)."""
    matrices = skeleton.model_matrices(poses.astype(np.float64))
    lengths = np.linalg.norm(matrices[..., :3, :3], axis=-2, keepdims=True)
    axes = matrices[..., :3, :3] / np.where(lengths > 0, lengths, 1)
    origins = matrices[..., None, :3, 3]
    return np.concatenate([origins, origins + 0.1 * skeleton.size * np.swapaxes(axes, -1, -2)], axis=-2)


def apart(clip, place, times):
    """How far root motion and clip in place are from the clip, of its size."""
    skeleton, motion = clip.skeleton, place.root_motion
    wanted = places(skeleton, clip.sample(times, loop=False))
    moved = [j for j in range(len(skeleton)) if any(skeleton.is_in_hierarchy(j, n) for n in motion.joints)]
    root = motion.track.sample(times, loop=False)[:, 0]
    got = trs.transform_point(root[:, None, None], places(skeleton, place.sample(times, loop=False)))
    return np.linalg.norm((wanted - got)[:, moved], axis=-1).max(initial=0) / skeleton.size


def differ(a, b, times):
    """How far two clips are apart in model space, of their skeleton's size."""
    one, other = (places(a.skeleton, clip.sample(times, loop=False)) for clip in (a, b))
    return np.linalg.norm(one - other, axis=-1).max(initial=0) / a.skeleton.size


def check_law(clip, place, between=BETWEEN):
    at_keys = KEYS[clip.keys.dtype.type] * (1 + np.abs(clip.sample(clip.end)[..., :3]).max())
    times = np.linspace(clip.start, clip.end, 501)
    joints = [clip.skeleton.index(name) for name in place.root_motion.joints]
    keys = key_times(clip, [j for j in range(max(joints) + 1) if clip.skeleton.is_in_hierarchy(joints[0], j)])
    assert apart(clip, place, keys) < at_keys
    assert apart(clip, place, times) < between
    assert apart(clip, place, times) < place.root_motion.error / clip.skeleton.size * 1.1 + 2 * at_keys
    back = place.restore_root_motion()
    assert back.root_motion is None
    assert differ(clip, back, key_times(clip)) < at_keys
    assert differ(clip, back, times) < between


def spread(clip, joint, times=None):
    """How far a joint gets over the ground, and how far it turns about y, radians."""
    times = np.linspace(clip.start, clip.end, 301) if times is None else times
    matrices = clip.skeleton.model_matrices(clip.sample(times, loop=False).astype(np.float64))
    joint = clip.skeleton.index(joint)
    rest = clip.skeleton.model_matrices(clip.skeleton.rest.astype(np.float64))[joint, :3, :3]
    ground = matrices[:, joint, :3, 3][:, [0, 2]]
    turned = np.zeros((len(times), 4, 4))
    turned[:, :3, :3] = matrices[:, joint, :3, :3] @ np.linalg.inv(rest)
    turned[:, 3, 3] = 1
    rotation = trs.from_matrix(turned)[:, 3:7]
    yaw = np.unwrap(2 * np.arctan2(rotation[:, 1], rotation[:, 3]))
    return np.linalg.norm(ground - ground[0], axis=1).max(), np.ptp(yaw)


def bend(clip, turn=1.0, step=1.4, start=(0.0, 0.0, 0.0), count=23):
    """Root motion on an arc over a clip."""
    share = np.linspace(0, 1, count)
    moves = trs.identity(count, np.float64)
    moves[:, 3:7] = quat.from_axis_angle(np.float64([0, 1, 0]), turn * share)
    moves[:, 0] = step / turn * (1 - np.cos(turn * share))
    moves[:, 2] = step / turn * np.sin(turn * share)
    moves[:, :3] += start
    return RootMotion.from_moves(np.linspace(clip.start, clip.end, count), moves)


@pytest.fixture
def bow():
    """The sample walk along an arc to the left, in the tracks."""
    walk = samples.humanoid().clips["walk"]
    return walk.with_root_motion(bend(walk)).restore_root_motion(max_error=1e-6)


def rig(parent, hips, dtype=np.float32, frames=31):
    """Hips below an armature, a spine: sway and lean, moved along a bend in model space."""
    rng = np.random.default_rng(7)
    rest = trs.identity(3, np.float64)
    rest[0], rest[1] = parent, hips
    rest[2, :3] = [0, 0.3 / parent[7], 0]
    skeleton = Skeleton(["Armature", "Hips", "Spine"], [-1, 0, 1], rest)
    times = np.linspace(0.25, 1.25, frames)
    model = trs.compose(parent, hips)
    poses = np.tile(rest, (frames, 1, 1))
    share = (times - times[0])[:, None]
    sway = 0.05 * np.sin(2 * np.pi * share * [1, 2, 1] + rng.uniform(size=3))
    lean = quat.from_rotation_vector(0.2 * np.sin(2 * np.pi * share * [1, 0, 2]) * [1, 0, 1])
    yaw = quat.from_axis_angle(np.float64([0, 1, 0]), 2.5 * share[:, 0] ** 2)
    root = np.concatenate(
        [np.stack([share[:, 0] ** 2, 0 * share[:, 0], 2 * share[:, 0]], axis=1), yaw], axis=1
    )
    body = np.ones((frames, 10))
    body[:, :3] = model[:3] + sway
    body[:, 3:7] = quat.multiply(lean, model[3:7])
    body[:, 7:] = model[7:]
    moved = np.ones((frames, 10))
    moved[:, :3], moved[:, 3:7] = root[:, :3], root[:, 3:7]
    poses[:, 1] = trs.compose(trs.inverse(parent), trs.compose(moved, body))
    poses[:, 2, 3:7] = quat.slerp(random_quats(rng), random_quats(rng), share[:, 0])
    return Clip.from_poses(skeleton, times, poses.astype(dtype))


def trs_of(translation=(0, 0, 0), turn=(0, 0, 0), scale=1.0):
    return trs.from_parts(
        np.float64(translation), quat.from_rotation_vector(np.float64(turn)), np.full(3, scale)
    )


RIGS = {
    "plain": (trs_of(), trs_of([0, 1, 0])),
    "hips on their back": (trs_of(), trs_of([0, 1, 0], [-np.pi / 2, 0, 0])),
    "z up": (trs_of(turn=[-np.pi / 2, 0, 0]), trs_of([0.1, 0, 1], [1.2, 0.3, -0.8])),
    "a hundred": (trs_of(scale=100.0), trs_of([0, 0.01, 0])),
    "a hundred on its back": (
        trs_of([0, 0, 0.3], [-np.pi / 2, 0, 0], 100.0),
        trs_of([0, 0, 0.01], [np.pi / 2, 0, 0]),
    ),
    "a hundredth, askew": (trs_of([3, 1, 2], [0.3, 1.1, -0.4], 0.01), trs_of([5, 90, -20], [0.5, 0.6, 0.7])),
    "upside down": (trs_of(turn=[np.pi, 0, 0]), trs_of([0, -1, 0])),
    "mirrored": (trs_of(scale=1.0) * np.append(np.ones(7), [-1, 1, 1]), trs_of([0, 1, 0], [0, 0.4, 0])),
}


@pytest.mark.parametrize("name", RIGS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_rig_comes_to_a_stand_and_is_put_back(name, dtype):
    clip = rig(*RIGS[name], dtype=dtype)
    travelled, turned = spread(clip, "Hips")
    assert travelled > 1.5
    assert turned > 2
    place = clip.extract_root_motion()
    assert place.root_motion.joints == ("Hips",)
    assert place.keys.dtype == dtype
    check_law(clip, place)
    travelled, turned = spread(place, "Hips", key_times(clip))
    assert travelled < 1e-5
    assert turned < 1e-5
    assert place.root_motion.turn == pytest.approx(2.5, abs=1e-5)


def test_rise_fall_and_lean_stay_in_the_clip():
    clip = rig(*RIGS["plain"])
    place = clip.extract_root_motion()
    times = key_times(clip)
    height, still = (c.skeleton.positions(c.sample(times))[:, 1, 1] for c in (clip, place))
    np.testing.assert_allclose(still, height, atol=1e-6)
    lean, still = (
        quat.swing_twist(c.sample(times)[:, 1, 3:7].astype(np.float64), [0, 1, 0])[0] for c in (clip, place)
    )
    np.testing.assert_allclose(np.abs(still[:, 3]), np.abs(lean[:, 3]), atol=1e-6)  # cosine of half of it


def test_a_straight_walk_is_found_again():
    walk = samples.humanoid().clips["walk"]
    stroll = walk.restore_root_motion()
    assert stroll.loop is False
    place = stroll.extract_root_motion(steady=True, yaw=False)
    assert place.loop is True
    np.testing.assert_allclose(place.root_motion.cycle, walk.root_motion.cycle, atol=1e-6)
    assert differ(walk, place, key_times(walk)) < 1e-6


def test_steady_leaves_sway_in_the_clip(bow):
    place = bow.extract_root_motion(steady=True)
    check_law(bow, place)
    steps = place.root_motion.between(np.arange(10) / 10 * bow.duration, np.arange(1, 11) / 10 * bow.duration)
    np.testing.assert_allclose(steps, np.tile(steps[0], (10, 1)), atol=2e-4)
    np.testing.assert_allclose(
        place.root_motion.cycle, bow.extract_root_motion().root_motion.cycle, atol=1e-9
    )
    assert place.root_motion.turn == pytest.approx(1.0, abs=1e-3)
    assert spread(place, "Pelvis")[0] > 0.02  # of sway
    assert spread(bow.extract_root_motion(), "Pelvis", key_times(bow))[0] < 1e-5


def test_an_arc_is_found_again(bow):
    place = bow.extract_root_motion(steady=True)
    # Of the pelvis, which is 10 mm behind the origin, on an arc of radius 1.4 m.
    assert place.root_motion.distance == pytest.approx(1.4, rel=0.01)
    sample = samples.humanoid().clips["walk"]
    np.testing.assert_allclose(place.sample(place.start), sample.sample(sample.start), atol=1e-5)


def test_full_turns_are_taken():
    clip = rig(*RIGS["plain"])
    turning = (
        clip.extract_root_motion()
        .with_root_motion(bend(clip, turn=3 * np.pi))
        .restore_root_motion(max_error=1e-5)
    )
    place = turning.extract_root_motion()
    check_law(turning, place)
    assert place.root_motion.turn == pytest.approx(3 * np.pi, abs=1e-4)
    even = turning.extract_root_motion(steady=True)
    check_law(turning, even)
    assert even.root_motion.turn == pytest.approx(3 * np.pi, abs=1e-4)


def test_what_is_not_taken_stays(bow):
    for options, travels, turns in (
        ({"yaw": False}, False, True),
        ({"translation": False}, True, False),
    ):
        place = bow.extract_root_motion(**options)
        check_law(bow, place)
        travelled, turned = spread(place, "Pelvis", key_times(bow))
        assert (travelled > 0.3) == travels
        assert (turned > 0.5) == turns


def test_height_is_taken_when_asked_for():
    clip = rig(*RIGS["plain"])
    place = clip.extract_root_motion(height=True)
    check_law(clip, place)
    heights = place.skeleton.positions(place.sample(key_times(clip)))[:, 1, 1]
    assert np.ptp(heights) < 1e-6
    assert np.ptp(place.root_motion.at(key_times(clip))[:, 1]) > 0.05
    assert np.ptp(clip.extract_root_motion().root_motion.at(key_times(clip))[:, 1]) == 0


def test_the_clip_in_place_stands_as_it_began(bow):
    moved = samples.humanoid().clips["walk"].with_root_motion(bend(bow, start=(4.0, 0.0, -3.0)))
    clip = moved.restore_root_motion()
    place = clip.extract_root_motion()
    check_law(clip, place)
    np.testing.assert_allclose(place.sample(place.start), clip.sample(clip.start), atol=1e-6)
    np.testing.assert_allclose(place.root_motion.track.sample(place.start)[0], trs.identity(), atol=1e-12)


def test_the_clip_in_place_stands_as_at_rest_if_asked_to(bow):
    moved = samples.humanoid().clips["walk"].with_root_motion(bend(bow, start=(4.0, 0.0, -3.0)))
    clip = moved.restore_root_motion()
    place = clip.extract_root_motion(reference="rest")
    check_law(clip, place)
    hips = place.skeleton.positions(place.sample(key_times(clip)))[:, 0]
    np.testing.assert_allclose(
        hips[:, [0, 2]], np.tile(place.skeleton.rest[0, [0, 2]], (len(hips), 1)), atol=1e-5
    )
    start = place.root_motion.track.sample(place.start)[0]
    assert abs(start[0] - 4) < 0.1
    assert abs(start[2] + 3) < 0.1
    np.testing.assert_array_equal(place.root_motion.at(place.start)[:3], 0)


def test_a_joint_is_taken_by_name_or_index(bow):
    by_name, by_index = (
        bow.extract_root_motion(joint=joint) for joint in ("Chest", bow.skeleton.index("Chest"))
    )
    assert by_name.root_motion.joints == by_index.root_motion.joints
    assert by_name.root_motion.joints[0] == "Chest"
    check_law(bow, by_name)  # below a pelvis and a spine that move, and with the legs that hang beside it


def test_what_moves_beside_the_joint_goes_along():
    rest = trs.identity(5, np.float64)
    rest[:, 0] = [0, 0, 0.3, -0.3, 2]
    skeleton = Skeleton(["Rig", "Body", "Foot.L", "Foot.R", "Lamp"], [-1, 0, 0, 0, 0], rest)
    times = np.linspace(0, 1, 11)
    poses = np.tile(rest, (11, 1, 1))
    poses[:, 1:4, 2] += 2 * times[:, None]
    poses[:, 2, 1] += np.sin(np.pi * times)
    clip = Clip.from_poses(skeleton, times, poses)
    place = clip.extract_root_motion("Body")
    assert place.root_motion.joints == ("Body", "Foot.L", "Foot.R")
    check_law(clip, place)
    assert np.ptp(skeleton.positions(place.sample(times))[..., 2], axis=0).max() < 1e-6
    np.testing.assert_array_equal(place.sample(times)[:, 4], np.tile(rest[4], (11, 1)))


def test_the_joint_that_carries_most_is_chosen():
    hero = samples.humanoid()
    assert hero.clips["walk"]._edited(root_motion=None).extract_root_motion().root_motion.joints == (
        "Pelvis",
    )
    skeleton = Skeleton(["Root", "Hips", "Prop"], [-1, 0, -1], trs.identity(3))
    poses = np.tile(trs.identity(3, np.float64), (2, 1, 1))
    poses[1, 2, 0] = 1  # the prop is moved, the root only turned
    poses[1, 0, 3:7] = quat.from_axis_angle(np.float64([0, 1, 0]), 0.5)
    poses[1, 1, 3:7] = quat.from_axis_angle(np.float64([1, 0, 0]), 0.5)
    skeleton = Skeleton(["Root", "Hips", "Prop", "Leg", "Head"], [-1, 0, -1, 1, 1], trs.identity(5))
    poses = np.concatenate([poses, poses[:, :1] * 0 + trs.identity(2)], axis=1)
    turned = Clip.from_poses(skeleton, [0, 1], poses).extract_root_motion()
    assert turned.root_motion.joints[0] == "Root"
    assert turned.root_motion.turn == pytest.approx(0.5, abs=1e-6)


def test_rounding_of_an_exporter_is_no_movement():
    skeleton = Skeleton(["Root", "Hips"], [-1, 0], trs.from_parts([[0, 0, 0], [0, 1.0, 0]]))
    poses = np.tile(skeleton.rest.astype(np.float64), (3, 1, 1))
    poses[:, 0, 0] = [0, 1e-6, -1e-6]
    poses[:, 1, 2] = [0, 1, 2]
    clip = Clip.from_poses(skeleton, [0, 1, 2], poses)
    assert clip.extract_root_motion().root_motion.joints[0] == "Hips"


def test_steps_stay_steps():
    skeleton = Skeleton(["it", "its head"], [-1, 0], trs.from_parts([[0, 0, 0], [0, 1.0, 0]]))
    times = np.float32([0, 1, 2, 3])
    jumps = np.float32([[0, 0, 0], [0, 0, 1], [0, 0, 3], [1, 0, 3]])
    clip = Clip("hop", skeleton, *packed([Track(0, TRANSLATION, STEP, times, jumps)], times.dtype))
    place = clip.extract_root_motion()
    for at in ([0, 1, 2, 3], [0.5, 1.5, 2.5, 2.999], [0.999, 1.999]):
        assert apart(clip, place, np.array(at)) < 1e-6
        assert differ(clip, place.restore_root_motion(), np.array(at)) < 1e-6
    np.testing.assert_allclose(place.root_motion.at([0.999, 1.0, 1.999, 2.0])[:, 2], [0, 1, 1, 3], atol=1e-6)
    assert len(key_times(place.root_motion.track)) == 7  # one, and two for each jump


def test_cubic_keys_become_as_many_as_needed():
    skeleton = Skeleton(["it", "its hand"], [-1, 0], trs.from_parts([[0, 0, 0], [0, 1.0, 0]]))
    times = np.float64([0, 1, 2])
    values = np.float64(
        [
            [[0, 0, 0], [0, 0, 0], [2, 0, 0]],
            [[0, 0, 1], [1, 0, 1], [0, 0, 1]],
            [[2, 0, 0], [2, 0, 0], [0, 0, 0]],
        ]
    )
    clip = Clip("swing", skeleton, *packed([Track(0, TRANSLATION, CUBICSPLINE, times, values)], times.dtype))
    counts = []
    for max_error in (1e-2, 1e-4, 1e-6):
        place = clip.extract_root_motion(max_error=max_error)
        assert apart(clip, place, np.linspace(0, 2, 999)) < 1.05 * max_error
        assert place.root_motion.error < max_error * skeleton.size
        counts.append(len(place.root_motion.track.keys))
    assert counts[0] < counts[1] < counts[2]
    assert apart(clip, place, times) < 1e-12


def test_moving_ancestors_are_kept():
    clip = rig(*RIGS["a hundred on its back"], dtype=np.float64)
    poses = clip.sample(key_times(clip))
    poses[:, 0, 3:7] = quat.multiply(
        quat.from_axis_angle(np.float64([1, 0, 0]), np.linspace(0, 0.7, 31)), poses[:, 0, 3:7]
    )
    poses[:, 0, :3] += np.linspace(0, 0.5, 31)[:, None]
    moved = Clip.from_poses(clip.skeleton, key_times(clip), poses)
    place = moved.extract_root_motion("Hips")
    check_law(moved, place)
    assert spread(place, "Hips", key_times(moved))[0] < 1e-9


def test_a_roll_does_not_spin_the_character():
    skeleton = Skeleton(["Hips", "Head"], [-1, 0], trs.from_parts([[0, 1.0, 0], [0, 0.6, 0]]))
    times = np.linspace(0, 1, 41)
    poses = np.tile(skeleton.rest.astype(np.float64), (41, 1, 1))
    poses[:, 0, 2] = 2 * times
    roll = quat.from_axis_angle(np.float64([1, 0, 0]), 2 * np.pi * times)
    poses[:, 0, 3:7] = quat.multiply(
        roll, quat.from_axis_angle(np.float64([0, 0, 1]), 0.1)
    )  # a little aslant
    clip = Clip.from_poses(skeleton, times, poses)
    motion = clip.extract_root_motion().root_motion
    yaw = 2 * np.arctan2(motion.at(times)[:, 4], motion.at(times)[:, 6])
    assert np.abs(np.unwrap(yaw)).max() < 0.6  # without care: half a turn at the top, and on to a whole one
    assert abs(motion.turn) < 1e-6
    check_law(clip, clip.extract_root_motion())


def test_markers_loop_and_name_stay(bow):
    marked = bow._edited(markers=[(0.2, "left"), (0.7, "right")], loop=True)
    for clip in (marked.extract_root_motion(), marked.extract_root_motion().restore_root_motion()):
        assert clip.markers == marked.markers
        assert clip.name == bow.name
        assert clip.loop is (clip.root_motion is not None)


def test_the_loop_is_guessed_anew(bow):
    assert bow.loop is False
    place = bow.extract_root_motion()
    assert place.loop is True
    assert place.root_motion.loop is True
    assert place.restore_root_motion().loop is False


def test_looping_in_place_is_travelling_on(bow):
    """The second turn of the clip in place, moved by its root motion, is the clip, begun at its end."""
    place = bow.extract_root_motion()
    motion, skeleton = place.root_motion, place.skeleton
    times = np.linspace(0.05, bow.duration - 0.05, 9)
    first = places(skeleton, bow.sample(times))
    second = trs.transform_point(
        motion.at(times + bow.duration)[:, None, None], places(skeleton, place.sample(times + bow.duration))
    )
    np.testing.assert_allclose(second, trs.transform_point(motion.cycle, first), atol=3e-4)


def test_other_tracks_are_as_they_were(bow):
    place = bow.extract_root_motion()
    old, new = ({(t.joint, t.path): t for t in unpacked(c.keys, c.tracks)} for c in (bow, place))
    assert old.keys() == new.keys()
    for joint, path in old.keys() - {(0, TRANSLATION), (0, ROTATION)}:
        np.testing.assert_array_equal(old[joint, path].values, new[joint, path].values)
        np.testing.assert_array_equal(old[joint, path].times, new[joint, path].times)


def test_a_clip_on_one_grid_keeps_it():
    clip = rig(*RIGS["plain"], frames=61)._edited(uniform=True)
    place = clip.extract_root_motion()
    assert place.uniform
    np.testing.assert_array_equal(key_times(place), key_times(clip))
    assert apart(clip, place, key_times(clip)) < 1e-6
    times = np.linspace(clip.start, clip.end, 999)
    measured = apart(clip, place, times)
    assert measured <= 1.1 * place.root_motion.error / clip.skeleton.size + 1e-6
    back = place.restore_root_motion()
    assert back.uniform
    assert differ(clip, back, times) < 1e-5


def test_nothing_moves():
    skeleton = Skeleton(["it"], [-1], trs.identity(1))
    for clip in (
        Clip.from_poses(skeleton, [0, 1], np.tile(skeleton.rest, (2, 1, 1))),
        Clip.from_poses(skeleton, [0.5], skeleton.rest[None]),
        Clip("empty", skeleton, np.zeros(0, np.float32), np.zeros(0, lissom.clip.TRACK_DTYPE)),
    ):
        place = clip.extract_root_motion()
        np.testing.assert_array_equal(place.root_motion.at([0.0, 3.0]), trs.identity(2))
        assert place.root_motion.duration == clip.duration
        np.testing.assert_allclose(place.restore_root_motion().sample(0.0), clip.sample(0.0))


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))])
def test_copies_have_it(bow, duplicate):
    place = bow.extract_root_motion()
    other = duplicate(place)
    times = np.linspace(-2, 2, 20)
    np.testing.assert_array_equal(other.root_motion.at(times), place.root_motion.at(times))
    assert other.root_motion.joints == ("Pelvis",)


# Edits: root motion goes along


EDITS = {
    "trimmed": lambda c: c.trimmed(0.2, 0.8),
    "reversed": lambda c: c.reversed(),
    "at_speed": lambda c: c.at_speed(1.7),
    "retimed": lambda c: c.retimed([0, 0.5, c.end], [0, 0.7, 1.5]),
    "shifted": lambda c: c.shifted(3.0),
    "mirrored": lambda c: c.mirrored(),
    "there_and_back": lambda c: c.there_and_back(),
    "resampled": lambda c: c.resampled(60),
    "renamed": lambda c: c.renamed("other"),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_of_the_clip_in_place_is_that_of_the_clip(bow, name):
    edited = EDITS[name](bow)
    back = EDITS[name](bow.extract_root_motion()).restore_root_motion(max_error=1e-6)
    assert (back.start, back.end) == pytest.approx((edited.start, edited.end), abs=1e-6)
    assert differ(edited, back, np.linspace(edited.start, edited.end, 200)) < 2e-6


def test_turns_joined_are_turns_looped(bow):
    place = bow.extract_root_motion()
    joined = place.concatenated(place)
    times = np.linspace(0, 2 * place.duration - 0.01, 99)
    wanted = trs.transform_point(
        place.root_motion.at(times)[:, None, None], places(place.skeleton, place.sample(times))
    )
    got = places(place.skeleton, joined.restore_root_motion().sample(times, loop=False))
    np.testing.assert_allclose(got, wanted, atol=1e-5)


def test_root_motion_is_saved_and_loaded(bow, tmp_path):
    hero, place = samples.humanoid(), bow.extract_root_motion()
    lissom.save_glb(
        lissom.Character(hero.name, hero.skeleton, hero.mesh, hero.skin, [place]), tmp_path / "hero.glb"
    )
    loaded = lissom.load(tmp_path / "hero.glb").clips["walk"]
    times = np.linspace(0, 5, 40)
    np.testing.assert_allclose(loaded.root_motion.at(times), place.root_motion.at(times), atol=1e-6)
    assert differ(loaded.restore_root_motion(), bow, np.linspace(0, bow.end, 50)) < BETWEEN


def test_keys_do_not_stand_next_to_each_other(bow):
    """Times of root motion and clip that are one but for rounding."""
    for clip in (bow, bow.extract_root_motion()):
        assert np.diff(key_times(clip)).min() > 1e-4


# Real characters: those that travel, and those whose rigs are unlike


def travels(name, clip, motion=None):
    return pytest.param(name, clip, id=f"{name.split('/')[-1]}-{clip}")


REAL = [
    travels("characters/kaykit/Knight.glb", "Dodge_Left"),  # by the root
    travels("characters/kaykit/Knight.glb", "Death_A"),  # by the hips, with controls beside them
    travels("characters/kaykit/Med_Special.glb", "Rig_Medium|Skeletons_Death"),
    travels("characters/quaternius/dinosaurs_pack/Trex.glb", "Armature|TRex_Death"),  # below a factor of 100
    travels("characters/quaternius/mech_pack/George.glb", "Death"),
]
IN_PLACE = [
    travels("characters/khronos/CesiumMan.glb", "clip_0"),  # below matrix nodes that turn z up into y up
    travels("characters/khronos/Fox.glb", "Run"),
    travels("characters/quaternius/animals_pack/Wolf.glb", "AnimalArmature|Gallop"),  # a factor of 100
    travels("characters/raylib/robot.glb", "Robot_Walking"),
    travels("characters/kaykit/Barbarian.glb", "Running_A"),
]


def clip_of(assets, name, clip):
    return lissom.load(assets / name).clips[clip]


@pytest.mark.parametrize(("name", "clip"), REAL + IN_PLACE)
@pytest.mark.parametrize("options", [{}, {"steady": True}, {"reference": "rest"}, {"height": True}], ids=str)
def test_real_clips_come_to_a_stand_and_are_put_back(assets, name, clip, options):
    real = clip_of(assets, name, clip)
    check_law(real, real.extract_root_motion(**options))


@pytest.mark.parametrize(("name", "clip"), REAL)
def test_real_clips_travel(assets, name, clip):
    real = clip_of(assets, name, clip)
    motion = real.extract_root_motion().root_motion
    assert np.linalg.norm(motion.cycle[:3]) > 0.15 * real.skeleton.size


@pytest.mark.parametrize(("name", "clip"), IN_PLACE)
def test_real_clips_sent_along_a_bend_come_back(assets, name, clip):
    """Put a bend under a clip in place, take it out by another joint's measure, and find the bend."""
    real = clip_of(assets, name, clip)
    size = real.skeleton.size
    sent = real.with_root_motion(bend(real, turn=2.0, step=3 * size, start=(size, 0, -2 * size)))
    clip = sent.restore_root_motion()
    place = clip.extract_root_motion(steady=True, reference="rest")
    check_law(clip, place, between=2.1e-4)
    motion = place.root_motion
    # What the first and the last pose of the clip differ by is taken, too.
    step = real.extract_root_motion(steady=True).root_motion
    assert motion.turn == pytest.approx(2.0 + step.turn, abs=1e-3)
    assert motion.distance == pytest.approx(3 * size, rel=0.15)


@pytest.mark.parametrize("name", ["01_01", "dab", "jumping", "jumping_jacks", "zombie"])
@pytest.mark.parametrize("options", [{}, {"steady": True}, {"reference": "rest"}], ids=str)
def test_motion_capture_comes_to_a_stand(assets, name, options):
    """Three of them have z up: their hips lie on their backs all the time, where a turn is hard to tell."""
    clip = next(iter(lissom.load_bvh(assets / "bvh" / f"{name}.bvh").clips.values()))
    place = clip.extract_root_motion(**options)
    check_law(clip, place)
    assert len(place.keys) < 1.2 * len(clip.keys)
    if not options:
        assert spread(place, "Hips", key_times(clip)[::10])[0] < 1e-9 * clip.skeleton.size


def test_every_real_clip_is_put_back(assets):
    """Of each character some clips: what moves and what does not, at its keys and between."""
    files = sorted((assets / "characters").rglob("*.gl*"))
    checked, worst = 0, 0.0
    for file in files[::3]:
        try:
            clips = list(lissom.load(file).clips.values())
        except lissom.GltfError:  # compressed
            continue
        for clip in clips[:: max(1, len(clips) // 3)]:
            if not clip.skeleton.size:
                continue
            place = clip.extract_root_motion()
            times = np.linspace(clip.start, clip.end, 101)
            back = place.restore_root_motion()
            worst = max(worst, differ(clip, back, times))
            assert apart(clip, place, times) < BETWEEN
            checked += 1
    assert checked > 20
    assert worst < 2e-6


# Refusals


def test_errors_say_what_to_do(bow):
    place = bow.extract_root_motion()
    with pytest.raises(ValueError, match="clip 'walk' has root motion already; put it back first"):
        place.extract_root_motion()
    with pytest.raises(ValueError, match="clip 'walk' has no root motion to put back"):
        bow.restore_root_motion()
    with pytest.raises(ValueError, match="the clip is additive; extract before make_additive"):
        bow._edited(additive=True).extract_root_motion()
    with pytest.raises(ValueError, match="at least one of translation, yaw and height"):
        bow.extract_root_motion(translation=False, yaw=False)
    with pytest.raises(ValueError, match="reference must be 'start' or 'rest', got 'end'"):
        bow.extract_root_motion(reference="end")
    with pytest.raises(ValueError, match="no joint is named 'Pelvs'; did you mean 'Pelvis'"):
        bow.extract_root_motion("Pelvs")
    for bad in (0, -1, np.nan, np.inf):
        with pytest.raises(ValueError, match="max_error must be above zero and finite"):
            bow.extract_root_motion(max_error=bad)
    stranger = place.with_root_motion(RootMotion(place.root_motion.track, ["Hip"]))
    with pytest.raises(ValueError, match="no joint is named 'Hip'"):
        stranger.restore_root_motion()


def test_root_motion_by_hand_must_fit_the_clip():
    clip = samples.humanoid().clips["idle"]
    motion = bend(clip)
    assert clip.with_root_motion(motion).root_motion.loop is True
    assert clip.with_root_motion(motion).with_root_motion(None).root_motion is None
    with pytest.raises(
        ValueError, match=r"motion must last from 0 s to 4 s like the clip, got 0 s to 1\.1 s"
    ):
        clip.with_root_motion(samples.humanoid().clips["walk"].root_motion)
    with pytest.raises(TypeError, match="motion must be a RootMotion or None, got Clip"):
        clip.with_root_motion(motion.track)
    with pytest.raises(ValueError, match="an additive clip moves no character"):
        lissom.make_additive(clip).with_root_motion(motion)


def test_uneven_scales_above_bear_no_turn():
    uneven = trs_of() * np.append(np.ones(7), [1, 2, 1])
    rest = np.stack([uneven, trs_of([0, 1, 0])])
    skeleton = Skeleton(["Armature", "Hips"], [-1, 0], rest)
    poses = np.tile(rest, (11, 1, 1))
    poses[:, 0, 3:7] = quat.from_axis_angle(np.float64([0, 0, 1]), 0.4)
    poses[:, 1, 0] = np.linspace(0, 1, 11)
    poses[:, 1, 3:7] = quat.from_axis_angle(np.float64([0, 1, 0]), np.linspace(0, 1, 11))
    clip = Clip.from_poses(skeleton, np.arange(11) / 10, poses)
    with pytest.raises(
        ValueError, match="joints above 'Hips' whose scale is the same along all axes; pass yaw=False"
    ):
        clip.extract_root_motion("Hips")
    check_law(clip, clip.extract_root_motion("Hips", yaw=False))


def test_joints_without_size_above_are_refused():
    rest = np.stack([trs_of(), trs_of([0, 1, 0])])
    skeleton = Skeleton(["Armature", "Hips"], [-1, 0], rest)
    poses = np.tile(rest, (3, 1, 1))
    poses[:, 1, 0] = [0, 1, 2]
    poses[2, 0, 7:] = 0
    clip = Clip.from_poses(skeleton, [0, 1, 2], poses)
    with pytest.raises(ValueError, match="got a scale of zero above 'Hips'; choose a joint further up"):
        clip.extract_root_motion("Hips")


def test_a_joint_of_zero_scale_can_move():
    rest = trs_of([0, 1, 0])[None]
    skeleton = Skeleton(["Hips", "Head"], [-1, 0], np.concatenate([rest, rest]))
    poses = np.tile(skeleton.rest.astype(np.float64), (3, 1, 1))
    poses[:, 0, 0] = [0, 1, 2]
    poses[:, 0, 3:7] = quat.from_axis_angle(np.float64([0, 1, 0]), 0.5)
    poses[0, 0, 7:] = 0  # it grows out of nothing
    place = Clip.from_poses(skeleton, [0, 1, 2], poses).extract_root_motion()
    assert abs(place.root_motion.turn) < 1e-6
    np.testing.assert_allclose(place.root_motion.cycle[:3], [2, 0, 0], atol=1e-6)
    np.testing.assert_allclose(place.sample([0, 1, 2])[:, 0, 7:], poses[:, 0, 7:])
