# SPDX-License-Identifier: MIT
"""Which clip of a character is meant: by its name, or a clip that fits its skeleton."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from lissom._base.names import name_meant, unknown_name
from lissom._rig.skeleton_fit import check_same_skeleton
from lissom.clip import Clip

if TYPE_CHECKING:
    from lissom._character.character import Character

__all__ = ["clip_name_of", "clip_of"]


def clip_name_of(names: Collection[str], name: str, function: str, listing: str = "") -> str:
    """Return the name in full of the clip that is meant by a name.

    The exact name wins; else that of the only clip which differs by its case, or by what stands before a
    ``|``: exporters put the armature there. ValueError with the candidates where there is none, or several.
    `function` begins the message, `listing` says where to see all names.
    """
    meant = name_meant(name, names)
    if meant is None:
        raise ValueError(f"{function}: {unknown_name('clip', name, names, listing)}")
    return meant


def clip_of(character: Character, clip: object, function: str, *, rest: bool = False) -> Clip:
    """Return a clip of a character; anything else, and a clip of another skeleton, is refused.

    Parameters
    ----------
    character : Character
    clip : str or Clip
        Name of a clip of the character, as `clip_name_of` takes it, or a clip of the same skeleton.
    function : str
        Called by the user, for messages.
    rest : bool
        Whether the clip's skeleton must have the same rest pose, too.
    """
    if isinstance(clip, str):
        clip = character.clips[clip_name_of(character.clips, clip, function)]
    if not isinstance(clip, Clip):
        raise TypeError(f"{function}: clip must be a name or a Clip, got {type(clip).__name__}")
    check_same_skeleton(character.skeleton, clip.skeleton, f"{function}: clip {clip.name!r}", rest=rest)
    return clip
