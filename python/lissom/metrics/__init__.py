# SPDX-License-Identifier: MIT
"""Measures of a skinned surface: volume, edges, collapse, bulge, and the distance between two results.

Positions are arrays ``(..., V, 3)``: of one pose, or of many in one call. All is computed in float64. Lengths
have the unit of the positions, angles are radians, changes are fractions of the value in the bind pose.
"""

from lissom._base.set_module import publish as _publish
from lissom._rig.weld import WELD
from lissom.metrics._bulge import Bulge, bulge
from lissom.metrics._collapse import Collapse, blend_collapse, collapse
from lissom.metrics._distance import Distance, distance
from lissom.metrics._edges import EdgeChange, edges
from lissom.metrics._surface import Surface
from lissom.metrics._volume import Volume, VolumeChange, volume, volume_change

__all__ = [
    "WELD",
    "Bulge",
    "Collapse",
    "Distance",
    "EdgeChange",
    "Surface",
    "Volume",
    "VolumeChange",
    "blend_collapse",
    "bulge",
    "collapse",
    "distance",
    "edges",
    "volume",
    "volume_change",
]

_publish(globals())
