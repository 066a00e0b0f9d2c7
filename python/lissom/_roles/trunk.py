# SPDX-License-Identifier: MIT
"""Hips, spine, neck and head: what lies between the limbs."""

from __future__ import annotations

from lissom._roles.body import Body
from lissom._roles.bones import SIDES
from lissom._roles.words import Word

__all__ = ["find_trunk"]

CERTAIN = 3.0  # weight of a word that says it all
CONTROL = 2.5  # what a head costs that is a control by name


def find_trunk(body: Body) -> None:
    """Find what lies on the line from the joint that carries the legs to the head."""
    joints = body.joints
    heads = [
        joint
        for joint, word in enumerate(body.words)
        if "head" in word.labels and not word.is_end and not word.side
    ]

    torso = [0]  # joints above each one that say they are of the trunk; first, of roots
    for parent in body.skeleton.parents.tolist():
        above = {"hips", "spine", "neck"} & set(body.words[parent].labels) if parent >= 0 else ()
        torso.append(torso[parent + 1] + bool(above))

    def spoken(joint: int) -> tuple[float, int]:
        return torso[joint + 1] - CONTROL * body.words[joint].is_control, -joint

    upper = ("ForeShoulder", "ForeUpperLeg") if body.is_quadruped else ("Shoulder", "UpperArm")
    lower = ("HindHip", "HindUpperLeg") if body.is_quadruped else ("UpperLeg",)
    arms = [joints[side + label] for side in SIDES for label in upper if side + label in joints]
    legs = [joints[side + label] for side in SIDES for label in lower if side + label in joints]
    head = max(heads, key=spoken) if heads else _last_of_necks(body)
    if head is None and arms:
        head = _head_by_place(body, arms)
    ends = legs + ([head] if head is not None else arms)
    if not ends or not legs:
        return
    top = body.common(ends)
    hips = top
    named = [
        joint
        for joint, word in enumerate(body.words)
        if word.labels.get("hips", 0) >= CERTAIN and not word.side and not word.is_control and not word.is_end
    ]
    line = body.line_to(head)[1:] if head is not None else []
    spoken_top = {"hips", "spine"} & set({} if top < 0 else body.words[top].labels)
    for joint in named:
        carries = [joint in body.line_to(leg) for leg in legs]
        if joint == top:
            break
        if joint in line and top in body.line_to(joint) and not any(carries) and not spoken_top:
            hips = joint  # beside the legs, above the spine
    if hips < 0:
        return
    joints["hips"] = hips
    if head is None:
        return
    joints["head"] = head
    path = list(reversed(line[: line.index(hips)])) if hips in line else []
    path = [j for j in path if _is_bone(body.words[j])]
    chest = body.common([*arms, head]) if arms else -1
    split = next((i for i, j in enumerate(path) if body.words[j].labels.get("neck", 0) >= CERTAIN), len(path))
    if chest in path:
        split = min(split, path.index(chest) + 1)
    spine, neck = path[:split], path[split:]
    spine = [j for j in spine if not body.words[j].is_control] or spine
    neck = [j for j in neck if not body.words[j].is_control]
    if spine:
        joints["spine"] = spine[0]
    if len(spine) == 2:
        joints["chest"] = spine[1]
    elif len(spine) > 2:
        joints["chest"], joints["upperChest"] = spine[-2], spine[-1]
    if neck:
        joints["neck"] = neck[0]
    tails = [j for j, word in enumerate(body.words) if "tail" in word.labels and not word.is_end]
    if tails and hips in body.line_to(tails[0]):
        joints["tail"] = tails[0]


def _is_bone(word: Word) -> bool:
    """Return whether a joint may be one of the trunk: Character Creator names necks as twist joints."""
    return not word.is_end and (not word.is_twist or "neck" in word.labels)


def _last_of_necks(body: Body) -> int | None:
    """Return the head where no name says so: the last of several joints of a neck."""
    last = None
    below_neck: list[bool] = []  # whether each joint is one of a neck, or below one
    for joint, parent in enumerate(body.skeleton.parents.tolist()):
        word, is_below = body.words[joint], parent >= 0 and below_neck[parent]
        is_neck = "neck" in word.labels and not word.is_end
        last = joint if is_neck and is_below else last
        below_neck.append(is_neck or is_below)
    return last


def _head_by_place(body: Body, arms: list[int]) -> int | None:
    """Return the head where no name says so.

    It is the second joint, where there are two, of what rises highest from where the arms branch off.
    """
    chest = body.common(arms)
    if chest < 0:
        return None
    in_arms = {joint for arm in arms for joint in body.line_to(arm)}
    parents = body.skeleton.parents
    rising = [j for j in range(len(parents)) if parents[j] == chest and j not in in_arms]
    above = [j for j in rising if body.rest[j, 1] > body.rest[arms[0], 1] - 1e-6]
    if not above:
        return None
    first = max(above, key=lambda j: body.rest[j, 1])
    second = [j for j in range(len(parents)) if parents[j] == first and body.rest[j, 1] > body.rest[first, 1]]
    head = max(second, key=lambda j: body.rest[j, 1], default=first)
    body.ambiguous["head"] = "found by place alone: no name says head"
    return head
