# SPDX-License-Identifier: MIT
"""Materials: colours, emission and their textures, whose encoded bytes are written unchanged."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

from msgspec import UNSET

from lissom._files.gltf.codes import image_type
from lissom._files.gltf_writer.buffers import BufferViews
from lissom._files.gltf_writer.document import Image, Material, MetallicRoughness, Texture, TextureInfo
from lissom._rig.part import CUTOFF, Part
from lissom._rig.part import Texture as PartTexture

UNLIT, STRENGTH = "KHR_materials_unlit", "KHR_materials_emissive_strength"
# Extensions of textures by media type; glTF itself has PNG and JPEG.
_EXTENSIONS = {
    "image/png": "",
    "image/jpeg": "",
    "image/webp": "EXT_texture_webp",
    "image/avif": "EXT_texture_avif",
}

_Key: TypeAlias = tuple[tuple[float, ...], int, bool, tuple[float, ...], int, str, float, bool]


class Materials:
    """The tables of materials, textures and images; equal materials and equal images are written once.

    Attributes
    ----------
    materials, textures, images : list
    used, required : set of str
        Extensions that the materials use, and those of them without which they cannot be read.
    """

    def __init__(self, views: BufferViews) -> None:
        self.materials: list[Material] = []
        self.textures: list[Texture] = []
        self.images: list[Image] = []
        self.used: set[str] = set()
        self.required: set[str] = set()
        self._views = views
        self._material_indices: dict[_Key, int] = {}
        self._texture_indices: dict[PartTexture, int] = {}

    def material(self, part: Part) -> int:
        """Return the index of the material of a part."""
        red, green, blue, alpha = (float(value) for value in part.base_color)
        color = (red, green, blue, alpha)
        if not all(math.isfinite(value) and 0 <= value <= 1 for value in color):
            raise ValueError(
                f"save_glb: base_color must lie in [0, 1], got {color} in part {part.name!r}; clip it"
            )
        texture = self._texture(part.texture, part.name)
        emissive = self._texture(part.emissive_texture, part.name)
        cutoff = part.alpha_cutoff if part.alpha_mode == "mask" else CUTOFF
        covering = part.alpha_mode, cutoff, part.double_sided
        key = (color, texture, part.unlit, part.emissive, emissive, *covering)
        if key not in self._material_indices:
            self._material_indices[key] = len(self.materials)
            material = Material(
                MetallicRoughness(0.0, color, _info(texture)),
                UNSET if part.alpha_mode == "opaque" else part.alpha_mode.upper(),
                UNSET if cutoff == CUTOFF else cutoff,
                part.double_sided,
            )
            extensions: dict[str, Any] = {UNLIT: {}} if part.unlit else {}
            # A power of two leaves all digits of the numbers, which must be at most 1.
            strength = 2.0 ** max(0, math.ceil(math.log2(max(*part.emissive, 1.0))))
            if strength > 1:
                extensions[STRENGTH] = {"emissiveStrength": strength}
            if any(part.emissive):
                material.emissiveFactor = tuple(value / strength for value in part.emissive)
            material.emissiveTexture = _info(emissive)
            if extensions:
                material.extensions = extensions
                self.used.update(extensions)
            self.materials.append(material)
        return self._material_indices[key]

    def _texture(self, texture: PartTexture | None, part: str) -> int:
        """Return the index of a texture; -1 for none."""
        if texture is None:
            return -1
        if texture not in self._texture_indices:
            mime = image_type(texture.data)
            if mime not in _EXTENSIONS:
                raise ValueError(
                    f"save_glb: textures must be PNG, JPEG, WebP or AVIF, got {len(texture.data)} bytes of "
                    f"{texture.mime or 'unknown type'} in part {part!r}; replace or remove the texture"
                )
            self._texture_indices[texture] = len(self.textures)
            self.images.append(Image(mime, self._views.add([texture.data]), texture.name))
            source, extension = len(self.images) - 1, _EXTENSIONS[mime]
            if extension:
                self.used.add(extension)
                self.required.add(extension)
                self.textures.append(Texture(extensions={extension: {"source": source}}))
            else:
                self.textures.append(Texture(source))
        return self._texture_indices[texture]


def _info(texture: int) -> Any:
    return UNSET if texture < 0 else TextureInfo(texture)
