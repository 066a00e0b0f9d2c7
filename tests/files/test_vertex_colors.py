# SPDX-License-Identifier: MIT
"""Vertex colours of glTF files: all types, faults, parts with and without; beside what the bytes say."""

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lissom
from conftest import ASSETS, asset_files, asset_id, each_asset
from gltf_files import File, triangle
from lissom.errors import GltfError

COLORS = np.array([[0.0, 0.25, 1.0, 0.5], [1.0, 0.125, 0.75, 0.0], [0.5, 0.5, 0.5, 1.0]])


def colored(values: Any, dtype: str = "f4", name: str = "COLOR_0", **properties: Any) -> File:
    file = triangle()
    attributes = file.json["meshes"][0]["primitives"][0]["attributes"]
    attributes[name] = file.add(values, dtype, **properties)
    return file


def mesh_of(file: File, **options: bool) -> lissom.Mesh:
    mesh = lissom.load(file.glb(), **options).mesh
    assert mesh is not None
    return mesh


@pytest.mark.parametrize("columns", [3, 4])
@pytest.mark.parametrize(("dtype", "most"), [("f4", 1), ("u1", 255), ("u2", 65535)])
def test_all_types_are_read(columns: int, dtype: str, most: int) -> None:
    stored = np.rint(COLORS[:, :columns] * most) if most > 1 else COLORS[:, :columns]
    properties = {"normalized": True} if most > 1 else {}
    file = colored(stored, dtype, **properties)
    mesh = mesh_of(file)
    assert mesh.colors is not None
    assert mesh.colors.dtype == np.float32
    np.testing.assert_array_equal(mesh.colors[:, :columns], (stored / most).astype(np.float32))
    if columns == 3:
        np.testing.assert_array_equal(mesh.colors[:, 3], 1)
    assert repr(mesh).endswith("1 part, colors)")


def test_colours_between_other_attributes_and_sparse_ones_are_read() -> None:
    file = triangle()
    rows = np.zeros(3, np.dtype([("position", "<f4", 3), ("color", "u1", 4)]))
    rows["position"], rows["color"] = np.eye(3), 255 * np.eye(3, 4)
    view = file.view(rows.tobytes(), byteStride=16)
    kinds = (("POSITION", 0, 5126, "VEC3"), ("COLOR_0", 12, 5121, "VEC4"))
    attributes = file.json["meshes"][0]["primitives"][0]["attributes"]
    for name, offset, component, kind in kinds:
        accessor = {"bufferView": view, "byteOffset": offset, "componentType": component, "count": 3}
        attributes[name] = file.push("accessors", accessor | {"type": kind, "normalized": name == "COLOR_0"})
    np.testing.assert_array_equal(mesh_of(file).colors, np.eye(3, 4))
    del file.json["accessors"][attributes["COLOR_0"]]["bufferView"]
    file.json["accessors"][attributes["COLOR_0"]]["byteOffset"] = 0
    file.json["accessors"][attributes["COLOR_0"]]["sparse"] = {
        "count": 1,
        "indices": {"bufferView": file.view(bytes([1])), "componentType": 5121},
        "values": {"bufferView": file.view(bytes([255, 0, 0, 51]))},
    }
    expected = np.zeros((3, 4), np.float32)
    expected[1] = [1, 0, 0, np.float32(51) / np.float32(255)]
    np.testing.assert_array_equal(mesh_of(file).colors, expected)


def test_parts_without_are_white_and_meshes_without_have_none() -> None:
    file = colored(COLORS)
    first = file.json["meshes"][0]["primitives"][0]
    plain = {"attributes": {"POSITION": first["attributes"]["POSITION"]}, "indices": first["indices"]}
    file.json["meshes"][0]["primitives"] = [plain, first, plain]
    character = lissom.load(file.glb())
    assert character.mesh is not None
    assert character.mesh.colors is not None
    expected = np.concatenate([np.ones((3, 4)), COLORS, np.ones((3, 4))])
    np.testing.assert_array_equal(character.mesh.colors, expected)
    assert character.repairs == ()
    middle = character.only("flag/1").mesh
    assert middle is not None
    np.testing.assert_array_equal(middle.colors, COLORS)
    rest = character.without("flag/1").mesh
    assert rest is not None
    np.testing.assert_array_equal(rest.colors, np.ones((6, 4)))
    assert mesh_of(triangle()).colors is None


@pytest.mark.parametrize(
    ("stored", "code", "words", "expected"),
    [
        (
            [[0, 0.5, 2, 1], [-1, 0, 0, 0], [1, 1, 1, 1]],
            "ACCESSOR_NON_CLAMPED",
            "colours must lie in [0, 1], got -1 to 2; 2 colours of 3 were clamped",
            [[0, 0.5, 1, 1], [0, 0, 0, 0], [1, 1, 1, 1]],
        ),
        (
            [[np.nan, 0, 0, 0], [0, np.nan, np.nan, 1], [0, 0, 0, 0]],
            "ACCESSOR_INVALID_FLOAT",
            "colours must be numbers, got NaN in 2 colours, where it was replaced by 1",
            [[1, 0, 0, 0], [0, 1, 1, 1], [0, 0, 0, 0]],
        ),
        (
            [[np.inf, 0, 0, -np.inf], [0, 0, 0, 0], [0, 0, 0, 0]],
            "ACCESSOR_NON_CLAMPED",
            "got -inf to inf; 1 colour of 3",
            [[1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
        ),
    ],
)
def test_faults_are_repaired_and_said(stored: Any, code: str, words: str, expected: Any) -> None:
    file = colored(stored)
    character = lissom.load(file.glb())
    assert character.mesh is not None
    np.testing.assert_array_equal(character.mesh.colors, expected)
    (repair,) = character.repairs
    assert (repair.code, repair.pointer) == (code, "/meshes/0/primitives/0/attributes/COLOR_0")
    assert words in repair.message
    with pytest.raises(GltfError) as refused:
        lissom.load(file.glb(), strict=True)
    assert refused.value.code in (code, "ACCESSOR_INVALID_FLOAT")


@pytest.mark.parametrize(
    ("values", "dtype", "properties"),
    [
        (COLORS[:, :2], "f4", {}),
        (COLORS, "u1", {}),
        (COLORS, "i1", {"normalized": True}),
        (COLORS, "u4", {}),
        (COLORS, "f4", {"normalized": True}),
    ],
    ids=["two numbers", "not normalised", "signed", "uint", "normalised float"],
)
def test_another_format_leaves_the_colours_out(values: Any, dtype: str, properties: Any) -> None:
    file = colored(values, dtype, **properties)
    character = lissom.load(file.glb())
    assert character.mesh is not None
    assert character.mesh.colors is None
    (repair,) = character.repairs
    assert repair.code == "MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT"
    assert "COLOR_0 must have another format than" in repair.message
    assert repair.message.endswith("the colours were left out")
    with pytest.raises(GltfError):
        lissom.load(file.glb(), strict=True)


def test_other_counts_are_refused_and_further_sets_are_named() -> None:
    with pytest.raises(GltfError, match="COLOR_0 must have 3 elements, as POSITION has, got 2"):
        lissom.load(colored(COLORS[:2]).glb())
    character = lissom.load(colored(COLORS, name="COLOR_1").glb())
    assert character.mesh is not None
    assert character.mesh.colors is None
    (repair,) = character.repairs
    assert repair.code == "VERTEX_COLORS_LEFT_OUT"
    assert repair.message == "of the vertex colours of 1 primitive only COLOR_0 is loaded"


def accessor_numbers(root: Any, data: bytes, index: int) -> np.ndarray[Any, Any]:
    """An accessor of a file, read with `struct` alone, normalised."""
    accessor = root["accessors"][index]
    view = root["bufferViews"][accessor["bufferView"]]
    letter, most = {5121: ("B", 255), 5123: ("H", 65535), 5126: ("f", 1)}[accessor["componentType"]]
    width = {"VEC3": 3, "VEC4": 4}[accessor["type"]]
    start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    step = view.get("byteStride") or struct.calcsize(f"<{width}{letter}")
    rows = [struct.unpack_from(f"<{width}{letter}", data, start + step * i) for i in range(accessor["count"])]
    return np.array(rows) / most


def opened(path: Path) -> tuple[Any, bytes]:
    data = path.read_bytes()
    if path.suffix == ".gltf":
        root = json.loads(data)
        uri = root["buffers"][0].get("uri", "")
        return root, b"" if uri.startswith("data:") else (path.parent / uri).read_bytes()
    (length,) = struct.unpack_from("<I", data, 12)
    return json.loads(data[20 : 20 + length]), data[28 + length :]


def files_with_colors() -> list[Path]:
    found = []
    for path in asset_files("characters", "wild/colors", "wild/retarget"):
        root, data = opened(path)
        primitives = [one for mesh in root.get("meshes", []) for one in mesh["primitives"]]
        is_plain = data and "KHR_draco_mesh_compression" not in root.get("extensionsRequired", [])
        if is_plain and any("COLOR_0" in one["attributes"] for one in primitives):
            found.append(path)
    return found


@pytest.mark.parametrize("path", each_asset(files_with_colors(), "wild"), ids=asset_id)
def test_colours_of_real_files_are_what_their_bytes_say(path: Path) -> None:
    root, data = opened(path)
    character = lissom.load(path)
    assert character.mesh is not None
    assert character.mesh.colors is not None
    ours = [character.mesh.colors[part.vertices] for part in character.mesh.parts]
    seen = 0
    for mesh in root["meshes"]:
        for primitive in mesh["primitives"]:
            if "COLOR_0" not in primitive["attributes"] or primitive.get("mode", 4) < 4:
                continue
            stored = accessor_numbers(root, data, primitive["attributes"]["COLOR_0"])
            expected = np.ones((len(stored), 4), np.float32)
            expected[:, : stored.shape[1]] = stored
            same = [part for part in ours if part.shape == expected.shape and (part == expected).all()]
            assert same, mesh.get("name")
            seen += 1
    assert seen
    # What is saved is what was loaded.
    back = lissom.load(lissom.save_glb(character)).mesh
    assert back is not None
    np.testing.assert_array_equal(back.colors, character.mesh.colors)


def test_there_are_real_files() -> None:
    if not (ASSETS / "wild" / "colors").exists():
        pytest.skip("the wild files are not committed")
    assert len(files_with_colors()) >= 5
