# SPDX-License-Identifier: MIT
"""How long does it take from `lissom view` to the first picture in the browser?

From the start of the command's process to the first picture that Chromium, which is running already, has
drawn of the page: Python's start, imports, the server, the child process that loads and bakes the file, the
page and its shaders. Beside it, in the same turns, what the same takes without a viewer: `lissom show`, and
opening the page that it wrote. Asserted: the picture shows the file, without an error. And what leafing
costs: from the key to the picture of the next file, which was read ahead. And the child process: what it
takes to have one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from _bench import Bench

ROOT = Path(__file__).parent.parent
HEAVY = ROOT.parent / "shared" / "assets" / "characters" / "kaykit" / "Knight.glb"
FOLDER = HEAVY.parent
ARGUMENTS = ["--no-sandbox", "--disable-background-networking", "--use-gl=angle", "--use-angle=gl-egl"]
LISSOM = [sys.executable, "-m", "lissom"]

# When the first picture of a page was drawn, in seconds since 1970.
DRAWN = "() => self.player?.info.pictures > 0 && (performance.timeOrigin + performance.now()) / 1000"


def main(bench: Bench) -> None:
    chromium = shutil.which("chromium")
    if find_spec("playwright") is None or chromium is None:
        bench.skip("nothing was measured: it needs Chromium, and uv pip install --group browser")
    from playwright.sync_api import sync_playwright

    usual = ["humanoid", *([str(HEAVY)] if HEAVY.is_file() else [])]
    rounds = 2 if bench.quick else min(bench.options.rounds, 9)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=[*ARGUMENTS, "--ignore-gpu-blocklist"]
        )
        for file in bench.options.files or usual:
            first_pictures(bench, browser, file, Path(name), rounds)
        if FOLDER.is_dir():
            leafing(bench, browser, 3 if bench.quick else 12)
        browser.close()
    child(bench, rounds)


def first_pictures(bench: Bench, browser: Any, file: str, folder: Path, rounds: int) -> None:
    """Time the command and its rival by turns."""
    views, addresses, shows = [], [], []
    for _ in range(rounds):
        since = time.time()
        command = subprocess.Popen(
            [*LISSOM, "view", file],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=os.environ | {"BROWSER": "true"},  # which opens nothing: the page is opened here
        )
        assert command.stdout is not None
        url = command.stdout.readline().strip()
        addresses.append(time.time() - since)
        views.append(drawn(browser, url) - since)
        command.terminate()
        assert command.wait(timeout=60) == 0
        command.stdout.close()

        page = folder / "page.html"
        since = time.time()
        subprocess.run([*LISSOM, "show", file, "-o", str(page)], check=True, capture_output=True)
        shows.append(drawn(browser, page.as_uri()) - since)
    samples = {
        "lissom view, to the first picture": np.array(views),
        "lissom view, of it to the address": np.array(addresses),
        "lissom show, then its page": np.array(shows),
    }
    table = bench.add_samples(f"{Path(file).stem}, in a browser that runs", samples, 1, "start")
    for name, times in samples.items():
        bench.note(f"{name}: {times.min():.2f} to {times.max():.2f} s", table.title)


def drawn(browser: Any, url: str) -> float:
    """Return when a page had drawn its first picture."""
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.goto(url, wait_until="commit")
    moment = float(page.wait_for_function(DRAWN, polling=5, timeout=120_000).json_value())
    assert page.evaluate("player.info.error") is None
    page.close()
    return moment


def leafing(bench: Bench, browser: Any, count: int) -> None:
    """Time the key that shows the next file, a second after the one before was shown."""
    import lissom

    seconds = []
    with lissom.view(FOLDER, browser=False) as viewer:
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(viewer.url)
        page.wait_for_function("() => self.player", timeout=120_000)
        for _ in range(count):
            page.wait_for_timeout(1000)  # in which it is read ahead, as while somebody looks
            took = page.evaluate(
                """async () => {
                  const [before, since] = [player, performance.now()];
                  document.querySelector("[title^=Next]").click();
                  while (player === before) await new Promise(requestAnimationFrame);
                  return performance.now() - since;
                }"""
            )
            seconds.append(1e-3 * took)
        page.close()
    bench.add_samples("leafing through 8 files of KayKit", {"lissom, to the next file": seconds}, 1, "key")


def child(bench: Bench, rounds: int) -> None:
    """Time the process that reads files of strangers: to start one, and to have one that runs."""
    from lissom._viewer.converter import Converter

    starts: list[float] = []
    asks: list[float] = []
    with tempfile.TemporaryDirectory() as name:
        for _ in range(rounds):
            converter = Converter(Path(name))
            for times in (starts, asks):
                since = time.perf_counter()
                assert converter.convert("sample:two_bone_tube", "tube", None).data
                times.append(time.perf_counter() - since)
            converter.close()
    samples = {"lissom, the first file": starts, "lissom, the next": asks}
    bench.add_samples("the child process, two_bone_tube", samples, 1, "file")


if __name__ == "__main__":
    bench = Bench(__file__, __doc__)
    bench.argument("files", nargs="*", help="files instead of the humanoid and a knight of 76 clips")
    bench.run(main)
