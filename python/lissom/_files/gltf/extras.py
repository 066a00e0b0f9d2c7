# SPDX-License-Identifier: MIT
"""What lissom's own files say in `extras` beyond glTF, so that loading them gives what was saved.

Everything stands under the key "lissom" of the object it speaks of, so that it survives tools which number
nodes anew. A file without it, or with some of it lost, is an ordinary glTF. Other readers skip it.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from lissom._files.gltf.log import Log
from lissom.clip._root_motion_mark import RootMotionMark

_Float16 = Annotated[list[float], Meta(min_length=16, max_length=16)]


BLEND = "_LISSOM_BLEND"
"""The vertex attribute that holds `Character.blend`: glTF leaves names with an underscore to applications."""


class SceneMark(Struct, omit_defaults=True):
    """Of the scene: its nodes are the skeleton, all of them, in the order of the file.

    `method` is how the character is skinned unless told otherwise; empty for "linear".
    """

    joints: Literal["all"]
    method: str = ""


class NodeMark(Struct, omit_defaults=True):
    """Of a node that is no joint of the skeleton, and what it is instead.

    Attributes
    ----------
    role : str
        "part": carries one part of the mesh. "row": stands for its parent in a further row of the palette,
        since a glTF skin names a node once. "root": holds several roots together.
    rigid, model_from_source
        Of the `Part`; column-major.
    """

    role: Literal["part", "row", "root"]
    rigid: bool = False
    model_from_source: _Float16 | UnsetType = UNSET


class SkinMark(Struct, omit_defaults=True):
    """Of a skin.

    Attributes
    ----------
    space : str
        "model": its mesh stands in model space already.
    made : bool
        Nobody's: it tells tools that bring skeletons in by their skins which nodes are joints.
    """

    space: Literal["model"] | UnsetType = UNSET
    made: bool = False


_Loop = bool | Literal["ping_pong"]


class ClipMark(Struct, omit_defaults=True):
    """Of an animation: what a `Clip` knows beyond its keys. Markers are seconds and name.

    Clips that nobody has asked for yet are pickled with it: so no UNSET, which names no module. Pickle would
    search all modules for it, and some warn when they are asked.
    """

    loop: _Loop | None = None
    markers: list[tuple[float, str]] = []
    additive: bool = False
    uniform: bool = False
    root_motion: RootMotionMark | None = None


Mark = TypeVar("Mark", SceneMark, NodeMark, SkinMark, ClipMark)


def extras_of(mark: SceneMark | NodeMark | SkinMark | ClipMark) -> dict[str, object]:
    """Give the `extras` that hold a mark."""
    return {"lissom": mark}


def mark_of(extras: Raw, kind: type[Mark], pointer: str, log: Log) -> Mark | None:
    """Read a mark; None where there is none. What is not as lissom writes it is noted and ignored."""
    if b'"lissom"' not in bytes(extras):
        return None
    try:
        members = msgspec.json.decode(extras, type=dict[str, Raw])
    except msgspec.ValidationError:
        return None  # no object: another's
    if "lissom" not in members:
        return None
    try:
        return _checked(msgspec.json.decode(members["lissom"], type=kind))
    except ValueError as error:  # msgspec's are of this kind, too
        reason = str(error).replace("`", "'")
        log.note(
            "EXTRAS_IGNORED", f"{pointer}/extras", f"not as lissom writes them, so not used: {reason[:200]}"
        )
        return None


def _checked(mark: Mark) -> Mark:
    numbers: list[float] = []
    if isinstance(mark, NodeMark) and mark.model_from_source is not UNSET:
        numbers += mark.model_from_source
    if isinstance(mark, ClipMark):
        numbers += [time for time, _ in mark.markers]
        if mark.root_motion is not None:
            mark.root_motion.motion()  # refuses what is none
    if not all(math.isfinite(number) for number in numbers):
        raise ValueError("a number is not finite")
    return mark
