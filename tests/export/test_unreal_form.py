# SPDX-License-Identifier: MIT
"""The form "unreal": its files, judged by a twin of its node. The node: tests/gpu/test_unreal_hlsl.py."""

import json
import re
import subprocess

import numpy as np
import pytest

import lissom
import morph_faces
from node_tools import NODE, needs_node
from one_armed import raised_arm
from reference.unreal_player import UnrealPlayer
from skinned_cases import with_method


@pytest.fixture(scope="module")
def hero():
    return lissom.samples.humanoid()


def in_unreal(places):
    return 100 * np.asarray(places, np.float64)[..., [0, 2, 1]]


@pytest.mark.parametrize("method", ["linear", "dual_quat"])
@pytest.mark.parametrize("bits", [16, 8])
def test_no_time_is_worse_than_stated(hero, tmp_path, method, bits):
    mine = with_method(hero, method)
    bake = lissom.bake(mine, ["walk", "wave"], rate=30)
    report = bake.export("unreal", tmp_path / "hero", source=mine, bits=bits)
    player = UnrealPlayer(tmp_path / "hero")
    assert report.axes == "left-handed, z up, centimetres"
    assert player.ours["method"] == method
    for number, (clip, error) in enumerate(report.clips.items()):
        baked = bake.clips[clip]
        worst = 0.0
        for time in np.random.default_rng(1).uniform(0, 0.999 * baked.duration, 40):
            expected = in_unreal(mine.deform(mine.clips[clip].sample(baked.start + time, loop=False)))
            found = player.vertices(number, time)
            worst = max(worst, np.linalg.norm(found - expected, axis=1).max() / 100)
        assert worst <= 1.1 * error.max
        assert error.max <= 2.0 * worst


def test_16_bits_cost_little_and_8_bits_say_what_they_cost(hero, tmp_path):
    bake = lissom.bake(hero, "walk", rate=60)
    fine = bake.export("unreal", tmp_path / "fine", source=hero).error.max_relative
    coarse = bake.export("unreal", tmp_path / "coarse", source=hero, bits=8).error.max_relative
    assert fine < bake.clips["walk"].error.max_relative + 2e-4
    assert 0.002 < coarse < 0.03


def test_clips_of_other_rates_keep_their_length(hero, tmp_path):
    """The engine has one rate for all: clips whose frames are spaced otherwise say how fast they play."""
    bake = lissom.bake(hero, ["walk", "wave", "idle"], rate=13)
    bake.export("unreal", tmp_path / "hero", source=hero)
    player = UnrealPlayer(tmp_path / "hero")
    for number, clip in enumerate(bake.clips.values()):
        _, rate, start, end, loop = player.play(number)
        seconds = (end - start) / (rate * player.told["SampleRate"])
        assert seconds == pytest.approx(clip.duration, rel=1e-6)
        assert (loop, end - start + 1) == (float(clip.loop), clip.frame_count)
    starts = [clip["StartFrame"] for clip in player.told["Animations"]]
    assert starts[0] == 1  # behind the frame at rest
    assert player.told["NumFrames"] == 1 + len(bake.texels) == player.told["Animations"][-1]["EndFrame"] + 1


def test_a_raised_right_arm_is_on_the_right_and_up(tmp_path):
    """A figure that cannot be mistaken: it looks along z, in Unreal along y, with its right at negative x."""
    corners, bake = raised_arm()
    report = bake.export("unreal", tmp_path / "arm")
    player = UnrealPlayer(tmp_path / "arm")
    np.testing.assert_allclose(player.vertices(0, 0.0), in_unreal(corners), atol=0.01)
    # Right is -x, ahead +y, up +z: Unreal's left-handed axes seen from a figure that looks along y.
    np.testing.assert_allclose(player.vertices(0, 1.0)[3], [-125, 62.5, 150], atol=0.01)
    np.testing.assert_allclose(player.vertices(0, 2.0)[3], [-100, 50, -100], atol=0.01)
    (triangles,) = player.triangles
    a, b, c = player.vertices(0, 0.0)[triangles[0]]
    # Corners run counter-clockwise, as glTF's do: in mirrored axes the product looks the other way.
    assert np.cross(b - a, c - a) @ player.normals[0] < 0
    np.testing.assert_allclose(player.normals[0], [0, 1, 0], atol=1e-6)
    places = np.concatenate([player.vertices(0, time) for time in np.linspace(0, 2, 101)])
    np.testing.assert_allclose(player.ours["bounds"]["min"], places.min(axis=0), atol=2)
    np.testing.assert_allclose(player.ours["bounds"]["max"], places.max(axis=0), atol=2)
    assert report.error.max == pytest.approx(bake.clips["raise"].error.max, abs=1e-4)


def test_weights_sum_to_one_and_coordinates_are_exact_in_halves(hero, tmp_path):
    for bits in (16, 8):
        lissom.bake(hero, "walk", rate=30).export("unreal", tmp_path / "hero", bits=bits)
        player = UnrealPlayer(tmp_path / "hero")
        height, width = player.weight.shape[:2]
        assert (height & (height - 1), width & (width - 1)) == (0, 0)
        assert max(height, width) <= 1024
        np.testing.assert_array_equal(player.points, player.points.astype(np.float16))
        assert len(np.unique(player.points, axis=0)) == len(player.places)
        np.testing.assert_allclose(player.weights.sum(axis=1), 1, atol=1e-12)
        assert (np.diff(player.weights, axis=1) <= 1e-12).all()  # the heaviest first, whose sign others take
        assert player.numbers.max() < player.joints


def test_a_folder_is_whole_and_says_how_it_is_played(hero, tmp_path):
    bake = lissom.bake(hero, ["walk", "wave"], rate=30)
    report = bake.export("unreal", tmp_path / "Ünï cödé", source=hero)
    stem = "_n_c_d_"
    files = {
        f"T_{stem}_BonePosition.png", f"T_{stem}_BoneRotation.png", f"T_{stem}_BoneWeights.png",
        f"SM_{stem}.glb", f"{stem}.json", "LissomBonePose.hlsl", "lissom_unreal.py", "LICENSE",
    }  # fmt: skip
    assert set(report.files) == files
    folder = tmp_path / "Ünï cödé"
    readme = (folder / "README.md").read_text()
    for words in ("the engine itself was not run", "is not known", "65535", "AnimToTexture"):
        assert words in readme
    assert f"{1 + len(bake.texels)} frames of {bake.texels.shape[1]} palette rows, 16 bits" in readme
    told = json.loads((folder / f"{stem}.json").read_text())
    documented = {  # properties of UAnimToTextureDataAsset in Epic's reference
        "Mode", "Precision", "NumBones", "NumBoneInfluences", "NumFrames", "SampleRate", "UVChannel",
        "BoneMinBBox", "BoneSizeBBox", "BoneRowsPerFrame", "BoneWeightRowsPerFrame", "BonePositionTexture",
        "BoneRotationTexture", "BoneWeightTexture", "StaticMesh", "Animations",
    }  # fmt: skip
    assert set(told) == documented | {"lissom"}
    code = (folder / "LissomBonePose.hlsl").read_text()
    script = (folder / "lissom_unreal.py").read_text()
    for name in ("TimeOffset", "PlayRate", "StartFrame", "EndFrame", "Loop", "FadeStart", "MinBBox", "Steps"):
        assert re.search(rf"\b{name}\b", code), name
        assert f'"{name}"' in script, name


def test_the_mesh_is_valid(hero, tmp_path):
    lissom.bake(hero, "walk", rate=30).export("unreal", tmp_path / "hero")
    path = tmp_path / "hero" / "SM_hero.glb"
    done = subprocess.run(["node", "validate.js", path], cwd=NODE, capture_output=True, text=True)
    issues = json.loads(done.stdout)[str(path)]
    assert [issue for issue in issues if issue["severity"] < 2] == []


test_the_mesh_is_valid.pytestmark = needs_node("gltf-validator")


def test_what_it_cannot_hold_is_refused_with_what_can(tmp_path, monkeypatch):
    bar, face = lissom.samples.twisted_bar(), morph_faces.character()
    mesh = bar.mesh
    joints = np.tile(np.arange(5) % 2, (mesh.vertex_count, 1))
    many = mesh.with_weights(joints, np.full(joints.shape, 1 / 5))
    wide = lissom.Character("wide", bar.skeleton, many, bar.skin, bar.clips.values())
    still = lissom.VertexAnimation(mesh, mesh.positions[None], {"still": lissom.VertexClip(0, 1)})
    bent = lissom.bake(bar, "bend", dtype="float32")
    poses = bar.clips["bend"].sample(np.linspace(0, 1, 5))
    poses[1:, 1, 7:] = 1.5
    grown = lissom.Clip.from_poses(bar.skeleton, np.linspace(0, 1, 5), poses, name="grow", loop=False)
    growing = lissom.Character("bar", bar.skeleton, mesh, bar.skin, [grown])
    hollow = bent.edited()
    hollow.texels[3, 1, 1, 0] = np.nan
    cases = [
        (lissom.bake(bar, "bend", layout="matrix"), {}, "holds layout 'dual_quat', got 'matrix'; bake with"),
        (lissom.bake(growing, "grow"), {}, "got a bake whose clips scale; use form 'godot', 'unity' or"),
        (bent, {"rate": 20}, "has the frames of the bake, got rate=20; bake with rate=20"),
        (lissom.bake(wide, "bend"), {}, "holds 4 influences of a vertex, got 5; use lissom.weights.reduce"),
        (lissom.bake(face, "talk"), {}, "keeps morph targets at their default weights, got clips that"),
        (still, {}, "needs a bake, got an animation of vertices; use form 'openvat' or 'vertices'"),
        (bent, {"bits": 12}, "bits must be 8 or 16, got 12"),
        (bent, {"bits": True}, "bits must be 8 or 16, got True"),
        (bent, {"side": 0}, "side must be at least 1, got 0"),
        (bent, {"side": 128}, "textures of 128 rows, got 242 frames of 1; bake fewer clips at a time"),
        (hollow, {}, "texels must be finite, got another at frame 3, palette row 1; bake again"),
    ]  # fmt: skip
    for subject, options, words in cases:
        with pytest.raises(ValueError, match=re.escape(words)):
            subject.export("unreal", tmp_path / "out", **options)
    with monkeypatch.context() as patch:
        patch.setattr("lissom._export.unreal.BITS", {0: "none"})
        with pytest.raises(ValueError, match="holds 1 palette rows in 0 bits, got 2; use bits=16"):
            bent.export("unreal", tmp_path / "out", bits=0)
    short = lissom.bake(bar, "bend", rate=2)
    with pytest.raises(ValueError, match=r"holds 128 vertices in a texture of 16 pixels, got \d+; reduce"):
        short.export("unreal", tmp_path / "out", side=16)
    assert list(tmp_path.iterdir()) == []


def test_morph_targets_at_their_defaults_are_in_the_mesh(tmp_path):
    face = morph_faces.character()
    bake = lissom.bake(face, "talk").edited()
    bake.weights[:] = face.mesh.morphs.defaults
    report = bake.export("unreal", tmp_path / "face")
    assert report.error.max == pytest.approx(bake.clips["talk"].error.max, abs=1e-4)
