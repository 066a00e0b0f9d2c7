# SPDX-License-Identifier: MIT
"""Saving GLB files: loading gives back what was saved, and a failed save changes nothing."""

import base64
import hashlib
import io
import json
import os
import pickle
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import lissom
from conftest import ASSETS, asset_files, asset_id, each_asset
from gltf_files import arm
from lissom.clip import CUBICSPLINE, LINEAR, ROTATION, SCALE, TRANSLATION
from lissom.errors import GltfError
from saved_characters import CASES, assert_same_character, bound, clip_of, picture, skeleton


def contents(data: bytes) -> dict:
    """The JSON of a GLB."""
    length = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + length])


def stored(data: bytes, accessor: int) -> np.ndarray:
    """The elements of a float32 or uint8 accessor, whose view may be of several."""
    root = contents(data)
    start = 20 + struct.unpack_from("<I", data, 12)[0] + 8
    one = root["accessors"][accessor]
    view = root["bufferViews"][one["bufferView"]]
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}[one["type"]]
    dtype = {5121: "u1", 5126: "<f4"}[one["componentType"]]
    offset = start + view.get("byteOffset", 0) + one.get("byteOffset", 0)
    return np.frombuffer(data, dtype, one["count"] * width, offset).reshape(-1, width)


def with_contents(data: bytes, root: dict) -> bytes:
    """The GLB with another JSON."""
    length = struct.unpack_from("<I", data, 12)[0]
    text = json.dumps(root).encode()
    text += b" " * (-len(text) % 4)
    rest = data[20 + length :]
    return struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + len(rest), len(text), 0x4E4F534A) + text + rest


def rewritten(data: bytes, change) -> bytes:
    root = contents(data)
    change(root)
    return with_contents(data, root)


# What comes back


@pytest.mark.parametrize("name", CASES)
def test_loading_gives_what_was_saved(name):
    character = CASES[name]()
    assert_same_character(character, lissom.load(lissom.save_glb(character), strict=True))


def loaded(path: Path) -> lissom.Character:
    try:
        return lissom.load(path)
    except GltfError as error:
        if error.code != "UNSUPPORTED_EXTENSION":
            raise
        pytest.skip(f"{error.code}")


def with_whole_normals(character: lissom.Character) -> lissom.Character:
    """Give the normals that are without length the direction that they get in a file."""
    mesh = character.mesh
    normals = np.where(mesh.normals.any(axis=1, keepdims=True), mesh.normals, np.float32([0, 0, 1]))
    mesh = lissom.Mesh(
        mesh.positions,
        mesh.triangles,
        mesh.indices,
        mesh.weights,
        normals=normals,
        uvs=mesh.uvs,
        parts=mesh.parts,
    )
    return lissom.Character(character.name, character.skeleton, mesh, character.skin, character.clips)


@pytest.mark.parametrize("path", each_asset(asset_files("characters", "features")), ids=asset_id)
def test_loading_gives_back_real_characters(path):
    character = loaded(path)
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
            [sys.executable, "-c", code, Path(__file__).parent],
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
    assert [material.get("alphaMode", "OPAQUE") for material in materials] == ["OPAQUE", "BLEND", "OPAQUE"]


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


@pytest.mark.parametrize("path", each_asset(sorted((ASSETS / "bvh").glob("*.bvh"))), ids=asset_id)
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


def test_a_file_without_marks_is_an_ordinary_character():
    """Another tool may drop all extras: the motion stays."""
    hero = lissom.samples.humanoid()
    root = contents(data := lissom.save_glb(hero))
    for table in ("nodes", "skins", "scenes", "animations"):
        for thing in root[table]:
            thing.pop("extras", None)
    back = lissom.load(with_contents(data, root), strict=True)
    pose = hero.clips["walk"].sample(0.3)
    order = [back.skeleton.index(name) for name in hero.skeleton.names]
    np.testing.assert_array_equal(back.clips["walk"].sample(0.3)[order], pose)
    np.testing.assert_allclose(
        back.deform(back.clips["walk"].sample(0.3)), hero.deform(pose), atol=1e-5 * hero.size
    )


# Marks that lie are noted, and nothing else

NAN = base64.b64encode(np.full(4, np.nan).tobytes()).decode()  # a key of translation at a time


@pytest.mark.parametrize(
    ("table", "extras"),
    [
        ("nodes", {"lissom": {"role": "king"}}),
        ("nodes", {"lissom": {"role": "part"}}),
        ("nodes", {"lissom": {"role": "row"}}),
        ("nodes", {"lissom": {"role": "root"}}),
        ("nodes", {"lissom": 3}),
        ("nodes", {"lissom": {"role": "part", "model_from_source": [1, 2]}}),
        ("skins", {"lissom": {"space": "moon"}}),
        ("scenes", {"lissom": {"joints": 7}}),
        ("animations", {"lissom": {"loop": "sometimes"}}),
        ("animations", {"lissom": {"markers": [[1, 2]]}}),
        ("animations", {"lissom": {"markers": [["a", 1]]}}),
        ("animations", {"lissom": {"root_motion": {"keys": "?", "tracks": [], "loop": True}}}),
        ("animations", {"lissom": {"root_motion": {"keys": "AAAA", "tracks": [], "loop": True}}}),
        ("animations", {"lissom": {"root_motion": {"keys": "", "tracks": [[0, 1, 1, 0, 0]], "loop": True}}}),
        ("animations", {"lissom": {"root_motion": {"keys": "", "tracks": [[9**30] * 5], "loop": True}}}),
        ("animations", {"lissom": {"root_motion": {"keys": NAN, "tracks": [[0, 1, 1, 0, 1]], "loop": True}}}),
        ("animations", {"lissom": {"root_motion": {"keys": "", "tracks": [], "loop": True, "error": -1}}}),
    ],
)
def test_a_mark_that_does_not_fit_is_noted_and_ignored(table, extras):
    file = arm()
    file.json["nodes"][0]["translation"] = [0, 0, 1]
    plain = lissom.load(file.glb())
    for thing in file.json[table]:
        thing["extras"] = extras
    marked = lissom.load(file.glb())
    codes = {repair.code for repair in marked.repairs} - {repair.code for repair in plain.repairs}
    assert codes == {"EXTRAS_IGNORED"}
    assert marked.skeleton.names == plain.skeleton.names
    np.testing.assert_array_equal(marked.deform(marked.skeleton.rest), plain.deform(plain.skeleton.rest))


@pytest.mark.parametrize("name", ["repeated_rows", "odd_names", "uniform", "all_tracks"])
def test_damaged_files_give_a_character_or_one_error(name):
    """Digits of the JSON replaced at random: no other exception than the loader's own."""
    rng = np.random.default_rng(5)
    data = lissom.save_glb(CASES[name]())
    length = struct.unpack_from("<I", data, 12)[0]
    text = data[20 : 20 + length]
    digits = [i for i, byte in enumerate(text) if chr(byte).isdigit()]
    loaded_count = 0
    for _ in range(150):
        damaged = bytearray(text)
        for place in rng.choice(digits, 3):
            damaged[place] = rng.choice(list(b"0123456789"))
        try:
            character = lissom.load(data[:20] + bytes(damaged) + data[20 + length :])
        except GltfError:
            continue
        loaded_count += 1
        for clip in character.clips.values():
            clip.sample(clip.start)
    assert 0 < loaded_count < 150


@pytest.mark.parametrize(
    "extras", [3, None, "lissom", [], {}, {"other": {"lissom": 1}}, {"note": '"lissom"'}]
)
def test_extras_of_others_are_not_read(extras):
    file = arm()
    for table in ("nodes", "skins", "scenes", "animations"):
        for thing in file.json[table]:
            thing["extras"] = extras
    assert lissom.load(file.glb()).repairs == lissom.load(arm().glb()).repairs


def test_marker_times_must_be_numbers():
    bones = skeleton("a")
    clip = clip_of("x", bones, (0, TRANSLATION, LINEAR, [0, 1], np.eye(3)[:2]), markers=[(0.5, "step")])
    data = lissom.save_glb(lissom.Character("x", bones, None, None, [clip]))
    length = struct.unpack_from("<I", data, 12)[0]
    text = data[20 : 20 + length].replace(b'[0.5,"step"]', b'[9e9,"step"]')
    assert len(text) == length
    assert lissom.load(data[:20] + text + data[20 + length :]).clips["x"].markers[0].time == 9e9


def test_a_grid_that_another_tool_broke_is_no_grid():
    data = lissom.save_glb(CASES["uniform"]())
    assert lissom.load(data).clips["grid"].uniform

    def step(root):
        root["animations"][0]["samplers"][0]["interpolation"] = "STEP"

    assert not lissom.load(rewritten(data, step)).clips["grid"].uniform

    def leave_out(root):
        root["animations"][0]["channels"] = root["animations"][0]["channels"][:1]

    assert lissom.load(rewritten(data, leave_out)).clips["grid"].uniform

    def count(root):  # the last track ends a frame before the others
        last = root["animations"][0]["samplers"][-1]
        for key in ("input", "output"):
            root["accessors"].append({**root["accessors"][last[key]], "count": 30})
            last[key] = len(root["accessors"]) - 1

    assert not lissom.load(rewritten(data, count)).clips["grid"].uniform


def test_frames_at_odd_times_are_no_grid():
    character = CASES["uniform"]()
    clip = character.clips["grid"]
    keys = clip.keys.copy()
    keys[int(clip.tracks["times"][0]) + 3] += 0.01
    odd = lissom.Clip("grid", clip.skeleton, keys, clip.tracks)
    data = lissom.save_glb(character, clips=[odd])
    assert not lissom.load(data).clips["grid"].uniform
    marked = rewritten(data, lambda root: root["animations"][0].update(extras={"lissom": {"uniform": True}}))
    assert not lissom.load(marked).clips["grid"].uniform


# What cannot be saved


def character_of(mesh, skin=None, bones=None) -> lissom.Character:
    bones = bones or skeleton("a", "b")
    return lissom.Character("x", bones, mesh, skin or bound(bones))


def with_clip(*tracks, **options) -> lissom.Character:
    bones = skeleton("a", "b")
    return lissom.Character("x", bones, None, None, [clip_of("c", bones, *tracks, **options)])


def part(vertices, triangles, **options):
    return lissom.Part("p", slice(*vertices), slice(*triangles), **options)


ONE = [[0, 1, 2]]
UNSAVEABLE = {
    "no joint": (
        lambda: lissom.Character("x", lissom.Skeleton([], [], np.zeros((0, 10))), None, None),
        "skeleton must have a joint",
    ),
    "vertices in no part": (
        lambda: character_of(lissom.Mesh(np.zeros((4, 3)), ONE, parts=[part((0, 3), (0, 1))])),
        "every one of the mesh's vertices must be in a part, got none for 3",
    ),
    "triangles in no part": (
        lambda: character_of(lissom.Mesh(np.eye(3), ONE * 2, parts=[part((0, 3), (0, 1))])),
        "every one of the mesh's triangles must be in a part, got none for 1",
    ),
    "triangles of others": (
        lambda: character_of(
            lissom.Mesh(np.zeros((4, 3)), ONE, parts=[part((0, 2), (0, 1)), part((2, 4), (1, 1))])
        ),
        "triangles of a part must use its own vertices, got 0 to 2 in part 'p', which has 0 to 1",
    ),
    "texture": (
        lambda: character_of(
            lissom.Mesh(
                np.eye(3), ONE, parts=[part((0, 3), (0, 1), texture=lissom.Texture(b"?", "image/ktx2"))]
            )
        ),
        "textures must be PNG, JPEG or WebP, got 1 bytes of image/ktx2 in part 'p'",
    ),
    "base colour": (
        lambda: character_of(
            lissom.Mesh(np.eye(3), ONE, parts=[part((0, 3), (0, 1), base_color=(2, float("nan"), 0, 1))])
        ),
        r"base_color must lie in \[0, 1\], got \(2.0, nan, 0.0, 1.0\) in part 'p'",
    ),
    "too many rows": (
        lambda: character_of(
            lissom.Mesh(np.eye(3), ONE, [[70_000]] * 3, np.ones((3, 1))),
            lissom.Skin(np.zeros(70_001, int), np.tile(np.eye(4, dtype=np.float32), (70_001, 1, 1))),
        ),
        "names 65536 palette rows at most, got one that uses 70001",
    ),
    "huge bind matrix": (
        lambda: character_of(None, lissom.Skin([0], np.diag([1e39, 1, 1, 1.0])[None])),
        "joint_from_bind must fit single precision, got 1e\\+39 in row 0",
    ),
    "huge key": (
        lambda: with_clip((0, TRANSLATION, LINEAR, [0], [[0, 1e39, 0]]), dtype=np.float64),
        "keys must fit single precision, got 1e\\+39 in the translation of 'a' in clip 'c'",
    ),
    "times too close": (
        lambda: with_clip((1, TRANSLATION, LINEAR, [1, 1 + 1e-9], np.eye(3)[:2]), dtype=np.float64),
        "key times must differ in single precision, .* in clip 'c'",
    ),
    "times too late": (
        lambda: with_clip((1, TRANSLATION, LINEAR, [1e39, 2e39], np.eye(3)[:2]), dtype=np.float64),
        "key times must differ in single precision, .* in clip 'c'",
    ),
    "not a number": (
        lambda: with_clip((1, TRANSLATION, LINEAR, [0], [[0, np.nan, 0]])),
        "finite",
    ),
    "times that fall": (
        lambda: with_clip((1, TRANSLATION, LINEAR, [1, 0], np.eye(3)[:2])),
        "increase",
    ),
    "cubic rotation through zero": (
        # (s - 1/2, (s - 1/2)^2, 0, 0) times 4
        lambda: with_clip(
            (
                1,
                ROTATION,
                CUBICSPLINE,
                [0, 1],
                [[[4, 4 * v, 0, 0], [2 * v, 1, 0, 0], [4, 4 * v, 0, 0]] for v in (-1, 1)],
            )
        ),
        "pass through zero where keys are not unit, got length 2.23607 at key 0 of the rotation of 'b' in",
    ),
    "surrogate": (
        lambda: lissom.Character("x", skeleton("a\ud800"), None, None),
        "names must be text that UTF-8 can hold",
    ),
}


@pytest.mark.parametrize("name", UNSAVEABLE)
def test_what_glb_cannot_hold_is_refused_before_anything_is_written(name, tmp_path):
    make, message = UNSAVEABLE[name]
    target = tmp_path / "x.glb"
    target.write_bytes(b"old")
    with pytest.raises(ValueError, match=message):
        lissom.save_glb(make(), target)
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["x.glb"]
    file = io.BytesIO()
    with pytest.raises(ValueError, match=message):
        lissom.save_glb(make(), file)
    assert not file.getvalue()


def test_clips_must_fit():
    hero = lissom.samples.humanoid()
    other = lissom.samples.twisted_bar()
    with pytest.raises(ValueError, match=r"no clip is named 'wlak'.*walk"):
        lissom.save_glb(hero, clips=["wlak"])
    with pytest.raises(ValueError, match="different names, got 'walk' twice"):
        lissom.save_glb(hero, clips=["walk", hero.clips["walk"]])
    with pytest.raises(ValueError, match="joints from its rest pose, got 'twist' of another skeleton"):
        lissom.save_glb(hero, clips=[next(iter(other.clips.values()))])
    with pytest.raises(TypeError, match="clips must be several clips or their names, got 'walk'"):
        lissom.save_glb(hero, clips="walk")
    with pytest.raises(TypeError, match="clips must be clips or their names, got int"):
        lissom.save_glb(hero, clips=[3])
    with pytest.raises(TypeError, match="character must be a Character, got str"):
        lissom.save_glb("hero.glb", "x.glb")


# Where it is saved


@pytest.fixture
def bar() -> lissom.Character:
    return lissom.samples.twisted_bar()


def test_saves_to_paths_and_files(bar, tmp_path):
    data = lissom.save_glb(bar)
    assert isinstance(data, bytes)
    path = tmp_path / "bar.glb"
    assert lissom.save_glb(bar, path) is None
    assert path.read_bytes() == data
    lissom.save_glb(bar, str(path))
    assert os.listdir(tmp_path) == ["bar.glb"]
    for buffering in (-1, 0):
        with open(path, "wb", buffering=buffering) as file:
            file.write(b"!")
            lissom.save_glb(bar, file)
        assert path.read_bytes() == b"!" + data


def test_text_files_are_refused(bar, tmp_path):
    with (
        open(tmp_path / "x", "w") as file,
        pytest.raises(TypeError, match=r"opened in binary mode.*TextIOWrapper"),
    ):
        lissom.save_glb(bar, file)
    with pytest.raises(TypeError, match="a path, a file opened in binary mode or None, got int"):
        lissom.save_glb(bar, 3)


@pytest.mark.parametrize("name", ["bar.gltf", "bar.GLTF"])
def test_a_name_for_the_other_kind_of_file_is_refused(bar, tmp_path, name):
    for path in (tmp_path / name, str(tmp_path / name)):
        with pytest.raises(ValueError, match=r"save_glb: path must not end in \.gltf.*end it in \.glb"):
            lissom.save_glb(bar, path)
    assert not list(tmp_path.iterdir())


def test_a_place_that_cannot_be_written_is_an_oserror(bar, tmp_path):
    with pytest.raises(FileNotFoundError, match="no/such"):
        lissom.save_glb(bar, tmp_path / "no" / "such" / "x.glb")
    folder = tmp_path / "folder.glb"
    folder.mkdir()
    (folder / "kept").write_bytes(b"kept")
    with pytest.raises(OSError, match=r"folder\.glb"):
        lissom.save_glb(bar, folder)
    assert (folder / "kept").read_bytes() == b"kept"
    assert os.listdir(tmp_path) == ["folder.glb"]


@pytest.mark.skipif(sys.platform == "win32", reason="resource limits are of POSIX")
def test_a_full_disk_leaves_the_old_file(bar, tmp_path):
    path = tmp_path / "bar.glb"
    path.write_bytes(b"old")
    code = (
        "import resource, signal, sys, lissom; bar = lissom.samples.twisted_bar();"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096));"
        "lissom.save_glb(bar, sys.argv[1])"
    )
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True)
    assert "OSError: [Errno 27]" in done.stderr
    assert str(path) in done.stderr
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["bar.glb"]


def test_a_file_that_fails_says_so(bar):
    class Full(io.BytesIO):
        def write(self, data):
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        lissom.save_glb(bar, Full())
