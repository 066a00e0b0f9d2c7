# SPDX-License-Identifier: MIT
"""Alpha in pictures, as glTF 2.0 says (3.9.4): values beside the formulas, order, shadows, crowds, others."""

import io
from dataclasses import replace

import numpy as np
import pytest

import lissom
from glazed import BLUE, GREEN, RED, glazed
from gpu.test_stage import FRONT, IDENTITY, center, picture_of
from lissom._rig.mesh import Mesh
from lissom._rig.part import Part, Texture
from lissom._sketch import raster
from lissom._view.color import BACKGROUND, linear_to_srgb, srgb_to_linear
from lissom.gpu import Camera, Crowd, Impostors, SkinnedModel, Stage, levels_of_detail, plain_instances
from lissom.gpu._vertices import GpuMesh

Image = pytest.importorskip("PIL.Image")

# Pixels, colours of vertices and pictures are rounded to eight bits each.
ROUNDING = 1.6
BEHIND = 255 * linear_to_srgb(np.array(BACKGROUND))


@pytest.fixture
def stage(context):
    with Stage(128, 128, context=context) as stage:
        yield stage


def walls(*looks, uvs=True, colors=None, depths=None):
    """Unlit squares two units wide that face +z, one for each look, each half a unit before the last."""
    count = len(looks)
    square = np.array([[-1, 0, 0], [1, 0, 0], [1, 2, 0], [-1, 2, 0]], np.float32)
    positions = np.tile(square, (count, 1))
    positions[:, 2] = np.repeat(0.5 * np.arange(count) if depths is None else depths, 4)
    triangles = np.concatenate([4 * n + np.array([[0, 1, 2], [0, 2, 3]]) for n in range(count)])
    parts = [
        Part(f"wall {n}", slice(4 * n, 4 * n + 4), slice(2 * n, 2 * n + 2), **{"unlit": True, **look})
        for n, look in enumerate(looks)
    ]
    return Mesh(
        positions,
        triangles,
        normals=np.tile([0.0, 0, 1], (4 * count, 1)),
        uvs=np.tile([[0, 1], [1, 1], [1, 0], [0, 0]], (count, 1)) if uvs else None,
        colors=colors,
        parts=parts,
    )


def pixel(*rgba):
    file = io.BytesIO()
    Image.new("RGBA", (4, 4), rgba).save(file, "PNG")
    return Texture(file.getvalue(), "image/png", "plain")


def over(alpha, front, behind):
    """The formula of glTF, of bytes: this renderer blends what it has encoded."""
    return alpha * np.asarray(front) + (1 - alpha) * np.asarray(behind)


def encoded(linear):
    return 255 * linear_to_srgb(np.asarray(linear))


def colored(alpha, count=4):
    return np.tile([1, 1, 1, alpha], (count, 1))


@pytest.mark.parametrize("samples", [0, 4])
@pytest.mark.parametrize(
    ("factor", "texel", "vertex"), [(0.25, 255, 1), (1, 64, 1), (1, 255, 0.75), (0.5, 128, 0.75)]
)
def test_blended_is_over_what_is_behind(context, samples, factor, texel, vertex):
    """alpha = baseColorFactor.a * texture.a * COLOR_0.a, and over."""
    alpha = factor * texel / 255 * vertex
    look = {"base_color": (*RED, factor), "texture": pixel(255, 255, 255, texel), "alpha_mode": "blend"}
    with Stage(128, 128, samples, context=context) as stage:
        image = picture_of(walls(look, colors=colored(vertex)), stage, ground=False)
        behind = walls({"base_color": (*BLUE, 1)}, look, colors=colored(vertex, 8))
        before_blue = picture_of(behind, stage, ground=False)
    np.testing.assert_allclose(center(image), over(alpha, encoded(RED), BEHIND), atol=ROUNDING)
    np.testing.assert_allclose(center(before_blue), over(alpha, encoded(RED), encoded(BLUE)), atol=ROUNDING)


@pytest.mark.parametrize("samples", [0, 4])
@pytest.mark.parametrize(
    ("alpha", "cutoff", "is_drawn"),
    [
        (0.25, 0.5, False),
        (0.75, 0.5, True),
        (0.5, 0.5, True),
        (0.3, 0.3, True),
        (0.0, 0.0, True),
        (1.0, 1.5, False),
        (0.29, 0.3, False),
        (1.0, 1.0, True),
    ],
)
def test_masked_is_drawn_from_the_cutoff_on(context, samples, alpha, cutoff, is_drawn):
    """Whole or not at all, to the last bit of the alpha: nothing is rounded on the way."""
    look = {"base_color": (*RED, 1.0), "alpha_mode": "mask", "alpha_cutoff": cutoff}
    with Stage(128, 128, samples, context=context) as stage:
        for part, vertex in ((alpha, 1.0), (1.0, alpha)):
            mesh = walls({**look, "base_color": (*RED, part)}, colors=colored(vertex))
            image = picture_of(mesh, stage, ground=False)
            expected = encoded(RED) if is_drawn else BEHIND
            np.testing.assert_allclose(center(image), expected, atol=ROUNDING)


def test_opaque_ignores_alpha(stage):
    look = {"base_color": (*RED, 0.25), "texture": pixel(255, 255, 255, 10)}
    image = picture_of(walls(look, colors=colored(0.5)), stage, ground=False)
    np.testing.assert_allclose(center(image), encoded(RED), atol=ROUNDING)


def test_an_edge_of_a_mask_is_where_alpha_crosses_the_cutoff(context):
    """Of alpha that falls from left to right: one pixel of samples between what is drawn and what is not."""
    colors = np.array([[1, 1, 1, a] for a in (1, 0, 0, 1)])
    for cutoff in (0.25, 0.5):
        look = {"base_color": (*RED, 1), "alpha_mode": "mask", "alpha_cutoff": cutoff}
        rows = {}
        for samples in (0, 4):
            with Stage(256, 256, samples, context=context) as stage:
                image = picture_of(walls(look, colors=colors), stage, ground=False)
                solid = picture_of(walls({"base_color": (*RED, 1)}), stage, ground=False)
            row, whole = (
                np.abs(each[128].astype(float) - encoded(RED)).max(axis=-1) < 3 for each in (image, solid)
            )
            rows[samples] = row.sum() / whole.sum()
            assert row.sum() == np.flatnonzero(row).max() - np.flatnonzero(row).min() + 1
        assert abs(rows[0] - (1 - cutoff)) < 0.01
        assert abs(rows[4] - (1 - cutoff)) < 0.02


@pytest.mark.parametrize("depths", [(0, 0.5, 1.0), (1.0, 0.5, 0)])
def test_the_farthest_is_blended_first_whatever_the_order_in_the_file(stage, depths):
    looks = [
        {"base_color": (*color, 0.5), "alpha_mode": "blend", "double_sided": True}
        for color in (RED, GREEN, BLUE)
    ]
    mesh = walls(*looks, depths=depths)
    colors = [encoded(color) for color in (RED, GREEN, BLUE)]
    for azimuth in (0, 180):
        expected = BEHIND
        sign = 1 if azimuth == 0 else -1
        for n in np.argsort(sign * np.array(depths)):
            expected = over(0.5, colors[n], expected)
        image = picture_of(mesh, stage, replace(FRONT, azimuth=azimuth), ground=False)
        np.testing.assert_allclose(center(image), expected, atol=ROUNDING)


def test_one_look_is_ordered_by_triangle(stage):
    """Two walls of one part, the near one first in the file."""
    mesh = walls({"base_color": (1, 1, 1, 0.5), "alpha_mode": "blend"}, {}, depths=(1.0, 0.0))
    colors = np.array([[*RED, 1.0]] * 4 + [[*BLUE, 1.0]] * 4)
    part = replace(mesh.parts[0], vertices=slice(0, 8), triangles=slice(0, 4))
    one = Mesh(mesh.positions, mesh.triangles, normals=mesh.normals, colors=colors, parts=[part])
    image = picture_of(one, stage, ground=False)
    expected = over(0.5, encoded(RED), over(0.5, encoded(BLUE), BEHIND))
    np.testing.assert_allclose(center(image), expected, atol=ROUNDING)


def test_what_hides_all_behind_it_needs_no_order(stage):
    """A blended part that is opaque in one half: what is behind is hidden there, and shows in the other."""
    picture = np.full((8, 8, 4), 255, np.uint8)
    picture[:, 4:, 3] = 0
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "PNG")
    near = {"base_color": (*RED, 1), "texture": Texture(file.getvalue(), "image/png"), "alpha_mode": "blend"}
    far = {"base_color": (*BLUE, 0.5), "alpha_mode": "blend"}
    image = picture_of(walls(near, far, depths=(1.0, 0.0)), stage, ground=False)
    np.testing.assert_allclose(image[64, 50], encoded(RED), atol=ROUNDING)
    np.testing.assert_allclose(image[64, 78], over(0.5, encoded(BLUE), BEHIND), atol=ROUNDING)


def test_back_faces_of_blended_parts_are_drawn_where_they_are_double_sided(stage):
    for double_sided in (False, True):
        look = {"base_color": (*RED, 0.5), "alpha_mode": "blend", "double_sided": double_sided}
        behind = picture_of(walls(look), stage, replace(FRONT, azimuth=180), ground=False)
        expected = over(0.5, encoded(RED), BEHIND) if double_sided else BEHIND
        np.testing.assert_allclose(center(behind), expected, atol=ROUNDING)


def test_a_mirrored_model_shows_its_outside(stage):
    look = {"base_color": (*RED, 0.5), "alpha_mode": "blend"}
    with SkinnedModel(walls(look), stage=stage) as model:
        model.set_palette(IDENTITY)
        model.world_from_model = np.diag([-1.0, 1, 1, 1])
        image = stage.render(model, camera=FRONT, ground=False).array
    np.testing.assert_allclose(center(image), over(0.5, encoded(RED), BEHIND), atol=ROUNDING)


def test_the_ground_shows_through(stage):
    """What is blended comes after the ground, and hides nothing of it."""
    camera = Camera((0.0, 0.5, 0.0), 8.0, azimuth=0, elevation=30)
    clear = {"base_color": (*RED, 0.0), "alpha_mode": "blend"}
    half = {"base_color": (*RED, 0.4), "alpha_mode": "blend"}  # too little to cast a shadow
    nothing = picture_of(walls(clear), stage, camera).astype(float)
    seen = picture_of(walls(half), stage, camera).astype(float)
    np.testing.assert_allclose(seen[60, 64], over(0.4, encoded(RED), nothing[60, 64]), atol=ROUNDING)


def test_shadows_have_the_holes_of_a_mask(stage):
    """And of blended parts they are cast by what is at least half covered."""
    camera = Camera((0.0, 0.5, 0.0), 8.0, azimuth=0, elevation=60)
    ground = lissom.ground.TriangleMesh(
        np.array([[-9, 0, -9], [-9, 0, 9], [9, 0, 9], [9, 0, -9]]), np.array([[0, 1, 2], [0, 2, 3]])
    )

    def seen(alpha, mode, on):
        mesh = walls({"base_color": (*RED, alpha), "alpha_mode": mode})
        return picture_of(mesh, stage, camera, ground=on).astype(int)

    for on in (True, ground):
        whole, clear = seen(1.0, "opaque", on), seen(0.2, "mask", on)
        wall = picture_of(walls({"base_color": (*RED, 1.0)}), stage, camera, ground=False)
        beside = np.abs(wall - BEHIND).max(axis=-1) < 2
        is_shadow = beside & (clear.sum(axis=-1) - whole.sum(axis=-1) > 30)
        assert is_shadow.sum() > 100
        for alpha, mode, expected in (
            (0.4, "blend", clear),
            (0.6, "blend", whole),
            (0.6, "mask", whole),
        ):
            np.testing.assert_array_equal(seen(alpha, mode, on)[is_shadow], expected[is_shadow])


def test_heat_leaves_out_what_is_less_than_half_covered(stage):
    def hot(alpha, mode):
        with SkinnedModel(walls({"base_color": (*RED, alpha), "alpha_mode": mode}), stage=stage) as model:
            model.set_palette(IDENTITY)
            model.set_heat([0, 0, 5, 5])
            return center(stage.render(model, camera=FRONT, ground=False).array)

    expected = hot(1.0, "opaque")
    for mode in ("mask", "blend"):
        np.testing.assert_array_equal(hot(0.6, mode), expected)
        np.testing.assert_allclose(hot(0.4, mode), BEHIND, atol=ROUNDING)


def test_a_decal_lies_on_what_it_is_on(stage):
    """Of the same triangles as an opaque part, drawn by another program: it is seen, all of it."""
    mesh = walls(
        {"base_color": (*BLUE, 1)}, {"base_color": (*RED, 0.5), "alpha_mode": "blend"}, depths=(0, 0)
    )
    for azimuth in (0, 25):
        image = picture_of(mesh, stage, replace(FRONT, azimuth=azimuth, elevation=20), ground=False)
        wanted = over(0.5, encoded(RED), encoded(BLUE))
        inside = np.abs(image[50:78, 54:74] - wanted).max(axis=-1)
        assert inside.max() < ROUNDING


def test_pictures_without_a_clear_pixel_cost_nothing(context):
    for picture, is_covered in ((pixel(9, 9, 9, 255), False), (pixel(9, 9, 9, 254), True)):
        for mode in ("mask", "blend"):
            look = {"texture": picture, "alpha_mode": mode, "alpha_cutoff": 1.0}
            mesh = GpuMesh(context, walls(look))
            assert mesh.is_covered == is_covered
            assert ("alpha" in mesh._formats) == is_covered
            with context:
                mesh.release()


@pytest.mark.parametrize(
    ("renderer", "wanted"),
    [
        ("llvmpipe (LLVM 15.0.6, 256 bits)", 1),
        ("softpipe", 1),
        ("Google SwiftShader", 1),
        ("Apple Software Renderer", 1),
        ("NVIDIA H100/PCIe/SSE2", 4),
    ],
)
def test_the_processor_filters_textures_alike_in_all_directions(context, monkeypatch, renderer, wanted):
    monkeypatch.setattr(context, "renderer", renderer)
    mesh = GpuMesh(context, walls({"texture": pixel(9, 9, 9, 255)}))
    with context as gl:
        (texture,) = mesh._textures.values()
        assert texture.anisotropy == min(wanted, gl.max_anisotropy)
        mesh.release()


# Crowds, impostors and sketches beside models.


@pytest.mark.parametrize("direct", [False, True])
@pytest.mark.parametrize(
    "look", [{}, {"double_sided": True}, {"mode": "mask", "alpha_cutoff": 0.7}, {"mode": "mask"}], ids=str
)
def test_a_crowd_of_one_is_drawn_as_a_model(stage, direct, look):
    hero = glazed(**look)
    bake = lissom.bake(hero, rate=30)
    pose = hero.clips["bend"].sample(0.5)
    with SkinnedModel(hero, stage=stage, method=bake.method) as model:
        model.set_pose(pose)
        camera = stage.camera(model)
        expected = stage.render(model, camera=camera).array.astype(int)
    instances = plain_instances(1)
    instances["time"] = 0.5
    with Crowd(bake, 1, stage=stage, instances=instances, direct=direct, levels=()) as crowd:
        ours = stage.render(crowd, camera=camera).array
    assert np.mean(np.abs(ours - expected).max(axis=-1) > 8) < 0.012


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_instances_are_blended_from_far_to_near(stage, order):
    """Each over those behind it, with its tint, whatever their numbers."""
    mesh = walls({"base_color": (1, 1, 1, 0.5), "alpha_mode": "blend"})
    tube = lissom.samples.two_bone_tube()
    hero = lissom.Character("wall", tube.skeleton, mesh, tube.skin, [tube.clips["bend"]])
    bake = lissom.bake(hero, rate=30)
    instances = plain_instances(3)
    instances["position"][:, 2] = np.array([-3.0, 0.0, 2.0])[list(order)]
    tints = np.array([[255, 60, 30, 255], [30, 255, 60, 255], [60, 30, 255, 255]], np.uint8)
    instances["tint"] = tints
    expected = BEHIND
    for n in np.argsort(instances["position"][:, 2]):
        expected = over(0.5, encoded(tints[n, :3] / 255), expected)
    for levels in ((), [(mesh, 1e6)], [(mesh, 40.0)]):
        with Crowd(bake, 3, stage=stage, instances=instances, levels=levels) as crowd:
            for _ in range(2):
                image = stage.render(crowd, camera=FRONT, ground=False).array
        np.testing.assert_allclose(image[70, 64], expected, atol=2 * ROUNDING)


def test_a_crowd_of_one_has_back_faces_behind_front_faces(stage):
    """Of one part: a wall that faces the eye, and behind it, later in the file, one that faces away."""
    mesh = walls(
        {"base_color": (1, 1, 1, 0.5), "alpha_mode": "blend", "double_sided": True}, {}, depths=(1.0, 0)
    )
    colors = np.array([[*RED, 1.0]] * 4 + [[*BLUE, 1.0]] * 4)
    triangles = np.concatenate([mesh.triangles[:2], mesh.triangles[2:, ::-1]])
    part = replace(mesh.parts[0], vertices=slice(0, 8), triangles=slice(0, 4))
    one = Mesh(mesh.positions, triangles, normals=mesh.normals, colors=colors, parts=[part])
    tube = lissom.samples.two_bone_tube()
    bake = lissom.bake(
        lissom.Character("walls", tube.skeleton, one, tube.skin, [tube.clips["bend"]]), rate=30
    )
    with Crowd(bake, 1, stage=stage, instances=plain_instances(1), levels=()) as crowd:
        image = stage.render(crowd, camera=FRONT, ground=False).array
    expected = over(0.5, encoded(RED), over(0.5, encoded(BLUE), BEHIND))
    np.testing.assert_allclose(center(image), expected, atol=ROUNDING)


def test_several_things_are_blended_from_far_to_near(stage):
    near = walls({"base_color": (*RED, 0.5), "alpha_mode": "blend"}, depths=[1.0])
    far = walls({"base_color": (*BLUE, 0.5), "alpha_mode": "blend"}, depths=[-1.0])
    expected = over(0.5, encoded(RED), over(0.5, encoded(BLUE), BEHIND))
    for meshes in ((near, far), (far, near)):
        with SkinnedModel(meshes[0], stage=stage) as one, SkinnedModel(meshes[1], stage=stage) as other:
            for model in (one, other):
                model.set_palette(IDENTITY)
            image = stage.render(one, other, camera=FRONT, ground=False).array
        np.testing.assert_allclose(center(image), expected, atol=ROUNDING)


@pytest.mark.parametrize(
    ("look", "cover"),
    [
        ({"alpha": 0.5}, 0.5),
        ({"alpha": 0.25}, 0.25),
        ({"alpha": 0.5, "double_sided": True}, 0.75),  # front and back: two layers
        ({"alpha": 1.0}, 1.0),
        ({"mode": "mask", "alpha_cutoff": 0.7}, None),
        ({"mode": "mask", "alpha_cutoff": 0.3}, 1.0),
    ],
    ids=str,
)
def test_impostors_are_covered_as_the_mesh_is(stage, look, cover):
    """Texels hold the share that is covered, in sixteenths, their samples; nothing red is left by a mask."""
    bake = lissom.bake(glazed(**look), rate=30)
    with Impostors(bake, stage=stage, views=8, phases=4, pixels=64) as impostors:
        texels = impostors._atlas.base[0].reshape(-1, 4).astype(int)
        with Crowd(bake, 1, stage=stage, instances=plain_instances(1), impostors=(impostors, 1e6)) as crowd:
            image = stage.render(crowd, camera=stage.camera(crowd, azimuth=0.0), ground=False).array
    red = np.abs(texels[:, :3] - 255 * np.sqrt(RED)).max(axis=1) < 4
    in_picture = image[..., 0].astype(int) - image[..., 1] > 20
    if cover is None:
        assert not red[texels[:, 3] > 0].any()
        assert not in_picture.any()
        return
    shares = texels[red, 3] / 255
    assert in_picture.sum() > 50
    assert abs(shares.max() - cover) < 1 / 32
    assert np.mean(np.abs(shares - cover) < 1 / 32) > 0.4


def test_levels_of_detail_are_covered_too(stage):
    hero = glazed()
    (level,) = levels_of_detail(hero, (0.5,))
    bake = lissom.bake(hero, rate=30)
    instances = plain_instances(1)
    pictures = []
    for options in ({}, {"levels": [(level, 1e6)]}):
        with Crowd(bake, 1, stage=stage, instances=instances, **options) as crowd:
            camera = stage.camera(crowd)
            pictures.append(stage.render(crowd, camera=camera, ground=False).array.astype(int))
    assert np.mean(np.abs(pictures[0] - pictures[1]).max(axis=-1) > 8) < 0.05


def test_a_closed_piece_with_a_hole_keeps_its_inside(stage):
    """Through what is masked of it, crowds show back faces that nobody would see otherwise."""
    hero = glazed(mode="mask", alpha=0.2)
    bake = lissom.bake(hero, rate=30)
    pictures = []
    for two_sided in (None, True):
        with Crowd(bake, 1, stage=stage, instances=plain_instances(1), two_sided=two_sided) as crowd:
            pictures.append(stage.render(crowd, camera=stage.camera(crowd, elevation=60.0)).array)
    np.testing.assert_array_equal(*pictures)


@pytest.mark.parametrize(
    "look",
    [
        {},
        {"double_sided": True},
        {"pictured": True, "alpha": 1.0},
        {"pictured": True, "alpha": 1.0, "mode": "mask"},
        {"mode": "mask", "alpha": 0.4},
    ],
    ids=str,
)
def test_a_sketch_shows_it(stage, look):
    hero = glazed(**look)
    drawn = lissom.render(hero, width=300, height=300).array.astype(int)
    ours = lissom.sketch(hero, width=300, height=300).array
    solid = lissom.sketch(glazed(mode="opaque"), width=300, height=300).array
    assert np.abs(ours - drawn).mean() < 2
    assert np.abs(ours - solid.astype(int)).mean() > 2


def test_a_sketch_blends_from_far_to_near():
    looks = [{"base_color": (*color, 0.5), "alpha_mode": "blend"} for color in (RED, GREEN, BLUE)]
    expected = BEHIND
    for color in (RED, GREEN, BLUE):
        expected = over(0.5, encoded(color), expected)
    for depths in ((0, 0.5, 1.0), (1.0, 0.5, 0)):
        image = lissom.sketch(walls(*looks, depths=depths), camera=FRONT, width=128, height=128, ground=False)
        np.testing.assert_allclose(center(image.array), expected, atol=ROUNDING)
        looks.reverse()


@pytest.mark.parametrize("mode", ["blend", "mask"])
def test_a_sketch_orders_each_pixel_of_pictures_of_any_size(monkeypatch, mode):
    """Two walls that cross: each is before the other in one half of the picture."""
    crossing = [
        [(-1, 0, -1), (1, 0, 1), (1, 2, 1), (-1, 2, -1)],
        [(-1, 0, 1), (1, 0, -1), (1, 2, -1), (-1, 2, 1)],
    ]
    triangles = np.concatenate([[[0, 1, 2], [0, 2, 3]], [[4, 5, 6], [4, 6, 7]]])
    looks = (
        {"base_color": (1, 0, 0, 0.5), "alpha_mode": "blend", "double_sided": True},
        {"base_color": (0, 1, 0, 1), "alpha_mode": mode, "double_sided": True},
    )
    parts = [
        lissom.Part(str(i), slice(4 * i, 4 * i + 4), slice(2 * i, 2 * i + 2), **look)
        for i, look in enumerate(looks)
    ]
    rig = lissom.samples.two_bone_tube()
    mesh = lissom.Mesh(
        np.concatenate(crossing), triangles, np.zeros((8, 1), int), np.ones((8, 1)), parts=parts
    )
    hero = lissom.Character("crossing", rig.skeleton, mesh, rig.skin)
    whole = lissom.sketch(hero, width=128, height=128).array
    monkeypatch.setattr(raster, "MOST_AT_ONCE", 500)
    np.testing.assert_array_equal(lissom.sketch(hero, width=128, height=128).array, whole)


def test_a_mask_that_nothing_passes_is_not_drawn_in_a_sketch():
    heroes = [glazed(mode="mask", alpha_cutoff=cutoff) for cutoff in (1e300, 1.5)]
    one, other = (lissom.sketch(hero, width=64, height=64).array for hero in heroes)
    np.testing.assert_array_equal(one, other)


def test_linear_light_is_encoded_before_it_is_blended():
    """What docs/concepts/loading.md says: the mean of black and white is 128, not 188."""
    assert np.allclose(over(0.5, encoded(np.zeros(3)), 255 * np.ones(3)), 127.5)
    assert srgb_to_linear(np.array(127.5 / 255)) < 0.25
