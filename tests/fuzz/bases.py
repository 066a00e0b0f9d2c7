# SPDX-License-Identifier: MIT
"""Good files of each kind that lissom reads: what the mutations begin with."""

from base64 import b64decode
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import lissom
from bvh_files import random_bvh
from draco_files import sheet
from gltf_files import File, arm, triangle
from meshopt_streams import KHR, compressed

LAYOUTS = ("dual_quat", "quat_trans", "trs", "matrix", "rotations")
JOB = """
[defaults]
output = "out"
rate = 10
[[job]]
source = "model.glb"
clips = ["bend"]
no_loop = "bend"
dtype = "float32"
rate = { bend = 20 }
[[job]]
source = "two_bone_tube"
name = "tube.safetensors"
max_error = 0.01
include_mesh = false
root_motion = true
"""
# 8 x 8 pixels each, as bytes: what an encoder writes differs from version to version.
PICTURES = {
    "image/png": "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAFklEQVR4nGM8EaDBgA0wYRUlS4Ie"
    "AAD9NAFIjU1q1gAAAABJRU5ErkJggg==",
    "image/jpeg": "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAKBueIx4ZKCMgoy0qqC+8P//8Nzc8P//////////////"
    "////////////////////////////////////////////wAALCAAIAAgBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABYQAAMA"
    "AAAAAAAAAAAAAAAAAAASYf/aAAgBAQAAPwA3h//Z",
    "image/webp": "UklGRjYAAABXRUJQVlA4ICoAAACwAQCdASoIAAgAB0CWJaACdACyayQAAPnWjTiOIOyGiZtWEke1YOoAAAA=",
}


@cache
def bases(kind: str) -> tuple[bytes, ...]:
    """Good files of a kind."""
    if kind == "bvh":
        return tuple(random_bvh(np.random.default_rng(i), 4, 5).encode() for i in range(3))
    if kind == "job":
        return (JOB.encode(),)
    if kind == "gltf":
        return (
            triangle().gltf(),
            arm().gltf(),
            puppet().gltf(),
            compressed(puppet(), KHR).gltf(),
            sheet(4).gltf(),
        )
    with TemporaryDirectory() as folder:
        if kind == "safetensors":
            return tuple(bakes(Path(folder, "bake.safetensors")))
        path = Path(folder, "tube.glb")
        lissom.save_glb(lissom.samples.two_bone_tube(), path)
        glbs = triangle(), arm(), puppet(), compressed(puppet()), sheet(4), sheet(3, keeps_order=True)
        return *(file.glb() for file in glbs), path.read_bytes()


def bakes(path: Path) -> list[bytes]:
    """Each layout of a tube; bytes, markers, root motion and pictures."""
    tube = lissom.samples.two_bone_tube()
    files = []
    for layout in LAYOUTS:
        lissom.bake(tube, ["bend"], rate=5.0, layout=layout, include_mesh=layout == LAYOUTS[0]).save(path)
        files.append(path.read_bytes())
    character = lissom.load(puppet().glb())
    marked = character.clips["walk"].with_markers({"step": [0.25, 0.5]})
    lissom.bake(
        character, {"walk": marked}, rate=5.0, dtype="uint8", root_motion=True, include_mesh=True
    ).save(path)
    return [*files, path.read_bytes()]


def puppet() -> File:
    """The arm with all that few files hold.

    Sparse, quantised and interleaved numbers, pictures, morph targets, cubic and stepped tracks of all paths,
    eight influences, a second skin, a rigid part, a mirrored node, a strip of triangles, a camera.
    """
    file = arm()
    primitive: dict[str, Any] = file.json["meshes"][0]["primitives"][0]
    primitive["attributes"] |= quantised_attributes(file)
    primitive["targets"] = [{"POSITION": file.add([[0, 0, 0.25], [0, 0, 0.5], [0, 0, 0]])}]
    file.json["meshes"][0] |= {"weights": [0.5], "extras": {"targetNames": ["puff"]}}
    file.json["extensionsUsed"] = ["KHR_mesh_quantization", "KHR_texture_transform"]
    primitive["material"] = pictured(file, "image/png", {"KHR_texture_transform": {"scale": [2, 2]}})
    flag = {
        "attributes": strip(file) | {"TEXCOORD_0": file.add([[0, 0], [1, 0], [0, 1], [1, 1]])},
        "mode": 5,
        "indices": file.add([0, 1, 2, 3], "u1"),
        "material": pictured(file, "image/jpeg"),
    }
    rest = {"attributes": primitive["attributes"], "material": pictured(file, "image/webp")}
    file.push("meshes", {"primitives": [flag]})
    file.push("meshes", {"primitives": [rest]})
    file.push("skins", {"joints": [2, 1], "skeleton": 1})
    file.json["cameras"] = [{"type": "perspective", "perspective": {"yfov": 1, "znear": 0.1}}]
    nodes = file.json["nodes"]
    nodes[0]["children"] += [4, 5]
    nodes[2]["children"] = [6]
    mirror = [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1]
    nodes.append({"name": "mirror", "matrix": mirror, "mesh": 2, "skin": 1})
    nodes.append({"name": "eye", "camera": 0, "scale": [1, 1, 1]})
    nodes.append({"name": "flag", "mesh": 1, "rotation": [0, 0, 0.6, 0.8], "extras": {"note": "rigid"}})
    animated(file)
    return file


def quantised_attributes(file: File) -> dict[str, int]:
    normals = file.add([[0, 0, 127, 0]] * 3, "i1", normalized=True, type="VEC3")
    file.json["accessors"][normals].pop("min", None)
    file.json["bufferViews"][-1]["byteStride"] = 4
    positions = file.add([[0, 0, 0], [0.5, 1, 0], [1, 2, 0]])
    file.json["accessors"][positions]["sparse"] = {
        "count": 1,
        "indices": {"bufferView": file.view(b"\x02"), "componentType": 5121},
        "values": {"bufferView": file.view(np.float32([1, 2, 0.5]).tobytes())},
    }
    return {
        "POSITION": positions,
        "NORMAL": normals,
        "TEXCOORD_0": file.add([[0, 0], [65535, 0], [0, 65535]], "u2", normalized=True),
        "JOINTS_1": file.add([[1, 1, 0, 0]] * 3, "u2"),
        "WEIGHTS_0": file.add([[255, 0, 0, 0], [100, 100, 0, 0], [255, 0, 0, 0]], "u1", normalized=True),
        "WEIGHTS_1": file.add([[0, 0, 0, 0], [55, 0, 0, 0], [0, 0, 0, 0]], "u1", normalized=True),
    }


def strip(file: File) -> dict[str, int]:
    """Positions and normals of a strip, one after the other in one view."""
    rows = np.zeros((4, 6), "<f4")
    rows[:, :2], rows[:, 5] = [[0, 0], [1, 0], [0, 1], [1, 1]], 1
    view = file.view(rows.tobytes(), byteStride=24)
    accessor = {"bufferView": view, "componentType": 5126, "count": 4, "type": "VEC3"}
    positions = file.push("accessors", accessor | {"min": [0, 0, 0], "max": [1, 1, 0]})
    return {"POSITION": positions, "NORMAL": file.push("accessors", accessor | {"byteOffset": 12})}


def pictured(file: File, mime: str, extensions: dict[str, Any] | None = None) -> int:
    view = file.view(b64decode(PICTURES[mime]))
    image = file.push("images", {"bufferView": view, "mimeType": mime, "name": mime[6:]})
    texture = file.push("textures", {"source": image})
    info = {"index": texture} | ({"extensions": extensions} if extensions else {})
    return file.push("materials", {"pbrMetallicRoughness": {"baseColorTexture": info}})


def animated(file: File) -> None:
    """A clip that moves the root and the upper joint by each path and interpolation."""
    times = file.add([0, 0.5, 1])
    knots = file.add([[0, 0, 0], [0, 0, 0], [1, 0, 0], [0, 0, 0], [0.5, 0, 0.1], [0, 0, 0]] + [[0, 0, 0]] * 3)
    bytes_of_turns = [[0, 0, 0, 127], [0, 90, 0, 90], [0, 0, 0, 127]]
    turns = file.add(bytes_of_turns, "i1", normalized=True)
    scales = file.add([[1, 1, 1], [2, 1, 1], [1, 1, -1]])
    outputs = (
        (1, "translation", knots, "CUBICSPLINE"),
        (2, "rotation", turns, "LINEAR"),
        (2, "scale", scales, "STEP"),
    )
    samplers, channels = [], []
    for number, (node, path, output, interpolation) in enumerate(outputs):
        samplers.append({"input": times, "output": output, "interpolation": interpolation})
        channels.append({"sampler": number, "target": {"node": node, "path": path}})
    file.push("animations", {"name": "walk", "samplers": samplers, "channels": channels})
