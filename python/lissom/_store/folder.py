# SPDX-License-Identifier: MIT
"""A store in a folder. Not by obstore, whose local store flushes nothing to the disk."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Iterator
from itertools import takewhile
from pathlib import Path

from lissom._formats.atomic import sync_folder, temporary_beside
from lissom._formats.faults import folder_fault, make_folder
from lissom._store.store import check_key

__all__ = ["Folder"]

PARTS = ".parts"
"""Folder of files that are being written: on the same disk, and apart from those that are listed."""

NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS)
"""Of file systems without hard links."""


class Folder:
    """Keys are paths below a folder. What was written or created is on the disk, also after a power cut."""

    def __init__(self, url: str) -> None:
        self.url = url

    def __repr__(self) -> str:
        return f"open_store({self.url!r})"

    def read(self, key: str) -> bytes:
        """See `Store.read`."""
        return self._path(key).read_bytes()

    def size(self, key: str) -> int:
        """See `Store.size`."""
        return self._path(key).stat().st_size

    def write(self, key: str, data: bytes) -> None:
        """See `Store.write`."""
        self._put(key, data, os.replace)

    def create(self, key: str, data: bytes) -> bool:
        """See `Store.create`."""
        try:
            self._put(key, data, os.link)
        except FileExistsError:
            if self._path(key).exists():
                return False
            raise  # of a folder on the way there
        except OSError as error:
            if error.errno in NO_LINKS:
                raise ValueError(
                    f"store: {self.url} cannot create a key only where there is none: its file system has no "
                    "hard links; pass another folder, or a bucket"
                ) from None
            raise
        return True

    def keys(self, prefix: str) -> Iterator[str]:
        """See `Store.keys`."""
        try:
            for folder, folders, names in os.walk(Path(self.url, prefix.rpartition("/")[0]), onerror=_refuse):
                below = Path(folder).relative_to(self.url).as_posix()
                if below == ".":
                    folders[:] = [name for name in folders if name != PARTS]
                keys = (name if below == "." else f"{below}/{name}" for name in names)
                yield from (key for key in keys if key.startswith(prefix))
        except FileNotFoundError:  # nothing was written there
            return

    def delete(self, key: str) -> None:
        """See `Store.delete`."""
        with contextlib.suppress(FileNotFoundError):
            self._path(key).unlink()

    def _path(self, key: str) -> Path:
        return Path(self.url, check_key(key))

    def _make(self, folder: Path) -> None:
        """Make a folder and its missing parents, on the disk."""
        missing = list(takewhile(lambda path: not path.is_dir(), (folder, *folder.parents)))
        try:
            make_folder(folder)
        except OSError as error:
            fault = folder_fault(Path(self.url))
            if fault is None:
                raise
            raise OSError(error.errno, fault.removeprefix(f"{self.url}: "), self.url) from None
        for made in missing:
            sync_folder(made.parent)

    def _put(self, key: str, data: bytes, place: Callable[[Path, Path], None]) -> None:
        """Write a file that `place` gives its name once its bytes are on the disk."""
        path = self._path(key)
        parts = Path(self.url, PARTS)
        for folder in (Path(self.url), parts, path.parent):
            if not folder.is_dir():
                self._make(folder)
        temporary = temporary_beside(parts / path.name)
        try:
            with open(temporary, "xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            place(temporary, path)
        except OSError as error:
            if error.filename is not None and Path(error.filename) != temporary:
                raise
            raise OSError(error.errno, error.strerror, str(path)) from None  # the name that users know
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink()
        sync_folder(path.parent)


def _refuse(error: OSError) -> None:
    raise error
