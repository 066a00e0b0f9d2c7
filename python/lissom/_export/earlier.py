# SPDX-License-Identifier: MIT
"""An earlier export, whose files make room for those of a new one, and the files of others around them."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any

from lissom._formats.atomic import temporary_beside, write_atomically

__all__ = ["MARK", "files_in", "fill", "written_names"]

MARK = "lissom-export.json"
"""File by which a folder is known as an export, and which says the files that the export wrote."""

README = "README.md"
"""File of every export that `MARK` does not say."""


def files_in(folder: Path) -> list[str]:
    """Return the files in a folder and in those in it, by their paths in it."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def written_names(folder: Path) -> set[str] | None:
    """Return the files that the export in a folder wrote, itself said; None where it does not say them."""
    listed = _told(folder).get("files")
    if not isinstance(listed, dict):
        return None
    return {MARK, README, *(name for name in listed if _is_inside(folder, name))}


def fill(target: Path, made: Path, what: str) -> None:
    """Put the files in `made` in place of those that the earlier export wrote into `target`.

    Files of others stay, and are refused where new ones must go. If anything fails, all is put back. The mark
    says the files of both until all are in place, so that the next export knows them after a kill.
    """
    new = [name for name in files_in(made) if name != MARK]
    written = written_names(target) if (target / MARK).is_file() else set()
    old = set(new) if written is None else written
    _refuse_others(target, new, old, what)
    told = _told(target)
    aside = temporary_beside(target)
    aside.mkdir()
    put: list[str] = []
    try:
        if (target / MARK).is_file():
            shutil.copy2(target / MARK, aside / MARK)
        both = {**told, "files": dict.fromkeys(sorted({*new, *old} - {MARK, README}), 0)}
        write_atomically(target / MARK, [json.dumps(both).encode()])
        for name in sorted({*new, *old} - {MARK}):
            if os.path.lexists(target / name) and not _is_folder(target / name):
                _move(target / name, aside / name)
        for name in new:
            put.append(name)
            _move(made / name, target / name)
        os.replace(made / MARK, target / MARK)
    except BaseException:
        for name in put:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(target / name)
        if not (aside / MARK).is_file():
            with contextlib.suppress(FileNotFoundError):
                os.unlink(target / MARK)
        for name in files_in(aside):
            _move(aside / name, target / name)
        _remove_empty(target, put)
        raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    _remove_empty(target, old)


def _told(folder: Path) -> dict[str, Any]:
    """Return what the mark of a folder says; nothing where it cannot be read."""
    try:
        told = json.loads((folder / MARK).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _is_inside(folder: Path, name: str) -> bool:
    """Whether a name leads to a file of the folder: marks may be of strangers, and folders in it be links."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.name or "\\" in name or "\0" in name:
        return False
    return Path(os.path.realpath((folder / name).parent)).is_relative_to(os.path.realpath(folder))


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _refuse_others(target: Path, new: Iterable[str], old: set[str], what: str) -> None:
    for name in new:
        path = target / name
        above = [target / part for part in PurePosixPath(name).parents[:-1]]
        is_in_the_way = os.path.lexists(path) and (name not in old or _is_folder(path))
        if is_in_the_way or any(os.path.lexists(folder) and not _is_folder(folder) for folder in above):
            raise FileExistsError(
                errno.EEXIST,
                f"{what} must leave room for the files of the export, got another {name} that the earlier "
                "export did not write; move it, or choose another folder",
                os.fspath(target),
            )


def _move(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    os.replace(source, target)


def _remove_empty(target: Path, names: Iterable[str]) -> None:
    """Remove the folders of files where nothing is left in them."""
    folders = {str(parent) for name in names for parent in PurePosixPath(name).parents} - {"."}
    for folder in sorted(folders, key=len, reverse=True):
        with contextlib.suppress(OSError):  # something is in it, or it is no folder
            os.rmdir(target / folder)
