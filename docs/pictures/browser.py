# SPDX-License-Identifier: MIT
"""The player as a reader sees it: a page in Chromium, on software OpenGL, the same picture everywhere."""

import io
import shutil
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import sync_playwright

import lissom

CHROMIUM = ("--no-sandbox", "--disable-background-networking", "--ignore-gpu-blocklist")
LLVMPIPE = ("--use-gl=angle", "--use-angle=gl-egl")


def side_by_side(width: int, height: int) -> NDArray[np.uint8]:
    """Draw a wave, both methods and their difference, with the controls below."""
    hero = lissom.samples.humanoid()
    camera = {"target": [0.02, 0.92, 0.0], "distance": 4.2, "azimuth": -28.0, "elevation": 8.0}
    state = {"clip": "wave", "time": 0.8, "playing": False, "method": "side_by_side", "camera": camera}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "hero.html"
        hero.show(**state).save(page_file)
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=[*CHROMIUM, *LLVMPIPE]
        )
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto(page_file.as_uri())
        page.wait_for_function("window.player && player.info.pictures > 0")
        data = page.screenshot()
        browser.close()
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
