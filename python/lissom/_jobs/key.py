# SPDX-License-Identifier: MIT
"""The key of a job: a digest of all that the bytes of its file depend on."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import struct
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from lissom import _core
from lissom._base.config import is_deterministic
from lissom._files.gltf import uris
from lissom._formats.budget import Budget, JsonExtent
from lissom._formats.kind import MOTION_SUFFIX
from lissom._formats.regular_file import MOST_BYTES, open_regular
from lissom._jobs.sources import SAMPLE_PREFIX
from lissom.errors import GltfError
from lissom.pose_texture import _file as pose_texture

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from lissom._jobs.job import Job
    from lissom._jobs.kind import Kind

__all__ = ["code", "companions", "digest", "file_digest", "json_text", "key_inputs", "made_digest"]


class _Named(msgspec.Struct):
    uri: str | None = None


class _Companions(msgspec.Struct):
    buffers: list[_Named] = []
    images: list[_Named] = []


def key_inputs(job: Job, deterministic: bool | None = None) -> dict[str, Any]:
    """Return the values that the key is a digest of: contents, options, code.

    OSError where a file cannot be read. `deterministic` is that of the process that will do the job.
    """
    return {
        "contents": {place: _contents(path) for place, path in job._read.items()},
        "options": job.options,
        "code": code(job._kind, deterministic),
    }


def digest(inputs: dict[str, Any]) -> str:
    """Return the SHA-256 of plain values, independent of the order of their names."""
    text = json.dumps(inputs, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def file_digest(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file, hexadecimal, in little memory."""
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def made_digest(path: Path) -> str:
    """Return the SHA-256 of a file, or of the names and contents of the files of an export."""
    if not path.is_dir():
        return file_digest(path)
    from lissom._export.earlier import files_in, written_names

    written = written_names(path)  # files of others are no part of an export
    names = [name for name in files_in(path) if written is None or name in written]
    return digest({name: file_digest(path / name) for name in names})


def _contents(source: str) -> dict[str, str | None]:
    """Return digests of a file and of the files it names, by their names; None for a missing file."""
    if source.startswith(SAMPLE_PREFIX):
        return {source: None}  # its contents are code
    path = Path(source)
    digests: dict[str, str | None] = {path.name: file_digest(path)}
    known: dict[Path | None, str | None] = {None: None}  # a file may have many names
    for uri, companion in companions(path).items():
        if companion not in known:
            assert companion is not None
            known[companion] = file_digest(companion)
        digests[f"{path.name}/{uri}"] = known[companion]
    return digests


def companions(path: Path) -> dict[str, Path | None]:
    """Return the files that a glTF names, by those names; None for a missing one.

    A file that cannot be read as glTF has none: loading it reports what is wrong.
    """
    if path.suffix.lower() == MOTION_SUFFIX:
        return {}
    try:
        text = json_text(path)
        Budget.of_file(path, len(text)).spend(JsonExtent.of(text).typed_bytes)
        named = msgspec.json.decode(text, type=_Companions)
    except (ValueError, RecursionError):  # the latter of deeply nested JSON
        return {}
    paths: dict[str, Path | None] = {}
    for entry in (*named.buffers, *named.images):
        if entry.uri is None or uris.is_data(entry.uri):
            continue
        try:
            companion = uris.locate(path.parent, entry.uri, "")
        except GltfError:
            paths[entry.uri] = None
        else:
            paths[entry.uri] = companion if companion.is_file() else None
    return paths


def code(kind: Kind, deterministic: bool | None) -> dict[str, str]:
    """Return what identifies the program that does the jobs.

    Versions alone would not do: a build of the source tree changes while its version stays, and equal
    versions are compiled differently for different machines. So the digest covers the compiled module and the
    Python files, and any change of either, even of a comment, does them again; of exports, all modules, pages
    and shaders that are copied, too.
    """
    is_fixed = is_deterministic() if deterministic is None else deterministic
    return {
        "lissom": _core.__version__,
        "numpy": np.__version__,
        "format": str(pose_texture.VERSION),
        "digest": _package_digest(kind),
        "instruction_set": "any" if is_fixed else _core.isa(),
    }


def _digest_below(folder: Traversable) -> str:
    """Return a digest of the names and contents of all files in a folder of the package."""
    parts = [
        f"{entry.name}/{_digest_below(entry)}"
        if entry.is_dir()
        else f"{entry.name}:{hashlib.sha256(entry.read_bytes()).hexdigest()}"
        for entry in folder.iterdir()
    ]
    return hashlib.sha256(";".join(sorted(parts)).encode()).hexdigest()


def json_text(path: Path) -> bytes:
    """Read the JSON of a glTF file, or of a GLB file without the rest of it."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        head = file.read(20)  # magic, version and length of the file; length and kind of the first chunk
        if len(head) == 20 and head.startswith(b"glTF"):
            (length,) = struct.unpack_from("<I", head, 12)
            return file.read(min(length, size))
        return (head + file.read(min(size, MOST_BYTES))).removeprefix(b"\xef\xbb\xbf")


@functools.cache
def _package_digest(kind: Kind) -> str:
    total = hashlib.sha256()
    root = Path(__file__).parents[1]
    sources = {path.relative_to(root).as_posix(): path for path in root.rglob("*.py")}
    files = [sources[name] for name in sorted(sources) if name.split("/")[0] not in kind.unused]
    for path in (*files, Path(_core.__file__)):
        total.update(f"{path.stem}:{file_digest(path)};".encode())
    if kind.copied:
        total.update(_digest_below(resources.files("lissom") / kind.copied).encode())
    return total.hexdigest()
