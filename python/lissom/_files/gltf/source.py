# SPDX-License-Identifier: MIT
"""The source of a load: bytes, and the path of their file where there is one."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from lissom._formats.regular_file import check_path, read_regular


@dataclass(frozen=True, slots=True)
class Source:
    """The bytes of a file.

    Attributes
    ----------
    data : bytes
        The whole file.
    path : Path or None
        Path of the file, beside which external buffers and images are; None for bytes.
    """

    data: bytes
    path: Path | None

    @property
    def folder(self) -> Path | None:
        """Folder of external buffers and images; None for bytes without a file."""
        return None if self.path is None else self.path.parent

    @property
    def name(self) -> str:
        """The file's name without its suffix, or "character"."""
        return "character" if self.path is None else self.path.stem


def open_source(
    source: str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO, function: str = "load"
) -> Source:
    """Read the whole source. Raises OSError for a path that cannot be read, TypeError for another type.

    And ValueError for a name that no file can have.
    `function` is the public function that messages name.
    """
    if isinstance(source, bytes):
        return Source(source, None)
    if isinstance(source, (bytearray, memoryview)):
        return Source(
            bytes(source), None
        )  # a copy: the character keeps views of bytes, which must not change
    if isinstance(source, (str, os.PathLike)):
        path = Path(check_path(source, f"{function}: source"))
        return Source(read_regular(path), path)
    read = getattr(source, "read", None)
    if read is None:
        raise TypeError(
            f"{function}: source must be a path, bytes or an open binary file, got {type(source).__name__}"
        )
    data = read()
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(
            f"{function}: source must be opened in binary mode, got {type(data).__name__} from its read();"
            ' open it with mode "rb"'
        )
    name = getattr(source, "name", None)
    beside = Path(name) if isinstance(name, str) and os.path.isfile(name) else None
    return Source(bytes(data), beside)
