# SPDX-License-Identifier: MIT
"""Streams of EXT_meshopt_compression and KHR_meshopt_compression in plain Python, and files that hold them.

They are written from the appendices of the extensions, the simplest stream that each mode allows: larger than
what an encoder makes of the same data, and no less valid.
"""

import copy
from typing import Any

import numpy as np

from gltf_files import File

EXT, KHR = "EXT_meshopt_compression", "KHR_meshopt_compression"


def attributes(data: bytes, stride: int) -> bytes:
    """Version 0, every difference in a byte of its own."""
    rows = np.frombuffer(data, np.uint8).reshape(-1, stride)
    before = np.concatenate([rows[:1], rows[:-1]])
    steps = (rows - before).astype(np.int8)
    codes = np.where(steps < 0, ~(steps.astype(np.uint8) << 1), steps.astype(np.uint8) << 1).astype(np.uint8)
    stream = bytearray(b"\xa0")
    most = min((8192 // stride) & ~15, 256)
    for first in range(0, len(rows), most):
        block = codes[first : first + most]
        groups = -(-len(block) // 16)
        padded = np.zeros((16 * groups, stride), np.uint8)
        padded[: len(block)] = block
        headers = np.full(-(-groups // 4), 0xFF, np.uint8)  # sixteen bytes in each group
        if groups % 4:
            headers[-1] &= (1 << 2 * (groups % 4)) - 1
        for column in padded.T:
            stream += headers.tobytes() + column.tobytes()
    return bytes(stream + bytes(max(32 - stride, 0)) + rows[0].tobytes())


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def zigzag(step: int) -> int:
    return (step << 1 ^ step >> 31) & 0xFFFFFFFF


def sequence(indices: np.ndarray) -> bytes:
    """Each index as its step from the one before."""
    steps = np.diff(indices.astype(np.int64), prepend=0)
    return b"\xd1" + b"".join(varint(zigzag(int(step)) << 1) for step in steps) + bytes(4)


def triangles(indices: np.ndarray) -> bytes:
    """Each corner as its step from the one before; the table is not used."""
    steps = np.diff(indices.astype(np.int64), prepend=0)
    corners = [varint(zigzag(int(step))) for step in steps]
    each = [b"\xff" + b"".join(corners[i : i + 3]) for i in range(0, len(corners), 3)]
    return b"\xe1" + b"\xff" * len(each) + b"".join(each) + bytes(16)


def zeros(count: int, stride: int) -> bytes:
    """The shortest stream of many elements: version 1, all differences zero."""
    blocks = -(-count // min((8192 // stride) & ~15, 256))
    tail = bytes(max(24 - stride - stride // 4, 0) + stride + stride // 4)
    return b"\xa1" + b"\xaa" * (blocks * stride // 4) + tail


def encoded(data: bytes, stride: int, mode: str) -> bytes:
    if mode == "ATTRIBUTES":
        return attributes(data, stride)
    indices = np.frombuffer(data, f"<u{stride}")
    return triangles(indices) if mode == "TRIANGLES" else sequence(indices)


def layout(file: File, view: int) -> tuple[int, str] | None:
    """Stride and mode of a view by the accessors that use it; None where they do not fit a stream."""
    accessors = file.json.get("accessors", [])
    used = [a for a in accessors if a.get("bufferView") == view and "sparse" not in a]
    indices = {p.get("indices") for mesh in file.json.get("meshes", []) for p in mesh["primitives"]}
    if not used or file.json["bufferViews"][view].get("byteOffset", 0) % 4:
        return None
    number = accessors.index(used[0])
    size = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}[used[0]["componentType"]]
    if number in indices:
        whole = used[0]["count"] % 3 == 0
        return (size, "TRIANGLES" if whole else "INDICES") if size > 1 else None
    width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}[used[0]["type"]]
    stride = file.json["bufferViews"][view].get("byteStride", size * width)
    return (stride, "ATTRIBUTES") if stride % 4 == 0 else None


def compressed(file: File, name: str = EXT) -> File:
    """The same file with each view compressed that may be, and a buffer without data for what they were."""
    result = File()
    result.json = copy.deepcopy(file.json)
    views = result.json.pop("bufferViews")
    fallback = 0
    for number, view in enumerate(views):
        start = view.get("byteOffset", 0)
        data = bytes(file.binary[start : start + view["byteLength"]])
        found = layout(file, number)
        if found is None or view["byteLength"] % found[0]:
            result.view(data, **{k: v for k, v in view.items() if k in ("byteStride", "target")})
            continue
        stride, mode = found
        kept = result.view(encoded(data, stride, mode))
        place = result.json["bufferViews"].pop()
        assert kept == len(result.json["bufferViews"])
        told: dict[str, Any] = {
            **place, "byteStride": stride, "count": len(data) // stride, "mode": mode
        }  # fmt: skip
        after = {**view, "buffer": 1, "byteOffset": fallback, "extensions": {name: told}}
        fallback += len(data) + -len(data) % 4
        result.push("bufferViews", after)
    result.binary += bytes(-len(result.binary) % 4)
    result.json["buffers"] = [
        {"byteLength": len(result.binary)},
        {"byteLength": max(fallback, 1), "extensions": {name: {"fallback": True}}},
    ]
    for place in ("extensionsUsed", "extensionsRequired"):
        result.json[place] = [*result.json.get(place, []), name]
    return result
