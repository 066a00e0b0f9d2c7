# SPDX-License-Identifier: MIT
"""A stand-in for the Python of Unreal's editor: what `lissom_unreal.py` asks of it, by Epic's names.

Objects have the properties that the reference lists for their class, and refuse others. Files are imported as
the numbers that are in them; glTF comes in the axes that `IMPORTED` says.
"""

import json
import struct
from pathlib import Path
from types import SimpleNamespace

IMPORTED = [lambda x, y, z: (100 * x, 100 * z, 100 * y)]
"""What the importer of glTF does with a place."""

ASSETS = {}
LOG = []
SAVED = []


class Object:
    """An object with some properties."""

    PROPERTIES = ()

    def __init__(self):
        self.values = {}

    def set_editor_property(self, name, value):
        assert name in self.PROPERTIES, f"{type(self).__name__} has no property {name!r}"
        self.values[name] = value

    def get_editor_property(self, name):
        assert name in self.PROPERTIES, f"{type(self).__name__} has no property {name!r}"
        return self.values.get(name)


def kind(name, *properties, base=Object):
    return type(name, (base,), {"PROPERTIES": properties})


def names(name, *members):
    """An enumeration."""
    of = type(name, (), {"__init__": lambda self, key: setattr(self, "name", key)})
    of.__repr__ = lambda self: f"{name}.{self.name}"
    for member in members:
        setattr(of, member, of(member))
    return of


TextureCompressionSettings = names("TextureCompressionSettings", "TC_VECTOR_DISPLACEMENTMAP", "TC_HDR_F32")
TextureMipGenSettings = names("TextureMipGenSettings", "TMGS_NO_MIPMAPS")
TextureFilter = names("TextureFilter", "TF_NEAREST")
BlendMode = names("BlendMode", "BLEND_OPAQUE", "BLEND_MASKED", "BLEND_TRANSLUCENT")
MaterialShadingModel = names("MaterialShadingModel", "MSM_UNLIT")
MaterialSamplerType = names("MaterialSamplerType", "SAMPLERTYPE_LINEAR_COLOR")
CustomMaterialOutputType = names("CustomMaterialOutputType", "CMOT_FLOAT3")
MaterialVectorCoordTransformSource = names("MaterialVectorCoordTransformSource", "TRANSFORMSOURCE_LOCAL")
MaterialVectorCoordTransform = names("MaterialVectorCoordTransform", "TRANSFORM_WORLD")
MaterialProperty = names(
    "MaterialProperty", "MP_EMISSIVE_COLOR", "MP_BASE_COLOR", "MP_OPACITY", "MP_OPACITY_MASK",
    "MP_WORLD_POSITION_OFFSET", "MP_NORMAL",
)  # fmt: skip

Texture2D = kind("Texture2D", "srgb", "compression_settings", "mip_gen_settings", "filter", "never_stream")
AssetImportTask = kind(
    "AssetImportTask", "filename", "destination_path", "destination_name", "automated", "replace_existing",
    "save", "imported_object_paths",
)  # fmt: skip
MeshBuildSettings = kind(
    "MeshBuildSettings", "recompute_normals", "remove_degenerates", "use_full_precision_u_vs",
    "generate_lightmap_u_vs",
)  # fmt: skip
MeshNaniteSettings = kind("MeshNaniteSettings", "enabled")
Slot = kind("StaticMaterial", "imported_material_slot_name")
Material = kind(
    "Material", "blend_mode", "opacity_mask_clip_value", "two_sided", "tangent_space_normal",
    "used_with_instanced_static_meshes", "shading_model",
)  # fmt: skip
CustomInput = kind("CustomInput", "input_name")
CustomOutput = kind("CustomOutput", "output_name", "output_type")
Expression = kind("MaterialExpression")
MaterialFactoryNew = kind("MaterialFactoryNew")


def expression(name, *properties, inputs=(), outputs=("",)):
    made = kind(f"MaterialExpression{name}", *properties, base=Expression)
    made.inputs, made.outputs = inputs, outputs
    globals()[made.__name__] = made


expression("PreSkinnedPosition")
expression("PreSkinnedNormal")
expression("TextureCoordinate", "coordinate_index")
expression("Time")
expression("PerInstanceCustomData", "data_index", "const_default_value")
expression("VectorParameter", "parameter_name", "default_value", outputs=("", "R", "G", "B", "A"))
expression("ScalarParameter", "parameter_name", "default_value")
expression("TextureObjectParameter", "parameter_name", "texture", "sampler_type")
expression("TextureSample", "texture", outputs=("RGB", "R", "G", "B", "A"))
expression("VertexColor", outputs=("", "R", "G", "B", "A"))
expression("Multiply", inputs=("A", "B"))
expression("Transform", "transform_source_type", "transform_type", inputs=("",))
expression("VertexInterpolator", inputs=("",))
expression("TwoSidedSign")
expression("Custom", "description", "code", "output_type", "inputs", "additional_outputs")


class Vector:
    def __init__(self, x, y, z):
        self.x, self.y, self.z = x, y, z


class LinearColor:
    def __init__(self, r, g, b, a):
        self.rgba = (r, g, b, a)


class VertexInstanceID:
    def __init__(self, id_value):
        self.id_value = id_value


class StaticMesh(
    kind("StaticMesh", "nanite_settings", "positive_bounds_extension", "negative_bounds_extension")
):
    """A mesh of a GLB."""

    def __init__(self, path):
        super().__init__()
        self.name = path.stem
        data = path.read_bytes()
        length = int.from_bytes(data[12:16], "little")
        told, binary = json.loads(data[20 : 20 + length]), data[28 + length :]

        def array(number):
            accessor = told["accessors"][number]
            view = told["bufferViews"][accessor["bufferView"]]
            width = {"VEC2": 2, "VEC3": 3}[accessor["type"]]
            start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
            found = struct.unpack_from(f"<{width * accessor['count']}f", binary, start)
            return list(zip(*[iter(found)] * width, strict=True))

        first = told["meshes"][0]["primitives"][0]["attributes"]
        self.places = [IMPORTED[0](*place) for place in array(first["POSITION"])]
        self.uvs = array(first["TEXCOORD_1"])
        self.build, self.values["nanite_settings"] = MeshBuildSettings(), MeshNaniteSettings()
        self.static_materials, self.materials = [], {}
        for part in told["meshes"][0]["primitives"]:
            slot = Slot()
            slot.values["imported_material_slot_name"] = told["materials"][part["material"]]["name"]
            self.static_materials.append(slot)

    def get_name(self):
        return self.name

    def get_bounding_box(self):
        sides = list(zip(*self.places, strict=True))
        return SimpleNamespace(min=Vector(*map(min, sides)), max=Vector(*map(max, sides)))

    def get_static_mesh_description(self, lod_index):
        assert lod_index == 0
        return self

    def get_vertex_instance_count(self):
        return len(self.places)

    def get_vertex_instance_uv(self, instance, uv_index):
        assert uv_index == 1
        return SimpleNamespace(**dict(zip("xy", self.uvs[instance.id_value], strict=True)))

    def get_vertex_instance_vertex(self, instance):
        return instance.id_value

    def get_vertex_position(self, vertex):
        return Vector(*self.places[vertex])

    def set_material(self, slot, material):
        self.materials[slot] = material


class StaticMeshEditorSubsystem:
    @staticmethod
    def get_lod_build_settings(mesh, lod_index):
        return mesh.build

    @staticmethod
    def set_lod_build_settings(mesh, lod_index, settings):
        mesh.build = settings

    @staticmethod
    def set_nanite_settings(mesh, settings, apply_changes):
        mesh.values["nanite_settings"] = settings


def get_editor_subsystem(of):
    return of


class AssetTools:
    @staticmethod
    def import_asset_tasks(tasks):
        for task in tasks:
            path = Path(task.values["filename"])
            asset = StaticMesh(path) if path.suffix == ".glb" else Texture2D()
            asset.file = path.name
            place = f"{task.values['destination_path']}/{task.values['destination_name']}"
            ASSETS[place] = asset
            task.values["imported_object_paths"] = [place]

    @staticmethod
    def create_asset(name, place, of, factory):
        assert isinstance(factory, MaterialFactoryNew)
        made = of()
        made.joins, made.nodes, made.is_compiled = {}, [], False
        ASSETS[f"{place}/{name}"] = made
        return made


class AssetToolsHelpers:
    get_asset_tools = staticmethod(AssetTools)


class EditorAssetLibrary:
    load_asset = staticmethod(ASSETS.get)
    does_asset_exist = staticmethod(ASSETS.__contains__)
    delete_asset = staticmethod(ASSETS.pop)

    @staticmethod
    def save_directory(place):
        SAVED.append(place)


class MaterialEditingLibrary:
    """`joins`: of each input, (node, name) or a property of the material, the node and output that go in."""

    @staticmethod
    def create_material_expression(material, of, x, y):
        made = of()
        made.material = material
        material.nodes.append(made)
        return made

    @staticmethod
    def connect_material_expressions(source, output, target, name):
        inputs, outputs = target.inputs, source.outputs
        if isinstance(target, globals()["MaterialExpressionCustom"]):
            inputs = [pin.values["input_name"] for pin in target.values["inputs"]]
        if isinstance(source, globals()["MaterialExpressionCustom"]):
            outputs = ["", *(pin.values["output_name"] for pin in source.values["additional_outputs"])]
        if name not in inputs or output not in outputs or (target, name) in target.material.joins:
            return False
        target.material.joins[target, name] = (source, output)
        return True

    @classmethod
    def connect_material_property(cls, source, output, target):
        if target in source.material.joins:
            return False
        source.material.joins[target] = (source, output)
        return True

    @staticmethod
    def recompile_material(material):
        material.is_compiled = True


log = LOG.append
