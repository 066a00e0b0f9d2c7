# SPDX-License-Identifier: MIT
"""URIs of buffers and images: data URIs, or files in the folder of the glTF and nowhere else."""

from __future__ import annotations

import binascii
from pathlib import Path
from urllib.parse import unquote, unquote_to_bytes

from lissom._base.printable import quoted
from lissom._files.gltf.log import refuse
from lissom._formats.budget import Budget
from lissom._formats.faults import os_reason
from lissom._formats.regular_file import read_regular

# Characters before the comma of a data URI; real ones have 40.
_MOST_HEAD = 1024
# Characters that are decoded at a time: urllib takes eighty times the memory of what it decodes.
_PIECE = 1 << 15


def is_data(uri: str) -> bool:
    """Whether a URI holds its data itself."""
    return uri[:5].lower() == "data:"


def decode_data(uri: str, pointer: str, budget: Budget) -> tuple[bytes, str]:
    """Decode a data URI (RFC 2397) into bytes and media type."""
    comma = uri.find(",")
    if comma < 0:
        refuse("INVALID_URI", pointer, "a data URI must have a comma between its media type and its data")
    if comma > _MOST_HEAD:
        refuse(
            "LIMIT_EXCEEDED",
            pointer,
            f"the media type of a data URI must have at most {_MOST_HEAD} characters, got {comma}",
        )
    budget.spend(2 * len(uri), pointer, "its data URIs are too long")  # the body, and what it decodes to
    kind, *parameters = uri[5:comma].split(";")
    body = uri[comma + 1 :]
    if any("=" not in parameter for parameter in parameters[:-1]):
        refuse("INVALID_URI", pointer, "parameters of a data URI must be name=value")
    try:
        if parameters and parameters[-1].strip().lower() == "base64":
            text = _unquoted(body) if "%" in body else body
            return binascii.a2b_base64(text, strict_mode=True), kind.lower()
        return _unquoted(body), kind.lower()
    except ValueError as error:  # binascii.Error, and text that is not ASCII
        refuse("INVALID_URI", pointer, f"the data URI cannot be decoded: {str(error)[:80]}")


def _unquoted(text: str) -> bytes:
    """Return text with its percent-encoded bytes decoded, in little memory."""
    pieces = bytearray()
    begin = 0
    while begin < len(text):
        end = begin + _PIECE
        percent = text.rfind("%", begin, end)
        if percent > begin and percent > end - 3:  # its digits are in the next piece
            end = percent
        pieces += unquote_to_bytes(text[begin:end])
        begin = end
    return bytes(pieces)


def is_absolute(uri: str) -> bool:
    """Whether a URI is not relative to the file: it has a scheme, a drive, a host or a path from the root."""
    return uri.startswith(("/", "\\")) or ":" in uri.split("/")[0]


def locate(folder: Path | None, uri: str, pointer: str) -> Path:
    """Return the path that a relative URI names inside `folder`; open nothing.

    No path outside the folder is returned, whatever the URI: an absolute path, a scheme, "..", a drive, a
    backslash, an encoded form of these, or a symbolic link that leads out.
    """
    name = local_name(uri, pointer)
    if folder is None:
        refuse(
            "IO_ERROR",
            pointer,
            f"{quoted(uri)} is another file, and a load from bytes has no folder; load from a path, or pack"
            " the file as GLB",
        )
    try:
        root = folder.resolve(strict=True)
        path = (root / name).resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        refuse("IO_ERROR", pointer, f"{quoted(name)} is not beside the file")
    if not path.is_relative_to(root):
        refuse(
            "IO_ERROR", pointer, f"{quoted(name)} leads out of the folder of the file, which is not followed"
        )
    return path


def read(path: Path, pointer: str) -> bytes:
    """Return all bytes of a file beside the glTF; refuse pipes, devices and folders."""
    try:
        return read_regular(path)
    except OSError as error:
        refuse("IO_ERROR", pointer, f"{quoted(path.name)} cannot be read: {os_reason(error)}")


def local_name(uri: str, pointer: str) -> str:
    """Return a URI decoded; refuse all but plain relative paths."""
    if is_absolute(uri):
        refuse(
            "NON_RELATIVE_URI",
            pointer,
            f"a URI must be relative, got {quoted(uri)}; only data URIs and files beside the glTF are read",
        )
    try:
        name = unquote(uri, errors="strict")
    except UnicodeDecodeError:
        refuse("INVALID_URI", pointer, f"a decoded URI must be UTF-8, got {quoted(uri)}")
    unsafe = is_absolute(name) or "\\" in name or "\0" in name or ".." in name.split("/")
    if unsafe or not name.strip("./ "):
        refuse(
            "INVALID_URI",
            pointer,
            f"a URI must be a plain relative path, got {quoted(uri)}; only files beside the glTF are read",
        )
    return name
