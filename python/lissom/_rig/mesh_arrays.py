# SPDX-License-Identifier: MIT
"""The arrays of a mesh: converted once, checked once, and read-only afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import _core
from lissom._base.arrays import quads_advice, refuse_masked
from lissom._base.row_sums import SHORT, row_sums

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["color_rows", "float_rows", "frozen", "influence_rows", "triangle_rows"]

# How far a row of weights may be from 1 before it is a mistake rather than rounding.
_WEIGHT_SUM_SLACK = 1e-3


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array that nobody can ever write: itself where that holds already, else a copy.

    The core trusts what it has checked. An array that owns its memory can be unlocked again, so only the
    memory of a `bytes` object will do, or what the core has sealed.
    """
    owner: Any = array
    while isinstance(owner, np.ndarray) and not owner.flags.writeable:
        owner = owner.base
    if isinstance(owner, memoryview):
        owner = owner.obj
    if isinstance(owner, (bytes, _core.SealedMemory)) and array.flags.c_contiguous and array.flags.aligned:
        return array
    return np.frombuffer(array.tobytes(), array.dtype).reshape(array.shape)


def _numbers(name: str, values: ArrayLike, kinds: str, wanted: str) -> NDArray[Any]:
    refuse_masked(values, f"Mesh: {name}")
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"Mesh: {name} must be an array of equally long rows ({error})") from error
    if array.size == 0 and array.dtype == np.float64 and not isinstance(values, np.ndarray):
        return array  # an empty list says nothing about its type
    if array.dtype.kind not in kinds:
        raise TypeError(f"Mesh: {name} must be {wanted}, got {array.dtype}")
    return array


def _shaped(name: str, array: NDArray[Any], rows: int | None, columns: int | None) -> NDArray[Any]:
    if array.size == 0 and array.ndim == 1 and rows in (None, 0):
        array = array.reshape(0, columns or 1)  # [] stands for no rows
    if array.ndim != 2 or (rows is not None and len(array) != rows) or columns not in (None, array.shape[1]):
        wanted = f"({'V' if rows is None else rows}, {'K' if columns is None else columns})"
        raise ValueError(f"Mesh: {name} must have shape {wanted}, got {array.shape}")
    return array


def float_rows(name: str, values: ArrayLike, rows: int | None, columns: int | None) -> NDArray[np.float32]:
    plain: NDArray[np.float32] | None
    plain = _core.plain_float_rows(values, -1 if rows is None else rows, -1 if columns is None else columns)
    if plain is not None:
        return plain
    array = _shaped(name, _numbers(name, values, "fiu", "an array of numbers"), rows, columns)
    with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite and is refused below
        array = np.ascontiguousarray(array, np.float32)
    if not _core.are_finite(array):
        row, column = np.argwhere(~np.isfinite(array))[0]
        raise ValueError(
            f"Mesh: {name} must be finite in float32, got {array[row, column]} in vertex {row}; "
            "remove or repair it"
        )
    return frozen(array)


def color_rows(values: ArrayLike, rows: int) -> NDArray[np.float32]:
    array = float_rows("colors", values, rows, 4)
    if array.size and not (array.min() >= 0 and array.max() <= 1):
        row = int(np.argwhere((array < 0) | (array > 1))[0, 0])
        most = float(array.max())
        advice = "divide bytes by 255" if most > 2 and (array == np.rint(array)).all() else "clip them"
        raise ValueError(
            f"Mesh: colors must lie in [0, 1], got {array[row].tolist()} in vertex {row}; {advice}"
        )
    return array


def triangle_rows(values: ArrayLike, vertex_count: int) -> NDArray[np.uint32]:
    plain: NDArray[np.uint32] | None = _core.plain_index_rows(values, -1, 3, vertex_count)
    if plain is not None:
        return plain
    array = _numbers("triangles", values, "iu", "an array of integers")
    if array.size == 0 and array.ndim == 1:
        array = array.reshape(0, 3)
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(
            f"Mesh: triangles must have shape (F, 3), got {array.shape}{quads_advice(array.shape)}"
        )
    _check_range("triangles", array, vertex_count, "vertices")
    return frozen(np.ascontiguousarray(array, np.uint32))


def _check_range(name: str, array: NDArray[Any], limit: int, things: str) -> None:
    if array.size and (array.min() < 0 or array.max() >= limit):
        row = int(np.argwhere((array < 0) | (array >= limit))[0, 0])
        raise ValueError(
            f"Mesh: {name} must be in [0, {limit}), the number of {things}, got {array[row].tolist()} "
            f"in row {row}"
        )


def influence_rows(
    indices: ArrayLike | None, weights: ArrayLike | None, count: int
) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[Any], NDArray[Any]]:
    """Return indices and weights as Python reads them, and as the core reads them."""
    if (indices is None) != (weights is None):
        missing = "indices" if indices is None else "weights"
        raise ValueError(f"Mesh: indices and weights belong together, got no {missing}; pass both or neither")
    if indices is None or weights is None:
        zeros, ones = frozen(np.zeros((count, 1), np.uint16)), frozen(np.ones((count, 1), np.float32))
        return zeros, ones, zeros, ones
    rows = _shaped("indices", _numbers("indices", indices, "iu", "an array of integers"), count, None)
    if rows.shape[1] == 0:
        raise ValueError(f"Mesh: indices must have at least one column, got {rows.shape}")
    narrow = rows.dtype == np.uint16
    if not narrow:
        _check_range("indices", rows, 1 << 32, "rows a palette can have")
        narrow = rows.size == 0 or int(rows.max()) < 1 << 16
    kept = frozen(np.ascontiguousarray(rows, np.uint16 if narrow else np.uint32))
    core_rows = frozen(np.ascontiguousarray(rows)) if rows.dtype == np.uint8 else kept
    refuse_masked(weights, "Mesh: weights")
    if isinstance(weights, np.ndarray) and weights.dtype in (np.uint8, np.uint16):
        whole = frozen(np.ascontiguousarray(_shaped("weights", weights, count, rows.shape[1])))
        parts = whole.astype(np.float32) / np.float32(np.iinfo(whole.dtype).max)
        return kept, frozen(parts), core_rows, whole
    shares = _normalized(float_rows("weights", weights, count, rows.shape[1]))
    return kept, shares, core_rows, shares


def _normalized(weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Divide each row by its sum, unless that changes nothing but the last bits."""
    # Each of K roundings to float32 moves the sum by up to 2^-25; rows as good as that stay as they are.
    slack = weights.shape[1] * 2.0**-25
    if weights.shape[1] < SHORT and _core.largest_weight_sum_error(weights) <= slack:
        return weights
    if (weights < 0).any():
        row = int(np.argwhere(weights < 0)[0, 0])
        raise ValueError(
            f"Mesh: weights must not be negative, got {weights[row].tolist()} in vertex {row}; "
            "set them to 0 and normalise the row"
        )
    sums = row_sums(weights)[:, None]
    off = np.abs(sums - 1)
    if (off > _WEIGHT_SUM_SLACK).any():
        row = int(np.argmax(off[:, 0] > _WEIGHT_SUM_SLACK))
        raise ValueError(
            f"Mesh: weights must sum to 1 within {_WEIGHT_SUM_SLACK:g} in each row, "
            f"got {sums[row, 0]:.6g} in vertex {row}; divide each row by its sum"
        )
    if not (off > slack).any():
        return weights
    return frozen((weights / sums).astype(np.float32))
