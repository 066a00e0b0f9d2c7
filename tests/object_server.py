# SPDX-License-Identifier: MIT
"""A server of S3's protocol on this machine, with faults where a test wants some."""

import contextlib
import os
import threading
import urllib.request
from collections.abc import Callable, Iterator
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

import pytest

BUCKET = "bakes-of-tests"

Fault = Callable[[WSGIEnvironment, StartResponse, WSGIApplication], object]


def sound(environment: WSGIEnvironment, start: StartResponse, server: WSGIApplication) -> object:
    """Answer as the server does."""
    return server(environment, start)


class ObjectServer:
    """A bucket of S3 at an address of this machine.

    `fault` stands before the server, and may be replaced at any time; `requests` are those it had.
    """

    def __init__(self) -> None:
        pytest.importorskip("moto.server")
        from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
        from werkzeug.serving import make_server

        self.fault: Fault = sound
        self.requests: list[tuple[str, str]] = []
        behind = DomainDispatcherApplication(create_backend_app)

        def application(environment: WSGIEnvironment, start: StartResponse) -> object:
            self.requests.append((environment["REQUEST_METHOD"], environment["PATH_INFO"]))
            return self.fault(environment, start, behind)

        self._server = make_server("127.0.0.1", 0, application, threaded=True)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        self.variables = {
            "AWS_ENDPOINT_URL": self.address,
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION": "us-east-1",
            "AWS_ALLOW_HTTP": "true",
        }
        urllib.request.urlopen(urllib.request.Request(f"{self.address}/{BUCKET}", method="PUT")).close()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@contextlib.contextmanager
def object_server() -> Iterator[ObjectServer]:
    """Run a server, whose address is in the environment meanwhile."""
    server = ObjectServer()
    before = {name: os.environ.get(name) for name in server.variables}
    os.environ.update(server.variables)
    try:
        yield server
    finally:
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})
        server.close()


class OneInTen:
    """One put in ten is answered by an error: by turns before anything is stored, and after."""

    def __init__(self) -> None:
        self.puts = 0
        self.failed = 0

    def __call__(self, environment, start, server):
        if environment["REQUEST_METHOD"] != "PUT":
            return server(environment, start)
        self.puts += 1
        if self.puts % 10:
            return server(environment, start)
        self.failed += 1
        if self.failed % 2:
            for _ in server(environment, lambda *_: None):  # it is stored; the answer is lost
                pass
        else:
            environment["wsgi.input"].read(int(environment.get("CONTENT_LENGTH") or 0))
        start("500 Internal Server Error", [("Content-Length", "0")])
        return [b""]


def answers(status: str, code: str, message: str, method: str = "PUT") -> Fault:
    """Answer requests of a method by an error of S3."""

    def fault(environment, start, server):
        if environment["REQUEST_METHOD"] != method:
            return server(environment, start)
        environment["wsgi.input"].read(int(environment.get("CONTENT_LENGTH") or 0))
        body = f"<Error><Code>{code}</Code><Message>{message}</Message></Error>".encode()
        start(status, [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))])
        return [body]

    return fault


def without_conditions(environment, start, server):
    """Pass requests on without their conditions, as servers do that do not know them."""
    environment.pop("HTTP_IF_NONE_MATCH", None)
    return server(environment, start)
