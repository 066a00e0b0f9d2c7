# SPDX-License-Identifier: MIT
"""The key of a job: a digest of all that decides the bytes of its bake."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from lissom import _core
from lissom._bake_many.sources import SAMPLE_PREFIX
from lissom._base.config import is_deterministic
from lissom._files.gltf import uris
from lissom._formats.kind import MOTION_SUFFIX
from lissom.errors import GltfError
from lissom.pose_texture import _file as pose_texture

if TYPE_CHECKING:
    from lissom._bake_many.job import BakeJob

__all__ = ["companions", "digest", "file_digest", "key_inputs"]

UNUSED = (
    "_crowd", "_lod", "_notebook", "_pictures", "_playground", "_sketch", "_view",
    "cli", "gpu", "ik", "metrics", "player", "plots", "testing", "weights",
)  # fmt: skip
"""Rooms of the package that decide no byte of a bake."""


class _Named(msgspec.Struct):
    uri: str | None = None


class _Companions(msgspec.Struct):
    buffers: list[_Named] = []
    images: list[_Named] = []


def key_inputs(job: BakeJob, deterministic: bool | None = None) -> dict[str, Any]:
    """Give what the key is a digest of, as plain values: contents, options, code.

    Raises OSError where the source cannot be read. `deterministic` is that of the process that will bake.
    """
    return {"contents": _contents(job.source), "options": job.options, "code": _code(deterministic)}


def digest(inputs: dict[str, Any]) -> str:
    """SHA-256 of plain values, whatever the order of their names."""
    text = json.dumps(inputs, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def file_digest(path: str | os.PathLike[str]) -> str:
    """SHA-256 of a file, hexadecimal, in little memory."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _contents(source: str) -> dict[str, str | None]:
    """Digests of the source and of the files it names, by their names; None for one that is not there."""
    if source.startswith(SAMPLE_PREFIX):
        return {source: None}  # its contents are code
    path = Path(source)
    found: dict[str, str | None] = {path.name: file_digest(path)}
    for uri, companion in companions(path).items():
        found[f"{path.name}/{uri}"] = None if companion is None else file_digest(companion)
    return found


def companions(path: Path) -> dict[str, Path | None]:
    """Find the files that a glTF names, by the names it uses; None for what is not beside it.

    A file that cannot be read as glTF names none: loading it says what is wrong.
    """
    if path.suffix.lower() == MOTION_SUFFIX:
        return {}
    try:
        named = msgspec.json.decode(_json_text(path), type=_Companions)
    except (msgspec.MsgspecError, RecursionError):  # the latter of many nested levels
        return {}
    found: dict[str, Path | None] = {}
    for entry in (*named.buffers, *named.images):
        if entry.uri is None or uris.is_data(entry.uri):
            continue
        try:
            companion = uris.locate(path.parent, entry.uri, "")
        except GltfError:
            found[entry.uri] = None
        else:
            found[entry.uri] = companion if companion.is_file() else None
    return found


def _code(deterministic: bool | None) -> dict[str, str]:
    """Give what the program adds to the bytes.

    Versions alone would not do: a build of the source tree changes while its version stays, and equal
    versions are compiled differently for different machines. So the digest covers the compiled module and the
    Python files, and any change of either, even of a comment, bakes anew. Shaders decide no byte of a bake.
    """
    is_fixed = is_deterministic() if deterministic is None else deterministic
    return {
        "lissom": _core.__version__,
        "numpy": np.__version__,
        "format": str(pose_texture.VERSION),
        "digest": _package_digest(),
        "instruction_set": "any" if is_fixed else _core.isa(),
    }


def _json_text(path: Path) -> bytes:
    """Read the JSON of a glTF, and of a GLB no more than that."""
    with path.open("rb") as file:
        head = file.read(20)  # of the file: magic, version, length; of the first chunk: length, kind
        if len(head) == 20 and head.startswith(b"glTF"):
            (length,) = struct.unpack_from("<I", head, 12)
            return file.read(length)
        return (head + file.read()).removeprefix(b"\xef\xbb\xbf")


@functools.cache
def _package_digest() -> str:
    total = hashlib.sha256()
    root = Path(__file__).parents[1]
    sources = {path.relative_to(root).as_posix(): path for path in root.rglob("*.py")}
    files = [sources[name] for name in sorted(sources) if name.split("/")[0] not in UNUSED]
    for path in (*files, Path(_core.__file__)):
        total.update(f"{path.stem}:{file_digest(path)};".encode())
    return total.hexdigest()
