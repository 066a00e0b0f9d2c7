# SPDX-License-Identifier: MIT
"""Who sees the meshes of a VRM file: firstPerson.meshAnnotations of VRM 0 and 1."""

from __future__ import annotations

from typing import cast

import msgspec
from msgspec import Raw

from lissom._base.printable import printable, quoted
from lissom._files.gltf.json_text import TOO_MUCH_JSON
from lissom._files.gltf.log import Log
from lissom._files.gltf.schema import NOTHING, Document
from lissom._formats.budget import Budget, JsonExtent
from lissom._rig.part import VIEWS, View

__all__ = ["read_views"]

LEFT_OUT = "FIRST_PERSON_LEFT_OUT"
FLAGS_0 = {
    "Auto": "auto",
    "Both": "both",
    "ThirdPersonOnly": "thirdPersonOnly",
    "FirstPersonOnly": "firstPersonOnly",
}


class _Annotation1(msgspec.Struct, gc=False):
    node: int = -1
    type: str = "auto"


class _FirstPerson1(msgspec.Struct, gc=False):
    meshAnnotations: list[_Annotation1] = []


class _Vrm1(msgspec.Struct, gc=False):
    firstPerson: _FirstPerson1 | None = None


class _Annotation0(msgspec.Struct, gc=False):
    mesh: int = -1
    firstPersonFlag: str = "Auto"


class _FirstPerson0(msgspec.Struct, gc=False):
    meshAnnotations: list[_Annotation0] | None = None


class _Vrm0(msgspec.Struct, gc=False):
    firstPerson: _FirstPerson0 | None = None


def read_views(document: Document, log: Log, budget: Budget) -> dict[int, View]:
    """Return who sees the meshes of nodes; those that are not said are "auto".

    Wrong entries are left out, with a record.
    """
    new: Raw = getattr(document.extensions, "VRMC_vrm", NOTHING)
    old: Raw = getattr(document.extensions, "VRM", NOTHING)
    if new is NOTHING and old is NOTHING:
        return {}
    is_new = new is not NOTHING
    text, name = (new, "VRMC_vrm") if is_new else (old, "VRM")
    pointer = f"/extensions/{name}/firstPerson"
    budget.spend(JsonExtent.of(text).typed_bytes, pointer, TOO_MUCH_JSON)
    try:
        said = _said_1(text) if is_new else _said_0(text)
    except msgspec.MsgspecError as error:
        reason = printable(str(error), 200)
        log.note(LEFT_OUT, pointer, f"what the character sees of itself cannot be read: {reason}")
        return {}
    nodes_of: dict[int, list[int]] = {}
    for number, node in enumerate(document.nodes):
        if node.mesh >= 0:
            nodes_of.setdefault(number if is_new else node.mesh, []).append(number)
    views: dict[int, View] = {}
    for place, (subject, view) in enumerate(said):
        where = f"{pointer}/meshAnnotations/{place}"
        if subject not in nodes_of:
            kind = "node with a mesh" if is_new else "mesh of a node"
            log.note(LEFT_OUT, where, f"an annotation must be of a {kind}, got {subject}")
        elif view not in VIEWS:
            log.note(LEFT_OUT, where, f"a view must be one of {', '.join(VIEWS)}, got {quoted(view)}")
        else:
            for carrier in nodes_of[subject]:
                views.setdefault(carrier, cast("View", view))  # the first counts, as in three-vrm
    return views


def _said_1(text: Raw) -> list[tuple[int, str]]:
    one = msgspec.json.decode(text, type=_Vrm1).firstPerson
    return [] if one is None else [(each.node, each.type) for each in one.meshAnnotations]


def _said_0(text: Raw) -> list[tuple[int, str]]:
    zero = msgspec.json.decode(text, type=_Vrm0).firstPerson
    listed = [] if zero is None else zero.meshAnnotations or []
    return [(each.mesh, FLAGS_0.get(each.firstPersonFlag, each.firstPersonFlag)) for each in listed]
