# SPDX-License-Identifier: MIT
"""From JSON text to the typed document, with limits that are checked before anything is decoded."""

from __future__ import annotations

import re
from typing import NoReturn

import msgspec

from lissom._files.gltf import tables
from lissom._files.gltf.log import Log, refuse
from lissom._files.gltf.schema import INDEX_FIELDS, Document
from lissom._files.gltf.tables import Tables
from lissom._formats.budget import Budget, JsonExtent
from lissom._formats.other_formats import GLTF_1_ROUTE

# No real file nests deeper than a dozen; the decoder recurses, so the limit protects the stack.
MAX_DEPTH = 128
# What a file asks for that is mostly brackets, commas and short names.
TOO_MUCH_JSON = "its JSON holds too many objects, numbers or names"


def decode(text: bytes | memoryview, log: Log, budget: Budget) -> tuple[Document, Tables]:
    """Decode the JSON of a glTF, or refuse it with the JSON pointer of the first fault.

    The long arrays are in the tables, and empty in the document.
    """
    if bytes(text[:3]) == b"\xef\xbb\xbf":
        refuse("INVALID_JSON", "", "the JSON must not start with a byte order mark; remove it")
    extent = JsonExtent.of(text)
    if extent.depth > MAX_DEPTH:
        refuse(
            "LIMIT_EXCEEDED", "", f"the JSON must nest at most {MAX_DEPTH} levels deep, got {extent.depth}"
        )
    budget.spend(extent.typed_bytes + (extent.plain_bytes if log.strict else 0), "", TOO_MUCH_JSON)
    try:
        document, read = tables.decode(text)
    except msgspec.ValidationError as error:
        _refuse_old_version(text)
        _refuse_invalid(str(error))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        refuse("INVALID_JSON", "", f"the file must be valid JSON: {plain(str(error))}")
    except RecursionError:  # only under a recursion limit far below Python's default
        refuse("LIMIT_EXCEEDED", "", "the JSON nests deeper than Python's recursion limit allows")
    _check_version(document, log)
    return document, read


def _refuse_old_version(text: bytes | memoryview) -> None:
    """Refuse glTF 1.0 by its version: its JSON fails the schema first, which would say less."""
    try:
        version = msgspec.json.decode(text, type=_OnlyAsset).asset.version
    except msgspec.MsgspecError:
        return
    if re.fullmatch(r"[01]\.\d+", version):
        _refuse_major(version)


class _OnlyVersion(msgspec.Struct):
    version: str


class _OnlyAsset(msgspec.Struct):
    asset: _OnlyVersion


def _refuse_invalid(message: str) -> NoReturn:
    """Translate msgspec's "what - at `$.path`" to a code and a JSON pointer."""
    what, _, path = message.partition(" - at `")
    pointer = _pointer(path.rstrip("`"))
    field = next((part for part in reversed(pointer.split("/")) if part and not part.isdigit()), "")
    if "missing required field" in what:
        code = "UNDEFINED_PROPERTY"
    elif "Number out of range" in what:
        code = "VALUE_NOT_IN_RANGE"
    elif "int` >" in what or "int` <" in what:
        code = "INVALID_INDEX" if field in INDEX_FIELDS else "VALUE_NOT_IN_RANGE"
    elif "of length" in what:
        code = "ARRAY_LENGTH_NOT_IN_LIST"
    else:
        code = "TYPE_MISMATCH"
    what = plain(what)
    refuse(code, pointer, f"{what[0].lower()}{what[1:]}")


# What msgspec calls types, in words.
_TYPES = {
    "int": "an integer",
    "float": "a number",
    "bool": "true or false",
    "str": "text",
    "array": "an array",
    "object": "an object",
    "null": "null",
}
_LEAST_AND_MOST = {">=": "of at least", "<=": "of at most"}


def _pointer(path: str) -> str:
    """Return `$.accessors[0].count` as /accessors/0/count, up to where msgspec omits keys ([...])."""
    path = path.split("[...]")[0].removeprefix("$")
    return re.sub(r"[.\[]", "/", path).replace("]", "")


def plain(message: str) -> str:
    """Return a message of msgspec in the grammar of this package."""
    words, _, got = message.partition(", got ") if message.startswith("Expected ") else (message, "", "")
    for said, meant in _LEAST_AND_MOST.items():
        words = words.replace(f"` {said} ", f"` {meant} ")
    if words.startswith("Expected "):
        words = re.sub(r"`(\w+)`", lambda match: _TYPES.get(match[1], f"'{match[1]}'"), words)
        words = words.replace("Expected ", "must be ").replace(" | ", " or ")
    name = got.strip("`")
    if got:
        words += f", got {'a decimal number' if name == 'float' else _TYPES.get(name, got)}"
    elif " of at " in words:  # msgspec does not tell the number
        words += ", got less" if " of at least " in words else ", got more"
    return words.replace("`", "'")


def _check_version(document: Document, log: Log) -> None:
    asset = document.asset
    if asset.version == "2.0" and not asset.minVersion:
        return
    for field, text in (("version", asset.version), ("minVersion", asset.minVersion or "2.0")):
        if not re.fullmatch(r"\d{1,9}\.\d{1,9}", text, re.ASCII):
            refuse("PATTERN_MISMATCH", f"/asset/{field}", f"must be a version such as 2.0, got '{text[:40]}'")
    version = _numbers(asset.version)
    if version[0] != 2:
        _refuse_major(asset.version)
    minimum = _numbers(asset.minVersion or "2.0")
    if minimum > version:
        refuse(
            "ASSET_MIN_VERSION_GREATER_THAN_VERSION",
            "/asset/minVersion",
            f"must be at most the version of the file, {asset.version}, got {asset.minVersion}",
        )
    if version[1] > 0:
        log.note(
            "UNKNOWN_ASSET_MINOR_VERSION",
            "/asset/version",
            f"the file is glTF {asset.version}, it was read as 2.0",
        )


def _refuse_major(version: str) -> NoReturn:
    refuse(
        "UNKNOWN_ASSET_MAJOR_VERSION",
        "/asset/version",
        f"the version of glTF must be 2.0, got {version}; "
        + (GLTF_1_ROUTE if version == "1.0" else "convert the file with a glTF 2.0 exporter"),
    )


def _numbers(version: str) -> tuple[int, int]:
    major, minor = version.split(".")
    return int(major), int(minor)
