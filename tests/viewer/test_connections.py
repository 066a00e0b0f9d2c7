# SPDX-License-Identifier: MIT
"""Clients that are slow, many, or gone, and the end of a viewer."""

import io
import socket
from pathlib import Path

import pytest

import lissom
from lissom._viewer import connection as connection_module
from lissom._viewer import handler, viewer
from viewer.asking import SECONDS, Events, ask, connected, origin, parsed, received, secret


def test_a_client_that_says_a_little_now_and_then_is_not_waited_for():
    """A byte at a time does not move the moment until which it is waited."""
    now = 100.0
    here, there = socket.socketpair()
    with here, there:
        deadline = connection_module.Deadline(here, 10.0, lambda: now)
        reader = io.BufferedReader(deadline)
        for now in (100.0, 104.0, 109.5):
            there.sendall(b"x")
            assert reader.read(1) == b"x"
            assert here.gettimeout() == 110.0 - now
        now = 110.0
        there.sendall(b"x")
        with pytest.raises(TimeoutError, match="the client took too long"):
            reader.read(1)
        deadline.restart(1.0)
        assert reader.read(1) == b"x"


def test_a_request_that_does_not_come_is_not_waited_for(tube, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(handler, "HEAD_SECONDS", 0.0)
        with connected(tube) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: ")
            assert received(connection) == b""
    assert ask(tube, "files").status == 200


def test_a_body_that_does_not_come_is_not_waited_for(tube, monkeypatch):
    monkeypatch.setattr("lissom._viewer.upload.UPLOAD_SECONDS", 0.0)
    with connected(tube) as connection:
        head = (
            f"POST /{secret(tube)}/drop/x.glb HTTP/1.1\r\nHost: 127.0.0.1:{tube.port}\r\n"
            f"Origin: {origin(tube)}\r\nContent-Length: 1000\r\n\r\n"
        )
        connection.sendall(head.encode() + b"glTF")
        assert received(connection) == b""


def test_connections_are_counted(monkeypatch):
    monkeypatch.setattr(handler, "HEAD_SECONDS", SECONDS)
    with lissom.view("sample:two_bone_tube", browser=False) as shown:
        held = [connected(shown) for _ in range(connection_module.MOST_CONNECTIONS)]
        with connected(shown) as refused:
            assert parsed(received(refused)).status == 503  # without a request
        for one in held:
            one.close()


def test_pages_that_watch_are_counted(tube):
    streams = [Events(tube, "two_bone_tube", "sample") for _ in range(viewer.MOST_STREAMS)]
    assert all(stream.next() == ("watching", "") for stream in streams)
    for _ in range(2):  # further ones are told once
        with Events(tube, "two_bone_tube", "sample") as further:
            assert (further.status, further.rest()) == (200, ["watching", "same", "again"])
    for stream in streams:
        stream.close()


def test_pages_leave_connections_of_a_browser_free():
    """Browsers open six to one server."""
    assert viewer.MOST_STREAMS <= 4


def test_the_end_closes_what_still_listens():
    shown = lissom.view("sample:two_bone_tube", browser=False)
    with Events(shown, "two_bone_tube", "sample") as stream:
        assert stream.next() == ("watching", "")
        folder = shown._folder.name
        shown.close()
        shown.close()
        assert stream.file.read().strip() == b""
    with pytest.raises(ConnectionRefusedError):
        connected(shown)
    assert not Path(folder).exists()
    assert repr(shown) == "Viewer('sample:two_bone_tube', closed)"


def test_the_server_is_bound_to_the_loopback_address(tube):
    assert tube._server.server_address[0] == "127.0.0.1"


def test_a_port_in_use_is_one_sentence():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match=f"view: port {port} is in use; leave it out for a free one"):
            lissom.view("sample:two_bone_tube", port=port, browser=False)


def test_a_port_must_be_one():
    with pytest.raises(ValueError, match="view: port must be at least 0, got -1"):
        lissom.view("sample:two_bone_tube", port=-1, browser=False)
    with pytest.raises(ValueError, match="view: port must be at most 65535, got 65536"):
        lissom.view("sample:two_bone_tube", port=65536, browser=False)


def test_a_given_port_is_taken():
    with lissom.view("sample:two_bone_tube", browser=False) as first:
        port = first.port
    with lissom.view("sample:two_bone_tube", port=port, browser=False) as second:
        assert second.port == port
        assert second.url != first.url
        assert ask(second, "files").status == 200
