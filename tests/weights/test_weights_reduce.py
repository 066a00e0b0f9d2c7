# SPDX-License-Identifier: MIT
"""weights.reduce: few influences, no seams, and nothing dropped in silence."""

import numpy as np
import pytest

import lissom
from lissom.weights import bones, heat, inverse_distance, reduce
from weight_meshes import TWO_BONES, capsule


def dense(reduced, handle_count):
    weights = np.zeros((len(reduced.indices), handle_count))
    np.add.at(
        weights, (np.arange(len(weights))[:, None], reduced.indices), reduced.weights.astype(np.float64)
    )
    return weights


def truncated(weights, k):
    order = np.argsort(-weights, axis=1, kind="stable")[:, k:]
    kept = weights.copy()
    np.put_along_axis(kept, order, 0, axis=1)
    return kept / kept.sum(axis=1, keepdims=True)


def edges(triangles):
    pairs = np.sort(
        np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1
    )
    return np.unique(pairs, axis=0)


def cost(weights, given, pairs, smoothness):
    change = weights - given
    return (change**2).sum() + smoothness * ((change[pairs[:, 0]] - change[pairs[:, 1]]) ** 2).sum()


@pytest.fixture(scope="module")
def spread():
    """A capsule whose every vertex has a share of nine points."""
    positions, triangles = capsule(33, 12)
    handles = np.stack([np.linspace(-0.2, 4.2, 9), 0.3 * np.sin(np.arange(9)), np.zeros(9)], axis=1)
    return (positions, triangles), inverse_distance((positions, triangles), handles, power=2)


@pytest.mark.parametrize("k", [1, 2, 4, 8])
@pytest.mark.parametrize("has_surface", [True, False])
def test_gives_what_a_mesh_takes(spread, k, has_surface) -> None:
    surface, weights = spread
    reduced = reduce(weights, k, surface=surface if has_surface else None)
    indices, values, dropped = reduced
    assert (indices.shape, indices.dtype) == ((len(weights), k), np.uint16)
    assert (values.shape, values.dtype) == ((len(weights), k), np.float32)
    assert values.min() >= 0
    assert (np.diff(values, axis=1) <= 0).all()
    np.testing.assert_allclose(values.sum(axis=1, dtype=np.float64), 1, atol=1e-7)
    assert dropped.vertex_count == len(weights)
    assert dropped.most_influences == 9
    lissom.Mesh(*surface, indices, values)


def test_few_influences_stay_as_they_are() -> None:
    mesh = capsule()
    weights = heat(mesh, TWO_BONES)
    weights[:, 1] = 1 - weights[:, 0]  # rows that sum to 1 to the last bit: nothing is left to normalise
    reduced = reduce(weights, 4, surface=mesh, threshold=0)
    np.testing.assert_allclose(dense(reduced, 2), weights, atol=1e-7)
    assert reduced.weights.shape == (74, 4)
    assert (reduced.dropped.vertex_count, reduced.dropped.largest, reduced.dropped.mean_change) == (0, 0, 0)


def test_lowers_its_own_cost_below_truncation(spread) -> None:
    surface, weights = spread
    pairs = edges(surface[1])
    for smoothness, share in ((1.0, 0.9), (10.0, 0.6), (100.0, 0.5)):
        optimised = dense(reduce(weights, 4, surface=surface, smoothness=smoothness, threshold=0), 9)
        plain = cost(truncated(weights, 4), weights, pairs, smoothness)
        assert cost(optimised, weights, pairs, smoothness) < share * plain


def test_no_row_can_be_bettered_by_itself(spread) -> None:
    """A fixed point: each row is the best of all choices of two handles, its neighbours as they are."""
    surface, weights = spread
    pairs = edges(surface[1])
    best = dense(reduce(weights, 2, surface=surface, threshold=0), 9)
    cells = np.stack(np.triu_indices(9, 1), axis=1)
    for vertex in range(5, 390, 37):
        near = np.concatenate([pairs[pairs[:, 0] == vertex, 1], pairs[pairs[:, 1] == vertex, 0]])
        change = (best - weights)[near]

        def own_cost(row, vertex=vertex, change=change):
            moved = row - weights[vertex]
            return (moved**2).sum() + 10 * ((moved - change) ** 2).sum()

        for cell in cells:
            for share in np.linspace(0, 1, 51):
                row = np.zeros(9)
                row[cell] = share, 1 - share
                assert own_cost(best[vertex]) <= own_cost(row) + 1e-4


def test_nearest_row_without_a_surface() -> None:
    weights = np.array([[0.4, 0.3, 0.2, 0.1], [0.97, 0.01, 0.01, 0.01]])
    reduced = reduce(weights, 2, threshold=0)
    np.testing.assert_allclose(dense(reduced, 4), [[0.55, 0.45, 0, 0], [0.98, 0.02, 0, 0]], atol=1e-7)
    assert reduced.dropped.largest == pytest.approx(0.3)
    assert reduced.dropped.mean == pytest.approx((0.3 + 0.02) / 2)
    assert reduced.dropped.largest_change == pytest.approx(0.3)
    assert reduced.dropped.mean_change == pytest.approx(0.16)
    assert reduced.dropped.vertex_count == 2


def test_none_keeps_all_above_the_threshold() -> None:
    weights = np.array([[0.5, 0.3, 0.15, 0.05], [0.97, 0.03, 0, 0]])
    reduced = reduce(weights, None, threshold=0.1)
    assert reduced.indices.tolist() == [[0, 1, 2], [0, 0, 0]]
    np.testing.assert_allclose(reduced.weights, [[0.5 / 0.95, 0.3 / 0.95, 0.15 / 0.95], [1, 0, 0]], rtol=1e-6)
    assert reduced.dropped.vertex_count == 0  # what is below the threshold is no influence
    assert reduced.dropped.largest == pytest.approx(0.05)
    np.testing.assert_allclose(dense(reduce(weights, None, threshold=0), 4), weights, atol=1e-7)


def test_each_vertex_keeps_its_largest() -> None:
    reduced = reduce(np.full((3, 1000), 1e-3), 4, threshold=0.5)
    np.testing.assert_allclose(reduced.weights.sum(axis=1), 1)


def test_split_vertices_stay_together(spread) -> None:
    (positions, triangles), weights = spread
    whole = dense(reduce(weights, 3, surface=(positions, triangles)), 9)
    split = positions[triangles].reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3)
    apart = dense(reduce(weights[triangles.ravel()], 3, surface=split), 9)
    for corner, vertex in enumerate(triangles.ravel()):
        np.testing.assert_array_equal(apart[corner], apart[np.argmax(triangles.ravel() == vertex)])
    np.testing.assert_allclose(apart.mean(axis=0), whole[triangles.ravel()].mean(axis=0), atol=0.02)


def test_coincident_vertices_of_other_weights_stay_apart() -> None:
    positions, triangles = capsule()
    both = np.concatenate([positions, positions]), np.concatenate([triangles, triangles + len(positions)])
    one = heat((positions, triangles), [[[0, 0.1, 0], [1.3, 0, 0]], [[1.3, 0, 0.1], [4, 0, 0]]])
    weights = np.concatenate([one, one[:, ::-1]])
    reduced = dense(reduce(weights, 1, surface=both), 2)
    np.testing.assert_allclose(reduced[: len(one)], reduced[len(one) :, ::-1])


def stretch_jumps(hero, given, reduced, count=12):
    """How far edges are stretched otherwise than by the given weights: the worst and the mean."""
    made = bones(hero.skeleton)
    random = np.random.default_rng(8)
    poses = np.repeat(hero.skeleton.rest[None].astype(np.float64), count, axis=0)
    turns = random.normal(scale=0.35, size=(*poses.shape[:2], 3))
    poses[..., 3:7] = lissom.quat.multiply(poses[..., 3:7], lissom.quat.from_rotation_vector(turns))
    matrices = made.skin.palette(hero.skeleton.model_matrices(poses)).matrices[..., :3, :]
    rest = np.concatenate([hero.mesh.positions, np.ones((hero.mesh.vertex_count, 1))], axis=1)
    pairs = edges(hero.mesh.triangles.astype(int))
    long = np.linalg.norm(hero.mesh.positions[pairs[:, 0]] - hero.mesh.positions[pairs[:, 1]], axis=1)
    pairs, long = pairs[long > 1e-3], long[long > 1e-3]
    found = []
    for palette in matrices:
        off = np.einsum("vs,sij,vj->vi", reduced - given, palette, rest, optimize=True)
        found.append(np.linalg.norm(off[pairs[:, 0]] - off[pairs[:, 1]], axis=1) / long)
    return float(np.max(found)), float(np.mean(found))


def test_leaves_weaker_seams_than_truncation() -> None:
    hero = lissom.samples.humanoid()
    made = bones(hero.skeleton)
    given = made.per_joint(heat(hero.mesh, made))
    optimised = dense(reduce(given, 4, surface=hero.mesh), given.shape[1])
    worst, mean = stretch_jumps(hero, given, optimised)
    worst_truncated, mean_truncated = stretch_jumps(hero, given, truncated(given, 4))
    assert worst < 0.5 * worst_truncated
    assert mean < 0.9 * mean_truncated


def test_ctrl_c_and_progress(spread) -> None:
    surface, weights = spread

    def stop(stage: str, fraction: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reduce(weights, 2, surface=surface, progress=stop)


@pytest.mark.parametrize(
    ("weights", "options", "error", "words"),
    [
        (
            np.zeros((0, 3)),
            {},
            ValueError,
            r"weights must have shape \(V, H\), at least one of each, got \(0, 3\)",
        ),
        ([[0.5, np.nan]], {}, ValueError, "finite and not negative, got nan for vertex 0, handle 1"),
        ([[1.5, -0.5]], {}, ValueError, "finite and not negative, got -0.5 for vertex 0, handle 1"),
        ([[1, 0], [0.4, 0.4]], {}, ValueError, "rows that sum to 1, got 0.8 for vertex 1"),
        ([["a"]], {}, TypeError, "weights must be an array of real numbers"),
        ([[1.0]], {"k": 0}, ValueError, "k must be at least 1, got 0"),
        ([[1.0]], {"k": 2.5}, TypeError, "k must be an integer or None, got float"),
        ([[1.0]], {"threshold": 0.6}, ValueError, r"threshold must be in \[0, 0.5\], got 0.6"),
        ([[1.0]], {"smoothness": -1}, ValueError, "smoothness must be finite and at least 0"),
        ([[1.0]], {"surface": capsule()}, ValueError, "a vertex for each of the 1 rows of weights, got 74"),
        (np.full((1, 70000), 1 / 70000), {}, ValueError, "at most 65536 columns, got 70000"),
    ],
)
def test_refuses(weights, options, error, words) -> None:
    with pytest.raises(error, match=words) as info:
        reduce(weights, **options)
    assert str(info.value).startswith("weights.reduce: ")
