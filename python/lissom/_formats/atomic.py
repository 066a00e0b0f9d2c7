# SPDX-License-Identifier: MIT
"""Files written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import os
import platform
import secrets
import time
from collections.abc import Iterable
from pathlib import Path

__all__ = ["sweep_folder", "write_atomically"]

SUFFIX = ".part"
"""Ends the names of temporary files: ``.NAME.PID.PLACE.TOKEN.part``."""

STALE_SECONDS = 3600.0
"""Age from which a temporary file is the leftover of a killed writer, whoever that was."""


def write_atomically(path: str | os.PathLike[str], chunks: Iterable[bytes | memoryview]) -> None:
    """Write a file so that whoever looks finds the old one or the new one, never a mix.

    The bytes go to a temporary file in the same folder, are flushed to the disk, and then take the target's
    name in one step. Leftovers of writers of this target are removed that no longer run, or are an hour old.

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
    _sweep(target.parent, f".{target.name}.")
    temporary = target.with_name(f".{target.name}.{os.getpid()}.{_place()}.{secrets.token_hex(4)}{SUFFIX}")
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


def sweep_folder(folder: str | os.PathLike[str]) -> None:
    """Remove what killed writers left in a folder, whatever they wrote; not in folders below it."""
    _sweep(Path(folder), ".")


def _sweep(folder: Path, prefix: str) -> None:
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            if not (entry.name.startswith(prefix) and entry.name.endswith(SUFFIX)):
                continue
            with contextlib.suppress(OSError):
                is_old = time.time() - entry.stat().st_mtime > STALE_SECONDS
                if is_old or _writer_is_gone(entry.name):
                    os.unlink(entry.path)


def _writer_is_gone(name: str) -> bool:
    """Whether a temporary file was made here by a process that no longer runs; False where nobody can say."""
    words = name.rsplit(".", 4)
    if os.name != "posix" or len(words) != 5 or words[2] != _place() or not words[1].isdecimal():
        return False
    try:
        os.kill(int(words[1]), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):  # it runs and is another user's
        return False
    return _has_ended(words[1])


def _has_ended(process: str) -> bool:
    """Whether a process is over and only its number waits to be taken back, as init may let it wait."""
    with contextlib.suppress(OSError, IndexError):  # Linux
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    return False


@functools.cache
def _place() -> str:
    """Name the set of processes within which process numbers are unique: a machine, or a container on it."""
    facts = [platform.node()]
    with contextlib.suppress(OSError):  # Linux
        facts.append(Path("/proc/sys/kernel/random/boot_id").read_text())
        facts.append(str(os.stat("/proc/self/ns/pid").st_ino))
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:8]
