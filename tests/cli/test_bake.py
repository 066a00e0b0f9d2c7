# SPDX-License-Identifier: MIT
"""`lissom bake`: what it writes, what it skips, nothing half-written."""

import json
from pathlib import Path

import pytest

import lissom
from cli.files import BAR, TUBE, noted_file, words


def test_bake_writes_a_file_that_loads(run, tmp_path: Path) -> None:
    out = tmp_path / "tube.safetensors"
    result = run("bake", TUBE, "-o", out, "--rate", 30, "--dtype", "float32", "--json")
    assert result.code == 0, result.err
    (record,) = json.loads(result.out)
    bake = lissom.load_bake(out)
    assert bake.texels.dtype == "float32"
    assert set(record["clips"]) == set(bake.clips)
    assert record["file_bytes"] == out.stat().st_size
    for name, clip in bake.clips.items():
        assert record["clips"][name]["frame_count"] == clip.frame_count
        assert record["clips"][name]["error"]["max"] == pytest.approx(clip.error.max)


def test_bake_goes_on_after_a_bad_file(run, bad_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "baked"
    result = run("bake", bad_file, TUBE, "-o", out)
    assert result.code == 1
    assert str(bad_file) in result.err
    assert result.err.count("\n") == 1
    assert [path.name for path in out.iterdir()] == ["two_bone_tube.safetensors"]
    for word in ("max error", *lissom.samples.two_bone_tube().clips):
        assert word in result.out


def test_bake_honours_max_error(run, tmp_path: Path) -> None:
    out = tmp_path / "bar.safetensors"
    result = run("bake", BAR, "-o", out, "--max-error", 1e-4, "--clips", "bend", "--json")
    assert result.code == 0, result.err
    (record,) = json.loads(result.out)
    assert list(record["clips"]) == ["bend"]
    assert record["clips"]["bend"]["error"]["max_relative"] <= 1e-4


def test_unreachable_max_error_leaves_no_file(run, tmp_path: Path) -> None:
    out = tmp_path / "bar.safetensors"
    result = run("bake", BAR, "-o", out, "--max-error", 1e-12)
    assert result.code == 1
    assert result.err.startswith(f"lissom: {BAR}: --max-error 1e-12 is out of reach: '")
    assert not list(tmp_path.iterdir())
    assert "Traceback" not in result.err


def test_bake_refuses_two_inputs_for_one_file(run, tmp_path: Path) -> None:
    result = run("bake", TUBE, BAR, "-o", tmp_path / "one.safetensors")
    assert result.code == 2
    assert "give a folder" in words(result.err)
    (tmp_path / "a").mkdir()
    for path in (tmp_path / "x.glb", tmp_path / "a" / "x.glb"):
        path.write_bytes(b"")
    result = run("bake", tmp_path, "-o", tmp_path / "out")
    assert result.code == 1
    assert "would both be written" in result.err
    assert not (tmp_path / "out").exists()


def test_bake_hints_at_max_error(run, tmp_path: Path) -> None:
    out = tmp_path / "bar.safetensors"
    result = run("bake", BAR, "-o", out, "--rate", 2, "--clips", "twist", "--json")
    (hint,) = json.loads(result.out)[0]["hints"]
    assert hint.startswith("'twist' is off by up to ")
    assert "2 frames per second are few for it; pass --max-error 0.005" in hint
    assert "hint: 'twist'" in run("bake", BAR, "-o", out, "--rate", 2).out
    assert "hint: " not in run("bake", BAR, "-o", out).out
    assert "hint: " not in run("bake", BAR, "-o", out, "--rate", 2, "--max-error", 0.01).out


def test_bake_skips_props_of_a_folder(run, tmp_path: Path) -> None:
    prop = noted_file(tmp_path)
    result = run("bake", tmp_path, "-o", tmp_path / "out")
    assert (result.code, result.out, result.err) == (0, f"{prop}: no clips, skipped\n", "")
    result = run("bake", prop, "-o", tmp_path / "out")
    assert (result.code, result.err) == (1, f"lissom: {prop}: has no clips to bake\n")


def test_bake_takes_parts_away_and_sets_loops(run, tmp_path: Path) -> None:
    out = tmp_path / "person.safetensors"
    person = lissom.samples.humanoid()
    part = person.mesh.parts[0].name
    clips = ("--clips", "walk", "--clips", "wave", "--no-loop", "walk", "--loop", "wave")
    assert run("bake", "sample:humanoid", "-o", out, "--rate", 5, "--without", part, *clips).code == 0
    bake = lissom.load_bake(out)
    assert {name: clip.loop for name, clip in bake.clips.items()} == {"walk": False, "wave": True}
    assert bake.mesh.vertex_count == person.without(part).mesh.vertex_count
    assert lissom.samples.humanoid().clips["walk"].loop  # samples are kept: theirs is not changed
    result = run("bake", "sample:humanoid", "-o", out, "--without", "tail")
    assert result.code == 1
    assert "no part is named 'tail'; " in result.err
