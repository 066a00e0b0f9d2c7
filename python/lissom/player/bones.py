# SPDX-License-Identifier: MIT
"""The lines of a skeleton, each end following a palette row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lissom.pose_texture import PoseTexture
    from lissom.skin import Skin

__all__ = ["bones_of", "bones_of_bake"]


def bones_of(parents: ArrayLike, skin: Skin) -> NDArray[np.float64]:
    """Return the bones between joints that have a palette row.

    Parameters
    ----------
    parents : array_like of int, shape (J,)
        Parent of each joint that ``skin.joints`` may name, -1 at a root: ``skeleton.parents``, or those of a
        bake. A parent without a palette row is passed over, up to the next that has one.
    skin : Skin
        Gives the rows and, in bind space, where their joints stand. A joint's first row counts.

    Returns
    -------
    ndarray of float64, shape (B, 8)
        Of the parent's end, then of the child's: palette row, x, y, z in bind space.

    Examples
    --------
    >>> tube = lissom.samples.two_bone_tube()
    >>> lissom.player.bones_of(tube.skeleton.parents, tube.skin)[:, [0, 4]]
    array([[0., 1.]])
    """
    above = np.asarray(parents).tolist()
    rows: dict[int, int] = {}
    for row, joint in enumerate(skin.joints.tolist()):
        rows.setdefault(joint, row)
    found = []
    for joint, row in rows.items():
        parent = above[joint]
        while parent >= 0 and parent not in rows:
            parent = above[parent]
        if parent >= 0:
            found.append([rows[parent], *skin.pivots[rows[parent]], row, *skin.pivots[row]])
    return np.array(found, np.float64).reshape(-1, 8)


def bones_of_bake(bake: PoseTexture) -> NDArray[np.float64]:
    """Return the bones of a bake, none where it does not say how its joints hang together."""
    parents = getattr(bake, "parents", None)
    if parents is None and bake.rig is not None:
        parents = bake.rig.parents
    if parents is None or bake.skin is None:
        return np.zeros((0, 8))
    return bones_of(parents, bake.skin)
