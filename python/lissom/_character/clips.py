# SPDX-License-Identifier: MIT
"""The clips of a character, each made when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lissom._base.by_name import ClipsByName
from lissom._base.doors import as_html
from lissom.clip import Clip

__all__ = ["Clips"]


class Clips(ClipsByName[Clip]):
    """Clips by name, in the order of the file. Each is made when it is first asked for."""

    __slots__ = ()

    def __init__(self, clips: Mapping[str, Clip | Callable[[], Clip]]) -> None:
        super().__init__(clips)

    def __getitem__(self, name: str) -> Clip:
        name = self._key(name)
        clip: Clip | Callable[[], Clip] = self._clips[name]
        if not isinstance(clip, Clip):
            clip = self._clips[name] = clip()
        return clip

    _repr_html_ = as_html

    def __repr__(self) -> str:
        return f"Clips({list(self._clips)})"
