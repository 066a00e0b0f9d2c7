# SPDX-License-Identifier: MIT
"""A character whose names hold all that a terminal, a page or a file system would obey, hide or refuse."""

import io
import json
import unicodedata
from pathlib import Path

import numpy as np
from PIL import Image

from gltf_files import File, arm

ESCAPE = "\x1b[31mred\x1b]0;title\x07"
SCRIPT = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
QUOTES = "\"'`&<b>[bold]$x$"
WILD = f"{ESCAPE}\n\r\u202egnp.\u2066\u0000../../{SCRIPT}{QUOTES}{'n' * 300}"
"""A name for anything that is not a file."""

FILE = f"{ESCAPE}\n\r\u202egnp.\u2066<b>&\"'"
"""The stem of a file's name: all of it but a slash and NUL, which no file has."""

_UNSAFE = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def wild() -> File:
    """An arm with two parts, a clip and a texture, all of whose names begin with `WILD` or hold it."""
    file = arm()
    root = file.json
    for number, node in enumerate(root["nodes"]):
        node["name"] = f"{WILD}{number}"
        node["extras"] = {WILD: WILD}
    picture = io.BytesIO()
    Image.new("RGB", (2, 2), "red").save(picture, "PNG")
    view = file.view(picture.getvalue())
    root["images"] = [{"bufferView": view, "mimeType": f"image/{WILD}", "name": WILD}]
    root["textures"] = [{"source": 0, "name": WILD}]
    base = {"baseColorTexture": {"index": 0}}
    root["materials"] = [{"name": f"{WILD}{n}", "pbrMetallicRoughness": base} for n in range(2)]
    uvs = file.add([[0, 0], [1, 0], [0, 1]])
    (mesh,) = root["meshes"]
    mesh["name"] = WILD
    (primitive,) = mesh["primitives"]
    primitive["attributes"]["TEXCOORD_0"] = uvs
    mesh["primitives"] = [{**primitive, "material": n} for n in range(2)]
    root["animations"][0]["name"] = WILD
    root["animations"].append({**root["animations"][0], "name": f"{WILD}2"})
    root["scenes"][0]["name"] = root["skins"][0]["name"] = WILD
    root["asset"] |= {"generator": WILD, "copyright": WILD, "extras": {WILD: WILD}}
    at = root["bufferViews"][2]["byteOffset"]
    file.binary[at : at + 4] = np.float32(0.25).tobytes()  # weights to mend, so that there are records
    return file


def written(folder: Path, name: str = FILE) -> Path:
    path = folder / f"{name}.glb"
    path.write_bytes(wild().glb())
    return path


def unsafe(text: str, allowed: str = "\n") -> list[str]:
    """The characters of a text that a terminal would obey or hide, as escapes."""
    found = {c for c in text if unicodedata.category(c) in _UNSAFE and c not in allowed}
    return sorted(json.dumps(c) for c in found)
