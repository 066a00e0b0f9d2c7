# SPDX-License-Identifier: MIT
"""Arms and legs of rigs by others, written down by hand from the names and the hierarchy of each file.

Of each rig what a person means by its arms and legs: upper arm, lower arm and hand, thigh, shin and foot. Not
from `lissom.roles`, which is judged by it. "{}" is the side, as the file writes it; None where the file
has no such joint, or has it beside the limb, as rigs have feet that are moved as controls.
"""

from typing import NamedTuple

Joints = tuple[str, str, str] | None


class Rig(NamedTuple):
    """The limbs of a rig; left and right as its names write them."""

    left: str
    right: str
    arm: Joints
    leg: Joints


def _rig(left: str, right: str, arm: str, leg: str) -> Rig:
    split = [tuple(line.split(" > ")) if line else None for line in (arm, leg)]
    return Rig(left, right, *split)  # type: ignore[arg-type]


MOTION_BUILDER = _rig(
    "Left", "Right", "{}Arm > {}ForeArm > {}Hand", "{}UpLeg > {}Leg > {}Foot"
)  # as Mixamo, too
KAYKIT = _rig(
    "l", "r", "upperarm.{} > lowerarm.{} > hand.{}", "upperleg.{} > lowerleg.{} > foot.{}"
)  # a wrist before the hand
MODULAR = _rig("L", "R", "UpperArm.{} > LowerArm.{} > Hand.{}", "UpperLeg.{} > LowerLeg.{} > Foot.{}")
POSER = _rig("l", "r", "{}Shldr > {}ForeArm > {}Hand", "{}Thigh > {}Shin > {}Foot")
ADD_ON = _rig("L", "R", "upper_arm.{} > lower_arm.{} > hand.{}", "upper_leg.{} > lower_leg.{} > foot.{}")
DAZ_FACE = _rig("L", "R", "UpArm_{} > LoArm_{} > Hand_{}", "UpLeg_{} > LoLeg_{} > Foot_{}")

RIGS = {
    "bvh/01_01.bvh": MOTION_BUILDER,
    "bvh/dab.bvh": MOTION_BUILDER,
    "bvh/jumping_jacks.bvh": _rig(
        "Left", "Right", "{}Shoulder > {}Elbow > {}Wrist", "{}Hip > {}Knee > {}Ankle"
    ),
    "characters/gdquest/gdbot.glb": _rig("L", "R", "upperarm.{} > lowerarm.{} > hand.{}", ""),
    "characters/godot/player.glb": _rig("l", "r", "", "{}-thigh > {}-leg > {}-foot"),
    "characters/kaykit/Barbarian.glb": KAYKIT,
    "characters/kaykit/Knight.glb": KAYKIT,
    "characters/kaykit/Med_General.glb": KAYKIT,
    "characters/kaykit/manny_med_mod.gltf": KAYKIT,
    "characters/quaternius/cyberpunk_pack/Character.glb": MODULAR._replace(leg=None),
    "characters/quaternius/modular_men/Adventurer.glb": MODULAR,
    "characters/quaternius/modular_men/Worker.glb": MODULAR,
    "characters/quaternius/modular_women/Casual.glb": MODULAR,
    "characters/quaternius/modular_women/Medieval.glb": MODULAR,
    "characters/quaternius/platformer_game_pack/Character.glb": _rig(
        "L", "R", "UpperArm.{} > LowerArm.{} > Fist.{}", ""
    ),
    "characters/quaternius/single_knight_pack/KnightCharacter.glb": _rig(
        "L", "R", "UpperArm.{} > LowerArm.{} > Palm.{}", ""
    ),
    "characters/quaternius/ultimate_space_pack/Astronaut_FinnTheFrog-transformed.glb": _rig("L", "R", "", ""),
    "wild/colors/kenney/zombie-1/model.gltf": MOTION_BUILDER,
    "wild/colors/quaternius/Casual2.glb": MODULAR,
    "wild/colors/quaternius/Suit.glb": MODULAR,
    "wild/compressed/kenney/survivor-male/model.gltf": MOTION_BUILDER,
    "wild/compressed/valid/White_M_1_Casual.glb": MOTION_BUILDER,
    "wild/morph/valid/Black_F_3_Busi.glb": MOTION_BUILDER,
    "wild/morph/vrm-addon/modifier_shapekey_vrm0.vrm": ADD_ON,
    "wild/morph/vrm-addon/pose_rotation_scale_shape_key_skinned.vrm": ADD_ON,
    "wild/retarget/bvh/10_03.bvh": POSER,
    "wild/retarget/bvh/11_01.bvh": POSER,
    "wild/retarget/bvh/AV_8Walk_Meredith_HVHA_Rep1.bvh": MOTION_BUILDER,
    "wild/retarget/bvh/tpose.bvh": _rig(
        "L", "R", "upperarm01.{} > lowerarm01.{} > wrist.{}", "upperleg01.{} > lowerleg01.{} > foot.{}"
    ),  # two joints a bone: the second twists
    "wild/retarget/bvh/walk1.bvh": DAZ_FACE,
    "wild/retarget/bvh/zombieWalk1.bvh": DAZ_FACE,
    "wild/retarget/bvh/wave_hello.bvh": MOTION_BUILDER,
    "wild/retarget/gdquest/mannequiny-0.3.0.glb": _rig(
        "l", "r", "upperarm.{} > lowerarm.{} > hand.{}", "thigh.{} > calf.{} > foot.{}"
    ),
    "wild/retarget/packt/Woman.gltf": MOTION_BUILDER,
    "wild/retarget/quaternius/Animated Base Character.glb": _rig(
        "L",
        "R",
        "DEF-upper_arm.{} > DEF-forearm.{} > DEF-hand.{}",
        "DEF-thigh.{} > DEF-shin.{} > DEF-foot.{}",
    ),
    "wild/retarget/quaternius/Animated Woman.glb": _rig("L", "R", "UpperArm.{} > LowerArm.{} > Wrist.{}", ""),
    "wild/retarget/quaternius/Character_HumanoidRig.glb": _rig(
        "L", "R", "UpperArm.{} > LowerArm.{} > Fist.{}", "UpperLeg.{} > LowerLeg.{} > Foot.{}"
    ),
    "wild/retarget/sketchbook/boxman.glb": _rig("L", "R", "", ""),
    "wild/vrm/Godette_vrm_v4.vrm": _rig(
        "l",
        "r",
        "upper_arm.{}_Armature > lowerarm.{}_Armature > hand.{}_Armature",
        "thigh.{}_Armature > shin.{}_Armature > foot.{}_Armature",
    ),
    "wild/vrm/VRMC_vrm_expressions_isBinary_Overridden.vrm": MODULAR,
    "wild/vrm/cryptovoxels.vrm": _rig(
        "Left", "Right", "{} arm > {} elbow > {} wrist", "{} leg > {} knee > {} ankle"
    ),
    "wild/vrm/sphere.vrm": MODULAR,
}
"""By path below the folder of assets."""

NUMBERED = {
    "characters/khronos/CesiumMan.glb": {
        "hand.l": ("Skeleton_arm_joint_L__4_", "Skeleton_arm_joint_L__3_", "Skeleton_arm_joint_L__2_"),
        "hand.r": ("Skeleton_arm_joint_R", "Skeleton_arm_joint_R__2_", "Skeleton_arm_joint_R__3_"),
        "foot.l": ("leg_joint_L_1", "leg_joint_L_2", "leg_joint_L_3"),
        "foot.r": ("leg_joint_R_1", "leg_joint_R_2", "leg_joint_R_3"),
    },
    "wild/retarget/sketchfab/lumberjack.glb": {
        "hand.l": ("DEF-upper_arm.L_045", "DEF-forearm.L_047", "DEF-hand.L_049"),
        "hand.r": ("DEF-upper_arm.R_037", "DEF-forearm.R_039", "DEF-hand.R_041"),
        "foot.l": ("DEF-thigh.L_023", "DEF-shin.L_025", "DEF-foot.L_027"),
        "foot.r": ("DEF-thigh.R_015", "DEF-shin.R_017", "DEF-foot.R_019"),
    },
}
"""Rigs that number each joint, by the name of the end."""


def limbs_by_hand() -> dict[str, dict[str, Joints]]:
    """Return for each rig the joints of its limbs by "hand.l", "hand.r", "foot.l" and "foot.r"."""
    table: dict[str, dict[str, Joints]] = {}
    for path, rig in RIGS.items():
        table[path] = {
            f"{end}.{side}": None if joints is None else tuple(joint.format(written) for joint in joints)
            for end, joints in (("hand", rig.arm), ("foot", rig.leg))
            for side, written in (("l", rig.left), ("r", rig.right))
        }
    return table | NUMBERED
