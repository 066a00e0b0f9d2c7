# SPDX-License-Identifier: MIT
"""The frames of one clip in the forms that layouts store."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from lissom._rig.skeleton import Skeleton
    from lissom._rig.skin import Palette, Skin

__all__ = ["Source"]


class Source:
    """Poses of a clip's frames, with their model matrices and palette, each computed once when used.

    Parameters
    ----------
    skeleton : Skeleton
    skin : Skin
        The character's, and after its rows those of extra joints, whose joint_from_bind is the identity.
    poses : ndarray, shape (F, J, 10)
    name : str
        The clip's name, for messages.
    size : float
        The character's size, model units: tolerances are relative to it.
    """

    def __init__(
        self, skeleton: Skeleton, skin: Skin, poses: npt.NDArray[Any], name: str, size: float
    ) -> None:
        self.skeleton = skeleton
        self.skin = skin
        self.poses = poses
        self.name = name
        self.size = size

    def row_name(self, row: int) -> str:
        """Return the name of the joint of a palette row."""
        return str(self.skeleton.names[self.skin.joints[row]])

    @cached_property
    def model(self) -> npt.NDArray[Any]:
        """`model_from_joint`, (F, J, 4, 4)."""
        return np.asarray(self.skeleton.model_matrices(self.poses))

    @cached_property
    def rotations(self) -> npt.NDArray[Any]:
        """Rotations of joints in model space as the clip has them, (F, J, 3, 3): products of the local ones.

        They exist, and change without jumps, also where scale is zero or mirrors.
        """
        turned = self.poses.copy()
        turned[..., :3] = 0.0
        turned[..., 7:] = 1.0
        return np.asarray(self.skeleton.model_matrices(turned))[..., :3, :3]

    @cached_property
    def palette(self) -> Palette:
        """The palette of the frames."""
        return self.skin.palette(self.model)
