# SPDX-License-Identifier: MIT
"""Which palette rows of a file are one and the same."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Rows of one joint are one row where their entries differ by less than this share of the largest: skins of
# modular characters repeat one bind pose, moved into model space by slightly different roundings. One float32
# rounding, so no vertex moves by more than its own storage does.
_SAME_ROW = 1.2e-7
# How many different bind poses of one joint a new row is compared with; bounds the work on hostile files.
_ROWS_COMPARED = 16


def distinct_rows(
    joints: NDArray[np.int64], matrices: NDArray[np.float64]
) -> tuple[list[int], NDArray[np.int64]]:
    """Rows that differ in joint or bind matrix, in order; and for each row the place of its equal there."""
    kept: list[int] = []
    places_of_joint: dict[int, list[int]] = {}
    new_row = np.empty(len(joints), np.int64)
    for row, joint in enumerate(joints.tolist()):
        places = places_of_joint.setdefault(joint, [])
        for place in places:
            other = matrices[kept[place]]
            if np.abs(matrices[row] - other).max() <= _SAME_ROW * np.abs(other).max():
                new_row[row] = place
                break
        else:
            if len(places) < _ROWS_COMPARED:
                places.append(len(kept))
            new_row[row] = len(kept)
            kept.append(row)
    return kept, new_row
