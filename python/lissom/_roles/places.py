# SPDX-License-Identifier: MIT
"""Limbs of rigs whose names say nothing: pairs of branches with bones of the same lengths.

Two legs that stand and two arms above them, or nothing: each limb is the line from where it branches off to
its farthest end, in which two long bones follow each other. Lengths count, not places, since some files rest
amid a step.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom._roles.body import BY_PLACE, UP, Body
from lissom._roles.bones import ARM, LEG, SIDES
from lissom._roles.facing import first_is_left

__all__ = ["find_limbs_by_places"]

BRANCHES = 12  # of a joint, the longest, that may be limbs
DEPTH = 14  # joints of a line in which a limb may be: shoulder, twists, hand
ALIKE = 0.08  # of a limb's length: how far bones of the other side may differ
EVEN = 0.55  # lower part of a limb by the upper one, or the other way round, at least
BEFORE = 1.2  # of the upper part: a shoulder, or joints in the pelvis, are no longer
AFTER, ALL_AFTER = 1.15, 1.6  # of the lower part: no bone of a hand or foot is longer, nor all of them
PALM = 0.72  # of the lower part: bones from a wrist to fingers are no longer
SKIPPED = 0.6  # what a limb costs for each joint between its ends and its middle, as twist joints are
CLEARLY = 1.1  # how much better the best reading of a line is than the next
IN_LINE = 0.95  # cosine between two bones of one thigh
DOWN = 0.6  # of a leg's length: it drops by so much at least
STANDS = 0.12  # of a leg's length: how far its lowest joint may be above the lowest of all
MEETS = 0.03  # of a leg's length: how far a foot beside the leg may be from its end
CLEAR = 0.15  # of a leg's length: hands are that far above the ground
ARM_LENGTH = (0.3, 2.5)  # of a leg's
RIVAL = 0.7  # of the longest pair of arms: another pair so long makes it unclear which they are

Line = list[int]
Places = NDArray[np.float64]


class _Limb(NamedTuple):
    """A line of joints, and which of them are its two long bones' ends."""

    line: Line
    upper: int
    middle: int
    end: int

    def joints(self) -> Line:
        return [self.line[i] for i in (self.upper, self.middle, self.end)]


def find_limbs_by_places(body: Body) -> None:
    """Label legs and arms by shape, all of them or none; where nothing says which is left, say so.

    Joints that move vertices go before others, which may be controls; the rest pose before the bind pose,
    whose axes may be others.
    """
    everything = np.ones(len(body.skeleton), np.bool_)
    for moves, places in ((body.moves, body.rest), (body.moves, body.bind), (everything, body.rest)):
        found = _legs_and_arms(body, moves, places)
        if found is not None:
            break
    else:
        return
    legs, arms = found
    body.by_place = True
    is_left = first_is_left(body, places, [leg.joints() for leg in legs], [arm.joints() for arm in arms])
    body.is_unsided = is_left is None
    across, arms_across = (places[pair[0].joints()[0]] - places[pair[1].joints()[0]] for pair in (legs, arms))
    if across @ arms_across < 0:
        arms = (arms[1], arms[0])
    sides = SIDES if is_left is not False else SIDES[::-1]
    for pair, label in ((legs, _leg_labels), (arms, _arm_labels)):
        for side, limb, other in zip(sides, pair, pair[::-1], strict=True):
            for role, joint in label(body, places, limb, other):
                body.joints[side + role] = joint
                body.ambiguous[side + role] = BY_PLACE


def _arm_labels(body: Body, places: Places, limb: _Limb, other: _Limb) -> list[tuple[str, int]]:
    """Return the labels of an arm; the shoulder is the first joint that is not in the middle of the body."""
    labels = [*zip(ARM[1:], limb.joints(), strict=True)]
    before = zip(limb.line[: limb.upper], other.line, strict=False)
    apart = [
        one
        for one, two in before
        if np.linalg.norm(places[one] - places[two]) > MEETS * _length(places, limb)
    ]
    if not body.moves[limb.joints()[2]]:
        labels.pop()
    return [("Shoulder", apart[0]), *labels] if apart else labels


def _leg_labels(body: Body, places: Places, limb: _Limb, other: _Limb) -> list[tuple[str, int]]:
    """Return the labels of a leg; its foot may be beside it, where the exporter left it."""
    upper, middle, end = limb.joints()
    after = [joint for joint in limb.line[limb.end + 1 :] if body.moves[joint]][:1]
    if not after:
        distances = np.linalg.norm(places - places[end], axis=1)
        distances[[j for j in range(len(places)) if not body.moves[j] or j in limb.line]] = np.inf
        foot = int(distances.argmin())
        if distances[foot] < MEETS * _length(places, limb):
            after = [j for j in body.children(foot) if body.moves[j] and body.children(j)][:1]
            end = foot
        elif not body.moves[end]:
            return [*zip(LEG, (upper, middle), strict=False)]
    return [*zip(LEG, (upper, middle, end, *after), strict=False)]


def _legs_and_arms(
    body: Body, moves: NDArray[np.bool_], places: Places
) -> tuple[tuple[_Limb, _Limb], tuple[_Limb, _Limb]] | None:
    """Return two legs that stand and two arms above them; None unless it is clear which they are."""
    pairs = _pairs(body, moves, places)
    moving = np.flatnonzero(moves)
    ground = float(places[moving, 1].min()) if len(moving) else 0.0
    legs = [pair for pair in pairs if all(_stands(places, limb, ground) for limb in pair)]
    if len(legs) != 1:
        return None
    size = _length(places, legs[0][0])
    hips = _middle(places, legs[0], 0)
    arms = []
    for pair in pairs:
        length = _length(places, pair[0]) / size
        above = _middle(places, pair, 0) - hips
        hands = min(float(places[limb.joints()[2], 1]) for limb in pair) - ground
        upright = above[1] > np.hypot(above[0], above[2])
        if (
            pair is not legs[0]
            and upright
            and ARM_LENGTH[0] < length < ARM_LENGTH[1]
            and hands > CLEAR * size
        ):
            arms.append((length, pair))
    longest = max((length for length, _ in arms), default=0.0)
    rivals = [pair for length, pair in arms if length > RIVAL * longest]
    parents = [int(body.skeleton.parents[pair[0].line[0]]) for pair in rivals]
    lowest = [
        i
        for i, one in enumerate(parents)
        if all(body.is_below(j, one) for j in parents[:i] + parents[i + 1 :])
    ]
    if len(lowest) != 1:  # long ears are above the arms, wings beside them
        return None
    first, second = (_from_hip(places, leg) for leg in legs[0])
    return (first, second), rivals[lowest[0]]


def _from_hip(places: Places, leg: _Limb) -> _Limb:
    """Return a leg whose thigh begins where its bones in line do: one may have several joints."""
    bones = np.diff(places[leg.line[: leg.end + 1]], axis=0)
    bones /= np.maximum(np.linalg.norm(bones, axis=1), 1e-30)[:, None]
    upper = leg.upper
    while upper and bones[upper - 1] @ bones[upper] > IN_LINE:
        upper -= 1
    return leg._replace(upper=upper)


def _pairs(body: Body, moves: NDArray[np.bool_], places: Places) -> list[tuple[_Limb, _Limb]]:
    """Return branches of one joint with two long bones of the same lengths."""
    children: list[Line] = [[] for _ in range(len(body.skeleton))]
    parents = body.skeleton.parents.tolist()
    carries = np.isin(np.arange(len(parents)), parents)
    for joint, parent in enumerate(parents):
        if parent >= 0 and (moves[joint] or (moves[parent] and not carries[joint])):  # ends, too
            children[parent].append(joint)
    reach = _reaches(children, places)
    found = []
    for siblings in children:
        branches = sorted((j for j in siblings if children[j]), key=lambda j: -reach[j])[:BRANCHES]
        if len(branches) < 2:
            continue
        lines = [_line(children, reach, joint) for joint in branches]
        while all(np.array_equal(places[line[0]], places[lines[0][0]]) and len(line) > 2 for line in lines):
            lines = [line[1:] for line in lines]  # all begin at one place, in the middle of the body
        for one, other in combinations(lines, 2):
            count = _alike(places, one, other)
            limb = _limb(children, places, one[:count])
            if limb is not None:
                twin = limb._replace(line=other[:count])
                apart = np.linalg.norm(places[limb.joints()] - places[twin.joints()], axis=1)
                if apart.min() > ALIKE * _length(places, limb):
                    found.append((limb, twin))
    return found


def _alike(places: Places, one: Line, other: Line) -> int:
    """Return how many joints of two lines have bones of the same lengths: what a hand holds need not."""
    count = min(len(one), len(other), DEPTH)
    bones = [np.linalg.norm(np.diff(places[line[:count]], axis=0), axis=1) for line in (one, other)]
    differ = np.flatnonzero(np.abs(bones[0] - bones[1]) > ALIKE * np.maximum.accumulate(bones[0]))
    return int(differ[0]) + 1 if len(differ) else count


def _limb(children: list[Line], places: Places, line: Line) -> _Limb | None:
    """Return the two long bones of a line; None where there are none, or several that may be they."""
    count = len(line)
    points = places[line]
    apart = np.linalg.norm(points[:, None] - points, axis=-1).tolist()
    bones = [apart[i][i + 1] for i in range(count - 1)]
    along = [sum(bones[:i]) for i in range(count)]
    fan = next(
        (i for i, j in enumerate(line) if sum(bool(children[child]) for child in children[j]) > 2), None
    )
    palm = 0.0 if fan is None else max(math.dist(places[child], points[fan]) for child in children[line[fan]])
    scores = []
    for upper, middle, end in combinations(range(count), 3):
        first, second = apart[upper][middle], apart[middle][end]
        even = min(first, second) / max(first, second, 1e-30)
        if (
            even < EVEN
            or along[upper] > BEFORE * first
            or first + second < 0.97 * (along[end] - along[upper])
        ):
            continue
        if fan is not None:  # the hand is where fingers branch off
            fits = end == fan and palm < PALM * second
        else:
            fits = max(bones[end:], default=0) < AFTER * second and sum(bones[end:]) < ALL_AFTER * second
        if fits:
            scores.append(((first + second) * even * SKIPPED ** (end - upper - 2), upper, middle, end))
    scores.sort(reverse=True)
    if not scores or (len(scores) > 1 and scores[0][0] < CLEARLY * scores[1][0]):
        return None
    return _Limb(line, *scores[0][1:])


def _line(children: list[Line], reach: list[float], joint: int) -> Line:
    """Return a joint and those below it along its farthest descendant, as far as a limb may go."""
    line = [joint]
    while children[line[-1]] and len(line) < DEPTH:
        line.append(max(children[line[-1]], key=reach.__getitem__))
    return line


def _reaches(children: list[Line], places: Places) -> list[float]:
    """Return how far it is along the bones from each joint's parent to its farthest descendant."""
    below = [0.0] * len(children)
    reach = [0.0] * len(children)
    for joint in range(len(children) - 1, -1, -1):
        for child in children[joint]:
            reach[child] = float(np.linalg.norm(places[child] - places[joint])) + below[child]
            below[joint] = max(below[joint], reach[child])
    return reach


def _stands(places: Places, limb: _Limb, ground: float) -> bool:
    upper, _, end = limb.joints()
    length = _length(places, limb)
    lowest = float(places[limb.line[limb.end :], 1].min()) - ground
    return bool(places[upper] @ UP - places[end] @ UP > DOWN * length and lowest < STANDS * length)


def _length(places: Places, limb: _Limb) -> float:
    return float(np.linalg.norm(np.diff(places[limb.joints()], axis=0), axis=1).sum())


def _middle(places: Places, pair: tuple[_Limb, _Limb], which: int) -> Places:
    middle: Places = places[[limb.joints()[which] for limb in pair]].mean(axis=0)
    return middle
