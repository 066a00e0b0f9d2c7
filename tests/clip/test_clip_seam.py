# SPDX-License-Identifier: MIT
"""Loops closed: the last pose is the first, and without a jump in speed."""

import numpy as np
import pytest

import lissom
from clip_laws import KINDS, any_clip, assert_same_poses, inner_times, uniform_clip
from lissom import Clip, Skeleton, quat
from lissom.clip import LINEAR

MEETS = 1e-6


def ends(clip: Clip) -> np.ndarray:
    return clip.sample([clip.start, clip.end], loop=False)


def assert_closes(clip: Clip) -> None:
    assert clip.loop is True
    first, last = ends(clip)
    assert_same_poses(last, first, MEETS)


def angles(poses: np.ndarray) -> np.ndarray:
    """Angles from each pose to the next, (T - 1, J)."""
    turns = quat.normalize(poses[..., 3:7].astype(float))
    return quat.angle_between(turns[1:], turns[:-1])


@pytest.mark.parametrize(("dtype", "shared"), KINDS)
@pytest.mark.parametrize("share", [None, 0.3])
def test_the_last_pose_is_the_first(dtype: type, shared: bool, share: float | None) -> None:
    for seed in range(5):
        clip = any_clip(seed, dtype, shared)
        closed = clip.closed_loop(over=share and share * clip.duration, keep=())
        assert_closes(closed)
        assert (closed.start, closed.end) == (clip.start, clip.end)
        assert_same_poses(ends(closed)[0], ends(clip)[0], MEETS)
        if share:  # before the window nothing is touched
            times = inner_times(clip, end=clip.end - share * clip.duration)
            assert_same_poses(closed.sample(times, False), clip.sample(times, False), 2e-5)


@pytest.mark.parametrize("share", [1.0, 0.4])
def test_nothing_moves_faster_than_the_seam_over_the_time(share: float) -> None:
    clip = any_clip(7, np.float64, False, joints=12)
    linear = Clip("l", clip.skeleton, clip.keys, clip.tracks[clip.tracks["interpolation"] == LINEAR])
    over = share * linear.duration
    closed = linear.closed_loop(over=over, keep=())
    times = np.linspace(linear.start, linear.end, 20001)

    def fastest(steps: np.ndarray) -> np.ndarray:
        """Of each step and its neighbours: one across a key cuts the corner."""
        return np.max([steps, np.roll(steps, 1, axis=0), np.roll(steps, -1, axis=0)], axis=0)

    old, new = linear.sample(times, False), closed.sample(times, False)
    first, last = ends(linear)
    seam = angles(np.stack([first, last]))[0]
    step = times[1] - times[0]
    assert (angles(new) <= fastest(angles(old)) + seam * step / over + 1e-9).all()
    assert seam.max() > 1
    distance = np.linalg.norm(np.diff(new[..., :3], axis=0), axis=-1)
    before = np.linalg.norm(np.diff(old[..., :3], axis=0), axis=-1)
    gap = np.linalg.norm(last[:, :3] - first[:, :3], axis=-1)
    assert (distance <= fastest(before) + gap * step / over + 1e-9).all()


def test_vectors_gain_a_straight_line_between_keys_too() -> None:
    clip = any_clip(8, np.float64, True)
    vectors = clip.tracks[(clip.tracks["path"] != 1) & (clip.tracks["interpolation"] != 0)]
    clip = Clip("vectors", clip.skeleton, clip.keys, vectors)
    over = 0.6 * clip.duration
    closed = clip.closed_loop(over=over, keep=())
    times = np.linspace(clip.start, clip.end, 300)
    weight = ((times - (clip.end - over)) / over).clip(0, 1)[:, None, None]
    first, last = ends(clip)
    want = clip.sample(times, False) + weight * (first - last)
    assert_same_poses(closed.sample(times, False), want, 1e-9)


def test_splines_of_rotations_follow_the_turn() -> None:
    """Keys 0.05 s apart: between them the spline is off by the fourth power of that."""
    rng = np.random.default_rng(2)
    times = np.arange(41) / 40
    phases = rng.uniform(0, 6, 3)
    vectors = 0.8 * np.sin(2 * times[:, None] + phases)
    skeleton = Skeleton(["a"], [-1], np.float32([[0, 0, 0, 0, 0, 0, 1, 1, 1, 1]]))
    poses = np.tile(skeleton.rest.astype(float), (41, 1, 1))
    poses[:, 0, 3:7] = quat.from_rotation_vector(vectors)
    dense = Clip.from_poses(skeleton, times, poses)
    from lissom.clip._cuts import as_cubic
    from lissom.clip._tracks import packed, unpacked

    cubic = [as_cubic(track, np.dtype(float)) for track in unpacked(dense.keys, dense.tracks)]
    clip = Clip("cubic", skeleton, *packed(cubic, np.dtype(float)))
    closed = clip.closed_loop(over=0.5)
    assert_closes(closed)
    fine = np.linspace(0, 1, 500)
    first, last = ends(clip)[:, 0, 3:7]
    turn = quat.log(quat.multiply(quat.conjugate(last), first))
    weight = ((fine - 0.5) / 0.5).clip(0, 1)[:, None]
    want = quat.multiply(clip.sample(fine, False)[:, 0, 3:7], quat.exp(weight * turn))
    got = closed.sample(fine, False)[:, 0, 3:7]
    sign = np.where(np.sum(got * want, axis=1, keepdims=True) < 0, -1, 1)
    np.testing.assert_allclose(sign * got, want, atol=1e-6)


def test_what_closes_keeps_its_keys() -> None:
    for name in ("idle", "walk", "run", "lean"):
        clip = lissom.samples.humanoid().clips[name]
        closed = clip.closed_loop()
        first, last = ends(clip)
        if np.abs(first - last).max() <= 1e-7:
            np.testing.assert_array_equal(closed.keys, clip.keys)
        assert np.abs(closed.sample(clip.start + 0.3) - clip.sample(clip.start + 0.3)).max() < 1e-6
    one = any_clip(1, np.float32, True).closed_loop(keep=())
    np.testing.assert_array_equal(one.closed_loop(keep=()).tracks["key_count"], one.tracks["key_count"])


def test_travel_is_left_alone_unless_asked() -> None:
    walk = lissom.samples.humanoid().clips["walk"].trimmed(0.05, 0.9)
    pelvis = int(walk.tracks["joint"][walk.tracks["path"] == 0][0])
    poses = walk.sample(np.linspace(walk.start, walk.end, 30))
    poses[:, pelvis, 2] += np.linspace(0, 1.5, 30)
    going = Clip.from_poses(walk.skeleton, np.linspace(0, 1, 30), poses)
    closed = going.closed_loop()
    times = np.linspace(0, 1, 50)
    np.testing.assert_allclose(
        closed.sample(times)[:, pelvis, :3][:-1], going.sample(times)[:, pelvis, :3][:-1]
    )
    first, last = ends(closed)
    first[pelvis, :3] = last[pelvis, :3] = 0
    assert_same_poses(last, first, MEETS)
    assert_closes(going.closed_loop(keep=()))
    name = walk.skeleton.names[pelvis]
    np.testing.assert_array_equal(going.closed_loop(keep=name).keys, closed.keys)
    np.testing.assert_array_equal(going.closed_loop(keep=[pelvis]).keys, closed.keys)


def test_only_the_joints_asked_for() -> None:
    clip = uniform_clip(3, np.float64)
    closed = clip.closed_loop(joints=["joint 1", 2], keep=())
    first, last = ends(closed)
    assert_same_poses(last[1:3], first[1:3], MEETS)
    np.testing.assert_array_equal(last[[0, 3, 4, 5]], ends(clip)[1][[0, 3, 4, 5]])


def test_uniform_clips_stay_uniform() -> None:
    clip = uniform_clip(3, np.float32)._edited(additive=True, markers=[(0.5, "half")])
    for over in (None, 0.3):
        closed = clip.closed_loop(over=over, keep=())
        assert closed.uniform
        assert closed.additive
        assert closed.markers == clip.markers
        assert_closes(closed)
        np.testing.assert_array_equal(closed.tracks["key_count"], clip.tracks["key_count"])


def test_root_motion_may_travel() -> None:
    walk = lissom.samples.humanoid().clips["walk"].trimmed(0.1, 0.9)
    closed = walk.closed_loop()
    np.testing.assert_allclose(closed.root_motion.cycle, walk.root_motion.cycle)
    assert closed.root_motion.loop is True


def test_real_clips(asset) -> None:
    for clip in lissom.load(asset("characters/kaykit/Knight.glb")).clips.values():
        if clip.duration > 0:
            closed = clip.closed_loop(over=min(0.2, clip.duration), keep=())
            first, last = ends(closed)
            assert_same_poses(last, first, 2e-6)


def test_what_is_refused() -> None:
    clip = any_clip(4, np.float32, False)
    for over in (0, -1, 50):
        with pytest.raises(
            ValueError, match=r"Clip.closed_loop: over must be above zero and at most the .* got"
        ):
            clip.closed_loop(over=over)
    with pytest.raises(ValueError, match=r"Clip.closed_loop: over must be finite, got nan"):
        clip.closed_loop(over=np.nan)
    with pytest.raises(ValueError, match=r"no joint is named 'joint x'; did you mean"):
        clip.closed_loop(joints="joint x")
    still = Clip.from_poses(clip.skeleton, [1.0], clip.skeleton.rest[None])
    with pytest.raises(ValueError, match=r"Clip.closed_loop: the clip must have a duration, got 'clip'"):
        still.closed_loop()
