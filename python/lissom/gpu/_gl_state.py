# SPDX-License-Identifier: MIT
"""The state of an OpenGL context that others draw in, too: set aside before lissom draws, put back after."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from lissom.gpu._texture_units import TEXTURE_UNITS

if TYPE_CHECKING:
    from collections.abc import Callable

    import moderngl

__all__ = ["GlState"]

_INT, _UINT, _FLOAT, _BOOLEAN, _DOUBLE = (
    ctypes.c_int,
    ctypes.c_uint,
    ctypes.c_float,
    ctypes.c_ubyte,
    ctypes.c_double,
)

# OpenGL's names, as in its registry (Khronos, gl.xml).
_BLEND, _DEPTH_TEST, _CULL_FACE, _RASTERIZER_DISCARD, _PROGRAM_POINT_SIZE = (
    0xBE2,
    0xB71,
    0xB44,
    0x8C89,
    0x8642,
)
_STENCIL_TEST, _SCISSOR_TEST, _FRAMEBUFFER_SRGB, _COLOR_LOGIC_OP = 0xB90, 0xC11, 0x8DB9, 0xBF2
_POLYGON_OFFSET_FILL, _SAMPLE_ALPHA_TO_COVERAGE, _SAMPLE_COVERAGE, _MULTISAMPLE = (
    0x8037,
    0x809E,
    0x80A0,
    0x809D,
)
_PRIMITIVE_RESTART, _DEPTH_CLAMP = 0x8F9D, 0x864F
_ACTIVE_TEXTURE, _TEXTURE0, _SAMPLER_BINDING = 0x84E0, 0x84C0, 0x8919
_TEXTURE_2D, _TEXTURE_BINDING_2D = 0xDE1, 0x8069
_TEXTURE_2D_ARRAY, _TEXTURE_BINDING_2D_ARRAY = 0x8C1A, 0x8C1D
_DRAW_FRAMEBUFFER, _DRAW_FRAMEBUFFER_BINDING = 0x8CA9, 0x8CA6
_READ_FRAMEBUFFER, _READ_FRAMEBUFFER_BINDING = 0x8CA8, 0x8CAA
_RENDERBUFFER, _RENDERBUFFER_BINDING = 0x8D41, 0x8CA7
_ARRAY_BUFFER, _ARRAY_BUFFER_BINDING = 0x8892, 0x8894
_PIXEL_PACK_BUFFER, _PIXEL_PACK_BUFFER_BINDING = 0x88EB, 0x88ED
_PIXEL_UNPACK_BUFFER, _PIXEL_UNPACK_BUFFER_BINDING = 0x88EC, 0x88EF
_TRANSFORM_FEEDBACK_BUFFER, _TRANSFORM_FEEDBACK_BUFFER_BINDING = 0x8C8E, 0x8C8F
_VERTEX_ARRAY_BINDING, _CURRENT_PROGRAM = 0x85B5, 0x8B8D
_VIEWPORT, _SCISSOR_BOX, _COLOR_WRITEMASK, _COLOR_CLEAR_VALUE = 0xBA2, 0xC10, 0xC23, 0xC22
_DEPTH_RANGE, _DEPTH_FUNC, _DEPTH_WRITEMASK, _DEPTH_CLEAR_VALUE = 0xB70, 0xB74, 0xB72, 0xB73
_BLEND_SRC_RGB, _BLEND_DST_RGB, _BLEND_SRC_ALPHA, _BLEND_DST_ALPHA = 0x80C9, 0x80C8, 0x80CB, 0x80CA
_BLEND_EQUATION_RGB, _BLEND_EQUATION_ALPHA, _FUNC_ADD = 0x8009, 0x883D, 0x8006
_MAX_DRAW_BUFFERS = 0x8824
_POLYGON_MODE, _FRONT_AND_BACK, _FILL = 0xB40, 0x408, 0x1B02
_POLYGON_OFFSET_FACTOR, _POLYGON_OFFSET_UNITS = 0x8038, 0x2A00
_CULL_FACE_MODE, _FRONT_FACE, _CCW = 0xB45, 0xB46, 0x901

# How pixels lie in memory, and OpenGL's defaults: bytes swapped, least bit first, row length, rows and pixels
# skipped, images skipped, image height, alignment.
_UNPACK = {0xCF0: 0, 0xCF1: 0, 0xCF2: 0, 0xCF3: 0, 0xCF4: 0, 0x806D: 0, 0x806E: 0, 0xCF5: 4}
_PACK = {0xD00: 0, 0xD01: 0, 0xD02: 0, 0xD03: 0, 0xD04: 0, 0x806B: 0, 0x806C: 0, 0xD05: 4}

# Capabilities that moderngl has flags for: it remembers which of them are set.
_FLAGS = {_BLEND: 1, _DEPTH_TEST: 2, _CULL_FACE: 4, _RASTERIZER_DISCARD: 8, _PROGRAM_POINT_SIZE: 16}
# Capabilities that lissom draws without; its shaders encode sRGB themselves.
_DISABLED = (
    _STENCIL_TEST,
    _SCISSOR_TEST,
    _FRAMEBUFFER_SRGB,
    _COLOR_LOGIC_OP,
    _POLYGON_OFFSET_FILL,
    _SAMPLE_ALPHA_TO_COVERAGE,
    _SAMPLE_COVERAGE,
    _PRIMITIVE_RESTART,
    _DEPTH_CLAMP,
)
_BUFFERS = {
    _ARRAY_BUFFER: _ARRAY_BUFFER_BINDING,
    _PIXEL_PACK_BUFFER: _PIXEL_PACK_BUFFER_BINDING,
    _PIXEL_UNPACK_BUFFER: _PIXEL_UNPACK_BUFFER_BINDING,
    _TRANSFORM_FEEDBACK_BUFFER: _TRANSFORM_FEEDBACK_BUFFER_BINDING,
}
_FRAMEBUFFERS = {
    _DRAW_FRAMEBUFFER: _DRAW_FRAMEBUFFER_BINDING,
    _READ_FRAMEBUFFER: _READ_FRAMEBUFFER_BINDING,
}
_TEXTURES = {_TEXTURE_2D: _TEXTURE_BINDING_2D, _TEXTURE_2D_ARRAY: _TEXTURE_BINDING_2D_ARRAY}

_VOID_POINTER = ctypes.c_void_p
_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "glIsEnabled": (_UINT,),
    "glIsProgram": (_UINT,),
    "glIsTexture": (_UINT,),
    "glIsBuffer": (_UINT,),
    "glIsVertexArray": (_UINT,),
    "glIsFramebuffer": (_UINT,),
    "glEnable": (_UINT,),
    "glDisable": (_UINT,),
    "glGetIntegerv": (_UINT, _VOID_POINTER),
    "glGetFloatv": (_UINT, _VOID_POINTER),
    "glGetBooleanv": (_UINT, _VOID_POINTER),
    "glActiveTexture": (_UINT,),
    "glBindTexture": (_UINT, _UINT),
    "glBindSampler": (_UINT, _UINT),
    "glBindFramebuffer": (_UINT, _UINT),
    "glBindRenderbuffer": (_UINT, _UINT),
    "glBindBuffer": (_UINT, _UINT),
    "glBindVertexArray": (_UINT,),
    "glUseProgram": (_UINT,),
    "glPixelStorei": (_UINT, _INT),
    "glViewport": (_INT, _INT, _INT, _INT),
    "glScissor": (_INT, _INT, _INT, _INT),
    "glDepthFunc": (_UINT,),
    "glDepthMask": (_BOOLEAN,),
    "glDepthRange": (_DOUBLE, _DOUBLE),
    "glColorMaski": (_UINT, _BOOLEAN, _BOOLEAN, _BOOLEAN, _BOOLEAN),
    "glGetBooleani_v": (_UINT, _UINT, _VOID_POINTER),
    "glIsEnabledi": (_UINT, _UINT),
    "glEnablei": (_UINT, _UINT),
    "glDisablei": (_UINT, _UINT),
    "glBlendFuncSeparate": (_UINT, _UINT, _UINT, _UINT),
    "glBlendEquationSeparate": (_UINT, _UINT),
    "glClearColor": (_FLOAT, _FLOAT, _FLOAT, _FLOAT),
    "glClearDepth": (_DOUBLE,),
    "glPolygonMode": (_UINT, _UINT),
    "glPolygonOffset": (_FLOAT, _FLOAT),
    "glCullFace": (_UINT,),
    "glFrontFace": (_UINT,),
}


class GlState:
    """Reads and writes the state of one context by OpenGL's own functions: moderngl tells little of it.

    Parameters
    ----------
    gl : moderngl.Context
        Must be current.
    """

    def __init__(self, gl: moderngl.Context) -> None:
        self._gl = gl
        loader: Any = gl.mglo._context
        load = getattr(loader, "load_opengl_function", None) or loader.load
        kind = getattr(ctypes, "WINFUNCTYPE", ctypes.CFUNCTYPE)
        self._call: dict[str, Callable[..., Any]] = {
            name: kind(_BOOLEAN if name.startswith("glIs") else None, *arguments)(load(name))
            for name, arguments in _FUNCTIONS.items()
        }
        self._one = _INT()
        self._at_one = ctypes.addressof(self._one)
        self._draw_buffers = self._integer(_MAX_DRAW_BUFFERS)
        # moderngl binds what it makes and writes at a unit of its own.
        self._units = (*sorted(TEXTURE_UNITS.values()), gl.default_texture_unit)

    def set_aside(self) -> Callable[[], None]:
        """Set the state that lissom's own contexts begin with; return what puts the former state back.

        The context must be current for both.
        """
        put_back = self._saved()
        call = self._call
        for capability in _DISABLED:
            call["glDisable"](capability)
        call["glEnable"](_MULTISAMPLE)
        for unit in self._units:
            call["glBindSampler"](unit, 0)
        for name, value in (_UNPACK | _PACK).items():
            call["glPixelStorei"](name, value)
        call["glBindBuffer"](_PIXEL_PACK_BUFFER, 0)
        call["glBindBuffer"](_PIXEL_UNPACK_BUFFER, 0)
        call["glBlendEquationSeparate"](_FUNC_ADD, _FUNC_ADD)
        call["glDepthRange"](0.0, 1.0)
        call["glPolygonMode"](_FRONT_AND_BACK, _FILL)
        call["glPolygonOffset"](0.0, 0.0)
        call["glFrontFace"](_CCW)
        return put_back

    def _saved(self) -> Callable[[], None]:
        gl, call, integer = self._gl, self._call, self._integer
        bound = gl.fbo, gl.mglo.fbo
        remembered = gl.wireframe, gl.polygon_offset, gl.front_face, gl.cull_face
        enabled = {name: bool(call["glIsEnabled"](name)) for name in (*_FLAGS, *_DISABLED, _MULTISAMPLE)}
        framebuffers = {target: integer(name) for target, name in _FRAMEBUFFERS.items()}
        buffers = {target: integer(name) for target, name in _BUFFERS.items()}
        store = {name: integer(name) for name in (*_UNPACK, *_PACK)}
        states = (
            ("glBindRenderbuffer", (_RENDERBUFFER, integer(_RENDERBUFFER_BINDING))),
            ("glViewport", self._integers(_VIEWPORT, 4)),
            ("glScissor", self._integers(_SCISSOR_BOX, 4)),
            ("glClearColor", self._floats(_COLOR_CLEAR_VALUE, 4)),
            ("glDepthRange", self._floats(_DEPTH_RANGE, 2)),
            ("glDepthFunc", (integer(_DEPTH_FUNC),)),
            ("glDepthMask", self._booleans(_DEPTH_WRITEMASK, 1)),
            ("glClearDepth", self._floats(_DEPTH_CLEAR_VALUE, 1)),
            (
                "glBlendFuncSeparate",
                tuple(map(integer, (_BLEND_SRC_RGB, _BLEND_DST_RGB, _BLEND_SRC_ALPHA, _BLEND_DST_ALPHA))),
            ),
            ("glBlendEquationSeparate", (integer(_BLEND_EQUATION_RGB), integer(_BLEND_EQUATION_ALPHA))),
            ("glPolygonMode", (_FRONT_AND_BACK, self._integers(_POLYGON_MODE, 2)[0])),
            (
                "glPolygonOffset",
                (*self._floats(_POLYGON_OFFSET_FACTOR, 1), *self._floats(_POLYGON_OFFSET_UNITS, 1)),
            ),
            ("glCullFace", (integer(_CULL_FACE_MODE),)),
            ("glFrontFace", (integer(_FRONT_FACE),)),
        )
        vertices, program = integer(_VERTEX_ARRAY_BINDING), integer(_CURRENT_PROGRAM)
        active = integer(_ACTIVE_TEXTURE)
        attachments = [
            (i, bool(call["glIsEnabledi"](_BLEND, i)), self._mask(i)) for i in range(self._draw_buffers)
        ]
        units = []
        for unit in self._units:
            call["glActiveTexture"](_TEXTURE0 + unit)
            textures = {target: integer(name) for target, name in _TEXTURES.items()}
            units.append((unit, textures, integer(_SAMPLER_BINDING)))
        call["glActiveTexture"](active)

        def left(kind: str, name: int) -> int:
            """Return the object if it still is one: what lissom made may be bound, and released meanwhile."""
            return name if name and call[f"glIs{kind}"](name) else 0

        def put_back() -> None:
            # What moderngl remembers first, for it sets OpenGL's state, too.
            gl.wireframe, gl.polygon_offset, gl.front_face, gl.cull_face = remembered
            gl.enable_only(sum(flag for name, flag in _FLAGS.items() if enabled[name]))
            gl.fbo, gl.mglo.fbo = bound
            for name, value in enabled.items():
                call["glEnable" if value else "glDisable"](name)
            for i, blended, mask in attachments:
                call["glEnablei" if blended else "glDisablei"](_BLEND, i)
                call["glColorMaski"](i, *mask)
            for unit, textures, sampler in units:
                call["glActiveTexture"](_TEXTURE0 + unit)
                for target, texture in textures.items():
                    call["glBindTexture"](target, left("Texture", texture))
                call["glBindSampler"](unit, sampler)
            call["glActiveTexture"](active)
            for target, framebuffer in framebuffers.items():
                call["glBindFramebuffer"](target, left("Framebuffer", framebuffer))
            for target, buffer in buffers.items():
                call["glBindBuffer"](target, left("Buffer", buffer))
            for name, number in store.items():
                call["glPixelStorei"](name, number)
            for function, values in states:
                call[function](*values)
            call["glBindVertexArray"](left("VertexArray", vertices))
            call["glUseProgram"](left("Program", program))

        return put_back

    def _mask(self, attachment: int) -> tuple[int, ...]:
        values = (_BOOLEAN * 4)()
        self._call["glGetBooleani_v"](_COLOR_WRITEMASK, attachment, values)
        return tuple(values)

    def _integers(self, name: int, count: int) -> tuple[int, ...]:
        values = (_INT * count)()
        self._call["glGetIntegerv"](name, values)
        return tuple(values)

    def _integer(self, name: int) -> int:
        self._call["glGetIntegerv"](name, self._at_one)
        return self._one.value

    def _floats(self, name: int, count: int) -> tuple[float, ...]:
        values = (_FLOAT * count)()
        self._call["glGetFloatv"](name, values)
        return tuple(values)

    def _booleans(self, name: int, count: int) -> tuple[int, ...]:
        values = (_BOOLEAN * count)()
        self._call["glGetBooleanv"](name, values)
        return tuple(values)
