# SPDX-License-Identifier: MIT
"""What a store is: bytes by keys, and one step in which a key is created or found to exist."""

from __future__ import annotations

import contextlib
import re
import secrets
from collections.abc import Iterator
from typing import Protocol

__all__ = ["Store", "check_key", "require_create"]

MOST_KEY_BYTES = 1024
"""Of S3 and GCS, the least that any of the stores allows."""


class Store(Protocol):
    """Bytes by keys such as ``"bakes/hero.safetensors"``. It can be pickled, and used by several threads."""

    @property
    def url(self) -> str:
        """What opens it again; of a folder, its absolute path."""

    def read(self, key: str) -> bytes:
        """Return the bytes of a key. FileNotFoundError where there is none."""

    def size(self, key: str) -> int:
        """Return the number of bytes of a key, not read. FileNotFoundError where there is none."""

    def write(self, key: str, data: bytes) -> None:
        """Set the bytes of a key, all or none: writing them twice does no harm."""

    def create(self, key: str, data: bytes) -> bool:
        """Set the bytes of a key unless it exists, in one step; return whether it did not."""

    def keys(self, prefix: str) -> Iterator[str]:
        """Yield the keys below a prefix such as ``"records/"``, in no order."""

    def delete(self, key: str) -> None:
        """Remove a key; no fault where there is none."""


def require_create(store: Store) -> None:
    """Refuse a store whose `create` replaces what exists, after trying it. ValueError, OSError."""
    key = f"try-{secrets.token_hex(8)}"  # in no folder, which would stay
    try:
        store.create(key, b"1")  # may find its own, where an answer was lost and the library tried again
        if not store.create(key, b"2"):
            return
        raise ValueError(
            f"store: {store.url} replaces a key that exists where it is to be created only if there is "
            "none, which keeps two runs apart; use a server that holds If-None-Match, such as S3 or MinIO"
        )
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, store.url) from None  # the key is nothing to users
    finally:
        with contextlib.suppress(Exception):  # the first create may have failed
            store.delete(key)


def check_key(key: str) -> str:
    """Return a key; refuse a name that is none in every store."""
    parts = key.split("/")
    fault = ""
    if not all(parts) or "." in parts or ".." in parts:
        fault = "have parts divided by single slashes, none of them '.' or '..'"
    elif key.startswith("."):  # what a folder keeps for itself
        fault = "not begin with a dot"
    elif re.search(r"[\x00-\x1f\x7f\\]", key):
        fault = "have no control characters and no backslash"
    else:
        try:
            size = len(key.encode())
        except UnicodeEncodeError:
            fault = "be valid Unicode"
        else:
            if size > MOST_KEY_BYTES:
                fault = f"have at most {MOST_KEY_BYTES} bytes"
    if fault:
        shown = repr(key if len(key) < 100 else f"{key[:100]}...")
        raise ValueError(f"store: key must {fault}, got {shown}")
    return key
