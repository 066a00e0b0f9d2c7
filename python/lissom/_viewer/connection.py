# SPDX-License-Identifier: MIT
"""The server's sockets: bound to the loopback address, few at a time, none of them for long."""

from __future__ import annotations

import io
import logging
import os
import select
import socket
import socketserver
import threading
import time
from collections.abc import Callable
from typing import Any

__all__ = ["HOST", "Deadline", "LoopbackServer", "has_gone"]

logger = logging.getLogger("lissom")

HOST = "127.0.0.1"

MOST_CONNECTIONS = 32
"""Most requests at a time; the next are told to come again."""

BUSY = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class Deadline(io.RawIOBase):
    """The bytes that a client sends, until a moment: one that sends a byte now and then is not waited for.

    Parameters
    ----------
    connection : socket.socket
    seconds : float
        Until that moment.
    clock : callable, optional
        Returns seconds.
    """

    def __init__(
        self, connection: socket.socket, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._connection = connection
        self._clock = clock
        self.restart(seconds)

    def restart(self, seconds: float) -> None:
        """Wait for so many seconds from now on."""
        self._end = self._clock() + seconds

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self._end - self._clock()
        if left <= 0:
            raise TimeoutError("the client took too long")
        self._connection.settimeout(left)
        return self._connection.recv_into(buffer)


def has_gone(connection: socket.socket) -> bool:
    """Return whether a client has closed its connection."""
    try:
        readable, _, _ = select.select([connection], [], [], 0)
        return bool(readable) and not connection.recv(1, socket.MSG_PEEK)
    except (OSError, ValueError):
        return True


class LoopbackServer(socketserver.ThreadingMixIn, socketserver.TCPServer):
    """A server for the programs of this machine.

    Attributes
    ----------
    stopping : threading.Event
        Set when it ends: answers that go on for long look at it.
    """

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64
    allow_reuse_address = os.name != "nt"  # there it would let two programs have one port

    def __init__(self, port: int, handler: type[socketserver.BaseRequestHandler]) -> None:
        self.stopping = threading.Event()
        self._free = threading.BoundedSemaphore(MOST_CONNECTIONS)
        super().__init__((HOST, port), handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread of its own, if there is one left."""
        if not self._free.acquire(blocking=False):
            try:
                request.setblocking(False)
                request.send(BUSY)
            except OSError:
                pass
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:  # no thread could be started
            self._free.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer one request."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Note what went wrong: a client that has gone is no news."""
        logger.debug("a request to the viewer failed", exc_info=True)
