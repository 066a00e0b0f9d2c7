# SPDX-License-Identifier: MIT
"""Materials: base colour and its texture, still encoded. Their other properties are not read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lissom._files.gltf.accessors import Accessors
from lissom._files.gltf.buffers import Buffers
from lissom._files.gltf.codes import image_type
from lissom._files.gltf.log import Log, check_index
from lissom._files.gltf.schema import Document, TextureTransform
from lissom._rig.part import Texture
from lissom.errors import GltfError


@dataclass(frozen=True, slots=True)
class PartMaterial:
    """The material of a part.

    Attributes
    ----------
    base_color : tuple of 4 float
        Linear red, green, blue, alpha.
    texture : Texture or None
        Texture of the base colour, encoded as in the file.
    uv_set : int
        n of the TEXCOORD_n that the texture uses.
    uv_transform : ndarray of float64, shape (2, 3), or None
        Transform to apply to the texture coordinates.
    """

    base_color: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    texture: Texture | None = None
    uv_set: int = 0
    uv_transform: NDArray[np.float64] | None = None


class Materials:
    """Reads materials, each once."""

    def __init__(self, document: Document, accessors: Accessors, buffers: Buffers, log: Log) -> None:
        self._document = document
        self._accessors = accessors
        self._buffers = buffers
        self._log = log
        self._known: dict[int, PartMaterial] = {-1: PartMaterial()}
        self._textures: dict[int, Texture | None] = {}

    def material(self, index: int, pointer: str) -> PartMaterial:
        """Return material `index`; -1 is glTF's default, plain white."""
        if index not in self._known:
            check_index(index, len(self._document.materials), "materials", pointer)
            self._known[index] = self._read(index)
        return self._known[index]

    def name(self, index: int) -> str:
        """Return the name of a material, empty where it has none."""
        return self._document.materials[index].name if 0 <= index < len(self._document.materials) else ""

    def _read(self, index: int) -> PartMaterial:
        pbr = self._document.materials[index].pbrMetallicRoughness
        red, green, blue, alpha = (min(max(value, 0.0), 1.0) for value in pbr.baseColorFactor)
        color = (red, green, blue, alpha)
        info = pbr.baseColorTexture
        if info is None:
            return PartMaterial(color)
        pointer = f"/materials/{index}/pbrMetallicRoughness/baseColorTexture"
        texture = self._texture(info.index, f"{pointer}/index")
        transform = None if info.extensions is None else info.extensions.KHR_texture_transform
        uv_set = info.texCoord
        if transform is None:
            return PartMaterial(color, texture, uv_set)
        if transform.texCoord >= 0:
            uv_set = transform.texCoord
        return PartMaterial(color, texture, uv_set, _matrix(transform))

    def _texture(self, index: int, pointer: str) -> Texture | None:
        textures = self._document.textures
        check_index(index, len(textures), "textures", pointer)
        image = textures[index].source
        extensions = textures[index].extensions
        if image < 0 and extensions is not None and extensions.EXT_texture_webp is not None:
            image = extensions.EXT_texture_webp.source  # Pillow decodes it
        if image < 0:
            self._log.note(
                "TEXTURE_LEFT_OUT",
                f"/textures/{index}",
                "the texture has no image that lissom reads; left out",
            )
            return None
        if image not in self._textures:
            self._textures[image] = self._image(image, f"/textures/{index}/source")
        return self._textures[image]

    def _image(self, index: int, pointer: str) -> Texture | None:
        images = self._document.images
        check_index(index, len(images), "images", pointer)
        image = images[index]
        kind = image.mimeType
        if image.uri is not None:
            try:
                data, uri_type = self._buffers.image(image.uri, f"/images/{index}/uri")
            except GltfError as error:  # a character can do without its texture
                self._log.mend(error.code, error.pointer, f"{error.message}; the texture was left out")
                return None
            kind = kind or uri_type
        elif image.bufferView >= 0:
            data = self._accessors.view_bytes(image.bufferView, f"/images/{index}/bufferView")
        else:
            self._log.note(
                "TEXTURE_LEFT_OUT", f"/images/{index}", "the image has neither uri nor bufferView; left out"
            )
            return None
        return Texture(data, image_type(data) or kind, image.name)


def _matrix(transform: TextureTransform) -> NDArray[np.float64]:
    """Return the matrix of scale, then rotation, then offset.

    The rotation is counter-clockwise as seen, and v points down: the sine that multiplies v is positive, as
    in Khronos' sample viewer.
    """
    c, s = np.cos(transform.rotation), np.sin(transform.rotation)
    (x, y), (u, v) = transform.scale, transform.offset
    return np.array([[c * x, s * y, u], [-s * x, c * y, v]])
