# SPDX-License-Identifier: MIT
"""The part of a skeleton that a pose texture stores where its rows are joints."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lissom._base.arrays import read_only, refuse_masked

__all__ = ["Rig"]


class Rig:
    """The hierarchy of the joints of a pose texture, and their constant local transforms.

    Parameters
    ----------
    parents : array_like of int, shape (J,)
        Parent of each joint, a lower index; -1 at roots.
    local : array_like of float, shape (J, 10)
        Local trs, of which translation and scale are constant. Rotations are not used.
    moving : int
        The one joint whose translation is stored frame by frame.
    rigid : bool
        Whether no joint of the skin scales or mirrors relative to its bind pose, so that palettes are
        rotations and translations, and drive dual quaternion skinning.

    Raises
    ------
    ValueError
        If a shape, a parent or `moving` does not fit, or a number is not finite.

    Examples
    --------
    >>> bar = lissom.samples.twisted_bar()
    >>> len(lissom.pose_texture.Rig(bar.skeleton.parents, bar.skeleton.rest)) == len(bar.skeleton)
    True
    """

    __slots__ = ("local", "moving", "parents", "rigid")

    def __init__(
        self, parents: npt.ArrayLike, local: npt.ArrayLike, moving: int = 0, *, rigid: bool = False
    ) -> None:
        refuse_masked(parents, "Rig: parents")
        refuse_masked(local, "Rig: local")
        above = np.array(parents, np.int32)
        constants = np.array(local, np.float32, order="C")
        if above.ndim != 1 or not len(above) or constants.shape != (len(above), 10):
            raise ValueError(
                "Rig: parents must have shape (J,) and local (J, 10), "
                f"got {above.shape} and {constants.shape}"
            )
        bad = np.flatnonzero((above < -1) | (above >= np.arange(len(above))))
        if len(bad):
            raise ValueError(
                f"Rig: parents must come before their children, got parent {above[bad[0]]} of {bad[0]}"
            )
        if not np.isfinite(constants).all():
            raise ValueError("Rig: local must be finite")
        if not 0 <= moving < len(above):
            raise ValueError(f"Rig: moving must be one of {len(above)} joints, got {moving}")
        self.parents: npt.NDArray[np.int32] = read_only(above)
        self.local: npt.NDArray[np.float32] = read_only(constants)
        self.moving = int(moving)
        self.rigid = bool(rigid)

    def __len__(self) -> int:
        return len(self.parents)

    def __repr__(self) -> str:
        return f"Rig({len(self)} joints, moving {self.moving}{', rigid' if self.rigid else ''})"
