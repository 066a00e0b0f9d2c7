# SPDX-License-Identifier: MIT
"""weights.heat: against a dense twin, laws, and surfaces as bad as they come."""

import numpy as np
import pytest

import lissom
from lissom.weights import heat
from reference import heat as reference
from weight_meshes import TWO_BONES, blob, capsule, horseshoe, rotation

# Two solvers of one system, whose condition is that of a small mesh.
SAME = 1e-9
# Turning and scaling round the positions anew, 1e-16 of the size; mollified lengths and ties carry it on.
INVARIANT = 1e-6
BENT = np.array([[[0.0, 0.1, 0], [1.9, -0.1, 0]], [[2.2, 0, 0.1], [4, 0, 0]], [[2.0, 0.3, 0], [2.0, 0.3, 0]]])


def outward_volume(positions, triangles):
    a, b, c = (positions[triangles[:, i]] for i in range(3))
    return np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6


@pytest.mark.parametrize("mesh", [capsule(), blob(1), blob(2, 90), horseshoe()])
def test_test_meshes_face_outwards(mesh) -> None:
    assert outward_volume(*mesh) > 0


@pytest.mark.parametrize("sight", [True, False])
@pytest.mark.parametrize(
    ("mesh", "bones"),
    [
        (capsule(), BENT),
        (blob(1), BENT - [2, 0, 0]),
        (blob(2, 90), np.array([[[-1.5, 0, 0], [0, 0.2, 0]], [[0.3, 0, 0.1], [1.5, 0, 0]]])),
        (horseshoe(), np.array([[[-1.0, 3, 0], [-1.0, 0, 0]], [[1.0, 0.2, 0], [1.0, 2.5, 0]]])),
    ],
)
def test_equals_the_dense_twin(mesh, bones, sight) -> None:
    # No ray through an edge or a vertex: the twin's rays slip through between triangles there.
    positions = mesh[0] + np.random.default_rng(0).uniform(-0.01, 0.01, mesh[0].shape)
    wanted, _, _ = reference.weights(positions, mesh[1], bones, sight=sight)
    got = heat((positions, mesh[1]), bones, visibility=sight)
    np.testing.assert_allclose(got, wanted, atol=SAME)


def test_equals_the_twin_on_open_and_non_manifold_triangles() -> None:
    positions, triangles = capsule(7, 6)
    fin = np.array([[1.0, 0.9, 0.1], [3.0, 0.8, -0.1]])  # a third triangle at two edges, and a fourth
    positions = np.concatenate([positions, fin])
    last = len(positions)
    triangles = np.concatenate([triangles[5:], [[8, 14, last - 2], [14, 20, last - 1], [8, 14, last - 1]]])
    wanted, _, _ = reference.weights(positions, triangles, TWO_BONES, sight=False)
    got = heat((positions, triangles), TWO_BONES, visibility=False)
    np.testing.assert_allclose(got, wanted, atol=SAME)


def test_spreads_as_heat_in_a_thin_rod_does() -> None:
    """-w'' + w / r^2 = p / r^2 round a joint in a long rod: w = exp(-x / r) / 2 beyond it."""
    positions, triangles = capsule(161, 12, length=16.0, radius=0.5)
    bones = np.array([[[-1.0, 0, 0], [8, 0, 0]], [[8.0, 0, 0], [17, 0, 0]]])
    weights = heat((positions, triangles), bones)
    x = positions[:, 0] - 8
    beyond = (x > 0) & (x < 3)
    # The rod is a prism of 12 sides, whose middle is a little nearer than its edges.
    np.testing.assert_allclose(weights[beyond, 0], 0.5 * np.exp(-x[beyond] / 0.5), atol=0.01)


@pytest.mark.parametrize("seed", range(3))
def test_rows_sum_to_one_within_bounds(seed) -> None:
    random = np.random.default_rng(seed)
    mesh = blob(seed, 200)
    weights, report = heat(mesh, random.normal(size=(7, 2, 3)) * 0.4, report=True)
    assert weights.min() >= 0
    assert weights.max() <= 1
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-12)
    # Before anything was clipped or scaled: the maximum principle itself.
    assert report.lowest > -1e-12
    assert report.highest < 1 + 1e-12
    np.testing.assert_allclose(report.row_sums, 1, atol=1e-9)


def test_obtuse_triangles_give_no_negative_weights() -> None:
    """Flat triangles make negative cotangents; without flips weights would leave [0, 1]."""
    positions, triangles = capsule(5, 24, length=12.0)
    positions[1 + 24 : 1 + 48 : 2, 0] += 2.9
    weights, report = heat(
        (positions, triangles), [[[0, 0, 0], [3, 0, 0]], [[3, 0, 0], [12, 0, 0]]], report=True
    )
    _, laplacian, _ = reference.weights(positions, triangles, TWO_BONES)  # the same, by hand
    assert laplacian[~np.eye(len(laplacian), dtype=bool)].max() < 1e-9
    assert report.lowest > -1e-12
    assert weights.min() >= 0


@pytest.mark.parametrize(
    ("scale", "shift"), [(1e-3, 0.0), (1e4, 0.0), (1.0, 3.0), (2.0**200, 0.0), (1e-60, 0.0)]
)
def test_units_place_and_orientation_change_nothing(scale, shift) -> None:
    positions, triangles = capsule(15, 10)
    turn = rotation(4)

    def moved(points):
        return scale * (points @ turn.T + shift * np.array([1.0, -2, 0.5]))

    wanted = heat((positions, triangles), BENT)
    np.testing.assert_allclose(heat((moved(positions), triangles), moved(BENT)), wanted, atol=INVARIANT)


def test_symmetric_input_gives_symmetric_weights() -> None:
    positions, triangles = capsule(8, 8)  # its diagonals are not symmetric: the Laplacian must not mind
    weights = heat((positions, triangles), TWO_BONES)
    mirrored = positions * [-1, 1, 1] + [4, 0, 0]
    partner = np.argmin(np.linalg.norm(positions[:, None] - mirrored, axis=2), axis=0)
    np.testing.assert_allclose(weights[partner], weights[:, ::-1], atol=1e-9)


def test_order_of_vertices_triangles_and_winding_do_not_matter() -> None:
    positions, triangles = horseshoe()
    random = np.random.default_rng(5)
    order = random.permutation(len(positions))
    place = np.argsort(order)
    shuffled = place[triangles[random.permutation(len(triangles))]]
    flipped = random.random(len(shuffled)) < 0.5
    shuffled[flipped] = shuffled[flipped][:, [0, 2, 1]]
    bones = [[[-1, 3, 0], [-1, 0, 0]], [[1, 0, 0], [1, 3, 0]]]
    wanted = heat((positions, triangles), bones)
    np.testing.assert_allclose(heat((positions[order], shuffled), bones), wanted[order], atol=SAME)


def test_seams_are_welded() -> None:
    positions, triangles = capsule()
    split = positions[triangles].reshape(-1, 3)
    weights = heat((split, np.arange(len(split)).reshape(-1, 3)), BENT)
    np.testing.assert_allclose(weights, heat((positions, triangles), BENT)[triangles.ravel()], atol=SAME)
    near = split + np.random.default_rng(0).uniform(-1e-7, 1e-7, split.shape)
    welded = heat((near, np.arange(len(split)).reshape(-1, 3)), BENT)
    np.testing.assert_allclose(welded, weights, atol=1e-5)
    apart = heat((split, np.arange(len(split)).reshape(-1, 3)), BENT, weld=0)
    np.testing.assert_allclose(apart, weights, atol=SAME)  # equal positions are one whatever weld is


def test_a_bone_in_the_other_leg_is_hidden() -> None:
    positions, triangles = horseshoe()
    left = [[-1, 3, 0], [-1, 0, 0]]
    right = [[1.0, 3, 0], [1, 0, 0]]
    inner = [[-0.45, 0.5, 0], [-0.45, 2.5, 0]]  # between the legs, in the air, nearest to the inside of one
    seen = heat((positions, triangles), [left, right, inner])
    assert seen[:, 2].max() < 1e-9
    through_air = heat((positions, triangles), [left, right, inner], visibility=False)
    assert through_air[:, 2].max() > 0.5


def test_islands_do_not_mix_and_blind_ones_are_reported() -> None:
    positions, triangles = capsule()
    eye, eye_triangles = blob(0, 30)
    eye = 0.05 * eye + [4.2, 0.3, 0.2]
    both = np.concatenate([positions, eye])
    all_triangles = np.concatenate([triangles, eye_triangles + len(positions)])
    weights, report = heat((both, all_triangles), TWO_BONES, report=True)
    np.testing.assert_allclose(weights[: len(positions)], heat((positions, triangles), TWO_BONES), atol=1e-9)
    np.testing.assert_allclose(weights[len(positions) :], [[0, 1]] * len(eye), atol=1e-9)
    assert report.components_without_handle == 1
    np.testing.assert_array_equal(report.unreached_vertices, np.arange(len(positions), len(both)))
    assert report.notes == (
        "1 of 2 islands see no bone at all, 30 vertices; each of them took its nearest bone unseen",
    )


def test_cold_vertices_are_counted() -> None:
    mesh = horseshoe()
    with pytest.warns(RuntimeWarning, match="vertices see no bone"):
        _, report = heat(mesh, [[[-1.0, 3, 0], [-1, 2, 0]], [[-1, 2, 0], [-1, 1.5, 0]]], report=True)
    count, words = report.notes[0].split(" ", 1)
    assert words == "vertices see no bone through the inside; their weights come from those around them"
    assert int(count) > 20  # the other leg sees nothing of this one
    assert not len(report.unreached_vertices)


def test_degenerate_triangles_and_loose_vertices_do_no_harm() -> None:
    positions, triangles = capsule()
    extra = np.array([[1.0, 5, 0], [3.0, 5, 0]])
    middle = 0.5 * (positions[10] + positions[11])
    worse = np.concatenate([positions, extra, middle[None]])
    line = [[10, 11, len(worse) - 1], [10, 10, 12], [5, 5, 5]]
    weights, report = heat((worse, np.concatenate([triangles, line])), TWO_BONES, report=True)
    assert np.isfinite(weights).all()
    np.testing.assert_allclose(weights[: len(positions)], heat((positions, triangles), TWO_BONES), atol=1e-3)
    np.testing.assert_allclose(weights[len(positions) : -1], [[1, 0], [0, 1]], atol=1e-12)
    assert report.unreached_vertices.tolist() == [len(positions), len(positions) + 1]
    assert "2 vertices are in no triangle" in " ".join(report.notes)
    assert "2 triangles have two corners in one place" in " ".join(report.notes)


def test_only_triangles_without_area() -> None:
    line = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0]])
    with pytest.warns(RuntimeWarning, match="all handles stand beside the mesh"):
        weights = heat((line, [[0, 1, 2]]), [[[0, 1, 0], [1, 1, 0]], [[1, 1, 0], [2, 1, 0]]])
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-12)
    assert weights[0, 0] > 0.5 > weights[2, 0]
    np.testing.assert_allclose(heat((np.zeros((3, 3)), [[0, 1, 2]]), TWO_BONES), [[1, 0]] * 3)


def test_points_and_bones_without_length_are_one() -> None:
    mesh = capsule()
    points = heat(mesh, [[1.0, 0, 0], [[2.0, 0, 0], [4, 0, 0]]])
    bones = heat(mesh, [[[1.0, 0, 0], [1.0, 0, 0]], [[2.0, 0, 0], [4, 0, 0]]])
    np.testing.assert_array_equal(points, bones)


def test_bones_upon_the_surface_hold_it() -> None:
    positions, triangles = capsule()
    weights = heat((positions, triangles), [positions[20], [2.0, 0, 0]])
    assert weights[20, 0] > 0.999


def test_equal_bones_share() -> None:
    weights = heat(capsule(), [TWO_BONES[0], TWO_BONES[0], TWO_BONES[1]])
    np.testing.assert_allclose(weights[:, 0], weights[:, 1], atol=1e-12)


def test_conductance_narrows_the_blend() -> None:
    mesh = capsule(33, 12)
    wide, narrow = (heat(mesh, TWO_BONES, conductance=c) for c in (0.2, 5.0))
    assert ((wide > 0.05) & (wide < 0.95)).sum() > 2 * ((narrow > 0.05) & (narrow < 0.95)).sum()


def test_takes_a_mesh_and_leaves_its_input_alone() -> None:
    tube = lissom.samples.two_bone_tube()
    pair = (tube.mesh.positions.astype(np.float64), tube.mesh.triangles)
    before = pair[0].copy()
    np.testing.assert_array_equal(heat(tube.mesh, TWO_BONES), heat(pair, TWO_BONES))
    np.testing.assert_array_equal(pair[0], before)


def test_progress_tells_stages_and_stops() -> None:
    said = []
    heat(capsule(), TWO_BONES, progress=lambda stage, fraction: said.append((stage, fraction)))
    assert [stage for stage, _ in said] == ["visibility", "Delaunay", "factorising", "solving", "done"]
    assert all(0 <= fraction <= 1 for _, fraction in said)

    def stop(stage: str, fraction: float) -> None:
        if stage == "factorising":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        heat(capsule(), TWO_BONES, progress=stop)


GOOD = capsule()


@pytest.mark.parametrize(
    ("surface", "handles", "options", "error", "words"),
    [
        (None, TWO_BONES, {}, TypeError, "weights.heat: surface must be a pair"),
        (([], []), TWO_BONES, {}, ValueError, "positions must hold at least one vertex, got none"),
        ((GOOD[0][:, :2], GOOD[1]), TWO_BONES, {}, ValueError, r"positions must have shape \(V, 3\)"),
        (
            (GOOD[0] * np.nan, GOOD[1]),
            TWO_BONES,
            {},
            ValueError,
            "positions must be finite, got nan in vertex 0",
        ),
        ((GOOD[0] * 1e80, GOOD[1]), TWO_BONES, {}, ValueError, "positions must be at most 1e75 in size"),
        (
            (GOOD[0], []),
            TWO_BONES,
            {},
            ValueError,
            "surface triangles must hold at least one triangle, got none",
        ),
        ((GOOD[0], GOOD[1] + 0.5), TWO_BONES, {}, TypeError, "triangles must be an array of integers"),
        ((GOOD[0], GOOD[1] + 1), TWO_BONES, {}, ValueError, r"triangles must be in \[0, 74\)"),
        ((GOOD[0], GOOD[1] - 1), TWO_BONES, {}, ValueError, r"triangles must be in \[0, 74\)"),
        (GOOD, [], {}, ValueError, "handles must hold at least one point or bone, got none"),
        (GOOD, 3, {}, TypeError, "handles must be a sequence of points"),
        (
            GOOD,
            [1.0, 2.0, 3.0],
            {},
            ValueError,
            r"handle 0 must be a point .* got shape \(\); put a single point into a list",
        ),
        (
            GOOD,
            [[0, 0, 0], [0, np.inf, 0]],
            {},
            ValueError,
            r"handle 1 must be finite, got \[0.0, inf, 0.0\]",
        ),
        (GOOD, TWO_BONES, {"conductance": 0}, ValueError, "conductance must be above zero"),
        (GOOD, TWO_BONES, {"weld": -1}, ValueError, "weld must be finite and at least 0"),
        (GOOD, TWO_BONES, {"weld": 1.0}, ValueError, r"weld must be in \[0, 1\), got 1"),
    ],
)
def test_refuses(surface, handles, options, error, words) -> None:
    with pytest.raises(error, match=words) as info:
        heat(surface, handles, **options)
    assert str(info.value).startswith("weights.heat: ")
