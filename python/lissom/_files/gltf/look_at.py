# SPDX-License-Identifier: MIT
"""Where the character of a VRM file looks: firstPerson of VRM 0, lookAt of VRM 1."""

from __future__ import annotations

import math
from collections.abc import Mapping

import msgspec
from msgspec import Raw

from lissom._base.numbers import LARGEST
from lissom._base.printable import printable, quoted
from lissom._files.gltf.json_text import TOO_MUCH_JSON
from lissom._files.gltf.log import Log
from lissom._files.gltf.schema import NOTHING, Document
from lissom._formats.budget import Budget, JsonExtent
from lissom._gaze.gaze_range import GazeRange
from lissom._gaze.stated import StatedLookAt

__all__ = ["read_look_at"]

LEFT_OUT = "LOOK_AT_LEFT_OUT"
LINE = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0]  # the curve that tools write where there is none
LEAST_INPUT = 0.01  # degrees: some files say 0, and divide by it
MOST_KEYS = 100  # of a curve: tools write two or three
USUAL_OFFSET = 0.06  # metres above the head's joint, where a file says nothing
WEIGHT, DEGREES = 1.0, 10.0  # largest outputs, where a file says nothing


class _Map1(msgspec.Struct, gc=False):
    inputMaxValue: float = 90.0
    outputScale: float | None = None


class _LookAt1(msgspec.Struct, gc=False):
    offsetFromHeadBone: tuple[float, float, float] = (0.0, USUAL_OFFSET, 0.0)
    type: str = "bone"
    rangeMapHorizontalInner: _Map1 = msgspec.field(default_factory=_Map1)
    rangeMapHorizontalOuter: _Map1 = msgspec.field(default_factory=_Map1)
    rangeMapVerticalDown: _Map1 = msgspec.field(default_factory=_Map1)
    rangeMapVerticalUp: _Map1 = msgspec.field(default_factory=_Map1)


class _Vrm1(msgspec.Struct, gc=False):
    lookAt: _LookAt1 | None = None


class _Map0(msgspec.Struct, gc=False):
    curve: list[float] | None = None
    xRange: float = 90.0
    yRange: float | None = None


class _Vector0(msgspec.Struct, gc=False):
    x: float = 0.0
    y: float = USUAL_OFFSET
    z: float = 0.0


class _FirstPerson0(msgspec.Struct, gc=False):
    firstPersonBoneOffset: _Vector0 | None = None
    lookAtTypeName: str = "Bone"
    lookAtHorizontalInner: _Map0 = msgspec.field(default_factory=_Map0)
    lookAtHorizontalOuter: _Map0 = msgspec.field(default_factory=_Map0)
    lookAtVerticalDown: _Map0 = msgspec.field(default_factory=_Map0)
    lookAtVerticalUp: _Map0 = msgspec.field(default_factory=_Map0)


class _Vrm0(msgspec.Struct, gc=False):
    firstPerson: _FirstPerson0 | None = None


def read_look_at(
    document: Document, roles: Mapping[str, str], log: Log, budget: Budget
) -> StatedLookAt | None:
    """Read where the character looks; None for files that say nothing.

    What is wrong is left out, with a record. `roles` are the joints by role that are in the scene.
    """
    new: Raw = getattr(document.extensions, "VRMC_vrm", NOTHING)
    old: Raw = getattr(document.extensions, "VRM", NOTHING)
    if new is NOTHING and old is NOTHING:
        return None
    is_new = new is not NOTHING
    text, pointer = (new, "/extensions/VRMC_vrm/lookAt") if is_new else (old, "/extensions/VRM/firstPerson")
    budget.spend(JsonExtent.of(text).typed_bytes, pointer, TOO_MUCH_JSON)
    try:
        said = msgspec.json.decode(text, type=_Vrm1).lookAt if is_new else None
        said0 = None if is_new else msgspec.json.decode(text, type=_Vrm0).firstPerson
    except msgspec.MsgspecError as error:
        reason = printable(str(error), 200)
        log.note(LEFT_OUT, pointer, f"where the character looks cannot be read: {reason}")
        return None
    if said is None and said0 is None:
        return None
    if "head" not in roles:
        log.note(LEFT_OUT, pointer, "the character has no head that looks")
        return None
    stated = _of_1(said, pointer, log) if said is not None else _of_0(said0, pointer, log)
    if not all(map(math.isfinite, stated.offset)) or max(map(abs, stated.offset)) > LARGEST:
        log.note(LEFT_OUT, pointer, "the place of the eyes must be finite")
        return None
    return stated


def _of_1(said: _LookAt1, pointer: str, log: Log) -> StatedLookAt:
    if said.type not in ("bone", "expression"):
        log.note(LEFT_OUT, f"{pointer}/type", f"the type must be bone or expression, got {quoted(said.type)}")
    kind = "expression" if said.type == "expression" else "bone"
    maps = {
        name: (getattr(said, name).inputMaxValue, getattr(said, name).outputScale, None)
        for name in (
            "rangeMapHorizontalInner",
            "rangeMapHorizontalOuter",
            "rangeMapVerticalDown",
            "rangeMapVerticalUp",
        )
    }
    return StatedLookAt(kind, said.offsetFromHeadBone, (0.0, 0.0, 1.0), _ranges(maps, kind, pointer, log))


def _of_0(said: _FirstPerson0 | None, pointer: str, log: Log) -> StatedLookAt:
    assert said is not None
    kind = "expression" if said.lookAtTypeName == "BlendShape" else "bone"
    names = ("lookAtHorizontalInner", "lookAtHorizontalOuter", "lookAtVerticalDown", "lookAtVerticalUp")
    maps = {
        name: (getattr(said, name).xRange, getattr(said, name).yRange, getattr(said, name).curve)
        for name in names
    }
    # z is the other way round in VRM 0: its offsets are Unity's.
    place = said.firstPersonBoneOffset
    offset = (0.0, USUAL_OFFSET, 0.0) if place is None else (place.x, place.y, 0.0 - place.z)
    return StatedLookAt(kind, offset, (0.0, 0.0, -1.0), _ranges(maps, kind, pointer, log))


def _ranges(
    maps: Mapping[str, tuple[float, float | None, list[float] | None]], kind: str, pointer: str, log: Log
) -> tuple[GazeRange, GazeRange, GazeRange, GazeRange]:
    """Return ranges in radians; one that is not usable is VRM's usual one, with a record."""
    inner, outer, down, up = (_range(*each, kind, f"{pointer}/{name}", log) for name, each in maps.items())
    return inner, outer, down, up


def _range(
    most: float, output: float | None, curve: list[float] | None, kind: str, pointer: str, log: Log
) -> GazeRange:
    unit = 1.0 if kind == "expression" else math.pi / 180
    usual = WEIGHT if kind == "expression" else DEGREES
    largest = usual if output is None else output
    line = GazeRange(math.pi / 2, unit * usual)
    try:
        line = GazeRange(math.radians(max(most, LEAST_INPUT)), unit * largest)
        if not curve or curve == LINE:
            return line
        if len(curve) % 4 or len(curve) > 4 * MOST_KEYS:
            raise ValueError(f"a curve must have four numbers for each of at most {MOST_KEYS} keys")
        rows = [curve[first : first + 4] for first in range(0, len(curve), 4)]
        return GazeRange(line.input, line.output, rows)
    except ValueError as error:
        why = printable(str(error).removeprefix("GazeRange: "), 200)
        log.note(LEFT_OUT, pointer, f"{why}; a line is used")
        return line
