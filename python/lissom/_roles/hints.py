# SPDX-License-Identifier: MIT
"""Hints to roles, as a dictionary or a TOML file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from types import NoneType

import msgspec

from lissom._base.names import unknown_name
from lissom._formats.regular_file import read_regular
from lissom._rig.skeleton import Skeleton
from lissom._roles.bones import ARM, DIGITS, FINGERS, FORE, HIND, HUMANOID, LEG, QUADRUPED, SIDES, TRUNK

__all__ = ["check_order", "checked_hints"]

MOST_BYTES = 1 << 16
"""Most bytes of a file: a line for each role takes 5 KB, and nested tables take 900 times their bytes."""
MOST_DOTS = 100
"""Most dots of a line: a dotted key takes memory with the square of its parts."""

KNOWN = dict.fromkeys((*HUMANOID, *QUADRUPED))


def checked_hints(
    function: str, hints: Mapping[str, str | None] | str | os.PathLike[str] | None, skeleton: Skeleton
) -> dict[str, str | None]:
    """Return joints by role, None for a role that no joint plays; refuse what does not fit the skeleton."""
    if hints is None:
        return {}
    where = f"{function}: hints"
    if not isinstance(hints, Mapping):
        if not isinstance(hints, (str, os.PathLike)):
            raise TypeError(
                f"{where} must be a mapping of roles to joints or the path of a TOML file, got "
                f"{type(hints).__name__}"
            )
        where, hints = f"{function}: {os.fspath(hints)}", _read(function, hints)
    result: dict[str, str | None] = {}
    for role, joint in hints.items():
        if not isinstance(role, str):
            raise TypeError(f"{where}: roles must be names, got {role!r}")
        if not isinstance(joint, (str, NoneType)):
            raise TypeError(f"{where}: {role} must be the name of a joint or None, got {joint!r}")
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


def check_order(where: str, joints: Mapping[str, str], skeleton: Skeleton) -> None:
    """Refuse a bone that is above the one that carries it; a foot may be beside its leg."""
    limbs = [["hips", *(side + bone for bone in line)] for side in SIDES for line in (ARM, LEG, FORE, HIND)]
    fingers = [
        [side + "Hand", *(side + bone for bone in FINGERS if bone.startswith(digit))]
        for side in SIDES
        for digit in DIGITS
    ]
    for line in ([*TRUNK], *limbs, *fingers):
        bones = [bone for bone in line if bone in joints]
        for upper, lower in pairwise(bones):
            above, below = joints[upper], joints[lower]
            if skeleton.is_in_hierarchy(above, below):
                raise ValueError(
                    f"{where}: {lower} must be below {upper}, got {below!r}, which is above {above!r}"
                )


def _read(function: str, path: str | os.PathLike[str]) -> dict[str, str]:
    data = read_regular(Path(path), MOST_BYTES)
    try:
        if max(line.count(b".") for line in data.split(b"\n")) > MOST_DOTS:
            raise ValueError(f"a line has more than {MOST_DOTS} dots")
        return msgspec.toml.decode(data, type=dict[str, str])
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise ValueError(
            f'{function}: {os.fspath(path)} must be a TOML file of lines role = "joint": {error}'
        ) from None
