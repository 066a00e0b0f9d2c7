# SPDX-License-Identifier: MIT
"""Which files one picture can be written as: PNG by zlib, WebP and JPEG by Pillow."""

from __future__ import annotations

import io
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom._base.extras import require
from lissom._base.names import either
from lissom._formats.png import png_bytes

__all__ = ["PICTURES", "STILLS", "check_picture_name", "picture_bytes"]

STILLS = (".png", ".jpg", ".jpeg")
"""Endings that say that one picture is meant, however it moves."""
PICTURES = (*STILLS, ".webp")
"""All endings of pictures; a ``.webp`` may be a film."""

WEBP, JPEG = "WEBP", "JPEG"
KINDS = {".webp": WEBP, ".jpg": JPEG, ".jpeg": JPEG}
# In which nothing is seen to be lost; a JPEG keeps all colours of thin lines and letters (4:4:4).
LOOKS: dict[str, dict[str, Any]] = {
    WEBP: {"quality": 90, "method": 4},
    JPEG: {"quality": 92, "subsampling": 0, "optimize": True},
}
MOST_PIXELS = {WEBP: 16383, JPEG: 65500}  # of a side


def check_picture_name(caller: str, name: str, shape: tuple[int, ...]) -> str:
    """Return the ending of a picture's file; say why there can be none before anything is drawn.

    Parameters
    ----------
    caller : str
        Function or option that errors name.
    name : str
        Of the file.
    shape : tuple of int
        Height, width and, where there are any, channels: 4 with alpha.

    Raises
    ------
    ValueError
        On another ending, for alpha in a JPEG, and for a side that the file cannot tell.
    ImportError
        Without Pillow for a WebP or a JPEG, naming the extra.
    """
    path = PurePath(name)
    suffix = path.suffix.lower()
    if suffix not in PICTURES:
        raise ValueError(f"{caller}: path must end in {either(PICTURES)}, got {path.name!r}")
    kind = KINDS.get(suffix)
    if kind is None:
        return suffix
    require("PIL.Image", "gl", f"saving a {suffix} file")
    if kind == JPEG and shape[2:] == (4,):
        raise ValueError(
            f"{caller}: a JPEG has no transparent background, got a picture with alpha for {path.name!r}; "
            "save as .png or .webp"
        )
    if max(shape[:2]) > MOST_PIXELS[kind]:
        most = MOST_PIXELS[kind]
        raise ValueError(
            f"{caller}: a {suffix} file has at most {most} x {most} pixels, got {shape[1]} x {shape[0]}; "
            "save as .png"
        )
    return suffix


def picture_bytes(pixels: NDArray[np.uint8], suffix: str, what: str) -> bytes:
    """Return a picture as the bytes of a file of that ending, as `check_picture_name` returns it.

    Parameters
    ----------
    pixels : ndarray of uint8, shape (height, width), (height, width, 3) or (height, width, 4)
        sRGB, first row on top.
    suffix : str
    what : str
        Name of the array in errors.

    Raises
    ------
    TypeError
        If the pixels are of another dtype.
    """
    kind = KINDS.get(suffix)
    if kind is None:
        return png_bytes(pixels, what=what)
    if pixels.dtype != np.uint8:
        raise TypeError(f"{what} must be of uint8 for a {suffix} file, got {pixels.dtype}")
    images = require("PIL.Image", "gl", f"saving a {suffix} file")
    file = io.BytesIO()
    images.fromarray(np.ascontiguousarray(pixels)).save(file, kind, **LOOKS[kind])
    return file.getvalue()
