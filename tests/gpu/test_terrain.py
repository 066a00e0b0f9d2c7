# SPDX-License-Identifier: MIT
"""Ground that is not level, drawn: what hides what, where shadows fall, and that level ground looks level."""

import numpy as np
import pytest

import lissom
from gpu.test_stage import IDENTITY, wall
from lissom.gpu import Camera, SkinnedModel, Stage
from lissom.gpu._terrain import TAPS, _gaussian
from lissom.ground import HeightField

SIDE = Camera((0.0, 0.5, 0.0), 12.0, azimuth=30, elevation=25)
BACKGROUND = [231, 234, 239]  # (0.80, 0.83, 0.87) in sRGB


@pytest.fixture
def stage(context):
    with Stage(192, 192, context=context) as stage:
        yield stage


def level(height=0.0, half=4.0):
    """A level square around the origin."""
    return HeightField(np.full((2, 2), height), 2 * half, (-half, 0, -half)).triangles()


def plateau(height=1.0, half=2.0):
    """A level square with a square plateau in its middle, as one mesh."""
    positions, triangles = level()
    upper, _ = level(height, half)
    return np.concatenate([positions, upper]), np.concatenate([triangles, triangles + 4])


def at(camera, point, size=192):
    """Row and column of the pixel that shows a point."""
    x, y, _, w = camera.clip_from_world(1.0, 0.1, 100) @ [*point, 1]
    return int(size / 2 * (1 - y / w)), int(size / 2 * (1 + x / w))


def brightness(image, camera, point):
    """Mean over three by three pixels, so that no line of the grid decides."""
    row, column = at(camera, point)
    return float(image[row - 1 : row + 2, column - 1 : column + 2].astype(float).mean())


def to_key(camera):
    right, _, back = camera.axes
    key = -0.55 * right + 0.7 * np.array([back[0], 0, back[2]]) + np.array([0, 1.0, 0])
    return key / np.linalg.norm(key)


def slab(stage, center, half=0.5):
    """A level square in the air, to cast shadows."""
    model = SkinnedModel(wall(), stage=stage)
    model.set_palette(IDENTITY)
    placed = np.eye(4)
    placed[:3, :3] = half * np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
    placed[:3, 3] = np.add(center, (0, 0, half))
    model.world_from_model = placed
    return model


def test_level_ground_has_the_colour_of_the_background(stage):
    image = stage.render(camera=SIDE, ground=level()).array.astype(int)
    assert np.median(image.reshape(-1, 3), axis=0).tolist() == pytest.approx(BACKGROUND, abs=1)
    # Nothing but the grid tells the mesh from the plane around it.
    assert np.abs(image - BACKGROUND).max() < 30


def test_a_step_is_lighter_above_than_in_front_and_darker_in_its_corner(stage):
    image = stage.render(camera=SIDE, ground=plateau()).array
    top = brightness(image, SIDE, (1.2, 1.0, 1.2))
    front = brightness(image, SIDE, (0.3, 0.5, 2.0))
    corner = brightness(image, SIDE, (0.3, 0.0, 2.04))
    far = brightness(image, SIDE, (0.3, 0.0, 3.4))
    assert top > front + 8
    assert far > corner + 8


def test_the_lamp_casts_shadows_on_the_ground_that_lies_in_their_way(stage):
    center = np.array([0.0, 2.5, 0.0])
    key = to_key(SIDE)
    pictures = {}
    for height in (0.0, 1.0):
        with slab(stage, center) as model:
            image = stage.render(model, camera=SIDE, ground=plateau(height, half=3.5)).array
        bare = stage.render(camera=SIDE, ground=plateau(height, half=3.5)).array
        pictures[height] = [
            brightness(bare, SIDE, place) - brightness(image, SIDE, place)
            for place in (center - key * (center[1] - y) / key[1] for y in (0.0, 1.0))
        ]
    on_floor, on_plateau = pictures[0.0][0], pictures[1.0][1]
    assert on_floor > 15
    assert on_plateau > 15
    assert pictures[1.0][0] < 5  # the place on the floor lies under the plateau now


def test_contact_is_with_the_ground_below_not_with_the_lowest(stage):
    def darkness(height):
        with slab(stage, (0.0, 1.02, 0.0)) as model:
            points = [(0.0, height, 0.53), (-0.3, height, 0.53)]  # towards the lamp: not in its shadow
            image = stage.render(model, camera=SIDE, ground=plateau(height, half=3.5)).array
        bare = stage.render(camera=SIDE, ground=plateau(height, half=3.5)).array
        return max(brightness(bare, SIDE, p) - brightness(image, SIDE, p) for p in points)

    assert darkness(1.0) > 20
    assert darkness(0.2) < 6


def test_ground_hides_what_is_behind_and_below_it(stage):
    with slab(stage, (0.0, 0.5, 0.0)) as model:
        hidden = stage.render(model, camera=SIDE, ground=plateau()).array.astype(int)
        bare = stage.render(camera=SIDE, ground=plateau()).array.astype(int)
        shown = stage.render(model, camera=SIDE, ground=level()).array.astype(int)
    middle = at(SIDE, (0.0, 1.0, 0.0))
    assert np.abs(hidden[middle] - bare[middle]).max() < 4
    assert shown[at(SIDE, (0, 0.5, 0))].max() < 200


def test_from_below_the_plane_hides_nothing(stage):
    camera = Camera((0.0, 2.0, 0.0), 8.0, azimuth=0, elevation=-40)
    with slab(stage, (0.0, 2.0, 0.0)) as model:
        image = stage.render(model, camera=camera, ground=level(0.0, half=0.2)).array
        bare = stage.render(model, camera=camera, ground=False).array
    np.testing.assert_array_equal(image[90:100, 90:100], bare[90:100, 90:100])


def test_the_ground_is_framed_with_the_character_when_asked(stage):
    camera = stage.camera(ground=level())
    for corner in level()[0]:
        row, column = at(camera, corner)
        assert 0 < row < 192
        assert 0 < column < 192
    with slab(stage, (0.0, 0.5, 0.0)) as model:
        assert stage.camera(model, ground=level()).distance > 2 * stage.camera(model).distance
        assert stage.camera(model, ground=True) == stage.camera(model)
    assert stage.render(ground=level()).array.shape == (192, 192, 3)


@pytest.mark.parametrize("scale", [0.01, 300.0])
def test_pictures_do_not_depend_on_the_unit(stage, scale):
    images = []
    for factor in (1.0, scale):
        camera = Camera((0.0, 0.5 * factor, 0.0), 12.0 * factor, azimuth=30, elevation=25)
        with slab(stage, factor * np.array([0, 2.0, 0]), 0.5 * factor) as model:
            positions, triangles = plateau()
            ground = (factor * positions, triangles)
            images.append(stage.render(model, camera=camera, ground=ground).array.astype(int))
    away = np.abs(images[1] - images[0]).max(axis=2)
    assert (away > 12).mean() < 0.03  # the grid's step is a round number of units, all else is the same


def test_another_ground_replaces_the_one_before(stage):
    first, second = level(), plateau()
    images = [stage.render(camera=SIDE, ground=ground).array for ground in (first, second, first)]
    assert (images[0] != images[1]).any()
    np.testing.assert_array_equal(images[0], images[2])


def test_misuse_is_refused_in_a_sentence(stage):
    with pytest.raises(TypeError, match=r"Stage\.render: ground must be True, False, .* got str"):
        stage.render(ground="uneven")
    with pytest.raises(TypeError, match=r"Stage\.camera: ground must be .* got int"):
        stage.camera(ground=3)
    with pytest.raises(ValueError, match=r"Stage\.render: ground_height must be None with a mesh .* 0\.5"):
        stage.render(ground=level(), ground_height=0.5)


def test_render_draws_a_character_on_a_mesh(context):
    bar = lissom.samples.twisted_bar()
    size = {"width": 64, "height": 64}
    picture = lissom.render(bar, ground=level(-0.5), **size)
    assert (picture.array != lissom.render(bar, ground=False, **size).array).any()


@pytest.mark.parametrize("deviation", [1.0, 1.1, 2.3, 3.2, 6.4, 20.0])
def test_taps_of_the_blur_have_the_deviation_asked_for(deviation):
    step, weights = _gaussian(deviation)
    assert len(weights) <= TAPS + 1
    both = np.concatenate([weights[:0:-1], weights])
    at = step * np.arange(1 - len(weights), len(weights))
    assert both.sum() == pytest.approx(1)
    assert np.sqrt(both @ at**2) == pytest.approx(deviation, rel=0.03)  # cut off at three of them
    assert at[-1] >= 3 * deviation
