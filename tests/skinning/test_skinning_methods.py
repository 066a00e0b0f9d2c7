# SPDX-License-Identifier: MIT
"""Rotation and translation, centres of rotation and mixed skinning, tangents and cofactor normals."""

from types import SimpleNamespace

import numpy as np
import pytest

import lissom
from reference import skinning as twin
from reference import skinning_methods as twins
from test_skinning import (
    arrays,
    assert_close,
    assert_moved,
    random_mesh,
    random_scales,
    random_units,
    rigid_palette,
)

ROWS = 40


def rig(seed, *, influence_count=4, index_type=np.uint16, dtype=np.float32, scaled=True):
    """A mesh with tangents, and a palette in all forms that says the same in each."""
    rng = np.random.default_rng(seed)
    bare = random_mesh(rng, influence_count=influence_count, index_type=index_type)
    tangents = np.concatenate(
        [random_units(rng, bare.vertex_count, 3), rng.choice([-1.0, 1.0], (bare.vertex_count, 1))], axis=1
    )
    mesh = lissom.Mesh(
        bare.positions, bare.triangles, bare.indices, bare.weights, normals=bare.normals, tangents=tangents
    )
    rigid, dual_quats = rigid_palette(rng, ROWS, dtype=np.float64)
    scales = random_scales(rng, ROWS, dtype=np.float64) if scaled else None
    matrices = rigid.copy()
    if scales is not None:
        matrices[:, :3] = rigid[:, :3, :3] @ scales
        matrices[:, :3, 3] += rigid[:, :3, 3]
    quat_trans = np.concatenate([dual_quats[:, :4], rigid[:, :3, 3], np.zeros((ROWS, 1))], axis=1)
    palette = SimpleNamespace(
        matrices=matrices.astype(dtype),
        dual_quats=dual_quats.astype(dtype),
        quat_trans=quat_trans.astype(dtype),
        scales=None if scales is None else scales.astype(dtype),
    )
    centers = (mesh.positions + rng.normal(0, 0.1, mesh.positions.shape)).astype(np.float32)
    return mesh, palette, centers, rng.random(mesh.vertex_count).astype(np.float32)


CASES = pytest.mark.parametrize(
    ("influence_count", "index_type", "dtype", "scaled"),
    [
        (count, index_type, dtype, scaled)
        for count in (1, 2, 4, 5)
        for index_type in (np.uint16, np.uint32)
        for dtype in (np.float32, np.float64)
        for scaled in (False, True)
    ],
)


@CASES
def test_centers_equal_their_twin(influence_count, index_type, dtype, scaled) -> None:
    kinds = {"influence_count": influence_count, "index_type": index_type, "dtype": dtype, "scaled": scaled}
    mesh, palette, centers, _ = rig(influence_count, **kinds)
    moved = lissom.skin_cor(mesh, palette.dual_quats, palette.scales, centers=centers, normals=True)
    assert moved.positions.dtype == dtype
    expected = twins.cor(*arrays(mesh), palette.dual_quats, palette.scales, centers=centers)
    stable = ~twin.unstable(mesh.indices, mesh.weights, palette.dual_quats)
    assert_moved(moved, expected, stable, double=dtype is np.float64)


@CASES
def test_mixed_skinning_equals_its_twin(influence_count, index_type, dtype, scaled) -> None:
    kinds = {"influence_count": influence_count, "index_type": index_type, "dtype": dtype, "scaled": scaled}
    mesh, palette, _, blend = rig(influence_count, **kinds)
    forms = palette.matrices, palette.dual_quats, palette.scales
    moved = lissom.skin_blended(mesh, *forms, blend=blend, normals=True)
    assert moved.positions.dtype == dtype
    expected = twins.blended(*arrays(mesh), *forms, blend=blend)
    # Where the two normals nearly cancel, their mean has no direction that rounding would leave alone.
    straight = twin.linear(*arrays(mesh), palette.matrices)[1]
    turned = twin.dual_quat(*arrays(mesh), palette.dual_quats, palette.scales)[1]
    length = np.linalg.norm((1 - blend[:, None]) * straight + blend[:, None] * turned, axis=1)
    stable = ~twin.unstable(mesh.indices, mesh.weights, palette.dual_quats) & (length > 0.2)
    assert stable.mean() > 0.5
    assert_moved(moved, expected, stable, double=dtype is np.float64)


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rotation_and_translation_skin_as_their_matrices(dtype, scaled) -> None:
    mesh, palette, _, _ = rig(3, dtype=dtype, scaled=scaled)
    moved = lissom.skin_quat_trans(mesh, palette.quat_trans, palette.scales, normals=True)
    assert_moved(moved, twin.linear(*arrays(mesh), palette.matrices), double=dtype is np.float64)
    # A quaternion of any length is the same rotation.
    longer = palette.quat_trans * np.array([2, 2, 2, 2, 1, 1, 1, 1], dtype)
    assert_close(lissom.skin_quat_trans(mesh, longer, palette.scales), moved.positions)


def test_the_ends_of_blend_are_the_two_methods() -> None:
    mesh, palette, _, _ = rig(4)
    forms = palette.matrices, palette.dual_quats, palette.scales
    zeros, ones = np.zeros(mesh.vertex_count), np.ones(mesh.vertex_count)
    assert_close(lissom.skin_blended(mesh, *forms, blend=zeros), lissom.skin_linear(mesh, palette.matrices))
    assert_close(
        lissom.skin_blended(mesh, *forms, blend=ones),
        lissom.skin_dual_quat(mesh, palette.dual_quats, palette.scales),
    )


@pytest.mark.parametrize("method", ["dual_quat", "cor"])
def test_the_sign_of_a_row_changes_nothing(method) -> None:
    mesh, palette, centers, _ = rig(5)
    options = {"centers": centers} if method == "cor" else {}
    skin = {"dual_quat": lissom.skin_dual_quat, "cor": lissom.skin_cor}[method]
    flipped = palette.dual_quats * np.where(np.arange(ROWS) % 3 == 0, -1, 1)[:, None].astype(np.float32)
    np.testing.assert_array_equal(
        skin(mesh, palette.dual_quats, palette.scales, **options),
        skin(mesh, flipped, palette.scales, **options),
    )


def test_a_center_on_one_row_does_not_matter() -> None:
    """A vertex of one influence goes rigidly, wherever its centre is."""
    mesh, palette, centers, _ = rig(6, influence_count=1, scaled=False)
    moved = lissom.skin_cor(mesh, palette.dual_quats, centers=centers)
    assert_close(moved, lissom.skin_dual_quat(mesh, palette.dual_quats))


@pytest.mark.parametrize("method", ["linear", "quat_trans", "dual_quat", "cor", "blended"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_tangents_lie_in_the_surface(method, dtype) -> None:
    mesh, palette, centers, blend = rig(7, dtype=dtype)
    skin, forms, options = {
        "linear": (lissom.skin_linear, (palette.matrices,), {}),
        "quat_trans": (lissom.skin_quat_trans, (palette.quat_trans, palette.scales), {}),
        "dual_quat": (lissom.skin_dual_quat, (palette.dual_quats, palette.scales), {}),
        "cor": (lissom.skin_cor, (palette.dual_quats, palette.scales), {"centers": centers}),
        "blended": (
            lissom.skin_blended,
            (palette.matrices, palette.dual_quats, palette.scales),
            {"blend": blend},
        ),
    }[method]
    moved = skin(mesh, *forms, tangents=True, **options)
    assert isinstance(moved, lissom.DeformedFrames)
    tangents = moved.tangents
    np.testing.assert_allclose(np.linalg.norm(tangents[:, :3], axis=1), 1, atol=1e-5)
    np.testing.assert_allclose((tangents[:, :3] * moved.normals).sum(1), 0, atol=1e-5)
    np.testing.assert_array_equal(tangents[:, 3], mesh.tangents[:, 3])
    # The other outputs are those of a call without tangents.
    np.testing.assert_array_equal(moved.normals, skin(mesh, *forms, normals=True, **options).normals)
    if method == "linear":
        blends = np.einsum("vk,vkij->vij", mesh.weights, palette.matrices[mesh.indices])[:, :3, :3]
        along = np.einsum("vij,vj->vi", blends.astype(np.float64), mesh.tangents[:, :3])
        along -= (along * moved.normals).sum(1, keepdims=True) * moved.normals
        clear = np.linalg.norm(along, axis=1) > 0.1
        along /= np.linalg.norm(along, axis=1, keepdims=True)
        np.testing.assert_allclose(tangents[clear, :3], along[clear], atol=1e-4)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_cofactor_normals_stay_upright(dtype) -> None:
    """On a plane that one matrix shears and mirrors, the cofactor's normal is that of the moved triangles."""
    rng = np.random.default_rng(8)
    corners = rng.normal(size=(20, 3, 3))
    faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = np.repeat(faces / np.linalg.norm(faces, axis=1, keepdims=True), 3, axis=0)
    mesh = lissom.Mesh(corners.reshape(-1, 3), np.arange(60).reshape(-1, 3), normals=normals)
    for mirror in (1, -1):
        matrix = np.eye(4)
        matrix[:3, :3] = rng.normal(size=(3, 3))
        matrix[:3, :3] *= mirror * np.sign(np.linalg.det(matrix[:3, :3]))
        moved = lissom.skin_linear(mesh, matrix[None].astype(dtype), normals="cofactor")
        at = moved.positions.reshape(-1, 3, 3).astype(np.float64)
        expected = np.cross(at[:, 1] - at[:, 0], at[:, 2] - at[:, 0])
        expected /= np.linalg.norm(expected, axis=1, keepdims=True)
        np.testing.assert_allclose(moved.normals[::3], expected, atol=2e-4)
    turned = lissom.skin_linear(mesh, matrix[None].astype(dtype), normals="rotate")
    assert np.abs(turned.normals - moved.normals).max() > 0.1


@pytest.mark.parametrize("method", ["linear", "dual_quat", "quat_trans"])
def test_normals_from_faces_are_those_of_the_moved_triangles(method) -> None:
    mesh, palette, _, _ = rig(12)
    moved = lissom.deform(mesh, palette, method, normals="faces")
    np.testing.assert_array_equal(moved.normals, mesh.normals_of(moved.positions))
    np.testing.assert_array_equal(moved.positions, lissom.deform(mesh, palette, method))
    out = np.empty_like(moved.positions), np.empty_like(moved.positions)
    assert lissom.deform(mesh, palette, method, normals="faces", out=out).normals is out[1]
    np.testing.assert_array_equal(out[1], moved.normals)
    with pytest.raises(ValueError, match="tangents go with moved normals, not with normals='faces'"):
        lissom.deform(mesh, palette, method, normals="faces", tangents=True)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scale", [1e-12, 1e-6, 1e6, 1e12])
def test_normals_stay_unit_at_any_scale(scale, dtype) -> None:
    """Also where squares of the cofactor, which is quadratic in the scale, leave float32's range."""
    mesh, palette, _, _ = rig(9, dtype=dtype, scaled=False)
    scales = (scale * np.tile(np.eye(3, 4), (ROWS, 1, 1))).astype(dtype)
    plain = lissom.skin_dual_quat(mesh, palette.dual_quats, normals=True)
    moved = lissom.skin_dual_quat(mesh, palette.dual_quats, scales, normals=True)
    np.testing.assert_allclose(moved.normals, plain.normals, atol=2e-6)
    matrices = palette.matrices.copy()
    matrices[:, :3, :3] *= dtype(scale)
    upright = lissom.skin_linear(mesh, matrices, normals="cofactor").normals
    expected = lissom.skin_linear(mesh, palette.matrices, normals="cofactor").normals
    np.testing.assert_allclose(upright, expected, atol=2e-3)


def test_a_row_named_twice_counts_as_one() -> None:
    """A pivot is the row with the largest weight, however many influences share it."""
    positions = np.random.default_rng(21).normal(size=(40, 3))
    once = lissom.Mesh(positions, [], np.tile([5, 2, 1], (40, 1)), np.tile([0.44, 0.3, 0.26], (40, 1)))
    twice = lissom.Mesh(
        positions, [], np.tile([5, 5, 2, 1], (40, 1)), np.tile([0.22, 0.22, 0.3, 0.26], (40, 1))
    )
    centers = positions.astype(np.float32)
    for seed in range(8):  # signs of which one pivot or the other decides
        _, dual_quats = rigid_palette(np.random.default_rng(seed), 6)
        for dtype in (np.float32, np.float64):
            rows = dual_quats.astype(dtype)
            np.testing.assert_allclose(
                lissom.skin_dual_quat(twice, rows), lissom.skin_dual_quat(once, rows), atol=2e-6
            )
            np.testing.assert_allclose(
                lissom.skin_cor(twice, rows, centers=centers),
                lissom.skin_cor(once, rows, centers=centers),
                atol=2e-6,
            )
            np.testing.assert_allclose(
                lissom.skin_dual_quat(twice.prepare(original_order=True), rows),
                lissom.skin_dual_quat(once, rows),
                atol=2e-6,
            )


def test_a_normal_that_the_cofactor_loses_is_turned() -> None:
    mesh = lissom.Mesh([[0, 0, 0]], [], normals=[[1, 0, 0]])
    flat = np.diag([1.0, 0, 0, 1])[None]
    np.testing.assert_allclose(lissom.skin_linear(mesh, flat, normals="cofactor").normals, [[1, 0, 0]])


class TestRefusals:
    def test_blend_out_of_range(self) -> None:
        mesh, palette, _, blend = rig(9)
        forms = palette.matrices, palette.dual_quats, palette.scales
        blend[5] = 1.5
        with pytest.raises(
            ValueError, match=r"skin_blended: blend must lie in \[0, 1\], got 1.5.* in vertex 5"
        ):
            lissom.skin_blended(mesh, *forms, blend=blend)
        with pytest.raises(ValueError, match=r"skin_blended: blend"):
            lissom.skin_blended(mesh, *forms, blend=blend[:-1])
        blend[5] = np.nan
        with pytest.raises(ValueError, match=r"blend must lie in \[0, 1\], got nan"):
            lissom.skin_blended(mesh, *forms, blend=blend)

    def test_blend_missing_or_not_wanted(self) -> None:
        mesh, palette, _, blend = rig(9)
        with pytest.raises(
            ValueError, match="deform: blend must be given for method 'blended', one number per vertex"
        ):
            lissom.deform(mesh, palette, "blended")
        with pytest.raises(
            ValueError,
            match="deform: blend must be omitted for methods other than 'blended', got method 'linear'",
        ):
            lissom.deform(mesh, palette, blend=blend)

    def test_centers(self) -> None:
        mesh, palette, centers, _ = rig(9)
        centers[7, 1] = np.inf
        with pytest.raises(ValueError, match="skin_cor: centers must be finite, got inf in vertex 7"):
            lissom.skin_cor(mesh, palette.dual_quats, centers=centers)
        with pytest.raises(ValueError, match="skin_cor: centers"):
            lissom.skin_cor(mesh, palette.dual_quats, centers=centers[1:])

    def test_zero_quaternions(self) -> None:
        mesh, palette, _, _ = rig(9)
        palette.quat_trans[3, :4] = 0
        with pytest.raises(
            ValueError, match="skin_quat_trans: quat_trans must have rotations that are not zero, got zero"
        ):
            lissom.skin_quat_trans(mesh, palette.quat_trans)

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_quaternions_too_short_to_point_anywhere(self, dtype) -> None:
        """Below a millionth only rounding is left of a rotation; above it another length changes nothing."""
        mesh, palette, _, _ = rig(9)
        rows = palette.quat_trans.astype(dtype)
        whole = lissom.skin_quat_trans(mesh, rows)
        rows[3, :4] *= 1e-5
        np.testing.assert_allclose(lissom.skin_quat_trans(mesh, rows), whole, atol=1e-5)
        rows[3, :4] *= 1e-2
        with pytest.raises(ValueError, match="rotations that are not zero, got zero in palette row 3"):
            lissom.skin_quat_trans(mesh, rows)

    def test_tangents_that_the_mesh_has_not(self) -> None:
        mesh = random_mesh(np.random.default_rng(1))
        with pytest.raises(ValueError, match="skin_linear: tangents need a mesh that has some, got Mesh"):
            lissom.skin_linear(mesh, np.eye(4)[None].repeat(ROWS, 0), tangents=True)

    def test_normals_by_another_name(self) -> None:
        mesh = random_mesh(np.random.default_rng(1))
        with pytest.raises(
            ValueError, match="skin_linear: normals must be a bool, 'rotate', 'cofactor' or 'faces', got"
        ):
            lissom.skin_linear(mesh, np.eye(4)[None].repeat(ROWS, 0), normals="smooth")

    def test_out_of_the_wrong_number(self) -> None:
        mesh, palette, _, _ = rig(9)
        out = np.empty((mesh.vertex_count, 3), np.float32)
        with pytest.raises(
            TypeError, match=r"out must be a tuple \(positions, normals, tangents\) with tangents"
        ):
            lissom.skin_linear(mesh, palette.matrices, tangents=True, out=(out, out))


@pytest.mark.parametrize("index_type", [np.uint8, np.uint16, np.uint32])
@pytest.mark.parametrize("weight_type", [np.uint8, np.uint16, np.float32])
@pytest.mark.parametrize("vertex_count", [5, 1003])
@pytest.mark.parametrize("influence_count", [3, 4, 9])
def test_compact_influences_skin_as_plain_ones(
    index_type, weight_type, vertex_count, influence_count
) -> None:
    rng = np.random.default_rng(10)
    one = 1 if weight_type is np.float32 else np.iinfo(weight_type).max
    weights = rng.random((vertex_count, influence_count)) ** 3
    weights = np.floor(one * weights / weights.sum(axis=1, keepdims=True)) if one > 1 else weights
    weights[:, 0] += one - weights.sum(axis=1) if one > 1 else 0
    weights = weights if one > 1 else weights / weights.sum(axis=1, keepdims=True)
    # 100 000 rows where the wide kernel is asked for: that needs an index beyond 65 535.
    row_count = 70_000 if index_type is np.uint32 else 40
    indices = rng.integers(row_count - 40, row_count, (vertex_count, influence_count))
    positions = rng.uniform(-0.5, 0.5, (vertex_count, 3))
    compact = lissom.Mesh(positions, [], indices.astype(index_type), weights.astype(weight_type))
    plain = lissom.Mesh(positions, [], indices, compact.weights.astype(np.float64))
    np.testing.assert_array_equal(compact.indices, indices)
    np.testing.assert_allclose(compact.weights.sum(axis=1), 1, atol=1e-6)
    matrices, dual_quats = rigid_palette(rng, 40)
    head = [(row_count - 40, 0)]
    matrices = np.pad(matrices, [*head, (0, 0), (0, 0)])
    identity = np.tile(np.float32([0, 0, 0, 1, 0, 0, 0, 0]), (row_count - 40, 1))
    dual_quats = np.concatenate([identity, dual_quats])
    for dtype in (np.float32, np.float64):
        assert_close(lissom.skin_linear(compact, matrices.astype(dtype)), lissom.skin_linear(plain, matrices))
        moved = lissom.skin_dual_quat(compact, dual_quats.astype(dtype))
        stable = ~twin.unstable(plain.indices, plain.weights, dual_quats)
        assert_close(moved[stable], lissom.skin_dual_quat(plain, dual_quats)[stable])


@pytest.mark.parametrize("weight_type", [np.uint8, np.uint16])
def test_whole_weights_must_sum_to_one(weight_type) -> None:
    one = np.iinfo(weight_type).max
    weights = np.array([[one, 0], [one - 1, 0]], weight_type)
    with pytest.raises(
        ValueError, match=rf"Mesh: weights must sum to {one} in each row.*got {one - 1} in vertex 1"
    ):
        lissom.Mesh(np.zeros((2, 3)), [], np.zeros((2, 2), np.uint8), weights)


@pytest.mark.parametrize("method", ["dual_quat", "cor", "blended"])
@pytest.mark.parametrize("vertex_count", [16 * 40, 1003])
def test_blocks_without_scale_are_moved_as_by_a_rigid_palette(method, vertex_count) -> None:
    """One row scales: vertices far from it get the bits of a palette without scale, the others the twin's."""
    rng = np.random.default_rng(11)
    first = np.sort(rng.integers(0, ROWS - 4, vertex_count))
    weights = rng.random((vertex_count, 4)) + 0.1
    weights /= weights.sum(axis=1, keepdims=True)
    mesh = lissom.Mesh(
        rng.uniform(-0.5, 0.5, (vertex_count, 3)),
        [],
        first[:, None] + np.arange(4),
        weights,
        normals=random_units(rng, vertex_count, 3),
    )
    matrices, dual_quats = rigid_palette(rng, ROWS)
    scales = np.tile(np.eye(3, 4, dtype=np.float32), (ROWS, 1, 1))
    scales[10] = random_scales(rng, 1)[0]
    centers = rng.uniform(-0.5, 0.5, (vertex_count, 3)).astype(np.float32)
    blend = np.full(vertex_count, 0.7, np.float32)
    skin, forms, aids = {
        "dual_quat": (lissom.skin_dual_quat, (dual_quats,), {}),
        "cor": (lissom.skin_cor, (dual_quats,), {"centers": centers}),
        "blended": (lissom.skin_blended, (matrices, dual_quats), {"blend": blend}),
    }[method]
    moved = skin(mesh, *forms, scales, normals=True, **aids)
    rigid = skin(mesh, *forms, normals=True, **aids)
    expected = getattr(twins, method, twin.dual_quat)(*arrays(mesh), *forms, scales, **aids)
    stable = ~twin.unstable(mesh.indices, mesh.weights, dual_quats)
    assert_close(moved.positions[stable], expected[0][stable])
    touched = ((mesh.indices == 10) & (mesh.weights > 0)).any(axis=1)
    far = ~np.repeat(np.add.reduceat(touched, np.arange(0, vertex_count, 16)) > 0, 16)[:vertex_count]
    assert far[-1]  # the incomplete block too
    assert 0.3 < far.mean() < 1
    np.testing.assert_array_equal(moved.positions[far], rigid.positions[far])
    np.testing.assert_array_equal(moved.normals[far], rigid.normals[far])
