# SPDX-License-Identifier: MIT
"""`lissom render`: pictures as the library draws them."""

from pathlib import Path

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
