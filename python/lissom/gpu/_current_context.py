# SPDX-License-Identifier: MIT
"""Which OpenGL context is current in this thread, whoever made it, and how to make that one current again.

moderngl cannot say: its contexts remember at most what another of the same kind was, and EGL's leave none
current. Windows come by GLX, EGL, WGL or CGL, while the process's own context is of EGL on Linux.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lissom.errors import GpuError

__all__ = ["CurrentContext", "current_context", "make_current", "make_current_again"]

_POINTER = ctypes.c_void_p
_NUMBER = ctypes.c_ulong


@dataclass(frozen=True)
class _WindowSystem:
    """Functions of one interface between OpenGL and windows."""

    name: str
    handles: Callable[[], tuple[Any, ...]]
    """What is current: what `bind` takes, the context last; that is 0 where none is."""
    bind: Callable[..., bool]
    none: Callable[[tuple[Any, ...]], tuple[Any, ...]]
    """What `bind` takes to leave none current where these were."""
    checks: bool
    """Whether `bind` refuses a context or surface that is gone; GLX ends the process, or crashes."""


@dataclass(frozen=True)
class CurrentContext:
    """A context, and the surfaces that it draws to."""

    system: _WindowSystem
    handles: tuple[Any, ...]


def current_context() -> CurrentContext | None:
    """Return what is current in this thread, or None."""
    for system in _systems():
        handles = system.handles()
        if handles[-1]:
            return CurrentContext(system, handles)
    return None


def make_current(context: CurrentContext | None, before: CurrentContext | None) -> None:
    """Make it current in this thread, in place of what is; None leaves none current.

    Raises
    ------
    GpuError
        If the system refuses: the window is gone, or the context is current in another thread.
    """
    if before == context:
        return
    # A thread has one context: another interface's has to be left first.
    if before is not None and (context is None or context.system is not before.system):
        before.system.bind(*before.system.none(before.handles))
    if context is not None and not context.system.bind(*context.handles):
        raise GpuError(
            f"this OpenGL context cannot be made current ({context.system.name} refused): its window is "
            "gone, or it is current in another thread"
        )


def make_current_again(context: CurrentContext | None) -> None:
    """Make current what was so before; none where that is gone by now."""
    now = current_context()
    try:
        make_current(context, now)
    except GpuError:
        make_current(None, now)


_found: dict[str, _WindowSystem] = {}


def _systems() -> list[_WindowSystem]:
    """Return the interfaces that this process has loaded: contexts of others cannot be."""
    for name, (libraries, make) in _KINDS.items():
        if name not in _found:
            library = next(filter(None, map(_loaded, libraries)), None)
            if library is not None:
                _found[name] = make(library)
    return list(_found.values())


def _loaded(name: str) -> ctypes.CDLL | None:
    try:
        if sys.platform.startswith("linux"):
            return ctypes.CDLL(name, mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
        return ctypes.CDLL(name)
    except OSError:
        return None


def _function(library: ctypes.CDLL, name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    function = getattr(library, name)
    function.restype, function.argtypes = result, arguments
    return function  # type: ignore[no-any-return]


def _egl(library: ctypes.CDLL) -> _WindowSystem:
    display = _function(library, "eglGetCurrentDisplay", _POINTER)
    surface = _function(library, "eglGetCurrentSurface", _POINTER, ctypes.c_int)
    context = _function(library, "eglGetCurrentContext", _POINTER)
    bind = _function(library, "eglMakeCurrent", ctypes.c_uint, *[_POINTER] * 4)
    draw, read = 0x3059, 0x305A

    def handles() -> tuple[Any, ...]:
        found = context()
        return (display(), surface(draw), surface(read), found) if found else (None,)

    return _WindowSystem("EGL", handles, bind, lambda before: (before[0], None, None, None), True)


def _glx(library: ctypes.CDLL) -> _WindowSystem:
    display = _function(library, "glXGetCurrentDisplay", _POINTER)
    draw = _function(library, "glXGetCurrentDrawable", _NUMBER)
    read = _function(library, "glXGetCurrentReadDrawable", _NUMBER)
    context = _function(library, "glXGetCurrentContext", _POINTER)
    bind = _function(library, "glXMakeContextCurrent", ctypes.c_int, _POINTER, _NUMBER, _NUMBER, _POINTER)

    def handles() -> tuple[Any, ...]:
        found = context()
        return (display(), draw(), read(), found) if found else (None,)

    return _WindowSystem("GLX", handles, bind, lambda before: (before[0], 0, 0, None), False)


def _wgl(library: ctypes.CDLL) -> _WindowSystem:
    device = _function(library, "wglGetCurrentDC", _POINTER)
    context = _function(library, "wglGetCurrentContext", _POINTER)
    bind = _function(library, "wglMakeCurrent", ctypes.c_int, _POINTER, _POINTER)
    return _WindowSystem("WGL", lambda: (device(), context()), bind, lambda _: (None, None), True)


def _cgl(library: ctypes.CDLL) -> _WindowSystem:
    context = _function(library, "CGLGetCurrentContext", _POINTER)
    bind = _function(library, "CGLSetCurrentContext", ctypes.c_int, _POINTER)
    return _WindowSystem("CGL", lambda: (context(),), lambda found: not bind(found), lambda _: (None,), False)


_ALL_KINDS: dict[str, dict[str, tuple[tuple[str, ...], Callable[[ctypes.CDLL], _WindowSystem]]]] = {
    "linux": {
        "EGL": (("libEGL.so.1",), _egl),
        "GLX": (("libGLX.so.0", "libGL.so.1"), _glx),
    },
    "win32": {"WGL": (("opengl32",), _wgl)},
    "darwin": {"CGL": (("/System/Library/Frameworks/OpenGL.framework/OpenGL",), _cgl)},
}
_KINDS = _ALL_KINDS.get(sys.platform, {})
