# SPDX-License-Identifier: MIT
"""Drawing many instances of one mesh, whatever their poses come from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

import numpy as np

from lissom._base.extras import require
from lissom._base.methods import METHODS
from lissom._crowd.bounds import unit_rotations, visible
from lissom._lod.default_levels import LAST_FACE
from lissom.errors import GpuError
from lissom.gpu._context import GlContext, float_texture, set_uniforms
from lissom.gpu._coverage import Cover, passes
from lissom.gpu._crowd_batch import INSTANCE_TEXELS, SHOWN_DTYPE, CrowdBatch
from lissom.gpu._crowd_levels import groups
from lissom.gpu._morph_targets import weight_lists
from lissom.gpu._texture_units import TEXTURE_UNITS
from lissom.skinning._heaviest import MOST_INFLUENCES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import moderngl
    from numpy.typing import NDArray

    from lissom._crowd.bounds import Boxes
    from lissom.gpu._crowd_meshes import CrowdMeshes
    from lissom.gpu._impostors import Impostors, PlacedImpostors
    from lissom.gpu._vertices import GpuMesh
    from lissom.skinning._heaviest import Influences

__all__ = ["CrowdDrawing", "Moments", "checked_influence_count", "has_float_targets"]

BATCH_TEXELS = 1 << 22  # palettes of one batch: 64 MiB in single precision
INFLUENCE_COUNTS = (1, 2, 4)  # values of `influences`


class Moments(NamedTuple):
    """What instances show: see `CrowdInstance` in ``crowd.glsl``.

    Attributes
    ----------
    frames, next_frames, fades : array, shape (n,)
    clips, next_clips : array, shape (n,)
        For texels of bytes.
    """

    frames: Any
    next_frames: Any
    fades: Any
    clips: Any
    next_clips: Any


class PoseSource(Protocol):
    """Poses on the GPU: a `PoseUpload`, or `LivePoses`."""

    @property
    def defines(self) -> dict[str, int]:
        """The constants that ``pose_texture.glsl`` is compiled with."""

    @property
    def uniforms(self) -> dict[str, int]:
        """The members of the struct ``PoseTexture``."""

    def use(self, unit: int, ranges: int | None = None, rig: int | None = None) -> None:
        """Bind the textures to texture units."""

    def release(self) -> None:
        """Free the textures."""


class _Drawn(NamedTuple):
    """A batch of the current picture, its mesh, and the mesh of its shadow, which may be coarser."""

    batch: CrowdBatch
    mesh: GpuMesh
    shadow: GpuMesh
    in_picture: bool


class CrowdDrawing(ABC):
    """Instances that a stage draws: see `Drawable`. Subclasses say which poses they show.

    Subclasses set `_name` (what errors begin with), `_context`, `_meshes`, `_poses`, `direct`, `two_sided`
    and, where there are any, `_impostors`.
    """

    _name: str
    _context: GlContext
    _meshes: CrowdMeshes
    _poses: PoseSource
    _impostors: Impostors | None = None
    _impostor_pixels = 0.0
    direct: bool
    two_sided: bool | None

    def __init__(self) -> None:
        self._released = False
        self._batches: list[CrowdBatch] = []
        self._drawn: list[_Drawn] = []
        self._placed: PlacedImpostors | None = None
        self._pose_defines: dict[str, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()

    # What subclasses know.

    @property
    @abstractmethod
    def instances(self) -> NDArray[Any]:
        """The instances, of `INSTANCE_DTYPE`, ``(count,)``."""

    @property
    @abstractmethod
    def method(self) -> str:
        """Skinning method."""

    @property
    @abstractmethod
    def _stride(self) -> int:
        """Texels of a palette row: see palette.glsl."""

    @abstractmethod
    def _check_instances(self) -> None:
        """Refuse instances that cannot be drawn."""

    @abstractmethod
    def _boxes(self) -> Boxes:
        """Return boxes of all instances, world space."""

    @abstractmethod
    def _pose_constants(self) -> dict[str, int]:
        """Upload what has changed, and return the constants that ``pose_texture.glsl`` is compiled with."""

    @abstractmethod
    def _moments(self, which: NDArray[np.intp]) -> Moments:
        """Return what these instances show."""

    def _batched(self, moments: Moments, most: int) -> Iterator[Any]:
        """Yield which of the instances that show `moments` are drawn together, at most so many."""
        for first in range(0, len(moments.frames), most):
            yield np.s_[first : first + most]

    @abstractmethod
    def _weights(self, which: NDArray[np.intp], moments: Moments) -> NDArray[np.float32] | None:
        """Return the weights that morph targets are drawn with, ``(n, M)``; None where none is active."""

    @property
    @abstractmethod
    def _is_mirrored(self) -> bool:
        """Whether a pose mirrors something, which swaps front and back faces."""

    # What a stage calls: see `Drawable`.

    @property
    def context(self) -> GlContext:
        """The context that holds the buffers."""
        return self._context

    @property
    def influences(self) -> Influences:
        """The influences as drawn: at most 8 per vertex."""
        return self._meshes[0].influences

    def points(self) -> NDArray[np.float64]:
        """Return the corners of the boxes of all instances that are not hidden, ``(8 n, 3)``."""
        self._check_instances()
        return self._boxes().corners()[self._is_shown].reshape(-1, 3)

    def ground(self) -> float:
        """Return the world y of the ground: the median of the instances' lower ends."""
        boxes = self._standing_boxes()
        low = (boxes.centers[:, 1] - np.abs(boxes.axes[:, :, 1]).sum(axis=1))[self._is_shown]
        return float(np.median(low)) if len(low) else 0.0

    def _standing_boxes(self) -> Boxes:
        """Return boxes of all instances, world space, whose lower ends are on the ground."""
        return self._boxes()

    @property
    def _is_shown(self) -> NDArray[np.bool_]:
        """Which instances are not hidden, ``(count,)``."""
        shown: NDArray[np.bool_] = self.instances["tint"][:, 3] != 0
        return shown

    def prepare(self, view: Mapping[str, Any]) -> None:
        """Upload the visible instances and mix their palettes; the context must be current."""
        if self._released:
            raise GpuError(f"{self._name}: this crowd was released; make a new one")
        self._check_instances()
        drawn = visible(self._boxes(), view)
        drawn = drawn.only(self._is_shown[drawn.which])
        self._pose_defines = self._pose_constants()
        per_batch = max(1, BATCH_TEXELS // max(1, self._meshes.row_count * self._stride))
        self._drawn = []
        self._drop_placed()
        heights = self._meshes.heights(drawn, self.instances["scale"][drawn.which])
        self._meshes.fit(heights)
        for members, level, in_picture in groups(drawn, heights, self._meshes.limits, self._impostor_pixels):
            which = drawn.which[members]
            if level < 0:
                assert self._impostors is not None
                self._placed = self._impostors._uploaded(self.instances[which], view)
                continue
            moments = self._moments(which)
            records, attributes = _records(self.instances[which], moments)
            weights = self._weights(which, moments) if level <= LAST_FACE else None
            lists = None if weights is None else weight_lists(weights)
            shadow = self._meshes.shadow_of(level)
            for part in self._batched(moments, per_batch):
                batch = self._loaded(records[part], attributes[part], None if lists is None else lists[part])
                self._drawn.append(_Drawn(batch, self._meshes[level], shadow, in_picture))

    def draw(self, fragment: str, uniforms: Mapping[str, Any]) -> None:
        """Draw with a fragment program; the context must be current and the state set."""
        is_picture = fragment == "surface.frag"
        two_sided = self._draws_backs if is_picture else True
        for batch, mesh, shadow, in_picture in self._drawn:
            if is_picture and not in_picture:
                continue
            drawn = mesh if is_picture else shadow
            for cover in passes(fragment, drawn.is_covered, False):
                self._draw_pass(batch, drawn, fragment, cover, uniforms, two_sided)
        if self._placed is not None:
            self._placed.draw(fragment, uniforms)

    def draw_blended(self, view: Mapping[str, Any]) -> None:
        """Draw that through which something shows, the farthest instance first: see `Drawable`."""
        two_sided = self._draws_backs
        for batch, mesh, _, in_picture in reversed(self._drawn):
            if in_picture and len(mesh.blended):
                self._draw_pass(batch, mesh, "surface.frag", "blended", view, two_sided)

    def _draw_pass(
        self,
        batch: CrowdBatch,
        mesh: GpuMesh,
        fragment: str,
        cover: Cover,
        uniforms: Mapping[str, Any],
        two_sided: bool | None,
    ) -> None:
        is_morphed = batch.is_morphed and mesh.morphs is not None
        for moved in (False, True) if is_morphed else (None,):
            program = self._program(mesh, fragment, moved, cover=cover)
            self._use_poses()
            set_uniforms(program, **uniforms, heated=False)
            batch.draw(program, mesh, self._uniforms, two_sided, moved, cover)

    @property
    def _draws_backs(self) -> bool | None:
        """Whether back faces are in the picture; None for all but those that nobody sees."""
        if self.two_sided is not None:
            return self.two_sided
        return self._is_mirrored or None

    def deformed(self) -> NDArray[np.float32]:
        """Return the skinned vertices of all instances that are not hidden, by transform feedback.

        Returns
        -------
        ndarray of float32, shape (count, V, 3)
            World space, of the whole mesh, not of `levels`.

        Examples
        --------
        >>> bake = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30)
        >>> with lissom.gpu.Crowd(bake, 3) as crowd:
        ...     crowd.instances["position"] = [[0, 0, 0], [10, 0, 0], [20, 0, 0]]
        ...     crowd.deformed().shape == (3, bake.mesh.vertex_count, 3)
        True
        """
        results = [np.zeros((0, self._meshes[0].vertex_count, 3), np.float32)]
        with self._context:
            self.prepare({})
            for batch, mesh, _, _ in self._drawn:
                moved = batch.is_morphed or None
                program = self._program(mesh, "nothing.frag", moved, varyings=("surface_position",))
                self._use_poses()
                results.append(batch.positions(program, mesh, self._uniforms))
        return np.concatenate(results)

    def release(self) -> None:
        """Free what the crowd holds on the GPU.

        Examples
        --------
        >>> crowd = lissom.gpu.Crowd(lissom.bake(lissom.samples.twisted_bar(), rate=30), 3)
        >>> crowd.release()
        >>> with lissom.gpu.Stage(320, 180) as stage:
        ...     stage.render(crowd)
        Traceback (most recent call last):
            ...
        lissom.errors.GpuError: Crowd: this crowd was released; make a new one
        """
        if self._released:
            return
        self._released = True
        if not self._context.is_in_reach:
            return
        with self._context:
            self._poses.release()
            self._drop_placed()
            for batch in self._batches:
                batch.release()
            self._meshes.release()

    def _drop_placed(self) -> None:
        if self._placed is not None:
            self._placed.release()
            self._placed = None

    @property
    def _uniforms(self) -> dict[str, int]:
        return {"row_count": self._meshes.row_count, **self._poses.uniforms}

    def _program(
        self,
        mesh: GpuMesh,
        fragment: str,
        moved: bool | None,
        varyings: tuple[str, ...] = (),
        cover: Cover = "solid",
    ) -> moderngl.Program:
        """Return the program for what morph targets move, or for the others; None where nothing does."""
        defines = {
            "INFLUENCE_COUNT": mesh.used_influence_count,
            "PALETTE_STRIDE": self._stride,
            "SKINNING_METHOD": METHODS.index(self.method),
            "WITHOUT_HEAT": 1,
            **mesh.surface_defines,
            **(mesh.morph_defines if moved else {}),
            **({} if moved is None else {"SEAMED": 1}),
            **mesh.cover_defines(cover),
        }
        if self.direct:
            defines |= {"POSE_DIRECT": 1, **self._pose_defines}
        return self._context.program("crowd.vert", fragment, varyings=varyings, defines=defines)

    def _use_poses(self) -> None:
        self._poses.use(TEXTURE_UNITS["poses"], TEXTURE_UNITS["ranges"], TEXTURE_UNITS["rig"])

    def _loaded(
        self, records: NDArray[np.float32], attributes: NDArray[Any], lists: NDArray[np.uint32] | None
    ) -> CrowdBatch:
        """Return the next batch of the current picture, with instances and their palettes."""
        if len(self._drawn) == len(self._batches):
            self._batches.append(CrowdBatch(self._context))
        batch = self._batches[len(self._drawn)]
        batch.load(records, attributes, lists)
        if not self.direct:
            defines = {"PALETTE_STRIDE": self._stride, **self._pose_defines}
            program = self._context.program("screen.vert", "crowd_palette.frag", defines=defines)
            self._use_poses()
            batch.mix(program, self._uniforms, len(records) * self._meshes.row_count * self._stride)
        return batch


def _records(instances: NDArray[Any], moments: Moments) -> tuple[NDArray[np.float32], NDArray[Any]]:
    """Return what crowd.glsl reads of instances for palettes, and what crowd.vert does."""
    records = np.zeros((len(instances), INSTANCE_TEXELS, 4), np.float32)
    records[:, 0, 0] = moments.frames
    records[:, 0, 1] = moments.next_frames
    records[:, 0, 2] = moments.fades
    records[:, 0, 3] = instances["scale"]
    records[:, 1, 0] = moments.clips
    records[:, 1, 1] = moments.next_clips
    records[:, 2, :3] = instances["position"]
    records[:, 3] = unit_rotations(instances)
    attributes = np.zeros(len(instances), SHOWN_DTYPE)
    attributes["tint"] = instances["tint"]
    attributes["scale"] = instances["scale"]
    return records, attributes


def checked_influence_count(influences: int | None, caller: str) -> int:
    """Return how many influences per vertex to keep."""
    if influences is None:
        return MOST_INFLUENCES
    if influences not in INFLUENCE_COUNTS:
        known = ", ".join(map(str, INFLUENCE_COUNTS))
        raise ValueError(f"{caller}: influences must be one of {known} or None, got {influences!r}")
    return influences


def has_float_targets(context: GlContext) -> bool:
    """Return whether this driver draws into single precision textures."""
    moderngl = require("moderngl", "gl", "drawing")
    with context as gl:
        texture = float_texture(gl, (4, 4), 4, "f4", "a test")
        try:
            gl.framebuffer(texture).release()
        except (moderngl.Error, GpuError):
            return False
        finally:
            texture.release()
    return True
