# SPDX-License-Identifier: MIT
"""A crowd as tutorials draw it: instances in uniform arrays, poses computed at every vertex.

A small program to read and to measure: `Crowd` draws the same picture from palettes computed once per
instance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._crowd.bounds import ClipBounds, unit_rotations
from lissom._crowd.instances import check_bake, check_dtype, check_instances
from lissom.clip._frames import frames_around
from lissom.errors import GpuError
from lissom.gpu._arguments import context_of
from lissom.gpu._context import GlContext, column_major_bytes, float_texture, set_uniforms
from lissom.gpu._texture_units import TEXTURE_UNITS
from lissom.gpu._vertices import GpuMesh

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import moderngl
    from numpy.typing import NDArray

    from lissom.gpu._stage import Stage
    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["UniformCrowd"]

ACTORS_PER_CALL = 80
"""Actors per draw call, as in the tutorial, or fewer if the driver has too few registers."""

REGISTERS_PER_ACTOR = 6  # position, rotation, scale, tint, frames and fraction
REGISTERS_PER_JOINT = 4  # the inverse bind


class UniformCrowd:
    """A baked character drawn many times by the teaching program ``shaders/teaching/crowd.vert``.

    Parameters
    ----------
    bake : PoseTexture
        In the layout ``"trs"``, with its mesh; skinned linearly, with at most 4 influences per vertex.
    instances : ndarray of `INSTANCE_DTYPE`, shape (N,)
        The actors, without cross-fades. Change them at any time.
    stage : Stage, optional
        Whose context to use; the process's own when omitted.
    as_published : bool
        Multiply matrices from the left, as the tutorial does: slow on purpose.
    step : float, optional
        Seconds to the next picture: blend towards the frame shown then, as the tutorial does, instead of
        towards the next frame. Wrong on purpose: if both are in one interval, nothing is blended.

    Raises
    ------
    TypeError
        If `bake` is not a PoseTexture, or `instances` have another dtype.
    ValueError
        If the bake has another layout or no mesh, or an instance plays a clip that does not exist.
    GpuError
        If the driver has too few uniform registers for the joints, or textures too small for the frames.
    """

    def __init__(
        self,
        bake: PoseTexture,
        instances: NDArray[Any],
        *,
        stage: Stage | None = None,
        as_published: bool = False,
        step: float | None = None,
    ) -> None:
        check_bake(bake, "UniformCrowd")
        if bake.layout != "trs" or bake.mesh is None:
            got = "no mesh" if bake.layout == "trs" else f"the layout {bake.layout!r}"
            raise ValueError(f"UniformCrowd: bake must have the layout 'trs' and a mesh, got {got}")
        self._bake = bake
        self._bounds = ClipBounds(bake)
        check_dtype(instances, "UniformCrowd")
        self.instances = instances
        self.step = step
        check_instances(instances, len(bake.clips), "UniformCrowd")
        self._context = context_of(stage, "UniformCrowd")
        skin = bake.skin
        assert skin is not None  # a layout of joints has one
        fit = (self._context.uniform_registers - REGISTERS_PER_JOINT * len(skin) - 8) // REGISTERS_PER_ACTOR
        if fit < 1:
            raise GpuError(
                f"UniformCrowd: {len(skin)} joints leave no uniform registers for an actor, this driver has "
                f"{self._context.uniform_registers}; Crowd has no such limit"
            )
        self._per_call = min(ACTORS_PER_CALL, fit)
        self._defines = {"JOINT_COUNT": len(skin), "INSTANCE_COUNT": self._per_call}
        self._defines |= {"AS_PUBLISHED": 1} if as_published else {}
        self._inverse_bind = column_major_bytes(skin.joint_from_bind)
        self._arrays: dict[str, moderngl.VertexArray] = {}
        self._mesh = GpuMesh(self._context, bake.mesh)
        # As in the tutorial: a column for each frame, three rows for each joint.
        lines = bake.texels[:, skin.joints].reshape(len(bake.texels), -1, 4)
        texels = np.ascontiguousarray(np.swapaxes(lines, 0, 1))
        with self._context as gl:
            dtype = "f2" if texels.dtype == np.float16 else "f4"
            size = (texels.shape[1], texels.shape[0])
            self._animation = float_texture(gl, size, 4, dtype, "UniformCrowd: the animation")
            self._animation.write(texels.tobytes())

    def __enter__(self) -> UniformCrowd:
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()

    def __len__(self) -> int:
        return len(self.instances)

    def frames(self) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return the two frames that each actor blends, ``(N, 2)``, and the second's weight, ``(N,)``."""
        now = self.instances
        clips = list(self._bake.clips.values())
        firsts = np.array([clip.first_frame for clip in clips])[now["clip"]]
        lasts = firsts + np.array([clip.frame_count - 1 for clip in clips])[now["clip"]]
        coordinate = self._bake.frame_coordinate(now["clip"], now["time"])
        first, second, fraction = frames_around(coordinate, firsts, lasts)
        if self.step is None:
            return np.stack([first, second], axis=1), fraction
        then = now["time"] + now["speed"].astype(np.float64) * self.step
        later = np.floor(self._bake.frame_coordinate(now["clip"], then))
        # After a loop has wrapped, the later frame has the lower index.
        span = np.where(later < first, later - first + (lasts - firsts), later - first)
        fraction = np.where(span > 0, (coordinate - first) / np.where(span > 0, span, 1), 1.0)
        return np.stack([first, later], axis=1).astype(np.int32), fraction.astype(np.float32)

    # What a stage calls: see `Drawable`.

    @property
    def context(self) -> GlContext:
        """The context that holds the buffers."""
        return self._context

    @property
    def size(self) -> float:
        """The character's size, world units."""
        scale = float(np.median(self.instances["scale"])) if len(self) else 1.0
        return float(self._bake.size) * scale

    def points(self) -> NDArray[np.float64]:
        """Return the corners of every actor's box, ``(8 N, 3)``."""
        return self._bounds.placed(self.instances).corners().reshape(-1, 3)

    def ground(self) -> float:
        """Return the world y of the ground: the median of the actors' lower ends."""
        return float(np.median(self.points().reshape(-1, 8, 3)[..., 1].min(axis=1))) if len(self) else 0.0

    def prepare(self, view: Mapping[str, Any]) -> None:
        """Check the instances; the tutorial uploads them with each draw call, visible or not."""
        check_instances(self.instances, len(self._bake.clips), "UniformCrowd")

    def draw(self, fragment: str, uniforms: Mapping[str, Any]) -> None:
        """Draw with a fragment program; the context must be current and the state set."""
        defines = {**self._defines, **self._mesh.surface_defines, "WITHOUT_HEAT": 1}
        program = self._context.program("teaching/crowd.vert", fragment, defines=defines)
        if fragment not in self._arrays:
            self._arrays[fragment] = self._mesh.vertex_array(program)
        set_uniforms(program, **uniforms, heated=False)
        for count in self._calls(program):
            self._mesh.draw(self._arrays[fragment], count)

    def deformed(self) -> NDArray[np.float32]:
        """Return the skinned vertices of all actors, ``(N, V, 3)``, world space, by transform feedback."""
        vertex_count = self._mesh.vertex_count
        results = [np.zeros((0, vertex_count, 3), np.float32)]
        with self._context as gl:
            program = self._context.program(
                "teaching/crowd.vert", varyings=("surface_position",), defines=self._defines
            )
            array = self._mesh.vertex_array(program, triangles=False)
            for count in self._calls(program):
                target = gl.buffer(reserve=12 * count * vertex_count)
                array.transform(target, mode=gl.POINTS, vertices=vertex_count, instances=count)
                results.append(np.frombuffer(target.read(), np.float32).reshape(count, vertex_count, 3))
                target.release()
            array.release()
        return np.concatenate(results)

    def _calls(self, program: moderngl.Program) -> Iterator[int]:
        """Set the uniforms of one draw call after another, and yield its number of actors."""
        self._animation.use(TEXTURE_UNITS["poses"])
        set_uniforms(program, **TEXTURE_UNITS, animation=TEXTURE_UNITS["poses"])
        _write(program, "inverse_bind", self._inverse_bind)
        frames, fractions = self.frames()
        now = self.instances
        values = {
            "actor_position": now["position"],
            "actor_rotation": unit_rotations(now).astype(np.float32),
            "actor_scale": now["scale"],
            "actor_tint": now["tint"][:, :3] / np.float32(255),
            "actor_frames": frames,
            "actor_fraction": fractions,
        }
        for first in range(0, len(now), self._per_call):
            part = slice(first, first + self._per_call)
            for name, array in values.items():
                padded = np.zeros((self._per_call, *array.shape[1:]), array.dtype)
                padded[: len(array[part])] = array[part]
                _write(program, name, padded.tobytes())
            yield len(now[part])

    def release(self) -> None:
        """Free the buffers and the texture."""
        if self._context.is_in_reach:
            with self._context:
                for array in self._arrays.values():
                    array.release()
                self._arrays = {}
                self._mesh.release()
                self._animation.release()


def _write(program: moderngl.Program, name: str, data: bytes) -> None:
    """Set a uniform array, unless the compiler removed it as unused."""
    uniform: Any = program.get(name, None)
    if uniform is not None:
        uniform.write(data)
