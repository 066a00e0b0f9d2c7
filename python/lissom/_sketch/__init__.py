# SPDX-License-Identifier: MIT
"""Pictures drawn with NumPy alone: what notebooks show of a character where there may be no OpenGL.

`sketch` says what is drawn, `raster` finds the pixels of triangles, `surface` and `ground` colour them by
`light`, the stage's own.
"""
