# SPDX-License-Identifier: MIT
"""Opening a store by its address."""

from __future__ import annotations

import datetime
import functools
import ipaddress
import os
import re
from typing import Any
from urllib.parse import unquote, urlsplit

from lissom._base.extras import require
from lissom._store.folder import Folder
from lissom._store.objects import Objects, variables_of
from lissom._store.store import Store

__all__ = ["SCHEMES", "is_url", "meant_address", "open_place", "open_store"]

SCHEMES = ("s3", "gs", "az", "abfs", "abfss", "file", "memory")
"""Of stores that can create conditionally. HTTP cannot."""

REQUEST_TIME = datetime.timedelta(minutes=15)
"""Longest time of one request, with all of its bytes: the library's own, 30 s, is too short for some."""

CLIENT_OPTIONS = (
    "allow_http", "allow_invalid_certificates", "connect_timeout", "http1_only", "http2_only",
    "http2_keep_alive_interval", "http2_keep_alive_timeout", "http2_keep_alive_while_idle",
    "pool_idle_timeout", "pool_max_idle_per_host", "proxy_url", "proxy_ca_certificate", "proxy_excludes",
    "read_timeout", "timeout", "user_agent",
)  # fmt: skip
"""How the library talks HTTP, by the ends of variables such as AWS_ALLOW_HTTP."""

MISWRITTEN = re.compile(rf"({'|'.join((*SCHEMES, 'http', 'https'))})(:/|//|:(?=[^/]))(.*)", re.I | re.S)
"""An address without its ://, also as a Path makes of it; as a folder it would take the bakes unseen."""

ENDPOINTS = ("ENDPOINT_URL_S3", "ENDPOINT_URL", "ENDPOINT", "STORAGE_ENDPOINT")
"""Ends of variables that name a server other than the provider's."""

FORMS = "a folder, s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, az://CONTAINER/PREFIX or memory://NAME"


def open_store(url: str | os.PathLike[str]) -> Store:
    """Open a store; what is needed to enter it comes from the environment, as its own tools read it.

    Parameters
    ----------
    url : str or path
        A folder, which is created by the first write; ``s3://BUCKET/PREFIX``, ``gs://BUCKET/PREFIX`` or
        ``az://CONTAINER/PREFIX``; ``memory://NAME``, which this process alone has.

    Raises
    ------
    ImportError
        Without obstore, which is in the extra ``cloud``, for all but folders.
    ValueError
        For an address of no such store.
    """
    if not isinstance(url, str | os.PathLike):
        raise TypeError(f"store: url must be a str or a path, got {type(url).__name__}")
    text = os.fspath(url)
    if not is_url(text):
        if not text or "\0" in text:
            raise ValueError(f"store: url must be {FORMS}, got {text!r}")
        meant = meant_address(text)
        if meant is not None:
            raise ValueError(
                f"store: url must be {meant}, or for a folder of that name ./{text}, got {text!r}"
            )
        return Folder(os.path.abspath(text))
    try:
        parts = urlsplit(text)
    except ValueError as error:
        raise ValueError(f"store: url must be {FORMS}, got {text!r}: {error}") from None
    if parts.scheme in ("http", "https"):
        raise ValueError(
            f"store: {text} cannot create a key only where there is none, which keeps two runs apart; "
            f"pass {FORMS}"
        )
    if parts.scheme not in SCHEMES:
        raise ValueError(f"store: url must be {FORMS}, got {text!r}")
    text = f"{parts.scheme}://{text.partition('://')[2]}"  # in lower case, as all else asks
    if parts.scheme == "file":
        if parts.netloc not in ("", "localhost"):
            raise ValueError(f"store: url must be file:///FOLDER, with three slashes, got {text!r}")
        return Folder(os.path.abspath(unquote(parts.path)))
    if parts.scheme == "memory":
        return Objects(text.rstrip("/"), functools.partial(_in_memory, os.getpid()))
    if not parts.netloc:
        raise ValueError(f"store: url must name a bucket, as {parts.scheme}://BUCKET/PREFIX, got {text!r}")
    return Objects(text.rstrip("/"), _remote)


def open_place(url: str) -> tuple[Store, str]:
    """Open the folder of an address; return it, and the key that the address ends in."""
    folder, _, name = url.rpartition("/")
    return open_store(folder), unquote(name) if url.startswith("file:") else name


def is_url(text: str) -> bool:
    """Whether a name is an address with a scheme, rather than a path."""
    return "://" in text


def meant_address(text: str) -> str | None:
    """Return the address that was meant by one that lacks its ://, None for any other name."""
    miswritten = None if is_url(text) else MISWRITTEN.match(text)
    if miswritten is None:
        return None
    scheme, _, rest = miswritten.groups()
    return f"{scheme.lower()}://{'/' if scheme.lower() == 'file' else ''}{rest.lstrip('/')}"


def _in_memory(process: int, url: str) -> Any:
    if process != os.getpid():
        raise ValueError(
            f"store: {url} is of the process that opened it, which other processes cannot read; "
            "pass a folder or a bucket"
        )
    return _memory_of(url)


@functools.cache
def _memory_of(url: str) -> Any:
    return _library().MemoryStore()


def _remote(url: str) -> Any:
    # Options that are passed replace all those of the environment, so these go with them.
    prefix = variables_of(url).prefix
    named = ((name, os.environ.get(f"{prefix}{name.upper()}")) for name in CLIENT_OPTIONS)
    options = {"timeout": REQUEST_TIME, **{name: value for name, value in named if value}}
    if any(_is_on_this_machine(os.environ.get(f"{prefix}{name}", "")) for name in ENDPOINTS):
        options.setdefault("allow_http", "true")
    return _library().from_url(url, client_options=options)


def _is_on_this_machine(endpoint: str) -> bool:
    """Whether an endpoint is plain HTTP that leaves no machine."""
    try:
        parts = urlsplit(endpoint)
        host = parts.hostname or ""
        return parts.scheme == "http" and (host == "localhost" or ipaddress.ip_address(host).is_loopback)
    except ValueError:  # no address in numbers
        return False


def _library() -> Any:
    return require("obstore.store", "cloud", "a store")
