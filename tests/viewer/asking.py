# SPDX-License-Identifier: MIT
"""Requests to a viewer, byte by byte, as no browser would write them."""

import json
import socket
import time
from typing import NamedTuple

SECONDS = 30  # until an answer, on a machine that does other things


class Answer(NamedTuple):
    status: int
    headers: dict
    body: bytes

    @property
    def is_bundle(self):
        return self.status == 200 and self.headers["Content-Type"] == "application/octet-stream"

    @property
    def is_fault(self):
        return self.status == 200 and "sentence" in json.loads(self.body)

    @property
    def sentence(self):
        return json.loads(self.body)["sentence"]


def connected(viewer):
    return socket.create_connection(("127.0.0.1", viewer.port), timeout=SECONDS)


def received(connection):
    """Return all that comes until the server closes."""
    data = b""
    try:
        while piece := connection.recv(1 << 16):
            data += piece
    except ConnectionResetError:
        pass
    return data


def parsed(data):
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    return Answer(int(first.split()[1]), headers, body)


def ask(viewer, path="", method="GET", headers=None, body=b"", *, token=None, version="HTTP/1.1"):
    """Send one request and return its answer; a header of None is left out."""
    token = secret(viewer) if token is None else token
    sent = {"Host": f"127.0.0.1:{viewer.port}"} | (headers or {})
    lines = [f"{name}: {value}" for name, value in sent.items() if value is not None]
    text = "\r\n".join([f"{method} /{token}/{path} {version}", *lines, "", ""])
    with connected(viewer) as connection:
        connection.sendall(text.encode("latin-1") + body)
        return parsed(received(connection))


def secret(viewer):
    return viewer.url.split("/")[3]


def origin(viewer):
    return f"http://127.0.0.1:{viewer.port}"


def drop(viewer, name, body, headers=None):
    sent = {"Origin": origin(viewer), "Content-Length": str(len(body))} | (headers or {})
    return ask(viewer, f"drop/{name}", "POST", sent, body)


def files(viewer):
    return json.loads(ask(viewer, "files").body)


class Events:
    """The events of one file, read as they come."""

    def __init__(self, viewer, key, stamp, more=""):
        self.connection = connected(viewer)
        host = f"Host: 127.0.0.1:{viewer.port}"
        line = f"GET /{secret(viewer)}/changes/{key}?stamp={stamp}{more} HTTP/1.1\r\n{host}\r\n\r\n"
        self.connection.sendall(line.encode())
        self.file = self.connection.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        while self.file.readline().strip():
            pass

    def next(self):
        """Return the next event and its data."""
        end = time.monotonic() + SECONDS  # signs of life come all the time
        while (line := self.file.readline()) and not line.startswith(b"event: "):
            assert time.monotonic() < end
        return line[7:-1].decode(), self.file.readline()[6:-1].decode()

    def until(self, *wanted):
        """Return the data of the next event of these, and the events before it."""
        before = []
        while True:
            event, data = self.next()
            if event in wanted or not event:
                return data, before
            before.append(event)

    def rest(self):
        """Return the events until the answer ends."""
        return [event for event, _ in iter(self.next, ("", ""))]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.file.close()
        self.connection.close()


def watched(viewer, key):
    """Return the status of an answer that tells of changes."""
    with Events(viewer, key, "") as events:
        return events.status
