# SPDX-License-Identifier: MIT
"""`lissom validate`: files and folders, good, bad and noted."""

import json
from pathlib import Path

import lissom
from cli.files import BAR, TUBE, noted_file, recording


def test_validate_says_that_a_file_is_missing(run, tmp_path: Path) -> None:
    missing = tmp_path / "none.glb"
    (record,) = json.loads(run("validate", missing, "--json").out)
    assert (record["code"], record["message"]) == ("IO_ERROR", "there is no such file")
    assert run("validate", missing).out == f"bad {missing}: there is no such file [IO_ERROR]\n"


def test_validate_tells_good_from_bad(run, bad_file: Path) -> None:
    assert run("validate", TUBE, BAR).code == 0
    result = run("validate", TUBE, bad_file)
    assert result.code == 1
    good, bad = result.out.splitlines()
    assert good.startswith("ok ")
    assert bad.startswith("bad ")
    assert str(bad_file) in bad


def test_validate_json_has_one_record_per_file(run, bad_file: Path) -> None:
    result = run("validate", TUBE, bad_file, "--json")
    assert result.code == 1
    good, bad = json.loads(result.out)
    assert (good["ok"], bad["ok"]) == (True, False)
    assert bad["code"]
    assert bad["message"]


def test_validate_counts_notes_and_lists_them_when_asked(run, tmp_path: Path) -> None:
    path = noted_file(tmp_path)
    notes = lissom.load(path, strict=True).repairs
    assert len(notes) == 2
    result = run("validate", path)
    assert result.code == 0
    (line,) = result.out.splitlines()
    assert line.startswith("ok ")
    assert line.endswith(", 2 notes")
    _, *listed = run("validate", path, "-v").out.splitlines()
    assert all(note.message in line for note, line in zip(notes, listed, strict=True))
    (record,) = json.loads(run("validate", path, "--json").out)
    assert record["notes"] == [
        {"code": note.code, "pointer": note.pointer, "message": note.message} for note in notes
    ]
    assert "note" not in run("validate", TUBE).out


def test_validate_takes_a_folder(run, bad_file: Path, tmp_path: Path) -> None:
    (tmp_path / "._arm.glb").write_bytes(b"what macOS leaves beside files")
    result = run("validate", tmp_path, "--json")
    assert [record["file"] for record in json.loads(result.out)] == [str(bad_file)]
    empty = tmp_path / "empty"
    empty.mkdir()
    assert (
        run("validate", empty).err
        == f"lissom: {empty}: the folder must hold a .glb, .gltf, .vrm or .bvh file, got none\n"
    )


def test_validate_takes_the_recordings_of_a_folder(run, tmp_path: Path) -> None:
    recording(tmp_path / "good.BVH")
    (tmp_path / "bad.bvh").write_text("HIERARCHY\nROOT\n")
    (tmp_path / "notes.txt").touch()
    result = run("validate", tmp_path)
    assert result.code == 1
    bad, good = result.out.splitlines()
    assert bad.startswith(f"bad {tmp_path / 'bad.bvh'}: ")
    assert good == f"ok  {tmp_path / 'good.BVH'}: 2 joints, 1 clip"
