# SPDX-License-Identifier: MIT
"""Characters and bakes as players: pages, files, cells of notebooks."""

import base64
import hashlib
import html
import json
import re

import numpy as np
import pytest

import lissom
from lissom.player import Player
from lissom.player._container import from_bytes
from lissom.player._packing import unpacked


@pytest.fixture(scope="module")
def tube():
    return lissom.samples.two_bone_tube()


@pytest.fixture(scope="module")
def player(tube):
    return tube.show("twist")


def told(player):
    return json.loads(from_bytes(player.bundle)[1]["player"])


def held(page):
    (text,) = re.findall(r'<script type="text/plain" id="bundle">([^<]*)</script>', page)
    return text


def test_page_holds_the_bundle(player):
    assert unpacked(held(player.html)) == player.bundle


def test_page_asks_no_network_for_anything(player):
    page = player.html
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    outside = re.findall(r"""(?:src|href)=["']?(?!data:)[^"' >]+""", page.split("<script", 1)[0])
    assert outside == []
    assert len(re.findall(r"<script", page)) == 3  # two hold data, one runs
    svg = "http://www.w3.org/2000/svg"  # its name, which nobody asks for
    assert "http://" not in page.replace(svg, "")
    assert "https://" not in page


def test_policy_names_the_one_script_by_its_hash(player):
    (script,) = re.findall(r"<script>(.*?)</script>", player.html, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in player.html


def test_titles_and_states_cannot_end_their_elements(tube):
    evil = '</script><script>alert("1")</script>&'
    clip = lissom.Clip.from_poses(tube.skeleton, [0.0], [tube.skeleton.rest], name=evil)
    page = tube.show(clip, title=evil, clip=evil).html
    assert "<script>alert" not in page
    assert f"<title>{html.escape(evil)}</title>" in page
    (options,) = re.findall(r'id="options">(.*?)</script>', page)
    assert json.loads(options)["state"]["clip"] == evil
    assert json.loads(from_bytes(unpacked(held(page)))[1]["player"])["clips"][0]["name"] == evil


def test_scripts_keep_their_ends():
    from lissom.player._page import without_end_tags

    assert without_end_tags('a = "</script>" + "</SCRIPT" + "<!--" + "</p>";') == (
        r'a = "<\/script>" + "<\/SCRIPT" + "<\!--" + "</p>";'
    )


def test_humanoid_page_is_under_400_kB():
    page = lissom.samples.humanoid().show().html
    assert len(page) < 400_000


@pytest.mark.gl
def test_still_is_the_moment_that_the_state_names(tube):
    stage_size = {"width": 64, "height": 48}
    still = tube.show("twist", time=0.5, method="dual_quat", **stage_size).still
    bake = lissom.bake(tube, "twist")
    instances = lissom.gpu.plain_instances(1)
    instances["time"] = 0.5
    with (
        lissom.gpu.Stage(64, 48) as stage,
        lissom.gpu.Crowd(bake, 1, stage=stage, instances=instances, method="dual_quat") as crowd,
    ):
        np.testing.assert_array_equal(still.array, stage.render(crowd).array)
    turned = tube.show("twist", time=0.5, camera={"azimuth": 80.0}, **stage_size).still
    assert (turned.array != still.array).any()


@pytest.mark.gl
def test_notebooks_get_a_frame_a_picture_and_words(player):
    shown = player._repr_mimebundle_()
    assert set(shown) == {"text/html", "image/png", "text/plain"}
    assert shown["image/png"].startswith(b"\x89PNG")
    assert shown["text/plain"] == repr(player)
    frame = shown["text/html"]
    assert '<iframe title="two_bone_tube" sandbox="allow-scripts" ' in frame
    (inside,) = re.findall(r'srcdoc="([^"]*)"', frame)
    assert html.unescape(inside) == player.html
    assert '<img alt="two_bone_tube" src="data:image/jpeg;base64,' in player.html
    # Untrusted notebooks remove frames; the still remains.
    left = re.sub(r"<iframe .*?</iframe>", "", frame, flags=re.DOTALL)
    assert re.fullmatch(
        r'<div style="[^"]*"><img alt="two_bone_tube" style="[^"]*" src="data:image/jpeg;[^"]*"></div>',
        left,
    )


@pytest.mark.parametrize("method", ["linear", "dual_quat", "side_by_side"])
def test_where_there_is_no_gl_the_still_is_drawn_by_numpy(tube, monkeypatch, method):
    def missing(*arguments):
        raise lissom.errors.GpuError("no OpenGL here")

    monkeypatch.setattr("lissom.player._show._Moment._drawn", missing)
    still = tube.show("twist", method=method, time=0.6, camera={"azimuth": 60.0}, width=720, height=480).still
    assert still.shape == (240, 360, 3)
    corner = still.array[0, 0].astype(int)
    covered = np.abs(still.array.astype(int) - corner).max(axis=-1) > 40
    assert 0.02 < covered.mean() < 0.5  # a tube on a plain ground


def test_without_a_still_the_page_goes_without(tube):
    player = Player(tube.show("twist").bundle)
    assert player.still is None
    assert "<img" not in player.html.split("<script", 1)[0]
    assert set(player._repr_mimebundle_()) == {"text/html", "text/plain"}


def test_save_writes_the_page_whole_or_not_at_all(player, tmp_path, monkeypatch):
    path = player.save(tmp_path / "tube.html")
    assert path.read_text(encoding="utf-8") == player.html
    with pytest.raises(ValueError, match=r"Player.save: path must end in .html, got 'tube.png'"):
        player.save(tmp_path / "tube.png")
    assert [file.name for file in tmp_path.iterdir()] == ["tube.html"]


@pytest.mark.parametrize("name", ["tube.html", "tube.htm", "TUBE.HTML"])
def test_bakes_are_saved_as_pages_by_their_suffix(tube, tmp_path, name):
    bake = lissom.bake(tube)
    bake.save(tmp_path / name)
    page = (tmp_path / name).read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert unpacked(held(page)) == bake.show().bundle


def test_loaded_bakes_have_bones_too(tube, tmp_path):
    bake = lissom.bake(tube)
    bake.save(tmp_path / "tube.safetensors")
    loaded = lissom.load_bake(tmp_path / "tube.safetensors")
    assert told(loaded.show())["bones"] == told(bake.show())["bones"] != []


def test_state_reaches_the_page(tube):
    camera = lissom.gpu.Camera((0, 1, 0), 3.0)
    player = tube.show(
        method="side_by_side",
        clip="twist",
        time=np.float32(0.5),
        skeleton=np.bool_(True),
        camera=camera,
        count=9,
    )
    (options,) = re.findall(r'id="options">(.*?)</script>', player.html)
    state = json.loads(options)["state"]
    assert state == {
        "method": "side_by_side",
        "clip": "twist",
        "time": 0.5,
        "skeleton": True,
        "count": 9,
        "camera": {
            "target": [0.0, 1.0, 0.0],
            "distance": 3.0,
            "azimuth": 35.0,
            "elevation": 15.0,
            "field_of_view": 30.0,
        },
    }


def test_without_clips_the_rest_pose_is_shown(tube):
    bare = lissom.Character("bare", tube.skeleton, tube.mesh, tube.skin)
    (clip,) = told(bare.show())["clips"]
    assert (clip["name"], clip["frame_count"], clip["duration"]) == ("rest", 1, 0.0)


def test_a_pose_can_be_shown(tube):
    pose = tube.clips["twist"].sample(0.5)
    player = tube.show(pose=pose)
    (clip,) = told(player)["clips"]
    assert clip["name"] == "pose"
    texels = from_bytes(player.bundle)[0]["texels"]
    wanted = tube.skin.palette(tube.skeleton.model_matrices(pose)).dual_quats
    np.testing.assert_allclose(texels[0].reshape(-1, 8), wanted, atol=1e-3)


def test_without_a_mesh_the_skeleton_is_shown(tube):
    bones = lissom.Character("bones", tube.skeleton, None, None, tube.clips)
    player = bones.show()
    arrays, _ = from_bytes(player.bundle)
    assert len(arrays["triangles"]) > 0
    assert told(player)["palette_rows"] == len(tube.skeleton)
    alone = lissom.bake(tube, include_mesh=False).show()
    assert len(from_bytes(alone.bundle)[0]["triangles"]) == 16  # a bone, and a knob at its end


def test_a_character_that_skins_otherwise_starts_linear(tube):
    other = lissom.Character("cor", tube.skeleton, tube.mesh, tube.skin, tube.clips)
    other.method = "cor"
    assert told(other.show())["method"] == "linear"
    other.method = "dual_quat"
    assert told(other.show())["method"] == "dual_quat"


REFUSALS = [
    ({"clips": "jump"}, ValueError, "^Character.show: no clip is named 'jump'"),
    ({"clips": 3}, TypeError, "^Character.show: clips must be names or Clip objects, got int"),
    ({"clips": ["bend", "bend"]}, ValueError, "^Character.show: clips must have different .* 'bend' twice"),
    ({"clips": []}, ValueError, "^Character.show: clips must hold at least one clip, got none"),
    (
        {"clips": "twist", "pose": np.zeros((2, 10))},
        ValueError,
        "Character.show: pose must be omitted where clips are passed, got both",
    ),
    (
        {"pose": np.zeros((3, 10))},
        ValueError,
        r"Character.show: pose must have shape \(2, 10\), one pose, got",
    ),
    ({"clip": "jump"}, ValueError, "Character.show: no clip is named 'jump'"),
    ({"method": "cor"}, ValueError, "Character.show: no method is named 'cor'"),
    ({"color": "red"}, ValueError, "Character.show: no color is named 'red'"),
    ({"row": "red"}, ValueError, "Character.show: no palette row is named 'red'"),
    ({"colour": "surface"}, TypeError, "Character.show: .*state.*'colour'"),
    ({"time": "now"}, TypeError, "Character.show: time must be a number, got str"),
    ({"speed": np.nan}, ValueError, "Character.show: speed must be finite, got nan"),
    ({"count": 2.5}, (TypeError, ValueError), "Character.show: count"),
    ({"skeleton": 1}, TypeError, "Character.show: skeleton must be True or False, got int"),
    ({"camera": 3}, TypeError, "Character.show: camera must be a lissom.gpu.Camera, or some of target, "),
    ({"camera": {"fov": 3}}, TypeError, "Character.show: camera must be"),
    ({"camera": {"azimuth": "left"}}, TypeError, "Character.show: camera azimuth must be a number, got str"),
    (
        {"camera": {"target": [0, 1]}},
        ValueError,
        r"Character.show: camera target must be 3 finite numbers, got \[0.0, 1.0\]",
    ),
    ({"width": 0}, ValueError, "Character.show: width must be at least 1, got 0"),
]


@pytest.mark.parametrize(("options", "error", "sentence"), REFUSALS, ids=[str(r[0])[:24] for r in REFUSALS])
def test_refusals(tube, options, error, sentence):
    with pytest.raises(error, match=sentence):
        tube.show(**options)


def test_additive_clips_are_refused(tube):
    added = lissom.make_additive(tube.clips["bend"])
    with pytest.raises(ValueError, match=r"^Character\.show: clip 'bend' must hold poses, got an additive"):
        tube.show(added)


def test_a_player_has_pixels():
    with pytest.raises(ValueError, match="Player: height must be at least 1, got 0"):
        lissom.player.Player(b"", height=0)


def test_linear_bakes_have_nothing_to_put_side_by_side(tube):
    bake = lissom.bake(tube, layout="matrix")
    with pytest.raises(ValueError, match=r"PoseTexture\.show: no method is named 'side_by_side'"):
        bake.show(method="side_by_side")


def test_a_bake_of_nothing_visible_says_so(tube):
    bake = lissom.bake(tube, include_mesh=False)
    blind = lissom.PoseTexture(bake.texels, bake.clips, bake.joints, bake.report, skin=bake.skin)
    with pytest.raises(ValueError, match="the bake must hold a mesh, or the parents of its"):
        blind.show()


def test_a_character_of_nothing_says_so():
    empty = lissom.Character("empty", lissom.Skeleton([], [], np.zeros((0, 10))), None, None)
    with pytest.raises(ValueError, match=r"Character\.show: 'empty' must have joints"):
        empty.show()
