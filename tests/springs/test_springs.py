# SPDX-License-Identifier: MIT
"""Springs: against the specification's pseudocode, and laws."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest

import lissom
from lissom import SpringChain, SpringCollider, Springs, quat, trs
from random_rigs import random_quats
from reference import springs as twin
from vrm_files import VRM1, vrm_text

# Of rotations; float32 keeps the rounding of every step.
CLOSE = {np.float64: 1e-7, np.float32: 2e-4}
DT = 1 / 60


@pytest.fixture(scope="module")
def body(tmp_path_factory):
    path = tmp_path_factory.mktemp("body") / "body.gltf"
    path.write_text(vrm_text({"VRMC_springBone": VRM1}))
    return lissom.load(path)


def dance(skeleton, frames=40, seed=0, dtype=np.float64):
    """Poses of a body that moves smoothly, (F, J, 10)."""
    rng = np.random.default_rng(seed)
    phase = np.linspace(0, 6, frames)
    swing = 0.4 * np.sin(phase[:, None, None] * rng.uniform(1, 3, (len(skeleton), 3)) + rng.uniform(0, 6, 3))
    poses = np.tile(skeleton.rest.astype(np.float64), (frames, 1, 1))
    poses[..., 3:7] = quat.multiply(poses[..., 3:7], quat.from_rotation_vector(swing))
    poses[..., 3:7] = quat.normalize(poses[..., 3:7])
    poses[:, 1, :3] += 0.3 * np.sin(phase[:, None] * rng.uniform(1, 3, 3))
    return poses.astype(dtype)


def walk(frames=40):
    """Where a character stands that walks in a curve up a hill, (F, 10)."""
    phase = np.linspace(0, 2, frames)
    place = trs.identity(frames, dtype=np.float64)
    place[:, :3] = np.stack([np.sin(phase), 0.2 * phase, 2 * phase], axis=1)
    place[:, 3:7] = quat.from_rotation_vector(np.outer(phase, [0.1, 0.7, 0.2]))
    return place


def run(springs, poses, worlds=None):
    """Poses of all frames, the first at rest."""
    springs.reset()
    result = []
    for frame, pose in enumerate(poses):
        world = None if worlds is None else worlds[frame]
        result.append(springs.step(pose, DT if frame else 0, world=world))
    return np.array(result)


def twin_springs(springs):
    """The springs of a Springs as the twin takes them, fringes last: they meet a collider on side.2."""
    skeleton, made = springs.skeleton, []
    for chain in sorted(springs.chains, key=lambda chain: str(chain.joints[0]).startswith("fringe")):
        joints = [skeleton.index(joint) for joint in chain.joints]
        for place, joint in enumerate(joints[:-1]):
            made.append(
                twin.Spring(
                    joint,
                    skeleton.rest[joints[place + 1], :3].astype(np.float64),
                    chain.stiffness[place],
                    chain.drag[place],
                    np.array(chain.gravity[place]),
                    chain.radius[place],
                    -1 if chain.center is None else skeleton.index(chain.center),
                    [
                        (skeleton.index(c.joint), c.shape, c.offset, c.tail, c.normal, c.radius, c.inside)
                        for c in chain.colliders
                    ],
                )
            )
    return made


@pytest.mark.parametrize("moves", [False, True], ids=["still", "walking"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_steps_are_those_of_the_specification(body, dtype, moves):
    springs = Springs(body)
    poses, worlds = dance(body.skeleton, seed=3), walk() if moves else None
    order = twin_springs(springs)
    expected = twin.simulate(
        body.skeleton.parents, body.skeleton.rest.astype(np.float64), order, poses, worlds
    )
    got = run(springs, poses.astype(dtype), worlds)
    assert got.dtype == dtype
    joints = [spring.joint for spring in order]
    apart = quat.angle_between(got[:, joints, 3:7].astype(np.float64), expected)
    assert apart.max() < CLOSE[dtype]
    others = np.setdiff1d(np.arange(len(body.skeleton)), joints)
    np.testing.assert_array_equal(got[:, others], poses.astype(dtype)[:, others])


def test_a_batch_is_as_each_alone(body):
    springs = Springs(body)
    poses = np.stack([dance(body.skeleton, 12, seed, np.float32) for seed in range(22)], axis=1)
    worlds = np.stack([walk(12)] * 22, axis=1)
    worlds[:, :, :3] *= np.linspace(0, 1, 22)[:, None]
    together = run(springs, poses.reshape(12, 2, 11, -1, 10), worlds.reshape(12, 2, 11, 10))
    for number in (0, 7, 21):
        alone = run(springs, poses[:, number], worlds[:, number])
        np.testing.assert_array_equal(together.reshape(poses.shape)[:, number], alone)


def test_a_body_that_stands_elsewhere_moves_alike(body):
    """Without gravity, whose direction is the world's."""
    chains = [replace(chain, gravity=0.0) for chain in Springs(body).chains]
    poses, place = dance(body.skeleton), trs.identity(dtype=np.float64)
    place[:3], place[3:7] = (30, -5, 8), quat.from_rotation_vector([0.4, 2.0, -1.0])
    springs = Springs(body, chains)
    here, there = run(springs, poses), run(springs, poses, trs.compose(place, walk()[:1].repeat(40, axis=0)))
    assert quat.angle_between(here[..., 3:7], there[..., 3:7]).max() < 1e-9


def test_moving_through_the_world_is_moving_the_root(body):
    springs = Springs(body)
    poses, worlds = dance(body.skeleton), walk()
    moved = poses.copy()
    moved[:, 0] = trs.compose(worlds, poses[:, 0])
    by_root, by_world = run(springs, moved), run(springs, poses, worlds)
    assert quat.angle_between(by_root[:, 1:, 3:7], by_world[:, 1:, 3:7]).max() < 1e-7


def tail(**options):
    """A tail of four bones straight down from a root that stands still."""
    rest = np.tile(np.array([0, -0.2, 0, 0, 0, 0, 1, 1, 1, 1.0]), (5, 1, 1))[:, 0]
    skeleton = lissom.Skeleton(["root", "a", "b", "c", "d"], [-1, 0, 1, 2, 3], rest)
    return skeleton, Springs(skeleton, [SpringChain(["a", "b", "c", "d"], **options)])


def test_at_rest_without_gravity_nothing_moves():
    skeleton, springs = tail(gravity=0)
    for _ in range(50):
        pose = springs.step(skeleton.rest.astype(np.float64), DT)
    np.testing.assert_allclose(pose, skeleton.rest, rtol=0, atol=1e-15)


def test_a_kick_dies_away():
    skeleton, springs = tail(stiffness=1.0, drag=0.2)
    rest = skeleton.rest.astype(np.float64)
    kicked = rest.copy()
    kicked[0, 0] += 0.2
    springs.step(rest, DT)
    angles = []
    for _ in range(400):
        pose = springs.step(kicked, DT)
        angles.append(quat.angle_between(pose[springs.joints, 3:7], rest[springs.joints, 3:7]).max())
    assert max(angles) > 0.3
    assert angles[-1] < 1e-6


def test_gravity_alone_pulls_tails_along_itself():
    skeleton, springs = tail(stiffness=0, gravity=(1.0, 0, 0), drag=0.3)
    for _ in range(600):
        pose = springs.step(skeleton.rest.astype(np.float64), DT)
    bones = np.diff(skeleton.positions(pose)[1:], axis=0)
    np.testing.assert_allclose(bones, np.tile([0.2, 0, 0], (3, 1)), atol=1e-6)


def test_bones_keep_their_lengths(body):
    got = run(Springs(body), dance(body.skeleton), walk())
    lengths = []
    for strand in ("hair", "tail", "skirt"):
        joints = [body.skeleton.index(f"{strand}.{n}") for n in (1, 2, 3)]
        lengths.append(np.linalg.norm(np.diff(body.skeleton.positions(got)[:, joints], axis=1), axis=-1))
    assert max(np.ptp(each, axis=0).max() for each in lengths) < 1e-12


def test_colliders_keep_tails_out():
    skeleton, _ = tail()
    ball = SpringCollider.sphere("root", 0.15, offset=(0.05, -0.62, 0))
    chain = SpringChain(["a", "b", "c", "d"], gravity=0.5, stiffness=0.2, radius=0.02)
    free, held = Springs(skeleton, [chain]), Springs(skeleton, [chain], colliders=[ball])
    kicked = np.tile(skeleton.rest.astype(np.float64), (90, 1, 1))
    kicked[5:, 0, 2] += 0.05
    centre = kicked[-1, 0, :3] + ball.offset
    clear = [
        np.linalg.norm(skeleton.positions(run(springs, kicked))[-1, 2:] - centre, axis=-1).min()
        for springs in (free, held)
    ]
    assert clear[0] < 0.12
    assert clear[1] > 0.17 - 2e-3  # bringing a tail back to its length moves it a little


def test_a_tail_in_the_middle_of_a_collider_is_not_lost():
    skeleton, _ = tail()
    ball = SpringCollider.sphere("root", 0.1, offset=(0, -0.4, 0))
    springs = Springs(skeleton, [SpringChain(["a", "b"])], colliders=[ball])
    for _ in range(5):
        pose = springs.step(skeleton.rest, DT)
    assert np.isfinite(pose).all()


def test_following_adds_to_the_pose():
    skeleton, _ = tail()
    pose = skeleton.rest.astype(np.float64)
    pose[1, 3:7] = quat.from_rotation_vector([0.5, 0, 0])
    for follow, expected in ((True, pose), (False, skeleton.rest)):
        springs = Springs(skeleton, [SpringChain(["a", "b", "c", "d"], follow=follow)])
        got = springs.step(pose, DT)
        np.testing.assert_allclose(got[1, 3:7], expected[1, 3:7], atol=1e-12)


def test_an_end_is_a_joint_more():
    """A bone beyond the last joint is one to another joint there."""
    skeleton, _ = tail()
    by_joint = Springs(skeleton, [SpringChain(["a", "b", "c", "d"], gravity=(0.4, 0, 0.1))])
    shorter = lissom.Skeleton(skeleton.names[:4], skeleton.parents[:4], skeleton.rest[:4])
    by_end = Springs(shorter, [SpringChain(["a", "b", "c"], gravity=(0.4, 0, 0.1), end=0.2)])
    poses = dance(skeleton, 30)
    np.testing.assert_allclose(run(by_end, poses[:, :4]), run(by_joint, poses)[:, :4], atol=1e-7)


def test_a_chain_may_leave_joints_out():
    skeleton, _ = tail()
    springs = Springs(skeleton, [SpringChain(["a", "c", "d"], gravity=(0.4, 0, 0))])
    assert springs.joints.tolist() == [1, 3]
    straight = lissom.Skeleton(["root", "a", "c", "d"], [-1, 0, 1, 2], skeleton.rest[[0, 1, 2, 4]] * 1.0)
    rest = straight.rest.copy()
    rest[2, 1] = -0.4
    straight = lissom.Skeleton(straight.names, straight.parents, rest)
    other = Springs(straight, [SpringChain(["a", "c", "d"], gravity=(0.4, 0, 0))])
    poses = np.tile(skeleton.rest, (30, 1, 1)).astype(np.float64)
    poses[10:, 0, 0] += 0.1
    few = np.tile(rest, (30, 1, 1)).astype(np.float64)
    few[:, 0] = poses[:, 0]
    np.testing.assert_allclose(
        run(springs, poses)[:, [1, 3], 3:7], run(other, few)[:, [1, 2], 3:7], atol=2e-7
    )


def test_scale_and_mirrors_above_keep_tails_where_they_belong():
    """A tail below a joint that is scaled or mirrored goes where one of that size would go."""
    skeleton, _ = tail()
    options = {"gravity": (0.3, -0.2, 0.1), "stiffness": 0.5}
    for scale in ((2, 2, 2), (-1, 1, 1), (1.5, 1.5, -1.5)):
        rest = skeleton.rest.copy()
        rest[0, 7:] = scale
        scaled = lissom.Skeleton(skeleton.names, skeleton.parents, rest)
        plain = skeleton.rest.copy()
        plain[1:, :3] *= scale
        plain = lissom.Skeleton(skeleton.names, skeleton.parents, plain)
        ends = []
        for each in (scaled, plain):
            poses = np.tile(each.rest.astype(np.float64), (40, 1, 1))
            poses[10:, 0, 0] += 0.3
            ends.append(each.positions(run(Springs(each, [SpringChain(list("abcd"), **options)]), poses)))
        np.testing.assert_allclose(ends[0], ends[1], atol=1e-7)


def test_time_is_spent_in_steps_and_the_rest_carried_over():
    skeleton, springs = tail(gravity=(0.5, 0, 0))
    rest = skeleton.rest.astype(np.float64)
    by_step = run(springs, np.tile(rest, (13, 1, 1)))
    springs.reset()
    springs.step(rest, 0)
    seen = [springs.step(rest, 1 / 144) for _ in range(28)]  # 28/144 s are 11.7 steps
    np.testing.assert_array_equal(seen[0], by_step[0])  # no step is due yet
    np.testing.assert_allclose(seen[-1], by_step[11], atol=1e-14)
    springs.reset()
    springs.step(rest, 0)
    np.testing.assert_allclose(springs.step(rest, 0.2), by_step[12], atol=1e-14)


def test_the_rate_of_calls_matters_little():
    """Between calls poses are blended: a body that moves evenly is at each step where it was at that time."""
    skeleton, springs = tail(gravity=(0.2, 0, 0))
    frames = np.tile(skeleton.rest.astype(np.float64), (61, 1, 1))
    frames[:, 0, 0] = np.linspace(0, 1.5, 61)
    worlds = trs.identity(61, dtype=np.float64)
    worlds[:, 2] = np.linspace(0, 2, 61)
    at_60 = run(springs, frames, worlds)[-1]
    springs.reset()
    for frame in range(0, 61, 3):  # 20 calls a second
        at_20 = springs.step(frames[frame], 3 * DT if frame else 0, world=worlds[frame])
    np.testing.assert_allclose(at_20, at_60, atol=1e-9)


def test_a_pause_is_no_motion():
    skeleton, springs = tail(gravity=(0.5, 0, 0))
    short, long = (copy.deepcopy(springs) for _ in range(2))
    np.testing.assert_array_equal(short.step(skeleton.rest, 1.0), long.step(skeleton.rest, 1e12))


def test_steps_write_into_the_poses_themselves(body):
    springs, other = Springs(body), Springs(body)
    poses = dance(body.skeleton, dtype=np.float32)
    expected = run(other, poses)
    for frame, pose in enumerate(poses):
        assert springs.step(pose, DT if frame else 0, out=pose) is pose
    np.testing.assert_array_equal(poses, expected)


def test_a_refused_step_changes_nothing(body):
    springs, other = Springs(body), Springs(body)
    poses = dance(body.skeleton)
    for each in (springs, other):
        each.step(poses[0], DT)
    wrong = poses[1].copy()
    wrong[5, 0] = np.nan
    out = np.zeros_like(wrong)
    for dt in (DT, DT / 4):  # a step is due, or none
        with pytest.raises(ValueError, match="must be finite"):
            springs.step(wrong, dt, out=out)
    assert not out.any()
    np.testing.assert_array_equal(springs.step(poses[1], DT), other.step(poses[1], DT))


def test_copies_and_pickles_go_on_alone(body):
    springs = Springs(body)
    poses = dance(body.skeleton, 10)
    for pose in poses[:5]:
        springs.step(pose, DT)
    twins = [copy.deepcopy(springs), pickle.loads(pickle.dumps(springs)), copy.copy(springs)]
    expected = [springs.step(pose, DT) for pose in poses[5:]]
    for each in twins:
        np.testing.assert_array_equal([each.step(pose, DT) for pose in poses[5:]], expected)


def test_nothing_springs_in_an_empty_list():
    hero = lissom.samples.humanoid()
    springs = Springs(hero, [])
    pose = hero.clips["walk"].sample(0.3)
    np.testing.assert_array_equal(springs.step(pose, 1.0), pose)
    walk = springs.simulate(hero.clips["walk"])
    np.testing.assert_array_equal(walk.sample(0.3), pose)
    springs.reset()
    assert springs.step(np.zeros((0, 34, 10)), 0).shape == (0, 34, 10)


def test_random_chains_stay_finite():
    """Whatever the numbers: no rotation is lost, bones of no length rest."""
    rng = np.random.default_rng(11)
    for _ in range(20):
        count = int(rng.integers(3, 9))
        rest = np.tile(np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1.0]), (count, 1))
        rest[:, :3] = rng.normal(size=(count, 3)) * rng.choice([0, 1], (count, 1))
        rest[:, 3:7] = random_quats(rng, count)
        rest[:, 7:] = rng.choice([1.0, -2.0, 0.0, 1e-3], (count, 3))
        skeleton = lissom.Skeleton([f"j{i}" for i in range(count)], np.arange(count) - 1, rest)
        colliders = [
            SpringCollider.sphere(0, float(rng.choice([0, 1.0, 1e8])), inside=bool(rng.integers(2))),
            SpringCollider.capsule(0, 0.5, tail=rng.normal(size=3) * rng.choice([0, 1])),
            SpringCollider.plane(0, normal=rng.normal(size=3)),
        ]
        chain = SpringChain(
            [f"j{i}" for i in range(1, count)],
            stiffness=float(rng.choice([0, 1, 1e9])),
            drag=float(rng.uniform()),
            gravity=rng.uniform(-1, 1, 3) * rng.choice([0, 1e9]),
            radius=float(rng.choice([0, 1, 1e9])),
            colliders=colliders,
            center="j0" if rng.integers(2) and np.abs(rest[0, 7:]).min() > 0 else None,
        )
        for dtype in (np.float32, np.float64):
            springs = Springs(skeleton, [chain])
            for _ in range(5):
                pose = springs.step(rest.astype(dtype), DT)
            assert np.isfinite(pose).all()
            np.testing.assert_allclose(np.linalg.norm(pose[:, 3:7], axis=-1), 1, atol=1e-5)
