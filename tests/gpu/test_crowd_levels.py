# SPDX-License-Identifier: MIT
"""Levels of detail of a crowd: each instance by its height in pixels, near to far, and what is left out."""

import numpy as np
import pytest

import lissom
from lissom._crowd.bounds import ClipBounds, visible
from lissom.gpu import Crowd, Stage, levels_of_detail, plain_instances
from lissom.gpu._crowd_levels import level_of


@pytest.fixture(scope="module")
def bake():
    return lissom.bake(lissom.samples.humanoid(), ["idle", "walk"], rate=15)


@pytest.fixture(scope="module")
def meshes(bake):
    """Stand-ins that are known by their number of triangles: the first ones of the mesh."""
    mesh = bake.mesh

    def first(count):
        return lissom.Mesh(mesh.positions, mesh.triangles[:count], mesh.indices, mesh.weights)

    return first(3000), first(900)


def row(count):
    """Instances in a row away from the eye."""
    instances = plain_instances(count)
    instances["position"][:, 2] = -2.0 * np.arange(count)[::-1]
    return instances


def view_of(stage, camera):
    return {
        "clip_from_world": camera.clip_from_world(stage.aspect, 0.1, 500),
        "eye": camera.eye,
        "viewport": (stage.width, stage.height),
    }


def test_a_level_is_used_below_its_height():
    pixels = np.array([200, 60, 59.9, 20, 19.9, 0, np.inf], np.float32)
    np.testing.assert_array_equal(level_of(pixels, [60, 20]), [0, 0, 1, 1, 2, 2, 0])
    np.testing.assert_array_equal(level_of(pixels, []), 0)


def test_each_instance_is_drawn_with_the_mesh_of_its_height(context, bake, meshes):
    levels = [(meshes[1], 20), (meshes[0], 45)]  # in any order
    with (
        Stage(320, 240, context=context) as stage,
        Crowd(bake, 40, stage=stage, instances=row(40), levels=levels) as crowd,
    ):
        camera = lissom.gpu.Camera((0, 1, 0), 6.0, azimuth=0.0, elevation=12.0)
        view = view_of(stage, camera)
        with context:
            crowd.prepare(view)
        found = visible(ClipBounds(bake).placed(crowd.instances), view)
        drawn = [(drawn.mesh.triangle_count, drawn.batch.instance_count) for drawn in crowd._drawn]
        expected = np.bincount(level_of(found.pixels, [45, 20]), minlength=3)
        assert (expected > 0).all()
        assert drawn == list(zip((len(bake.mesh.triangles), 3000, 900), expected.tolist(), strict=True))
        stage.render(crowd, camera=camera)


def test_levels_look_like_the_whole_mesh_from_afar(context, bake):
    pytest.importorskip("fast_simplification")
    fine, coarse = levels_of_detail(bake, (0.4, 0.15))
    with (
        Stage(320, 240, context=context) as stage,
        Crowd(bake, 12, stage=stage, instances=row(12)) as whole,
        Crowd(bake, 12, stage=stage, instances=row(12), levels=[(fine, 1e4), (coarse, 40)]) as crowd,
    ):
        camera = stage.camera(whole, elevation=30)
        one, other = (stage.render(thing, camera=camera).array.astype(int) for thing in (whole, crowd))
        assert {drawn.mesh.triangle_count for drawn in crowd._drawn} <= {
            len(fine.triangles),
            len(coarse.triangles),
        }
    assert (np.abs(one - other).max(axis=2) > 24).mean() < 0.02


def test_wrong_levels_are_refused(stage, bake, meshes):
    match = r"^Crowd: levels must be pairs \(mesh, pixels\), got Mesh at index 0$"
    with pytest.raises(TypeError, match=match):
        Crowd(bake, 1, stage=stage, levels=meshes)
    with pytest.raises(TypeError, match=r"^Crowd: levels: mesh 1 must be a Mesh, got int$"):
        Crowd(bake, 1, stage=stage, levels=[(meshes[0], 40), (3, 20)])
    for pixels in (0, -1, np.nan):
        match = f"^Crowd: levels: pixels of mesh 0 must be above zero and finite, got {pixels}$"
        with pytest.raises(ValueError, match=match):
            Crowd(bake, 1, stage=stage, levels=[(meshes[0], pixels)])
    beyond = lissom.Mesh([[0, 0, 0]], np.zeros((0, 3), int), [[10_000]], [[1.0]])
    with pytest.raises(ValueError, match=r"^Crowd: mesh must have palette rows below 34, .* got 10000$"):
        Crowd(bake, 1, stage=stage, levels=[(beyond, 20)])
