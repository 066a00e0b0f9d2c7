# SPDX-License-Identifier: MIT
"""What a viewer has to show: the files of its shelf, as they are now, and what was dropped."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lissom._base.printable import printable
from lissom._formats.faults import os_reason
from lissom._viewer.converter import Converted, Converter, NotWanted
from lissom._viewer.sentences import of_dropped, of_page
from lissom._viewer.shelf import Entry, Listing, Refused, Shelf, stamp_of

__all__ = ["Desk", "Shown"]

DROPPED = "drop:"
"""Begins keys of what was dropped: keys of files have their colons encoded."""

MOST_DROPPED = 20
MOST_DROPPED_BYTES = 256 << 20
"""Of the bundles of what was dropped; older ones are forgotten."""

SETTLE_SECONDS = 0.1
WRITING_SECONDS = 10.0
"""Longest wait for a file that changes while it is read."""


@dataclass(frozen=True)
class Shown:
    """A file as it was at one moment.

    Attributes
    ----------
    stamp : str
        Names the moment.
    data : bytes
        The bundle; empty where there is a fault.
    fault : str
        One sentence.
    """

    stamp: str
    data: bytes = b""
    fault: str = ""


class Desk:
    """The files of a shelf, converted when they are asked for, and the dropped ones.

    Parameters
    ----------
    shelf : Shelf
    converter : Converter
    """

    def __init__(self, shelf: Shelf, converter: Converter) -> None:
        self.shelf = shelf
        self._converter = converter
        self._beside: dict[str, tuple[str, ...]] = {}  # the files that a file names, once it was read
        self._dropped: OrderedDict[str, tuple[str, bytes]] = OrderedDict()
        self._drop_count = 0
        self._lock = threading.Lock()

    def listing(self) -> Listing:
        """Return what can be asked for: what was dropped last first, then the files."""
        with self._lock:
            dropped = [Entry(key, name) for key, (name, _) in reversed(self._dropped.items())]
        found = self.shelf.listing()
        return Listing(dropped + found.entries, found.note)

    def stamp(self, key: str) -> str:
        """Return the stamp of a file as it is now; "" where there is none."""
        if key.startswith(DROPPED):
            return "dropped"
        try:
            source = self.shelf.path(key)
            return stamp_of(source, self._beside.get(source, ()))
        except OSError:
            return ""

    def shown(self, key: str, is_wanted: Callable[[], bool] = lambda: True) -> Shown:
        """Return a file as it is now.

        Raises
        ------
        Refused
            If nothing may be asked for by this key.
        NotWanted
            If nobody waits for it any more.
        """
        if key.startswith(DROPPED):
            with self._lock:
                if key not in self._dropped:
                    raise Refused("it was dropped too long ago: drop it again")
                return Shown("dropped", self._dropped[key][1])
        source = self.shelf.path(key)
        name = self.shelf.name(key)
        end = time.monotonic() + WRITING_SECONDS
        while True:
            try:
                stamp = self._settled(source, end, is_wanted)
            except OSError as error:
                return Shown("", fault=f"{name}: {os_reason(error)}")
            if not stamp:
                return Shown("", fault=f"{name}: there is no such file")
            made = self._converter.convert(source, _title(source, self.shelf), stamp, is_wanted)
            knew_all = made.fault or self._beside.get(source, ()) == made.beside
            if not made.fault:
                self._beside[source] = made.beside
            if self.stamp(key) == stamp and knew_all:
                return Shown(stamp, made.data, of_page(made.fault.replace(source, name)))
            if time.monotonic() > end:
                return Shown(stamp, fault=f"{name}: is being written")

    def _settled(self, source: str, end: float, is_wanted: Callable[[], bool]) -> str:
        """Return the stamp of a file once it rests; what was known already is not waited for."""
        stamp = stamp_of(source, self._beside.get(source, ()))
        if time.time() - _newest(source) > 2 * SETTLE_SECONDS or self._converter.kept(source, stamp):
            return stamp
        while time.monotonic() < end:
            if not is_wanted():
                raise NotWanted
            time.sleep(SETTLE_SECONDS)
            before, stamp = stamp, stamp_of(source, self._beside.get(source, ()))
            if before == stamp:
                break
        return stamp

    def drop(self, path: Path, name: str, is_wanted: Callable[[], bool]) -> tuple[str, Converted]:
        """Convert a file that was dropped, and return its key with what became of it."""
        made = self._converter.convert(str(path), Path(name).stem, None, is_wanted)
        if made.fault:
            return "", Converted(fault=of_dropped(made.fault).replace(str(path), printable(name)))
        with self._lock:
            self._drop_count += 1
            key = f"{DROPPED}{self._drop_count}"
            self._dropped[key] = (printable(name), made.data)
            while len(self._dropped) > 1 and (
                len(self._dropped) > MOST_DROPPED
                or sum(len(data) for _, data in self._dropped.values()) > MOST_DROPPED_BYTES
            ):
                self._dropped.popitem(last=False)
        return key, made


def _title(source: str, shelf: Shelf) -> str:
    return shelf.title if shelf.is_sample else Path(source).stem


def _newest(source: str) -> float:
    """Return when a file was written last, in seconds; 0 for a sample or a missing file."""
    try:
        return Path(source).stat().st_mtime
    except OSError:
        return 0.0
