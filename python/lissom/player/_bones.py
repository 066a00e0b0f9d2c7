# SPDX-License-Identifier: MIT
"""The bones of a skeleton as lines, whose ends follow palette rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom._base.arrays import refuse_masked
from lissom._rig.row_parents import row_parents

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lissom._rig.mesh import Mesh
    from lissom._rig.skin import Skin
    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["bones_mesh", "bones_of", "bones_of_bake"]


def bones_of(parents: ArrayLike, skin: Skin) -> NDArray[np.float64]:
    """Return the bones between joints that have a palette row.

    Parameters
    ----------
    parents : array_like of int, shape (J,)
        Parent of each joint that ``skin.joints`` may name, -1 at a root: ``skeleton.parents``, or those of a
        bake. A parent without a palette row is skipped, up to the next that has one.
    skin : Skin
        The palette rows, and the positions of their joints in bind space. Of a joint with several rows, the
        first counts.

    Returns
    -------
    ndarray of float64, shape (B, 8)
        Palette row, x, y, z in bind space of the parent's end, then of the child's.

    Examples
    --------
    >>> tube = lissom.samples.two_bone_tube()
    >>> lissom.player.bones_of(tube.skeleton.parents, tube.skin)[:, [0, 4]]
    array([[0., 1.]])
    """
    refuse_masked(parents, "player.bones_of: parents")
    parent_rows = row_parents(skin, np.asarray(parents))
    _, first_rows = np.unique(skin.joints, return_index=True)
    children = np.sort(first_rows[parent_rows[first_rows] >= 0])
    tails = parent_rows[children]
    ends = np.empty((len(children), 8))
    ends[:, 0], ends[:, 1:4] = tails, skin.pivots[tails]
    ends[:, 4], ends[:, 5:] = children, skin.pivots[children]
    return ends


def bones_of_bake(bake: PoseTexture) -> NDArray[np.float64]:
    """Return the bones of a bake; none where it has no parents or no skin."""
    if bake.parents is None or bake.skin is None:
        return np.zeros((0, 8))
    return bones_of(bake.parents, bake.skin)


def bones_mesh(bake: PoseTexture) -> Mesh | None:
    """Return a mesh of an octahedron per bone that follows the parent's row; None without parents or skin."""
    from lissom._rig.mesh import Mesh
    from lissom._rig.part import Part
    from lissom._view.bones import COLOR, bone_triangles

    if bake.parents is None or bake.skin is None or not len(bake.skin):
        return None
    vertices, owners = bone_triangles(bake.skin.pivots, row_parents(bake.skin, bake.parents))
    count = len(vertices)
    return Mesh(
        vertices,
        np.arange(count).reshape(-1, 3),
        np.repeat(owners, count // len(owners))[:, None],
        np.ones((count, 1)),
        parts=[Part("skeleton", slice(0, count), slice(0, count // 3), base_color=COLOR)],
    )
