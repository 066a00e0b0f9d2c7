# SPDX-License-Identifier: MIT
"""Root motion taken out of clips and put back: root and clip in place together are the clip."""

import numpy as np
import pytest

import lissom
from lissom import Clip, Skeleton, quat, samples, trs
from lissom.clip import CUBICSPLINE, STEP, TRANSLATION
from lissom.clip._tracks import Track, packed
from random_rigs import random_quats
from root_motion_laws import apart, bend, check_law, differ, key_times, spread, trs_of, walk_in_an_arc


@pytest.fixture
def bow():
    return walk_in_an_arc()


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
