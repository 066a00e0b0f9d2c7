# SPDX-License-Identifier: MIT
"""Where joints are in a picture of roles: the body from its front, four legs from their side, hands flat."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lissom._roles.bones import SIDES

if TYPE_CHECKING:
    from lissom._roles.roles import Roles

__all__ = ["body_places", "hand_places", "hand_roles"]

OBLIQUE = 0.45  # of the distance between left and right legs: how far a view from the side moves them apart
FINGERS = ("Thumb", "Index", "Middle", "Ring", "Little")


def body_places(roles: Roles, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return joints in the picture, shape (J, 2), x to the right and y up.

    A humanoid faces the viewer, so that its left is on the right. An animal on four legs looks to the left;
    its own left legs are nearer to the viewer.
    """
    up = np.array([0.0, 1.0, 0.0])
    leftwards = _across(roles, places)
    if "head" in roles and "hips" in roles:
        spine = places[roles.index("head")] - places[roles.index("hips")]
    else:
        spine = up
    if roles.kind != "quadruped":
        if abs(spine @ up) < 0.7 * np.linalg.norm(spine):  # it lies, as where another axis than y is up
            up = spine
        return _flat(places, leftwards, up)
    backwards = _level(-spine, up, np.array([0.0, 0.0, -1.0]))
    side = np.cross(up, backwards) * (1 if np.cross(up, backwards) @ leftwards >= 0 else -1)
    nearer = places @ side
    return np.stack([places @ backwards + OBLIQUE * nearer, places @ up - OBLIQUE / 2 * nearer], axis=-1)


def hand_roles(roles: Roles, side: str) -> dict[str, list[str]]:
    """Return the roles of each finger of a hand, from the palm outwards."""
    fingers = {
        finger: [role for role in roles.joints if role.startswith(side + finger)] for finger in FINGERS
    }
    return {finger: found for finger, found in fingers.items() if found}


def hand_places(roles: Roles, side: str, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return joints in the picture of a hand laid flat, its fingers up and its thumb inwards, (J, 2)."""
    fingers = hand_roles(roles, side)
    first, *_, last = [*fingers.values(), *fingers.values()]
    wrist = next((each for each in (side + "Hand", side + "LowerArm") if each in roles), first[0])
    origin = places[roles.index(wrist)]
    up = places[[roles.index(line[-1]) for line in fingers.values()]].mean(axis=0) - origin
    across = (
        places[roles.index(last[0])] - places[roles.index(first[0])]
    )  # from the thumb to the little finger
    # The body's right hand is in the left half of the picture: its thumb is right, towards the body.
    return _flat(places - origin, across if side == "left" else -across, up)


def _flat(
    places: NDArray[np.float64], rightwards: NDArray[np.float64], upwards: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return places in the plane of two directions, the second of which points straight up, (J, 2)."""
    right = _level(rightwards, upwards, np.array([1.0, 0.0, 0.0]))
    up = upwards / max(float(np.linalg.norm(upwards)), 1e-30)
    return np.stack([places @ right, places @ up], axis=-1)


def _across(roles: Roles, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean way from right joints to left ones; +x where there are none."""
    left, right = SIDES
    pairs = [
        places[roles.index(role)] - places[roles.index(right + role.removeprefix(left))]
        for role in roles.joints
        if role.startswith(left) and right + role.removeprefix(left) in roles
    ]
    return np.mean(pairs, axis=0) if pairs else np.array([1.0, 0.0, 0.0])


def _level(
    direction: NDArray[np.float64], up: NDArray[np.float64], fallback: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the unit part of a direction that is perpendicular to `up`."""
    unit = up / max(float(np.linalg.norm(up)), 1e-30)
    level = direction - (direction @ unit) * unit
    length = float(np.linalg.norm(level))
    if length <= 1e-6 * max(float(np.linalg.norm(direction)), 1e-30):
        level = fallback - (fallback @ unit) * unit
        length = max(float(np.linalg.norm(level)), 1e-30)
    return np.asarray(level / length)
