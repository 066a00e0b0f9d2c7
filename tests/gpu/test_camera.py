# SPDX-License-Identifier: MIT
"""The camera: directions, projection, and framing that is whole and tight."""

import numpy as np
import pytest

import lissom
from lissom._view.camera import Camera


def project(camera, aspect, points, near=0.01, far=1e4):
    clip = np.c_[points, np.ones(len(points))] @ camera.clip_from_world(aspect, near, far).T
    return clip[:, :3] / clip[:, 3:]


def test_the_target_is_in_the_middle_and_up_is_up():
    camera = Camera((1.0, 2.0, 3.0), 5.0, azimuth=35, elevation=15)
    seen = project(camera, 1.5, np.array([[1, 2, 3], [1, 2.5, 3]]))
    np.testing.assert_allclose(seen[0, :2], 0, atol=1e-12)
    assert seen[1, 1] > 0.1
    assert abs(seen[1, 0]) < 1e-12


def test_from_the_front_x_is_to_the_right_and_z_comes_nearer():
    camera = Camera((0, 0, 0), 5.0, azimuth=0, elevation=0)
    np.testing.assert_allclose(camera.eye, [0, 0, 5], atol=1e-12)
    seen = project(camera, 1.0, np.array([[1, 0, 0], [0, 0, 1], [0, 0, -1]]))
    assert seen[0, 0] > 0
    assert seen[1, 2] < seen[2, 2]
    np.testing.assert_allclose(Camera((0, 0, 0), 1.0, azimuth=90, elevation=0).eye, [1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(Camera((0, 0, 0), 1.0, elevation=90).eye, [0, 1, 0], atol=1e-12)


def test_the_axes_are_right_handed_and_unit():
    axes = Camera((0, 0, 0), 1.0, azimuth=-70, elevation=40).axes
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(axes) == pytest.approx(1)


def test_near_and_far_map_to_minus_one_and_one():
    camera = Camera((0, 0, 0), 5.0, azimuth=0, elevation=0)
    seen = project(camera, 1.0, np.array([[0, 0, 3.0], [0, 0, -15.0]]), near=2, far=20)
    np.testing.assert_allclose(seen[:, 2], [-1, 1], atol=1e-12)


@pytest.mark.parametrize("aspect", [0.4, 1.0, 16 / 9])
@pytest.mark.parametrize("direction", [(35, 15), (0, 0), (-120, 60), (90, -20)])
@pytest.mark.parametrize(("scale", "origin"), [(1.0, 0.0), (0.01, 300.0), (300.0, -5.0)])
def test_framing_is_whole_and_tight(aspect, direction, scale, origin):
    rng = np.random.default_rng(3)
    points = rng.normal(size=(500, 3)) * [1, 2, 0.5] * scale + origin
    azimuth, elevation = direction
    camera = Camera.framing(points, aspect, azimuth=azimuth, elevation=elevation, margin=0.1)
    seen = project(camera, aspect, points, near=1e-3 * scale)[:, :2]
    low, high = seen.min(axis=0), seen.max(axis=0)
    assert max(-low.min(), high.max()) == pytest.approx(0.9, abs=1e-6)  # touches the margin, never passes it
    np.testing.assert_allclose(low, -high, atol=1e-6)  # what is left is the same on both sides


def test_two_margins_are_sides_and_ends():
    box = np.array([[x, y, 0] for x in (-1, 1) for y in (-1, 1)], float)
    camera = Camera.framing(box, 1.0, azimuth=0, elevation=0, margin=(0.1, 0.5))
    assert np.abs(project(camera, 1.0, box)[:, 1]).max() == pytest.approx(0.5)


def test_three_margins_are_sides_above_and_below():
    rng = np.random.default_rng(3)
    points = rng.normal(size=(200, 3)) * [0.2, 1, 0.3] + [4, 5, 6]
    camera = Camera.framing(points, 0.8, azimuth=40, elevation=20, margin=(0.1, 0.3, 0.05))
    seen = project(camera, 0.8, points)[:, 1]
    # The picture reaches from -1 to 1: a share of it is twice as long.
    assert seen.max() == pytest.approx(1 - 2 * 0.3, abs=1e-6)
    assert seen.min() == pytest.approx(-1 + 2 * 0.05, abs=1e-6)
    wide = points * [9, 1, 1]
    seen = project(Camera.framing(wide, 0.8, margin=(0.1, 0.3, 0.05)), 0.8, wide)
    assert np.abs(seen[:, 0]).max() == pytest.approx(0.9, abs=1e-6)
    # Centred in what is left: as much room above as below.
    assert 0.4 - seen[:, 1].max() == pytest.approx(seen[:, 1].min() + 0.9, abs=1e-6)


def test_a_single_point_is_framed_and_no_point_is_refused():
    assert Camera.framing([[1, 2, 3]], 1.0).distance > 0
    with pytest.raises(ValueError, match=r"^Camera.framing: points must hold at least one point, got none$"):
        Camera.framing(np.zeros((0, 3)), 1.0)
    with pytest.raises(ValueError, match=r"points must be finite, got \[nan  ?0\.  ?0\.\] at point 0$"):
        Camera.framing([[np.nan, 0, 0]], 1.0)


@pytest.mark.parametrize("name", ["azimuth", "elevation"])
@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (np.nan, ValueError, "finite, got nan"),
        (np.inf, ValueError, "finite, got inf"),
        ("a", TypeError, "a number, got str"),
    ],
)
def test_a_direction_is_refused_in_the_name_of_the_caller(stage, name, value, error, message):
    hero = lissom.samples.humanoid()
    with pytest.raises(error, match=rf"^Camera\.framing: {name} must be {message}$"):
        Camera.framing([[1, 2, 3]], 1.0, **{name: value})
    with pytest.raises(error, match=rf"^Stage\.camera: {name} must be {message}$"):
        stage.camera(hero, **{name: value})
    with pytest.raises(error, match=rf"^render: {name} must be {message}$"):
        lissom.render(hero, **{name: value})
