# SPDX-License-Identifier: MIT
import pickle
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import lissom
from gltf_files import File, arm, triangle


def hero() -> lissom.Character:
    """The arm with two more parts: a rigid flag, and a second primitive of the body."""
    file = arm()
    body = file.json["meshes"][0]
    body["primitives"].append(dict(body["primitives"][0], material=0))
    file.json["materials"] = [{"name": "cloth"}]
    flag = file.push("meshes", {"primitives": [{"attributes": {"POSITION": file.add(np.eye(3))}}]})
    file.json["nodes"][2]["children"] = [file.push("nodes", {"name": "flag", "mesh": flag})]
    return lissom.load(file.glb())


def names(character: lissom.Character) -> list[str]:
    assert character.mesh is not None
    return [part.name for part in character.mesh.parts]


def test_parts_can_be_left_out_and_kept() -> None:
    whole = hero()
    assert whole.mesh is not None
    assert names(whole) == ["flag", "body/0", "body/cloth"]
    vertices = whole.deform(whole.skeleton.rest)
    for character, kept in (
        (whole.without("flag"), ["body/0", "body/cloth"]),
        (whole.without("body"), ["flag"]),
        (whole.only("flag", "body/cloth"), ["flag", "body/cloth"]),
        (whole.without(), ["flag", "body/0", "body/cloth"]),
    ):
        assert names(character) == kept
        assert character.mesh is not None
        assert character.skeleton is whole.skeleton
        assert character.skin is whole.skin
        assert character.clips["bend"] is whole.clips["bend"]
        moved = character.deform(whole.skeleton.rest)
        assert character.mesh.parts[-1].vertices.stop == len(moved)
        for part in character.mesh.parts:
            source = next(one for one in whole.mesh.parts if one.name == part.name)
            np.testing.assert_array_equal(moved[part.vertices], vertices[source.vertices])
            corners = character.mesh.positions[character.mesh.triangles[part.triangles]]
            expected = whole.mesh.positions[whole.mesh.triangles[source.triangles]]
            np.testing.assert_array_equal(corners, expected)


def test_unknown_parts_are_refused() -> None:
    with pytest.raises(ValueError, match=r"without: no part is named 'hat'; there are: 'flag', 'body/0'"):
        hero().without("hat")
    with pytest.raises(ValueError, match="only: no part is named 'bod'"):
        hero().only("bod")
    with pytest.raises(ValueError, match=r"without: no part is named 'Body/O'; did you mean 'body/0'"):
        hero().without("Body/O")
    with pytest.raises(ValueError, match="no part would be left"):
        hero().without("flag", "body")


def test_clips_are_a_read_only_mapping() -> None:
    clips = hero().clips
    assert len(clips) == 1
    assert list(clips) == ["bend"]
    assert clips._ipython_key_completions_() == ["bend"]  # what IPython offers behind clips["
    assert clips["bend"] is clips["bend"]
    assert "walk" not in clips
    assert clips.get("walk") is None
    with pytest.raises(KeyError, match="no clip is named 'walk'; there are: 'bend'"):
        clips["walk"]
    with pytest.raises(TypeError):
        clips["bend"] = None


def test_deform_names_what_is_no_pose() -> None:
    for wrong in ("bend", 1j, None):
        with pytest.raises(TypeError, match=r"^Character\.deform: poses must be an array of real numbers"):
            hero().deform(wrong)


def test_deform_takes_batches_methods_and_normals() -> None:
    character = hero()
    assert character.mesh is not None
    poses = character.clips["bend"].sample(np.linspace(0, 1, 6).reshape(2, 3))
    linear = character.deform(poses)
    assert linear.shape == (2, 3, 9, 3)
    assert character.method == "linear"
    out = np.empty_like(linear)
    assert character.deform(poses, out=out) is out
    np.testing.assert_array_equal(out, linear)
    character.method = "dual_quat"
    assert np.abs(character.deform(poses) - linear).max() > 1e-3
    np.testing.assert_array_equal(character.deform(poses, "linear"), linear)
    assert character.without("flag").method == "dual_quat"
    with pytest.raises(ValueError, match=r"Character.method must be one of .*linear.*, got 'cubic'"):
        character.method = "cubic"


@pytest.mark.parametrize("method", lissom.skinning.METHODS)
def test_no_poses_give_no_vertices_and_no_normals(method: str) -> None:
    hero = lissom.samples.two_bone_tube()
    poses = hero.skeleton.rest[None][:0]
    blend = np.full(hero.mesh.vertex_count, 0.5) if method == "blended" else None
    shape = (0, hero.mesh.vertex_count, 3)
    assert hero.deform(poses, method, blend=blend).shape == shape
    for normals in (True, "rotate", "cofactor", "faces"):
        found = hero.deform(poses, method, normals=normals, blend=blend)
        assert [one.shape for one in found] == [shape, shape]


def test_size_is_that_of_the_rest_pose() -> None:
    file = triangle()
    assert lissom.load(file.glb()).size == pytest.approx(np.sqrt(2))
    bones = File()
    bones.json["nodes"] = [{"children": [1]}, {"translation": [0, 3, 4]}]
    bones.json["skins"] = [{"joints": [0, 1]}]
    bones.json["scenes"] = [{"nodes": [0]}]
    assert lissom.load(bones.gltf()).size == pytest.approx(5)


def test_characters_survive_pickling() -> None:
    character = hero()
    copy = pickle.loads(pickle.dumps(character))
    pose = character.clips["bend"].sample(0.5)
    np.testing.assert_array_equal(copy.clips["bend"].sample(0.5), pose)
    np.testing.assert_array_equal(copy.deform(pose), character.deform(pose))
    assert copy.repairs == character.repairs


def test_pickling_searches_no_other_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    class Nosy(types.ModuleType):
        def __getattr__(self, name: str) -> None:
            asked.append(name)
            raise AttributeError(name)

    # What says no module of its own, pickle looks for in all that are loaded: slow, and some of them warn.
    monkeypatch.setitem(sys.modules, "nosy", Nosy("nosy"))
    pickle.dumps(hero())  # whose clips nobody has asked for yet
    assert not asked


def test_made_by_hand() -> None:
    loaded = hero()
    clip = loaded.clips["bend"]
    made = lissom.Character("made", loaded.skeleton, loaded.mesh, loaded.skin, [clip])
    assert made.clips["bend"] is clip
    assert repr(made) == "Character('made', 5 joints, 9 vertices, 1 clip)"
    with pytest.raises(ValueError, match="a mesh needs a skin"):
        lissom.Character("made", loaded.skeleton, loaded.mesh, None)
    with pytest.raises(ValueError, match="the skin names joint 99"):
        lissom.Character("made", loaded.skeleton, None, lissom.Skin([99], np.eye(4)[None]))
    with pytest.raises(ValueError, match="the mesh uses 3 palette rows, the skin has 1"):
        lissom.Character("made", loaded.skeleton, loaded.mesh, lissom.Skin([0], np.eye(4)[None]))


def test_views_outlive_the_file(tmp_path: Path) -> None:
    path = tmp_path / "arm.glb"
    path.write_bytes(arm().glb())
    clip = lissom.load(path).clips["bend"]
    path.unlink()
    np.testing.assert_allclose(clip.sample(0.0)[2, 3:7], [0, 0, 0, 1], rtol=0, atol=2e-7)


def test_a_changed_source_does_not_change_the_character() -> None:
    data = bytearray(arm().glb())
    character = lissom.load(data)
    before = character.clips["bend"].sample(0.5)
    data[:] = bytes(len(data))
    np.testing.assert_array_equal(character.clips["bend"].sample(0.5), before)
