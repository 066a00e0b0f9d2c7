# SPDX-License-Identifier: MIT
"""The sample grounds: as high and steep as they say, without holes, and laid for the walk of the humanoid."""

import numpy as np
import pytest

from lissom import samples
from lissom.ground import TriangleMesh
from lissom.samples._terrain import BACK, RUN_IN, STEP, WIDTH

PIECES = (samples.stair, samples.slope, samples.rubble, samples.uneven_ground)


def faces(ground):
    """Corners (F, 3, 3), unit normals (F, 3) and areas (F,)."""
    positions, triangles = ground.triangles()
    corners = np.asarray(positions)[triangles]
    crosses = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(crosses, axis=1)
    return corners, crosses / areas[:, None], areas / 2


def heights(ground, z, x=0.0):
    origins = np.stack(np.broadcast_arrays(x, 3.0, z), axis=-1).astype(float)
    distances, _ = ground(origins, (0, -1, 0))
    return 3.0 - distances


@pytest.mark.parametrize("make", PIECES)
def test_it_begins_level_and_faces_upwards(make):
    ground = make()
    assert isinstance(ground, TriangleMesh)
    np.testing.assert_allclose(heights(ground, np.linspace(-BACK, RUN_IN, 60)[1:-1]), 0, atol=1e-12)
    _, normals, areas = faces(ground)
    assert areas.min() > 1e-4
    assert normals[:, 1].min() > -1e-12  # risers are upright, nothing hangs over
    assert ground.degenerate_count == 0


@pytest.mark.parametrize("make", PIECES)
def test_it_has_no_holes(make):
    ground = make()
    end = float(ground.positions[:, 2].max())
    rng = np.random.default_rng(5)
    x = rng.uniform(-WIDTH / 2, WIDTH / 2, 5000)
    found = heights(ground, rng.uniform(-BACK, end, 5000), x)
    assert np.isfinite(found).all()
    assert found.min() > -1e-12


def test_the_stair_goes_up_three_steps_and_down_again():
    treads = RUN_IN + STEP * (np.arange(-1, 8) + 0.5)
    expected = [0, 0.15, 0.30, 0.45, 0.45, 0.30, 0.15, 0, 0]
    np.testing.assert_allclose(heights(samples.stair(), treads), expected, atol=1e-12)
    corners, normals, _ = faces(samples.stair())
    risers = corners[np.abs(normals[:, 1]) < 1e-12]
    np.testing.assert_allclose(np.unique(np.ptp(risers[..., 1], axis=1).round(9)), 0.15)
    assert len(risers) == 12  # two triangles each
    # They face who comes up, and away from who has gone down.
    assert set(normals[np.abs(normals[:, 1]) < 1e-12][:, 2].round(9)) == {-1.0, 1.0}


def test_the_slope_has_fifteen_degrees():
    _, normals, areas = faces(samples.slope())
    angles = np.degrees(np.arccos(np.clip(normals[:, 1], -1, 1)))
    np.testing.assert_allclose(np.unique(angles.round(6)), [0, 15], atol=1e-5)
    assert areas[angles > 1].sum() == pytest.approx(2 * 4 * STEP * WIDTH / np.cos(np.radians(15)))


@pytest.mark.parametrize("seed", range(8))
def test_rubble_is_low_and_its_tops_are_no_steeper_than_it_says(seed):
    ground = samples.rubble(seed=seed)
    assert 0.08 < ground.positions[:, 1].max() < 0.1
    corners, normals, areas = faces(ground)
    stones = corners[..., 1].min(axis=1) > 0.025  # tops lie over the joints
    tilts = np.degrees(np.arccos(normals[stones, 1]))
    assert tilts.max() < 8.001
    assert areas[stones].sum() > 0.4 * 7 * STEP * WIDTH


def test_another_seed_lays_other_stones():
    again, other = samples.rubble(seed=1), samples.rubble(seed=2)
    np.testing.assert_array_equal(samples.rubble(seed=1).positions, again.positions)
    assert np.abs(again.positions - other.positions).max() > 0.01
    assert (samples.uneven_ground(seed=3).positions != samples.uneven_ground().positions).any()


def test_uneven_ground_is_a_stair_a_slope_and_rubble():
    ground = samples.uneven_ground()
    end = float(ground.positions[:, 2].max())
    assert 12 < end < 14
    z = RUN_IN + STEP * (np.arange(14) + 0.5)
    rise = 3 * STEP * np.tan(np.radians(15))
    slope = rise * (np.arange(3) + 0.5) / 3
    expected = [0.15, 0.30, 0.45, 0.45, 0.30, 0.15, 0, 0, *slope, rise]
    np.testing.assert_allclose(heights(ground, z[:12]), expected, atol=1e-9)
    stones = heights(ground, np.linspace(z[11] + STEP, z[11] + 3 * STEP, 50))
    assert stones.min() > rise - 1e-9
    assert stones.max() - stones.min() > 0.02


def test_the_walk_sets_its_feet_down_between_the_edges():
    hero = samples.humanoid()
    walk = hero.clips["walk"].restore_root_motion()
    soles = np.concatenate(
        [np.arange(p.vertices.start, p.vertices.stop) for p in hero.mesh.parts if p.name == "Soles"]
    )
    times = np.linspace(walk.start, walk.end, 67)
    places = hero.deform(walk.sample(times, loop=False))[:, soles]
    footprints = places[places[..., 1] < 0.005][:, 2]  # what stands, at any time
    stride = hero.clips["walk"].root_motion.distance
    edges = RUN_IN + STEP * np.arange(6)
    for turn in range(-1, 6):
        apart = np.abs(footprints[:, None] + turn * stride - edges)
        assert apart.min() > 0.1


@pytest.mark.parametrize("make", PIECES)
def test_scale_multiplies_all_lengths(make):
    np.testing.assert_allclose(make(scale=100.0).positions, 100 * make().positions, rtol=1e-12)


@pytest.mark.parametrize("make", PIECES)
def test_misuse_is_refused_in_a_sentence(make):
    name = make.__name__
    with pytest.raises(ValueError, match=rf"{name}: scale must be above zero and at most 1e\+09, got 0"):
        make(scale=0)
    with pytest.raises(TypeError, match=f"{name}: scale must be a number, got str"):
        make(scale="large")
    if make in (samples.rubble, samples.uneven_ground):
        with pytest.raises(ValueError, match=f"{name}: seed must be at least 0, got -1"):
            make(seed=-1)
        with pytest.raises(TypeError, match=f"{name}: seed must be a whole number, got float"):
            make(seed=0.5)
