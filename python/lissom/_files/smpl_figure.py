# SPDX-License-Identifier: MIT
"""A plain figure with the joints of SMPL, at places of our own.

Names, order and parents are those of SMPL, SMPL-H and SMPL-X [1]_ [2]_; where joints rest is not: the places
of SMPL's come from a body that is licensed. Here they follow the lengths of segments as fractions of stature
that Drillis and Contini measured [3]_, of a person of 1.7 m in a T-pose, y up, facing +z.

References
----------
.. [1] M. Loper et al., SMPL: a skinned multi-person linear model, ACM TOG 34(6), 2015.
.. [2] J. Romero, D. Tzionas and M. Black, Embodied hands, ACM TOG 36(6), 2017: SMPL-H.
.. [3] R. Drillis and R. Contini, Body segment parameters, New York University TR 1166.03, 1966; as figure 4.1
   of D. Winter, Biomechanics and motor control of human movement.
"""

from __future__ import annotations

import numpy as np

from lissom._rig.skeleton import Skeleton

__all__ = ["JOINT_COUNTS", "smpl_figure"]

STATURE = 1.7  # metres

# Fractions of stature, from [3]: heights of ankle, knee, hip and shoulder; half the width of the shoulders;
# upper arm, forearm, hand; foot. What they do not say (hip joints, spine, fingers) is drawn to look right.
ANKLE, KNEE, HIP, SHOULDER = 0.039, 0.285, 0.530, 0.818
SHOULDER_HALF, UPPER_ARM, FOREARM, HAND, FOOT = 0.129, 0.186, 0.146, 0.108, 0.152

Place = tuple[str, tuple[float, float, float]]

# Parent and place, in fractions of stature: x to the left, y up from the ground, z forwards. SMPL's order.
WRIST = SHOULDER_HALF + UPPER_ARM + FOREARM
BODY: dict[str, Place] = {
    "pelvis": ("", (0, 0.55, 0)),
    "left_hip": ("pelvis", (0.05, HIP, 0)),
    "right_hip": ("pelvis", (-0.05, HIP, 0)),
    "spine1": ("pelvis", (0, 0.60, 0)),
    "left_knee": ("left_hip", (0.05, KNEE, 0)),
    "right_knee": ("right_hip", (-0.05, KNEE, 0)),
    "spine2": ("spine1", (0, 0.67, 0)),
    "left_ankle": ("left_knee", (0.05, ANKLE, 0)),
    "right_ankle": ("right_knee", (-0.05, ANKLE, 0)),
    "spine3": ("spine2", (0, 0.72, 0)),
    "left_foot": ("left_ankle", (0.05, 0.01, 0.5 * FOOT)),
    "right_foot": ("right_ankle", (-0.05, 0.01, 0.5 * FOOT)),
    "neck": ("spine3", (0, 0.84, 0)),
    "left_collar": ("spine3", (0.03, 0.8, 0)),
    "right_collar": ("spine3", (-0.03, 0.8, 0)),
    "head": ("neck", (0, 0.89, 0)),
    "left_shoulder": ("left_collar", (SHOULDER_HALF, SHOULDER, 0)),
    "right_shoulder": ("right_collar", (-SHOULDER_HALF, SHOULDER, 0)),
    "left_elbow": ("left_shoulder", (SHOULDER_HALF + UPPER_ARM, SHOULDER, 0)),
    "right_elbow": ("right_shoulder", (-SHOULDER_HALF - UPPER_ARM, SHOULDER, 0)),
    "left_wrist": ("left_elbow", (WRIST, SHOULDER, 0)),
    "right_wrist": ("right_elbow", (-WRIST, SHOULDER, 0)),
}
PALMS: dict[str, Place] = {  # of SMPL, which has no fingers
    "left_hand": ("left_wrist", (WRIST + 0.5 * HAND, SHOULDER, 0)),
    "right_hand": ("right_wrist", (-WRIST - 0.5 * HAND, SHOULDER, 0)),
}
FACE: dict[str, Place] = {  # of SMPL-X
    "jaw": ("head", (0, 0.9, 0.02)),
    "left_eye_smplhf": ("head", (0.018, 0.936, 0.05)),
    "right_eye_smplhf": ("head", (-0.018, 0.936, 0.05)),
}
# Of each finger: from the wrist to its first joint, and between its joints, in lengths of a hand.
FINGERS = {
    "index": ((0.48, 0, 0.13), (0.22, 0, 0), (0.13, 0, 0)),
    "middle": ((0.48, 0, 0.03), (0.24, 0, 0), (0.15, 0, 0)),
    "pinky": ((0.42, 0, -0.15), (0.16, 0, 0), (0.1, 0, 0)),
    "ring": ((0.46, 0, -0.06), (0.22, 0, 0), (0.14, 0, 0)),
    "thumb": ((0.14, -0.05, 0.14), (0.17, 0, 0.13), (0.14, 0, 0.08)),
}


def _hand(side: str) -> dict[str, Place]:
    sign = 1 if side == "left" else -1
    joints: dict[str, Place] = {}
    for finger, steps in FINGERS.items():
        parent, place = f"{side}_wrist", np.array([sign * WRIST, SHOULDER, 0])
        for number, step in enumerate(steps, 1):
            place = place + HAND * np.array(step) * (sign, 1, 1)
            joints[f"{side}_{finger}{number}"] = parent, tuple(place.tolist())
            parent = f"{side}_{finger}{number}"
    return joints


HANDS = _hand("left") | _hand("right")
KINDS = (BODY, BODY | PALMS, BODY | HANDS, BODY | FACE | HANDS)
JOINT_COUNTS = {len(kind): kind for kind in KINDS}
"""Joints by their number: the body alone, SMPL, SMPL-H and SMPL-X."""


def smpl_figure(joint_count: int) -> Skeleton:
    """Return the figure with so many joints, of `JOINT_COUNTS`; the root is as high as the pelvis stands."""
    joints = JOINT_COUNTS[joint_count]
    names = list(joints)
    rest = np.zeros((joint_count, 10))
    rest[:, 6:] = 1
    for row, (parent, place) in zip(rest, joints.values(), strict=True):
        row[:3] = np.subtract(place, joints[parent][1] if parent else 0.0) * STATURE
    return Skeleton(names, [names.index(parent) if parent else -1 for parent, _ in joints.values()], rest)
