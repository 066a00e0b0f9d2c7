# SPDX-License-Identifier: MIT
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lissom import trs
from reference import quat as quat_twin
from reference import trs as twin

DTYPES = [np.float32, np.float64]
TOLERANCE = {np.float32: 2e-6, np.float64: 4e-15}  # a few roundings of numbers below ten


def random_trs(rng, *shape, dtype=np.float64, scale=None):
    result = rng.normal(size=(*shape, 10))
    result[..., 3:7] /= np.linalg.norm(result[..., 3:7], axis=-1, keepdims=True)
    result[..., 7:] = rng.uniform(0.3, 3, (*shape, 3)) if scale is None else scale
    return result.astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_to_matrix_is_translation_times_rotation_times_scale(dtype):
    pose = random_trs(np.random.default_rng(1), 4, 5, dtype=dtype)
    m = trs.to_matrix(pose)
    assert m.dtype == dtype
    np.testing.assert_allclose(m, twin.to_matrix(pose), atol=TOLERANCE[dtype], rtol=0)
    np.testing.assert_array_equal(m[..., 3, :], np.broadcast_to([0, 0, 0, 1], (4, 5, 4)))


def test_the_identity_is_the_identity():
    np.testing.assert_array_equal(trs.to_matrix(trs.identity((2, 3))), np.tile(np.eye(4), (2, 3, 1, 1)))
    np.testing.assert_array_equal(trs.from_matrix(np.eye(4)), trs.identity())


@pytest.mark.parametrize("dtype", DTYPES)
def test_from_matrix_gives_back_what_made_it(dtype):
    pose = random_trs(np.random.default_rng(2), 40, 5, dtype=dtype)
    back, shear = trs.from_matrix(trs.to_matrix(pose), return_shear=True)
    assert back.dtype == shear.dtype == dtype
    pose[..., 3:7] *= np.where(pose[..., 6:7] < 0, -1, 1)
    np.testing.assert_allclose(back, pose, atol=TOLERANCE[dtype], rtol=0)
    assert shear.shape == (40, 5)
    assert shear.max() < TOLERANCE[dtype]


def test_scale_is_read_along_the_axes_before_the_rotation():
    # Read as M R^T they came out as (1.76, 2.30, 1.94) elsewhere.
    rng = np.random.default_rng(3)
    m = twin.to_matrix(random_trs(rng, 50, scale=[1, 2, 3]))
    np.testing.assert_allclose(trs.scale(trs.from_matrix(m)), np.tile([1, 2, 3], (50, 1)), atol=4e-15)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("least_volume", [0.6, 0.4, 1e-3])  # of unit axes: what vectors do, what doubles do
def test_from_matrix_matches_the_twin_on_sheared_matrices(dtype, least_volume):
    rng = np.random.default_rng(4)
    m = np.tile(np.eye(4), (4000, 1, 1))
    m[:, :3, :3] = rng.normal(size=(4000, 3, 3)) * rng.uniform(0.1, 10, (4000, 1, 3))
    m[:, :3, 3] = rng.normal(size=(4000, 3))
    m = m.astype(dtype)
    wide = m.astype(np.float64)
    volume = np.abs(np.linalg.det(wide[:, :3, :3] / np.linalg.norm(wide[:, :3, :3], axis=1, keepdims=True)))
    kept = volume > least_volume
    m, wide = m[kept], wide[kept]
    assert len(m) > 400
    got, shear = trs.from_matrix(m, return_shear=True)
    expected = twin.from_matrix(wide)
    # The rotation of flat axes is as uncertain as their angles are small.
    tolerance = TOLERANCE[dtype] * (50 if dtype == np.float64 and least_volume < 0.1 else 2)
    sign = np.where(np.sum(got[:, 3:7] * expected[:, 3:7], -1, keepdims=True) < 0, -1, 1)
    np.testing.assert_allclose(sign * got[:, 3:7], expected[:, 3:7], atol=tolerance, rtol=0)
    assert (got[:, 6] >= 0).all()
    size = np.abs(expected[:, 7:]).max(-1, keepdims=True)
    np.testing.assert_allclose(got[:, 7:] / size, expected[:, 7:] / size, atol=2 * tolerance, rtol=0)
    np.testing.assert_array_equal(got[:, :3], m[:, :3, 3])
    lost = np.abs(wide - twin.to_matrix(expected))[:, :3, :3].max(axis=(1, 2)) / size[:, 0]
    np.testing.assert_allclose(shear, lost, atol=4 * tolerance, rtol=0)


def test_shear_is_reported_and_the_rotation_the_nearest():
    m = np.eye(4)
    m[0, 1] = 0.2
    pose, shear = trs.from_matrix(m, return_shear=True)
    assert shear == pytest.approx(np.abs(m - trs.to_matrix(pose)).max() / trs.scale(pose).max())
    assert shear > 0.05
    u, _, vt = np.linalg.svd(m[:3, :3] / np.linalg.norm(m[:3, :3], axis=0))
    np.testing.assert_allclose(trs.to_matrix(trs.from_parts(rotation=pose[3:7]))[:3, :3], u @ vt, atol=1e-14)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("signs", [(-1, 1, 1), (1, -1, 1), (1, 1, -1), (-1, -1, -1), (1, -1, -1)])
def test_a_mirror_becomes_a_negative_scale_along_x(dtype, signs):
    pose = random_trs(np.random.default_rng(5), 10, dtype=dtype, scale=np.array(signs) * [1, 2, 3])
    m = trs.to_matrix(pose)
    back = trs.from_matrix(m)
    expected = np.tile([np.prod(signs), 2, 3], (10, 1))
    np.testing.assert_allclose(trs.scale(back), expected, atol=TOLERANCE[dtype])
    np.testing.assert_allclose(trs.to_matrix(back), m, atol=2 * TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "scale", [(1, 2, 0), (0, 3, 1), (0, 0, 2), (1, 0, 0), (0, 0, 0), (1e-30, 1e-30, 1e-30), (1, 1e-25, 1e25)]
)
def test_lost_axes_keep_scale_zero_and_a_unit_rotation(dtype, scale):
    # Half turns about the axes: their matrices hold no rounding that would pass for an axis.
    turns = np.eye(4)
    m = twin.to_matrix(np.concatenate([np.ones((4, 3)), turns, np.tile(scale, (4, 1))], -1)).astype(dtype)
    back = trs.from_matrix(m)
    np.testing.assert_allclose(trs.to_matrix(back), m, rtol=1e-6, atol=0)
    assert ((trs.scale(back) == 0) == (np.array(scale) == 0)).all()
    np.testing.assert_allclose(np.linalg.norm(trs.rotation(back), axis=-1), 1, atol=TOLERANCE[dtype])
    if not any(scale):
        assert not trs.from_matrix(m, return_shear=True)[1].any()
        np.testing.assert_array_equal(trs.rotation(back), np.tile([0, 0, 0, 1], (4, 1)))


@pytest.mark.parametrize("scale", [(1, 2, 0), (0, 0, 2), (1e-30, 1e-30, 1e-30)])
def test_lost_axes_of_any_rotation(scale):
    m = twin.to_matrix(random_trs(np.random.default_rng(6), 10, scale=scale))
    back = trs.from_matrix(m)
    np.testing.assert_allclose(trs.scale(back), np.tile(scale, (10, 1)), atol=1e-13)
    np.testing.assert_allclose(trs.to_matrix(back), m, atol=1e-13)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("exponent", [-1.0, -0.99, -0.6, -0.5, 0.5, 0.9])
def test_from_matrix_takes_any_size_of_number(dtype, exponent):
    size = np.finfo(dtype).max ** dtype(exponent)
    m = np.eye(4, dtype=dtype)
    m[:3, :3] = quat_twin.to_matrix([0.5, 0.5, -0.5, 0.5]) * size * [1, 2, 3]
    got = trs.from_matrix(m)
    np.testing.assert_allclose(trs.rotation(got), [0.5, 0.5, -0.5, 0.5], atol=TOLERANCE[dtype])
    np.testing.assert_allclose(trs.scale(got), np.abs(m[:3, :3]).max(axis=0), rtol=TOLERANCE[dtype])


def test_rows_are_the_same_bits_wherever_they_stand():
    rng = np.random.default_rng(8)
    m = twin.to_matrix(random_trs(rng, 300))
    m[:, :3, :3] += 0.3 * rng.normal(size=(300, 3, 3))  # regular and irregular, mixed
    m[::7, :3, 1] = 0
    for dtype in DTYPES:
        rows = m.astype(dtype)
        together = trs.from_matrix(rows)
        np.testing.assert_array_equal(together, np.stack([trs.from_matrix(row) for row in rows]))
        np.testing.assert_array_equal(together[3:], trs.from_matrix(rows[3:]))
        strided = np.zeros((600, 5, 6), dtype)
        strided[::2, :4, 1:5] = rows
        np.testing.assert_array_equal(together, trs.from_matrix(strided[::2, :4, 1:5]))


@given(
    st.lists(st.floats(-4, 4).filter(lambda x: x == 0 or abs(x) > 1e-3), min_size=3, max_size=3),
    st.lists(st.floats(-1, 1), min_size=4, max_size=4).filter(lambda q: np.linalg.norm(q) > 0.1),
)
@settings(deadline=None, max_examples=200)
def test_every_trs_comes_back_through_its_matrix(scale, q):
    q = np.array(q) / np.linalg.norm(q)
    m = twin.to_matrix(np.concatenate([[1, 2, 3], q, scale]))
    back, shear = trs.from_matrix(m, return_shear=True)
    np.testing.assert_allclose(twin.to_matrix(back), m, atol=1e-13)
    assert shear < 1e-13
    np.testing.assert_allclose(np.sort(np.abs(back[7:])), np.sort(np.abs(scale)), atol=1e-13)


def test_matrices_that_are_not_affine_are_refused():
    rows = np.tile(np.eye(4), (2, 3, 1, 1))
    rows[1, 2] *= 2
    message = r"must have the last row 0, 0, 0, 1, got 0, 0, 0, 2 at index \(1, 2\); transpose"
    for options in ({}, {"return_shear": True}):
        with pytest.raises(ValueError, match=message):
            trs.from_matrix(rows, **options)
    rows[0, 1, 1, 2] = np.inf
    with pytest.raises(ValueError, match=r"matrix must be finite, got NaN or infinity at index \(0, 1\)$"):
        trs.from_matrix(rows)
