# SPDX-License-Identifier: MIT
"""Merging of equal palette rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Rows of one joint are merged where their entries differ by less than this fraction of the largest: skins of
# modular characters repeat one bind pose, transformed to model space with different roundings. It is one
# float32 rounding, so that merging moves no vertex by more than storing it does.
_SAME_ROW = 1.2e-7
# Number of different bind poses of one joint that a new row is compared with; bounds the work on hostile
# files.
_ROWS_COMPARED = 16


def distinct_rows(
    joints: NDArray[np.int64], matrices: NDArray[np.float64]
) -> tuple[list[int], NDArray[np.int64]]:
    """Return the rows to keep, which differ in joint or bind matrix, and for each row its index in these."""
    kept: list[int] = []
    kept_of_joint: dict[int, list[int]] = {}
    new_row = np.empty(len(joints), np.int64)
    for row, joint in enumerate(joints.tolist()):
        candidates = kept_of_joint.setdefault(joint, [])
        for index in candidates:
            other = matrices[kept[index]]
            if np.abs(matrices[row] - other).max() <= _SAME_ROW * np.abs(other).max():
                new_row[row] = index
                break
        else:
            if len(candidates) < _ROWS_COMPARED:
                candidates.append(len(kept))
            new_row[row] = len(kept)
            kept.append(row)
    return kept, new_row
