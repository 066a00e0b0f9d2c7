# SPDX-License-Identifier: MIT
"""Hips, spine, neck and head: what lies between the limbs."""

from __future__ import annotations

import numpy as np

from lissom._roles.body import Body
from lissom._roles.bones import SIDES
from lissom._roles.words import Word

__all__ = ["find_trunk"]

CERTAIN = 3.0  # weight of a word that says it all
LEVEL = 0.01  # of the size: joints side by side
ROOT = 0.4  # of the height of the thighs: what is farther from them is no pelvis
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
        body.ambiguous["head"] = "found by place alone: no name says head"
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
    if hips == top and not spoken_top and body.by_place:
        hips = _hips_by_place(body, legs, line[: line.index(top)] if top in line else [], top)
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


def _hips_by_place(body: Body, legs: list[int], line: list[int], top: int) -> int:
    """Return the joint that carries the legs, or the one above it if that is at the thighs.

    Legs and spine may hang on the root, which stands on the ground.
    """
    if not line:
        return top
    middle = body.rest[legs].mean(axis=0)
    height = float(body.rest[legs, 1].mean() - body.rest[:, 1].min())
    distances = np.linalg.norm(body.rest[[top, line[-1]]] - middle, axis=1)
    return line[-1] if distances[0] > ROOT * height and distances[1] < distances[0] else top


def _head_by_place(body: Body, arms: list[int]) -> int | None:
    """Return the head where no name says so.

    It is the last joint of the line that rises highest from between the arms, up to where that branches, as
    into eyes and jaw; not the end of the head, which moves no vertices, or is farther from the head than that
    from the neck.
    """
    chest = body.common(arms)
    if chest < 0:
        return None
    in_arms = {joint for arm in arms for joint in body.line_to(arm)}
    heights = body.rest[:, 1]
    above = [j for j in body.children(chest) if j not in in_arms and heights[j] > heights[arms[0]] - 1e-6]
    if not above:
        return None
    line = [max(above, key=heights.__getitem__)]
    while len(below := sorted(body.children(line[-1]), key=lambda j: -heights[j])) in (1, 2):
        beside = len(below) == 2 and heights[below[0]] - heights[below[1]] < LEVEL * body.size  # as eyes are
        if beside or heights[below[0]] - heights[line[-1]] < LEVEL * body.size:
            break
        line.append(below[0])
    while len(line) > 1 and body.moves[line[0]] and not body.moves[line[-1]]:
        line.pop()
    lengths = np.linalg.norm(np.diff(body.rest[line], axis=0), axis=1)
    if len(line) > 2 and not body.children(line[-1]) and lengths[-1] > lengths[-2]:
        line.pop()  # neck, head and the end of the head
    return line[-1]
