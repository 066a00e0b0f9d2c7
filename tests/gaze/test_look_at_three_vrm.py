# SPDX-License-Identifier: MIT
"""Eyes turn as three-vrm turns them."""

import numpy as np
import pytest

import lissom
from conftest import ASSETS, asset
from glb_contents import contents, rewritten
from vrm_avatars import VRM0_SAID, VRM1_SAID, avatar
from vrm_node import NEEDS_NODE, by_node, dances, three_vrm

pytestmark = NEEDS_NODE

COUNT = 40
TOLERANCE = 2e-6  # rest poses are float32 here


def as_expressions(said):
    return said | {"lookAt": said["lookAt"] | {"type": "expression"}}


FILES = {
    "vrm1": lambda: avatar(1).glb(),
    "vrm0": lambda: avatar(0).glb(),
    "expressions of vrm1": lambda: avatar(1, said=as_expressions(VRM1_SAID)).glb(),
    "expressions of vrm0": lambda: avatar(
        0, said={"firstPerson": VRM0_SAID["firstPerson"] | {"lookAtTypeName": "BlendShape"}}
    ).glb(),
}
WILD = {
    name: f"wild/vrm/{name}.vrm"
    for name in ("Godette_vrm_v4", "sphere", "cryptovoxels", "VRMC_vrm_expressions_isBinary_Overridden")
}


def bare(root):
    """Nodes alone, with straight ranges: three-vrm does not read curves. And "down" for "up": see below."""
    root["nodes"] = [{k: v for k, v in n.items() if k not in ("mesh", "skin")} for n in root["nodes"]]
    for key in ("meshes", "skins", "materials", "textures", "images", "samplers", "accessors"):
        root.pop(key, None)
    for each in root["extensions"].get("VRM", {}).get("firstPerson", {}).values():
        if isinstance(each, dict):
            each.pop("curve", None)
    for name, said in root["extensions"].items():
        if name == "VRM":
            said["blendShapeMaster"] = {"blendShapeGroups": []}
        elif name == "VRMC_vrm":
            said["expressions"] = {"preset": {}}


def exchanged(root):
    """Ranges down and up exchanged, where joints move the eyes: three-vrm 3.5.5 takes each for the other."""
    ext = root["extensions"]
    if "VRMC_vrm" in ext and ext["VRMC_vrm"]["lookAt"]["type"] == "bone":
        said = ext["VRMC_vrm"]["lookAt"]
        names = "rangeMapVerticalDown", "rangeMapVerticalUp"
    elif "VRM" in ext and ext["VRM"]["firstPerson"]["lookAtTypeName"] == "Bone":
        said = ext["VRM"]["firstPerson"]
        names = "lookAtVerticalDown", "lookAtVerticalUp"
    else:
        return
    said[names[0]], said[names[1]] = said[names[1]], said[names[0]]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Characters, poses, targets and what three-vrm says of them, in one run."""
    folder = tmp_path_factory.mktemp("gaze")
    data = {name: make() for name, make in FILES.items()}
    for name, path in WILD.items():
        if (ASSETS / path).is_file():
            data[name] = rewritten((ASSETS / path).read_bytes(), bare)
    tasks, cases = [], {}
    for seed, (name, glb) in enumerate(data.items()):
        path = folder / f"{seed}.glb"
        path.write_bytes(rewritten(glb, exchanged))
        body = lissom.load(glb)
        poses = dances(body.skeleton, COUNT, seed)
        head = body.skeleton.positions(poses)[:, body.skeleton.index(lissom.LookAt(body).head)]
        targets = head + np.random.default_rng(seed).normal(size=(COUNT, 3)) * 2
        count = len(contents(glb)["nodes"])
        frames = by_node(body.skeleton, poses, count).reshape(COUNT, -1).tolist()
        looks = [{"pose": f, "target": t} for f, t in zip(frames, targets.tolist(), strict=True)]
        tasks.append({"file": str(path), "looks": looks})
        cases[name] = (body, poses, targets)
    answers = three_vrm(tasks)
    return {name: (*case, answer) for (name, case), answer in zip(cases.items(), answers, strict=True)}


@pytest.mark.parametrize("name", [*FILES, *WILD])
def test_eyes_turn_as_in_three_vrm(runs, name):
    if name not in runs:
        asset(WILD[name])  # skips
    body, poses, targets, answers = runs[name]
    gaze = lissom.LookAt(body)
    angles = np.degrees(gaze.angles(poses, targets))
    said = np.array([[each["yaw"], each["pitch"]] for each in answers])
    np.testing.assert_allclose(angles, said, atol=1e-4)
    assert (np.ptp(said, axis=0) > 60).all()
    if gaze.kind == "expression":
        weights = gaze.expressions(poses, targets)
        if "happy" in answers[0]["weights"]:
            for key, got in weights.items():
                if key in answers[0]["weights"]:
                    expected = [each["weights"][key] for each in answers]
                    np.testing.assert_allclose(got, expected, atol=TOLERANCE)
                    assert np.ptp(got) > 0.1
    elif gaze.eyes:
        turned = gaze.poses(poses, targets)
        rotations = np.array([each["rotations"] for each in answers]).reshape(COUNT, -1, 4)
        eyes = [body.skeleton.index(eye) for eye in gaze.eyes]
        expected = rotations[:, body.skeleton.source_nodes][:, eyes]
        assert lissom.quat.angle_between(turned[:, eyes, 3:7], expected).max() < TOLERANCE
        others = np.delete(np.arange(len(body.skeleton)), eyes)
        np.testing.assert_array_equal(turned[:, others], poses[:, others])
        assert lissom.quat.angle_between(expected, expected[:1]).max() > 0.1


def test_the_avatars_cover_eyes_and_expressions(runs):
    kinds = {
        name: (lissom.LookAt(body).kind, len(lissom.LookAt(body).eyes)) for name, (body, *_) in runs.items()
    }
    assert kinds["vrm1"] == kinds["vrm0"] == ("bone", 2)
    assert kinds["expressions of vrm1"] == kinds["expressions of vrm0"] == ("expression", 2)
