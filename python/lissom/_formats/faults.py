# SPDX-License-Identifier: MIT
"""Why a file cannot be read or written, and a folder not be made, in words."""

from __future__ import annotations

import errno
import os
from pathlib import Path

__all__ = ["folder_fault", "make_folder", "os_reason"]


def os_reason(error: OSError) -> str:
    """Return why a file could not be read or written, without its name."""
    if isinstance(error, FileNotFoundError) and error.strerror in (None, os.strerror(errno.ENOENT)):
        return "there is no such file"
    reason = error.strerror or str(error)
    return reason[:1].lower() + reason[1:]  # it may hold names


def folder_fault(folder: Path) -> str | None:
    """Say why no file can be written into a folder, made first where there is none; None where one can.

    Nothing is made to find out, but for a temporary file without a name.
    """
    stands = next((path for path in (folder, *folder.parents) if os.path.lexists(path)), Path(folder.anchor))
    if not stands.is_dir():
        is_dangling = stands.is_symlink() and not stands.exists()
        what = "a link that leads nowhere" if is_dangling else "a file"
        if stands == folder:
            return f"{folder}: expected a folder, and {what} stands there"
        return f"{folder}: the folder cannot be made, for {stands} is {what}"
    reason = _refusal(stands)
    if reason is None:
        return None
    if stands == folder:
        return f"{folder}: nothing can be written into this folder: {reason}"
    return f"{folder}: the folder cannot be made, for nothing can be written into {stands}: {reason}"


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, where there are none; OSError says why where that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fault = folder_fault(folder)
        if fault is None:
            raise
        raise OSError(error.errno, fault.removeprefix(f"{folder}: "), os.fspath(folder)) from None


def _refusal(folder: Path) -> str | None:
    """Return why the system takes no file in a folder that is there."""
    import tempfile

    try:
        with tempfile.TemporaryFile(dir=folder):
            return None
    except FileNotFoundError:  # as /proc says, which stands
        return "the system takes no files there"
    except OSError as error:
        return os_reason(error)
