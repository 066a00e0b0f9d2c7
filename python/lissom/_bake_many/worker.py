# SPDX-License-Identifier: MIT
"""The child process that bakes, started by `lissom._bake_many.guard`. Whatever kills it costs one job.

It says when it is ready. It reads jobs from its standard input and writes answers to its standard output, one
JSON document a line. It ends at once when its input ends, so that it never outlives whoever started it, and
when it had nothing to do for a while.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from pathlib import Path
from typing import Any, BinaryIO

__all__ = ["main"]

IDLE_SECONDS = 60.0
"""How long it waits for a job. What started it may have forgotten it, and starts another at need."""


def main() -> None:
    """Answer jobs until there are no more."""
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    # Others that print, from Python or C, do so to standard error.
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    threading.Thread(target=_listen, args=(lines,), daemon=True).start()
    from lissom._bake_many import work  # noqa: F401  what ends it before this has nothing to do with a job

    _write(answers, {"ready": True})
    while True:
        try:
            line = lines.get(timeout=IDLE_SECONDS)
        except queue.Empty:
            os._exit(0)
        _write(answers, _answer(json.loads(line), answers))


def _listen(lines: queue.SimpleQueue[bytes]) -> None:
    for line in sys.stdin.buffer:
        lines.put(line)
    # Whoever wanted the answer is gone: no time for tidying up, a job in the midst of it included.
    os._exit(0)


def _answer(request: dict[str, Any], answers: BinaryIO) -> dict[str, Any]:
    from lissom._bake_many import work
    from lissom._bake_many.job import BakeJob

    def progress(done: int, total: int, clip: str) -> None:
        _write(answers, {"progress": [done, total, clip]})

    job = BakeJob(**request["job"])
    try:
        if request["folder"] is not None:
            os.chdir(request["folder"])
        return {"report": work.bake_to(job, Path(request["target"]), progress)}
    except Exception as error:
        message, may_help = work.fault(error, job.source)
        return {"error": message, "may_help": may_help}


def _write(answers: BinaryIO, value: dict[str, Any]) -> None:
    data = json.dumps(value).encode() + b"\n"
    while data:
        data = data[answers.write(data) :]
