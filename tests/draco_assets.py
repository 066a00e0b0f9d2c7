# SPDX-License-Identifier: MIT
"""Files compressed by KHR_draco_mesh_compression among the assets, and their streams."""

import base64
import json
from pathlib import Path
from typing import Any

from conftest import ASSETS
from draco_files import EXTENSION
from glb_contents import contents
from node_tools import base64_of


def draco_files() -> list[Path]:
    folders = [
        ASSETS / "wild" / "compressed",
        ASSETS / "wild" / "colors",
        ASSETS / "wild" / "morph" / "gltfast",
    ]
    folders.append(ASSETS / "characters" / "quaternius" / "ultimate_space_pack")
    files = [path for folder in folders for path in sorted(folder.rglob("*.gl*"))]
    return [path for path in files if EXTENSION.encode() in path.read_bytes()]


def streams(path: Path) -> dict[tuple[int, int], dict[str, Any]]:
    """The streams of a file, by mesh and primitive, as tasks of draco.js."""
    data = path.read_bytes()
    if data[:4] == b"glTF":
        root = contents(data)
        binary = data[28 + int.from_bytes(data[12:16], "little") :]
    else:
        root = json.loads(data)
        uri = root["buffers"][0]["uri"]
        is_inside = uri.startswith("data:")
        binary = base64.b64decode(uri.split(",")[1]) if is_inside else (path.parent / uri).read_bytes()
    tasks = {}
    for number, mesh in enumerate(root["meshes"]):
        for place, one in enumerate(mesh["primitives"]):
            if EXTENSION not in one.get("extensions", {}):
                continue
            said = one["extensions"][EXTENSION]
            view = root["bufferViews"][said["bufferView"]]
            start = view.get("byteOffset", 0)
            stream = base64_of(binary[start : start + view["byteLength"]])
            tasks[number, place] = {"stream": stream, "attributes": said["attributes"]}
    return tasks
