# SPDX-License-Identifier: MIT
"""Which function shows which class, and what is shown when that fails."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable
from typing import Any

from lissom._html._build import Html, text

__all__ = ["html_of", "png_of"]

logger = logging.getLogger("lissom")

# Class: the module in this room, and the function there. A class without a line is shown by its fields.
_SHOWN = {
    "BakeRecord": ("_bakes", "bake_record"),
    "BakeRecords": ("_bakes", "bake_records"),
    "BakeReport": ("_bakes", "bake_report"),
    "Character": ("_rigs", "character"),
    "Clip": ("_clips", "clip"),
    "ClipReport": ("_clips", "clip_report"),
    "Clips": ("_clips", "clips"),
    "Comparison": ("_compared", "comparison"),
    "Contacts": ("_solved", "contacts"),
    "FootResult": ("_solved", "foot_result"),
    "IkResult": ("_solved", "ik_result"),
    "Mesh": ("_rigs", "mesh"),
    "PoseTexture": ("_bakes", "pose_texture"),
    "Skeleton": ("_rigs", "skeleton"),
    "Skin": ("_rigs", "skin"),
    "WeightReport": ("_weights", "weight_report"),
}
_DRAWN = {
    "Character": ("_rigs", "character_picture"),
    "Clip": ("_clips", "clip_picture"),
    "Mesh": ("_rigs", "mesh_picture"),
    "PoseTexture": ("_bakes", "pose_texture_picture"),
    "Skeleton": ("_rigs", "skeleton_picture"),
}


def html_of(thing: object) -> Html:
    """Show a thing; as its text where that fails."""
    try:
        return Html(_found(thing, _SHOWN, ("_fields", "any_fields"))(thing))
    except Exception:
        logger.debug("showing a %s failed", type(thing).__name__, exc_info=True)
    try:
        said = repr(thing)
    except Exception:
        said = object.__repr__(thing)
    return Html(f"<pre>{text(said, 2000)}</pre>")


def png_of(thing: object) -> bytes | None:
    """Draw a thing; None where that fails or there is nothing to see."""
    try:
        picture = _found(thing, _DRAWN)(thing)
        return None if picture is None else bytes(picture._repr_png_())
    except Exception:
        logger.debug("drawing a %s failed", type(thing).__name__, exc_info=True)
        return None


def _found(
    thing: object, places: dict[str, tuple[str, str]], other: tuple[str, str] | None = None
) -> Callable[[Any], Any]:
    place = next((places[kind.__name__] for kind in type(thing).__mro__ if kind.__name__ in places), other)
    if place is None:
        raise LookupError(type(thing).__name__)
    function: Callable[[Any], Any] = getattr(importlib.import_module(f"lissom._html.{place[0]}"), place[1])
    return function
