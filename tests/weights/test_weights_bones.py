# SPDX-License-Identifier: MIT
"""weights.bones: handles of a skeleton, and back from bones to joints."""

import numpy as np
import pytest

import lissom
from lissom.weights import bones


def skeleton(parents, offsets):
    rest = lissom.trs.identity(len(parents))
    rest[:, :3] = offsets
    return lissom.Skeleton([f"j{i}" for i in range(len(parents))], parents, rest)


@pytest.fixture
def tree():
    """A root with two arms: j0 - j1 - j2 and j0 - j3."""
    return skeleton([-1, 0, 1, 0], [[0, 1, 0], [1, 0, 0], [2, 0, 0], [-1, 0, 0]])


def test_one_bone_for_each_child_and_leaves_go_on(tree) -> None:
    made = bones(tree)
    assert made.joints.tolist() == [0, 0, 1, 2, 3]
    np.testing.assert_allclose(
        made.handles,
        [
            [[0, 1, 0], [1, 1, 0]],
            [[0, 1, 0], [-1, 1, 0]],
            [[1, 1, 0], [3, 1, 0]],
            [[3, 1, 0], [4, 1, 0]],
            [[-1, 1, 0], [-1.5, 1, 0]],
        ],
    )
    assert made.boneless == ()
    np.testing.assert_array_equal(list(made), made.handles)
    assert repr(made) == "<lissom.weights.Bones: 5 bones of 4 joints>"


def test_leaves_may_have_a_length_or_none(tree) -> None:
    np.testing.assert_allclose(bones(tree, leaf_length=0.25).handles[3], [[3, 1, 0], [3.25, 1, 0]])
    np.testing.assert_allclose(bones(tree, leaf=0).handles[4], [[-1, 1, 0], [-1, 1, 0]])


def test_weights_of_bones_become_weights_of_joints(tree) -> None:
    made = bones(tree)
    weights = np.array([[0.1, 0.2, 0.3, 0.4, 0.0]])
    np.testing.assert_allclose(made.per_joint(weights), [[0.3, 0.3, 0.4, 0.0]])
    with pytest.raises(
        ValueError, match=r"weights must have shape \(V, 5\), a column for each bone, got \(1, 4\)"
    ):
        made.per_joint(weights[:, :4])
    weights[0, 2] = np.nan
    with pytest.raises(ValueError, match=r"weights must be finite, got nan for vertex 0, bone 2"):
        made.per_joint(weights)


def test_excluded_joints_are_bridged(tree) -> None:
    made = bones(tree, exclude="j1")
    assert made.joints.tolist() == [0, 0, 2, 3]
    np.testing.assert_allclose(made.handles[0], [[0, 1, 0], [3, 1, 0]])
    np.testing.assert_allclose(made.handles[2], [[3, 1, 0], [4.5, 1, 0]])  # half of the bone from j0
    assert made.boneless == ("j1",)
    assert made.skin_joints.tolist() == [0, 2, 3]
    without_root = bones(tree, exclude=["j0"])
    assert without_root.joints.tolist() == [1, 2, 3]
    np.testing.assert_allclose(without_root.handles[2], [[-1, 1, 0], [-1, 1, 0]])  # nothing above: a point


def test_joints_upon_their_child_have_no_bone() -> None:
    made = bones(skeleton([-1, 0, 1], [[0, 0, 0], [0, 0, 0], [0, 2, 0]]))
    assert made.joints.tolist() == [1, 2]
    assert made.boneless == ("j0",)


def test_leaf_upon_its_parent_takes_the_way_from_farther_up() -> None:
    made = bones(skeleton([-1, 0, 1], [[0, 0, 0], [0, 2, 0], [0, 0, 0]]))
    assert made.joints.tolist() == [0, 2]
    np.testing.assert_allclose(made.handles[1], [[0, 2, 0], [0, 3, 0]])


def test_one_joint_is_a_point() -> None:
    made = bones(skeleton([-1], [[1, 2, 3]]), leaf_length=2)
    np.testing.assert_allclose(made.handles, [[[1, 2, 3], [1, 2, 3]]])


def test_skin_is_bound_where_the_joints_stand() -> None:
    hero = lissom.samples.humanoid()
    for pose in (hero.skeleton.rest, hero.clips["wave"].sample(0.7)):
        made = bones(hero.skeleton, pose=pose)
        model = hero.skeleton.model_matrices(pose.astype(np.float64))
        matrices = made.skin.palette(model).matrices
        np.testing.assert_allclose(matrices, np.broadcast_to(np.eye(4), matrices.shape), atol=1e-12)
        np.testing.assert_allclose(made.handles[:, 0], model[made.joints, :3, 3], atol=1e-12)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"exclude": "nobody"}, ValueError, "weights.bones: exclude: no joint is named 'nobody'"),
        ({"exclude": range(4)}, ValueError, "must have a joint with a bone, got none; exclude fewer"),
        ({"leaf": -1}, ValueError, "leaf must be finite and at least 0"),
        ({"leaf_length": "1"}, TypeError, "leaf_length must be a number, got str"),
        ({"pose": np.zeros((3, 10))}, ValueError, r"pose must have shape \(4, 10\), got \(3, 10\)"),
        (
            {"pose": np.zeros((4, 10))},
            ValueError,
            "pose must be finite and without scales of zero, got joint 'j0'",
        ),
    ],
)
def test_refuses(tree, options, error, words) -> None:
    with pytest.raises(error, match=words):
        bones(tree, **options)


def test_refuses_what_is_no_skeleton() -> None:
    with pytest.raises(TypeError, match=r"weights\.bones: skeleton must be a Skeleton, got int"):
        bones(3)
