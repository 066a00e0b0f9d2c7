# SPDX-License-Identifier: MIT
"""The ground plane, with a grid and the shadows of characters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.extras import require
from lissom._view.ground_grid import FADE_RADII, round_step
from lissom.gpu._context import GlContext, set_uniforms
from lissom.gpu._plane_shadows import PlaneShadows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from lissom._view.camera import Camera
    from lissom.gpu._drawable import Drawable

__all__ = ["Ground"]


class Ground:
    """Draws the ground plane: shadows into a texture first, then the plane.

    Parameters
    ----------
    context : GlContext
        Must outlive the ground.
    """

    def __init__(self, context: GlContext) -> None:
        self._context = context
        self._shadows = PlaneShadows(context)
        self._uniforms: dict[str, Any] = {}

    def prepare(
        self,
        things: Sequence[Drawable],
        points: NDArray[np.float64],
        height: float,
        contact_height: float,
        camera: Camera,
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
        camera : Camera
            Whose picture it is.
        view : mapping
            The picture's uniforms.
        """
        low, high = points.min(axis=0), points.max(axis=0)
        center = (low + high) / 2
        radius = float(np.linalg.norm(high - low)) / 2 or 1.0
        self._uniforms = {
            "center": np.array([center[0], height, center[2]]),
            "half_width": FADE_RADII * radius,
            "fade_radius": FADE_RADII * radius,
            "grid_step": round_step(radius / 2),
        }
        self._shadows.prepare(things, points, height, contact_height, camera.axes[0], view)

    def draw(self, view: Mapping[str, Any], background: tuple[float, float, float]) -> None:
        """Draw the plane into the bound framebuffer, by its depths; the context must be current."""
        moderngl = require("moderngl", "gl", "drawing")
        program = self._context.program("plane.vert", "ground.frag")
        set_uniforms(program, **view)
        set_uniforms(program, **self._uniforms, **self._shadows.use(), background=background)
        gl = self._context.gl
        array = gl.vertex_array(program, [])
        gl.polygon_offset = 1.0, 4.0  # behind soles and flat meshes exactly in the plane
        array.render(moderngl.TRIANGLE_STRIP, vertices=4)
        gl.polygon_offset = 0.0, 0.0
        array.release()

    def release(self) -> None:
        """Free the shadows' textures; the context must be current."""
        self._shadows.release()
