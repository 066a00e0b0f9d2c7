# SPDX-License-Identifier: MIT
"""Names and sizes of files that are dropped, which somebody else gave them."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from lissom._base.names import either
from lissom._base.printable import file_name, printable

__all__ = ["MOST_UPLOAD", "kind_fault", "last_part", "size_fault", "stored_name"]

MOST_UPLOAD = 128 << 20
"""Most bytes of a dropped file."""

MOST_NAME = 120
"""Bytes of the name that a dropped file gets on the disk."""


def last_part(name: str) -> str:
    """Return what follows the last slash or backslash of a name."""
    return re.split(r"[\\/]", name)[-1]


def size_fault(name: str, size: int, advice: str) -> str | None:
    """Return why a file of so many bytes is not taken; None where it is."""
    if size <= MOST_UPLOAD:
        return None
    most = f"at most {MOST_UPLOAD / 1e6:.0f} MB can be dropped"
    return f"{printable(name, 200)}: has {size / 1e6:.0f} MB, and {most}; {advice}"


def kind_fault(name: str, suffixes: Collection[str]) -> str | None:
    """Return why a file of this name is not taken; None where it is."""
    if Path(name).suffix.lower() in suffixes:
        return None
    return f"{printable(name, 200)}: cannot be shown; drop a {either(suffixes)} file"


def stored_name(name: str) -> str:
    """Return the name of a file on the disk that stands for one of this name."""
    path = Path(name)
    return re.sub(r'[:*?"<>|\0]', "_", file_name(path.stem, MOST_NAME)) + path.suffix.lower()
