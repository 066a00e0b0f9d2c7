# SPDX-License-Identifier: MIT
"""Skin weights of files: checks, and repairs of what exporters are known to get wrong."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lissom import _core
from lissom._base.row_sums import row_sums
from lissom._files.gltf.log import Report, refuse

Floats: TypeAlias = NDArray[np.float32]
Indices: TypeAlias = NDArray[Any]  # uint8 or uint16 as files have them, or int64

# How far from 1 the sum of weights may be. Exporters round weights to float32 after normalising: rows of four
# stay within 2e-7 of 1, rows written with six decimals within 2e-6. Beyond this a vertex would visibly shrink
# towards the origin.
SUM_TOLERANCE = 1e-5

# So many columns are sorted by exchanging them: the work grows with the square of their number.
_FEW_COLUMNS = 8


def clean(
    joints: Indices, weights: Floats, joint_count: int, pointer: str, report: Report
) -> tuple[Indices, Floats]:
    """Return weights that are not negative and sum to 1 for each vertex, the largest first.

    Parameters
    ----------
    joints : ndarray of uint8, uint16 or int64, shape (vertex, influence)
        Indices into a skin's joints.
    weights : ndarray of float32, shape (vertex, influence)
        As stored.
    joint_count : int
        Joints of the skin.
    pointer : str
        JSON pointer of the primitive's attributes.
    report : function of (code, pointer, message)
        Called for each repair; a strict one raises.

    Returns
    -------
    joints, weights : ndarray
        Arrays of the same shape; slots of weight 0 name the first joint of the vertex.

    Raises
    ------
    GltfError
        ACCESSOR_JOINTS_INDEX_OOB.
    """
    joints, weights = np.ascontiguousarray(joints), np.ascontiguousarray(weights)
    ordered: tuple[Indices, Floats] | None
    ordered = _core.order_influences(joints, weights, joint_count, SUM_TOLERANCE)
    if ordered is not None:
        return ordered
    _check_range(joints, joint_count, pointer)
    weights = _without_nan(weights, pointer, report)
    weights = _without_negative(weights, pointer, report)
    weights = _without_duplicates(joints, weights, pointer, report)
    sums = row_sums(weights)
    off = np.abs(sums - 1) > SUM_TOLERANCE
    if off.any():
        weights = _normalized(weights, sums, off, pointer, report)
    joints, weights = heaviest_first(joints, weights)
    return np.where(weights > 0, joints, joints[:, :1]), weights


def _check_range(joints: Indices, joint_count: int, pointer: str) -> None:
    if joints.size and int(joints.max()) >= joint_count:
        vertex, slot = np.argwhere(joints >= joint_count)[0]
        refuse(
            "ACCESSOR_JOINTS_INDEX_OOB",
            f"{pointer}/JOINTS_{slot // 4}",
            f"joints must be below {joint_count}, the number of joints of the skin, got"
            f" {joints[vertex, slot]} for vertex {vertex}",
        )


def _rows(mask: NDArray[np.bool_]) -> tuple[int, int]:
    """Return the number of rows with a True, and the first of them."""
    rows = mask.any(axis=1)
    return int(np.count_nonzero(rows)), int(rows.argmax())


def _vertices(count: int) -> str:
    return "1 vertex has" if count == 1 else f"{count} vertices have"


def _without_nan(weights: Floats, pointer: str, report: Report) -> Floats:
    with np.errstate(invalid="ignore"):
        total = np.add.reduce(weights, axis=None, dtype=np.float64)
    if np.isfinite(total):
        return weights
    bad = ~np.isfinite(weights)
    return _zeroed(weights, bad, "ACCESSOR_INVALID_FLOAT", "weights that are not finite", pointer, report)


def _without_negative(weights: Floats, pointer: str, report: Report) -> Floats:
    bad = weights < 0
    if not bad.any():
        return weights
    return _zeroed(weights, bad, "ACCESSOR_WEIGHTS_NEGATIVE", "negative weights", pointer, report)


def _zeroed(
    weights: Floats, bad: NDArray[np.bool_], code: str, what: str, pointer: str, report: Report
) -> Floats:
    count, first = _rows(bad)
    report(
        code,
        f"{pointer}/WEIGHTS_{int(bad[first].argmax()) // 4}",
        f"{_vertices(count)} {what}, first vertex {first}; they were set to 0, the others normalised",
    )
    return np.where(bad, np.float32(0), weights)


def _without_duplicates(joints: Indices, weights: Floats, pointer: str, report: Report) -> Floats:
    merged, twice = merge_duplicates(joints, weights)
    if not twice.any():
        return weights
    report(
        "ACCESSOR_JOINTS_INDEX_DUPLICATE",
        pointer,
        f"{_vertices(int(np.count_nonzero(twice)))} a joint twice, first vertex {int(twice.argmax())};"
        " its weights were added",
    )
    return merged


def _normalized(
    weights: Floats, sums: NDArray[np.float64], off: NDArray[np.bool_], pointer: str, report: Report
) -> Floats:
    first = int(off.argmax())
    worst = int(np.abs(sums - 1).argmax())
    empty = int(np.count_nonzero(sums == 0))
    report(
        "ACCESSOR_WEIGHTS_NON_NORMALIZED",
        f"{pointer}/WEIGHTS_0",
        f"{_vertices(int(np.count_nonzero(off)))} weights that do not sum to 1, first vertex {first}, worst"
        f" {worst} with {sums[worst]:.6g}; they were normalised"
        + (f", and {empty} without any weight assigned to their first joint" if empty else ""),
    )
    weights = weights.copy()
    weights[sums == 0, 0] = 1
    rows = off & (sums > 0)
    weights[rows] = (weights[rows] / sums[rows, None]).astype(np.float32)
    return weights


def merge_duplicates(joints: NDArray[Any], weights: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Add the weights of a joint that a vertex names twice to its first slot; return which vertices do."""
    merged = weights
    twice = np.zeros(len(joints), bool)
    for right in range(1, joints.shape[1]):
        for left in range(right):
            same = (joints[:, left] == joints[:, right]) & (merged[:, left] > 0) & (merged[:, right] > 0)
            if same.any():
                merged = weights.copy() if merged is weights else merged
                merged[same, left] += merged[same, right]
                merged[same, right] = 0
                twice |= same
    return merged, twice


def heaviest_first(joints: NDArray[Any], weights: Floats) -> tuple[NDArray[Any], Floats]:
    """Sort the influences of each vertex by weight, so that unused slots come last; equal ones stay in order.

    Neighbouring columns are exchanged where they have to be: for a few, a fifth of the time of sorting rows.
    """
    if not (weights[:, 1:] > weights[:, :-1]).any():
        return joints, weights
    if weights.shape[1] > _FEW_COLUMNS:
        order = np.argsort(-weights, axis=1, kind="stable")
        return np.take_along_axis(joints, order, axis=1), np.take_along_axis(weights, order, axis=1)
    names, values = list(joints.T), list(weights.T)
    for last in range(len(values) - 1, 0, -1):
        for left in range(last):
            swapped = values[left + 1] > values[left]
            if swapped.any():
                for columns in (names, values):
                    one, other = columns[left : left + 2]
                    columns[left : left + 2] = np.where(swapped, other, one), np.where(swapped, one, other)
    return np.stack(names, axis=1), np.stack(values, axis=1)
