# SPDX-License-Identifier: MIT
"""The parts of a mesh, and the pictures on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from lissom._base.arrays import finite_floats, read_only
from lissom._base.extras import require
from lissom._base.numbers import check_flag, check_number, whole_number
from lissom._base.printable import printable, quoted
from lissom._base.set_module import set_module
from lissom._formats.budget import MAX_DECODED
from lissom._rig.encoded_picture import PLUGINS, format_of, pixels_alone

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Part", "Texture", "checked_parts"]

View = Literal["auto", "both", "firstPersonOnly", "thirdPersonOnly"]
VIEWS: tuple[str, ...] = get_args(View)
"""Who sees a part, by VRM's names."""

AlphaMode = Literal["opaque", "mask", "blend"]
ALPHA_MODES: tuple[str, ...] = get_args(AlphaMode)
"""What alpha does, by glTF's names in small letters."""

CUTOFF = 0.5
"""glTF's default of alphaCutoff."""

STRIP = 1 << 22
"""Bytes of a picture that are converted at a time."""


@set_module("lissom")
@dataclass(frozen=True)
class Texture:
    r"""An encoded picture as the file holds it.

    Parameters
    ----------
    data : bytes
        The encoded file: PNG, JPEG, WebP or AVIF.
    mime : str
        ``"image/png"``, ``"image/jpeg"``, ``"image/webp"`` or ``"image/avif"``; empty where the file does not
        say.
    name : str
        The picture's name in the file, for people.

    Examples
    --------
    >>> lissom.Texture(b"\xff\xd8\xff\xe0", "image/jpeg", "skin")
    Texture('skin', image/jpeg, 4 bytes)
    """

    data: bytes
    mime: str = ""
    name: str = ""

    def decode(self, *, max_decoded: int = MAX_DECODED) -> NDArray[np.uint8]:
        """Decode the picture.

        Parameters
        ----------
        max_decoded : int
            Most bytes that its pixels may take, four each; 1 GiB when omitted. A file of half a megabyte can
            declare a gigabyte; what it declares is read first, and nothing decoded where it is more. Of WebP
            Pillow refuses more than twice ``PIL.Image.MAX_IMAGE_PIXELS``, 178 956 970 pixels, in any case, of
            AVIF more than 268 435 456.

        Returns
        -------
        ndarray of uint8, shape (height, width, 4)
            sRGB red, green, blue and linear alpha; the first row is the upper edge.

        Raises
        ------
        ImportError
            When Pillow is missing; it comes with ``lissom[gl]``.
        ValueError
            When the bytes are no PNG, JPEG, WebP or AVIF picture that Pillow reads, or declare more pixels
            than `max_decoded` or Pillow allow.

        Notes
        -----
        Of animations this is the first frame. EXIF, colour profiles and texts are not read.

        Examples
        --------
        >>> import io
        >>> from PIL import Image
        >>> file = io.BytesIO()
        >>> Image.new("RGB", (4, 2), "red").save(file, "PNG")
        >>> lissom.Texture(file.getvalue(), "image/png", "red").decode()[0, 0]
        array([255,   0,   0, 255], dtype=uint8)
        """
        pillow = require("PIL.Image", "gl", "Texture.decode")
        # Of its own limits: of WebP, and where warnings are errors, of rows beyond 89 million pixels.
        limits = (pillow.DecompressionBombError, pillow.DecompressionBombWarning)
        most = whole_number(max_decoded, "Texture.decode: max_decoded")
        try:
            with self._opened() as image:
                width, height = image.size
                if 4 * width * height <= most:
                    return _pixels(image)
        except limits as error:
            raise ValueError(
                f"Texture.decode: the picture named {quoted(self.name)} must have no more pixels than Pillow "
                f"reads, twice PIL.Image.MAX_IMAGE_PIXELS ({printable(str(error), 200)}); set that higher "
                "where the file is trusted"
            ) from error
        except (OSError, ValueError, SyntaxError, EOFError) as error:
            raise ValueError(
                f"Texture.decode: data must be a PNG, JPEG, WebP or AVIF picture, got {len(self.data)} bytes "
                f"of {printable(self.mime, 40) or 'unknown type'} named {quoted(self.name)} that cannot be "
                f"read ({printable(str(error), 200)})"
            ) from error
        raise ValueError(
            f"Texture.decode: the picture named {quoted(self.name)} must take at most {most} bytes, got "
            f"{width} x {height} pixels of 4; pass a larger max_decoded where the file is trusted"
        )

    def _opened(self) -> Any:
        """Return Pillow's image, of which nothing is decoded yet.

        By its reader, not by `PIL.Image.open`, which has a limit of pixels of its own, and warns below it.
        """
        name = format_of(self.data)
        if not name:
            raise ValueError("its first bytes are those of another format")
        plugin = require(f"PIL.{PLUGINS[name]}", "gl", "Texture.decode")
        if not getattr(plugin, "SUPPORTED", True):
            raise ValueError(f"this Pillow was built without {name}")
        reader = getattr(plugin, PLUGINS[name].removesuffix("Plugin") + "File")
        return reader(pixels_alone(self.data))

    def __repr__(self) -> str:
        kind = printable(self.mime, 40) or "unknown type"
        return f"Texture({self.name!r}, {kind}, {len(self.data)} bytes)"


def _pixels(image: Any) -> NDArray[np.uint8]:
    """Return the pixels of an image of Pillow, (height, width, 4), converted in strips."""
    width, height = image.size
    pixels = np.empty((height, width, 4), np.uint8)
    rows = max(1, STRIP // (4 * width))
    for top in range(0, height, rows):
        strip = image.crop((0, top, width, min(top + rows, height)))
        pixels[top : top + rows] = strip.convert("RGBA")
    return pixels


@set_module("lissom")
@dataclass(frozen=True, eq=False)
class Part:
    """A run of vertices and triangles of a mesh: one primitive of the file, with one material.

    Parameters
    ----------
    name : str
        The mesh's or node's name in the file.
    vertices, triangles : slice
        Which rows of the mesh's arrays are this part's, without a step.
    rigid : bool
        Whether all vertices follow a single joint with weight 1 (a prop, an eye) rather than a skin.
    base_color : tuple of 4 float
        Linear red, green, blue, alpha in [0, 1]; multiplies the texture and the colours of the vertices.
    texture : Texture, optional
        Base colour picture, sampled at the mesh's `uvs`.
    model_from_source : ndarray of float64, shape (4, 4)
        What moved the part from the file's own space into the mesh's. Copied; read-only.
    view : {"auto", "both", "firstPersonOnly", "thirdPersonOnly"}
        Who sees it, as files of VRM say: the character itself, others, both; or "auto", all but what follows
        the head. See `Character.first_person`.
    unlit : bool
        Whether the part is drawn in its colours as they are, without light (glTF's KHR_materials_unlit).
    emissive : tuple of 3 float
        Light that the part emits, linear red, green, blue, at least 0; above 1 is brighter than white paper.
        Not drawn where `unlit`.
    emissive_texture : Texture, optional
        Picture that multiplies `emissive`, sampled at the mesh's `uvs`.
    alpha_mode : {"opaque", "mask", "blend"}
        What alpha does, the product of that of base colour, texture and vertex: nothing; leave out what is
        below `alpha_cutoff`; or cover what is behind by its share.
    alpha_cutoff : float
        The least alpha that is drawn of a masked part, at least 0; above 1 nothing is.
    double_sided : bool
        Whether back faces of a blended part are drawn. Those of other parts are in any case.

    Raises
    ------
    TypeError
        If `unlit` or `double_sided` is no bool, or a number is not one.
    ValueError
        If `emissive` is not 3 finite numbers from 0 on, `model_from_source` not a finite (4, 4), `view` or
        `alpha_mode` none of theirs, or `alpha_cutoff` negative or not finite.

    Examples
    --------
    >>> light, dark = lissom.samples.two_bone_tube().mesh.parts
    >>> light.name, light.rigid, light.texture
    ('Light', False, None)
    >>> light.vertices.stop == dark.vertices.start
    True
    """

    name: str
    vertices: slice
    triangles: slice
    rigid: bool = False
    base_color: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    texture: Texture | None = None
    model_from_source: NDArray[np.float64] = field(default_factory=lambda: np.eye(4), repr=False)
    view: View = "auto"
    unlit: bool = False
    emissive: tuple[float, float, float] = (0.0, 0.0, 0.0)
    emissive_texture: Texture | None = None
    alpha_mode: AlphaMode = "opaque"
    alpha_cutoff: float = CUTOFF
    double_sided: bool = False

    def __post_init__(self) -> None:
        for name, known in (("view", VIEWS), ("alpha_mode", ALPHA_MODES)):
            if getattr(self, name) not in known:
                got = getattr(self, name)
                raise ValueError(f"Part: {name} must be one of {', '.join(known)}, got {got!r}")
        moved = finite_floats(self.model_from_source, "Part: model_from_source", (4, 4))
        object.__setattr__(self, "model_from_source", read_only(moved))
        for name in ("unlit", "double_sided"):
            object.__setattr__(self, name, check_flag(getattr(self, name), f"Part: {name}"))
        cutoff = check_number(self.alpha_cutoff, "Part: alpha_cutoff", least=0)
        object.__setattr__(self, "alpha_cutoff", cutoff)
        if self.emissive is NO_LIGHT:
            return
        light = finite_floats(self.emissive, "Part: emissive", (3,))
        if light.min() < 0:
            raise ValueError(f"Part: emissive must be at least 0, got {light.tolist()}; clip it")
        object.__setattr__(self, "emissive", tuple(light.tolist()))


NO_LIGHT = Part.emissive
"""What a part emits that does not say otherwise."""


def checked_parts(parts: Sequence[Part] | None, vertex_count: int, triangle_count: int) -> tuple[Part, ...]:
    if parts is None:
        return (Part("mesh", slice(0, vertex_count), slice(0, triangle_count)),)
    for part in parts:
        if not isinstance(part, Part):
            raise TypeError(f"Mesh: parts must be a sequence of Part, got {type(part).__name__}")
        for name, rows, count in (
            ("vertices", part.vertices, vertex_count),
            ("triangles", part.triangles, triangle_count),
        ):
            plain = rows.step in (None, 1) and isinstance(rows.start, int) and isinstance(rows.stop, int)
            if not plain or not 0 <= rows.start <= rows.stop <= count:
                raise ValueError(
                    f"Mesh: parts must be slices within the mesh, got {name} {rows.start}:{rows.stop} "
                    f"of {count} in part {part.name!r}"
                )
    return tuple(parts)
