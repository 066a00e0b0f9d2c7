# SPDX-License-Identifier: MIT
"""Which function shows which class, and what is shown when that fails."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable
from typing import Any

from lissom._notebook.builder import Html, text

__all__ = ["html_of"]

logger = logging.getLogger("lissom")

# Class: the module in this room, and the function there. A class without a line is shown by its fields.
_SHOWN = {
    "BakeRecord": ("bakes", "bake_record"),
    "BakeRecords": ("bakes", "bake_records"),
    "BakeReport": ("bakes", "bake_report"),
    "Character": ("characters", "character"),
    "Clip": ("clips", "clip"),
    "ClipReport": ("clips", "clip_report"),
    "Clips": ("clips", "clips"),
    "Comparison": ("comparisons", "comparison"),
    "Contacts": ("solver_results", "contacts"),
    "FootResult": ("solver_results", "foot_result"),
    "IkResult": ("solver_results", "ik_result"),
    "Mesh": ("characters", "mesh"),
    "PoseTexture": ("bakes", "pose_texture"),
    "Skeleton": ("characters", "skeleton"),
    "Skin": ("characters", "skin"),
    "WeightReport": ("weights", "weight_report"),
}


def html_of(thing: object) -> Html:
    """Show a thing; as its text where that fails."""
    try:
        return Html(_found(thing)(thing))
    except Exception:
        logger.debug("showing a %s failed", type(thing).__name__, exc_info=True)
    try:
        said = repr(thing)
    except Exception:
        said = object.__repr__(thing)
    return Html(f"<pre>{text(said, 2000)}</pre>")


def _found(thing: object) -> Callable[[Any], Any]:
    names = (kind.__name__ for kind in type(thing).__mro__)
    module, function = next((_SHOWN[name] for name in names if name in _SHOWN), ("reports", "any_fields"))
    found: Callable[[Any], Any] = getattr(importlib.import_module(f"lissom._notebook.{module}"), function)
    return found
