# SPDX-License-Identifier: MIT
"""Differences between poses, and poses with differences on top."""

import numpy as np
import pytest

import lissom
from lissom import Clip, Skeleton, quat
from random_rigs import random_clip, random_poses, random_skeleton
from reference import additive as twin
from test_blend import DTYPES, JOINTS, assert_same, negated

# Of unit-sized numbers: a product, a slerp and the estimate of 1 / sqrt in float32.
TOLERANCE = {np.float32: 1e-6, np.float64: 2e-15}
# A clip's keys lose a rounding of their own when they are transformed.
SAMPLED = {np.float32: 2e-6, np.float64: 4e-15}

NO_DIFFERENCE = [0, 0, 0, 0, 0, 0, 1, 0, 0, 0]


def rests_elsewhere(rng: np.random.Generator, dtype: type, **options: bool) -> Clip:
    """A clip some of whose joints have no track, and of all kinds of interpolation."""
    return random_clip(rng, random_skeleton(rng, 12, scaled=True), dtype, **options)


# Poses


@DTYPES
@JOINTS
def test_differences_are_the_twin(dtype: type, joints: int) -> None:
    rng = np.random.default_rng(joints)
    pose, reference = random_poses(rng, 2, joints).astype(dtype)
    got = lissom.make_additive(pose, reference)
    assert got.dtype == dtype
    assert_same(got, twin.difference(pose, reference), TOLERANCE[dtype])


def test_a_difference_is_in_the_axes_of_the_joint() -> None:
    # A quarter turn about y, then one about the joint's own x: on a base that is not turned, about x itself.
    half = np.sqrt(0.5)
    about_x, about_y = [half, 0, 0, half], [0, half, 0, half]
    rest = np.float64([[0, 0, 0, 0, 0, 0, 1, 1, 1, 1]])
    reference, pose = rest.copy(), rest.copy()
    reference[0, 3:7] = about_y
    pose[0, 3:7] = quat.multiply(about_y, about_x)
    delta = lissom.make_additive(pose, reference)
    np.testing.assert_allclose(delta[0, 3:7], about_x, atol=1e-15)
    np.testing.assert_allclose(lissom.add_layer(rest, delta)[0, 3:7], about_x, atol=1e-15)


@DTYPES
@JOINTS
def test_add_layer_is_the_twin(dtype: type, joints: int) -> None:
    rng = np.random.default_rng(joints)
    base, other = random_poses(rng, 2, joints).astype(dtype)
    delta = lissom.make_additive(other, base[::-1].copy())
    mask = rng.uniform(-1, 2, size=joints).astype(dtype)
    for weight in (0.0, 0.3, 1.0, 1.7, -0.6):
        for own_mask in (None, mask):
            got = lissom.add_layer(base, delta, weight, own_mask)
            assert got.dtype == dtype
            assert_same(got, twin.add_layer(base, delta, weight, own_mask), 2 * TOLERANCE[dtype])


@DTYPES
def test_full_weight_on_the_reference_gives_the_source_back(dtype: type) -> None:
    rng = np.random.default_rng(1)
    poses, reference = random_poses(rng, 100, 30).astype(dtype), random_poses(rng, 30).astype(dtype)
    poses[:20, :, 3:7] = reference[:, 3:7]  # no turn at all, and half turns
    poses[20:40, :, 3:7] = quat.multiply(reference[:, 3:7], np.array([0, 1, 0, 0], dtype))
    got = lissom.add_layer(reference, lissom.make_additive(poses, reference))
    assert_same(got, poses, TOLERANCE[dtype])


@DTYPES
def test_weight_0_changes_nothing_to_the_bit(dtype: type) -> None:
    base = random_poses(np.random.default_rng(2), 21).astype(dtype)
    base[0, 0] = -0.0
    nothing = np.full_like(base, np.nan)
    assert lissom.add_layer(base, nothing, 0).tobytes() == base.tobytes()
    half = np.arange(21) % 2
    got = lissom.add_layer(base, nothing, 1, half)
    assert got[half == 0].tobytes() == base[half == 0].tobytes()
    assert np.isnan(got[half == 1]).all()


@DTYPES
def test_no_difference_changes_nothing(dtype: type) -> None:
    base = random_poses(np.random.default_rng(3), 21).astype(dtype)
    got = lissom.add_layer(base, np.tile(np.array(NO_DIFFERENCE, dtype), (21, 1)))
    assert_same(got, base, TOLERANCE[dtype])


@DTYPES
def test_weights_of_one_difference_add_up(dtype: type) -> None:
    rng = np.random.default_rng(4)
    base, other, reference = random_poses(rng, 3, 40).astype(dtype)
    delta = lissom.make_additive(other, reference)
    whole = lissom.add_layer(base, delta, 0.9)
    parts = lissom.add_layer(lissom.add_layer(base, delta, 0.3), delta, 0.6)
    assert_same(parts, whole, 3 * TOLERANCE[dtype])
    assert_same(lissom.add_layer(whole, delta, -0.9), base, 3 * TOLERANCE[dtype])
    # Twice the weight is the whole difference twice.
    twice = lissom.add_layer(lissom.add_layer(base, delta), delta)
    assert_same(lissom.add_layer(base, delta, 2), twice, 3 * TOLERANCE[dtype])


def test_half_the_weight_is_half_the_angle_the_short_way() -> None:
    rng = np.random.default_rng(5)
    base, other = random_poses(rng, 2, 200)
    delta = lissom.make_additive(other, base)
    half = lissom.add_layer(base, delta, 0.5)
    whole = quat.angle_between(base[:, 3:7], other[:, 3:7])
    assert whole.max() > 3
    np.testing.assert_allclose(quat.angle_between(base[:, 3:7], half[:, 3:7]), whole / 2, atol=1e-14)


@DTYPES
def test_signs_of_quaternions_do_not_matter(dtype: type) -> None:
    rng = np.random.default_rng(6)
    base, other, reference = random_poses(rng, 3, 50).astype(dtype)
    want = lissom.add_layer(base, lissom.make_additive(other, reference), 0.4)
    for _ in range(4):
        delta = lissom.make_additive(negated(other, rng), negated(reference, rng))
        got = lissom.add_layer(negated(base, rng), negated(delta, rng), 0.4)
        np.testing.assert_array_equal(np.abs(got), np.abs(want))


def test_a_scale_of_zero_in_the_reference_is_safe() -> None:
    rng = np.random.default_rng(7)
    pose, reference = random_poses(rng, 2, 5)
    reference[2, 7:] = 0
    pose[3, 7:] = 0
    delta = lissom.make_additive(pose, reference)
    assert np.isfinite(delta).all()
    assert_same(lissom.add_layer(reference, delta), pose, 1e-15)


def test_leading_axes_broadcast_and_out_is_written() -> None:
    rng = np.random.default_rng(8)
    base, delta = random_poses(rng, 4, 1, 9), random_poses(rng, 5, 9)
    weight, mask = rng.uniform(size=(2, 1, 1)), rng.uniform(size=(4, 5, 9))
    out = np.empty((2, 4, 5, 9, 10))
    assert lissom.add_layer(base, delta, weight, mask, out=out) is out
    for i, j, k in np.ndindex(2, 4, 5):
        want = lissom.add_layer(base[j, 0], delta[k], weight[i, 0, 0], mask[j, k])
        np.testing.assert_array_equal(out[i, j, k], want)


def test_float64_is_never_narrowed() -> None:
    rng = np.random.default_rng(9)
    a, b = random_poses(rng, 2, 3)
    assert lissom.make_additive(a, b.astype(np.float32)).dtype == np.float64
    assert lissom.make_additive(a.astype(np.float32), b).dtype == np.float64
    assert lissom.add_layer(a.astype(np.float32), b).dtype == np.float64
    single = lissom.make_additive(a.astype(np.float32), b.astype(np.float32))
    assert lissom.add_layer(a.astype(np.float32), single, np.float64(0.5)).dtype == np.float32


# Clips


@DTYPES
@pytest.mark.parametrize("seed", range(4))
def test_an_additive_clip_is_the_difference_of_the_samples(dtype: type, seed: int) -> None:
    rng = np.random.default_rng(seed)
    clip = rests_elsewhere(rng, dtype)
    reference = random_poses(rng, 12).astype(dtype)
    times = np.append(rng.uniform(clip.start, clip.end, 200), [clip.start, clip.end])
    for own in (None, reference, clip.skeleton.rest, Clip.from_poses(clip.skeleton, [2], reference[None])):
        got = lissom.make_additive(clip, own)
        assert got.additive
        assert got.keys.dtype == dtype
        assert (got.start, got.end, got.name) == (clip.start, clip.end, clip.name)
        if own is None:
            pose = clip.sample(clip.start, loop=False)
        else:
            pose = own.sample(2.0) if isinstance(own, Clip) else own
        samples = clip.sample(times, loop=False)
        # An overshooting spline is far longer than one: its rounding is measured by it.
        size = max(1, np.abs(samples).max(), np.abs(clip.keys).max())
        want = lissom.make_additive(samples.astype(np.float64), pose)
        want[..., 3:7] = quat.normalize(want[..., 3:7])  # a rest rotation is unit within float32
        assert_same(got.sample(times, loop=False), want, SAMPLED[dtype] * size)


def test_an_additive_clip_starts_from_no_difference() -> None:
    rng = np.random.default_rng(10)
    clip = rests_elsewhere(rng, np.float64)
    start = lissom.make_additive(clip).sample(clip.start)
    assert_same(start, np.tile(np.float64(NO_DIFFERENCE), (12, 1)), 1e-15)
    # A track without a difference is left out.
    still = lissom.make_additive(clip, clip)
    assert {(t["joint"], t["path"]) for t in still.tracks} == {(t["joint"], t["path"]) for t in clip.tracks}


def test_a_joint_without_a_track_gets_one_where_the_reference_is_elsewhere() -> None:
    rng = np.random.default_rng(11)
    skeleton = random_skeleton(rng, 3)
    poses = np.tile(skeleton.rest, (4, 1, 1))
    poses[:, 0, 0] += np.arange(4)
    clip = Clip.from_poses(skeleton, np.arange(4) / 2, poses, loop=False)
    reference = skeleton.rest.copy()
    reference[2, 7] = 0
    got = lissom.make_additive(clip, reference)
    assert [(t["joint"], t["path"], t["key_count"]) for t in got.tracks] == [(0, 0, 4), (2, 2, 1)]
    want = skeleton.rest[2, 7] - 0
    assert (got.sample([0, 0.7, 1.5])[:, 2, 7] == want).all()
    uniform = lissom.make_additive(clip._edited(uniform=True), reference)
    assert uniform.uniform
    assert [(t["joint"], t["path"], t["key_count"]) for t in uniform.tracks] == [(0, 0, 4), (2, 2, 4)]
    assert len(set(uniform.tracks["times"])) == 1


def test_an_additive_clip_keeps_loop_and_markers_and_leaves_root_motion() -> None:
    walk = lissom.samples.humanoid().clips["walk"]
    marked = walk._edited(markers=[(walk.start, "left")])
    got = lissom.make_additive(marked)
    assert got.loop is walk.loop is True
    assert lissom.make_additive(walk._edited(loop="ping_pong")).loop == "ping_pong"
    assert got.markers == marked.markers
    assert got.root_motion is None
    assert "additive" in repr(got)
    assert not walk.additive


@pytest.mark.parametrize("name", ["idle", "walk", "run", "wave", "lean"])
def test_a_sample_clip_comes_back_on_top_of_its_start(name: str) -> None:
    clip = lissom.samples.humanoid().clips[name]
    times = np.linspace(clip.start, clip.end, 50)
    samples = clip.sample(times, loop=False)
    delta = lissom.make_additive(clip).sample(times, loop=False)
    assert_same(lissom.add_layer(clip.at(0), delta), samples, 2e-6)


def test_a_clip_without_tracks_is_a_constant_difference() -> None:
    skeleton = random_skeleton(np.random.default_rng(12), 2)
    empty = Clip("none", skeleton, np.zeros(0, np.float32), np.zeros(0, lissom.clip.TRACK_DTYPE))
    reference = skeleton.rest.copy()
    reference[1, :3] += 1
    constant = lissom.make_additive(empty, reference)
    assert (constant.start, constant.end) == (empty.start, empty.end)
    got = constant.sample(0.5)
    np.testing.assert_allclose(got[1, :3], -1, atol=1e-6)
    np.testing.assert_array_equal(got[0], NO_DIFFERENCE)


# What is refused


@pytest.fixture
def clip() -> Clip:
    return rests_elsewhere(np.random.default_rng(13), np.float32)


def test_an_additive_clip_is_not_made_additive_again(clip: Clip) -> None:
    with pytest.raises(
        ValueError, match=r"make_additive: pose_or_clip must hold poses, got 'random', additive already"
    ):
        lissom.make_additive(lissom.make_additive(clip))
    with pytest.raises(ValueError, match="reference must be a pose, got an additive clip"):
        lissom.make_additive(clip, lissom.make_additive(clip))


def test_a_reference_is_needed_and_fits(clip: Clip) -> None:
    rest = clip.skeleton.rest
    with pytest.raises(
        ValueError, match="make_additive: reference must be a pose to subtract from poses, got None"
    ):
        lissom.make_additive(rest)
    with pytest.raises(ValueError, match=r"reference must have 12 joints like the other poses, got 3"):
        lissom.make_additive(clip, rest[:3])
    with pytest.raises(ValueError, match=r"reference must have shape \(12, 10\), got \(1, 12, 10\)"):
        lissom.make_additive(clip, rest[None])
    broken = rest.copy()
    broken[4, 0] = np.nan
    with pytest.raises(ValueError, match="reference must be finite, got NaN or infinity at joint 4"):
        lissom.make_additive(rest, broken)
    broken[4] = 0
    with pytest.raises(ValueError, match=r"reference rotations must be unit .*, got length 0 at joint 4"):
        lissom.make_additive(clip, broken)


def test_a_reference_clip_moves_the_same_skeleton(clip: Clip) -> None:
    rng = np.random.default_rng(14)
    other = Skeleton([*clip.skeleton.names[:11], "tail"], clip.skeleton.parents, clip.skeleton.rest)
    with pytest.raises(ValueError, match="must be of the same skeleton, but joint 11 is 'tail' there"):
        lissom.make_additive(clip, random_clip(rng, other))
    twin_skeleton = Skeleton(clip.skeleton.names, clip.skeleton.parents, clip.skeleton.rest)
    assert lissom.make_additive(clip, random_clip(rng, twin_skeleton)).additive


@pytest.mark.parametrize("weight", [np.nan, np.inf])
def test_weights_are_finite(weight: float) -> None:
    pose = random_poses(np.random.default_rng(15), 4, 3).astype(np.float32)
    with pytest.raises(ValueError, match="add_layer: weight must be finite, got"):
        lissom.add_layer(pose, pose, weight)
    with pytest.raises(ValueError, match=r"add_layer: weight must be finite, got .* for pose 2"):
        lissom.add_layer(pose, pose, [0, 0, weight, 0])
    with pytest.raises(ValueError, match=r"add_layer: mask must be finite, got .* for joint 1"):
        lissom.add_layer(pose, pose, 1, [0, weight, 0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_whole_numbers_beyond_all_floats_are_not_finite(dtype: type) -> None:
    pose = random_poses(np.random.default_rng(15), 3).astype(dtype)
    with pytest.raises(ValueError, match="add_layer: weight must be finite, got inf"):
        lissom.add_layer(pose, pose, 10**400)
    with pytest.raises(ValueError, match="add_layer: weight must be finite, got -inf"):
        lissom.add_layer(pose, pose, -(10**400))
    with pytest.raises(ValueError, match=r"blend: weight must lie in \[0, 1\], got inf"):
        lissom.blend(pose, pose, 10**400)
    with pytest.raises(ValueError, match=r"blend_layers: weights\[1\] must be .* finite, got inf"):
        lissom.blend_layers([pose, pose], [1, 10**400])


def test_poses_of_another_skeleton_are_refused() -> None:
    pose = random_poses(np.random.default_rng(16), 3).astype(np.float32)
    with pytest.raises(
        ValueError, match="add_layer: additive must have 3 joints like the other poses, got 2"
    ):
        lissom.add_layer(pose, pose[:2].copy())
    with pytest.raises(ValueError, match="add_layer: out shares memory with base"):
        lissom.add_layer(pose, pose.copy(), out=pose)
