# SPDX-License-Identifier: MIT
"""What feet stand on: a plane, a height field, a mesh of triangles, or any function that casts rays.

A ground is a callable that takes rays and returns the distance and the surface normal where each hits
(`Ground`). `cast` calls any ground and checks what it returns.
"""

from lissom._base.set_module import publish as _publish
from lissom.ground._cast import Ground, cast
from lissom.ground._height_field import HeightField
from lissom.ground._plane import Plane
from lissom.ground._triangle_mesh import Hits, TriangleMesh

__all__ = ["Ground", "HeightField", "Hits", "Plane", "TriangleMesh", "cast"]

_publish(globals())
