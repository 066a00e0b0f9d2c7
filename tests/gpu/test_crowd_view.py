# SPDX-License-Identifier: MIT
"""Which instances of a crowd a camera sees: exact at the edges, nearest first, with heights in pixels."""

import numpy as np
import pytest

import lissom
from lissom._crowd.bounds import Boxes, ClipBounds, visible
from lissom.gpu import Camera, Crowd, Stage, plain_instances, scattered


@pytest.fixture(scope="module")
def bake():
    character = lissom.samples.humanoid()
    return lissom.bake(character, ["idle", "walk", "wave"], rate=15)


def view_of(camera, width=300, height=200):
    return {
        "clip_from_world": camera.clip_from_world(width / height, 0.1, 200),
        "viewport": (width, height),
    }


def turned_crowd(bake, count, seed):
    rng = np.random.default_rng(seed)
    instances = scattered(bake, count, seed=seed)
    instances["position"] = rng.uniform(-30, 30, (count, 3))
    instances["rotation"] = rng.normal(0, 1, (count, 4))
    instances["scale"] = rng.uniform(0.2, 3, count)
    return instances


def test_boxes_hold_the_vertices(stage, bake):
    instances = turned_crowd(bake, 30, 2)
    with Crowd(bake, 30, stage=stage, instances=instances) as crowd:
        vertices = crowd.deformed().astype(float)
    boxes = ClipBounds(bake).placed(instances)
    along = np.einsum("nvc,nkc->nvk", vertices - boxes.centers[:, None], boxes.axes)
    along /= np.einsum("nkc,nkc->nk", boxes.axes, boxes.axes)[:, None]
    assert np.abs(along).max() < 1.001  # bounds are of the source's vertices, not of the baked ones
    assert np.abs(along).max() > 0.9


def test_a_fading_instance_has_both_clips_boxes(bake):
    instances = plain_instances(3)
    instances["clip"], instances["next_clip"] = [0, 2, 0], [-1, -1, 2]
    one, other, both = ClipBounds(bake).placed(instances).corners()
    np.testing.assert_allclose(both.min(axis=0), np.minimum(one.min(axis=0), other.min(axis=0)), atol=1e-12)
    np.testing.assert_allclose(both.max(axis=0), np.maximum(one.max(axis=0), other.max(axis=0)), atol=1e-12)


def test_culling_keeps_all_that_touches_the_picture_and_drops_what_is_beyond_a_side(bake):
    instances = turned_crowd(bake, 2000, 8)
    camera = Camera((0, 0, 0), 20.0)
    instances["position"][:20] = camera.eye + np.random.default_rng(9).normal(0, 0.3, (20, 3))
    boxes = ClipBounds(bake).placed(instances)
    found = visible(boxes, view_of(camera))
    matrix = camera.clip_from_world(1.5, 0.1, 200)
    clip = np.concatenate([boxes.corners(), np.ones((2000, 8, 1))], axis=2) @ matrix.T
    x, y, w = clip[..., 0], clip[..., 1], clip[..., 3]
    beyond = [(w + sign * side < 0).all(axis=1) for side in (x, y) for sign in (1, -1)]
    expected = np.flatnonzero(~np.any(beyond, axis=0))
    assert set(found.which) == set(expected)
    assert 100 < len(expected) < 1500
    assert (np.diff(w.mean(axis=1)[found.which]) >= 0).all()
    before = (w > 0).all(axis=1)[found.which]
    on_picture = np.ptp(y[found.which][before] / w[found.which][before], axis=1) * 100
    np.testing.assert_allclose(found.pixels[before], on_picture, rtol=1e-5)
    assert not before.all()
    assert np.isinf(found.pixels[~before]).all()


def test_a_box_is_seen_to_the_last_pixel():
    """Boxes that reach into the picture by a hair are kept, those that miss it by one are not."""
    camera = Camera((0, 0, 0), 10.0)
    view = view_of(camera, 200, 200)
    right, up, _ = camera.axes
    half = np.tan(np.radians(camera.field_of_view) / 2) * 10.0  # of the picture, at the target's distance
    for side in (right, -right, up, -up):
        for hair, kept in ((-1e-6, True), (1e-6, False)):
            # A stick along the side, in the plane of the target: its inner end is on the picture's edge.
            center = (half * (1 + hair) + 1.0) * side
            found = visible(Boxes(center[None], np.array([[side, 0 * side, 0 * side]])), view)
            assert (len(found.which) == 1) == kept


def test_without_a_camera_all_come_in_their_own_order(bake):
    boxes = ClipBounds(bake).placed(turned_crowd(bake, 10, 1))
    found = visible(boxes, {})
    np.testing.assert_array_equal(found.which, np.arange(10))
    assert np.isinf(found.pixels).all()


def test_hidden_instances_are_not_drawn(context, bake):
    with Stage(160, 90, context=context) as stage, Crowd(bake, 24, stage=stage) as crowd:
        camera = stage.camera(crowd)
        crowd.instances["tint"][:8, 3] = 0
        assert crowd.deformed().shape[0] == 16
        hidden = stage.render(crowd, camera=camera).array
        rest = crowd.instances[8:]
        with Crowd(bake, 16, stage=stage, instances=rest) as fewer:
            size = 0.5 * crowd.size - 0.5 * fewer.size
            assert abs(size) < 0.05 * crowd.size
            difference = np.abs(stage.render(fewer, camera=camera).array.astype(int) - hidden)
        assert (difference.max(axis=2) > 8).mean() < 0.01  # shadows reach a little farther
        crowd.instances["tint"][:, 3] = 1  # shown, whatever the number
        assert crowd.deformed().shape[0] == 24


def test_tints_multiply_colours(context, bake):
    instances = plain_instances(1)
    with Stage(100, 100, context=context) as stage, Crowd(bake, 1, stage=stage, instances=instances) as crowd:
        white = stage.render(crowd, ground=False).array.astype(int)
        crowd.instances["tint"][0, :3] = [255, 0, 0]
        red = stage.render(crowd, ground=False).array.astype(int)
    changed = (white != red).any(axis=2)
    assert changed.sum() > 100
    assert (red[changed][:, 1:].mean(axis=0) < white[changed][:, 1:].mean(axis=0) - 30).all()
