# SPDX-License-Identifier: MIT
"""OpenVAT's form, judged by a twin of its Godot shader that reads the files with other libraries."""

import json
import subprocess

import numpy as np
import pytest

import lissom
from node_tools import NODE, needs_node
from reference.openvat_player import OpenVatPlayer, pixels_of

pytest.importorskip("OpenEXR", reason="OpenEXR is not installed")

# Rounding of float32 vertices of a figure of 2 m; the rest of the tolerances is the texture's own.
NOISE = 2e-6
# Largest error of numbers from 0 to 1 in each kind of texture.
STEP = {"exr_half": 2.0**-12, "exr_float": 2.0**-24, "png16": 0.5 / 65535}


@pytest.fixture(scope="module")
def hero():
    return lissom.samples.humanoid()


@pytest.fixture(scope="module")
def bake(hero):
    return lissom.bake(hero, ["walk", "wave"], rate=30, dtype="float32")


@pytest.mark.parametrize("texture", list(STEP))
def test_frames_are_those_of_the_source(hero, bake, tmp_path, texture):
    bake.export("openvat", tmp_path / "hero", texture=texture)
    for clip, baked in bake.clips.items():
        player = OpenVatPlayer(tmp_path / "hero" / f"hero_{clip}_vat")
        assert player.frame_count == baked.frame_count - baked.loop
        assert len(player.vertex) == hero.mesh.vertex_count
        tolerance = NOISE + STEP[texture] * (player.high - player.low).max()
        for frame in (0, 7, player.frame_count - 1):
            time = baked.start + frame / baked.rate
            expected = hero.deform(hero.clips[clip].sample(time, loop=False))
            np.testing.assert_allclose(player.vertices(frame), expected, atol=tolerance)


def test_a_loop_closes_between_its_last_frame_and_its_first(hero, bake, tmp_path):
    bake.export("openvat", tmp_path / "hero", texture="exr_float")
    player, baked = OpenVatPlayer(tmp_path / "hero" / "hero_walk_vat"), bake.clips["walk"]
    times = baked.start + np.array([baked.frame_count - 2, baked.frame_count - 1]) / baked.rate
    before, end = hero.deform(hero.clips["walk"].sample(times, loop=False))
    halfway = player.vertices(player.frame_count - 0.5)
    np.testing.assert_allclose(halfway, (before + end) / 2, atol=1e-4)
    np.testing.assert_allclose(player.vertices(0), end, atol=1e-4)


@pytest.mark.parametrize("source", [True, False])
@pytest.mark.parametrize(("texture", "rate"), [("exr_half", 30), ("png16", 12)])
def test_no_time_is_worse_than_stated(hero, bake, tmp_path, texture, rate, source):
    report = bake.export(
        "openvat", tmp_path / "hero", texture=texture, rate=rate, source=hero if source else None
    )
    for clip, error in report.clips.items():
        player, baked = OpenVatPlayer(tmp_path / "hero" / f"hero_{clip}_vat"), bake.clips[clip]
        frames = player.frame_count if baked.loop else player.frame_count - 1
        worst = 0.0
        for time in np.random.default_rng(1).uniform(0, baked.duration, 60):
            expected = hero.deform(hero.clips[clip].sample(baked.start + time, loop=False))
            drawn = player.vertices(time / baked.duration * frames)
            worst = max(worst, np.linalg.norm(drawn - expected, axis=1).max())
        assert worst <= 1.1 * error.max
        assert error.max <= (1.5 if source else 3) * worst  # and it is not stated much larger than it is
        assert error.max_relative == pytest.approx(error.max / bake.size)


def test_normals_turn_with_the_surface(hero, bake, tmp_path):
    bake.export("openvat", tmp_path / "hero")
    player, baked = OpenVatPlayer(tmp_path / "hero" / "hero_walk_vat"), bake.clips["walk"]
    pose = hero.clips["walk"].sample(baked.start + 5 / baked.rate, loop=False)
    expected = hero.deform(pose, normals=True).normals
    np.testing.assert_allclose(player.normals(5), expected, atol=2e-3)


def test_packed_normals_are_the_lower_half(bake, tmp_path):
    bake.export("openvat", tmp_path / "one")
    bake.export("openvat", tmp_path / "two", normals="packed")
    (apart, together) = (OpenVatPlayer(tmp_path / name / f"{name}_walk_vat") for name in ("one", "two"))
    assert len(together.pixels) == 2 * len(apart.pixels)
    np.testing.assert_array_equal(together.vertices(3.25), apart.vertices(3.25))
    half = len(apart.pixels)
    np.testing.assert_array_equal(
        together.pixels[half:], pixels_of(next((tmp_path / "one" / "one_walk_vat").glob("*-vnrm.exr")))
    )


def test_more_vertices_than_columns_wrap(hero, bake, tmp_path):
    bake.export("openvat", tmp_path / "wide", texture="exr_float")
    bake.export("openvat", tmp_path / "small", texture="exr_float", side=2000)
    (wide, small) = (OpenVatPlayer(tmp_path / name / f"{name}_walk_vat") for name in ("wide", "small"))
    assert small.pixels.shape[1] < wide.pixels.shape[1] <= hero.mesh.vertex_count
    np.testing.assert_allclose(small.vertices(4.5), wide.vertices(4.5), atol=1e-7)


def test_a_raised_right_arm_is_on_the_right_and_up(tmp_path):
    """A figure that cannot be mistaken: Blender has x to the right, -y ahead, z up."""
    corners = [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [1, 1, 0.5]]
    raised = np.array([corners, corners], np.float32)
    raised[1, 3] += [0.25, 0.5, -0.125]  # to the right, up, back
    arm = lissom.VertexAnimation(
        lissom.Mesh(corners, [[0, 1, 2], [1, 3, 2]]), raised, {"raise": lissom.VertexClip(0, 2, 1.0)}
    )
    arm.export("openvat", tmp_path / "arm", texture="exr_float")
    folder = tmp_path / "arm" / "arm_raise_vat"
    told = json.loads((folder / "arm_raise-remap_info.json").read_text())["os-remap"]
    assert told == {"Min": [0.0, 0.0, 0.0], "Max": [0.25, 0.125, 0.5], "Frames": 2}
    pixels = pixels_of(folder / "arm_raise_vat.exr")
    assert pixels.shape == (2, 4, 3)
    assert pixels[1, 3].tolist() == [1.0, 1.0, 1.0]
    assert not pixels[0].any()  # the first frame is the first row: it is at rest


def test_the_mesh_is_valid(bake, tmp_path):
    bake.export("openvat", tmp_path / "hero")
    path = tmp_path / "hero" / "hero_walk_vat" / "hero_walk.glb"
    done = subprocess.run(["node", "validate.js", path], cwd=NODE, capture_output=True, text=True)
    issues = json.loads(done.stdout)[str(path)]
    assert [issue for issue in issues if issue["severity"] < 2] == []


test_the_mesh_is_valid.pytestmark = needs_node("gltf-validator")


def test_names_of_clips_that_look_alike_in_ascii_stay_apart(tmp_path):
    names = ["Ünï", "Ünä", "a b", "a_b"]
    mesh = lissom.Mesh(np.eye(3), [[0, 1, 2]])
    clips = {name: lissom.VertexClip(i, 1) for i, name in enumerate(names)}
    report = lissom.VertexAnimation(mesh, np.zeros((4, 3, 3)), clips).export("openvat", tmp_path / "x")
    assert len({name.split("/")[0] for name in report.files}) == 4
    assert all(name.isascii() for name in report.files)
    assert list(report.clips) == names


def test_what_the_texture_cannot_hold_is_refused(bake, tmp_path):
    with pytest.raises(
        ValueError, match=r"holds 32 columns of 32 rows, got \d+ vertices at \d+ frames of clip"
    ):
        bake.export("openvat", tmp_path / "x", side=32)
    assert not (tmp_path / "x").exists()
