# SPDX-License-Identifier: MIT
"""What draws: a graphics card, or the processor, which must be asked for less."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import moderngl

__all__ = ["anisotropy", "is_software"]

ANISOTROPY = 4.0  # samples along the longer side of a texel, of graphics cards

_SOFTWARE = re.compile(r"llvmpipe|softpipe|swrast|swiftshader|software|lavapipe|basic render", re.IGNORECASE)


def is_software(renderer: str) -> bool:
    """Tell from the driver's name for what draws, GL_RENDERER, whether the processor does."""
    return _SOFTWARE.search(renderer) is not None


def anisotropy(gl: moderngl.Context, renderer: str) -> float:
    """Return how anisotropic the filter of textures is; 1 on the processor.

    llvmpipe walks along the longer side of a texel's footprint, of which there is no bound where a triangle
    is seen from its edge: a picture of 64 x 64 pixels took minutes.
    """
    return 1.0 if is_software(renderer) else min(ANISOTROPY, float(gl.max_anisotropy))
