# SPDX-License-Identifier: MIT
"""`lissom render`: pictures as the library draws them."""

from pathlib import Path

import numpy as np
import pytest

import lissom
from cli.files import BAR, TUBE, is_png


@pytest.mark.gl
def test_render_writes_a_picture(run, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "tube.png"
    result = run("render", TUBE, "-o", out, "--width", 64, "--height", 48)
    assert result.code == 0, result.err
    assert is_png(out)


@pytest.mark.gl
def test_render_names_the_clips_there_are(run, tmp_path: Path) -> None:
    result = run("render", BAR, "-o", tmp_path / "bar.png", "--clip", "Dance")
    assert result.code == 1
    assert result.err == f"lissom: {BAR}: no clip is named 'Dance'; there are: 'twist', 'bend'\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.gl
def test_render_without_time_is_that_of_the_library(run, tmp_path: Path) -> None:
    out, same = tmp_path / "cli.png", tmp_path / "library.png"
    assert run("render", BAR, "-o", out, "--clip", "TWIST", "--width", 64, "--height", 48).code == 0
    bar = lissom.samples.twisted_bar()
    lissom.render(bar, clip="twist", width=64, height=48).save(same)
    assert out.read_bytes() == same.read_bytes()
    lissom.render(bar, bar.clips["twist"].at(0.5), width=64, height=48).save(same)
    assert out.read_bytes() == same.read_bytes()


def face(tmp_path: Path) -> Path:
    """A tube with two targets; the second is moved by a clip."""
    tube = lissom.samples.two_bone_tube()
    shape = np.stack([0.5 * tube.mesh.normals, -0.3 * tube.mesh.normals])
    arrays = {name: getattr(tube.mesh, name) for name in ("positions", "triangles", "indices", "weights")}
    morphs = lissom.Morphs.from_dense(["tube/wide", "tube/thin"], shape)
    mesh = lissom.Mesh(**arrays, normals=tube.mesh.normals, morphs=morphs)
    poses = np.stack([tube.skeleton.rest] * 2)
    thin = lissom.Clip.from_poses(
        tube.skeleton, [0, 1], poses, name="thin", morphs=[[0, 0], [0, 1]], morph_names=morphs.names
    )
    path = tmp_path / "face.glb"
    lissom.save_glb(lissom.Character("face", tube.skeleton, mesh, tube.skin, [thin]), path)
    return path


@pytest.mark.gl
def test_render_takes_weights_of_morph_targets(run, tmp_path: Path) -> None:
    path, out, same = face(tmp_path), tmp_path / "cli.png", tmp_path / "library.png"
    size = ("--width", 64, "--height", 48)
    hero = lissom.load(path)
    for options, weights, pose in (
        (("--morph", "wide=0.8"), [0.8, 0], {}),
        (("--morph", "wide=0.8", "--morph", "tube/thin=-0.5"), [0.8, -0.5], {}),
        (("--clip", "thin", "--time", 0.25, "--morph", "wide=1"), [1, 0.25], {"clip": "thin", "time": 0.25}),
    ):
        result = run("render", path, "-o", out, *options, *size)
        assert result.code == 0, result.err
        lissom.render(hero, **pose, morphs=weights, width=64, height=48).save(same)
        assert out.read_bytes() == same.read_bytes()
    plain = run("render", path, "-o", same, *size)
    assert plain.code == 0
    assert out.read_bytes() != same.read_bytes()


@pytest.mark.gl
def test_render_refuses_weights_that_do_not_fit(run, tmp_path: Path) -> None:
    path, out = face(tmp_path), tmp_path / "out.png"
    result = run("render", path, "-o", out, "--morph", "wode=1")
    assert (result.code, result.err) == (
        1,
        f"lissom: {path}: no morph target is named 'wode'; did you mean 'wide'? (`lissom info {path}` lists "
        "them)\n",
    )
    for wrong in ("wide", "wide=", "=1", "wide=nan", "wide=a"):
        result = run("render", path, "-o", out, "--morph", wrong)
        assert result.code == 2
        assert "must be a name, = and a finite number" in result.err
    result = run("render", TUBE, "-o", out, "--morph", "wide=1")
    assert (result.code, result.err) == (1, f"lissom: {TUBE}: has no morph targets; leave out --morph\n")
    result = run("render", path, "-o", out, "--morph", "wide=1", "--walk-on", "stair")
    assert result.code == 2
    assert not out.exists()


@pytest.mark.gl
def test_compare_takes_weights_of_morph_targets(run, tmp_path: Path) -> None:
    path = face(tmp_path)
    pictures = [tmp_path / "plain.png", tmp_path / "wide.png"]
    for out, options in zip(pictures, [(), ("--morph", "wide=1")], strict=True):
        result = run("compare", path, "-o", out, "--clip", "thin", "--width", 64, "--height", 48, *options)
        assert result.code == 0, result.err
    assert pictures[0].read_bytes() != pictures[1].read_bytes()
