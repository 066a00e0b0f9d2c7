# SPDX-License-Identifier: MIT
"""An X server without a screen, for windows in tests and in pictures of the docs."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["MISSING", "x_server"]

MISSING = None if shutil.which("Xvfb") else "Xvfb is not installed: apt-get install xvfb"


@contextmanager
def x_server(width: int = 1280, height: int = 800) -> Iterator[dict[str, str]]:
    """Run one, and yield the environment in which windows open there."""
    reader, writer = os.pipe()
    command = ["Xvfb", "-displayfd", str(writer), "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=[writer], stderr=subprocess.DEVNULL) as server:
        os.close(writer)
        try:
            with os.fdopen(reader) as told:  # it chooses a free number, and says so when it is ready
                number = told.readline().strip()
            assert number, "Xvfb did not start"
            yield {**os.environ, "DISPLAY": f":{number}"}
        finally:
            server.terminate()
