# SPDX-License-Identifier: MIT
"""Smaller inputs with the same fault."""

import json
import struct
import time
from collections.abc import Callable

from explorer import child
from gltf_files import glb
from mutations import glb_parts, members

SECONDS = 60.0  # for one finding


def minimised(kind: str, data: bytes, sign: str) -> bytes:
    """Drop members of JSON, then bytes, as long as the fault keeps its sign."""
    until = time.monotonic() + SECONDS

    def keeps(candidate: bytes) -> bool:
        outcomes = child([0], lambda _: (kind, candidate)) if time.monotonic() < until else ()
        return any(outcome.sign == sign for outcome in outcomes)

    return fewer_bytes(fewer_members(kind, data, keeps), keeps)


def fewer_members(kind: str, data: bytes, keeps: Callable[[bytes], bool]) -> bytes:
    """Of the JSON of a glTF, a GLB or a safetensors file; what has lost its structure stays as it is."""
    if kind == "gltf":
        text, whole = data, bytes
    elif kind == "glb" and (parts := glb_parts(data)) is not None:
        text, whole = parts[0], lambda text: glb(text, parts[1])
    elif kind == "safetensors" and len(data) > 8:
        end = 8 + struct.unpack_from("<Q", data)[0]
        text, whole = data[8:end], lambda text: struct.pack("<Q", len(text)) + text + data[end:]
    else:
        return data
    try:
        root = json.loads(text)
    except ValueError:
        return data
    if not keeps(whole(json.dumps(root).encode())):
        return data
    tried = 0
    while tried < len(places := list(members(root))):
        holder, key = places[tried]
        before = list(holder.items()) if isinstance(holder, dict) else list(holder)
        del holder[key]
        if keeps(whole(json.dumps(root).encode())):
            continue  # the next place has the same number now
        holder.clear()
        holder.update(before) if isinstance(holder, dict) else holder.extend(before)
        tried += 1
    return whole(json.dumps(root).encode())


def fewer_bytes(data: bytes, keeps: Callable[[bytes], bool]) -> bytes:
    """Halves first, single bytes last."""
    size = len(data) // 2
    while size:
        at = 0
        while at < len(data):
            candidate = data[:at] + data[at + size :]
            if keeps(candidate):
                data = candidate
            else:
                at += size
        size //= 2
    return data
