# SPDX-License-Identifier: MIT
"""The names of roles: VRM 1.0's humanoid bones, and the same manner of names for animals on four legs."""

from __future__ import annotations

__all__ = [
    "ARM",
    "DIGITS",
    "FORE",
    "HIND",
    "HUMANOID",
    "LEG",
    "LIMBS",
    "NEEDED",
    "QUADRUPED",
    "SIDES",
    "TRUNK",
]

SIDES = ("left", "right")
TRUNK = ("hips", "spine", "chest", "upperChest", "neck", "head")
ARM = ("Shoulder", "UpperArm", "LowerArm", "Hand")
LEG = ("UpperLeg", "LowerLeg", "Foot", "Toes")
DIGITS = ("Thumb", "Index", "Middle", "Ring", "Little")
FINGERS = tuple(
    finger + bone
    for finger in DIGITS
    for bone in (
        ("Metacarpal", "Proximal", "Distal") if finger == "Thumb" else ("Proximal", "Intermediate", "Distal")
    )
)
FORE = ("ForeShoulder", "ForeUpperLeg", "ForeLowerLeg", "ForeFoot", "ForeToes")
HIND = ("HindHip", "HindUpperLeg", "HindLowerLeg", "HindMetatarsus", "HindFoot", "HindToes")
LIMBS = (ARM, LEG, FORE, HIND)
"""Bones of limbs of one side, from the trunk outwards."""

HUMANOID = TRUNK + tuple(side + bone for side in SIDES for bone in (*ARM, *LEG, *FINGERS))
"""All roles of a humanoid, from the hips outwards, except for eyes and jaw, which no motion moves."""
QUADRUPED = (*TRUNK, "tail", *(side + bone for side in SIDES for bone in (*FORE, *HIND)))
"""All roles of an animal on four legs."""

NEEDED = {
    "humanoid": (
        "hips",
        "spine",
        "head",
        *tuple(
            side + bone
            for side in SIDES
            for bone in ("UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot")
        ),
    ),
    "quadruped": (
        "hips",
        "spine",
        "head",
        *tuple(
            side + bone
            for side in SIDES
            for bone in (
                "ForeUpperLeg",
                "ForeLowerLeg",
                "ForeFoot",
                "HindUpperLeg",
                "HindLowerLeg",
                "HindFoot",
            )
        ),
    ),
}
"""Roles that a body of a kind has: those that VRM requires."""
