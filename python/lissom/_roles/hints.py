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

MOST_BYTES = 1 << 16
"""Most bytes of a file: a line for each role takes 5 KB, and nested tables take 900 times their bytes."""
MOST_DOTS = 100
"""Most dots of a line: a dotted key takes memory with the square of its parts."""

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
    data = read_regular(Path(path), MOST_BYTES)
    try:
        if max(line.count(b".") for line in data.split(b"\n")) > MOST_DOTS:
            raise ValueError(f"a line has more than {MOST_DOTS} dots")
        return msgspec.toml.decode(data, type=dict[str, str])
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise ValueError(
            f'roles: {os.fspath(path)} must be a TOML file of lines role = "joint": {error}'
        ) from None
