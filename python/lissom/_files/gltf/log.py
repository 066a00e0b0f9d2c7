# SPDX-License-Identifier: MIT
"""The log of one load: what was mended or left out, and what is refused instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NoReturn, TypeAlias

from lissom._character.character import Repair
from lissom.errors import GltfError

# A hostile file can hold a million faults of one kind; the first few tell all there is to know.
MAX_RECORDS_PER_CODE = 100

Report: TypeAlias = Callable[[str, str, str], None]
"""Takes code, pointer and message: `Log.mend` or `Log.note`."""


def refuse(code: str, pointer: str, message: str) -> NoReturn:
    """Raise a GltfError; the reader adds the path of the file."""
    raise GltfError(message, code=code, pointer=pointer)


class Log:
    """Collects repairs, or refuses them when the load is strict.

    Parameters
    ----------
    strict : bool
        Refuse what would be mended.
    """

    def __init__(self, strict: bool) -> None:
        self.strict = strict
        self._records: list[Repair] = []
        self._counts: Counter[str] = Counter()

    def mend(self, code: str, pointer: str, message: str) -> None:
        """Record a fault of the file that was mended; a strict load refuses it."""
        if self.strict:
            refuse(code, pointer, message)
        self.note(code, pointer, message)

    def note(self, code: str, pointer: str, message: str) -> None:
        """Record what a valid file holds and the result does not, or what was chosen for it."""
        self._counts[code] += 1
        if self._counts[code] <= MAX_RECORDS_PER_CODE:
            self._records.append(Repair(code, pointer, message))

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """All records, and one that counts those beyond the limit of each kind."""
        rest = [
            Repair(code, "", f"{count - MAX_RECORDS_PER_CODE} more of this kind are not listed")
            for code, count in self._counts.items()
            if count > MAX_RECORDS_PER_CODE
        ]
        return (*self._records, *rest)
