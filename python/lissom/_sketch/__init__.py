# SPDX-License-Identifier: MIT
"""Pictures drawn with NumPy alone, for notebooks and machines without OpenGL.

`sketch` checks the input and frames it, `raster` finds the pixels of triangles, `surface` and `ground` shade
them by `light`, as the shaders of `lissom.gpu.Stage` do.
"""
