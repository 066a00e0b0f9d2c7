# SPDX-License-Identifier: MIT
"""The OpenGL context of the process, and textures and uniforms with the checks that OpenGL leaves out."""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.extras import require
from lissom.errors import GpuError
from lissom.gpu._loader import load_program

if TYPE_CHECKING:
    from collections.abc import Mapping

    import moderngl
    from numpy.typing import NDArray

__all__ = [
    "FOLD_WIDTH",
    "GlContext",
    "check_texture_size",
    "column_major_bytes",
    "float_texture",
    "folded_height",
    "set_uniforms",
    "shared_context",
    "write_folded",
]

# Width of folded textures: a sequence of texels in rows, texel i at (i & 2047, i >> 11); see texel.glsl.
FOLD_WIDTH = 2048
REQUIRED_VERSION = 330

# Part of the error message of a failed creation, and what to do.
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
_making = threading.Lock()
_idle = threading.local()  # a context per thread in which nothing is drawn


class GlContext:
    """A moderngl context with the programs compiled in it.

    Use it as a context manager around all calls into OpenGL. It makes the context current, because object
    numbers refer to other objects in another context, and binds a framebuffer, because without one transform
    feedback returns zeros and sets no more than an error flag.

    Any thread may: a context is current in one thread at a time, so that others wait until it is left.

    Attributes
    ----------
    gl : moderngl.Context
        OpenGL 3.3 or later.
    renderer : str
        The driver's name for what draws.
    """

    def __init__(self, gl: moderngl.Context) -> None:
        self.gl = gl
        self._programs: dict[tuple[object, ...], moderngl.Program] = {}
        self._released = False
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._depth = 0  # of the thread that holds the lock
        with gl:
            self._bound = gl.simple_framebuffer((4, 4))
            self.renderer = str(gl.info["GL_RENDERER"])

    def __enter__(self) -> moderngl.Context:
        # A driver's threads do not live on in a child of fork(): it would wait for them for ever.
        if os.getpid() != self._process:
            raise GpuError(
                "this OpenGL context was made before the process was forked, and drivers do not work in the "
                "child; draw in the child alone, or start it with multiprocessing.get_context('spawn')"
            )
        self._lock.acquire()
        try:
            if self._released:
                raise GpuError("this OpenGL context was released; make a new stage and new models for it")
            if self._depth == 0:  # moderngl remembers one context to go back to
                self.gl.__enter__()  # type: ignore[no-untyped-call]
            self._depth += 1
        except BaseException:
            self._lock.release()
            raise
        try:
            self._bound.use()
        except BaseException:
            self._leave()
            raise
        return self.gl

    def __exit__(self, *exception: object) -> None:
        try:
            self._collect()
        finally:
            self._leave()

    def _leave(self) -> None:
        try:
            self._depth -= 1
            if self._depth == 0:
                self.gl.__exit__(None, None, None)  # type: ignore[no-untyped-call]
        finally:
            self._lock.release()

    def _collect(self) -> None:
        """Free objects without references; moderngl's own gc() fails on those that were released already."""
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
        """Free the context; objects made in it can no longer be used."""
        if not self._released:
            self._released = True
            self.gl.release()


def shared_context() -> GlContext:
    """Return this process's context, made at the first call.

    There is only one: two contexts use the same object numbers, and contexts without references leak. On
    Linux it is made through EGL, which needs no display; ``LISSOM_GL_BACKEND`` names another of moderngl's
    backends.

    Returns
    -------
    GlContext
        Standalone, OpenGL 3.3 or later, for all threads.

    Raises
    ------
    GpuError
        If none can be made: says what to install or set.
    ImportError
        Without moderngl, naming the extra.
    """
    global _shared
    with _making:
        if _shared is None or _shared.released:
            _shared = GlContext(_new_context())
        return _shared


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
    context.gc_mode = "context_gc"  # _collect() frees objects, where the context is current
    # A new context stays current in the thread that made it, where no other thread could take it. moderngl
    # cannot end this; but another context, in which nothing is drawn, takes its place.
    if hasattr(_idle, "context"):
        _idle.context.__enter__()
    else:
        _idle.context = module.create_context(standalone=True, require=REQUIRED_VERSION, **options)
    return context


def check_texture_size(context: moderngl.Context, width: int, height: int, what: str) -> None:
    """Refuse a texture with a side beyond the driver's limit, by GpuError: OpenGL would fail silently."""
    limit = context.info["GL_MAX_TEXTURE_SIZE"]
    if max(width, height) > limit:
        raise GpuError(
            f"{what} needs a texture of {width} x {height}, but this driver's limit is {limit} x {limit}"
        )


def folded_height(texel_count: int) -> int:
    """Return the height of a folded texture of `texel_count` texels, at least 1."""
    return max(1, -(-texel_count // FOLD_WIDTH))


def float_texture(
    context: moderngl.Context, size: tuple[int, int], components: int, dtype: str, what: str
) -> moderngl.Texture:
    """Return an empty float texture for texelFetch: without filtering and repeating, which are the defaults.

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
        Start of the error.
    """
    module = require("moderngl", "gl", "drawing")
    check_texture_size(context, *size, what)
    texture = context.texture(size, components, dtype=dtype)
    texture.filter = (module.NEAREST, module.NEAREST)
    texture.repeat_x = texture.repeat_y = False
    return texture


def write_folded(texture: moderngl.Texture, texels: NDArray[Any]) -> None:
    """Write texels ``(N, components)``, in the texture's dtype, at the start of a folded texture."""
    rows, rest = divmod(len(texels), FOLD_WIDTH)
    flat = np.ascontiguousarray(texels)
    if rows:
        texture.write(flat[: rows * FOLD_WIDTH], viewport=(0, 0, FOLD_WIDTH, rows))
    if rest:
        texture.write(flat[rows * FOLD_WIDTH :], viewport=(0, rows, rest, 1))


def set_uniforms(program: moderngl.Program, **values: Any) -> None:
    """Set uniforms by name, without those that the compiler removed as unused.

    Matrices are row-major NumPy arrays and are written in OpenGL's column-major order.
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
    """Return row-major matrices ``(..., R, C)`` as OpenGL's column-major float32 bytes."""
    return np.ascontiguousarray(np.swapaxes(matrices, -1, -2), dtype=np.float32).tobytes()
