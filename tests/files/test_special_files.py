# SPDX-License-Identifier: MIT
"""Pipes, sockets, devices and folders under names of files: each is refused at once, by what it is."""

import os
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import lissom
from bvh_files import GOOD
from gltf_files import arm, triangle
from lissom._formats.regular_file import read_regular
from lissom._jobs import key, records
from lissom._jobs.manifest import _Manifest
from lissom.cli import inputs, job_file
from lissom.errors import GltfError

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")


@pytest.fixture(autouse=True)
def alarm() -> Iterator[None]:
    """End a read that waits for a writer, which would be for ever."""

    def late(*_: object) -> None:
        raise AssertionError("it waited")

    old = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, 20)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, old)


def pipe(path: Path) -> None:
    os.mkfifo(path)


def listening(path: Path) -> None:
    here = os.getcwd()
    with socket.socket(socket.AF_UNIX) as server:
        os.chdir(path.parent)  # names of sockets have at most a hundred characters
        try:
            server.bind(path.name)
        finally:
            os.chdir(here)


SPECIAL: dict[str, tuple[Callable[[Path], None], str]] = {
    "pipe": (pipe, "it is a pipe, not a file"),
    "socket": (listening, "it is a socket or a device, not a file"),
    "zeros without end": (lambda path: path.symlink_to("/dev/zero"), "it is a device, not a file"),
    "link to a pipe": (
        lambda path: (pipe(path.with_name("behind")), path.symlink_to("behind")),
        "it is a pipe, not a file",
    ),
    "folder": (Path.mkdir, "it is a folder, not a file"),
}
READERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "load": ("a.glb", lissom.load),
    "load as glTF": ("a.gltf", lambda path: lissom.load(path, strict=True)),
    "load as BVH": ("a.bvh", lissom.load),
    "load_bvh": ("a.bvh", lissom.load_bvh),
    "load_bake": ("a.safetensors", lissom.load_bake),
    "key of a job": ("a.glb", lambda path: lissom.BakeJob(str(path)).key()),
    "job file": ("a.toml", lambda path: job_file.read(path, None, lissom.BakeJob)),
}


@pytest.mark.parametrize("kind", SPECIAL)
@pytest.mark.parametrize("reader", READERS)
def test_what_is_not_a_file_is_an_os_error(reader: str, kind: str, tmp_path: Path) -> None:
    name, read = READERS[reader]
    make, words = SPECIAL[kind]
    make(tmp_path / name)
    with pytest.raises(OSError, match=words) as caught:
        read(tmp_path / name)
    assert caught.value.filename == str(tmp_path / name)


@pytest.mark.parametrize("kind", SPECIAL)
def test_what_is_not_a_file_is_no_companion(kind: str, tmp_path: Path) -> None:
    file = triangle()
    file.json["buffers"] = [{"byteLength": len(file.binary), "uri": "a.bin"}]
    path = tmp_path / "model.gltf"
    path.write_text(file.text())
    SPECIAL[kind][0](tmp_path / "a.bin")
    with pytest.raises(GltfError) as caught:
        lissom.load(path)
    assert caught.value.code == "IO_ERROR"
    assert set(key.companions(path).values()) == {None}
    assert lissom.BakeJob(str(path)).key()


@pytest.mark.parametrize("kind", SPECIAL)
def test_what_is_not_a_file_is_no_record(kind: str, tmp_path: Path) -> None:
    SPECIAL[kind][0](tmp_path / "bakes.json")
    assert records.decoded(tmp_path / "bakes.json", _Manifest) is None


def test_a_folder_with_a_pipe_in_it_is_baked_without_it(tmp_path: Path) -> None:
    (tmp_path / "arm.glb").write_bytes(arm().glb())
    pipe(tmp_path / "pipe.glb")
    pipe(tmp_path / "pipe.bvh")
    (tmp_path / "folder.glb").mkdir()
    found = inputs.files_below(tmp_path, (".glb",))
    assert [Path(name).name for name in found] == [
        "arm.glb",
        "pipe.glb",
    ]  # so that the other is not lost unsaid
    jobs = [lissom.BakeJob(name, str(tmp_path / "out"), rate=5) for name in found]
    for _ in range(2):  # a second run, too: it is tried again, for it may be a file then
        by_name = {record.name: record for record in lissom.bake_many(jobs, workers=1)}
        assert by_name["arm"].status == "baked"
        assert by_name["pipe"].status == "unfinished"
        assert by_name["pipe"].message == f"{tmp_path / 'pipe.glb'}: it is a pipe, not a file"


def test_no_more_than_the_limit_is_read(tmp_path: Path) -> None:
    path = tmp_path / "large.bvh"
    path.write_text(GOOD)
    assert read_regular(path, len(GOOD)) == GOOD.encode()
    with pytest.raises(OSError, match=f"a file must have at most 10 bytes, got {len(GOOD)}"):
        read_regular(path, 10)
    with path.open("r+b") as file:
        file.truncate(1 << 40)  # holes, which take no room
    with pytest.raises(OSError, match="a file must have at most 4294967296 bytes, got 1099511627776"):
        lissom.load(path)


def test_a_name_that_leads_elsewhere_a_moment_later_is_opened_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was looked at is what is read, though the name leads to a pipe by then."""
    path = tmp_path / "model.bvh"
    path.write_text(GOOD)
    fstat = os.fstat

    def looked_at(descriptor: int) -> os.stat_result:
        result = fstat(descriptor)
        if path.exists() and not path.is_fifo():
            path.unlink()
            pipe(path)
        return result

    monkeypatch.setattr(os, "fstat", looked_at)
    assert read_regular(path) == GOOD.encode()
