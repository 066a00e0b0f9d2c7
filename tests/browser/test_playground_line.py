# SPDX-License-Identifier: MIT
"""The line from a playground's page to the kernel, as the page uses it: its server is in a thread here."""

import asyncio
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy as np
import pytest

from browser.bare_page import show_in
from browser.dragging import camera_of, drag, pixel_of
from lissom import ik, samples
from lissom._playground.line import Line

pytest.importorskip("anywidget", reason="anywidget is not installed")
pytest.importorskip("tornado", reason="tornado is not installed")

HERO = samples.humanoid()
PLAYGROUND = "document.querySelector('.lissom-playground').playground"
BY = (-30, -60)  # pixels
UNHEARD = 300  # milliseconds after which the page asks by Jupyter what it has asked by the line


class EmptyPage(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>a page</title><link rel=icon href=data:,>")

    def log_message(self, *_):
        pass


@pytest.fixture
def page(tab):
    """A page of this machine: browsers keep others from its ports."""
    with HTTPServer(("127.0.0.1", 0), EmptyPage) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        tab.page.set_viewport_size({"width": 420, "height": 520})
        tab.page.goto(f"http://127.0.0.1:{server.server_port}/")
        yield tab.page
        server.shutdown()
        thread.join()


@contextmanager
def line(page, take):
    """Yield the address of a line for a page, and what ends it."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    def run(work):
        return asyncio.run_coroutine_threadsafe(work, loop).result()

    async def opened():
        line = Line(take, lambda _: None)
        return line, line.address(origin)

    async def ended(made):
        made.close()
        while made.pages:
            await asyncio.sleep(0)

    origin = page.evaluate("location.origin")
    made, address = run(opened())
    try:
        yield address, lambda: run(ended(made))
    finally:
        run(ended(made))
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def playground():
    return ik.Playground(HERO, "Foot.L", height=240)


def shown(page, made, address):
    """Show a playground whose kernel has a line at an address."""
    made.widget.address = lambda origin: address
    show_in(page, made.widget)
    page.wait_for_function(f"{PLAYGROUND}?.frames >= 1 && {PLAYGROUND}.line.isOpen()")
    page.evaluate("window.sent.length = 0")


def dragged(page, made):
    """Drag the target, wait for the answers, and assert that the kernel has it where the mouse let go."""
    start = made.targets
    drag(page, start, BY)
    page.wait_for_function(f"!{PLAYGROUND}.asked()")
    camera, box = camera_of(page)
    moved = pixel_of(made.targets, camera, box) - pixel_of(start, camera, box)
    np.testing.assert_allclose(moved, BY, atol=1.5)


def kinds(page):
    return page.evaluate("window.sent.map(({ kind }) => kind)")


def test_drags_go_by_the_line_and_all_else_by_jupyter(page):
    made = playground()
    with line(page, made.widget._take) as (address, _):
        shown(page, made, address)
        before = page.evaluate(f"{PLAYGROUND}.frames")
        dragged(page, made)
        assert kinds(page) == []
        assert page.evaluate(f"{PLAYGROUND}.frames") > before
        np.testing.assert_allclose(
            page.evaluate(f"{PLAYGROUND}.targets"), np.atleast_2d(made.targets), atol=1e-6
        )
        page.click(".lissom-playground-undo")
        page.wait_for_function(f"!{PLAYGROUND}.asked()")
        assert set(kinds(page)) - {"nudge"} == {"undo"}


def test_a_kernel_that_is_silent_on_the_line_is_asked_by_jupyter(page):
    made, silent = playground(), []
    with line(page, lambda content, reply: silent.append((content, reply))) as (address, _):
        shown(page, made, address)
        dragged(page, made)
        assert len(silent) == 1, "then the line is not relied on"
        asked, (content, _) = page.evaluate("window.sent[0]"), silent[0]
        assert asked | {"age": 0} == content | {"age": 0}
        assert asked["age"] - content["age"] >= UNHEARD - 1


def test_a_line_that_ends_is_asked_for_again_and_jupyter_meanwhile(page, tab):
    made = playground()
    with line(page, made.widget._take) as (address, end):
        shown(page, made, address)
        end()
        page.wait_for_function(f"window.sent.length && !{PLAYGROUND}.asked()")
        assert kinds(page)[0] == "hello"
        dragged(page, made)
        assert set(kinds(page)) - {"nudge"} == {"hello", "drag"}
    assert all("ERR_CONNECTION_REFUSED" in error for error in tab.errors)
    tab.errors.clear()  # the browser says so of the address that leads nowhere now
