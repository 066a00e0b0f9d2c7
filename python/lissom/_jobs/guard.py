# SPDX-License-Identifier: MIT
"""Child processes that do jobs, so that native code which crashes costs one job.

A guard belongs to one thread. Its child is started at its first job, and again after each death.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from lissom._formats.atomic import sweep_folder

__all__ = ["Guard", "WorkerDied", "guard_of_this_thread"]

ENDED_FROM_OUTSIDE = ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGXCPU")
"""Signals from outside: a scheduler, a person, the kernel when memory runs out. Others are crashes."""

WINDOWS_FAULTS = {
    0xC0000005: "access violation",
    0xC00000FD: "stack overflow",
    0xC0000409: "abort",
    0xC000001D: "illegal instruction",
    0xC0000094: "division by zero",
}

START = """
import json, sys
first, others = json.loads(sys.argv[2])
if first not in sys.path:
    sys.path.insert(0, first)
sys.path += [path for path in others if path not in sys.path]
from lissom._jobs.worker import main
main()
"""
"""Program of a child. It imports lissom from the folder of its parent, even if that was put into ``sys.path``
at run time, and other modules from its own ``sys.path`` first, then from that of its parent."""

Progress = Callable[[int, int, str], None]


class Errand(Protocol):
    """What a child can do: a `Job`, or any object of plain values whose class it can import."""

    @property
    def source(self) -> str:
        """Begins messages."""

    def _work(self, target: Path, progress: Progress | None = None) -> dict[str, Any] | None: ...


class WorkerDied(Exception):
    """The end of a child during a job.

    Attributes
    ----------
    reason : str
        ``"crash: SIGSEGV"``, ``"killed: SIGKILL"``, or ``"the worker did not start: exit code 1"``.
    may_help : bool
        Whether another try may help: it was ended from outside, or never started the job.
    """

    def __init__(self, code: int, had_started: bool = True) -> None:
        name = _code_name(code)
        self.may_help = name in ENDED_FROM_OUTSIDE or not had_started
        kind = "killed" if name in ENDED_FROM_OUTSIDE else "crash"
        self.reason = f"{kind if had_started else 'the worker did not start'}: {name}"
        super().__init__(self.reason)


class Guard:
    """One child process.

    Parameters
    ----------
    threads : int, optional
        Number of threads of its kernels; the number of cores when None.
    deterministic : bool
        See `lissom.set_deterministic`.
    """

    def __init__(self, threads: int | None, deterministic: bool) -> None:
        self.settings = (threads, deterministic)
        self._child: subprocess.Popen[bytes] | None = None
        self._is_ready = False  # the child has imported all modules
        self._is_closed = False  # by another thread than the one that calls `do`

    def do(self, job: Errand, target: Path, progress: Progress | None = None) -> dict[str, Any]:
        """Have the child do a job, and return its answer. WorkerDied where it ends without one."""
        request = {
            "class": [type(job).__module__, type(job).__name__],
            "job": job.__dict__,
            "target": os.fspath(target),
            "folder": _current_folder(),
        }
        text = json.dumps(request).encode() + b"\n"
        try:
            for is_last in (False, True):
                child = self._running()
                assert child.stdin is not None
                assert child.stdout is not None
                with contextlib.suppress(OSError):  # it has ended: there will be no answer below
                    child.stdin.write(text)
                    child.stdin.flush()
                for line in child.stdout:
                    answer: dict[str, Any] = json.loads(line)
                    if "ready" in answer:
                        self._is_ready = True
                    elif "progress" not in answer:
                        return answer
                    elif progress is not None:
                        progress(*answer["progress"])
                code = self._end()
                # An idle child ends by itself with code 0: perhaps just before it got this job. What ends one
                # before it is ready is not the job.
                if is_last or self._is_closed or (code != 0 and self._is_ready):
                    break
            sweep_folder(target.parent)
            raise WorkerDied(code, self._is_ready)
        except WorkerDied:
            raise
        except BaseException:  # Ctrl-C, or an error of `progress`: the next job would read this answer
            self._kill()
            self._end()
            sweep_folder(target.parent)
            raise

    def close(self) -> None:
        """End the child, also during a job; `do` is not called again."""
        self._is_closed = True
        self._kill()

    def __del__(self) -> None:
        self._kill()
        self._end()

    def _kill(self) -> None:
        child = self._child
        if child is not None:
            child.kill()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is not None and self._child.poll() is not None:
            self._end()
        if self._child is None:
            self._is_ready = False
            self._child = _start(*self.settings)
        if self._is_closed:  # perhaps before this child was started
            self._child.kill()
        return self._child

    def _end(self) -> int:
        """Wait for a child that is ending, and return its exit code."""
        child, self._child = self._child, None
        if child is None:
            return 0
        code = child.wait()
        for pipe in (child.stdin, child.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):  # what could not be written is not needed
                pipe.close()
        return code


_guards = threading.local()


def guard_of_this_thread(threads: int | None, deterministic: bool) -> Guard:
    """Return the guard of the calling thread, which ends with the thread."""
    guard: Guard | None = getattr(_guards, "guard", None)
    if guard is None or guard.settings != (threads, deterministic):
        guard = _guards.guard = Guard(threads, deterministic)
    return guard


def _start(threads: int | None, deterministic: bool) -> subprocess.Popen[bytes]:
    environment = dict(os.environ)
    environment["LISSOM_DETERMINISTIC"] = "1" if deterministic else "0"
    # Threads of NumPy's libraries: another number of them may sum in another order.
    environment.update(OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1", OMP_NUM_THREADS="1")
    if threads is not None:
        environment["LISSOM_THREADS"] = str(threads)
    # In a process group of its own: Ctrl-C reaches the parent alone, which then ends the child.
    own_group: dict[str, Any] = {"process_group": 0}
    if sys.platform == "win32":
        own_group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    flags = sys.flags
    inherited = {"-E": flags.ignore_environment, "-s": flags.no_user_site, "-S": flags.no_site}
    folders = [os.path.dirname(_package()), [os.path.abspath(path) for path in sys.path if path]]
    return subprocess.Popen(
        [
            sys.executable,
            "-P",  # no modules of the current folder
            *(flag for flag, is_set in inherited.items() if is_set),
            "-c",
            START,
            "lissom._jobs.worker",  # shown in lists of processes
            json.dumps(folders),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        **own_group,
    )


def _current_folder() -> str | None:
    """Return the current folder, which may have changed since the child started; None if it was removed."""
    try:
        return os.getcwd()
    except OSError:
        return None


def _package() -> str:
    """Return the folder of the package."""
    import lissom

    return os.path.dirname(os.path.abspath(lissom.__file__))


def _code_name(code: int) -> str:
    if code < 0:
        with contextlib.suppress(ValueError):
            return signal.Signals(-code).name
        return f"signal {-code}"
    fault = WINDOWS_FAULTS.get(code)
    return f"exit code {code}" if fault is None else f"{fault} (0x{code:X})"
