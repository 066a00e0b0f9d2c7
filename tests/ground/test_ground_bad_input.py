# SPDX-License-Identifier: MIT
"""What a user may get wrong with grounds and rays, and what is said of it."""

import numpy as np
import pytest

from lissom.ground import HeightField, Plane, TriangleMesh, cast

NAN, INF = float("nan"), float("inf")
DOWN = (0, -1, 0)
UP = np.array([[0.0, 1, 0]])
FIELD = HeightField(np.zeros((3, 3)))
CORNERS = np.array([[0.0, 0, 0], [0, 0, 1], [1, 0, 0]])
MESH = TriangleMesh(CORNERS, [[0, 1, 2]])


def said(distances, normals):
    """Make a ground that answers so."""

    def my_ground(origins, directions):
        return distances, normals

    return my_ground


MINE = r"ground.cast: ground 'said.<locals>.my_ground'"


class Silent:
    def __call__(self, origins, directions):
        return None


VALUES = [
    (lambda: Plane((0, 0)), r"Plane: point must have shape \(3,\), got \(2,\)"),
    (lambda: Plane((0, NAN, 0)), r"Plane: point must be finite, got nan at index \[1\]"),
    (lambda: Plane(normal=(0, 0, 0)), "Plane: normal must not be zero, got zero"),
    (lambda: Plane(normal=(0, INF, 0)), r"Plane: normal must be finite, got inf at index \[1\]"),
    (lambda: Plane().triangles(0), "Plane.triangles: half_width must be above zero and finite, got 0"),
    (lambda: HeightField(np.zeros(4)), r"heights must have shape \(nz, nx\), both at least 2, got \(4,\)"),
    (lambda: HeightField(np.zeros((1, 4))), r"both at least 2, got \(1, 4\)"),
    (lambda: HeightField([[0, 1], [2]]), "HeightField: heights must be an array of equally long rows"),
    (lambda: HeightField([[0, 1], [2, NAN]]), r"heights must be finite, got nan at index \[1, 1\]"),
    (lambda: HeightField(np.zeros((2, 2)), 0), "spacing must be above zero and finite, got 0"),
    (lambda: HeightField(np.zeros((2, 2)), (1, -1)), r"spacing must be above zero and finite, got \[1, -1\]"),
    (lambda: HeightField(np.zeros((2, 2)), INF), "spacing must be above zero and finite, got inf"),
    (lambda: HeightField(np.zeros((2, 2)), (1, 2, 3)), r"a number or two, \(x, z\), got shape \(3,\)"),
    (lambda: HeightField(np.zeros((2, 2)), 1, (0, 0)), r"HeightField: origin must have shape \(3,\), got"),
    (lambda: HeightField(np.zeros((2, 2)), 1e-9, (1e9, 0, 0)), "spacing must keep neighbours at different"),
    (
        lambda: TriangleMesh(np.zeros((3, 2)), [[0, 1, 2]]),
        r"positions must have shape \(V, 3\), got \(3, 2\)",
    ),
    (
        lambda: TriangleMesh([[0, 0, NAN]], []),
        "positions must be finite, got nan in vertex 0; remove or repair",
    ),
    (lambda: TriangleMesh(CORNERS * 1e76, [[0, 1, 2]]), "positions must be at most 1e75 in size, got 1e"),
    (
        lambda: TriangleMesh(CORNERS, [[0, 1, 3]]),
        r"triangles must be in \[0, 3\), .* got \[0, 1, 3\] in row 0",
    ),
    (lambda: TriangleMesh(CORNERS, [[0, 1, 2], [0, -1, 2]]), r"got \[0, -1, 2\] in row 1"),
    (lambda: TriangleMesh(CORNERS, [0, 1, 2]), r"triangles must have shape \(F, 3\), got \(3,\)$"),
    (lambda: TriangleMesh(CORNERS, [[0, 1, 2, 0]]), r"got \(1, 4\); split each face into two triangles$"),
    (
        lambda: MESH.cast(UP, DOWN, sides="back"),
        "TriangleMesh.cast: sides must be 'both' or 'front', got 'back'",
    ),
    (
        lambda: MESH.cast(UP, DOWN, max_distance=-1),
        "TriangleMesh.cast: max_distance must be at least 0, got -1",
    ),
    (lambda: MESH.cast(UP, DOWN, max_distance=NAN), "max_distance must be at least 0, got nan"),
    (lambda: MESH.cast(UP, DOWN, max_distance=[1, 2]), r"max_distance must be one number, got shape \(2,\)"),
    (lambda: cast(said([-1], UP), UP, DOWN), f"{MINE}: distances must be at least 0, got -1.0 for ray 0"),
    (lambda: cast(said([1, 2], UP), UP, DOWN), rf"{MINE}: distances must have shape \(1,\), got \(2,\)"),
    (lambda: cast(said([1], [0, 1, 0]), UP, DOWN), rf"{MINE}: normals must have shape \(1, 3\), got \(3,\)"),
    (lambda: cast(said([1], 2 * UP), UP, DOWN), rf"{MINE}: normals must be unit, .* got \[0.0, 2.0, 0.0\]"),
    (
        lambda: cast(said([1], 0 * UP), UP, DOWN),
        rf"{MINE}: normals must be unit, divide them by their length",
    ),
    (lambda: cast(said([1], NAN * UP), UP, DOWN), rf"{MINE}: normals must be unit"),
]

TYPES = [
    (lambda: Plane("up"), "Plane: point must be an array of real numbers, got"),
    (lambda: Plane().triangles("wide"), "Plane.triangles: half_width must be a number, got str"),
    (lambda: HeightField([["a", "b"], ["c", "d"]]), "HeightField: heights must be an array of real numbers"),
    (lambda: HeightField(np.zeros((2, 2)), None), "HeightField: spacing must be an array of real numbers"),
    (lambda: TriangleMesh(CORNERS, [[0.0, 1, 2]]), "triangles must be an array of integers, got float64"),
    (
        lambda: TriangleMesh(CORNERS + 1j, [[0, 1, 2]]),
        "positions must be an array of real numbers, got complex",
    ),
    (
        lambda: cast(7, UP, DOWN),
        r"ground.cast: ground must be callable as ground\(origins, directions\), got int",
    ),
    (lambda: cast(Silent(), UP, DOWN), r"ground 'Silent' must return \(distances, normals\), got NoneType"),
    (lambda: cast(lambda o, d: (1, 2, 3), UP, DOWN), r"<lambda>' must return .* got 3 values"),
    (lambda: cast(said(["a"], UP), UP, DOWN), f"{MINE}: distances must be an array of real numbers"),
]

GROUNDS = {
    "Plane": Plane(),
    "HeightField": FIELD,
    "TriangleMesh": MESH,
    "ground.cast": lambda origins, directions: cast(said([1], UP), origins, directions),
}
RAYS = [
    ([0, 1], DOWN, r"origins must have shape \(\.\.\., 3\), got \(2,\)"),
    (UP, -1, r"directions must have shape \(\.\.\., 3\), got \(\)"),
    ([[0, 1, 0], [0, NAN, 0]], DOWN, "origins must be finite, got nan"),
    (UP, (0, -INF, 0), "directions must be finite, got -inf"),
    ([[0, 1, 0]] * 3, [DOWN, DOWN, (0, 0, 0)], "directions must not be zero, got zero for ray 2"),
    (np.zeros((2, 3)), np.ones((4, 3)), r"must have leading axes that broadcast, got \(2, 3\) and \(4, 3\)"),
]


@pytest.mark.parametrize(("call", "words"), VALUES)
def test_values(call, words):
    with pytest.raises(ValueError, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("call", "words"), TYPES)
def test_types(call, words):
    with pytest.raises(TypeError, match=words):
        call()


@pytest.mark.parametrize("name", GROUNDS)
@pytest.mark.parametrize(("origins", "directions", "words"), RAYS)
def test_rays(name, origins, directions, words):
    with pytest.raises(ValueError, match=f"{name}: .*{words}"):
        GROUNDS[name](origins, directions)


def test_rays_of_no_numbers():
    for name, ground in GROUNDS.items():
        with pytest.raises(TypeError, match=f"{name}: directions must be an array of real numbers, got"):
            ground(UP, "down")


def test_answers_are_mended_where_that_is_plain():
    """NaN and infinities are nothing, normals as rough as float32 are made unit and turned to the ray."""
    rough = np.array([[0, 1, 0], [0, -1.0005, 0], [0, 0, 0], [NAN, 0, 0], [0, 5, 0]], np.float32)
    answer = said(np.array([1, 2, NAN, INF, -INF], np.float32), rough)
    distances, normals = cast(answer, np.zeros((5, 3)), DOWN)
    assert distances.tolist() == [1, 2, INF, INF, INF]
    assert normals.tolist() == [[0, 1, 0]] * 2 + [[0, 0, 0]] * 3
    assert distances.dtype == normals.dtype == np.float64


def test_a_ground_is_not_asked_about_no_rays():
    distances, normals = cast(said(None, None), np.zeros((0, 4, 3)), DOWN)
    assert distances.shape == (0, 4)
    assert normals.shape == (0, 4, 3)


def test_a_ground_that_writes_into_its_rays_changes_nothing():
    origins = np.ones((2, 3))

    def rude(points, ways):
        points[:], ways[:] = 7, 7
        return [1, 1], np.repeat(UP, 2, axis=0)

    _, normals = cast(rude, origins, DOWN)
    assert (origins == 1).all()
    assert (normals == UP).all()


@pytest.mark.parametrize("ground", [Plane(), FIELD, MESH])
def test_cast_gives_what_the_ground_itself_does(ground):
    rng = np.random.default_rng(0)
    origins, ways = rng.uniform(0, 2, (200, 3)), rng.normal(size=(200, 3))
    for a, b in zip(cast(ground, origins, ways), ground(origins, ways), strict=True):
        assert (a == b).all()
    # As a function of one's own: the same up to the rounding of a second normalisation.
    for a, b in zip(cast(lambda o, d: ground(o, d), origins, ways), ground(origins, ways), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)
