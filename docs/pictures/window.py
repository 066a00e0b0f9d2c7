# SPDX-License-Identifier: MIT
"""The window of docs/examples/window.py, on an X server without a screen."""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests"))

import x_server  # noqa: E402

# The example as it is, with a clock of its own, closed after some frames.
SHOOT = """
import runpy, sys
import numpy as np, moderngl_window
Window = runpy.run_path(sys.argv[1])["Window"]
class Shot(Window):
    vsync, frames = False, 0
    def on_render(self, time, frame_time):
        super().on_render(time, 0.1)
        self.frames += 1
        if self.frames == 5:
            width, height = self.wnd.buffer_size
            pixels = np.frombuffer(self.ctx.screen.read(components=3, alignment=1), np.uint8)
            np.save(sys.argv[2], pixels.reshape(height, width, 3)[::-1])
            self.wnd.close()
moderngl_window.run_window_config(Shot, args=["--window", "pyglet"])
"""


def screenshot() -> NDArray[np.uint8] | None:
    """The picture in the window after five frames; None without an X server."""
    if x_server.MISSING:
        return None
    with tempfile.TemporaryDirectory() as name, x_server.x_server() as environment:
        saved = Path(name) / "picture.npy"
        command = [sys.executable, "-c", SHOOT, str(ROOT / "docs/examples/window.py"), str(saved)]
        subprocess.run(command, env=environment, check=True, capture_output=True, timeout=300)
        return np.load(saved)
