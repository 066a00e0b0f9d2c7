# SPDX-License-Identifier: MIT
"""The editor script of the form "unreal", against a stand-in for the editor: what it imports and joins."""

import importlib.util
import io
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import lissom
from reference.unreal_player import UnrealPlayer

STAND_IN = Path(__file__).resolve().parents[1] / "unreal" / "unreal.py"


def loaded(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def editor():
    """The stand-in, under the name by which scripts import it."""
    before = sys.modules.get("unreal")
    yield loaded("unreal", STAND_IN)
    del sys.modules["unreal"]
    if before is not None:
        sys.modules["unreal"] = before


def looks():
    """A bar of three looks."""
    bar = lissom.samples.twisted_bar()
    png = io.BytesIO()
    Image.new("RGBA", (2, 2), "green").save(png, "PNG")
    picture = lissom.Texture(png.getvalue(), "image/png")
    everything, end = slice(0, bar.mesh.vertex_count), bar.mesh.triangle_count
    parts = [
        lissom.Part("plain", everything, slice(0, 10), emissive=(1.0, 0.5, 0.0), emissive_texture=picture),
        lissom.Part(
            "leaf", everything, slice(10, 20), alpha_mode="mask", alpha_cutoff=0.25, double_sided=True,
            texture=picture, base_color=(0.5, 0.25, 1.0, 0.4),
        ),
        lissom.Part("glass", everything, slice(20, end), alpha_mode="blend", unlit=True),
    ]  # fmt: skip
    colors = np.ones((bar.mesh.vertex_count, 4), np.float32)
    mesh = lissom.Mesh(
        bar.mesh.positions, bar.mesh.triangles, bar.mesh.indices, bar.mesh.weights, colors=colors, parts=parts
    )
    return lissom.Character("bar", bar.skeleton, mesh, bar.skin, bar.clips.values())


def run(folder):
    return loaded("lissom_unreal", folder / "lissom_unreal.py").import_folder(str(folder))


@pytest.mark.parametrize("bits", [16, 8])
def test_the_editor_gets_the_numbers_of_the_folder(editor, tmp_path, bits):
    lissom.bake(looks(), "bend", rate=30).export("unreal", tmp_path / "bar", bits=bits)
    mesh = run(tmp_path / "bar")
    player = UnrealPlayer(tmp_path / "bar")
    assert editor.SAVED == ["/Game/Lissom/bar"]
    assert mesh.build.values == {
        "recompute_normals": False, "remove_degenerates": False, "use_full_precision_u_vs": True,
        "generate_lightmap_u_vs": False,
    }  # fmt: skip
    assert mesh.values["nanite_settings"].values == {"enabled": False}
    assert [mesh.materials[slot] for slot in range(3)] == [
        editor.ASSETS[f"/Game/Lissom/bar/M_bar_{number}"] for number in range(3)
    ]
    exact = editor.TextureCompressionSettings
    for key in ("BonePosition", "BoneRotation", "BoneWeights"):
        values = editor.ASSETS[f"/Game/Lissom/bar/T_bar_{key}"].values
        assert values["srgb"] is False
        assert values["compression_settings"] is (
            exact.TC_HDR_F32 if bits == 16 else exact.TC_VECTOR_DISPLACEMENTMAP
        )
        assert repr(values["filter"]) == "TextureFilter.TF_NEAREST"
    for material in mesh.materials.values():
        assert material.is_compiled
        custom, inputs = custom_of(editor, material)
        assert custom.values["code"] == (tmp_path / "bar" / "LissomBonePose.hlsl").read_text()
        for name, key in {
            "MinBBox": "BoneMinBBox", "SizeBBox": "BoneSizeBBox", "RowsPerFrame": "BoneRowsPerFrame",
            "BoneWeightsRowsPerFrame": "BoneWeightRowsPerFrame", "SampleRate": "SampleRate",
        }.items():  # fmt: skip
            value, wanted = inputs[name].values["default_value"], player.told[key]
            if isinstance(value, editor.LinearColor):
                value = list(value.rgba[:3])
            assert value == wanted
        assert inputs["Steps"].values["default_value"] == player.steps
        assert inputs["DualQuat"].values["default_value"] == float(player.dual)
        assert inputs["Uv"].values == {"coordinate_index": 1}
        instance = ["TimeOffset", "PlayRate", "StartFrame", "EndFrame", "Loop"]
        instance += [*(f"Next{name}" for name in instance), "FadeStart", "FadeSeconds"]
        assert [inputs[name].values["data_index"] for name in instance] == list(range(12))
        defaults = [inputs[name].values["const_default_value"] for name in instance]
        assert defaults == [*player.play(0), *player.play(0), 0.0, 0.0]
        for key in ("BonePosition", "BoneRotation", "BoneWeights"):
            assert inputs[key].values["texture"].file == f"T_bar_{key}.png"


def custom_of(editor, material):
    """The node of a material, what goes into it, and that it moves vertices and turns normals."""
    (custom,) = (node for node in material.nodes if isinstance(node, editor.MaterialExpressionCustom))
    offset, _ = material.joins[editor.MaterialProperty.MP_WORLD_POSITION_OFFSET]
    assert material.joins[offset, ""] == (custom, "")
    normal, _ = material.joins[editor.MaterialProperty.MP_NORMAL]
    if isinstance(normal, editor.MaterialExpressionMultiply):
        assert isinstance(material.joins[normal, "B"][0], editor.MaterialExpressionTwoSidedSign)
        normal, _ = material.joins[normal, "A"]
    turned, _ = material.joins[normal, ""]
    assert isinstance(normal, editor.MaterialExpressionVertexInterpolator)
    assert material.joins[turned, ""] == (custom, "PosedNormal")
    pins = [pin.values["input_name"] for pin in custom.values["inputs"]]
    return custom, {pin: material.joins[custom, pin][0] for pin in pins}


def test_each_look_is_a_material(editor, tmp_path):
    lissom.bake(looks(), "bend", rate=30).export("unreal", tmp_path / "bar")
    mesh = run(tmp_path / "bar")
    plain, leaf, glass = (mesh.materials[slot] for slot in range(3))
    found = [repr(material.values["blend_mode"]) for material in (plain, leaf, glass)]
    assert found == ["BlendMode.BLEND_OPAQUE", "BlendMode.BLEND_MASKED", "BlendMode.BLEND_TRANSLUCENT"]
    assert [material.values["two_sided"] for material in (plain, leaf, glass)] == [False, True, False]
    assert leaf.values["opacity_mask_clip_value"] == 0.25
    assert "shading_model" not in leaf.values
    assert glass.values["shading_model"] is editor.MaterialShadingModel.MSM_UNLIT
    places = editor.MaterialProperty
    assert {places.MP_BASE_COLOR, places.MP_OPACITY_MASK} <= set(leaf.joins)
    assert {places.MP_EMISSIVE_COLOR, places.MP_OPACITY} <= set(glass.joins)
    assert places.MP_BASE_COLOR not in glass.joins
    assert {places.MP_BASE_COLOR, places.MP_EMISSIVE_COLOR} <= set(plain.joins)
    color = next(node for node in leaf.nodes if node.values.get("parameter_name") == "BaseColor")
    np.testing.assert_allclose(color.values["default_value"].rgba, (0.5, 0.25, 1.0, 0.4))
    pictures = [node for node in leaf.nodes if isinstance(node, editor.MaterialExpressionTextureSample)]
    assert [node.values["texture"].file for node in pictures] == ["T_bar_Picture0.png"]


def test_the_mesh_is_drawn_wherever_clips_take_it(editor, tmp_path):
    lissom.bake(lissom.samples.humanoid(), ["walk", "wave"], rate=30).export("unreal", tmp_path / "hero")
    mesh = run(tmp_path / "hero")
    player, box = UnrealPlayer(tmp_path / "hero"), mesh.get_bounding_box()
    more, less = mesh.values["positive_bounds_extension"], mesh.values["negative_bounds_extension"]
    places = np.concatenate(
        [player.vertices(clip, time) for clip in (0, 1) for time in np.linspace(0, 1, 21)]
    )
    for axis, (low, high) in zip(
        "xyz", zip(places.min(axis=0), places.max(axis=0), strict=True), strict=True
    ):
        assert getattr(box.min, axis) - getattr(less, axis) <= low + 0.5
        assert getattr(box.max, axis) + getattr(more, axis) >= high - 0.5


@pytest.mark.parametrize(
    "wrong",
    [lambda x, y, z: (-100 * x, 100 * z, 100 * y), lambda x, y, z: (100 * z, 100 * x, 100 * y), lambda *p: p],
    ids=["mirrored", "other axes", "metres"],
)
def test_an_importer_with_other_axes_or_units_is_refused(editor, tmp_path, wrong):
    lissom.bake(lissom.samples.humanoid(), "walk", rate=30).export("unreal", tmp_path / "hero")
    editor.IMPORTED[0] = wrong
    with pytest.raises(RuntimeError, match="takes glTF in other axes or units"):
        run(tmp_path / "hero")


def test_coordinates_that_were_made_anew_are_refused(editor, tmp_path):
    lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30).export("unreal", tmp_path / "bar")
    script = loaded("lissom_unreal", tmp_path / "bar" / "lissom_unreal.py")
    _, table = script.read_table(str(tmp_path / "bar"))
    mesh = editor.StaticMesh(tmp_path / "bar" / table["StaticMesh"])
    mesh.uvs = [(0.0, 0.0)] * len(mesh.uvs)
    with pytest.raises(RuntimeError, match=r"must have the texture coordinates .* in channel 1, got others"):
        script.check_axes(mesh, table)
