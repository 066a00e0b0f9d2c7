# SPDX-License-Identifier: MIT
"""The work of ``lissom view``: a viewer until Ctrl-C."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from types import FrameType

from lissom._viewer.viewer import view as start

__all__ = ["view"]


def view(source: str, port: int = 0, is_opened: bool = True) -> None:
    """Show files until the command is interrupted or told to end."""
    ended = threading.Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        ended.set()

    viewer = start(source, port=port, browser=False)
    with contextlib.ExitStack() as stack:
        stack.callback(viewer.close)
        for number in _endings():
            with contextlib.suppress(ValueError):  # not the main thread
                stack.callback(signal.signal, number, signal.signal(number, end))
        print(viewer.url, flush=True)
        _say("shows it at this address, which is as secret as the files; Ctrl-C ends it")
        if is_opened and not viewer.open():
            _say("no browser could be started: open the address in one")
        while not ended.wait(0.5):  # on Windows an event alone is not interrupted
            pass


def _endings() -> list[signal.Signals]:
    """Return the signals that end a viewer: its terminal may be closed, too, unless `nohup` began it."""
    found = [signal.SIGINT, signal.SIGTERM]
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        found.append(signal.SIGHUP)
    return found


def _say(sentence: str) -> None:
    """Write one sentence to stderr, without `output`, whose imports the first picture would wait for."""
    sys.stderr.write(f"lissom: {sentence}\n")
