# SPDX-License-Identifier: MIT
"""Pictures of numbers, not colours: EXR by OpenImageIO, which reads PNG of 16 bits back, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom._base.extras import require
from lissom._formats.png import png_bytes

__all__ = ["KINDS", "read_image", "stored", "write_image"]

KINDS = {"exr_half": ".exr", "exr_float": ".exr", "png16": ".png"}
"""Kinds of pictures, and the ends of their names."""

_DTYPES = {"exr_half": np.float16, "exr_float": np.float32, "png16": np.uint16}


def stored(values: NDArray[np.floating], kind: str) -> NDArray[Any]:
    """Return numbers as a picture holds them: of 16 bits those from 0 to 1 in 65 535 steps."""
    if kind == "png16":
        return np.asarray(np.rint(np.clip(values, 0.0, 1.0) * 65535.0), np.uint16)
    return np.asarray(values, _DTYPES[kind])


def write_image(path: Path, pixels: NDArray[Any], what: str) -> None:
    """Write pixels (height, width, 3 or 4), first row on top. `what` is who asks, as the user called it."""
    if path.suffix == ".png":
        path.write_bytes(png_bytes(pixels))
        return
    oiio = require("OpenImageIO", "export", what)
    height, width, channels = pixels.shape
    spec = oiio.ImageSpec(width, height, channels, "half" if pixels.dtype == np.float16 else "float")
    spec.attribute("compression", "zip")
    output = oiio.ImageOutput.create(str(path))
    if output is None or not output.open(str(path), spec) or not output.write_image(pixels):
        raise OSError(f"{what}: {path} cannot be written: {oiio.geterror() or output.geterror()}")
    output.close()


def read_image(path: Path, what: str) -> NDArray[np.float32]:
    """Return the numbers of a picture, (height, width, channels), first row on top.

    Those of whole numbers come as fractions of the largest. Raises ValueError where it cannot be read.
    """
    oiio = require("OpenImageIO", "export", what)
    plain = oiio.ImageSpec()
    plain.attribute("oiio:UnassociatedAlpha", 1)  # a fourth number is none to multiply the others with
    opened = oiio.ImageInput.open(str(path), plain)
    if opened is None:
        raise ValueError(f"{what}: {path} must be an EXR or PNG picture, got {oiio.geterror()}")
    try:
        pixels = opened.read_image("float")
        if pixels is None:
            raise ValueError(f"{what}: {path} must be a whole picture, got {opened.geterror()}")
    finally:
        opened.close()
    return np.asarray(pixels, np.float32)
