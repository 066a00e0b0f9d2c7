# SPDX-License-Identifier: MIT
"""What all solvers do before and after the core: chains, shapes, precision, results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import _core
from lissom._arrays import FLOAT64, as_numbers
from lissom._pose_batch import as_poses, as_weights, common_batch, spread
from lissom.ik._chain import Chain, cached_tree
from lissom.ik._result import IkResult
from lissom.skeleton import Skeleton

Chains: TypeAlias = Chain | Sequence[Chain]


def prepared(function: str, chains: Chains) -> tuple[_core.IkTree, Skeleton, int | None]:
    """Give chains as the core takes them, their skeleton, and the length of the list; None without one."""
    if isinstance(chains, Chain):
        return chains._tree, chains.skeleton, None
    if not isinstance(chains, Sequence) or not all(isinstance(chain, Chain) for chain in chains):
        raise TypeError(
            f"{function}: chains must be an ik.Chain or a list of them, got {type(chains).__name__}"
        )
    if not chains:
        raise ValueError(f"{function}: chains must hold at least one ik.Chain, got an empty list")
    return cached_tree(tuple(chains)), chains[0].skeleton, len(chains)


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
) -> IkResult:
    """Check what a solver was given, run its kernel, and give the result its shape.

    The poses decide about the precision. `own` goes to the kernel after what all of them take.
    """
    tree, skeleton, count = prepared(function, chains)
    joints = len(skeleton)
    given = as_poses(poses, f"{function}: poses")
    begun = None if start is None else as_poses(start, f"{function}: start")
    if begun is not None and begun.dtype != given.dtype:
        given, begun = given.astype(FLOAT64), begun.astype(FLOAT64)
    for name, array in (("poses", given), ("start", begun)):
        if array is not None and array.shape[-2] != joints:
            raise ValueError(
                f"{function}: {name} must have the {joints} joints of the chain's skeleton, "
                f"got {array.shape[-2]}"
            )
    dtype = given.dtype
    wanted = _rows(targets, f"{function}: targets", count, 3, dtype)
    turned = (
        None if orientations is None else _rows(orientations, f"{function}: orientations", count, 4, dtype)
    )
    weights = as_weights(weight, f"{function}: weight", dtype)
    leading = [given.shape[:-2], wanted.shape[:-2], weights.shape]
    if begun is not None:
        leading.append(begun.shape[:-2])
    if turned is not None:
        leading.append(turned.shape[:-2])
    batch = common_batch(function, leading)
    frames = 1
    if continuous:
        if not batch:
            raise ValueError(
                f"{function}: continuous needs an axis of time, the last of the leading axes; got one pose"
            )
        frames = batch[-1] or 1
    items = int(np.prod(batch)) if batch else 1
    chain_count = 1 if count is None else count
    if out is None:
        out = np.empty((*batch, joints, 10), dtype)
    elif not isinstance(out, np.ndarray) or out.shape != (*batch, joints, 10) or out.dtype != dtype:
        got = f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
        error = ValueError if isinstance(out, np.ndarray) and out.dtype == dtype else TypeError
        raise error(f"{function}: out must be a {dtype} array of shape {(*batch, joints, 10)}, got {got}")
    elif not out.flags.c_contiguous or not out.flags.writeable:
        raise TypeError(f"{function}: out must be C-contiguous and writeable")
    residual = np.empty((items, chain_count), dtype)
    angle = None if turned is None else np.empty((items, chain_count), dtype)
    iterations = np.empty(items, np.int32)
    reached = np.empty((items, chain_count), np.uint8)
    limited = np.empty((items, joints), np.uint8)
    kernel(
        tree,
        _items(given, batch, 2),
        None if begun is None else _items(begun, batch, 2),
        _items(wanted, batch, 2),
        None if turned is None else _items(turned, batch, 2),
        _items(weights, batch, 0),
        frames,
        tolerance,
        max_iterations,
        out.reshape(items, joints, 10),
        residual,
        angle,
        iterations,
        reached,
        limited,
        *own,
    )
    shape = batch if count is None else (*batch, count)
    return IkResult(
        out,
        residual.reshape(shape)[()],
        iterations.reshape(batch)[()],
        reached.view(np.bool_).reshape(shape)[()],
        limited.view(np.bool_).reshape(*batch, joints),
        None if angle is None else angle.reshape(shape)[()],
    )


def _rows(value: ArrayLike, what: str, count: int | None, length: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Give one row for each chain, shape (..., E, length)."""
    rows = np.require(as_numbers(value, what), dtype, ["C", "A"])
    expected = f"(..., {length})" if count is None else f"(..., {count}, {length})"
    if (
        rows.ndim < (1 if count is None else 2)
        or rows.shape[-1] != length
        or (count is not None and rows.shape[-2] != count)
    ):
        raise ValueError(f"{what} must have shape {expected}, got {rows.shape}")
    return rows[..., None, :] if count is None else rows


def _items(array: NDArray[Any], batch: tuple[int, ...], own_axes: int) -> NDArray[Any]:
    """Give `array` with one axis of items, or without where it is the same for all."""
    flat = spread(array, batch, own_axes)
    own = flat.shape[flat.ndim - own_axes :]
    return flat if flat.ndim == own_axes else flat.reshape(-1, *own)
