# SPDX-License-Identifier: MIT
"""What the name of a joint says: the part of the body, its side, and whether it is no bone at all."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

__all__ = ["MEANING", "Word", "tail_of", "word_of"]

FORE, HIND = {"front", "fore"}, {"back", "hind", "rear"}  # of legs, where a side is named, too

# What joined words mean, by weight: 3 says it all; less leaves it to where the joint lies in its chain, as
# where one rig calls "arm" what another calls "upper arm", and "leg" the shin or the thigh.
PARTS: dict[str, dict[str, float]] = {
    "hips hip pelvis": {"hips": 3.0, "UpperLeg": 1.2},
    "body center cog butt": {"hips": 1.0},
    "spine torso abdomen tummy belly stomach chest upperchest thorax ribcage ribs back lowerback upperback"
    " waist bodylow bodylower bodyup bodyupper midsection": {"spine": 2.0},
    "neck lowerneck upperneck": {"neck": 3.0},
    "head skull": {"head": 3.0},
    "tail": {"tail": 3.0},
    "clavicle clavicula clav collar collarbone scapula": {"Shoulder": 3.0},
    "shoulder": {"Shoulder": 2.2, "UpperArm": 2.0},
    "upperarm uparm uarm armupper shldr humerus bicep": {"UpperArm": 3.0},
    "arm": {"UpperArm": 2.0, "LowerArm": 0.8, "Hand": 0.5},
    "lowerarm loarm lowarm armlower forearm farm elbow radius ulna": {"LowerArm": 3.0},
    "hand wrist": {"Hand": 3.0},
    "palm fist": {"Hand": 2.0},
    "thigh upperleg upleg legupper femur": {"UpperLeg": 3.0},
    "leg": {"UpperLeg": 1.5, "LowerLeg": 1.6, "Foot": 0.5, "Toes": 0.3},
    "shin calf knee lowerleg loleg lowleg leglower tibia crus": {"LowerLeg": 3.0},
    "foot ankle": {"Foot": 3.0},
    "toe toes toebase toesbase ball": {"Toes": 3.0},
}
MEANING = {word: labels for words, labels in PARTS.items() for word in words.split()}
FINGERS = {
    "thumb": "Thumb",
    "index": "Index",
    "pointer": "Index",
    "middle": "Middle",
    "mid": "Middle",
    "ring": "Ring",
    "pinky": "Little",
    "pinkie": "Little",
    "little": "Little",
}

ALL_FINGERS = {"fingers"}  # of a mitten, which bends as the middle one does

# Of Biped, "Bip01 L Finger12": the finger, then the phalanx, which the first of a finger leaves out.
BIPED_FINGER = re.compile(r".*bip.*finger([0-4])[1-3]?$", re.IGNORECASE)
BIPED_FINGERS = ("Thumb", "Index", "Middle", "Ring", "Little")

# Of mGear, "arm_L0_end_jnt" and "foot_L0_0_jnt": the end of an arm is the hand, that of a leg the ankle.
MGEAR = re.compile(r"(?:(arm)|(leg)|(foot))_[LR]\d+_(?:end|0)_jnt$")
GLUED = re.compile(r"^([LR])(?=[UF]Arm)")  # of OptiTrack, "LUArm" and "RFArm"

LEFT, RIGHT = {"l", "left", "lft"}, {"r", "right", "rgt"}
# Controls, and joints that others follow or look at: they move no vertices.
CONTROLS = frozenset(
    [
        "ik",
        "fk",
        "ctrl",
        "control",
        "controls",
        "controller",
        "target",
        "pole",
        "poletarget",
        "pt",
        "orient",
        "tracker",
        "effector",
        "goal",
        "helper",
        "mch",
        "org",
        "ctl",
        "driver",
        "master",
        "parent",
        "tweak",
        "fake",
        "cam",
        "camera",
        "socket",
        "slot",
        "handslot",
        "prop",
        "weapon",
        "ikfoot",
        "ikhand",
        "kneetarget",
        "elbowtarget",
        "legcontrol",
        "armcontrol",
        "legorient",
        "armorient",
        "headtracker",
    ]
)
# Of DAZ, "lShldrBend" is the joint itself, beside "lShldrTwist".
TWISTS = frozenset(["twist", "roll", "seg"])
ENDS = frozenset(["end", "nub", "tip", "site", "top", "endsite"])
# Of exporters and rigs: they say nothing.
NOISE = frozenset(
    [
        "def",
        "j",
        "bip",
        "bip01",
        "bip001",
        "b",
        "bn",
        "bone",
        "bones",
        "jnt",
        "joint",
        "jt",
        "armature",
        "skeleton",
        "rig",
        "mixamorig",
        "mixamo",
        "character",
        "char",
        "cc",
        "base",
        "f",
        "deform",
        "sk",
        "skel",
        "rl",
        "biped",
        "valvebiped",
        "bind",
        "geo",
        "node",
        "hb",
    ]
)

_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


class Word(NamedTuple):
    """What a name says.

    Attributes
    ----------
    side : str
        "left", "right" or "" where the name has none.
    pair : str
        "fore", "hind" or "": of legs on either side of a quadruped.
    labels : dict of str to float
        Roles without a side that the joint may play, by how plainly the name says so.
    finger : str
        "Thumb", "Index", "Middle", "Ring" or "Little"; "" for others.
    is_control, is_twist, is_end, is_deform : bool
    """

    side: str
    pair: str
    labels: dict[str, float]
    finger: str
    is_control: bool
    is_twist: bool
    is_end: bool
    is_deform: bool


def tail_of(name: str) -> str:
    """Return a name without what exporters and rigs put before it: "Hand.R" of "rig:Hand.R"."""
    return re.split(r"[:|]", name)[-1]


@cache
def word_of(name: str) -> Word:
    """Read a name: camel case, separators, sides in front or behind, prefixes of exporters."""
    tail = GLUED.sub(r"\1_", tail_of(name))
    tokens = [token.lower() for token in _CAMEL.findall(tail)]
    # "rShldr", "lThigh", "lhumerus": a letter in front of what is a word without it.
    if len(tokens) >= 1 and tokens[0] not in MEANING and tokens[0][:1] in "lr" and len(tokens[0]) > 2:
        rest = tokens[0][1:]
        if rest in MEANING or rest in FINGERS:
            tokens[:1] = [tokens[0][0], rest]
    side = ""
    words = []
    for token in tokens:
        if token in LEFT | RIGHT:
            side = side or ("left" if token in LEFT else "right")
        elif not token.isdigit():
            words.append(token)
    for glued, kind in (("left", "left"), ("right", "right")):  # "leftarm", in lower case throughout
        for i, token in enumerate(words):
            rest = token.removeprefix(glued)
            if rest != token and rest in MEANING | FINGERS:
                side, words[i] = side or kind, rest
    pair = ""
    if side and "arm" not in words:  # that would be the fore arm
        pair = "fore" if FORE & set(words) else "hind" if HIND & set(words) else ""
        words = [token for token in words if not (pair and token in FORE | HIND)]
    plain = [token for token in words if token not in NOISE]
    joined = "".join(token for token in plain if token not in CONTROLS | TWISTS | ENDS)
    labels = MEANING.get(joined, {})
    if not labels:
        for token in plain:  # "Head_2", "torso_joint", "body_IK"
            labels = MEANING.get(token, labels)
    is_end = bool(ENDS & set(words)) or tail.endswith(("End", "_end", "Nub"))
    if (mgear := MGEAR.match(tail)) and (mgear[3] or is_end):
        labels, is_end = {"Hand" if mgear[1] else "Foot" if mgear[2] else "Toes": 3.0}, False
    finger = next((FINGERS[token] for token in plain if token in FINGERS), "")
    if not finger and ALL_FINGERS & set(plain):
        finger = "Middle"
    numbered = BIPED_FINGER.match(tail)
    finger = BIPED_FINGERS[int(numbered[1])] if numbered and not finger else finger
    return Word(
        side,
        pair,
        {} if finger else labels,
        finger,
        bool(CONTROLS & set(words)) or name.startswith("__"),
        bool(TWISTS & set(words)),
        is_end,
        "def" in words,
    )
