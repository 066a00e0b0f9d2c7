# SPDX-License-Identifier: MIT
"""Props that follow joints wherever characters go: models, pictures, bakes, crowds, GLB files and pages."""

import json

import numpy as np
import pytest

import lissom
from conftest import asset
from lissom.gpu import Camera, Crowd, SkinnedModel, plain_instances
from lissom.player._container import from_bytes
from morphed_characters import faced
from props import FAR, expected, matrix, whip

RIGS = {
    "sample": "Hand.R",
    "characters/kaykit/Knight.glb": "handslot.r",
    "characters/quaternius/animals_pack/Wolf.glb": "Head",
}
TURN = np.array([1, 2, 3, 4]) / np.sqrt(30)


@pytest.fixture(scope="module", params=RIGS)
def case(request):
    """A character, the same with a prop in its hand, a clip, and where the prop is at a time."""
    name, joint = request.param, RIGS[request.param]
    rig = lissom.samples.humanoid() if name == "sample" else lissom.load(asset(name))
    prop = whip()
    prop.expressions = None
    offset = lissom.trs.from_parts([0, 0.1, 0], TURN, [0.3] * 3)
    armed = lissom.attach(rig, joint, prop, offset)
    clip = list(rig.clips)[1]
    own = prop.deform(prop.skeleton.rest.astype(float), "linear")

    def meant(time):
        pose = armed.clips[clip].sample(time)
        return expected(rig, pose, joint, matrix(offset), own)

    return rig, armed, clip, meant


def test_a_model_draws_it_there(stage, case):
    rig, armed, clip, meant = case
    with SkinnedModel(armed, stage=stage) as model:
        model.set_pose(armed.clips[clip].sample(0.2))
        drawn = model.deformed().positions
    assert np.abs(drawn[rig.mesh.vertex_count :] - meant(0.2)).max() < 2 * FAR * armed.size
    picture = lissom.render(armed, clip=clip, time=0.2, width=160, height=120)
    without = lissom.render(armed.without("whip"), clip=clip, time=0.2, width=160, height=120)
    assert (picture.array != without.array).any()


def test_bakes_have_rows_of_it(case):
    rig, armed, clip, meant = case
    bake = lissom.bake(armed, [clip], dtype="float32")
    assert bake.palette_row_count == len(rig.skin) + 3
    assert set(armed.skeleton.names[-3:]) <= set(bake.joints)
    time = bake.clips[clip].start + 3 / bake.clips[clip].rate  # a frame
    vertices = lissom.deform(bake.mesh, bake.sample(clip, time))
    away = np.abs(vertices[rig.mesh.vertex_count :] - meant(time)).max()
    assert away < bake.clips[clip].error.max + 4 * FAR * armed.size


def test_crowds_carry_it(stage, case):
    rig, armed, clip, meant = case
    bake = lissom.bake(armed, [clip], dtype="float32")
    instances = plain_instances(2)
    instances["time"] = bake.clips[clip].start + np.array([0, 5]) / bake.clips[clip].rate
    instances["position"][1] = [3, 0, 1]
    with Crowd(bake, 2, stage=stage, instances=instances) as crowd:
        drawn = crowd.deformed()[:, rig.mesh.vertex_count :]
        bound = crowd.max_error
    for vertices, instance in zip(drawn, instances, strict=True):
        want = meant(float(instance["time"])) + instance["position"]
        assert np.abs(vertices - want).max() < bound + 8 * FAR * armed.size


def test_files_hold_it(case):
    rig, armed, clip, meant = case
    again = lissom.load(lissom.save_glb(armed, clips=[clip, "whip/crack"]))
    assert again.skeleton.names == armed.skeleton.names
    assert [part.name for part in again.mesh.parts] == [part.name for part in armed.mesh.parts]
    assert list(again.clips) == [clip, "whip/crack"]
    vertices = again.deform(again.clips[clip].sample(0.2), "linear")
    assert np.abs(vertices[rig.mesh.vertex_count :] - meant(0.2)).max() < 2 * FAR * armed.size
    assert again.mesh.morphs.names[-2:] == ("whip/lash/curl", "whip/lash/smile")


def test_pages_show_it(case):
    rig, armed, clip, _ = case
    arrays, texts = from_bytes(armed.show([clip, "whip/crack"]).bundle)
    facts = json.loads(texts["player"])
    points = np.array(facts["low"]) + np.array(facts["step"]) * arrays["positions"]
    step = 0.51 * max(facts["step"])
    assert np.abs(points - armed.mesh.positions).max() < step + FAR * armed.size
    assert [each["name"] for each in facts["clips"]] == [clip, "whip/crack"]
    assert arrays["rows"].max() == len(rig.skin) + 2


def test_faces_of_both_move(stage):
    """Weights of a clip of the character, and of one of the prop, each on its own targets."""
    hero, prop = faced(lissom.samples.humanoid()), whip()
    names, usual = hero.mesh.morphs.names, hero.mesh.morphs.defaults
    poses = np.tile(hero.skeleton.rest, (2, 1, 1))
    weights = np.stack([usual, np.float32([1, 0, 0.5, 1, 0, 0])])
    grin = lissom.Clip.from_poses(
        hero.skeleton, [0, 1], poses, morphs=weights, morph_names=names, name="grin", loop=False
    )
    hero = lissom.Character("hero", hero.skeleton, hero.mesh, hero.skin, [grin])
    armed = lissom.attach(hero, "Head", prop)
    assert armed.mesh.morphs.names == (*names, "whip/lash/curl", "whip/lash/smile")
    crack = prop.clips["crack"]
    time = crack.start + 0.25 * crack.duration
    view = {"width": 160, "height": 120, "camera": Camera((0.0, 1.2, 0.0), 3.0), "ground": False}
    rest = np.array([*usual, *prop.mesh.morphs.defaults])
    for clip, at, want in (
        ("grin", 1.0, [1, 0, 0.5, 1, 0, 0, 0.25, 0]),
        ("whip/crack", time, [0, 0.5, 0, 0, -0.25, 0, *crack.morphs(time)]),
    ):
        pose = armed.clips[clip].sample(at)
        picture = lissom.render(armed, clip=clip, time=at, **view)
        np.testing.assert_array_equal(picture.array, lissom.render(armed, pose, morphs=want, **view).array)
        plain = lissom.render(armed, pose, morphs=rest, **view)
        assert np.count_nonzero((picture.array != plain.array).any(axis=2)) > 100  # pixels
    bake = lissom.bake(armed, ["grin", "whip/crack"])
    assert bake.morph_names == armed.mesh.morphs.names
    np.testing.assert_allclose(bake.sample_morphs("grin", 1.0), [1, 0, 0.5, 1, 0, 0, 0.25, 0], atol=1e-3)
