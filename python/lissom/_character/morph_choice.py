# SPDX-License-Identifier: MIT
"""Which weights a character's morph targets have: those that are given, or those of a clip."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._rig.morph_weights import morph_weights
from lissom.clip._bind_morphs import partners_of_morphs

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lissom._character.character import Character
    from lissom.clip import Clip

__all__ = ["clip_morphs", "morphs_of"]


def morphs_of(
    caller: str,
    character: Character,
    morphs: ArrayLike | None,
    clip: Clip | None = None,
    time: float | None = None,
) -> NDArray[np.float32] | None:
    """Return weights ``(M,)``: given, or of a clip at a time, its middle for None, or the defaults.

    None where the character has no morph targets.

    Raises
    ------
    TypeError, ValueError
        As `morph_weights`.
    """
    if morphs is None and clip is not None:
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
