# SPDX-License-Identifier: MIT
"""The form "unity": what is in its file.

Its error: test_joint_forms.py. The shader: tests/gpu/test_unity_hlsl.py.
"""

import io
import re

import numpy as np
import pytest
from PIL import Image

import lissom
from lissom._export import unity_file
from one_armed import raised_arm
from reference.unity_player import UnityPlayer

MIRROR = np.array([-1.0, 1.0, 1.0])


@pytest.fixture(scope="module")
def hero():
    return lissom.samples.humanoid()


def test_a_raised_right_arm_is_on_the_right_and_up(tmp_path):
    """A figure that cannot be mistaken: it looks along +z, where Unity has its right at positive x."""
    corners, bake = raised_arm()
    report = bake.export("unity", tmp_path / "arm")
    assert report.axes == "left-handed, y up, metres"
    player = UnityPlayer(tmp_path / "arm" / "arm.lissom")
    np.testing.assert_allclose(player.vertices(0, 0, 0.0), corners * MIRROR, atol=1e-6)
    np.testing.assert_allclose(player.vertices(0, 0, 1.0)[3], [1.25, 1.5, 0.625], atol=1e-6)
    np.testing.assert_allclose(player.vertices(0, 0, 2.0)[3], [1, -1, 0.5], atol=1e-6)
    (triangles,) = player.triangles
    a, b, c = player.vertices(0, 0, 0.0)[triangles[0]]
    # Clockwise from the front: there Vector3.Cross, in left-handed axes, points to who looks.
    np.testing.assert_allclose(np.sign(np.cross(b - a, c - a)), [0, 0, 1], atol=1e-6)
    np.testing.assert_allclose(player.normals[0], [0, 0, 1], atol=1e-6)
    box = [player.header[key][axis] for key in ("low", "high") for axis in "xyz"]
    places = np.concatenate([player.vertices(0, 0, time) for time in np.linspace(0, 2, 101)])
    np.testing.assert_allclose(box, [*places.min(axis=0), *places.max(axis=0)], atol=0.02)
    assert report.error.max == pytest.approx(bake.clips["raise"].error.max, abs=1e-6)


def test_looks_pictures_and_colours_are_kept(tmp_path):
    bar = lissom.samples.twisted_bar()
    png, webp = io.BytesIO(), io.BytesIO()
    Image.new("RGBA", (2, 2), "green").save(png, "PNG")
    Image.new("RGBA", (2, 2), "blue").save(webp, "WebP", lossless=True)
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
            texture=lissom.Texture(png.getvalue(), "image/png"),
            emissive=(1.0, 0.5, 0.0), emissive_texture=lissom.Texture(webp.getvalue(), "image/webp"),
        ),
        lissom.Part("plain too", everything, slice(end - 10, end)),
    ]  # fmt: skip
    uvs = np.random.default_rng(2).uniform(size=(count, 2))
    mesh = lissom.Mesh(
        bar.mesh.positions, bar.mesh.triangles, bar.mesh.indices, bar.mesh.weights, uvs=uvs, parts=parts
    )
    looks = lissom.Character("bar", bar.skeleton, mesh, bar.skin, bar.clips)
    lissom.bake(looks, "bend", rate=30).export("unity", tmp_path / "bar")
    player = UnityPlayer(tmp_path / "bar" / "bar.lissom")
    plain, glass, leaf = player.header["looks"]
    assert [plain["name"], glass["mode"], leaf["mode"], leaf["cutoff"]] == ["plain", "blend", "mask", 0.25]
    assert [plain["picture"], leaf["picture"], leaf["emissionPicture"]] == [-1, 0, 1]
    # sRGB of 0.5, 0.25 and 1, IEC 61966-2-1
    np.testing.assert_allclose(list(glass["color"].values()), [0.735357, 0.537099, 1, 0.4], atol=1e-6)
    assert (glass["doubleSided"], glass["unlit"], plain["doubleSided"]) == (True, True, False)
    assert player.pictures[0] == png.getvalue()
    with Image.open(io.BytesIO(player.pictures[1])) as picture:
        assert (picture.format, picture.convert("RGB").getpixel((0, 0))) == ("PNG", (0, 0, 255))
    np.testing.assert_allclose(player.uvs, uvs * [1, -1] + [0, 1], atol=1e-6)
    np.testing.assert_array_equal(player.colors, 1)
    found = np.concatenate(player.triangles)
    wanted = mesh.triangles[np.r_[0:10, end - 10 : end, 10 : end - 10]][:, [0, 2, 1]]
    np.testing.assert_array_equal(found, wanted)


def test_a_folder_is_whole_and_says_how_it_is_played(hero, tmp_path):
    bake = lissom.bake(hero, ["walk", "wave"], rate=30)
    report = bake.export("unity", tmp_path / "Ünï cödé")
    files = {
        "_n_c_d_.lissom", "Lissom/LICENSE", "Lissom/LissomPose.hlsl", "Lissom/LissomCrowd.shader",
        "Lissom/LissomBake.cs", "Lissom/LissomCrowd.cs", "Lissom/Editor/LissomImporter.cs",
    }  # fmt: skip
    assert set(report.files) == files
    readme = (tmp_path / "Ünï cödé" / "README.md").read_text()
    assert "Unity itself was not run" in readme
    assert f"{len(bake.texels)} frames of {bake.texels.shape[1]} palette rows, float16" in readme
    header, _ = unity_file.decode((tmp_path / "Ünï cödé" / "_n_c_d_.lissom").read_bytes(), ())
    # JsonUtility leaves fields alone that the classes of the importer lack: each must be there by its name.
    importer = (tmp_path / "Ünï cödé/Lissom/Editor/LissomImporter.cs").read_text()
    importer += (tmp_path / "Ünï cödé/Lissom/LissomBake.cs").read_text()
    for name in [*header, *header["looks"][0], *header["clips"][0]]:
        assert re.search(rf"public [\w\[\], ]*\b{name}\b[\w, ]*;", importer), name


def test_asking_a_crowd_writes_nothing(hero, tmp_path):
    """Numbers that are settled are uploaded again, all of them."""
    lissom.bake(hero, "walk", rate=30).export("unity", tmp_path / "hero")
    script = (tmp_path / "hero/Lissom/LissomCrowd.cs").read_text()
    functions = dict(
        re.findall(r"^        \S.*? (\w+)\(.*?\)\n(.*?)^        }", script, re.MULTILINE | re.DOTALL)
    )
    for name in ("GetClip", "GetTime", "GetFade", "Shown", "Slot", "Elapsed", "Fade"):
        assert not re.search(r"Settle\(|Play\(|changed|numbers\[[^]]*\] [-+]?= ", functions[name]), name


@pytest.mark.parametrize(
    ("limit", "value", "words"),
    [
        ("MOST_ROWS", 1, "holds 1 palette rows, got 2; use form 'godot' or 'three'"),
        ("MOST_BYTES", 1 << 20, "holds files of 2 GiB, got"),
    ],
)
def test_what_it_cannot_hold_is_refused_with_what_can(tmp_path, monkeypatch, limit, value, words):
    bent = lissom.bake(lissom.samples.twisted_bar(), "bend", dtype="float32")
    monkeypatch.setattr(f"lissom._export.unity.{limit}", value)
    with pytest.raises(ValueError, match=words):
        bent.export("unity", tmp_path / "out")
    assert list(tmp_path.iterdir()) == []
