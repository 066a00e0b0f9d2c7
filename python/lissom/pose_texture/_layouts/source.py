# SPDX-License-Identifier: MIT
"""The frames of one clip in the forms that layouts store."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lissom import _core
from lissom._rig.skin import Palette

if TYPE_CHECKING:
    from lissom._rig.skeleton import Skeleton
    from lissom._rig.skin import Skin
    from lissom.clip import Clip

__all__ = ["JUMP", "ClipSource", "Source"]

JUMP = math.cos(math.pi / 4)
"""Dot product of unit quaternions a right angle apart: rotations of two frames that are farther jump."""


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
        return Palette._of_poses(self.skin, self.skeleton, self.poses)

    def rigid_texels(self, dtype: np.dtype[Any]) -> npt.NDArray[Any] | None:
        """Return dual quaternions as texels (F, R, 2, 4) of float16 or float32, with signs aligned in time.

        None where the core does not have them in one pass: of poses alone, of rows that are not surely
        rigid or that jump, of numbers that do not fit.
        """
        return None


class ClipSource(Source):
    """Frames of a clip at ascending times in seconds, not wrapped, sampled when used.

    Parameters
    ----------
    skeleton, skin, size
        As of `Source`.
    clip : Clip
    times : ndarray of float64, shape (F,)
    """

    def __init__(
        self, skeleton: Skeleton, skin: Skin, clip: Clip, times: npt.NDArray[np.float64], size: float
    ) -> None:
        self.skeleton = skeleton
        self.skin = skin
        self.clip = clip
        self.times = times
        self.name = clip.name
        self.size = size
        self._texels: dict[np.dtype[Any], npt.NDArray[Any] | None] = {}

    @cached_property
    def poses(self) -> npt.NDArray[Any]:  # type: ignore[override]
        """Local poses, (F, J, 10)."""
        return np.asarray(self.clip.sample(self.times, loop=False))

    def rigid_texels(self, dtype: np.dtype[Any]) -> npt.NDArray[Any] | None:
        """Return dual quaternions as texels, from keys to texels in one pass over the frames."""
        if dtype not in self._texels:
            self._texels[dtype] = self._in_one_pass(dtype)
        return self._texels[dtype]

    def _in_one_pass(self, dtype: np.dtype[Any]) -> npt.NDArray[Any] | None:
        half = dtype == np.float16
        write = _core.rigid_texels_f16 if half else _core.rigid_texels_f32
        texels = np.empty((len(self.times), len(self.skin), 8), dtype)
        done = write(
            self.clip._ready(),
            self.skeleton._held_parents,
            self.skin._bind,
            self.times,
            JUMP,
            texels.view(np.uint16) if half else texels,
        )
        return texels.reshape(len(self.times), len(self.skin), 2, 4) if done else None
