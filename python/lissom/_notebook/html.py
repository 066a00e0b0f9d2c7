# SPDX-License-Identifier: MIT
"""The table of the functions that make the HTML of each class, and the fallback where one fails."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable
from typing import Any

from lissom._notebook.builder import Html, text

__all__ = ["html_of"]

logger = logging.getLogger("lissom")

# Class: module of this package, and the function there. Other classes are shown by their fields.
_FUNCTIONS = {
    "BakeRecord": ("bakes", "bake_record"),
    "BakeRecords": ("bakes", "bake_records"),
    "BakeReport": ("bakes", "bake_report"),
    "Character": ("characters", "character"),
    "Clip": ("clips", "clip"),
    "ClipReport": ("clips", "clip_report"),
    "Clips": ("clips", "clips"),
    "Comparison": ("comparisons", "comparison"),
    "Contacts": ("solver_results", "contacts"),
    "Expressions": ("avatars", "expressions"),
    "FootResult": ("solver_results", "foot_result"),
    "IkResult": ("solver_results", "ik_result"),
    "LookAt": ("avatars", "look_at"),
    "Mesh": ("characters", "mesh"),
    "Morphs": ("characters", "morphs"),
    "PoseTexture": ("bakes", "pose_texture"),
    "Roles": ("roles", "roles"),
    "Skeleton": ("characters", "skeleton"),
    "Skin": ("characters", "skin"),
    "WeightReport": ("weights", "weight_report"),
}


def html_of(shown: object) -> Html:
    """Return the HTML of an object; its repr where that fails."""
    try:
        return Html(_function_for(shown)(shown))
    except Exception:
        logger.debug("showing a %s failed", type(shown).__name__, exc_info=True)
    try:
        plain = repr(shown)
    except Exception:
        plain = object.__repr__(shown)
    return Html(f"<pre>{text(plain, 2000)}</pre>")


def _function_for(shown: object) -> Callable[[Any], Any]:
    names = (kind.__name__ for kind in type(shown).__mro__)
    module, name = next((_FUNCTIONS[name] for name in names if name in _FUNCTIONS), ("reports", "any_fields"))
    function: Callable[[Any], Any] = getattr(importlib.import_module(f"lissom._notebook.{module}"), name)
    return function
