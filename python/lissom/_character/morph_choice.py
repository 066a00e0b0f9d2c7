# SPDX-License-Identifier: MIT
"""Which weights a character's morph targets have: those that are given, or those of a clip."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.names import counted
from lissom._rig.morph_weights import morph_weights
from lissom.clip._bind_morphs import partners_of_morphs

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lissom._character.character import Character
    from lissom.clip import Clip

__all__ = ["clip_morphs", "morphs_of", "warn_of_lost"]

MOST_NAMES = 5  # that a warning lists


def morphs_of(
    caller: str,
    character: Character,
    morphs: ArrayLike | None,
    clip: Clip | None = None,
    time: float | None = None,
    *,
    depth: int = 1,
) -> NDArray[np.float32] | None:
    """Return weights ``(M,)``: given, or of a clip at a time, its middle for None, or the defaults.

    None where the character has no morph targets.

    Raises
    ------
    TypeError, ValueError
        As `morph_weights`.

    Warns
    -----
    UserWarning
        As `warn_of_lost`, if the clip's weights are used; `depth` as there.
    """
    if morphs is None and clip is not None:
        warn_of_lost(caller, character, clip, depth=depth + 1)
        found = clip_morphs(character, clip, clip.start + clip.duration / 2 if time is None else time)
        return None if found is None else np.asarray(found, np.float32)
    return morph_weights(morphs, character.mesh, f"{caller}: morphs")


def clip_morphs(
    character: Character, clip: Clip, times: ArrayLike, loop: bool | None = None
) -> NDArray[Any] | None:
    """Return the weights ``(..., M)`` that a clip gives the mesh's targets; None without targets.

    Targets go by their names, as in `Clip.bind`; those that the clip does not know have the mesh's defaults.
    """
    morphs = None if character.mesh is None else character.mesh.morphs
    if morphs is None:
        return None
    names = clip.morph_names
    if not names:
        return np.broadcast_to(morphs.defaults, (*np.shape(times), len(morphs)))
    weights = clip.morphs(times, loop)
    if names == morphs.names:
        return np.asarray(weights)
    result = np.empty((*np.shape(times), len(morphs)), weights.dtype)
    result[...] = morphs.defaults
    for column, targets in partners_of_morphs(names, morphs.names).items():
        result[..., targets] = weights[..., column, None]
    return result


def warn_of_lost(caller: str, character: Character, clip: Clip, *, depth: int = 1) -> None:
    """Warn of weights that a clip moves and no target of the mesh takes, by name.

    `depth` is the number of calls from the public function, whose name is `caller`, to this one.
    """
    if character.mesh is None or not len(clip.weight_tracks):
        return
    morphs = character.mesh.morphs
    known = partners_of_morphs(clip.morph_names, () if morphs is None else morphs.names)
    moved = sorted(clip.weight_tracks["joint"].tolist())
    lost = [clip.morph_names[number] for number in moved if number not in known]
    if lost:
        names = ", ".join(map(repr, lost[:MOST_NAMES])) + (", ..." if len(lost) > MOST_NAMES else "")
        warnings.warn(
            f"{caller}: weights of {counted(len(lost), 'morph target')} in clip {clip.name!r} are left out, "
            f"as the mesh has no such target: {names}; Clip.bind with morphs= binds them by name",
            stacklevel=depth + 2,
        )
