# SPDX-License-Identifier: MIT
"""What all solvers do before and after the core: check arguments, broadcast, build the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import _core
from lissom._base.arrays import FLOAT32, FLOAT64, as_numbers, check_out
from lissom._base.numbers import check_number, whole_number
from lissom._base.pose_batch import as_poses, as_weights, common_batch, spread
from lissom._rig.skeleton import Skeleton
from lissom.ik._chain import Chain, cached_tree
from lissom.ik._result import IkResult, new_result

Chains: TypeAlias = Chain | Sequence[Chain]

INT32, BOOL, UINT8 = np.dtype(np.int32), np.dtype(np.bool_), np.dtype(np.uint8)
_MOST_ITERATIONS = 2**24  # the core counts in the precision of the poses: float32 is exact up to this
_ONES = {dtype: np.ones((), dtype) for dtype in (FLOAT32, FLOAT64)}


def prepared(function: str, chains: Chains) -> tuple[_core.IkTree, Skeleton, int | None]:
    """Return chains as the core takes them, their skeleton, and the length of the list; None for no list."""
    if not isinstance(chains, Chain):
        _check_chains(function, chains)
    try:
        if isinstance(chains, Chain):
            return chains._tree, chains.skeleton, None
        return cached_tree(tuple(chains)), chains[0].skeleton, len(chains)
    except ValueError as error:  # of a tree, which any solver may be the first to need
        raise ValueError(f"{function}: {str(error).removeprefix('ik: ')}") from None


def _check_chains(function: str, chains: object) -> None:
    if isinstance(chains, str) or not isinstance(chains, Sequence):
        raise TypeError(
            f"{function}: chains must be an ik.Chain or a list of them, got {type(chains).__name__}"
        )
    for chain in chains:
        if not isinstance(chain, Chain):
            raise TypeError(
                f"{function}: chains must be an ik.Chain or a list of them, "
                f"got a list with {type(chain).__name__} in it"
            )
    if not chains:
        raise ValueError(f"{function}: chains must hold at least one ik.Chain, got an empty list")


def solve(
    function: str,
    kernel: Callable[..., None],
    chains: Chains,
    poses: ArrayLike,
    targets: ArrayLike,
    orientations: ArrayLike | None,
    *own: Any,
    weight: ArrayLike,
    tolerance: float,
    max_iterations: int,
    start: ArrayLike | None,
    continuous: bool,
    out: NDArray[Any] | None,
    rows: Sequence[tuple[str, ArrayLike | None, int]] = (),
    says_why: bool = False,
) -> IkResult:
    """Check the arguments of a solver, run its kernel, and return the result in the shape of the call.

    The poses determine the precision. The kernel takes the tree, the arguments that all solvers have, the
    arrays of `rows` (name, value, numbers per chain; arrays of one number have no last axis), where it
    `says_why` an array for that, then `own`.
    """
    tree, skeleton, count = prepared(function, chains)
    if type(tolerance) is not float:
        tolerance = check_number(tolerance, f"{function}: tolerance")
    if type(max_iterations) is not int or not 0 <= max_iterations <= _MOST_ITERATIONS:
        max_iterations = min(whole_number(max_iterations, f"{function}: max_iterations"), _MOST_ITERATIONS)
    joints = len(skeleton)
    inputs = _poses(function, "poses", poses, joints)
    starts = None if start is None else _poses(function, "start", start, joints)
    if starts is not None and starts.dtype != inputs.dtype:
        inputs, starts = inputs.astype(FLOAT64), starts.astype(FLOAT64)
    dtype = inputs.dtype
    positions = _rows(function, "targets", targets, count, 3, dtype)
    rotations = None
    if orientations is not None:
        rotations = _rows(function, "orientations", orientations, count, 4, dtype)
    is_full = type(weight) is float and weight == 1
    weights = _ONES[dtype] if is_full else as_weights(weight, f"{function}: weight", dtype)
    more = [
        value if value is None else _rows(function, name, value, count, length, dtype)
        for name, value, length in rows
    ]
    batch = inputs.shape[:-2]
    if rows or positions.shape[:-2] != batch or weights.ndim or starts is not None or rotations is not None:
        leading = [batch, positions.shape[:-2], weights.shape]
        leading += [array.shape[:-2] for array in (starts, rotations, *more) if array is not None]
        batch = common_batch(function, leading)
    frames = 1
    if continuous:
        if not batch:
            raise ValueError(
                f"{function}: continuous must have an axis of time, the last of the leading axes, got one "
                "pose"
            )
        frames = batch[-1] or 1
    items = prod(batch)
    chain_count = 1 if count is None else count
    out = (
        np.empty((*batch, joints, 10), dtype)
        if out is None
        else check_out(out, f"{function}: out", (*batch, joints, 10), dtype)
    )
    residual = np.empty((items, chain_count), dtype)
    angle = None if rotations is None else np.empty((items, chain_count), dtype)
    iterations = np.empty(items, INT32)
    reached = np.empty((items, chain_count), BOOL)
    limited = np.empty((items, joints), BOOL)
    arguments = (  # the fields of IkArguments in src/bindings/ik.cpp
        _items(inputs, batch, 2),
        None if starts is None else _items(starts, batch, 2),
        _items(positions, batch, 2),
        None if rotations is None else _items(rotations, batch, 2),
        _items(weights, batch, 0),
        frames,
        tolerance,
        max_iterations,
        out.reshape(items, joints, 10),
        residual,
        angle,
        iterations,
        reached.view(UINT8),
        limited.view(UINT8),
    )
    stops = [np.empty(items, UINT8)] if says_why else []
    more_items = [None if array is None else _items(array, batch, 2) for array in more]
    kernel(tree, arguments, *more_items, *stops, *own)
    if not batch and count is None:  # scalars, faster than by reshaping
        single_angle = None if angle is None else angle[0, 0]
        stop = stops[0][0] if says_why else None
        return new_result(out, residual[0, 0], iterations[0], reached[0, 0], limited[0], single_angle, stop)
    shape = batch if count is None else (*batch, count)
    return new_result(
        out,
        residual.reshape(shape)[()],
        iterations.reshape(batch)[()],
        reached.reshape(shape)[()],
        limited.reshape(*batch, joints),
        None if angle is None else angle.reshape(shape)[()],
        stops[0].reshape(batch) if says_why else None,
    )


def _poses(function: str, name: str, value: ArrayLike, joints: int) -> NDArray[Any]:
    """Return poses (..., joints, 10) of float32 or float64."""
    if type(value) is np.ndarray:  # first, since the general check is slow compared with one solve
        flags, dtype = value.flags, value.dtype
        if (
            (dtype is FLOAT32 or dtype is FLOAT64)
            and value.shape[-2:] == (joints, 10)
            and flags.c_contiguous
            and flags.aligned
        ):
            return value
    poses = as_poses(value, f"{function}: {name}")
    if poses.shape[-2] != joints:
        raise ValueError(
            f"{function}: {name} must have the {joints} joints of the chain's skeleton, got {poses.shape[-2]}"
        )
    return poses


def _rows(
    function: str, name: str, value: ArrayLike, count: int | None, length: int, dtype: np.dtype[Any]
) -> NDArray[Any]:
    """Return one row for each chain, shape (..., E, length)."""
    if (
        type(value) is np.ndarray
        and value.dtype is dtype
        and value.flags.c_contiguous
        and value.flags.aligned
    ):
        rows = value
    else:
        rows = np.require(as_numbers(value, f"{function}: {name}"), dtype, ["C", "A"])
    shape = rows.shape
    if length == 1:
        if count is None:
            return rows[..., None, None]
        if not shape or shape[-1] == count:
            return (rows if shape else np.full(count, rows))[..., None]
        raise ValueError(f"{function}: {name} must have shape (..., {count}), got {shape}")
    if count is None:
        if shape[-1:] == (length,):
            return rows[..., None, :]
    elif shape[-2:] == (count, length):
        return rows
    expected = (
        f"(..., {length})" if count is None else f"(..., {count}, {length}), a row for each of {count} chains"
    )
    raise ValueError(f"{function}: {name} must have shape {expected}, got {shape}")


def _items(array: NDArray[Any], batch: tuple[int, ...], own_axes: int) -> NDArray[Any]:
    """Return `array` with one axis of items, or with none where it is the same for all."""
    axes = array.ndim - own_axes
    if not axes or (axes == 1 and len(batch) == 1 and array.shape[0] == batch[0]):
        return array
    flat = spread(array, batch, own_axes)
    own = flat.shape[flat.ndim - own_axes :]
    return flat if flat.ndim == own_axes else flat.reshape(-1, *own)
