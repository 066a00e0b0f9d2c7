# SPDX-License-Identifier: MIT
"""lissom.render and lissom.compare: poses, options, numbers, and every refusal."""

import io

import numpy as np
import pytest

import lissom
from lissom import metrics


@pytest.fixture(scope="module")
def bar():
    return lissom.samples.twisted_bar()


@pytest.fixture
def twisted(bar):
    clip = next(iter(bar.clips.values()))
    return clip.sample(clip.start + 0.5 * clip.duration)  # half way, where it is twisted most


def test_a_picture_of_the_rest_pose(context, bar):
    picture = lissom.render(bar, width=96, height=54)
    assert isinstance(picture, lissom.Picture)
    assert picture.array.shape == (54, 96, 3)
    assert picture._repr_png_().startswith(b"\x89PNG")
    rest = lissom.render(bar, bar.skeleton.rest, width=96, height=54)
    np.testing.assert_array_equal(picture.array, rest.array)


def test_clip_and_time_are_a_pose(context, bar):
    name, clip = next(iter(bar.clips.items()))
    time = clip.start + 0.7 * clip.duration
    a = lissom.render(bar, clip=name, time=time, width=96, height=54)
    b = lissom.render(bar, clip.sample(time), width=96, height=54)
    np.testing.assert_array_equal(a.array, b.array)


def test_method_azimuth_and_heat_change_the_picture(context, bar, twisted):
    plain = lissom.render(bar, twisted, width=96, height=54).array
    for options in (
        {"method": "dual_quat"},
        {"azimuth": -60},
        {"elevation": 50},
        {"ground": False},
        {"samples": 0},
        {"heat": bar.mesh.positions[:, 1] - bar.mesh.positions[:, 1].min()},
    ):
        assert (lissom.render(bar, twisted, width=96, height=54, **options).array != plain).any(), options


def test_misuse_of_render_is_refused(context, bar):
    name = next(iter(bar.clips))
    with pytest.raises(ValueError, match="render: pose must be omitted where a clip or time is"):
        lissom.render(bar, bar.skeleton.rest, clip=name)
    with pytest.raises(ValueError, match=r"^render: width and height must be whole numbers, .* got 0 x 540"):
        lissom.render(bar, width=0)
    with pytest.raises(
        TypeError, match=r"^render: ground must be True, False, a ground of lissom.ground, or"
    ):
        lissom.render(bar, ground=3)
    with pytest.raises(
        ValueError, match=r"^render: ground_height must be None with a mesh as ground, got 1.0"
    ):
        lissom.render(bar, ground=lissom.samples.stair(), ground_height=1.0)
    for name in ("azimuth", "elevation", "ground_height"):
        with pytest.raises(ValueError, match=f"^render: {name} must be finite, got nan"):
            lissom.render(bar, **{name: np.nan})
    with pytest.raises(TypeError, match=r"^render: camera must be a Camera, got int"):
        lissom.render(bar, camera=3)
    with pytest.raises(ValueError, match="render: time must come with a clip, got"):
        lissom.render(bar, time=1.0)
    with pytest.raises(ValueError, match=r"render: no clip is named 'nothing'; there are: 'twist', 'bend'"):
        lissom.render(bar, clip="nothing")
    with pytest.raises(ValueError, match=r"render: pose must have shape \(\d+, 10\), one pose, got \(2, "):
        lissom.render(bar, np.stack([bar.skeleton.rest] * 2))
    for wrong in ("twist", bar.skeleton.rest + 0j):
        with pytest.raises(TypeError, match="render: pose must be an array of real numbers"):
            lissom.render(bar, wrong)
    with pytest.raises(
        ValueError, match=r"^render: method must be one of 'linear', 'dual_quat', .*got 'magic'$"
    ):
        lissom.render(bar, method="magic")
    with pytest.raises(ValueError, match=r"^render: blend must be set for method 'blended'; pass blend="):
        lissom.render(bar, method="blended")
    with pytest.raises(ValueError, match=r"^render: heat must have shape \(\d+,\), got \(2,\)$"):
        lissom.render(bar, heat=[1.0, 2.0])
    with pytest.raises(ValueError, match=r"^render: heat_maximum must be finite and at least 0, got -1$"):
        lissom.render(bar, heat=np.ones(bar.mesh.vertex_count), heat_maximum=-1)


def test_an_edited_clip_is_drawn_as_one_of_the_characters_own(context, bar):
    size = {"width": 96, "height": 54}
    later = bar.clips["twist"].shifted(5.0)
    drawn = lissom.render(bar, clip=later, time=5.5, **size).array
    assert (drawn == lissom.render(bar, clip="twist", time=0.5, **size).array).all()
    assert (drawn != lissom.render(bar, **size).array).any()
    walk = lissom.samples.humanoid().clips["walk"]
    for draw, name in ((lissom.render, "render"), (lissom.compare, "compare")):
        with pytest.raises(ValueError, match=f"{name}: clip 'walk' must be of the same skeleton, but joint"):
            draw(bar, clip=walk)
        with pytest.raises(TypeError, match=f"{name}: clip must be a name or a Clip, got int"):
            draw(bar, clip=3)


def test_what_is_no_character_is_a_type_error(bar):
    for draw, name in ((lissom.render, "render"), (lissom.compare, "compare")):
        with pytest.raises(TypeError, match=f"{name}: character must be a Character, got str; lissom.load"):
            draw("hero.glb")
        with pytest.raises(TypeError, match="got Mesh"):
            draw(bar.mesh)


def small(skeleton, positions):
    triangles = np.arange(len(positions)).reshape(-1, 3)
    mesh = lissom.Mesh(np.zeros((len(positions), 3)), triangles)
    return lissom.Character("small", skeleton, mesh, lissom.Skin([0], np.eye(4)[None]))


def test_characters_of_next_to_nothing(context, bar):
    nothing = lissom.load(b'{"asset": {"version": "2.0"}}')
    with pytest.raises(ValueError, match="render: character must have at least one joint, got 'character'"):
        lissom.render(nothing)
    root = lissom.Skeleton(["root"], [-1], bar.skeleton.rest[:1])
    point, empty = small(root, [0, 1, 2]), small(root, [])
    assert lissom.render(empty, width=32, height=32).array.shape == (32, 32, 3)
    with pytest.raises(ValueError, match="compare: character must have a mesh, got 'small', which has none"):
        lissom.compare(empty)
    numbers = lissom.compare(point, width=96, height=32).numbers
    assert numbers["size"] == numbers["max"] == numbers["max_relative"] == 0


def test_compare_measures_what_deform_gives(context, bar, twisted):
    comparison = lissom.compare(bar, twisted, width=360, height=120)
    linear, dual = (bar.deform(twisted, method=m).astype(float) for m in ("linear", "dual_quat"))
    distances = np.linalg.norm(linear - dual, axis=1)
    numbers = comparison.numbers
    np.testing.assert_array_equal(comparison.distances, distances)
    assert numbers["max"] == distances.max() == distances[numbers["vertex"]]
    assert numbers["mean"] == pytest.approx(distances.mean())
    assert numbers["rms"] == pytest.approx(np.sqrt((distances**2).mean()))
    assert numbers["p99"] == pytest.approx(np.quantile(distances, 0.99))
    assert numbers["max_relative"] == pytest.approx(distances.max() / bar.size)
    assert numbers["size"] == pytest.approx(bar.size)
    assert numbers["methods"] == ("linear", "dual_quat")
    assert (comparison.clip, comparison.time, comparison.searched) == (None, None, False)
    assert numbers["max_relative"] > 0.01  # a twisted bar is where the methods differ
    assert "linear against dual_quat" in repr(comparison)


def test_the_comparison_has_three_panels_and_is_saved(context, bar, twisted, tmp_path):
    comparison = lissom.compare(bar, twisted, width=360, height=120)
    assert comparison.image.shape == (120, 360, 3)
    first, second, heat = np.split(comparison.image.astype(int), 3, axis=1)
    assert (first != second).any()
    colourful = np.ptp(heat, axis=2) > 60
    assert colourful.mean() > 0.05
    bar_row = np.ptp(heat[-40:], axis=2).max(axis=1)
    assert (bar_row > 60).any()  # the colour bar
    path = comparison.save(tmp_path / "compare.png")
    images = pytest.importorskip("PIL.Image")
    with images.open(io.BytesIO(path.read_bytes())) as image:
        np.testing.assert_array_equal(np.asarray(image), comparison.image)
    assert comparison.picture._repr_png_() == path.read_bytes()


@pytest.mark.parametrize(
    ("methods", "heat", "message"),
    [
        (("linear",), None, "compare: methods must be two or more of linear, dual_quat"),
        (("linear", "dance"), None, r"compare: methods must be two or more .* got \('linear', 'dance'\)"),
        ("linear", None, "compare: methods must be two or more .* got 'linear'"),
        (
            ("linear", "dual_quat"),
            ("linear",),
            r"compare: heat must be two of linear, dual_quat, got \('lin",
        ),
        (("linear", "dual_quat"), ("linear", "cor"), "compare: heat must be two of linear, dual_quat, got"),
        (
            ("linear", "dual_quat"),
            ("linear", "linear"),
            "compare: heat must be two of linear, dual_quat, g",
        ),
        (("linear", "dual_quat"), "dual_quat", "compare: heat must be two of linear, dual_quat, got 'dual"),
        (
            ("linear", "cor", "linear"),
            None,
            r"compare: methods must be different, got \('linear', 'cor', 'l",
        ),
        (3, None, "compare: methods must be two or more of linear, .* got 3"),
    ],
)
def test_compare_refuses_other_methods(bar, methods, heat, message):
    with pytest.raises(ValueError, match=message):
        lissom.compare(bar, methods=methods, heat=heat)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"width": 0}, ValueError, "compare: width must be at least 16, got 0"),
        ({"height": 15}, ValueError, "compare: height must be at least 16, got 15"),
        ({"width": "a"}, TypeError, "compare: width must be a whole number, got str"),
        ({"height": 99.5}, TypeError, "compare: height must be a whole number, got float"),
        ({"azimuth": np.nan}, ValueError, "compare: azimuth must be finite, got nan"),
        ({"elevation": np.inf}, ValueError, "compare: elevation must be finite, got inf"),
        ({"azimuth": "left"}, TypeError, "compare: azimuth must be a number, got str"),
        (
            {"blend": 0.5},
            ValueError,
            "compare: blend must be omitted without the method 'blended', got methods li",
        ),
        ({"focus": "tip"}, ValueError, "compare: focus: no joint is named 'tip'; did you mean 'Tip'"),
        ({"focus": "max", "camera": 0}, ValueError, "compare: focus must be omitted where a camera is"),
    ],
)
def test_compare_refuses_what_cannot_be_drawn(bar, options, error, message):
    with pytest.raises(error, match=message):
        lissom.compare(bar, **options)


@pytest.mark.parametrize(
    ("blend", "error", "message"),
    [
        ([0.5, 0.5], ValueError, r"compare: blend must have shape \(2258,\), got \(2,\)"),
        (1.5, ValueError, r"compare: blend must lie in \[0, 1\], got 1.5"),
        (np.nan, ValueError, r"compare: blend must lie in \[0, 1\], got nan"),
        ("twist", ValueError, "compare: blend must be numbers from 0 to 1 or 'bend', got 'twist'"),
        ([None], TypeError, "compare: blend must be an array of real numbers"),
    ],
)
def test_compare_refuses_a_blend_that_does_not_fit(bar, twisted, blend, error, message):
    with pytest.raises(error, match=message):
        lissom.compare(bar, twisted, ("linear", "blended"), blend=blend)


def test_compare_takes_every_method_and_measures_each(context, bar, twisted):
    methods = lissom.skinning.METHODS
    comparison = lissom.compare(bar, twisted, methods, heat=("dual_quat", "linear"), width=240)
    numbers = comparison.numbers
    assert numbers["methods"] == methods
    assert numbers["between"] == ("dual_quat", "linear")
    assert (numbers["pieces"], numbers["closed_pieces"], numbers["open_edges"]) == (1, 1, 0)
    assert numbers["bend"] is None  # it is twisted, not bent
    palette = bar.skin.palette(bar.skeleton.model_matrices(twisted.astype(float)))
    bind, triangles = bar.mesh.positions, bar.mesh.triangles
    for method in methods:
        own, found = numbers["by_method"][method], comparison.vertices[method]
        options = {"blend": np.full(len(bind), 0.5)} if method == "blended" else {}
        np.testing.assert_array_equal(found, bar.deform(twisted, method, **options))
        edges = metrics.edges(found, bind, triangles)
        assert own == {
            "volume_change": metrics.volume_change(found, bind, triangles).total,
            "edge_length_change": edges.length,
            "edge_length_rms": edges.length_rms,
            "corner_angle_change": edges.angle,
            "smallest_area": metrics.collapse(found, bind, triangles).determinant,
            "smallest_determinant": metrics.blend_collapse(bar.mesh, palette, method, **options).determinant,
            "bulge": None,
        }
    assert numbers["by_method"]["linear"]["smallest_determinant"] < 0.01
    assert numbers["by_method"]["dual_quat"]["smallest_determinant"] == pytest.approx(1)
    np.testing.assert_array_equal(
        comparison.distances,
        np.linalg.norm(comparison.vertices["linear"] - comparison.vertices["dual_quat"], axis=-1),
    )


def test_compare_finds_the_bend_and_its_bulge(context):
    tube = lissom.samples.two_bone_tube()
    pose = tube.skeleton.rest.astype(float)
    pose[1, 3:7] = lissom.quat.from_axis_angle([0, 0, 1], np.pi / 2)
    # Moved and turned as a whole, which changes no number.
    pose[0, :7] = [3, 1, -2, *lissom.quat.from_axis_angle([0.6, 0.8, 0], 1.1)]
    numbers = lissom.compare(tube, pose, width=96, height=32).numbers
    assert numbers["bend"]["joint"] == "Tip"
    assert numbers["bend"]["angle"] == pytest.approx(np.pi / 2)
    bones = np.array([[[0.0, 0, 0], [2, 0, 0]], [[2, 0, 0], [2, 2, 0]]])
    bind_bones = np.array([[[0.0, 0, 0], [2, 0, 0]], [[2, 0, 0], [4, 0, 0]]])
    pose[0] = tube.skeleton.rest[0]
    for method in ("linear", "dual_quat"):
        whole = metrics.bulge(tube.deform(pose, method), tube.mesh.positions, bones, bind_bones)
        assert numbers["by_method"][method]["bulge"] == pytest.approx(whole.relative, abs=1e-4)


def test_an_open_surface_and_one_without_area_are_compared(context, bar):
    opened = lissom.Character("open", bar.skeleton, half_of(bar.mesh), bar.skin)
    numbers = lissom.compare(opened, bar.clips["twist"].at(0.5), width=780, height=260).numbers
    assert (numbers["pieces"], numbers["closed_pieces"]) == (1, 0)
    assert numbers["open_edges"] > 0
    assert numbers["by_method"]["linear"]["volume_change"] is None
    assert numbers["by_method"]["linear"]["edge_length_change"] < -0.9
    root = lissom.Skeleton(["root"], [-1], bar.skeleton.rest[:1])
    own = lissom.compare(small(root, [0, 1, 2]), width=780, height=260).numbers["by_method"]["linear"]
    assert own["edge_length_change"] is None
    assert own["smallest_determinant"] == pytest.approx(1)


def half_of(mesh):
    return lissom.Mesh(mesh.positions, mesh.triangles[: mesh.triangle_count // 2], mesh.indices, mesh.weights)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_panels_stand_in_rows_of_one_size(context, bar, twisted, count):
    methods = ("linear", "dual_quat", "quat_trans", "cor")[:count]
    rows = 1 if count == 2 else 2
    columns = -(-(count + 1) // rows)
    size = {"width": 240 * columns + 1, "height": 260 * rows + rows - 1}
    image = lissom.compare(bar, twisted, methods, heat=("linear", "dual_quat"), **size).image.astype(int)
    assert image.shape == (size["height"], size["width"], 3)
    panels = [
        image[260 * i : 260 * i + 260, 240 * j : 240 * j + 240] for i in range(rows) for j in range(columns)
    ]
    for i, panel in enumerate(panels[: count + 1]):
        assert (panel[-60:] < 150).any(), f"numbers beneath panel {i}"
    if count > 2:
        # One camera for all: equal methods draw equal pictures, except for the line between two
        # panels, and the words.
        assert np.abs(panels[2][40:, 3:] - panels[0][40:, 3:]).mean() < 0.1
    assert (panels[0] != panels[1]).any()
