# SPDX-License-Identifier: MIT
"""Files written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import time
from collections.abc import Iterable
from pathlib import Path

__all__ = ["write_atomically"]

STALE_SECONDS = 3600.0
"""Age from which a temporary file beside its target is the leftover of a killed writer."""


def write_atomically(path: str | os.PathLike[str], chunks: Iterable[bytes | memoryview]) -> None:
    """Write a file so that whoever looks finds the old one or the new one, never a mix.

    The bytes go to a temporary file in the same folder, are flushed to the disk, and then take the target's
    name in one step. Leftovers of writers that were killed an hour ago or earlier are removed.

    Parameters
    ----------
    path : str or path
        The target; it is replaced if it exists.
    chunks : iterable of bytes
        Written one after another. If making them raises, nothing has changed.

    Raises
    ------
    FileNotFoundError
        If the folder does not exist.
    OSError
        If the file cannot be written; the old one is still there. The error names `path`.
    """
    target = Path(path)
    if not target.parent.exists():
        raise FileNotFoundError(errno.ENOENT, f"the folder {target.parent} does not exist", os.fspath(path))
    _sweep(target)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.{secrets.token_hex(4)}.part")
    try:
        with open(temporary, "xb") as file:
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        nameless = isinstance(error, OSError) and error.errno is not None and error.filename is None
        if isinstance(error, OSError) and (nameless or str(error.filename) == str(temporary)):
            # Without a name, or with one that nobody gave.
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Make the new name last through a power cut, where the system can."""
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):  # some network file systems refuse; the file itself is safe
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _sweep(target: Path) -> None:
    """Remove what killed writers of this target left."""
    prefix = f".{target.name}."
    with contextlib.suppress(OSError):
        for entry in os.scandir(target.parent):
            if not (entry.name.startswith(prefix) and entry.name.endswith(".part")):
                continue
            with contextlib.suppress(OSError):
                if time.time() - entry.stat().st_mtime > STALE_SECONDS:
                    os.unlink(entry.path)
