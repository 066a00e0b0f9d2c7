# SPDX-License-Identifier: MIT
"""Whether left and right by name are left and right of where the feet point."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lissom._roles.body import UP, Body
from lissom._roles.bones import SIDES

__all__ = ["check_sides"]

PAIRED = ("UpperLeg", "LowerLeg", "UpperArm", "ForeUpperLeg", "HindUpperLeg")
CERTAIN = 0.5  # cosine
LONG = 0.02  # of the size: a shorter foot points nowhere


def check_sides(body: Body) -> None:
    """Mark all joints of both sides as ambiguous where names and places contradict."""
    places, forwards = _forwards(body)
    if forwards is None or "head" not in body.joints:
        return
    pairs = [
        (body.joints["left" + bone], body.joints["right" + bone])
        for bone in PAIRED
        if "left" + bone in body.joints and "right" + bone in body.joints
    ]
    across = np.mean([places[left] - places[right] for left, right in pairs], axis=0)
    legs = [
        joint
        for bone in ("UpperLeg", "HindUpperLeg")
        for side in SIDES
        if (joint := body.joints.get(side + bone)) is not None
    ]
    up = places[body.joints["head"]] - places[legs].mean(axis=0) if not body.is_quadruped else UP
    leftwards = np.cross(up, forwards)
    cosine = across @ leftwards / max(np.linalg.norm(across) * np.linalg.norm(leftwards), 1e-30)
    if cosine > -CERTAIN:
        return
    for role in body.joints:
        side = next((each for each in SIDES if role.startswith(each)), None)
        if side is not None:
            body.ambiguous.setdefault(
                role, f"{side} by name, but it lies on the other side of where the feet point"
            )


def _forwards(body: Body) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """Return the places, and where the feet point: from foot to toes, or to what lies below the foot."""
    places = body.bind
    steps = []
    for foot in (side + bone for side in SIDES for bone in ("Foot", "ForeFoot", "HindFoot")):
        joint = body.joints.get(foot)
        if joint is None:
            continue
        toes = body.joints.get(foot.replace("Foot", "Toes"))
        below = [toes] if toes is not None else np.flatnonzero(body.skeleton.parents == joint).tolist()
        if below:
            steps.append(places[below[0]] - places[joint])
    if not steps:
        return places, None
    forwards = np.mean(steps, axis=0)
    return places, forwards if np.linalg.norm(forwards) > LONG * body.size else None
