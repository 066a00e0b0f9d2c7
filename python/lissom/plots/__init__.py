# SPDX-License-Identifier: MIT
"""Plots of clips, contacts, bakes, weights and chains with matplotlib. Needs the extra ``plot``.

    axes = lissom.plots.clip_curves(hero.clips["walk"], "LowerLeg.L")
    axes.figure.savefig("knee.png")

Each is one call: it draws into `axes` where they are given and into a new figure of pyplot otherwise, and
returns them for more. Nothing is shown, and no setting of matplotlib is changed.
"""

from lissom._base.set_module import publish as _publish
from lissom.plots._contacts import contact_timeline
from lissom.plots._curves import clip_curves
from lissom.plots._errors import error_over_time
from lissom.plots._reach import reach_map
from lissom.plots._weights import weight_histogram

__all__ = ["clip_curves", "contact_timeline", "error_over_time", "reach_map", "weight_histogram"]

_publish(globals())
