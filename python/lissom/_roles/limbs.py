# SPDX-License-Identifier: MIT
"""Arms and legs: labels along a line of joints, those that names and places together speak for."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lissom._roles.body import Body
from lissom._roles.bones import ARM, LEG, SIDES

__all__ = ["find_limbs"]

SKIPPED = 0.6  # what a label costs that no joint between two others plays
CONTROL, HELPER = 2.5, 0.5  # what joints cost that are controls by name, and those that move no vertices
TIE = 1e-9
DEFORMS = 0.3  # what speaks for joints that say they deform
ABOVE = 64  # how many labelled joints a label looks up along: no limb has so many
NEAR = 1e-3  # of the size: bones that are shorter carry nothing


def find_limbs(body: Body) -> None:
    """Find arms and legs of both sides by names."""
    for labels in (ARM, LEG):
        for side in SIDES:
            found = _labelled_line(body, labels, side)
            if len(found) < 2:
                continue
            if "UpperLeg" in found and "LowerLeg" in found:
                found["UpperLeg"] = _lowest_hip(body, found["UpperLeg"], found["LowerLeg"])
            for label, joint in found.items():
                body.joints[side + label] = joint
    if any(_has_more_legs(body, side) for side in SIDES):  # an insect: none of them is the leg of a human
        for role in [side + label for side in SIDES for label in (*ARM, *LEG)]:
            body.joints.pop(role, None)
        return
    for side in SIDES:
        _find_detached_foot(body, side)
        _find_ball(body, side)


def _lowest_hip(body: Body, upper: int, lower: int) -> int:
    """Return the joint that the thigh hangs on: of several named as hips the one next to the knee."""
    if "hips" not in body.words[upper].labels:
        return upper
    between = body.line_to(lower)[1:]
    between = between[: between.index(upper) + 1]
    return next(joint for joint in between if joint == upper or "hips" in body.words[joint].labels)


def _has_more_legs(body: Body, side: str) -> bool:
    """Return whether a side has a second line of two joints or more that are named as a leg."""
    leg = body.joints.get(side + "UpperLeg")
    if leg is None:
        return False
    named = {
        joint
        for joint, word in enumerate(body.words)
        if word.side == side and not (word.pair or word.is_control or word.is_end or word.is_twist)
        if {"UpperLeg", "LowerLeg"} & set(word.labels) and body.moves[joint]
        if joint != leg and not body.is_below(joint, leg) and not body.is_below(leg, joint)
    }
    return any(body.skeleton.parents[joint] in named for joint in named)


def _labelled_line(body: Body, labels: Sequence[str], side: str) -> dict[str, int]:
    """Return the joints of a side that play labels, each below the one before.

    Dynamic programming over the tree: the best labelling that ends at a joint with a label extends the best
    of its ancestors with an earlier label.
    """
    parents, places = body.skeleton.parents.tolist(), body.rest.tolist()
    count = len(parents)
    # Where "foot" has the name, "foot back" is part of it.
    plain = {label for word in body.words if word.side == side and not word.pair for label in word.labels}
    best = np.full((count, len(labels)), -np.inf)
    labelled = [-1] * count  # the joint itself, where it has a label, or the nearest above that has
    before: dict[tuple[int, int], tuple[int, int]] = {}
    for joint, word in enumerate(body.words):
        nearest = labelled[parents[joint]] if parents[joint] >= 0 else -1
        labelled[joint] = nearest
        if word.side != side or word.is_twist or word.is_end:
            continue
        cost = CONTROL * word.is_control + HELPER * (not body.moves[joint]) - DEFORMS * word.is_deform
        for k, label in enumerate(labels):
            said = word.labels.get(label, 0.0)
            if said <= 0 or (word.pair and label in plain):
                continue
            score, origin = 0.0, None
            above, steps = nearest, 0
            while above >= 0 and steps < ABOVE:
                if math.dist(places[above], places[joint]) > NEAR * body.size:
                    for earlier in range(k):
                        candidate = best[above, earlier] - SKIPPED * (k - earlier - 1)
                        if candidate > 0 and candidate >= score - TIE:  # of equals the uppermost
                            score, origin = float(candidate), (above, earlier)
                above, steps = labelled[parents[above]] if parents[above] >= 0 else -1, steps + 1
            best[joint, k] = score + said - cost
            labelled[joint] = joint
            if origin is not None:
                before[joint, k] = origin
    if not np.isfinite(best).any():
        return {}
    # The first of equals: of several joints of one name the uppermost plays the role.
    place: tuple[int, int] | None = tuple(int(i) for i in np.unravel_index(np.argmax(best), best.shape))  # type: ignore[assignment]
    chosen: dict[str, int] = {}
    while place is not None:
        chosen[labels[place[1]]] = place[0]
        place = before.get(place)
    return dict(reversed(chosen.items()))


def _find_ball(body: Body, side: str) -> None:
    """Find the ball of rigs, such as SMPL, that name it foot, below an ankle."""
    foot = body.joints.get(side + "Foot", -1)
    if side + "Toes" in body.joints or foot < 0 or "ankle" not in body.skeleton.names[foot].lower():
        return
    for joint in body.children(foot):
        if "Foot" in body.words[joint].labels and not body.words[joint].is_end:
            body.joints[side + "Toes"] = joint


def _find_detached_foot(body: Body, side: str) -> None:
    """Find a foot beside the leg: rigs exported with their controls have it."""
    if side + "Foot" in body.joints or side + "LowerLeg" not in body.joints:
        return
    feet = [
        (joint, word)
        for joint, word in enumerate(body.words)
        if word.side == side and word.labels.get("Foot", 0) >= 3 and not word.is_end
    ]
    feet.sort(key=lambda each: (each[1].is_control, each[1].pair, not body.moves[each[0]], each[0]))
    if not feet:
        return
    foot = feet[0][0]
    body.joints[side + "Foot"] = foot
    for joint, word in enumerate(body.words):
        if (
            body.is_below(joint, foot)
            and word.labels.get("Toes")
            and not word.is_end
            and side + "Toes" not in body.joints
        ):
            body.joints[side + "Toes"] = joint
