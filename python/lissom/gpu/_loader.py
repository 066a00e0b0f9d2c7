# SPDX-License-Identifier: MIT
"""Programs from shader files: nested includes, headers for OpenGL and ES, errors that name the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from lissom._base.extras import require
from lissom.errors import GpuError

if TYPE_CHECKING:
    import moderngl

__all__ = ["HEADERS", "ShaderSource", "load_program", "shader_folder", "shader_source"]

HEADERS = {
    "330": "#version 330 core\n",
    # Samplers in ES have low precision by default: palettes in float textures would break on phones.
    "300 es": "#version 300 es\nprecision highp float;\nprecision highp int;\nprecision highp sampler2D;\n",
}

# Drivers report source 0 whatever #line says, so the line number encodes the file: line n of file k is
# k * LINES_PER_FILE + n.
LINES_PER_FILE = 10_000

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


def shader_source(
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
    if version not in HEADERS:
        known = ", ".join(map(repr, HEADERS))
        raise ValueError(f"shader_source: version must be one of {known}, got {version!r}")
    folder = folder or shader_folder()
    files: list[str] = []

    def read(name: str, path: Path, open_files: tuple[str, ...]) -> Iterable[str]:
        if name in open_files:
            raise ValueError(f"shader_source: include circle: {' -> '.join((*open_files, name))}")
        if name in files:
            return
        if not path.is_file():
            includer = f", included by {open_files[-1]}" if open_files else ""
            raise ValueError(f"shader_source: no shader file {path}{includer}")
        start = len(files) * LINES_PER_FILE
        files.append(name)
        yield f"#line {start + 1}"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            include = _INCLUDE.match(line)
            if include is None:
                yield line
            else:
                yield from read(include[1], folder / "include" / include[1], (*open_files, name))
                yield f"#line {start + number + 1}"

    constants = "".join(f"#define {key} {value}\n" for key, value in (defines or {}).items())
    body = "\n".join(read(name, folder / name, ()))
    return ShaderSource(f"{HEADERS[version]}{constants}{body}\n", tuple(files))


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
        As for `shader_source`.
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
    moderngl = require("moderngl", "gl", "drawing")
    vertex_source = shader_source(vertex, version, defines, folder)
    fragment_source = shader_source(fragment, version, defines, folder)
    try:
        return context.program(
            vertex_shader=vertex_source.text,
            fragment_shader=fragment_source.text,
            varyings=tuple(varyings),
        )
    except moderngl.Error as error:
        message = str(error)
        failed = fragment_source if "fragment_shader" in message else vertex_source
        raise GpuError(f"{vertex} with {fragment} does not compile: {failed.explain(message)}") from error
