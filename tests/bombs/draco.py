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

    def encoded(side: int, width: int) -> tuple[bytes, int, int]:
        arrays = plane(side)
        places, indices = arrays["POSITION"], arrays["indices"]
        more = {10 + number: np.zeros((len(places), width), np.uint8) for number in range(count)}
        options = {"quantization_bits": 14, "compression_level": 7}
        stream = DracoPy.encode(places, indices.reshape(-1, 3), generic_attributes=more, **options)
        return stream, len(places), indices.size

    attributes = DracoPy.decode(encoded(3, 1)[0]).attributes  # which are numbered alike, whatever the size
    (number,) = (each["unique_id"] for each in attributes if each["attribute_type"] == 0)
    stream, vertices, corners = encoded(side, components)
    return with_stream(stream, {"POSITION": number}, vertices, corners)


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


def where_it_says(words: str, stream: bytes, part: bytes) -> int:
    """The last place where a part in place of others makes readers refuse a stream in these words."""
    for at in reversed(range(30, len(stream) - len(part))):
        try:
            DracoExtent.of(np.frombuffer(stream[:at] + part + stream[at + len(part) :], np.uint8), 1 << 30)
        except ValueError as error:
            if words in str(error):
                return at
    raise AssertionError(f"there is no place where a stream says {words}")


def false_table(length: int) -> bytes:
    """Of symbols, coded as they are, of 18 bits: each byte says that 64 of them are never there."""
    return bytes([1, 18]) + varint(64 * length) + bytes([255]) * length


@bomb("compressed")
def a_stream_of_draco_with_a_table_of_more_symbols_than_values(folder: Path, size: int) -> Path:
    """The table stands where values of the first attribute begin, and takes the rest of the stream."""
    arrays = plane(4)
    stream, numbers = stream_of(arrays)
    at = stream.index(bytes([0, 9, 3, 0])) + 6  # positions, float32; then their number and how they are coded
    bomb = stream[: at + 2] + bytes([1]) + false_table(200_000 * size)
    return written(folder, "bomb.glb", with_stream(bomb, numbers, 16, arrays["indices"].size).glb())


@bomb("compressed")
def a_stream_of_draco_with_such_a_table_behind_values_of_unknown_length(folder: Path, size: int) -> Path:
    """Colours with seams of their own, coded by tags: where they end depends on the surface and each tag."""
    arrays = plane(12)
    rng = np.random.default_rng(0)
    torn = rng.random(len(arrays["indices"]) // 3) < 0.1
    corners = arrays["indices"].reshape(-1, 3)
    own = corners[torn].reshape(-1)
    corners[torn] = len(arrays["POSITION"]) + np.arange(len(own)).reshape(-1, 3)
    arrays["POSITION"] = np.concatenate([arrays["POSITION"], arrays["POSITION"][own]])
    count = len(arrays["POSITION"])
    # Beyond 18 bits, so that they are coded by tags; not far, as DracoPy counts up to the largest.
    arrays["COLOR_0"] = rng.integers(0, 1 << 22, (count, 2)).astype(np.uint32)
    stream, numbers = stream_of(arrays)
    table = false_table(500_000 * size)
    at = where_it_says("different symbols, got", stream, table[:6])  # positions come last
    bomb = stream[:at] + table
    return written(folder, "bomb.glb", with_stream(bomb, numbers, count, corners.size).glb())


@bomb("compressed")
def a_stream_of_draco_that_makes_room_for_two_thousand_million_flags(folder: Path, size: int) -> Path:
    """Of texture coordinates, which are added behind the positions: a word says how many flags there are."""
    arrays = plane(4)
    stream, numbers = stream_of(arrays)
    number = numbers["POSITION"]
    head = bytes([0, 9, 3, 0, number])  # a position: float32, three, no fractions
    added = bytes([3, 5, 2, 0, number + 1])  # texture coordinates: int32, two
    one, two = bytes([1, *head, 2]), bytes([2, *head, *added, 2, 1])  # quantized; integers
    assert stream.count(one) == 1
    of_range = stream[-17:]  # of the positions: three floats, one more, bits
    values = bytes([5, 1, 0, 0])  # predicted by positions, wrapped, as they are, of no bytes each
    flags = b"\xff\xff\xff\x7f" + bytes([128, 1, 0])
    bomb = stream.replace(one, two)[:-17] + values + flags + bytes(8) + of_range + bytes(size)
    return written(folder, "bomb.glb", with_stream(bomb, numbers, 16, arrays["indices"].size).glb())


@bomb("compressed")
def a_stream_of_draco_whose_metadata_is_dictionaries_in_dictionaries(folder: Path, size: int) -> Path:
    arrays = plane(4)
    stream, numbers = stream_of(arrays)
    chains = 1000 * size
    # No entries, one dictionary, whose name is empty; and so on.
    chain = bytes([0, 1, 0]) * 900 + bytes([0, 0])
    many = b"".join(bytes([3]) + number.to_bytes(3, "big") + chain for number in range(chains))
    metadata = bytes([0, 0]) + varint(chains) + many
    bomb = stream[:9] + bytes([0, 0x80]) + metadata + stream[11:]
    return written(folder, "bomb.glb", with_stream(bomb, numbers, 16, arrays["indices"].size).glb())


@bomb("compressed")
def a_stream_of_draco_of_triangles_that_share_nothing(folder: Path, size: int) -> Path:
    """Each corner is a vertex, and a border of it, on the surface of each of its attributes, too."""
    count = 20_000 * size
    places = np.zeros((3 * count, 3), np.float32)
    places[:, 0] = np.arange(3 * count) % 3
    places[:, 1] = np.arange(3 * count) % 3 == 1
    corners = np.arange(3 * count, dtype=np.uint32).reshape(-1, 3)
    places[:, 2] = np.repeat(np.arange(count), 3)
    arrays = {"POSITION": places, "indices": corners.reshape(-1)}
    stream, numbers = stream_of(arrays)
    return written(folder, "bomb.glb", with_stream(stream, numbers, 3 * count, 3 * count).glb())


@bomb("compressed")
def one_stream_of_draco_in_many_primitives(folder: Path, size: int) -> Path:
    side = 100
    arrays = plane(side)
    stream, numbers = stream_of(arrays)
    file = with_stream(stream, numbers, side * side, arrays["indices"].size, 100 * size)
    return written(folder, "bomb.glb", file.glb())
