# SPDX-License-Identifier: MIT
"""Many instances of one baked character, each with its own clip, time and place."""

from __future__ import annotations

import logging
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom._base.extras import require
from lissom._base.methods import METHODS
from lissom._base.numbers import whole_number
from lissom._crowd.bounds import ClipBounds, unit_rotations, visible
from lissom._crowd.faces import Faces
from lissom._crowd.instances import NO_CLIP, check_bake, check_dtype, scattered
from lissom.errors import GpuError
from lissom.gpu._arguments import check_baked_method, context_of, drawn_mesh
from lissom.gpu._context import GlContext, float_texture, set_uniforms
from lissom.gpu._coverage import Cover, passes
from lissom.gpu._crowd_batch import INSTANCE_TEXELS, SHOWN_DTYPE, CrowdBatch
from lissom.gpu._crowd_levels import LAST_FACE, checked_impostors, checked_levels, groups
from lissom.gpu._crowd_meshes import CrowdMeshes
from lissom.gpu._crowd_playback import CrowdPlayback
from lissom.gpu._mirrors import mirrors
from lissom.gpu._morph_targets import weight_lists
from lissom.gpu._pose_upload import PoseUpload
from lissom.gpu._texture_units import TEXTURE_UNITS
from lissom.skinning._heaviest import MOST_INFLUENCES, frame_ranges, left_out_distance

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import moderngl
    from numpy.typing import NDArray

    from lissom._rig.mesh import Mesh
    from lissom._rig.prepared_mesh import PreparedMesh
    from lissom.gpu._impostors import Impostors, PlacedImpostors
    from lissom.gpu._stage import Stage
    from lissom.gpu._vertices import GpuMesh
    from lissom.pose_texture._pose_texture import PoseTexture
    from lissom.skinning._heaviest import Influences

__all__ = ["Crowd"]

logger = logging.getLogger("lissom.gpu")

BATCH_TEXELS = 1 << 22  # palettes of one batch: 64 MiB in single precision
INFLUENCE_COUNTS = (1, 2, 4)  # values of `influences`


class _Drawn(NamedTuple):
    """A batch of the current picture, its mesh, and the mesh of its shadow, which may be coarser."""

    batch: CrowdBatch
    mesh: GpuMesh
    shadow: GpuMesh
    in_picture: bool


class Crowd(CrowdPlayback):
    """A baked character, drawn many times.

    Times become frame coordinates on the CPU, in float64. The GPU interpolates the two frames around each
    coordinate, and in a fade those of the next clip, once per instance and palette row into a texture of
    palettes, from which every vertex reads two texels per influence. Instances outside the picture are
    culled. :doc:`/concepts/crowds` says more.

    Parameters
    ----------
    bake : PoseTexture
        Of any layout and type of texels; `lissom.bake` makes one from a character.
    count : int
        Number of instances; `scattered` places them.
    stage : Stage, optional
        Whose context holds the buffers; the process's own when omitted, as for a stage. Every stage of that
        context can draw the crowd.
    mesh : Mesh or PreparedMesh, optional
        What to draw; required if the bake has no mesh.
    method : {"linear", "dual_quat"}, optional
        Skinning method, one of the bake's `methods`; the bake's own when omitted.
    instances : ndarray of `INSTANCE_DTYPE`, shape (count,), optional
        Copied; from `scattered` when omitted.
    spacing, seed
        As for `scattered`.
    direct : bool, optional
        Read the pose texture at every vertex: slower, but needs no float render target. When omitted, only if
        the driver has none.
    influences : {1, 2, 4}, optional
        Influences per vertex to keep, the heaviest, scaled to sum to 1; up to 8 when omitted.
    interpolate : bool, optional
        Whether to interpolate between frames; False shows the nearer frame, which steps visibly.
    levels : sequence of (Mesh or PreparedMesh, float), optional
        Levels of detail: meshes with the bake's palette rows, each used where an instance's box is lower on
        the picture than a height in pixels. `levels_of_detail` makes them. Shadows are drawn one level
        coarser. Morph targets move the whole mesh and the first level; others have the default weights. When
        omitted, and the extra ``lod`` is installed, three levels of any mesh of 1 000 triangles or more, each
        where it is within half a pixel of the whole mesh (95 % of the vertices are; see
        :doc:`/howto/draw-far-crowds`). ``()`` draws the whole mesh everywhere.
    impostors : tuple of (Impostors, float), optional
        What to draw below a height in pixels, and that height. Releasing them is up to the caller.
    two_sided : bool, optional
        Whether back faces are drawn. When omitted, all but those of closed pieces, whose inside nobody sees,
        and of blended parts that are not double sided, unless the bake mirrors something: with software
        rendering that saves up to a third of the time.

    Attributes
    ----------
    instances : ndarray of `INSTANCE_DTYPE`, shape (count,)
        Change them at any time, in place.
    root_motion : bool
        Whether `update` applies the root motion of clips that have it. False at first.
    method : {"linear", "dual_quat"}
        Skinning method; set it at any time.
    direct : bool
        Whether palettes are computed per vertex.
    interpolate, two_sided
        As above; set them at any time.

    Raises
    ------
    TypeError
        If `bake` is not a PoseTexture, `count` is not a whole number, or `instances` have another dtype.
    ValueError
        If the bake's layout does not hold the method's palettes, there is no mesh, it needs palette rows that
        the bake lacks or has other morph targets, an instance plays a clip that does not exist, or another
        argument does not fit.
    GpuError
        If the pose texture is larger than the driver allows.

    Examples
    --------
    >>> bake = lissom.bake(lissom.samples.twisted_bar(), rate=30)
    >>> crowd = lissom.gpu.Crowd(bake, 20, seed=1)
    >>> with lissom.gpu.Stage(320, 180) as stage:
    ...     for _ in range(2):
    ...         crowd.update(1 / 30)
    ...         picture = stage.render(crowd)
    >>> picture
    Picture(320 x 180)
    >>> crowd.release()
    """

    def __init__(
        self,
        bake: PoseTexture,
        count: int,
        *,
        stage: Stage | None = None,
        mesh: Mesh | PreparedMesh | None = None,
        method: str | None = None,
        instances: NDArray[Any] | None = None,
        spacing: float = 1.0,
        seed: int = 0,
        direct: bool | None = None,
        influences: int | None = None,
        interpolate: bool = True,
        levels: Sequence[tuple[Mesh | PreparedMesh, float]] | None = None,
        impostors: tuple[Impostors, float] | None = None,
        two_sided: bool | None = None,
    ) -> None:
        check_bake(bake, "Crowd")
        count = whole_number(count, "Crowd: count")
        if instances is not None:
            check_dtype(instances, "Crowd")
            if instances.shape != (count,):
                raise ValueError(f"Crowd: instances must have shape ({count},), got {instances.shape}")
        if influences is not None and influences not in INFLUENCE_COUNTS:
            known = ", ".join(map(str, INFLUENCE_COUNTS))
            raise ValueError(f"Crowd: influences must be one of {known} or None, got {influences!r}")
        self._whole = drawn_mesh(mesh, bake, "Crowd")
        coarser = None if levels is None else checked_levels(levels, "Crowd")
        self._impostors, self._impostor_pixels = checked_impostors(impostors, "Crowd")
        self._context = context_of(stage, "Crowd")
        if self._impostors is not None:
            self._impostors._check(bake, self._context, "Crowd")
        self._released = False
        self.two_sided = two_sided
        scatter = scattered(bake, count, spacing=spacing, seed=seed) if instances is None else instances
        super().__init__(bake, scatter, interpolate, Faces(self._whole, bake, "Crowd"))
        self.method = method or bake.method
        self._bounds = ClipBounds(bake)
        self._mirrors: bool | None = None  # computed when needed
        max_count = MOST_INFLUENCES if influences is None else influences
        self._meshes = CrowdMeshes(self._context, self._whole, coarser, max_count, self._bounds.height)
        self._row_count = self._meshes.row_count
        if self._row_count > bake.palette_row_count:
            raise ValueError(
                f"Crowd: mesh must have palette rows below {bake.palette_row_count}, the bake's count, "
                f"got {self._row_count - 1}"
            )
        self._batches: list[CrowdBatch] = []
        self._drawn: list[_Drawn] = []
        self._placed: PlacedImpostors | None = None
        self._poses = PoseUpload(bake, stage=stage)
        self._pose_defines = self._poses.defines
        with self._context as gl:
            self.direct = not _float_targets(gl) if direct is None else direct
        if influences is None and self._left_out:
            logger.warning(
                "Crowd: drawn with the %d heaviest of %d influences per vertex, "
                "which moves a vertex by up to %.3g model units (see max_error)",
                MOST_INFLUENCES,
                self._whole.influence_count,
                self._left_out,
            )

    def __enter__(self) -> Crowd:
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()

    def __repr__(self) -> str:
        released = ", released" if self._released else ""
        return (
            f"Crowd({len(self)} instances, {len(self._bake.clips)} clips, "
            f"{self._meshes[0].vertex_count} vertices, {self.method}{released})"
        )

    @property
    def method(self) -> str:
        """Skinning method, ``"linear"`` or ``"dual_quat"``; set it at any time."""
        return self._method

    @method.setter
    def method(self, method: str) -> None:
        check_baked_method(method, self._bake, "Crowd")
        self._method = method

    @property
    def influences(self) -> Influences:
        """The influences as drawn: at most 8 per vertex."""
        return self._meshes[0].influences

    @property
    def max_error(self) -> float:
        """How far a drawn vertex of the whole mesh is from the source clip at most, model units.

        ``bake.report.crowd_max``, with what the influences of this crowd leave out in place of
        ``report.left_out``, and `morph_error`. Levels of detail, impostors and ``interpolate=False`` have
        errors of their own.

        Raises
        ------
        ValueError
            If the crowd is drawn by another method than the one that the bake was measured by.
        """
        report = self._bake.report
        if self.method != report.method:
            raise ValueError(
                f"Crowd.max_error: the bake's errors are those of method {report.method!r}, and the crowd is "
                f"drawn by {self.method!r}; bake with method={self.method!r}"
            )
        return report.crowd_max - report.left_out + self._left_out + self.morph_error

    @property
    def morph_error(self) -> float:
        """How far morph targets that are not drawn move a vertex at most, model units; 0 where all are.

        An instance is drawn with the 8 active targets that move most. Faces end after the first of `levels`:
        coarser meshes, and impostors, have the default weights, so that with these the whole face counts; but
        not with the levels that are drawn when none are given, which are within half a pixel. Of the clips of
        the bake and of the weights that are set; as all errors without fades.
        """
        has_ends = len(self._meshes) > 1 + LAST_FACE and not self._meshes.are_default
        is_ended = has_ends or self._impostors is not None
        return self._faces.left_out(len(self), is_ended, lambda: self._stretch)

    @cached_property
    def _stretch(self) -> float:
        """How much longer skinning makes a difference at most, at the frames of the bake."""
        longest = 1.0
        for frames in frame_ranges(len(self._bake.texels)):
            matrices = self._bake.sample_frames(frames).matrices[..., :3, :3]
            longest = max(longest, float(np.linalg.norm(matrices, 2, axis=(-2, -1)).max(initial=0)))
        return longest

    @cached_property
    def _left_out(self) -> float:
        """How far leaving out influences moves a vertex at the frames of the bake, model units."""
        frames = len(self._bake.texels)
        palettes = map(self._bake.sample_frames, frame_ranges(frames))
        weights = None
        if self._bake.weights is not None and self._whole.morphs is not None:
            weights = map(self._bake.sample_morph_frames, frame_ranges(frames))
        return left_out_distance(self._whole, self.influences, palettes, self._bake.method, weights)

    # What a stage calls: see `Drawable`.

    @property
    def context(self) -> GlContext:
        """The context that holds the buffers."""
        return self._context

    @property
    def size(self) -> float:
        """The character's size, world units."""
        shown = self._shown()
        scale = float(np.median(shown["scale"])) if len(shown) else 1.0
        return float(self._bake.size) * scale

    def points(self) -> NDArray[np.float64]:
        """Return the corners of the boxes of all instances that are not hidden, ``(8 n, 3)``."""
        self._check_instances()
        boxes = self._bounds.placed(self._shown(), self._beyond[self.instances["tint"][:, 3] != 0])
        return boxes.corners().reshape(-1, 3)

    def ground(self) -> float:
        """Return the world y of the ground: the median of the instances' lower ends."""
        shown = self._shown()
        if not len(shown):
            return 0.0
        boxes = self._bounds.placed(shown)
        return float(np.median(boxes.centers[:, 1] - np.abs(boxes.axes[:, :, 1]).sum(axis=1)))

    def _shown(self) -> NDArray[Any]:
        """Return the instances that are not hidden."""
        shown: NDArray[Any] = self.instances[self.instances["tint"][:, 3] != 0]
        return shown

    @property
    def _beyond(self) -> NDArray[np.float64]:
        """How far vertices may lie outside the bounds of the clips, ``(count,)``, model units."""
        return self._faces.beyond_clips(len(self), lambda: self._stretch)

    def prepare(self, view: Mapping[str, Any]) -> None:
        """Upload the visible instances and mix their palettes; the context must be current."""
        if self._released:
            raise GpuError("Crowd: this crowd was released; make a new one")
        self._check_instances()
        boxes = self._bounds.placed(self.instances, self._beyond)
        drawn = visible(boxes, view)
        drawn = drawn.only(self.instances["tint"][drawn.which, 3] != 0)
        per_batch = max(1, BATCH_TEXELS // max(1, self._row_count * self._stride))
        self._pose_defines = self._poses.defines
        if not ((self.instances["next_clip"] != NO_CLIP) & (self.instances["fade"] > 0)).any():
            self._pose_defines |= {"WITHOUT_FADES": 1}
        if not self.interpolate:
            self._pose_defines |= {"WITHOUT_INTERPOLATION": 1}
        self._drawn = []
        self._drop_placed()
        self._meshes.fit(drawn.pixels)
        for members, level, in_picture in groups(drawn, self._meshes.limits, self._impostor_pixels):
            if level < 0:
                assert self._impostors is not None
                self._placed = self._impostors._uploaded(self.instances[drawn.which[members]], view)
                continue
            which = drawn.which[members]
            records, attributes = self._records(self.instances[which])
            times = records[:, 0]
            faces = None
            if level <= LAST_FACE:
                faces = self._faces.drawn(len(self), which, times[:, 0], times[:, 1], times[:, 2])
            lists = None if faces is None else weight_lists(faces)
            shadow = self._meshes.shadow_of(level)
            for first in range(0, len(members), per_batch):
                part = np.s_[first : first + per_batch]
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
        if self._mirrors is None:
            self._mirrors = mirrors(self._bake)
        return self._mirrors or None  # mirroring swaps front and back faces

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
        if self._released or self._context.released:
            return
        self._released = True
        self._poses.release()
        with self._context:
            self._drop_placed()
            for batch in self._batches:
                batch.release()
            self._meshes.release()

    def _drop_placed(self) -> None:
        if self._placed is not None:
            self._placed.release()
            self._placed = None

    @property
    def _stride(self) -> int:
        """Texels of a palette row: see palette.glsl."""
        if self.method == "linear":
            return 3
        return 5 if self._bake.layout == "dual_quat" and self._bake.texels.shape[2] > 2 else 2

    @property
    def _uniforms(self) -> dict[str, int]:
        return {"row_count": self._row_count, **self._poses.uniforms}

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

    def _records(self, instances: NDArray[Any]) -> tuple[NDArray[np.float32], NDArray[Any]]:
        """Return what crowd.glsl reads of instances for palettes, and what crowd.vert does."""
        records = np.zeros((len(instances), INSTANCE_TEXELS, 4), np.float32)
        records[:, 0, 0] = self._frames_of(instances["clip"], instances["time"])
        records[:, 0, 1] = self._next_frames_of(instances, records[:, 0, 0])
        fading = instances["next_clip"] != NO_CLIP
        records[:, 0, 2] = np.where(fading, instances["fade"], 0)
        records[:, 0, 3] = instances["scale"]
        records[:, 1, 0] = instances["clip"]
        records[:, 1, 1] = np.where(fading, instances["next_clip"], instances["clip"])
        records[:, 2, :3] = instances["position"]
        records[:, 3] = unit_rotations(instances)
        attributes = np.zeros(len(instances), SHOWN_DTYPE)
        attributes["tint"] = instances["tint"]
        attributes["scale"] = instances["scale"]
        return records, attributes

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
            batch.mix(program, self._uniforms, len(records) * self._row_count * self._stride)
        return batch


def _float_targets(gl: moderngl.Context) -> bool:
    """Return whether this driver draws into single precision textures."""
    moderngl = require("moderngl", "gl", "drawing")
    texture = float_texture(gl, (4, 4), 4, "f4", "a test")
    try:
        gl.framebuffer(texture).release()
    except (moderngl.Error, GpuError):
        return False
    finally:
        texture.release()
    return True
