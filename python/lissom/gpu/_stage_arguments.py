# SPDX-License-Identifier: MIT
"""What a stage is made of: the context that it draws in, and a size that the driver can have."""

from __future__ import annotations

from numbers import Real

import numpy as np

from lissom._base.extras import require
from lissom.gpu._context import GlContext, check_texture_size, shared_context

__all__ = ["check_sides", "check_size", "checked_context"]


def checked_context(context: object) -> GlContext:
    """Return the context to draw in: lissom's own, or a user's."""
    if context is None:
        return shared_context()
    if isinstance(context, GlContext):
        return context
    moderngl = require("moderngl", "gl", "drawing")
    if not isinstance(context, moderngl.Context):
        raise TypeError(f"Stage: context must be a moderngl.Context, got {type(context).__name__}")
    return GlContext.of(context, "Stage")


def check_sides(caller: str, width: int, height: int, samples: int) -> None:
    """Refuse numbers that are wrong on every driver."""
    for name, value in (("width", width), ("height", height), ("samples", samples)):
        if not isinstance(value, Real):
            raise TypeError(f"{caller}: {name} must be a whole number, got {type(value).__name__}")
    if not all(np.isfinite(side) and side == int(side) and side >= 1 for side in (width, height)):
        raise ValueError(
            f"{caller}: width and height must be whole numbers, at least 1, got {width} x {height}"
        )


def check_size(caller: str, width: int, height: int, samples: int, context: GlContext | None = None) -> None:
    """Refuse a size that no stage can have, in the name of `caller`: as `Stage` says."""
    check_sides(caller, width, height, samples)
    with context or shared_context() as gl:
        check_texture_size(gl, int(width), int(height), f"{caller}: the picture")
        possible = [0, *(1 << i for i in range(1, gl.max_samples.bit_length()))]
    if samples not in possible:
        known = ", ".join(map(str, possible))
        raise ValueError(f"{caller}: samples must be one of {known} on this driver, got {samples}")
