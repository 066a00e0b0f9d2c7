# SPDX-License-Identifier: MIT
"""A single fade: from the pose below it to its target, without a pop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom import _core, quat
from lissom._base.easing import EASINGS, Ease
from lissom._playback.inertializer import Inertializer
from lissom._playback.play_head import PlayHead

__all__ = ["Fade", "Layer"]

Pose = NDArray[Any]  # of the type that the cross-fade shows, in which it is blended


class Fade:
    """Blends from the pose below to a target pose, by a weight that grows from 0 to 1.

    From one step to the next no joint rotates by more than both poses rotate it, plus the angle between them
    times the change of the weight. Rotations are points on the sphere of unit quaternions, two points each,
    and half the angle between rotations is the arc between points. Let A and B be the points of both poses
    before a step and A', B' those after it, each of the sign that is nearer to its own last point:

    - While ``A . B >= 0`` the arc is at most a quarter of a great circle. There, by the Jacobi fields of the
      sphere, slerp moves by no more than the end of the arc that moves: ``sin(u L) <= sin L`` for u in [0, 1]
      and arc L at most pi / 2. Points nearer to B than that are a convex set, so this holds on the whole path
      from A to A' if it holds at both ends. So a step is bounded in three parts: first the weight changes, by
      (arc) x (change of weight); then A moves to A' while B is fixed, and B to B' while A' is fixed, or in
      the other order. One of the two orders is possible if ``A'. B >= 0`` or ``A . B' >= 0``, and ``A'. B' >=
      0``.
    - Beyond a quarter, the speed of slerp grows without bound towards the antipodal point, and the other sign
      would be a pop. So a pair that would get there is *held* from then on: its difference D = B* A before
      the step stays, and the joint shows ``B' D^(1 - w)``. It rotates by as much as B, and the weight adds
      (angle of D, at most pi) x (change of weight).

    No rule has a smaller bound than the held difference: where B rotates on past A, the angle between them
    shrinks to zero, while the joint still has to get to B. For a smaller bound it would have to start before
    that can be known.

    Slerp has constant speed. For nlerp the same holds with 4 / pi times the difference.
    """

    def __init__(self, below: Pose, target: Pose, duration: float, ease: Ease) -> None:
        count = len(below)
        self.duration = duration  # seconds
        self.elapsed = 0.0  # seconds
        self.ease = ease
        self.weight = 0.0
        self._points = np.stack([below[:, 3:7], target[:, 3:7]])  # (2, J, 4), signs continuous over the steps
        self._points[1] *= _signs(quat.dot(*self._points))  # starts along the shorter arc
        self.held = np.zeros(count, bool)
        self._any_held = False
        self._differences = np.zeros_like(self._points[0])  # D, where held

    @property
    def is_over(self) -> bool:
        """Whether the fade has reached its target."""
        return self.elapsed >= self.duration

    def advance(self, dt: float) -> None:
        """Advance the time, and set the weight."""
        self.elapsed += dt
        if self.is_over:
            self.weight = 1.0
        else:
            ease: Callable[[float], float] = EASINGS[self.ease] if isinstance(self.ease, str) else self.ease
            self.weight = min(max(ease(self.elapsed / self.duration), 0.0), 1.0)

    def blend(self, below: Pose, target: Pose, out: Pose) -> None:
        """Write the pose at the present weight to `out`; all (J, 10). Call it once for each step."""
        np.subtract(target, below, out=out)
        out *= self.weight
        out += below
        a, b = self._step_points(below, target)
        out[:, 3:7] = _core.quat_slerp_near(a, b, self.weight)
        if self.weight == 1:
            out[:] = target  # to the last bit

    def _step_points(self, below: Pose, target: Pose) -> NDArray[np.float64]:
        """Return the points of both poses after a step, at most a quarter of a great circle apart."""
        old = self._points
        new = np.empty_like(old)
        new[0] = below[:, 3:7]
        new[1] = target[:, 3:7]
        own_dots = quat.dot(new, old)  # A'. A and B'. B
        if own_dots.min(initial=0) < 0:
            new *= _signs(own_dots)
        cross_dots = quat.dot(new, old[::-1])  # A'. B and B'. A
        crossed = (quat.dot(new[0], new[1]) < 0) | (cross_dots.max(axis=0) < 0)
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
    """A play head, the fade by which it covers the layers below, and its inertialization if one is active."""

    def __init__(
        self, head: PlayHead, fade: Fade | None = None, inertializer: Inertializer | None = None
    ) -> None:
        self.head = head
        self.fade = fade  # None: the lowest layer
        self.inertializer = inertializer
        self.shown = np.empty_like(head.pose)  # the pose of this layer over all below it
        self.target = head.pose  # the pose of this layer alone
        self.shown_weights = head.weights.copy()  # the same of weights of morph targets
        self.target_weights = head.weights

    def blend_weights(self, below: NDArray[np.float64]) -> None:
        """Set the weights that show, from those below and the target: they lerp."""
        weight = self.fade.weight if self.fade else 1.0
        self.shown_weights = below + weight * (self.target_weights - below)
        if weight == 1:
            np.copyto(self.shown_weights, self.target_weights)  # to the last bit

    def update_target(self, dt: float) -> None:
        """Set the target from the pose and weights of the play head, inertialized if that is active."""
        self.target_weights = self.head.weights
        if self.inertializer is None:
            self.target = self.head.pose
            return
        self.target = self.inertializer.apply(self.head.pose, dt)
        self.target_weights = self.inertializer._apply_weights(self.head.weights)
        if not self.inertializer.is_active:
            self.inertializer = None


def _signs(dots: NDArray[Any]) -> NDArray[Any]:
    return np.where(dots < 0, -1, 1).astype(dots.dtype)[..., None]
