# SPDX-License-Identifier: MIT
"""``lissom export``: folders of one file and of many, job files, and runs that go on where they were."""

import json
import os
from pathlib import Path

import pytest

import lissom
from batch_files import contents
from cli.files import words

BAR, TUBE = "sample:twisted_bar", "sample:two_bone_tube"


def test_one_file_becomes_the_folder_itself(run, tmp_path: Path) -> None:
    out = tmp_path / "bar_three"
    result = run("export", "bar", "-o", out, "--form", "three", "--option", "count=7", "--rate", 10)
    assert (result.code, result.err) == (0, "")
    assert words(result.out).startswith(f"{out} three, ")
    assert "right-handed, y up, metres" in words(result.out)
    assert '"count": 7' in (out / "index.html").read_text()
    assert sorted(os.listdir(tmp_path)) == ["bar_three"]
    told = json.loads((out / "lissom-export.json").read_text())
    again = run("export", "bar", "-o", out, "--form", "three", "--option", "count=8", "--rate", 10, "--json")
    (document,) = json.loads(again.out)
    assert document["error"] == told["error"]
    assert document["reused"] is False
    assert '"count": 8' in (out / "index.html").read_text()


def test_many_files_become_folders_that_are_made_once(run, tmp_path: Path) -> None:
    command = ("export", BAR, TUBE, "-o", tmp_path / "out", "--form", "vertices", "--rate", 5, "--json")
    first = json.loads(run(*command).out)
    assert [document["status"] for document in first] == ["exported", "exported"]
    before = contents(tmp_path / "out")
    listed = json.loads((tmp_path / "out" / "exports.json").read_text())["exports"]
    assert [entry["name"] for entry in listed] == ["twisted_bar", "two_bone_tube"]
    assert all((tmp_path / "out" / entry["file"] / "README.md").is_file() for entry in listed)
    second = json.loads(run(*command).out)
    assert [document["reused"] for document in second] == [True, True]
    assert contents(tmp_path / "out") == before


def test_a_folder_that_was_changed_is_made_again(run, tmp_path: Path) -> None:
    command = ("export", BAR, TUBE, "-o", tmp_path, "--form", "vertices", "--rate", 5, "--json")
    folders = {document["name"]: Path(document["output"]) for document in json.loads(run(*command).out)}
    (folders["twisted_bar"] / "README.md").write_text("mine")
    again = {document["name"]: document["reused"] for document in json.loads(run(*command).out)}
    assert again == {"twisted_bar": False, "two_bone_tube": True}
    assert (folders["twisted_bar"] / "README.md").read_text() != "mine"


def test_files_of_users_are_no_change(run, tmp_path: Path) -> None:
    command = ("export", BAR, TUBE, "-o", tmp_path, "--form", "vertices", "--rate", 5, "--json")
    folders = [Path(document["output"]) for document in json.loads(run(*command).out)]
    (folders[0] / "notes.txt").write_text("mine")
    assert [document["reused"] for document in json.loads(run(*command).out)] == [True, True]
    (folders[0] / "README.md").unlink()
    assert [document["reused"] for document in json.loads(run(*command).out)] == [False, True]
    assert (folders[0] / "notes.txt").read_text() == "mine"


def test_the_working_folder_is_a_folder(run, tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "hero").mkdir()
    for start, out in (("hero", "."), ("hero/x", ".."), ("hero", "./")):
        (tmp_path / start).mkdir(exist_ok=True)
        monkeypatch.chdir(tmp_path / start)
        result = run("export", BAR, "-o", out, "--form", "vertices", "--rate", 5)
        assert (result.code, result.err) == (0, "")
        assert (tmp_path / "hero" / "hero.safetensors").is_file()


def test_options_beside_a_job_file_are_named_as_they_are_given(run, tmp_path: Path) -> None:
    (tmp_path / "job.toml").write_text(f'[[job]]\nsource = "{BAR}"\nform = "vertices"\n')
    result = run("export", tmp_path / "job.toml", "--option", "file=npz")
    assert result.code == 2
    assert "'--option': must be set in" in words(result.err)


def test_a_name_that_no_folder_may_have_is_said_of_the_option(run, tmp_path: Path) -> None:
    result = run("export", BAR, "-o", tmp_path / "a\\b", "--form", "vertices")
    assert result.code == 2
    assert "'-o': must hold no backslash" in words(result.err)


def test_a_job_file(run, tmp_path: Path) -> None:
    (tmp_path / "job.toml").write_text(
        '[defaults]\noutput = "out"\nrate = 5\n'
        '[[job]]\nsource = "sample:twisted_bar"\nform = "vertices"\nform_options = { file = "npz" }\n'
        '[[job]]\nsource = "sample:twisted_bar"\nname = "web/bar"\nform = "three"\nclips = ["bend"]\n'
    )
    result = run("export", tmp_path / "job.toml", "--json")
    assert result.code == 0
    one, other = json.loads(result.out)
    assert Path(one["output"], "twisted_bar.npz").is_file()
    assert Path(other["output"]).parent == tmp_path / "out" / "web"
    assert lissom.load_bake(Path(other["output"], "bar.safetensors")).clips.keys() == {"bend"}


def test_what_killed_runs_left_is_swept(run, tmp_path: Path) -> None:
    """Of a process of this machine that has ended: its number is free, or another's that is younger."""
    from lissom._formats.atomic import temporary_beside

    made = temporary_beside(tmp_path / "bar")
    left = made.with_name(made.name.replace(f".{os.getpid()}.", ".999999999."))
    left.mkdir()
    (left / "half.json").write_text("{")
    assert run("export", BAR, TUBE, "-o", tmp_path, "--form", "vertices", "--rate", 5).code == 0
    assert not left.exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--form", "vat"), "'--form': no form is named 'vat'"),
        (("--form", "three", "--option", "count=0"), "'--option': count must be at least 1, got 0"),
        (("--form", "three", "--option", "side=8"), "form 'three' has the options count, levels, got 'side'"),
        (("--form", "three", "--option", "8"), "must be NAME=VALUE, got '8'"),
        ((), "'--form': is required: three, babylon, godot"),
    ],
)
def test_wrong_forms_are_refused_before_anything_is_baked(run, tmp_path: Path, arguments, sentence) -> None:
    result = run("export", BAR, "-o", tmp_path / "x", *arguments)
    assert result.code == 2
    assert sentence in words(result.err)
    assert not (tmp_path / "x").exists()


def test_what_a_form_cannot_hold_is_said_of_the_file(run, tmp_path: Path) -> None:
    result = run("export", BAR, "-o", tmp_path / "x", "--form", "three", "--vertex-rate", 10)
    assert result.code == 1
    assert "sample:twisted_bar: export: form 'three' has the frames of the bake, got rate=10" in result.err
    assert os.listdir(tmp_path) == []
