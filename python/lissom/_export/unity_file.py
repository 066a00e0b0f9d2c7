# SPDX-License-Identifier: MIT
"""Files .lissom, which Unity imports by `LissomImporter`: a header in JSON, and blocks of bytes.

Eight letters, the length of the header in four bytes, the header, then the blocks, whose offsets count from
its end. All numbers are little-endian.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NoReturn

from lissom._formats.budget import Budget, JsonExtent

__all__ = ["decode", "encode"]

MAGIC = b"lissom-u"
ALIGNMENT = 16
START = len(MAGIC) + 4
MOST_HEADER = 1 << 24


def encode(header: Mapping[str, Any], blocks: Mapping[str, bytes], pictures: Sequence[bytes]) -> bytes:
    """Return a file, whose header gets of each block and picture where it is."""
    parts: list[bytes] = []
    end = 0

    def place(data: bytes) -> dict[str, int]:
        nonlocal end
        offset = end
        padded = data + bytes(-len(data) % ALIGNMENT)
        parts.append(padded)
        end += len(padded)
        return {"offset": offset, "bytes": len(data)}

    whole = dict(header) | {name: place(data) for name, data in blocks.items()}
    whole["pictures"] = [place(data) for data in pictures]
    text = json.dumps(whole, ensure_ascii=False).encode()
    text += b" " * (-(START + len(text)) % ALIGNMENT)
    return b"".join([MAGIC, len(text).to_bytes(4, "little"), text, *parts])


def decode(data: bytes, names: Collection[str]) -> tuple[dict[str, Any], dict[str, memoryview]]:
    """Return the header and the named blocks of a file of `encode`; ValueError where it is none, or cut."""
    if len(data) < START or data[: len(MAGIC)] != MAGIC:
        raise ValueError(f"it begins with {data[: len(MAGIC)]!r}")
    length = int.from_bytes(data[len(MAGIC) : START], "little")
    if length > min(MOST_HEADER, len(data) - START):
        raise ValueError(f"its header has {length} bytes, more than the file, or than {MOST_HEADER}")
    text = data[START : START + length]
    Budget(len(data), _refuse).spend(JsonExtent.of(text).plain_bytes)
    try:
        header = json.loads(text)
        places = {name: (int(header[name]["offset"]), int(header[name]["bytes"])) for name in names}
    except (ValueError, RecursionError, TypeError, KeyError, OverflowError):
        raise ValueError(f"its header does not say where {', '.join(names)} are") from None
    rest = memoryview(data)[START + length :]
    for name, (offset, count) in places.items():
        if offset < 0 or count < 0 or offset + count > len(rest):
            raise ValueError(f"{name} are {count} bytes from {offset} on, of {len(rest)}")
    return header, {name: rest[offset : offset + count] for name, (offset, count) in places.items()}


def _refuse(_: str, sentence: str) -> NoReturn:
    raise ValueError(f"its header {sentence}")
