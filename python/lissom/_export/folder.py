# SPDX-License-Identifier: MIT
"""Folders that are written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lissom._export.earlier import MARK, fill
from lissom._formats.atomic import temporary_beside

__all__ = ["new_folder"]


@contextmanager
def new_folder(path: str | os.PathLike[str], what: str) -> Iterator[Path]:
    """Yield an empty folder beside `path`, whose files take their places once all are written.

    A folder that is not there is made in one step. In one that is, the files of an earlier export make room
    for the new ones, and all others stay as they are; if a file cannot be put there, all are put back. A link
    stays: what it leads to is written. `what` names function and argument in errors.

    Raises
    ------
    FileExistsError
        If `path` is a file, or a folder of other things, or has files of others where new ones must go.
    FileNotFoundError
        If the folder around `path` does not exist.
    OSError
        If a file cannot be written; what was there is still there.
    """
    target = Path(os.path.realpath(path))
    _check(target, what)
    if not target.parent.exists():
        raise FileNotFoundError(errno.ENOENT, f"the folder {target.parent} does not exist", os.fspath(path))
    made = temporary_beside(target)
    made.mkdir()
    try:
        yield made
        with _alone_in(target.parent):
            _check(target, what)
            if target.exists():
                fill(target, made, what)
            else:
                os.replace(made, target)
    finally:
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(made)


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Wait until no other export puts files into folders of `folder`, where the system can tell."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # some network file systems have no locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _check(target: Path, what: str) -> None:
    if target.is_symlink():
        raise OSError(errno.ELOOP, f"{what} must be a folder, got a link that leads to itself", str(target))
    if not target.exists():
        return
    if not target.is_dir():
        raise FileExistsError(errno.EEXIST, f"{what} must be a folder, got a file", os.fspath(target))
    if any(target.iterdir()) and not (target / MARK).is_file():
        raise FileExistsError(
            errno.EEXIST,
            f"{what} must be new, empty, or an earlier export ({MARK} in it), got a folder of other files; "
            "choose another",
            os.fspath(target),
        )
