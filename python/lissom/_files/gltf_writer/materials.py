# SPDX-License-Identifier: MIT
"""Materials: base colour and its texture, the bytes of which are written as they are."""

from __future__ import annotations

import math

from msgspec import UNSET

from lissom._files.gltf.codes import image_type
from lissom._files.gltf_writer.buffers import BufferViews
from lissom._files.gltf_writer.document import Image, Material, MetallicRoughness, Texture, TextureInfo
from lissom._rig.mesh import Part
from lissom._rig.mesh import Texture as Picture

WEBP = "EXT_texture_webp"


class Materials:
    """The tables of materials, textures and images; equal looks are one material, equal pictures one image.

    Attributes
    ----------
    materials, textures, images : list
    has_webp : bool
        Whether a picture needs the extension EXT_texture_webp.
    """

    def __init__(self, views: BufferViews) -> None:
        self.materials: list[Material] = []
        self.textures: list[Texture] = []
        self.images: list[Image] = []
        self.has_webp = False
        self._views = views
        self._looks: dict[tuple[tuple[float, ...], int], int] = {}
        self._pictures: dict[Picture, int] = {}

    def material(self, part: Part) -> int:
        """Give the material of a part."""
        red, green, blue, alpha = (float(value) for value in part.base_color)
        color = (red, green, blue, alpha)
        if not all(math.isfinite(value) and 0 <= value <= 1 for value in color):
            raise ValueError(
                f"save_glb: base_color must lie in [0, 1], got {color} in part {part.name!r}; clip it"
            )
        texture = -1 if part.texture is None else self._texture(part.texture, part.name)
        if (color, texture) not in self._looks:
            self._looks[color, texture] = len(self.materials)
            picture = UNSET if texture < 0 else TextureInfo(texture)
            self.materials.append(
                Material(MetallicRoughness(0.0, color, picture), "BLEND" if alpha < 1 else "OPAQUE")
            )
        return self._looks[color, texture]

    def _texture(self, picture: Picture, part: str) -> int:
        if picture not in self._pictures:
            mime = image_type(picture.data)
            if not mime:
                raise ValueError(
                    f"save_glb: textures must be PNG, JPEG or WebP, got {len(picture.data)} bytes of "
                    f"{picture.mime or 'unknown type'} in part {part!r}; give it another or none"
                )
            self._pictures[picture] = len(self.textures)
            self.images.append(Image(mime, self._views.add([picture.data]), picture.name))
            source = len(self.images) - 1
            if mime == "image/webp":
                self.has_webp = True
                self.textures.append(Texture(extensions={WEBP: {"source": source}}))
            else:
                self.textures.append(Texture(source))
        return self._pictures[picture]
