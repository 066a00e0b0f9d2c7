# SPDX-License-Identifier: MIT
"""The stage: renders characters, light and ground to pictures."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from lissom._base.extras import require
from lissom._base.numbers import LARGEST, check_number
from lissom._character.character import Character
from lissom._formats.picture import Picture
from lissom._view.camera import Camera, check_direction
from lissom._view.color import BACKGROUND, linear_to_srgb
from lissom._view.matting import BLACK, WHITE, with_alpha
from lissom._view.terrain_mesh import GroundLike, TerrainMesh, checked_surface
from lissom._view.viridis import VIRIDIS
from lissom.errors import GpuError
from lissom.gpu._context import GlContext, float_texture
from lissom.gpu._drawable import usual_azimuth
from lissom.gpu._film import film_of_stage
from lissom.gpu._framebuffers import check_framebuffer, drawn_into, visible_part
from lissom.gpu._ground import Ground
from lissom.gpu._model import SkinnedModel
from lissom.gpu._stage_arguments import check_sides, check_size, checked_context
from lissom.gpu._terrain import Terrain
from lissom.gpu._texture_units import TEXTURE_UNITS
from lissom.gpu._view_uniforms import framed_points, view_uniforms

if TYPE_CHECKING:
    from collections.abc import Callable

    import moderngl
    from numpy.typing import NDArray

    from lissom._formats.animation import Animation
    from lissom.gpu._drawable import Drawable

__all__ = ["Stage"]

Color: TypeAlias = tuple[float, float, float]

# What to do with things that cannot be drawn as they are, by type.
_ADVICE = {
    "Mesh": "; wrap it: SkinnedModel(mesh), then set_palette",
    "PoseTexture": "; wrap it: Crowd(bake, count)",
    "list": "; pass them one by one: *things",
    "tuple": "; pass them one by one: *things",
}


@dataclass(frozen=True)
class _Scene:
    """What is drawn at once."""

    things: tuple[Drawable, ...]
    camera: Camera | None
    ground: bool
    mesh: TerrainMesh | None
    ground_height: float | None


class Stage:
    """Renders characters to arrays, without a window.

    Parameters
    ----------
    width, height : int
        Pixels.
    samples : int
        Samples per pixel for antialiasing: 0, 2 or 4.
    background : tuple of float, or None
        Colour of the background and of the ground plane, linear light; None for pictures with alpha, over
        whose transparent background the ground is seen by its grid and shadows alone. They take twice as
        long.
    context : moderngl.Context, optional
        Context of your own to draw in, such as a window's, which must be current when it is first passed
        here; lissom's own when omitted. What is drawn with this stage is made in it, by ``stage=``. Each
        call leaves its state as it was, and the context current that was. A window's context of GLX or CGL
        must be current in each call, for they do not say whether it is still there.

    Raises
    ------
    TypeError
        If a size is not a number, or the context not one of moderngl.
    ValueError
        If a side is not a whole number of pixels, or the driver does not have that number of samples.
    GpuError
        If there is no OpenGL 3.3, the context was released, or the picture is larger than the driver allows:
        says what to do.
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
        background: tuple[float, float, float] | None = BACKGROUND,
        context: moderngl.Context | GlContext | None = None,
    ) -> None:
        check_sides("Stage", width, height, samples)  # before a context is made
        self.context = checked_context(context)
        check_size("Stage", width, height, samples, self.context)
        self.width = int(width)
        self.height = int(height)
        self.samples = samples
        self.background = background
        self._closed = False
        self._targets: tuple[moderngl.Framebuffer, moderngl.Framebuffer] | None = None
        with self.context as gl:
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
            points, usual = framed_points(drawables), usual_azimuth(drawables)
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
            ``.array`` (height, width, 3) uint8, 4 with alpha, ``.save(path)``; a notebook shows it.

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
        return self._render("Stage.render", things, camera, ground, ground_height, self.background)

    def film(
        self,
        *things: Drawable | Character,
        pose: Callable[[float], Camera | None] | None = None,
        seconds: float | None = None,
        rate: float = 30.0,
        turn: float | None = None,
        camera: Camera | None = None,
        ground: GroundLike = True,
        ground_height: float | None = None,
    ) -> Animation:
        """Film things that a function of yours moves; pictures are drawn when they are asked for.

        Parameters
        ----------
        *things : SkinnedModel, Crowd, LiveCrowd or Character
            As in `render`. They and the stage must live until the film is saved.
        pose : callable, optional
            Called as ``pose(time)`` before each picture, with seconds from the film's beginning: it poses and
            places the things. It may return the camera of that picture. Pictures may be asked for in any
            order and more than once, so what is seen must follow from the time alone; of what moves on step
            by step, make a list of pictures and of it an `lissom.Animation`.
        seconds : float, optional
            How long the film is; 4 s for each whole turn when omitted.
        rate : float
            Pictures per second, from 0.01 to 1000. There are ``seconds * rate``, rounded.
        turn : float, optional
            How many whole turns the camera makes around its target, in the direction in which azimuth grows.
        camera : Camera, optional
            Of the first picture; one that sees everything in all pictures when omitted: things are posed for
            48 of them to find it.
        ground : bool, lissom.ground.HeightField or TriangleMesh, or (positions, triangles)
            As in `render`.
        ground_height : float, optional
            As in `render`; the lowest of all pictures when omitted.

        Returns
        -------
        Animation
            Its ``save`` draws and writes it.

        Raises
        ------
        TypeError, ValueError, GpuError
            As in `render`, before anything is drawn; if `pose` cannot be called, a number is out of its
            range, or neither `seconds` nor `turn` is passed.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> walk, wave = hero.clips["walk"], hero.clips["wave"]
        >>> with lissom.gpu.Stage(320, 180) as stage, lissom.gpu.SkinnedModel(hero) as model:
        ...     def pose(time):
        ...         model.set_pose(lissom.blend(walk.sample(time), wave.sample(time), 0.5))
        ...
        ...     film = stage.film(model, pose=pose, seconds=3, rate=10)
        ...     strip = film.strip(4)
        >>> film
        Animation(30 pictures, 320 x 180, 3.00 s)
        """
        return film_of_stage(self, things, pose, seconds, rate, turn, camera, ground, ground_height)

    def draw(
        self,
        *things: Drawable | Character,
        framebuffer: moderngl.Framebuffer | None = None,
        camera: Camera | None = None,
        ground: GroundLike = False,
        ground_height: float | None = None,
        clear: bool = False,
    ) -> None:
        """Draw things into a framebuffer of your own, over what is there; nothing is read back.

        Colours are written as sRGB values, whatever the framebuffer's format; nearer surfaces hide others by
        its depths. After it, all state of the context is as it was.

        Parameters
        ----------
        *things : SkinnedModel, Crowd, LiveCrowd or Character
            As in `render`.
        framebuffer : moderngl.Framebuffer, optional
            With depths, of the stage's context; drawn into within its viewport, and its scissor if it has
            one. Of several colour attachments, the first. The one that is bound in moderngl when omitted: a
            window's ``screen`` at first.
        camera : Camera, optional
            One that frames everything in the viewport when omitted.
        ground : bool, lissom.ground.HeightField or TriangleMesh, or (positions, triangles)
            As in `render`, but none when omitted.
        ground_height : float, optional
            As in `render`.
        clear : bool
            Whether to fill the viewport with the stage's background first, the usual one where it is None,
            and its depths with 1.

        Raises
        ------
        GpuError
            If the stage, the framebuffer, or something to draw, was released; or the context cannot be made
            current: its window is gone, or it is current in another thread.
        TypeError, ValueError
            As in `render`; if there is no framebuffer, or it is of another context, without colours or
            depths, its colours are integers, or its viewport is empty.

        Examples
        --------
        A context that anybody made, a window's too:

        >>> import moderngl
        >>> gl = moderngl.create_context(standalone=True, backend="egl")
        >>> picture = gl.framebuffer(gl.texture((320, 180), 4), gl.depth_renderbuffer((320, 180)))
        >>> with lissom.gpu.Stage(context=gl) as stage:
        ...     stage.draw(lissom.samples.humanoid(), framebuffer=picture, ground=True, clear=True)
        >>> gl.release()
        """
        target = cast("moderngl.Framebuffer", framebuffer or self.context.users_framebuffer)
        check_framebuffer(target, self.context, "Stage.draw: framebuffer")
        with ExitStack() as borrowed:
            scene = self._scene("Stage.draw", things, camera, ground, ground_height, borrowed)
            with self.context, drawn_into(target):
                self._draw(target, scene, self.background or BACKGROUND, clear=clear)

    def _render(
        self,
        caller: str,
        things: tuple[Drawable | Character, ...],
        camera: Camera | None,
        ground: GroundLike,
        ground_height: float | None,
        background: Color | None,
    ) -> Picture:
        """As `render` over a background, with errors that name the `caller`."""
        with ExitStack() as borrowed:
            scene = self._scene(caller, things, camera, ground, ground_height, borrowed)
            with self.context:
                if background is not None:
                    return Picture(self._pixels(scene, background))
                return Picture(with_alpha(self._pixels(scene, BLACK), self._pixels(scene, WHITE)))

    def _pixels(self, scene: _Scene, background: Color) -> NDArray[np.uint8]:
        """Draw and read, ``(height, width, 3)``; the context must be current."""
        drawn, read = self._own_targets()
        self._draw(drawn, scene, background, clear=True)
        if drawn is not read:
            self.context.gl.copy_framebuffer(read, drawn)
        data = read.read(components=4)  # reading RGBA is three times as fast as RGB
        pixels = np.frombuffer(data, np.uint8).reshape(self.height, self.width, 4)
        return np.ascontiguousarray(pixels[::-1, :, :3])

    def _scene(
        self,
        caller: str,
        things: tuple[Drawable | Character, ...],
        camera: Camera | None,
        ground: GroundLike,
        ground_height: float | None,
        borrowed: ExitStack,
    ) -> _Scene:
        """Return what is to be drawn, checked, with models that `borrowed` releases."""
        if ground_height is not None:
            if not isinstance(ground, bool):
                raise ValueError(
                    f"{caller}: ground_height must be None with a mesh as ground, got {ground_height}"
                )
            ground_height = check_number(ground_height, f"{caller}: ground_height", largest=LARGEST)
        if camera is not None and not isinstance(camera, Camera):
            raise TypeError(f"{caller}: camera must be a Camera, got {type(camera).__name__}")
        drawables = self._drawables(things, caller, borrowed)
        if isinstance(ground, bool):
            return _Scene(drawables, camera, ground, None, ground_height)
        return _Scene(drawables, camera, True, self._terrain.load(ground, caller), None)

    def _own_targets(self) -> tuple[moderngl.Framebuffer, moderngl.Framebuffer]:
        """Return what pictures are drawn into, and what they are read from, made at the first picture."""
        if self._targets is None:
            gl, size = self.context.gl, (self.width, self.height)
            read = drawn = gl.framebuffer(gl.renderbuffer(size), gl.depth_renderbuffer(size))
            if self.samples:
                drawn = gl.framebuffer(
                    gl.renderbuffer(size, samples=self.samples),
                    gl.depth_renderbuffer(size, samples=self.samples),
                )
            self._targets = drawn, read
        return self._targets

    def _draw(
        self,
        target: moderngl.Framebuffer,
        scene: _Scene,
        background: Color,
        *,
        clear: bool,
    ) -> None:
        """Draw into the part of `target` that is its viewport; the context must be current."""
        moderngl = require("moderngl", "gl", "drawing")
        gl = self.context.gl
        things, mesh, ground = scene.things, scene.mesh, scene.ground
        viewport = target.viewport
        points = framed_points(things)
        if mesh is not None and not things:
            points = np.array([mesh.low, mesh.high])
        aspect = viewport[2] / viewport[3]
        camera = scene.camera or Camera.framing(points, aspect, azimuth=usual_azimuth(things))
        low = min((thing.ground() for thing in things), default=0.0)
        low = low if scene.ground_height is None else scene.ground_height
        contact_height = 0.5 * max((thing.size for thing in things), default=1.0) or 1.0
        box = () if mesh is None else (mesh.low, mesh.high)
        view = view_uniforms(camera, viewport, points, low, contact_height, box)
        plane = low if mesh is None else float(mesh.low[1])
        is_above = bool(camera.eye[1] > plane)
        if mesh is not None or (ground and is_above):
            view["shadow_floor"] = plane
        for thing in things:
            thing.prepare(view)
        if mesh is not None:
            self._terrain.prepare(things, points, camera, view["to_key"], contact_height)
        elif ground and is_above:
            self._ground.prepare(things, points, low, contact_height, camera, view)
        target.use()
        gl.enable_only(moderngl.DEPTH_TEST)
        gl.depth_func = "<"
        gl.wireframe = False
        cleared = visible_part(target) if clear else None
        if cleared is not None:
            encoded = linear_to_srgb(np.array(background))
            target.clear(encoded[0], encoded[1], encoded[2], 1.0, depth=1.0, viewport=cleared)
        self._heat_map.use(TEXTURE_UNITS["heat_map"])
        for thing in things:
            thing.draw("surface.frag", view)
        if mesh is not None:
            self._terrain.draw(view, background, is_above)
        elif ground and is_above:
            self._ground.draw(view, background)
        self._draw_blended(target, things, camera, view)

    def _draw_blended(
        self,
        target: moderngl.Framebuffer,
        things: tuple[Drawable, ...],
        camera: Camera,
        view: dict[str, Any],
    ) -> None:
        """Draw what is blended over all else, the farthest thing first."""
        moderngl = require("moderngl", "gl", "drawing")
        gl = self.context.gl
        blended = [thing for thing in things if hasattr(thing, "draw_blended")]
        if len(blended) > 1:
            centers = {id(thing): framed_points((thing,)).mean(axis=0) for thing in blended}
            blended.sort(key=lambda thing: -float(np.linalg.norm(centers[id(thing)] - camera.eye)))
        gl.enable_only(moderngl.DEPTH_TEST | moderngl.BLEND)
        gl.depth_func = "<="  # decals lie in the surface that they are on
        gl.blend_func = moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA
        target.depth_mask = False
        try:
            for thing in blended:
                thing.draw_blended(view)
        finally:
            target.depth_mask = True
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
        if not self.context.is_in_reach:
            return
        with self.context:
            self._ground.release()
            self._terrain.release()
            for framebuffer in {id(f): f for f in self._targets or ()}.values():
                for attachment in (*framebuffer.color_attachments, framebuffer.depth_attachment):
                    attachment.release()
                framebuffer.release()
            self._heat_map.release()
