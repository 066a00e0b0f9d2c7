# SPDX-License-Identifier: MIT
"""Roles of animals that stand on four legs, whose rigs name bones by whatever an artist thought of them.

A leg is the line of joints of one side and pair, fore or hind. Where its first bone lies level, it is the
shoulder blade or the hip; the others follow in order.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from lissom._roles.body import Body
from lissom._roles.bones import ARM, LEG, SIDES

__all__ = ["find_quadruped"]

PAIRS = ("Fore", "Hind")
LEVEL = 0.6  # a bone that drops by less than this part of its length lies level
STANDING = 0.25  # of the height of the shoulder: fore legs that end higher do not stand
ENDS_AT = 0.12  # of the size: how far a foot of exported controls may be from the end of its leg
SEGMENTS = {
    "Fore": {
        2: ("UpperLeg", "LowerLeg"),
        3: ("UpperLeg", "LowerLeg", "Foot"),
        4: LEG,
    },
    "Hind": {
        2: ("UpperLeg", "LowerLeg"),
        3: ("UpperLeg", "LowerLeg", "Foot"),
        4: ("UpperLeg", "LowerLeg", "Metatarsus", "Foot"),
        5: ("UpperLeg", "LowerLeg", "Metatarsus", "Foot", "Toes"),
    },
}
UPRIGHT = {
    "ForeShoulder": "Shoulder",
    "ForeUpperLeg": "UpperArm",
    "ForeLowerLeg": "LowerArm",
    "ForeFoot": "Hand",
    **{f"Hind{bone}": bone for bone in LEG},
}
BESIDE = {"Fore": ("UpperLeg", "LowerLeg"), "Hind": ("UpperLeg", "LowerLeg", "Metatarsus")}  # feet are apart


def find_quadruped(body: Body) -> bool:
    """Replace limbs by fore and hind legs where all four stand; return whether they do.

    Where only the hind legs stand, those are the legs, and the fore legs the arms.
    """
    lines = {(pair, side): _line(body, pair, side) for pair in PAIRS for side in SIDES}
    named = all(lines.values())
    if not named:
        lines = _arms_that_stand(body)
    if not lines or not all(_stands(body, line) for (pair, _), line in lines.items() if pair == "Hind"):
        return False
    is_upright = not all(_stands(body, line) for (pair, _), line in lines.items() if pair == "Fore")
    if is_upright and not named:
        return False
    for side in SIDES:
        for role in [role for role in body.joints if role.startswith(side)]:
            del body.joints[role]
    for (pair, side), line in lines.items():
        _label(body, side + pair, pair, line)
    if is_upright:
        _stand_up(body)
    return not is_upright


def _stand_up(body: Body) -> None:
    """Make arms of fore legs that do not stand, as those of a dinosaur on its hind legs."""
    for side in SIDES:
        for role in [role for role in body.joints if role.startswith((side + "Fore", side + "Hind"))]:
            joint = body.joints.pop(role)
            bone = UPRIGHT.get(role.removeprefix(side))
            if bone is not None:
                body.joints[side + bone] = joint
                if "Fore" in role:
                    body.ambiguous[side + bone] = "named as a fore leg, which does not stand here"


def _line(body: Body, pair: str, side: str) -> list[int]:
    """Return the longest line of joints that bear the words of a pair and a side."""
    own = {
        joint
        for joint, word in enumerate(body.words)
        if (word.side, word.pair) == (side, pair.lower())
        and not (word.is_end or word.is_control or word.is_twist)
    }
    if not own:
        return []
    counts: list[int] = []
    for joint, parent in enumerate(body.skeleton.parents.tolist()):
        counts.append((joint in own) + (counts[parent] if parent >= 0 else 0))
    end = max(sorted(own), key=counts.__getitem__)
    return [joint for joint in reversed(body.line_to(end)) if joint in own]


def _arms_that_stand(body: Body) -> dict[tuple[str, str], list[int]]:
    """Return fore and hind legs of rigs that name the fore legs as arms; empty where there are none."""
    lines = {}
    for side in SIDES:
        for pair, labels in (
            ("Fore", ARM),
            ("Hind", LEG),
        ):
            named = [body.joints[side + label] for label in labels if side + label in body.joints]
            if len(named) < 2:
                return {}
            # Joints of one name and several numbers: all of them bend.
            below = [
                joint
                for joint, word in enumerate(body.words)
                if word.side == side and not word.is_end and word.labels and body.is_below(joint, named[-1])
            ]
            lines[pair, side] = named + below[:1]
    return lines


def _stands(body: Body, line: list[int]) -> bool:
    top, end = body.rest[line[0]], body.rest[_tip(body, line[-1])]
    ground = body.rest[:, 1].min()
    return bool(len(line) >= 2 and end[1] - ground < STANDING * (top[1] - ground))


def _tip(body: Body, joint: int) -> int:
    """Return the end joint below the last of a line, or that itself."""
    return next((child for child in body.children(joint) if body.words[child].is_end), joint)


def _label(body: Body, prefix: str, pair: str, line: list[int]) -> None:
    positions = body.rest
    drops = [
        (positions[a][1] - positions[b][1]) / max(float(np.linalg.norm(positions[a] - positions[b])), 1e-9)
        for a, b in pairwise([*line, _tip(body, line[-1])])
    ]
    foot = _detached_foot(body, prefix, pair, line)
    shoulder = "Shoulder" if pair == "Fore" else "Hip"
    if len(line) > 2 and drops[0] < LEVEL:
        body.joints[prefix + shoulder] = line[0]
        line = line[1:]
    labels = (
        BESIDE[pair]
        if foot is not None
        else SEGMENTS[pair].get(min(len(line), 4 if pair == "Fore" else 5), ())
    )
    for label, joint in zip(labels, line, strict=False):
        body.joints[prefix + label] = joint
    if foot is not None:
        body.joints[prefix + "Foot"] = foot
        toes = [child for child in body.children(foot) if not body.words[child].is_end and body.moves[child]]
        if toes:
            body.joints[prefix + "Toes"] = toes[0]


def _detached_foot(body: Body, prefix: str, pair: str, line: list[int]) -> int | None:
    """Return the foot beside the leg that its end meets: rigs exported with their controls have it there."""
    end = body.rest[_tip(body, line[-1])]
    side = prefix.removesuffix(pair)
    found = [
        (float(np.linalg.norm(body.rest[joint] - end)), joint)
        for joint, word in enumerate(body.words)
        if (word.side, word.pair) == (side, pair.lower())
        and not word.is_end
        and body.moves[joint]
        and joint != line[0]
        and not body.is_below(joint, line[0])
    ]
    distance, joint = min(found, default=(np.inf, -1))
    return joint if distance < ENDS_AT * body.size else None
