# SPDX-License-Identifier: MIT
"""Bombs of primitives that Draco compressed."""

from pathlib import Path

import DracoPy
import numpy as np

from bombs.bomb import bomb, written
from draco_files import EXTENSION, sheet, stream_of, without_data
from gltf_files import File, triangle
from lissom._formats.draco import DracoExtent


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
    told = file.json["meshes"][0]["primitives"][0]["extensions"][EXTENSION]
    stream, numbers = bytes(file.binary), {"POSITION": told["attributes"]["POSITION"]}
    faces = 3_000_000 * size
    head = stream[:12] + varint(faces // 2) + varint(faces) + stream[14:]
    return written(folder, "bomb.glb", with_stream(head, numbers, faces // 2, 3 * faces).glb())


def plane(side: int) -> dict[str, np.ndarray]:
    index = np.arange(side * side).reshape(side, side)[:-1, :-1].reshape(-1, 1)
    triangles = np.concatenate([index + np.array(each) for each in ([0, 1, side], [1, side + 1, side])])
    places = np.stack(np.broadcast_arrays(np.arange(side), np.arange(side)[:, None], 0), axis=-1)
    return {
        "POSITION": places.reshape(-1, 3).astype(np.float32),
        "indices": triangles.reshape(-1).astype(np.uint32),
    }


def with_more(side: int, count: int, components: int) -> File:
    """A plane whose stream has attributes beside the positions, which alone an accessor names."""
    arrays = plane(side)
    places, indices = arrays["POSITION"], arrays["indices"]

    def encoded(width: int) -> bytes:
        more = {10 + number: np.zeros((len(places), width), np.uint8) for number in range(count)}
        options = {"quantization_bits": 14, "compression_level": 7}
        return DracoPy.encode(places, indices.reshape(-1, 3), generic_attributes=more, **options)

    attributes = DracoPy.decode(encoded(1)).attributes
    (number,) = (each["unique_id"] for each in attributes if each["attribute_type"] == 0)
    return with_stream(encoded(components), {"POSITION": number}, len(places), indices.size)


@bomb("compressed")
def a_stream_of_draco_with_attributes_that_nothing_names(folder: Path, size: int) -> Path:
    return written(folder, "bomb.glb", with_more(300 + 30 * size, 40, 4).glb())


@bomb("compressed")
def a_stream_of_draco_with_attributes_of_many_components(folder: Path, size: int) -> Path:
    return written(folder, "bomb.glb", with_more(300 + 30 * size, 5, 64).glb())


@bomb("compressed")
def positions_of_draco_of_many_components(folder: Path, size: int) -> Path:
    """The head of the attribute says 64; the values that follow are not reached."""
    file = with_more(400 + 30 * size, 1, 4)
    at = bytes(file.binary).index(bytes([0, 9, 3, 0]))  # positions, float32, of three components
    file.binary[at + 2] = 255
    return written(folder, "bomb.glb", file.glb())


@bomb("draco tables")
def a_stream_of_draco_with_a_table_of_more_symbols_than_values(folder: Path, size: int) -> Path:
    """The table stands where values of the first attribute begin, and takes the rest of the stream."""
    arrays = plane(4)
    stream, numbers = stream_of(arrays)
    extent = DracoExtent.of(np.frombuffer(stream, np.uint8))
    assert [each.components for each in extent.attributes] == [3], "the head that is sought below"
    at = stream.index(bytes([0, 9, 3, 0])) + 6  # positions, float32; then their number and how they are coded
    length = 200_000 * size
    prediction = stream[at : at + 2]
    table = bytes([1, 1, 18]) + varint(64 * length) + bytes([255]) * length
    return written(
        folder,
        "bomb.glb",
        with_stream(stream[:at] + prediction + table, numbers, 16, arrays["indices"].size).glb(),
    )


@bomb("compressed")
def one_stream_of_draco_in_many_primitives(folder: Path, size: int) -> Path:
    side = 100
    arrays = plane(side)
    stream, numbers = stream_of(arrays)
    file = with_stream(stream, numbers, side * side, arrays["indices"].size, 100 * size)
    return written(folder, "bomb.glb", file.glb())
