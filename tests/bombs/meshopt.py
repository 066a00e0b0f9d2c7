# SPDX-License-Identifier: MIT
"""Bombs of compressed buffer views: streams of meshopt, of which few bytes hold many."""

from pathlib import Path
from typing import Any

import numpy as np

from bombs.bomb import bomb, written
from gltf_files import File, arm, triangle
from meshopt_streams import EXT, triangles, zeros


def view_of(file: File, stream: bytes, count: int, stride: int, mode: str = "ATTRIBUTES") -> int:
    """A view that a stream of the BIN chunk stands for."""
    number = file.view(stream)
    return stand_in(file, number, count, stride, mode)


def stand_in(file: File, number: int, count: int, stride: int, mode: str) -> int:
    view = file.json["bufferViews"][number]
    told: dict[str, Any] = {**view, "byteStride": stride, "count": count, "mode": mode}
    view |= {"buffer": 1, "byteOffset": 0, "byteLength": count * stride, "extensions": {EXT: told}}
    file.json["extensionsUsed"] = file.json["extensionsRequired"] = [EXT, "KHR_mesh_quantization"]
    return number


def with_fallback(file: File) -> bytes:
    file.json["buffers"] = [
        {"byteLength": len(file.binary)},
        {"byteLength": 1 << 40, "extensions": {EXT: {"fallback": True}}},
    ]
    return file.glb()


def positions(file: File, view: int, count: int, code: int = 5126, **more: Any) -> int:
    accessor = {"bufferView": view, "componentType": code, "count": count, "type": "VEC3", **more}
    return file.push("accessors", accessor)


@bomb("compressed")
def a_stream_of_zeros(folder: Path, size: int) -> Path:
    file = triangle()
    count = 8_000_000 * size
    place = positions(file, view_of(file, zeros(count, 12), count, 12), count)
    (mesh,) = file.json["meshes"]
    mesh["primitives"][0]["attributes"]["POSITION"] = place
    return written(folder, "bomb.glb", with_fallback(file))


@bomb("compressed", is_slow=True)
def a_stream_of_zeros_that_are_bytes(folder: Path, size: int) -> Path:
    """Of one byte in the file come a thousand, and of each of these four."""
    file = triangle()
    count = 3_000_000 * size
    view = view_of(file, zeros(count, 4), count, 4)
    file.json["bufferViews"][view]["byteStride"] = 4
    place = positions(file, view, count, 5120)
    (mesh,) = file.json["meshes"]
    mesh["primitives"][0]["attributes"] = {
        "POSITION": place,
        "NORMAL": positions(file, view, count, 5120, normalized=True),
    }
    return written(folder, "bomb.glb", with_fallback(file))


@bomb("compressed")
def one_stream_in_many_views(folder: Path, size: int) -> Path:
    file = triangle()
    count = 100_000
    number = file.view(zeros(count, 12))
    place = file.json["bufferViews"][number]
    views = 100 * size
    for _ in range(views):
        file.json["bufferViews"].append(dict(place))
        stand_in(file, len(file.json["bufferViews"]) - 1, count, 12, "ATTRIBUTES")
    first = len(file.json["bufferViews"]) - views
    (mesh,) = file.json["meshes"]
    mesh["primitives"] = [
        {**mesh["primitives"][0], "attributes": {"POSITION": positions(file, first + n, count)}}
        for n in range(views)
    ]
    return written(folder, "bomb.glb", with_fallback(file))


@bomb("compressed")
def triangles_that_a_few_bytes_declare(folder: Path, size: int) -> Path:
    file = triangle()
    count = 300_000_000 * size
    stream = triangles(np.array([0, 1, 2]))
    file.json["accessors"][1] |= {"bufferView": view_of(file, stream, count, 4, "TRIANGLES"), "count": count}
    file.json["accessors"][1]["componentType"] = 5125
    return written(folder, "bomb.glb", with_fallback(file))


@bomb("compressed", is_slow=True)
def keys_of_a_stream_of_zeros(folder: Path, size: int) -> Path:
    file = arm()
    count = 2_000_000 * size
    times = view_of(file, zeros(count, 4), count, 4)
    turns = view_of(file, zeros(count, 8), count, 8)
    file.json["accessors"] += [
        {"bufferView": times, "componentType": 5126, "count": count, "type": "SCALAR"},
        {"bufferView": turns, "componentType": 5122, "count": count, "type": "VEC4", "normalized": True},
    ]
    last = len(file.json["accessors"]) - 1
    file.json["animations"][0]["samplers"] = [{"input": last - 1, "output": last}]
    return written(folder, "bomb.glb", with_fallback(file))
