# SPDX-License-Identifier: MIT
"""Where the command writes: what cannot be written is refused at the start, by its place and the reason."""

import os
import sys
import tempfile
from pathlib import Path

import pytest

import lissom
from cli.files import BAR, TUBE, is_png
from lissom._formats.faults import folder_fault, make_folder, os_reason
from lissom.cli import bake as baking


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file in place of a folder."""
    path = tmp_path / "A File"
    path.write_text("mine")
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


# --- folders ---


def test_folders_that_can_be_written_into_have_no_fault_and_stay_as_they_are(tmp_path: Path) -> None:
    assert folder_fault(tmp_path) is None
    assert folder_fault(tmp_path / "new" / "er") is None
    assert list(tmp_path.iterdir()) == []


def test_the_fault_of_a_folder_names_what_stands_in_its_way(tmp_path: Path, file: Path) -> None:
    below = file / "a" / "b"
    assert folder_fault(file) == f"{file}: must be a folder, got a file"
    assert folder_fault(below) == f"{below}: the folder cannot be made, for {file} is a file"
    with pytest.raises(OSError, match="the folder cannot be made") as refused:
        make_folder(below)
    assert (refused.value.filename, os_reason(refused.value)) == (
        str(below),
        f"the folder cannot be made, for {file} is a file",
    )


@pytest.mark.skipif(os.name != "posix", reason="symbolic links")
def test_a_link_that_leads_nowhere_is_no_folder(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "gone")
    assert folder_fault(link) == f"{link}: must be a folder, got a link that leads nowhere"
    link.unlink()
    link.symlink_to(tmp_path)
    assert folder_fault(link / "new") is None


def test_a_folder_without_permission_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(dir: Path) -> None:
        raise PermissionError(13, "Permission denied", str(dir))

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    new = tmp_path / "new"
    assert folder_fault(tmp_path) == (
        f"{tmp_path}: nothing can be written into this folder: permission denied"
    )
    assert folder_fault(new) == (
        f"{new}: the folder cannot be made, for nothing can be written into {tmp_path}: permission denied"
    )


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_folder_of_the_system_takes_no_files() -> None:
    assert folder_fault(Path("/proc/new")) == (
        "/proc/new: the folder cannot be made, for nothing can be written into /proc: "
        "the system takes no files there"
    )


# --- commands ---


WRITERS = {
    "render": (("render", TUBE), "x.png"),
    "a walk": (("render", "humanoid", "--walk-on", "stair"), "x.glb"),
    "compare": (("compare", BAR), "x.png"),
    "crowd": (("crowd", TUBE), "x.png"),
    "verify": (("verify", TUBE, "none"), "x.png"),
    "show": (("show", TUBE), "x.html"),
    "bake into a file": (("bake", TUBE), "x.safetensors"),
    "export": (("export", TUBE, BAR, "--form", "vertices"), "x"),
    "bake into a folder": (("bake", TUBE, BAR), "x"),
    "demo": (("demo",), "x"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_command_refuses_a_folder_that_cannot_be_made_before_it_works(
    run, tmp_path: Path, file: Path, monkeypatch, name: str
) -> None:
    arguments, target = WRITERS[name]
    for module in ("render", "compare", "bake_many", "bake", "verify"):
        monkeypatch.setattr(lissom, module, None)  # to call one would be an error
    # "_jobs.sources" is what the others take.
    for module in ("cli.crowd", "cli.validate", "cli.verify", "_jobs.sources"):
        monkeypatch.setattr(f"lissom.{module}.load", None)
    result = run(*arguments, "-o", file / "out" / target)
    folder = file / "out" / target if target == "x" else file / "out"
    assert (result.code, result.out) == (1, "")
    assert result.err == f"lissom: -o: {folder}: the folder cannot be made, for {file} is a file\n"
    assert (names(tmp_path), file.read_text()) == (["A File"], "mine")


@pytest.mark.parametrize("name", ["render", "compare", "crowd", "show", "verify"])
def test_a_folder_is_not_written_over(run, tmp_path: Path, name: str) -> None:
    arguments, target = WRITERS[name]
    (tmp_path / target).mkdir()
    result = run(*arguments, "-o", tmp_path / target)
    assert (result.code, result.err) == (
        1,
        f"lissom: -o: {tmp_path / target}: must be the name of a file, got a folder\n",
    )


def test_a_job_file_that_names_such_a_folder_is_refused(run, tmp_path: Path, file: Path) -> None:
    job = tmp_path / "job.toml"
    job.write_text('[[job]]\nsource = "tube"\noutput = "A File/out"\n')
    result = run("bake", job)
    assert (result.code, result.err) == (
        1,
        f"lissom: output: {file / 'out'}: the folder cannot be made, for {file} is a file\n",
    )


def test_bake_many_tells_of_a_folder_that_cannot_be_made(file: Path) -> None:
    (record,) = lissom.bake_many([lissom.BakeJob(TUBE, file / "out", rate=5)])
    assert (record.status, record.message) == (
        "unfinished",
        f"{file / 'out'}: the folder cannot be made, for {file} is a file",
    )


# --- what bakes have beside them ---


def test_a_report_that_cannot_be_written_is_refused_before_anything_is_baked(
    run, tmp_path: Path, file: Path
) -> None:
    (tmp_path / "folder.png").mkdir()
    sentences = {
        file / "pictures": f"{file / 'pictures'}: the folder cannot be made, for {file} is a file",
        file: f"{file}: must be a folder, got a file",
        file / "x.png": f"{file}: must be a folder, got a file",
        tmp_path / "folder.png": f"{tmp_path / 'folder.png'}: must be the name of a file, got a folder",
    }
    for report, sentence in sentences.items():
        result = run("bake", TUBE, "-o", tmp_path / "out", "--report", report)
        assert (result.code, result.out, result.err) == (1, "", f"lissom: --report: {sentence}\n")
    assert names(tmp_path) == ["A File", "folder.png"]


def test_a_report_without_what_draws_it_is_refused_before_anything_is_baked(
    run, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    result = run("bake", TUBE, "-o", tmp_path / "out", "--report", tmp_path / "pictures")
    assert result.code == 1
    assert result.err.startswith('lissom: --report needs Pillow, which is in the extra "gl": pip install ')
    assert names(tmp_path) == []


def test_a_picture_that_cannot_be_written_costs_no_bake(run, tmp_path: Path) -> None:
    out, pictures = tmp_path / "out", tmp_path / "pictures"
    taken = pictures / "two_bone_tube.png"
    taken.mkdir(parents=True)
    result = run("bake", TUBE, BAR, "-o", out, "--rate", 10, "--report", pictures)
    assert (result.code, result.err) == (1, f"lissom: {taken}: is a directory\n")
    assert "2 baked in " in result.out
    assert len(list(out.glob("*.safetensors"))) == 2
    assert is_png(pictures / "twisted_bar.png")
    taken.rmdir()
    again = run("bake", TUBE, BAR, "-o", out, "--rate", 10, "--report", pictures)
    assert (again.code, "2 unchanged in " in again.out, is_png(taken)) == (0, True, True)


def test_a_page_that_cannot_be_written_costs_no_bake(run, tmp_path: Path, monkeypatch) -> None:
    def fail(bake: Path, title: str, *, is_kept: bool) -> None:
        raise OSError(28, "No space left on device", str(bake.with_suffix(".html")))

    monkeypatch.setattr(baking, "page_beside", fail)
    result = run("bake", TUBE, BAR, "-o", tmp_path, "--rate", 10, "--html")
    assert result.code == 1
    first, second = result.err.splitlines()
    assert first.endswith(".html: no space left on device")
    assert second.endswith(".html: no space left on device")
    assert len(list(tmp_path.glob("*.safetensors"))) == 2
    assert (tmp_path / "bakes.json").exists()
    assert "beside each bake a page" not in result.out
    assert "plays it: open this" not in run("bake", TUBE, "-o", tmp_path, "--rate", 10, "--html").out
