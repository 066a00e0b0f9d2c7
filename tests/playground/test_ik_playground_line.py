# SPDX-License-Identifier: MIT
"""The line from a page to the kernel: who is let in, what is taken, and to whom answers go."""

import asyncio
import json
import struct
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from lissom import ik, samples
from lissom._playground import line as line_module
from lissom._playground.line import MOST_BYTES, Line, is_near

pytest.importorskip("anywidget", reason="anywidget is not installed")
httpclient = pytest.importorskip("tornado.httpclient", reason="tornado is not installed")
websocket = pytest.importorskip("tornado.websocket", reason="tornado is not installed")

HERO = samples.humanoid()
ORIGIN = "http://localhost:8888"
PLACE = [0.15, 0.5, 0.3]
DRAG = {"kind": "drag", "moves": {"target:0": PLACE}, "view": "a", "sequence": 7}


def playground():
    """A playground, and what its widget sends by Jupyter's connection."""
    made = ik.Playground(HERO, "Foot.L")
    sent = []
    made.widget.send = lambda content, buffers=(): sent.append(content)
    return made, sent


def in_thread(call):
    """Call where no loop runs: Playwright's runs in the main thread once a test has drawn in a browser."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(call).result()


def hello(made, view="a", origin=ORIGIN):
    made.widget._listen(made.widget, {"kind": "hello", "view": view, "origin": origin}, [])


def connected(address, **headers):
    request = httpclient.HTTPRequest(address, headers={"Origin": ORIGIN, **headers})
    return websocket.websocket_connect(request)


async def asked(page, request=DRAG):
    """Send a request, and give the answer and its buffers; None where the connection ends."""
    await page.write_message(json.dumps(request) if isinstance(request, dict) else request)
    message = await page.read_message()
    if message is None:
        page.close()
        return None
    start = 4 + struct.unpack("<I", message[:4])[0]
    content = json.loads(message[4:start])
    ends = start + np.cumsum(content["sizes"])
    assert ends[-1:].tolist() in ([], [len(message)])
    return content, [message[end - size : end] for end, size in zip(ends, content["sizes"], strict=True)]


async def until(condition):
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0)


def test_a_drag_is_answered_on_its_line_as_by_jupyter_and_nowhere_else():
    async def run():
        made, sent = playground()
        hello(made)
        page = await connected(sent.pop()["line"])
        content, buffers = await asked(page)
        np.testing.assert_allclose(made.targets, PLACE, atol=1e-7)
        assert {key: content[key] for key in ("view", "sequence", "asked")} == {
            "view": "a",
            "sequence": 7,
            "asked": "drag",
        }
        expected, arrays = made.widget._frames.message()
        assert buffers == arrays
        assert content["targets"] == expected["targets"]
        assert content["readout"] == expected["readout"]
        assert sent == []
        page.close()
        await until(lambda: not made.widget._line.is_open)
        with pytest.raises(OSError, match="refused"):
            await connected(made.widget._line.address(ORIGIN))

    in_thread(lambda: asyncio.run(run()))


def test_other_views_hear_of_it_by_jupyter_until_they_are_gone():
    async def run():
        made, sent = playground()
        for view in "ab":
            hello(made, view)
        first, second = [await connected(content["line"]) for content in sent]
        sent.clear()
        await asked(second, DRAG | {"view": "b"})
        assert [(content["view"], content["replied"]) for content in sent] == [("b", True)]
        second.close()
        await until(lambda: "b" not in made.widget._views)
        sent.clear()
        await asked(first)
        assert sent == []
        made.solve(
            [0.1, 0.5, 0.2]
        )  # asked by nobody: for all, and not on a line, which is of another thread perhaps
        assert [content.get("view") for content in sent] == [None]
        made.widget.close()
        assert await first.read_message() is None
        first.close()

    in_thread(lambda: asyncio.run(run()))


def test_a_drag_that_does_not_fit_is_refused_in_a_sentence():
    async def run():
        made, sent = playground()
        before = made.targets
        hello(made)
        page = await connected(sent[0]["line"])
        content, buffers = await asked(page, DRAG | {"moves": {"target:9": PLACE}})
        assert (content["kind"], buffers) == ("error", [])
        assert content["text"].startswith("ik.Playground: handle must be one of those there are now")
        np.testing.assert_array_equal(made.targets, before)
        page.close()

    in_thread(lambda: asyncio.run(run()))


@pytest.mark.parametrize(
    "message",
    [
        '{"kind": "code"}',
        '{"kind": "reset"}',
        "[]",
        "{",
        b"\x00\xff",
        json.dumps(DRAG | {"x": "x" * MOST_BYTES}),
    ],
    ids=["code", "reset", "list", "half", "bytes", "large"],
)
def test_what_is_no_drag_ends_the_connection(message):
    async def run():
        made, sent = playground()
        made.solve(PLACE)
        before = made.targets
        hello(made)
        page = await connected(sent[-1]["line"])
        sent.clear()
        assert await asked(page, message) is None
        np.testing.assert_array_equal(made.targets, before)
        assert sent == []

    in_thread(lambda: asyncio.run(run()))


def test_strangers_are_told_nothing():
    async def run():
        made, sent = playground()
        hello(made)
        address = sent[0]["line"]
        port = address.split(":")[2].partition("/")[0]
        for where, headers in (
            (address[:-2] + "/", {}),
            (f"ws://127.0.0.1:{port}//", {}),
            (f"ws://127.0.0.1:{port}/", {}),
            (address, {"Origin": "http://localhost:8889"}),
            (address, {"Origin": "https://lissom.example"}),
            (address, {"Origin": "null"}),
            (address, {"Host": f"lissom.example:{port}"}),
        ):
            with pytest.raises(httpclient.HTTPError, match="404") as refused:
                await connected(where, **headers)
            assert len(refused.value.response.body if refused.value.response else b"") < 100
        with pytest.raises(httpclient.HTTPError, match="404"):
            await websocket.websocket_connect(address)  # says no origin
        made.widget.close()

    in_thread(lambda: asyncio.run(run()))


def test_so_many_pages_and_no_more(monkeypatch):
    monkeypatch.setattr(line_module, "MOST_PAGES", 2)

    async def run():
        line = Line(lambda *_: None, lambda _: None)
        pages = [await connected(line.address(ORIGIN)) for _ in range(2)]
        with pytest.raises(httpclient.HTTPError, match="404"):
            await connected(line.address(ORIGIN))
        pages[0].close()
        await until(lambda: len(line.pages) < 2)
        pages[0] = await connected(line.address(ORIGIN))
        for page in pages:
            page.close()
        await until(lambda: not line.is_open)

    in_thread(lambda: asyncio.run(run()))


def test_a_line_that_no_page_takes_is_closed(monkeypatch):
    monkeypatch.setattr(line_module, "PATIENCE", 0.0)

    async def run():
        made, sent = playground()
        hello(made)
        await until(lambda: not made.widget._line.is_open)
        hello(made)
        assert sent[1]["line"] != sent[0]["line"], "it is opened again for who asks"

    in_thread(lambda: asyncio.run(run()))


@pytest.mark.parametrize(
    ("origin", "near"),
    [
        ("http://localhost:8888", True),
        ("https://127.0.0.1", True),
        ("http://localhost.example", False),
        ("https://hub.example:8000", False),
        ("vscode-webview://127.0.0.1", False),
        ("http://[", False),
        ("null", False),
        (None, False),
        (["http://localhost"], False),
    ],
)
def test_pages_of_this_machine_alone_have_a_line(origin, near):
    assert is_near(origin) == near

    async def run():
        made, sent = playground()
        hello(made, origin=origin)
        assert (sent[0]["line"] is not None) == near
        assert (made.widget._line is not None) == near
        made.widget.close()

    in_thread(lambda: asyncio.run(run()))


def test_without_a_loop_there_is_no_line():
    made, sent = playground()
    in_thread(lambda: hello(made))
    assert sent[0]["kind"] == "frame"
    assert sent[0]["line"] is None
