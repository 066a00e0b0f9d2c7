# SPDX-License-Identifier: MIT
"""The lattice of cubes over a solid: beside its twin, by laws, and on surfaces in every state."""

import numpy as np
import pytest

from lattice_surfaces import box, fork, joined, sphere, tube, welded
from lissom import _core
from reference import lattice as twin

# Two formulas for a solid angle, in float64, of triangles that are no nearer than their own size.
EXACT = 1e-9
# What triangles far away may be off by, as dipoles (core/volume/solid_surface.h).
DIPOLE = 0.02


def solid(surface):
    positions, triangles = surface
    positions, triangles = np.ascontiguousarray(positions, float), np.ascontiguousarray(triangles, np.uint32)
    return _core.SolidSurface("solid", positions, triangles)


def lattice(surface, cell):
    return _core.Lattice(solid(surface), cell)


def part_count(made):
    return len(np.unique(made.components))


def cells(made):
    return {tuple(cell) for cell in made.copy_cells.tolist()}


# --- winding numbers


def test_winding_numbers_are_the_twins():
    rng = np.random.default_rng(3)
    positions = rng.normal(size=(8, 3))
    triangles = np.array([[0, 1, 2], [2, 3, 4], [4, 5, 6], [5, 6, 7]])  # too few for a tree
    points = rng.uniform(-1.5, 1.5, (50, 3))  # near enough for each triangle to be summed
    got = solid((positions, triangles)).winding_numbers(points)
    # Which way round an open patch goes is for the core to say: a sign for each triangle.
    want = np.array([[twin.winding_number(positions, [t], point) for point in points] for t in triangles])
    signs = np.linalg.lstsq(want.T, got, rcond=None)[0]
    np.testing.assert_allclose(np.abs(signs), 1, atol=EXACT)
    np.testing.assert_allclose(signs @ want, got, atol=EXACT)


@pytest.mark.parametrize("reverse", [False, True], ids=["outwards", "inside-out"])
def test_winding_number_is_one_inside_and_none_outside(reverse):
    positions, triangles = sphere(4)
    points = np.random.default_rng(0).uniform(-2, 2, (2000, 3))
    radius = np.linalg.norm(points, axis=1)
    got = solid((positions, triangles[:, ::-1] if reverse else triangles)).winding_numbers(points)
    apart = np.abs(radius - 1) > 0.05
    assert np.abs(got - (radius < 1))[apart].max() < DIPOLE


def test_far_triangles_are_near_the_exact_sum():
    positions, triangles = sphere(3)
    triangles = triangles[positions[triangles].mean(axis=1)[:, 1] < 0.3]  # open: neither 0 nor 1
    points = np.random.default_rng(1).uniform(-1.5, 1.5, (60, 3))
    got = solid((positions, triangles)).winding_numbers(points)
    want = [twin.winding_number(positions, triangles, point) for point in points]
    assert np.abs(got - want).max() < DIPOLE
    assert (np.abs(got - np.round(got)) > 0.1).any()


def test_parts_turned_the_wrong_way_still_add_up():
    # The second box was mirrored: by the file's order it would subtract where they overlap.
    positions, triangles = joined(box(), box((0.5, 0, 0), (1.5, 1, 1)))
    triangles[12:] = triangles[12:, ::-1]
    got = solid((positions, triangles)).winding_numbers(
        np.array([[0.25, 0.5, 0.5], [0.75, 0.5, 0.5], [1.25, 0.5, 0.5]])
    )
    np.testing.assert_allclose(got, [1, 2, 1], atol=DIPOLE)


def test_triangles_of_one_patch_are_turned_alike():
    positions, triangles = sphere(2)
    rng = np.random.default_rng(2)
    some = rng.random(len(triangles)) < 0.4
    triangles[some] = triangles[some][:, ::-1]
    assert solid((positions, triangles)).winding_numbers(np.zeros((1, 3)))[0] == pytest.approx(1, abs=DIPOLE)


def test_a_part_with_a_back_counts_once():
    positions, triangles = box()
    both = solid((positions, np.concatenate([triangles, triangles[:, ::-1]])))
    assert both.doubled_count == 12
    np.testing.assert_allclose(both.winding_numbers(np.full((1, 3), 0.4)), 1, atol=DIPOLE)


# --- which cubes


def crossed_by_twin(surface, counts, cell):
    positions, triangles = surface
    middle = (positions.max(axis=0) + positions.min(axis=0)) / 2
    found = set()
    for x, y, z in np.ndindex(*counts):
        low = middle + (np.array([x, y, z]) - np.array(counts) / 2) * cell
        if any(twin.meets_box(positions[t], low, low + cell) for t in triangles):
            found.add((x, y, z))
    return found


def test_cubes_that_triangles_pass_through_are_the_twins():
    rng = np.random.default_rng(5)
    positions = rng.normal(size=(18, 3)) * [1, 0.6, 0.4]
    triangles = np.arange(18).reshape(-1, 3)
    scale = float(np.ptp(positions, axis=0).max())
    made = solid((positions, triangles))
    cell = scale / 9.3
    want = crossed_by_twin((positions, triangles), made.grid(cell), cell)
    crossed, _ = made.count_cells(cell)
    assert crossed == len(want)
    assert want <= cells(_core.Lattice(made, cell))


def test_a_solid_box_is_filled():
    made = lattice(box(), 0.1)
    assert len(cells(made)) == 11**3
    assert len(made.copy_nodes) == 11**3
    assert len(made.nodes) == 12**3
    assert made.components.max() == 0


def test_open_box_is_filled_all_the_same():
    positions, triangles = box()
    made = lattice((positions, triangles[2:]), 0.1)
    inner = [(x, y, z) for x in range(1, 10) for y in range(1, 10) for z in range(2, 10)]
    assert set(inner) <= cells(made)
    assert part_count(made) == 1


def test_grid_is_centred_so_that_mirrors_map_it_to_itself():
    nodes = lattice(sphere(3, center=(3, -2, 7)), 0.17).nodes - [3, -2, 7]
    for axis in range(3):
        mirrored = nodes.copy()
        mirrored[:, axis] *= -1
        for side in (nodes, mirrored):
            side[:] = side[np.lexsort(side.round(9).T)]
        np.testing.assert_allclose(nodes, mirrored, atol=1e-12)


def test_place_and_scale_change_nothing():
    positions, triangles = fork(0.05)
    one = lattice((positions, triangles), 0.11)
    other = lattice((positions * 1000 - [7e3, 3, 1e4], triangles), 110.0)
    np.testing.assert_array_equal(one.copy_nodes, other.copy_nodes)
    np.testing.assert_allclose(one.nodes * 1000 - [7e3, 3, 1e4], other.nodes, atol=1e-8)


# --- thin gaps


@pytest.mark.parametrize("gap", [0.1, 0.02, 1e-3, 1e-6])
@pytest.mark.parametrize("cell", [0.07, 0.13, 0.3, 0.55])
def test_fingers_closer_than_a_cell_do_not_fuse(gap, cell):
    surface = fork(gap)
    made = lattice(surface, cell)
    assert part_count(made) == 1  # by the base
    copies, *_ = made.locate(np.array([[0.1, 1.2, 0.1], [0.3 + gap, 1.2, 0.1]]))
    left, right = (set(made.copy_nodes[copy].tolist()) for copy in copies)
    assert not left & right
    # Nor do vertices of one prong's top share a node with the other's.
    top = np.flatnonzero(surface[0][:, 1] > 1.2)
    is_left = surface[0][top, 0] <= 0.2
    of_left = set(made.copy_nodes[made.vertex_copies[top[is_left]]].ravel().tolist())
    of_right = set(made.copy_nodes[made.vertex_copies[top[~is_left]]].ravel().tolist())
    assert not of_left & of_right


def test_without_cuts_the_fingers_would_fuse():
    # What the test above rests on: one cube holds both.
    made = lattice(fork(0.02), 0.55)
    copies, *_ = made.locate(np.array([[0.19, 1.2, 0.1], [0.23, 1.2, 0.1]]))
    assert (made.copy_cells[copies[0]] == made.copy_cells[copies[1]]).all()


def test_islands_apart_are_parts():
    made = lattice(joined(box((0, 0, 0), (0.2, 1, 0.2)), box((0.21, 0, 0), (0.4, 1, 0.2))), 0.3)
    assert part_count(made) == 2


@pytest.mark.parametrize("cell", [0.05, 0.1, 0.23])
def test_islands_that_overlap_are_one_part(cell):
    assert part_count(lattice(joined(sphere(3, 0.5), sphere(2, 0.1, (0.5, 0, 0))), cell)) == 1  # an eye
    assert part_count(lattice(joined(sphere(3, 0.5), sphere(2, 0.1, (0.1, 0, 0))), cell)) == 1  # buried


@pytest.mark.parametrize("weld", [False, True], ids=["apart", "welded"])
def test_islands_made_to_fit_are_one_part(weld):
    surface = joined(box((0, 0, 0), (0.2, 1, 0.2)), box((0.2, 0, 0), (0.4, 1, 0.2)))
    assert part_count(lattice(welded(surface) if weld else surface, 0.1)) == 1


def test_front_and_back_of_a_thin_part_are_one():
    for thickness in (0.5, 0.03, 0.002):
        made = lattice(box((0, 0, 0), (1, 1, thickness)), 0.1)
        assert part_count(made) == 1
        corners = made.copy_nodes[made.vertex_copies]
        assert set(corners[0].tolist()) == set(corners[4].tolist()) or thickness > 0.1


def test_thin_tube_is_one_part_however_coarse():
    for cell in (0.02, 0.05, 0.3, 2.0):
        assert part_count(lattice(tube(0.03), cell)) == 1


def test_a_sheet_is_a_part():
    positions, triangles = box()
    made = lattice((positions, triangles[:2]), 0.1)
    assert part_count(made) == 1
    assert (made.vertex_copies[np.unique(triangles[:2])] >= 0).all()


def test_mirrored_surface_has_mirrored_parts():
    positions, triangles = fork(0.03)
    one, other = lattice((positions, triangles), 0.17), lattice((positions * [-1, 1, 1], triangles), 0.17)
    assert len(one.nodes) == len(other.nodes)
    assert len(one.copy_nodes) == len(other.copy_nodes)


# --- hostile surfaces


def hostile():
    rng = np.random.default_rng(11)
    ball, faces = sphere(2)
    yield "soup", (rng.normal(size=(90, 3)), np.arange(90).reshape(-1, 3))
    yield "slivers", (rng.normal(size=(90, 3)) * [1, 1e-7, 1], np.arange(90).reshape(-1, 3))
    yield "degenerate", (ball, np.concatenate([faces, [[0, 0, 1], [2, 2, 2]]]))
    yield "non-manifold", (ball, np.concatenate([faces, [[0, 1, 2], [0, 1, 3], [0, 1, 4]]]))
    yield "moebius", moebius()
    yield "holes", (ball, faces[::2])
    yield "self-intersecting", joined((ball, faces), (ball * [0.3, 2, 0.3], faces))
    yield "doubled", (ball, np.concatenate([faces, faces]))
    yield "one triangle", (ball[:3], np.array([[0, 1, 2]]))


def moebius():
    angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    way = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    across = np.cos(angle / 2)[:, None] * way + np.sin(angle / 2)[:, None] * [0, 0, 1]
    points = np.concatenate([way + 0.3 * across, way - 0.3 * across])
    k = np.arange(39)
    faces = np.concatenate([np.stack([k, k + 1, k + 40], 1), np.stack([k + 1, k + 41, k + 40], 1)])
    return points, np.concatenate([faces, [[39, 40, 79], [40, 0, 79]]])


@pytest.mark.parametrize(
    ("name", "surface"), list(hostile()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_hostile_surfaces_have_a_place_for_each_vertex(name, surface):
    positions, triangles = surface
    made = lattice(surface, float(np.ptp(positions, axis=0).max()) / 12)
    used = np.unique(triangles)
    copies = made.vertex_copies
    assert (copies[used] >= 0).all()
    low = made.nodes[made.copy_nodes[copies[used], 0]]
    high = made.nodes[made.copy_nodes[copies[used], 7]]
    slack = 1e-9 * np.ptp(positions)
    assert (positions[used] >= low - slack).all()
    assert (positions[used] <= high + slack).all()


def test_each_triangle_lies_in_one_part():
    surface = joined(fork(0.01), tube(0.05), sphere(2, 0.2, (2, 0, 0)))
    made = lattice(surface, 0.13)
    parts = made.components[made.copy_nodes[made.vertex_copies, 0]]
    assert (parts[surface[1]] == parts[surface[1]][:, :1]).all()


# --- places


def test_locate_says_where_points_are():
    made = lattice(sphere(4), 0.25)
    points = np.array([[0, 0, 0.1], [0, 0, 0.99], [0, 0, 1.01], [0, 0, 3.0]])
    copies, within, inside, away = made.locate(points)
    assert inside.tolist() == [True, True, False, False]
    np.testing.assert_allclose(away, [0, 0, 0.01, 2.0], atol=2e-3)  # facets are inside the sphere
    low = made.nodes[made.copy_nodes[copies, 0]]
    np.testing.assert_allclose((low + 0.25 * within)[:3], points[:3], atol=1e-12)
    np.testing.assert_allclose((low + 0.25 * within)[3], [0, 0, 1], atol=1e-12)


# --- refusals


@pytest.mark.parametrize(
    ("positions", "triangles", "message"),
    [
        (np.zeros((0, 3)), [[0, 0, 0]], "positions must have at least one vertex, got none"),
        (np.zeros((3, 3)), np.zeros((0, 3), int), "triangles must have at least one row, got none"),
        (
            [[0, 0, 0], [1, np.nan, 0], [0, 1, 0]],
            [[0, 1, 2]],
            "positions must be finite, got nan in vertex 1",
        ),
        ([[0, 0, 0], [1e101, 0, 0], [0, 1, 0]], [[0, 1, 2]], "positions must be at most 1e100 in size"),
        (np.eye(3), [[0, 1, 3]], r"triangles must be in \[0, 3\), got 3 in triangle 0"),
        (np.ones((3, 3)), [[0, 1, 2]], "positions must not all be one point"),
        (np.eye(3), [[0, 0, 1], [1, 2, 2]], "triangles must have an area, got 2 without"),
    ],
)
def test_refuses(positions, triangles, message):
    with pytest.raises(ValueError, match="^solid: " + message):
        solid((np.array(positions, float), np.array(triangles)))


@pytest.mark.parametrize("cell", [0.0, -1.0, np.nan, np.inf])
def test_refuses_cells_without_size(cell):
    with pytest.raises(ValueError, match="cell_size must be above zero and finite"):
        lattice(box(), cell)


def test_what_progress_raises_stops_it():
    def stop(stage, fraction):
        raise KeyboardInterrupt(stage)

    with pytest.raises(KeyboardInterrupt, match="lattice"):
        _core.Lattice(solid(box()), 0.1, stop)
