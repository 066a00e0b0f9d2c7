# SPDX-License-Identifier: MIT
"""One request to the viewer: who asks, what for, and the answer."""

from __future__ import annotations

import io
import json
import socket
import time
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from lissom._viewer.changes import tell_changes
from lissom._viewer.connection import Deadline, has_gone
from lissom._viewer.converter import NotWanted
from lissom._viewer.sentences import ENDED
from lissom._viewer.shelf import Refused
from lissom._viewer.upload import UploadRefused, receive

if TYPE_CHECKING:
    from lissom._viewer.viewer import Server

__all__ = ["Handler"]

HEAD_SECONDS = 10.0
"""Longest that a client may take to send its request, without an upload."""

ANSWER_SECONDS = 30.0
"""Longest that a client may take to receive an answer."""

LINGER_SECONDS = 0.5
"""How long what a client still sends is thrown away, so that it can read why it was refused."""

HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Connection": "close",
}
"""Of every answer: the token in the address is told to nobody, and nothing is kept."""

NO_POLICY = "default-src 'none'; frame-ancestors 'none'"

JSON = "application/json"


class Handler(BaseHTTPRequestHandler):
    """Answers one request and closes the connection."""

    protocol_version = "HTTP/1.1"
    server: Server

    def setup(self) -> None:
        """Read until a deadline."""
        super().setup()
        self.rfile.close()
        self.deadline = Deadline(self.connection, HEAD_SECONDS)
        self.rfile = io.BufferedReader(self.deadline)

    def handle(self) -> None:
        """Answer one request."""
        self.close_connection = True
        try:
            self.handle_one_request()
        except (ConnectionError, TimeoutError):  # the client has gone, or is too slow
            self.close_connection = True

    def do_GET(self) -> None:
        """Answer what only reads."""
        path, _, query = self.path.partition("?")
        first, slash, rest = path.removeprefix("/").partition("/")
        if first == "open":
            if not self._is_refused(is_page=True):
                self._open(rest)
            return
        if self._is_refused(is_page=not rest) or self._is_stranger(first, is_page=not rest):
            return
        kind, _, key = rest.partition("/")
        if not slash:  # the page's addresses are relative to its own, which ends in one
            self._lead_to_page()
        elif rest == "":
            self._page()
        elif rest == "files":
            self._files()
        elif kind == "bundle":
            self._bundle(key)
        elif kind == "changes":
            self._changes(key, parse_qs(query))
        else:
            self._not_found()

    def do_POST(self) -> None:
        """Take a file that was dropped onto the page."""
        first, _, rest = self.path.removeprefix("/").partition("/")
        if self._is_refused() or self._is_stranger(first):
            return
        kind, _, name = rest.partition("/")
        if kind != "drop":
            self._not_found()
            return
        try:
            path, shown = receive(self, self.server.folder, name)
        except UploadRefused as refusal:
            self._say(refusal.status, str(refusal))
            self._linger()
            return
        try:
            key, made = self.server.desk.drop(path, shown, self.is_wanted)
        except NotWanted:
            return
        finally:
            path.unlink(missing_ok=True)
            path.parent.rmdir()
        if made.fault:
            self._say(HTTPStatus.OK, made.fault)
        else:
            self.respond(HTTPStatus.OK, JSON, json.dumps({"key": key}).encode())

    def is_wanted(self) -> bool:
        """Return whether the client still waits."""
        return not (self.server.stopping.is_set() or has_gone(self.connection))

    def _is_refused(self, is_page: bool = False) -> bool:
        if self.request_version not in ("HTTP/1.0", "HTTP/1.1"):
            self._say(HTTPStatus.HTTP_VERSION_NOT_SUPPORTED, "a request must be of HTTP 1.1")
            return True
        fault = self.server.access.fault(self.headers, self.command, is_page)
        if fault is not None:
            self._say(HTTPStatus.FORBIDDEN, fault)
        return fault is not None

    def _is_stranger(self, token: str, is_page: bool = False) -> bool:
        if self.server.access.is_token(token):
            return False
        if is_page:
            self.respond(HTTPStatus.NOT_FOUND, "text/html; charset=utf-8", ENDED)
        else:
            self._not_found()
        return True

    def _open(self, code: str) -> None:
        if self.server.access.takes(code):
            self._lead_to_page()
        else:
            self._say(
                HTTPStatus.NOT_FOUND,
                "this address opens the viewer once; the one that the command printed opens it again",
            )

    def _lead_to_page(self) -> None:
        self.respond(HTTPStatus.SEE_OTHER, "text/plain", b"", {"Location": f"/{self.server.access.token}/"})

    def _page(self) -> None:
        from lissom._viewer.page import viewer_page

        text, policy = viewer_page(self.server.desk.shelf.title)
        self.respond(HTTPStatus.OK, "text/html; charset=utf-8", text, {"Content-Security-Policy": policy})

    def _files(self) -> None:
        shelf = self.server.desk.shelf
        found = self.server.desk.listing()
        told = {
            "files": [[entry.key, entry.name] for entry in found.entries],
            "note": found.note,
            "isFolder": shelf.is_folder,
        }
        self.respond(HTTPStatus.OK, JSON, json.dumps(told).encode())

    def _bundle(self, key: str) -> None:
        try:
            shown = self.server.desk.shown(key, self.is_wanted)
        except Refused as refusal:
            self._say(HTTPStatus.NOT_FOUND, str(refusal))
        except NotWanted:
            pass
        else:
            stamp = {"X-Lissom-Stamp": shown.stamp}
            if shown.fault:  # no error of the request: consoles of browsers would tell of one
                self._say(HTTPStatus.OK, shown.fault, stamp)
            else:
                self.respond(HTTPStatus.OK, "application/octet-stream", shown.data, stamp)

    def _changes(self, key: str, asked: Mapping[str, list[str]]) -> None:
        server = self.server
        (stamp,) = asked.get("stamp", [""])[:1]
        is_held = "brief" not in asked and server.streams.acquire(blocking=False)
        try:
            if key:
                server.desk.stamp(key)
            self._begin(HTTPStatus.OK, {"Content-Type": "text/event-stream"})
            self.connection.settimeout(ANSWER_SECONDS)
            tell_changes(
                self.wfile, server.desk, key, stamp, server.stopping, self.is_wanted, is_brief=not is_held
            )
        except Refused as refusal:
            self._say(HTTPStatus.NOT_FOUND, str(refusal))
        finally:
            if is_held:
                server.streams.release()

    def _not_found(self) -> None:
        self._say(HTTPStatus.NOT_FOUND, "there is nothing here")

    def _say(self, status: int, sentence: str, headers: Mapping[str, str] = {}) -> None:
        self.respond(status, JSON, json.dumps({"sentence": sentence}).encode(), headers)

    def respond(self, status: int, kind: str, body: bytes, headers: Mapping[str, str] = {}) -> None:
        """Send an answer."""
        self._begin(status, {"Content-Type": kind, "Content-Length": str(len(body)), **headers})
        self.connection.settimeout(ANSWER_SECONDS)
        self.wfile.write(body)

    def _begin(self, status: int, headers: Mapping[str, str]) -> None:
        self.connection.settimeout(ANSWER_SECONDS)
        self.send_response_only(status)
        for name, value in ({"Content-Security-Policy": NO_POLICY} | HEADERS | dict(headers)).items():
            self.send_header(name, value)
        self.end_headers()

    def _linger(self) -> None:
        """Read on for a moment: a connection with unread bytes is reset, and its answer lost."""
        end = time.monotonic() + LINGER_SECONDS
        try:
            self.connection.shutdown(socket.SHUT_WR)
            while (left := end - time.monotonic()) > 0:
                self.connection.settimeout(left)
                if not self.connection.recv(1 << 16):
                    return
        except OSError:
            pass

    def handle_expect_100(self) -> bool:
        """Say to go on only once the upload is taken: `receive` does."""
        return True

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what is no request that is known, in a sentence."""
        if code == HTTPStatus.NOT_IMPLEMENTED:
            self._say(HTTPStatus.METHOD_NOT_ALLOWED, "only GET and POST are answered", {"Allow": "GET, POST"})
        else:
            self._say(code, message or HTTPStatus(code).phrase)

    def log_message(self, format: str, *args: Any) -> None:
        """Write no line for each request."""
