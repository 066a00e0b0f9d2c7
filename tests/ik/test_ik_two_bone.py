# SPDX-License-Identifier: MIT
"""The analytic solver of limbs, judged by forward kinematics of its answers."""

import numpy as np
import pytest

import lissom
from lissom import ik, quat, samples
from random_rigs import random_quats
from reference import ik as twin

# Of positions of a limb of length 1 or so.
CLOSE = {np.float32: 2e-6, np.float64: 1e-13}
each_dtype = pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])


def skeleton_of(offsets, rotations=None, scales=None):
    """Joints a, b, c, ... one below the other."""
    rest = np.zeros((len(offsets), 10), np.float32)
    rest[:, 6:] = 1
    rest[:, :3] = offsets
    if rotations is not None:
        rest[:, 3:7] = rotations
    if scales is not None:
        rest[:, 7:] = scales
    names = [chr(ord("a") + joint) for joint in range(len(offsets))]
    return lissom.Skeleton(names, range(-1, len(offsets) - 1), rest)


def limb(upper=1.0, lower=1.0, bend=0.4, **options):
    """A limb up y, bent forwards (about x) by `bend` in its rest pose."""
    rotations = quat.from_axis_angle([1, 0, 0], [0, bend, 0])
    return ik.Chain(skeleton_of([[0, 0, 0], [0, upper, 0], [0, lower, 0]], rotations), "a", "c", **options)


def rest_of(chain, dtype=np.float64):
    """The rest pose, its rotations unit in that precision."""
    rest = chain.skeleton.rest.astype(dtype)
    rest[:, 3:7] = quat.normalize(rest[:, 3:7])
    return rest


def points(chain, poses):
    """Root, middle and effector in model space."""
    return twin.positions(chain.skeleton.parents, np.asarray(poses, np.float64))[..., chain.joints, :]


def residual_of(chain, poses, targets):
    return np.linalg.norm(points(chain, poses)[..., -1, :] - targets, axis=-1)


def ways(rng, count):
    drawn = rng.normal(size=(count, 3))
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def bows(chain, poses, targets):
    """Unit directions in which middle joints lie off the line from root to target."""
    root, middle, _ = np.moveaxis(points(chain, poses), -2, 0)
    line = targets - root
    line = line / np.linalg.norm(line, axis=-1, keepdims=True)
    bow = middle - root - np.sum((middle - root) * line, axis=-1, keepdims=True) * line
    return bow / np.linalg.norm(bow, axis=-1, keepdims=True)


def joint_steps(poses):
    """Largest turn of any joint from one pose to the next."""
    rotations = np.asarray(poses, np.float64)[..., 3:7]
    return quat.angle_between(rotations[1:], rotations[:-1]).max(axis=-1)


def test_sides_of_three_and_four_span_five_at_a_right_angle():
    chain = limb(3.0, 4.0)
    rest = rest_of(chain)
    done = ik.two_bone(chain, rest, [0, 0, 5.0], pole=[0, 9.0, 2.0])
    np.testing.assert_allclose(points(chain, done.pose)[1], [0, 2.4, 1.8], atol=1e-6)  # rest is float32
    assert done.reached
    assert done.iterations == 1
    assert done.residual.dtype == np.float64


@each_dtype
@pytest.mark.parametrize("lengths", [(1.0, 1.0), (1.0, 0.625), (0.25, 1.0)])
def test_everything_in_reach_is_met(dtype, lengths):
    rng = np.random.default_rng(1)
    chain = limb(*lengths)
    nearest = abs(lengths[0] - lengths[1])
    distances = rng.uniform(nearest, sum(lengths), 500)
    distances[:2] = nearest * 1.0001, sum(lengths) * 0.9999
    poses = np.tile(rest_of(chain, dtype), (500, 1, 1))
    poses[:, :, 3:7] = random_quats(rng, 500, 3)
    targets = (ways(rng, 500) * distances[:, None]).astype(dtype)
    for pole in (None, np.array([3.0, 1, 2])):
        done = ik.two_bone(chain, poses, targets, pole=pole)
        assert residual_of(chain, done.pose, targets).max() < 3 * CLOSE[dtype]
        assert done.reached.all()
        np.testing.assert_allclose(done.residual, residual_of(chain, done.pose, targets), atol=CLOSE[dtype])


@each_dtype
def test_too_far_and_too_near_point_at_the_target(dtype):
    rng = np.random.default_rng(2)
    chain = limb(1.0, 0.625)
    distances = np.concatenate([rng.uniform(1.63, 50, 100), rng.uniform(1e-3, 0.37, 100)])
    targets = (ways(rng, 200) * distances[:, None]).astype(dtype)
    done = ik.two_bone(chain, rest_of(chain, dtype), targets)
    best = np.maximum(np.maximum(distances - 1.625, 0.375 - distances), 0)
    np.testing.assert_allclose(residual_of(chain, done.pose, targets), best, atol=50 * CLOSE[dtype])
    assert not done.reached.any()


@each_dtype
@pytest.mark.parametrize("lengths", [(1.0, 1.0), (1.0, 0.6), (0.0, 1.0), (1.0, 0.0), (0.0, 0.0)])
def test_there_is_no_limb_and_no_target_without_an_answer(dtype, lengths):
    chain = limb(*lengths, bend_axis=[1, 0, 0])
    rest = rest_of(chain, dtype)
    targets = np.array(
        [[0, 0, 0], [0, 1e-30, 0], [0, lengths[0], 0], [0, sum(lengths), 0], [0, -1, 0], [1e18, 0, 0]], dtype
    )
    poles = np.array([[0, 0, 0], [0, 5, 0], [0, -1, 0], [1, 0, 0], [1e-30, 0, 0]], dtype)
    straight = rest.copy()
    straight[:, 3:7] = [0, 0, 0, 1]
    folded = straight.copy()
    folded[1, 3:7] = [1, 0, 0, 0]
    poses = np.stack([rest, straight, folded])
    for pole in (None, poles[:, None, None]):
        done = ik.two_bone(chain, poses[:, None], targets, pole=pole, twist=0.3, soften=0.9)
        assert np.isfinite(done.pose).all()
        assert np.isfinite(done.residual).all()
        lengths_of = np.linalg.norm(done.pose[..., 3:7], axis=-1)
        np.testing.assert_allclose(lengths_of, 1, atol=1e-6)


@each_dtype
def test_a_pole_has_the_middle_joint_on_its_side(dtype):
    rng = np.random.default_rng(3)
    chain = limb(1.0, 0.75)
    poses = np.tile(rest_of(chain, dtype), (300, 1, 1))
    poses[:, :, 3:7] = random_quats(rng, 300, 3)
    poses[:, 0, :3] = rng.normal(size=(300, 3))
    root = poses[:, 0, :3].astype(np.float64)
    targets = (root + ways(rng, 300) * rng.uniform(0.4, 1.7, (300, 1))).astype(dtype)
    poles = (root + ways(rng, 300) * rng.uniform(0.5, 20, (300, 1))).astype(dtype)
    line = targets - root
    line /= np.linalg.norm(line, axis=1, keepdims=True)
    wanted = poles - root
    wanted -= np.sum(wanted * line, axis=1, keepdims=True) * line
    sines = np.linalg.norm(wanted, axis=1) / np.linalg.norm(poles - root, axis=1)
    clear = sines > 0.06
    assert clear.sum() > 250
    done = ik.two_bone(chain, poses, targets, pole=poles)
    got = np.sum(bows(chain, done.pose, targets) * wanted, axis=1) / np.linalg.norm(wanted, axis=1)
    np.testing.assert_allclose(got[clear], 1, atol=1e-5 if dtype == np.float32 else 1e-12)
    assert done.reached.all()


def test_a_pole_crosses_the_line_without_a_pop():
    """On the line it says nothing, and the bend of the input pose is kept; nearby it counts bit by bit."""
    chain = limb()
    rest = rest_of(chain)
    target = np.array([0, 0.2, 1.5])
    on_line = ik.two_bone(chain, rest, target, pole=2 * target)
    plain = ik.two_bone(chain, rest, target)
    assert quat.angle_between(on_line.pose[:, 3:7], plain.pose[:, 3:7]).max() < 1e-6
    # From one side of the bend to a quarter turn away: no half turns, which have no shortest way.
    side = np.cross(target, bows(chain, plain.pose, target))
    along = np.linspace(-1, 1, 4001)[:, None]
    poles = 2 * target + 3 * (along * side + abs(along) * bows(chain, plain.pose, target))
    done = ik.two_bone(chain, rest, target, pole=poles)
    steps = joint_steps(done.pose)
    assert steps.max() < 0.06
    turned = quat.angle_between(done.pose[0, 0, 3:7], done.pose[-1, 0, 3:7])
    assert turned > 1, "the pole was followed on both sides"


def test_it_is_the_twin_of_the_paper():
    rng = np.random.default_rng(10)
    chain = limb(1.0, 0.75)
    bones = rest_of(chain)[1:, :3]
    for _ in range(50):
        pose = rest_of(chain)
        pose[0, 3:7] = random_quats(rng)
        target = ways(rng, 1)[0] * rng.uniform(0.3, 1.7)
        pole = ways(rng, 1)[0] * 4
        if np.linalg.norm(np.cross(pole, target)) < 0.3 * np.linalg.norm(target):
            continue
        rotations = twin.two_bone(bones, pose[:2, 3:7], target, pole)
        done = ik.two_bone(chain, pose, target, pole=pole)
        assert quat.angle_between(done.pose[:2, 3:7], rotations).max() < 2e-6  # arc cosines of near 1
    # Without a pole the shortest way to a nearby target leaves little to choose.
    pose[1, 3:7] = quat.from_axis_angle([1, 0, 0], 0.8)
    near = points(chain, pose)[2] * 1.01
    done = ik.two_bone(chain, pose, near)
    assert quat.angle_between(done.pose[:2, 3:7], twin.two_bone(bones, pose[:2, 3:7], near)).max() < 2e-3


@each_dtype
def test_without_a_pole_the_plane_of_the_input_is_kept(dtype):
    """A target in the plane of the limb leaves all three joints in it."""
    rng = np.random.default_rng(4)
    chain = limb(1.0, 0.75)
    poses = np.tile(rest_of(chain, dtype), (200, 1, 1))
    poses[:, 0, 3:7] = random_quats(rng, 200)
    poses[:, 1, 3:7] = quat.from_axis_angle([1, 0, 0], rng.uniform(0.2, 2.5, 200))
    root, middle, end = np.moveaxis(points(chain, poses), -2, 0)
    normal = np.cross(middle - root, end - middle)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    weights = rng.normal(size=(2, 200, 1))
    targets = (root + weights[0] * (middle - root) + weights[1] * (end - root)).astype(dtype)
    done = ik.two_bone(chain, poses, targets)
    off = np.abs(np.sum((points(chain, done.pose)[:, 1:] - root[:, None]) * normal[:, None], axis=-1))
    assert off.max() < 20 * CLOSE[dtype]
    # ... and to the same side of it.
    _, now_middle, now_end = np.moveaxis(points(chain, done.pose), -2, 0)
    turned = np.sum(np.cross(now_middle - root, now_end - now_middle) * normal, axis=1)
    inside = abs(np.linalg.norm(targets - root, axis=1) - 1) < 0.7
    assert (turned[inside] > 0).all()


@each_dtype
def test_a_target_that_is_met_changes_nothing(dtype):
    rng = np.random.default_rng(5)
    chain = limb(1.0, 0.75)
    poses = np.tile(rest_of(chain, dtype), (200, 1, 1))
    poses[:, 0, 3:7] = random_quats(rng, 200)
    bends = quat.from_axis_angle([1, 0, 0], rng.uniform(0.06, 3.0, 200))
    poses[:, 1, 3:7] = quat.multiply(bends, quat.from_axis_angle([0, 1, 0], rng.uniform(-2, 2, 200)))
    targets = points(chain, poses)[:, 2].astype(dtype)
    done = ik.two_bone(chain, poses, targets)
    away = quat.angle_between(done.pose[..., 3:7].astype(np.float64), poses[..., 3:7].astype(np.float64))
    assert away.max() < (
        1e-4 if dtype == np.float32 else 1e-7
    )  # near a straight limb its bend is a square root
    assert (done.iterations == 1).all()


def test_the_knee_never_flips():
    """An input that is bent backwards, and all between that and forwards, is bent as the rest pose is."""
    chain = limb()
    bends = np.linspace(-0.5, 1.0, 1501)
    poses = np.tile(rest_of(chain), (len(bends), 1, 1))
    poses[:, 1, 3:7] = quat.from_axis_angle([1, 0.1, 0], bends)  # askew, so that there is a plane to keep
    target = np.array([0, 1.2, 0.1])
    done = ik.two_bone(chain, poses, target)
    axis = quat.rotate(done.pose[:, 0, 3:7], [1.0, 0, 0])
    _, middle, end = np.moveaxis(points(chain, done.pose), -2, 0)
    bent = np.sum(np.cross(middle, end - middle) * axis, axis=1)
    assert bent.min() > 0.5
    assert joint_steps(done.pose).max() < 0.02, "the input turns by 0.001 at a step"
    assert done.reached.all()


def test_a_straight_limb_bends_about_its_stored_axis():
    rotations = quat.from_axis_angle([0, 1, 0], [0.3, 0.2, 0])
    skeleton = skeleton_of([[0, 0, 0], [0, 1, 0], [0, 1, 0]], rotations)
    for given, side in (([1.0, 0, 0], 1), ([-1.0, 0, 0], -1), ([0, 0, 1.0], 1)):
        chain = ik.Chain(skeleton, "a", "c", bend_axis=given)
        rest = skeleton.rest.astype(np.float64)
        done = ik.two_bone(chain, rest, [0, 1.5, 0.0])
        assert done.reached
        local = quat.multiply(quat.conjugate(rest[1, 3:7]), done.pose[1, 3:7])
        bend = quat.log(local)[:3]
        np.testing.assert_allclose(bend / np.linalg.norm(bend), given, atol=1e-6)
        assert side


def hinge_angles(chain, poses, hinge):
    """Angles about the hinge of the middle joint, and how far each is from a turn about it alone."""
    rest = quat.normalize(chain.skeleton.rest[1, 3:7].astype(np.float64))
    turned = quat.multiply(quat.conjugate(rest), np.asarray(poses, np.float64)[..., 1, 3:7])
    turned = np.where(turned[..., 3:] < 0, -turned, turned)
    along = turned[..., :3] @ np.array(hinge.axis)
    return 2 * np.arctan2(along, turned[..., 3]), np.linalg.norm(
        turned[..., :3] - along[..., None] * np.array(hinge.axis), axis=-1
    )


@each_dtype
@pytest.mark.parametrize("axis", [(1, 0, 0), (1, 0.2, -0.1), (-1, 0, 0.3)])
def test_a_hinge_is_kept_and_the_nearest_it_allows_is_found(dtype, axis):
    """By brute force: no angle within the range, with the root pointing at the target, comes nearer."""
    rng = np.random.default_rng(6)
    low, high = (-0.3, 1.9) if axis[0] > 0 else (-1.9, 0.3)
    chain = limb(1.0, 0.75, limits={"b": ik.Hinge(axis, low, high)})
    hinge = chain.limits[1]
    poses = np.tile(rest_of(chain, dtype), (200, 1, 1))
    poses[:, :, 3:7] = random_quats(rng, 200, 3)  # inputs that break the hinge, too
    targets = (ways(rng, 200) * rng.uniform(0.0, 2.0, (200, 1))).astype(dtype)
    done = ik.two_bone(chain, poses, targets)
    angles, off_axis = hinge_angles(chain, done.pose, hinge)
    assert off_axis.max() < 1e-6
    assert low - 1e-5 <= angles.min()
    assert angles.max() <= high + 1e-5
    tried = np.tile(rest_of(chain), (20001, 1, 1))
    tried[:, 1, 3:7] = quat.multiply(
        tried[:, 1, 3:7], quat.from_axis_angle(np.array(hinge.axis), np.linspace(low, high, 20001))
    )
    reaches = np.linalg.norm(points(chain, tried)[:, 2], axis=-1)
    distances = np.linalg.norm(targets, axis=1)
    best = np.maximum(np.maximum(reaches.min() - distances, distances - reaches.max()), 0)
    np.testing.assert_allclose(residual_of(chain, done.pose, targets), best, atol=2e-6)
    at = np.minimum(angles - low, high - angles) < 5e-5
    np.testing.assert_array_equal(done.limited[at, 1], True)
    assert 20 < at.sum() < 180
    assert not done.limited[:, [0, 2]].any()


def test_a_hinge_bends_to_the_side_that_has_more_of_its_range():
    for low, high, side in ((-0.2, 2.0, 1), (-2.0, 0.2, -1), (-4.0, 4.0, 1)):
        chain = limb(limits={"b": ik.Hinge((1, 0, 0), low, high)})
        for bend in (-0.1, 0.0, 0.3):
            pose = rest_of(chain)
            pose[1, 3:7] = quat.from_axis_angle([1, 0, 0], bend)
            done = ik.two_bone(chain, pose, [0, 1.6, 0.3])
            assert done.reached
            bent = 2 * np.arctan2(done.pose[1, 3], done.pose[1, 6])
            assert side * bent > 0.5, (low, high, bend)


@each_dtype
@pytest.mark.parametrize("seed", range(4))
def test_the_limit_of_the_root_holds_and_what_it_allows_is_found(seed, dtype):
    rng = np.random.default_rng(seed)
    twist, cone = rng.uniform(0.3, 1.0), rng.uniform(0.4, 1.2)
    hinge = ik.Hinge((1, 0, 0), -0.2, 2.0)
    chain = limb(1.0, 0.75, limits={"a": ik.BallSocket(cone, (-twist, twist)), "b": hinge})
    rest = rest_of(chain)
    # Targets: where the limb stands in random poses within its limits, by drawing and dropping.
    drawn = np.tile(rest, (20000, 1, 1))
    drawn[:, 0, 3:7] = random_quats(rng, 20000)
    drawn[:, 1, 3:7] = quat.multiply(
        rest[1, 3:7], quat.from_axis_angle([1, 0, 0], rng.uniform(-0.2, 2.0, 20000))
    )
    inside = ~ik.ccd(chain, drawn, [0, 0, 0], max_iterations=0).limited[:, 0]
    targets = points(chain, drawn[inside])[:, 2].astype(dtype)
    assert len(targets) > 100
    anywhere = (ways(rng, 200) * rng.uniform(0.3, 2.0, (200, 1))).astype(dtype)
    met = ik.two_bone(chain, rest.astype(dtype), targets)
    assert (residual_of(chain, met.pose, targets) < 1e-3 * chain.length).mean() > 0.95
    once = ik.two_bone(chain, rest.astype(dtype), anywhere, max_iterations=1)
    done = ik.two_bone(chain, rest.astype(dtype), anywhere)
    assert (done.residual <= once.residual + 1e-5).all()
    assert done.iterations.max() <= 60
    assert done.limited[:, 0].mean() > 0.3
    for answer in (met, once, done):
        again = ik.ccd(chain, answer.pose.astype(np.float64), [0, 0, 0], max_iterations=0).pose
        moved = quat.angle_between(answer.pose[..., 3:7].astype(np.float64), again[..., 3:7])
        assert moved.max() < 1e-5, "nothing had to be brought within limits"


def test_softening_begins_gently_and_never_ends():
    """The distance kept is C1 where it begins, grows, and stays below full reach: so the knee never snaps."""
    chain = limb()
    rest = rest_of(chain)
    distances = np.linspace(1.5, 4.0, 25001)
    targets = distances[:, None] * np.array([0, 0.6, 0.8])
    soft = ik.two_bone(chain, rest, targets, soften=0.9)
    kept = np.linalg.norm(points(chain, soft.pose)[:, 2], axis=1)
    before = distances <= 1.8
    np.testing.assert_allclose(kept[before], distances[before], atol=1e-6)
    slopes = np.diff(kept) / np.diff(distances)
    np.testing.assert_allclose(slopes[: before.sum() - 1], 1, atol=1e-6)
    assert np.abs(np.diff(slopes)).max() < 5e-3, "no corner"
    assert slopes.min() > 0
    assert kept.max() < 2
    np.testing.assert_allclose(soft.residual, distances - kept, atol=1e-9)
    hard = ik.two_bone(chain, rest, targets)
    assert joint_steps(hard.pose).max() > 4 * joint_steps(soft.pose).max()


def test_a_twist_turns_the_limb_about_its_line():
    chain = limb(1.0, 0.75)
    rest = rest_of(chain)
    target = np.array([0.3, 0.9, 0.7])
    line = target / np.linalg.norm(target)
    plain = ik.two_bone(chain, rest, target)
    for angle in (-2.0, 0.4, 3.0):
        done = ik.two_bone(chain, rest, target, twist=angle)
        assert residual_of(chain, done.pose, target) < 1e-12
        turned = quat.rotate(quat.from_axis_angle(line, angle), points(chain, plain.pose)[1])
        np.testing.assert_allclose(points(chain, done.pose)[1], turned, atol=1e-12)


@each_dtype
def test_an_effector_turns_to_its_orientation(dtype):
    rng = np.random.default_rng(7)
    chain = limb()
    rest = rest_of(chain, dtype)
    targets, wanted = ways(rng, 50).astype(dtype), random_quats(rng, 50).astype(dtype)
    done = ik.two_bone(chain, rest, targets, wanted)
    local = done.pose[..., 3:7].astype(np.float64)
    got = quat.multiply(quat.multiply(local[:, 0], local[:, 1]), local[:, 2])
    assert quat.angle_between(got, wanted.astype(np.float64)).max() < 1e-3 * (
        1 if dtype == np.float32 else 1e-3
    )
    assert done.reached.all()


def test_twist_joints_in_line_and_scales_and_mirrors_are_part_of_the_limb():
    rng = np.random.default_rng(8)
    offsets = [[1, 2, 3], [0, 0.5, 0.1], [0, 0.5, 0], [0, 0.4, 0], [0.1, 0.4, 0]]
    scales = [[2, 2, 2], [1, 1, 1], [-1, 1, 1], [0.5, 0.5, 0.5], [1, 1, 1]]
    skeleton = skeleton_of(offsets, random_quats(rng, 5), scales)
    skeleton = lissom.Skeleton(
        ["top", *"abcde"],
        [-1, 0, 1, 2, 3, 4],
        np.concatenate([[[0, 0, 0, *random_quats(rng), -1.5, 2, 3]], skeleton.rest]),
    )
    hinge = {"c": ik.Hinge((0.9, 0.1, 0.3), -1.5, 2.0)}
    for limits in (None, hinge):
        chain = ik.Chain(skeleton, "a", "e", limits, fixed=["b", "d"])
        poses = np.tile(rest_of(chain), (40, 1, 1))
        poses[:, [1, 3], 3:7] = random_quats(rng, 40, 2)
        inside = ik.ccd(chain, poses, np.zeros(3), max_iterations=0).pose
        inside[:, 1, 3:7] = random_quats(rng, 40)
        targets = twin.positions(skeleton.parents, inside)[:, -1]
        done = ik.two_bone(chain, poses, targets)
        positions = twin.positions(skeleton.parents, done.pose)[:, -1]
        assert np.linalg.norm(positions - targets, axis=1).max() < 1e-9
        kept = [0, 2, 4, 5]
        np.testing.assert_array_equal(done.pose[:, kept], poses[:, kept])


def test_several_limbs_are_solved_as_each_alone():
    hero = samples.humanoid()
    rng = np.random.default_rng(9)
    chains = [
        ik.Chain(hero.skeleton, "UpperLeg.L", "Foot.L", {"LowerLeg.L": ik.Hinge.from_rest(0, 2.6)}),
        ik.Chain(hero.skeleton, "UpperArm.R", "Hand.R"),
    ]
    poses = hero.clips["walk"].sample(np.linspace(0, 1, 33))
    targets = hero.skeleton.positions(poses)[:, [chain.joints[-1] for chain in chains]]
    targets = targets + rng.uniform(-0.1, 0.1, targets.shape).astype(np.float32)
    pole = np.array([[0, 1, 5], [np.nan] * 3], np.float32)
    done = ik.two_bone(chains, poses, targets, pole=pole, twist=[0, 0.2])
    leg = ik.two_bone(chains[0], poses, targets[:, 0], pole=pole[0])
    arm = ik.two_bone(chains[1], leg.pose, targets[:, 1], twist=0.2)
    np.testing.assert_allclose(done.pose, arm.pose, atol=1e-5)  # an arm nearly straight: a square root
    assert done.residual.shape == done.reached.shape == (33, 2)
    one = ik.two_bone(chains, poses, targets, twist=0.2)
    np.testing.assert_array_equal(one.pose, ik.two_bone(chains, poses, targets, twist=[0.2, 0.2]).pose)


def test_what_is_no_limb_is_refused():
    hero = samples.humanoid()
    rest = hero.skeleton.rest
    long = ik.Chain(hero.skeleton, "Pelvis", "Foot.L")
    with pytest.raises(
        ValueError, match=r"exactly two joints that turn above it, got \d; name those in line"
    ):
        ik.two_bone(long, rest, [0, 0, 0])
    short = ik.Chain(hero.skeleton, "LowerLeg.L", "Foot.L")
    with pytest.raises(ValueError, match=r"'Foot.L' must have exactly two joints that turn above it, got 1$"):
        ik.two_bone(short, rest, [0, 0, 0])
    leg = ik.Chain(hero.skeleton, "UpperLeg.L", "Foot.L")
    knee = ik.Chain(hero.skeleton, "UpperLeg.L", "LowerLeg.L")
    with pytest.raises(ValueError, match="must not share joints"):
        ik.two_bone([leg, knee], rest, np.zeros((2, 3)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pole": [0, np.inf, 0]}, r"two_bone.*pole must be finite"),
        ({"pole": [0, 1]}, r"pole must have shape \(\.\.\., 3\), got \(2,\)"),
        ({"soften": 1.5}, r"soften must lie in \[0, 1\], got 1\.5"),
        ({"soften": -0.1}, r"soften must lie in \[0, 1\]"),
        ({"twist": np.nan}, "twist must be finite"),
        ({"weight": 2.0}, r"weight must lie in \[0, 1\]"),
        ({"tolerance": 0.0}, "tolerance must be above 0"),
    ],
)
def test_bad_input_is_named(options, message):
    chain = limb()
    with pytest.raises(ValueError, match=message):
        ik.two_bone(chain, chain.skeleton.rest, [0, 1, 0], **options)


def test_wrong_types_are_named():
    chain = limb()
    with pytest.raises(TypeError, match="soften"):
        ik.two_bone(chain, chain.skeleton.rest, [0, 1, 0], soften="much")
    with pytest.raises(TypeError, match="pole"):
        ik.two_bone(chain, chain.skeleton.rest, [0, 1, 0], pole="left")
