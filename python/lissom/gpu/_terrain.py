# SPDX-License-Identifier: MIT
"""Ground meshes: a lit mesh on a plane, with the shadows that fall on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom._base.extras import require
from lissom._view.ground_grid import round_step
from lissom._view.light import CONTACT_DEVIATION
from lissom._view.terrain_mesh import TerrainMesh, checked_surface, terrain_mesh
from lissom.gpu._context import GlContext, set_uniforms
from lissom.gpu._texture_units import TEXTURE_UNITS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import moderngl

    from lissom._view.camera import Camera
    from lissom.gpu._drawable import Drawable

__all__ = ["Terrain"]

Floats = NDArray[np.float64]

# "Contact height": the height above the ground from which nothing casts a contact shadow.
PATCH_MARGIN = 24.0  # distance that the ground's textures extend around things at most, in contact heights
CONTACT_TEXELS = 64  # of the contact shadow, per contact height
PATCH_TEXELS = 2048  # largest side of the ground's textures
TAPS = 10  # of the blur of contact shadows, to each side at most: see blur.frag
KEY_TEXELS = 2048  # largest side of the key light's shadow map
SOFTNESS = 0.014  # distance between the four taps of that map, in contact heights
FADE_HEIGHTS = 7.5  # radius at which the grid has faded out, in heights of the picture at the target
GRID_LINES = 4.5  # lines of the grid over the height of the picture at the target, at least


class Terrain:
    """Draws a ground mesh, and the plane it stands on.

    Before the picture it draws three maps: heights of the ground and contact shadows, from above, and the
    shadow map of the key light.

    Parameters
    ----------
    context : GlContext
        Must outlive it.
    """

    def __init__(self, context: GlContext) -> None:
        self._context = context
        self._source: object = None
        self._mesh: TerrainMesh | None = None
        self._buffers: list[moderngl.Buffer] = []
        self._size = (0, 0)
        self._maps: list[tuple[moderngl.Framebuffer, moderngl.Texture]] = []  # heights, contact, scratch
        self._depth: tuple[moderngl.Framebuffer, moderngl.Texture] | None = None
        self._uniforms: dict[str, Any] = {}
        self._plane: dict[str, Any] = {}

    def load(self, ground: Any, caller: str) -> TerrainMesh:
        """Upload a ground, unless it is the same object as before, and return its mesh.

        `caller` is named in errors.

        Raises
        ------
        TypeError, ValueError
            As in `checked_surface`.
        """
        if self._mesh is not None and self._source is ground:
            return self._mesh
        positions, triangles = checked_surface(caller, ground)
        mesh = terrain_mesh(positions, triangles, float(positions[triangles][..., 1].min()))
        with self._context as gl:
            self._free_buffers()
            for values in (mesh.corners, mesh.edges):
                self._buffers.append(gl.buffer(values.astype(np.float32).tobytes() or bytes(4)))
        self._source, self._mesh = ground, mesh
        return mesh

    def prepare(
        self,
        things: Sequence[Drawable],
        points: Floats,
        camera: Camera,
        to_key: Floats,
        contact_height: float,
    ) -> None:
        """Draw the maps; the context must be current.

        Parameters
        ----------
        things : sequence of Drawable
            What casts shadows, prepared.
        points : ndarray, shape (N, 3)
            World points that enclose all of them.
        camera : Camera
            Of the picture; it sets the distance of grid lines.
        to_key : ndarray, shape (3,)
            Unit direction towards the key light.
        contact_height : float
            Height above the ground from which nothing casts a contact shadow, world units.
        """
        mesh = self._loaded
        low, high = points.min(axis=0), points.max(axis=0)
        around, margin = PATCH_MARGIN * contact_height, 4 * CONTACT_DEVIATION * contact_height
        box = np.array(
            [
                np.minimum(np.maximum(mesh.low, low - around), low) - margin,
                np.maximum(np.minimum(mesh.high, high + around), high) + margin,
            ]
        )
        picture_height = 2 * camera.distance * np.tan(np.radians(camera.field_of_view) / 2)
        fade = FADE_HEIGHTS * picture_height
        floor = float(mesh.low[1])
        target = np.asarray(camera.target, np.float64)
        self._uniforms = {
            "center": np.array([target[0], floor, target[2]]),
            "fade_radius": fade,
            "grid_step": round_step(picture_height / GRID_LINES),
            "ground_reach": contact_height,
            "patch_center": box.mean(axis=0)[[0, 2]],
            "patch_half": np.ptp(box, axis=0)[[0, 2]] / 2,
        }
        self._plane = {"half_width": fade}
        self._draw_heights(box, contact_height)
        self._draw_contact(things, box, contact_height)
        self._draw_depth(things, np.concatenate([points, [mesh.low, mesh.high]]), box, to_key, contact_height)

    def draw(self, view: Mapping[str, Any], background: tuple[float, float, float], above: bool) -> None:
        """Draw the mesh and, if the eye is above it, the plane, into the bound framebuffer."""
        moderngl = require("moderngl", "gl", "drawing")
        gl = self._context.gl
        assert self._depth is not None
        self._maps[0][1].use(TEXTURE_UNITS["ground_heights"])
        self._maps[1][1].use(TEXTURE_UNITS["shadow"])
        self._depth[1].use(TEXTURE_UNITS["key_depth"])
        uniforms = {**view, **self._uniforms, **TEXTURE_UNITS, "background": background}
        # Offsets put the plane behind horizontal faces of the mesh, and the mesh behind soles that touch it.
        gl.polygon_offset = 1.0, 4.0
        self._draw_faces("terrain.frag", uniforms)
        if above:
            gl.polygon_offset = 2.0, 8.0
            program = self._context.program("plane.vert", "terrain.frag")
            set_uniforms(program, **uniforms, **self._plane)
            array = gl.vertex_array(program, [])
            array.render(moderngl.TRIANGLE_STRIP, vertices=4)
            array.release()
        gl.polygon_offset = 0.0, 0.0
        if len(self._loaded.edges):
            gl.enable(moderngl.BLEND)
            gl.blend_func = moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA
            program = self._context.program("terrain_edges.vert", "terrain_edges.frag")
            set_uniforms(program, **uniforms)
            array = gl.vertex_array(program, self._buffers[1], "position", "sharpness")
            array.render(moderngl.LINES)
            array.release()

    def release(self) -> None:
        """Free what it holds; the context must be current."""
        self._free_buffers()
        self._free_maps()
        self._free_depth()
        self._source = self._mesh = None

    @property
    def _loaded(self) -> TerrainMesh:
        assert self._mesh is not None
        return self._mesh

    def _draw_faces(self, fragment: str, uniforms: Mapping[str, Any]) -> None:
        program = self._context.program("terrain.vert", fragment)
        set_uniforms(program, **uniforms)
        form = "3f 3f" if "normal" in program else "3f 12x"
        names = ("position", "normal") if "normal" in program else ("position",)
        array = self._context.gl.vertex_array(program, [(self._buffers[0], form, *names)])
        array.render()
        array.release()

    def _draw_heights(self, box: Floats, contact_height: float) -> None:
        """Draw the height of the highest surface at each texel."""
        moderngl = require("moderngl", "gl", "drawing")
        gl = self._context.gl
        texels = np.ptp(box, axis=0)[[0, 2]] / contact_height * CONTACT_TEXELS
        width, height = (int(min(PATCH_TEXELS, 128 * np.ceil(side / 128))) for side in texels)
        self._resize(width, height)
        target = self._maps[0][0]
        target.use()
        target.clear(
            float(self._loaded.low[1]), 0.0, 0.0, 1.0, depth=1.0
        )  # the plane, where there is no mesh
        gl.enable_only(moderngl.DEPTH_TEST)
        gl.depth_func = "<"
        self._draw_faces("terrain_heights.frag", {"clip_from_world": _clip_from_above(box)})

    def _draw_contact(self, things: Sequence[Drawable], box: Floats, contact_height: float) -> None:
        """Draw how near things are to the ground below them, and blur it."""
        moderngl = require("moderngl", "gl", "drawing")
        gl = self._context.gl
        drawn, scratch = self._maps[1:]
        drawn[0].use()
        drawn[0].clear(0.0, 0.0, 0.0, 0.0)
        self._maps[0][1].use(TEXTURE_UNITS["ground_heights"])
        gl.enable_only(moderngl.BLEND)
        gl.blend_equation = moderngl.MAX
        gl.blend_func = moderngl.ONE, moderngl.ONE
        uniforms = {**self._uniforms, "clip_from_world": _clip_from_above(box)}
        for thing in things:
            thing.draw("terrain_contact.frag", uniforms)
        gl.blend_equation = moderngl.FUNC_ADD

        gl.enable_only(moderngl.NOTHING)
        deviations = CONTACT_DEVIATION * contact_height / np.ptp(box, axis=0)[[0, 2]] * self._size
        for source, target, axis in ((drawn, scratch, 0), (scratch, drawn, 1)):
            target[0].use()
            source[1].use(TEXTURE_UNITS["source"])
            source[1].filter = moderngl.NEAREST, moderngl.NEAREST
            step, weights = _gaussian(deviations[axis])
            blur = self._context.program("screen.vert", "blur.frag", defines={"TAPS": len(weights) - 1})
            tap = step * np.eye(2)[axis] / self._size
            set_uniforms(blur, source=TEXTURE_UNITS["source"], tap=tap, weights=weights)
            array = gl.vertex_array(blur, [])
            array.render(moderngl.TRIANGLES, vertices=3)
            array.release()
        drawn[1].filter = moderngl.LINEAR, moderngl.LINEAR

    def _draw_depth(
        self, things: Sequence[Drawable], points: Floats, box: Floats, to_key: Floats, contact_height: float
    ) -> None:
        """Draw the shadow map of the key light."""
        moderngl = require("moderngl", "gl", "drawing")
        gl = self._context.gl
        whole = np.array([box[0], box[1]])
        whole[:, 1] = points[:, 1].min(), points[:, 1].max()
        clip, half = _clip_from_key(whole, to_key)
        tap = max(SOFTNESS * contact_height, 4 * half.max() / KEY_TEXELS)  # two texels
        width, height = (int(256 * np.ceil(4 * side / tap / 256)) for side in half)
        if self._depth is None or self._depth[1].size != (width, height):
            self._free_depth()
            texture = gl.depth_texture((width, height))
            texture.compare_func = "<="
            texture.repeat_x = texture.repeat_y = False
            self._depth = gl.framebuffer(depth_attachment=texture), texture
        into_unit = np.diag([0.5, 0.5, 0.5, 1.0])
        into_unit[:3, 3] = 0.5
        self._uniforms |= {
            "key_from_world": into_unit @ clip,
            "key_tap": tap / (2 * half),
            "key_offset": 1.5 * tap,
        }
        target = self._depth[0]
        target.use()
        target.clear(depth=1.0)
        gl.enable_only(moderngl.DEPTH_TEST)
        gl.depth_func = "<"
        gl.polygon_offset = 2.0, 4.0  # taps beside a point of a slanted face read depths nearer to the light
        self._draw_faces("nothing.frag", {"clip_from_world": clip})
        for thing in things:
            thing.draw("nothing.frag", {"clip_from_world": clip})
        gl.polygon_offset = 0.0, 0.0

    def _resize(self, width: int, height: int) -> None:
        if self._size == (width, height):
            return
        self._free_maps()
        gl = self._context.gl
        moderngl = require("moderngl", "gl", "drawing")
        for dtype in ("f4", "f1", "f1"):
            texture = gl.texture((width, height), 1, dtype=dtype)
            texture.filter = moderngl.LINEAR, moderngl.LINEAR
            texture.repeat_x = texture.repeat_y = False
            depth = gl.depth_renderbuffer((width, height)) if dtype == "f4" else None
            self._maps.append((gl.framebuffer(texture, depth), texture))
        self._size = width, height

    def _free_buffers(self) -> None:
        for buffer in self._buffers:
            buffer.release()
        self._buffers = []

    def _free_depth(self) -> None:
        for part in self._depth or ():
            part.release()
        self._depth = None

    def _free_maps(self) -> None:
        for target, texture in self._maps:
            if target.depth_attachment is not None:
                target.depth_attachment.release()
            target.release()
            texture.release()
        self._maps, self._size = [], (0, 0)


def _gaussian(deviation: float) -> tuple[int, Floats]:
    """Return texels from tap to tap, and the weights of taps over three standard deviations, in texels.

    From the middle outwards. Each texel is a tap unless more than `TAPS` would be.
    """
    step = max(1, int(np.ceil(3 * deviation / TAPS)))
    taps = max(1, int(np.ceil(3 * deviation / step)))
    weights = np.exp(-0.5 * (step * np.arange(taps + 1) / deviation) ** 2)
    return step, weights / (2 * weights.sum() - weights[0])


def _clip_from_above(box: Floats) -> Floats:
    """Return the orthographic projection that sees a box (2, 3) from above: x to the right, z up."""
    center, half = box.mean(axis=0), np.ptp(box, axis=0) / 2
    depth = 2 * half[1] or 1.0
    matrix = np.zeros((4, 4))
    matrix[0, 0], matrix[0, 3] = 1 / half[0], -center[0] / half[0]
    matrix[1, 2], matrix[1, 3] = 1 / half[2], -center[2] / half[2]
    matrix[2, 1], matrix[2, 3] = -1 / depth, center[1] / depth  # twice the depth of the box
    matrix[3, 3] = 1.0
    return matrix


def _clip_from_key(box: Floats, to_key: Floats) -> tuple[Floats, Floats]:
    """Return the orthographic projection of the key light around a box (2, 3), and its half extent (2,)."""
    right = np.array([to_key[2], 0.0, -to_key[0]])
    right /= np.linalg.norm(right)
    axes = np.stack([right, np.cross(to_key, right), -to_key])
    corners = np.array(np.meshgrid(*box.T)).reshape(3, -1).T @ axes.T
    center, half = (corners.max(axis=0) + corners.min(axis=0)) / 2, np.ptp(corners, axis=0) / 2
    matrix = np.eye(4)
    matrix[:3, :3] = axes / half[:, None]
    matrix[:3, 3] = -center / half
    return matrix, np.asarray(half[:2])
