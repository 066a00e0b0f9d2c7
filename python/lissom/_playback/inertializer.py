# SPDX-License-Identifier: MIT
"""Inertialization: a transition to another motion by a difference that decays."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import quat
from lissom._base.arrays import as_floats, check_out
from lissom._base.numbers import LARGEST, check_number, refuse_larger
from lissom._base.set_module import set_module
from lissom._rig.skeleton import Skeleton

__all__ = ["Inertializer", "Quintic", "Spring", "differences", "spring_halflife"]

Kind = Literal["quintic", "spring"]

# (1 + s) exp(-s) = 1/2 at this s: a critically damped spring released at rest has half its difference left.
_HALF_WAY = 1.6783469900166605
# (1 + s) exp(-s) = 1/1000 at this s: the time, in 1/y, that a spring gets which ends after `duration`.
_NEARLY_THERE = 9.233413476451586
# After this many half-lives a spring has 1e-13 of its difference left.
_SPRING_LIVES = 20
# A difference below this has no direction (metres, radians, factors): rounding of float32 poses is larger.
_LEAST_DIFFERENCE = 1e-12


@set_module("lissom")
class Inertializer:
    """Makes a transition from one motion to another by adding to the new one a difference that decays.

    The old motion is not needed after the switch: `transition` takes the pose that was showing, and its
    velocity from the pose before, and keeps their difference to the new motion, for each joint: of the
    translation, of the rotation as a rotation vector in the joint's own axes, of the scale. `apply` adds the
    decayed difference to a pose of the new motion.

    Parameters
    ----------
    skeleton : Skeleton
        The skeleton of the poses.
    kind : {"quintic", "spring"}
        "quintic" ends after `duration`, exactly. Each difference keeps its direction and shrinks by a
        polynomial that starts with the speed of the difference and ends at rest. It never grows and never
        passes zero: a speed away from the new motion is dropped, and where the difference shrinks so fast
        that it would overshoot, it takes less time instead [1]_. "spring" keeps the velocity in all
        directions, also away, and approaches zero as a critically damped spring [2]_.
    duration : float
        Seconds it takes, above zero. A spring that started at rest would have 0.1 % of the difference left
        then; the remainder is subtracted in proportion to the cube of the time, so that it ends exactly.
    halflife : float, optional
        Instead of `duration`, of a spring: seconds after which half the difference is left if it starts at
        rest, above zero. It ends after 20 of these. ``duration / 5.5`` when omitted.

    Raises
    ------
    ValueError
        If `kind` is unknown, or a time is not above zero and finite.

    References
    ----------
    .. [1] Bollo, Inertialization: High-Performance Animation Transitions in "Gears of War", GDC 2018.
    .. [2] Holden, Spring-It-On: The Game Developer's Spring-Roll-Call, 2021.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> walk, run = hero.clips["walk"], hero.clips["run"]
    >>> change = lissom.Inertializer(hero.skeleton, duration=0.3)
    >>> change.transition(walk.sample(0.5), run.sample(0))
    >>> bool(np.allclose(change.apply(run.sample(0), 0), walk.sample(0.5), atol=1e-6))
    True
    >>> bool((change.apply(run.sample(0.3), 0.3) == run.sample(0.3)).all())
    True
    """

    def __init__(
        self,
        skeleton: Skeleton,
        *,
        kind: Kind = "quintic",
        duration: float = 0.3,
        halflife: float | None = None,
    ) -> None:
        if not isinstance(skeleton, Skeleton):
            raise TypeError(f"Inertializer: skeleton must be a Skeleton, got {type(skeleton).__name__}")
        if kind not in ("quintic", "spring"):
            raise ValueError(f"Inertializer: kind must be 'quintic' or 'spring', got {kind!r}")
        if halflife is not None and kind != "spring":
            raise ValueError(
                f"Inertializer: halflife must be None for kind {kind!r}, got {halflife}; pass kind='spring', "
                "or duration"
            )
        for name, seconds in (("duration", duration), ("halflife", halflife)):
            if seconds is not None:
                check_number(seconds, f"Inertializer: {name}", above_zero=True)
        self._skeleton = skeleton
        self._kind: Kind = kind
        self._duration = float(duration if halflife is None else _SPRING_LIVES * halflife)
        self._halflife = float(spring_halflife(duration) if halflife is None else halflife)
        self._elapsed = 0.0
        self._curve: Quintic | Spring | None = None
        self._weight_curve: Quintic | Spring | None = None  # of weights of morph targets, (M, 1)

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton of the poses."""
        return self._skeleton

    @property
    def kind(self) -> str:  # not Kind: a Literal that Jedi finds here ends the completion of the whole class
        """How differences decay: "quintic" or "spring"."""
        return self._kind

    @property
    def elapsed(self) -> float:
        """Seconds since the last transition."""
        return self._elapsed

    @property
    def is_active(self) -> bool:
        """Whether a difference is left."""
        return self._curve is not None or self._weight_curve is not None

    @property
    def offset(self) -> NDArray[np.float64]:
        """The difference that `apply` last added, shape (J, 9).

        The translation, the rotation vector (radians, in the joint's own axes) and the scale of each joint.
        """
        if self._curve is None:
            return np.zeros((len(self._skeleton), 9))
        return np.concatenate(list(self._curve.at(self._elapsed)), axis=-1)

    def reset(self) -> None:
        """Drop the rest of the difference.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> change = lissom.Inertializer(hero.skeleton, duration=0.4)
        >>> change.transition(hero.clips["wave"].sample(1.5), hero.skeleton.rest)
        >>> change.is_active
        True
        >>> change.reset()
        >>> bool(np.array_equal(change.apply(hero.skeleton.rest, 0.1), hero.skeleton.rest))
        True
        """
        self._curve = self._weight_curve = None
        self._elapsed = 0.0

    def transition(
        self,
        pose: ArrayLike,
        target: ArrayLike,
        *,
        previous: ArrayLike | None = None,
        target_previous: ArrayLike | None = None,
        dt: float | None = None,
    ) -> None:
        """Start a transition: from now on the difference of `pose` to `target` is added, and decays.

        Parameters
        ----------
        pose : array_like of float, shape (J, 10)
            The pose that is showing, local trs.
        target : array_like of float, shape (J, 10)
            The pose of the new motion at the same moment.
        previous, target_previous : array_like of float, shape (J, 10), optional
            Both poses a step of `dt` before, for the velocities. Without `previous`, both velocities are
            zero; without `target_previous`, that of the new motion is.
        dt : float, optional
            Seconds of that step, at least 1e-9; needed with `previous`.

        Raises
        ------
        ValueError
            If a pose has another shape or is not finite, or `dt` is missing or below 1e-9.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> walk, idle = hero.clips["walk"], hero.clips["idle"]
        >>> change = lissom.Inertializer(hero.skeleton, duration=0.3)
        >>> change.transition(walk.sample(0.5), idle.sample(0), previous=walk.sample(0.48), dt=0.02)
        >>> pose = change.apply(idle.sample(0), 0)
        >>> bool(np.allclose(pose, walk.sample(0.5), atol=1e-5))  # it starts from what shows
        True
        """
        shown, goal = self._pose(pose, "pose"), self._pose(target, "target")
        past: tuple[NDArray[np.float64], NDArray[np.float64], float] | None = None
        if previous is not None:
            if dt is not None:
                check_number(dt, "Inertializer.transition: dt")
            if dt is None or not dt > 0:
                raise ValueError(
                    "Inertializer.transition: dt must be the seconds from previous to pose, above zero, "
                    f"got {dt}"
                )
            check_number(dt, "Inertializer.transition: dt", least=1 / LARGEST)  # or velocities are infinite
            before = self._pose(previous, "previous")
            goal_before = goal if target_previous is None else self._pose(target_previous, "target_previous")
            past = (before, goal_before, dt)
        elif target_previous is not None:
            raise ValueError(
                "Inertializer.transition: previous must be passed with target_previous, got None; pass both"
            )
        self._elapsed = 0.0
        self._curve = self._decaying(*differences(shown, goal, past))
        self._weight_curve = None

    def _decaying(self, difference: NDArray[np.float64], velocity: NDArray[np.float64]) -> Quintic | Spring:
        if self._kind == "quintic":
            return Quintic(difference, velocity, self._duration)
        return Spring(difference, velocity, self._halflife, self._duration)

    def _transition_weights(
        self, weights: NDArray[np.float64], target: NDArray[np.float64], velocity: NDArray[np.float64]
    ) -> None:
        """Let the difference of weights (M,) decay as that of the pose, after `transition`."""
        self._weight_curve = self._decaying((weights - target)[:, None], velocity[:, None])

    def _apply_weights(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add the decayed difference to weights (M,) of the new motion, after `apply`."""
        if self._weight_curve is None:
            return weights
        return weights + self._weight_curve.at(self._elapsed)[:, 0]

    def apply(self, pose: ArrayLike, dt: float, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Advance the time, and add the decayed difference to a pose of the new motion.

        Parameters
        ----------
        pose : array_like of float, shape (J, 10)
            The new motion, `dt` after the last call.
        dt : float
            Seconds since the last call or the transition, at least 0.
        out : ndarray, shape (J, 10), optional
            Where to write, of the type of `pose`; may be `pose`. Allocated when omitted.

        Returns
        -------
        ndarray, shape (J, 10)
            Of the type of `pose`; `pose` itself to the last bit once no difference is left.

        Raises
        ------
        TypeError
            If `out` has another type.
        ValueError
            If a shape is wrong, or `dt` is negative or not finite.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> wave, idle = hero.clips["wave"], hero.clips["idle"]
        >>> change = lissom.Inertializer(hero.skeleton, duration=0.4)
        >>> change.transition(wave.sample(1.5), idle.sample(0))
        >>> hand = hero.skeleton.index("Hand.R")
        >>> for step in range(5):  # from the wave to the idle
        ...     pose = change.apply(idle.sample(step * 0.1), 0.1 if step else 0.0)
        ...     print(hero.skeleton.positions(pose)[hand, 1].round(2))
        1.67
        1.63
        1.29
        0.93
        0.87
        """
        pose = as_floats(pose, "Inertializer.apply: pose")
        shape = (len(self._skeleton), 10)
        if pose.shape != shape:
            raise ValueError(f"Inertializer.apply: pose must have shape {shape}, got {pose.shape}")
        check_number(dt, "Inertializer.apply: dt", least=0)
        if out is None:
            out = np.empty_like(pose)
        else:
            check_out(out, "Inertializer.apply: out", shape, pose.dtype, contiguous=False)
        self._elapsed += dt
        if self._curve is not None and self._elapsed >= self._curve.end:
            self._curve = None
        if self._weight_curve is not None and self._elapsed >= self._weight_curve.end:
            self._weight_curve = None
        if self._curve is None:
            out[:] = pose
            return out
        translations, rotation_vectors, scales = self._curve.at(self._elapsed)
        np.add(pose[:, :3], translations, out=out[:, :3], casting="same_kind")
        out[:, 3:7] = quat.multiply(pose[:, 3:7].astype(np.float64), _quaternions(rotation_vectors))
        np.add(pose[:, 7:], scales, out=out[:, 7:], casting="same_kind")
        return out

    def _pose(self, pose: ArrayLike, name: str) -> NDArray[np.float64]:
        array = as_floats(pose, f"Inertializer.transition: {name}").astype(np.float64)
        shape = (len(self._skeleton), 10)
        if array.shape != shape:
            raise ValueError(f"Inertializer.transition: {name} must have shape {shape}, got {array.shape}")
        if not np.isfinite(array).all():
            wrong = array[~np.isfinite(array)][0]
            raise ValueError(f"Inertializer.transition: {name} must be finite, got {wrong}")
        refuse_larger(array, f"Inertializer.transition: {name}")
        return array

    def __repr__(self) -> str:
        length = f"{self._duration:g} s" if self._kind == "quintic" else f"half-life {self._halflife:.3g} s"
        state = f"{self._elapsed:.3f} s into a transition" if self.is_active else "at rest"
        return f"<Inertializer of {len(self._skeleton)} joints: {self._kind}, {length}, {state}>"


class Quintic:
    """Differences that keep their direction and shrink by a polynomial, of Bollo's slides.

    x(t) = A t^5 + B t^4 + C t^3 + a0 t^2 / 2 + v0 t + x0 with x = x' = x'' = 0 at t1, and a0 chosen so that
    x does not pass zero before. Time is in units of t1 here, so v0 stands for v0 t1 and a0 for a0 t1^2.
    """

    def __init__(
        self,
        difference: NDArray[np.float64],
        velocity: NDArray[np.float64],
        duration: float | NDArray[np.float64],
    ) -> None:
        x0 = np.sqrt(_sums(difference * difference))
        differs = x0 > _LEAST_DIFFERENCE
        length = np.where(differs, x0, 1)
        self.directions = np.where(differs, 1 / length, 0)[..., None] * difference  # (3, J, 3)
        speed = np.minimum(_sums(velocity * self.directions), 0)
        # Without this the polynomial would have to come back from beyond zero.
        t1 = np.minimum(duration, np.where(speed < 0, -5 * x0 / np.where(speed < 0, speed, -1), duration))
        self.times = np.where(differs, t1, duration)  # without a difference, any time above zero will do
        v0 = speed * self.times
        a0 = np.maximum(0, -8 * v0 - 20 * x0)
        self.coefficients = (
            -(a0 + 6 * v0 + 12 * x0) / 2,
            (3 * a0 + 16 * v0 + 30 * x0) / 2,
            -(3 * a0 + 12 * v0 + 20 * x0) / 2,
            a0 / 2,
            v0,
            x0,
        )
        self.ends = np.where(differs, t1, 0.0)
        self.end = float(self.ends.max(initial=0))  # seconds

    def at(self, time: float) -> NDArray[np.float64]:
        """Return the translations, rotation vectors and scales that remain after `time`, (3, J, 3)."""
        share = np.minimum(time / self.times, 1)
        x = np.zeros_like(share)
        for coefficient in self.coefficients:
            x *= share
            x += coefficient
        x[share == 1] = 0
        return np.maximum(x, 0)[..., None] * self.directions


class Spring:
    """Differences that decay as a critically damped spring: x(t) = exp(-y t) (x0 + (v0 + y x0) t).

    The remainder at `end` is subtracted in proportion to the cube of the time, which changes neither the
    position nor the velocity nor the acceleration at the start.
    """

    def __init__(
        self, difference: NDArray[np.float64], velocity: NDArray[np.float64], halflife: float, end: float
    ) -> None:
        self.rate = _HALF_WAY / halflife  # y
        self.start = difference
        self.slope = velocity + self.rate * difference
        self.end = end
        self.last = self._spring(end)

    def at(self, time: float) -> NDArray[np.float64]:
        """Return the translations, rotation vectors and scales that remain after `time`, (3, J, 3)."""
        u = time / self.end
        return self._spring(time) - u * u * u * self.last

    def _spring(self, time: float) -> NDArray[np.float64]:
        difference: NDArray[np.float64] = math.exp(-self.rate * time) * (self.start + self.slope * time)
        return difference


def spring_halflife(duration: float) -> float:
    """Return the half-life of a spring that is nearly there after `duration`."""
    return duration * _HALF_WAY / _NEARLY_THERE


def differences(
    pose: NDArray[np.float64],
    target: NDArray[np.float64],
    past: tuple[NDArray[np.float64], NDArray[np.float64], Any] | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the differences of a pose to a target, (3, J, 3), and their velocities.

    `past` is both a step before, and the seconds of that step (for all joints, or (J, 1)); velocities are
    zero without.
    """
    rotation, difference = _difference(pose, target, None)
    if past is None:
        return difference, np.zeros_like(difference)
    before, target_before, dt = past
    return difference, (difference - _difference(before, target_before, rotation)[1]) / dt


def _sums(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sums over the last axis, of three numbers or of one, from left to right."""
    total = vectors[..., 0]
    for component in range(1, vectors.shape[-1]):
        total = total + vectors[..., component]
    return total


def _difference(
    pose: NDArray[np.float64], target: NDArray[np.float64], near: NDArray[np.float64] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return target* pose as quaternions (J, 4), and all differences as vectors (3, J, 3).

    Rotations follow the shorter arc, or, with quaternions `near`, have the sign nearest to those: otherwise a
    difference near half a turn would have the velocity of a jump.
    """
    rotation = quat.multiply(quat.conjugate(target[:, 3:7]), pose[:, 3:7])
    dot = rotation[:, 3] if near is None else quat.dot(rotation, near)
    rotation = rotation * np.where(dot < 0, -1, 1)[:, None]
    vectors = 2 * quat.log(rotation)[:, :3]
    return rotation, np.stack([pose[:, :3] - target[:, :3], vectors, pose[:, 7:] - target[:, 7:]])


def _quaternions(rotation_vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    half = np.zeros((len(rotation_vectors), 4))
    half[:, :3] = 0.5 * rotation_vectors
    return np.asarray(quat.exp(half))
