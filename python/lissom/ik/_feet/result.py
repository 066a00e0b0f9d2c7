# SPDX-License-Identifier: MIT
"""The result of foot placement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom._base.doors import as_html
from lissom._base.names import counted
from lissom.ik._axes import Floats

if TYPE_CHECKING:
    from lissom._rig.skeleton import Skeleton
    from lissom.clip import Clip

__all__ = ["FootResult"]


@dataclass(frozen=True, eq=False)
class FootResult:
    """Poses with feet on the ground, and the ground, targets and residuals of each foot.

    Results of `FootPlacement.update` have no axis of frames, those of `PlayersFeet.update` one of players in
    its place. Lengths are in model units, heights along `up`
    in world space.

    Attributes
    ----------
    poses : ndarray, shape (F, J, 10)
        Local trs, of the type of the input poses. `world_from_model` still applies.
    contacts : ndarray of float64, shape (F, L)
        The contact curves that were used.
    targets : ndarray of float64, shape (F, L, 3)
        Targets of the ankles, world space.
    ground_heights : ndarray of float64, shape (F, L)
        Height of the ground that supports the foot or would support it; NaN where there is none.
    normals : ndarray of float64, shape (F, L, 3)
        Normal of that ground, world space; up where there is none.
    offsets : ndarray of float64, shape (F, L)
        Height by which each foot was raised.
    body_offset : ndarray of float64, shape (F,)
        Height by which the body was raised.
    weights : ndarray of float64, shape (F, L)
        Weight of the ground for each foot: 0 where the foot is left to the animation.
    residuals : ndarray of float64, shape (F, L)
        Distances from ankles to their targets.
    reached : ndarray of bool, shape (F, L)
        Whether that is within 1e-4 of the leg's length.
    airborne : ndarray of bool, shape (F, L)
        Whether there is no ground below the foot.
    too_far : ndarray of bool, shape (F, L)
        Whether the ground is too high, too low or too steep for the foot.
    skeleton : Skeleton
    times : ndarray of float64, shape (F,), or None
        Seconds; None for one step.
    world_from_model : ndarray of float64, shape (F, 10), or None
        Rigid trs that place the character in the world; None for the origin.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> slope = lissom.ground.Plane(normal=(0, 1, -0.25))
    >>> feet = lissom.ik.FootPlacement(hero, lissom.ik.Leg.find(hero), slope)
    >>> done = feet.apply(hero.clips["walk"], rate=30)
    >>> done.poses.shape, bool(done.reached.mean() > 0.95)
    ((34, 34, 10), True)
    """

    poses: NDArray[Any]
    contacts: Floats
    targets: Floats
    ground_heights: Floats
    normals: Floats
    offsets: Floats
    body_offset: Floats
    weights: Floats
    residuals: Floats
    reached: NDArray[np.bool_]
    airborne: NDArray[np.bool_]
    too_far: NDArray[np.bool_]
    skeleton: Skeleton
    times: Floats | None = None
    world_from_model: Floats | None = None

    def clip(self, name: str = "on the ground", *, in_world: bool = False) -> Clip:
        """Return a clip of the poses.

        Parameters
        ----------
        name : str
        in_world : bool
            Whether the character moves through the world in the clip, by `world_from_model`; in place if not.

        Returns
        -------
        Clip
            With keys at `times`, not a loop.

        Raises
        ------
        ValueError
            If this is the result of one step.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> slope = lissom.ground.Plane(normal=(0, 1, -0.25))
        >>> feet = lissom.ik.FootPlacement(hero, lissom.ik.Leg.find(hero), slope)
        >>> uphill = feet.apply(hero.clips["walk"], rate=30).clip("uphill")
        >>> round(uphill.duration, 2), uphill.loop
        (1.1, False)
        """
        from lissom import trs
        from lissom.clip import Clip

        if self.times is None:
            raise ValueError(
                "FootResult.clip: the result must have times, got one step; collect the poses and call "
                "Clip.from_poses"
            )
        poses = self.poses
        if in_world and self.world_from_model is not None:
            poses = poses.copy()
            world = self.world_from_model.astype(poses.dtype)
            for root in np.flatnonzero(self.skeleton.parents < 0):
                poses[:, root] = trs.compose(world, poses[:, root])
        return Clip.from_poses(self.skeleton, self.times, poses, name=name, loop=False)

    _repr_html_ = as_html

    def _unrounded(self, lengths: NDArray[Any]) -> NDArray[Any]:
        """Return lengths, 0 for those that are rounding errors."""
        lengths = np.asarray(lengths)
        return np.where(np.abs(lengths) < 1e-6 * np.max(np.abs(self.targets)), 0.0, lengths)

    def __repr__(self) -> str:
        feet = self.contacts.shape[-1]
        if self.times is not None:
            frames = counted(len(self.times), "frame")
        elif self.contacts.ndim > 1:
            frames = counted(len(self.contacts), "player")
            if not len(self.contacts):
                return f"<FootResult: {frames}, {feet} feet>"
        else:
            frames = "1 step"
        reached = f"{100 * np.mean(self.reached):.1f} % of feet reached"
        air = f", {100 * np.mean(self.airborne):.1f} % over nothing" if np.any(self.airborne) else ""
        far = f", {100 * np.mean(self.too_far):.1f} % too far or steep" if np.any(self.too_far) else ""
        low, high = np.min(offset := self._unrounded(self.body_offset)), np.max(offset)
        return f"<FootResult: {frames}, {feet} feet; {reached}{air}{far}; body moved {low:.3g} to {high:.3g}>"
