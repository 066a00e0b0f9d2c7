# SPDX-License-Identifier: MIT
"""Deforming with morph targets: all methods against the float64 twin, laws, and what is refused."""

import numpy as np
import pytest

import lissom
from lissom import skinning
from morphed_characters import NAMES, faced, with_morphs
from reference import morphs as reference

HERO = faced()
MESH = HERO.mesh
POSES = HERO.clips["walk"].sample(np.linspace(0, 1, 4)).astype(np.float64)
WEIGHTS = np.random.default_rng(8).normal(size=(4, len(NAMES)))
WEIGHTS[:, 3] = 0
WEIGHTS[2] = 0
# float32 rounds positions of a metre and sums of five differences. Tangents are made perpendicular to
# normals, which magnifies the rounding where both nearly agree: here by 50.
POSITION, NORMAL, TANGENT = 2e-6, 2e-6, 1e-4


def arguments(method: str) -> dict:
    return {"blend": 0.3} if method == "blended" else {}


def expected(method: str, normals="rotate"):
    """Each pose skinned from a mesh that was morphed in float64, by the float64 path."""
    results = []
    for pose, weights in zip(POSES, WEIGHTS, strict=True):
        count = MESH.vertex_count
        arrays = {
            name: reference.morphed(getattr(MESH, name), reference.dense(MESH.morphs, count, name), weights)
            for name in ("positions", "normals", "tangents")
        }
        fields = MESH.__reduce__()[1][0] | arrays | {"morphs": None}
        moved = lissom.Mesh(**fields)
        palette = HERO.skin.palette(HERO.skeleton.model_matrices(pose))
        if method == "cor":  # about the centres of the mesh without targets
            centers = MESH.centers_of_rotation()
            results.append(
                lissom.skin_cor(
                    moved, palette.dual_quats, palette.scales, centers=centers, normals=normals, tangents=True
                )
            )
        else:
            results.append(
                lissom.deform(moved, palette, method, normals=normals, tangents=True, **arguments(method))
            )
    return [np.stack(each) for each in zip(*results, strict=True)]


@pytest.mark.parametrize("normals", ["rotate", "cofactor"])
@pytest.mark.parametrize("method", skinning.METHODS)
def test_every_method_skins_the_morphed_mesh(method: str, normals) -> None:
    wanted = expected(method, normals)
    for prepared in (None, False, True):
        hero = HERO if prepared is None else HERO.prepared(prepared)
        order = slice(None) if prepared is not False else hero.prepared_mesh.order
        for dtype in (np.float64, np.float32):
            got = hero.deform(
                POSES.astype(dtype), method, normals, tangents=True, morphs=WEIGHTS, **arguments(method)
            )
            for mine, its, bound in zip(got, wanted, (POSITION, NORMAL, TANGENT), strict=True):
                assert mine.dtype == dtype
                np.testing.assert_allclose(mine, its[:, order], atol=bound * HERO.size, rtol=0)


@pytest.mark.parametrize("count", [1, 15, 16, 17, 511, 512, 513, 1300])
def test_every_vertex_count_has_its_whole_and_its_last_block(count: int) -> None:
    rng = np.random.default_rng(count)
    positions, shapes = rng.normal(size=(count, 3)), rng.normal(size=(3, count, 3))
    shapes[1, : count // 2] = 0
    shapes[2, :-1] = 0
    mesh = lissom.Mesh(positions, [], morphs=lissom.Morphs.from_dense(["a", "b", "c"], shapes))
    weights = np.array([0.5, -2, 3])
    wanted = positions + np.einsum("m,mvi->vi", weights, shapes)
    for each in (mesh, mesh.prepare(), mesh.prepare(True)):
        moved = lissom.skin_linear(each, np.eye(4, dtype=np.float32)[None], morphs=weights)
        order = (
            each.order if isinstance(each, lissom.PreparedMesh) and not each.original_order else slice(None)
        )
        np.testing.assert_allclose(moved, wanted[order], atol=4e-6)


@pytest.mark.parametrize("narrow", [np.uint8, np.uint16])
def test_compact_influences_and_wide_palettes(narrow) -> None:
    rng = np.random.default_rng(2)
    count = 1030
    positions, shapes = rng.normal(size=(count, 3)), rng.normal(size=(1, count, 3))
    one = np.iinfo(narrow).max
    weights = np.zeros((count, 2), narrow)
    weights[:, 0] = rng.integers(0, one, count)
    weights[:, 1] = one - weights[:, 0]
    matrices = np.tile(np.eye(4), (70_000, 1, 1))
    matrices[:, :3, 3] = rng.normal(size=(70_000, 3))
    for rows in (rng.integers(0, 200, (count, 2)).astype(np.uint8), rng.integers(0, 70_000, (count, 2))):
        morphs = lissom.Morphs.from_dense(["a"], shapes)
        mesh = lissom.Mesh(positions, [], rows, weights, morphs=morphs)
        shift = np.einsum("vk,vki->vi", mesh.weights.astype(float), matrices[mesh.indices][:, :, :3, 3])
        moved = lissom.skin_linear(mesh, matrices.astype(np.float32), morphs=[0.5])
        np.testing.assert_allclose(moved, positions + 0.5 * shapes[0] + shift, atol=5e-6)


@pytest.mark.parametrize("method", skinning.METHODS)
def test_weights_of_zero_change_no_bit(method: str) -> None:
    plain = with_morphs(HERO, None)
    poses = POSES.astype(np.float32)
    for mine, its in ((HERO, plain), (HERO.prepared(), plain.prepared())):
        got = mine.deform(poses, method, True, tangents=True, morphs=np.zeros(6), **arguments(method))
        wanted = its.deform(poses, method, True, tangents=True, **arguments(method))
        for one, other in zip(got, wanted, strict=True):
            np.testing.assert_array_equal(one, other)


def test_defaults_are_taken_where_no_weights_are_given() -> None:
    pose = POSES[1].astype(np.float32)
    np.testing.assert_array_equal(HERO.deform(pose), HERO.deform(pose, morphs=MESH.morphs.defaults))
    assert np.abs(HERO.deform(pose) - HERO.deform(pose, morphs=np.zeros(6))).max() > 0.01
    far = lissom.Morphs.from_dense(["far"], np.tile([0.0, 5, 0], (1, MESH.vertex_count, 1)), defaults=[1])
    one = np.zeros((1, MESH.vertex_count, 3))
    one[0, MESH.positions[:, 1].argmax(), 1] = 5
    tall = with_morphs(HERO, lissom.Morphs.from_dense(["far"], one, defaults=[1]))
    assert tall.size > HERO.size + 4  # of the skinned box, with the defaults
    assert with_morphs(HERO, far).size == pytest.approx(with_morphs(HERO, None).size, rel=1e-5)


def test_weights_broadcast_with_poses() -> None:
    pose = POSES[1].astype(np.float32)
    many = HERO.deform(pose, morphs=WEIGHTS)
    assert many.shape == (4, MESH.vertex_count, 3)
    rounding = {"rtol": 0, "atol": 1e-6 * HERO.size}  # matrices of one pose and of several may differ by it
    np.testing.assert_allclose(many[3], HERO.deform(pose, morphs=WEIGHTS[3]), **rounding)
    grid = HERO.deform(POSES.astype(np.float32)[:, None], "dual_quat", morphs=WEIGHTS[:3])
    assert grid.shape == (4, 3, MESH.vertex_count, 3)
    np.testing.assert_allclose(
        grid[2, 1], HERO.deform(POSES[2].astype(np.float32), "dual_quat", morphs=WEIGHTS[1]), **rounding
    )
    assert HERO.deform(POSES[:0], morphs=WEIGHTS[:0]).shape == (0, MESH.vertex_count, 3)
    assert HERO.deform(pose, morphs=np.zeros((2, 6))).shape == (2, MESH.vertex_count, 3)


def test_targets_add_up() -> None:
    """Of matrices, what two sets of weights move together is the sum of what each moves."""
    a, b = WEIGHTS[0], WEIGHTS[1]
    zero, first, second, both = HERO.deform(POSES[1], morphs=np.array([np.zeros(6), a, b, a + b]))
    np.testing.assert_allclose(both - zero, (first - zero) + (second - zero), atol=1e-12)


def test_out_and_threads_and_deterministic_mode() -> None:
    poses = POSES.astype(np.float32)
    out = tuple(np.empty((4, MESH.vertex_count, width), np.float32) for width in (3, 3, 4))
    got = HERO.deform(poses, "dual_quat", True, out, tangents=True, morphs=WEIGHTS)
    assert all(mine is its for mine, its in zip(got, out, strict=True))
    count = lissom.thread_count()
    try:
        for threads in (1, 3):
            lissom.set_thread_count(threads)
            again = HERO.deform(poses, "dual_quat", True, tangents=True, morphs=WEIGHTS)
            for one, other in zip(got, again, strict=True):
                np.testing.assert_array_equal(one, other)
        lissom.set_deterministic(True)
        exact = [HERO.deform(poses, "linear", morphs=WEIGHTS), HERO.prepared().deform(poses, morphs=WEIGHTS)]
        lissom.set_thread_count(1)
        np.testing.assert_array_equal(exact[0], HERO.deform(poses, "linear", morphs=WEIGHTS))
    finally:
        lissom.set_deterministic(False)
        lissom.set_thread_count(count)


def test_normals_that_cancel_are_zero_and_faces_are_those_of_the_morphed_mesh() -> None:
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    morphs = lissom.Morphs(["a"], [0, 1], [0], [[0, 0, 1]], [[0, 0, -1]])
    mesh = lissom.Mesh(corners, [[0, 1, 2]], normals=[[0, 0, 1]] * 3, morphs=morphs)
    eye = np.eye(4, dtype=np.float32)[None]
    positions, normals = lissom.skin_linear(mesh, eye, normals=True, morphs=[1])
    np.testing.assert_array_equal(positions[0], [0, 0, 1])
    np.testing.assert_array_equal(normals, [[0, 0, 0], [0, 0, 1], [0, 0, 1]])
    _, faces = lissom.skin_linear(mesh, eye, normals="faces", morphs=[1])
    np.testing.assert_allclose(faces, np.full((3, 3), 3**-0.5), atol=1e-6)


def test_undeform_undoes_the_skinning_alone() -> None:
    palette = HERO.skin.palette(HERO.skeleton.model_matrices(POSES[1]))
    weights = WEIGHTS[0]
    for method in ("linear", "dual_quat"):
        posed = lissom.deform(MESH, palette, method, morphs=weights)
        back = lissom.undeform(MESH, palette, posed, method)
        shapes = reference.dense(MESH.morphs, MESH.vertex_count)
        np.testing.assert_allclose(back, reference.morphed(MESH.positions, shapes, weights), atol=1e-9)


@pytest.mark.parametrize(
    ("morphs", "error", "message"),
    [
        (
            [1, 2],
            ValueError,
            r"morphs must have shape \(\.\.\., 6\), a weight for each of mesh\.morphs\.names, got \(2,\); "
            r"mesh\.morphs\.weights makes them of names",
        ),
        (0.5, ValueError, r"morphs must have shape \(\.\.\., 6\), .* got \(\)"),
        ([0, 0, np.nan, 0, 0, 0], ValueError, "morphs must be finite, got nan for 'hair/smile'$"),
        ([0, 0, 1e300, 0, 0, 0], ValueError, "morphs must be finite, got inf for 'hair/smile'$"),
        (
            [[0] * 6, [0] * 5 + [np.inf]],
            ValueError,
            r"morphs must be finite, got inf for 'body/none' of pose \(1,\)",
        ),
        (np.zeros((3, 6)), ValueError, r"morphs must broadcast with .* the poses, \(4,\), got \(3,\)"),
        ({"smile": 1}, TypeError, "morphs must be .*, got dict; mesh.morphs.weights makes it of names$"),
    ],
)
def test_weights_that_do_not_fit_are_refused(morphs, error, message: str) -> None:
    out = np.full((4, MESH.vertex_count, 3), 7, np.float32)
    with pytest.raises(error, match=rf"^Character\.deform: {message}"):
        HERO.deform(POSES.astype(np.float32), out=out, morphs=morphs)
    assert (out == 7).all()


def test_a_mesh_without_targets_takes_no_weights() -> None:
    bar = lissom.samples.twisted_bar()
    with pytest.raises(
        ValueError,
        match=r"^deform: morphs must be omitted for a mesh without morph targets, got Mesh\(.*pass morphs=",
    ):
        lissom.deform(bar.mesh, bar.skin.palette(bar.skeleton.model_matrices(bar.skeleton.rest)), morphs=[1])
