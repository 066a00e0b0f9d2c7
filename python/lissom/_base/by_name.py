# SPDX-License-Identifier: MIT
"""Clips by name; an unknown name is answered with similar ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from lissom._base.names import unknown_name

__all__ = ["ClipsByName"]

Kind = TypeVar("Kind", covariant=True)


class ClipsByName(Mapping[str, Kind]):
    """A read-only mapping of names to clips, in their order."""

    __slots__ = ("_clips",)

    def __init__(self, clips: Mapping[str, Any]) -> None:
        self._clips = dict(clips)

    def __getitem__(self, name: str) -> Kind:
        try:
            clip: Kind = self._clips[name]
        except KeyError:
            if not isinstance(name, str):
                raise KeyError(f"clips go by their names, got {name!r}; list(clips) gives them") from None
            raise KeyError(unknown_name("clip", name, self._clips)) from None
        return clip

    def __iter__(self) -> Iterator[str]:
        return iter(self._clips)

    def __len__(self) -> int:
        return len(self._clips)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._clips})"

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._clips)
