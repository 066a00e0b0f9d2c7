# SPDX-License-Identifier: MIT
"""The OpenGL context: made when first needed, shared by a process, and checked where OpenGL stays silent."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.extras import require
from lissom.errors import GpuError
from lissom.gpu._loader import load_program

if TYPE_CHECKING:
    from collections.abc import Mapping

    import moderngl
    from numpy.typing import NDArray

    from lissom.gpu._stage import Stage

__all__ = [
    "FOLD_WIDTH",
    "GlContext",
    "check_texture_size",
    "column_major_bytes",
    "context_of",
    "float_texture",
    "folded_height",
    "set_uniforms",
    "shared_context",
    "write_folded",
]

FOLD_WIDTH = 2048  # folded textures are this wide: texel i lies at (i & 2047, i >> 11), see texel.glsl
REQUIRED_VERSION = 330

# What failures of the first call look like, and what mends them.
_INSTALL = "install EGL and OpenGL (Debian, Ubuntu: apt-get install libegl1 libgl1 libgl1-mesa-dri)"
_REMEDIES = (
    ("not loaded", _INSTALL),
    ("found 0 devices", "install an EGL driver (Debian, Ubuntu: apt-get install libegl-mesa0)"),
    ("eglInitialize", "install a graphics driver; software rendering: apt-get install libgl1-mesa-dri"),
    (
        "eglCreateContext",
        f"OpenGL {REQUIRED_VERSION // 100}.{REQUIRED_VERSION // 10 % 10} is needed; update the driver, "
        "and unset MESA_GL_VERSION_OVERRIDE if it is set",
    ),
    ("XOpenDisplay", "set LISSOM_GL_BACKEND=egl to draw without a display"),
    ("supported backend", "LISSOM_GL_BACKEND names one of moderngl's; unset it to draw without a display"),
)

_shared: GlContext | None = None


class GlContext:
    """A moderngl context with the programs compiled in it.

    Use it as a context manager around every call into OpenGL: it is made current, because object numbers
    mean something else in another context, and a framebuffer is bound, because without one transform
    feedback yields zeros and only an error flag.

    Attributes
    ----------
    gl : moderngl.Context
        OpenGL 3.3 or later.
    renderer : str
        What draws, by the driver's name for it.
    """

    def __init__(self, gl: moderngl.Context) -> None:
        self.gl = gl
        self._programs: dict[tuple[object, ...], moderngl.Program] = {}
        self._released = False
        with gl:
            self._bound = gl.simple_framebuffer((4, 4))
            self.renderer = str(gl.info["GL_RENDERER"])

    def __enter__(self) -> moderngl.Context:
        if self._released:
            raise GpuError("this OpenGL context was released; make the stage and what it draws anew")
        self.gl.__enter__()  # type: ignore[no-untyped-call]
        self._bound.use()
        return self.gl

    def __exit__(self, *exception: object) -> None:
        self._collect()
        self.gl.__exit__(*exception)  # type: ignore[no-untyped-call]

    def _collect(self) -> None:
        """Free what was dropped; moderngl's own gc() stumbles over objects that were released before."""
        dropped = self.gl.objects
        while dropped:
            resource = dropped.popleft()
            if hasattr(resource, "release"):
                resource.release()

    def program(
        self,
        vertex: str,
        fragment: str = "nothing.frag",
        *,
        varyings: tuple[str, ...] = (),
        defines: Mapping[str, int] | None = None,
    ) -> moderngl.Program:
        """Return a program of `load_program`, compiled once; the context must be current."""
        key = (vertex, fragment, varyings, *sorted((defines or {}).items()))
        if key not in self._programs:
            self._programs[key] = load_program(self.gl, vertex, fragment, defines=defines, varyings=varyings)
        return self._programs[key]

    @property
    def uniform_registers(self) -> int:
        """Uniform registers of four floats that a vertex shader has; see `uniform_budget`."""
        return int(self.gl.info["GL_MAX_VERTEX_UNIFORM_COMPONENTS"]) // 4

    @property
    def released(self) -> bool:
        """Whether `release` was called."""
        return self._released

    def release(self) -> None:
        """Free the context; what was made in it can no longer be used."""
        if not self._released:
            self._released = True
            self.gl.release()


def shared_context() -> GlContext:
    """Return this process's context, made at the first call.

    One is enough: two contexts hand out the same object numbers, and dropped ones leak. On Linux it is made
    through EGL, so that no display is needed; ``LISSOM_GL_BACKEND`` names another of moderngl's backends.

    Returns
    -------
    GlContext
        Standalone, OpenGL 3.3 or later. It belongs to the thread that asked first.

    Raises
    ------
    GpuError
        When none can be made: says what to install or set.
    ImportError
        Without moderngl, naming the extra.
    """
    global _shared
    if _shared is None or _shared.released:
        _shared = GlContext(_new_context())
    return _shared


def context_of(stage: Stage | None, what: str) -> GlContext:
    """Return the context of a stage, or this process's where there is none; `what` starts the errors.

    Raises
    ------
    TypeError
        If `stage` is no stage.
    GpuError
        If it was released, or no context can be made.
    """
    from lissom.gpu._stage import Stage

    if stage is None:
        return shared_context()
    if not isinstance(stage, Stage):
        raise TypeError(f"{what}: stage: expected a Stage or None, got {type(stage).__name__}")
    if stage.released:
        raise GpuError(f"{what}: stage: it was released; make a new one, or leave it out")
    return stage.context


def _new_context() -> moderngl.Context:
    module = require("moderngl", "gl", "drawing")
    backend = os.environ.get("LISSOM_GL_BACKEND", "egl" if sys.platform.startswith("linux") else "")
    options = {"backend": backend} if backend else {}
    try:
        context: moderngl.Context = module.create_context(
            standalone=True, require=REQUIRED_VERSION, **options
        )
    except Exception as error:  # glcontext and moderngl raise bare Exception
        remedy = next((text for sign, text in _REMEDIES if sign in str(error)), _INSTALL)
        raise GpuError(
            f"no OpenGL context ({error}); {remedy}; lissom.sketch draws small pictures without it"
        ) from error
    context.gc_mode = "context_gc"  # dropped objects are freed by gc(), on the thread that owns them
    return context


def check_texture_size(context: moderngl.Context, width: int, height: int, what: str) -> None:
    """Refuse a texture that OpenGL would refuse silently.

    Raises
    ------
    GpuError
        When a side is beyond the driver's limit.
    """
    limit = context.info["GL_MAX_TEXTURE_SIZE"]
    if max(width, height) > limit:
        raise GpuError(
            f"{what} needs a texture of {width} x {height}, but this driver stops at {limit} x {limit}"
        )


def folded_height(texel_count: int) -> int:
    """Return how many lines of `FOLD_WIDTH` texels hold `texel_count` texels, at least 1."""
    return max(1, -(-texel_count // FOLD_WIDTH))


def float_texture(
    context: moderngl.Context, size: tuple[int, int], components: int, dtype: str, what: str
) -> moderngl.Texture:
    """Return an empty float texture for fetching: no filter, no repeat (the defaults are the opposite).

    Parameters
    ----------
    context : moderngl.Context
        Must be current.
    size : tuple of int
        Width, height.
    components : int
        1 to 4.
    dtype : {"f2", "f4"}
        Half or single precision.
    what : str
        Named in the error.
    """
    module = require("moderngl", "gl", "drawing")
    check_texture_size(context, *size, what)
    texture = context.texture(size, components, dtype=dtype)
    texture.filter = (module.NEAREST, module.NEAREST)
    texture.repeat_x = texture.repeat_y = False
    return texture


def write_folded(texture: moderngl.Texture, texels: NDArray[Any]) -> None:
    """Write texels ``(N, components)`` into a folded texture from its start, in the texture's dtype."""
    count = len(texels)
    lines = count // FOLD_WIDTH
    flat = np.ascontiguousarray(texels)
    if lines:
        texture.write(flat[: lines * FOLD_WIDTH], viewport=(0, 0, FOLD_WIDTH, lines))
    rest = count - lines * FOLD_WIDTH
    if rest:
        texture.write(flat[lines * FOLD_WIDTH :], viewport=(0, lines, rest, 1))


def set_uniforms(program: moderngl.Program, **values: Any) -> None:
    """Set uniforms by name; a name that the compiler removed as unused is passed over.

    Matrices are row-major NumPy arrays here and become the column-major bytes that OpenGL wants; vectors and
    numbers are given as they are.
    """
    for name, value in values.items():
        uniform: Any = program.get(name, None)
        if uniform is None:
            continue
        if isinstance(value, np.ndarray) and value.ndim == 2:
            uniform.write(column_major_bytes(value))
        elif isinstance(value, np.ndarray):
            uniform.value = tuple(value.tolist())
        else:
            uniform.value = value


def column_major_bytes(matrices: NDArray[Any]) -> bytes:
    """Return row-major matrices ``(..., R, C)`` as the column-major float32 bytes of OpenGL."""
    return np.ascontiguousarray(np.swapaxes(matrices, -1, -2), dtype=np.float32).tobytes()
