# SPDX-License-Identifier: MIT
"""What a store is: bytes by keys, and one step in which a key is created or found to exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

__all__ = ["Store", "check_key"]

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

    def require_create(self) -> None:
        """Refuse a store whose `create` replaces what exists, after trying it. ValueError, OSError."""


def check_key(key: str) -> str:
    """Return a key; refuse a name that is none in every store."""
    parts = key.split("/")
    fault = ""
    if not all(parts) or "." in parts or ".." in parts:
        fault = "have parts divided by single slashes, none of them '.' or '..'"
    elif re.search(r"[\x00-\x1f\x7f\\]", key):
        fault = "have no control characters and no backslash"
    elif re.search(r"#\d+\Z", key):  # of files that are being written, which are not listed
        fault = "not end in # and a number"
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
