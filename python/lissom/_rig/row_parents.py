# SPDX-License-Identifier: MIT
"""The hierarchy of palette rows: joints without a row are skipped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._rig.skin import Skin

__all__ = ["row_parents"]


def row_parents(skin: Skin, parents: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return for each palette row that of the next joint above it which has one, or -1, shape (S,).

    Parameters
    ----------
    skin : Skin
        Which joint each row follows. Where a joint has several rows, the first is the parent of its children.
    parents : ndarray of int, shape (J,)
        Of those joints; -1 at roots.
    """
    above, joints = np.asarray(parents).tolist(), skin.joints.tolist()
    rows: dict[int, int] = {}
    for row, joint in enumerate(joints):
        rows.setdefault(joint, row)
    result = np.full(len(joints), -1, np.int32)
    for row, joint in enumerate(joints):
        parent = above[joint]
        while parent >= 0 and parent not in rows:
            parent = above[parent]
        result[row] = rows.get(parent, -1)
    return result
