# SPDX-License-Identifier: MIT
"""Run programs in processes of their own that import nothing anew: examples of pages, each a second faster.

``ExampleServer`` starts this file as a program. It imports lissom and what examples use beside it, makes the
sample, and forks once per program that it is sent: a line of JSON with the code and the folder to run in.
Its answer is a line with the exit status and what the program wrote.
"""

import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
import types
from pathlib import Path
from typing import NamedTuple


class Run(NamedTuple):
    returncode: int
    output: str


class ExampleServer:
    """A server to run programs by; a context manager."""

    def __enter__(self) -> "ExampleServer":
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._server = subprocess.Popen([sys.executable, "-W", "error", __file__], **pipes)
        return self

    def run(self, code: str, folder: Path) -> Run:
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        print(json.dumps([code, os.fspath(folder)]), file=self._server.stdin, flush=True)
        answer = self._server.stdout.readline()
        assert answer, f"the server has ended with status {self._server.wait()}"
        return Run(*json.loads(answer))

    def __exit__(self, *_: object) -> None:
        self._server.communicate()  # at the end of its input it ends


# Whose modules are attributes here, also of a program that did not import them.
PRELOADED = ("matplotlib", "PIL", "scipy")


def preload() -> None:
    import matplotlib.pyplot  # noqa: F401
    import moderngl  # noqa: F401
    import PIL.Image  # noqa: F401
    import scipy.sparse.linalg
    import scipy.spatial  # noqa: F401

    import lissom

    lissom.samples.humanoid()
    gc.collect()
    gc.freeze()  # else each fork looks through all of it, and copies its pages, when it ends


def execute(code: str, folder: str) -> None:
    """Run the code as ``python -W error -c`` does, for two minutes at most."""
    signal.alarm(120)
    os.chdir(folder)
    sys.argv = ["-c"]
    sys.path[0] = ""
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    exec(compile(code, "<string>", "exec"), main.__dict__)


def fork(code: str, folder: str, output: int) -> int:
    """Return the exit status of a fork that executes the code and writes to the file descriptor `output`."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    try:
        execute(code, folder)
    except SystemExit as end:
        sys.exit(end.code)
    except BaseException as error:
        traceback.print_exception(error.with_traceback(_own(error)))
        sys.exit(1)
    sys.exit(0)


def _own(error: BaseException) -> types.TracebackType | None:
    """Return the traceback without the frames of this file."""
    traceback = error.__traceback__
    while traceback and traceback.tb_frame.f_code.co_filename == __file__:
        traceback = traceback.tb_next
    return traceback


def serve() -> None:
    preload()
    with os.fdopen(os.dup(1), "w") as answers:
        for line in sys.stdin:
            code, folder = json.loads(line)
            with tempfile.TemporaryFile() as output:
                status = fork(code, folder, output.fileno())
                output.seek(0)
                print(json.dumps([status, output.read().decode(errors="replace")]), file=answers, flush=True)


if __name__ == "__main__":
    serve()
