# SPDX-License-Identifier: MIT
"""The checked path into the array functions of the core, for calls that the fast path does not take.

A kernel (``_core.quat_multiply``) takes arrays as they are, and anything else that NumPy makes float32 or
float64 of; its errors are NumPy's. So public functions try the kernel first and come here with the rest: to
change the order of components, to check `out`, to say which argument is wrong::

    if not scalar_first:
        try:
            return _core.quat_multiply(a, b, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(_core.quat_multiply, "quat.multiply", {"a": a, "b": b}, out, scalar_first)
"""

from __future__ import annotations

import math
import operator
import re
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from lissom._base.arrays import as_numbers, check_out

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    Shape = tuple[int, ...]
    Core = tuple[int | str, ...]  # a letter for a length that the arguments decide

Result = TypeVar("Result")


def call(
    kernel: Callable[..., Result],
    function: str,
    operands: Mapping[str, Any],
    out: Any = None,
    scalar_first: bool = False,
    no_answer: str | Callable[..., str] = "",
) -> Result:
    """Call `kernel` with `operands`, by name and in its order, or raise what is wrong with them.

    In a signature like "(n,8),(n)->(8)", letters are lengths that the arguments decide and agree on.
    With `scalar_first`, operands of four and eight numbers are quaternions and dual quaternions whose w comes
    first, on either side. `no_answer` says of a row without an answer what it should have been, what it is
    and what to do, as in "q must not be zero, got zero; pass ..."; or it is a function that says so of the
    first such row, given that row of each operand. The index comes before what to do. A kernel that checks
    its rows needs it.

    TypeError for what is not an array of real numbers and for an `out` of another precision than the result;
    ValueError for shapes, a read-only `out` and rows without an answer. Then `out` is as it was.
    """
    ufunc: np.ufunc = kernel.__self__  # type: ignore[attr-defined]  # as the fast path finds it
    inputs, outputs = _core_shapes(ufunc)
    if scalar_first and out is None:  # the fast path again: the checks below cost more than the rest
        try:
            values = [_rolled(value, core, -1) for value, core in zip(operands.values(), inputs, strict=True)]
            found = kernel(*values)
            given = found if isinstance(found, tuple) else (found,)
            results = tuple(_rolled(result, core, 1) for result, core in zip(given, outputs, strict=True))
            return cast("Result", results if len(results) > 1 else results[0])
        except (TypeError, ValueError, IndexError):  # refused below, with a message of ours
            pass
    arrays = [
        as_operand(function, name, value, core)
        for (name, value), core in zip(operands.items(), inputs, strict=True)
    ]
    named = dict(zip(operands, arrays, strict=True))
    lengths = _lengths(function, named, inputs)
    batch = _batch(function, named, inputs)
    if out is not None:
        out = out if len(outputs) > 1 else (out,)
        dtype = result_dtype(arrays)
        check_outputs(
            function,
            out,
            [
                batch + tuple(lengths[side] if isinstance(side, str) else side for side in core)
                for core in outputs
            ],
            [_output_dtype(ufunc, i, dtype) for i in range(len(outputs))],
        )
    if scalar_first:
        arrays = [_rolled(array, core, -1) for array, core in zip(arrays, inputs, strict=True)]
    # A kernel that may find no answer half way must not have written by then.
    direct = out is not None and not scalar_first and not no_answer
    try:
        results = ufunc(*arrays, out=out) if direct else ufunc(*arrays)
    except ValueError:
        if not no_answer:
            raise
        index, row = _first_without_answer(ufunc, arrays, inputs, batch)
        words = no_answer(*row) if callable(no_answer) else no_answer
        raise no_answer_error(function, words, index) from None
    results = results if isinstance(results, tuple) else (results,)
    if scalar_first:
        results = tuple(_rolled(result, core, 1) for result, core in zip(results, outputs, strict=True))
    if out is not None:
        if not direct:
            for target, result in zip(out, results, strict=True):
                target[...] = result
        results = tuple(out)
    return cast("Result", results if len(results) > 1 else results[0])


def call_along(
    kernel: Callable[..., NDArray[Any]],
    function: str,
    q: Any,
    axis: int,
    out: Any = None,
    scalar_first: bool = False,
) -> NDArray[Any]:
    """Call a kernel of signature "(n,4)->(n,4)" or "(n,8)->(n,8)" with n along a leading axis of `q`."""
    array = as_numbers(q, f"{function}: q")
    if array.ndim < 2:  # has no such axis
        return call(kernel, function, {"q": array}, out, scalar_first)
    place = leading_axis(function, axis, array)
    target = out
    if out is not None:
        check_outputs(function, (out,), [array.shape], [result_dtype([array])])
        target = np.moveaxis(out, place, -2)
    result = call(kernel, function, {"q": np.moveaxis(array, place, -2)}, target, scalar_first)
    return np.moveaxis(result, -2, place) if out is None else cast("NDArray[Any]", out)


def leading_axis(function: str, axis: int, array: NDArray[Any]) -> int:
    """`axis` counted from the front; the last axis of `array`, which holds the components, does not count."""
    try:
        place = operator.index(axis)
    except TypeError:
        raise TypeError(f"{function}: axis must be an integer, got {type(axis).__name__}") from None
    count = array.ndim - 1
    if not -count <= place < count:
        raise ValueError(
            f"{function}: axis must be at least {-count} and less than {count}, the number of leading axes "
            f"of shape {array.shape}, got {place}"
        )
    return place % count


def no_answer_error(function: str, words: str, index: Shape) -> ValueError:
    """Return the error for the row at `index`, inserted before the advice that follows "; " in `words`."""
    expected, *advice = words.split("; ", 1)
    place = f" at index {index if len(index) > 1 else index[0]}" if index else ""
    return ValueError("; ".join([f"{function}: {expected}{place}", *advice]))


def result_dtype(arrays: Sequence[Any]) -> np.dtype[Any]:
    """float32 where every array becomes it without loss, else float64; Python numbers follow the arrays."""
    dtypes = [array.dtype for array in arrays if isinstance(array, (np.ndarray, np.generic))]
    single = all(np.can_cast(dtype, np.float32, "safe") for dtype in dtypes)
    return np.dtype(np.float32 if dtypes and single else np.float64)


def rolled(array: NDArray[Any], shift: int) -> NDArray[Any]:
    """Move w of quaternions, or of both halves of dual quaternions: by 1 to the front, by -1 to the end."""
    halves = array.reshape(*array.shape[:-1], array.shape[-1] // 4, 4)
    result = np.empty(halves.shape, halves.dtype)  # two slices: numpy.roll takes three times as long
    if shift > 0:
        result[..., 0], result[..., 1:] = halves[..., 3], halves[..., :3]
    else:
        result[..., 3], result[..., :3] = halves[..., 0], halves[..., 1:]
    return result.reshape(array.shape)


def _rolled(array: Any, core: Core, shift: int) -> Any:
    """Roll what holds (dual) quaternions, "(4)" or "(n,8)", and no matrix."""
    holds_quats = core[-1:] in ((4,), (8,)) and all(isinstance(side, str) for side in core[:-1])
    return rolled(np.asarray(array), shift) if holds_quats else array


@cache
def _core_shapes(ufunc: np.ufunc) -> tuple[list[Core], list[Core]]:
    """Of "(n,8),()->(3,3)": [("n", 8), ()] and [(3, 3)]."""
    assert ufunc.signature is not None
    shapes = [
        [
            tuple(int(side) if side.isdigit() else side for side in core.split(",") if side)
            for core in re.findall(r"\((.*?)\)", operands)
        ]
        for operands in ufunc.signature.split("->")
    ]
    return shapes[0], shapes[1]


def as_operand(function: str, name: str, value: Any, core: Core) -> Any:
    """`value` as an array whose last axes are `core`; a Python number where that is () stays one."""
    if not core and isinstance(value, (int, float)) and not isinstance(value, np.generic):
        return value  # a Python number has no precision of its own
    array = as_numbers(value, f"{function}: {name}")
    if not np.can_cast(array.dtype, np.float64, "safe"):
        raise TypeError(
            f"{function}: {name} must become float32 or float64 without loss, got {array.dtype}; "
            "convert it first"
        )
    if array.ndim < len(core) or any(
        isinstance(side, int) and side != got
        for side, got in zip(core, array.shape[array.ndim - len(core) :], strict=True)
    ):
        expected = "(..., " + ", ".join(map(str, core)) + ")"
        raise ValueError(f"{function}: {name} must have shape {expected}, got {array.shape}")
    return array


def _lengths(function: str, arrays: Mapping[str, Any], cores: Sequence[Core]) -> dict[int | str, int]:
    """Return the length that each letter of a signature stands for."""
    lengths: dict[int | str, int] = {}
    first: dict[str, str] = {}
    for (name, array), core in zip(arrays.items(), cores, strict=True):
        for side, length in zip(reversed(core), reversed(np.shape(array)), strict=False):
            if isinstance(side, int):
                continue
            if lengths.setdefault(side, length) != length:
                raise ValueError(
                    f"{function}: {name} must have {side} = {lengths[side]}, as {first[side]} has, "
                    f"got {length}"
                )
            first.setdefault(side, name)
    return lengths


def _batch(function: str, arrays: Mapping[str, Any], cores: Sequence[Core]) -> Shape:
    shapes = {
        name: np.shape(array)[: np.ndim(array) - len(core)]
        for (name, array), core in zip(arrays.items(), cores, strict=True)
    }
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        got = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        last = [name for name, shape in shapes.items() if shape][-1]
        raise ValueError(
            f"{function}: leading axes must broadcast, got {got}; "
            f"{last}[:, None] would pair each {last} with all of the others"
        ) from None


def _output_dtype(ufunc: np.ufunc, index: int, dtype: np.dtype[Any]) -> np.dtype[Any]:
    truth = ufunc.types[0].split("->")[1][index] == "?"
    return np.dtype(np.bool_) if truth else dtype


def check_outputs(function: str, out: Any, shapes: Sequence[Shape], dtypes: Sequence[np.dtype[Any]]) -> None:
    """Refuse an `out`, always a tuple, of other shapes or dtypes: it is never converted."""
    if len(shapes) > 1 and not (isinstance(out, tuple) and len(out) == len(shapes)):
        raise TypeError(f"{function}: out must be a tuple of {len(shapes)} arrays, got {type(out).__name__}")
    for i, (array, shape, dtype) in enumerate(zip(out, shapes, dtypes, strict=True)):
        name = "out" if len(shapes) == 1 else f"out[{i}]"
        check_out(array, f"{function}: {name}", shape, dtype, contiguous=False)


def _first_without_answer(
    ufunc: np.ufunc, arrays: Sequence[Any], cores: Sequence[Core], batch: Shape
) -> tuple[Shape, list[Any]]:
    """Return the index of that row, and the row of each array."""

    def rows_of(array: Any, core: Core) -> Any:
        shape = np.shape(array)[np.ndim(array) - len(core) :]
        return np.broadcast_to(array, batch + shape).reshape(count, *shape)

    count = math.prod(batch)
    rows = [rows_of(array, core) for array, core in zip(arrays, cores, strict=True)]
    first, last = 0, count  # the row is in [first, last)
    while last - first > 1:
        middle = (first + last) // 2
        try:
            ufunc(*(array[first:middle] for array in rows))
        except ValueError:
            last = middle
        else:
            first = middle
    index = tuple(int(i) for i in np.unravel_index(first, batch)) if batch else ()
    return index, [array[first] for array in rows]
