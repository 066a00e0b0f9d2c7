# SPDX-License-Identifier: MIT
"""Framebuffers of users: what can be drawn into, and what of them a drawing leaves alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lissom._base.extras import require
from lissom.errors import GpuError

if TYPE_CHECKING:
    import moderngl

    from lissom.gpu._context import GlContext

__all__ = ["check_framebuffer", "drawn_into", "visible_part"]

_INVISIBLE = (False, False, False, False)


def check_framebuffer(framebuffer: Any, context: GlContext, what: str) -> None:
    """Refuse what no picture can be drawn into, in the name of `what`: as `Stage.draw` says."""
    module = require("moderngl", "gl", "drawing")
    if framebuffer is None:
        raise ValueError(f"{what} must be passed, for none is bound in the stage's context")
    if not isinstance(framebuffer, module.Framebuffer):
        raise TypeError(f"{what} must be a moderngl.Framebuffer, got {type(framebuffer).__name__}")
    if not hasattr(framebuffer.mglo, "viewport"):
        raise GpuError(f"{what} was released; make a new one")
    if framebuffer.ctx is not context.gl:
        raise ValueError(f"{what} must be of the stage's context, got one of another; make it there")
    # Of framebuffers that moderngl did not make, windows above all, it does not know the attachments.
    if framebuffer.color_attachments is not None:
        _check_attachments(framebuffer, what)
    if min(framebuffer.viewport[2:]) < 1:
        width, height = framebuffer.viewport[2:]
        raise ValueError(f"{what} must have a viewport of at least 1 x 1, got {width} x {height}")


def _check_attachments(framebuffer: Any, what: str) -> None:
    colors, depths = framebuffer.color_attachments, framebuffer.depth_attachment
    if not colors:
        raise ValueError(f"{what} must have a colour attachment to draw into, got none")
    if depths is None:
        raise ValueError(
            f"{what} must have depths, by which near surfaces hide others; add a depth_renderbuffer to it"
        )
    for attachment in (*colors, depths):
        if type(attachment.mglo).__name__ == "InvalidObject":
            raise GpuError(f"{what} has an attachment that was released; make a new one")
    dtype = colors[0].dtype
    if dtype[0] in "ui":
        raise ValueError(
            f"{what} must hold colours that are no integers, dtype 'f1', 'f2' or 'f4', got {dtype!r}"
        )


@contextmanager
def drawn_into(framebuffer: moderngl.Framebuffer) -> Iterator[None]:
    """Let the first colour attachment and the depths be written; put the framebuffer's masks back after.

    Others, such as normals of a G-buffer, would get what the shaders do not say.
    """
    depth_mask, color_mask = framebuffer.depth_mask, framebuffer.color_mask
    try:
        framebuffer.depth_mask = True
        if color_mask and isinstance(color_mask[0], tuple):  # one for each attachment
            framebuffer.color_mask = (color_mask[0], *(_INVISIBLE for _ in color_mask[1:]))
        yield
    finally:
        framebuffer.depth_mask, framebuffer.color_mask = depth_mask, color_mask


def visible_part(framebuffer: moderngl.Framebuffer) -> tuple[int, int, int, int] | None:
    """Return what of the viewport the framebuffer's scissor leaves, x, y, width, height; None for nothing."""
    (x, y, width, height), (left, low, wide, high) = framebuffer.viewport, framebuffer.scissor
    x_end, y_end = min(x + width, left + wide), min(y + height, low + high)
    x, y = max(x, left, 0), max(y, low, 0)
    return (x, y, x_end - x, y_end - y) if x_end > x and y_end > y else None
