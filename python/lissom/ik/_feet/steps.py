# SPDX-License-Identifier: MIT
"""What foot placement remembers from frame to frame: numbers that follow others, one frame after the other.

Plain Python numbers, a few dozen for each frame: the same steps for a whole clip and for a game.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lissom.ik._feet.springs import Spring

Floats = NDArray[np.float64]

REACHING = 1.0  # how much the reach of feet in the air counts for the body


@dataclass(frozen=True)
class Ways:
    """How foot placement moves: lengths in the file's units, times in seconds."""

    reach_up: float  # from the body's height: ground higher than that is not stepped on
    reach_down: float  # ground lower than that is out of reach
    swing_rate: float  # of the height of swinging feet, 1/s
    tilt_rate: float
    blend_rate: float  # of blending in and out
    body_rate: float
    foot_speed: float  # at most, lengths per second, up and down
    sunk: float  # how deep feet may be in the ground because the animation has them so


class LegState:
    """The numbers of one leg."""

    __slots__ = ("blend", "height", "offset", "tilts")

    def __init__(self) -> None:
        self.tilts = [Spring() for _ in range(6)]  # foot and toes, x, y, z
        self.height = Spring()  # lift of the swinging foot
        self.blend = Spring()
        self.offset: float | None = None

    def copy(self) -> LegState:
        other = LegState()
        other.tilts = [spring.copy() for spring in self.tilts]
        other.height, other.blend, other.offset = self.height.copy(), self.blend.copy(), self.offset
        return other


class BodyState:
    """The numbers of a character between frames."""

    def __init__(self, legs: int) -> None:
        self.legs = [LegState() for _ in range(legs)]
        self.body = Spring()
        self.is_new = True

    def copy(self) -> BodyState:
        other = BodyState(0)
        other.legs = [leg.copy() for leg in self.legs]
        other.body, other.is_new = self.body.copy(), self.is_new
        return other


def follow_tilts(state: BodyState, targets: list[list[list[float]]], dt: list[float], ways: Ways) -> Floats:
    """Let feet and toes follow where they would lie.

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
            if is_new:
                frame.append([spring.rest_at(x) for spring, x in zip(leg.tilts, row, strict=True)])
            else:
                frame.append(
                    [
                        spring.step(x, ways.tilt_rate, seconds)
                        for spring, x in zip(leg.tilts, row, strict=True)
                    ]
                )
        is_new = False
        result.append(frame)
    return np.array(result)


@dataclass(frozen=True, eq=False)
class Lifts:
    """What heights follow: for each frame, and for each leg of it."""

    needed: list[list[float]]  # (F, L): so that the lowest point touches the ground; -inf: nothing there
    ahead: list[list[float]]  # (F, L): what swinging feet pass over next, from the floor; -inf: nothing
    lowest: list[list[float]]  # (F, L): height of the lowest point in the animation
    contacts: list[list[float]]  # (F, L)
    pins: list[list[float]]  # (F, L): how much of the height in the animation is taken off
    standable: list[list[bool]]  # (F, L): not too steep
    room: list[list[float]]  # (F, L): body over foot, at most, as far as the leg reaches
    fold: list[list[float]]  # (F, L): body over foot, at least, as much as the leg folds
    path: list[float]  # (F,): along the way of the body, from the floor; -inf: nothing
    hurry: list[float]  # (F,): 1 where the body travels, 0 where it stands


@dataclass(frozen=True, eq=False)
class Heights:
    """What comes of it."""

    offsets: Floats  # (F, L): of feet
    body: Floats  # (F,)
    blends: Floats  # (F, L): how much feet keep to the ground
    airborne: NDArray[np.bool_]  # (F, L)
    too_far: NDArray[np.bool_]  # (F, L)


def follow_heights(state: BodyState, lifts: Lifts, dt: list[float], ways: Ways) -> Heights:
    """Let feet and body follow the ground."""
    offsets, body, blends, airborne, far = [], [], [], [], []
    for frame, seconds in enumerate(dt):
        rows = _Frame(lifts, frame, ways)
        base = state.body.x if not state.is_new else rows.first_base()
        stands = [rows.stands(leg, base, ways) for leg in range(len(state.legs))]
        blend = []
        for leg, here in zip(state.legs, stands, strict=True):
            wanted = 1.0 if here else 0.0
            new = (
                leg.blend.rest_at(wanted)
                if state.is_new
                else leg.blend.step(wanted, ways.blend_rate, seconds)
            )
            blend.append(min(max(new, 0.0), 1.0))
        target = rows.body_target(base, blend, stands, ways)
        height = (
            state.body.rest_at(target) if state.is_new else state.body.step(target, ways.body_rate, seconds)
        )
        lifted = []
        for index, leg in enumerate(state.legs):
            lift = rows.lift(index, leg, height, stands[index], state.is_new, seconds, ways)
            offset = height + (lift - height) * blend[index]
            if leg.offset is not None and not state.is_new:
                most = ways.foot_speed * seconds
                offset = min(max(offset, leg.offset - most), leg.offset + most)
            leg.offset = offset
            lifted.append(offset)
        offsets.append(lifted)
        body.append(height)
        blends.append(blend)
        airborne.append([need == -math.inf for need in rows.needed])
        far.append([need > -math.inf and not here for need, here in zip(rows.needed, stands, strict=True)])
        state.is_new = False
    return Heights(np.array(offsets), np.array(body), np.array(blends), np.array(airborne), np.array(far))


class _Frame:
    """One frame of what is followed."""

    __slots__ = (
        "ahead",
        "contacts",
        "fold",
        "hurry",
        "lowest",
        "needed",
        "path",
        "pins",
        "room",
        "slack",
        "standable",
    )

    def __init__(self, lifts: Lifts, frame: int, ways: Ways) -> None:
        self.slack = ways.sunk
        self.needed, self.ahead, self.lowest = lifts.needed[frame], lifts.ahead[frame], lifts.lowest[frame]
        self.contacts, self.standable = lifts.contacts[frame], lifts.standable[frame]
        self.pins, self.fold = lifts.pins[frame], lifts.fold[frame]
        self.room, self.path, self.hurry = lifts.room[frame], lifts.path[frame], lifts.hurry[frame]

    def ground(self, leg: int) -> float:
        """Give how much a foot is lifted that is as high over the ground as the animation has it."""
        return self.needed[leg] + max(self.lowest[leg] * (1.0 - self.pins[leg]), -self.slack)

    def first_base(self) -> float:
        """Give the height of a body that has none yet: that of the lowest ground below a foot."""
        there = [self.ground(leg) for leg, need in enumerate(self.needed) if need > -math.inf]
        return min(there, default=0.0)

    def stands(self, leg: int, base: float, ways: Ways) -> bool:
        """Say whether there is ground that a foot can keep to."""
        if self.needed[leg] == -math.inf or not self.standable[leg]:
            return False
        return -ways.reach_down <= self.ground(leg) - base <= ways.reach_up

    def lift(
        self, index: int, leg: LegState, base: float, stands: bool, is_new: bool, seconds: float, ways: Ways
    ) -> float:
        """Give how much a foot is lifted: what the ground asks for, and higher before it swings over more."""
        if not stands:
            return leg.height.rest_at(base if leg.offset is None else leg.offset)
        now = self.ground(index)
        ahead = self.ahead[index]
        if ahead - base > ways.reach_up:  # a wall: it will not be stepped on
            ahead = -math.inf
        target = max(now, ahead)
        height = leg.height.rest_at(now) if is_new else leg.height.step(target, ways.swing_rate, seconds)
        if height < now:
            height = leg.height.x = now
            leg.height.v = max(leg.height.v, 0.0)
        return now + (height - now) * (1.0 - self.contacts[index])

    def body_target(self, base: float, blend: list[float], stands: list[bool], ways: Ways) -> float:
        """Give where the body should be: as low as the lowest foot that stands, and as its legs reach."""
        legs = [
            (self.ground(leg), self.contacts[leg] * share, self.room[leg], self.fold[leg])
            for leg, share in enumerate(blend)
            if stands[leg]
        ]
        weight = sum(share for _, share, _, _ in legs)
        if not weight > 1e-6:
            return base
        mean = sum(ground * share for ground, share, _, _ in legs) / weight
        # Feet in the air count as the mean of the others: they do not pull.
        target = min(ground * share + mean * (1.0 - share) for ground, share, _, _ in legs)
        if self.path - base >= -ways.reach_down:
            target += min(self.path - target, 0.0) * self.hurry
        for ground, share, room, _ in legs:
            target += min(ground + room - target, 0.0) * max(share, REACHING)
        for ground, share, _, fold in legs:
            target += max(ground + fold - target, 0.0) * share
        return target
