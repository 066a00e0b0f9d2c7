# SPDX-License-Identifier: MIT
"""A line from a page to the kernel of the same machine: drags and answers, without Jupyter's server between.

It listens at the loopback address from the time at which such a page asks for it until the last page has
left. Its address, which Jupyter's own connection tells the page, holds a secret; it takes drags alone, as
`requests` checks them.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import msgspec

from lissom._viewer.access import HOSTS, Access

HOST = "127.0.0.1"
MOST_BYTES = 1 << 16  # of a request
MOST_PAGES = 16  # that are connected at a time
PATIENCE = 20.0  # seconds that a page has to connect

Message = dict[str, Any]
Reply = Callable[[Message, list[bytes]], None]


class Line:
    """A server of WebSockets in the loop that runs now: in a kernel, that which takes Jupyter's messages.

    Parameters
    ----------
    take : callable
        Is given each request of kind "drag", and a function that sends the answer.
    leave : callable
        Is told the view of a connection that has ended.

    Attributes
    ----------
    is_open : bool
        Whether pages can connect.

    Raises
    ------
    ImportError
        Without tornado, which every kernel of Jupyter has.
    RuntimeError
        Where no loop runs.
    OSError
        Where no port can be had.
    """

    def __init__(self, take: Callable[[Message, Reply], None], leave: Callable[[str], None]) -> None:
        self._loop = asyncio.get_running_loop()
        from tornado.httpserver import HTTPServer
        from tornado.netutil import bind_sockets
        from tornado.web import Application

        self.take, self.leave = take, leave
        sockets = bind_sockets(0, HOST)
        self._access = Access(sockets[0].getsockname()[1])
        self._origins: set[str] = set()
        self.pages: set[Any] = set()
        routes = [(r"/([^/]*)/", _page_class(), {"line": self})]
        settings: dict[str, Any] = {
            "websocket_max_message_size": MOST_BYTES,
            "log_function": lambda _handler: None,
        }
        self._server = HTTPServer(Application(routes, **settings))
        self._server.add_sockets(sockets)
        self.is_open = True

    def address(self, origin: str) -> str:
        """Return the address for pages of an origin, which is let in from now on."""
        self._origins.add(origin)
        self._loop.call_later(PATIENCE, self.close_if_empty)
        return f"ws://{HOST}:{self._access.port}/{self._access.token}/"

    def lets_in(self, token: str, hosts: list[str], origins: list[str]) -> bool:
        """Return whether a connection may be made, by the secret of its path and what the browser says."""
        return (
            self._access.is_token(token)
            and hosts == [f"{HOST}:{self._access.port}"]
            and len(origins) == 1
            and origins[0] in self._origins
            and len(self.pages) < MOST_PAGES
        )

    def close_if_empty(self) -> None:
        """Listen no more where no page is connected."""
        if not self.pages:
            self.close()

    def close(self) -> None:
        """Listen no more, and end all connections."""
        if self.is_open:
            self.is_open = False
            self._server.stop()
        for page in list(self.pages):
            page.close()


def is_near(origin: object) -> bool:
    """Return whether an origin is one of this machine's, as far as its name says."""
    if not isinstance(origin, str):
        return False
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.hostname in HOSTS


def packed(content: Message, buffers: list[bytes]) -> bytes:
    """Return an answer as one message: in 4 bytes the length of its JSON, that with sizes, the buffers."""
    head = msgspec.json.encode(content | {"sizes": [len(buffer) for buffer in buffers]})
    return b"".join([struct.pack("<I", len(head)), head, *buffers])


@cache
def _page_class() -> Any:
    """Return the class of connections, made when first needed, since its base is in an extra."""
    from tornado.web import HTTPError
    from tornado.websocket import WebSocketClosedError, WebSocketHandler

    class Page(WebSocketHandler):
        """The connection of one view."""

        def initialize(self, line: Line) -> None:
            self._line, self._view = line, ""

        def prepare(self) -> None:
            headers = self.request.headers
            token = self.path_args[0]
            if not self._line.lets_in(token, headers.get_list("Host"), headers.get_list("Origin")):
                raise HTTPError(404)

        def check_origin(self, origin: str) -> bool:
            return True  # prepare() has

        def write_error(self, status_code: int, **_: Any) -> None:
            self.finish("there is nothing here")

        def open(self, *_: str) -> None:
            self.set_nodelay(True)
            self._line.pages.add(self)

        def on_message(self, message: str | bytes) -> None:
            try:
                content = msgspec.json.decode(message)
            except msgspec.DecodeError:
                content = None
            if not isinstance(content, dict) or content.get("kind") != "drag":
                self.close()
                return
            self._view = str(content.get("view"))
            self._line.take(content, self._reply)

        def on_close(self) -> None:
            self._line.pages.discard(self)
            self._line.leave(self._view)
            self._line.close_if_empty()

        def _reply(self, content: Message, buffers: list[bytes]) -> None:
            with suppress(WebSocketClosedError):  # the page asks again by Jupyter's connection
                self.write_message(packed(content, buffers), binary=True)

    return Page
