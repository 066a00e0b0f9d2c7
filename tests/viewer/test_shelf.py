# SPDX-License-Identifier: MIT
"""Which files are shown: those of the list, and nothing that a name could lead to."""

import json
import os

import pytest

import lissom
from bvh_files import GOOD
from lissom._viewer import shelf as shelf_module
from lissom._viewer.shelf import Refused, Shelf
from viewer.asking import ask, files, watched


def names(viewer):
    return [name for _, name in files(viewer)["files"]]


def test_a_folder_is_listed_with_what_is_below_it(folder, viewer):
    for name in ("walk10.bvh", "Walk2.BVH", "notes.txt", ".hidden.bvh", "x.glb"):
        (folder / name).write_text(GOOD)
    (folder / ".git").mkdir()
    (folder / ".git" / "x.glb").touch()
    assert names(viewer) == ["below/walk.bvh", "walk.bvh", "Walk2.BVH", "walk10.bvh", "x.glb"]
    told = files(viewer)
    assert (told["isFolder"], told["note"]) == (True, "")


def test_every_file_of_the_list_is_shown(viewer):
    for key, _ in files(viewer)["files"]:
        answer = ask(viewer, f"bundle/{key}")
        assert answer.status == 200
        length = int.from_bytes(answer.body[:8], "little")
        assert b'"positions"' in answer.body[8 : 8 + length]


@pytest.mark.parametrize(
    "key",
    [
        "../outside.bvh",
        "..%2Foutside.bvh",
        "%2e%2e%2foutside.bvh",
        "%2E%2E/outside.bvh",
        "..%5Coutside.bvh",
        "..%252Foutside.bvh",
        "below%2F..%2F..%2Foutside.bvh",
        "below//walk.bvh",
        ".%2Fwalk.bvh",
        "%2Fetc%2Fpasswd",
        "{outside}",
        "walk.bvh%00.glb",
        "%00",
        "",
        ".",
        "..",
        "C:%5Coutside.bvh",
        "%C0%AE%C0%AE%2Foutside.bvh",
        "..%E2%88%95outside.bvh",
        "walk.bvh%2F",
        "notes.txt",
        "below",
    ],
)
def test_what_is_not_of_the_list_is_refused(folder, viewer, key):
    (folder / "notes.txt").write_text("secret")
    key = key.format(outside=str(folder.parent / "outside.bvh").replace("/", "%2F"))
    answer = ask(viewer, f"bundle/{key}")
    # What is a plain name inside the folder could be a file's: there is none.
    assert answer.status == 404 or answer.sentence.endswith("there is no such file")
    assert watched(viewer, key) == (404 if answer.status == 404 and key else 200)  # no key: of the list alone


@pytest.mark.parametrize(
    "key",
    [
        ".hid.bvh",
        ".hid%2Fwalk.bvh",
        "below%2F.hid%2Fwalk.bvh",
        "%2ehid.bvh",
        "led%2Fwalk.bvh",
        "led%2F..hid.bvh",
    ],
)
def test_what_the_list_hides_is_refused(folder, viewer, key):
    (folder / "led").symlink_to("below", target_is_directory=True)
    for hidden in (folder / ".hid", folder / "below" / ".hid"):
        hidden.mkdir()
        (hidden / "walk.bvh").write_text(GOOD)
    for hidden in (folder / ".hid.bvh", folder / "below" / "..hid.bvh"):
        hidden.write_text(GOOD)
    assert names(viewer) == ["below/walk.bvh", "walk.bvh"]
    answer = ask(viewer, f"bundle/{key}")
    assert (answer.status, answer.sentence) == (404, "a file must be named as in the list")
    assert watched(viewer, key) == 404


def test_links_are_followed_inside_and_no_further(folder, viewer):
    (folder / "in.bvh").symlink_to("below/walk.bvh")
    (folder / "out.bvh").symlink_to(folder.parent / "outside.bvh")
    (folder / "circle.bvh").symlink_to("circle.bvh")
    (folder / ".store").mkdir()
    (folder / ".store" / "1.bvh").write_text(GOOD)
    (folder / "kept.bvh").symlink_to(".store/1.bvh")  # as git-annex does
    (folder / "up").symlink_to(folder.parent, target_is_directory=True)
    told = files(viewer)
    listed = [name for _, name in told["files"]]
    assert {"in.bvh", "kept.bvh"} <= set(listed)
    assert not {"out.bvh", "up/outside.bvh"} & set(listed)
    assert told["note"] == "links that lead out of the folder: 2"  # a circle leads nowhere
    assert ask(viewer, "bundle/in.bvh").is_bundle
    for key in ("out.bvh", "up%2Foutside.bvh"):
        answer = ask(viewer, f"bundle/{key}")
        assert answer.status == 404
        assert answer.sentence == "the file leads out of the folder, which is not followed"
        assert watched(viewer, key) == 404


def test_a_file_alone_shows_nothing_beside_it(folder):
    with lissom.view(folder / "walk.bvh", browser=False) as viewer:
        assert names(viewer) == ["walk.bvh"]
        assert not files(viewer)["isFolder"]
        assert ask(viewer, "bundle/walk.bvh").is_bundle
        assert ask(viewer, "bundle/below%2Fwalk.bvh").status == 404
        (folder / "other.bvh").write_text(GOOD)
        answer = ask(viewer, "bundle/other.bvh")
        assert (answer.status, answer.sentence) == (404, "only the file that was named is shown")


def test_names_are_text_wherever_they_stand(folder, viewer):
    odd = '<script>alert(1)</script>&"\n\x1b[31m.bvh'.replace("/", "\u2215")
    (folder / odd).write_text("nonsense")
    (folder / os.fsdecode(b"caf\xe9.bvh")).write_text(GOOD)
    told = ask(viewer, "files")
    assert b"\x1b" not in told.body
    by_name = {name: key for key, name in json.loads(told.body)["files"]}
    (name,) = [name for name in by_name if name.startswith("<script>")]
    assert name.endswith("\\n\\x1b[31m.bvh")
    assert ask(viewer, "bundle/caf%E9.bvh").is_bundle
    answer = ask(viewer, f"bundle/{by_name[name]}")
    assert answer.is_fault
    assert answer.headers["Content-Type"] == "application/json"  # with nosniff: no page, whatever it holds


def test_the_title_of_a_folder_is_escaped(tmp_path):
    folder = tmp_path / "<b>&amp;"
    folder.mkdir()
    with lissom.view(folder, browser=False) as viewer:
        assert b"<title>&lt;b&gt;&amp;amp;</title>" in ask(viewer).body
        assert files(viewer)["files"] == []


def test_a_bad_file_is_one_sentence(folder, viewer):
    (folder / "bad.glb").write_bytes(b"glTF\2\0\0\0\x20\0\0\0 not a chunk")
    answer = ask(viewer, "bundle/bad.glb")
    assert answer.is_fault
    assert answer.sentence.startswith("bad.glb: ")
    assert "\n" not in answer.sentence
    assert ask(viewer, "bundle/walk.bvh").is_bundle


def test_long_lists_say_that_they_are_cut(folder, viewer, monkeypatch):
    monkeypatch.setattr(shelf_module, "MOST_FILES", 3)
    for i in range(5):
        (folder / f"{i}.bvh").touch()
    told = files(viewer)
    assert len(told["files"]) == 3
    assert told["note"] == "only the first 3 files are listed"


def test_folders_that_cannot_be_read_are_told(folder, viewer, monkeypatch):
    scan = os.scandir

    def denied(path):
        if os.fspath(path).endswith("below"):
            raise PermissionError(13, "Permission denied", os.fspath(path))
        return scan(path)

    monkeypatch.setattr(shelf_module.os, "scandir", denied)
    told = files(viewer)
    assert [name for _, name in told["files"]] == ["walk.bvh"]
    assert told["note"] == "folders that cannot be read: 1"
    monkeypatch.setattr(shelf_module.os, "scandir", lambda path: denied("below"))
    with pytest.raises(PermissionError, match="Permission denied"):
        Shelf(str(folder), "view")


def test_what_cannot_be_shown_at_all_is_said_at_once(folder, tmp_path):
    with pytest.raises(FileNotFoundError):
        lissom.view(tmp_path / "none.glb", browser=False)
    (folder / "notes.txt").touch()
    with pytest.raises(ValueError, match=r"notes\.txt must end in \.glb, .* or \.safetensors"):
        lissom.view(folder / "notes.txt", browser=False)
    with pytest.raises(TypeError, match="view: path must be a path, got int"):
        lissom.view(3, browser=False)
    with pytest.raises(TypeError, match=r"path must be a path, got Character; its method show\(\) plays it$"):
        lissom.view(lissom.samples.twisted_bar(), browser=False)
    with pytest.raises(ValueError, match="null characters"):
        lissom.view("a\0b", browser=False)


def test_a_link_that_is_turned_later_is_refused_when_it_is_asked_for(folder):
    shelf = Shelf(str(folder), "view")
    link = folder / "link.bvh"
    link.symlink_to("walk.bvh")
    assert shelf.path("link.bvh") == str((folder / "walk.bvh").resolve())
    link.unlink()
    link.symlink_to(folder.parent / "outside.bvh")
    with pytest.raises(Refused, match="leads out of the folder"):
        shelf.path("link.bvh")
