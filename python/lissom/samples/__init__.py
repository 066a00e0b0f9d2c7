# SPDX-License-Identifier: MIT
"""The characters that come with the package, and ground for them to walk on, made by code when asked for.

They need no file and no download, are the same on every machine, and are what the demo, the tests and the
notebooks show.
"""

from lissom._base.set_module import publish as _publish
from lissom.samples._bar import twisted_bar, two_bone_tube
from lissom.samples._humanoid import RUN_SPEED, WALK_SPEED, humanoid
from lissom.samples._terrain import rubble, slope, stair, uneven_ground

__all__ = [
    "RUN_SPEED",
    "WALK_SPEED",
    "humanoid",
    "rubble",
    "slope",
    "stair",
    "twisted_bar",
    "two_bone_tube",
    "uneven_ground",
]

_publish(globals())


def __dir__() -> list[str]:
    return sorted(__all__)
