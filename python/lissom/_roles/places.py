# SPDX-License-Identifier: MIT
"""Limbs of rigs whose names say nothing: pairs of branches that mirror each other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from lissom._roles.body import UP, Body
from lissom._roles.bones import ARM, LEG

__all__ = ["find_limbs_by_places"]

MIRRORED = 0.05  # of the size: how far mirrored joints may be from each other
LOW = 0.12  # of the size: what ends lower stands on the ground
TALL = 0.25  # of the size: a leg is at least so tall
LONG = 0.1  # of the size: an arm is at least so long
SHORT = 0.6  # of the bone below: a first bone that is shorter is that of a shoulder

Line = list[int]


def find_limbs_by_places(body: Body) -> None:
    """Label legs and arms by shape; what tells left from right is where the feet point."""
    pairs = list(_pairs(body))
    ground = float(body.bind[:, 1].min())
    heights = body.bind[:, 1] - ground
    legs = [
        pair
        for pair in pairs
        if all(heights[line[-1]] < LOW * body.size and heights[line[0]] > TALL * body.size for line in pair)
    ]
    if len(legs) != 1:
        return
    tops = heights[legs[0][0][0]]
    arms = [
        pair
        for pair in pairs
        if pair not in legs and heights[pair[0][0]] > tops and _length(body, pair[0]) > LONG * body.size
    ]
    arms.sort(key=lambda pair: -_length(body, pair[0]))
    is_swapped = _is_swapped(body, legs[0])
    if is_swapped is None:
        body.ambiguous["leftUpperLeg"] = (
            "no name says which side is left, and no foot which way the character faces: +x is taken as left"
        )
        first = legs[0][0][0]
        is_swapped = bool(body.bind[first, 0] < body.bind[legs[0][1][0], 0])
    for pair, labels in (
        (legs[0], LEG),
        *((arm, ()) for arm in arms[:1]),
    ):
        for side, line in zip(("right", "left") if is_swapped else ("left", "right"), pair, strict=True):
            for label, joint in zip(labels or _arm_labels(body, line), line, strict=False):
                body.joints[side + label] = joint
                body.ambiguous.setdefault(side + label, "found by place alone: its name says nothing")


def _pairs(body: Body) -> Iterator[tuple[Line, Line]]:
    """Yield lines of joints, from branches of one joint that mirror each other."""
    parents = body.skeleton.parents
    children: list[Line] = [[] for _ in parents]
    for joint, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(joint)
    reach = _reaches(body)
    for siblings in children:
        branches = [joint for joint in siblings if children[joint]]
        lines = [_line(children, reach, joint) for joint in branches if len(branches) > 1]
        for one, other in combinations(lines, 2):
            # What a hand holds, or a helper at the end, need not mirror.
            for length in range(min(len(one), len(other)), 1, -1):
                if _mirror(body.bind[one[:length]], body.bind[other[:length]], MIRRORED * body.size):
                    yield one[:length], other[:length]
                    break


def _line(children: list[Line], reach: list[float], joint: int) -> Line:
    """Return a joint and those below it along its farthest descendant."""
    line = [joint]
    while children[line[-1]]:
        line.append(max(children[line[-1]], key=reach.__getitem__))
    return line


def _reaches(body: Body) -> list[float]:
    """Return how far it is along the bones from each joint's parent to its farthest descendant."""
    parents = body.skeleton.parents.tolist()
    below = [0.0] * len(parents)
    reach = [0.0] * len(parents)
    for joint in range(len(parents) - 1, -1, -1):
        parent = parents[joint]
        if parent >= 0:
            reach[joint] = float(np.linalg.norm(body.bind[joint] - body.bind[parent])) + below[joint]
            below[parent] = max(below[parent], reach[joint])
    return reach


def _mirror(one: NDArray[np.float64], other: NDArray[np.float64], tolerance: float) -> bool:
    across = one - other
    width = np.linalg.norm(across, axis=1)
    if not width.max() > tolerance:
        return False
    normal = across[width.argmax()] / width.max()
    # Each pair lies level along one direction, and its middle on one plane.
    middles = (one + other) / 2 @ normal
    beside = np.linalg.norm(across - (across @ normal)[:, None] * normal, axis=1)
    return bool(abs(normal @ UP) < MIRRORED and np.ptp(middles) < tolerance and beside.max() < tolerance)


def _length(body: Body, line: Line) -> float:
    return float(np.linalg.norm(np.diff(body.bind[line], axis=0), axis=1).sum())


def _arm_labels(body: Body, line: Line) -> tuple[str, ...]:
    bones = np.linalg.norm(np.diff(body.bind[line], axis=0), axis=1)
    return ARM if len(line) > 3 and bones[0] < SHORT * bones[1] else ARM[1:]


def _is_swapped(body: Body, legs: tuple[Line, Line]) -> bool | None:
    """Return whether the first leg is the right one; None where the feet point nowhere."""
    forwards = np.mean([body.bind[line[-1]] - body.bind[line[-2]] for line in legs], axis=0)
    forwards[1] = 0.0
    if np.linalg.norm(forwards) < 0.01 * body.size:
        return None
    left = np.cross(UP, forwards)
    across = body.bind[legs[0][0]] - body.bind[legs[1][0]]
    return bool(across @ left < 0)
