# SPDX-License-Identifier: MIT
"""Dual quaternions to and from rotation and translation, matrices, rows of poses."""

import numpy as np
import pytest

from dual_quat_samples import DTYPES, TOLERANCE, assert_same_transform, units
from lissom import dual_quat, trs
from reference import dual_quat as twin


def parts(rng, *shape, dtype=np.float64):
    rotation = rng.normal(size=(*shape, 4))
    rotation /= np.linalg.norm(rotation, axis=-1, keepdims=True)
    return rotation.astype(dtype), rng.normal(size=(*shape, 3)).astype(dtype)


def test_dual_part_is_half_the_translation_times_real():
    # design: dual = 0.5 t real; half a turn about z and a step of 2 along x: 0.5 (2 i) k = i k = -j.
    q = dual_quat.from_quat_translation([0, 0, 1, 0], [2, 0, 0])
    np.testing.assert_array_equal(q, [0, 0, 1, 0, 0, -1, 0, 0])
    np.testing.assert_array_equal(dual_quat.translation(q), [2, 0, 0])


@pytest.mark.parametrize("dtype", DTYPES)
def test_rotation_and_translation_go_in_and_come_out(dtype):
    rotation, translation = parts(np.random.default_rng(1), 30, dtype=dtype)
    q = dual_quat.from_quat_translation(rotation, translation)
    expected = twin.from_rotation_translation(rotation, translation)
    np.testing.assert_allclose(q, expected, atol=TOLERANCE[dtype])
    got_rotation, got_translation = dual_quat.to_quat_translation(q)
    np.testing.assert_array_equal(got_rotation, rotation)
    np.testing.assert_allclose(got_translation, translation, atol=TOLERANCE[dtype])
    np.testing.assert_array_equal(dual_quat.translation(q), got_translation)
    np.testing.assert_array_equal(dual_quat.translation(-q), got_translation)


def test_rotation_is_a_view():
    q = dual_quat.identity(3)
    dual_quat.rotation(q)[1] = [0, 1, 0, 0]
    assert q[1].tolist() == [0, 1, 0, 0, 0, 0, 0, 0]
    first = dual_quat.identity(scalar_first=True)
    assert dual_quat.rotation(first, scalar_first=True).tolist() == [1, 0, 0, 0]
    assert dual_quat.rotation([0, 0, 0, 1, 0, 0, 0, 0]).tolist() == [0, 0, 0, 1]
    with pytest.raises(ValueError, match=r"dual_quat\.rotation: q must have shape \(\.\.\., 8\), got \(4,\)"):
        dual_quat.rotation([0, 0, 0, 1])
    with pytest.raises(
        TypeError, match=r"dual_quat\.rotation: q must be an array of real numbers, got complex"
    ):
        dual_quat.rotation(np.ones(8, complex))


@pytest.mark.parametrize("dtype", DTYPES)
def test_matrices_come_back(dtype):
    q = units(np.random.default_rng(2), 4, 5, dtype=dtype)
    m = dual_quat.to_matrix(q)
    assert m.dtype == dtype
    np.testing.assert_allclose(m, twin.to_matrix(q), atol=2 * TOLERANCE[dtype])
    np.testing.assert_array_equal(m[..., 3, :], np.broadcast_to([0, 0, 0, 1], (4, 5, 4)))
    back = dual_quat.from_matrix(m)
    assert back.dtype == dtype
    assert (back[..., 3] >= 0).all()
    assert_same_transform(back, q.astype(np.float64), 2 * TOLERANCE[dtype])


@pytest.mark.parametrize("angle", [0, 1e-9, 1e-4, np.pi / 2, np.pi - 1e-9, np.pi])
def test_matrices_come_back_at_every_angle(angle):
    rng = np.random.default_rng(3)
    rotation = twin.quat.from_axis_angle(rng.normal(size=(50, 3)), np.full(50, angle))
    q = twin.from_rotation_translation(rotation, rng.normal(size=(50, 3)))
    assert_same_transform(dual_quat.from_matrix(twin.to_matrix(q)), q, 1e-14)


def test_matrices_that_are_not_rigid_are_refused_with_the_figure():
    rigid = twin.to_matrix(units(np.random.default_rng(4), 2, 3))
    for change, figure in (
        (lambda m: m[:3, :3].__imul__(1.01), r"0\.0348"),  # sqrt(3) (1.01^2 - 1)
        (lambda m: m[:3, 0].__imul__(-1), r"2"),
        *((lambda m, i=i: m[3].__setitem__(i, 0.5), r"0\.5") for i in range(4)),
        (lambda m: m[3].__imul__(2), r"1"),
    ):
        m = rigid.copy()
        change(m[1, 2])
        message = (
            r"dual_quat\.from_matrix: matrix must be rigid within 0\.0001, got one that is off by "
            + figure
            + r" at index \(1, 2\); pass return_stretch=True to get scale, shear and mirror as well"
        )
        out = np.full((2, 3, 8), 5.0)
        with pytest.raises(ValueError, match=message):
            dual_quat.from_matrix(m)
        with pytest.raises(ValueError, match=message):
            dual_quat.from_matrix(m, out=out, scalar_first=True)
        with pytest.raises(ValueError, match="must be rigid"):
            dual_quat.from_matrix(m, out=out)
        assert (out == 5).all()
    # A difference that rounding makes is none.
    near = rigid * (1 + 2e-5)
    near[..., 3, 3] = 1
    assert np.abs(dual_quat.from_matrix(near)[..., :4]).max() <= 1


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("scalar_first", [False, True])
def test_stretch_is_symmetric_acts_first_and_holds_the_mirror(dtype, scalar_first):
    rng = np.random.default_rng(5)
    q = units(rng, 6)
    q *= np.where(q[:, 3:4] < 0, -1, 1)
    basis = twin.quat.to_matrix(units(rng, 6)[:, :4])
    sizes = np.array([[1, 2, 3], [2, 2, 2], [1, 1, 1], [-1, -2, -3], [1e-3, 1, 1e3], [-1e-2, -1e-2, -1e-2]])
    stretch = np.einsum("nij,nj,nkj->nik", basis, sizes, basis)
    m = twin.to_matrix(q)
    m[:, :3, :3] = m[:, :3, :3] @ stretch
    m = m.astype(dtype)
    got, got_stretch = dual_quat.from_matrix(m, return_stretch=True, scalar_first=scalar_first)
    assert got.dtype == got_stretch.dtype == dtype
    expected = q.reshape(6, 2, 4)[..., [3, 0, 1, 2]].reshape(6, 8) if scalar_first else q
    # A matrix of condition 1e6 knows its rotation to 1e6 roundings.
    size = np.abs(sizes).max(-1)
    tolerance = 4 * TOLERANCE[dtype] * size / np.abs(sizes).min(-1)
    for i in range(6):
        if tolerance[i] < 0.1:
            np.testing.assert_allclose(got[i], expected[i], atol=tolerance[i])
            np.testing.assert_allclose(got_stretch[i], stretch[i], atol=tolerance[i] * size[i])
    np.testing.assert_array_equal(got_stretch, got_stretch.swapaxes(-1, -2))
    last = got.reshape(6, 2, 4)[..., [1, 2, 3, 0]].reshape(6, 8) if scalar_first else got
    again = twin.to_matrix(last)[:, :3, :3] @ got_stretch
    np.testing.assert_allclose(
        again / size[:, None, None], m[:, :3, :3] / size[:, None, None], atol=TOLERANCE[dtype]
    )
    out = (np.empty_like(got), np.empty_like(got_stretch))
    returned = dual_quat.from_matrix(m, return_stretch=True, scalar_first=scalar_first, out=out)
    assert returned[0] is out[0]
    assert returned[1] is out[1]
    np.testing.assert_array_equal(out[0], got)
    np.testing.assert_array_equal(out[1], got_stretch)


def test_stretch_of_what_is_singular_or_many_or_none():
    for linear in (np.zeros((3, 3)), np.diag([1.0, 0, 2]), np.diag([3.0, 0, 0])):
        m = np.eye(4)
        m[:3, :3], m[:3, 3] = linear, [1, 2, 3]
        q, stretch = dual_quat.from_matrix(m, return_stretch=True)
        np.testing.assert_allclose(q, [0, 0, 0, 1, 0.5, 1, 1.5, 0], atol=1e-15)
        np.testing.assert_allclose(stretch, linear, atol=1e-15)
    q, stretch = dual_quat.from_matrix(np.empty((0, 3, 4, 4)), return_stretch=True)
    assert q.shape == (0, 3, 8)
    assert stretch.shape == (0, 3, 3, 3)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda m: m[..., :3, :], ValueError, r"matrix must have shape \(\.\.\., 4, 4\), got \(2, 3, 4\)"),
        (lambda m: m.astype(complex), TypeError, r"matrix must be an array of real numbers, got complex128"),
        (lambda m: m * [[1], [1], [1], [2]], ValueError, "last row 0, 0, 0, 1, got 0, 0, 0, 2 at"),
        (lambda m: m + np.nan, ValueError, r"matrix must be finite, got NaN or infinity at index 0"),
    ],
)  # fmt: skip
def test_stretch_refuses(change, error, message):
    with pytest.raises(error, match=r"dual_quat\.from_matrix: .*" + message):
        dual_quat.from_matrix(change(np.stack([np.eye(4)] * 2)), return_stretch=True)


def test_stretch_takes_last_rows_within_a_ten_thousandth():
    m = np.eye(4)
    m[3, 1] = 0.9e-4
    dual_quat.from_matrix(m, return_stretch=True)
    m[3, 1] = 1.1e-4
    with pytest.raises(ValueError, match=r"last row 0, 0, 0, 1, got 0, 0\.00011, 0, 1; transpose"):
        dual_quat.from_matrix(m, return_stretch=True)


def test_stretch_refuses_an_out_that_does_not_fit():
    m = np.stack([np.eye(4)] * 2)
    q, stretch = np.empty((2, 8)), np.empty((2, 3, 3))
    for out, error, message in (
        (q, TypeError, "out must be a tuple of 2 arrays, got ndarray"),
        (
            (q, stretch.astype(np.float32)),
            TypeError,
            r"out\[1\] must be an array of float64",
        ),
        ((q[:1], stretch), ValueError, r"out\[0\] must have shape \(2, 8\), got \(1, 8\)"),
    ):
        with pytest.raises(error, match=r"dual_quat\.from_matrix: " + message):
            dual_quat.from_matrix(m, return_stretch=True, out=out)


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_of_poses_come_back(dtype):
    rotation, translation = parts(np.random.default_rng(6), 4, 5, dtype=dtype)
    pose = trs.from_parts(translation, rotation).astype(dtype)
    q = dual_quat.from_trs(pose)
    assert q.dtype == dtype
    np.testing.assert_array_equal(q, dual_quat.from_quat_translation(rotation, translation))
    back = dual_quat.to_trs(q)
    np.testing.assert_allclose(back, pose, atol=TOLERANCE[dtype])
    np.testing.assert_array_equal(back[..., 7:], 1)


def test_scale_is_refused_with_the_figure_or_given_beside():
    rotation, translation = parts(np.random.default_rng(7), 2, 3)
    pose = trs.from_parts(translation, rotation)
    pose[1, 0, 8] = 1.25
    message = (
        r"dual_quat\.from_trs: the scale of trs must be 1 within 0\.0001, got one that is off by 0\.25 at "
        r"index \(1, 0\); pass return_scale=True to have it beside"
    )
    out = np.full((2, 3, 8), 5.0)
    for options in ({}, {"out": out}, {"scalar_first": True}):
        with pytest.raises(ValueError, match=message):
            dual_quat.from_trs(pose, **options)
    assert (out == 5).all()
    q, scale = dual_quat.from_trs(pose, return_scale=True)
    np.testing.assert_array_equal(scale, pose[..., 7:])
    np.testing.assert_array_equal(q, dual_quat.from_quat_translation(rotation, translation))
    first, _ = dual_quat.from_trs(pose, return_scale=True, scalar_first=True)
    np.testing.assert_array_equal(first[..., 0], q[..., 3])
    arrays = (np.empty((2, 3, 8)), np.empty((2, 3, 3)))
    assert dual_quat.from_trs(pose, return_scale=True, out=arrays)[1] is arrays[1]
    np.testing.assert_array_equal(arrays[0], q)
    pose[1, 0, 8] = 1 + 0.9e-4
    np.testing.assert_array_equal(dual_quat.from_trs(pose), q)


def test_every_number_that_is_not_one_shows():
    """Last rows and scales are only looked at, and yet what cannot be looked at makes NaN."""
    for place in np.ndindex(4, 4):
        matrix = np.eye(4)
        matrix[place] = np.nan
        assert np.isnan(dual_quat.from_matrix(matrix)).any(), place
    for place in range(10):
        pose = trs.identity(dtype=float)
        pose[place] = np.nan
        assert np.isnan(dual_quat.from_trs(pose)).any(), place
