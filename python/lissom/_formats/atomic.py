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
import shutil
import stat
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

__all__ = ["atomic_file", "sweep_folder", "sync_folder", "temporary_beside", "write_atomically"]

SUFFIX = ".part"
"""Suffix of temporary files and folders: ``.NAME.PID.HOST.TOKEN.part``."""

STALE_SECONDS = 3600.0
"""Age from which a temporary file counts as the leftover of a killed writer, where that is not known."""

LONGEST_STEM = 200
"""Bytes of a target's name that are part of the temporary one, which has 255 with process, host and token."""


def write_atomically(path: str | os.PathLike[str], chunks: Iterable[bytes | memoryview]) -> None:
    """Write a file so that readers see the old one or the new one, never a mix.

    The bytes go to a temporary file in the same folder, which is flushed to the disk and then renamed to the
    target in one step. Temporary files of this target are removed where their writer no longer runs, or where
    that is not known and they are an hour old. A file that is replaced hands on its permissions once the new
    one is whole; until then only its owner can open it. A link stays a link: what it leads to is replaced.

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
        If the file cannot be written, or `path` is a pipe or a device; the old one is still there. The error
        names `path`.
    """
    with atomic_file(path) as file:
        for chunk in chunks:
            file.write(chunk)


@contextlib.contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file to write as `write_atomically` does: it is the target once the block ends without error."""
    # A link stays: what it leads to is replaced.
    target = Path(os.path.realpath(path)) if os.path.islink(path) else Path(path)
    if not target.parent.exists():
        raise FileNotFoundError(errno.ENOENT, f"the folder {target.parent} does not exist", os.fspath(path))
    mode = _mode(target, path)
    temporary = temporary_beside(target)
    try:
        with open(temporary, "xb", opener=None if mode is None else _open_private) as file:
            yield file
            file.flush()
            if mode is not None:
                os.chmod(temporary, mode)
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
    sync_folder(target.parent)


def temporary_beside(target: Path) -> Path:
    """Return a name beside a target for what will replace it; remove what killed writers left of it."""
    stem = _stem(target.name)
    _sweep(target.parent, f"{stem}.")
    return target.with_name(f"{stem}.{os.getpid()}.{_host()}.{secrets.token_hex(4)}{SUFFIX}")


def _mode(target: Path, path: str | os.PathLike[str]) -> int | None:
    """Return the permissions of the file to replace; None where there is none. Refuse what is not a file."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return None
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # replacing a folder fails by itself
        raise OSError(errno.EINVAL, "it is a pipe, a socket or a device, not a file", os.fspath(path))
    return mode & 0o777


def _open_private(path: str, flags: int) -> int:
    """Open a file that nobody else can, from its creation on: what it replaces may be private.

    A file that replaces none has its final permissions from then on, by the umask: to ask for that is to set
    it, for a moment in which other threads may create files.
    """
    return os.open(path, flags, 0o600)


def _stem(name: str) -> str:
    """Return how names of temporary files of a target begin; with those a system allows, they fit, too."""
    size = len(os.fsencode(name))
    if size <= LONGEST_STEM:
        return f".{name}"
    return f".{name[: LONGEST_STEM // 8]}.{hashlib.sha256(os.fsencode(name)).hexdigest()[:16]}"


def sync_folder(folder: Path) -> None:
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
    """Remove the temporary files and folders of killed writers from a folder, but not from its subfolders."""
    _sweep(Path(folder), ".")


def _sweep(folder: Path, prefix: str) -> None:
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            if not (entry.name.startswith(prefix) and entry.name.endswith(SUFFIX)):
                continue
            with contextlib.suppress(OSError):
                changed = entry.stat().st_mtime
                writer_runs = _writer_runs(entry.name, changed)
                is_old = time.time() - changed > STALE_SECONDS
                if not (is_old if writer_runs is None else not writer_runs):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path)
                else:
                    os.unlink(entry.path)


def _writer_runs(name: str, changed: float) -> bool | None:
    """Whether the process that made a temporary file still runs; None if it is of another host or unknown.

    `changed` is when the file was last written to, in seconds since 1970.
    """
    fields = name.rsplit(".", 4)
    if os.name != "posix" or len(fields) != 5 or fields[2] != _host() or not fields[1].isdecimal():
        return None
    try:
        os.kill(int(fields[1]), 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it runs and is another user's
        pass
    except (OSError, OverflowError):
        return None
    return _is_writer(fields[1], changed)


def _is_writer(pid: str, changed: float) -> bool:
    """Whether a process has not ended, and is old enough to have written a file; True where none can say.

    Numbers of processes are used again; and one that has ended may wait for its parent, as init's may.
    """
    with contextlib.suppress(OSError, IndexError, ValueError):  # Linux
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        uptime = float(Path("/proc/uptime").read_text().split()[0])
        age = uptime - int(fields[19]) / os.sysconf("SC_CLK_TCK")  # its start, field 22 from 1 of all
        return fields[0] not in "ZX" and time.time() - age < changed + 60  # clocks may be set meanwhile
    return True


@functools.cache
def _host() -> str:
    """Identify the scope in which process ids are unique: a machine since its boot, or a container on it."""
    facts = [platform.node()]
    with contextlib.suppress(OSError):  # Linux
        facts.append(Path("/proc/sys/kernel/random/boot_id").read_text())
        facts.append(str(os.stat("/proc/self/ns/pid").st_ino))
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:8]
