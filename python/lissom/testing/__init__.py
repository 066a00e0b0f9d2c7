# SPDX-License-Identifier: MIT
"""Asserts for tests of characters, in the manner of ``numpy.testing``.

Each takes `actual` and `desired` and passes in silence, or raises an AssertionError that says how many
joints, vertices or pixels are beyond the tolerance, which is the worst, where and by how much. Shapes must be
equal: nothing is broadcast. NaN, infinity and empty arrays never pass. Numbers are compared in double,
whatever they come in.

Tolerances are of four kinds. `rotation` is an angle in radians; q and -q are the same. `share` is a length
as a fraction of the character's size, which is known where `of` says whose numbers these are, or `length`
is one in the units of the arrays. `scale` is a fraction of the desired scale. Defaults leave room for the
rounding of float32 and no more.

Arguments that make no sense, such as a negative tolerance or a mesh of another number of vertices, raise
TypeError or ValueError: there the test is wrong, not what it tests.
"""

from lissom._base.set_module import publish as _publish
from lissom.testing._bakes import assert_bakes_close
from lissom.testing._golden import GoldenRenewed, golden
from lissom.testing._palettes import assert_palettes_close
from lissom.testing._pictures import assert_pictures_close
from lissom.testing._poses import assert_poses_close
from lissom.testing._vertices import assert_vertices_close

__all__ = [
    "GoldenRenewed",
    "assert_bakes_close",
    "assert_palettes_close",
    "assert_pictures_close",
    "assert_poses_close",
    "assert_vertices_close",
    "golden",
]

_publish(globals())
