# SPDX-License-Identifier: MIT
"""``lissom verify``: lines, JSON, a picture, and its exit code."""

import json
from pathlib import Path

import lissom


def test_a_sound_bake_and_one_that_is_too_coarse(run, tmp_path: Path) -> None:
    bake = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=10).save(tmp_path / "bar.safetensors")
    result = run("verify", "bar", bake)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("bake, 1 clip, error ")
    strict = run("verify", "bar", bake, "--max-error", "1e-6", "--json", "-o", tmp_path / "bar.png")
    assert strict.code == 1
    told = json.loads(strict.out)
    assert told["ok"] is False
    assert told["faults"] == []
    assert (tmp_path / "bar.png").read_bytes().startswith(b"\x89PNG")


def test_a_fault_is_named(run, tmp_path: Path) -> None:
    bar = lissom.samples.twisted_bar()
    late = lissom.bake(bar, "bend", rate=30).edited()
    late.texels[2:] = late.texels[:-2].copy()
    path = late.save(tmp_path / "late.safetensors")
    result = run("verify", "bar", path)
    assert result.code == 1
    assert "row_off_by_one in bend: its frames are 2 too late" in result.out


def test_what_is_no_bake_is_one_sentence(run, tmp_path: Path) -> None:
    result = run("verify", "bar", tmp_path / "none")
    assert (result.code, result.out) == (1, "")
    assert result.err == f"lissom: {tmp_path / 'none'}: there is no such file or folder\n"
