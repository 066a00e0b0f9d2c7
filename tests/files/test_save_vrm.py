# SPDX-License-Identifier: MIT
"""What a VRM file says of roles, eyes and springs survives saved files."""

import numpy as np
import pytest

import lissom
from conftest import asset
from glb_contents import contents, rewritten, with_contents
from test_save_glb_outside import REMARKS, run
from test_saved_weights import needs_node
from vrm_avatars import ROLES, VRM0_SAID, avatar, motion
from vrm_files import EXTENDED, VRM0, VRM1, upright, vrm_text

CURVED = [0, 0, 0.5, 1, 1, 0.7, 1, 0]
ARM, HAND = ROLES.index("rightLowerArm"), ROLES.index("rightHand")


def springy(version=1):
    """An avatar that says all: curves of its gaze, a chain, and a collider of each shape."""
    head = ROLES.index("head")
    if not version:
        first = VRM0_SAID["firstPerson"] | {"lookAtHorizontalInner": {"curve": CURVED, "xRange": 60}}
        group = {"node": head, "colliders": [{"offset": {"x": 0, "y": 0.1, "z": 0.3}, "radius": 0.1}]}
        bones = {"bones": [ARM], "center": ROLES.index("chest"), "colliderGroups": [0], "gravityPower": 0.3}
        second = {"boneGroups": [bones], "colliderGroups": [group]}
        return avatar(0, said={"firstPerson": first, "secondaryAnimation": second})
    file = avatar(said={"lookAt": {"type": "expression", "offsetFromHeadBone": [0, 0.1, 1 / 3]}})
    plane = {"plane": {"offset": [0, -1, 0], "normal": [0, 1, 0]}}
    capsule = {"capsule": {"offset": [0, 0, 0], "tail": [0, 0.2, 1 / 3], "radius": 0.1, "inside": True}}
    joints = [{"node": ARM, "stiffness": 1 / 3, "gravityPower": 0.1, "dragForce": 0.7}, {"node": HAND}]
    file.json["extensions"]["VRMC_springBone"] = {
        "specVersion": "1.0",
        "colliders": [
            {"node": head, "shape": {"sphere": {"offset": [0, 0.1, 0], "radius": 0.14}}},
            {"node": head, "shape": {}, "extensions": {EXTENDED: {"specVersion": "1.0", "shape": plane}}},
            {"node": 0, "shape": capsule},
        ],
        "colliderGroups": [{"colliders": [0, 1, 2]}],
        "springs": [{"joints": joints, "colliderGroups": [0], "center": ROLES.index("chest")}],
    }
    return file


def answers(body):
    """What roles, eyes and springs of a body are."""
    gaze = lissom.LookAt(body)
    return {
        "roles": lissom.roles(body),
        "stated": body.skeleton._stated_roles,
        "gaze": (gaze.kind, gaze.head, gaze.eyes, gaze.offset, gaze.front),
        "ranges": {
            name: (one.input, one.output, None if one.curve is None else np.asarray(one.curve).tolist())
            for name, one in gaze.ranges.items()
        },
        "springs": lissom.Springs(body).chains,
        "seen": body.first_person().mesh.vertex_count,
    }


def check_same(body, *, curved=False):
    data = lissom.save_glb(body, clips=[])
    loaded = lissom.load(data, strict=True)
    assert not loaded.repairs
    before, after = answers(body), answers(loaded)
    assert before.pop("roles").joints == after.pop("roles").joints
    assert before == after
    assert not curved or any(curve is not None for *_, curve in before["ranges"].values())
    marks = [contents(each)["scenes"][0]["extras"] for each in (data, lissom.save_glb(loaded, clips=[]))]
    assert marks[0] == marks[1]
    return loaded


@pytest.mark.filterwarnings("ignore:load_vrma. the avatar has no expressions wink")
@pytest.mark.parametrize("version", [0, 1])
def test_roles_eyes_and_springs_survive(version):
    body = lissom.load(springy(version).glb())
    assert not body.repairs
    loaded = check_same(body, curved=version == 0)
    assert lissom.LookAt(loaded).front == ((0, 0, -1), (0, 0, 1))[version]
    assert len(lissom.Springs(loaded).chains[0].colliders) == (1, 3)[version]
    clip = lissom.load_vrma(motion().glb(), body)
    again = lissom.load_vrma(motion().glb(), loaded)
    np.testing.assert_array_equal(again.keys, clip.keys)
    np.testing.assert_array_equal(again.tracks, clip.tracks)


@pytest.mark.parametrize("said", [{"VRMC_springBone": VRM1}, {"VRM": VRM0}], ids=["1", "0"])
def test_springs_swing_alike(said):
    text = vrm_text(said, upright()) if "VRM" in said else vrm_text(said)
    body = lissom.load(text.encode())
    loaded = lissom.load(lissom.save_glb(body))
    assert lissom.Springs(loaded).chains == lissom.Springs(body).chains
    poses = np.tile(body.skeleton.rest.astype(float), (30, 1, 1))
    poses[:, 0, 0] = np.sin(np.arange(30))
    moved = [lissom.Springs(each).step(pose, 1 / 60) for each in (body, loaded) for pose in poses]
    np.testing.assert_array_equal(moved[:30], moved[30:])


def test_a_real_avatar_survives():
    body = lissom.load(asset("wild/vrm/Godette_vrm_v4.vrm"))
    check_same(body)


@pytest.mark.tree
@needs_node
def test_the_validator_finds_no_fault_in_avatars(tmp_path):
    paths = []
    for version in (0, 1):
        paths.append(str(tmp_path / f"{version}.glb"))
        lissom.save_glb(lissom.load(springy(version).glb()), paths[-1])
    reports = run("validate.js", "\n".join(paths))
    assert set(reports) == set(paths)
    faults = [
        x for issues in reports.values() for x in issues if x["code"] not in REMARKS or x["severity"] < 2
    ]
    assert not faults


def test_a_file_that_is_vrm_again_speaks_for_itself():
    data = lissom.save_glb(lissom.load(springy().glb()))
    said = {"specVersion": "1.0", "humanoid": {"humanBones": {"head": {"node": 3}}}}
    loaded = lissom.load(rewritten(data, lambda root: root.update(extensions={"VRMC_vrm": said})))
    assert list(loaded.skeleton._stated_roles) == ["head"]
    assert loaded.skeleton._stated_look_at is None


def broken(change):
    data = lissom.save_glb(lissom.load(springy().glb()))
    return lissom.load(rewritten(data, lambda root: change(root["scenes"][0]["extras"]["lissom"]["avatar"])))


@pytest.mark.parametrize(
    ("lost", "change"),
    [
        ("roles", lambda mark: mark["roles"].update(head="nobody")),
        ("look_at", lambda mark: mark["roles"].pop("head")),
        ("look_at", lambda mark: mark["look_at"].update(front=[0, 0, 0])),
        ("look_at", lambda mark: mark["look_at"].update(front=[0, 1e300, 1e300])),
        ("look_at", lambda mark: mark["look_at"].update(offset=[0, -1e30, 0])),
        ("look_at", lambda mark: mark["look_at"]["ranges"][1].update(input=0)),
        ("look_at", lambda mark: mark["look_at"]["ranges"][2].update(curve=[[0, 0, 0, 0], [0, 1, 0, 0]])),
        ("springs", lambda mark: mark["springs"][0].update(colliders=[99])),
        ("springs", lambda mark: mark["springs"][0].update(joints=["head", "hips"])),
        ("springs", lambda mark: mark["springs"][0].update(joints=["head", "nobody"])),
        ("springs", lambda mark: mark["springs"][0].update(center="rightHand")),
        ("springs", lambda mark: mark["springs"][0].update(drag=[2.0])),
        ("springs", lambda mark: mark["springs"][0].update(stiffness=[1.0, 1.0])),
        ("springs", lambda mark: mark["springs"].append(mark["springs"][0])),
        ("springs", lambda mark: mark["colliders"][0].update(radius=-1)),
        ("springs", lambda mark: mark["colliders"][0].update(joint="rightHand")),
        ("springs", lambda mark: mark["colliders"][1].update(normal=[0, 0, 0])),
    ],
)
def test_marks_that_do_not_fit_are_not_used(lost, change):
    loaded = broken(change)
    assert {each.code for each in loaded.repairs} == {"EXTRAS_IGNORED"}
    assert not getattr(loaded.skeleton, f"_stated_{lost}")
    for kept in {"roles", "springs"} - {lost}:
        assert getattr(loaded.skeleton, f"_stated_{kept}")


@pytest.mark.parametrize(
    "change",
    [
        lambda mark: mark.update(roles=["head"]),
        lambda mark: mark["roles"].update(head=3),
        lambda mark: mark["look_at"].update(kind="nose"),
        lambda mark: mark["look_at"].update(offset=[0, 0]),
        lambda mark: mark["look_at"].update(offset=[0, 0, "NaN"]),
        lambda mark: mark["look_at"].update(ranges=[]),
        lambda mark: mark["springs"][0].update(colliders=[-1]),
        lambda mark: mark["springs"][0].update(gravity=[[0, 0]]),
        lambda mark: mark["colliders"][0].update(shape="torus"),
        lambda mark: mark["colliders"][0].update(radius=None),
    ],
)
def test_marks_of_other_types_are_not_used(change):
    loaded = broken(change)
    assert [each.code for each in loaded.repairs] == ["EXTRAS_IGNORED"]
    skeleton = loaded.skeleton
    assert (skeleton._stated_roles, skeleton._stated_springs, skeleton._stated_look_at) == ({}, (), None)


def test_marks_that_multiply_are_refused():
    """400 000 hits of one collider take more memory than their two bytes each may."""
    data = lissom.save_glb(lissom.load(springy().glb()))
    root = contents(data)
    root["scenes"][0]["extras"]["lissom"]["avatar"]["springs"][0]["colliders"] = [0] * 400_000
    with pytest.raises(lissom.GltfError) as caught:
        lissom.load(with_contents(data, root))
    assert caught.value.code == "LIMIT_EXCEEDED"
    assert "colliders" in str(caught.value)
