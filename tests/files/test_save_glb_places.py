# SPDX-License-Identifier: MIT
"""Where a GLB is saved: paths, files, disks that are full; a failed save changes nothing."""

import io
import os
import subprocess
import sys

import pytest

import lissom


@pytest.fixture
def bar() -> lissom.Character:
    return lissom.samples.twisted_bar()


def test_saves_to_paths_and_files(bar, tmp_path):
    data = lissom.save_glb(bar)
    assert isinstance(data, bytes)
    path = tmp_path / "bar.glb"
    assert lissom.save_glb(bar, path) == path
    assert path.read_bytes() == data
    lissom.save_glb(bar, str(path))
    assert os.listdir(tmp_path) == ["bar.glb"]
    for buffering in (-1, 0):
        with open(path, "wb", buffering=buffering) as file:
            file.write(b"!")
            lissom.save_glb(bar, file)
        assert path.read_bytes() == b"!" + data


def test_text_files_are_refused(bar, tmp_path):
    with (
        open(tmp_path / "x", "w") as file,
        pytest.raises(TypeError, match=r"opened in binary mode.*TextIOWrapper"),
    ):
        lissom.save_glb(bar, file)
    with pytest.raises(TypeError, match="a path, a file opened in binary mode or None, got int"):
        lissom.save_glb(bar, 3)


@pytest.mark.parametrize("name", ["bar.gltf", "bar.GLTF", "bar.fbx", "bar", "bar.glb.txt"])
def test_a_name_for_another_kind_of_file_is_refused(bar, tmp_path, name):
    for path in (tmp_path / name, str(tmp_path / name)):
        with pytest.raises(
            ValueError, match=r"^save_glb: path must end in \.glb, the only format .* got '.*bar"
        ):
            lissom.save_glb(bar, path)
    assert not list(tmp_path.iterdir())


def test_a_place_that_cannot_be_written_is_an_oserror(bar, tmp_path):
    with pytest.raises(FileNotFoundError, match="no/such"):
        lissom.save_glb(bar, tmp_path / "no" / "such" / "x.glb")
    folder = tmp_path / "folder.glb"
    folder.mkdir()
    (folder / "kept").write_bytes(b"kept")
    with pytest.raises(OSError, match=r"folder\.glb"):
        lissom.save_glb(bar, folder)
    assert (folder / "kept").read_bytes() == b"kept"
    assert os.listdir(tmp_path) == ["folder.glb"]


@pytest.mark.skipif(sys.platform == "win32", reason="resource limits are of POSIX")
def test_a_full_disk_leaves_the_old_file(bar, tmp_path):
    path = tmp_path / "bar.glb"
    path.write_bytes(b"old")
    code = (
        "import resource, signal, sys, lissom; bar = lissom.samples.twisted_bar();"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096));"
        "lissom.save_glb(bar, sys.argv[1])"
    )
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True)
    assert "OSError: [Errno 27]" in done.stderr
    assert str(path) in done.stderr
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["bar.glb"]


def test_a_file_that_fails_says_so(bar):
    class Full(io.BytesIO):
        def write(self, data):
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        lissom.save_glb(bar, Full())
