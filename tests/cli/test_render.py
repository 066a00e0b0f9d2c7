# SPDX-License-Identifier: MIT
"""`lissom render` and `lissom crowd`: pictures as the library draws them."""

from pathlib import Path

import numpy as np
import pytest

import lissom
from cli.files import BAR, TUBE, is_png
from lissom.cli import gathering


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


@pytest.mark.gl
@pytest.mark.parametrize("count", [1, 7, 300])
def test_a_crowd_fills_the_picture_and_is_inside(count: int) -> None:
    bake = lissom.bake(lissom.samples.humanoid(), "walk", rate=5)
    aspect = 2.0
    picture = gathering.draw_alike(bake, (), count, 400, 200).array.astype(int)
    # Clothes and skin are dark in some colour; ground, sky and shadows are not.
    drawn = picture.min(axis=2) < 150
    rows, columns = drawn.any(axis=1), drawn.any(axis=0)
    assert not rows[[0, -1]].any()
    assert not columns[[0, -1]].any()
    assert np.ptp(np.flatnonzero(rows)) > 0.65 * 200
    if count > 1:
        assert np.ptp(np.flatnonzero(columns)) > 0.75 * 200 * aspect


@pytest.mark.gl
def test_crowd_plays_the_clips_that_are_named(run, tmp_path: Path) -> None:
    size = ("--count", 9, "--width", 96, "--height", 64)
    bend = tmp_path / "bend.safetensors"
    assert run("bake", BAR, "-o", bend, "--clips", "bend").code == 0
    assert run("crowd", BAR, "-o", tmp_path / "a.png", "--clips", "Bend", *size).code == 0
    assert run("crowd", bend, "-o", tmp_path / "b.png", "--clips", "bend", *size).code == 0
    assert run("crowd", BAR, "-o", tmp_path / "c.png", *size).code == 0
    named, alone, all_of_them = ((tmp_path / f"{name}.png").read_bytes() for name in "abc")
    assert named == alone
    assert named != all_of_them
    assert run("crowd", bend, "-o", tmp_path / "d.png", "--without", "bar").code == 2


@pytest.mark.gl
def test_crowd_draws_a_model_and_its_bake_alike(run, tmp_path: Path) -> None:
    size = ("--count", 20, "--width", 96, "--height", 64, "--seed", 3)
    assert run("crowd", TUBE, "-o", tmp_path / "a.png", *size).code == 0
    assert run("bake", TUBE, "-o", tmp_path / "tube.safetensors").code == 0
    assert run("crowd", tmp_path / "tube.safetensors", "-o", tmp_path / "b.png", *size).code == 0
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
