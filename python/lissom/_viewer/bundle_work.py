# SPDX-License-Identifier: MIT
"""The child's part of a viewer: one file becomes the bytes that the browser player reads."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lissom._base.printable import printable
from lissom._formats.kind import BAKE_SUFFIX

if TYPE_CHECKING:
    from lissom._character.character import Character

__all__ = ["BundleWork"]

MOST_BYTES = 4 << 30
"""Memory that a child may take beyond what it had at its first file."""

MOST_REPAIRS = 200
"""That are told."""

_start = 0  # bytes of this process at its first file


@dataclass(frozen=True)
class BundleWork:
    """A model, a bake or a sample to show.

    Attributes
    ----------
    source : str
        Its path, or the sample's name.
    title : str
        Name to show.
    """

    source: str
    title: str

    def _work(
        self, target: Path, progress: Callable[[int, int, str], None] | None = None
    ) -> dict[str, Any] | None:
        """Write the bundle; return the files that a glTF names, for they are watched, too."""
        from lissom._formats.atomic import write_atomically
        from lissom._jobs.key import companions
        from lissom._jobs.sources import SAMPLE_PREFIX

        _limit()
        try:
            data = self._bundle()
        except MemoryError:
            raise ValueError(f"{self.source}: takes too much memory to be shown") from None
        write_atomically(target, data)
        is_sample = self.source.startswith(SAMPLE_PREFIX)
        beside = {} if is_sample or self._is_bake else companions(Path(self.source))
        return {"beside": sorted({str(path) for path in beside.values() if path is not None})}

    @property
    def _is_bake(self) -> bool:
        return self.source.lower().endswith(BAKE_SUFFIX)

    def _bundle(self) -> list[bytes | memoryview]:
        from lissom._jobs import sources
        from lissom.player._container import with_string
        from lissom.player._show import bake_of, player_of
        from lissom.pose_texture import load_bake

        if self._is_bake:
            return [player_of(load_bake(self.source), "view", title=self.title).bundle]
        character = sources.load(self.source)
        bake = bake_of(character, caller="view")
        data = player_of(bake, "view", title=self.title, character=character).bundle
        return with_string(data, "repairs", json.dumps(_repairs(character)))


def _repairs(character: Character) -> dict[str, Any]:
    """Return how many repairs loading made, and the first of them as sentences."""
    told = character.repairs[:MOST_REPAIRS]
    where = [f"{each.pointer}: " if each.pointer else "" for each in told]
    sentences = [place + each.message for place, each in zip(where, told, strict=True)]
    return {"count": len(character.repairs), "sentences": [printable(each, 400) for each in sentences]}


def _limit() -> None:
    """Bound the memory of this process, which reads files of strangers."""
    global _start
    if sys.platform != "linux":  # elsewhere only time is bounded
        return
    import resource

    if not _start:
        with open("/proc/self/statm", encoding="ascii") as file:
            _start = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (_start + MOST_BYTES, _start + MOST_BYTES))
