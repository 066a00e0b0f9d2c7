# SPDX-License-Identifier: MIT
"""VRM files with springs, made by hand: nodes alone, as JSON."""

import json
from typing import Any

import numpy as np

IDENTITY = (0.0, 0.0, 0.0, 1.0)


def node(
    name: str, place: Any, children: Any = (), rotation: Any = IDENTITY, scale: float = 1.0
) -> dict[str, Any]:
    result = {"name": name, "translation": list(place), "rotation": list(rotation), "scale": [scale] * 3}
    return result | ({"children": list(children)} if children else {})


def turn(angle: float, *axis: float) -> list[float]:
    half = np.asarray(axis) / np.linalg.norm(axis) * np.sin(angle / 2)
    return [*half.tolist(), float(np.cos(angle / 2))]


# A body with three strands of hair, a tail and a stripe of a skirt; each has a joint more than springs.
NODES = [
    node("root", (0, 0, 0), [1], turn(0.3, 0, 1, 0), 1.25),
    node("hips", (0, 0.9, 0), [2, 13, 17, 21]),
    node("spine", (0, 0.3, 0.02), [3], turn(0.2, 1, 0, 0)),
    node("head", (0, 0.35, 0), [4, 7, 10]),
    node("hair.1", (0, 0.15, -0.1), [5], turn(1.1, 1, 0, 0.2)),
    node("hair.2", (0, 0.1, -0.02), [6], turn(0.4, 0, 1, 1)),
    node("hair.3", (0, 0.12, 0)),
    node("side.1", (0.1, 0.1, 0), [8], turn(-2.4, 0, 0, 1)),
    node("side.2", (0.01, 0.12, 0.01), [9]),
    node("side.3", (0, 0.12, 0)),
    node("fringe.1", (0, 0.2, 0.1), [11], turn(2.6, 1, 0, 0)),
    node("fringe.2", (0, 0.07, 0), [12]),
    node("fringe.3", (0, 0.06, 0)),
    node("tail.1", (0, -0.05, -0.12), [14], turn(-2.0, 1, 0, 0)),
    node("tail.2", (0, 0.15, 0), [15]),
    node("tail.3", (0, 0.15, 0), [16], turn(0.3, 1, 0, 0)),
    node("tail.4", (0, 0.15, 0)),
    node("skirt.1", (0.1, 0, 0.12), [18], turn(3.0, 1, 0, 0)),
    node("skirt.2", (0, 0.2, 0), [19]),
    node("skirt.3", (0, 0.2, 0), [20]),
    node("skirt.4", (0, 0.2, 0)),
    node("leg", (0.1, -0.05, 0), [22]),
    node("knee", (0, -0.4, 0)),
]  # fmt: skip
STRANDS = {"hair": (4, 5, 6), "side": (7, 8, 9), "fringe": (10, 11, 12), "tail": (13, 14, 15, 16),
           "skirt": (17, 18, 19, 20)}  # fmt: skip


def spring(strand: str, groups: Any = (), center: int | None = None, **numbers: Any) -> dict[str, Any]:
    result: dict[str, Any] = {"joints": [{"node": n, **numbers} for n in STRANDS[strand]]}
    return (
        result
        | ({"colliderGroups": list(groups)} if groups else {})
        | ({} if center is None else {"center": center})
    )


EXTENDED = "VRMC_springBone_extended_collider"
VRM1 = {
    "specVersion": "1.0",
    "colliders": [
        {"node": 3, "shape": {"sphere": {"offset": [0, 0.1, 0], "radius": 0.14}}},
        {"node": 21, "shape": {"capsule": {"offset": [0, 0, 0], "tail": [0, -0.4, 0], "radius": 0.12}}},
        {
            "node": 3,
            "shape": {"sphere": {"offset": [0, -1000, 0], "radius": 0}},
            "extensions": {EXTENDED: {"specVersion": "1.0", "shape": {
                "sphere": {"offset": [0, 0, -0.1], "radius": 0.22, "inside": True}}}},
        },
        {
            "node": 1,
            "shape": {"sphere": {"offset": [0, -1000, 0], "radius": 0}},
            "extensions": {EXTENDED: {"specVersion": "1.0", "shape": {
                "plane": {"offset": [0, -0.3, 0], "normal": [0, 1, 0]}}}},
        },
        {
            "node": 3,
            "shape": {"sphere": {"offset": [0, -1000, 0], "radius": 0}},
            "extensions": {EXTENDED: {"specVersion": "1.0", "shape": {
                "capsule": {"offset": [0, 0.3, 0.1], "tail": [0, 0, 0.1], "radius": 0.1, "inside": True}}}},
        },
        # On a joint of a strand, which is turned first.
        {"node": 8, "shape": {"sphere": {"offset": [0, 0.05, 0], "radius": 0.05}}},
    ],
    "colliderGroups": [{"colliders": [0, 2]}, {"colliders": [1]}, {"colliders": [3]}, {"colliders": [4, 5]}],
    "springs": [
        spring("hair", [0], dragForce=0.2, stiffness=0.6, gravityPower=0.4, hitRadius=0.02),
        spring("fringe", [3], dragForce=0.3, gravityPower=0.1, gravityDir=[1, -1, 0], hitRadius=0.01),
        spring("side", [0], 3, dragForce=0.1, stiffness=0.3),
        spring("tail", [2], 1, stiffness=0.4, gravityPower=0.3, dragForce=0.15, hitRadius=0.03),
        spring("skirt", [1], dragForce=0.35, stiffness=0.2, gravityPower=0.5, hitRadius=0.04),
    ],
}  # fmt: skip
VRM0 = {
    "secondaryAnimation": {
        "boneGroups": [
            {"bones": [4, 7, 10], "center": -1, "colliderGroups": [0], "dragForce": 0.2, "stiffiness": 0.5,
             "gravityDir": {"x": 0, "y": -1, "z": 0}, "gravityPower": 0.3, "hitRadius": 0.02},
            {"bones": [13, 17], "center": 1, "colliderGroups": [1], "dragForce": 0.4, "stiffiness": 0.7,
             "gravityDir": {"x": 0.5, "y": -1, "z": 0}, "gravityPower": 0.2, "hitRadius": 0.05},
        ],
        "colliderGroups": [
            {"node": 3, "colliders": [{"offset": {"x": 0, "y": 0.1, "z": -0.05}, "radius": 0.15}]},
            {"node": 21, "colliders": [{"offset": {"x": 0, "y": -0.1, "z": 0.02}, "radius": 0.1}]},
        ],
    }
}  # fmt: skip


def vrm_text(extensions: dict[str, Any], nodes: list[dict[str, Any]] = NODES, scene: Any = (0,)) -> str:
    """A file of nodes with extensions."""
    return json.dumps(
        {
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": list(scene)}],
            "nodes": nodes,
            "extensionsUsed": list(extensions),
            "extensions": extensions,
        }
    )


def upright(nodes: list[dict[str, Any]] = NODES) -> list[dict[str, Any]]:
    """The nodes without rotations and scales, as VRM 0 asks."""
    return [each | {"rotation": list(IDENTITY), "scale": [1, 1, 1]} for each in nodes]
