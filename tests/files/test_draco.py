# SPDX-License-Identifier: MIT
"""Files compressed by KHR_draco_mesh_compression."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial import cKDTree

import lissom
from conftest import asset_id
from draco_assets import draco_files, streams
from draco_files import BITS, EXTENSION, grid, sheet, stream_of
from gltf_files import File, triangle
from lissom._files.gltf.primitives import Geometry
from lissom._formats.draco import DracoExtent
from lissom.errors import GltfError
from node_tools import ask, needs_node
from saved_characters import assert_same_character
from test_compressed_references import geometries

# Half a step of the range of positions, 2, and what float32 rounds.
STEP = 2 / (2**BITS - 1) / 2 * 1.01


def test_attributes_are_those_encoded_within_a_step() -> None:
    arrays = grid(9)
    hero = lissom.load(sheet(keeps_order=True).glb())
    mesh = hero.mesh
    np.testing.assert_allclose(mesh.positions, arrays["POSITION"], rtol=0, atol=STEP)
    np.testing.assert_array_equal(mesh.triangles.reshape(-1), arrays["indices"])
    np.testing.assert_allclose(mesh.normals, arrays["NORMAL"], rtol=0, atol=1e-3)
    np.testing.assert_allclose(mesh.uvs, arrays["TEXCOORD_0"], rtol=0, atol=1e-3)
    np.testing.assert_allclose(mesh.colors, arrays["COLOR_0"] / 65535, rtol=0, atol=1e-7)
    by_row = np.zeros((len(mesh.positions), 2))
    np.add.at(by_row, (np.arange(len(by_row))[:, None], mesh.indices), mesh.weights)
    np.testing.assert_allclose(by_row, arrays["WEIGHTS_0"][:, :2], rtol=0, atol=1e-3)
    assert hero.repairs == ()


def test_vertices_that_were_reordered_are_the_same_surface() -> None:
    plain, moved = (lissom.load(sheet(12, keeps_order=keeps).glb()).mesh for keeps in (True, False))
    assert not np.array_equal(plain.positions, moved.positions)
    middles = [mesh.positions[mesh.triangles].mean(axis=1) for mesh in (plain, moved)]
    for one, other in (middles, middles[::-1]):
        distances, nearest = cKDTree(one).query(other)
        assert distances.max() < 2 * STEP
        assert len(np.unique(nearest)) == len(one)


def test_morph_targets_index_the_decoded_vertices() -> None:
    mesh = lissom.load(sheet(9).glb()).mesh
    np.testing.assert_array_equal(mesh.morphs.vertices, np.arange(1, 81))
    np.testing.assert_array_equal(mesh.morphs.positions[:, 2], np.arange(1, 81))


def test_the_saved_file_is_plain() -> None:
    hero = lissom.load(sheet().glb(), strict=True)
    saved = lissom.save_glb(hero)
    assert b"draco" not in saved
    assert_same_character(hero, lissom.load(saved, strict=True))


def test_uncompressed_data_beside_it_is_read_instead() -> None:
    file = triangle()
    primitive = file.json["meshes"][0]["primitives"][0]
    primitive["extensions"] = {EXTENSION: {"bufferView": 0, "attributes": {"POSITION": 0}}}
    file.json["extensionsUsed"] = [EXTENSION]
    hero = lissom.load(file.glb())
    np.testing.assert_array_equal(hero.mesh.positions, [[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    assert hero._compression == ()


def test_without_dracopy_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "DracoPy", None)
    with pytest.raises(
        GltfError, match=r'DracoPy is in the extra "draco": pip install "lissom\[draco\]"'
    ) as caught:
        lissom.load(sheet().glb())
    assert (caught.value.code, caught.value.pointer) == ("UNSUPPORTED_EXTENSION", "/extensionsRequired/0")
    file = sheet()
    del file.json["extensionsRequired"]
    with pytest.raises(GltfError, match="or export it without compression") as caught:
        lissom.load(file.glb())
    assert caught.value.pointer == f"/meshes/0/primitives/0/extensions/{EXTENSION}"


def primitive(file: File) -> dict[str, Any]:
    return file.json["meshes"][0]["primitives"][0]


def told(file: File) -> dict[str, Any]:
    return primitive(file)["extensions"][EXTENSION]


def recount(name: str, by: int) -> Callable[[File], Any]:
    def change(file: File) -> None:
        for each, index in primitive(file)["attributes"].items():
            if name in (each, "all"):
                file.json["accessors"][index]["count"] += by
        if name == "all":
            primitive(file).pop("targets")
        if name == "indices":
            file.json["accessors"][primitive(file)["indices"]]["count"] += by

    return change


def retype(name: str, **values: Any) -> Callable[[File], Any]:
    return lambda file: file.json["accessors"][primitive(file)["attributes"][name]].update(values)


def damage(at: int, value: int) -> Callable[[File], Any]:
    def change(file: File) -> None:
        file.binary[at] = value

    return change


def points_alone(file: File) -> None:
    file.binary[7] = 0


PLACE = f"/meshes/0/primitives/0/extensions/{EXTENSION}"
WRONG: dict[str, tuple[Callable[[File], Any], str, str]] = {
    "more vertices than the stream": (
        recount("all", 1), PLACE, "must hold 82 vertices, as POSITION has, got 81 in 128 triangles",
    ),
    "fewer vertices than the stream": (
        recount("all", -1), PLACE, "must hold 80 vertices, as POSITION has, got 81 in 128 triangles",
    ),
    "more indices than the stream": (
        recount("indices", 3), PLACE, "must hold the 387 indices of the primitive's accessor, got 384",
    ),
    "counts beyond all": (recount("all", 10**9), "/meshes/0/primitives/0", "needs .* MiB decoded"),
    "a number that is not there": (
        lambda file: told(file)["attributes"].update(NORMAL=77), f"{PLACE}/attributes/NORMAL",
        "must have an attribute of the number 77, got",
    ),
    "other components": (
        lambda file: told(file)["attributes"].update(NORMAL=told(file)["attributes"]["TEXCOORD_0"]),
        f"{PLACE}/attributes/NORMAL",
        "must hold elements of 3 components, as the accessor says, got 2",
    ),
    "floats as integers": (
        lambda file: told(file)["attributes"].update(JOINTS_0=told(file)["attributes"]["WEIGHTS_0"]),
        f"{PLACE}/attributes/JOINTS_0",
        "must hold VEC4 of ubyte, as the accessor says, got floats",
    ),
    "integers too large": (
        lambda file: told(file)["attributes"].update(JOINTS_0=told(file)["attributes"]["COLOR_0"]),
        f"{PLACE}/attributes/JOINTS_0",
        "must hold VEC4 of ubyte, as the accessor says, got numbers from",
    ),
    "no stream": (damage(0, 0), PLACE, "must begin with DRACO"),
    "an older version": (damage(6, 1), PLACE, "must be of version 2.2, got 2.1"),
    "a version of the future": (damage(5, 3), PLACE, "must be of version 2.2, got 3.2"),
    "points": (points_alone, PLACE, "must hold triangles, got kind 0"),
    "no such view": (
        lambda file: told(file).update(bufferView=99), f"{PLACE}/bufferView", "must be below",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_streams_that_lie_are_refused_by_a_sentence(name: str) -> None:
    spoil, pointer, words = WRONG[name]
    file = sheet()
    spoil(file)
    with pytest.raises(GltfError, match=words) as caught:
        lissom.load(file.glb())
    assert caught.value.pointer == pointer
    assert caught.value.code in ("DRACO_STREAM_INVALID", "UNRESOLVED_REFERENCE", "LIMIT_EXCEEDED")


@pytest.mark.parametrize("keeps_order", [True, False])
def test_a_stream_cut_anywhere_is_refused(keeps_order: bool) -> None:
    whole = sheet(4, keeps_order=keeps_order)
    length = whole.json["bufferViews"][0]["byteLength"]
    claims = set()
    for size in range(1, length):
        whole.json["bufferViews"][0]["byteLength"] = size
        with pytest.raises(GltfError) as caught:
            lissom.load(whole.glb())
        assert caught.value.code == "DRACO_STREAM_INVALID"
        assert caught.value.pointer.startswith(PLACE)
        claims.add(str(caught.value).rpartition("; ")[2].partition(" [")[0])
    assert "it is cut off" in claims
    assert "it is damaged" not in claims


@pytest.mark.parametrize("keeps_order", [True, False])
def test_the_head_says_what_is_decoded(keeps_order: bool) -> None:
    arrays = grid(20)
    data, _ = stream_of(arrays, keeps_order=keeps_order)
    extent = DracoExtent.of(np.frombuffer(data, np.uint8), 1 << 20)
    assert (extent.faces, extent.points) == (2 * 19 * 19, 400)


def test_metadata_before_the_counts_are_skipped() -> None:
    import DracoPy

    arrays = grid(5)
    named = {"a name": arrays["COLOR_0"], "another": arrays["WEIGHTS_0"]}
    data = DracoPy.encode(
        arrays["POSITION"], arrays["indices"], create_metadata=True, generic_attributes=named,
        quantization_range=4, quantization_origin=[-1, -1, -1],
    )  # fmt: skip
    extent = DracoExtent.of(np.frombuffer(data, np.uint8), 1 << 20)
    assert (extent.faces, extent.points, extent.left) == (32, 25, 0)
    assert extent.metadata > 40
    assert len(extent.attributes) == 3


def same(geometry: Geometry, answer: dict[str, Any]) -> None:
    np.testing.assert_array_equal(geometry.triangles.reshape(-1), answer["faces"])
    fields = {"POSITION": "positions", "NORMAL": "normals", "JOINTS_0": "joints", "WEIGHTS_0": "weights"}
    for name, field in fields.items():
        if name in answer["values"]:
            expected = np.array(answer["values"][name]).reshape(answer["points"], -1)
            np.testing.assert_array_equal(getattr(geometry, field), expected.astype(np.float32))


class TestGoogle:
    pytestmark = needs_node("draco3dgltf")

    @pytest.mark.parametrize("path", draco_files() or [Path("none")], ids=asset_id)
    def test_real_files_decode_as_googles_decoder_does(self, path: Path) -> None:
        if not path.is_file():
            pytest.skip(
                "no files compressed by Draco among the assets; set LISSOM_ASSETS to the folder with all"
            )
        found, tasks = geometries(path), streams(path)
        assert tasks
        for (key, _), answer in zip(tasks.items(), ask("draco.js", list(tasks.values())), strict=True):
            same(found[key], answer)
