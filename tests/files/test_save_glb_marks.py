# SPDX-License-Identifier: MIT
"""Marks in saved files: what other tools drop, break or invent is noted, and nothing else."""

import base64
import struct

import numpy as np
import pytest

import lissom
from glb_contents import contents, rewritten, with_contents
from gltf_files import arm
from lissom.clip import LINEAR, TRANSLATION
from lissom.errors import GltfError
from saved_characters import CASES, clip_of, skeleton


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


def test_a_method_that_there_is_not_is_noted():
    data = lissom.save_glb(CASES["painted"]())

    def invent(root):
        root["scenes"][0]["extras"]["lissom"]["method"] = "magic"

    back = lissom.load(rewritten(data, invent), strict=True)
    assert back.method == "linear"
    assert [(one.code, one.pointer) for one in back.repairs] == [("EXTRAS_IGNORED", "/scenes/0/extras")]
    assert "'magic'" in back.repairs[0].message
    assert back.skeleton.names == CASES["painted"]().skeleton.names  # the rest of the mark holds


def broken_blend(how):
    """Damage what is painted on the first of four parts."""

    def change(root):
        attributes = root["meshes"][0]["primitives"][0]["attributes"]
        accessor = root["accessors"][attributes["_LISSOM_BLEND"]]
        if how == "no numbers from 0 to 1":
            attributes["_LISSOM_BLEND"] = accessor_of_large_numbers(root)
        elif how == "too few":
            accessor["count"] -= 1
        elif how == "three each":
            attributes["_LISSOM_BLEND"] = attributes["POSITION"]
        else:
            del attributes["_LISSOM_BLEND"]

    return change


def accessor_of_large_numbers(root):
    """The positions' first numbers, some of which are beyond 1 or below 0."""
    attributes = root["meshes"][0]["primitives"][0]["attributes"]
    positions = root["accessors"][attributes["POSITION"]]
    root["accessors"].append({**positions, "type": "SCALAR"})
    del root["accessors"][-1]["min"], root["accessors"][-1]["max"]
    return len(root["accessors"]) - 1


@pytest.mark.parametrize("how", ["no numbers from 0 to 1", "too few", "three each", "dropped"])
def test_a_blend_that_another_tool_broke_is_not_used_there(how):
    character = CASES["painted"]()
    back = lissom.load(rewritten(lissom.save_glb(character), broken_blend(how)))
    first = character.mesh.parts[0].vertices
    np.testing.assert_array_equal(back.blend[first], 0)
    np.testing.assert_array_equal(back.blend[first.stop :], character.blend[first.stop :])
    noted = [] if how == "dropped" else ["ATTRIBUTE_IGNORED"]
    assert [one.code for one in back.repairs] == noted


def test_a_blend_survives_a_tool_that_drops_extras():
    """As a modeller exports it: the attribute on a mesh like any other."""
    character = CASES["painted"]()
    root = contents(data := lissom.save_glb(character))
    for table in ("nodes", "skins", "scenes"):
        for thing in root[table]:
            thing.pop("extras", None)
    back = lissom.load(with_contents(data, root))
    assert back.method == "linear"
    np.testing.assert_array_equal(np.sort(back.blend), np.sort(character.blend))


def test_what_is_linear_and_unpainted_says_nothing():
    root = contents(lissom.save_glb(lissom.samples.humanoid()))
    assert root["scenes"][0]["extras"] == {"lissom": {"joints": "all"}}
    assert not any("_LISSOM_BLEND" in p["attributes"] for mesh in root["meshes"] for p in mesh["primitives"])


def test_a_prepared_character_keeps_its_blend():
    hero = lissom.samples.humanoid()
    hero.blend = np.linspace(0, 1, hero.mesh.vertex_count)
    prepared = hero.prepared()
    np.testing.assert_array_equal(lissom.load(lissom.save_glb(prepared)).blend, prepared.blend)
