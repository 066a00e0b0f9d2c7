# SPDX-License-Identifier: MIT
"""Bundles as the text of a page: filtered, deflated, in base64. js/unpack.js is the inverse.

A filtered array of n rows and c columns holds unsigned integers of its type's width; byte k of the number in
row i and column j is at ``(k c + j) n + i``, so that similar bytes are adjacent. Order 1 and 2 store first
and second differences from row to row, modulo the type's range, zigzag coded (the sign in the lowest bit):
motion is smooth, so second differences of texels are small. The coding is lossless.
"""

from __future__ import annotations

import base64
import json
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.player._container import from_bytes, to_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["filtered", "packed", "unfiltered", "unpacked"]

ORDERS = (0, 1, 2)

LEVEL = 4
"""Of zlib, with its strategy for filtered data: half the time of level 6 for 1 to 2 % more bytes, a ninth of
that of level 9 for 2 to 4 %."""

SAMPLE = 1 << 17
"""Bytes of each array by which its order is chosen."""

_SIGNED = {1: np.int8, 2: np.int16, 4: np.int32}
_UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32}


def packed(bundle: bytes) -> str:
    """Return the base64 of a bundle, each array filtered by the order that deflates best.

    Pictures are left as they are: they are compressed already.
    """
    arrays, strings = from_bytes(bundle)
    orders = {}
    for name, array in arrays.items():
        if name.startswith("image.") or not array.size:
            continue
        orders[name] = _best_order(array)
        flat = np.frombuffer(filtered(array, orders[name]), np.uint8)
        arrays[name] = flat.view(array.dtype).reshape(array.shape)
    text = to_bytes(arrays, strings | {"filters": json.dumps(orders, separators=(",", ":"))})
    deflate = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS, 9, zlib.Z_FILTERED)
    return base64.b64encode(deflate.compress(text) + deflate.flush()).decode()


def _best_order(array: NDArray[Any]) -> int:
    """Return the order that deflates best the rows in the middle of an array, of `SAMPLE` bytes."""
    count = max(1, SAMPLE * len(array) // array.nbytes)
    first = max(0, (len(array) - count) // 2)
    rows = array[first : first + count]
    return min(ORDERS, key=lambda order: len(zlib.compress(filtered(rows, order), LEVEL)))


def unpacked(text: str) -> bytes:
    """Return the bundle of a text, byte for byte, as js/unpack.js does."""
    arrays, strings = from_bytes(zlib.decompress(base64.b64decode(text), -zlib.MAX_WBITS))
    for name, order in json.loads(strings.pop("filters")).items():
        array = arrays[name]
        arrays[name] = unfiltered(array.tobytes(), array.dtype, array.shape, order)
    return to_bytes(arrays, strings)


def filtered(array: NDArray[Any], order: int) -> bytes:
    """Return the byte planes of an array's numbers (order 0) or of their differences."""
    size = array.dtype.itemsize
    rows = np.ascontiguousarray(array).reshape(len(array), -1).view(_UNSIGNED[size])
    for _ in range(order):
        rows = np.concatenate([rows[:1], rows[1:] - rows[:-1]])
    if order:
        signed = rows.view(_SIGNED[size])
        rows = ((signed << 1) ^ (signed >> (8 * size - 1))).view(_UNSIGNED[size])
    planes = rows.astype(rows.dtype.newbyteorder("<"), copy=False).view(np.uint8).reshape(*rows.shape, size)
    return planes.transpose(2, 1, 0).tobytes()


def unfiltered(data: bytes, dtype: np.dtype[Any], shape: tuple[int, ...], order: int) -> NDArray[Any]:
    """Return the array of which `filtered` made `data`."""
    size = dtype.itemsize
    columns = len(data) // (shape[0] * size)
    planes = np.frombuffer(data, np.uint8).reshape(size, columns, shape[0])
    little = np.dtype(_UNSIGNED[size]).newbyteorder("<")
    rows = np.ascontiguousarray(planes.transpose(2, 1, 0)).view(little)[..., 0].astype(_UNSIGNED[size])
    if order:
        rows = (rows >> 1) ^ (np.zeros_like(rows) - (rows & 1))
    for _ in range(order):
        rows = np.cumsum(rows, axis=0, dtype=rows.dtype)
    return rows.view(dtype).reshape(shape)
