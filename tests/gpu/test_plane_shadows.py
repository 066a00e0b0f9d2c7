# SPDX-License-Identifier: MIT
"""The shadows on level ground: where the key light says, as dark as on terrain, as sharp far away as near."""

import numpy as np
import pytest

from gpu.test_stage import IDENTITY
from gpu.test_terrain import SIDE, at, brightness, level, slab, to_key
from lissom._rig.mesh import Mesh
from lissom.gpu import Camera, SkinnedModel, Stage
from lissom.gpu._plane_shadows import MAX_TEXELS, TILE, _onto_plane, _rectangle


@pytest.fixture
def stage(context):
    with Stage(192, 192, context=context) as stage:
        yield stage


def darkness(stage, camera, point, *things, **options):
    """How much darker than bare ground a point of the ground is."""
    height = options.get("ground_height", 0.0)
    bare = stage.render(*things, camera=camera, ground_height=height - 1000.0).array
    image = stage.render(*things, camera=camera, **{"ground_height": height, **options}).array
    background = bare.reshape(-1, 3).max(axis=0).astype(float).mean()
    return background - brightness(image, camera, point)


def shadow_of(center, camera, height=0.0):
    """Where the shadow of a point falls."""
    key = to_key(camera)
    return np.asarray(center) - key * ((center[1] - height) / key[1])


@pytest.mark.parametrize("azimuth", [30, 140])
@pytest.mark.parametrize("height", [0.0, 0.4])
def test_the_key_light_casts_a_shadow_where_it_points(stage, azimuth, height):
    camera = Camera((0.0, 0.5, 0.0), 12.0, azimuth=azimuth, elevation=35)
    center = (0.2, 2.0, 0.1)
    with slab(stage, center) as model:
        place = shadow_of(center, camera, height)
        assert darkness(stage, camera, place, model, ground_height=height) > 15
        for aside in ((1.0, 0, 0), (-1.0, 0, 0), (0, 0, 1.0), (0, 0, -1.0)):
            assert (
                darkness(stage, camera, place + aside, model, ground_height=height) < 12
            )  # a line of the grid


def test_it_is_as_dark_as_on_level_terrain(stage):
    center = (0.0, 2.0, 0.0)
    place = shadow_of(center, SIDE)
    with slab(stage, center) as model:
        plane = stage.render(model, camera=SIDE, ground_height=0.0).array
        terrain = stage.render(model, camera=SIDE, ground=level(half=8.0)).array
    row, column = at(SIDE, place)
    around = (slice(row - 3, row + 4), slice(column - 3, column + 4))
    # The grids differ: their lines are the darker half.
    of_plane, of_terrain = (np.percentile(image[around], 90) for image in (plane, terrain))
    assert of_plane == pytest.approx(of_terrain, abs=3)
    assert of_plane < 215


def test_what_lies_under_the_plane_casts_none(stage):
    with slab(stage, (0.0, -1.0, 0.0)) as model:
        mirrored = shadow_of((0.0, -1.0, 0.0), SIDE)
        assert abs(darkness(stage, SIDE, mirrored, model)) < 12


def test_what_the_picture_does_not_show_casts_its_shadow_into_it(stage):
    camera = Camera((0.0, 0.0, 0.0), 6.0, azimuth=30, elevation=35)
    center = np.zeros(3) + to_key(camera) * 5.0
    row, column = at(camera, center)
    assert not (0 <= row < 192 and 0 <= column < 192)
    with slab(stage, center) as model:
        assert darkness(stage, camera, (0.05, 0, 0.05), model) > 15


def test_the_shadow_is_sharp_near_the_camera_however_large_the_ground(stage):
    """A slab near the camera, alone and beside one two hundred units away."""
    camera = Camera((0.0, 0.5, 0.0), 6.0, azimuth=30, elevation=25)
    with slab(stage, (0.0, 1.2, 0.0), half=0.2) as near, slab(stage, (-90.0, 1.2, -160.0), half=0.2) as far:
        alone = stage.render(near, camera=camera, ground_height=0.0).array.astype(int)
        both = stage.render(near, far, camera=camera, ground_height=0.0).array.astype(int)
    row, column = at(camera, shadow_of((0.0, 1.2, 0.0), camera))
    around = (slice(row - 12, row + 13), slice(column - 20, column + 21))
    # The grid's step differs, so that its lines do; the shadow's edge does not.
    assert np.percentile(np.abs(alone[around] - both[around]), 80) <= 4
    assert np.ptp(both[around].mean(axis=2)) > 20


def test_flattening_keeps_points_of_the_plane_and_moves_others_along_the_light():
    light = np.array([0.3, 0.8, -0.4])
    flat = _onto_plane(light, 0.5)
    np.testing.assert_allclose(flat @ [1.0, 0.5, 2.0, 1.0], [1.0, 0.5, 2.0, 1.0])
    point = np.array([1.0, 0.5, 2.0]) + 3 * light
    np.testing.assert_allclose((flat @ [*point, 1.0])[:3], [1.0, 0.5, 2.0])


def test_the_part_drawn_holds_all_shadows_in_the_picture_and_follows_tiles():
    rng = np.random.default_rng(4)
    camera = Camera((0.0, 0.5, 0.0), 12.0, azimuth=30, elevation=25)
    clip = camera.clip_from_world(4 / 3, 0.1, 100)
    for _ in range(20):
        points = rng.uniform(0, 2, (50, 3)) * rng.uniform(0.1, 2) + rng.uniform(-2, 2, 3) * [1, 0, 1]
        flattened = [clip @ _onto_plane(to_key(camera), 0.0), clip @ _onto_plane((0.0, 1.0, 0.0), 0.0)]
        low, high = _rectangle(flattened, points, 1.0, clip, (640, 480))
        assert (low % TILE == 0).all()
        assert (high > low).all()
        assert (low >= -TILE).all()
        assert (high <= np.array([640, 480]) + TILE).all()
        for matrix in flattened:
            x, y, _, w = matrix @ np.concatenate([points, np.ones((50, 1))], axis=1).T
            pixels = np.stack([320 * (x / w + 1), 240 * (y / w + 1)], axis=1)
            shown = ((pixels >= 0) & (pixels <= [640, 480])).all(axis=1)
            assert ((pixels[shown] >= low) & (pixels[shown] <= high)).all()
    # What lies behind the eye has no place in the picture: all of it is drawn.
    behind = camera.eye * [2, 0, 2] + [[0, 0, 0], [0.5, 1, 0.5]]
    low, high = _rectangle(flattened, behind, 0.1, clip, (640, 480))
    assert low.tolist() == [-TILE, -TILE]
    assert high.tolist() == [640 + TILE, 480 + TILE]


def test_a_large_picture_takes_no_more_texels(context):
    triangle = Mesh([[-5, 0, 0], [5, 0, 0], [0, 5, 0]], [[0, 1, 2]])
    with Stage(1024, 768, samples=0, context=context) as stage, SkinnedModel(triangle, stage=stage) as model:
        model.set_palette(IDENTITY)
        stage.render(model)
        width, height = stage._ground._shadows._size
        assert MAX_TEXELS / 4 < width * height < 1.05 * MAX_TEXELS
