# SPDX-License-Identifier: MIT
"""Programs from shader files: nested includes, headers for OpenGL and ES, errors that name the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from lissom._base.extras import require
from lissom._base.names import unknown_name
from lissom.errors import GpuError

if TYPE_CHECKING:
    import moderngl

__all__ = ["HEADERS", "ShaderSource", "assembled", "compiled", "load_program", "read_shader", "shader_folder"]

HEADERS = {
    "330": "#version 330 core\n",
    # Samplers in ES have low precision by default: palettes in float textures would break on phones.
    "300 es": "#version 300 es\nprecision highp float;\nprecision highp int;\nprecision highp sampler2D;\n",
}

# Drivers report source 0 whatever #line says, so the line number encodes the file: line n of file k is
# k * LINES_PER_FILE + n.
LINES_PER_FILE = 10_000

_VERSION = re.compile(r"\s*(#\s*version\b[^\n]*)\n")
_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"\s*$')
# "0:20013(11): error" (Mesa), "0(20013) : error" (NVIDIA), "ERROR: 0:20013: ..." (ANGLE, Apple)
_PLACE = re.compile(r"(?<![\w.])0(?::(\d+)|\((\d+)\))")


@dataclass(frozen=True)
class ShaderSource:
    """A shader to compile, and the files that its lines come from.

    Attributes
    ----------
    text : str
        GLSL with header, defines and all includes.
    files : tuple of str
        File names relative to the shader folder; the number of a file is its index.
    """

    text: str
    files: tuple[str, ...]

    def explain(self, message: str) -> str:
        """Return a compiler's message with every location as ``file.glsl:line``.

        Parameters
        ----------
        message : str
            From the driver, in the format of Mesa, NVIDIA, ANGLE or Apple.

        Returns
        -------
        str
            The message; lines of unknown files are unchanged.
        """

        def name(match: re.Match[str]) -> str:
            file, line = divmod(int(match[1] or match[2]), LINES_PER_FILE)
            return f"{self.files[file]}:{line}" if file < len(self.files) else match[0]

        return _PLACE.sub(name, message)


@cache
def shader_folder() -> Path:
    """Return the folder of the shaders: inside the installed package, or beside ``python/`` in a checkout."""
    installed = Path(str(resources.files("lissom"))) / "shaders"
    checkout = Path(__file__).resolve().parents[3] / "shaders"
    for folder in (installed, checkout):
        if (folder / "include").is_dir():
            return folder
    raise GpuError(f"the shaders are missing from {installed}; reinstall lissom")


def read_shader(
    name: str,
    version: str = "330",
    defines: Mapping[str, int] | None = None,
    folder: Path | None = None,
) -> ShaderSource:
    """Read a shader file with everything it includes.

    ``#include "x.glsl"`` inserts a file of ``include/``, but only the first time.

    Parameters
    ----------
    name : str
        File name with its stage, such as ``"surface.frag"``.
    version : {"330", "300 es"}
        Which header to start with.
    defines : mapping of str to int, optional
        Preprocessor constants, defined before the first line.
    folder : Path, optional
        Folder to read from; the package's own shaders when omitted.

    Returns
    -------
    ShaderSource
        The text and the names of its files.

    Raises
    ------
    ValueError
        If the version is unknown, a file is missing, or files include each other in a circle.
    """
    folder = folder or shader_folder()
    path = folder / name
    if not path.is_file():
        raise ValueError(f"read_shader: no shader file {path}")
    text = path.read_text(encoding="utf-8")
    return assembled(name, text, (folder / "include",), version, defines, caller="read_shader")


def assembled(
    name: str,
    text: str,
    places: Sequence[Path],
    version: str = "330",
    defines: Mapping[str, int] | None = None,
    *,
    caller: str,
) -> ShaderSource:
    """Return a shader of which the text is known, with everything it includes.

    Parameters
    ----------
    name : str
        What messages call it.
    text : str
        GLSL. A line with ``#version`` at its start replaces the header.
    places : sequence of Path
        Folders to look for includes in, in this order.
    version, defines
        As for `read_shader`.
    caller : str
        Function that errors name.
    """
    if version not in HEADERS:
        known = ", ".join(map(repr, HEADERS))
        raise ValueError(f"{caller}: version must be one of {known}, got {version!r}")
    files: list[str] = []
    header = HEADERS[version]
    own = _VERSION.match(text)
    if own is not None:
        header, text = f"{own[1]}\n", "\n" * own[0].count("\n") + text[own.end() :]

    def read(name: str, text: str, open_files: tuple[str, ...]) -> Iterable[str]:
        start = len(files) * LINES_PER_FILE
        files.append(name)
        yield f"#line {start + 1}"
        for number, line in enumerate(text.splitlines(), start=1):
            include = _INCLUDE.match(line)
            if include is None:
                yield line
            else:
                yield from included(include[1], (*open_files, name))
                yield f"#line {start + number + 1}"

    def included(name: str, open_files: tuple[str, ...]) -> Iterable[str]:
        if name in open_files:
            raise ValueError(f"{caller}: include circle: {' -> '.join((*open_files, name))}")
        if name in files:
            return
        path = next((place / name for place in places if (place / name).is_file()), None)
        if path is None:
            known = sorted({file.name for place in places for file in place.glob("*.glsl")})
            raise ValueError(
                f"{caller}: no shader file {places[-1] / name}, included by {open_files[-1]}: "
                f"{unknown_name('include', name, known)}"
            )
        yield from read(name, path.read_text(encoding="utf-8"), open_files)

    constants = "".join(f"#define {key} {value}\n" for key, value in (defines or {}).items())
    body = "\n".join(read(name, text, ()))
    return ShaderSource(f"{header}{constants}{body}\n", tuple(files))


def load_program(
    context: moderngl.Context,
    vertex: str,
    fragment: str = "nothing.frag",
    *,
    version: str = "330",
    defines: Mapping[str, int] | None = None,
    varyings: Iterable[str] = (),
    folder: Path | None = None,
) -> moderngl.Program:
    """Compile and link a program from two shader files.

    Parameters
    ----------
    context : moderngl.Context
        Must be current.
    vertex, fragment : str
        File names, such as ``"crowd.vert"`` and ``"surface.frag"``.
    version, defines, folder
        As for `read_shader`.
    varyings : iterable of str
        Outputs of the vertex stage to capture by transform feedback.

    Returns
    -------
    moderngl.Program
        The linked program.

    Raises
    ------
    GpuError
        If the driver refuses it: its message, with the names and lines of our files.
    """
    return compiled(
        context,
        read_shader(vertex, version, defines, folder),
        read_shader(fragment, version, defines, folder),
        varyings,
    )


def compiled(
    context: moderngl.Context,
    vertex: ShaderSource,
    fragment: ShaderSource,
    varyings: Iterable[str] = (),
) -> moderngl.Program:
    """Return the program of two shaders, or GpuError with what the driver says of it: see `load_program`."""
    moderngl = require("moderngl", "gl", "drawing")
    try:
        return context.program(
            vertex_shader=vertex.text, fragment_shader=fragment.text, varyings=tuple(varyings)
        )
    except moderngl.Error as error:
        message = str(error)
        failed = fragment if "fragment_shader" in message else vertex
        raise GpuError(
            f"{vertex.files[0]} with {fragment.files[0]} does not compile: {failed.explain(message)}"
        ) from error
