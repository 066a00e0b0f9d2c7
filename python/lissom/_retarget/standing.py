# SPDX-License-Identifier: MIT
"""How two bodies stand: the ratio of their lengths, and what brings the soles of both onto the ground."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from lissom import quat
from lissom._retarget.body import BodySetup
from lissom._retarget.limbs import LimbPair, length
from lissom._retarget.posed import IDENTITY, Floats, Posed, mirrored, posed
from lissom._retarget.similarity import Similarity

__all__ = ["length_ratio", "shifts", "sideways", "standing"]


def length_ratio(source: BodySetup, target: BodySetup, legs: Sequence[LimbPair]) -> float:
    """Return the length of the target for one of the source: of legs, else of what both have."""
    if legs:
        own = sum(length(source.reference.positions, pair.source) for pair in legs)
        return sum(length(target.reference.positions, pair.target) for pair in legs) / own
    spans = []
    roles = [role for role in source.roles.joints if role in target.roles]
    for body in (source, target):
        places = body.reference.positions[[body.roles.index(role) for role in roles]]
        spans.append(float(np.linalg.norm(places - places[0], axis=1).sum()))
    return spans[1] / spans[0] if spans[0] > 0 < spans[1] else 1.0


def standing(target: BodySetup, turns: Mapping[int, Floats]) -> Posed:
    """Return the target in its reference pose, its joints turned; others rest."""
    skeleton = target.skeleton
    pose = skeleton.rest.astype(np.float64)
    pose[target.hips, :3] = target.pose[target.hips, :3]
    rotations, mirrors = np.empty((len(skeleton), 4)), target.rest.mirrors
    for joint, parent in enumerate(skeleton.parents.tolist()):
        above = IDENTITY if parent < 0 else rotations[parent]
        if joint in turns:
            rotations[joint] = quat.multiply(turns[joint], target.reference.rotations[joint])
            local = np.asarray(quat.multiply(quat.conjugate(above), rotations[joint]))
            pose[joint, 3:7] = mirrored(mirrors[joint], local)
        else:
            rotations[joint] = quat.multiply(above, mirrored(mirrors[joint], pose[joint, 3:7]))
    pose[:, 3:7] = quat.normalize(pose[:, 3:7])
    return posed(skeleton, pose)


def sideways(source: BodySetup, target: BodySetup, pair: LimbPair, similarity: Similarity) -> Floats:
    """Return how much farther from the hips a leg of the target begins than the source's, horizontally."""
    own, their = (
        body.reference.positions[limb.upper] - body.reference.positions[body.hips]
        for body, limb in ((target, pair.target), (source, pair.source))
    )
    more = own - similarity.vectors(their)
    return np.asarray(more - (more @ target.up) * target.up)


def shifts(
    source: BodySetup,
    target: BodySetup,
    legs: Sequence[LimbPair],
    stood: Posed,
    similarity: Similarity,
) -> tuple[Floats, Floats]:
    """Return what is added to scaled places of ankles, and of the hips.

    Horizontally the reference poses are above each other. Vertically soles meet: an ankle that is as high
    over the source's sole as in the reference pose is so for the target; the hips are where legs then end.
    """
    up, ratio = target.up, similarity.ratio
    shift = target.reference.positions[target.hips] - similarity.vectors(
        source.reference.positions[source.hips]
    )
    if not legs:
        return shift, shift
    own, their = ([pair.source for pair in legs], [pair.target for pair in legs])
    over_sole = [
        _mean(-(body.feet[limb.name].points @ body.up).min() for limb in limbs)
        for body, limbs in ((source, own), (target, their))
    ]
    leg_height = [
        body.height(places[body.hips] - places[[limb.end for limb in limbs]].mean(axis=0))
        for body, limbs, places in (
            (source, own, source.reference.positions),
            (target, their, stood.positions),
        )
    ]
    of_feet = target.floor + over_sole[1] - ratio * (source.floor + over_sole[0])
    of_hips = of_feet + leg_height[1] - ratio * leg_height[0]
    across = shift - (shift @ up) * up
    return across + of_feet * up, across + of_hips * up


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))
