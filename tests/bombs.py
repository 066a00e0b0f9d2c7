# SPDX-License-Identifier: MIT
"""Files that ask for far more memory than they have bytes, each made in code at any size.

A bomb writes its files into a folder and returns the one to read. At size 1 most are small, and take more
than 8 times their bytes and 64 MiB where what they multiply is not charged, or is decoded as it comes; at
size 8 they are what an attacker would send.
"""

import json
import math
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from gltf_files import File, arm, triangle

Bomb = Callable[[Path, int], Path]
BOMBS: dict[str, tuple[str, Bomb]] = {}
"""By name: how the file is read, as in `measure_bombs.READERS`, and its maker."""
SLOW: set[str] = set()
"""Names of those that take long to make, and resemble another that does not."""

WIDE = "\U0001f9b4"  # beyond the basic plane: Python then takes four bytes for each character of the string


def bomb(how: str = "load", *, is_slow: bool = False) -> Callable[[Bomb], Bomb]:
    def named(make: Bomb) -> Bomb:
        name = make.__name__.replace("_", " ")
        BOMBS[name] = how, make
        if is_slow:
            SLOW.add(name)
        return make

    return named


def written(folder: Path, name: str, data: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def members(count: int, value: str = "0") -> str:
    """An object's members, with names that are all different."""
    return ",".join(map(f'"%06x":{value}'.__mod__, range(count)))


def gltf(folder: Path, **more: str) -> Path:
    """A glTF whose members are texts of JSON."""
    text = ",".join(f'"{name}":{value}' for name, value in more.items())
    return written(folder, "bomb.gltf", f'{{"asset":{{"version":"2.0"}},{text}}}')


def repeated_mesh(folder: Path, name: str, material: str, count: int) -> Path:
    file = triangle()
    file.json["nodes"][0]["name"] = name
    (mesh,) = file.json["meshes"]
    file.json["materials"] = [{"name": material}]
    mesh["primitives"] = [{**mesh["primitives"][0], "material": 0}] * count
    return written(folder, "bomb.glb", file.glb())


# --- names ---


@bomb()
def a_node_name_above_thousands_of_primitives(folder: Path, size: int) -> Path:
    return repeated_mesh(folder, "n" * (150_000 * size), "", 1000)


@bomb()
def a_material_name_of_thousands_of_primitives(folder: Path, size: int) -> Path:
    return repeated_mesh(folder, "", "m" * (150_000 * size), 1000)


@bomb()
def a_name_in_four_bytes_a_character(folder: Path, size: int) -> Path:
    return repeated_mesh(folder, WIDE + "n" * (60_000 * size), "", 800)


@bomb(is_slow=True)
def nodes_of_one_long_name(folder: Path, size: int) -> Path:
    name = json.dumps(WIDE + "n" * 200_000, ensure_ascii=False)
    count = 60 * size
    nodes = ",".join(f'{{"name":{name}}}' for _ in range(count))
    return gltf(folder, nodes=f"[{nodes}]", skins=f'[{{"joints":{list(range(count))}}}]')


@bomb(is_slow=True)
def clips_of_one_long_name(folder: Path, size: int) -> Path:
    file = arm()
    (clip,) = file.json["animations"]
    file.json["animations"] = [{**clip, "name": WIDE + "c" * 200_000} for _ in range(60 * size)]
    return written(folder, "bomb.gltf", file.gltf())


# --- URIs ---


@bomb()
def a_buffer_in_percent_codes(folder: Path, size: int) -> Path:
    uri = "data:," + "%41" * (1_000_000 * size)
    return gltf(folder, buffers=f'[{{"byteLength":4,"uri":"{uri}"}}]')


@bomb()
def base64_in_percent_codes(folder: Path, size: int) -> Path:
    uri = "data:application/octet-stream;base64," + "%41" * (1_000_000 * size)
    return gltf(folder, buffers=f'[{{"byteLength":4,"uri":"{uri}"}}]')


@bomb(is_slow=True)
def a_picture_in_percent_codes(folder: Path, size: int) -> Path:
    file = textured()
    file.json["images"] = [{"uri": "data:image/png," + "%41" * (1_000_000 * size)}]
    return written(folder, "bomb.gltf", file.gltf())


@bomb()
def millions_of_parameters_of_a_uri(folder: Path, size: int) -> Path:
    uri = "data:a" + ";a=" * (2_000_000 * size) + ",A"
    return gltf(folder, buffers=f'[{{"byteLength":1,"uri":"{uri}"}}]')


@bomb(is_slow=True)
def a_large_buffer_in_base64(folder: Path, size: int) -> Path:
    """Within the bound."""
    file = File()
    file.add(np.zeros((500_000 * size, 3)))
    return written(folder, "bomb.gltf", file.gltf())


@bomb()
def a_companion_under_many_names(folder: Path, size: int) -> Path:
    """Within the bound, which a copy for each name would not be."""
    file = triangle()
    written(folder, "a.bin", bytes(file.binary) + bytes(1_000_000 * size))
    length = len(file.binary)
    names = ["./" * n + "a.bin" for n in range(100)]
    names += [".//" * n + f"%61{'.' if n % 2 else '%2E'}bin" for n in range(100)]
    file.json["buffers"] = [{"byteLength": length, "uri": name} for name in names]
    return written(folder, "bomb.gltf", file.text())


# --- JSON that decodes to many objects ---


@bomb(is_slow=True)
def names_of_extensions(folder: Path, size: int) -> Path:
    names = ",".join(f'"{number:06x}"' for number in range(900_000 * size))
    return gltf(folder, extensionsUsed=f"[{names}]")


@bomb()
def extensions_of_a_node(folder: Path, size: int) -> Path:
    return gltf(folder, nodes=f'[{{"extensions":{{{members(900_000 * size)}}}}}]')


@bomb(is_slow=True)
def extensions_of_a_primitive(folder: Path, size: int) -> Path:
    extensions = members(900_000 * size, "{}")
    return gltf(folder, meshes=f'[{{"primitives":[{{"attributes":{{}},"extensions":{{{extensions}}}}}]}}]')


@bomb(is_slow=True)
def attributes_of_a_primitive(folder: Path, size: int) -> Path:
    return gltf(folder, meshes=f'[{{"primitives":[{{"attributes":{{{members(900_000 * size)}}}}}]}}]')


@bomb(is_slow=True)
def morph_targets_without_members(folder: Path, size: int) -> Path:
    targets = ",".join(["{}"] * (900_000 * size))
    return gltf(folder, meshes=f'[{{"primitives":[{{"attributes":{{}},"targets":[{targets}]}}]}}]')


@bomb()
def nodes_without_members(folder: Path, size: int) -> Path:
    return gltf(folder, nodes="[" + ",".join(["{}"] * (600_000 * size)) + "]")


@bomb(is_slow=True)
def cameras_without_members(folder: Path, size: int) -> Path:
    return gltf(folder, cameras="[" + ",".join(["0"] * (1_500_000 * size)) + "]")


@bomb(is_slow=True)
def large_numbers_of_children(folder: Path, size: int) -> Path:
    children = ",".join(["999"] * (4_000_000 * size))
    return gltf(folder, nodes=f'[{{"children":[{children}]}}]')


@bomb(is_slow=True)
def brackets_without_end(folder: Path, size: int) -> Path:
    return gltf(folder, extras="[" * (20_000_000 * size))


@bomb()
def joints_of_a_skin_that_are_one(folder: Path, size: int) -> Path:
    joints = ",".join(["0"] * (300_000 * size))
    return gltf(folder, nodes='[{"name":"a"}]', skins=f'[{{"joints":[{joints}]}}]')


@bomb()
def joints_without_names(folder: Path, size: int) -> Path:
    count = 90_000 * size
    return gltf(
        folder,
        nodes="[" + ",".join(["{}"] * count) + "]",
        skins='[{"joints":[' + ",".join(map(str, range(count))) + "]}]",
    )


@bomb(is_slow=True)
def channels_of_nothing(folder: Path, size: int) -> Path:
    channels = ",".join(['{"sampler":0,"target":{"path":""}}'] * (200_000 * size))
    return gltf(
        folder,
        animations=f'[{{"channels":[{channels}],"samplers":[{{"input":0,"output":0}}]}}]',
        accessors="[]",
    )


@bomb(is_slow=True)
def markers_of_a_clip(folder: Path, size: int) -> Path:
    file = arm()
    (clip,) = file.json["animations"]
    clip["extras"] = {"lissom": {"markers": [[0, f"{n:05x}"] for n in range(400_000 * size)]}}
    return written(folder, "bomb.glb", file.glb())


@bomb(is_slow=True)
def extras_beside_a_mark(folder: Path, size: int) -> Path:
    extras = f'{{"lissom":{{"joints":"all"}},{members(900_000 * size)}}}'
    return gltf(folder, scenes=f'[{{"extras":{extras}}}]')


@bomb("strict")
def extras_of_many_objects(folder: Path, size: int) -> Path:
    return gltf(folder, extras="[" + ",".join(["{}"] * (1_000_000 * size)) + "]")


@bomb("strict", is_slow=True)
def extras_of_many_numbers(folder: Path, size: int) -> Path:
    return gltf(folder, extras="[" + ",".join(["1.5"] * (3_000_000 * size)) + "]")


@bomb("strict")
def a_long_key_above_many_places(folder: Path, size: int) -> Path:
    places = ",".join(["[0]"] * 2000)
    return gltf(folder, **{"k" * (100_000 * size): f"[{places}]"})


@bomb("strict", is_slow=True)
def a_list_instead_of_an_object(folder: Path, size: int) -> Path:
    """Its text would be in the message."""
    return gltf(folder, materials="[[" + ",".join(["1"] * (4_000_000 * size)) + "]]")


@bomb("strict")
def extensions_that_are_required(folder: Path, size: int) -> Path:
    """Ten seconds where each is looked for in a list."""
    names = json.dumps([f"EXT_{number}" for number in range(40_000 * size)])
    return gltf(folder, extensionsUsed=names, extensionsRequired=names)


# --- accessors ---


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


# --- pictures in a model ---


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


# --- BVH ---


def bvh(nodes: str, frames: str, count: int) -> str:
    return f"HIERARCHY\n{nodes}\nMOTION\nFrames: {count}\nFrame Time: 0.01\n{frames}"


@bomb()
def end_sites_of_a_long_name(folder: Path, size: int) -> Path:
    ends = "End Site\n{\nOFFSET 0 0 0\n}\n" * 1500
    node = f"ROOT {'n' * (100_000 * size)}\n{{\nOFFSET 0 0 0\nCHANNELS 0\n{ends}}}"
    return written(folder, "bomb.bvh", bvh(node, "", 0))


@bomb()
def end_sites_in_four_bytes_a_character(folder: Path, size: int) -> Path:
    ends = "End Site\n{\nOFFSET 0 0 0\n}\n" * 1000
    node = f"ROOT {WIDE}{'n' * (50_000 * size)}\n{{\nOFFSET 0 0 0\nCHANNELS 0\n{ends}}}"
    return written(folder, "bomb.bvh", bvh(node, "", 0))


@bomb()
def rows_of_one_digit(folder: Path, size: int) -> Path:
    node = "ROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n}"
    rows = 1_500_000 * size
    return written(folder, "bomb.bvh", bvh(node, "0 1 0\n1 0 1\n" * (rows // 2), rows))


@bomb(is_slow=True)
def rows_of_zeros(folder: Path, size: int) -> Path:
    node = "ROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n}"
    rows = 1_500_000 * size
    return written(folder, "bomb.bvh", bvh(node, "0 0 0\n" * rows, rows))


@bomb(is_slow=True)
def as_many_joints_as_may_be(folder: Path, size: int) -> Path:
    six = "Xposition Yposition Zposition Zrotation Xrotation Yrotation"
    count = min(65_536, 30_000 * size)
    nodes = "".join(f"ROOT {n}\n{{\nOFFSET 0 0 0\nCHANNELS 6 {six}\n}}\n" for n in range(count))
    return written(folder, "bomb.bvh", bvh(nodes, "0 " * (6 * count), 1))


@bomb()
def a_number_of_millions_of_digits(folder: Path, size: int) -> Path:
    node = f"ROOT a\n{{\nOFFSET 0.{'7' * (4_000_000 * size)} 0 0\nCHANNELS 1 Xposition\n}}"
    return written(folder, "bomb.bvh", bvh(node, f"0.{'7' * (4_000_000 * size)}\n", 1))


# --- bakes ---


def safetensors(folder: Path, header: str, data: bytes = b"") -> Path:
    text = header.encode()
    return written(folder, "bomb.safetensors", struct.pack("<Q", len(text)) + text + data)


@bomb("bake")
def arrays_of_nothing(folder: Path, size: int) -> Path:
    entry = '{"dtype":"U8","shape":[0],"data_offsets":[0,0]}'
    return safetensors(folder, "{" + members(150_000 * size, entry) + "}")


@bomb("bake", is_slow=True)
def strings_of_metadata(folder: Path, size: int) -> Path:
    return safetensors(folder, '{"__metadata__":{' + members(800_000 * size, '"ab"') + "}}")


@bomb("bake", is_slow=True)
def a_header_in_four_bytes_a_character(folder: Path, size: int) -> Path:
    text = WIDE + "\\n" * (4_000_000 * size)
    return safetensors(folder, f'{{"__metadata__":{{"tables":"{text}"}}}}')


@bomb("bake", is_slow=True)
def an_array_of_many_axes(folder: Path, size: int) -> Path:
    axes = ",".join(["999"] * (3_000_000 * size))
    return safetensors(folder, f'{{"a":{{"dtype":"U8","shape":[{axes}],"data_offsets":[0,0]}}}}')


@bomb("bake", is_slow=True)
def tables_of_many_joints(folder: Path, size: int) -> Path:
    tables = json.dumps(json.dumps({"joints": [f"{n:05x}" for n in range(800_000 * size)]}))
    metadata = f'"format":"lissom.pose_texture","version":"2","tables":{tables}'
    return safetensors(folder, f'{{"__metadata__":{{{metadata}}}}}')


@bomb("bake")
def arrays_that_overlap(folder: Path, size: int) -> Path:
    count = 1000 * size
    length = 1_000_000
    entry = f'{{"dtype":"U8","shape":[{length}],"data_offsets":[0,{length}]}}'
    return safetensors(folder, "{" + members(count, entry) + "}", bytes(length))


# --- pictures ---


def png(
    width: int, height: int, lines: bytes, depth: int = 1, color: int = 0, interlaced: int = 0, *more: bytes
) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlaced)
    parts = [chunk(b"IHDR", head), *more, chunk(b"IDAT", lines), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def zeros(count: int) -> bytes:
    """Zeros, compressed a thousandfold, without all of them in memory."""
    deflate = zlib.compressobj(9)
    pieces = [deflate.compress(bytes(min(1 << 20, count - begin))) for begin in range(0, count, 1 << 20)]
    return b"".join([*pieces, deflate.flush()])


@bomb("picture")
def a_picture_beyond_what_may_be_decoded(folder: Path, size: int) -> Path:
    side = 13_000 + 1000 * size  # declared; there are ten lines
    return written(folder, "bomb.png", png(side, side, zeros(side // 8 * 10)))


@bomb("picture")
def a_picture_of_nothing_but_white(folder: Path, size: int) -> Path:
    """Within the bound: 4 bytes for each pixel that it declares."""
    side = 2000 * size if size == 1 else 12_000
    return written(folder, "bomb.png", png(side, side, zeros((side // 8 + 1) * side)))


@bomb("picture")
def an_interlaced_picture(folder: Path, size: int) -> Path:
    side = 2000 if size == 1 else 8000
    # Of Adam7: every how many columns and rows a pass has a pixel. A line has a byte for its filter, too.
    passes = ((8, 8), (8, 8), (4, 8), (4, 4), (2, 4), (2, 2), (1, 2))
    lines = sum(math.ceil(side / rows) * (3 * math.ceil(side / columns) + 1) for columns, rows in passes)
    return written(folder, "bomb.png", png(side, side, zeros(lines), 8, 2, 1))


@bomb("picture")
def a_comment_of_zeros(folder: Path, size: int) -> Path:
    data = b"Comment\0\0" + zeros(150_000_000 * size)
    text = struct.pack(">I", len(data)) + b"zTXt" + data + struct.pack(">I", zlib.crc32(b"zTXt" + data))
    return written(folder, "bomb.png", png(8, 8, zeros(16), 1, 0, 0, text))


# --- jobs and what runs of bakes keep ---


@bomb("job")
def brackets_of_a_job(folder: Path, size: int) -> Path:
    return written(folder, "bomb.toml", "a = " + "[" * (100_000 * size))


@bomb("job")
def keys_of_a_job(folder: Path, size: int) -> Path:
    return written(folder, "bomb.toml", "".join(f"k{n:x}=1\n" for n in range(150_000 * size)))


@bomb("job")
def tables_of_a_job(folder: Path, size: int) -> Path:
    return written(folder, "bomb.toml", "[[job]]\n" * (100_000 * size))


@bomb("job")
def a_dotted_key_of_a_job(folder: Path, size: int) -> Path:
    return written(folder, "bomb.toml", "a" + ".a" * (100_000 * size) + "=1\n")


@bomb("job")
def a_long_string_of_a_job(folder: Path, size: int) -> Path:
    return written(folder, "bomb.toml", 'a = "' + "n" * (8_000_000 * size) + '"')


@bomb("job")
def a_long_string_of_a_job_in_four_bytes_a_character(folder: Path, size: int) -> Path:
    return written(folder, "bomb.toml", f'a = "{WIDE}' + "n" * (8_000_000 * size) + '"')


@bomb("job")
def escapes_of_a_job_without_an_end(folder: Path, size: int) -> Path:
    """Ten seconds where each quotation mark is tried as the beginning of a string."""
    return written(folder, "bomb.toml", 'a = "' + '\\"' * (20_000 * size))


@bomb("records", is_slow=True)
def a_list_of_bakes(folder: Path, size: int) -> Path:
    entries = ",".join(['{"name":"","key":""}'] * (700_000 * size))
    return written(folder, "bakes.json", f'{{"bakes":[{entries}]}}')


@bomb("records", is_slow=True)
def a_list_of_bakes_that_is_not_one(folder: Path, size: int) -> Path:
    return written(folder, "bakes.json", '{"bakes":[' + ",".join(["[]"] * (900_000 * size)) + "]}")


@bomb("companions", is_slow=True)
def names_of_buffers(folder: Path, size: int) -> Path:
    return gltf(folder, buffers="[" + ",".join(["{}"] * (1_200_000 * size)) + "]")
