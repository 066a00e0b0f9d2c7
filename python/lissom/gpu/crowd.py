# SPDX-License-Identifier: MIT
"""Many copies of one baked character, each with its own clip, time and place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom._extras import require
from lissom._methods import BAKED_METHODS, METHODS
from lissom._names import unknown_name
from lissom._numbers import check_number
from lissom.errors import GpuError
from lissom.gpu.context import (
    FOLD_WIDTH,
    GlContext,
    context_of,
    float_texture,
    folded_height,
    set_uniforms,
    write_folded,
)
from lissom.gpu.crowd_clock import ClipClock
from lissom.gpu.crowd_view import ClipBounds, seen, unit_rotations
from lissom.gpu.instances import (
    NO_CLIP,
    check_bake,
    check_dtype,
    check_instances,
    play_at_random,
    scattered,
    whole_count,
)
from lissom.gpu.vertices import TEXTURE_UNITS, GpuMesh, Influences
from lissom.mesh import Mesh
from lissom.prepared_mesh import PreparedMesh

if TYPE_CHECKING:
    from collections.abc import Mapping

    import moderngl
    from numpy.typing import NDArray

    from lissom.gpu.stage import Stage
    from lissom.pose_texture import PoseTexture

__all__ = ["Crowd"]

BATCH_TEXELS = 1 << 22  # palettes of one batch: 64 MiB in single precision

# What the shaders read of an instance.
_PLACED_DTYPE = np.dtype(
    [("place_and_scale", "<f4", 4), ("rotation", "<f4", 4), ("tint", "u1", 4), ("frame", "<f4")]
)
_PLACED = "4f4 4f4 4f1 1f4/i"
_PLACED_NAMES = ("place_and_scale", "rotation", "tint", "frame")


class _Batch(NamedTuple):
    """Instances drawn by one call, and the palettes they read."""

    instance_count: int
    placed: moderngl.Buffer
    palette: moderngl.Texture | None
    target: moderngl.Framebuffer | None
    arrays: dict[str, moderngl.VertexArray]


class Crowd:
    """A baked character, drawn many times.

    Time becomes frame coordinates on the CPU, in double. On the GPU the two frames around each coordinate are
    mixed once per instance and palette row into a texture of palettes, from which every vertex then reads two
    texels per influence. Instances outside the picture are neither mixed nor drawn.

    Parameters
    ----------
    bake : PoseTexture
        In the layout ``"dual_quat"``; `lissom.bake` makes one of a character.
    count : int
        How many instances; `scattered` places them.
    stage : Stage, optional
        Whose context holds the buffers; the process's own when omitted, as for a stage. Every stage of that
        context can draw it.
    mesh : Mesh or PreparedMesh, optional
        What to draw where the bake carries none.
    method : {"linear", "dual_quat"}, optional
        Skinning method; the bake's own when omitted.
    instances : ndarray of `INSTANCE_DTYPE`, shape (count,), optional
        Instead of `scattered` ones; copied.
    spacing, seed
        As for `scattered`.
    direct : bool, optional
        Read the pose texture at every vertex instead: slower, but it needs no float target. True where there
        are none.

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

    Raises
    ------
    TypeError
        If `bake` is none, `count` is no whole number, or `instances` have another dtype.
    ValueError
        If the bake has another layout, there is no mesh or it wants more palette rows, an instance plays no
        clip of the bake, or another argument does not fit.
    GpuError
        When the pose texture is larger than the driver allows.
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
    ) -> None:
        check_bake(bake, "Crowd")
        count = whole_count(count, "Crowd")
        self._check(bake, count, instances)
        mesh = bake.mesh if mesh is None else mesh
        if mesh is None:
            raise ValueError("Crowd: mesh: this bake carries no mesh; pass the character's")
        if isinstance(mesh, PreparedMesh):
            mesh = mesh._results
        if not isinstance(mesh, Mesh):
            raise TypeError(f"Crowd: mesh: expected a Mesh, got {type(mesh).__name__}")
        self._context = context_of(stage, "Crowd")
        self._bake = bake
        self.root_motion = False
        self._released = False
        self.method = method or bake.method
        scatter = scattered(bake, count, spacing=spacing, seed=seed) if instances is None else instances
        self.instances = scatter.copy()
        self._row_count = bake.texels.shape[1]
        self._clock = ClipClock(bake)
        self._bounds = ClipBounds(bake)
        self._check_instances()
        self._mesh = GpuMesh(self._context, mesh, packed=True)
        if int(self._mesh.influences.rows.max(initial=0)) >= self._row_count:
            raise ValueError(
                f"Crowd: mesh: expected palette rows below {self._row_count}, "
                f"got {self._mesh.influences.rows.max()}"
            )
        self._batches: list[_Batch] = []
        with self._context as gl:
            half = bake.texels.dtype == np.float16
            texels = bake.texels.reshape(-1, 4)
            size = (FOLD_WIDTH, folded_height(len(texels)))
            self._poses = float_texture(gl, size, 4, "f2" if half else "f4", "the pose texture")
            write_folded(self._poses, texels)
            self._frames: moderngl.Texture | None = None
            self.direct = not _float_targets(gl) if direct is None else direct

    @staticmethod
    def _check(bake: PoseTexture, count: int, instances: NDArray[Any] | None) -> None:
        if bake.layout != "dual_quat":
            raise ValueError(f"Crowd: bake: expected the layout dual_quat, got {bake.layout!r}")
        if instances is not None:
            check_dtype(instances, "Crowd")
            if instances.shape != (count,):
                raise ValueError(f"Crowd: instances: expected shape ({count},), got {instances.shape}")

    def __enter__(self) -> Crowd:
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()

    def __repr__(self) -> str:
        released = ", released" if self._released else ""
        return (
            f"Crowd({len(self)} instances, {len(self._bake.clips)} clips, "
            f"{self._mesh.vertex_count} vertices, {self.method}{released})"
        )

    def __len__(self) -> int:
        return len(self.instances)

    @property
    def instances(self) -> NDArray[Any]:
        """The instances, of `INSTANCE_DTYPE`, ``(count,)``: change them at any time, in place."""
        return self._instances

    @instances.setter
    def instances(self, instances: NDArray[Any]) -> None:
        check_dtype(instances, "Crowd")
        self._instances = np.ascontiguousarray(instances)

    @property
    def method(self) -> str:
        """Skinning method, ``"linear"`` or ``"dual_quat"``; set it at any time."""
        return self._method

    @method.setter
    def method(self, method: str) -> None:
        if method not in BAKED_METHODS:
            raise ValueError(f"Crowd: method: expected one of {', '.join(BAKED_METHODS)}, got {method!r}")
        self._method = method

    @property
    def influences(self) -> Influences:
        """The influences as drawn: at most 8, weights in 1/255."""
        return self._mesh.influences

    def update(self, dt: float) -> None:
        """Let time pass: clips go on, wrapped where they loop; fades grow, and end; root motion moves.

        All is computed in double, without a loop over instances. A fade that is over makes the next clip the
        clip. Where `root_motion` is True, each instance moves and turns as its clips do, in a fade as both do
        by its weight.

        Parameters
        ----------
        dt : float
            Seconds since the last call. Each instance's own time goes on by `speed` times that. Negative goes
            back in time, but undoes no fade.

        Raises
        ------
        TypeError, ValueError
            If `dt` is no finite number, or an instance cannot be drawn: names the field and the instance.
        """
        dt = check_number(dt, "Crowd.update: dt")
        self._check_instances()
        self._clock.advance(self.instances, dt, self.root_motion)

    def randomize(self, seed: int = 0) -> None:
        """Give every instance a clip, a time in it and a speed of 0.9 to 1.1 at random; fades end.

        Places stay. The same seed gives the same crowd.
        """
        play_at_random(self._bake, self.instances, np.random.default_rng(seed))

    def fade_to(
        self,
        clip: str | int,
        duration: float,
        which: slice | NDArray[Any] | int = slice(None),
        *,
        at: float | None = None,
    ) -> None:
        """Fade instances from what they play to a clip.

        An instance that is in a fade already drops the clip that weighs less; the other it fades from. Unlike
        in `CrossFade`, where the fade goes on below, the pose jumps then.

        Parameters
        ----------
        clip : str or int
            Name, or index in the order of the bake's clips.
        duration : float
            Seconds, at least 0.
        which : slice, int, or array of int or bool, optional
            Instances; all when omitted.
        at : float, optional
            Seconds on the clip's time line at which it begins; its start when omitted.

        Raises
        ------
        TypeError, ValueError
            If there is no such clip, or a number is none or does not fit.
        IndexError
            If there is no such instance.
        """
        names = list(self._bake.clips)
        if isinstance(clip, str) and clip not in names:
            raise ValueError(f"Crowd.fade_to: {unknown_name('clip', clip, names)}")
        index = names.index(clip) if isinstance(clip, str) else whole_count(clip, "Crowd.fade_to: clip")
        if index >= len(names):
            raise ValueError(f"Crowd.fade_to: clip: expected 0 to {len(names) - 1}, got {index}")
        duration = check_number(duration, "Crowd.fade_to: duration", least=0)
        start = self._bake.clips[names[index]].start
        begin = start if at is None else check_number(at, "Crowd.fade_to: at")
        rows = np.atleast_1d(np.arange(len(self))[which])
        now = self.instances[rows]
        past_half = (now["next_clip"] != NO_CLIP) & (now["fade"] >= 0.5)
        now["clip"] = np.where(past_half, now["next_clip"], now["clip"])
        now["time"] = np.where(past_half, now["next_time"], now["time"])
        now["next_clip"] = index
        now["next_time"] = begin
        now["fade"] = 0
        now["fade_duration"] = duration
        self.instances[rows] = now

    def frames(self) -> NDArray[np.float32]:
        """Return every instance's frame coordinate in its clip, ``(count,)``, as the shaders get it.

        Raises
        ------
        ValueError
            If an instance cannot be drawn: names the field and the instance.
        """
        self._check_instances()
        return self._frames_of(self.instances, "clip", "time")

    def _frames_of(self, instances: NDArray[Any], clip: str, time: str) -> NDArray[np.float32]:
        return np.asarray(self._bake.frame_coordinate(instances[clip], instances[time]), np.float32)

    def _check_instances(self) -> None:
        check_instances(self.instances, len(self._bake.clips), "Crowd")

    # What a stage asks of whatever it draws.

    @property
    def context(self) -> GlContext:
        """The context that holds the buffers."""
        return self._context

    @property
    def size(self) -> float:
        """The character's size, world units."""
        scale = float(np.median(self.instances["scale"])) if len(self.instances) else 1.0
        return float(self._bake.size) * scale

    def points(self) -> NDArray[np.float64]:
        """Return the corners of every instance's box, ``(8 count, 3)``."""
        self._check_instances()
        return self._bounds.placed(self.instances).corners().reshape(-1, 3)

    def ground(self) -> float:
        """Return the height that most of the instances stand on."""
        if not len(self.instances):
            return 0.0
        boxes = self._bounds.placed(self.instances)
        return float(np.median(boxes.centers[:, 1] - np.abs(boxes.axes[:, :, 1]).sum(axis=1)))

    def prepare(self, view: Mapping[str, Any]) -> None:
        """Upload the instances in view and mix their palettes; the context must be current."""
        if self._released:
            raise GpuError("Crowd: this crowd was released; make a new one")
        self._check_instances()
        found = seen(self._bounds.placed(self.instances), view)
        chosen = self.instances[found.which]
        chosen = chosen[chosen["tint"][:, 3] != 0]
        placed = np.zeros(len(chosen), _PLACED_DTYPE)
        placed["place_and_scale"][:, :3] = chosen["position"]
        placed["place_and_scale"][:, 3] = chosen["scale"]
        placed["rotation"] = unit_rotations(chosen)
        placed["tint"] = chosen["tint"]
        placed["frame"] = self._frames_of(chosen, "clip", "time")
        self._drop_batches()
        per_batch = max(1, BATCH_TEXELS // max(1, self._row_count * self._stride))
        for first in range(0, len(placed), per_batch):
            self._batches.append(self._batch(placed[first : first + per_batch]))

    def draw(self, fragment: str, uniforms: Mapping[str, Any]) -> None:
        """Draw with a fragment program; the context must be current and the state set."""
        program = self._program(fragment)
        set_uniforms(program, **uniforms, heated=False)
        for batch in self._batches:
            self._bind(program, batch)
            if fragment not in batch.arrays:
                batch.arrays[fragment] = self._mesh.vertex_array(
                    program, (batch.placed, _PLACED, _PLACED_NAMES)
                )
            self._mesh.draw(batch.arrays[fragment], batch.instance_count)

    def deformed(self) -> NDArray[np.float32]:
        """Return where the vertices of all instances lie, by transform feedback.

        Returns
        -------
        ndarray of float32, shape (count, V, 3)
            World space.
        """
        vertex_count = self._mesh.vertex_count
        results = [np.zeros((0, vertex_count, 3), np.float32)]
        with self._context as gl:
            self.prepare({})
            program = self._program("nothing.frag", varyings=("surface_position",))
            for batch in self._batches:
                self._bind(program, batch)
                array = self._mesh.vertex_array(
                    program, (batch.placed, _PLACED, _PLACED_NAMES), triangles=False
                )
                target = gl.buffer(reserve=max(12, 12 * batch.instance_count * vertex_count))
                array.transform(target, mode=gl.POINTS, vertices=vertex_count, instances=batch.instance_count)
                values = np.frombuffer(target.read(), np.float32)
                results.append(
                    values[: 3 * batch.instance_count * vertex_count].reshape(batch.instance_count, -1, 3)
                )
                array.release()
                target.release()
        return np.concatenate(results)

    def release(self) -> None:
        """Free what the crowd holds on the GPU."""
        if self._released or self._context.released:
            return
        self._released = True
        with self._context:
            self._drop_batches()
            self._mesh.release()
            self._poses.release()
            if self._frames is not None:
                self._frames.release()

    @property
    def _stride(self) -> int:
        """Texels of a palette row: see palette.glsl."""
        if self.method == "linear":
            return 3
        return 2 if self._bake.texels.shape[2] == 2 else 5

    def _program(self, fragment: str, varyings: tuple[str, ...] = ()) -> moderngl.Program:
        defines = {
            "INFLUENCE_COUNT": self._mesh.used_influence_count,
            "PALETTE_STRIDE": self._stride,
            "SKINNING_METHOD": METHODS.index(self.method),
        }
        if self.direct:
            defines["POSE_DIRECT"] = 1
        return self._context.program("crowd.vert", fragment, varyings=varyings, defines=defines)

    def _bind(self, program: moderngl.Program, batch: _Batch) -> None:
        frame_count, row_count, texels_per_row, _ = self._bake.texels.shape
        self._poses.use(TEXTURE_UNITS["poses"])
        if batch.palette is not None:
            batch.palette.use(TEXTURE_UNITS["palette"])
        set_uniforms(
            program,
            **TEXTURE_UNITS,
            row_count=row_count,
            texels_per_row=texels_per_row,
            frame_count=frame_count,
            palette_stride=self._stride,
        )

    def _batch(self, placed: NDArray[Any]) -> _Batch:
        gl = self._context.gl
        buffer = gl.buffer(placed.tobytes())
        if self.direct:
            return _Batch(len(placed), buffer, None, None, {})
        texel_count = len(placed) * self._row_count * self._stride
        size = (FOLD_WIDTH, folded_height(texel_count))
        palette = float_texture(gl, size, 4, "f4", "the palettes of a crowd")
        batch = _Batch(len(placed), buffer, palette, gl.framebuffer(palette), {})
        self._mix(batch, placed["frame"], texel_count)
        return batch

    def _mix(self, batch: _Batch, frames: NDArray[np.float32], texel_count: int) -> None:
        """Run the pre-pass that writes the palettes of a batch."""
        moderngl = require("moderngl", "gl", "drawing")
        gl = self._context.gl
        height = folded_height(len(frames))
        if self._frames is None or self._frames.height < height:
            if self._frames is not None:
                self._frames.release()
            self._frames = float_texture(gl, (FOLD_WIDTH, height), 1, "f4", "the frames of a crowd")
        write_folded(self._frames, np.ascontiguousarray(frames)[:, None])
        self._frames.use(TEXTURE_UNITS["frames"])
        program = self._context.program("screen.vert", "crowd_palette.frag")
        self._bind(program, batch._replace(palette=None))
        set_uniforms(program, texel_count=texel_count)
        assert batch.target is not None
        batch.target.use()
        gl.enable_only(moderngl.NOTHING)
        array = gl.vertex_array(program, [])
        array.render(moderngl.TRIANGLES, vertices=3)
        array.release()

    def _drop_batches(self) -> None:
        for batch in self._batches:
            for resource in (*batch.arrays.values(), batch.target, batch.palette, batch.placed):
                if resource is not None:
                    resource.release()
        self._batches = []


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
