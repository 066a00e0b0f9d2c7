# SPDX-License-Identifier: MIT
"""Which of two legs is the left one where no name says it: by where feet point, or else knees and elbows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom._roles.body import UP, Body

__all__ = ["feet_say", "first_is_left"]

TOES = 0.06  # of the leg's length: a foot of bones, from the ankle to its end, that points somewhere
SOLE = 0.03  # the same of the middle of the vertices that a foot moves
BENT = 0.015  # of the limb's length: how far a knee or elbow is from the straight line

Limb = Sequence[int]  # hip, knee and ankle, or shoulder, elbow and wrist


def first_is_left(
    body: Body, places: NDArray[np.float64], legs: Sequence[Limb], arms: Sequence[Limb]
) -> bool | None:
    """Return whether the first of two legs is the left one; None where nothing says so, or two things differ.

    `places` are those of joints at rest, or where the mesh is bound, y up. Feet and soles point forwards.
    Where there are neither, knees bend forwards and elbows backwards, and both must.
    """
    signs = feet_say(body, places, legs, UP)
    if not signs:
        ahead = _ahead(places, legs, UP)
        knees = _clue(_bend(places, legs) @ ahead, BENT)
        elbows = _clue(_bend(places, arms) @ ahead, BENT)
        signs = {knees} if knees and knees == -elbows else set()
    return signs.pop() > 0 if len(signs) == 1 else None


def feet_say(
    body: Body, places: NDArray[np.float64], legs: Sequence[Limb], up: NDArray[np.float64]
) -> set[int]:
    """Return 1 where toes or soles say that the first of two legs is the left one, -1 where the right one."""
    length = float(np.linalg.norm(np.diff(places[list(legs[0])], axis=0), axis=1).sum())
    toes = float(_toes(body, places, legs) @ _ahead(places, legs, up)) / max(length, 1e-30)
    return {clue for clue in (_clue(toes, TOES), _clue(_sole(body, legs), SOLE)) if clue}


def _ahead(places: NDArray[np.float64], legs: Sequence[Limb], up: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return where a body looks if the first leg is the left one: a unit vector, perpendicular to `up`."""
    across = np.mean([places[one] - places[other] for one, other in zip(*legs, strict=True)], axis=0)
    ahead = np.cross(across, up)
    return np.asarray(ahead / max(float(np.linalg.norm(ahead)), 1e-30))


def _clue(value: Any, clear: float) -> int:
    return int(np.sign(value)) if abs(value) > clear else 0


def _toes(body: Body, places: NDArray[np.float64], legs: Sequence[Limb]) -> NDArray[np.float64]:
    """Return the mean way from the ankles to the ends of the feet that are farthest from them."""
    ways = []
    for _, _, ankle in legs:
        below = [joint for joint in range(ankle + 1, len(body.skeleton)) if body.is_below(joint, ankle)]
        offsets = places[below] - places[ankle]
        ways.append(offsets[np.linalg.norm(offsets, axis=1).argmax()] if below else np.zeros(3))
    return np.asarray(np.mean(ways, axis=0))


def _sole(body: Body, legs: Sequence[Limb]) -> float:
    """Return how far the vertices of the feet are ahead of the ankles on average, by the leg's length.

    In the bind pose, whose axes may be others than those of the rest pose: up is from ankles to hips.
    """
    if body.vertices is None:
        return 0.0
    sums, weights = body.vertices
    bind = body.bind
    up = np.mean([bind[hip] - bind[ankle] for hip, _, ankle in legs], axis=0)
    ahead = _ahead(bind, legs, up)
    ways = []
    for _, _, ankle in legs:
        own = [joint for joint in range(ankle, len(weights)) if joint == ankle or body.is_below(joint, ankle)]
        if not weights[own].sum() > 0:
            return 0.0
        ways.append(sums[own].sum(axis=0) / weights[own].sum() - bind[ankle])
    return float(np.mean(ways, axis=0) @ ahead / max(float(np.linalg.norm(up)), 1e-30))


def _bend(places: NDArray[np.float64], limbs: Sequence[Limb]) -> NDArray[np.float64]:
    """Return how far the middle joints are off the straight lines, by the limbs' lengths, on average."""
    bends = []
    for limb in limbs:
        first, middle, last = places[list(limb)]
        line = last - first
        share = (middle - first) @ line / max(float(line @ line), 1e-30)
        length = np.linalg.norm(middle - first) + np.linalg.norm(last - middle)
        bends.append((middle - first - share * line) / max(float(length), 1e-30))
    return np.asarray(np.mean(bends, axis=0))
