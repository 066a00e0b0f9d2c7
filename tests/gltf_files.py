# SPDX-License-Identifier: MIT
"""glTF files made in code, right or wrong as a test wants them."""

import base64
import copy
import json
import struct
from typing import Any

import numpy as np

COMPONENTS = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}
TYPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


class File:
    """A glTF under construction: `json` may be changed at will, `binary` grows with `add`."""

    def __init__(self) -> None:
        self.json: dict[str, Any] = {"asset": {"version": "2.0"}}
        self.binary = bytearray()

    def push(self, name: str, value: dict[str, Any]) -> int:
        """Append to a top-level array; give the index."""
        self.json.setdefault(name, []).append(value)
        return len(self.json[name]) - 1

    def view(self, data: bytes, **properties: Any) -> int:
        self.binary += bytes(-len(self.binary) % 4)
        offset = len(self.binary)
        self.binary += data
        return self.push(
            "bufferViews", {"buffer": 0, "byteOffset": offset, "byteLength": len(data), **properties}
        )

    def add(self, values: Any, dtype: str = "f4", **properties: Any) -> int:
        """An accessor with its own buffer view."""
        array = np.asarray(values, dtype=f"<{dtype}")
        width = 1 if array.ndim == 1 else int(np.prod(array.shape[1:]))
        accessor = {
            "bufferView": self.view(array.tobytes()),
            "componentType": COMPONENTS[dtype],
            "count": len(array),
            "type": TYPES[width],
            **properties,
        }
        if dtype == "f4" and np.isfinite(array).all():
            flat = array.reshape(len(array), -1)
            accessor |= {"min": flat.min(axis=0).tolist(), "max": flat.max(axis=0).tolist()}
        return self.push("accessors", accessor)

    def text(self) -> str:
        root = copy.copy(self.json)
        if self.binary and "buffers" not in root:
            root["buffers"] = [{"byteLength": len(self.binary)}]
        return json.dumps(root)

    def glb(self) -> bytes:
        return glb(self.text().encode(), bytes(self.binary))

    def gltf(self) -> bytes:
        """All in one JSON, the buffer as a data URI."""
        root = json.loads(self.text())
        if self.binary and "uri" not in root["buffers"][0]:
            root["buffers"][0]["uri"] = data_uri(bytes(self.binary))
        return json.dumps(root).encode()


def data_uri(data: bytes) -> str:
    return "data:application/octet-stream;base64," + base64.b64encode(data).decode()


def glb(text: bytes, binary: bytes = b"") -> bytes:
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
    if binary:
        binary += bytes(-len(binary) % 4)
        chunks += struct.pack("<II", len(binary), 0x004E4942) + binary
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def triangle() -> File:
    """One node with one triangle."""
    file = File()
    positions = file.add([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    indices = file.add([0, 1, 2], "u2")
    file.push("meshes", {"primitives": [{"attributes": {"POSITION": positions}, "indices": indices}]})
    file.push("nodes", {"name": "flag", "mesh": 0})
    file.push("scenes", {"nodes": [0]})
    return file


def arm() -> File:
    """Two joints, one above the other, under an armature; a skinned triangle; a clip.

    Nodes: 0 armature, 1 lower, 2 upper, 3 the mesh; accessors: 0 positions, 1 joints, 2 weights, 3 matrices,
    4 key times, 5 rotations.
    """
    file = File()
    positions = file.add([[0, 0, 0], [0.5, 1, 0], [1, 2, 0]])
    joints = file.add([[0, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0]], "u1")
    weights = file.add([[1, 0, 0, 0], [0.5, 0.5, 0, 0], [1, 0, 0, 0]])
    matrices = np.stack([np.eye(4), np.eye(4)])
    matrices[1, 3, 1] = -1  # column-major: the fourth column is the translation
    bind = file.add(matrices)
    times = file.add([0, 1])
    turns = file.add([[0, 0, 0, 1], [0, 0, np.sqrt(0.5), np.sqrt(0.5)]])
    attributes = {"POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights}
    file.push("meshes", {"primitives": [{"attributes": attributes}]})
    file.push("skins", {"joints": [1, 2], "inverseBindMatrices": bind})
    file.push("nodes", {"name": "armature", "children": [1, 3]})
    file.push("nodes", {"name": "lower", "children": [2]})
    file.push("nodes", {"name": "upper", "translation": [0, 1, 0]})
    file.push("nodes", {"name": "body", "mesh": 0, "skin": 0})
    file.push("scenes", {"nodes": [0]})
    sampler = {"input": times, "output": turns}
    channel = {"sampler": 0, "target": {"node": 2, "path": "rotation"}}
    file.push("animations", {"name": "bend", "samplers": [sampler], "channels": [channel]})
    return file
