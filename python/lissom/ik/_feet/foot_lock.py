# SPDX-License-Identifier: MIT
"""Locking feet during a stance: taking back their drift over the ground. Velocities of feet and body."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from lissom._base.easing import smoothstep
from lissom._base.numbers import LARGEST
from lissom.ik._axes import Floats
from lissom.ik._feet.foot_rig import STRAIGHT, FootRig
from lissom.ik._feet.gait import Gait
from lissom.ik._feet.vectors import dot, horizontal, squared_length

HELD = 0.9  # contact from which a foot is locked: below, while it is put down or lifted, it still moves
STILL, SLIDING = 0.5, 1.0  # leg lengths per second: slower feet are locked fully, faster ones not at all


@dataclass
class LockState:
    """The frame before, and the slides of the feet so far."""

    points_world: Floats | None = None  # (1, P, 3)
    ankles_world: Floats | None = None  # (1, L, 3)
    hip_center_world: Floats | None = None  # (1, 3)
    slides_world: list[list[float]] | None = None  # (L, 3)

    def before(self, gait: Gait, hip_center: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the places of the frame before each frame; the first of all has its own."""

        def of(now: Floats, before: Floats | None) -> Floats:
            return np.concatenate([now[:1] if before is None else before, now[:-1]])

        return (
            of(gait.points_world, self.points_world),
            of(gait.ankles_world, self.ankles_world),
            of(hip_center, self.hip_center_world),
        )

    def keep(self, gait: Gait, hip_center: Floats) -> None:
        """Keep the places of the last frame for the next call."""
        self.points_world, self.ankles_world = gait.points_world[-1:], gait.ankles_world[-1:]
        self.hip_center_world = hip_center[-1:]

    def slides(
        self,
        drift: Floats,
        held: Floats,
        keep: Floats,
        legs_world: Floats,
        radius: Floats,
        squared_reach: Floats,
    ) -> Floats:
        """Take back the drift of locked feet, frame by frame, (F, L, 3)."""
        return _slides(self, drift, held, keep, legs_world, radius, squared_reach)


class LockStates(Protocol):
    """The locks of frames: of a timeline, or of many players, one frame each."""

    def before(self, gait: Gait, hip_center: Floats) -> tuple[Floats, Floats, Floats]: ...
    def keep(self, gait: Gait, hip_center: Floats) -> None: ...
    def slides(
        self,
        drift: Floats,
        held: Floats,
        keep: Floats,
        legs_world: Floats,
        radius: Floats,
        squared_reach: Floats,
    ) -> Floats: ...


@dataclass(frozen=True, eq=False)
class LockedMotion:
    """Horizontal motion in world space."""

    slides_world: Floats  # (F, L, 3): displacement of locked feet from the animation
    ankle_velocity_world: Floats  # (F, L, 3)
    body_velocity_world: Floats  # (F, 3)


def locked_motion(
    rig: FootRig,
    state: LockStates,
    gait: Gait,
    contacts: Floats,
    dt: Floats,
    up: Floats,
    lock: float,
    radius: float,
    release: float,
    trusted: bool,
) -> LockedMotion:
    """Measure velocities since the frame before, and lock the feet that stand.

    The supporting points of a foot, its lowest, must not move during a stance: their drift is taken back, so
    that a foot still rolls from heel to toes. Feet that are lifted return by the time constant `release`,
    seconds. Contacts that are not `trusted` count less for fast feet.
    """
    hip_center = gait.hips_world.sum(axis=1) / gait.hips_world.shape[1]
    places = gait.points_world, gait.ankles_world, hip_center
    point_steps, ankle_steps, body_steps = (
        horizontal(now - before, up)
        for now, before in zip(places, state.before(gait, hip_center), strict=True)
    )
    lasts = dt > 1 / LARGEST  # a step that is shorter tells no speed
    rate = np.where(lasts, 1.0 / np.where(lasts, dt, 1.0), 0.0)
    support = rig.points.support(gait.point_heights, rig.rig.size)
    drift = np.stack([rig.points.total(support * point_steps[..., i]) for i in range(3)], axis=-1)
    speed = np.sqrt(squared_length(drift)) * rate[:, None] / rig.lengths
    held = lock * smoothstep(contacts, HELD, 1.0)
    if not trusted:
        held = held * (1.0 - smoothstep(speed, STILL, SLIDING))
    keep = np.exp(-(1.0 - held) * dt[:, None] / release) if release > 0 else np.where(held < 1.0, 0.0, 1.0)
    legs_world = gait.hips_world - gait.ankles_world
    drop = dot(legs_world, up)
    longest = np.maximum(STRAIGHT * rig.lengths, np.sqrt(squared_length(legs_world)))
    squared_reach = np.maximum(longest * longest - drop * drop, 0.0)
    slides = state.slides(drift, held, keep, horizontal(legs_world, up), radius * rig.lengths, squared_reach)
    state.keep(gait, hip_center)
    return LockedMotion(slides, ankle_steps * rate[:, None, None], body_steps * rate[:, None])


def _slides(
    state: LockState,
    drift: Floats,
    held: Floats,
    keep: Floats,
    legs_world: Floats,
    radius: Floats,
    squared_reach: Floats,
) -> Floats:
    """Take back the drift of locked feet, frame by frame, (F, L, 3)."""
    if state.slides_world is None:
        state.slides_world = [[0.0, 0.0, 0.0] for _ in radius]
    if not held.any() and not any(map(any, state.slides_world)):
        return np.zeros_like(drift)
    result = []
    radii, current = radius.tolist(), state.slides_world
    frames = zip(*(array.tolist() for array in (held, keep, drift, legs_world, squared_reach)), strict=True)
    for held_row, keep_row, drift_row, leg_row, reach_row in frames:
        following = []
        for leg, (x, y, z) in enumerate(current):
            w, k, (dx, dy, dz) = held_row[leg], keep_row[leg], drift_row[leg]
            x, y, z = (x - w * dx) * k, (y - w * dy) * k, (z - w * dz) * k
            share = _share_within(x, y, z, leg_row[leg], radii[leg], reach_row[leg])
            following.append([x * share, y * share, z * share])
        current = following
        result.append(current)
    state.slides_world = current
    return np.array(result)


def _share_within(
    x: float, y: float, z: float, leg: list[float], radius: float, squared_reach: float
) -> float:
    """Return the share of a slide that stays within a radius and leaves the ankle in reach of its hip.

    `leg` is the horizontal vector from ankle to hip, `squared_reach` the square of its largest length.
    """
    squared = x * x + y * y + z * z
    if not squared > 0:
        return 1.0
    share = min(1.0, radius / math.sqrt(squared))
    # |leg - share * slide|^2 = squared_reach: the larger root, since the leg itself is in reach.
    product = leg[0] * x + leg[1] * y + leg[2] * z
    spare = max(squared_reach - (leg[0] * leg[0] + leg[1] * leg[1] + leg[2] * leg[2]), 0.0)
    return min(share, (product + math.sqrt(product * product + squared * spare)) / squared)
