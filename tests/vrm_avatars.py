# SPDX-License-Identifier: MIT
"""VRM avatars made by hand: a body with a face that has morph targets, a hat and a glove."""

import copy
from typing import Any

import numpy as np

from gltf_files import File
from vrm_files import node, turn

ROLES = [
    *("hips", "spine", "chest", "neck", "head", "leftEye", "rightEye"),
    *(f"{side}{bone}" for side in ("left", "right") for bone in ("UpperArm", "LowerArm", "Hand")),
    *(f"{side}{bone}" for side in ("left", "right") for bone in ("UpperLeg", "LowerLeg", "Foot")),
]

# Role, parent, where the joint is in model space: y up, the left side on +x, facing +z.
PLACES = {
    "hips": (None, (0, 0.9, 0)), "spine": ("hips", (0, 1.0, 0.01)), "chest": ("spine", (0, 1.15, 0.01)),
    "neck": ("chest", (0, 1.4, 0)), "head": ("neck", (0, 1.5, 0.02)),
    "leftEye": ("head", (0.03, 1.57, 0.1)), "rightEye": ("head", (-0.03, 1.57, 0.1)),
    "leftUpperArm": ("chest", (0.15, 1.35, 0)), "leftLowerArm": ("leftUpperArm", (0.4, 1.35, 0)),
    "leftHand": ("leftLowerArm", (0.62, 1.35, 0)), "rightUpperArm": ("chest", (-0.15, 1.35, 0)),
    "rightLowerArm": ("rightUpperArm", (-0.4, 1.35, 0)), "rightHand": ("rightLowerArm", (-0.62, 1.35, 0)),
    "leftUpperLeg": ("hips", (0.1, 0.85, 0)), "leftLowerLeg": ("leftUpperLeg", (0.1, 0.47, 0.01)),
    "leftFoot": ("leftLowerLeg", (0.1, 0.08, -0.02)), "rightUpperLeg": ("hips", (-0.1, 0.85, 0)),
    "rightLowerLeg": ("rightUpperLeg", (-0.1, 0.47, 0.01)),
    "rightFoot": ("rightLowerLeg", (-0.1, 0.08, -0.02)),
}  # fmt: skip
# Rest rotations of nodes relative to their parents, as VRM 1 allows.
TURNS = {
    "hips": turn(0.3, 0, 1, 0), "chest": turn(-0.4, 1, 0.2, 0), "head": turn(0.9, 0.3, 1, 0.1),
    "leftEye": turn(1.2, 0, 1, 0.5), "rightEye": turn(-0.7, 1, 0, 0.5), "leftUpperArm": turn(1.0, 0, 0, 1),
    "rightLowerArm": turn(2.0, 1, 1, 0), "leftUpperLeg": turn(0.5, 1, 0, 0), "rightFoot": turn(0.8, 0, 1, 1),
}  # fmt: skip
TARGETS = ("smile", "open", "shut", "look")
"""Morph targets of the face; those of the hat are "tilt" and "smile"."""
ROOT, FACE, BODY, HAT, GLOVE = (len(ROLES) + n for n in range(5))


def rotation_matrix(q: Any) -> np.ndarray:
    x, y, z, w = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def skeleton_nodes(
    turns: Any = TURNS, backwards: bool = False, size: float = 1.0, roles: Any = ROLES
) -> tuple[list[dict], np.ndarray]:
    """Nodes of the joints, by role, and their transforms in model space, (J, 4, 4)."""
    facing = np.diag([-1.0, 1, -1]) if backwards else np.eye(3)
    models: dict[str, np.ndarray] = {}
    nodes = []
    for role in roles:
        parent, place = PLACES[role]
        while parent is not None and parent not in roles:
            parent = PLACES[parent][0]
        own = np.array(turns.get(role, (0, 0, 0, 1)))
        model = np.eye(4)
        above = np.eye(4) if parent is None else models[parent]
        model[:3, :3] = above[:3, :3] @ rotation_matrix(own)
        model[:3, 3] = size * (facing @ np.array(place))
        models[role] = model
        local = np.linalg.solve(above, model)
        children = [n for n, each in enumerate(roles) if _parent(each, roles) == role]
        nodes.append(node(role, local[:3, 3].tolist(), children, own.tolist()))
    return nodes, np.stack([models[role] for role in roles])


def _parent(role: str, roles: Any) -> str | None:
    parent = PLACES[role][0]
    while parent is not None and parent not in roles:
        parent = PLACES[parent][0]
    return parent


def _ring(center: Any, radius: float, count: int, height: float) -> np.ndarray:
    angles = np.arange(count) / count * 2 * np.pi
    level = [
        np.stack([radius * np.cos(angles), np.full(count, y), radius * np.sin(angles)], -1)
        for y in (0, height)
    ]
    return np.concatenate(level) + np.array(center)


def _tube(count: int) -> np.ndarray:
    """Triangles of a ring of quads."""
    a = np.arange(count)
    b = (a + 1) % count
    return np.concatenate([np.stack([a, b, a + count], -1), np.stack([b, b + count, a + count], -1)])


def avatar(version: int = 1, *, said: dict[str, Any] | None = None, size: float = 1.0) -> File:
    """An avatar; `said` changes members of the extension. VRM 0 has no rotations at rest and faces -z."""
    backwards = version == 0
    nodes, models = skeleton_nodes({} if backwards else TURNS, backwards, size)
    file = File()
    facing = np.diag([-1.0, 1, -1]) if backwards else np.eye(3)

    def primitive(
        points: np.ndarray, faces: np.ndarray, joints: Any = None, weights: Any = None, targets: Any = ()
    ):
        points = points @ facing.T * size
        attributes = {"POSITION": file.add(points)}
        if joints is not None:
            attributes |= {"JOINTS_0": file.add(joints, "u1"), "WEIGHTS_0": file.add(weights)}
        made = {"attributes": attributes, "indices": file.add(faces.ravel(), "u2")}
        if len(targets):
            made["targets"] = [{"POSITION": file.add(each @ facing.T * size)} for each in targets]
        return made

    def skinned(points: np.ndarray, low: str, high: str, top: float) -> tuple[np.ndarray, np.ndarray]:
        """Joints and weights: from one joint to another by height."""
        share = np.clip((points[:, 1] - points[:, 1].min()) / top, 0, 1)
        joints = np.zeros((len(points), 4), int)
        joints[:, 0], joints[:, 1] = ROLES.index(low), ROLES.index(high)
        return joints, np.stack([1 - share, share, 0 * share, 0 * share], -1)

    rng = np.random.default_rng(3)
    faces = []
    for number in range(2):
        points = _ring((0, 1.5 + 0.1 * number, 0.02), 0.09, 6, 0.08)
        deltas = rng.normal(size=(len(TARGETS), len(points), 3)) * 0.01
        faces.append(primitive(points, _tube(6), *skinned(points, "neck", "head", 0.05), deltas))
    body = _ring((0, 0.9, 0), 0.15, 6, 0.3)
    neck = _ring((0, 1.2, 0), 0.1, 6, 0.25)
    points = np.concatenate([body, neck])
    joints, weights = skinned(points, "chest", "head", 0.5)
    weights[:, 1] = np.where(points[:, 1] > 1.3, weights[:, 1], 0)
    weights[:, 0] = 1 - weights[:, 1]
    hat = _ring((0, 0.2, 0), 0.1, 5, 0.05)
    glove = _ring((0, 0, 0), 0.05, 4, 0.1)
    names = {"targetNames": list(TARGETS)}
    trunk = primitive(points, np.concatenate([_tube(6), _tube(6) + 12]), joints, weights)
    file.json["meshes"] = [
        {"name": "face", "primitives": faces, "extras": names},
        {"name": "body", "primitives": [trunk]},
        {
            "name": "hat",
            "primitives": [primitive(hat, _tube(5), targets=rng.normal(size=(2, len(hat), 3)) * 0.01)],
            "extras": {"targetNames": ["tilt", "smile"]},
        },
        {"name": "glove", "primitives": [primitive(glove, _tube(4))]},
    ]
    bind = np.linalg.inv(models).transpose(0, 2, 1)
    file.push("skins", {"joints": list(range(len(ROLES))), "inverseBindMatrices": file.add(bind)})
    nodes.append(node("root", (0, 0, 0), [ROLES.index("hips")]))
    nodes += [{"name": "face", "mesh": 0, "skin": 0}, {"name": "body", "mesh": 1, "skin": 0}]
    nodes += [{"name": "hat", "mesh": 2}, {"name": "glove", "mesh": 3}]
    for carrier, child in (("head", HAT), ("leftHand", GLOVE)):
        nodes[ROLES.index(carrier)].setdefault("children", []).append(child)
    file.json["nodes"] = nodes
    file.push("scenes", {"nodes": [ROOT, FACE, BODY]})
    own = copy.deepcopy(VRM1_SAID if version else VRM0_SAID)
    own |= said or {}
    name = "VRMC_vrm" if version else "VRM"
    file.json["extensions"], file.json["extensionsUsed"] = {name: own}, [name]
    return file


def bind(index: int, weight: float, *, where: int = FACE) -> dict[str, Any]:
    return {"node": where, "index": index, "weight": weight}


VRM1_SAID: dict[str, Any] = {
    "specVersion": "1.0",
    "humanoid": {"humanBones": {role: {"node": n} for n, role in enumerate(ROLES)}},
    "lookAt": {
        "type": "bone",
        "offsetFromHeadBone": [0.01, 0.07, 0.08],
        "rangeMapHorizontalInner": {"inputMaxValue": 60, "outputScale": 9},
        "rangeMapHorizontalOuter": {"inputMaxValue": 80, "outputScale": 13},
        "rangeMapVerticalDown": {"inputMaxValue": 50, "outputScale": 11},
        "rangeMapVerticalUp": {"inputMaxValue": 40, "outputScale": 7},
    },
    "firstPerson": {"meshAnnotations": []},
    "expressions": {
        "preset": {
            "happy": {"morphTargetBinds": [bind(0, 1.0), bind(1, 0.3)], "overrideBlink": "blend",
                      "overrideMouth": "block"},
            "angry": {"morphTargetBinds": [bind(0, 0.5), bind(1, 0.8, where=HAT)], "isBinary": True,
                      "overrideLookAt": "block", "overrideBlink": "blend"},
            "blink": {"morphTargetBinds": [bind(2, 1.0)]},
            "blinkLeft": {"morphTargetBinds": [bind(2, 0.6)], "isBinary": True},
            "aa": {"morphTargetBinds": [bind(1, 0.9)]},
            "lookLeft": {"morphTargetBinds": [bind(3, 0.7)]},
            "lookRight": {}, "lookUp": {}, "lookDown": {"morphTargetBinds": [bind(3, 0.1)]},
        },
        "custom": {
            "wink": {"morphTargetBinds": [bind(2, 0.4), bind(0, 0.2)], "overrideMouth": "blend"},
        },
    },
}  # fmt: skip

LINE = [0, 0, 0, 1, 1, 1, 1, 0]
VRM0_SAID: dict[str, Any] = {
    "specVersion": "0.0",
    "humanoid": {"humanBones": [{"bone": role, "node": n} for n, role in enumerate(ROLES)]},
    "firstPerson": {
        "firstPersonBone": ROLES.index("head"),
        "firstPersonBoneOffset": {"x": 0.01, "y": 0.07, "z": 0.08},
        "lookAtTypeName": "Bone",
        "lookAtHorizontalInner": {"curve": LINE, "xRange": 60, "yRange": 9},
        "lookAtHorizontalOuter": {"curve": LINE, "xRange": 80, "yRange": 13},
        "lookAtVerticalDown": {"curve": LINE, "xRange": 50, "yRange": 11},
        "lookAtVerticalUp": {"curve": LINE, "xRange": 40, "yRange": 7},
        "meshAnnotations": [],
    },
    "blendShapeMaster": {
        "blendShapeGroups": [
            {"name": "Joy", "presetName": "joy", "binds": [{"mesh": 0, "index": 0, "weight": 100},
                                                           {"mesh": 0, "index": 1, "weight": 30}]},
            {"name": "Angry", "presetName": "angry", "isBinary": True,
             "binds": [{"mesh": 2, "index": 1, "weight": 80}]},
            {"name": "Blink_L", "presetName": "blink_l", "binds": [{"mesh": 0, "index": 2, "weight": 60}]},
            {"name": "A", "presetName": "a", "binds": [{"mesh": 0, "index": 1, "weight": 90}]},
            {"name": "LookUp", "presetName": "lookup", "binds": [{"mesh": 0, "index": 3, "weight": 70}]},
            {"name": "Wink", "presetName": "unknown", "binds": [{"mesh": 0, "index": 2, "weight": 40}]},
        ]
    },
}  # fmt: skip


OTHER_TURNS = {
    "spine": turn(0.4, 0, 1, 0), "neck": turn(-0.8, 1, 0, 1), "leftUpperArm": turn(-0.6, 0, 1, 1),
    "rightUpperLeg": turn(1.4, 1, 1, 0), "leftFoot": turn(0.3, 1, 0, 0),
}  # fmt: skip


def motion(*, moved: Any = None) -> File:
    """A VRM animation of one second, "wave", of a body of the same places with other rest rotations."""
    roles = [role for role in ROLES if "Eye" not in role]
    moved = roles if moved is None else moved
    nodes, _ = skeleton_nodes(OTHER_TURNS, roles=roles)
    hips = nodes[0]["translation"]
    file = File()
    times = np.linspace(0, 1, 6)
    keys = file.add(times)
    rng = np.random.default_rng(7)
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []

    def animate(number: int, path: str, values: Any) -> None:
        samplers.append({"input": keys, "output": file.add(values)})
        channels.append({"sampler": len(samplers) - 1, "target": {"node": number, "path": path}})

    for number, role in enumerate(roles):
        if role in moved:
            rest = np.array(nodes[number]["rotation"])
            turns = [
                turn(a, *axis)
                for a, axis in zip(rng.uniform(0.1, 0.5, 6), rng.normal(size=(6, 3)), strict=True)
            ]
            animate(number, "rotation", [_product(rest, np.array(each)) for each in turns])
    animate(0, "translation", np.array(hips) + rng.normal(size=(6, 3)) * 0.05)
    named = {"happy": [0, 1, 0.6, 0.2, 0, 0], "wink": [0, 0, 0.3, 1, 0.4, 0]}
    for weights in named.values():
        nodes.append({"name": f"weight {len(nodes)}"})
        animate(len(nodes) - 1, "translation", [[weight, 0, 0] for weight in weights])
    nodes.append({"name": "gaze"})
    sides, heights = [0, 0.5, 0.9, -0.2, -0.8, 0.1], [0, 0.3, -0.4, -0.6, 0.5, 0]
    looks = [
        _product(np.array(turn(a, 0, 1, 0)), np.array(turn(b, 1, 0, 0)))
        for a, b in zip(sides, heights, strict=True)
    ]
    animate(len(nodes) - 1, "rotation", looks)
    first = len(roles)
    file.json["nodes"] = nodes
    file.push("scenes", {"nodes": [0, *range(first, len(nodes))]})
    file.push("animations", {"name": "wave", "samplers": samplers, "channels": channels})
    said = {
        "specVersion": "1.0",
        "humanoid": {"humanBones": {role: {"node": n} for n, role in enumerate(roles)}},
        "expressions": {"preset": {"happy": {"node": first}}, "custom": {"wink": {"node": first + 1}}},
        "lookAt": {"node": first + 2},
    }
    file.json["extensions"], file.json["extensionsUsed"] = (
        {"VRMC_vrm_animation": said},
        ["VRMC_vrm_animation"],
    )
    return file


def _product(p: np.ndarray, q: np.ndarray) -> list[float]:
    """The quaternion of q, then p."""
    x = p[3] * q[:3] + q[3] * p[:3] + np.cross(p[:3], q[:3])
    return [*x.tolist(), float(p[3] * q[3] - p[:3] @ q[:3])]
