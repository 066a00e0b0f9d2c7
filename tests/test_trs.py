# SPDX-License-Identifier: MIT
import numpy as np
import pytest

from lissom import quat, trs
from reference import quat as twin

TOLERANCE = {np.float32: 4e-6, np.float64: 1e-13}  # a few roundings of numbers below ten
DTYPES = [np.float32, np.float64]


def random_trs(rng, *shape, dtype=np.float64, scale=None):
    rotation = quat.normalize(rng.normal(size=(*shape, 4)))
    scale = rng.uniform(0.3, 3, (*shape, 3)) if scale is None else scale
    return trs.from_parts(rng.normal(size=(*shape, 3)), rotation, scale).astype(dtype)


def test_identity_changes_nothing():
    assert trs.identity().tolist() == [0, 0, 0, 0, 0, 0, 1, 1, 1, 1]
    assert trs.identity(3).shape == (3, 10)
    assert trs.identity((2, 3), np.float64).dtype == np.float64
    np.testing.assert_array_equal(
        trs.to_matrix(trs.identity((2, 3))), np.broadcast_to(np.eye(4), (2, 3, 4, 4))
    )


def test_parts_are_views():
    pose = trs.identity((2, 3))
    trs.translation(pose)[0, 0] = [1, 2, 3]
    trs.rotation(pose)[0, 1] = [1, 0, 0, 0]
    trs.scale(pose)[1, 2] = [4, 5, 6]
    assert pose[0, 0].tolist() == [1, 2, 3, 0, 0, 0, 1, 1, 1, 1]
    assert pose[0, 1].tolist() == [0, 0, 0, 1, 0, 0, 0, 1, 1, 1]
    assert pose[1, 2].tolist() == [0, 0, 0, 0, 0, 0, 1, 4, 5, 6]


def test_from_parts_broadcasts():
    pose = trs.from_parts(np.zeros((4, 1, 3), np.float32), scale=np.ones((5, 3), np.float32))
    assert pose.shape == (4, 5, 10)
    assert pose.dtype == np.float32
    assert trs.from_parts(rotation=np.array([0, 0, 0, 1.0])).dtype == np.float64


@pytest.mark.parametrize("dtype", DTYPES)
def test_matrix_scales_then_rotates_then_moves(dtype):
    rng = np.random.default_rng(1)
    pose = random_trs(rng, 4, 5, dtype=dtype)
    p = rng.normal(size=3)
    m = trs.to_matrix(pose)
    assert m.dtype == dtype
    expected = twin.rotate(trs.rotation(pose), trs.scale(pose) * p) + trs.translation(pose)
    np.testing.assert_allclose(m[..., :3, :3] @ p + m[..., :3, 3], expected, atol=TOLERANCE[dtype])
    np.testing.assert_array_equal(m[..., 3, :], np.broadcast_to([0, 0, 0, 1], (4, 5, 4)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_from_matrix_gives_back_what_made_it(dtype):
    rng = np.random.default_rng(2)
    pose = random_trs(rng, 4, 5, dtype=dtype)
    back, shear = trs.from_matrix(trs.to_matrix(pose), return_shear=True)
    assert back.dtype == shear.dtype == dtype
    sign = np.where(pose[..., 6:7] < 0, -1, 1)
    pose[..., 3:7] *= sign
    np.testing.assert_allclose(back, pose, atol=TOLERANCE[dtype])
    assert shear.shape == (4, 5)
    assert shear.max() < TOLERANCE[dtype]


@pytest.mark.parametrize("signs", [(-1, 1, 1), (1, -1, 1), (1, 1, -1), (-1, -1, -1), (1, -1, -1)])
def test_a_mirror_becomes_a_negative_scale_along_x(signs):
    rng = np.random.default_rng(3)
    m = trs.to_matrix(random_trs(rng, 10, scale=np.array(signs) * [1, 2, 3]))
    back = trs.from_matrix(m)
    x = np.prod(signs)
    np.testing.assert_allclose(trs.scale(back), np.tile([x, 2, 3], (10, 1)), atol=1e-13)
    np.testing.assert_allclose(trs.to_matrix(back), m, atol=1e-13)


@pytest.mark.parametrize(
    "scale", [(1, 2, 0), (0, 3, 1), (0, 0, 2), (1, 0, 0), (0, 0, 0), (1e-30, 1e-30, 1e-30)]
)
def test_lost_axes_keep_scale_zero_and_a_unit_rotation(scale):
    rng = np.random.default_rng(4)
    m = trs.to_matrix(random_trs(rng, 10, scale=np.array(scale)))
    back = trs.from_matrix(m)
    np.testing.assert_allclose(trs.scale(back), np.tile(scale, (10, 1)), atol=1e-13)
    np.testing.assert_allclose(np.linalg.norm(trs.rotation(back), axis=-1), 1, atol=1e-14)
    np.testing.assert_allclose(trs.to_matrix(back), m, atol=1e-13)
    if not any(scale):
        np.testing.assert_array_equal(trs.rotation(back), np.tile([0, 0, 0, 1], (10, 1)))


def test_shear_is_reported():
    m = np.eye(4)
    m[0, 1] = 0.2
    pose, shear = trs.from_matrix(m, return_shear=True)
    assert shear == pytest.approx(np.abs(m - trs.to_matrix(pose)).max() / trs.scale(pose).max())
    assert shear > 0.05
    # The rotation is the nearest one: that of the singular value decomposition of the unit axes.
    u, _, vt = np.linalg.svd(m[:3, :3] / np.linalg.norm(m[:3, :3], axis=0))
    np.testing.assert_allclose(quat.to_matrix(trs.rotation(pose)), u @ vt, atol=1e-14)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: trs.rotation(np.zeros(7)), r"trs.rotation: trs must have shape \(..., 10\), got \(7,\)"),
        (lambda: trs.to_matrix(np.zeros((3, 9))), r"to_matrix: trs must have shape \(..., 10\), got \(3,"),
        (lambda: trs.from_parts(scale=2.0), r"trs.from_parts: scale must have shape \(..., 3\), got \(\)"),
        (lambda: trs.from_matrix(np.eye(3)), r"matrix must have shape \(..., 4, 4\), got \(3, 3\)"),
        (lambda: trs.from_matrix(np.full((4, 4), np.nan)), "trs.from_matrix: matrix must be finite"),
        (lambda: trs.from_matrix(np.eye(4)[::-1]), "from_matrix: matrix must have the last row 0, 0, 0, 1"),
    ],
)  # fmt: skip
def test_refuses(call, message):
    with pytest.raises(ValueError, match=message):
        call()
