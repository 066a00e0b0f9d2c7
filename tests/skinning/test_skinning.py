# SPDX-License-Identifier: MIT
"""Skinning against its float64 twin, by its laws, and its refusals."""

from types import SimpleNamespace

import numpy as np
import pytest

import lissom
from reference import skinning as twin

# Largest difference to the float64 twin as a share of the size of what is moved. float32 has 6e-8 per
# operation; a blend of K rows and the move are about twenty of them.
POSITION_TOLERANCE = 2e-6
NORMAL_TOLERANCE = 1e-5
# The same in float64, where the mesh itself is float32 in both.
DOUBLE_TOLERANCE = 1e-13


def random_units(rng, *shape):
    values = rng.normal(size=shape)
    return values / np.linalg.norm(values, axis=-1, keepdims=True)


def random_mesh(rng, vertex_count=1003, row_count=40, influence_count=4, index_type=np.uint16):
    """A cloud of vertices about one metre across; some influences have no weight, some rows come twice."""
    weights = rng.random((vertex_count, influence_count)) ** 3
    weights[:, 1:][rng.random((vertex_count, influence_count - 1)) < 0.3] = 0
    weights /= weights.sum(axis=1, keepdims=True)
    return lissom.Mesh(
        rng.uniform(-0.5, 0.5, (vertex_count, 3)),
        rng.integers(0, vertex_count, (vertex_count // 3, 3)),
        rng.integers(0, row_count, (vertex_count, influence_count)).astype(index_type),
        weights,
        normals=random_units(rng, vertex_count, 3),
    )


def rotation_matrices(quats):
    x, y, z, w = np.moveaxis(np.asarray(quats, np.float64), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def rigid_palette(rng, *shape, dtype=np.float32):
    """Random rigid transforms as matrices (..., 4, 4) and as dual quaternions (..., 8)."""
    rotations = random_units(rng, *shape, 4)
    translations = rng.uniform(-0.5, 0.5, (*shape, 3))
    matrices = np.zeros((*shape, 4, 4))
    matrices[..., :3, :3] = rotation_matrices(rotations)
    matrices[..., :3, 3] = translations
    matrices[..., 3, 3] = 1
    return matrices.astype(dtype), dual_quats(rotations, translations).astype(dtype)


def dual_quats(rotations, translations):
    """Real part r, dual part t r / 2."""
    vector, scalar = rotations[..., :3], rotations[..., 3:]
    dual_vector = scalar * translations + np.cross(translations, vector)
    dual_scalar = -(translations * vector).sum(-1, keepdims=True)
    return np.concatenate([rotations, 0.5 * dual_vector, 0.5 * dual_scalar], axis=-1)


def random_scales(rng, *shape, dtype=np.float32):
    """Scales and shears about points near the mesh, one mirror among them."""
    linear = np.eye(3) + 0.25 * rng.uniform(-1, 1, (*shape, 3, 3))
    linear[..., 0, 0, 0] *= -1
    offsets = rng.uniform(-0.3, 0.3, (*shape, 3, 1))
    return np.concatenate([linear, offsets], axis=-1).astype(dtype)


def arrays(mesh):
    return mesh.positions, mesh.normals, mesh.indices, mesh.weights


def assert_moved(got, expected, where=slice(None), double=False):
    positions, normals = (
        np.abs(a[where] - b[where]).max(initial=0) for a, b in zip(got, expected, strict=True)
    )
    size = max(1.0, np.linalg.norm(np.ptp(expected[0], axis=0))) if len(expected[0]) else 1.0
    assert positions <= (DOUBLE_TOLERANCE if double else POSITION_TOLERANCE) * size
    assert normals <= (DOUBLE_TOLERANCE if double else NORMAL_TOLERANCE)


@pytest.mark.parametrize("influence_count", [1, 2, 3, 4, 5, 6, 7, 8, 10])
@pytest.mark.parametrize("index_type", [np.uint16, np.uint32])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_linear_equals_its_twin(influence_count, index_type, dtype) -> None:
    rng = np.random.default_rng(influence_count)
    mesh = random_mesh(rng, influence_count=influence_count, index_type=index_type)
    matrices, _ = rigid_palette(rng, 40, dtype=dtype)
    matrices[:, :3, :3] *= rng.uniform(0.5, 2, (40, 1, 3))
    moved = lissom.skin_linear(mesh, matrices, normals=True)
    assert moved.positions.dtype == dtype
    assert_moved(moved, twin.linear(*arrays(mesh), matrices), double=dtype is np.float64)


@pytest.mark.parametrize("vertex_count", [1, 2, 15, 16, 17, 31, 32, 33, 47, 48, 49, 100])
@pytest.mark.parametrize("influence_count", range(1, 10))
def test_linear_equals_its_twin_at_all_sizes(vertex_count, influence_count) -> None:
    """Positions alone, with normals, upright ones and tangents have loops of their own."""
    rng = np.random.default_rng(vertex_count)
    mesh = random_mesh(rng, vertex_count, influence_count=influence_count)
    mesh = lissom.Mesh(
        mesh.positions,
        mesh.triangles,
        mesh.indices,
        mesh.weights,
        normals=mesh.normals,
        tangents=np.concatenate([random_units(rng, vertex_count, 3), np.ones((vertex_count, 1))], axis=1),
    )
    matrices, _ = rigid_palette(rng, 40)
    expected = twin.linear(*arrays(mesh), matrices)
    prepared = mesh.prepare()
    for form, order in ((mesh, slice(None)), (prepared, prepared.order), (mesh.prepare(True), slice(None))):
        wanted = [array[order] for array in expected]
        moved = lissom.skin_linear(form, matrices, normals=True)
        assert_moved(moved, wanted)
        # What else is asked for changes no bit.
        np.testing.assert_array_equal(lissom.skin_linear(form, matrices), moved.positions)
        for got, same in zip(lissom.skin_linear(form, matrices, tangents=True), moved, strict=False):
            np.testing.assert_array_equal(got, same)
        upright = lissom.skin_linear(form, matrices, normals="cofactor")
        assert_moved((upright.positions, wanted[1]), wanted)


@pytest.mark.parametrize("influence_count", [1, 2, 3, 4, 5, 8, 10])
@pytest.mark.parametrize("index_type", [np.uint16, np.uint32])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scaled", [False, True])
def test_dual_quat_equals_its_twin(influence_count, index_type, dtype, scaled) -> None:
    rng = np.random.default_rng(influence_count)
    mesh = random_mesh(rng, influence_count=influence_count, index_type=index_type)
    _, palette = rigid_palette(rng, 40, dtype=dtype)
    scales = random_scales(rng, 40, dtype=dtype) if scaled else None
    moved = lissom.skin_dual_quat(mesh, palette, scales, normals=True)
    assert moved.positions.dtype == dtype
    expected = twin.dual_quat(*arrays(mesh), palette, scales)
    stable = ~twin.unstable(mesh.indices, mesh.weights, palette)
    assert stable.mean() > 0.99
    assert_moved(moved, expected, stable, double=dtype is np.float64)


def test_batches_are_one_palette_after_another() -> None:
    rng = np.random.default_rng(0)
    mesh = random_mesh(rng, vertex_count=333)
    matrices, palette = rigid_palette(rng, 3, 2, 40)
    scales = random_scales(rng, 3, 2, 40)
    linear = lissom.skin_linear(mesh, matrices, normals=True)
    dual = lissom.skin_dual_quat(mesh, palette, scales, normals=True)
    assert linear.positions.shape == dual.normals.shape == (3, 2, 333, 3)
    for i in np.ndindex(3, 2):
        for all_of, one in (
            (linear, lissom.skin_linear(mesh, matrices[i], normals=True)),
            (dual, lissom.skin_dual_quat(mesh, palette[i], scales[i], normals=True)),
        ):
            np.testing.assert_array_equal(all_of.positions[i], one.positions)
            np.testing.assert_array_equal(all_of.normals[i], one.normals)


def test_deform_chooses_by_name() -> None:
    rng = np.random.default_rng(0)
    mesh = random_mesh(rng)
    matrices, dual = rigid_palette(rng, 40)
    palette = SimpleNamespace(matrices=matrices, dual_quats=dual, scales=random_scales(rng, 40))
    np.testing.assert_array_equal(lissom.deform(mesh, palette), lissom.skin_linear(mesh, matrices))
    np.testing.assert_array_equal(
        lissom.deform(mesh, palette, "dual_quat", normals=True).normals,
        lissom.skin_dual_quat(mesh, dual, palette.scales, normals=True).normals,
    )
    with pytest.raises(ValueError, match=r"deform: method must be one of 'linear', .*'blended', got 'soft'"):
        lissom.deform(mesh, palette, "soft")


# Laws


METHODS = ("linear", "dual_quat", "scaled")


def moved_by(method, mesh, matrices, dual, scales, **options):
    if method == "linear":
        return lissom.skin_linear(mesh, matrices, **options)
    return lissom.skin_dual_quat(mesh, dual, scales if method == "scaled" else None, **options)


def assert_close(got, expected, tolerance=4 * POSITION_TOLERANCE):
    """Of two results that both carry the tolerance to the exact one, and about one unit more of size."""
    np.testing.assert_allclose(got, expected, rtol=0, atol=tolerance)


def compose_dual(a, b):
    """Product of dual quaternions, a after b, in float64."""

    def product(p, q):
        vector = p[..., 3:] * q[..., :3] + q[..., 3:] * p[..., :3] + np.cross(p[..., :3], q[..., :3])
        return np.concatenate(
            [vector, p[..., 3:] * q[..., 3:] - (p[..., :3] * q[..., :3]).sum(-1, keepdims=True)], -1
        )

    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    real = product(a[..., :4], b[..., :4])
    return np.concatenate([real, product(a[..., :4], b[..., 4:]) + product(a[..., 4:], b[..., :4])], axis=-1)


@pytest.mark.parametrize("method", METHODS)
def test_the_identity_changes_nothing(method) -> None:
    mesh = random_mesh(np.random.default_rng(1))
    matrices = np.tile(np.eye(4, dtype=np.float32), (40, 1, 1))
    dual = np.tile(np.float32([0, 0, 0, 1, 0, 0, 0, 0]), (40, 1))
    moved = moved_by(method, mesh, matrices, dual, matrices[:, :3], normals=True)
    assert_moved(moved, (mesh.positions, mesh.normals))


@pytest.mark.parametrize("method", ["linear", "dual_quat"])
def test_one_influence_is_a_rigid_transform(method) -> None:
    rng = np.random.default_rng(2)
    mesh = random_mesh(rng)
    chosen = rng.integers(0, 4, mesh.vertex_count)
    one_hot = np.eye(4)[chosen]
    mesh = lissom.Mesh(mesh.positions, [], mesh.indices, one_hot, normals=mesh.normals)
    matrices, dual = rigid_palette(rng, 40)
    moved = moved_by(method, mesh, matrices, dual, None, normals=True)
    of_vertex = matrices[mesh.indices[np.arange(mesh.vertex_count), chosen]].astype(np.float64)
    expected = np.einsum("vij,vj->vi", of_vertex[:, :3, :3], mesh.positions) + of_vertex[:, :3, 3]
    assert_close(moved.positions, expected)
    assert_close(moved.normals, np.einsum("vij,vj->vi", of_vertex[:, :3, :3], mesh.normals), NORMAL_TOLERANCE)


@pytest.mark.parametrize("method", METHODS)
def test_moving_everything_rigidly_commutes(method) -> None:
    rng = np.random.default_rng(3)
    mesh = random_mesh(rng)
    matrices, dual = rigid_palette(rng, 40)
    scales = random_scales(rng, 40)
    whole, whole_dual = rigid_palette(rng)
    before = moved_by(method, mesh, matrices, dual, scales)
    after = moved_by(
        method,
        mesh,
        (whole.astype(np.float64) @ matrices).astype(np.float32),
        compose_dual(whole_dual, dual).astype(np.float32),
        scales,
    )
    stable = ~twin.unstable(mesh.indices, mesh.weights, dual)
    expected = before.astype(np.float64) @ whole[:3, :3].T.astype(np.float64) + whole[:3, 3]
    assert_close(after[stable], expected[stable], 8 * POSITION_TOLERANCE)


@pytest.mark.parametrize("method", ["dual_quat", "scaled"])
def test_the_sign_of_a_row_changes_nothing(method) -> None:
    rng = np.random.default_rng(4)
    mesh = random_mesh(rng)
    _, dual = rigid_palette(rng, 40)
    scales = random_scales(rng, 40)
    flipped = dual * rng.choice(np.float32([-1, 1]), (40, 1))
    assert (flipped[:, 3] != dual[:, 3]).any()
    stable = ~twin.unstable(mesh.indices, mesh.weights, dual)
    a = moved_by(method, mesh, None, dual, scales, normals=True)
    b = moved_by(method, mesh, None, flipped, scales, normals=True)
    np.testing.assert_array_equal(a.positions[stable], b.positions[stable])
    np.testing.assert_array_equal(a.normals[stable], b.normals[stable])


@pytest.mark.parametrize("method", METHODS)
def test_the_origin_of_the_mesh_does_not_matter(method) -> None:
    """With the palette adjusted to the shifted mesh the result is the same: nothing refers to the origin."""
    rng = np.random.default_rng(5)
    mesh = random_mesh(rng)
    shift = np.float32([0.5, -0.25, 1])  # exact in float32
    shifted = lissom.Mesh(mesh.positions + shift, [], mesh.indices, mesh.weights)
    matrices, dual = rigid_palette(rng, 40, dtype=np.float64)
    scales = random_scales(rng, 40, dtype=np.float64)
    bind_from_shifted = np.eye(4)
    bind_from_shifted[:3, 3] = -shift
    pure = dual_quats(np.array([0.0, 0, 0, 1]), -shift.astype(np.float64))
    moved_scales = scales.copy()  # S (p - t) + o + t: the scale about the same point of the mesh
    moved_scales[..., 3] += shift - scales[..., :3] @ shift.astype(np.float64)
    before = moved_by(method, mesh, matrices, dual, scales)
    after = moved_by(method, shifted, matrices @ bind_from_shifted, compose_dual(dual, pure), moved_scales)
    assert_close(after, before, 1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_the_order_of_vertices_does_not_matter(method) -> None:
    rng = np.random.default_rng(6)
    mesh = random_mesh(rng)
    order = rng.permutation(mesh.vertex_count)
    permuted = lissom.Mesh(
        mesh.positions[order], [], mesh.indices[order], mesh.weights[order], normals=mesh.normals[order]
    )
    matrices, dual = rigid_palette(rng, 40)
    scales = random_scales(rng, 40)
    a = moved_by(method, mesh, matrices, dual, scales, normals=True)
    b = moved_by(method, permuted, matrices, dual, scales, normals=True)
    # A vertex is computed alike in every lane and block: to the last bit.
    np.testing.assert_array_equal(a.positions[order], b.positions)
    np.testing.assert_array_equal(a.normals[order], b.normals)


@pytest.mark.parametrize("method", METHODS)
def test_slots_without_weight_contribute_nothing(method) -> None:
    rng = np.random.default_rng(7)
    mesh = random_mesh(rng, influence_count=2)
    noise = rng.integers(0, 40, (mesh.vertex_count, 2))
    padded = lissom.Mesh(
        mesh.positions,
        [],
        np.concatenate([mesh.indices, noise], axis=1),
        np.concatenate([mesh.weights, np.zeros_like(mesh.weights)], axis=1),
    )
    matrices, dual = rigid_palette(rng, 40)
    scales = random_scales(rng, 40)
    a = moved_by(method, mesh, matrices, dual, scales)
    assert_close(moved_by(method, padded, matrices, dual, scales), a, POSITION_TOLERANCE)


def test_the_pivot_is_the_largest_weight_and_then_the_lowest_row() -> None:
    # Three rotations about x, 120 degrees apart as half angles: each pair's sign depends on who is the pivot.
    half = np.deg2rad([0, 70, 140])
    dual = np.zeros((3, 8))
    dual[:, 0], dual[:, 3] = np.sin(half), np.cos(half)
    dual = dual.astype(np.float32)
    third = np.float32(1 / 3)
    for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
        mesh = lissom.Mesh([[0, 1, 0]], [], [order], [[third] * 3], normals=[[0, 1, 0]])
        expected = twin.dual_quat(*arrays(mesh), dual)
        assert_moved(lissom.skin_dual_quat(mesh, dual, normals=True), expected)
        # Against row 0 the others are +, -: the angle lies between -40 and 70 half, not elsewhere.
        b = dual[0] + dual[1] - dual[2]
        angle = 2 * np.arctan2(b[0], b[3])
        assert_close(lissom.skin_dual_quat(mesh, dual)[0], [0, np.cos(angle), np.sin(angle)])


def test_dual_quats_keep_the_volume_that_matrices_lose() -> None:
    # Half way between no turn and a turn by 170 degrees about x, weights one half each: the candy wrapper.
    angle = np.deg2rad(170)
    quats = np.array([[0, 0, 0, 1], [np.sin(angle / 2), 0, 0, np.cos(angle / 2)]])
    matrices = np.tile(np.eye(4), (2, 1, 1))
    matrices[:, :3, :3] = rotation_matrices(quats)
    mesh = lissom.Mesh([[0, 1, 0]], [], [[0, 1]], [[0.5, 0.5]])
    by_matrices = lissom.skin_linear(mesh, matrices)
    by_dual_quats = lissom.skin_dual_quat(mesh, dual_quats(quats, np.zeros((2, 3))))
    assert np.linalg.norm(by_matrices) == pytest.approx(np.cos(angle / 2), abs=1e-12)
    assert np.linalg.norm(by_dual_quats) == pytest.approx(1, abs=1e-12)


def test_a_mirror_in_the_scales_turns_normals_inside_out_like_the_surface() -> None:
    mesh = lissom.Mesh([[1, 2, 3]], [], normals=[[0.6, 0.8, 0]])
    mirror = np.float32([[[-1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]])
    moved = lissom.skin_dual_quat(mesh, np.float32([[0, 0, 0, 1, 0, 0, 0, 0]]), mirror, normals=True)
    np.testing.assert_array_equal(moved.positions, [[-1, 2, 3]])
    # The cofactor of diag(-1, 1, 1) is diag(1, -1, -1).
    assert_close(moved.normals, [[0.6, -0.8, 0]], NORMAL_TOLERANCE)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_normals_that_a_flat_scale_would_erase_are_rotated_alone(dtype) -> None:
    mesh = lissom.Mesh(np.zeros((2, 3)), [], normals=[[1, 0, 0], [0, 0, 1]])
    flat = np.zeros((1, 3, 4), dtype)
    flat[0, 0, 0] = flat[0, 1, 1] = 1  # nothing left along z
    moved = lissom.skin_dual_quat(mesh, np.array([[0, 0, 0, 1, 0, 0, 0, 0]], dtype), flat, normals=True)
    np.testing.assert_allclose(moved.normals, [[1, 0, 0], [0, 0, 1]], atol=NORMAL_TOLERANCE)


@pytest.mark.parametrize("size", [1e-30, 1e-12, 1e12, 1e30])
def test_zero_normals_and_extreme_scales_stay_finite(size) -> None:
    mesh = lissom.Mesh(np.ones((20, 3)), [], normals=np.tile([[0, 0, 0], [0, 1, 0]], (10, 1)))
    matrices = np.float32(size) * np.eye(4, dtype=np.float32)[None]
    moved = lissom.skin_linear(mesh, matrices, normals=True)
    assert np.isfinite(moved.normals).all()
    np.testing.assert_array_equal(moved.normals[::2], 0)


def test_missing_normals_are_computed_from_the_triangles() -> None:
    mesh = lissom.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    moved = lissom.skin_linear(mesh, np.eye(4, dtype=np.float32)[None], normals=True)
    assert_close(moved.normals, [[0, 0, 1]] * 3, NORMAL_TOLERANCE)


@pytest.mark.parametrize("vertex_count", [0, 1, 3, 15, 16, 17, 31, 33])
@pytest.mark.parametrize("method", METHODS)
def test_every_length_of_the_last_block(vertex_count, method) -> None:
    rng = np.random.default_rng(8)
    long = random_mesh(rng, vertex_count=64)
    mesh = lissom.Mesh(
        long.positions[:vertex_count],
        [],
        long.indices[:vertex_count],
        long.weights[:vertex_count],
        normals=long.normals[:vertex_count],
    )
    matrices, dual = rigid_palette(rng, 40)
    scales = random_scales(rng, 40)
    guarded = np.full((2, vertex_count + 1, 3), 7, np.float32)
    moved = moved_by(
        method, mesh, matrices, dual, scales, normals=True, out=(guarded[0, :-1], guarded[1, :-1])
    )
    whole = moved_by(method, long, matrices, dual, scales, normals=True)
    np.testing.assert_array_equal(moved.positions, whole.positions[:vertex_count])
    np.testing.assert_array_equal(moved.normals, whole.normals[:vertex_count])
    np.testing.assert_array_equal(guarded[:, -1], 7)  # nothing beyond the end was touched


@pytest.mark.parametrize("row_count", [40, 300])
def test_large_palettes_give_the_same_without_the_table_of_signs(row_count) -> None:
    rng = np.random.default_rng(9)
    mesh = random_mesh(rng, row_count=row_count)
    _, dual = rigid_palette(rng, row_count)
    few = lissom.Mesh(mesh.positions[:100], [], mesh.indices[:100], mesh.weights[:100])
    expected = twin.dual_quat(few.positions, few.positions, few.indices, few.weights, dual)[0]
    stable = ~twin.unstable(few.indices, few.weights, dual)
    assert_close(lissom.skin_dual_quat(few, dual)[stable], expected[stable])
    assert_close(lissom.skin_dual_quat(mesh, dual)[:100][stable], expected[stable])


# Threads


def test_results_do_not_depend_on_the_number_of_threads() -> None:
    rng = np.random.default_rng(10)
    mesh = random_mesh(rng, vertex_count=30_011)
    matrices, dual = rigid_palette(rng, 5, 40)
    scales = random_scales(rng, 5, 40)
    results = []
    for count in (1, 2, 3, 7):
        lissom.set_thread_count(count)
        results.append([moved_by(m, mesh, matrices, dual, scales, normals=True) for m in METHODS])
    lissom.set_thread_count(0)
    for other in results[1:]:
        for a, b in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(a.positions, b.positions)
            np.testing.assert_array_equal(a.normals, b.normals)


# Outputs and refusals


def test_out_is_written_and_returned() -> None:
    rng = np.random.default_rng(11)
    mesh = random_mesh(rng)
    matrices, dual = rigid_palette(rng, 40)
    out = np.empty((mesh.vertex_count, 3), np.float32)
    out_normals = np.empty_like(out)
    assert lissom.skin_linear(mesh, matrices, out=out) is out
    np.testing.assert_array_equal(out, lissom.skin_linear(mesh, matrices))
    moved = lissom.skin_dual_quat(mesh, dual, normals=True, out=(out, out_normals))
    assert moved.positions is out
    assert moved.normals is out_normals
    np.testing.assert_array_equal(out, lissom.skin_dual_quat(mesh, dual))


def test_lists_and_integers_are_computed_in_float32() -> None:
    mesh = lissom.Mesh([[1, 2, 3]], [])
    moved = lissom.skin_linear(mesh, np.eye(4, dtype=int)[None].tolist())
    assert moved.dtype == np.float32
    np.testing.assert_array_equal(moved, [[1, 2, 3]])


def good():
    rng = np.random.default_rng(12)
    mesh = random_mesh(rng, vertex_count=20)
    return mesh, *rigid_palette(rng, 40)


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (
            lambda mesh, m, q: lissom.skin_linear(mesh, m[:12]),
            ValueError,
            r"skin_linear: matrices must have at least \d+ rows, .* got 12",
        ),
        (
            lambda mesh, m, q: lissom.skin_dual_quat(mesh, q[:12]),
            ValueError,
            r"skin_dual_quat: dual_quats must have at least \d+ rows, .* got 12",
        ),
        (
            lambda mesh, m, q: lissom.skin_linear(mesh, m[:, :3]),
            ValueError,
            r"skin_linear: matrices must have shape \(\.\.\., S, 4, 4\), got \(40, 3, 4\)",
        ),
        (
            lambda mesh, m, q: lissom.skin_dual_quat(mesh, q, m[:39, :3]),
            ValueError,
            r"skin_dual_quat: scales must have shape .* S is 40 in dual_quats",
        ),
        (
            lambda mesh, m, q: lissom.skin_dual_quat(mesh, q, np.tile(m[:, :3], (2, 1, 1, 1))),
            ValueError,
            "skin_dual_quat: scales must have shape .* leading axes differ",
        ),
        (
            lambda mesh, m, q: lissom.skin_linear(mesh, m, out=np.empty((20, 3))),
            TypeError,
            "skin_linear: out must be float32, got float64",
        ),
        (
            lambda mesh, m, q: lissom.skin_linear(mesh, m, out=np.empty((19, 3), np.float32)),
            ValueError,
            r"skin_linear: out must have shape \(\.\.\., 20, 3\), got \(19, 3\)",
        ),
        (
            lambda mesh, m, q: lissom.skin_linear(mesh, m, out=np.empty((3, 20), np.float32).T),
            TypeError,
            "skin_linear: out must be C-contiguous",
        ),
        (
            lambda mesh, m, q: lissom.skin_linear(mesh, m, normals=True, out=np.empty((20, 3), np.float32)),
            TypeError,
            r"skin_linear: out must be a tuple \(positions, normals\) with normals=True, got ndarray",
        ),
        (
            lambda mesh, m, q: lissom.skin_linear(mesh, m, out=(np.empty((20, 3), np.float32),) * 2),
            TypeError,
            "skin_linear: out must be one array unless normals=True, got a tuple of 2",
        ),
        (
            lambda mesh, m, q: lissom.skin_linear(mesh, m, normals=True, out=(np.empty((20, 3), "f4"),) * 2),
            ValueError,
            r"skin_linear: out\.normals shares memory with out\.positions",
        ),
        (
            lambda mesh, m, q: lissom.skin_linear(mesh.positions, m),
            TypeError,
            "skin_linear: mesh must be a lissom.Mesh or a lissom.PreparedMesh, got ndarray",
        ),
        (
            lambda mesh, m, q: lissom.skin_linear(mesh, m.astype(complex)),
            TypeError,
            "skin_linear: matrices must be an array of real numbers, got complex128",
        ),
    ],
)
def test_wrong_calls_say_what_is_wrong(call, error, sentence) -> None:
    with pytest.raises(error, match=sentence):
        call(*good())


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values_that_are_not_finite_are_refused_by_their_row(bad, dtype) -> None:
    mesh, matrices, dual = good()
    matrices, dual = (np.tile(a, (2,) + (1,) * a.ndim).astype(dtype) for a in (matrices, dual))
    scales = matrices[..., :3, :].copy()
    out = np.full((2, 20, 3), 7, dtype)
    for name, array, call in (
        ("matrices", matrices, lambda: lissom.skin_linear(mesh, matrices, out=out)),
        ("dual_quats", dual, lambda: lissom.skin_dual_quat(mesh, dual, out=out)),
        ("scales", scales, lambda: lissom.skin_dual_quat(mesh, dual, scales, out=out)),
    ):
        array[1, 33].flat[5] = bad
        with pytest.raises(
            ValueError, match=rf"{name} must be finite, got -?(nan|inf) in palette row 33 of palette 1"
        ):
            call()
        array[1, 33].flat[5] = 0
    np.testing.assert_array_equal(out, 7)  # nothing was written


def test_a_zero_rotation_is_refused() -> None:
    mesh, _, dual = good()
    dual[3, :4] = 0
    with pytest.raises(
        ValueError, match="dual_quats must have rotations that are not zero, got zero in palette row 3"
    ):
        lissom.skin_dual_quat(mesh, dual)
