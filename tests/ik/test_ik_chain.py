# SPDX-License-Identifier: MIT
"""Chains: what is prepared, what is inferred from the rest pose, and what is refused."""

import copy
import pickle

import numpy as np
import pytest

import lissom
from lissom import ik, samples


def leg(**options):
    return ik.Chain(samples.humanoid().skeleton, "UpperLeg.L", "Foot.L", **options)


def test_a_chain_knows_its_joints_and_its_length():
    chain = leg()
    skeleton = chain.skeleton
    assert chain.names == ("UpperLeg.L", "LowerLeg.L", "Foot.L")
    positions = skeleton.positions(skeleton.rest.astype(np.float64))[chain.joints]
    expected = np.linalg.norm(positions[1] - positions[0]) + np.linalg.norm(positions[2] - positions[1])
    assert chain.length == pytest.approx(expected, rel=1e-12)
    assert repr(chain).startswith("<Chain: UpperLeg.L > LowerLeg.L > Foot.L, length 0.83")


def test_the_rest_pose_tells_the_axis_of_a_hinge_and_more_bends_further():
    chain = leg(limits={"LowerLeg.L": ik.Hinge.from_rest(0.0, 2.6)})
    knee = chain.limits[1]
    assert isinstance(knee, ik.Hinge)
    skeleton = chain.skeleton
    bent = skeleton.rotate(skeleton.rest, "LowerLeg.L", lissom.quat.from_axis_angle(knee.axis, 1.0))
    hip, middle, ankle = skeleton.positions(bent)[chain.joints]
    assert ankle[2] < min(hip[2], middle[2]) - 0.2, "knees bend back, and the humanoid looks along +z"
    across = np.cross(middle - hip, ankle - middle)
    assert abs(across[0]) > 0.9 * np.linalg.norm(across)


def test_angles_may_count_from_the_straight_limb():
    from_rest = leg(limits={"LowerLeg.L": ik.Hinge.from_rest(0.0, 2.6)}).limits[1]
    straight = leg(limits={"LowerLeg.L": ik.Hinge.from_rest(0.0, 2.6, zero="straight")})
    low = straight.limits[1].low
    assert straight.limits[1].high - low == pytest.approx(from_rest.high - from_rest.low)
    skeleton = straight.skeleton
    turn = lissom.quat.from_axis_angle(straight.limits[1].axis, low)
    hip, knee, ankle = skeleton.positions(skeleton.rotate(skeleton.rest, "LowerLeg.L", turn))[straight.joints]
    thigh, shin = knee - hip, ankle - knee
    cosine = thigh @ shin / np.linalg.norm(thigh) / np.linalg.norm(shin)
    assert cosine == pytest.approx(1, abs=1e-5)


def test_a_clip_tells_the_axis_where_the_rest_pose_is_straight():
    rest = np.zeros((3, 10), np.float32)
    rest[:, 6:] = 1
    rest[1:, 1] = 1
    skeleton = lissom.Skeleton(["a", "b", "c"], [-1, 0, 1], rest)
    with pytest.raises(
        ValueError, match=r"^ik\.Chain: the rest pose must bend joint 'b' .*pass clip= or Hinge"
    ):
        ik.Chain(skeleton, "a", "c", {"b": ik.Hinge.from_rest(0, 2)})
    poses = np.repeat(rest[None], 5, axis=0)
    poses[:, 1, 3:7] = lissom.quat.from_axis_angle([0, 0, -1], [-0.1, 0.2, 0.5, 1.0, 0.3])
    clip = lissom.Clip.from_poses(skeleton, np.arange(5), poses)
    hinge = ik.Chain(skeleton, "a", "c", {"b": ik.Hinge.from_rest(0, 2, clip=clip)}).limits[1]
    np.testing.assert_allclose(hinge.axis, [0, 0, -1], atol=1e-6)


def test_copies_solve_alike():
    chain = leg(
        limits={"LowerLeg.L": ik.Hinge.from_rest(0.0, 2.6), "UpperLeg.L": ik.BallSocket(1.5, (-1, 1))}
    )
    pose, target = chain.skeleton.rest, [0.1, 0.3, 0.2]
    expected = ik.ccd(chain, pose, target).pose
    for other in (copy.copy(chain), copy.deepcopy(chain), pickle.loads(pickle.dumps(chain))):
        np.testing.assert_array_equal(ik.ccd(other, pose, target).pose, expected)
        assert repr(other) == repr(chain)
        assert other.limits == chain.limits


def test_fixed_joints_keep_their_rotation():
    rest = np.zeros((5, 10), np.float32)
    rest[:, 6:] = 1
    rest[1:, 1] = 1
    rest[2, 3:7] = lissom.quat.from_axis_angle([1, 0, 0], 0.4)
    skeleton = lissom.Skeleton(list("abcde"), [-1, 0, 1, 2, 3], rest)
    chain = ik.Chain(skeleton, "a", "e", fixed=["c"])
    done = ik.ccd(chain, rest, [1.5, 1.0, 1.2], max_iterations=200)
    assert bool(done.reached)
    np.testing.assert_array_equal(done.pose[2], rest[2])
    away = np.linalg.norm(skeleton.positions(done.pose)[4] - [1.5, 1.0, 1.2])
    assert float(done.residual) == pytest.approx(away, abs=1e-6)


def test_a_joint_that_one_chain_fixes_cannot_have_a_limit_in_another():
    skeleton = samples.humanoid().skeleton
    one = ik.Chain(skeleton, "Spine", "Hand.L", fixed=["Chest"])
    other = ik.Chain(skeleton, "Spine", "Hand.R", limits={"Chest": ik.BallSocket(0.3)})
    with pytest.raises(
        ValueError, match=r"chains must agree about joint 'Chest', got one in which it is fixed"
    ):
        ik.ccd([one, other], skeleton.rest, np.zeros((2, 3)))


@pytest.mark.parametrize("solver", [ik.ccd, ik.fabrik, ik.damped_least_squares])
def test_the_core_names_the_function_that_was_called(solver):
    with pytest.raises(ValueError, match=rf"^ik\.{solver.__name__}: weight must lie in \[0, 1\], got 2"):
        solver(leg(), samples.humanoid().skeleton.rest, [0.1, 0.3, 0.2], weight=2)


@pytest.mark.parametrize(
    "make",
    [
        lambda skeleton: ik.Chain(skeleton, "root", "hand"),
        lambda skeleton: ik.Chain(skeleton, "arm", "hand"),
        lambda skeleton: ik.excess(ik.Hinge([0, 0, 1], 0, 1), skeleton, "arm", skeleton.rest),
    ],
)
def test_a_rest_pose_of_no_size_is_refused(make):
    rest = np.tile([1.0, 0, 0, 0, 0, 0, 1, 1, 1, 1], (3, 1))
    rest[0, 7:] = 1, 0, 1
    skeleton = lissom.Skeleton(["root", "arm", "hand"], [-1, 0, 1], rest)
    with pytest.raises(
        ValueError, match=r"joint 'arm' to zero, got scale \[1\.0, 0\.0, 1\.0\] at 'root'"
    ) as caught:
        make(skeleton)
    assert type(caught.value) is ValueError  # numpy.linalg.LinAlgError is one, too
