# SPDX-License-Identifier: MIT
"""Shadows on the ground plane, of the key light and of contact, as planar projections.

The shadow on a plane is the mesh projected onto it: along the key light for the key shadow, vertically for
the contact shadow. Both are drawn with the picture's own projection and so at its resolution, near the camera
and far away: no shadow map has to cover the ground of a crowd. Shadows on ground meshes are in `_terrain.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom._base.extras import require
from lissom._view.light import CONTACT_DEVIATION, KEY_DEVIATION
from lissom.gpu._context import GlContext, set_uniforms
from lissom.gpu._texture_units import TEXTURE_UNITS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import moderngl

    from lissom.gpu._drawable import Drawable

__all__ = ["PlaneShadows"]

Floats = NDArray[np.float64]

# The part of the picture with shadows is drawn into a texture. Its corners are multiples of so many pixels:
# otherwise shadows would shimmer from picture to picture.
TILE = 32
MAX_TEXELS = 1 << 16  # of that texture; texels are at least half a pixel wide


class PlaneShadows:
    """Draws shadows on the ground plane into a texture: how much of either light each texel's ground misses.

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
        contact_height: float,
        right: Floats,
        view: Mapping[str, Any],
    ) -> None:
        """Draw the shadows; the context must be current.

        Parameters
        ----------
        things : sequence of Drawable
            What casts the shadows, prepared.
        points : ndarray, shape (N, 3)
            World points that enclose all of them.
        height : float
            World y of the plane.
        contact_height : float
            Height above the plane from which nothing casts a contact shadow, world units.
        right : ndarray, shape (3,)
            The camera's unit direction to the right, which is horizontal.
        view : mapping
            The picture's ``clip_from_world``, ``to_key``, ``viewport`` and ``viewport_low``.
        """
        clip = np.asarray(view["clip_from_world"], np.float64)
        projected = [clip @ _onto_plane(to_light, height) for to_light in (view["to_key"], (0.0, 1.0, 0.0))]
        low, high = _rectangle(projected, points, contact_height, clip, view["viewport"])
        pixels = high - low
        coarse = max(0.5, float(np.sqrt(pixels.prod() / MAX_TEXELS)))
        width, tall = (max(1, int(np.ceil(side / coarse))) for side in pixels)
        self._resize((width, tall))
        # Clip space of the texture: pixel p of the picture is at 2 (p - low) / (high - low) - 1.
        viewport = np.asarray(view["viewport"], np.float64)
        part_from_clip = np.eye(4)
        part_from_clip[[0, 1], [0, 1]] = viewport / pixels
        part_from_clip[:2, 3] = (viewport - 2 * low) / pixels - 1
        self._uniforms = {"shadow_low": low + view["viewport_low"], "shadow_size": pixels}
        self._draw([part_from_clip @ matrix for matrix in projected], things, height, contact_height)
        self._blur(part_from_clip @ clip, height, contact_height, right)

    def use(self) -> dict[str, Any]:
        """Bind the texture, and return the uniforms to read it by."""
        self._targets[0][1].use(TEXTURE_UNITS["shadow"])
        return {**self._uniforms, "shadow": TEXTURE_UNITS["shadow"]}

    def release(self) -> None:
        """Free the textures; the context must be current."""
        for target, texture in self._targets:
            target.release()
            texture.release()
        self._targets, self._size = [], (0, 0)

    def _draw(
        self, clips: Sequence[Floats], things: Sequence[Drawable], height: float, contact_height: float
    ) -> None:
        moderngl = require("moderngl", "gl", "drawing")
        gl = self._context.gl
        target = self._targets[0][0]
        target.use()
        target.clear(0.0, 0.0, 0.0, 0.0)
        gl.enable_only(moderngl.BLEND)
        gl.blend_equation = moderngl.MAX
        gl.blend_func = moderngl.ONE, moderngl.ONE
        for fragment, clip in zip(("key_shadow.frag", "contact_shadow.frag"), clips, strict=True):
            uniforms = {"clip_from_world": clip, "ground_height": height, "ground_reach": contact_height}
            for thing in things:
                thing.draw(fragment, uniforms)
        gl.blend_equation = moderngl.FUNC_ADD

    def _blur(self, clip: Floats, height: float, contact_height: float, right: Floats) -> None:
        """Blur along two horizontal directions, by deviations constant in the world."""
        moderngl = require("moderngl", "gl", "drawing")
        gl = self._context.gl
        # From x, z, 1 on the plane to x, y, w of clip space; the last row of the inverse gives 1 / w.
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
            deviations=(KEY_DEVIATION * contact_height, CONTACT_DEVIATION * contact_height),
        )
        first = np.array([right[0], right[2], 0.0])
        second = np.array([-right[2], right[0], 0.0])
        drawn, scratch = self._targets
        for source, target, direction in ((drawn, scratch, first), (scratch, drawn, second)):
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


def _onto_plane(to_light: Any, height: float) -> Floats:
    """Return the matrix (4, 4) that projects world points onto the plane, along a distant light."""
    slope = np.asarray(to_light, np.float64) / to_light[1]
    matrix = np.eye(4)
    matrix[:3, 1] -= slope
    matrix[:3, 3] = height * slope
    return matrix


def _rectangle(
    projected: Sequence[Floats],
    points: Floats,
    contact_height: float,
    clip: Floats,
    viewport: tuple[int, int],
) -> tuple[Floats, Floats]:
    """Return two corners, in pixels, of the part of the picture that shadows can be in."""
    size = np.asarray(viewport, np.float64)
    blurred = 3 * CONTACT_DEVIATION * contact_height
    box = np.stack([points.min(axis=0) - blurred, points.max(axis=0) + blurred])
    corners = np.array(np.meshgrid(*box.T)).reshape(3, -1)
    corners = np.concatenate([corners, np.ones((1, corners.shape[1]))])
    placed = np.concatenate([matrix @ corners for matrix in projected], axis=1)
    margin = np.array([TILE, TILE])  # shadows outside the picture are blurred into it
    if (placed[3] <= 1e-6 * np.abs(clip[3]).max()).any():  # something is behind the eye
        return -margin, size + margin
    pixels = 0.5 * size[:, None] * (placed[:2] / placed[3] + 1)
    low = np.clip(np.floor(pixels.min(axis=1) / TILE) * TILE, -margin, size)
    high = np.clip(np.ceil(pixels.max(axis=1) / TILE) * TILE, low + TILE, size + margin)
    return low, high
