# SPDX-License-Identifier: MIT
"""The form "three": what its folder holds, and what it refuses. What a browser draws: tests/browser."""

import gzip
import json
import re
from pathlib import Path

import numpy as np
import pytest

import bake_rigs
import lissom
import morph_faces
from lissom._base.stripped import tightened
from lissom._export.modules import modules_of
from lissom._formats import safetensors
from lissom._lod.default_levels import default_levels
from lissom.skinning import deform


@pytest.fixture(scope="module")
def hero():
    return lissom.samples.humanoid()


def test_the_folder_holds_the_bake_its_player_and_a_page(hero, tmp_path):
    bake = lissom.bake(hero, ["walk", "run"], rate=30)
    report = bake.export("three", tmp_path / "a<b>", count=12, source=hero)
    folder = report.folder
    stored = lissom.load_bake(folder / "a<b>.safetensors")
    np.testing.assert_array_equal(stored.texels, bake.texels)
    page = (folder / "index.html").read_text("utf-8")
    (settings,) = re.findall(r'id="settings">(.*?)</script>', page)
    assert json.loads(settings) == {"bake": "a%3Cb%3E.safetensors", "count": 12}
    assert "<title>a&lt;b&gt;</title>" in page
    modules = {path.name: path.read_text("utf-8") for path in (folder / "lissom-three").iterdir()}
    for text in modules.values():
        for name in re.findall(r'from "\./([\w.-]+)"', text):
            assert name in modules  # nothing that a module imports is missing
    assert report.playback == "interpolate"
    assert report.axes == "right-handed, y up, metres"


def test_levels_of_detail_stand_behind_the_mesh(hero, tmp_path):
    pytest.importorskip("fast_simplification")
    bake = lissom.bake(hero, "walk", rate=30)
    bake.export("three", tmp_path / "hero")
    path = tmp_path / "hero" / "hero.safetensors"
    stored = lissom.load_bake(path)
    np.testing.assert_array_equal(stored.texels, bake.texels)
    for name in ("positions", "triangles", "indices", "weights", "normals"):
        np.testing.assert_array_equal(getattr(stored.mesh, name), getattr(bake.mesh, name))
    assert [part.triangles for part in stored.mesh.parts] == [part.triangles for part in bake.mesh.parts]
    arrays, texts = safetensors.read(path)
    told = json.loads(texts["levels"])
    mesh = bake.mesh
    assert (told["vertices"], told["triangles"]) == (mesh.vertex_count, mesh.triangle_count)
    levels = default_levels(mesh)
    assert [level["distance"] for level in told["levels"]] == [level.distance for level in levels]
    for level, table in zip(levels, told["levels"], strict=True):
        corners = [arrays["mesh.triangles"][slice(*rows)] for rows in table["parts"]]
        drawn = np.concatenate(corners).ravel()
        for name in ("positions", "indices", "weights", "normals"):
            wanted = getattr(level.mesh, name)[level.mesh.triangles].reshape(drawn.size, -1)
            np.testing.assert_array_equal(arrays[f"mesh.{name}"][drawn], wanted)
        names = [part.name for part, rows in zip(mesh.parts, corners, strict=True) if len(rows)]
        assert names == [part.name for part in level.mesh.parts]


def test_a_bake_without_levels_is_the_file_that_save_writes(hero, tmp_path):
    bake = lissom.bake(hero, "walk", rate=30)
    bake.export("three", tmp_path / "hero", levels=False)
    saved = bake.save(tmp_path / "saved.safetensors").read_bytes()
    assert (tmp_path / "hero" / "hero.safetensors").read_bytes() == saved
    small = lissom.bake(bake_rigs.character(bake_rigs.waving_clip(bake_rigs.skeleton())))
    small.export("three", tmp_path / "small")
    saved = small.save(tmp_path / "saved.safetensors").read_bytes()
    assert (tmp_path / "small" / "small.safetensors").read_bytes() == saved
    with pytest.raises(TypeError, match="levels must be True or False, got int"):
        bake.export("three", tmp_path / "hero", levels=1)


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ('{"vertices": 1e9}', "has tables that cannot be read"),
        ('{"vertices": 4, "triangles": 2, "levels": [], "x": 1}', "has tables that cannot be read"),
        (
            '{"vertices": 99999, "triangles": 2, "levels": []}',
            "must have the 99999 rows before its",
        ),
        (
            '{"vertices": 4, "triangles": -2, "levels": []}',
            "must have the -2 rows before its levels",
        ),
        ('{"vertices": 4, "triangles": 20, "levels": []}', "does not fit together"),
    ],
)
def test_wrong_levels_of_a_file_are_refused(hero, tmp_path, told, words):
    path = lissom.bake(hero, "walk", rate=10).save(tmp_path / "hero.safetensors")
    arrays, texts = safetensors.read(path)
    safetensors.write(tmp_path / "wrong.safetensors", arrays, texts | {"levels": told})
    with pytest.raises(ValueError, match=words):
        lissom.load_bake(tmp_path / "wrong.safetensors", verify=False)


@pytest.mark.tree
@pytest.mark.parametrize("package", ["three", "babylon"])
def test_the_modules_are_as_large_as_the_how_to_says(package):
    """In kB, rounded up; of three, `levels.js` apart."""
    text = (Path(__file__).parents[2] / "docs" / "howto" / f"export-to-{package}.md").read_text("utf-8")
    (line,) = (line for line in text.splitlines() if "ES modules and types" in line)
    modules = {name: tightened(text) for name, text in modules_of(package).items()}
    core = "\n".join(modules[name] for name in sorted(modules) if name != "levels.js")
    files = [f"// SPDX-License-Identifier: MIT\n{text}\n" for text in modules.values()]
    sizes = [len(gzip.compress(core.encode(), 9))]
    if "levels.js" in modules:
        sizes.append(len(gzip.compress(modules["levels.js"].encode(), 9)))
    sizes.append(sum(len(gzip.compress(file.encode(), 9)) for file in files))
    said = [float(number) for number in re.findall(r"([\d.]+) kB", line)]
    assert len(said) == len(sizes)
    for size, number in zip(sizes, said, strict=True):
        step = 0.1 if number % 1 else 1.0
        assert number - step < size / 1000 <= number, (size, number)


@pytest.mark.parametrize("dtype", ["float16", "float32", "uint8"])
def test_the_error_is_that_of_the_stored_texels(hero, tmp_path, dtype):
    bake = lissom.bake(hero, "walk", rate=30, dtype=dtype)
    report = bake.export("three", tmp_path / "hero", source=hero)
    clip = hero.clips["walk"]
    times = np.random.default_rng(3).uniform(0, clip.duration, 60)
    wanted = hero.deform(clip.sample(times), "linear")
    got = deform(bake.mesh, bake.sample("walk", times), "linear")
    largest = np.linalg.norm(got - wanted, axis=-1).max()
    assert 0.5 * report.error.max < largest <= 1.001 * report.error.max


def test_what_it_cannot_hold_is_refused_with_the_form_that_can(tmp_path):
    bar, face = lissom.samples.twisted_bar(), morph_faces.character()
    mesh = bar.mesh
    joints = np.tile(np.arange(9) % 2, (mesh.vertex_count, 1))
    many = mesh.with_weights(joints, np.full(joints.shape, 1 / 9))
    wide = lissom.Character("wide", bar.skeleton, many, bar.skin, bar.clips)
    still = lissom.VertexAnimation(mesh, mesh.positions[None], {"still": lissom.VertexClip(0, 1)})
    talking = lissom.bake(face, "talk")
    bent = lissom.bake(bar, "bend")
    cases = [
        (lissom.bake(bar, "bend", layout="matrix"), {}, "holds layout 'dual_quat', got 'matrix'; bake with"),
        (bent, {"rate": 20}, "has the frames of the bake, got rate=20; bake with rate=20"),
        (lissom.bake(wide, "bend"), {}, "holds 8 influences of a vertex, got 9; use lissom.weights.reduce"),
        (talking, {}, "keeps morph targets at their default weights, got clips that change them; use form"),
        (still, {}, "needs a bake, got an animation of vertices; use form 'openvat' or 'vertices'"),
        (bent, {"count": 0}, "count must be at least 1, got 0"),
    ]
    for subject, options, words in cases:
        with pytest.raises(ValueError, match=re.escape(words)):
            subject.export("three", tmp_path / "out", **options)
    assert list(tmp_path.iterdir()) == []


def test_morph_targets_at_their_defaults_are_no_obstacle(tmp_path):
    face = morph_faces.character()
    bake = lissom.bake(face, "talk").edited()
    bake.weights[:] = face.mesh.morphs.defaults
    report = bake.export("three", tmp_path / "face")
    assert report.error.max == pytest.approx(bake.clips["talk"].error.max, rel=1e-3)
