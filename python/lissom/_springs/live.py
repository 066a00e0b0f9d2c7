# SPDX-License-Identifier: MIT
"""Springs between calls: where the tails are, and how much time has not been spent."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom import _core, trs
from lissom._base.pose_batch import Shape
from lissom._playback.blend import blend
from lissom._springs.world import Floats, motion_of

__all__ = ["LiveSprings"]

STEP = _core.SPRING_STEP
LONGEST = 1.0  # seconds of one call: a pause is no motion
SLACK = 1e-6  # of a step: sums of 1/60 s are rounded


@dataclass(frozen=True, slots=True)
class LiveSprings:
    """The state of N characters after a call. It does not change: the next call makes the next one."""

    batch: Shape  # leading axes of the poses
    poses: NDArray[Any]  # (N, J, 10), of the call
    places: Floats | None  # world_from_model (N, 10) of the call
    stepped: Floats | None  # and of the last step
    left: float = 0.0  # seconds that are carried over
    tails: NDArray[Any] | None = None  # (N, K, 2, 3); None before the first step, where all rest
    rotations: NDArray[Any] | None = None  # (N, K, 4), of the last step

    @classmethod
    def at_rest(cls, batch: Shape, poses: NDArray[Any], places: Floats | None) -> LiveSprings:
        """Return characters who rest in poses."""
        return cls(batch, poses, places, places)

    def check(self, batch: Shape, poses: NDArray[Any], places: Floats | None) -> None:
        """Refuse poses of another type or number than at the first call."""
        if poses.dtype != self.poses.dtype:
            raise TypeError(
                f"Springs.step: poses must be {self.poses.dtype} as at the first call, got {poses.dtype}"
            )
        if batch != self.batch:
            raise ValueError(
                f"Springs.step: poses must have the leading axes {self.batch} of the first call, got "
                f"{batch}; reset() starts anew"
            )
        if (places is None) != (self.places is None):
            raise ValueError(
                "Springs.step: world must be passed at each call or at none; reset() starts anew"
            )

    def after(
        self, plan: _core.SpringPlan, poses: NDArray[Any], places: Floats | None, seconds: float
    ) -> LiveSprings:
        """Return the state after these seconds, in poses (N, J, 10)."""
        spent = min(seconds, LONGEST)
        left = self.left + spent
        count = math.floor(left / STEP + SLACK)
        # Moments of the steps, as shares of the time since the last call.
        late = left - STEP * np.arange(1, count + 1)
        moments = (1 - late / spent if count else late).clip(0, 1)
        frames, stands = self._between(poses, places, moments)
        if self.tails is None:
            frames = np.concatenate([poses[None], frames])
            stands = None if stands is None else np.concatenate([stands[:1], stands])
        tails, rotations = self.tails, self.rotations
        if len(frames):
            characters, springs = frames.shape[1], plan.spring_count
            tails = np.empty((characters, springs, 2, 3), frames.dtype)
            each = np.empty((len(frames), characters, springs, 4), frames.dtype)
            plan.step("Springs.step", frames, *motion_of(stands, frames.dtype), self.tails, tails, each)
            rotations = each[-1]
        elif not np.isfinite(poses).all():
            raise ValueError("Springs.step: poses must be finite, got NaN or infinity")
        return LiveSprings(
            self.batch,
            poses.copy(),
            places,
            None if stands is None else stands[-1],
            max(left - STEP * count, 0.0),
            tails,
            rotations,
        )

    def _between(
        self, poses: NDArray[Any], places: Floats | None, moments: Floats
    ) -> tuple[NDArray[Any], Floats | None]:
        """Return poses at moments since the last call, and where characters stand: at the last step first."""
        stands: Floats | None
        if len(moments) == 1 and moments[0] > 1 - SLACK:
            frames, stands = poses[None], None if places is None else places[None]
        else:
            weights = moments[:, None]
            frames = blend(self.poses, poses, weights.astype(poses.dtype))
            stands = None if places is None or self.places is None else trs.lerp(self.places, places, weights)
        if stands is None or self.stepped is None:
            return frames, None
        return frames, np.concatenate([self.stepped[None], stands])
