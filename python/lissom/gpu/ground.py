# SPDX-License-Identifier: MIT
"""The ground: a plane of the background's colour with a grid, darkened where characters come near it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._extras import require
from lissom.gpu.context import GlContext, set_uniforms
from lissom.gpu.vertices import TEXTURE_UNITS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import moderngl
    from numpy.typing import NDArray

    from lissom.gpu.stage import Drawable

__all__ = ["Ground", "round_step"]

SHADOW_TEXELS = (256, 1024)  # fewest and most along a side of the shadow's texture
TEXELS_PER_REACH = 64  # detail of the shadow: texels over the height in which it fades
BLUR_DEVIATION = 0.05  # of the reach
FADE_RADII = 9.0  # where the grid is gone


class Ground:
    """Draws the ground under things: their shadow of contact, seen from below, then the plane.

    Parameters
    ----------
    context : GlContext
        Must outlive the ground.
    """

    def __init__(self, context: GlContext) -> None:
        self._context = context
        self._side = 0
        self._targets: list[tuple[moderngl.Framebuffer, moderngl.Texture]] = []
        self._uniforms: dict[str, Any] = {}

    def prepare(
        self, things: Sequence[Drawable], points: NDArray[np.float64], height: float, reach: float
    ) -> None:
        """Draw the shadow texture; the context must be current.

        Parameters
        ----------
        things : sequence of Drawable
            What casts the shadow, prepared.
        points : ndarray, shape (N, 3)
            World points around all of them.
        height : float
            World y of the plane.
        reach : float
            Height above the plane at which nothing casts a shadow any more, world units.
        """
        moderngl = require("moderngl", "gl", "drawing")
        gl = self._context.gl
        low, high = points.min(axis=0), points.max(axis=0)
        center = (low + high) / 2
        radius = float(np.linalg.norm(high - low)) / 2 or 1.0
        half_width = float(max(high[0] - low[0], high[2] - low[2])) / 2 + 4 * BLUR_DEVIATION * reach
        self._resize(2 * half_width / reach * TEXELS_PER_REACH)
        self._uniforms = {
            "center": np.array([center[0], height, center[2]]),
            "half_width": FADE_RADII * radius,
            "fade_radius": FADE_RADII * radius,
            "grid_step": round_step(radius / 2),
            "shadow_half_width": half_width,
        }

        below = {
            "clip_from_world": _clip_from_world_below(center, half_width, height, reach),
            "ground_height": height,
            "ground_reach": reach,
        }
        drawn, turned = self._targets
        drawn[0].use()
        drawn[0].clear(0.0, 0.0, 0.0, 0.0)
        gl.enable_only(moderngl.BLEND)
        gl.blend_equation = moderngl.MAX
        gl.blend_func = moderngl.ONE, moderngl.ONE
        for thing in things:
            thing.draw("contact_shadow.frag", below)
        gl.blend_equation = moderngl.FUNC_ADD

        gl.enable_only(moderngl.NOTHING)
        blur = self._context.program("screen.vert", "blur.frag")
        array = gl.vertex_array(blur, [])
        tap = BLUR_DEVIATION * reach * 3 / 8 / (2 * half_width)
        for source, target, direction in ((drawn, turned, (tap, 0.0)), (turned, drawn, (0.0, tap))):
            target[0].use()
            source[1].use(TEXTURE_UNITS["source"])
            set_uniforms(blur, source=TEXTURE_UNITS["source"], tap=direction)
            array.render(moderngl.TRIANGLES, vertices=3)
        array.release()

    def draw(self, view: Mapping[str, Any], background: tuple[float, float, float]) -> None:
        """Draw the plane into the bound framebuffer, behind what is there; the context must be current."""
        moderngl = require("moderngl", "gl", "drawing")
        program = self._context.program("plane.vert", "ground.frag")
        self._targets[0][1].use(TEXTURE_UNITS["shadow"])
        set_uniforms(program, **view)
        set_uniforms(program, **self._uniforms, background=background, shadow=TEXTURE_UNITS["shadow"])
        gl = self._context.gl
        array = gl.vertex_array(program, [])
        gl.polygon_offset = 1.0, 4.0  # behind soles and flat meshes that lie exactly in the plane
        array.render(moderngl.TRIANGLE_STRIP, vertices=4)
        gl.polygon_offset = 0.0, 0.0
        array.release()

    def release(self) -> None:
        """Free the shadow's textures; the context must be current."""
        for target, texture in self._targets:
            target.release()
            texture.release()
        self._targets = []
        self._side = 0

    def _resize(self, wanted: float) -> None:
        fewest, most = SHADOW_TEXELS
        side = fewest
        while side < min(wanted, most):
            side *= 2
        if side == self._side:
            return
        self.release()
        self._side = side
        for _ in range(2):
            texture = self._context.gl.texture((side, side), 1)
            texture.repeat_x = texture.repeat_y = False
            self._targets.append((self._context.gl.framebuffer(texture), texture))


def _clip_from_world_below(
    center: NDArray[np.float64], half_width: float, height: float, reach: float
) -> NDArray[np.float64]:
    """Return the orthographic projection that looks at the ground's square from below."""
    matrix = np.zeros((4, 4))
    matrix[0, 0] = matrix[1, 2] = 1 / half_width
    matrix[0, 3] = -center[0] / half_width
    matrix[1, 3] = -center[2] / half_width
    # Everything from a little under the plane to the reach above it lies within the clip planes.
    matrix[2, 1] = 1 / reach
    matrix[2, 3] = -height / reach
    matrix[3, 3] = 1.0
    return matrix


def round_step(length: float) -> float:
    """Return the largest of 1, 2, 5 times a power of ten that is at most `length`."""
    power = 10.0 ** np.floor(np.log10(length))
    return float(power * max(step for step in (1, 2, 5) if step * power <= length * (1 + 1e-9)))
