# SPDX-License-Identifier: MIT
"""The time of a crowd's instances: clips go on, fades end, root motion moves what plays it."""

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
    """The time lines of a bake's clips.

    Parameters
    ----------
    bake : PoseTexture
        Whose clips have a start, a duration and a rule for loops.
    """

    def __init__(self, bake: PoseTexture) -> None:
        clips = list(bake.clips.values())
        self._starts = np.array([clip.start for clip in clips], np.float64)
        self._durations = np.array([clip.duration for clip in clips], np.float64)
        self._wraps = np.array([clip.loop for clip in clips]) & (self._durations > 0)
        self._motions = [getattr(clip, "root_motion", None) for clip in clips]
        self._loops = [bool(clip.loop) for clip in clips]

    def advance(self, instances: NDArray[Any], dt: float, root_motion: bool) -> None:
        """Move instances forward in time, in place; all is computed in double.

        Parameters
        ----------
        instances : ndarray of `INSTANCE_DTYPE`, shape (count,)
            Checked.
        dt : float
            Seconds; negative goes back, but never undoes a fade.
        root_motion : bool
            Whether they also move as their clips' root motion says.
        """
        fading = np.flatnonzero(instances["next_clip"] != NO_CLIP)
        step = instances["speed"].astype(np.float64) * dt
        before = instances["time"].astype(np.float64)
        next_before = instances["next_time"][fading].astype(np.float64)
        duration = instances["fade_duration"][fading].astype(np.float64)
        grown = np.divide(abs(dt), duration, out=np.ones_like(duration), where=duration > 0)
        fade = np.minimum(instances["fade"][fading] + grown, 1.0)
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
        """Return times on their clips' time lines: wrapped, half open, where a clip loops, else clamped."""
        start, duration = self._starts[clip], self._durations[clip]
        local = times - start
        turned = np.mod(local, np.where(duration > 0, duration, 1.0))
        inside = start + np.where(self._wraps[clip], turned, np.clip(local, 0.0, duration))
        # Stored in single precision, and rounded up to the end: there a loop is at its start.
        stored = inside.astype(np.float32)
        rounded = self._wraps[clip] & (stored >= start + duration)
        stored[rounded] = start[rounded]
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
        """Move and turn instances as their clips do in a step, in fades both by their weight."""
        moves = self._moves(instances["clip"], before, step)
        if len(fading):
            following = self._moves(instances["next_clip"][fading], next_before, step[fading])
            moves[fading] = blend_root_motions([moves[fading], following], [1.0 - fade, fade])
        rotation = quat.normalize(instances["rotation"].astype(np.float64))
        away = quat.rotate(rotation, trs.translation(moves))
        instances["position"] += instances["scale"][:, None] * away
        instances["rotation"] = quat.multiply(rotation, trs.rotation(moves))

    def _moves(
        self, clip: NDArray[Any], before: NDArray[np.float64], step: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return how instances move in their own frames, rigid trs ``(n, 10)``."""
        moves = np.array(np.broadcast_to(trs.identity(), (len(clip), 10)), np.float64)
        for k, motion in enumerate(self._motions):
            playing = np.flatnonzero(clip == k)
            if motion is not None and len(playing):
                times = before[playing]
                moves[playing] = motion.between(times, times + step[playing], loop=self._loops[k])
        return moves
