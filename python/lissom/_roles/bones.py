# SPDX-License-Identifier: MIT
"""The names of roles: VRM 1.0's humanoid bones, and the same manner of names for animals on four legs."""

from __future__ import annotations

__all__ = ["FORE", "HIND", "HUMANOID", "NEEDED", "QUADRUPED", "SIDES"]

SIDES = ("left", "right")
TRUNK = ("hips", "spine", "chest", "upperChest", "neck", "head")
ARM = ("Shoulder", "UpperArm", "LowerArm", "Hand")
LEG = ("UpperLeg", "LowerLeg", "Foot", "Toes")
FINGERS = tuple(
    finger + bone
    for finger in ("Thumb", "Index", "Middle", "Ring", "Little")
    for bone in (
        ("Metacarpal", "Proximal", "Distal") if finger == "Thumb" else ("Proximal", "Intermediate", "Distal")
    )
)
FORE = ("ForeShoulder", "ForeUpperLeg", "ForeLowerLeg", "ForeFoot", "ForeToes")
HIND = ("HindHip", "HindUpperLeg", "HindLowerLeg", "HindMetatarsus", "HindFoot", "HindToes")

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
