# SPDX-License-Identifier: MIT
"""Saving GLB files: loading gives back what was saved."""

import hashlib
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import lissom
from conftest import ASSETS, asset_files, asset_id, each_asset
from glb_contents import contents, stored
from lissom.clip import LINEAR, ROTATION, SCALE, TRANSLATION
from saved_characters import CASES, assert_same_character, bound, clip_of, picture, skeleton


@pytest.mark.parametrize("name", CASES)
def test_loading_gives_what_was_saved(name):
    character = CASES[name]()
    assert_same_character(character, lissom.load(lissom.save_glb(character), strict=True))


def with_whole_normals(character: lissom.Character) -> lissom.Character:
    """Set normals of zero length to the direction that they get in a file."""
    mesh = character.mesh
    normals = np.where(mesh.normals.any(axis=1, keepdims=True), mesh.normals, np.float32([0, 0, 1]))
    mesh = lissom.Mesh(
        mesh.positions,
        mesh.triangles,
        mesh.indices,
        mesh.weights,
        normals=normals,
        uvs=mesh.uvs,
        colors=mesh.colors,
        parts=mesh.parts,
    )
    return lissom.Character(character.name, character.skeleton, mesh, character.skin, character.clips)


@pytest.mark.parametrize("path", asset_files("characters", "features"), ids=asset_id)
def test_loading_gives_back_real_characters(path):
    character = lissom.load(path)
    if path.name == "BoxBadNormals.glb":
        character = with_whole_normals(character)
    assert_same_character(character, lissom.load(lissom.save_glb(character)), times=3)


def test_deformed_vertices_come_back():
    hero = lissom.samples.humanoid()
    back = lissom.load(lissom.save_glb(hero))
    for name, clip in hero.clips.items():
        times = np.linspace(clip.start, clip.end, 4)
        for method in ("linear", "dual_quat"):
            expected = hero.deform(clip.sample(times), method=method)
            got = back.deform(back.clips[name].sample(times), method=method)
            np.testing.assert_allclose(got, expected, rtol=0, atol=1e-6 * hero.size)


def test_the_same_character_gives_the_same_bytes():
    character = CASES["all_tracks"]()
    first = lissom.save_glb(character)
    assert [clip.loop for clip in character.clips.values()]  # asking is remembered and must not show
    assert lissom.save_glb(character) == first
    again = CASES["all_tracks"]()
    assert lissom.save_glb(again) == first
    code = (
        "import hashlib, sys; sys.path.insert(0, sys.argv[1]); import lissom, saved_characters;"
        "data = lissom.save_glb(saved_characters.CASES['all_tracks']());"
        "print(hashlib.sha256(data).hexdigest())"
    )
    for seed in "01":
        done = subprocess.run(
            [sys.executable, "-c", code, Path(__file__).parents[1]],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        assert done.stdout.strip() == hashlib.sha256(first).hexdigest()


def test_a_saved_file_saves_to_itself():
    for name in ("humanoid", "textured", "repeated_rows", "all_tracks"):
        once = lissom.load(lissom.save_glb(CASES[name]()))
        once.name = "x"
        twice = lissom.load(lissom.save_glb(once))
        twice.name = "x"
        assert lissom.save_glb(twice) == lissom.save_glb(once), name


def test_clips_may_be_chosen_and_brought_along():
    hero = lissom.samples.humanoid()
    fast = hero.clips["walk"].at_speed(2)
    back = lissom.load(lissom.save_glb(hero, clips=["run", fast]))
    assert list(back.clips) == ["run", "walk"]
    assert back.clips["walk"].duration == pytest.approx(hero.clips["walk"].duration / 2)
    assert not lissom.load(lissom.save_glb(hero, clips=[])).clips
    twin = pickle.loads(pickle.dumps(hero.skeleton))
    same = lissom.Clip("walk", twin, hero.clips["walk"].keys, hero.clips["walk"].tracks)
    assert list(lissom.load(lissom.save_glb(hero, clips=[same])).clips) == ["walk"]


def test_the_mapping_names_clips():
    bones = skeleton("a")
    clip = clip_of("inner", bones, (0, TRANSLATION, LINEAR, [0, 1], np.eye(3)[:2]))
    back = lissom.load(lissom.save_glb(lissom.Character("x", bones, None, None, {"outer": clip})))
    assert list(back.clips) == ["outer"]


def test_tracks_share_their_times():
    character = CASES["many_joints"]()
    assert len(character.clips["random"].tracks) > 500
    samplers = contents(lissom.save_glb(character))["animations"][0]["samplers"]
    assert len({sampler["input"] for sampler in samplers}) == 1


def test_equal_keys_are_written_once():
    bones = skeleton("a", "b")
    values = np.random.default_rng(1).normal(size=(50, 3))
    tracks = [(joint, TRANSLATION, LINEAR, np.arange(50.0), values.copy()) for joint in (0, 1)]
    clips = [clip_of(name, bones, *tracks) for name in ("x", "y")]
    data = lissom.save_glb(lissom.Character("x", bones, None, None, clips))
    samplers = [sampler for animation in contents(data)["animations"] for sampler in animation["samplers"]]
    assert len(samplers) == 4
    assert all(sampler == samplers[0] for sampler in samplers)


def test_materials_are_not_metal_and_let_light_through():
    """glTF's own default is metal, which is black where nothing is around to be mirrored."""
    materials = contents(lissom.save_glb(CASES["odd_names"]()))["materials"]
    assert [material["pbrMetallicRoughness"]["metallicFactor"] for material in materials] == [0, 0, 0]
    assert [material.get("alphaMode", "OPAQUE") for material in materials] == ["OPAQUE", "BLEND", "MASK"]
    assert [material.get("alphaCutoff", 0.5) for material in materials] == [0.5, 0.5, 0.1]
    assert [material.get("doubleSided", False) for material in materials] == [False, False, True]


def test_a_skeleton_alone_gets_a_skin_bound_at_rest():
    """Tools that take nodes for bones only where a skin names them find all of them, where they rest."""
    character = CASES["no_mesh"]()
    data = lissom.save_glb(character)
    (skin,) = contents(data)["skins"]
    assert skin["joints"] == list(range(len(character.skeleton)))
    inverse = stored(data, skin["inverseBindMatrices"]).reshape(-1, 4, 4).swapaxes(1, 2)
    model = character.skeleton.model_matrices(character.skeleton.rest.astype(float))
    np.testing.assert_allclose(inverse @ model, np.tile(np.eye(4), (len(model), 1, 1)), atol=1e-5)
    assert lissom.load(data).skin is None


@pytest.mark.parametrize("path", each_asset(sorted((ASSETS / "bvh").glob("*.bvh")), "bvh"), ids=asset_id)
def test_motion_capture_comes_back(path):
    character = lissom.load_bvh(path)
    assert_same_character(character, lissom.load(lissom.save_glb(character), strict=True))


def test_small_numbers_take_small_types():
    root = contents(lissom.save_glb(CASES["many_vertices"]()))
    parts, accessors = {m["name"]: m["primitives"][0] for m in root["meshes"]}, root["accessors"]
    assert accessors[parts["large"]["indices"]]["componentType"] == 5125
    assert accessors[parts["small"]["indices"]]["componentType"] == 5121
    assert accessors[parts["small"]["attributes"]["JOINTS_0"]]["componentType"] == 5121
    many = contents(lissom.save_glb(CASES["many_joints"]()))
    attributes = many["meshes"][0]["primitives"][0]["attributes"]
    assert many["accessors"][attributes["JOINTS_1"]]["componentType"] == 5123
    assert many["accessors"][many["meshes"][0]["primitives"][0]["indices"]]["componentType"] == 5123


@pytest.mark.parametrize(("count", "size"), [(255, 5121), (256, 5123), (65535, 5123), (65536, 5125)])
def test_the_restart_index_is_never_used(count, size):
    """The largest number of an index type restarts a strip: 255 vertices are the most for a byte."""
    bones = skeleton("a")
    mesh = lissom.Mesh(np.zeros((count, 3)), [[0, 1, count - 1]])
    data = lissom.save_glb(lissom.Character("x", bones, mesh, bound(bones)))
    root = contents(data)
    assert root["accessors"][root["meshes"][0]["primitives"][0]["indices"]]["componentType"] == size
    assert lissom.load(data, strict=True).mesh.triangles.tolist() == [[0, 1, count - 1]]


def test_bounds_are_those_of_float32():
    root = contents(data := lissom.save_glb(CASES["mirrored"]()))
    accessor = root["accessors"][root["meshes"][0]["primitives"][0]["attributes"]["POSITION"]]
    positions = lissom.load(data).mesh.positions
    assert np.array_equal(np.float32(accessor["min"]), positions.min(axis=0))
    assert np.array_equal(np.float32(accessor["max"]), positions.max(axis=0))


def test_the_heaviest_influences_come_first_and_each_once():
    bones = skeleton(*"abcdef")
    rows = [[5, 4, 3, 2, 1, 0], [0, 1, 0, 2, 2, 3], [1, 1, 1, 1, 1, 1]]
    weights = [[0.05, 0.1, 0.15, 0.2, 0.24, 0.26], [0.1, 0.3, 0.1, 0.2, 0.3, 0.0], [1 / 6] * 6]
    mesh = lissom.Mesh(np.eye(3), [[0, 1, 2]], rows, weights)
    character = lissom.Character("x", bones, mesh, bound(bones))
    data = lissom.save_glb(character)
    attributes = contents(data)["meshes"][0]["primitives"][0]["attributes"]
    assert stored(data, attributes["JOINTS_0"]).tolist() == [[0, 1, 2, 3], [2, 1, 0, 0], [1, 0, 0, 0]]
    np.testing.assert_allclose(stored(data, attributes["WEIGHTS_0"])[0], [0.26, 0.24, 0.2, 0.15])
    back = lissom.load(data, strict=True)
    assert back.mesh.indices[:2].tolist() == [[0, 1, 2, 3, 4, 5], [2, 1, 0, 2, 2, 2]]
    np.testing.assert_allclose(back.mesh.weights[1], [0.5, 0.3, 0.2, 0, 0, 0], atol=1e-7)
    assert back.mesh.weights[2].tolist() == [1, 0, 0, 0, 0, 0]
    poses = bones.rest + np.random.default_rng(0).normal(size=(6, 10)) * 0.1
    poses[:, 3:7] /= np.linalg.norm(poses[:, 3:7], axis=1, keepdims=True)
    np.testing.assert_allclose(back.deform(poses), character.deform(poses), atol=1e-6)


def test_directions_without_length_get_one():
    bones = skeleton("a")
    normals = np.float32([[0, 0, 0], [0, 2, 0], [0, 1, 0]])
    tangents = np.float32([[0, 0, 0, 0.5], [3, 0, 0, -2], [1, 0, 0, -1]])
    mesh = lissom.Mesh(np.eye(3), [[0, 1, 2]], normals=normals, tangents=tangents)
    back = lissom.load(lissom.save_glb(lissom.Character("x", bones, mesh, bound(bones))), strict=True).mesh
    assert back.normals.tolist() == [[0, 0, 1], [0, 1, 0], [0, 1, 0]]
    assert back.tangents.tolist() == [[1, 0, 0, 1], [1, 0, 0, -1], [1, 0, 0, -1]]


def test_tangents_bring_the_normals_they_need():
    bones = skeleton("a")
    mesh = lissom.Mesh(np.eye(3), [[0, 1, 2]], tangents=[[1, 0, 0, 1]] * 3)
    back = lissom.load(lissom.save_glb(lissom.Character("x", bones, mesh, bound(bones))), strict=True).mesh
    np.testing.assert_array_equal(back.normals, mesh.computed_normals())


def test_a_texture_without_coordinates_shows_its_corner():
    bones = skeleton("a")
    part = lissom.Part("p", slice(0, 3), slice(0, 1), texture=picture("png"))
    mesh = lissom.Mesh(np.eye(3), [[0, 1, 2]], parts=[part])
    back = lissom.load(lissom.save_glb(lissom.Character("x", bones, mesh, bound(bones))), strict=True).mesh
    assert back.parts[0].texture == part.texture
    assert not back.uvs.any()


def test_parts_may_share_vertices():
    bones = skeleton("a")
    parts = [lissom.Part(name, slice(0, 3), slice(i, i + 1)) for i, name in enumerate(("up", "down"))]
    mesh = lissom.Mesh(np.eye(3), [[0, 1, 2], [0, 2, 1]], parts=parts)
    root = contents(data := lissom.save_glb(lissom.Character("x", bones, mesh, bound(bones))))
    shared = {m["primitives"][0]["attributes"]["POSITION"] for m in root["meshes"]}
    assert len(shared) == 1
    assert lissom.load(data).mesh.triangles.tolist() == [[0, 1, 2], [3, 5, 4]]


def test_parts_without_vertices_are_left_out():
    bones = skeleton("a")
    parts = [lissom.Part("none", slice(0, 0), slice(0, 0)), lissom.Part("all", slice(0, 3), slice(0, 1))]
    mesh = lissom.Mesh(np.eye(3), [[0, 1, 2]], parts=parts)
    back = lissom.load(lissom.save_glb(lissom.Character("x", bones, mesh, bound(bones))), strict=True)
    assert [part.name for part in back.mesh.parts] == ["all"]
    empty = lissom.Character("x", bones, lissom.Mesh(np.zeros((0, 3)), []), bound(bones))
    assert lissom.load(lissom.save_glb(empty), strict=True).mesh is None


def test_times_before_zero_are_shifted_with_a_warning():
    bones = skeleton("a", "b")
    values = np.random.default_rng(3).normal(size=(3, 3))
    clip = clip_of(
        "early",
        bones,
        (0, TRANSLATION, LINEAR, [-0.5, 0, 1], values),
        (1, SCALE, LINEAR, [0, 1, 2], values),
        markers=[(0.25, "now")],
    )
    with pytest.warns(UserWarning, match="clip 'early' starts at -0.5 s .* written 0.5 s later") as caught:
        data = lissom.save_glb(lissom.Character("x", bones, None, None, [clip]))
    assert caught[0].filename == __file__
    back = lissom.load(data, strict=True).clips["early"]
    assert (back.start, back.end, back.markers) == (0, 2.5, ((0.75, "now"),))
    times = np.linspace(-0.5, 2, 7)
    np.testing.assert_allclose(back.sample(times + 0.5), clip.sample(times), atol=1e-6)


def test_long_rotations_are_normalised():
    bones = skeleton("a")
    clip = clip_of("long", bones, (0, ROTATION, LINEAR, [0, 1], [[0, 0, 0, 3], [0.5, 0, 0, 0]]))
    back = lissom.load(lissom.save_glb(lissom.Character("x", bones, None, None, [clip])), strict=True)
    np.testing.assert_allclose(back.clips["long"].sample([0, 0.3, 1]), clip.sample([0, 0.3, 1]), atol=1e-6)
