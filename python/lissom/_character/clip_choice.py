# SPDX-License-Identifier: MIT
"""Which clip of a character is meant: by its name, or a clip that fits its skeleton."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lissom._base.names import unknown_name
from lissom._rig.skeleton_fit import check_same_skeleton
from lissom.clip import Clip

if TYPE_CHECKING:
    from lissom._character.character import Character

__all__ = ["clip_of"]


def clip_of(character: Character, clip: object, function: str, *, rest: bool = False) -> Clip:
    """Return a clip of a character; anything else, and a clip of another skeleton, is refused.

    Parameters
    ----------
    character : Character
    clip : str or Clip
        Name in ``character.clips``, or a clip of the same skeleton.
    function : str
        Called by the user, for messages.
    rest : bool
        Whether the clip's skeleton must have the same rest pose, too.
    """
    if isinstance(clip, str):
        if clip not in character.clips:
            raise ValueError(f"{function}: {unknown_name('clip', clip, character.clips)}")
        clip = character.clips[clip]
    if not isinstance(clip, Clip):
        raise TypeError(f"{function}: clip must be a name or a Clip, got {type(clip).__name__}")
    check_same_skeleton(character.skeleton, clip.skeleton, f"{function}: clip {clip.name!r}", rest=rest)
    return clip
