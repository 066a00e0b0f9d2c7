# SPDX-License-Identifier: MIT
"""Which function draws which class, within HTML and alone; nothing is drawn where that fails."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from lissom._notebook import drawings
from lissom._notebook.builder import Html, image
from lissom._notebook.small_png import small_png

__all__ = ["drawn", "png_of"]

logger = logging.getLogger("lissom")

SIDE = 200  # pixels of a thumbnail beside facts
ALONE = 160  # pixels of one that is stored a second time, beside the HTML
PICTURE_BYTES = 8_000  # of its file
MOST_COMPARED = 32_000  # of a comparison's: an eighth of what its HTML holds, and its words can be read

# Class: what draws it, and how many bytes its file may take.
_DRAWN: dict[str, tuple[Callable[[Any, int], Any], int]] = {
    "Character": (drawings.character, PICTURE_BYTES),
    "Clip": (drawings.clip, PICTURE_BYTES),
    "Comparison": (drawings.comparison, MOST_COMPARED),
    "Contacts": (drawings.contacts, PICTURE_BYTES),
    "Mesh": (drawings.mesh, PICTURE_BYTES),
    "PoseTexture": (drawings.pose_texture, PICTURE_BYTES),
    "Skeleton": (drawings.skeleton, PICTURE_BYTES),
}


def drawn(thing: object, alt: object) -> str:
    """Give a thumbnail for HTML, or nothing where that fails: the facts are shown all the same."""
    try:
        picture = _of(thing)[0](thing, SIDE)
    except (ArithmeticError, MemoryError, ValueError):
        return ""
    return Html("") if picture is None else image(picture, alt)


def png_of(thing: object) -> bytes | None:
    """Draw a thing small; None where that fails or there is nothing to see: then its text is shown."""
    try:
        draw, most = _of(thing)
        picture = draw(thing, ALONE)
        return None if picture is None else small_png(picture, most)
    except Exception:
        logger.debug("drawing a %s failed", type(thing).__name__, exc_info=True)
        return None


def _of(thing: object) -> tuple[Callable[[Any, int], Any], int]:
    return next(_DRAWN[kind.__name__] for kind in type(thing).__mro__ if kind.__name__ in _DRAWN)
