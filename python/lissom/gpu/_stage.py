# SPDX-License-Identifier: MIT
"""The stage: renders characters, light and ground to pictures."""

from __future__ import annotations

from contextlib import ExitStack
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.extras import require
from lissom._base.numbers import LARGEST, check_number
from lissom._character.character import Character
from lissom._formats.picture import Picture
from lissom._view.camera import AZIMUTH, EMPTY_BOX, Camera, check_direction
from lissom._view.color import BACKGROUND, linear_to_srgb
from lissom._view.light import key_direction
from lissom._view.terrain_mesh import GroundLike, TerrainMesh, checked_surface
from lissom._view.viridis import VIRIDIS
from lissom.errors import GpuError
from lissom.gpu._context import GlContext, check_texture_size, float_texture, shared_context
from lissom.gpu._ground import Ground
from lissom.gpu._model import SkinnedModel
from lissom.gpu._terrain import Terrain
from lissom.gpu._texture_units import TEXTURE_UNITS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom.gpu._drawable import Drawable

__all__ = ["Stage", "check_size"]

# What to do with things that cannot be drawn as they are, by type.
_ADVICE = {
    "Mesh": "; wrap it: SkinnedModel(mesh), then set_palette",
    "PoseTexture": "; wrap it: Crowd(bake, count)",
    "list": "; pass them one by one: *things",
    "tuple": "; pass them one by one: *things",
}


class Stage:
    """Renders characters to arrays, without a window.

    Parameters
    ----------
    width, height : int
        Pixels.
    samples : int
        Samples per pixel for antialiasing: 0, 2 or 4.
    background : tuple of float
        Colour of the background and of the ground plane, linear light.
    context : GlContext, optional
        Context to draw in; the process's own when omitted.

    Raises
    ------
    TypeError
        If a size is not a number.
    ValueError
        If a side is not a whole number of pixels, or the driver does not have that number of samples.
    GpuError
        If there is no OpenGL 3.3, or the picture is larger than the driver allows: says what to do.
    ImportError
        Without moderngl, naming the extra.

    Examples
    --------
    >>> with lissom.gpu.Stage(320, 180) as stage:
    ...     picture = stage.render(lissom.samples.humanoid())
    >>> picture
    Picture(320 x 180)
    """

    def __init__(
        self,
        width: int = 960,
        height: int = 540,
        samples: int = 4,
        *,
        background: tuple[float, float, float] = BACKGROUND,
        context: GlContext | None = None,
    ) -> None:
        if context is not None and not isinstance(context, GlContext):
            raise TypeError(f"Stage: context must be a GlContext, got {type(context).__name__}")
        check_size("Stage", width, height, samples, context)
        width, height = int(width), int(height)
        self.width = width
        self.height = height
        self.samples = samples
        self.background = background
        self.context = context or shared_context()
        self._closed = False
        with self.context as gl:
            size = (width, height)
            self._resolved = gl.framebuffer(gl.renderbuffer(size), gl.depth_renderbuffer(size))
            self._target = self._resolved
            if samples:
                self._target = gl.framebuffer(
                    gl.renderbuffer(size, samples=samples), gl.depth_renderbuffer(size, samples=samples)
                )
            self._heat_map = float_texture(gl, (len(VIRIDIS), 1), 3, "f4", "the heat map")
            self._heat_map.write(VIRIDIS.tobytes())
        self._ground = Ground(self.context)
        self._terrain = Terrain(self.context)

    def __enter__(self) -> Stage:
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()

    def __repr__(self) -> str:
        state = "released" if self.released else self.context.renderer
        return f"Stage({self.width} x {self.height}, {self.samples} samples, {state})"

    @property
    def released(self) -> bool:
        """Whether the stage, or the context it draws in, was released."""
        return self._closed or self.context.released

    @property
    def aspect(self) -> float:
        """Width over height."""
        return self.width / self.height

    def camera(self, *things: Drawable | Character, ground: GroundLike = False, **options: float) -> Camera:
        """Return the camera that frames things, and a ground mesh if there is one.

        Parameters
        ----------
        *things : SkinnedModel, Crowd, LiveCrowd or Character
            As in `render`.
        ground : bool, lissom.ground.HeightField or TriangleMesh, or (positions, triangles)
            A mesh is framed as well; a plane is not.
        **options
            As in `Camera.framing`; the aspect is the stage's. Without `azimuth`, characters that all look to
            one side are seen from there, as in `lissom.render`.

        Returns
        -------
        Camera

        Raises
        ------
        GpuError
            If the stage, or something to see, was released.
        TypeError, ValueError
            As in `render` and `Camera.framing`.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> with lissom.gpu.Stage(320, 180) as stage:
        ...     camera = stage.camera(hero, azimuth=0.0)
        ...     front = stage.render(hero, camera=camera)
        >>> camera.azimuth, round(camera.target[1], 1)  # degrees; metres, half the height
        (0.0, 0.9)
        """
        direction = {name: options[name] for name in ("azimuth", "elevation") if name in options}
        check_direction("Stage.camera", **direction)
        with ExitStack() as borrowed:
            drawables = self._drawables(things, "Stage.camera", borrowed)
            points, usual = _points(drawables), _usual_azimuth(drawables)
        if not isinstance(ground, bool):
            surface, triangles = checked_surface("Stage.camera", ground)
            used = surface[np.unique(triangles)]
            points = np.concatenate([points, used]) if things else used
        return Camera.framing(points, self.aspect, **{"azimuth": usual, **options})

    def render(
        self,
        *things: Drawable | Character,
        camera: Camera | None = None,
        ground: GroundLike = True,
        ground_height: float | None = None,
    ) -> Picture:
        """Render things to a picture.

        Parameters
        ----------
        *things : SkinnedModel, Crowd, LiveCrowd or Character
            What to draw, made in the stage's context. A character is drawn in its rest pose; a `SkinnedModel`
            of it takes poses, and is quicker for more than one picture.
        camera : Camera, optional
            One that frames everything when omitted.
        ground : bool, lissom.ground.HeightField or TriangleMesh, or (positions, triangles)
            Whether to draw a ground plane; or a mesh, world space, drawn on a plane at its lowest point. It
            has a grid, key shadows and contact shadows. A mesh is kept until another object is passed: to
            change it, pass a new one.
        ground_height : float, optional
            World y of the plane; where the things stand when omitted. None for a mesh.

        Returns
        -------
        Picture
            ``.array`` (height, width, 3) uint8, ``.save(path)``; a notebook shows it.

        Raises
        ------
        GpuError
            If the stage, or something to draw, was released.
        TypeError, ValueError
            If something cannot be drawn or was made in another context, `ground` is not a ground, or it is a
            mesh and `ground_height` is passed.

        Examples
        --------
        >>> hero, ground = lissom.samples.humanoid(), lissom.samples.stair()
        >>> with lissom.gpu.Stage(320, 180) as stage:
        ...     plain = stage.render(hero)
        ...     on_the_stair = stage.render(hero, ground=ground, camera=stage.camera(hero, azimuth=60.0))
        >>> plain.shape
        (180, 320, 3)
        """
        return self._render("Stage.render", things, camera, ground, ground_height)

    def _render(
        self,
        caller: str,
        things: tuple[Drawable | Character, ...],
        camera: Camera | None,
        ground: GroundLike,
        ground_height: float | None,
    ) -> Picture:
        """As `render`, with errors that name the `caller`."""
        if ground_height is not None:
            if not isinstance(ground, bool):
                raise ValueError(
                    f"{caller}: ground_height must be None with a mesh as ground, got {ground_height}"
                )
            ground_height = check_number(ground_height, f"{caller}: ground_height", largest=LARGEST)
        if camera is not None and not isinstance(camera, Camera):
            raise TypeError(f"{caller}: camera must be a Camera, got {type(camera).__name__}")
        with ExitStack() as borrowed:
            drawables = self._drawables(things, caller, borrowed)
            mesh = None if isinstance(ground, bool) else self._terrain.load(ground, caller)
            return Picture(self._pixels(drawables, camera, ground, mesh, ground_height))

    def _pixels(
        self,
        things: tuple[Drawable, ...],
        camera: Camera | None,
        ground: GroundLike,
        mesh: TerrainMesh | None,
        ground_height: float | None,
    ) -> NDArray[np.uint8]:
        moderngl = require("moderngl", "gl", "drawing")
        points = _points(things)
        if mesh is not None and not things:
            points = np.array([mesh.low, mesh.high])
        camera = camera or Camera.framing(points, self.aspect, azimuth=_usual_azimuth(things))
        low = min((thing.ground() for thing in things), default=0.0)
        low = low if ground_height is None else ground_height
        contact_height = 0.5 * max((thing.size for thing in things), default=1.0) or 1.0
        view = self._view(camera, points, low, contact_height, () if mesh is None else (mesh.low, mesh.high))
        plane = low if mesh is None else float(mesh.low[1])
        is_above = bool(camera.eye[1] > plane)
        if mesh is not None or (ground and is_above):
            view["shadow_floor"] = plane
        with self.context as gl:
            for thing in things:
                thing.prepare(view)
            if mesh is not None:
                self._terrain.prepare(things, points, camera, view["to_key"], contact_height)
            elif ground and is_above:
                self._ground.prepare(things, points, low, contact_height, camera, view)
            self._target.use()
            gl.enable_only(moderngl.DEPTH_TEST)
            gl.depth_func = "<"
            gl.wireframe = False
            encoded = linear_to_srgb(np.array(self.background))
            self._target.clear(encoded[0], encoded[1], encoded[2], 1.0, depth=1.0)
            self._heat_map.use(TEXTURE_UNITS["heat_map"])
            for thing in things:
                thing.draw("surface.frag", view)
            if mesh is not None:
                self._terrain.draw(view, self.background, is_above)
            elif ground and is_above:
                self._ground.draw(view, self.background)
            self._draw_blended(things, camera, view)
            if self._target is not self._resolved:
                gl.copy_framebuffer(self._resolved, self._target)
            data = self._resolved.read(components=4)  # reading RGBA is three times as fast as RGB
        pixels = np.frombuffer(data, np.uint8).reshape(self.height, self.width, 4)
        return np.ascontiguousarray(pixels[::-1, :, :3])

    def _draw_blended(self, things: tuple[Drawable, ...], camera: Camera, view: dict[str, Any]) -> None:
        """Draw what is blended over all else, the farthest thing first."""
        moderngl = require("moderngl", "gl", "drawing")
        gl = self.context.gl
        blended = [thing for thing in things if hasattr(thing, "draw_blended")]
        if len(blended) > 1:
            centers = {id(thing): _points((thing,)).mean(axis=0) for thing in blended}
            blended.sort(key=lambda thing: -float(np.linalg.norm(centers[id(thing)] - camera.eye)))
        gl.enable_only(moderngl.DEPTH_TEST | moderngl.BLEND)
        gl.depth_func = "<="  # decals lie in the surface that they are on
        gl.blend_func = moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA
        self._target.depth_mask = False
        try:
            for thing in blended:
                thing.draw_blended(view)
        finally:
            self._target.depth_mask = True
            gl.enable_only(moderngl.DEPTH_TEST)
            gl.depth_func = "<"

    def _drawables(
        self, things: tuple[Drawable | Character, ...], caller: str, borrowed: ExitStack
    ) -> tuple[Drawable, ...]:
        """Return what can be drawn here, with a model for each character, which `borrowed` releases."""
        if self.released:
            raise GpuError(f"{caller}: this stage was released; make a new one")
        drawables: list[Drawable] = []
        for thing in things:
            if isinstance(thing, Character):
                drawables.append(borrowed.enter_context(SkinnedModel(thing, stage=self)))
                continue
            kind = type(thing).__name__
            if not all(hasattr(type(thing), name) for name in ("context", "points", "prepare", "draw")):
                advice = _ADVICE.get(kind, "")
                raise TypeError(
                    f"{caller}: things must be SkinnedModel, Crowd, LiveCrowd or Character, got "
                    f"{kind}{advice}"
                )
            if thing.context.released:
                raise GpuError(
                    f"{caller}: things: the OpenGL context of this {kind} was released; make a new one"
                )
            if thing.context is not self.context:
                raise ValueError(
                    f"{caller}: things must be made in this stage's context, got a {kind} of another; "
                    "make it with stage="
                )
            drawables.append(thing)
        return tuple(drawables)

    def _view(
        self,
        camera: Camera,
        points: NDArray[np.float64],
        low: float,
        contact_height: float,
        box: tuple[NDArray[np.float64], ...] = (),
    ) -> dict[str, Any]:
        """Return the uniforms that all programs of a picture share; depths include a box of ground."""
        back = camera.axes[2]
        corners = np.array(np.meshgrid(*np.transpose(box))).reshape(3, -1).T if box else points[:0]
        depth = (camera.eye - np.concatenate([points, corners])) @ back
        radius = float(np.linalg.norm(np.ptp(points, axis=0))) / 2 or 1.0
        near = max(0.5 * float(depth.min()), 2e-3 * camera.distance)
        far = max(float(depth.max()), camera.distance) + 12 * radius
        return {
            "clip_from_world": camera.clip_from_world(self.aspect, near, far),
            "eye": camera.eye,
            "viewport": (self.width, self.height),
            "to_key": key_direction(camera),
            "ground_height": low,
            "ground_reach": contact_height,
            "heat_map_count": len(VIRIDIS),
        }

    def release(self) -> None:
        """Free the render targets; what was drawn here can still be drawn by other stages of the context.

        Examples
        --------
        >>> stage = lissom.gpu.Stage(320, 180)
        >>> stage.release()
        >>> stage.released
        True
        """
        if self.released:
            return
        self._closed = True
        with self.context:
            self._ground.release()
            self._terrain.release()
            for framebuffer in {id(f): f for f in (self._target, self._resolved)}.values():
                for attachment in (*framebuffer.color_attachments, framebuffer.depth_attachment):
                    attachment.release()
                framebuffer.release()
            self._heat_map.release()


def check_size(caller: str, width: int, height: int, samples: int, context: GlContext | None = None) -> None:
    """Refuse a size that no stage can have, in the name of `caller`: as `Stage` says."""
    for name, value in (("width", width), ("height", height), ("samples", samples)):
        if not isinstance(value, Real):
            raise TypeError(f"{caller}: {name} must be a whole number, got {type(value).__name__}")
    if not all(np.isfinite(side) and side == int(side) and side >= 1 for side in (width, height)):
        raise ValueError(
            f"{caller}: width and height must be whole numbers, at least 1, got {width} x {height}"
        )
    with context or shared_context() as gl:
        check_texture_size(gl, int(width), int(height), f"{caller}: the picture")
        possible = [0, *(1 << i for i in range(1, gl.max_samples.bit_length()))]
    if samples not in possible:
        known = ", ".join(map(str, possible))
        raise ValueError(f"{caller}: samples must be one of {known} on this driver, got {samples}")


def _points(things: tuple[Drawable, ...]) -> NDArray[np.float64]:
    """Return the world points to frame, those of an empty box if there are none."""
    groups = [points for points in (thing.points() for thing in things) if len(points)]
    return np.concatenate(groups) if groups else np.array(EMPTY_BOX)


def _usual_azimuth(things: tuple[Drawable, ...]) -> float:
    """Return from where things are seen unless told otherwise: before the front that all have, if they do."""
    usual = {getattr(thing, "_usual_azimuth", AZIMUTH) for thing in things}
    return usual.pop() if len(usual) == 1 else AZIMUTH
