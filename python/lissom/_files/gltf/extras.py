# SPDX-License-Identifier: MIT
"""The marks in `extras` of lissom's own files, which hold what glTF has no property for.

Each is under the key "lissom" of the object that it belongs to, so that it survives tools which renumber
nodes. A file without marks, or with some of them lost, is an ordinary glTF. Other readers ignore them.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from lissom._files.gltf.log import Log
from lissom._files.gltf.schema import NOTHING
from lissom._rig.expressions import Override
from lissom._rig.part import View
from lissom.clip._root_motion_mark import RootMotionMark

_Float3 = tuple[float, float, float]
_Float16 = Annotated[list[float], Meta(min_length=16, max_length=16)]


BLEND = "_LISSOM_BLEND"
"""Name of the vertex attribute for `Character.blend`; glTF reserves a leading underscore for applications."""


class ExpressionMark(Struct, omit_defaults=True):
    """Mark of an `Expression`; ``binds`` are numbers of morph targets and weights."""

    name: str
    binds: list[tuple[Annotated[int, Meta(ge=0)], float]] = []
    binary: bool = False
    blink: Override = "none"
    look_at: Override = "none"
    mouth: Override = "none"
    group: str = ""


class GazeRangeMark(Struct, omit_defaults=True):
    """Mark of a `GazeRange`."""

    input: float
    output: float
    curve: list[tuple[float, float, float, float]] | None = None


class LookAtMark(Struct, omit_defaults=True):
    """Mark of a `StatedLookAt`."""

    kind: Literal["bone", "expression"]
    offset: _Float3
    front: _Float3
    ranges: tuple[GazeRangeMark, GazeRangeMark, GazeRangeMark, GazeRangeMark]


class ColliderMark(Struct, omit_defaults=True):
    """Mark of a `SpringCollider`."""

    joint: str
    shape: Literal["sphere", "capsule", "plane"]
    offset: _Float3
    tail: _Float3
    normal: _Float3
    radius: float
    inside: bool = False


class ChainMark(Struct, omit_defaults=True):
    """Mark of a `SpringChain`; ``colliders`` are numbers of the colliders of all chains."""

    joints: list[str]
    stiffness: list[float]
    drag: list[float]
    gravity: list[_Float3]
    radius: list[float]
    end: float = 0.0
    center: str | None = None
    colliders: list[Annotated[int, Meta(ge=0)]] = []
    follow: bool = False


class AvatarMark(Struct, omit_defaults=True):
    """Mark of what a VRM file said: joints by role, where the character looks, and what springs.

    Joints go by their names, which outlive tools that renumber nodes.
    """

    roles: dict[str, str] = {}
    look_at: LookAtMark | None = None
    springs: list[ChainMark] = []
    colliders: list[ColliderMark] = []


class SceneMark(Struct, omit_defaults=True):
    """Mark of a scene: all its nodes are the joints of the skeleton, in the order of the file.

    `method` is the character's skinning method; empty for "linear". `morphs` are the names of its morph
    targets, in order, and `expressions` those of the character. `avatar` is what a VRM file said.
    """

    joints: Literal["all"]
    method: str = ""
    morphs: list[str] = []
    expressions: list[ExpressionMark] | None = None
    avatar: AvatarMark | None = None


class NodeMark(Struct, omit_defaults=True):
    """Mark of a node that is not a joint of the skeleton.

    Attributes
    ----------
    role : str
        "part": carries one part of the mesh. "row": a child that represents its parent in a further row of
        the palette, since a glTF skin names a node once. "root": the common parent of several root joints.
    rigid, model_from_source
        Attributes of the `Part`; the matrix is column-major.
    morphs : list of int
        Of a part: which of the character's morph targets those of its mesh are. Several parts may have one.
    view : str
        Attribute of the `Part`.
    """

    role: Literal["part", "row", "root"]
    rigid: bool = False
    model_from_source: _Float16 | UnsetType = UNSET
    morphs: list[Annotated[int, Meta(ge=0)]] = []
    view: View = "auto"


class SkinMark(Struct, omit_defaults=True):
    """Mark of a skin.

    Attributes
    ----------
    space : str
        "model": the mesh is in model space already.
    made : bool
        Whether the character has no such skin: it shows tools that import joints from skins which they are.
    """

    space: Literal["model"] | UnsetType = UNSET
    made: bool = False


_Loop = bool | Literal["ping_pong"]


class ClipMark(Struct, omit_defaults=True):
    """Mark of an animation: the attributes of a `Clip` beyond its keys. Markers are seconds and name.

    It is pickled with clips that are not made yet, so it has no UNSET, which does not know its module: pickle
    would search all modules for it, and some warn when they are accessed.
    """

    loop: _Loop | None = None
    markers: list[tuple[float, str]] = []
    additive: bool = False
    uniform: bool = False
    root_motion: RootMotionMark | None = None


class _Members(Struct):
    lissom: Raw | UnsetType = UNSET


Mark = TypeVar("Mark", SceneMark, NodeMark, SkinMark, ClipMark)


def extras_of(mark: SceneMark | NodeMark | SkinMark | ClipMark) -> dict[str, object]:
    """Return the `extras` that hold a mark."""
    return {"lissom": mark}


def mark_of(extras: Raw, kind: type[Mark], pointer: str, log: Log) -> Mark | None:
    """Read a mark; None where there is none. One that is not as lissom writes it is noted and ignored."""
    if extras is NOTHING or b'"lissom"' not in bytes(extras):
        return None
    try:
        members = msgspec.json.decode(extras, type=_Members)
    except ValueError:
        return None  # not an object, or not UTF-8, so not lissom's
    if members.lissom is UNSET:
        return None
    try:
        return _checked(msgspec.json.decode(members.lissom, type=kind))
    except ValueError as error:  # msgspec's errors are ValueErrors, too
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
            mark.root_motion.motion()  # refuses what is not a root motion
    if not all(math.isfinite(number) for number in numbers):
        raise ValueError("numbers must be finite")
    return mark
