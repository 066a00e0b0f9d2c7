# SPDX-License-Identifier: MIT
"""Bombs of glTF: accessors, and pictures in a model."""

from pathlib import Path

import numpy as np

from bombs.bomb import bomb, written
from gltf_files import File, arm, triangle


@bomb()
def zeros_as_positions(folder: Path, size: int) -> Path:
    file = triangle()
    file.json["accessors"][0].pop("bufferView")
    file.json["accessors"][0]["count"] = 80_000
    (mesh,) = file.json["meshes"]
    mesh["primitives"] = [{"attributes": {"POSITION": 0}}] * (30 * size)
    return written(folder, "bomb.glb", file.glb())


@bomb()
def sparse_copies_of_zeros(folder: Path, size: int) -> Path:
    file = triangle()
    file.json["accessors"][0].pop("bufferView")
    file.json["accessors"][0].update(
        count=80_000,
        sparse={"count": 1, "indices": {"bufferView": 1, "componentType": 5123}, "values": {"bufferView": 0}},
    )
    zeros = file.json["accessors"][0]
    count = 150 * size
    file.json["accessors"] = [dict(zeros) for _ in range(count)]
    (mesh,) = file.json["meshes"]
    mesh["primitives"] = [{"attributes": {"POSITION": number}} for number in range(count)]
    return written(folder, "bomb.glb", file.glb())


@bomb()
def sets_of_joints_that_are_one(folder: Path, size: int) -> Path:
    file = arm()
    joints = file.add(np.zeros((60_000, 4)), "u1")
    weights = file.add(np.ones((60_000, 4)), "u1", normalized=True)
    positions = file.add(np.zeros((60_000, 3)))
    (primitive,) = file.json["meshes"][0]["primitives"]
    sets = range(40 * size)
    primitive.pop("indices", None)
    primitive["attributes"] = {"POSITION": positions}
    primitive["attributes"] |= {f"JOINTS_{n}": joints for n in sets} | {f"WEIGHTS_{n}": weights for n in sets}
    return written(folder, "bomb.glb", file.glb())


@bomb(is_slow=True)
def a_mesh_on_many_nodes(folder: Path, size: int) -> Path:
    file = triangle()
    file.json["nodes"] = [{"mesh": 0, "name": f"n{n}"} for n in range(20_000 * size)]
    file.json["scenes"] = [{"nodes": list(range(20_000 * size))}]
    return written(folder, "bomb.glb", file.glb())


@bomb(is_slow=True)
def rotations_in_bytes(folder: Path, size: int) -> Path:
    file = arm()
    count = 1_500_000 * size
    times = file.add(np.arange(count, dtype=np.float32))
    rotations = file.add(np.tile([0, 0, 0, 127], (count, 1)), "i1", normalized=True)
    file.json["animations"][0]["samplers"] = [{"input": times, "output": rotations}]
    return written(folder, "bomb.glb", file.glb())


@bomb()
def weights_that_many_nodes_share(folder: Path, size: int) -> Path:
    """Keys of one accessor for the morph target of each node."""
    file = triangle()
    file.json["meshes"][0]["primitives"][0]["targets"] = [{"POSITION": 0}]
    keys = 1 << 18
    sampler = {"input": file.add(np.arange(keys)), "output": file.add(np.zeros(keys))}
    nodes = range(300 * size)
    file.json["nodes"] = [{"mesh": 0} for _ in nodes]
    file.json["scenes"] = [{"nodes": list(nodes)}]
    channels = [{"sampler": 0, "target": {"node": node, "path": "weights"}} for node in nodes]
    file.push("animations", {"samplers": [sampler], "channels": channels})
    return written(folder, "bomb.glb", file.glb())


@bomb()
def animations_of_a_thousand_targets(folder: Path, size: int) -> Path:
    """A track of one key for each target, in animations that take a line each."""
    file = triangle()
    file.json["meshes"][0]["primitives"][0]["targets"] = [{"POSITION": 0}] * 1000
    sampler = {"input": file.add([0]), "output": file.add(np.zeros(1000))}
    channel = {"sampler": 0, "target": {"node": 0, "path": "weights"}}
    file.json["animations"] = [{"samplers": [sampler], "channels": [channel]}] * (3000 * size)
    return written(folder, "bomb.glb", file.glb())


def textured() -> File:
    file = triangle()
    file.json["materials"] = [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]
    file.json["textures"] = [{"source": 0}]
    file.json["meshes"][0]["primitives"][0]["material"] = 0
    return file


@bomb()
def pictures_of_one_view(folder: Path, size: int) -> Path:
    file = textured()
    view = file.view(bytes(2_000_000))
    count = 60 * size
    file.json["images"] = [{"bufferView": view, "mimeType": "image/png"}] * count
    file.json["textures"] = [{"source": number} for number in range(count)]
    file.json["materials"] = [
        {"pbrMetallicRoughness": {"baseColorTexture": {"index": number}}} for number in range(count)
    ]
    (mesh,) = file.json["meshes"]
    mesh["primitives"] = [{**mesh["primitives"][0], "material": number} for number in range(count)]
    return written(folder, "bomb.glb", file.glb())


def bytes_as_corners(folder: Path, mode: int, corners: tuple[int, ...], count: int, copies: int = 1) -> Path:
    file = triangle()
    (mesh,) = file.json["meshes"]
    indices = file.add(np.tile(np.array(corners, np.uint8), count // len(corners)), "u1")
    mesh["primitives"] = [{**mesh["primitives"][0], "indices": indices, "mode": mode}] * copies
    return written(folder, "bomb.glb", file.glb())


@bomb()
def a_strip_of_bytes(folder: Path, size: int) -> Path:
    return bytes_as_corners(folder, 5, (0, 1, 2), 6_000_000 * size)


@bomb(is_slow=True)
def a_fan_of_bytes(folder: Path, size: int) -> Path:
    return bytes_as_corners(folder, 6, (0, 1, 2), 6_000_000 * size)


@bomb(is_slow=True)
def a_strip_of_bytes_that_is_a_point(folder: Path, size: int) -> Path:
    return bytes_as_corners(folder, 5, (0,), 6_000_000 * size)


@bomb(is_slow=True)
def triangles_of_bytes(folder: Path, size: int) -> Path:
    """Accepted at size 1: four bytes for each corner, as the mesh holds them."""
    return bytes_as_corners(folder, 4, (0, 1, 2), 6_000_000 * size)


@bomb(is_slow=True)
def strips_of_the_same_bytes(folder: Path, size: int) -> Path:
    return bytes_as_corners(folder, 5, (0, 1, 2), 1_500_000 * size, 4)


def morphed(vertex_count: int) -> tuple[File, dict[str, int]]:
    """A mesh of many points, and differences of one byte for each of their coordinates."""
    file = triangle()
    file.json["extensionsUsed"] = ["KHR_mesh_quantization"]
    (primitive,) = file.json["meshes"][0]["primitives"]
    primitive["attributes"]["POSITION"] = file.add(np.zeros((vertex_count, 3)))
    view = file.view(np.ones((vertex_count, 4), np.int8).tobytes(), byteStride=4)
    rows = {"bufferView": view, "componentType": 5120, "count": vertex_count, "type": "VEC3"}
    return file, {"POSITION": file.push("accessors", rows)}


@bomb()
def morph_targets_that_share_differences(folder: Path, size: int) -> Path:
    file, target = morphed(60_000)
    file.json["meshes"][0]["primitives"][0]["targets"] = [target] * (60 * size)
    return written(folder, "bomb.glb", file.glb())


@bomb()
def morph_targets_of_a_mesh_on_many_nodes(folder: Path, size: int) -> Path:
    file, target = morphed(3)
    file.json["meshes"][0]["primitives"][0]["targets"] = [target] * 1000
    file.json["nodes"] = [{"mesh": 0, "name": f"n{n}"} for n in range(1000 * size)]
    file.json["scenes"] = [{"nodes": list(range(1000 * size))}]
    return written(folder, "bomb.glb", file.glb())


@bomb()
def morph_targets_in_bytes(folder: Path, size: int) -> Path:
    """Each of its own bytes, which become four times as many."""
    file, _ = morphed(100_000)
    (primitive,) = file.json["meshes"][0]["primitives"]
    targets = []
    for _ in range(20 * size):
        view = file.view(np.ones((100_000, 4), np.int8).tobytes(), byteStride=4)
        rows = {"bufferView": view, "componentType": 5120, "count": 100_000, "type": "VEC3"}
        targets.append({"POSITION": file.push("accessors", rows)})
    primitive["targets"] = targets
    return written(folder, "bomb.glb", file.glb())


@bomb()
def sparse_morph_targets_of_many_vertices(folder: Path, size: int) -> Path:
    """What a sparse accessor without other data declares is not filled up with zeros."""
    file, _ = morphed(200_000)
    (primitive,) = file.json["meshes"][0]["primitives"]
    indices, values = file.view(np.array([5], "<u4").tobytes()), file.view(np.ones(3, "<f4").tobytes())
    rows = {
        "componentType": 5126,
        "count": 200_000,
        "type": "VEC3",
        "sparse": {
            "count": 1,
            "indices": {"bufferView": indices, "componentType": 5125},
            "values": {"bufferView": values},
        },
    }
    primitive["targets"] = [{"POSITION": file.push("accessors", rows)}] * (1000 * size)
    return written(folder, "bomb.glb", file.glb())
