# SPDX-License-Identifier: MIT
"""Smoothing over time: heights and tilts that follow the ground by springs, frame after frame.

Plain Python numbers, a few dozen per frame: the same steps for a whole clip and for a game.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.ik._axes import Floats
from lissom.ik._feet.springs import Spring


@dataclass(frozen=True)
class SmoothingSettings:
    """Ranges in model units, rates of springs in 1/s."""

    max_step_up: float  # ground higher than this over the body's ground is not stepped on
    max_step_down: float  # ground lower than this is out of reach
    swing_rate: float  # of the height of swinging feet
    tilt_rate: float
    blend_rate: float  # of blending between ground and animation
    body_rate: float
    foot_speed: float  # largest vertical speed of feet, model units per second
    sink: float  # depth of feet in the animation's ground that is kept


class LegState:
    """The springs of one leg."""

    __slots__ = ("blend", "height", "offset", "tilts")

    def __init__(self) -> None:
        self.tilts = [Spring() for _ in range(6)]  # rotation vectors of foot and toes: x, y, z, x, y, z
        self.height = Spring()  # lift of the swinging foot
        self.blend = Spring()
        self.offset: float | None = None

    def copy(self) -> LegState:
        other = LegState()
        other.tilts = [spring.copy() for spring in self.tilts]
        other.height, other.blend, other.offset = self.height.copy(), self.blend.copy(), self.offset
        return other


class SmoothingState:
    """The springs of a character, kept between frames."""

    def __init__(self, legs: int) -> None:
        self.legs = [LegState() for _ in range(legs)]
        self.body = Spring()
        self.lean = [Spring() for _ in range(3)]  # rotation vector of the body
        self.is_new = True

    def copy(self) -> SmoothingState:
        other = SmoothingState(0)
        other.legs = [leg.copy() for leg in self.legs]
        other.body, other.is_new = self.body.copy(), self.is_new
        other.lean = [spring.copy() for spring in self.lean]
        return other


def smoothed_tilts(
    state: SmoothingState, targets: list[list[list[float]]], dt: list[float], settings: SmoothingSettings
) -> Floats:
    """Return the tilts of feet and toes that follow their targets.

    Parameters
    ----------
    targets : (F, L, 6)
        Rotation vectors of foot and toes.
    dt : (F,)
        Seconds before each frame.

    Returns
    -------
    ndarray, shape (F, L, 6)
    """
    result = []
    is_new = state.is_new
    for rows, seconds in zip(targets, dt, strict=True):
        frame = []
        for leg, row in zip(state.legs, rows, strict=True):
            pairs = zip(leg.tilts, row, strict=True)
            if is_new:
                frame.append([spring.rest_at(x) for spring, x in pairs])
            else:
                frame.append([spring.step(x, settings.tilt_rate, seconds) for spring, x in pairs])
        is_new = False
        result.append(frame)
    return np.array(result)


def smoothed_leans(
    state: SmoothingState, targets: list[list[float]], dt: list[float], settings: SmoothingSettings
) -> Floats:
    """Return the rotation vectors of the body, (F, 3), that follow their targets."""
    result = []
    is_new = state.is_new
    for row, seconds in zip(targets, dt, strict=True):
        pairs = zip(state.lean, row, strict=True)
        if is_new:
            result.append([spring.rest_at(x) for spring, x in pairs])
        else:
            result.append([spring.step(x, settings.body_rate, seconds) for spring, x in pairs])
        is_new = False
    return np.array(result)


@dataclass(frozen=True, eq=False)
class LiftTargets:
    """What heights of feet and body follow: for each frame, and for each leg. Lengths in model units."""

    contact_lifts: Floats  # (F, L): the lowest point then touches the ground; -inf over nothing
    ahead: Floats  # (F, L): highest ground that swinging feet pass next; -inf over nothing
    lowest_heights: Floats  # (F, L): of the lowest point over the animation's ground
    contacts: Floats  # (F, L)
    pins: Floats  # (F, L): share of the animation's height that is taken off
    standable: NDArray[np.bool_]  # (F, L): the ground is not too steep
    highest_body: Floats  # (F, L): body over foot, at most: the reach of the leg
    lowest_body: Floats  # (F, L): body over foot, at least: the folded leg
    must_reach: Floats  # (F, L): share to which the body is lowered for the leg, not the foot raised
    hip_rises: Floats  # (F, L): of the hip, by the lean of the body
    path: Floats  # (F,): ground along the body's path; -inf over nothing
    climb: Floats  # (F,): how fast the ground rises along that path, model units per second
    travel: Floats  # (F,): 1 where the body travels, 0 where it stands


@dataclass(frozen=True, eq=False)
class SmoothedLifts:
    """Offsets along up from the animation, model units."""

    offsets: Floats  # (F, L): of feet
    body: Floats  # (F,)
    blends: Floats  # (F, L): weight of the ground; the animation has the others
    airborne: NDArray[np.bool_]  # (F, L)
    too_far: NDArray[np.bool_]  # (F, L)


def smoothed_lifts(
    state: SmoothingState, targets: LiftTargets, dt: list[float], settings: SmoothingSettings
) -> SmoothedLifts:
    """Return the lifts of feet and body that follow the ground."""
    offsets, body, blends, airborne, far = [], [], [], [], []
    lists = {field.name: getattr(targets, field.name).tolist() for field in fields(LiftTargets)}
    for index, seconds in enumerate(dt):
        frame = _Frame(lists, index, settings)
        base = state.body.x if not state.is_new else frame.first_base()
        stands = [frame.stands(leg, base) for leg in range(len(state.legs))]
        blend = []
        for leg, is_standing in zip(state.legs, stands, strict=True):
            share = 1.0 if is_standing else 0.0
            new = (
                leg.blend.rest_at(share)
                if state.is_new
                else leg.blend.step(share, settings.blend_rate, seconds)
            )
            blend.append(min(max(new, 0.0), 1.0))
        target = frame.body_target(base, blend, stands)
        height = (
            state.body.rest_at(target)
            if state.is_new
            else state.body.step(target, settings.body_rate, seconds, frame.climb)
        )
        row = []
        for number, leg in enumerate(state.legs):
            lift = frame.lift(number, leg, height, stands[number], state.is_new, seconds)
            offset = height + (lift - height) * blend[number]
            if leg.offset is not None and not state.is_new:
                most = settings.foot_speed * seconds
                offset = min(max(offset, leg.offset - most), leg.offset + most)
            leg.offset = offset
            row.append(offset)
        offsets.append(row)
        body.append(height)
        blends.append(blend)
        lifts = frame.contact_lifts
        airborne.append([lift == -math.inf for lift in lifts])
        far.append([lift > -math.inf and not on for lift, on in zip(lifts, stands, strict=True)])
        state.is_new = False
    return SmoothedLifts(
        np.array(offsets), np.array(body), np.array(blends), np.array(airborne), np.array(far)
    )


class _Frame:
    """One frame of `LiftTargets`."""

    ahead: list[float]
    climb: float
    contact_lifts: list[float]
    contacts: list[float]
    highest_body: list[float]
    hip_rises: list[float]
    lowest_body: list[float]
    lowest_heights: list[float]
    must_reach: list[float]
    path: float
    pins: list[float]
    standable: list[bool]
    travel: float

    def __init__(self, lists: dict[str, list[Any]], frame: int, settings: SmoothingSettings) -> None:
        self.settings = settings
        for name, rows in lists.items():
            setattr(self, name, rows[frame])

    def ground_lift(self, leg: int) -> float:
        """Return the lift of a foot that is as high over the ground as over the animation's ground."""
        height = self.lowest_heights[leg] * (1.0 - self.pins[leg])
        return self.contact_lifts[leg] + max(height, -self.settings.sink)

    def first_base(self) -> float:
        """Return the height of the body in the first frame: the lowest ground below a foot."""
        lifts = [self.ground_lift(leg) for leg, lift in enumerate(self.contact_lifts) if lift > -math.inf]
        return min(lifts, default=0.0)

    def stands(self, leg: int, base: float) -> bool:
        """Return whether the ground below a foot can be stood on."""
        if self.contact_lifts[leg] == -math.inf or not self.standable[leg]:
            return False
        return -self.settings.max_step_down <= self.ground_lift(leg) - base <= self.settings.max_step_up

    def lift(
        self, index: int, leg: LegState, base: float, stands: bool, is_new: bool, seconds: float
    ) -> float:
        """Return the lift of a foot: that of the ground, and more before it swings over higher ground."""
        if not stands:
            return leg.height.rest_at(base if leg.offset is None else leg.offset)
        now = self.ground_lift(index)
        ahead = self.ahead[index]
        if ahead - base > self.settings.max_step_up:  # a wall: it will not be stepped on
            ahead = -math.inf
        target = max(now, ahead)
        rate = self.settings.swing_rate
        height = leg.height.rest_at(now) if is_new else leg.height.step(target, rate, seconds)
        if height < now:
            height = leg.height.x = now
            leg.height.v = max(leg.height.v, 0.0)
        lift = now + (height - now) * (1.0 - self.contacts[index])
        short = base - self.highest_body[index] - lift
        return lift + max(short, 0.0) * (1.0 - self.must_reach[index])

    def body_target(self, base: float, blend: list[float], stands: list[bool]) -> float:
        """Return the height of the body: that of the ground it is over, and within reach of all legs.

        A body that stands is over its feet, one that travels over its path.
        """
        legs = [
            (self.ground_lift(leg), self.contacts[leg] * share, leg)
            for leg, share in enumerate(blend)
            if stands[leg]
        ]
        weight = sum(share for _, share, _ in legs)
        if not weight > 1e-6:
            return base
        target = sum((ground - self.hip_rises[leg]) * share for ground, share, leg in legs) / weight
        if abs(self.path - base) <= self.settings.max_step_down:
            target += (self.path - target) * self.travel
        for ground, _, leg in legs:  # feet in the air must reach, too, except those that have just left
            target += min(ground + self.highest_body[leg] - target, 0.0) * self.must_reach[leg]
        for ground, share, leg in legs:
            target += max(ground + self.lowest_body[leg] - target, 0.0) * share
        return target
