# SPDX-License-Identifier: MIT
"""Bundles of files, made by one child process and kept while there is room."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lissom._jobs.guard import Guard, WorkerDied
from lissom._viewer.bundle_work import BundleWork

__all__ = ["Converted", "Converter", "NotWanted"]

CONVERSION_SECONDS = 120.0
"""Longest that one file may take to be converted."""

MOST_KEPT = 256 << 20
"""Bytes of bundles that are kept."""

GRACE_SECONDS = 5.0
"""How long a file that nobody waits for may go on, for it is kept: to start another child takes as long."""

LOOK_SECONDS = 0.05
"""How often it is looked whether a file is still wanted."""


class NotWanted(Exception):
    """Nobody waits for a file any more."""


@dataclass(frozen=True)
class Converted:
    """What became of a file: its bundle, or the sentence that says why there is none.

    Attributes
    ----------
    data : bytes
    fault : str
    beside : tuple of str
        Paths of the files that it names.
    """

    data: bytes = b""
    fault: str = ""
    beside: tuple[str, ...] = ()


class Converter:
    """Files become bundles, one at a time, in a process that may break, hang or be told to stop.

    Parameters
    ----------
    folder : Path
        For what the child writes.
    most_seconds : float
        Longest that one file may take.
    clock : callable, optional
        Returns seconds.
    """

    def __init__(
        self,
        folder: Path,
        most_seconds: float = CONVERSION_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder = folder
        self._clock = clock
        self._most_seconds = most_seconds
        self._turn = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], Converted] = OrderedDict()
        self._keeping = threading.Lock()
        self._guard = Guard(None, deterministic=False)
        self._is_closed = False

    def kept(self, source: str, stamp: str) -> Converted | None:
        """Return what became of this state of a file, if it is known."""
        with self._keeping:
            found = self._kept.get((source, stamp))
            if found is not None:
                self._kept.move_to_end((source, stamp))
            return found

    def convert(
        self,
        source: str,
        title: str,
        stamp: str | None,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> Converted:
        """Return what becomes of a file; NotWanted where nobody waits for it any more.

        A stop costs the child, which is started anew for the next file. What has no stamp is not kept.
        """
        while not self._turn.acquire(timeout=LOOK_SECONDS):
            if self._is_closed or not is_wanted():
                raise NotWanted
        try:
            found = None if stamp is None else self.kept(source, stamp)
            if found is None:
                found = self._made(source, title, is_wanted)
                if stamp is not None:
                    self._keep((source, stamp), found)
            return found
        finally:
            self._turn.release()

    def _made(self, source: str, title: str, is_wanted: Callable[[], bool]) -> Converted:
        target = self._folder / "bundle"
        answers: list[Converted] = []

        def work() -> None:
            answers.append(self._answer(BundleWork(source, title), target))

        worker = threading.Thread(target=work, name="lissom-view-convert", daemon=True)
        begin = self._clock()
        worker.start()
        while worker.is_alive():
            worker.join(LOOK_SECONDS)
            seconds = self._clock() - begin
            is_late = seconds > self._most_seconds
            is_unwanted = seconds > GRACE_SECONDS and not is_wanted()
            if worker.is_alive() and (self._is_closed or is_late or is_unwanted):
                self._stop()
                worker.join()
                target.unlink(missing_ok=True)
                if not is_late or self._is_closed:
                    raise NotWanted
                answers[:] = [Converted(fault=f"{source}: takes more than {self._most_seconds:g} s to show")]
        (made,) = answers
        return made

    def _answer(self, work: BundleWork, target: Path) -> Converted:
        try:
            answer = self._guard.do(work, target)
            if "error" in answer:
                return Converted(fault=answer["error"])
            return Converted(target.read_bytes(), beside=tuple(answer["report"]["beside"]))
        except WorkerDied as death:
            return Converted(fault=f"{work.source}: cannot be shown: {death.reason}")
        except OSError as error:
            return Converted(fault=f"{work.source}: cannot be shown: {error}")
        finally:
            with contextlib.suppress(OSError):
                os.unlink(target)

    def _keep(self, key: tuple[str, str], made: Converted) -> None:
        with self._keeping:
            for other in [one for one in self._kept if one[0] == key[0]]:  # older states of the same file
                del self._kept[other]
            self._kept[key] = made
            while len(self._kept) > 1 and sum(len(one.data) for one in self._kept.values()) > MOST_KEPT:
                self._kept.popitem(last=False)

    def _stop(self) -> None:
        """End the child; the next file gets another."""
        self._guard.close()
        self._guard = Guard(None, deterministic=False)

    def close(self) -> None:
        """End the child, also while it works."""
        self._is_closed = True
        self._guard.close()
