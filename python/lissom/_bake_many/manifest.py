# SPDX-License-Identifier: MIT
"""``bakes.json``: what an output folder holds, by name. The same bytes whoever baked what and when."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from lissom._bake_many import records
from lissom._formats.atomic import write_atomically
from lissom._formats.kind import BAKE_SUFFIX

__all__ = ["MANIFEST", "write"]

MANIFEST = "bakes.json"
FORMAT = "lissom.bakes"
VERSION = 1

MOST_WRITES = 8
"""How often a run writes the manifest at its end, while others write records all the time."""

RECORD = re.compile(r"-[0-9a-f]{12}\.json\Z")


class _Entry(msgspec.Struct):
    name: str
    key: str


class _Manifest(msgspec.Struct):
    bakes: list[_Entry]


def write(folder: Path, keys: Mapping[str, str]) -> None:
    """Write the manifest of a folder out of the records that lie in it.

    Records of other runs are in it, so that the work can be split. Where a name has several, of changed
    inputs, that of this run counts, given by `keys`; else the one that the manifest had; else the newest.
    """
    paths: set[Path] | None = None
    for _ in range(MOST_WRITES):
        found = _record_paths(folder)
        if found == paths:
            return
        # What came meanwhile may be of a run that has ended, whose manifest this one has just replaced.
        paths = found
        _write(folder, paths, keys)


def _record_paths(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*.json") if RECORD.search(path.name) is not None}


def _write(folder: Path, paths: Iterable[Path], keys: Mapping[str, str]) -> None:
    known: dict[str, list[tuple[int, records.Stored, Path]]] = {}
    for path in paths:
        stored = records.read(path)
        if stored is not None:
            known.setdefault(stored.name, []).append((path.stat().st_mtime_ns, stored, path))
    chosen = {**_old_keys(folder), **keys}
    entries = []
    for name in sorted(known):
        ranked = sorted(known[name], key=lambda item: (item[1].key == chosen.get(name), item[0], item[1].key))
        entries.append(_entry(folder, *ranked[-1][1:]))
    text = records.json_bytes({"format": FORMAT, "version": VERSION, "bakes": entries}, 1)
    write_atomically(folder / MANIFEST, [text])


def _old_keys(folder: Path) -> dict[str, str]:
    old = records.decoded(folder / MANIFEST, _Manifest)
    return {} if old is None else {entry.name: entry.key for entry in old.bakes}


def _entry(folder: Path, stored: records.Stored, path: Path) -> dict[str, Any]:
    """Say of one bake what does not differ from run to run."""
    entry: dict[str, Any] = {
        "name": stored.name,
        "source": stored.source,
        "status": stored.status,
        "key": stored.key,
    }
    if stored.message:
        entry["message"] = stored.message
    if stored.report is not None:
        bake = path.with_suffix(BAKE_SUFFIX)
        entry["file"] = bake.relative_to(folder).as_posix()
        entry["sha256"] = stored.sha256
        for fact in ("file_bytes", "layout", "dtype", "frames", "rows", "texels_per_row", "max_relative"):
            entry[fact] = stored.report[fact]
        entry["clips"] = list(stored.report["clips"])
    return entry
