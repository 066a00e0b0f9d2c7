# SPDX-License-Identifier: MIT
"""Files that are written while they are shown, and converted again."""

import os
import shutil

import pytest

import lissom
from bvh_files import GOOD
from lissom._jobs.guard import Guard
from lissom._viewer import desk as desk_module
from lissom._viewer.bundle_work import BundleWork
from lissom._viewer.converter import GRACE_SECONDS, Converted, Converter, NotWanted
from lissom._viewer.desk import Desk
from lissom._viewer.shelf import Shelf
from viewer.asking import Events, ask, files


def stamp(viewer, key="walk.bvh"):
    answer = ask(viewer, f"bundle/{key}")
    return answer.headers["X-Lissom-Stamp"]


def test_a_file_that_is_written_again_is_told_and_read_again(folder, viewer):
    first = ask(viewer, "bundle/walk.bvh")
    with Events(viewer, "walk.bvh", first.headers["X-Lissom-Stamp"]) as events:
        assert events.next() == ("watching", "")
        (folder / "walk.bvh").write_text(GOOD + "\n\n")
        new, before = events.until("changed")
        assert set(before) <= {"writing"}
        second = ask(viewer, "bundle/walk.bvh")
        assert second.headers["X-Lissom-Stamp"] == new != first.headers["X-Lissom-Stamp"]
        assert second.status == 200


def test_a_file_that_goes_and_comes_back_is_told(folder, viewer):
    with Events(viewer, "walk.bvh", stamp(viewer)) as events:
        assert events.next() == ("watching", "")
        os.rename(folder / "walk.bvh", folder / "kept")
        events.until("gone")
        answer = ask(viewer, "bundle/walk.bvh")
        assert (answer.status, answer.sentence) == (200, "walk.bvh: there is no such file")
        os.rename(folder / "kept", folder / "walk.bvh")
        events.until("same")


def test_a_bad_version_is_told_and_the_next_good_one_read(folder, viewer):
    with Events(viewer, "walk.bvh", stamp(viewer)) as events:
        (folder / "walk.bvh").write_text(GOOD[: len(GOOD) // 2])
        events.until("changed")
        bad = ask(viewer, "bundle/walk.bvh")
        assert bad.is_fault
        assert bad.sentence.startswith("walk.bvh: ")
        assert bad.headers["X-Lissom-Stamp"]
        (folder / "walk.bvh").write_text(GOOD)
        new, _ = events.until("changed")
        assert ask(viewer, "bundle/walk.bvh").headers["X-Lissom-Stamp"] == new


def test_the_list_is_told_when_it_is_another(folder, viewer, monkeypatch):
    monkeypatch.setattr("lissom._viewer.changes.LIST_SECONDS", 0.0)
    with Events(viewer, "walk.bvh", stamp(viewer)) as events:
        assert events.next() == ("watching", "")
        (folder / "new.bvh").write_text(GOOD)
        events.until("files")
        assert "new.bvh" in [name for _, name in files(viewer)["files"]]


def test_a_page_that_asks_again_by_itself_is_told_once(folder, viewer):
    first = stamp(viewer)

    def told():
        with Events(viewer, "walk.bvh", first, "&brief=1") as events:
            return events.rest()

    assert told() == ["watching", "same", "again"]
    (folder / "new.bvh").write_text(GOOD)  # the list is not told of
    (folder / "walk.bvh").write_text(GOOD + "\n\n")
    assert told() == ["watching", "writing", "changed", "again"]
    (folder / "walk.bvh").unlink()
    assert told() == ["watching", "gone", "again"]


def test_an_empty_folder_is_told_of_its_first_file(tmp_path, monkeypatch):
    monkeypatch.setattr("lissom._viewer.changes.LIST_SECONDS", 0.0)
    with lissom.view(tmp_path, browser=False) as viewer, Events(viewer, "", "") as events:
        assert (events.status, events.next()) == (200, ("watching", ""))
        (tmp_path / "new.bvh").write_text(GOOD)
        assert events.until("files") == ("", [])


def test_files_that_a_gltf_names_are_watched_too(tmp_path):
    hero = lissom.samples.two_bone_tube()
    lissom.save_glb(hero, tmp_path / "tube.glb")
    data = (tmp_path / "tube.glb").read_bytes()
    length = int.from_bytes(data[12:16], "little")
    text = data[20 : 20 + length].rstrip()
    (tmp_path / "tube.bin").write_bytes(data[28 + length :])
    (tmp_path / "tube.gltf").write_bytes(text.replace(b'"buffers":[{', b'"buffers":[{"uri":"tube.bin",'))
    with lissom.view(tmp_path / "tube.gltf", browser=False) as viewer:
        answer = ask(viewer, "bundle/tube.gltf")
        assert answer.status == 200
        with Events(viewer, "tube.gltf", answer.headers["X-Lissom-Stamp"]) as events:
            assert events.next() == ("watching", "")
            shutil.copy(tmp_path / "tube.bin", tmp_path / "copy")
            os.replace(tmp_path / "copy", tmp_path / "tube.bin")
            events.until("changed")


class Writing:
    """A converter during whose work the file is written, as often as it is told."""

    def __init__(self, path, times):
        self.path, self.times, self.asked = path, times, 0

    def kept(self, source, stamp):
        return None

    def convert(self, source, title, stamp, is_wanted):
        self.asked += 1
        if self.asked <= self.times:
            self.path.write_text(GOOD + "\n" * self.asked)
            return Converted(fault=f"{source}: is cut off")
        return Converted(b"bundle")


def test_a_file_that_changes_while_it_is_read_is_read_again(folder):
    path = folder / "walk.bvh"
    converter = Writing(path, 2)
    shown = Desk(Shelf(str(folder), "view"), converter).shown("walk.bvh")
    assert (shown.data, shown.fault, converter.asked) == (b"bundle", "", 3)


def test_a_file_that_does_not_rest_is_said_to_be_written(folder, monkeypatch):
    monkeypatch.setattr(desk_module, "WRITING_SECONDS", 0.0)
    path = folder / "walk.bvh"
    shown = Desk(Shelf(str(folder), "view"), Writing(path, 99)).shown("walk.bvh")
    assert (shown.data, shown.fault) == (b"", "walk.bvh: is being written")


def test_a_file_that_may_not_be_read_is_one_sentence(folder, monkeypatch):
    def denied(source, beside=()):
        raise PermissionError(13, "Permission denied", source)

    monkeypatch.setattr(desk_module, "stamp_of", denied)
    shown = Desk(Shelf(str(folder), "view"), Writing(folder, 0)).shown("walk.bvh")
    assert shown.fault == "walk.bvh: permission denied"


def test_what_was_read_is_kept(folder, viewer, monkeypatch):
    first = ask(viewer, "bundle/walk.bvh")
    monkeypatch.setattr(Converter, "_made", lambda *_: pytest.fail("converted again"))
    assert ask(viewer, "bundle/walk.bvh").body == first.body


class Clock:
    """Stands, or goes on by so many seconds whenever it is looked at."""

    now = step = 0.0

    def __call__(self):
        self.now += self.step
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def slow(tmp_path, monkeypatch, clock):
    """A converter with a child of its own, which tests may kill."""
    monkeypatch.setattr("lissom._viewer.converter.Guard", Guard)
    converter = Converter(tmp_path, most_seconds=60.0, clock=clock)
    yield converter
    converter.close()


def test_a_file_that_takes_too_long_is_given_up(slow, monkeypatch, clock):
    monkeypatch.setattr("lissom._viewer.converter.BundleWork", Endless)
    clock.step = 25.0
    made = slow.convert("x.glb", "x", "1")
    assert made.fault == "x.glb: takes more than 60 s to show"
    assert clock.now == 100.0  # seen at 0, 25 and 50 s, and at 75 s
    monkeypatch.setattr("lissom._viewer.converter.BundleWork", BundleWork)
    clock.step = 0.0
    assert slow.convert("sample:two_bone_tube", "tube", "1").data  # by another child


def test_what_nobody_waits_for_is_given_up_after_a_while(slow, monkeypatch, clock):
    monkeypatch.setattr("lissom._viewer.converter.BundleWork", Endless)
    clock.step = GRACE_SECONDS / 2
    with pytest.raises(NotWanted):
        slow.convert("x.glb", "x", "1", is_wanted=lambda: False)
    assert clock.now == 4 * clock.step  # begun at 1, and 3 steps later is more than the grace


def test_a_child_that_dies_is_a_sentence(slow, monkeypatch):
    monkeypatch.setattr("lissom._viewer.converter.BundleWork", Dying)
    assert slow.convert("x.glb", "x", "1").fault == "x.glb: cannot be shown: crash: SIGABRT"
    monkeypatch.setattr("lissom._viewer.converter.BundleWork", BundleWork)
    assert slow.convert("sample:two_bone_tube", "tube", "1").data


class Endless:
    def __init__(self, source, title):
        self.source, self.title = source, title

    def _work(self, target, progress=None):
        import threading

        threading.Event().wait()


class Dying(Endless):
    def _work(self, target, progress=None):
        os.abort()
