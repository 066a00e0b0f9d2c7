# SPDX-License-Identifier: MIT
"""Who may ask: the token of the address, and what a browser says of the page that asks."""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Mapping
from email.message import Message

__all__ = ["Access"]

OPEN_SECONDS = 300.0
"""How long the address lives by which the browser is started."""

HOSTS = ("127.0.0.1", "localhost")

DEFAULT_PORT = 80
"""That of HTTP, which browsers leave out where they name a host."""


class Access:
    """The secrets of one server, and its rules.

    Attributes
    ----------
    token : str
        First part of every path.
    port : int
    """

    def __init__(self, port: int) -> None:
        self.token = secrets.token_urlsafe(32)
        self.port = port
        self._once: str | None = None
        self._until = 0.0
        self._lock = threading.Lock()

    def once(self) -> str:
        """Return a code that opens the page one time.

        Arguments of programs can be read by all users of a machine: so the browser is started with a code
        that is of no use afterwards, rather than with the token.
        """
        with self._lock:
            self._once = secrets.token_urlsafe(32)
            self._until = time.monotonic() + OPEN_SECONDS
            return self._once

    def takes(self, code: str) -> bool:
        """Return whether a code is the one that was given, and forget it then."""
        with self._lock:
            is_right = (
                self._once is not None and time.monotonic() < self._until and _are_equal(code, self._once)
            )
            if is_right:
                self._once = None
            return is_right

    def is_token(self, text: str) -> bool:
        """Return whether a text is the token; the time that this takes tells nothing of it."""
        return _are_equal(text, self.token)

    def fault(self, headers: Message, method: str, is_page: bool) -> str | None:
        """Return why a request is refused whatever it asks for; None where it is not.

        Parameters
        ----------
        headers : Message
            Of the request.
        method : str
        is_page : bool
            Whether it asks for the page itself, to which a link may lead from anywhere.
        """
        hosts = headers.get_all("Host") or []
        if len(hosts) != 1 or hosts[0].lower() not in self._authorities():
            return "this server answers to requests for the loopback address alone"
        origins = headers.get_all("Origin") or []
        allowed = {f"http://{authority}" for authority in self._authorities()}
        if any(origin not in allowed for origin in origins):
            return "another site may ask this server for nothing"
        if method == "POST" and len(origins) != 1:
            return "an upload must come from the page of this server"
        return None if is_page else _site_fault(headers)

    def _authorities(self) -> tuple[str, ...]:
        named = tuple(f"{host}:{self.port}" for host in HOSTS)
        return named + HOSTS if self.port == DEFAULT_PORT else named


def _site_fault(headers: Mapping[str, str] | Message) -> str | None:
    """Return why a request is refused by what browsers since 2023 tell of the page that asks."""
    if headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none"):
        return "another site may ask this server for nothing"
    return None


def _are_equal(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(errors="replace"), other.encode())
