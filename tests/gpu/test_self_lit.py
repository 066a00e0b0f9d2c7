# SPDX-License-Identifier: MIT
"""Parts that are drawn without light, or emit some: in stages, crowds, impostors and sketches."""

import dataclasses
import io

import numpy as np
import pytest

import lissom
from gpu.test_stage import FRONT, IDENTITY, center, picture_of, wall
from lissom._rig.mesh import Mesh
from lissom._rig.part import Texture
from lissom._view.color import linear_to_srgb, srgb_to_linear
from lissom.gpu import Crowd, Impostors, SkinnedModel, Stage, plain_instances
from self_lit import self_lit

Image = pytest.importorskip("PIL.Image")

# Eight bits of the vertex colour and eight of the picture.
ROUNDING = 1.01


@pytest.fixture
def stage(context):
    with Stage(128, 128, context=context) as stage:
        yield stage


def changed(mesh, colors=None, **look):
    """The wall with another look, and colours of its vertices."""
    parts = [dataclasses.replace(part, **look) for part in mesh.parts]
    return Mesh(
        mesh.positions, mesh.triangles, normals=mesh.normals, uvs=mesh.uvs, colors=colors, parts=parts
    )


def encoded(linear):
    """Linear light as the picture's bytes, IEC 61966-2-1, written out."""
    linear = np.asarray(linear, np.float64)
    return 255 * np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)


def soft(light):
    """The curve at the end of the stage's light, as color.glsl has it."""
    return np.where(light < 0.5, light, 1 - 0.5 * np.exp((0.5 - light) / 0.5))


def unsoft(light):
    return np.where(light < 0.5, light, 0.5 - 0.5 * np.log(2 * (1 - light)))


def pixel(*rgb):
    file = io.BytesIO()
    Image.new("RGB", (4, 4), rgb).save(file, "PNG")
    return Texture(file.getvalue(), "image/png", "plain")


@pytest.mark.parametrize("azimuth", [0, 60, 180])
def test_unlit_is_the_colour_itself_from_any_side(stage, azimuth):
    """Base colour, texture and vertex colour, multiplied in linear light and encoded: nothing else."""
    base, own = np.array([0.8, 0.5, 1.0]), np.array([0.5, 1.0, 0.25])
    texture = np.array([255, 128, 64])
    mesh = changed(
        wall((*base, 1.0), pixel(*texture.tolist())), colors=[[*own, 1.0]] * 4, unlit=True, emissive=(9, 9, 9)
    )
    expected = encoded(base * own * srgb_to_linear(texture / 255))
    image = picture_of(mesh, stage, dataclasses.replace(FRONT, azimuth=azimuth), ground=False)
    np.testing.assert_allclose(center(image), expected, atol=ROUNDING)
    lit = picture_of(changed(mesh, unlit=False), stage, ground=False)
    assert np.abs(center(lit) - expected).max() > 10


def test_unlit_white_is_white(stage):
    image = picture_of(changed(wall((1, 1, 1, 1)), unlit=True), stage, ground=False)
    np.testing.assert_array_equal(center(image), [255, 255, 255])


@pytest.mark.parametrize("texture", [None, (255, 128, 64)])
def test_what_a_part_emits_is_added_to_the_light(stage, texture):
    emissive = np.array([0.3, 0.1, 0.05])
    factor = 1.0 if texture is None else srgb_to_linear(np.array(texture) / 255)
    plain = wall((0.1, 0.2, 0.3, 1.0))
    lit = unsoft(srgb_to_linear(center(picture_of(plain, stage, ground=False)) / 255))
    shining = changed(
        plain, emissive=tuple(emissive), emissive_texture=None if texture is None else pixel(*texture)
    )
    expected = encoded(soft(lit + emissive * factor))
    np.testing.assert_allclose(center(picture_of(shining, stage, ground=False)), expected, atol=1.5)
    bright = changed(plain, emissive=(60.0, 0.0, 0.0))
    assert center(picture_of(bright, stage, ground=False))[0] == 255


def test_a_broken_emissive_picture_emits_nothing(stage, caplog):
    plain = wall((0.1, 0.2, 0.3, 1.0))
    broken = changed(
        plain, emissive=(1, 1, 1), emissive_texture=Texture(b"no picture", "image/png", "broken")
    )
    np.testing.assert_array_equal(
        picture_of(broken, stage, ground=False), picture_of(plain, stage, ground=False)
    )
    assert "'broken' cannot be decoded" in caplog.text


def test_heat_hides_it(stage):
    def hot(mesh):
        with SkinnedModel(mesh, stage=stage) as model:
            model.set_palette(IDENTITY)
            model.set_heat([0, 0, 5, 5])
            return stage.render(model, camera=FRONT, ground=False).array

    expected = hot(wall())
    for look in ({"unlit": True}, {"emissive": (1, 1, 1)}):
        np.testing.assert_array_equal(hot(changed(wall(), **look)), expected)


def test_a_crowd_draws_it_as_a_model_does(stage):
    hero = self_lit("bend", whole=False)
    bake = lissom.bake(hero, "bend", rate=30)
    pose = hero.clips["bend"].sample(0.5)
    with SkinnedModel(hero, stage=stage, method=bake.method) as model:
        model.set_pose(pose)
        camera = stage.camera(model)
        expected = stage.render(model, camera=camera, ground=False).array.astype(int)
    instances = plain_instances(1)
    instances["time"] = 0.5
    pictures = {}
    for direct in (False, True):
        with Crowd(bake, 1, stage=stage, instances=instances, direct=direct) as crowd:
            pictures[direct] = stage.render(crowd, camera=camera, ground=False).array
        assert np.mean(np.abs(pictures[direct] - expected).max(axis=-1) > 8) < 0.01
    # The colour of an instance multiplies colours, not what is emitted.
    instances["tint"] = (0, 0, 0, 255)
    with Crowd(bake, 1, stage=stage, instances=instances) as crowd:
        dark = stage.render(crowd, camera=camera, ground=False).array.reshape(-1, 3)
    assert (dark == 0).all(axis=1).any(), "unlit, in black"
    assert (dark[:, 0] > 150).any(), "emitted"


def test_impostors_shine_as_the_mesh_does(stage):
    bake = lissom.bake(self_lit("bend"), "bend", rate=30)
    instances = plain_instances(1)
    with Impostors(bake, stage=stage, views=8, phases=4, pixels=64) as impostors:
        pictures = []
        for options in ({}, {"impostors": (impostors, 1e6)}):
            with Crowd(bake, 1, stage=stage, instances=instances, **options) as crowd:
                camera = stage.camera(crowd)
                pictures.append(stage.render(crowd, camera=camera, ground=False).array.astype(int))
    mesh, small = pictures
    unlit = encoded([0.2, 0.5, 0.1])
    for picture in pictures:
        assert np.mean(np.abs(picture - unlit).max(axis=-1) < 3) > 0.01, "colours without light, to the bit"
    covered = (mesh != mesh[0, 0]).any(axis=-1) & (small != small[0, 0]).any(axis=-1)
    assert covered.mean() > 0.02
    # Emission by its share of all light, in 255ths, of pixels that average several: a few levels in the mean.
    assert np.abs(mesh[covered].mean(axis=0) - small[covered].mean(axis=0)).max() < 12


def test_a_sketch_shows_it(stage):
    hero = self_lit("bend", whole=False)
    drawn = lissom.render(hero, width=200, height=200).array.astype(int)
    ours = lissom.sketch(hero, width=200, height=200).array
    plain = lissom.sketch(lissom.samples.two_bone_tube(), width=200, height=200).array
    assert np.abs(ours - drawn).mean() < 2
    assert np.abs(ours - plain.astype(int)).mean() > 2
    unlit = encoded([0.2, 0.5, 0.1])
    assert np.mean(np.abs(ours - unlit).max(axis=-1) < 2) > 0.01


def test_linear_to_srgb_is_the_standard():
    values = np.linspace(0, 1, 101)
    np.testing.assert_allclose(255 * linear_to_srgb(values), encoded(values), atol=1e-9)
