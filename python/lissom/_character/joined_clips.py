# SPDX-License-Identifier: MIT
"""Clips of a character that became part of another, or that others became part of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lissom.clip import Clip
from lissom.clip._bind_morphs import partners_of_morphs
from lissom.clip._tracks import WEIGHT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._character.joined import Member
    from lissom._rig.skeleton import Skeleton

__all__ = ["Seat", "carried", "carried_clip", "own_morph_names"]


@dataclass(frozen=True, eq=False, slots=True)
class Seat:
    """Where a member is in the result.

    Attributes
    ----------
    member : Member
    joint : int
        The first of its joints.
    morph : int
        The first of its morph targets.
    skeleton : Skeleton
        Of the result.
    morph_names : tuple of str
        All targets of the result's mesh.
    morph_defaults : ndarray of float32, shape (M,)
    """

    member: Member
    joint: int
    morph: int
    skeleton: Skeleton
    morph_names: tuple[str, ...]
    morph_defaults: NDArray[np.float32]


def own_morph_names(member: Member) -> tuple[str, ...]:
    """Return the names of the morph targets of a member's own mesh."""
    mesh = member.mesh
    return () if mesh is None or mesh.morphs is None else mesh.morphs.names


def carried(seat: Seat, name: str) -> Clip:
    """Return a member's clip by its name, as `carried_clip` does."""
    clip: Clip = seat.member.character.clips[name]  # type: ignore[union-attr]  # a mesh has none
    return carried_clip(seat, clip).renamed(seat.member.prefix + name)


def carried_clip(seat: Seat, clip: Clip) -> Clip:
    """Return a member's clip on the joined skeleton: it moves that member, and all else rests.

    Keys are shared. Root motion stays where the member is not mounted: elsewhere it would move all.
    """
    member = seat.member
    table = clip._table.copy()
    is_weight = table["path"] == WEIGHT
    table["joint"][~is_weight] += seat.joint
    names, defaults, weights = _weights(seat, clip, table[is_weight])
    options = clip._options() | {
        "loop": clip.loop,  # guessed by the size of its own skeleton
        "root_motion": clip._root_motion if member.mount is None else None,
        "morph_names": names,
        "morph_defaults": defaults,
    }
    tracks = np.concatenate([table[~is_weight], weights])
    result = Clip(clip.name, seat.skeleton, clip.keys, tracks, **options)
    if member.mount is None:
        result._report, result._binding = clip._report, clip._binding
    return result


def _weights(
    seat: Seat, clip: Clip, tracks: NDArray[np.void]
) -> tuple[tuple[str, ...], NDArray[np.float32], NDArray[np.void]]:
    """Return names and defaults of the targets that a clip knows, and its tracks of them.

    All those of the joined mesh, then those of the clip that no target of its own mesh takes.
    """
    prefix, known = seat.member.prefix, clip.morph_names
    partners = partners_of_morphs(known, own_morph_names(seat.member))
    left = [number for number in range(len(known)) if number not in partners]
    targets = {number: [seat.morph + target for target in found] for number, found in partners.items()}
    targets |= {number: [len(seat.morph_names) + place] for place, number in enumerate(left)}
    names = (*seat.morph_names, *(prefix + known[number] for number in left))
    defaults = np.concatenate([seat.morph_defaults, clip.morph_defaults[left]]).astype(np.float32)
    rows = []
    for number, default in enumerate(clip.morph_defaults.tolist()):
        for target in targets[number]:
            defaults[target] = default
            for row in tracks[tracks["joint"] == number]:
                moved = row.copy()
                moved["joint"] = target
                rows.append(moved)
    return names, defaults, np.array(rows, tracks.dtype) if rows else tracks[:0]
