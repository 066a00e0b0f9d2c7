# SPDX-License-Identifier: MIT
"""Where in what plays: play heads, each of which advances by itself or in step with others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import quat
from lissom._rig.skeleton import Skeleton
from lissom._rig.skeleton_fit import check_same_skeleton
from lissom.clip import Clip

if TYPE_CHECKING:
    from lissom.clip import Loop

__all__ = ["PlayHead", "Playable", "Stretching", "Sync", "check_playable", "is_cycle"]


@runtime_checkable
class Playable(Protocol):
    """What a `CrossFade` can play: a clip, a blend space, or what else has these."""

    @property
    def name(self) -> str:
        """What to call it."""

    @property
    def skeleton(self) -> Skeleton:
        """Whose poses it gives."""

    @property
    def start(self) -> float:
        """Seconds at which it starts."""

    @property
    def duration(self) -> float:
        """Seconds from its start to its end."""

    @property
    def loop(self) -> Loop:
        """How it goes on beyond its end."""

    def sample(self, times: ArrayLike, loop: Loop | None = None, out: NDArray[Any] | None = None) -> Any:
        """Give local poses (..., J, 10) at times, in seconds."""


@runtime_checkable
class Stretching(Protocol):
    """A playable whose duration may change while it plays, so that its play head keeps the phase."""

    def components(self) -> Sequence[tuple[Clip, float]]:
        """Give the clips it is made of at present, and their weights."""


class PlayHead:
    """The time of one playable thing, held in double, and the pose there."""

    def __init__(self, source: Playable, time: float, speed: float) -> None:
        self.source = source
        self.time = time  # seconds, not wrapped
        self.speed = speed
        self.weight = 0.0  # in the pose that shows
        self.before = (time, self._phase_at(time))  # of the last step: (seconds, cycles)
        self.is_fresh = True  # whether no time has passed yet
        self.sync: Sync | None = None
        # Asked once: an isinstance of a protocol takes longer than sampling a clip.
        self._stretches = isinstance(source, Stretching)
        if self._stretches:
            Sync(self)
        self.pose = np.empty((len(source.skeleton), 10))
        self._sampled: NDArray[Any] | None = None
        self.sample()

    @property
    def phase(self) -> float:
        """Cycles since the start, not wrapped."""
        return self.sync.phase if self.sync else self._phase_at(self.time)

    @property
    def lasts(self) -> float:
        """Seconds a cycle takes at its speed."""
        return self.source.duration / self.speed if self.speed > 0 else math.inf

    def _phase_at(self, time: float) -> float:
        duration = self.source.duration
        return (time - self.source.start) / duration if duration > 0 else 0.0

    def advance(self, dt: float) -> None:
        """Let time pass for a head that keeps its own; others are moved by their `Sync`."""
        self.before = (self.time, self.phase)
        if not self.sync:
            self.time += dt * self.speed

    def sample(self) -> NDArray[np.float64]:
        """Read the pose at the present time."""
        self._sampled = self.source.sample(self.time, out=self._sampled)
        np.copyto(self.pose, self._sampled)
        return self.pose

    def a_step_back(self, dt: float) -> NDArray[np.float64]:
        """Give the pose from which a step like the coming one would have led to the present one.

        It stands for the velocity: what lies before the start of a clip says nothing of how it will move.
        """
        time, step = self.time, dt * self.speed
        if self._stretches:  # its parameter may have changed since the last step: that is no velocity
            time = self.source.start + self.phase * self.source.duration
        now, ahead = np.asarray(self.source.sample([time, time + step]), np.float64)
        back: NDArray[np.float64] = self.pose + (now - ahead)
        turn = quat.multiply(now[:, 3:7], quat.conjugate(ahead[:, 3:7]))
        back[:, 3:7] = quat.multiply(turn, self.pose[:, 3:7])
        return back

    def steps(self) -> list[tuple[Clip, float, float, float]]:
        """Give what moved in the last step: clip, time before, time now, weight. Times are not wrapped."""
        source: Any = self.source
        if not self._stretches:
            return [(source, self.before[0], self.time, self.weight)]
        return [
            (
                clip,
                clip.start + self.before[1] * clip.duration,
                clip.start + self.phase * clip.duration,
                self.weight * share,
            )
            for clip, share in source.components()
            if share > 0
        ]


class Sync:
    """Play heads that share their phase, in cycles, so that their feet come down together."""

    def __init__(self, head: PlayHead) -> None:
        self.phase = head.phase
        head.sync = self

    def advance(self, dt: float, heads: list[PlayHead]) -> None:
        """Move `heads`, those of mine in flight, by one time: a cycle lasts as their weighted mean."""
        weights = [head.weight for head in heads]
        if not sum(weights) > 0:  # all hidden for now, below a fade that shows its target only
            weights = [1.0] * len(heads)
        pairs = zip(weights, heads, strict=True)
        lasts = sum(w * head.lasts for w, head in pairs if w > 0) / sum(weights)
        self.phase += dt / lasts
        for head in heads:
            head.time = head.source.start + self.phase * head.source.duration


def is_cycle(source: Playable) -> bool:
    """Whether it has a phase to be in step with."""
    return source.loop is True and source.duration > 0


def check_playable(source: object, skeleton: Skeleton, function: str) -> None:
    """Refuse what cannot be played, or not on this skeleton."""
    if not isinstance(source, (Clip, Playable)):  # the first is quick, the second is for all others
        raise TypeError(f"{function}: clip must be a Clip or a blend space, got {type(source).__name__}")
    check_same_skeleton(skeleton, source.skeleton, f"{function}: {source.name!r}")
