# SPDX-License-Identifier: MIT
"""The parts of glTF 2.0's JSON that are written, typed. Members left at their defaults are not written."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, Struct, UnsetType, field

Index = int | UnsetType
"""Index of an object of the file; unset where there is none, since 0 is an index."""
Extras = dict[str, object] | UnsetType


class Asset(Struct):
    version: str
    generator: str


class Buffer(Struct):
    byteLength: int


class BufferView(Struct, omit_defaults=True):
    buffer: Index
    byteLength: int
    byteOffset: int = 0
    byteStride: int = 0
    target: int = 0


class SparseIndices(Struct, omit_defaults=True):
    componentType: int
    bufferView: Index = UNSET
    byteOffset: int = 0


class SparseValues(Struct, omit_defaults=True):
    bufferView: Index = UNSET
    byteOffset: int = 0


class Sparse(Struct):
    count: int
    indices: SparseIndices
    values: SparseValues


class Accessor(Struct, omit_defaults=True):
    componentType: int
    count: int
    type: str
    bufferView: Index
    byteOffset: int = 0
    min: list[float] = []
    max: list[float] = []
    sparse: Sparse | UnsetType = UNSET


class Node(Struct, omit_defaults=True):
    name: str
    children: list[int] = []
    translation: list[float] | UnsetType = UNSET
    rotation: list[float] | UnsetType = UNSET
    scale: list[float] | UnsetType = UNSET
    mesh: Index = UNSET
    skin: Index = UNSET
    extras: Extras = UNSET


class Scene(Struct, omit_defaults=True):
    name: str
    nodes: list[int] = []
    extras: Extras = UNSET


class Skin(Struct, omit_defaults=True):
    name: str
    joints: list[int]
    inverseBindMatrices: Index = UNSET
    extras: Extras = UNSET


class Primitive(Struct, omit_defaults=True):
    attributes: dict[str, int]
    material: int
    indices: Index = UNSET
    mode: int = 4
    targets: list[dict[str, int]] = []


class Mesh(Struct, omit_defaults=True):
    name: str
    primitives: list[Primitive]
    weights: list[float] = []
    extras: dict[str, object] | UnsetType = UNSET


class TextureInfo(Struct):
    index: int


class MetallicRoughness(Struct, omit_defaults=True):
    # metallicFactor is always written: its default, 1, is metal.
    metallicFactor: float
    baseColorFactor: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    baseColorTexture: TextureInfo | UnsetType = UNSET


class Material(Struct, omit_defaults=True):
    pbrMetallicRoughness: MetallicRoughness
    alphaMode: str | UnsetType = UNSET
    alphaCutoff: float | UnsetType = UNSET
    doubleSided: bool = False
    emissiveFactor: tuple[float, ...] = (0.0, 0.0, 0.0)
    emissiveTexture: TextureInfo | UnsetType = UNSET
    extensions: dict[str, Any] | UnsetType = UNSET
    name: str = ""


class Texture(Struct, omit_defaults=True):
    source: Index = UNSET
    extensions: dict[str, Any] | UnsetType = UNSET


class Image(Struct, omit_defaults=True):
    mimeType: str
    bufferView: int
    name: str = ""


class Target(Struct):
    node: int
    path: str


class Channel(Struct):
    sampler: int
    target: Target


class Sampler(Struct, omit_defaults=True):
    input: int
    output: int
    interpolation: str = "LINEAR"


class Animation(Struct, omit_defaults=True):
    name: str
    channels: list[Channel]
    samplers: list[Sampler]
    extras: Extras = UNSET


class Document(Struct, omit_defaults=True):
    asset: Asset
    scene: int | UnsetType = UNSET
    scenes: list[Scene] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    skins: list[Skin] = field(default_factory=list)
    meshes: list[Mesh] = field(default_factory=list)
    materials: list[Material] = field(default_factory=list)
    textures: list[Texture] = field(default_factory=list)
    images: list[Image] = field(default_factory=list)
    animations: list[Animation] = field(default_factory=list)
    accessors: list[Accessor] = field(default_factory=list)
    bufferViews: list[BufferView] = field(default_factory=list)
    buffers: list[Buffer] = field(default_factory=list)
    extensionsUsed: list[str] = field(default_factory=list)
    extensionsRequired: list[str] = field(default_factory=list)
