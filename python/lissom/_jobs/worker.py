# SPDX-License-Identifier: MIT
"""The child process that does jobs, started by `lissom._jobs.guard`. Its death costs one job.

It first reports that it is ready. It reads jobs from its standard input and writes answers to its standard
output, one JSON document a line. It ends at once when its input ends, so that it never outlives its parent,
and when it has been idle for a while.
"""

from __future__ import annotations

import importlib
import json
import os
import queue
import sys
import threading
from pathlib import Path
from typing import Any, BinaryIO

__all__ = ["main"]

IDLE_SECONDS = 60.0
"""Longest wait for a job. A parent that still needs a child starts another."""


def main() -> None:
    """Answer jobs until there are no more."""
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    # Other output, from Python or C, goes to standard error.
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    threading.Thread(target=_listen, args=(lines,), daemon=True).start()
    from lissom._jobs import faults  # noqa: F401  a death before this is not due to a job

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
    # The parent is gone: end without cleaning up, also during a job.
    os._exit(0)


def _answer(request: dict[str, Any], answers: BinaryIO) -> dict[str, Any]:
    from lissom._jobs.faults import fault, passes
    from lissom._jobs.job import Job

    def progress(done: int, total: int, clip: str) -> None:
        _write(answers, {"progress": [done, total, clip]})

    module, name = request["class"]
    job: Job = getattr(importlib.import_module(module), name)(**request["job"])
    try:
        if request["folder"] is not None:
            os.chdir(request["folder"])
        return {"report": job._work(Path(request["target"]), progress)}
    except Exception as error:
        message, may_help = fault(error, job)
        return {"error": message, "may_help": may_help, "passes": passes(error)}


def _write(answers: BinaryIO, value: dict[str, Any]) -> None:
    data = json.dumps(value).encode() + b"\n"
    while data:
        data = data[answers.write(data) :]
