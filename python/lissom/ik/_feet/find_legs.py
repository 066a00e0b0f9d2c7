# SPDX-License-Identifier: MIT
"""Guessing which joints of a character are its legs.

By the tree and the rest pose first, since names are as many as artists: a leg is a branch that begins where
the body does, is bent at least once, and ends near the ground. Names decide only where a foot ends and toes
begin, and what hangs to the ground without standing on it.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lissom.ik._feet.legs import Leg
from lissom.ik._feet.soles import Rig, joint_weights, measured_soles, rig_of

if TYPE_CHECKING:
    from lissom._character.character import Character
    from lissom._rig.skeleton import Skeleton

# Fractions of the character's size.
LOW = 0.08  # a branch that ends lower than this over the ground may be a leg
HIGH = 0.05  # a leg's hip is at least this much higher than its end
TOGETHER = 0.02  # joints nearer than this stand at one place
STANDS = 0.035  # a sole higher than this over the ground stands on nothing
ABOVE = 0.02  # what rises this much over a joint beside it belongs to the body

SHOULDER = 0.35  # of the rest of the leg: a level first segment shorter than this carries the hip
LEVEL = 0.6  # drop of a segment by its length: less is level
SHORT = 0.45  # of the mean of the segments above: a last segment shorter than this is a foot
BENT = np.radians(4.0)  # a joint with less bend at rest is in line with its neighbours

NO_LEG = re.compile(
    r"cape|cloak|skirt|dress|hair|tail|wing|flipper|fin\b|sting|ribbon|rope|wheel|weapon|sword"
)
TOE = re.compile(r"toe|ball")
TWIST = re.compile(r"twist|roll")
END = re.compile(r"([._]|\b)(end|nub|tip)\b", re.IGNORECASE)


def find_legs(character: Character | Skeleton) -> tuple[Leg, ...]:
    """Give the legs that `Leg.find` describes."""
    rig = rig_of("Leg.find", character)
    search = _Search(rig)
    found: dict[int, Leg] = {}
    feet: set[int] = set()  # beside legs: no legs themselves
    for path in sorted(filter(None, map(search.path_to, search.low_ends())), key=search.rise):
        if path[0] in found or path[0] in feet:
            continue
        leg = search.leg_along(path)
        if leg is not None:
            found[path[0]] = leg
            if leg.foot is not None:
                feet.add(rig.skeleton.index(leg.foot))
    if not found:
        name = getattr(character, "name", None)
        whose = f"of {name!r}" if name else "of this skeleton"
        raise ValueError(
            f"Leg.find: no branch {whose} looks like a leg: three joints or more in line, from the body "
            f"down to the ground (within {LOW:g} of the size); name them: Leg(hip, knee, ankle)"
        )
    return tuple(found[hip] for hip in sorted(found))


class _Search:
    def __init__(self, rig: Rig) -> None:
        self.rig, self.skeleton, self.size = rig, rig.skeleton, rig.size
        self.places = rig.skeleton.positions(rig.skeleton.rest.astype(np.float64))
        self.parents: list[int] = rig.skeleton.parents.tolist()
        self.children: list[list[int]] = [[] for _ in self.parents]
        for joint, parent in enumerate(self.parents):
            if parent >= 0:
                self.children[parent].append(joint)
        self.carried: NDArray[np.float64] | None = None  # weight on a joint and all below it
        ground = float(self.places[:, 1].min()) if len(self.places) else 0.0
        if rig.character is not None:
            weights = joint_weights(rig)
            own: NDArray[np.float64] = np.bincount(
                weights["joint"].ravel(), weights["weight"].ravel(), minlength=len(self.parents)
            ).astype(np.float64)
            for joint in range(len(self.parents) - 1, -1, -1):
                if self.parents[joint] >= 0:
                    own[self.parents[joint]] += own[joint]
            self.carried = own
            rest = rig.skeleton.rest.astype(np.float64)
            ground = float(rig.character.deform(rest, method="linear")[:, 1].min())
        self.ground, self.heights = ground, self.places[:, 1] - ground

    def low_ends(self) -> list[int]:
        limit = LOW * self.size
        return [j for j, below in enumerate(self.children) if not below and self.heights[j] < limit]

    def rise(self, path: list[int]) -> float:
        """Give how high the end of a path is over its hip: the less, the more of a leg it is."""
        return float(self.heights[path[-1]] - self.heights[path[0]])

    def path_to(self, end: int) -> list[int] | None:
        """Give the joints from a hip to a low end; None where that is no leg."""
        path = [end]
        while (parent := self.parents[path[0]]) >= 0 and not self._is_body(parent, path[0]):
            path.insert(0, parent)
        path = [joint for joint in path if self.parents[joint] >= 0]
        while len(path) > 3 and self._is_shoulder(path):
            path = path[1:]
        if len(path) < 3 or self.heights[path[0]] - self.heights[end] < HIGH * self.size:
            return None
        if any(NO_LEG.search(self.skeleton.names[joint].lower()) for joint in path):
            return None
        if self.carried is not None and not self.carried[path[0]] > 0:
            return None  # a control
        return path

    def _is_body(self, joint: int, below: int) -> bool:
        """Say whether what else hangs below a joint is more than its own foot."""
        return any(
            self._top(child) > self.heights[joint] + ABOVE * self.size
            or (self._bottom(child) < LOW * self.size and self._is_tall(child, joint))
            for child in self.children[joint]
            if child != below
        )

    def _is_tall(self, child: int, joint: int) -> bool:
        return bool(self.heights[joint] - self._bottom(child) > HIGH * self.size)

    def _top(self, joint: int) -> float:
        return max(float(self.heights[joint]), *(self._top(child) for child in self.children[joint]), -np.inf)

    def _bottom(self, joint: int) -> float:
        return min(float(self.heights[joint]), *(self._bottom(c) for c in self.children[joint]), np.inf)

    def _length(self, upper: int, lower: int) -> float:
        return float(np.linalg.norm(self.places[lower] - self.places[upper]))

    def _is_shoulder(self, path: list[int]) -> bool:
        first = self._length(path[0], path[1])
        rest = sum(self._length(a, b) for a, b in pairwise(path[1:]))
        drop = self.heights[path[0]] - self.heights[path[1]]
        return bool(drop < LEVEL * first and first < SHOULDER * rest) or first < TOGETHER * self.size

    def leg_along(self, path: list[int]) -> Leg | None:
        foot, at = self._detached(path)
        toe: int | None = None
        if foot is not None:
            path = path[: at + 1]
            toe = self._toe_below(foot)
        else:
            count = self._ankle(path)
            toe = path[count] if count < len(path) and self._moves_toes(path[count]) else None
            path = path[:count]
        if len(path) < 3:
            return None
        names = self.skeleton.names
        knees = [names[joint] for joint in self._knees(path)]
        leg = Leg(
            names[path[0]],
            knees[0] if len(knees) == 1 else knees,
            names[path[-1]],
            None if toe is None else names[toe],
            foot=None if foot is None else names[foot],
        )
        floor = measured_soles("Leg.find", self.rig, [leg])[0].floor
        return leg if floor - self.ground < STANDS * self.size else None

    def _detached(self, path: list[int]) -> tuple[int | None, int]:
        """Give a joint beside the leg that carries the foot, and where on the path it stands."""
        if self.carried is None:
            return None, 0
        hip, ancestors = path[0], set()
        joint = hip
        while joint >= 0:
            ancestors.add(joint)
            joint = self.parents[joint]
        for at in range(len(path) - 1, 1, -1):
            for other in range(len(self.parents)):
                if other in ancestors or not self.carried[other] > 0:
                    continue
                beside = not self.skeleton.is_in_hierarchy(other, hip)
                if beside and self._length(other, path[at]) < TOGETHER * self.size:
                    return other, at
        return None, 0

    def _toe_below(self, foot: int) -> int | None:
        assert self.carried is not None
        carrying = [child for child in self.children[foot] if self.carried[child] > 0]
        return carrying[0] if len(carrying) == 1 else None

    def _ankle(self, path: list[int]) -> int:
        """Give how many joints of a path belong to the leg, its ankle the last."""
        for count in range(3, len(path)):
            if TOE.search(self.skeleton.names[path[count]].lower()):
                return count
        count = len(path)
        while count > 3:
            last = self._length(path[count - 2], path[count - 1])
            above = [self._length(a, b) for a, b in pairwise(path[: count - 1])]
            drop = self.heights[path[count - 2]] - self.heights[path[count - 1]]
            if not (drop < LEVEL * last or last < SHORT * np.mean(above)):
                break
            count -= 1
        return count

    def _moves_toes(self, joint: int) -> bool:
        if self.carried is not None:
            return bool(self.carried[joint] > 0)
        return not END.search(self.skeleton.names[joint])

    def _knees(self, path: list[int]) -> list[int]:
        """Give the joints between hip and ankle that bend: those bent at rest, or else the middle one."""
        between = [j for j in path[1:-1] if not TWIST.search(self.skeleton.names[j].lower())] or path[1:-1]
        if len(between) == 1:
            return between
        bent = [joint for joint in between if self._bend(path, joint) > BENT]
        if bent:
            return bent
        middle = 0.5 * (self.places[path[0]] + self.places[path[-1]])
        return [min(between, key=lambda joint: float(np.linalg.norm(self.places[joint] - middle)))]

    def _bend(self, path: list[int], joint: int) -> float:
        at = path.index(joint)
        upper = self.places[joint] - self.places[path[at - 1]]
        lower = self.places[path[at + 1]] - self.places[joint]
        cross, dot = np.linalg.norm(np.cross(upper, lower)), float(np.dot(upper, lower))
        return float(np.arctan2(cross, dot))
