# SPDX-License-Identifier: MIT
"""The form "godot": what is in its files.

Their error: test_joint_forms.py. What Godot draws: test_godot.py.
"""

import base64
import fnmatch
import json
import re
import zlib

import numpy as np
import pytest

import godot_engine
import lissom
from lissom._export.godot import packaged
from lissom._formats import godot_resource
from lissom._formats.godot_resource import Internal, Numbers, Resource
from reference.godot_player import GodotPlayer, image

# An ImageTexture of 2 x 1 pixels of halves, as Godot 4.6.3 wrote it.
BY_GODOT = zlib.decompress(
    base64.b85decode(
        "c-obbv2MaZ42Cahp)eG6U_f-}BT%Uu>QWdeYs!8)B_=s3N1{6;cre}%e8!QYcB-XMy8L$R-*Wbot(C+hF%+JOtur"
        "O;;EYEPU5$Dmt`h1WF(77yhtM2-4!Uk~Q)_H=$l(BL($5`?1OB5hXw(xuLhfygY|Tbn+%qMn1h-l)7Hn9*`|{(YM"
        "#+8d>+ifQqyYog>LO*sZeMO1nTzRxWKXuhiq}s?jlL?dWrZv!J$c`FXOKU~M7CLdeVcmE!iaFTb*2s6O7#ZuzHjt"
        "+x$B>iM4}t==QgPvZzkrtJH_IR4txX6l}w`"
    )
)


@pytest.fixture(scope="module")
def hero():
    return lissom.samples.humanoid()


@pytest.fixture(scope="module")
def bake(hero):
    return lissom.bake(hero, ["walk", "wave"], rate=30)


def test_a_resource_of_godot_is_read_and_ours_is_like_it():
    picture, texture = godot_resource.decode(BY_GODOT)
    assert (picture.kind, texture.kind) == ("Image", "ImageTexture")
    assert texture.properties["image"] == Internal(0)
    told = picture.properties["data"]
    assert told["format"] == "RGBAHalf"
    np.testing.assert_array_equal(np.frombuffer(told["data"][:8], "<f2"), [0, 1, 0, 1])
    ours = godot_resource.decode(
        godot_resource.encode(
            [Resource("Image", {"data": told}), Resource("ImageTexture", {"image": Internal(0)})]
        )
    )
    assert ours[0].properties["data"] == told
    assert ours[1].properties["image"] == Internal(0)


def test_every_value_of_a_resource_comes_back():
    values = {
        "none": None, "yes": True, "small": -3, "large": 1 << 35, "half": 0.5, "word": "Ünï", "raw": b"12345",
        "list": [1, [2.0, {"a": b""}]], "box": Numbers("AABB", (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)),
    }  # fmt: skip
    (found,) = godot_resource.decode(godot_resource.encode([Resource("Thing", values)]))
    assert found == Resource("Thing", values)
    whole = godot_resource.encode([Resource("Thing", values)])
    for end in range(0, len(whole) - 8, 7):
        with pytest.raises(ValueError, match="godot_resource: "):
            godot_resource.decode(whole[:end] + b"RSRC")


def test_bytes_become_halves(hero, tmp_path):
    bake = lissom.bake(hero, "walk", rate=30, dtype="uint8")
    bake.export("godot", tmp_path / "hero")
    found = image(tmp_path / "hero" / "hero_poses.res").reshape(-1, 4)
    wanted = bake.sample_frames(np.arange(len(bake.texels))).dual_quats.reshape(-1, 4)
    np.testing.assert_allclose(found[: len(wanted)], wanted, atol=1e-3)
    assert (tmp_path / "hero" / "README.md").read_text().count("float16") == 1


def test_a_raised_right_arm_is_on_the_right_and_up(tmp_path):
    """A figure that cannot be mistaken: x is to the left of what looks along +z, y up."""
    corners = [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [-1, 1, 0.5]]
    mesh = lissom.Mesh(corners, [[0, 1, 2], [1, 3, 2]], [[0], [0], [0], [1]], np.ones((4, 1)))
    rest = np.zeros((2, 10), np.float32)
    rest[:, 6:] = 1
    bones = lissom.Skeleton(["body", "arm"], [-1, 0], rest)
    poses = np.repeat(rest[None], 2, axis=0)
    poses[1, 1, :3] = -0.25, 0.5, 0.125  # to its right, up, ahead
    raised = lissom.Clip.from_poses(bones, [0.0, 1.0], poses, name="raise", loop=False)
    skin = lissom.Skin([0, 1], np.tile(np.eye(4, dtype=np.float32), (2, 1, 1)))
    bake = lissom.bake(lissom.Character("arm", bones, mesh, skin, [raised]), rate=1, dtype="float32")
    bake.export("godot", tmp_path / "arm")
    player = GodotPlayer(tmp_path / "arm", "arm")
    np.testing.assert_allclose(player.vertices(0, 0, 0.0), corners, atol=1e-6)
    np.testing.assert_allclose(player.vertices(0, 0, 1.0)[3], [-1.25, 1.5, 0.625], atol=1e-6)
    assert player.surfaces[0][1].tolist() == [[0, 2, 1], [1, 2, 3]]  # clockwise, as Godot has fronts
    box = player.mesh["custom_aabb"].values
    np.testing.assert_allclose(box, [-1.25, 0, 0, 1.35, 1.5, 0.625], atol=1e-6)


def test_a_loop_wraps_and_what_plays_once_is_held(hero, bake, tmp_path):
    bake.export("godot", tmp_path / "hero")
    player = GodotPlayer(tmp_path / "hero", "hero")
    walk, wave = (bake.clips[name] for name in ("walk", "wave"))
    assert walk.loop
    assert not wave.loop
    np.testing.assert_allclose(
        player.vertices(0, 0, 0.2 + 3 * walk.duration), player.vertices(0, 0, 0.2), atol=1e-6
    )
    np.testing.assert_array_equal(
        player.vertices(0, 1, wave.duration + 1), player.vertices(0, 1, wave.duration)
    )
    told = re.search(
        r"^clips = Array\[Dictionary\]\((.*)\)$", (tmp_path / "hero/hero_crowd.tscn").read_text(), re.M
    )
    assert json.loads(told[1]) == [
        {"name": name, "start": clip.start, "duration": clip.duration, "loop": bool(clip.loop)}
        for name, clip in bake.clips.items()
    ]


def test_looks_are_materials(bar_of_looks, tmp_path):
    lissom.bake(bar_of_looks, "bend", rate=30).export("godot", tmp_path / "bar")
    files = {path.name: path for path in (tmp_path / "bar").iterdir()}
    player = GodotPlayer(tmp_path / "bar", "bar")
    assert [told["name"] for told in player.mesh["_surfaces"]] == ["plain", "glass", "leaf"]
    assert (tmp_path / "bar/bar_picture_0.png").read_bytes() == bar_of_looks.mesh.parts[2].texture.data
    plain, glass, leaf = (files[f"bar_material_{number}.tres"].read_text() for number in range(3))
    assert 'path="bar_opaque.gdshader"' in plain
    assert 'path="bar_blend_double_sided_unshaded.gdshader"' in glass
    assert 'path="bar_mask.gdshader"' in leaf
    assert 'path="bar_picture_0.png"' in leaf
    # sRGB of 0.5, 0.25 and 1, IEC 61966-2-1
    assert "base_color = Color(0.735356983, 0.53709873, 1, 0.4)" in glass
    assert "alpha_cutoff = 0.25" in leaf
    shader = files["bar_blend_double_sided_unshaded.gdshader"].read_text()
    assert "render_mode cull_disabled, unshaded;" in shader
    assert shader.index("#define ALPHA_BLEND") < shader.index('#include "bar_pose.gdshaderinc"')
    for name, path in files.items():  # nothing that a file names is missing
        if name.endswith((".tscn", ".tres")):
            for wanted in re.findall(r'path="(.*?)"', path.read_text()):
                assert wanted in files


@pytest.fixture
def bar_of_looks():
    import io

    from PIL import Image

    bar = lissom.samples.twisted_bar()
    file = io.BytesIO()
    Image.new("RGBA", (2, 2), "green").save(file, "PNG")
    count, half, end = bar.mesh.vertex_count, bar.mesh.triangle_count // 2, bar.mesh.triangle_count
    everything = slice(0, count)
    parts = [
        lissom.Part("plain", everything, slice(0, 10)),
        lissom.Part(
            "glass", everything, slice(10, half), base_color=(0.5, 0.25, 1.0, 0.4), alpha_mode="blend",
            double_sided=True, unlit=True,
        ),
        lissom.Part(
            "leaf", everything, slice(half, end - 10), alpha_mode="mask", alpha_cutoff=0.25,
            texture=lissom.Texture(file.getvalue(), "image/png"),
        ),
        lissom.Part("plain too", everything, slice(end - 10, end)),
    ]  # fmt: skip
    mesh = lissom.Mesh(
        bar.mesh.positions, bar.mesh.triangles, bar.mesh.indices, bar.mesh.weights,
        uvs=np.zeros((count, 2)), parts=parts,
    )  # fmt: skip
    return lissom.Character("bar", bar.skeleton, mesh, bar.skin, bar.clips)


def test_names_of_files_are_plain(tmp_path):
    bake = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30)
    report = bake.export("godot", tmp_path / "Ünï cödé")
    assert "_n_c_d_.tscn" in report.files
    assert all(name.isascii() and " " not in name for name in report.files)


def test_the_readme_lists_pictures_where_there_are_some(bar_of_looks, bake, tmp_path):
    for subject, name in ((lissom.bake(bar_of_looks, "bend"), "looks"), (bake, "plain")):
        report = subject.export("godot", tmp_path / name)
        readme = (tmp_path / name / "README.md").read_text("utf-8")
        for listed in re.findall(r"`([^` ]*\*[^` ]*)`", readme):
            assert any(fnmatch.fnmatch(file, listed) for file in report.files), listed
        assert any("_picture_" in file for file in report.files) == ("_picture_*" in readme)
        assert any("_picture_" in file for file in report.files) == ("Nothing but pictures" in readme)
        assert (name == "looks") == ("_picture_*" in readme)


def test_a_copy_of_godot_that_is_not_whole_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(godot_engine, "ENGINE", tmp_path)
    assert godot_engine.missing() == "Godot is not here; make consumers fetches it"
    (tmp_path / ".complete").touch()
    assert godot_engine.missing().startswith(f"Godot is not whole in {tmp_path}; remove that folder")
    (tmp_path / "usr" / "bin").mkdir(parents=True)
    (tmp_path / "usr" / "bin" / "godot").touch()
    assert "is not whole" in godot_engine.missing()  # folders to mount on are missing
    (tmp_path / "dev").mkdir()
    assert "is not whole" not in godot_engine.missing()


def test_asking_a_crowd_writes_nothing():
    """Numbers that are settled are uploaded again, all of them."""
    script = packaged("crowd.gd")
    functions = dict(re.findall(r"^func (\w+)\(.*?\n(.*?)(?=\n\n\n|\Z)", script, re.MULTILINE | re.DOTALL))
    for name in ("get_clip", "get_time", "get_fade", "_played", "_elapsed"):
        assert not re.search(r"_settle|_play\(|_is_changed|_numbers\[[^]]*\] [-+]?= ", functions[name]), name


def test_a_count_of_none_is_refused(bake, tmp_path):
    with pytest.raises(ValueError, match="count must be at least 1, got 0"):
        bake.export("godot", tmp_path / "out", count=0)
    assert list(tmp_path.iterdir()) == []
