# SPDX-License-Identifier: MIT
"""Real files, loaded whole: their skinned vertices stand where others compute them."""

import io
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lissom
from conftest import ASSETS, HAS_ALL, asset_files, asset_id, asset_records

FILES = asset_files("characters", "features")
# Their weights were repaired (NaN, or far from summing to 1); the reference uses the weights as stored.
REPAIRED = {"cesium_man.gltf", "Wasp.glb", "Bee.glb", "Crab.glb"}
# Of the size: the reference boxes are stored with six digits, float32 skinning adds as much again.
BOX_TOLERANCE = 1e-5
REPAIRED_TOLERANCE = 1e-2  # a vertex whose weights summed to 0.2 stood near the origin


# Of skinned files: boxes at rest and in the middle of each clip.
REFERENCES = {
    file: record["reference_lbs"] for file, record in asset_records().items() if "reference_lbs" in record
}


@pytest.mark.parametrize("path", FILES, ids=asset_id)
def test_real_files_load(path: Path) -> None:
    character = lissom.load(path)
    assert character.name == path.stem
    for clip in character.clips.values():
        poses = clip.sample(np.linspace(clip.start, clip.end, 3))
        assert np.isfinite(poses).all()
    if character.mesh is not None:
        assert np.isfinite(character.deform(character.skeleton.rest)).all()
        assert character.size > 0


@pytest.mark.parametrize("name", REFERENCES)
def test_skinned_boxes_match_the_reference(name: str) -> None:
    reference = REFERENCES[name]
    character = lissom.load(ASSETS / name)
    is_repaired = any(repair.code.startswith("ACCESSOR_WEIGHTS") for repair in character.repairs)
    assert is_repaired == (Path(name).name in REPAIRED)
    tolerance = REPAIRED_TOLERANCE if is_repaired else BOX_TOLERANCE
    assert character.mesh is not None
    skinned = np.concatenate([np.r_[part.vertices] for part in character.mesh.parts if not part.rigid])
    rest = reference["rest"]
    assert len(skinned) == rest["verts"]
    size = np.linalg.norm(np.subtract(rest["max"], rest["min"]))
    clips = list(character.clips.values())
    poses = [character.skeleton.rest]
    poses += [clip.sample(one["t"], loop=False) for clip, one in zip(clips, reference["clips"], strict=True)]
    for pose, expected in zip(poses, [rest, *reference["clips"]], strict=True):
        vertices = character.deform(pose)[skinned].astype(np.float64)
        for values, name in ((vertices.min(0), "min"), (vertices.max(0), "max"), (vertices.mean(0), "mean")):
            np.testing.assert_allclose(values, expected[name], rtol=0, atol=tolerance * size)


def test_a_source_may_be_a_path_bytes_or_a_file(asset) -> None:
    path = asset("characters/quaternius/fish_pack/Dolphin.glb")
    data = path.read_bytes()
    expected = lissom.load(path)
    with path.open("rb") as file:
        sources = [str(path), data, bytearray(data), memoryview(data)[:], file, io.BytesIO(data)]
        characters = [lissom.load(source) for source in sources]
    for character in characters:
        np.testing.assert_array_equal(character.mesh.positions, expected.mesh.positions)
        assert list(character.clips) == ["Armature|Swim"]
    assert [character.name for character in characters] == [
        "Dolphin",
        *["character"] * 3,
        "Dolphin",
        "character",
    ]


@pytest.mark.parametrize("strict", [1, 0, "no", None])
def test_strict_is_a_bool(strict: object) -> None:
    for function in (lissom.load, lissom.load_bvh):
        words = f"{function.__name__}: strict must be True or False, got {type(strict).__name__}$"
        with pytest.raises(TypeError, match=words):
            function("none.bvh", strict=strict)  # refused before the file is looked for


def test_strict_may_be_a_bool_of_numpy() -> None:
    with pytest.raises(lissom.GltfError):
        lissom.load(b"", strict=np.True_)


@pytest.mark.parametrize("read", [lissom.load, lissom.load_bvh, lissom.load_bake])
def test_a_path_with_a_null_character_is_refused_by_name(read: Any) -> None:
    with pytest.raises(
        ValueError, match=rf"^{read.__name__}: \w+ must be a path without null characters, got"
    ):
        read("a\0b.glb")


@pytest.mark.parametrize("wrong", [0, None, b"x"])
def test_a_bake_is_loaded_from_a_path(wrong: object) -> None:
    with pytest.raises(TypeError, match=rf"^load_bake: path must be a path, got {type(wrong).__name__}$"):
        lissom.load_bake(wrong)  # type: ignore[arg-type]


def test_wrong_sources_are_type_errors(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="must be a path, bytes or an open binary file, got int"):
        lissom.load(3)
    (tmp_path / "a.gltf").write_text("{}")
    with (tmp_path / "a.gltf").open() as file, pytest.raises(TypeError, match="binary mode"):
        lissom.load(file)
    with pytest.raises(FileNotFoundError):
        lissom.load(tmp_path / "missing.glb")


def test_assets_are_where_the_other_tests_look() -> None:
    assert len(FILES) > (70 if HAS_ALL else 9)
    assert len(REFERENCES) == (51 if HAS_ALL else 7)


NO_MODEL = "not a glTF, GLB or BVH file"
BLENDER = "in Blender, File > Import > {} and File > Export > glTF 2.0 make a GLB of it"
OBJ = (
    f"is an OBJ file, which has neither joints nor weights, {NO_MODEL}; "
    "`npx obj2gltf -i mesh.obj -o mesh.glb` makes a GLB of it, and lissom.weights binds that to joints"
)
FBX = (
    f"is an FBX file, {NO_MODEL}; FBX2glTF (npm install fbx2gltf) makes a GLB of it with all clips, and so "
    "does Blender with the one that is active"
)
USD = f"is a USD file, {NO_MODEL}; {BLENDER.format('Universal Scene Description')}"
BLEND = f"is a Blender file, {NO_MODEL}; in Blender, File > Export > glTF 2.0 makes a GLB of it"
OTHER_KINDS = {
    "cube.obj": (b"# cube\nv 0 0 0\n", OBJ),
    "cube.txt": (b"# cube\n\n# of a plugin\nmtllib cube.mtl\n", OBJ),
    "hero.fbx": (b"Kaydara FBX Binary  \x00\x1a\x00", FBX),
    "text.fbx": (b"; FBX 7.4.0 project file\n", FBX),
    "renamed.glb": (b"Kaydara FBX Binary  \x00\x1a\x00", FBX),
    "hero.usda": (b"#usda 1.0\n(", USD),
    "hero.usdc": (b"PXR-USDC\x00\x08", USD),
    "hero.blend": (b"BLENDER-v304", BLEND),
    "sim.abc": (
        b"Ogawa\xff\x00\x01",
        f"is an Alembic file, which holds moved vertices and no joints, {NO_MODEL}; export the rig itself as "
        "glTF 2.0 from the program that made it",
    ),
    "skin.ktx2": (
        b"\xabKTX 20\xbb\r\n\x1a\n",
        f"is a KTX2 picture, {NO_MODEL}; a glTF with such textures loads, drawn plain; "
        "`npx @gltf-transform/cli ktxdecompress in.glb out.glb` writes them as PNG",
    ),
    "notes.txt": (b"notes\n", f"is {NO_MODEL}"),
    "hero.png": (b"\x89PNG\r\n\x1a\n", "is a PNG picture, not a glTF or GLB file"),
    "picture.glb": (b"\x89PNG\r\n\x1a\n", "is a PNG picture, not a glTF or GLB file"),
    "walk.npz": (
        b"PK\x03\x04",
        "is a NumPy archive, not a glTF, GLB or BVH file (lissom.load_amass reads those of AMASS)",
    ),
    "hero.safetensors": (b"\x00", "is a bake, not a glTF or GLB file (lissom.load_bake reads it)"),
    # By their names alone: archives, compressed or empty files, text of many kinds.
    "hero.usdz": (b"PK\x03\x04", USD),
    "small.blend": (b"\x28\xb5\x2f\xfd", BLEND),
    "empty.obj": (b"", OBJ),
    "hero.dae": (b"<?xml version", f"is a COLLADA file, {NO_MODEL}; {BLENDER.format('Collada')}"),
    "scan.ply": (
        b"ply\n",
        f"is a PLY file, which has neither joints nor weights, {NO_MODEL}; {BLENDER.format('Stanford PLY')}",
    ),
    "part.STL": (
        b"solid part\n",
        f"is an STL file, which has neither joints nor weights, {NO_MODEL}; {BLENDER.format('STL')}",
    ),
}
BY_NAME = {"walk.npz", "hero.safetensors", "hero.usdz", "small.blend", "empty.obj", "hero.dae"}
BY_NAME |= {"scan.ply", "part.STL"}


@pytest.mark.parametrize("name", OTHER_KINDS)
def test_files_of_another_kind_are_named_as_such(name: str, tmp_path: Path) -> None:
    content, sentence = OTHER_KINDS[name]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(lissom.GltfError) as caught:
        lissom.load(path)
    assert str(caught.value) == f"{path}: {sentence} [UNSUPPORTED_FORMAT]"
    if name not in BY_NAME:
        with pytest.raises(lissom.GltfError) as caught:
            lissom.load(content)
        assert str(caught.value) == f"the source {sentence} [UNSUPPORTED_FORMAT]"


@pytest.mark.parametrize(
    "content",
    [
        b'{"asset": {"version": "1.0"}, "nodes": {"root": {}}, "meshes": {}}',
        b'{"asset": {"version": "1.0"}}',
        b"glTF" + struct.pack("<IIII", 1, 20, 0, 0),
    ],
    ids=["named nodes", "nothing else", "binary"],
)
def test_gltf_1_is_refused_with_what_upgrades_it(content: bytes) -> None:
    upgrades = r"got 1(\.0)?; `npx gltf-pipeline -i old\.gltf -o new\.glb` upgrades glTF 1\.0"
    with pytest.raises(lissom.GltfError, match=upgrades):
        lissom.load(content)


def test_models_are_read_whatever_their_name(tmp_path: Path) -> None:
    text = b'{"asset": {"version": "2.0"}}'
    for name, content in (("a.vrm", text), ("b", b" " * 100 + text), ("c.json", b"\n" + text)):
        (tmp_path / name).write_bytes(content)
        assert len(lissom.load(tmp_path / name).skeleton) == 0


@pytest.mark.parametrize("parts", [1, 2])
def test_what_is_loaded_cannot_be_unlocked(parts: int, tmp_path: Path) -> None:
    hero = lissom.samples.two_bone_tube()
    if parts == 1:
        hero = hero.only(hero.mesh.parts[0].name)
    lissom.save_glb(hero, tmp_path / "hero.glb")
    mesh = lissom.load(tmp_path / "hero.glb").mesh
    assert len(mesh.parts) == parts
    np.testing.assert_array_equal(mesh.positions, hero.mesh.positions)
    for name in ("positions", "triangles", "indices", "weights", "normals"):
        array = getattr(mesh, name)
        while isinstance(array, np.ndarray):
            with pytest.raises(ValueError, match="WRITEABLE"):
                array.flags.writeable = True
            array = array.base
