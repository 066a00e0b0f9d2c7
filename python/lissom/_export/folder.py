# SPDX-License-Identifier: MIT
"""Folders that are written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["MARK", "new_folder"]

MARK = "lissom-export.json"
"""File by which a folder is known as an export, which another one may replace."""


@contextmanager
def new_folder(path: str | os.PathLike[str], what: str) -> Iterator[Path]:
    """Yield an empty folder beside `path`, which takes its place once all is written.

    What is there already is replaced if it is an empty folder or an export; its files are lost only once the
    new ones are in place. `what` names function and argument in errors.

    Raises
    ------
    FileExistsError
        If `path` is a file, or a folder of other things.
    FileNotFoundError
        If the folder around `path` does not exist.
    OSError
        If a file cannot be written; what was there is still there.
    """
    target = Path(os.path.abspath(path))
    _check(target, what)
    if not target.parent.exists():
        raise FileNotFoundError(errno.ENOENT, f"the folder {target.parent} does not exist", os.fspath(path))
    token = f"{os.getpid()}.{secrets.token_hex(4)}"
    made = target.with_name(f".{target.name[:64]}.{token}.part")
    made.mkdir()
    try:
        yield made
        old = target.with_name(f".{target.name[:64]}.{token}.old") if target.exists() else None
        if old is not None:
            os.replace(target, old)
        try:
            os.replace(made, target)
        except OSError:
            if old is not None:
                os.replace(old, target)
            raise
        if old is not None:
            shutil.rmtree(old, ignore_errors=True)
    finally:
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(made)


def _check(target: Path, what: str) -> None:
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
