# SPDX-License-Identifier: MIT
"""What a load reads from: bytes, with the name and the folder they came from where there is one."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO


@dataclass(frozen=True, slots=True)
class Source:
    """The bytes of a file.

    Attributes
    ----------
    data : bytes
        The whole file.
    path : Path or None
        Where it lies, where it is a file; companions are looked for beside it.
    """

    data: bytes
    path: Path | None

    @property
    def folder(self) -> Path | None:
        """The folder in which companions may lie; None for bytes without a file."""
        return None if self.path is None else self.path.parent

    @property
    def name(self) -> str:
        """The file's name without its ending, or "character"."""
        return "character" if self.path is None else self.path.stem


def open_source(
    source: str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO, function: str = "load"
) -> Source:
    """Read the source whole. Raises OSError for a path that cannot be read, TypeError for anything else.

    `function` is the public one that messages name.
    """
    if isinstance(source, bytes):
        return Source(source, None)
    if isinstance(source, (bytearray, memoryview)):
        return Source(bytes(source), None)  # the result keeps views: they must not change under it
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        return Source(path.read_bytes(), path)
    read = getattr(source, "read", None)
    if read is None:
        raise TypeError(
            f"{function}: source must be a path, bytes or an open binary file, got {type(source).__name__}"
        )
    data = read()
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(
            f"{function}: source must be opened in binary mode, its read() gave {type(data).__name__};"
            ' open it with mode "rb"'
        )
    name = getattr(source, "name", None)
    beside = Path(name) if isinstance(name, str) and os.path.isfile(name) else None
    return Source(bytes(data), beside)
