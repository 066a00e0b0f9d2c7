# SPDX-License-Identifier: MIT
"""Whether left and right by name are left and right of where the feet point."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lissom._roles.body import UP, Body
from lissom._roles.bones import SIDES
from lissom._roles.facing import feet_say

__all__ = ["check_sides"]

LEGS = (("UpperLeg", "LowerLeg", "Foot"), ("HindUpperLeg", "HindLowerLeg", "HindFoot"))
UPRIGHT = 0.7  # cosine between each leg and the trunk: feet of legs that sprawl point anywhere


def check_sides(body: Body) -> None:
    """Exchange left and right where by the names feet point backwards; joints of both are ambiguous then.

    Names may be of the sides that a viewer sees; motion goes by those of the body.
    """
    if body.by_place or "head" not in body.joints:
        return
    for bones in LEGS:
        legs = [[body.joints.get(side + bone, -1) for bone in bones] for side in SIDES]
        if min(map(min, legs)) < 0:
            continue
        hips = np.mean([body.bind[hip] for hip, *_ in legs], axis=0)
        up = UP if body.is_quadruped else body.bind[body.joints["head"]] - hips
        stands = all(_cosine(up, body.bind[hip] - body.bind[foot]) > UPRIGHT for hip, _, foot in legs)
        if stands and feet_say(body, body.bind, legs, up) == {-1}:
            _exchange(body)
            return


def _cosine(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    return float(first @ second / max(float(np.linalg.norm(first) * np.linalg.norm(second)), 1e-30))


def _exchange(body: Body) -> None:
    left, right = SIDES
    joints = {}
    for role, joint in body.joints.items():
        side = next((each for each in SIDES if role.startswith(each)), None)
        if side is None:
            joints[role] = joint
            continue
        other = right if side == left else left
        own = other + role.removeprefix(side)
        joints[own] = joint
        body.ambiguous[own] = f"{side} by name, but on the {other} of where the feet point"
    body.joints = joints
