# SPDX-License-Identifier: MIT
"""Many instances of one baked character, each with its own clip, time and place."""

from __future__ import annotations

import logging
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.numbers import whole_number
from lissom._crowd.bounds import ClipBounds
from lissom._crowd.faces import Faces
from lissom._crowd.instances import NO_CLIP, check_bake, check_dtype, scattered
from lissom._lod.default_levels import LAST_FACE
from lissom.gpu._arguments import check_baked_method, context_of, drawn_mesh
from lissom.gpu._crowd_drawing import CrowdDrawing, Moments, checked_influence_count, has_float_targets
from lissom.gpu._crowd_levels import checked_impostors, checked_levels
from lissom.gpu._crowd_meshes import CrowdMeshes
from lissom.gpu._crowd_playback import CrowdPlayback
from lissom.gpu._mirrors import mirrors
from lissom.gpu._pose_upload import PoseUpload
from lissom.skinning._heaviest import MOST_INFLUENCES, frame_ranges, left_out_distance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lissom._crowd.bounds import Boxes
    from lissom._rig.mesh import Mesh
    from lissom._rig.prepared_mesh import PreparedMesh
    from lissom.gpu._crowd_drawing import PoseSource
    from lissom.gpu._impostors import Impostors
    from lissom.gpu._stage import Stage
    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["Crowd"]

logger = logging.getLogger("lissom.gpu")


class Crowd(CrowdPlayback, CrowdDrawing):
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

    _name = "Crowd"

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
        max_count = checked_influence_count(influences, "Crowd")
        self._whole = drawn_mesh(mesh, bake, "Crowd")
        coarser = None if levels is None else checked_levels(levels, "Crowd")
        self._impostors, self._impostor_pixels = checked_impostors(impostors, "Crowd")
        self._context = context_of(stage, "Crowd")
        if self._impostors is not None:
            self._impostors._check(bake, self._context, "Crowd")
        self.two_sided = two_sided
        CrowdDrawing.__init__(self)
        scatter = scattered(bake, count, spacing=spacing, seed=seed) if instances is None else instances
        CrowdPlayback.__init__(self, bake, scatter, interpolate, Faces(self._whole, bake, "Crowd"))
        self.method = method or bake.method
        self._bounds = ClipBounds(bake)
        self._meshes = CrowdMeshes(self._context, self._whole, coarser, max_count)
        if self._meshes.row_count > bake.palette_row_count:
            raise ValueError(
                f"Crowd: mesh must have palette rows below {bake.palette_row_count}, the bake's count, "
                f"got {self._meshes.row_count - 1}"
            )
        self._poses = self._uploaded(stage)
        self.direct = not has_float_targets(self._context) if direct is None else direct
        if influences is None and self._left_out:
            logger.warning(
                "Crowd: drawn with the %d heaviest of %d influences per vertex, "
                "which moves a vertex by up to %.3g model units (see max_error)",
                MOST_INFLUENCES,
                self._whole.influence_count,
                self._left_out,
            )

    def _uploaded(self, stage: Stage | None) -> PoseSource:
        """Return the poses of the bake on the GPU."""
        return PoseUpload(self._bake, stage=stage)

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

    @property
    def size(self) -> float:
        """The character's size, world units."""
        scales = self.instances["scale"][self._is_shown]
        return float(self._bake.size) * (float(np.median(scales)) if len(scales) else 1.0)

    # What the drawing asks for: see `CrowdDrawing`.

    def _boxes(self) -> Boxes:
        return self._bounds.placed(self.instances, self._beyond)

    def _standing_boxes(self) -> Boxes:
        return self._bounds.placed(self.instances)

    @property
    def _beyond(self) -> NDArray[np.float64]:
        """How far vertices may lie outside the bounds of the clips, ``(count,)``, model units."""
        return self._faces.beyond_clips(len(self), lambda: self._stretch)

    def _pose_constants(self) -> dict[str, int]:
        constants = self._poses.defines
        if not ((self.instances["next_clip"] != NO_CLIP) & (self.instances["fade"] > 0)).any():
            constants |= {"WITHOUT_FADES": 1}
        if not self.interpolate:
            constants |= {"WITHOUT_INTERPOLATION": 1}
        return constants

    def _moments(self, which: NDArray[np.intp]) -> Moments:
        instances = self.instances[which]
        frames = self._frames_of(instances["clip"], instances["time"])
        fading = instances["next_clip"] != NO_CLIP
        return Moments(
            frames,
            self._next_frames_of(instances, frames),
            np.where(fading, instances["fade"], np.float32(0)),
            instances["clip"],
            np.where(fading, instances["next_clip"], instances["clip"]),
        )

    def _weights(self, which: NDArray[np.intp], moments: Moments) -> NDArray[np.float32] | None:
        return self._faces.drawn(len(self), which, moments.frames, moments.next_frames, moments.fades)

    @cached_property
    def _is_mirrored(self) -> bool:
        return mirrors(self._bake)

    @property
    def _stride(self) -> int:
        if self.method == "linear":
            return 3
        return 5 if self._bake.layout == "dual_quat" and self._bake.texels.shape[2] > 2 else 2
