# SPDX-License-Identifier: MIT
"""Materials: base colour and its texture, whose encoded bytes are written unchanged."""

from __future__ import annotations

import math

from msgspec import UNSET

from lissom._files.gltf.codes import image_type
from lissom._files.gltf_writer.buffers import BufferViews
from lissom._files.gltf_writer.document import Image, Material, MetallicRoughness, Texture, TextureInfo
from lissom._rig.part import Part
from lissom._rig.part import Texture as PartTexture

WEBP = "EXT_texture_webp"


class Materials:
    """The tables of materials, textures and images; equal materials and equal images are written once.

    Attributes
    ----------
    materials, textures, images : list
    has_webp : bool
        Whether an image needs the extension EXT_texture_webp.
    """

    def __init__(self, views: BufferViews) -> None:
        self.materials: list[Material] = []
        self.textures: list[Texture] = []
        self.images: list[Image] = []
        self.has_webp = False
        self._views = views
        self._material_indices: dict[tuple[tuple[float, ...], int], int] = {}
        self._texture_indices: dict[PartTexture, int] = {}

    def material(self, part: Part) -> int:
        """Return the index of the material of a part."""
        red, green, blue, alpha = (float(value) for value in part.base_color)
        color = (red, green, blue, alpha)
        if not all(math.isfinite(value) and 0 <= value <= 1 for value in color):
            raise ValueError(
                f"save_glb: base_color must lie in [0, 1], got {color} in part {part.name!r}; clip it"
            )
        texture = -1 if part.texture is None else self._texture(part.texture, part.name)
        if (color, texture) not in self._material_indices:
            self._material_indices[color, texture] = len(self.materials)
            info = UNSET if texture < 0 else TextureInfo(texture)
            self.materials.append(
                Material(MetallicRoughness(0.0, color, info), "BLEND" if alpha < 1 else "OPAQUE")
            )
        return self._material_indices[color, texture]

    def _texture(self, texture: PartTexture, part: str) -> int:
        if texture not in self._texture_indices:
            mime = image_type(texture.data)
            if not mime:
                raise ValueError(
                    f"save_glb: textures must be PNG, JPEG or WebP, got {len(texture.data)} bytes of "
                    f"{texture.mime or 'unknown type'} in part {part!r}; replace or remove the texture"
                )
            self._texture_indices[texture] = len(self.textures)
            self.images.append(Image(mime, self._views.add([texture.data]), texture.name))
            source = len(self.images) - 1
            if mime == "image/webp":
                self.has_webp = True
                self.textures.append(Texture(extensions={WEBP: {"source": source}}))
            else:
                self.textures.append(Texture(source))
        return self._texture_indices[texture]
