# SPDX-License-Identifier: MIT
"""Asserts for tests of characters, like those of ``numpy.testing``.

Each takes `actual` and `desired` and returns None, or raises an AssertionError that says how many joints,
vertices or pixels are beyond the tolerance, which is the worst, where and by how much. Shapes must be equal:
nothing is broadcast. NaN, infinity and empty arrays never pass. Numbers are compared in float64.

There are four kinds of tolerance. `rotation` is an angle in radians; q and -q are the same. `share` is a
length as a fraction of the character's size, which is known where `of` says whose numbers these are;
`length` is one in the units of the arrays. `scale` is a fraction of the desired scale. Defaults allow for the
rounding of float32 and no more.

Wrong arguments, such as a negative tolerance or a mesh with another number of vertices, raise TypeError or
ValueError: the fault is in the test then, not in what it tests.
"""

from lissom._base.set_module import publish as _publish
from lissom.testing._bakes import assert_bakes_close
from lissom.testing._golden import GoldenRenewed, golden
from lissom.testing._morphs import assert_morphs_close
from lissom.testing._palettes import assert_palettes_close
from lissom.testing._pictures import assert_pictures_close
from lissom.testing._poses import assert_poses_close
from lissom.testing._vertices import assert_vertices_close

__all__ = [
    "GoldenRenewed",
    "assert_bakes_close",
    "assert_morphs_close",
    "assert_palettes_close",
    "assert_pictures_close",
    "assert_poses_close",
    "assert_vertices_close",
    "golden",
]

_publish(globals())
