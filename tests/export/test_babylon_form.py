# SPDX-License-Identifier: MIT
"""The form "babylon": what its files hold, by Babylon's own rules. What a browser draws: tests/browser."""

import base64
import gc
import json
import re
import subprocess
import weakref

import numpy as np
import pytest

import lissom
import morph_faces
from glb_contents import contents
from lissom._export import babylon
from lissom._export.babylon_texture import rounds_of
from lissom._export.bind_figure import bind_figure
from node_tools import NODE, needs_node

ROUNDING = {"float32": 1e-6, "float16": 2.0**-10}  # of matrices, relative to numbers of about 1


@pytest.fixture(scope="module")
def hero():
    return lissom.samples.humanoid()


def baked_of(folder, name):
    """The JSON, and its matrices (rows, bones + 1, 4, 4) as columns."""
    baked = json.loads((folder / f"{name}.json").read_text("utf-8"))
    numbers = np.frombuffer(base64.b64decode(baked["vertexData"]), baked["lissom"]["dtype"])
    return baked, numbers.reshape(baked["height"], baked["width"] // 4, 4, 4).astype(np.float64)


@pytest.mark.parametrize("dtype", list(ROUNDING))
def test_rows_are_the_palettes_of_the_frames(hero, tmp_path, dtype):
    bake = lissom.bake(hero, ["walk", "wave"], rate=30, dtype="float32")
    report = bake.export("babylon", tmp_path / "hero", dtype=dtype, source=hero)
    baked, rows = baked_of(tmp_path / "hero", "hero")
    assert set(baked) == {"vertexData", "width", "height", "lissom"}
    assert rows.shape[:2] == (sum(clip.frame_count for clip in bake.clips.values()), len(hero.skin) + 1)
    np.testing.assert_array_equal(rows[:, -1], np.broadcast_to(np.eye(4), (len(rows), 4, 4)))
    for name, clip in bake.clips.items():
        told = baked["lissom"]["clips"][name]
        first, last, offset, speed = told["settings"]
        assert (last - first + 1) / speed == pytest.approx(clip.duration)  # a round lasts the clip
        assert offset == 0
        times = clip.start + np.arange(clip.frame_count) / clip.rate
        palette = hero.skin.palette(hero.skeleton.model_matrices(hero.clips[name].sample(times, loop=False)))
        wanted = np.swapaxes(palette.matrices, -1, -2)
        np.testing.assert_allclose(rows[first : last + 1, :-1], wanted, atol=2 * ROUNDING[dtype])
    assert report.playback == "snap"
    assert sorted(report.files) == ["hero.glb", "hero.json", "index.html"]


def test_the_settings_are_in_the_readme(hero, tmp_path):
    bake = lissom.bake(hero, ["walk", "run"], rate=30)
    bake.export("babylon", tmp_path / "hero")
    readme = (tmp_path / "hero" / "README.md").read_text("utf-8")
    told = baked_of(tmp_path / "hero", "hero")[0]["lissom"]["clips"]
    for name, clip in told.items():
        (row,) = re.findall(rf"^\| {name} \| `(.*?)`", readme, re.MULTILINE)
        assert [float(number) for number in row.split(", ")] == pytest.approx(clip["settings"], rel=1e-8)
    assert "baker.loadBakedVertexDataFromObject(baked)" in readme
    bake.export("babylon", tmp_path / "hero", dtype="float16")
    assert "new Uint16Array(BABYLON.DecodeBase64ToBinary" in (tmp_path / "hero" / "README.md").read_text(
        "utf-8"
    )


def test_rounds_show_whole_frames_and_later_ones_leave_out_the_first():
    """Four frames, of which three share a second from the second round on: worked out by hand."""
    rounds = rounds_of(0.0, 1.0, 4, 10)
    assert rounds.settings == [10, 13, 0, 4.0]
    first = [10, 10, 11, 11, 12, 12, 13, 13]
    assert rounds.shown((np.arange(8) + 0.5) / 8).tolist() == first
    later = [11, 11, 12, 12, 13, 13]
    for round_ in (1, 2, 7):
        assert rounds.shown(round_ + (np.arange(6) + 0.5) / 6).tolist() == later
    assert rounds.shown([1.01, 1.99], offset=1).tolist() == [12, 11]
    assert rounds.frame_times(middles=False) == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert rounds.frame_times(middles=True) == pytest.approx([0, 1 / 6, 3 / 6, 5 / 6])


def test_frames_in_the_middle_of_their_time_halve_the_error(hero, tmp_path):
    bake = lissom.bake(hero, ["walk", "run"], rate=30)
    errors = [
        bake.export("babylon", tmp_path / "hero", source=hero, first_round=first).error.max
        for first in (True, False)
    ]
    assert errors[1] == pytest.approx(errors[0] / 2, rel=0.05)


def test_another_rate_than_the_bake_has(hero, tmp_path):
    bake = lissom.bake(hero, "run", rate=30)
    bake.export("babylon", tmp_path / "hero", rate=120)
    _, rows = baked_of(tmp_path / "hero", "hero")
    assert len(rows) == int(np.ceil(120 * bake.clips["run"].duration - 1e-3)) + 1


@pytest.mark.parametrize("layout", ["matrix", "quat_trans", "trs", "rotations"])
def test_bakes_of_all_layouts_become_matrices(tmp_path, layout):
    bar = lissom.samples.twisted_bar()
    report = lissom.bake(bar, "bend", rate=60, layout=layout, dtype="float32").export(
        "babylon", tmp_path / "bar", source=bar
    )
    assert report.error.max_relative < 0.02


def test_a_still_clip_has_two_frames_as_one_cannot_go_round(hero, tmp_path):
    pose = hero.skeleton.rest[None]
    still = lissom.Clip.from_poses(hero.skeleton, [0.0], pose, name="still")
    character = lissom.Character("hero", hero.skeleton, hero.mesh, hero.skin, [still])
    report = lissom.bake(character).export("babylon", tmp_path / "hero", source=character)
    baked, rows = baked_of(tmp_path / "hero", "hero")
    assert baked["lissom"]["clips"]["still"]["settings"] == [0, 1, 0, 2.0]
    np.testing.assert_array_equal(rows[0], rows[1])
    assert report.error.max_relative < 1e-3


def test_the_mesh_is_valid_and_its_bones_are_those_of_the_texture(hero, tmp_path, asset):
    knight = lissom.load(asset("characters/kaykit/Knight.glb"))
    for character, clip in ((hero, "walk"), (knight, "Running_A")):
        folder = tmp_path / character.name
        bake = lissom.bake(character, clip, rate=30)
        bake.export("babylon", folder, name="it")
        root = contents((folder / "it.glb").read_bytes())
        (skin,) = root["skins"]
        names = [root["nodes"][node]["name"] for node in skin["joints"]]
        assert names == [bake.joints[joint] for joint in bake.skin.joints]
        assert baked_of(folder, "it")[0]["width"] == 4 * (len(names) + 1)
        above = {child: i for i, node in enumerate(root["nodes"]) for child in node.get("children", [])}
        tops = [node for node in skin["joints"] if above.get(node) not in skin["joints"]]
        assert len(tops) == 1  # Babylon makes a further bone of whatever joins several
        figure = lissom.load(folder / "it.glb")
        np.testing.assert_array_equal(figure.mesh.positions, character.mesh.positions)
        at_rest = figure.deform(figure.skeleton.rest)
        np.testing.assert_allclose(at_rest, figure.mesh.positions, atol=2e-6 * character.size)
        done = subprocess.run(
            ["node", "validate.js", folder / "it.glb"], cwd=NODE, capture_output=True, text=True
        )
        issues = json.loads(done.stdout)[str(folder / "it.glb")]
        assert [issue for issue in issues if issue["severity"] < 2] == []


test_the_mesh_is_valid_and_its_bones_are_those_of_the_texture.pytestmark = needs_node("gltf-validator")


def test_joints_stand_where_they_are_bound(hero):
    figure = bind_figure(lissom.bake(hero, "walk", rate=10), "hero")
    places = figure.skeleton.positions(figure.skeleton.rest)
    bound = np.linalg.inv(hero.skin.joint_from_bind.astype(np.float64))[:, :3, 3]
    np.testing.assert_allclose(places[figure.skin.joints], bound, atol=1e-6)
    for row, joint in enumerate(figure.skin.joints):
        above = figure.skeleton.parents[joint]
        if above >= 0:
            child = hero.skeleton.names[hero.skin.joints[row]]
            parent = hero.skeleton.parents[hero.skeleton.index(child)]
            assert figure.skeleton.names[above] == hero.skeleton.names[parent]


def test_what_it_cannot_hold_is_refused_with_the_form_that_can(hero, tmp_path):
    bar, face = lissom.samples.twisted_bar(), morph_faces.character()
    bent = lissom.bake(bar, "bend")
    far = lissom.bake(bar, "bend", dtype="float32").edited()
    far.texels[:, 0] = [[0, 0, 0, 1], [4e4, 0, 0, 0]]  # moved by twice as much
    cases = [
        (
            lissom.bake(face, "talk"),
            {},
            "keeps morph targets at their default weights, got clips that change them",
        ),
        (
            lissom.VertexAnimation.of_bake(bent, rate=5),
            {},
            "needs a bake, got an animation of vertices; use form",
        ),
        (bent, {"dtype": "uint8"}, "dtype must be one of float32, float16, got 'uint8'"),
        (bent, {"player": "three"}, "player must be one of babylon, lissom, got 'three'"),
        (bent, {"player": "lissom", "dtype": "float16"}, "dtype is an option for player 'babylon'"),
        (bent, {"player": "lissom", "first_round": False}, "first_round is an option for player 'babylon'"),
        (
            bent,
            {"player": "lissom", "rate": 20},
            "has the frames of the bake, got rate=20; bake with rate=20",
        ),
        (lissom.bake(bar, "bend", layout="matrix"), {"player": "lissom"}, "holds layout 'dual_quat', got"),
        (bent, {"count": 0}, "count must be at least 1, got 0"),
        (
            bent,
            {"rate": 3000},
            "holds 8192 frames of 2047 joints, got 12001 of 2; lower the rate, export fewer clips",
        ),
        (far, {"dtype": "float16"}, "got float16 for numbers up to 8e+04; take dtype='float32'"),
    ]
    for subject, options, words in cases:
        with pytest.raises(ValueError, match=re.escape(words)):
            subject.export("babylon", tmp_path / "out", **options)
    with pytest.raises(TypeError, match="first_round must be True or False, got int"):
        bent.export("babylon", tmp_path / "out", first_round=1)
    assert list(tmp_path.iterdir()) == []


def test_morph_targets_at_their_defaults_are_in_the_mesh(tmp_path):
    face = morph_faces.character()
    bake = lissom.bake(face, "talk").edited()
    bake.weights[:] = face.mesh.morphs.defaults
    bake.export("babylon", tmp_path / "face")
    drawn = lissom.load(tmp_path / "face" / "face.glb").mesh
    wanted = face.deform(face.skeleton.rest, morphs=face.mesh.morphs.defaults)
    assert drawn.morphs is None
    np.testing.assert_allclose(drawn.positions, wanted, atol=1e-5)


def test_nothing_of_an_export_is_kept(hero, tmp_path, monkeypatch):
    found, read = [], babylon._read

    def watched(folder, name):
        played = read(folder, name)
        found.append(weakref.ref(played))
        return played

    monkeypatch.setattr(babylon, "_read", watched)
    lissom.bake(hero, ["walk", "run"], rate=30).export("babylon", tmp_path / "hero")
    gc.collect()
    assert len(found) == 1  # read once for both clips
    assert found[0]() is None


def test_with_our_player_the_folder_holds_the_bake_its_player_and_a_page(hero, tmp_path):
    bake = lissom.bake(hero, ["walk", "run"], rate=30)
    report = bake.export("babylon", tmp_path / "a<b>", player="lissom", count=12, source=hero)
    folder = report.folder
    np.testing.assert_array_equal(lissom.load_bake(folder / "a<b>.safetensors").texels, bake.texels)
    page = (folder / "index.html").read_text("utf-8")
    (settings,) = re.findall(r'id="settings">(.*?)</script>', page)
    assert json.loads(settings) == {"bake": "a%3Cb%3E.safetensors", "count": 12}
    assert "<title>a&lt;b&gt;</title>" in page
    modules = {path.name: path.read_text("utf-8") for path in (folder / "lissom-babylon").iterdir()}
    for text in modules.values():
        for name in re.findall(r'from "\./([\w.-]+)"', text):
            assert name in modules  # nothing that a module imports is missing
    assert {"index.js", "index.d.ts", "global.js", "LICENSE"} <= set(modules)
    assert report.playback == "interpolate"
    own = max(clip.error.max_relative for clip in bake.clips.values())
    assert report.error.max_relative == pytest.approx(own, rel=0.1)
