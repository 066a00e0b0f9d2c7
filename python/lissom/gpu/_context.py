# SPDX-License-Identifier: MIT
"""The OpenGL context of the process, and textures and uniforms with the checks that OpenGL leaves out."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.extras import require
from lissom.errors import GpuError
from lissom.gpu._current_context import CurrentContext, current_context, make_current, make_current_again
from lissom.gpu._gl_state import GlState
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
    "new_context",
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


class GlContext:
    """A moderngl context that lissom draws in, ``stage.context``: its own, or one that a user made.

    Use it as a context manager around all calls into OpenGL. It makes the context current, because object
    numbers refer to other objects in another context, and binds a framebuffer, because without one transform
    feedback returns zeros and sets no more than an error flag. After it, the context that was current before
    is so again; and if it is one that `of` was given, all its state is as it was.

    Any thread may: a context is current in one thread at a time, so that others wait until it is left.

    Attributes
    ----------
    gl : moderngl.Context
        OpenGL 3.3 or later.
    renderer : str
        The driver's name for what draws.

    Examples
    --------
    >>> with lissom.gpu.Stage(64, 64) as stage, stage.context as gl:
    ...     texture = gl.texture((4, 4), 4)  # of moderngl
    ...     texture.release()
    >>> stage.context.gl is gl
    True
    """

    def __init__(self, gl: moderngl.Context, home: CurrentContext | None, *, is_own: bool = True) -> None:
        self.gl = gl
        self._home = home
        self._is_own = is_own
        self._state: GlState | None = None  # of a context that others draw in
        self._bound: moderngl.Framebuffer | None = None
        self._programs: dict[tuple[object, ...], moderngl.Program] = {}
        self._released = False
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._depth = 0  # of the thread that holds the lock
        self._leave_as_found: ExitStack = ExitStack()
        gl.__dict__["_lissom"] = self  # kept with what it belongs to: both go at one time
        with self:
            self.renderer = str(gl.info["GL_RENDERER"])

    @classmethod
    def of(cls, gl: moderngl.Context, caller: str) -> GlContext:
        """Return what draws in a user's context, one and the same each time.

        Parameters
        ----------
        gl : moderngl.Context
            The user's.
        caller : str
            Function that errors name.

        Returns
        -------
        GlContext

        Raises
        ------
        GpuError
            If the context was released, is older than OpenGL 3.3, or is of a window and not current.

        Examples
        --------
        >>> import moderngl
        >>> gl = moderngl.create_context(standalone=True, backend="egl")
        >>> with lissom.gpu.Stage(context=gl) as stage:
        ...     stage.context is lissom.gpu.GlContext.of(gl, "example")
        True
        >>> gl.release()
        """
        if _is_released(gl):
            raise GpuError(f"{caller}: context was released; make a new one")
        if gl.version_code < REQUIRED_VERSION:
            raise GpuError(
                f"{caller}: context must have OpenGL 3.3 or later, got {gl.version_code // 100}."
                f"{gl.version_code // 10 % 10}"
            )
        known: GlContext | None = gl.__dict__.get("_lissom")
        return known or cls(gl, _home_of(gl, caller), is_own=False)

    def __enter__(self) -> moderngl.Context:
        # A driver's threads do not live on in a child of fork(): it would wait for them for ever.
        if os.getpid() != self._process:
            raise GpuError(
                "this OpenGL context was made before the process was forked, and drivers do not work in the "
                "child; draw in the child alone, or start it with multiprocessing.get_context('spawn')"
            )
        self._lock.acquire()
        try:
            if self.released:
                raise GpuError("this OpenGL context was released; make a new stage and new models for it")
            if self._depth == 0:
                self._enter()
            self._depth += 1
        except BaseException:
            self._lock.release()
            raise
        try:
            if self._bound is None:
                self._bound = self.gl.simple_framebuffer((4, 4))
            self._bound.use()
        except BaseException:
            self._leave()
            raise
        return self.gl

    def __exit__(self, *exception: object) -> None:
        try:
            if self._is_own:
                self._collect()
        finally:
            self._leave()

    def _enter(self) -> None:
        with ExitStack() as found:
            if self._home is None:  # no known window system: moderngl's way
                self.gl.__enter__()  # type: ignore[no-untyped-call]
                found.callback(self.gl.__exit__, None, None, None)
            else:
                before = current_context()
                if not self._is_own and before != self._home and not self._home.system.checks:
                    raise GpuError(
                        f"the {self._home.system.name} context of this window must be current; make it so "
                        "before, by the window's own function"
                    )
                make_current(self._home, before)
                found.callback(make_current_again, before)
            if not self._is_own:
                if self._state is None:
                    self._state = GlState(self.gl)
                found.callback(self._state.set_aside())
            self._leave_as_found = found.pop_all()

    def _leave(self) -> None:
        try:
            self._depth -= 1
            if self._depth == 0:
                self._leave_as_found.close()
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
        """Return a program of lissom's shaders, compiled once; the context must be current.

        `lissom.gpu.program` compiles your own.

        Parameters
        ----------
        vertex, fragment : str
            Names of files, such as ``"skinned_model.vert"``.
        varyings : tuple of str
            Outputs of the vertex stage to capture by transform feedback.
        defines : mapping of str to int, optional
            Constants of the preprocessor.

        Returns
        -------
        moderngl.Program
            The context's, not to be released.

        Examples
        --------
        >>> with lissom.gpu.Stage(64, 64) as stage, stage.context:
        ...     program = stage.context.program("plane.vert", "ground.frag")
        >>> "grid_step" in program
        True
        """
        key = (vertex, fragment, varyings, *sorted((defines or {}).items()))
        if key not in self._programs:
            self._programs[key] = load_program(self.gl, vertex, fragment, defines=defines, varyings=varyings)
        return self._programs[key]

    @property
    def uniform_registers(self) -> int:
        """Uniform registers of four floats that a vertex shader has; see `uniform_budget`."""
        return int(self.gl.info["GL_MAX_VERTEX_UNIFORM_COMPONENTS"]) // 4

    @property
    def is_in_reach(self) -> bool:
        """Whether it can be entered: it may be released, its window closed, or current in another thread."""
        try:
            with self:
                return True
        except GpuError:
            return False

    @property
    def is_current(self) -> bool:
        """Whether it is current in this thread."""
        return self._depth > 0 or current_context() == self._home

    @property
    def users_framebuffer(self) -> moderngl.Framebuffer | None:
        """What is bound in a user's context; None in lissom's own, where that has no meaning."""
        return None if self._is_own else self.gl.fbo

    @property
    def released(self) -> bool:
        """Whether `release` was called, or the user's context was released."""
        return self._released or _is_released(self.gl)

    def release(self) -> None:
        """Free the context; objects made in it can no longer be used.

        Examples
        --------
        >>> import moderngl
        >>> gl = moderngl.create_context(standalone=True, backend="egl")
        >>> stage = lissom.gpu.Stage(context=gl)
        >>> stage.context.release()
        >>> stage.released
        True
        """
        if not self.released:
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
            _shared = new_context()
        return _shared


def new_context() -> GlContext:
    """Return a context of lissom's own; what was current in this thread stays so."""
    module = require("moderngl", "gl", "drawing")
    backend = os.environ.get("LISSOM_GL_BACKEND", "egl" if sys.platform.startswith("linux") else "")
    options = {"backend": backend} if backend else {}
    before, users = current_context(), module._store.default_context
    make_current(None, before)  # a window's, which would keep another interface's from becoming current
    try:
        context: moderngl.Context = module.create_context(
            standalone=True, require=REQUIRED_VERSION, **options
        )
        home = current_context()
    except Exception as error:  # glcontext and moderngl raise bare Exception
        remedy = next((text for sign, text in _REMEDIES if sign in str(error)), _INSTALL)
        raise GpuError(
            f"no OpenGL context ({error}); {remedy}; lissom.sketch draws small pictures without it"
        ) from error
    finally:
        module._store.default_context = users  # what moderngl.get_context() returns
        make_current_again(before)  # the new one stayed current in this thread, where no other could take it
    context.gc_mode = "context_gc"  # _collect() frees objects, where the context is current
    return GlContext(context, home)


def _home_of(gl: moderngl.Context, caller: str) -> CurrentContext:
    """Return how to make a user's context current."""
    before = current_context()
    gl.__enter__()  # type: ignore[no-untyped-call]
    home = current_context()
    if home is None:
        raise GpuError(
            f"{caller}: context must be current where it is first used, for moderngl makes no window's "
            "context current; call the window's own function for that"
        )
    make_current_again(before)
    return home


def _is_released(gl: moderngl.Context) -> bool:
    """Return whether moderngl has replaced its own object by one that fails."""
    return not hasattr(gl.mglo, "fbo")


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
