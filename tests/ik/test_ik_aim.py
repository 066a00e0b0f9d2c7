# SPDX-License-Identifier: MIT
"""Aiming, judged by where the gaze of the answer goes."""

import numpy as np
import pytest

import lissom
from lissom import ik, quat, samples
from random_rigs import random_quats
from reference import ik as twin
from reference import quat as twin_quat

CLOSE = {np.float32: 1e-5, np.float64: 1e-12}  # of targets a few metres away
each_dtype = pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
EYE = (0.03, 0.08, 0.1)


def rest_of(skeleton, dtype=np.float64):
    rest = skeleton.rest.astype(dtype)
    rest[:, 3:7] = quat.normalize(rest[:, 3:7])
    return rest


def neck(limits=None):
    return ik.Chain(samples.humanoid().skeleton, "Spine", "Head", limits=limits)


def head():
    return ik.Chain(samples.humanoid().skeleton, "Head", "Head")


def gaze(chain, poses, axis=(0, 0, 1), offset=EYE):
    """Where the ray begins and its direction in model space."""
    model = twin.model_matrices(chain.skeleton.parents, np.asarray(poses, np.float64))[
        ..., chain.joints[-1], :, :
    ]
    eye = model[..., :3, :3] @ np.array(offset, float) + model[..., :3, 3]
    ray = model[..., :3, :3] @ np.array(axis, float)
    return eye, ray / np.linalg.norm(ray, axis=-1, keepdims=True)


def off_ray(chain, poses, targets, **options):
    eye, ray = gaze(chain, poses, **options)
    way = np.asarray(targets, np.float64) - eye
    along = np.maximum(np.sum(way * ray, axis=-1, keepdims=True), 0)
    return np.linalg.norm(way - along * ray, axis=-1)


def around(rng, count, low=0.5, high=5.0):
    """Targets before the humanoid's head, on all sides but behind."""
    ways = rng.normal(size=(count, 3))
    ways[:, 2] = np.abs(ways[:, 2])
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    return np.array([0, 1.6, 0]) + ways * rng.uniform(low, high, (count, 1))


def most_excess(chain, poses):
    """How far the worst joint lies outside of its limit."""
    names = [*chain.names, None]
    return max(
        ik.excess(limit, chain.skeleton, joint, poses, child=child).max()
        for joint, child, limit in zip(names, names[1:], chain.limits, strict=False)
        if limit is not None
    )


def steps(poses):
    rotations = np.asarray(poses, np.float64)[..., 3:7]
    return quat.angle_between(rotations[1:], rotations[:-1]).max(axis=-1)


@each_dtype
@pytest.mark.parametrize("chain", [head(), neck()], ids=["one joint", "five joints"])
@pytest.mark.parametrize("up", [None, (0, 1, 0)])
def test_an_eye_beside_its_joint_looks_exactly_at_the_target(dtype, chain, up):
    rng = np.random.default_rng(1)
    targets = around(rng, 200).astype(dtype)
    rest = rest_of(chain.skeleton, dtype)
    done = ik.aim(chain, rest, targets, offset=EYE, up=up)
    assert off_ray(chain, done.pose, targets).max() < CLOSE[dtype]
    np.testing.assert_allclose(done.residual, off_ray(chain, done.pose, targets), atol=CLOSE[dtype])
    assert done.reached.all()
    assert (done.iterations == 1).all()
    kept = np.setdiff1d(np.arange(len(chain.skeleton)), chain.joints)
    np.testing.assert_array_equal(done.pose[:, kept], np.broadcast_to(rest[kept], done.pose[:, kept].shape))
    np.testing.assert_array_equal(done.pose[..., :3], np.broadcast_to(rest[:, :3], done.pose[..., :3].shape))


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, -2, 0.5)])
def test_any_axis_may_look(axis):
    rng = np.random.default_rng(2)
    chain = neck()
    targets = around(rng, 100)
    done = ik.aim(chain, rest_of(chain.skeleton), targets, axis=axis, offset=EYE, behind=0)
    assert off_ray(chain, done.pose, targets, axis=axis).max() < 1e-12


def test_a_target_too_near_for_the_eye_gets_the_nearest_ray():
    """Within the sphere that the eye's line touches, no turn helps: by brute force over the joint's turns."""
    chain = head()
    rest = rest_of(chain.skeleton)
    joint = chain.skeleton.positions(rest)[chain.joints[0]]
    rng = np.random.default_rng(3)
    turns = random_quats(rng, 60000)
    for offset, axis in (((0.1, 0, 0), (0, 0, 1)), ((0.1, 0, 0.1), (0, 0, 1)), ((0.1, 0, -0.1), (0, 0, 1))):
        target = joint + np.array([0.02, 0.03, 0.05])
        done = ik.aim(chain, rest, target, axis=axis, offset=offset, behind=0)
        tried = np.tile(rest, (len(turns), 1, 1))[:, chain.joints]
        eye = joint + twin_quat.rotate(turns, np.array(offset, float))
        ray = twin_quat.rotate(turns, np.array(axis, float))
        way = target - eye
        along = np.maximum(np.sum(way * ray, axis=1, keepdims=True), 0)
        best = np.linalg.norm(way - along * ray, axis=1).min()
        assert len(tried) == len(turns)
        assert float(done.residual) <= best + 1e-9
        assert float(done.residual) > best - 0.01
        np.testing.assert_allclose(
            done.residual, off_ray(chain, done.pose, target, offset=offset), atol=1e-12
        )
        assert bool(done.reached) == (best < 1e-3)


@each_dtype
def test_up_points_to_the_pole_as_far_as_it_can(dtype):
    rng = np.random.default_rng(4)
    chain = neck()
    targets = around(rng, 200).astype(dtype)
    pole = np.array([0.3, 1, 0.2])
    done = ik.aim(chain, rest_of(chain.skeleton, dtype), targets, offset=EYE, up=(0, 1, 0), pole=pole)
    # The last joint rolls about the line from itself to the target.
    joint = twin.positions(chain.skeleton.parents, done.pose.astype(np.float64))[:, chain.joints[-1]]
    line = targets - joint
    line /= np.linalg.norm(line, axis=1, keepdims=True)
    _, up = gaze(chain, done.pose, axis=(0, 1, 0))
    across = [v - np.sum(v * line, axis=1, keepdims=True) * line for v in (up, np.tile(pole, (200, 1)))]
    sizes = [np.linalg.norm(v, axis=1) for v in across]
    clear = np.minimum(sizes[0], sizes[1] / np.linalg.norm(pole)) > 0.06
    cosines = np.sum(across[0] * across[1], axis=1) / sizes[0] / sizes[1]
    clear &= done.reached  # up that must go half around gives way
    assert clear.sum() > 180
    np.testing.assert_allclose(cosines[clear], 1, atol=1e-5 if dtype == np.float32 else 1e-12)


def test_joints_take_their_shares():
    """About one axis the turns add up, so shares of them can be read off."""
    rest = np.zeros((3, 10), np.float32)
    rest[:, 6:] = 1
    skeleton = lissom.Skeleton(list("abc"), [-1, 0, 1], rest)  # all at one place
    chain = ik.Chain(skeleton, "a", "c")
    target = np.array([np.sin(1.2), 0, np.cos(1.2)])
    for shares in ([1, 1, 1], [0, 1, 3], [2, 0, 1], [1, 0, 0]):
        done = ik.aim(chain, rest.astype(np.float64), target, shares=shares)
        angles = 2 * np.arctan2(done.pose[:, 4], done.pose[:, 6])
        np.testing.assert_allclose(angles, 1.2 * np.array(shares) / sum(shares), atol=1e-9)
        assert done.reached


@each_dtype
def test_limits_hold_and_the_others_take_over(dtype):
    rng = np.random.default_rng(5)
    limits = {"Head": ik.BallSocket(0.2, (-0.1, 0.1)), "Spine": ik.BallSocket(0.3)}
    chain, free = neck(limits), neck()
    targets = around(rng, 200).astype(dtype)
    rest = rest_of(chain.skeleton, dtype)
    done = ik.aim(chain, rest, targets, offset=EYE)
    assert most_excess(chain, done.pose) < 1e-5
    assert done.limited[:, chain.joints[-1]].mean() > 0.5
    assert done.reached.mean() > 0.95, "the neck makes up for it"
    tight = {name: ik.BallSocket(0.05, (-0.05, 0.05)) for name in free.names}
    held = ik.aim(neck(tight), rest, targets, offset=EYE)
    assert not held.reached.all()
    assert most_excess(neck(tight), held.pose) < 1e-5
    np.testing.assert_allclose(held.residual, off_ray(chain, held.pose, targets), atol=CLOSE[dtype])
    before = off_ray(chain, np.broadcast_to(rest, held.pose.shape), targets)
    assert (held.residual < before).all()


@pytest.mark.parametrize("limits", [None, {"Head": ik.BallSocket(0.6), "Neck": ik.BallSocket(0.3)}])
@pytest.mark.parametrize("height", [0.0, 0.02, 0.3])
def test_nothing_pops_as_the_target_passes_behind(limits, height):
    """Around the head, through or beside what lies behind it: there the gaze is as in the input pose."""
    chain = neck(limits)
    rest = rest_of(chain.skeleton)
    angles = np.linspace(0, 2 * np.pi, 20001)
    place = chain.skeleton.positions(rest)[chain.joints[-1]]
    targets = place + 2 * np.stack([np.sin(angles), height + 0 * angles, np.cos(angles)], axis=1)
    done = ik.aim(chain, rest, targets, up=(0, 1, 0))
    assert steps(done.pose).max() < 0.02, "the target turns by 0.0003 at a step"
    ahead = np.cos(angles) > -0.9
    if limits is None:
        assert done.residual[ahead].max() < 1e-9
    behind = np.argmin(np.cos(angles))
    away = quat.angle_between(done.pose[behind, :, 3:7], rest[:, 3:7]).max()
    assert away < (1e-6 if height == 0 else 0.6)
    assert not done.reached[behind]
    if limits is None:
        hard = ik.aim(chain, rest, targets[np.cos(angles) > -0.9999], behind=0)
        assert hard.reached.all()


def test_a_weight_of_nothing_is_the_input_to_the_bit():
    rng = np.random.default_rng(6)
    chain = neck()
    poses = np.tile(chain.skeleton.rest, (5, 1, 1))
    poses[:, chain.joints, 3:7] = random_quats(rng, 5, len(chain.joints))
    targets = around(rng, 5).astype(np.float32)
    none = ik.aim(chain, poses, targets, weight=0.0)
    assert none.pose.tobytes() == poses.tobytes()
    half, whole = (ik.aim(chain, poses, targets, weight=w) for w in (0.5, 1.0))
    before, after = (quat.angle_between(half.pose[..., 3:7], p[..., 3:7]) for p in (poses, whole.pose))
    np.testing.assert_allclose(before, after, atol=2e-3)


@each_dtype
def test_a_batch_is_one_by_one_to_the_bit(dtype):
    rng = np.random.default_rng(7)
    chain = neck({"Head": ik.BallSocket(0.3)})
    rest = chain.skeleton.rest.astype(dtype)
    targets = around(rng, 37).astype(dtype)
    together = ik.aim(chain, rest, targets, up=(0, 1, 0), offset=EYE)
    for item in range(0, 37, 5):
        alone = ik.aim(chain, rest, targets[item], up=(0, 1, 0), offset=EYE)
        assert alone.pose.tobytes() == together.pose[item].tobytes()
        assert alone.residual == together.residual[item]


def test_scales_and_mirrors_above_change_nothing_of_the_ray():
    rng = np.random.default_rng(8)
    rest = np.zeros((5, 10), np.float32)
    rest[:, 3:7] = random_quats(rng, 5)
    rest[:, :3] = rng.normal(size=(5, 3))
    rest[:, 7:] = [[2, 2, 2], [1, 3, -1], [1, 1, -1], [0.5, 0.5, 0.5], [2, 2, 2]]
    skeleton = lissom.Skeleton(list("abcde"), range(-1, 4), rest)
    chain = ik.Chain(skeleton, "c", "e")
    targets = rng.normal(size=(50, 3)) * 20
    done = ik.aim(chain, rest_of(skeleton), targets, offset=EYE, axis=(0.2, 1, 0), space="joint", behind=0)
    off = off_ray(chain, done.pose, targets, axis=(0.2, 1, 0))
    np.testing.assert_allclose(done.residual, off, atol=1e-9)
    assert off.max() < 1e-8


def test_targets_at_the_joint_or_the_eye_have_an_answer():
    chain = neck()
    rest = rest_of(chain.skeleton)
    joint = chain.skeleton.positions(rest)[chain.joints[-1]]
    eye, ray = gaze(chain, rest)
    for target in (joint, eye, eye + 1e-20 * ray, joint - ray, joint + 1e15 * ray):
        for offset in ((0, 0, 0), EYE):
            for up in (None, (0, 1, 0)):
                done = ik.aim(chain, rest, target, offset=offset, up=up)
                assert np.isfinite(done.pose).all()
                assert np.isfinite(done.residual)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"space": "world"}, "space must be 'model' or 'joint', got 'world'"),
        ({"space": ["model"]}, r"space must be 'model' or 'joint', got \['model'\]"),
        ({"axis": (0, 0, 0)}, "axis must not be zero"),
        ({"axis": (0, 1)}, "axis must be three finite numbers"),
        ({"offset": (0, np.nan, 1)}, "offset must be three finite numbers"),
        ({"up": (0, 0, 2)}, "up must not be parallel to axis"),
        ({"pole": (0, 1, 0)}, "up must be passed with pole, got None"),
        ({"up": (0, 1, 0), "pole": (0, 0, 0)}, "pole must not be zero"),
        ({"up": (0, 1, 0), "pole": (0, np.inf, 0)}, "pole must be finite"),
        ({"shares": (1, 1)}, "shares must have one number for each of the 5 joints"),
        ({"shares": (1, 1, -1, 1, 1)}, "shares must be at least 0"),
        ({"shares": (0, 0, 0, 0, 0)}, "shares must not all be 0"),
        ({"behind": 4.0}, r"behind must lie in \[0, pi\]"),
        ({"weight": -1.0}, r"weight must lie in \[0, 1\]"),
    ],
)
def test_bad_input_is_named(options, message):
    chain = neck()
    with pytest.raises(ValueError, match=message):
        ik.aim(chain, chain.skeleton.rest, [0, 1, 2], **options)


def test_wrong_types_are_named():
    chain = neck()
    with pytest.raises(TypeError, match=r"ik\.aim: chain must be an ik\.Chain, got list"):
        ik.aim([chain], chain.skeleton.rest, [0, 1, 2])
    with pytest.raises(TypeError, match="behind"):
        ik.aim(chain, chain.skeleton.rest, [0, 1, 2], behind="much")
