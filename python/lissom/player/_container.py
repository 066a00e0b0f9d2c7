# SPDX-License-Identifier: MIT
"""Named arrays and strings in memory: as ``.safetensors``, but each array starts at a multiple of 8 bytes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._formats.safetensors import DTYPES, NAMES, raw_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["from_bytes", "to_bytes", "with_string"]

ALIGNMENT = 8
"""Bytes: JavaScript's typed arrays must begin at a multiple of their item's size."""


def to_bytes(arrays: Mapping[str, NDArray[Any]], strings: Mapping[str, str]) -> bytes:
    """Return arrays and strings as one string of bytes; equal input yields equal bytes."""
    header: dict[str, Any] = {"__metadata__": dict(strings)}
    parts: list[bytes | memoryview] = []
    end = 0
    for name, array in arrays.items():
        header[name] = {
            "dtype": NAMES[array.dtype.newbyteorder("<")],
            "shape": list(array.shape),
            "data_offsets": [end, end + array.nbytes],
        }
        padding = -array.nbytes % ALIGNMENT
        parts += [raw_bytes(array), bytes(padding)]
        end += array.nbytes + padding
    return b"".join([_head(header), *parts])


def with_string(data: bytes, name: str, text: str) -> list[bytes | memoryview]:
    """Return the pieces of the same bytes with one more string."""
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    header["__metadata__"][name] = text
    return [_head(header), memoryview(data)[start:]]


def _head(header: Mapping[str, Any]) -> bytes:
    text = json.dumps(header, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % ALIGNMENT)
    return len(text).to_bytes(8, "little") + text


def from_bytes(data: bytes) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """Return the arrays, as read-only views of the bytes, and the strings, as js/data.js does."""
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    strings: dict[str, str] = header.pop("__metadata__")
    arrays = {}
    for name, entry in header.items():
        first, end = entry["data_offsets"]
        dtype = np.dtype(DTYPES[entry["dtype"]])
        arrays[name] = np.frombuffer(data, dtype, (end - first) // dtype.itemsize, start + first).reshape(
            entry["shape"]
        )
    return arrays, strings
