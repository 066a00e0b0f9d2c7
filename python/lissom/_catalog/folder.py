# SPDX-License-Identifier: MIT
"""What a folder of bakes holds: those with a record by their records, the others themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from lissom._catalog.rows import Row, rows_of, rows_of_file
from lissom._formats.kind import BAKE_SUFFIX, MODEL_SUFFIXES, MOTION_SUFFIX
from lissom._jobs import records
from lissom._jobs.bake_job import BAKES
from lissom._jobs.job import KEY_DIGITS
from lissom._jobs.manifest import RECORD, listed_keys

__all__ = ["Entry", "entries", "missing"]


Mark = tuple[str, ...]
"""The name of a bake, and the first digits of its key; or the key and the tags of the job."""


class Entry(NamedTuple):
    """A bake that may be in a catalogue.

    Attributes
    ----------
    mark : tuple of str or None
        A bake of the same mark has the same rows. None where only reading tells.
    place : str
        The file or record that its rows are from.
    read : callable
        Returns its rows; ValueError for what is no bake, OSError for what cannot be read.
    """

    mark: Mark | None
    place: str
    read: Callable[[], list[Row]]


def entries(folder: Path, since: int) -> Iterator[Entry]:
    """Yield the bakes of a folder and of those in it.

    Where a name has several, of changed inputs, the one that the manifest lists counts, or the newest.
    Records that were written `since`, in nanoseconds since 1970, have no mark: their tags may be others.
    """
    listed = listed_keys(folder, BAKES)
    baked: dict[str, list[Path]] = {}
    for path in folder.rglob(f"*{BAKE_SUFFIX}"):
        if not path.is_file():
            continue
        record = BAKES.record_path(path)
        if RECORD.search(record.name) is None or not record.is_file():
            yield _plain(path, folder)
        else:
            name = path.relative_to(folder).as_posix()[: -len(BAKE_SUFFIX) - KEY_DIGITS - 1]
            baked.setdefault(name, []).append(path)
    for name, paths in baked.items():
        key = listed.get(name, "")[:KEY_DIGITS]
        chosen = max(paths, key=lambda path: (_digits(path) == key, path.stat().st_mtime_ns, path.name))
        place = BAKES.record_path(chosen)
        mark = (name, _digits(chosen)) if place.stat().st_mtime_ns < since else None
        yield Entry(mark, str(place), _recorded(chosen, folder))


def missing(folder: str) -> str:
    """Say what was looked for in a folder without bakes; where models are, what to do first."""
    looked = f"none of *{BAKE_SUFFIX} in it and below it is one"
    suffixes = (*MODEL_SUFFIXES, MOTION_SUFFIX)
    if any(path.suffix.lower() in suffixes for path in Path(folder).rglob("*")):
        return f"{looked}; it has models, which `lissom bake {folder} -o baked` bakes first"
    return looked


def _digits(path: Path) -> str:
    """Return the part of the key that is in the name of a bake."""
    return path.stem[-KEY_DIGITS:]


def _plain(path: Path, folder: Path) -> Entry:
    return Entry(None, str(path), lambda: rows_of_file(path, path.relative_to(folder).as_posix()))


def _recorded(path: Path, folder: Path) -> Callable[[], list[Row]]:
    output = path.relative_to(folder).as_posix()

    def read() -> list[Row]:
        stored = records.read(BAKES.record_path(path), BAKES)
        if stored is None or stored.report is None:  # of another version, or of a run that goes on
            return rows_of_file(path, output)
        contents = stored.inputs.get("contents", {}).get("source", {})
        facts = {
            "name": stored.name,
            "source": stored.source,
            "source_hash": next(iter(contents.values()), None),  # the file comes before what it names
            "output": output,
            "hash": stored.sha256,
            "key": stored.key,
            "tags": stored.report.get("tags"),
            "licence": stored.report.get("licence"),
            "lissom": stored.inputs.get("code", {}).get("lissom"),
            "seconds": stored.seconds,
        }
        return rows_of(stored.report, facts, str(BAKES.record_path(path)))

    return read
