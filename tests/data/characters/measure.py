# SPDX-License-Identifier: MIT
"""Measures where skinned vertices stand, by the letter of the glTF specification and without lissom.

Linear blend skinning in float64 with the weights as stored, transforms of skinned mesh nodes ignored, at the
rest transforms of the nodes and in the middle of each clip. Knows what the characters beside it need: nodes
given by translation, rotation and scale; LINEAR and STEP tracks; no sparse accessors.
"""

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

Gltf = dict[str, Any]
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
TYPES = {5121: "<u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
REST = {"translation": [0, 0, 0], "rotation": [0, 0, 0, 1], "scale": [1, 1, 1]}


def read(path: Path) -> tuple[Gltf, bytes]:
    """Return the JSON of a .glb or .gltf file and its one buffer."""
    data = path.read_bytes()
    if data[:4] != b"glTF":
        gltf = json.loads(data)
        return gltf, (path.parent / gltf["buffers"][0]["uri"]).read_bytes()
    (length,) = struct.unpack_from("<I", data, 12)
    return json.loads(data[20 : 20 + length]), data[28 + length :]


def array(gltf: Gltf, buffer: bytes, index: int) -> np.ndarray:
    """Return an accessor as float64 rows."""
    accessor = gltf["accessors"][index]
    view = gltf["bufferViews"][accessor["bufferView"]]
    if "byteStride" in view or "sparse" in accessor or accessor.get("normalized"):
        raise ValueError(f"accessor {index}: stride, sparse and normalized are not known here")
    count, width = accessor["count"], WIDTHS[accessor["type"]]
    offset = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    flat = np.frombuffer(buffer, TYPES[accessor["componentType"]], count * width, offset)
    return flat.reshape(count, width).astype(float)


def local(node: Gltf) -> np.ndarray:
    """Return the matrix of a node, T R S."""
    if "matrix" in node:
        raise ValueError("nodes with a matrix are not known here")
    given = {path: np.asarray(node.get(path, rest), float) for path, rest in REST.items()}
    x, y, z, w = given["rotation"] / np.linalg.norm(given["rotation"])
    result = np.eye(4)
    result[:3, :3] = given["scale"] * np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    result[:3, 3] = given["translation"]
    return result


def global_transforms(nodes: list[Gltf]) -> list[np.ndarray]:
    """Return where nodes are: the product of the matrices from the root."""
    parents = {child: i for i, node in enumerate(nodes) for child in node.get("children", ())}

    def transform(i: int) -> np.ndarray:
        return transform(parents[i]) @ local(nodes[i]) if i in parents else local(nodes[i])

    return [transform(i) for i in range(len(nodes))]


def value_at(times: np.ndarray, values: np.ndarray, time: float, is_step: bool) -> np.ndarray:
    """Return what a track holds at a time; quaternions are slerped the short way."""
    right = int(np.searchsorted(times, time, side="right"))
    if right in (0, len(times)) or is_step:
        return values[max(right - 1, 0)]
    a, b = values[right - 1], values[right]
    share = (time - times[right - 1]) / (times[right] - times[right - 1])
    if len(a) == 3:
        return a + share * (b - a)
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    b = -b if a @ b < 0 else b
    angle = np.arccos(min(a @ b, 1))
    if angle < 1e-6:
        return a + share * (b - a)
    return (np.sin((1 - share) * angle) * a + np.sin(share * angle) * b) / np.sin(angle)


def animated(gltf: Gltf, buffer: bytes, clip: Gltf) -> tuple[list[Gltf], float]:
    """Return the nodes in the middle of a clip, and when that is."""
    tracks = [
        (c["target"], *(array(gltf, buffer, s[k]) for k in ("input", "output")), s.get("interpolation"))
        for c in clip["channels"]
        for s in [clip["samplers"][c["sampler"]]]
    ]
    ends = [times[end, 0] for _, times, _, _ in tracks for end in (0, -1)]
    middle = float(np.float32((min(ends) + max(ends)) / 2))
    nodes = [dict(node) for node in gltf["nodes"]]
    for target, times, values, interpolation in tracks:
        if interpolation not in (None, "LINEAR", "STEP"):
            raise ValueError(f"interpolation {interpolation} is not known here")
        nodes[target["node"]][target["path"]] = value_at(times[:, 0], values, middle, interpolation == "STEP")
    return nodes, middle


def skinned(gltf: Gltf, buffer: bytes, nodes: list[Gltf]) -> np.ndarray:
    """Return the vertices of all skinned primitives, in the order of the nodes."""
    places, parts = global_transforms(nodes), []
    for node in gltf["nodes"]:
        if "skin" not in node or "mesh" not in node:
            continue
        skin = gltf["skins"][node["skin"]]
        bind = array(gltf, buffer, skin["inverseBindMatrices"]).reshape(-1, 4, 4).swapaxes(1, 2)
        matrices = np.array([places[joint] for joint in skin["joints"]]) @ bind
        for primitive in gltf["meshes"][node["mesh"]]["primitives"]:
            names = ("POSITION", "JOINTS_0", "WEIGHTS_0")
            points, joints, weights = (array(gltf, buffer, primitive["attributes"][name]) for name in names)
            moved = np.einsum("vkij,vj->vki", matrices[joints.astype(int), :3, :3], points)
            moved += matrices[joints.astype(int), :3, 3]
            parts.append(np.einsum("vk,vki->vi", weights, moved))
    return np.concatenate(parts)


def box(vertices: np.ndarray) -> dict[str, Any]:
    """Return the bounding box and the mean of the vertices that are finite, to six digits."""
    finite = vertices[np.isfinite(vertices).all(axis=1)]
    rows = {"min": finite.min(axis=0), "max": finite.max(axis=0), "mean": finite.mean(axis=0)}
    return {name: [float(f"{x:.6g}") for x in row] for name, row in rows.items()}


def reference_boxes(path: Path) -> dict[str, Any]:
    """Return boxes at rest and in the middle of each clip: ``reference_lbs`` of assets.json."""
    gltf, buffer = read(path)
    rest = skinned(gltf, buffer, gltf["nodes"])
    result: dict[str, Any] = {"rest": {"verts": len(rest)} | box(rest), "clips": []}
    for clip in gltf.get("animations", ()):
        nodes, middle = animated(gltf, buffer, clip)
        result["clips"].append({"name": clip["name"], "t": middle} | box(skinned(gltf, buffer, nodes)))
    return result
