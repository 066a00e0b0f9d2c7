# SPDX-License-Identifier: MIT
"""lissom.render and lissom.compare: poses, options, numbers, and every refusal."""

import io

import numpy as np
import pytest

import lissom


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
    middle = lissom.render(bar, clip=name, width=96, height=54)
    np.testing.assert_array_equal(middle.array, lissom.render(bar, clip.at(0.5), width=96, height=54).array)


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
    with pytest.raises(ValueError, match="render: pose: expected either a pose or a clip"):
        lissom.render(bar, bar.skeleton.rest, clip=name)
    with pytest.raises(ValueError, match="render: time: expected a clip to go with it"):
        lissom.render(bar, time=1.0)
    with pytest.raises(ValueError, match=r"render: no clip is named 'nothing'; there are: 'twist', 'bend'"):
        lissom.render(bar, clip="nothing")
    with pytest.raises(ValueError, match=r"render: pose: expected shape \(\d+, 10\), one pose, got \(2, "):
        lissom.render(bar, np.stack([bar.skeleton.rest] * 2))
    for wrong in ("twist", bar.skeleton.rest + 0j):
        with pytest.raises(TypeError, match="render: pose must be an array of real numbers"):
            lissom.render(bar, wrong)
    with pytest.raises(ValueError, match="method: expected one of linear, dual_quat"):
        lissom.render(bar, method="magic")


def test_an_edited_clip_is_drawn_as_one_of_the_characters_own(context, bar):
    size = {"width": 96, "height": 54}
    later = bar.clips["twist"].shifted(5.0)
    drawn = lissom.render(bar, clip=later, time=5.5, **size).array
    assert (drawn == lissom.render(bar, clip="twist", time=0.5, **size).array).all()
    assert (drawn != lissom.render(bar, **size).array).any()
    walk = lissom.samples.humanoid().clips["walk"]
    for draw, name in ((lissom.render, "render"), (lissom.compare, "compare")):
        with pytest.raises(ValueError, match=f"{name}: clip: .* got 'walk' of another skeleton; bind it"):
            draw(bar, clip=walk)
        with pytest.raises(TypeError, match=f"{name}: clip: expected a name or a Clip, got int"):
            draw(bar, clip=3)


def test_what_is_no_character_is_a_type_error(bar):
    for draw, name in ((lissom.render, "render"), (lissom.compare, "compare")):
        with pytest.raises(TypeError, match=f"{name}: character: expected a Character, got str; lissom.load"):
            draw("hero.glb")
        with pytest.raises(TypeError, match="got Mesh"):
            draw(bar.mesh)


def small(skeleton, positions):
    triangles = np.arange(len(positions)).reshape(-1, 3)
    mesh = lissom.Mesh(np.zeros((len(positions), 3)), triangles)
    return lissom.Character("small", skeleton, mesh, lissom.Skin([0], np.eye(4)[None]))


def test_characters_of_next_to_nothing(context, bar):
    nothing = lissom.load(b'{"asset": {"version": "2.0"}}')
    with pytest.raises(ValueError, match="render: character: expected at least one joint, 'character' has"):
        lissom.render(nothing)
    root = lissom.Skeleton(["root"], [-1], bar.skeleton.rest[:1])
    point, empty = small(root, [0, 1, 2]), small(root, [])
    assert lissom.render(empty, width=32, height=32).array.shape == (32, 32, 3)
    with pytest.raises(ValueError, match="compare: character: expected one with a mesh, 'small' has none"):
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
    assert comparison._repr_png_() == path.read_bytes()


def test_one_method_against_itself_is_no_distance(context, bar, twisted):
    comparison = lissom.compare(bar, twisted, ("dual_quat", "dual_quat"), width=180, height=60)
    assert comparison.numbers["max"] == 0
    with pytest.raises(ValueError, match="compare: methods: expected two of linear, dual_quat, got"):
        lissom.compare(bar, methods=("linear",))
