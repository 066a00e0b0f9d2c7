# SPDX-License-Identifier: MIT
"""The long arrays of a document as columns: accessors, buffer views, channels and samplers.

Characters have thousands of each. The core reads those that are plain JSON from the text; the decoder, which
makes an object of each row, takes the others, and says what is wrong with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias, get_type_hints

import msgspec
import numpy as np
from numpy.typing import NDArray

from lissom import _core
from lissom._files.gltf.codes import COMPONENTS
from lissom._files.gltf.schema import Accessor, BufferView, Channel, Document, Sampler
from lissom.clip import CUBICSPLINE, LINEAR, ROTATION, SCALE, STEP, TRANSLATION, WEIGHT

Table: TypeAlias = NDArray[np.int64]

TYPE_INDICES = {name: index for index, name in enumerate(COMPONENTS)}
"""Code of each accessor type."""
PATHS = {"translation": TRANSLATION, "rotation": ROTATION, "scale": SCALE, "weights": WEIGHT}
INTERPOLATIONS = {"STEP": STEP, "LINEAR": LINEAR, "CUBICSPLINE": CUBICSPLINE}
UNKNOWN = -1
"""Code of a word that is none of glTF's."""


# Checked like all others, but only strict loads look at it, in the JSON itself: it may be of any size.
_UNREAD = frozenset(("target",))
# What holds the rows, and each row's type with the words that it knows.
_ROWS: dict[str, tuple[str, str, type[msgspec.Struct], dict[str, dict[str, int]]]] = {
    "accessors": ("", "accessors", Accessor, {"type": TYPE_INDICES}),
    "views": ("", "bufferViews", BufferView, {}),
    "channels": ("animations", "channels", Channel, {"target/path": PATHS}),
    "samplers": ("animations", "samplers", Sampler, {"interpolation": INTERPOLATIONS}),
}


@dataclass(slots=True)
class Columns:
    """One kind of object, a row each: those of all animations, one after the other.

    Attributes
    ----------
    columns : dict of str to ndarray of int64, shape (row,)
        Each member: numbers, flags as 0 and 1, words as their codes.
    odd : dict of str to dict of int to object
        What no integer says, by member and row: words that are none of glTF's, and objects.
    counts : ndarray of int64, shape (animation,) or (1,)
        The rows of each animation; of all.
    """

    columns: dict[str, Table]
    odd: dict[str, dict[int, Any]]
    counts: Table

    def __getitem__(self, member: str) -> Table:
        return self.columns[member]

    def __len__(self) -> int:
        return sum(self.counts.tolist())

    def ranges(self) -> list[range]:
        """Return the rows of each animation."""
        ends = np.cumsum(self.counts).tolist()
        return [range(begin, end) for begin, end in zip([0, *ends], ends, strict=False)]


class Tables(NamedTuple):
    """The long arrays of a document."""

    accessors: Columns
    views: Columns
    channels: Columns
    samplers: Columns


def used_indices(indices: Table) -> Table:
    """Return the different ones of checked indices, sorted: counted, which is faster than to sort them."""
    return np.flatnonzero(np.bincount(indices))


class _Field(NamedTuple):
    """A member of a row; `kind` as `JsonField` of the core has it."""

    name: str
    kind: str
    least: int
    most: int
    words: dict[str, int]
    absent: Any
    is_required: bool
    hint: Any


def decode(text: bytes | memoryview) -> tuple[Document, Tables]:
    """Decode a document; its long arrays are in the tables, and empty in the document."""
    plain = _plain(text)
    if plain is not None:
        return plain
    document = _decoder().decode(text)
    animations = document.animations
    tables = Tables(
        _of_structs("accessors", [document.accessors]),
        _of_structs("views", [document.bufferViews]),
        _of_structs("channels", [animation.channels for animation in animations]),
        _of_structs("samplers", [animation.samplers for animation in animations]),
    )
    document.accessors, document.bufferViews = [], []
    for animation in animations:
        animation.channels, animation.samplers = [], []
    return document, tables


def _plain(text: bytes | memoryview) -> tuple[Document, Tables] | None:
    """Decode a document whose tables are plain, and which has no fault."""
    read = _reader().read(np.frombuffer(text, np.uint8))
    if read is None:
        return None
    rest, tables = read
    try:
        document = _decoder().decode(rest)
        found = zip(_ROWS, tables, strict=True)
        return document, Tables(*(_of_text(name, values, counts, text) for name, (values, counts) in found))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _of_text(name: str, values: list[Table], counts: Table, text: bytes | memoryview) -> Columns:
    """Return what the core has read; decode the objects in it."""
    columns: dict[str, Table] = {}
    odd: dict[str, dict[int, Any]] = {}
    column = iter(values)
    for field in _fields(name):
        begin = next(column)
        if field.kind != "place":
            columns[field.name] = begin
            if field.kind == "word":
                odd[field.name] = {}
            continue
        end = next(column)
        if begin.max(initial=-1) < 0:  # mostly there are none
            odd[field.name] = {}
            continue
        found = np.flatnonzero(begin >= 0).tolist()
        decoder = msgspec.json.Decoder(field.hint)
        objects = {row: decoder.decode(text[begin[row] : end[row]]) for row in found}
        odd[field.name] = {row: one for row, one in objects.items() if one is not None}
    return Columns(columns, odd, counts)


def _of_structs(name: str, owners: Sequence[Sequence[Any]]) -> Columns:
    counts = np.array([len(rows) for rows in owners], np.int64)
    rows = list(chain.from_iterable(owners))
    columns: dict[str, Table] = {}
    odd: dict[str, dict[int, Any]] = {}
    for field in _fields(name):
        if field.name in _UNREAD:
            continue
        stored = list(map(attrgetter(field.name.replace("/", ".")), rows))
        if field.kind == "place":
            odd[field.name] = {row: one for row, one in enumerate(stored) if one is not None}
            continue
        if field.kind == "word":
            words = field.words
            odd[field.name] = {row: word for row, word in enumerate(stored) if word not in words}
            stored = [words.get(word, UNKNOWN) for word in stored]
        columns[field.name] = np.array(stored, np.int64)
    return Columns(columns, odd, counts)


@cache
def _decoder() -> msgspec.json.Decoder[Document]:
    return msgspec.json.Decoder(Document)


@cache
def _reader() -> _core.JsonTables:
    return _core.JsonTables(
        [
            (
                owner,
                array,
                [
                    (
                        one.name,
                        one.kind,
                        one.least,
                        one.most,
                        list(one.words.items()),
                        one.absent,
                        one.is_required,
                    )
                    for one in _fields(name)
                ],
            )
            for name, (owner, array, _, _) in _ROWS.items()
        ]
    )


@cache
def _fields(name: str) -> list[_Field]:
    _, _, row, words = _ROWS[name]
    return list(_members(row, "", words))


def _members(row: type[msgspec.Struct], outer: str, words: dict[str, dict[str, int]]) -> Iterator[_Field]:
    """Return the members of a row, and of the objects that every row has."""
    hints = get_type_hints(row, include_extras=True)
    for member in msgspec.structs.fields(row):
        hint, name = hints[member.name], outer + member.name
        if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
            yield from _members(hint, f"{name}/", words)
            continue
        least, most, known, absent = 0, 2**53, words.get(name, {}), member.default
        if known:
            kind, absent = "word", known.get(absent, UNKNOWN)
        elif hint is bool:
            kind = "flag"
        elif absent is None:
            kind, absent = "place", -1
        else:
            kind = "integer"
            for bounds in getattr(hint, "__metadata__", ()):
                least, most = bounds.ge, bounds.le
        is_required = member.required
        yield _Field(name, kind, least, most, known, 0 if is_required else absent, is_required, hint)
