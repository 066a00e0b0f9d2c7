# SPDX-License-Identifier: MIT
"""The parts of glTF 2.0's JSON that are read, typed. Unknown members are skipped, as the specification asks.

Field names are the file's. -1 stands for an absent index: the bounds below apply to the file's values only.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Raw, Struct

# Readers that hold numbers as doubles lose integers above 2**53; below it, our sums fit int64, too.
_Natural = Annotated[int, Meta(ge=0, le=2**53)]
_Positive = Annotated[int, Meta(ge=1, le=2**53)]
_Code = Annotated[int, Meta(ge=0, le=0xFFFF)]
_Stride = Annotated[int, Meta(ge=4, le=252)]

NOTHING = Raw(b"")
"""Stands for what the file does not have."""
_Float2 = tuple[float, float]
_Float3 = tuple[float, float, float]
_Float4 = tuple[float, float, float, float]
# A fixed length, so that a long list is refused at its 17th number.
# fmt: off
_Float16 = tuple[
    float, float, float, float, float, float, float, float,
    float, float, float, float, float, float, float, float,
]
# fmt: on

INDEX_FIELDS = frozenset(
    (
        "scene", "nodes", "children", "mesh", "skin", "camera", "joints", "skeleton", "inverseBindMatrices",
        "bufferView", "buffer", "material", "indices", "sampler", "input", "output", "node", "source",
        "index", "attributes",
    )
)  # fmt: skip


class Asset(Struct, gc=False):
    version: str
    minVersion: str = ""
    generator: str = ""


class MeshoptFallback(Struct, gc=False):
    """EXT_meshopt_compression and KHR_meshopt_compression of a buffer."""

    fallback: bool = False


class BufferExtensions(Struct, gc=False):
    EXT_meshopt_compression: MeshoptFallback | None = None
    KHR_meshopt_compression: MeshoptFallback | None = None


class Buffer(Struct, gc=False):
    byteLength: _Positive
    uri: str | None = None
    extensions: BufferExtensions | None = None


class MeshoptView(Struct, gc=False):
    """EXT_meshopt_compression and KHR_meshopt_compression of a buffer view."""

    buffer: _Natural
    byteLength: _Positive
    byteStride: _Positive
    count: _Positive
    mode: str
    byteOffset: _Natural = 0
    filter: str = "NONE"


class BufferViewExtensions(Struct, gc=False):
    EXT_meshopt_compression: MeshoptView | None = None
    KHR_meshopt_compression: MeshoptView | None = None


class BufferView(Struct, gc=False):
    buffer: _Natural
    byteLength: _Positive
    byteOffset: _Natural = 0
    byteStride: _Stride = 0
    target: int = 0
    extensions: BufferViewExtensions | None = None


class SparseIndices(Struct, gc=False):
    bufferView: _Natural
    componentType: _Code
    byteOffset: _Natural = 0


class SparseValues(Struct, gc=False):
    bufferView: _Natural
    byteOffset: _Natural = 0


class Sparse(Struct, gc=False):
    count: _Positive
    indices: SparseIndices
    values: SparseValues


class Accessor(Struct, gc=False):
    # min and max are not read here: nothing is computed from them, and a strict load checks them itself.
    componentType: _Code
    count: _Positive
    type: str
    bufferView: _Natural = -1
    byteOffset: _Natural = 0
    normalized: bool = False
    sparse: Sparse | None = None


class Node(Struct, gc=False):
    name: str = ""
    children: list[_Natural] = []
    mesh: _Natural = -1
    skin: _Natural = -1
    camera: _Natural = -1
    matrix: _Float16 | None = None
    translation: _Float3 | None = None
    rotation: _Float4 | None = None
    scale: _Float3 | None = None
    weights: list[float] | None = None
    extras: Raw = NOTHING


class Scene(Struct, gc=False):
    name: str = ""
    nodes: list[_Natural] = []
    extras: Raw = NOTHING


class Skin(Struct, gc=False):
    joints: list[_Natural]
    name: str = ""
    inverseBindMatrices: _Natural = -1
    skeleton: _Natural = -1
    extras: Raw = NOTHING


class DracoPrimitive(Struct, gc=False):
    """KHR_draco_mesh_compression: numbers in the stream by the name of the attribute."""

    bufferView: _Natural
    attributes: dict[str, _Natural]


class PrimitiveExtensions(Struct, gc=False):
    KHR_draco_mesh_compression: DracoPrimitive | None = None


class Primitive(Struct, gc=False):
    attributes: dict[str, _Natural]
    indices: _Natural = -1
    material: _Natural = -1
    mode: int = 4
    targets: list[dict[str, _Natural]] = []
    extensions: PrimitiveExtensions | None = None
    extras: Raw = NOTHING


class Mesh(Struct, gc=False):
    primitives: list[Primitive]
    name: str = ""
    weights: list[float] = []
    extras: Raw = NOTHING


class TextureTransform(Struct, gc=False, frozen=True):
    """KHR_texture_transform."""

    offset: _Float2 = (0.0, 0.0)
    rotation: float = 0.0
    scale: _Float2 = (1.0, 1.0)
    texCoord: _Natural = -1


class TextureInfoExtensions(Struct, gc=False, frozen=True):
    KHR_texture_transform: TextureTransform | None = None


class TextureInfo(Struct, gc=False, frozen=True):
    index: _Natural
    texCoord: _Natural = 0
    extensions: TextureInfoExtensions | None = None


class MetallicRoughness(Struct, gc=False, frozen=True):
    baseColorFactor: _Float4 = (1.0, 1.0, 1.0, 1.0)
    baseColorTexture: TextureInfo | None = None


class EmissiveStrength(Struct, gc=False, frozen=True):
    """KHR_materials_emissive_strength."""

    emissiveStrength: float = 1.0


class MaterialExtensions(Struct, gc=False, frozen=True):
    KHR_materials_emissive_strength: EmissiveStrength = EmissiveStrength()
    KHR_materials_unlit: Raw = NOTHING


class Material(Struct, gc=False):
    name: str = ""
    pbrMetallicRoughness: MetallicRoughness = MetallicRoughness()
    emissiveFactor: _Float3 = (0.0, 0.0, 0.0)
    emissiveTexture: TextureInfo | None = None
    alphaMode: str = "OPAQUE"
    alphaCutoff: float = 0.5
    doubleSided: bool = False
    extensions: MaterialExtensions = MaterialExtensions()


class TextureSource(Struct, gc=False):
    """Another image instead of ``source``, in another format."""

    source: _Natural = -1


class TextureExtensions(Struct, gc=False):
    EXT_texture_avif: TextureSource | None = None
    EXT_texture_webp: TextureSource | None = None
    KHR_texture_basisu: TextureSource | None = None


class Texture(Struct, gc=False):
    source: _Natural = -1
    name: str = ""
    extensions: TextureExtensions | None = None


class Image(Struct, gc=False):
    uri: str | None = None
    bufferView: _Natural = -1
    mimeType: str = ""
    name: str = ""


class Target(Struct, gc=False):
    path: str
    node: _Natural = -1


class Channel(Struct, gc=False):
    sampler: _Natural
    target: Target


class Sampler(Struct, gc=False):
    input: _Natural
    output: _Natural
    interpolation: str | int = "LINEAR"  # a number, OpenGL's, is a fault that some exporters made


class Animation(Struct, gc=False):
    channels: list[Channel]
    samplers: list[Sampler]
    name: str = ""
    extras: Raw = NOTHING


class Camera(Struct, gc=False):
    """A camera, which is counted and left out."""


class DocumentExtensions(Struct, gc=False):
    KHR_lights_punctual: Raw = NOTHING
    VRM: Raw = NOTHING
    VRMC_springBone: Raw = NOTHING
    VRMC_vrm: Raw = NOTHING
    VRMC_vrm_animation: Raw = NOTHING


class Document(Struct, gc=False):
    # accessors, bufferViews, and channels and samplers of animations are empty: `tables.py` has them.
    asset: Asset
    scene: _Natural = -1
    scenes: list[Scene] = []
    nodes: list[Node] = []
    skins: list[Skin] = []
    meshes: list[Mesh] = []
    materials: list[Material] = []
    textures: list[Texture] = []
    images: list[Image] = []
    animations: list[Animation] = []
    accessors: list[Accessor] = []
    bufferViews: list[BufferView] = []
    buffers: list[Buffer] = []
    cameras: list[Camera] = []
    extensionsUsed: list[str] = []
    extensionsRequired: list[str] = []
    extensions: DocumentExtensions | None = None
