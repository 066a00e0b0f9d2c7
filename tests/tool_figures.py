# SPDX-License-Identifier: MIT
"""Figures in a T-pose whose joints are named as a tool names them: y up, facing +z, metres."""

from itertools import pairwise

import numpy as np

import lissom

LINE = [
    "hips",
    "spine",
    "chest",
    "upperChest",
    "neck",
    "head",
    "leftShoulder",
    "leftUpperArm",
    "leftLowerArm",
    "leftHand",
    "leftUpperLeg",
    "leftLowerLeg",
    "leftFoot",
    "leftToes",
    "leftIndexProximal",
    "leftIndexIntermediate",
    "leftIndexDistal",
    "leftThumbMetacarpal",
    "leftThumbProximal",
    "leftThumbDistal",
]
PARENTS = dict(zip(LINE[1:6], LINE, strict=False)) | {
    "leftShoulder": "upperChest",
    "leftUpperLeg": "hips",
    "leftIndexProximal": "leftHand",
    "leftThumbMetacarpal": "leftHand",
}
for upper, lower in pairwise(LINE[6:]):
    PARENTS.setdefault(lower, upper)
PLACES = {
    "hips": (0, 1, 0),
    "spine": (0, 0.1, 0),
    "chest": (0, 0.15, 0),
    "upperChest": (0, 0.15, 0),
    "neck": (0, 0.15, 0),
    "head": (0, 0.1, 0),
    "leftShoulder": (0.05, 0.1, 0),
    "leftUpperArm": (0.12, 0, 0),
    "leftLowerArm": (0.28, 0, 0),
    "leftHand": (0.25, 0, 0),
    "leftUpperLeg": (0.1, 0, 0),
    "leftLowerLeg": (0, -0.45, 0.01),
    "leftFoot": (0, -0.45, -0.01),
    "leftToes": (0, -0.06, 0.15),
    "leftIndexProximal": (0.09, 0, 0.03),
    "leftThumbMetacarpal": (0.03, 0, 0.04),
}


def figure_of(text):
    """A figure in a T-pose with names of a tool; the joint of each role that the tool has."""
    left, right, *names = text.split()
    sides = {"left": left, "right": right}
    wanted: dict[str, str] = {}
    parents, rest = [], []
    for role, name in zip(LINE, names, strict=False):
        for side in sides if role.startswith("left") else ("",):
            if name == "-":
                continue
            own, place, above = role.replace("left", side), np.zeros(3), role
            while above is not None and (above == role or above.replace("left", side) not in wanted):
                place = place + PLACES.get(above, (0.04, 0, 0))  # of joints that the tool lacks, too
                above = PARENTS.get(above)
            place[0] *= -1 if side == "right" else 1
            parents.append(-1 if above is None else list(wanted).index(above.replace("left", side)))
            rest.append([*place, 0, 0, 0, 1, 1, 1, 1])
            wanted[own] = name.format(sides.get(side))
    return lissom.Skeleton(list(wanted.values()), parents, rest), wanted
