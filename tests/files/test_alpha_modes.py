# SPDX-License-Identifier: MIT
"""What alpha does to a part: read from files, written, kept by bakes and parts; told as three.js has it."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import lissom
from glb_contents import contents
from lissom.errors import GltfError
from node_tools import ask, needs_node
from test_materials import loaded, with_material

UNLIT = {"extensions": {"KHR_materials_unlit": {}}}
CASES: dict[str, tuple[dict[str, Any], tuple[str, float, bool]]] = {
    "nothing said": ({}, ("opaque", 0.5, False)),
    "opaque": ({"alphaMode": "OPAQUE", "doubleSided": True}, ("opaque", 0.5, True)),
    "mask": ({"alphaMode": "MASK"}, ("mask", 0.5, False)),
    "cutoff": ({"alphaMode": "MASK", "alphaCutoff": 0.1}, ("mask", 0.1, False)),
    "nothing masked": ({"alphaMode": "MASK", "alphaCutoff": 0}, ("mask", 0.0, False)),
    "all masked": ({"alphaMode": "MASK", "alphaCutoff": 2}, ("mask", 2.0, False)),
    "blend": ({"alphaMode": "BLEND", "doubleSided": True}, ("blend", 0.5, True)),
    "unlit": ({"alphaMode": "BLEND", **UNLIT}, ("blend", 0.5, False)),
    "unlit mask": ({"alphaMode": "MASK", "alphaCutoff": 0.75, **UNLIT}, ("mask", 0.75, False)),
}


def covering(part: lissom.Part) -> tuple[str, float, bool]:
    return part.alpha_mode, part.alpha_cutoff, part.double_sided


def with_parts(*options: dict[str, Any]) -> lissom.Character:
    """Triangles, each a part with its options."""
    count = len(options)
    mesh = lissom.Mesh(
        np.eye(3 * count, 3),
        np.arange(3 * count).reshape(count, 3),
        parts=[
            lissom.Part(str(n), slice(3 * n, 3 * n + 3), slice(n, n + 1), **one)
            for n, one in enumerate(options)
        ],
    )
    tube = lissom.samples.two_bone_tube()
    return lissom.Character("covered", tube.skeleton, mesh, tube.skin)


@pytest.mark.parametrize("name", CASES)
def test_materials_are_read_and_written(name: str) -> None:
    material, expected = CASES[name]
    file = with_material({**material, "pbrMetallicRoughness": {"baseColorFactor": [1, 0.5, 0.25, 0.5]}})
    file.json["extensionsUsed"] = ["KHR_materials_unlit"]
    part, _, repairs = loaded(file, strict=True)
    assert (covering(part), repairs) == (expected, [])
    assert part.base_color == (1.0, 0.5, 0.25, 0.5)
    data = lissom.save_glb(lissom.load(file.glb()))
    (saved,) = contents(data)["materials"]
    for key in ("alphaMode", "alphaCutoff", "doubleSided", "extensions"):
        assert saved.get(key) == (None if material.get(key) == "OPAQUE" else material.get(key)), key
    back = lissom.load(data, strict=True).mesh
    assert back is not None
    assert covering(back.parts[0]) == expected


def test_a_cutoff_counts_where_something_is_masked_alone() -> None:
    for mode in ("OPAQUE", "BLEND"):
        part, _, repairs = loaded(with_material({"alphaMode": mode, "alphaCutoff": 0.3}))
        assert (part.alpha_cutoff, repairs) == (0.5, [])
    data = lissom.save_glb(with_parts({"alpha_cutoff": 0.3}, {"alpha_cutoff": 0.4}))
    assert "alphaCutoff" not in contents(data)["materials"][0]
    assert len(contents(data)["materials"]) == 1


def test_a_negative_cutoff_is_repaired_and_refused_where_strict() -> None:
    file = with_material({"alphaMode": "MASK", "alphaCutoff": -0.5})
    part, _, repairs = loaded(file)
    assert (covering(part), repairs) == (("mask", 0.0, False), ["VALUE_NOT_IN_RANGE"])
    with pytest.raises(GltfError, match=re.escape("must be at least 0, got -0.5")) as refused:
        lissom.load(file.glb(), strict=True)
    assert (refused.value.code, refused.value.pointer) == ("VALUE_NOT_IN_RANGE", "/materials/0/alphaCutoff")


@pytest.mark.parametrize("mode", ["HASHED", "mask", "", "🦴" * 100])
def test_an_unknown_mode_is_drawn_as_if_there_were_none(mode: str) -> None:
    """A warning of Khronos' validator, so that strict loads take it, too."""
    for strict in (False, True):
        character = lissom.load(with_material({"alphaMode": mode}).glb(), strict=strict)
        assert character.mesh is not None
        assert covering(character.mesh.parts[0]) == ("opaque", 0.5, False)
        (repair,) = character.repairs
        assert (repair.code, repair.pointer) == ("VALUE_NOT_IN_LIST", "/materials/0/alphaMode")
        assert repair.message == f"alphaMode must be OPAQUE, MASK or BLEND, got '{mode:.40}'; OPAQUE was used"


@pytest.mark.parametrize(
    ("material", "place"),
    [
        ({"alphaMode": 1}, "alphaMode"),
        ({"alphaMode": None}, "alphaMode"),
        ({"alphaMode": "MASK", "alphaCutoff": "0.5"}, "alphaCutoff"),
        ({"alphaMode": "MASK", "alphaCutoff": [0.5]}, "alphaCutoff"),
        ({"doubleSided": 1}, "doubleSided"),
        ({"doubleSided": "true"}, "doubleSided"),
    ],
)
@pytest.mark.parametrize("strict", [False, True])
def test_values_of_another_type_are_refused(material: dict[str, Any], place: str, strict: bool) -> None:
    with pytest.raises(GltfError) as refused:
        lissom.load(with_material(material).glb(), strict=strict)
    assert (refused.value.code, refused.value.pointer) == ("TYPE_MISMATCH", f"/materials/0/{place}")


@pytest.mark.parametrize("text", [b"NaN", b"Infinity", b"1e999", b"-1e999"])
def test_a_cutoff_that_is_no_finite_number_is_refused(text: bytes) -> None:
    file = with_material({"alphaMode": "MASK", "alphaCutoff": 0.125})
    data = file.glb().replace(b"0.125", text.rjust(5)) if len(text) <= 5 else None
    if data is None:
        file.json["materials"][0]["alphaCutoff"] = "x" * (len(text) - 2)
        data = file.glb().replace(b'"' + b"x" * (len(text) - 2) + b'"', text)
    with pytest.raises(GltfError) as refused:
        lissom.load(data)
    assert refused.value.code in ("INVALID_JSON", "VALUE_NOT_IN_RANGE")


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"alpha_mode": "MASK"}, ValueError, "alpha_mode must be one of opaque, mask, blend, got 'MASK'"),
        ({"alpha_mode": None}, ValueError, "alpha_mode must be one of opaque, mask, blend, got None"),
        ({"alpha_cutoff": -0.1}, ValueError, "alpha_cutoff must be finite and at least 0, got -0.1"),
        ({"alpha_cutoff": np.nan}, ValueError, "alpha_cutoff must be finite and at least 0, got nan"),
        ({"alpha_cutoff": "0.5"}, TypeError, "alpha_cutoff must be a number, got str"),
        ({"double_sided": 1}, TypeError, "double_sided must be True or False, got int"),
    ],
)
def test_wrong_parts_are_refused(options: Any, error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=re.escape(f"Part: {sentence}")):
        lissom.Part("p", slice(0, 0), slice(0, 0), **options)


def test_parts_and_levels_of_detail_keep_it() -> None:
    tube = lissom.samples.two_bone_tube()
    light, dark = tube.mesh.parts
    parts = [
        replace(light, alpha_mode="mask", alpha_cutoff=0.2),
        replace(dark, alpha_mode="blend", double_sided=True),
    ]
    mesh = lissom.Mesh(
        tube.mesh.positions, tube.mesh.triangles, tube.mesh.indices, tube.mesh.weights, parts=parts
    )
    hero = lissom.Character("covered", tube.skeleton, mesh, tube.skin)
    assert [covering(part) for part in hero.only("Dark").mesh.parts] == [("blend", 0.5, True)]
    for level in lissom.gpu.levels_of_detail(mesh, (0.5,)):
        assert [covering(part) for part in level.parts] == [covering(part) for part in parts]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("wild/vrm/Godette_vrm_v4.vrm", {"Body/GodotLogo": ("blend", 0.5, True)}),
        ("characters/gdquest/gdbot.glb", {"gdbot_mesh/Glass": ("blend", 0.5, True)}),
        (
            "wild/vrm/VRMC_vrm_expressions_isBinary_Overridden.vrm",
            dict.fromkeys(("Text", "Happy", "Blink"), ("mask", 0.5, True)),
        ),
    ],
)
def test_files_of_others(asset: Any, name: str, expected: dict[str, tuple[str, float, bool]]) -> None:
    character = lissom.load(asset(name))
    for data in (character, lissom.load(lissom.save_glb(character), strict=True)):
        assert data.mesh is not None
        covered = [part for part in data.mesh.parts if part.alpha_mode != "opaque"]
        assert {part.name.split()[-1]: covering(part) for part in covered} == expected


class TestThree:
    """What three.js reads from the files that lissom read, and from those that it saved."""

    pytestmark = needs_node("three")

    def test_it_sees_the_same(self, tmp_path: Any) -> None:
        originals, saved = [], []
        for number, (material, _) in enumerate(CASES.values()):
            file = with_material(material)
            file.json["extensionsUsed"] = ["KHR_materials_unlit"]
            data = file.glb()
            for kind, files, text in (
                ("original", originals, data),
                ("saved", saved, lissom.save_glb(lissom.load(data))),
            ):
                path = tmp_path / f"{kind}_{number}.glb"
                path.write_bytes(text)
                files.append(str(path))
        answers = ask("materials.js", originals + saved)
        for original, again, (_, expected) in zip(originals, saved, CASES.values(), strict=True):
            (theirs,), (ours,) = answers[original], answers[again]
            mode, cutoff, is_double = expected
            assert (theirs["transparent"], theirs["isDouble"]) == (mode == "blend", is_double)
            assert theirs["alphaTest"] == (cutoff if mode == "mask" else 0)
            assert theirs == ours
