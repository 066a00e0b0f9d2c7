# SPDX-License-Identifier: MIT
"""What foot placement gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom._base.doors import as_html

if TYPE_CHECKING:
    from lissom._rig.skeleton import Skeleton
    from lissom.clip import Clip

__all__ = ["FootResult"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FootResult:
    """Poses with feet on the ground, and how it went for each foot.

    For one step there is no axis of frames. Lengths are in model units, heights along `up` in world space.

    Attributes
    ----------
    poses : ndarray, shape (F, J, 10)
        Local trs, of the type of the poses that came in. The character still stands by `world_from_model`.
    contacts : ndarray of float64, shape (F, L)
        The contact curves that were used.
    targets : ndarray of float64, shape (F, L, 3)
        Where ankles should be, world space.
    ground_heights : ndarray of float64, shape (F, L)
        Height of the ground that carries the foot or would carry it; NaN where there is none.
    normals : ndarray of float64, shape (F, L, 3)
        Of that ground, world space; up where there is none.
    offsets : ndarray of float64, shape (F, L)
        By how much each foot was raised.
    body_offset : ndarray of float64, shape (F,)
        By how much the body was raised.
    weights : ndarray of float64, shape (F, L)
        How much each foot keeps to the ground: 0 where it is left to the animation.
    residuals : ndarray of float64, shape (F, L)
        From ankles to their targets.
    reached : ndarray of bool, shape (F, L)
        Whether that is within 1e-4 of the leg's length.
    airborne : ndarray of bool, shape (F, L)
        There is nothing below the foot.
    too_far : ndarray of bool, shape (F, L)
        What there is lies too high or too low for the foot, or is too steep.
    skeleton : Skeleton
    times : ndarray of float64, shape (F,), or None
        Seconds, of a whole clip.
    world_from_model : ndarray of float64, shape (F, 10), or None
        Where the character stands, rigid trs; None: at the origin.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> slope = lissom.ground.Plane(normal=(0, 1, -0.25))
    >>> feet = lissom.ik.FootPlacement(hero, lissom.ik.Leg.find(hero), slope)
    >>> done = feet.apply(hero.clips["walk"], rate=30)
    >>> done.poses.shape, bool(done.reached[done.weights > 0].all())
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
        """Make a clip of the poses.

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
            If it is the result of one step.

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
                "FootResult.clip: one step has no times; collect the poses and call Clip.from_poses"
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
        """Give lengths with 0 for those that are rounding alone."""
        lengths = np.asarray(lengths)
        return np.where(np.abs(lengths) < 1e-6 * np.max(np.abs(self.targets)), 0.0, lengths)

    def __repr__(self) -> str:
        frames = "1 step" if self.times is None else f"{len(self.times)} frames"
        feet = self.contacts.shape[-1]
        reached = f"{100 * np.mean(self.reached):.1f} % of feet reached"
        air = f", {100 * np.mean(self.airborne):.1f} % over nothing" if np.any(self.airborne) else ""
        far = f", {100 * np.mean(self.too_far):.1f} % too far or steep" if np.any(self.too_far) else ""
        low, high = np.min(moved := self._unrounded(self.body_offset)), np.max(moved)
        return f"<FootResult: {frames}, {feet} feet; {reached}{air}{far}; body moved {low:.3g} to {high:.3g}>"
