# SPDX-License-Identifier: MIT
"""Root motion: the part of a clip that moves the character through the world."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lissom.clip import Clip

__all__ = ["RootMotion"]


class RootMotion:
    """Where a clip takes its character, as a path over the ground.

    Parameters
    ----------
    track : Clip
        Moves one joint: the rigid transform of the character relative to where its clip began.
    """

    def __init__(self, track: Clip) -> None:
        self.track = track

    def edited(self, edit: Callable[..., Clip], *arguments: Any, **options: Any) -> RootMotion:
        """Give this movement with an edit of `Clip` done to its track, as it was done to the clip."""
        return RootMotion(edit(self.track, *arguments, **options))

    def __repr__(self) -> str:
        return f"<RootMotion of {self.track.duration:.3f} s>"
