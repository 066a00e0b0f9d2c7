# SPDX-License-Identifier: MIT
"""Pages with three.js and lissom-three: files of this checkout at an address, without network."""

from __future__ import annotations

import base64
import mimetypes
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "packages" / "three"
THREE = ROOT / "tests" / "node" / "node_modules" / "three"
ADDRESS = "http://lissom.test"

needs_three = pytest.mark.skipif(
    not THREE.is_dir(), reason="three.js is not installed: make tests/node/node_modules/.installed"
)

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,"><style>body { margin: 0 }</style>
<script type="importmap">{"imports": {
  "three": "/three/build/three.module.js", "three/addons/": "/three/examples/jsm/",
  "lissom-three": "/package/index.js"
}}</script>
<script type="module">
  import * as THREE from "three";
  import * as lissom from "lissom-three";
  import * as scenes from "/scenes.js";
  Object.assign(self, { THREE, lissom, scenes });
  self.ready = true;
</script></head><body></body></html>
"""
LIBRARIES = {"three": "/three", "babylonjs": "/babylon", "babylonjs-loaders": "/loaders"}
"""Where tabs serve what pages take from a network, by its name there."""
FOLDERS = {"package": PACKAGE, "three": THREE}


class ThreeTab:
    """A tab with three.js, the module and `three_scenes.js`; `errors` is what the console complained of."""

    html = PAGE
    scenes = "three_scenes.js"
    folders = FOLDERS

    def __init__(self, page: Any, files: dict[str, bytes]) -> None:
        self.page = page
        self.files = {
            "": self.html.encode(),
            "scenes.js": (Path(__file__).parent / self.scenes).read_bytes(),
        }
        self.files |= files
        self.errors: list[str] = []
        self.said: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._hear)
        page.route("**/*", self._answer)
        page.goto(f"{ADDRESS}/")
        page.wait_for_function("() => self.ready", timeout=30_000)

    def _hear(self, said: Any) -> None:
        (self.errors if said.type in ("error", "assert", "warning") else self.said).append(said.text)

    def _answer(self, route: Any) -> None:
        path = route.request.url.removeprefix(ADDRESS).lstrip("/").split("?")[0]
        folder, _, rest = path.partition("/")
        file = self.folders[folder] / rest if folder in self.folders else None
        if path in self.files:
            body = self.files[path]
        elif file is not None and file.is_file():
            body = file.read_bytes()
        else:
            route.fulfill(status=404, body=b"")
            return
        kind = mimetypes.guess_type(path)[0] or ("text/html" if path == "" else "application/octet-stream")
        route.fulfill(body=body, content_type=kind)

    def call(self, function: str, *arguments: Any) -> Any:
        """Call a function of `three_scenes.js`."""
        return self.page.evaluate(f"arguments => scenes.{function}(...arguments)", list(arguments))

    def floats(self, function: str, *arguments: Any) -> np.ndarray:
        """Call one that returns a Float32Array as text."""
        return np.frombuffer(base64.b64decode(self.call(function, *arguments)), np.float32)

    def pixels(self, function: str, *arguments: Any) -> np.ndarray:
        """Call one that returns width, height and RGBA from the bottom up; (height, width, 4) uint8."""
        width, height, text = self.call(function, *arguments)
        return np.frombuffer(base64.b64decode(text), np.uint8).reshape(height, width, 4)[::-1]


def served_here(page: str) -> str:
    """Return a page that takes its libraries from this address."""
    return re.sub(r"https://cdn\.jsdelivr\.net/npm/([\w-]+)@[\d.]+", lambda found: LIBRARIES[found[1]], page)
