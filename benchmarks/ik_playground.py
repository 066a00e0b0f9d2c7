# SPDX-License-Identifier: MIT
"""How long does a drag take to its picture, in JupyterLab, by way of the kernel?

From the event in the page to the picture with the new pose: the message to the kernel, the solve of a chain
of 6 joints with limits, palettes and overlay, the message back, the drawing, and a pixel read back, so that
nothing of it is still to come. Page and kernel are on one machine: their messages take the line between them.
Fewer drags are timed without it, when messages go through Jupyter's server, as from another machine. Where no
GPU draws, drafts are drawn while a target is held, for users as for this. Steps are so far apart that the
page has composed the picture before. Asserted: the kernel's target is where the mouse let go, and the
effector meets it. Bars at the median, on a quiet machine: 25 ms, of which 12 ms there and back.
"""

from __future__ import annotations

import ast
import json
import shutil
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from _bench import Bench

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

BAR = 25.0  # milliseconds, to the picture
BAR_THERE_AND_BACK = 12.0  # milliseconds of it, without the drawing
MOVES = 150
MOVES_THROUGH_SERVER = 50
PAUSE = 50  # milliseconds
CELL = """\
import json

import numpy as np

import lissom
from lissom import ik

hero = lissom.samples.humanoid()
limits = {"UpperArm.L": ik.BallSocket(1.8), "LowerArm.L": ik.Hinge.from_rest(0.0, 2.5, zero="straight")}
limits |= {joint: ik.BallSocket(0.35) for joint in ("Chest", "UpperChest", "Clavicle.L")}
arm = ik.Chain(hero.skeleton, "Chest", "Hand.L", limits=limits)
playground = ik.Playground(hero, arm, height=360)
playground"""
STATE = """json.dumps([
    playground.targets.tolist(), float(playground.result.residual), arm.length, len(arm.joints)
])"""
WITHOUT_LINE = """() => {
  const { playground } = document.querySelector(".lissom-playground");
  playground.line.close();
  playground.line = null;
}"""
Floats = NDArray[np.float64]
ARGUMENTS = ["--no-sandbox", "--disable-background-networking", "--use-gl=angle", "--use-angle=gl-egl"]


def main(bench: Bench) -> None:
    kernel(bench)
    missing = [name for name in ("playwright", "jupyterlab", "anywidget") if find_spec(name) is None]
    chromium = shutil.which("chromium")
    if missing or chromium is None:
        need = f"{', '.join(missing)}: uv pip install --group browser" if missing else "the system's chromium"
        bench.note(f"drags were not measured: they need {need}")
        return
    from playwright.sync_api import sync_playwright

    from browser.jupyter_lab import jupyter_lab, open_notebook, write_notebook

    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name, "notebooks")
        folder.mkdir()
        write_notebook(folder / "playground.ipynb", CELL)
        with jupyter_lab(folder, Path(name, "home")) as address:
            browser = playwright.chromium.launch(
                executable_path=chromium, args=[*ARGUMENTS, "--ignore-gpu-blocklist"]
            )
            page = browser.new_page(viewport={"width": 1200, "height": 900})
            page.set_default_timeout(120_000)
            open_notebook(page, address, "playground.ipynb")
            page.evaluate("window.jupyterapp.commands.execute('notebook:run-all-cells')")
            page.wait_for_function("document.querySelector('.lissom-playground')?.playground.frames >= 1")
            renderer = page.evaluate(
                "document.querySelector('.lissom-playground').playground.player.info.renderer"
            )
            bench.note(f"Chromium with {renderer}", "drags in JupyterLab")
            watch(page)
            tell(bench, "drags in JupyterLab", *drags(page, MOVES), bars=True)
            page.evaluate(WITHOUT_LINE)
            tell(bench, "drags in JupyterLab, through its server", *drags(page, MOVES_THROUGH_SERVER))
            browser.close()


def kernel(bench: Bench) -> None:
    """Time what of it is the kernel's work, without any messages."""
    from lissom._playground.widget import Frames

    names: dict[str, Any] = {}
    exec(CELL, names)
    playground = names["playground"]
    frames = Frames(playground)
    target = playground.targets + np.array([0.0, 0.1, 0.1])
    playground.solve(target)
    assert bool(playground.result.reached)
    bench.table(
        "in the kernel, 6 joints",
        {
            "lissom, a solve": lambda: playground.solve(target),
            "lissom, palettes, overlay and words": frames.message,
        },
    )


def watch(page: Any) -> None:
    """Have the page keep, beside each delay, how long its drawing took: pictures come before late answers."""
    page.evaluate(
        """() => {
          const { playground } = document.querySelector(".lissom-playground");
          const gl = document.querySelector(".lissom-playground canvas").getContext("webgl2");
          const draw = playground.player.draw;
          const pixel = new Uint8Array(4);
          let drawing = 0;
          playground.player.draw = (options) => {
            const since = performance.now();
            draw(options);
            gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
            drawing = performance.now() - since;
          };
          window.draws = [];
          playground.delays.push = (delay) => {
            window.draws.push(drawing);
            return Array.prototype.push.call(playground.delays, delay);
          };
        }"""
    )


def drags(page: Any, moves: int) -> tuple[Floats, Floats]:
    """Drag the hand about, step after step that is drawn; return milliseconds of all and of drawing."""
    from browser.dragging import camera_of, pixel_of
    from browser.jupyter_lab import ask_kernel

    page.evaluate(
        "document.querySelector('.lissom-playground').playground.delays.length = window.draws.length = 0"
    )
    targets, _, length, count = json.loads(ast.literal_eval(ask_kernel(page, STATE)))
    assert count == 6
    camera, box = camera_of(page)
    start = pixel_of(targets, camera, box)
    page.mouse.move(*start)
    page.mouse.down()
    for step in range(1, moves + 1):
        angle = 2 * np.pi * step / 50
        place = start + 25 * np.array([np.cos(angle) - 1, -1.2 + np.sin(angle)])
        page.mouse.move(*place)
        # Not at each frame of the page, which would have it composed all the time.
        page.wait_for_function("!document.querySelector('.lissom-playground').playground.asked()", polling=10)
        page.wait_for_timeout(PAUSE)
    page.mouse.up()
    page.wait_for_function("!document.querySelector('.lissom-playground').playground.asked()")
    targets, residual, length, _ = json.loads(ast.literal_eval(ask_kernel(page, STATE)))
    np.testing.assert_allclose(pixel_of(targets, camera, box), place, atol=2)
    assert residual < 1e-3 * length
    delays, draws = page.evaluate(
        "[document.querySelector('.lissom-playground').playground.delays, window.draws]"
    )
    assert len(delays) == len(draws) >= moves // 2
    return np.array(delays), np.array(draws)


def tell(bench: Bench, title: str, whole: Floats, drawing: Floats, bars: bool = False) -> None:
    """Add what drags took to the record."""
    samples = {
        "lissom, all": whole,
        "lissom, there and back, without drawing": whole - drawing,
        "lissom, drawing": drawing,
    }
    table = bench.add_samples(title, {name: 1e-3 * times for name, times in samples.items()}, 1, "drag")
    bench.note(f"{len(whole)} of them", title)
    for name, times in samples.items():
        least, most = np.percentile(times, [5, 95])
        bench.note(f"{name}: {least:.1f} to {most:.1f} ms in 5 to 95 % of them", title)
    if bars:
        table.judge("lissom, all", BAR, 1e3, "ms")
        table.judge("lissom, there and back, without drawing", BAR_THERE_AND_BACK, 1e3, "ms")


if __name__ == "__main__":
    Bench(__file__, __doc__).run(main)
