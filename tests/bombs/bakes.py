# SPDX-License-Identifier: MIT
"""Bombs of bakes."""

import json
import struct
from pathlib import Path

from bombs.bomb import WIDE, bomb, members, written


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
