# SPDX-License-Identifier: MIT
"""How fast feet and body move, and holding feet that stand where they stand."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lissom._base.smoothstep import smoothstep
from lissom.ik._feet.ground_probe import Gait, flattened, level, level2
from lissom.ik._feet.rig import STRAIGHT, Floats, FootRig

HELD = 0.9  # of a contact: a foot that is about to stand still moves on
STILL, SLIDING = 0.5, 1.0  # leg lengths per second: feet slower than that are held, faster ones are not


@dataclass
class SlideState:
    """What is remembered of the frame before."""

    points: Floats | None = None  # (1, P, 3)
    ankles: Floats | None = None  # (1, L, 3)
    middle: Floats | None = None  # (1, 3)
    slides: list[list[float]] | None = None  # (L, 3)


@dataclass(frozen=True, eq=False)
class Moves:
    """Level movement, in world space."""

    slides: Floats  # (F, L, 3): how far feet are held away from where the animation has them
    pace: Floats  # (F, L, 3): velocity of the ankles
    way: Floats  # (F, 3): velocity of the body


def moves_of(
    rig: FootRig,
    state: SlideState,
    gait: Gait,
    contacts: Floats,
    dt: Floats,
    up: Floats,
    lock: float,
    radius: float,
    release: float,
    trusted: bool,
) -> Moves:
    """Measure velocities since the frame before, and hold the feet that stand.

    What carries a foot, its lowest points, shall not move while it stands: its movement is taken back, so a
    foot rolls from heel to toes as it did. Feet that stand no longer return within `release` seconds.
    """
    middle = gait.hips.sum(axis=1) / gait.hips.shape[1]
    points, ankles, center = (
        flattened(now - np.concatenate([now[:1] if before is None else before, now[:-1]]), up)
        for now, before in (
            (gait.points, state.points),
            (gait.ankles, state.ankles),
            (middle, state.middle),
        )
    )
    rate = np.where(dt > 0, 1.0 / np.where(dt > 0, dt, 1.0), 0.0)
    support = rig.points.support(gait.over, rig.rig.size)
    drift = np.stack([rig.points.total(support * points[..., i]) for i in range(3)], axis=-1)
    speed = np.sqrt(level2(drift)) * rate[:, None] / rig.lengths
    held = lock * smoothstep(contacts, HELD, 1.0)
    if not trusted:
        held = held * (1.0 - smoothstep(speed, STILL, SLIDING))
    keep = np.exp(-(1.0 - held) * dt[:, None] / release) if release > 0 else np.where(held < 1.0, 0.0, 1.0)
    arms = gait.hips - gait.ankles
    drop = level(arms, up)
    most = np.maximum(STRAIGHT * rig.lengths, np.sqrt(level2(arms)))
    reach = np.maximum(most * most - drop * drop, 0.0)
    slides = _held(state, drift, held, keep, flattened(arms, up), radius * rig.lengths, reach)
    state.points, state.ankles, state.middle = gait.points[-1:], gait.ankles[-1:], middle[-1:]
    return Moves(slides, ankles * rate[:, None, None], center * rate[:, None])


def _held(
    state: SlideState, drift: Floats, held: Floats, keep: Floats, arms: Floats, radius: Floats, reach: Floats
) -> Floats:
    """Take back the drift of feet that are held, frame by frame, (F, L, 3)."""
    if state.slides is None:
        state.slides = [[0.0, 0.0, 0.0] for _ in radius]
    if not held.any() and not any(map(any, state.slides)):
        return np.zeros_like(drift)
    result = []
    limits, current = radius.tolist(), state.slides
    frames = zip(held.tolist(), keep.tolist(), drift.tolist(), arms.tolist(), reach.tolist(), strict=True)
    for weights, left, row, beside, far in frames:
        following = []
        for leg, (x, y, z) in enumerate(current):
            w, k, (dx, dy, dz) = weights[leg], left[leg], row[leg]
            x, y, z = (x - w * dx) * k, (y - w * dy) * k, (z - w * dz) * k
            part = _share_within(x, y, z, beside[leg], limits[leg], far[leg])
            following.append([x * part, y * part, z * part])
        current = following
        result.append(current)
    state.slides = current
    return np.array(result)


def _share_within(x: float, y: float, z: float, arm: list[float], radius: float, reach: float) -> float:
    """Give how much of a slide leaves it within a radius, and the ankle in reach of its hip.

    `arm` is the level way from ankle to hip, `reach` the square of how long it may be.
    """
    squared = x * x + y * y + z * z
    if not squared > 0:
        return 1.0
    part = min(1.0, radius / math.sqrt(squared))
    # |arm - part * slide|^2 = reach: the larger root, as the arm itself is in reach.
    along = arm[0] * x + arm[1] * y + arm[2] * z
    spare = max(reach - (arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2]), 0.0)
    return min(part, (along + math.sqrt(along * along + squared * spare)) / squared)
