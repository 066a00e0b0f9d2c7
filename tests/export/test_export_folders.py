# SPDX-License-Identifier: MIT
"""Folders that are exported again: what users put there stays, links stay, several may write at once."""

import json
import multiprocessing
import os
import subprocess
import sys

import pytest

import lissom
from lissom._export import earlier
from lissom._export.folder import new_folder


@pytest.fixture(scope="module")
def bake():
    return lissom.bake(lissom.samples.twisted_bar(), "bend", rate=10)


def put(target, files):
    """Write an export of files by name."""
    with new_folder(target, "test: folder") as work:
        for name, text in files.items():
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            (work / name).write_text(text)
        listed = {name: len(text) for name, text in files.items()}
        (work / earlier.MARK).write_text(json.dumps({"files": listed}))


def texts(folder):
    """All files of a folder but the mark, and its empty folders."""
    found = {}
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name != earlier.MARK:
            found[name] = path.read_text()
        elif path.is_dir() and not any(path.iterdir()):
            found[name] = None
    return found


def test_files_of_users_stay_where_they_are(bake, tmp_path):
    folder = tmp_path / "hero"
    bake.export("three", folder, count=7)
    (folder / "lissom-three" / "index.js.meta").write_text("guid: 123")
    (folder / "scene.unity").write_text("mine")
    bake.export("unity", folder)
    assert (folder / "lissom-three" / "index.js.meta").read_text() == "guid: 123"
    assert (folder / "scene.unity").read_text() == "mine"
    told = json.loads((folder / "lissom-export.json").read_text())
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    mine = {"lissom-three/index.js.meta", "scene.unity"}
    assert names == {*told["files"], "README.md", "lissom-export.json", *mine}
    assert os.listdir(tmp_path) == ["hero"]


def test_what_was_written_makes_room_and_empty_folders_go(tmp_path):
    put(tmp_path / "a", {"x.txt": "1", "code/b.js": "1", "code/deep/c.js": "1"})
    put(tmp_path / "a", {"x.txt": "2", "y.txt": "2"})
    assert texts(tmp_path / "a") == {"x.txt": "2", "y.txt": "2"}


def test_a_file_of_users_is_not_written_over(tmp_path):
    put(tmp_path / "a", {"x.txt": "1"})
    (tmp_path / "a" / "y.txt").write_text("mine")
    (tmp_path / "a" / "code").write_text("mine, too")
    (tmp_path / "a" / "z.txt").mkdir()
    for name in ("y.txt", "code/b.js", "z.txt"):
        with pytest.raises(FileExistsError, match=f"got another {name} that the earlier export did not"):
            put(tmp_path / "a", {"x.txt": "2", name: "2"})
    assert texts(tmp_path / "a") == {"x.txt": "1", "y.txt": "mine", "code": "mine, too", "z.txt": None}
    assert os.listdir(tmp_path) == ["a"]


def test_a_mark_that_lists_nothing_keeps_all_others(tmp_path):
    put(tmp_path / "a", {"x.txt": "1", "y.txt": "1"})
    (tmp_path / "a" / earlier.MARK).write_text("{}")
    put(tmp_path / "a", {"x.txt": "2"})
    assert texts(tmp_path / "a") == {"x.txt": "2", "y.txt": "1"}


def test_marks_of_strangers_lead_nowhere_else(tmp_path):
    put(tmp_path / "a", {"x.txt": "1"})
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "n.txt").write_text("mine")
    (tmp_path / "a" / "link").symlink_to(tmp_path / "notes")
    names = ["../mine.txt", str(tmp_path / "mine.txt"), "link/n.txt", "..", "", ".", "\0"]
    (tmp_path / "a" / earlier.MARK).write_text(json.dumps({"files": dict.fromkeys(names, 1)}))
    (tmp_path / "a" / "x.txt").unlink()
    put(tmp_path / "a", {"x.txt": "2"})
    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert (tmp_path / "notes" / "n.txt").read_text() == "mine"


@pytest.mark.parametrize("step", range(6))
def test_a_failure_between_two_files_puts_all_back(tmp_path, monkeypatch, step):
    put(tmp_path / "a", {"x.txt": "1", "code/b.js": "1"})
    (tmp_path / "a" / "mine.txt").write_text("mine")
    before, mark = texts(tmp_path / "a"), (tmp_path / "a" / earlier.MARK).read_bytes()
    moves, move = [], earlier._move

    def fails(source, target):
        if len(moves) == step:
            moves.append(source)
            raise PermissionError(13, "it is open elsewhere")
        moves.append(source)
        move(source, target)

    monkeypatch.setattr(earlier, "_move", fails)
    files = {"x.txt": "2", "new/y.txt": "2", "code/c.js": "2"}
    if step < 5:  # two make room for three
        with pytest.raises(PermissionError):
            put(tmp_path / "a", files)
        assert texts(tmp_path / "a") == before
        assert (tmp_path / "a" / earlier.MARK).read_bytes() == mark
    else:
        put(tmp_path / "a", files)
        assert texts(tmp_path / "a") == {**files, "mine.txt": "mine"}
    assert os.listdir(tmp_path) == ["a"]


def test_after_a_kill_the_next_export_knows_the_files_of_both(tmp_path, monkeypatch):
    put(tmp_path / "a", {"x.txt": "1", "old.txt": "1"})
    (tmp_path / "a" / "mine.txt").write_text("mine")
    process = multiprocessing.get_context("fork").Process(target=killed, args=(tmp_path / "a",))
    process.start()
    process.join()
    assert process.exitcode == 9
    assert (tmp_path / "a" / "y.txt").read_text() == "2"
    put(tmp_path / "a", {"x.txt": "3"})
    assert texts(tmp_path / "a") == {"x.txt": "3", "mine.txt": "mine"}
    assert os.listdir(tmp_path) == ["a"]


def killed(folder):
    """Export, and end before the last file is in its place."""
    move = earlier._move

    def ends(source, target):
        move(source, target)
        if target.name == "y.txt":
            os._exit(9)

    earlier._move = ends
    put(folder, {"x.txt": "2", "y.txt": "2", "z.txt": "2"})


def test_links_stay_links(bake, tmp_path):
    (tmp_path / "real").mkdir()
    for link, leads in (("link", "real"), ("dangling", "nowhere")):
        (tmp_path / link).symlink_to(tmp_path / leads)
        for _ in range(2):
            report = bake.export("vertices", tmp_path / link, name="bar")
            assert report.folder == tmp_path / link
            assert (tmp_path / link).is_symlink()
            assert (tmp_path / leads / "bar.safetensors").is_file()
    (tmp_path / "round").symlink_to(tmp_path / "round")
    with pytest.raises(OSError, match="must be a folder, got a link that leads to itself"):
        bake.export("vertices", tmp_path / "round")
    assert sorted(os.listdir(tmp_path)) == ["dangling", "link", "nowhere", "real", "round"]


def test_the_working_folder_stays_the_same(bake, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = tmp_path.stat().st_ino
    for _ in range(2):
        bake.export("vertices", ".", name="bar")
    assert sorted(os.listdir()) == ["README.md", "bar.safetensors", "lissom-export.json"]
    assert tmp_path.stat().st_ino == before


WRITER = """
import sys
from pathlib import Path
from lissom._export.folder import new_folder
for i in range(150):
    with new_folder(Path(sys.argv[1]), "test: folder") as work:
        (work / "lissom-export.json").write_text('{"files": {"a": 1}}')
        (work / "a").write_text("a")
"""


def test_several_may_export_into_one_folder(tmp_path):
    command = [sys.executable, "-c", WRITER, tmp_path / "one"]
    writers = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    assert [writer.communicate()[1] for writer in writers] == ["", "", ""]
    assert os.listdir(tmp_path) == ["one"]
    assert texts(tmp_path / "one") == {"a": "a"}
