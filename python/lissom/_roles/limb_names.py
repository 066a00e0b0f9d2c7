# SPDX-License-Identifier: MIT
"""Limbs by name: "leftArm", "legs", or a role that a limb ends with, as the joints along them."""

from __future__ import annotations

from lissom._base.names import name_meant, near_names, unknown_name
from lissom._roles.bones import ARM, FINGERS, FORE, HIND, LEG, SIDES, TRUNK
from lissom._roles.roles import Roles

__all__ = ["joints_named", "limbs_named", "role_named"]

# What moves of a limb, from the joint that turns first to the one that is to get somewhere.
ENDS: dict[str, dict[str, tuple[str, ...]]] = {
    "humanoid": {"Arm": ("UpperArm", "LowerArm", "Hand"), "Leg": ("UpperLeg", "LowerLeg", "Foot")},
    "quadruped": {
        "ForeLeg": ("ForeUpperLeg", "ForeLowerLeg", "ForeFoot"),
        "HindLeg": ("HindUpperLeg", "HindLowerLeg", "HindMetatarsus", "HindFoot"),
    },
    "": {},
}
OPTIONAL = {side + "HindMetatarsus" for side in SIDES}  # which not all animals have
FINGER_NAMES = ("Thumb", "Index", "Middle", "Ring", "Little")
OF_A_SIDE = (ARM, LEG, FORE, HIND, *([each for each in FINGERS if each.startswith(f)] for f in FINGER_NAMES))
LINES = (TRUNK, *(tuple(side + bone for bone in line) for side in SIDES for line in OF_A_SIDE))
BONES = 2  # of a limb that ends with a role


def limbs_named(found: Roles, name: str, function: str) -> list[list[int]]:
    """Return the limbs that a name means, each as the joints that play its roles, from the body outwards.

    "leftArm" is from the upper arm to the hand, "arms" both of them; "leftHand" or another role is what ends
    there, of two bones or fewer. Case does not count. ValueError, which names the `function`, for another
    name, and the role that no joint plays.
    """
    parts = _parts(found.kind)
    name = role_named(found, name)
    if name in parts:
        lines = [[role for role in line if role in found or role not in OPTIONAL] for line in parts[name]]
        return [[_index(found, role, name, function) for role in line] for line in lines]
    _check_role(found, name, parts, function)
    _index(found, name, name, function)
    line = next((line[: line.index(name) + 1] for line in LINES if name in line), (name,))
    return [[found.index(role) for role in line if role in found][-BONES - 1 :]]


def joints_named(found: Roles, name: str, function: str) -> list[int]:
    """Return the joints that a name means: those along limbs such as "arms", or the one of a role."""
    parts = _parts(found.kind)
    name = role_named(found, name)
    if name in parts:
        return [joint for limb in limbs_named(found, name, function) for joint in limb]
    _check_role(found, name, parts, function)
    return [_index(found, name, name, function)]


def role_named(found: Roles, name: str) -> str:
    """Return the role or limb of this name, whatever its case; the name itself where there is none."""
    return name_meant(name, (*found.joints, *found.missing, *_parts(found.kind))) or name


def _parts(kind: str) -> dict[str, list[tuple[str, ...]]]:
    """Return the roles along limbs by their names, each alone and both together."""
    parts = {}
    for limb, bones in ENDS[kind].items():
        lines = [tuple(side + bone for bone in bones) for side in SIDES]
        parts[f"{limb[0].lower()}{limb[1:]}s"] = lines
        parts |= {side + limb: [line] for side, line in zip(SIDES, lines, strict=True)}
    if kind == "quadruped":
        parts["legs"] = parts["foreLegs"] + parts["hindLegs"]
    return parts


def _check_role(found: Roles, name: str, parts: dict[str, list[tuple[str, ...]]], function: str) -> None:
    if name not in found and name not in found.missing:
        known = (*found.skeleton.names, *found.joints, *found.missing, *parts)
        known = known if near_names(name, known) else found.skeleton.names  # which alone are counted
        listing = f"limbs are {', '.join(parts)}" if parts else "nor a limb: no body is found here"
        raise ValueError(f"{function}: {unknown_name('joint', name, known, listing)}")


def _index(found: Roles, role: str, name: str, function: str) -> int:
    if role not in found:
        why = found.missing.get(role, "no joint is one by its name or place")
        needs = f"{name!r} needs a joint that plays {role}" if role != name else f"a joint must play {role!r}"
        raise ValueError(f"{function}: {needs}, and there is none: {why}; pass joints, or hints as roles=")
    return found.index(role)
