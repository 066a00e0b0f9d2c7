# SPDX-License-Identifier: MIT
"""URIs of buffers and images: data URIs, or files in the folder of the glTF and nowhere else."""

from __future__ import annotations

import binascii
import os
import stat
from pathlib import Path
from urllib.parse import unquote, unquote_to_bytes

from lissom._files.gltf.log import refuse


def is_data(uri: str) -> bool:
    """Whether a URI holds its data itself."""
    return uri[:5].lower() == "data:"


def decode_data(uri: str, pointer: str) -> tuple[bytes, str]:
    """Decode a data URI (RFC 2397) into bytes and media type."""
    head, comma, body = uri[5:].partition(",")
    if not comma:
        refuse("INVALID_URI", pointer, "a data URI must have a comma between its media type and its data")
    kind, *parameters = head.split(";")
    if any("=" not in parameter for parameter in parameters[:-1]):
        refuse("INVALID_URI", pointer, "parameters of a data URI must be name=value")
    try:
        if parameters and parameters[-1].strip().lower() == "base64":
            if "%" in body:
                body = unquote(body)
            return binascii.a2b_base64(body, strict_mode=True), kind.lower()
        return unquote_to_bytes(body), kind.lower()
    except ValueError as error:  # binascii.Error, and text that is not ASCII
        refuse("INVALID_URI", pointer, f"the data URI cannot be decoded: {str(error)[:80]}")


def is_absolute(uri: str) -> bool:
    """Whether a URI is not relative to the file: it has a scheme, a drive, a host or a path from the root."""
    return uri.startswith(("/", "\\")) or ":" in uri.split("/")[0]


def locate(folder: Path | None, uri: str, pointer: str) -> Path:
    """Return the path that a relative URI names inside `folder`; open nothing.

    No path outside the folder is returned, whatever the URI: an absolute path, a scheme, "..", a drive, a
    backslash, an encoded form of these, or a symbolic link that leads out.
    """
    name = _local_name(uri, pointer)
    if folder is None:
        refuse(
            "IO_ERROR",
            pointer,
            f"'{uri[:80]}' is another file, and a load from bytes has no folder; load from a path, or pack"
            " the file as GLB",
        )
    try:
        root = folder.resolve(strict=True)
        path = (root / name).resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        refuse("IO_ERROR", pointer, f"'{name[:80]}' is not beside the file ({type(error).__name__})")
    if not path.is_relative_to(root):
        refuse(
            "IO_ERROR", pointer, f"'{name[:80]}' leads out of the folder of the file, which is not followed"
        )
    return path


def read_regular(path: Path, pointer: str) -> bytes:
    """Return all bytes of a file; refuse pipes, devices and folders."""
    try:
        # Checked before it is opened: opening a pipe would wait for its writer.
        if not stat.S_ISREG(os.stat(path).st_mode):
            refuse("IO_ERROR", pointer, f"'{path.name[:80]}' is not a file")
        return path.read_bytes()
    except OSError as error:
        refuse("IO_ERROR", pointer, f"'{path.name[:80]}' cannot be read: {error.strerror}")


def _local_name(uri: str, pointer: str) -> str:
    """Return a URI decoded; refuse all but plain relative paths."""
    if is_absolute(uri):
        refuse(
            "NON_RELATIVE_URI",
            pointer,
            f"a URI must be relative, got '{uri[:80]}'; only data URIs and files beside the glTF are read",
        )
    try:
        name = unquote(uri, errors="strict")
    except UnicodeDecodeError:
        refuse("INVALID_URI", pointer, f"a decoded URI must be UTF-8, got '{uri[:80]}'")
    unsafe = is_absolute(name) or "\\" in name or "\0" in name or ".." in name.split("/")
    if unsafe or not name.strip("./ "):
        refuse(
            "INVALID_URI",
            pointer,
            f"a URI must be a plain relative path, got '{uri[:80]}'; only files beside the glTF are read",
        )
    return name
