# SPDX-License-Identifier: MIT
"""Clips: what moves the joints of a skeleton over time.

`Clip` holds the keys (`_clip`); its methods are functions of the files beside it, one file per noun, listed
in the table at the end of the class. All edits return a new clip.
"""

from lissom._base.set_module import publish as _publish
from lissom.clip._bind import Binding
from lissom.clip._clip import Clip
from lissom.clip._loop import Loop
from lissom.clip._markers import Marker
from lissom.clip._report import ClipReport
from lissom.clip._tracks import (
    CUBICSPLINE,
    LINEAR,
    ROTATION,
    SCALE,
    STEP,
    TRACK_DTYPE,
    TRANSLATION,
    WEIGHT,
)

__all__ = [
    "CUBICSPLINE",
    "LINEAR",
    "ROTATION",
    "SCALE",
    "STEP",
    "TRACK_DTYPE",
    "TRANSLATION",
    "WEIGHT",
    "Binding",
    "Clip",
    "ClipReport",
    "Loop",
    "Marker",
]

_publish(globals())


def __dir__() -> list[str]:
    return sorted(__all__)
