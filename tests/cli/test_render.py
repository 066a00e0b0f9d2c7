# SPDX-License-Identifier: MIT
"""`lissom render`: pictures as the library draws them."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import lissom
from cli.files import BAR, TUBE, is_png, words


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


def pixels(path: Path) -> np.ndarray:
    with Image.open(path) as picture:
        return np.asarray(picture)


@pytest.mark.gl
def test_several_files_are_drawn_side_by_side(run, tmp_path: Path) -> None:
    out = tmp_path / "new" / "both.png"
    sizes = ("--width", 96, "--height", 64)
    result = run("render", "humanoid", "child", "-o", out, "--clip", "Wave", "--clip", "run", *sizes)
    assert (result.code, result.out) == (0, f"{out}\n"), result.err
    hero, child = lissom.samples.humanoid(), lissom.samples.humanoid("child")
    clips = [hero.clips["wave"], child.clips["run"]]
    times = [clip.start + clip.duration / 2 for clip in clips]
    want = lissom.render([hero, child], clip=clips, time=times, width=96, height=64)
    np.testing.assert_array_equal(pixels(out), want.array)
    equal = tmp_path / "equal.png"
    assert run("render", "humanoid", "child", "-o", equal, "--equal-size", *sizes).code == 0
    want = lissom.render([hero, child], equal_size=True, width=96, height=64)
    np.testing.assert_array_equal(pixels(equal), want.array)
    film = tmp_path / "both.gif"
    length = ("--clip", "walk", "--seconds", 0.2, "--rate", 10)
    shown = run("render", "humanoid", "child", "-o", film, *length, *sizes)
    assert shown.code == 0, shown.err
    with Image.open(film) as opened:
        assert opened.n_frames == 2


def test_what_does_not_go_with_several_files_is_refused(run, tmp_path: Path) -> None:
    both, out = ("humanoid", "child"), tmp_path / "x.png"
    for arguments, message in (
        ((*both, "--sheet"), "'--sheet': needs a single file"),
        ((*both, "--clip", "walk", "--moments", 3), "'--moments': needs a single file"),
        ((*both, "--without", "Hair"), "'--without': needs a single file"),
        ((*both, "--leg", "a,b,c"), "'--leg': needs a single file"),
        ((*both, "--walk-on", "stair"), "'--walk-on': needs a single file"),
        ((*both, "--time", 1), "'--time': needs --clip"),
        ((*both, *["--clip", "walk"] * 3), "'--clip': must be given once, or once for each of 2 files"),
        (("humanoid", "--clip", "walk", "--clip", "run"), "'--clip': must be given once for one file"),
        (("humanoid", "--equal-size"), "'--equal-size': needs several files"),
    ):
        refused = run("render", *arguments, "-o", out)
        assert refused.code == 2, arguments
        assert message in words(refused.err), refused.err
    assert not out.exists()
