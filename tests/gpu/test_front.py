# SPDX-License-Identifier: MIT
"""The default camera sees the front of characters: +z, or where the file says that they look."""

import json

import numpy as np
import pytest

import lissom
from lissom._notebook import drawings
from lissom._pictures.compare_view import azimuth_to_see
from lissom._view.front import azimuth_before
from lissom.gpu import SkinnedModel, Stage
from lissom.ik import Playground
from vrm_avatars import avatar

SIZE = {"width": 96, "height": 96}


@pytest.fixture(scope="module")
def old():
    """An avatar of VRM 0, which looks to -z, with colours: its front half is red, its back blue."""
    return painted(lissom.load(avatar(0).glb()), -1)


@pytest.fixture(scope="module")
def new():
    """The same of VRM 1, which looks to +z."""
    return painted(lissom.load(avatar(1).glb()), 1)


def painted(body, front):
    mesh = body.mesh
    fore = front * mesh.positions[:, 2:] > 0
    colors = np.where(fore, [1.0, 0, 0, 1], [0.0, 0, 1, 1]).astype(np.float32)
    names = ("indices", "weights", "normals", "uvs", "morphs")
    arrays = {name: getattr(mesh, name) for name in names}
    made = lissom.Mesh(mesh.positions, mesh.triangles, **arrays, colors=colors)
    return lissom.Character(body.name, body.skeleton, made, body.skin, body.clips)


def face_share(pixels):
    """Share of the front among the pixels of the body."""
    red, green, blue = np.moveaxis(np.asarray(pixels).astype(int), -1, 0)
    fore, hind = int((red > green + 40).sum()), int((blue > green + 40).sum())
    assert fore + hind > 100
    return fore / (fore + hind)


def sees_the_face(body, camera):
    """Whether the eyes are nearer to the camera than the head's joint."""
    places = dict(zip(body.skeleton.names, body.skeleton.positions(body.skeleton.rest), strict=True))
    eyes = (places["leftEye"] + places["rightEye"]) / 2
    return np.linalg.norm(camera.eye - eyes) < np.linalg.norm(camera.eye - places["head"])


def shown_camera(player):
    length = int.from_bytes(player.bundle[:8], "little")
    return json.loads(json.loads(player.bundle[8 : 8 + length])["__metadata__"]["player"])["azimuth"]


def test_pictures_show_the_face_of_either_version(old, new):
    for body in (old, new):
        pose = body.skeleton.rest
        with Stage(96, 96) as stage, SkinnedModel(body) as model:
            model.set_pose(pose)
            pictures = {
                "render": lissom.render(body, ground=False, **SIZE),
                "sketch": lissom.sketch(body, ground=False, **SIZE),
                "stage": stage.render(body, ground=False),
                "model": stage.render(model, ground=False),
                "stage camera": stage.render(model, camera=stage.camera(model), ground=False),
                "show": lissom.Character.show(body, ground=False, **SIZE).still,
                "notebook": drawings.character(body, 96),
                "playground": Playground(body, "leftHand").picture(**SIZE),
            }
            assert sees_the_face(body, stage.camera(body))
        for name, picture in pictures.items():
            assert face_share(picture) > 0.6, (body.name, name)
    assert face_share(lissom.render(old, azimuth=35.0, ground=False, **SIZE)) < 0.4  # as asked for


def test_what_is_asked_for_is_about_the_axes_of_the_model(old):
    usual = lissom.render(old, **SIZE).array
    np.testing.assert_array_equal(lissom.render(old, azimuth=-145.0, **SIZE).array, usual)
    with Stage(96, 96) as stage:
        assert stage.camera(old).azimuth == -145.0
        assert stage.camera(old, azimuth=10.0).azimuth == 10.0
        camera = stage.camera(old, azimuth=35.0)
    assert not sees_the_face(old, camera)
    np.testing.assert_array_equal(
        lissom.render(old, camera=camera, **SIZE).array, lissom.render(old, azimuth=35.0, **SIZE).array
    )


def test_characters_without_a_statement_are_seen_from_35_degrees(new):
    hero = lissom.samples.humanoid()
    assert azimuth_before(hero.skeleton) == azimuth_before(None) == azimuth_before(new.skeleton) == 35.0
    placed = np.diag([-1.0, 1, -1, 1])
    with Stage(96, 96) as stage, SkinnedModel(hero, world_from_model=placed) as model:
        assert stage.camera(model).azimuth == stage.camera(hero).azimuth == stage.camera().azimuth == 35.0
    assert shown_camera(hero.show("walk")) == shown_camera(lissom.bake(hero, "walk").show()) == 35.0


def test_a_placed_model_is_seen_from_where_it_looks(old, new):
    placed = np.diag([-1.0, 1, -1, 1])
    with Stage(96, 96) as stage, SkinnedModel(old, world_from_model=placed) as model:
        assert stage.camera(model).azimuth == pytest.approx(35.0)
        # Two that look to different sides have no front in common.
        assert stage.camera(old, new).azimuth == 35.0
        assert stage.camera(old, old).azimuth == -145.0


def test_comparisons_choose_among_sides_of_the_front(old, new):
    for body, front in ((old, -1), (new, 1)):
        mesh = body.mesh
        surface = mesh.positions.astype(np.float64), mesh.normals_of(mesh.positions)
        nowhere = np.zeros(mesh.vertex_count)
        usual = azimuth_before(body.skeleton)
        assert azimuth_to_see(body, surface, nowhere, 15.0, None) == usual
        behind = (front * surface[1][:, 2] < -0.7).astype(np.float64)
        assert azimuth_to_see(body, surface, behind, 15.0, None) != usual
    assert lissom.compare(old, old.skeleton.rest, width=480, height=180).picture.width == 480


def test_pages_start_before_the_front(old, new):
    assert shown_camera(old.show()) == -145.0
    assert shown_camera(new.show()) == 35.0
    still = old.show(camera={"azimuth": 35.0}, ground=False, **SIZE).still
    assert face_share(still) < 0.4  # a state goes before


def test_saved_avatars_keep_their_front(old, tmp_path):
    lissom.save_glb(old, tmp_path / "old.glb")
    saved = lissom.load(tmp_path / "old.glb")
    assert azimuth_before(saved.skeleton) == -145.0


def test_a_front_straight_up_has_no_side(old):
    class Upwards:
        front = (0.0, 1.0, 0.0)

    class Lying:
        _stated_look_at = Upwards

    assert azimuth_before(Lying) == 35.0
