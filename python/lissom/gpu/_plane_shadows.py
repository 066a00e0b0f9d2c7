# SPDX-License-Identifier: MIT
"""The shadows on a level ground, of the key light and of contact, drawn where the picture will show them.

A shadow on a plane is what casts it, flattened: along the key light for the one, straight down for the other.
So both are drawn with the picture's own projection, at the picture's own detail, near the camera as far away:
no map has to hold a whole crowd's ground, and none is looked up by depth. Shadows on ground that is not level
are in terrain.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom._base.extras import require
from lissom._view.light import CONTACT_DEVIATION, KEY_DEVIATION
from lissom.gpu._context import GlContext, set_uniforms
from lissom.gpu._vertices import TEXTURE_UNITS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import moderngl

    from lissom.gpu._stage import Drawable

__all__ = ["PlaneShadows"]

Floats = NDArray[np.float64]

TILE = 32  # pixels: the part of the picture drawn is made of such squares, so that films do not shimmer
MOST_TEXELS = 1 << 16  # of that part: texels are as large as that asks, but no smaller than half pixels


class PlaneShadows:
    """Draws the shadows of things on a level plane: how much of both lights each pixel's ground misses.

    Parameters
    ----------
    context : GlContext
        Must outlive it.
    """

    def __init__(self, context: GlContext) -> None:
        self._context = context
        self._size = (0, 0)
        self._targets: list[tuple[moderngl.Framebuffer, moderngl.Texture]] = []
        self._uniforms: dict[str, Any] = {}

    def prepare(
        self,
        things: Sequence[Drawable],
        points: Floats,
        height: float,
        reach: float,
        right: Floats,
        view: Mapping[str, Any],
    ) -> None:
        """Draw the shadows; the context must be current.

        Parameters
        ----------
        things : sequence of Drawable
            What casts them, prepared.
        points : ndarray, shape (N, 3)
            World points around all of them.
        height : float
            World y of the plane.
        reach : float
            Height above the plane at which nothing casts a shadow of contact any more, world units.
        right : ndarray, shape (3,)
            The camera's unit direction to the right, which is level.
        view : mapping
            The picture's ``clip_from_world``, ``to_key`` and ``viewport``.
        """
        clip = np.asarray(view["clip_from_world"], np.float64)
        flattened = [clip @ _flat_along(to_light, height) for to_light in (view["to_key"], (0.0, 1.0, 0.0))]
        low, high = _rectangle(flattened, points, reach, clip, view["viewport"])
        pixels = high - low
        coarse = max(0.5, float(np.sqrt(pixels.prod() / MOST_TEXELS)))
        width, tall = (max(1, int(np.ceil(side / coarse))) for side in pixels)
        self._resize((width, tall))
        # Clip space of the part: pixel p of the picture lies at 2 (p - low) / (high - low) - 1.
        whole = np.asarray(view["viewport"], np.float64)
        part = np.eye(4)
        part[[0, 1], [0, 1]] = whole / pixels
        part[:2, 3] = (whole - 2 * low) / pixels - 1
        self._uniforms = {"shadow_low": low, "shadow_size": pixels}
        self._draw([part @ matrix for matrix in flattened], things, height, reach)
        self._soften(part @ clip, height, reach, right)

    def use(self) -> dict[str, Any]:
        """Bind the result and return the uniforms to look it up."""
        self._targets[0][1].use(TEXTURE_UNITS["shadow"])
        return {**self._uniforms, "shadow": TEXTURE_UNITS["shadow"]}

    def release(self) -> None:
        """Free the textures; the context must be current."""
        for target, texture in self._targets:
            target.release()
            texture.release()
        self._targets, self._size = [], (0, 0)

    def _draw(self, clips: Sequence[Floats], things: Sequence[Drawable], height: float, reach: float) -> None:
        moderngl = require("moderngl", "gl", "drawing")
        gl = self._context.gl
        target = self._targets[0][0]
        target.use()
        target.clear(0.0, 0.0, 0.0, 0.0)
        gl.enable_only(moderngl.BLEND)
        gl.blend_equation = moderngl.MAX
        gl.blend_func = moderngl.ONE, moderngl.ONE
        for fragment, clip in zip(("key_shadow.frag", "contact_shadow.frag"), clips, strict=True):
            uniforms = {"clip_from_world": clip, "ground_height": height, "ground_reach": reach}
            for thing in things:
                thing.draw(fragment, uniforms)
        gl.blend_equation = moderngl.FUNC_ADD

    def _soften(self, clip: Floats, height: float, reach: float, right: Floats) -> None:
        """Blur along two level directions, each pixel by what the deviations are at its place."""
        moderngl = require("moderngl", "gl", "drawing")
        gl = self._context.gl
        # From x, z, 1 on the plane to x, y, w of clip space, and what that says of 1 / w.
        clip_from_plane = clip[[0, 1, 3]][:, [0, 2, 3]]
        clip_from_plane[:, 2] += height * clip[[0, 1, 3], 1]
        nearness = np.linalg.inv(clip_from_plane)[2]
        gl.enable_only(moderngl.NOTHING)
        program = self._context.program("screen.vert", "plane_blur.frag")
        array = gl.vertex_array(program, [])
        set_uniforms(
            program,
            source=TEXTURE_UNITS["source"],
            nearness=nearness,
            deviations=(KEY_DEVIATION * reach, CONTACT_DEVIATION * reach),
        )
        across = np.array([right[0], right[2], 0.0])
        along = np.array([-right[2], right[0], 0.0])
        drawn, turned = self._targets
        for source, target, direction in ((drawn, turned, across), (turned, drawn, along)):
            target[0].use()
            source[1].use(TEXTURE_UNITS["source"])
            set_uniforms(program, direction=clip_from_plane @ direction)
            array.render(moderngl.TRIANGLES, vertices=3)
        array.release()

    def _resize(self, size: tuple[int, int]) -> None:
        if self._size == size:
            return
        self.release()
        gl = self._context.gl
        for _ in range(2):
            texture = gl.texture(size, 2)
            texture.repeat_x = texture.repeat_y = False
            self._targets.append((gl.framebuffer(texture), texture))
        self._size = size


def _flat_along(to_light: Any, height: float) -> Floats:
    """Return the map that moves world points away from a far light onto the plane."""
    slope = np.asarray(to_light, np.float64) / to_light[1]
    matrix = np.eye(4)
    matrix[:3, 1] -= slope
    matrix[:3, 3] = height * slope
    return matrix


def _rectangle(
    flattened: Sequence[Floats], points: Floats, reach: float, clip: Floats, viewport: tuple[int, int]
) -> tuple[Floats, Floats]:
    """Return the corners, in pixels, of the part of the picture in which shadows can lie."""
    size = np.asarray(viewport, np.float64)
    blurred = 3 * CONTACT_DEVIATION * reach
    box = np.stack([points.min(axis=0) - blurred, points.max(axis=0) + blurred])
    corners = np.array(np.meshgrid(*box.T)).reshape(3, -1)
    corners = np.concatenate([corners, np.ones((1, corners.shape[1]))])
    placed = np.concatenate([matrix @ corners for matrix in flattened], axis=1)
    margin = np.array([TILE, TILE])  # shadows of what the picture's edge cuts are blurred into it
    if (placed[3] <= 1e-6 * np.abs(clip[3]).max()).any():  # something lies behind the eye
        return -margin, size + margin
    pixels = 0.5 * size[:, None] * (placed[:2] / placed[3] + 1)
    low = np.clip(np.floor(pixels.min(axis=1) / TILE) * TILE, -margin, size)
    high = np.clip(np.ceil(pixels.max(axis=1) / TILE) * TILE, low + TILE, size + margin)
    return low, high
