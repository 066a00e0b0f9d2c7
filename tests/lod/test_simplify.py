# SPDX-License-Identifier: MIT
"""Levels of detail: fewer triangles that lie where the source does in every pose, bound and coloured so."""

import numpy as np
import pytest

import lissom
from lissom._lod.simplify import _survivors
from lissom._rig.mesh import Mesh
from lissom._rig.part import Part
from lissom.gpu import levels_of_detail

pytest.importorskip("fast_simplification")

# Mean and largest distance of the source's vertices from the level, of the height. The largest is where
# something thin is gone: an antenna, a spike.
FROM_SOURCE = {0.25: (0.006, 0.09), 0.06: (0.015, 0.2)}
# The same from the level's vertices to the source: what sticks out.
TO_SOURCE = {0.25: (0.004, 0.02), 0.06: (0.01, 0.04)}
CHARACTERS = ["raylib/robot.glb", "kaykit/Knight.glb", "khronos/cesium_man.gltf"]


@pytest.fixture(scope="module")
def humanoid():
    return lissom.samples.humanoid()


def cube(side_count=8):
    """A closed cube of (6 * 2 * side_count^2) triangles whose vertices are split at its edges."""
    axis = np.linspace(-1, 1, side_count + 1)
    u, v = (values.reshape(-1) for values in np.meshgrid(axis, axis, indexing="ij"))
    corner = np.arange(side_count)[:, None] * (side_count + 1) + np.arange(side_count)
    a = corner.reshape(-1)
    b, c, d = a + 1, a + side_count + 1, a + side_count + 2
    face = np.concatenate([np.stack([a, c, b], axis=1), np.stack([b, c, d], axis=1)])
    positions, triangles = [], []
    for k in range(3):
        for sign in (-1.0, 1.0):
            points = np.zeros((len(u), 3))
            points[:, k], points[:, (k + 1) % 3], points[:, (k + 2) % 3] = sign, u, v
            positions.append(points)
            turned = face if sign > 0 else face[:, ::-1]
            triangles.append(turned + len(u) * (len(positions) - 1))
    return np.concatenate(positions), np.concatenate(triangles)


def apart(positions, triangles, points):
    """Mean and largest distance of points from a surface."""
    ones = np.ones((len(positions), 1))
    _, report = lissom.weights.transfer((positions, triangles), ones, points, report=True)
    return report.distances.mean(), report.distances.max()


def open_edges(triangles):
    """Number of edges that only one triangle has, between these vertices."""
    edges = np.sort(
        np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1
    )
    return int((np.unique(edges, axis=0, return_counts=True)[1] == 1).sum())


def places(mesh, triangles):
    """Triangles by the place of their corners, whatever vertex holds it."""
    return np.unique(mesh.positions, axis=0, return_inverse=True)[1].reshape(-1)[triangles]


def bindings(mesh):
    """What vertices are bound to, whatever the order of influences."""
    return {
        tuple(
            sorted((int(row), round(float(weight), 4)) for row, weight in zip(*pair, strict=True) if weight)
        )
        for pair in zip(mesh.indices, mesh.weights, strict=True)
    }


@pytest.mark.parametrize("name", CHARACTERS)
def test_a_level_lies_where_the_source_lies_in_every_clip(asset, name):
    character = lissom.load(asset(f"characters/{name}"))
    poses = [character.skeleton.rest]
    for clip in list(character.clips.values())[:4]:
        poses += [clip.sample(clip.start + share * clip.duration) for share in (0.2, 0.7)]
    palette = character.skin.palette(character.skeleton.model_matrices(np.array(poses)))
    height = float(np.ptp(character.mesh.positions, axis=0)[1])
    whole = lissom.deform(character.mesh, palette, "linear")
    for share in (0.25, 0.06):
        (level,) = levels_of_detail(character, [share])
        assert level.triangle_count <= share * character.mesh.triangle_count + 1
        assert level.vertex_count < 0.4 * character.mesh.vertex_count
        for source, moved in zip(whole, lissom.deform(level, palette, "linear"), strict=True):
            mean, most = apart(moved, level.triangles, source)
            assert mean / height < FROM_SOURCE[share][0]
            assert most / height < FROM_SOURCE[share][1]
            mean, most = apart(source, character.mesh.triangles, moved)
            assert mean / height < TO_SOURCE[share][0]
            assert most / height < TO_SOURCE[share][1]


def test_influences_are_those_of_a_vertex_near_by_at_most_four_and_sum_to_one(humanoid):
    for level in levels_of_detail(humanoid, [0.5, 0.1]):
        assert level.influence_count <= 4
        np.testing.assert_allclose(level.weights.sum(axis=1), 1, atol=1e-6)
        assert bindings(level) <= bindings(humanoid.mesh)


def test_more_than_four_influences_keep_the_heaviest():
    positions, triangles = cube()
    weights = np.tile([0.1, 0.3, 0.2, 0.25, 0.15], (len(positions), 1))
    (level,) = levels_of_detail(
        Mesh(positions, triangles, np.tile(np.arange(5), (len(positions), 1)), weights), [0.2]
    )
    assert sorted(level.indices[0].tolist()) == [1, 2, 3, 4]
    np.testing.assert_allclose(np.sort(level.weights[0]), np.array([0.15, 0.2, 0.25, 0.3]) / 0.9, atol=1e-6)


def test_hard_edges_are_welded_so_that_no_crack_opens_and_stay_hard():
    positions, triangles = cube()
    mesh = Mesh(positions, triangles)
    assert open_edges(places(mesh, mesh.triangles)) == 0
    (level,) = levels_of_detail(mesh, [0.05])
    assert level.triangle_count <= 40
    assert open_edges(places(level, level.triangles)) == 0
    np.testing.assert_allclose(np.abs(level.positions).max(axis=1), 1, atol=1e-3)  # nothing is cut off
    along = np.abs(level.normals).max(axis=1)
    np.testing.assert_allclose(along[along > 0], 1, atol=1e-2)  # an axis: not rounded. None where no area is.
    assert (along > 0).mean() > 0.8
    (smooth,) = levels_of_detail(mesh, [0.05], crease=180)
    assert np.median(np.abs(smooth.normals).max(axis=1)) < 0.95
    assert smooth.vertex_count < level.vertex_count


def test_what_is_bound_differently_is_never_joined():
    """Two cubes in the same place that move apart."""
    positions, triangles = cube(4)
    count = len(positions)
    rows = np.repeat([0, 1], count)[:, None]
    both = Mesh(
        np.concatenate([positions, positions]),
        np.concatenate([triangles, triangles + count]),
        rows,
        np.ones((2 * count, 1)),
    )
    (level,) = levels_of_detail(both, [0.3])
    assert (level.indices[level.triangles, 0] == level.indices[level.triangles[:, :1], 0]).all()
    for row in (0, 1):
        of_one = level.triangles[level.indices[level.triangles[:, 0], 0] == row]
        assert len(of_one) > 0.4 * level.triangle_count
        assert open_edges(places(level, of_one)) == 0


def test_parts_keep_their_triangles_colours_and_share_their_edge():
    positions, triangles = cube()
    half = len(triangles) // 6 * 5  # the last side is another part
    split = int(triangles[half:].min())
    parts = [
        Part("box", slice(0, split), slice(0, half), base_color=(1, 0, 0, 1)),
        Part("lid", slice(split, len(positions)), slice(half, len(triangles)), base_color=(0, 0, 1, 1)),
    ]
    (level,) = levels_of_detail(Mesh(positions, triangles, parts=parts), [0.1])
    assert [(part.name, part.base_color) for part in level.parts] == [
        (part.name, part.base_color) for part in parts
    ]
    for part in level.parts:
        drawn = level.triangles[part.triangles]
        assert drawn.min() >= part.vertices.start
        assert drawn.max() < part.vertices.stop
    lid = level.positions[level.parts[1].vertices]
    np.testing.assert_allclose(lid[:, 2], 1, atol=1e-3)
    assert open_edges(places(level, level.triangles)) == 0


def test_a_corner_takes_its_uv_from_its_own_island():
    """Each side of the cube shows one spot of a picture: no triangle may reach from one spot to another."""
    positions, triangles = cube()
    side = np.arange(len(positions)) // (len(positions) // 6)
    uvs = np.stack([(side % 3) / 3 + 0.1, (side // 3) / 2 + 0.1], axis=1)
    texture = lissom.Texture(b"never decoded here")
    part = Part("box", slice(0, len(positions)), slice(0, len(triangles)), texture=texture)
    (level,) = levels_of_detail(Mesh(positions, triangles, uvs=uvs, parts=[part]), [0.05])
    corners = level.uvs[level.triangles]
    np.testing.assert_allclose(corners, np.broadcast_to(corners[:, :1], corners.shape), atol=1e-6)
    assert len(np.unique(corners[:, 0].round(3), axis=0)) == 6
    assert level.parts[0].texture is texture


def test_a_corner_takes_its_colour_from_its_own_patch():
    """Each side of the cube has a colour: no triangle may have two."""
    positions, triangles = cube()
    side = np.arange(len(positions)) // (len(positions) // 6)
    colors = np.stack([side % 2, side // 2 / 2, np.full(len(side), 0.25), np.ones(len(side))], axis=1)
    (level,) = levels_of_detail(Mesh(positions, triangles, colors=colors), [0.05])
    corners = level.colors[level.triangles]
    np.testing.assert_array_equal(corners, np.broadcast_to(corners[:, :1], corners.shape))
    assert len(np.unique(corners[:, 0], axis=0)) == 6


def test_colours_that_run_into_one_another_stay_where_they_are():
    tube = lissom.samples.two_bone_tube().mesh
    share = tube.positions[:, 0] / tube.positions[:, 0].max()
    colors = np.stack([share, 1 - share, 0 * share, 0.5 + 0 * share], axis=1).clip(0, 1)
    fields = (tube.positions, tube.triangles, tube.indices, tube.weights)
    (level,) = levels_of_detail(Mesh(*fields, colors=colors), [0.25])
    (plain,) = levels_of_detail(Mesh(*fields), [0.25])
    assert level.triangle_count == plain.triangle_count
    expected = level.positions[:, 0] / tube.positions[:, 0].max()
    np.testing.assert_allclose(level.colors[:, 0], expected.clip(0, 1), atol=0.03)
    np.testing.assert_array_equal(level.colors[:, 3], 0.5)


@pytest.mark.parametrize("count", [1, 2])
def test_a_small_flat_surface_keeps_a_triangle(count):
    """Every edge of it collapses without an error."""
    corners, triangles = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], [[0, 1, 2], [1, 3, 2]]
    for level in levels_of_detail(Mesh(corners, triangles[:count]), [0.5, 0.01]):
        assert level.triangle_count >= 1


def test_closed_lips_stay_apart():
    """Two sheets that touch along a line, where a morph target moves the lower one away."""
    side = np.arange(9) / 8
    x, y = (values.ravel() for values in np.meshgrid(side, side))
    sheet = np.stack([x, y, 0.05 * np.sin(5 * x) * y], axis=1)
    corner = np.arange(72).reshape(8, 9)[:, :8].ravel()
    halves = [[corner, corner + 1, corner + 9], [corner + 1, corner + 10, corner + 9]]
    cells = np.concatenate([np.stack(half, axis=1) for half in halves])
    lower = sheet * [1, -1, 1]
    morphs = lissom.Morphs.from_dense(
        ["face/open", "face/wide"],
        [np.concatenate([0 * sheet, 0 * lower - [0, 0.2, 0]]), np.concatenate([sheet, sheet]) * [0.1, 0, 0]],
    )
    mesh = Mesh(np.concatenate([sheet, lower]), np.concatenate([cells, cells[:, ::-1] + 81]), morphs=morphs)
    for level in levels_of_detail(mesh, [0.5, 0.2]):
        opened = np.zeros(level.vertex_count, np.bool_)
        opened[level.morphs.vertices[level.morphs.rows("open")]] = True
        is_lower = level.positions[level.triangles].mean(axis=1)[:, 1] < 0
        np.testing.assert_array_equal(opened[level.triangles], is_lower[:, None].repeat(3, axis=1))


def test_the_source_may_be_a_character_a_bake_or_a_prepared_mesh(humanoid):
    (expected,) = levels_of_detail(humanoid.mesh, [0.1])
    bake = lissom.bake(humanoid, ["idle"], rate=10)
    for source in (humanoid, bake, humanoid.mesh.prepare(original_order=True)):
        (level,) = levels_of_detail(source, [0.1])
        assert level.triangle_count == expected.triangle_count
    assert levels_of_detail(humanoid, []) == ()


def test_chains_of_collapses_are_followed_to_their_end():
    assert _survivors(np.array([[1, 0], [2, 1], [3, 2]]), 5).tolist() == [3, 3, 3, 3, 4]


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((1,), {}, TypeError, "source must be a Mesh, PreparedMesh, Character or PoseTexture, got int"),
        (("mesh", 0.5), {}, TypeError, "fractions must be numbers, one per level, got float"),
        (("mesh", [1.0]), {}, ValueError, "fractions must be below 1, got 1"),
        (("mesh", [0]), {}, ValueError, "fractions must be above zero and finite, got 0"),
        (("mesh", ["a"]), {}, TypeError, "fractions must be a number, got str"),
        (("mesh",), {"crease": 181}, ValueError, "crease must be at most 180 degrees, got 181"),
        (
            ("empty",),
            {},
            ValueError,
            "source must have a triangle with three distinct corners, got none",
        ),
        (("bones",), {}, ValueError, "source must have a mesh, got a Character without; pass the mesh"),
    ],
)
def test_errors_say_what_was_expected(humanoid, arguments, options, error, message):
    things = {
        "mesh": humanoid.mesh,
        "empty": Mesh(np.zeros((3, 3)), [[0, 1, 2]]),
        "bones": lissom.Character("bones", humanoid.skeleton, None, None),
    }
    source = things.get(arguments[0], arguments[0])
    with pytest.raises(error) as raised:
        levels_of_detail(source, *arguments[1:], **options)
    assert str(raised.value) == f"levels_of_detail: {message}"
