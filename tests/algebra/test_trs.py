# SPDX-License-Identifier: MIT
import gc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lissom import trs
from reference import trs as twin

DTYPES = [np.float32, np.float64]
TOLERANCE = {np.float32: 4e-6, np.float64: 1e-14}  # a few roundings of numbers below ten

TURNS = np.array(
    [[0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 1], [1, 1, 1, 1], [1, -1, 1, 1], [0, 1, 1, 0], [0, 0, -1, 1]]
)
QUARTER_TURNS = TURNS / np.linalg.norm(TURNS, axis=-1, keepdims=True)


def random_trs(rng, *shape, dtype=np.float64, scale=None):
    result = rng.normal(size=(*shape, 10))
    result[..., 3:7] /= np.linalg.norm(result[..., 3:7], axis=-1, keepdims=True)
    result[..., 7:] = rng.uniform(0.3, 3, (*shape, 3)) if scale is None else scale
    return result.astype(dtype)


def random_similarities(rng, *shape, dtype=np.float64):
    """Any rotation, the same scale along all axes, mirrored at random."""
    size = rng.uniform(0.3, 3, (*shape, 1)) * rng.choice([-1, 1], (*shape, 3))
    return random_trs(rng, *shape, dtype=dtype, scale=size)


# ---- Parts. ----


def test_identity_changes_nothing():
    assert trs.identity().tolist() == [0, 0, 0, 0, 0, 0, 1, 1, 1, 1]
    assert trs.identity().dtype == np.float32
    assert trs.identity(3).shape == (3, 10)
    assert trs.identity((2, 3), np.float64).dtype == np.float64
    pose = random_trs(np.random.default_rng(0), 5)
    for product in (trs.compose(pose, trs.identity()), trs.compose(trs.identity(), pose)):
        np.testing.assert_array_equal(product, pose)
    np.testing.assert_array_equal(trs.inverse(trs.identity()), trs.identity())


@pytest.mark.parametrize(
    ("part", "place"),
    [(trs.translation, slice(0, 3)), (trs.rotation, slice(3, 7)), (trs.scale, slice(7, 10))],
)
def test_parts_are_views_of_the_pose(part, place):
    pose = trs.identity((2, 3))
    view = part(pose)
    assert np.shares_memory(view, pose)
    view[1, 2] = 7
    np.testing.assert_array_equal(pose[1, 2, place], 7)
    assert (pose == 7).sum() == view.shape[-1]
    pose[0, 0] = 9
    del pose
    gc.collect()
    np.testing.assert_array_equal(view[0, 0], 9)
    np.testing.assert_array_equal(view[1, 2], 7)


def test_parts_of_strided_arrays_are_views_too():
    pose = trs.identity((4, 6))[::2, ::-3]
    trs.scale(pose)[1, 1] = 5
    assert pose[1, 1].tolist() == [0, 0, 0, 0, 0, 0, 1, 5, 5, 5]


def test_parts_of_read_only_arrays_are_read_only():
    pose = trs.identity(2)
    pose.flags.writeable = False
    assert not trs.rotation(pose).flags.writeable


def test_rotations_with_w_first_are_copies():
    pose = trs.from_parts(rotation=np.array([0.1, 0.2, 0.3, 0.4]))
    first = trs.rotation(pose, scalar_first=True)
    assert first.tolist() == [0.4, 0.1, 0.2, 0.3]
    assert not np.shares_memory(first, pose)


def test_from_parts_broadcasts():
    pose = trs.from_parts(np.zeros((4, 1, 3), np.float32), scale=np.full((5, 3), 2, np.float32))
    assert pose.shape == (4, 5, 10)
    np.testing.assert_array_equal(pose, np.tile([0, 0, 0, 0, 0, 0, 1, 2, 2, 2], (4, 5, 1)))


def test_from_parts_takes_the_precision_of_what_is_given():
    assert trs.from_parts().dtype == np.float32
    assert trs.from_parts(rotation=np.array([0, 0, 0, 1], np.float32)).dtype == np.float32
    assert trs.from_parts(rotation=np.array([0, 0, 0, 1.0])).dtype == np.float64
    assert trs.from_parts([0.1, 0, 0])[0] == 0.1


def test_from_parts_takes_w_first_and_writes_into_out():
    q = np.array([0.4, 0.1, 0.2, 0.3])
    out = np.zeros(10)
    assert trs.from_parts([1.0, 2, 3], q, [4.0, 5, 6], scalar_first=True, out=out) is out
    assert out.tolist() == [1, 2, 3, 0.1, 0.2, 0.3, 0.4, 4, 5, 6]
    assert trs.from_parts(scalar_first=True).tolist() == trs.identity().tolist()
    # Parts of the very array that is written.
    pose = np.stack([out, 10 * out])
    trs.from_parts(trs.scale(pose), trs.rotation(pose), trs.translation(pose), out=pose)
    assert pose[1].tolist() == [40, 50, 60, 1, 2, 3, 4, 10, 20, 30]


# ---- Products. ----


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_product_is_the_product_of_the_matrices(dtype):
    rng = np.random.default_rng(1)
    similar, uneven = random_similarities(rng, 60, 1, dtype=dtype), random_trs(rng, 50, dtype=dtype)
    quarter = random_trs(rng, len(QUARTER_TURNS), dtype=dtype)
    quarter[:, 3:7] = QUARTER_TURNS
    signed = random_trs(rng, 40, 1, dtype=dtype) * np.where(
        np.arange(10) < 7, 1, rng.choice([-1, 1], (40, 1, 10))
    )
    flat = random_trs(rng, 30, dtype=dtype)
    flat[:, 3:7] = np.array([0, 0, np.sin(0.3), np.cos(0.3)])
    flat[:, 7:] = [0, 0, 2]
    for a, b in [
        (similar, uneven),
        (signed.astype(dtype), quarter),
        (random_trs(rng, 30, dtype=dtype), flat),
    ]:
        got = trs.compose(a, b)
        assert got.dtype == dtype
        expected = twin.to_matrix(a) @ twin.to_matrix(b)
        np.testing.assert_allclose(twin.to_matrix(got), expected, atol=4 * TOLERANCE[dtype], rtol=0)
        length = np.linalg.norm(trs.rotation(got), axis=-1)
        np.testing.assert_allclose(length, 1, atol=TOLERANCE[dtype])


def test_a_uniform_scale_comes_through_to_the_bit():
    rng = np.random.default_rng(2)
    a = random_trs(rng, 100, scale=rng.uniform(0.1, 9, (100, 1)))
    b = random_trs(rng, 100)
    np.testing.assert_array_equal(trs.scale(trs.compose(a, b)), trs.scale(a) * trs.scale(b))


def test_signs_of_scale_are_kept():
    a = trs.from_parts(scale=[-1.0, 2, -3])
    b = trs.from_parts(rotation=QUARTER_TURNS[3], scale=[1.0, -1, 1])  # x to y to z to x
    assert trs.scale(trs.compose(a, trs.from_parts(scale=[1.0, -1, 1]))).tolist() == [-1, -2, -3]
    got = trs.compose(a, b)
    np.testing.assert_allclose(np.abs(trs.scale(got)), [2, 3, 1], rtol=1e-15)
    np.testing.assert_allclose(twin.to_matrix(got), twin.to_matrix(a) @ twin.to_matrix(b), atol=1e-15)


@pytest.mark.parametrize("dtype", DTYPES)
def test_scaled_axes_that_a_rotation_mixes_are_refused(dtype):
    a = trs.from_parts(scale=np.array([1, 2, 3], dtype))
    half = 0.2
    b = trs.from_parts(rotation=np.array([0, 0, np.sin(half), np.cos(half)], dtype))
    # D_xy = (sy - sx) sin cos of the angle, and the largest scale stays z's.
    shear = np.sin(2 * half) * np.cos(2 * half) / 3
    message = (
        rf"^trs.compose: a times b must be free of shear, got {shear:.2g} of the largest scale%s; "
        r"multiply their matrices \(trs.to_matrix\) or pass nearest=True$"
    )
    with pytest.raises(ValueError, match=message % ""):
        trs.compose(a, b)
    rows = np.tile(trs.identity((), dtype), (3, 4, 1))
    rows[1, 2] = b
    with pytest.raises(ValueError, match=message % r" at index \(1, 2\)"):
        trs.compose(a, rows)
    with pytest.raises(ValueError, match=message % " at index 2"):
        trs.compose(a, rows[1], out=np.zeros((4, 10), dtype))


@pytest.mark.parametrize(("dtype", "least"), [(np.float32, 8e-6), (np.float64, 1.4e-14)])
def test_shear_counts_from_64_last_places_on(dtype, least):
    b = trs.from_parts(rotation=np.array([0, 0, 0, 1], dtype))
    a = trs.from_parts(scale=np.array([1, 2, 2], dtype))
    b[5] = 0.9 * least  # half the angle, and half the largest scale
    trs.compose(a, b)
    trs.inverse(trs.compose(trs.from_parts(scale=np.array([2, 2, 2], dtype)), b))
    b[5] = 1.1 * least
    with pytest.raises(ValueError, match="free of shear"):
        trs.compose(a, b)


def test_scale_that_b_flattens_is_not_missed():
    a = trs.from_parts(scale=[1.0, 2, 3])
    b = trs.from_parts(rotation=[0, 0, 0.6, 0.8], scale=[0, 0, 5.0])
    np.testing.assert_allclose(twin.to_matrix(trs.compose(a, b)), np.diag([0, 0, 15.0, 1]), atol=1e-15)
    with pytest.raises(ValueError, match="free of shear"):
        trs.compose(a, trs.from_parts(rotation=[0, 0, 0.6, 0.8], scale=[0, 1e-9, 5.0]))


def test_nothing_is_written_when_a_product_is_refused():
    rng = np.random.default_rng(3)
    a, b = random_similarities(rng, 40), random_trs(rng, 40)
    a[33, 7] *= 2
    for out in (np.zeros((40, 10)), np.zeros((40, 20))[:, ::2]):
        with pytest.raises(ValueError, match="at index 33"):
            trs.compose(a, b, out=out)
        assert not out.any()


@pytest.mark.parametrize("dtype", DTYPES)
def test_nearest_is_the_decomposition_of_the_product(dtype):
    rng = np.random.default_rng(4)
    a, b = random_trs(rng, 20, 1, dtype=dtype), random_trs(rng, 30, dtype=dtype)
    got = trs.compose(a, b, nearest=True)
    assert got.dtype == dtype
    product = twin.to_matrix(a) @ twin.to_matrix(b)
    assert (twin.shear_of(product) > 0.1).any()
    # Where the rotation comes near a half turn, w may have either sign.
    expected = twin.from_matrix(product)
    expected[..., 3:7] *= np.where(np.sum(expected[..., 3:7] * got[..., 3:7], -1, keepdims=True) < 0, -1, 1)
    np.testing.assert_allclose(got, expected, atol=TOLERANCE[dtype] * 5, rtol=0)
    np.testing.assert_array_equal(
        trs.compose(a.astype(np.float64), b.astype(np.float64), nearest=True).astype(dtype), got
    )
    out = np.zeros((20, 30, 10), dtype)
    assert trs.compose(a, b, nearest=True, out=out) is out
    np.testing.assert_array_equal(out, got)
    inverse = trs.inverse(a, nearest=True)
    expected = twin.from_matrix(np.linalg.inv(twin.to_matrix(a)))
    expected[..., 3:7] *= np.where(
        np.sum(expected[..., 3:7] * inverse[..., 3:7], -1, keepdims=True) < 0, -1, 1
    )
    np.testing.assert_allclose(inverse, expected, atol=TOLERANCE[dtype] * 10, rtol=0)
    assert inverse.dtype == dtype


# ---- Inverses. ----


@pytest.mark.parametrize("dtype", DTYPES)
def test_an_inverse_is_the_inverse_of_the_matrix(dtype):
    rng = np.random.default_rng(5)
    quarter = random_trs(rng, 20, len(QUARTER_TURNS), dtype=dtype)
    quarter[..., 3:7] = QUARTER_TURNS
    quarter[..., 7:] *= rng.choice([-1, 1], quarter[..., 7:].shape)
    for pose in (random_similarities(rng, 100, dtype=dtype), quarter):
        undone = trs.inverse(pose)
        assert undone.dtype == dtype
        expected = np.linalg.inv(twin.to_matrix(pose))
        np.testing.assert_allclose(twin.to_matrix(undone), expected, atol=4 * TOLERANCE[dtype], rtol=0)
        for product in (trs.compose(pose, undone), trs.compose(undone, pose)):
            np.testing.assert_allclose(
                np.abs(product),
                np.tile(np.abs(trs.identity()), (*pose.shape[:-1], 1)),
                atol=3 * TOLERANCE[dtype],
            )
        back = trs.inverse(undone)
        np.testing.assert_allclose(
            twin.to_matrix(back), twin.to_matrix(pose), atol=4 * TOLERANCE[dtype], rtol=0
        )


def test_combining_with_an_inverse_leaves_no_translation():
    # Scale (1, 2, 3) and a rotation: elsewhere the product of both held a translation of (-1.01, 0.42, 0.47).
    pose = trs.from_parts([1.0, 2, 3], [0.6, 0, 0, 0.8], [1.0, 2, 3])
    with pytest.raises(ValueError, match="inverse of trs must be free of shear"):
        trs.inverse(pose)
    even = trs.from_parts([1.0, 2, 3], [0.6, 0, 0, 0.8], [2.0, 2, 2])
    np.testing.assert_allclose(trs.compose(even, trs.inverse(even)), trs.identity(), atol=1e-15)
    along = trs.from_parts([1.0, 2, 3], [0.6, 0, 0, 0.8], [5.0, 2, 2])  # uneven, but not where it turns
    np.testing.assert_allclose(trs.compose(along, trs.inverse(along)), trs.identity(), atol=1e-15)


def test_inverses_with_shear_are_refused_with_its_size():
    half = 0.2
    pose = np.tile(trs.from_parts(rotation=[0, 0, np.sin(half), np.cos(half)], scale=[1.0, 2, 2]), (5, 1))
    pose[:4, 7:] = 3
    # Turned axes of 1/s: (1 - 1/2) sin cos beside a diagonal of at most cos^2 + sin^2 / 2.
    c, s = np.cos(2 * half), np.sin(2 * half)
    shear = 0.5 * s * c / (c * c + 0.5 * s * s)
    with pytest.raises(
        ValueError,
        match=rf"^trs.inverse: the inverse of trs must be free of shear, got {shear:.2g} of the largest "
        r"scale at index 4; invert the matrix \(trs.to_matrix\) or pass nearest=True$",
    ):
        trs.inverse(pose)


@pytest.mark.parametrize("nearest", [False, True])
def test_a_scale_of_zero_has_no_inverse(nearest):
    pose = trs.identity((2, 2))
    pose[1, 0, 8] = 0
    with pytest.raises(
        ValueError,
        match=r"^trs.inverse: scale must not be zero, got zero at index \(1, 0\); "
        "nothing gives back what it flattens$",
    ):
        trs.inverse(pose, nearest=nearest)


# ---- Laws. ----

scales = st.floats(-4, 4).filter(lambda x: x == 0 or abs(x) > 0.1)
turns = st.one_of(
    st.sampled_from(list(QUARTER_TURNS)),
    st.lists(st.floats(-1, 1), min_size=4, max_size=4)
    .map(np.array)
    .filter(lambda q: np.linalg.norm(q) > 0.1)
    .map(lambda q: q / np.linalg.norm(q)),
)
sizes = st.one_of(
    st.lists(scales, min_size=3, max_size=3),
    st.tuples(scales, st.lists(st.sampled_from([-1, 1]), min_size=3, max_size=3)).map(
        lambda pair: [pair[0] * sign for sign in pair[1]]
    ),
)
places = st.lists(st.floats(-5, 5), min_size=3, max_size=3)
transforms = st.builds(lambda t, q, s: np.concatenate([t, q, s]), places, turns, sizes)


@given(transforms, transforms)
@settings(deadline=None, max_examples=400)
def test_a_product_is_that_of_the_matrices_or_has_shear(a, b):
    product = twin.to_matrix(a) @ twin.to_matrix(b)
    try:
        got = trs.compose(a, b)
    except ValueError:
        # A matrix of unequal axes at right angles is refused only where b flattens an axis.
        assert twin.shear_of(product) > 1e-15 or not b[7:].all()
    else:
        np.testing.assert_allclose(twin.to_matrix(got), product, atol=1e-12)


@given(transforms)
@settings(deadline=None, max_examples=400)
def test_inverses_undo_or_are_refused(pose):
    try:
        undone = trs.inverse(pose)
    except ValueError:
        assert not pose[7:].all() or twin.shear_of(np.linalg.inv(twin.to_matrix(pose))) > 1e-16
    else:
        np.testing.assert_allclose(twin.to_matrix(undone) @ twin.to_matrix(pose), np.eye(4), atol=1e-11)
        np.testing.assert_allclose(twin.to_matrix(trs.inverse(undone)), twin.to_matrix(pose), atol=1e-11)


def test_products_are_associative():
    rng = np.random.default_rng(6)
    a, b, c = random_similarities(rng, 3, 100)
    c[:, 7:] = rng.uniform(-3, 3, (100, 3))
    left, right = trs.compose(trs.compose(a, b), c), trs.compose(a, trs.compose(b, c))
    np.testing.assert_allclose(left, right, atol=1e-13)


# ---- Blends, points, vectors. ----


@pytest.mark.parametrize("dtype", DTYPES)
def test_lerp_is_linear_but_for_the_rotation(dtype):
    rng = np.random.default_rng(7)
    a, b = random_trs(rng, 20, 1, dtype=dtype), random_trs(rng, 30, dtype=dtype)
    t = rng.uniform(-0.5, 1.5, (20, 30)).astype(dtype)
    got = trs.lerp(a, b, t)
    assert got.dtype == dtype
    np.testing.assert_allclose(got, twin.lerp(a, b, t), atol=3 * TOLERANCE[dtype], rtol=0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_lerp_ends_where_it_shall_to_the_bit(dtype):
    rng = np.random.default_rng(8)
    a, b = random_trs(rng, 2, 1000, dtype=dtype)
    b[..., 3:7] *= np.where(np.sum(a[..., 3:7] * b[..., 3:7], -1, keepdims=True) < 0, -1, 1)
    for start, end, t, expected in [(a, b, 0.0, a), (a, b, 1.0, b), (a, a, 0.3, a)]:
        exact = 0 if t in (0, 1) else TOLERANCE[dtype]
        np.testing.assert_allclose(trs.lerp(start, end, t), expected, atol=exact, rtol=0)
    far = b * np.where((np.arange(10) > 2) & (np.arange(10) < 7), -1, 1).astype(dtype)
    np.testing.assert_array_equal(trs.lerp(a, far, 1.0), b)
    np.testing.assert_array_equal(trs.lerp(a, far, 1.0, short=False), far)


def test_lerp_goes_the_long_way_when_told():
    a, b = trs.from_parts([0, 0, 0.0]), trs.from_parts([2.0, 0, 0], [0, 0, -0.6, -0.8])
    long = trs.lerp(a, b, 0.5, short=False)
    half = (2 * np.pi - 2 * np.arctan2(0.6, 0.8)) / 4
    np.testing.assert_allclose(long, [1, 0, 0, 0, 0, -np.sin(half), np.cos(half), 1, 1, 1], atol=1e-15)
    assert trs.rotation(trs.lerp(a, b, 0.5))[2] > 0


@pytest.mark.parametrize("dtype", DTYPES)
def test_points_and_vectors_move_as_by_the_matrix(dtype):
    rng = np.random.default_rng(9)
    pose, p = random_trs(rng, 20, 1, dtype=dtype), rng.normal(size=(30, 3)).astype(dtype)
    for function, expected in [
        (trs.transform_point, twin.transform_point(pose, p)),
        (trs.transform_vector, twin.transform_vector(pose, p)),
    ]:
        got = function(pose, p)
        assert got.dtype == dtype
        np.testing.assert_allclose(got, expected, atol=TOLERANCE[dtype], rtol=0)
    np.testing.assert_allclose(
        trs.transform_point(pose, p) - trs.transform_point(pose, p * 0),
        trs.transform_vector(pose, p),
        atol=TOLERANCE[dtype],
    )
