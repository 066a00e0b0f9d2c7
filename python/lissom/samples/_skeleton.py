# SPDX-License-Identifier: MIT
"""The joints of the humanoid: 34 of them, unrotated at rest, named like ``UpperArm.L``."""

from __future__ import annotations

from functools import cache

import numpy as np

from lissom.samples._proportions import Proportions, arm_frame
from lissom.samples._shell import Floats

_TRUNK = (
    ("Pelvis", None),
    ("Spine", "Pelvis"),
    ("Chest", "Spine"),
    ("UpperChest", "Chest"),
    ("Neck", "UpperChest"),
    ("Head", "Neck"),
)
_LIMBS = (
    ("Clavicle", "UpperChest"),
    ("UpperArm", "Clavicle"),
    ("LowerArm", "UpperArm"),
    ("Hand", "LowerArm"),
    ("Thumb1", "Hand"),
    ("Thumb2", "Thumb1"),
    ("Index1", "Hand"),
    ("Index2", "Index1"),
    ("Fingers1", "Hand"),
    ("Fingers2", "Fingers1"),
    ("UpperLeg", "Pelvis"),
    ("LowerLeg", "UpperLeg"),
    ("Foot", "LowerLeg"),
    ("Toes", "Foot"),
)
_TRUNK_NAMES = frozenset(name for name, _ in _TRUNK)
SIDES = ("L", "R")

JOINT_NAMES: tuple[str, ...] = tuple(name for name, _ in _TRUNK) + tuple(
    f"{name}.{side}" for side in SIDES for name, _ in _LIMBS
)
JOINT: dict[str, int] = {name: index for index, name in enumerate(JOINT_NAMES)}
PARENTS: tuple[int, ...] = tuple(-1 if parent is None else JOINT[parent] for _, parent in _TRUNK) + tuple(
    JOINT[parent if parent in _TRUNK_NAMES else f"{parent}.{side}"] for side in SIDES for _, parent in _LIMBS
)

# In the hand's own coordinates, adult metres: along the fingers, towards the palm, towards the thumb.
HAND_JOINTS = {
    "Thumb1": (0.030, 0.006, 0.028),
    "Thumb2": (0.064, 0.012, 0.053),
    "Index1": (0.088, 0.000, 0.030),
    "Index2": (0.124, 0.003, 0.034),
    "Fingers1": (0.088, 0.000, -0.010),
    "Fingers2": (0.128, 0.003, -0.012),
}


@cache
def joint_positions(build: Proportions) -> Floats:
    """Model-space rest positions (34, 3) of the joints of a build, metres; read-only."""
    at: dict[str, Floats] = {}
    for name, adult_height, adult_z in (
        ("Pelvis", 0.965, -0.010),
        ("Spine", 1.065, -0.008),
        ("Chest", 1.190, -0.012),
        ("UpperChest", 1.310, -0.018),
        ("Neck", 1.470, -0.022),
    ):
        depth = float(build.depth_factor(adult_height))
        at[name] = np.array([0.0, float(build.height(adult_height)), adult_z * depth])
    at["Head"] = build.head_center + build.head * np.array([0.0, -0.075, -0.016])

    arm = arm_frame(build)
    at["Clavicle"] = np.array([0.13, 1.0, 1.0]) * arm.shoulder + np.array(
        [0.0, 0.0, 0.010 * build.shoulder_scale]
    )
    at["UpperArm"], at["LowerArm"], at["Hand"] = arm.shoulder, arm.elbow, arm.wrist
    for name, place in HAND_JOINTS.items():
        at[name] = arm.wrist + build.hand * np.asarray(place) @ arm.hand_axes

    spread = build.hip_half_width / 0.092
    for name, x, adult_height, z in (
        ("UpperLeg", 0.092, 0.915, -0.004),
        ("LowerLeg", 0.098, 0.485, 0.006),
        ("Foot", 0.102, 0.085, -0.022),
    ):
        at[name] = np.array([x * spread, float(build.height(adult_height)), z * build.leg_girth])
    at["Toes"] = np.array(
        [0.108 * spread, 0.024 * build.foot, (-0.022 * build.leg_girth) + 0.118 * build.foot]
    )

    positions = np.empty((len(JOINT_NAMES), 3))
    for name, joint in JOINT.items():
        base, _, side = name.partition(".")
        positions[joint] = at[base] * (np.array([-1.0, 1.0, 1.0]) if side == "R" else 1.0)
    positions.setflags(write=False)
    return positions
