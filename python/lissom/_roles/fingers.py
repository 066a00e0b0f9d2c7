# SPDX-License-Identifier: MIT
"""Fingers: the joints below a hand that are named as such, in the order from the palm."""

from __future__ import annotations

from lissom._roles.body import Body
from lissom._roles.bones import SIDES

__all__ = ["find_fingers"]


def find_fingers(body: Body) -> None:
    """Find the fingers of both hands, or of the lower arms of rigs without hands."""
    for side in SIDES:
        hand = body.joints.get(side + "Hand", body.joints.get(side + "LowerArm"))
        if hand is None:
            continue
        chains: dict[str, list[int]] = {}
        for joint, word in enumerate(body.words):
            if not word.finger or word.is_end or word.is_control or word.side not in ("", side):
                continue
            if body.is_below(joint, hand):
                chains.setdefault(word.finger, []).append(joint)
        for finger, chain in chains.items():
            line = body.line_to(chain[-1])
            chain = [joint for joint in chain if joint in line]
            if finger == "Thumb":
                names = ("Metacarpal", "Proximal", "Distal") if len(chain) > 2 else ("Proximal", "Distal")
            else:
                chain = chain[-3:] if len(chain) > 3 else chain
                names = ("Proximal", "Intermediate", "Distal")
            for name, joint in zip(names, chain, strict=False):
                body.joints[f"{side}{finger}{name}"] = joint
