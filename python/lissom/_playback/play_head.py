# SPDX-License-Identifier: MIT
"""Play heads: the time and pose of a playing clip, which advances by itself or in step with others."""

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

__all__ = [
    "PlayHead",
    "Playable",
    "Stretching",
    "Sync",
    "check_playable",
    "extrapolated_back",
    "is_cycle",
    "morph_names_of",
]


@runtime_checkable
class Playable(Protocol):
    """Objects that a `CrossFade` can play: a clip, a blend space, or others with these members."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton of its poses."""

    @property
    def start(self) -> float:
        """Seconds at which it starts."""

    @property
    def duration(self) -> float:
        """Seconds from its start to its end."""

    @property
    def loop(self) -> Loop:
        """The loop mode."""

    def sample(self, times: ArrayLike, loop: Loop | None = None, out: NDArray[Any] | None = None) -> Any:
        """Sample local poses (..., J, 10) at times, in seconds."""


@runtime_checkable
class Stretching(Protocol):
    """A playable whose duration may change while it plays, so that its play head keeps the phase."""

    def components(self) -> Sequence[tuple[Clip, float]]:
        """Return the clips it is blended from at present, and their weights."""


class PlayHead:
    """The time of one playable, in double, its pose at that time, and its weights of morph targets."""

    def __init__(
        self, source: Playable, time: float, speed: float, rest_weights: NDArray[Any], dtype: np.dtype[Any]
    ) -> None:
        """`rest_weights`, (M,), are those of a playable that knows of no morph targets."""
        self.source = source
        self.time = time  # seconds, not wrapped
        self.speed = speed
        self.weight = 0.0  # in the present pose
        self.before = (time, self._phase_at(time))  # the last step: (seconds, cycles)
        self.is_fresh = True  # whether no time has passed yet
        self.sync: Sync | None = None
        # Checked once: isinstance of a protocol takes longer than sampling a clip.
        self._stretches = isinstance(source, Stretching)
        if self._stretches:
            Sync(self)
        self.pose = np.empty((len(source.skeleton), 10), dtype)
        self._sampled: NDArray[Any] | None = None
        self._morphed: Any = source if morph_names_of(source) else None
        self._sampled_weights: NDArray[Any] | None = None
        self.weights = rest_weights.astype(np.float64)
        self.sample()

    @property
    def phase(self) -> float:
        """Cycles since the start, not wrapped."""
        return self.sync.phase if self.sync else self._phase_at(self.time)

    @property
    def cycle_seconds(self) -> float:
        """Seconds of a cycle at its speed."""
        return self.source.duration / self.speed if self.speed > 0 else math.inf

    def _phase_at(self, time: float) -> float:
        duration = self.source.duration
        return (time - self.source.start) / duration if duration > 0 else 0.0

    def advance(self, dt: float) -> None:
        """Advance the time of a head without a `Sync`, which advances all others."""
        self.before = (self.time, self.phase)
        if not self.sync:
            self.time += dt * self.speed

    def sample(self) -> NDArray[Any]:
        """Read the pose at the present time."""
        self._sampled = self.source.sample(self.time, out=self._sampled)
        np.copyto(self.pose, self._sampled, casting="same_kind")
        if self._morphed is not None:
            self._sampled_weights = self._morphed.morphs(self.time, out=self._sampled_weights)
            np.copyto(self.weights, self._sampled_weights)
        return self.pose

    def previous_pose(self, dt: float) -> NDArray[np.float64]:
        """Return the pose a step before the present one, extrapolated from the coming step, for the velocity.

        Samples of the clip before its start say nothing about its motion after it.
        """
        time, step = self._present_time(), dt * self.speed
        now, ahead = np.asarray(self.source.sample([time, time + step]), np.float64)
        return extrapolated_back(self.pose.astype(np.float64), now, ahead)

    def previous_weights(self, dt: float) -> NDArray[np.float64]:
        """Return the weights a step before the present ones, extrapolated alike."""
        if self._morphed is None:
            return self.weights
        time = self._present_time()
        now, ahead = np.asarray(self._morphed.morphs([time, time + dt * self.speed]), np.float64)
        return np.asarray(self.weights + (now - ahead))

    def _present_time(self) -> float:
        # A change of its parameter since the last step must not count as velocity.
        source = self.source
        return source.start + self.phase * source.duration if self._stretches else self.time

    def steps(self) -> list[tuple[Clip, float, float, float]]:
        """Return the clips of the last step: clip, time before, time now, weight. Times are not wrapped."""
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


def extrapolated_back(
    pose: NDArray[np.float64], now: NDArray[np.float64], ahead: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return poses (..., J, 10) moved back by the step that leads from `now` to `ahead`."""
    back: NDArray[np.float64] = pose + (now - ahead)
    rotation = quat.multiply(now[..., 3:7], quat.conjugate(ahead[..., 3:7]))
    back[..., 3:7] = quat.multiply(rotation, pose[..., 3:7])
    return back


class Sync:
    """Play heads that share their phase, in cycles, so that their feet come down together."""

    def __init__(self, head: PlayHead) -> None:
        self.phase = head.phase
        head.sync = self

    def advance(self, dt: float, heads: list[PlayHead]) -> None:
        """Advance `heads`, those of this sync that play, by one phase: a cycle lasts their weighted mean."""
        weights = [head.weight for head in heads]
        if not any(weight > 0 for weight in weights):  # below a fade that shows its target only
            weights = [1.0] * len(heads)
        total = seconds = 0.0  # not by sum, which rounds otherwise from Python 3.12 on
        for weight, head in zip(weights, heads, strict=True):
            total += weight
            if weight > 0:
                seconds += weight * head.cycle_seconds
        self.phase += dt / (seconds / total)
        for head in heads:
            head.time = head.source.start + self.phase * head.source.duration


def is_cycle(source: Playable) -> bool:
    """Return whether it has a phase, so that others can play in step with it."""
    return source.loop is True and source.duration > 0


def morph_names_of(source: object) -> tuple[str, ...]:
    """Return the names of the morph targets whose weights a playable has."""
    return tuple(getattr(source, "morph_names", ()))


def check_playable(source: object, skeleton: Skeleton, function: str) -> None:
    """Refuse objects that cannot be played, or not on this skeleton, in the name of `function`."""
    if not isinstance(source, (Clip, Playable)):  # Clip first: a check of the protocol is slow
        raise TypeError(f"{function}: clip must be a Clip or a blend space, got {type(source).__name__}")
    check_same_skeleton(skeleton, source.skeleton, f"{function}: {source.name!r}")
