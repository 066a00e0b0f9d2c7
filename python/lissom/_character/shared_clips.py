# SPDX-License-Identifier: MIT
"""Which clips several characters play at the same time where nobody says."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from lissom._base.names import name_meant, only_like, unknown_name

if TYPE_CHECKING:
    from lissom._character.character import Character

__all__ = ["paired_clips", "shared_clip"]


def shared_clip(function: str, members: Sequence[Character], name: str) -> list[str]:
    """Return what each character calls a clip: that name, whatever its case and prefix.

    Raises
    ------
    ValueError
        If one has none, or several; the message names the character.
    """
    found = []
    for character in members:
        meant = name_meant(name, character.clips)
        if meant is None:
            raise ValueError(f"{function}: {character.name!r}: {unknown_name('clip', name, character.clips)}")
        found.append(meant)
    return found


def paired_clips(members: Sequence[Character]) -> dict[str, list[str | None]]:
    """Return every clip of all characters once, by a name for what is played at the same time.

    First those that all have, by the first one's name, whatever case and prefix; then the others, in order:
    the first of each, the second of each, by their names with "+" between. Who has none left rests.
    """
    pairs: dict[str, list[str | None]] = {}
    left = [list(character.clips) for character in members]
    for name in list(left[0]):
        others = [name if name in names else only_like(name, names) for names in left[1:]]
        if len(members) > 1 and all(other is not None for other in others):
            pairs[name] = [name, *others]
            for names, taken in zip(left, pairs[name], strict=True):
                assert taken is not None
                names.remove(taken)
    for row in zip_longest(*left):
        title = " + ".join(name for name in row if name is not None)
        number = 1
        while title in pairs:
            number += 1
            title = f"{title.removesuffix(f'_{number - 1}')}_{number}"
        pairs[title] = list(row)
    return pairs
