# SPDX-License-Identifier: MIT
"""Levels of detail of a crowd: each instance by its height in pixels, near to far, and what is left out."""

import logging

import numpy as np
import pytest

import lissom
from gpu.faces import mesh_with, with_face
from lissom._crowd.bounds import Boxes, ClipBounds, visible
from lissom._lod import default_levels as default_levels_file
from lissom._lod.default_levels import default_levels
from lissom.gpu import Crowd, Stage, levels_of_detail, plain_instances
from lissom.gpu._crowd_levels import level_of
from lissom.gpu._crowd_meshes import MOST_PIXELS


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


def triangles_by_color(mesh):
    colors = {part.base_color for part in mesh.parts}
    ranges = ((color, part.triangles) for color in colors for part in mesh.parts if part.base_color == color)
    found = {}
    for color, own in ranges:
        found[color] = np.concatenate([found.get(color, mesh.triangles[:0]), mesh.triangles[own]])
    return found


def farthest_color(mesh, level):
    """Below which distance from a level 95 % of each colour's vertices are; of one that is gone, its size."""
    kept = triangles_by_color(level)
    result = []
    for color, triangles in triangles_by_color(mesh).items():
        points = mesh.positions[np.unique(triangles)]
        if color in kept:
            ones = np.ones((level.vertex_count, 1))
            surface = (level.positions, kept[color])
            found = lissom.weights.transfer(surface, ones, points, report=True)[1].distances
            result.append(np.sort(found)[int(0.95 * len(found))])
        else:
            result.append(np.linalg.norm(np.ptp(points, axis=0)))
    return max(result)


def test_levels_by_default_are_within_half_a_pixel(context, bake):
    pytest.importorskip("fast_simplification")
    mesh = bake.mesh
    with Stage(320, 240, context=context) as stage, Crowd(bake, 60, stage=stage, instances=row(60)) as crowd:
        stage.render(crowd, camera=lissom.gpu.Camera((0, 1, 0), 1.0, azimuth=0.0, elevation=12.0))
        limits = crowd._meshes.limits
        counts = [crowd._meshes[i].triangle_count for i in range(len(crowd._meshes))]
        drawn = {drawn.mesh.triangle_count for drawn in crowd._drawn}
    assert len(limits) == 3
    assert drawn <= set(counts)
    assert len(drawn) > 2  # from the whole mesh to a coarse one
    for limit, level in zip(limits, default_levels(mesh), strict=True):
        pixels_per_unit = limit / np.ptp(mesh.positions, axis=0).max()
        away = pixels_per_unit * farthest_color(mesh, level.mesh)
        assert away < 0.51  # a quantile between two vertices
        assert away > 0.45 or limit == MOST_PIXELS


def test_pixels_per_unit_bound_what_a_picture_shows():
    """Of all directions at points of a box; reached at the middle of a small one."""
    rng = np.random.default_rng(3)
    ratios = []
    for _ in range(40):
        size = np.array([640, 360])
        camera = lissom.gpu.Camera(
            (0, 0, 0), 5.0, azimuth=rng.uniform(0, 360), elevation=rng.uniform(-90, 90)
        )
        matrix = camera.clip_from_world(size[0] / size[1], 0.1, 100)
        boxes = Boxes(rng.uniform(-1.5, 1.5, (30, 3)), np.tile(1e-4 * np.eye(3), (30, 1, 1)))
        found = visible(boxes, {"clip_from_world": matrix, "viewport": size})

        def shown(points, matrix=matrix, size=size):
            clip = np.concatenate([points, np.ones((*points.shape[:-1], 1))], axis=-1) @ matrix.T
            return clip[..., :2] / clip[..., 3:] * size / 2

        points = boxes.centers[found.which]
        angle = rng.uniform(-1, 1, (400, 1, 3))
        way = 1e-5 * angle / np.linalg.norm(angle, axis=-1, keepdims=True)
        moved = np.linalg.norm(shown(points + way) - shown(points - way), axis=-1).max(axis=0) / 2e-5
        ratios.append(moved / found.pixels_per_unit)
    ratios = np.concatenate(ratios)
    assert len(ratios) > 200
    assert ratios.max() < 1.0001
    assert ratios.min() > 0.98


def test_who_lies_is_drawn_as_finely_by_default_as_who_stands(context, bake):
    pytest.importorskip("fast_simplification")
    camera = lissom.gpu.Camera((0, 0, 0), 6.0, azimuth=0.0, elevation=12.0)
    drawn = []
    with Stage(320, 240, context=context) as stage, Crowd(bake, 60, stage=stage, instances=row(60)) as crowd:
        for _ in range(2):
            stage.render(crowd, camera=camera)
            drawn.append({d.mesh.triangle_count: d.batch.instance_count for d in crowd._drawn})
            crowd.instances["rotation"] = [0, 0, np.sqrt(0.5), np.sqrt(0.5)]  # on its side
    upright, lying = drawn
    assert sorted(upright) == sorted(lying)
    assert len(upright) > 1
    assert all(abs(upright[count] - lying[count]) <= 3 for count in upright)


def test_levels_by_default_look_like_the_whole_mesh(context, bake):
    pytest.importorskip("fast_simplification")
    with (
        Stage(320, 240, context=context) as stage,
        Crowd(bake, 12, stage=stage, instances=row(12), levels=()) as whole,
        Crowd(bake, 12, stage=stage, instances=row(12)) as crowd,
    ):
        camera = stage.camera(whole, elevation=30)
        one, other = (stage.render(thing, camera=camera).array.astype(int) for thing in (whole, crowd))
        assert {drawn.mesh.triangle_count for drawn in whole._drawn} == {bake.mesh.triangle_count}
        assert all(drawn.mesh.triangle_count < bake.mesh.triangle_count / 2 for drawn in crowd._drawn)
    assert 0 < (np.abs(one - other).max(axis=2) > 24).mean() < 0.006


def test_near_instances_need_no_levels(context, bake):
    with Stage(320, 400, context=context) as stage, Crowd(bake, 1, stage=stage, instances=row(1)) as crowd:
        stage.render(crowd, camera=lissom.gpu.Camera((0, 1, 0), 2.0, azimuth=0.0))
        assert len(crowd._meshes) == 1


def test_a_face_is_not_lost_by_default(stage, bake):
    """Levels without morph targets are drawn where a target moves less than half a pixel."""
    pytest.importorskip("fast_simplification")
    hero = with_face(lissom.samples.humanoid(), ["far"])
    morphs = hero.mesh.morphs
    farther = np.tile(np.float32([0, 0.1, 0]), (len(morphs.vertices), 1))
    mesh = mesh_with(hero.mesh, lissom.Morphs(["far"], morphs.offsets, morphs.vertices, farther))
    first, *others = default_levels(mesh)
    assert first.mesh.morphs is not None
    assert first.distance < 0.1
    assert others
    assert all(level.distance >= np.float32(0.1) for level in others)
    faced = lissom.bake(lissom.Character("far", hero.skeleton, mesh, hero.skin, hero.clips), "walk", rate=5)
    with Crowd(faced, 30, stage=stage, instances=row(30)) as crowd:
        crowd.morphs(0, [1.0])
        stage.render(crowd)
        assert len(crowd._meshes) > 2
        assert crowd.morph_error == 0


def test_pictures_are_uploaded_once(stage, tmp_path):
    pytest.importorskip("fast_simplification")
    bar = lissom.samples.humanoid()
    mesh = bar.mesh
    picture = lissom.Picture(np.full((4, 4, 3), 200, np.uint8))
    picture.save(tmp_path / "grey.png")
    texture = lissom.Texture((tmp_path / "grey.png").read_bytes(), "image/png")
    part = lissom.Part("all", slice(0, mesh.vertex_count), slice(0, mesh.triangle_count), texture=texture)
    uvs = np.zeros((mesh.vertex_count, 2), np.float32)
    textured = lissom.Mesh(mesh.positions, mesh.triangles, mesh.indices, mesh.weights, uvs=uvs, parts=[part])
    bake = lissom.bake(bar, "walk", rate=5)
    with Crowd(bake, 20, stage=stage, mesh=textured, instances=row(20)) as crowd:
        stage.render(crowd)
        meshes = [crowd._meshes[i] for i in range(len(crowd._meshes))]
        (first,) = meshes[0]._textures.values()
        assert len(meshes) > 1
        assert all(list(mesh._textures.values()) == [first] for mesh in meshes)


def test_what_has_no_levels_by_default(bake, caplog, monkeypatch):
    flat = np.zeros((3, 3), np.float32)
    assert default_levels(lissom.Mesh(flat, np.tile(np.uint32([0, 1, 2]), (2000, 1)))) == ()
    bar = lissom.samples.twisted_bar().mesh
    small = lissom.Mesh(bar.positions, bar.triangles[:999], bar.indices, bar.weights)
    assert default_levels(small) == ()
    assert default_levels(bar)
    mesh = bake.mesh
    other = lissom.Mesh(mesh.positions, mesh.triangles, mesh.indices, mesh.weights)
    monkeypatch.setattr(default_levels_file, "find_spec", lambda name: None)
    caplog.set_level(logging.INFO, "lissom.gpu")
    assert default_levels(other) == ()
    assert [record.getMessage() for record in caplog.records] == [
        f"Crowd: small instances are drawn with the whole mesh of {mesh.triangle_count} triangles; with the "
        'extra lod (pip install "lissom[lod]") they would have fewer'
    ]
