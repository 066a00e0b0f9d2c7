# SPDX-License-Identifier: MIT
"""Plots of clips, contacts, bakes, weights, chains and retargets with matplotlib. Needs the extra ``plot``.

    axes = lissom.plots.clip_curves(hero.clips["walk"], "LowerLeg.L")
    axes.figure.savefig("knee.png")

Each draws into `axes` if passed, into a new pyplot figure otherwise, and returns the axes for more. None
calls ``pyplot.show`` or changes a setting of matplotlib.
"""

from lissom._base.set_module import publish as _publish
from lissom.plots._bones import bone_errors
from lissom.plots._contacts import contact_timeline
from lissom.plots._curves import clip_curves
from lissom.plots._errors import error_over_time
from lissom.plots._reach import reach_map
from lissom.plots._weights import weight_histogram

__all__ = [
    "bone_errors",
    "clip_curves",
    "contact_timeline",
    "error_over_time",
    "reach_map",
    "weight_histogram",
]

_publish(globals())
