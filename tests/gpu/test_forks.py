# SPDX-License-Identifier: MIT
"""Children of fork(): what drew before cannot draw there, and says so instead of waiting for ever."""

import os
import signal

import pytest

import lissom

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")


def test_drawing_in_a_forked_child_is_refused() -> None:
    bar = lissom.samples.twisted_bar()
    lissom.render(bar, width=32, height=24)
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        try:
            lissom.render(bar, width=32, height=24)
        except lissom.GpuError as error:
            os.write(write_end, str(error).encode())
        finally:
            os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end) as said:
        text = said.read()
    assert os.waitpid(child, 0)[1] == 0
    assert text.startswith("this OpenGL context was made before the process was forked")
    assert lissom.render(bar, width=32, height=24).array.any()  # the parent goes on
