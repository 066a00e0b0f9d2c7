# SPDX-License-Identifier: MIT
"""Binary resources of Godot 4 (.res): dictionaries, arrays of bytes, and what they are properties of.

Little endian. A header, a table of names, one of other files (none), one of where each resource begins;
then the resources, the main one last. Checked against files that Godot 4.6 wrote; its own reader and writer
are core/io/resource_format_binary.cpp.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from lissom._formats.budget import Budget

__all__ = ["Internal", "Numbers", "Resource", "decode", "encode"]

MAGIC = b"RSRC"
ENGINE = (4, 0)  # the oldest that may read them: a newer one would be refused
FORMAT = 5  # of Godot 4.0 to 4.3; later ones read it, too
NAMED_IDS_AND_UIDS = 3  # flags
NO_UID = 0xFFFFFFFFFFFFFFFF
RESERVED = 11  # words

NIL, BOOL, INT, FLOAT, STRING = 1, 2, 3, 4, 5
OBJECT, DICTIONARY, ARRAY, BYTES, INT64, DOUBLE = 24, 26, 30, 31, 40, 41
INTERNAL = 2
FLOATS = {"AABB": (15, 6), "Color": (20, 4), "Vector4": (50, 4)}
"""Types of a fixed number of float32: their codes, and how many."""

MOST_DEPTH = 64
"""Levels of lists and dictionaries in each other: ours have three."""

VALUE_BYTES, RESOURCE_BYTES = 120, 800
"""Memory that a value and a resource take beside their bytes: a number, and its entry in a dictionary."""


@dataclass(frozen=True)
class Internal:
    """A resource of the same file, by its number."""

    number: int


@dataclass(frozen=True)
class Numbers:
    """A value of float32 of one of `FLOATS`."""

    kind: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class Resource:
    """A resource: its class, and properties that are not at their defaults."""

    kind: str
    properties: Mapping[str, Any]


def encode(resources: Sequence[Resource]) -> bytes:
    """Return the bytes of a file, equal for equal input.

    Parameters
    ----------
    resources : sequence of Resource
        Properties are None, bool, int, float, str, bytes, lists, dicts with keys of str, and the classes
        above. The main resource is the last; others come before those that name them.
    """
    names = list(dict.fromkeys(key for one in resources for key in one.properties))
    head = MAGIC + struct.pack("<5I", 0, 0, *ENGINE, FORMAT) + _text(resources[-1].kind)
    head += struct.pack("<QIQ", 0, NAMED_IDS_AND_UIDS, NO_UID) + bytes(4 * RESERVED)
    head += struct.pack("<I", len(names)) + b"".join(map(_text, names))
    head += struct.pack(
        "<II", 0, len(resources)
    )  # of other files none: paths from here are read from the root
    bodies = [_body(one, names) for one in resources]
    paths = [_text(f"local://{number}") for number in range(len(resources))]
    at = len(head) + sum(len(path) + 8 for path in paths)
    table = b""
    for path, body in zip(paths, bodies, strict=True):
        table += path + struct.pack("<Q", at)
        at += len(body)
    return b"".join([head, table, *bodies, MAGIC])


def _text(text: str) -> bytes:
    data = text.encode() + b"\0"
    return struct.pack("<I", len(data)) + data


def _body(resource: Resource, names: list[str]) -> bytes:
    parts = [_text(resource.kind), struct.pack("<I", len(resource.properties))]
    for key, value in resource.properties.items():
        parts.append(struct.pack("<I", names.index(key)))
        parts.append(_value(value))
    return b"".join(parts)


def _value(value: Any) -> bytes:
    match value:
        case None:
            return struct.pack("<I", NIL)
        case bool():
            return struct.pack("<II", BOOL, value)
        case int():
            small = -(1 << 31) <= value < 1 << 31
            return struct.pack("<Ii", INT, value) if small else struct.pack("<Iq", INT64, value)
        case float():
            return struct.pack("<Id", DOUBLE, value)
        case str():
            return struct.pack("<I", STRING) + _text(value)
        case bytes():
            return struct.pack("<II", BYTES, len(value)) + value + bytes(-len(value) % 4)
        case list():
            return struct.pack("<II", ARRAY, len(value)) + b"".join(map(_value, value))
        case dict():
            pairs = b"".join(_value(key) + _value(one) for key, one in value.items())
            return struct.pack("<II", DICTIONARY, len(value)) + pairs
        case Numbers(kind, numbers):
            code, count = FLOATS[kind]
            return struct.pack(f"<I{count}f", code, *numbers)
        case Internal(number):
            return struct.pack("<3I", OBJECT, INTERNAL, number)
    raise TypeError(f"godot_resource: no value of a resource is a {type(value).__name__}")


def decode(data: bytes) -> tuple[Resource, ...]:
    """Return the resources of a file, of values that `encode` knows.

    ValueError where it is none, or cut, or would take more memory than files may.
    """
    try:
        return _Reader(data).resources()
    except (
        struct.error,
        IndexError,
        UnicodeDecodeError,
        TypeError,
    ) as error:  # a list as a key is a TypeError
        raise ValueError(f"godot_resource: a whole resource is needed, got {len(data)} bytes") from error


def _refuse(_: str, sentence: str) -> NoReturn:
    raise ValueError(f"godot_resource: a file {sentence}")


class _Reader:
    def __init__(self, data: bytes) -> None:
        if data[:4] != MAGIC or data[-4:] != MAGIC:
            raise ValueError(f"godot_resource: data must begin and end with RSRC, got {data[:4]!r}")
        self.data, self.at = data, 4
        self.budget = Budget(len(data), _refuse)

    def resources(self) -> tuple[Resource, ...]:
        self._take("<5I")
        self._text()
        self._take("<QIQ")
        self.at += 4 * RESERVED
        names = [self._text() for _ in range(self._word())]
        self._word()
        places = [self._place() for _ in range(self._word())]
        found = []
        for place in places:  # several may be one: each is charged
            self.at = place
            kind = self._text()
            found.append(Resource(kind, {names[self._word()]: self._value(0) for _ in range(self._word())}))
        return tuple(found)

    def _place(self) -> int:
        self.budget.spend(RESOURCE_BYTES)
        self._text()
        return int(self._take("<Q")[0])

    def _take(self, form: str) -> tuple[Any, ...]:
        found = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return found

    def _word(self) -> int:
        return int(self._take("<I")[0])

    def _bytes(self, count: int) -> bytes:
        if self.at + count > len(self.data):
            raise IndexError
        self.budget.spend(count + VALUE_BYTES)
        self.at += count
        return self.data[self.at - count : self.at]

    def _text(self) -> str:
        return self._bytes(self._word())[:-1].decode()

    def _value(self, depth: int) -> Any:
        if depth > MOST_DEPTH:
            raise ValueError(f"godot_resource: values must be at most {MOST_DEPTH} levels deep, got more")
        self.budget.spend(VALUE_BYTES)
        code = self._word()
        for kind, (own, count) in FLOATS.items():
            if code == own:
                return Numbers(kind, self._take(f"<{count}f"))
        if code in _PLAIN:
            return self._take(_PLAIN[code])[0]
        if code == NIL:
            return None
        if code == BOOL:
            return bool(self._word())
        if code == STRING:
            return self._text()
        if code == OBJECT:
            self._word()
            return Internal(self._word())
        if code == DICTIONARY:
            return {self._value(depth + 1): self._value(depth + 1) for _ in range(self._word())}
        if code == ARRAY:
            return [self._value(depth + 1) for _ in range(self._word())]
        if code == BYTES:
            count = self._word()
            found = self._bytes(count)
            self.at += -count % 4
            return found
        raise ValueError(f"godot_resource: type {code} of a value is not known")


_PLAIN = {INT: "<i", FLOAT: "<f", INT64: "<q", DOUBLE: "<d"}
