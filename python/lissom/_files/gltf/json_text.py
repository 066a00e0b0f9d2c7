# SPDX-License-Identifier: MIT
"""From JSON text to the typed document, with limits that hold before anything is decoded."""

from __future__ import annotations

import re
from typing import NoReturn

import msgspec
import numpy as np

from lissom._files.gltf.log import Log, refuse
from lissom._files.gltf.schema import INDEX_FIELDS, Document

# No real file nests deeper than a dozen; the decoder recurses, so the limit protects the stack.
MAX_DEPTH = 128
# A decoded object costs about this many bytes, an empty one in the file three: a file of "{},{},..." must not
# cost fifty times its size. Real files spend 50 bytes and more on an object.
BYTES_PER_OBJECT = 256
BYTES_ALWAYS_ALLOWED = 32 << 20

_decoder = msgspec.json.Decoder(Document)
_STRUCTURE = bytes(set(range(256)) - set(b'"[]{}'))
_STEP = np.zeros(256, np.int8)
_STEP[list(b"[{")] = 1
_STEP[list(b"]}")] = -1


def decode(text: bytes, log: Log) -> Document:
    """Decode the JSON of a glTF, or refuse it with the JSON pointer of the first fault."""
    if text.startswith(b"\xef\xbb\xbf"):
        refuse("INVALID_JSON", "", "the JSON starts with a byte order mark, which glTF forbids; remove it")
    _check_structure(text)
    try:
        document = _decoder.decode(text)
    except msgspec.ValidationError as error:
        _refuse_old_version(text)
        _refuse_invalid(str(error))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        refuse("INVALID_JSON", "", f"the file is not valid JSON: {_plain(str(error))}")
    except RecursionError:  # only under a recursion limit lowered far below Python's own
        refuse("LIMIT_EXCEEDED", "", "the JSON nests deeper than Python's recursion limit allows")
    _check_version(document, log)
    return document


def _check_structure(text: bytes) -> None:
    """Depth and number of objects, from brackets outside strings: one pass over the bytes, in NumPy."""
    if b"\\" in text:  # escapes stand inside strings only; a quote that is left then ends one
        text = text.replace(b"\\\\", b"").replace(b'\\"', b"")
    # Two quotes side by side cancel out; what is left are brackets, and the quotes of strings that hold some.
    marks = np.frombuffer(text.translate(None, _STRUCTURE).replace(b'""', b""), np.uint8)
    step = _STEP[marks]
    step[(np.cumsum(marks == ord('"'), dtype=np.uint8) & 1).view(bool)] = 0
    depth = int(np.cumsum(step, dtype=np.int32).max(initial=0))
    if depth > MAX_DEPTH:
        refuse("LIMIT_EXCEEDED", "", f"the JSON nests {depth} levels deep, lissom reads {MAX_DEPTH}")
    count = int(np.count_nonzero(step == 1))
    if count * BYTES_PER_OBJECT > 6 * len(text) + BYTES_ALWAYS_ALLOWED:
        refuse(
            "LIMIT_EXCEEDED", "", f"the JSON holds {count} objects and arrays in {len(text)} bytes, too many"
        )


def _refuse_old_version(text: bytes) -> None:
    """Files of glTF 1.0 fail on their shape first; their version is the better answer."""
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
    """Turn msgspec's "what - at `$.path`" into a code and a JSON pointer."""
    what, _, place = message.partition(" - at `")
    pointer = _pointer(place.rstrip("`"))
    what = _plain(what)
    field = next((part for part in reversed(pointer.split("/")) if part and not part.isdigit()), "")
    if "missing required field" in what:
        code = "UNDEFINED_PROPERTY"
    elif "Number out of range" in what:
        code = "VALUE_NOT_IN_RANGE"
    elif "int' >" in what or "int' <" in what:
        code = "INVALID_INDEX" if field in INDEX_FIELDS else "VALUE_NOT_IN_RANGE"
    elif "of length" in what:
        code = "ARRAY_LENGTH_NOT_IN_LIST"
    else:
        code = "TYPE_MISMATCH"
    refuse(code, pointer, f"{what[0].lower()}{what[1:]}")


def _pointer(place: str) -> str:
    """`$.accessors[0].count` as /accessors/0/count, up to where msgspec stops naming keys ([...])."""
    place = place.split("[...]")[0].removeprefix("$")
    return re.sub(r"[.\[]", "/", place).replace("]", "")


def _plain(message: str) -> str:
    return message.replace("`", "'")


def _check_version(document: Document, log: Log) -> None:
    asset = document.asset
    for field, text in (("version", asset.version), ("minVersion", asset.minVersion or "2.0")):
        if not re.fullmatch(r"\d{1,9}\.\d{1,9}", text, re.ASCII):
            refuse("PATTERN_MISMATCH", f"/asset/{field}", f"'{text[:40]}' is no version like 2.0")
    version = _numbers(asset.version)
    if version[0] != 2:
        _refuse_major(asset.version)
    minimum = _numbers(asset.minVersion or "2.0")
    if minimum > version:
        refuse(
            "ASSET_MIN_VERSION_GREATER_THAN_VERSION",
            "/asset/minVersion",
            f"the file needs version {asset.minVersion} and says that it is {asset.version}",
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
        f"the file is glTF {version}, lissom reads 2.0; convert it with a glTF 2.0 exporter",
    )


def _numbers(version: str) -> tuple[int, int]:
    major, minor = version.split(".")
    return int(major), int(minor)
