# SPDX-License-Identifier: MIT
"""Chromium for the tests, once per way of drawing, and tabs that fail on whatever the console says."""

import base64
import json
import shutil
from functools import lru_cache

import numpy as np
import pytest

import lissom
from lissom._rig.part import Texture
from lissom.gpu import Stage
from lissom.player._page import page as whole_page

# How Chromium is told, and what its renderer then calls itself. Neither needs a GPU.
RENDERERS = {
    "SwiftShader": [],
    "llvmpipe": ["--use-gl=angle", "--use-angle=gl-egl", "--ignore-gpu-blocklist"],
}
ARGUMENTS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
]
SIZE = (320, 240)
VIEWPORT = {"width": 900, "height": 700}
MILLISECONDS = 30_000  # until a page has started, on a machine that does other things

each_renderer = pytest.mark.parametrize("renderer", RENDERERS, indirect=True)


@pytest.fixture(scope="session")
def launch():
    """A function that starts Chromium with arguments, one for each set of them in a session."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    with playwright.sync_playwright() as started:
        running = {}

        def browser(*arguments):
            if arguments not in running:
                running[arguments] = started.chromium.launch(
                    executable_path=path, args=[*ARGUMENTS, *arguments]
                )
            return running[arguments]

        yield browser
        for one in running.values():
            one.close()


@pytest.fixture(scope="session")
def renderer(request):
    """What Chromium draws with: llvmpipe, the quicker, unless a test asks for another."""
    return getattr(request, "param", "llvmpipe")


@pytest.fixture(scope="session")
def browser(launch, renderer):
    """Chromium, seen to draw with what it should."""
    chromium = launch(*RENDERERS[renderer])
    tab = chromium.new_page()
    found = tab.evaluate(
        "() => { const gl = document.createElement('canvas').getContext('webgl2');"
        "const names = gl?.getExtension('WEBGL_debug_renderer_info');"
        "return gl ? gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER) : 'no WebGL 2'; }"
    )
    tab.close()
    if renderer not in found and renderer == "llvmpipe" and not _has_llvmpipe():
        pytest.skip(f"there is no llvmpipe here: Chromium draws with {found}")
    assert renderer in found
    return chromium


def _has_llvmpipe():
    from lissom.errors import GpuError
    from lissom.gpu._context import shared_context

    try:
        return "llvmpipe" in shared_context().renderer
    except GpuError:
        return False


@lru_cache(maxsize=4)
def page_text(bundle, title, options):
    """Return a player's page; packing a bundle takes longer than opening its page."""
    return whole_page(bundle, title=title, options=json.loads(options))


class Tab:
    """A tab that notes what is requested and what goes wrong.

    Attributes
    ----------
    page : playwright.sync_api.Page
    requests, errors : list of str
    """

    def __init__(self, page, folder):
        self.page = page
        self.folder = folder
        self.requests = []
        self.errors = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on(
            "console",
            lambda said: self.errors.append(said.text) if said.type in ("error", "assert") else None,
        )

    def open_file(self, path):
        """Open a file; a player is not waited for."""
        self.page.goto(path.as_uri())

    def open(self, player, width=SIZE[0], height=SIZE[1], **options):
        """Open a player's page, which draws in steps of the test alone, and wait until it has started."""
        options = {"test": True, "width": width, "height": height, "state": player.state} | options
        path = self.folder / f"{len(list(self.folder.iterdir()))}.html"
        text = page_text(player.bundle, player.title, json.dumps(options))
        path.write_text(text, encoding="utf-8")
        self.open_file(path)
        self.wait()

    def wait(self):
        self.page.wait_for_function(
            "() => self.player || document.body.matches('.still')", timeout=MILLISECONDS
        )
        assert self.errors == []

    def set(self, **state):
        self.page.evaluate("state => { player.set(state); player.draw(); }", state)

    @property
    def state(self):
        return self.page.evaluate("() => player.state")

    def screenshot(self):
        """Return what the tab shows of the picture, (height, width, 3) uint8."""
        data = self.page.locator("canvas").screenshot()
        return Texture(data).decode()[..., :3]

    def pixels(self, *, draft=False):
        """Draw, and return what was drawn, (height, width, 3) uint8."""
        height, width, text = self.page.evaluate(
            """(isDraft) => {
              const { width, height, data } = player.pixels({ isDraft });
              let letters = "";
              for (let i = 0; i < data.length; i += 0x8000)
                letters += String.fromCharCode(...data.subarray(i, i + 0x8000));
              return [height, width, btoa(letters)];
            }""",
            draft,
        )
        return np.frombuffer(base64.b64decode(text), np.uint8).reshape(height, width, 4)[..., :3]


@pytest.fixture
def new_tab(tmp_path_factory):
    """A function that opens a tab of a browser; at the end, none may have said an error."""
    tabs = []

    def opened(browser, **options):
        page = browser.new_page(viewport=VIEWPORT, **options)
        tabs.append(Tab(page, tmp_path_factory.mktemp("pages")))
        return tabs[-1]

    yield opened
    for tab in tabs:
        tab.page.close()
    assert [error for tab in tabs for error in tab.errors] == []


@pytest.fixture(scope="session")
def kept_tab(browser, tmp_path_factory):
    """One tab for most tests of a browser; only `tab` may ask for it."""
    page = browser.new_page(viewport=VIEWPORT)
    yield Tab(page, tmp_path_factory.mktemp("pages"))
    page.close()


@pytest.fixture
def tab(kept_tab):
    """A tab at an empty page, as if it were new; at the end, it may not have said an error.

    A test that adds a script to every page of a tab, by `add_init_script`, takes `new_tab`: nothing else goes
    from one page to the next.
    """
    page = kept_tab.page
    page.set_viewport_size(VIEWPORT)
    kept_tab.requests.clear()
    kept_tab.errors.clear()
    yield kept_tab
    errors = kept_tab.errors.copy()
    page.mouse.up()
    page.mouse.move(VIEWPORT["width"] - 1, VIEWPORT["height"] - 1)
    page.goto("about:blank")  # stops what plays, and frees its context
    assert errors == []


@pytest.fixture(scope="session")
def hero():
    return lissom.samples.humanoid()


@pytest.fixture(scope="session")
def bake(hero):
    return lissom.bake(hero, ["walk", "run"], dtype="float32")


@pytest.fixture(scope="session")
def paused(bake):
    """A player of the bake that is not playing."""
    return bake.show(playing=False)


@pytest.fixture(scope="module")
def stage():
    with Stage(*SIZE) as stage:
        yield stage


@pytest.fixture
def opened(tab, paused):
    tab.open(paused)
    return tab
