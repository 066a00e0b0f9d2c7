# SPDX-License-Identifier: MIT
"""Forms that hold all poses in one texture, judged by twins of their shaders.

What is special about each: test_godot_form.py, test_unity_form.py.
"""

import re

import numpy as np
import pytest

import lissom
import morph_faces
from reference.godot_player import GodotPlayer
from reference.unity_player import UnityPlayer
from skinned_cases import with_method

PLAYERS = {
    "godot": GodotPlayer,
    "unity": lambda folder, name: UnityPlayer(folder / f"{name}.lissom"),
}
"""The twin of each form, made of the folder and name of an export."""

LIKE_LISSOM, X_NEGATED = np.ones(3), np.array([-1.0, 1.0, 1.0])
AXES = {"godot": LIKE_LISSOM, "unity": X_NEGATED}

each_form = pytest.mark.parametrize("form", PLAYERS)


def drawn(form, player, mesh, clip, seconds):
    """Positions (V, 3) in lissom's axes and the order of the mesh, of which parts differ by colours alone."""
    if len(player.surfaces) == 1:
        return player.vertices(0, clip, seconds) * AXES[form]
    result = np.full((mesh.vertex_count, 3), np.nan)
    for number, color in enumerate(dict.fromkeys(part.base_color for part in mesh.parts)):
        parts = [mesh.triangles[part.triangles] for part in mesh.parts if part.base_color == color]
        result[np.unique(np.concatenate(parts))] = player.vertices(number, clip, seconds) * AXES[form]
    return result


def scaled(bar):
    """The bar, which grows: evenly, or along one axis."""
    clips = []
    for name, factors in (("even", [1.5, 1.5, 1.5]), ("along", [1.0, 1.6, 1.0])):
        poses = np.repeat(bar.clips["bend"].sample(np.linspace(0, 1, 5)), 1, axis=0)
        poses[1:, 1, 7:] = np.linspace(1, factors, 4)
        clips.append(lissom.Clip.from_poses(bar.skeleton, np.linspace(0, 1, 5), poses, name=name, loop=False))
    return lissom.Character("bar", bar.skeleton, bar.mesh, bar.skin, clips)


@pytest.fixture(scope="module")
def hero():
    return lissom.samples.humanoid()


@each_form
@pytest.mark.parametrize("method", ["linear", "dual_quat"])
@pytest.mark.parametrize("dtype", [None, "float32"])
def test_no_time_is_worse_than_stated(hero, tmp_path, form, method, dtype):
    mine = with_method(hero, method)
    bake = lissom.bake(mine, ["walk", "wave"], rate=30)
    report = bake.export(form, tmp_path / "hero", source=mine, dtype=dtype)
    player = PLAYERS[form](tmp_path / "hero", "hero")
    for number, (clip, error) in enumerate(report.clips.items()):
        baked = bake.clips[clip]
        worst = 0.0
        for time in np.random.default_rng(1).uniform(0, baked.duration, 40):
            expected = mine.deform(mine.clips[clip].sample(baked.start + time, loop=False))
            found = drawn(form, player, mine.mesh, number, time)
            worst = max(worst, np.linalg.norm(found - expected, axis=1).max())
        assert worst <= 1.1 * error.max
        assert error.max <= 2.0 * worst


@each_form
@pytest.mark.parametrize("method", ["linear", "dual_quat"])
@pytest.mark.parametrize(("clips", "texels"), [(["even"], 3), (["even", "along"], 5)])
def test_scale_is_played(tmp_path, form, method, clips, texels):
    bar = with_method(scaled(lissom.samples.twisted_bar()), method)
    bake = lissom.bake(bar, clips, rate=30, dtype="float32")
    assert bake.texels.shape[2] == texels
    bake.export(form, tmp_path / "bar", source=bar)
    player = PLAYERS[form](tmp_path / "bar", "bar")
    for number, clip in enumerate(clips):
        for time in (0.0, 0.4, 1.0):
            wanted = lissom.deform(bar.mesh, bake.sample(clip, time), method)
            np.testing.assert_allclose(drawn(form, player, bar.mesh, number, time), wanted, atol=2e-6)


@each_form
def test_matrices_are_played(hero, tmp_path, form):
    bake = lissom.bake(hero, "walk", rate=30, layout="matrix", dtype="float32")
    report = bake.export(form, tmp_path / "hero", source=hero)
    player = PLAYERS[form](tmp_path / "hero", "hero")
    for time in (0.0, 0.31, 0.9):
        wanted = lissom.deform(hero.mesh, bake.sample("walk", time), "linear")
        np.testing.assert_allclose(drawn(form, player, hero.mesh, 0, time), wanted, atol=4e-6)
    assert report.error.max == pytest.approx(bake.clips["walk"].error.max, rel=1e-3)


@each_form
def test_morph_targets_at_their_defaults_are_in_the_mesh(tmp_path, form):
    face = morph_faces.character()
    bake = lissom.bake(face, "talk").edited()
    bake.weights[:] = face.mesh.morphs.defaults
    report = bake.export(form, tmp_path / "face")
    assert report.error.max == pytest.approx(bake.clips["talk"].error.max, abs=1e-6)


@each_form
def test_what_none_of_them_holds_is_refused_with_what_can(tmp_path, monkeypatch, form):
    bar, face = lissom.samples.twisted_bar(), morph_faces.character()
    mesh = bar.mesh
    joints = np.tile(np.arange(9) % 2, (mesh.vertex_count, 1))
    many = mesh.with_weights(joints, np.full(joints.shape, 1 / 9))
    wide = lissom.Character("wide", bar.skeleton, many, bar.skin, bar.clips)
    still = lissom.VertexAnimation(mesh, mesh.positions[None], {"still": lissom.VertexClip(0, 1)})
    bent = lissom.bake(bar, "bend", dtype="float32")
    huge = bent.edited()
    huge.texels[0, 0, 1, 0] = 1e5
    cases = [
        (
            lissom.bake(bar, "bend", layout="trs"),
            {},
            "holds layout 'dual_quat' or 'matrix', got 'trs'; bake with",
        ),
        (bent, {"rate": 20}, "has the frames of the bake, got rate=20; bake with rate=20"),
        (lissom.bake(wide, "bend"), {}, "holds 8 influences of a vertex, got 9; use lissom.weights.reduce"),
        (
            lissom.bake(face, "talk"),
            {},
            "keeps morph targets at their default weights, got clips that change",
        ),
        (still, {}, "needs a bake, got an animation of vertices; use form 'openvat' or 'vertices'"),
        (bent, {"dtype": "uint8"}, "dtype must be one of float16, float32, got 'uint8'"),
        (
            huge,
            {"dtype": "float16"},
            "dtype 'float16' must hold all texels, got one of 100000; use dtype='float32'",
        ),
    ]
    for subject, options, words in cases:
        with pytest.raises(ValueError, match=re.escape(words)):
            subject.export(form, tmp_path / "out", **options)
    monkeypatch.setattr("lissom._export.texel_lines.MOST_LINES", 0)
    words = f"form '{form}' holds 0 texels, got 964; bake fewer clips at a time, or at a lower rate"
    with pytest.raises(ValueError, match=words):
        bent.export(form, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []
