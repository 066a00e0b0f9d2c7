# SPDX-License-Identifier: MIT
"""What foot placement keeps of many players between steps: one row of a structured array for each.

The steps are those of `foot_lock` and `smoothing`, for all rows at once, with the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from lissom import trs
from lissom.ik._axes import Floats
from lissom.ik._feet.gait import Gait
from lissom.ik._feet.smoothing import LiftTargets, SmoothedLifts, SmoothingSettings
from lissom.ik._feet.sole_points import SolePoints
from lissom.ik._feet.vectors import transformed_points

__all__ = ["PlayerLocks", "PlayerStates", "state_dtype"]


def state_dtype(legs: int, joints: int) -> np.dtype[np.void]:
    """Return the type of a row: of a player with so many legs, and joints that move their soles.

    Springs are pairs of a value and its velocity per second.
    """
    double = "<f8"
    return np.dtype(
        [
            ("id", "<i8"),
            ("steps", "<i8"),  # so far; the springs of a player without any rest at their targets
            ("place", double, (10,)),  # in the step before: world_from_model
            ("frames", double, (joints, 3, 4)),  # of those joints: model_from_joint
            ("ankles", double, (legs, 3)),  # world space
            ("hip_center", double, (3,)),
            ("slides", double, (legs, 3)),  # of locked feet, from the animation
            ("lean", double, (3, 2)),  # rotation vector of the body
            ("tilts", double, (legs, 6, 2)),  # rotation vectors of foot and toes
            ("height", double, (legs, 2)),  # lift of the swinging foot
            ("blend", double, (legs, 2)),  # weight of the ground
            ("offset", double, (legs,)),  # height by which the foot was raised
            ("body", double, (2,)),
        ]
    )


class PlayerLocks:
    """The locks of players, as `LockState` has that of one."""

    def __init__(self, rows: NDArray[np.void], points: SolePoints) -> None:
        self._rows, self._points = rows, points
        self._is_new = rows["steps"] == 0

    def before(self, gait: Gait, hip_center: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the places of the step before; those of new players are their own."""
        rows, joints = self._rows, self._points.sole_joints
        model_from_joint = np.zeros(gait.model_from_joint.shape)
        model_from_joint[:, joints, :3] = rows["frames"]
        # Where they were then: whether they have a place now does not count.
        place = trs.to_matrix(rows["place"])[:, None]
        points = transformed_points(place, self._points.at(model_from_joint))

        def of(now: Floats, before: Floats) -> Floats:
            return np.where(self._is_new.reshape(-1, *[1] * (now.ndim - 1)), now, before)

        return (
            of(gait.points_world, points),
            of(gait.ankles_world, rows["ankles"]),
            of(hip_center, rows["hip_center"]),
        )

    def keep(self, gait: Gait, hip_center: Floats) -> None:
        """Keep the places for the next step."""
        rows, world = self._rows, gait.world_from_model
        rows["place"] = trs.identity(dtype=np.float64) if world is None else world
        rows["frames"] = gait.model_from_joint[:, self._points.sole_joints, :3]
        rows["ankles"], rows["hip_center"] = gait.ankles_world, hip_center

    def slides(
        self,
        drift: Floats,
        held: Floats,
        keep: Floats,
        legs_world: Floats,
        radius: Floats,
        squared_reach: Floats,
    ) -> Floats:
        """Take back the drift of locked feet, (N, L, 3)."""
        slides = np.where(self._is_new[:, None, None], 0.0, self._rows["slides"])
        slides = (slides - held[..., None] * drift) * keep[..., None]
        x, y, z = slides[..., 0], slides[..., 1], slides[..., 2]
        a, b, c = legs_world[..., 0], legs_world[..., 1], legs_world[..., 2]
        squared = x * x + y * y + z * z
        moves = squared > 0
        safe = np.where(moves, squared, 1.0)
        share = np.minimum(1.0, radius / np.sqrt(safe))
        # |leg - share * slide|^2 = squared_reach: the larger root, since the leg itself is in reach.
        product = a * x + b * y + c * z
        spare = np.maximum(squared_reach - (a * a + b * b + c * c), 0.0)
        share = np.minimum(share, (product + np.sqrt(product * product + squared * spare)) / safe)
        slides = slides * np.where(moves, share, 1.0)[..., None]
        self._rows["slides"] = slides
        return np.asarray(slides)


class PlayerStates:
    """The states of players for one step, which changes the rows that it is made of."""

    def __init__(self, rows: NDArray[np.void], points: SolePoints) -> None:
        self._rows = rows
        self._is_new = rows["steps"] == 0
        self.lock = PlayerLocks(rows, points)

    def leans(self, targets: Floats, dt: Floats, settings: SmoothingSettings) -> Floats:
        """Return rotation vectors of the bodies, (N, 3), that follow their targets."""
        return self._stepped(self._rows["lean"], targets, settings.body_rate, dt)

    def tilts(self, targets: Floats, dt: Floats, settings: SmoothingSettings) -> Floats:
        """Return rotation vectors of feet and toes, (N, L, 6), that follow their targets."""
        return self._stepped(self._rows["tilts"], targets, settings.tilt_rate, dt)

    def lifts(self, targets: LiftTargets, dt: Floats, settings: SmoothingSettings) -> SmoothedLifts:
        """Return lifts of feet and body that follow the ground."""
        rows, is_new = self._rows, self._is_new
        heights = targets.lowest_heights * (1.0 - targets.pins)
        over = np.isfinite(targets.contact_lifts)
        grounds = np.where(over, targets.contact_lifts, 0.0) + np.maximum(heights, -settings.sink)
        lowest = np.where(over, grounds, np.inf).min(axis=1)
        base = np.where(is_new, np.where(np.isfinite(lowest), lowest, 0.0), rows["body"][:, 0])
        step = grounds - base[:, None]
        stands = over & targets.standable
        stands &= (-settings.max_step_down <= step) & (step <= settings.max_step_up)
        blend = self._stepped(rows["blend"], stands.astype(np.float64), settings.blend_rate, dt)
        blend = np.minimum(np.maximum(blend, 0.0), 1.0)
        target = _body_target(targets, settings, base, grounds, blend, stands)
        height = self._stepped(rows["body"], target, settings.body_rate, dt, targets.climb)
        lifts = self._foot_lifts(targets, settings, height, grounds, stands, dt)
        offsets = height[:, None] + (lifts - height[:, None]) * blend
        most = (settings.foot_speed * dt)[:, None]
        held = np.minimum(np.maximum(offsets, rows["offset"] - most), rows["offset"] + most)
        offsets = np.where(is_new[:, None], offsets, held)
        rows["offset"] = offsets
        rows["steps"] += 1
        return SmoothedLifts(offsets, height, blend, ~over, over & ~stands)

    def _foot_lifts(
        self,
        targets: LiftTargets,
        settings: SmoothingSettings,
        height: Floats,
        grounds: Floats,
        stands: NDArray[np.bool_],
        dt: Floats,
    ) -> Floats:
        """Return the lifts of feet: those of the ground, and more before they swing over higher ground."""
        springs, base, is_new = self._rows["height"], height[:, None], self._is_new[:, None]
        ahead = np.where(targets.ahead - base > settings.max_step_up, -np.inf, targets.ahead)
        rises = self._stepped(springs, np.maximum(grounds, ahead), settings.swing_rate, dt)
        rises = np.where(is_new, grounds, rises)  # at rest on the ground, whatever is ahead
        springs[..., 0] = rises
        below = rises < grounds
        rises = np.where(below, grounds, rises)
        springs[..., 0] = rises
        springs[..., 1] = np.where(below, np.maximum(springs[..., 1], 0.0), springs[..., 1])
        lift = grounds + (rises - grounds) * (1.0 - targets.contacts)
        short = base - targets.highest_body - lift
        lift = lift + np.maximum(short, 0.0) * (1.0 - targets.must_reach)
        left = np.where(is_new, base, self._rows["offset"])
        springs[..., 0] = np.where(stands, springs[..., 0], left)
        springs[..., 1] = np.where(stands, springs[..., 1], 0.0)
        return np.where(stands, lift, left)

    def _stepped(
        self, springs: Floats, targets: Floats, rate: float, dt: Floats, velocity: Floats | None = None
    ) -> Floats:
        """Step springs (N, ..., 2) as `Spring.step` does one; those of new players rest at their targets."""
        shape = (-1, *[1] * (targets.ndim - 1))
        is_new = self._is_new.reshape(shape)
        if rate == math.inf:
            x, v = targets, np.zeros_like(targets)
        else:
            seconds = dt.reshape(shape)
            moves: Floats | float = 0.0 if velocity is None else velocity.reshape(shape)
            difference, relative = springs[..., 0] - (targets - moves * seconds), springs[..., 1] - moves
            change = (relative + rate * difference) * seconds
            decay = _each(lambda some: math.exp(-rate * some), dt).reshape(shape)
            x = np.where(is_new, targets, targets + (difference + change) * decay)
            v = np.where(is_new, 0.0, (relative - rate * change) * decay + moves)
        springs[..., 0], springs[..., 1] = x, v
        return np.asarray(x)


def _each(function: Callable[[float], float], numbers: Floats) -> Floats:
    """Return a function of numbers (N,), which are mostly equal."""
    values, which = np.unique(numbers, return_inverse=True)
    return np.array([function(value) for value in values.tolist()])[which.reshape(-1)]


def _body_target(
    targets: LiftTargets,
    settings: SmoothingSettings,
    base: Floats,
    grounds: Floats,
    blend: Floats,
    stands: NDArray[np.bool_],
) -> Floats:
    """Return the heights of bodies, (N,), as `smoothing._Frame.body_target` does."""
    legs = range(grounds.shape[1])
    shares = np.where(stands, targets.contacts * blend, 0.0)
    weight, total = np.zeros_like(base), np.zeros_like(base)
    for leg in legs:
        weight = weight + shares[:, leg]
        total = total + (grounds[:, leg] - targets.hip_rises[:, leg]) * shares[:, leg]
    is_on = weight > 1e-6
    target = total / np.where(is_on, weight, 1.0)
    near = np.abs(targets.path - base) <= settings.max_step_down
    target = np.where(near, target + (np.where(near, targets.path, 0.0) - target) * targets.travel, target)
    for leg in legs:  # feet in the air must reach, too, except those that have just left
        fall = np.minimum(grounds[:, leg] + targets.highest_body[:, leg] - target, 0.0)
        target = np.where(stands[:, leg], target + fall * targets.must_reach[:, leg], target)
    for leg in legs:
        rise = np.maximum(grounds[:, leg] + targets.lowest_body[:, leg] - target, 0.0)
        target = np.where(stands[:, leg], target + rise * shares[:, leg], target)
    return np.where(is_on, target, base)
