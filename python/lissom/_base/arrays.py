# SPDX-License-Identifier: MIT
"""The one place where what a user passes becomes the array that the core takes."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

FLOAT32 = np.dtype(np.float32)
FLOAT64 = np.dtype(np.float64)


def as_floats(value: ArrayLike, what: str) -> NDArray[Any]:
    """Return `value` as an aligned, C-contiguous float32 or float64 array, copied only where it is not one.

    float32 and float64 arrays keep their type; everything else (lists, integers, float16) becomes float32.
    `what` names function and argument in errors: TypeError for what is not a number (complex ones, text,
    None), ValueError for rows of different lengths.
    """
    if type(value) is np.ndarray:
        dtype = value.dtype
        if (dtype is FLOAT32 or dtype is FLOAT64) and value.flags.c_contiguous and value.flags.aligned:
            return value
    array = as_numbers(value, what)
    keeps = isinstance(value, (np.ndarray, np.generic)) and array.dtype.kind == "f" and array.itemsize >= 4
    dtype = FLOAT64 if keeps and array.itemsize > 4 else FLOAT32
    if array.dtype == dtype:
        return np.require(array, dtype, ["C", "A"])
    with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite
        return np.require(array, dtype, ["C", "A"])


def as_numbers(value: ArrayLike, what: str) -> NDArray[Any]:
    """Return `value` as an array of real numbers of whatever type."""
    refuse_masked(value, what)
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{what} must be an array of equally long rows ({error})") from None
    if array.dtype.kind not in "fiub":
        # Of one object of a foreign type, say the type.
        is_foreign = array.ndim == 0 and array.dtype.kind == "O"
        got = type(value).__name__ if is_foreign else array.dtype
        advice = _advice(value) if is_foreign else ""
        raise TypeError(f"{what} must be an array of real numbers, got {got}{advice}")
    return array


def refuse_masked(value: object, what: str) -> None:
    """Raise TypeError for a masked array, also in a list: its numbers are taken without its mask."""
    if type(value) is np.ndarray:
        return
    if "numpy.ma" not in sys.modules:  # so nobody has made one; it takes longer to import than most calls run
        return
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{what} is a masked array, whose mask lissom would ignore; pass its .filled(...)")
    if isinstance(value, (list, tuple)) and _holds_masked(value, depth=2):
        raise TypeError(f"{what} holds a masked array, whose mask lissom would ignore; pass its .filled(...)")


def _holds_masked(values: list[Any] | tuple[Any, ...], depth: int) -> bool:
    """Return whether a list holds a masked array. No deeper than `depth` lists: they may hold themselves."""
    kinds = set(map(type, values))
    if any(issubclass(kind, np.ma.MaskedArray) for kind in kinds):
        return True
    if depth == 1 or not any(issubclass(kind, (list, tuple)) for kind in kinds):
        return False
    return any(_holds_masked(each, depth - 1) for each in values if isinstance(each, (list, tuple)))


def finite_floats(value: ArrayLike, what: str, shape: tuple[int, ...] | None = None) -> NDArray[np.float64]:
    """Return a float64 copy of finite numbers, of a shape where one is given.

    `what` names function and argument in errors.
    """
    array = as_numbers(value, what).astype(np.float64)
    if shape is not None and array.shape != shape:
        raise ValueError(f"{what} must have shape {shape}, got {array.shape}")
    finite = np.isfinite(array)
    if not finite.all():
        raise ValueError(f"{what} must be finite, got {array[~finite][0]}")
    return array


def _advice(value: object) -> str:
    """Say which attribute of an object holds the poses."""
    if hasattr(value, "sample"):  # clips, and blend spaces
        return "; pass poses of it: .sample(times)"
    for name in ("pose", "poses"):  # results of solvers and of foot placement
        if isinstance(getattr(value, name, None), np.ndarray):
            return f"; pass its .{name}"
    return ""


def batch_sides(function: str, shape: int | tuple[int, ...]) -> tuple[int, ...]:
    """Return the leading axes of an array that a function makes."""
    try:
        return np.broadcast_shapes(shape)
    except TypeError:
        raise TypeError(f"{function}: shape must be an integer or a tuple of them, got {shape!r}") from None
    except ValueError:
        raise ValueError(f"{function}: shape must not be negative, got {shape!r}") from None


def float_dtype(function: str, dtype: DTypeLike) -> np.dtype[Any]:
    """Return the precision of an array that a function makes."""
    try:
        precision = np.dtype(dtype)
    except TypeError:
        raise TypeError(f"{function}: dtype must be float32 or float64, got {dtype!r}") from None
    if precision not in (FLOAT32, FLOAT64):
        raise TypeError(f"{function}: dtype must be float32 or float64, got {precision}")
    return precision


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view of `array` that cannot be written."""
    view = array.view()
    view.flags.writeable = False
    return view


def quads_advice(shape: tuple[int, ...]) -> str:
    """Say how to pass faces of four corners as triangles; nothing for other shapes."""
    return "; split each face into two triangles" if len(shape) == 2 and shape[1] == 4 else ""


def check_out(
    out: object, what: str, shape: tuple[int, ...], dtype: np.dtype[Any], *, contiguous: bool = True
) -> NDArray[Any]:
    """Return `out` if a result can be written there: it is never converted, nor written in part.

    Raises TypeError for another type or dtype and, unless `contiguous` is False, for an array that is not
    C-contiguous; ValueError for another shape and a read-only array. `what` names function and argument.
    """
    refuse_masked(out, what)
    if not isinstance(out, np.ndarray) or out.dtype != dtype:
        got = out.dtype if isinstance(out, np.ndarray) else type(out).__name__
        raise TypeError(f"{what} must be an array of {dtype}, got {got}; it is never converted")
    if out.shape != shape:
        raise ValueError(f"{what} must have shape {shape}, got {out.shape}")
    if not out.flags.writeable:
        raise ValueError(f"{what} must be writeable, got a read-only array; pass a copy")
    if contiguous and not out.flags.c_contiguous:
        raise TypeError(
            f"{what} must be C-contiguous, got strides {out.strides}; pass np.empty of that shape"
        )
    return out
