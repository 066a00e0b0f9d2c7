# SPDX-License-Identifier: MIT
"""Limbs by what they end with: "hand.r", or whatever the rig calls it, from the shoulder and the hip on."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from lissom._roles.bones import ARM, FORE, HIND, LEG, SIDES
from lissom._roles.limb_names import BONES, ENDS, LINES, limbs_named, role_named
from lissom._roles.roles import Roles
from lissom._roles.words import MEANING, Word, tail_of, word_of

__all__ = ["LimbJoints", "joint_meant", "limbs_meant"]

SHORT = 1e-6  # of the rest pose's extent: bones that are shorter are none
PASS = "pass an ik.Chain for another"  # what to do where a name means no limb


class LimbJoints(NamedTuple):
    """The joints that bend a limb, from the body outwards, the end last; and those between, which do not."""

    bending: list[int]
    still: list[int]


def limbs_meant(found: Roles, name: str, function: str) -> list[LimbJoints]:
    """Return the limbs that a name means.

    The name of a joint wins, whatever its case and prefix ("hand.r" of "rig:Hand.R"): the limb ends there.
    Then roles and limbs ("leftHand", "arms"); then the words of the name: "hand.r" is "rightHand".
    ValueError, which names the `function`, where no joint is meant, or no limb of two bones ends there.
    """
    joint = _joint_named(found, name, function)
    if joint is not None:
        return [_limb_to(found, joint, name, function)]
    role = _role_meant(found, name, function)
    return [
        _limb_to(found, joints[-1], name, function) for joints in limbs_named(found, role or name, function)
    ]


def joint_meant(found: Roles, name: str, function: str) -> str | None:
    """Return the joint that a name means: by its name, by a role, or by the words of a limb's end.

    A name that only its separators part from a joint's comes last, "hand.r" of "hand_R". None where it means
    none; ValueError, which names the `function`, where several have the name, or it leaves open of which
    side or which leg.
    """
    joint = _joint_named(found, name, function)
    if joint is not None:
        return found.skeleton.names[joint]
    meant = found.joints.get(_role_meant(found, name, function, limbs=False) or role_named(found, name))
    if meant is not None:
        return meant
    like = [each for each in found.skeleton.names if _plain(each) == _plain(name)]
    return like[0] if len(like) == 1 else None


def _plain(name: str) -> str:
    """Return a name without its case, prefix and separators."""
    return re.sub(r"[\W_]+", " ", tail_of(name).casefold())


def _joint_named(found: Roles, name: str, function: str) -> int | None:
    """Return the joint of this name, or else the only one that differs by case and prefix."""
    names = found.skeleton.names
    if name in names:
        return found.skeleton.index(name)
    wanted = tail_of(name).casefold()
    like = [joint for joint, each in enumerate(names) if tail_of(each).casefold() == wanted]
    if len(like) > 1:
        listing = " and ".join(repr(names[joint]) for joint in like[:3])
        raise ValueError(f"{function}: {name!r} must be the name of one joint, got {listing}; name one")
    return like[0] if like else None


def _role_meant(found: Roles, name: str, function: str, *, limbs: bool = True) -> str | None:
    """Return the role or limb that the words of a name say, as "foot.l" does; None where they say none.

    Without `limbs` it says a joint: "arm" says none.
    """
    word = word_of(name)
    if name in found or not word.labels or word.is_control or word.is_twist:
        return None
    label = max(word.labels, key=lambda each: word.labels[each])
    for limb in ("Arm", "Leg"):
        label = limb if word.labels is MEANING[limb.lower()] else label
    if label not in (*ARM, *LEG, *(("Arm", "Leg") if limbs else ())):
        return None
    if not word.side:
        plain = label.lower()
        both = "; 'arms' and 'legs' are both" if limbs else ""
        raise ValueError(f"{function}: {name!r} must say its side, as '{plain}.l' and '{plain}.r' do{both}")
    if found.kind != "quadruped":
        return _own_side(found, word.side, label)
    pairs = [word.pair] if word.pair else ["fore", "hind"]
    label = "Foot" if label == "Hand" else label
    roles = [word.side + pair.capitalize() + label for pair in pairs]
    if len(roles) > 1:
        raise ValueError(
            f"{function}: {name!r} must say which of four legs it is, got a name for two; "
            f"name {roles[0]!r} or {roles[1]!r}"
        )
    return roles[0]


def _own_side(found: Roles, side: str, label: str) -> str:
    """Return the role of a label on the side that names say, where a rig's names say the other one."""
    other = SIDES[1 - SIDES.index(side)]
    last = {"Arm": "Hand", "Leg": "Foot"}.get(label, label)
    said = {each: word_of(found[each + last]).side for each in SIDES if each + last in found}
    return (other if said == {side: other, other: side} else side) + label


def _limb_to(found: Roles, end: int, name: str, function: str) -> LimbJoints:
    skeleton = found.skeleton
    role_of = {skeleton.index(joint): role for role, joint in found.joints.items()}
    line_up = skeleton.chain(_root_of(found, end), end).tolist()[::-1]
    nearest = next((joint for joint in line_up if joint in role_of), -1)
    role = role_of.get(nearest, "")
    bones = _bones_to(found, role)
    if not bones or (nearest == end and role != bones[-1]):  # of no limb, or an elbow or a knee itself
        return _checked(found, _two_bones_up(found, line_up, role, bones, name, function), name, function)
    upwards = bones[: bones.index(role) + 1]
    if nearest != end:
        if len(upwards) == 1:
            raise ValueError(_amid(found, name, end, bones, function))
        # The hand keeps still between the lower arm and what it holds.
        upwards = upwards[:-1] if role == bones[-1] else upwards
    bending = [found.index(each) for each in upwards if each in found] + ([end] if nearest != end else [])
    if len(bending) <= BONES or any(joint not in line_up for joint in bending):
        raise ValueError(_beside(found, name, end, bones, function))
    return _checked(found, bending, name, function)


def _root_of(found: Roles, joint: int) -> int:
    while found.skeleton.parents[joint] >= 0:
        joint = int(found.skeleton.parents[joint])
    return joint


def _bones_to(found: Roles, role: str) -> list[str]:
    """Return the roles along the arm or leg that a role is in, as far as it bends; none for other roles."""
    for side in SIDES:
        for line in ENDS[found.kind].values():
            bones = [side + bone for bone in line]
            if role in bones:
                return bones
    return []


def _two_bones_up(
    found: Roles, line_up: list[int], role: str, bones: list[str], name: str, function: str
) -> list[int]:
    """Return the two bones up from what ends neither arm nor leg: a finger, a tail, toes, the head."""
    skeleton = found.skeleton
    end = line_up[0]
    line = next((line[: line.index(role) + 1] for line in LINES if role in line), ())
    by_role = [found.index(each) for each in line if each in found]
    is_line = len(by_role) > BONES and by_role[-1] == end
    bending = by_role[-BONES - 1 :] if is_line else line_up[BONES::-1]
    turns_all = "hips" in found and skeleton.is_in_hierarchy(found.index("hips"), bending[0])
    if len(bending) > BONES and not turns_all:
        return bending
    if bones:
        raise ValueError(_amid(found, name, end, bones, function))
    limb = _limb_of(found, word_of(skeleton.names[end]))
    if limb:
        raise ValueError(_beside(found, name, end, limb, function))
    if len(bending) > BONES:
        raise ValueError(
            f"{function}: the limb to {name!r} must begin below the hips, got two bones from "
            f"{skeleton.names[bending[0]]!r}, which would turn the whole body; {PASS}"
        )
    raise ValueError(
        f"{function}: the limb to {name!r} must have two bones, got {len(bending) - 1} above it; {PASS}"
    )


def _limb_of(found: Roles, word: Word) -> list[str]:
    """Return the roles of the limb that a word is the end of; none where it is of no side or no end."""
    if found.kind == "quadruped" and word.pair:
        bones = FORE if word.pair == "fore" else HIND
        return [word.side + bone for bone in bones] if word.labels else []
    for line in ENDS["humanoid"].values():
        if word.side and word.labels.get(line[-1], 0) >= 2:
            return [word.side + bone for bone in line]
    return []


def _amid(found: Roles, name: str, end: int, bones: list[str], function: str) -> str:
    last = bones[-1]
    instead = f"name its end, {found[last]!r}, or " if last in found else ""
    return (
        f"{function}: {name!r} must end a limb of two bones, got {found.skeleton.names[end]!r} amid one; "
        f"{instead}pass an ik.Chain"
    )


def _beside(found: Roles, name: str, end: int, bones: list[str], function: str) -> str:
    """Say that an end hangs beside its limb, as feet do that a rig moves as controls."""
    names = found.skeleton.names
    above = [found[bone] for bone in bones[:-1] if bone in found]
    if not above:
        return (
            f"{function}: {name!r} must end a limb of two bones, got a joint with no such limb above it; "
            "pass an ik.Chain, or hints as roles="
        )
    below = np.flatnonzero(found.skeleton.parents == found.skeleton.index(above[-1])).tolist()
    tips = [names[joint] for joint in below if word_of(names[joint]).is_end]
    line = " > ".join(map(repr, above))
    if tips:
        instead = f"{tips[0]!r} ends the limb itself, and {names[end]!r} has to be moved to it"
    else:
        last = names[below[0]] if below else above[-1]
        instead = f"change the pose of {names[end]!r} itself"
        if len(above) > 1 or below:
            instead += f", or pass ik.Chain(character.skeleton, {above[0]!r}, {last!r})"
            instead += "" if below else ", which ends where that bone begins"
    return (
        f"{function}: {name!r} must be below {above[-1]!r} to end {line}, and the rig has it beside, as "
        f"controls and parts are; {instead}"
    )


def _checked(found: Roles, bending: list[int], name: str, function: str) -> LimbJoints:
    skeleton = found.skeleton
    rest = skeleton.positions(skeleton.rest).astype(np.float64)
    extent = float(np.ptp(rest, axis=0).max())
    for above, below in pairwise(bending):
        if not np.linalg.norm(rest[below] - rest[above]) > SHORT * extent:
            upper, lower = skeleton.names[above], skeleton.names[below]
            raise ValueError(
                f"{function}: the limb to {name!r} must have bones with lengths, got {lower!r} where "
                f"{upper!r} is; {PASS}"
            )
    line = skeleton.chain(bending[0], bending[-1]).tolist()
    return LimbJoints(bending, [joint for joint in line if joint not in bending])
