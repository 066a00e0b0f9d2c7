# SPDX-License-Identifier: MIT
"""What a page is told of its file while it shows it: server-sent events."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO

from lissom._viewer.shelf import Refused

if TYPE_CHECKING:
    from io import BufferedIOBase

    from lissom._viewer.desk import Desk

__all__ = ["tell_changes"]

LOOK_SECONDS = 0.15
"""How often a file is looked at; it is told when it was the same twice."""

LIST_SECONDS = 2.0
"""How often a folder is searched, at least 20 times as long as the search takes."""

ALIVE_SECONDS = 10.0

BRIEF_LOOKS = 2
"""How often a file is looked at for a page that asks again by itself."""


def tell_changes(
    out: BinaryIO | BufferedIOBase,
    desk: Desk,
    key: str,
    shown: str,
    stopping: threading.Event,
    is_wanted: Callable[[], bool],
    *,
    is_brief: bool = False,
) -> None:
    """Write events until the page goes or the server stops.

    A brief answer ends after a moment, with the event ``again``; the list is the page's to ask for then.
    Without a key it is told of the list alone.

    Events are ``writing`` and ``gone``, ``changed`` with the new stamp once a file rests, ``same`` when it is
    what the page shows after all, ``files`` when the list is another.
    """

    def tell(event: str, data: str = "") -> None:
        out.write(f"event: {event}\ndata: {data}\n\n".encode())
        out.flush()

    listing = None if is_brief else desk.listing()
    tell("watching")  # what comes from now on is told
    told, before, looks = "" if is_brief else "same", shown, 0
    now = time.monotonic()
    next_list, next_sign = now + LIST_SECONDS, now + ALIVE_SECONDS
    while not stopping.wait(LOOK_SECONDS) and is_wanted():
        try:
            stamp = desk.stamp(key) if key else shown
        except Refused:  # it has become a link that leads out
            stamp = ""
        if stamp == shown:
            event = "same"
        elif not stamp:
            event = "gone"
        else:
            event = "changed" if stamp == before else "writing"
        before = stamp
        if event == "changed":
            shown, told = stamp, "same"
            tell(event, stamp)
        elif event != told:
            told = event
            tell(event)
        looks += 1
        if is_brief and looks == BRIEF_LOOKS:
            tell("again")
            return
        now = time.monotonic()
        if listing is not None and now >= next_list:
            found = desk.listing()
            if found != listing:
                listing = found
                tell("files")
            next_list = time.monotonic() + max(LIST_SECONDS, 20 * (time.monotonic() - now))
        if now >= next_sign:
            next_sign = now + ALIVE_SECONDS
            out.write(b": here\n\n")
            out.flush()
