# SPDX-License-Identifier: MIT
"""Materials: colours, emission, their textures, still encoded, and what alpha does. No more is read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom._files.gltf.accessors import Accessors
from lissom._files.gltf.buffers import Buffers
from lissom._files.gltf.log import Log, check_index
from lissom._files.gltf.schema import NOTHING, Document, Material, TextureInfo
from lissom._files.gltf.textures import Textures
from lissom._rig.part import CUTOFF, NO_LIGHT, AlphaMode, Texture

# Of what a part emits, white is 1: far beyond any picture, and far within float32.
_MOST_STRENGTH = 1e6

_ALPHA_MODES: dict[str, AlphaMode] = {"OPAQUE": "opaque", "MASK": "mask", "BLEND": "blend"}


class _Place(NamedTuple):
    """Where a texture lies on a primitive: the set of coordinates, and what is done to them."""

    uv_set: int = 0
    offset: tuple[float, float] = (0.0, 0.0)
    rotation: float = 0.0
    scale: tuple[float, float] = (1.0, 1.0)


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
        n of the TEXCOORD_n that the textures use.
    uv_transform : ndarray of float64, shape (2, 3), or None
        Transform to apply to the texture coordinates.
    unlit : bool
    emissive : tuple of 3 float
        Linear red, green, blue, times the strength.
    emissive_texture : Texture or None
    alpha_mode : {"opaque", "mask", "blend"}
    alpha_cutoff : float
        glTF's default where nothing is masked.
    double_sided : bool
    """

    base_color: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    texture: Texture | None = None
    uv_set: int = 0
    uv_transform: NDArray[np.float64] | None = None
    unlit: bool = False
    emissive: tuple[float, float, float] = NO_LIGHT
    emissive_texture: Texture | None = None
    alpha_mode: AlphaMode = "opaque"
    alpha_cutoff: float = CUTOFF
    double_sided: bool = False


class Materials:
    """Reads materials, each once."""

    def __init__(self, document: Document, accessors: Accessors, buffers: Buffers, log: Log) -> None:
        self._document = document
        self._log = log
        self._textures = Textures(document, accessors, buffers, log)
        self._known: dict[int, PartMaterial] = {-1: PartMaterial()}

    def material(self, index: int, pointer: str) -> PartMaterial:
        """Return material `index`; -1 is glTF's default, plain white."""
        if index not in self._known:
            check_index(index, len(self._document.materials), "materials", pointer)
            self._known[index] = self._read(self._document.materials[index], f"/materials/{index}")
        return self._known[index]

    def name(self, index: int) -> str:
        """Return the name of a material, empty where it has none."""
        return self._document.materials[index].name if 0 <= index < len(self._document.materials) else ""

    def _read(self, material: Material, pointer: str) -> PartMaterial:
        pbr = material.pbrMetallicRoughness
        red, green, blue, alpha = (min(max(value, 0.0), 1.0) for value in pbr.baseColorFactor)
        texture, place = self._sampled(
            pbr.baseColorTexture, f"{pointer}/pbrMetallicRoughness/baseColorTexture"
        )
        # Of an unlit material nothing else counts, as KHR_materials_unlit says.
        unlit = material.extensions.KHR_materials_unlit is not NOTHING
        mode, cutoff = self._alpha(material, pointer)
        read = PartMaterial(
            (red, green, blue, alpha),
            texture,
            place.uv_set,
            _matrix(place),
            unlit,
            alpha_mode=mode,
            alpha_cutoff=cutoff,
            double_sided=material.doubleSided,
        )
        emissive = NO_LIGHT if unlit else self._emissive(material, pointer)
        if not any(emissive):
            return read
        info = material.emissiveTexture
        if info is None:
            return replace(read, emissive=emissive)
        picture, other = self._sampled(info, f"{pointer}/emissiveTexture")
        if picture is None:  # what is dark in the picture would shine without it
            return read
        if texture is not None and other != place:
            self._log.note(
                "EMISSION_LEFT_OUT",
                f"{pointer}/emissiveTexture",
                "the emissive texture must use the texture coordinates of the base colour's, as a mesh has"
                " one set; the light that the material emits was left out",
            )
            return read
        return replace(
            read,
            uv_set=other.uv_set,
            uv_transform=_matrix(other),
            emissive=emissive,
            emissive_texture=picture,
        )

    def _alpha(self, material: Material, pointer: str) -> tuple[AlphaMode, float]:
        """Return what alpha does, and the cutoff."""
        mode = _ALPHA_MODES.get(material.alphaMode)
        if mode is None:
            self._log.note(
                "VALUE_NOT_IN_LIST",
                f"{pointer}/alphaMode",
                f"alphaMode must be OPAQUE, MASK or BLEND, got '{material.alphaMode:.40}'; OPAQUE was used",
            )
        if mode != "mask":
            return mode or "opaque", CUTOFF
        if material.alphaCutoff < 0:
            self._log.mend(
                "VALUE_NOT_IN_RANGE",
                f"{pointer}/alphaCutoff",
                f"must be at least 0, got {material.alphaCutoff:g}; 0 was used, which masks nothing",
            )
        return mode, max(material.alphaCutoff, 0.0)

    def _emissive(self, material: Material, pointer: str) -> tuple[float, float, float]:
        """Return factor times strength."""
        strength = material.extensions.KHR_materials_emissive_strength.emissiveStrength
        if not 0 <= strength <= _MOST_STRENGTH:
            self._log.mend(
                "VALUE_NOT_IN_RANGE",
                f"{pointer}/extensions/KHR_materials_emissive_strength/emissiveStrength",
                f"must lie in [0, {_MOST_STRENGTH:g}], got {strength:g}; it was clamped",
            )
            strength = min(max(strength, 0.0), _MOST_STRENGTH)
        red, green, blue = (strength * min(max(value, 0.0), 1.0) for value in material.emissiveFactor)
        return red, green, blue

    def _sampled(self, info: TextureInfo | None, pointer: str) -> tuple[Texture | None, _Place]:
        """Return a texture, None where there is none to draw, and where it lies."""
        if info is None:
            return None, _Place()
        texture = self._textures.texture(info.index, f"{pointer}/index")
        transform = None if info.extensions is None else info.extensions.KHR_texture_transform
        if transform is None:
            return texture, _Place(info.texCoord)
        uv_set = transform.texCoord if transform.texCoord >= 0 else info.texCoord
        return texture, _Place(uv_set, transform.offset, transform.rotation, transform.scale)


def _matrix(place: _Place) -> NDArray[np.float64] | None:
    """Return the matrix of scale, then rotation, then offset; None where it changes nothing.

    The rotation is counter-clockwise as seen, and v points down: the sine that multiplies v is positive, as
    in Khronos' sample viewer.
    """
    if place[1:] == _Place()[1:]:
        return None
    c, s = np.cos(place.rotation), np.sin(place.rotation)
    (x, y), (u, v) = place.scale, place.offset
    return np.array([[c * x, s * y, u], [-s * x, c * y, v]])
