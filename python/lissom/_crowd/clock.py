# SPDX-License-Identifier: MIT
"""The time of a crowd's instances: advances clips and fades, and applies root motion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import quat, trs
from lissom._crowd.instances import NO_CLIP
from lissom.clip._root_motion import blend_root_motions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["ClipClock"]


class ClipClock:
    """The clock of instances that play a bake's clips.

    Parameters
    ----------
    bake : PoseTexture
        What they play.
    """

    def __init__(self, bake: PoseTexture) -> None:
        clips = list(bake.clips.values())
        self._starts = np.array([clip.start for clip in clips], np.float64)
        self._durations = np.array([clip.duration for clip in clips], np.float64)
        self._wraps = np.array([clip.loop for clip in clips]) & (self._durations > 0)
        self._motions = [getattr(clip, "root_motion", None) for clip in clips]
        self._loops = [bool(clip.loop) for clip in clips]

    def advance(self, instances: NDArray[Any], dt: float, root_motion: bool) -> None:
        """Advance instances in time, in place; computed in float64.

        Parameters
        ----------
        instances : ndarray of `INSTANCE_DTYPE`, shape (count,)
            Checked.
        dt : float
            Seconds; negative plays backwards, but fades still grow.
        root_motion : bool
            Whether to apply the root motion of their clips.
        """
        fading = np.flatnonzero(instances["next_clip"] != NO_CLIP)
        step = instances["speed"].astype(np.float64) * dt
        before = instances["time"].astype(np.float64)
        next_before = instances["next_time"][fading].astype(np.float64)
        duration = instances["fade_duration"][fading].astype(np.float64)
        growth = np.divide(abs(dt), duration, out=np.ones_like(duration), where=duration > 0)
        fade = np.minimum(instances["fade"][fading] + growth, 1.0)
        if root_motion:
            self._move(instances, before, step, fading, next_before, fade)
        instances["time"] = self._wrapped(instances["clip"], before + step)
        instances["next_time"][fading] = self._wrapped(
            instances["next_clip"][fading], next_before + step[fading]
        )
        instances["fade"][fading] = fade
        done = fading[fade >= 1.0]
        instances["clip"][done] = instances["next_clip"][done]
        instances["time"][done] = instances["next_time"][done]
        instances["next_clip"][done] = NO_CLIP
        instances["fade"][done] = 0.0

    def _wrapped(self, clip: NDArray[Any], times: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return times within their clips: wrapped into [start, end) if a clip loops, otherwise clamped."""
        start, duration = self._starts[clip], self._durations[clip]
        local = times - start
        wrapped = np.mod(local, np.where(duration > 0, duration, 1.0))
        inside = start + np.where(self._wraps[clip], wrapped, np.clip(local, 0.0, duration))
        # Rounding to float32 may reach the end, where a loop is at its start.
        stored = inside.astype(np.float32)
        at_end = self._wraps[clip] & (stored >= start + duration)
        stored[at_end] = start[at_end]
        return np.asarray(stored)

    def _move(
        self,
        instances: NDArray[Any],
        before: NDArray[np.float64],
        step: NDArray[np.float64],
        fading: NDArray[np.intp],
        next_before: NDArray[np.float64],
        fade: NDArray[np.float64],
    ) -> None:
        """Apply the root motion of a step, in fades that of both clips by their weights."""
        motion = self._motion(instances["clip"], before, step)
        if len(fading):
            following = self._motion(instances["next_clip"][fading], next_before, step[fading])
            motion[fading] = blend_root_motions([motion[fading], following], [1.0 - fade, fade])
        rotation = quat.normalize(instances["rotation"].astype(np.float64))
        displacement = quat.rotate(rotation, trs.translation(motion))
        instances["position"] += instances["scale"][:, None] * displacement
        instances["rotation"] = quat.multiply(rotation, trs.rotation(motion))

    def _motion(
        self, clip: NDArray[Any], before: NDArray[np.float64], step: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the root motion of a step in each instance's own space, rigid trs ``(n, 10)``."""
        result = np.array(np.broadcast_to(trs.identity(), (len(clip), 10)), np.float64)
        for k, motion in enumerate(self._motions):
            playing = np.flatnonzero(clip == k)
            if motion is not None and len(playing):
                times = before[playing]
                result[playing] = motion.between(times, times + step[playing], loop=self._loops[k])
        return result
