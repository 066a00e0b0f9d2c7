# SPDX-License-Identifier: MIT
"""The asserts for poses, palettes and vertices: what passes, and what the message says of what does not."""

import re

import numpy as np
import pytest

import lissom
from lissom import quat
from lissom.testing import assert_palettes_close, assert_poses_close, assert_vertices_close

ASSERTS = (assert_poses_close, assert_palettes_close, assert_vertices_close)


@pytest.fixture(scope="module")
def hero() -> lissom.Character:
    return lissom.samples.humanoid()


@pytest.fixture(scope="module")
def poses(hero) -> np.ndarray:
    return hero.clips["walk"].sample(np.linspace(0, 1, 6).reshape(2, 3))


def palette(hero, poses) -> lissom.Palette:
    return hero.skin.palette(hero.skeleton.model_matrices(poses))


def turn(degrees, axis=(0, 0, 1)) -> np.ndarray:
    return quat.from_axis_angle(axis, np.radians(degrees))


def message(check, *arguments, **options) -> str:
    with pytest.raises(AssertionError) as caught:
        check(*arguments, **options)
    return str(caught.value)


# --- what all three do ---


def of_each(hero, poses):
    """Each assert with something it takes."""
    return (
        (assert_poses_close, poses),
        (assert_palettes_close, palette(hero, poses).matrices),
        (assert_vertices_close, hero.deform(poses)),
    )


@pytest.mark.parametrize("batch", [(), (4,), (2, 3)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equal_things_pass_whatever_their_batch_and_type(hero, batch, dtype) -> None:
    poses = hero.clips["walk"].sample(np.linspace(0, 1, 6)[: int(np.prod(batch))].reshape(batch))
    for check, value in of_each(hero, poses.astype(dtype)):
        check(value, value.astype(np.float64), of=hero)
        check(value, np.array(value))
        check(
            value.tolist(), value, share=0.0, **({} if check is assert_vertices_close else {"rotation": 0.0})
        )


def test_rounding_passes_and_a_hundred_times_that_does_not(hero, poses) -> None:
    rng = np.random.default_rng(0)
    for check, value in of_each(hero, poses.astype(np.float64)):
        noise = rng.choice([-1.0, 1.0], value.shape)
        if check is assert_palettes_close:
            noise[..., 3, :] = 0
        check(value + 5e-7 * noise, value, of=hero)
        assert " are beyond the tolerance" in message(check, value + 5e-5 * noise, value, of=hero)


def test_nothing_is_broadcast(hero, poses) -> None:
    for check, value in of_each(hero, poses):
        text = f"{check.__name__}: shapes differ: actual {value[0].shape}, desired {value.shape}"
        assert message(check, value[0], value) == text
        assert "shapes differ" in message(check, value, value[0])
        assert "shapes differ" in message(check, value[:, :, :1], value)


def test_nothing_to_compare_is_no_pass(hero, poses) -> None:
    for check, value in of_each(hero, poses):
        shape = (2, 0, *value.shape[2:])
        assert message(check, value[:, :0], value[:, :0]).endswith(
            f"nothing to compare: both have shape {shape}"
        )
    assert "nothing to compare" in message(assert_vertices_close, np.zeros((0, 3)), np.zeros((0, 3)))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_never_passes(hero, poses, bad) -> None:
    for check, value in of_each(hero, poses):
        broken = value.copy()
        broken[1, 2, 7] = bad
        for name, pair in {"actual": (broken, value), "desired": (value, broken)}.items():
            text = message(check, *pair, of=hero, times=np.arange(6.0).reshape(2, 3))
            assert re.match(rf"{check.__name__}: {name} is not finite in 1 of \d+ places, first at ", text)
            assert re.search(r" 7 |\(7\)|row 7 ", text)
            assert "of pose (1, 2) at 5 s" in text
        assert "actual is not finite" in message(check, broken, broken)


def test_the_users_words_stand_in_the_message(hero, poses) -> None:
    for check, value in of_each(hero, poses):
        other = value.copy()
        other[0, 1, 4, 0] += 0.3
        assert message(check, other, value, err_msg="at frame 7").splitlines()[1] == "at frame 7"


@pytest.mark.parametrize("check", ASSERTS)
def test_wrong_arguments(hero, poses, check) -> None:
    name = check.__name__
    _, value = next(pair for pair in of_each(hero, poses) if pair[0] is check)
    with pytest.raises(
        TypeError,
        match=rf"{name}: the tolerance must be a length \(units\) or a share \(of the size\), got both",
    ):
        check(value, value, length=1.0, share=0.1)
    for option in ("share", "length", *(() if check is assert_vertices_close else ("rotation", "scale"))):
        with pytest.raises(ValueError, match=rf"{name}: {option} must be finite and at least 0, got -1"):
            check(value, value, **{option: -1})
        with pytest.raises(TypeError, match=rf"{name}: {option} must be a number, got str"):
            check(value, value, **{option: "much"})
    with pytest.raises(ValueError, match=rf"{name}: size must be above zero and finite, got 0"):
        check(value, value, size=0)
    with pytest.raises(TypeError, match=rf"{name}: of must be a Character.*, got int"):
        check(value, value, of=3)
    with pytest.raises(
        ValueError, match=rf"{name}: times must have the shape of the poses, \(2, 3\), got \(3,\)"
    ):
        check(value, value, times=[0, 1, 2])
    with pytest.raises(TypeError, match=rf"{name}: actual must be an array of real numbers, got NoneType"):
        check(None, value)
    with pytest.raises(ValueError, match=rf"{name}: desired must .*, got .*\(2, 3, 5, 5\)"):
        check(value, np.zeros((2, 3, 5, 5)))
    other = lissom.samples.two_bone_tube()
    with pytest.raises(
        ValueError, match=rf"{name}: of must have a \w+ of the \d+ \w+ of desired, got one of \d+"
    ):
        check(value, value, of=other)


# --- vertices ---


def test_the_worst_vertex_is_named_with_its_part_and_joint(hero, poses) -> None:
    vertices = hero.deform(poses).astype(np.float64)
    moved = vertices.copy()
    part = hero.mesh.parts[1]
    worst = part.vertices.start + 3
    moved[1, 0, worst] += [0, 0.03, 0.04]
    moved[0, 2, worst + 1] += [0.01, 0, 0]
    joint = hero.skeleton.names[hero.skin.joints[hero.mesh.indices[worst, hero.mesh.weights[worst].argmax()]]]
    text = message(assert_vertices_close, moved, vertices, of=hero, times=np.arange(6).reshape(2, 3))
    first, distance, place, actual, desired, joints = text.splitlines()
    total = 6 * hero.mesh.vertex_count
    assert first == f"assert_vertices_close: 2 of {total} vertices, in 2 of 6 poses, are beyond the tolerance"
    share = f"{100 * 0.05 / hero.size:.3g} % of the size {hero.size:.4g}"
    assert distance.startswith(f"  position: 0.05 units ({share}) apart, tolerance ")
    assert distance.endswith(", 2 beyond")
    assert (
        place
        == f"    worst   vertex {worst} (part {part.name!r}, main joint {joint!r}) of pose (1, 0) at 3 s"
    )
    assert re.fullmatch(r"    actual  \[.*\]", actual)
    assert re.fullmatch(r"    desired \[.*\]", desired)
    assert joints.startswith("  by main joint: ")
    assert repr(joint) in joints


def test_first_and_last_vertex_of_a_part(hero) -> None:
    part = hero.mesh.parts[1]
    for vertex in (part.vertices.start, part.vertices.stop - 1):
        moved = hero.mesh.positions.copy()
        moved[vertex] += 1
        assert f"vertex {vertex} (part {part.name!r}, " in message(
            assert_vertices_close, moved, hero.mesh, of=hero
        )


def test_tolerances_of_lengths(hero, poses) -> None:
    vertices = hero.deform(poses).astype(np.float64)
    moved = vertices + np.array([0.01, 0, 0])
    assert_vertices_close(moved, vertices, length=0.010001)
    assert "tolerance 0.0099 units" in message(assert_vertices_close, moved, vertices, length=0.0099)
    assert_vertices_close(moved, vertices, share=0.010001 / hero.size, of=hero)
    assert " beyond" in message(assert_vertices_close, moved, vertices, share=0.0099 / hero.size, of=hero)
    assert_vertices_close(moved, vertices, share=0.0101, size=1.0)
    # Without a size, that of the box around the vertices that are desired.
    diagonal = np.linalg.norm(np.ptp(vertices, axis=-2), axis=-1).max()
    text = message(assert_vertices_close, moved, vertices, share=0.0099 / diagonal)
    assert f"of the size {diagonal:.4g})" in text
    assert_vertices_close(moved, vertices, share=0.010001 / diagonal)


def test_vertices_of_a_mesh_and_of_a_point(hero) -> None:
    assert_vertices_close(hero.mesh, hero.mesh.positions, of=hero.mesh)
    text = message(
        assert_vertices_close, hero.mesh.positions + np.float32([0, 0, 1]), hero.mesh, of=hero.mesh
    )
    assert re.search(r"vertex \d+ \(part '\w+', main joint of row \d+\)\n", text)
    assert_vertices_close([[0, 0, 0]], [[0, 0, 9e-6]])  # without extent, a share of one unit
    assert message(assert_vertices_close, [[0, 0, 0]], [[0, 0, 2e-5]]).endswith(
        "desired [0.      0.      0.00002]"
    )


def test_normals_are_not_taken_for_vertices(hero, poses) -> None:
    deformed = hero.deform(poses, normals=True)
    with pytest.raises(TypeError, match=r"actual must be an array, got Deformed; pass its \.positions"):
        assert_vertices_close(deformed, deformed.positions)
    assert_vertices_close(deformed.normals, deformed.normals, length=1e-4)


# --- poses ---


def test_the_worst_joint_of_each_kind_is_named(hero, poses) -> None:
    names = list(hero.skeleton.names)
    arm, hand, head = (names.index(name) for name in ("UpperArm.L", "Hand.L", "Head"))
    other = poses.astype(np.float64)
    other[1, 2, head, 3:7] = quat.multiply(other[1, 2, head, 3:7], turn(25))
    other[0, 0, arm, 3:7] = quat.multiply(other[0, 0, arm, 3:7], turn(5))
    other[0, 1, hand, :3] += [0.3, 0, 0.4]
    other[1, 1, arm, 9] *= 1.5
    text = message(assert_poses_close, other, poses, of=hero, times=np.arange(6).reshape(2, 3))
    first, *lines = text.splitlines()
    joints = 6 * len(names)
    assert first == f"assert_poses_close: 4 of {joints} joints, in 4 of 6 poses, are beyond the tolerance"
    assert lines[0] == "  rotation: 25 degrees apart, tolerance 0.00573 degrees, 2 beyond"
    assert lines[1] == f"    worst   joint 'Head' ({head}) of pose (1, 2) at 5 s"
    share = f"{100 * 0.5 / hero.size:.3g} % of the size {hero.size:.4g}"
    assert lines[4].startswith(f"  translation: 0.5 units ({share}) apart, tolerance ")
    assert lines[5] == f"    worst   joint 'Hand.L' ({hand}) of pose (0, 1) at 1 s"
    assert lines[8] == "  scale: 50 % apart, tolerance 0.001 %, 1 beyond"
    assert lines[9] == f"    worst   joint 'UpperArm.L' ({arm}) of pose (1, 1) at 4 s"
    assert re.fullmatch(
        r"  in model space joints are up to 0\.\d+ units \(.*\) apart, at joint '.*", lines[12]
    )


def test_a_turned_root_moves_the_farthest_joint_in_model_space(hero) -> None:
    rest = hero.skeleton.rest.astype(np.float64)
    turned = hero.skeleton.rotate(rest, 0, turn(90))
    apart = np.linalg.norm(hero.skeleton.positions(turned) - hero.skeleton.positions(rest), axis=1)
    joint = hero.skeleton.names[apart.argmax()]
    text = message(assert_poses_close, turned, rest, of=hero.skeleton)
    assert f"up to {apart.max():.4g} units (" in text.splitlines()[-1]
    assert text.splitlines()[-1].endswith(f"apart, at joint {joint!r} ({apart.argmax()})")


def test_a_difference_has_no_model_space(hero) -> None:
    walk = hero.clips["walk"]
    difference = lissom.make_additive(walk, hero.skeleton.rest)
    assert "model space" in message(assert_poses_close, walk.sample([0, 0.3]), walk, times=[0.1, 0.3])
    text = message(assert_poses_close, difference.sample([0, 0.3]), difference, times=[0.1, 0.3])
    assert "model space" not in text


def test_q_and_minus_q_are_one_rotation(poses) -> None:
    other = poses.copy()
    other[..., ::2, 3:7] *= -1
    assert_poses_close(other, poses)
    assert_poses_close(poses, other, rotation=1e-7)


def test_tolerances_of_rotation_and_scale(poses) -> None:
    poses = poses.astype(np.float64)
    other = poses.copy()
    other[..., 3:7] = quat.multiply(poses[..., 3:7], turn(1))
    assert_poses_close(other, poses, rotation=np.radians(1.001))
    assert "1 degrees apart, tolerance 0.999 degrees" in message(
        assert_poses_close, other, poses, rotation=np.radians(0.999)
    )
    doubled = poses.copy()
    doubled[..., 7:] = [2, 1, 0]
    grown = doubled.copy()
    grown[..., 9] = 0.02  # one percent of the largest
    assert_poses_close(grown, doubled, scale=0.0101)
    assert "scale: 1 % apart" in message(assert_poses_close, grown, doubled, scale=0.0099)
    doubled[..., 7:] = 0
    grown[..., 7:] = [0, 0, 0.02]
    assert "scale: 2 % apart" in message(assert_poses_close, grown, doubled)  # as it is


def test_without_a_skeleton_shares_are_of_one_unit(poses) -> None:
    other = poses.astype(np.float64)
    other[0, 0, 3, 0] += 0.5
    text = message(assert_poses_close, other, poses)
    assert "translation: 0.5 units apart, tolerance 1e-05 units, 1 beyond" in text
    assert "joint 3 of pose (0, 0)\n" in text
    assert "model space" not in text
    assert_poses_close(other, poses, share=0.01, size=51)


@pytest.mark.parametrize("length", [0.0, 2.0])
def test_rotations_that_are_not_unit_never_pass(poses, length) -> None:
    long = poses.astype(np.float64)
    long[1, 0, 3, 3:7] *= length
    text = "holds a rotation that is not unit, at joint 3 of pose (1, 0): ["
    assert f"actual {text}" in message(assert_poses_close, long, poses)
    assert f"desired {text}" in message(assert_poses_close, poses, long)
    assert text in message(assert_poses_close, long, long)


def test_half_precision_is_compared(poses) -> None:
    half = poses.astype(np.float16)
    text = message(assert_poses_close, half, poses)
    assert "rotation: " in text
    assert_poses_close(half, poses, rotation=5e-3, share=1e-3, scale=1e-3)
    assert_poses_close(half, half, rotation=0, share=0, scale=0)
    half[..., 3:7] *= np.float16(1.01)
    assert "not unit" in message(assert_poses_close, half, poses, rotation=1, share=1)


def test_clips_are_compared_at_their_keys_and_between(hero) -> None:
    walk = hero.clips["walk"]
    assert_poses_close(walk, walk)
    assert_poses_close(walk.reversed().reversed(), walk)
    times = np.linspace(walk.start, walk.end, 9)
    poses = walk.sample(times, loop=False)
    assert_poses_close(walk, poses, times=times)
    assert_poses_close(poses, walk, times=times)
    # One key of one joint, and between the keys as well.
    seconds = np.arange(5) / 4
    rest = np.tile(hero.skeleton.rest, (5, 1, 1))
    bent = rest.copy()
    bent[2] = hero.skeleton.rotate(bent[2], "Hand.R", turn(10))
    still, moving = (lissom.Clip.from_poses(hero.skeleton, seconds, p) for p in (rest, bent))
    text = message(assert_poses_close, moving, still)
    assert "3 of 306 joints, in 3 of 9 poses," in text
    assert "rotation: 10 degrees apart" in text
    assert re.search(r"worst   joint 'Hand\.R' \(\d+\) of pose 4 at 0\.5 s", text)
    assert_poses_close(moving, still, times=[0.0, 0.25, 0.75, 1.0])


def test_clips_that_do_not_go_together(hero) -> None:
    walk = hero.clips["walk"]
    text = message(assert_poses_close, walk.shifted(0.5), walk)
    assert re.search(
        r"the clips have different ends: actual 0\.5 to .* s, desired 0 to .*; pass times= to", text
    )
    tube = lissom.samples.two_bone_tube()
    poses = np.tile(tube.skeleton.rest, (2, 1, 1))
    small = lissom.Clip.from_poses(tube.skeleton, [0, 1], poses)
    first = tube.skeleton.names[0]
    text = message(assert_poses_close, small, walk)
    assert f"actual must be of the same skeleton, but joint 0 is {first!r} there and 'Pelvis' here" in text
    names = [*tube.skeleton.names[:-1], "Elsewhere"]
    renamed = lissom.Skeleton(names, tube.skeleton.parents, tube.skeleton.rest)
    other = lissom.Clip.from_poses(renamed, [0, 1], poses)
    old = tube.skeleton.names[-1]
    text = message(assert_poses_close, other, small)
    assert f"but joint {len(names) - 1} is 'Elsewhere' there and {old!r} here" in text
    for of in (renamed, other):  # which would lend the joints other names
        with pytest.raises(ValueError, match=r"of, for clip '.*', must be of the same skeleton, but joint"):
            assert_poses_close(small, poses, times=[0, 1], of=of)
    rest = np.tile([0, 0, 0, 0, 0, 0, 1, 1, 1, 1], (3, 1))
    trees = [lissom.Skeleton(["a", "b", "c"], parents, rest) for parents in ([-1, 0, 1], [-1, 0, 0])]
    chain, fork = (lissom.Clip.from_poses(tree, [0, 1], np.tile(rest, (2, 1, 1))) for tree in trees)
    assert "but the parent of 'c' is 'a' there and 'b' here" in message(assert_poses_close, fork, chain)
    with pytest.raises(
        TypeError, match="times must be the seconds of the poses that a clip is compared with"
    ):
        assert_poses_close(walk, walk.sample([0.0, 0.5]))


# --- palettes ---


def test_palettes_are_the_same_in_every_form(hero, poses) -> None:
    made = palette(hero, poses)
    assert_palettes_close(made, made)
    assert_palettes_close(made.dual_quats, made)
    assert_palettes_close(-made.dual_quats, made.matrices)
    assert_palettes_close(made, 3 * made.dual_quats, of=hero)
    bake = lissom.bake(hero, ["walk"], dtype="float32")
    times = np.linspace(0, 1, 6).reshape(2, 3)
    assert_palettes_close(bake.sample("walk", times), made, of=bake, rotation=1e-3, share=1e-3, scale=1e-4)


def test_the_worst_row_is_named_with_its_joint(hero, poses) -> None:
    rows = [hero.skeleton.names[joint] for joint in hero.skin.joints]
    hand = rows.index("Hand.L")
    matrices = palette(hero, poses).matrices.astype(np.float64)
    pivot = hero.skin.pivots[hand]
    other = matrices.copy()
    # Turned about its own joint, which therefore stays where it is.
    about = np.eye(4)
    about[:3, :3] = quat.to_matrix(turn(30))
    about[:3, 3] = pivot - about[:3, :3] @ pivot
    other[0, 1, hand] = other[0, 1, hand] @ about
    text = message(assert_palettes_close, other, matrices, of=hero)
    assert f"1 of {6 * len(rows)} palette rows, in 1 of 6 poses," in text
    assert "  rotation: 30 degrees apart, tolerance 0.00573 degrees, 1 beyond" in text
    assert f"worst   row {hand} (joint 'Hand.L') of pose (0, 1)" in text
    assert "translation" not in text
    assert "scale" not in text
    assert "translation" in message(assert_palettes_close, other, matrices)  # at the origin
    assert "row {hand} of pose" not in message(assert_palettes_close, other, matrices, of=hero.skin)
    other = matrices.copy()
    other[1, 2, hand, 0, 3] += 0.5
    other[0, 0, 3, :3, :3] = other[0, 0, 3, :3, :3] @ np.diag([1, 1.25, 1])
    text = message(assert_palettes_close, other, matrices, of=hero)
    share = f"{100 * 0.5 / hero.size:.3g} % of the size {hero.size:.4g}"
    assert f"  translation: 0.5 units ({share}) apart, " in text
    assert "  scale: 25 % apart, tolerance 0.001 %, 1 beyond" in text
    assert "rotation" not in text


def test_a_palette_brings_its_skin(hero, poses) -> None:
    made = palette(hero, poses)
    turned = palette(hero, hero.skeleton.rotate(poses, 0, turn(20)))
    text = message(assert_palettes_close, turned, made)
    assert "rotation: 20 degrees apart" in text
    by_hand = message(assert_palettes_close, turned.matrices, made.matrices, of=hero.skin)
    assert text == by_hand
    assert text == message(assert_palettes_close, turned.matrices, made)


def test_mirrors_and_lost_axes() -> None:
    flat, other = np.tile(np.eye(4), (2, 1, 1, 1))
    flat[0, :3, :3] = np.diag([1, 1, 0])
    other[0, :3, :3] = quat.to_matrix(turn(90)) @ flat[0, :3, :3]
    assert_palettes_close(flat, flat)
    text = message(assert_palettes_close, other, flat)
    assert "rotation" not in text
    assert "scale: 141 % apart" in text
    mirrored = np.eye(4)[None] * [[[-1], [1], [1], [1]]]
    assert_palettes_close(mirrored, mirrored)
    text = message(assert_palettes_close, mirrored, np.eye(4)[None])
    assert "rotation: 180 degrees apart" in text
    assert "scale: 200 % apart" in text
    gone = np.zeros((1, 4, 4))
    gone[0, 3, 3] = 1
    assert_palettes_close(gone, gone)
    assert "scale: 100 % apart" in message(assert_palettes_close, np.eye(4)[None], gone)


def test_what_is_no_transform_never_passes(hero, poses) -> None:
    matrices = palette(hero, poses).matrices.copy()
    sheared = matrices.copy()
    sheared[1, 1, 5, 3] = [0, 0, 0, 2]
    text = r"actual has a last row other than 0 0 0 1 at row 5 of pose \(1, 1\): \[0. 0. 0. 2.\]"
    assert re.search(text, message(assert_palettes_close, sheared, matrices))
    assert "desired has a last row" in message(assert_palettes_close, matrices, sheared)
    zero = palette(hero, poses).dual_quats.copy()
    zero[0, 0, 2] = 0
    text = "holds a dual quaternion whose real part is zero"
    assert f"actual {text}" in message(assert_palettes_close, zero, matrices)
    assert f"desired {text}" in message(assert_palettes_close, matrices, zero)
    assert "actual must be matrices" in message(assert_palettes_close, matrices[..., :3], matrices)
