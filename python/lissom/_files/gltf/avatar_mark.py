# SPDX-License-Identifier: MIT
"""What a VRM file said of its avatar, from the mark in a file that lissom saved."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lissom._base.numbers import LARGEST
from lissom._base.printable import printable
from lissom._files.gltf.extras import AvatarMark, ChainMark, LookAtMark
from lissom._files.gltf.log import Log
from lissom._files.gltf.schema import NOTHING, Document
from lissom._files.gltf.springs import BYTES_PER_HIT, BYTES_PER_JOINT, MANY_HITS
from lissom._formats.budget import Budget
from lissom._gaze.gaze_range import GazeRange
from lissom._gaze.stated import StatedLookAt
from lissom._rig.skeleton import Skeleton
from lissom._springs.chain import SpringChain
from lissom._springs.collider import SpringCollider
from lissom._springs.plan import resolved, update_order

__all__ = ["restore_avatar"]

POINTER = "/scenes"
EXTENSIONS = ("VRMC_vrm", "VRMC_vrm_animation", "VRMC_springBone", "VRM")


def restore_avatar(
    skeleton: Skeleton, document: Document, mark: AvatarMark | None, log: Log, budget: Budget
) -> None:
    """Set what the mark says on a skeleton; what does not fit is not used, with a record.

    A file that is VRM again speaks for itself.
    """
    if mark is None or any(getattr(document.extensions, name, NOTHING) is not NOTHING for name in EXTENSIONS):
        return
    known = set(skeleton.names)
    if known.issuperset(mark.roles.values()):
        skeleton._stated_roles = dict(mark.roles)
    else:
        _ignore("the roles", "a joint is not in the scene", log)
    try:
        if mark.look_at is not None:
            skeleton._stated_look_at = _look_at(mark.look_at, skeleton)
    except ValueError as error:
        _ignore("where the character looks", str(error), log)
    joints = sum(len(chain.joints) for chain in mark.springs)
    budget.spend(BYTES_PER_JOINT * joints, POINTER, MANY_HITS)
    budget.spend(BYTES_PER_HIT * sum(len(chain.colliders) for chain in mark.springs), POINTER, MANY_HITS)
    try:
        skeleton._stated_springs = _springs(mark, skeleton)
    except ValueError as error:
        _ignore("the springs", str(error), log)


def _ignore(what: str, why: str, log: Log) -> None:
    log.note(
        "EXTRAS_IGNORED", POINTER, f"{what} are not as lissom wrote them; not used: {printable(why, 200)}"
    )


def _look_at(mark: LookAtMark, skeleton: Skeleton) -> StatedLookAt:
    if "head" not in skeleton._stated_roles:
        raise ValueError("the character has no head that looks")
    size = math.hypot(*mark.front)
    if not 0 < size <= LARGEST or not max(map(abs, mark.offset)) <= LARGEST:
        raise ValueError("front must have a direction, and the place of the eyes must be finite")
    inner, outer, down, up = (GazeRange(each.input, each.output, each.curve) for each in mark.ranges)
    return StatedLookAt(mark.kind, mark.offset, mark.front, (inner, outer, down, up))


def _springs(mark: AvatarMark, skeleton: Skeleton) -> tuple[SpringChain, ...]:
    colliders = [
        SpringCollider(each.joint, each.shape, each.offset, each.tail, each.normal, each.radius, each.inside)
        for each in mark.colliders
    ]
    chains = [_chain(each, colliders) for each in mark.springs]
    update_order(skeleton, resolved(skeleton, chains, ()))  # refuses what does not fit
    return tuple(chains)


def _chain(mark: ChainMark, colliders: Sequence[SpringCollider]) -> SpringChain:
    if any(number >= len(colliders) for number in mark.colliders):
        raise ValueError(f"a chain must refer to one of {len(colliders)} colliders")
    return SpringChain(
        mark.joints,
        stiffness=mark.stiffness,
        drag=mark.drag,
        gravity=mark.gravity,
        radius=mark.radius,
        end=mark.end,
        center=mark.center,
        colliders=[colliders[number] for number in mark.colliders],
        follow=mark.follow,
    )
