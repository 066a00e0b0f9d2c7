# SPDX-License-Identifier: MIT
"""A file reads what lies beside it and nothing else: every way out is refused before anything is opened."""

import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lissom
from gltf_files import data_uri, triangle
from lissom.errors import GltfError

_opened: list[str] = []
_watching = False


def _hook(event: str, args: tuple[Any, ...]) -> None:
    if _watching and event == "open" and isinstance(args[0], (str, bytes)):
        _opened.append(os.fsdecode(args[0]))


sys.addaudithook(_hook)


@pytest.fixture
def opened() -> Iterator[list[str]]:
    """Paths that are opened while the test runs."""
    global _watching
    _opened.clear()
    _watching = True
    yield _opened
    _watching = False


def write(folder: Path, uri: str, image: str | None = None) -> Path:
    file = triangle()
    file.json["buffers"] = [{"byteLength": len(file.binary), "uri": uri}]
    if image is not None:
        file.json["buffers"][0]["uri"] = data_uri(bytes(file.binary))
        file.json["images"] = [{"uri": image}]
        file.json["textures"] = [{"source": 0}]
        file.json["materials"] = [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]
        file.json["meshes"][0]["primitives"][0]["material"] = 0
    folder.mkdir(exist_ok=True)
    path = folder / "model.gltf"
    path.write_text(file.text())
    return path


ESCAPES = [
    "/etc/passwd",
    "//etc/passwd",
    "//host/share/secret.bin",
    "file:///etc/passwd",
    "FILE:///etc/passwd",
    "file:secret.bin",
    "http://example.com/buffer.bin",
    "https://example.com/buffer.bin",
    "ftp://example.com/buffer.bin",
    "C:/secret.bin",
    "C:\\secret.bin",
    "c:secret.bin",
    "\\\\host\\share\\secret.bin",
    "\\secret.bin",
    "..\\secret.bin",
    "../secret.bin",
    "./../secret.bin",
    "inner/../../secret.bin",
    "%2e%2e/secret.bin",
    "%2E%2E%2Fsecret.bin",
    "..%2fsecret.bin",
    "..%5Csecret.bin",
    "%2fetc%2fpasswd",
    "%2Fetc/passwd",
    "%5c%5chost%5cshare",
    "C%3A/secret.bin",
    "file%3A///etc/passwd",
    "buffer.bin%00.png",
    "buffer.bin\0",
    "..",
    ".",
    "",
    "./",
    "%ff%fe",
    "$(touch owned)",
    "`touch owned`",
    "~/secret.bin",
    "buffer.bin/../../secret.bin",
]


@pytest.mark.parametrize("uri", ESCAPES)
def test_no_uri_leads_out_of_the_folder(uri: str, tmp_path: Path, opened: list[str]) -> None:
    (tmp_path / "secret.bin").write_bytes(bytes(64))
    path = write(tmp_path / "inside", uri)
    lissom.load(triangle().glb())  # so that imports are done
    opened.clear()
    with pytest.raises(GltfError) as caught:
        lissom.load(path)
    assert caught.value.code in {"NON_RELATIVE_URI", "INVALID_URI", "IO_ERROR"}
    assert caught.value.pointer == "/buffers/0/uri"
    assert [name for name in opened if name != str(path)] == []
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize(
    ("uri", "code"),
    [
        ("/etc/passwd", "NON_RELATIVE_URI"),
        ("http://example.com/buffer.bin", "NON_RELATIVE_URI"),
        ("%2fetc%2fpasswd", "INVALID_URI"),
        ("C%3A/secret.bin", "INVALID_URI"),
        ("../secret.bin", "INVALID_URI"),
        ("missing.bin", "IO_ERROR"),
    ],
)
def test_the_code_says_why_a_uri_is_refused(uri: str, code: str, tmp_path: Path) -> None:
    with pytest.raises(GltfError) as caught:
        lissom.load(write(tmp_path, uri))
    assert caught.value.code == code


@pytest.mark.parametrize("uri", ["../secret.png", "/etc/passwd", "missing.png"])
def test_a_picture_out_of_reach_is_left_out(uri: str, tmp_path: Path, opened: list[str]) -> None:
    (tmp_path / "secret.png").write_bytes(b"\x89PNG")
    path = write(tmp_path / "inside", "", image=uri)
    opened.clear()
    character = lissom.load(path)
    assert [name for name in opened if name != str(path)] == []
    assert character.mesh is not None
    assert character.mesh.parts[0].texture is None
    assert [repair.pointer for repair in character.repairs] == ["/images/0/uri"]
    assert "left out" in character.repairs[0].message


def test_symbolic_links_are_followed_inside_only(tmp_path: Path, opened: list[str]) -> None:
    data = bytes(triangle().binary)
    (tmp_path / "secret.bin").write_bytes(data)
    path = write(tmp_path / "inside", "link.bin")
    link = path.parent / "link.bin"
    try:
        link.symlink_to(tmp_path / "secret.bin")
    except OSError:
        pytest.skip("this system does not make symbolic links")
    opened.clear()
    with pytest.raises(GltfError, match="leads out of the folder") as caught:
        lissom.load(path)
    assert caught.value.code == "IO_ERROR"
    assert str(tmp_path / "secret.bin") not in opened
    link.unlink()
    (path.parent / "real.bin").write_bytes(data)
    link.symlink_to(path.parent / "real.bin")
    assert lissom.load(path).mesh is not None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    path = write(tmp_path, "pipe.bin")
    os.mkfifo(tmp_path / "pipe.bin")
    with pytest.raises(GltfError, match=r"'pipe\.bin' cannot be read: it is a pipe, not a file"):
        lissom.load(path)


def test_a_folder_is_no_buffer(tmp_path: Path) -> None:
    path = write(tmp_path, "folder")
    (tmp_path / "folder").mkdir()
    with pytest.raises(GltfError, match="'folder' cannot be read: it is a folder, not a file"):
        lissom.load(path)


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("buffer.bin", "buffer.bin"),
        ("./buffer.bin", "buffer.bin"),
        ("a%20b%23.bin", "a b#.bin"),
        ("ří.bin", "ří.bin"),
        ("inner/buffer.bin", "inner/buffer.bin"),
        ("inner%2Fbuffer.bin", "inner/buffer.bin"),
        ("..buffer..bin", "..buffer..bin"),
    ],
)
def test_files_beside_are_read(uri: str, name: str, tmp_path: Path) -> None:
    path = write(tmp_path, uri)
    (tmp_path / "inner").mkdir()
    (tmp_path / name).write_bytes(bytes(triangle().binary))
    mesh = lissom.load(path).mesh
    assert mesh is not None
    np.testing.assert_array_equal(mesh.positions[1], [1, 0, 0])
    with path.open("rb") as file:  # an open file knows its folder, too
        assert lissom.load(file).mesh is not None


def test_bytes_have_no_folder(tmp_path: Path, opened: list[str]) -> None:
    path = write(tmp_path, "buffer.bin")
    (tmp_path / "buffer.bin").write_bytes(bytes(triangle().binary))
    data = path.read_bytes()
    opened.clear()
    for source in (data, io.BytesIO(data)):
        with pytest.raises(GltfError, match="a load from bytes has no folder") as caught:
            lissom.load(source)
        assert caught.value.code == "IO_ERROR"
    assert opened == []


def test_a_buffer_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "buffer.bin")
    (tmp_path / "buffer.bin").write_bytes(bytes(7))
    with pytest.raises(GltfError, match="declared 42 bytes, got 7") as caught:
        lissom.load(path)
    assert caught.value.code == "BUFFER_BYTE_LENGTH_MISMATCH"
