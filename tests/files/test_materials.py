# SPDX-License-Identifier: MIT
"""Materials of glTF files: light of their own, texture coordinates by part, pictures in other formats."""

import io
import json
import struct
from typing import Any

import numpy as np
import pytest

import lissom
from glb_contents import contents
from gltf_files import File, data_uri, triangle
from lissom.errors import GltfError

Image = pytest.importorskip("PIL.Image")

KTX2 = b"\xabKTX 20\xbb\r\n\x1a\n" + bytes(80)
STRENGTH = "KHR_materials_emissive_strength"


def encoded(kind: str, color: str = "teal") -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (8, 8), color).save(file, kind)
    return file.getvalue()


PNG, OTHER_PNG = encoded("PNG"), encoded("PNG", "red")


def with_material(material: dict[str, Any], *pictures: bytes, uv_sets: int = 2) -> File:
    """A triangle with a material; texture n shows picture n."""
    file = triangle()
    file.json["materials"] = [material]
    primitive = file.json["meshes"][0]["primitives"][0]
    primitive["material"] = 0
    for number in range(uv_sets):
        uvs = np.array([[0, 0], [1, 0], [0, 1]]) + 0.25 * number
        primitive["attributes"][f"TEXCOORD_{number}"] = file.add(uvs)
    for number, data in enumerate(pictures):
        file.push("images", {"uri": data_uri(data), "name": f"picture {number}"})
        file.push("textures", {"source": number})
    return file


def loaded(file: File, **options: bool) -> tuple[lissom.Part, lissom.Mesh, list[str]]:
    character = lissom.load(file.glb(), **options)
    assert character.mesh is not None
    return character.mesh.parts[0], character.mesh, [repair.code for repair in character.repairs]


def base(index: int = 0, **info: Any) -> dict[str, Any]:
    return {"baseColorTexture": {"index": index, **info}}


def moved(**transform: Any) -> dict[str, Any]:
    return {"extensions": {"KHR_texture_transform": transform}}


def test_unlit_materials_are_marked_and_emit_nothing() -> None:
    file = with_material(
        {
            "extensions": {"KHR_materials_unlit": {}},
            "emissiveFactor": [1, 1, 1],
            "pbrMetallicRoughness": base(),
        },
        PNG,
    )
    file.json["extensionsUsed"] = file.json["extensionsRequired"] = ["KHR_materials_unlit"]
    part, _, repairs = loaded(file, strict=True)
    assert (part.unlit, part.emissive, repairs) == (True, (0.0, 0.0, 0.0), [])
    assert part.texture is not None
    assert not loaded(with_material({}))[0].unlit


def test_emission_is_factor_times_strength() -> None:
    part, _, repairs = loaded(with_material({"emissiveFactor": [0.5, 0.25, 0]}))
    assert (part.emissive, part.emissive_texture, repairs) == ((0.5, 0.25, 0.0), None, [])
    material = {"emissiveFactor": [0.5, 0.25, 0], "extensions": {STRENGTH: {"emissiveStrength": 6.5}}}
    assert loaded(with_material(material))[0].emissive == (3.25, 1.625, 0.0)
    assert loaded(with_material({"extensions": material["extensions"]}))[0].emissive == (0, 0, 0)


@pytest.mark.parametrize(("strength", "expected"), [(-2, 0.0), (1e300, 1e6)])
def test_a_strength_out_of_range_is_clamped(strength: float, expected: float) -> None:
    file = with_material(
        {"emissiveFactor": [1, 0, 0], "extensions": {STRENGTH: {"emissiveStrength": strength}}}
    )
    file.json["extensionsUsed"] = [STRENGTH]
    part, _, repairs = loaded(file)
    assert (part.emissive, repairs) == ((expected, 0.0, 0.0), ["VALUE_NOT_IN_RANGE"])
    with pytest.raises(GltfError, match="it was clamped"):
        lissom.load(file.glb(), strict=True)


def test_the_emissive_picture_has_the_coordinates_of_the_base_colours() -> None:
    both = {"emissiveFactor": [1, 1, 1], "pbrMetallicRoughness": base(texCoord=1)}
    part, mesh, repairs = loaded(
        with_material({**both, "emissiveTexture": {"index": 1, "texCoord": 1}}, PNG, OTHER_PNG)
    )
    assert part.emissive == (1.0, 1.0, 1.0)
    assert part.emissive_texture == lissom.Texture(OTHER_PNG, "image/png", "picture 1")
    assert repairs == []
    np.testing.assert_array_equal(mesh.uvs, [[0.25, 0.25], [1.25, 0.25], [0.25, 1.25]])
    for info in ({"texCoord": 0}, {"texCoord": 1, **moved(scale=[2, 2])}):
        part, mesh, repairs = loaded(
            with_material({**both, "emissiveTexture": {"index": 1, **info}}, PNG, OTHER_PNG)
        )
        assert (part.emissive, part.emissive_texture) == ((0.0, 0.0, 0.0), None)
        assert repairs == ["EMISSION_LEFT_OUT"]
        np.testing.assert_array_equal(mesh.uvs[0], [0.25, 0.25])
    # A transform that only names the set is none.
    part, _, repairs = loaded(
        with_material({**both, "emissiveTexture": {"index": 1, **moved(texCoord=1)}}, PNG, OTHER_PNG)
    )
    assert (part.emissive_texture is None, repairs) == (False, [])


def test_an_emissive_picture_alone_decides_the_coordinates() -> None:
    quarter = moved(offset=[0.5, 0.25], scale=[2, 4], rotation=np.pi / 2, texCoord=1)
    file = with_material({"emissiveFactor": [1, 1, 1], "emissiveTexture": {"index": 0, **quarter}}, PNG)
    part, mesh, _ = loaded(file)
    assert part.texture is None
    assert part.emissive_texture is not None
    # (u, v) to (4 v + 0.5, -2 u + 0.25), of TEXCOORD_1.
    np.testing.assert_allclose(mesh.uvs, [[1.5, -0.25], [1.5, -2.25], [5.5, -0.25]], atol=1e-6)


def test_without_its_picture_nothing_is_emitted() -> None:
    file = with_material({"emissiveFactor": [1, 1, 1], "emissiveTexture": {"index": 0}}, KTX2)
    part, _, repairs = loaded(file)
    assert (part.emissive, part.emissive_texture, repairs) == ((0, 0, 0), None, ["TEXTURE_LEFT_OUT"])


def uv_matrix(transform: dict[str, Any]) -> np.ndarray[Any, Any]:
    """The matrix of KHR_texture_transform as its specification has it: translation * rotation * scale."""
    (x, y), (u, v) = transform.get("scale", (1, 1)), transform.get("offset", (0, 0))
    c, s = np.cos(transform.get("rotation", 0)), np.sin(transform.get("rotation", 0))
    translation = np.array([[1, 0, u], [0, 1, v], [0, 0, 1]])
    rotation = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
    return translation @ rotation @ np.diag([x, y, 1.0])


def test_parts_use_sets_and_transforms_of_their_own() -> None:
    rng = np.random.default_rng(4)
    file = with_material({}, PNG, uv_sets=0)
    (first,) = file.json["meshes"][0]["primitives"]
    sets = [rng.normal(size=(3, 2)).astype(np.float32) for _ in range(3)]
    first["attributes"] |= {f"TEXCOORD_{n}": file.add(values) for n, values in enumerate(sets)}
    cases = [
        (0, {}),
        (2, {"rotation": 0.7, "scale": [0.5, -2.0], "offset": [0.25, 3.0]}),
        (1, {"rotation": -2.5, "texCoord": 2}),
        (1, {"scale": [4.0, 0.125]}),
    ]
    file.json["materials"] = [
        {"pbrMetallicRoughness": base(texCoord=number, **moved(**transform))} for number, transform in cases
    ]
    file.json["meshes"][0]["primitives"] = [{**first, "material": n} for n in range(len(cases))]
    file.json["extensionsUsed"] = file.json["extensionsRequired"] = ["KHR_texture_transform"]
    character = lissom.load(file.glb(), strict=True)
    assert character.mesh is not None
    assert character.mesh.uvs is not None
    for part, (number, transform) in zip(character.mesh.parts, cases, strict=True):
        stored = sets[transform.get("texCoord", number)].astype(np.float64)
        expected = np.concatenate([stored, np.ones((3, 1))], axis=1) @ uv_matrix(transform)[:2].T
        np.testing.assert_allclose(character.mesh.uvs[part.vertices], expected, rtol=1e-6, atol=1e-6)
    # Saved without transforms: other tools draw the same.
    root = contents(lissom.save_glb(character))
    assert "extensionsUsed" not in root
    back = lissom.load(lissom.save_glb(character)).mesh
    assert back is not None
    np.testing.assert_array_equal(back.uvs, character.mesh.uvs)


@pytest.mark.parametrize(
    ("kind", "name"), [("WEBP", "EXT_texture_webp"), ("AVIF", "EXT_texture_avif")], ids=["WebP", "AVIF"]
)
def test_pictures_in_other_formats_are_read_and_written(kind: str, name: str) -> None:
    data, mime = encoded(kind), f"image/{kind.lower()}"
    file = with_material({"pbrMetallicRoughness": base()}, data)
    file.json["textures"] = [{"extensions": {name: {"source": 0}}}]
    file.json["extensionsUsed"] = file.json["extensionsRequired"] = [name]
    character = lissom.load(file.glb(), strict=True)
    assert character.mesh is not None
    texture = character.mesh.parts[0].texture
    assert texture == lissom.Texture(data, mime, "picture 0")
    np.testing.assert_allclose(texture.decode()[4, 4], [0, 128, 128, 255], atol=3)
    saved = lissom.save_glb(character)
    root = contents(saved)
    assert root["extensionsUsed"] == root["extensionsRequired"] == [name]
    assert root["textures"] == [{"extensions": {name: {"source": 0}}}]
    assert root["images"][0]["mimeType"] == mime
    back = lissom.load(saved, strict=True).mesh
    assert back is not None
    assert back.parts[0].texture == texture
    # Where there is a picture that any reader reads, it is taken.
    file.push("images", {"uri": data_uri(PNG)})
    file.json["textures"][0]["source"] = 1
    part, _, _ = loaded(file)
    assert part.texture is not None
    assert part.texture.mime == "image/png"


@pytest.mark.parametrize("is_named", [True, False], ids=["by the extension", "by its bytes alone"])
def test_ktx2_is_named_and_the_mesh_drawn_plain(is_named: bool) -> None:
    file = with_material({"pbrMetallicRoughness": {**base(), "baseColorFactor": [1, 0.5, 0, 1]}}, KTX2)
    if is_named:
        file.json["textures"] = [{"extensions": {"KHR_texture_basisu": {"source": 0}}}]
        file.json["extensionsUsed"] = file.json["extensionsRequired"] = ["KHR_texture_basisu"]
    character = lissom.load(file.glb())
    assert character.mesh is not None
    (part,) = character.mesh.parts
    assert (part.texture, part.base_color) == (None, (1, 0.5, 0, 1))
    (repair,) = character.repairs
    assert repair.code == "TEXTURE_LEFT_OUT"
    assert (
        "KTX2 (KHR_texture_basisu), which lissom does not decode; the mesh is drawn without it"
        in repair.message
    )
    file.push("images", {"uri": data_uri(PNG)})
    file.json["textures"] = [{"source": 1, "extensions": {"KHR_texture_basisu": {"source": 0}}}]
    part, _, repairs = loaded(file)
    assert part.texture is not None
    assert (part.texture.data, repairs) == (PNG, [])


def test_a_picture_that_cannot_be_had_leaves_the_next() -> None:
    file = with_material({"pbrMetallicRoughness": base()}, KTX2, encoded("WEBP"))
    file.json["textures"] = [{"source": 0, "extensions": {"EXT_texture_webp": {"source": 1}}}]
    part, _, repairs = loaded(file)
    assert part.texture is not None
    assert (part.texture.mime, repairs) == ("image/webp", ["TEXTURE_LEFT_OUT"])


def test_a_file_of_others_with_ktx2_loads_plain(asset) -> None:
    path = asset("wild/compressed/gltfast/TextureVariants-Embedded-KTX.gltf")
    character = lissom.load(path)
    assert character.mesh is not None
    assert [part.texture for part in character.mesh.parts] == [None, None]
    assert [repair.code for repair in character.repairs] == ["TEXTURE_LEFT_OUT"] * 2
    assert all("KTX2" in repair.message for repair in character.repairs)


def test_emission_and_unlit_are_written_as_the_extensions_have_them() -> None:
    parts = [{"unlit": True}, {"emissive": (0.5, 0.0, 1.0)}, {"emissive": (0.1, 5.0, 16.5)}]
    mesh = lissom.Mesh(
        np.eye(9, 3),
        np.arange(9).reshape(3, 3),
        parts=[
            lissom.Part(str(n), slice(3 * n, 3 * n + 3), slice(n, n + 1), **options)
            for n, options in enumerate(parts)
        ],
    )
    tube = lissom.samples.two_bone_tube()
    data = lissom.save_glb(lissom.Character("lit", tube.skeleton, mesh, tube.skin))
    (length,) = struct.unpack_from("<I", data, 12)
    root = json.loads(data[20 : 20 + length])
    assert root["extensionsUsed"] == [STRENGTH, "KHR_materials_unlit"]
    assert "extensionsRequired" not in root
    first, second, third = root["materials"]
    assert (first["extensions"], "emissiveFactor" in first) == ({"KHR_materials_unlit": {}}, False)
    assert (second["emissiveFactor"], "extensions" in second) == ([0.5, 0.0, 1.0], False)
    assert third["extensions"] == {STRENGTH: {"emissiveStrength": 32.0}}
    assert third["emissiveFactor"] == [0.1 / 32, 5 / 32, 16.5 / 32]
    back = lissom.load(data, strict=True).mesh
    assert back is not None
    assert [part.emissive for part in back.parts] == [(0, 0, 0), (0.5, 0, 1), (0.1, 5, 16.5)]


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        (
            {"emissive": (1, -0.5, 0)},
            ValueError,
            r"Part: emissive must be at least 0, got \[1.0, -0.5, 0.0\]",
        ),
        ({"emissive": (1, np.nan, 0)}, ValueError, "Part: emissive must be finite"),
        ({"emissive": (1, 1)}, ValueError, r"Part: emissive must have shape \(3,\), got \(2,\)"),
        ({"unlit": 1.5}, TypeError, "Part: unlit must be"),
    ],
)
def test_wrong_light_is_refused(options: Any, error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        lissom.Part("p", slice(0, 0), slice(0, 0), **options)
