# SPDX-License-Identifier: MIT
"""lissom's shaders for programs of users: their text, and programs that include them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lissom._base.extras import require
from lissom._base.names import near_names, unknown_name
from lissom.errors import GpuError
from lissom.gpu._context import GlContext
from lissom.gpu._loader import ShaderSource, assembled, compiled, read_shader, shader_folder
from lissom.gpu._stage import Stage

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import moderngl

__all__ = ["program", "shader_source"]


def shader_source(name: str, version: int | str = 330, *, defines: Mapping[str, int] | None = None) -> str:
    """Return one of lissom's shaders, or of the files that they include, as text to compile.

    Parameters
    ----------
    name : str
        A program's file, such as ``"crowd.vert"``, or a file of functions, such as ``"skinning.glsl"``.
    version : {330, "300 es"}
        Of OpenGL's shading language: which header it begins with.
    defines : mapping of str to int, optional
        Constants of the preprocessor, before the first line.

    Returns
    -------
    str
        GLSL, with all that it includes.

    Raises
    ------
    ValueError
        If there is no such file or version: names what there is.

    See Also
    --------
    program : compile your own shader that includes lissom's.

    Examples
    --------
    >>> source = lissom.gpu.shader_source("skinning.glsl", "300 es")
    >>> source.splitlines()[0]
    '#version 300 es'
    >>> "Skinned skin_dual_quat(" in source
    True
    """
    folder = shader_folder()
    known = {
        path.name: path
        for path in sorted((*folder.iterdir(), *(folder / "include").iterdir()))
        if path.is_file()
    }
    if name not in known:
        raise ValueError(f"shader_source: {unknown_name('shader', str(name), known)}")
    text = known[name].read_text(encoding="utf-8")
    return assembled(name, text, (folder / "include",), str(version), defines, caller="shader_source").text


def program(
    context: moderngl.Context | Stage,
    vertex: str | Path,
    fragment: str | Path | None = None,
    *,
    defines: Mapping[str, int] | None = None,
    varyings: Iterable[str] = (),
) -> moderngl.Program:
    """Compile a program of your own that uses lissom's functions, by ``#include "skinning.glsl"``.

    Includes are looked for beside a shader that is a file, then among lissom's; each is inserted once.
    Errors of the compiler name file and line.

    Parameters
    ----------
    context : moderngl.Context or Stage
        Where it is compiled.
    vertex, fragment : str or Path
        GLSL, several lines of it; a file of yours, as a Path; or the name of a program of lissom's, such as
        ``"surface.frag"``. One line is taken for such a name, never for GLSL: end it with a line break.
        Without a line ``#version`` at the start, it is compiled as ``#version 330 core``.
        No fragment shader when omitted: for transform feedback, or depths alone.
    defines : mapping of str to int, optional
        Constants of the preprocessor, before the first line: of a model, ``model.defines``.
    varyings : iterable of str
        Outputs of the vertex stage to capture by transform feedback.

    Returns
    -------
    moderngl.Program
        Yours to release.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If a file is missing, or files include each other in a circle.
    GpuError
        If the driver refuses it, or the context was released.

    Examples
    --------
    >>> with lissom.gpu.Stage(64, 64) as stage:
    ...     program = lissom.gpu.program(
    ...         stage,
    ...         '''
    ...         #include "quat.glsl"
    ...         in vec4 rotation;
    ...         in vec3 point;
    ...         out vec3 turned;
    ...         void main() {
    ...           turned = quat_rotate(rotation, point);
    ...           gl_Position = vec4(turned, 1.0);
    ...         }
    ...         ''',
    ...         varyings=["turned"],
    ...     )
    >>> sorted(program)
    ['point', 'rotation', 'turned']
    """
    moderngl = require("moderngl", "gl", "drawing")
    if isinstance(context, Stage):
        if context.released:
            raise GpuError("program: context: this stage was released; make a new one")
        within = context.context
    elif isinstance(context, moderngl.Context):
        within = GlContext.of(context, "program")
    else:
        raise TypeError(
            f"program: context must be a moderngl.Context or a Stage, got {type(context).__name__}"
        )
    source = _read("vertex", vertex, defines)
    painted = read_shader("nothing.frag") if fragment is None else _read("fragment", fragment, defines)
    with within as gl:
        return compiled(gl, source, painted, varyings)


def _read(what: str, shader: object, defines: Mapping[str, int] | None) -> ShaderSource:
    """Return a stage's source: of text, of a user's file, or of lissom's."""
    include = shader_folder() / "include"
    if isinstance(shader, Path):
        if not shader.is_file():
            raise ValueError(f"program: {what}: there is no file {shader}")
        text = shader.read_text(encoding="utf-8")
        return assembled(shader.name, text, (shader.parent, include), "330", defines, caller="program")
    if not isinstance(shader, str):
        raise TypeError(
            f"program: {what} must be GLSL, the name of a shader, or a Path, got {type(shader).__name__}"
        )
    if "\n" in shader:
        return assembled(f"the {what} shader", shader, (include,), "330", defines, caller="program")
    if not (shader_folder() / shader).is_file():
        programs = [path.name for path in sorted(shader_folder().iterdir()) if path.is_file()]
        near = near_names(shader, programs)
        meant = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        raise ValueError(
            f"program: {what} must be GLSL of several lines, or the name of a program of lissom's, got "
            f"{shader!r}{meant}; pass a file of yours as a Path, and GLSL of one line with a line "
            "break at its end"
        )
    return read_shader(shader, defines=defines)
