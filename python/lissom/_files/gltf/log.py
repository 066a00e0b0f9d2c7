# SPDX-License-Identifier: MIT
"""The log of one load: what was repaired or left out; and how faults are refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NoReturn, TypeAlias

from lissom._base.printable import MOST_MESSAGE, printable
from lissom._character.repair import Repair
from lissom.errors import GltfError

# A hostile file can hold a million faults of one kind, of which the first few say enough.
MAX_RECORDS_PER_CODE = 100

# Names of a file may be megabytes long; a pointer of the longest real names has 200 characters.
_MOST_POINTER = 400

Report: TypeAlias = Callable[[str, str, str], None]
"""Takes code, pointer and message: `Log.mend` or `Log.note`."""


def refuse(code: str, pointer: str, message: str) -> NoReturn:
    """Raise a GltfError; the reader adds the path of the file."""
    raise GltfError(printable(message, MOST_MESSAGE), code=code, pointer=printable(pointer, _MOST_POINTER))


def check_index(index: int, count: int, what: str, pointer: str, owner: str = "the file") -> None:
    """Refuse an index outside [0, count); `what` names the objects that are counted, `owner` their owner."""
    if not 0 <= index < count:
        refuse(
            "UNRESOLVED_REFERENCE",
            pointer,
            f"the index must be below {count}, the number of {what} in {owner}, got {index}",
        )


class Log:
    """Collects repairs, or refuses what needs them when the load is strict.

    Parameters
    ----------
    strict : bool
        Refuse faults instead of repairing them.
    """

    def __init__(self, strict: bool) -> None:
        self.strict = strict
        self._records: list[Repair] = []
        self._counts: Counter[str] = Counter()

    def mend(self, code: str, pointer: str, message: str) -> None:
        """Record a fault of the file that was repaired; a strict load refuses it."""
        if self.strict:
            refuse(code, pointer, message)
        self.note(code, pointer, message)

    def note(self, code: str, pointer: str, message: str) -> None:
        """Record what of a valid file is not in the result, or what was chosen for it."""
        self._counts[code] += 1
        if self._counts[code] <= MAX_RECORDS_PER_CODE:
            self._records.append(
                Repair(code, printable(pointer, _MOST_POINTER), printable(message, MOST_MESSAGE))
            )

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """All records; beyond the limit of a code, one that counts the rest."""
        rest = [
            Repair(code, "", f"{count - MAX_RECORDS_PER_CODE} more of this kind are not listed")
            for code, count in self._counts.items()
            if count > MAX_RECORDS_PER_CODE
        ]
        return (*self._records, *rest)
