# SPDX-License-Identifier: MIT
"""Skinning as tutorials write it, with palettes in uniform arrays: small programs to read and to measure.

The shaders are in ``shaders/teaching``. Nothing in lissom draws with them: `SkinnedModel` reads palettes from
textures, which hold any number of joints and need no matrix product per vertex. `uniform_budget` counts how
many joints fit here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lissom._base.arrays import as_numbers
from lissom._rig.mesh import Mesh
from lissom.errors import GpuError
from lissom.gpu._arguments import context_of
from lissom.gpu._context import column_major_bytes, set_uniforms
from lissom.gpu._deformed import OUTPUTS, GpuDeformed, read_back

if TYPE_CHECKING:
    import moderngl
    from numpy.typing import ArrayLike, NDArray

    from lissom.gpu._stage import Stage

__all__ = ["LESSONS", "UniformModel"]


class Lesson(NamedTuple):
    """A program of ``shaders/teaching``.

    Attributes
    ----------
    shader : str
        File name.
    uniforms : tuple of str
        Names of its arrays: the pose, and the inverse bind if the shader multiplies the two.
    row_shape : tuple of int
        Shape of a joint's entry in each array.
    two_bones : bool
        Whether it is for two joints only.
    """

    shader: str
    uniforms: tuple[str, ...]
    row_shape: tuple[int, ...]
    two_bones: bool


#: The programs by name.
LESSONS = {
    "two_bone_matrices": Lesson("two_bone_matrices.vert", ("bones",), (4, 4), two_bones=True),
    "two_bone_dual_quats": Lesson("two_bone_dual_quats.vert", ("bones",), (8,), two_bones=True),
    "matrix_palette": Lesson("matrix_palette.vert", ("pose", "inverse_bind"), (4, 4), two_bones=False),
    "dual_quat_palette": Lesson("dual_quat_palette.vert", ("pose", "inverse_bind"), (8,), two_bones=False),
    "quat_trans_palette": Lesson("quat_trans_palette.vert", ("pose",), (8,), two_bones=False),
}


class UniformModel:
    """A mesh skinned by one of the teaching programs, by transform feedback.

    Parameters
    ----------
    mesh : Mesh
        With at most 4 influences per vertex, used in the mesh's order; of 2 joints for the two-bone programs.
    lesson : str
        One of `LESSONS`.
    stage : Stage, optional
        Whose context to use; the process's own when omitted.
    as_published : bool
        Do as the tutorials do. Signs are tested before the product with the inverse bind, and against the
        first influence whatever its weight (``"dual_quat_palette"``), or not at all
        (``"two_bone_dual_quats"``): wrong on purpose, to show the effect. The camera's matrices follow,
        multiplied from the left: slow on purpose. Normals are not normalised.

    Raises
    ------
    TypeError
        If `mesh` is not a Mesh.
    ValueError
        If the lesson does not exist, or the mesh has too many joints or influences for it.
    GpuError
        If the driver has too few uniform registers for the mesh's joints, or cannot draw at all.
    """

    def __init__(
        self, mesh: Mesh, lesson: str, *, stage: Stage | None = None, as_published: bool = False
    ) -> None:
        if not isinstance(mesh, Mesh):
            raise TypeError(f"UniformModel: mesh must be a Mesh, got {type(mesh).__name__}")
        if lesson not in LESSONS:
            raise ValueError(f"UniformModel: lesson must be one of {', '.join(LESSONS)}, got {lesson!r}")
        self._lesson = LESSONS[lesson]
        self._vertex_count = mesh.vertex_count
        self._joint_count = 2 if self._lesson.two_bones else max(1, mesh.row_count)
        vertices = self._vertices(mesh)
        self._context = context_of(stage, "UniformModel")
        registers = self._joint_count * len(self._lesson.uniforms) * int(np.prod(self._lesson.row_shape)) // 4
        if registers > self._context.uniform_registers:
            raise GpuError(
                f"UniformModel: {self._joint_count} joints of {lesson} take {registers} uniform registers, "
                f"but this driver has {self._context.uniform_registers}; SkinnedModel has no such limit"
            )
        defines = {"JOINT_COUNT": self._joint_count} | ({"AS_PUBLISHED": 1} if as_published else {})
        with self._context as gl:
            self._program = self._context.program(
                f"teaching/{self._lesson.shader}", varyings=OUTPUTS, defines=defines
            )
            everywhere = dict.fromkeys(("model", "view", "projection"), np.eye(4))
            set_uniforms(self._program, **everywhere)  # as published: with camera matrices
            self._buffer = gl.buffer(vertices.tobytes() or bytes(vertices.itemsize))
            formats = "3f4 3f4 2f4" if self._lesson.two_bones else "3f4 3f4 4u4 4f4"
            self.vertex_array = gl.vertex_array(
                self._program, [(self._buffer, formats, *(vertices.dtype.names or ()))]
            )

    def __enter__(self) -> UniformModel:
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()

    def _vertices(self, mesh: Mesh) -> NDArray[np.void]:
        """Return position, normal and influences; of two bones the weights are enough, in order."""
        limit = 2 if self._lesson.two_bones else 4
        if self._lesson.two_bones and mesh.row_count > 2:
            raise ValueError(f"UniformModel: mesh must be bound to at most 2 joints, got {mesh.row_count}")
        width = mesh.weights.shape[1]
        if not self._lesson.two_bones and width > limit:
            raise ValueError(f"UniformModel: mesh must have at most {limit} influences, got {width}")
        rows = [] if self._lesson.two_bones else [("rows", "<u4", 4)]
        fields = [("position", "<f4", 3), ("normal", "<f4", 3), *rows, ("weights", "<f4", limit)]
        vertices = np.zeros(self._vertex_count, np.dtype(fields))
        vertices["position"] = mesh.positions
        vertices["normal"] = mesh.computed_normals() if mesh.normals is None else mesh.normals
        if self._lesson.two_bones:
            for bone in range(2):
                vertices["weights"][:, bone] = np.where(mesh.indices == bone, mesh.weights, 0).sum(axis=1)
        else:
            vertices["rows"][:, :width] = np.where(mesh.indices < self._joint_count, mesh.indices, 0)
            vertices["weights"][:, :width] = mesh.weights
        return vertices

    def set_palette(self, *arrays: ArrayLike) -> None:
        """Fill the uniform arrays.

        Parameters
        ----------
        *arrays : array_like, shape (S, 4, 4) or (S, 8)
            Those of the lesson, in its order: the pose, then the inverse bind if it takes one; S at least
            the mesh's ``row_count``. Matrices are row-major; dual quaternions real, dual; quaternions and
            translations as in `Palette.quat_trans`.

        Raises
        ------
        ValueError
            If the number of arrays or a shape does not fit.
        """
        names, shape = self._lesson.uniforms, (self._joint_count, *self._lesson.row_shape)
        if len(arrays) != len(names):
            expected = " and ".join(names)
            raise ValueError(f"UniformModel.set_palette: arrays must be {expected}, got {len(arrays)} arrays")
        for name, values in zip(names, arrays, strict=True):
            rows = np.asarray(as_numbers(values, f"UniformModel.set_palette: {name}"), np.float32)
            if rows.shape[1:] != shape[1:] or len(rows) < shape[0]:
                raise ValueError(
                    f"UniformModel.set_palette: {name} must have shape {shape} or more rows, got {rows.shape}"
                )
            rows = rows[: shape[0]]
            with self._context:
                is_matrix = len(self._lesson.row_shape) == 2
                data = column_major_bytes(rows) if is_matrix else np.ascontiguousarray(rows).tobytes()
                uniform: moderngl.Uniform = self._program[name]  # type: ignore[assignment]
                uniform.write(data)

    def deformed(self, *arrays: ArrayLike) -> GpuDeformed:
        """Skin and read the vertices back.

        Parameters
        ----------
        *arrays
            As in `set_palette`.

        Returns
        -------
        GpuDeformed
            Positions and normals, model space, each ``(V, 3)`` float32.
        """
        self.set_palette(*arrays)
        with self._context as gl:
            return read_back(gl, self.vertex_array, self._vertex_count)

    def release(self) -> None:
        """Free the buffers."""
        if self._context.is_in_reach:
            with self._context:
                self.vertex_array.release()
                self._buffer.release()
