# SPDX-License-Identifier: MIT
"""What is asked of the judge beside the files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lissom._base.names import unknown_name
from lissom._export.vertex_animation import Playback
from lissom._rig.mesh import Mesh

__all__ = ["JUDGE", "Request"]

JUDGE = "verify"
"""How errors begin: the function that the user called."""


@dataclass(frozen=True)
class Request:
    """What the caller says, and the files may not.

    Attributes
    ----------
    spans : mapping of str to (float, float)
        First and last moment of each clip of the source, seconds.
    loops : mapping of str to bool
        Whether each of them loops.
    clip : str or None
        The only clip to judge.
    rate : float or None
        Frames per second.
    loop : bool or None
    playback : {"interpolate", "snap"} or None
        What the engine does between frames.
    mesh : Mesh or None
        The source's, for files that have none of their own.
    """

    spans: Mapping[str, tuple[float, float]]
    loops: Mapping[str, bool]
    clip: str | None = None
    rate: float | None = None
    loop: bool | None = None
    playback: Playback | None = None
    mesh: Mesh | None = None

    def wants(self, clip: str) -> bool:
        """Whether a clip is judged; ValueError for one that the source lacks."""
        if self.clip is not None and clip != self.clip:
            return False
        if clip not in self.spans:
            raise ValueError(
                f"{JUDGE}: the bake holds a clip that source has not: "
                f"{unknown_name('clip', clip, self.spans)}"
            )
        return True

    def only_clip(self, name: str, where: str) -> str:
        """Return the clip that a stranger's file holds: the one asked for, or that its name ends in."""
        if self.clip is not None:
            return self.clip
        ends = [clip for clip in self.spans if name == clip or name.endswith(f"_{clip}")]
        if ends:
            return max(ends, key=len)
        if len(self.spans) == 1:
            return next(iter(self.spans))
        raise ValueError(
            f"{JUDGE}: {where} must say which clip it holds, by the end of its name or clip=..., got neither;"
            f" the source has {', '.join(map(repr, list(self.spans)[:8]))}"
        )
