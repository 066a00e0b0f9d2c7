# SPDX-License-Identifier: MIT
"""What a VRM animation moves besides bones: weights of expressions, and where eyes look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
from msgspec import Raw

from lissom._base.printable import printable, quoted
from lissom._files.gltf.json_text import TOO_MUCH_JSON
from lissom._files.gltf.log import Log
from lissom._files.gltf.schema import NOTHING, Document
from lissom._formats.budget import Budget, JsonExtent

__all__ = ["StatedMotion", "read_vrm_animation"]

LEFT_OUT = "VRM_ANIMATION_LEFT_OUT"
POINTER = "/extensions/VRMC_vrm_animation"


class _Node(msgspec.Struct, gc=False):
    node: int = -1


class _Expressions(msgspec.Struct, gc=False):
    preset: dict[str, _Node] = {}
    custom: dict[str, _Node] = {}


class _Animation(msgspec.Struct, gc=False):
    expressions: _Expressions = msgspec.field(default_factory=_Expressions)
    lookAt: _Node | None = None


@dataclass(frozen=True, slots=True)
class StatedMotion:
    """What a VRM animation says, by names of joints.

    ``expressions`` are joints by expression, whose translation along x is its weight; ``look_at`` is the
    joint whose rotation is that of the gaze, or None.
    """

    expressions: Mapping[str, str]
    look_at: str | None


def read_vrm_animation(
    document: Document, names: Mapping[int, str], log: Log, budget: Budget
) -> StatedMotion | None:
    """Read what a VRM animation moves; None for other files. Wrong entries are left out, with a record.

    `names` are those of the joints that nodes are; nodes that nothing animates are none.
    """
    text: Raw = getattr(document.extensions, "VRMC_vrm_animation", NOTHING)
    if text is NOTHING:
        return None
    budget.spend(JsonExtent.of(text).typed_bytes, POINTER, TOO_MUCH_JSON)
    try:
        said = msgspec.json.decode(text, type=_Animation)
    except msgspec.MsgspecError as error:
        log.note(LEFT_OUT, POINTER, f"expressions cannot be read: {printable(str(error), 200)}")
        return StatedMotion({}, None)
    count = len(document.nodes)
    found: dict[str, str] = {}
    for name, each in (*said.expressions.preset.items(), *said.expressions.custom.items()):
        if not 0 <= each.node < count:
            fault = f"{quoted(name)} must refer to one of {count} nodes, got {each.node}"
            log.note(LEFT_OUT, f"{POINTER}/expressions", fault)
        elif each.node in names:
            found.setdefault(name, names[each.node])
    look_at = None if said.lookAt is None else names.get(said.lookAt.node)
    if said.lookAt is not None and not 0 <= said.lookAt.node < count:
        fault = f"the gaze must refer to one of {count} nodes, got {said.lookAt.node}"
        log.note(LEFT_OUT, f"{POINTER}/lookAt", fault)
    return StatedMotion(found, look_at)
