# SPDX-License-Identifier: MIT
"""Names as tools write them of whose rigs there is no file here."""

from itertools import pairwise

import pytest

import lissom
from tool_figures import figure_of

# By what their documentation, and maps of retargeting tools, call the joints: left and right as the tool
# writes them; hips to head; arm; leg; index finger; thumb. "-" for what it lacks.
TOOLS = {
    "DAZ Genesis 8": """
        l r
        hip abdomenLower abdomenUpper chestUpper neckLower head
        {}Collar {}ShldrBend {}ForearmBend {}Hand
        {}ThighBend {}Shin {}Foot {}Toe
        {}Index1 {}Index2 {}Index3
        {}Thumb1 {}Thumb2 {}Thumb3
    """,
    "DAZ Genesis 9": """
        l r
        hip spine1 spine2 spine4 neck1 head
        {}_shoulder {}_upperarm {}_forearm {}_hand
        {}_thigh {}_shin {}_foot {}_toes
        {}_index1 {}_index2 {}_index3
        {}_thumb1 {}_thumb2 {}_thumb3
    """,
    "Auto-Rig Pro": """
        l r
        root.x spine_01.x spine_02.x spine_03.x neck.x head.x
        shoulder.{} arm_stretch.{} forearm_stretch.{} hand.{}
        thigh_stretch.{} leg_stretch.{} foot.{} toes_01.{}
        index1.{} index2.{} index3.{}
        thumb1.{} thumb2.{} thumb3.{}
    """,
    "Advanced Skeleton": """
        L R
        Root_M Spine1_M Spine2_M Chest_M Neck_M Head_M
        Scapula_{} Shoulder_{} Elbow_{} Wrist_{}
        Hip_{} Knee_{} Ankle_{} Toes_{}
        IndexFinger1_{} IndexFinger2_{} IndexFinger3_{}
        ThumbFinger1_{} ThumbFinger2_{} ThumbFinger3_{}
    """,
    "Xsens FBX": """
        Left Right
        Pelvis L5 L3 T8 Neck Head
        {}Shoulder {}UpperArm {}ForeArm {}Hand
        {}UpperLeg {}LowerLeg {}Foot {}Toe
    """,
    "Xsens BVH": """
        Left Right
        Hips Chest Chest2 Chest4 Neck Head
        {}Collar {}Shoulder {}Elbow {}Wrist
        {}Hip {}Knee {}Ankle {}Toe
    """,
    "Rokoko": """
        Left Right
        Hips Spine1 Spine2 Spine4 Neck Head
        {}Shoulder {}Arm {}ForeArm {}Hand
        {}Thigh {}Shin {}Foot {}Toe
    """,
    "OptiTrack": """
        L R
        Hip Ab Chest - Neck Head
        {}Shoulder {}UArm {}FArm {}Hand
        {}Thigh {}Shin {}Foot {}Toe
        {}Index1 {}Index2 {}Index3
        {}Thumb1 {}Thumb2 {}Thumb3
    """,
    "MMD": """
        L R
        Center UpperBody UpperBody2 - Neck Head
        Shoulder_{} Arm_{} Elbow_{} Wrist_{}
        Leg_{} Knee_{} Ankle_{} -
        IndexFinger1_{} IndexFinger2_{} IndexFinger3_{}
        Thumb0_{} Thumb1_{} Thumb2_{}
    """,
    "Valve": """
        L R
        ValveBiped.Bip01_Pelvis
        ValveBiped.Bip01_Spine
        ValveBiped.Bip01_Spine2
        ValveBiped.Bip01_Spine4
        ValveBiped.Bip01_Neck1
        ValveBiped.Bip01_Head1
        ValveBiped.Bip01_{}_Clavicle
        ValveBiped.Bip01_{}_UpperArm
        ValveBiped.Bip01_{}_Forearm
        ValveBiped.Bip01_{}_Hand
        ValveBiped.Bip01_{}_Thigh
        ValveBiped.Bip01_{}_Calf
        ValveBiped.Bip01_{}_Foot
        ValveBiped.Bip01_{}_Toe0
        ValveBiped.Bip01_{}_Finger1
        ValveBiped.Bip01_{}_Finger11
        ValveBiped.Bip01_{}_Finger12
        ValveBiped.Bip01_{}_Finger0
        ValveBiped.Bip01_{}_Finger01
        ValveBiped.Bip01_{}_Finger02
    """,
    "mGear": """
        L0 R0
        body_C0_root_jnt spine_C0_0_jnt spine_C0_1_jnt spine_C0_2_jnt neck_C0_0_jnt neck_C0_head_jnt
        shoulder_{}_shoulder_jnt arm_{}_0_jnt arm_{}_1_jnt arm_{}_end_jnt
        leg_{}_0_jnt leg_{}_1_jnt leg_{}_end_jnt foot_{}_0_jnt
    """,
    "CAT": """
        L R
        CATRigPelvis CATRigSpine1 CATRigSpine2 CATRigRibcage CATRigNeck1 CATRigHead
        CATRig{}ArmCollarbone CATRig{}Arm1 CATRig{}Arm2 CATRig{}ArmPalm
        CATRig{}Leg1 CATRig{}Leg2 CATRig{}LegAnkle CATRig{}LegDigit11
    """,
    "Kinect": """
        LEFT RIGHT
        PELVIS SPINE_NAVEL SPINE_CHEST - NECK HEAD
        CLAVICLE_{} SHOULDER_{} ELBOW_{} WRIST_{}
        HIP_{} KNEE_{} ANKLE_{} FOOT_{}
    """,
    "Second Life": """
        Left Right
        mPelvis mTorso mChest - mNeck mHead
        mCollar{} mShoulder{} mElbow{} mWrist{}
        mHip{} mKnee{} mAnkle{} mToe{}
        mHandIndex1{} mHandIndex2{} mHandIndex3{}
        mHandThumb1{} mHandThumb2{} mHandThumb3{}
    """,
    "Roblox": """
        Left Right
        LowerTorso UpperTorso - - - Head
        - {}UpperArm {}LowerArm {}Hand
        {}UpperLeg {}LowerLeg {}Foot -
    """,
    "Blender metarig": """
        L R
        spine spine.001 spine.002 spine.003 spine.004 spine.006
        shoulder.{} upper_arm.{} forearm.{} hand.{}
        thigh.{} shin.{} foot.{} toe.{}
        f_index.01.{} f_index.02.{} f_index.03.{}
        thumb.01.{} thumb.02.{} thumb.03.{}
    """,
}


@pytest.mark.parametrize("tool", TOOLS)
def test_names_of_other_tools_are_read(tool):
    skeleton, wanted = figure_of(TOOLS[tool])
    found = lissom.roles(skeleton)
    assert found.joints == wanted
    assert (found.kind, found.missing) == ("humanoid", {})
    assert not [role for role in found.ambiguous if role != "head"]  # of a metarig no name says head


def test_twist_joints_in_line_play_no_role():
    """Of DAZ, where each limb bends at one joint and twists at the next."""
    skeleton, wanted = figure_of(TOOLS["DAZ Genesis 8"])
    names, parents, rest = list(skeleton.names), skeleton.parents.tolist(), list(skeleton.rest)
    for side in "lr":
        for bend, below in pairwise((f"{side}ShldrBend", f"{side}ForearmBend", f"{side}Hand")):
            twist = bend.replace("Bend", "Twist")
            at = names.index(below)
            half = rest[at].copy()
            half[:3] /= 2
            rest[at] = half
            names.insert(at, twist)
            rest.insert(at, half)
            parents = [p + (p >= at) for p in parents]
            parents.insert(at, names.index(bend))
            parents[at + 1] = at
    assert lissom.roles(lissom.Skeleton(names, parents, rest)).joints == wanted
