# SPDX-License-Identifier: MIT
"""The files that a viewer shows: one, or those below a folder, and nothing outside it."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes

from lissom._base.names import either
from lissom._base.printable import printable
from lissom._formats.kind import BAKE_SUFFIX, MODEL_SUFFIXES, MOTION_SUFFIX
from lissom._jobs.sources import SAMPLE_PREFIX

__all__ = ["SUFFIXES", "Entry", "Listing", "Refused", "Shelf", "stamp_of"]

SUFFIXES = (*MODEL_SUFFIXES, MOTION_SUFFIX, BAKE_SUFFIX)
"""Of the files that are shown."""

MOST_FILES = 5000
"""Most files of a folder that are listed."""

SEARCH_SECONDS = 3.0
"""Longest that a folder is searched."""


class Refused(Exception):
    """A file that is not shown, whatever it is: it is no name of the list."""


@dataclass(frozen=True)
class Entry:
    """One file: the key that stands for it in URLs, and its name as text."""

    key: str
    name: str


@dataclass(frozen=True)
class Listing:
    """The files of a folder.

    Attributes
    ----------
    entries : list of Entry
    note : str
        What was left out; empty where nothing was.
    """

    entries: list[Entry]
    note: str = ""


class Shelf:
    """What `lissom.view` was called with.

    Parameters
    ----------
    source : str
        A path or a sample.
    caller : str
        Begins messages.

    Raises
    ------
    OSError
        If there is no such file or folder, or it cannot be read.
    ValueError
        If the file is of no kind that can be shown.
    """

    def __init__(self, source: str, caller: str) -> None:
        self.source = source
        self.is_sample = source.startswith(SAMPLE_PREFIX)
        self.is_folder = not self.is_sample and Path(source).is_dir()
        if self.is_sample:
            self.title = source.removeprefix(SAMPLE_PREFIX)
            return
        path = Path(source)
        self.title = path.name or path.resolve().name
        self.root = path.resolve() if self.is_folder else path.absolute().parent
        if self.is_folder:
            os.scandir(self.root).close()  # refused at once rather than by an empty page
            return
        path.stat()
        if path.suffix.lower() not in SUFFIXES:
            raise ValueError(f"{caller}: {path} must end in {either(SUFFIXES)}, or be a folder or a sample")

    def listing(self) -> Listing:
        """Return the files that can be asked for, in an order that people expect."""
        if not self.is_folder:
            name = self.title if self.is_sample else Path(self.source).name
            return Listing([Entry(_key(name), printable(name))])
        return self._found()

    def path(self, key: str) -> str:
        """Return the path or sample that a key stands for, without links; Refused for any other.

        A key is a name relative to the folder, percent-encoded. Whatever it decodes to, the path has its
        links resolved before it is seen to be below the folder. What the list leaves out is refused, too:
        hidden files, and folders behind links.
        """
        name = os.fsdecode(unquote_to_bytes(key))
        if not self.is_folder:
            if key != self.listing().entries[0].key:
                raise Refused("only the file that was named is shown")
            return self.source if self.is_sample else str(Path(self.source).absolute())
        is_plain = "\0" not in name and all(part and part[0] != "." for part in name.split("/"))
        if not is_plain or (os.name == "nt" and any(sign in name for sign in "\\:")):
            raise Refused("a file must be named as in the list")
        if Path(name).suffix.lower() not in SUFFIXES:
            raise Refused(f"a file must end in {either(SUFFIXES)}")
        try:
            path = (self.root / name).resolve()
            is_listed = (self.root / name).parent.resolve() == (self.root / name).parent
        except (OSError, RuntimeError, ValueError):  # links in a circle
            raise Refused("a file must be named as in the list") from None
        if not path.is_relative_to(self.root):
            raise Refused("the file leads out of the folder, which is not followed")
        if not is_listed:
            raise Refused("a file must be named as in the list")
        return str(path)

    @staticmethod
    def name(key: str) -> str:
        """Return the name that a key stands for, as text."""
        return printable(os.fsdecode(unquote_to_bytes(key)))

    def _found(self) -> Listing:
        names: list[str] = []
        folders = [self.root]
        end = time.monotonic() + SEARCH_SECONDS
        unread = outside = 0
        while folders and len(names) <= MOST_FILES and time.monotonic() < end:
            folder = folders.pop(0)
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        if entry.name.startswith("."):
                            continue
                        if entry.is_dir(follow_symlinks=False):
                            folders.append(Path(entry.path))
                        elif os.path.splitext(entry.name)[1].lower() in SUFFIXES:
                            if not entry.is_symlink() or self._is_inside(entry.path):
                                names.append(os.path.relpath(entry.path, self.root).replace(os.sep, "/"))
                            else:
                                outside += 1
            except OSError:
                unread += 1
        left_out = []
        if folders or len(names) > MOST_FILES:
            del names[MOST_FILES:]
            left_out.append(f"only the first {len(names)} files are listed")
        if unread:
            left_out.append(f"folders that cannot be read: {unread}")
        if outside:
            left_out.append(f"links that lead out of the folder: {outside}")
        names.sort(key=lambda name: (_natural(name), name))
        return Listing([Entry(_key(name), printable(name)) for name in names], "; ".join(left_out))

    def _is_inside(self, path: str) -> bool:
        try:
            return Path(path).resolve(strict=True).is_relative_to(self.root)
        except (OSError, RuntimeError):
            return False


def stamp_of(source: str, beside: Iterable[str] = ()) -> str:
    """Return a text that differs when a file, or one that it names, was written again; "" for no file.

    OSError where it cannot be asked for.
    """
    if source.startswith(SAMPLE_PREFIX):
        return "sample"
    stamps = []
    for path in (source, *beside):
        try:
            told = os.stat(path)
        except FileNotFoundError:
            if path == source:
                return ""
            stamps.append("none")
        else:
            stamps.append(f"{told.st_mtime_ns:x}-{told.st_size:x}-{told.st_ino:x}")
    return ".".join(stamps)


def _key(name: str) -> str:
    return quote(os.fsencode(name), safe="")


def _natural(name: str) -> list[tuple[int, str]]:
    """Return what sorts ``walk2`` before ``walk10``."""
    parts = re.split(r"([0-9]+)", os.path.splitext(name)[0])  # by turns of anything and of digits
    return [(int(part[:300]), "") if i % 2 else (-1, part.lower()) for i, part in enumerate(parts)]
