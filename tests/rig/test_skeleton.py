# SPDX-License-Identifier: MIT
import copy
import pickle

import numpy as np
import pytest

import lissom
from lissom import Skeleton
from random_rigs import random_poses, random_quats, random_skeleton
from reference import model_pose

# Of the size of the result: a chain of a dozen products in float32 keeps about this much. In float64 the core
# and the twin differ by the order of their additions alone.
TOLERANCE = {np.float32: 2e-6, np.float64: 1e-14}


def rest_pose(count: int) -> np.ndarray:
    return np.tile(np.float32([0, 1, 0, 0, 0, 0, 1, 1, 1, 1]), (count, 1))


@pytest.fixture
def leg() -> Skeleton:
    """A pelvis with two legs, and a root beside it."""
    names = ["pelvis", "thigh.L", "shin.L", "foot.L", "thigh.R", "shin.R", "lamp"]
    return Skeleton(names, [-1, 0, 1, 2, 0, 4, -1], rest_pose(7))


# The tree


def test_a_skeleton_keeps_what_it_was_made_of(leg: Skeleton) -> None:
    assert len(leg) == 7
    assert leg.names[4] == "thigh.R"
    assert leg.parents.dtype == np.int32
    assert leg.rest.dtype == np.float32
    np.testing.assert_array_equal(leg.source_nodes, [-1] * 7)
    assert repr(leg) == "<Skeleton: 7 joints below 'pelvis', 'lamp'>"


def test_arrays_are_copied_and_read_only() -> None:
    rest, parents = rest_pose(2), np.array([-1, 0], np.int32)
    skeleton = Skeleton(["a", "b"], parents, rest, source_nodes=[5, 9])
    rest[:] = 7
    parents[:] = 7
    assert skeleton.parents.tolist() == [-1, 0]
    assert skeleton.rest.max() == 1
    for array in (skeleton.rest, skeleton.parents, skeleton.source_nodes):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_index_takes_names_and_indices(leg: Skeleton) -> None:
    assert leg.index("foot.L") == 3
    assert leg.index(3) == 3
    assert leg.index(np.int64(3)) == 3


def test_an_unknown_name_suggests_near_ones(leg: Skeleton) -> None:
    with pytest.raises(ValueError, match=r"no joint is named 'Shin_L'; did you mean 'shin.L' or 'shin.R'\?"):
        leg.index("Shin_L")
    with pytest.raises(ValueError, match=r"no joint is named 'zzz'; there are 7, such as 'pelvis'"):
        leg.index("zzz")


@pytest.mark.parametrize("index", [7, -1])
def test_an_index_outside_is_refused(leg: Skeleton, index: int) -> None:
    with pytest.raises(
        ValueError, match=f"^Skeleton.index: a joint's index must be at least 0 and below 7, got {index}"
    ):
        leg.index(index)


@pytest.mark.parametrize("name", ["index", "mask", "rotate", "chain", "is_in_hierarchy"])
def test_an_unknown_joint_is_refused_in_the_name_of_the_method(leg: Skeleton, name: str) -> None:
    arguments = {
        "rotate": (leg.rest, "hip", [0, 0, 0, 1]),
        "chain": ("pelvis", "hip"),
        "is_in_hierarchy": ("hip", "pelvis"),
    }.get(name, ("hip",))
    with pytest.raises(ValueError, match=rf"^Skeleton\.{name}: no joint is named 'hip'"):
        getattr(leg, name)(*arguments)


@pytest.mark.parametrize("joint", [1.0, None, True])
def test_a_joint_is_a_name_or_an_index(leg: Skeleton, joint: object) -> None:
    with pytest.raises(TypeError, match="by name or index"):
        leg.index(joint)  # type: ignore[arg-type]


def test_a_chain_runs_from_root_to_effector(leg: Skeleton) -> None:
    chain = leg.chain("pelvis", "foot.L")
    assert chain.dtype == np.int32
    assert chain.tolist() == [0, 1, 2, 3]
    assert leg.chain(2, 2).tolist() == [2]


@pytest.mark.parametrize(
    ("root", "effector"), [("thigh.R", "foot.L"), ("foot.L", "pelvis"), ("pelvis", "lamp")]
)
def test_a_chain_needs_a_line_of_ancestors(leg: Skeleton, root: str, effector: str) -> None:
    with pytest.raises(ValueError, match=f"'{effector}' must be a descendant of '{root}'"):
        leg.chain(root, effector)


def test_hierarchy_and_mask_agree(leg: Skeleton) -> None:
    for root in range(len(leg)):
        inside = [leg.is_in_hierarchy(joint, root) for joint in range(len(leg))]
        np.testing.assert_array_equal(leg.mask(root, 0.25), np.where(inside, 0.25, 0))
    assert leg.mask("thigh.L").tolist() == [0, 1, 1, 1, 0, 0, 0]
    assert leg.mask("thigh.L").dtype == np.float32


def test_copies_are_the_skeleton_itself_and_pickles_are_equal(leg: Skeleton) -> None:
    assert copy.copy(leg) is leg
    assert copy.deepcopy(leg) is leg
    back = pickle.loads(pickle.dumps(leg))
    assert back.names == leg.names
    np.testing.assert_array_equal(back.parents, leg.parents)
    np.testing.assert_array_equal(back.rest, leg.rest)
    np.testing.assert_array_equal(back.source_nodes, leg.source_nodes)


def test_size_is_the_diagonal_of_the_joints_box(leg: Skeleton) -> None:
    assert leg.size == pytest.approx(3)  # the chain of four joints stands straight up
    assert Skeleton(["a"], [-1], rest_pose(1)).size == 0


def test_a_skeleton_may_be_empty() -> None:
    empty = Skeleton([], [], np.zeros((0, 10)))
    assert len(empty) == 0
    assert empty.size == 0
    assert empty.model_matrices(np.zeros((3, 0, 10), np.float32)).shape == (3, 0, 4, 4)
    assert repr(empty) == "<Skeleton: no joints>"


# What is refused


def test_repeated_names_are_refused() -> None:
    with pytest.raises(ValueError, match="joints 0 and 2 are both named 'arm'"):
        Skeleton(["arm", "leg", "arm"], [-1, 0, 0], rest_pose(3))
    with pytest.raises(TypeError, match=r"names\[1\] must be a string, got int"):
        Skeleton(["arm", 3], [-1, 0], rest_pose(2))  # type: ignore[list-item]


@pytest.mark.parametrize("parents", [[-1, 1], [1, -1], [-1, -2], [0, 0], [-1, 2**30]])
def test_parents_come_first(parents: list[int]) -> None:
    with pytest.raises(ValueError, match=r"parents\[\d\] must be -1 or a joint before it"):
        Skeleton(["a", "b"], parents, rest_pose(2))


def test_wrong_arrays_are_refused() -> None:
    with pytest.raises(ValueError, match=r"parents must have shape \(2,\) for 2 names, got \(1,\)"):
        Skeleton(["a", "b"], [-1], rest_pose(2))
    with pytest.raises(TypeError, match="parents must be integers, got float64"):
        Skeleton(["a", "b"], [-1.0, 0.0], rest_pose(2))
    with pytest.raises(ValueError, match="parents must fit in 32 bits"):
        Skeleton(["a", "b"], [-1, 2**32], rest_pose(2))
    with pytest.raises(ValueError, match=r"rest must have shape \(2, 10\) for 2 names, got \(3, 10\)"):
        Skeleton(["a", "b"], [-1, 0], rest_pose(3))
    with pytest.raises(ValueError, match=r"source_nodes must have shape \(2,\)"):
        Skeleton(["a", "b"], [-1, 0], rest_pose(2), source_nodes=[1])


def test_a_rest_pose_is_finite_and_its_rotations_unit() -> None:
    rest = rest_pose(2)
    rest[1, 0] = np.nan
    with pytest.raises(ValueError, match=r"rest must be finite, got .*nan.* at joint 1"):
        Skeleton(["a", "b"], [-1, 0], rest)
    rest = rest_pose(2)
    rest[1, 6] = 1.001
    with pytest.raises(ValueError, match=r"unit within 0.0001, got length 1.001 at joint 1"):
        Skeleton(["a", "b"], [-1, 0], rest)


# Model space


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("count", [1, 2, 17, 64])
@pytest.mark.parametrize("batch", [(), (1,), (5,), (16,), (37,), (3, 11)])
def test_model_matrices_equal_the_twin(dtype: type, count: int, batch: tuple[int, ...]) -> None:
    rng = np.random.default_rng(count)
    skeleton = random_skeleton(rng, count)
    poses = random_poses(rng, *batch, count).astype(dtype)
    got = skeleton.model_matrices(poses)
    assert got.dtype == dtype
    assert got.shape == (*batch, count, 4, 4)
    for pose, model in zip(poses.reshape(-1, count, 10), got.reshape(-1, count, 4, 4), strict=True):
        want = model_pose.model_matrices(skeleton.parents, pose)
        size = max(1.0, float(np.abs(want).max()))
        np.testing.assert_allclose(model, want, rtol=0, atol=TOLERANCE[dtype] * size)


def test_a_scale_below_a_rotation_shears() -> None:
    # Parent stretched along y, child turned by 45 degrees about z: its axes are no longer at a right angle.
    pose = np.float64(
        [[0, 0, 0, 0, 0, 0, 1, 1, 2, 1], [0, 1, 0, 0, 0, np.sin(np.pi / 8), np.cos(np.pi / 8), 1, 1, 1]]
    )
    skeleton = Skeleton(["a", "b"], [-1, 0], rest_pose(2))
    model = skeleton.model_matrices(pose)[1]
    half = np.sqrt(0.5)
    np.testing.assert_allclose(
        model, [[half, -half, 0, 0], [2 * half, 2 * half, 0, 2], [0, 0, 1, 0], [0, 0, 0, 1]], atol=1e-15
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_zero_and_negative_scales_pass_through(dtype: type) -> None:
    rng = np.random.default_rng(5)
    skeleton = random_skeleton(rng, 12)
    pose = random_poses(rng, 12).astype(dtype)
    pose[3, 7:], pose[5, 8] = 0, -1
    want = model_pose.model_matrices(skeleton.parents, pose)
    np.testing.assert_allclose(skeleton.model_matrices(pose), want, atol=20 * TOLERANCE[dtype])


def test_moving_the_root_moves_all_below_alike() -> None:
    rng = np.random.default_rng(6)
    skeleton = random_skeleton(rng, 20)
    pose = random_poses(rng, 20)
    moved = pose.copy()
    turn, offset = random_quats(rng), rng.normal(size=3)
    roots = np.flatnonzero(skeleton.parents < 0)
    rigid = np.eye(4)
    rigid[:3, :3], rigid[:3, 3] = model_pose.rotation_matrix(turn), offset
    moved[roots, :3] = pose[roots, :3] @ rigid[:3, :3].T + offset
    for root in roots:
        moved = skeleton.rotate(moved, int(root), turn, space="parent")
    np.testing.assert_allclose(
        skeleton.model_matrices(moved), rigid @ skeleton.model_matrices(pose), atol=1e-13
    )


def test_the_sign_of_a_quaternion_changes_nothing() -> None:
    rng = np.random.default_rng(7)
    skeleton = random_skeleton(rng, 20)
    poses = random_poses(rng, 20, 20).astype(np.float32)
    flipped = poses.copy()
    flipped[..., 3:7] *= -1
    np.testing.assert_array_equal(skeleton.model_matrices(flipped), skeleton.model_matrices(poses))


def test_a_batch_is_its_poses_one_by_one_whatever_the_threads() -> None:
    rng = np.random.default_rng(8)
    skeleton = random_skeleton(rng, 50)
    poses = random_poses(rng, 3001, 50).astype(np.float32)
    threads = lissom.thread_count()
    try:
        lissom.set_thread_count(1)
        alone = skeleton.model_matrices(poses)
        lissom.set_thread_count(4)
        together = skeleton.model_matrices(poses)
    finally:
        lissom.set_thread_count(threads)
    np.testing.assert_array_equal(alone, together)
    one_by_one = np.stack([skeleton.model_matrices(pose) for pose in poses[:40]])
    np.testing.assert_allclose(alone[:40], one_by_one, rtol=0, atol=2e-5)


@pytest.mark.parametrize("joints", [17, 33, 64])
@pytest.mark.parametrize("offset", [0, 4, 15])
def test_a_batch_of_any_number_of_joints_is_its_twin(joints: int, offset: int) -> None:
    # Joints are composed in chunks, and poses of 64, 128, ... joints are stored in a way of their own.
    rng = np.random.default_rng(joints)
    skeleton = random_skeleton(rng, joints)
    poses = random_poses(rng, 19, joints)  # a block of the widest kernel, and a rest
    memory = np.full(poses.size // 10 * 16 + 64, 7, np.float32)
    begin = (-memory.ctypes.data // 4) % 16 + offset
    out = memory[begin : begin + poses.size // 10 * 16].reshape(19, joints, 4, 4)
    skeleton.model_matrices(poses.astype(np.float32), out=out)
    want = np.stack([model_pose.model_matrices(skeleton.parents, pose) for pose in poses])
    np.testing.assert_allclose(out, want, atol=20 * TOLERANCE[np.float32] * np.abs(want).max())
    assert (memory[:begin] == 7).all()
    assert (memory[begin + out.size :] == 7).all()


@pytest.mark.parametrize("joints", [1, 41, 48])
@pytest.mark.parametrize("offset", [0, 1, 4, 15])
def test_a_batch_larger_than_the_caches_is_the_same_to_the_bit(joints: int, offset: int) -> None:
    # Written past them, line by line of 16 numbers: also where the matrices begin within a line.
    rng = np.random.default_rng(joints)
    skeleton = random_skeleton(rng, joints)
    count = 2**17 // joints + 19  # more than 8 MiB, and no multiple of any kernel's width
    poses = random_poses(rng, count, joints).astype(np.float32)
    memory = np.full(count * joints * 16 + 64, 7, np.float32)
    begin = (-memory.ctypes.data // 4) % 16 + offset
    out = memory[begin : begin + count * joints * 16].reshape(count, joints, 4, 4)
    skeleton.model_matrices(poses, out=out)
    assert (memory[:begin] == 7).all()
    assert (memory[begin + out.size :] == 7).all()
    for some in (slice(0, 160), slice(count // 32 * 16, None)):
        np.testing.assert_array_equal(out[some], skeleton.model_matrices(poses[some]))


def test_not_a_number_stays_in_its_branch() -> None:
    skeleton = Skeleton(["a", "b", "c"], [-1, 0, 0], rest_pose(3))
    pose = skeleton.rest.copy()
    pose[1, 0] = np.nan
    model = skeleton.model_matrices(pose)
    assert np.isnan(model[1]).any()
    assert np.isfinite(model[[0, 2]]).all()


def test_out_is_written_and_returned(leg: Skeleton) -> None:
    out = np.empty((2, 7, 4, 4), np.float32)
    poses = np.stack([leg.rest, leg.rest])
    assert leg.model_matrices(poses, out=out) is out
    np.testing.assert_array_equal(out, leg.model_matrices(poses))


def test_a_wrong_out_says_what_to_pass(leg: Skeleton) -> None:
    poses = leg.rest
    with pytest.raises(TypeError, match="out must be float32, got float64"):
        leg.model_matrices(poses, out=np.empty((7, 4, 4)))
    with pytest.raises(ValueError, match=r"out must have shape .*, got \(6, 4, 4\)"):
        leg.model_matrices(poses, out=np.empty((6, 4, 4), np.float32))
    with pytest.raises(TypeError, match="out must be C-contiguous"):
        leg.model_matrices(poses, out=np.empty((7, 4, 8), np.float32)[..., ::2])


def test_poses_of_another_skeleton_are_refused(leg: Skeleton) -> None:
    words = r"poses must have shape \(..., 7, 10\) for the 7 joints of this skeleton, got "
    with pytest.raises(ValueError, match=words + r"\(6, 10\); poses of another skeleton do not fit"):
        leg.model_matrices(leg.rest[:6])
    with pytest.raises(ValueError, match=words + r"\(7, 9\)$"):
        leg.model_matrices(leg.rest[:, :9])
    with pytest.raises(ValueError, match=words + r"\(10,\)$"):
        leg.model_matrices(leg.rest[0])


def test_other_input_is_taken_as_float32(leg: Skeleton) -> None:
    want = leg.model_matrices(leg.rest)
    for poses in (
        leg.rest.tolist(),
        leg.rest.astype(np.float16),
        leg.rest.astype(int),
        leg.rest.astype(">f4"),
    ):
        got = leg.model_matrices(poses)
        assert got.dtype == np.float32
        np.testing.assert_array_equal(got, want)
    fortran = np.asfortranarray(np.stack([leg.rest] * 3).astype(np.float64))
    assert leg.model_matrices(fortran).dtype == np.float64


def test_positions_are_the_last_column(leg: Skeleton) -> None:
    poses = random_poses(np.random.default_rng(9), 4, 7)
    positions = leg.positions(poses)
    np.testing.assert_array_equal(positions, leg.model_matrices(poses)[..., :3, 3])
    assert positions.flags.c_contiguous


# Turning a joint


def turned_matrix(skeleton: Skeleton, pose: np.ndarray, joint: int) -> np.ndarray:
    return skeleton.model_matrices(pose)[joint, :3, :3]


def test_rotate_turns_about_the_axes_of_each_space() -> None:
    rng = np.random.default_rng(10)
    skeleton = random_skeleton(rng, 12)
    pose = skeleton.rest.astype(np.float64)
    joint = int(np.flatnonzero(skeleton.parents >= 2)[-1])
    parent = int(skeleton.parents[joint])
    turn = random_quats(rng)
    matrix = model_pose.rotation_matrix(turn)
    old, above = turned_matrix(skeleton, pose, joint), turned_matrix(skeleton, pose, parent)
    want = {
        "local": old @ matrix,
        "parent": above @ matrix @ np.linalg.inv(above) @ old,
        "model": matrix @ old,
    }
    for space, expected in want.items():
        turned = skeleton.rotate(pose, joint, turn, space=space)
        np.testing.assert_allclose(turned_matrix(skeleton, turned, joint), expected, atol=1e-6)
        np.testing.assert_allclose(
            skeleton.positions(turned)[joint], skeleton.positions(pose)[joint], atol=1e-12
        )


@pytest.mark.parametrize("scale", [[2, 2, 2], [-1, 1, 1], [-3, -3, -3], [1, 1, -1]])
def test_a_turn_about_model_axes_sees_through_scale_and_mirrors(scale: list[float]) -> None:
    rng = np.random.default_rng(11)
    skeleton = Skeleton(["a", "b"], [-1, 0], rest_pose(2))
    pose = random_poses(rng, 2)
    pose[0, 7:], pose[1, 7:] = scale, 1
    turn = random_quats(rng)
    turned = skeleton.rotate(pose, "b", turn, space="model")
    want = model_pose.rotation_matrix(turn) @ turned_matrix(skeleton, pose, 1)
    np.testing.assert_allclose(turned_matrix(skeleton, turned, 1), want, atol=1e-12)


def test_rotate_broadcasts_and_leaves_its_input(leg: Skeleton) -> None:
    turns = random_quats(np.random.default_rng(12), 5)
    before = leg.rest.copy()
    turned = leg.rotate(leg.rest, "shin.L", turns, space="model")
    assert turned.shape == (5, 7, 10)
    assert turned.dtype == np.float32
    np.testing.assert_array_equal(leg.rest, before)
    for pose, turn in zip(turned, turns, strict=True):
        np.testing.assert_array_equal(pose, leg.rotate(leg.rest, "shin.L", turn, space="model"))
    others = np.arange(7) != leg.index("shin.L")
    np.testing.assert_array_equal(turned[:, others], np.broadcast_to(leg.rest[others], (5, 6, 10)))


def test_rotate_takes_scalar_first_turns(leg: Skeleton) -> None:
    turn = np.array([0.1, 0.2, 0.3, 0.9])
    got = leg.rotate(leg.rest, "shin.L", np.roll(turn, 1), scalar_first=True)
    np.testing.assert_array_equal(got, leg.rotate(leg.rest, "shin.L", turn))


def test_rotate_normalises_the_turn_and_refuses_what_is_none(leg: Skeleton) -> None:
    a = leg.rotate(leg.rest, 1, [0, 0, 3, 4])
    np.testing.assert_allclose(a[1, 3:7], [0, 0, 0.6, 0.8], atol=1e-7)
    with pytest.raises(ValueError, match=r"quat must have shape \(..., 4\), got \(3,\)"):
        leg.rotate(leg.rest, 1, [0, 0, 1])
    with pytest.raises(ValueError, match="quat must be finite and not zero"):
        leg.rotate(leg.rest, 1, [0, 0, 0, 0])
    with pytest.raises(ValueError, match="space must be 'local', 'parent' or 'model', got 'world'"):
        leg.rotate(leg.rest, 1, [0, 0, 0, 1], space="world")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("poses", "quat", "error", "sentence"),
    [
        (np.zeros(10, np.float32), [0, 0, 0, 1], ValueError, r"poses must have shape \(..., 7, 10\)"),
        (np.zeros((6, 10), np.float32), [0, 0, 0, 1], ValueError, r"got \(6, 10\)"),
        (rest_pose(7), [np.inf, 0, 0, 1], ValueError, "quat must be finite and not zero"),
        (rest_pose(7), [1j, 0, 0, 1], TypeError, "quat must be an array of real numbers, got complex128"),
        (0 * rest_pose(7), [0, 0, 0, 1], ValueError, "poses must hold a rotation of 'pelvis', got zero"),
    ],
)
def test_rotate_refuses_what_makes_no_sense(leg, poses, quat, error, sentence) -> None:
    with pytest.raises(error, match=f"Skeleton.rotate: .*{sentence}"):
        leg.rotate(poses, 0, quat)


def test_rotate_lets_not_a_number_through(leg: Skeleton) -> None:
    poses = np.stack([leg.rest, leg.rest])
    poses[0, 0, 0] = np.nan  # of the parent
    poses[1, 0, 7] = np.nan
    turned = leg.rotate(poses, "thigh.L", [0, 0, 1, 0], space="model")
    np.testing.assert_array_equal(turned[0, 1, 3:7], [0, 0, 1, 0])
    assert np.isnan(turned[1, 1, 3:7]).all()


@pytest.mark.parametrize("poses", [[["1"] * 10] * 7, [[None] * 10] * 7, np.zeros((7, 10), np.complex64)])
def test_what_is_no_number_is_refused(leg: Skeleton, poses: object) -> None:
    with pytest.raises(TypeError, match=r"Skeleton.model_matrices: poses must be an array of real numbers"):
        leg.model_matrices(poses)


def test_a_nearly_unit_rest_rotation_is_normalised() -> None:
    rest = rest_pose(2)
    rest[1, 3:7] = np.float32([0.6, 0, 0, 0.80005])
    skeleton = Skeleton(["a", "b"], [-1, 0], rest)
    np.testing.assert_array_equal(skeleton.rest[0], rest[0])
    assert abs(np.linalg.norm(skeleton.rest[1, 3:7].astype(np.float64)) - 1) < 1e-7
