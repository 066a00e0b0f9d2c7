# SPDX-License-Identifier: MIT
"""Hints to roles, as a dictionary or a TOML file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import msgspec

from lissom._base.names import unknown_name
from lissom._formats.regular_file import read_regular
from lissom._rig.skeleton import Skeleton
from lissom._roles.bones import ARM, FORE, HIND, HUMANOID, LEG, QUADRUPED, SIDES

__all__ = ["check_order", "checked_hints"]

KNOWN = dict.fromkeys((*HUMANOID, *QUADRUPED))


def checked_hints(
    hints: Mapping[str, str | None] | str | os.PathLike[str] | None, skeleton: Skeleton
) -> dict[str, str | None]:
    """Return joints by role, None for a role that no joint plays; refuse what does not fit the skeleton."""
    if hints is None:
        return {}
    where = "roles: hints"
    if not isinstance(hints, Mapping):
        where, hints = f"roles: {os.fspath(hints)}", _read(hints)
    result: dict[str, str | None] = {}
    for role, joint in hints.items():
        if role not in KNOWN:
            raise ValueError(f"{where}: {unknown_name('role', role, KNOWN)}")
        if joint is None or joint == "":
            result[role] = None
            continue
        if joint not in skeleton.names:
            raise ValueError(f"{where}: {unknown_name('joint', joint, skeleton.names)}")
        other = next((each for each, taken in result.items() if taken == joint), None)
        if other is not None:
            raise ValueError(f"{where}: a joint must play one role, got {joint!r} for {other!r} and {role!r}")
        result[role] = joint
    return result


def check_order(joints: Mapping[str, str], skeleton: Skeleton) -> None:
    """Refuse limbs of which a lower bone is above an upper one; a foot may be beside its leg."""
    lines = [[side + bone for bone in line] for side in SIDES for line in (ARM, LEG, FORE, HIND)]
    lines.append(["hips", "spine", "chest", "upperChest", "neck", "head"])
    for line in lines:
        bones = [bone for bone in line if bone in joints]
        for upper, lower in pairwise(bones):
            above, below = joints[upper], joints[lower]
            if skeleton.is_in_hierarchy(above, below):
                raise ValueError(
                    f"roles: hints: {lower} must be below {upper}, got {below!r}, which is above {above!r}"
                )


def _read(path: str | os.PathLike[str]) -> dict[str, str]:
    try:
        return msgspec.toml.decode(read_regular(Path(path)), type=dict[str, str])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(
            f'roles: {os.fspath(path)} must be a TOML file of lines role = "joint": {error}'
        ) from None
