# SPDX-License-Identifier: MIT
"""Pictures drawn with NumPy alone: what notebooks show of a character where there may be no OpenGL.

`_sketch` says what is drawn, `_raster` finds the pixels of triangles, `_surface` and `_ground` colour them by
`_light`, the stage's own.
"""

from lissom._sketch._sketch import sketch

__all__ = ["sketch"]
