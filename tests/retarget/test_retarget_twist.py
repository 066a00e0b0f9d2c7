# SPDX-License-Identifier: MIT
"""Twists along limbs, and lines of joints of which two bodies have different numbers."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import lissom

HUMAN = {
    "Hips": (None, (0, 1, 0)),
    "Spine": ("Hips", (0, 1.1, 0)),
    "Neck": ("Spine", (0, 1.45, 0)),
    "Head": ("Neck", (0, 1.55, 0)),
    **{
        f"{side}{bone}": (
            above if above == "Hips" or above == "Spine" else f"{side}{above}",
            (sign * x, y, z),
        )
        for side, sign in (("Left", 1), ("Right", -1))
        for bone, above, (x, y, z) in (
            ("UpLeg", "Hips", (0.1, 0.95, 0)),
            ("Leg", "UpLeg", (0.1, 0.5, 0.01)),
            ("Foot", "Leg", (0.1, 0.08, 0)),
            ("ToeBase", "Foot", (0.1, 0.02, 0.12)),
            ("Arm", "Spine", (0.2, 1.4, 0)),
            ("ForeArm", "Arm", (0.45, 1.4, 0)),
            ("Hand", "ForeArm", (0.7, 1.4, 0)),
        )
    },
}


def body(more=None, spine=1):
    """A T-posed body, with more joints by name: (parent, position); a spine of some joints."""
    joints = dict(HUMAN) | (more or {})
    if spine != 1:
        places = np.linspace(1.1, 1.45, spine + 1)[:-1]
        del joints["Spine"]
        names = ["Spine"] + [f"Spine{k}" for k in range(1, spine)]
        above = "Hips"
        chain = {}
        for name, height in zip(names, places, strict=True):
            chain[name] = (above, (0, height, 0))
            above = name
        joints = {name: (above if parent == "Spine" else parent, at) for name, (parent, at) in joints.items()}
        joints = {"Hips": joints.pop("Hips")} | chain | joints
    order = []
    while len(order) < len(joints):
        order += [
            name
            for name, (parent, _) in joints.items()
            if name not in order and (parent is None or parent in order)
        ]
    parents = [-1 if joints[name][0] is None else order.index(joints[name][0]) for name in order]
    rest = np.tile([0, 0, 0, 0, 0, 0, 1, 1, 1, 1.0], (len(order), 1))
    for joint, (name, parent) in enumerate(zip(order, parents, strict=True)):
        rest[joint, :3] = np.subtract(joints[name][1], joints[order[parent]][1] if parent >= 0 else (0, 0, 0))
    return lissom.Skeleton(order, parents, rest)


def forearm(twists, in_line):
    """A body with twist joints along the left fore arm: in line with the hand, or beside each other."""
    more, above = {}, "LeftForeArm"
    for k in range(twists):
        x = 0.45 + 0.25 * (k + 1) / (twists + 1)
        more[f"LeftForeArmTwist{k + 1}"] = (above, (x, 1.4, 0))
        above = f"LeftForeArmTwist{k + 1}" if in_line else above
    if in_line and twists:
        more["LeftHand"] = (above, (0.7, 1.4, 0))
    return body(more)


def twist_about_x(rotation):
    x, _, _, w = rotation.as_quat()
    return np.degrees(2 * np.arctan2(x, w))


@pytest.mark.parametrize("in_line", [True, False])
@pytest.mark.parametrize("twists", [0, 1, 2, 3])
@pytest.mark.parametrize("degrees", [-80, 80])
def test_a_twist_of_the_fore_arm_is_shared_along_it(twists, in_line, degrees):
    source, target = forearm(0, False), forearm(twists, in_line)
    pose = source.rest.astype(np.float64)
    pose[source.index("LeftHand"), 3:7] = Rotation.from_euler("x", degrees, degrees=True).as_quat()
    result = lissom.Retarget(source, target, feet=False).poses(pose)
    names = [f"LeftForeArmTwist{k + 1}" for k in range(twists)]
    locals_ = {name: Rotation.from_quat(result[target.index(name), 3:7]) for name in [*names, "LeftHand"]}
    chain = [locals_[name] for name in target.names if name in locals_]
    total = sum(map(twist_about_x, chain)) if in_line else twist_about_x(locals_["LeftHand"])
    assert abs(total - degrees) < 0.5
    for k, name in enumerate(names):  # each has the share of its place along the bone
        share = twist_about_x(locals_[name]) / degrees
        expected = 1 / (twists + 1) if in_line else (k + 1) / (twists + 1)
        assert abs(share - expected) < 0.01


def test_twist_joints_of_the_upper_arm_take_back_its_twist_at_the_shoulder():
    more = {"LeftArmTwist1": ("LeftArm", (0.2, 1.4, 0)), "LeftArmTwist2": ("LeftArm", (0.325, 1.4, 0))}
    source, target = body(), body(more)
    pose = source.rest.astype(np.float64)
    pose[source.index("LeftArm"), 3:7] = Rotation.from_euler("x", 60, degrees=True).as_quat()
    result = lissom.Retarget(source, target, feet=False).poses(pose)
    turned = [
        twist_about_x(Rotation.from_quat(result[target.index(name), 3:7]))
        for name in ("LeftArm", "LeftArmTwist1", "LeftArmTwist2")
    ]
    np.testing.assert_allclose(turned, [60, -60, -30], atol=0.5)


def finger(count):
    """A body whose left index finger has some joints."""
    more, above = {}, "LeftHand"
    for k in range(count):
        name = f"LeftHandIndex{k + 1}"
        more[name] = (above, (0.78 + 0.09 * k / count, 1.4, 0.02))
        above = name
    more["LeftHandIndex_End"] = (above, (0.87, 1.4, 0.02))
    return body(more)


@pytest.mark.parametrize(("given", "wanted"), [(3, 2), (2, 3), (3, 3), (3, 1)])
def test_phalanges_of_another_number_keep_the_flexion(given, wanted):
    source, target = finger(given), finger(wanted)
    pose = source.rest.astype(np.float64)
    for k in range(given):
        bend = Rotation.from_euler("z", -25 - 5 * k, degrees=True)
        pose[source.index(f"LeftHandIndex{k + 1}"), 3:7] = bend.as_quat()
    total = sum(25 + 5 * k for k in range(given))
    result = lissom.Retarget(source, target, feet=False).poses(pose)
    bends = [
        Rotation.from_quat(result[target.index(f"LeftHandIndex{k + 1}"), 3:7]).magnitude()
        for k in range(wanted)
    ]
    assert abs(np.degrees(sum(bends)) - total) < 2


@pytest.mark.parametrize(("given", "wanted"), [(1, 3), (3, 1), (2, 4), (4, 2), (5, 3)])
def test_spines_of_another_number_share_the_bend(given, wanted):
    source, target = body(spine=given), body(spine=wanted)
    pose = source.rest.astype(np.float64)
    for name in ["Spine"] + [f"Spine{k}" for k in range(1, given)]:
        pose[source.index(name), 3:7] = Rotation.from_euler("x", 60 / given, degrees=True).as_quat()
    result = lissom.Retarget(source, target, feet=False).poses(pose)
    names = ["Spine"] + [f"Spine{k}" for k in range(1, wanted)]
    bends = [np.degrees(Rotation.from_quat(result[target.index(n), 3:7]).magnitude()) for n in names]
    np.testing.assert_allclose(bends, 60 / wanted, atol=0.1)
