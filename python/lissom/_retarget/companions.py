# SPDX-License-Identifier: MIT
"""Joints outside the body that carry its mesh: exporters part deforming joints from what moves them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from lissom._retarget.body import BodySetup
from lissom._retarget.vertices import with_vertices

__all__ = ["companions"]

BESIDE = 0.1  # of the size: farther from the trunk a joint may belong to anything


def companions(target: BodySetup, turned: Iterable[int], trunk: Iterable[int]) -> dict[int, int]:
    """Return by joint that moves vertices, but hangs on none of `turned`, the joint of the trunk beside it.

    In the reference pose, since no hierarchy says what the joint belongs to.
    """
    skeleton, places = target.skeleton, target.reference.positions
    carriers, nearest = list(trunk), {}
    for joint in with_vertices(target.rig.character):
        is_apart = not any(
            skeleton.is_in_hierarchy(joint, each) or skeleton.is_in_hierarchy(each, joint) for each in turned
        )
        if is_apart:
            distances = np.linalg.norm(places[carriers] - places[joint], axis=1)
            if distances.min() < BESIDE * target.rig.size:
                nearest[joint] = carriers[int(np.argmin(distances))]
    return nearest
