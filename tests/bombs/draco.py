# SPDX-License-Identifier: MIT
"""Bombs of primitives that Draco compressed."""

from pathlib import Path

import numpy as np

from bombs.bomb import bomb, written
from draco_files import EXTENSION, sheet, stream_of, without_data
from gltf_files import File, triangle


def with_stream(stream: bytes, numbers: dict[str, int], vertices: int, corners: int, copies: int = 1) -> File:
    file = triangle()
    view = file.view(stream)
    primitives = []
    for _ in range(copies):
        attributes = {name: without_data(file, np.zeros((1, 3), np.float32)) for name in numbers}
        for index in attributes.values():
            file.json["accessors"][index]["count"] = vertices
        indices = without_data(file, np.zeros(1, np.uint32))
        file.json["accessors"][indices]["count"] = corners
        told = {EXTENSION: {"bufferView": view, "attributes": numbers}}
        primitives.append({"attributes": attributes, "indices": indices, "extensions": told})
    file.json["meshes"] = [{"primitives": primitives}]
    file.json["extensionsUsed"] = file.json["extensionsRequired"] = [EXTENSION]
    return file


def varint(value: int) -> bytes:
    return bytes([value & 127 | 128]) + varint(value >> 7) if value > 127 else bytes([value])


@bomb("compressed")
def a_stream_of_draco_that_declares_millions(folder: Path, size: int) -> Path:
    """Its accessors declare them as well."""
    file = sheet(4)
    stream, numbers = bytes(file.binary), {"POSITION": 3}
    faces = 3_000_000 * size
    head = stream[:12] + varint(faces // 2) + varint(faces) + stream[14:]
    return written(folder, "bomb.glb", with_stream(head, numbers, faces // 2, 3 * faces).glb())


@bomb("compressed")
def one_stream_of_draco_in_many_primitives(folder: Path, size: int) -> Path:
    side = 100
    index = np.arange(side * side).reshape(side, side)[:-1, :-1].reshape(-1, 1)
    triangles = np.concatenate([index + np.array(each) for each in ([0, 1, side], [1, side + 1, side])])
    plane = np.stack(np.broadcast_arrays(np.arange(side), np.arange(side)[:, None], 0), axis=-1)
    arrays = {
        "POSITION": plane.reshape(-1, 3).astype(np.float32),
        "indices": triangles.reshape(-1).astype(np.uint32),
    }
    stream, numbers = stream_of(arrays)
    file = with_stream(stream, numbers, side * side, triangles.size, 100 * size)
    return written(folder, "bomb.glb", file.glb())
