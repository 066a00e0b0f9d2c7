# SPDX-License-Identifier: MIT
"""Sentences that say why a file cannot be read or written, or a folder not be made."""

from __future__ import annotations

import errno
import os
from pathlib import Path

__all__ = ["folder_fault", "make_folder", "os_reason"]


def os_reason(error: OSError) -> str:
    """Return why a file could not be read or written, without the file's name."""
    if isinstance(error, FileNotFoundError) and error.strerror in (None, os.strerror(errno.ENOENT)):
        return "there is no such file"
    reason = error.strerror or str(error)
    return reason[:1].lower() + reason[1:]  # the rest may hold names, whose case matters


def folder_fault(folder: Path) -> str | None:
    """Return why no file can be written into a folder that may have to be made first; None where one can.

    Makes nothing to find out, except a temporary file without a name.
    """
    nearest = next((path for path in (folder, *folder.parents) if os.path.lexists(path)), Path(folder.anchor))
    if not nearest.is_dir():
        is_dangling = nearest.is_symlink() and not nearest.exists()
        what = "a link that leads nowhere" if is_dangling else "a file"
        if nearest == folder:
            return f"{folder}: must be a folder, got {what}"
        return f"{folder}: the folder cannot be made, for {nearest} is {what}"
    reason = _write_fault(nearest)
    if reason is None:
        return None
    if nearest == folder:
        return f"{folder}: nothing can be written into this folder: {reason}"
    return f"{folder}: the folder cannot be made, for nothing can be written into {nearest}: {reason}"


def make_folder(folder: Path) -> None:
    """Make a folder and its missing parents. Raises an OSError that says why where that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fault = folder_fault(folder)
        if fault is None:
            raise
        raise OSError(error.errno, fault.removeprefix(f"{folder}: "), os.fspath(folder)) from None


def _write_fault(folder: Path) -> str | None:
    """Return why no file can be written into an existing folder; None where one can."""
    import tempfile

    try:
        with tempfile.TemporaryFile(dir=folder):
            return None
    except FileNotFoundError:  # what /proc answers, although it exists
        return "the system takes no files there"
    except OSError as error:
        return os_reason(error)
