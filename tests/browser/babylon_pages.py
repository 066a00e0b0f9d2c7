# SPDX-License-Identifier: MIT
"""Pages with Babylon.js: files of this checkout at an address, without network."""

from __future__ import annotations

from typing import Any

import pytest

from browser.three_pages import ROOT, ThreeTab
from lissom._export.modules import modules_of

PACKAGE = ROOT / "packages" / "babylon"
MODULES = ROOT / "tests" / "node" / "node_modules"
FOLDERS = {"babylon": MODULES / "babylonjs", "loaders": MODULES / "babylonjs-loaders"}

needs_babylon = pytest.mark.skipif(
    not all(folder.is_dir() for folder in FOLDERS.values()),
    reason="Babylon.js is not installed: make tests/node/node_modules/.installed",
)

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,"><style>body { margin: 0 }</style>
<script src="/babylon/babylon.js"></script>
<script src="/loaders/babylonjs.loaders.min.js"></script>
<script type="importmap">{"imports": {
  "@babylonjs/core": "/package/global.js", "lissom-babylon": "/package/index.js"
}}</script>
<script type="module">
  import * as lissom from "lissom-babylon";
  import * as scenes from "/scenes.js";
  Object.assign(self, { lissom, scenes });
  self.ready = true;
</script></head><body></body></html>
"""


class BabylonTab(ThreeTab):
    """A tab with Babylon.js, the module and `babylon_scenes.js`."""

    html = PAGE
    scenes = "babylon_scenes.js"
    folders = FOLDERS

    def __init__(self, page: Any, files: dict[str, bytes]) -> None:
        modules = {f"package/{name}": text.encode() for name, text in modules_of("babylon").items()}
        super().__init__(page, modules | files)
