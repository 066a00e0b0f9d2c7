# SPDX-License-Identifier: MIT
"""Inputs of the commands: files and folders of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from lissom._base.names import either
from lissom._formats.kind import BAKE_SUFFIX
from lissom._jobs.sources import SAMPLE_PREFIX

__all__ = ["expand", "files_below", "is_bake"]


def is_bake(source: str) -> bool:
    """Return whether a source is a bake, by its suffix."""
    return not source.startswith(SAMPLE_PREFIX) and Path(source).suffix.lower() == BAKE_SUFFIX


def files_below(folder: Path, suffixes: Collection[str]) -> list[str]:
    """Return the files with these suffixes, in any case, in a folder and its subfolders, sorted."""
    return sorted(
        str(path)
        for path in folder.rglob("*")
        if path.suffix.lower() in suffixes
        and not path.is_dir()
        and not path.name.startswith("._")  # metadata that macOS writes on other systems' disks
    )


def expand(sources: Iterable[str], suffixes: Sequence[str]) -> list[tuple[str, bool]]:
    """Return the sources with each folder replaced by its files with these suffixes, as `files_below`.

    Returns
    -------
    list of (str, bool)
        Each source, and whether it was found in a folder.

    Raises
    ------
    ValueError
        If a folder has no such file.
    """
    result: list[tuple[str, bool]] = []
    for source in sources:
        folder = Path(source)
        if source.startswith(SAMPLE_PREFIX) or not folder.is_dir():
            result.append((source, False))
            continue
        found = files_below(folder, suffixes)
        if not found:
            raise ValueError(f"{source}: the folder must hold a {either(suffixes)} file, got none")
        result += [(path, True) for path in found]
    return result
