# SPDX-License-Identifier: MIT
"""The table of the functions that draw each class, for its HTML and as a PNG alone."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from lissom._notebook import drawings
from lissom._notebook.builder import Html, image
from lissom._notebook.small_png import small_png

__all__ = ["drawn", "png_of"]

logger = logging.getLogger("lissom")

SIDE = 200  # pixels: height of a thumbnail in HTML
ALONE = 160  # pixels: height of a PNG, which is stored in addition to the HTML
PICTURE_BYTES = 8_000  # of its file
COMPARISON_BYTES = 32_000  # an eighth of the picture in its HTML, and its text can be read

# Class: the function that draws it, and the largest size of its file in bytes.
_FUNCTIONS: dict[str, tuple[Callable[[Any, int], Any], int]] = {
    "Character": (drawings.character, PICTURE_BYTES),
    "Clip": (drawings.clip, PICTURE_BYTES),
    "Comparison": (drawings.comparison, COMPARISON_BYTES),
    "Contacts": (drawings.contacts, PICTURE_BYTES),
    "Mesh": (drawings.mesh, PICTURE_BYTES),
    "PoseTexture": (drawings.pose_texture, PICTURE_BYTES),
    "Skeleton": (drawings.skeleton, PICTURE_BYTES),
}


def drawn(shown: object, alt: object) -> str:
    """Return a thumbnail as HTML; an empty string where drawing fails, since the facts remain."""
    try:
        picture = _function_for(shown)[0](shown, SIDE)
    except (ArithmeticError, MemoryError, ValueError):
        return ""
    return Html("") if picture is None else image(picture, alt)


def png_of(shown: object) -> bytes | None:
    """Return a small PNG of an object; None, so that its repr is shown, where that fails or is empty."""
    try:
        draw, max_bytes = _function_for(shown)
        picture = draw(shown, ALONE)
        return None if picture is None else small_png(picture, max_bytes)
    except Exception:
        logger.debug("drawing a %s failed", type(shown).__name__, exc_info=True)
        return None


def _function_for(shown: object) -> tuple[Callable[[Any, int], Any], int]:
    return next(_FUNCTIONS[kind.__name__] for kind in type(shown).__mro__ if kind.__name__ in _FUNCTIONS)
