# SPDX-License-Identifier: MIT
"""Parts of a body, such as its arms, as joints where they begin: what masks of them go by."""

from __future__ import annotations

from typing import NamedTuple

from lissom._base.names import unknown_name
from lissom._roles.bones import ARM, FORE, HIND, LEG, NEEDED, SIDES, TRUNK
from lissom._roles.roles import Roles

__all__ = ["Part", "part_of_body"]

UPPER = TRUNK[1:]


def _of_both(lines: dict[str, list[tuple[str, ...]]], name: str, *bones: tuple[str, ...]) -> None:
    """Add a part of both sides ("legs") and of each ("leftLeg"): lines of roles, from the body outwards."""
    both = lines[f"{name}s"] = []
    for side in SIDES:
        own = [tuple(side + bone for bone in line) for line in bones]
        lines[f"{side}{name[0].upper()}{name[1:]}"] = own
        both += own


HUMAN: dict[str, list[tuple[str, ...]]] = {}
_of_both(HUMAN, "arm", ARM)
_of_both(HUMAN, "leg", LEG)
HUMAN["hands"] = [(f"{side}Hand",) for side in SIDES]
HUMAN["feet"] = [(f"{side}Foot", f"{side}Toes") for side in SIDES]
HUMAN["upperBody"] = [UPPER, *HUMAN["arms"]]
HUMAN["lowerBody"] = [("hips",), *HUMAN["legs"]]

ANIMAL: dict[str, list[tuple[str, ...]]] = {}
_of_both(ANIMAL, "leg", FORE, HIND)
_of_both(ANIMAL, "foreLeg", FORE)
_of_both(ANIMAL, "hindLeg", HIND)
ANIMAL["upperBody"] = [UPPER, *ANIMAL["foreLegs"]]
ANIMAL["lowerBody"] = [("hips",), *ANIMAL["hindLegs"]]

PARTS = {"humanoid": HUMAN, "quadruped": ANIMAL, "": {}}


class Part(NamedTuple):
    """Where a part of a body is.

    Attributes
    ----------
    begins : dict of int to int
        Joints that begin it, each with its generation: 1, or more of a foot that is beside its leg, and no
        joint of it, where the exporter left it.
    ends : set of int
        Joints below those at which another part begins.
    """

    begins: dict[int, int]
    ends: set[int]


def part_of_body(found: Roles, name: str, function: str) -> Part:
    """Return the part of a body that a name means, or the joint that plays a role of that name.

    ValueError, which names the `function` that was called, where it means neither.
    """
    skeleton = found.skeleton
    lines = PARTS[found.kind] | {role: [(role,)] for role in (*found.joints, *found.missing)}
    if name not in lines:
        parts = f"parts of the body are {', '.join(PARTS[found.kind])}" if found.kind else ""
        if not found.kind and name in HUMAN | ANIMAL:
            parts = "nor is it a part of a body: none is found here"
        raise ValueError(f"{function}: {unknown_name('joint', name, (*skeleton.names, *lines), parts)}")
    begins: dict[int, int] = {}
    for line in lines[name]:
        for joint, generation in _begins(found, line, name, function).items():
            if not any(skeleton.is_in_hierarchy(joint, above) for above in begins):
                begins[joint] = generation
    ends = set(part_of_body(found, "upperBody", function).begins) if name == "lowerBody" else set()
    return Part(begins, ends - begins.keys())


def _begins(found: Roles, line: tuple[str, ...], name: str, function: str) -> dict[int, int]:
    """Return where a line of roles begins: its first joint, and those that are not below the one before."""
    played = [found.index(role) for role in line if role in found]
    lacking = next((role for role in line if role in found.missing), None)
    if not played or (lacking is not None and not set(line[: line.index(lacking)]) & set(found.joints)):
        role = lacking or next((role for role in line if role in NEEDED[found.kind]), line[0])
        why = found.missing.get(role, "no joint is one by its name or place")
        raise ValueError(
            f"{function}: {name!r} needs a joint that plays {role}, and there is none: {why}; pass joints"
        )
    skeleton = found.skeleton
    begins, generation, above = {played[0]: 1}, 1, played[0]
    for joint in played[1:]:
        if skeleton.is_in_hierarchy(joint, above):
            generation += len(skeleton.chain(above, joint)) - 1
        else:
            generation += 1
            begins[joint] = generation
        above = joint
    return begins
