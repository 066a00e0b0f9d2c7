# SPDX-License-Identifier: MIT
import pickle

import numpy as np
import pytest

from lissom._rig.skin import Palette, Skin
from reference import dual_quat, palette, quat

# Entries are sums of about ten products of numbers below ten.
TOLERANCE = {np.float32: 2e-5, np.float64: 1e-12}
DTYPES = [np.float32, np.float64]


def random_transforms(rng, *shape, scale=None, shear=0.0):
    """Affine matrices: rotation times diag(scale), a little shear, a shift of about one."""
    m = np.zeros((*shape, 4, 4))
    q = rng.normal(size=(*shape, 4))
    linear = quat.to_matrix(q / np.linalg.norm(q, axis=-1, keepdims=True))
    if scale is not None:
        linear = linear * np.asarray(scale)[..., None, :]
    m[..., :3, :3] = linear + shear * rng.normal(size=(*shape, 3, 3))
    m[..., :3, 3] = rng.normal(size=(*shape, 3))
    m[..., 3, 3] = 1
    return m


def random_skin(rng, row_count, joint_count=None, **options):
    joints = rng.integers(0, joint_count or row_count, row_count)
    return joints, random_transforms(rng, row_count, **options)


def apply(m, p):
    return np.einsum("...ij,...j->...i", m[..., :3, :3], p) + m[..., :3, 3]


def assert_same_dual_quats(got, expected, tolerance):
    sign = np.sign(np.sum(got[..., :4] * expected[..., :4], -1, keepdims=True))
    np.testing.assert_allclose(sign * got, expected, atol=tolerance, rtol=0)


def assert_splits(result, m, tolerance):
    """R is rigid and R A = M, whatever the way there."""
    dual_quats = np.asarray(result.dual_quats, np.float64)
    np.testing.assert_allclose(np.linalg.norm(dual_quats[..., :4], axis=-1), 1, atol=tolerance)
    np.testing.assert_allclose(np.sum(dual_quats[..., :4] * dual_quats[..., 4:], -1), 0, atol=tolerance)
    assert result.scales is not None
    a = np.zeros((*result.scales.shape[:-2], 4, 4))
    a[..., :3, :] = result.scales
    a[..., 3, 3] = 1
    np.testing.assert_allclose(dual_quat.to_matrix(dual_quats) @ a, m, atol=tolerance, rtol=0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("batch", [(), (5,), (2, 3), (0,)])
def test_matrices_and_rigid_dual_quats_match_the_twin(dtype, batch):
    rng = np.random.default_rng(1)
    joints, bind = random_skin(rng, 9, 6)
    model = random_transforms(rng, *batch, 6).astype(dtype)
    skin = Skin(joints, bind.astype(dtype))
    result = skin.palette(model)
    bind = bind.astype(dtype)

    assert result.matrices.dtype == result.dual_quats.dtype == result.quat_trans.dtype == dtype
    assert result.matrices.shape == (*batch, 9, 4, 4)
    assert result.dual_quats.shape == result.quat_trans.shape == (*batch, 9, 8)
    assert result.scales is None
    np.testing.assert_allclose(
        result.matrices, palette.matrices(joints, bind, model), atol=TOLERANCE[dtype], rtol=0
    )
    expected, _ = palette.decompose(joints, bind, model)
    assert_same_dual_quats(result.dual_quats, expected, TOLERANCE[dtype])
    assert (result.dual_quats[..., 3] >= 0).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("scale", "shear"),
    [((1, 2, 3), 0), (1.01, 0), (100, 0), (1e-3, 0), ((1, 1, 1.0003), 0), ((1, 2, 0.5), 0.3), ((-1, 1, 1), 0),
     ((-2, 1, 0.5), 0.1), (-1, 0), ((5, 0.05, 1), 0)],
)  # fmt: skip
def test_scaled_sheared_and_mirrored_rows_split_as_the_twin(dtype, scale, shear):
    rng = np.random.default_rng(2)
    joints, bind = random_skin(rng, 12, 8)
    bind = bind.astype(dtype)
    model = random_transforms(rng, 7, 8, scale=np.broadcast_to(scale, 3), shear=shear).astype(dtype)
    result = Skin(joints, bind).palette(model)
    m = palette.matrices(joints, bind, model)
    tolerance = TOLERANCE[dtype] * max(1, np.abs(scale).max())

    dual_quats, scales = palette.decompose(joints, bind, model)
    assert_same_dual_quats(result.dual_quats, dual_quats, tolerance)
    np.testing.assert_allclose(result.scales, scales, atol=tolerance, rtol=0)
    assert_splits(result, m, tolerance)
    stretch = result.scales[..., :3]
    np.testing.assert_allclose(stretch, np.swapaxes(stretch, -1, -2), atol=tolerance)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("scale", [(1, 1, 0), (0, 2, 3), (0, 1, 0), (3, 0, 0), (0, 0, 0), (1e-8, 1, 1)])
def test_lost_axes_take_the_joints_own_rotation(dtype, scale):
    rng = np.random.default_rng(3)
    joints, bind = random_skin(rng, 12, 8)
    bind = bind.astype(dtype)
    model = random_transforms(rng, 7, 8, scale=scale).astype(dtype)
    result = Skin(joints, bind).palette(model)

    dual_quats, scales = palette.decompose(joints, bind, model)
    tolerance = 10 * TOLERANCE[dtype]
    if np.count_nonzero(np.abs(scale) > 1e-3) != 1:  # the twin's search for the angle ends at 1e-8
        assert_same_dual_quats(result.dual_quats, dual_quats, tolerance)
        np.testing.assert_allclose(result.scales, scales, atol=tolerance, rtol=0)
    else:
        assert_same_dual_quats(result.dual_quats, dual_quats, max(tolerance, 1e-7))
    assert_splits(result, palette.matrices(joints, bind, model), tolerance)


@pytest.mark.parametrize("dtype", DTYPES)
def test_an_axis_that_vanishes_under_a_turned_parent_does_not_flip(dtype):
    """A zero scale that came down a chain leaves rounding, whose sign must not decide the rotation."""
    rng = np.random.default_rng(4)
    parents = random_transforms(rng, 200, 1, scale=(1, 1, 0)).astype(dtype)
    locals_ = random_transforms(rng, 200, 1).astype(dtype)
    model = parents @ locals_
    dual_quats = Skin([0], np.eye(4, dtype=dtype)[None]).palette(model).dual_quats
    linear = np.asarray(model, np.float64)[..., :3, :3]
    stretch = np.swapaxes(quat.to_matrix(dual_quats[..., :4]), -1, -2) @ linear
    # The two axes that are left keep their length: the eigenvalues of S are not negative.
    values = np.linalg.eigvalsh((stretch + np.swapaxes(stretch, -1, -2)) / 2)
    assert values.min() > -1e-5


def test_a_joint_scaled_to_nothing_stays_as_bound():
    rng = np.random.default_rng(5)
    bind = random_transforms(rng, 1)
    model = np.linalg.inv(bind)
    model[..., :3, :3] = 0
    result = Skin([0], bind).palette(model)
    np.testing.assert_allclose(result.dual_quats, [[0, 0, 0, 1, 0, 0, 0, 0]], atol=1e-12)
    np.testing.assert_array_equal(result.scales[..., :3], 0)
    np.testing.assert_allclose(result.scales[..., 3], Skin([0], bind).pivots, atol=1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
def test_rest_pose_is_the_identity(dtype):
    rng = np.random.default_rng(6)
    model = random_transforms(rng, 10, scale=(2, 3, 0.5)).astype(dtype)
    skin = Skin(np.arange(10), np.linalg.inv(np.asarray(model, np.float64)).astype(dtype))
    result = skin.palette(model)
    np.testing.assert_allclose(result.matrices, np.broadcast_to(np.eye(4), (10, 4, 4)), atol=TOLERANCE[dtype])
    assert_same_dual_quats(result.dual_quats, np.tile([0, 0, 0, 1.0, 0, 0, 0, 0], (10, 1)), TOLERANCE[dtype])
    assert result.scales is None


def test_moving_the_origin_changes_nothing():
    """With the mesh shifted by t in bind space, every row must do the same to the shifted points."""
    rng = np.random.default_rng(7)
    joints, bind = random_skin(rng, 12, 8)
    model = random_transforms(rng, 4, 8, scale=(1, 2, 0.5))
    t = np.array([5.0, -3, 20])
    shift = np.eye(4)
    shift[:3, 3] = -t
    here = Skin(joints, bind).palette(model)
    there = Skin(joints, bind @ shift).palette(model)
    p = rng.normal(size=3)
    np.testing.assert_allclose(apply(there.matrices, p + t), apply(here.matrices, p), atol=1e-12)
    scaled = apply(here.scales, p)
    np.testing.assert_allclose(apply(there.scales, p + t), scaled + t, atol=1e-12)
    np.testing.assert_allclose(
        apply(dual_quat.to_matrix(there.dual_quats), scaled + t),
        apply(dual_quat.to_matrix(here.dual_quats), scaled),
        atol=1e-12,
    )


def test_moving_the_root_moves_the_palette_alike():
    rng = np.random.default_rng(8)
    joints, bind = random_skin(rng, 6)
    model = random_transforms(rng, 6)
    root = random_transforms(rng)
    skin = Skin(joints, bind)
    np.testing.assert_allclose(
        skin.palette(root @ model).matrices, root @ skin.palette(model).matrices, atol=1e-12
    )
    moved = dual_quat.to_matrix(skin.palette(root @ model).dual_quats)
    np.testing.assert_allclose(moved, root @ dual_quat.to_matrix(skin.palette(model).dual_quats), atol=1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [9e-5, 9.6e-5, 1.04e-4, 2e-4])
def test_scale_counts_from_one_in_ten_thousand(dtype, size):
    model = np.tile(np.eye(4), (3, 1, 1))
    model[1, :3, :3] *= 1 + size
    result = Skin([0, 1, 2], np.tile(np.eye(4, dtype=dtype), (3, 1, 1))).palette(model.astype(dtype))
    assert (result.scales is None) == (size < 1e-4)


@pytest.mark.parametrize("dtype", DTYPES)
def test_rotation_is_the_polar_one_even_just_inside_rigid(dtype):
    """The short cut for rigid rows must agree with the decomposition where both apply."""
    rng = np.random.default_rng(9)
    joints, bind = random_skin(rng, 50)
    bind = bind.astype(dtype)
    model = random_transforms(rng, 50, scale=1 + 9e-5 * rng.uniform(-1, 1, (50, 3))).astype(dtype)
    result = Skin(joints, bind).palette(model)
    assert result.scales is None
    expected, _ = palette.decompose(joints, bind, model)
    assert_same_dual_quats(result.dual_quats, expected, 2e-6 if dtype == np.float32 else 1e-12)


def test_pivots_are_the_joints_origins():
    rng = np.random.default_rng(10)
    bind = random_transforms(rng, 4, scale=(1, 2, 3))
    bind[2, :3, :3] = 0
    bind[3, :3, 1] = bind[3, :3, 0]
    skin = Skin([0, 1, 2, 3], bind)
    np.testing.assert_allclose(skin.pivots[:2], np.linalg.inv(bind[:2])[:, :3, 3], atol=1e-12)
    np.testing.assert_array_equal(skin.pivots[2:], 0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_singular_joint_from_bind_splits_about_the_origin(dtype):
    rng = np.random.default_rng(11)
    joints, bind = random_skin(rng, 6, scale=(1, 0, 2))
    bind = bind.astype(dtype)
    model = random_transforms(rng, 3, 6).astype(dtype)
    result = Skin(joints, bind).palette(model)
    np.testing.assert_array_equal(result.scales[..., 3], 0)
    assert_splits(result, palette.matrices(joints, bind, model), TOLERANCE[dtype])
    dual_quats, _ = palette.decompose(joints, bind, model)
    assert_same_dual_quats(result.dual_quats, dual_quats, TOLERANCE[dtype])


def test_quat_trans_is_the_same_rigid_transform():
    rng = np.random.default_rng(12)
    joints, bind = random_skin(rng, 6)
    result = Skin(joints, bind).palette(random_transforms(rng, 3, 6))
    m = dual_quat.to_matrix(result.dual_quats)
    np.testing.assert_array_equal(result.quat_trans[..., :4], result.dual_quats[..., :4])
    np.testing.assert_allclose(result.quat_trans[..., 4:7], m[..., :3, 3], atol=1e-12)
    np.testing.assert_array_equal(result.quat_trans[..., 7], 0)


def test_forms_are_computed_once_and_read_only():
    result = Skin([0], np.eye(4)[None]).palette(2 * np.eye(4)[None] - np.diag([0, 0, 0, 1]))
    for form in ("matrices", "dual_quats", "scales", "quat_trans"):
        first = getattr(result, form)
        assert getattr(result, form) is first
        assert not first.flags.writeable


def test_model_is_not_copied_and_other_types_become_float32():
    model = np.eye(4, dtype=np.float32)[None]
    skin = Skin([0], model)
    assert skin.palette(model)._model is model
    assert skin.palette(np.eye(4, dtype=int)[None]).matrices.dtype == np.float32
    assert skin.palette(np.eye(4)[None][:, ::-1][:, ::-1]).matrices.dtype == np.float64
    assert len(skin.palette(model)) == len(skin) == 1
    assert repr(skin.palette(model)) == "<lissom.Palette (1,) of float32>"


def test_skin_keeps_its_own_arrays_and_can_be_pickled():
    bind = np.tile(np.eye(4, dtype=np.float32), (2, 1, 1))
    skin = Skin([1, 0], bind)
    bind[:] = 7
    copy = pickle.loads(pickle.dumps(skin))
    np.testing.assert_array_equal(copy.joint_from_bind, np.tile(np.eye(4), (2, 1, 1)))
    assert copy.joints.tolist() == [1, 0]
    assert copy.joints.dtype == np.int32
    assert not skin.joint_from_bind.flags.writeable


def test_a_joint_beyond_any_skeleton_is_refused():
    # One more than this does not fit 32 bits: as a limit it would let every palette through.
    with pytest.raises(ValueError, match=r"Skin: joints\[0\] must be at least 0 and below"):
        Skin([2**31 - 1], np.eye(4)[None])


def test_an_empty_skin_gives_empty_palettes():
    result = Skin([], np.empty((0, 4, 4))).palette(np.empty((3, 0, 4, 4)))
    assert isinstance(result, Palette)
    assert result.matrices.shape == (3, 0, 4, 4)
    assert result.dual_quats.shape == (3, 0, 8)
    assert result.scales is None


IDENTITY = np.tile(np.eye(4, dtype=np.float32), (3, 1, 1))


def changed(index, value):
    result = IDENTITY.copy()
    result[index] = value
    return result


@pytest.mark.parametrize(
    ("joints", "bind", "error", "message"),
    [
        ([0.0, 1, 2], IDENTITY, TypeError, "Skin: joints must be integers, got float64; pass indices"),
        ([0, -1, 2], IDENTITY, ValueError, r"Skin: joints\[1\] must be at least 0 and below \d+, got -1"),
        ([0, 2**31, 2], IDENTITY, ValueError, "Skin: joints must fit in int32, got 0 to 2147483648"),
        ([[0, 1, 2]], IDENTITY, ValueError, r"Skin: joints must have shape \(S,\), got \(1, 3\)"),
        ([0, 1], IDENTITY, ValueError, r"must have shape \(S, 4, 4\), got \(3, 4, 4\): S is 2 in joints"),
        ([0, 1, 2], IDENTITY[:, :3], ValueError, r"must have shape \(S, 4, 4\), got \(3, 3, 4\)"),
        ([0, 1, 2], changed((1, 0, 3), np.nan), ValueError, r"Skin: joint_from_bind\[1\] must be finite"),
        ([0, 1, 2], changed((2, 3, 0), 1), ValueError, r"Skin: joint_from_bind\[2\] must have the last row"),
    ],
)  # fmt: skip
def test_skin_refuses(joints, bind, error, message):
    with pytest.raises(error, match=message):
        Skin(joints, bind)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("form", ["matrices", "dual_quats", "scales", "quat_trans"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("entry", [(0, 0), (2, 3), (1, 2)])
def test_palette_refuses_what_is_not_finite_by_index(dtype, form, bad, entry):
    model = np.tile(np.eye(4, dtype=dtype), (4, 2, 3, 1, 1))
    model[1, 1, 2][entry] = bad
    model[3, 0, 0][entry] = bad
    result = Skin([0, 2, 1], IDENTITY).palette(model)
    with pytest.raises(ValueError, match=r"Skin.palette: model at batch item 3, joint 2 is not finite"):
        getattr(result, form)


def test_palette_ignores_joints_that_the_skin_does_not_use():
    model = changed((1, 0, 0), np.nan)
    assert np.isfinite(Skin([0, 2], IDENTITY[:2]).palette(model).matrices).all()


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (IDENTITY[:2], r"Skin.palette: model has 2 joints, but the skin uses joint 2; pass the matrices of"),
        (IDENTITY[0], r"Skin.palette: model must have shape \(..., J, 4, 4\), got \(4, 4\); pass"),
        (IDENTITY[:, :3], r"must have shape \(..., J, 4, 4\), got \(3, 3, 4\)"),
    ],
)  # fmt: skip
def test_palette_refuses_shapes(model, message):
    with pytest.raises(ValueError, match=message):
        Skin([0, 1, 2], IDENTITY).palette(model)


def test_palette_refuses_row_vectors():
    model = changed((1, 0, 3), 5).swapaxes(-1, -2)
    with pytest.raises(ValueError, match=r"model at batch item 0, joint 1 must have the last row 0, 0, 0, 1"):
        Skin([0, 1, 2], IDENTITY).palette(model).matrices  # noqa: B018


def test_dust_of_exporters_changes_nothing():
    """Entries meant to be zero: 1e-40 in the bind matrices, 1e-16 in the model's, as files have them."""
    rng = np.random.default_rng(4)
    half = rng.uniform(-1.5, 1.5, (20, 6))
    turns = quat.to_matrix(np.stack([0 * half, 0 * half, np.sin(half), np.cos(half)], axis=-1))
    model = np.tile(np.eye(4, dtype=np.float32), (20, 6, 1, 1))
    model[..., :3, :3] = turns
    bind = np.tile(np.eye(4, dtype=np.float32), (6, 1, 1))
    bind[:, :3, 3] = rng.normal(size=(6, 3))
    clean = Skin(np.arange(6), bind)
    dusty_model, dusty_bind = model.copy(), bind.copy()
    dusty_model[..., 0, 2] = 1e-16
    dusty_bind[:, 0, 2], dusty_bind[:, 2, 1] = 1e-40, 1e-25
    dusty = Skin(np.arange(6), dusty_bind)
    expected = clean.palette(model)
    np.testing.assert_array_equal(dusty.palette(model).matrices, expected.matrices)
    np.testing.assert_array_equal(
        clean.palette(dusty_model).dual_quats[..., :4], expected.dual_quats[..., :4]
    )
    np.testing.assert_allclose(dusty.palette(dusty_model).dual_quats, expected.dual_quats, atol=1e-7)
