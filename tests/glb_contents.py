# SPDX-License-Identifier: MIT
"""What stands in a GLB: its JSON and its accessors, read and replaced without the loader."""

import json
import struct

import numpy as np


def contents(data: bytes) -> dict:
    """The JSON of a GLB."""
    length = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + length])


def stored(data: bytes, accessor: int) -> np.ndarray:
    """The elements of a float32 or uint8 accessor, whose view may be of several."""
    root = contents(data)
    start = 20 + struct.unpack_from("<I", data, 12)[0] + 8
    one = root["accessors"][accessor]
    view = root["bufferViews"][one["bufferView"]]
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}[one["type"]]
    dtype = {5121: "u1", 5126: "<f4"}[one["componentType"]]
    offset = start + view.get("byteOffset", 0) + one.get("byteOffset", 0)
    return np.frombuffer(data, dtype, one["count"] * width, offset).reshape(-1, width)


def with_contents(data: bytes, root: dict) -> bytes:
    """The GLB with another JSON."""
    length = struct.unpack_from("<I", data, 12)[0]
    text = json.dumps(root).encode()
    text += b" " * (-len(text) % 4)
    rest = data[20 + length :]
    return struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + len(rest), len(text), 0x4E4F534A) + text + rest


def rewritten(data: bytes, change) -> bytes:
    root = contents(data)
    change(root)
    return with_contents(data, root)


def unskinned(data: bytes) -> bytes:
    """The GLB before it had joints: meshes at nodes, with nothing but their looks."""

    def strip(root: dict) -> None:
        carriers = [node for node in root["nodes"] if "mesh" in node]
        root["nodes"] = [{"name": node["name"], "mesh": node["mesh"]} for node in carriers]
        root["scenes"] = [{"nodes": list(range(len(carriers)))}]
        for key in ("skins", "animations"):
            root.pop(key, None)
        for mesh in root["meshes"]:
            for primitive in mesh["primitives"]:
                kept = primitive["attributes"].items()
                primitive["attributes"] = {k: v for k, v in kept if not k.startswith(("JOINTS", "WEIGHTS"))}

    return rewritten(data, strip)
