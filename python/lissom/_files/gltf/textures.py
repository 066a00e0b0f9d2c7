# SPDX-License-Identifier: MIT
"""Textures: of the images that a file has for one, the first that can be decoded, still encoded."""

from __future__ import annotations

from lissom._files.gltf.accessors import Accessors
from lissom._files.gltf.buffers import Buffers
from lissom._files.gltf.codes import image_type
from lissom._files.gltf.log import Log, check_index
from lissom._files.gltf.schema import Document
from lissom._files.gltf.schema import Texture as TextureObject
from lissom._rig.part import Texture
from lissom.errors import GltfError

_KTX2 = "image/ktx2"
_KTX2_ADVICE = (
    "KTX2 (KHR_texture_basisu), which lissom does not decode; the mesh is drawn without it; convert it to"
    " PNG, JPEG or WebP"
)


class Textures:
    """Reads textures, each image once."""

    def __init__(self, document: Document, accessors: Accessors, buffers: Buffers, log: Log) -> None:
        self._document = document
        self._accessors = accessors
        self._buffers = buffers
        self._log = log
        self._images: dict[int, Texture | None] = {}
        self._refused: set[int] = set()

    def texture(self, index: int, pointer: str) -> Texture | None:
        """Return texture `index`; None, and a record, where it has no image that can be drawn."""
        textures = self._document.textures
        check_index(index, len(textures), "textures", pointer)
        sources = _sources(textures[index])
        for source in sources:
            if source not in self._images:
                self._images[source] = self._image(source, f"/textures/{index}/source")
            image = self._images[source]
            if image is not None:
                return image
        if not sources and index not in self._refused:
            extensions = textures[index].extensions
            has_ktx2 = extensions is not None and extensions.KHR_texture_basisu is not None
            what = f"is {_KTX2_ADVICE}" if has_ktx2 else "has no image that lissom reads; left out"
            self._log.note("TEXTURE_LEFT_OUT", f"/textures/{index}", f"the texture {what}")
            self._refused.add(index)
        return None

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
        kind = image_type(data) or kind
        if kind == _KTX2:
            self._log.note("TEXTURE_LEFT_OUT", f"/images/{index}", f"the image is {_KTX2_ADVICE}")
            return None
        return Texture(data, kind, image.name)


def _sources(texture: TextureObject) -> list[int]:
    """Return the images of a texture in formats that are decoded: glTF's own, then those of extensions."""
    sources = [texture.source]
    if texture.extensions is not None:
        known = (texture.extensions.EXT_texture_webp, texture.extensions.EXT_texture_avif)
        sources += [one.source for one in known if one is not None]
    return [source for source in sources if source >= 0]
