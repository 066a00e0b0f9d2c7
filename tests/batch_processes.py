# SPDX-License-Identifier: MIT
"""Runs of ``lissom bake``, or another command, in processes that never outlive the test that started them."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

MARK = "LISSOM_TEST_RUN"  # a variable that children inherit: it says whose they are
LONGEST_SECONDS = 60.0  # that a test waits for anything: far more than a machine with other work needs


@contextlib.contextmanager
def started(folder: Path, output: Path, *command: object) -> Iterator[subprocess.Popen]:
    """Bake a folder, or run a command of lissom, in a process of its own.

    It and its children are killed on the way out, if need be.
    """
    words = [*map(str, command or ("bake", folder)), "-o", output, "-j", "2"]
    environment = {**os.environ, MARK: str(output)}
    run = subprocess.Popen(
        [sys.executable, "-m", "lissom", *words],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield run
    finally:
        run.kill()
        for process in processes(output):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        # Nobody holds the other ends of its pipes any more, so that this cannot wait for ever.
        run.communicate(timeout=LONGEST_SECONDS)


def baked(folder: Path, output: Path) -> tuple[int, str]:
    """Bake a folder in a process of its own; give its exit code and what it said."""
    with started(folder, output) as run:
        said, _ = run.communicate(timeout=LONGEST_SECONDS)
        return run.returncode, said.decode()


def processes(output: Path) -> set[int]:
    """Numbers of the processes, driver and children, of the runs that write to a folder."""
    mark = f"{MARK}={output}".encode()
    found = set()
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark in path.read_bytes().split(b"\0"):
                found.add(int(path.parent.name))
    return found


def wait_until(is_so: Callable[[], bool], what: str, seconds: float = LONGEST_SECONDS) -> float:
    """Wait for something, and give the seconds it took; AssertionError where it does not come."""
    before = time.monotonic()
    while not is_so():
        assert time.monotonic() - before < seconds, f"{what}: not within {seconds:g} s"
        time.sleep(0.001)  # leaves the core to what is waited for
    return time.monotonic() - before
