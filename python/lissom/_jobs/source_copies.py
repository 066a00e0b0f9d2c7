# SPDX-License-Identifier: MIT
"""Sources on their way to workers that share no disk: into the store, and out of it by their contents.

Local files go into the store once, as ``sources/SHA-256/data``. A worker keeps what it fetched in a folder
named by the contents, so that no file is fetched twice, and none is taken for another.
"""

from __future__ import annotations

import functools
import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from lissom._files.gltf import uris
from lissom._formats.atomic import write_atomically
from lissom._formats.regular_file import read_regular
from lissom._jobs.key import companions, digest, file_digest
from lissom._jobs.sources import SAMPLE_PREFIX
from lissom._store import Store
from lissom._store.open_store import is_url, open_place
from lissom.errors import GltfError

__all__ = ["Files", "Sender", "local_copy"]

Files = dict[str, str]
"""Digests of a file and of the files it names, by paths relative to its folder; the file itself first."""

MOST_KNOWN = 10_000
"""Sources that a driver remembers it has sent, and a worker that it has fetched."""


class Sender:
    """Sends local sources into a store, each once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._sent = functools.lru_cache(MOST_KNOWN)(self._send)

    def files(self, source: str) -> Files:
        """Return the files of a source that the store now has; none of a sample or an address.

        OSError where a file cannot be read, or sent.
        """
        if source.startswith(SAMPLE_PREFIX) or is_url(source):
            return {}
        stat = os.stat(source)
        return self._sent(source, stat.st_ino, stat.st_size, stat.st_mtime_ns)

    def _send(self, source: str, *_: int) -> Files:
        path = Path(source)
        paths = {path.name: path}
        for uri, companion in companions(path).items():
            relative = _relative(uri)
            if companion is not None and relative is not None:
                paths[relative] = companion
        files = {}
        for name, file in paths.items():
            files[name] = file_digest(file)
            key = _key(files[name])
            if next(self._store.keys(f"{key}/"), None) is None:
                data = read_regular(file)
                if hashlib.sha256(data).hexdigest() != files[name]:
                    raise OSError(0, "it changed while it was sent", str(file))
                self._store.write(f"{key}/data", data)
        return files


def local_copy(source: str, files: Files, store: Store, run: str) -> tuple[Path, Files]:
    """Return the path of a source on this machine, and its files; fetched where it is not there yet.

    `files` are those that the store has; the source is fetched from its own address if there are none, once
    in a `run`.
    """
    if files:
        wrong = f"remove sources/ of that name from {store.url}"
        return _placed(files, lambda name: store.read(f"{_key(files[name])}/data"), wrong), files
    files = _fetched(source, run)  # the copy may be gone by now
    return _placed(files, open_place(source)[0].read, "it changed during this run"), files


@functools.lru_cache(MOST_KNOWN)
def _fetched(url: str, run: str) -> Files:
    """Fetch a file and the files it names from their own addresses into the cache, once in a run."""
    folder, name = open_place(url)
    data = {name: folder.read(name)}
    with tempfile.TemporaryDirectory(prefix="lissom-") as temporary:
        path = Path(temporary, name)
        path.write_bytes(data[name])
        for uri, found in companions(path).items():
            companion = None if found is not None else _relative(uri)
            if companion is not None:
                try:
                    data[companion] = folder.read(companion)
                except FileNotFoundError:
                    continue  # loading says what that means
    files = {name: hashlib.sha256(some).hexdigest() for name, some in data.items()}
    _placed(files, data.__getitem__)
    return files


def _relative(uri: str) -> str | None:
    """Return the path that a URI of a glTF names beside it; None where it leads elsewhere."""
    try:
        name = uris.local_name(uri, "")
    except GltfError:
        return None
    path = PurePosixPath(name)
    return None if path.is_absolute() or ".." in path.parts else path.as_posix()


def _placed(files: Files, read: Callable[[str], bytes], wrong: str = "") -> Path:
    """Return the path of a source in the cache, after putting there what is missing or damaged."""
    folder = _cache() / digest(dict(files))
    for name, expected in files.items():
        path = folder / name
        if path.is_file() and file_digest(path) == expected:
            continue
        data = read(name)
        if hashlib.sha256(data).hexdigest() != expected:
            raise ValueError(f"{name}: its SHA-256 is not {expected}: {wrong}")
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, [data])
    return folder / next(iter(files))


def _cache() -> Path:
    """Return the folder of fetched sources: below LISSOM_CACHE, or where caches of a user are."""
    named = os.environ.get("LISSOM_CACHE")
    if named:
        return Path(named, "sources")
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "lissom", "sources")


def _key(sha256: str) -> str:
    return f"sources/{sha256}"
