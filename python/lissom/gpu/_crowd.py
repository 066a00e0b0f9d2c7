# SPDX-License-Identifier: MIT
"""Many copies of one baked character, each with its own clip, time and place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom._base.extras import require
from lissom._base.methods import BAKED_METHODS, METHODS
from lissom._crowd.bounds import ClipBounds, seen, unit_rotations
from lissom._crowd.instances import NO_CLIP, check_bake, check_dtype, scattered, whole_count
from lissom.errors import GpuError
from lissom.gpu._context import GlContext, context_of, float_texture, set_uniforms
from lissom.gpu._crowd_batch import INSTANCE_TEXELS, SHOWN_DTYPE, CrowdBatch
from lissom.gpu._crowd_levels import checked_impostors, checked_levels, checked_mesh, groups
from lissom.gpu._crowd_playback import CrowdPlayback
from lissom.gpu._mirrors import mirrors
from lissom.gpu._pose_upload import PoseUpload
from lissom.gpu._vertices import TEXTURE_UNITS, GpuMesh, Influences

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import moderngl
    from numpy.typing import NDArray

    from lissom._rig.mesh import Mesh
    from lissom._rig.prepared_mesh import PreparedMesh
    from lissom.gpu._impostors import Impostors, PlacedImpostors
    from lissom.gpu._stage import Stage
    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["Crowd"]

BATCH_TEXELS = 1 << 22  # palettes of one batch: 64 MiB in single precision
INFLUENCE_COUNTS = (1, 2, 4)  # what `influences` may be


class _Drawn(NamedTuple):
    """A batch of this frame, the mesh it is drawn with, and that of its shadow, which may be coarser."""

    batch: CrowdBatch
    mesh: GpuMesh
    shadow: GpuMesh
    in_picture: bool


class Crowd(CrowdPlayback):
    """A baked character, drawn many times.

    Time becomes frame coordinates on the CPU, in double. On the GPU the two frames around each coordinate,
    and those of a clip that is faded to, are mixed once per instance and palette row into a texture of
    palettes, from which every vertex then reads two texels per influence. Instances outside the picture are
    neither mixed nor drawn. :doc:`/concepts/crowds` says more.

    Parameters
    ----------
    bake : PoseTexture
        Any layout, any type of texels; `lissom.bake` makes one of a character.
    count : int
        How many instances; `scattered` places them.
    stage : Stage, optional
        Whose context holds the buffers; the process's own when omitted, as for a stage. Every stage of that
        context can draw it.
    mesh : Mesh or PreparedMesh, optional
        What to draw where the bake carries none.
    method : {"linear", "dual_quat"}, optional
        Skinning method, one of the bake's `methods`; the bake's own when omitted.
    instances : ndarray of `INSTANCE_DTYPE`, shape (count,), optional
        Instead of `scattered` ones; copied.
    spacing, seed
        As for `scattered`.
    direct : bool, optional
        Read the pose texture at every vertex instead: slower, but it needs no float target. True where there
        are none.
    influences : {1, 2, 4}, optional
        Only so many influences per vertex, the heaviest, scaled to sum to 1; up to 8 when omitted.
    interpolate : bool, optional
        Whether to go from frame to frame smoothly; False takes the nearer one, which steps visibly.
    levels : sequence of (Mesh or PreparedMesh, float), optional
        Levels of detail: meshes with the bake's palette rows, each used below a height in pixels that an
        instance's box has on the picture. `levels_of_detail` makes them. Shadows are drawn one level coarser.
    impostors : tuple of (Impostors, float), optional
        What is drawn below a height in pixels, and that height. The impostors are left to their owner.
    two_sided : bool, optional
        Whether faces are seen from behind, too. When omitted, unless they belong to a closed piece of the
        mesh, whose inside nobody sees, and the bake mirrors nothing: on software rendering that takes up to
        a third of the time off.

    Attributes
    ----------
    instances : ndarray of `INSTANCE_DTYPE`, shape (count,)
        Change them at any time, in place.
    root_motion : bool
        Whether `update` moves instances as their clips' root motion says, where the bake has it. False at
        first.
    method : {"linear", "dual_quat"}
        Skinning method; set it at any time.
    direct : bool
        Whether palettes are mixed per vertex.
    interpolate, two_sided
        As above; set them at any time.

    Raises
    ------
    TypeError
        If `bake` is none, `count` is no whole number, or `instances` have another dtype.
    ValueError
        If the bake cannot drive the method, there is no mesh or it wants more palette rows, an instance plays
        no clip of the bake, or another argument does not fit.
    GpuError
        When the pose texture is larger than the driver allows.

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
        levels: Sequence[tuple[Mesh | PreparedMesh, float]] = (),
        impostors: tuple[Impostors, float] | None = None,
        two_sided: bool | None = None,
    ) -> None:
        check_bake(bake, "Crowd")
        count = whole_count(count, "Crowd")
        if instances is not None:
            check_dtype(instances, "Crowd")
            if instances.shape != (count,):
                raise ValueError(f"Crowd: instances: expected shape ({count},), got {instances.shape}")
        if influences is not None and influences not in INFLUENCE_COUNTS:
            known = ", ".join(map(str, INFLUENCE_COUNTS))
            raise ValueError(f"Crowd: influences: expected one of {known} or None, got {influences!r}")
        if mesh is None and bake.mesh is None:
            raise ValueError("Crowd: mesh: this bake carries none; pass the character's, or bake with it")
        whole = checked_mesh(bake.mesh if mesh is None else mesh, "Crowd: mesh")
        finer = checked_levels(levels, "Crowd")
        self._limits = [pixels for _, pixels in finer]
        self._impostors, self._impostor_pixels = checked_impostors(impostors, "Crowd")
        self._context = context_of(stage, "Crowd")
        if self._impostors is not None:
            self._impostors._check(bake, self._context, "Crowd")
        self._released = False
        self.two_sided = two_sided
        scatter = scattered(bake, count, spacing=spacing, seed=seed) if instances is None else instances
        super().__init__(bake, scatter, interpolate)
        self.method = method or bake.method
        self._bounds = ClipBounds(bake)
        self._mirrors: bool | None = None  # found out when it matters
        most = 8 if influences is None else influences
        meshes = [whole, *(mesh for mesh, _ in finer)]
        self._meshes = [GpuMesh(self._context, mesh, packed=True, most=most) for mesh in meshes]
        # Palettes need no more rows than are drawn: those of sockets lie behind.
        self._row_count = 1 + max(int(mesh.influences.rows.max(initial=0)) for mesh in self._meshes)
        if self._row_count > bake.palette_row_count:
            raise ValueError(
                f"Crowd: mesh: expected palette rows below {bake.palette_row_count}, "
                f"got {self._row_count - 1}"
            )
        self._batches: list[CrowdBatch] = []
        self._drawn: list[_Drawn] = []
        self._placed: PlacedImpostors | None = None
        self._poses = PoseUpload(bake, stage=stage)
        self._pose_defines = self._poses.defines
        with self._context as gl:
            self.direct = not _float_targets(gl) if direct is None else direct

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
        if method not in BAKED_METHODS:
            raise ValueError(f"Crowd: method: expected one of {', '.join(BAKED_METHODS)}, got {method!r}")
        if method not in self._bake.methods:
            raise ValueError(
                f"Crowd: method: expected {' or '.join(self._bake.methods)}, which is what this bake in the "
                f"layout {self._bake.layout!r} drives, got {method!r}"
            )
        self._method = method

    @property
    def influences(self) -> Influences:
        """The influences as drawn: at most 8, weights in 1/255."""
        return self._meshes[0].influences

    # What a stage asks of whatever it draws.

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
        return self._bounds.placed(self._shown()).corners().reshape(-1, 3)

    def ground(self) -> float:
        """Return the height that most of the instances stand on."""
        shown = self._shown()
        if not len(shown):
            return 0.0
        boxes = self._bounds.placed(shown)
        return float(np.median(boxes.centers[:, 1] - np.abs(boxes.axes[:, :, 1]).sum(axis=1)))

    def _shown(self) -> NDArray[Any]:
        """Return the instances that are not hidden."""
        shown: NDArray[Any] = self.instances[self.instances["tint"][:, 3] != 0]
        return shown

    def prepare(self, view: Mapping[str, Any]) -> None:
        """Upload the instances in view and mix their palettes; the context must be current."""
        if self._released:
            raise GpuError("Crowd: this crowd was released; make a new one")
        self._check_instances()
        found = seen(self._bounds.placed(self.instances), view, heights=self._has_levels)
        found = found.only(self.instances["tint"][found.which, 3] != 0)
        per_batch = max(1, BATCH_TEXELS // max(1, self._row_count * self._stride))
        self._pose_defines = self._poses.defines
        if not ((self.instances["next_clip"] != NO_CLIP) & (self.instances["fade"] > 0)).any():
            self._pose_defines |= {"WITHOUT_FADES": 1}
        if not self.interpolate:
            self._pose_defines |= {"WITHOUT_INTERPOLATION": 1}
        self._drawn = []
        self._drop_placed()
        for members, level, in_picture in groups(found, self._limits, self._impostor_pixels):
            if level < 0:
                assert self._impostors is not None
                self._placed = self._impostors._uploaded(self.instances[found.which[members]], view)
                continue
            records, attributes = self._records(self.instances[found.which[members]])
            shadow = self._meshes[min(level + 1, len(self._meshes) - 1)]
            for first in range(0, len(members), per_batch):
                part = np.s_[first : first + per_batch]
                batch = self._loaded(records[part], attributes[part])
                self._drawn.append(_Drawn(batch, self._meshes[level], shadow, in_picture))

    def draw(self, fragment: str, uniforms: Mapping[str, Any]) -> None:
        """Draw with a fragment program; the context must be current and the state set."""
        is_picture = fragment == "surface.frag"
        two_sided = self.two_sided if is_picture else True
        if two_sided is None:
            if self._mirrors is None:
                self._mirrors = mirrors(self._bake)
            two_sided = self._mirrors or None  # what is mirrored shows its faces from behind
        for batch, mesh, shadow, in_picture in self._drawn:
            if is_picture and not in_picture:
                continue
            drawn = mesh if is_picture else shadow
            program = self._program(drawn, fragment)
            self._use_poses()
            set_uniforms(program, **uniforms, heated=False)
            batch.draw(program, drawn, self._uniforms, two_sided)
        if self._placed is not None:
            self._placed.draw(fragment, uniforms)

    def deformed(self) -> NDArray[np.float32]:
        """Return where the vertices of all shown instances lie, by transform feedback.

        Returns
        -------
        ndarray of float32, shape (count, V, 3)
            World space, of the whole mesh, whatever `levels` there are.

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
                program = self._program(mesh, "nothing.frag", varyings=("surface_position",))
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
            for mesh in self._meshes:
                mesh.release()

    @property
    def _has_levels(self) -> bool:
        return bool(self._limits) or self._impostors is not None

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

    def _program(self, mesh: GpuMesh, fragment: str, varyings: tuple[str, ...] = ()) -> moderngl.Program:
        defines = {
            "INFLUENCE_COUNT": mesh.used_influence_count,
            "PALETTE_STRIDE": self._stride,
            "SKINNING_METHOD": METHODS.index(self.method),
            "WITHOUT_HEAT": 1,
            **mesh.surface_defines,
        }
        if self.direct:
            defines |= {"POSE_DIRECT": 1, **self._pose_defines}
        return self._context.program("crowd.vert", fragment, varyings=varyings, defines=defines)

    def _use_poses(self) -> None:
        self._poses.use(TEXTURE_UNITS["poses"], TEXTURE_UNITS["ranges"], TEXTURE_UNITS["rig"])

    def _records(self, instances: NDArray[Any]) -> tuple[NDArray[np.float32], NDArray[Any]]:
        """Return what the pre-pass, and what every vertex reads of instances: see crowd.glsl, crowd.vert."""
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

    def _loaded(self, records: NDArray[np.float32], attributes: NDArray[Any]) -> CrowdBatch:
        """Return the next batch of this frame with instances in it, and their palettes."""
        if len(self._drawn) == len(self._batches):
            self._batches.append(CrowdBatch(self._context))
        batch = self._batches[len(self._drawn)]
        batch.load(records, attributes)
        if not self.direct:
            defines = {"PALETTE_STRIDE": self._stride, **self._pose_defines}
            program = self._context.program("screen.vert", "crowd_palette.frag", defines=defines)
            self._use_poses()
            batch.mix(program, self._uniforms, len(records) * self._row_count * self._stride)
        return batch


def _float_targets(gl: moderngl.Context) -> bool:
    """Whether this driver draws into single precision textures."""
    moderngl = require("moderngl", "gl", "drawing")
    texture = float_texture(gl, (4, 4), 4, "f4", "a test")
    try:
        gl.framebuffer(texture).release()
    except (moderngl.Error, GpuError):
        return False
    finally:
        texture.release()
    return True
