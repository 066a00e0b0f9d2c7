# SPDX-License-Identifier: MIT
"""Names of characters that become part of another, which stand before the names of all they bring."""

from __future__ import annotations

from collections.abc import Iterable

from lissom._character.character import Character

__all__ = ["distinct_prefix", "distinct_prefixes"]


def distinct_prefix(wanted: str, character: Character) -> str:
    """Return a name that nothing of a character has, alone or before a slash; it may end in a number."""
    mesh = character.mesh
    morphs = () if mesh is None or mesh.morphs is None else mesh.morphs.names
    parts = () if mesh is None else (part.name for part in mesh.parts)
    faces = () if character.expressions is None else character.expressions.names
    return _free(wanted, {*character.skeleton.names, *parts, *morphs, *faces, *character.clips})


def distinct_prefixes(wanted: Iterable[str]) -> list[str]:
    """Return as many different names, none of which is another's with a slash and more behind it.

    One that would be has ``_`` in place of its slashes: "a/b" beside "a".
    """
    names: list[str] = []
    for name in wanted:
        is_below = any(name.startswith(f"{each}/") for each in names)
        names.append(_free(name.replace("/", "_") if is_below else name, set(names)))
    return names


def _free(wanted: str, taken: set[str]) -> str:
    name, number = wanted, 1
    while any(each == name or each.startswith(f"{name}/") for each in taken):
        number += 1
        name = f"{wanted}_{number}"
    return name
