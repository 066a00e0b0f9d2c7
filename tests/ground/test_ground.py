# SPDX-License-Identifier: MIT
"""Grounds: planes, height fields, and how any ground is asked."""

import numpy as np
import pytest

from lissom.ground import HeightField, Plane, cast

DOWN = (0.0, -1.0, 0.0)


def seeded(seed=0):
    return np.random.default_rng(seed)


def hills(rows=7, columns=9, seed=3, **options):
    return HeightField(seeded(seed).normal(size=(rows, columns)), **options)


def test_plane_from_above_and_from_below():
    floor = Plane((5.0, 2.0, -1.0))
    distances, normals = floor([[0, 3.5, 0], [0, -1, 7]], [DOWN, (0, 4, 0)])
    assert distances.tolist() == [1.5, 3.0]
    assert normals.tolist() == [[0, 1, 0], [0, -1, 0]]


def test_plane_is_not_hit_behind_nor_along_it():
    floor = Plane()
    distances, normals = floor([[0, 1, 0], [0, 1, 0], [0, 0, 0]], [(0, 1, 0), (1, 0, 0), (1, 0, 0)])
    assert np.isinf(distances).all()
    assert not normals.any()


def test_a_ray_that_starts_on_a_plane_hits_at_once():
    distances, normals = Plane()([0.0, 0.0, 0.0], DOWN)
    assert distances == 0
    assert normals.tolist() == [0, 1, 0]


@pytest.mark.parametrize("normal", [(0, 1, 0), (0, 0, 1), (1, -2, 0.3), (0, 1e-200, 0), (1e300, 0, 0)])
def test_what_is_drawn_of_a_plane_lies_in_it(normal):
    plane = Plane((1, 2, 3), normal)
    positions, triangles = plane.triangles(4.0)
    assert np.abs((positions - plane.point) @ plane.normal).max() < 1e-14
    a, b, c = np.moveaxis(positions[triangles], 1, 0)
    faces = np.cross(b - a, c - a)
    np.testing.assert_allclose(faces, np.tile(64 * plane.normal, (2, 1)), atol=1e-12)


def test_heights_at_the_grid_and_between():
    field = HeightField([[0, 1, 5], [2, 4, 7]], (2.0, 0.5), origin=(10, 100, 20))
    xs, zs = np.meshgrid([10, 12, 14], [20, 20.5])
    distances, _ = field(np.stack([xs, np.full((2, 3), 110.0), zs], axis=-1), DOWN)
    np.testing.assert_allclose(110 - distances - 100, [[0, 1, 5], [2, 4, 7]], atol=1e-12)
    # In the middle of the first cell stands the diagonal from 0 to 4.
    assert field([11, 110, 20.25], DOWN)[0] == pytest.approx(8.0)


def test_heights_end_at_the_border_which_belongs_to_them():
    field = hills(spacing=0.1, origin=(1e6 + 0.3, 0, -7e5))
    positions, _ = field.triangles()
    low, high = positions.min(axis=0), positions.max(axis=0)
    corners = np.array([[x, 9, z] for x in (low[0], high[0]) for z in (low[2], high[2])])
    assert np.isfinite(field(corners, DOWN)[0]).all()
    beyond = np.where(corners == low, np.nextafter(low, -np.inf), np.nextafter(corners, np.inf))
    assert np.isinf(field(beyond, DOWN)[0]).all()


def test_slanted_rays_meet_what_upright_ones_do():
    field = hills(spacing=(0.7, 1.3), origin=(-2, 1, -4))
    rng = seeded()
    above = rng.uniform([-2, 4, -4], [3.6, 5, 3.8], (300, 3))
    upright, _ = field(above, DOWN)
    hits = above + upright[:, None] * np.array(DOWN)
    ways = rng.normal(size=(300, 3)) * 0.2 + DOWN
    starts = hits - 1e-3 * ways  # just above: nothing else is in between
    distances, normals = field(starts, ways)
    lengths = np.linalg.norm(ways, axis=1)
    np.testing.assert_allclose(distances, 1e-3 * lengths, rtol=1e-6)
    assert (np.einsum("ij,ij->i", normals, ways) < 0).all()


def test_cast_broadcasts_and_gives_unit_directions():
    seen = []

    def floor(origins, directions):
        seen.append(directions)
        return origins[:, 1], np.tile([0.0, 1.0, 0.0], (len(origins), 1))

    distances, normals = cast(floor, np.ones((2, 5, 3)), (0, -7, 0))
    assert distances.shape == (2, 5)
    assert normals.shape == (2, 5, 3)
    assert (seen[0] == DOWN).all()
    assert seen[0].shape == (10, 3)
