# SPDX-License-Identifier: MIT
"""The buffers and textures of one draw call of a crowd, reused from picture to picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.extras import require
from lissom.gpu._context import FOLD_WIDTH, GlContext, folded_height, set_uniforms
from lissom.gpu._folded_texture import FoldedTexture
from lissom.gpu._texture_units import TEXTURE_UNITS

if TYPE_CHECKING:
    from collections.abc import Mapping

    import moderngl
    from numpy.typing import NDArray

    from lissom.gpu._coverage import Cover
    from lissom.gpu._vertices import GpuMesh

__all__ = ["INSTANCE_TEXELS", "SHOWN_DTYPE", "CrowdBatch"]

INSTANCE_TEXELS = 4  # per instance, see crowd.glsl
SHOWN_DTYPE = np.dtype([("tint", "u1", 4), ("scale", "<f4"), ("number", "<u4")])
_SHOWN = ("4f1 1f4 1u4/i", ("tint", "scale", "number"))


class CrowdBatch:
    """Instances drawn by one call: what the shaders read of them, and their palettes.

    Buffers only grow, to powers of two: a crowd of constant size allocates nothing.

    Parameters
    ----------
    context : GlContext
        Owns the buffers and textures.

    Attributes
    ----------
    instance_count : int
    is_morphed : bool
        Whether an instance has an active morph target.
    """

    def __init__(self, context: GlContext) -> None:
        self._context = context
        self.instance_count = 0
        self.is_morphed = False
        self._instances = FoldedTexture(context, "instances", "the instances of a crowd")
        self._palette = FoldedTexture(context, "palette", "the palettes of a crowd")
        self._morphs = FoldedTexture(context, "morph_weights", "weights of morph targets", "u4")
        self._morph_texels = 0
        self._shown: moderngl.Buffer | None = None
        self._attributes = np.zeros(0, SHOWN_DTYPE)
        self._is_reversed = False  # the farthest instance first
        self._target: moderngl.Framebuffer | None = None
        self._arrays: dict[tuple[int, int], moderngl.VertexArray] = {}

    def load(
        self, records: NDArray[np.float32], shown: NDArray[Any], morphs: NDArray[np.uint32] | None = None
    ) -> None:
        """Upload instances; the context must be current.

        Parameters
        ----------
        records : ndarray of float32, shape (n, INSTANCE_TEXELS, 4)
            What the pre-pass reads.
        shown : ndarray of `SHOWN_DTYPE`, shape (n,)
            What every vertex reads, the nearest first; numbered here.
        morphs : ndarray of uint32, shape (n, texels, 4), optional
            Active morph targets, as from `weight_lists`.
        """
        gl = self._context.gl
        self.instance_count = len(shown)
        if self._shown is None or self._shown.size < shown.nbytes:
            self._release(self._shown, *self._arrays.values())
            self._arrays.clear()
            self._shown = gl.buffer(reserve=_capacity(shown.nbytes))
        self._attributes = shown.copy()
        self._attributes["number"] = np.arange(len(shown))
        self._order(False, is_loaded=False)
        self._instances.write(records.reshape(-1, 4))
        self.is_morphed = morphs is not None
        if morphs is not None:
            self._morph_texels = morphs.shape[1]
            self._morphs.write(morphs.reshape(-1, 4))

    def mix(self, program: moderngl.Program, uniforms: Mapping[str, Any], texel_count: int) -> None:
        """Mix `texel_count` texels of palettes on the GPU; the pose texture must be bound."""
        moderngl = require("moderngl", "gl", "drawing")
        gl = self._context.gl
        previous = self._palette.texture
        palette = self._palette.reserve(texel_count)
        if palette is not previous or self._target is None:
            self._release(self._target)
            self._target = gl.framebuffer(palette)
        self._target.viewport = (0, 0, FOLD_WIDTH, folded_height(texel_count))
        self._target.use()
        gl.enable_only(moderngl.NOTHING)
        self._bind(program, uniforms)
        set_uniforms(program, texel_count=texel_count)
        array = gl.vertex_array(program, [])
        array.render(moderngl.TRIANGLES, vertices=3)
        array.release()

    def draw(
        self,
        program: moderngl.Program,
        mesh: GpuMesh,
        uniforms: Mapping[str, Any],
        two_sided: bool | None,
        moved: bool | None,
        cover: Cover | None = None,
    ) -> None:
        """Draw the instances, or of them what `moved` says and the pass `cover`, the nearest first.

        What is blended is drawn from the farthest on. The context must be current and the state set.
        """
        self._order(cover == "blended")
        self._bind(program, uniforms)
        self._bind_morphs(program, mesh)
        key = (program.glo, id(mesh))
        if key not in self._arrays:
            self._arrays[key] = self._array(program, mesh)
        mesh.draw(self._arrays[key], self.instance_count, two_sided=two_sided, moved=moved, cover=cover)

    def positions(
        self, program: moderngl.Program, mesh: GpuMesh, uniforms: Mapping[str, Any]
    ) -> NDArray[np.float32]:
        """Return the program's one varying, three numbers per vertex, ``(n, V, 3)``."""
        moderngl = require("moderngl", "gl", "drawing")
        self._bind(program, uniforms)
        self._bind_morphs(program, mesh)
        array = self._array(program, mesh, triangles=False)
        count = 3 * self.instance_count * mesh.vertex_count
        target = self._context.gl.buffer(reserve=max(12, 4 * count))
        array.transform(
            target, mode=moderngl.POINTS, vertices=mesh.vertex_count, instances=self.instance_count
        )
        values = np.frombuffer(target.read(), np.float32)[:count]
        self._release(array, target)
        return values.reshape(self.instance_count, mesh.vertex_count, 3)

    def release(self) -> None:
        """Free all; the context must be current."""
        own = self._shown, self._instances, self._target, self._palette, self._morphs
        self._release(*own, *self._arrays.values())
        self._arrays.clear()

    def _order(self, is_reversed: bool, is_loaded: bool = True) -> None:
        """Have the instances in the buffer from near to far, or the other way."""
        assert self._shown is not None
        if is_reversed == self._is_reversed and is_loaded:
            return
        self._shown.write(self._attributes[:: -1 if is_reversed else 1].tobytes())
        self._is_reversed = is_reversed

    def _array(
        self, program: moderngl.Program, mesh: GpuMesh, triangles: bool = True
    ) -> moderngl.VertexArray:
        assert self._shown is not None
        return mesh.vertex_array(program, (self._shown, *_SHOWN), triangles=triangles)

    def _bind(self, program: moderngl.Program, uniforms: Mapping[str, Any]) -> None:
        self._instances.use()
        self._palette.use()
        set_uniforms(program, **TEXTURE_UNITS, **uniforms)

    def _bind_morphs(self, program: moderngl.Program, mesh: GpuMesh) -> None:
        if self.is_morphed and mesh.morphs is not None:
            mesh.morphs.use()
            self._morphs.use()
            set_uniforms(program, **mesh.morphs.uniforms, morph_texels=self._morph_texels)

    @staticmethod
    def _release(*resources: Any) -> None:
        for resource in resources:
            if resource is not None:
                resource.release()


def _capacity(needed: int) -> int:
    """Return the smallest power of two that is at least `needed`, and at least 2."""
    return 1 << max(needed - 1, 1).bit_length()
