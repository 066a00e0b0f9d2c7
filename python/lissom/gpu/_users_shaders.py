# SPDX-License-Identifier: MIT
"""What a skinned model gives to shaders of users: constants, vertices, textures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lissom._base.extras import require
from lissom._base.numbers import whole_number
from lissom.errors import GpuError
from lissom.gpu._context import set_uniforms

if TYPE_CHECKING:
    import moderngl

    from lissom.gpu._context import GlContext
    from lissom.gpu._folded_texture import FoldedTexture
    from lissom.gpu._vertex_values import VertexValues
    from lissom.gpu._vertices import GpuMesh

__all__ = ["UsersShaders"]


class UsersShaders:
    """The part of a `SkinnedModel` that serves programs of users."""

    _context: GlContext
    _mesh: GpuMesh
    _values: VertexValues
    _texture: FoldedTexture
    _morph_texture: FoldedTexture

    def _upload(self) -> None:
        raise NotImplementedError

    def _defines(self) -> dict[str, int]:
        raise NotImplementedError

    @property
    def _is_morphed(self) -> bool:
        raise NotImplementedError

    @property
    def defines(self) -> dict[str, int]:
        """Constants that ``influences.glsl`` and ``morphed_vertex.glsl`` are compiled with for this model.

        They depend on the method, and on whether the pose has scales and morph targets act: compile again
        where they have changed.
        """
        with self._context:
            self._upload()
        return self._defines()

    def vertex_array(self, program: moderngl.Program) -> moderngl.VertexArray:
        """Return the mesh for a program of your own: call ``render()`` of it after `bind`.

        Parameters
        ----------
        program : moderngl.Program
            Of the model's context, as `lissom.gpu.program` makes it. Its inputs may be ``position``,
            ``normal`` (bind space), ``uv``, ``base_color`` (vec4, sRGB), and those of ``influences.glsl`` and
            ``morphed_vertex.glsl``.

        Returns
        -------
        moderngl.VertexArray
            Of indexed triangles, yours to release.

        Raises
        ------
        TypeError
            If it is no program.
        ValueError
            If it is of another context, or reads no input that the model has: its compiler leaves out what
            does not reach an output.
        GpuError
            If the model was released.

        Examples
        --------
        Normals as colours, in a context of your own:

        >>> import moderngl
        >>> gl = moderngl.create_context(standalone=True, backend="egl")
        >>> target = gl.simple_framebuffer((320, 180))
        >>> target.use()
        >>> gl.enable_only(gl.DEPTH_TEST)
        >>> hero = lissom.samples.humanoid()
        >>> with lissom.gpu.Stage(context=gl) as stage, lissom.gpu.SkinnedModel(hero, stage=stage) as model:
        ...     program = lissom.gpu.program(
        ...         gl,
        ...         '''
        ...         #include "influences.glsl"
        ...         in vec3 position;
        ...         in vec3 normal;
        ...         uniform highp sampler2D palette;
        ...         uniform mat4 clip_from_world;
        ...         out vec3 color;
        ...         void main() {
        ...           Skinned skinned = skin_vertex(palette, 0, position, normal);
        ...           color = 0.5 + 0.5 * skinned.normal;
        ...           gl_Position = clip_from_world * vec4(skinned.position, 1.0);
        ...         }
        ...         ''',
        ...         '''
        ...         in vec3 color;
        ...         out vec4 pixel;
        ...         void main() { pixel = vec4(color, 1.0); }
        ...         ''',
        ...         defines=model.defines,
        ...     )
        ...     camera = stage.camera(model).clip_from_world(320 / 180, 0.1, 100.0)
        ...     program["clip_from_world"].write(camera.T.astype("f4").tobytes())
        ...     triangles = model.vertex_array(program)
        ...     model.set_pose(hero.clips["walk"].sample(0.3))
        ...     model.bind(program)
        ...     triangles.render()
        >>> gl.release()
        """
        self._check_program(program, "SkinnedModel.vertex_array")
        with self._context:
            self._upload()
            entries = tuple(self._values.entries())
            known = {*self._mesh.attributes, *(name for _, _, names in entries for name in names)}
            if not known.intersection(program):
                raise ValueError(
                    f"SkinnedModel.vertex_array: program must read one of {', '.join(sorted(known))}, got "
                    f"{', '.join(sorted(program)) or 'no inputs'}; compilers leave out what reaches no output"
                )
            return self._mesh.vertex_array(program, *entries)

    def bind(self, program: moderngl.Program, *, unit: int = 0) -> None:
        """Bind the textures that a program of your own reads, and set its uniforms for them.

        Parameters
        ----------
        program : moderngl.Program
            Compiled with `defines`. Set are ``palette`` of a ``sampler2D``, and the uniforms of
            ``morphed_vertex.glsl``.
        unit : int
            First texture unit to use: one for the palette, three more while morph targets act.

        Raises
        ------
        TypeError, ValueError
            If `unit` is no whole number, negative, or beyond the driver's units; if `program` is none, is of
            another context, or reads none of the textures.
        GpuError
            If the model was released, or its context is not current.

        Examples
        --------
        As in `vertex_array`; a program that has textures of its own keeps their units:

        >>> import moderngl
        >>> gl = moderngl.create_context(standalone=True, backend="egl")
        >>> bar = lissom.samples.twisted_bar()
        >>> with lissom.gpu.Stage(context=gl) as stage, lissom.gpu.SkinnedModel(bar, stage=stage) as model:
        ...     program = lissom.gpu.program(
        ...         gl, "deformed.vert", defines=model.defines, varyings=["deformed_position"]
        ...     )
        ...     model.bind(program, unit=5)
        >>> program["palette"].value
        5
        >>> gl.release()
        """
        self._check_program(program, "SkinnedModel.bind")
        with self._context:
            self._upload()
        if not self._context.is_current:
            raise GpuError("SkinnedModel.bind: the model's OpenGL context must be current; make it so before")
        textures = {"palette": self._texture.texture}
        if self._is_morphed:
            assert self._mesh.morphs is not None
            textures |= {**self._mesh.morphs.textures, "morph_weights": self._morph_texture.texture}
            set_uniforms(program, **self._mesh.morphs.uniforms)
        if not any(name in program for name in textures):
            raise ValueError(
                f"SkinnedModel.bind: program must read one of {', '.join(textures)}, samplers, got "
                f"{', '.join(sorted(program)) or 'no inputs'}; compilers leave out what reaches no output"
            )
        most = self._context.gl.max_texture_units - len(textures)
        if whole_number(unit, "SkinnedModel.bind: unit") > most:
            raise ValueError(f"SkinnedModel.bind: unit must be at most {most} on this driver, got {unit}")
        for place, (name, texture) in enumerate(textures.items(), start=unit):
            assert texture is not None
            texture.use(place)
            set_uniforms(program, **{name: place})

    def _check_program(self, program: object, caller: str) -> None:
        """Refuse what is no program of the model's context."""
        moderngl = require("moderngl", "gl", "drawing")
        if not isinstance(program, moderngl.Program):
            raise TypeError(
                f"{caller}: program must be a moderngl.Program, got {type(program).__name__}; "
                "lissom.gpu.program compiles one"
            )
        if program.ctx is not self._context.gl:
            raise ValueError(
                f"{caller}: program must be of the model's context, got one of another; make the model with "
                "stage= of a Stage in that context"
            )
