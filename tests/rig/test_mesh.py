# SPDX-License-Identifier: MIT
"""Mesh: what it keeps, what it refuses."""

import importlib
import io
import pickle

import numpy as np
import pytest

import lissom
from lissom import _core

TRIANGLE = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]


def test_a_mesh_without_influences_follows_the_first_row() -> None:
    mesh = lissom.Mesh(TRIANGLE, [[0, 1, 2]])
    np.testing.assert_array_equal(mesh.indices, np.zeros((3, 1)))
    np.testing.assert_array_equal(mesh.weights, np.ones((3, 1)))
    assert mesh.indices.dtype == np.uint16
    assert (mesh.vertex_count, mesh.triangle_count, mesh.influence_count, mesh.row_count) == (3, 1, 1, 1)


def test_arrays_have_their_types_and_are_read_only() -> None:
    mesh = lissom.Mesh(
        TRIANGLE,
        [[0, 1, 2]],
        [[0, 1]] * 3,
        [[0.5, 0.5]] * 3,
        normals=[[0, 0, 1]] * 3,
        tangents=[[1, 0, 0, -1]] * 3,
        uvs=[[0, 1]] * 3,
        colors=[[0, 0.5, 1, 1]] * 3,
    )
    assert mesh.triangles.dtype == np.uint32
    for name in ("positions", "normals", "tangents", "uvs", "colors", "weights"):
        assert getattr(mesh, name).dtype == np.float32
    for name in ("positions", "triangles", "indices", "weights", "normals", "tangents", "uvs", "colors"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(mesh, name)[0] = 0
    with pytest.raises(AttributeError, match=r"Mesh\.positions cannot be set"):
        mesh.positions = np.zeros((3, 3), np.float32)


def test_what_the_caller_can_still_write_is_copied() -> None:
    positions = np.float32(TRIANGLE)
    view = positions[:]
    view.flags.writeable = False  # read-only itself, but not what it looks at
    indices = np.zeros((3, 1), np.uint16)
    mesh = lissom.Mesh(view, [], indices, np.ones((3, 1), np.float32))
    positions[:] = 9
    indices[:] = 60_000  # would read far outside any palette
    np.testing.assert_array_equal(mesh.positions, TRIANGLE)
    assert mesh.row_count == 1
    np.testing.assert_array_equal(lissom.skin_linear(mesh, np.eye(4)[None]), TRIANGLE)


@pytest.mark.parametrize("lock", ["owner", "bytearray"])
def test_what_can_be_unlocked_is_copied_and_the_copy_cannot(lock) -> None:
    memory = bytearray(np.zeros((3, 1), np.uint16).tobytes())
    indices = np.frombuffer(memoryview(memory).toreadonly(), np.uint16).reshape(3, 1)
    if lock == "owner":
        indices = np.zeros((3, 1), np.uint16)
        indices.flags.writeable = False
    mesh = lissom.Mesh(TRIANGLE, [[0, 1, 2]], indices, np.ones((3, 1), np.float32), normals=TRIANGLE)
    if lock == "owner":
        indices.flags.writeable = True
        indices[:] = 60_000
    memory[:] = b"\xff" * len(memory)
    for name in ("positions", "triangles", "indices", "weights", "normals"):
        with pytest.raises(ValueError, match="WRITEABLE"):
            getattr(mesh, name).flags.writeable = True
    np.testing.assert_array_equal(lissom.skin_linear(mesh, np.eye(4)[None]), TRIANGLE)


def test_what_nobody_can_write_is_not_copied() -> None:
    data = np.float32(TRIANGLE).tobytes()
    positions = np.frombuffer(data, np.float32).reshape(3, 3)
    assert np.shares_memory(lissom.Mesh(positions, []).positions, positions)


def test_indices_are_wide_only_where_they_must_be() -> None:
    small = lissom.Mesh(TRIANGLE, [], np.full((3, 1), 65_535, np.int64), [[1]] * 3)
    large = lissom.Mesh(TRIANGLE, [], np.full((3, 1), 65_536, np.int64), [[1]] * 3)
    assert (small.indices.dtype, large.indices.dtype) == (np.uint16, np.uint32)
    assert (small.row_count, large.row_count) == (65_536, 65_537)


def test_a_palette_of_more_than_65536_rows_skins() -> None:
    mesh = lissom.Mesh(TRIANGLE, [], [[3, 70_000]] * 3, [[0.25, 0.75]] * 3)
    matrices = np.tile(np.eye(4, dtype=np.float32), (70_001, 1, 1))
    matrices[70_000, 0, 3] = 4
    np.testing.assert_allclose(lissom.skin_linear(mesh, matrices), np.add(TRIANGLE, [3, 0, 0]), atol=1e-6)
    dual = np.tile(np.float32([0, 0, 0, 1, 0, 0, 0, 0]), (70_001, 1))
    dual[70_000] = [0, 0, 0, -1, -2, 0, 0, 0]  # the same step along x, given by -q
    np.testing.assert_allclose(lissom.skin_dual_quat(mesh, dual), np.add(TRIANGLE, [3, 0, 0]), atol=1e-6)


def test_weights_are_normalised_once() -> None:
    weights = np.float32([[0.5, 0.5004], [1, 0], [0.25, 0.75]])
    mesh = lissom.Mesh(TRIANGLE, [], [[0, 1]] * 3, weights)
    np.testing.assert_allclose(mesh.weights.sum(axis=1, dtype=np.float64), 1, rtol=0, atol=2.0**-24)
    again = lissom.Mesh(TRIANGLE, [], mesh.indices, mesh.weights)
    np.testing.assert_array_equal(again.weights, mesh.weights)


def test_bounds() -> None:
    np.testing.assert_array_equal(lissom.Mesh([[1, -2, 3], [-1, 5, 0]], []).bounds, [[-1, -2, 0], [1, 5, 3]])


def test_an_empty_mesh_is_a_mesh() -> None:
    mesh = lissom.Mesh([], [])
    assert (mesh.vertex_count, mesh.triangle_count, mesh.row_count) == (0, 0, 0)
    np.testing.assert_array_equal(mesh.bounds, np.zeros((2, 3)))
    assert mesh.computed_normals().shape == (0, 3)
    assert lissom.skin_linear(mesh, np.eye(4)[None]).shape == (0, 3)


def test_computed_normals_are_weighted_by_area() -> None:
    # A corner where a face of area 2 in the xy plane meets one of area 1/2 in the yz plane.
    mesh = lissom.Mesh(
        [[0, 0, 0], [2, 0, 0], [0, 2, 0], [0, 1, 0], [0, 0, 1], [5, 5, 5]], [[0, 1, 2], [0, 3, 4]]
    )
    normals = mesh.computed_normals()
    np.testing.assert_allclose(normals[0], np.array([0.5, 0, 2]) / np.hypot(0.5, 2), atol=1e-7)
    np.testing.assert_allclose(normals[1:5], [[0, 0, 1], [0, 0, 1], [1, 0, 0], [1, 0, 0]], atol=1e-7)
    np.testing.assert_array_equal(normals[5], 0)  # in no triangle
    assert mesh.computed_normals() is normals
    assert not normals.flags.writeable


def test_computed_normals_of_tiny_faces_far_away_are_right() -> None:
    offset = np.float64(1024)
    mesh = lissom.Mesh(np.float64(TRIANGLE) / 1024 + offset, [[0, 1, 2]])
    np.testing.assert_allclose(mesh.computed_normals(), [[0, 0, 1]] * 3, atol=1e-7)


def parts() -> list[lissom.Part]:
    texture = lissom.Texture(b"not really", "image/png", "skin")
    return [
        lissom.Part("body", slice(0, 2), slice(0, 1), base_color=(1, 0.5, 0.25, 1), texture=texture),
        lissom.Part("hat", slice(2, 3), slice(1, 1), rigid=True, model_from_source=2 * np.eye(4)),
    ]


def test_where_a_part_came_from_is_a_copy_that_cannot_be_written():
    moved = 2.0 * np.eye(4)
    part = lissom.Part("hat", slice(2, 3), slice(1, 1), model_from_source=moved)
    moved[:] = 0
    np.testing.assert_array_equal(part.model_from_source, 2 * np.eye(4))
    with pytest.raises(ValueError, match="read-only"):
        part.model_from_source[0, 0] = 3
    with pytest.raises(ValueError, match=r"^Part: model_from_source must have shape \(4, 4\), got \(3, 4\)$"):
        lissom.Part("hat", slice(2, 3), slice(1, 1), model_from_source=moved[:3])


def test_parts_are_kept_and_one_stands_for_all() -> None:
    assert [part.name for part in lissom.Mesh(TRIANGLE, [[0, 1, 2]], parts=parts()).parts] == ["body", "hat"]
    (whole,) = lissom.Mesh(TRIANGLE, [[0, 1, 2]]).parts
    assert (whole.vertices, whole.triangles) == (slice(0, 3), slice(0, 1))


def test_pickle_keeps_everything() -> None:
    mesh = lissom.Mesh(
        TRIANGLE,
        [[0, 1, 2]],
        [[0, 7]] * 3,
        [[0.3, 0.7]] * 3,
        uvs=[[0, 1]] * 3,
        colors=[[0, 0.5, 1, 1]] * 3,
        parts=parts(),
    )
    copy = pickle.loads(pickle.dumps(mesh))
    for name in ("positions", "triangles", "indices", "weights", "uvs", "colors"):
        np.testing.assert_array_equal(getattr(copy, name), getattr(mesh, name))
        assert not getattr(copy, name).flags.writeable
    assert copy.normals is None
    assert copy.parts[0].texture == mesh.parts[0].texture
    np.testing.assert_array_equal(copy.parts[1].model_from_source, 2 * np.eye(4))
    assert copy.row_count == 8


def test_with_weights_keeps_all_but_influences() -> None:
    parts = [
        lissom.Part("prop", slice(0, 3), slice(0, 1), rigid=True, base_color=(1, 0, 0, 1)),
        lissom.Part("eye", slice(3, 6), slice(1, 2), rigid=True, texture=lissom.Texture(b"x", "image/png")),
        lissom.Part("skin", slice(6, 9), slice(2, 3)),
    ]
    corners = np.random.default_rng(3).normal(size=(9, 3))
    mesh = lissom.Mesh(
        corners,
        np.arange(9).reshape(3, 3),
        normals=[[0, 0, 1]] * 9,
        tangents=[[1, 0, 0, -1]] * 9,
        uvs=corners[:, :2],
        colors=np.full((9, 4), 0.25),
        parts=parts,
    )
    indices = [[0, 1]] * 3 + [[2, 1]] * 3 + [[1, 0]] * 3
    weights = [[0.5, 0.5]] * 3 + [[1, 0]] * 3 + [[1, 0]] * 3
    bound = mesh.with_weights(indices, weights)
    for name in ("positions", "triangles", "normals", "tangents", "uvs", "colors"):
        assert getattr(bound, name) is getattr(mesh, name)
    np.testing.assert_array_equal(bound.indices, indices)
    np.testing.assert_array_equal(bound.weights, weights)
    # The prop bends now, the eye follows one row still, and the skin was none before.
    assert [part.rigid for part in bound.parts] == [False, True, False]
    for new, old in zip(bound.parts, parts, strict=True):
        np.testing.assert_array_equal(new.model_from_source, old.model_from_source)
        for name in ("name", "vertices", "triangles", "base_color", "texture"):
            assert getattr(new, name) is getattr(old, name)
    np.testing.assert_array_equal(mesh.indices, np.zeros((9, 1)))
    assert mesh.parts == tuple(parts)
    turned = mesh.with_weights(np.arange(9)[:, None], np.ones((9, 1)))
    assert not any(part.rigid for part in turned.parts)  # a row for each vertex
    with pytest.raises(ValueError, match=r"Mesh: weights must have shape \(9, 2\), got \(8, 2\)"):
        mesh.with_weights(indices, weights[1:])


def test_repr_counts() -> None:
    mesh = lissom.Mesh(TRIANGLE, [[0, 1, 2]], uvs=[[0, 0]] * 3)
    assert repr(mesh) == "Mesh(3 vertices, 1 triangles, 1 influences, 1 part, uvs)"
    colored = lissom.Mesh(TRIANGLE, [[0, 1, 2]], colors=np.ones((3, 4)))
    assert repr(colored) == "Mesh(3 vertices, 1 triangles, 1 influences, 1 part, colors)"
    assert repr(lissom.Texture(b"abc", "image/png", "skin")) == "Texture('skin', image/png, 3 bytes)"


def test_texture_decodes_to_rgba() -> None:
    image_module = pytest.importorskip("PIL.Image")
    file = io.BytesIO()
    image_module.fromarray(np.uint8([[[255, 0, 0], [0, 128, 0]]])).save(file, "PNG")
    decoded = lissom.Texture(file.getvalue(), "image/png").decode()
    np.testing.assert_array_equal(decoded, [[[255, 0, 0, 255], [0, 128, 0, 255]]])
    with pytest.raises(
        ValueError, match=r"Texture.decode: data must be a PNG, JPEG, WebP or AVIF picture, got 3 bytes"
    ):
        lissom.Texture(b"abc").decode()


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16", "CMYK"])
def test_pictures_are_decoded_in_strips_as_pillow_decodes_them(
    mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    image_module = pytest.importorskip("PIL.Image")
    monkeypatch.setattr(importlib.import_module("lissom._rig.part"), "STRIP", 100)
    pixels = np.random.default_rng(0).integers(0, 256, (17, 9, 3), dtype=np.uint8)
    image = image_module.fromarray(pixels).convert("L" if mode == "I;16" else mode)
    if mode == "P":
        image.info["transparency"] = 3
    file = io.BytesIO()
    image.convert(mode).save(file, "JPEG" if mode == "CMYK" else "PNG")
    expected = np.asarray(image_module.open(file).convert("RGBA"))
    np.testing.assert_array_equal(lissom.Texture(file.getvalue()).decode(), expected)


def test_a_texture_in_webp_is_decoded() -> None:
    image_module = pytest.importorskip("PIL.Image")
    pixels = np.random.default_rng(1).integers(0, 256, (5, 7, 3), dtype=np.uint8)
    file = io.BytesIO()
    image_module.fromarray(pixels).save(file, "WEBP", lossless=True)
    np.testing.assert_array_equal(lissom.Texture(file.getvalue()).decode()[..., :3], pixels)


NAN = float("nan")


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        (([[0, 0]], []), ValueError, r"Mesh: positions must have shape \(V, 3\), got \(1, 2\)"),
        (([[0, 0, 0], [0, 0]], []), ValueError, "Mesh: positions must be an array of equally long rows"),
        (([["a", "b", "c"]], []), TypeError, "Mesh: positions must be an array of numbers, got <U1"),
        (([[0, NAN, 0]], []), ValueError, "Mesh: positions must be finite in float32, got nan in vertex 0"),
        (
            ([[0, 0, 0], [0, 0, 1e39]], []),
            ValueError,
            "positions must be finite in float32, got inf in vertex 1",
        ),
        ((TRIANGLE, [[0, 1]]), ValueError, r"Mesh: triangles must have shape \(F, 3\), got \(1, 2\)$"),
        ((TRIANGLE, [[0, 1, 2, 0]]), ValueError, r"got \(1, 4\); split each face into two triangles$"),
        (
            (TRIANGLE, [[0, 1, 3]]),
            ValueError,
            r"Mesh: triangles must be in \[0, 3\), .*, got \[0, 1, 3\] in row 0",
        ),
        (
            (TRIANGLE, [[0, 1, -1]]),
            ValueError,
            r"Mesh: triangles must be in \[0, 3\), .* got \[0, 1, -1\] in row 0",
        ),
        (
            (TRIANGLE, [[0.0, 1.0, 2.0]]),
            TypeError,
            "Mesh: triangles must be an array of integers, got float64",
        ),
        ((TRIANGLE, [], [[0]] * 3), ValueError, "Mesh: indices and weights belong together, got no weights"),
        (
            (TRIANGLE, [], None, [[1]] * 3),
            ValueError,
            "Mesh: indices and weights belong together, got no indices",
        ),
        (
            (TRIANGLE, [], [[0]] * 2, [[1]] * 2),
            ValueError,
            r"Mesh: indices must have shape \(3, K\), got \(2, 1\)",
        ),
        (
            (TRIANGLE, [], [[0]] * 3, [[1, 0]] * 3),
            ValueError,
            r"Mesh: weights must have shape \(3, 1\), got \(3, 2\)",
        ),
        (
            (TRIANGLE, [], np.zeros((3, 0), int), np.zeros((3, 0))),
            ValueError,
            "indices must have at least one column",
        ),
        (
            (TRIANGLE, [], [[-1]] * 3, [[1]] * 3),
            ValueError,
            r"Mesh: indices must be in \[0, .*, got \[-1\] in row 0",
        ),
        (
            (TRIANGLE, [], [[0.0]] * 3, [[1]] * 3),
            TypeError,
            "Mesh: indices must be an array of integers, got float64",
        ),
        (
            (TRIANGLE, [], [[0, 1]] * 3, [[0.5, 0.5], [0.5, 0.4], [1, 0]]),
            ValueError,
            "Mesh: weights must sum to 1 within 0.001 in each row, got 0.9 in vertex 1",
        ),
        (
            (TRIANGLE, [], [[0, 1]] * 3, [[0.5, 0.5], [1, 0], [1.5, -0.5]]),
            ValueError,
            r"Mesh: weights must not be negative, got \[1.5, -0.5\] in vertex 2",
        ),
        (
            (TRIANGLE, [], [[0]] * 3, [[1], [NAN], [1]]),
            ValueError,
            "Mesh: weights must be finite .* nan in vertex 1",
        ),
    ],
)
def test_wrong_arrays_are_refused(arguments, error, sentence) -> None:
    with pytest.raises(error, match=sentence):
        lissom.Mesh(*arguments)


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"normals": [[0, 0, 1]] * 2}, ValueError, r"Mesh: normals must have shape \(3, 3\), got \(2, 3\)"),
        (
            {"normals": [[0, 0, NAN]] * 3},
            ValueError,
            "Mesh: normals must be finite in float32, got nan in vertex 0",
        ),
        ({"tangents": [[1, 0, 0]] * 3}, ValueError, r"Mesh: tangents must have shape \(3, 4\), got \(3, 3\)"),
        ({"uvs": [[0, 0, 0]] * 3}, ValueError, r"Mesh: uvs must have shape \(3, 2\), got \(3, 3\)"),
        ({"colors": [[1, 1, 1]] * 3}, ValueError, r"Mesh: colors must have shape \(3, 4\), got \(3, 3\)"),
        (
            {"colors": [[1, 1, 1, 1], [0, 0, 0, 1.5], [1, -1, 1, 1]]},
            ValueError,
            r"Mesh: colors must lie in \[0, 1\], got \[0.0, 0.0, 0.0, 1.5\] in vertex 1; clip them",
        ),
        (
            {"colors": np.full((3, 4), 255, np.uint8)},
            ValueError,
            r"Mesh: colors must lie in \[0, 1\], got .* in vertex 0; divide bytes by 255",
        ),
        (
            {"colors": [[0, 0, NAN, 1]] * 3},
            ValueError,
            "Mesh: colors must be finite in float32, got nan in vertex 0",
        ),
        ({"parts": ["body"]}, TypeError, "Mesh: parts must be a sequence of Part, got str"),
        (
            {"parts": [lissom.Part("hat", slice(0, 4), slice(0, 0))]},
            ValueError,
            "Mesh: parts must be slices within the mesh, got vertices 0:4 of 3 in part 'hat'",
        ),
        (
            {"parts": [lissom.Part("hat", slice(0, 3), slice(None))]},
            ValueError,
            "Mesh: parts must be slices within the mesh, got triangles None:None of 0 in part 'hat'",
        ),
    ],
)
def test_wrong_options_are_refused(options, error, sentence) -> None:
    with pytest.raises(error, match=sentence):
        lissom.Mesh(TRIANGLE, [], **options)


@pytest.mark.parametrize("kind", ["owner", "view of all"])
def test_what_the_core_sealed_is_kept_and_cannot_be_unlocked(kind: str) -> None:
    owner = np.float32(TRIANGLE).copy().reshape(-1)
    positions = _core.sealed(owner.reshape(3, 3) if kind == "view of all" else owner.reshape(3, 3).copy())
    del owner
    mesh = lissom.Mesh(positions, [[0, 1, 2]])
    assert np.shares_memory(mesh.positions, positions)
    np.testing.assert_array_equal(mesh.positions, TRIANGLE)
    for array in (positions, mesh.positions, mesh.positions[1:], np.asarray(memoryview(positions))):
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True
    assert memoryview(positions.base).readonly


def test_only_whole_arrays_that_own_their_memory_are_sealed() -> None:
    owner = np.zeros((4, 3), np.float32)
    assert _core.sealed(owner[1:]) is None
    assert _core.sealed(owner.T) is None
    assert _core.sealed(np.frombuffer(bytes(48), np.float32)) is None
    assert _core.sealed(np.frombuffer(bytearray(48), np.float32)) is None
    assert _core.sealed(np.zeros((0, 3), np.float32)).shape == (0, 3)


@pytest.mark.parametrize("influences", [1, 2, 4, 5])
def test_the_heaviest_row_is_that_of_all_influences_that_name_it(influences: int) -> None:
    rng = np.random.default_rng(influences)
    indices = rng.integers(0, 4, (500, influences)).astype(np.uint16)  # many twice
    weights = rng.integers(0, 5, (500, influences)) + 0.0
    weights[:, 0] += rng.choice([0, 1, 8], 500) + (weights.sum(axis=1) == 0)
    weights /= weights.sum(axis=1, keepdims=True)
    mesh = lissom.Mesh(np.zeros((500, 3)), [], indices, weights)
    totals = np.zeros((500, 4), np.float32)
    for column in range(influences):
        totals[np.arange(500), indices[:, column]] += mesh.weights[:, column]
    found = np.empty(500, np.int32)
    mesh._skinned.heaviest_rows(found)
    np.testing.assert_array_equal(found, totals.argmax(axis=1))  # ties: the lowest
