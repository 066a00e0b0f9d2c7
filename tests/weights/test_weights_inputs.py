# SPDX-License-Identifier: MIT
"""What all methods of weights take and refuse: one form, one sentence for one mistake."""

import inspect
import re

import numpy as np
import pytest

import lissom
from lissom import weights
from lissom.weights._inputs import as_cage_faces, as_handles, as_surface
from weight_meshes import TWO_BONES, capsule

POSITIONS, TRIANGLES = capsule()
HERO = lissom.samples.twisted_bar()
METHODS = ("bounded_biharmonic", "heat", "inverse_distance")
BONELIKE = [[0.0, 0, 0], [[1.0, 0, 0], [2, 0, 0]]]


def compute(method, surface=(POSITIONS, TRIANGLES), handles=TWO_BONES):
    options = {"cells": 6} if method == "bounded_biharmonic" else {}
    return getattr(weights, method)(surface, handles, **options)


def changed(row, value):
    positions = POSITIONS.copy()
    positions[row] = value
    return positions


SURFACES = [
    (3, TypeError, r"surface must be a pair \(positions, triangles\) or a Mesh, got int"),
    (HERO, TypeError, r"or a Mesh, got Character; pass its \.mesh"),
    ((POSITIONS,), TypeError, "or a Mesh, got tuple"),
    (([], []), ValueError, "surface positions must hold at least one vertex, got none"),
    ((np.zeros((0, 3)), TRIANGLES), ValueError, "surface positions must hold at least one vertex, got none"),
    ((POSITIONS[0], TRIANGLES), ValueError, r"surface positions must have shape \(V, 3\), got \(3,\)"),
    ((POSITIONS[:, :2], TRIANGLES), ValueError, r"surface positions must have shape \(V, 3\), got \(74, 2\)"),
    (([[0, 0, 0], [1]], TRIANGLES), ValueError, "surface positions must be an array of equally long rows"),
    (("ab", TRIANGLES), TypeError, "surface positions must be an array of real numbers, got"),
    (
        (POSITIONS * 1j, TRIANGLES),
        TypeError,
        "surface positions must be an array of real numbers, got complex",
    ),
    (
        (changed(3, np.nan), TRIANGLES),
        ValueError,
        "surface positions must be finite, got nan in vertex 3; remove or repair it",
    ),
    ((changed(5, -np.inf), TRIANGLES), ValueError, "surface positions must be finite, got -inf in vertex 5"),
    ((POSITIONS, TRIANGLES * 1.0), TypeError, "surface triangles must be an array of integers, got float64"),
    ((POSITIONS, TRIANGLES[0]), ValueError, r"surface triangles must have shape \(F, 3\), got \(3,\)"),
    (
        (POSITIONS, [[0, 1, 2, 3]]),
        ValueError,
        r"surface triangles must have shape \(F, 3\), got \(1, 4\); split each face into two triangles$",
    ),
    ((POSITIONS, [[0, 1, 2], [3]]), ValueError, "surface triangles must be an array of equally long rows"),
    (
        (POSITIONS, [[0, 1, 2], [0, 1, 74]]),
        ValueError,
        r"triangles must be in \[0, 74\), the number of vertices, got \[0, 1, 74\] in triangle 1",
    ),
    (
        (POSITIONS, [[-1, 0, 1]]),
        ValueError,
        r"triangles must be in \[0, 74\), .* got \[-1, 0, 1\] in triangle 0",
    ),
    (
        (POSITIONS, np.array([[0, 1, 2**64 - 1]], np.uint64)),
        ValueError,
        r"triangles must be in \[0, 74\), .* in triangle 0",
    ),
]
HANDLES = [
    (3, TypeError, r"handles must be a sequence of points \(3,\) and bones \(2, 3\), got int"),
    ("ab", TypeError, r"handles must be a sequence of points \(3,\) and bones \(2, 3\), got str"),
    (HERO.skeleton, TypeError, r"got Skeleton; pass lissom\.weights\.bones\(skeleton\)"),
    (HERO, TypeError, r"got Character; pass lissom\.weights\.bones\(skeleton\)"),
    ([], ValueError, "handles must hold at least one point or bone, got none"),
    (np.zeros((0, 2, 3)), ValueError, "handles must hold at least one point or bone, got none"),
    ([1.0, 2.0, 3.0], ValueError, r"handle 0 must be .* got shape \(\); put a single point into a list"),
    (
        [[0, 0, 0], [0, 0]],
        ValueError,
        r"handle 1 must be a point \(3,\) or a bone \(2, 3\), got shape \(2,\)",
    ),
    ([np.zeros((3, 3))], ValueError, r"handle 0 must be .* got shape \(3, 3\)"),
    ([[0, 0, 0], [0, np.inf, 0]], ValueError, r"handle 1 must be finite, got \[0\.0, inf, 0\.0\]"),
    ([[[0, 0, 0], [0, np.nan, 0]]], ValueError, "handle 0 must be finite"),
    ([["a", "b", "c"]], TypeError, "handle 0 must be an array of real numbers"),
]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("surface", "error", "words"), SURFACES)
def test_surfaces_are_refused_alike(method, surface, error, words) -> None:
    with pytest.raises(error, match=rf"^weights\.{method}: .*{words}"):
        compute(method, surface=surface)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("handles", "error", "words"), HANDLES)
def test_handles_are_refused_alike(method, handles, error, words) -> None:
    with pytest.raises(error, match=rf"^weights\.{method}: .*{words}"):
        compute(method, handles=handles)


@pytest.mark.parametrize("method", ["bounded_biharmonic", "heat"])
def test_those_that_need_triangles_say_so(method) -> None:
    words = r"surface triangles must hold at least one triangle, got none"
    with pytest.raises(ValueError, match=rf"^weights\.{method}: {words}"):
        compute(method, surface=(POSITIONS, []))


def test_transfer_and_reduce_name_their_own_surface() -> None:
    rows = np.ones((74, 1))
    with pytest.raises(
        ValueError, match=r"^weights\.transfer: source_surface positions must be finite, got nan"
    ):
        weights.transfer((changed(3, np.nan), TRIANGLES), rows, POSITIONS)
    with pytest.raises(
        TypeError, match=r"^weights\.transfer: source_surface must be a pair .* got Character; "
    ):
        weights.transfer(HERO, rows, POSITIONS)
    with pytest.raises(ValueError, match=r"^weights\.reduce: surface triangles must be in \[0, 74\)"):
        weights.reduce(rows, surface=(POSITIONS, TRIANGLES + 1))


@pytest.mark.parametrize("call", [
    lambda progress: weights.bounded_biharmonic((POSITIONS, TRIANGLES), TWO_BONES, progress=progress),
    lambda progress: weights.heat((POSITIONS, TRIANGLES), TWO_BONES, progress=progress),
    lambda progress: weights.reduce(np.ones((74, 1)), progress=progress),
])  # fmt: skip
def test_progress_is_called_or_refused(call) -> None:
    with pytest.raises(TypeError, match=r"^weights\.\w+: progress must be callable or None, got int"):
        call(3)


@pytest.mark.parametrize("method", METHODS)
def test_a_mesh_is_a_surface(method) -> None:
    mesh = HERO.mesh
    handles = [[0.5, 0, 0], [3.5, 0, 0]]
    from_mesh = compute(method, mesh, handles)
    np.testing.assert_array_equal(from_mesh, compute(method, (mesh.positions, mesh.triangles), handles))


@pytest.mark.parametrize("method", METHODS)
def test_bones_are_handles(method) -> None:
    made = weights.bones(HERO.skeleton)
    np.testing.assert_array_equal(
        compute(method, HERO.mesh, made), compute(method, HERO.mesh, list(made.handles))
    )


@pytest.mark.parametrize("method", METHODS)
def test_a_bone_without_length_is_a_point(method) -> None:
    point, bone = [1.0, 0, 0], TWO_BONES[1]
    wanted = compute(method, handles=[point, bone])
    np.testing.assert_array_equal(compute(method, handles=[[point, point], bone]), wanted)


def test_forms_that_mean_the_same_are_read_the_same() -> None:
    lists = POSITIONS.tolist(), TRIANGLES.tolist()
    for surface in (lists, list(lists), (POSITIONS, TRIANGLES.astype(np.uint8))):
        positions, triangles = as_surface(surface, "f")
        np.testing.assert_array_equal(positions, POSITIONS)
        np.testing.assert_array_equal(triangles, TRIANGLES)
        assert (positions.dtype, triangles.dtype) == (np.float64, np.uint32)
    for handles in (BONELIKE, tuple(BONELIKE), iter(BONELIKE), [np.float32(handle) for handle in BONELIKE]):
        read = as_handles(handles, "f")
        np.testing.assert_array_equal(read.segments, [[[0, 0, 0]] * 2, [[1, 0, 0], [2, 0, 0]]])
        assert read.is_point.tolist() == [True, False]
        assert len(read) == 2


def test_cage_faces_may_join_bones_without_length() -> None:
    corners = as_handles(np.repeat(np.eye(3)[:, None], 2, axis=1), "f")
    assert as_cage_faces([[0, 1, 2]], corners, "f").tolist() == [[0, 1, 2]]


def test_inputs_are_left_alone() -> None:
    positions, triangles, handles = POSITIONS.copy(), TRIANGLES.copy(), TWO_BONES.copy()
    for method in METHODS:
        compute(method, (positions, triangles), handles)
    np.testing.assert_array_equal(positions, POSITIONS)
    np.testing.assert_array_equal(triangles, TRIANGLES)
    np.testing.assert_array_equal(handles, TWO_BONES)


def test_one_argument_is_documented_by_one_text() -> None:
    """Each docstring stands by itself for `help`, so nothing but this keeps them from drifting apart."""
    texts: dict[str, dict[str, str]] = {}
    for method in (*METHODS, "reduce"):
        for name, text in re.findall(
            r"^(\w+) : (.*\n(?:    .*\n)+)", inspect.getdoc(getattr(weights, method)), re.M
        ):
            texts.setdefault(name, {})[method] = text
    for name in ("surface", "handles"):
        assert len({texts[name][method] for method in METHODS}) == 1, name
    assert len(set(texts["progress"].values())) == 1
    assert len(texts["progress"]) == 3
