# SPDX-License-Identifier: MIT
"""Find which joints of a character are its legs.

Where the roles of joints are known, they say it: upper leg, lower leg and foot of both sides. They do not for
insects, spiders and what has no such body. There the hierarchy and the rest pose count most, since names
differ between artists: a leg is a branch that begins at the body, is bent at least once, and ends near the
ground. Names decide only where a foot ends and toes begin, and which branches reach the ground without
standing on it.
"""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lissom._roles.roles import Roles
from lissom.ik._feet.leg_joints import LegJoints
from lissom.ik._feet.rig import Rig, joint_weights
from lissom.ik._feet.role_legs import role_legs
from lissom.ik._feet.soles import measured_soles

# Fractions of the character's size.
LOW = 0.08  # a branch that ends lower than this over the ground may be a leg
HIGH = 0.05  # a leg's hip is at least this much higher than its end
COINCIDENT = 0.02  # joints nearer than this are at one position
STANDS = 0.035  # a sole higher than this over the ground does not stand on it
ABOVE = 0.02  # a branch that rises this much over a joint beside it belongs to the body

SHOULDER = 0.35  # of the rest of the leg: a horizontal first segment shorter than this carries the hip
HORIZONTAL = 0.6  # a segment that drops by less than this part of its length is horizontal
SHORT = 0.45  # of the mean of the segments above: a last segment shorter than this is a foot
BENT = np.radians(4.0)  # a joint with less bend at rest is in line with its neighbours

NO_LEG = re.compile(
    r"cape|cloak|skirt|dress|hair|tail|wing|flipper|fin\b|sting|ribbon|rope|wheel|weapon|sword"
)
TOE = re.compile(r"toe|ball")
TWIST = re.compile(r"twist|roll")
END = re.compile(r"([._]|\b)(end|nub|tip)\b", re.IGNORECASE)


def find_legs(function: str, rig: Rig, roles: Roles) -> tuple[LegJoints, ...]:
    """Return the legs that `Leg.find` describes, in the order of their hips; empty where there are none.

    An ankle beyond the joints of the skeleton is one that `Rig.with_shin_ends` adds.
    """
    named = role_legs(rig, roles)
    if named and roles.kind == "humanoid":
        return named
    shown = _legs_by_place(_Search(function, rig))
    return shown if len(shown) > len(named) else named  # more than four are those of a spider


def _legs_by_place(search: _Search) -> tuple[LegJoints, ...]:
    """Return the legs that the hierarchy and the rest pose show."""
    legs: dict[int, LegJoints] = {}
    feet: set[int] = set()  # detached feet: not legs themselves
    for branch in sorted(filter(None, map(search.branch_to, search.low_ends())), key=search.rise):
        hip = branch[0]
        if hip in legs or hip in feet:
            continue
        leg = search.leg_of(branch)
        if leg is not None:
            legs[hip] = leg
            if leg.is_detached:
                feet.add(leg.foot)
    return tuple(legs[hip] for hip in sorted(legs))


class _Search:
    """The rest pose of a rig, with positions in model space and heights over the ground."""

    def __init__(self, function: str, rig: Rig) -> None:
        self.function, self.rig, self.skeleton, self.size = function, rig, rig.skeleton, rig.size
        self.positions = rig.skeleton.positions(rig.skeleton.rest.astype(np.float64))
        self.parents: list[int] = rig.skeleton.parents.tolist()
        self.children: list[list[int]] = [[] for _ in self.parents]
        for joint, parent in enumerate(self.parents):
            if parent >= 0:
                self.children[parent].append(joint)
        self.weights: NDArray[np.float64] | None = None  # of the vertices on a joint and its descendants
        ground = float(self.positions[:, 1].min()) if len(self.positions) else 0.0
        if rig.character is not None:
            influences = joint_weights(rig)
            weights: NDArray[np.float64] = np.bincount(
                influences["joint"].ravel(), influences["weight"].ravel(), minlength=len(self.parents)
            ).astype(np.float64)
            for joint in range(len(self.parents) - 1, -1, -1):
                if self.parents[joint] >= 0:
                    weights[self.parents[joint]] += weights[joint]
            self.weights = weights
            rest = rig.skeleton.rest.astype(np.float64)
            ground = float(rig.character.deform(rest, method="linear")[:, 1].min())
        self.ground, self.heights = ground, self.positions[:, 1] - ground

    def low_ends(self) -> list[int]:
        """Return the joints without children that are near the ground."""
        limit = LOW * self.size
        return [j for j, children in enumerate(self.children) if not children and self.heights[j] < limit]

    def rise(self, branch: list[int]) -> float:
        """Return the height of the end of a branch over its hip: the lower, the more likely it is a leg."""
        return float(self.heights[branch[-1]] - self.heights[branch[0]])

    def branch_to(self, end: int) -> list[int] | None:
        """Return the joints from a hip to a low end; None where they cannot be a leg."""
        branch = [end]
        while (parent := self.parents[branch[0]]) >= 0 and not self._is_body(parent, branch[0]):
            branch.insert(0, parent)
        branch = [joint for joint in branch if self.parents[joint] >= 0]
        while len(branch) > 3 and self._is_shoulder(branch):
            branch = branch[1:]
        if len(branch) < 3 or self.heights[branch[0]] - self.heights[end] < HIGH * self.size:
            return None
        if any(NO_LEG.search(self.skeleton.names[joint].lower()) for joint in branch):
            return None
        if self.weights is not None and not self.weights[branch[0]] > 0:
            return None  # a control
        return branch

    def _is_body(self, joint: int, branch_child: int) -> bool:
        """Return whether the other children of a joint are more than its own foot."""
        return any(
            self._top(child) > self.heights[joint] + ABOVE * self.size
            or (self._bottom(child) < LOW * self.size and self._is_tall(child, joint))
            for child in self.children[joint]
            if child != branch_child
        )

    def _is_tall(self, child: int, joint: int) -> bool:
        return bool(self.heights[joint] - self._bottom(child) > HIGH * self.size)

    def _top(self, joint: int) -> float:
        return max(float(self.heights[joint]), *(self._top(child) for child in self.children[joint]), -np.inf)

    def _bottom(self, joint: int) -> float:
        return min(float(self.heights[joint]), *(self._bottom(c) for c in self.children[joint]), np.inf)

    def _length(self, upper: int, lower: int) -> float:
        return float(np.linalg.norm(self.positions[lower] - self.positions[upper]))

    def _is_shoulder(self, branch: list[int]) -> bool:
        first = self._length(branch[0], branch[1])
        rest = sum(self._length(a, b) for a, b in pairwise(branch[1:]))
        drop = self.heights[branch[0]] - self.heights[branch[1]]
        is_horizontal = bool(drop < HORIZONTAL * first)
        return (is_horizontal and bool(first < SHOULDER * rest)) or first < COINCIDENT * self.size

    def leg_of(self, branch: list[int]) -> LegJoints | None:
        """Return the leg of a branch; None where it has too few joints or does not stand."""
        foot, index = self._detached_foot(branch)
        if foot is not None:
            branch = branch[: index + 1]
            toe = self._toe_of(foot)
        else:
            count = self._leg_count(branch)
            toe = branch[count] if count < len(branch) and self._moves_toes(branch[count]) else None
            branch = branch[:count]
        if len(branch) < 3:
            return None
        ankle = branch[-1]
        carrier = ankle if foot is None else foot
        bends = (branch[0], *self._knees(branch))
        leg = LegJoints(self.skeleton.names[carrier], tuple(branch), bends, ankle, toe, carrier)
        floor = measured_soles(self.function, self.rig, [leg])[0].floor
        return leg if floor - self.ground < STANDS * self.size else None

    def _detached_foot(self, branch: list[int]) -> tuple[int | None, int]:
        """Return a joint beside the leg that carries the foot, and the index in the branch that it meets."""
        if self.weights is None:
            return None, 0
        hip, ancestors = branch[0], set()
        joint = hip
        while joint >= 0:
            ancestors.add(joint)
            joint = self.parents[joint]
        for index in range(len(branch) - 1, 1, -1):
            for other in range(len(self.parents)):
                if other in ancestors or not self.weights[other] > 0:
                    continue
                is_beside = not self.skeleton.is_in_hierarchy(other, hip)
                if is_beside and self._length(other, branch[index]) < COINCIDENT * self.size:
                    return other, index
        return None, 0

    def _toe_of(self, foot: int) -> int | None:
        assert self.weights is not None
        weighted = [child for child in self.children[foot] if self.weights[child] > 0]
        return weighted[0] if len(weighted) == 1 else None

    def _leg_count(self, branch: list[int]) -> int:
        """Return how many joints of a branch belong to the leg, its ankle the last."""
        for count in range(3, len(branch)):
            if TOE.search(self.skeleton.names[branch[count]].lower()):
                return count
        count = len(branch)
        while count > 3:
            last = self._length(branch[count - 2], branch[count - 1])
            above = [self._length(a, b) for a, b in pairwise(branch[: count - 1])]
            drop = self.heights[branch[count - 2]] - self.heights[branch[count - 1]]
            if not (drop < HORIZONTAL * last or last < SHORT * np.mean(above)):
                break
            count -= 1
        return count

    def _moves_toes(self, joint: int) -> bool:
        if self.weights is not None:
            return bool(self.weights[joint] > 0)
        return not END.search(self.skeleton.names[joint])

    def _knees(self, branch: list[int]) -> list[int]:
        """Return the joints between hip and ankle that are bent at rest; the middle one where none is."""
        between = branch[1:-1]
        between = [j for j in between if not TWIST.search(self.skeleton.names[j].lower())] or between
        if len(between) == 1:
            return between
        bent = [joint for joint in between if self._bend(branch, joint) > BENT]
        if bent:
            return bent
        middle = 0.5 * (self.positions[branch[0]] + self.positions[branch[-1]])
        return [min(between, key=lambda joint: float(np.linalg.norm(self.positions[joint] - middle)))]

    def _bend(self, branch: list[int], joint: int) -> float:
        index = branch.index(joint)
        upper = self.positions[joint] - self.positions[branch[index - 1]]
        lower = self.positions[branch[index + 1]] - self.positions[joint]
        cross, dot = np.linalg.norm(np.cross(upper, lower)), float(np.dot(upper, lower))
        return float(np.arctan2(cross, dot))
