# SPDX-License-Identifier: MIT
"""What OpenGL says of its own objects and state, asked without moderngl."""

import ctypes
import gc

__all__ = ["live_objects"]

# What OpenGL can say whether an object of it is alive, and the largest number that is asked for.
KINDS = "Buffer", "Texture", "Program", "Shader", "Framebuffer", "Renderbuffer", "VertexArray", "Query"
MOST_OBJECTS = 1 << 16  # names that one process may have used by then


def live_objects(context, most=MOST_OBJECTS):
    """Return how many objects of each kind OpenGL holds."""
    gc.collect()
    with context:  # frees what has no references
        pass
    with context as gl:
        asks = {
            kind: ctypes.CFUNCTYPE(ctypes.c_ubyte, ctypes.c_uint)(gl.mglo._context.load(f"glIs{kind}"))
            for kind in KINDS
        }
        return {kind: sum(map(ask, range(1, most))) for kind, ask in asks.items()}
