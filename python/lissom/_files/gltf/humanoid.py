# SPDX-License-Identifier: MIT
"""The humanoid map of a VRM file: nodes by the names of VRM 1.0's bones."""

from __future__ import annotations

import msgspec
from msgspec import Raw

from lissom._base.printable import printable, quoted
from lissom._files.gltf.json_text import TOO_MUCH_JSON
from lissom._files.gltf.log import Log
from lissom._files.gltf.schema import NOTHING, Document
from lissom._formats.budget import Budget, JsonExtent

# VRM 0 counts the bones of a thumb from the hand as it does those of other fingers.
_THUMBS = {
    f"{side}Thumb{old}": f"{side}Thumb{new}"
    for side in ("left", "right")
    for old, new in (("Proximal", "Metacarpal"), ("Intermediate", "Proximal"))
}


class _Bone(msgspec.Struct, gc=False):
    node: int = -1
    bone: str = ""


class _Bones0(msgspec.Struct, gc=False):
    humanBones: list[_Bone] = []


class _Bones1(msgspec.Struct, gc=False):
    humanBones: dict[str, _Bone] = {}


class _Vrm0(msgspec.Struct, gc=False):
    humanoid: _Bones0 = msgspec.field(default_factory=_Bones0)


class _Vrm1(msgspec.Struct, gc=False):
    humanoid: _Bones1 = msgspec.field(default_factory=_Bones1)


def read_humanoid(document: Document, log: Log, budget: Budget) -> dict[str, int]:
    """Return nodes by role; empty for files that are no VRM. Wrong entries are left out, with a record."""
    for name in ("VRMC_vrm", "VRMC_vrm_animation", "VRM"):
        text: Raw = getattr(document.extensions, name, NOTHING)
        if text is not NOTHING:
            return _read(name, text, document, log, budget)
    return {}


def _read(name: str, text: Raw, document: Document, log: Log, budget: Budget) -> dict[str, int]:
    pointer = f"/extensions/{name}/humanoid"
    budget.spend(JsonExtent.of(text).typed_bytes, pointer, TOO_MUCH_JSON)
    try:
        if name == "VRM":
            listed = msgspec.json.decode(text, type=_Vrm0).humanoid.humanBones
            found = {_THUMBS.get(each.bone, each.bone): each.node for each in listed}
        else:
            bones = msgspec.json.decode(text, type=_Vrm1).humanoid.humanBones
            found = {role: bone.node for role, bone in bones.items()}
    except msgspec.MsgspecError as error:
        reason = printable(str(error), 200)
        log.note("HUMANOID_LEFT_OUT", pointer, f"the humanoid map cannot be read: {reason}")
        return {}
    count = len(document.nodes)
    wrong = next((role for role, node in found.items() if not 0 <= node < count), None)
    if wrong is not None:
        log.note(
            "HUMANOID_LEFT_OUT",
            pointer,
            f"the humanoid map must refer to one of {count} nodes, got {found[wrong]} for {quoted(wrong)}",
        )
    return {role: node for role, node in found.items() if 0 <= node < count}
