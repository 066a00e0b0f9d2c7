# SPDX-License-Identifier: MIT
"""Atomic writing of files: whole or not at all."""

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
"""Suffix of temporary files: ``.NAME.PID.HOST.TOKEN.part``."""

STALE_SECONDS = 3600.0
"""Age from which a temporary file counts as the leftover of a killed writer, on whatever machine."""


def write_atomically(path: str | os.PathLike[str], chunks: Iterable[bytes | memoryview]) -> None:
    """Write a file so that readers see the old one or the new one, never a mix.

    The bytes go to a temporary file in the same folder, which is flushed to the disk and then renamed to the
    target in one step. Temporary files of this target are removed where their writer no longer runs or they
    are an hour old.

    Parameters
    ----------
    path : str or path
        The target; replaced if it exists.
    chunks : iterable of bytes
        Written one after another. If the iterable raises, the target is unchanged.

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
    temporary = target.with_name(f".{target.name}.{os.getpid()}.{_host()}.{secrets.token_hex(4)}{SUFFIX}")
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
        is_nameless = isinstance(error, OSError) and error.errno is not None and error.filename is None
        if isinstance(error, OSError) and (is_nameless or str(error.filename) == str(temporary)):
            # Users know the target, not the temporary file.
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Flush the rename to the disk, so that it survives a power cut, where the system can."""
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):  # some network file systems refuse; the file itself is safe
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def sweep_folder(folder: str | os.PathLike[str]) -> None:
    """Remove the temporary files of killed writers from a folder, but not from its subfolders."""
    _sweep(Path(folder), ".")


def _sweep(folder: Path, prefix: str) -> None:
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            if not (entry.name.startswith(prefix) and entry.name.endswith(SUFFIX)):
                continue
            with contextlib.suppress(OSError):
                is_old = time.time() - entry.stat().st_mtime > STALE_SECONDS
                if is_old or _writer_has_ended(entry.name):
                    os.unlink(entry.path)


def _writer_has_ended(name: str) -> bool:
    """Whether a temporary file was made on this host by a process that no longer runs; False if unknown."""
    fields = name.rsplit(".", 4)
    if os.name != "posix" or len(fields) != 5 or fields[2] != _host() or not fields[1].isdecimal():
        return False
    try:
        os.kill(int(fields[1]), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):  # it runs and is another user's
        return False
    return _is_zombie(fields[1])


def _is_zombie(pid: str) -> bool:
    """Whether a process has ended and its parent has not waited for it yet, as init may not."""
    with contextlib.suppress(OSError, IndexError):  # Linux
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    return False


@functools.cache
def _host() -> str:
    """Identify the scope in which process ids are unique: a machine since its boot, or a container on it."""
    facts = [platform.node()]
    with contextlib.suppress(OSError):  # Linux
        facts.append(Path("/proc/sys/kernel/random/boot_id").read_text())
        facts.append(str(os.stat("/proc/self/ns/pid").st_ino))
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:8]
