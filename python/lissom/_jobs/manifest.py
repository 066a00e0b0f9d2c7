# SPDX-License-Identifier: MIT
"""``bakes.json``: the files of an output folder by name, in the same bytes for any order of runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from lissom._formats.atomic import write_atomically
from lissom._jobs import records
from lissom._jobs.kind import Kind

__all__ = ["RECORD", "listed_keys", "write"]

VERSION = 1

MOST_WRITES = 8
"""Most writes of the manifest at the end of a run, while other runs keep writing records."""

RECORD = re.compile(r"-[0-9a-f]{12}\.json\Z")
"""How names of records end."""


class _Entry(msgspec.Struct):
    name: str
    key: str


class _Manifest(msgspec.Struct):
    """Of any kind: the list of another is not there."""

    bakes: list[_Entry] = []
    exports: list[_Entry] = []
    retargets: list[_Entry] = []


def write(folder: Path, kind: Kind, keys: Mapping[str, str]) -> None:
    """Write the manifest of a folder from the records of a kind in it.

    Records of other runs are included, so that the work can be split. Where a name has several, of changed
    inputs, that of this run counts, by `keys`; else the one in the old manifest; else the newest.
    """
    paths: set[Path] | None = None
    for _ in range(MOST_WRITES):
        present = _record_paths(folder)
        if present == paths:
            return
        # A new record may be of a run that has ended, whose manifest this one has just replaced.
        paths = present
        _write(folder, kind, paths, keys)


def _record_paths(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*.json") if RECORD.search(path.name) is not None}


def _write(folder: Path, kind: Kind, paths: Iterable[Path], keys: Mapping[str, str]) -> None:
    known: dict[str, list[tuple[int, records.Stored, Path]]] = {}
    for path in paths:
        stored = records.read(path, kind)
        if stored is not None:
            known.setdefault(stored.name, []).append((path.stat().st_mtime_ns, stored, path))
    chosen = {**listed_keys(folder, kind), **keys}
    entries = []
    for name in sorted(known):
        ranked = sorted(known[name], key=lambda item: (item[1].key == chosen.get(name), item[0], item[1].key))
        entries.append(_entry(folder, kind, *ranked[-1][1:]))
    document = {"format": f"lissom.{kind.manifest}", "version": VERSION, kind.manifest: entries}
    text = records.json_bytes(document, 1)
    write_atomically(folder / kind.manifest_file, [text])


def listed_keys(folder: Path, kind: Kind) -> dict[str, str]:
    """Return the keys that the manifest of a folder lists, by name; none where there is no manifest."""
    old = records.decoded(folder / kind.manifest_file, _Manifest)
    return {} if old is None else {entry.name: entry.key for entry in getattr(old, kind.manifest)}


def _entry(folder: Path, kind: Kind, stored: records.Stored, path: Path) -> dict[str, Any]:
    """Return the facts of one file that are the same in all runs."""
    entry: dict[str, Any] = {
        "name": stored.name,
        "source": stored.source,
        "status": stored.status,
        "key": stored.key,
    }
    if stored.message:
        entry["message"] = stored.message
    if stored.report is not None:
        made = path.with_suffix(kind.suffix)
        entry["file"] = made.relative_to(folder).as_posix()
        entry["sha256"] = stored.sha256
        for fact in kind.listed:
            entry[fact] = stored.report[fact]
        entry["clips"] = list(stored.report["clips"])
    return entry
