# SPDX-License-Identifier: MIT
"""One fade in flight: the step from what lies below it towards its target, without a pop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom import quat
from lissom._base.easing import EASINGS, Ease
from lissom._playback.inertializer import Inertializer
from lissom._playback.play_head import PlayHead

__all__ = ["Fade", "Layer"]

Pose = NDArray[np.float64]


class Fade:
    """Weighs a target pose, which grows, against the pose below it.

    No joint turns by more, from one step to the next, than both poses turn it, plus the angle between them
    times the change of the weight. Rotations lie on the sphere of unit quaternions, where each is two points,
    and half the angle between rotations is the arc between points. Let A and B be the points of both poses
    before a step and A', B' those after it, each of the two signs that is nearer to its own last one:

    - While ``A . B >= 0`` the arc is at most a quarter of a great circle. There, by the Jacobi fields of the
      sphere, slerp moves by no more than an end of the arc that moves: ``sin(u L) <= sin L`` for u in [0, 1]
      and arc L at most pi / 2. Points nearer to B than that are a convex set, so this holds for the whole way
      from A to A' if it holds at both ends. So the step is: first the weight, by (arc) x (change of weight);
      then A to A' while B waits, and B to B' while A' waits, or the other way round. One of both ways is free
      if ``A'. B >= 0`` or ``A . B' >= 0``, and ``A'. B' >= 0``.
    - Beyond a quarter, slerp grows without bound towards the opposite point, and the other sign would be a
      pop. So a pair that would go there is *held* from then on: its difference D = B* A of before the step
      stays, and the joint shows ``B' D^(1 - w)``. Turning B turns that by as much, and the weight adds
      (angle of D, at most pi) x (change of weight).

    No rule does better than to hold what was the difference: where B goes on turning past A, the angle
    between them shrinks to nothing, while the joint still has the way to B before it. To use less than the
    held difference it would have to set out before it can know that.

    Slerp has even speed. Of nlerp the same holds with 4 / pi times the difference.
    """

    def __init__(self, below: Pose, target: Pose, duration: float, ease: Ease) -> None:
        count = len(below)
        self.duration = duration  # seconds
        self.elapsed = 0.0  # seconds
        self.ease = ease
        self.weight = 0.0
        self._points = np.stack([below[:, 3:7], target[:, 3:7]])  # (2, J, 4), signed as carried
        self._points[1] *= _signs(np.vecdot(*self._points))  # sets out on the short way
        self.held = np.zeros(count, bool)
        self._any_held = False
        self._differences = np.zeros((count, 4))  # D, where held

    @property
    def is_over(self) -> bool:
        """Whether only the target is left."""
        return self.elapsed >= self.duration

    def advance(self, dt: float) -> None:
        """Let time pass: sets the weight."""
        self.elapsed += dt
        if self.is_over:
            self.weight = 1.0
        else:
            ease: Callable[[float], float] = EASINGS[self.ease] if isinstance(self.ease, str) else self.ease
            self.weight = min(max(ease(self.elapsed / self.duration), 0.0), 1.0)

    def blend(self, below: Pose, target: Pose, out: Pose) -> None:
        """Write the pose at the present weight; all (J, 10), once for each step."""
        np.subtract(target, below, out=out)
        out *= self.weight
        out += below
        a, b = self._carried(below, target)
        out[:, 3:7] = quat.slerp(a, b, self.weight, short=False)
        if self.weight == 1:
            out[:] = target  # to the last bit

    def _carried(self, below: Pose, target: Pose) -> NDArray[np.float64]:
        """Give the points of both poses, at most a quarter of a great circle apart."""
        old = self._points
        new = np.empty_like(old)
        new[0] = below[:, 3:7]
        new[1] = target[:, 3:7]
        along = np.vecdot(new, old)
        if along.min(initial=0) < 0:
            new *= _signs(along)
        across = np.vecdot(new, old[::-1])  # A'. B and B'. A
        crossed = (np.vecdot(new[0], new[1]) < 0) | (across.max(axis=0) < 0)
        crossed &= ~self.held
        if crossed.any():
            self._hold(crossed)
        if self._any_held:
            new[0, self.held] = quat.multiply(new[1, self.held], self._differences[self.held])
        self._points = new
        return new

    def _hold(self, joints: NDArray[np.bool_]) -> None:
        a, b = self._points[:, joints]
        self._differences[joints] = quat.multiply(quat.conjugate(b), a)
        self.held |= joints
        self._any_held = True


class Layer:
    """A play head, the fade by which it covers the layers below, and what is left of an inertialization."""

    def __init__(self, head: PlayHead, fade: Fade | None = None, rest: Inertializer | None = None) -> None:
        self.head = head
        self.fade = fade  # None: nothing lies below
        self.rest = rest
        self.shown = np.empty_like(head.pose)  # the pose of this layer over all below it
        self.target = head.pose  # of this layer alone

    def follow(self, dt: float) -> None:
        """Take over the pose of the play head."""
        if self.rest is None:
            self.target = self.head.pose
            return
        self.target = self.rest.apply(self.head.pose, dt)
        if not self.rest.is_active:
            self.rest = None


def _signs(dots: NDArray[Any]) -> NDArray[Any]:
    return np.where(dots < 0, -1.0, 1.0)[..., None]
