# SPDX-License-Identifier: MIT
"""Clips by name; an unknown name is answered with similar ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from lissom._base.names import name_meant, unknown_name

__all__ = ["ClipsByName"]

Kind = TypeVar("Kind", covariant=True)


class ClipsByName(Mapping[str, Kind]):
    """A read-only mapping of names to clips, in their order.

    ``clips["walk"]`` finds "Armature|Walk", too, where no other clip is named so, and ``"walk" in clips``
    agrees; iteration gives names in full.
    """

    __slots__ = ("_clips",)

    def __init__(self, clips: Mapping[str, Any]) -> None:
        self._clips = dict(clips)

    def __getitem__(self, name: str) -> Kind:
        clip: Kind = self._clips[self._key(name)]
        return clip

    def __contains__(self, name: object) -> bool:
        return name in self._clips or (isinstance(name, str) and name_meant(name, self._clips) is not None)

    def _key(self, name: str) -> str:
        """Return the name in full of the clip that is meant."""
        if name in self._clips:
            return name
        if not isinstance(name, str):
            raise KeyError(f"clips go by their names, got {name!r}; list(clips) gives them")
        meant = name_meant(name, self._clips)
        if meant is None:
            raise KeyError(unknown_name("clip", name, self._clips))
        return meant

    def __iter__(self) -> Iterator[str]:
        return iter(self._clips)

    def __len__(self) -> int:
        return len(self._clips)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._clips})"

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._clips)
