# SPDX-License-Identifier: MIT
"""Prepared meshes: the same results as the mesh itself, in another order."""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest

import lissom
from direction_bounds import direction_bounds
from lissom._rig.part import Part
from reference import influence_blocks
from reference import skinning as twin
from test_skinning import random_scales, random_units, rigid_palette

# Largest difference to the mesh itself, as a share of the size: both float32, added up in another order. That
# of directions depends on the vertex: direction_bounds.
TOLERANCE = 1e-6
NORMAL_TOLERANCE = 1e-5  # of sums at least a tenth as long as their terms
METHODS = ("linear", "dual_quat", "quat_trans", "cor", "blended")


def rig(
    seed,
    vertex_count=300,
    *,
    influence_count=4,
    row_count=12,
    index_type=np.uint16,
    dtype=np.float32,
    scales="",
):
    """A mesh with everything, and a palette in all forms; `scales` is "", "all" or "one"."""
    rng = np.random.default_rng(seed)
    weights = rng.random((vertex_count, influence_count)) ** 2 + 1e-3
    weights[:, 1:][rng.random((vertex_count, influence_count - 1)) < 0.3] = 0
    mesh = lissom.Mesh(
        rng.uniform(-0.5, 0.5, (vertex_count, 3)),
        rng.integers(0, vertex_count, (2 * vertex_count, 3)) if vertex_count else np.zeros((0, 3), int),
        # Rows near each other: few sets, many of them rare, some rows twice in a vertex.
        (
            rng.integers(0, row_count - 2, (vertex_count, 1))
            + rng.integers(0, 3, (vertex_count, influence_count))
        ).astype(index_type),
        weights / weights.sum(1, keepdims=True),
        normals=random_units(rng, vertex_count, 3),
        tangents=np.concatenate(
            [random_units(rng, vertex_count, 3), rng.choice([-1.0, 1.0], (vertex_count, 1))], axis=1
        ),
        uvs=rng.random((vertex_count, 2)),
        colors=rng.random((vertex_count, 4)),
    )
    return mesh, palette_of(rng, row_count, dtype=dtype, scales=scales)


def palette_of(rng, *shape, dtype=np.float32, scales=""):
    rigid, dual_quats = rigid_palette(rng, *shape, dtype=np.float64)
    scale = np.zeros((*shape, 3, 4))
    scale[..., :3] = np.eye(3)
    if scales == "all":
        scale = random_scales(rng, *shape, dtype=np.float64)
    elif scales == "one":
        scale[..., 3, :, :] = random_scales(rng, 1, dtype=np.float64)[0]
        scale += rng.uniform(-1, 1, scale.shape) * 6e-8  # as rounding leaves rows that do not scale
    matrices = rigid.copy()
    matrices[..., :3, :3] = rigid[..., :3, :3] @ scale[..., :3]
    matrices[..., :3, 3] += np.einsum("...ij,...j->...i", rigid[..., :3, :3], scale[..., 3])
    quat_trans = np.concatenate([dual_quats[..., :4], rigid[..., :3, 3], np.zeros((*shape, 1))], axis=-1)
    return SimpleNamespace(
        matrices=matrices.astype(dtype),
        dual_quats=dual_quats.astype(dtype),
        quat_trans=quat_trans.astype(dtype),
        scales=scale.astype(dtype) if scales else None,
    )


def skin(mesh, palette, method, order=None, **options):
    """Skin by a method; numbers of vertices are made in the mesh's order and brought into `order`."""
    take = (lambda values: values) if order is None else (lambda values: values[order])
    count = mesh.vertex_count
    if method == "linear":
        return lissom.skin_linear(mesh, palette.matrices, **options)
    if method == "quat_trans":
        return lissom.skin_quat_trans(mesh, palette.quat_trans, palette.scales, **options)
    if method == "dual_quat":
        return lissom.skin_dual_quat(mesh, palette.dual_quats, palette.scales, **options)
    if method == "cor":
        centers = take(np.random.default_rng(9).uniform(-0.5, 0.5, (count, 3)).astype(np.float32))
        return lissom.skin_cor(mesh, palette.dual_quats, palette.scales, centers=centers, **options)
    blend = take(blend_of(count))
    return lissom.skin_blended(
        mesh, palette.matrices, palette.dual_quats, palette.scales, blend=blend, **options
    )


def blend_of(vertex_count):
    return np.random.default_rng(9).random(vertex_count).astype(np.float32)


def assert_same(mesh, palette, method, *, clear, **options):
    """Prepared in either order moves as the mesh itself; where signs are `clear`."""
    options = {"tangents": True} | options
    expected = skin(mesh, palette, method, **options)
    size = float(np.ptp(mesh.positions, axis=0).max()) + 1 if mesh.vertex_count else 1
    limits = [np.full((mesh.vertex_count, 1), TOLERANCE * size)]
    if not isinstance(expected, np.ndarray):
        upright = options.get("normals") == "cofactor"
        blend = blend_of(mesh.vertex_count)
        limits += direction_bounds(mesh, palette, method, blend, upright=upright)
    for original in (False, True):
        prepared = mesh.prepare(original_order=original)
        order = np.arange(mesh.vertex_count) if original else prepared.order
        moved = skin(prepared, palette, method, None if original else order, **options)
        assert type(moved) is type(expected)
        pairs = [(moved, expected)] if isinstance(moved, np.ndarray) else zip(moved, expected, strict=True)
        for (got, wanted), limit in zip(pairs, limits, strict=False):
            assert got.dtype == wanted.dtype
            excess = np.abs(got - wanted[order]) - limit[order]
            assert excess[clear[order]].max(initial=0) <= 0


def clear_of(mesh, palette):
    """Vertices whose signs do not hang on rounding."""
    return ~twin.unstable(mesh.indices, mesh.weights, palette.dual_quats)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("influence_count", [1, 2, 3, 4, 5, 6, 8, 10])
@pytest.mark.parametrize("scales", ["", "all", "one"])
def test_a_prepared_mesh_moves_as_the_mesh(method, influence_count, scales) -> None:
    mesh, _ = rig(influence_count, influence_count=influence_count)
    rng = np.random.default_rng(3)
    palette = palette_of(rng, 12, scales=scales)
    clear = clear_of(mesh, palette)
    assert clear.mean() > 0.9
    assert_same(mesh, palette, method, clear=clear)
    assert_same(mesh, palette, method, clear=clear, normals="cofactor", tangents=False)


@pytest.mark.parametrize("vertex_count", [0, 1, 15, 16, 17, 5000])
@pytest.mark.parametrize("method", METHODS)
def test_any_number_of_vertices(vertex_count, method) -> None:
    mesh, palette = rig(1, vertex_count, scales="one")
    assert_same(mesh, palette, method, clear=clear_of(mesh, palette), tangents=False, normals=True)


@pytest.mark.parametrize("index_type", [np.uint16, np.uint32])
@pytest.mark.parametrize("row_count", [3, 300])
def test_few_and_many_sets(index_type, row_count) -> None:
    rng = np.random.default_rng(row_count)
    mesh, _ = rig(2, 700, row_count=row_count)
    indices = rng.integers(0, row_count, (700, 4)).astype(index_type)
    indices += np.array(70_000 if index_type is np.uint32 else 0, index_type)
    mesh = lissom.Mesh(mesh.positions, mesh.triangles, indices, mesh.weights, normals=mesh.normals)
    palette = palette_of(rng, mesh.row_count)
    clear = clear_of(mesh, palette)
    assert clear.mean() > 0.9
    for method in ("linear", "dual_quat"):
        assert_same(mesh, palette, method, clear=clear, tangents=False)


@pytest.mark.parametrize("weight_type", [np.uint8, np.uint16, np.float32])
@pytest.mark.parametrize("index_type", [np.uint8, np.uint16, np.uint32])
@pytest.mark.parametrize("influence_count", [1, 2, 3, 4, 6, 8])
@pytest.mark.parametrize("vertex_count", [7, 100])
def test_compact_influences(vertex_count, influence_count, index_type, weight_type) -> None:
    """Fewer vertices than a block and more, slots without weight, rows twice in a vertex."""
    bare, palette = rig(influence_count, vertex_count, influence_count=influence_count, scales="one")
    weights = bare.weights
    if weight_type != np.float32:
        whole = np.iinfo(weight_type).max
        weights = np.floor(weights.astype(np.float64) * whole).astype(weight_type)
        heaviest = weights.argmax(axis=1)
        weights[np.arange(vertex_count), heaviest] += (whole - weights.sum(axis=1, dtype=np.int64)).astype(
            weight_type
        )
    mesh = lissom.Mesh(bare.positions, [], bare.indices.astype(index_type), weights, normals=bare.normals)
    if influence_count > 2:
        assert (weights == 0).any()
    clear = clear_of(mesh, palette)
    assert clear.mean() > 0.5
    for method in METHODS:
        assert_same(mesh, palette, method, clear=clear, tangents=False)
    moved = lissom.skin_linear(mesh.prepare(True), palette.matrices)
    shares = weights / (1.0 if weight_type == np.float32 else np.iinfo(weight_type).max)
    blends = np.einsum("vk,vkij->vij", shares, palette.matrices.astype(np.float64)[bare.indices][:, :, :3])
    expected = np.einsum("vij,vj->vi", blends[:, :, :3], bare.positions) + blends[:, :, 3]
    np.testing.assert_allclose(moved, expected, atol=2 * TOLERANCE)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scales", ["", "all"])
def test_float64_is_that_of_the_mesh(method, scales) -> None:
    mesh, palette = rig(3, dtype=np.float64, scales=scales)
    expected = skin(mesh, palette, method, tangents=True)
    prepared = mesh.prepare()
    for got, wanted in zip(
        skin(prepared, palette, method, prepared.order, tangents=True), expected, strict=True
    ):
        np.testing.assert_array_equal(got, wanted[prepared.order])
    for got, wanted in zip(skin(mesh.prepare(True), palette, method, tangents=True), expected, strict=True):
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("method", METHODS)
def test_batches_threads_and_out(method) -> None:
    """Batches are their palettes one by one, whatever the number of threads, to the last bit."""
    mesh, _ = rig(4, 30_001)
    palette = palette_of(np.random.default_rng(4), 3, 12, scales="one")
    before = lissom.thread_count()
    try:
        for original in (False, True):
            prepared = mesh.prepare(original)
            lissom.set_thread_count(1)
            singles = [skin(prepared, item(palette, i), method, tangents=True) for i in range(3)]
            for threads in (1, 2, 3, 7):
                lissom.set_thread_count(threads)
                out = tuple(np.full((3, mesh.vertex_count, width), np.nan, np.float32) for width in (3, 3, 4))
                moved = skin(prepared, palette, method, tangents=True, out=out)
                for i in range(3):
                    for got, wanted, given in zip(moved, singles[i], out, strict=True):
                        assert got is given
                        np.testing.assert_array_equal(got[i], wanted)
    finally:
        lissom.set_thread_count(before)


def item(palette, i):
    return SimpleNamespace(
        **{name: None if rows is None else rows[i] for name, rows in vars(palette).items()}
    )


@pytest.mark.parametrize("method", ["dual_quat", "cor", "blended"])
def test_the_sign_of_a_row_changes_nothing(method) -> None:
    mesh, palette = rig(5, scales="one")
    prepared = mesh.prepare()
    moved = skin(prepared, palette, method)
    palette.dual_quats *= np.where(np.arange(12) % 3 == 0, -1, 1)[:, None].astype(np.float32)
    np.testing.assert_array_equal(skin(prepared, palette, method), moved)


def test_ties_go_to_the_lowest_row() -> None:
    """Half and half between opposite turns: the pivot decides where the vertex goes."""
    turn = 1.8  # radians to either side: more than half a turn apart
    rows = np.zeros((2, 8), np.float32)
    for row, angle in zip(rows, (turn, -turn), strict=True):
        row[2], row[3] = np.sin(angle / 2), np.cos(angle / 2)
    for indices in ([0, 1], [1, 0]):
        mesh = lissom.Mesh([[1, 0, 0]] * 20, [], [indices] * 20, [[0.5, 0.5]] * 20)
        np.testing.assert_allclose(
            lissom.skin_dual_quat(mesh.prepare(), rows), lissom.skin_dual_quat(mesh, rows), atol=1e-6
        )


@pytest.mark.parametrize("influence_count", [1, 2, 4, 5, 8, 12])
@pytest.mark.parametrize(("vertex_count", "row_count"), [(3000, 6), (2000, 12), (4000, 70), (900, 3000)])
def test_the_order_is_that_of_the_rule(vertex_count, row_count, influence_count) -> None:
    """Full blocks, groups of 1 to 15 that join others, more open blocks than can be, keys of all widths."""
    rng = np.random.default_rng(influence_count)
    spread = rng.choice([1, 3, row_count], (vertex_count, 1))
    first = rng.integers(0, row_count, (vertex_count, 1))
    indices = ((first + rng.integers(0, spread, (vertex_count, influence_count))) % row_count).astype(
        np.uint16
    )
    weights = np.round(rng.random((vertex_count, influence_count)) * 8) / 8
    weights[:, 0] += 0.0625
    if row_count == 70:  # one pivot
        indices[:, 0], weights[:, 0] = 0, influence_count
    weights = (weights / weights.sum(1, keepdims=True)).astype(np.float32)
    mesh = lissom.Mesh(np.zeros((vertex_count, 3)), [], indices, weights)
    prepared = mesh.prepare()
    order, block_count, block_rows = influence_blocks.order_of(indices, mesh.weights)
    np.testing.assert_array_equal(prepared.order, order)
    assert prepared.block_count == block_count
    assert prepared.rows_per_block * block_count == pytest.approx(block_rows)


def test_the_order_is_a_permutation_and_triangles_follow() -> None:
    mesh, _ = rig(6, 333)
    prepared = mesh.prepare()
    np.testing.assert_array_equal(np.sort(prepared.order), np.arange(333))
    np.testing.assert_array_equal(prepared.order[prepared.triangles], mesh.triangles)
    assert prepared.triangles.dtype == mesh.triangles.dtype
    for name in ("positions", "indices", "weights", "normals", "tangents", "uvs", "colors"):
        np.testing.assert_array_equal(getattr(prepared.mesh, name), getattr(mesh, name)[prepared.order])
    assert prepared.mesh is prepared.mesh
    assert (prepared.vertex_count, prepared.row_count) == (333, mesh.row_count)


def test_vertices_stay_in_their_part() -> None:
    bare, _ = rig(7, 500)
    parts = [
        Part("a", slice(0, 100), slice(0, 300)),
        Part("b", slice(100, 450), slice(300, 900)),
        Part("c", slice(450, 500), slice(900, 1000)),
    ]
    mesh = lissom.Mesh(bare.positions, bare.triangles, bare.indices, bare.weights, parts=parts)
    prepared = mesh.prepare()
    assert prepared.mesh.parts == mesh.parts
    for part in parts:
        held = np.sort(prepared.order[part.vertices])
        np.testing.assert_array_equal(held, np.arange(part.vertices.start, part.vertices.stop))


def test_blocks_share_their_rows() -> None:
    """Equal sets fill blocks whatever the order of their slots, rows twice and rows without weight."""
    slots = np.array([[4, 9, 4, 1], [9, 4, 9, 2]] * 16)
    weights = np.array([[0.3, 0.2, 0.5, 0], [0.1, 0.6, 0.3, 0]] * 16)
    mesh = lissom.Mesh(np.zeros((32, 3)), [], slots, weights)
    prepared = mesh.prepare()
    assert (prepared.block_count, prepared.fill, prepared.rows_per_block) == (2, 1.0, 2.0)


def test_rare_sets_share_a_block() -> None:
    """Two vertices of a pair find room in the block of a triple that has both of its rows."""
    slots = np.array([[0, 1, 2]] * 14 + [[0, 1, 1]] * 2)
    weights = np.array([[0.5, 0.25, 0.25]] * 16)
    prepared = lissom.Mesh(np.zeros((16, 3)), [], slots, weights).prepare()
    assert (prepared.block_count, prepared.rows_per_block) == (1, 3.0)


def test_computed_normals_serve_a_mesh_without() -> None:
    bare, palette = rig(8)
    mesh = lissom.Mesh(bare.positions, bare.triangles, bare.indices, bare.weights)
    prepared = mesh.prepare()
    expected = lissom.skin_linear(mesh, palette.matrices, normals=True)
    moved = lissom.skin_linear(prepared, palette.matrices, normals=True)
    np.testing.assert_allclose(moved.normals, expected.normals[prepared.order], atol=NORMAL_TOLERANCE)


@pytest.mark.parametrize("original_order", [False, True])
def test_it_is_immutable_and_pickled(original_order) -> None:
    mesh, palette = rig(9)
    prepared = mesh.prepare(original_order)
    with pytest.raises(AttributeError, match=r"PreparedMesh\.order cannot be set; prepare a new mesh"):
        prepared.order = prepared.order
    with pytest.raises(AttributeError, match=r"PreparedMesh\.order cannot be deleted"):
        del prepared.order
    with pytest.raises(ValueError, match="read-only"):
        prepared.order[0] = 1
    again = pickle.loads(pickle.dumps(prepared))
    assert again.original_order is original_order
    np.testing.assert_array_equal(
        lissom.skin_linear(again, palette.matrices), lissom.skin_linear(prepared, palette.matrices)
    )
    wanted = "original" if original_order else "prepared"
    assert repr(prepared).endswith(f"results in the {wanted} order)")


class TestRefusals:
    def test_no_mesh(self) -> None:
        with pytest.raises(TypeError, match=r"PreparedMesh: mesh must be a lissom\.Mesh, got list"):
            lissom.PreparedMesh([])

    def test_no_bool(self) -> None:
        with pytest.raises(TypeError, match="PreparedMesh: original_order must be True or False, got str"):
            rig(1)[0].prepare("yes")

    def test_a_palette_that_is_too_short(self) -> None:
        mesh, palette = rig(1)
        with pytest.raises(ValueError, match="skin_linear: matrices"):
            lissom.skin_linear(mesh.prepare(), palette.matrices[:3])

    def test_blend_out_of_range(self) -> None:
        mesh, palette = rig(1)
        forms = palette.matrices, palette.dual_quats
        with pytest.raises(ValueError, match=r"blend must lie in .* in vertex 7"):
            lissom.skin_blended(mesh.prepare(), *forms, blend=np.where(np.arange(300) == 7, 2.0, 0.0))

    def test_tangents_that_the_mesh_has_not(self) -> None:
        mesh = lissom.Mesh([[0, 0, 0]], [])
        with pytest.raises(ValueError, match="skin_linear: tangents need a mesh that has some"):
            lissom.skin_linear(mesh.prepare(), np.eye(4)[None], tangents=True)


@pytest.mark.parametrize("influence_count", [1, 2, 4])
def test_the_order_does_not_depend_on_the_numbers_of_rows(influence_count) -> None:
    """Groups of up to four rows below 65 535 are sorted as numbers, others row by row."""
    rng = np.random.default_rng(influence_count)
    weights = rng.random((700, influence_count))
    weights /= weights.sum(axis=1, keepdims=True)
    indices = rng.integers(0, 9, (700, influence_count))
    positions = rng.random((700, 3))
    orders = [
        lissom.Mesh(positions, np.zeros((0, 3), np.uint32), (indices + above).astype(np.uint32), weights)
        .prepare()
        .order
        for above in (0, 65_530, 100_000)
    ]
    np.testing.assert_array_equal(orders[1], orders[0])
    np.testing.assert_array_equal(orders[2], orders[0])
