# SPDX-License-Identifier: MIT
"""Regular files, opened once, and never waited for: pipes, sockets, devices and folders are refused.

A name may lead anywhere, and to something else a moment later. So nothing is asked of the name: what it leads
to is opened without waiting for a writer, and what was opened is looked at.
"""

from __future__ import annotations

import errno
import io
import os
import stat

from lissom._base.printable import quoted

__all__ = ["MOST_BYTES", "check_path", "open_regular", "read_regular"]

MOST_BYTES = 1 << 32
"""Most bytes of a file that is read whole: what the length in the header of a GLB can say."""

_FLAGS = os.O_RDONLY
for _name in ("O_BINARY", "O_NONBLOCK", "O_NOCTTY"):
    _FLAGS |= getattr(os, _name, 0)
_KINDS = (
    (stat.S_ISFIFO, "it is a pipe, not a file"),
    (stat.S_ISSOCK, "it is a socket, not a file"),
    (stat.S_ISCHR, "it is a device, not a file"),
    (stat.S_ISBLK, "it is a device, not a file"),
)


def check_path(path: object, what: str) -> str:
    """Return a path as text; refuse another type, and the null character, which no file's name has.

    `what` names function and argument in errors.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{what} must be a path, got {type(path).__name__}")
    name = os.fspath(path)
    if not isinstance(name, str):
        raise TypeError(f"{what} must be a path of text, got one of {type(name).__name__}")
    if "\0" in name:
        raise ValueError(f"{what} must be a path without null characters, got {quoted(name)}")
    return name


def open_regular(path: str | os.PathLike[str]) -> io.BufferedReader:
    """Open a regular file for reading.

    Raises
    ------
    OSError
        If it cannot be opened, or is something else: the message says what.
    """
    number, _ = _opened(path)
    return open(path, "rb", opener=lambda *_: number)


def read_regular(path: str | os.PathLike[str], most: int = MOST_BYTES) -> bytes:
    """Return the bytes of a regular file.

    Raises
    ------
    OSError
        As `open_regular`; if the file has more than `most` bytes, or changes while it is read.
    """
    number, size = _opened(path)
    try:
        if size > most:
            raise OSError(errno.EFBIG, f"a file must have at most {most} bytes, got {size}", os.fspath(path))
        data = os.read(number, size + 1)
        while len(data) < size and (more := os.read(number, size + 1 - len(data))):
            data += more  # one call reads 2 GiB at most
    finally:
        os.close(number)
    if len(data) != size:
        raise OSError(errno.EBUSY, f"it had {size} bytes and changed while it was read", os.fspath(path))
    return data


def _opened(path: str | os.PathLike[str]) -> tuple[int, int]:
    """Return the descriptor of a regular file, and its size."""
    name = os.fspath(path)
    try:
        number = os.open(name, _FLAGS)
    except OSError as error:
        if error.errno == errno.ENXIO:  # what a socket answers, and a device without its driver
            raise OSError(errno.ENXIO, "it is a socket or a device, not a file", name) from None
        # Windows refuses to open a folder at all.
        if error.errno == errno.EISDIR or (error.errno == errno.EACCES and os.path.isdir(name)):
            raise IsADirectoryError(errno.EISDIR, "it is a folder, not a file", name) from None
        raise
    found = os.fstat(number)
    if stat.S_ISREG(found.st_mode):
        return number, found.st_size
    os.close(number)
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder, not a file", name)
    what = next((words for is_kind, words in _KINDS if is_kind(found.st_mode)), "it is not a file")
    raise OSError(errno.EINVAL, what, name)
