# SPDX-License-Identifier: MIT
"""Poses between two poses, and the mean of many."""

import itertools

import numpy as np
import pytest

import lissom
from lissom import Skeleton
from random_rigs import random_poses, random_quats, random_skeleton
from reference import blending

# Of unit-sized numbers: what a sum of a few products leaves, and the estimate of 1 / sqrt in float32.
TOLERANCE = {np.float32: 6e-7, np.float64: 1e-15}
UNIT = {np.float32: 4e-7, np.float64: 4e-16}
DTYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64])
# Below, at and around the widths of all kernels.
JOINTS = pytest.mark.parametrize("joints", [1, 2, 7, 8, 16, 41])


def assert_same(got: np.ndarray, want: np.ndarray, tolerance: float) -> None:
    """Equal poses; a quaternion may have either sign."""
    assert got.shape == want.shape
    sign = np.sign(np.sum(got[..., 3:7] * want[..., 3:7], axis=-1, keepdims=True))
    turned = got.astype(np.float64)
    turned[..., 3:7] *= sign
    np.testing.assert_allclose(turned, want, rtol=0, atol=tolerance)


def negated(poses: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The same poses, half of the quaternions with the other sign."""
    result = poses.copy()
    result[..., 3:7] *= np.where(rng.random(poses.shape[:-1]) < 0.5, -1, 1)[..., None]
    return result


def near_poses(rng: np.random.Generator, count: int, joints: int, spread: float) -> np.ndarray:
    """Poses whose rotations lie within `spread` radians of one pose's, roughly."""
    poses = random_poses(rng, count, joints)
    quats = poses[0, :, 3:7] + spread / 4 * rng.normal(size=(count, joints, 4))
    poses[..., 3:7] = quats / np.linalg.norm(quats, axis=-1, keepdims=True)
    return poses


def moved(poses: np.ndarray, quat: np.ndarray, translation: np.ndarray) -> np.ndarray:
    """The first joint, a root, moved rigidly."""
    result = poses.copy()
    result[..., 0, :3] = lissom.quat.rotate(quat, poses[..., 0, :3]) + translation
    result[..., 0, 3:7] = lissom.quat.multiply(quat, poses[..., 0, 3:7])
    return result


# Between two


@DTYPES
@JOINTS
def test_blend_is_the_twin(dtype: type, joints: int) -> None:
    rng = np.random.default_rng(joints)
    a, b = random_poses(rng, 2, joints).astype(dtype)
    mask = rng.uniform(size=joints).astype(dtype)
    for weight, own_mask in itertools.product([0.0, 0.3, 1.0], [None, mask]):
        got = lissom.blend(a, b, weight, own_mask)
        assert got.dtype == dtype
        assert_same(got, blending.blend(a, b, weight, own_mask), TOLERANCE[dtype])
        np.testing.assert_allclose(np.linalg.norm(got[:, 3:7], axis=-1), 1, rtol=0, atol=UNIT[dtype])


def test_blend_meets_in_the_middle() -> None:
    # A quarter turn about z and the translation of two halves: eighth turn, (sin, cos)(pi / 8).
    a = np.float64([[0, 0, 0, 0, 0, 0, 1, 1, 1, 1]])
    b = np.float64([[2, 4, 6, 0, 0, np.sqrt(0.5), np.sqrt(0.5), 3, 1, 0]])
    want = [[1, 2, 3, 0, 0, np.sin(np.pi / 8), np.cos(np.pi / 8), 2, 1, 0.5]]
    np.testing.assert_allclose(lissom.blend(a, b, 0.5), want, rtol=0, atol=1e-15)


@DTYPES
@JOINTS
def test_weight_0_gives_a_and_1_gives_b_to_the_bit(dtype: type, joints: int) -> None:
    rng = np.random.default_rng(joints)
    a, b = random_poses(rng, 2, joints).astype(dtype)
    a[0, 0] = -0.0
    assert lissom.blend(a, b, 0).tobytes() == a.tobytes()
    whole = lissom.blend(a, b, 1)
    np.testing.assert_array_equal(np.abs(whole), np.abs(b))
    np.testing.assert_array_equal(np.delete(whole, range(3, 7), axis=-1), np.delete(b, range(3, 7), axis=-1))
    assert (np.sum(whole[:, 3:7] * a[:, 3:7], axis=-1) >= 0).all()
    # The ends look at nothing of the other pose.
    nothing = np.full_like(b, np.nan)
    assert lissom.blend(a, nothing, 0).tobytes() == a.tobytes()
    half = np.where(np.arange(joints) % 2, 1, 0)
    mixed = lissom.blend(a, nothing, 1, half)
    assert mixed[half == 0].tobytes() == a[half == 0].tobytes()
    assert np.isnan(mixed[half == 1]).all()


@DTYPES
def test_signs_of_quaternions_do_not_matter_to_blend(dtype: type) -> None:
    rng = np.random.default_rng(1)
    a, b = random_poses(rng, 2, 50).astype(dtype)
    want = lissom.blend(a, b, 0.4)
    for _ in range(4):
        np.testing.assert_array_equal(
            np.abs(lissom.blend(negated(a, rng), negated(b, rng), 0.4)), np.abs(want)
        )


def test_blend_goes_the_short_way() -> None:
    rng = np.random.default_rng(2)
    a, b = random_poses(rng, 2, 200)
    whole = lissom.quat.angle_between(a[:, 3:7], b[:, 3:7])
    part = lissom.quat.angle_between(a[:, 3:7], lissom.blend(a, b, 0.5)[:, 3:7])
    np.testing.assert_allclose(part, whole / 2, atol=1e-14)


def test_leading_axes_broadcast() -> None:
    rng = np.random.default_rng(3)
    a, b = random_poses(rng, 4, 1, 9), random_poses(rng, 5, 9)
    weight, mask = rng.uniform(size=(2, 1, 1)), rng.uniform(size=(4, 5, 9))
    got = lissom.blend(a, b, weight, mask)
    assert got.shape == (2, 4, 5, 9, 10)
    for i, j, k in np.ndindex(2, 4, 5):
        want = lissom.blend(a[j, 0], b[k], weight[i, 0, 0], mask[j, k])
        np.testing.assert_array_equal(got[i, j, k], want)


def test_a_batch_gives_the_same_bits_on_every_number_of_threads() -> None:
    rng = np.random.default_rng(4)
    a, b = random_poses(rng, 2, 3000, 20).astype(np.float32)
    weight = rng.uniform(size=3000)
    before = lissom.thread_count()
    try:
        results = []
        for threads in (1, 3):
            lissom.set_thread_count(threads)
            results.append(lissom.blend(a, b, weight).tobytes())
            results.append(lissom.blend_layers([a, b], [weight, 1 - weight], rest=a[0]).tobytes())
    finally:
        lissom.set_thread_count(before)
    assert results[:2] == results[2:]


def test_float64_is_never_narrowed() -> None:
    rng = np.random.default_rng(5)
    a, b = random_poses(rng, 2, 3)
    assert lissom.blend(a.astype(np.float32), b, 0.5).dtype == np.float64
    assert lissom.blend(a, b.astype(np.float32), 0.5).dtype == np.float64
    assert lissom.blend_layers([a.astype(np.float32), b], [1, 1]).dtype == np.float64
    assert lissom.blend_layers([a.astype(np.float32)], [1], rest=b).dtype == np.float64
    # Weights say nothing about the poses.
    assert lissom.blend(a.astype(np.float32), a.astype(np.float32), np.float64(0.5)).dtype == np.float32


def test_out_is_written_and_returned() -> None:
    rng = np.random.default_rng(6)
    a, b = random_poses(rng, 2, 4, 3).astype(np.float32)
    out = np.empty_like(a)
    assert lissom.blend(a, b, 0.5, out=out) is out
    np.testing.assert_array_equal(out, lissom.blend(a, b, 0.5))
    assert lissom.blend_layers([a, b], [1, 3], out=out) is out
    np.testing.assert_array_equal(out, lissom.blend_layers([a, b], [1, 3]))


# The mean of many


@DTYPES
@JOINTS
def test_blend_layers_is_the_twin(dtype: type, joints: int) -> None:
    rng = np.random.default_rng(joints)
    poses = near_poses(rng, 4, joints, 1.0).astype(dtype)
    weights = rng.uniform(0.1, 2, size=4)
    masks = [None, *rng.uniform(size=(3, joints)).astype(dtype)]
    for own_masks in (None, masks):
        got = lissom.blend_layers(poses, weights, own_masks)
        assert got.dtype == dtype
        assert_same(got, blending.blend_layers(poses, weights, own_masks), TOLERANCE[dtype])
        np.testing.assert_allclose(np.linalg.norm(got[:, 3:7], axis=-1), 1, rtol=0, atol=UNIT[dtype])


@DTYPES
def test_rotations_are_signed_against_the_heaviest_layer(dtype: type) -> None:
    # Far apart, where a running sum would put some on the other side.
    rng = np.random.default_rng(7)
    for layers in (3, 4, 6):
        poses = random_poses(rng, layers, 64).astype(dtype)
        weights = rng.uniform(0.5, 1, size=layers).astype(dtype)
        want = blending.blend_layers(poses, weights)
        # Where the sum is short the rounding is long.
        assert_same(lissom.blend_layers(poses, weights), want, 4 * TOLERANCE[dtype])


def test_of_equally_heavy_layers_the_lowest_gives_the_side() -> None:
    rows = np.zeros((3, 1, 10))
    rows[:, 0, 7:] = 1
    # Half angles of 0, 80 and 160 degrees about x: the third is nearer to the negative of the first.
    half = np.radians([0, 80, 160])
    rows[:, 0, 3], rows[:, 0, 6] = np.sin(half), np.cos(half)
    got = lissom.blend_layers(rows, [1, 1, 1])[0, 3:7]
    total = rows[0, 0, 3:7] + rows[1, 0, 3:7] - rows[2, 0, 3:7]
    np.testing.assert_allclose(got, total / np.linalg.norm(total), atol=1e-15)


@DTYPES
def test_one_layer_is_itself_to_the_bit(dtype: type) -> None:
    rng = np.random.default_rng(8)
    pose, other = random_poses(rng, 2, 21).astype(dtype)
    pose[0, 0] = -0.0
    assert lissom.blend_layers([pose], [0.3]).tobytes() == pose.tobytes()
    assert lissom.blend_layers([other, pose], [0, 1e-30]).tobytes() == pose.tobytes()
    # A layer without weight counts for nothing, whatever it holds.
    other[:] = np.nan
    assert lissom.blend_layers([other, pose, other], [0, 0.7, 0]).tobytes() == pose.tobytes()


@DTYPES
def test_two_layers_are_a_blend(dtype: type) -> None:
    rng = np.random.default_rng(9)
    a, b = random_poses(rng, 2, 64).astype(dtype)
    for weight in (0.1, 0.5, 0.9):
        got = lissom.blend_layers([a, b], [1 - weight, weight])
        assert_same(got, lissom.blend(a, b, weight), TOLERANCE[dtype])


@DTYPES
def test_the_order_of_layers_does_not_matter(dtype: type) -> None:
    rng = np.random.default_rng(10)
    poses = random_poses(rng, 4, 64).astype(dtype)
    weights = rng.uniform(0.5, 1, size=4)
    masks = rng.uniform(0.5, 1, size=(4, 64))
    want = lissom.blend_layers(poses, weights, list(masks))
    for order in itertools.permutations(range(4)):
        order = list(order)
        got = lissom.blend_layers(poses[order], weights[order], list(masks[order]))
        assert_same(got, want, 4 * TOLERANCE[dtype])


@DTYPES
def test_signs_of_quaternions_do_not_matter_to_layers(dtype: type) -> None:
    rng = np.random.default_rng(11)
    poses = random_poses(rng, 3, 50).astype(dtype)
    want = lissom.blend_layers(poses, [1, 2, 3], rest=poses[0], threshold=8)
    for _ in range(4):
        got = lissom.blend_layers(negated(poses, rng), [1, 2, 3], rest=negated(poses[0], rng), threshold=8)
        np.testing.assert_array_equal(np.abs(got), np.abs(want))


@DTYPES
def test_only_the_proportions_of_weights_count(dtype: type) -> None:
    rng = np.random.default_rng(12)
    poses = random_poses(rng, 3, 30).astype(dtype)
    want = lissom.blend_layers(poses, [0.2, 0.5, 0.7], rest=poses[0])
    for factor in (0.125, 2.0**20):  # powers of two: to the bit
        got = lissom.blend_layers(poses, np.array([0.2, 0.5, 0.7]) * factor, rest=poses[0])
        assert got.tobytes() == want.tobytes()
    # As small as float32 goes: without rest, nothing is too little.
    small = lissom.blend_layers(poses, np.array([2, 5, 7]) * 1e-42)
    assert_same(small, want, 1e-2)  # 1e-42 has few digits


@DTYPES
def test_moving_the_root_moves_the_blend_alike(dtype: type) -> None:
    rng = np.random.default_rng(13)
    poses = random_poses(rng, 3, 5).astype(dtype)
    quat, translation = random_quats(rng).astype(dtype), rng.normal(size=3).astype(dtype)
    far = moved(poses, quat, translation)
    want = moved(lissom.blend_layers(poses, [1, 2, 3]), quat, translation)
    assert_same(lissom.blend_layers(far, [1, 2, 3]), want, 4 * TOLERANCE[dtype])
    want = moved(lissom.blend(poses[0], poses[1], 0.3), quat, translation)
    assert_same(lissom.blend(far[0], far[1], 0.3), want, 4 * TOLERANCE[dtype])


@DTYPES
def test_the_rest_fills_what_lacks_to_the_threshold(dtype: type) -> None:
    rng = np.random.default_rng(14)
    poses, rest = near_poses(rng, 3, 20, 0.5).astype(dtype)[:2], random_poses(rng, 20).astype(dtype)
    mask = np.linspace(0, 1, 20).astype(dtype)  # from nothing at the first joint to all at the last
    for threshold in (0.1, 0.75):
        got = lissom.blend_layers(poses, [0.3, 0.2], [mask, mask], rest=rest, threshold=threshold)
        want = blending.blend_layers(poses, [0.3, 0.2], [mask, mask], rest, threshold)
        assert_same(got, want, 2 * TOLERANCE[dtype])
        assert got[0].tobytes() == rest[0].tobytes()
    # Above it there is none, and it is not looked at.
    nothing = np.full_like(rest, np.nan)
    want = lissom.blend_layers(poses, [0.3, 0.2])
    assert lissom.blend_layers(poses, [0.3, 0.2], rest=nothing).tobytes() == want.tobytes()


def test_opposed_rotations_do_not_cancel() -> None:
    # Half turns about x, y, z and no turn: perpendicular to each other as quaternions; and q beside -q.
    rows = np.zeros((5, 1, 10))
    rows[:4, 0, 3:7] = np.eye(4)
    rows[4, 0, 3:7] = -rows[0, 0, 3:7]
    for weights in ([1, 1, 1, 1, 1], [1, 0, 0, 0, 1], [0.3, 0.1, 0, 0, 0.3]):
        got = lissom.blend_layers(rows, weights)
        assert np.linalg.norm(got[0, 3:7]) == pytest.approx(1)
        assert abs(got[0, 3]) >= 1 / np.sqrt(5)


def test_layers_broadcast() -> None:
    rng = np.random.default_rng(15)
    a, b, c = random_poses(rng, 6, 9), random_poses(rng, 9), random_poses(rng, 2, 1, 9)
    weights = [0.5, rng.uniform(size=(2, 6)), rng.uniform(size=6)]
    masks = [rng.uniform(size=9), None, rng.uniform(size=(6, 9))]
    got = lissom.blend_layers([a, b, c], weights, masks)
    assert got.shape == (2, 6, 9, 10)
    for i, j in np.ndindex(2, 6):
        want = lissom.blend_layers(
            [a[j], b, c[i, 0]], [0.5, weights[1][i, j], weights[2][j]], [masks[0], None, masks[2][j]]
        )
        np.testing.assert_array_equal(got[i, j], want)
    stacked = random_poses(rng, 2, 6, 9)
    np.testing.assert_array_equal(
        lissom.blend_layers(stacked, [1, 2]), lissom.blend_layers(list(stacked), [1, 2])
    )


def test_upper_body_of_one_clip_over_another() -> None:
    hero = lissom.samples.humanoid()
    walk, wave = hero.clips["walk"].at(0.3), hero.clips["wave"].at(0.5)
    upper = hero.skeleton.mask("Chest")
    got = lissom.blend(walk, wave, 1, upper)
    np.testing.assert_array_equal(got[upper == 0], walk[upper == 0])
    np.testing.assert_array_equal(np.abs(got[upper == 1]), np.abs(wave[upper == 1]))


def test_there_may_be_no_poses_and_no_joints() -> None:
    assert lissom.blend(np.zeros((0, 5, 10)), np.zeros((5, 10)), 0.5).shape == (0, 5, 10)
    assert lissom.blend(np.zeros((3, 0, 10)), np.zeros((3, 0, 10)), 0.5).shape == (3, 0, 10)
    assert lissom.blend_layers([np.zeros((0, 5, 10))], [0]).shape == (0, 5, 10)
    assert lissom.blend_layers([np.zeros((0, 10))], [0]).shape == (0, 10)


# What is refused


@pytest.fixture
def pair() -> np.ndarray:
    return random_poses(np.random.default_rng(16), 2, 4, 3).astype(np.float32)


@pytest.mark.parametrize(
    ("weight", "shown"), [(-0.5, "-0.5"), (1.5, "1.5"), (np.nan, "nan"), (np.inf, "inf")]
)
def test_a_weight_of_blend_lies_between_0_and_1(pair: np.ndarray, weight: float, shown: str) -> None:
    with pytest.raises(ValueError, match=rf"blend: weight must lie in \[0, 1\], got {shown}\d*$"):
        lissom.blend(*pair, weight)
    with pytest.raises(ValueError, match=rf"blend: weight must lie in \[0, 1\], got {shown}\d* for pose 2$"):
        lissom.blend(*pair, [0, 1, weight, weight])
    with pytest.raises(ValueError, match=rf"blend: mask must lie in \[0, 1\], got {shown}\d* for joint 1$"):
        lissom.blend(*pair, 0.5, [0, weight, 0])
    mask = np.zeros((4, 3))
    mask[3, 2] = weight
    with pytest.raises(ValueError, match=r"blend: mask must lie .* for joint 2 of pose 3$"):
        lissom.blend(*pair, 0.5, mask)


def test_a_weight_that_is_off_by_a_rounding_is_shown_with_all_its_digits(pair: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"blend: weight must lie in \[0, 1\], got 1.0000001$"):
        lissom.blend(*pair, np.nextafter(np.float32(1), np.float32(2)))
    with pytest.raises(ValueError, match=r"blend: weight must lie in \[0, 1\], got 1.0000000000000002$"):
        lissom.blend(*pair.astype(float), np.nextafter(1, 2))


@pytest.mark.parametrize("weight", [-1e-9, np.nan, np.inf])
def test_a_weight_of_a_layer_is_at_least_0_and_finite(pair: np.ndarray, weight: float) -> None:
    with pytest.raises(ValueError, match=r"blend_layers: weights\[1\] must be at least 0 and finite, got"):
        lissom.blend_layers(pair, [1, weight])
    with pytest.raises(ValueError, match=r"blend_layers: weights\[1\] must be .* for pose 3$"):
        lissom.blend_layers(pair, [1, [0, 0, 0, weight]])
    with pytest.raises(ValueError, match=r"blend_layers: masks\[0\] must be at least 0 .* for joint 2$"):
        lissom.blend_layers(pair, [1, 1], [[0, 1, weight], None])


def test_a_joint_without_weight_is_refused_by_its_index(pair: np.ndarray) -> None:
    want = "must sum to a finite number above 0, got none for joint"
    with pytest.raises(ValueError, match=rf"{want} 0 of pose 0; pass rest"):
        lissom.blend_layers(pair, [0, 0])
    with pytest.raises(ValueError, match=rf"{want} 2; pass rest"):
        lissom.blend_layers(pair[:, 0], [1, 1], [[1, 1, 0], [0, 0, 0]])
    with pytest.raises(ValueError, match=rf"{want} 1 of pose 2"):
        lissom.blend_layers(pair, [1, [1, 1, 0, 1]], [[1, 0, 1], None])
    out = np.full((4, 3, 10), 7, np.float32)
    with pytest.raises(ValueError, match=want):
        lissom.blend_layers(pair, [[1, 1, 1, 0], 0], out=out)
    assert (out == 7).all()


def test_weights_that_sum_to_more_than_their_type_holds_are_refused(pair: np.ndarray) -> None:
    want = "must sum to a finite number, got inf for joint"
    with pytest.raises(ValueError, match=rf"{want} 0 of pose 0; only their proportions count"):
        lissom.blend_layers(pair, [3e38, 3e38])
    with pytest.raises(ValueError, match=rf"{want} 1;"):  # with a rest, too
        lissom.blend_layers(pair[:, 0], [3e38, 1], [[1, 3, 1], None], rest=pair[0, 0])
    with pytest.raises(ValueError, match=want):
        lissom.blend_layers(pair.astype(np.float64), [1e308, 1e308], rest=pair[0, 0])
    assert np.isfinite(lissom.blend_layers(pair, [1e38, 1e38], rest=pair[0, 0])).all()


def test_poses_without_joints_blend_to_such() -> None:
    none = np.empty((3, 0, 10), np.float32)
    assert lissom.blend(none, none, [0, 0.5, 1]).shape == (3, 0, 10)
    assert lissom.blend_layers([none, none], [[1, 2, 3], 1], rest=none[0]).shape == (3, 0, 10)
    assert lissom.add_layer(none, none, [0, 0.5, 1]).shape == (3, 0, 10)


def test_poses_of_another_skeleton_are_refused(pair: np.ndarray) -> None:
    other = random_poses(np.random.default_rng(0), 5).astype(np.float32)
    with pytest.raises(ValueError, match="blend: b must have 3 joints like the other poses, got 5; poses of"):
        lissom.blend(pair[0], other, 0.5)
    with pytest.raises(ValueError, match=r"blend_layers: poses\[1\] must have 3 joints .*, got 5"):
        lissom.blend_layers([pair[0], other], [1, 1])
    with pytest.raises(ValueError, match=r"blend_layers: rest must have 3 joints .*, got 5"):
        lissom.blend_layers(pair, [1, 1], rest=other)
    with pytest.raises(ValueError, match=r"blend: mask must have shape \(3,\), .*, got \(4,\)"):
        lissom.blend(*pair, 0.5, np.ones(4))
    with pytest.raises(ValueError, match=r"blend: mask must have shape \(3,\), .*, got \(\)"):
        lissom.blend(*pair, 0.5, 1.0)


def test_wrong_shapes_and_types_are_refused(pair: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"blend: a must have shape \(..., J, 10\), got \(3, 9\)"):
        lissom.blend(np.zeros((3, 9)), pair[0], 0.5)
    with pytest.raises(ValueError, match=r"leading axes must broadcast together, got \(4,\), \(3,\)"):
        lissom.blend(*pair, [0.1, 0.2, 0.3])
    with pytest.raises(TypeError, match="blend: weight must be an array of real numbers, got <U4"):
        lissom.blend(*pair, "half")  # type: ignore[arg-type]
    walk = lissom.samples.humanoid().clips["walk"]
    with pytest.raises(TypeError, match=r"real numbers, got Clip; pass poses of it: .sample\(times\)$"):
        lissom.blend(walk, walk, 0.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="blend: out must be float32, got float64"):
        lissom.blend(*pair, 0.5, out=np.empty((4, 3, 10)))
    with pytest.raises(ValueError, match=r"blend: out must have shape .*, got \(5, 3, 10\)"):
        lissom.blend(*pair, 0.5, out=np.empty((5, 3, 10), np.float32))
    with pytest.raises(ValueError, match=r"blend: out must have shape \(joint, 10\), got \(5, 3, 10\)"):
        lissom.blend(*pair[:, 0], 0.5, out=np.empty((5, 3, 10), np.float32))
    with pytest.raises(ValueError, match="blend: out shares memory with a"):
        lissom.blend(*pair, 0.5, out=pair[0])


def test_layers_come_with_as_many_weights_and_masks(pair: np.ndarray) -> None:
    with pytest.raises(ValueError, match="weights must be 2, one for each layer of poses, got 3"):
        lissom.blend_layers(pair, [1, 1, 1])
    with pytest.raises(ValueError, match="masks must be 2, one for each layer of poses, got 1"):
        lissom.blend_layers(pair, [1, 1], [None])
    with pytest.raises(TypeError, match="weights must be a sequence of 2, one for each layer, got float"):
        lissom.blend_layers(pair, 1.0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="poses must hold at least one layer, got none"):
        lissom.blend_layers([], [])
    for threshold in (0.0, -1.0, np.nan):
        with pytest.raises(ValueError, match="threshold must be above zero and finite, got"):
            lissom.blend_layers(pair, [1, 1], rest=pair[0, 0], threshold=threshold)
    with pytest.raises(TypeError, match="blend_layers: threshold must be a number, got str"):
        lissom.blend_layers(pair, [1, 1], threshold="0.1")  # type: ignore[arg-type]


# Masks


@pytest.fixture
def body() -> Skeleton:
    """A pelvis, a spine of three, a neck and an arm at its end; a leg of two."""
    names = ["pelvis", "spine1", "spine2", "chest", "neck", "arm", "thigh", "shin"]
    parents = [-1, 0, 1, 2, 3, 3, 0, 6]
    return Skeleton(names, parents, random_skeleton(np.random.default_rng(0), 8).rest)


def test_a_mask_rises_over_as_many_generations_as_it_falls_off(body: Skeleton) -> None:
    third = np.float32(1) / 3
    assert body.mask("spine1").tolist() == [0, 1, 1, 1, 1, 1, 0, 0]
    np.testing.assert_allclose(body.mask("spine1", falloff=2), [0, third, 2 * third, 1, 1, 1, 0, 0])
    np.testing.assert_allclose(body.mask("spine1", 0.5, falloff=1), [0, 0.25, 0.5, 0.5, 0.5, 0.5, 0, 0])
    # Longer than the masked part: the last joint is not reached.
    np.testing.assert_allclose(body.mask("thigh", falloff=3), [0, 0, 0, 0, 0, 0, 0.25, 0.5])


def test_a_mask_may_have_several_roots(body: Skeleton) -> None:
    assert body.mask(["arm", "thigh"]).tolist() == [0, 0, 0, 0, 0, 1, 1, 1]
    assert body.mask([]).tolist() == [0] * 8
    assert body.mask(np.array([4, 5])).tolist() == [0, 0, 0, 0, 1, 1, 0, 0]
    # Of roots below each other the uppermost counts, whose weights are the larger ones.
    nested = body.mask(["pelvis", "chest"], falloff=1)
    np.testing.assert_allclose(
        nested, np.maximum(body.mask("pelvis", falloff=1), body.mask("chest", falloff=1))
    )
    np.testing.assert_allclose(body.mask(["pelvis", "chest"], -1, falloff=1), -nested)


@pytest.mark.parametrize("falloff", [-1, 1.5, "2", None, True])
def test_a_falloff_is_a_number_of_generations(body: Skeleton, falloff: object) -> None:
    kind = ValueError if falloff == -1 else TypeError
    with pytest.raises(kind, match=r"Skeleton.mask: falloff must be a(t least 0| whole number), got"):
        body.mask("pelvis", falloff=falloff)  # type: ignore[arg-type]


def test_an_unknown_root_of_a_mask_is_named(body: Skeleton) -> None:
    with pytest.raises(ValueError, match="no joint is named 'spine'; did you mean 'spine1', 'spine2' or"):
        body.mask(["arm", "spine"])
