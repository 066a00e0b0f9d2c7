# SPDX-License-Identifier: MIT
"""Skinning on the CPU: a mesh and a palette become moved vertices."""

from lissom._base.methods import METHODS
from lissom._base.set_module import publish as _publish
from lissom.skinning._call import Deformed, DeformedFrames, Normals
from lissom.skinning._deform import deform
from lissom.skinning._on_arrays import skin_dual_quat, skin_linear, skin_quat_trans
from lissom.skinning._on_arrays_blends import skin_blended, skin_cor

__all__ = [
    "METHODS",
    "Deformed",
    "DeformedFrames",
    "Normals",
    "deform",
    "skin_blended",
    "skin_cor",
    "skin_dual_quat",
    "skin_linear",
    "skin_quat_trans",
]

_publish(globals())


def __dir__() -> list[str]:
    return sorted(__all__)
