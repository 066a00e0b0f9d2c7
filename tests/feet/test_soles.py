# SPDX-License-Identifier: MIT
"""Soles of a foot made by hand, of size 1: which vertices are kept, between which the sole continues."""

import itertools

import numpy as np
import pytest

import lissom
from lissom import trs
from lissom.ik import Leg
from lissom.ik._feet.rig import rig_of
from lissom.ik._feet.sole_rings import mesh_edges, sags_of
from lissom.ik._feet.soles import _thinned

HIP, SHIN, ANKLE, TOE = 0, 1, 2, 3
JOINTS = np.array([[0, 0.6, 0], [0, 0.35, 0], [0, 0.1, 0], [0, 0.05, 0.1]])  # the leg is 0.5 long
# On the hip: corners of a box of 0.48 x 0.8 x 0.36, whose diagonal is 1, and so the size.
BODY = [[-0.24, -0.1, -0.18], [0.24, 0.7, 0.18], [0, 0.7, 0]]
# Whatever the tilt, one of these is lowest, so that points between them are kept as points of cells alone.
CORNERS = [[-0.1, 0, -0.1], [0.1, 0, -0.1], [0.1, 0, 0.1], [-0.1, 0, 0.1]]
FLOAT32 = 1e-7  # rounding of positions below 1


def made(vertices, triangles=(), influences=None, toe=False):
    """A character of one leg, and the leg; triangles number the vertices of the foot."""
    local = trs.identity(4 if toe else 3).astype(np.float64)
    local[:, :3] = np.diff(JOINTS[: len(local)], axis=0, prepend=0)
    skeleton = lissom.Skeleton(
        ["hip", "shin", "ankle", "toe"][: len(local)], [-1, 0, 1, 2][: len(local)], local
    )
    bind = np.tile(np.eye(4), (len(local), 1, 1))
    bind[:, :3, 3] = -JOINTS[: len(local)]
    if influences is None:
        influences = [{ANKLE: 1}] * len(vertices)
    weights = np.zeros((3 + len(vertices), len(local)))
    weights[:3, HIP] = 1
    for row, influence in enumerate(influences, 3):
        weights[row, list(influence)] = list(influence.values())
    rows = [[0, 1, 2], *(3 + np.asarray(triangle) for triangle in triangles)]
    indices = np.tile(np.arange(len(local)), (len(weights), 1))
    mesh = lissom.Mesh(np.array([*BODY, *vertices]), np.array(rows), indices, weights)
    character = lissom.Character("leg", skeleton, mesh, lissom.Skin(np.arange(len(local)), bind))
    assert character.size == pytest.approx(1, abs=FLOAT32)
    return character, Leg(HIP, SHIN, ANKLE, TOE if toe else None)


class Measured:
    """The sole of a foot, with its points by the numbers of the vertices passed."""

    def __init__(self, vertices, triangles=(), influences=None, toe=False):
        character, leg = made(vertices, triangles, influences, toe)
        self.sole = leg.measure(character)
        points = self.sole.points + JOINTS[ANKLE if self.sole.turns else SHIN]
        distances = np.linalg.norm(points[:, None] - np.asarray(vertices, np.float64), axis=-1)
        assert distances.min(axis=1).max() < FLOAT32
        self.kept = distances.argmin(axis=1).tolist()
        pairs = np.sort(np.array(self.kept)[self.sole.rings], axis=1).tolist()
        self.rings = dict(zip(map(tuple, pairs), self.sole.sags.tolist(), strict=True))


def kept(points):
    """Which of the points are kept, of a foot that has the corners too."""
    return [i - 4 for i in Measured([*CORNERS, *points]).kept if i >= 4]


# --- which vertices are of the foot ---


@pytest.mark.parametrize(("weight", "floor"), [(0.45, 0.0), (0.49, 0.0), (0.51, -0.01), (0.55, -0.01)])
def test_a_vertex_with_more_than_half_of_its_weight_on_the_foot_is_part_of_it(weight, floor):
    low = [0, -0.01, 0]
    influences = [*[{ANKLE: 1}] * 4, {ANKLE: weight, SHIN: 1 - weight}]
    sole = Measured([*CORNERS, low], influences=influences).sole
    assert sole.turns
    assert sole.floor == pytest.approx(floor, abs=FLOAT32)
    assert sole.ankle_height == pytest.approx(0.1 - floor, abs=FLOAT32)


@pytest.mark.parametrize(("share", "is_kept"), [(0.45, False), (0.49, False), (0.51, True), (0.55, True)])
def test_a_vertex_with_more_than_half_of_its_weight_on_the_toes_tilts_with_them(share, is_kept):
    """It is the last of the toes, and above what is kept of cells; of the rest it is lowest for no tilt."""
    toes = [[-0.1, 0, 0.1], [0.1, 0, 0.1]]
    heel = [[-0.1, 0, -0.1], [0.1, 0, -0.1], [-0.1, 0, 0.09], [0.1, 0, 0.09]]
    influences = [*[{TOE: 1}] * 2, *[{ANKLE: 1}] * 4, {TOE: share, ANKLE: 1 - share}]
    measured = Measured([*toes, *heel, [0, 0.05, 0.0]], influences=influences, toe=True)
    assert measured.kept == [*range(6), *([6] if is_kept else [])]
    np.testing.assert_allclose(measured.sole.toe_shares[:6], [1, 1, 0, 0, 0, 0], atol=FLOAT32)


@pytest.mark.parametrize("reach", [0.124, 0.126, 0.15])
def test_a_foot_on_the_shin_is_within_a_quarter_of_the_leg_around_the_ankle(reach):
    """A quarter of 0.5 is 0.125; the ankle is 0.1 high."""
    vertices = [[0, -0.02, 0], [0, 0.1 - reach, 0.001]]
    sole = Measured(vertices, influences=[{SHIN: 1}] * 2).sole
    assert not sole.turns
    assert sole.floor == pytest.approx(0.1 - reach if reach < 0.125 else -0.02, abs=FLOAT32)


def test_without_vertices_around_the_ankle_the_ankle_is_the_sole():
    character, leg = made([[0, -0.08, 0]], influences=[{SHIN: 1}])
    sole = leg.measure(character)
    assert sole.floor == pytest.approx(0.1, abs=FLOAT32)
    np.testing.assert_allclose(sole.points, [[0, 0, 0]], atol=FLOAT32)


# --- which of them are kept ---


def test_the_corners_alone_are_kept_of_a_box():
    top = [[x, 0.09, z] for x, _, z in CORNERS]
    assert Measured([*top, *CORNERS]).kept == [4, 5, 6, 7]


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        ((0.0117, 0.0123), [0, 1]),  # beside the line between two cells, at 0.012
        ((0.0123, 0.0237), [0]),  # in one cell, the second
        ((0.0123, 0.0243), [0, 1]),
        ((0.0015, 0.0115), [0]),
    ],
)
def test_of_each_square_of_12_thousandths_the_lowest_is_kept(x, expected):
    points = np.array([[x[0], 0.001, 0.002], [x[1], 0.002, 0.01]])
    assert kept(points) == expected
    assert kept(points[:, ::-1] * [1, 0, 1] + points * [0, 1, 0]) == expected  # along z
    assert kept(points[::-1]) == sorted(1 - i for i in expected)


@pytest.mark.parametrize(("height", "expected"), [(0.038, [0]), (0.0395, [0]), (0.0405, []), (0.06, [])])
def test_what_is_4_hundredths_over_the_lowest_is_not_kept(height, expected):
    assert kept([[0.003, height, 0.003]]) == expected


@pytest.mark.parametrize(("gap", "expected"), [(0.0019, [1]), (0.0021, [0, 1]), (0.0039, [0, 1])])
def test_of_points_within_2_thousandths_the_lower_is_kept(gap, expected):
    """They lie in two cells, on either side of 0.012."""
    assert kept([[0.012 - gap / 2, 2e-5, 0.003], [0.012 + gap / 2, 1e-5, 0.003]]) == expected


def test_a_point_that_is_left_out_leaves_out_no_other():
    """In three cells that meet at (0.012, 0.012): the middle one is near both others, which are apart."""
    points = [[0.0135, 0, 0.0115], [0.0119, 1e-5, 0.0119], [0.0115, 2e-5, 0.0135]]
    assert np.linalg.norm(np.subtract(points[0], points[2])) > 0.0021
    assert kept(points) == [0, 2]


@pytest.mark.parametrize("seed", range(5))
def test_thinned_is_its_twin(seed):
    rng = np.random.default_rng(seed)
    size = rng.uniform(0.5, 3)
    points = rng.uniform(0, 0.008 * size, (60, 3))
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    rows = np.sort(rng.choice(60, 40, replace=False))
    left = []
    for row in sorted(rows, key=lambda row: points[row] @ axis):  # from the lowest
        if all(np.linalg.norm(points[row] - points[lower]) > 0.002 * size for lower in left):
            left.append(row)
    assert 3 < len(left) < 38
    assert _thinned(points, rows, axis, size).tolist() == sorted(left)


# --- between which the sole continues ---


@pytest.mark.parametrize(("gap", "near"), [(0.0305, True), (0.0311, True), (0.0313, False), (0.042, False)])
def test_sole_is_between_points_nearer_than_2_6_cells(gap, near):
    """2.6 times 0.012 is 0.0312, whatever the heights."""
    measured = Measured([*CORNERS, [0.001, 0, 0.003], [0.001 + gap, 0.02, 0.003]])
    assert measured.kept == [0, 1, 2, 3, 4, 5]
    assert measured.rings == ({(4, 5): 0.0} if near else {})


def test_sole_is_along_edges_of_the_mesh_however_long():
    assert set(Measured(CORNERS, [[0, 1, 2]]).rings) == {(0, 1), (1, 2), (0, 2)}


@pytest.mark.parametrize(("gap", "joined"), [(0.0, True), (0.0019, True), (0.0021, False), (0.0039, False)])
def test_edges_of_vertices_within_2_thousandths_of_a_point_are_the_points(gap, joined):
    """The vertex 4 is over the corner 0 and not kept; the edge is its own."""
    x, _, z = CORNERS[0]
    measured = Measured([*CORNERS, [x, gap, z]], [[4, 1, 1]])
    assert measured.kept == [0, 1, 2, 3]
    assert set(measured.rings) == ({(0, 1)} if joined else set())


@pytest.mark.parametrize("sag", [0.001, 0.0029, 0.0031, 0.005])
@pytest.mark.parametrize(("aside", "counts"), [(0.0, True), (0.0059, True), (0.0061, False)])
def test_the_sole_does_not_continue_over_what_is_3_thousandths_lower(sag, aside, counts):
    """Half a cell to the side, 0.006, belongs to the line; the line is at 0.012, and rises."""
    line = [[0.001, 0.011, 0.0065], [0.029, 0.013, 0.0065]]
    measured = Measured([*CORNERS, *line, [0.015, 0.012 - sag, 0.0065 + aside]])
    if not counts:
        assert measured.rings[4, 5] == 0
    elif sag < 0.003:
        assert measured.rings[4, 5] == pytest.approx(sag, abs=FLOAT32)
    else:
        assert (4, 5) not in measured.rings
    assert measured.rings[4, 6] == measured.rings[5, 6] == 0


def sag_of(first, second, around, axis, size):
    """How far the lowest point beside a line is below it; distances beside it are horizontal."""
    along = second - first
    along = along - (along @ axis) * axis
    length = np.linalg.norm(along)
    deepest = 0.0
    for point in around:
        offset = point - first
        share = offset @ along / length**2
        beside = offset - (offset @ axis) * axis - share * along
        if 0 < share < 1 and np.linalg.norm(beside) < 0.006 * size:  # half of a cell of 0.012
            height = first @ axis + share * ((second - first) @ axis)
            deepest = max(deepest, height - point @ axis)
    return deepest


@pytest.mark.parametrize("seed", range(5))
def test_sags_are_those_of_the_twin(seed):
    rng = np.random.default_rng(seed)
    size = rng.uniform(0.5, 3)
    axis = [0.0, 1.0, 0.0] if seed == 0 else rng.normal(size=3)
    axis = np.array(axis) / np.linalg.norm(axis)
    around = rng.uniform(0, 0.06 * size, (80, 3))
    points = around[:12]
    rings = np.array(list(itertools.combinations(range(12), 2)))
    expected = [sag_of(points[a], points[b], around, axis, size) for a, b in rings]
    assert np.count_nonzero(expected) > 30
    np.testing.assert_allclose(sags_of(points, rings, around, axis, size), expected, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_edges_of_the_mesh_are_those_of_the_twin(seed):
    rng = np.random.default_rng(seed)
    foot = rng.uniform(0, 0.02, (60, 3))
    triangles = rng.integers(0, 60, (80, 3))
    character, _ = made(foot, triangles)
    rig = rig_of("test", character)
    vertices = character.deform(character.skeleton.rest.astype(np.float64))
    rows = np.sort(3 + rng.choice(60, 25, replace=False))

    def kept_of(vertex):
        distances = [np.linalg.norm(vertices[vertex] - vertices[row]) for row in rows]
        return int(np.argmin(distances)) if min(distances) <= 0.002 else None

    expected = set()
    for triangle in 3 + triangles:
        for a, b in itertools.combinations(map(kept_of, triangle), 2):
            if a is not None and b is not None and a != b:
                expected.add((min(a, b), max(a, b)))
    others = [v for v in range(3, 63) if v not in rows and kept_of(v) is not None]
    assert others  # vertices that count as others, which are kept
    assert list(map(tuple, mesh_edges(rig, vertices, rows).tolist())) == sorted(expected)
