# SPDX-License-Identifier: MIT
"""The memory that reading one file may take: 8 times what is read, compressed data 16-fold, and 64 MiB.

One `Budget` belongs to one load, and is passed down to whatever decodes. What multiplies the bytes of a file
is charged to it before it is made: names, tables, arrays that a few bytes declare, data that is used again.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import NamedTuple, NoReturn

import numpy as np

from lissom import _core

__all__ = ["MAX_DECODED", "Budget", "JsonExtent"]

MAX_DECODED = 1 << 30
"""Most bytes that the pixels of pictures may take where the user does not say otherwise: 1 GiB."""

# What may be charged. Both stay below the promised 8 and 64 MiB: the file is in memory, too, and so are the
# arrays of one step.
_PER_BYTE = 6
_ALWAYS = 48 << 20

# As how many bytes one of compressed data counts. Faces that gltfpack writes decode to 15 times their size,
# where most deltas are zero; a stream made to break this decodes to a thousand times.
COMPRESSED = 16

Refuse = Callable[[str, str], NoReturn]
"""Takes the place in the file and a sentence, and raises the error of its reader."""


class Budget:
    """Bytes of memory that one load may take.

    Parameters
    ----------
    read : int
        Bytes of the file.
    refuse : function of (place, sentence)
        Raises the reader's own error.

    Attributes
    ----------
    total : int
        Bytes of the file and of all companions read so far.
    """

    def __init__(self, read: int, refuse: Refuse) -> None:
        self.total = read
        self._refuse = refuse
        self._spent = 0
        self._compressed = 0

    @classmethod
    def of_file(cls, path: str | os.PathLike[str], read: int = 0) -> Budget:
        """Return the budget of a file whose refusals are ValueErrors that begin with its path."""

        def refuse(_: str, sentence: str) -> NoReturn:
            raise ValueError(f"{os.fspath(path)}: {sentence}")

        return cls(read, refuse)

    def add(self, count: int) -> None:
        """Count the bytes of a companion, which may take memory as those of the file."""
        self.total += count

    def add_compressed(self, count: int) -> None:
        """Count bytes of compressed data, which may take as much memory as `COMPRESSED` times as many others.

        They are among the bytes that are read, which however often they are used count once.
        """
        self._compressed += count

    @property
    def left(self) -> int:
        """The bytes that may still be charged."""
        return self._most - self._spent

    @property
    def _most(self) -> int:
        counted = self.total + (COMPRESSED - 1) * min(self._compressed, self.total)
        return _PER_BYTE * counted + _ALWAYS

    def spend(self, count: int, place: str = "", why: str = "it uses the same data too many times") -> None:
        """Charge bytes that are about to be taken. `why` ends the sentence of a refusal."""
        self._spent += count
        most = self._most
        if self._spent > most:
            self._refuse(
                place,
                f"needs {-(-self._spent >> 20)} MiB decoded, at most {most >> 20} MiB are allowed for a file"
                f" of {self.total} bytes; {why}",
            )

    def spend_text(self, text: str, place: str = "") -> None:
        """Charge a string that was made of names in the file."""
        self.spend(sys.getsizeof(text), place, "its names are too long for how often they are used")


class JsonExtent(NamedTuple):
    """What a JSON text decodes to, counted without decoding it; see ``src/core/text/json_extent.h``."""

    depth: int
    containers: int
    commas: int
    keys: int
    crowded: int
    strings: int
    characters: int
    longest: int

    @classmethod
    def of(cls, text: bytes | memoryview) -> JsonExtent:
        """Count a text, which need not be valid."""
        return cls(*_core.json_extent(np.frombuffer(text, np.uint8)))

    # Sizes in CPython: an empty struct of ten fields with its list, or a dict of up to five entries; a number
    # and its place in a list; an entry of a dict that grows; a string without its characters.

    @property
    def typed_bytes(self) -> int:
        """Upper bound of the memory of typed structs, whose unknown members are skipped."""
        return 240 * self.containers + 40 * self.commas + 160 * self.crowded + 32 * self.strings + self._text

    @property
    def plain_bytes(self) -> int:
        """Upper bound of the memory of dicts and lists, with what lists them while they are checked."""
        entries = 48 * self.commas + 40 * self.keys + 160 * self.crowded
        return 400 * self.containers + entries + 56 * self.strings + self._text

    @property
    def _text(self) -> int:
        return self.characters + self.longest  # a string is copied once while it is decoded
