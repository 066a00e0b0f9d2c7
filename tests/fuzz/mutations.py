# SPDX-License-Identifier: MIT
"""Broken files: what a seed does to a good one.

All that is drawn comes from `random.Random(seed)`: a seed names one input for ever, on every machine.
"""

import json
import random
import re
import struct
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bases import bases
from gltf_files import glb
from lissom._formats import safetensors
from lissom.pose_texture._file import _checksum

KINDS = ("glb", "gltf", "bvh", "safetensors", "job")
NUMBERS = (0, -1, 1, 2, 0.5, -0.0, 1e-30, 1e9, -1e9, 1e30, 3e38, -3e38, 1e300, 2**31, 2**53, 2**64, 255, 5126)
VALUES = (None, True, False, "", "a", "__proto__", [], {}, [0], *NUMBERS)
WORDS = (
    "",
    "0",
    "-1",
    "nan",
    "inf",
    "1e30",
    "1e309",
    "ROOT",
    "JOINT",
    "{",
    "}",
    "End Site",
    "\x00",
    "9" * 40,
)


def case(seed: int) -> tuple[str, bytes]:
    """Return the kind of a seed and its input."""
    choose = random.Random(seed)
    kind = KINDS[seed % len(KINDS)]
    data = choose.choice(bases(kind))
    for _ in range(choose.choice((1, 1, 1, 2, 3))):
        data = MUTATORS[kind](choose, data)
    return kind, data


def mutated_json(choose: random.Random, text: bytes) -> bytes:
    """Change one member somewhere in a JSON document; what is no longer JSON loses or gains a few bytes."""
    try:
        root = json.loads(text)
    except ValueError:
        return mutated_bytes(choose, text)
    places = list(members(root))
    if not places:
        return mutated_bytes(choose, text)
    holder, key = choose.choice(places)
    value = holder[key]
    change = choose.randrange(6)
    if change == 0:
        del holder[key]
    elif change == 1 and isinstance(value, (int, float)):
        holder[key] = value + choose.choice((-1, 1, 1000, 1e-3))
    elif change == 2 and isinstance(value, list) and value:
        value.insert(choose.randrange(len(value) + 1), json.loads(json.dumps(choose.choice(value))))
    elif change == 3:
        other, other_key = choose.choice(places)
        holder[key] = json.loads(json.dumps(other[other_key]))
    elif change == 4 and isinstance(value, dict):
        value[choose.choice(("__proto__", "extras", "name", "", "lissom"))] = choose.choice(VALUES)
    else:
        holder[key] = choose.choice(VALUES)
    return json.dumps(root).encode()


def members(value: Any) -> Any:
    """Every holder and key of a JSON document."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in items:
        yield value, key
        yield from members(each)


def mutated_bytes(choose: random.Random, data: bytes) -> bytes:
    """Cut, flip, insert or repeat bytes."""
    at = choose.randrange(len(data) + 1)
    end = min(len(data), at + choose.choice((1, 2, 4, 16, 1000)))
    replacement = choose.choice((b"", b"\x00", b"\xff\xff\xff\xff", data[at:end] * 2, choose.randbytes(4)))
    return data[:at] + replacement + data[end:]


def mutated_floats(choose: random.Random, data: bytes) -> bytes:
    """Write over one aligned float32, integer or float16."""
    if len(data) < 4:
        return mutated_bytes(choose, data)
    at = 4 * choose.randrange(len(data) // 4)
    number = choose.choice((0.0, -0.0, 1.0, -1.0, 1e-42, 1e9, 1e30, -3e38, float("inf"), float("nan")))
    value = choose.choice((struct.pack("<f", number), struct.pack("<I", choose.getrandbits(32))))
    return data[:at] + value + data[at + 4 :]


def glb_parts(data: bytes) -> tuple[bytes, bytes] | None:
    """JSON and binary chunk; None of what has lost its structure."""
    if len(data) < 20 or data[:4] != b"glTF":
        return None
    length = struct.unpack_from("<I", data, 12)[0]
    return data[20 : 20 + length], data[28 + length :]


def mutated_glb(choose: random.Random, data: bytes) -> bytes:
    parts = glb_parts(data)
    if parts is None or choose.random() < 0.1:
        return mutated_bytes(choose, data)
    text, binary = parts
    if choose.random() < 0.6 or not binary:
        return glb(mutated_json(choose, text), binary)
    mutate = choose.choice((mutated_floats, mutated_bytes))  # the second also reaches pictures
    return glb(text, mutate(choose, binary))


def mutated_text(choose: random.Random, data: bytes) -> bytes:
    """Replace, drop or repeat a word or a line."""
    pieces = re.split(rb"(\n)" if choose.random() < 0.4 else rb"(\s+)", data)
    at = choose.randrange(len(pieces))
    new = choose.choice(([], [pieces[at]] * 2, [choose.choice(pieces)], [choose.choice(WORDS).encode()]))
    return b"".join([*pieces[:at], *new, *pieces[at + 1 :]])


def mutated_safetensors(choose: random.Random, data: bytes) -> bytes:
    if len(data) < 8 or choose.random() < 0.1:
        return mutated_bytes(choose, data)
    length = struct.unpack_from("<Q", data)[0]
    header, arrays = data[8 : 8 + length], data[8 + length :]
    if choose.random() < 0.4:
        arrays = mutated_floats(choose, arrays)
    else:
        header = mutated_header(choose, header)
    return sealed(header, arrays)


def mutated_header(choose: random.Random, text: bytes) -> bytes:
    """The header of safetensors, or the tables that a bake's metadata holds as text."""
    if choose.random() < 0.7:
        try:
            root = json.loads(text)
            texts = root["__metadata__"]
            texts["tables"] = mutated_json(choose, texts["tables"].encode()).decode()
            return json.dumps(root).encode()
        except (ValueError, KeyError, TypeError, AttributeError):
            pass
    return mutated_json(choose, text)


def sealed(header: bytes, arrays: bytes) -> bytes:
    """A safetensors file; where it is whole enough for a checksum, with the right one: else it is refused."""
    file = struct.pack("<Q", len(header)) + header + arrays
    with TemporaryDirectory() as folder:
        path = Path(folder, "sealed.safetensors")
        path.write_bytes(file)
        try:
            checksum = _checksum(*safetensors.read(path))
            root = json.loads(header)
            root["__metadata__"]["checksum"] = checksum
        except (ValueError, KeyError, TypeError, AttributeError):
            return file
    header = json.dumps(root).encode()
    return struct.pack("<Q", len(header)) + header + arrays


MUTATORS = {
    "glb": mutated_glb,
    "gltf": mutated_json,
    "bvh": mutated_text,
    "safetensors": mutated_safetensors,
    "job": mutated_text,
}
