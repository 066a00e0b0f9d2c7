# SPDX-License-Identifier: MIT
"""Several characters as one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from lissom._base.names import counted
from lissom._base.set_module import set_module
from lissom._character.character import Character
from lissom._character.clip_choice import clip_of
from lissom._character.clips import Clips
from lissom._character.distinct_names import distinct_prefixes
from lissom._character.equal_size import size_factors
from lissom._character.joined import Member, Mount, joined, seats_of
from lissom._character.placements import checked_placements, side_by_side
from lissom._character.together import check_poses, together
from lissom.clip import Clip

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["box_of", "checked_characters", "merge"]

ClipChoice = str | Clip | None


@set_module("lissom")
def merge(
    characters: Iterable[Character],
    placements: ArrayLike | None = None,
    *,
    names: Sequence[str] | None = None,
    clips: Mapping[str, Sequence[ClipChoice]] | None = None,
    equal_size: bool | float = False,
    name: str | None = None,
) -> Character:
    """Make one character of several that stand side by side, or where they are placed.

    The result has a joint for each of them, a root, with the character's own joints below. It is posed,
    drawn, baked, saved and shown as any other.

    Parameters
    ----------
    characters : iterable of Character
        One or more; the same one may come several times.
    placements : array_like, optional
        Where each stands: positions, shape (N, 3); trs (N, 10), dual quaternions (N, 8) or matrices
        (N, 4, 4), rigid with one scale above 0; or instances of a crowd, shape (N,), of which position,
        rotation and scale count. When omitted, in a row along x, the first to the left, each facing +z with
        its lowest point at height 0, in the rest pose a tenth of their mean width apart.
    names : sequence of str, optional
        Of the joints that carry them; their own names when omitted. Repeated ones end in ``_2`` and so on;
        one that stands below another, "a/b" beside "a", gets ``_`` for its slashes.
    clips : mapping of str to sequence, optional
        Clips that they play at the same time: for each name a clip of every character, by its name or a clip
        of its skeleton, or None for the rest pose: ``{"duel": ["Attack", "Hit"]}``. They come first.
    equal_size : bool or float
        Whether to scale them to one height, measured as they rest: that of the first, or a number in the
        lengths of the result. On top of the scales of `placements`.
    name : str, optional
        Of the result; the names of all with "and" between them when omitted.

    Returns
    -------
    Character
        Names of joints, parts, morph targets, expressions and clips have the character's name and a slash
        before them, ``"Knight/Hips"``, so that ``only("Knight")`` is left of its mesh. In a clip of one,
        ``"Knight/Walk"``, all others rest.

    Raises
    ------
    TypeError
        If one of them is no Character, or an argument of another type.
    ValueError
        If there is none, a placement or a name is missing, a placement scales unevenly or by zero or less, a
        clip is not known or additive, or a character without height is to get one.

    See Also
    --------
    attach : a prop that follows a joint of a character.
    render : several characters in one picture, without merging them.

    Notes
    -----
    Clips of `clips` go from 0 s to the end of the longest. A shorter one is repeated where it loops, and cut
    at the end; it holds its last pose where it does not. Root motion is left out, also of each one's own
    clips, since it would move all: `Clip.restore_root_motion` before lets them travel.

    `Character.method` is theirs where all have the same, else "linear". Roles and gaze, which are of one
    body, are not kept; springs of VRM files are. The result is not prepared.

    Examples
    --------
    >>> adult, child = lissom.samples.humanoid(), lissom.samples.humanoid("child")
    >>> pair = lissom.merge([adult, child], names=["A", "B"], clips={"meet": ["wave", "walk"]})
    >>> pair
    Character('humanoid_adult and humanoid_child', 70 joints, 23370 vertices, 11 clips)
    >>> list(pair.clips)[:3]
    ['meet', 'A/idle', 'A/walk']
    >>> [pair.skeleton.names[joint] for joint in np.flatnonzero(pair.skeleton.parents < 0)]
    ['A', 'B']
    """
    members = checked_characters("merge", characters)
    factors = size_factors("merge", members, equal_size)
    if placements is None:
        boxes = np.array([box_of(each, each.skeleton.rest) for each in members])
        placed = side_by_side([each.skeleton for each in members], boxes, factors)
    else:
        placed = checked_placements(placements, len(members), "merge")
        placed[:, 7:] *= factors[:, None]
    prefixes = distinct_prefixes(_names(members, names))
    seated = [
        Member(each, Mount(prefix, -1, place))
        for each, prefix, place in zip(members, prefixes, placed, strict=True)
    ]
    result = joined(_name(members, name), seated)
    methods = {each.method for each in members}
    result.method = methods.pop() if len(methods) == 1 else "linear"
    if clips is not None:
        seats = seats_of(seated, result.skeleton, result.mesh)
        first = {
            key: partial(together, "merge", key, seats, chosen)
            for key, chosen in _chosen_clips(members, clips).items()
        }
        both = [key for key in first if key in result.clips]
        if both:
            raise ValueError(f"merge: clips must have names of their own, got {both[0]!r} twice; rename it")
        result.clips = Clips(first | result.clips._clips)  # type: ignore[attr-defined]  # it is Clips
    return result


def checked_characters(function: str, characters: object) -> list[Character]:
    """Return characters as a list; refuse anything else, and none at all."""
    if isinstance(characters, (str, Character)) or not isinstance(characters, Iterable):
        raise TypeError(
            f"{function}: characters must be a sequence of Character, got {type(characters).__name__}"
        )
    members = list(characters)
    for each in members:
        if not isinstance(each, Character):
            raise TypeError(
                f"{function}: characters must hold Characters, got {type(each).__name__}; lissom.load makes "
                "one of a file"
            )
        if not len(each.skeleton):
            raise ValueError(
                f"{function}: characters must have at least one joint, got {each.name!r}, which has none"
            )
    if not members:
        raise ValueError(f"{function}: characters must be one or more, got none")
    return members


def box_of(character: Character, pose: ArrayLike, morphs: ArrayLike | None = None) -> NDArray[np.float64]:
    """Return lower and upper corner of a character in poses (..., J, 10), model space, shape (2, 3)."""
    if character.mesh is not None and character.mesh.vertex_count:
        points = character.deform(pose, "linear", morphs=morphs)
    else:
        points = character.skeleton.positions(pose)
    flat = points.reshape(-1, 3).astype(np.float64)
    return np.stack([flat.min(axis=0), flat.max(axis=0)])


def _names(members: Sequence[Character], names: Sequence[str] | None) -> list[str]:
    if names is None:
        return [each.name or "character" for each in members]
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise TypeError(f"merge: names must be a sequence of str, got {type(names).__name__}")
    for each in names:
        if not isinstance(each, str):
            raise TypeError(f"merge: names must hold str, got {type(each).__name__}")
    if len(names) != len(members) or not all(names):
        raise ValueError(
            f"merge: names must be one for each of {counted(len(members), 'character')}, none empty, got "
            f"{list(names)!r}"
        )
    return list(names)


def _name(members: Sequence[Character], name: str | None) -> str:
    if name is None:
        return " and ".join(each.name for each in members)
    if not isinstance(name, str):
        raise TypeError(f"merge: name must be a str, got {type(name).__name__}")
    return name


def _chosen_clips(
    members: Sequence[Character], clips: Mapping[str, Sequence[ClipChoice]]
) -> dict[str, list[Clip | None]]:
    """Return the clip of each character for each name of the result."""
    if not isinstance(clips, Mapping):
        raise TypeError(f"merge: clips must be a mapping of names to clips, got {type(clips).__name__}")
    found: dict[str, list[Clip | None]] = {}
    for key, chosen in clips.items():
        if not isinstance(key, str):
            raise TypeError(f"merge: clips must be named by str, got {type(key).__name__}")
        if isinstance(chosen, (str, Clip)) or not isinstance(chosen, Sequence):
            raise TypeError(
                f"merge: clips[{key!r}] must be a sequence, one for each character, got "
                f"{type(chosen).__name__}"
            )
        if len(chosen) != len(members):
            raise ValueError(
                f"merge: clips[{key!r}] must be one for each of {counted(len(members), 'character')}, None "
                f"for the rest pose, got {len(chosen)}"
            )
        found[key] = [
            None if clip is None else clip_of(each, clip, f"merge: clips[{key!r}]")
            for each, clip in zip(members, chosen, strict=True)
        ]
        check_poses("merge", found[key])  # together makes them later, when they are asked for
    return found
