# SPDX-License-Identifier: MIT
"""Whether two skeletons are the same: the one answer to "does this clip fit this character?"."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from lissom._rig.skeleton import Skeleton

__all__ = ["check_same_skeleton", "is_same_skeleton"]


def is_same_skeleton(ours: Skeleton, theirs: Skeleton, *, rest: bool = False) -> bool:
    """Return whether joints have the same names and parents, in the same order.

    A pose is one local transform for each joint: with other parents it is another pose, though names agree.
    With `rest`, the rest poses must be equal, too: for what is relative to them.
    """
    return ours is theirs or _difference(ours, theirs, rest) is None


def check_same_skeleton(ours: Skeleton, theirs: Skeleton, what: str, *, rest: bool = False) -> None:
    """Refuse what is of another skeleton: ValueError that says where `theirs` differs first.

    `what` names function and argument: "CrossFade.play: 'walk'".
    """
    if ours is theirs:
        return
    difference = _difference(ours, theirs, rest)
    if difference is not None:
        raise ValueError(f"{what} must be of the same skeleton, but {difference}; Clip.bind fits clips to it")


def _difference(ours: Skeleton, theirs: Skeleton, rest: bool) -> str | None:
    """Say where skeletons differ first; None where they are the same."""
    if ours.names != theirs.names:
        for joint, (mine, other) in enumerate(zip(ours.names, theirs.names, strict=False)):
            if mine != other:
                return f"joint {joint} is {other!r} there and {mine!r} here"
        return f"it has {len(theirs)} joints and this one {len(ours)}"
    if not np.array_equal(ours.parents, theirs.parents):
        joint = int(np.flatnonzero(ours.parents != theirs.parents)[0])
        there, here = _parent(theirs, joint), _parent(ours, joint)
        return f"the parent of {ours.names[joint]!r} is {there} there and {here} here"
    if rest and not np.array_equal(ours.rest, theirs.rest):
        joint = int(np.flatnonzero((ours.rest != theirs.rest).any(axis=1))[0])
        return f"the rest transform of {ours.names[joint]!r} is another there"
    return None


def _parent(skeleton: Skeleton, joint: int) -> str:
    parent = int(skeleton.parents[joint])
    return "none" if parent < 0 else repr(skeleton.names[parent])
