# SPDX-License-Identifier: MIT
"""The records of a cross-fade: the clips that play, the markers passed, and their root motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom import trs
from lissom._base.set_module import set_module
from lissom._playback.play_head import Playable
from lissom.clip import Clip, Marker
from lissom.clip._root_motion import blend_root_motions

__all__ = ["Event", "Move", "Playing", "blended_move"]

Move = tuple[Clip, float, float, float]
"""A clip, the seconds on its time line from and to which it played, not wrapped, and its weight."""


@set_module("lissom.cross_fade")
@dataclass(frozen=True, slots=True)
class Playing:
    """One clip or blend space that plays, as `CrossFade.playing` lists them.

    Attributes
    ----------
    clip : Clip or BlendSpace1D or BlendSpace2D
        The clip or blend space.
    time : float
        Seconds on its own time line, not wrapped: ``clip.sample(time)`` is its pose.
    weight : float
        Its share in the present pose; all shares sum to 1.
    speed : float
        Its seconds for each second of `update`, unless it plays in step with others.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> fade = lissom.CrossFade(hero.skeleton)
    >>> fade.play(hero.clips["walk"])
    >>> _ = fade.update(0.25)
    >>> fade.playing
    (Playing('walk', 0.25 s, weight 1, speed 1),)
    """

    clip: Playable
    time: float
    weight: float
    speed: float

    def __repr__(self) -> str:
        shares = f"weight {self.weight:.3g}, speed {self.speed:.3g}"
        return f"Playing({self.clip.name!r}, {self.time:.4g} s, {shares})"

    @property
    def ended(self) -> bool:
        """Whether it does not loop and has reached its end."""
        return self.clip.loop is False and self.time >= self.clip.start + self.clip.duration


@set_module("lissom.cross_fade")
class Event(NamedTuple):
    """A marker that was passed, as `CrossFade.events` lists them.

    Attributes
    ----------
    clip : Clip
        The clip of the marker.
    marker : Marker
        Its time and name.
    weight : float
        Share of the clip in the present pose: a step of a clip that is nearly faded out need not be heard.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> fade = lissom.CrossFade(hero.skeleton)
    >>> fade.play(hero.clips["walk"].with_markers({"left foot": 0.5}))
    >>> _ = fade.update(0.6)
    >>> [event.marker.name for event in fade.events]
    ['left foot']
    """

    clip: Clip
    marker: Marker
    weight: float


def blended_move(moves: Sequence[Move]) -> NDArray[np.float64] | None:
    """Blend the root motion of clips by weight, (10,); None if no clip has one.

    Clips without root motion stand still.
    """
    motions = [getattr(clip, "root_motion", None) for clip, *_ in moves]  # other playables need not have one
    if not any(motions):
        return None
    steps = [
        motion.between(start, end, loop=clip.loop) if motion else trs.identity(dtype=np.float64)
        for motion, (clip, start, end, _) in zip(motions, moves, strict=True)
    ]
    return blend_root_motions(steps, [weight for *_, weight in moves])
