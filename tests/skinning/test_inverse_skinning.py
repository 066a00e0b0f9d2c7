# SPDX-License-Identifier: MIT
"""Inverse skinning against its float64 twin and as the inverse of skinning, its limits, and its refusals."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import lissom
from conftest import asset_files, asset_id
from reference import inverse_skinning as twin
from reference import skinning as skinning_twin

FILES = asset_files("characters")

# Of the size, per unit of condition: what skinning may be off by (2e-6 in float32), and rounding of the
# answer.
ROUND_TRIP = {np.float32: 3e-6, np.float64: 3e-13}
# Of the twin, which solves the same equations: rounding of the answer, and of the equations per unit of
# condition.
TWIN = {np.float32: 2e-7, np.float64: 1e-13}


def random_mesh(rng, vertex_count=500, row_count=12, influence_count=3, index_type=np.uint16):
    weights = rng.random((vertex_count, influence_count)) ** 2 + 1e-3
    weights[:, 1:][rng.random((vertex_count, influence_count - 1)) < 0.3] = 0
    weights /= weights.sum(axis=1, keepdims=True)
    indices = rng.integers(0, row_count, (vertex_count, influence_count)).astype(index_type)
    return lissom.Mesh(
        rng.uniform(-0.5, 0.5, (vertex_count, 3)), [], indices, weights, normals=units(rng, vertex_count, 3)
    )


def units(rng, *shape):
    values = rng.normal(size=shape)
    return values / np.linalg.norm(values, axis=-1, keepdims=True)


def unit(normals):
    """Float32 normals are unit only within their rounding, those that come back are."""
    return normals / np.linalg.norm(normals.astype(np.float64), axis=-1, keepdims=True)


def random_palette(rng, *shape, dtype=np.float32, angle=1.0):
    """Rigid rows within `angle` of a common rotation: matrices (..., 4, 4), and dual quaternions (..., 8)."""
    turns = rng.uniform(-1, 1, (*shape, 3)) * angle / 2
    dual = lissom.dual_quat.from_quat_translation(
        lissom.quat.from_rotation_vector(turns), rng.uniform(-0.5, 0.5, (*shape, 3))
    )
    return lissom.dual_quat.to_matrix(dual).astype(dtype), dual.astype(dtype)


def random_scales(rng, *shape, dtype=np.float32):
    """Scales and shears, all mirrored along x."""
    linear = np.eye(3) + 0.2 * rng.uniform(-1, 1, (*shape, 3, 3))
    linear[..., 0] *= -1
    return np.concatenate([linear, rng.uniform(-0.3, 0.3, (*shape, 3, 1))], axis=-1).astype(dtype)


def assert_back(got, expected, conditions, tolerance, size=1.0):
    off = np.abs(np.asarray(got, np.float64) - expected).max(axis=-1)
    assert (off <= tolerance * size * conditions).all(), (off / conditions).max() / size


@pytest.mark.parametrize("influence_count", [1, 2, 5])
@pytest.mark.parametrize("index_type", [np.uint16, np.uint32])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_linear_equals_its_twin_and_undoes_skinning(influence_count, index_type, dtype) -> None:
    rng = np.random.default_rng(influence_count)
    mesh = random_mesh(rng, influence_count=influence_count, index_type=index_type)
    matrices, _ = random_palette(rng, 12, dtype=dtype)
    matrices[:, :3, :3] *= rng.uniform(0.5, 2, (12, 1, 3))
    maps = twin.linear_maps(mesh.indices, mesh.weights, matrices)
    conditions = twin.conditions(maps)
    posed = rng.uniform(-1, 1, (mesh.vertex_count, 3)).astype(dtype)
    got = lissom.unskin_linear(mesh, matrices, posed)
    assert got.dtype == dtype
    expected = twin.undo(maps, posed)
    assert_back(got, expected, conditions * np.abs(expected).max(1), TWIN[dtype], 2)

    moved = lissom.skin_linear(mesh, matrices, normals=True)
    back = lissom.unskin_linear(mesh, matrices, moved.positions, normals=moved.normals)
    assert_back(back.positions, mesh.positions, conditions, ROUND_TRIP[dtype], 2)
    assert_back(back.normals, unit(mesh.normals), conditions, 5 * ROUND_TRIP[dtype])


@pytest.mark.parametrize("index_type", [np.uint16, np.uint32])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scaled", [False, True])
def test_dual_quat_equals_its_twin_and_undoes_skinning(index_type, dtype, scaled) -> None:
    rng = np.random.default_rng(7)
    mesh = random_mesh(rng, index_type=index_type)
    _, dual = random_palette(rng, 12, dtype=dtype, angle=5)
    dual *= rng.choice([-1, 1], (12, 1)).astype(dtype)
    scales = random_scales(rng, 12, dtype=dtype) if scaled else None
    stable = ~skinning_twin.unstable(mesh.indices, mesh.weights, dual)
    conditions = np.ones(mesh.vertex_count)
    posed = rng.uniform(-1, 1, (mesh.vertex_count, 3)).astype(dtype)
    expected = twin.undo(twin.rigid_maps(mesh.indices, mesh.weights, dual), posed)
    if scaled:
        blends = np.einsum(
            "vk,vkij->vij", mesh.weights.astype(np.float64), scales[mesh.indices].astype(np.float64)
        )
        conditions = twin.conditions(blends)
        expected = twin.undo(blends, expected)
    got = lissom.unskin_dual_quat(mesh, dual, scales, posed)
    assert got.dtype == dtype
    assert_back(got[stable], expected[stable], (conditions * np.abs(expected).max(1))[stable], TWIN[dtype], 2)

    moved = lissom.skin_dual_quat(mesh, dual, scales, normals=True)
    back = lissom.unskin_dual_quat(mesh, dual, scales, moved.positions, normals=moved.normals)
    assert_back(back.positions[stable], mesh.positions[stable], conditions[stable], ROUND_TRIP[dtype], 2)
    assert_back(
        back.normals[stable], unit(mesh.normals[stable]), conditions[stable] ** 2, 5 * ROUND_TRIP[dtype]
    )


@pytest.mark.parametrize("method", ["linear", "dual_quat"])
@pytest.mark.parametrize("path", FILES, ids=asset_id)
def test_real_characters_come_back(path, method) -> None:
    if b"KHR_draco_mesh_compression" in path.read_bytes():
        pytest.importorskip("DracoPy")  # not among what portable tests need
    hero = lissom.load(path)
    mesh = hero.mesh
    if mesh is None:  # clips alone
        assert len(hero.clips) > 0
        return
    poses = hero.skeleton.rest[None]
    if hero.clips:
        clip = max(hero.clips.values(), key=lambda clip: clip.duration)
        poses = clip.sample(np.linspace(clip.start, clip.end, 3)[1:])
    palette = hero.skin.palette(hero.skeleton.model_matrices(poses))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # some hide parts by a scale of zero
        back = lissom.undeform(mesh, palette, lissom.deform(mesh, palette, method), method)
    for at in range(len(poses)):
        if method == "linear":
            maps = twin.linear_maps(mesh.indices, mesh.weights, palette.matrices[at])
        elif palette.scales is not None:
            scales = palette.scales[at].astype(np.float64)[mesh.indices]
            maps = np.einsum("vk,vkij->vij", mesh.weights.astype(np.float64), scales)
        else:
            maps = np.tile(np.eye(3, 4), (mesh.vertex_count, 1, 1))
        conditions = twin.conditions(maps)
        solved = ~np.isnan(back[at]).any(axis=1)
        np.testing.assert_array_equal(solved[conditions < 2800], True)
        assert not solved[conditions > 3000].any()
        # How far the pose is from the origin, and how much smaller it is than the mesh, decide about
        # rounding.
        lengths = np.abs(np.asarray(palette.matrices[at], np.float64)[:, :3, 3]).max() + hero.size
        shrink = np.maximum(1, np.linalg.norm(np.linalg.pinv(maps[:, :, :3]), axis=(1, 2)))
        stable = solved & ~skinning_twin.unstable(mesh.indices, mesh.weights, palette.dual_quats[at])
        assert_back(back[at][stable], mesh.positions[stable], (conditions * shrink)[stable], 3e-6, lengths)


# Laws


def test_poses_broadcast_against_palettes() -> None:
    rng = np.random.default_rng(1)
    mesh = random_mesh(rng, vertex_count=33)
    matrices, dual = random_palette(rng, 3, 1, 12)
    scales = random_scales(rng, 12)
    posed = rng.uniform(-1, 1, (2, 33, 3)).astype(np.float32)
    linear = lissom.unskin_linear(mesh, matrices, posed)
    by_dual_quats = lissom.unskin_dual_quat(mesh, dual, scales, posed)
    assert linear.shape == by_dual_quats.shape == (3, 2, 33, 3)
    for i, k in np.ndindex(3, 2):
        np.testing.assert_array_equal(linear[i, k], lissom.unskin_linear(mesh, matrices[i, 0], posed[k]))
        np.testing.assert_array_equal(
            by_dual_quats[i, k], lissom.unskin_dual_quat(mesh, dual[i, 0], scales, posed[k])
        )


def test_the_sign_of_a_row_changes_nothing() -> None:
    rng = np.random.default_rng(2)
    mesh = random_mesh(rng)
    _, dual = random_palette(rng, 12, angle=5)
    posed = rng.uniform(-1, 1, (mesh.vertex_count, 3)).astype(np.float32)
    flipped = dual * rng.choice(np.float32([-1, 1]), (12, 1))
    assert (flipped != dual).any()
    stable = ~skinning_twin.unstable(mesh.indices, mesh.weights, dual)
    got, other = (lissom.unskin_dual_quat(mesh, rows, None, posed)[stable] for rows in (dual, flipped))
    np.testing.assert_array_equal(got, other)


def test_the_positions_of_the_mesh_do_not_matter() -> None:
    rng = np.random.default_rng(3)
    mesh = random_mesh(rng)
    other = lissom.Mesh(np.zeros((mesh.vertex_count, 3)), [], mesh.indices, mesh.weights)
    matrices, _ = random_palette(rng, 12)
    np.testing.assert_array_equal(
        lissom.unskin_linear(mesh, matrices, mesh.positions),
        lissom.unskin_linear(other, matrices, mesh.positions),
    )


@pytest.mark.parametrize("method", ["linear", "dual_quat"])
@pytest.mark.parametrize("original_order", [False, True])
def test_a_prepared_mesh_comes_back_in_the_order_of_its_results(method, original_order) -> None:
    rng = np.random.default_rng(11)
    mesh = random_mesh(rng)
    matrices, dual = random_palette(rng, 2, 12)
    palette = SimpleNamespace(matrices=matrices, dual_quats=dual, scales=random_scales(rng, 2, 12))
    prepared = mesh.prepare(original_order)
    order = np.arange(mesh.vertex_count) if original_order else prepared.order
    assert original_order or (order != np.arange(len(order))).any()
    moved = lissom.deform(mesh, palette, method, normals=True)
    expected = lissom.undeform(mesh, palette, moved.positions, method, normals=moved.normals)
    posed, turned = (array[:, order] for array in moved)
    got = lissom.undeform(prepared, palette, posed, method, normals=turned)
    for found, wanted in zip(got, expected, strict=True):
        np.testing.assert_array_equal(found, wanted[:, order])
    rows = (matrices,) if method == "linear" else (dual, palette.scales)
    unskin = lissom.unskin_linear if method == "linear" else lissom.unskin_dual_quat
    np.testing.assert_array_equal(unskin(prepared, *rows, posed), got.positions)


def test_undeform_chooses_by_name() -> None:
    hero = lissom.samples.two_bone_tube()
    palette = hero.skin.palette(hero.skeleton.model_matrices(hero.clips["bend"].sample(1.0)))
    for method in ("linear", "dual_quat"):
        back = lissom.undeform(hero.mesh, palette, lissom.deform(hero.mesh, palette, method), method)
        np.testing.assert_allclose(back, hero.mesh.positions, atol=2e-5)
    with pytest.raises(ValueError, match=r"undeform: method must be one of 'linear', 'dual_quat', got 'cor'"):
        lissom.undeform(hero.mesh, palette, hero.mesh.positions, "cor")
    with pytest.raises(ValueError, match=r"got 'quat_trans'; 'linear' gives the same$"):
        lissom.undeform(hero.mesh, palette, hero.mesh.positions, "quat_trans")
    back = lissom.undeform(hero.mesh, palette, lissom.deform(hero.mesh, palette, "quat_trans"), "linear")
    np.testing.assert_allclose(back, hero.mesh.positions, atol=2e-5)


def test_results_do_not_depend_on_the_number_of_threads() -> None:
    rng = np.random.default_rng(4)
    mesh = random_mesh(rng, vertex_count=7001)
    matrices, _ = random_palette(rng, 3, 12)
    matrices[1:, 4:] = 0
    posed = rng.uniform(-1, 1, (3, 7001, 3)).astype(np.float32)
    results, said = [], []
    for count in (1, 2, 5):
        lissom.set_thread_count(count)
        with pytest.warns(RuntimeWarning, match="have no answer") as caught:
            results.append(lissom.unskin_linear(mesh, matrices, posed))
        said.append(str(caught[0].message))
    lissom.set_thread_count(0)
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])
    assert len(set(said)) == 1


# Where there is no answer


def folded(dtype=np.float32):
    """Three vertices, the second between rows half a turn apart: its blend folds all onto the axis."""
    mesh = lissom.Mesh(np.eye(3), [], [[0, 1]] * 3, [[1, 0], [0.5, 0.5], [0, 1]], normals=np.eye(3))
    matrices = np.tile(np.eye(4, dtype=dtype), (2, 1, 1))
    matrices[1] = np.diag([1, -1, -1, 1])
    return mesh, matrices


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_a_twist_folds_flat_becomes_nan_with_a_warning(dtype) -> None:
    mesh, matrices = folded(dtype)
    batch = np.stack([np.tile(np.eye(4, dtype=dtype), (2, 1, 1)), matrices])
    moved = lissom.skin_linear(mesh, batch, normals=True)
    with pytest.warns(
        RuntimeWarning,
        match=r"unskin_linear: 1 vertices have no answer .*, the first is vertex 1 of pose \(1,\)",
    ) as said:
        back = lissom.unskin_linear(mesh, batch, moved.positions, normals=moved.normals)
    assert [warning.filename for warning in said] == [__file__]
    for array, expected in zip(back, (mesh.positions, mesh.normals), strict=True):
        assert np.isnan(array[1, 1]).all()
        keep = np.ones((2, 3), bool)
        keep[1, 1] = False
        np.testing.assert_allclose(array[keep], np.stack([expected] * 2)[keep], atol=1e-7)


def test_what_a_twist_folds_flat_is_refused_where_asked_for() -> None:
    mesh, matrices = folded()
    out = np.full((3, 3), 7, np.float32)
    with pytest.raises(
        ValueError,
        match=r"unskin_linear: vertices cannot be brought back .*, got 1 .* vertex 1 of pose 0",
    ):
        lissom.unskin_linear(mesh, matrices, np.eye(3, dtype=np.float32), singular="raise", out=out)
    np.testing.assert_array_equal(out, 7)
    lissom.unskin_linear(mesh, matrices[[0, 0]], np.eye(3, dtype=np.float32), singular="raise", out=out)
    np.testing.assert_array_equal(out, np.eye(3))


def test_dual_quats_bring_back_what_matrices_fold() -> None:
    mesh, _ = folded()
    dual = np.float32([[0, 0, 0, 1, 0, 0, 0, 0], [1, 0, 0, 1e-3, 0, 0, 0, 0]])
    dual /= np.linalg.norm(dual, axis=1, keepdims=True)
    back = lissom.unskin_dual_quat(mesh, dual, None, lissom.skin_dual_quat(mesh, dual))
    np.testing.assert_allclose(back, mesh.positions, atol=1e-6)


def test_a_scale_of_zero_has_no_answer() -> None:
    mesh = lissom.Mesh(np.eye(3), [], [[0], [1], [1]], [[1]] * 3)
    dual = np.float32([[0, 0, 0, 1, 0, 0, 0, 0]] * 2)
    scales = np.stack([np.eye(3, 4), np.diag([1, 0, 1]) @ np.eye(3, 4)]).astype(np.float32)
    with pytest.warns(RuntimeWarning, match=r"unskin_dual_quat: 2 vertices .* the first is vertex 1; their"):
        back = lissom.unskin_dual_quat(mesh, dual, scales, np.eye(3))
    np.testing.assert_array_equal(np.isnan(back).all(axis=1), [False, True, True])


def test_uniform_scales_of_any_size_are_as_good_as_none() -> None:
    rng = np.random.default_rng(5)
    mesh = random_mesh(rng, row_count=1)
    for factor in (1e-12, 1e-3, 1e12):
        matrices = np.float32(factor) * np.eye(4, dtype=np.float32)[None]
        matrices[:, 3, 3] = 1
        back = lissom.unskin_linear(mesh, matrices, lissom.skin_linear(mesh, matrices))
        np.testing.assert_allclose(back, mesh.positions, atol=2e-7)


def test_the_limit_of_the_condition_can_be_set() -> None:
    mesh = lissom.Mesh(np.eye(3), [])
    for flat in (1e-2, 1e-5):
        matrices = np.diag([1, flat, 1, 1]).astype(np.float32)[None]
        condition = twin.conditions(matrices[:, :3])[0]
        moved = lissom.skin_linear(mesh, matrices)
        back = lissom.unskin_linear(mesh, matrices, moved, max_condition=1.001 * condition)
        np.testing.assert_allclose(back, np.eye(3), atol=1e-6)
        with pytest.warns(RuntimeWarning, match="3 vertices"):
            lissom.unskin_linear(mesh, matrices, moved, max_condition=0.999 * condition)
    with pytest.warns(RuntimeWarning, match=r"a condition above 2896"):
        lissom.unskin_linear(mesh, matrices, moved)
    assert not np.isnan(lissom.unskin_linear(mesh, matrices.astype(np.float64), moved)).any()


def test_zero_normals_stay_zero() -> None:
    mesh, matrices = folded()
    back = lissom.unskin_linear(mesh, matrices[[0, 0]], np.eye(3), normals=np.diag([0, 1e-30, 1e30]))
    np.testing.assert_allclose(back.normals, np.diag([0, 1, 1]), atol=1e-7)


# What is refused


def test_wrong_arguments_are_refused_by_name() -> None:
    rng = np.random.default_rng(6)
    mesh = random_mesh(rng, vertex_count=5)
    matrices, dual = random_palette(rng, 12)
    posed = np.zeros((5, 3), np.float32)
    cases = [
        (
            ValueError,
            r"unskin_linear: positions must have shape \(\.\.\., 5, 3\)",
            lambda: lissom.unskin_linear(mesh, matrices, posed[:4]),
        ),
        (
            ValueError,
            r"unskin_linear: matrices must have shape",
            lambda: lissom.unskin_linear(mesh, matrices[:, :3], posed),
        ),
        (
            ValueError,
            r"unskin_linear: matrices must have at least",
            lambda: lissom.unskin_linear(mesh, matrices[:1], posed),
        ),
        (
            ValueError,
            r"unskin_linear: leading axes must broadcast, got matrices \(3, 12, 4, 4\), pos",
            lambda: lissom.unskin_linear(mesh, np.stack([matrices] * 3), np.stack([posed] * 2)),
        ),
        (
            ValueError,
            r"unskin_linear: positions must be finite, got -?nan in vertex 2; fill in",
            lambda: lissom.unskin_linear(mesh, matrices, np.where(np.arange(5)[:, None] == 2, np.nan, posed)),
        ),
        (
            ValueError,
            r"unskin_linear: normals must be finite, got inf in vertex 0",
            lambda: lissom.unskin_linear(mesh, matrices, posed, normals=np.full((5, 3), np.inf)),
        ),
        (
            ValueError,
            r"unskin_linear: matrices must be finite",
            lambda: lissom.unskin_linear(mesh, matrices * np.nan, posed),
        ),
        (
            ValueError,
            r"unskin_dual_quat: dual_quats must have rotations that are not zero, got zero in palette row 0",
            lambda: lissom.unskin_dual_quat(mesh, dual * 0, None, posed),
        ),
        (
            ValueError,
            r"unskin_dual_quat: scales must have shape",
            lambda: lissom.unskin_dual_quat(mesh, dual, matrices, posed),
        ),
        (
            ValueError,
            r"unskin_linear: max_condition must be finite and at least 1, got 0.5",
            lambda: lissom.unskin_linear(mesh, matrices, posed, max_condition=0.5),
        ),
        (
            ValueError,
            r"unskin_linear: singular must be one of 'nan', 'raise', got 'skip'",
            lambda: lissom.unskin_linear(mesh, matrices, posed, singular="skip"),
        ),
        (
            TypeError,
            r"unskin_linear: mesh must be a lissom.Mesh or a lissom.PreparedMesh, got NoneType",
            lambda: lissom.unskin_linear(None, matrices, posed),
        ),
        (
            TypeError,
            r"unskin_linear: positions must be an array of real numbers",
            lambda: lissom.unskin_linear(mesh, matrices, "here"),
        ),
        (
            TypeError,
            r"unskin_linear: out must be one array unless normals are given",
            lambda: lissom.unskin_linear(mesh, matrices, posed, out=(posed, posed)),
        ),
        (
            TypeError,
            r"unskin_linear: out must be a tuple \(positions, normals\)",
            lambda: lissom.unskin_linear(mesh, matrices, posed, normals=posed, out=posed.copy()),
        ),
        (
            TypeError,
            r"unskin_linear: out",
            lambda: lissom.unskin_linear(mesh, matrices, posed, out=np.zeros((5, 3))),
        ),
    ]
    for kind, message, call in cases:
        with pytest.raises(kind, match=message):
            call()


def test_no_pose_and_no_vertex_have_no_answer() -> None:
    rng = np.random.default_rng(8)
    mesh = random_mesh(rng, vertex_count=5)
    matrices, _ = random_palette(rng, 12)
    assert lissom.unskin_linear(mesh, matrices, np.zeros((0, 5, 3))).shape == (0, 5, 3)
    assert lissom.unskin_linear(lissom.Mesh([], []), matrices, np.zeros((2, 0, 3))).shape == (2, 0, 3)
