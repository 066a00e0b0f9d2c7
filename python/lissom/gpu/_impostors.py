# SPDX-License-Identifier: MIT
"""Impostors: pictures of a baked character from all sides, for instances that are a few pixels high."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import quat
from lissom._base.extras import require
from lissom._base.numbers import check_number, whole_number
from lissom._crowd.instances import NO_CLIP, check_bake, check_dtype
from lissom.errors import GpuError
from lissom.gpu._arguments import check_baked_method, context_of, drawn_mesh
from lissom.gpu._context import GlContext, set_uniforms
from lissom.gpu._coverage import SAMPLE_ALPHA_TO_COVERAGE
from lissom.gpu._impostor_atlas import LEVELS, drawn_atlas
from lissom.gpu._texture_units import TEXTURE_UNITS
from lissom.gpu._vertices import readable

if TYPE_CHECKING:
    from collections.abc import Mapping

    import moderngl
    from numpy.typing import NDArray

    from lissom._rig.mesh import Mesh
    from lissom._rig.prepared_mesh import PreparedMesh
    from lissom.gpu._stage import Stage
    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["Impostors", "PlacedImpostors"]

LEVEL_PLACES = 4  # one number holds level + LEVEL_PLACES * width: see impostor.glsl

# What the shaders read of an instance.
_PLACED_DTYPE = np.dtype([("place", "<f4", 4), ("cell", "<f4", 4), ("rotation", "<f4", 4), ("tint", "u1", 4)])
_PLACED = "4f4 4f4 4f4 4f1/i"
_PLACED_NAMES = ("place", "cell", "rotation", "tint")

# The programs that replace those of meshes, and which channel a contact shadow is written to.
_PROGRAMS = {
    "surface.frag": ("impostor.vert", "impostor.frag"),
    "key_shadow.frag": ("impostor.vert", "impostor_cover.frag"),
    "nothing.frag": ("impostor.vert", "impostor_cover.frag"),
    "contact_shadow.frag": ("impostor_blob.vert", "impostor_blob.frag"),
    "terrain_contact.frag": ("impostor_blob.vert", "impostor_blob.frag"),
}
_CHANNELS = {"contact_shadow.frag": (0.0, 1.0), "terrain_contact.frag": (1.0, 0.0)}


class Impostors:
    """Small pictures of a baked character, drawn once, for instances that are a few pixels high.

    Each clip is drawn at `phases` times from `views` directions. An instance shows the picture of the nearest
    time and direction, on an upright billboard that rotates about the vertical to face the eye. Pictures hold
    base colour and normal, so that light, tint and heading are right everywhere; in a fade the clip of larger
    weight is shown. Faces have the default weights of their morph targets. An impostor casts the shadow of
    its billboard, and a round contact shadow. `Crowd` draws them where characters are small.

    Parameters
    ----------
    bake : PoseTexture
        What to draw.
    stage : Stage, optional
        Whose context draws and holds them; the process's own when omitted.
    views : int
        Directions, at least 1.
    phases : int
        Times per clip, at least 1.
    pixels : int
        Height of a picture, a multiple of 4, at least 8. Instances up to this height look like meshes.
    mesh : Mesh or PreparedMesh, optional
        What to draw; required if the bake has no mesh. A level of detail is quicker.
    method : {"linear", "dual_quat"}, optional
        Skinning method; the bake's own when omitted.
    elevation : float
        Of the pictures' camera, degrees above the horizon, 0 to 60: best near that of later cameras.

    Attributes
    ----------
    views, phases, pixels : int
    nbytes : int
        Size of the atlas on the GPU.

    Raises
    ------
    TypeError, ValueError
        If `bake` is not a PoseTexture, there is no mesh, or a number does not fit.
    GpuError
        If the atlas is larger than the driver allows.

    Examples
    --------
    >>> bake = lissom.bake(lissom.samples.twisted_bar(), rate=30)
    >>> small = lissom.gpu.Impostors(bake, views=4, phases=4)  # for bars below 24 pixels of height
    >>> with lissom.gpu.Crowd(bake, 100, impostors=(small, 24.0)) as crowd:
    ...     with lissom.gpu.Stage(320, 180) as stage:
    ...         stage.render(crowd)
    Picture(320 x 180)
    >>> small.release()
    """

    def __init__(
        self,
        bake: PoseTexture,
        *,
        stage: Stage | None = None,
        views: int = 8,
        phases: int = 16,
        pixels: int = 32,
        mesh: Mesh | PreparedMesh | None = None,
        method: str | None = None,
        elevation: float = 15.0,
    ) -> None:
        check_bake(bake, "Impostors")
        self.views = whole_number(views, "Impostors: views", least=1)
        self.phases = whole_number(phases, "Impostors: phases", least=1)
        self.pixels = whole_number(pixels, "Impostors: pixels", least=8)
        if self.pixels % 4:
            raise ValueError(f"Impostors: pixels must be a multiple of 4, got {pixels}")
        above = check_number(elevation, "Impostors: elevation", least=0)
        if above > 60:
            raise ValueError(f"Impostors: elevation must be at most 60 degrees, got {elevation}")
        method = method or bake.method
        check_baked_method(method, bake, "Impostors")
        drawn = drawn_mesh(mesh, bake, "Impostors")
        self._context = context_of(stage, "Impostors")
        self._bake = bake
        self._released = False
        self._atlas = drawn_atlas(
            bake,
            drawn,
            stage,
            method=method,
            views=self.views,
            phases=self.phases,
            pixels=self.pixels,
            elevation=above,
        )
        clips = list(bake.clips.values())
        self._starts = np.array([clip.start for clip in clips])
        self._durations = np.array([clip.duration for clip in clips])
        self._loops = np.array([clip.loop for clip in clips])
        self._textures = [self._upload(levels) for levels in (self._atlas.base, self._atlas.normal)]

    def __enter__(self) -> Impostors:
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()

    def __repr__(self) -> str:
        released = ", released" if self._released else ""
        return (
            f"Impostors({len(self._starts)} clips, {self.phases} phases, {self.views} views, "
            f"{self.pixels} pixels, {self.nbytes} bytes{released})"
        )

    @property
    def context(self) -> GlContext:
        """The context that holds the atlas."""
        return self._context

    @property
    def nbytes(self) -> int:
        """Bytes of the atlas on the GPU."""
        return sum(level.nbytes for level in (*self._atlas.base, *self._atlas.normal))

    def _uploaded(self, instances: NDArray[Any], view: Mapping[str, Any]) -> PlacedImpostors:
        """Upload instances for one picture; the context must be current.

        Parameters
        ----------
        instances : ndarray of `INSTANCE_DTYPE`, shape (n,)
            To draw, quickest with the nearest first. Assumed to stand upright.
        view : mapping
            The picture's ``clip_from_world``, ``eye`` and ``viewport``.

        Raises
        ------
        GpuError
            If the impostors were released.
        """
        if self._released:
            raise GpuError("Impostors: these impostors were released; make new ones")
        check_dtype(instances, "Impostors")
        eye = np.asarray(view["eye"], np.float64)
        return PlacedImpostors(self, self._placed(instances, view, eye), eye)

    def _check(self, bake: PoseTexture, context: GlContext, caller: str) -> None:
        """Refuse to be drawn for another bake, or in another context."""
        if self._released:
            raise GpuError(f"{caller}: impostors were released; make new ones")
        if list(bake.clips) != list(self._bake.clips):
            raise ValueError(
                f"{caller}: impostors must be of a bake with the clips {', '.join(bake.clips)}, "
                f"got {', '.join(self._bake.clips)}"
            )
        if context is not self._context:
            raise ValueError(
                f"{caller}: impostors must be made in the same context; pass the same stage to both"
            )

    def release(self) -> None:
        """Free the atlas.

        Examples
        --------
        >>> bake = lissom.bake(lissom.samples.twisted_bar(), rate=30)
        >>> small = lissom.gpu.Impostors(bake, views=4, phases=4)
        >>> small.release()
        >>> with lissom.gpu.Impostors(bake, views=4, phases=4) as small:  # released at the end
        ...     small.nbytes > 0
        True
        """
        if self._released:
            return
        self._released = True
        if not self._context.is_in_reach:
            return
        with self._context:
            for texture in self._textures:
                texture.release()

    def _upload(self, levels: tuple[NDArray[np.uint8], ...]) -> moderngl.Texture:
        module = require("moderngl", "gl", "drawing")
        height, width, _ = levels[0].shape
        with self._context as gl:
            texture = gl.texture((width, height), 4, levels[0].tobytes())
            texture.build_mipmaps(0, len(levels) - 1)
            for i, level in enumerate(levels):
                texture.write(np.ascontiguousarray(level), level=i)
            texture.filter = module.NEAREST_MIPMAP_NEAREST, module.NEAREST
            texture.repeat_x = texture.repeat_y = False
        return texture

    def _placed(self, instances: NDArray[Any], view: Mapping[str, Any], eye: NDArray[Any]) -> NDArray[Any]:
        fading = (instances["next_clip"] != NO_CLIP) & (instances["fade"] > 0.5)
        clip = np.where(fading, instances["next_clip"], instances["clip"])
        phase = self._phase(clip, np.where(fading, instances["next_time"], instances["time"]))
        rotation = quat.normalize(instances["rotation"].astype(np.float64))
        scale = instances["scale"].astype(np.float64)
        centers = instances["position"] + scale[:, None] * quat.rotate(
            rotation, self._atlas.centers[clip, phase]
        )
        # Azimuth of the eye about the instance, measured from its front.
        x, y, z, w = rotation.T
        heading = np.arctan2(2 * (x * z + w * y), 1 - 2 * (x * x + y * y))
        to_eye = eye - centers
        turns = (np.arctan2(to_eye[:, 0], to_eye[:, 2]) - heading) / (2 * np.pi)
        nearest_view = np.rint(turns * self.views).astype(np.int64) % self.views
        halves = scale[:, None] * self._atlas.halves[clip]
        matrix = np.asarray(view["clip_from_world"], np.float64)
        depth = np.maximum(centers @ matrix[3, :3] + matrix[3, 3], 1e-9)
        height = halves[:, 1] * np.linalg.norm(matrix[1, :3]) * view["viewport"][1] / depth
        level = np.clip(np.rint(np.log2(self.pixels / np.maximum(height, 1e-9))), 0, LEVELS - 1)
        placed = np.zeros(len(instances), _PLACED_DTYPE)
        placed["place"][:, :3] = centers
        placed["place"][:, 3] = halves[:, 0]
        placed["cell"][:, :2] = self._atlas.origins[clip, phase, nearest_view]
        placed["cell"][:, 2] = level + LEVEL_PLACES * self._atlas.widths[clip]
        placed["cell"][:, 3] = halves[:, 1]
        placed["rotation"] = rotation
        placed["tint"] = instances["tint"]
        return placed

    def _phase(self, clip: NDArray[Any], times: NDArray[Any]) -> NDArray[np.int64]:
        """Return the phase nearest to each time."""
        duration = self._durations[clip]
        elapsed = np.divide(times - self._starts[clip], duration, out=np.zeros(len(clip)), where=duration > 0)
        looped = np.rint(elapsed * self.phases) % self.phases
        clamped = np.clip(np.rint(elapsed * (self.phases - 1)), 0, self.phases - 1)
        return np.asarray(np.where(self._loops[clip], looped, clamped), np.int64)


class PlacedImpostors:
    """Impostors uploaded for one picture, drawn in place of meshes."""

    def __init__(self, impostors: Impostors, placed: NDArray[Any], eye: NDArray[Any]) -> None:
        self._impostors = impostors
        self._count = len(placed)
        self._eye = eye
        self._buffer = impostors.context.gl.buffer(placed.tobytes() or bytes(placed.itemsize))
        self._arrays: dict[tuple[str, str], moderngl.VertexArray] = {}

    def __len__(self) -> int:
        return self._count

    def draw(self, fragment: str, uniforms: Mapping[str, Any]) -> None:
        """Draw in place of a mesh with a fragment program; the context must be current and the state set."""
        if not self._count:
            return
        moderngl = require("moderngl", "gl", "drawing")
        context = self._impostors.context
        names = _PROGRAMS[fragment]
        soft = fragment == "surface.frag" and context.gl.fbo.samples > 0
        program = context.program(*names)
        for texture, unit in zip(self._impostors._textures, ("base_color_map", "source"), strict=True):
            texture.use(TEXTURE_UNITS[unit])
        set_uniforms(
            program,
            **{"ground_height": -1e30, **uniforms},
            impostor_base=TEXTURE_UNITS["base_color_map"],
            impostor_normal=TEXTURE_UNITS["source"],
            impostor_eye=self._eye,
            cell_height=self._impostors.pixels,
            least_cover=0.1 if soft else 0.5,
            channel=_CHANNELS.get(fragment, (0.0, 0.0)),
        )
        if names not in self._arrays:
            entry = readable(program, self._buffer, _PLACED, _PLACED_NAMES)
            self._arrays[names] = context.gl.vertex_array(program, [entry])
        if soft:
            context.gl.enable_direct(SAMPLE_ALPHA_TO_COVERAGE)
        self._arrays[names].render(moderngl.TRIANGLE_STRIP, vertices=4, instances=self._count)
        if soft:
            context.gl.disable_direct(SAMPLE_ALPHA_TO_COVERAGE)

    def release(self) -> None:
        """Free the buffer; the context must be current."""
        for array in self._arrays.values():
            array.release()
        self._buffer.release()
        self._arrays = {}
        self._count = 0
