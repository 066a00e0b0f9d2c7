# SPDX-License-Identifier: MIT
"""lissom.metrics: solids whose numbers are known, float64 twins, laws, and every refusal."""

import re

import numpy as np
import pytest

import lissom
from lissom import metrics

# Sums over some thousand triangles in float64.
EXACT = 1e-12
# Vertices skinned in float32: six digits, and edges that are a hundredth of the size.
SKINNED = 1e-4

CORNERS = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
CUBE = np.array(
    [
        *([0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5]),
        *([0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6]),
        *([0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]),
    ]
)
TRIANGLE = np.array([[0.0, 0, 0], [3, 0, 0], [0, 4, 0]])
FACE = [[0, 1, 2]]


def refusal(error, words):
    return pytest.raises(error, match=re.escape(words))


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.fixture(scope="module")
def tube():
    return lissom.samples.two_bone_tube()


@pytest.fixture(scope="module")
def bar():
    return lissom.samples.twisted_bar()


def turned(character, degrees, axis):
    """Poses with "Tip" turned about an axis."""
    half = 0.5 * np.radians(np.atleast_1d(degrees).astype(float))
    poses = np.tile(character.skeleton.rest.astype(float), (len(half), 1, 1))
    poses[:, 1, 3:6] = np.sin(half)[:, None] * np.asarray(axis, float)
    poses[:, 1, 6] = np.cos(half)
    return poses


def cut_apart(points, triangles):
    """The same surface, every triangle with corners of its own: all edges are seams."""
    return points[triangles].reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3)


# Volume


def test_volume_of_a_box_wherever_it_stands(rng):
    far = np.array([1e4 / 3, -2e4 / 7, 1e3 / 11])  # no whole numbers, whose products would be exact
    turned_over = lissom.quat.rotate(lissom.quat.random(seed=rng, dtype=float), CORNERS)
    for points in (CORNERS, CORNERS + far, turned_over):
        found = metrics.volume(points, CUBE)
        assert found.total == pytest.approx(1, abs=1e-9)
        assert found.pieces.tolist() == [found.total]
        assert found.surface.is_closed
    assert metrics.volume(CORNERS * [2, 3, 4], CUBE).total == pytest.approx(24, abs=EXACT)
    assert metrics.volume(CORNERS, CUBE[:, ::-1]).total == pytest.approx(-1, abs=EXACT)
    assert isinstance(found.total, float)


def test_seams_are_no_holes_also_where_they_were_rounded(rng):
    points, triangles = cut_apart(CORNERS, CUBE)
    assert metrics.Surface.of(points, triangles).is_closed
    rounded = points + rng.uniform(-1e-7, 1e-7, points.shape)
    surface = metrics.Surface.of(rounded, triangles)
    assert surface.is_closed
    assert len(surface.edges) == 18
    assert len(np.unique(surface.weld)) == 8
    assert metrics.volume(rounded, triangles).total == pytest.approx(1, abs=1e-6)
    parted = points + rng.uniform(-1e-4, 1e-4, points.shape)
    assert not metrics.Surface.of(parted, triangles).is_closed


def test_points_nearer_than_a_millionth_of_the_diagonal_are_one(rng):
    """Wherever they lie: no grid of cells parts them."""
    count = 2000
    points = np.concatenate([rng.uniform(-1, 1, (count, 3)), [[-1, -1, -1], [1, 1, 1]]])
    way = rng.normal(size=(count, 3))
    way *= np.sqrt(12) / np.linalg.norm(way, axis=1, keepdims=True)  # as long as the box's diagonal

    def weld(share):
        both = np.concatenate([points, points[:count] + share * way])
        return metrics.Surface.of(both, [[0, 1, 2]]).weld[len(points) :]

    np.testing.assert_array_equal(weld(0.95e-6), np.arange(count))
    assert (weld(1e-5) >= len(points)).all()


def test_copies_at_a_seam_are_measured_where_their_first_one_is(rng):
    """Skinning may part them by a rounding; a surface with gaps has no volume."""
    points, triangles = cut_apart(CORNERS, CUBE)
    posed = points + rng.uniform(-1e-3, 1e-3, points.shape)
    first = posed[metrics.Surface.of(points, triangles).weld]
    found = metrics.volume(posed, triangles, points).total
    assert found == pytest.approx(metrics.volume(first, triangles, points).total, abs=EXACT)
    assert metrics.volume(posed + 1e3, triangles, points).total == pytest.approx(found, abs=1e-9)
    corners = np.array([first[np.flatnonzero((points == corner).all(axis=1))[0]] for corner in CORNERS])
    assert found == pytest.approx(metrics.volume(corners, CUBE).total, abs=EXACT)


def test_what_meets_in_a_pose_only_is_not_welded():
    flat = CORNERS * [1, 1, 0]
    change = metrics.volume_change(flat, CORNERS, CUBE)
    assert change.total == pytest.approx(-1, abs=EXACT)
    assert change.surface.is_closed
    with refusal(ValueError, "metrics.volume: positions must have shape"):
        metrics.volume(np.stack([flat, flat]), CUBE)
    assert metrics.volume(np.stack([flat, CORNERS]), CUBE, CORNERS).total == pytest.approx([0, 1], abs=EXACT)


def test_an_open_surface_says_where():
    lidless = CUBE[:-2]  # without the two triangles at z = 1
    surface = metrics.Surface.of(CORNERS, lidless)
    assert not surface.is_closed
    assert surface.closed.tolist() == [False]
    assert {tuple(edge) for edge in surface.open_edges.tolist()} == {(1, 3), (1, 5), (3, 7), (5, 7)}
    found = metrics.volume(CORNERS, lidless)
    assert np.isnan(found.total)
    assert np.isnan(found.pieces).all()
    assert np.isnan(metrics.volume_change(CORNERS, CORNERS, lidless).total)
    assert "1 pieces, 0 of them closed, 4 open edges" in repr(surface)


def test_a_face_that_is_turned_over_opens_the_surface():
    turned_over = CUBE.copy()
    turned_over[4] = turned_over[4, ::-1]
    assert len(metrics.Surface.of(CORNERS, turned_over).open_edges) == 3


def test_pieces_are_measured_each():
    points = np.concatenate([CORNERS, 2 * CORNERS + 5, CORNERS - 9])
    triangles = np.concatenate([CUBE + 8, CUBE, (CUBE + 16)[:-1]])  # the last one is open
    found = metrics.volume(points, triangles)
    np.testing.assert_allclose(found.pieces, [8, 1, np.nan], atol=1e-12)  # in the order of the triangles
    assert found.total == pytest.approx(9, abs=EXACT)
    posed = points * np.where(np.arange(24) < 8, 0.5, 1.0)[:, None]
    change = metrics.volume_change(np.stack([points, posed]), points, triangles)
    np.testing.assert_allclose(change.total, [0, (8 + 0.125) / 9 - 1], atol=1e-12)
    np.testing.assert_allclose(change.pieces, [[0, 0, np.nan], [0, -0.875, np.nan]], atol=1e-12)


def test_a_triangle_without_area_closes_what_it_touches():
    triangles = np.concatenate([CUBE, [[0, 1, 1], [3, 3, 3]]])
    surface = metrics.Surface.of(CORNERS, triangles)
    assert surface.is_closed
    assert surface.piece_count == 1


def test_twisting_a_bar_by_half_a_turn_halves_it_linearly(bar):
    """Of a square column twisted by a, the linear blend scales each section by (1 - t) + t e^(ia).

    With t rising from 0 to 1 over three of four units, the mean of the squares at a = 180 degrees is 1/3: the
    volume falls to (1 + 3 / 3) / 4.
    """
    poses = turned(bar, [0, 90, 180], (1, 0, 0))
    change = metrics.volume_change(bar.deform(poses, "linear"), bar.mesh.positions, bar.mesh.triangles)
    # At 90 degrees |(1 - t) + t i|^2 = 1 - 2 t + 2 t^2, mean 2/3. The bar has 48 segments: second order.
    np.testing.assert_allclose(change.total, [0, (1 + 3 * 2 / 3) / 4 - 1, -0.5], atol=1e-3)
    dual = metrics.volume_change(bar.deform(poses, "dual_quat"), bar.mesh.positions, bar.mesh.triangles)
    assert np.abs(dual.total).max() < 5e-3


# Edges


def test_edges_of_one_triangle():
    posed = np.array([[0.0, 0, 0], [3, 0, 0], [0, 8, 0]])
    change = metrics.edges(posed, TRIANGLE, FACE)
    lengths = np.array([0.0, 1.0, np.sqrt(73) / 5 - 1])
    assert change.length == pytest.approx(1)
    assert change.length_rms == pytest.approx(np.sqrt((lengths**2).mean()))
    assert change.edge.tolist() == [0, 2]
    turns = np.array([0, np.arctan2(8, 3) - np.arctan2(4, 3), np.arctan2(3, 8) - np.arctan2(3, 4)])
    assert change.angle == pytest.approx(np.abs(turns).max())
    assert change.angle_rms == pytest.approx(np.sqrt((turns**2).mean()))
    assert change.corner.tolist() == [0, int(np.abs(turns).argmax())]
    assert (change.edge_count, change.corner_count, change.left_out) == (3, 3, 0)


def test_the_worst_edge_may_be_a_short_one():
    collapsed = np.array([[0.0, 0, 0], [0, 0, 0], [0, 4, 0]])
    change = metrics.edges(np.stack([collapsed, 1.5 * TRIANGLE]), TRIANGLE, FACE)
    np.testing.assert_allclose(change.length, [-1, 0.5])
    np.testing.assert_allclose(change.angle[1], 0, atol=1e-7)
    assert np.isfinite(change.angle).all()


def test_edges_equal_a_twin(tube, rng):
    mesh = tube.mesh
    posed = tube.deform(turned(tube, 70, (0, 0, 1))[0], "dual_quat")
    bind = mesh.positions.astype(float)
    change = metrics.edges(posed, bind, mesh.triangles)
    stretch, turn = {}, []
    for triangle in mesh.triangles.tolist():
        for i in range(3):
            a, b, c = (triangle[(i + k) % 3] for k in range(3))
            name = tuple(sorted((tuple(bind[a].round(5)), tuple(bind[b].round(5)))))
            stretch[name] = np.linalg.norm(posed[b] - posed[a]) / np.linalg.norm(bind[b] - bind[a]) - 1
            angles = []
            for where in (posed, bind):
                u, v = where[b] - where[a], where[c] - where[a]
                cosine = u @ v / np.linalg.norm(u) / np.linalg.norm(v)
                angles.append(np.arccos(np.clip(cosine, -1, 1)))
            turn.append(abs(angles[0] - angles[1]))
    assert change.edge_count == len(stretch)
    assert abs(change.length) == pytest.approx(max(map(abs, stretch.values())), abs=SKINNED)
    stretches = np.array(list(stretch.values()))
    assert change.length_rms == pytest.approx(np.sqrt((stretches**2).mean()), abs=SKINNED)
    assert change.angle == pytest.approx(max(turn), abs=SKINNED)
    assert change.angle_rms == pytest.approx(np.sqrt(np.mean(np.square(turn))), abs=SKINNED)


def test_what_has_no_extent_in_bind_is_left_out():
    points = np.concatenate([TRIANGLE, [[3.0, 0, 0], [9, 9, 9]]])
    change = metrics.edges(2 * points, points, [*FACE, [1, 3, 1], [4, 4, 4]])
    assert (change.edge_count, change.corner_count, change.left_out) == (3, 3, 6)
    assert change.length == pytest.approx(1)
    assert change.angle == pytest.approx(0, abs=1e-7)


# Collapse


def test_collapse_is_the_smallest_ratio_of_areas():
    points = np.concatenate([TRIANGLE, TRIANGLE + 10])
    posed = points * np.where(np.arange(6) < 3, 1.0, 0.5)[:, None]
    found = metrics.collapse(np.stack([posed, points, 0 * points]), points, [*FACE, [3, 4, 5]])
    np.testing.assert_allclose(found.determinant, [0.25, 1, 0])
    assert found.at.tolist() == [1, 0, 0]
    with_a_line = metrics.collapse(2 * points, points, [[0, 1, 1], *FACE])
    assert (with_a_line.determinant, with_a_line.at) == (pytest.approx(4), 1)


def test_blend_collapse_is_the_determinant_of_the_mean_matrix(rng):
    count, rows = 40, 6
    mesh = lissom.Mesh(
        rng.normal(size=(count, 3)),
        np.zeros((0, 3), int),
        rng.integers(0, rows, (count, 4)),
        rng.dirichlet(np.ones(4), count),
    )
    rotations = lissom.quat.random((3, rows), seed=rng, dtype=float)
    translations = 5 * rng.normal(size=(3, rows, 3))
    dual_quats = lissom.dual_quat.from_quat_translation(rotations, translations)
    matrices = lissom.dual_quat.to_matrix(dual_quats)

    class Palette:
        scales = None

    palette = Palette()
    palette.dual_quats, palette.matrices = dual_quats, matrices
    blended = np.einsum("vk,pvkij->pvij", mesh.weights.astype(float), matrices[:, mesh.indices, :3, :3])
    wanted = np.linalg.det(blended)
    found = metrics.blend_collapse(mesh, palette)
    np.testing.assert_allclose(found.determinant, wanted.min(axis=1), atol=1e-6)
    assert found.at.tolist() == wanted.argmin(axis=1).tolist()
    for method in ("dual_quat", "cor"):
        np.testing.assert_allclose(metrics.blend_collapse(mesh, palette, method).determinant, 1, atol=1e-6)
    # Each vertex by its own share: what flattens most is moved by dual quaternions, which flatten nothing.
    blend = np.zeros(count)
    blend[wanted.argmin(axis=1)] = 1
    spared = np.where(blend == 1, 1, wanted)
    found = metrics.blend_collapse(mesh, palette, "blended", blend=blend)
    np.testing.assert_allclose(found.determinant, spared.min(axis=1), atol=1e-6)
    assert found.at.tolist() == spared.argmin(axis=1).tolist()


def test_blend_collapse_of_the_bar_falls_to_nothing(bar):
    poses = turned(bar, [0, 90, 180], (1, 0, 0))
    palette = bar.skin.palette(bar.skeleton.model_matrices(poses))
    # At the middle, half of each: |(1 + e^(ia)) / 2|^2 across the axis, 1 along it.
    linear = metrics.blend_collapse(bar.mesh, palette, "linear")
    np.testing.assert_allclose(linear.determinant, [1, 0.5, 0], atol=1e-6)
    assert bar.mesh.positions[linear.at[1], 0] == pytest.approx(2)


def test_blend_collapse_refuses_a_blend_that_does_not_fit(bar):
    count = bar.mesh.vertex_count
    palette = bar.skin.palette(bar.skeleton.model_matrices(bar.skeleton.rest))
    for blend, method, words in (
        (np.zeros(3), "blended", f"blend must have shape ({count},), got (3,)"),
        (np.zeros(4 * count), "blended", f"blend must have shape ({count},), got ({4 * count},)"),
        (np.full(count, 2.0), "blended", "blend must lie in [0, 1], got 2.0 at vertex 0"),
        (np.zeros(count), "linear", "blend must be None except for method 'blended', got method 'linear'"),
    ):
        with refusal(ValueError, f"metrics.blend_collapse: {words}"):
            metrics.blend_collapse(bar.mesh, palette, method, blend=blend)
    with refusal(ValueError, "blend must be given for method 'blended'"):
        metrics.blend_collapse(bar.mesh, palette, "blended")


def test_blend_collapse_of_a_mix_is_that_of_its_parts_where_it_is_all_one(bar):
    count = bar.mesh.vertex_count
    palette = bar.skin.palette(bar.skeleton.model_matrices(turned(bar, [150], (1, 0, 0))))
    for share, method in ((0.0, "linear"), (1.0, "dual_quat")):
        mixed = metrics.blend_collapse(bar.mesh, palette, "blended", blend=np.full(count, share))
        alone = metrics.blend_collapse(bar.mesh, palette, method)
        np.testing.assert_allclose(mixed.determinant, alone.determinant, atol=1e-6)
    # One vertex of the middle linear, the others rigid: it is the one.
    blend = np.ones(count)
    blend[int(metrics.blend_collapse(bar.mesh, palette).at[0])] = 0
    assert metrics.blend_collapse(bar.mesh, palette, "blended", blend=blend).at[0] == int(blend.argmin())


# Bulge


def test_bulge_of_points_about_two_bones():
    bones = np.array([[[0.0, 0, 0], [1, 0, 0]], [[1, 0, 0], [2, 0, 0]]])
    bind = np.array([[0.5, 1, 0], [1.5, 0, 2], [2.5, 0, 0]])
    posed = bind + np.array([[0, 0.5, 0], [0, 0, -1], [0, 0, 0]])
    found = metrics.bulge(posed, bind, bones, bones)
    assert (found.length, found.relative, found.vertex, found.radius) == (0.5, 0.25, 0, 2.0)
    moved = metrics.bulge(np.stack([posed, bind]) + 7, bind, np.stack([bones, bones]) + 7, bones)
    np.testing.assert_allclose(moved.length, [0.5, 0], atol=EXACT)
    np.testing.assert_allclose(metrics.bulge(np.stack([posed, bind]), bind, bones, bones).length, [0.5, 0])
    point = np.array([[[0.0, 0, 0], [0, 0, 0]]])  # a bone without length
    assert metrics.bulge(2 * bind, bind, point, point).length == pytest.approx(2.5)


def test_beyond_the_ends_of_a_bone_its_ends_are_nearest():
    bone = np.array([[[0.0, 0, 0], [1, 0, 0]]])
    bind = np.array([[0.5, 1, 0], [2, 0, 0], [-1, 0, 0]])
    for vertex, way in ((1, 1.0), (2, -1.0)):
        posed = bind.copy()
        posed[vertex, 0] += way
        found = metrics.bulge(posed, bind, bone, bone)
        assert (found.length, found.vertex) == (1.0, vertex)


@pytest.mark.parametrize("end", [[2.0, 0, 0], [-1.0, 0, 0]])
def test_beyond_its_ends_the_distance_is_to_the_end_of_a_bone(end):
    bone = np.array([[[0.0, 0, 0], [1, 0, 0]]])
    found = metrics.bulge([np.add(end, [0, 1, 0])], [end], bone, bone)
    assert found.radius == 1
    assert found.length == pytest.approx(np.sqrt(2) - 1)


def test_dual_quaternions_bulge_where_linear_blends_do_not(tube):
    """On the outside of the bend, at distance d before the joint, a dual quaternion turns (-d, -r) about it.

    Its height is then d sin(a) + r cos(a), a the share of the angle; the linear blend's is lower.
    """
    mesh, radius, hinge = tube.mesh, 0.4, np.array([2.0, 0, 0])
    poses = turned(tube, 90, (0, 0, 1))
    bind_bones = np.array([[[0.0, 0, 0], hinge], [hinge, [4, 0, 0]]])
    bones = np.array([[[0.0, 0, 0], hinge], [hinge, [2, 2, 0]]])
    found = {
        method: metrics.bulge(tube.deform(poses, method)[0], mesh.positions, bones, bind_bones)
        for method in ("linear", "dual_quat")
    }
    d = np.linspace(0, 0.6, 100_001)
    t = (0.6 - d) / 1.2
    share = t * t * (3 - 2 * t)
    a = 2 * np.arctan2(share * np.sin(np.pi / 4), share * np.cos(np.pi / 4) + 1 - share)
    expected = (d * np.sin(a) + radius * np.cos(a)).max() / radius - 1
    # The tube has rings at every 0.0625: the top is met within the square of half of that.
    assert found["dual_quat"].relative == pytest.approx(expected, abs=5e-3)
    assert found["dual_quat"].radius == pytest.approx(radius, abs=1e-6)
    assert found["linear"].relative < 0.2 * found["dual_quat"].relative


# Distance


def test_distance_is_what_numpy_says(rng):
    a, b = rng.normal(size=(2, 3, 50, 3))
    found = metrics.distance(a, b, size=4.0)
    apart = np.linalg.norm(a - b, axis=-1)
    np.testing.assert_allclose(found.max, apart.max(axis=1))
    np.testing.assert_allclose(found.p99, np.quantile(apart, 0.99, axis=1))
    np.testing.assert_allclose(found.rms, np.sqrt((apart**2).mean(axis=1)))
    np.testing.assert_allclose(found.mean, apart.mean(axis=1))
    np.testing.assert_array_equal(found.vertices, apart)
    assert found.vertex.tolist() == apart.argmax(axis=1).tolist()
    for name in ("max", "p99", "rms", "mean"):
        np.testing.assert_allclose(getattr(found, f"{name}_relative"), getattr(found, name) / 4)
    assert metrics.distance(CORNERS, CORNERS + 1).size == pytest.approx(np.sqrt(3))
    assert metrics.distance(CORNERS, 2 * CORNERS).size == pytest.approx(np.sqrt(3))  # that of the first
    one = metrics.distance(a[0], b)
    np.testing.assert_allclose(one.max, np.linalg.norm(a[0] - b, axis=-1).max(axis=1))
    point = np.zeros((1, 3))
    assert metrics.distance(point, point).max_relative == 0


# Laws


def test_a_rigid_motion_changes_nothing(tube, rng):
    bind = tube.mesh.positions.astype(float)
    turn = lissom.quat.random(seed=rng, dtype=float)
    moved = lissom.quat.rotate(turn, bind) + np.array([3.0, -8, 2])
    triangles = tube.mesh.triangles
    assert metrics.volume_change(moved, bind, triangles).total == pytest.approx(0, abs=1e-9)
    change = metrics.edges(moved, bind, triangles)
    assert change.length == pytest.approx(0, abs=1e-9)
    assert change.angle == pytest.approx(0, abs=1e-7)
    assert metrics.collapse(moved, bind, triangles).determinant == pytest.approx(1, abs=1e-9)


def test_a_uniform_scale_is_seen_by_each_as_its_power(tube):
    bind, triangles = tube.mesh.positions.astype(float), tube.mesh.triangles
    assert metrics.volume_change(2 * bind, bind, triangles).total == pytest.approx(7, abs=1e-9)
    assert metrics.edges(2 * bind, bind, triangles).length == pytest.approx(1, abs=1e-9)
    assert metrics.collapse(2 * bind, bind, triangles).determinant == pytest.approx(4, abs=1e-9)


def test_poses_of_a_batch_are_measured_as_alone(tube):
    bind, triangles = tube.mesh.positions, tube.mesh.triangles
    posed = tube.deform(turned(tube, [20, 60, 110, 140], (0, 0, 1)), "linear").reshape(2, 2, -1, 3)
    for measure, names in (
        (metrics.volume_change, ("total", "pieces")),
        (metrics.edges, ("length", "length_rms", "edge", "angle", "angle_rms", "corner")),
        (metrics.collapse, ("determinant", "at")),
    ):
        many = measure(posed, bind, triangles)
        for i in range(2):
            for j in range(2):
                one = measure(posed[i, j], bind, triangles)
                for name in names:
                    np.testing.assert_allclose(getattr(many, name)[i, j], getattr(one, name), atol=1e-12)


# Refusals


@pytest.mark.parametrize("measure", [metrics.volume_change, metrics.edges, metrics.collapse])
def test_bad_surfaces_are_refused_in_a_sentence(measure):
    name = f"metrics.{measure.__name__}"
    with refusal(ValueError, f"{name}: bind_positions must have shape (V, 3), got (3, 2)"):
        measure(TRIANGLE, TRIANGLE[:, :2], FACE)
    with refusal(ValueError, f"{name}: positions must have shape (..., 3, 3), got (2, 3)"):
        measure(TRIANGLE[:2], TRIANGLE, FACE)
    with refusal(ValueError, f"{name}: bind_positions must hold at least one vertex"):
        measure(np.zeros((0, 3)), np.zeros((0, 3)), FACE)
    bad = TRIANGLE.copy()
    bad[1, 2] = np.nan
    with refusal(ValueError, f"{name}: positions must be finite, got [ 3.  0. nan] at vertex 1"):
        measure(bad, TRIANGLE, FACE)
    with refusal(ValueError, f"{name}: positions must be finite, got [ 3.  0. nan] at pose 1, vertex 1"):
        measure(np.stack([TRIANGLE, bad]), TRIANGLE, FACE)
    for wrong in ([[0, 1, 3]], [[0, -1, 2]]):
        message = re.escape(f"{name}: triangles must hold indices in [0, 3), got {wrong[0]} at triangle 0")
        with pytest.raises(ValueError, match=message):
            measure(TRIANGLE, TRIANGLE, wrong)
    with refusal(ValueError, f"{name}: triangles must hold at least one triangle, got none"):
        measure(TRIANGLE, TRIANGLE, np.zeros((0, 3), int))
    with refusal(ValueError, f"{name}: triangles must have shape (F, 3), got (3,)"):
        measure(TRIANGLE, TRIANGLE, FACE[0])
    with refusal(TypeError, f"{name}: triangles must hold integers, got float64"):
        measure(TRIANGLE, TRIANGLE, [[0.0, 1, 2]])
    with refusal(TypeError, f"{name}: positions must be an array of real numbers"):
        measure("positions", TRIANGLE, FACE)


@pytest.mark.parametrize("measure", [metrics.edges, metrics.collapse])
def test_without_an_area_there_is_nothing_to_measure(measure):
    with refusal(ValueError, "triangles must have an area in the bind pose, got none that does"):
        measure(TRIANGLE, TRIANGLE, [[0, 1, 1]])


def test_other_bad_input_is_refused_in_a_sentence():
    bones = np.array([[[0.0, 0, 0], [1, 0, 0]]])
    with refusal(ValueError, "bones must have shape (..., 1, 2, 3), got (2, 3)"):
        metrics.bulge(TRIANGLE, TRIANGLE, bones[0], bones)
    with refusal(ValueError, "bind_bones must have shape (B, 2, 3), got (1, 1, 2, 3)"):
        metrics.bulge(TRIANGLE, TRIANGLE, bones, bones[None])
    with refusal(ValueError, "bones must have the leading axes () of positions, or none, got (4,)"):
        metrics.bulge(TRIANGLE, TRIANGLE, np.stack([bones] * 4), bones)
    with refusal(ValueError, "metrics.bulge: bones must be finite, got nan"):
        metrics.bulge(TRIANGLE, TRIANGLE, bones * np.nan, bones)
    with refusal(ValueError, "must have a vertex off the bones, got all on them"):
        metrics.bulge(bones[0], bones[0], bones, bones)
    with refusal(ValueError, "metrics.distance: b must have shape (..., 3, 3), got (8, 3)"):
        metrics.distance(TRIANGLE, CORNERS)
    with refusal(ValueError, "b must have leading axes that broadcast with (2,), got (3,)"):
        metrics.distance(np.zeros((2, 4, 3)), np.zeros((3, 4, 3)))
    with refusal(ValueError, "metrics.distance: size must be finite and at least 0, got -1"):
        metrics.distance(TRIANGLE, TRIANGLE, size=-1)
    with refusal(TypeError, "blend_collapse: mesh must be a lissom.Mesh or a lissom.PreparedMesh, got list"):
        metrics.blend_collapse([], None)
    empty = lissom.Mesh(np.zeros((0, 3)), np.zeros((0, 3), int))
    with refusal(ValueError, "metrics.blend_collapse: mesh must have at least one vertex, got none"):
        metrics.blend_collapse(empty, None)
