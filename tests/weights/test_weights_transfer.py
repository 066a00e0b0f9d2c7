# SPDX-License-Identifier: MIT
"""weights.transfer, and the nearest place on triangles below it."""

import numpy as np
import pytest

import lissom
from lissom import _core
from lissom.weights import heat, transfer
from reference.closest_point import closest
from weight_meshes import TWO_BONES, blob, capsule, rotation

# Both compute in float64; squares of distances carry half the digits of zero.
SAME = 1e-9
ASIDE = np.array([2.0, 0, 0])


def find(positions, triangles, points, normals=None, least_cosine=-1.0):
    tree = _core.TriangleBvh(positions, np.asarray(triangles, np.uint32))
    out = np.empty(len(points)), np.empty(len(points), np.int64), np.empty((len(points), 3))
    tree.find_closest("closest", np.ascontiguousarray(points), normals, least_cosine, *out)
    return out


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", range(3))
def test_nearest_place_equals_brute_force(seed, dtype) -> None:
    random = np.random.default_rng(seed)
    positions = random.normal(size=(300, 3)).astype(dtype)
    triangles = random.integers(0, 300, (500, 3))
    triangles[:20, 2] = triangles[:20, 1]  # without area: ignored
    # Far outside, near, and upon corners and edges, where projections of several kinds meet.
    points = np.concatenate([
        10 * random.normal(size=(100, 3)), random.normal(size=(200, 3)),
        positions[:20], 0.5 * (positions[triangles[30:50, 0]] + positions[triangles[30:50, 1]]),
    ]).astype(np.float64)  # fmt: skip
    distances, which, shares = find(positions, triangles, points)
    wanted, _, _ = closest(positions, triangles[20:], points)
    np.testing.assert_allclose(distances, wanted, atol=SAME)
    assert which.min() >= 20
    places = np.einsum("ij,ijk->ik", shares, positions.astype(np.float64)[triangles[which]])
    np.testing.assert_allclose(np.linalg.norm(places - points, axis=1), wanted, atol=SAME)
    assert shares.min() >= 0
    np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-12)


def test_nearest_place_of_a_mesh_far_away_and_of_any_size() -> None:
    positions, triangles = blob(3)
    points = np.random.default_rng(4).normal(size=(50, 3))
    wanted = find(positions, triangles, points)[0]
    for scale in (1e-40, 1.0, 1e40):
        distances = find(scale * positions, triangles, scale * points)[0]
        np.testing.assert_allclose(distances, scale * wanted, rtol=1e-9)
    far = 1e6 * points
    distances, _, _ = find(positions, triangles, far)
    np.testing.assert_allclose(distances, closest(positions, triangles, far)[0], rtol=1e-12)


def test_slivers_are_told_as_well() -> None:
    random = np.random.default_rng(5)
    positions = np.repeat(random.normal(size=(40, 3)), 3, axis=0)
    positions[1::3] += random.normal(size=(40, 3))
    positions[2::3] = 0.5 * (positions[::3] + positions[1::3]) + 1e-7 * random.normal(size=(40, 3))
    triangles = np.arange(120).reshape(-1, 3)
    points = random.normal(size=(100, 3))
    wanted = closest(positions, triangles, points)[0]
    np.testing.assert_allclose(find(positions, triangles, points)[0], wanted, atol=1e-7)


def test_normals_choose_the_side() -> None:
    """Two sheets a hair apart, facing away from each other."""
    positions = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0.1], [1, 0, 0.1], [0, 1, 0.1]])
    triangles = np.array([[0, 2, 1], [3, 4, 5]])  # towards -z, towards +z
    point = np.array([[0.2, 0.2, 0.04]])
    assert find(positions, triangles, point)[1] == [0]
    assert find(positions, triangles, point, np.array([[0, 0, 2.0]]), 0.0)[1] == [1]
    assert find(positions, triangles, point, np.array([[0, 0, 0.0]]), 0.0)[1] == [0]
    assert find(positions, triangles, point, np.array([[1.0, 0, 0]]), 0.5)[1] == [-1]


def test_a_mesh_onto_itself_keeps_its_weights() -> None:
    positions, triangles = capsule()
    weights = heat((positions, triangles), TWO_BONES)
    np.testing.assert_allclose(transfer((positions, triangles), weights, positions), weights, atol=1e-12)


def test_weights_are_linear_on_each_triangle() -> None:
    positions, triangles = capsule()
    weights = heat((positions, triangles), TWO_BONES)
    shares = np.random.default_rng(0).dirichlet([1, 1, 1], len(triangles))
    points = np.einsum("ij,ijk->ik", shares, positions[triangles])
    wanted = np.einsum("ij,ijk->ik", shares, weights[triangles])
    np.testing.assert_allclose(transfer((positions, triangles), weights, points), wanted, atol=1e-9)


def test_finer_mesh_gets_nearly_what_it_would_have_computed() -> None:
    coarse, fine = capsule(17, 12), capsule(65, 24)
    moved = transfer(coarse, heat(coarse, TWO_BONES), fine[0])
    np.testing.assert_allclose(moved.sum(axis=1), 1, atol=1e-12)
    assert np.abs(moved - heat(fine, TWO_BONES)).max() < 0.05


def test_rigid_motion_changes_nothing() -> None:
    mesh, (points, _) = capsule(), blob(1)
    weights = heat(mesh, TWO_BONES)
    turn = rotation(1)
    wanted = transfer(mesh, weights, points + ASIDE)
    moved = transfer((3 * mesh[0] @ turn.T + 1, mesh[1]), weights, 3 * (points + ASIDE) @ turn.T + 1)
    np.testing.assert_allclose(moved, wanted, atol=1e-9)


def test_influences_in_influences_out() -> None:
    hero = lissom.samples.humanoid()
    mesh = hero.mesh
    points = mesh.positions[:500].astype(np.float64) + 1e-4 * ASIDE
    (indices, weights), report = transfer(mesh, (mesh.indices, mesh.weights), points, report=True)
    assert (indices.dtype, weights.dtype) == (np.uint16, np.float32)
    assert (np.diff(weights, axis=1) <= 0).all()
    dense = np.zeros((mesh.vertex_count, len(hero.skin)))
    np.add.at(dense, (np.arange(mesh.vertex_count)[:, None], mesh.indices), mesh.weights)
    wanted = transfer(mesh, dense, points)
    got = np.zeros_like(wanted)
    np.add.at(got, (np.arange(500)[:, None], indices), weights)
    np.testing.assert_allclose(got, wanted, atol=1e-6)
    assert report.distances.max() < 2.1e-4
    lissom.Mesh(points, np.zeros((0, 3), int), indices, weights)


def test_beyond_max_distance() -> None:
    mesh = capsule()
    weights = heat(mesh, TWO_BONES)
    points = np.array([[1.0, 0.6, 0], [1.0, 3, 0], [1, 2, 0]])
    with pytest.raises(
        ValueError, match=r"within max_distance 0\.5 of the source, got 2 .* farthest \(1\) at 2\.5"
    ):
        transfer(mesh, weights, points, max_distance=0.5)
    moved, report = transfer(mesh, weights, points, max_distance=0.5, beyond="nearest", report=True)
    assert report.beyond.tolist() == [1, 2]
    np.testing.assert_allclose(moved, transfer(mesh, weights, points))
    assert "2 beyond, 0 unmatched" in repr(report)


def test_normals_without_match_fall_back_and_are_listed() -> None:
    positions = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 5], [1, 0, 5], [0, 1, 5]])
    surface = positions, np.array([[0, 1, 2], [3, 5, 4]])  # towards +z, and far above towards -z
    weights = np.eye(2)[[0, 0, 0, 1, 1, 1]]
    points = np.array([[0.2, 0.2, 0.1]] * 3)
    normals = np.array([[0, 0, 1.0], [0, 0, -1], [1, 0, 0]])
    moved, report = transfer(surface, weights, points, target_normals=normals, max_angle=0.5, report=True)
    np.testing.assert_allclose(moved, [[1, 0], [0, 1], [1, 0]])
    assert report.unmatched.tolist() == [2]
    moved, report = transfer(
        surface, weights, points, target_normals=normals, max_angle=0.5, max_distance=1, report=True
    )
    np.testing.assert_allclose(moved, [[1, 0]] * 3)
    assert report.unmatched.tolist() == [1, 2]
    assert not len(report.beyond)


ONES = np.ones((74, 1))
ZERO = [[0.0, 0, 0]]


@pytest.mark.parametrize(
    ("surface", "weights", "points", "options", "error", "words"),
    [
        (capsule(), ONES[:5], ZERO, {}, ValueError, "a row for each of the 74 vertices, got 5"),
        (capsule(), -ONES, ZERO, {}, ValueError, "finite and not negative, got -1.0 for vertex 0, handle 0"),
        (capsule(), 0.5 * ONES, ZERO, {}, ValueError, "rows that sum to 1, got 0.5 for vertex 0"),
        (capsule(), ONES, [], {}, ValueError, "target_positions must hold at least one vertex"),
        (capsule(), ONES, [[0, 0, np.nan]], {}, ValueError, "target_positions must be finite, got nan"),
        (capsule(), ONES, [[0, 0, 1e80]], {}, ValueError, "points must be at most 1e75 in size, got 1e"),
        (capsule(), ONES, ZERO, {"max_distance": -1}, ValueError, "max_distance must be finite and at least"),
        (
            capsule(),
            ONES,
            ZERO,
            {"max_angle": 4},
            ValueError,
            r"max_angle must be in \[0, pi\] radians, got 4",
        ),
        (capsule(), ONES, ZERO, {"beyond": "zero"}, ValueError, "beyond must be 'raise' or 'nearest', got"),
        (capsule(), ONES, ZERO, {"target_normals": [[0, 1]]}, ValueError, r"must have shape \(1, 3\)"),
        (capsule(), ONES, ZERO, {"target_normals": [[0, np.inf, 0]]}, ValueError, "normals must be finite"),
        ((capsule()[0], []), ONES, ZERO, {}, ValueError, "must have a triangle with an area, got none"),
        (capsule(), (ONES,), ZERO, {}, TypeError, "a pair .indices, weights., got a tuple of 1"),
        (capsule(), (ONES, ONES), ZERO, {}, TypeError, "indices must be integers, got float64"),
        (capsule(), (np.zeros((74, 2), int), ONES), ZERO, {}, ValueError, "must have the same shape"),
        (capsule(), (np.full((74, 1), -1), ONES), ZERO, {}, ValueError, r"in \[0, 65536\), got -1 to -1"),
    ],
)
def test_refuses(surface, weights, points, options, error, words) -> None:
    with pytest.raises(error, match=words) as info:
        transfer(surface, weights, points, **options)
    assert str(info.value).startswith("weights.transfer: ")
