# SPDX-License-Identifier: MIT
"""Pictures that NumPy draws: which pixels, the stage's light and framing, and every kind of input."""

import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import lissom
from conftest import asset_files, asset_id
from lissom._formats.png import png_bytes
from lissom._sketch import light as _light
from lissom._sketch.raster import fragments, nearest
from lissom._sketch.surface import Surface
from lissom.gpu import Camera
from lissom.gpu._loader import shader_folder

# Of 255, mean over all pixels and channels. Measured up to 0.7: samples lie elsewhere in a pixel, the shadow
# has 160 texels, and textures 512. A shift of one pixel differs by more than 2.
LIKE_THE_STAGE = 1.0


def covered(corners, width, height):
    """Pixels whose centre is inside each triangle, by the signs of its edges: the twin of `fragments`."""
    x, y = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    result = set()
    for t, (a, b, c) in enumerate(np.moveaxis(corners, -1, 0).transpose(0, 2, 1)):
        sides = [(q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]) for p, q in ((a, b), (b, c), (c, a))]
        inside = np.all([side > 0 for side in sides], axis=0) | np.all([side < 0 for side in sides], axis=0)
        result |= {(t, i, j) for j, i in zip(*np.nonzero(inside), strict=True)}
    return result


def random_triangles(count, seed):
    rng = np.random.default_rng(seed)
    middle = rng.uniform(-5, 45, (2, 1, count))
    return middle + rng.normal(size=(2, 3, count)) * rng.choice([0.3, 3, 30], count)


def test_fragments_are_the_pixels_whose_centre_is_inside():
    corners = random_triangles(200, 1)
    found = fragments(corners, 40, 30)
    assert len(found.triangle) > 1000
    assert set(zip(*(a.tolist() for a in found), strict=True)) == covered(corners, 40, 30)
    assert len(set(zip(*found, strict=True))) == len(found.triangle)


def test_triangles_that_share_edges_cover_each_pixel_once():
    # A fan around a pixel's centre, its rim on pixel centres: every tie there is.
    angles = np.linspace(0, 2 * np.pi, 9)[:-1]
    rim = np.stack([10.5 + np.rint(8 * np.cos(angles)), 10.5 + np.rint(8 * np.sin(angles))])
    center = np.full((2, 8), 10.5)
    found = fragments(np.stack([center, rim, np.roll(rim, -1, axis=1)], axis=1), 21, 21)
    counts = np.zeros((21, 21), int)
    np.add.at(counts, (found.y, found.x), 1)
    assert counts.max() == 1
    assert counts[10, 3:18].all()
    assert counts[3:18, 10].all()


@pytest.mark.parametrize("most", [1 << 21, 500], ids=["at once", "in parts"])
def test_the_nearest_triangle_wins(monkeypatch, most):
    monkeypatch.setattr("lissom._sketch.raster.MOST_AT_ONCE", most)
    corners = random_triangles(120, 2)
    level = np.random.default_rng(3).uniform(1, 2, 120)
    pixel, triangle = nearest(corners, np.tile(level, (3, 1)), 40, 30)
    expected = {}
    for t, i, j in sorted(covered(corners, 40, 30), key=lambda hit: level[hit[0]]):
        expected[j * 40 + i] = t
    assert dict(zip(pixel.tolist(), triangle.tolist(), strict=True)) == expected


def test_crossing_triangles_are_cut_where_they_cross():
    corners = np.array([[[0, 0], [0, 0], [20, 20]], [[0, 0], [20, 20], [10, 10]]], float)
    near = np.array([[1.0, 2.0], [1.0, 2.0], [2.0, 1.0]])  # they are equally far at x = 10
    pixel, triangle = nearest(corners, near, 20, 20)
    assert ((pixel % 20 < 10) == (triangle == 1)).all()


def test_the_light_is_that_of_the_shaders():
    text = (shader_folder() / "include" / "light.glsl").read_text()
    found = dict(re.findall(r"const vec3 k(\w+)Light = vec3\(([^)]*)\)", text))
    for name, values in found.items():
        ours = getattr(_light, f"{name.upper()}_LIGHT")
        np.testing.assert_array_equal(ours, np.float32([float(v) for v in values.split(",")]))
    assert set(found) == {"Sky", "Ground", "Key", "Rim"}


def bones():
    return lissom.Character("bones", lissom.samples.humanoid().skeleton, None, None)


@pytest.mark.gl
@pytest.mark.parametrize("view", [{}, {"azimuth": 200, "elevation": 40}, {"elevation": -20}], ids=str)
@pytest.mark.parametrize("make", [lissom.samples.humanoid, lissom.samples.twisted_bar, bones])
def test_it_is_the_picture_that_the_stage_draws(make, view):
    character = make()
    size = {"width": 200, "height": 160}
    drawn = lissom.render(character, **view, **size).array.astype(int)
    ours = lissom.sketch(character, **view, **size).array
    assert np.abs(ours - drawn).mean() < LIKE_THE_STAGE


@pytest.mark.gl
def test_heat_and_poses_and_cameras_are_those_of_render():
    hero = lissom.samples.humanoid()
    heat = hero.mesh.positions[:, 1].clip(0)
    given = {
        "pose": hero.clips["run"].sample(0.2),
        "heat": heat,
        "heat_maximum": 1.0,
        "camera": Camera((0.0, 1.2, 0.0), 2.0, azimuth=80),
        "ground_height": -0.1,
    }
    drawn = lissom.render(hero, **given, width=200, height=200, color_bar=False).array.astype(int)
    assert np.abs(lissom.sketch(hero, **given, width=200, height=200).array - drawn).mean() < LIKE_THE_STAGE


@pytest.mark.gl
@pytest.mark.parametrize("name", ["characters/khronos/Fox.glb", "characters/kaykit/Knight.glb"])
def test_textures_are_seen(asset, name):
    character = lissom.load(asset(name))
    drawn = lissom.render(character, width=200, height=200).array.astype(int)
    ours = lissom.sketch(character, width=200, height=200).array
    assert np.abs(ours - drawn).mean() < LIKE_THE_STAGE


@pytest.mark.gl
def test_vertex_colours_are_seen():
    tube = lissom.samples.two_bone_tube()
    mesh = tube.mesh
    share = (mesh.positions[:, 0] / 4).clip(0, 1)[:, None]
    colors = share * [1, 0.1, 0, 1] + (1 - share) * [0, 0.2, 1, 1]
    painted = lissom.Mesh(
        mesh.positions, mesh.triangles, mesh.indices, mesh.weights, normals=mesh.normals, colors=colors
    )
    character = lissom.Character("painted", tube.skeleton, painted, tube.skin)
    drawn = lissom.render(character, width=200, height=200).array.astype(int)
    ours = lissom.sketch(character, width=200, height=200).array
    assert np.abs(ours - drawn).mean() < LIKE_THE_STAGE
    assert np.abs(drawn - lissom.render(tube, width=200, height=200).array).mean() > 2  # they are seen


def test_a_texture_that_cannot_be_decoded_leaves_the_base_color():
    tube = lissom.samples.two_bone_tube()
    mesh = tube.mesh
    broken = lissom.Texture(b"no picture")
    part = lissom.Part("a", slice(0, mesh.vertex_count), slice(0, mesh.triangle_count), texture=broken)
    uvs = np.zeros((mesh.vertex_count, 2))
    plain = lissom.Part("a", part.vertices, part.triangles)
    pictures = [
        lissom.sketch(lissom.Mesh(mesh.positions, mesh.triangles, uvs=uvs, parts=[p])).array
        for p in (part, plain)
    ]
    np.testing.assert_array_equal(*pictures)


def test_positions_are_poses_by_hand():
    hero = lissom.samples.humanoid()
    pose = hero.clips["wave"].sample(1.0)
    posed = lissom.sketch(hero, pose=pose).array.astype(int)
    normals_differ = 1.0  # computed from the faces, not moved with the joints
    for source in (hero, hero.mesh):
        placed = lissom.sketch(source, hero.deform(pose)).array
        assert np.abs(placed - posed).mean() < normals_differ
    np.testing.assert_array_equal(
        lissom.sketch(hero.skeleton, pose=pose).array,
        lissom.sketch(hero.skeleton, hero.skeleton.positions(pose.astype(float))).array,
    )
    np.testing.assert_array_equal(
        lissom.sketch(bones(), pose=pose).array, lissom.sketch(hero.skeleton, pose=pose).array
    )


def test_where_and_how_large_a_mesh_is_changes_nothing():
    mesh = lissom.samples.two_bone_tube().mesh
    places = mesh.positions.astype(float)
    plain = lissom.sketch(mesh, places, ground=False).array.astype(int)
    for scale in (1e-12, 1e12):
        moved = scale * (places + np.array([3.0, -2.0, 5.0]))
        assert np.abs(lissom.sketch(mesh, moved, ground=False).array - plain).mean() < 0.02  # rounding


def test_a_prepared_mesh_is_drawn_in_the_order_of_its_results():
    hero = lissom.samples.humanoid()
    ready = hero.prepared()
    np.testing.assert_array_equal(lissom.sketch(ready.prepared_mesh).array, lissom.sketch(ready.mesh).array)
    difference = lissom.sketch(ready).array.astype(int) - lissom.sketch(hero).array
    assert np.abs(difference).mean() < 0.02  # where two triangles are equally near, another is first


def test_a_face_behind_the_eye_is_left_out():
    hero = lissom.samples.humanoid()
    inside = Camera((0.0, 1.0, 0.0), 0.01)
    assert lissom.sketch(hero, camera=inside).shape == (240, 240, 3)
    away = Camera((0.0, 1.0, 10.0), 5.0, azimuth=180, elevation=0)  # looks along +z
    assert len(np.unique(lissom.sketch(hero, camera=away, ground=False).array.reshape(-1, 3), axis=0)) == 1


def test_of_many_triangles_some_stand_for_all(monkeypatch):
    pytest.importorskip("PIL.Image")
    hero = lissom.samples.humanoid()
    red = lissom.Texture(png_bytes(np.uint8([[[255, 0, 0]]])))
    parts = [replace(part, texture=red if part.name == "Trousers" else None) for part in hero.mesh.parts]
    uvs = np.zeros((hero.mesh.vertex_count, 2))
    mesh = lissom.Mesh(hero.mesh.positions, hero.mesh.triangles, uvs=uvs, parts=parts)
    assert hero.mesh.triangle_count > 2 * 96 * 96
    for options in ({}, {"heat": hero.mesh.positions[:, 1]}):
        every = lissom.sketch(mesh, width=96, height=96, **options).array.astype(int)
        with monkeypatch.context() as changed:
            changed.setattr(lissom._sketch.sketch, "MOST_TRIANGLES", 0)
            some = lissom.sketch(mesh, width=96, height=96, **options).array
        apart = np.abs(some - every)
        assert 0 < apart.mean() < 4  # other colours, a displacement or holes differ by more


def test_a_thinned_surface_keeps_its_vertices_in_order():
    points = np.arange(27.0).reshape(9, 3)
    surface = Surface(points, points, np.arange(9).reshape(3, 3)[:, ::-1], points, heat=points[:, 0])
    assert surface.thinned(3) is surface
    half = surface.thinned(2)
    assert half.every == 2
    np.testing.assert_array_equal(half.triangles, [[2, 1, 0], [5, 4, 3]])
    for values in (half.positions, half.normals, half.colors):
        np.testing.assert_array_equal(values, points[[0, 1, 2, 6, 7, 8]])
    np.testing.assert_array_equal(half.heat, points[[0, 1, 2, 6, 7, 8], 0])
    assert half.uvs is None


def test_nothing_to_draw_shows_the_ground():
    rest = np.tile(np.float32([0, 0, 0, 0, 0, 0, 1, 1, 1, 1]), (2, 1))
    empty = lissom.Mesh(np.zeros((0, 3)), np.zeros((0, 3), int))
    point = lissom.Mesh([[1.0, 2.0, 3.0]], np.zeros((0, 3), int))
    for source in (empty, point, lissom.Skeleton([], [], np.zeros((0, 10)))):
        assert lissom.sketch(source).shape == (240, 240, 3)
    assert lissom.sketch(empty).array.std() > 0.5  # the grid
    assert lissom.sketch(lissom.Skeleton(["a", "b"], [-1, 0], rest)).array.std() > 5  # all at one place
    flat = lissom.Mesh(np.zeros((3, 3)), [[0, 1, 2]])
    assert lissom.sketch(flat, width=1, height=1).shape == (1, 1, 3)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (("hero.glb",), {}, TypeError, "source must be a Character, a Mesh or a Skeleton, got str"),
        (("mesh", np.zeros((2, 3))), {}, ValueError, r"positions must have shape \(\d+, 3\), got \(2, 3\)"),
        (("mesh",), {"pose": []}, ValueError, "pose must be omitted for a mesh without joints"),
        (
            ("hero",),
            {"pose": np.zeros((2, 10))},
            ValueError,
            r"pose must have shape \(34, 10\), one pose, got \(2, 10\)",
        ),
        (
            ("hero", []),
            {"pose": []},
            ValueError,
            "positions must be omitted where a pose is passed, got both",
        ),
        (("bones",), {"heat": [1.0]}, ValueError, "heat must be omitted for joints without a mesh"),
        (
            ("bones",),
            {"pose": np.zeros((3, 10))},
            ValueError,
            r"pose must have shape \(34, 10\), one pose, got \(3, 10\)",
        ),
        (("mesh",), {"heat": [1.0]}, ValueError, r"heat must have shape \(\d+,\), got \(1,\)"),
        (
            ("mesh",),
            {"heat": "cold"},
            ValueError,
            "heat must be finite and at least 0, got -1.0 at vertex 0",
        ),
        (("mesh",), {"heat": "hot", "heat_maximum": -1}, ValueError, "heat_maximum must be .* at least 0"),
        (("mesh", "nan"), {}, ValueError, r"positions must be finite, got \[nan, .* in row 1"),
        (("mesh",), {"width": 0}, ValueError, "sketch: width must be at least 1, got 0"),
        (("mesh",), {"height": 1.5}, TypeError, "sketch: height must be a whole number, got float"),
        (("mesh",), {"camera": 3}, TypeError, "camera must be a Camera, got int"),
        (("mesh",), {"azimuth": np.nan}, ValueError, "azimuth must be finite"),
        (("mesh",), {"ground_height": "low"}, TypeError, "ground_height must be a number"),
    ],
)
def test_wrong_input_is_refused(arguments, options, error, message):
    tube = lissom.samples.two_bone_tube()
    broken = tube.mesh.positions.copy()
    broken[1] = np.nan
    known = {
        "mesh": tube.mesh,
        "hero": lissom.samples.humanoid(),
        "bones": bones(),
        "nan": broken,
        "cold": np.full(tube.mesh.vertex_count, -1.0),
        "hot": np.ones(tube.mesh.vertex_count),
    }

    def meant(value):
        return known.get(value, value) if isinstance(value, str) else value

    with pytest.raises(error, match=message):
        lissom.sketch(*map(meant, arguments), **{key: meant(value) for key, value in options.items()})


def test_numpy_is_enough():
    program = """
import sys
for name in ("moderngl", "glcontext", "matplotlib", "PIL"):
    sys.modules[name] = None
import lissom
hero = lissom.samples.humanoid()
assert lissom.sketch(hero).array.std() > 20
assert lissom.sketch(hero.skeleton).array.std() > 5
"""
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("path", asset_files("characters")[::6], ids=asset_id)
def test_every_character_is_drawn(path):
    try:
        character = lissom.load(path)
    except lissom.GltfError as error:
        pytest.skip(str(error))
    picture = lissom.sketch(character, width=96, height=96)
    assert picture.array.std() > 3
