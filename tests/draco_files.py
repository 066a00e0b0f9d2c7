# SPDX-License-Identifier: MIT
"""Files compressed by KHR_draco_mesh_compression, made by DracoPy."""

from typing import Any

import DracoPy
import numpy as np

from gltf_files import COMPONENTS, TYPES, File

EXTENSION = "KHR_draco_mesh_compression"
BITS = 14  # of positions
OTHER_BITS = 12  # at least, of normals and texture coordinates, by DracoPy's defaults


def grid(side: int, seed: int = 0) -> dict[str, np.ndarray]:
    """A wavy sheet of side x side vertices, skinned to two joints, with morphed normals and colours."""
    rng = np.random.default_rng(seed)
    u, v = (each.reshape(-1) for each in np.meshgrid(*[np.linspace(0, 1, side)] * 2))
    positions = np.stack([u, 2 * v, 0.2 * np.sin(6 * u) * np.cos(4 * v)], axis=1).astype(np.float32)
    corner = (np.arange(side - 1)[:, None] * side + np.arange(side - 1)).reshape(-1)
    quads = [corner, corner + 1, corner + side, corner + 1, corner + side + 1, corner + side]
    normals = rng.normal(size=(len(u), 3)) + np.array([0, 0, 4])
    weights = np.stack([1 - v, v, 0 * u, 0 * u], axis=1).astype(np.float32)
    return {
        "POSITION": positions,
        "NORMAL": (normals / np.linalg.norm(normals, axis=1, keepdims=True)).astype(np.float32),
        "TEXCOORD_0": np.stack([u, v], axis=1).astype(np.float32),
        "JOINTS_0": np.tile(np.array([0, 1, 0, 0], np.uint8), (len(u), 1)),
        "WEIGHTS_0": weights,
        "COLOR_0": rng.integers(0, 65_536, (len(u), 4)).astype(np.uint16),
        "indices": np.stack(quads, axis=1).reshape(-1).astype(np.uint32),
    }


def stream_of(arrays: dict[str, np.ndarray], *, keeps_order: bool = False) -> tuple[bytes, dict[str, int]]:
    """A stream, and the number of each attribute in it."""
    generic = ("JOINTS_0", "WEIGHTS_0", "COLOR_0")
    named = {number: arrays[name] for number, name in enumerate(generic) if name in arrays}
    native = {"TEXCOORD_0": "tex_coord", "NORMAL": "normals"}
    data = DracoPy.encode(
        arrays["POSITION"],
        arrays["indices"].reshape(-1, 3),
        quantization_bits=BITS,
        preserve_order=keeps_order,
        generic_attributes=named,
        **{word: arrays[name].astype(float) for name, word in native.items() if name in arrays},
    )
    kinds = {0: "POSITION", 1: "NORMAL", 3: "TEXCOORD_0"}  # draco::GeometryAttribute::Type
    numbers = {generic[number]: number for number in named}
    for attribute in DracoPy.decode(data).attributes:
        if attribute["attribute_type"] in kinds:
            numbers[kinds[attribute["attribute_type"]]] = attribute["unique_id"]
    return data, numbers


def without_data(file: File, values: np.ndarray, **more: Any) -> int:
    """An accessor whose elements a stream holds."""
    dtype = values.dtype.str[1:]
    width = 1 if values.ndim == 1 else values.shape[1]
    return file.push(
        "accessors",
        {"componentType": COMPONENTS[dtype], "count": len(values), "type": TYPES[width], **more},
    )


def sheet(side: int = 9, *, keeps_order: bool = False, seed: int = 0) -> File:
    """Two joints that bend a sheet of which all but a morph target is compressed."""
    arrays = grid(side, seed)
    data, numbers = stream_of(arrays, keeps_order=keeps_order)
    file = File()
    view = file.view(data)
    attributes = {
        name: without_data(file, values, **({"normalized": True} if name == "COLOR_0" else {}))
        for name, values in arrays.items()
        if name != "indices"
    }
    position = file.json["accessors"][attributes["POSITION"]]
    position |= {"min": [0, 0, -0.2], "max": [1, 2, 0.2]}
    indices = without_data(file, arrays["indices"].astype(np.uint16))
    moved = np.zeros_like(arrays["POSITION"])
    moved[:, 2] = np.arange(len(moved))
    primitive = {
        "attributes": attributes,
        "indices": indices,
        "targets": [{"POSITION": file.add(moved)}],
        "extensions": {EXTENSION: {"bufferView": view, "attributes": numbers}},
    }
    file.push("meshes", {"primitives": [primitive]})
    file.push("skins", {"joints": [1, 2]})
    file.push("nodes", {"name": "root", "children": [1, 3]})
    file.push("nodes", {"name": "lower", "children": [2]})
    file.push("nodes", {"name": "upper", "translation": [0, 1, 0]})
    file.push("nodes", {"name": "sheet", "mesh": 0, "skin": 0})
    file.push("scenes", {"nodes": [0]})
    file.json["extensionsUsed"] = file.json["extensionsRequired"] = [EXTENSION]
    return file
