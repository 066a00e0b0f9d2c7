# SPDX-License-Identifier: MIT
"""Pages of exports as a reader sees them: in Chromium on software OpenGL, with the libraries of the tests."""

import io
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import sync_playwright

import browser
import lissom

NODE = Path(__file__).resolve().parents[2] / "tests" / "node" / "node_modules"
ADDRESS = "http://lissom.example/"
SAME = "let s = 7; Math.random = () => (s = (s * 16807) % 2147483647) / 2147483647;"
KINDS = {".html": "text/html", ".js": "text/javascript"}
LIBRARIES = re.compile(rb"https://cdn\.jsdelivr\.net/npm/([\w-]+)@[\d.]+")


def crowd(form: str, width: int, height: int, **options: Any) -> NDArray[np.uint8]:
    """Draw what the page of an export shows of the humanoid's walk, run and wave."""
    hero = lissom.samples.humanoid()
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        folder = Path(temporary) / "hero"
        lissom.bake(hero, ["walk", "run", "wave"]).export(form, folder, **options)

        def answer(route: Any) -> None:
            name = route.request.url.removeprefix(ADDRESS)
            library = NODE / name
            data = (library if library.is_file() else folder / name).read_bytes()
            if name == "index.html":
                data = LIBRARIES.sub(rb"/\1", data)
            route.fulfill(body=data, content_type=KINDS.get(Path(name).suffix, "application/octet-stream"))

        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=[*browser.CHROMIUM, *browser.LLVMPIPE]
        )
        page = chromium.new_page(viewport={"width": width, "height": height})
        page.add_init_script(SAME)
        page.route("**/*", answer)
        page.goto(f"{ADDRESS}index.html")
        page.wait_for_function("() => /frames a second/.test(document.body.innerText)", timeout=120_000)
        page.evaluate("document.querySelector('#panel').remove()")
        data = page.screenshot(timeout=120_000)
        chromium.close()
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
