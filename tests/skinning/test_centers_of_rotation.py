# SPDX-License-Identifier: MIT
"""Optimised centres of rotation against their float64 twin, by their laws, and their refusals."""

import os
import subprocess
import sys

import numpy as np
import pytest

import lissom
from conftest import asset_files, asset_id
from reference import centers_of_rotation as twin
from tubes import tube

# Sums are in double, the result is rounded to float32: half a unit in the last place of coordinates below 1.
TOLERANCE = 1e-7
# Of two results that are both rounded, after a rigid motion in float64.
MOVED_TOLERANCE = 1e-6


def random_surface(rng, vertex_count=60, triangle_count=90, joint_count=5, influence_count=3):
    """Triangles between random points; some slots have no weight, some rows name a joint twice."""
    weights = rng.random((vertex_count, influence_count)) ** 2
    weights[:, 1:][rng.random((vertex_count, influence_count - 1)) < 0.2] = 0
    weights /= weights.sum(axis=1, keepdims=True)
    triangles = [rng.choice(vertex_count, 3, replace=False) for _ in range(triangle_count)]
    return lissom.Mesh(
        rng.uniform(-0.5, 0.5, (vertex_count, 3)),
        triangles,
        rng.integers(0, joint_count, (vertex_count, influence_count)),
        weights,
    )


def assert_close(got, expected, tolerance=TOLERANCE):
    np.testing.assert_allclose(got, expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize("influence_count", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("sigma", [0.02, 0.1, 3.0])
def test_centers_equal_their_twin(influence_count, sigma) -> None:
    rng = np.random.default_rng(influence_count)
    mesh = random_surface(rng, influence_count=influence_count)
    got = mesh.centers_of_rotation(sigma)
    assert got.dtype == np.float32
    assert got.shape == (mesh.vertex_count, 3)
    assert_close(got, twin.centers_of_rotation(mesh, sigma))
    moved = (got != mesh.positions).any(axis=1)
    several = (twin.dense_weights(mesh.indices, mesh.weights) > 0).sum(axis=1) > 1
    np.testing.assert_array_equal(moved, several)


def test_the_twin_sums_as_the_paper_does() -> None:
    rng = np.random.default_rng(0)
    rows = rng.dirichlet(np.ones(5), 8)
    rows[rows < 0.1] = 0
    by_pairs = twin.similarities(rows, rows[::-1], 0.1)
    by_formula = [[twin.similarity(p, v, 0.1) for v in rows[::-1]] for p in rows]
    np.testing.assert_allclose(by_pairs, by_formula, rtol=1e-13)


def test_two_triangles_by_hand() -> None:
    """Weights are the same all over each triangle, so the sum has two terms."""
    positions = [[0, 0, 0], [3, 0, 0], [0, 2, 0], [0, 0, 6], [3, 0, 6], [0, 4, 6]]
    mesh = lissom.Mesh(positions, [[0, 1, 2], [3, 4, 5]], [[0, 1]] * 6, [[0.5, 0.5]] * 3 + [[0.75, 0.25]] * 3)
    near = (2 * 0.5**4, 3.0, np.array([1, 2 / 3, 0]))  # similarity, area, centroid
    far = (
        2 * 0.5**2 * 0.75 * 0.25 * np.exp(-((0.5 * 0.25 - 0.5 * 0.75) ** 2) / 0.01),
        6.0,
        np.array([1, 4 / 3, 6]),
    )
    total = near[0] * near[1] + far[0] * far[1]
    expected = (near[0] * near[1] * near[2] + far[0] * far[1] * far[2]) / total
    assert_close(mesh.centers_of_rotation()[:3], [expected] * 3)


@pytest.mark.parametrize(
    "path",
    [p for p in asset_files("characters") if p.name in {"robot.glb", "Fox.glb", "Bee.glb"}],
    ids=asset_id,
)
def test_real_characters_equal_the_twin(path) -> None:
    mesh = lissom.load(path).mesh
    few = np.random.default_rng(0).choice(mesh.vertex_count, 40, replace=False)
    size = np.linalg.norm(np.ptp(mesh.positions, axis=0))
    expected = twin.centers_of_rotation(mesh, chosen=few)
    assert_close(mesh.centers_of_rotation()[few], expected, TOLERANCE * size)


# Laws


def test_centers_of_a_tube_lie_on_its_axis() -> None:
    mesh = tube()
    centers = mesh.centers_of_rotation()
    blended = mesh.weights.min(axis=1) > 0
    assert blended.sum() > 200
    assert_close(centers[blended][:, 1:], 0, 1e-6)
    # Where the joints share the surface evenly the centre is at the bend; elsewhere it follows the weights.
    even = np.abs(mesh.positions[:, 0] - 2) < 1e-6
    assert_close(centers[even], np.tile([2, 0, 0], (even.sum(), 1)), 1e-6)
    along = centers[blended][:, 0]
    assert (np.diff(along[np.argsort(mesh.positions[blended][:, 0], kind="stable")]) > -1e-6).all()
    np.testing.assert_array_equal(centers[~blended], mesh.positions[~blended])


def test_a_mirrored_mesh_has_mirrored_centers() -> None:
    rng = np.random.default_rng(1)
    mesh = random_surface(rng)
    mirrored = lissom.Mesh(mesh.positions * [-1, 1, 1], mesh.triangles[:, ::-1], mesh.indices, mesh.weights)
    assert_close(mirrored.centers_of_rotation(), mesh.centers_of_rotation() * [-1, 1, 1])


def refined(mesh):
    """Return the same surface with each triangle cut in four: weights go on as straight as they did."""
    edges = np.sort(mesh.triangles[:, [[0, 1], [1, 2], [2, 0]]].astype(np.int64).reshape(-1, 2), axis=1)
    ends, middle = np.unique(edges, axis=0, return_inverse=True)
    ab, bc, ca = mesh.vertex_count + middle.reshape(-1, 3).T
    a, b, c = mesh.triangles.astype(np.int64).T
    triangles = np.concatenate(
        [np.stack(t, -1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
    )
    positions = np.concatenate([mesh.positions, mesh.positions[ends].mean(axis=1)])
    weights = twin.dense_weights(mesh.indices, mesh.weights)
    weights = np.concatenate([weights, weights[ends].mean(axis=1)])
    return lissom.Mesh(positions, triangles, np.tile(np.arange(weights.shape[1]), (len(weights), 1)), weights)


def test_how_finely_the_surface_is_meshed_hardly_matters() -> None:
    coarse = tube(rings=11, sides=8)
    fine = refined(refined(refined(coarse)))
    expected = fine.centers_of_rotation()[: coarse.vertex_count]
    off = np.abs(coarse.centers_of_rotation() - expected).max()
    undivided = np.abs(twin.centers_of_rotation(coarse, divide=False) - expected).max()
    assert off < 0.006  # of a tube 4 long: the step of 0.1 in the weights that is left
    assert off < 0.2 * undivided


def test_rigid_motion_and_scale_move_centers_alike() -> None:
    rng = np.random.default_rng(2)
    mesh = random_surface(rng)
    axis_angle = rng.normal(size=3)
    turn = lissom.quat.to_matrix(lissom.quat.from_rotation_vector(axis_angle))
    for factor in (1.0, 1e-3, 1e6):
        shift = factor * np.array([0.3, -0.2, 0.5])
        moved = lissom.Mesh(
            (factor * mesh.positions.astype(np.float64)) @ turn.T + shift,
            mesh.triangles,
            mesh.indices,
            mesh.weights,
        )
        expected = (factor * mesh.centers_of_rotation().astype(np.float64)) @ turn.T + shift
        assert_close(moved.centers_of_rotation() / factor, expected / factor, MOVED_TOLERANCE)


def test_the_order_of_influences_corners_and_vertices_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    mesh = random_surface(rng, influence_count=4)
    expected = mesh.centers_of_rotation()
    slots = np.argsort(rng.random(mesh.indices.shape), axis=1)
    shuffled = lissom.Mesh(
        mesh.positions,
        mesh.triangles,
        np.take_along_axis(mesh.indices, slots, 1),
        np.take_along_axis(mesh.weights, slots, 1),
    )
    np.testing.assert_array_equal(shuffled.centers_of_rotation(), expected)
    rolled = lissom.Mesh(mesh.positions, np.roll(mesh.triangles, 1, axis=1), mesh.indices, mesh.weights)
    assert_close(rolled.centers_of_rotation(), expected)
    order = rng.permutation(mesh.vertex_count)
    rank = np.argsort(order)
    permuted = lissom.Mesh(
        mesh.positions[order], rank[mesh.triangles], mesh.indices[order], mesh.weights[order]
    )
    assert_close(permuted.centers_of_rotation(), expected[order])


def test_split_vertices_have_the_centers_of_whole_ones() -> None:
    mesh = random_surface(np.random.default_rng(4))
    corners = mesh.triangles.ravel()
    split = lissom.Mesh(
        mesh.positions[corners],
        np.arange(len(corners)).reshape(-1, 3),
        mesh.indices[corners],
        mesh.weights[corners],
    )
    assert_close(split.centers_of_rotation(), mesh.centers_of_rotation()[corners])


def test_slots_without_weight_contribute_nothing() -> None:
    rng = np.random.default_rng(5)
    mesh = random_surface(rng)
    padded = lissom.Mesh(
        mesh.positions,
        mesh.triangles,
        np.concatenate([mesh.indices, rng.integers(0, 70_000, mesh.indices.shape)], axis=1),
        np.concatenate([mesh.weights, np.zeros_like(mesh.weights)], axis=1),
    )
    np.testing.assert_array_equal(padded.centers_of_rotation(), mesh.centers_of_rotation())


def test_what_nothing_is_similar_to_keeps_its_place() -> None:
    """Vertex 3 hangs on joints that no triangle has, and vertex 4 on one joint."""
    mesh = lissom.Mesh(
        [[0, 0, 0], [1, 0, 0], [0, 1, 0], [5, 6, 7], [7, 8, 9]],
        [[0, 1, 2]],
        [[0, 1]] * 3 + [[2, 3], [0, 0]],
        [[0.5, 0.5]] * 5,
    )
    centers = mesh.centers_of_rotation()
    np.testing.assert_array_equal(centers[3:], mesh.positions[3:])
    assert_close(centers[:3], [[1 / 3, 1 / 3, 0]] * 3)


@pytest.mark.parametrize(("exponent", "has_center"), [(80, True), (120, False)])
def test_hardly_any_similarity_makes_no_center(exponent, has_center) -> None:
    """Vertex 3 is like the triangle by about 10**-exponent; below 1e-100 that counts as nothing."""
    mesh = lissom.Mesh(
        [[0, 0, 0], [1, 0, 0], [0, 1, 0], [5, 6, 7]],
        [[0, 1, 2]],
        [[0, 1]] * 4,
        [[0.5, 0.5]] * 3 + [[0.75, 0.25]],
    )
    # exp(-((0.75 - 0.25) / 2)^2 / sigma^2)
    center = mesh.centers_of_rotation(0.25 / np.sqrt(exponent * np.log(10)))[3]
    assert_close(center, [1 / 3, 1 / 3, 0] if has_center else mesh.positions[3])


def test_triangles_without_area_add_nothing() -> None:
    mesh = tube(rings=21, sides=8)
    flat = lissom.Mesh(
        mesh.positions,
        np.concatenate([mesh.triangles, [[5, 5, 90], [80, 88, 88]]]),
        mesh.indices,
        mesh.weights,
    )
    np.testing.assert_array_equal(flat.centers_of_rotation(), mesh.centers_of_rotation())


# Threads, instruction sets, keeping


def test_centers_do_not_depend_on_the_number_of_threads() -> None:
    mesh = tube(rings=121, sides=48)
    results = []
    for count in (1, 2, 5):
        lissom.set_thread_count(count)
        results.append(mesh.centers_of_rotation(0.099))
    lissom.set_thread_count(0)
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


def test_centers_have_the_same_bits_on_every_instruction_set() -> None:
    script = (
        "import sys, lissom; mesh = lissom.samples.two_bone_tube().mesh;"
        "sys.stdout.buffer.write(mesh.centers_of_rotation().tobytes())"
    )
    results = {
        subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | {"LISSOM_ISA": isa},
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
        for isa in lissom.show_config("dicts")["instruction_sets"]
    }
    assert len(results) == 1
    assert len(results.pop()) == 12 * lissom.samples.two_bone_tube().mesh.vertex_count


def test_centers_are_kept_for_the_default_sigma() -> None:
    mesh = tube(rings=11, sides=6)
    centers = mesh.centers_of_rotation()
    assert mesh.centers_of_rotation(0.1) is centers
    assert not centers.flags.writeable
    assert (mesh.centers_of_rotation(0.3) != centers).any()


# What is refused


@pytest.mark.parametrize("sigma", [0, -0.1, np.nan, np.inf])
def test_a_sigma_that_is_not_positive_is_refused(sigma) -> None:
    with pytest.raises(
        ValueError, match=r"Mesh\.centers_of_rotation: sigma must be above zero and finite, got"
    ):
        tube(rings=11, sides=6).centers_of_rotation(sigma)
    with pytest.raises(
        ValueError, match=r"Mesh\.centers_of_rotation: sigma must be positive, .* finite, got 1e-320"
    ):
        tube(rings=11, sides=6).centers_of_rotation(1e-320)


def test_a_sigma_that_is_no_number_is_refused() -> None:
    with pytest.raises(TypeError, match=r"Mesh\.centers_of_rotation: sigma must be a number, got str"):
        tube(rings=11, sides=6).centers_of_rotation("wide")


def test_a_mesh_without_a_surface_is_refused() -> None:
    points = lissom.Mesh([[0, 0, 0]], [], [[0, 1]], [[0.5, 0.5]])
    with pytest.raises(
        ValueError, match=r"Mesh\.centers_of_rotation: the mesh has no triangles, .*; give it"
    ):
        points.centers_of_rotation()
    line = lissom.Mesh([[0, 0, 0], [1, 1, 1], [2, 2, 2]], [[0, 1, 2]])
    with pytest.raises(ValueError, match=r"Mesh\.centers_of_rotation: no triangle of the mesh has an area"):
        line.centers_of_rotation()


def test_an_empty_mesh_has_no_centers() -> None:
    assert lissom.Mesh([], []).centers_of_rotation().shape == (0, 3)
