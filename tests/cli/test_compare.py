# SPDX-License-Identifier: MIT
"""`lissom compare`: pictures and numbers as the library's."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import lissom
from cli.files import BAR, is_png
from lissom._pictures.compare_text import percent


@pytest.mark.gl
def test_compare_gives_picture_and_numbers(run, tmp_path: Path) -> None:
    out = tmp_path / "bar.png"
    result = run("compare", BAR, "-o", out, "--clip", "twist", "--time", 2, "--json")
    assert result.code == 0, result.err
    assert is_png(out)
    record = json.loads(result.out)
    bar = lissom.samples.twisted_bar()
    pose = bar.clips["twist"].at(0.5)
    assert record["numbers"] == json.loads(json.dumps(lissom.compare(bar, pose).numbers, default=float))
    shown = run("compare", BAR, "-o", out, "--clip", "twist", "--time", 2)
    assert shown.code == 0
    assert "\ntwisted_bar: twist at 2.00 s: up to 16.5 % of size\n" in shown.out
    assert re.search(r"against bind pose +linear +dual_quat\n", shown.out)
    assert re.search(r"volume +-50\.0 % +-0\.3. %\n", shown.out)
    assert re.search(r"smallest determinant +0\.00 +1\.00\n", shown.out)
    assert re.search(
        r"linear to dual_quat: max 16\.5 %, .* of the size, 4\.243; max at vertex \d+\n", shown.out
    )


@pytest.mark.gl
def test_compare_bends_and_twists_the_figures(run, tmp_path: Path) -> None:
    size = ("-o", tmp_path / "x.png", "--width", 96, "--height", 32, "--json")

    def numbers(*arguments: object) -> dict:
        result = run("compare", *arguments, *size)
        assert result.code == 0, result.err
        return json.loads(result.out)["numbers"]

    tube = lissom.samples.two_bone_tube()
    pose = tube.skeleton.rest.astype(float)
    turns = (([0, 0, 1.0], 40), ([1.0, 0, 0], 70))
    pose[1, 3:7] = lissom.quat.multiply(
        *(lissom.quat.from_axis_angle(axis, np.radians(degrees)) for axis, degrees in turns)
    )
    expected = lissom.compare(tube, pose, ("dual_quat", "linear"), width=96, height=32).numbers
    found = numbers("tube", "--bend", 40, "--twist", 70, "--methods", "dual_quat,linear")
    assert found == json.loads(json.dumps(expected))
    assert found["bend"]["angle"] == pytest.approx(np.radians(40))
    assert numbers("tube")["bend"]["angle"] == pytest.approx(np.pi / 2)
    assert numbers("tube", "--twist", 70)["bend"] is None
    # A square column twisted by a linearly keeps (2 + cos a) / 3 of the volume between its ends.
    linear = numbers("bar")["by_method"]["linear"]["volume_change"]
    assert linear == pytest.approx(0.75 * ((2 + np.cos(np.radians(150))) / 3 - 1), abs=1e-3)
    assert numbers("sample:twisted_bar", "--twist", 0)["max"] == pytest.approx(0, abs=1e-6)
    assert numbers("humanoid", "--heat", "dual_quat,linear")["between"] == ["dual_quat", "linear"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("tube", "--methods", "linear,dance"), "must be two or more of linear, dual_quat"),
        (("tube", "--methods", "linear"), "must be two or more of linear, dual_quat"),
        (("tube", "--heat", "linear"), "must be two of linear, dual_quat, with a comma between, got"),
        (
            ("tube", "--heat", "linear,cor"),
            "must be among --methods, linear,dual_quat, got 'cor'; add it there",
        ),
        (("tube", "--heat", "linear,dance"), "must be two of linear, dual_quat, with a comma between, got"),
        (("humanoid", "--bend", 20), "must be left out, except for the samples bar and tube"),
        (("bar", "--twist", 20, "--clip", "twist"), "must be left out beside --clip"),
        (("bar", "--twist", "nan"), "must be a finite number of degrees, got nan"),
        (("bar", "--azimuth", "nan"), "'--azimuth': must be a finite number of degrees, got nan"),
        (("bar", "--methods", "linear,linear"), "each once, with a comma between"),
        (("bar", "--heat", "linear,linear"), "must be two of linear, dual_quat, with a comma between, got"),
        (("bar", "--blend", 0.5), "'--blend': needs blended among --methods"),
        (
            ("bar", "--methods", "linear,blended", "--blend", 2),
            "must be a number from 0 to 1, or bend, got '2'",
        ),
        (("bar", "--methods", "linear,blended", "--blend", "twist"), "or bend, got 'twist'"),
    ],
)
def test_compare_refuses_what_does_not_go_together(run, tmp_path: Path, arguments, words: str) -> None:
    result = run("compare", *arguments, "-o", tmp_path / "x.png")
    assert (result.code, result.out) == (2, "")
    assert words in " ".join(result.err.replace("│", " ").split())
    assert not list(tmp_path.iterdir())


@pytest.mark.gl
def test_compare_without_a_pose_goes_where_the_methods_differ(run, tmp_path: Path) -> None:
    result = run("compare", "humanoid", "-o", tmp_path / "x.png", "--width", 96, "--height", 32, "--json")
    facts = json.loads(result.out)
    assert (facts["clip"], facts["searched"]) == ("wave", True)
    assert facts["numbers"]["max_relative"] > 0.01
    shown = run("compare", "humanoid", "-o", tmp_path / "x.png", "--width", 96, "--height", 32).out
    most = percent(facts["numbers"]["max_relative"])
    assert f"wave at {facts['time']:.2f} s: where they differ most: {most} of size\n" in shown
    one = run(
        "compare", "humanoid", "-o", tmp_path / "x.png", "--clip", "walk", "--width", 96, "--height", 32
    )
    assert re.search(r"walk at .* s: most in this clip: .* % of size\n", one.out)


@pytest.mark.gl
def test_methods_that_agree_are_no_table_of_zeros(run, tmp_path: Path) -> None:
    tube = lissom.samples.two_bone_tube()
    still = lissom.Character("still", tube.skeleton, tube.mesh, tube.skin)
    lissom.save_glb(still, tmp_path / "still.glb")
    out = tmp_path / "x.png"
    result = run("compare", tmp_path / "still.glb", "-o", out, "--width", 96, "--height", 32)
    assert (result.code, result.out) == (0, f"{out}\nrest pose: the methods agree\n")


@pytest.mark.gl
def test_compare_comes_close(run, tmp_path: Path) -> None:
    out, other = tmp_path / "x.png", tmp_path / "y.png"
    size = ("--width", 96, "--height", 32)
    for focus in ("Tip", "max"):
        assert run("compare", "tube", "-o", out, "--focus", focus, *size).code == 0
        assert run("compare", "tube", "-o", other, *size).code == 0
        assert out.read_bytes() != other.read_bytes()
    result = run("compare", "tube", "-o", out, "--focus", "tip", *size)
    assert (result.code, result.err) == (
        1,
        "lissom: sample:two_bone_tube: no joint is named 'tip'; did you mean 'Tip'? "
        "(`lissom info sample:two_bone_tube` lists them)\n",
    )


@pytest.mark.gl
def test_compare_blends_as_it_is_told(run, tmp_path: Path) -> None:
    size = ("-o", tmp_path / "x.png", "--width", 96, "--height", 32, "--json")

    def apart(*blend: object) -> float:
        result = run("compare", "tube", "--methods", "linear,blended", *blend, *size)
        return json.loads(result.out)["numbers"]["max"]

    assert apart("--blend", 0) == pytest.approx(0, abs=1e-6)
    assert 0 < apart("--blend", 0.25) < apart() == apart("--blend", 0.5) < apart("--blend", 1)
    assert apart("--blend", "bend") != apart("--blend", 1)
